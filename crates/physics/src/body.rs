//! Bodies: their definition ([`BodyDef`]), and the records in which a world stores them.
//!
//! Cold and hot data are separate. Calls from outside touch [`Body`]; a step reads [`BodySim`] once or twice;
//! [`BodyState`] is the only part that the solver's inner loops read. The last two are arrays by body index (the slot
//! of the body's handle), which never changes while the body exists, so contacts and joints hold plain indices.
//!
//! The reasons are in `docs/decisions.md#bodies-stay-where-they-are`.

use crate::PhysicsError;
use crate::constants::{SPIN_MAX_RAD_S, VELOCITY_MAX_M_S};
use crate::control::{BodyControl, check_extra_substeps};
use crate::error::{Range, finite, non_negative};
use crate::name::BodyName;
use glam::Vec2;
use tombolo_geometry::math::cross_scalar;
use tombolo_geometry::shape::MassProperties;
use tombolo_geometry::{Pose, Position, plain_data};
use tombolo_handles::Handle;

/// A handle of a body of one world; goes stale when the body is destroyed.
pub type BodyId = Handle<Body>;

/// The kind of a body: static, kinematic or dynamic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
pub enum BodyKind {
    /// Never moves by itself and is not moved by others: ground, walls.
    #[default]
    Static = 0,
    /// Moves with its set velocity, whatever it hits: lifts, platforms.
    Kinematic = 1,
    /// Moved by forces, contacts and joints.
    Dynamic = 2,
}

