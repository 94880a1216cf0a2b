//! The cases of whole bodies: a hundred of a thousand resting ones, sliced between two steps.

use tombolo::physics::{BodyDef, BodyId, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef};

use crate::areas::Run;
use crate::measure::{Contender, interleave};

/// The number of columns of crates, and of crates in each: a thousand bodies.
const COLUMNS: usize = 100;
const CRATES: usize = 10;
/// The length of a step, in seconds.
const DT: f32 = 1.0 / 60.0;

/// Low columns of crates on the ground that have come to rest.
fn resting_world() -> anyhow::Result<(PhysicsWorld, Vec<BodyId>)> {
    let mut world = PhysicsWorld::new(&WorldDef::default())?;
    let ground = world.create_body(&BodyDef::fixed(0.0, -1.0))?;
    world.create_shape(ground, &ShapeDef::default(), &Shape::new_box(400.0, 2.0)?)?;
    let crate_shape = Shape::new_box(1.0, 1.0)?;
    let mut tops = Vec::new();
    for column in 0..COLUMNS {
        for level in 0..CRATES {
            let x = 2.0 * column as f32 - COLUMNS as f32;
            let body = world.create_body(&BodyDef::dynamic(x, 0.5 + level as f32))?;
            world.create_shape(body, &ShapeDef::default(), &crate_shape)?;
            if level == CRATES - 1 {
                tops.push(body);
            }
        }
    }
    for _ in 0..300 {
        world.step(DT)?;
    }
    let awake = world.counters().awake_bodies;
    anyhow::ensure!(awake == 0, "{awake} bodies do not rest");
    Ok((world, tops))
}

/// Slices the crates through their center, slanting; returns the number of bodies afterwards.
fn slice_all(world: &mut PhysicsWorld, crates: &[BodyId]) -> anyhow::Result<u64> {
    for &body in crates {
        let middle = world.body(body).map(|body| body.center_of_mass());
        let Some(middle) = middle else { continue };
        world.slice(body, middle, middle + Vec2::new(1.0, 0.25))?;
    }
    Ok(world.bodies().len() as u64)
}

/// Times the slices alone and with the step after them, beside the same step without a slice, with all bodies awake.
pub(super) fn compare(run: &mut Run) -> anyhow::Result<()> {
    const NAME: &str = "100 of 1,000 resting bodies";
    let (resting, crates) = resting_world()?;
    let rounds = if run.smoke { 1 } else { 15 };
    // Each round uses a clone that was made before it.
    let mut clones = [(); 3].map(|()| vec![resting.clone(); rounds + 4]);
    let [slices, with_step, step_alone] = &mut clones;
    for world in step_alone.iter_mut() {
        for body in &crates {
            if let Ok(mut body) = world.body_mut(*body) {
                body.wake();
            }
        }
    }
    let take = |worlds: &mut Vec<PhysicsWorld>| worlds.pop().unwrap_or_else(|| resting.clone());
    let count = (1 + COLUMNS * CRATES + COLUMNS) as u64;
    // Clones are dropped after the clock is stopped: they are kept here until then.
    let mut used = [(); 3].map(|()| Vec::new());
    let [used_slices, used_steps, used_alone] = &mut used;
    let [slices, with_step, step_alone] = interleave(
        NAME,
        rounds,
        [
            Contender::new("slices", || {
                let mut world = take(slices);
                let bodies = slice_all(&mut world, &crates).unwrap_or(0);
                used_slices.push(world);
                bodies
            }),
            Contender::new("slices and the step after", || {
                let mut world = take(with_step);
                let bodies = slice_all(&mut world, &crates).unwrap_or(0);
                let stepped = world.step(DT).is_ok();
                used_steps.push(world);
                if stepped { bodies } else { 0 }
            }),
            Contender::new("a step with all awake", || {
                let mut world = take(step_alone);
                let stepped = world.step(DT).is_ok();
                used_alone.push(world);
                if stepped { count } else { 0 }
            }),
        ],
    )?;
    for (metric, timing) in [
        ("time of all slices", slices),
        ("time of all slices and the step after", with_step),
        ("time of a step with all awake", step_alone),
    ] {
        run.report
            .push(NAME, metric, "ms", timing.minimum_ns() / 1e6, None);
    }
    Ok(())
}
