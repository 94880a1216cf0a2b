//! A physics world that was made elsewhere, spawned as entities.
#![allow(missing_docs)]

mod support;

use bevy_app::App;
use bevy_ecs::prelude::{Commands, Entity, Name};
use bevy_ecs::system::RunSystemOnce;
use bevy_math::Vec2;
use bevy_tombolo::physics::{
    BodyDef, BodyKind, BodyName, ChainDef, ConcavePolygon, DVec2, Filter, PhysicsWorld, Position,
    RevoluteDef, Shape, ShapeDef, Tile, TileGridDef, TileShape, WorldDef,
};
use bevy_tombolo::{Body, Collider, ColliderLink, Physics, Sensor, SpawnPhysics, SpawnedPhysics, TileGrid};
use bevy_transform::components::Transform;
use support::{app_of_60_hz, get, physics};

/// A world with each kind of shape, options of bodies, a joint, a tile grid.
fn world() -> PhysicsWorld {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let plain = ShapeDef::default();
    let ground = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let plane = Shape::half_space(Vec2::ZERO, Vec2::Y).unwrap();
    world.create_shape(ground, &plain, &plane).unwrap();
    let hill = ChainDef {
        points: [(9.0, 0.0), (7.0, 1.0), (5.0, 0.0)].map(Vec2::from).to_vec(),
        ..ChainDef::default()
    };
    world.create_chain(ground, &hill).unwrap();
    let level = world.create_body(&BodyDef::fixed(-12.0, 0.0)).unwrap();
    let tiles = TileGridDef {
        width: 4,
        height: 1,
        tiles: vec![Tile::default(), Tile::new(TileShape::SlopeUp)],
        cells: vec![2, 1, 0, 1],
        ..TileGridDef::default()
    };
    let grid = world.create_tile_grid(level, &tiles).unwrap();
    world.set_tile(grid, 2, 0, 1).unwrap();
    let frame = BodyDef {
        name: BodyName::new("frame").unwrap(),
        angle: 0.4,
        linear_damping: 0.5,
        gravity_scale: 0.7,
        ..BodyDef::dynamic(0.0, 4.0)
    };
    let frame = world.create_body(&frame).unwrap();
    let border = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let hole = [(-0.5, -0.5), (-0.5, 0.5), (0.5, 0.5), (0.5, -0.5)];
    let points = |points: [(f64, f64); 4]| points.map(|(x, y)| DVec2::new(x, y));
    let polygon = ConcavePolygon::with_holes(&points(border), &[&points(hole)]).unwrap();
    let heavy = ShapeDef {
        density: 3.0,
        friction: 0.2,
        filter: Filter {
            category: 4,
            ..Filter::default()
        },
        ..plain.clone()
    };
    world.create_concave_polygon(frame, &heavy, &polygon).unwrap();
    let feeler = ShapeDef {
        sensor: true,
        ..plain.clone()
    };
    world
        .create_shape(frame, &feeler, &Shape::circle(Vec2::Y, 0.3).unwrap())
        .unwrap();
    let wheel = BodyDef {
        bullet: true,
        linear_velocity: Vec2::new(2.0, 0.0),
        ..BodyDef::dynamic(0.0, 2.0)
    };
    let wheel = world.create_body(&wheel).unwrap();
    world
        .create_shape(wheel, &plain, &Shape::circle(Vec2::ZERO, 0.5).unwrap())
        .unwrap();
    let rounded = Shape::rounded_box(0.2, 1.4, 0.05).unwrap();
    world.create_shape(wheel, &plain, &rounded).unwrap();
    let axle = RevoluteDef::new(frame, Vec2::new(0.0, -2.0), wheel, Vec2::ZERO);
    world.create_joint(axle).unwrap();
    let lift = BodyDef {
        kind: BodyKind::Kinematic,
        linear_velocity: Vec2::new(0.0, 0.5),
        position: Position::new(4.0, 1.0),
        ..BodyDef::default()
    };
    let lift = world.create_body(&lift).unwrap();
    let capsule = Shape::capsule(Vec2::NEG_X, Vec2::X, 0.2).unwrap();
    world.create_shape(lift, &plain, &capsule).unwrap();
    world
}