/// The definition of a body.
///
/// ```
/// use tombolo_physics::{BodyDef, BodyKind, Position};
/// let crate_at_start = BodyDef { kind: BodyKind::Dynamic, position: Position::new(0.0, 4.0), ..Default::default() };
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default)
)]
pub struct BodyDef {
    /// The kind of the body; static by default.
    pub kind: BodyKind,
    /// The position of the body's origin, in meters. Setting it here is cheaper than moving the body afterwards.
    pub position: Position,
    /// The rotation of the body, in radians.
    pub angle: f32,
    /// Velocity of the center of mass in meters per second, up to
    /// [`VELOCITY_MAX_M_S`](crate::constants::VELOCITY_MAX_M_S) in each direction.
    pub linear_velocity: Vec2,
    /// Angular velocity in radians per second, counter-clockwise positive, up to
    /// [`SPIN_MAX_RAD_S`](crate::constants::SPIN_MAX_RAD_S). A substep of `h` seconds turns by the arc tangent of `h`
    /// times it: with four substeps and 60 steps a second by 0.06 % less at 10 rad/s, by 1.3 % at 47.
    /// [`BodyDef::fast_rotation`] makes that exact, up to 135° a substep.
    pub angular_velocity: f32,
    /// Linear damping: the rate at which linear velocity decays, per second; 0 and up.
    pub linear_damping: f32,
    /// Angular damping: the rate at which angular velocity decays, per second; 0 and up.
    pub angular_damping: f32,
    /// The factor of the world's gravity; 1 by default, negative values push the body up; a magnitude of up to a
    /// million.
    pub gravity_scale: f32,
    /// The speed in meters per second below which the body counts as resting; 0.05 by default. A body falls asleep when it
    /// has rested for half a second, with its island, unless a call pushed it meanwhile, a motor or a running surface
    /// moves it at a tenth of its speed or more, or it touches and hangs on nothing and forces and gravity change its
    /// speed by more than a tenth of the threshold per second.
    pub sleep_threshold: f32,
    /// Whether the body may fall asleep; true by default.
    pub allow_sleep: bool,
    /// Whether the body starts awake; true by default. One that may not sleep, or in a world that keeps everything awake
    /// ([`WorldDef::sleeping`](crate::WorldDef::sleeping)), always does.
    pub awake: bool,
    /// Whether the body never turns, whatever torque acts on it and whatever angular velocity it is given. False by
    /// default; dynamic bodies only: a kinematic one turns as its angular velocity says.
    pub fixed_rotation: bool,
    /// Whether the center of mass never moves along the world's x axis, whatever force acts on it. Contacts and joints
    /// do not take this into account beforehand: motion along a single fixed axis is stopped within some substeps and
    /// not at once, and what bounces off the body along that axis loses what a free body of its mass would have taken.
    /// A body with both axes fixed counts as infinitely heavy. False by default; dynamic bodies only.
    pub fixed_x: bool,
    /// Whether the center of mass never moves along the world's y axis, likewise.
    pub fixed_y: bool,
    /// Replaces mass, inertia and center of mass of the body's shapes, if its mass is not 0; 0 by default. Mass and
    /// inertia are 0 or from a millionth to 1e24; a body of inertia 0 does not turn. Dynamic bodies only.
    pub own_mass: MassProperties,
    /// Additional mass in kilograms, distributed like the other mass: the inertia grows in proportion, and the center
    /// of mass stays. On shapes of no density, without [`BodyDef::own_mass`], it is the whole mass and distributed evenly
    /// over them. 0 by default, or from a millionth to 1e24. A dynamic body without any mass counts as one kilogram at its
    /// origin that does not turn: so do weightless shapes whose added mass a cut or a rigid weld has dropped.
    pub added_mass: f32,
    /// The dominance: in a contact with a body of less dominance, this body is not moved, as if it were infinitely
    /// heavy; joints ignore it. 0 by default, -127 to 127; static and kinematic bodies dominate all dynamic ones.
    pub dominance: i8,
    /// Substeps on top of the world's ([`WorldDef::substeps`](crate::WorldDef::substeps)) for the body and those
    /// connected to it: the awake dynamic bodies that it touches or is joined to, directly or through others. All of
    /// these are solved in that many more, shorter substeps; if several of them have extra substeps, the greatest
    /// number counts. Static and kinematic bodies connect no others. For light bodies that bear heavy ones: stacks,
    /// chains and bridges sag less. 0 by default, up to 64; dynamic bodies only. A world in which no body has any pays
    /// nothing.
    pub extra_substeps: u32,
    /// The body's speed limit in meters per second, if it is less than the world's
    /// ([`WorldDef::speed_max`](crate::WorldDef::speed_max)); a million by default, 0 and up. Dynamic bodies only.
    pub speed_max: f32,
    /// The body's limit of angular speed in radians per second, if it is less than 45° in a step, or 90° in a substep
    /// with [`BodyDef::fast_rotation`]; a million by default, 0 and up. Dynamic bodies only.
    pub spin_max: f32,
    /// A force in newtons on the center of mass in every step, in world axes, in addition to the forces of calls for
    /// one step; 0 by default, up to 1e30. Dynamic bodies only.
    pub lasting_force: Vec2,
    /// A torque in newton meters in every step; 0 by default, up to 1e30. Dynamic bodies only.
    pub lasting_torque: f32,
    /// Whether the body's contacts may keep their manifolds while it hardly moves, which is the main reason why resting
    /// bodies are cheap; true by default. Without it normals and points are computed anew in each step, as is better
    /// for a character that slides slowly over corners.
    pub contact_recycling: bool,
    /// Whether a dynamic body may turn by more than 45° in a step: by a quarter of a turn in each substep. A kinematic one
    /// may in any case. For wheels: one of
    /// 0.3 m that drives a car at 60 m/s turns by 191° in a step of a sixtieth of a second. A body of one disc about
    /// its center of mass costs continuous collision nothing by turning; another shape that turns so far is swept in
    /// pieces of at most 45°, each as expensive as the motion of a body that turns less. False by default.
    pub fast_rotation: bool,
    /// Whether the body, while it moves fast, is also stopped by kinematic and dynamic bodies, among them other bullets
    /// in motion. Without it static bodies stop every fast body, and kinematic ones that move so far in a step that
    /// contacts would miss it push every body in their path. False by default: a bullet costs a search among all moving
    /// bodies, and one test with each shape of a fast kinematic body. The motion of the other bodies is followed too: a
    /// bullet is not stopped by a body that flies beside it.
    pub bullet: bool,
    /// Whether the body takes part in the simulation; true by default.
    pub enabled: bool,
    /// A number for the user, saved with the body.
    pub user_key: u64,
    /// A name for people, in pictures and error messages; it does not enter the state's hash. Empty by default, and
    /// then it takes no memory.
    pub name: BodyName,
}

