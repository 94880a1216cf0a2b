//! The component [`Joint`], which games spawn to connect two bodies.

use bevy_ecs::prelude::{Component, Entity, ReflectComponent};
use bevy_math::Vec2;
use bevy_reflect::Reflect;
use tombolo_physics::{
    BodyId, DistanceDef, FilterDef, JointDef, JointKind, MotorDef, PrismaticDef, RevoluteDef, WeldDef,
    WheelDef,
};

use crate::link::JointLink;
use crate::pending::{joint_added, joint_removed};
use crate::reflected::ReflectedJoint;

// A new kind: give it its word in `Joint::filled`, and count it here.
const _: () = assert!(JointKind::ALL.len() == 13, "a kind is missing in `Joint::filled`");

/// Connects the bodies of two entities. An entity of its own, so that a body may have any number of joints.
///
/// The joint is created once both entities have bodies, and again after one loses its body and gets another. All kinds
/// and options of the engine's joints are available: [`Joint::new`] takes any definition, in which the two bodies may
/// be anything ([`anchored`] gives one), since the entities replace them. A value that is refused leaves the joint as it was.
/// Bevy's `Disabled` on the joint's entity has no effect.
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
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(JointLink)]
#[component(on_add = joint_added, on_remove = joint_removed)]
pub struct Joint {
    /// The entities whose bodies it connects.
    #[entities]
    pub bodies: [Entity; 2],
    /// The definition; its bodies and its user key are ignored.
    #[reflect(remote = ReflectedJoint)]
    pub def: JointDef,
}

/// A null handle for definitions of joints, in which entities replace the bodies.
fn null_body() -> BodyId {
    BodyId::from_bits(1 << 32).expect("the first life of slot 0 is a handle")
}

/// The definition of a joint between anchors in the frames of two bodies, with every option at its default; `new` is
/// the constructor of the kind's definition.
pub fn anchored<D>(
    new: fn(BodyId, Vec2, BodyId, Vec2) -> D,
    local_anchor_a: Vec2,
    local_anchor_b: Vec2,
) -> D {
    new(null_body(), local_anchor_a, null_body(), local_anchor_b)
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
            // A kind that was added to the engine and not to this list.
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

    /// The two bodies share a point and turn about it.
    pub fn revolute(a: Entity, anchor_a: Vec2, b: Entity, anchor_b: Vec2) -> Self {
        Self::new(a, b, anchored(RevoluteDef::new, anchor_a, anchor_b))
    }

    /// Two anchors are kept at a distance in meters, rigidly.
    pub fn distance(a: Entity, anchor_a: Vec2, b: Entity, anchor_b: Vec2, length: f32) -> Self {
        let def = DistanceDef {
            length,
            ..anchored(DistanceDef::new, anchor_a, anchor_b)
        };
        Self::new(a, b, def)
    }

    /// Two anchors are at most a length in meters apart.
    pub fn rope(a: Entity, anchor_a: Vec2, b: Entity, anchor_b: Vec2, length: f32) -> Self {
        let def = DistanceDef {
            enable_limit: true,
            max_length: length,
            ..anchored(DistanceDef::new, anchor_a, anchor_b)
        };
        Self::new(a, b, def)
    }

    /// The second body slides along an axis of the first, at `angle` radians in its frame.
    pub fn prismatic(a: Entity, anchor_a: Vec2, b: Entity, anchor_b: Vec2, angle: f32) -> Self {
        let def = PrismaticDef {
            local_angle_a: angle,
            local_angle_b: angle,
            ..anchored(PrismaticDef::new, anchor_a, anchor_b)
        };
        Self::new(a, b, def)
    }

    /// The second body keeps its pose in the first.
    pub fn weld(a: Entity, anchor_a: Vec2, b: Entity, anchor_b: Vec2) -> Self {
        Self::new(a, b, anchored(WeldDef::new, anchor_a, anchor_b))
    }

    /// The second body turns freely, and has a spring along an axis of the first, at `angle` radians in its frame.
    pub fn wheel(a: Entity, anchor_a: Vec2, b: Entity, anchor_b: Vec2, angle: f32) -> Self {
        let def = WheelDef {
            local_angle_a: angle,
            ..anchored(WheelDef::new, anchor_a, anchor_b)
        };
        Self::new(a, b, def)
    }

    /// Bounded forces drive the second body at a velocity, or pull it to a pose, relative to the first.
    pub fn motor(a: Entity, anchor_a: Vec2, b: Entity, anchor_b: Vec2) -> Self {
        Self::new(a, b, anchored(MotorDef::new, anchor_a, anchor_b))
    }

    /// The colliders of the two bodies do not touch each other.
    pub fn filter(a: Entity, b: Entity) -> Self {
        Self::new(a, b, FilterDef::new(null_body(), null_body()))
    }

    /// The definition for the physics world; `None` for a kind that this crate has no case for.
    pub(crate) fn filled(&self, bodies: [BodyId; 2], key: u64) -> Option<JointDef> {
        let mut filled = self.def.clone();
        fill!(&mut filled, bodies, key;
            Revolute Distance Prismatic Weld Wheel Motor Filter Generic Gear Rack Pulley Mover Pogo);
        Some(filled)
    }
}
