//! Rows and plots from the measurements.

use std::path::Path;

use tombolo_bench_protocol::Awake;

use super::builds::Build;
use super::quality::{self, Quality};
use super::rounds::{Measured, Plan, Variant};
use crate::plot;
use crate::report::Report;

/// Pushes times, geometric means, stages, memory and quality. The first build is ours.
pub(super) fn push(
    report: &mut Report,
    builds: &[&'static Build],
    plans: &[Plan],
    measured: &[Measured],
) -> anyhow::Result<()> {
    let Some((ours, peers)) = builds.split_first() else {
        return Ok(());
    };
    let results = Results {
        ours,
        peers,
        plans,
        measured,
    };
    let time = Figure {
        metric: "time per step",
        unit: "ms",
        value: |one, _| Some(one.ms_per_step()),
    };
    for (plan, mine) in results.of_ours() {
        results.compare(report, plan, mine, &time, "");
    }
    results.geometric_means(report);
    let memory = Figure {
        metric: "memory, peak",
        unit: "MB",
        value: |one, _| Some(one.answer.memory_peak_kb? as f64 / 1024.0),
    };
    let contacts = Figure {
        metric: "contacts kept, at the end",
        unit: "",
        value: |one, _| Some(one.answer.counts.contacts? as f64),
    };
    for (plan, mine) in results.of_ours() {
        results.compare(report, plan, mine, &contacts, "");
        results.compare(report, plan, mine, &memory, "");
        for (stage, _) in &mine.answer.stages {
            let figure = Figure {
                metric: &format!("stage {stage}"),
                unit: "ms",
                value: stage_ms,
            };
            results.compare(report, plan, mine, &figure, stage);
        }
    }
    // Thread counts give the same frames, which is checked for the last, and so the same awake bodies: one set of rows a scene and
    // variant.
    for (index, plan) in plans.iter().enumerate() {
        let same_frame = |earlier: &Plan| earlier.scene == plan.scene && earlier.variant == plan.variant;
        if let (false, Some(mine)) = (plans[..index].iter().any(same_frame), results.find(plan, ours)) {
            results.awake(report, plan, mine);
            results.quality(report, plan, mine)?;
        }
    }
    Ok(())
}

/// The scene in which nearly all bodies sleep: its ratio is mostly what a sleeper costs, so that means are told without it as well.
const ASLEEP: &str = "asleep";

/// The difference of the shares of awake bodies from which two engines do different work.
const AWAKE_APART: f64 = 0.1;

/// A sentence for each plan and peer that keeps far more or far fewer bodies awake than ours, or lets them sleep where the scene
/// forbids it: their times are of different work.
pub(super) fn unlike_awake(builds: &[&'static Build], plans: &[Plan], measured: &[Measured]) -> Vec<String> {
    let find = |plan: &Plan, build: &Build| {
        let run = measured
            .iter()
            .find(|one| one.plan == *plan && one.build == build);
        run.and_then(|one| one.answer.awake).map(|awake| awake.mean_share)
    };
    let mut sentences = Vec::new();
    for plan in plans {
        let stays_awake = tombolo_scenes::find(plan.scene).is_some_and(|scene| !scene.sleeping);
        let ours = builds
            .first()
            .and_then(|build| Some((build.name, find(plan, build)?)));
        for build in builds {
            let Some(share) = find(plan, build) else { continue };
            if stays_awake && share < 1.0 {
                sentences.push(format!(
                    "{}: the scene lets nothing sleep, and {share:.2} of the bodies are awake in {}",
                    plan.case(),
                    build.name
                ));
            }
            if let Some((name, ours)) = ours.filter(|(_, ours)| (share - ours).abs() > AWAKE_APART) {
                sentences.push(format!(
                    "{}: {ours:.2} of the bodies are awake in the mean in {name} and {share:.2} in {}: their times are of \
                     different work",
                    plan.case(),
                    build.name
                ));
            }
        }
    }
    sentences
}

/// A figure of one run; the word is for kinds with many figures, such as stages.
struct Figure<'a> {
    metric: &'a str,
    unit: &'static str,
    value: fn(&Measured, &str) -> Option<f64>,
}

fn stage_ms(one: &Measured, stage: &str) -> Option<f64> {
    one.answer
        .stages
        .iter()
        .find(|(name, _)| name == stage)
        .map(|(_, ms)| *ms)
}

/// All measurements, and the index of "ours".
struct Results<'a> {
    ours: &'static Build,
    peers: &'a [&'static Build],
    plans: &'a [Plan],
    measured: &'a [Measured],
}

