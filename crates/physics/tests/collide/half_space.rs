//! Half-spaces: what rests, slides, falls and looks on ground without end does what closed forms say, at any angle and far
//! out; they are saved, and refused where they make no sense.

use crate::world_support::DT;
use tombolo_physics::{
    BodyDef, BodyId, BodyKind, Motion, PhysicsError, PhysicsWorld, Pose, Position, QueryFilter, Rot, Shape,
    ShapeDef, Vec2, WorldDef,
};

fn ground(world: &mut PhysicsWorld, point: Vec2, normal: Vec2, friction: f32) -> BodyId {
    let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let def = ShapeDef {
        friction,
        ..ShapeDef::default()
    };
    let shape = Shape::half_space(point, normal).unwrap();
    world.create_shape(body, &def, &shape).unwrap();
    body
}

fn shapes() -> [(&'static str, Shape, f32); 3] {
    [
        ("ball", Shape::circle(Vec2::ZERO, 0.5).unwrap(), 0.5),
        ("box", Shape::new_box(1.0, 0.6).unwrap(), 0.3),
        (
            "capsule",
            Shape::capsule(Vec2::new(-0.5, 0.0), Vec2::new(0.5, 0.0), 0.2).unwrap(),
            0.2,
        ),
    ]
}

fn drop(world: &mut PhysicsWorld, place: Vec2, angle: f32, shape: &Shape) -> BodyId {
    let def = BodyDef {
        angle,
        ..BodyDef::dynamic(place.x, place.y)
    };
    let body = world.create_body(&def).unwrap();
    let def = ShapeDef {
        friction: 1.0,
        ..ShapeDef::default()
    };
    world.create_shape(body, &def, shape).unwrap();
    body
}

/// PF-23: any angle, 10 km out, rests within the slop, with gravity straight into the ground.
#[test]
fn pf_23_bodies_rest_on_half_spaces_of_any_angle_far_out() {
    for turn in 0..8 {
        for out in [0.0, 1000.0, 10_000.0] {
            let angle = turn as f32 * 0.7;
            let turned = Rot::from_angle(angle);
            let normal = turned.rotate(Vec2::Y);
            let along = turned.rotate(Vec2::X);
            let mut world = PhysicsWorld::new(&WorldDef {
                gravity: -10.0 * normal,
                ..WorldDef::default()
            })
            .unwrap();
            ground(&mut world, 2.0 * normal, normal, 1.0);
            let placed: Vec<(&str, BodyId, f32)> = shapes()
                .into_iter()
                .zip(0..)
                .map(|((name, shape, low), i)| {
                    let place = (out + 3.0 * i as f32) * along + (2.0 + low + 0.1) * normal;
                    (name, drop(&mut world, place, angle, &shape), low)
                })
                .collect();
            for _ in 0..240 {
                world.step(DT).unwrap();
            }
            for (name, body, low) in placed {
                let body = world.body(body).unwrap();
                let height = body.position().to_vec2().as_dvec2().dot(normal.as_dvec2()) - 2.0;
                let off = height - f64::from(low);
                assert!(
                    off.abs() < 0.0075,
                    "{name}, turned by {angle}, {out} m out: {off} m off"
                );
                let speed = body.linear_velocity().length();
                assert!(
                    speed < 0.02,
                    "{name}, turned by {angle}, {out} m out: {speed} m/s"
                );
            }
        }
    }
}

/// A ball that rolls without friction down a slope, against g sin(a).
#[test]
fn what_slides_down_follows_the_closed_form() {
    let angle = 0.3_f32;
    let (sin, cos) = (libm::sinf(angle), libm::cosf(angle));
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    ground(&mut world, Vec2::ZERO, Vec2::new(-sin, cos), 0.0);
    let normal = Vec2::new(-sin, cos);
    let ball = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    let body = drop(&mut world, 0.5 * normal, 0.0, &ball);
    for _ in 0..180 {
        world.step(DT).unwrap();
    }
    let expected = 10.0 * sin * 3.0;
    let speed = world.body(body).unwrap().linear_velocity().length();
    assert!(
        (speed - expected).abs() < 0.01 * expected,
        "{speed} and not {expected}"
    );
}

/// Whatever begins inside is pushed out over the line, however deep, and not to a side; a box may turn over when it lands.
#[test]
fn what_is_deep_inside_comes_out_over_the_line() {
    for (name, shape, low) in shapes() {
        for depth in [0.5, 5.0, 40.0] {
            let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
            ground(&mut world, Vec2::ZERO, Vec2::Y, 1.0);
            let body = drop(&mut world, Vec2::new(0.0, -depth), 0.0, &shape);
            for _ in 0..1200 {
                world.step(DT).unwrap();
            }
            let place = world.body(body).unwrap().position();
            assert!(
                (place.y - low).abs() < 0.01,
                "{name} from {depth} m deep: {place:?}"
            );
            assert!(place.x.abs() < 2.0, "{name} from {depth} m deep: {place:?}");
        }
    }
}

/// Continuous collision: what is fast and thin does not get in.
#[test]
fn fast_bodies_stop_at_the_line() {
    for (name, shape, low) in shapes() {
        for speed in [100.0, 1000.0, 10_000.0] {
            let mut world = PhysicsWorld::new(&WorldDef {
                speed_max: 20_000.0,
                ..WorldDef::default()
            })
            .unwrap();
            ground(&mut world, Vec2::ZERO, Vec2::Y, 1.0);
            let def = BodyDef {
                linear_velocity: Vec2::new(0.5 * speed, -speed),
                ..BodyDef::dynamic(0.0, 50.0)
            };
            let body = world.create_body(&def).unwrap();
            world.create_shape(body, &ShapeDef::default(), &shape).unwrap();
            for _ in 0..60 {
                world.step(DT).unwrap();
                let height = world.body(body).unwrap().position().y;
                assert!(height > low - 0.1, "{name} at {speed} m/s is at {height}");
            }
        }
    }
}

/// A kinematic one: it lifts, and tilts what lies on it.
#[test]
fn a_half_space_that_moves_carries() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let lift = world
        .create_body(&BodyDef {
            kind: BodyKind::Kinematic,
            linear_velocity: Vec2::new(0.0, 2.0),
            ..BodyDef::fixed(0.0, 0.0)
        })
        .unwrap();
    let shape = Shape::half_space(Vec2::ZERO, Vec2::Y).unwrap();
    world.create_shape(lift, &ShapeDef::default(), &shape).unwrap();
    let ball = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    let body = drop(&mut world, Vec2::new(300.0, 0.5), 0.0, &ball);
    for step in 1..=300 {
        world.step(DT).unwrap();
        let height = world.body(body).unwrap().position().y - 2.0 * step as f32 * DT;
        assert!((height - 0.5).abs() < 0.05, "step {step}: {height}");
    }
}

