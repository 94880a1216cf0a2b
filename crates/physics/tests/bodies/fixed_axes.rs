//! Bodies of which an axis or the rotation is fixed: they never move along it or turn, whoever gives them a velocity; and a
//! body with both axes fixed, which has no inverse mass, turns in joints of every kind.

use crate::feature_support::{DT, add, plain, run, weightless, world};
use tombolo_physics::{
    BodyDef, BodyId, BodyKind, DistanceDef, ExplosionDef, GenericDef, JointDef, MotorDef, MoverDef,
    PhysicsWorld, PogoDef, Position, PrismaticDef, RevoluteDef, Shape, ShapeDef, Vec2, WeldDef, WheelDef,
    WorldDef,
};

fn pinned_at(x: f32) -> BodyDef {
    BodyDef {
        fixed_x: true,
        fixed_y: true,
        ..BodyDef::dynamic(x, 0.0)
    }
}

fn bar() -> Shape {
    Shape::new_box(2.0, 0.2).unwrap()
}

/// The number of [`joints`].
const KINDS: usize = 15;

/// Joints of every kind between two points, with and without springs, limits and motors.
fn joints(a: BodyId, at_a: Vec2, b: BodyId, at_b: Vec2) -> Vec<JointDef> {
    let free = GenericDef::new(a, at_a, b, at_b);
    let mut all: Vec<JointDef> = vec![
        RevoluteDef::new(a, at_a, b, at_b).into(),
        DistanceDef::new(a, at_a, b, at_b).into(),
        PrismaticDef::new(a, at_a, b, at_b).into(),
        WeldDef::new(a, at_a, b, at_b).into(),
        WheelDef::new(a, at_a, b, at_b).into(),
        PogoDef::new(a, at_a, b, at_b).into(),
        GenericDef {
            lock_x: true,
            lock_y: true,
            ..free.clone()
        }
        .into(),
        GenericDef {
            lock_y: true,
            lock_angle: true,
            ..free.clone()
        }
        .into(),
        GenericDef { lock_x: true, ..free }.into(),
    ];
    all.extend(driven_joints(a, at_a, b, at_b));
    assert_eq!(all.len(), KINDS);
    all
}

fn driven_joints(a: BodyId, at_a: Vec2, b: BodyId, at_b: Vec2) -> [JointDef; 6] {
    let revolute = RevoluteDef {
        enable_motor: true,
        motor_speed: 1.0,
        max_motor_torque: 10.0,
        enable_limit: true,
        lower_angle: -0.5,
        upper_angle: 0.5,
        ..RevoluteDef::new(a, at_a, b, at_b)
    };
    let winch = DistanceDef {
        enable_spring: true,
        enable_limit: true,
        max_length: 0.5,
        enable_motor: true,
        motor_speed: 1.0,
        max_motor_force: 10.0,
        ..DistanceDef::new(a, at_a, b, at_b)
    };
    let rail = PrismaticDef {
        enable_spring: true,
        enable_motor: true,
        motor_speed: 1.0,
        max_motor_force: 10.0,
        ..PrismaticDef::new(a, at_a, b, at_b)
    };
    let soft = WeldDef {
        linear_hertz: 2.0,
        angular_hertz: 2.0,
        ..WeldDef::new(a, at_a, b, at_b)
    };
    let motor = MotorDef {
        linear_velocity: Vec2::X,
        max_velocity_force: 10.0,
        max_velocity_torque: 10.0,
        linear_hertz: 2.0,
        max_spring_force: 10.0,
        angular_hertz: 2.0,
        max_spring_torque: 10.0,
        ..MotorDef::new(a, at_a, b, at_b)
    };
    let mover = MoverDef {
        linear_velocity: Vec2::X,
        max_force: Vec2::splat(10.0),
        ..MoverDef::new(a, at_a, b, at_b)
    };
    [
        revolute.into(),
        winch.into(),
        rail.into(),
        soft.into(),
        motor.into(),
        mover.into(),
    ]
}

