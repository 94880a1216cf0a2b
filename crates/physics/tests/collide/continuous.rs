//! Continuous collision: nothing passes through a wall, nothing sticks where it only slides, bullets stop at what moves.

use crate::feature_support::{DT, Random, add, place, plain, run, same_everywhere, weightless, world};
use proptest::prelude::*;
use tombolo_physics::{
    BodyDef, BodyId, Filter, PhysicsWorld, Pose, Position, RevoluteDef, Shape, ShapeDef, Vec2, WorldDef,
};

/// The shapes that are shot: disc, capsule, box, rounded box, triangle, and a long thin plank.
fn projectile(kind: usize, size: f32) -> Shape {
    match kind {
        0 => Shape::circle(Vec2::ZERO, size),
        1 => Shape::capsule(Vec2::new(-size, 0.0), Vec2::new(size, 0.0), 0.5 * size),
        2 => Shape::new_box(2.0 * size, 2.0 * size),
        3 => Shape::rounded_box(2.0 * size, size, 0.2 * size),
        4 => Shape::polygon(
            &[
                Vec2::new(-size, -size),
                Vec2::new(size, -0.5 * size),
                Vec2::new(0.0, size),
            ],
            0.0,
        ),
        _ => Shape::new_box(8.0 * size, size),
    }
    .unwrap()
}

/// A wall without thickness at x = 0, sixty meters high.
fn thin_wall(world: &mut PhysicsWorld) -> BodyId {
    let segment = Shape::segment(Vec2::new(0.0, -30.0), Vec2::new(0.0, 30.0)).unwrap();
    plain(world, &BodyDef::fixed(0.0, 0.0), &segment)
}

