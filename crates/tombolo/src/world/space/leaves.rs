//! The leaves of the quadtree over free space: the largest of its cells that are wholly free or wholly wall. They are
//! for drawing, and for searches other than the engine's.

use tombolo_geometry::orthtree::{Bounds, Code};

use super::free::FreeSpace;
use super::rectangles::DEPTH;

/// A leaf of free space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeCell {
    /// The locational code in the quadtree, of which [`FreeSpace::bounds`] is the root.
    pub code: Code<2, u32>,
    /// The box in the world.
    pub bounds: Bounds<2>,
    /// Whether an agent's center may be anywhere in it.
    pub is_free: bool,
}

impl FreeSpace {
    /// The number of leaves. Costs what [`cells`](Self::cells) of all of free space does.
    pub fn leaf_count(&self) -> usize {
        let mut count = 0;
        self.cells(&self.bounds(), |_| count += 1);
        count
    }

    /// Calls `visit` for the leaves that overlap a box, along the Z curve.
    ///
    /// Costs the leaves, and a look at each of the 4,096 tiles of free space that the box is in.
    pub fn cells(&self, area: &Bounds<2>, mut visit: impl FnMut(FreeCell)) {
        self.visit_cells([0, 0], DEPTH, area, &mut visit);
    }

    /// Visits the leaves in the cell at a lower corner, of a size of 2 to the `height` finest cells.
    fn visit_cells(&self, low: [u16; 2], height: u32, area: &Bounds<2>, visit: &mut dyn FnMut(FreeCell)) {
        let size = 1 << height;
        let [min, max] = [0, size].map(|reach| {
            let corner = low.map(|cell| f64::from(cell + reach));
            self.to_meters(corner).to_array()
        });
        let bounds = Bounds::new(min, max);
        if !bounds.overlaps(area) {
            return;
        }
        if let Some(is_wall) = self.rectangles.is_wall_all_over(low, height) {
            let coordinates = low.map(|cell| u32::from(cell >> height));
            visit(FreeCell {
                code: Code::from_coordinates(coordinates, DEPTH - height).expect("a code has 15 levels"),
                bounds,
                is_free: !is_wall,
            });
            return;
        }
        let half = size / 2;
        for [x, y] in [[0, 0], [half, 0], [0, half], [half, half]] {
            self.visit_cells([low[0] + x, low[1] + y], height - 1, area, visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::world::space::rectangles::{CELL_COUNT, WallBox};

    #[test]
    fn leaves_are_the_largest_cells_that_are_alike() {
        let mut free = FreeSpace::new(0.5);
        assert_eq!(free.leaf_count(), 1);
        let middle = CELL_COUNT / 2;
        for (low, high) in [([0, 0], [middle, middle]), ([3000, 100], [3001, 165])] {
            free.rectangles.add(&WallBox { low, high });
        }
        free.rectangles.refresh();
        let mut leaves = Vec::new();
        free.cells(&free.bounds(), |leaf| leaves.push(leaf));
        assert_eq!(leaves.len(), free.leaf_count());
        // The four cells of a parent are never alike.
        for leaf in &leaves {
            let family = |other: &&FreeCell| other.code.parent() == leaf.code.parent();
            let alike = leaves
                .iter()
                .filter(family)
                .filter(|other| other.is_free == leaf.is_free);
            assert!(alike.count() < 4, "{leaf:?}");
        }
        let area = |leaf: &FreeCell| {
            let [width, height] = [0, 1].map(|axis| f64::from(leaf.bounds.max[axis] - leaf.bounds.min[axis]));
            width * height / 0.0625
        };
        let walls: f64 = leaves.iter().filter(|leaf| !leaf.is_free).map(area).sum();
        assert_eq!(walls, f64::from(middle) * f64::from(middle) + 65.0);
        assert_eq!(
            leaves.iter().map(area).sum::<f64>(),
            f64::from(CELL_COUNT) * f64::from(CELL_COUNT)
        );
        // Only those that overlap a box.
        let corner = Bounds::new([-400.0, -400.0], [-390.0, -390.0]);
        let mut count = 0;
        free.cells(&corner, |leaf| {
            assert!(!leaf.is_free);
            count += 1;
        });
        assert_eq!(count, 1);
    }
}
