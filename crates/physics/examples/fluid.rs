//! What a fluid costs: 10,000 boxes in a wide pool, half of them afloat at its surface, half at its floor, all awake, beside
//! the same boxes on two floors without a fluid. Prints milliseconds a step of both, taken in turn.
//!
//! `cargo run --release -p tombolo-physics --example fluid -- 20` for so many rounds; `-- wet` or `-- dry` runs one of them
//! for 50 steps, for a profiler.
#![allow(clippy::print_stdout)]

use tombolo_physics::{
    BodyDef, FieldDef, FieldKind, PhysicsError, PhysicsWorld, Position, Shape, ShapeDef, Stage, Vec2,
    WorldDef,
};

const COLUMNS: usize = 2500;
const DT: f32 = 1.0 / 60.0;

/// Two rows of boxes afloat that touch each other, and two rows on the floor.
fn pool(is_wet: bool) -> Result<PhysicsWorld, PhysicsError> {
    let def = WorldDef {
        sleeping: false,
        ..WorldDef::default()
    };
    let mut world = PhysicsWorld::new(&def)?;
    let width = COLUMNS as f32 * 1.1;
    let ground = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    let floor = |y: f32| Shape::box_at(width + 20.0, 1.0, Vec2::new(0.0, y), 0.0);
    world.create_shape(ground, &ShapeDef::default(), &floor(-20.5)?)?;
    if is_wet {
        let water = FieldKind::Fluid {
            density: 1.0,
            velocity: Vec2::ZERO,
            drag: 1.0,
            viscosity: 0.5,
        };
        world.create_field(&FieldDef {
            area: Some(Shape::new_box(width + 20.0, 20.0)?),
            position: Position::new(0.0, -10.0),
            ..FieldDef::new(water)
        })?;
    } else {
        world.create_shape(ground, &ShapeDef::default(), &floor(-1.0)?)?;
    }
    for (row, y, density) in [(0, -0.25, 0.4), (1, 0.8, 0.4), (2, -19.5, 3.0), (3, -18.45, 3.0)] {
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
    Ok(world)
}

fn main() -> Result<(), PhysicsError> {
    let argument = std::env::args().nth(1).unwrap_or_default();
    if ["wet", "dry"].contains(&argument.as_str()) {
        let mut world = pool(argument == "wet")?;
        (0..50).try_for_each(|_| world.step(DT))?;
        println!("{:?}", world.counters());
        return Ok(());
    }
    let rounds = argument.parse().unwrap_or(20);
    let mut worlds = [pool(true)?, pool(false)?];
    let mut least = [f64::INFINITY; 2];
    let (mut of_fields, mut share) = (f64::INFINITY, f64::INFINITY);
    worlds.iter_mut().for_each(|world| world.set_profiling(true));
    for _ in 0..rounds {
        for (world, least) in worlds.iter_mut().zip(&mut least) {
            for _ in 0..5 {
                world.step(DT)?;
                *least = least.min(world.profile().step_s);
            }
        }
        let profile = worlds[0].profile();
        let seconds = profile.seconds(Stage::Fields);
        of_fields = of_fields.min(seconds);
        share = share.min(seconds / (profile.step_s - seconds));
    }
    for (world, what) in worlds.iter().zip(["wet", "dry"]) {
        println!("{what}: {:?}", world.counters());
    }
    let [wet, dry] = least.map(|seconds| 1e3 * seconds);
    println!(
        "{wet:.3} ms with the fluid, {dry:.3} ms without; the stage fields {:.3} ms",
        1e3 * of_fields
    );
    println!("{:.1} % of the rest of its own step", 100.0 * share);
    Ok(())
}
