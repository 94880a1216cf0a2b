//! Reading and changing a joint.

use super::{BodyRef, JointMut, JointRef};
use crate::PhysicsError;
use crate::error::{self, Range, finite, non_negative};
use crate::joint::{JointId, JointSim, angle_limits, flag as joint_flag};
use glam::Vec2;
use tombolo_geometry::{Position, Rot};

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

    /// The shared point as each of the two bodies has it, meters; they are one but for the joint's error.
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

    /// Newton meter seconds of the motor in the last substep.
    pub fn motor_impulse(&self) -> f32 {
        self.sim().motor_impulse
    }

    /// Radians per second that the motor aims for, and the newton meters that it has at most; `None` if it is off.
    pub fn motor(&self) -> Option<(f32, f32)> {
        let sim = self.sim();
        sim.has(joint_flag::MOTOR)
            .then_some((sim.motor_speed, sim.max_motor_torque))
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

    /// Sets the user's own number. Wakes nobody.
    pub fn set_user_key(&mut self, key: u64) {
        let joint = self.state.joint_record_mut(self.id.index());
        joint.user_key = key;
    }

    /// Turns the motor on with a speed in radians per second and a torque in newton meters, or off; wakes the bodies.
    ///
    /// # Errors
    ///
    /// If the speed is not from -1,000,000 to 1,000,000, or the torque negative or not finite.
    pub fn set_motor(&mut self, enabled: bool, speed: f32, max_torque: f32) -> Result<(), PhysicsError> {
        Range::SPIN.check("motor_speed", speed)?;
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

    /// Pulls the angle to a target in radians with a spring, or lets it free; wakes the bodies. Whole turns of the target
    /// do not count: see [`RevoluteDef::target_angle`](crate::RevoluteDef::target_angle).
    ///
    /// # Errors
    ///
    /// If the target is not finite, the frequency neither 0 nor from 0.001 to 10,000, or the damping not from 0 to 1,000.
    pub fn set_spring(
        &mut self,
        enabled: bool,
        target: f32,
        hertz: f32,
        damping_ratio: f32,
    ) -> Result<(), PhysicsError> {
        finite("target_angle", target)?;
        error::hertz("spring_hertz", hertz)?;
        Range::DAMPING_RATIO.check("spring_damping_ratio", damping_ratio)?;
        let sim = self.sim();
        sim.set(joint_flag::SPRING, enabled);
        (sim.target_angle, sim.spring_hertz, sim.spring_damping_ratio) = (target, hertz, damping_ratio);
        if !enabled {
            sim.spring_impulse = 0.0;
        }
        self.wake();
        Ok(())
    }

    /// Sets how stiff the shared point is, as oscillations per second, and its damping; wakes the bodies.
    ///
    /// # Errors
    ///
    /// If the frequency is neither 0 nor from 0.001 to 10,000, or the damping not from 0 to 1,000.
    pub fn set_stiffness(&mut self, hertz: f32, damping_ratio: f32) -> Result<(), PhysicsError> {
        error::hertz("constraint_hertz", hertz)?;
        Range::DAMPING_RATIO.check("constraint_damping_ratio", damping_ratio)?;
        let sim = self.sim();
        (sim.constraint_hertz, sim.constraint_damping_ratio) = (hertz, damping_ratio);
        self.wake();
        Ok(())
    }
}
