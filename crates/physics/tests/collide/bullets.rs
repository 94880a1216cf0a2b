//! Bullets against bullets and against other bodies that move: they meet, whoever is faster and wherever in a step; those that
//! fly together are left alone; and nothing depends on workers or saves.

use crate::feature_support::{DT, Random, add, place, plain, run, same_everywhere, world};
use tombolo_physics::{
    ANY_MATERIAL, BodyDef, BodyId, ContactRule, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef,
};

fn empty() -> PhysicsWorld {
    world(&WorldDef {
        gravity: Vec2::ZERO,
        speed_max: 4000.0,
        ..WorldDef::default()
    })
}

fn bullet(world: &mut PhysicsWorld, at: Vec2, velocity: Vec2, shape: &Shape) -> BodyId {
    let def = BodyDef {
        bullet: true,
        linear_velocity: velocity,
        ..BodyDef::dynamic(at.x, at.y)
    };
    let bouncing = ShapeDef {
        restitution: 0.5,
        ..ShapeDef::default()
    };
    add(world, &def, &bouncing, shape)
}

#[test]
fn two_bullets_head_on_meet() {
    let shapes = [
        Shape::circle(Vec2::ZERO, 0.05).unwrap(),
        Shape::circle(Vec2::ZERO, 0.5).unwrap(),
        Shape::new_box(0.4, 0.1).unwrap(),
    ];
    for shape in &shapes {
        for speeds in [
            [1000.0, 1000.0],
            [1000.0, 3.0],
            [400.0, 0.0],
            [50.0, 1000.0],
            [3900.0, 3900.0],
        ] {
            for distance in [5.0_f32, 11.3, 20.0, 33.37, 71.0] {
                let mut world = empty();
                let [left, right] = [-1.0, 1.0].map(|side: f32| {
                    let speed = speeds[usize::from(side > 0.0)];
                    let at = Vec2::new(0.5 * side * distance, 0.0);
                    bullet(&mut world, at, Vec2::new(-side * speed, 0.0), shape)
                });
                let mut met = false;
                for _ in 0..200 {
                    run(&mut world, 1);
                    met |= !world.events().begin_touch().is_empty();
                    assert!(
                        place(&world, left).x < place(&world, right).x,
                        "{speeds:?} from {distance}: they passed each other"
                    );
                }
                let after = [left, right].map(|body| world.body(body).unwrap().linear_velocity().x);
                // The slowest pairs are still on their way.
                assert!(
                    met && after[0] < after[1],
                    "{speeds:?} from {distance}: {after:?}"
                );
                let sum = speeds[0] - speeds[1];
                assert!(
                    (after[0] + after[1] - sum).abs() < 0.01 * (speeds[0] + speeds[1]),
                    "momentum: {after:?}"
                );
            }
        }
    }
}

#[test]
fn a_bullet_that_sleeps_is_met_too() {
    let mut world = empty();
    let shape = Shape::circle(Vec2::ZERO, 0.05).unwrap();
    let sleeper = bullet(&mut world, Vec2::new(40.0, 0.0), Vec2::ZERO, &shape);
    run(&mut world, 60);
    assert!(!world.body(sleeper).unwrap().is_awake());
    bullet(&mut world, Vec2::new(-5.0, 0.0), Vec2::new(1000.0, 0.0), &shape);
    run(&mut world, 10);
    assert!(place(&world, sleeper).x > 41.0, "{}", place(&world, sleeper).x);
}

#[test]
fn bullets_that_cross_meet_only_if_both_are_there() {
    let shape = Shape::circle(Vec2::ZERO, 0.1).unwrap();
    for late in [0.0_f32, 3.0] {
        let mut world = empty();
        let one = bullet(&mut world, Vec2::new(-5.0, 0.0), Vec2::new(600.0, 0.0), &shape);
        let other = bullet(
            &mut world,
            Vec2::new(0.0, -5.0 - late),
            Vec2::new(0.0, 600.0),
            &shape,
        );
        run(&mut world, 3);
        let free = [one, other].map(|body| world.body(body).unwrap().linear_velocity());
        let went_on = free == [Vec2::new(600.0, 0.0), Vec2::new(0.0, 600.0)];
        assert_eq!(went_on, late > 0.0, "{free:?}");
        if went_on {
            let wanted = Vec2::new(-5.0 + 600.0 * 3.0 * DT, 0.0);
            assert!(
                (place(&world, one).to_vec2() - wanted).length() < 0.01,
                "nobody stopped it"
            );
        }
    }
}