fn spawn(app: &mut App, world: &PhysicsWorld, parent: Option<Entity>) -> SpawnedPhysics {
    let world = world.clone();
    let spawn = move |mut commands: Commands| commands.spawn_physics(&world, parent);
    app.world_mut().run_system_once(spawn).unwrap()
}

#[test]
fn each_object_is_an_entity_and_moves_as_in_the_world_that_it_is_from() {
    let mut theirs = world();
    let mut app = app_of_60_hz();
    let spawned = spawn(&mut app, &theirs, None);
    app.update();
    assert_eq!(support::faults(&app), []);
    theirs.step(1.0 / 60.0).unwrap();
    let ours = physics(&app).world();
    let count = |world: &PhysicsWorld| {
        let counters = world.counters();
        [
            counters.bodies,
            counters.shapes,
            counters.joints,
            world.tile_grids().len(),
        ]
    };
    assert_eq!(count(ours), count(&theirs));
    assert_eq!(count(ours), [5, theirs.shapes().len(), 1, 1]);
    for _ in 0..180 {
        app.update();
        theirs.step(1.0 / 60.0).unwrap();
    }
    for &(body, entity) in &spawned.bodies {
        let [there, here] = [theirs.body(body).unwrap(), physics(&app).body(entity).unwrap()];
        assert_eq!((here.kind(), here.name()), (there.kind(), there.name()));
        assert!((here.mass() - there.mass()).abs() <= 1.0e-5 * there.mass());
        let apart = (here.position().to_vec2() - there.position().to_vec2()).length();
        assert!(apart < 1.0e-3, "{}: {apart}", there.name());
    }
    let (wheel, _) = spawned.bodies[3];
    assert!(
        theirs.body(wheel).unwrap().position().x > 0.5,
        "the test is of a world that moves"
    );
}

#[test]
fn components_are_those_that_differ_from_the_defaults() {
    let mut app = app_of_60_hz();
    let spawned = spawn(&mut app, &world(), None);
    let [ground, level, frame, wheel, _] = spawned.bodies[..] else {
        panic!("five bodies");
    };
    let world = app.world();
    assert_eq!(get::<Body>(&app, ground.1), Body::Static);
    assert!(!world.entity(ground.1).contains::<Name>());
    assert_eq!(
        get::<Collider>(&app, ground.1).parts.len(),
        3,
        "a plane and two segments"
    );
    let grid = get::<TileGrid>(&app, level.1);
    assert_eq!(grid.def().cells, [2, 1, 1, 1], "the present cells");
    assert_eq!(get::<Name>(&app, frame.1).as_str(), "frame");
    assert!(
        !world.entity(frame.1).contains::<Sensor>(),
        "the sensor is a child"
    );
    let children = world.get::<bevy_ecs::hierarchy::Children>(frame.1).unwrap();
    assert!(world.entity(children[0]).contains::<Sensor>());
    assert_eq!(get::<Collider>(&app, wheel.1).parts.len(), 2);
    assert!(get::<bevy_tombolo::BodyOptions>(&app, wheel.1).bullet);
}

#[test]
fn below_a_parent_it_is_where_the_parent_is_and_goes_with_it() {
    let mut app = app_of_60_hz();
    let at = Transform::from_xyz(100.0, 50.0, 0.0);
    let root = app.world_mut().spawn(at).id();
    let theirs = world();
    let spawned = spawn(&mut app, &theirs, Some(root));
    let mut physics = app.world_mut().resource_mut::<Physics>();
    physics.set_paused(true);
    app.update();
    for &(body, entity) in &spawned.bodies {
        let there = theirs.body(body).unwrap().position().to_vec2();
        let here = support::body_at(&app, entity);
        assert!((here - there - Vec2::new(100.0, 50.0)).length() < 1.0e-4);
    }
    let (_, frame) = spawned.bodies[2];
    let shapes = get::<ColliderLink>(&app, frame).shapes().len();
    assert!(shapes >= 2, "the parts of the frame");
    app.world_mut().despawn(root);
    app.update();
    let counters = support::physics(&app).world().counters();
    assert_eq!([counters.bodies, counters.shapes, counters.joints], [0, 0, 0]);
}
