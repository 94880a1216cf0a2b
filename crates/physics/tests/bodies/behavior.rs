//! What bodies do, held to numbers that are known from paper: rest, stacks, friction, bouncing, momentum, revolute
//! joints.

use tombolo_physics::{
    BodyDef, BodyId, BodyKind, JointId, JointMotor, PhysicsWorld, Pose, Position, RevoluteDef, Shape,
    ShapeDef, Vec2, WorldDef,
};

const DT: f32 = 1.0 / 60.0;

fn world() -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef::default()).unwrap()
}

fn weightless() -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef {
        gravity: Vec2::ZERO,
        ..Default::default()
    })
    .unwrap()
}

fn run(world: &mut PhysicsWorld, steps: usize) {
    for _ in 0..steps {
        world.step(DT).unwrap();
        world.validate();
    }
}

fn add(world: &mut PhysicsWorld, def: &BodyDef, shape_def: &ShapeDef, shape: &Shape) -> BodyId {
    let body = world.create_body(def).unwrap();
    world.create_shape(body, shape_def, shape).unwrap();
    body
}

fn ground(world: &mut PhysicsWorld) -> BodyId {
    let shape = Shape::new_box(100.0, 2.0).unwrap();
    add(world, &BodyDef::fixed(0.0, -1.0), &ShapeDef::default(), &shape)
}

fn boxed(world: &mut PhysicsWorld, x: f32, y: f32, half: f32) -> BodyId {
    add(
        world,
        &BodyDef::dynamic(x, y),
        &ShapeDef::default(),
        &Shape::new_box(2.0 * half, 2.0 * half).unwrap(),
    )
}

fn place(world: &PhysicsWorld, body: BodyId) -> Position {
    world.body(body).unwrap().position()
}

#[test]
fn a_dropped_box_comes_to_rest_where_it_should() {
    let mut world = world();
    ground(&mut world);
    let body = boxed(&mut world, 0.0, 4.0, 1.0);
    run(&mut world, 90);
    let view = world.body(body).unwrap();
    assert!(
        (view.position().y - 1.0).abs() < 0.01,
        "height {}",
        view.position().y
    );
    assert!(view.position().x.abs() < 0.01, "sideways {}", view.position().x);
    assert!(
        view.rotation().angle().abs() < 0.01,
        "turned {}",
        view.rotation().angle()
    );
}

#[test]
fn free_fall_follows_the_formula() {
    let mut world = world();
    let body = boxed(&mut world, 0.0, 100.0, 0.5);
    run(&mut world, 60);
    // Semi-implicit Euler with substeps of h falls g t (t + h) / 2.
    let h = DT / 4.0;
    let expected = 100.0 - 10.0 * 1.0 * (1.0 + h) / 2.0;
    assert!(
        (place(&world, body).y - expected).abs() < 1.0e-3,
        "{} for {expected}",
        place(&world, body).y
    );
}

#[test]
fn every_shape_rests_on_the_ground() {
    let shapes = [
        (Shape::circle(Vec2::ZERO, 0.5).unwrap(), 0.5),
        (
            Shape::capsule(Vec2::new(-0.5, 0.0), Vec2::new(0.5, 0.0), 0.25).unwrap(),
            0.25,
        ),
        (Shape::new_box(1.0, 0.6).unwrap(), 0.3),
        (Shape::rounded_box(1.0, 0.6, 0.1).unwrap(), 0.4),
        (
            Shape::polygon(
                &[Vec2::new(-0.5, 0.0), Vec2::new(0.5, 0.0), Vec2::new(0.0, 0.8)],
                0.0,
            )
            .unwrap(),
            0.0,
        ),
    ];
    for (shape, height) in shapes {
        let mut world = world();
        ground(&mut world);
        let def = BodyDef::dynamic(0.0, 1.5);
        let body = add(&mut world, &def, &ShapeDef::default(), &shape);
        run(&mut world, 240);
        let y = place(&world, body).y;
        assert!(
            (y - height).abs() < 0.01,
            "{:?} rests at {y}, expected {height}",
            shape.kind()
        );
        assert!(!world.body(body).unwrap().is_awake(), "{:?} sleeps", shape.kind());
    }
}

