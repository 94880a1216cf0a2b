//! What the plugin keeps with each entity: which body, shapes or joint are its own, and what it last wrote.

use bevy_ecs::prelude::{Component, Entity};
use bevy_math::Vec2;
use bevy_transform::components::Transform;
use tombolo_physics::{BodyId, ConcavePolygonId, JointId, Pose, ShapeId};

use crate::flat::{Flat, Frame, between};

/// Which body of the world of physics an entity is; comes with [`Body`](crate::Body).
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct BodyLink {
    pub(crate) id: Option<BodyId>,
    pub(crate) key: u64,
    /// The step that moved it last.
    pub(crate) moved_at: u64,
    /// Where the body was before that step.
    pub(crate) before: Pose,
    /// Where it is.
    pub(crate) now: Pose,
    /// What was last written to the Transform: anything else in it was put there by the game.
    pub(crate) written: Flat,
    /// In which frame that was.
    pub(crate) parent: Frame,
    /// By what the places of colliders below were multiplied when they were last looked at.
    pub(crate) scale: Vec2,
    /// What was last written to the velocity, likewise.
    pub(crate) written_velocity: (Vec2, f32),
}

impl BodyLink {
    /// The body; `None` before the first step that knows of it, and if it was refused.
    pub fn id(&self) -> Option<BodyId> {
        self.id
    }

    /// Its user key in the world of physics, which decides its order; 0 before the first step that knows of it.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Where the body is after the last step, in the world: what is drawn may be between that and the step before.
    pub fn pose(&self) -> Pose {
        self.now
    }

    /// From now on the body is here, and was never anywhere else.
    pub(crate) fn jump(&mut self, pose: Pose) {
        (self.before, self.now) = (pose, pose);
    }

    /// A step has moved the body.
    pub(crate) fn step_to(&mut self, pose: Pose, step: u64) {
        (self.before, self.now) = (self.now, pose);
        self.moved_at = step;
    }

    /// Where to draw the body, a fraction of a step after the last but one.
    pub(crate) fn drawn(&self, step: u64, fraction: f32) -> Pose {
        if self.moved_at == step {
            between(self.before, self.now, fraction)
        } else {
            self.now
        }
    }

    /// Writes a pose in the entity's parent to its Transform, and remembers it.
    pub(crate) fn show(&mut self, transform: &mut Transform, pose: Pose, parent: Frame) {
        self.written = Flat::from_pose(pose);
        self.parent = parent;
        self.written.write(transform);
    }

    /// Whether what is in the Transform is what was last written there.
    pub(crate) fn wrote(&self, transform: &Transform) -> bool {
        self.written == Flat::of(transform)
    }
}

/// Which shapes of the world of physics a collider is; comes with [`Collider`](crate::Collider).
#[derive(Component, Clone, Debug, Default)]
pub struct ColliderLink {
    /// The entity whose body has the shapes.
    pub(crate) owner: Option<Entity>,
    pub(crate) key: u64,
    pub(crate) shapes: Vec<ShapeId>,
    pub(crate) concave: Option<ConcavePolygonId>,
}

impl ColliderLink {
    /// The entity of the body that the collider belongs to.
    pub fn body(&self) -> Option<Entity> {
        self.owner
    }

    /// The shapes, in the order of the collider's parts; none before the first step that knows of it.
    pub fn shapes(&self) -> &[ShapeId] {
        &self.shapes
    }

    /// The concave polygon of which the shapes are the parts.
    pub fn concave_polygon(&self) -> Option<ConcavePolygonId> {
        self.concave
    }
}

/// Which joint of the world of physics an entity is; comes with [`Joint`](crate::Joint).
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct JointLink {
    pub(crate) id: Option<JointId>,
    pub(crate) key: u64,
    /// It broke: it is made again when the component is set again.
    pub(crate) broke: bool,
}

impl JointLink {
    /// The joint; `None` while one of its bodies is not there, and after it broke.
    pub fn id(&self) -> Option<JointId> {
        self.id
    }

    /// Whether it broke.
    pub fn has_broken(&self) -> bool {
        self.broke
    }
}
