//! Conversion of a component Joint to a definition of physics: its options by kind, and the frames of the joint in
//! its two bodies.

use tombolo_geometry::{Pose, Rot, Vec2};
use tombolo_physics::{
    BodyId, DistanceDef, FilterDef, GearDef, GenericDef, JointDef, JointKind, MotorDef, MoverDef,
    PhysicsError, PogoDef, PrismaticDef, PulleyDef, RackDef, RevoluteDef, WeldDef, WheelDef,
};

use super::record::Joint;

/// The frames of a joint in its two bodies, `to` first: points in meters, angles in radians.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frames {
    anchors: [Vec2; 2],
    angles: [f32; 2],
}

impl Frames {
    /// The frames of a joint between bodies at these poses, `to` first. The pivot and the axis are given in the
    /// owner's frame. A frame of `to` that is not given is the present one of the other body, so the present poses
    /// count as zero.
    ///
    /// # Errors
    ///
    /// The axis has no direction.
    pub(crate) fn new(joint: &Joint, owner: Pose, [to, from]: [Pose; 2]) -> Result<Self, PhysicsError> {
        let pivot = owner.transform_point(joint.pivot);
        let own = match joint.has_axis() {
            false => 0.0,
            true => {
                let axis = joint.direction()?;
                from.rotation.to(owner.rotation.then(axis)).angle()
            }
        };
        let (point, angle) = match joint.is_apart() {
            true => (joint.to_pivot, joint.to_angle),
            false => {
                let turn = to.rotation.to(from.rotation);
                let angle = if own == 0.0 {
                    turn
                } else {
                    turn.then(Rot::from_angle(own))
                };
                (to.inverse_transform_point(pivot), angle.angle())
            }
        };
        Ok(Self {
            anchors: [point, from.inverse_transform_point(pivot)],
            angles: [angle, own],
        })
    }
}

impl Frames {
    /// The same frames seen from the bodies, in which the frames of the two entities lie, `to` first.
    pub(crate) fn within(self, frames: [Pose; 2]) -> Self {
        let seen = |end: usize| seen_from(frames[end], self.anchors[end], self.angles[end]);
        let [(a, angle_a), (b, angle_b)] = [seen(0), seen(1)];
        Self {
            anchors: [a, b],
            angles: [angle_a, angle_b],
        }
    }
}

/// A point and an angle, given in a frame of a body, in the frame of the body.
pub(super) fn seen_from(frame: Pose, point: Vec2, angle: f32) -> (Vec2, f32) {
    if frame == Pose::IDENTITY {
        return (point, angle);
    }
    let turned = Rot::from_angle(angle).then(frame.rotation);
    (frame.transform_point(point), turned.angle())
}

/// The threshold for physics: 0 stands for never, since a scene file has no infinity.
fn threshold(given: f32) -> f32 {
    if given == 0.0 { f32::INFINITY } else { given }
}

/// Writes the options that all kinds with constraints have.
macro_rules! write_common {
    ($joint:ident => $def:ident) => {
        $def.constraint_hertz = $joint.stiffness;
        $def.constraint_damping_ratio = $joint.stiffness_damping;
        $def.force_threshold = threshold($joint.force_threshold);
        $def.torque_threshold = threshold($joint.torque_threshold);
        $def.breaks = $joint.breaks;
        $def.collide_connected = $joint.collide_connected;
    };
}

/// Writes the frames into a definition.
macro_rules! framed {
    ($def:ident, $bodies:ident, $frames:ident) => {{
        let ([a, b], [at_a, at_b]) = ($bodies, $frames.anchors);
        let [local_angle_a, local_angle_b] = $frames.angles;
        $def {
            local_angle_a,
            local_angle_b,
            ..$def::new(a, at_a, b, at_b)
        }
        .into()
    }};
}

impl Joint {
    /// The direction of the axis in the owner's frame.
    pub(super) fn direction(&self) -> Result<Rot, PhysicsError> {
        let along = self.axis.try_normalize().ok_or(PhysicsError::InvalidNumber {
            what: "axis",
            got: self.axis.x,
            expected: "a direction other than (0, 0)",
        })?;
        Ok(Rot {
            cos: along.x,
            sin: along.y,
        })
    }