#[test]
fn a_body_rests_on_a_segment_from_both_sides() {
    let mut world = world();
    let segment = Shape::segment(Vec2::new(-10.0, 0.0), Vec2::new(10.0, 0.0)).unwrap();
    add(
        &mut world,
        &BodyDef::fixed(0.0, 0.0),
        &ShapeDef::default(),
        &segment,
    );
    let body = boxed(&mut world, 0.0, 0.55, 0.5);
    run(&mut world, 120);
    assert!((place(&world, body).y - 0.5).abs() < 0.01);
    world.set_gravity(Vec2::new(0.0, 10.0)).unwrap();
    let hanging = boxed(&mut world, 5.0, -0.55, 0.5);
    run(&mut world, 120);
    assert!(
        (place(&world, hanging).y + 0.5).abs() < 0.01,
        "{}",
        place(&world, hanging).y
    );
}

#[test]
fn a_stack_of_ten_boxes_stays() {
    let mut world = world();
    ground(&mut world);
    let boxes: Vec<BodyId> = (0..10)
        .map(|i| boxed(&mut world, 0.0, 0.5 + i as f32, 0.5))
        .collect();
    run(&mut world, 600);
    for (i, &body) in boxes.iter().enumerate() {
        let at = place(&world, body);
        assert!(
            at.x.abs() < 0.05 && (at.y - (0.5 + i as f32)).abs() < 0.05,
            "box {i} at {at:?}"
        );
        assert!(!world.body(body).unwrap().is_awake(), "box {i} sleeps");
    }
}

/// How far a box slides in three seconds down a slope, with friction `friction`.
fn slide(angle: f32, friction: f32) -> f32 {
    let mut world = world();
    let def = ShapeDef {
        friction,
        ..Default::default()
    };
    let slope = Shape::box_at(100.0, 1.0, Vec2::ZERO, angle).unwrap();
    add(&mut world, &BodyDef::fixed(0.0, 0.0), &def, &slope);
    let (sin, cos) = libm::sincosf(angle);
    let start = Position::new(-sin * 1.0, cos * 1.0);
    let body = BodyDef {
        kind: BodyKind::Dynamic,
        position: start,
        angle,
        ..Default::default()
    };
    let body = add(&mut world, &body, &def, &Shape::new_box(1.0, 1.0).unwrap());
    run(&mut world, 180);
    (place(&world, body) - start).length()
}

#[test]
fn friction_holds_below_its_angle_and_slides_above() {
    let limit = libm::atanf(0.6);
    assert!(slide(limit - 0.05, 0.6) < 0.02, "holds");
    let angle = limit + 0.1;
    let moved = slide(angle, 0.6);
    let expected = 0.5 * 10.0 * (libm::sinf(angle) - 0.6 * libm::cosf(angle)) * 9.0;
    assert!(
        (moved - expected).abs() < 0.15 * expected,
        "slid {moved}, expected {expected}"
    );
}

#[test]
fn restitution_returns_the_expected_height() {
    for restitution in [0.0_f32, 0.5, 0.9] {
        let mut world = world();
        ground(&mut world);
        let def = ShapeDef {
            restitution,
            ..Default::default()
        };
        let ball = Shape::circle(Vec2::ZERO, 0.5).unwrap();
        let body = add(&mut world, &BodyDef::dynamic(0.0, 5.5), &def, &ball);
        let mut highest = 0.0_f32;
        let mut hit = false;
        for _ in 0..200 {
            world.step(DT).unwrap();
            let view = world.body(body).unwrap();
            hit |= view.linear_velocity().y >= 0.0;
            if hit && view.linear_velocity().y <= 0.0 {
                break;
            }
            if hit {
                highest = highest.max(view.position().y - 0.5);
            }
        }
        let expected = 5.0 * restitution * restitution;
        assert!(
            (highest - expected).abs() < 0.35,
            "restitution {restitution}: {highest}, expected {expected}"
        );
    }
}

