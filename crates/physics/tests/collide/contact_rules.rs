//! Rules for contacts: one-way platforms, conveyors, materials that ignore each other, pairs of shapes.

use tombolo_physics::{
    ANY_MATERIAL, BodyDef, BodyId, ChainDef, CombineRule, ConcavePolygon, ContactRule, DVec2, HeightfieldDef,
    PhysicsWorld, Response, Shape, ShapeDef, ShapeId, Tile, TileGridDef, Vec2, WorldDef,
};

const DT: f32 = 1.0 / 60.0;
const PLATFORM: u32 = 7;

fn world() -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef::default()).unwrap()
}

fn add(world: &mut PhysicsWorld, def: &BodyDef, material: u32, shape: &Shape) -> (BodyId, ShapeId) {
    let body = world.create_body(def).unwrap();
    let def = ShapeDef {
        material,
        ..ShapeDef::default()
    };
    let shape = world.create_shape(body, &def, shape).unwrap();
    (body, shape)
}

fn rect(width: f32, height: f32) -> Shape {
    Shape::new_box(width, height).unwrap()
}

fn up() -> ContactRule {
    ContactRule {
        one_way: Some(Vec2::Y),
        ..ContactRule::default()
    }
}

fn height(world: &PhysicsWorld, body: BodyId) -> f32 {
    world.body(body).unwrap().position().y
}

/// Steps; a save in between must hold who is passing.
fn step(world: &mut PhysicsWorld, index: usize) {
    if index.is_multiple_of(7) {
        world.restore(&world.save()).unwrap();
    }
    world.step(DT).unwrap();
}

/// What jumps: a box, a disc, a capsule that lies, a polygon on its tip.
fn jumper(index: usize) -> Shape {
    let tip = [(0.0, -0.3), (0.25, 0.2), (-0.25, 0.2)].map(Vec2::from);
    match index % 4 {
        0 => rect(0.5, 0.8),
        1 => Shape::circle(Vec2::ZERO, 0.3).unwrap(),
        2 => Shape::capsule(Vec2::new(-0.2, 0.0), Vec2::new(0.2, 0.0), 0.15).unwrap(),
        _ => Shape::polygon(&tip, 0.0).unwrap(),
    }
}

/// Adds what is jumped through, and gives the height of its top: a plate, a thin plate, a segment, a thick block, a chain, a
/// heightfield, a concave polygon with a notch beneath, or a row of tiles.
fn platform(world: &mut PhysicsWorld, index: usize, fixed: &BodyDef) -> f32 {
    let body = world.create_body(fixed).unwrap();
    let def = ShapeDef {
        material: PLATFORM,
        ..ShapeDef::default()
    };
    let ends = [Vec2::new(4.0, 0.0), Vec2::new(-4.0, 0.0)];
    let simple = match index / 4 % 8 {
        0 => rect(8.0, 0.2),
        1 => rect(8.0, 0.02),
        2 => Shape::segment(ends[1], ends[0]).unwrap(),
        3 => rect(8.0, 1.0),
        4 => {
            let chain = ChainDef {
                // From right to left, so that it is solid from above.
                points: vec![ends[0], Vec2::ZERO, ends[1]],
                shape: def,
                ..ChainDef::default()
            };
            world.create_chain(body, &chain).unwrap();
            return 0.0;
        }
        5 => {
            let samples = HeightfieldDef {
                origin: ends[1],
                heights: vec![0.0; 9],
                grounds: vec![def],
                ..HeightfieldDef::default()
            };
            world.create_heightfield(body, &samples).unwrap();
            return 0.0;
        }
        6 => {
            let corners = [(-4.0, 0.1), (-4.0, -0.5), (-1.5, -0.5), (-1.5, -0.1), (1.5, -0.1)];
            let others = [(1.5, -0.5), (4.0, -0.5), (4.0, 0.1)];
            let corners: Vec<DVec2> = corners.into_iter().chain(others).map(DVec2::from).collect();
            let polygon = ConcavePolygon::new(&corners).unwrap();
            world.create_concave_polygon(body, &def, &polygon).unwrap();
            return 0.1;
        }
        _ => {
            let tiles = TileGridDef {
                cell_size: 0.5,
                origin: Vec2::new(-4.0, -0.5),
                width: 16,
                tiles: vec![Tile {
                    def,
                    ..Tile::default()
                }],
                cells: vec![1; 16],
                ..TileGridDef::default()
            };
            world.create_tile_grid(body, &tiles).unwrap();
            return 0.0;
        }
    };
    world.create_shape(body, &def, &simple).unwrap();
    simple.aabb(tombolo_physics::Pose::IDENTITY).max.y
}

