//! The system that steps the physics world.

use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Entity, Res, ResMut};
use bevy_time::Time;

use crate::events::{FaultReason, PhysicsFault};
use crate::world::Physics;

/// Makes a step of the schedule's length.
pub(crate) fn step(mut physics: ResMut<Physics>, time: Res<Time>, mut faults: MessageWriter<PhysicsFault>) {
    let Physics { world, hands, .. } = &mut *physics;
    hands.look();
    if let Err(error) = world.step_with(time.delta_secs(), hands.executor()) {
        // The length of a step belongs to no component.
        faults.write(PhysicsFault {
            entity: Entity::PLACEHOLDER,
            reason: FaultReason::Refused(error),
        });
    }
}

/// Whether steps are made.
pub(crate) fn is_running(physics: Res<Physics>) -> bool {
    !physics.is_paused
}
