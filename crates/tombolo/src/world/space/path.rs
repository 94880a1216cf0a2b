//! Paths through [`FreeSpace`]: A* over its leaves, from border to border, then straightened.
//!
//! A leaf's place is the middle of the border by which it was entered; the estimate is the straight way to the goal
//! (P. Hart, N. Nilsson, B. Raphael, *A Formal Basis for the Heuristic Determination of Minimum Cost Paths*, 1968). Ties
//! are broken by the leaf's place in the plane, not by its number, so that a path does not depend on how walls came about.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use tombolo_geometry::Vec2;
use tombolo_geometry::orthtree::NeighbourMode;

use super::super::World;
use super::free::{CLEARANCE_MAX, FreeSpace};

/// Why there is no path.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The start is nearer to a wall than the clearance.
    #[error("the start ({x}, {y}) is inside a wall or too near to one", x = .0.x, y = .0.y)]
    StartInWall(Vec2),
    /// The goal is nearer to a wall than the clearance.
    #[error("the goal ({x}, {y}) is inside a wall or too near to one", x = .0.x, y = .0.y)]
    GoalInWall(Vec2),
    /// The point lies outside free space, or is not finite.
    #[error("({x}, {y}) lies outside of free space", x = .0.x, y = .0.y)]
    Outside(Vec2),
    /// Walls stand between.
    #[error("walls stand between the start and the goal")]
    Unreachable,
    /// The clearance is negative, too large or not a number.
    #[error("the clearance is {0}; it must be from 0 to {CLEARANCE_MAX}")]
    Clearance(f32),
}

/// What is known of a leaf in one search.
#[derive(Clone, Copy, Debug, Default)]
struct Visited {
    /// The search that knows it.
    round: u32,
    is_closed: bool,
    from: u32,
    cost: f32,
    place: Vec2,
}

/// How many free spaces a world keeps: those that were asked of most recently.
const FREE_SPACES_MAX: usize = 16;

/// Memory of searches, by leaf.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    round: u32,
    /// Leaves whose neighbours the last search looked at.
    expanded: usize,
    visited: Vec<Visited>,
    /// By cost and estimate, then by the leaf's corner, least first. Costs are not negative, so their bits have their order.
    open: BinaryHeap<Reverse<(u32, [u32; 2], u32)>>,
}

impl FreeSpace {
    /// The way from a start to a goal: corners to be passed in straight lines, the goal last, the start left out.
    ///
    /// # Errors
    ///
    /// See [`PathError`].
    pub(super) fn path(&mut self, start: Vec2, goal: Vec2) -> Result<Vec<Vec2>, PathError> {
        self.search.expanded = 0;
        let first = self.leaf(start).ok_or(PathError::Outside(start))?;
        let last = self.leaf(goal).ok_or(PathError::Outside(goal))?;
        if !self.is_free_leaf(first) {
            return Err(PathError::StartInWall(start));
        }
        if !self.is_free_leaf(last) {
            return Err(PathError::GoalInWall(goal));
        }
        if self.is_clear(start, goal) {
            return Ok(Vec::from([goal]));
        }
        let mut search = core::mem::take(&mut self.search);
        let is_found = search.run(self, (first, start), (last, goal));
        let borders = is_found.then(|| search.trace(first, last));
        self.search = search;
        let mut corners = borders.ok_or(PathError::Unreachable)?;
        corners.push(goal);
        Ok(self.straighten(start, &corners))
    }

    /// Leaves out what is not needed: from each corner on to one that is in sight, far ahead. It is found by steps that
    /// double while corners are in sight and halve from there: looking at each would cost the square of a corridor.
    fn straighten(&self, start: Vec2, corners: &[Vec2]) -> Vec<Vec2> {
        let mut path = Vec::new();
        let mut here = start;
        let mut next = 0;
        while next < corners.len() {
            let is_seen = |place: usize| place < corners.len() && self.is_clear(here, corners[place]);
            let (mut seen, mut step) = (next, 1);
            while is_seen(seen + step) {
                seen += step;
                step *= 2;
            }
            while step > 1 {
                step /= 2;
                if is_seen(seen + step) {
                    seen += step;
                }
            }
            here = corners[seen];
            path.push(here);
            next = seen + 1;
        }
        path
    }
}