/// A jump from below at a speed, that is high enough to come out above: passes, and lands. Whether both.
fn jump(index: usize, speed: f32) -> (bool, bool) {
    let mut world = world();
    world.set_contact_rule(PLATFORM, ANY_MATERIAL, up()).unwrap();
    let fixed = if index.is_multiple_of(3) {
        BodyDef::kinematic(0.0, 0.0)
    } else {
        BodyDef::fixed(0.0, 0.0)
    };
    let top = platform(&mut world, index, &fixed);
    let shape = jumper(index);
    let size = shape.aabb(tombolo_physics::Pose::IDENTITY);
    // Below the lowest of all platforms.
    let start = -0.5 - size.max.y - 0.03 - 0.001 * (index % 40) as f32;
    // Gravity that lets a jump of this speed come out half as high again as it must.
    let rise = 1.5 * (top - size.min.y - start) + 0.1;
    let def = BodyDef {
        gravity_scale: (speed * speed / (2.0 * rise) / 10.0).min(1.0),
        linear_velocity: Vec2::new(0.0, speed),
        fixed_rotation: true,
        allow_sleep: false,
        // Only bullets are swept against what is kinematic.
        bullet: index.is_multiple_of(3),
        ..BodyDef::dynamic(0.01 * (index % 100) as f32 - 0.5, start)
    };
    let (body, _) = add(&mut world, &def, 0, &shape);
    let (mut passed, mut still) = (false, 0);
    for index in 0..2400 {
        step(&mut world, index);
        let bottom = height(&world, body) + size.min.y;
        passed |= bottom > top;
        let speed = world.body(body).unwrap().linear_velocity().length();
        still = if passed && speed < 0.01 { still + 1 } else { 0 };
        if still == 30 || passed && bottom < top - 0.2 {
            return (true, (bottom - top).abs() < 0.02);
        }
    }
    (passed, false)
}

