//! Reading and changing one body, shape, joint or contact: short-lived views of the world by id.

use super::PhysicsWorld;
use crate::PhysicsError;
use crate::body::{Body, BodyId, BodyKind, BodyPose, BodySim, BodyState, flag};
use crate::contact::{Contact, ContactId, Patch};
use crate::error::{finite, finite_vector, non_negative};
use crate::joint::{JointId, JointSim, angle_limits, flag as joint_flag};
use crate::shape::{Filter, Material, ShapeId};
use crate::state::State;
use glam::Vec2;
use tombolo_geometry::math::{cross, cross_scalar};
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Aabb, Pose, Position, Rot};

/// Radians that a body with a target turns in one substep at most: tangents grow without bound.
const TARGET_TURN_MAX_RAD: f32 = 0.7;

/// A body, to be read.
#[derive(Clone, Copy, Debug)]
pub struct BodyRef<'a> {
    state: &'a State,
    id: BodyId,
}

/// A body, to be changed. Reading goes through [`BodyMut::view`].
#[derive(Debug)]
pub struct BodyMut<'a> {
    state: &'a mut State,
    id: BodyId,
}

/// A shape, to be read.
#[derive(Clone, Copy, Debug)]
pub struct ShapeRef<'a> {
    state: &'a State,
    id: ShapeId,
}

/// A joint, to be read.
#[derive(Clone, Copy, Debug)]
pub struct JointRef<'a> {
    state: &'a State,
    id: JointId,
}

/// A joint, to be changed.
#[derive(Debug)]
pub struct JointMut<'a> {
    state: &'a mut State,
    id: JointId,
}

/// Two shapes whose boxes overlap, to be read.
#[derive(Clone, Copy, Debug)]
pub struct ContactRef<'a> {
    state: &'a State,
    id: ContactId,
}

/// Looking things up; each look-up costs O(1) and gives `None` for a stale id.
impl PhysicsWorld {
    /// A body.
    pub fn body(&self, id: BodyId) -> Option<BodyRef<'_>> {
        self.state.bodies.contains(id).then_some(BodyRef {
            state: &self.state,
            id,
        })
    }

    /// A body, to be changed.
    pub fn body_mut(&mut self, id: BodyId) -> Option<BodyMut<'_>> {
        self.state.bodies.contains(id).then_some(BodyMut {
            state: &mut self.state,
            id,
        })
    }

    /// A shape.
    pub fn shape(&self, id: ShapeId) -> Option<ShapeRef<'_>> {
        self.state.shapes.contains(id).then_some(ShapeRef {
            state: &self.state,
            id,
        })
    }

    /// A joint.
    pub fn joint(&self, id: JointId) -> Option<JointRef<'_>> {
        self.state.joints.contains(id).then_some(JointRef {
            state: &self.state,
            id,
        })
    }

    /// A joint, to be changed.
    pub fn joint_mut(&mut self, id: JointId) -> Option<JointMut<'_>> {
        self.state.joints.contains(id).then_some(JointMut {
            state: &mut self.state,
            id,
        })
    }

    /// A contact.
    pub fn contact(&self, id: ContactId) -> Option<ContactRef<'_>> {
        self.state.contacts.links.contains(id).then_some(ContactRef {
            state: &self.state,
            id,
        })
    }

    /// All bodies, in a stated order: that of their creation until the first is destroyed.
    pub fn bodies(&self) -> impl ExactSizeIterator<Item = BodyRef<'_>> {
        self.state.bodies.handles().map(|id| BodyRef {
            state: &self.state,
            id,
        })
    }

    /// All shapes, in the order of their creation until the first is destroyed.
    pub fn shapes(&self) -> impl ExactSizeIterator<Item = ShapeRef<'_>> {
        self.state.shapes.handles().map(|id| ShapeRef {
            state: &self.state,
            id,
        })
    }

    /// All joints, in the order of their creation until the first is destroyed.
    pub fn joints(&self) -> impl ExactSizeIterator<Item = JointRef<'_>> {
        self.state.joints.handles().map(|id| JointRef {
            state: &self.state,
            id,
        })
    }

    /// All contacts, touching or not, in the order of their creation until the first is destroyed.
    pub fn contacts(&self) -> impl ExactSizeIterator<Item = ContactRef<'_>> {
        self.state.contacts.links.handles().map(|id| ContactRef {
            state: &self.state,
            id,
        })
    }
}

