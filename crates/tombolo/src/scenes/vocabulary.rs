//! Stand-in for the physics crate's definition structs.
#![allow(missing_docs)]
use glam::Vec2;
pub use tombolo_geometry::Position;
pub use tombolo_geometry::shape::{Shape, ShapeError, ShapeKind};
use tombolo_handles::Handle;

#[derive(Clone, Debug, PartialEq)]
pub struct PhysicsError(pub String);
impl std::fmt::Display for PhysicsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for PhysicsError {}
tombolo_geometry::plain_data! { pub struct Body { pub x: u32 } }
/// Names a body of one world; goes stale when the body is destroyed.
pub type BodyId = Handle<Body>;

/// How a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum BodyKind {
    /// Never moves by itself and is not moved by others: ground, walls.
    #[default]
    Static = 0,
    /// Moves with the velocity it is given, whatever it hits: lifts, platforms.
    Kinematic = 1,
    /// Moved by forces, contacts and joints.
    Dynamic = 2,
}

/// What to create a body from.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyDef {
    /// How the body moves; static by default.
    pub kind: BodyKind,
    /// Where the body's own origin is, in metres. Placing a body here is cheaper than moving it afterwards.
    pub position: Position,
    /// How the body is turned, in radians.
    pub angle: f32,
    /// Velocity of the centre of mass in metres per second.
    pub linear_velocity: Vec2,
    /// Radians per second, counter-clockwise positive.
    pub angular_velocity: f32,
    /// How fast linear velocity fades, per second; 0 and up.
    pub linear_damping: f32,
    /// How fast angular velocity fades, per second; 0 and up.
    pub angular_damping: f32,
    /// Multiplies the world's gravity; 1 by default, negative floats up.
    pub gravity_scale: f32,
    /// Metres per second below which the body counts as resting; 0.05 by default.
    pub sleep_threshold: f32,
    /// Whether the body may fall asleep; true by default.
    pub allow_sleep: bool,
    /// Whether the body starts awake; true by default.
    pub awake: bool,
    /// Whether the body never turns.
    pub fixed_rotation: bool,
    /// Whether the body takes part in the simulation; true by default.
    pub enabled: bool,
    /// The user's own number, kept with the body and in saves.
    pub user_key: u64,
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
            enabled: true,
            user_key: 0,
        }
    }
}

impl BodyDef {
    /// A dynamic body at a place in metres; everything else as by default.
    pub fn dynamic(x: f32, y: f32) -> Self {
        Self {
            kind: BodyKind::Dynamic,
            position: Position::new(x, y),
            ..Self::default()
        }
    }

    /// A kinematic body at a place in metres; everything else as by default.
    pub fn kinematic(x: f32, y: f32) -> Self {
        Self {
            kind: BodyKind::Kinematic,
            position: Position::new(x, y),
            ..Self::default()
        }
    }

    /// A static body at a place in metres; everything else as by default.
    pub fn fixed(x: f32, y: f32) -> Self {
        Self {
            position: Position::new(x, y),
            ..Self::default()
        }
    }
}
/// Which shapes may touch which.
///
/// Two shapes of the same group other than 0 always touch if the group is positive, never if it is negative. Otherwise
/// each one's category must be in the other's mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The bits that this shape is; 1 by default.
    pub category: u64,
    /// The bits that this shape touches; all by default.
    pub mask: u64,
    /// 0: none (the default). Equal groups override category and mask.
    pub group: i32,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            category: 1,
            mask: u64::MAX,
            group: 0,
        }
    }
}

impl Filter {
    /// Whether shapes with these two filters may touch.
    #[inline]
    pub fn allows(self, other: Self) -> bool {
        if self.group == other.group && self.group != 0 {
            return self.group > 0;
        }
        (self.mask & other.category) != 0 && (other.mask & self.category) != 0
    }
}

