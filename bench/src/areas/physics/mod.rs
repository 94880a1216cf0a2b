//! Area `physics`: whole engines on the same scenes.
//!
//! The files, in the order of a run: `builds.rs` builds one runner program per engine and build (`node.rs` what those
//! in Node need), `rounds.rs` runs them in turn and keeps the least time of each step (`script.rs` writes the scenes for those in
//! Node), `check.rs` refuses results that cannot be right, `quality.rs` measures frames by one yardstick for all engines
//! (`recording.rs` has the bodies in them), `tables.rs` makes tables, `sheet.rs` draws last frames side by side.
//!
//! The first engine of the list is "ours": with the default list that is Tombolo.

pub(super) mod builds;
mod check;
mod node;
mod quality;
pub(super) mod recording;
mod rounds;
mod script;
mod sheet;
mod tables;

use anyhow::{Context, bail, ensure};
use clap::{ArgMatches, Args, FromArgMatches};
use tombolo_scenes::{self as scenes, SceneInfo, Suite};

use super::{Area, Run};
use crate::report::print_note;
use builds::Build;
use recording::Recording;
use rounds::{Measured, Plan, Variant};

pub(super) const AREA: Area = Area {
    name: "physics",
    description: "Whole engines on the same scenes: time, stages, memory, quality, last frames",
    options: Options::augment_args,
    run,
};

/// Area `joints`: the same for machines of joints of many kinds, with the error of the joints beside the times.
pub(super) const JOINTS: Area = Area {
    name: "joints",
    description: "Whole engines on machines of joints: cars, rag dolls, ropes, welds, slides, motors; time and joint error",
    options: |command| {
        Options::augment_args(command)
            .mut_arg("scenes", |scenes| scenes.default_value("joints"))
            .mut_arg("engines", |engines| engines.default_value("tombolo,box2d,rapier"))
            .mut_arg("threads", |threads| threads.default_value("1,2"))
    },
    run,
};

/// Area `web`: modules of WebAssembly in Node, and this engine natively.
pub(super) const WEB: Area = Area {
    name: "web",
    description: "Modules of WebAssembly in Node on the same scenes, and Tombolo natively with as many lanes; needs packages/js/build, for peers npm",
    options: |command| {
        Options::augment_args(command).mut_arg("engines", |engines| {
            engines.default_value("tombolo-web,rapier-web,rapier-simd-web,box2d-web,tombolo-four-lanes")
        })
    },
    run,
};

#[derive(Debug, Args)]
struct Options {
    /// Engines and builds, ours first: tombolo, box2d, rapier, rapier-plain, rapier-profiled (tells stages, one thread), avian (three
    /// scenes), tombolo-four-lanes; in Node tombolo-web, rapier-web, rapier-simd-web (an older version, some scenes),
    /// box2d-web
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "tombolo,box2d,rapier,rapier-plain"
    )]
    engines: Vec<String>,
    /// Scenes by name; `all` stands for the published ten, `held-out` for twelve that nothing was tuned to, `joints` for machines of
    /// joints
    #[arg(long, value_delimiter = ',', default_value = "all")]
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
    /// 0 for the exact scenes, other numbers displace bodies by up to 5 % of their size; more than one is run beside
    /// the first
    #[arg(long, value_delimiter = ',', default_value = "0")]
    seed: Vec<u64>,
    /// Multiplies the scenes' sizes, where they allow it; more than one is run beside the first
    #[arg(long, value_delimiter = ',', default_value = "1")]
    size_factor: Vec<f64>,
}

/// The number of steps of a smoke run: enough for first contacts, without sleep.
const SMOKE_STEPS: u32 = 30;

fn run(matches: &ArgMatches, run: &mut Run) -> anyhow::Result<()> {
    compare(&Options::from_arg_matches(matches)?, run)
}

/// Runs engines on scenes and pushes the comparisons.
fn compare(options: &Options, run: &mut Run) -> anyhow::Result<()> {
    let builds = options
        .engines
        .iter()
        .map(|name| builds::find(name))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let plans = plans(options, run.smoke)?;
    for build in &builds {
        for &threads in &options.threads {
            builds::build(build, threads).with_context(|| format!("building the runner `{}`", build.name))?;
        }
    }
    if builds.iter().any(|build| build.reads_scripts()) {
        plans.iter().try_for_each(script::write)?;
    }
    for sentence in rounds::left_out(&builds, &plans) {
        print_note(&sentence);
    }
    let rounds = if run.smoke { 1 } else { options.rounds };
    let mut measured = rounds::measure(&builds, &plans, rounds)?;
    for build in &builds {
        for engine in engines_of(build, &measured) {
            print_note(&format!("{} is {engine}", build.name));
        }
    }
    for plan in &plans {
        let recording = Recording::make(plan)?;
        let of_plan: Vec<&Measured> = measured.iter().filter(|one| one.plan == *plan).collect();
        for (peer, fault) in check::answers(plan, &recording, &of_plan)? {
            print_note(&format!("{peer} has no rows in {}: {fault}", plan.case()));
            measured.retain(|one| one.plan != *plan || one.build.name != peer);
        }
    }
    tables::push(&mut run.report, &builds, &plans, &measured)?;
    for sentence in tables::unlike_awake(&builds, &plans, &measured) {
        print_note(&sentence);
    }
    tables::plot_steps(&run.out, &plans, &measured)?;
    sheet::draw(&run.out.join("physics-frames.png"), &builds, &plans, &measured)
}

