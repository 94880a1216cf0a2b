//! What happened in a step: Bevy messages, in the order in which physics lists them, and the same as entity events for observers.
//!
//! Messages are written in `FixedPostUpdate` after each step, and can be read with a `MessageReader` in any schedule. Events are
//! triggered for entities with [`Observed`] only: running observers for each of ten thousand touches would cost more than the
//! step.

use bevy_ecs::entity::Entity;
use bevy_ecs::event::EntityEvent;
use bevy_ecs::message::Message;
use bevy_ecs::prelude::Component;
use bevy_math::Vec2;
use tombolo_physics::{ContactId, PhysicsError};

/// Asks that what happens to this entity, a collider, a body or a joint, is also triggered as an event for observers. Of what happens
/// to a body's collider observers of the body hear too, if the body has this component.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Observed;

/// An event of two colliders.
pub(crate) trait OfTwo: Copy {
    /// The same event, told to another entity.
    fn told(self, entity: Entity) -> Self;

    /// The same event, seen from the other collider.
    fn swapped(self) -> Self;

    /// The collider, the entity of its body, the other collider, the entity of its body.
    fn entities(&self) -> [Entity; 4];
}

/// Declares events of two colliders.
macro_rules! of_two_colliders {
    ($( $(#[$attribute:meta])* $name:ident { $( $(#[$field_doc:meta])* $field:ident: $type:ty, )* } $(flips $flipped:ident)?; )*) => {
        $(
            $(#[$attribute])*
            #[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq)]
            pub struct $name {
                /// The entity that it is about: as an event the one that is observed, a collider or a body.
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

            impl OfTwo for $name {
                fn told(mut self, entity: Entity) -> Self {
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

of_two_colliders! {
    /// Two colliders began touching. Every begin is followed by exactly one end, also when a collider is despawned.
    TouchBegan {
        /// The contact, for `world` of [`Physics`](crate::Physics).
        contact: ContactId,
    };
    /// Two colliders ended touching; either may have been despawned since.
    TouchEnded {
        /// The contact; it may be gone.
        contact: ContactId,
    };
    /// Two colliders hit each other fast; for those whose [`Reports`](crate::Reports) ask for it.
    Hit {
        /// Where.
        point: Vec2,
        /// From `collider` to `other_collider`.
        normal: Vec2,
        /// Meters per second at which they came together.
        approach_speed: f32,
        /// Newton seconds along the normal over the step.
        impulse: f32,
    } flips normal;
    /// A touch bore more than the threshold of [`Reports`](crate::Reports) in this step.
    ForceExceeded {
        /// Where.
        point: Vec2,
        /// From `collider` to `other_collider`.
        normal: Vec2,
        /// Newtons along the normal, on the average over the step.
        force: f32,
    } flips normal;
    /// `other_collider` came into the sensor `collider`. Observers of all four entities see it so.
    SensorEntered {};
    /// `other_collider` left the sensor `collider`; either may have been despawned since.
    SensorLeft {};
}

/// A joint bore more than one of its thresholds in this step.
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq)]
pub struct JointExceeded {
    /// The joint's entity.
    #[event_target]
    pub entity: Entity,
    /// The entities of its two bodies.
    pub bodies: [Entity; 2],
    /// Newtons on the second body.
    pub force: Vec2,
    /// Newton meters on the second body.
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

/// Something that a component asks for was refused, and nothing was changed; or a body's state was no number any more, and the body
/// was put back to where it last was right and takes part in nothing until it is disabled and enabled.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct PhysicsFault {
    /// The entity whose components ask for it.
    pub entity: Entity,
    /// What is wrong.
    pub reason: FaultReason,
}

/// Why something was refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FaultReason {
    /// Physics refused a number or a shape.
    Refused(PhysicsError),
    /// Another entity has this [`StableKey`](crate::StableKey).
    KeyInUse(u64),
    /// The body's state was no number any more, or it was farther out than the world goes.
    Frozen,
}