/// What to create a shape from, beside its outline.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeDef {
    /// Kilograms per square metre; 1 by default, 0 and up.
    pub density: f32,
    /// Coulomb friction; 0.6 by default, 0 and up. Two shapes use the square root of the product.
    pub friction: f32,
    /// Bounciness; 0 by default, 0 and up. Two shapes use the larger.
    pub restitution: f32,
    /// Resistance to rolling, as a share of the normal force times the radius; 0 by default.
    pub rolling_resistance: f32,
    /// Metres per second that the surface moves, as a conveyor belt does; 0 by default. Two shapes use the sum.
    pub tangent_speed: f32,
    /// Which shapes this one may touch.
    pub filter: Filter,
    /// Whether beginning and ending touch is reported; true by default. One of two shapes is enough.
    pub contact_events: bool,
    /// The user's own number, kept with the shape and in saves.
    pub user_key: u64,
}

impl Default for ShapeDef {
    fn default() -> Self {
        Self {
            density: 1.0,
            friction: 0.6,
            restitution: 0.0,
            rolling_resistance: 0.0,
            tangent_speed: 0.0,
            filter: Filter::default(),
            contact_events: true,
            user_key: 0,
        }
    }
}

/// What to create a hinge from.
#[derive(Clone, Debug, PartialEq)]
pub struct RevoluteDef {
    /// The first body.
    pub body_a: BodyId,
    /// The second body.
    pub body_b: BodyId,
    /// The shared point in the first body's frame, metres.
    pub local_anchor_a: Vec2,
    /// The shared point in the second body's frame, metres.
    pub local_anchor_b: Vec2,
    /// The angle of the second body in the first one's frame that counts as zero, radians.
    pub reference_angle: f32,
    /// Whether the angle is kept between the two limits.
    pub enable_limit: bool,
    /// Smallest angle in radians, from -0.99 π up.
    pub lower_angle: f32,
    /// Largest angle in radians, up to 0.99 π.
    pub upper_angle: f32,
    /// Whether a spring pulls the angle to `target_angle`.
    pub enable_spring: bool,
    /// Where the spring pulls to, radians.
    pub target_angle: f32,
    /// The spring's stiffness as oscillations per second.
    pub spring_hertz: f32,
    /// The spring's damping; 1 is critical.
    pub spring_damping_ratio: f32,
    /// Whether a motor turns the hinge.
    pub enable_motor: bool,
    /// Radians per second that the motor aims for. With speed 0 the motor acts as friction.
    pub motor_speed: f32,
    /// Newton metres that the motor has at most.
    pub max_motor_torque: f32,
    /// Stiffness of the shared point as oscillations per second; 60 by default, at most a quarter of the substep rate
    /// has an effect.
    pub constraint_hertz: f32,
    /// Damping of the shared point; 2 by default.
    pub constraint_damping_ratio: f32,
    /// Whether the two bodies' shapes touch each other; false by default.
    pub collide_connected: bool,
    /// The user's own number, kept with the joint and in saves.
    pub user_key: u64,
}

impl RevoluteDef {
    /// A free hinge between two bodies at points in their frames.
    pub fn new(body_a: BodyId, local_anchor_a: Vec2, body_b: BodyId, local_anchor_b: Vec2) -> Self {
        Self {
            body_a,
            body_b,
            local_anchor_a,
            local_anchor_b,
            reference_angle: 0.0,
            enable_limit: false,
            lower_angle: 0.0,
            upper_angle: 0.0,
            enable_spring: false,
            target_angle: 0.0,
            spring_hertz: 0.0,
            spring_damping_ratio: 0.0,
            enable_motor: false,
            motor_speed: 0.0,
            max_motor_torque: 0.0,
            constraint_hertz: 60.0,
            constraint_damping_ratio: 2.0,
            collide_connected: false,
            user_key: 0,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointDef {
    Revolute(RevoluteDef),
}
impl From<RevoluteDef> for JointDef {
    fn from(d: RevoluteDef) -> Self {
        Self::Revolute(d)
    }
}
