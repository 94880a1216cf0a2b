//! What can be changed of a body, shape, joint or world after it was made, and what follows from it.

use tombolo_physics::{
    BodyDef, BodyId, BodyKind, BodyMut, JointMotor, JointStiffness, PhysicsError, PhysicsWorld, Pose,
    Position, QueryFilter, RevoluteDef, Rot, Shape, ShapeDef, Vec2, WorldDef,
};

const DT: f32 = 1.0 / 60.0;

/// A floor at height 0, and a box of 1 m that rests on it.
fn box_on_floor() -> (PhysicsWorld, BodyId, BodyId) {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let floor = world.create_body(&BodyDef::fixed(0.0, -1.0)).unwrap();
    let plate = Shape::new_box(100.0, 2.0).unwrap();
    world.create_shape(floor, &ShapeDef::default(), &plate).unwrap();
    let body = world.create_body(&BodyDef::dynamic(0.0, 0.5)).unwrap();
    let cube = Shape::new_box(1.0, 1.0).unwrap();
    world.create_shape(body, &ShapeDef::default(), &cube).unwrap();
    (world, floor, body)
}

fn run(world: &mut PhysicsWorld, steps: usize) {
    for _ in 0..steps {
        world.step(DT).unwrap();
    }
    world.validate();
}

#[test]
fn a_body_changes_its_kind_and_back() {
    let (mut world, _, body) = box_on_floor();
    run(&mut world, 120);
    assert!(!world.body(body).unwrap().is_awake());
    world.body_mut(body).unwrap().set_kind(BodyKind::Static).unwrap();
    let view = world.body(body).unwrap();
    assert_eq!(
        (view.kind(), view.mass(), view.island()),
        (BodyKind::Static, 0.0, None)
    );
    world
        .body_mut(body)
        .unwrap()
        .teleport(Pose::new(Vec2::new(0.0, 5.0), 0.0))
        .unwrap();
    run(&mut world, 30);
    assert_eq!(world.body(body).unwrap().position().y, 5.0, "it hangs in the air");
    world.body_mut(body).unwrap().set_kind(BodyKind::Dynamic).unwrap();
    assert_eq!(world.body(body).unwrap().mass(), 1.0);
    run(&mut world, 180);
    assert!(
        (world.body(body).unwrap().position().y - 0.5).abs() < 0.01,
        "it fell"
    );
    world
        .body_mut(body)
        .unwrap()
        .set_kind(BodyKind::Kinematic)
        .unwrap();
    let velocity = Vec2::new(0.0, 1.0);
    world
        .body_mut(body)
        .unwrap()
        .set_linear_velocity(velocity)
        .unwrap();
    run(&mut world, 60);
    assert!(
        (world.body(body).unwrap().position().y - 1.5).abs() < 0.02,
        "it rises"
    );
    world.destroy_body(body).unwrap();
    assert_eq!(
        world
            .body_mut(body)
            .map(|mut body| body.set_kind(BodyKind::Static)),
        Err(PhysicsError::StaleHandle { what: "body" })
    );
}

#[test]
fn a_disabled_body_changes_its_kind_too() {
    let (mut world, _, body) = box_on_floor();
    world.body_mut(body).unwrap().set_enabled(false);
    world
        .body_mut(body)
        .unwrap()
        .set_kind(BodyKind::Kinematic)
        .unwrap();
    assert!(!world.body(body).unwrap().is_enabled());
    run(&mut world, 2);
    world.body_mut(body).unwrap().set_enabled(true);
    run(&mut world, 2);
    assert_eq!(world.body(body).unwrap().kind(), BodyKind::Kinematic);
}

#[test]
fn fixed_rotation_stops_turning_and_lets_it_begin_again() {
    let (mut world, _, body) = box_on_floor();
    world
        .body_mut(body)
        .unwrap()
        .teleport(Pose::new(Vec2::new(0.0, 9.0), 0.0))
        .unwrap();
    let mut view = world.body_mut(body).unwrap();
    view.set_angular_velocity(3.0).unwrap();
    view.set_fixed_rotation(true);
    view.apply_angular_impulse(1.0).unwrap();
    run(&mut world, 10);
    assert_eq!(world.body(body).unwrap().rotation().angle(), 0.0);
    let mut view = world.body_mut(body).unwrap();
    view.set_fixed_rotation(false);
    view.apply_angular_impulse(1.0).unwrap();
    run(&mut world, 10);
    assert!(world.body(body).unwrap().rotation().angle() > 0.1);
}

