//! The events of a step: Bevy messages, in the order in which physics lists them, and the same as entity events for
//! observers.
//!
//! Messages are written in `FixedPostUpdate` after each step, and can be read with a `MessageReader` in any schedule.
//! Events are triggered for entities with [`Observed`] only: running observers for each of ten thousand touches would
//! cost more than the step.

use bevy_ecs::entity::Entity;
use bevy_ecs::event::EntityEvent;
use bevy_ecs::message::Message;
use bevy_ecs::prelude::{Component, ReflectComponent};
use bevy_math::Vec2;
use bevy_reflect::prelude::{Reflect, ReflectDefault};
use tombolo_physics::{BodyId, ContactId, PhysicsError, RigidWeldId};

/// Also triggers the messages about this entity, a collider, a body or a joint, as events for observers. Events of a
/// body's colliders are triggered on the body too, if the body has this component.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
pub struct Observed;

/// An event of two colliders.
pub(crate) trait ColliderEvent: Copy {
    /// The same event for another target entity.
    fn with_target(self, entity: Entity) -> Self;

    /// The same event, seen from the other collider.
    fn swapped(self) -> Self;

    /// The collider, the entity of its body, the other collider, the entity of its body.
    fn entities(&self) -> [Entity; 4];
}

/// Declares events of two colliders.
macro_rules! collider_events {
    ($( $(#[$attribute:meta])* $name:ident { $( $(#[$field_doc:meta])* $field:ident: $type:ty, )* } $(flips $flipped:ident)?; )*) => {
        $(
            $(#[$attribute])*
            #[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq)]
            pub struct $name {
                /// The target of the event: the observed entity, a collider or a body.
                #[event_target]
                pub entity: Entity,
                /// One collider.
                pub collider: Entity,
                /// The entity of its body.
                pub body: Entity,
                /// The other collider.
                pub other_collider: Entity,
                /// The entity of its body.
                pub other_body: Entity,
                $( $(#[$field_doc])* pub $field: $type, )*
            }

            impl ColliderEvent for $name {
                fn with_target(mut self, entity: Entity) -> Self {
                    self.entity = entity;
                    self
                }

                fn swapped(mut self) -> Self {
                    core::mem::swap(&mut self.collider, &mut self.other_collider);
                    core::mem::swap(&mut self.body, &mut self.other_body);
                    self.entity = self.collider;
                    $( self.$flipped = -self.$flipped; )?
                    self
                }

                fn entities(&self) -> [Entity; 4] {
                    [self.collider, self.body, self.other_collider, self.other_body]
                }
            }
        )*
    };
}

collider_events! {
    /// Two colliders began touching. Every begin is followed by exactly one end, also when a collider is despawned.
    TouchBegan {
        /// The contact, for calls on `world` of [`Physics`](crate::Physics).
        contact: ContactId,
    };
    /// Two colliders ended touching; either may have been despawned since.
    TouchEnded {
        /// The contact; it may be gone.
        contact: ContactId,
    };
    /// Two colliders hit each other fast; for colliders with `hits` of [`Reports`](crate::Reports).
    Hit {
        /// Contact point in the world.
        point: Vec2,
        /// Normal from `collider` to `other_collider`.
        normal: Vec2,
        /// Speed at which they approached each other, in meters per second.
        approach_speed: f32,
        /// Impulse along the normal over the step, in newton seconds.
        impulse: f32,
    } flips normal;
    /// The force of a touch was above the threshold of [`Reports`](crate::Reports) in this step.
    ForceExceeded {
        /// Contact point in the world.
        point: Vec2,
        /// Normal from `collider` to `other_collider`.
        normal: Vec2,
        /// Force along the normal, on average over the step, in newtons.
        force: f32,
    } flips normal;
    /// `other_collider` began to overlap the sensor `collider`. The two have these roles for observers of all four
    /// entities.
    SensorEntered {};
    /// `other_collider` ceased to overlap the sensor `collider`; either may have been despawned since.
    SensorLeft {};
}

/// The load of a joint was above one of its thresholds in this step.
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq)]
pub struct JointExceeded {
    /// The joint's entity.
    #[event_target]
    pub entity: Entity,
    /// The entities of its two bodies.
    pub bodies: [Entity; 2],
    /// Force on the second body, in newtons.
    pub force: Vec2,
    /// Torque on the second body, in newton meters.
    pub torque: f32,
    /// Whether the joint broke. Its component stays and does nothing until it is set again.
    pub broke: bool,
}

/// A call has cut a body, or a rigid weld that held it together has gone, and a piece has separated from it. The entity keeps
/// the greatest piece. Cuts of bodies that belong to no entity, as pieces do, give no message.
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyCut {
    /// The body's entity.
    #[event_target]
    pub entity: Entity,
    /// The body of the piece, which belongs to no entity; it may have been destroyed since.
    pub piece: BodyId,
    /// Whether the piece is debris.
    pub debris: bool,
}

/// A piece of a body that a call has cut was too small to keep: particles may be drawn in its place.
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq)]
pub struct PieceVanished {
    /// The entity of the body that was cut.
    #[event_target]
    pub entity: Entity,
    /// The area of the piece in square meters.
    pub area: f32,
    /// The mass of the piece in kilograms; 0 unless dynamic.
    pub mass: f32,
    /// The piece's center in the world.
    pub center: Vec2,
    /// The velocity of the piece's center, in meters per second.
    pub velocity: Vec2,
}

/// The load of a rigid weld was above one of its thresholds in this step. Rigid welds are made by calls.
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq)]
pub struct RigidWeldExceeded {
    /// The entity of the body that had both members.
    #[event_target]
    pub entity: Entity,
    /// The weld, for calls on `world` of [`Physics`](crate::Physics); it is gone if it broke.
    pub weld: RigidWeldId,
    /// The user's own number of the weld.
    pub user_key: u64,
    /// Force on the second member, in newtons.
    pub force: Vec2,
    /// Torque on the second member about the weld, in newton meters.
    pub torque: f32,
    /// Whether the weld broke. If nothing else holds the members together, a [`BodyCut`] tells of the one that left.
    pub broke: bool,
}

