//! The walls of entities in free space, and the effort of adding them. The calls for paths and the charges of scripts
//! use it.

use alloc::vec::Vec;

use tombolo_entity::Entity;
use tombolo_geometry::Pose;
use tombolo_geometry::orthtree::OrthtreeError;
use tombolo_geometry::shape::Shape;
use tombolo_physics::{BodyKind, PhysicsWorld};

use super::cover::boxes_of;
use super::free::FreeSpace;
#[cfg(feature = "script")]
use super::free::{cell_for, root_of};
use crate::world::World;

impl FreeSpace {
    /// Updates the walls of some entities; returns those that the tree could not store, with the reasons.
    pub(super) fn follow(
        &mut self,
        entities: impl Iterator<Item = Entity>,
        world: &World,
    ) -> Vec<(Entity, OrthtreeError)> {
        let mut refused = Vec::new();
        for entity in entities {
            if let Err(error) = self.follow_one(entity, world) {
                refused.push((entity, error));
            }
        }
        self.rectangles.refresh(self.tree.layout());
        refused
    }

    fn follow_one(&mut self, entity: Entity, world: &World) -> Result<(), OrthtreeError> {
        for id in self.walls.remove(&entity).unwrap_or_default() {
            if let Ok(bounds) = self.tree.bounds(id) {
                self.mark(&bounds);
            }
            let removed = self.tree.remove(id);
            debug_assert!(removed.is_ok(), "walls hold live ids");
        }
        let mut ids = Vec::new();
        let mut boxes = Vec::new();
        let body = world.body_of(entity);
        shapes_of(&world.physics, body, |shape, pose| {
            boxes_of(shape, pose, self.clearance, self.cell, &mut boxes);
        });
        let mut outcome = Ok(());
        for bounds in boxes {
            let Some(inside) = self.covered(&bounds) else {
                continue;
            };
            match self.tree.insert(inside, 0) {
                Ok(id) => {
                    self.mark(&inside);
                    ids.push(id);
                }
                Err(error) => outcome = Err(error),
            }
        }
        if !ids.is_empty() {
            self.walls.insert(entity, ids);
        }
        outcome
    }
}

/// The effort of adding the walls of some entities to the free space of a clearance, in tenths of microseconds: a
/// quadtree divides along the borders of boxes. Counting ends beyond `most`.
#[cfg(feature = "script")]
pub(super) fn effort(
    world: &World,
    entities: impl Iterator<Item = Entity>,
    clearance: f32,
    most: usize,
) -> usize {
    /// The effort for a box, and for each finest cell along its border.
    const BOX: usize = 20;
    const CELL: f32 = 13.0;
    let cell = cell_for(clearance);
    let (root, mut sum) = (root_of(cell), 0);
    let mut boxes = Vec::new();
    for entity in entities {
        shapes_of(&world.physics, world.body_of(entity), |shape, pose| {
            if sum > most {
                return;
            }
            boxes_of(shape, pose, clearance, cell, &mut boxes);
            for bounds in boxes.drain(..) {
                let sides = [0, 1].map(|axis| {
                    let inside = bounds.max[axis].min(root.max[axis]) - bounds.min[axis].max(root.min[axis]);
                    inside.max(0.0) / cell
                });
                sum += BOX + (2.0 * CELL * (sides[0] + sides[1])) as usize;
            }
        });
        if sum > most {
            break;
        }
    }
    sum
}

/// The solid shapes of a static body.
fn shapes_of(
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
