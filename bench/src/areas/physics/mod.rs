//! Area `physics`: whole engines on the same scenes.
//!
//! The rooms, in the order of a run: `builds.rs` builds one runner program per engine and build, `rounds.rs` runs them
//! in turn and keeps the least time of each step, `check.rs` refuses answers that can't be right, `quality.rs` measures
//! the last frame by one yardstick for all engines, `tables.rs` makes rows, `sheet.rs` draws last frames side by side.
//!
//! The first engine of the list is "ours": with the default list that is Tombolo.

mod builds;
mod check;
mod quality;
mod rounds;
mod sheet;
mod tables;

use anyhow::{Context, ensure};
use clap::{ArgMatches, Args, FromArgMatches};
use tombolo::scenes::{self, SceneInfo};

use super::{Area, Run};
use quality::Recording;
use rounds::{Measured, Plan};

pub(super) const AREA: Area = Area {
    name: "physics",
    description: "Whole engines on the same scenes: time, stages, memory, quality, last frames",
    options: Options::augment_args,
    run,
};

#[derive(Debug, Args)]
struct Options {
    /// Engines and builds, ours first: tombolo, box2d, rapier, rapier-plain
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "tombolo,box2d,rapier,rapier-plain"
    )]
    engines: Vec<String>,
    /// Scenes by name
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "large_pyramid,many_pyramids,tumbler,joint_grid"
    )]
    scenes: Vec<String>,
    /// Numbers of threads; a build without threads runs with 1 only
    #[arg(long, value_delimiter = ',', default_value = "1")]
    threads: Vec<usize>,
    /// How often each run is repeated; each step counts with its least time
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Steps of each run instead of the scene's own number
    #[arg(long)]
    steps: Option<u32>,
    /// 0 for the exact scenes, other numbers displace bodies by up to 5 % of their size
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// Steps of a smoke run: enough for first contacts, sleep left out.
const SMOKE_STEPS: u32 = 30;

fn run(matches: &ArgMatches, run: &mut Run) -> anyhow::Result<()> {
    let options = Options::from_arg_matches(matches)?;
    let builds = options
        .engines
        .iter()
        .map(|name| builds::find(name))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let plans = plans(&options, run.smoke)?;
    for build in &builds {
        builds::build(build).with_context(|| format!("building the runner `{}`", build.name))?;
    }
    let rounds = if run.smoke { 1 } else { options.rounds };
    let measured = rounds::measure(&builds, &plans, rounds)?;
    for plan in &plans {
        let recording = Recording::make(plan)?;
        let of_plan: Vec<&Measured> = measured.iter().filter(|one| one.plan == *plan).collect();
        check::answers(plan, &recording, &of_plan)?;
    }
    tables::push(&mut run.report, &builds, &plans, &measured)?;
    tables::plot_steps(&run.out, &plans, &measured)?;
    sheet::draw(&run.out.join("physics-frames.png"), &builds, &plans, &measured)
}

fn plans(options: &Options, smoke: bool) -> anyhow::Result<Vec<Plan>> {
    ensure!(
        options.threads.iter().all(|&threads| threads > 0),
        "--threads takes numbers from 1"
    );
    let mut plans = Vec::new();
    for name in &options.scenes {
        let scene: &SceneInfo = scenes::find(name).with_context(|| {
            let known: Vec<&str> = scenes::SCENES.iter().map(|scene| scene.name).collect();
            format!("there is no scene `{name}`; the scenes are {}", known.join(", "))
        })?;
        for &threads in &options.threads {
            plans.push(Plan {
                scene: scene.name,
                size: if smoke { scene.size_small } else { scene.size },
                seed: options.seed,
                steps: options
                    .steps
                    .unwrap_or(if smoke { SMOKE_STEPS } else { scene.steps }),
                threads,
            });
        }
    }
    Ok(plans)
}
