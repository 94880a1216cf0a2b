//! Figures computed from the looks at a world. All come from poses, none from the velocities or contacts that an engine
//! reports (but for kinetic energy, which is of the velocities); less is better in all of them.

use glam::DVec2;
use tombolo_bench_protocol::BodyMotion;
use tombolo_scenes::STEP_S;

use super::seen::Seen;

/// The number of steps at the end of a run in which bodies should be at rest.
const LAST_STEPS: usize = 100;

const MM: f64 = 1e3;

fn place(motion: &BodyMotion) -> DVec2 {
    DVec2::new(f64::from(motion.x), f64::from(motion.y))
}

fn step_s() -> f64 {
    f64::from(STEP_S)
}

/// The body that was made last: the top of a column, the weight of a chain, the one that falls.
fn last_made(seen: &Seen) -> usize {
    seen.dynamic().pop().expect("every world has a dynamic body")
}

/// The sideways displacement of the last body, in millimeters.
pub(super) fn drift_mm(seen: &Seen) -> f64 {
    let top = last_made(seen);
    let [start, end] = [0, seen.steps()].map(|step| place(seen.at(step, top)));
    (end.x - start.x).abs() * MM
}

/// The downward displacement of the last body, in millimeters.
pub(super) fn sinking_mm(seen: &Seen) -> f64 {
    let top = last_made(seen);
    let [start, end] = [0, seen.steps()].map(|step| place(seen.at(step, top)));
    (start.y - end.y).max(0.0) * MM
}

/// The mean speed of bodies over the last steps, from their poses, in millimeters per second.
pub(super) fn mean_speed_mm_s(seen: &Seen) -> f64 {
    mean_of_last(seen, |body, step| {
        place(seen.at(step, body)).distance(place(seen.at(step - 1, body))) / step_s()
    }) * MM
}

/// The mean change of a body's velocity from step to step over the last steps, from its poses, in millimeters per
/// second: trembling gives a large value, even creeping none.
pub(super) fn jitter_mm_s(seen: &Seen) -> f64 {
    mean_of_last(seen, |body, step| {
        let [before, at, after] = [step - 2, step - 1, step].map(|step| place(seen.at(step, body)));
        (after - 2.0 * at + before).length() / step_s()
    }) * MM
}

fn mean_of_last(seen: &Seen, of: impl Fn(usize, usize) -> f64) -> f64 {
    let bodies = seen.dynamic();
    let steps = seen.steps().saturating_sub(LAST_STEPS).max(1) + 1..=seen.steps();
    let count = (bodies.len() * steps.clone().count()) as f64;
    let sum: f64 = steps
        .flat_map(|step| bodies.iter().map(move |&body| (body, step)))
        .map(|(body, step)| of(body, step))
        .sum();
    sum / count
}

/// The number of steps until no dynamic body is awake any more; all steps if some still are.
pub(super) fn steps_until_asleep(seen: &Seen) -> f64 {
    let last_awake = seen.looks.iter().rposition(|look| look.awake > 0);
    last_awake.map_or(0, |step| (step + 1).min(seen.steps())) as f64
}

/// The greatest overlap of two shapes after any step, in millimeters.
pub(super) fn overlap_mm(seen: &Seen) -> f64 {
    let greatest = |bodies: &[BodyMotion]| {
        let overlaps = seen.recording.penetrations(bodies);
        overlaps.into_iter().fold(0.0, f64::max)
    };
    let looks = seen.looks[1..].iter().map(|look| greatest(&look.bodies));
    looks.fold(0.0, f64::max) * MM
}

/// The mean overlap of pairs that touch, over every tenth step of the second half, in millimeters.
pub(super) fn mean_overlap_mm(seen: &Seen) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for look in seen.looks[seen.steps() / 2..].iter().step_by(10) {
        let overlaps = seen.recording.penetrations(&look.bodies);
        sum += overlaps.iter().sum::<f64>();
        count += overlaps.len();
    }
    sum / f64::from(u32::try_from(count.max(1)).expect("a few million at most")) * MM
}

/// The number of bodies that were more than a centimeter in another after any step. For worlds of many bodies that
/// never meet.
pub(super) fn sunk_count(seen: &Seen) -> f64 {
    let bodies = seen.dynamic();
    let mut sunk = vec![false; bodies.len()];
    for look in &seen.looks[1..] {
        for (sunk, gap) in sunk.iter_mut().zip(seen.recording.gaps(&look.bodies)) {
            *sunk |= gap < -0.01;
        }
    }
    sunk.iter().filter(|&&sunk| sunk).count() as f64
}

