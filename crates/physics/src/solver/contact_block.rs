//! [`ContactBlock`]: sixteen contacts of one colour laid out for lanes; made from contacts before the substeps and
//! turned back into impulses after them.
//!
//! Blocks live for one step only. Within a colour no two contacts share a body that either may change, so that the
//! lanes of a block are independent.

use super::lanes::{BLOCK, IndexRow, READ_ONLY, Row};
use super::softness::Softness;
use crate::body::{BodyKind, BodyPose, BodySim, BodyState};
use crate::contact::{Contact, ContactPoint};
use glam::Vec2;
use tombolo_geometry::math::{cross, cross_scalar};

/// One point of each contact of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointRows {
    /// From A's centre of mass, world axes.
    pub(crate) anchor_a: [Row; 2],
    /// From B's centre of mass, world axes.
    pub(crate) anchor_b: [Row; 2],
    /// The part of the separation that does not change within the step.
    pub(crate) base_separation: Row,
    /// Newton seconds along the normal in this substep.
    pub(crate) normal_impulse: Row,
    /// Newton seconds along the tangent in this substep.
    pub(crate) tangent_impulse: Row,
    /// Newton seconds along the normal, summed over the step.
    pub(crate) total_normal_impulse: Row,
    /// Kilograms seen along the normal; 0 for a point that is not there.
    pub(crate) normal_mass: Row,
    /// Kilograms seen along the tangent; 0 for a point that is not there.
    pub(crate) tangent_mass: Row,
    /// Metres per second along the normal before anything was solved.
    pub(crate) normal_velocity: Row,
}

/// Sixteen contacts of one colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactBlock {
    /// First bodies.
    pub(crate) body_a: IndexRow,
    /// Second bodies.
    pub(crate) body_b: IndexRow,
    /// From A to B.
    pub(crate) normal: [Row; 2],
    /// One over kilograms, of A and B.
    pub(crate) inverse_mass: [Row; 2],
    /// One over kilogram square metres, of A and B.
    pub(crate) inverse_inertia: [Row; 2],
    /// Factors of the soft constraint.
    pub(crate) bias_rate: Row,
    /// See [`Softness::mass_scale`].
    pub(crate) mass_scale: Row,
    /// See [`Softness::impulse_scale`].
    pub(crate) impulse_scale: Row,
    /// Coulomb friction.
    pub(crate) friction: Row,
    /// Bounciness.
    pub(crate) restitution: Row,
    /// Metres per second that the surfaces move against each other by themselves.
    pub(crate) tangent_speed: Row,
    /// Resistance to rolling, metres.
    pub(crate) rolling_resistance: Row,
    /// Kilogram square metres seen by rolling; 0 without resistance.
    pub(crate) rolling_mass: Row,
    /// Newton metre seconds against rolling in this substep.
    pub(crate) rolling_impulse: Row,
    /// The points.
    pub(crate) points: [PointRows; 2],
    /// How many lanes are used.
    pub(crate) count: u32,
    /// Whether any lane bounces, rolls.
    pub(crate) features: u32,
}

/// Bits of [`ContactBlock::features`].
pub(crate) mod feature {
    /// A contact of the block has restitution.
    pub(crate) const RESTITUTION: u32 = 1 << 0;
    /// A contact of the block has rolling resistance.
    pub(crate) const ROLLING: u32 = 1 << 1;
}

impl PointRows {
    const ZERO: Self = Self {
        anchor_a: [Row::ZERO; 2],
        anchor_b: [Row::ZERO; 2],
        base_separation: Row::ZERO,
        normal_impulse: Row::ZERO,
        tangent_impulse: Row::ZERO,
        total_normal_impulse: Row::ZERO,
        normal_mass: Row::ZERO,
        tangent_mass: Row::ZERO,
        normal_velocity: Row::ZERO,
    };
}

/// What preparing a contact reads of the bodies, by body index.
#[derive(Clone, Copy)]
pub(crate) struct Bodies<'a> {
    pub(crate) poses: &'a [BodyPose],
    pub(crate) sims: &'a [BodySim],
    pub(crate) states: &'a [BodyState],
}