fn shot(x: f32, y: f32, velocity: Vec2) -> BodyDef {
    BodyDef {
        linear_velocity: velocity,
        ..BodyDef::dynamic(x, y)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn nothing_passes_a_wall_without_thickness(
        kind in 0..6_usize,
        size in 0.05_f32..0.6,
        speed in 5.0_f32..390.0,
        direction in -1.2_f32..1.2,
        angle in -3.0_f32..3.0,
        spin in -40.0_f32..40.0,
        bounce in 0.0_f32..0.8,
    ) {
        let mut world = world(&weightless());
        thin_wall(&mut world);
        let velocity = speed * Vec2::new(libm::cosf(direction), libm::sinf(direction));
        let def = BodyDef { angle, angular_velocity: spin, ..shot(-4.0, 0.0, velocity) };
        let shape_def = ShapeDef { restitution: bounce, ..Default::default() };
        let body = add(&mut world, &def, &shape_def, &projectile(kind, size));
        for step in 0..30 {
            world.step(DT).unwrap();
            let view = world.body(body).unwrap();
            let center = view.center_of_mass();
            // Past the wall's ends it may go where it likes.
            if center.y.abs() > 28.0 {
                break;
            }
            prop_assert!(center.x < 0.0, "step {}: the middle is at {:?}", step, center);
        }
    }
}

#[test]
fn without_continuous_collision_the_same_shot_passes() {
    let def = WorldDef {
        continuous: false,
        ..weightless()
    };
    let mut world = world(&def);
    thin_wall(&mut world);
    let ball = Shape::circle(Vec2::ZERO, 0.2).unwrap();
    let body = plain(&mut world, &shot(-4.0, 0.0, Vec2::new(200.0, 0.0)), &ball);
    run(&mut world, 3);
    assert!(place(&world, body).x > 1.0);
    assert!(!world.is_continuous());
}

#[test]
fn a_body_stops_at_the_impact_and_bounces_in_the_next_step() {
    let mut world = world(&weightless());
    thin_wall(&mut world);
    let ball = Shape::circle(Vec2::ZERO, 0.25).unwrap();
    let bouncy = ShapeDef {
        restitution: 1.0,
        ..Default::default()
    };
    let body = add(
        &mut world,
        &shot(-3.0, 0.0, Vec2::new(240.0, 0.0)),
        &bouncy,
        &ball,
    );
    run(&mut world, 1);
    let stopped = world.body(body).unwrap();
    assert!(
        (stopped.position().x + 0.255).abs() < 0.002,
        "{:?}",
        stopped.position()
    );
    assert_eq!(
        stopped.linear_velocity(),
        Vec2::new(240.0, 0.0),
        "the velocity is kept"
    );
    let event = world.events().moved()[0];
    assert_eq!(
        event.pose,
        stopped.pose(),
        "the event says where the body was set back to"
    );
    run(&mut world, 1);
    assert!((world.body(body).unwrap().linear_velocity().x + 240.0).abs() < 1.0);
}

#[test]
fn a_turning_plank_does_not_sweep_through_a_post() {
    let mut world = world(&weightless());
    let post = Shape::segment(Vec2::new(0.0, 1.2), Vec2::new(0.0, 1.6)).unwrap();
    plain(&mut world, &BodyDef::fixed(0.0, 0.0), &post);
    let plank = Shape::new_box(3.6, 0.1).unwrap();
    let def = BodyDef {
        angle: 0.9,
        angular_velocity: 40.0,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let body = plain(&mut world, &def, &plank);
    run(&mut world, 1);
    let angle = world.body(body).unwrap().rotation().angle();
    assert!(
        angle < 1.571,
        "the plank stands at {angle}, the post at a right angle"
    );
    assert!(angle > 1.4, "it came near: {angle}");
}

#[test]
fn sliding_over_a_floor_of_boxes_is_the_same_with_and_without() {
    let mut random = Random(7);
    let mut compared = 0;
    for kind in [0, 1, 2, 3, 5] {
        for _ in 0..4 {
            let shape = projectile(kind, random.between(0.2, 0.6));
            let speed = random.between(40.0, 100.0);
            let [on, off] = [true, false].map(|continuous| slide(continuous, &shape, speed));
            // A joint of two boxes may throw the body up all the same; where it comes down again it is rightly stopped.
            let sliding = off.iter().take_while(|place| place.y < off[0].y + 0.005).count();
            assert_eq!(on[..sliding], off[..sliding], "kind {kind}, speed {speed}");
            compared += sliding;
        }
    }
    assert!(compared > 500, "{compared} steps were compared");
}

/// Where a body ends in each of a hundred steps that slides over a floor of boxes.
fn slide(continuous: bool, shape: &Shape, speed: f32) -> Vec<Position> {
    let mut world = world(&WorldDef {
        continuous,
        ..Default::default()
    });
    let tile = Shape::new_box(1.0, 1.0).unwrap();
    let smooth = ShapeDef {
        friction: 0.0,
        ..Default::default()
    };
    for x in -5..180 {
        add(&mut world, &BodyDef::fixed(x as f32, -0.5), &smooth, &tile);
    }
    let height = -shape.aabb(Pose::IDENTITY).min.y;
    let def = BodyDef {
        fixed_rotation: true,
        ..shot(0.0, height, Vec2::new(speed, 0.0))
    };
    let body = add(&mut world, &def, &smooth, shape);
    let places = (0..100).map(|_| {
        world.step(DT).unwrap();
        place(&world, body)
    });
    places.collect()
}

#[test]
fn filters_and_joints_let_a_fast_body_through() {
    let ball = Shape::circle(Vec2::ZERO, 0.2).unwrap();
    let fast = Vec2::new(200.0, 0.0);

    let mut world = world(&weightless());
    thin_wall(&mut world);
    let ghost = ShapeDef {
        filter: Filter {
            mask: 2,
            ..Default::default()
        },
        ..Default::default()
    };
    let filtered = add(&mut world, &shot(-2.0, 0.0, fast), &ghost, &ball);
    run(&mut world, 2);
    assert!(place(&world, filtered).x > 1.0, "the filter lets it through");

    let mut world = crate::feature_support::world(&weightless());
    let wall = thin_wall(&mut world);
    let joined = plain(&mut world, &shot(-2.0, 0.0, Vec2::ZERO), &ball);
    world
        .create_joint(RevoluteDef::new(
            wall,
            Vec2::new(-2.0, 3.0),
            joined,
            Vec2::new(0.0, 3.0),
        ))
        .unwrap();
    world
        .body_mut(joined)
        .unwrap()
        .set_angular_velocity(40.0)
        .unwrap();
    world
        .body_mut(joined)
        .unwrap()
        .set_linear_velocity(Vec2::new(120.0, 0.0))
        .unwrap();
    run(&mut world, 2);
    let swung = place(&world, joined);
    assert!(swung.x > 0.2, "the joint keeps the two from touching: {swung:?}");
}

/// A thin dynamic plate in the way of a fast ball.
fn plate_and_ball(bullet: bool) -> (PhysicsWorld, BodyId, BodyId) {
    let mut world = world(&weightless());
    let plate = plain(
        &mut world,
        &BodyDef::dynamic(0.0, 0.0),
        &Shape::new_box(0.04, 4.0).unwrap(),
    );
    let def = BodyDef {
        bullet,
        ..shot(-4.0, 0.0, Vec2::new(300.0, 0.0))
    };
    let ball = plain(&mut world, &def, &Shape::circle(Vec2::ZERO, 0.1).unwrap());
    run(&mut world, 4);
    (world, plate, ball)
}

#[test]
fn a_bullet_hits_a_dynamic_plate_and_another_body_does_not() {
    let (hit, plate, ball) = plate_and_ball(true);
    assert!(hit.body(plate).unwrap().linear_velocity().x > 1.0);
    assert!(place(&hit, ball).x < place(&hit, plate).x);
    assert!(hit.body(ball).unwrap().is_bullet());

    let (missed, plate, ball) = plate_and_ball(false);
    assert_eq!(missed.body(plate).unwrap().linear_velocity(), Vec2::ZERO);
    assert!(place(&missed, ball).x > 10.0);
}

#[test]
fn a_bullet_stops_at_a_kinematic_body_and_at_other_bullets() {
    let mut world = world(&weightless());
    let plate = Shape::new_box(0.04, 4.0).unwrap();
    let ball = Shape::circle(Vec2::ZERO, 0.1).unwrap();
    plain(&mut world, &BodyDef::kinematic(0.0, 0.0), &plate);
    let def = BodyDef {
        bullet: true,
        ..shot(-4.0, 0.0, Vec2::new(300.0, 0.0))
    };
    let stopped = plain(&mut world, &def, &ball);
    let other = BodyDef {
        bullet: true,
        ..BodyDef::dynamic(-4.0, 10.0)
    };
    let target = plain(&mut world, &other, &plate);
    let meeting = plain(
        &mut world,
        &BodyDef {
            position: Position::new(-6.0, 10.0),
            ..def
        },
        &ball,
    );
    run(&mut world, 4);
    assert!(place(&world, stopped).x < 0.0);
    assert!(world.body(target).unwrap().linear_velocity().x > 1.0);
    assert!(
        place(&world, meeting).x < place(&world, target).x,
        "bullets stop bullets"
    );
}

#[test]
fn a_body_pressed_into_a_wall_may_leave_it_but_not_to_the_other_side() {
    let ball = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    for (velocity, outside) in [(Vec2::new(-200.0, 0.0), true), (Vec2::new(200.0, 0.0), false)] {
        let mut world = world(&weightless());
        thin_wall(&mut world);
        // Overlaps by 0.2 m; its core, of radius 0.125 m, does not.
        let body = plain(&mut world, &shot(-0.3, 0.0, velocity), &ball);
        run(&mut world, 3);
        let x = place(&world, body).x;
        assert!(x < 0.0, "the middle stays on its side: {x}");
        assert_eq!(x < -1.0, outside, "moving by {velocity} it is at {x}");
    }
}

#[test]
fn a_fast_body_that_leaves_the_world_is_frozen_where_it_was() {
    let mut world = world(&weightless());
    thin_wall(&mut world);
    let ball = Shape::circle(Vec2::ZERO, 0.2).unwrap();
    let body = plain(&mut world, &BodyDef::dynamic(-4.0, 0.0), &ball);
    world.set_speed_max(1.0e6).unwrap();
    world
        .body_mut(body)
        .unwrap()
        .apply_impulse(Vec2::splat(1.0e30))
        .unwrap();
    world.step(1.0).unwrap();
    run(&mut world, 2);
    let view = world.body(body).unwrap();
    assert!(view.is_frozen());
    assert!(view.position().x < 0.0 && view.position().to_vec2().is_finite());
}

/// A box of thin walls in which many fast bodies of all kinds fly about, some of them bullets.
fn hail() -> PhysicsWorld {
    let mut world = world(&WorldDef {
        sleeping: false,
        ..Default::default()
    });
    let frame = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let corners = [(-10.0, -10.0), (10.0, -10.0), (10.0, 10.0), (-10.0, 10.0)].map(Vec2::from);
    for (i, &corner) in corners.iter().enumerate() {
        let wall = Shape::segment(corner, corners[(i + 1) % 4]).unwrap();
        world.create_shape(frame, &ShapeDef::default(), &wall).unwrap();
    }
    let mut random = Random(11);
    for i in 0..90 {
        let velocity = Vec2::new(random.between(-300.0, 300.0), random.between(-300.0, 300.0));
        let def = BodyDef {
            bullet: i % 3 == 0,
            angular_velocity: random.between(-20.0, 20.0),
            ..shot(random.between(-8.0, 8.0), random.between(-8.0, 8.0), velocity)
        };
        let bouncy = ShapeDef {
            restitution: 0.9,
            ..Default::default()
        };
        let shape = projectile(i % 6, random.between(0.1, 0.3));
        add(&mut world, &def, &bouncy, &shape);
    }
    world
}

#[test]
fn a_hail_of_fast_bodies_is_the_same_everywhere_and_stays_in_its_box() {
    let world = same_everywhere(hail, 90, |world| format!("{:?}", world.events().moved()));
    world.validate();
    for body in world.bodies() {
        let center = body.center_of_mass();
        assert!(
            center.x.abs() < 10.0 && center.y.abs() < 10.0,
            "{:?} left the box: {center:?}",
            body.id()
        );
    }
}

/// Two hundred rods that do not touch each other, thrown from three meters onto a floor of so many meters. How many have
/// not come down after ten seconds.
fn rods_in_the_air(half_length: f32, half_width: f32, floor_half: f32) -> usize {
    let mut world = world(&WorldDef::default());
    let floor = Shape::new_box(2.0 * floor_half, 2.0).unwrap();
    plain(&mut world, &BodyDef::fixed(0.0, -1.0), &floor);
    let rod = Shape::new_box(2.0 * half_length, 2.0 * half_width).unwrap();
    let alone = ShapeDef {
        filter: Filter {
            group: -1,
            ..Default::default()
        },
        ..Default::default()
    };
    let mut random = Random(5);
    let rods: Vec<BodyId> = (0..200)
        .map(|i| {
            let x = 0.9 * floor_half * (i as f32 / 100.0 - 1.0);
            let def = BodyDef {
                angle: random.between(-3.0, 3.0),
                angular_velocity: random.between(-6.0, 6.0),
                ..shot(
                    x,
                    3.0,
                    Vec2::new(random.between(-3.0, 3.0), random.between(-2.0, 2.0)),
                )
            };
            add(&mut world, &def, &alone, &rod)
        })
        .collect();
    for _ in 0..600 {
        world.step(DT).unwrap();
        assert_eq!(world.events().held(), [], "nobody is held");
    }
    let up = |&&body: &&BodyId| {
        let view = world.body(body).unwrap();
        let lowest = rod.aabb(view.pose()).min.y;
        // Some go over the edge.
        lowest > -0.5 && (lowest.abs() > 0.02 || view.is_awake())
    };
    rods.iter().filter(up).count()
}

#[test]
fn thin_rods_thrown_on_wide_floors_come_to_rest_on_them() {
    for floor_half in [10.0, 50.0, 500.0] {
        for (half_length, half_width) in [(1.0, 0.02), (0.5, 0.05), (0.5, 0.0025), (0.1, 0.001)] {
            let up = rods_in_the_air(half_length, half_width, floor_half);
            assert_eq!(
                up,
                0,
                "of 200 rods of {} x {} m on a floor of {} m",
                2.0 * half_length,
                2.0 * half_width,
                2.0 * floor_half
            );
        }
    }
}

/// A ball that flies to the right, and a kinematic plate that comes from there. Where both are after each step.
fn plate_against_ball(
    plate_speed: f32,
    ball_speed: f32,
    distance: f32,
    spin: f32,
    plate_first: bool,
) -> Vec<[Position; 2]> {
    let mut world = world(&weightless());
    let plate = BodyDef {
        linear_velocity: Vec2::new(-plate_speed, 0.0),
        angular_velocity: spin,
        ..BodyDef::kinematic(distance, 0.0)
    };
    let bullet = BodyDef {
        bullet: true,
        ..shot(0.0, 0.3, Vec2::new(ball_speed, 0.0))
    };
    let (thin, round) = (
        Shape::new_box(0.1, 6.0).unwrap(),
        Shape::circle(Vec2::ZERO, 0.1).unwrap(),
    );
    // A second plate that takes part in nothing, elsewhere, to change the order of all lists.
    let bystander = BodyDef {
        position: Position::new(distance, 40.0),
        ..plate.clone()
    };
    let (plate, ball) = if plate_first {
        let plate = plain(&mut world, &plate, &thin);
        plain(&mut world, &bystander, &thin);
        (plate, plain(&mut world, &bullet, &round))
    } else {
        let ball = plain(&mut world, &bullet, &round);
        plain(&mut world, &bystander, &thin);
        (plain(&mut world, &plate, &thin), ball)
    };
    let steps = (distance / ((plate_speed + ball_speed) * DT)) as usize + 4;
    (0..steps)
        .map(|_| {
            world.step(DT).unwrap();
            [plate, ball].map(|body| place(&world, body))
        })
        .collect()
}

#[test]
fn a_bullet_does_not_pass_a_kinematic_plate_that_comes_toward_it() {
    for plate_speed in [20.0, 40.0, 60.0] {
        for ball_speed in [0.0, 30.0, 100.0, 390.0] {
            for phase in 0..20 {
                for spin in [0.0, 2.0] {
                    let distance = 3.0 + 0.05 * phase as f32 * (plate_speed + ball_speed) * DT;
                    let way = plate_against_ball(plate_speed, ball_speed, distance, spin, true);
                    for (step, [plate, ball]) in way.iter().enumerate() {
                        assert!(
                            ball.x < plate.x,
                            "plate {plate_speed}, ball {ball_speed}, phase {phase}, spin {spin}, step {step}: \
                             the ball is at {ball:?}, the plate at {plate:?}"
                        );
                    }
                    // Until they have met every bit is the same; what contacts then do goes by the order of shapes.
                    let other = plate_against_ball(plate_speed, ball_speed, distance, spin, false);
                    let flies =
                        |step: &usize| (way[*step][1].x - ball_speed * DT * (step + 1) as f32).abs() < 1.0e-4;
                    let met = (0..way.len()).position(|step| !flies(&step)).unwrap();
                    assert_eq!(way[..=met], other[..=met], "the order of bodies decides");
                    for (one, other) in way.iter().zip(&other) {
                        assert!(
                            (one[1] - other[1]).length() < 1.0e-3,
                            "the order of bodies decides"
                        );
                    }
                }
            }
        }
    }
}

/// Plates that come from all sides, and bullets among them; a wall behind.
fn press() -> PhysicsWorld {
    let mut world = world(&weightless());
    let wall = Shape::segment(Vec2::new(-6.0, -30.0), Vec2::new(-6.0, 30.0)).unwrap();
    plain(&mut world, &BodyDef::fixed(0.0, 0.0), &wall);
    let plate = Shape::new_box(0.1, 4.0).unwrap();
    let mut random = Random(3);
    for row in -3..=3_i32 {
        let y = 5.0 * row as f32;
        for speed in [20.0, 60.0] {
            let def = BodyDef {
                linear_velocity: Vec2::new(-speed, 0.0),
                angular_velocity: 0.3 * row as f32,
                ..BodyDef::kinematic(0.1 * speed, y)
            };
            plain(&mut world, &def, &plate);
        }
        for i in 0..4 {
            let def = BodyDef {
                bullet: true,
                ..shot(
                    -3.0 + i as f32,
                    y + random.between(-1.0, 1.0),
                    Vec2::new(random.between(0.0, 300.0), random.between(-5.0, 5.0)),
                )
            };
            plain(&mut world, &def, &projectile(i % 5, 0.1));
        }
    }
    world
}

#[test]
fn bullets_among_plates_are_the_same_everywhere_and_are_not_pressed_through_a_wall() {
    let world = same_everywhere(press, 24, |world| format!("{:?}", world.events().moved()));
    for body in world.bodies().filter(|body| body.is_bullet()) {
        let center = body.center_of_mass();
        assert!(
            center.x > -6.0 || center.y.abs() > 29.0,
            "pressed through the wall: {center:?}"
        );
    }
}

#[test]
fn what_a_press_wedges_in_twice_loses_its_speed_and_is_reported() {
    let mut reports = 0;
    for speed in [5.0, 20.0, 60.0] {
        for size in [0.02, 0.1, 0.5] {
            // A kinematic box presses a ball into the corner of two walls without thickness.
            let mut world = world(&weightless());
            for side in [-5.0, 5.0] {
                let wall = Shape::segment(Vec2::ZERO, Vec2::new(side, 5.0)).unwrap();
                plain(&mut world, &BodyDef::fixed(0.0, 0.0), &wall);
            }
            let ball = Shape::circle(Vec2::ZERO, size).unwrap();
            let body = plain(&mut world, &BodyDef::dynamic(0.0, 1.5 * size), &ball);
            let press = BodyDef {
                linear_velocity: Vec2::new(0.0, -speed),
                ..BodyDef::kinematic(0.0, 4.0 * size + 1.0)
            };
            plain(&mut world, &press, &Shape::new_box(2.0, 2.0).unwrap());
            let mut before = None;
            for _ in 0..60 {
                world.step(DT).unwrap();
                let view = world.body(body).unwrap();
                let held = world.events().held();
                if let [event] = held {
                    assert_eq!(event.body, body);
                    assert_eq!(view.linear_velocity(), Vec2::ZERO);
                    let old: Pose = before.expect("held in the step before");
                    // Up to a hundredth of its motion, which is that of the press and of the push out of it.
                    let moved = (view.pose().position - old.position).length();
                    let least = 0.01 * (speed + 3.0) * DT;
                    assert!(moved <= least, "held where it was: {moved} m from there");
                    let turn = old.rotation.to(view.pose().rotation);
                    assert!(turn.sin.abs() < 0.01, "held as it was: turned by {turn:?}");
                }
                reports += held.len();
                before = Some(view.pose());
            }
        }
    }
    assert!(reports > 0, "the press never wedged it in");
}
