//! Contact skins: shapes keep their distance from all kinds of ground and from each other, at rest and after changes;
//! nothing but contacts knows of it.

use crate::feature_support::{DT, add, ball, place, rect, run, same_everywhere, skin, weightless, world};
use tombolo_physics::{
    ANY_MATERIAL, BodyDef, BodyId, ChainDef, ConcavePolygon, ContactRule, DVec2, HeightfieldDef, LaneWidth,
    Motion, PhysicsError, PhysicsWorld, Pose, Position, QueryFilter, Rewind, RewindLimits, Shape, ShapeDef,
    ShapeId, Tile, TileGridDef, TileShape, Vec2, WorldDef,
};

/// How exactly distances are those of worlds without skins, plus the skins, in meters.
const TOLERANCE_M: f32 = 1.0e-3;

fn shape_of(world: &PhysicsWorld, body: BodyId) -> ShapeId {
    world.body(body).unwrap().shapes().next().unwrap().id()
}

fn set_skin(world: &mut PhysicsWorld, body: BodyId, contact_skin: f32) {
    let shape = shape_of(world, body);
    world
        .shape_mut(shape)
        .unwrap()
        .set_contact_skin(contact_skin)
        .unwrap();
}

/// Adds ground with shapes of a definition.
type Ground = fn(&mut PhysicsWorld, &ShapeDef);

/// Each kind of ground, with its upper side at height 0, and its name.
const GROUNDS: [(&str, Ground); 8] = [
    ("box", |world, def| {
        add(world, &BodyDef::fixed(0.0, -1.0), def, &rect(20.0, 2.0));
    }),
    ("kinematic box", |world, def| {
        add(world, &BodyDef::kinematic(0.0, -1.0), def, &rect(20.0, 2.0));
    }),
    ("boxes side by side", |world, def| {
        for x in -4..4 {
            add(world, &BodyDef::fixed(x as f32 + 0.5, -0.5), def, &rect(1.0, 1.0));
        }
    }),
    ("segment", |world, def| {
        let line = Shape::segment(Vec2::new(-9.0, 0.0), Vec2::new(9.0, 0.0)).unwrap();
        add(world, &BodyDef::fixed(0.0, 0.0), def, &line);
    }),
    ("half-space", |world, def| {
        let half_space = Shape::half_space(Vec2::ZERO, Vec2::Y).unwrap();
        add(world, &BodyDef::fixed(0.0, 0.0), def, &half_space);
    }),
    ("chain", |world, def| {
        let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
        let chain = ChainDef {
            points: (0..9).map(|i| Vec2::new(4.0 - i as f32, 0.0)).collect(),
            shape: def.clone(),
            ..ChainDef::default()
        };
        world.create_chain(body, &chain).unwrap();
    }),
    ("heightfield", |world, def| {
        let body = world.create_body(&BodyDef::fixed(-4.0, 0.0)).unwrap();
        let field = HeightfieldDef {
            spacing: 1.0,
            heights: vec![0.0; 9],
            grounds: vec![def.clone()],
            ..HeightfieldDef::default()
        };
        world.create_heightfield(body, &field).unwrap();
    }),
    ("tiles", |world, def| {
        let body = world.create_body(&BodyDef::fixed(-4.0, -1.0)).unwrap();
        let tile = Tile {
            def: def.clone(),
            ..Tile::new(TileShape::Full)
        };
        let grid = TileGridDef {
            width: 8,
            height: 1,
            tiles: vec![tile],
            cells: vec![1; 8],
            ..TileGridDef::default()
        };
        world.create_tile_grid(body, &grid).unwrap();
    }),
];

/// What falls on it.
fn fallers() -> [Shape; 5] {
    let wedge = [(-0.4, -0.3), (0.4, -0.3), (0.0, 0.4)].map(Vec2::from);
    [
        rect(0.8, 0.6),
        ball(0.3),
        Shape::capsule(Vec2::new(-0.3, 0.0), Vec2::new(0.3, 0.0), 0.3).unwrap(),
        Shape::rounded_box(0.6, 0.4, 0.1).unwrap(),
        Shape::polygon(&wedge, 0.0).unwrap(),
    ]
}