#[test]
fn the_first_of_two_is_met_and_not_the_one_behind_it() {
    let shape = Shape::circle(Vec2::ZERO, 0.2).unwrap();
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]] {
        let mut world = empty();
        // From the left one that is fast; from the right two in a row.
        let ways = [(-8.0, 1200.0), (4.0, -300.0), (9.0, -900.0)];
        let mut bodies = [None; 3];
        for which in order {
            let (x, speed) = ways[which];
            bodies[which] = Some(bullet(
                &mut world,
                Vec2::new(x, 0.0),
                Vec2::new(speed, 0.0),
                &shape,
            ));
        }
        let bodies = bodies.map(|body| body.unwrap());
        for _ in 0..60 {
            run(&mut world, 1);
            let [a, b, c] = bodies.map(|body| place(&world, body).x);
            assert!(a < b && b < c, "{order:?}: {a} {b} {c}");
        }
    }
}

#[test]
fn a_salvo_that_flies_together_loses_no_time() {
    let mut world = empty();
    let shape = Shape::circle(Vec2::ZERO, 0.05).unwrap();
    let mut random = Random(5);
    let salvo: Vec<(BodyId, Vec2, Vec2)> = (0..40)
        .map(|i| {
            let at = Vec2::new(0.12 * (i % 5) as f32, 0.12 * (i / 5) as f32);
            let velocity =
                Vec2::new(800.0, 0.0) + Vec2::new(random.between(-0.2, 0.2), random.between(-0.2, 0.2));
            (bullet(&mut world, at, velocity, &shape), at, velocity)
        })
        .collect();
    run(&mut world, 6);
    for (body, at, velocity) in salvo {
        let wanted = at + 6.0 * DT * velocity;
        let got = place(&world, body).to_vec2();
        assert!((got - wanted).length() < 0.2, "{got}, wanted {wanted}");
    }
}

#[test]
fn a_storm_of_bullets_is_the_same_everywhere() {
    let build = || {
        let mut world = empty();
        let mut random = Random(11);
        add(
            &mut world,
            &BodyDef::fixed(0.0, 0.0),
            &ShapeDef::default(),
            &Shape::new_box(1.0, 8.0).unwrap(),
        );
        for i in 0..120 {
            let at = Vec2::new(random.between(-30.0, 30.0), random.between(-10.0, 10.0));
            let velocity = Vec2::new(random.between(-900.0, 900.0), random.between(-300.0, 300.0));
            let shape = match i % 3 {
                0 => Shape::circle(Vec2::ZERO, 0.3).unwrap(),
                1 => Shape::new_box(0.8, 0.2).unwrap(),
                _ => Shape::capsule(Vec2::new(-0.3, 0.0), Vec2::new(0.3, 0.0), 0.1).unwrap(),
            };
            bullet(&mut world, at, velocity, &shape);
        }
        world
    };
    let last = same_everywhere(build, 40, |world| format!("{:?}", world.events().begin_touch()));
    last.validate();
}

/// A thin plate, upright, that flies and is no bullet.
fn flying_plate(world: &mut PhysicsWorld, at: Vec2, velocity: Vec2) -> BodyId {
    let def = BodyDef {
        linear_velocity: velocity,
        ..BodyDef::dynamic(at.x, at.y)
    };
    plain(world, &def, &Shape::new_box(0.1, 2.0).unwrap())
}