impl Default for BodyDef {
    fn default() -> Self {
        Self {
            kind: BodyKind::Static,
            position: Position::ORIGIN,
            angle: 0.0,
            linear_velocity: Vec2::ZERO,
            angular_velocity: 0.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity_scale: 1.0,
            sleep_threshold: 0.05,
            allow_sleep: true,
            awake: true,
            fixed_rotation: false,
            fixed_x: false,
            fixed_y: false,
            own_mass: MassProperties::default(),
            added_mass: 0.0,
            dominance: 0,
            extra_substeps: 0,
            speed_max: VELOCITY_MAX_M_S,
            spin_max: SPIN_MAX_RAD_S,
            lasting_force: Vec2::ZERO,
            lasting_torque: 0.0,
            contact_recycling: true,
            fast_rotation: false,
            bullet: false,
            enabled: true,
            user_key: 0,
            name: BodyName::default(),
        }
    }
}

impl BodyDef {
    /// A dynamic body at a position in meters; all other values are the defaults.
    pub fn dynamic(x: f32, y: f32) -> Self {
        Self {
            kind: BodyKind::Dynamic,
            position: Position::new(x, y),
            ..Self::default()
        }
    }

    /// A kinematic body at a position in meters; all other values are the defaults.
    pub fn kinematic(x: f32, y: f32) -> Self {
        Self {
            kind: BodyKind::Kinematic,
            position: Position::new(x, y),
            ..Self::default()
        }
    }

    /// A static body at a position in meters; all other values are the defaults.
    pub fn fixed(x: f32, y: f32) -> Self {
        Self {
            position: Position::new(x, y),
            ..Self::default()
        }
    }

    /// Checks the numbers, as every call that takes a definition does.
    ///
    /// # Errors
    ///
    /// Names the first number that is out of range, and the expected range.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        position_in_range(self.position)?;
        finite("angle", self.angle)?;
        Range::VELOCITY.check_vector("linear_velocity", self.linear_velocity)?;
        Range::SPIN.check("angular_velocity", self.angular_velocity)?;
        non_negative("linear_damping", self.linear_damping)?;
        non_negative("angular_damping", self.angular_damping)?;
        Range::GRAVITY.check("gravity_scale", self.gravity_scale)?;
        non_negative("sleep_threshold", self.sleep_threshold)?;
        check_extra_substeps(self.extra_substeps)?;
        self.control().check()
    }

    /// The values that only some bodies have.
    pub(crate) fn control(&self) -> BodyControl {
        BodyControl {
            speed_max: self.speed_max,
            spin_max: self.spin_max,
            added_mass: self.added_mass,
            own_mass: self.own_mass,
            dominance: i32::from(self.dominance),
            fixed_axes: [self.fixed_x, self.fixed_y].map(u32::from),
            lasting_force: self.lasting_force,
            lasting_torque: self.lasting_torque,
        }
    }
}

/// Returns an error if a position is not finite or out of the world's range.
pub(crate) fn position_in_range(position: Position) -> Result<(), PhysicsError> {
    Range::POSITION.check_vector("position", position.to_vec2())
}

/// The index that stands for none: the end of a list, or no link.
pub(crate) const NONE: u32 = u32::MAX;

/// Set in an index whose body is static or kinematic, or whose lane is unused: read, never written.
pub(crate) const READ_ONLY: u32 = 1 << 31;

/// Sets a bit of a word of flags, or clears it.
pub(crate) fn set_flag(flags: &mut u32, flag: u32, on: bool) {
    if on {
        *flags |= flag;
    } else {
        *flags &= !flag;
    }
}

