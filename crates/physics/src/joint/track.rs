//! [`JointTrack`]: the state that gears, racks and joints that count turns keep from step to step, and the errors of
//! gears, racks and pulleys.

use super::parts::Coupling;
use super::record::{AxisImpulses, JointSim, JointTrack, axis, flag};
use super::turns::within_half_a_turn;
use glam::Vec2;
use tombolo_geometry::{Pose, Rot};

/// The greatest drift that is stored, in radians or meters: it keeps numbers finite where a gear is forced.
const DRIFT_MAX: f32 = 1.0e6;

impl JointSim {
    /// The state of the joint when it begins between two bodies at these poses.
    pub(crate) fn first_track(&self, a: Pose, b: Pose) -> JointTrack {
        let [angle, place] = match self.coupling() {
            Some(Coupling::Gear | Coupling::Rack) => self.seen(a, b),
            Some(Coupling::Pulley) => [0.0; 2],
            None if self.has(flag::COUNT_TURNS) => [self.first_angle(a.rotation.to(b.rotation).angle()), 0.0],
            None => [0.0; 2],
        };
        JointTrack {
            angle,
            place,
            drift: 0.0,
        }
    }

    /// Whether two records of a joint differ in the state of the joint at most, and not in its options.
    pub(crate) fn has_options_of(&self, other: &Self) -> bool {
        let without_state = |sim: &Self| Self {
            color: 0,
            place_in_color: 0,
            impulses: [AxisImpulses::default(); 3],
            force: Vec2::ZERO,
            torque: 0.0,
            track: JointTrack::default(),
            ..*sim
        };
        without_state(self) == without_state(other)
    }

    /// Whether the state of `old`, the same joint with other options, is no longer valid.
    pub(crate) fn begins_anew(&self, old: &Self) -> bool {
        let turned = self.local_angle_a != old.local_angle_a || self.local_angle_b != old.local_angle_b;
        match self.coupling() {
            Some(Coupling::Rack) => {
                turned
                    || self.local_anchor_a != old.local_anchor_a
                    || self.local_anchor_b != old.local_anchor_b
            }
            Some(Coupling::Gear | Coupling::Pulley) | None => {
                self.has(flag::COUNT_TURNS) != old.has(flag::COUNT_TURNS) || turned
            }
        }
    }

    /// The state of a gear or a rack, updated: each body may have turned by half a turn since.
    pub(crate) fn track_now(&self, a: Pose, b: Pose) -> JointTrack {
        let [angle, place] = self.seen(a, b);
        let turned = within_half_a_turn(angle - self.track.angle);
        let change = if self.coupling() == Some(Coupling::Gear) {
            turned + self.ratio * within_half_a_turn(place - self.track.place)
        } else {
            (place - self.track.place) + self.ratio * turned
        };
        JointTrack {
            angle,
            place,
            drift: (self.track.drift + change).clamp(-DRIFT_MAX, DRIFT_MAX),
        }
    }

    /// The two positions that a gear or a rack couples, angles without their turns.
    fn seen(&self, a: Pose, b: Pose) -> [f32; 2] {
        if self.coupling() == Some(Coupling::Gear) {
            return [a.rotation.angle(), b.rotation.angle()];
        }
        let along = b.rotation.then(Rot::from_angle(self.local_angle_b));
        let apart = b.transform_point(self.local_anchor_b) - a.transform_point(self.local_anchor_a);
        let slid = along.cos * apart.x + along.sin * apart.y;
        [a.rotation.to(b.rotation).angle(), slid]
    }

    /// The fixed points of a pulley's rope, for each body.
    pub(crate) fn ground_anchors(&self) -> [Vec2; 2] {
        self.linear
            .each_ref()
            .map(|options| Vec2::new(options.lower, options.upper))
    }

    /// The length of a pulley's rope when it is taut, the second part multiplied by the ratio.
    pub(crate) fn rope_length(&self) -> f32 {
        self.linear[axis::X].target + self.ratio * self.linear[axis::Y].target
    }

    /// The error of a gear, a rack or a pulley, in radians of the first body or meters; 0 for other kinds.
    pub(crate) fn coupling_error(&self, a: Pose, b: Pose) -> f32 {
        match self.coupling() {
            Some(Coupling::Gear | Coupling::Rack) => self.track_now(a, b).drift,
            Some(Coupling::Pulley) => {
                let [ground_a, ground_b] = self.ground_anchors();
                let length_a = (a.transform_point(self.local_anchor_a) - ground_a).length();
                let length_b = (b.transform_point(self.local_anchor_b) - ground_b).length();
                let error = length_a + self.ratio * length_b - self.rope_length();
                if self.has(flag::SLACK) {
                    error.max(0.0)
                } else {
                    error
                }
            }
            None => 0.0,
        }
    }
}