impl Search {
    fn run(&mut self, space: &FreeSpace, start: (u32, Vec2), goal: (u32, Vec2)) -> bool {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.visited.clear();
            self.round = 1;
        }
        self.visited
            .resize(space.tree.layout().place_count(), Visited::default());
        self.open.clear();
        self.reach(space, start.0, start.0, 0.0, start.1, goal.1);
        while let Some(Reverse((_, _, leaf))) = self.open.pop() {
            if leaf == goal.0 {
                return true;
            }
            let here = &mut self.visited[leaf as usize];
            if core::mem::replace(&mut here.is_closed, true) {
                continue;
            }
            self.expanded += 1;
            let (cost, place) = (here.cost, here.place);
            let bounds = space.tree.lattice().bounds(&space.tree.cell_of(leaf));
            for direction in [[1, 0], [0, 1], [-1, 0], [0, -1]] {
                space
                    .tree
                    .neighbours(leaf, direction, NeighbourMode::Contact, |beside| {
                        if space.is_free_leaf(beside) {
                            let other = space.tree.lattice().bounds(&space.tree.cell_of(beside));
                            // The common border: along one axis an edge of both, along the other where they overlap.
                            let middle = |axis: usize| {
                                let low = bounds.min[axis].max(other.min[axis]);
                                0.5 * (low + bounds.max[axis].min(other.max[axis]))
                            };
                            let border = Vec2::new(middle(0), middle(1));
                            let cost = cost + place.distance(border);
                            self.reach(space, beside, leaf, cost, border, goal.1);
                        }
                    });
            }
        }
        false
    }

    /// Notes a way to a leaf, if it is the best so far.
    fn reach(&mut self, space: &FreeSpace, leaf: u32, from: u32, cost: f32, place: Vec2, goal: Vec2) {
        let visited = &mut self.visited[leaf as usize];
        if visited.round == self.round && (visited.is_closed || visited.cost <= cost) {
            return;
        }
        *visited = Visited {
            round: self.round,
            is_closed: false,
            from,
            cost,
            place,
        };
        let corner = space.tree.cell_of(leaf).corner;
        let whole = cost + place.distance(goal);
        self.open.push(Reverse((whole.to_bits(), corner, leaf)));
    }

    /// The borders that the way found passes.
    fn trace(&self, first: u32, last: u32) -> Vec<Vec2> {
        let mut borders = Vec::new();
        let mut leaf = last;
        while leaf != first {
            let visited = &self.visited[leaf as usize];
            borders.push(visited.place);
            leaf = visited.from;
        }
        borders.reverse();
        borders
    }
}

impl World {
    /// The way from a start to a goal for somebody who needs this much room around the middle: corners to be passed in
    /// straight lines, the goal last. Static bodies are walls, as they are now.
    ///
    /// The first path of a clearance makes its [`FreeSpace`], which later steps keep up to date; the 16 that were asked of
    /// last are kept. A path costs about the leaves that are nearer than the goal, and all that can be reached if the goal
    /// cannot.
    ///
    /// ```
    /// use tombolo::physics::Vec2;
    /// use tombolo::{PathError, Scene, World};
    /// let scene = Scene::parse("wall.ron", r#"(
    ///     entities: {"wall": {"body": Body(), "stone": Collider(shape: Box(width: 1, height: 20))}},
    ///     place: [One(name: "wall", entity: "wall")],
    /// )"#)?;
    /// let mut world = World::from_scene(&scene)?;
    /// let path = world.find_path(Vec2::new(-5.0, 0.0), Vec2::new(5.0, 0.0), 0.5)?;
    /// assert!(path.len() >= 3 && path[0].y.abs() > 10.0); // around the end of the wall
    /// let inside = world.find_path(Vec2::new(-5.0, 0.0), Vec2::ZERO, 0.5);
    /// assert_eq!(inside, Err(PathError::GoalInWall(Vec2::ZERO)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`PathError`].
    pub fn find_path(&mut self, start: Vec2, goal: Vec2, clearance: f32) -> Result<Vec<Vec2>, PathError> {
        self.make_free_space(clearance)?.path(start, goal)
    }

    /// As [`find_path`](Self::find_path), with the number of leaves that were looked at: the same in a restored world.
    #[cfg(feature = "script")]
    pub(in super::super) fn find_path_counted(
        &mut self,
        start: Vec2,
        goal: Vec2,
        clearance: f32,
    ) -> (Result<Vec<Vec2>, PathError>, usize) {
        match self.make_free_space(clearance) {
            Ok(free) => {
                let found = free.path(start, goal);
                (found, free.search.expanded)
            }
            Err(error) => (Err(error), 0),
        }
    }

    /// Where somebody with this clearance fits, as static bodies are now.
    ///
    /// # Errors
    ///
    /// [`PathError::Clearance`].
    pub fn free_space(&mut self, clearance: f32) -> Result<&FreeSpace, PathError> {
        self.make_free_space(clearance).map(|free| &*free)
    }

    /// The free space of a clearance, made if there is none; that which was not asked of for longest goes.
    fn make_free_space(&mut self, clearance: f32) -> Result<&mut FreeSpace, PathError> {
        if !(0.0..=CLEARANCE_MAX).contains(&clearance) {
            return Err(PathError::Clearance(clearance));
        }
        self.update_space();
        let mut known = self.space.free.iter();
        match known.position(|free| free.clearance() == clearance) {
            Some(place) => self.space.free[..=place].rotate_right(1),
            None => {
                let mut free = FreeSpace::new(clearance);
                for (entity, _) in self.space.entities() {
                    free.follow(entity, self);
                }
                self.space.free.truncate(FREE_SPACES_MAX - 1);
                self.space.free.insert(0, free);
            }
        }
        Ok(&mut self.space.free[0])
    }

    /// Free space follows static bodies that came, changed or went.
    pub(super) fn follow_walls(&mut self) {
        let mut walls = core::mem::take(&mut self.space.walls);
        if walls.is_empty() {
            return;
        }
        walls.sort_unstable();
        walls.dedup();
        let mut free = core::mem::take(&mut self.space.free);
        for space in &mut free {
            walls.iter().for_each(|&wall| space.follow(wall, self));
        }
        self.space.free = free;
    }
}
