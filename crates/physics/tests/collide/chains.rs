//! Chains: solid from one side, smooth over their joints, and the same everywhere.

use crate::feature_support::{DT, Random, add, place, plain, run, same_everywhere, weightless, world};
use std::f32::consts::PI;
use tombolo_physics::{
    BodyDef, ChainDef, PhysicsError, PhysicsWorld, Pose, Rot, Shape, ShapeDef, ShapeKind, Vec2, WorldDef,
};

fn chain(world: &mut PhysicsWorld, points: Vec<Vec2>, closed: bool) -> usize {
    let ground = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let shape = ShapeDef {
        friction: 0.0,
        ..Default::default()
    };
    let def = ChainDef {
        points,
        closed,
        shape,
    };
    world.create_chain(ground, &def).unwrap().len()
}

/// A level floor of segments half a meter long, solid from above.
fn level(from: i32, to: i32) -> Vec<Vec2> {
    (from..=to)
        .rev()
        .map(|x| Vec2::new(0.5 * x as f32, 0.0))
        .collect()
}

fn sliders() -> Vec<Shape> {
    vec![
        Shape::circle(Vec2::ZERO, 0.4).unwrap(),
        Shape::capsule(Vec2::new(-0.3, 0.0), Vec2::new(0.3, 0.0), 0.2).unwrap(),
        Shape::new_box(0.8, 0.6).unwrap(),
        Shape::rounded_box(0.6, 0.4, 0.1).unwrap(),
        Shape::polygon(
            &[Vec2::new(-0.5, 0.0), Vec2::new(0.4, 0.0), Vec2::new(0.0, 0.6)],
            0.0,
        )
        .unwrap(),
    ]
}

#[test]
fn what_slides_over_the_joints_of_a_level_chain_keeps_its_speed_and_height() {
    for shape in sliders() {
        for speed in [1.0, 7.0, 33.0] {
            let mut world = world(&WorldDef::default());
            chain(&mut world, level(-10, 400), false);
            let height = -shape.aabb(Pose::IDENTITY).min.y;
            let def = BodyDef {
                linear_velocity: Vec2::new(speed, 0.0),
                ..BodyDef::dynamic(0.0, height)
            };
            let body = plain(&mut world, &def, &shape);
            for step in 0..200 {
                world.step(DT).unwrap();
                let view = world.body(body).unwrap();
                let velocity = view.linear_velocity();
                let name = format!("{:?} at {speed} m/s, step {step}", shape.kind());
                assert!((velocity.x - speed).abs() < 1.0e-3 * speed, "{name}: {velocity}");
                assert!(
                    (view.position().y - height).abs() < 0.01,
                    "{name}: {:?}",
                    view.position()
                );
            }
        }
    }
}

#[test]
fn a_chain_is_solid_from_its_right_side_only() {
    for upwards in [false, true] {
        let mut world = world(&WorldDef::default());
        chain(&mut world, level(-20, 20), false);
        let gravity = if upwards { 10.0 } else { -10.0 };
        world.set_gravity(Vec2::new(0.0, gravity)).unwrap();
        let start = if upwards { -2.0 } else { 2.0 };
        let body = plain(&mut world, &BodyDef::dynamic(0.2, start), &sliders()[2]);
        run(&mut world, 120);
        let y = place(&world, body).y;
        if upwards {
            assert!(y > 10.0, "from below it goes through: {y}");
        } else {
            assert!((y - 0.3).abs() < 0.01, "from above it rests on it: {y}");
        }
    }
}

#[test]
fn continuous_collision_sees_the_side_too() {
    for (start, passes) in [(3.0, false), (-3.0, true)] {
        let mut world = world(&weightless());
        chain(&mut world, level(-20, 20), false);
        let def = BodyDef {
            linear_velocity: Vec2::new(0.0, -100.0 * start),
            ..BodyDef::dynamic(0.1, start)
        };
        let body = plain(&mut world, &def, &Shape::circle(Vec2::ZERO, 0.2).unwrap());
        run(&mut world, 3);
        assert!(place(&world, body).y > 0.0, "from {start}");
        assert_eq!(
            place(&world, body).y > 5.0,
            passes,
            "from {start}: {:?}",
            place(&world, body)
        );
    }
}

