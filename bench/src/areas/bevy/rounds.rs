//! Runs the apps of a plan in turn, each in a process of its own, and keeps the least time of each update.

use anyhow::{Context, ensure};
use tombolo_bench_protocol::apps::{AppAnswer, AppOrder, AppWorld, Content, Schedules};

use super::super::physics::builds::Build;
use crate::report::Progress;

/// A world on a number of threads.
pub(super) struct Plan {
    pub(super) world: AppWorld,
    pub(super) size: u32,
    pub(super) steps: u32,
    pub(super) threads: usize,
}

impl Plan {
    pub(super) fn new(world: AppWorld, threads: usize, smoke: bool) -> Self {
        let size = match (world, smoke) {
            (AppWorld::Pyramid, false) => 100,
            (AppWorld::Falling, false) => 10_000,
            (AppWorld::Pyramid, true) => 10,
            (AppWorld::Falling, true) => 500,
        };
        let steps = if smoke { 12 } else { 100 };
        Self {
            world,
            size,
            steps,
            threads,
        }
    }

    /// The words in the rows.
    pub(super) fn case(&self) -> String {
        let boxes = match self.world {
            AppWorld::Pyramid => format!("pyramid of {}", self.size * (self.size + 1) / 2),
            AppWorld::Falling => format!("{} falling", self.size),
        };
        format!("{boxes} {}T", self.threads)
    }

    /// The order of an app.
    pub(super) fn order(&self, content: Content, schedules: Schedules) -> AppOrder {
        AppOrder {
            world: self.world,
            size: self.size,
            steps: self.steps,
            threads: self.threads,
            content,
            schedules,
        }
    }
}

/// A plugin in an app.
#[derive(Clone, Copy)]
pub(super) struct Contender {
    pub(super) build: &'static Build,
    pub(super) content: Content,
    pub(super) schedules: Schedules,
}

/// The result of an app.
pub(super) struct Measured {
    pub(super) contender: Contender,
    /// The plugin's name and releases.
    pub(super) plugin: String,
    /// The least time of each update over the rounds.
    update_ns: Vec<u64>,
    /// The least time of each step; empty if the runner does not tell.
    step_ns: Vec<u64>,
    /// The boxes after the last update.
    pub(super) places: Vec<[f32; 3]>,
}

impl Measured {
    /// Whether it is this plugin with this content.
    pub(super) fn is(&self, build: &Build, content: Content) -> bool {
        self.contender.build == build && self.contender.content == content
    }

    /// The mean of the updates, in milliseconds.
    pub(super) fn update_ms(&self) -> f64 {
        mean_ms(&self.update_ns).expect("a run has updates")
    }

    /// The mean of the steps in them; `None` if the runner does not tell.
    pub(super) fn step_ms(&self) -> Option<f64> {
        mean_ms(&self.step_ns)
    }
}

fn mean_ms(ns: &[u64]) -> Option<f64> {
    let sum: u64 = ns.iter().sum();
    (!ns.is_empty()).then(|| sum as f64 * 1e-6 / ns.len() as f64)
}

/// Runs all contenders in turn, so often.
pub(super) fn measure(plan: &Plan, contenders: &[Contender], rounds: usize) -> anyhow::Result<Vec<Measured>> {
    let progress = Progress::start(&plan.case(), rounds * contenders.len()).with_lines();
    let mut measured: Vec<Measured> = Vec::new();
    for round in 0..rounds {
        for (i, contender) in contenders.iter().enumerate() {
            let order = plan.order(contender.content, contender.schedules);
            let answer: AppAnswer = contender
                .build
                .ask_on(plan.threads, order.to_arguments())
                .with_context(|| format!("{} on {}", contender.build.name, plan.case()))?;
            if round == 0 {
                measured.push(Measured {
                    contender: *contender,
                    plugin: answer.plugin,
                    update_ns: answer.update_ns,
                    step_ns: answer.step_ns,
                    places: answer.places,
                });
            } else {
                keep_least(&mut measured[i].update_ns, &answer.update_ns)?;
                keep_least(&mut measured[i].step_ns, &answer.step_ns)?;
            }
            progress.advance();
        }
    }
    Ok(measured)
}

fn keep_least(least: &mut [u64], round: &[u64]) -> anyhow::Result<()> {
    ensure!(least.len() == round.len(), "a run has another number of updates");
    for (least, &ns) in least.iter_mut().zip(round) {
        *least = ns.min(*least);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_update_counts_with_its_least_time() {
        let mut least = [30, 10, 20];
        keep_least(&mut least, &[20, 20, 20]).unwrap();
        assert_eq!(least, [20, 10, 20]);
        assert!(keep_least(&mut least, &[1]).is_err());
        assert_eq!(mean_ms(&[1_000_000, 3_000_000]), Some(2.0));
        assert_eq!(mean_ms(&[]), None);
    }

    #[test]
    fn a_plan_is_named_by_its_boxes_and_threads() {
        assert_eq!(
            Plan::new(AppWorld::Pyramid, 2, false).case(),
            "pyramid of 5050 2T"
        );
        assert_eq!(Plan::new(AppWorld::Falling, 1, false).case(), "10000 falling 1T");
    }
}
