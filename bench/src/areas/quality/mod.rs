//! Area `quality`: the accuracy of engines, case by case, with the same builds that area `physics` times.
//!
//! The files, in the order of a run: `cases.rs` lists the worlds and the figures of each, `seen.rs` has a runner step
//! one and records the poses of all bodies after every step, `measures.rs` computes figures, `verdict.rs` decides which
//! of ours fall short. The worlds themselves are `bench/protocol/src/worlds/`; overlaps are measured by `yardstick.rs`,
//! for every engine alike.
//!
//! A figure of ours above 1.2 times the better peer's falls short, and the run fails, unless it is no worse than
//! Box2D's or `verdict.rs` has a reason.

mod cases;
mod measures;
mod seen;
mod verdict;

use anyhow::Context;
use clap::{ArgMatches, Args, FromArgMatches};

use super::physics::builds::{self, Build};
use super::{Area, Run};
use crate::report::Progress;
use cases::Case;
use seen::Seen;

pub(super) const AREA: Area = Area {
    name: "quality",
    description: "Whole engines on small worlds: sinking, creep, jitter, overlap, bounces; fails where ours is worse",
    options: Options::augment_args,
    run,
};

#[derive(Debug, Args)]
struct Options {
    /// Engines, ours first; any of area `physics`
    #[arg(long, value_delimiter = ',', default_value = "tombolo,box2d,rapier")]
    engines: Vec<String>,
    /// Only cases whose names contain one of these
    #[arg(long, value_delimiter = ',')]
    cases: Vec<String>,
}

fn run(matches: &ArgMatches, run: &mut Run) -> anyhow::Result<()> {
    let options = Options::from_arg_matches(matches)?;
    let wanted = |case: &Case| {
        (!run.smoke || case.smoke)
            && (options.cases.is_empty() || options.cases.iter().any(|part| case.name.contains(part)))
    };
    let cases: Vec<Case> = cases::all().into_iter().filter(wanted).collect();
    let builds = options
        .engines
        .iter()
        .map(|name| builds::find(name))
        .collect::<anyhow::Result<Vec<&'static Build>>>()?;
    for build in &builds {
        builds::build(build, 1).with_context(|| format!("building the runner `{}`", build.name))?;
    }
    let progress = Progress::start("watching the engines", cases.len() * builds.len()).with_lines();
    for case in &cases {
        let mut figures: Vec<Vec<Option<f64>>> = vec![Vec::new(); case.measures.len()];
        for build in &builds {
            let lacks = case.lacked_by.iter().any(|engine| build.name.starts_with(engine));
            let seen = if lacks {
                None
            } else {
                let context = || format!("{} on {}", build.name, case.name);
                Some(Seen::by(build, &case.world, case.steps).with_context(context)?)
            };
            for (figures, measure) in figures.iter_mut().zip(&case.measures) {
                figures.push(seen.as_ref().map(measure.figure));
            }
            progress.advance();
        }
        for (figures, measure) in figures.iter().zip(&case.measures) {
            verdict::push(run, case, measure, &options.engines, figures);
        }
    }
    Ok(())
}
