//! [`CompositeScratch`]: computes the external impulses on the members of one composite, and the resulting forces in
//! its welds.

use crate::body::{BodyPose, NONE};
use crate::composite::{Balance, RigidWeldRecord, Wrench};
use crate::contact::{CachedManifold, mark};
use crate::joint::{Coupling, JointSim, PositionConstraint};
use crate::state::State;
use alloc::vec::Vec;
use glam::{DVec2, Vec2};

/// The velocity of a composite's body before the solver.
#[derive(Clone, Copy, Debug)]
pub(super) struct SolveStart {
    pub(super) body: u32,
    pub(super) linear: Vec2,
    pub(super) angular: f32,
}

/// The friction at a contact point.
#[derive(Clone, Copy, Debug)]
struct PointFriction {
    member: usize,
    arm: DVec2,
    tangent: DVec2,
    /// The impulse along the tangent in newton seconds, and its greatest magnitude.
    impulse: f64,
    most: f64,
}

/// Scratch memory for measuring composites.
#[derive(Debug, Default)]
pub(crate) struct CompositeScratch {
    pub(super) starts: Vec<SolveStart>,
    /// The members of one composite, sorted.
    members: Vec<u32>,
    /// The external impulse on each of them.
    pushes: Vec<Wrench>,
    frictions: Vec<PointFriction>,
    /// The welds, each once, and the places of their members in the list.
    welds: Vec<(u32, [usize; 2])>,
    balance: Balance,
    /// The welds whose thresholds were exceeded, unordered.
    pub(crate) strained: Vec<u32>,
}

/// The wrench of an impulse at a point.
fn wrench_at(arm: DVec2, push: DVec2, turn: f64) -> Wrench {
    [push.x, push.y, turn + arm.perp_dot(push)]
}

fn add(sum: &mut Wrench, part: Wrench) {
    sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
}

/// The body of a composite in a step.
struct CompositeBody<'a> {
    state: &'a State,
    body: u32,
    place: &'a BodyPose,
    /// The common center of mass of the members, from which all arms are measured.
    center: DVec2,
    mass: f64,
    inertia: f64,
    dt: f64,
    /// The substeps in which the body was solved.
    substeps: u32,
}

impl CompositeBody<'_> {
    /// The vector from the members' center to a point of the world.
    fn arm(&self, point: Vec2) -> DVec2 {
        (point - self.place.pose.position).as_dvec2() - self.center
    }

    /// The vector from the members' center to a point in the body's frame.
    fn arm_to(&self, local: Vec2) -> DVec2 {
        self.place.pose.rotation.rotate(local).as_dvec2() - self.center
    }
}

/// A force or torque in the form in which it is stored: zero if an unbounded impulse made it NaN or infinite, and never
/// minus zero.
fn finite(force: DVec2) -> Vec2 {
    let force = force.as_vec2();
    if force.is_finite() {
        force + Vec2::ZERO
    } else {
        Vec2::ZERO
    }
}

impl CompositeScratch {
    pub(super) fn measure(&mut self, state: &mut State, start: SolveStart, dt: f32, substeps: u32) {
        self.members.clear();
        self.members.extend(state.members_of(start.body));
        self.members.sort_unstable();
        self.pushes.clear();
        self.pushes.resize(self.members.len(), [0.0; 3]);
        self.frictions.clear();
        let Some(whole) = weigh(state, start.body, dt, substeps) else {
            return;
        };
        self.add_calls(&whole);
        self.add_joints(&whole);
        self.add_contacts(&whole);
        self.correct_friction(&whole, start);
        for point in &self.frictions {
            add(
                &mut self.pushes[point.member],
                wrench_at(point.arm, point.impulse * point.tangent, 0.0),
            );
        }
        self.list_welds(&whole);
        self.set_up_balance(&whole, start);
        self.balance.solve();
        let (center, rotation) = (whole.center, whole.place.pose.rotation);
        for (index, &(weld, _)) in self.welds.iter().enumerate() {
            let [x, y, turn] = self.balance.wrench(index);
            let record = state.rigid_welds.live_mut(weld);
            let arm = rotation.rotate(record.anchor).as_dvec2() - center;
            let per_second = 1.0 / f64::from(dt);
            record.force = finite(per_second * DVec2::new(x, y));
            let turn = per_second * (turn - arm.perp_dot(DVec2::new(x, y)));
            record.torque = finite(DVec2::new(turn, 0.0)).x;
            if record.is_strained() {
                self.strained.push(weld);
            }
        }
    }

    fn place_of(&self, member: u32) -> usize {
        self.members
            .binary_search(&member)
            .expect("a member of this composite")
    }

