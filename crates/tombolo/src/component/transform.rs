//! The component Transform: the pose of an entity.

use core::convert::Infallible;

use tombolo_entity::{Component, DataError, Entity, Reader, Schema, Writer};
use tombolo_geometry::{Pose, Rot, Vec2};
use tombolo_physics::constants::POSITION_MAX_M;

use super::register::{Entries, InScene, Registered, ToPose, Wakes, either_way};

/// So many times as large something may be drawn.
const SCALE_MAX: f32 = 1.0e3;

/// No entity is further than this from the origin along either axis, in meters; [`Space`](crate::Space) has no places
/// beyond. Bodies have narrower limits.
const PLACE_MAX_M: f32 = 1.0e9;

/// Whether an entity may be at a pose in the world.
pub(crate) fn is_place(pose: Pose) -> bool {
    pose.is_valid() && pose.position.abs().max_element() <= PLACE_MAX_M
}

/// Where an entity is, seen from its parent if it has one.
///
/// For an entity with a body the body's pose is the truth: the step writes it here, and setting position or angle
/// teleports the body. Scale is for who draws: it reaches neither physics nor children.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Meters.
    pub position: Vec2,
    /// Radians.
    pub angle: f32,
    /// How large it is drawn: from -1,000 to 1,000 times along each axis.
    pub scale: Vec2,
    /// Whose frame position and angle are in; none for the world's.
    pub parent: Option<Entity>,
    /// Where it is in the world. Kept by the world.
    pub(crate) world: Pose,
}

impl Default for Transform {
    fn default() -> Self {
        Self {
            position: Vec2::ZERO,
            angle: 0.0,
            scale: Vec2::ONE,
            parent: None,
            world: Pose::IDENTITY,
        }
    }
}

impl Transform {
    /// Where the entity is in the world.
    pub fn world(&self) -> Pose {
        self.world
    }

    /// Position and angle as a pose.
    pub(crate) fn local(&self) -> Pose {
        Pose::new(self.position, self.angle)
    }

    /// Puts a new entity at a pose, if it is given one, and makes it a child, unless it is one.
    pub(crate) fn place(&mut self, pose: Option<Pose>, parent: Option<Entity>) {
        if let Some(pose) = pose {
            (self.position, self.angle) = (pose.position, pose.rotation.angle());
        }
        self.parent = self.parent.or(parent);
        self.world = pose.unwrap_or(self.local());
    }

    /// Takes the pose of the entity's body; a child's place in its parent's frame follows when the parent's is known.
    pub(crate) fn follow_body(&mut self, pose: Pose) {
        self.world = pose;
        if self.parent.is_none() {
            (self.position, self.angle) = (pose.position, pose.rotation.angle());
        }
    }
}

impl Registered for Transform {
    type Apply = ToPose;
    type Live = Infallible;

    fn entries() -> Entries<Self> {
        let entries = fields!(Entries::new(), ToPose::Teleport, Wakes::Yes;
            position ["m"] in either_way(POSITION_MAX_M) => "Where it is, in the parent's frame or the world's.",
            angle ["rad"] => "How it is turned, counter-clockwise.",
        );
        let entries = fields!(entries, ToPose::Extent, Wakes::No;
            scale in either_way(SCALE_MAX) => "How large it is drawn; physics does not see it.",
        );
        let entries = fields!(entries, ToPose::Parent, Wakes::Yes;
            parent, at InScene::Never => "Whose frame position and angle are in.",
        );
        entries
            .derived("world_position", |t: &Self| t.world.position)
            .unit("m")
            .doc("Where it is in the world.")
            .derived("world_angle", |t: &Self| t.world.rotation.angle())
            .unit("rad")
            .doc("How it is turned in the world.")
    }
}

impl Component for Transform {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
    }

    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
        let Pose { position, rotation } = self.world;
        [position.x, position.y, rotation.sin, rotation.cos]
            .iter()
            .for_each(|part| out.f32(*part));
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore(self, from)?;
        let mut part = || from.f32("a pose");
        let position = Vec2::new(part()?, part()?);
        let (sin, cos) = (part()?, part()?);
        self.world = Pose {
            position,
            rotation: Rot { sin, cos },
        };
        // A child may be as far from its parent as two places are from each other.
        let is_near = self.position.abs().max_element() <= 4.0 * PLACE_MAX_M;
        let is_scale = self.scale.is_finite() && self.scale.abs().max_element() <= SCALE_MAX;
        if self.position.is_finite() && is_near && self.angle.is_finite() && is_scale && is_place(self.world)
        {
            return Ok(());
        }
        Err(DataError::broken("a transform is no pose"))
    }
}
