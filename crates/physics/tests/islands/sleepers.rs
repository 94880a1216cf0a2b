//! What sleeps: it is woken by what is about to touch it and by what held it, does not sleep on what moves, and is silent.

use crate::feature_support::{DT, add, place, plain, run, weightless, world};
use tombolo_physics::{
    ANY_MATERIAL, BodyDef, BodyId, BodyMut, ContactRule, DistanceDef, Filter, FilterDef, JointDef,
    MassProperties, MotorDef, PhysicsWorld, Pose, PrismaticDef, RevoluteDef, Shape, ShapeDef, ShapeId, Vec2,
    WeldDef, WorldDef,
};

fn unit() -> Shape {
    Shape::new_box(1.0, 1.0).unwrap()
}

fn floor(w: &mut PhysicsWorld) {
    let plate = Shape::new_box(9.0, 1.0).unwrap();
    plain(w, &BodyDef::fixed(0.0, -0.5), &plate);
}

fn shape_of(w: &PhysicsWorld, body: BodyId) -> ShapeId {
    w.body(body).unwrap().shapes().next().unwrap().id()
}

fn is_awake(w: &PhysicsWorld, body: BodyId) -> bool {
    w.body(body).unwrap().is_awake()
}

/// A lift that moves upward.
fn lift(w: &mut PhysicsWorld) -> BodyId {
    let def = BodyDef {
        linear_velocity: Vec2::new(0.0, 1.0),
        ..BodyDef::kinematic(0.0, -0.5)
    };
    plain(w, &def, &Shape::new_box(9.0, 1.0).unwrap())
}

#[test]
fn what_lies_on_a_moving_lift_is_not_put_to_sleep() {
    let mut w = world(&WorldDef::default());
    let lift = lift(&mut w);
    let load = plain(&mut w, &BodyDef::dynamic(0.0, 0.5), &unit());
    let upper = plain(&mut w, &BodyDef::dynamic(0.0, 1.5), &unit());
    run(&mut w, 60);
    let before = place(&w, load).y;
    assert!(!w.body_mut(load).unwrap().sleep());
    assert!(!w.body_mut(upper).unwrap().sleep(), "it is of the same island");
    run(&mut w, 30);
    assert!(place(&w, load).y > before + 0.4, "it is carried");
    w.body_mut(lift).unwrap().set_linear_velocity(Vec2::ZERO).unwrap();
    assert!(w.body_mut(load).unwrap().sleep(), "the lift stands");
    assert!(!is_awake(&w, load) && !is_awake(&w, upper));
}

#[test]
fn what_is_joined_to_a_moving_lift_is_not_put_to_sleep() {
    let mut w = world(&weightless());
    let lift = lift(&mut w);
    let load = plain(&mut w, &BodyDef::dynamic(0.0, 3.0), &unit());
    w.create_joint(WeldDef::new(lift, Vec2::new(0.0, 3.5), load, Vec2::ZERO))
        .unwrap();
    run(&mut w, 10);
    assert!(!w.body_mut(load).unwrap().sleep());
    run(&mut w, 60);
    assert!(place(&w, load).y > 4.0, "it is carried");
}

#[test]
fn a_sleeping_crate_reports_no_forces() {
    let mut w = world(&WorldDef::default());
    let table = BodyDef {
        allow_sleep: false,
        ..BodyDef::kinematic(0.0, -0.5)
    };
    plain(&mut w, &table, &Shape::new_box(9.0, 1.0).unwrap());
    let asking = ShapeDef {
        force_threshold: 1.0,
        ..ShapeDef::default()
    };
    let body = add(&mut w, &BodyDef::dynamic(0.0, 0.5), &asking, &unit());
    run(&mut w, 10);
    assert_eq!(w.events().force().len(), 1, "it is reported while it is awake");
    run(&mut w, 230);
    assert!(!is_awake(&w, body));
    assert_eq!(w.events().force(), []);
}

