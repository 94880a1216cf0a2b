//! [`Balance`]: computes the wrench of each weld of a composite from the wrenches that its members need.
//!
//! A member moves with the whole body. The impulse that this takes, less the external impulses on the member, must come
//! from its welds: `needed`. If the welds form a tree there is one solution: a member with one weld left gets all of it
//! from that weld, and the member at the other end has to supply it; so the tree is reduced leaf by leaf, in
//! O(members).
//!
//! If welds form cycles the balance alone has many solutions. The one chosen is that of springs of the same stiffness
//! in all those welds: `k` for displacements of the point and `k ℓ²` for rotations, with ℓ about as long as members
//! are. It is the solution of least strain energy, so it has no part that circulates around a cycle without a load,
//! equal welds have equal loads, and it does not depend on `k` or on the order of the welds. It is computed by
//! conjugate gradients with a diagonal preconditioner, in a fixed order of double-precision sums.

use alloc::vec::Vec;
use glam::DVec2;

/// An impulse: newton seconds along x and y, and newton meter seconds about a point that is common to a composite. In
/// [`Balance`] also a displacement, in meters and in radians times meters.
pub(crate) type Wrench = [f64; 3];

/// The greatest number of iterations of conjugate gradients. Three for each member would be exact without rounding; far
/// fewer suffice.
const ITERATIONS_MAX: usize = 2000;

/// The square of the residual at which iterations stop, as a fraction of the needed wrenches.
const ERROR_SQUARED: f64 = 1.0e-18;

#[derive(Clone, Copy, Debug)]
struct WeldNode {
    needed: Wrench,
    /// The number of its welds that are not solved.
    open: u32,
    /// The indices of these welds, all XORed: for a leaf, its weld.
    welds: usize,
}

#[derive(Clone, Copy, Debug)]
struct WeldEdge {
    ends: [usize; 2],
    /// The vector from the reference point of all wrenches to the weld.
    arm: DVec2,
    is_solved: bool,
    /// The wrench on the second member.
    wrench: Wrench,
}

/// The members and welds of one composite, and the scratch memory to solve them.
#[derive(Debug, Default)]
pub(crate) struct Balance {
    nodes: Vec<WeldNode>,
    edges: Vec<WeldEdge>,
    leaves: Vec<usize>,
    /// The factor ℓ² of rotations, in square meters.
    turn_stiffness: f64,
    displacement: Vec<Wrench>,
    residual: Vec<Wrench>,
    direction: Vec<Wrench>,
    product: Vec<Wrench>,
    inverse_diagonal: Vec<Wrench>,
}

fn plus(a: Wrench, b: Wrench, factor: f64) -> Wrench {
    [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]]
}

fn dot(a: &[Wrench], b: &[Wrench]) -> f64 {
    let of = |(a, b): (&Wrench, &Wrench)| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    a.iter().zip(b).map(of).fold(0.0, |sum, part| sum + part)
}

impl Balance {
    /// Removes all members and welds. `stiff_length` is ℓ in meters.
    pub(crate) fn clear(&mut self, stiff_length: f64) {
        self.nodes.clear();
        self.edges.clear();
        self.turn_stiffness = (stiff_length * stiff_length).max(1.0e-12);
    }

    /// Adds a member that needs a wrench from its welds.
    pub(crate) fn add_member(&mut self, needed: Wrench) {
        self.nodes.push(WeldNode {
            needed,
            open: 0,
            welds: 0,
        });
    }

    /// Adds a weld of two different members, which were added before.
    pub(crate) fn add_weld(&mut self, ends: [usize; 2], arm: DVec2) {
        let weld = self.edges.len();
        for end in ends {
            self.nodes[end].open += 1;
            self.nodes[end].welds ^= weld;
        }
        self.edges.push(WeldEdge {
            ends,
            arm,
            is_solved: false,
            wrench: [0.0; 3],
        });
    }

    /// Computes the wrench of every weld.
    pub(crate) fn solve(&mut self) {
        self.solve_trees();
        if self.edges.iter().any(|edge| !edge.is_solved) {
            self.solve_cycles();
        }
    }

    /// The wrench of a weld on its second member; the first gets the opposite.
    pub(crate) fn wrench(&self, weld: usize) -> Wrench {
        self.edges[weld].wrench
    }