impl<'a> BodyRef<'a> {
    fn record(&self) -> &'a Body {
        self.state
            .bodies
            .get(self.id)
            .expect("a view lives no longer than its body")
    }

    fn sim(&self) -> &'a BodySim {
        &self.state.body_sims[self.id.index()]
    }

    fn place(&self) -> &'a BodyPose {
        &self.state.body_poses[self.id.index()]
    }

    fn motion(&self) -> &'a BodyState {
        &self.state.body_states[self.id.index()]
    }

    /// The body's id.
    pub fn id(&self) -> BodyId {
        self.id
    }

    /// How the body moves.
    pub fn kind(&self) -> BodyKind {
        self.sim().kind()
    }

    /// The user's own number.
    pub fn user_key(&self) -> u64 {
        self.record().user_key
    }

    /// Where the body's origin is, metres.
    pub fn position(&self) -> Position {
        self.place().pose.position.into()
    }

    /// How the body is turned.
    pub fn rotation(&self) -> Rot {
        self.place().pose.rotation
    }

    /// Place and rotation together.
    pub fn pose(&self) -> Pose {
        self.place().pose
    }

    /// Where the centre of mass is, metres.
    pub fn center_of_mass(&self) -> Position {
        self.place().center.into()
    }

    /// Metres per second of the centre of mass.
    pub fn linear_velocity(&self) -> Vec2 {
        self.motion().linear_velocity
    }

    /// Radians per second.
    pub fn angular_velocity(&self) -> f32 {
        self.motion().angular_velocity
    }

    /// Metres per second of a point that moves with the body.
    pub fn velocity_at(&self, point: Position) -> Vec2 {
        let arm = point.to_vec2() - self.place().center;
        self.linear_velocity() + cross_scalar(self.angular_velocity(), arm)
    }

    /// Kilograms; 0 unless dynamic.
    pub fn mass(&self) -> f32 {
        self.record().mass
    }

    /// Kilogram square metres about the centre of mass; 0 unless dynamic.
    pub fn inertia(&self) -> f32 {
        self.record().inertia
    }

    /// Whether the body is awake. Static and disabled bodies never are.
    pub fn is_awake(&self) -> bool {
        self.record().is_awake()
    }

    /// Whether the body takes part in the simulation.
    pub fn is_enabled(&self) -> bool {
        self.sim().has(flag::ENABLED)
    }

    /// Whether the body was taken out of the simulation because its state was not a number any more.
    pub fn is_frozen(&self) -> bool {
        self.sim().has(flag::FROZEN)
    }

    /// Whether the body, while it is fast, is also stopped by kinematic and dynamic bodies.
    pub fn is_bullet(&self) -> bool {
        self.sim().has(flag::BULLET)
    }

    /// A number that the bodies of one island share; `None` for bodies that belong to none. Changes as islands merge
    /// and split.
    pub fn island(&self) -> Option<u32> {
        let belongs = self.sim().is_dynamic() && self.is_enabled();
        if belongs {
            self.state.islands.island_of(self.id.index())
        } else {
            None
        }
    }

    /// The box around all shapes as they are now; `None` for a body without shapes.
    pub fn aabb(&self) -> Option<Aabb> {
        let pose = self.pose();
        let boxes = self
            .state
            .shapes_of(self.id.index())
            .map(|shape| self.state.outlines[shape].aabb(pose));
        boxes.reduce(Aabb::union)
    }

    /// The body's shapes, newest first.
    pub fn shapes(&self) -> impl Iterator<Item = ShapeRef<'a>> {
        let state = self.state;
        state.shapes_of(self.id.index()).map(move |shape| {
            let id = state
                .shapes
                .handle_of_slot(shape)
                .expect("bodies have live shapes");
            ShapeRef { state, id }
        })
    }

    /// The body's contacts, touching or not, newest first.
    pub fn contacts(&self) -> impl Iterator<Item = ContactRef<'a>> {
        let state = self.state;
        state.contacts_of(self.id.index()).map(move |index| ContactRef {
            state,
            id: state.contacts.id_of(index),
        })
    }

    /// The body's joints, newest first.
    pub fn joints(&self) -> impl Iterator<Item = JointRef<'a>> {
        let state = self.state;
        state.joints_of(self.id.index()).map(move |joint| {
            let id = state
                .joints
                .handle_of_slot(joint)
                .expect("bodies have live joints");
            JointRef { state, id }
        })
    }
}

