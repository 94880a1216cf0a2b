//! Family `worlds`: random rigid worlds, checked for plausible physics and not only for valid state. Shapes of 1 cm to
//! 100 m on floors of up to 1 km, as thin as 1:500, thrown at up to 400 m/s.
//!
//! Invariants: a body that touches nothing falls by gravity and never sleeps; a fast body moves; no body passes a floor
//! or comes to rest inside it; a second after the last impact nothing overlaps by more than a centimeter (mass ratios
//! to 1:10); energy does not grow; no body is frozen.

mod build;
mod overlap;
mod watch;

use crate::family::Family;
use crate::random::Random;
use build::{Scene, build};
use watch::Watch;

/// The family.
pub(crate) struct Worlds;

/// A part of the world. Lengths are in meters, speeds in meters and radians per second.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// The stepping of the world: the last such operation counts.
    Steps(Steps),
    /// The floor: the last counts, and without one everything falls for ever.
    Floor(Floor),
    /// A dynamic body.
    Body(BodySpec),
    /// A kinematic bar or drum.
    Mover(Mover),
}

/// The stepping of a world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steps {
    /// The number of steps per second.
    rate: u16,
    substeps: u32,
    sleeping: bool,
}

/// A static floor centered at the origin.
#[derive(Debug, Clone)]
pub(crate) enum Floor {
    /// One rectangle, rotated.
    Slab {
        half_width: f32,
        half_height: f32,
        angle: f32,
    },
    /// Equal rectangles side by side.
    Tiles { half_width: f32, count: u16 },
    /// A chain through hills of the given heights, from the right to the left.
    Chain { spacing: f32, heights: Vec<f32> },
}

/// The shape of one part of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part {
    Disk {
        radius: f32,
    },
    Capsule {
        half_length: f32,
        radius: f32,
    },
    Box {
        half_width: f32,
        half_height: f32,
        radius: f32,
    },
    /// A polygon with its corners on an ellipse.
    Polygon {
        half_width: f32,
        half_height: f32,
        corners: u8,
        phase: f32,
        radius: f32,
    },
}

/// A dynamic body.
#[derive(Debug, Clone)]
pub(crate) struct BodySpec {
    /// The parts, each shifted in x by the sum of the extents before it, so that they touch.
    parts: Vec<Part>,
    x: f32,
    /// The distance in meters between the body and what is below it.
    gap: f32,
    angle: f32,
    velocity: [f32; 2],
    turn: f32,
    restitution: f32,
    friction: f32,
    bullet: bool,
}

/// A kinematic body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mover {
    part: Part,
    place: [f32; 2],
    velocity: [f32; 2],
    turn: f32,
}

/// A number between the limits whose logarithm is distributed uniformly.
fn scale(random: &mut Random, low: f32, high: f32) -> f32 {
    let exponent = random.between(0.0, 1.0);
    (f64::from(low) * libm::pow(f64::from(high) / f64::from(low), exponent.into())) as f32
}

fn part(random: &mut Random, length: f32, aspect: f32) -> Part {
    let half = 0.5 * length;
    let thin = (half / aspect).max(0.004);
    let radius = match random.below(3) {
        0 => 0.25 * thin,
        _ => 0.0,
    };
    match random.below(5) {
        0 => Part::Disk { radius: thin },
        1 => Part::Capsule {
            half_length: half,
            radius: thin,
        },
        2 | 3 => Part::Box {
            half_width: half,
            half_height: thin,
            radius,
        },
        _ => Part::Polygon {
            half_width: half,
            half_height: thin,
            corners: random.within(3..9) as u8,
            phase: random.between(0.0, 1.0),
            radius,
        },
    }
}

