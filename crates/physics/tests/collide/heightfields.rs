//! Heightfields: every sample is met, holes are holes, pieces come and go as if all had always been there, and what is made
//! of several grounds has their materials.

use crate::world_support::{DT, Random};
use tombolo_physics::{
    BodyDef, BodyId, HeightfieldDef, PhysicsError, PhysicsWorld, Position, QueryFilter, Shape, ShapeDef,
    Vec2, WorldDef,
};

fn smooth() -> ShapeDef {
    ShapeDef {
        friction: 0.0,
        ..ShapeDef::default()
    }
}

fn world() -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef::default()).unwrap()
}

/// Hills of 3 m and stones of 20 cm.
fn hill(sample: i64) -> f32 {
    let x = sample as f64;
    (1.5 * libm::sin(0.05 * x) + 0.2 * libm::sin(0.9 * x)) as f32
}

/// Samples from `first` on, half a meter apart, as a piece of the whole.
fn piece(first: i64, count: i64) -> HeightfieldDef {
    HeightfieldDef {
        spacing: 0.5,
        origin: Vec2::new(0.5 * first as f32, 0.0),
        heights: (first..first + count).map(hill).collect(),
        before: Some(hill(first - 1)),
        after: Some(hill(first + count)),
        grounds: vec![smooth()],
        ..HeightfieldDef::default()
    }
}

fn add(world: &mut PhysicsWorld, def: &HeightfieldDef) -> BodyId {
    let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    world.create_heightfield(body, def).unwrap();
    body
}

fn ray_down(world: &PhysicsWorld, x: f32) -> Option<f32> {
    let from = Position::new(x, 100.0);
    let hit = world.cast_ray(from, Vec2::new(0.0, -200.0), QueryFilter::default());
    hit.unwrap().map(|hit| 100.0 - 200.0 * hit.fraction)
}

/// PF-23: rays at every vertex and between two, none missed.
fn check_rays(count: i64) {
    let mut world = world();
    for first in (0..count).step_by(1000) {
        add(&mut world, &piece(first, 1001));
    }
    world.step(DT).unwrap();
    for sample in 0..count {
        let x = 0.5 * sample as f32;
        let found = ray_down(&world, x).unwrap_or_else(|| panic!("nothing at sample {sample}"));
        assert!((found - hill(sample)).abs() < 0.02, "{found} at sample {sample}");
        let between = 0.5 * (hill(sample) + hill(sample + 1));
        let found = ray_down(&world, x + 0.25).unwrap();
        assert!((found - between).abs() < 0.02, "{found} after sample {sample}");
    }
}

#[test]
fn pf_23_rays_meet_every_sample() {
    check_rays(4000);
}

/// As many samples as the case asks for. Takes a minute, and half a gigabyte.
#[test]
#[ignore = "long"]
fn pf_23_rays_meet_a_million_samples() {
    check_rays(1_000_000);
}

/// PF-23: balls that fall on every vertex, and on the seams of pieces.
#[test]
fn pf_23_balls_land_on_every_sample() {
    let ball = Shape::circle(Vec2::ZERO, 0.1).unwrap();
    for start in 0..4 {
        let mut world = world();
        for first in (0..400).step_by(50) {
            add(&mut world, &piece(first, 51));
        }
        let balls: Vec<(i64, BodyId)> = (0..100)
            .map(|i| 4 * i + start)
            .map(|sample| {
                let def = BodyDef {
                    linear_velocity: Vec2::new(0.0, -8.0),
                    ..BodyDef::dynamic(0.5 * sample as f32, hill(sample) + 2.0)
                };
                let body = world.create_body(&def).unwrap();
                world.create_shape(body, &smooth(), &ball).unwrap();
                (sample, body)
            })
            .collect();
        for _ in 0..30 {
            world.step(DT).unwrap();
        }
        for (sample, body) in balls {
            let place = world.body(body).unwrap().position();
            let inside = (0.0..199.0).contains(&place.x);
            let ground = ray_down_to_ground(place.x);
            assert!(
                !inside || place.y > ground - 0.05,
                "the ball on {sample} is at {place:?}"
            );
        }
    }
}