    /// Adds the impulses of calls on single members.
    fn add_calls(&mut self, whole: &CompositeBody<'_>) {
        for (&member, push) in self.members.iter().zip(&mut self.pushes) {
            let record = whole.state.members.live(member);
            let impulse = whole.dt * record.force.as_dvec2() + record.impulse.as_dvec2();
            let turn = whole.dt * f64::from(record.torque) + f64::from(record.angular_impulse);
            // Calls give the torque about the body's origin.
            add(push, wrench_at(-whole.center, impulse, turn));
        }
    }

    fn add_joints(&mut self, whole: &CompositeBody<'_>) {
        for joint in whole.state.joints_of(whole.body) {
            let sim = &whole.state.joint_sims[joint];
            if sim.color == NONE {
                continue;
            }
            let local = if sim.body_a == whole.body {
                sim.local_anchor_a
            } else {
                sim.local_anchor_b
            };
            let member = self.place_of(whole.state.member_in_step(whole.body, local));
            add(&mut self.pushes[member], push_of_joint(whole, sim));
        }
    }

    fn add_contacts(&mut self, whole: &CompositeBody<'_>) {
        let state = whole.state;
        for index in state.contacts_of(whole.body) {
            let place = state.contacts.place_of(index);
            let contact = &state.contacts.contacts[place];
            let manifold = &state.contacts.cached_manifolds[place];
            let end = usize::from(contact.body_a != whole.body);
            let is_solved = (place as usize) < state.contacts.awake_len() && contact.is_pushing();
            if !is_solved || manifold.surface.marks & mark::DOMINANT[end] != 0 {
                continue;
            }
            let shape = [contact.shape_a, contact.shape_b][end];
            let Some(member) = state.member_of(shape) else {
                continue;
            };
            let poses = [contact.body_a, contact.body_b].map(|body| &state.body_poses[body]);
            let count = usize::from(contact.point_count);
            self.add_contact(whole, self.place_of(member), (manifold, count, end), poses);
        }
    }

    fn add_contact(
        &mut self,
        whole: &CompositeBody<'_>,
        member: usize,
        (manifold, count, end): (&CachedManifold, usize, usize),
        [pose_a, pose_b]: [&BodyPose; 2],
    ) {
        let sign = if end == 0 { -1.0 } else { 1.0 };
        let normal = manifold.frame.normal;
        let tangent = sign * Vec2::new(normal.y, -normal.x).as_dvec2();
        let normal = sign * normal.as_dvec2();
        // Sums for the ratio of the impulses of the step to those of its last substep.
        let [mut last, mut total] = [0.0_f64; 2];
        for point in &manifold.points[..count] {
            let (points, _) = manifold.point_now(point, pose_a, pose_b);
            let arm = whole.arm(points[end]);
            let pushed = f64::from(point.total_normal_impulse);
            add(&mut self.pushes[member], wrench_at(arm, pushed * normal, 0.0));
            last += f64::from(point.normal_impulse);
            total += pushed;
            let most = pushed * f64::from(manifold.surface.friction);
            let share = if point.normal_impulse > 0.0 {
                f64::from(point.tangent_impulse) / f64::from(point.normal_impulse)
            } else {
                0.0
            };
            if most > 0.0 {
                let impulse = (share * pushed).clamp(-most, most);
                self.frictions.push(PointFriction {
                    member,
                    arm,
                    tangent,
                    impulse,
                    most,
                });
            }
        }
        if last > 0.0 {
            let rolled = sign * f64::from(manifold.surface.rolling_impulse) * (total / last);
            add(&mut self.pushes[member], [0.0, 0.0, rolled]);
        }
    }