impl BodyMut<'_> {
    /// The body, to be read.
    pub fn view(&self) -> BodyRef<'_> {
        BodyRef {
            state: self.state,
            id: self.id,
        }
    }

    fn body(&self) -> u32 {
        self.id.index()
    }

    fn answers_to_forces(&self) -> bool {
        let view = self.view();
        view.kind() == BodyKind::Dynamic && view.is_enabled()
    }

    fn moves(&self) -> bool {
        self.state.body_sims[self.body()].kind() != BodyKind::Static
    }

    /// Wakes the body and its island.
    pub fn wake(&mut self) {
        self.state.wake(self.body());
    }

    /// Sets the velocity of the centre of mass in metres per second, and wakes the body and what a kinematic body
    /// carries. No effect on static bodies.
    ///
    /// # Errors
    ///
    /// If a part is not finite.
    pub fn set_linear_velocity(&mut self, velocity: Vec2) -> Result<(), PhysicsError> {
        finite_vector("linear_velocity", velocity)?;
        self.set_velocity(velocity, self.view().angular_velocity());
        Ok(())
    }

    /// Sets the radians per second, and wakes as [`BodyMut::set_linear_velocity`] does.
    ///
    /// # Errors
    ///
    /// If it is not finite.
    pub fn set_angular_velocity(&mut self, velocity: f32) -> Result<(), PhysicsError> {
        finite("angular_velocity", velocity)?;
        self.set_velocity(self.view().linear_velocity(), velocity);
        Ok(())
    }

    fn set_velocity(&mut self, linear: Vec2, angular: f32) {
        if !self.moves() {
            return;
        }
        if linear != Vec2::ZERO || angular != 0.0 {
            self.state.wake_touching(self.body());
        }
        let state = &mut self.state.body_states[self.id.index()];
        (state.linear_velocity, state.angular_velocity) = (linear, angular);
    }

    /// Sets the velocities so that the body reaches a place and an angle in `dt` seconds: for kinematic bodies that
    /// follow a path. Exact up to rounding if the body is stepped by `dt` next and turns by less than 0.7 radians in a
    /// substep.
    ///
    /// # Errors
    ///
    /// If a number is out of range, or `dt` is not above zero.
    pub fn set_target(&mut self, position: Position, angle: f32, dt: f32) -> Result<(), PhysicsError> {
        crate::body::position_in_range(position)?;
        finite("angle", angle)?;
        if !(dt > 0.0 && dt.is_finite()) {
            let expected = "a number of seconds above zero";
            return Err(PhysicsError::InvalidNumber {
                what: "dt",
                got: dt,
                expected,
            });
        }
        let place = *self.view().place();
        let target = BodyPose::new(Pose::new(position.to_vec2(), angle), place.local_center);
        let turn = place.pose.rotation.to(target.pose.rotation).angle();
        // A substep turns by the arc tangent of what its angular velocity says (`Rot::integrate`).
        let h = dt / self.state.settings[0u32].substeps as f32;
        let spin = libm::tanf((turn * h / dt).clamp(-TARGET_TURN_MAX_RAD, TARGET_TURN_MAX_RAD)) / h;
        self.set_velocity((target.center - place.center) / dt, spin);
        Ok(())
    }

    /// Adds a force in newtons at the centre of mass, for the next step only; wakes the body. No effect unless dynamic and enabled.
    ///
    /// # Errors
    ///
    /// If a part is not finite.
    pub fn apply_force(&mut self, force: Vec2) -> Result<(), PhysicsError> {
        let center = self.view().center_of_mass();
        self.apply_force_at(force, center)
    }

    /// Adds a force in newtons at a point, for the next step only; wakes the body. No effect unless dynamic and enabled.
    ///
    /// # Errors
    ///
    /// If a part is not finite.
    pub fn apply_force_at(&mut self, force: Vec2, point: Position) -> Result<(), PhysicsError> {
        finite_vector("force", force)?;
        finite_vector("point", point.to_vec2())?;
        if self.answers_to_forces() {
            self.wake();
            let arm = point.to_vec2() - self.view().place().center;
            let sim = &mut self.state.body_sims[self.id.index()];
            sim.force += force;
            sim.torque += cross(arm, force);
        }
        Ok(())
    }

    /// Adds a torque in newton metres, for the next step only; wakes the body. No effect unless dynamic and enabled.
    ///
    /// # Errors
    ///
    /// If it is not finite.
    pub fn apply_torque(&mut self, torque: f32) -> Result<(), PhysicsError> {
        finite("torque", torque)?;
        if self.answers_to_forces() {
            self.wake();
            self.state.body_sims[self.id.index()].torque += torque;
        }
        Ok(())
    }

    /// Changes the velocity at once by an impulse in newton seconds at the centre of mass; wakes the body. No effect
    /// unless dynamic and enabled.
    ///
    /// # Errors
    ///
    /// If a part is not finite.
    pub fn apply_impulse(&mut self, impulse: Vec2) -> Result<(), PhysicsError> {
        let center = self.view().center_of_mass();
        self.apply_impulse_at(impulse, center)
    }

    /// Changes the velocities at once by an impulse in newton seconds at a point; wakes the body. No effect unless
    /// dynamic and enabled.
    ///
    /// # Errors
    ///
    /// If a part is not finite.
    pub fn apply_impulse_at(&mut self, impulse: Vec2, point: Position) -> Result<(), PhysicsError> {
        finite_vector("impulse", impulse)?;
        finite_vector("point", point.to_vec2())?;
        if self.answers_to_forces() {
            self.wake();
            let arm = point.to_vec2() - self.view().place().center;
            let sim = &self.state.body_sims[self.id.index()];
            let (mass, inertia) = (sim.inverse_mass, sim.inverse_inertia);
            let state = &mut self.state.body_states[self.id.index()];
            state.linear_velocity += mass * impulse;
            state.angular_velocity += inertia * cross(arm, impulse);
        }
        Ok(())
    }

    /// Changes the angular velocity at once by an impulse in newton metre seconds; wakes the body. No effect unless
    /// dynamic and enabled.
    ///
    /// # Errors
    ///
    /// If it is not finite.
    pub fn apply_angular_impulse(&mut self, impulse: f32) -> Result<(), PhysicsError> {
        finite("impulse", impulse)?;
        if self.answers_to_forces() {
            self.wake();
            let inertia = self.state.body_sims[self.id.index()].inverse_inertia;
            self.state.body_states[self.id.index()].angular_velocity += inertia * impulse;
        }
        Ok(())
    }

    /// Sets how fast linear and angular velocity fade, per second.
    ///
    /// # Errors
    ///
    /// If a number is negative or not finite.
    pub fn set_damping(&mut self, linear: f32, angular: f32) -> Result<(), PhysicsError> {
        non_negative("linear_damping", linear)?;
        non_negative("angular_damping", angular)?;
        let sim = &mut self.state.body_sims[self.id.index()];
        (sim.linear_damping, sim.angular_damping) = (linear, angular);
        Ok(())
    }

    /// Sets the factor of the world's gravity, and wakes the body.
    ///
    /// # Errors
    ///
    /// If it is not finite.
    pub fn set_gravity_scale(&mut self, scale: f32) -> Result<(), PhysicsError> {
        finite("gravity_scale", scale)?;
        self.state.body_sims[self.id.index()].gravity_scale = scale;
        self.wake();
        Ok(())
    }

    /// Makes the body a bullet, or not one any more; see [`BodyDef::bullet`](crate::BodyDef::bullet).
    pub fn set_bullet(&mut self, bullet: bool) {
        self.state.body_sims[self.id.index()].set(flag::BULLET, bullet);
    }

    /// Sets the user's own number.
    pub fn set_user_key(&mut self, key: u64) {
        self.state
            .bodies
            .get_mut(self.id)
            .expect("a view lives no longer than its body")
            .user_key = key;
    }
}

