//! Methods of [`JointRef`] and [`JointMut`]: reading and changing a joint's options, and its forces and errors.

use super::{BodyRef, JointMut, JointRef};
use crate::PhysicsError;
use crate::body::NONE;
use crate::error::Range;
use crate::joint::{
    JointDef, JointId, JointKind, JointLimit, JointMotor, JointSim, JointSpring, JointStiffness,
    JointThresholds, flag as joint_flag,
};
use crate::recording::Call;
use core::f32::consts::TAU;
use glam::Vec2;
use tombolo_geometry::Position;

impl<'a> JointRef<'a> {
    fn sim(&self) -> &'a JointSim {
        &self.state.joint_sims[self.id.index()]
    }

    /// The joint's id.
    pub fn id(&self) -> JointId {
        self.id
    }

    /// The joint's kind.
    pub fn kind(&self) -> JointKind {
        self.sim().kind()
    }

    /// The user's own number.
    pub fn user_key(&self) -> u64 {
        self.state.joints.live(self.id.index()).user_key
    }

    /// The joint's color in the constraint graph, as [`ContactRef::color`](crate::ContactRef::color). `None` if it is
    /// not solved: its bodies sleep, or it is no constraint.
    pub fn color(&self) -> Option<u32> {
        Some(self.sim().color).filter(|color| *color != NONE)
    }

    /// The joint's definition with its present options, from which an equal joint could be created.
    pub fn def(&self) -> JointDef {
        let bodies = self.bodies().map(|body| body.id());
        self.sim().def(bodies, self.user_key())
    }

    /// The two bodies.
    pub fn bodies(&self) -> [BodyRef<'a>; 2] {
        [self.sim().body_a, self.sim().body_b].map(|body| {
            let id = self.state.bodies.live_id(body);
            BodyRef {
                state: self.state,
                id,
            }
        })
    }

    /// The world positions of the two anchors, in meters; where the joint holds them together they differ only by its
    /// error.
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

    /// The anchors in the frames of their bodies, in meters.
    pub fn local_anchors(&self) -> [Vec2; 2] {
        let sim = self.sim();
        [sim.local_anchor_a, sim.local_anchor_b]
    }

    /// The angles of the two joint frames in the frames of their bodies, in radians.
    pub fn local_angles(&self) -> [f32; 2] {
        let sim = self.sim();
        [sim.local_angle_a, sim.local_angle_b]
    }

    /// The angle of the second joint frame relative to the first, in radians. Joints that count turns include them; for
    /// others it is, of the angles that differ by whole turns, the one nearest to the middle between the limits of a
    /// revolute or generic joint, or the one in `[-π, π]`.
    pub fn angle(&self) -> f32 {
        self.measured().angle
    }

    /// The number of whole turns nearest to the angle; for joints that count turns, the number made.
    pub fn turns(&self) -> i32 {
        libm::rintf(self.angle() / TAU) as i32
    }

    /// The vector from the first anchor to the second along the axes of the first joint frame, in meters: x is the
    /// translation of a prismatic or wheel joint.
    pub fn translation(&self) -> Vec2 {
        self.measured().apart
    }

    /// The distance from the first anchor to the second in meters, which a distance joint constrains.
    pub fn length(&self) -> f32 {
        self.translation().length()
    }

    /// The force on the second body in newtons, averaged over the last step in which the joint was solved; the opposite
    /// force acts on the first. It does not depend on the number of substeps. 0 if neither body can move or turn.
    /// Along one axis that is held fixed ([`BodyDef::fixed_x`](crate::BodyDef::fixed_x)) a joint whose points are apart still
    /// shows a force, which moves nothing.
    pub fn force(&self) -> Vec2 {
        self.sim().force
    }

    /// The torque on the second body about its anchor in newton meters, averaged likewise, of the constraints and
    /// drives of the angle; 0 if neither body can turn.
    pub fn torque(&self) -> f32 {
        self.sim().torque
    }

    /// The error of the rigid constraints and limits in meters; 0 for what only springs and motors move.
    pub fn linear_error(&self) -> f32 {
        self.sim().errors(&self.measured())[0]
    }

    /// The error of the rigid constraints and limits of the angle, in radians.
    pub fn angular_error(&self) -> f32 {
        self.sim().errors(&self.measured())[1]
    }

    /// The impulse that held the shared point of a revolute or weld joint in the last substep, in newton seconds.
    pub fn linear_impulse(&self) -> Vec2 {
        self.sim().point_impulse()
    }

    /// The motor's impulse in the last substep, in newton seconds or newton meter seconds.
    pub fn motor_impulse(&self) -> f32 {
        let sim = self.sim();
        sim.motor_axis().map_or(0.0, |axis| sim.impulses[axis].motor)
    }

    /// The motor; `None` if it is off, or the kind has no motor along one coordinate.
    pub fn motor(&self) -> Option<JointMotor> {
        let sim = self.sim();
        sim.motor().filter(|_| sim.has(joint_flag::MOTOR))
    }

    /// The limits of angle, length or translation; `None` if they are off, or the kind has no limits of one coordinate.
    pub fn limit(&self) -> Option<JointLimit> {
        let sim = self.sim();
        sim.limit().filter(|_| sim.has(joint_flag::LIMIT))
    }

    /// The spring; `None` if it is off, or the kind has no spring along one coordinate.
    pub fn spring(&self) -> Option<JointSpring> {
        let sim = self.sim();
        sim.spring().filter(|_| sim.has(joint_flag::SPRING))
    }

    /// The load above which the joint is reported, and whether it is then removed.
    pub fn thresholds(&self) -> JointThresholds {
        let sim = self.sim();
        JointThresholds {
            force: sim.force_threshold,
            torque: sim.torque_threshold,
            breaks: sim.has(joint_flag::BREAKS),
        }
    }

    /// The stiffness of the rigid constraints.
    pub fn stiffness(&self) -> JointStiffness {
        let sim = self.sim();
        JointStiffness {
            hertz: sim.constraint_hertz,
            damping_ratio: sim.constraint_damping_ratio,
        }
    }

    /// Whether the shapes of the two bodies may touch each other.
    pub fn collides_connected(&self) -> bool {
        self.sim().has(joint_flag::COLLIDE_CONNECTED)
    }

    fn measured(&self) -> crate::joint::Measured {
        let [a, b] = self.bodies();
        self.sim().measure(a.pose(), b.pose())
    }
}