/// What preparing a contact needs to know of the step.
#[derive(Clone, Copy)]
pub(crate) struct ContactSettings {
    /// For contacts between two bodies that can move.
    pub(crate) softness: Softness,
    /// For contacts with a static or kinematic body: twice as stiff.
    pub(crate) static_softness: Softness,
}

impl ContactBlock {
    pub(crate) const EMPTY: Self = Self {
        body_a: IndexRow([READ_ONLY; BLOCK]),
        body_b: IndexRow([READ_ONLY; BLOCK]),
        normal: [Row::ZERO; 2],
        inverse_mass: [Row::ZERO; 2],
        inverse_inertia: [Row::ZERO; 2],
        bias_rate: Row::ZERO,
        mass_scale: Row::ZERO,
        impulse_scale: Row::ZERO,
        friction: Row::ZERO,
        restitution: Row::ZERO,
        tangent_speed: Row::ZERO,
        rolling_resistance: Row::ZERO,
        rolling_mass: Row::ZERO,
        rolling_impulse: Row::ZERO,
        points: [PointRows::ZERO; 2],
        count: 0,
        features: 0,
    };

    /// Fills the block from up to sixteen contacts of one colour.
    pub(crate) fn prepare(
        &mut self,
        contacts: &[Contact],
        places: &[u32],
        bodies: Bodies<'_>,
        settings: &ContactSettings,
    ) {
        debug_assert!(!places.is_empty() && places.len() <= BLOCK);
        *self = Self::EMPTY;
        self.count = places.len() as u32;
        for (lane, &place) in places.iter().enumerate() {
            self.prepare_lane(lane, &contacts[place as usize], bodies, settings);
        }
        // Unused lanes read a row that nobody else may touch during this colour: that of the first lane.
        for lane in places.len()..BLOCK {
            self.body_a.0[lane] = self.body_a.0[0] | READ_ONLY;
            self.body_b.0[lane] = self.body_b.0[0] | READ_ONLY;
        }
    }

    fn prepare_lane(
        &mut self,
        lane: usize,
        contact: &Contact,
        bodies: Bodies<'_>,
        settings: &ContactSettings,
    ) {
        let (a, b) = (contact.body_a as usize, contact.body_b as usize);
        let (pose_a, pose_b) = (&bodies.poses[a], &bodies.poses[b]);
        let (sim_a, sim_b) = (&bodies.sims[a], &bodies.sims[b]);
        let movable = BodyKind::Dynamic as u32;

        let normal = pose_a.pose.rotation.rotate(contact.local_normal);
        let between_centers = (pose_b.center - pose_a.center).dot(normal);
        let soft = if sim_a.kind == movable && sim_b.kind == movable {
            settings.softness
        } else {
            settings.static_softness
        };

        self.body_a.0[lane] = contact.body_a | if sim_a.kind == movable { 0 } else { READ_ONLY };
        self.body_b.0[lane] = contact.body_b | if sim_b.kind == movable { 0 } else { READ_ONLY };
        self.normal[0].0[lane] = normal.x;
        self.normal[1].0[lane] = normal.y;
        self.inverse_mass[0].0[lane] = sim_a.inverse_mass;
        self.inverse_mass[1].0[lane] = sim_b.inverse_mass;
        self.inverse_inertia[0].0[lane] = sim_a.inverse_inertia;
        self.inverse_inertia[1].0[lane] = sim_b.inverse_inertia;
        self.bias_rate.0[lane] = soft.bias_rate;
        self.mass_scale.0[lane] = soft.mass_scale;
        self.impulse_scale.0[lane] = soft.impulse_scale;
        self.friction.0[lane] = contact.friction;
        self.tangent_speed.0[lane] = contact.tangent_speed;
        if contact.restitution > 0.0 {
            self.restitution.0[lane] = contact.restitution;
            self.features |= feature::RESTITUTION;
        }
        if contact.rolling_resistance > 0.0 {
            let inertia = sim_a.inverse_inertia + sim_b.inverse_inertia;
            self.rolling_resistance.0[lane] = contact.rolling_resistance;
            self.rolling_mass.0[lane] = if inertia > 0.0 { 1.0 / inertia } else { 0.0 };
            self.rolling_impulse.0[lane] = contact.rolling_impulse;
            self.features |= feature::ROLLING;
        }

        let frame = PointFrame {
            normal,
            between_centers,
            rotations: [pose_a.pose.rotation, pose_b.pose.rotation],
            inverse_mass: sim_a.inverse_mass + sim_b.inverse_mass,
            inverse_inertia: [sim_a.inverse_inertia, sim_b.inverse_inertia],
            velocities: [&bodies.states[a], &bodies.states[b]],
        };
        for (rows, point) in self
            .points
            .iter_mut()
            .zip(&contact.points[..contact.point_count as usize])
        {
            frame.prepare_point(rows, lane, point);
        }
    }