impl Results<'_> {
    fn find(&self, plan: &Plan, build: &Build) -> Option<&Measured> {
        self.measured
            .iter()
            .find(|one| one.plan == *plan && one.build == build)
    }

    /// The plans that our engine ran, in their order.
    fn of_ours(&self) -> impl Iterator<Item = (&Plan, &Measured)> {
        self.plans
            .iter()
            .filter_map(|plan| Some((plan, self.find(plan, self.ours)?)))
    }

    /// A row for each peer that has the figure; one row without peer if none has.
    fn compare(&self, report: &mut Report, plan: &Plan, mine: &Measured, figure: &Figure<'_>, word: &str) {
        let &Figure { metric, unit, value } = figure;
        let Some(ours) = value(mine, word) else { return };
        let theirs: Vec<(&str, f64)> = self
            .peers
            .iter()
            .filter_map(|peer| Some((peer.name, value(self.find(plan, peer)?, word)?)))
            .collect();
        if theirs.is_empty() {
            report.push(&plan.case(), metric, unit, ours, None);
        }
        for peer in theirs {
            report.push(&plan.case(), metric, unit, ours, Some(peer));
        }
    }

    /// Rows of awake bodies, of a scene in which a body sleeps in one of the engines.
    fn awake(&self, report: &mut Report, plan: &Plan, mine: &Measured) {
        let runs = self.measured.iter().filter(|one| one.plan == *plan);
        if !runs
            .filter_map(|one| one.answer.awake)
            .any(|awake| awake.mean_share < 1.0)
        {
            return;
        }
        let case = format!("{}{}", plan.scene, plan.variant.label());
        let figures: [Metric<Awake>; 2] = [
            ("awake, mean share", "", |awake| awake.mean_share),
            ("all asleep, share of steps", "", |awake| awake.all_asleep_share),
        ];
        let Some(ours) = mine.answer.awake else { return };
        let theirs = self
            .peers
            .iter()
            .filter_map(|peer| Some((peer.name, self.find(plan, peer)?.answer.awake?)));
        let theirs: Vec<(&str, Awake)> = theirs.collect();
        for (metric, unit, value) in figures {
            if theirs.is_empty() {
                report.push(&case, metric, unit, value(&ours), None);
            }
            for (name, awake) in &theirs {
                report.push(&case, metric, unit, value(&ours), Some((name, value(awake))));
            }
        }
    }

    /// For each number of threads and each peer: the means over the scenes that both ran, for the exact scenes and for
    /// each variant, and the difference of a variant's ratio from the exact scenes' ratio. If one of the scenes is [`ASLEEP`],
    /// another mean without it.
    fn geometric_means(&self, report: &mut Report) {
        let Some(exact) = self.plans.first().map(|plan| plan.variant) else {
            return;
        };
        for threads in distinct(self.plans.iter().map(|plan| plan.threads)) {
            for variant in distinct(self.plans.iter().map(|plan| plan.variant)) {
                for peer in self.peers {
                    let scenes = self.scenes_of_both(threads, variant, peer);
                    let Some((mine, theirs)) = self.means(threads, variant, peer, &scenes) else {
                        continue;
                    };
                    let case = format!(
                        "geometric mean of {}, {threads}T{}",
                        scenes.len(),
                        variant.label()
                    );
                    report.push(&case, "time per step", "ms", mine, Some((peer.name, theirs)));
                    self.mean_without_sleepers(report, threads, variant, peer, &scenes);
                    if variant == exact {
                        continue;
                    }
                    // Over the variant's scenes: not every scene accepts every size.
                    if let Some((exact_mine, exact_theirs)) = self.means(threads, exact, peer, &scenes) {
                        let (ratio, exact_ratio) = (mine / theirs, exact_mine / exact_theirs);
                        let metric = "ratio beside that of the first variant";
                        report.push(&case, metric, "", ratio, Some((peer.name, exact_ratio)));
                    }
                }
            }
        }
    }

    fn mean_without_sleepers(
        &self,
        report: &mut Report,
        threads: usize,
        variant: Variant,
        peer: &Build,
        scenes: &[&'static str],
    ) {
        let others: Vec<&'static str> = scenes.iter().copied().filter(|&scene| scene != ASLEEP).collect();
        if others.len() == scenes.len() {
            return;
        }
        if let Some((mine, theirs)) = self.means(threads, variant, peer, &others) {
            let case = format!(
                "geometric mean of {} without {ASLEEP}, {threads}T{}",
                others.len(),
                variant.label()
            );
            report.push(&case, "time per step", "ms", mine, Some((peer.name, theirs)));
        }
    }

    fn scenes_of_both(&self, threads: usize, variant: Variant, peer: &Build) -> Vec<&'static str> {
        self.plans
            .iter()
            .filter(|plan| plan.threads == threads && plan.variant == variant)
            .filter(|plan| self.find(plan, self.ours).is_some() && self.find(plan, peer).is_some())
            .map(|plan| plan.scene)
            .collect()
    }

    /// Geometric means of milliseconds a step, ours and the peer's, over the named scenes; `None` if one of them is
    /// missing or there is none.
    fn means(
        &self,
        threads: usize,
        variant: Variant,
        peer: &Build,
        scenes: &[&'static str],
    ) -> Option<(f64, f64)> {
        let mean = |build: &Build| {
            let times = scenes.iter().map(|&scene| {
                let wanted = |one: &&Measured| {
                    (one.plan.scene, one.plan.threads, one.plan.variant) == (scene, threads, variant)
                        && one.build == build
                };
                self.measured.iter().find(wanted).map(Measured::ms_per_step)
            });
            geometric_mean(&times.collect::<Option<Vec<f64>>>()?)
        };
        Some((mean(self.ours)?, mean(peer)?))
    }

    fn quality(&self, report: &mut Report, plan: &Plan, mine: &Measured) -> anyhow::Result<()> {
        let ours = quality::over(plan, &mine.frames)?;
        let mut theirs = Vec::new();
        for peer in self.peers {
            if let Some(one) = self.find(plan, peer) {
                theirs.push((peer.name, quality::over(plan, &one.frames)?));
            }
        }
        let at_rest = tombolo_scenes::find(plan.scene).is_some_and(|scene| scene.at_rest);
        let case = format!("{}{}", plan.scene, plan.variant.label());
        for (metric, unit, value) in metrics(&ours, at_rest) {
            if theirs.is_empty() {
                report.push(&case, metric, unit, value(&ours), None);
            }
            for (name, quality) in &theirs {
                report.push(&case, metric, unit, value(&ours), Some((name, value(quality))));
            }
        }
        Ok(())
    }
}

