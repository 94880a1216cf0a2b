//! Methods of [`BodyMut`]: changing a body's pose, velocity, kind and options, and applying forces and impulses.

use super::{BodyMut, BodyRef};
use crate::PhysicsError;
use crate::body::{BodyKind, BodyPose, flag, position_in_range};
use crate::constants::{FORCE_MAX_N, SPIN_MAX_RAD_S, STEP_MIN_S, TORQUE_MAX_NM, VELOCITY_MAX_M_S};
use crate::error::{Range, finite, non_negative, unit_rotation};
use crate::name::BodyName;
use crate::recording::Call;
use crate::state::State;
use glam::Vec2;
use tombolo_geometry::math::cross;
use tombolo_geometry::{Pose, Position};
use tombolo_threads::FloatEnvironment;

/// The largest turn of a body with a target in one substep, in radians: tangents grow without bound.
const TARGET_TURN_MAX_RAD: f32 = 0.7;

impl BodyMut<'_> {
    /// A view of the body for reading.
    pub fn view(&self) -> BodyRef<'_> {
        BodyRef {
            state: &self.world.state,
            id: self.id,
        }
    }

    pub(super) fn body(&self) -> u32 {
        self.id.index()
    }

    pub(super) fn answers_to_forces(&self) -> bool {
        let sim = &self.world.state.body_sims[self.body()];
        sim.is_dynamic() && sim.has(flag::ENABLED)
    }

    fn moves(&self) -> bool {
        self.world.state.body_sims[self.body()].kind() != BodyKind::Static
    }

    /// Disables or enables the body. A disabled body keeps its pose, shapes and joints, but touches nothing and does
    /// not move. Costs about as much as creating it.
    pub fn set_enabled(&mut self, enabled: bool) {
        self.world.log.report(|| Call::BodySetEnabled {
            body: self.id,
            enabled,
        });
        let _environment = FloatEnvironment::enter_call();
        let body = self.body();
        self.world.note_body(body);
        let state = &mut self.world.state;
        match (state.body_sims[body].has(flag::ENABLED), enabled) {
            (true, false) => state.disable(body),
            (false, true) => {
                state.enable(body, true);
                state.wake_near_body(body);
                // A static body is never awake, so linking its joints has woken nobody.
                state.wake_touching(body);
            }
            _ => {}
        }
    }

    /// Changes the body's kind. Its touches end, and begin again in the next step where two shapes may still touch;
    /// mass and islands are updated; the forces that calls applied for the next step are discarded; a body that becomes
    /// static stops. Costs about as much as creating it.
    ///
    /// # Errors
    ///
    /// If the body is to become dynamic and has a half-space, which has no mass.
    pub fn set_kind(&mut self, kind: BodyKind) -> Result<(), PhysicsError> {
        self.world
            .log
            .report(|| Call::BodySetKind { body: self.id, kind });
        let _environment = FloatEnvironment::enter_call();
        let body = self.body();
        if self.world.state.body_sims[body].kind() == kind {
            return Ok(());
        }
        self.world.state.check_may_be(body, kind)?;
        self.world.note_body(body);
        self.world.state.sum_up_mass(body);
        self.outside_the_simulation(|state| {
            state.forget_forces(body);
            state.body_sims[body].kind = kind as u32;
            if kind == BodyKind::Static {
                let motion = &mut state.body_states[body];
                (motion.linear_velocity, motion.angular_velocity) = (Vec2::ZERO, 0.0);
            }
            state.update_mass(body);
            state.stop_what_is_fixed(body);
        });
        Ok(())
    }

    /// Moves the body to a pose at once. Its touches end, and begin again in the next step if it still touches; the
    /// body wakes, and so do the bodies that rested on it, and near a static body those that it may touch. It keeps its velocity, and the forces that calls applied for
    /// the next step. A rotation whose length is not quite one is scaled to it.
    ///
    /// # Errors
    ///
    /// If the position is out of range or the rotation is invalid.
    pub fn teleport(&mut self, pose: Pose) -> Result<(), PhysicsError> {
        self.world
            .log
            .report(|| Call::BodyTeleport { body: self.id, pose });
        let _environment = FloatEnvironment::enter_call();
        let (body, pose) = self.begin_move(pose)?;
        self.outside_the_simulation(|state| {
            let local_center = state.body_poses[body].local_center;
            state.body_poses[body] = BodyPose::new(pose, local_center);
        });
        Ok(())
    }

    /// Moves the body to a pose at once, and keeps its touches: those that no longer hold end in the next step, or now
    /// if the shapes are far apart. For bodies that are moved by geometry in each step, such as that of a
    /// [`Character`](crate::Character), which [`BodyMut::teleport`] would have begin to touch in each step anew. The
    /// velocity stays as it is, so a body in the way is pushed out but not along; the body wakes, and so do the bodies
    /// that touch it. Those of them that are at rest may fall asleep again until the next call. A rotation whose length is
    /// not quite one is scaled to it.
    ///
    /// Costs the body's shapes, contacts and joints.
    ///
    /// # Errors
    ///
    /// If the position is out of range or the rotation is invalid.
    pub fn set_pose(&mut self, pose: Pose) -> Result<(), PhysicsError> {
        self.world
            .log
            .report(|| Call::BodySetPose { body: self.id, pose });
        let _environment = FloatEnvironment::enter_call();
        let (body, pose) = self.begin_move(pose)?;
        self.world.state.move_in_place(body, pose);
        Ok(())
    }

    /// Checks a pose to which the body is moved by a call, and readies the body. Returns its index, and the pose with a
    /// rotation of unit length.
    fn begin_move(&mut self, pose: Pose) -> Result<(u32, Pose), PhysicsError> {
        position_in_range(pose.position.into())?;
        let rotation = unit_rotation(pose.rotation)?;
        let body = self.body();
        self.world.note_body(body);
        self.world.state.sum_up_mass(body);
        Ok((body, Pose { rotation, ..pose }))
    }

    /// Changes the body while it is taken out of the simulation: it touches nothing and is in no island. Does not
    /// report it as woken if it was awake.
    fn outside_the_simulation(&mut self, change: impl FnOnce(&mut State)) {
        let body = self.body();
        let state = &mut self.world.state;
        let enabled = state.body_sims[body].has(flag::ENABLED);
        let was_awake = state.bodies.live(body).is_awake();
        let reported = state.pending_woken.len();
        if enabled {
            state.take_out(body);
        }
        change(state);
        if enabled {
            state.enable(body, true);
            state.wake_near_body(body);
        }
        if was_awake {
            state.retract_woken(body, reported);
        }
    }

    /// Wakes the body and its island. It stays awake for half a second at least, also if it was awake already, and so it
    /// does after every other call that wakes it to move it: forces, torques and impulses, velocities that are not zero.
    pub fn wake(&mut self) {
        self.world.log.report(|| Call::BodyWake { body: self.id });
        self.wake_island();
    }

    pub(super) fn wake_island(&mut self) {
        self.world.state.rouse(self.body());
    }

    /// Sets the velocity of the center of mass in meters per second; wakes the body and the bodies that a kinematic
    /// body carries. No effect on static bodies, nor along the fixed axes of dynamic ones.
    ///
    /// # Errors
    ///
    /// If a component is not from -1,000,000 to 1,000,000.
    pub fn set_linear_velocity(&mut self, velocity: Vec2) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::BodySetLinearVelocity {
            body: self.id,
            velocity,
        });
        Range::VELOCITY.check_vector("linear_velocity", velocity)?;
        self.set_velocity(velocity, self.view().angular_velocity());
        Ok(())
    }

    /// Sets the angular velocity in radians per second; wakes bodies like [`BodyMut::set_linear_velocity`]. No effect on
    /// static bodies, nor on dynamic ones of fixed rotation.
    ///
    /// # Errors
    ///
    /// If it is not from -1,000,000 to 1,000,000.
    pub fn set_angular_velocity(&mut self, velocity: f32) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::BodySetAngularVelocity {
            body: self.id,
            velocity,
        });
        Range::SPIN.check("angular_velocity", velocity)?;
        self.set_velocity(self.view().linear_velocity(), velocity);
        Ok(())
    }

    fn set_velocity(&mut self, linear: Vec2, angular: f32) {
        if !self.moves() {
            return;
        }
        // The velocity is that of the center of mass, whose position may just have changed.
        let _environment = FloatEnvironment::enter_call();
        self.world.state.sum_up_mass(self.body());
        if linear != Vec2::ZERO || angular != 0.0 {
            self.world.state.wake_touching(self.body());
            self.world.state.rouse(self.body());
        }
        let state = &mut self.world.state.body_states[self.id.index()];
        (state.linear_velocity, state.angular_velocity) = (linear, angular);
        self.world.state.stop_what_is_fixed(self.body());
    }

    /// Sets the velocities so that the body reaches a position and an angle in `dt` seconds: for kinematic bodies that
    /// follow a path. Exact up to rounding if the body is stepped by `dt` next and turns by less than 0.7 radians in a
    /// substep.
    ///
    /// # Errors
    ///
    /// If a number is out of range, `dt` is below a microsecond, or a velocity would be beyond the limits of
    /// [`BodyMut::set_linear_velocity`] and [`BodyMut::set_angular_velocity`].
    pub fn set_target(&mut self, position: Position, angle: f32, dt: f32) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::BodySetTarget {
            body: self.id,
            position,
            angle,
            dt,
        });
        let _environment = FloatEnvironment::enter_call();
        position_in_range(position)?;
        finite("angle", angle)?;
        if !(dt >= STEP_MIN_S && dt.is_finite()) {
            let expected = "a finite number of seconds from 0.000001 up";
            return Err(PhysicsError::InvalidNumber {
                what: "dt",
                got: dt,
                expected,
            });
        }
        let place = self.view().place();
        let target = BodyPose::new(Pose::new(position.to_vec2(), angle), place.local_center);
        let turn = place.pose.rotation.to(target.pose.rotation).angle();
        // A substep turns by the arc tangent of the angular velocity times the substep (`Rot::integrate`), but by
        // exactly that product where a large turn is allowed.
        let h = dt / self.world.state.settings().substeps as f32;
        let spin = if self.view().has_fast_rotation() {
            turn / dt
        } else {
            libm::tanf((turn * h / dt).clamp(-TARGET_TURN_MAX_RAD, TARGET_TURN_MAX_RAD)) / h
        };
        let velocity = (target.center - place.center) / dt;
        Range::VELOCITY.check_vector("velocity to the target", velocity)?;
        Range::SPIN.check("angular velocity to the target", spin)?;
        self.set_velocity(velocity, spin);
        Ok(())
    }

    /// Adds to the velocities, clamped to the ranges of their setters.
    fn push(&mut self, linear: Vec2, angular: f32) {
        let max = Vec2::splat(VELOCITY_MAX_M_S);
        let body = self.body();
        let linear = if self.world.state.body_sims[body].has(flag::CONTROLLED) {
            self.world.state.control_of(body).on_free_axes(linear)
        } else {
            linear
        };
        let state = &mut self.world.state.body_states[self.id.index()];
        state.linear_velocity = (state.linear_velocity + linear).clamp(-max, max);
        state.angular_velocity = (state.angular_velocity + angular).clamp(-SPIN_MAX_RAD_S, SPIN_MAX_RAD_S);
    }

    /// Adds a force in newtons at the center of mass, for the next step only; wakes the body. No effect unless dynamic
    /// and enabled.
    ///
    /// # Errors
    ///
    /// If a component is not from -1e30 to 1e30.
    pub fn apply_force(&mut self, force: Vec2) -> Result<(), PhysicsError> {
        self.world
            .log
            .report(|| Call::BodyApplyForce { body: self.id, force });
        let _environment = FloatEnvironment::enter_call();
        Range::FORCE.check_vector("force", force)?;
        self.add_force(force, None);
        Ok(())
    }

    /// Adds a force in newtons at a point, for the next step only; wakes the body. No effect unless dynamic and enabled.
    ///
    /// # Errors
    ///
    /// If a component is not from -1e30 to 1e30, or the point is outside the world's range.
    pub fn apply_force_at(&mut self, force: Vec2, point: Position) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::BodyApplyForceAt {
            body: self.id,
            force,
            point,
        });
        let _environment = FloatEnvironment::enter_call();
        Range::FORCE.check_vector("force", force)?;
        Range::POSITION.check_vector("point", point.to_vec2())?;
        self.add_force(force, Some(point));
        Ok(())
    }

    /// Adds a force at a point, or at the center of mass, which may be slightly outside the range of points.
    fn add_force(&mut self, force: Vec2, point: Option<Position>) {
        if self.answers_to_forces() {
            self.wake_island();
            self.world.state.sum_up_mass(self.body());
            let arm = point.map_or(Vec2::ZERO, |point| point.to_vec2() - self.view().place().center);
            let sim = &mut self.world.state.body_sims[self.id.index()];
            sim.force = (sim.force + force).clamp(Vec2::splat(-FORCE_MAX_N), Vec2::splat(FORCE_MAX_N));
            sim.torque = (sim.torque + cross(arm, force)).clamp(-TORQUE_MAX_NM, TORQUE_MAX_NM);
            if let Some(point) = point {
                let body = self.body();
                self.world
                    .state
                    .load_member(body, point.to_vec2(), force, Vec2::ZERO);
            }
        }
    }

    /// Adds a torque in newton meters, for the next step only; wakes the body. No effect unless dynamic and enabled.
    ///
    /// # Errors
    ///
    /// If it is not from -1e30 to 1e30.
    pub fn apply_torque(&mut self, torque: f32) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::BodyApplyTorque {
            body: self.id,
            torque,
        });
        let _environment = FloatEnvironment::enter_call();
        Range::FORCE.check("torque", torque)?;
        if self.answers_to_forces() {
            self.wake_island();
            let sum = &mut self.world.state.body_sims[self.id.index()].torque;
            *sum = (*sum + torque).clamp(-TORQUE_MAX_NM, TORQUE_MAX_NM);
        }
        Ok(())
    }

    /// Changes the velocity at once by an impulse in newton seconds at the center of mass, within the range of the
    /// setters; wakes the body. No effect unless dynamic and enabled.
    ///
    /// # Errors
    ///
    /// If a component is not from -1e30 to 1e30.
    pub fn apply_impulse(&mut self, impulse: Vec2) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::BodyApplyImpulse {
            body: self.id,
            impulse,
        });
        let _environment = FloatEnvironment::enter_call();
        Range::FORCE.check_vector("impulse", impulse)?;
        self.add_impulse(impulse, None);
        Ok(())
    }

    /// Changes the velocities at once by an impulse in newton seconds at a point, within the range of the setters;
    /// wakes the body. No effect unless dynamic and enabled.
    ///
    /// # Errors
    ///
    /// If a component is not from -1e30 to 1e30, or the point is outside the world's range.
    pub fn apply_impulse_at(&mut self, impulse: Vec2, point: Position) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::BodyApplyImpulseAt {
            body: self.id,
            impulse,
            point,
        });
        let _environment = FloatEnvironment::enter_call();
        Range::FORCE.check_vector("impulse", impulse)?;
        Range::POSITION.check_vector("point", point.to_vec2())?;
        self.add_impulse(impulse, Some(point));
        Ok(())
    }

    /// Applies an impulse at a point, or at the center of mass, which may be slightly outside the range of points.
    #[inline]
    fn add_impulse(&mut self, impulse: Vec2, point: Option<Position>) {
        if self.answers_to_forces() {
            self.wake_island();
            self.world.state.sum_up_mass(self.body());
            let arm = point.map_or(Vec2::ZERO, |point| point.to_vec2() - self.view().place().center);
            let sim = &self.world.state.body_sims[self.id.index()];
            let (linear, angular) = (
                sim.inverse_mass * impulse,
                sim.inverse_inertia * cross(arm, impulse),
            );
            self.push(linear, angular);
            if let Some(point) = point {
                let body = self.body();
                self.world
                    .state
                    .load_member(body, point.to_vec2(), Vec2::ZERO, impulse);
            }
        }
    }

    /// Changes the angular velocity at once by an impulse in newton meter seconds; wakes the body. No effect unless
    /// dynamic and enabled.
    ///
    /// # Errors
    ///
    /// If it is not from -1e30 to 1e30.
    pub fn apply_angular_impulse(&mut self, impulse: f32) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::BodyApplyAngularImpulse {
            body: self.id,
            impulse,
        });
        let _environment = FloatEnvironment::enter_call();
        Range::FORCE.check("impulse", impulse)?;
        if self.answers_to_forces() {
            self.wake_island();
            self.world.state.sum_up_mass(self.body());
            let inertia = self.world.state.body_sims[self.id.index()].inverse_inertia;
            self.push(Vec2::ZERO, inertia * impulse);
        }
        Ok(())
    }

    /// Sets the damping of linear and angular velocity, per second.
    ///
    /// # Errors
    ///
    /// If a number is negative or not finite.
    pub fn set_damping(&mut self, linear: f32, angular: f32) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::BodySetDamping {
            body: self.id,
            linear,
            angular,
        });
        non_negative("linear_damping", linear)?;
        non_negative("angular_damping", angular)?;
        let sim = &mut self.world.state.body_sims[self.id.index()];
        (sim.linear_damping, sim.angular_damping) = (linear, angular);
        Ok(())
    }

    /// Sets the factor on the world's gravity, and wakes the body.
    ///
    /// # Errors
    ///
    /// If it is not from -1,000,000 to 1,000,000.
    pub fn set_gravity_scale(&mut self, scale: f32) -> Result<(), PhysicsError> {
        self.world
            .log
            .report(|| Call::BodySetGravityScale { body: self.id, scale });
        Range::GRAVITY.check("gravity_scale", scale)?;
        self.world.state.body_sims[self.id.index()].gravity_scale = scale;
        self.wake_island();
        Ok(())
    }

    /// Sets whether the body is a bullet; see [`BodyDef::bullet`](crate::BodyDef::bullet).
    pub fn set_bullet(&mut self, bullet: bool) {
        self.world.log.report(|| Call::BodySetBullet {
            body: self.id,
            bullet,
        });
        self.world.state.body_sims[self.id.index()].set(flag::BULLET, bullet);
        if bullet {
            self.world.scratch.note_bullet();
        }
    }

    /// Sets the user's own number.
    pub fn set_user_key(&mut self, key: u64) {
        self.world
            .log
            .report(|| Call::BodySetUserKey { body: self.id, key });
        self.world.state.bodies.live_mut(self.id.index()).user_key = key;
    }

    /// Sets the body's name, or removes it if the name is empty; see [`BodyName`](crate::BodyName). Costs the number of
    /// names of bodies after it.
    ///
    /// # Errors
    ///
    /// If it has more than [`BODY_NAME_BYTES_MAX`](crate::BODY_NAME_BYTES_MAX) bytes.
    pub fn set_name(&mut self, name: &str) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::BodySetName {
            body: self.id,
            name: name.into(),
        });
        let name = BodyName::new(name)?;
        self.world.state.set_name(self.id.index(), name);
        Ok(())
    }

    /// Sets the speed in meters per second below which the body counts as resting.
    ///
    /// # Errors
    ///
    /// If it is negative or not finite.
    pub fn set_sleep_threshold(&mut self, threshold: f32) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::BodySetSleepThreshold {
            body: self.id,
            threshold,
        });
        non_negative("sleep_threshold", threshold)?;
        self.world.state.body_sims[self.id.index()].sleep_threshold = threshold;
        Ok(())
    }

    /// Sets whether the body may fall asleep; if not, wakes it and keeps it awake.
    pub fn set_may_sleep(&mut self, may_sleep: bool) {
        self.world.log.report(|| Call::BodySetMaySleep {
            body: self.id,
            may_sleep,
        });
        self.world.state.body_sims[self.id.index()].set(flag::ALLOW_SLEEP, may_sleep);
        if !may_sleep {
            self.wake_island();
        }
    }

    /// Sets whether the body may turn by more than 45° in a step; see
    /// [`BodyDef::fast_rotation`](crate::BodyDef::fast_rotation).
    pub fn set_fast_rotation(&mut self, fast: bool) {
        self.world
            .log
            .report(|| Call::BodySetFastRotation { body: self.id, fast });
        let sim = &mut self.world.state.body_sims[self.id.index()];
        sim.set(flag::FAST_ROTATION, fast);
    }

    /// Fixes or frees the body's rotation; wakes the body. A dynamic body stops turning; see
    /// [`BodyDef::fixed_rotation`](crate::BodyDef::fixed_rotation).
    pub fn set_fixed_rotation(&mut self, fixed: bool) {
        self.world
            .log
            .report(|| Call::BodySetFixedRotation { body: self.id, fixed });
        let _environment = FloatEnvironment::enter_call();
        let body = self.body();
        self.world.state.body_sims[body].set(flag::FIXED_ROTATION, fixed);
        self.world.state.stop_what_is_fixed(body);
        self.world.state.update_mass(body);
        self.wake_island();
    }
}
