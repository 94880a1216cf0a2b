//! Springs, motors and limits of the angle, and of each axis of generic joints, against closed forms; those of other kinds are in
//! `joints.rs`.

use crate::joint_support::{DT, close, ground, joint, oscillation, sampled, square, world};
use tombolo_physics::{
    BodyDef, BodyId, DistanceDef, GenericDef, JointDef, JointId, PhysicsWorld, PrismaticDef, RevoluteDef,
    Vec2, WheelDef,
};

const SIDE: f32 = 0.5;
/// Of a square of a kilogram.
const INERTIA: f32 = SIDE * SIDE / 6.0;

/// An axis: what moves along it, and what drives, springs and limits it.
struct Axis {
    name: &'static str,
    /// Where the body is and how fast, along the axis.
    position: fn(&PhysicsWorld, JointId) -> f32,
    speed: fn(&PhysicsWorld, BodyId) -> f32,
    /// Kilograms or kilogram square meters.
    mass: f32,
    /// With a motor of a speed and strength, a spring of a frequency and damping, or limits.
    def: fn(BodyId, BodyId, Part) -> JointDef,
}

#[derive(Clone, Copy)]
enum Part {
    Motor(f32, f32),
    Spring(f32, f32),
    Limit(f32),
}

macro_rules! axis {
    (
        $name:literal, $def:ident { $($field:ident: $value:expr),* }, $mass:expr, $position:expr, $speed:expr,
        $motor:ident $motor_speed:ident $motor_max:ident,
        $spring:ident $hertz:ident $damping:ident,
        $limit:ident $lower:ident $upper:ident
    ) => {
        Axis {
            name: $name,
            position: $position,
            speed: $speed,
            mass: $mass,
            def: |a, b, part| {
                let mut def = $def {
                    $($field: $value,)*
                    ..$def::new(a, Vec2::ZERO, b, Vec2::ZERO)
                };
                match part {
                    Part::Motor(speed, most) => {
                        (def.$motor, def.$motor_speed, def.$motor_max) = (true, speed, most);
                    }
                    Part::Spring(hertz, damping) => {
                        (def.$spring, def.$hertz, def.$damping) = (true, hertz, damping);
                    }
                    Part::Limit(reach) => {
                        (def.$limit, def.$lower, def.$upper) = (true, -reach, reach);
                    }
                }
                def.into()
            },
        }
    };
}

const AXES: [Axis; 4] = [
    axis!(
        "revolute", RevoluteDef {}, INERTIA,
        |world, id| world.joint(id).unwrap().angle(),
        |world, body| world.body(body).unwrap().angular_velocity(),
        enable_motor motor_speed max_motor_torque,
        enable_spring spring_hertz spring_damping_ratio,
        enable_limit lower_angle upper_angle
    ),
    axis!(
        "generic, turning", GenericDef { lock_x: true, lock_y: true }, INERTIA,
        |world, id| world.joint(id).unwrap().angle(),
        |world, body| world.body(body).unwrap().angular_velocity(),
        enable_motor_angle motor_speed_angle max_motor_torque,
        enable_spring_angle spring_hertz_angle spring_damping_ratio_angle,
        enable_limit_angle lower_angle upper_angle
    ),
    axis!(
        "generic, along x", GenericDef { lock_y: true, lock_angle: true }, 1.0,
        |world, id| world.joint(id).unwrap().translation().x,
        |world, body| world.body(body).unwrap().linear_velocity().x,
        enable_motor_x motor_speed_x max_motor_force_x,
        enable_spring_x spring_hertz_x spring_damping_ratio_x,
        enable_limit_x lower_x upper_x
    ),
    axis!(
        "generic, along y", GenericDef { lock_x: true }, 1.0,
        |world, id| world.joint(id).unwrap().translation().y,
        |world, body| world.body(body).unwrap().linear_velocity().y,
        enable_motor_y motor_speed_y max_motor_force_y,
        enable_spring_y spring_hertz_y spring_damping_ratio_y,
        enable_limit_y lower_y upper_y
    ),
];

