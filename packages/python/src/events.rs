//! The events of a step of a world of bodies that have more than two shapes.

use crate::physics::World;
use pyo3::prelude::*;
use tombolo_physics::BodyId;

type Point = (f32, f32);

/// A hit or a force: two shapes, point, normal, speed of approach or force, impulse.
type Blow = ([u64; 2], Point, Point, f32, f32);

/// The load of a joint: the joint, its bodies, force, torque, whether it broke.
type Load = (u64, [u64; 2], Point, f32, bool);

/// Hits and forces of the last step.
#[pyfunction]
pub(crate) fn blows(world: &World) -> (Vec<Blow>, Vec<Blow>) {
    let world = world.world();
    let events = world.events();
    let hits = events.hit().iter().map(|hit| {
        (
            [hit.shape_a.to_bits(), hit.shape_b.to_bits()],
            hit.point.to_vec2().into(),
            hit.normal.into(),
            hit.approach_speed,
            hit.impulse,
        )
    });
    let forces = events.force().iter().map(|force| {
        (
            [force.shape_a.to_bits(), force.shape_b.to_bits()],
            force.point.to_vec2().into(),
            force.normal.into(),
            force.force,
            force.impulse,
        )
    });
    (hits.collect(), forces.collect())
}

/// The loads of joints beyond their thresholds in the last step.
#[pyfunction]
pub(crate) fn loads(world: &World) -> Vec<Load> {
    let world = world.world();
    let loads = world.events().joint().iter().map(|load| {
        let bodies = load.bodies.map(BodyId::to_bits);
        (
            load.joint.to_bits(),
            bodies,
            load.force.into(),
            load.torque,
            load.broke,
        )
    });
    loads.collect()
}

/// The bodies that fell asleep, woke, were frozen for what was not finite, and were held at the border of the world.
#[pyfunction]
pub(crate) fn body_events(world: &World) -> [Vec<u64>; 4] {
    let world = world.world();
    let events = world.events();
    let bits = |bodies: &[BodyId]| bodies.iter().map(|body| body.to_bits()).collect();
    [
        bits(events.fell_asleep()),
        bits(events.woke()),
        events.frozen().iter().map(|event| event.body.to_bits()).collect(),
        events.held().iter().map(|event| event.body.to_bits()).collect(),
    ]
}