/// The number of rods that hang in the air at the end: moved by less than five centimeters in half a second, with the
/// center five centimeters higher than that of a lying rod.
pub(super) fn hanging_count(seen: &Seen) -> f64 {
    const HALF_SECOND: usize = 30;
    let end = seen.steps();
    let is_still = |body: usize| {
        let before = seen.at(end.saturating_sub(HALF_SECOND), body);
        place(seen.at(end, body)).distance(place(before)) < 0.05
    };
    let is_high = |body: usize| {
        let lying = f64::from(seen.recording.bodies[body].shapes[0].1.min_extent());
        f64::from(seen.at(end, body).y) > lying + 0.05
    };
    let hanging = |&body: &usize| is_still(body) && is_high(body);
    seen.dynamic().into_iter().filter(|body| hanging(body)).count() as f64
}

/// The mean rotation since the start of the bodies that were made in the second half, in radians up to π either way.
pub(super) fn upper_turn_rad(seen: &Seen) -> f64 {
    let bodies = seen.dynamic();
    let upper = &bodies[bodies.len() / 2..];
    let turn = |&body: &usize| {
        let [start, end] = [0, seen.steps()].map(|step| {
            let motion = seen.at(step, body);
            DVec2::new(f64::from(motion.cos), f64::from(motion.sin))
        });
        start.angle_to(end).abs()
    };
    upper.iter().map(turn).sum::<f64>() / upper.len() as f64
}

/// The mean kinetic energy over the second half, in joules.
pub(super) fn kinetic_j(seen: &Seen) -> f64 {
    let half = &seen.looks[seen.steps() / 2..];
    let energies = half
        .iter()
        .map(|look| seen.recording.kinetic_energy(&look.bodies));
    energies.sum::<f64>() / half.len() as f64
}

/// The greatest gap between the two anchors of a joint after any step, in millimeters.
pub(super) fn joint_gap_mm(seen: &Seen) -> f64 {
    let greatest = |look: &[BodyMotion]| seen.recording.joint_separations(look).fold(0.0, f64::max);
    let looks = seen.looks[1..].iter().map(|look| greatest(&look.bodies));
    looks.fold(0.0, f64::max) * MM
}

/// The speed at which a box on a slope creeps in the last steps, in millimeters per second.
pub(super) fn creep_mm_s(seen: &Seen) -> f64 {
    let body = last_made(seen);
    let end = seen.steps();
    let start = end.saturating_sub(LAST_STEPS);
    let way = place(seen.at(end, body)).distance(place(seen.at(start, body)));
    way / ((end - start) as f64 * step_s()) * MM
}

/// The error of the distance that a box slides down a slope, compared with ½ (g sin - μ g cos) t², in percent.
pub(super) fn slide_error_percent(seen: &Seen) -> f64 {
    let body = last_made(seen);
    let friction = f64::from(seen.recording.bodies[body].shapes[0].0.friction);
    let gravity = seen.recording.gravity.as_dvec2();
    let time = seen.steps() as f64 * step_s();
    let exact = 0.5 * (gravity.x - friction * -gravity.y) * time * time;
    let way = seen.at(seen.steps(), body).x - seen.at(0, body).x;
    (f64::from(way) / exact - 1.0).abs() * 100.0
}

/// The error of a ball's loss of speed in a second, compared with that by rolling resistance, `c g t / 1.5` for a full
/// disk, in percent.
pub(super) fn rolling_error_percent(seen: &Seen) -> f64 {
    const SECOND: usize = 60;
    let body = last_made(seen);
    let record = &seen.recording.bodies[body];
    let speed = |step: usize| f64::from(seen.at(step, body).x - seen.at(step - 1, body).x) / step_s();
    let loss = f64::from(record.def.linear_velocity.x) - speed(SECOND);
    let exact = f64::from(record.shapes[0].0.rolling_resistance) * 10.0 / 1.5;
    (loss / exact - 1.0).abs() * 100.0
}

/// The error of the height of the first bounce, compared with the square of the restitution, in percent of that.
pub(super) fn first_bounce_error_percent(seen: &Seen) -> f64 {
    let (height, restitution) = dropped(seen);
    let exact = restitution * restitution * height;
    let first = bounces(seen).first().copied().unwrap_or(0.0);
    (first / exact - 1.0).abs() * 100.0
}

/// The greatest loss of height in any bounce of a body that should keep its height, in percent.
pub(super) fn worst_loss_percent(seen: &Seen) -> f64 {
    let (height, _) = dropped(seen);
    let lowest = bounces(seen).into_iter().fold(height, f64::min);
    (1.0 - lowest / height) * 100.0
}

