//! Tile grids, with the numbers of the tests in other languages.
#![allow(missing_docs)]

mod support;

use bevy_app::App;
use bevy_ecs::message::{MessageCursor, Messages};
use bevy_ecs::prelude::Entity;
use bevy_ecs::system::RunSystemOnce;
use bevy_math::Vec2;
use bevy_tombolo::physics::{Aabb, Position, QueryFilter, ShapeDef, Tile, TileBlock, TileGridDef, TileShape};
use bevy_tombolo::{
    Body, Collider, FaultReason, Physics, Rollback, SleepState, SpatialQuery, StableKey, TileGrid,
    TouchBegan, TouchEnded,
};
use bevy_transform::components::Transform;
use support::{app_of_60_hz, at, faults, get, hash, physics, steps};

/// Four cells of ground, a slope and a full tile on it.
fn def() -> TileGridDef {
    let slippery = ShapeDef {
        friction: 0.1,
        ..ShapeDef::default()
    };
    let slope = Tile {
        shape: TileShape::SlopeUp,
        def: slippery,
    };
    TileGridDef {
        width: 4,
        height: 2,
        tiles: vec![Tile::default(), slope],
        cells: vec![1, 1, 1, 1, 0, 0, 2, 1],
        ..TileGridDef::default()
    }
}

fn level(app: &mut App) -> Entity {
    let place = Transform::from_xyz(-2.0, 0.0, 0.0);
    let key = StableKey(0);
    app.world_mut().spawn((key, TileGrid::new(def()), place)).id()
}

fn ball(app: &mut App) -> Entity {
    let place = Transform::from_xyz(-1.5, 2.0, 0.0);
    let ball = (StableKey(1), Body::Dynamic, Collider::circle(0.3), place);
    app.world_mut().spawn(ball).id()
}

fn set_tile(app: &mut App, grid: Entity, x: u32, y: u32, tile: u8) {
    let mut physics = app.world_mut().resource_mut::<Physics>();
    physics.set_tile(grid, x, y, tile).unwrap();
}

fn tile(app: &App, grid: Entity, x: u32, y: u32) -> Option<u8> {
    physics(app).tile_grid(grid).expect("it was made").tile(x, y)
}

#[test]
fn tiles_carry_are_dug_away_and_tell_their_cells() {
    let mut app = app_of_60_hz();
    let grid = level(&mut app);
    let ball = ball(&mut app);
    assert!(
        physics(&app).tile_grid(grid).is_none(),
        "the first step is still to come"
    );
    steps(&mut app, 120);
    assert!((at(&app, ball).y - 1.3).abs() < 0.01);
    assert!(get::<SleepState>(&app, ball).is_asleep(), "it has come to rest");
    assert_eq!(get::<Body>(&app, grid), Body::Static);
    let view = physics(&app).tile_grid(grid).unwrap();
    assert_eq!((view.width(), view.height()), (4, 2));
    assert_eq!(
        [view.tile(2, 1), view.tile(0, 1), view.tile(4, 0)],
        [Some(2), Some(0), None]
    );
    assert_eq!(view.cell_at(Position::new(-1.5, 0.5)), Some([0, 0]));
    assert_eq!(view.cell_at(Position::new(9.0, 9.0)), None);
    assert_eq!(view.cell_center(3, 1), Position::new(1.5, 1.5));
    let saved = app.world_mut().save_physics();
    set_tile(&mut app, grid, 0, 0, 0);
    steps(&mut app, 60);
    assert!(at(&app, ball).y < 0.0);
    app.world_mut().restore_physics(&saved);
    assert_eq!(tile(&app, grid, 0, 0), Some(1));
    let block = TileBlock {
        x: 0,
        y: 0,
        width: 4,
        height: 2,
    };
    let mut world = app.world_mut().resource_mut::<Physics>();
    world.fill_tiles(grid, block, 0).unwrap();
    let area = Aabb {
        min: Vec2::new(-9.0, -9.0),
        max: Vec2::new(9.0, 0.9),
    };
    let found = physics(&app).world().overlap_box(area, QueryFilter::default());
    assert_eq!(found.unwrap().len(), 0);
}

#[test]
fn calls_that_are_wrong_are_refused_and_change_nothing() {
    let mut app = app_of_60_hz();
    let grid = level(&mut app);
    let ball = ball(&mut app);
    app.update();
    let before = hash(&app);
    let mut world = app.world_mut().resource_mut::<Physics>();
    assert!(world.set_tile(grid, 4, 0, 1).is_err(), "no such cell");
    assert!(world.set_tile(grid, 0, 0, 3).is_err(), "no such tile");
    assert!(world.set_tile(ball, 0, 0, 1).is_err(), "no grid");
    assert!(
        world.set_tiles(grid, TileBlock::cell(0, 0), &[]).is_err(),
        "no tiles"
    );
    assert_eq!(hash(&app), before);
    let bad = TileGridDef {
        cells: vec![1],
        ..def()
    };
    app.world_mut().entity_mut(grid).insert(TileGrid::new(bad));
    app.update();
    let faults = faults(&app);
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].entity, grid);
    assert!(matches!(faults[0].reason, FaultReason::Refused(_)));
    assert_eq!(tile(&app, grid, 3, 1), Some(1), "the grid stays as it was");
}