/// What the programs of a build call their engine: one that differs by the number of threads has two names.
fn engines_of<'a>(build: &Build, measured: &'a [Measured]) -> Vec<&'a str> {
    let of_build = measured.iter().filter(|one| one.build == build);
    let mut names: Vec<&str> = of_build.map(|one| one.answer.engine.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The exact scenes (or those of the first factor and seed), then one variant for each further number.
fn variants(options: &Options) -> anyhow::Result<Vec<Variant>> {
    let (Some(&size_factor), Some(&seed)) = (options.size_factor.first(), options.seed.first()) else {
        bail!("--size-factor and --seed take at least one number");
    };
    ensure!(
        options
            .size_factor
            .iter()
            .all(|factor| factor.is_finite() && *factor > 0.0),
        "--size-factor takes numbers above 0"
    );
    let sizes = options
        .size_factor
        .iter()
        .map(|&size_factor| Variant { size_factor, seed });
    let seeds = options.seed[1..]
        .iter()
        .map(|&seed| Variant { size_factor, seed });
    Ok(sizes.chain(seeds).collect())
}

fn plans(options: &Options, smoke: bool) -> anyhow::Result<Vec<Plan>> {
    ensure!(
        options.threads.iter().all(|&threads| threads > 0),
        "--threads takes numbers from 1"
    );
    let mut plans = Vec::new();
    for variant in variants(options)? {
        for scene in scenes(&options.scenes)? {
            let base = if smoke { scene.size_small } else { scene.size };
            let size = (f64::from(base) * variant.size_factor).round().max(1.0) as u32;
            if size > scene.size_max {
                print_note(&format!(
                    "{}{} is left out: the scene takes sizes up to {}",
                    scene.name,
                    variant.label(),
                    scene.size_max
                ));
                continue;
            }
            plans.extend(options.threads.iter().map(|&threads| {
                Plan {
                    scene: scene.name,
                    size,
                    variant,
                    steps: options
                        .steps
                        .unwrap_or(if smoke { SMOKE_STEPS } else { scene.steps }),
                    threads,
                }
            }));
        }
    }
    Ok(plans)
}

/// The scenes of these names; `all` stands for the published ones and `held-out` for the held-out ones.
pub(super) fn scenes(names: &[String]) -> anyhow::Result<Vec<&'static SceneInfo>> {
    match names {
        [all] if all == "all" => return Ok(scenes::of_suite(Suite::Published).collect()),
        [held_out] if held_out == "held-out" => return Ok(scenes::of_suite(Suite::HeldOut).collect()),
        [joints] if joints == "joints" => return Ok(scenes::of_suite(Suite::Joints).collect()),
        _ => {}
    }
    let find = |name: &String| {
        scenes::find(name).with_context(|| {
            let known: Vec<&str> = scenes::SCENES.iter().map(|scene| scene.name).collect();
            format!(
                "there is no scene `{name}`; the scenes are {}, `all` for the published ten, `held-out` for the worlds \
                 that nothing was tuned to, and `joints` for machines of joints",
                known.join(", ")
            )
        })
    };
    names.iter().map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(seed: &[u64], size_factor: &[f64]) -> Options {
        Options {
            engines: Vec::new(),
            scenes: vec!["large_pyramid".to_owned(), "tumbler".to_owned()],
            threads: vec![1, 2],
            rounds: 1,
            steps: None,
            seed: seed.to_vec(),
            size_factor: size_factor.to_vec(),
        }
    }

    #[test]
    fn further_seeds_and_sizes_are_run_beside_the_exact_scenes_one_at_a_time() {
        let plans = plans(&options(&[0, 7], &[1.0, 0.5]), false).unwrap();
        let cases: Vec<String> = plans.iter().map(Plan::case).collect();
        assert_eq!(
            cases[..4],
            ["large_pyramid 1T", "large_pyramid 2T", "tumbler 1T", "tumbler 2T"]
        );
        assert_eq!(
            (cases[4].as_str(), plans[4].size),
            ("large_pyramid 1T, size × 0.5", 50)
        );
        assert_eq!(
            (cases[8].as_str(), plans[8].size),
            ("large_pyramid 1T, seed 7", 100)
        );
        assert_eq!(cases.len(), 12);
    }

    #[test]
    fn a_scene_that_cannot_grow_is_left_out_of_larger_variants() {
        let plans = plans(&options(&[0], &[1.0, 2.0]), false).unwrap();
        let names: Vec<&str> = plans.iter().map(|plan| plan.scene).collect();
        assert_eq!(
            names,
            [
                "large_pyramid",
                "large_pyramid",
                "tumbler",
                "tumbler",
                "large_pyramid",
                "large_pyramid"
            ]
        );
        assert!(variants(&options(&[0], &[0.0])).is_err());
    }

    #[test]
    fn all_is_ten_scenes_and_a_wrong_name_is_refused() {
        assert_eq!(scenes(&["all".to_owned()]).unwrap().len(), 10);
        assert_eq!(scenes(&["held-out".to_owned()]).unwrap().len(), 12);
        assert!(scenes(&["pyramid".to_owned()]).is_err());
    }
}
