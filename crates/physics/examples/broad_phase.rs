//! Times the broad phase on synthetic scenes, beside the classic way: a binary tree, one query for each moved proxy, and
//! a hash set of known pairs. Both must find the same pairs.
//!
//! `cargo run --release -p tombolo-physics --example broad_phase`
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use tombolo_geometry::{Aabb, Vec2};
use tombolo_physics::BitSet;
use tombolo_physics::broad_phase::{BroadPhase, Pair, ProxyDef, ProxyFilter, TreeKind};
use tombolo_threads::{Executor, Inline, Pool, Stopwatch};

#[path = "broad_phase/binary_tree.rs"]
mod binary_tree;
use binary_tree::BinaryBroadPhase;

const STEP_COUNT: usize = 120;
const MARGIN: f32 = 0.1;

/// Bodies as boxes of one size that move by a rule.
struct Scene {
    name: &'static str,
    positions: Vec<Vec2>,
    half_size: f32,
    filter: ProxyFilter,
    /// New position from step, index and old position.
    rule: fn(usize, usize, Vec2) -> Vec2,
}

fn lattice(count: usize, columns: usize, spacing: f32) -> Vec<Vec2> {
    (0..count)
        .map(|i| spacing * Vec2::new((i % columns) as f32, (i / columns) as f32))
        .collect()
}

/// Points of a lattice in the lower half of a disc.
fn half_disc(count: usize, spacing: f32) -> Vec<Vec2> {
    let columns = 2 * (count as f32).sqrt() as usize;
    let middle = Vec2::new(0.5 * columns as f32 * spacing, 0.0);
    let mut points = lattice(columns * columns, columns, -spacing);
    points.iter_mut().for_each(|point| *point += middle);
    points.sort_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    points.truncate(count);
    points
}

/// Around the origin, faster or slower by distance, so that neighbors shear past each other.
fn turn(_step: usize, _index: usize, at: Vec2) -> Vec2 {
    let rate = 0.25 * (1.0 + 0.3 * libm::sinf(at.length()));
    at + (rate / 60.0) * Vec2::new(-at.y, at.x)
}

/// A fixed direction and speed for each body.
fn stream(_step: usize, index: usize, at: Vec2) -> Vec2 {
    let angle = index as f32 * 2.4;
    at + 0.08 * Vec2::new(libm::cosf(angle), libm::sinf(angle))
}

fn sway(step: usize, index: usize, at: Vec2) -> Vec2 {
    at + 0.04 * Vec2::new(libm::sinf(0.05 * step as f32 + index as f32), -1.0)
}

fn few(step: usize, index: usize, at: Vec2) -> Vec2 {
    if index % 1000 == step % 1000 {
        at + Vec2::splat(0.3)
    } else {
        at
    }
}

fn scenes() -> Vec<Scene> {
    let all = ProxyFilter::default();
    let apart = ProxyFilter {
        categories: 2,
        mask: !2,
        group: 0,
    };
    let scene = |name, positions, half_size, filter, rule| Scene {
        name,
        positions,
        half_size,
        filter,
        rule,
    };
    vec![
        scene("drum 2,000", half_disc(2000, 0.26), 0.125, all, turn),
        scene("drum 8,000", half_disc(8000, 0.21), 0.1, all, turn),
        scene("stream 8,000", lattice(8000, 100, 0.5), 0.2, all, stream),
        scene("rest 20,000", lattice(20_000, 200, 0.5), 0.25, all, few),
        scene("filtered 10,000", lattice(10_000, 100, 1.0), 0.4, apart, sway),
    ]
}

fn fat(at: Vec2, half_size: f32) -> Aabb {
    Aabb::new(at, at).grown(half_size + MARGIN)
}

/// The boxes of a scene from step to step: what the stage that moves bodies does.
struct Motion {
    positions: Vec<Vec2>,
    boxes: Vec<Aabb>,
    moved: BitSet,
    moved_count: usize,
}

impl Motion {
    fn new(scene: &Scene) -> Self {
        Self {
            positions: scene.positions.clone(),
            boxes: scene
                .positions
                .iter()
                .map(|&at| fat(at, scene.half_size))
                .collect(),
            moved: BitSet::with_len(scene.positions.len()),
            moved_count: 0,
        }
    }