/// A square on an axis of a post, in a world without gravity, moving at a speed.
fn placed(axis: &Axis, part: Part, speed: f32) -> (PhysicsWorld, JointId, BodyId) {
    let mut world = world(0.0);
    let post = ground(&mut world);
    let turns = axis.mass != 1.0;
    let is_y = axis.name.ends_with('y');
    let def = BodyDef {
        angular_velocity: if turns { speed } else { 0.0 },
        linear_velocity: match (turns, is_y) {
            (true, _) => Vec2::ZERO,
            (false, true) => Vec2::new(0.0, speed),
            (false, false) => Vec2::new(speed, 0.0),
        },
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let body = square(&mut world, &def, SIDE);
    let id = joint(&mut world, (axis.def)(post, body, part));
    (world, id, body)
}

#[test]
fn motors_reach_their_speed_with_their_strength() {
    for axis in &AXES {
        let (mut world, _, body) = placed(axis, Part::Motor(5.0, 4.0 * axis.mass), 0.0);
        sampled(&mut world, 60, |_| 0.0);
        close((axis.speed)(&world, body), 4.0, 0.01, axis.name);
        sampled(&mut world, 60, |_| 0.0);
        close((axis.speed)(&world, body), 5.0, 0.01, axis.name);
    }
}

#[test]
fn motors_that_push_stall_at_their_force_and_those_that_turn_at_their_torque() {
    type Motor = fn(BodyId, BodyId) -> JointDef;
    let pushing: [Motor; 4] = [
        |a, b| {
            PrismaticDef {
                enable_motor: true,
                motor_speed: 1.0,
                max_motor_force: 8.0,
                ..PrismaticDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
            }
            .into()
        },
        |a, b| {
            DistanceDef {
                enable_motor: true,
                motor_speed: 1.0,
                max_motor_force: 8.0,
                ..DistanceDef::new(a, Vec2::new(-3.0, 0.0), b, Vec2::ZERO)
            }
            .into()
        },
        |a, b| (AXES[2].def)(a, b, Part::Motor(1.0, 8.0)),
        |a, b| {
            tombolo_physics::MoverDef {
                linear_velocity: Vec2::new(1.0, 0.0),
                max_force: Vec2::new(8.0, 0.0),
                ..tombolo_physics::MoverDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
            }
            .into()
        },
    ];
    let turning: [Motor; 3] = [
        |a, b| (AXES[0].def)(a, b, Part::Motor(1.0, 8.0)),
        |a, b| (AXES[1].def)(a, b, Part::Motor(1.0, 8.0)),
        |a, b| {
            WheelDef {
                enable_motor: true,
                motor_speed: 1.0,
                max_motor_torque: 8.0,
                ..WheelDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
            }
            .into()
        },
    ];
    let all = pushing.into_iter().map(|def| (def, false));
    for (def, turns) in all.chain(turning.into_iter().map(|def| (def, true))) {
        for (share, keeps) in [(0.99, true), (1.01, false)] {
            let mut world = world(0.0);
            let post = ground(&mut world);
            let body = square(&mut world, &BodyDef::dynamic(0.0, 0.0), SIDE);
            let def = def(post, body);
            let kind = def.kind();
            joint(&mut world, def);
            sampled(&mut world, 60, |_| 0.0);
            for _ in 0..120 {
                let mut body = world.body_mut(body).unwrap();
                if turns {
                    body.apply_torque(-share * 8.0).unwrap();
                } else {
                    body.apply_force(Vec2::new(-share * 8.0, 0.0)).unwrap();
                }
                world.step(DT).unwrap();
            }
            let view = world.body(body).unwrap();
            let (speed, mass) = if turns {
                (view.angular_velocity(), INERTIA)
            } else {
                (view.linear_velocity().x, 1.0)
            };
            // Two seconds of a hundredth of its strength.
            let wanted = if keeps { 1.0 } else { 1.0 - 2.0 * 0.08 / mass };
            assert!(
                (speed - wanted).abs() < 0.01 * wanted.abs().max(1.0),
                "{kind:?}, {share}: {speed}"
            );
        }
    }
}

#[test]
fn springs_have_their_frequency_and_their_decay() {
    for axis in &AXES {
        for [hertz, ratio] in [[1.0, 0.02], [2.0, 0.1], [3.0, 0.05]] {
            // As far as a third of a meter or a radian.
            let start = 0.3 * hertz * std::f32::consts::TAU;
            let (mut world, id, _) = placed(axis, Part::Spring(hertz, ratio), start);
            let samples = sampled(&mut world, 180, |world| (axis.position)(world, id));
            let (found, damping) = oscillation(&samples[1..]);
            let what = format!("{}, {hertz} Hz, {ratio}", axis.name);
            close(found, hertz * (1.0 - ratio * ratio).sqrt(), 0.02, &what);
            close(damping, ratio, 0.02, &format!("{what}, decay"));
        }
    }
}

#[test]
fn limits_are_overshot_by_less_than_a_hundredth_of_their_range() {
    for axis in &AXES {
        for speed in [1.0, -5.0, 20.0] {
            let (mut world, id, _) = placed(axis, Part::Limit(1.0), speed);
            let mut farthest = 0.0_f32;
            for _ in 0..120 {
                world.step(DT).unwrap();
                farthest = farthest.max((axis.position)(&world, id).abs());
            }
            assert!(
                (0.99..1.02).contains(&farthest),
                "{} at {speed}: {farthest}",
                axis.name
            );
        }
    }
}
