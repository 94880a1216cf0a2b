//! The stage `space`: updates the grid and the trees from the entities; and the calls for areas.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::Entity;
use tombolo_geometry::Vec2;
use tombolo_geometry::orthtree::{Bounds, Region};
use tombolo_physics::BodyKind;
use tombolo_threads::{Executor, FloatEnvironment};

use super::boxes::{Boxes, EntityBox};
use super::keep::LeftBlock;
use super::trees::Space;
use crate::world::World;
use crate::world::recording::WorldCall;

impl World {
    /// The boxes of all entities, as of the last step or restore. [`update_space`](Self::update_space) includes calls
    /// since.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The entities whose boxes overlap a region, by entity; with a name, only those that have a component of that name,
    /// such as a tag.
    pub fn entities_in(&self, region: &impl Region<2>, component: Option<&str>) -> Vec<Entity> {
        let mut found = Vec::new();
        self.entities_into(region, component, &mut found);
        found
    }

    /// Like [`entities_in`](Self::entities_in), into a list in place of what it holds; allocates only if they are more
    /// than it has room for.
    pub fn entities_into(&self, region: &impl Region<2>, component: Option<&str>, found: &mut Vec<Entity>) {
        found.clear();
        self.for_each_in(region, component, |entity, _| found.push(entity));
        found.sort_unstable();
    }

    /// Calls `visit` with each entity that [`entities_in`](Self::entities_in) finds, and its box. Allocates nothing, and
    /// is cheaper, as nothing is sorted: the order is arbitrary, and may differ in a world that was restored.
    pub fn for_each_in(
        &self,
        region: &impl Region<2>,
        component: Option<&str>,
        mut visit: impl FnMut(Entity, Bounds<2>),
    ) {
        self.space.visit(region, |entity, bounds| {
            let is_asked_for = |name| self.entities.find(entity, name).is_some();
            if component.is_none_or(is_asked_for) {
                visit(entity, bounds);
            }
        });
    }

    /// The entities whose boxes are nearest to a point, nearest first, equally near ones by entity, with the distance
    /// in meters; with a name, only those that have a component of that name. Empty if the point is not finite.
    ///
    /// Costs the entities that are nearer than the last result, some of them twice.
    pub fn nearest(&self, point: Vec2, count: usize, component: Option<&str>) -> Vec<(Entity, f64)> {
        self.nearest_counted(point, count, component).1
    }

    /// Searches like [`nearest`](Self::nearest), and returns the number of examined entities first.
    pub(in crate::world) fn nearest_counted(
        &self,
        point: Vec2,
        count: usize,
        component: Option<&str>,
    ) -> (usize, Vec<(Entity, f64)>) {
        let mut asked = count;
        loop {
            let mut found = self.space.nearest(point, asked);
            let looked_at = found.len();
            if let Some(component) = component {
                found.retain(|(entity, _)| self.entities.find(*entity, component).is_some());
            }
            if found.len() >= count || looked_at < asked {
                found.truncate(count);
                return (looked_at, found);
            }
            asked = asked.saturating_mul(4);
        }
    }

    /// Updates the space with the calls since the last step. Steps do that too.
    pub fn update_space(&mut self) {
        if !self.is_synchronized() {
            self.report(|| WorldCall::Synchronize {});
        }
        let _environment = FloatEnvironment::enter();
        self.sync_from_physics();
        self.track_entities(&tombolo_threads::Inline);
    }

    /// Notes that a call from outside the step's stages changed an entity's pose or extent. Agents search their paths
    /// again if it is or was a wall.
    pub(in crate::world) fn note_moved(&mut self, entity: Entity) {
        self.moved.push(entity);
        if self.is_or_was_wall(entity) {
            self.reroute_agents();
        }
    }

    /// Whether an entity has a static body, or space has it as one.
    pub(in crate::world) fn is_or_was_wall(&self, entity: Entity) -> bool {
        self.is_wall(entity) || self.space.place(entity).is_some_and(|place| place.is_static)
    }

    fn is_wall(&self, entity: Entity) -> bool {
        let body = self.body_of(entity).and_then(|body| self.physics.body(body));
        body.is_some_and(|body| body.kind() == BodyKind::Static)
    }

    /// Updates the trees from the entities that moved, and free space from static bodies.
    pub(in crate::world) fn track_entities(&mut self, executor: &dyn Executor) {
        if !self.moved.is_read && self.moved.tracked < self.moved.list().len() {
            self.track_moved(executor);
        }
        self.follow_walls();
    }

    fn track_moved(&mut self, executor: &dyn Executor) {
        let Self {
            physics,
            entities,
            space,
            moved,
            scratch,
            ..
        } = self;
        let boxes = Boxes::new(physics, entities);
        let mut refused = Vec::new();
        let mut put = |space: &mut Space, entity: Entity, found: Option<EntityBox>| {
            let done = match found {
                Some((bounds, is_static)) => space.put(entity, bounds, is_static),
                None => {
                    space.remove(entity);
                    Ok(())
                }
            };
            refused.extend(done.err().map(|error| (entity, error)));
        };
        let (before, after) = moved.untracked();
        for &entity in before {
            put(space, entity, boxes.of(entity));
        }
        // What the stage `poses` left of the entities that have followed bodies; none in the second call of a step.
        for (entity, bounds) in scratch.followed.iter_mut().flat_map(|block| block.left.drain(..)) {
            let found = bounds.map(|bounds| (bounds, false));
            put(space, entity, found.or_else(|| boxes.of(entity)));
        }
        let left = space.keep(&boxes, &scratch.members, &mut scratch.left, executor);
        for &(entity, found) in left.iter().flat_map(|LeftBlock(left)| left) {
            put(space, entity, found);
        }
        scratch.members.clear();
        for &entity in after {
            put(space, entity, boxes.of(entity));
        }
        moved.tracked = moved.list().len();
        let applied = space.apply_moves(executor);
        for (entity, error) in refused {
            self.note_fault(format!("space, entity {}: {error}", self.show(entity)));
        }
        if let Err(error) = applied {
            self.note_fault(format!("space: {error}"));
        }
    }

    /// Whether space has the entity with this user key as a wall, which by its body it no longer is. (Space may not have an
    /// entity yet that is a wall, so that what is one still says nothing here.)
    pub(in crate::world) fn was_wall(&self, user_key: u64) -> bool {
        let Some(entity) = self.entity_of_key(user_key) else {
            return false;
        };
        let in_space = self.space.place(entity).is_some_and(|place| place.is_static);
        in_space && !self.is_wall(entity)
    }

    /// Builds the space of a restored world. Entities with one of the user keys in `walls` were walls before their
    /// bodies were changed, and stay so until the world takes the changes over.
    pub(in crate::world) fn rebuild_space(&mut self, walls: &[u64]) {
        let _environment = FloatEnvironment::enter();
        self.space = Space::new();
        let walls: BTreeSet<Entity> = walls.iter().filter_map(|key| self.entity_of_key(*key)).collect();
        let entities: Vec<Entity> = self.entities.entities().iter().collect();
        for entity in entities {
            let found = Boxes::new(&self.physics, &self.entities).of(entity);
            if let Some((bounds, is_static)) = found
                && let Err(error) = self
                    .space
                    .put(entity, bounds, is_static || walls.contains(&entity))
            {
                self.note_fault(format!("space, entity {}: {error}", self.show(entity)));
            }
        }
        self.space.walls.clear();
    }
}
