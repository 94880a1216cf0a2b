//! Springs, limits and motors of revolute joints at every angle: which way round they go, and that they come to rest
//! there.

use std::f32::consts::{PI, TAU};
use tombolo_physics::{
    BodyDef, BodyId, JointId, JointSpring, PhysicsWorld, Pose, RevoluteDef, Shape, ShapeDef, Vec2, WorldDef,
};

const DT: f32 = 1.0 / 60.0;

/// A bar of one meter and one kilogram.
fn bar(world: &mut PhysicsWorld, def: &BodyDef) -> BodyId {
    let body = world.create_body(def).unwrap();
    let shape = Shape::new_box(2.0, 1.0).unwrap();
    let def = ShapeDef {
        density: 2.0,
        ..ShapeDef::default()
    };
    world.create_shape(body, &def, &shape).unwrap();
    body
}

/// A world without gravity in which a bar turns about its middle, on a static post, or on another bar.
fn revolute(on_a_bar: bool, change: impl FnOnce(&mut RevoluteDef)) -> (PhysicsWorld, JointId, BodyId) {
    let mut world = PhysicsWorld::new(&WorldDef {
        gravity: Vec2::ZERO,
        sleeping: false,
        ..WorldDef::default()
    })
    .unwrap();
    let post = if on_a_bar {
        bar(&mut world, &BodyDef::dynamic(0.0, 0.0))
    } else {
        world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap()
    };
    let turning = bar(&mut world, &BodyDef::dynamic(0.0, 0.0));
    let mut def = RevoluteDef::new(post, Vec2::ZERO, turning, Vec2::ZERO);
    change(&mut def);
    let joint = world.create_joint(def).unwrap();
    (world, joint, turning)
}

/// How far two angles are apart, whole turns aside.
fn apart(a: f32, b: f32) -> f32 {
    let turns = (a - b).rem_euclid(TAU);
    turns.min(TAU - turns)
}

#[test]
fn springs_come_to_rest_at_every_target() {
    for on_a_bar in [false, true] {
        for hertz in [0.5, 2.0, 10.0, 60.0] {
            for i in -14..=14 {
                let target = 1.5 * i as f32;
                let (mut world, joint, body) = revolute(on_a_bar, |def| {
                    def.enable_spring = true;
                    def.target_angle = target;
                    def.spring_hertz = hertz;
                    def.spring_damping_ratio = 0.5;
                });
                let mut fastest = 0.0_f32;
                for _ in 0..240 {
                    world.step(DT).unwrap();
                    fastest = fastest.max(world.body(body).unwrap().angular_velocity().abs());
                }
                let angle = world.joint(joint).unwrap().angle();
                assert!(
                    apart(angle, target) < 0.02,
                    "a spring of {hertz} Hz to {target} came to {angle}"
                );
                // What a spring can give a body that starts half a turn away at most.
                assert!(
                    fastest < PI * TAU * hertz,
                    "{fastest} rad/s from a spring of {hertz} Hz"
                );
            }
        }
    }
}

#[test]
fn a_spring_without_damping_swings_about_half_a_turn_and_never_goes_round() {
    let (mut world, joint, body) = revolute(false, |def| {
        def.enable_spring = true;
        def.target_angle = 10.0 - PI;
        def.spring_hertz = 1.0;
    });
    let target = 10.0 - PI - TAU;
    let (mut farthest, mut turned) = (0.0_f32, 0.0_f32);
    for _ in 0..1200 {
        world.step(DT).unwrap();
        turned += DT * world.body(body).unwrap().angular_velocity();
        let angle = world.joint(joint).unwrap().angle();
        farthest = farthest.max(apart(angle, target));
        assert!(turned.abs() < 1.5 * PI, "it went round");
    }
    assert!(farthest <= target.abs() + 0.01, "it swung as far as {farthest}");
}

#[test]
fn a_spring_to_ten_radians_keeps_its_bodies() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let a = bar(&mut world, &BodyDef::dynamic(0.0, 0.0));
    let b = bar(&mut world, &BodyDef::dynamic(1.0, 0.0));
    let mut def = RevoluteDef::new(a, Vec2::new(0.5, 0.0), b, Vec2::new(-0.5, 0.0));
    def.enable_spring = true;
    def.target_angle = 10.0;
    def.spring_hertz = 10.0;
    world.create_joint(def).unwrap();
    for step in 0..600 {
        world.step(DT).unwrap();
        for body in [a, b] {
            let body = world.body(body).unwrap();
            // The two swing against each other by less than half a turn at 10 Hz, and fall.
            let speed = (body.linear_velocity() - world.gravity() * (step + 1) as f32 * DT).length();
            assert!(speed < PI * TAU * 10.0, "{speed} m/s in step {step}");
            assert!(!body.is_frozen());
        }
    }
}

