//! The system that steps the physics world.

use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Entity, Res, ResMut};
use bevy_time::Time;
use tombolo_physics::Pose;

use crate::events::{FaultReason, PhysicsFault};
use crate::world::Physics;

/// Makes a step of the schedule's length.
pub(crate) fn step(mut physics: ResMut<Physics>, time: Res<Time>, mut faults: MessageWriter<PhysicsFault>) {
    physics.note_changes();
    physics.teleported = poses_of_changed_bodies(&physics);
    let Physics {
        world, step_executor, ..
    } = &mut *physics;
    step_executor.find_threads();
    let made = world.step_with(time.delta_secs(), step_executor.executor());
    physics.has_stepped = made.is_ok();
    if let Err(error) = made {
        // The length of a step belongs to no component.
        faults.write(PhysicsFault {
            entity: Entity::PLACEHOLDER,
            reason: FaultReason::Refused(error),
        });
    }
}

/// The poses before the step of the bodies that calls changed since the last one: those of teleports are not interpolated.
fn poses_of_changed_bodies(physics: &Physics) -> Vec<(Entity, Pose)> {
    let changed = physics.changed.iter();
    let pose = |&key: &u64| {
        let entity = physics.entity_of_key(key)?;
        Some((entity, physics.body(entity)?.pose()))
    };
    changed.filter_map(pose).collect()
}

/// Whether a step was just made: it is neither paused nor refused.
pub(crate) fn has_stepped(physics: Res<Physics>) -> bool {
    !physics.is_paused && physics.has_stepped
}

/// Whether steps are made.
pub(crate) fn is_running(physics: Res<Physics>) -> bool {
    !physics.is_paused
}