/// How far the lowest part of one of [`shapes`] is above a line through the origin that is turned by `angle`.
fn clearance(world: &PhysicsWorld, body: BodyId, name: &str, angle: f32) -> f64 {
    let body = world.body(body).unwrap();
    let (sin, cos) = (libm::sin(f64::from(angle)), libm::cos(f64::from(angle)));
    let place = body.position().to_vec2().as_dvec2();
    let tilt = f64::from(body.pose().rotation.angle() - angle);
    let (across, along) = (libm::cos(tilt).abs(), libm::sin(tilt).abs());
    let low = match name {
        "ball" => 0.5,
        "box" => 0.3 * across + 0.5 * along,
        _ => 0.2 + 0.5 * along,
    };
    cos * place.y - sin * place.x - low
}

/// A world without gravity with a body near to a half-space that turns about the origin, whichever was made first.
fn on_a_turning_one(is_ground_first: bool, spin: f32, place: Vec2, shape: &Shape) -> (PhysicsWorld, BodyId) {
    let mut world = PhysicsWorld::new(&WorldDef {
        gravity: Vec2::ZERO,
        ..WorldDef::default()
    })
    .unwrap();
    let turning = |world: &mut PhysicsWorld| {
        let def = BodyDef {
            angular_velocity: spin,
            ..BodyDef::kinematic(0.0, 0.0)
        };
        let body = world.create_body(&def).unwrap();
        let shape = Shape::half_space(Vec2::ZERO, Vec2::Y).unwrap();
        let def = ShapeDef {
            friction: 1.0,
            ..ShapeDef::default()
        };
        world.create_shape(body, &def, &shape).unwrap();
    };
    if is_ground_first {
        turning(&mut world);
    }
    let body = drop(&mut world, place, 0.0, shape);
    if !is_ground_first {
        turning(&mut world);
    }
    (world, body)
}