/// The height of the hills at a place.
fn ray_down_to_ground(x: f32) -> f32 {
    let place = x / 0.5;
    let left = libm::floorf(place);
    let share = place - left;
    (1.0 - share) * hill(left as i64) + share * hill(left as i64 + 1)
}

/// PF-21: of pieces, whatever their size and order, the segments are those of one field, to the bit.
#[test]
fn pieces_are_as_one_field() {
    let segments = |world: &PhysicsWorld| {
        let mut all: Vec<Shape> = world.shapes().map(|shape| *shape.geometry()).collect();
        all.sort_by(|a, b| a.vertices()[0].x.total_cmp(&b.vertices()[0].x));
        all
    };
    let mut whole = world();
    add(&mut whole, &piece(0, 801));
    for seed in 0..5 {
        let mut random = Random(seed + 1);
        let mut ends = vec![0, 800];
        ends.extend((0..20).map(|_| random.below(800) as i64));
        ends.sort_unstable();
        ends.dedup();
        let mut pieces: Vec<(i64, i64)> = ends.windows(2).map(|pair| (pair[0], pair[1])).collect();
        for place in (1..pieces.len()).rev() {
            pieces.swap(place, random.below(place + 1));
        }
        let mut world = world();
        for (first, last) in pieces {
            add(&mut world, &piece(first, last - first + 1));
        }
        assert_eq!(segments(&world), segments(&whole), "order {seed}");
    }
}

/// Hills so gentle that what goes over them at 20 m/s stays on the ground.
fn gentle(sample: i64) -> f32 {
    (0.3 * libm::sin(0.05 * sample as f64)) as f32
}

/// PF-21: pieces that come before a ball and go behind it do not change its way. The solver takes two contacts in the order of
/// their shapes, which is that of loading, so the last bits differ.
#[test]
fn pf_21_pieces_streamed_around_a_ball_are_as_all_loaded() {
    const COUNT: i64 = 40;
    let load = |world: &mut PhysicsWorld, number: i64| {
        let first = 32 * number;
        let def = HeightfieldDef {
            heights: (first..=first + 32).map(gentle).collect(),
            before: Some(gentle(first - 1)),
            after: Some(gentle(first + 33)),
            ..piece(first, 33)
        };
        add(world, &def)
    };
    let run = |is_streamed: bool| {
        let mut world = world();
        let mut loaded: Vec<(i64, BodyId)> = Vec::new();
        if !is_streamed {
            for number in 0..COUNT {
                load(&mut world, number);
            }
        }
        let def = BodyDef {
            linear_velocity: Vec2::new(20.0, 0.0),
            ..BodyDef::dynamic(40.0, gentle(80) + 0.3)
        };
        let body = world.create_body(&def).unwrap();
        let ball = Shape::circle(Vec2::ZERO, 0.3).unwrap();
        world.create_shape(body, &smooth(), &ball).unwrap();
        let mut places = Vec::new();
        for _ in 0..600 {
            let here = (world.body(body).unwrap().position().x / 16.0) as i64;
            let wanted = (here - 1).max(0)..(here + 2).min(COUNT);
            if is_streamed {
                loaded.retain(|&(number, of)| {
                    let stays = wanted.contains(&number);
                    if !stays {
                        world.destroy_body(of).unwrap();
                    }
                    stays
                });
                for number in wanted {
                    if loaded.iter().all(|known| known.0 != number) {
                        let body = load(&mut world, number);
                        loaded.push((number, body));
                    }
                }
            }
            world.step(DT).unwrap();
            places.push(world.body(body).unwrap().position());
        }
        places
    };
    let [streamed, whole] = [true, false].map(run);
    assert!(whole[599].x > 220.0, "{:?}", whole[599]);
    for (step, (place, expected)) in streamed.iter().zip(&whole).enumerate() {
        let off = Vec2::new(place.x - expected.x, place.y - expected.y);
        assert!(
            off.length() < 1.0e-3,
            "step {step}: {place:?} and not {expected:?}"
        );
    }
}