#[test]
fn a_spring_turns_in_the_direction_that_the_limits_leave_open() {
    // From 2.8 to -2.8 the short way leads over half a turn, which the limits close.
    let (mut world, joint, body) = revolute(false, |def| {
        def.enable_limit = true;
        (def.lower_angle, def.upper_angle) = (-3.0, 3.0);
        def.enable_spring = true;
        def.target_angle = 2.8;
        def.spring_hertz = 2.0;
        def.spring_damping_ratio = 1.0;
    });
    world
        .body_mut(body)
        .unwrap()
        .teleport(Pose::new(Vec2::ZERO, 2.8))
        .unwrap();
    for target in [-2.8, 2.8, -2.8 + TAU, 2.8 - 2.0 * TAU] {
        world
            .joint_mut(joint)
            .unwrap()
            .set_spring(Some(JointSpring {
                target,
                hertz: 2.0,
                damping_ratio: 1.0,
            }))
            .unwrap();
        for _ in 0..300 {
            world.step(DT).unwrap();
            assert!(world.joint(joint).unwrap().angle().abs() < 3.05);
        }
        let angle = world.joint(joint).unwrap().angle();
        assert!(apart(angle, target) < 0.01, "{angle} instead of {target}");
    }
}

#[test]
fn a_target_beyond_the_limits_leads_to_the_nearer_one() {
    for (lower, upper, target, expected) in [
        (-1.0, 1.0, 2.0, 1.0),
        (-1.0, 1.0, 4.0, -1.0),
        (-1.0, 1.0, -2.0 - TAU, -1.0),
        (-3.0, 1.0, 3.1, -3.0),
        (2.0, 3.0, -3.0, 3.0),
        (2.0, 3.0, 0.5, 2.0),
    ] {
        let (mut world, joint, body) = revolute(false, |def| {
            def.enable_limit = true;
            (def.lower_angle, def.upper_angle) = (lower, upper);
            def.enable_spring = true;
            def.target_angle = target;
            def.spring_hertz = 1.0;
            def.spring_damping_ratio = 1.0;
        });
        world
            .body_mut(body)
            .unwrap()
            .teleport(Pose::new(Vec2::ZERO, 0.5 * (lower + upper)))
            .unwrap();
        for _ in 0..300 {
            world.step(DT).unwrap();
        }
        let angle = world.joint(joint).unwrap().angle();
        assert!(
            apart(angle, expected) < 0.02,
            "from {lower} to {upper} a spring to {target} came to {angle}"
        );
    }
}

#[test]
fn a_revolute_joint_pushed_beyond_a_limit_near_half_a_turn_comes_back() {
    for (lower, upper) in [(2.6, 3.1), (-3.1, -2.6)] {
        let (mut world, joint, body) = revolute(false, |def| {
            def.enable_limit = true;
            (def.lower_angle, def.upper_angle) = (lower, upper);
        });
        // As far beyond half a turn as a strong push or a game's own hand brings it.
        let beyond = if lower > 0.0 { 3.5 } else { -3.5 };
        world
            .body_mut(body)
            .unwrap()
            .teleport(Pose::new(Vec2::ZERO, beyond))
            .unwrap();
        let mut turned = 0.0;
        for _ in 0..120 {
            world.step(DT).unwrap();
            turned += DT * world.body(body).unwrap().angular_velocity();
            assert!(turned.abs() < 1.0, "it turned by {turned} instead of by 0.4");
        }
        let angle = world.joint(joint).unwrap().angle();
        assert!((lower - 0.02..upper + 0.02).contains(&angle), "{angle}");
    }
}

#[test]
fn whole_turns_of_target_and_reference_do_not_count() {
    let settled = |reference: f32, target: f32| {
        let (mut world, _, body) = revolute(false, |def| {
            def.local_angle_a = reference;
            def.enable_spring = true;
            def.target_angle = target;
            def.spring_hertz = 3.0;
            def.spring_damping_ratio = 1.0;
        });
        for _ in 0..240 {
            world.step(DT).unwrap();
        }
        world.body(body).unwrap().rotation().angle()
    };
    for (reference, target) in [(0.0, 1.0), (1.0, 0.0), (2.0, 2.0), (-3.0, 3.0), (3.0, 3.0)] {
        let plain = settled(reference, target);
        for turns in [1.0, -1.0, 3.0, 100.0] {
            for other in [
                settled(reference + turns * TAU, target),
                settled(reference, target + turns * TAU),
            ] {
                assert!(apart(plain, other) < 1e-3, "{plain} and {other}");
            }
        }
        let angle = reference + target;
        assert!(apart(plain, angle) < 1e-2, "{plain} instead of {angle}");
    }
}