/// The height at which a shape with a skin comes to rest on a ground with one.
fn height_at_rest(ground: usize, shape: &Shape, skins: [f32; 2]) -> f32 {
    let mut world = world(&WorldDef::default());
    GROUNDS[ground].1(&mut world, &skin(skins[0]));
    let start = BodyDef::dynamic(0.05, 0.5 + skins[0] + skins[1]);
    let body = add(&mut world, &start, &skin(skins[1]), shape);
    run(&mut world, 240);
    let view = world.body(body).unwrap();
    assert!(!view.is_awake(), "{} {skins:?}", GROUNDS[ground].0);
    view.position().y
}

#[test]
fn every_shape_rests_at_the_sum_of_the_skins_on_every_ground() {
    for (ground, (name, _)) in GROUNDS.iter().enumerate() {
        for (place, shape) in fallers().iter().enumerate() {
            let bare = height_at_rest(ground, shape, [0.0; 2]);
            assert!((bare - 0.3).abs() < 0.01, "the ground is at height 0: {bare}");
            for skins in [[0.1, 0.0], [0.0, 0.1], [0.03, 0.05], [0.5, 0.5], [0.0, 0.001]] {
                let high = height_at_rest(ground, shape, skins);
                let off = high - bare - skins[0] - skins[1];
                assert!(
                    off.abs() < TOLERANCE_M,
                    "{name}, faller {place}, {skins:?}: {off}"
                );
            }
        }
    }
}

/// The heights of ten boxes that lie on each other.
fn stack(contact_skin: f32) -> Vec<f32> {
    let mut world = world(&WorldDef::default());
    GROUNDS[0].1(&mut world, &skin(contact_skin));
    let step = 0.5 + 2.0 * contact_skin;
    let bodies: Vec<BodyId> = (0..10)
        .map(|i| {
            let start = BodyDef::dynamic(0.0, 0.25 + 2.0 * contact_skin + step * i as f32);
            add(&mut world, &start, &skin(contact_skin), &rect(0.5, 0.5))
        })
        .collect();
    run(&mut world, 400);
    assert_eq!(world.counters().awake_bodies, 0);
    bodies.iter().map(|&body| place(&world, body).y).collect()
}

#[test]
fn a_stack_of_ten_keeps_all_its_skins() {
    let bare = stack(0.0);
    for contact_skin in [0.005, 0.05, 0.2] {
        for (i, (high, low)) in stack(contact_skin).iter().zip(&bare).enumerate() {
            let off = high - low - 2.0 * contact_skin * (i + 1) as f32;
            assert!(off.abs() < TOLERANCE_M, "{contact_skin}, box {i}: {off}");
        }
    }
}

/// Corners with skins are round: the distance between the corner of a box and a ball over it is the sum, whatever the
/// direction.
#[test]
fn a_skin_rounds_corners() {
    for angle in [0.3_f32, 0.8, 1.2] {
        let mut world = world(&weightless());
        let body = add(&mut world, &BodyDef::fixed(0.0, 0.0), &skin(0.1), &rect(2.0, 2.0));
        let way = Vec2::new(libm::cosf(angle), libm::sinf(angle));
        let start = BodyDef {
            linear_velocity: -way,
            ..BodyDef::dynamic(1.0 + way.x, 1.0 + way.y)
        };
        let ball = add(&mut world, &start, &skin(0.2), &ball(0.25));
        run(&mut world, 120);
        let at = place(&world, ball).to_vec2();
        let off = at.distance(Vec2::ONE) - 0.55;
        assert!(off.abs() < 0.006, "{angle}: {off}");
        assert!(world.body(body).unwrap().contacts().count() == 1);
    }
}

