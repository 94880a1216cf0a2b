//! The quality of an engine's frames, measured by one yardstick for all engines (`yardstick.rs`) from the bodies'
//! poses.
//!
//! A single frame of stirred bodies is random. [`over`] takes several, spread over the second half of a run, and
//! returns the median of each figure.

use std::collections::BTreeSet;

use anyhow::ensure;
use glam::{DVec2, Vec2};
use tombolo::physics::{BodyKind, JointDef, ShapeDef};
use tombolo_bench_protocol::{BodyMotion, Frame};
use tombolo_geometry::{Pose, Rot};

use super::recording::{RecordedBody, Recording, pose};
use super::rounds::Plan;
use crate::yardstick::Solid;

/// The median of each figure over some frames of a run.
///
/// # Errors
/// There is no frame, or one of them does not fit the scene at its step.
pub(super) fn over(plan: &Plan, frames: &[Frame]) -> anyhow::Result<Quality> {
    ensure!(!frames.is_empty(), "there is no frame to measure");
    let measure = |frame: &Frame| Recording::after(plan, frame.step + 1)?.measure(&frame.bodies);
    let qualities = frames.iter().map(measure).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(Quality::median(&qualities))
}

impl Recording {
    /// Measures a frame of this recording.
    ///
    /// # Errors
    /// The frame has another number of bodies, or a number in it is not finite.
    pub(super) fn measure(&self, frame: &[BodyMotion]) -> anyhow::Result<Quality> {
        ensure!(
            frame.len() == self.bodies.len(),
            "the engine has {} bodies, the scene {}",
            frame.len(),
            self.bodies.len()
        );
        let finite = |motion: &BodyMotion| motion.numbers().iter().all(|number| number.is_finite());
        if let Some(body) = frame.iter().position(|motion| !finite(motion)) {
            anyhow::bail!("body {body} is not at a finite place: {:?}", frame[body]);
        }
        let drift = self
            .bodies
            .iter()
            .zip(frame)
            .filter(|(body, _)| body.def.kind == BodyKind::Dynamic)
            .map(|(body, motion)| {
                f64::from((Vec2::new(motion.x, motion.y) - body.def.position.to_vec2()).length())
            });
        let heights = self.dynamic(frame).map(|(_, motion)| f64::from(motion.y));
        let turns = self.dynamic(frame).map(|(body, motion)| {
            let (cos, sin) = (f64::from(motion.cos), f64::from(motion.sin));
            let start = DVec2::new(libm::cos(body.def.angle.into()), libm::sin(body.def.angle.into()));
            start.angle_to(DVec2::new(cos, sin)).abs()
        });
        Ok(Quality {
            penetration_m: Spread::of(self.penetrations(frame).into_iter()),
            joint_separation_m: Spread::of(self.joint_separations(frame)),
            drift_m: Spread::of(drift),
            height_m: Spread::of(heights),
            turn_rad: Spread::of(turns),
            energy_j: self.energy(frame),
            kinetic_j: self.kinetic_energy(frame),
        })
    }