/// What floats in its way is hit when the line comes, and is then as fast as that is there: its distance times the spin.
#[test]
fn a_half_space_that_turns_slowly_passes_nobody() {
    const SPEED: f32 = 0.5;
    for is_ground_first in [true, false] {
        for (name, shape, low) in shapes() {
            for out in [10.0, 100.0, 1000.0] {
                let spin = SPEED / out;
                let place = Vec2::new(out, low + 0.1);
                let (mut world, body) = on_a_turning_one(is_ground_first, spin, place, &shape);
                for step in 1..=120 {
                    world.step(DT).unwrap();
                    let angle = spin * step as f32 * DT;
                    let gap = clearance(&world, body, name, angle);
                    let what = format!("{name}, {out} m out, ground first: {is_ground_first}, step {step}");
                    assert!(gap > -0.01, "{what}: {gap} m");
                    if step > 30 {
                        assert!(gap < if name == "ball" { 0.03 } else { 0.1 }, "{what}: {gap} m");
                        let speed = world.body(body).unwrap().linear_velocity().y;
                        // A corner of what is not round is hit first, and sets it turning.
                        let off = if name == "ball" { 0.03 } else { 0.1 };
                        assert!((speed - SPEED).abs() < off, "{what}: {speed} m/s");
                    }
                }
                let restored = PhysicsWorld::from_save(&world.save()).unwrap();
                assert_eq!(restored.state_hash(), world.state_hash());
            }
        }
    }
}

#[test]
fn queries_know_half_spaces() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let body = ground(&mut world, Vec2::new(0.0, 1.0), Vec2::new(-0.6, 0.8), 0.5);
    // Height over the line of a place: -0.6 x + 0.8 (y - 1).
    let below = Position::new(10.0, 8.0);
    let at = world.overlap_point(below, QueryFilter::default()).unwrap();
    assert_eq!(at.len(), 1, "{at:?}");
    let above = Position::new(10.0, 9.0);
    assert!(
        world
            .overlap_point(above, QueryFilter::default())
            .unwrap()
            .is_empty()
    );
    let from = Position::new(10.0, 20.0);
    let ray = |y: f32| {
        world
            .cast_ray(from, Vec2::new(0.0, y), QueryFilter::default())
            .unwrap()
    };
    let hit = ray(-100.0).expect("the ground is below");
    assert!((hit.fraction - 0.115).abs() < 1.0e-5, "{hit:?}");
    assert_eq!(world.shape(hit.shape).unwrap().body().id(), body);
    assert!(ray(100.0).is_none());
    let ball = Shape::circle(Vec2::ZERO, 1.0).unwrap();
    let touches = world
        .touches(
            &ball,
            Pose::new(Vec2::new(10.0, 9.5), 0.0),
            0.1,
            QueryFilter::default(),
        )
        .unwrap();
    assert_eq!(touches.len(), 1);
}

#[test]
fn half_spaces_are_refused_where_bodies_fall() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let body = world.create_body(&BodyDef::dynamic(0.0, 0.0)).unwrap();
    let shape = Shape::half_space(Vec2::ZERO, Vec2::Y).unwrap();
    let refused = world.create_shape(body, &ShapeDef::default(), &shape);
    assert_eq!(refused, Err(PhysicsError::WithoutEnd));
    let ball = Shape::circle(Vec2::ZERO, 1.0).unwrap();
    let id = world.create_shape(body, &ShapeDef::default(), &ball).unwrap();
    let refused = world.shape_mut(id).unwrap().set_geometry(&shape);
    assert_eq!(refused, Err(PhysicsError::WithoutEnd));
}

#[test]
fn a_body_with_a_half_space_does_not_become_dynamic() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let body = ground(&mut world, Vec2::ZERO, Vec2::Y, 0.5);
    let before = world.state_hash();
    let refused = world.body_mut(body).unwrap().set_kind(BodyKind::Dynamic);
    assert_eq!(refused, Err(PhysicsError::WithoutEnd));
    assert_eq!(world.state_hash(), before);
    world
        .body_mut(body)
        .unwrap()
        .set_kind(BodyKind::Kinematic)
        .unwrap();
    let half_space = world.body(body).unwrap().shapes().next().unwrap().id();
    world.destroy_shape(half_space).unwrap();
    world.body_mut(body).unwrap().set_kind(BodyKind::Dynamic).unwrap();
}

