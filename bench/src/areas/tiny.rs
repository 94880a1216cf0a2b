//! Area `tiny`: worlds so small that more workers cannot help; the area checks that they do not hurt either.

use clap::ArgMatches;
use tombolo::physics::{PhysicsWorld, WorldDef};
use tombolo_bench_protocol::saves;
use tombolo_scenes::STEP_S;
use tombolo_threads::Pool;

use super::{Area, Run, no_options};
use crate::measure::{Contender, interleave};

pub(super) const AREA: Area = Area {
    name: "tiny",
    description: "Worlds of few bodies: eight workers beside one",
    options: no_options,
    run,
};

const ROUNDS: usize = 31;
/// The number of steps in one round.
const STEPS: u32 = 500;
/// The number of rows of each pyramid: 10, 55 and 210 boxes.
const ROWS: [u32; 3] = [4, 10, 20];

fn run(_: &ArgMatches, run: &mut Run) -> anyhow::Result<()> {
    let (rounds, steps) = if run.smoke { (1, 10) } else { (ROUNDS, STEPS) };
    let pools = [Pool::new(8)?, Pool::new(1)?];
    for rows in ROWS {
        let boxes = rows * (rows + 1) / 2;
        let case = format!("pyramid of {boxes}");
        let start = pyramid(rows)?;
        let steps_with = |pool: &Pool| {
            let mut world = start.clone();
            for _ in 0..steps {
                world
                    .step_with(STEP_S, pool)
                    .expect("the step's length is a constant in range");
            }
            world.state_hash()
        };
        let [eight, one] = interleave(
            &case,
            rounds,
            [
                Contender::new("8 workers", || steps_with(&pools[0])),
                Contender::new("1 worker", || steps_with(&pools[1])),
            ],
        )?;
        run.report.compare(
            &case,
            "time per step",
            "µs",
            f64::from(steps) * 1e3,
            &eight,
            &[&one],
        );
    }
    Ok(())
}

/// A pyramid of boxes that never sleep.
pub(super) fn pyramid(rows: u32) -> anyhow::Result<PhysicsWorld> {
    let mut world = PhysicsWorld::new(&WorldDef {
        sleeping: false,
        ..WorldDef::default()
    })?;
    saves::pyramid(&mut world, rows)?;
    Ok(world)
}