/// Each of the two bodies' skins grows and shrinks again while all sleeps.
#[test]
fn a_change_pushes_out_lets_down_and_wakes() {
    for changed in [0, 1] {
        let mut world = world(&WorldDef::default());
        let floor = add(
            &mut world,
            &BodyDef::fixed(0.0, -1.0),
            &skin(0.0),
            &rect(20.0, 2.0),
        );
        let cube = add(
            &mut world,
            &BodyDef::dynamic(0.0, 0.5),
            &skin(0.0),
            &rect(1.0, 1.0),
        );
        run(&mut world, 120);
        let bare = place(&world, cube).y;
        for contact_skin in [0.1, 0.3, 0.05, 0.0] {
            assert!(!world.body(cube).unwrap().is_awake());
            set_skin(&mut world, [floor, cube][changed], contact_skin);
            assert!(world.body(cube).unwrap().is_awake(), "woken");
            let mut touches = 0_i32;
            for _ in 0..300 {
                world.step(DT).unwrap();
                world.validate();
                let events = world.events();
                touches += events.begin_touch().len() as i32 - events.end_touch().len() as i32;
                let depth = bare + contact_skin - place(&world, cube).y;
                assert!(depth > -0.35, "it is not thrown up: {depth}");
            }
            assert_eq!(touches, 0, "each end has its begin");
            let off = place(&world, cube).y - bare - contact_skin;
            assert!(off.abs() < TOLERANCE_M, "body {changed}, {contact_skin}: {off}");
        }
    }
}

/// A body that does not move finds what its skin reaches after a change, and the parts of a polygon change together.
#[test]
fn a_change_reaches_what_was_apart() {
    let mut world = world(&weightless());
    let corner = [
        (0.0, 0.0),
        (2.0, 0.0),
        (2.0, 2.0),
        (1.0, 2.0),
        (1.0, 1.0),
        (0.0, 1.0),
    ];
    let polygon = ConcavePolygon::new(&corner.map(DVec2::from)).unwrap();
    let block = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    world
        .create_concave_polygon(block, &ShapeDef::default(), &polygon)
        .unwrap();
    let balls = [(0.4, 1.4), (2.3, 1.0), (1.0, -0.3)].map(|(x, y)| {
        let start = BodyDef {
            allow_sleep: false,
            ..BodyDef::dynamic(x, y)
        };
        add(&mut world, &start, &skin(0.0), &ball(0.1))
    });
    run(&mut world, 30);
    let before = balls.map(|ball| place(&world, ball));
    assert!(world.events().begin_touch().is_empty());
    set_skin(&mut world, block, 0.45);
    let skins: Vec<f32> = world
        .body(block)
        .unwrap()
        .shapes()
        .map(|shape| shape.contact_skin())
        .collect();
    assert!(skins.len() > 1 && skins.iter().all(|&skin| skin == 0.45));
    run(&mut world, 120);
    for (ball, before) in balls.into_iter().zip(before) {
        assert!(place(&world, ball) != before, "pushed out");
    }
}

#[test]
fn mass_queries_and_sensors_know_nothing_of_it() {
    let mut worlds = [0.0, 0.3].map(|contact_skin| {
        let mut world = world(&weightless());
        let def = ShapeDef {
            contact_skin,
            ..ShapeDef::default()
        };
        add(&mut world, &BodyDef::dynamic(0.0, 0.0), &def, &rect(1.0, 2.0));
        add(&mut world, &BodyDef::fixed(0.0, 5.0), &def, &rect(1.0, 1.0));
        add(&mut world, &BodyDef::fixed(1.0, 5.0), &skin(0.0), &rect(1.0, 1.0));
        let sensor = ShapeDef { sensor: true, ..def };
        add(&mut world, &BodyDef::fixed(0.8, 0.0), &sensor, &rect(0.5, 0.5));
        let near = BodyDef::dynamic(-2.0, 0.0);
        add(
            &mut world,
            &near,
            &ShapeDef {
                sensor: true,
                ..skin(0.0)
            },
            &rect(2.8, 1.0),
        );
        world
    });
    let seen = worlds.each_mut().map(|world| {
        run(world, 3);
        let all = QueryFilter::default();
        let body = world.bodies().next().unwrap();
        let ray = world.cast_ray(Position::new(-5.0, 0.0), Vec2::new(10.0, 0.0), all);
        let way = Motion::line(Pose::new(Vec2::new(-5.0, 0.1), 0.0), Vec2::new(10.0, 0.0));
        let cast = world.cast_shape(&ball(0.2), way, all);
        let touches = world.touches(&ball(0.5), Pose::new(Vec2::new(0.5, 5.95), 0.0), 0.5, all);
        format!(
            "{:?} {:?} {:?} {:?} {:?} {:?} {:?}",
            body.mass(),
            body.inertia(),
            body.position(),
            ray.unwrap().map(|hit| (hit.fraction, hit.normal)),
            cast.unwrap().map(|hit| hit.fraction),
            touches.unwrap(),
            world.events().enter(),
        )
    });
    assert_eq!(seen[0], seen[1]);
    assert!(worlds[1].shapes().all(|shape| shape.visitors().count() == 0));
}