#[test]
fn sleep_is_allowed_by_body_and_by_threshold() {
    let (mut world, _, body) = box_on_floor();
    world.body_mut(body).unwrap().set_may_sleep(false);
    run(&mut world, 120);
    assert!(world.body(body).unwrap().is_awake());
    world.body_mut(body).unwrap().set_may_sleep(true);
    run(&mut world, 120);
    assert!(!world.body(body).unwrap().is_awake());
    // A body that slides rests for whoever calls ten meters per second slow.
    let (mut world, _, body) = box_on_floor();
    let mut view = world.body_mut(body).unwrap();
    view.set_linear_velocity(Vec2::new(9.0, 0.0)).unwrap();
    view.set_sleep_threshold(10.0).unwrap();
    assert!(view.set_sleep_threshold(-1.0).is_err());
    run(&mut world, 60);
    let view = world.body(body).unwrap();
    assert!(!view.is_awake() && view.sleep_threshold() == 10.0);
}

#[test]
fn a_running_surface_carries_what_lies_on_it() {
    let (mut world, floor, body) = box_on_floor();
    run(&mut world, 120);
    let belt = world.body(floor).unwrap().shapes().next().unwrap().id();
    world.shape_mut(belt).unwrap().set_surface(0.0, 2.0).unwrap();
    assert_eq!(world.shape(belt).unwrap().tangent_speed(), 2.0);
    run(&mut world, 60);
    assert!(
        world.body(body).unwrap().position().x.abs() > 0.5,
        "the belt runs"
    );
    assert!(
        world
            .shape_mut(belt)
            .and_then(|mut shape| shape.set_surface(-1.0, 0.0))
            .is_err()
    );
    assert!(
        world
            .shape_mut(belt)
            .and_then(|mut shape| shape.set_surface(0.0, f32::NAN))
            .is_err()
    );
}

#[test]
fn a_rolling_ball_stops_when_the_ground_resists() {
    let roll = |resistance: f32| {
        let (mut world, floor, body) = box_on_floor();
        world.destroy_body(body).unwrap();
        let ball = world.create_body(&BodyDef::dynamic(0.0, 0.5)).unwrap();
        let disc = Shape::circle(Vec2::ZERO, 0.5).unwrap();
        world.create_shape(ball, &ShapeDef::default(), &disc).unwrap();
        let shape = world.body(ball).unwrap().shapes().next().unwrap().id();
        world
            .shape_mut(shape)
            .unwrap()
            .set_surface(resistance, 0.0)
            .unwrap();
        let mut view = world.body_mut(ball).unwrap();
        view.set_linear_velocity(Vec2::new(2.0, 0.0)).unwrap();
        view.set_angular_velocity(-4.0).unwrap();
        run(&mut world, 120);
        assert!(world.body(floor).is_some());
        world.body(ball).unwrap().position().x
    };
    assert!(roll(0.2) < 0.7 * roll(0.0), "{} and {}", roll(0.2), roll(0.0));
}

/// The impulse that a resistance had when it ended must not turn the ball any more, whatever other balls the solver has at
/// hand, and in whichever order.
#[test]
fn a_rolling_resistance_that_ends_leaves_no_impulse() {
    let roll = |starts: &[f32], batch_bodies_max: u32| {
        let (mut world, _, body) = box_on_floor();
        world.destroy_body(body).unwrap();
        world.set_batch_bodies_max(batch_bodies_max);
        let resists = ShapeDef {
            rolling_resistance: 0.2,
            ..ShapeDef::default()
        };
        let disc = Shape::circle(Vec2::ZERO, 0.5).unwrap();
        let balls: Vec<BodyId> = starts
            .iter()
            .map(|&x| {
                let ball = BodyDef {
                    linear_velocity: Vec2::new(5.0, 0.0),
                    angular_velocity: -10.0,
                    ..BodyDef::dynamic(x, 0.5)
                };
                let ball = world.create_body(&ball).unwrap();
                world.create_shape(ball, &resists, &disc).unwrap();
                ball
            })
            .collect();
        run(&mut world, 20);
        let shape = world.body(balls[0]).unwrap().shapes().next().unwrap().id();
        world.shape_mut(shape).unwrap().set_surface(0.0, 0.0).unwrap();
        run(&mut world, 1);
        let spin = world.body(balls[0]).unwrap().angular_velocity();
        (spin, world.state_hash())
    };
    let (alone, _) = roll(&[0.0], u32::MAX);
    let results = [0, 1, 16, u32::MAX].map(|most| roll(&[0.0, -30.0], most));
    for (spin, hash) in results {
        assert_eq!((spin, hash), (alone, results[0].1));
    }
}