/// The greatest gain of height in any bounce of a body that should keep its height, in percent.
pub(super) fn worst_gain_percent(seen: &Seen) -> f64 {
    let (height, _) = dropped(seen);
    let highest = bounces(seen).into_iter().fold(height, f64::max);
    (highest / height - 1.0) * 100.0
}

/// The gap below a body at the start, and its restitution.
fn dropped(seen: &Seen) -> (f64, f64) {
    let gap = seen.recording.gaps(&seen.looks[0].bodies)[0];
    let body = last_made(seen);
    (
        gap,
        f64::from(seen.recording.bodies[body].shapes[0].0.restitution),
    )
}

/// The gap below a body at the top of each bounce, in order; its initial fall is not a bounce.
fn bounces(seen: &Seen) -> Vec<f64> {
    let body = last_made(seen);
    let heights: Vec<f64> = (0..=seen.steps())
        .map(|step| f64::from(seen.at(step, body).y))
        .collect();
    let mut tops = Vec::new();
    let mut has_risen = false;
    for step in 1..heights.len() {
        if heights[step] > heights[step - 1] {
            has_risen = true;
        } else if heights[step] < heights[step - 1] && has_risen {
            has_risen = false;
            tops.push(seen.recording.gaps(&seen.looks[step - 1].bodies)[0]);
        }
    }
    tops
}

#[cfg(test)]
mod tests {
    use super::super::super::physics::recording::Recording;
    use super::*;
    use tombolo_bench_protocol::Look;
    use tombolo_bench_protocol::worlds::{Piece, World};

    /// A world in which `moved` places the bodies: it gets the step, the body's place among all, and the body's initial
    /// motion.
    fn seen(world: &World, steps: u32, moved: impl Fn(u32, usize, &mut BodyMotion)) -> Seen {
        let recording = Recording::of_world(world).unwrap();
        let look = |step| {
            let bodies = recording.bodies.iter().enumerate().map(|(body, record)| {
                let mut motion = BodyMotion {
                    x: record.def.position.x,
                    y: record.def.position.y,
                    cos: libm::cosf(record.def.angle),
                    sin: libm::sinf(record.def.angle),
                    ..Default::default()
                };
                moved(step, body, &mut motion);
                motion
            });
            Look {
                awake: 1,
                bodies: bodies.collect(),
            }
        };
        let looks = (0..=steps).map(look).collect();
        Seen::new(recording, looks, steps).unwrap()
    }

    fn column(count: u32) -> World {
        World::Stack {
            piece: Piece::Cube,
            count,
            offset_m: 0.0,
            sleeping: false,
        }
    }

    fn assert_near(figure: f64, expected: f64) {
        assert!(
            (figure - expected).abs() < 1e-3 * expected.abs().max(1.0),
            "{figure} instead of {expected}"
        );
    }

    #[test]
    fn what_does_not_move_is_perfect() {
        let seen = seen(&column(3), 20, |_, _, _| {});
        for figure in [
            drift_mm,
            sinking_mm,
            mean_speed_mm_s,
            jitter_mm_s,
            mean_overlap_mm,
            upper_turn_rad,
        ] {
            assert_eq!(figure(&seen), 0.0);
        }
        assert!(overlap_mm(&seen) < 1e-3);
    }

    #[test]
    fn one_step_of_overlap_is_seen() {
        // The top of three is 7 mm too low in step 5 only.
        let seen = seen(&column(3), 20, |step, body, motion| {
            if (step, body) == (5, 3) {
                motion.y -= 0.007;
            }
        });
        assert_near(overlap_mm(&seen), 7.0);
        assert_eq!(sinking_mm(&seen), 0.0);
        assert_eq!(sunk_count(&seen), 0.0);
    }

    #[test]
    fn sunk_bodies_are_counted_once_each() {
        let world = World::Tilted { count: 4 };
        let seen = seen(&world, 3, |step, body, motion| {
            if step > 0 && [2, 4].contains(&body) {
                motion.y -= 0.05;
            }
        });
        assert_eq!(sunk_count(&seen), 2.0);
    }

    #[test]
    fn even_creep_is_speed_without_jitter() {
        let seen = seen(&column(1), 120, |step, body, motion| {
            motion.x += if body == 1 { step as f32 / 1024.0 } else { 0.0 };
        });
        assert_near(drift_mm(&seen), 120.0 / 1024.0 * 1e3);
        assert_near(mean_speed_mm_s(&seen), 60.0 / 1024.0 * 1e3);
        assert_near(creep_mm_s(&seen), 60.0 / 1024.0 * 1e3);
        assert_near(jitter_mm_s(&seen), 0.0);
    }