#[test]
fn one_way_platforms_and_belts_work_at_a_distance() {
    let mut world = world(&WorldDef::default());
    let up = ContactRule {
        one_way: Some(Vec2::Y),
        ..ContactRule::default()
    };
    world.set_contact_rule(7, ANY_MATERIAL, up).unwrap();
    let platform = ShapeDef {
        material: 7,
        ..skin(0.1)
    };
    add(&mut world, &BodyDef::fixed(0.0, 0.0), &platform, &rect(8.0, 0.2));
    let mut jumpers = Vec::new();
    for (i, shape) in fallers().iter().enumerate() {
        for (j, speed) in [6.0_f32, 12.0, 40.0].into_iter().enumerate() {
            let start = BodyDef {
                linear_velocity: Vec2::new(0.0, speed),
                gravity_scale: (speed * speed / 40.0).min(4.0),
                fixed_rotation: true,
                ..BodyDef::dynamic(0.0, -0.9 - 0.01 * i as f32)
            };
            // One at a time: they do not touch each other.
            let def = ShapeDef {
                filter: tombolo_physics::Filter {
                    group: -1,
                    ..Default::default()
                },
                ..skin(0.05 * j as f32)
            };
            jumpers.push((add(&mut world, &start, &def, shape), 0.4 + 0.1 + 0.05 * j as f32));
        }
    }
    let mut passed = vec![false; jumpers.len()];
    for step in 0..900 {
        if step % 11 == 5 {
            world.restore(&world.save()).unwrap();
        }
        world.step(DT).unwrap();
        for (passed, (body, rest)) in passed.iter_mut().zip(&jumpers) {
            *passed |= place(&world, *body).y > *rest;
        }
    }
    for (i, (body, rest)) in jumpers.iter().enumerate() {
        let off = place(&world, *body).y - rest;
        assert!(passed[i] && off.abs() < 0.01, "jumper {i}: {off}");
    }

    let mut world = crate::feature_support::world(&WorldDef::default());
    let belt = ShapeDef {
        tangent_speed: -2.0,
        ..skin(0.1)
    };
    add(&mut world, &BodyDef::fixed(0.0, -1.0), &belt, &rect(40.0, 2.0));
    let cube = add(
        &mut world,
        &BodyDef::dynamic(-9.0, 0.7),
        &skin(0.1),
        &rect(1.0, 1.0),
    );
    run(&mut world, 240);
    let velocity = world.body(cube).unwrap().linear_velocity();
    assert!((velocity - Vec2::new(2.0, 0.0)).length() < 0.02, "{velocity}");
    assert!((place(&world, cube).y - 0.7).abs() < 0.006);
}

/// A box slides over the seams of a floor with skins as over one plate, and a ball rolls up the step where a skin begins.
#[test]
fn seams_of_equal_skins_are_smooth_and_a_greater_skin_is_a_step() {
    let smooth = |contact_skin: f32| ShapeDef {
        friction: 0.0,
        ..skin(contact_skin)
    };
    for ground in [2, 5, 6, 7] {
        let mut world = world(&WorldDef::default());
        GROUNDS[ground].1(&mut world, &smooth(0.1));
        let start = BodyDef {
            linear_velocity: Vec2::new(3.0, 0.0),
            ..BodyDef::dynamic(-3.0, 0.35)
        };
        let sled = add(&mut world, &start, &smooth(0.05), &rect(0.4, 0.4));
        run(&mut world, 20);
        let level = place(&world, sled).y;
        for _ in 0..90 {
            world.step(DT).unwrap();
            let off = place(&world, sled).y - level;
            assert!(off.abs() < TOLERANCE_M, "{}: {off}", GROUNDS[ground].0);
        }
        let speed = world.body(sled).unwrap().linear_velocity().x;
        assert!((speed - 3.0).abs() < 0.01, "{}: {speed}", GROUNDS[ground].0);
    }
    let mut world = world(&WorldDef::default());
    for x in 0..8 {
        let def = skin(if x < 4 { 0.0 } else { 0.05 });
        add(
            &mut world,
            &BodyDef::fixed(x as f32 - 4.0, -0.5),
            &def,
            &rect(1.0, 1.0),
        );
    }
    let start = BodyDef {
        linear_velocity: Vec2::new(3.0, 0.0),
        ..BodyDef::dynamic(-3.0, 0.4)
    };
    let wheel = add(&mut world, &start, &skin(0.0), &ball(0.4));
    let mut last = 0.4;
    for _ in 0..90 {
        world.step(DT).unwrap();
        let high = place(&world, wheel).y;
        assert!(
            high - last < 0.04,
            "it rolls up, and is not put up: {last} to {high}"
        );
        last = high;
    }
    let at = place(&world, wheel);
    assert!(at.x > -0.5 && (at.y - 0.45).abs() < 0.01, "{at:?}");
}

