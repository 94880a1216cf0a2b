//! The events of a step of a world of bodies that have more than two shapes.

use crate::physics::World;
use pyo3::prelude::*;
use tombolo_physics::{BodyId, PhysicsWorld, ShapeId};

type Point = (f32, f32);

/// A hit or a force: two shapes, point, normal, speed of approach or force, impulse.
type Blow = ([u64; 2], Point, Point, f32, f32);

/// An event of two shapes: its kind, the shapes, the numbers of their materials (`None` of one that was destroyed), point,
/// normal, strength, impulse; zeros for those that have none.
type Met = (&'static str, [u64; 2], [Option<u32>; 2], Point, Point, f32, f32);

/// The load of a joint: the joint, its bodies, force, torque, whether it broke.
type Load = (u64, [u64; 2], Point, f32, bool);

/// All events of two shapes in the last step: begins and ends of touches, entries and exits of sensors, hits, forces.
#[pyfunction]
pub(crate) fn met(world: &World) -> Vec<Met> {
    const NONE: Point = (0.0, 0.0);
    let world = world.world();
    let events = world.events();
    let of = |kind, pair: [ShapeId; 2]| {
        let materials = pair.map(|shape| material(&world, shape));
        (kind, pair.map(ShapeId::to_bits), materials, NONE, NONE, 0.0, 0.0)
    };
    let mut met: Vec<Met> = Vec::new();
    let begun = events.begin_touch().iter();
    met.extend(begun.map(|touch| of("begin", [touch.shape_a, touch.shape_b])));
    let ended = events.end_touch().iter();
    met.extend(ended.map(|touch| of("end", [touch.shape_a, touch.shape_b])));
    let entered = events.enter().iter();
    met.extend(entered.map(|visit| of("enter", [visit.sensor, visit.visitor])));
    let left = events.leave().iter();
    met.extend(left.map(|visit| of("leave", [visit.sensor, visit.visitor])));
    met.extend(events.hit().iter().map(|hit| {
        let (kind, shapes, materials, ..) = of("hit", [hit.shape_a, hit.shape_b]);
        let place = hit.point.to_vec2().into();
        (
            kind,
            shapes,
            materials,
            place,
            hit.normal.into(),
            hit.approach_speed,
            hit.impulse,
        )
    }));
    met.extend(events.force().iter().map(|force| {
        let (kind, shapes, materials, ..) = of("force", [force.shape_a, force.shape_b]);
        let place = force.point.to_vec2().into();
        (
            kind,
            shapes,
            materials,
            place,
            force.normal.into(),
            force.force,
            force.impulse,
        )
    }));
    met
}

fn material(world: &PhysicsWorld, shape: ShapeId) -> Option<u32> {
    Some(world.shape(shape)?.material_number())
}

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