#[test]
fn saves_hold_half_spaces() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    ground(&mut world, Vec2::ZERO, Vec2::new(0.1, 1.0), 0.5);
    for i in 0..20 {
        let shape = Shape::new_box(0.5, 0.5).unwrap();
        drop(&mut world, Vec2::new(i as f32, 1.0 + 0.3 * i as f32), 0.3, &shape);
    }
    for _ in 0..30 {
        world.step(DT).unwrap();
    }
    let mut restored = PhysicsWorld::from_save(&world.save()).unwrap();
    for _ in 0..60 {
        world.step(DT).unwrap();
        restored.step(DT).unwrap();
    }
    assert_eq!(world.state_hash(), restored.state_hash());
}

/// A body that goes around with the ground lies on it as on a box, however far out.
#[test]
fn what_lies_on_a_half_space_that_turns_is_carried() {
    let (far, spin) = (30.0_f32, 0.05_f32);
    for ground in [
        Shape::half_space(Vec2::ZERO, Vec2::Y).unwrap(),
        Shape::box_at(100.0, 2.0, Vec2::new(0.0, -1.0), 0.0).unwrap(),
    ] {
        let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
        let floor = BodyDef {
            angular_velocity: spin,
            ..BodyDef::kinematic(0.0, 0.0)
        };
        let floor = world.create_body(&floor).unwrap();
        world.create_shape(floor, &ShapeDef::default(), &ground).unwrap();
        let body = BodyDef {
            linear_velocity: Vec2::new(0.0, far * spin),
            angular_velocity: spin,
            ..BodyDef::dynamic(far, 0.5)
        };
        let body = world.create_body(&body).unwrap();
        let shape = Shape::new_box(1.0, 1.0).unwrap();
        world.create_shape(body, &ShapeDef::default(), &shape).unwrap();
        for step in 1..=60 {
            world.step(DT).unwrap();
            let angle = spin * step as f32 * DT;
            let up = Rot::from_angle(angle).rotate(Vec2::Y);
            let height = up.dot(Vec2::from(world.body(body).unwrap().position())) - 0.5;
            assert!(height.abs() < 0.003, "{height} at step {step}");
        }
    }
}

#[test]
fn how_far_a_cast_may_go_does_not_move_the_ground() {
    let ball = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    for degrees in 1..90 {
        let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
        let normal = Rot::from_angle((degrees as f32).to_radians()).rotate(Vec2::Y);
        ground(&mut world, Vec2::ZERO, normal, 0.6);
        let start = Pose::new(Vec2::new(0.37 * degrees as f32, 40.0), 0.0);
        // The ground is steep: its height under the ball may be a kilometer below.
        let [near, far] = [4000.0, 1.0e6].map(|length: f32| {
            let motion = Motion::line(start, Vec2::new(0.0, -length));
            let hit = world.cast_shape(&ball, motion, QueryFilter::default()).unwrap();
            length * hit.expect("the ground").fraction
        });
        assert!(
            (near - far).abs() < 1.0e-3 * (near / 40.0).max(1.0),
            "{degrees}°: {near}, {far}"
        );
    }
}

#[test]
fn ground_that_rises_and_tilts_meets_what_stands_aside() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let post = world.create_body(&BodyDef::fixed(50.0, 3.0)).unwrap();
    let shape = Shape::new_box(1.0, 1.0).unwrap();
    world.create_shape(post, &ShapeDef::default(), &shape).unwrap();
    let rising = Shape::half_space(Vec2::ZERO, Vec2::Y).unwrap();
    for turn in [0.0_f32, 0.01, -0.01] {
        let motion = Motion {
            start: Pose::IDENTITY,
            translation: Vec2::new(0.0, 5.0),
            turn,
        };
        let hit = world.cast_shape(&rising, motion, QueryFilter::default()).unwrap();
        let share = hit.expect("the post").fraction;
        // The edge over which the line turns is at 49.5 m or 50.5 m, 2.5 m high.
        let x = if turn < 0.0 { 49.5 } else { 50.5 };
        let height = 5.0 * share + libm::tanf(share * turn) * x;
        assert!((height - 2.5).abs() < 2.0e-3, "{turn}: {share}, {height}");
    }
}