/// A character began touching a collider in its move after the step. What it touches on and on is in
/// [`CharacterState`](crate::CharacterState).
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq)]
pub struct CharacterTouchBegan {
    /// The character's entity.
    #[event_target]
    pub entity: Entity,
    /// The collider's entity.
    pub collider: Entity,
    /// The entity of its body.
    pub body: Entity,
    /// The contact point in the world, of several the first.
    pub point: Vec2,
    /// The normal out of the collider there; a unit vector.
    pub normal: Vec2,
}

/// A character ended touching a collider, which may have been despawned since. There is none when the character itself is
/// despawned or `Disabled`, or loses a component that makes it a character. When its body is no longer kinematic, or has
/// [`BodyDisabled`](crate::BodyDisabled), all of its touches end.
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharacterTouchEnded {
    /// The character's entity.
    #[event_target]
    pub entity: Entity,
    /// The collider's entity.
    pub collider: Entity,
    /// The entity of its body.
    pub body: Entity,
}

/// A change in what a character touches, for the report of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CharacterTouch {
    Began(CharacterTouchBegan),
    Ended(CharacterTouchEnded),
}

/// A body fell asleep, or woke.
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq, Eq)]
pub struct SleepChanged {
    /// The body's entity.
    #[event_target]
    pub entity: Entity,
    /// Whether it sleeps now.
    pub asleep: bool,
}

/// A component's value was refused; or a body's state was not finite or out of range, and the body was put back to its
/// last valid pose and is frozen until it is disabled and enabled.
///
/// A refused value leaves the body or the joint as it was, and the body's other values are applied. A collider with one
/// has no shapes until a component of it changes. A body that cannot be created is tried again in each step until it
/// can, as is what waits for a key in use; the fault is reported once.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct PhysicsFault {
    /// The entity of the component or body; `Entity::PLACEHOLDER` for the length of a step, and for contact rules.
    pub entity: Entity,
    /// The reason.
    pub reason: FaultReason,
}

/// The reason of a [`PhysicsFault`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FaultReason {
    /// Physics refused a number or a shape.
    Refused(PhysicsError),
    /// Another entity has this [`StableKey`](crate::StableKey).
    KeyInUse(u64),
    /// The body's state was not finite, or outside of the world's range.
    Frozen,
    /// A scene file has parts that have no effect in Bevy: the kinds of its components by name, and `Settings`, if they differ
    /// from those of the world.
    LeftOut(Vec<&'static str>),
    /// A collider cannot have this scale: that of its `Transform`, times those of all entities above. It is 0 or not finite;
    /// or it is uneven, and a part of the collider is a rounded polygon of more than six corners.
    Scale(Vec2),
}
