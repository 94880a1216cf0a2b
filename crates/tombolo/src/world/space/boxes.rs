//! The box of an entity in space: that around its body's shapes, or its picture's, or its position. `track.rs` uses it.

use tombolo_entity::{Dense, Entity, EntitySystem};
use tombolo_geometry::orthtree::Bounds;
use tombolo_geometry::{Aabb, Vec2};
use tombolo_physics::{BodyKind, BodyRef, PhysicsWorld};

use crate::component::{
    BODY, Body, COLLIDER, Collider, SPRITE, Sprite, TRANSFORM, TRIGGER, Transform, Trigger,
};

/// The box of an entity, and whether it belongs to the static tree.
pub(super) type EntityBox = (Bounds<2>, bool);

/// What the boxes of entities follow from, looked up once for many of them.
pub(super) struct Boxes<'a> {
    physics: &'a PhysicsWorld,
    /// Whether there are composites.
    has_members: bool,
    transforms: Option<&'a Dense<Transform>>,
    bodies: Option<&'a Dense<Body>>,
    sprites: Option<&'a Dense<Sprite>>,
    colliders: Option<&'a Dense<Collider>>,
    triggers: Option<&'a Dense<Trigger>>,
}

impl<'a> Boxes<'a> {
    pub(super) fn new(physics: &'a PhysicsWorld, entities: &'a EntitySystem) -> Self {
        Self {
            physics,
            has_members: physics.members().len() > 0,
            transforms: entities.manager(TRANSFORM),
            bodies: entities.manager(BODY),
            sprites: entities.manager(SPRITE),
            colliders: entities.manager(COLLIDER),
            triggers: entities.manager(TRIGGER),
        }
    }

    /// An entity's box, and whether it belongs to the static tree. `None` if the entity has no Transform.
    pub(super) fn of(&self, entity: Entity) -> Option<EntityBox> {
        let transform = self.transforms?.newest(entity)?;
        let body = self.bodies.and_then(|bodies| bodies.newest(entity));
        let body = body.and_then(|body| self.physics.body(body.current(self.physics)?));
        if let Some(body) = body
            && let Some(bounds) = self.box_on(entity, body)
        {
            return Some((Bounds::from(bounds), body.kind() == BodyKind::Static));
        }
        let sprite = self.sprites.and_then(|sprites| sprites.newest(entity));
        Some((box_of_picture(transform, sprite), false))
    }

    /// The box around an entity's shapes on a body: that of the whole body, unless the entity is one of several that
    /// were welded.
    fn box_on(&self, entity: Entity, body: BodyRef<'_>) -> Option<Aabb> {
        if !self.has_members || body.members().nth(1).is_none() {
            return body.aabb();
        }
        let solid = self.colliders.into_iter().flat_map(|parts| parts.of(entity));
        let solid = solid.flat_map(|(_, part)| part.shapes.iter().copied());
        let sensors = self.triggers.into_iter().flat_map(|parts| parts.of(entity));
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
}

/// The box of an entity without shapes: that of its picture, or its position.
fn box_of_picture(transform: &Transform, sprite: Option<&Sprite>) -> Bounds<2> {
    let pose = transform.world();
    let Some(sprite) = sprite else {
        return Bounds::point([pose.position.x, pose.position.y]);
    };
    let half = 0.5 * (sprite.size * transform.scale).abs();
    let middle = pose.position + pose.rotation.rotate(sprite.offset * transform.scale);
    let (sin, cos) = (pose.rotation.sin.abs(), pose.rotation.cos.abs());
    let reach = Vec2::new(cos * half.x + sin * half.y, sin * half.x + cos * half.y);
    Bounds::new(
        [middle.x - reach.x, middle.y - reach.y],
        [middle.x + reach.x, middle.y + reach.y],
    )
}