    /// Distributes the missing part of the body's momentum over the friction of its contacts: by least squares, within
    /// the limit of each.
    fn correct_friction(&mut self, whole: &CompositeBody<'_>, start: SolveStart) {
        if self.frictions.is_empty() {
            return;
        }
        let Some(got) = impulse_of_solver(whole, start) else {
            return;
        };
        let mut missing = got;
        // Forces at points are part of the free motion of the body.
        for (&member, push) in self.members.iter().zip(&self.pushes) {
            let record = whole.state.members.live(member);
            let impulse = whole.dt * record.force.as_dvec2() + record.impulse.as_dvec2();
            let turn = whole.dt * f64::from(record.torque) + f64::from(record.angular_impulse);
            let called = wrench_at(-whole.center, impulse, turn);
            add(
                &mut missing,
                [called[0] - push[0], called[1] - push[1], called[2] - push[2]],
            );
        }
        // A rotation is weighted by the radius of gyration of the body.
        let length = libm::sqrt(whole.inertia / whole.mass).max(1.0e-6);
        let row = |point: &PointFriction| {
            [
                point.tangent.x,
                point.tangent.y,
                point.arm.perp_dot(point.tangent) / length,
            ]
        };
        let mut normal = [[0.0_f64; 3]; 3];
        for point in &self.frictions {
            add(
                &mut missing,
                wrench_at(point.arm, -point.impulse * point.tangent, 0.0),
            );
            let row = row(point);
            for (line, part) in normal.iter_mut().zip(row) {
                add(line, row.map(|other| point.most * part * other));
            }
        }
        missing[2] /= length;
        let trace = normal[0][0] + normal[1][1] + normal[2][2];
        for (i, row) in normal.iter_mut().enumerate() {
            row[i] += 1.0e-6 * trace;
        }
        let Some(weights) = solve_3(normal, missing) else {
            return;
        };
        for point in &mut self.frictions {
            let row = row(point);
            let change = point.most * (row[0] * weights[0] + row[1] * weights[1] + row[2] * weights[2]);
            point.impulse = (point.impulse + change).clamp(-point.most, point.most);
        }
    }

    fn list_welds(&mut self, whole: &CompositeBody<'_>) {
        self.welds.clear();
        for (place, &member) in self.members.iter().enumerate() {
            for (weld, end) in whole.state.welds_of(member) {
                if end == 0 {
                    let other = whole.state.rigid_welds.live(weld).members[1];
                    self.welds.push((weld, [place, self.place_of(other)]));
                }
            }
        }
    }

    fn set_up_balance(&mut self, whole: &CompositeBody<'_>, start: SolveStart) {
        let mut sum = [0.0; 3];
        self.pushes.iter().for_each(|&push| add(&mut sum, push));
        let linear = DVec2::new(sum[0], sum[1]) / whole.mass;
        let angular = if whole.inertia > 0.0 {
            sum[2] / whole.inertia
        } else {
            0.0
        };
        let (first, last) = (
            f64::from(start.angular),
            f64::from(whole.state.body_states[whole.body].angular_velocity),
        );
        // The mean over the step of the square of a linearly changing velocity.
        let inward = whole.dt * (first * first + first * last + last * last) / 3.0;
        self.balance.clear(self.length_of_members(whole));
        for (&member, push) in self.members.iter().zip(&self.pushes) {
            let record = whole.state.members.live(member);
            let (mass, inertia) = (f64::from(record.mass), f64::from(record.inertia));
            let arm = whole.arm_to(record.center);
            let moved = linear + angular * arm.perp() - inward * arm;
            let needed = wrench_at(arm, mass * moved, inertia * angular);
            self.balance
                .add_member([needed[0] - push[0], needed[1] - push[1], needed[2] - push[2]]);
        }
        for &(weld, ends) in &self.welds {
            let RigidWeldRecord { anchor, .. } = *whole.state.rigid_welds.live(weld);
            self.balance.add_weld(ends, whole.arm_to(anchor));
        }
    }

    /// The root mean square distance of the members' centers from their welds.
    fn length_of_members(&self, whole: &CompositeBody<'_>) -> f64 {
        let mut sum = 0.0;
        for (weld, ends) in &self.welds {
            let anchor = whole.state.rigid_welds.live(*weld).anchor;
            for &end in ends {
                let center = whole.state.members.live(self.members[end]).center;
                sum += f64::from((center - anchor).length_squared());
            }
        }
        libm::sqrt(sum / (2 * self.welds.len()).max(1) as f64)
    }
}

/// The mass properties of all members of a body together; `None` if they have no mass.
fn weigh(state: &State, body: u32, dt: f32, substeps: u32) -> Option<CompositeBody<'_>> {
    let place = &state.body_poses[body];
    let (mut mass, mut weighted, mut inertia) = (0.0, DVec2::ZERO, 0.0);
    for member in state.members_of(body) {
        let record = state.members.live(member);
        let (of_member, center) = (f64::from(record.mass), record.center.as_dvec2());
        mass += of_member;
        weighted += of_member * center;
        inertia += f64::from(record.inertia) + of_member * center.length_squared();
    }
    if mass <= 0.0 {
        return None;
    }
    let center = weighted / mass;
    inertia -= mass * center.length_squared();
    Some(CompositeBody {
        state,
        body,
        place,
        center: place.pose.rotation.rotate(center.as_vec2()).as_dvec2(),
        mass,
        inertia: inertia.max(0.0),
        substeps,
        dt: f64::from(dt),
    })
}