#[test]
fn collisions_keep_momentum_and_do_not_add_energy() {
    let mut world = weightless();
    let def = ShapeDef {
        restitution: 1.0,
        friction: 0.0,
        ..Default::default()
    };
    let mut bodies = Vec::new();
    for i in 0..25 {
        let (x, y) = ((i % 5) as f32 * 1.3, (i / 5) as f32 * 1.3);
        let mut body = BodyDef::dynamic(x, y);
        body.linear_velocity = Vec2::new((i * 7 % 11) as f32 - 5.0, (i * 5 % 13) as f32 - 6.0);
        body.allow_sleep = false;
        bodies.push(add(
            &mut world,
            &body,
            &def,
            &Shape::circle(Vec2::ZERO, 0.5).unwrap(),
        ));
    }
    let totals = |world: &PhysicsWorld| {
        bodies
            .iter()
            .fold((Vec2::ZERO, 0.0), |(momentum, energy), &body| {
                let view = world.body(body).unwrap();
                let v = view.linear_velocity();
                let spin = view.inertia() * view.angular_velocity() * view.angular_velocity();
                (
                    momentum + view.mass() * v,
                    energy + 0.5 * (view.mass() * v.length_squared() + spin),
                )
            })
    };
    let (momentum, energy) = totals(&world);
    run(&mut world, 300);
    let (momentum_after, energy_after) = totals(&world);
    assert!(
        (momentum_after - momentum).length() < 1.0e-3 * energy,
        "{momentum} became {momentum_after}"
    );
    assert!(
        energy_after < 1.02 * energy,
        "energy {energy} became {energy_after}"
    );
    assert!(
        energy_after > 0.5 * energy,
        "elastic bodies keep moving: {energy} became {energy_after}"
    );
}

fn revolute_motor(world: &mut PhysicsWorld, change: impl FnOnce(&mut RevoluteDef)) -> (JointId, BodyId) {
    let post = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let arm = BodyDef {
        allow_sleep: false,
        ..BodyDef::dynamic(1.0, 0.0)
    };
    let arm = add(
        world,
        &arm,
        &ShapeDef::default(),
        &Shape::new_box(2.0, 0.2).unwrap(),
    );
    let mut def = RevoluteDef::new(post, Vec2::ZERO, arm, Vec2::new(-1.0, 0.0));
    change(&mut def);
    (world.create_joint(def).unwrap(), arm)
}

#[test]
fn a_revolute_joint_holds_its_point_and_its_limits() {
    let mut world = world();
    let (joint, _) = revolute_motor(&mut world, |def| {
        (def.enable_limit, def.lower_angle, def.upper_angle) = (true, -0.5, 0.25);
    });
    for _ in 0..300 {
        run(&mut world, 1);
        let view = world.joint(joint).unwrap();
        let [a, b] = view.anchors();
        assert!((b - a).length() < 0.01, "the point parts by {}", (b - a).length());
        assert!(
            view.angle() > -0.52 && view.angle() < 0.27,
            "angle {}",
            view.angle()
        );
    }
    assert!(
        (world.joint(joint).unwrap().angle() + 0.5).abs() < 0.01,
        "rests on the lower limit"
    );
}

#[test]
fn a_motor_reaches_its_speed_and_keeps_to_its_torque() {
    let mut world = weightless();
    let (strong, arm) = revolute_motor(&mut world, |def| {
        (def.enable_motor, def.motor_speed, def.max_motor_torque) = (true, 2.0, 1000.0);
    });
    run(&mut world, 60);
    assert!((world.body(arm).unwrap().angular_velocity() - 2.0).abs() < 1.0e-3);
    world
        .joint_mut(strong)
        .unwrap()
        .set_motor(Some(JointMotor {
            speed: -2.0,
            max: 0.1,
        }))
        .unwrap();
    let before = world.body(arm).unwrap().angular_velocity();
    run(&mut world, 60);
    let view = world.body(arm).unwrap();
    let about_revolute = view.inertia() + view.mass();
    let expected = before - 0.1 / about_revolute;
    assert!(
        (view.angular_velocity() - expected).abs() < 0.01 * before,
        "{} {expected}",
        view.angular_velocity()
    );
}

#[test]
fn a_spring_pulls_to_its_target() {
    let mut world = weightless();
    let (joint, _) = revolute_motor(&mut world, |def| {
        (def.enable_spring, def.spring_hertz, def.spring_damping_ratio) = (true, 2.0, 1.0);
        def.target_angle = 0.7;
    });
    run(&mut world, 240);
    assert!((world.joint(joint).unwrap().angle() - 0.7).abs() < 0.01);
}

#[test]
fn a_chain_of_revolute_joints_holds_together() {
    let mut world = world();
    let mut previous = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let mut anchor = Vec2::ZERO;
    let mut joints = Vec::new();
    for i in 0..20 {
        let link = BodyDef::dynamic(0.5 + i as f32, 0.0);
        let link = add(
            &mut world,
            &link,
            &ShapeDef::default(),
            &Shape::new_box(0.9, 0.2).unwrap(),
        );
        let def = RevoluteDef::new(previous, anchor, link, Vec2::new(-0.5, 0.0));
        joints.push(world.create_joint(def).unwrap());
        (previous, anchor) = (link, Vec2::new(0.5, 0.0));
    }
    run(&mut world, 600);
    for joint in joints {
        let [a, b] = world.joint(joint).unwrap().anchors();
        assert!((b - a).length() < 0.05, "a link parts by {}", (b - a).length());
    }
}