/// Bits of [`BodySim::flags`].
pub(crate) mod flag {
    /// The body takes part in the simulation.
    pub(crate) const ENABLED: u32 = 1 << 0;
    /// The body may fall asleep.
    pub(crate) const ALLOW_SLEEP: u32 = 1 << 1;
    /// The body never turns.
    pub(crate) const FIXED_ROTATION: u32 = 1 << 2;
    /// The body was removed from the simulation because its state was no longer a number.
    pub(crate) const FROZEN: u32 = 1 << 3;
    /// The body is also stopped by kinematic and dynamic bodies, while it is fast.
    pub(crate) const BULLET: u32 = 1 << 4;
    /// The body is a piece of a cut that was too small for an ordinary body.
    pub(crate) const DEBRIS: u32 = 1 << 5;
    /// The body was fast in the last step and held at its start by continuous collision.
    pub(crate) const HELD: u32 = 1 << 6;
    /// Shapes were added or removed since mass, center of mass and extents were computed.
    pub(crate) const MASS_STALE: u32 = 1 << 7;
    /// The body, or an earlier one with its index, is listed in [`State::stale_masses`](crate::state::State).
    pub(crate) const MASS_LISTED: u32 = 1 << 8;
    /// The body may turn by more than 45° in a step.
    pub(crate) const FAST_ROTATION: u32 = 1 << 9;
    /// The body has values that only some bodies have; see [`BodyControl`](crate::control::BodyControl).
    pub(crate) const CONTROLLED: u32 = 1 << 10;
    /// The body's contacts are computed anew in each step.
    pub(crate) const NO_RECYCLING: u32 = 1 << 11;
    /// The body passes through the one-way platforms that it overlaps, until it overlaps none.
    pub(crate) const DROPPING: u32 = 1 << 12;
    /// The body has members, which rigid welds hold together.
    pub(crate) const COMPOSITE: u32 = 1 << 13;
    /// One of the body's shapes has a contact skin, or had one when masses were last summed up.
    pub(crate) const SKINS: u32 = 1 << 14;
    /// All flags up to the last: those that a saved body may have.
    pub(crate) const ALL: u32 = (SKINS << 1) - 1;
}