    /// The error of each joint in meters; nothing for joints that hold no position.
    pub(in crate::areas) fn joint_separations<'a>(
        &'a self,
        frame: &'a [BodyMotion],
    ) -> impl Iterator<Item = f64> + 'a {
        self.joints
            .iter()
            .filter_map(|(a, b, def)| Some(f64::from(gap(def, pose(&frame[*a]), pose(&frame[*b]))?)))
    }

    /// The overlap in meters of each pair of overlapping shapes that may touch.
    pub(in crate::areas) fn penetrations(&self, frame: &[BodyMotion]) -> Vec<f64> {
        let mut placed = self.placed(frame);
        placed.sort_by(|a, b| a.solid.low.x.total_cmp(&b.solid.low.x));
        let tied = self.tied();
        let mut overlaps = Vec::new();
        for (index, a) in placed.iter().enumerate() {
            for b in placed[index + 1..]
                .iter()
                .take_while(|b| b.solid.low.x <= a.solid.high.x)
            {
                if !a.solid.is_near(&b.solid) || !self.may_touch(a, b, &tied) {
                    continue;
                }
                let gap = a.solid.gap(&b.solid);
                if gap <= TOUCHING_M {
                    overlaps.push((-gap).max(0.0));
                }
            }
        }
        overlaps
    }

    /// The distance in meters from each dynamic body to the nearest shape that it may touch; infinite if it may touch
    /// none.
    pub(in crate::areas) fn gaps(&self, frame: &[BodyMotion]) -> Vec<f64> {
        let (placed, tied) = (self.placed(frame), self.tied());
        let mut gaps = Vec::new();
        for (body, record) in self.bodies.iter().enumerate() {
            if record.def.kind != BodyKind::Dynamic {
                continue;
            }
            let mut least = f64::INFINITY;
            for a in placed.iter().filter(|a| a.body == body) {
                for b in placed.iter().filter(|b| self.may_touch(a, b, &tied)) {
                    least = least.min(a.solid.gap(&b.solid));
                }
            }
            gaps.push(least);
        }
        gaps
    }

    /// Pairs of bodies, by place, that a joint keeps from touching.
    fn tied(&self) -> BTreeSet<(usize, usize)> {
        self.joints
            .iter()
            .filter(|(_, _, def)| keeps_apart(def))
            .map(|(a, b, _)| (*a.min(b), *a.max(b)))
            .collect()
    }

    fn placed<'a>(&'a self, frame: &[BodyMotion]) -> Vec<Placed<'a>> {
        let mut placed = Vec::new();
        for (body, (record, motion)) in self.bodies.iter().zip(frame).enumerate() {
            for (def, shape) in &record.shapes {
                placed.push(Placed {
                    body,
                    def,
                    solid: Solid::new(shape, motion),
                });
            }
        }
        placed
    }

    fn may_touch(&self, a: &Placed<'_>, b: &Placed<'_>, tied: &BTreeSet<(usize, usize)>) -> bool {
        let moves = |placed: &Placed<'_>| self.bodies[placed.body].def.kind == BodyKind::Dynamic;
        a.body != b.body
            && (moves(a) || moves(b))
            && a.def.filter.allows(b.def.filter)
            && !tied.contains(&(a.body.min(b.body), a.body.max(b.body)))
    }

    /// Kinetic energy and potential energy by height over the origin, of all dynamic bodies.
    fn energy(&self, frame: &[BodyMotion]) -> f64 {
        let potential = |(body, motion): (&RecordedBody, &BodyMotion)| {
            let inertia = body.inertia();
            let place = pose(motion).transform_point(inertia.center);
            -f64::from(inertia.mass) * f64::from(self.gravity.dot(place))
        };
        self.kinetic_energy(frame) + self.dynamic(frame).map(potential).sum::<f64>()
    }

    /// Kinetic energy of all dynamic bodies.
    pub(in crate::areas) fn kinetic_energy(&self, frame: &[BodyMotion]) -> f64 {
        let kinetic = |(body, motion): (&RecordedBody, &BodyMotion)| {
            let inertia = body.inertia();
            let velocity = Vec2::new(motion.velocity_x, motion.velocity_y);
            let spin = f64::from(motion.angular_velocity);
            0.5 * f64::from(inertia.mass) * f64::from(velocity.length_squared())
                + 0.5 * f64::from(inertia.about_center) * spin * spin
        };
        self.dynamic(frame).map(kinetic).sum()
    }
}

/// The mass and inertia of a body's shapes together.
struct Inertia {
    mass: f32,
    center: Vec2,
    about_center: f32,
}

impl RecordedBody {
    fn inertia(&self) -> Inertia {
        let (mut mass, mut first_moment, mut inertia) = (0.0, Vec2::ZERO, 0.0);
        for (def, shape) in &self.shapes {
            let part = shape.mass_properties(def.density);
            mass += part.mass;
            first_moment += part.mass * part.center;
            inertia += part.inertia + part.mass * part.center.length_squared();
        }
        let center = if mass > 0.0 {
            first_moment / mass
        } else {
            Vec2::ZERO
        };
        Inertia {
            mass,
            center,
            about_center: inertia - mass * center.length_squared(),
        }
    }
}

/// The distance below which shapes count as touching, without overlap: the rounding of positions.
const TOUCHING_M: f64 = 1e-6;

/// A shape at its pose in the frame.
struct Placed<'a> {
    body: usize,
    def: &'a ShapeDef,
    solid: Solid,
}

/// The largest and the mean of some values; zeros for none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spread {
    /// The number of values.
    pub count: usize,
    /// The largest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
}