/// Whether a joint pushes each body at that body's own point, and not the first one where the second one's point is.
fn acts_at_both_points(sim: &JointSim) -> bool {
    let plan = sim.plan();
    sim.is_revolute() || plan.point != PositionConstraint::Free || plan.point_motor.is_some()
}

/// The impulse of a joint on the body over the step.
fn push_of_joint(whole: &CompositeBody<'_>, sim: &JointSim) -> Wrench {
    let pose_b = whole.state.body_poses[sim.body_b].pose;
    let arm = whole.arm(pose_b.transform_point(sim.local_anchor_b));
    let force = whole.dt * sim.force.as_dvec2();
    let torque = whole.dt * f64::from(sim.torque);
    if sim.body_b == whole.body {
        return wrench_at(arm, force, torque);
    }
    match sim.coupling() {
        // Each wheel's teeth turn it alone, and the housing takes the rest.
        Some(Coupling::Gear) => [0.0, 0.0, torque / f64::from(sim.ratio)],
        Some(Coupling::Pulley) => {
            let along = |end: usize, pose: tombolo_geometry::Pose, local: Vec2| {
                let fixed = Vec2::new(sim.linear[end].lower, sim.linear[end].upper);
                (pose.transform_point(local) - fixed)
                    .as_dvec2()
                    .normalize_or_zero()
            };
            let pose_a = whole.place.pose;
            let pull = force.dot(along(1, pose_b, sim.local_anchor_b)) / f64::from(sim.ratio);
            wrench_at(
                whole.arm_to(sim.local_anchor_a),
                pull * along(0, pose_a, sim.local_anchor_a),
                0.0,
            )
        }
        Some(Coupling::Rack) | None if acts_at_both_points(sim) => {
            wrench_at(whole.arm_to(sim.local_anchor_a), -force, -torque)
        }
        Some(Coupling::Rack) | None => wrench_at(arm, -force, -torque),
    }
}

/// The impulse of the constraints on the body over the step, about the members' center: the difference of its
/// velocities from those that it would have without constraints. `None` if other limits act on the body.
fn impulse_of_solver(whole: &CompositeBody<'_>, start: SolveStart) -> Option<Wrench> {
    let state = whole.state;
    let sim = &state.body_sims[whole.body];
    let control = state.control_of(whole.body);
    let is_free = control.fixed_axes == [0; 2] && sim.inverse_mass > 0.0 && sim.inverse_inertia > 0.0;
    if !is_free {
        return None;
    }
    let settings = state.settings();
    let substeps = f64::from(whole.substeps);
    let h = whole.dt / substeps;
    let force = (sim.force + control.lasting_force).as_dvec2();
    let torque = f64::from(sim.torque + control.lasting_torque);
    let gravity = (sim.gravity_scale * settings.gravity).as_dvec2();
    let linear_push = h * (f64::from(sim.inverse_mass) * force + gravity);
    let angular_push = h * f64::from(sim.inverse_inertia) * torque;
    let fading =
        [sim.linear_damping, sim.angular_damping].map(|damping| 1.0 / (1.0 + h * f64::from(damping)));
    let (mut linear, mut angular) = (start.linear.as_dvec2(), f64::from(start.angular));
    // The fraction of an impulse, spread over the substeps, that is left at the end.
    let (mut kept, mut left) = ([0.0; 2], [1.0; 2]);
    for _ in 0..whole.substeps {
        linear = fading[0] * (linear + linear_push);
        angular = fading[1] * (angular + angular_push);
        for ((kept, left), fading) in kept.iter_mut().zip(&mut left).zip(fading) {
            *kept += *left / substeps;
            *left *= fading;
        }
    }
    let motion = &state.body_states[whole.body];
    let record = state.bodies.live(whole.body);
    let linear = f64::from(record.mass) * (motion.linear_velocity.as_dvec2() - linear) / kept[0];
    let turn = f64::from(record.inertia) * (f64::from(motion.angular_velocity) - angular) / kept[1];
    Some(wrench_at(whole.arm(whole.place.center), linear, turn))
}

/// The solution of three equations by Cramer's rule; `None` if they are singular.
fn solve_3(rows: [[f64; 3]; 3], right: Wrench) -> Option<Wrench> {
    let columns = [0, 1, 2].map(|j| glam::DVec3::new(rows[0][j], rows[1][j], rows[2][j]));
    let right = glam::DVec3::from_array(right);
    let [a, b, c] = columns;
    let whole = a.dot(b.cross(c));
    let solution = [
        right.dot(b.cross(c)) / whole,
        a.dot(right.cross(c)) / whole,
        a.dot(b.cross(right)) / whole,
    ];
    solution.iter().all(|part| part.is_finite()).then_some(solution)
}