/// Each value once, in the order in which they first appear.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// The geometric mean; `None` for no values.
fn geometric_mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|&value| libm::log(value)).sum();
    (!values.is_empty()).then(|| libm::exp(sum / values.len() as f64))
}

type Metric<T> = (&'static str, &'static str, fn(&T) -> f64);

/// The metrics that matter for a scene: joints if it has some, drift if nothing should move.
fn metrics(of: &Quality, at_rest: bool) -> Vec<Metric<Quality>> {
    let mut metrics: Vec<Metric<Quality>> = vec![("energy", "J", |quality| quality.energy_j)];
    if of.penetration_m.count > 0 {
        metrics.push(("penetration, largest", "mm", |quality| {
            quality.penetration_m.max * 1e3
        }));
        metrics.push(("penetration, mean", "mm", |quality| {
            quality.penetration_m.mean * 1e3
        }));
    }
    if of.joint_separation_m.count > 0 {
        metrics.push(("joint separation, largest", "mm", |quality| {
            quality.joint_separation_m.max * 1e3
        }));
        metrics.push(("joint separation, mean", "mm", |quality| {
            quality.joint_separation_m.mean * 1e3
        }));
    }
    if at_rest {
        metrics.push(("drift, largest", "mm", |quality| quality.drift_m.max * 1e3));
        metrics.push(("drift, mean", "mm", |quality| quality.drift_m.mean * 1e3));
    }
    metrics
}

/// One plot a plan: the least time of each step, engine by engine.
pub(super) fn plot_steps(out: &Path, plans: &[Plan], measured: &[Measured]) -> anyhow::Result<()> {
    for plan in plans {
        let line = |one: &Measured| plot::Line {
            name: one.build.name.to_owned(),
            points: one
                .least_ns
                .iter()
                .enumerate()
                .map(|(step, &ns)| (step as f64 + 2.0, ns as f64 / 1e6))
                .collect(),
        };
        let lines: Vec<plot::Line> = measured
            .iter()
            .filter(|one| one.plan == *plan)
            .map(line)
            .collect();
        let axes = plot::Axes {
            title: &plan.case(),
            x: "step",
            y: "milliseconds",
            scale: plot::Scale::Linear,
        };
        plot::lines(
            &out.join(format!("physics-{}", file_name(&plan.case()))),
            &axes,
            &lines,
        )?;
    }
    Ok(())
}