/// What comes at the open end of a chain from beside it, so that its middle would pass the last segment, is neither held in
/// the air at the end, which has no corner, nor let through.
#[test]
fn nothing_is_held_at_an_open_end() {
    for step_s in [1.0 / 30.0, DT] {
        for i in 0..400 {
            let mut world = world(&WorldDef::default());
            let points = [(6.0, 0.05), (5.5, 0.2), (5.0, 0.2), (4.5, 0.05), (0.0, 0.05)];
            chain(&mut world, points.map(|(x, y)| Vec2::new(x, y)).to_vec(), false);
            let radius = 0.04 + 0.002 * (i % 20) as f32;
            let def = BodyDef {
                linear_velocity: Vec2::new(-6.0 - 0.3 * (i / 20) as f32, 2.0),
                ..BodyDef::dynamic(9.0 + 0.01 * (i % 37) as f32, 0.06)
            };
            let body = plain(&mut world, &def, &Shape::circle(Vec2::ZERO, radius).unwrap());
            let mut held = 0;
            for _ in 0..40 {
                let before = world.body(body).unwrap().position().to_vec2();
                world.step(step_s).unwrap();
                let body = world.body(body).unwrap();
                let (after, speed) = (body.position().to_vec2(), body.linear_velocity().length());
                let is_free = !body.contacts().any(|contact| contact.is_touching());
                let is_held = is_free && (after - before).length() < 0.5 * speed * step_s;
                held = if is_held { held + 1 } else { 0 };
                assert!(held <= 2, "case {i}: held at {after} with {speed} m/s");
                assert_eq!(world.events().held(), &[]);
            }
        }
    }
}

/// A disk whose middle is beside an open end goes by that end, into which no contact reaches; its middle was kept away from it as
/// from a corner, step after step. One whose middle comes to be over the segment is stopped there and not before.
#[test]
fn a_disk_that_reaches_over_an_open_end_is_neither_led_around_it_nor_held() {
    for (radius, speed) in [(0.253_67, 16.5), (0.253_67, 60.0), (2.0, 120.0), (11.0, 320.0)] {
        for i in 0..600 {
            let mut world = world(&WorldDef::default());
            let points = [(0.0, 0.2), (-0.5, 0.0), (-1.0, 0.0), (-30.0, 0.0)];
            chain(&mut world, points.map(Vec2::from).to_vec(), false);
            let direction = -3.0 + 0.14 * (i % 20) as f32;
            let velocity = speed * Vec2::new(libm::cosf(direction), libm::sinf(direction));
            let from = Vec2::new(0.03 * radius * (i / 20) as f32, 0.2) - 2.0 * DT * velocity;
            let def = BodyDef {
                linear_velocity: velocity,
                ..BodyDef::dynamic(from.x, from.y)
            };
            let body = plain(&mut world, &def, &Shape::circle(Vec2::ZERO, radius).unwrap());
            let mut held = 0;
            for _ in 0..20 {
                let before = world.body(body).unwrap();
                let free = before.position().to_vec2() + DT * before.linear_velocity();
                run(&mut world, 1);
                let body = world.body(body).unwrap();
                let (after, velocity) = (body.position().to_vec2(), body.linear_velocity());
                let is_free = !body.contacts().any(|contact| contact.is_touching());
                // Gravity alone makes two millimeters.
                let is_held = is_free && (after - free).length() > 0.1 * DT * velocity.length() + 0.003;
                held = if is_held { held + 1 } else { 0 };
                assert!(held <= 2, "{radius} m, case {i}: held at {after} with {velocity}");
                assert_eq!(world.events().held(), &[], "{radius} m, case {i}, at {after}");
            }
        }
    }
}

#[test]
fn a_body_comes_to_rest_in_a_corner_and_on_an_edge_of_a_chain() {
    // From right to left: a high floor, a step down whose edge sticks out, a floor, and a wall at its end.
    let points = [(20.0, 2.0), (5.0, 2.0), (5.0, 0.0), (-5.0, 0.0), (-5.0, 8.0)];
    let mut world = world(&WorldDef::default());
    let count = chain(&mut world, points.map(Vec2::from).to_vec(), false);
    assert_eq!(count, 4);
    let square = Shape::new_box(1.0, 1.0).unwrap();
    let in_corner = plain(
        &mut world,
        &BodyDef {
            linear_velocity: Vec2::new(-4.0, 0.0),
            ..BodyDef::dynamic(-3.0, 0.6)
        },
        &square,
    );
    let overhanging = plain(&mut world, &BodyDef::dynamic(5.3, 2.6), &square);
    run(&mut world, 200);
    let corner = place(&world, in_corner);
    assert!((corner.y - 0.5).abs() < 0.01 && corner.x > -4.52, "{corner:?}");
    let edge = place(&world, overhanging);
    assert!(
        (edge.y - 2.5).abs() < 0.01 && (edge.x - 5.3).abs() < 0.02,
        "{edge:?}"
    );
}