impl Spread {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let (mut count, mut max, mut sum) = (0, 0.0_f64, 0.0);
        for value in values {
            count += 1;
            max = max.max(value);
            sum += value;
        }
        Self {
            count,
            max,
            mean: if count == 0 { 0.0 } else { sum / count as f64 },
        }
    }
}

/// The quality of a frame, or of some frames.
#[derive(Clone, Debug)]
pub(super) struct Quality {
    /// The overlap of each touching pair.
    pub penetration_m: Spread,
    /// The gap at each joint.
    pub joint_separation_m: Spread,
    /// The distances of dynamic bodies from their initial positions.
    pub drift_m: Spread,
    /// Heights of dynamic bodies.
    pub height_m: Spread,
    /// The rotation of dynamic bodies since their creation, up to π either way.
    pub turn_rad: Spread,
    /// Mechanical energy.
    pub energy_j: f64,
    /// The kinetic part of it.
    pub kinetic_j: f64,
}

/// The error in meters of the anchors that a joint holds rigidly, and of its limits along a line; `None` for a joint
/// that holds no position.
fn gap(def: &JointDef, a: Pose, b: Pose) -> Option<f32> {
    let apart = |on_a: Vec2, on_b: Vec2| b.transform_point(on_b) - a.transform_point(on_a);
    let along = |on_a, on_b, angle| {
        let axis = a.rotation.then(Rot::from_angle(angle));
        axis.unrotate(apart(on_a, on_b))
    };
    let beyond = |on, lower: f32, upper: f32, at: f32| {
        if on {
            (lower - at).max(at - upper).max(0.0)
        } else {
            0.0
        }
    };
    let off_axis = |limited, [lower, upper]: [f32; 2], place: Vec2| {
        beyond(limited, lower, upper, place.x).max(place.y.abs())
    };
    match def {
        JointDef::Revolute(def) => Some(apart(def.local_anchor_a, def.local_anchor_b).length()),
        JointDef::Weld(def) => Some(apart(def.local_anchor_a, def.local_anchor_b).length()),
        JointDef::Distance(def) => {
            let length = apart(def.local_anchor_a, def.local_anchor_b).length();
            let is_rod = !(def.enable_limit || def.enable_spring || def.enable_motor);
            let off = beyond(def.enable_limit, def.min_length, def.max_length, length);
            Some(if is_rod { (length - def.length).abs() } else { off })
        }
        JointDef::Prismatic(def) => {
            let place = along(def.local_anchor_a, def.local_anchor_b, def.local_angle_a);
            let range = [def.lower_translation, def.upper_translation];
            Some(off_axis(def.enable_limit, range, place))
        }
        JointDef::Wheel(def) => {
            let place = along(def.local_anchor_a, def.local_anchor_b, def.local_angle_a);
            let range = [def.lower_translation, def.upper_translation];
            Some(off_axis(def.enable_limit, range, place))
        }
        _ => None,
    }
}

/// Whether a joint keeps its bodies' shapes from touching.
fn keeps_apart(def: &JointDef) -> bool {
    match def {
        JointDef::Revolute(def) => !def.collide_connected,
        JointDef::Weld(def) => !def.collide_connected,
        JointDef::Distance(def) => !def.collide_connected,
        JointDef::Prismatic(def) => !def.collide_connected,
        JointDef::Wheel(def) => !def.collide_connected,
        JointDef::Motor(def) => !def.collide_connected,
        _ => true,
    }
}

impl Quality {
    /// Each figure's median.
    fn median(of: &[Self]) -> Self {
        let spread = |part: fn(&Self) -> &Spread| Spread {
            count: of.iter().map(|quality| part(quality).count).max().unwrap_or(0),
            max: median(of.iter().map(|quality| part(quality).max).collect()),
            mean: median(of.iter().map(|quality| part(quality).mean).collect()),
        };
        Self {
            penetration_m: spread(|quality| &quality.penetration_m),
            joint_separation_m: spread(|quality| &quality.joint_separation_m),
            drift_m: spread(|quality| &quality.drift_m),
            height_m: spread(|quality| &quality.height_m),
            turn_rad: spread(|quality| &quality.turn_rad),
            energy_j: median(of.iter().map(|quality| quality.energy_j).collect()),
            kinetic_j: median(of.iter().map(|quality| quality.kinetic_j).collect()),
        }
    }
}

