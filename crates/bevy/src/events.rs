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
use tombolo_physics::{ContactId, PhysicsError};

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
}
