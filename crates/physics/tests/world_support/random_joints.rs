//! Random joints of every kind, with every option.

use super::Random;
use tombolo_physics::{
    BodyId, DistanceDef, FilterDef, GearDef, GenericDef, JointDef, JointKind, MotorDef, MoverDef, PogoDef,
    PrismaticDef, PulleyDef, RackDef, RevoluteDef, Vec2, WeldDef, WheelDef,
};

/// A joint of some kind.
pub(crate) fn random_joint(random: &mut Random, a: BodyId, b: BodyId) -> JointDef {
    let kind = JointKind::ALL[random.below(JointKind::ALL.len())];
    joint_of(random, kind, a, b)
}

/// A joint of a kind.
pub(crate) fn joint_of(random: &mut Random, kind: JointKind, a: BodyId, b: BodyId) -> JointDef {
    let anchors = [random.vector(0.5), random.vector(0.5)];
    let angles = [random.between(-4.0, 4.0), random.between(-4.0, 4.0)];
    let on = [random.chance(2), random.chance(3), random.chance(3)];
    let limits = [random.between(-1.0, 0.0), random.between(0.0, 1.0)];
    let spring = [random.between(0.1, 9.0), random.between(0.0, 2.0)];
    let motor = [random.between(-5.0, 5.0), random.between(0.0, 50.0)];
    let target = random.between(-1.5, 1.5);
    let threshold = if random.chance(3) {
        random.between(0.0, 200.0)
    } else {
        f32::INFINITY
    };
    let breaks = random.chance(2);
    let counts = random.chance(3);
    let factor = random.between(0.2, 3.0) * if random.chance(2) { 1.0 } else { -1.0 };
    macro_rules! with_frames {
        ($def:ident { $( $field:ident: $value:expr ),* $(,)? }) => {
            $def {
                $( $field: $value, )*
                local_angle_a: angles[0],
                local_angle_b: angles[1],
                force_threshold: threshold,
                breaks,
                collide_connected: on[1],
                user_key: 5,
                ..$def::new(a, anchors[0], b, anchors[1])
            }
            .into()
        };
    }
    match kind {
        JointKind::Revolute => with_frames!(RevoluteDef {
            enable_limit: on[0],
            lower_angle: limits[0],
            upper_angle: limits[1],
            enable_spring: on[1],
            target_angle: target,
            spring_hertz: spring[0],
            spring_damping_ratio: spring[1],
            enable_motor: on[2],
            motor_speed: motor[0],
            max_motor_torque: motor[1],
            count_turns: counts,
        }),
        JointKind::Distance => with_frames!(DistanceDef {
            length: target.abs(),
            enable_spring: on[1],
            spring_hertz: spring[0],
            spring_damping_ratio: spring[1],
            lower_spring_force: -motor[1],
            upper_spring_force: motor[1],
            enable_limit: on[0],
            min_length: 0.5 * limits[1],
            max_length: limits[1],
            enable_motor: on[2],
            motor_speed: motor[0],
            max_motor_force: motor[1],
        }),
        JointKind::Prismatic => with_frames!(PrismaticDef {
            enable_limit: on[0],
            lower_translation: limits[0],
            upper_translation: limits[1],
            enable_spring: on[1],
            target_translation: target,
            spring_hertz: spring[0],
            spring_damping_ratio: spring[1],
            enable_motor: on[2],
            motor_speed: motor[0],
            max_motor_force: motor[1],
        }),
        JointKind::Weld => with_frames!(WeldDef {
            linear_hertz: if on[0] { spring[0] } else { 0.0 },
            linear_damping_ratio: spring[1],
            angular_hertz: if on[1] { spring[0] } else { 0.0 },
            angular_damping_ratio: spring[1],
        }),
        JointKind::Wheel => with_frames!(WheelDef {
            enable_spring: on[1],
            spring_hertz: spring[0],
            spring_damping_ratio: spring[1],
            target_translation: target,
            enable_limit: on[0],
            lower_translation: limits[0],
            upper_translation: limits[1],
            enable_motor: on[2],
            motor_speed: motor[0],
            max_motor_torque: motor[1],
        }),
        JointKind::Motor => with_frames!(MotorDef {
            linear_velocity: Vec2::new(motor[0], target),
            max_velocity_force: if on[0] { motor[1] } else { 0.0 },
            angular_velocity: motor[0],
            max_velocity_torque: if on[1] { motor[1] } else { 0.0 },
            linear_hertz: spring[0],
            linear_damping_ratio: spring[1],
            max_spring_force: if on[2] { motor[1] } else { 0.0 },
            angular_hertz: spring[0],
            angular_damping_ratio: spring[1],
            max_spring_torque: if on[1] { motor[1] } else { 0.0 },
        }),
        JointKind::Generic => with_frames!(GenericDef {
            lock_x: on[0] && on[1],
            enable_limit_x: on[0],
            lower_x: limits[0],
            upper_x: limits[1],
            enable_spring_x: on[2],
            target_x: target,
            spring_hertz_x: spring[0],
            spring_damping_ratio_x: spring[1],
            enable_motor_x: on[1],
            motor_speed_x: motor[0],
            max_motor_force_x: motor[1],
            lock_y: breaks,
            enable_limit_y: on[2],
            lower_y: limits[0],
            upper_y: limits[1],
            enable_spring_y: on[1],
            target_y: target,
            spring_hertz_y: spring[0],
            spring_damping_ratio_y: spring[1],
            enable_motor_y: on[0],
            motor_speed_y: -motor[0],
            max_motor_force_y: motor[1],
            lock_angle: on[2] || on[1],
            enable_limit_angle: on[0],
            lower_angle: 3.0 * limits[0],
            upper_angle: 3.0 * limits[1],
            enable_spring_angle: on[1],
            target_angle: target,
            spring_hertz_angle: spring[0],
            spring_damping_ratio_angle: spring[1],
            enable_motor_angle: on[2],
            motor_speed_angle: motor[0],
            max_motor_torque: motor[1],
            count_turns: counts,
        }),
        JointKind::Gear => with_frames!(GearDef { ratio: factor }),
        JointKind::Rack => with_frames!(RackDef { radius: factor }),
        JointKind::Pulley => with_frames!(PulleyDef {
            slack: on[0],
            ratio: factor.abs(),
            length_a: 3.0 + target,
            length_b: 4.0 - target,
            ground_anchor_a: Vec2::new(motor[0], 8.0),
            ground_anchor_b: Vec2::new(-motor[0], 8.0),
        }),
        JointKind::Mover => with_frames!(MoverDef {
            linear_velocity: Vec2::new(motor[0], target),
            max_force: Vec2::new(motor[1], if on[0] { motor[1] } else { 0.0 }),
        }),
        JointKind::Pogo => with_frames!(PogoDef {
            enable_spring: !on[1],
            length: target.abs(),
            spring_hertz: spring[0],
            spring_damping_ratio: spring[1],
            lower_spring_force: if on[0] { 0.0 } else { -motor[1] },
            upper_spring_force: 4.0 * motor[1],
        }),
        _ => FilterDef::new(a, b).into(),
    }
}
