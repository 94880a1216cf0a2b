//! Builds the world of a case. Bodies are raised until they overlap nothing.

use super::overlap::{Placed, separation};
use super::{BodySpec, Floor, Mover, Operation, Part, Steps};
use tombolo_physics::{
    BodyDef, BodyId, ChainDef, PhysicsWorld, Pose, Position, Rot, Shape, ShapeDef, Vec2, WorldDef,
};

/// A world, and the data that the oracle needs.
pub(super) struct Scene {
    pub(super) world: PhysicsWorld,
    /// The number of steps per second.
    pub(super) rate: u16,
    pub(super) floor: Ground,
}

/// The floor, to decide whether something passed it.
#[derive(Debug, Clone)]
pub(super) enum Ground {
    None,
    /// A rectangle centered at the origin.
    Slab {
        half: [f64; 2],
        pose: Pose,
    },
    /// Points from the right to the left.
    Chain(Vec<[f64; 2]>),
}

fn shape(part: Part, x: f32) -> Result<Shape, String> {
    let made = match part {
        Part::Disk { radius } => Shape::circle(Vec2::new(x, 0.0), radius),
        Part::Capsule { half_length, radius } => Shape::capsule(
            Vec2::new(x - half_length, 0.0),
            Vec2::new(x + half_length, 0.0),
            radius,
        ),
        Part::Box {
            half_width,
            half_height,
            radius,
        } => {
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            let corners = corners.map(|(h, v)| Vec2::new(x + h * half_width, v * half_height));
            Shape::polygon(&corners, radius)
        }
        Part::Polygon {
            half_width,
            half_height,
            corners,
            phase,
            radius,
        } => {
            let corners: Vec<Vec2> = (0..corners)
                .map(|i| {
                    let angle = (f32::from(i) + phase) * core::f32::consts::TAU / f32::from(corners);
                    Vec2::new(
                        x + half_width * libm::cosf(angle),
                        half_height * libm::sinf(angle),
                    )
                })
                .collect();
            Shape::polygon(&corners, radius)
        }
    };
    made.map_err(|error| format!("{part:?}: {error}"))
}

fn half_length(part: Part) -> f32 {
    match part {
        Part::Disk { radius } => radius,
        Part::Capsule { half_length, radius } => half_length + radius,
        Part::Box {
            half_width, radius, ..
        }
        | Part::Polygon {
            half_width, radius, ..
        } => half_width + radius,
    }
}

fn shapes(parts: &[Part]) -> Result<Vec<Shape>, String> {
    let mut x = 0.0;
    let mut shapes = Vec::new();
    for (i, &part) in parts.iter().enumerate() {
        if i > 0 {
            x += half_length(part);
        }
        // A polygon too thin to be valid is left out.
        shapes.extend(shape(part, x).ok());
        x += half_length(part);
    }
    Ok(shapes)
}

/// The world of a case.
pub(super) fn build(operations: &[Operation]) -> Result<Scene, String> {
    let steps = operations.iter().rev().find_map(|operation| match operation {
        Operation::Steps(steps) => Some(*steps),
        _ => None,
    });
    let Steps {
        rate,
        substeps,
        sleeping,
    } = steps.unwrap_or(Steps {
        rate: 60,
        substeps: 4,
        sleeping: true,
    });
    let def = WorldDef {
        substeps,
        sleeping,
        ..WorldDef::default()
    };
    let mut world = PhysicsWorld::new(&def).map_err(|error| error.to_string())?;
    let floor = operations.iter().rev().find_map(|operation| match operation {
        Operation::Floor(floor) => Some(floor),
        _ => None,
    });
    let mut placed = Vec::new();
    let floor = match floor {
        Some(floor) => make_floor(&mut world, floor, &mut placed)?,
        None => Ground::None,
    };
    for operation in operations {
        match operation {
            Operation::Mover(mover) => make_mover(&mut world, mover, &mut placed)?,
            Operation::Body(spec) => make_body(&mut world, spec, &mut placed)?,
            Operation::Steps(_) | Operation::Floor(_) => {}
        }
    }
    Ok(Scene { world, rate, floor })
}

fn add(world: &mut PhysicsWorld, def: &BodyDef, shapes: &[(ShapeDef, Shape)]) -> Result<BodyId, String> {
    let body = world.create_body(def).map_err(|error| error.to_string())?;
    for (def, shape) in shapes {
        world
            .create_shape(body, def, shape)
            .map_err(|error| error.to_string())?;
    }
    Ok(body)
}

