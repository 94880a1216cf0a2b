//! Exports for poses after a step and for its events, as arrays.
#![allow(unsafe_code)]

use tombolo_physics::{BodyId, ContactId, Pose, ShapeId};

use crate::exchange::Output;
use crate::worlds::look_at_physics;

/// Adds a pose: position, cosine, sine.
pub(crate) fn push_pose(output: &mut Output, pose: Pose) {
    let (position, rotation) = (pose.position, pose.rotation);
    output
        .numbers
        .extend([position.x, position.y, rotation.cos, rotation.sin]);
}

/// All bodies (0), or those that the last step moved (1). Ids: first all bodies, then the user keys; numbers: poses.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn poses(world: u32, moved: u32) -> i32 {
    look_at_physics(world, |world, _, output| {
        let mut keys = Vec::new();
        if moved != 0 {
            for event in world.events().moved() {
                output.ids.push(event.body.to_bits());
                keys.push(event.user_key);
                push_pose(output, event.pose);
            }
        } else {
            for body in world.bodies() {
                output.ids.push(body.id().to_bits());
                keys.push(body.user_key());
                push_pose(output, body.pose());
            }
        }
        output.ids.append(&mut keys);
        Ok(output.numbers.len() / 4)
    })
}

/// Touches that began (0) or ended (1). Ids: both shapes and the contact of each.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn touches(world: u32, ended: u32) -> i32 {
    look_at_physics(world, |world, _, output| {
        let events = world.events();
        let list = if ended != 0 {
            events.end_touch()
        } else {
            events.begin_touch()
        };
        for event in list {
            let contact: ContactId = event.contact;
            let [a, b] = [event.shape_a, event.shape_b].map(ShapeId::to_bits);
            output.ids.extend([a, b, contact.to_bits()]);
        }
        Ok(list.len())
    })
}

/// Hard hits. Ids: both shapes and the contact of each; numbers: point, normal, speed of approach, impulse of each.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn hits(world: u32) -> i32 {
    look_at_physics(world, |world, _, output| {
        for hit in world.events().hit() {
            output.ids.extend([
                hit.shape_a.to_bits(),
                hit.shape_b.to_bits(),
                hit.contact.to_bits(),
            ]);
            let [point, normal] = [hit.point.to_vec2(), hit.normal];
            output.numbers.extend([
                point.x,
                point.y,
                normal.x,
                normal.y,
                hit.approach_speed,
                hit.impulse,
            ]);
        }
        Ok(world.events().hit().len())
    })
}

/// Joints whose load was above a threshold. Ids: the joint and both bodies of each; numbers: force on the second body,
/// torque, and 1 if the joint broke.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn strains(world: u32) -> i32 {
    look_at_physics(world, |world, _, output| {
        for event in world.events().joint() {
            let [a, b] = event.bodies.map(BodyId::to_bits);
            output.ids.extend([event.joint.to_bits(), a, b]);
            let broke = if event.broke { 1.0 } else { 0.0 };
            output
                .numbers
                .extend([event.force.x, event.force.y, event.torque, broke]);
        }
        Ok(world.events().joint().len())
    })
}

/// Overlaps with sensors that began (0) or ended (1). Ids: the sensor and the other shape of each.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn visits(world: u32, ended: u32) -> i32 {
    look_at_physics(world, |world, _, output| {
        let events = world.events();
        let list = if ended != 0 {
            events.leave()
        } else {
            events.enter()
        };
        for event in list {
            output
                .ids
                .extend([event.sensor.to_bits(), event.visitor.to_bits()]);
        }
        Ok(list.len())
    })
}

/// Bodies that fell asleep (0) or woke (1).
#[unsafe(no_mangle)]
pub(crate) extern "C" fn sleepers(world: u32, woke: u32) -> i32 {
    look_at_physics(world, |world, _, output| {
        let events = world.events();
        let list = if woke != 0 {
            events.woke()
        } else {
            events.fell_asleep()
        };
        output.ids.extend(list.iter().copied().map(BodyId::to_bits));
        Ok(list.len())
    })
}
