//! Joints of every kind against closed forms: periods, frequencies, decays, speeds, stalls, limits. Forces and
//! thresholds are in `joint_forces.rs`.

use crate::joint_support::{DT, GRAVITY, close, ground, joint, oscillation, sampled, square, world};
use std::f32::consts::{FRAC_PI_2, TAU};
use tombolo_physics::{
    BodyDef, BodyId, DistanceDef, JointDef, JointId, MotorDef, PhysicsWorld, PogoDef, PrismaticDef,
    RevoluteDef, Rot, Shape, ShapeDef, Vec2, WeldDef, WheelDef,
};

fn square_of(x: f32) -> f32 {
    x * x
}

#[test]
fn pendulums_swing_with_their_period() {
    let (length, start) = (1.0_f32, 0.1_f32);
    let side = 0.1;
    for rod in [false, true] {
        let mut world = world(GRAVITY);
        let hook = ground(&mut world);
        let place = Rot::from_angle(start).rotate(Vec2::new(0.0, -length));
        let bob = BodyDef {
            angle: start,
            ..BodyDef::dynamic(place.x, place.y)
        };
        let bob = square(&mut world, &bob, side);
        let up = Vec2::new(0.0, length);
        // A rod to the middle of a body does not turn it.
        let inertia = if rod { 0.0 } else { side * side / 6.0 };
        if rod {
            joint(&mut world, DistanceDef::new(hook, Vec2::ZERO, bob, Vec2::ZERO));
        } else {
            joint(&mut world, RevoluteDef::new(hook, Vec2::ZERO, bob, up));
        }
        let samples = sampled(&mut world, 1200, |world| world.body(bob).unwrap().position().x);
        let period = TAU * ((inertia + length * length) / (GRAVITY * length)).sqrt();
        let period = period * (1.0 + start * start / 16.0);
        close(1.0 / oscillation(&samples).0, period, 0.005, "the period");
    }
}

/// A spring that starts away from rest, and where it is.
type Spring = fn(&mut PhysicsWorld, BodyId, BodyId, [f32; 2]) -> JointId;

const SPRINGS: [(&str, Spring); 6] = [
    ("distance", |world, hook, body, [hertz, ratio]| {
        let def = DistanceDef {
            length: 2.0,
            enable_spring: true,
            spring_hertz: hertz,
            spring_damping_ratio: ratio,
            ..DistanceDef::new(hook, Vec2::new(-2.0, 0.0), body, Vec2::ZERO)
        };
        joint(world, def)
    }),
    ("prismatic", |world, hook, body, [hertz, ratio]| {
        let def = PrismaticDef {
            enable_spring: true,
            spring_hertz: hertz,
            spring_damping_ratio: ratio,
            ..PrismaticDef::new(hook, Vec2::ZERO, body, Vec2::ZERO)
        };
        joint(world, def)
    }),
    ("wheel", |world, hook, body, [hertz, ratio]| {
        let def = WheelDef {
            spring_hertz: hertz,
            spring_damping_ratio: ratio,
            ..WheelDef::new(hook, Vec2::ZERO, body, Vec2::ZERO)
        };
        joint(world, def)
    }),
    ("pogo", |world, hook, body, [hertz, ratio]| {
        let def = PogoDef {
            length: 2.0,
            spring_hertz: hertz,
            spring_damping_ratio: ratio,
            ..PogoDef::new(hook, Vec2::new(-2.0, 0.0), body, Vec2::ZERO)
        };
        joint(world, def)
    }),
    ("weld", |world, hook, body, [hertz, ratio]| {
        let def = WeldDef {
            linear_hertz: hertz,
            linear_damping_ratio: ratio,
            ..WeldDef::new(hook, Vec2::ZERO, body, Vec2::ZERO)
        };
        joint(world, def)
    }),
    ("motor", |world, hook, body, [hertz, ratio]| {
        let def = MotorDef {
            linear_hertz: hertz,
            linear_damping_ratio: ratio,
            max_spring_force: 1.0e6,
            ..MotorDef::new(hook, Vec2::ZERO, body, Vec2::ZERO)
        };
        joint(world, def)
    }),
];