/// It used to be set back to where the plate ends the step.
#[test]
fn a_bullet_ahead_of_a_plate_that_flies_as_fast_is_not_set_back() {
    let ball = Shape::circle(Vec2::ZERO, 0.05).unwrap();
    for velocity in [
        Vec2::new(100.0, 0.0),
        Vec2::new(300.0, 40.0),
        Vec2::new(20.0, -90.0),
    ] {
        for ahead in [0.12_f32, 0.3, 1.0, 1.5] {
            let mut world = empty();
            let plate = flying_plate(&mut world, Vec2::ZERO, velocity);
            let one = bullet(&mut world, Vec2::new(ahead, 0.3), velocity, &ball);
            run(&mut world, 12);
            for (body, start) in [(plate, Vec2::ZERO), (one, Vec2::new(ahead, 0.3))] {
                let (wanted, got) = (start + 12.0 * DT * velocity, place(&world, body).to_vec2());
                assert!(
                    (got - wanted).length() < 1.0e-3,
                    "{velocity}, {ahead} ahead: {got}, not {wanted}"
                );
            }
        }
    }
}

/// Where both end the step says neither whether they met nor when.
#[test]
fn a_bullet_and_a_plate_that_both_fly_do_not_pass_each_other() {
    let shapes = [
        Shape::circle(Vec2::ZERO, 0.05).unwrap(),
        Shape::circle(Vec2::ZERO, 0.5).unwrap(),
        Shape::new_box(0.4, 0.1).unwrap(),
    ];
    for shape in &shapes {
        for [bullet_speed, plate_speed] in [
            [390.0, -390.0],
            [200.0, -30.0],
            [200.0, 100.0],
            [100.0, 50.0],
            [-50.0, -100.0],
            [0.0, -300.0],
        ] {
            for phase in 0..16 {
                let mut world = empty();
                let apart = 3.0 + 0.06 * phase as f32 * (bullet_speed - plate_speed) * DT;
                let plate = flying_plate(&mut world, Vec2::new(apart, 0.3), Vec2::new(plate_speed, 0.0));
                let one = bullet(&mut world, Vec2::ZERO, Vec2::new(bullet_speed, 0.0), shape);
                let mut met = false;
                let steps = (apart / ((bullet_speed - plate_speed) * DT)) as usize + 6;
                for step in 0..steps {
                    run(&mut world, 1);
                    met |= !world.events().begin_touch().is_empty();
                    let [left, right] = [one, plate].map(|body| place(&world, body).x);
                    assert!(
                        met || left < right,
                        "{bullet_speed} and {plate_speed}, phase {phase}, step {step}: {left} and {right}"
                    );
                }
                assert!(
                    met,
                    "{bullet_speed} and {plate_speed}, phase {phase}: they never touched"
                );
            }
        }
    }
}

#[test]
fn a_bullet_is_not_stopped_by_what_was_not_there_yet() {
    // The plate comes down to where the bullet went through long before.
    let mut world = empty();
    let ball = Shape::circle(Vec2::ZERO, 0.05).unwrap();
    flying_plate(&mut world, Vec2::new(0.5, 4.9), Vec2::new(0.0, -300.0));
    let one = bullet(&mut world, Vec2::ZERO, Vec2::new(390.0, 0.0), &ball);
    run(&mut world, 1);
    assert!((place(&world, one).x - 390.0 * DT).abs() < 1.0e-3);
}

/// It used to stand where it met the plate, which had gone on; in the next step likewise.
#[test]
fn a_bullet_touches_a_kinematic_plate_that_it_overtakes() {
    let ball = Shape::circle(Vec2::ZERO, 0.05).unwrap();
    for phase in 0..16 {
        let mut world = empty();
        let def = BodyDef {
            linear_velocity: Vec2::new(50.0, 0.0),
            ..BodyDef::kinematic(3.0 + 0.05 * phase as f32, 0.3)
        };
        let plate = plain(&mut world, &def, &Shape::new_box(0.1, 2.0).unwrap());
        let one = bullet(&mut world, Vec2::ZERO, Vec2::new(100.0, 0.0), &ball);
        let mut met = false;
        for _ in 0..8 {
            run(&mut world, 1);
            met |= !world.events().begin_touch().is_empty();
            assert!(place(&world, one).x < place(&world, plate).x, "phase {phase}");
        }
        assert!(met, "phase {phase}: they never touched");
    }
}

