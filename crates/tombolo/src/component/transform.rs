//! The component Transform: the pose of an entity, written by games, by scenes and, for entities with bodies, by the
//! step.

use core::convert::Infallible;
use core::fmt;

use tombolo_entity::{Component, DataError, Entity, Reader, Schema, Writer};
use tombolo_geometry::{Pose, Rot, Vec2};
use tombolo_physics::constants::POSITION_MAX_M;
use tombolo_threads::FloatEnvironment;

use super::register::{Entries, InScene, Registered, ToPose, Wakes, either_way};

/// The greatest scale for drawing.
const SCALE_MAX: f32 = 1.0e3;

/// The greatest distance of an entity from the origin along either axis, in meters; [`Space`](crate::Space) ends
/// there. Bodies have narrower limits.
const PLACE_MAX_M: f32 = 1.0e9;

/// Whether a pose in the world is within the limits of an entity.
pub(crate) fn is_place(pose: Pose) -> bool {
    pose.is_valid() && pose.position.abs().max_element() <= PLACE_MAX_M
}

/// The pose of an entity, relative to its parent if it has one.
///
/// For an entity with a body the body's pose is the truth: the step writes it here, and setting position or angle
/// teleports the body. Scale is for drawing only: it affects neither physics nor children.
#[derive(Clone, Copy)]
pub struct Transform {
    /// The position in meters.
    pub position: Vec2,
    /// The angle in radians; [`OF_WORLD`] for that of `world`, which is computed when somebody asks.
    angle: f32,
    /// The scale for drawing: from -1,000 to 1,000 along each axis.
    pub scale: Vec2,
    /// The entity in whose frame position and angle are; `None` for the world's frame.
    pub parent: Option<Entity>,
    /// The pose in the world, updated by the world.
    world: Pose,
}

/// The angle of a Transform that has followed a body. An angle that is given is a number; one that is not is another NaN, and is
/// refused.
const OF_WORLD: f32 = f32::from_bits(0x7fc0_5a5a);

impl fmt::Debug for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transform")
            .field("position", &self.position)
            .field("angle", &self.angle())
            .field("scale", &self.scale)
            .field("parent", &self.parent)
            .field("world", &self.world)
            .finish()
    }
}

impl PartialEq for Transform {
    fn eq(&self, other: &Self) -> bool {
        (self.position, self.angle(), self.scale) == (other.position, other.angle(), other.scale)
            && (self.parent, self.world) == (other.parent, other.world)
    }
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
    /// A Transform with this position and angle, and the identity as its pose in the world.
    pub(crate) fn at(position: Vec2, angle: f32) -> Self {
        Self {
            position,
            angle,
            ..Self::default()
        }
    }

    /// The pose in the world.
    pub fn world(&self) -> Pose {
        self.world
    }

    /// The angle in radians. Of an entity that has followed a body it is computed from the pose: that costs as much as a hundred
    /// additions.
    pub fn angle(&self) -> f32 {
        if self.angle.to_bits() == OF_WORLD.to_bits() {
            // Saves and hashes have it, whatever the thread rounds to.
            let _environment = FloatEnvironment::enter_call();
            self.world.rotation.angle()
        } else {
            self.angle
        }
    }

    /// Sets the angle in radians, without effect on the pose in the world; [`World::set`](crate::World::set) turns the entity.
    pub fn set_angle(&mut self, radians: f32) {
        self.angle = radians;
    }

    /// Sets the pose in the world; position and angle stay.
    pub(crate) fn set_world(&mut self, pose: Pose) {
        (self.angle, self.world) = (self.angle(), pose);
    }

    /// Position and angle as a pose.
    pub(crate) fn local(&self) -> Pose {
        Pose::new(self.position, self.angle())
    }

    /// Whether position and angle have the bits of those of another one.
    pub(crate) fn has_place_of(&self, other: &Self) -> bool {
        let bits = |transform: &Self| {
            let Vec2 { x, y } = transform.position;
            [x, y, transform.angle()].map(f32::to_bits)
        };
        bits(self) == bits(other)
    }

    /// Sets the pose of a new entity, if one is given, and its parent, unless it has one.
    pub(crate) fn place(&mut self, pose: Option<Pose>, parent: Option<Entity>) {
        if let Some(pose) = pose {
            (self.position, self.angle) = (pose.position, pose.rotation.angle());
        }
        self.parent = self.parent.or(parent);
        self.set_world(pose.unwrap_or(self.local()));
    }

    /// Takes the pose of the entity's body; a child's pose in its parent's frame follows when the parent's is known.
    #[inline]
    pub(crate) fn follow_body(&mut self, pose: Pose) {
        if self.parent.is_none() {
            (self.position, self.angle, self.world) = (pose.position, OF_WORLD, pose);
        } else {
            self.set_world(pose);
        }
    }
}

impl Registered for Transform {
    type Apply = ToPose;
    type Live = Infallible;

    fn entries() -> Entries<Self> {
        let entries = fields!(Entries::new(), ToPose::Teleport, Wakes::Yes;
            position ["m"] in either_way(POSITION_MAX_M) => "Where it is, in the parent's frame or the world's.",
        );
        let entries = entries
            .property(
                "angle",
                Self::angle,
                Self::set_angle,
                ToPose::Teleport,
                Wakes::Yes,
            )
            .unit("rad")
            .doc("How it is turned, counter-clockwise.");
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
        // The distance between a child and its parent is at most that between two positions of entities.
        let is_near = self.position.abs().max_element() <= 4.0 * PLACE_MAX_M;
        let is_scale = self.scale.is_finite() && self.scale.abs().max_element() <= SCALE_MAX;
        if self.position.is_finite() && is_near && self.angle.is_finite() && is_scale && is_place(self.world)
        {
            return Ok(());
        }
        Err(DataError::broken("a transform is no pose"))
    }
}
