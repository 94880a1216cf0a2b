//! Which cells of grids have tiles of which kind: what a reader of frames knows is compared with the world, cell by cell.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tombolo::entity::Value;
use tombolo::physics::{Position, TileBlock, TileCut};
use tombolo::{Scene, World, WorldFrame};
use tombolo_scenes::STEP_S;

use super::bytes::tests::Reader;
use super::tests::{Decoder, frames_of};
use super::*;

/// Grids of every kind of ground: two chunks wide, with wedges of slopes; one that falls; one without a name.
const SCENE: &str = r##"(
    entities: {
        "ground": {"body": Body(), "tiles": Tiles(
            legend: ["# Full", "/ SlopeUp", "\\ SlopeDown", "_ BottomHalf", "s Full sensor", "^ 0,0 1,0 0.5,1", "X Full", "i Full friction 0"],
            rows: ["../\\......30._^s", "./##\\.....34#", "/####\\....34#"],
        )},
        "raft": {"body": Body(kind: Dynamic), "tiles": Tiles(legend: ["# Full"], rows: ["3#", "#.#"])},
    },
    place: [
        One(name: "ground", entity: "ground"),
        One(name: "raft", entity: "raft", at: (4, 9)),
    ],
)"##;

fn world() -> World {
    World::from_scene(&Scene::parse("tiles.ron", SCENE).unwrap()).unwrap()
}

/// The cells with tiles of the grid of a name, as the world has them, each with the kind of its tile.
fn cells_of(world: &World, name: &str) -> BTreeMap<[u32; 2], u32> {
    let grid = world.find(name).and_then(|entity| world.tile_grid(entity));
    let Some(grid) = grid else {
        return BTreeMap::new();
    };
    let tiles = grid.tiles();
    let kind = |tile: u8| {
        1 + tiles
            .iter()
            .position(|other| *other == tiles[usize::from(tile) - 1])
            .unwrap()
    };
    let cells = (0..grid.height()).flat_map(|y| (0..grid.width()).map(move |x| [x, y]));
    cells
        .filter_map(|[x, y]| {
            let tile = grid.tile(x, y).filter(|tile| *tile != 0)?;
            Some(([x, y], kind(tile) as u32))
        })
        .collect()
}

/// The same as the reader of frames knows them, in the grids that are there.
fn cells_read(decoder: &Decoder, manifest: &serde_json::Value, name: &str) -> BTreeMap<[u32; 2], u32> {
    let mut found = BTreeMap::new();
    for (track, kinds) in &decoder.tiles {
        let grid = &manifest["grids"][*track as usize];
        if grid["name"] != name {
            continue;
        }
        let width = grid["width"].as_u64().unwrap() as u32;
        for (&kind, bounds) in kinds {
            let bounds: Vec<u32> = bounds.iter().copied().collect();
            let numbers = bounds.chunks_exact(2).flat_map(|run| run[0]..run[1]);
            assert!(bounds.len().is_multiple_of(2) && numbers.clone().is_sorted());
            for number in numbers {
                let known = found.insert([number % width, number / width], kind);
                assert!(
                    known.is_none(),
                    "one tile is in a cell, and one grid of a name there at a time"
                );
            }
        }
    }
    found
}

/// What happens to a world between two frames.
#[derive(Clone, Debug)]
enum TileChange {
    Fill(TileBlock, char),
    Cut([f32; 2], f32),
    /// The world goes back to the frame that was kept last, or keeps one.
    Back,
    Keep,
    NewRows(&'static str),
    Despawn,
}

fn change() -> impl Strategy<Value = TileChange> {
    let cell = (0..35_u32, 0..3_u32);
    let block = cell.prop_flat_map(|(x, y)| {
        (1..=(36 - x).min(9), 1..=3 - y).prop_map(move |(width, height)| TileBlock { x, y, width, height })
    });
    let letter = prop::sample::select(vec!['.', '#', '/', '\\', '_', 's', '^', 'X', 'i']);
    prop_oneof![
        8 => (block, letter).prop_map(|(block, letter)| TileChange::Fill(block, letter)),
        3 => ([-1.0..37.0_f32, -1.0..4.0_f32], 0.1..2.0_f32).prop_map(|(at, radius)| TileChange::Cut(at, radius)),
        2 => Just(TileChange::Back),
        2 => Just(TileChange::Keep),
        1 => prop::sample::select(vec!["5#", "#.#.#", ".."]).prop_map(TileChange::NewRows),
        1 => Just(TileChange::Despawn),
    ]
}

impl TileChange {
    fn make(&self, world: &mut World, kept: &mut WorldFrame) {
        let ground = world.find("ground");
        match (self, ground) {
            // A block beyond the rows that were given last is refused.
            (&TileChange::Fill(block, letter), Some(ground)) => drop(world.fill_tiles(ground, block, letter)),
            (&TileChange::Cut([x, y], radius), _) => {
                let at = Position::new(x, y);
                let cut = TileCut {
                    radius,
                    ..TileCut::between(at, at)
                };
                world.cut_tiles(&cut).unwrap();
            }
            (TileChange::Back, _) => world.restore_frame(kept),
            (TileChange::Keep, _) => *kept = world.frame(),
            (&TileChange::NewRows(row), Some(ground)) => {
                let rows = Value::List(vec![Value::String(row.into())]);
                world.set(ground, "tiles.rows", rows).unwrap();
            }
            (TileChange::Despawn, Some(ground)) => world.despawn(ground).unwrap(),
            (_, None) => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// However cells are emptied, filled, taken back and replaced, a reader of the frames knows those that have tiles.
    #[test]
    fn a_reader_knows_the_cells_that_have_tiles(changes in prop::collection::vec((change(), any::<bool>()), 1..24)) {
        let mut world = world();
        let mut kept = world.frame();
        let mut recorder = Recorder::new("tiles", STEP_S, world.physics(), Some(&world)).unwrap();
        let mut expected = vec![["ground", "raft"].map(|name| cells_of(&world, name))];
        for (change, is_seen) in changes {
            change.make(&mut world, &mut kept);
            world.step();
            // A live page does not see every step.
            if is_seen {
                recorder.record(world.physics(), Some(&world)).unwrap();
                expected.push(["ground", "raft"].map(|name| cells_of(&world, name)));
            }
        }
        let manifest = serde_json::to_value(&recorder.writer.manifest).unwrap();
        let frames = frames_of(recorder);
        let (mut reader, mut decoder) = (Reader(&frames), Decoder::default());
        for cells in expected {
            decoder.read_frame(&mut reader);
            let read = ["ground", "raft"].map(|name| cells_read(&decoder, &manifest, name));
            prop_assert_eq!(read, cells);
        }
        prop_assert!(reader.0.is_empty());
    }
}