    fn step(&mut self, scene: &Scene, step: usize) {
        self.moved.clear();
        for (index, at) in self.positions.iter_mut().enumerate() {
            *at = (scene.rule)(step, index, *at);
            if !self.boxes[index].contains(Aabb::new(*at, *at).grown(scene.half_size)) {
                self.boxes[index] = fat(*at, scene.half_size);
                self.moved.set(index);
                self.moved_count += 1;
            }
        }
    }
}

/// Milliseconds of each step.
#[derive(Default)]
struct Times {
    refit: Vec<f64>,
    pairs: Vec<f64>,
}

impl Times {
    fn medians(&mut self) -> (f64, f64) {
        let median = |times: &mut Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        };
        (median(&mut self.refit), median(&mut self.pairs))
    }

    fn mean(&self) -> f64 {
        (self.refit.iter().sum::<f64>() + self.pairs.iter().sum::<f64>()) / self.pairs.len() as f64
    }
}

fn timed(times: &mut Vec<f64>, work: impl FnOnce()) {
    let watch = Stopwatch::start();
    work();
    times.push(1000.0 * watch.elapsed_seconds());
}

fn defs(scene: &Scene, motion: &Motion) -> Vec<ProxyDef> {
    let ground = Aabb::new(Vec2::new(-200.0, -200.0), Vec2::new(200.0, 0.0));
    let proxy = |(body, &fat_box): (usize, &Aabb)| ProxyDef {
        tree: TreeKind::Dynamic,
        body: body as u32,
        shape: body as u32,
        fat_box,
        filter: scene.filter,
    };
    let mut defs: Vec<ProxyDef> = motion.boxes.iter().enumerate().map(proxy).collect();
    let body = defs.len() as u32;
    defs.push(ProxyDef {
        tree: TreeKind::Static,
        body,
        shape: body,
        fat_box: ground,
        filter: scene.filter,
    });
    defs
}

fn run(scene: &Scene, executors: &[&dyn Executor]) {
    let mut motion = Motion::new(scene);
    let defs = defs(scene, &motion);
    let mut ours: Vec<BroadPhase> = executors.iter().map(|_| BroadPhase::default()).collect();
    for broad_phase in &mut ours {
        for &def in &defs {
            broad_phase
                .create_proxy(def)
                .expect("the scene's boxes are finite");
        }
    }
    let mut classic = BinaryBroadPhase::new(&defs);
    let mut times: Vec<Times> = (0..=ours.len()).map(|_| Times::default()).collect();
    let (mut expected, mut found) = (Vec::new(), Vec::<Pair>::new());
    let mut found_count = 0;
    for step in 0..STEP_COUNT {
        expected.clear();
        let timing = times.last_mut().expect("one more than executors");
        timed(&mut timing.pairs, || classic.find_pairs(&mut expected));
        found_count += if step > 0 { expected.len() } else { 0 };
        for ((broad_phase, executor), timing) in ours.iter_mut().zip(executors).zip(&mut times) {
            found.clear();
            timed(&mut timing.pairs, || {
                broad_phase.find_pairs(*executor, &|_, _, _| true, &mut found);
            });
            assert_eq!(found, expected, "{}, step {step}", scene.name);
        }
        motion.step(scene, step);
        classic.drop_separated(&motion.boxes);
        let timing = times.last_mut().expect("one more than executors");
        timed(&mut timing.refit, || classic.refit(&motion.boxes, &motion.moved));
        for ((broad_phase, executor), timing) in ours.iter_mut().zip(executors).zip(&mut times) {
            broad_phase.boxes_mut()[..motion.boxes.len()].copy_from_slice(&motion.boxes);
            timed(&mut timing.refit, || broad_phase.refit(*executor, &motion.moved));
        }
    }
    let per_step = STEP_COUNT as f64;
    print!(
        "{:16} {:7.0} {:7.0}",
        scene.name,
        motion.moved_count as f64 / per_step,
        found_count as f64 / (per_step - 1.0)
    );
    for timing in &mut times {
        timing.pairs.remove(0);
        let mean = timing.mean();
        let (refit, pairs) = timing.medians();
        print!("  | {refit:6.3} {pairs:6.3} {mean:6.3}");
    }
    println!();
}

fn main() {
    let pool = Pool::new(2).expect("two threads");
    println!("ms per step, median refit, median pairs, mean of both (the first step left out)");
    println!(
        "scene              moved   pairs  | one worker            | two workers           | binary tree and set"
    );
    for scene in scenes() {
        run(&scene, &[&Inline, &pool]);
    }
}