#[test]
fn a_kinematic_body_reaches_its_target_and_carries_what_lies_on_it() {
    let mut world = world();
    let lift = BodyDef::kinematic(0.0, 0.0);
    let lift = add(
        &mut world,
        &lift,
        &ShapeDef::default(),
        &Shape::new_box(4.0, 0.5).unwrap(),
    );
    let load = boxed(&mut world, 0.0, 0.76, 0.5);
    run(&mut world, 120);
    assert!(!world.body(load).unwrap().is_awake(), "the load rests");
    for i in 1..=120 {
        let target = Position::new(0.0, i as f32 * 0.02);
        world.body_mut(lift).unwrap().set_target(target, 0.0, DT).unwrap();
        run(&mut world, 1);
        assert!((place(&world, lift) - target).length() < 1.0e-5);
    }
    assert!(
        (place(&world, load).y - (2.4 + 0.75)).abs() < 0.02,
        "load at {}",
        place(&world, load).y
    );
}

#[test]
fn forces_last_one_step_and_impulses_act_at_once() {
    let mut world = weightless();
    let body = boxed(&mut world, 0.0, 0.0, 0.5);
    let mass = world.body(body).unwrap().mass();
    world
        .body_mut(body)
        .unwrap()
        .apply_force(Vec2::new(6.0 * mass, 0.0))
        .unwrap();
    run(&mut world, 1);
    assert!((world.body(body).unwrap().linear_velocity().x - 0.1).abs() < 1.0e-5);
    run(&mut world, 1);
    assert!(
        (world.body(body).unwrap().linear_velocity().x - 0.1).abs() < 1.0e-5,
        "cleared"
    );
    world
        .body_mut(body)
        .unwrap()
        .apply_impulse(Vec2::new(0.0, mass))
        .unwrap();
    assert_eq!(world.body(body).unwrap().linear_velocity().y, 1.0);
}

#[test]
fn damping_and_gravity_scale_do_what_they_say() {
    let mut world = world();
    let floating = boxed(&mut world, 0.0, 0.0, 0.5);
    world.body_mut(floating).unwrap().set_gravity_scale(0.0).unwrap();
    world
        .body_mut(floating)
        .unwrap()
        .set_linear_velocity(Vec2::X)
        .unwrap();
    world.body_mut(floating).unwrap().set_damping(1.0, 0.0).unwrap();
    run(&mut world, 60);
    let speed = world.body(floating).unwrap().linear_velocity().x;
    assert!(
        (speed - libm::expf(-1.0)).abs() < 0.01,
        "after a second at 1/s: {speed}"
    );
    assert_eq!(place(&world, floating).y, 0.0);
}

#[test]
fn a_conveyor_moves_what_lies_on_it_and_rolling_resistance_stops_a_ball() {
    let mut world = world();
    let belt = ShapeDef {
        tangent_speed: 2.0,
        ..Default::default()
    };
    let shape = Shape::new_box(100.0, 2.0).unwrap();
    add(&mut world, &BodyDef::fixed(0.0, -1.0), &belt, &shape);
    let body = boxed(&mut world, 0.0, 0.5, 0.5);
    run(&mut world, 120);
    assert!((world.body(body).unwrap().linear_velocity().x.abs() - 2.0).abs() < 0.05);

    let mut world = self::world();
    ground(&mut world);
    let def = ShapeDef {
        rolling_resistance: 0.2,
        ..Default::default()
    };
    let ball = BodyDef {
        linear_velocity: Vec2::new(3.0, 0.0),
        ..BodyDef::dynamic(0.0, 0.5)
    };
    let ball = add(&mut world, &ball, &def, &Shape::circle(Vec2::ZERO, 0.5).unwrap());
    run(&mut world, 300);
    assert!(
        world.body(ball).unwrap().linear_velocity().x.abs() < 0.01,
        "it stopped"
    );
}

