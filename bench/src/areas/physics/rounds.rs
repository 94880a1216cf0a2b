//! Runs the runners in turn, and keeps the least time of each step over the rounds.
//!
//! The simulations are deterministic: step `k` is the same work in every round, so its least time is the time with the
//! least disturbance. In round-robin order a disturbance of the machine affects all engines alike.

use std::process::Stdio;

use anyhow::{Context, bail, ensure};
use tombolo_bench_protocol::{Answer, Frame, Order};

use super::builds::Build;
use crate::report::Progress;

/// The number of frames of a run whose quality is measured.
const FRAMES: u32 = 12;

/// The differences of a run from the published scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Variant {
    /// A factor of the scene's size.
    pub size_factor: f64,
    /// The seed; 0 for exact positions.
    pub seed: u64,
}

impl Variant {
    /// The suffix of a case's name; empty for the published scene.
    pub(super) fn label(self) -> String {
        let mut label = String::new();
        if self.size_factor != 1.0 {
            label += &format!(", size × {}", self.size_factor);
        }
        if self.seed != 0 {
            label += &format!(", seed {}", self.seed);
        }
        label
    }
}

/// The order that every engine runs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    /// The scene's name.
    pub scene: &'static str,
    /// The scene's size.
    pub size: u32,
    /// The differences from the published scene.
    pub variant: Variant,
    /// Steps to run, the first of which is not timed.
    pub steps: u32,
    /// Threads to run on.
    pub threads: usize,
}

impl Plan {
    /// The name of the case in tables.
    pub(super) fn case(&self) -> String {
        format!("{} {}T{}", self.scene, self.threads, self.variant.label())
    }

    fn order(&self, frames: u32) -> Order {
        let Self {
            size,
            variant,
            steps,
            threads,
            ..
        } = *self;
        Order {
            scene: self.scene.to_owned(),
            size,
            seed: variant.seed,
            steps,
            threads,
            frames,
        }
    }
}

/// The results of one engine for one plan.
#[derive(Debug)]
pub(super) struct Measured {
    /// The plan.
    pub plan: Plan,
    /// The engine's build.
    pub build: &'static Build,
    /// Frames of the second half of the first round.
    pub frames: Vec<Frame>,
    /// The answer of the first round; the others differ from it in their times only.
    pub answer: Answer,
    /// The least time of each step over the rounds, nanoseconds.
    pub least_ns: Vec<u64>,
}

impl Measured {
    /// Milliseconds a step: the mean of the steps' least times.
    pub(super) fn ms_per_step(&self) -> f64 {
        self.least_ns.iter().sum::<u64>() as f64 / self.least_ns.len().max(1) as f64 / 1e6
    }
}

