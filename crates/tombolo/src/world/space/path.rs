//! Paths through [`FreeSpace`]: the world's calls and their results. `search.rs` finds the path.

use alloc::vec::Vec;

#[cfg(feature = "script")]
use tombolo_entity::Entity;
use tombolo_geometry::Vec2;
use tombolo_threads::FloatEnvironment;

use super::super::World;
use super::free::{FREE_SPACES_MAX, FreeSpace};
use crate::error::{CLEARANCE_MAX, PathError};

/// The distance in finest cells from free space within which a point counts as free: corners of paths are on the
/// borders of free space, and an agent that walks along them is a rounding error to one side or the other.
const TOLERANCE: f64 = 0.125;

impl FreeSpace {
    /// The shortest path from a start to a goal: corners to be passed in straight lines, the goal last, the start left
    /// out.
    ///
    /// # Errors
    ///
    /// See [`PathError`].
    fn path(&mut self, start: Vec2, goal: Vec2) -> Result<Vec<Vec2>, PathError> {
        self.search.expanded = 0;
        let from = self.to_cells(start).ok_or(PathError::Outside(start))?;
        let to = self.to_cells(goal).ok_or(PathError::Outside(goal))?;
        let first = self.rectangles.nearest(from, TOLERANCE);
        let last = self.rectangles.nearest(to, TOLERANCE);
        let first = first.ok_or(PathError::StartInWall(start))?;
        let last = last.ok_or(PathError::GoalInWall(goal))?;
        let found = self.search.run(&mut self.rectangles, first, last);
        let corners = found.ok_or(PathError::Unreachable)?;
        let mut path: Vec<Vec2> = corners.into_iter().map(|corner| self.to_meters(corner)).collect();
        if let Some(last) = path.last_mut() {
            *last = goal;
        }
        Ok(path)
    }
}

impl World {
    /// The shortest path from a start to a goal with this much clearance around the center: corners to be passed in
    /// straight lines, the goal last. Static bodies at their present poses are walls.
    ///
    /// The first path of a clearance creates its [`FreeSpace`], which later steps keep up to date; the 16 most
    /// recently used ones are kept. A path costs about the corners of walls that are nearer than the goal. A goal
    /// that cannot be reached costs little, except for the first time after walls have changed: then all of free
    /// space is visited once.
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
        let _environment = FloatEnvironment::enter();
        self.build_free_space(clearance)?.path(start, goal)
    }

    /// Searches like [`find_path`](Self::find_path), and returns the number of expanded states too: the same in a
    /// restored world.
    #[cfg(feature = "script")]
    pub(in super::super) fn find_path_counted(
        &mut self,
        start: Vec2,
        goal: Vec2,
        clearance: f32,
    ) -> (Result<Vec<Vec2>, PathError>, usize) {
        let _environment = FloatEnvironment::enter();
        match self.build_free_space(clearance) {
            Ok(free) => {
                let found = free.path(start, goal);
                (found, free.search.expanded)
            }
            Err(error) => (Err(error), 0),
        }
    }

    /// The effort of creating the free space of a clearance, with static bodies at their present poses; see
    /// `effort.rs`.
    #[cfg(feature = "script")]
    pub(in super::super) fn free_space_effort(&mut self, clearance: f32, most: usize) -> usize {
        let _environment = FloatEnvironment::enter();
        if !(0.0..=CLEARANCE_MAX).contains(&clearance) {
            return 0;
        }
        self.update_space();
        let all = self.space.entities().map(|(entity, _)| entity);
        super::effort::effort(self, all, clearance, most)
    }

    /// The effort of updating the free space of a clearance after the walls of some entities move; see `effort.rs`.
    #[cfg(feature = "script")]
    pub(in super::super) fn wall_effort(&self, entities: &[Entity], clearance: f32, most: usize) -> usize {
        // They are removed at their old poses and added at their new ones.
        2 * super::effort::effort(self, entities.iter().copied(), clearance, most)
    }

    /// The area where an agent with this clearance fits, with static bodies at their present poses.
    ///
    /// # Errors
    ///
    /// [`PathError::Clearance`].
    pub fn free_space(&mut self, clearance: f32) -> Result<&FreeSpace, PathError> {
        let _environment = FloatEnvironment::enter();
        self.build_free_space(clearance).map(|free| &*free)
    }

    /// The free space of a clearance, created if there is none; the least recently used one is dropped.
    fn build_free_space(&mut self, clearance: f32) -> Result<&mut FreeSpace, PathError> {
        if !(0.0..=CLEARANCE_MAX).contains(&clearance) {
            return Err(PathError::Clearance(clearance));
        }
        self.update_space();
        let mut known = self.space.free.iter();
        match known.position(|free| free.clearance() == clearance) {
            Some(place) => self.space.free[..=place].rotate_right(1),
            None => {
                let mut free = FreeSpace::new(clearance);
                free.follow(self.space.entities().map(|(entity, _)| entity), self);
                self.space.free.truncate(FREE_SPACES_MAX - 1);
                self.space.free.insert(0, free);
            }
        }
        Ok(&mut self.space.free[0])
    }

    /// Updates free space from static bodies that were added, changed or removed.
    pub(super) fn follow_walls(&mut self) {
        let mut walls = core::mem::take(&mut self.space.walls);
        if walls.is_empty() {
            return;
        }
        walls.sort_unstable();
        walls.dedup();
        let mut free = core::mem::take(&mut self.space.free);
        for space in &mut free {
            space.follow(walls.iter().copied(), self);
        }
        self.space.free = free;
    }
}
