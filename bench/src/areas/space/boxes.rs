//! Boxes in the plane: building, moving, queries, and queries after long movement.

use std::hint::black_box;

use anyhow::ensure;
use tombolo_geometry::orthtree::Region;

use super::super::Run;
use super::contenders::{Boxes, Ours, Parry, RStar, grid};
use super::scene::{Question, Random, Scene, Shift, Spread};
use crate::measure::{Contender, interleave};
use crate::plot::{self, Axes, Line, Scale};

const KINDS: [&str; 4] = ["box", "ball", "segment", "convex"];
const QUESTION_COUNT: usize = 2_000;
/// The share of objects that move, and their distance in meters.
const MOVES: [(f64, f32); 6] = [
    (0.01, 0.1),
    (0.01, 100.0),
    (0.1, 0.1),
    (0.1, 100.0),
    (1.0, 0.1),
    (1.0, 100.0),
];

fn all(scene: &Scene) -> [Box<dyn Boxes>; 4] {
    [
        Box::new(Ours::new(scene, false)),
        Box::new(RStar::new(scene)),
        Box::new(Parry::new(scene)),
        Box::new(grid(scene)),
    ]
}

/// Building from nothing, bytes, and queries of all kinds.
pub(super) fn queries(run: &mut Run, sizes: &[usize]) -> anyhow::Result<()> {
    let mut lines: Vec<Line> = Vec::new();
    for spread in Spread::BOTH {
        for &count in sizes {
            let scene = Scene::new(count, spread);
            build(run, &scene)?;
            let contenders = all(&scene);
            for contender in &contenders[1..] {
                let ours = contenders[0].bytes().expect("ours can tell") as f64 / count as f64;
                if let Some(bytes) = contender.bytes() {
                    let theirs = (contender.name(), bytes as f64 / count as f64);
                    run.report
                        .push(&scene.name, "bytes per object", "B", ours, Some(theirs));
                }
            }
            let times = ask_all(run, &scene.name, &scene, &contenders)?;
            views(run, &scene)?;
            if spread == Spread::Uniform {
                for (contender, time) in contenders.iter().zip(times) {
                    let point = (count as f64, time);
                    match lines.iter_mut().find(|line| line.name == contender.name()) {
                        Some(line) => line.points.push(point),
                        None => lines.push(Line {
                            name: contender.name().to_owned(),
                            points: vec![point],
                        }),
                    }
                }
            }
        }
    }
    let axes = Axes {
        title: "a box query of 20 m, uniform boxes of 1 m, ten square meters each",
        x: "objects",
        y: "nanoseconds",
        scale: Scale::Logarithmic,
    };
    plot::lines(&run.out.join("space-box-query"), &axes, &lines)
}

fn build(run: &mut Run, scene: &Scene) -> anyhow::Result<()> {
    let rounds = if run.smoke { 1 } else { 5 };
    let [ours, single, rstar, parry, cells] = interleave(
        &format!("{}, build", scene.name),
        rounds,
        [
            Contender::new("tombolo", || done(Ours::new(scene, false))),
            Contender::new("tombolo", || done(Ours::one_by_one(scene))),
            Contender::new("rstar", || done(RStar::new(scene))),
            Contender::new("parry", || done(Parry::new(scene))),
            Contender::new("grid", || done(grid(scene))),
        ],
    )?;
    let count = scene.boxes.len() as f64;
    run.report.compare(
        &scene.name,
        "build, per object",
        "ns",
        count,
        &ours,
        &[&rstar, &parry, &cells],
    );
    run.report.compare(
        &scene.name,
        "build one by one, per object",
        "ns",
        count,
        &single,
        &[&cells],
    );
    Ok(())
}

fn done<T>(made: T) -> u64 {
    black_box(made);
    0
}

/// Queries all contenders, checks that they agree, and returns the times of a box query.
fn ask_all(
    run: &mut Run,
    case: &str,
    scene: &Scene,
    contenders: &[Box<dyn Boxes>; 4],
) -> anyhow::Result<[f64; 4]> {
    let rounds = if run.smoke { 1 } else { 15 };
    let mut times = [0.0; 4];
    for kind in KINDS {
        let count = if run.smoke { 200 } else { QUESTION_COUNT };
        let questions = scene.questions(kind, count);
        check(case, kind, scene, &questions, contenders, run.smoke)?;
        let timings = interleave(
            &format!("{case}, {kind}"),
            rounds,
            contenders.each_ref().map(|contender| {
                let questions = &questions;
                Contender::new(contender.name(), move || {
                    let found: u64 = questions.iter().map(|question| contender.ask(question).0).sum();
                    black_box(found);
                    0
                })
            }),
        )?;
        let peers: Vec<_> = timings[1..].iter().collect();
        let metric = format!("{kind} query");
        run.report
            .compare(case, &metric, "ns", count as f64, &timings[0], &peers);
        if kind == "box" {
            times = timings
                .each_ref()
                .map(|timing| timing.minimum_ns() / count as f64);
        }
    }
    Ok(times)
}

/// The gain by the box around a camera's sides.
fn views(run: &mut Run, scene: &Scene) -> anyhow::Result<()> {
    let ours = Ours::new(scene, false);
    let questions = scene.questions("convex", if run.smoke { 200 } else { QUESTION_COUNT });
    let [with, without] = interleave(
        &format!("{}, views", scene.name),
        if run.smoke { 1 } else { 15 },
        [
            Contender::new("tombolo", || {
                done(questions.iter().map(|question| ours.ask(question).0).sum::<u64>())
            }),
            Contender::new("sides alone", || {
                let views = questions.iter().map(|question| match question {
                    Question::Convex(view) => ours.count_without_box(view),
                    _ => 0,
                });
                done(views.sum::<u64>())
            }),
        ],
    )?;
    let metric = "convex query, the box around it";
    run.report.compare(
        &scene.name,
        metric,
        "ns",
        questions.len() as f64,
        &with,
        &[&without],
    );
    Ok(())
}