#[test]
fn a_body_that_leaves_the_world_is_frozen_and_reported() {
    let mut world = world();
    ground(&mut world);
    let bad = boxed(&mut world, 0.0, 0.5, 0.5);
    let good = boxed(&mut world, 0.0, 1.5, 0.5);
    run(&mut world, 30);
    // So fast that the next step leads out of the world.
    world
        .body_mut(bad)
        .unwrap()
        .teleport(Pose::new(Vec2::new(99_999.0, 0.0), 0.0))
        .unwrap();
    let before = place(&world, bad);
    world
        .body_mut(bad)
        .unwrap()
        .apply_impulse(Vec2::new(1.0e30, 1.0e30))
        .unwrap();
    run(&mut world, 1);
    assert_eq!(world.events().frozen().len(), 1);
    assert_eq!(world.events().frozen()[0].body, bad);
    let view = world.body(bad).unwrap();
    assert!(view.is_frozen() && !view.is_enabled());
    assert_eq!(view.position(), before);
    run(&mut world, 120);
    assert!(place(&world, good).y.is_finite());
    world.body_mut(bad).unwrap().set_enabled(true);
    run(&mut world, 60);
    assert!(!world.body(bad).unwrap().is_frozen());
}

#[test]
fn bad_calls_are_refused_and_change_nothing() {
    let mut world = world();
    let body = boxed(&mut world, 0.0, 0.0, 0.5);
    let hash = world.state_hash();
    let bad = BodyDef {
        position: Position::new(f32::NAN, 0.0),
        ..Default::default()
    };
    assert_eq!(
        world.create_body(&bad).unwrap_err().to_string(),
        "position is NaN, expected a number from -100000 to 100000"
    );
    let heavy = ShapeDef {
        density: -1.0,
        ..Default::default()
    };
    let shape = Shape::new_box(2.0, 2.0).unwrap();
    assert_eq!(
        world.create_shape(body, &heavy, &shape).unwrap_err().to_string(),
        "density is -1, expected 0, or a finite number from 0.000001 up"
    );
    let endless = ShapeDef {
        density: 3.0e38,
        ..Default::default()
    };
    assert!(
        world.create_shape(body, &endless, &shape).is_err(),
        "a mass that is no number"
    );
    let own = RevoluteDef::new(body, Vec2::ZERO, body, Vec2::ZERO);
    assert_eq!(
        world.create_joint(own).unwrap_err().to_string(),
        "the two bodies cannot be joined: a joint needs two different bodies"
    );
    for dt in [-1.0, f32::NAN, 2.0] {
        assert!(world.step(dt).is_err());
    }
    assert!(world.set_substeps(0).is_err() && world.set_substeps(65).is_err());
    assert_eq!(world.state_hash(), hash);
    world.destroy_body(body).unwrap();
    assert_eq!(
        world.destroy_body(body).unwrap_err().to_string(),
        "the body does not exist: it was destroyed, or never was in this world"
    );
}

/// A weight that hangs still on a revolute joint below `anchor`, asleep.
fn hanging(world: &mut PhysicsWorld, anchor: &BodyDef) -> (BodyId, BodyId) {
    let anchor = world.create_body(anchor).unwrap();
    let weight = boxed(world, 0.0, -1.0, 0.25);
    let def = RevoluteDef::new(anchor, Vec2::ZERO, weight, Vec2::new(0.0, 1.0));
    world.create_joint(def).unwrap();
    run(world, 120);
    assert!(!world.body(weight).unwrap().is_awake(), "it hangs still");
    (anchor, weight)
}

#[test]
fn a_shape_wakes_what_it_is_added_to_but_not_what_is_being_built_asleep() {
    let mut world = world();
    ground(&mut world);
    let half = Shape::new_box(1.0, 1.0).unwrap();
    let body = boxed(&mut world, 0.0, 0.5, 0.5);
    run(&mut world, 120);
    assert!(!world.body(body).unwrap().is_awake());
    let arm = Shape::box_at(4.0, 0.5, Vec2::new(2.5, 0.25), 0.0).unwrap();
    world.create_shape(body, &ShapeDef::default(), &arm).unwrap();
    assert!(world.body(body).unwrap().is_awake());
    run(&mut world, 60);
    assert!(
        world.body(body).unwrap().rotation().angle() < -0.05,
        "it tips over its new arm"
    );

    let asleep = BodyDef {
        awake: false,
        ..BodyDef::dynamic(0.0, 20.0)
    };
    let asleep = world.create_body(&asleep).unwrap();
    for shape in [&half, &arm] {
        world.create_shape(asleep, &ShapeDef::default(), shape).unwrap();
        assert!(!world.body(asleep).unwrap().is_awake());
    }
}