    /// Writes the impulses of lane `lane` back into its contact.
    pub(crate) fn store_lane(&self, lane: usize, contact: &mut Contact) {
        contact.rolling_impulse = self.rolling_impulse.0[lane];
        for (rows, point) in self
            .points
            .iter()
            .zip(&mut contact.points[..contact.point_count as usize])
        {
            point.normal_impulse = rows.normal_impulse.0[lane];
            point.tangent_impulse = rows.tangent_impulse.0[lane];
            point.total_normal_impulse = rows.total_normal_impulse.0[lane];
        }
    }
}

/// What the points of one contact share while they are prepared.
struct PointFrame<'a> {
    normal: Vec2,
    /// Metres from A's centre of mass to B's along the normal.
    between_centers: f32,
    rotations: [tombolo_geometry::Rot; 2],
    inverse_mass: f32,
    inverse_inertia: [f32; 2],
    velocities: [&'a BodyState; 2],
}

impl PointFrame<'_> {
    fn prepare_point(&self, rows: &mut PointRows, lane: usize, point: &ContactPoint) {
        let anchor_a = self.rotations[0].rotate(point.local_anchor_a);
        let anchor_b = self.rotations[1].rotate(point.local_anchor_b);
        let [state_a, state_b] = self.velocities;
        let velocity_a = state_a.linear_velocity + cross_scalar(state_a.angular_velocity, anchor_a);
        let velocity_b = state_b.linear_velocity + cross_scalar(state_b.angular_velocity, anchor_b);

        rows.anchor_a[0].0[lane] = anchor_a.x;
        rows.anchor_a[1].0[lane] = anchor_a.y;
        rows.anchor_b[0].0[lane] = anchor_b.x;
        rows.anchor_b[1].0[lane] = anchor_b.y;
        // The kernels add the anchors' own part, turned with the bodies, and what the centres move.
        rows.base_separation.0[lane] = point.separation + self.between_centers;
        rows.normal_impulse.0[lane] = point.normal_impulse;
        rows.tangent_impulse.0[lane] = point.tangent_impulse;
        rows.normal_mass.0[lane] = self.mass_along(self.normal, anchor_a, anchor_b);
        rows.tangent_mass.0[lane] = self.mass_along(tangent(self.normal), anchor_a, anchor_b);
        rows.normal_velocity.0[lane] = (velocity_b - velocity_a).dot(self.normal);
    }

    /// The mass that an impulse along `direction` at the point sees.
    fn mass_along(&self, direction: Vec2, anchor_a: Vec2, anchor_b: Vec2) -> f32 {
        let (arm_a, arm_b) = (cross(anchor_a, direction), cross(anchor_b, direction));
        let inverse = self.inverse_mass
            + self.inverse_inertia[0] * arm_a * arm_a
            + self.inverse_inertia[1] * arm_b * arm_b;
        if inverse > 0.0 { 1.0 / inverse } else { 0.0 }
    }
}

/// The direction of friction for a normal: a quarter turn clockwise.
#[inline]
fn tangent(normal: Vec2) -> Vec2 {
    Vec2::new(normal.y, -normal.x)
}
