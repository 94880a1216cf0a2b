//! Machines of several joints against closed forms: slides on slopes, and cars that climb what friction allows and no more.

use crate::joint_support::{DT, GRAVITY, close, ground, joint, sampled, square, world};
use std::f32::consts::FRAC_PI_2;
use tombolo_physics::{BodyDef, GenericDef, JointDef, PrismaticDef, Rot, Shape, ShapeDef, Vec2, WheelDef};

#[test]
fn a_slide_on_a_slope_accelerates_by_the_share_of_gravity_along_it() {
    for slope in [-1.2_f32, -0.5, 0.1, 0.8, FRAC_PI_2] {
        for generic in [false, true] {
            let mut world = world(GRAVITY);
            let rail = ground(&mut world);
            let start = BodyDef {
                angle: slope,
                ..BodyDef::dynamic(0.0, 0.0)
            };
            let body = square(&mut world, &start, 0.5);
            let slide: JointDef = if generic {
                GenericDef {
                    local_angle_a: slope,
                    lock_y: true,
                    lock_angle: true,
                    ..GenericDef::new(rail, Vec2::ZERO, body, Vec2::ZERO)
                }
                .into()
            } else {
                PrismaticDef {
                    local_angle_a: slope,
                    ..PrismaticDef::new(rail, Vec2::ZERO, body, Vec2::ZERO)
                }
                .into()
            };
            let id = joint(&mut world, slide);
            sampled(&mut world, 60, |_| 0.0);
            let along = Rot::from_angle(slope).rotate(Vec2::X);
            let speed = world.body(body).unwrap().linear_velocity().dot(along);
            close(
                speed,
                -GRAVITY * libm::sinf(slope),
                0.01,
                "the speed after a second",
            );
            let view = world.joint(id).unwrap();
            assert!(view.linear_error() < 1.0e-3 && view.angular_error() < 1.0e-3);
            // What the rail bears is the rest of the weight.
            let borne = view.force().dot(Rot::from_angle(slope).rotate(Vec2::Y));
            assert!(
                (borne - GRAVITY * libm::cosf(slope)).abs() < 0.01 * GRAVITY,
                "{borne} N"
            );
        }
    }
}

/// How far up a slope a car of two driven wheels gets in some seconds.
fn climbed(slope: f32, friction: f32) -> f32 {
    let mut world = world(0.0);
    // Gravity is turned instead of the road.
    world
        .set_gravity(Rot::from_angle(-slope).rotate(Vec2::new(0.0, -GRAVITY)))
        .unwrap();
    let road = ground(&mut world);
    let surface = ShapeDef {
        friction,
        ..ShapeDef::default()
    };
    let slab = Shape::box_at(400.0, 2.0, Vec2::new(0.0, -1.0), 0.0).unwrap();
    world.create_shape(road, &surface, &slab).unwrap();
    let chassis = world.create_body(&BodyDef::dynamic(0.0, 0.7)).unwrap();
    let hull = Shape::new_box(2.0, 0.3).unwrap();
    world.create_shape(chassis, &ShapeDef::default(), &hull).unwrap();
    for side in [-0.9, 0.9] {
        let wheel = world.create_body(&BodyDef::dynamic(side, 0.3)).unwrap();
        let tire = Shape::circle(Vec2::ZERO, 0.3).unwrap();
        world.create_shape(wheel, &surface, &tire).unwrap();
        let axle = WheelDef {
            local_angle_a: FRAC_PI_2,
            spring_hertz: 5.0,
            enable_motor: true,
            motor_speed: -10.0,
            max_motor_torque: 100.0,
            ..WheelDef::new(chassis, Vec2::new(side, -0.4), wheel, Vec2::ZERO)
        };
        joint(&mut world, axle);
    }
    // It settles and finds its grip first.
    sampled(&mut world, 60, |_| 0.0);
    let before = world.body(chassis).unwrap().position().x;
    for _ in 0..240 {
        world.step(DT).unwrap();
    }
    world.body(chassis).unwrap().position().x - before
}

#[test]
fn a_car_climbs_what_friction_allows_and_no_more() {
    for friction in [0.3_f32, 0.6] {
        let steepest = libm::atanf(friction);
        let easy = climbed(0.95 * steepest, friction);
        assert!(easy > 1.0, "friction {friction}: it climbs {easy} m");
        let steep = climbed(1.05 * steepest, friction);
        assert!(
            steep < -1.0,
            "friction {friction}: it slides down, not up by {steep} m"
        );
    }
}
