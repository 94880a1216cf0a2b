//! The component [`Joint`].

use bevy_ecs::prelude::{Component, Entity};
use bevy_math::Vec2;
use tombolo_physics::{
    BodyId, DistanceDef, FilterDef, JointDef, MotorDef, PrismaticDef, RevoluteDef, WeldDef, WheelDef,
};

use crate::link::JointLink;
use crate::pending::{joint_came, joint_went};

/// Ties the bodies of two entities together. An entity of its own, so that a body may have any number of them.
///
/// It waits until both entities have bodies, and again when one loses its body. All kinds and options of the engine's joints can
/// be had: [`Joint::new`] takes any definition, in which the two bodies may be anything ([`anchored`] gives one), since the entities
/// stand in their place.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_math::Vec2;
/// use bevy_tombolo::{Joint, anchored};
/// use bevy_tombolo::physics::RevoluteDef;
///
/// fn hang(mut commands: Commands, frame: Entity, door: Entity) {
///     // The short form, with every option as it is by default.
///     commands.spawn(Joint::revolute(frame, Vec2::ZERO, door, Vec2::new(-0.5, 0.0)));
///     // The long one.
///     let driven = RevoluteDef {
///         enable_motor: true,
///         motor_speed: 2.0,
///         max_motor_torque: 50.0,
///         ..anchored(RevoluteDef::new, Vec2::ZERO, Vec2::new(-0.5, 0.0))
///     };
///     commands.spawn(Joint::new(frame, door, driven));
/// }
/// ```
#[derive(Component, Clone, Debug, PartialEq)]
#[require(JointLink)]
#[component(on_add = joint_came, on_remove = joint_went)]
pub struct Joint {
    /// The entities whose bodies it ties.
    pub bodies: [Entity; 2],
    /// Everything else about it; its bodies and its user key have no meaning.
    pub def: JointDef,
}

/// A body that is none: in definitions of joints, where entities stand in its place.
fn nobody() -> BodyId {
    BodyId::from_bits(1 << 32).expect("the first life of slot 0 is a handle")
}

/// The definition of a joint between anchors in the frames of two bodies, with every option as it is by default; `new` is the
/// constructor of the kind's definition.
pub fn anchored<D>(
    new: fn(BodyId, Vec2, BodyId, Vec2) -> D,
    local_anchor_a: Vec2,
    local_anchor_b: Vec2,
) -> D {
    new(nobody(), local_anchor_a, nobody(), local_anchor_b)
}

/// Puts two bodies and a key into a definition of any kind.
macro_rules! fill {
    ($joint:expr, $bodies:expr, $key:expr; $($kind:ident)*) => {
        match $joint {
            $(
                JointDef::$kind(def) => {
                    [def.body_a, def.body_b] = $bodies;
                    def.user_key = $key;
                }
            )*
            // A kind that the engine has since and this list has not.
            _ => return None,
        }
    };
}

impl Joint {
    /// A joint of any kind.
    pub fn new(a: Entity, b: Entity, def: impl Into<JointDef>) -> Self {
        Self {
            bodies: [a, b],
            def: def.into(),
        }
    }

    /// The two share a point and turn about it.
    pub fn revolute(a: Entity, anchor_a: Vec2, b: Entity, anchor_b: Vec2) -> Self {
        Self::new(a, b, anchored(RevoluteDef::new, anchor_a, anchor_b))
    }

    /// Two points are kept a length apart, rigidly.
    pub fn distance(a: Entity, anchor_a: Vec2, b: Entity, anchor_b: Vec2, length: f32) -> Self {
        let def = DistanceDef {
            length,
            ..anchored(DistanceDef::new, anchor_a, anchor_b)
        };
        Self::new(a, b, def)
    }

    /// Two points are at most a length apart.
    pub fn rope(a: Entity, anchor_a: Vec2, b: Entity, anchor_b: Vec2, length: f32) -> Self {
        let def = DistanceDef {
            enable_limit: true,
            max_length: length,
            ..anchored(DistanceDef::new, anchor_a, anchor_b)
        };
        Self::new(a, b, def)
    }

    /// The second slides along an axis of the first, which is at `angle` in its frame.
    pub fn prismatic(a: Entity, anchor_a: Vec2, b: Entity, anchor_b: Vec2, angle: f32) -> Self {
        let def = PrismaticDef {
            local_angle_a: angle,
            local_angle_b: angle,
            ..anchored(PrismaticDef::new, anchor_a, anchor_b)
        };
        Self::new(a, b, def)
    }

    /// The second stays where it is in the first.
    pub fn weld(a: Entity, anchor_a: Vec2, b: Entity, anchor_b: Vec2) -> Self {
        Self::new(a, b, anchored(WeldDef::new, anchor_a, anchor_b))
    }

    /// The second turns, and is sprung along an axis of the first, which is at `angle` in its frame.
    pub fn wheel(a: Entity, anchor_a: Vec2, b: Entity, anchor_b: Vec2, angle: f32) -> Self {
        let def = WheelDef {
            local_angle_a: angle,
            ..anchored(WheelDef::new, anchor_a, anchor_b)
        };
        Self::new(a, b, def)
    }

    /// Bounded forces drive the second at a velocity, or pull it to a pose, seen from the first.
    pub fn motor(a: Entity, anchor_a: Vec2, b: Entity, anchor_b: Vec2) -> Self {
        Self::new(a, b, anchored(MotorDef::new, anchor_a, anchor_b))
    }

    /// The colliders of the two do not touch each other.
    pub fn filter(a: Entity, b: Entity) -> Self {
        Self::new(a, b, FilterDef::new(nobody(), nobody()))
    }

    /// What the world of physics makes it from; `None` for a kind that is not known here.
    pub(crate) fn filled(&self, bodies: [BodyId; 2], key: u64) -> Option<JointDef> {
        let mut filled = self.def.clone();
        fill!(&mut filled, bodies, key;
            Revolute Distance Prismatic Weld Wheel Motor Filter Generic Gear Rack Pulley Mover Pogo);
        Some(filled)
    }
}
