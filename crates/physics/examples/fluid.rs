//! What a fluid costs: 10,000 boxes in a wide pool, half of them afloat at its surface, half at its floor, all awake. Beside
//! them, taken in turn, their twins: a copy of the same world in which the fluid is out of action and each box has the force
//! that the fluid bore it with. So both step the same bodies with the same contacts, one with the fluid's work and one without.
//!
//! `cargo run --release -p tombolo-physics --example fluid -- 20` for so many rounds; `-- wet` or `-- twin` runs one of them
//! for 50 steps, for a profiler; with `-- none` there are none, to be taken off.
#![allow(clippy::print_stdout)]

use tombolo_physics::{
    BodyDef, BodyKind, FieldDef, FieldId, FieldKind, PhysicsError, PhysicsWorld, Position, Shape, ShapeDef,
    Stage, Vec2, WorldDef,
};

const COLUMNS: usize = 2500;
const DT: f32 = 1.0 / 60.0;
/// Steps in which the twins stay alike before they are made anew.
const STEPS_PER_ROUND: usize = 5;
/// Kilograms per square meter of what floats and of what lies on the floor; that of the fluid is 1.
const LIGHT: f32 = 0.4;
const HEAVY: f32 = 3.0;

/// Two rows of boxes afloat that touch each other, and two rows on the floor, at rest.
fn pool() -> Result<(PhysicsWorld, FieldId), PhysicsError> {
    let def = WorldDef {
        sleeping: false,
        ..WorldDef::default()
    };
    let mut world = PhysicsWorld::new(&def)?;
    let width = COLUMNS as f32 * 1.1;
    let ground = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    let floor = Shape::box_at(width + 20.0, 1.0, Vec2::new(0.0, -20.5), 0.0)?;
    world.create_shape(ground, &ShapeDef::default(), &floor)?;
    let water = FieldKind::Fluid {
        density: 1.0,
        velocity: Vec2::ZERO,
        drag: 1.0,
        viscosity: 0.5,
    };
    let field = world.create_field(&FieldDef {
        area: Some(Shape::new_box(width + 20.0, 20.0)?),
        position: Position::new(0.0, -10.0),
        ..FieldDef::new(water)
    })?;
    for (row, y, density) in [
        (0, -0.25, LIGHT),
        (1, 0.8, LIGHT),
        (2, -19.5, HEAVY),
        (3, -18.45, HEAVY),
    ] {
        for column in 0..COLUMNS {
            let x = (column as f32 + 0.02 * row as f32) * 1.1 - 0.5 * width;
            let body = world.create_body(&BodyDef::dynamic(x, y))?;
            let def = ShapeDef {
                density,
                ..ShapeDef::default()
            };
            world.create_shape(body, &def, &Shape::new_box(1.0, 1.0)?)?;
        }
    }
    for _ in 0..120 {
        world.step(DT)?;
    }
    Ok((world, field))
}

/// The same world without the fluid's work: what floats is borne by its own weight, what lies on the floor by that of the
/// fluid in its place.
fn twin_of(world: &PhysicsWorld, field: FieldId) -> Result<PhysicsWorld, PhysicsError> {
    let mut twin = world.clone();
    twin.set_field_enabled(field, false)?;
    let up = -world.gravity();
    for body in world.bodies().filter(|body| body.kind() == BodyKind::Dynamic) {
        let mass = body.mass();
        let borne = if mass < 1.0 { mass } else { mass / HEAVY };
        twin.body_mut(body.id())?.set_lasting_force(borne * up)?;
    }
    twin.step(DT)?;
    Ok(twin)
}

fn main() -> Result<(), PhysicsError> {
    let argument = std::env::args().nth(1).unwrap_or_default();
    let (mut wet, field) = pool()?;
    let mut twin = twin_of(&wet, field)?;
    wet.step(DT)?;
    match argument.as_str() {
        "none" => return Ok(()),
        "wet" => return (0..50).try_for_each(|_| wet.step(DT)),
        "twin" => return (0..50).try_for_each(|_| twin.step(DT)),
        _ => {}
    }
    let rounds = argument.parse().unwrap_or(20);
    let mut least = [f64::INFINITY; 2];
    let mut of_fields = f64::INFINITY;
    let mut shares = Vec::new();
    for round in 0..rounds {
        twin = twin_of(&wet, field)?;
        wet.step(DT)?;
        let mut worlds = [&mut wet, &mut twin];
        worlds.iter_mut().for_each(|world| world.set_profiling(true));
        let mut sums = [0.0; 2];
        for step in 0..STEPS_PER_ROUND {
            // Each goes first as often as the other.
            for which in [(round + step) % 2, (round + step + 1) % 2] {
                worlds[which].step(DT)?;
                let seconds = worlds[which].profile().step_s;
                least[which] = least[which].min(seconds);
                sums[which] += seconds;
            }
            of_fields = of_fields.min(worlds[0].profile().seconds(Stage::Fields));
        }
        shares.push(sums[0] / sums[1]);
    }
    println!("with the fluid:    {:?}", wet.counters());
    println!("without its work:  {:?}", twin.counters());
    shares.sort_unstable_by(f64::total_cmp);
    let [with, without] = least.map(|seconds| 1e3 * seconds);
    println!(
        "least of all steps: {with:.3} ms and {without:.3} ms, {:.1} % more; the stage fields {:.3} ms",
        100.0 * (with / without - 1.0),
        1e3 * of_fields
    );
    println!(
        "middle of the rounds' ratios: {:.1} % more",
        100.0 * (shares[shares.len() / 2] - 1.0)
    );
    Ok(())
}
