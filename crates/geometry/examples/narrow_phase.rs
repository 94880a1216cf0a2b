//! Measures the narrow phase for pairs of shapes: nanoseconds per call, the median of rounds in which all the kinds of
//! pair take turns.
//!
//! `cargo run --release -p tombolo-geometry --example narrow_phase`
#![allow(clippy::print_stdout)]

use glam::Vec2;
use std::hint::black_box;
use tombolo_geometry::Pose;
use tombolo_geometry::collide::collide;
use tombolo_geometry::distance::{Sweep, cast_shape, distance, time_of_impact};
use tombolo_geometry::shape::{Shape, ShapeError};

const POSE_COUNT: usize = 1024;
const ROUND_COUNT: usize = 101;

/// Which poses a case is timed with.
#[derive(Clone, Copy, Debug)]
enum Poses {
    Resting,
    Scattered,
}

/// What is timed: its name, the poses and the calls for all of them.
type Case = (&'static str, Poses, Box<dyn Fn(&[Pose])>);

/// Poses of a second shape of about one meter: resting on the first one, slightly tilted and moved sideways.
fn resting() -> Vec<Pose> {
    let mut noise = Noise(1);
    let mut pose = |_| {
        let (side, gap, tilt) = (noise.next(0.9), noise.next(0.01), noise.next(0.005));
        let quarter = (noise.next(2.0) + 2.0).floor() * std::f32::consts::FRAC_PI_2;
        Pose::new(Vec2::new(side, 0.995 + gap), quarter + tilt)
    };
    (0..POSE_COUNT).map(&mut pose).collect()
}

/// Poses anywhere around the first shape, at any angle: some overlap, most do not.
fn scattered() -> Vec<Pose> {
    let mut noise = Noise(2);
    let mut pose = |_| Pose::new(Vec2::new(noise.next(1.3), noise.next(1.3)), noise.next(3.1));
    (0..POSE_COUNT).map(&mut pose).collect()
}

/// Numbers that look random and are the same in each run.
struct Noise(u32);

impl Noise {
    /// Between `-most` and `most`.
    fn next(&mut self, most: f32) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((self.0 >> 8) as f32 / 8_388_608.0 - 1.0) * most
    }
}

/// Nanoseconds per pose.
#[allow(
    clippy::disallowed_methods,
    reason = "an example that measures, outside of the engine"
)]
fn time(poses: &[Pose], call: &dyn Fn(&[Pose])) -> f64 {
    let start = std::time::Instant::now();
    call(black_box(poses));
    start.elapsed().as_nanos() as f64 / poses.len() as f64
}

fn main() -> Result<(), ShapeError> {
    let box_ = Shape::new_box(1.0, 1.0)?;
    let rounded = Shape::rounded_box(0.8, 0.8, 0.1)?;
    let circle = Shape::circle(Vec2::ZERO, 0.5)?;
    let capsule = Shape::capsule(Vec2::new(-0.5, 0.0), Vec2::new(0.5, 0.0), 0.5)?;
    let hexagon: Vec<Vec2> = (0..6)
        .map(|i| i as f32 * std::f32::consts::FRAC_PI_3)
        .map(|angle| 0.577 * Vec2::new(libm::cosf(angle), libm::sinf(angle)))
        .collect();
    let hexagon = Shape::polygon(&hexagon, 0.0)?;

    let mut cases: Vec<Case> = Vec::new();
    let pairs = [
        ("collide box, box", box_, box_),
        ("collide rounded, rounded", rounded, rounded),
        ("collide hexagon, hexagon", hexagon, hexagon),
        ("collide box, capsule", box_, capsule),
        ("collide capsule, capsule", capsule, capsule),
        ("collide box, circle", box_, circle),
        ("collide circle, circle", circle, circle),
    ];
    for (name, a, b) in pairs {
        for poses in [Poses::Resting, Poses::Scattered] {
            let call = move |poses: &[Pose]| {
                for pose in poses {
                    black_box(collide(black_box(&a), black_box(&b), *pose, 0.02));
                }
            };
            cases.push((name, poses, Box::new(call)));
        }
    }
    let all_distances = move |poses: &[Pose]| {
        for pose in poses {
            black_box(distance(black_box(&box_), black_box(&box_), *pose));
        }
    };
    let all_casts = move |poses: &[Pose]| {
        for pose in poses {
            let from = Pose {
                position: pose.position + Vec2::new(-4.0, 0.0),
                ..*pose
            };
            black_box(cast_shape(
                black_box(&box_),
                black_box(&box_),
                from,
                Vec2::new(8.0, 0.0),
                1.0,
            ));
        }
    };
    let all_impacts = move |poses: &[Pose]| {
        for pose in poses {
            let from = pose.position + Vec2::new(-4.0, 0.0);
            let turned = pose.rotation.integrate(0.3);
            let sweep = Sweep {
                c0: from,
                c1: from + Vec2::new(8.0, 0.0),
                q0: pose.rotation,
                q1: turned,
                ..Sweep::default()
            };
            black_box(time_of_impact(
                black_box(&box_),
                &Sweep::default(),
                black_box(&box_),
                &sweep,
                1.0,
            ));
        }
    };
    cases.push(("distance box, box", Poses::Resting, Box::new(all_distances)));
    cases.push(("distance box, box", Poses::Scattered, Box::new(all_distances)));
    cases.push(("cast_shape box, box", Poses::Scattered, Box::new(all_casts)));
    cases.push(("time_of_impact box, box", Poses::Scattered, Box::new(all_impacts)));

    let (resting, scattered) = (resting(), scattered());
    let mut times = vec![Vec::with_capacity(ROUND_COUNT); cases.len()];
    for _ in 0..ROUND_COUNT {
        for (times, (_, poses, call)) in times.iter_mut().zip(&cases) {
            let poses = match poses {
                Poses::Resting => &resting,
                Poses::Scattered => &scattered,
            };
            times.push(time(poses, call.as_ref()));
        }
    }
    for (times, (name, poses, _)) in times.iter_mut().zip(&cases) {
        times.sort_by(f64::total_cmp);
        println!(
            "{name:26} {:10} {:7.1} ns",
            format!("{poses:?}"),
            times[ROUND_COUNT / 2]
        );
    }
    Ok(())
}