    #[test]
    fn trembling_is_jitter_without_drift() {
        let seen = seen(&column(1), 120, |step, body, motion| {
            motion.x += if body == 1 && step % 2 == 1 {
                1.0 / 1024.0
            } else {
                0.0
            };
        });
        assert_eq!(drift_mm(&seen), 0.0);
        assert_eq!(creep_mm_s(&seen), 0.0);
        assert_near(mean_speed_mm_s(&seen), 60.0 / 1024.0 * 1e3);
        assert_near(jitter_mm_s(&seen), 120.0 / 1024.0 * 1e3);
    }

    #[test]
    fn sleep_counts_from_the_last_step_with_a_body_awake() {
        let mut seen = seen(&column(1), 10, |_, _, _| {});
        assert_eq!(steps_until_asleep(&seen), 10.0);
        for step in [3, 4, 6, 7, 8, 9, 10] {
            seen.looks[step].awake = 0;
        }
        assert_eq!(steps_until_asleep(&seen), 6.0);
        seen.looks.iter_mut().for_each(|look| look.awake = 0);
        assert_eq!(steps_until_asleep(&seen), 0.0);
    }

    #[test]
    fn only_what_is_up_and_still_hangs() {
        let world = World::Rods {
            count: 3,
            length_m: 2.0,
            thickness_m: 0.04,
            floor_m: 100.0,
        };
        let seen = seen(&world, 60, |step, body, motion| {
            (motion.cos, motion.sin) = (1.0, 0.0);
            motion.y = match body {
                1 => 0.02,
                2 => 0.5,
                3 => 0.5 + 0.01 * (60 - step) as f32,
                _ => 0.0,
            };
        });
        assert_eq!(hanging_count(&seen), 1.0);
    }

    #[test]
    fn bounces_are_the_tops_between_two_touches() {
        let world = World::Drop {
            piece: Piece::Ball,
            restitution: 0.5,
            height_m: 1.0,
        };
        // Down from 1 m, up to 0.2 m, down, up to 1.1 m, down.
        let heights = [1.0, 0.5, 0.0, 0.1, 0.2, 0.0, 0.6, 1.1, 0.5];
        let seen = seen(&world, 8, |step, body, motion| {
            if body == 1 {
                motion.y = 0.25 + heights[step as usize];
            }
        });
        assert_eq!(bounces(&seen).len(), 2);
        assert_near(first_bounce_error_percent(&seen), 20.0);
        assert_near(worst_loss_percent(&seen), 80.0);
        assert_near(worst_gain_percent(&seen), 10.0);
    }

    #[test]
    fn a_box_that_slides_and_a_ball_that_rolls_as_they_should_are_not_off() {
        let slope = World::Slope {
            friction: 0.5,
            share: 1.1,
        };
        let gravity = slope.setting().unwrap().gravity;
        let way = |step: u32, share: f32| {
            let time = step as f32 / 60.0;
            0.5 * (gravity.x + 0.5 * gravity.y) * time * time * share
        };
        for (share, expected) in [(1.0, 0.0), (1.1, 10.0), (0.0, 100.0)] {
            let seen = seen(&slope, 60, |step, body, motion| {
                motion.x += if body == 1 { way(step, share) } else { 0.0 };
            });
            assert_near(slide_error_percent(&seen), expected);
        }
        let ball = World::Rolling {
            resistance: 0.06,
            speed: 5.0,
            floor_m: 100.0,
        };
        // 0.4 m/s are lost in a second; here between the centers of the first and the 60th step too.
        let seen = seen(&ball, 60, |step, body, motion| {
            let time = step as f32 / 60.0;
            motion.x = if body == 1 {
                5.0 * time - 0.2 * time * time
            } else {
                0.0
            };
        });
        assert!(rolling_error_percent(&seen) < 1.0);
    }

    #[test]
    fn turns_joint_gaps_and_kinetic_energy_are_what_they_are() {
        let turned = seen(&column(2), 1, |step, body, motion| {
            if body == 2 && step == 1 {
                (motion.cos, motion.sin) = (0.0, -1.0);
                motion.velocity_x = 4.0;
            }
        });
        assert_near(upper_turn_rad(&turned), std::f64::consts::FRAC_PI_2);
        // A quarter of a kilogram.
        assert_near(
            kinetic_j(&turned) * turned.looks[turned.steps() / 2..].len() as f64,
            2.0,
        );
        let bridge = seen(&World::Bridge { planks: 3 }, 2, |step, body, motion| {
            motion.y += if (step, body) == (1, 2) { 0.25 } else { 0.0 };
        });
        assert_near(joint_gap_mm(&bridge), 250.0);
    }
}