impl<'a> ShapeRef<'a> {
    /// The shape's id.
    pub fn id(&self) -> ShapeId {
        self.id
    }

    /// The outline, in the body's frame.
    pub fn outline(&self) -> &'a Shape {
        &self.state.outlines[self.id.index()]
    }

    /// The body.
    pub fn body(&self) -> BodyRef<'a> {
        let body = self.state.shape_links[self.id.index()].body;
        let id = self
            .state
            .bodies
            .handle_of_slot(body)
            .expect("shapes have live bodies");
        BodyRef {
            state: self.state,
            id,
        }
    }

    /// Which shapes this one may touch.
    pub fn filter(&self) -> Filter {
        self.state.shape_record(self.id.index()).filter()
    }

    /// The user's own number.
    pub fn user_key(&self) -> u64 {
        self.state.shape_record(self.id.index()).user_key
    }

    /// Whether the shape is a sensor.
    pub fn is_sensor(&self) -> bool {
        self.state.shape_record(self.id.index()).sensor != 0
    }

    /// The shapes that were in this sensor at the end of the last step and still live, by index; none for a shape that is
    /// no sensor. Costs O(log overlaps + found).
    pub fn visitors(&self) -> impl Iterator<Item = ShapeRef<'a>> + use<'a> {
        let (state, id) = (self.state, self.id);
        let first = state
            .overlaps
            .partition_point(|overlap| overlap.key()[0] < u64::from(id.index()));
        let events = state
            .overlaps
            .iter()
            .skip(first)
            .map_while(|overlap| overlap.event());
        events
            .take_while(move |event| event.sensor.index() == id.index())
            .filter(move |event| event.sensor == id && state.shapes.contains(event.visitor))
            .map(move |event| ShapeRef {
                state,
                id: event.visitor,
            })
    }

    /// Kilograms per square metre.
    pub fn density(&self) -> f32 {
        self.state.shape_record(self.id.index()).density
    }

    fn material(&self) -> &'a Material {
        &self.state.materials[self.id.index()]
    }

    /// Coulomb friction.
    pub fn friction(&self) -> f32 {
        self.material().friction
    }

    /// Bounciness.
    pub fn restitution(&self) -> f32 {
        self.material().restitution
    }
}