#[test]
fn springs_have_their_frequency_and_their_decay() {
    for (name, spring) in SPRINGS {
        for [hertz, ratio] in [[1.0, 0.02], [2.0, 0.1], [3.0, 0.05]] {
            let mut world = world(0.0);
            let hook = ground(&mut world);
            let body = square(&mut world, &BodyDef::dynamic(0.3, 0.0), 0.2);
            spring(&mut world, hook, body, [hertz, ratio]);
            let samples = sampled(&mut world, 180, |world| world.body(body).unwrap().position().x);
            let (found, damping) = oscillation(&samples);
            let what = format!("{name}, {hertz} Hz, {ratio}");
            close(found, hertz * (1.0 - ratio * ratio).sqrt(), 0.02, &what);
            close(damping, ratio, 0.02, &format!("{what}, decay"));
        }
    }
}

#[test]
fn springs_hang_as_low_as_their_stiffness_says() {
    for (name, spring) in SPRINGS {
        let mut world = world(0.0);
        let hook = ground(&mut world);
        let body = square(&mut world, &BodyDef::dynamic(0.0, 0.0), 0.2);
        spring(&mut world, hook, body, [2.0, 1.0]);
        world.set_gravity(Vec2::new(GRAVITY, 0.0)).unwrap();
        sampled(&mut world, 300, |_| 0.0);
        let sag = world.body(body).unwrap().position().x;
        close(sag, GRAVITY / square_of(TAU * 2.0), 0.01, name);
    }
}

#[test]
fn the_angle_of_a_weld_and_of_a_motor_joint_springs_as_it_should() {
    for name in ["weld", "motor"] {
        let mut world = world(0.0);
        let post = ground(&mut world);
        let turned = BodyDef {
            angle: 0.5,
            ..BodyDef::dynamic(0.0, 0.0)
        };
        let body = square(&mut world, &turned, 0.5);
        let def: JointDef = match name {
            "weld" => WeldDef {
                angular_hertz: 2.0,
                angular_damping_ratio: 0.1,
                ..WeldDef::new(post, Vec2::ZERO, body, Vec2::ZERO)
            }
            .into(),
            _ => MotorDef {
                angular_hertz: 2.0,
                angular_damping_ratio: 0.1,
                max_spring_torque: 1.0e6,
                ..MotorDef::new(post, Vec2::ZERO, body, Vec2::ZERO)
            }
            .into(),
        };
        joint(&mut world, def);
        let samples = sampled(&mut world, 180, |world| {
            world.body(body).unwrap().rotation().angle()
        });
        let (hertz, damping) = oscillation(&samples);
        close(hertz, 2.0 * 0.99_f32.sqrt(), 0.02, &format!("{name}, frequency"));
        close(damping, 0.1, 0.02, &format!("{name}, decay"));
    }
}

