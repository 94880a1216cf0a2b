//! [`CouplingBlock`]: sixteen gears, racks and pulleys of one color laid out for lanes. Each is one equation between
//! the velocities of two bodies; the impulses on them need not be opposite.

use super::contact_block::BodyArrays;
use super::joint_block::{EndRows, JointBlock, JointSettings, in_units};
use super::lanes::SimdRow;
use crate::joint::{Coupling, JointBlockKind, JointSim, JointTrack, axis, flag};
use glam::Vec2;
use tombolo_geometry::Rot;

/// Bits of [`CouplingBlock::features`].
pub(super) mod feature {
    /// Some lane is a gear.
    pub(in crate::solver) const GEAR: u32 = 1 << 0;
    /// Some lane is a rack.
    pub(in crate::solver) const RACK: u32 = 1 << 1;
    /// Some lane is a pulley.
    pub(in crate::solver) const PULLEY: u32 = 1 << 2;
}

/// Sixteen joints of one color.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CouplingBlock {
    /// The two bodies of each lane.
    pub(super) ends: EndRows,
    /// 1 if the lane is a rack, and if it is a pulley; both are 0 for a gear.
    pub(super) is_rack: SimdRow,
    pub(super) is_pulley: SimdRow,
    pub(super) ratio: SimdRow,
    /// The direction of a rack's axis in the world when the step began.
    pub(super) axis: [SimdRow; 2],
    /// The angles or positions of A and B when the step began: [`JointTrack`].
    pub(super) start: [SimdRow; 2],
    /// The error of a gear or a rack at that time.
    pub(super) drift: SimdRow,
    /// The vectors from the fixed points to the points of A and of B at that time, of a pulley's rope.
    pub(super) ropes: [[SimdRow; 2]; 2],
    /// The length of the whole rope, in meters.
    pub(super) length: SimdRow,
    /// 1 if the rope may be slack, otherwise 0.
    pub(super) slack: SimdRow,
    /// The greatest impulse: 0 for a rope that only pulls.
    pub(super) most: SimdRow,
    pub(super) impulse: SimdRow,
    /// The impulses in the velocities of A and of B, with the directions of the time at which they were computed: x, y,
    /// angular.
    pub(super) applied: [[SimdRow; 3]; 2],
    /// The sum of the substeps' final impulses so far: x, y, and angular about B's point.
    pub(super) total: [SimdRow; 3],
    /// Bits of [`feature`] of all lanes, OR-ed: kinds that no lane has are not computed.
    pub(super) features: u32,
}

const ZEROS: [SimdRow; 2] = [SimdRow::ZERO; 2];

impl JointBlock for CouplingBlock {
    const KIND: usize = JointBlockKind::Coupling(Coupling::Gear).index();

    const EMPTY: Self = Self {
        ends: EndRows::EMPTY,
        is_rack: SimdRow::ZERO,
        is_pulley: SimdRow::ZERO,
        ratio: SimdRow::ZERO,
        axis: ZEROS,
        start: ZEROS,
        drift: SimdRow::ZERO,
        ropes: [ZEROS; 2],
        length: SimdRow::ZERO,
        slack: SimdRow::ZERO,
        most: SimdRow::ZERO,
        impulse: SimdRow::ZERO,
        applied: [[SimdRow::ZERO; 3]; 2],
        total: [SimdRow::ZERO; 3],
        features: 0,
    };

    fn clear(&mut self, count: usize) {
        *self = Self::EMPTY;
        self.ends.count = count as u32;
    }

    fn prepare_lane(
        &mut self,
        lane: usize,
        joint: &JointSim,
        bodies: BodyArrays<'_>,
        settings: &JointSettings,
    ) {
        let ends = self.ends.prepare_lane::<true>(lane, joint, bodies, settings);
        self.ratio.0[lane] = joint.ratio;
        self.most.0[lane] = f32::INFINITY;
        self.impulse.0[lane] = in_units(joint.impulses[axis::X].soft, ends.inverse_unit);
        let coupling = joint.coupling();
        match coupling {
            Some(Coupling::Gear) => self.features |= feature::GEAR,
            Some(Coupling::Rack) => self.prepare_rack(lane, joint, bodies),
            Some(Coupling::Pulley) => self.prepare_pulley(lane, joint, bodies),
            None => debug_assert!(false, "a joint of another block"),
        }
        if coupling != Some(Coupling::Pulley) {
            let [a, b] = [joint.body_a, joint.body_b].map(|body| bodies.poses[body as usize].pose);
            let JointTrack { angle, place, drift } = joint.track_now(a, b);
            (self.start[0].0[lane], self.start[1].0[lane]) = (angle, place);
            self.drift.0[lane] = drift;
        }
    }

    fn fill_unused(&mut self) {
        self.ends.fill_unused();
    }

    fn store_lane(&self, lane: usize, joint: &mut JointSim, settings: &JointSettings) {
        let [unit, turning_unit] = self.ends.units(lane);
        joint.impulses[axis::X].soft = unit * self.impulse.0[lane];
        let units = [unit, unit, turning_unit];
        let [x, y, turn] = [0, 1, 2].map(|part| units[part] * settings.inverse_dt * self.total[part].0[lane]);
        joint.force = Vec2::new(x, y);
        joint.torque = turn;
        joint.track = JointTrack {
            angle: self.start[0].0[lane],
            place: self.start[1].0[lane],
            drift: self.drift.0[lane],
        };
    }
}

impl CouplingBlock {
    fn prepare_rack(&mut self, lane: usize, joint: &JointSim, bodies: BodyArrays<'_>) {
        self.features |= feature::RACK;
        self.is_rack.0[lane] = 1.0;
        let rotation = bodies.poses[joint.body_b as usize].pose.rotation;
        let along = rotation.then(Rot::from_angle(joint.local_angle_b));
        (self.axis[0].0[lane], self.axis[1].0[lane]) = (along.cos, along.sin);
    }

    fn prepare_pulley(&mut self, lane: usize, joint: &JointSim, bodies: BodyArrays<'_>) {
        self.features |= feature::PULLEY;
        self.is_pulley.0[lane] = 1.0;
        self.length.0[lane] = joint.rope_length();
        if joint.has(flag::SLACK) {
            (self.slack.0[lane], self.most.0[lane]) = (1.0, 0.0);
        }
        let ends = [
            (joint.body_a, joint.local_anchor_a),
            (joint.body_b, joint.local_anchor_b),
        ];
        for ((rows, (body, anchor)), ground) in self.ropes.iter_mut().zip(ends).zip(joint.ground_anchors()) {
            let rope = bodies.poses[body as usize].pose.transform_point(anchor) - ground;
            (rows[0].0[lane], rows[1].0[lane]) = (rope.x, rope.y);
        }
    }
}