#[test]
fn two_that_a_filter_let_overlap_part_when_it_goes() {
    for removed in [true, false] {
        let mut w = world(&WorldDef::default());
        floor(&mut w);
        let [a, b] = [0.0, 0.2].map(|x| plain(&mut w, &BodyDef::dynamic(x, 0.5), &unit()));
        let filter = w.create_joint(FilterDef::new(a, b)).unwrap();
        run(&mut w, 120);
        assert!(!is_awake(&w, a) && !is_awake(&w, b));
        if !removed {
            continue;
        }
        w.destroy_joint(filter).unwrap();
        assert!(is_awake(&w, a) && is_awake(&w, b));
        run(&mut w, 240);
        assert!((place(&w, a).x - place(&w, b).x).abs() > 0.9, "they parted");
    }
}

/// A box that sleeps, half in a gate that does not stop it yet.
fn sleeper_in_gate(gate: &ShapeDef, shape: &Shape) -> (PhysicsWorld, ShapeId, BodyId) {
    let mut w = world(&WorldDef::default());
    floor(&mut w);
    let gate = add(&mut w, &BodyDef::fixed(0.9, 0.5), gate, shape);
    let sleeper = plain(&mut w, &BodyDef::dynamic(0.0, 0.5), &unit());
    // Far away, and not concerned.
    plain(&mut w, &BodyDef::dynamic(-4.0, 0.5), &unit());
    run(&mut w, 120);
    assert!(w.bodies().all(|body| !body.is_awake()));
    let gate = shape_of(&w, gate);
    (w, gate, sleeper)
}

/// After a change of the gate the sleeper touches it, and only the sleeper woke.
fn touches(mut w: PhysicsWorld, sleeper: BodyId, what: &str) {
    w.step(DT).unwrap();
    let begun = w.events().begin_touch().len();
    assert_eq!(begun, 1, "{what}");
    assert!(is_awake(&w, sleeper), "{what}");
    assert_eq!(w.bodies().filter(|body| body.is_awake()).count(), 1, "{what}");
}

#[test]
fn a_gate_that_closes_on_a_sleeper_touches_it() {
    let sensor = ShapeDef {
        sensor: true,
        ..ShapeDef::default()
    };
    let (mut w, gate, sleeper) = sleeper_in_gate(&sensor, &unit());
    w.shape_mut(gate).unwrap().set_sensor(false);
    touches(w, sleeper, "a sensor that became solid");

    let open = ShapeDef {
        filter: Filter {
            mask: 0,
            ..Filter::default()
        },
        ..ShapeDef::default()
    };
    let (mut w, gate, sleeper) = sleeper_in_gate(&open, &unit());
    w.shape_mut(gate).unwrap().set_filter(Filter::default());
    touches(w, sleeper, "another filter");

    let small = Shape::circle(Vec2::ZERO, 0.1).unwrap();
    let (mut w, gate, sleeper) = sleeper_in_gate(&ShapeDef::default(), &small);
    w.shape_mut(gate).unwrap().set_geometry(&unit()).unwrap();
    touches(w, sleeper, "another geometry");
}

#[test]
fn a_sleeper_in_ground_that_rules_no_longer_ignore_touches_it() {
    let ghost = ShapeDef {
        material: 7,
        ..ShapeDef::default()
    };
    let mut w = world(&WorldDef::default());
    let ignored = ContactRule {
        ignore: true,
        ..ContactRule::default()
    };
    w.set_contact_rule(7, ANY_MATERIAL, ignored).unwrap();
    floor(&mut w);
    add(&mut w, &BodyDef::fixed(0.9, 0.5), &ghost, &unit());
    let sleeper = plain(&mut w, &BodyDef::dynamic(0.0, 0.5), &unit());
    run(&mut w, 120);
    assert!(!is_awake(&w, sleeper));
    assert!(w.remove_contact_rule(7, ANY_MATERIAL).is_some());
    touches(w, sleeper, "a rule that is gone");
}

#[test]
fn what_may_not_sleep_is_created_awake() {
    for sleeping in [true, false] {
        let mut w = world(&WorldDef {
            sleeping,
            ..WorldDef::default()
        });
        let def = BodyDef {
            awake: false,
            allow_sleep: !sleeping,
            ..BodyDef::dynamic(0.0, 9.0)
        };
        let body = plain(&mut w, &def, &unit());
        assert!(is_awake(&w, body));
        run(&mut w, 60);
        assert!(place(&w, body).y < 6.0);
    }
}

