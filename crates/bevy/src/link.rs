//! Link components, which the plugin adds: the handles of an entity's body, shapes, joint or field, and the values last
//! written. A clone of an entity begins without them: Bevy gives it new ones, since they are required, and it gets objects of
//! its own.

use bevy_ecs::prelude::{Component, Entity, ReflectComponent};
use bevy_math::Vec2;
use bevy_reflect::prelude::{Reflect, ReflectDefault};
use bevy_transform::components::Transform;
use tombolo_physics::{BodyId, ConcavePolygonId, FieldId, JointId, Pose, ShapeId};

use crate::planar::{Frame, PlanarTransform, between};

/// The handle of an entity's body in the physics world; added with [`Body`](crate::Body).
#[derive(Component, Reflect, Clone, Copy, Debug, Default)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub struct BodyLink {
    pub(crate) id: Option<BodyId>,
    pub(crate) key: u64,
    /// The last step that moved it.
    pub(crate) moved_at: u64,
    /// The body's pose before that step.
    pub(crate) before: Pose,
    /// The body's present pose.
    pub(crate) now: Pose,
    /// The value last written to the `Transform`: any other value in it was written by the game.
    pub(crate) written: PlanarTransform,
    /// The value of the `Transform` that corresponds to the body's present pose; `written` may be interpolated.
    pub(crate) local: PlanarTransform,
    /// The parent's frame to which that value is relative.
    pub(crate) parent: Frame,
    /// Whether that is another frame than the world's.
    pub(crate) is_within: bool,
    /// The factor of the body's colliders and of their positions when they were last updated, with that of all entities
    /// above.
    pub(crate) scale: Vec2,
    /// The value last written to the velocity.
    pub(crate) written_velocity: (Vec2, f32),
}

impl BodyLink {
    /// The body; `None` before the first step after spawning, and if it was refused.
    pub fn id(&self) -> Option<BodyId> {
        self.id
    }

    /// Its user key in the physics world, which decides its order; 0 before the first step after spawning.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The body's pose in the world after the last step; the drawn pose may be between that and the step before.
    pub fn pose(&self) -> Pose {
        self.now
    }

    /// Sets the pose without interpolation from the old one.
    pub(crate) fn jump(&mut self, pose: Pose) {
        (self.before, self.now) = (pose, pose);
    }

    /// Sets the pose after a step, to be interpolated from the one before.
    pub(crate) fn step_to(&mut self, pose: Pose, step: u64) {
        (self.before, self.now) = (self.now, pose);
        self.moved_at = step;
    }

    /// The pose to draw: a fraction between the poses before and after the last step.
    pub(crate) fn drawn(&self, step: u64, fraction: f32) -> Pose {
        if self.moved_at == step {
            between(self.before, self.now, fraction)
        } else {
            self.now
        }
    }

    /// Writes the body's pose to the `Transform` of an entity without a parent, and keeps a copy.
    pub(crate) fn show_in_world(&mut self, transform: &mut Transform, pose: Pose) {
        let local = PlanarTransform::from_pose(pose);
        (self.written, self.local) = (local, local);
        if self.is_within {
            (self.parent, self.is_within) = (Frame::WORLD, false);
        }
        local.write(transform);
    }

    /// Writes the body's pose in the parent's frame to the entity's `Transform`, and keeps a copy.
    pub(crate) fn show(&mut self, transform: &mut Transform, pose: Pose, parent: Frame) {
        self.keep(PlanarTransform::from_pose(pose), parent);
        self.local.write(transform);
    }

    /// Keeps the value of a `Transform` that corresponds to the body's present pose.
    pub(crate) fn keep(&mut self, local: PlanarTransform, parent: Frame) {
        (self.written, self.local) = (local, local);
        self.parent = parent;
        self.is_within = parent != Frame::WORLD;
    }

    /// Writes an interpolated pose in the parent's frame to the entity's `Transform`, until [`BodyLink::restore`].
    pub(crate) fn draw(&mut self, transform: &mut Transform, pose: Pose) {
        self.written = PlanarTransform::from_pose(pose);
        self.written.write(transform);
    }

    /// Whether the `Transform` has an interpolated pose.
    pub(crate) fn is_drawn(&self) -> bool {
        self.written != self.local
    }

    /// Writes the value that corresponds to the body's present pose again. Of x, y and rotation those stay that the game
    /// wrote: none if the `Transform` is known to have the value last written by the plugin.
    pub(crate) fn restore(&mut self, transform: &mut Transform, is_own: bool) {
        let restored = if is_own {
            self.local
        } else {
            self.without_drawing(transform)
        };
        restored.write(transform);
        self.written = self.local;
    }

    /// The value of the `Transform` without interpolation.
    fn without_drawing(&self, transform: &Transform) -> PlanarTransform {
        PlanarTransform::of(transform).replaced(self.written, self.local)
    }

    /// The entity's frame in its parent's as it is without interpolation.
    pub(crate) fn true_frame(&self, transform: &Transform) -> Frame {
        Frame::from_planar(self.without_drawing(transform), transform.scale.truncate())
    }

    /// Whether the `Transform` still has the value last written by the plugin.
    pub(crate) fn wrote(&self, transform: &Transform) -> bool {
        self.written == PlanarTransform::of(transform)
    }
}

/// The handles of a collider's shapes in the physics world; added with [`Collider`](crate::Collider).
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub struct ColliderLink {
    /// The entity whose body has the shapes.
    pub(crate) owner: Option<Entity>,
    /// That body and its key, once shapes were created on it.
    pub(crate) on: Option<(BodyId, u64)>,
    pub(crate) key: u64,
    pub(crate) shapes: Vec<ShapeId>,
    pub(crate) concave: Option<ConcavePolygonId>,
}

impl ColliderLink {
    /// The entity of the body that the collider belongs to.
    pub fn body(&self) -> Option<Entity> {
        self.owner
    }

    /// The shapes, in the order of the collider's parts; none before the first step after spawning. After a cut those of
    /// the part that remains the body.
    pub fn shapes(&self) -> &[ShapeId] {
        &self.shapes
    }

    /// The concave polygon of which the shapes are the parts.
    pub fn concave_polygon(&self) -> Option<ConcavePolygonId> {
        self.concave
    }
}

/// The handle of an entity's joint in the physics world; added with [`Joint`](crate::Joint).
#[derive(Component, Reflect, Clone, Copy, Debug, Default)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub struct JointLink {
    pub(crate) id: Option<JointId>,
    pub(crate) key: u64,
    /// Whether it broke: it is created again when the component is set again.
    pub(crate) has_broken: bool,
}

impl JointLink {
    /// The joint; `None` while one of its bodies does not exist, and after it broke.
    pub fn id(&self) -> Option<JointId> {
        self.id
    }

    /// Whether it broke.
    pub fn has_broken(&self) -> bool {
        self.has_broken
    }
}

/// The handle of an entity's field in the physics world; added with [`Field`](crate::Field).
#[derive(Component, Reflect, Clone, Copy, Debug, Default)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub struct FieldLink {
    pub(crate) id: Option<FieldId>,
    pub(crate) key: u64,
}

impl FieldLink {
    /// The field, for calls on `world` of [`Physics`](crate::Physics); `None` before the first step after spawning, and if
    /// it was refused.
    pub fn id(&self) -> Option<FieldId> {
        self.id
    }
}
