//! The stage `space`: updates the grid and the trees from the entities; and the calls for areas.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{Dense, Entity};
use tombolo_geometry::orthtree::{Bounds, Region};
use tombolo_geometry::{Aabb, Vec2};
use tombolo_physics::{BodyKind, BodyRef};
use tombolo_threads::{Executor, FloatEnvironment};

use super::trees::Space;
use crate::component::{COLLIDER, Collider, SPRITE, Sprite, TRANSFORM, TRIGGER, Transform, Trigger};
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
        if !self.moved.is_read {
            let moved = core::mem::take(&mut self.moved.list);
            for &entity in &moved[self.moved.tracked..] {
                let refused = match self.box_of(entity) {
                    Some((bounds, is_static)) => self.space.put(entity, bounds, is_static),
                    None => {
                        self.space.remove(entity);
                        Ok(())
                    }
                };
                if let Err(error) = refused {
                    self.note_fault(format!("space, entity {}: {error}", self.show(entity)));
                }
            }
            if let Err(error) = self.space.apply_moves(executor) {
                self.note_fault(format!("space: {error}"));
            }
            self.moved.tracked = moved.len();
            self.moved.list = moved;
        }
        self.follow_walls();
    }

    /// An entity's box, and whether it belongs to the static tree.
    fn box_of(&self, entity: Entity) -> Option<(Bounds<2>, bool)> {
        let transforms: &Dense<Transform> = self.entities.manager(TRANSFORM)?;
        let transform = transforms.newest(entity)?;
        let body = self.body_of(entity).and_then(|body| self.physics.body(body));
        if let Some(body) = body
            && let Some(bounds) = self.box_on(entity, body)
        {
            return Some((Bounds::from(bounds), body.kind() == BodyKind::Static));
        }
        let pose = transform.world();
        let sprites: Option<&Dense<Sprite>> = self.entities.manager(SPRITE);
        let Some(sprite) = sprites.and_then(|sprites| sprites.newest(entity)) else {
            return Some((Bounds::point([pose.position.x, pose.position.y]), false));
        };
        let half = 0.5 * (sprite.size * transform.scale).abs();
        let middle = pose.position + pose.rotation.rotate(sprite.offset * transform.scale);
        let (sin, cos) = (pose.rotation.sin.abs(), pose.rotation.cos.abs());
        let reach = Vec2::new(cos * half.x + sin * half.y, sin * half.x + cos * half.y);
        Some((
            Bounds::new(
                [middle.x - reach.x, middle.y - reach.y],
                [middle.x + reach.x, middle.y + reach.y],
            ),
            false,
        ))
    }

    /// The box around an entity's shapes on a body: that of the whole body, unless the entity is one of several that
    /// were welded.
    fn box_on(&self, entity: Entity, body: BodyRef<'_>) -> Option<Aabb> {
        if body.members().nth(1).is_none() {
            return body.aabb();
        }
        let colliders: Option<&Dense<Collider>> = self.entities.manager(COLLIDER);
        let triggers: Option<&Dense<Trigger>> = self.entities.manager(TRIGGER);
        let solid = colliders.into_iter().flat_map(|parts| parts.of(entity));
        let solid = solid.flat_map(|(_, part)| part.shapes.iter().copied());
        let sensors = triggers.into_iter().flat_map(|parts| parts.of(entity));
        let shapes = solid.chain(sensors.flat_map(|(_, part)| part.shapes().iter().copied()));
        let boxes = shapes.filter_map(|id| {
            let shape = self
                .physics
                .shape(id)
                .filter(|shape| shape.body().id() == body.id())?;
            Some(shape.geometry().aabb(body.pose()))
        });
        boxes.reduce(Aabb::union)
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
            if let Some((bounds, is_static)) = self.box_of(entity)
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