#[test]
fn bullets_among_plates_that_fly_are_the_same_everywhere() {
    let build = || {
        let mut world = empty();
        let mut random = Random(23);
        let mut anywhere = |most: f32| Vec2::new(random.between(-most, most), random.between(-most, most));
        for i in 0..60 {
            let at = anywhere(15.0);
            let velocity = anywhere(if i % 2 == 0 { 300.0 } else { 20.0 });
            flying_plate(&mut world, at, velocity);
        }
        let ball = Shape::circle(Vec2::ZERO, 0.1).unwrap();
        for _ in 0..60 {
            let (at, velocity) = (anywhere(15.0), anywhere(390.0));
            bullet(&mut world, at, velocity, &ball);
        }
        world
    };
    let last = same_everywhere(build, 40, |world| {
        format!("{:?} {:?}", world.events().begin_touch(), world.events().held())
    });
    last.validate();
}

/// Whether there are bullets is noted beside the state: every way in which one comes must tell.
#[test]
fn a_body_that_becomes_a_bullet_is_stopped_at_once() {
    let ball = Shape::circle(Vec2::ZERO, 0.05).unwrap();
    let build = |bullet: bool| {
        let mut world = empty();
        let def = BodyDef {
            bullet,
            linear_velocity: Vec2::new(390.0, 0.0),
            ..BodyDef::dynamic(-20.0, 0.3)
        };
        let one = plain(&mut world, &def, &ball);
        let plate = flying_plate(&mut world, Vec2::new(0.0, 0.0), Vec2::new(-200.0, 0.0));
        (world, one, plate)
    };
    let passes = |mut world: PhysicsWorld, [one, plate]: [BodyId; 2]| {
        run(&mut world, 1);
        place(&world, one).x > place(&world, plate).x
    };
    let (mut world, one, plate) = build(false);
    run(&mut world, 1);
    let frame = world.frame();
    run(&mut world, 1);
    assert!(passes(world.clone(), [one, plate]), "nobody stops it");
    world.body_mut(one).unwrap().set_bullet(true);
    let of_bullet = world.frame();
    assert!(!passes(world.clone(), [one, plate]), "a clone");
    let restored = PhysicsWorld::from_save(&world.save()).unwrap();
    assert!(!passes(restored, [one, plate]), "a save");
    world.restore_frame(&frame);
    run(&mut world, 1);
    world.restore_frame(&of_bullet);
    assert!(!passes(world, [one, plate]), "a frame");
}

#[test]
fn what_bullets_rain_on_keeps_its_velocity() {
    let mut world = empty();
    let pellet = Shape::circle(Vec2::ZERO, 0.02).unwrap();
    let speed = 300.0;
    let plate = flying_plate(&mut world, Vec2::ZERO, Vec2::new(speed, 0.0));
    let mass = world.body(plate).unwrap().mass();
    let mut shots = 0.0;
    for step in 0..60 {
        // One that stands close before it in each step, so that they meet as the step begins.
        let ahead = place(&world, plate).x + 0.1;
        let def = BodyDef {
            bullet: true,
            ..BodyDef::dynamic(ahead, 0.0)
        };
        let light = ShapeDef {
            density: 1e-3,
            ..ShapeDef::default()
        };
        let pellet = add(&mut world, &def, &light, &pellet);
        shots += world.body(pellet).unwrap().mass();
        run(&mut world, 1);
        let mut held = world.events().held().iter();
        assert!(!held.any(|event| event.body == plate), "held at step {step}");
    }
    let velocity = world.body(plate).unwrap().linear_velocity().x;
    let least = speed * (1.0 - 3.0 * shots / mass);
    assert!(velocity >= least, "{velocity} of {speed}, {least} at least");
}