/// Setters check their arguments like the creation of a joint, and wake both bodies.
impl JointMut<'_> {
    /// A view of the joint for reading.
    pub fn view(&self) -> JointRef<'_> {
        JointRef {
            state: self.state,
            id: self.id,
        }
    }

    /// Changes options if the result is valid.
    fn change(&mut self, change: impl FnOnce(&mut JointSim)) -> Result<(), PhysicsError> {
        let index = self.id.index();
        let mut sim = self.state.joint_sims[index];
        change(&mut sim);
        sim.check()?;
        self.state.replace_joint(index, sim);
        Ok(())
    }

    /// Sets the user's own number. Wakes no body.
    pub fn set_user_key(&mut self, key: u64) {
        self.log.report(|| Call::JointSetUserKey { joint: self.id, key });
        self.state.joints.live_mut(self.id.index()).user_key = key;
    }

    /// Sets every option at once to those of a definition of the same kind and bodies: get [`JointRef::def`], change
    /// it, and pass it here.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, JointDef, PhysicsWorld, Vec2, WeldDef, WorldDef};
    /// # let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// # let [a, b] = [0.0, 1.0].map(|x| world.create_body(&BodyDef::dynamic(x, 0.0)).unwrap());
    /// let joint = world.create_joint(WeldDef::new(a, Vec2::X, b, Vec2::ZERO))?;
    /// let mut joint = world.joint_mut(joint).expect("it was just made");
    /// if let JointDef::Weld(mut weld) = joint.view().def() {
    ///     weld.angular_hertz = 2.0;
    ///     joint.set_def(weld)?;
    /// }
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If kind or bodies differ from the joint's, or a number is out of range.
    pub fn set_def(&mut self, def: impl Into<JointDef>) -> Result<(), PhysicsError> {
        let def = def.into();
        self.log.report(|| Call::JointSetDef {
            joint: self.id,
            def: def.clone(),
        });
        let old = self.view().def();
        if def.kind() != old.kind() || def.bodies() != old.bodies() {
            return Err(PhysicsError::UnfitBodies {
                why: "a joint keeps its kind and its bodies",
            });
        }
        self.change(|sim| {
            let before = *sim;
            def.write(sim);
            sim.set(joint_flag::LINKED, before.has(joint_flag::LINKED));
            sim.forget_what_was_off(&before);
        })?;
        self.state.joints.live_mut(self.id.index()).user_key = def.user_key();
        Ok(())
    }

    /// Turns the motor on with these numbers, or off; then the definition keeps the numbers that it had.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, JointMotor, PhysicsWorld, RevoluteDef, Vec2, WorldDef};
    /// # let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// # let [a, b] = [0.0, 1.0].map(|x| world.create_body(&BodyDef::dynamic(x, 0.0)).unwrap());
    /// let joint = world.create_joint(RevoluteDef::new(a, Vec2::X, b, Vec2::ZERO))?;
    /// let motor = JointMotor { speed: 2.0, max: 50.0 };
    /// world.joint_mut(joint)?.set_motor(Some(motor))?;
    /// assert_eq!(world.joint(joint).and_then(|joint| joint.motor()), Some(motor));
    /// world.joint_mut(joint)?.set_motor(None)?;
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the speed is not from -1,000,000 to 1,000,000, or the force negative or not finite; or the kind has no such motor.
    pub fn set_motor(&mut self, motor: Option<JointMotor>) -> Result<(), PhysicsError> {
        let numbers = motor.or_else(|| self.sim().motor()).unwrap_or_default();
        self.switch_motor(motor.is_some(), numbers)
    }

    /// Sets the numbers of the motor, and turns it on or off.
    pub(crate) fn switch_motor(&mut self, enabled: bool, motor: JointMotor) -> Result<(), PhysicsError> {
        let JointMotor { speed, max } = motor;
        self.log.report(|| Call::JointSetMotor {
            joint: self.id,
            enabled,
            speed,
            max,
        });
        let axis = self.axis_of("motor", JointSim::motor_axis)?;
        self.change(|sim| {
            sim.set(joint_flag::MOTOR, enabled);
            let options = sim.options_mut(axis);
            (options.speed, options.motor_max) = (speed, max);
            if !enabled {
                sim.impulses[axis].motor = 0.0;
            }
        })
    }

    /// Sets the limits of a joint's free coordinate, or turns them off; then the definition keeps the numbers that it
    /// had. The coordinate is the angle of a revolute joint in radians, the length of a distance joint or the
    /// translation of a prismatic or wheel joint in meters.
    ///
    /// # Errors
    ///
    /// If the limits are out of range or in the wrong order, or the kind has no such limits.
    pub fn set_limit(&mut self, limit: Option<JointLimit>) -> Result<(), PhysicsError> {
        let numbers = limit.or_else(|| self.sim().limit()).unwrap_or_default();
        self.switch_limit(limit.is_some(), numbers)
    }

    /// Sets the numbers of the limits, and turns them on or off.
    pub(crate) fn switch_limit(&mut self, enabled: bool, limit: JointLimit) -> Result<(), PhysicsError> {
        let JointLimit { lower, upper } = limit;
        self.log.report(|| Call::JointSetLimit {
            joint: self.id,
            enabled,
            lower,
            upper,
        });
        let axis = self.axis_of("limit", JointSim::limit_axis)?;
        self.change(|sim| {
            sim.set(joint_flag::LIMIT, enabled);
            let options = sim.options_mut(axis);
            (options.lower, options.upper) = (lower, upper);
            (sim.impulses[axis].lower, sim.impulses[axis].upper) = (0.0, 0.0);
        })
    }

    /// Sets the number of whole turns, -1,000 to 1,000, of a joint that counts them: its angle is nearest to that
    /// number of turns.
    ///
    /// # Errors
    ///
    /// If the number is out of range, or the joint counts no turns.
    pub fn set_turns(&mut self, turns: i32) -> Result<(), PhysicsError> {
        self.log.report(|| Call::JointSetTurns {
            joint: self.id,
            turns,
        });
        if !self.sim().has(joint_flag::COUNT_TURNS) {
            return Err(PhysicsError::NoSuchPart {
                what: "count of turns",
            });
        }
        Range::TURNS.check("turns", turns as f32)?;
        self.change(|sim| sim.track.angle = turns as f32 * TAU)
    }

    /// Turns on a spring that pulls a joint's free coordinate to a target, or turns it off; then the definition keeps
    /// the numbers that it had. See [`JointMut::set_limit`] for the coordinate. Whole turns of an angle count only if
    /// the joint counts them: see [`RevoluteDef::target_angle`](crate::RevoluteDef::target_angle).
    ///
    /// # Errors
    ///
    /// If the target is out of range, the frequency neither 0 nor from 0.001 to 10,000, or the damping not from 0 to 1,000;
    /// or the kind has no such spring.
    pub fn set_spring(&mut self, spring: Option<JointSpring>) -> Result<(), PhysicsError> {
        let numbers = spring.or_else(|| self.sim().spring()).unwrap_or_default();
        self.switch_spring(spring.is_some(), numbers)
    }

    /// Sets the numbers of the spring, and turns it on or off.
    pub(crate) fn switch_spring(&mut self, enabled: bool, spring: JointSpring) -> Result<(), PhysicsError> {
        let JointSpring {
            target,
            hertz,
            damping_ratio,
        } = spring;
        self.log.report(|| Call::JointSetSpring {
            joint: self.id,
            enabled,
            target,
            hertz,
            damping_ratio,
        });
        let axis = self.axis_of("spring", JointSim::spring_axis)?;
        self.change(|sim| {
            sim.set(joint_flag::SPRING, enabled);
            let options = sim.options_mut(axis);
            (options.target, options.hertz, options.damping_ratio) = (target, hertz, damping_ratio);
            if !enabled {
                sim.impulses[axis].soft = 0.0;
            }
        })
    }

    /// Sets the stiffness of the rigid constraints.
    ///
    /// # Errors
    ///
    /// If the frequency is neither 0 nor from 0.001 to 10,000, or the damping not from 0 to 1,000; or the joint is a filter.
    pub fn set_stiffness(&mut self, stiffness: JointStiffness) -> Result<(), PhysicsError> {
        let JointStiffness { hertz, damping_ratio } = stiffness;
        self.log.report(|| Call::JointSetStiffness {
            joint: self.id,
            hertz,
            damping_ratio,
        });
        self.require_constraint("stiffness")?;
        self.change(|sim| {
            (sim.constraint_hertz, sim.constraint_damping_ratio) = (hertz, damping_ratio);
        })
    }

    /// Sets the anchors in the frames of their bodies, in meters: if the first body is static this moves the target of
    /// a motor joint.
    ///
    /// # Errors
    ///
    /// If a point is outside the world's range.
    pub fn set_anchors(&mut self, local_anchor_a: Vec2, local_anchor_b: Vec2) -> Result<(), PhysicsError> {
        self.log.report(|| Call::JointSetAnchors {
            joint: self.id,
            a: local_anchor_a,
            b: local_anchor_b,
        });
        self.change(|sim| (sim.local_anchor_a, sim.local_anchor_b) = (local_anchor_a, local_anchor_b))
    }

    /// Sets the angles of the two joint frames in the frames of their bodies, in radians.
    ///
    /// # Errors
    ///
    /// If an angle is not finite.
    pub fn set_angles(&mut self, local_angle_a: f32, local_angle_b: f32) -> Result<(), PhysicsError> {
        self.log.report(|| Call::JointSetAngles {
            joint: self.id,
            a: local_angle_a,
            b: local_angle_b,
        });
        self.change(|sim| (sim.local_angle_a, sim.local_angle_b) = (local_angle_a, local_angle_b))
    }

    /// Sets the load above which the joint is reported, and whether it is then removed.
    ///
    /// # Errors
    ///
    /// If a threshold is negative or not a number, or the joint is a filter.
    pub fn set_thresholds(&mut self, thresholds: JointThresholds) -> Result<(), PhysicsError> {
        let JointThresholds {
            force,
            torque,
            breaks,
        } = thresholds;
        self.log.report(|| Call::JointSetThresholds {
            joint: self.id,
            force,
            torque,
            breaks,
        });
        self.require_constraint("threshold")?;
        self.change(|sim| {
            (sim.force_threshold, sim.torque_threshold) = (force, torque);
            sim.set(joint_flag::BREAKS, breaks);
        })
    }

    /// Sets whether the shapes of the two bodies may touch each other.
    ///
    /// # Errors
    ///
    /// If the joint is a filter joint, whose only effect is to prevent that.
    pub fn set_collide_connected(&mut self, collide: bool) -> Result<(), PhysicsError> {
        self.log.report(|| Call::JointSetCollideConnected {
            joint: self.id,
            collide,
        });
        self.change(|sim| sim.set(joint_flag::COLLIDE_CONNECTED, collide))
    }

    fn sim(&self) -> &JointSim {
        &self.state.joint_sims[self.id.index()]
    }

    /// The axis of a part, or an error if the joint's kind has none.
    fn axis_of(
        &self,
        what: &'static str,
        find: impl FnOnce(&JointSim) -> Option<usize>,
    ) -> Result<usize, PhysicsError> {
        find(self.sim()).ok_or(PhysicsError::NoSuchPart { what })
    }

    /// Returns an error for a joint that is only a filter, and so has no `what`.
    fn require_constraint(&self, what: &'static str) -> Result<(), PhysicsError> {
        if self.sim().is_constraint() {
            return Ok(());
        }
        Err(PhysicsError::NoSuchPart { what })
    }
}
