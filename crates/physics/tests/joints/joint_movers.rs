//! Mover and pogo joints against closed forms: forces and speeds along each axis of the world, a spring across which one
//! slides, what it bears, and what carries a figure over a step.

use crate::joint_support::{DT, GRAVITY, close, ground, joint, sampled, square, world};
use std::f32::consts::{FRAC_PI_2, TAU};
use tombolo_physics::{
    BodyDef, BodyId, JointId, JointLimit, JointMotor, JointSpring, MoverDef, PhysicsError, PhysicsWorld,
    PogoDef, Shape, ShapeDef, Vec2, WorldDef,
};

fn mover(
    world: &mut PhysicsWorld,
    [on, body]: [BodyId; 2],
    linear_velocity: Vec2,
    max_force: Vec2,
) -> JointId {
    let def = MoverDef {
        linear_velocity,
        max_force,
        ..MoverDef::new(on, Vec2::ZERO, body, Vec2::ZERO)
    };
    joint(world, def)
}

/// A pogo from a point of `on` upward, with legs of a meter.
fn pogo(on: BodyId, foot: Vec2, body: BodyId) -> PogoDef {
    PogoDef {
        local_angle_a: FRAC_PI_2,
        spring_hertz: 2.0,
        spring_damping_ratio: 1.0,
        ..PogoDef::new(on, foot, body, Vec2::ZERO)
    }
}

#[test]
fn a_mover_accelerates_with_its_force_along_one_axis_and_falls_freely_along_the_other() {
    let mut world = world(GRAVITY);
    let floor = ground(&mut world);
    let body = square(&mut world, &BodyDef::dynamic(0.0, 0.0), 0.5);
    let id = mover(
        &mut world,
        [floor, body],
        Vec2::new(4.0, 0.0),
        Vec2::new(3.0, 0.0),
    );
    let velocity = |world: &PhysicsWorld| world.body(body).unwrap().linear_velocity();
    sampled(&mut world, 60, |_| 0.0);
    close(velocity(&world).x, 3.0, 0.01, "after a second");
    close(velocity(&world).y, -GRAVITY, 0.01, "it falls");
    let force = world.joint(id).unwrap().force();
    close(force.x, 3.0, 0.01, "its force");
    assert_eq!(force.y, 0.0);
    sampled(&mut world, 60, |_| 0.0);
    close(velocity(&world).x, 4.0, 0.01, "at last");
    close(velocity(&world).y, -2.0 * GRAVITY, 0.01, "it falls on");
}

#[test]
fn a_mover_that_lifts_rises_with_more_force_than_the_weight_and_sinks_with_less() {
    for (force, wanted) in [(12.0, 2.0), (8.0, -2.0), (100.0, 2.5)] {
        let mut world = world(GRAVITY);
        let floor = ground(&mut world);
        let body = square(&mut world, &BodyDef::dynamic(0.0, 0.0), 0.5);
        mover(
            &mut world,
            [floor, body],
            Vec2::new(0.0, 2.5),
            Vec2::new(0.0, force),
        );
        sampled(&mut world, 60, |_| 0.0);
        let speed = world.body(body).unwrap().linear_velocity();
        close(speed.y, wanted, 0.01, "after a second");
        assert_eq!(speed.x, 0.0);
    }
}

#[test]
fn the_directions_of_a_mover_are_those_of_the_world_however_the_first_body_turns() {
    let mut world = world(0.0);
    let log = BodyDef {
        kind: tombolo_physics::BodyKind::Kinematic,
        angle: 1.0,
        angular_velocity: 20.0,
        ..BodyDef::fixed(0.0, 0.0)
    };
    let log = world.create_body(&log).unwrap();
    let body = square(&mut world, &BodyDef::dynamic(0.0, 0.0), 0.5);
    mover(&mut world, [log, body], Vec2::new(6.0, 0.0), Vec2::new(0.6, 0.0));
    // Too weak to reach its speed: it pushes along x, and nothing pushes along y.
    sampled(&mut world, 60, |_| 0.0);
    let velocity = world.body(body).unwrap().linear_velocity();
    close(velocity.x, 0.6, 0.01, "after a second");
    assert_eq!(velocity.y, 0.0, "{velocity}");
}

