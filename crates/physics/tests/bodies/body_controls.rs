//! What only some bodies have: fixed axes, masses of their own, dominance, forces that last, greatest speeds, sleep on
//! demand.

use tombolo_physics::{
    BodyDef, BodyId, BodyKind, MassProperties, PhysicsError, PhysicsWorld, Pose, Position, RevoluteDef,
    Shape, ShapeDef, Vec2, WorldDef,
};

const DT: f32 = 1.0 / 60.0;

fn world() -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef::default()).unwrap()
}

fn without_gravity() -> PhysicsWorld {
    let def = WorldDef {
        gravity: Vec2::ZERO,
        ..WorldDef::default()
    };
    PhysicsWorld::new(&def).unwrap()
}

fn add_box(world: &mut PhysicsWorld, def: &BodyDef, size: Vec2) -> BodyId {
    let body = world.create_body(def).unwrap();
    let shape = Shape::new_box(size.x, size.y).unwrap();
    world.create_shape(body, &ShapeDef::default(), &shape).unwrap();
    body
}

fn add_floor(world: &mut PhysicsWorld) -> BodyId {
    add_box(world, &BodyDef::fixed(0.0, -1.0), Vec2::new(100.0, 2.0))
}

/// Steps, and goes on from a save half way: controls are part of it.
fn run(world: &mut PhysicsWorld, steps: usize) {
    for index in 0..steps {
        world.step(DT).unwrap();
        if index == steps / 2 {
            let hash = world.state_hash();
            world.restore(&world.save()).unwrap();
            assert_eq!(world.state_hash(), hash);
        }
    }
    world.validate();
}

fn place(world: &PhysicsWorld, body: BodyId) -> Vec2 {
    world.body(body).unwrap().position().to_vec2()
}

#[test]
fn a_fixed_axis_is_never_left_and_the_other_one_is_free() {
    for (fixed_x, fixed_y) in [(true, false), (false, true), (true, true)] {
        let mut world = world();
        add_floor(&mut world);
        let def = BodyDef {
            fixed_x,
            fixed_y,
            linear_velocity: Vec2::new(3.0, 1.0),
            angular_velocity: 4.0,
            ..BodyDef::dynamic(0.0, 4.0)
        };
        let body = add_box(&mut world, &def, Vec2::ONE);
        // Something to be hit by, from both sides.
        let pusher = BodyDef {
            linear_velocity: Vec2::new(20.0, 0.0),
            gravity_scale: 0.0,
            ..BodyDef::dynamic(-6.0, 3.8)
        };
        add_box(&mut world, &pusher, Vec2::ONE);
        let weight = BodyDef::dynamic(0.1, 7.0);
        add_box(&mut world, &weight, Vec2::ONE);
        run(&mut world, 120);
        let now = place(&world, body);
        assert_eq!(now.x == 0.0, fixed_x, "{now}");
        assert_eq!(now.y == 4.0, fixed_y, "{now}");
    }
}