#[test]
fn a_body_that_hung_on_a_destroyed_anchor_falls() {
    let mut world = world();
    let (anchor, weight) = hanging(&mut world, &BodyDef::fixed(0.0, 0.0));
    world.destroy_body(anchor).unwrap();
    run(&mut world, 60);
    assert!(place(&world, weight).y < -4.0, "{:?}", place(&world, weight));
}

#[test]
fn what_hangs_on_a_slowly_moving_carrier_goes_with_it() {
    let mut world = world();
    let (anchor, weight) = hanging(&mut world, &BodyDef::kinematic(0.0, 0.0));
    world
        .body_mut(anchor)
        .unwrap()
        .set_linear_velocity(Vec2::new(0.03, 0.0))
        .unwrap();
    run(&mut world, 600);
    let apart = place(&world, weight).x - place(&world, anchor).x;
    assert!(apart.abs() < 0.05, "{apart}");
}

#[test]
fn a_slope_that_turns_slippery_lets_go_of_what_slept_on_it() {
    let mut world = world();
    let slope = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let concave_polygon = Shape::box_at(100.0, 1.0, Vec2::ZERO, 0.3).unwrap();
    let slope = world
        .create_shape(slope, &ShapeDef::default(), &concave_polygon)
        .unwrap();
    let (sin, cos) = libm::sincosf(0.3);
    let def = BodyDef {
        angle: 0.3,
        ..BodyDef::dynamic(-sin, cos)
    };
    let body = add(
        &mut world,
        &def,
        &ShapeDef::default(),
        &Shape::new_box(1.0, 1.0).unwrap(),
    );
    run(&mut world, 120);
    assert!(!world.body(body).unwrap().is_awake(), "friction holds");
    let before = place(&world, body);
    world.shape_mut(slope).unwrap().set_material(0.0, 0.0).unwrap();
    run(&mut world, 60);
    assert!((place(&world, body) - before).length() > 1.0, "it slides");
}

#[test]
fn a_kinematic_body_turns_to_its_target() {
    let mut world = world();
    let body = BodyDef::kinematic(0.0, 0.0);
    let body = add(
        &mut world,
        &body,
        &ShapeDef::default(),
        &Shape::new_box(4.0, 0.5).unwrap(),
    );
    for wanted in [0.5, 1.5, -0.5] {
        world
            .body_mut(body)
            .unwrap()
            .set_target(Position::ORIGIN, wanted, DT)
            .unwrap();
        run(&mut world, 1);
        let angle = world.body(body).unwrap().rotation().angle();
        assert!((angle - wanted).abs() < 1.0e-4, "{angle} for {wanted}");
    }
}

/// Reading the clock is a tenth of the step of a world of one body.
#[test]
fn steps_are_timed_only_when_a_profile_is_asked_for() {
    let mut world = world();
    ground(&mut world);
    boxed(&mut world, 0.0, 2.0, 0.5);
    let spent = |world: &PhysicsWorld| -> f64 {
        let profile = world.profile();
        let stages =
            tombolo_physics::Stage::ALL.map(|stage| profile.seconds(stage) + profile.serial_seconds(stage));
        profile.step_s + stages.iter().sum::<f64>()
    };
    run(&mut world, 30);
    assert!(!world.is_profiling());
    assert_eq!(spent(&world), 0.0);
    let (save, mut other) = (world.save(), world.clone());
    world.set_profiling(true);
    run(&mut world, 30);
    assert!(spent(&world) > 0.0);
    run(&mut other, 30);
    assert_eq!(world.state_hash(), other.state_hash());
    world.restore(&save).unwrap();
    assert!(world.is_profiling(), "as asked for, whatever the save is of");
}

#[test]
fn constraints_and_colors_are_counted() {
    let mut world = world();
    ground(&mut world);
    let boxes = [-2.0, 2.0].map(|x| boxed(&mut world, x, 0.5, 0.5));
    run(&mut world, 1);
    let counters = world.counters();
    assert_eq!(
        (counters.constraints, counters.colors),
        (2, 1),
        "two contacts with the ground"
    );
    let _ = world.destroy_body(boxes[0]);
    let _ = world.destroy_body(boxes[1]);
    run(&mut world, 1);
    let counters = world.counters();
    assert_eq!((counters.constraints, counters.colors), (0, 0));
}