impl<'a> JointRef<'a> {
    fn sim(&self) -> &'a JointSim {
        &self.state.joint_sims[self.id.index()]
    }

    /// The joint's id.
    pub fn id(&self) -> JointId {
        self.id
    }

    /// The user's own number.
    pub fn user_key(&self) -> u64 {
        self.state.joint_record(self.id.index()).user_key
    }

    /// The two bodies.
    pub fn bodies(&self) -> [BodyRef<'a>; 2] {
        [self.sim().body_a, self.sim().body_b].map(|body| {
            let id = self
                .state
                .bodies
                .handle_of_slot(body)
                .expect("joints have live bodies");
            BodyRef {
                state: self.state,
                id,
            }
        })
    }

    /// The shared point as each of the two bodies has it, metres; they are one but for the joint's error.
    pub fn anchors(&self) -> [Position; 2] {
        let [a, b] = self.bodies();
        let JointSim {
            local_anchor_a,
            local_anchor_b,
            ..
        } = *self.sim();
        [
            a.pose().transform_point(local_anchor_a).into(),
            b.pose().transform_point(local_anchor_b).into(),
        ]
    }

    /// The angle of the second body in the first one's frame, minus the reference, in `[-π, π]`.
    pub fn angle(&self) -> f32 {
        let [a, b] = self.bodies();
        let turn = a.rotation().to(b.rotation());
        Rot::from_angle(self.sim().reference_angle).to(turn).angle()
    }

    /// Newton seconds that held the shared point in the last substep.
    pub fn linear_impulse(&self) -> Vec2 {
        self.sim().linear_impulse
    }

    /// Newton metre seconds of the motor in the last substep.
    pub fn motor_impulse(&self) -> f32 {
        self.sim().motor_impulse
    }
}

