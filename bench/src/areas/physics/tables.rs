//! Rows and plots from what was measured.

use std::path::Path;

use super::builds::Build;
use super::quality::{Quality, Recording};
use super::rounds::{Measured, Plan};
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
    let find = |plan: &Plan, build: &Build| {
        measured
            .iter()
            .find(|one| one.plan == *plan && one.build == build)
    };
    for plan in plans {
        let Some(mine) = find(plan, ours) else { continue };
        compare(report, plan, "time per step", "ms", mine, peers, &find, |one| {
            Some(one.ms_per_step())
        });
    }
    geometric_means(report, ours, peers, plans, &find);
    for plan in plans {
        let Some(mine) = find(plan, ours) else { continue };
        let megabytes = |one: &Measured| {
            one.answer
                .memory_peak_kb
                .map(|kilobytes| kilobytes as f64 / 1024.0)
        };
        compare(report, plan, "memory, peak", "MB", mine, peers, &find, megabytes);
        for (stage, _) in &mine.answer.stages {
            compare(
                report,
                plan,
                &format!("stage {stage}"),
                "ms",
                mine,
                peers,
                &find,
                |one| stage_ms(one, stage),
            );
        }
    }
    // Thread counts give the same last frame, which is checked: one set of rows a scene.
    for (index, plan) in plans.iter().enumerate() {
        let first_of_scene = plans[..index].iter().all(|earlier| earlier.scene != plan.scene);
        if let (true, Some(mine)) = (first_of_scene, find(plan, ours)) {
            quality(report, plan, mine, peers, &find)?;
        }
    }
    Ok(())
}

/// A row for each peer that has the figure; one row without peer if none has.
#[allow(clippy::too_many_arguments)]
fn compare<'a>(
    report: &mut Report,
    plan: &Plan,
    metric: &str,
    unit: &'static str,
    mine: &'a Measured,
    peers: &[&'static Build],
    find: &impl Fn(&Plan, &Build) -> Option<&'a Measured>,
    value: impl Fn(&'a Measured) -> Option<f64>,
) {
    let Some(ours) = value(mine) else { return };
    let theirs: Vec<(&str, f64)> = peers
        .iter()
        .filter_map(|peer| Some((peer.name, value(find(plan, peer)?)?)))
        .collect();
    if theirs.is_empty() {
        report.push(&plan.case(), metric, unit, ours, None);
    }
    for peer in theirs {
        report.push(&plan.case(), metric, unit, ours, Some(peer));
    }
}

fn stage_ms(one: &Measured, stage: &str) -> Option<f64> {
    one.answer
        .stages
        .iter()
        .find(|(name, _)| name == stage)
        .map(|(_, ms)| *ms)
}

/// Over the scenes that both ran, for each number of threads.
fn geometric_means<'a>(
    report: &mut Report,
    ours: &'static Build,
    peers: &[&'static Build],
    plans: &[Plan],
    find: &impl Fn(&Plan, &Build) -> Option<&'a Measured>,
) {
    let mut threads: Vec<usize> = plans.iter().map(|plan| plan.threads).collect();
    threads.sort_unstable();
    threads.dedup();
    for count in threads {
        for peer in peers {
            let both: Vec<(f64, f64)> = plans
                .iter()
                .filter(|plan| plan.threads == count)
                .filter_map(|plan| Some((find(plan, ours)?.ms_per_step(), find(plan, peer)?.ms_per_step())))
                .collect();
            if both.is_empty() {
                continue;
            }
            let mean = |values: &mut dyn Iterator<Item = f64>| {
                libm::exp(values.map(libm::log).sum::<f64>() / both.len() as f64)
            };
            let mine = mean(&mut both.iter().map(|pair| pair.0));
            let theirs = mean(&mut both.iter().map(|pair| pair.1));
            let case = format!("geometric mean {count}T");
            report.push(&case, "time per step", "ms", mine, Some((peer.name, theirs)));
        }
    }
}

fn quality<'a>(
    report: &mut Report,
    plan: &Plan,
    mine: &'a Measured,
    peers: &[&'static Build],
    find: &impl Fn(&Plan, &Build) -> Option<&'a Measured>,
) -> anyhow::Result<()> {
    let recording = Recording::make(plan)?;
    let ours = recording.measure(&mine.answer.bodies)?;
    let mut theirs = Vec::new();
    for peer in peers {
        if let Some(one) = find(plan, peer) {
            theirs.push((peer.name, recording.measure(&one.answer.bodies)?));
        }
    }
    let at_rest = tombolo::scenes::find(plan.scene).is_some_and(|scene| scene.at_rest);
    for (metric, unit, value) in metrics(&ours, at_rest) {
        if theirs.is_empty() {
            report.push(plan.scene, metric, unit, value(&ours), None);
        }
        for (name, quality) in &theirs {
            report.push(
                plan.scene,
                metric,
                unit,
                value(&ours),
                Some((name, value(quality))),
            );
        }
    }
    Ok(())
}

type Metric = (&'static str, &'static str, fn(&Quality) -> f64);

/// What says something about a scene: joints where there are some, drift where nothing should move.
fn metrics(of: &Quality, at_rest: bool) -> Vec<Metric> {
    let mut metrics: Vec<Metric> = vec![("energy at the end", "J", |quality| quality.energy_j)];
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
        };
        plot::lines(
            &out.join(format!("physics-{}-{}", plan.scene, plan.threads)),
            &axes,
            &lines,
        )?;
    }
    Ok(())
}
