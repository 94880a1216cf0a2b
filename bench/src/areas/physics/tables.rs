//! Rows and plots from the measurements.

use std::path::Path;

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
    // Thread counts give the same frames, which is checked for the last: one set of rows a scene and variant.
    for (index, plan) in plans.iter().enumerate() {
        let same_frame = |earlier: &Plan| earlier.scene == plan.scene && earlier.variant == plan.variant;
        if let (false, Some(mine)) = (plans[..index].iter().any(same_frame), results.find(plan, ours)) {
            results.quality(report, plan, mine)?;
        }
    }
    Ok(())
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

    /// For each number of threads and each peer: the means over the scenes that both ran, for the exact scenes and for
    /// each variant, and the difference of a variant's ratio from the exact scenes' ratio.
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

type Metric = (&'static str, &'static str, fn(&Quality) -> f64);

/// The metrics that matter for a scene: joints if it has some, drift if nothing should move.
fn metrics(of: &Quality, at_rest: bool) -> Vec<Metric> {
    let mut metrics: Vec<Metric> = vec![("energy", "J", |quality| quality.energy_j)];
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
        let plans: Vec<Plan> = measured.iter().step_by(2).map(|one| one.plan.clone()).collect();
        let mut report = Report::new("physics");
        let results = Results {
            ours: &BUILDS[0],
            peers: &[&BUILDS[1]],
            plans: &plans,
            measured: &measured,
        };
        results.geometric_means(&mut report);
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
    fn cases_become_names_of_files() {
        assert_eq!(file_name("tumbler 1T"), "tumbler-1T");
        assert_eq!(file_name("joint_grid 2T, size × 0.5"), "joint_grid-2T-size-0.5");
    }
}