/// A body whose parts are about `length` long.
fn body(random: &mut Random, length: f32, aspect_max: f32, speed_max: f32) -> BodySpec {
    let count = if random.one_in(5) { random.within(2..5) } else { 1 };
    let aspect = scale(random, 1.0, aspect_max);
    let speed = if random.one_in(4) {
        0.0
    } else {
        scale(random, 0.05, speed_max)
    };
    let direction = random.between(-3.2, 3.2);
    let turn = if random.one_in(3) {
        0.0
    } else {
        random.between(-1.0, 1.0) * scale(random, 0.05, 30.0)
    };
    BodySpec {
        parts: (0..count).map(|_| part(random, length, aspect)).collect(),
        x: random.between(-10.0, 10.0),
        gap: scale(random, 0.001, 5.0),
        angle: random.pick(&[0.0, 0.0, 1.0e-4, 1.570_796_4, 0.5, 3.0])
            + random.between(0.0, 1.0) * random.pick(&[0.0, 1.0e-3, 1.0]),
        velocity: [speed * libm::cosf(direction), speed * libm::sinf(direction)],
        turn,
        restitution: random.pick(&[0.0, 0.0, 0.3, 1.0]),
        friction: random.pick(&[0.0, 0.3, 0.6, 1.0]),
        bullet: random.one_in(4),
    }
}

fn floor(random: &mut Random) -> Floor {
    let half_width = scale(random, 10.0, 500.0);
    match random.below(6) {
        0 => Floor::Tiles {
            half_width: random.pick(&[0.5, 1.0, 0.3, 5.0]),
            count: random.within(20..120) as u16,
        },
        1 => Floor::Chain {
            spacing: random.pick(&[0.5, 2.0, 20.0]),
            heights: (0..random.within(12..60))
                .map(|_| random.pick(&[0.0, 0.0, 0.1, 0.4]))
                .collect(),
        },
        2 => Floor::Slab {
            half_width,
            half_height: scale(random, 0.25, 10.0),
            angle: random.between(-0.4, 0.4),
        },
        _ => Floor::Slab {
            half_width,
            half_height: scale(random, 0.25, 10.0),
            angle: 0.0,
        },
    }
}

impl Family for Worlds {
    const NAME: &'static str = "worlds";
    const ABOUT: &'static str =
        "random rigid worlds: falling, resting, overlap, energy, nothing through floors";
    const CASES: u64 = 2_000;
    type Operation = Operation;

    fn generate(random: &mut Random) -> Vec<Operation> {
        let mut operations = vec![
            Operation::Steps(Steps {
                rate: random.pick(&[60, 60, 60, 30, 144]),
                substeps: random.pick(&[4, 4, 4, 2, 8]),
                sleeping: !random.one_in(3),
            }),
            Operation::Floor(floor(random)),
        ];
        match random.below(10) {
            // One body alone.
            0..=4 => {
                let length = scale(random, 0.01, 100.0);
                operations.push(Operation::Body(body(random, length, 500.0, 400.0)));
            }
            // Several bodies of about one size.
            5 | 6 => {
                let length = scale(random, 0.05, 5.0);
                let count = random.within(2..9);
                for _ in 0..count {
                    let length = length * random.between(0.7, 1.4);
                    operations.push(Operation::Body(body(random, length, 3.0, 20.0)));
                }
            }
            // Several bodies of any size.
            7 | 8 => {
                for _ in 0..random.within(2..13) {
                    let length = scale(random, 0.01, 20.0);
                    operations.push(Operation::Body(body(random, length, 500.0, 400.0)));
                }
            }
            // Among kinematic bodies.
            _ => {
                for _ in 0..random.within(1..4) {
                    let (length, aspect) = (scale(random, 0.5, 20.0), scale(random, 1.0, 50.0));
                    operations.push(Operation::Mover(Mover {
                        part: part(random, length, aspect),
                        place: [random.between(-10.0, 10.0), random.between(0.0, 10.0)],
                        velocity: [random.between(-2.0, 2.0), random.between(-2.0, 2.0)],
                        turn: random.between(-3.0, 3.0),
                    }));
                }
                for _ in 0..random.within(1..8) {
                    let length = scale(random, 0.1, 3.0);
                    operations.push(Operation::Body(body(random, length, 20.0, 30.0)));
                }
            }
        }
        operations
    }

    fn run(operations: &[Operation]) -> Result<(), String> {
        let Scene {
            mut world,
            rate,
            floor,
            ..
        } = build(operations)?;
        let dt = 1.0 / f32::from(rate);
        let mut watch = Watch::new(&world, floor, dt);
        for step in 0..u32::from(rate) * 4 {
            world.step(dt).map_err(|error| format!("step {step}: {error}"))?;
            watch
                .look(&world)
                .map_err(|what| format!("step {step}: {what}"))?;
        }
        world.validate();
        Ok(())
    }
}