#[test]
fn a_mover_is_carried_by_what_it_stands_on_and_pushes_that_back() {
    let mut world = world(0.0);
    let cart = square(&mut world, &BodyDef::dynamic(0.0, 0.0), 1.0);
    let body = square(&mut world, &BodyDef::dynamic(0.0, 0.0), 0.5);
    mover(
        &mut world,
        [cart, body],
        Vec2::new(3.0, 0.0),
        Vec2::new(50.0, 50.0),
    );
    sampled(&mut world, 60, |_| 0.0);
    let [cart, body] = [cart, body].map(|id| world.body(id).unwrap().linear_velocity().x);
    close(body - cart, 3.0, 0.01, "against each other");
    assert!((body + cart).abs() < 1e-4, "momentum: {body}, {cart}");
}

#[test]
fn a_pogo_carries_and_lets_slide() {
    let mut world = world(GRAVITY);
    let floor = ground(&mut world);
    let start = BodyDef {
        linear_velocity: Vec2::new(2.0, 0.0),
        angular_velocity: 1.0,
        ..BodyDef::dynamic(0.0, 1.0)
    };
    let body = square(&mut world, &start, 0.5);
    let def = pogo(floor, Vec2::ZERO, body);
    let id = joint(&mut world, def);
    sampled(&mut world, 300, |_| 0.0);
    let view = world.body(body).unwrap();
    close(
        view.position().y,
        1.0 - GRAVITY / (TAU * TAU * 4.0),
        0.01,
        "as high as its stiffness says",
    );
    close(view.position().x, 10.0, 0.001, "nothing brakes it");
    close(view.linear_velocity().x, 2.0, 0.001, "nothing brakes it");
    close(view.angular_velocity(), 1.0, 0.001, "nothing turns it");
    let force = world.joint(id).unwrap().force();
    close(force.y, GRAVITY, 0.001, "it bears the weight");
    close(
        world.joint(id).unwrap().translation().x,
        view.position().y,
        1e-5,
        "its length",
    );
}

#[test]
fn a_pogo_that_only_pushes_lets_a_body_jump_as_high_as_its_speed_says() {
    let mut world = world(GRAVITY);
    let floor = ground(&mut world);
    let start = BodyDef {
        linear_velocity: Vec2::new(0.0, 5.0),
        ..BodyDef::dynamic(0.0, 1.0)
    };
    let body = square(&mut world, &start, 0.5);
    let def = PogoDef {
        lower_spring_force: 0.0,
        ..pogo(floor, Vec2::ZERO, body)
    };
    joint(&mut world, def);
    let heights = sampled(&mut world, 40, |world| world.body(body).unwrap().position().y);
    let top = heights.iter().copied().fold(0.0, f32::max);
    close(top - 1.0, 25.0 / (2.0 * GRAVITY), 0.01, "the jump");
}

#[test]
fn a_pogo_gives_way_to_more_than_its_greatest_force() {
    let mut world = world(GRAVITY);
    let floor = ground(&mut world);
    let body = square(&mut world, &BodyDef::dynamic(0.0, 0.0), 0.5);
    let def = PogoDef {
        upper_spring_force: 7.0,
        spring_damping_ratio: 0.0,
        ..pogo(floor, Vec2::ZERO, body)
    };
    joint(&mut world, def);
    sampled(&mut world, 60, |_| 0.0);
    let speed = world.body(body).unwrap().linear_velocity().y;
    close(speed, 7.0 - GRAVITY, 0.01, "what it falls with");
}

