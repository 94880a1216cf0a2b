//! Joints of every kind from one set of numbers, and the calls about them.

use tombolo_physics::{
    BodyId, DistanceDef, FilterDef, GearDef, GenericDef, JointDef, JointId, JointKind, JointLimit,
    JointMotor, JointMut, JointSpring, JointStiffness, JointThresholds, MotorDef, MoverDef, PhysicsError,
    PhysicsWorld, PogoDef, PrismaticDef, PulleyDef, RackDef, RevoluteDef, Vec2, WeldDef, WheelDef,
};

use super::player::{Player, picked, text};
use super::{Call, JointNumbers};

impl JointNumbers {
    /// The definition of a kind of joint with these numbers.
    pub(super) fn def(&self, kind: JointKind, a: BodyId, b: BodyId) -> JointDef {
        let Self {
            anchors,
            angles,
            enable,
            spring,
            motor,
            ..
        } = self.clone();
        macro_rules! with_frames {
            ($def:ident { $( $field:ident: $value:expr ),* $(,)? }) => {
                $def {
                    $( $field: $value, )*
                    local_angle_a: angles[2],
                    local_angle_b: angles[3],
                    constraint_hertz: self.stiffness[0],
                    constraint_damping_ratio: self.stiffness[1],
                    force_threshold: self.thresholds[0],
                    torque_threshold: self.thresholds[1],
                    breaks: self.breaks,
                    collide_connected: self.collide,
                    ..$def::new(a, anchors[0], b, anchors[1])
                }
                .into()
            };
        }
        match kind {
            JointKind::Revolute => with_frames!(RevoluteDef {
                lower_angle: angles[0],
                upper_angle: angles[1],
                target_angle: angles[3],
                enable_limit: enable[0],
                enable_spring: enable[1],
                enable_motor: enable[2],
                spring_hertz: spring[0],
                spring_damping_ratio: spring[1],
                motor_speed: motor[0],
                max_motor_torque: motor[1],
                count_turns: self.collide != self.breaks,
            }),
            JointKind::Distance => with_frames!(DistanceDef {
                length: angles[1],
                min_length: 0.5 * angles[1],
                max_length: angles[1],
                enable_limit: enable[0],
                enable_spring: enable[1],
                enable_motor: enable[2],
                spring_hertz: spring[0],
                spring_damping_ratio: spring[1],
                lower_spring_force: -motor[1],
                upper_spring_force: motor[1],
                motor_speed: motor[0],
                max_motor_force: motor[1],
            }),
            JointKind::Prismatic => with_frames!(PrismaticDef {
                lower_translation: angles[0],
                upper_translation: angles[1],
                target_translation: angles[3],
                enable_limit: enable[0],
                enable_spring: enable[1],
                enable_motor: enable[2],
                spring_hertz: spring[0],
                spring_damping_ratio: spring[1],
                motor_speed: motor[0],
                max_motor_force: motor[1],
            }),
            JointKind::Weld => with_frames!(WeldDef {
                linear_hertz: if enable[0] { spring[0] } else { 0.0 },
                linear_damping_ratio: spring[1],
                angular_hertz: if enable[1] { spring[0] } else { 0.0 },
                angular_damping_ratio: spring[1],
            }),
            JointKind::Wheel => with_frames!(WheelDef {
                lower_translation: angles[0],
                upper_translation: angles[1],
                target_translation: angles[3],
                enable_limit: enable[0],
                enable_spring: enable[1],
                enable_motor: enable[2],
                spring_hertz: spring[0],
                spring_damping_ratio: spring[1],
                motor_speed: motor[0],
                max_motor_torque: motor[1],
            }),
            JointKind::Motor => with_frames!(MotorDef {
                linear_velocity: Vec2::new(motor[0], angles[3]),
                max_velocity_force: if enable[0] { motor[1] } else { 0.0 },
                angular_velocity: motor[0],
                max_velocity_torque: if enable[1] { motor[1] } else { 0.0 },
                linear_hertz: spring[0],
                linear_damping_ratio: spring[1],
                max_spring_force: if enable[2] { motor[1] } else { 0.0 },
                angular_hertz: spring[0],
                angular_damping_ratio: spring[1],
                max_spring_torque: motor[1],
            }),
            JointKind::Generic => with_frames!(GenericDef {
                lock_x: enable[0] && enable[1],
                enable_limit_x: enable[0],
                lower_x: angles[0],
                upper_x: angles[1],
                enable_spring_x: enable[1],
                spring_hertz_x: spring[0],
                spring_damping_ratio_x: spring[1],
                lock_y: self.breaks,
                enable_motor_y: enable[1],
                motor_speed_y: motor[0],
                max_motor_force_y: motor[1],
                lock_angle: enable[2] && self.breaks,
                enable_limit_angle: enable[0],
                lower_angle: angles[0],
                upper_angle: angles[1],
                enable_spring_angle: enable[1],
                target_angle: angles[3],
                spring_hertz_angle: spring[0],
                spring_damping_ratio_angle: spring[1],
                enable_motor_angle: enable[2],
                motor_speed_angle: motor[0],
                max_motor_torque: motor[1],
                count_turns: self.collide,
            }),
            JointKind::Gear => with_frames!(GearDef { ratio: motor[0] }),
            JointKind::Rack => with_frames!(RackDef { radius: motor[0] }),
            JointKind::Pulley => with_frames!(PulleyDef {
                slack: enable[0],
                ratio: motor[1],
                length_a: angles[1],
                length_b: angles[1],
                ground_anchor_a: 4.0 * anchors[1],
                ground_anchor_b: 4.0 * anchors[0],
            }),
            JointKind::Mover => with_frames!(MoverDef {
                linear_velocity: Vec2::new(motor[0], angles[0]),
                max_force: Vec2::new(motor[1], if enable[0] { motor[1] } else { 0.0 }),
            }),
            JointKind::Pogo => with_frames!(PogoDef {
                enable_spring: enable[0],
                length: angles[1],
                spring_hertz: spring[0],
                spring_damping_ratio: spring[1],
                lower_spring_force: -motor[1],
                upper_spring_force: motor[1],
            }),
            _ => FilterDef::new(a, b).into(),
        }
    }
}