#[test]
fn bad_chains_are_refused_and_make_nothing() {
    let mut world = world(&WorldDef::default());
    let ground = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let two = vec![Vec2::ZERO, Vec2::X];
    let refused = |world: &mut PhysicsWorld, points: &[Vec2], closed| {
        let def = ChainDef {
            points: points.to_vec(),
            closed,
            ..Default::default()
        };
        world.create_chain(ground, &def).unwrap_err().to_string()
    };
    assert!(refused(&mut world, &two[..1], false).contains("number of points is 1"));
    assert!(refused(&mut world, &two, true).contains("number of points is 2"));
    refused(&mut world, &[Vec2::ZERO, Vec2::X, Vec2::X], false);
    refused(&mut world, &[Vec2::ZERO, Vec2::X, Vec2::NAN], false);
    assert_eq!(world.shapes().len(), 0);
    world.destroy_body(ground).unwrap();
    let def = ChainDef {
        points: two,
        ..Default::default()
    };
    let error = world.create_chain(ground, &def).unwrap_err();
    assert_eq!(error, PhysicsError::StaleHandle { what: "body" });
}

#[test]
fn a_fast_body_goes_round_in_a_ring_without_being_held_back() {
    let [on, off] = [true, false].map(way_in_a_ring);
    assert!(
        on > 0.99 * off,
        "{on} m with continuous collision, {off} m without"
    );
}

/// How far a disc gets along the inside of a ring in half a second that would take it twenty meters on a straight line.
/// Within a step the ring bends by twice the skin of continuous collision.
fn way_in_a_ring(continuous: bool) -> f32 {
    let mut world = world(&WorldDef {
        continuous,
        ..weightless()
    });
    let clockwise =
        (0..120).map(|i| Rot::from_angle(-2.0 * PI * i as f32 / 120.0).rotate(Vec2::new(6.0, 0.0)));
    chain(&mut world, clockwise.collect(), true);
    let smooth = ShapeDef {
        friction: 0.0,
        ..Default::default()
    };
    let def = BodyDef {
        linear_velocity: Vec2::new(40.0, 0.0),
        ..BodyDef::dynamic(0.0, -5.645)
    };
    let body = add(
        &mut world,
        &def,
        &smooth,
        &Shape::circle(Vec2::ZERO, 0.35).unwrap(),
    );
    let mut way = 0.0;
    for _ in 0..30 {
        let before = place(&world, body).to_vec2();
        world.step(DT).unwrap();
        way += place(&world, body).to_vec2().distance(before);
    }
    way
}

/// A round container, full of falling bodies.
fn container() -> PhysicsWorld {
    let mut world = world(&WorldDef::default());
    let clockwise = (0..60).map(|i| Rot::from_angle(-2.0 * PI * i as f32 / 60.0).rotate(Vec2::new(6.0, 0.0)));
    let points: Vec<Vec2> = clockwise.collect();
    assert_eq!(chain(&mut world, points, true), 60);
    let mut random = Random(3);
    let shapes = sliders();
    for i in 0..80 {
        let def = BodyDef {
            angle: random.between(-3.0, 3.0),
            linear_velocity: Vec2::new(random.between(-40.0, 40.0), random.between(-40.0, 40.0)),
            ..BodyDef::dynamic(random.between(-3.0, 3.0), random.between(-3.0, 3.0))
        };
        plain(&mut world, &def, &shapes[i % shapes.len()]);
    }
    world
}

#[test]
fn a_closed_clockwise_chain_is_a_container_and_the_same_everywhere() {
    let world = same_everywhere(container, 120, |world| {
        format!("{:?}", world.events().begin_touch())
    });
    world.validate();
    assert!(
        world
            .shapes()
            .take(60)
            .all(|shape| shape.geometry().kind() == ShapeKind::ChainSegment)
    );
    for body in world.bodies().skip(1) {
        let out = body.center_of_mass().to_vec2().length();
        assert!(out < 6.0, "{:?} is {out} m from the middle", body.id());
    }
}

/// Ground with hills, from right to left.
fn hills(from: i32, to: i32) -> Vec<Vec2> {
    let height = |x: f32| 0.8 * libm::sinf(0.35 * x) + 0.3 * libm::sinf(0.9 * x);
    (from..=to)
        .rev()
        .map(|x| Vec2::new(0.7 * x as f32, height(0.7 * x as f32)))
        .collect()
}