    /// The joint's definition in physics, between these bodies with these frames, `to` first.
    pub(crate) fn def(&self, bodies: [BodyId; 2], frames: Frames) -> JointDef {
        let mut def: JointDef = match self.kind {
            JointKind::Distance => framed!(DistanceDef, bodies, frames),
            JointKind::Prismatic => framed!(PrismaticDef, bodies, frames),
            JointKind::Weld => framed!(WeldDef, bodies, frames),
            JointKind::Wheel => framed!(WheelDef, bodies, frames),
            JointKind::Motor => framed!(MotorDef, bodies, frames),
            JointKind::Generic => framed!(GenericDef, bodies, frames),
            JointKind::Gear => framed!(GearDef, bodies, frames),
            JointKind::Rack => framed!(RackDef, bodies, frames),
            JointKind::Pulley => framed!(PulleyDef, bodies, frames),
            JointKind::Mover => framed!(MoverDef, bodies, frames),
            JointKind::Pogo => framed!(PogoDef, bodies, frames),
            JointKind::Filter => FilterDef::new(bodies[0], bodies[1]).into(),
            _ => framed!(RevoluteDef, bodies, frames),
        };
        self.write(&mut def);
        def
    }

    /// Writes all options into a definition of the joint's kind; its bodies and frames stay.
    pub(crate) fn write(&self, def: &mut JointDef) {
        match def {
            JointDef::Revolute(def) => self.write_revolute(def),
            JointDef::Distance(def) => self.write_distance(def),
            JointDef::Prismatic(def) => self.write_prismatic(def),
            JointDef::Weld(def) => self.write_weld(def),
            JointDef::Wheel(def) => self.write_wheel(def),
            JointDef::Motor(def) => self.write_motor(def),
            JointDef::Generic(def) => self.write_generic(def),
            JointDef::Gear(def) => {
                def.ratio = self.ratio;
                write_common!(self => def);
            }
            JointDef::Rack(def) => {
                def.radius = self.radius;
                write_common!(self => def);
            }
            JointDef::Pulley(def) => self.write_pulley(def),
            JointDef::Mover(def) => {
                def.linear_velocity = self.velocity;
                def.max_force = if self.motor { self.max_forces } else { Vec2::ZERO };
                write_common!(self => def);
            }
            JointDef::Pogo(def) => {
                (def.length, def.enable_spring) = (self.length, self.spring);
                (def.spring_hertz, def.spring_damping_ratio) = (self.hertz, self.damping_ratio);
                (def.lower_spring_force, def.upper_spring_force) =
                    (self.lower_spring_force, self.upper_spring_force);
                write_common!(self => def);
            }
            _ => {}
        }
    }

    fn write_revolute(&self, def: &mut RevoluteDef) {
        (def.enable_limit, def.lower_angle, def.upper_angle) = (self.limit, self.lower, self.upper);
        (def.enable_spring, def.target_angle) = (self.spring, self.target_angle);
        (def.spring_hertz, def.spring_damping_ratio) = (self.hertz, self.damping_ratio);
        (def.enable_motor, def.motor_speed, def.max_motor_torque) =
            (self.motor, self.motor_speed, self.max_torque);
        def.count_turns = self.count_turns;
        write_common!(self => def);
    }

    fn write_distance(&self, def: &mut DistanceDef) {
        def.length = self.length;
        (def.enable_limit, def.min_length, def.max_length) = (self.limit, self.lower, self.upper);
        (def.enable_spring, def.spring_hertz, def.spring_damping_ratio) =
            (self.spring, self.hertz, self.damping_ratio);
        (def.lower_spring_force, def.upper_spring_force) = (self.lower_spring_force, self.upper_spring_force);
        (def.enable_motor, def.motor_speed, def.max_motor_force) =
            (self.motor, self.motor_speed, self.max_force);
        write_common!(self => def);
    }