plain_data! {
    /// The cold part of a body: the data that calls from outside touch. Opaque to users.
    #[derive(Debug)]
    pub struct Body {
        /// The user's number.
        pub(crate) user_key: u64,
        /// First contact of the body's list, a key (index × 2 + end), or [`NONE`].
        pub(crate) first_contact: u32,
        /// First joint of the body's list, a key (index × 2 + end), or [`NONE`].
        pub(crate) first_joint: u32,
        /// The number of contacts in the list.
        pub(crate) contact_count: u32,
        /// The number of joints in the list.
        pub(crate) joint_count: u32,
        /// Place in the list of awake bodies, or [`NONE`] for one that sleeps, is static or is disabled.
        pub(crate) awake_index: u32,
        /// The number of shapes in the body's list.
        pub(crate) shape_count: u32,
        /// Mass in kilograms; 0 unless dynamic.
        pub(crate) mass: f32,
        /// Moment of inertia about the center of mass in kilogram square meters; 0 unless dynamic.
        pub(crate) inertia: f32,
    }

    /// The pose of a body: the data that the narrow phase and the preparation of constraints gather, half a cache line.
    #[derive(Debug, Default, PartialEq)]
    pub(crate) struct BodyPose {
        /// The body's origin and rotation at the end of the last step.
        pub(crate) pose: Pose,
        /// Center of mass in the world, in meters.
        pub(crate) center: Vec2,
        /// Center of mass in the body's frame, in meters.
        pub(crate) local_center: Vec2,
    }

    /// The data that a step reads and writes once per body, outside the solver's loops.
    #[derive(Debug, Default)]
    pub(crate) struct BodySim {
        /// Inverse mass, per kilogram; 0 if not dynamic.
        pub(crate) inverse_mass: f32,
        /// Inverse moment of inertia, per kilogram square meter; 0 if not dynamic or of fixed rotation.
        pub(crate) inverse_inertia: f32,
        /// Force in newtons, accumulated until the next step.
        pub(crate) force: Vec2,
        /// Torque in newton meters, accumulated until the next step.
        pub(crate) torque: f32,
        /// Linear damping, per second.
        pub(crate) linear_damping: f32,
        /// Angular damping, per second.
        pub(crate) angular_damping: f32,
        /// The factor of the world's gravity.
        pub(crate) gravity_scale: f32,
        /// The distance in meters from the center of mass to the farthest point of any solid shape with its contact skin;
        /// of any sensor if there are only sensors.
        pub(crate) extent_max: f32,
        /// The distance in meters from a shape's middle to its nearest edge, plus its contact skin, the smallest of all
        /// solid shapes; 0 with sensors only, [`f32::MAX`] without shapes.
        pub(crate) extent_min: f32,
        /// The speed in meters per second below which the body counts as resting.
        pub(crate) sleep_threshold: f32,
        /// The time in seconds for which the body has been slow.
        pub(crate) sleep_time_s: f32,
        /// First shape of the body's list, or [`NONE`].
        pub(crate) first_shape: u32,
        /// Bits of [`flag`].
        pub(crate) flags: u32,
        /// [`BodyKind`] as a number.
        pub(crate) kind: u32,
    }

    /// The part of a body that the solver's inner loops read: eight words, half a cache line.
    ///
    /// The first four words are those that contacts change; they are written back in one store.
    #[derive(Debug)]
    pub(crate) struct BodyState {
        /// Velocity of the center of mass, in meters per second.
        pub(crate) linear_velocity: Vec2,
        /// Angular velocity, in radians per second.
        pub(crate) angular_velocity: f32,
        /// Sine of the rotation since the step began.
        pub(crate) delta_sin: f32,
        /// Displacement of the center of mass since the step began, in meters.
        pub(crate) delta_position: Vec2,
        /// Cosine of the rotation since the step began.
        pub(crate) delta_cos: f32,
        /// Colors of the constraint graph in use by the body's constraints, one bit each.
        pub(crate) colors: u32,
    }
}

const _: () = {
    assert!(size_of::<Body>() == 40);
    assert!(size_of::<BodyPose>() == 32);
    assert!(size_of::<BodySim>() == 60);
    assert!(size_of::<BodyState>() == 32);
};

impl Default for BodyState {
    fn default() -> Self {
        Self {
            linear_velocity: Vec2::ZERO,
            angular_velocity: 0.0,
            delta_sin: 0.0,
            delta_position: Vec2::ZERO,
            delta_cos: 1.0,
            colors: 0,
        }
    }
}

impl Body {
    pub(crate) fn is_awake(&self) -> bool {
        self.awake_index != NONE
    }
}

impl BodySim {
    pub(crate) fn kind(&self) -> BodyKind {
        match self.kind {
            0 => BodyKind::Static,
            1 => BodyKind::Kinematic,
            _ => BodyKind::Dynamic,
        }
    }

    pub(crate) fn is_dynamic(&self) -> bool {
        self.kind == BodyKind::Dynamic as u32
    }

    pub(crate) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    pub(crate) fn set(&mut self, flag: u32, on: bool) {
        set_flag(&mut self.flags, flag, on);
    }
}

impl BodyPose {
    /// A body at `pose` whose center of mass is at `local_center` in its frame.
    pub(crate) fn new(pose: Pose, local_center: Vec2) -> Self {
        Self {
            pose,
            center: pose.transform_point(local_center),
            local_center,
        }
    }

    /// The body with another center of mass, and the velocity of the new center: the velocity of the origin stays.
    pub(crate) fn with_center(&self, motion: &BodyState, local_center: Vec2) -> (Self, Vec2) {
        let new = Self::new(self.pose, local_center);
        let change = cross_scalar(motion.angular_velocity, new.center - self.center);
        (new, motion.linear_velocity + change)
    }
}