/// A ball that a fast piston carries meters aside within a step flies into the way of a bullet there: they meet, though the
/// bullet is nowhere near the ball's own way.
#[test]
fn a_bullet_meets_a_body_that_is_carried_into_its_way() {
    let mut world = empty();
    let piston = BodyDef {
        linear_velocity: Vec2::new(300.0, 0.0),
        ..BodyDef::kinematic(-0.35, 0.0)
    };
    plain(&mut world, &piston, &Shape::new_box(0.1, 1.2).unwrap());
    let def = BodyDef {
        linear_velocity: Vec2::new(0.0, 40.0),
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let ball = plain(&mut world, &def, &Shape::circle(Vec2::ZERO, 0.25).unwrap());
    let def = BodyDef {
        bullet: true,
        linear_velocity: Vec2::new(0.0, -390.0),
        ..BodyDef::dynamic(3.3, 5.0)
    };
    let bullet = plain(&mut world, &def, &Shape::circle(Vec2::ZERO, 0.05).unwrap());
    run(&mut world, 1);
    let [ball, bullet] = [ball, bullet].map(|body| place(&world, body));
    assert!(
        bullet.y > ball.y,
        "the bullet at {bullet:?} passed the ball at {ball:?}"
    );
}

/// One-way platforms let bullets pass, whichever of the two is the faster.
#[test]
fn a_bullet_passes_a_falling_one_way_plate_without_loss() {
    for plate_is_bullet in [false, true] {
        let mut world = empty();
        let one_way = ContactRule {
            one_way: Some(Vec2::Y),
            ..ContactRule::default()
        };
        world.set_contact_rule(1, ANY_MATERIAL, one_way).unwrap();
        let plate = BodyDef {
            bullet: plate_is_bullet,
            linear_velocity: Vec2::new(0.0, -30.0),
            ..BodyDef::dynamic(0.0, 1.3)
        };
        let material = ShapeDef {
            material: 1,
            ..ShapeDef::default()
        };
        let plate = add(&mut world, &plate, &material, &Shape::new_box(4.0, 0.2).unwrap());
        let disc = Shape::circle(Vec2::ZERO, 0.1).unwrap();
        let ball = bullet(&mut world, Vec2::ZERO, Vec2::new(0.0, 30.0), &disc);
        run(&mut world, 4);
        let heights = [ball, plate].map(|body| place(&world, body).y);
        assert!(
            (heights[0] - 2.0).abs() < 0.05 && (heights[1] + 0.7).abs() < 0.05,
            "{heights:?}"
        );
    }
}

/// From the other side they are stopped as by any plate.
#[test]
fn a_bullet_is_stopped_by_the_upper_side_of_a_rising_one_way_plate() {
    let mut world = empty();
    let one_way = ContactRule {
        one_way: Some(Vec2::Y),
        ..ContactRule::default()
    };
    world.set_contact_rule(1, ANY_MATERIAL, one_way).unwrap();
    let plate = BodyDef {
        bullet: true,
        linear_velocity: Vec2::new(0.0, 60.0),
        ..BodyDef::dynamic(0.0, -1.3)
    };
    let material = ShapeDef {
        material: 1,
        ..ShapeDef::default()
    };
    let plate = add(&mut world, &plate, &material, &Shape::new_box(4.0, 0.2).unwrap());
    let disc = Shape::circle(Vec2::ZERO, 0.1).unwrap();
    let ball = bullet(&mut world, Vec2::ZERO, Vec2::new(0.0, -60.0), &disc);
    for _ in 0..10 {
        run(&mut world, 1);
        assert!(place(&world, ball).y > place(&world, plate).y, "it passed");
    }
}

/// The bodies of an axe of two meters, which turns about its middle by `turns` in each step, and of a ball on the way of
/// its ends; and whether they touched within 20 steps.
fn axe_and_ball(turns: f32, is_bullet: bool, ball_at: Vec2) -> (PhysicsWorld, bool) {
    let mut world = empty();
    let axe = BodyDef {
        bullet: true,
        fast_rotation: true,
        angular_velocity: turns * std::f32::consts::TAU / DT,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    plain(&mut world, &axe, &Shape::new_box(4.0, 0.1).unwrap());
    let ball = BodyDef {
        bullet: is_bullet,
        ..BodyDef::dynamic(ball_at.x, ball_at.y)
    };
    plain(&mut world, &ball, &Shape::circle(Vec2::ZERO, 0.2).unwrap());
    let mut touched = false;
    for _ in 0..20 {
        run(&mut world, 1);
        touched |= !world.events().begin_touch().is_empty();
    }
    (world, touched)
}

#[test]
fn a_bullet_that_turns_far_meets_bullets_as_it_meets_others() {
    // 270 degrees: the two ends of the motion are a quarter turn apart, the other way around.
    for turns in [0.5, 0.75, -0.75, 1.0] {
        for ball_at in [Vec2::new(0.0, 1.5), Vec2::new(1.0, -1.2), Vec2::new(-0.9, 0.8)] {
            for is_bullet in [false, true] {
                let (_, touched) = axe_and_ball(turns, is_bullet, ball_at);
                assert!(touched, "{turns} turns, ball at {ball_at}, bullet: {is_bullet}");
            }
            let beyond = 2.5 * ball_at.normalize();
            assert!(!axe_and_ball(turns, true, beyond).1, "out of reach");
        }
    }
}

/// How many of `shots` bullets that turn get past a plate of 400 m that comes toward them, of the kind `moving` has.
fn count_passing(moving: &BodyDef, plate: (&ShapeDef, &Shape), rod: &Shape, shots: u32) -> u32 {
    let mut random = Random(1009);
    let passes = |_: &u32| {
        let mut world = empty();
        let plate = add(&mut world, moving, plate.0, plate.1);
        let [x, y] = [(); 2].map(|()| random.between(-3.0, 3.0));
        let def = BodyDef {
            bullet: true,
            angle: random.between(-3.0, 3.0),
            linear_velocity: Vec2::new(random.between(60.0, 380.0), random.between(-100.0, 100.0)),
            angular_velocity: random.between(-40.0, 40.0),
            ..BodyDef::dynamic(x, y)
        };
        let rod = plain(&mut world, &def, rod);
        (0..40).any(|_| {
            run(&mut world, 1);
            place(&world, plate).x <= place(&world, rod).x
        })
    };
    (0..shots).filter(passes).count() as u32
}

fn turning_shapes() -> [Shape; 4] {
    [
        Shape::new_box(1.5, 0.05).unwrap(),
        Shape::capsule(Vec2::new(-0.5, 0.0), Vec2::new(0.5, 0.0), 0.02).unwrap(),
        Shape::new_box(0.3, 0.3).unwrap(),
        Shape::polygon(
            &[Vec2::new(-0.2, -0.1), Vec2::new(0.2, -0.1), Vec2::new(0.0, 0.2)],
            0.0,
        )
        .unwrap(),
    ]
}

/// A rod that bounces off with one end meets the plate again with the other one, while its middle flies away from the plate:
/// it must not be left where that end met a plate that moves on.
#[test]
fn bullets_do_not_turn_through_a_kinematic_plate_that_comes_toward_them() {
    let thin = Shape::new_box(0.02, 400.0).unwrap();
    for speed in [0.0, 5.0, 20.0, 100.0] {
        let moving = BodyDef {
            linear_velocity: Vec2::new(-speed, 0.0),
            ..BodyDef::kinematic(10.0, 0.0)
        };
        for shape in &turning_shapes() {
            let passed = count_passing(&moving, (&ShapeDef::default(), &thin), shape, 60);
            assert_eq!(passed, 0, "plate at {speed} m/s, {shape:?}");
        }
    }
}

/// Its middle is far from where most bullets are: a disc there says nothing about who passes the plate.
#[test]
fn bullets_do_not_turn_through_a_heavy_plate_that_flies_toward_them() {
    let (thin, heavy) = (
        Shape::new_box(0.05, 400.0).unwrap(),
        ShapeDef {
            density: 1.0e4,
            ..ShapeDef::default()
        },
    );
    for speed in [0.0, 3.0, 10.0, 40.0] {
        let moving = BodyDef {
            linear_velocity: Vec2::new(-speed, 0.0),
            fixed_rotation: true,
            ..BodyDef::dynamic(10.0, 0.0)
        };
        for shape in &turning_shapes() {
            let passed = count_passing(&moving, (&heavy, &thin), shape, 60);
            assert_eq!(passed, 0, "plate at {speed} m/s, {shape:?}");
        }
    }
}