#[test]
fn a_body_pinned_by_its_axes_stays_in_joints_of_every_kind() {
    let held_rotation = |x: f32| BodyDef {
        fixed_rotation: true,
        ..pinned_at(x)
    };
    let moving = BodyDef {
        linear_velocity: Vec2::new(0.5, 0.1),
        angular_velocity: 0.3,
        ..BodyDef::kinematic(0.0, 0.0)
    };
    let others = [
        BodyDef::fixed(0.0, 0.0),
        moving,
        pinned_at(0.0),
        held_rotation(0.0),
        held_rotation(2.0),
    ];
    for (at_a, at_b) in [(Vec2::ZERO, Vec2::ZERO), (Vec2::X, Vec2::new(0.9, 0.3))] {
        for other in &others {
            for own in [pinned_at(0.0), held_rotation(0.0)] {
                for kind in 0..KINDS {
                    let mut w = world(&WorldDef::default());
                    let a = plain(&mut w, other, &bar());
                    let b = plain(&mut w, &own, &bar());
                    w.create_joint(joints(a, at_a, b, at_b)[kind].clone()).unwrap();
                    w.body_mut(b).unwrap().set_lasting_torque(0.5).unwrap();
                    for _ in 0..60 {
                        w.step(DT).unwrap();
                        assert_eq!(w.events().frozen(), [], "kind {kind} with {other:?}");
                    }
                    let body = w.body(b).unwrap();
                    assert_eq!(body.position(), Position::ORIGIN, "kind {kind} with {other:?}");
                    assert!(body.rotation().is_valid() && body.angular_velocity().is_finite());
                }
            }
        }
    }
}

#[test]
fn a_fan_pinned_by_its_axes_is_driven_by_a_motor() {
    let mut w = world(&WorldDef::default());
    let wall = w.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let fan = plain(&mut w, &pinned_at(0.0), &bar());
    w.create_joint(RevoluteDef {
        enable_motor: true,
        motor_speed: 1.0,
        max_motor_torque: 100.0,
        ..RevoluteDef::new(wall, Vec2::ZERO, fan, Vec2::ZERO)
    })
    .unwrap();
    run(&mut w, 30);
    let speed = w.body(fan).unwrap().angular_velocity();
    assert!((speed - 1.0).abs() < 0.01, "{speed}");
}

/// A joint that holds the angle, or a second point, keeps a pinned body from turning although nothing moves along an axis.
#[test]
fn what_holds_the_rotation_of_a_pinned_body_holds_it() {
    let kinds: [fn(BodyId, BodyId) -> JointDef; 3] = [
        |wall, bar| WeldDef::new(wall, Vec2::ZERO, bar, Vec2::ZERO).into(),
        |wall, bar| PrismaticDef::new(wall, Vec2::X, bar, Vec2::X).into(),
        |wall, bar| RevoluteDef::new(wall, Vec2::X, bar, Vec2::X).into(),
    ];
    for (kind, joint) in kinds.into_iter().enumerate() {
        let mut w = world(&WorldDef::default());
        let wall = w.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
        let turned = plain(&mut w, &pinned_at(0.0), &bar());
        w.create_joint(joint(wall, turned)).unwrap();
        w.body_mut(turned).unwrap().set_lasting_torque(1.0).unwrap();
        run(&mut w, 240);
        let angle = w.body(turned).unwrap().rotation().angle();
        assert!(angle.abs() < 0.02, "kind {kind} turned by {angle}");
    }
}