#[test]
fn a_joint_to_a_disabled_body_that_has_a_velocity_lets_a_load_sleep() {
    let mut w = world(&weightless());
    let lift = BodyDef {
        linear_velocity: Vec2::Y,
        enabled: false,
        ..BodyDef::kinematic(0.0, 0.0)
    };
    let lift = w.create_body(&lift).unwrap();
    let load = plain(&mut w, &BodyDef::dynamic(0.0, 1.0), &unit());
    w.create_joint(WeldDef::new(lift, Vec2::ZERO, load, Vec2::ZERO))
        .unwrap();
    assert!(w.body_mut(load).unwrap().sleep());
    w.body_mut(lift).unwrap().set_enabled(true);
    w.body_mut(load).unwrap().wake();
    assert!(!w.body_mut(load).unwrap().sleep(), "now it is carried");
}

#[test]
fn a_joint_that_takes_a_sleeper_s_support_away_wakes_it() {
    let joints: [fn(BodyId, BodyId) -> JointDef; 2] = [
        |a, b| FilterDef::new(a, b).into(),
        |a, b| {
            let rope = DistanceDef::new(a, Vec2::ZERO, b, Vec2::ZERO);
            DistanceDef {
                enable_spring: true,
                spring_hertz: 0.0,
                ..rope
            }
            .into()
        },
    ];
    for joint in joints {
        for upside_down in [false, true] {
            let mut w = world(&WorldDef::default());
            let plate = Shape::new_box(9.0, 1.0).unwrap();
            let floor = plain(&mut w, &BodyDef::fixed(0.0, -0.5), &plate);
            let lower = plain(&mut w, &BodyDef::dynamic(0.0, 0.5), &unit());
            let upper = plain(&mut w, &BodyDef::dynamic(0.0, 1.5), &unit());
            run(&mut w, 120);
            assert!(!is_awake(&w, lower) && !is_awake(&w, upper));
            let def = if upside_down {
                joint(lower, floor)
            } else {
                joint(floor, lower)
            };
            w.create_joint(def).unwrap();
            assert!(is_awake(&w, lower) && is_awake(&w, upper));
            run(&mut w, 60);
            assert!(place(&w, lower).y < 0.0, "{}", place(&w, lower).y);
        }
    }
}

#[test]
fn a_joint_that_ends_no_touch_wakes_nobody() {
    let mut w = world(&WorldDef::default());
    floor(&mut w);
    let [near, far] = [0.0, 3.0].map(|x| plain(&mut w, &BodyDef::dynamic(x, 0.5), &unit()));
    run(&mut w, 120);
    w.create_joint(FilterDef::new(near, far)).unwrap();
    w.create_joint(WeldDef::new(near, Vec2::new(1.5, 0.0), far, Vec2::new(-1.5, 0.0)))
        .unwrap();
    assert!(!is_awake(&w, near) && !is_awake(&w, far));
}