#[test]
fn a_body_of_two_fixed_axes_bears_what_a_wall_bears() {
    let mut world = world();
    let def = BodyDef {
        fixed_x: true,
        fixed_y: true,
        fixed_rotation: true,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let shelf = add_box(&mut world, &def, Vec2::new(4.0, 0.2));
    assert_eq!(
        world.body(shelf).unwrap().mass(),
        4.0 * 0.2,
        "its mass stays known"
    );
    let heavy = BodyDef {
        added_mass: 10_000.0,
        ..BodyDef::dynamic(0.0, 1.0)
    };
    let heavy = add_box(&mut world, &heavy, Vec2::ONE);
    run(&mut world, 200);
    assert!(
        (place(&world, heavy).y - 0.6).abs() < 0.01,
        "{}",
        place(&world, heavy)
    );
    assert_eq!(place(&world, shelf), Vec2::ZERO);
    // Let loose, all falls.
    world.body_mut(shelf).unwrap().set_fixed_axes(false, false);
    run(&mut world, 30);
    assert!(place(&world, shelf).y < -0.5);
}

#[test]
fn velocities_along_a_fixed_axis_are_refused_quietly() {
    let mut world = without_gravity();
    let body = add_box(&mut world, &BodyDef::dynamic(0.0, 0.0), Vec2::ONE);
    let mut view = world.body_mut(body).unwrap();
    view.set_linear_velocity(Vec2::new(2.0, 3.0)).unwrap();
    view.set_fixed_axes(true, false);
    assert_eq!(view.view().linear_velocity(), Vec2::new(0.0, 3.0));
    view.set_linear_velocity(Vec2::new(2.0, 1.0)).unwrap();
    view.apply_impulse(Vec2::new(5.0, 1.0)).unwrap();
    assert_eq!(view.view().linear_velocity(), Vec2::new(0.0, 2.0));
    assert_eq!(view.view().fixed_axes(), [true, false]);
    run(&mut world, 60);
    let now = place(&world, body);
    assert!(now.x == 0.0 && (now.y - 2.0).abs() < 1e-4, "{now}");
}

#[test]
fn a_mass_of_its_own_takes_the_place_of_the_shapes() {
    let mut world = without_gravity();
    let own = MassProperties {
        mass: 5.0,
        inertia: 2.0,
        center: Vec2::new(0.25, 0.0),
    };
    let def = BodyDef {
        own_mass: own,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let body = add_box(&mut world, &def, Vec2::ONE);
    let weighs = |world: &PhysicsWorld| {
        let view = world.body(body).unwrap();
        (view.mass(), view.inertia(), view.center_of_mass().to_vec2())
    };
    assert_eq!(weighs(&world), (5.0, 2.0, own.center));
    world.step(DT).unwrap();
    assert_eq!(
        weighs(&world),
        (5.0, 2.0, own.center),
        "also once it is summed up"
    );
    world
        .body_mut(body)
        .unwrap()
        .apply_impulse(Vec2::new(5.0, 0.0))
        .unwrap();
    world.body_mut(body).unwrap().apply_angular_impulse(4.0).unwrap();
    let view = world.body(body).unwrap();
    assert_eq!((view.linear_velocity().x, view.angular_velocity()), (1.0, 2.0));
    // Mass on top grows the inertia alike.
    world.body_mut(body).unwrap().set_added_mass(5.0).unwrap();
    assert_eq!(weighs(&world).0, 10.0);
    assert_eq!(weighs(&world).1, 4.0);
    // Taken back, the shapes count again, with what was added.
    world
        .body_mut(body)
        .unwrap()
        .set_own_mass(MassProperties::default())
        .unwrap();
    assert_eq!((weighs(&world).0, weighs(&world).2), (6.0, place(&world, body)));
    // Others than dynamic bodies have none, but keep it.
    world
        .body_mut(body)
        .unwrap()
        .set_kind(tombolo_physics::BodyKind::Kinematic)
        .unwrap();
    assert_eq!(world.body(body).unwrap().mass(), 0.0);
    world
        .body_mut(body)
        .unwrap()
        .set_kind(tombolo_physics::BodyKind::Dynamic)
        .unwrap();
    assert_eq!(world.body(body).unwrap().mass(), 6.0);
}

/// Shapes of no density and the mass given on the body: it is distributed over the shapes.
#[test]
fn mass_added_to_weightless_shapes_is_the_whole_mass() {
    let mut world = world();
    let light = ShapeDef {
        density: 0.0,
        ..ShapeDef::default()
    };
    let body_of = |world: &mut PhysicsWorld, added_mass: f32, shapes: &[Shape]| {
        let def = BodyDef {
            added_mass,
            ..BodyDef::dynamic(0.0, 0.0)
        };
        let body = world.create_body(&def).unwrap();
        for shape in shapes {
            world.create_shape(body, &light, shape).unwrap();
        }
        let view = world.body(body).unwrap();
        (view.mass(), view.inertia(), view.center_of_mass().to_vec2())
    };
    let square = Shape::box_at(1.0, 1.0, Vec2::new(2.0, 0.0), 0.0).unwrap();
    let (mass, inertia, center) = body_of(&mut world, 3.0, &[square]);
    assert_eq!((mass, center), (3.0, Vec2::new(2.0, 0.0)));
    assert!((inertia - 0.5).abs() < 1e-5, "{inertia}");
    // Two squares of 1.5 kg, each a meter from the middle.
    let other = Shape::box_at(1.0, 1.0, Vec2::ZERO, 0.0).unwrap();
    let (mass, inertia, center) = body_of(&mut world, 3.0, &[square, other]);
    assert_eq!((mass, center), (3.0, Vec2::X));
    assert!((inertia - (2.0 * 0.25 + 3.0)).abs() < 1e-5, "{inertia}");
    // Nothing to distribute it over, and nothing to distribute.
    let line = Shape::segment(Vec2::ZERO, Vec2::X).unwrap();
    for shapes in [&[line][..], &[]] {
        assert_eq!(body_of(&mut world, 3.0, shapes), (3.0, 0.0, Vec2::ZERO));
    }
    assert_eq!(body_of(&mut world, 0.0, &[square]), (1.0, 0.0, Vec2::ZERO));
}

#[test]
fn a_dominant_body_is_not_moved_by_what_it_touches() {
    for (dominance, other, moved) in [
        (1, 0, false),
        (0, 0, true),
        (5, 5, true),
        (0, -3, false),
        (-1, 0, true),
    ] {
        let mut world = without_gravity();
        let def = |x: f32, vx: f32, dominance: i8| BodyDef {
            dominance,
            linear_velocity: Vec2::new(vx, 0.0),
            ..BodyDef::dynamic(x, 0.0)
        };
        let body = add_box(&mut world, &def(0.0, 1.0, dominance), Vec2::ONE);
        let hit = add_box(&mut world, &def(1.5, 0.0, other), Vec2::ONE);
        run(&mut world, 90);
        let speed = world.body(body).unwrap().linear_velocity().x;
        assert_eq!(speed != 1.0, moved, "{dominance} against {other}: {speed}");
        let pushed = world.body(hit).unwrap().linear_velocity().x;
        let gives_way = dominance >= other;
        assert_eq!(pushed > 0.4, gives_way, "{dominance} against {other}: {pushed}");
        assert!(gives_way || pushed == 0.0);
    }
}

#[test]
fn dominance_changes_for_bodies_that_touch_and_never_beats_a_wall() {
    let mut world = world();
    add_floor(&mut world);
    let lower = add_box(&mut world, &BodyDef::dynamic(0.0, 0.5), Vec2::ONE);
    let upper = BodyDef {
        added_mass: 20.0,
        ..BodyDef::dynamic(0.0, 1.5)
    };
    let upper = add_box(&mut world, &upper, Vec2::ONE);
    run(&mut world, 30);
    // Below the floor lies nothing, and the lower box must bear the upper one however heavy: it is not moved by it.
    for body in [lower, upper] {
        world.body_mut(body).unwrap().set_dominance(127).unwrap();
        assert!(world.body(body).unwrap().is_awake());
        run(&mut world, 60);
        assert!((place(&world, lower).y - 0.5).abs() < 0.02, "the floor bears it");
        assert!(
            (place(&world, upper).y - 1.5).abs() < 0.04,
            "{}",
            place(&world, upper)
        );
    }
    assert_eq!(world.body(upper).unwrap().dominance(), 127);
    assert!(world.body_mut(upper).unwrap().set_dominance(-128).is_err());
}

#[test]
fn a_lasting_force_acts_in_every_step_and_others_once() {
    let mut world = without_gravity();
    let body = add_box(&mut world, &BodyDef::dynamic(0.0, 0.0), Vec2::ONE);
    let mut view = world.body_mut(body).unwrap();
    view.set_lasting_force(Vec2::new(6.0, 0.0)).unwrap();
    view.set_lasting_torque(1.0).unwrap();
    view.apply_force(Vec2::new(0.0, 60.0)).unwrap();
    run(&mut world, 60);
    let view = world.body(body).unwrap();
    assert!((view.linear_velocity() - Vec2::new(6.0, 1.0)).length() < 1e-3);
    assert!((view.angular_velocity() - 1.0 / view.inertia()).abs() < 1e-3);
    assert_eq!(
        (view.lasting_force(), view.lasting_torque()),
        (Vec2::new(6.0, 0.0), 1.0)
    );
    world
        .body_mut(body)
        .unwrap()
        .set_lasting_force(Vec2::ZERO)
        .unwrap();
    run(&mut world, 60);
    assert!(
        (world.body(body).unwrap().linear_velocity().x - 6.0).abs() < 1e-3,
        "it ended"
    );
}

#[test]
fn local_forces_and_impulses_turn_with_the_body() {
    let mut world = without_gravity();
    let def = BodyDef {
        angle: core::f32::consts::FRAC_PI_2,
        ..BodyDef::dynamic(3.0, 0.0)
    };
    let body = add_box(&mut world, &def, Vec2::ONE);
    let mut view = world.body_mut(body).unwrap();
    view.apply_local_impulse(Vec2::new(2.0, 0.0)).unwrap();
    assert!((view.view().linear_velocity() - Vec2::new(0.0, 2.0)).length() < 1e-6);
    view.apply_local_impulse_at(Vec2::new(-2.0, 0.0), Vec2::new(0.0, 0.5))
        .unwrap();
    assert!(view.view().linear_velocity().length() < 1e-6);
    let spin = 2.0 * 0.5 / view.view().inertia();
    assert!((view.view().angular_velocity() - spin).abs() < 1e-5);
    view.set_angular_velocity(0.0).unwrap();
    view.apply_local_force(Vec2::new(60.0, 0.0)).unwrap();
    view.apply_local_force_at(Vec2::ZERO, Vec2::X).unwrap();
    run(&mut world, 1);
    assert!((world.body(body).unwrap().linear_velocity() - Vec2::new(0.0, 1.0)).length() < 1e-5);
}

#[test]
fn own_limits_hold_also_against_what_pushes() {
    let mut world = world();
    let def = BodyDef {
        speed_max: 2.0,
        spin_max: 1.0,
        linear_velocity: Vec2::new(50.0, 0.0),
        angular_velocity: -9.0,
        ..BodyDef::dynamic(0.0, 10.0)
    };
    let body = add_box(&mut world, &def, Vec2::ONE);
    let hammer = BodyDef {
        linear_velocity: Vec2::new(0.0, -100.0),
        bullet: true,
        ..BodyDef::dynamic(0.4, 30.0)
    };
    add_box(&mut world, &hammer, Vec2::ONE);
    for _ in 0..60 {
        let before = world.body(body).unwrap().pose();
        world.step(DT).unwrap();
        let after = world.body(body).unwrap().pose();
        let way = (after.position - before.position).length();
        assert!(way <= 2.0 * DT * 1.001, "moved {way} m");
        let turn = before.rotation.to(after.rotation).angle().abs();
        assert!(turn <= DT * 1.01, "turned {turn} rad");
    }
    world.body_mut(body).unwrap().set_speed_limits(0.0, 0.0).unwrap();
    let before = world.body(body).unwrap().pose();
    run(&mut world, 30);
    assert_eq!(world.body(body).unwrap().pose(), before, "held where it is");
}

#[test]
fn sleep_comes_at_once_for_the_whole_island_and_what_came_apart_stays_awake() {
    let mut world = world();
    add_floor(&mut world);
    let stack = [0.5, 1.5, 2.5].map(|y| add_box(&mut world, &BodyDef::dynamic(0.0, y), Vec2::ONE));
    let far = add_box(&mut world, &BodyDef::dynamic(20.0, 5.0), Vec2::ONE);
    let joint = RevoluteDef::new(stack[2], Vec2::ZERO, far, Vec2::new(-20.0, 0.0));
    let joint = world.create_joint(joint).unwrap();
    run(&mut world, 3);
    world.destroy_joint(joint).unwrap();
    assert!(world.body_mut(stack[0]).unwrap().sleep());
    for body in stack {
        let view = world.body(body).unwrap();
        assert!(!view.is_awake() && view.linear_velocity() == Vec2::ZERO);
    }
    assert!(world.body(far).unwrap().is_awake());
    world.validate();
    let resting = stack.map(|body| place(&world, body));
    run(&mut world, 20);
    assert_eq!(stack.map(|body| place(&world, body)), resting);
    world.body_mut(stack[2]).unwrap().wake();
    assert!(world.body(stack[0]).unwrap().is_awake(), "the island woke");
    // Refused where something must stay awake.
    world.body_mut(stack[1]).unwrap().set_may_sleep(false);
    run(&mut world, 2);
    assert!(!world.body_mut(stack[0]).unwrap().sleep());
    world.body_mut(stack[1]).unwrap().set_may_sleep(true);
    world.set_sleeping_enabled(false);
    assert!(!world.body_mut(stack[0]).unwrap().sleep());
    assert!(world.body(stack[0]).unwrap().is_awake());
}

#[test]
fn a_floor_wakes_what_lies_on_it() {
    let mut world = world();
    let floor = add_floor(&mut world);
    let body = add_box(&mut world, &BodyDef::dynamic(0.0, 0.5), Vec2::ONE);
    let other = add_box(&mut world, &BodyDef::dynamic(0.0, 30.0), Vec2::ONE);
    run(&mut world, 5);
    assert!(world.body_mut(body).unwrap().sleep() && world.body_mut(other).unwrap().sleep());
    world.body_mut(floor).unwrap().wake();
    assert!(!world.body(body).unwrap().is_awake());
    world.body_mut(floor).unwrap().wake_touching();
    assert!(world.body(body).unwrap().is_awake());
    assert!(!world.body(other).unwrap().is_awake());
}

#[test]
fn contacts_of_a_body_without_recycling_are_computed_in_each_step() {
    let mut world = world();
    let floor = add_floor(&mut world);
    let def = BodyDef {
        allow_sleep: false,
        ..BodyDef::dynamic(0.0, 0.5)
    };
    let body = add_box(&mut world, &def, Vec2::ONE);
    run(&mut world, 10);
    world.step(DT).unwrap();
    assert_eq!(world.counters().recycled_contacts, 1);
    let steps = |world: &mut PhysicsWorld| (0..2).for_each(|_| world.step(DT).unwrap());
    for of in [body, floor] {
        world.body_mut(of).unwrap().set_contact_recycling(false);
        assert!(!world.body(of).unwrap().has_contact_recycling());
        steps(&mut world);
        assert_eq!(world.counters().recycled_contacts, 0);
        world.body_mut(of).unwrap().set_contact_recycling(true);
        steps(&mut world);
        assert_eq!(world.counters().recycled_contacts, 1);
        run(&mut world, 2);
    }
}

#[test]
fn pieces_of_a_cut_weigh_what_they_are_and_keep_what_holds_them() {
    let mut world = without_gravity();
    let def = BodyDef {
        own_mass: MassProperties {
            mass: 100.0,
            inertia: 1.0,
            center: Vec2::new(3.0, 0.0),
        },
        fixed_y: true,
        speed_max: 7.0,
        dominance: 3,
        extra_substeps: 5,
        contact_recycling: false,
        linear_velocity: Vec2::new(2.0, 0.0),
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let body = add_box(&mut world, &def, Vec2::new(2.0, 1.0));
    world.body_mut(body).unwrap().set_lasting_force(Vec2::X).unwrap();
    let cut = world
        .slice(body, Position::new(0.0, -2.0), Position::new(0.0, 2.0))
        .unwrap()
        .expect("it goes through");
    for piece in [cut.body, cut.pieces[0]] {
        let view = world.body(piece).unwrap();
        assert!((view.mass() - 1.0).abs() < 1e-5, "{}", view.mass());
        assert_eq!((view.fixed_axes(), view.speed_max()), ([false, true], 7.0));
        assert_eq!((view.dominance(), view.has_contact_recycling()), (3, false));
        assert_eq!(view.extra_substeps(), 5);
        assert!(
            (view.lasting_force() - 0.5 * Vec2::X).length() < 1e-6,
            "a half each"
        );
    }
    run(&mut world, 10);
}

#[test]
fn numbers_out_of_range_are_refused_by_name() {
    let mut world = world();
    let named = |result: Result<(), PhysicsError>, name: &str| match result {
        Err(PhysicsError::InvalidNumber { what, .. }) => assert!(what.contains(name), "{what}"),
        other => panic!("{name}: {other:?}"),
    };
    let own = |mass: f32, inertia: f32| MassProperties {
        mass,
        inertia,
        center: Vec2::ZERO,
    };
    let good = BodyDef::dynamic(0.0, 0.0);
    for (def, name) in [
        (
            BodyDef {
                speed_max: -1.0,
                ..good.clone()
            },
            "speed_max",
        ),
        (
            BodyDef {
                spin_max: f32::NAN,
                ..good.clone()
            },
            "spin_max",
        ),
        (
            BodyDef {
                added_mass: 1.0e-7,
                ..good.clone()
            },
            "added_mass",
        ),
        (
            BodyDef {
                dominance: -128,
                ..good.clone()
            },
            "dominance",
        ),
        (
            BodyDef {
                extra_substeps: 65,
                ..good.clone()
            },
            "extra_substeps",
        ),
        (
            BodyDef {
                own_mass: own(-1.0, 0.0),
                ..good.clone()
            },
            "own_mass",
        ),
        (
            BodyDef {
                own_mass: own(1.0, f32::INFINITY),
                ..good.clone()
            },
            "own_mass",
        ),
    ] {
        named(world.create_body(&def).map(drop), name);
    }
    let body = world.create_body(&good).unwrap();
    let before = world.state_hash();
    let mut view = world.body_mut(body).unwrap();
    named(view.set_speed_limits(1.0, -1.0), "spin_max");
    named(view.set_own_mass(own(1.0e25, 0.0)), "own_mass");
    named(view.set_added_mass(-0.5), "added_mass");
    named(view.set_extra_substeps(65), "extra_substeps");
    named(view.set_lasting_force(Vec2::new(f32::NAN, 0.0)), "lasting_force");
    named(view.set_lasting_torque(f32::INFINITY), "lasting_torque");
    named(view.apply_local_force(Vec2::splat(2.0e30)), "force");
    named(
        view.apply_local_impulse_at(Vec2::X, Vec2::splat(f32::NAN)),
        "point",
    );
    assert_eq!(world.state_hash(), before);
}

#[test]
fn no_body_is_faster_after_a_step_than_its_own_limits() {
    let mut world = without_gravity();
    let slow = BodyDef {
        speed_max: 2.0,
        spin_max: 1.0,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let slow = add_box(&mut world, &slow, Vec2::ONE);
    let rod = BodyDef {
        linear_velocity: Vec2::new(10.0, 0.0),
        ..BodyDef::dynamic(-3.0, 0.4)
    };
    add_box(&mut world, &rod, Vec2::new(2.0, 0.3));
    let mut fastest = 0.0_f32;
    for _ in 0..60 {
        world.step(DT).unwrap();
        let body = world.body(slow).unwrap();
        let (speed, spin) = (body.linear_velocity().length(), body.angular_velocity().abs());
        assert!(speed < 2.000_1 && spin <= 1.0, "{speed} m/s, {spin} rad/s");
        fastest = fastest.max(speed);
    }
    assert!(fastest > 0.1, "it was hit");
}

/// Forces of the next step stay when a body is moved in between, whichever call comes first.
#[test]
fn a_teleport_keeps_the_forces_of_the_frame() {
    let there = Pose::new(Vec2::new(5.0, 0.0), 0.0);
    let push = |world: &mut PhysicsWorld, body: BodyId| {
        let mut body = world.body_mut(body).unwrap();
        body.apply_force(Vec2::new(60.0, 0.0)).unwrap();
        body.apply_torque(1.0).unwrap();
    };
    let mut velocities = Vec::new();
    for order in 0..3 {
        let mut world = without_gravity();
        let body = add_box(&mut world, &BodyDef::dynamic(0.0, 0.0), Vec2::ONE);
        if order < 2 {
            push(&mut world, body);
        }
        let mut moved = world.body_mut(body).unwrap();
        match order {
            0 => moved.teleport(there).unwrap(),
            1 => moved.set_pose(there).unwrap(),
            _ => {
                moved.teleport(there).unwrap();
                push(&mut world, body);
            }
        }
        world.step(DT).unwrap();
        let body = world.body(body).unwrap();
        velocities.push((body.linear_velocity(), body.angular_velocity()));
    }
    assert!((velocities[0].0.x - 1.0).abs() < 1e-3, "{velocities:?}");
    assert!(velocities[0].1 > 0.05, "{velocities:?}");
    assert!(
        velocities.iter().all(|other| *other == velocities[0]),
        "{velocities:?}"
    );
}

#[test]
fn a_force_does_not_outlive_a_change_to_a_kind_that_forces_do_not_move() {
    let mut world = without_gravity();
    let body = add_box(&mut world, &BodyDef::dynamic(0.0, 0.0), Vec2::ONE);
    let mut pushed = world.body_mut(body).unwrap();
    pushed.apply_force(Vec2::new(60.0, 0.0)).unwrap();
    pushed.set_kind(BodyKind::Static).unwrap();
    pushed.set_kind(BodyKind::Dynamic).unwrap();
    world.step(DT).unwrap();
    assert_eq!(world.body(body).unwrap().linear_velocity(), Vec2::ZERO);
}

#[test]
fn no_dynamic_body_is_faster_after_a_step_than_the_world_allows() {
    let mut world = PhysicsWorld::new(&WorldDef {
        gravity: Vec2::ZERO,
        speed_max: 10.0,
        ..WorldDef::default()
    })
    .unwrap();
    let bat = BodyDef {
        linear_velocity: Vec2::new(30.0, 0.0),
        ..BodyDef::kinematic(-1.2, 0.0)
    };
    let bat = add_box(&mut world, &bat, Vec2::ONE);
    let ball = add_box(&mut world, &BodyDef::dynamic(0.0, 0.0), Vec2::ONE);
    let mut fastest = 0.0_f32;
    for _ in 0..30 {
        run(&mut world, 1);
        let speed = |body| world.body(body).unwrap().linear_velocity().length();
        fastest = fastest.max(speed(ball));
        assert_eq!(speed(bat), 30.0, "of kinematic bodies the caller decides");
    }
    assert!((9.99..10.001).contains(&fastest), "{fastest} m/s");
}