#[test]
fn a_body_of_fixed_rotation_never_turns() {
    let mut w = world(&weightless());
    let def = BodyDef {
        fixed_rotation: true,
        angular_velocity: 2.0,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let body = plain(&mut w, &def, &bar());
    let still = |w: &PhysicsWorld| {
        let body = w.body(body).unwrap();
        assert_eq!((body.rotation().angle(), body.angular_velocity()), (0.0, 0.0));
    };
    still(&w);
    run(&mut w, 30);
    w.body_mut(body).unwrap().set_angular_velocity(3.0).unwrap();
    still(&w);
    w.body_mut(body)
        .unwrap()
        .set_target(Position::ORIGIN, 1.0, DT)
        .unwrap();
    still(&w);
    // A kinematic body turns as it is told, and stops when it becomes dynamic.
    w.body_mut(body).unwrap().set_kind(BodyKind::Kinematic).unwrap();
    w.body_mut(body).unwrap().set_angular_velocity(3.0).unwrap();
    assert_eq!(w.body(body).unwrap().angular_velocity(), 3.0);
    w.body_mut(body).unwrap().set_kind(BodyKind::Dynamic).unwrap();
    still(&w);
    run(&mut w, 30);
    still(&w);
}

#[test]
fn a_kinematic_body_has_no_fixed_axes() {
    let mut w = world(&WorldDef::default());
    let def = BodyDef {
        fixed_x: true,
        ..BodyDef::kinematic(0.0, 0.0)
    };
    let body = w.create_body(&def).unwrap();
    let there = Position::new(1.0, 0.0);
    w.body_mut(body).unwrap().set_target(there, 0.0, DT).unwrap();
    w.step(DT).unwrap();
    let x = w.body(body).unwrap().position().x;
    assert!((x - 1.0).abs() < 1e-4, "{x}");
    // Fixing an axis stops a dynamic body only.
    w.body_mut(body).unwrap().set_linear_velocity(Vec2::ONE).unwrap();
    w.body_mut(body).unwrap().set_fixed_axes(true, true);
    assert_eq!(w.body(body).unwrap().linear_velocity(), Vec2::ONE);
    w.body_mut(body).unwrap().set_kind(BodyKind::Dynamic).unwrap();
    assert_eq!(w.body(body).unwrap().linear_velocity(), Vec2::ZERO);
}

#[test]
fn nothing_moves_along_a_fixed_axis_even_for_an_instant() {
    let mut w = world(&weightless());
    let def = BodyDef {
        fixed_x: true,
        linear_velocity: Vec2::new(5.0, 1.0),
        ..BodyDef::dynamic(2.0, 0.0)
    };
    let disc = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    let body = add(&mut w, &def, &ShapeDef::default(), &disc);
    assert_eq!(w.body(body).unwrap().linear_velocity(), Vec2::Y);
    let blast = ExplosionDef {
        radius: 5.0,
        impulse_per_length: 2.0,
        ..ExplosionDef::at(Position::new(0.0, -1.0))
    };
    assert_eq!(w.explode(&blast).unwrap(), 1);
    let velocity = w.body(body).unwrap().linear_velocity();
    assert!(velocity.x == 0.0 && velocity.y > 1.1, "{velocity}");
}

#[test]
fn the_pieces_of_a_cut_do_not_move_along_fixed_axes() {
    let mut w = world(&weightless());
    let def = BodyDef {
        fixed_y: true,
        angular_velocity: 1.0,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let body = plain(&mut w, &def, &Shape::new_box(4.0, 1.0).unwrap());
    let ends = [Position::new(0.5, -1.0), Position::new(0.5, 1.0)];
    let cut = w.slice(body, ends[0], ends[1]).unwrap().unwrap();
    for piece in [cut.body, cut.pieces[0]] {
        assert_eq!(w.body(piece).unwrap().linear_velocity().y, 0.0);
    }
}

#[test]
fn a_fixed_axis_has_no_velocity_after_any_step_whatever_hits_the_body() {
    for restitution in [0.0, 1.0] {
        let mut w = world(&weightless());
        let paddle = BodyDef {
            fixed_x: true,
            ..BodyDef::dynamic(0.0, 0.0)
        };
        let paddle = plain(&mut w, &paddle, &Shape::new_box(0.5, 2.0).unwrap());
        let ball = BodyDef {
            linear_velocity: Vec2::new(10.0, 0.5),
            ..BodyDef::dynamic(-2.0, 0.0)
        };
        let material = ShapeDef {
            restitution,
            ..ShapeDef::default()
        };
        let ball = add(&mut w, &ball, &material, &Shape::circle(Vec2::ZERO, 0.5).unwrap());
        for _ in 0..60 {
            run(&mut w, 1);
            assert_eq!(w.body(paddle).unwrap().linear_velocity().x, 0.0);
        }
        assert!(
            w.body(ball).unwrap().linear_velocity().x < 5.0,
            "the two have hit"
        );
    }
}