    fn write_prismatic(&self, def: &mut PrismaticDef) {
        (def.enable_limit, def.lower_translation, def.upper_translation) =
            (self.limit, self.lower, self.upper);
        (def.enable_spring, def.target_translation) = (self.spring, self.target_translation);
        (def.spring_hertz, def.spring_damping_ratio) = (self.hertz, self.damping_ratio);
        (def.enable_motor, def.motor_speed, def.max_motor_force) =
            (self.motor, self.motor_speed, self.max_force);
        write_common!(self => def);
    }

    fn write_weld(&self, def: &mut WeldDef) {
        let rigid_or = |soft: bool, hertz: f32| if soft { hertz } else { 0.0 };
        def.linear_hertz = rigid_or(self.spring, self.hertz);
        def.linear_damping_ratio = self.damping_ratio;
        def.angular_hertz = rigid_or(self.angular_spring, self.angular_hertz);
        def.angular_damping_ratio = self.angular_damping_ratio;
        write_common!(self => def);
    }

    fn write_wheel(&self, def: &mut WheelDef) {
        (def.enable_limit, def.lower_translation, def.upper_translation) =
            (self.limit, self.lower, self.upper);
        (def.enable_spring, def.target_translation) = (self.spring, self.target_translation);
        (def.spring_hertz, def.spring_damping_ratio) = (self.hertz, self.damping_ratio);
        (def.enable_motor, def.motor_speed, def.max_motor_torque) =
            (self.motor, self.motor_speed, self.max_torque);
        write_common!(self => def);
    }

    fn write_motor(&self, def: &mut MotorDef) {
        let if_on = |on: bool, most: f32| if on { most } else { 0.0 };
        (def.linear_velocity, def.angular_velocity) = (self.velocity, self.angular_velocity);
        def.max_velocity_force = if_on(self.motor, self.max_force);
        def.max_velocity_torque = if_on(self.motor, self.max_torque);
        (def.linear_hertz, def.linear_damping_ratio) = (self.hertz, self.damping_ratio);
        def.max_spring_force = if_on(self.spring, self.max_spring_force);
        (def.angular_hertz, def.angular_damping_ratio) = (self.angular_hertz, self.angular_damping_ratio);
        def.max_spring_torque = if_on(self.angular_spring, self.max_spring_torque);
        write_common!(self => def);
    }

    fn write_generic(&self, def: &mut GenericDef) {
        let Self { x, y, .. } = self;
        (def.lock_x, def.lock_y, def.lock_angle) = (x.lock, y.lock, self.lock_angle);
        (def.enable_limit_x, def.lower_x, def.upper_x) = (x.limit, x.lower, x.upper);
        (def.enable_limit_y, def.lower_y, def.upper_y) = (y.limit, y.lower, y.upper);
        (def.enable_limit_angle, def.lower_angle, def.upper_angle) = (self.limit, self.lower, self.upper);
        (def.enable_spring_x, def.target_x) = (x.spring, x.target);
        (def.enable_spring_y, def.target_y) = (y.spring, y.target);
        (def.enable_spring_angle, def.target_angle) = (self.spring, self.target_angle);
        (def.spring_hertz_x, def.spring_damping_ratio_x) = (x.hertz, x.damping_ratio);
        (def.spring_hertz_y, def.spring_damping_ratio_y) = (y.hertz, y.damping_ratio);
        (def.spring_hertz_angle, def.spring_damping_ratio_angle) = (self.hertz, self.damping_ratio);
        (def.enable_motor_x, def.motor_speed_x, def.max_motor_force_x) = (x.motor, x.speed, x.max_force);
        (def.enable_motor_y, def.motor_speed_y, def.max_motor_force_y) = (y.motor, y.speed, y.max_force);
        (
            def.enable_motor_angle,
            def.motor_speed_angle,
            def.max_motor_torque,
        ) = (self.motor, self.motor_speed, self.max_torque);
        def.count_turns = self.count_turns;
        write_common!(self => def);
    }

    fn write_pulley(&self, def: &mut PulleyDef) {
        (def.ground_anchor_a, def.length_a) = (self.to_wheel, self.to_length);
        (def.ground_anchor_b, def.length_b) = (self.from_wheel, self.from_length);
        (def.ratio, def.slack) = (self.ratio, self.slack);
        write_common!(self => def);
    }
}
