//! Paths through [`FreeSpace`]: the world's calls and their results. `search.rs` finds the path.

use alloc::vec::Vec;

#[cfg(feature = "script")]
use tombolo_entity::Entity;
use tombolo_entity::Kept;
use tombolo_geometry::Vec2;
use tombolo_threads::FloatEnvironment;

use super::super::World;
use super::free::{FREE_SPACES_MAX, FreeSpace};
use super::search::SearchWork;
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
    /// See [`PathError`]. The goal is unreachable, too, if the search takes more work than it may.
    fn path(&mut self, start: Vec2, goal: Vec2, work: &mut SearchWork) -> Result<Vec<Vec2>, PathError> {
        let from = self.to_cells(start).ok_or(PathError::Outside(start))?;
        let to = self.to_cells(goal).ok_or(PathError::Outside(goal))?;
        let first = self.rectangles.nearest(from, TOLERANCE);
        let last = self.rectangles.nearest(to, TOLERANCE);
        let first = first.ok_or(PathError::StartInWall(start))?;
        let last = last.ok_or(PathError::GoalInWall(goal))?;
        let found = self.search.run(&mut self.rectangles, first, last, work);
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
        self.build_free_space(clearance)?
            .path(start, goal, &mut SearchWork::unlimited())
    }

    /// Searches like [`find_path`](Self::find_path), with limited work, which is the same in a restored world. A search
    /// that would do more ends, and finds nothing.
    #[cfg(feature = "script")]
    pub(in super::super) fn find_path_within(
        &mut self,
        start: Vec2,
        goal: Vec2,
        clearance: f32,
        work: &mut SearchWork,
    ) -> Result<Vec<Vec2>, PathError> {
        let _environment = FloatEnvironment::enter();
        self.build_free_space(clearance)?.path(start, goal, work)
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
                self.space.free.insert(0, free.into());
            }
        }
        // A search changes what it has found out about the rectangles, and its own memory.
        Ok(Kept::cache_mut(&mut self.space.free[0]))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::space::rectangles::WallBox;

    /// Posts in a field, and a room without a door around (300, 300), in cells of a quarter of a meter.
    fn field() -> FreeSpace {
        let mut free = FreeSpace::new(0.5);
        let posts = (0..1600_u16).map(|post| [1500 + 9 * (post % 40), 1700 + 7 * (post / 40)]);
        for low in posts {
            let high = low.map(|edge| edge + 4);
            free.rectangles.add(&WallBox { low, high });
        }
        let room = [
            ([300, 300], [400, 301]),
            ([300, 400], [400, 401]),
            ([300, 300], [301, 401]),
            ([400, 300], [401, 401]),
        ];
        for (low, high) in room {
            free.rectangles.add(&WallBox { low, high });
        }
        free.rectangles.refresh();
        free
    }

    fn work(most: usize) -> SearchWork {
        SearchWork {
            done: 0,
            most,
            knows_parts: false,
        }
    }

    #[test]
    fn a_search_does_no_more_work_than_it_may() {
        let mut free = field();
        let [start, goal, room] =
            [[1400.0, 1690.0], [1900.0, 2000.0], [350.0, 350.0]].map(|cell| free.to_meters(cell));
        for (goal, found) in [(goal, true), (room, false)] {
            let mut whole = work(usize::MAX);
            let path = free.path(start, goal, &mut whole);
            assert_eq!(path.is_ok(), found, "{path:?}");
            assert!(whole.done > 1000, "{whole:?}");
            for most in [0, 1, 100, whole.done / 2, whole.done - 1, whole.done] {
                let mut limited = work(most);
                let within = free.path(start, goal, &mut limited);
                if most == whole.done {
                    assert_eq!((&within, limited.done), (&path, whole.done));
                    continue;
                }
                assert!(within.is_err() && limited.done > most, "{most}: {limited:?}");
                // One more expansion, or one look at the parts.
                let parts = 2 * free.rectangles.len();
                assert!(
                    limited.done <= most + 2000 || limited.done - most <= parts,
                    "{most}: {limited:?}"
                );
                // A search that was ended leaves nothing behind.
                let mut again = work(usize::MAX);
                assert_eq!(free.path(start, goal, &mut again), path);
                assert_eq!(again.done, whole.done);
            }
        }
    }

    /// What a search counts depends on walls alone, not on what was found before: a restored world has to find it again.
    #[test]
    fn connected_parts_are_counted_whether_they_are_known_or_not() {
        let mut free = field();
        let [start, room] = [[1400.0, 1690.0], [350.0, 350.0]].map(|cell| free.to_meters(cell));
        let (mut first, mut second) = (work(usize::MAX), work(usize::MAX));
        for work in [&mut first, &mut second] {
            assert_eq!(free.path(start, room, work), Err(PathError::Unreachable));
            assert!(work.knows_parts);
        }
        assert_eq!(first.done, second.done);
        let mut counted = SearchWork {
            knows_parts: true,
            ..work(usize::MAX)
        };
        assert_eq!(free.path(start, room, &mut counted), Err(PathError::Unreachable));
        assert_eq!(first.done - counted.done, 2 * free.rectangles.len());
    }
}