#[test]
fn skins_have_a_range_and_are_kept_to_a_hundredth_of_a_millimeter() {
    let mut world = world(&WorldDef::default());
    let body = add(
        &mut world,
        &BodyDef::dynamic(0.0, 0.0),
        &skin(0.25),
        &rect(1.0, 1.0),
    );
    let shape = shape_of(&world, body);
    let set = |world: &mut PhysicsWorld, value| world.shape_mut(shape).unwrap().set_contact_skin(value);
    for value in [0.0, -0.0, 1.0e-5, 0.001, 0.02, 0.1, 0.12345, 0.3, 0.5] {
        set(&mut world, value).unwrap();
        assert_eq!(world.shape(shape).unwrap().contact_skin(), value);
    }
    set(&mut world, 1.4e-5).unwrap();
    assert_eq!(world.shape(shape).unwrap().contact_skin(), 1.0e-5);
    for value in [-1.0e-6, 0.5_f32.next_up(), f32::NAN, f32::INFINITY, f32::MAX] {
        let refused = set(&mut world, value);
        assert!(matches!(
            refused,
            Err(PhysicsError::InvalidNumber {
                what: "contact_skin",
                ..
            })
        ));
        let refused = world.create_shape(body, &skin(value), &rect(1.0, 1.0));
        assert!(matches!(
            refused,
            Err(PhysicsError::InvalidNumber {
                what: "contact_skin",
                ..
            })
        ));
    }
    assert_eq!(world.shape(shape).unwrap().contact_skin(), 1.0e-5);
}

/// A heap of everything with skins, in which calls change them.
fn heap() -> PhysicsWorld {
    let mut world = world(&WorldDef::default());
    GROUNDS[7].1(&mut world, &skin(0.05));
    for i in 0..40 {
        let start = BodyDef {
            angle: 0.7 * i as f32,
            linear_velocity: Vec2::new(0.0, if i % 8 == 7 { -80.0 } else { 0.0 }),
            bullet: i % 16 == 7,
            ..BodyDef::dynamic(0.9 * (i % 7) as f32 - 2.7, 1.0 + (i / 7) as f32)
        };
        let def = skin(0.04 * (i % 3) as f32);
        add(&mut world, &start, &def, &fallers()[i % 5]);
    }
    world
}

#[test]
fn skins_are_the_same_for_all_workers_lanes_saves_and_frames() {
    let events = |world: &PhysicsWorld| format!("{:?}", world.events().begin_touch());
    let expected = same_everywhere(heap, 90, events).state_hash();
    for lanes in LaneWidth::ALL.into_iter().filter(|lanes| lanes.is_available()) {
        let mut world = heap();
        world.set_lanes(lanes).unwrap();
        run(&mut world, 90);
        assert_eq!(world.state_hash(), expected, "{lanes:?}");
    }
    let mut world = heap();
    let mut rewind = Rewind::new(RewindLimits::default());
    run(&mut world, 30);
    let frame = rewind.save(&mut world);
    let bodies: Vec<BodyId> = world.bodies().map(|body| body.id()).collect();
    for &body in &bodies[1..20] {
        set_skin(&mut world, body, 0.2);
    }
    run(&mut world, 30);
    rewind.restore(&mut world, frame).unwrap();
    run(&mut world, 60);
    assert_eq!(world.state_hash(), expected, "after going back");
}