/// A call that puts a body at a pose.
type PutThere = fn(&mut BodyMut<'_>, Pose);

/// A gate that stands elsewhere or nowhere, and is then put on a sleeper.
#[test]
fn a_gate_that_is_put_on_a_sleeper_touches_it() {
    let there = Pose::new(Vec2::new(0.9, 0.5), 0.0);
    let elsewhere = Pose::new(Vec2::new(20.0, 0.5), 0.0);
    let ways: [(&str, PutThere); 3] = [
        ("teleport", |gate, pose| gate.teleport(pose).unwrap()),
        ("set_pose", |gate, pose| gate.set_pose(pose).unwrap()),
        ("set_enabled", |gate, _| gate.set_enabled(true)),
    ];
    for (name, put) in ways {
        let enabled = name != "set_enabled";
        let mut w = world(&WorldDef::default());
        floor(&mut w);
        let gate = BodyDef {
            enabled,
            position: if enabled { elsewhere } else { there }.position.into(),
            ..BodyDef::default()
        };
        let gate = plain(&mut w, &gate, &unit());
        let sleeper = plain(&mut w, &BodyDef::dynamic(0.0, 0.5), &unit());
        plain(&mut w, &BodyDef::dynamic(-4.0, 0.5), &unit());
        run(&mut w, 120);
        assert!(w.bodies().all(|body| !body.is_awake()));
        put(&mut w.body_mut(gate).unwrap(), there);
        touches(w, sleeper, name);
    }
}

/// A body of a mass of its own and without shapes: its turning counts, though no part of it moves.
#[test]
fn a_flywheel_without_shapes_goes_on_turning() {
    let mut w = world(&weightless());
    let own_mass = MassProperties {
        mass: 1.0,
        inertia: 1.0,
        center: Vec2::ZERO,
    };
    let wheel = w
        .create_body(&BodyDef {
            own_mass,
            angular_velocity: 2.0,
            ..BodyDef::dynamic(0.0, 0.0)
        })
        .unwrap();
    let [pushed, still] = [9.0, 18.0].map(|x| {
        let def = BodyDef {
            own_mass,
            ..BodyDef::dynamic(x, 0.0)
        };
        w.create_body(&def).unwrap()
    });
    for _ in 0..90 {
        w.body_mut(pushed).unwrap().apply_torque(1.5).unwrap();
        run(&mut w, 1);
    }
    assert_eq!(w.body(wheel).unwrap().angular_velocity(), 2.0);
    let speed = w.body(pushed).unwrap().angular_velocity();
    assert!((speed - 1.5 * 1.5).abs() < 0.01, "{speed} rad/s");
    assert!(!is_awake(&w, still), "what stands still sleeps");
}

fn speed(w: &PhysicsWorld, body: BodyId) -> Vec2 {
    w.body(body).unwrap().linear_velocity()
}

#[test]
fn small_pushes_in_every_step_add_up() {
    type Push = fn(&mut BodyMut<'_>);
    let pushes: [(&str, Push); 4] = [
        ("force", |body| body.apply_force(Vec2::new(0.08, 0.0)).unwrap()),
        ("force at a point", |body| {
            let center = body.view().position();
            body.apply_force_at(Vec2::new(0.08, 0.0), center).unwrap();
        }),
        ("impulse", |body| {
            body.apply_impulse(Vec2::new(0.08 * DT, 0.0)).unwrap()
        }),
        ("velocity", |body| {
            let velocity = body.view().linear_velocity();
            body.set_linear_velocity(velocity + Vec2::new(0.08 * DT, 0.0))
                .unwrap();
        }),
    ];
    for (what, push) in pushes {
        let mut w = world(&weightless());
        let body = plain(&mut w, &BodyDef::dynamic(0.0, 0.0), &unit());
        for _ in 0..240 {
            push(&mut w.body_mut(body).unwrap());
            run(&mut w, 1);
        }
        assert!(
            (speed(&w, body).x - 0.32).abs() < 1.0e-3,
            "{what}: {}",
            speed(&w, body)
        );
        w.body_mut(body).unwrap().set_linear_velocity(Vec2::ZERO).unwrap();
        run(&mut w, 60);
        assert!(!is_awake(&w, body), "{what}: it rests when nobody pushes it");
    }
    let mut w = world(&weightless());
    let body = plain(&mut w, &BodyDef::dynamic(0.0, 0.0), &unit());
    for _ in 0..240 {
        w.body_mut(body).unwrap().apply_torque(0.01).unwrap();
        run(&mut w, 1);
    }
    let spin = w.body(body).unwrap().angular_velocity();
    assert!((spin - 0.24).abs() < 1.0e-3, "{spin}");
}

/// A body that has rested for long, in an island that another body keeps awake, falls when what it lies on is gone: under little
/// gravity, in short steps, and with a joint that holds nothing.
#[test]
fn what_loses_its_support_falls_however_long_it_has_rested() {
    for (gravity, dt, with_filter) in [(-10.0, 0.001, false), (-0.5, DT, false), (-0.5, DT, true)] {
        let mut w = world(&WorldDef {
            gravity: Vec2::new(0.0, gravity),
            ..WorldDef::default()
        });
        floor(&mut w);
        let restless = BodyDef {
            allow_sleep: false,
            ..BodyDef::dynamic(0.0, 0.5)
        };
        let post = plain(&mut w, &restless, &unit());
        let upper = plain(&mut w, &BodyDef::dynamic(0.0, 1.5), &unit());
        if with_filter {
            let far = w.create_body(&BodyDef::fixed(50.0, 0.0)).unwrap();
            w.create_joint(FilterDef::new(far, upper)).unwrap();
        }
        let steps = (4.0 / dt) as usize;
        for _ in 0..steps {
            w.step(dt).unwrap();
        }
        w.destroy_body(post).unwrap();
        for _ in 0..steps {
            w.step(dt).unwrap();
        }
        let height = place(&w, upper).y;
        assert!(height < 0.6, "{gravity} m/s^2, steps of {dt} s: at {height} m");
    }
}

#[test]
fn what_falls_slowly_goes_on_falling() {
    let slow = || WorldDef {
        gravity: Vec2::new(0.0, -0.09),
        ..WorldDef::default()
    };
    let lasting = BodyDef {
        lasting_force: Vec2::new(0.0, -0.09),
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let upward = BodyDef {
        linear_velocity: Vec2::new(0.0, 0.049),
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let still = BodyDef::dynamic(0.0, 0.0);
    for (def, body, start) in [
        (slow(), still, 0.0),
        (weightless(), lasting, 0.0),
        (slow(), upward, 0.049),
    ] {
        let mut w = world(&def);
        let body = plain(&mut w, &body, &unit());
        run(&mut w, 120);
        let velocity = speed(&w, body);
        assert!(
            (velocity.y - (start - 0.18)).abs() < 1.0e-3,
            "{velocity} from {start}"
        );
    }
    // A wall beside it and a slack rope do not hold it.
    for with_rope in [false, true] {
        let mut w = world(&slow());
        let body = plain(&mut w, &BodyDef::dynamic(0.0, 0.0), &unit());
        if with_rope {
            let hook = w.create_body(&BodyDef::fixed(0.0, 1.0)).unwrap();
            let rope = DistanceDef {
                enable_limit: true,
                max_length: 5.0,
                ..DistanceDef::new(hook, Vec2::ZERO, body, Vec2::ZERO)
            };
            w.create_joint(rope).unwrap();
        } else {
            plain(
                &mut w,
                &BodyDef::fixed(-1.01, 0.0),
                &Shape::new_box(1.0, 50.0).unwrap(),
            );
        }
        run(&mut w, 120);
        let velocity = speed(&w, body);
        assert!(
            (velocity.y + 0.18).abs() < 1.0e-3,
            "{velocity}, on a rope: {with_rope}"
        );
    }
    // What nothing accelerates sleeps as before, and so does what hangs in the air.
    let drifting = BodyDef {
        linear_velocity: Vec2::new(0.04, 0.0),
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let hanging = BodyDef {
        fixed_x: true,
        fixed_y: true,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    for (def, body) in [(weightless(), drifting), (slow(), hanging)] {
        let mut w = world(&def);
        let body = plain(&mut w, &body, &unit());
        run(&mut w, 60);
        assert!(!is_awake(&w, body));
    }
}

/// A door of two meters about its middle, with a motor.
fn door(w: &mut PhysicsWorld, motor_speed: f32) -> BodyId {
    let frame = w.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let door = plain(w, &BodyDef::dynamic(0.0, 0.0), &Shape::new_box(2.0, 0.2).unwrap());
    w.create_joint(RevoluteDef {
        enable_motor: true,
        motor_speed,
        max_motor_torque: 100.0,
        ..RevoluteDef::new(frame, Vec2::ZERO, door, Vec2::ZERO)
    })
    .unwrap();
    door
}

#[test]
fn a_slow_motor_goes_on_until_it_is_blocked() {
    let mut w = world(&weightless());
    let hand = door(&mut w, 0.04);
    let slider = plain(&mut w, &BodyDef::dynamic(9.0, 0.0), &unit());
    let frame = w.create_body(&BodyDef::fixed(9.0, 0.0)).unwrap();
    w.create_joint(PrismaticDef {
        enable_motor: true,
        motor_speed: -0.03,
        max_motor_force: 100.0,
        ..PrismaticDef::new(frame, Vec2::ZERO, slider, Vec2::ZERO)
    })
    .unwrap();
    run(&mut w, 600);
    let angle = w.body(hand).unwrap().rotation().angle();
    assert!((angle - 0.4).abs() < 0.01, "{angle}");
    let x = place(&w, slider).x;
    assert!((x - 8.7).abs() < 0.01, "{x}");
    // Blocked, or with a motor that brakes only, it sleeps.
    for (motor_speed, is_blocked) in [(0.04, true), (4.0, true), (0.0, false)] {
        let mut w = world(&weightless());
        let hand = door(&mut w, motor_speed);
        if is_blocked {
            plain(
                &mut w,
                &BodyDef::fixed(0.9, 0.2),
                &Shape::new_box(0.2, 0.2).unwrap(),
            );
        }
        run(&mut w, 120);
        assert!(!is_awake(&w, hand), "{motor_speed} rad/s");
    }
}

#[test]
fn a_slow_belt_goes_on_until_its_load_is_blocked() {
    let belt = ShapeDef {
        tangent_speed: 0.04,
        friction: 1.0,
        ..ShapeDef::default()
    };
    for is_blocked in [false, true] {
        let mut w = world(&WorldDef::default());
        add(
            &mut w,
            &BodyDef::fixed(0.0, -0.5),
            &belt,
            &Shape::new_box(40.0, 1.0).unwrap(),
        );
        let load = plain(&mut w, &BodyDef::dynamic(0.0, 0.5), &unit());
        if is_blocked {
            for x in [-1.01, 1.01] {
                plain(&mut w, &BodyDef::fixed(x, 0.5), &unit());
            }
        }
        run(&mut w, 600);
        let moved = place(&w, load).x.abs();
        if is_blocked {
            assert!(!is_awake(&w, load), "it is held at {moved} m");
        } else {
            assert!((moved - 0.4).abs() < 0.03, "carried by {moved} m");
        }
    }
}

#[test]
fn a_load_that_hangs_on_a_lift_that_was_created_asleep_is_put_to_sleep() {
    let mut w = world(&weightless());
    let def = BodyDef {
        linear_velocity: Vec2::new(0.0, 1.0),
        awake: false,
        ..BodyDef::kinematic(0.0, -0.5)
    };
    let lift = plain(&mut w, &def, &Shape::new_box(9.0, 1.0).unwrap());
    let def = BodyDef {
        awake: false,
        ..BodyDef::dynamic(0.0, 3.0)
    };
    let load = plain(&mut w, &def, &unit());
    w.create_joint(WeldDef::new(lift, Vec2::new(0.0, 3.5), load, Vec2::ZERO))
        .unwrap();
    w.body_mut(load).unwrap().wake();
    run(&mut w, 2);
    assert!(!is_awake(&w, lift) && is_awake(&w, load));
    assert!(w.body_mut(load).unwrap().sleep(), "the lift stands");
}

/// What a call moves a little in each step never rests for long enough to sleep; what a call leaves as it is does.
#[test]
fn a_joint_that_is_moved_slowly_keeps_its_body_awake() {
    for moves in [true, false] {
        let mut w = world(&weightless());
        let ground = w.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
        let body = plain(&mut w, &BodyDef::dynamic(0.0, 0.0), &unit());
        let drag = MotorDef {
            linear_hertz: 5.0,
            max_spring_force: 1.0e4,
            ..MotorDef::new(ground, Vec2::ZERO, body, Vec2::ZERO)
        };
        let drag = w.create_joint(drag).unwrap();
        let mut slept = 0;
        for i in 0..240 {
            let x = if moves { 0.03 * i as f32 * DT } else { 0.0 };
            let mut joint = w.joint_mut(drag).unwrap();
            joint.set_anchors(Vec2::new(x, 0.0), Vec2::ZERO).unwrap();
            run(&mut w, 1);
            slept += w.events().fell_asleep().len();
        }
        assert_eq!(slept == 0, moves, "fell asleep {slept} times");
        let x = place(&w, body).x;
        assert!(!moves || (x - 0.12).abs() < 0.01, "at {x}");
    }
}

#[test]
fn gravity_that_stays_the_same_wakes_nobody() {
    let mut w = world(&WorldDef::default());
    floor(&mut w);
    let body = plain(&mut w, &BodyDef::dynamic(0.0, 0.5), &unit());
    run(&mut w, 120);
    let gravity = w.gravity();
    w.set_gravity(gravity).unwrap();
    assert!(!is_awake(&w, body));
    w.set_gravity(2.0 * gravity).unwrap();
    assert!(is_awake(&w, body));
}
