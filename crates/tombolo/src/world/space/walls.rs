//! The walls of entities in free space, and the effort of adding them. The calls for paths and the charges of scripts
//! use it.

use alloc::vec::Vec;

use tombolo_entity::Entity;
use tombolo_geometry::Pose;
use tombolo_geometry::shape::Shape;
use tombolo_physics::{BodyKind, PhysicsWorld};

use super::cover::boxes_of;
use super::free::FreeSpace;
use crate::world::World;

impl FreeSpace {
    /// Updates the walls of some entities.
    pub(super) fn follow(&mut self, entities: impl Iterator<Item = Entity>, world: &World) {
        for entity in entities {
            for wall in self.walls.remove(&entity).unwrap_or_default() {
                self.rectangles.remove(&wall);
            }
            let mut boxes = Vec::new();
            shapes_of(&world.physics, world.body_of(entity), |shape, pose| {
                boxes_of(shape, pose, self.clearance, self.cell, &mut boxes);
            });
            boxes.iter().for_each(|wall| self.rectangles.add(wall));
            if !boxes.is_empty() {
                self.walls.insert(entity, boxes);
            }
        }
        self.rectangles.refresh();
    }
}

/// The solid shapes of a static body.
pub(super) fn shapes_of(
    physics: &PhysicsWorld,
    body: Option<tombolo_physics::BodyId>,
    mut visit: impl FnMut(&Shape, Pose),
) {
    let Some(body) = body.and_then(|body| physics.body(body)) else {
        return;
    };
    if body.kind() != BodyKind::Static || !body.is_enabled() {
        return;
    }
    for shape in body.shapes().filter(|shape| !shape.is_sensor()) {
        visit(shape.geometry(), body.pose());
    }
}