/// Boxes and views are compared exactly by all; for balls and segments the peers round to `f32`, so that one in a
/// thousand found may differ. In the smoke run ours is compared with brute force.
fn check(
    case: &str,
    kind: &str,
    scene: &Scene,
    questions: &[Question],
    contenders: &[Box<dyn Boxes>; 4],
    exactly: bool,
) -> anyhow::Result<()> {
    let answers = contenders.each_ref().map(|contender| {
        let sums = questions.iter().map(|question| contender.ask(question));
        sums.fold((0, 0), |sum, answer| (sum.0 + answer.0, sum.1 + answer.1))
    });
    for (contender, answer) in contenders.iter().zip(&answers) {
        let name = contender.name();
        ensure!(answer.0 > 0, "{case}: `{name}` finds nothing");
        let same = match kind {
            "box" | "convex" => *answer == answers[0],
            _ => answer.0.abs_diff(answers[0].0) * 1000 <= answers[0].0,
        };
        ensure!(
            same,
            "{case}, {kind}: `{name}` finds {answer:?}, ours {:?}",
            answers[0]
        );
    }
    if exactly {
        for question in questions {
            let expected = by_brute_force(scene, question);
            let found = contenders[0].ask(question);
            ensure!(
                found == expected,
                "{case}, {kind}: ours finds {found:?}, brute force {expected:?}"
            );
        }
    }
    Ok(())
}

fn by_brute_force(scene: &Scene, question: &Question) -> (u64, u64) {
    let overlaps = |bounds| match question {
        Question::Box(region) => Region::overlaps(region, bounds),
        Question::Ball(region) => region.overlaps(bounds),
        Question::Segment(region) => region.overlaps(bounds),
        Question::Convex(view) => view.region().overlaps(bounds),
    };
    let mut sum = (0, 0);
    for (index, bounds) in scene.boxes.iter().enumerate() {
        if overlaps(bounds) {
            sum = (sum.0 + 1, sum.1 + index as u64);
        }
    }
    sum
}

/// One step of movement: some of the boxes, near and far.
pub(super) fn moves(run: &mut Run, sizes: &[usize]) -> anyhow::Result<()> {
    for spread in Spread::BOTH {
        for &count in sizes {
            for (share, way) in MOVES {
                move_case(run, count, spread, share, way)?;
            }
        }
    }
    Ok(())
}

fn move_case(run: &mut Run, count: usize, spread: Spread, share: f64, way: f32) -> anyhow::Result<()> {
    let rounds = match count {
        _ if run.smoke => 1,
        0..=100_000 => 7,
        _ => 2,
    };
    let start = Scene::new(count, spread);
    let mut scene = start.clone();
    let random = &mut Random(3);
    let steps: Vec<Vec<Shift>> = (0..=rounds).map(|_| scene.step(random, share, way)).collect();
    let mut contenders: [Box<dyn Boxes>; 5] = [
        Box::new(Ours::new(&start, false)),
        Box::new(Ours::new(&start, true)),
        Box::new(RStar::new(&start)),
        Box::new(Parry::new(&start)),
        Box::new(grid(&start)),
    ];
    let case = format!("{}, {} % by {way} m", start.name, share * 100.0);
    let [ours, batch, rstar, parry, cells] = interleave(
        &case,
        rounds,
        contenders.each_mut().map(|contender| {
            let mut steps = steps.iter();
            let name = contender.name();
            Contender::new(name, move || {
                contender.step(steps.next().expect("a step for each round"));
                0
            })
        }),
    )?;
    let moved = steps[0].len() as f64;
    run.report
        .compare(&case, "move", "ns", moved, &ours, &[&rstar, &parry, &cells]);
    run.report
        .compare(&case, "move, in a batch", "ns", moved, &batch, &[&rstar, &parry]);
    let [ours, _, rstar, parry, cells] = contenders;
    let after = [ours, rstar, parry, cells];
    let questions = scene.questions("box", 200);
    check(&case, "box", &scene, &questions, &after, run.smoke)
}

/// The same queries after a thousand steps in which a tenth of the boxes move by up to 2 m.
pub(super) fn aged(run: &mut Run, sizes: &[usize]) -> anyhow::Result<()> {
    for &count in sizes {
        for spread in Spread::BOTH {
            age(run, count, spread)?;
        }
    }
    Ok(())
}

fn age(run: &mut Run, count: usize, spread: Spread) -> anyhow::Result<()> {
    let step_count = if run.smoke { 20 } else { 1_000 };
    let mut scene = Scene::new(count, spread);
    let mut contenders = all(&scene);
    let random = &mut Random(4);
    for _ in 0..step_count {
        let shifts = scene.step(random, 0.1, 2.0);
        for contender in &mut contenders {
            // The R*-tree would take minutes; it is rebuilt at the end, in its favor.
            if contender.name() != "rstar" {
                contender.step(&shifts);
            }
        }
    }
    contenders[1] = Box::new(RStar::new(&scene));
    let case = format!("{}, after {step_count} steps", scene.name);
    ask_all(run, &case, &scene, &contenders)?;
    contenders[0].tidy();
    ask_all(run, &format!("{case}, tidied"), &scene, &contenders)?;
    Ok(())
}