/// A sentence for each plan that a build does not run, ours first: then the plan has no rows.
pub(super) fn left_out(builds: &[&'static Build], plans: &[Plan]) -> Vec<String> {
    let mut sentences = Vec::new();
    for plan in plans {
        for (index, build) in builds.iter().enumerate() {
            let Some(reason) = build.lacks(plan.scene, plan.threads) else {
                continue;
            };
            let so = if index == 0 {
                ", and without ours there is no row"
            } else {
                ""
            };
            sentences.push(format!(
                "{} is left out of {}: {reason}{so}",
                build.name,
                plan.case()
            ));
        }
    }
    sentences
}

/// Runs every plan on every build that can run it, `rounds` times.
///
/// # Errors
/// A runner failed, or one engine gave two different results for one scene.
pub(super) fn measure(
    builds: &[&'static Build],
    plans: &[Plan],
    rounds: usize,
) -> anyhow::Result<Vec<Measured>> {
    let rounds = rounds.max(1);
    let runs: Vec<(&Plan, &'static Build)> = plans
        .iter()
        .flat_map(|plan| builds.iter().map(move |&build| (plan, build)))
        .filter(|(plan, build)| build.lacks(plan.scene, plan.threads).is_none())
        .collect();
    let progress = Progress::start("running the engines in turn", rounds * runs.len()).with_lines();
    let mut measured: Vec<Measured> = Vec::with_capacity(runs.len());
    for round in 0..rounds {
        for (index, &(plan, build)) in runs.iter().enumerate() {
            let context = || format!("{} on {}", build.name, plan.case());
            let (frames, answer) =
                ask(build, plan, if round == 0 { FRAMES } else { 0 }).with_context(context)?;
            if round == 0 {
                let least_ns = answer.step_ns.clone();
                measured.push(Measured {
                    plan: plan.clone(),
                    build,
                    frames,
                    answer,
                    least_ns,
                });
            } else {
                take_least(&mut measured[index], &answer).with_context(context)?;
            }
            progress.advance();
        }
    }
    same_on_every_thread_count(&measured)?;
    Ok(measured)
}

fn ask(build: &Build, plan: &Plan, frames: u32) -> anyhow::Result<(Vec<Frame>, Answer)> {
    let output = build
        .command(plan.threads)
        .args(plan.order(frames).to_arguments())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("starting the runner of {}", build.name))?;
    if !output.status.success() {
        bail!("the runner ended with {}", output.status);
    }
    let (frames, answer) = read(&output.stdout).context("reading the runner's answer")?;
    ensure!(
        answer.step_ns.len() + 1 == plan.steps as usize,
        "the runner timed {} steps",
        answer.step_ns.len()
    );
    Ok((frames, answer))
}

/// Parses a line for each frame, then the answer.
fn read(output: &[u8]) -> anyhow::Result<(Vec<Frame>, Answer)> {
    let mut lines: Vec<&[u8]> = output.trim_ascii_end().split(|&byte| byte == b'\n').collect();
    let answer = serde_json::from_slice(lines.pop().unwrap_or_default())?;
    let frames = lines.into_iter().map(serde_json::from_slice);
    Ok((frames.collect::<Result<_, _>>()?, answer))
}

fn take_least(measured: &mut Measured, answer: &Answer) -> anyhow::Result<()> {
    ensure!(
        measured.answer.hash == answer.hash,
        "two runs of one scene end differently: least times of steps would mean nothing",
    );
    for (least, &time) in measured.least_ns.iter_mut().zip(&answer.step_ns) {
        *least = time.min(*least);
    }
    Ok(())
}

fn same_on_every_thread_count(measured: &[Measured]) -> anyhow::Result<()> {
    for (index, one) in measured.iter().enumerate() {
        let same_scene = |other: &&Measured| {
            let (a, b) = (&one.plan, &other.plan);
            one.build == other.build
                && Plan {
                    threads: b.threads,
                    ..a.clone()
                } == *b
        };
        for other in measured[..index].iter().filter(same_scene) {
            ensure!(
                one.answer.hash == other.answer.hash,
                "{} ends differently on {} and on {} threads in {}",
                one.build.name,
                other.plan.threads,
                one.plan.threads,
                one.plan.scene,
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::builds;
    use super::*;

    #[test]
    fn what_is_not_run_is_told() {
        let plans = [("tumbler", 1), ("washer", 2)].map(|(scene, threads)| Plan {
            scene,
            size: 1,
            variant: Variant {
                size_factor: 1.0,
                seed: 0,
            },
            steps: 1,
            threads,
        });
        let found = |names: [&str; 2]| left_out(&names.map(|name| builds::find(name).unwrap()), &plans);
        assert!(found(["tombolo", "box2d"]).is_empty());
        let of_peer = found(["tombolo", "avian"]);
        assert_eq!(of_peer.len(), 1);
        assert!(
            of_peer[0].starts_with("avian is left out of washer 2T"),
            "{of_peer:?}"
        );
        let of_ours = found(["rapier-plain", "tombolo"]);
        assert_eq!(of_ours.len(), 1);
        assert!(of_ours[0].ends_with("there is no row"), "{of_ours:?}");
    }
}