/// The segments of a chain, each made alone of two points and their neighbors, are those of the chain, to the bit.
#[test]
fn segments_made_singly_are_those_of_a_chain() {
    let points = hills(-12, 60);
    let run = |singly: bool| {
        let mut world = world(&WorldDef::default());
        let ground = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
        let def = ChainDef {
            points: points.clone(),
            ..ChainDef::default()
        };
        if singly {
            let first = 2.0 * points[0] - points[1];
            let last = 2.0 * points[points.len() - 1] - points[points.len() - 2];
            let all: Vec<Vec2> = [first].into_iter().chain(points.clone()).chain([last]).collect();
            for four in all.windows(4) {
                let segment = Shape::chain_segment(four[0], four[1], four[2], four[3]).unwrap();
                world.create_shape(ground, &def.shape, &segment).unwrap();
            }
        } else {
            world.create_chain(ground, &def).unwrap();
        }
        for (index, shape) in sliders().iter().enumerate() {
            let def = BodyDef {
                linear_velocity: Vec2::new(5.0, 0.0),
                ..BodyDef::dynamic(2.5 * index as f32, 3.0)
            };
            plain(&mut world, &def, shape);
        }
        for _ in 0..240 {
            world.step(DT).unwrap();
        }
        world.state_hash()
    };
    assert_eq!(run(true), run(false));
}

/// Ground that is made in front of a body and taken away behind it: the body goes as over ground that is all there.
#[test]
fn streamed_ground_has_no_bumps() {
    const AHEAD: i32 = 6;
    let point = |x: i32| Vec2::new(0.5 * x as f32, 0.0);
    let segment = |x: i32| Shape::chain_segment(point(x + 2), point(x + 1), point(x), point(x - 1)).unwrap();
    for shape in sliders() {
        for speed in [3.0, 20.0] {
            let mut world = world(&WorldDef::default());
            let ground = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
            let smooth = ShapeDef {
                friction: 0.0,
                ..ShapeDef::default()
            };
            let mut segments = std::collections::VecDeque::new();
            let mut next = -AHEAD;
            let height = -shape.aabb(Pose::IDENTITY).min.y;
            let def = BodyDef {
                linear_velocity: Vec2::new(speed, 0.0),
                ..BodyDef::dynamic(0.0, height)
            };
            let body = plain(&mut world, &def, &shape);
            for step in 0..240 {
                let at = (world.body(body).unwrap().position().x / 0.5) as i32;
                while next < at + AHEAD {
                    segments.push_back(world.create_shape(ground, &smooth, &segment(next)).unwrap());
                    next += 1;
                }
                while segments.len() > 2 * AHEAD as usize {
                    world.destroy_shape(segments.pop_front().unwrap()).unwrap();
                }
                if step % 50 == 7 {
                    world = PhysicsWorld::from_save(&world.save()).unwrap();
                }
                world.step(DT).unwrap();
                let view = world.body(body).unwrap();
                let name = format!("{:?} at {speed} m/s, step {step}", shape.kind());
                assert!(
                    (view.linear_velocity().x - speed).abs() < 1.0e-3 * speed,
                    "{name}: {}",
                    view.linear_velocity()
                );
                assert!(
                    (view.position().y - height).abs() < 0.01,
                    "{name}: {:?}",
                    view.position()
                );
            }
            assert!(next > (3.5 * speed) as i32, "it went far");
        }
    }
}

/// A neighbor that comes to lie elsewhere: the segment is given its new ones and goes on under its id.
#[test]
fn a_segment_is_given_other_neighbors_in_place() {
    let mut world = world(&WorldDef::default());
    let ground = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let segment = |after: Vec2| {
        let [before, a, b] = [(8.0, 0.0), (4.0, 0.0), (-4.0, 0.0)].map(Vec2::from);
        Shape::chain_segment(before, a, b, after).unwrap()
    };
    // The ground ends in an edge, and then goes on.
    let edge = world
        .create_shape(ground, &ShapeDef::default(), &segment(Vec2::new(-4.0, -4.0)))
        .unwrap();
    let body = plain(
        &mut world,
        &BodyDef::dynamic(0.0, 0.5),
        &Shape::new_box(1.0, 1.0).unwrap(),
    );
    for _ in 0..30 {
        world.step(DT).unwrap();
    }
    let contact = world.body(body).unwrap().contacts().next().unwrap().id();
    world
        .shape_mut(edge)
        .unwrap()
        .set_geometry(&segment(Vec2::new(-8.0, 0.0)))
        .unwrap();
    world.validate();
    world.step(DT).unwrap();
    assert!(world.contact(contact).unwrap().is_touching() && world.events().end_touch().is_empty());
    assert_eq!(
        world.shape(edge).unwrap().geometry(),
        &segment(Vec2::new(-8.0, 0.0))
    );
}