#[test]
fn a_joint_gets_softer_and_its_motor_changes() {
    let (mut world, floor, body) = box_on_floor();
    world
        .body_mut(body)
        .unwrap()
        .teleport(Pose::new(Vec2::new(0.0, 5.0), 0.0))
        .unwrap();
    let def = RevoluteDef::new(floor, Vec2::new(0.0, 6.5), body, Vec2::new(0.0, 0.5));
    let joint = world.create_joint(def).unwrap();
    assert_eq!(world.joint(joint).unwrap().motor(), None);
    let stretch = |world: &PhysicsWorld| {
        let [a, b] = world.joint(joint).unwrap().anchors();
        (a - b).length()
    };
    run(&mut world, 60);
    let stiff = stretch(&world);
    let mut view = world.joint_mut(joint).unwrap();
    view.set_motor(Some(JointMotor { speed: 1.0, max: 2.0 })).unwrap();
    view.set_stiffness(JointStiffness {
        hertz: 0.5,
        damping_ratio: 1.0,
    })
    .unwrap();
    assert_eq!(
        view.view().stiffness(),
        JointStiffness {
            hertz: 0.5,
            damping_ratio: 1.0
        }
    );
    assert!(
        view.set_stiffness(JointStiffness {
            hertz: -1.0,
            damping_ratio: 1.0
        })
        .is_err()
    );
    run(&mut world, 60);
    assert_eq!(
        world.joint(joint).unwrap().motor(),
        Some(JointMotor { speed: 1.0, max: 2.0 })
    );
    assert!(
        stretch(&world) > stiff + 0.05,
        "{} after {stiff}",
        stretch(&world)
    );
}

#[test]
fn the_worlds_numbers_are_checked_and_matter() {
    let bounce = |threshold: f32| {
        let (mut world, _, body) = box_on_floor();
        world.set_thresholds(threshold, 1.0).unwrap();
        let shape = world.body(body).unwrap().shapes().next().unwrap().id();
        world.shape_mut(shape).unwrap().set_material(0.5, 0.8).unwrap();
        world
            .body_mut(body)
            .unwrap()
            .teleport(Pose::new(Vec2::new(0.0, 2.0), 0.0))
            .unwrap();
        let mut highest = 0.0_f32;
        for step in 0..90 {
            world.step(DT).unwrap();
            if step > 45 {
                highest = highest.max(world.body(body).unwrap().position().y);
            }
        }
        highest
    };
    assert!(bounce(1.0) > 1.0 && bounce(100.0) < 0.6);
    let (mut world, _, body) = box_on_floor();
    world.set_speed_max(2.0).unwrap();
    world
        .body_mut(body)
        .unwrap()
        .teleport(Pose::new(Vec2::new(0.0, 50.0), 0.0))
        .unwrap();
    run(&mut world, 60);
    assert!(world.body(body).unwrap().linear_velocity().length() <= 2.001);
    world.set_contact_softness(20.0, 5.0, 1.0).unwrap();
    run(&mut world, 10);
    assert!(world.set_thresholds(-1.0, 1.0).is_err());
    assert!(world.set_contact_softness(f32::NAN, 5.0, 1.0).is_err());
    assert!(world.set_speed_max(f32::INFINITY).is_err());
}