fn make_floor(world: &mut PhysicsWorld, floor: &Floor, placed: &mut Vec<Placed>) -> Result<Ground, String> {
    match floor {
        &Floor::Slab {
            half_width,
            half_height,
            angle,
        } => {
            let pose = Pose::new(Vec2::ZERO, angle);
            let shape =
                Shape::new_box(2.0 * half_width, 2.0 * half_height).map_err(|error| error.to_string())?;
            let def = BodyDef {
                angle,
                ..BodyDef::fixed(0.0, 0.0)
            };
            add(world, &def, &[(ShapeDef::default(), shape)])?;
            placed.push(Placed::new(&shape, pose));
            Ok(Ground::Slab {
                half: [half_width.into(), half_height.into()],
                pose,
            })
        }
        &Floor::Tiles { half_width, count } => {
            let shape = Shape::new_box(2.0 * half_width, 1.0).map_err(|error| error.to_string())?;
            for i in 0..count {
                let x = (2.0 * f32::from(i) - f32::from(count - 1)) * half_width;
                add(world, &BodyDef::fixed(x, 0.0), &[(ShapeDef::default(), shape)])?;
                placed.push(Placed::new(&shape, Pose::new(Vec2::new(x, 0.0), 0.0)));
            }
            let half_width = f64::from(half_width) * f64::from(count);
            Ok(Ground::Slab {
                half: [half_width, 0.5],
                pose: Pose::IDENTITY,
            })
        }
        Floor::Chain { spacing, heights } => {
            let count = heights.len() as f32;
            let points: Vec<Vec2> = heights
                .iter()
                .enumerate()
                .map(|(i, height)| Vec2::new((0.5 * count - i as f32) * spacing, height * spacing))
                .collect();
            let body = world
                .create_body(&BodyDef::fixed(0.0, 0.0))
                .map_err(|error| error.to_string())?;
            let chain = ChainDef {
                points: points.clone(),
                closed: false,
                shape: ShapeDef::default(),
            };
            world
                .create_chain(body, &chain)
                .map_err(|error| error.to_string())?;
            // Bodies begin above all of it.
            let (left, right) = (points[points.len() - 1].x, points[0].x);
            let highest = points
                .iter()
                .fold(f32::NEG_INFINITY, |most, point| most.max(point.y));
            placed.push(Placed {
                corners: [(left, -1.0), (right, -1.0), (right, highest), (left, highest)]
                    .map(|(x, y)| [f64::from(x), f64::from(y)])
                    .to_vec(),
                radius: 0.0,
            });
            Ok(Ground::Chain(
                points
                    .iter()
                    .map(|point| [point.x.into(), point.y.into()])
                    .collect(),
            ))
        }
    }
}

fn make_mover(world: &mut PhysicsWorld, mover: &Mover, placed: &mut Vec<Placed>) -> Result<(), String> {
    let Ok(shape) = shape(mover.part, 0.0) else {
        return Ok(());
    };
    let [x, y] = mover.place;
    let def = BodyDef {
        linear_velocity: Vec2::from_array(mover.velocity),
        angular_velocity: mover.turn,
        ..BodyDef::kinematic(x, y)
    };
    add(world, &def, &[(ShapeDef::default(), shape)])?;
    placed.push(Placed::new(&shape, Pose::new(Vec2::new(x, y), 0.0)));
    Ok(())
}

fn make_body(world: &mut PhysicsWorld, spec: &BodySpec, placed: &mut Vec<Placed>) -> Result<(), String> {
    let shapes = shapes(&spec.parts)?;
    if shapes.is_empty() {
        return Ok(());
    }
    let at = |y: f32| -> Vec<Placed> {
        let pose = Pose {
            position: Vec2::new(spec.x, y),
            rotation: Rot::from_angle(spec.angle),
        };
        shapes.iter().map(|shape| Placed::new(shape, pose)).collect()
    };
    let lowest = at(0.0).iter().map(Placed::lowest).fold(f64::INFINITY, f64::min);
    // Its lowest point above the origin by the gap, then raised until nothing is nearer than that.
    let mut y = spec.gap - lowest as f32;
    for _ in 0..1_000 {
        let parts = at(y);
        let gaps = parts
            .iter()
            .flat_map(|part| placed.iter().map(|other| separation(other, part)));
        let least = gaps.fold(f64::INFINITY, f64::min);
        if least >= 0.5 * f64::from(spec.gap) {
            break;
        }
        y += (f64::from(spec.gap) - least).max(0.01) as f32;
    }
    let def = BodyDef {
        position: Position::new(spec.x, y),
        angle: spec.angle,
        linear_velocity: Vec2::from_array(spec.velocity),
        angular_velocity: spec.turn,
        bullet: spec.bullet,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let shape_def = ShapeDef {
        restitution: spec.restitution,
        friction: spec.friction,
        ..ShapeDef::default()
    };
    let with_defs: Vec<_> = shapes.iter().map(|shape| (shape_def.clone(), *shape)).collect();
    add(world, &def, &with_defs)?;
    placed.extend(at(y));
    Ok(())
}