#[test]
fn holes_are_holes_with_corners() {
    let mut world = world();
    let mut def = HeightfieldDef {
        heights: vec![0.0; 11],
        grounds: vec![smooth()],
        segments: vec![1; 10],
        ..HeightfieldDef::default()
    };
    def.segments[4] = 0;
    def.segments[5] = 0;
    add(&mut world, &def);
    assert_eq!(ray_down(&world, 3.5), Some(0.0));
    assert_eq!(ray_down(&world, 4.5), None);
    assert_eq!(ray_down(&world, 5.5), None);
    assert_eq!(ray_down(&world, 6.5), Some(0.0));
    let ball = Shape::circle(Vec2::ZERO, 0.3).unwrap();
    let drop = |world: &mut PhysicsWorld, x: f32| {
        let body = world.create_body(&BodyDef::dynamic(x, 1.0)).unwrap();
        world.create_shape(body, &smooth(), &ball).unwrap();
        body
    };
    let (into, onto, beside) = (
        drop(&mut world, 5.0),
        drop(&mut world, 8.0),
        drop(&mut world, 4.15),
    );
    for _ in 0..90 {
        world.step(DT).unwrap();
    }
    let place = |body: BodyId| world.body(body).unwrap().position();
    assert!(place(into).y < -3.0, "{:?}", place(into));
    assert!((place(onto).y - 0.3).abs() < 0.01, "{:?}", place(onto));
    // The corner pushes it away as it falls by.
    assert!(place(beside).x > 4.25, "{:?}", place(beside));
}

/// What slides on ice and then on sand.
#[test]
fn grounds_have_materials_of_their_own() {
    let mut world = world();
    let sand = ShapeDef {
        friction: 1.0,
        ..ShapeDef::default()
    };
    let def = HeightfieldDef {
        origin: Vec2::new(-5.0, 0.0),
        heights: vec![0.0; 101],
        grounds: vec![smooth(), sand],
        segments: (0..100).map(|segment| if segment < 25 { 1 } else { 2 }).collect(),
        ..HeightfieldDef::default()
    };
    add(&mut world, &def);
    let start = BodyDef {
        linear_velocity: Vec2::new(10.0, 0.0),
        fixed_rotation: true,
        ..BodyDef::dynamic(0.0, 0.25)
    };
    let body = world.create_body(&start).unwrap();
    let shape = Shape::new_box(0.5, 0.5).unwrap();
    let rough = ShapeDef {
        friction: 1.0,
        ..ShapeDef::default()
    };
    world.create_shape(body, &rough, &shape).unwrap();
    for _ in 0..100 {
        world.step(DT).unwrap();
    }
    let speed = world.body(body).unwrap().linear_velocity().x;
    assert!((speed - 10.0).abs() < 0.01, "{speed} on the ice");
    for _ in 0..300 {
        world.step(DT).unwrap();
    }
    // v² / 2 µ g = 5 m from where the ice ends.
    let x = world.body(body).unwrap().position().x;
    assert!((x - 25.0).abs() < 0.6, "{x}");
}

#[test]
fn what_is_wrong_is_named() {
    let mut world = world();
    let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let good = HeightfieldDef {
        heights: vec![0.0, 1.0, 0.5],
        ..HeightfieldDef::default()
    };
    let mut refuse = |change: fn(&mut HeightfieldDef), says: &str| {
        let mut def = good.clone();
        change(&mut def);
        let error = world.create_heightfield(body, &def).unwrap_err();
        assert!(error.to_string().contains(says), "{error} says nothing of {says}");
        assert_eq!(world.counters().shapes, 0, "{says}");
    };
    refuse(|def| def.spacing = 0.0, "spacing");
    refuse(|def| def.heights.truncate(1), "number of heights is 1");
    refuse(|def| def.heights[1] = f32::NAN, "height");
    refuse(|def| def.after = Some(f32::INFINITY), "height");
    refuse(|def| def.segments = vec![1], "number of segments is 1");
    refuse(
        |def| def.segments = vec![1, 7],
        "segment 1 of the heightfield is 7",
    );
    refuse(|def| def.grounds.clear(), "a ground from 1 to 0");
    refuse(|def| def.grounds[0].friction = -1.0, "friction");
    assert_eq!(
        world.create_heightfield(
            body,
            &HeightfieldDef {
                grounds: vec![],
                ..good.clone()
            }
        ),
        Err(PhysicsError::NoSuchGround {
            segment: 0,
            ground: 1,
            ground_count: 0
        })
    );
    assert_eq!(world.create_heightfield(body, &good).unwrap().len(), 2);
}