/// Steps a figure over ground that rises by a step, its pogo made anew in each step where a ray finds the ground, or
/// moved there; how high it stands, and how fast it rises at most.
fn walk(anew: bool) -> ([f32; 2], f32) {
    let def = WorldDef {
        gravity: Vec2::new(0.0, -GRAVITY),
        ..WorldDef::default()
    };
    let mut world = PhysicsWorld::new(&def).unwrap();
    let grounds = [(-10.0, -0.5), (10.0, -0.2)].map(|(x, y)| {
        let ground = world.create_body(&BodyDef::fixed(x, y)).unwrap();
        let shape = Shape::new_box(20.0, 1.0).unwrap();
        world.create_shape(ground, &ShapeDef::default(), &shape).unwrap();
        ground
    });
    let figure = BodyDef {
        fixed_rotation: true,
        ..BodyDef::dynamic(-2.0, 1.0)
    };
    let figure = square(&mut world, &figure, 0.5);
    let legs = |world: &PhysicsWorld| {
        let x = world.body(figure).unwrap().position().x;
        let on = usize::from(x > 0.0);
        let foot = Vec2::new(x - [-10.0, 10.0][on], 0.5);
        PogoDef {
            lower_spring_force: 0.0,
            ..pogo(grounds[on], foot, figure)
        }
    };
    let feet = |world: &PhysicsWorld| {
        let x = world.body(figure).unwrap().position().x;
        grounds[usize::from(x > 0.0)]
    };
    let first = legs(&world);
    let mut pogo = joint(&mut world, first);
    let on = feet(&world);
    let speed = Vec2::new(3.0, 0.0);
    mover(&mut world, [on, figure], speed, Vec2::new(40.0, 0.0));
    let mut fastest = 0.0_f32;
    for _ in 0..180 {
        let now = legs(&world);
        let stands_on = world.joint(pogo).unwrap().bodies()[0].id();
        if anew || stands_on != now.body_a {
            world.destroy_joint(pogo).unwrap();
            pogo = joint(&mut world, now);
        } else {
            let (foot, own) = (now.local_anchor_a, now.local_anchor_b);
            world.joint_mut(pogo).unwrap().set_anchors(foot, own).unwrap();
        }
        world.step(DT).unwrap();
        fastest = fastest.max(world.body(figure).unwrap().linear_velocity().y);
    }
    (
        world.body(figure).unwrap().position().to_vec2().to_array(),
        fastest,
    )
}

#[test]
fn a_figure_walks_up_a_step_and_a_pogo_made_anew_in_each_step_carries_as_one_that_stays() {
    let stays = walk(false);
    let ([x, y], fastest) = walk(true);
    let sag = GRAVITY / (TAU * TAU * 4.0);
    close(y, 1.3 - sag, 0.01, "over the step");
    // 3 m/s, reached after 3/40 s.
    close(x, -2.0 + 3.0 * 3.0 - 3.0 * 3.0 / 80.0, 0.01, "along");
    // Critically damped, by a step of 0.3 m: no faster than 0.3 ω / e, and it does not jump.
    assert!(
        fastest < 0.3 * 2.0 * TAU / std::f32::consts::E * 1.05,
        "{fastest}"
    );
    for (one, other) in [(x, stays.0[0]), (y, stays.0[1]), (fastest, stays.1)] {
        assert!((one - other).abs() < 1e-4, "{one}, {other}");
    }
}

#[test]
fn a_pogo_has_a_spring_but_no_motor_and_no_limits() {
    let mut world = world(GRAVITY);
    let floor = ground(&mut world);
    let figure = square(&mut world, &BodyDef::dynamic(0.0, 1.0), 0.5);
    let id = joint(&mut world, pogo(floor, Vec2::ZERO, figure));
    let def = world.joint(id).unwrap().def();
    for number in [1.0, f32::NAN] {
        let mut pogo = world.joint_mut(id).unwrap();
        let refused = [
            pogo.set_motor(Some(JointMotor {
                speed: number,
                max: number,
            })),
            pogo.set_limit(Some(JointLimit {
                lower: number,
                upper: number,
            })),
        ];
        for refused in refused {
            assert!(
                matches!(refused, Err(PhysicsError::NoSuchPart { .. })),
                "{refused:?}"
            );
        }
        assert_eq!((pogo.view().motor(), pogo.view().limit()), (None, None));
    }
    let mut pogo = world.joint_mut(id).unwrap();
    assert!(
        pogo.set_spring(Some(JointSpring {
            target: 1.0,
            hertz: f32::NAN,
            damping_ratio: 1.0
        }))
        .is_err()
    );
    pogo.set_spring(Some(JointSpring {
        target: 1.0,
        hertz: 2.0,
        damping_ratio: 1.0,
    }))
    .unwrap();
    assert_eq!(
        pogo.view().spring(),
        Some(JointSpring {
            target: 1.0,
            hertz: 2.0,
            damping_ratio: 1.0
        })
    );
    assert_eq!(world.joint(id).unwrap().def(), def);
    world.step(DT).unwrap();
    assert_eq!(world.events().frozen(), []);
}