    fn solve_trees(&mut self) {
        self.leaves.clear();
        let leaves = (0..self.nodes.len()).filter(|&node| self.nodes[node].open == 1);
        self.leaves.extend(leaves);
        while let Some(leaf) = self.leaves.pop() {
            let WeldNode { needed, open, welds } = self.nodes[leaf];
            if open != 1 {
                continue;
            }
            let edge = &mut self.edges[welds];
            let end = usize::from(edge.ends[1] == leaf);
            let sign = if end == 1 { 1.0 } else { -1.0 };
            edge.wrench = plus([0.0; 3], needed, sign);
            edge.is_solved = true;
            let other = edge.ends[1 - end];
            self.nodes[leaf].open = 0;
            let node = &mut self.nodes[other];
            node.needed = plus(node.needed, needed, 1.0);
            node.open -= 1;
            node.welds ^= welds;
            if node.open == 1 {
                self.leaves.push(other);
            }
        }
    }

    /// The wrench of a weld's spring on its second member for displacements of the members.
    fn pull(&self, edge: &WeldEdge, displaced: &[Wrench]) -> Wrench {
        let apart = plus(displaced[edge.ends[1]], displaced[edge.ends[0]], -1.0);
        let arm = edge.arm;
        let force = [apart[0] - apart[2] * arm.y, apart[1] + apart[2] * arm.x];
        let torque = self.turn_stiffness * apart[2];
        [force[0], force[1], torque + arm.x * force[1] - arm.y * force[0]]
    }

    /// Multiplies the stiffness matrix by `direction`: the wrench that the displacement takes from every member.
    fn multiply(&mut self) {
        let mut product = core::mem::take(&mut self.product);
        product.iter_mut().for_each(|part| *part = [0.0; 3]);
        for edge in self.edges.iter().filter(|edge| !edge.is_solved) {
            let pull = self.pull(edge, &self.direction);
            for (end, sign) in edge.ends.into_iter().zip([-1.0, 1.0]) {
                product[end] = plus(product[end], pull, sign);
            }
        }
        self.product = product;
    }

    fn set_up_cycles(&mut self) {
        let count = self.nodes.len();
        for list in [
            &mut self.displacement,
            &mut self.product,
            &mut self.inverse_diagonal,
        ] {
            list.clear();
            list.resize(count, [0.0; 3]);
        }
        for edge in self.edges.iter().filter(|edge| !edge.is_solved) {
            let turn = self.turn_stiffness + edge.arm.length_squared();
            for end in edge.ends {
                self.inverse_diagonal[end] = plus(self.inverse_diagonal[end], [1.0, 1.0, turn], 1.0);
            }
        }
        for part in self.inverse_diagonal.iter_mut().flatten() {
            *part = if *part > 0.0 { 1.0 / *part } else { 0.0 };
        }
        self.residual.clear();
        let needed = self
            .nodes
            .iter()
            .map(|node| if node.open > 0 { node.needed } else { [0.0; 3] });
        self.residual.extend(needed);
    }

    /// The residual, each part divided by its own stiffness.
    fn scaled_residual(&self, node: usize) -> Wrench {
        let (residual, scale) = (self.residual[node], self.inverse_diagonal[node]);
        [
            residual[0] * scale[0],
            residual[1] * scale[1],
            residual[2] * scale[2],
        ]
    }

    fn scaled_error(&self) -> f64 {
        let parts = (0..self.residual.len()).map(|node| {
            let scaled = self.scaled_residual(node);
            dot(&[scaled], &[self.residual[node]])
        });
        parts.fold(0.0, |sum, part| sum + part)
    }