#[test]
fn the_component_makes_a_new_grid_when_its_definition_changes_and_takes_it_along_when_it_goes() {
    let mut app = app_of_60_hz();
    let grid = level(&mut app);
    app.update();
    set_tile(&mut app, grid, 0, 0, 0);
    app.world_mut().entity_mut(grid).insert(TileGrid::new(def()));
    app.update();
    assert_eq!(
        tile(&app, grid, 0, 0),
        Some(0),
        "an equal definition is no change"
    );
    let wider = TileGridDef {
        width: 8,
        height: 1,
        ..def()
    };
    app.world_mut().entity_mut(grid).insert(TileGrid::new(wider));
    app.update();
    assert_eq!(
        tile(&app, grid, 0, 0),
        Some(1),
        "another begins with its own cells"
    );
    assert_eq!(physics(&app).world().tile_grids().len(), 1);
    app.world_mut().entity_mut(grid).remove::<Body>();
    app.update();
    assert_eq!(physics(&app).world().tile_grids().len(), 0, "no body");
    app.world_mut().entity_mut(grid).insert(Body::Kinematic);
    app.update();
    assert_eq!(tile(&app, grid, 7, 0), Some(1), "a body again");
    app.world_mut().entity_mut(grid).remove::<TileGrid>();
    app.update();
    let counters = physics(&app).world().counters();
    assert_eq!([counters.bodies, counters.shapes], [1, 0]);
    app.world_mut().entity_mut(grid).insert(TileGrid::new(def()));
    app.update();
    assert!(physics(&app).tile_grid(grid).is_some());
    app.world_mut().despawn(grid);
    app.update();
    let counters = physics(&app).world().counters();
    assert_eq!([counters.bodies, counters.shapes], [0, 0]);
}

#[test]
fn events_and_queries_have_the_grids_entity_also_of_tiles_that_are_gone() {
    let mut app = app_of_60_hz();
    let grid = level(&mut app);
    let ball = ball(&mut app);
    let mut began: MessageCursor<TouchBegan> = MessageCursor::default();
    let mut ended: MessageCursor<TouchEnded> = MessageCursor::default();
    let mut pairs = [Vec::new(), Vec::new()];
    let mut run = |app: &mut App, count: usize| {
        for _ in 0..count {
            app.update();
            let messages = app.world().resource::<Messages<TouchBegan>>();
            pairs[0].extend(
                began
                    .read(messages)
                    .map(|touch| [touch.collider, touch.other_collider]),
            );
            let messages = app.world().resource::<Messages<TouchEnded>>();
            pairs[1].extend(
                ended
                    .read(messages)
                    .map(|touch| [touch.collider, touch.other_collider]),
            );
        }
        pairs.each_mut().map(core::mem::take)
    };
    let [came, gone] = run(&mut app, 120);
    assert_eq!((came.len(), gone.len()), (1, 0));
    assert!(came[0].contains(&grid) && came[0].contains(&ball));
    set_tile(&mut app, grid, 0, 0, 0);
    // Another takes the slots of the shapes that are gone, before their ends are reported.
    app.world_mut().spawn((
        Body::Static,
        Collider::rectangle(0.1, 0.1),
        Transform::from_xyz(50.0, 0.0, 0.0),
    ));
    let [_, gone] = run(&mut app, 2);
    assert_eq!(gone.len(), 1);
    assert!(gone[0].contains(&grid) && gone[0].contains(&ball));
    let ask = move |query: SpatialQuery| {
        let down = Vec2::new(0.0, -9.0);
        let hit = query.cast_ray(Vec2::new(1.5, 5.0), down, QueryFilter::default());
        let hit = hit.unwrap().unwrap();
        assert_eq!((hit.collider, hit.body), (grid, grid));
        assert!((hit.point.y - 2.0).abs() < 1.0e-4);
    };
    app.world_mut().run_system_once(ask).unwrap();
}

#[test]
fn a_grid_goes_back_with_its_cells_its_entity_and_the_touches_on_it() {
    let mut app = app_of_60_hz();
    let grid = level(&mut app);
    let ball = ball(&mut app);
    steps(&mut app, 30);
    set_tile(&mut app, grid, 1, 0, 0);
    let frame = |app: &mut App, grid: Entity| {
        for _ in 0..2 {
            set_tile(app, grid, 0, 0, 0);
            steps(app, 15);
        }
        hash(app)
    };
    let saved = app.world_mut().save_physics();
    let straight = frame(&mut app, grid);
    app.world_mut().restore_physics(&saved);
    assert_eq!(frame(&mut app, grid), straight);
    // Its entity was despawned since, and is spawned again with its key.
    app.world_mut().despawn(grid);
    steps(&mut app, 3);
    app.world_mut().restore_physics(&saved);
    let grid = level(&mut app);
    app.update();
    assert_eq!(
        tile(&app, grid, 1, 0),
        Some(0),
        "the cells are those of the saved moment"
    );
    app.world_mut().restore_physics(&saved);
    assert_eq!(frame(&mut app, grid), straight);
    // The component was removed since: the grid goes again.
    app.world_mut().entity_mut(grid).remove::<TileGrid>();
    app.update();
    app.world_mut().restore_physics(&saved);
    app.update();
    assert_eq!(physics(&app).world().tile_grids().len(), 0);
    assert!(at(&app, ball).is_finite());
}