impl JointMut<'_> {
    fn sim(&mut self) -> &mut JointSim {
        &mut self.state.joint_sims[self.id.index()]
    }

    fn wake(&mut self) {
        let JointSim { body_a, body_b, .. } = self.state.joint_sims[self.id.index()];
        self.state.wake(body_a);
        self.state.wake(body_b);
    }

    /// Turns the motor on with a speed in radians per second and a torque in newton metres, or off; wakes the bodies.
    ///
    /// # Errors
    ///
    /// If a number is not finite, or the torque is negative.
    pub fn set_motor(&mut self, enabled: bool, speed: f32, max_torque: f32) -> Result<(), PhysicsError> {
        finite("motor_speed", speed)?;
        non_negative("max_motor_torque", max_torque)?;
        let sim = self.sim();
        sim.set(joint_flag::MOTOR, enabled);
        (sim.motor_speed, sim.max_motor_torque) = (speed, max_torque);
        if !enabled {
            sim.motor_impulse = 0.0;
        }
        self.wake();
        Ok(())
    }

    /// Keeps the angle between two limits in radians, or lets it free; wakes the bodies.
    ///
    /// # Errors
    ///
    /// If the limits are beyond ±0.99 π or in the wrong order.
    pub fn set_limit(&mut self, enabled: bool, lower: f32, upper: f32) -> Result<(), PhysicsError> {
        angle_limits(lower, upper)?;
        let sim = self.sim();
        sim.set(joint_flag::LIMIT, enabled);
        (sim.lower_angle, sim.upper_angle) = (lower, upper);
        (sim.lower_impulse, sim.upper_impulse) = (0.0, 0.0);
        self.wake();
        Ok(())
    }

    /// Pulls the angle to a target in radians with a spring, or lets it free; wakes the bodies.
    ///
    /// # Errors
    ///
    /// If a number is not finite, or the frequency or damping is negative.
    pub fn set_spring(
        &mut self,
        enabled: bool,
        target: f32,
        hertz: f32,
        damping_ratio: f32,
    ) -> Result<(), PhysicsError> {
        finite("target_angle", target)?;
        non_negative("spring_hertz", hertz)?;
        non_negative("spring_damping_ratio", damping_ratio)?;
        let sim = self.sim();
        sim.set(joint_flag::SPRING, enabled);
        (sim.target_angle, sim.spring_hertz, sim.spring_damping_ratio) = (target, hertz, damping_ratio);
        if !enabled {
            sim.spring_impulse = 0.0;
        }
        self.wake();
        Ok(())
    }
}

impl<'a> ContactRef<'a> {
    fn record(&self) -> &'a Contact {
        &self.state.contacts.contacts[self.state.contacts.place_of(self.id.index())]
    }

    fn patch(&self) -> &'a Patch {
        &self.state.contacts.patches[self.state.contacts.place_of(self.id.index())]
    }

    /// The contact's id.
    pub fn id(&self) -> ContactId {
        self.id
    }

    /// The two shapes.
    pub fn shapes(&self) -> [ShapeRef<'a>; 2] {
        self.state.contacts.links_of(self.id.index()).shapes.map(|shape| {
            let id = self
                .state
                .shapes
                .handle_of_slot(shape)
                .expect("contacts have live shapes");
            ShapeRef {
                state: self.state,
                id,
            }
        })
    }

    /// Whether the two shapes touch, or will within the speculative distance.
    pub fn is_touching(&self) -> bool {
        self.record().is_touching()
    }

    /// From the first shape to the second; zero if they do not touch.
    pub fn normal(&self) -> Vec2 {
        let contact = self.record();
        self.state.body_poses[contact.body_a]
            .pose
            .rotation
            .rotate(self.patch().surface.local_normal)
    }

    /// The points where they touch: place in the world, metres apart (negative when overlapping) as the bodies are now,
    /// and newton seconds along the normal over the last step.
    pub fn points(&self) -> impl Iterator<Item = (Position, f32, f32)> + 'a {
        let contact = self.record();
        let (a, b) = (
            &self.state.body_poses[contact.body_a],
            &self.state.body_poses[contact.body_b],
        );
        let normal = self.normal();
        self.patch().points[..contact.point_count as usize]
            .iter()
            .map(move |point| {
                let on_a = a.center + a.pose.rotation.rotate(point.local_anchor_a);
                let on_b = b.center + b.pose.rotation.rotate(point.local_anchor_b);
                let separation = point.separation + (on_b - on_a).dot(normal);
                (
                    Position::from(0.5 * (on_a + on_b)),
                    separation,
                    point.total_normal_impulse,
                )
            })
    }
}