impl Player {
    /// Makes a call about a joint; `None` if the call is about something else.
    pub(super) fn play_on_joints(&mut self, call: &Call) -> Option<String> {
        Some(match call {
            Call::Joint(a, b, numbers) => self.join(*a, *b, numbers),
            Call::DestroyJoint(joint) => {
                self.on_joint(*joint, |world, joint| text(&world.destroy_joint(joint)))
            }
            Call::Motor(joint, on, speed, torque) => self.change_joint(*joint, |joint| {
                joint.set_user_key(7);
                joint.set_motor(on.then_some(JointMotor {
                    speed: *speed,
                    max: *torque,
                }))
            }),
            Call::Limit(joint, on, lower, upper) => self.change_joint(*joint, |joint| {
                joint.set_limit(on.then_some(JointLimit {
                    lower: *lower,
                    upper: *upper,
                }))
            }),
            Call::Spring(joint, on, target, hertz, ratio) => self.change_joint(*joint, |joint| {
                joint.set_spring(on.then_some(JointSpring {
                    target: *target,
                    hertz: *hertz,
                    damping_ratio: *ratio,
                }))
            }),
            Call::Stiffness(joint, hertz, ratio) => self.change_joint(*joint, |joint| {
                joint.set_stiffness(JointStiffness {
                    hertz: *hertz,
                    damping_ratio: *ratio,
                })
            }),
            Call::Redefine(joint, numbers) => self.change_joint(*joint, |joint| {
                let view = joint.view();
                let [a, b] = view.bodies().map(|body| body.id());
                let def = numbers.def(view.kind(), a, b);
                let set = joint.set_def(def.clone());
                if set.is_ok() {
                    assert_eq!(joint.view().def(), def, "what is set is read back");
                }
                set
            }),
            Call::JointThresholds(joint, force, torque, breaks) => self.change_joint(*joint, |joint| {
                joint.set_thresholds(JointThresholds {
                    force: *force,
                    torque: *torque,
                    breaks: *breaks,
                })
            }),
            Call::Frames(joint, anchors, angles) => self.change_joint(*joint, |joint| {
                joint.set_angles(angles[0], angles[1])?;
                joint.set_anchors(anchors[0], anchors[1])
            }),
            Call::Collide(joint, collide) => {
                self.change_joint(*joint, |joint| joint.set_collide_connected(*collide))
            }
            _ => return None,
        })
    }

    fn join(&mut self, a: usize, b: usize, numbers: &JointNumbers) -> String {
        let (Some(a), Some(b)) = (picked(&self.bodies, a), picked(&self.bodies, b)) else {
            return String::new();
        };
        let kind = JointKind::ALL[numbers.kind % JointKind::ALL.len()];
        let answer = self.world.create_joint(numbers.def(kind, a, b));
        self.joints.extend(answer.as_ref().ok());
        text(&answer)
    }

    fn change_joint(
        &mut self,
        joint: usize,
        change: impl FnOnce(&mut JointMut<'_>) -> Result<(), PhysicsError>,
    ) -> String {
        self.on_joint(joint, |world, joint| {
            text(&world.joint_mut(joint).map(|mut joint| change(&mut joint)))
        })
    }

    fn on_joint(&mut self, joint: usize, call: impl FnOnce(&mut PhysicsWorld, JointId) -> String) -> String {
        match picked(&self.joints, joint) {
            Some(joint) => call(&mut self.world, joint),
            None => String::new(),
        }
    }
}