#[test]
fn a_thousand_jumps_from_below_all_pass_and_all_land() {
    let mut wrong = Vec::new();
    for index in 0..1000 {
        let speed = 1.0 + 49.0 * index as f32 / 999.0;
        let (passed, landed) = jump(index, speed);
        if !(passed && landed) {
            wrong.push((index, speed, passed, landed));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of 1000: {:?}",
        wrong.len(),
        &wrong[..wrong.len().min(12)]
    );
}

#[test]
fn a_body_that_turns_back_within_a_platform_falls_out_below() {
    let mut world = world();
    world.set_contact_rule(PLATFORM, ANY_MATERIAL, up()).unwrap();
    add(&mut world, &BodyDef::fixed(0.0, 0.0), PLATFORM, &rect(8.0, 1.0));
    let def = BodyDef {
        linear_velocity: Vec2::new(0.0, 4.5),
        ..BodyDef::dynamic(0.0, -1.1)
    };
    let (body, _) = add(&mut world, &def, 0, &rect(0.5, 0.5));
    let mut highest = f32::MIN;
    for index in 0..120 {
        step(&mut world, index);
        highest = highest.max(height(&world, body));
    }
    assert!(
        highest > -0.3 && highest < 0.5,
        "it turned back inside: {highest}"
    );
    assert!(height(&world, body) < -2.0, "{}", height(&world, body));
}

/// A body that falls onto two rows of tiles at a speed, with a rule that lets it pass upwards or without one.
fn fall(speed: f32, ruled: bool) -> (PhysicsWorld, BodyId, ShapeId, ShapeId) {
    let mut world = world();
    if ruled {
        world.set_contact_rule(PLATFORM, ANY_MATERIAL, up()).unwrap();
    }
    let tiles: Vec<ShapeId> = (0..8)
        .flat_map(|i| [0.0, -3.0].map(|y| (i as f32 - 3.5, y)))
        .map(|(x, y)| add(&mut world, &BodyDef::fixed(x, y), PLATFORM, &rect(1.0, 0.1)).1)
        .collect();
    let def = BodyDef {
        linear_velocity: Vec2::new(0.0, -speed),
        // One-way contacts are always computed anew.
        contact_recycling: false,
        ..BodyDef::dynamic(0.0, 3.0)
    };
    let (body, shape) = add(&mut world, &def, 0, &rect(0.8, 0.8));
    (world, body, shape, tiles[0])
}

#[test]
fn bodies_land_from_above_as_on_a_floor_and_drop_when_told() {
    for speed in [0.0, 5.0, 50.0, 300.0] {
        let (mut world, body, shape, tile) = fall(speed, true);
        let (mut plain, other, ..) = fall(speed, false);
        for index in 0..150 {
            step(&mut world, index);
            plain.step(DT).unwrap();
            let poses = [
                world.body(body).unwrap().pose(),
                plain.body(other).unwrap().pose(),
            ];
            assert_eq!(poses[0], poses[1], "{speed}: step {index}");
        }
        assert_eq!(world.rule_between(shape, tile), Some(up()));
        if speed > 100.0 {
            // What is so fast lands on a corner and is thrown off, as from any floor.
            continue;
        }
        assert!(
            (height(&world, body) - 0.45).abs() < 0.02,
            "{speed}: {}",
            height(&world, body)
        );
        let contact = world.body(body).unwrap().contacts().next().unwrap();
        assert_eq!((contact.rule(), contact.is_passing()), (Some(up()), false));
        world.body_mut(body).unwrap().drop_through();
        for index in 0..150 {
            step(&mut world, index);
        }
        assert!(
            (height(&world, body) - (-2.55)).abs() < 0.02,
            "{speed}: the next row holds it: {}",
            height(&world, body)
        );
        assert!(!world.body(body).unwrap().is_dropping());
    }
}

/// What a rule calls a sensor tells of touches and holds nothing, whether it falls asleep or is hit fast; and the other way
/// round what touches is then held.
#[test]
fn a_sensor_rule_tells_of_touches_and_holds_nothing() {
    let mut world = world();
    let sensor = ContactRule {
        sensor: true,
        ..ContactRule::default()
    };
    world.set_contact_rule(1, 2, sensor).unwrap();
    add(&mut world, &BodyDef::fixed(0.0, -20.0), 0, &rect(40.0, 1.0));
    add(&mut world, &BodyDef::fixed(0.0, -0.5), 2, &rect(40.0, 1.0));
    let slow = add(&mut world, &BodyDef::dynamic(0.0, 0.5), 1, &rect(0.5, 0.5)).0;
    let fast = BodyDef {
        linear_velocity: Vec2::new(0.0, -200.0),
        ..BodyDef::dynamic(5.0, 2.0)
    };
    let fast = add(&mut world, &fast, 1, &rect(0.5, 0.5)).0;
    let (mut begins, mut ends) = (0, 0);
    for index in 0..200 {
        step(&mut world, index);
        world.validate();
        begins += world.events().begin_touch().len();
        ends += world.events().end_touch().len();
    }
    for body in [slow, fast] {
        assert!(
            (height(&world, body) + 19.25).abs() < 0.02,
            "{}",
            height(&world, body)
        );
    }
    // Both touch the lower floor and go on doing so; the slow one was told of at the upper one, in and out.
    assert_eq!((begins, ends), (3, 1));
    // Two dynamic bodies, one asleep in the other.
    let (through, _) = add(&mut world, &BodyDef::dynamic(0.0, -18.9), 2, &rect(0.6, 0.6));
    for index in 0..200 {
        step(&mut world, index);
        world.validate();
    }
    assert!((height(&world, through) + 19.2).abs() < 0.02);
    assert!(!world.body(through).unwrap().is_awake() && !world.body(slow).unwrap().is_awake());
    let islands = [slow, through].map(|body| world.body(body).unwrap().island());
    assert_ne!(
        islands[0], islands[1],
        "what does not push is in no island together"
    );
    world.remove_contact_rule(1, 2);
    for index in 0..60 {
        step(&mut world, index);
        world.validate();
    }
    let apart = (height(&world, through) - height(&world, slow)).abs();
    assert!(apart > 0.2, "they push each other out: {apart}");
}

#[test]
fn a_character_that_walks_over_one_way_tiles_never_falls() {
    for speed in [0.05, 0.5, 4.0, 12.0] {
        let mut world = world();
        let slippery = ContactRule {
            friction: Some(0.0),
            ..up()
        };
        world.set_contact_rule(PLATFORM, ANY_MATERIAL, slippery).unwrap();
        for i in 0..60 {
            add(
                &mut world,
                &BodyDef::fixed(i as f32, 0.0),
                PLATFORM,
                &rect(1.0, 0.3),
            );
        }
        let def = BodyDef {
            linear_velocity: Vec2::new(speed, 0.0),
            allow_sleep: false,
            ..BodyDef::dynamic(0.3, 0.551)
        };
        let (body, _) = add(&mut world, &def, 0, &rect(0.5, 0.8));
        for index in 0..240 {
            step(&mut world, index);
            assert!(height(&world, body) > 0.5, "{speed}: {}", height(&world, body));
        }
        let walked = world.body(body).unwrap().position().x - 0.3;
        assert!(
            (walked - 4.0 * speed).abs() < 0.05 * speed + 0.01,
            "{speed}: {walked}"
        );
    }
}

#[test]
fn a_conveyor_carries_at_its_speed() {
    for speed in [0.5, 3.0, -8.0] {
        let mut world = world();
        let belt = ContactRule {
            surface_speed: Some(-speed),
            friction: Some(0.8),
            ..ContactRule::default()
        };
        world.set_contact_rule(1, 2, belt).unwrap();
        add(&mut world, &BodyDef::fixed(0.0, -0.5), 2, &rect(400.0, 1.0));
        let (body, _) = add(&mut world, &BodyDef::dynamic(0.0, 0.25), 1, &rect(0.5, 0.5));
        for index in 0..240 {
            step(&mut world, index);
        }
        let carried = world.body(body).unwrap().linear_velocity().x;
        assert!((carried / speed - 1.0).abs() < 0.02, "{speed}: {carried}");
    }
}

#[test]
fn rules_change_what_touches_while_it_touches() {
    let mut world = world();
    let (_, floor) = add(&mut world, &BodyDef::fixed(0.0, -0.5), 2, &rect(40.0, 1.0));
    let (body, shape) = add(&mut world, &BodyDef::dynamic(0.0, 0.25), 1, &rect(0.5, 0.5));
    for index in 0..120 {
        step(&mut world, index);
    }
    assert!(!world.body(body).unwrap().is_awake());
    let ignore = ContactRule {
        ignore: true,
        ..ContactRule::default()
    };
    world.set_contact_rule(2, ANY_MATERIAL, ignore).unwrap();
    step(&mut world, 1);
    assert_eq!(world.events().end_touch().len(), 1);
    // The rule of the two goes before that for all.
    world.set_contact_rule(1, 2, ContactRule::default()).unwrap();
    step(&mut world, 1);
    assert_eq!(world.events().begin_touch().len(), 1);
    assert_eq!(world.contact_rules().count(), 2);
    assert_eq!(world.remove_contact_rule(2, 1), Some(ContactRule::default()));
    step(&mut world, 1);
    assert_eq!(world.events().end_touch().len(), 1);
    assert_eq!(world.remove_contact_rule(ANY_MATERIAL, 2), Some(ignore));
    world.set_pair_ignored(shape, floor, true).unwrap();
    assert!(world.is_pair_ignored(floor, shape));
    for index in 0..30 {
        step(&mut world, index);
    }
    assert!(height(&world, body) < -0.3, "it falls through");
    world.destroy_shape(floor).unwrap();
    assert!(!world.is_pair_ignored(floor, shape));
    step(&mut world, 0);
    world.validate();
}

#[test]
fn frictions_are_combined_by_the_rule_of_either_shape() {
    let slides = |rules: [CombineRule; 2], frictions: [f32; 2]| {
        let mut world = world();
        let mut bodies = Vec::new();
        for (i, (rule, friction)) in rules.into_iter().zip(frictions).enumerate() {
            let def = ShapeDef {
                friction,
                friction_rule: rule,
                ..ShapeDef::default()
            };
            let (body, shape) = if i == 0 {
                (BodyDef::fixed(0.0, -0.5), rect(200.0, 1.0))
            } else {
                let velocity = Vec2::new(2.0, 0.0);
                let moving = BodyDef {
                    linear_velocity: velocity,
                    ..BodyDef::dynamic(0.0, 0.25)
                };
                (moving, rect(2.0, 0.5))
            };
            let body = world.create_body(&body).unwrap();
            world.create_shape(body, &def, &shape).unwrap();
            bodies.push(body);
        }
        for index in 0..30 {
            step(&mut world, index);
        }
        // What friction took of the speed in half a second, as a coefficient.
        (2.0 - world.body(bodies[1]).unwrap().linear_velocity().x) / (10.0 * 0.5)
    };
    use CombineRule::{GeometricMean, Max, Mean, Min, Product, Usual};
    for (rules, frictions, expected) in [
        ([Usual, Usual], [0.1, 0.4], 0.2),
        ([Usual, Mean], [0.1, 0.3], 0.2),
        ([Min, Usual], [0.1, 0.3], 0.1),
        ([Min, Max], [0.1, 0.3], 0.3),
        ([Product, Mean], [0.5, 0.3], 0.15),
        ([GeometricMean, Mean], [0.1, 0.4], 0.2),
    ] {
        let found = slides(rules, frictions);
        assert!((found - expected).abs() < 0.01, "{rules:?}: {found}");
    }
}

#[test]
fn hits_are_reported_from_the_threshold_of_their_rule() {
    for (threshold, hits) in [(Some(9.0), false), (Some(1.0), true), (None, false)] {
        let def = WorldDef {
            hit_threshold: 8.0,
            ..WorldDef::default()
        };
        let mut world = PhysicsWorld::new(&def).unwrap();
        let rule = ContactRule {
            hit_threshold: threshold,
            ..ContactRule::default()
        };
        world.set_contact_rule(0, 3, rule).unwrap();
        add(&mut world, &BodyDef::fixed(0.0, -0.5), 3, &rect(40.0, 1.0));
        let body = world.create_body(&BodyDef::dynamic(0.0, 1.5)).unwrap();
        let loud = ShapeDef {
            hit_events: true,
            ..ShapeDef::default()
        };
        world.create_shape(body, &loud, &rect(0.5, 0.5)).unwrap();
        let mut found = 0;
        for index in 0..90 {
            step(&mut world, index);
            found += world.events().hit().len();
        }
        assert_eq!(found > 0, hits, "{threshold:?}");
    }
}

#[test]
fn rules_out_of_range_are_refused() {
    let mut world = world();
    let before = world.state_hash();
    let bad = [
        ContactRule {
            friction: Some(-1.0),
            ..ContactRule::default()
        },
        ContactRule {
            restitution: Some(f32::NAN),
            ..ContactRule::default()
        },
        ContactRule {
            surface_speed: Some(f32::INFINITY),
            ..ContactRule::default()
        },
        ContactRule {
            one_way: Some(Vec2::ZERO),
            ..ContactRule::default()
        },
        ContactRule {
            hit_threshold: Some(-0.5),
            ..ContactRule::default()
        },
    ];
    for rule in bad {
        assert!(world.set_contact_rule(1, 2, rule).is_err(), "{rule:?}");
    }
    assert!(world.set_contact_rule(3, 3, up()).is_err());
    assert!(
        world
            .set_contact_rule(ANY_MATERIAL, ANY_MATERIAL, ContactRule::default())
            .is_err()
    );
    assert_eq!(world.state_hash(), before);
}

/// Like a platform that is passed: what does not touch has no normal.
#[test]
fn a_touch_that_a_callback_refuses_has_no_normal() {
    let mut world = world();
    add(&mut world, &BodyDef::fixed(0.0, 0.0), 0, &rect(1.0, 1.0));
    let (body, _) = add(&mut world, &BodyDef::dynamic(0.9, 0.0), 0, &rect(1.0, 1.0));
    world.set_pre_solve(u64::MAX, |pair| Response {
        touches: false,
        ..pair.touch.unwrap().usual
    });
    for _ in 0..3 {
        world.step(DT).unwrap();
        let contact = world.body(body).unwrap().contacts().next().unwrap();
        assert!(!contact.is_touching() && contact.normal() == Vec2::ZERO);
    }
}