/// Letters and digits of a case with single hyphens between them.
fn file_name(case: &str) -> String {
    let words = case.split(|letter: char| !(letter.is_ascii_alphanumeric() || "._".contains(letter)));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::super::builds::BUILDS;
    use super::*;
    use tombolo_bench_protocol::Answer;

    fn awake(run: &mut Measured, mean_share: f64) {
        run.answer.awake = Some(Awake {
            mean_share,
            all_asleep_share: 0.0,
        });
    }

    const EXACT: Variant = Variant {
        size_factor: 1.0,
        seed: 0,
    };

    /// A run of one timed step.
    fn run(build: usize, scene: &'static str, variant: Variant, ms: u64) -> Measured {
        Measured {
            plan: Plan {
                scene,
                size: 1,
                variant,
                steps: 2,
                threads: 1,
            },
            build: &BUILDS[build],
            frames: Vec::new(),
            answer: Answer::default(),
            least_ns: vec![ms * 1_000_000],
        }
    }

    /// The means over runs of ours and of a peer in turn.
    fn means_of(measured: &[Measured]) -> Report {
        let plans: Vec<Plan> = measured.iter().step_by(2).map(|one| one.plan.clone()).collect();
        let results = Results {
            ours: &BUILDS[0],
            peers: &[&BUILDS[1]],
            plans: &plans,
            measured,
        };
        let mut report = Report::new("physics");
        results.geometric_means(&mut report);
        report
    }

    #[test]
    fn a_variant_stands_beside_the_exact_scenes_that_it_has() {
        let half = Variant {
            size_factor: 0.5,
            ..EXACT
        };
        // Ratios: 2 / 1 and 2 / 4 for the exact scenes, 6 / 2 for the first scene at half its size.
        let measured = [
            run(0, "large_pyramid", EXACT, 2),
            run(1, "large_pyramid", EXACT, 1),
            run(0, "tumbler", EXACT, 2),
            run(1, "tumbler", EXACT, 4),
            run(0, "large_pyramid", half, 6),
            run(1, "large_pyramid", half, 2),
        ];
        let report = means_of(&measured);
        let rows: Vec<(&str, f64)> = report
            .rows()
            .iter()
            .map(|row| (row.case.as_str(), row.ratio.unwrap()))
            .collect();
        let expected = [
            ("geometric mean of 2, 1T", 1.0),
            ("geometric mean of 1, 1T, size × 0.5", 3.0),
            ("geometric mean of 1, 1T, size × 0.5", 1.5),
        ];
        assert_eq!(rows.len(), expected.len());
        for (row, expected) in rows.iter().zip(expected) {
            assert_eq!(row.0, expected.0);
            assert!((row.1 - expected.1).abs() < 1e-12, "{row:?}");
        }
    }

    #[test]
    fn a_mean_over_scenes_with_sleepers_is_told_without_them_too() {
        // Ratios: 4 / 1 and 1 / 8.
        let measured = [
            run(0, "free_fall", EXACT, 4),
            run(1, "free_fall", EXACT, 1),
            run(0, ASLEEP, EXACT, 1),
            run(1, ASLEEP, EXACT, 8),
        ];
        let report = means_of(&measured);
        let ratios: Vec<(&str, f64)> = report
            .rows()
            .iter()
            .map(|row| (row.case.as_str(), row.ratio.unwrap()))
            .collect();
        assert_eq!(ratios[0].0, "geometric mean of 2, 1T");
        assert!((ratios[0].1 - libm::sqrt(0.5)).abs() < 1e-12);
        assert_eq!(ratios[1].0, "geometric mean of 1 without asleep, 1T");
        assert!((ratios[1].1 - 4.0).abs() < 1e-12);
        assert_eq!(ratios.len(), 2);
    }

    #[test]
    fn engines_that_keep_other_bodies_awake_are_told_apart() {
        let told = |scene, shares: [f64; 2]| {
            let mut measured = [run(0, scene, EXACT, 1), run(1, scene, EXACT, 1)];
            measured
                .iter_mut()
                .zip(shares)
                .for_each(|(run, share)| awake(run, share));
            let plans = [measured[0].plan.clone()];
            let builds = [&BUILDS[0], &BUILDS[1]];
            let mut report = Report::new("physics");
            let results = Results {
                ours: builds[0],
                peers: &builds[1..],
                plans: &plans,
                measured: &measured,
            };
            results.awake(&mut report, &plans[0], &measured[0]);
            let rows: Vec<(f64, Option<f64>)> =
                report.rows().iter().map(|row| (row.ours, row.theirs)).collect();
            (unlike_awake(&builds, &plans, &measured), rows)
        };
        assert_eq!(told("washer", [1.0, 1.0]), (vec![], vec![]));
        let (sentences, rows) = told("washer", [0.25, 0.3]);
        assert!(sentences.is_empty(), "{sentences:?}");
        assert_eq!(rows, [(0.25, Some(0.3)), (0.0, Some(0.0))]);
        let (sentences, _) = told("washer", [0.25, 1.0]);
        assert_eq!(sentences.len(), 1);
        assert!(sentences[0].contains("different work"), "{sentences:?}");
        let (sentences, _) = told("free_fall", [1.0, 0.95]);
        assert!(sentences[0].contains("lets nothing sleep"), "{sentences:?}");
    }

    #[test]
    fn cases_become_names_of_files() {
        assert_eq!(file_name("tumbler 1T"), "tumbler-1T");
        assert_eq!(file_name("joint_grid 2T, size × 0.5"), "joint_grid-2T-size-0.5");
    }
}