#[test]
fn a_body_set_from_place_to_place_keeps_its_touch_until_it_is_away() {
    let (mut world, _, body) = box_on_floor();
    let def = BodyDef {
        kind: BodyKind::Kinematic,
        ..BodyDef::dynamic(1.0, 0.5)
    };
    let wall = world.create_body(&def).unwrap();
    let cube = Shape::new_box(1.0, 1.0).unwrap();
    world.create_shape(wall, &ShapeDef::default(), &cube).unwrap();
    run(&mut world, 30);
    let contact = |world: &PhysicsWorld| world.body(wall).unwrap().contacts().map(|c| c.id()).next();
    let (first, before) = (contact(&world), world.body(body).unwrap().position());
    assert!(first.is_some());
    let set = |world: &mut PhysicsWorld, x: f32, y: f32| {
        let pose = Pose::new(Vec2::new(x, y), 0.0);
        world.body_mut(wall).unwrap().set_pose(pose).unwrap();
        world.validate();
        run(world, 1);
        let events = world.events();
        (
            events.begin_touch().len(),
            events.end_touch().len(),
            contact(world),
        )
    };
    for i in 0..90 {
        assert_eq!(
            set(&mut world, 1.0, 0.5 + 0.005 * i as f32),
            (0, 0, first),
            "step {i}"
        );
        assert!(world.body(wall).unwrap().is_awake(), "it moves in step {i}");
    }
    let moved = world
        .body(body)
        .unwrap()
        .position()
        .to_vec2()
        .distance(before.to_vec2());
    assert!(moved < 0.01, "{moved}");
    // Away at once, and back.
    assert_eq!(set(&mut world, 5.0, 0.5), (0, 1, None));
    assert_eq!(set(&mut world, 1.0, 0.5).0, 1);
    // A body in the way is pushed out.
    let (mut world, _, body) = box_on_floor();
    run(&mut world, 120);
    assert!(!world.body(body).unwrap().is_awake());
    let wall = world.create_body(&def).unwrap();
    world.create_shape(wall, &ShapeDef::default(), &cube).unwrap();
    run(&mut world, 2);
    let into = Pose::new(Vec2::new(0.9, 0.5), 0.0);
    world.body_mut(wall).unwrap().set_pose(into).unwrap();
    assert!(world.body(body).unwrap().is_awake(), "what it touches wakes");
    run(&mut world, 120);
    let x = world.body(body).unwrap().position().x;
    assert!((-0.11..-0.08).contains(&x), "{x}");
}

#[test]
fn a_pose_of_a_rotation_not_quite_of_length_one_is_scaled_to_it() {
    let off = Rot {
        cos: 0.6 * 1.000_25,
        sin: 0.8 * 1.000_25,
    };
    let pose = Pose {
        position: Vec2::ZERO,
        rotation: off,
    };
    type Move = fn(&mut BodyMut<'_>, Pose) -> Result<(), PhysicsError>;
    let moves: [Move; 2] = [|body, pose| body.teleport(pose), |body, pose| body.set_pose(pose)];
    for moved in moves {
        let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
        let ground = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
        let post = Shape::box_at(1.0, 1.0, Vec2::new(1000.0, 0.0), 0.0).unwrap();
        world.create_shape(ground, &ShapeDef::default(), &post).unwrap();
        moved(&mut world.body_mut(ground).unwrap(), pose).unwrap();
        let body = world.body(ground).unwrap();
        let Rot { cos, sin } = body.rotation();
        assert!(
            (cos - 0.6).abs() < 1.0e-6 && (sin - 0.8).abs() < 1.0e-6,
            "{cos}, {sin}"
        );
        // Where its box ends the ray meets it: both are the same place.
        let (middle, way) = (body.aabb().unwrap().center(), Vec2::new(600.0, 800.0));
        let hit = world
            .cast_ray(Position::new(0.0, 0.0), 2.0 * way, QueryFilter::default())
            .unwrap()
            .unwrap();
        let gap = (middle - hit.point.to_vec2()).length();
        assert!((gap - 0.5).abs() < 1.0e-3, "it is met {gap} m before its middle");
        // Of unit length but for rounding: its bits stay.
        let exact = Pose::new(Vec2::ONE, 0.3);
        moved(&mut world.body_mut(ground).unwrap(), exact).unwrap();
        assert_eq!(world.body(ground).unwrap().pose(), exact);
    }
}