/// A kilogram at a height under gravity on a stiff spring that wants it far up: it falls with what the greatest force leaves.
#[test]
fn springs_push_and_pull_with_their_greatest_force_and_no_more() {
    let distance = |length, [lower, upper]: [f32; 2]| {
        move |hook, load| -> JointDef {
            DistanceDef {
                length,
                enable_spring: true,
                spring_hertz: 5.0,
                lower_spring_force: lower,
                upper_spring_force: upper,
                ..DistanceDef::new(hook, Vec2::ZERO, load, Vec2::ZERO)
            }
            .into()
        }
    };
    let motor = |hook, load| -> JointDef {
        MotorDef {
            linear_hertz: 5.0,
            linear_damping_ratio: 0.0,
            max_spring_force: 7.0,
            ..MotorDef::new(hook, Vec2::ZERO, load, Vec2::ZERO)
        }
        .into()
    };
    type Def<'d> = &'d dyn Fn(BodyId, BodyId) -> JointDef;
    let cases: [(&str, f32, Def<'_>, f32); 5] = [
        ("pulled with 7 N", -5.0, &distance(0.5, [-7.0, 1.0e6]), 7.0),
        ("not pulled", -5.0, &distance(0.5, [0.0, 1.0e6]), 0.0),
        ("pushed with 7 N", 15.0, &distance(40.0, [-1.0e6, 7.0]), 7.0),
        ("not pushed", 15.0, &distance(40.0, [-1.0e6, 0.0]), 0.0),
        ("motor joint, 7 N", -5.0, &motor, 7.0),
    ];
    for (what, height, def, force) in cases {
        let mut world = world(GRAVITY);
        let hook = ground(&mut world);
        let load = square(&mut world, &BodyDef::dynamic(0.0, height), 0.5);
        let id = joint(&mut world, def(hook, load));
        sampled(&mut world, 60, |_| 0.0);
        let speed = world.body(load).unwrap().linear_velocity();
        close(speed.y, force - GRAVITY, 0.01, what);
        let pull = world.joint(id).unwrap().force();
        assert!((pull - Vec2::new(0.0, force)).length() < 0.05, "{what}: {pull}");
    }
}

#[test]
fn a_motor_joints_springs_turn_with_their_greatest_torque_and_no_more() {
    let side = 0.5_f32;
    let inertia = side * side / 6.0;
    let mut world = world(0.0);
    let post = ground(&mut world);
    let turned = BodyDef {
        angle: 2.5,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let body = square(&mut world, &turned, side);
    let def = MotorDef {
        angular_hertz: 5.0,
        angular_damping_ratio: 0.0,
        max_spring_torque: 2.0 * inertia,
        ..MotorDef::new(post, Vec2::ZERO, body, Vec2::ZERO)
    };
    let id = joint(&mut world, def);
    // In a second it turns by one of its two and a half radians.
    sampled(&mut world, 60, |_| 0.0);
    let spin = world.body(body).unwrap().angular_velocity();
    close(spin, -2.0, 0.01, "after a second");
    close(
        world.joint(id).unwrap().torque(),
        -2.0 * inertia,
        0.01,
        "its torque",
    );
}

#[test]
fn a_motor_joint_drives_along_its_velocity_with_one_force_for_both_axes() {
    let mut world = world(0.0);
    let plate = ground(&mut world);
    let puck = square(&mut world, &BodyDef::dynamic(0.0, 0.0), 0.2);
    let velocity = Vec2::new(3.0, -4.0);
    let def = MotorDef {
        linear_velocity: velocity,
        max_velocity_force: 4.0,
        ..MotorDef::new(plate, Vec2::ZERO, puck, Vec2::ZERO)
    };
    joint(&mut world, def);
    for (wanted, when) in [
        (4.0, "after a second"),
        (5.0, "after two"),
        (5.0, "and from then on"),
    ] {
        sampled(&mut world, 60, |_| 0.0);
        let got = world.body(puck).unwrap().linear_velocity();
        assert!(
            (got - wanted / 5.0 * velocity).length() < 0.01 * wanted,
            "{when}: {got}"
        );
    }
}

#[test]
fn motors_along_a_line_accelerate_with_their_force_and_reach_their_speed() {
    for sliding in [true, false] {
        let mut world = world(0.0);
        let hook = ground(&mut world);
        let body = square(&mut world, &BodyDef::dynamic(1.0, 0.0), 0.5);
        if sliding {
            let def = PrismaticDef {
                enable_motor: true,
                motor_speed: 4.0,
                max_motor_force: 3.0,
                ..PrismaticDef::new(hook, Vec2::ZERO, body, Vec2::ZERO)
            };
            joint(&mut world, def);
        } else {
            let def = DistanceDef {
                enable_motor: true,
                motor_speed: 4.0,
                max_motor_force: 3.0,
                ..DistanceDef::new(hook, Vec2::ZERO, body, Vec2::ZERO)
            };
            joint(&mut world, def);
        }
        let speed = |world: &PhysicsWorld| world.body(body).unwrap().linear_velocity().x;
        sampled(&mut world, 60, speed);
        close(speed(&world), 3.0, 0.01, "after a second");
        sampled(&mut world, 60, speed);
        close(speed(&world), 4.0, 0.01, "at last");
    }
}

#[test]
fn a_lift_rises_with_more_force_than_its_weight_and_sinks_with_less() {
    for (force, rises) in [(1.01, true), (0.99, false)] {
        let mut world = world(GRAVITY);
        let shaft = ground(&mut world);
        let cabin = square(&mut world, &BodyDef::dynamic(0.0, 0.0), 0.5);
        let def = PrismaticDef {
            local_angle_a: FRAC_PI_2,
            local_angle_b: FRAC_PI_2,
            enable_motor: true,
            motor_speed: 2.0,
            max_motor_force: force * GRAVITY,
            ..PrismaticDef::new(shaft, Vec2::ZERO, cabin, Vec2::ZERO)
        };
        joint(&mut world, def);
        sampled(&mut world, 120, |_| 0.0);
        let height = world.body(cabin).unwrap().position().y;
        let wanted = 0.5 * (force - 1.0) * GRAVITY * 4.0;
        close(height, wanted, 0.02, "how far it came in two seconds");
        assert_eq!(height > 0.0, rises);
    }
}

#[test]
fn turning_motors_reach_their_speed_and_stall_at_their_torque() {
    let side = 0.5_f32;
    let inertia = side * side / 6.0;
    for wheel in [false, true] {
        let mut world = world(0.0);
        let post = ground(&mut world);
        let body = square(&mut world, &BodyDef::dynamic(0.0, 0.0), side);
        let (speed, torque) = (5.0, inertia * 4.0);
        if wheel {
            let def = WheelDef {
                enable_motor: true,
                motor_speed: speed,
                max_motor_torque: torque,
                ..WheelDef::new(post, Vec2::ZERO, body, Vec2::ZERO)
            };
            joint(&mut world, def);
        } else {
            let def = MotorDef {
                angular_velocity: speed,
                max_velocity_torque: torque,
                ..MotorDef::new(post, Vec2::ZERO, body, Vec2::ZERO)
            };
            joint(&mut world, def);
        }
        let spin = |world: &PhysicsWorld| world.body(body).unwrap().angular_velocity();
        sampled(&mut world, 60, spin);
        close(spin(&world), 4.0, 0.01, "after a second");
        sampled(&mut world, 60, spin);
        close(spin(&world), 5.0, 0.01, "at last");
        // Against a torque that is 1 % greater than its own it slows down.
        for _ in 0..60 {
            world
                .body_mut(body)
                .unwrap()
                .apply_torque(-1.01 * torque)
                .unwrap();
            world.step(DT).unwrap();
        }
        close(spin(&world), 5.0 - 0.04, 0.01, "against more than it has");
    }
}

#[test]
fn limits_are_overshot_by_less_than_a_hundredth_of_their_range() {
    let range = 2.0;
    for speed in [1.0, 5.0, 20.0] {
        for kind in 0..3 {
            let mut world = world(0.0);
            let hook = ground(&mut world);
            let body = square(&mut world, &BodyDef::dynamic(0.0, 0.0), 0.5);
            let velocity = Vec2::new(speed, 0.0);
            world
                .body_mut(body)
                .unwrap()
                .set_linear_velocity(velocity)
                .unwrap();
            let def: JointDef = match kind {
                0 => PrismaticDef {
                    enable_limit: true,
                    lower_translation: -1.0,
                    upper_translation: 1.0,
                    ..PrismaticDef::new(hook, Vec2::ZERO, body, Vec2::ZERO)
                }
                .into(),
                1 => WheelDef {
                    enable_spring: false,
                    enable_limit: true,
                    lower_translation: -1.0,
                    upper_translation: 1.0,
                    ..WheelDef::new(hook, Vec2::ZERO, body, Vec2::ZERO)
                }
                .into(),
                _ => DistanceDef {
                    enable_limit: true,
                    min_length: 1.0,
                    max_length: 3.0,
                    ..DistanceDef::new(hook, Vec2::new(-2.0, 0.0), body, Vec2::ZERO)
                }
                .into(),
            };
            let id = joint(&mut world, def);
            let mut farthest = 0.0_f32;
            for _ in 0..120 {
                world.step(DT).unwrap();
                farthest = farthest.max(world.body(body).unwrap().position().x.abs());
                assert!(world.joint(id).unwrap().linear_error() < 0.01 * range);
            }
            assert!(
                (0.99..1.0 + 0.01 * range).contains(&farthest),
                "kind {kind}: {farthest}"
            );
        }
    }
}

#[test]
fn a_rope_goes_taut_without_a_bounce() {
    let mut world = world(GRAVITY);
    let hook = ground(&mut world);
    let load = square(&mut world, &BodyDef::dynamic(0.0, 0.0), 0.2);
    let rope = DistanceDef {
        enable_limit: true,
        max_length: 3.0,
        ..DistanceDef::new(hook, Vec2::ZERO, load, Vec2::ZERO)
    };
    let rope = joint(&mut world, rope);
    let (mut longest, mut up) = (0.0_f32, 0.0_f32);
    for _ in 0..240 {
        world.step(DT).unwrap();
        longest = longest.max(world.joint(rope).unwrap().length());
        up = up.max(world.body(load).unwrap().linear_velocity().y);
    }
    assert!((3.0..3.03).contains(&longest), "as long as {longest} m");
    // It comes with nearly 8 m/s.
    assert!(up < 0.05, "{up} m/s upward");
    close(
        world.joint(rope).unwrap().force().y,
        GRAVITY,
        0.01,
        "the load's weight",
    );
}

#[test]
fn friction_of_a_plate_slows_by_its_force_and_holds() {
    let mut world = world(0.0);
    let plate = ground(&mut world);
    let moving = BodyDef {
        linear_velocity: Vec2::new(1.2, 1.6),
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let puck = square(&mut world, &moving, 0.2);
    let def = MotorDef {
        max_velocity_force: 1.0,
        ..MotorDef::new(plate, Vec2::ZERO, puck, Vec2::ZERO)
    };
    joint(&mut world, def);
    sampled(&mut world, 60, |_| 0.0);
    close(
        world.body(puck).unwrap().linear_velocity().length(),
        1.0,
        0.01,
        "after a second",
    );
    sampled(&mut world, 90, |_| 0.0);
    assert!(world.body(puck).unwrap().linear_velocity().length() < 1.0e-4);
    let path = world.body(puck).unwrap().position().to_vec2();
    close(path.length(), 2.0, 0.01, "the whole way");
}

#[test]
fn what_is_dragged_comes_to_where_the_anchor_goes() {
    let mut world = world(GRAVITY);
    let room = ground(&mut world);
    let thing = square(&mut world, &BodyDef::dynamic(0.0, 0.0), 0.5);
    let def = MotorDef {
        linear_hertz: 5.0,
        max_spring_force: 100.0 * GRAVITY,
        ..MotorDef::new(room, Vec2::ZERO, thing, Vec2::ZERO)
    };
    let drag = joint(&mut world, def);
    let target = Vec2::new(3.0, 2.0);
    world
        .joint_mut(drag)
        .unwrap()
        .set_anchors(target, Vec2::ZERO)
        .unwrap();
    sampled(&mut world, 120, |_| 0.0);
    let sag = Vec2::new(0.0, GRAVITY / square_of(TAU * 5.0));
    let place = world.body(thing).unwrap().position().to_vec2();
    assert!((place - (target - sag)).length() < 0.001, "it is at {place}");
}

/// How deep the end of a cantilever of welded planks of 0.5 by 0.25 m hangs after 1,200 steps.
fn sag_of_a_cantilever(planks: usize) -> f32 {
    let mut world = world(GRAVITY);
    let wall = ground(&mut world);
    let plank = Shape::new_box(0.5, 0.25).unwrap();
    let (mut last, mut anchor) = (wall, Vec2::ZERO);
    for i in 0..planks {
        let def = BodyDef::dynamic(0.25 + 0.5 * i as f32, 0.0);
        let body = world.create_body(&def).unwrap();
        world.create_shape(body, &ShapeDef::default(), &plank).unwrap();
        joint(
            &mut world,
            WeldDef::new(last, anchor, body, Vec2::new(-0.25, 0.0)),
        );
        (last, anchor) = (body, Vec2::new(0.25, 0.0));
    }
    sampled(&mut world, 1200, |_| 0.0);
    -world.body(last).unwrap().position().y
}

/// Box2D's numbers are those of the bench's area `quality`, cases `cantilever`: the same planks, four substeps, welds as they
/// are by default.
#[test]
fn a_cantilever_of_welded_planks_hangs_as_deep_as_box2ds() {
    for (planks, box2d) in [(4, 0.042_313_66), (8, 0.612_069), (16, 6.667_838_6)] {
        let sag = sag_of_a_cantilever(planks);
        close(sag, box2d, 0.01, &format!("{planks} planks"));
    }
}

#[test]
fn a_beam_of_welded_planks_stays_nearly_straight() {
    let mut world = world(GRAVITY);
    let wall = ground(&mut world);
    let (mut last, mut anchor) = (wall, Vec2::ZERO);
    for i in 0..6 {
        let plank = square(&mut world, &BodyDef::dynamic(0.25 + 0.5 * i as f32, 0.0), 0.5);
        joint(
            &mut world,
            WeldDef::new(last, anchor, plank, Vec2::new(-0.25, 0.0)),
        );
        (last, anchor) = (plank, Vec2::new(0.25, 0.0));
    }
    let mut lowest = 0.0_f32;
    for _ in 0..900 {
        world.step(DT).unwrap();
        lowest = lowest.min(world.body(last).unwrap().position().y);
    }
    // Each weld gives way as a spring of 60 Hz does between two planks; the end of three meters swings through the sag of
    // all six.
    assert!(lowest > -0.3, "its end sank to {lowest}");
    let speed = world.body(last).unwrap().linear_velocity().length();
    assert!(speed < 0.02, "it swings with {speed} m/s, at {lowest}");
}

/// Errors of position are removed at the frequency that a joint has for it; at 0 Hz only the velocity is stopped.
#[test]
fn a_joint_of_zero_hertz_stops_velocities_and_leaves_errors() {
    for (hertz, error) in [(60.0, 0.0), (5.0, 0.0), (0.0, 0.5)] {
        let mut world = world(0.0);
        let hook = ground(&mut world);
        let start = BodyDef {
            linear_velocity: Vec2::new(1.0, 0.0),
            ..BodyDef::dynamic(1.5, 0.0)
        };
        let bob = square(&mut world, &start, 0.1);
        let id = joint(
            &mut world,
            DistanceDef {
                length: 1.0,
                constraint_hertz: hertz,
                ..DistanceDef::new(hook, Vec2::ZERO, bob, Vec2::ZERO)
            },
        );
        for _ in 0..240 {
            world.step(DT).unwrap();
        }
        let (got, speed) = (
            world.joint(id).unwrap().linear_error(),
            world.body(bob).unwrap().linear_velocity().length(),
        );
        assert!(
            (got - error).abs() < 0.005 && speed < 1e-3,
            "{hertz} Hz: {got} m, {speed} m/s"
        );
        assert_eq!(world.joint(id).unwrap().stiffness().hertz, hertz);
    }
}