    fn solve_cycles(&mut self) {
        self.set_up_cycles();
        self.direction.clear();
        for node in 0..self.residual.len() {
            self.direction.push(self.scaled_residual(node));
        }
        let mut error = self.scaled_error();
        let enough = error * ERROR_SQUARED;
        for _ in 0..ITERATIONS_MAX {
            self.multiply();
            let curvature = dot(&self.direction, &self.product);
            let goes_on = error > enough && curvature > 0.0;
            if !goes_on {
                break;
            }
            let length = error / curvature;
            for node in 0..self.nodes.len() {
                self.displacement[node] = plus(self.displacement[node], self.direction[node], length);
                self.residual[node] = plus(self.residual[node], self.product[node], -length);
            }
            let new = self.scaled_error();
            for node in 0..self.nodes.len() {
                self.direction[node] = plus(self.scaled_residual(node), self.direction[node], new / error);
            }
            error = new;
        }
        for weld in 0..self.edges.len() {
            if !self.edges[weld].is_solved {
                self.edges[weld].wrench = self.pull(&self.edges[weld], &self.displacement);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Balance, Wrench};
    use alloc::vec::Vec;
    use glam::DVec2;

    fn solved(needed: &[Wrench], welds: &[([usize; 2], DVec2)], length: f64) -> Vec<Wrench> {
        let mut balance = Balance::default();
        balance.clear(length);
        needed.iter().for_each(|&needed| balance.add_member(needed));
        welds.iter().for_each(|&(ends, arm)| balance.add_weld(ends, arm));
        balance.solve();
        (0..welds.len()).map(|weld| balance.wrench(weld)).collect()
    }

    /// A row of four pulled at its last member: every weld has the load beyond it, whichever order its ends are in.
    #[test]
    fn a_tree_has_one_answer() {
        let needed = [
            [-6.0, 0.0, 0.0],
            [2.0, 1.0, 0.5],
            [2.0, -1.0, 0.0],
            [2.0, 0.0, -0.5],
        ];
        let welds = [([0, 1], DVec2::X), ([2, 1], DVec2::Y), ([2, 3], DVec2::ZERO)];
        let wrenches = solved(&needed, &welds, 1.0);
        assert_eq!(wrenches, [[6.0, 0.0, 0.0], [-4.0, 1.0, 0.5], [2.0, 0.0, -0.5]]);
    }

    /// Two parallel welds share a pull between them evenly and without torque, and a couple as a pair of forces.
    #[test]
    fn welds_that_are_alike_share_alike() {
        let welds = [([0, 1], DVec2::new(-1.0, 0.0)), ([0, 1], DVec2::new(1.0, 0.0))];
        let near = |got: Wrench, wanted: Wrench| {
            let apart = (0..3).map(|i| (got[i] - wanted[i]).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-9, "{got:?}, wanted {wanted:?}");
        };
        let pulled = solved(&[[0.0, -8.0, 0.0], [0.0, 8.0, 0.0]], &welds, 0.5);
        near(pulled[0], [0.0, 4.0, -4.0]);
        near(pulled[1], [0.0, 4.0, 4.0]);
        // The stiffness against the couple is 2 (r² + ℓ²), of which the forces' part is r².
        let turned = solved(&[[0.0, 0.0, -5.0], [0.0, 0.0, 5.0]], &welds, 0.5);
        near(turned[0], [0.0, -2.0, 2.5]);
        near(turned[1], [0.0, 2.0, 2.5]);
    }

    /// A ring with tails: the members of the ring and of the tails all get the wrenches that they need.
    #[test]
    fn cycles_and_tails_of_welds_supply_every_member() {
        let mut needed: Vec<Wrench> = (0..12)
            .map(|i| [f64::from(i % 5) - 1.0, 0.3 * f64::from(i), f64::from(i % 3)])
            .collect();
        let sum = needed
            .iter()
            .fold([0.0; 3], |sum, part| super::plus(sum, *part, 1.0));
        needed[0] = super::plus(needed[0], sum, -1.0);
        let mut welds: Vec<([usize; 2], DVec2)> = (0..8)
            .map(|i| ([i, (i + 1) % 8], DVec2::new(i as f64, (i * i % 7) as f64)))
            .collect();
        welds.extend((8..12).map(|i| ([i, i - 5], DVec2::new(-(i as f64), 2.0))));
        welds.push(([0, 4], DVec2::new(3.0, 3.0)));
        let wrenches = solved(&needed, &welds, 0.7);
        let mut got = [[0.0; 3]; 12];
        for ((ends, _), wrench) in welds.iter().zip(&wrenches) {
            got[ends[0]] = super::plus(got[ends[0]], *wrench, -1.0);
            got[ends[1]] = super::plus(got[ends[1]], *wrench, 1.0);
        }
        for (got, needed) in got.iter().flatten().zip(needed.iter().flatten()) {
            assert!((got - needed).abs() < 1e-7, "{got}, needed {needed}");
        }
        // The order of the welds does not affect the solution.
        let order: Vec<usize> = (0..welds.len()).map(|i| (5 * i + 3) % welds.len()).collect();
        let other: Vec<_> = order.iter().map(|&i| welds[i]).collect();
        for (wrench, &of) in solved(&needed, &other, 0.7).iter().zip(&order) {
            for i in 0..3 {
                assert!((wrench[i] - wrenches[of][i]).abs() < 1e-6);
            }
        }
    }
}
