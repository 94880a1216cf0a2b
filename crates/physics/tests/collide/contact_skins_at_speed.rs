//! Contact skins at high speed: fast bodies, bullets and what kinematic bodies sweep over stop at the skins.

use crate::feature_support::{DT, Random, add, ball, place, rect, run, skin, weightless, world};
use tombolo_physics::{BodyDef, ChainDef, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef};

/// Adds a wall at x = 0 with shapes of a definition.
type Wall = fn(&mut PhysicsWorld, &ShapeDef);

/// The shortest distance between a fast ball and the plane x = 0 while it flies against a wall there, with their skins.
fn nearest(wall: Wall, start: &BodyDef, skins: [f32; 2]) -> f32 {
    let mut world = world(&WorldDef {
        speed_max: 1000.0,
        ..weightless()
    });
    wall(&mut world, &skin(skins[0]));
    let ball = add(&mut world, start, &skin(skins[1]), &ball(0.1));
    let mut least = f32::INFINITY;
    for _ in 0..60 {
        world.step(DT).unwrap();
        least = least.min(-0.1 - place(&world, ball).x);
    }
    world.validate();
    least
}

#[test]
fn fast_bodies_stop_at_the_skins() {
    const WALLS: [(&str, Wall); 5] = [
        ("plate", |world, def| {
            add(world, &BodyDef::fixed(0.01, 0.0), def, &rect(0.02, 8.0));
        }),
        ("kinematic plate", |world, def| {
            add(world, &BodyDef::kinematic(0.01, 0.0), def, &rect(0.02, 8.0));
        }),
        ("segment", |world, def| {
            let line = Shape::segment(Vec2::new(0.0, -4.0), Vec2::new(0.0, 4.0)).unwrap();
            add(world, &BodyDef::fixed(0.0, 0.0), def, &line);
        }),
        ("half-space", |world, def| {
            let half_space = Shape::half_space(Vec2::ZERO, Vec2::NEG_X).unwrap();
            add(world, &BodyDef::fixed(0.0, 0.0), def, &half_space);
        }),
        ("chain", |world, def| {
            let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
            let chain = ChainDef {
                points: (0..9).map(|i| Vec2::new(0.0, 4.0 - i as f32)).collect(),
                shape: def.clone(),
                ..ChainDef::default()
            };
            world.create_chain(body, &chain).unwrap();
        }),
    ];
    let mut random = Random(11);
    for (name, wall) in WALLS {
        for skins in [[0.0, 0.0], [0.2, 0.0], [0.0, 0.2], [0.05, 0.1], [0.5, 0.3]] {
            for speed in [40.0, 200.0, 900.0] {
                let start = BodyDef {
                    linear_velocity: Vec2::new(speed, 0.0),
                    bullet: true,
                    ..BodyDef::dynamic(-3.0 + random.between(-0.5, 0.5), 0.3)
                };
                let least = nearest(wall, &start, skins);
                let sum = skins[0] + skins[1];
                assert!(
                    (least - sum).abs() < 0.012,
                    "{name}, {skins:?}, {speed} m/s: {least}"
                );
            }
        }
    }
}

#[test]
fn two_bullets_head_on_keep_their_skins() {
    for speed in [20.0, 100.0, 350.0] {
        let mut world = world(&weightless());
        let bullets = [-1.0_f32, 1.0].map(|side| {
            let start = BodyDef {
                linear_velocity: Vec2::new(-side * speed, 0.0),
                bullet: true,
                ..BodyDef::dynamic(3.0 * side, 0.0)
            };
            add(&mut world, &start, &skin(0.15), &ball(0.1))
        });
        for _ in 0..60 {
            world.step(DT).unwrap();
            let [left, right] = bullets.map(|bullet| place(&world, bullet).x);
            assert!(right - left > 0.5 - 0.03, "{speed} m/s: {left} to {right}");
        }
    }
}

#[test]
fn a_kinematic_bar_does_not_pass_a_ball_with_a_skin() {
    let mut world = world(&weightless());
    let bar = BodyDef {
        angular_velocity: 45.0,
        ..BodyDef::kinematic(0.0, 0.0)
    };
    add(&mut world, &bar, &skin(0.05), &rect(6.0, 0.1));
    let ball = add(&mut world, &BodyDef::dynamic(2.0, 0.4), &skin(0.05), &ball(0.1));
    run(&mut world, 20);
    assert!(place(&world, ball).to_vec2().length() > 4.0, "it was hit away");
}