/// The value in the middle, for an even number the mean of the two; not a number for none.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        count => 0.5 * (values[(count - 1) / 2] + values[count / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rounds::Variant;
    use super::*;

    fn recording(scene: &'static str, size: u32, steps: u32) -> Recording {
        Recording::make(&Plan {
            scene,
            size,
            variant: Variant {
                size_factor: 1.0,
                seed: 0,
            },
            steps,
            threads: 1,
        })
        .unwrap()
    }

    /// The frame in which nothing has moved.
    fn start(recording: &Recording) -> Vec<BodyMotion> {
        let place = |body: &RecordedBody| {
            let rotation = Rot::from_angle(body.def.angle);
            BodyMotion::new(
                body.def.position.to_vec2(),
                [rotation.cos, rotation.sin],
                Vec2::ZERO,
                0.0,
            )
        };
        recording.bodies.iter().map(place).collect()
    }

    #[test]
    fn a_pyramid_that_has_not_moved_is_perfect() {
        let recording = recording("large_pyramid", 10, 1);
        let quality = recording.measure(&start(&recording)).unwrap();
        assert_eq!(quality.penetration_m.max, 0.0);
        // Ten boxes on the ground, two supports for each of the 45 others, 45 pairs of neighbors.
        assert_eq!(quality.penetration_m.count, 10 + 2 * 45 + 45);
        assert_eq!((quality.drift_m.max, quality.joint_separation_m.count), (0.0, 0));
        // Ten rows of 10, 9, … boxes of 1 kg, the first half a meter up, under 10 m/s².
        let expected: f64 = (0..10)
            .map(|row| f64::from(10 - row) * (f64::from(row) + 0.5) * 10.0)
            .sum();
        assert!(
            (quality.energy_j - expected).abs() < 1e-3,
            "{} J, not {expected} J",
            quality.energy_j
        );
    }

    #[test]
    fn a_box_pushed_into_the_ground_shows() {
        let recording = recording("large_pyramid", 1, 1);
        let mut frame = start(&recording);
        frame[1].y -= 0.25;
        let quality = recording.measure(&frame).unwrap();
        assert!(
            (quality.penetration_m.max - 0.25).abs() < 1e-5,
            "{:?}",
            quality.penetration_m
        );
        assert!((quality.drift_m.max - 0.25).abs() < 1e-6);
    }

    #[test]
    fn a_moved_circle_opens_its_joints_and_touches_nothing() {
        let recording = recording("joint_grid", 4, 1);
        let mut frame = start(&recording);
        assert_eq!(recording.measure(&frame).unwrap().joint_separation_m.max, 0.0);
        frame[5].x += 0.5;
        let quality = recording.measure(&frame).unwrap();
        assert_eq!(
            (quality.joint_separation_m.count, quality.penetration_m.count),
            (2 * 4 * 3, 0)
        );
        assert!((quality.joint_separation_m.max - 0.5).abs() < 1e-6);
    }

    #[test]
    fn frames_that_do_not_fit_are_refused() {
        let recording = recording("large_pyramid", 2, 1);
        let mut frame = start(&recording);
        frame[1].x = f32::NAN;
        assert!(
            recording
                .measure(&frame)
                .unwrap_err()
                .to_string()
                .contains("body 1 is not at a finite place")
        );
        frame.pop();
        assert!(
            recording
                .measure(&frame)
                .unwrap_err()
                .to_string()
                .contains("the engine has 3 bodies, the scene 4")
        );
    }

    #[test]
    fn one_bad_frame_of_three_does_not_count() {
        let plan = Plan {
            scene: "large_pyramid",
            size: 1,
            variant: Variant {
                size_factor: 1.0,
                seed: 0,
            },
            steps: 3,
            threads: 1,
        };
        let start = start(&recording("large_pyramid", 1, 1));
        let frame = |step, sunk| {
            let mut bodies = start.clone();
            bodies[1].y -= sunk;
            Frame { step, bodies }
        };
        let quality = over(&plan, &[frame(0, 0.25), frame(1, 0.01), frame(2, 0.02)]).unwrap();
        assert!((quality.penetration_m.max - 0.02).abs() < 1e-6);
        assert!((quality.drift_m.mean - 0.02).abs() < 1e-6);
        assert!(over(&plan, &[]).is_err());
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    }
}
