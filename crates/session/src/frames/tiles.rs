//! Tiles in a recording: which cells of the grids of named entities have a tile, so that pictures of others are not drawn.
//!
//! The cells of a grid are numbered row by row from below, each row from the left. What a reader has is the ascending list
//! of numbers where cells with tiles begin and where they end; a change is written as the numbers that are in only one of
//! the old list and the new one. Ground takes a few numbers for each row, an edit two or four.

use serde::Serialize;
use tombolo::World;
use tombolo::component::{TILES, Tiles as TilesComponent};
use tombolo::entity::{Dense, Entity};
use tombolo::physics::{TileBlock, TileGridRef};

use super::bytes::{ascending, number};
use super::track_table::{TrackTable, mix};

/// One grid; its track is its place in the list.
#[derive(Debug, Serialize)]
pub(super) struct GridEntry {
    /// The name of its entity.
    name: String,
    /// The number of columns.
    width: u32,
}

/// What the reader has of one grid.
#[derive(Debug, Default)]
struct KnownGrid {
    /// The shapes from which the list was made, mixed: while they are the same, no cell is looked at.
    mark: u64,
    /// Where cells with tiles begin and end, in turns.
    bounds: Vec<u32>,
}

/// The tracks of all grids that ever appeared.
#[derive(Debug, Default)]
pub(super) struct Tiles {
    track_table: TrackTable,
    gone: Vec<u32>,
    known: Vec<KnownGrid>,
    /// Tracks whose cells may have changed, with what the reader is to have.
    now: Vec<(u32, KnownGrid)>,
}

impl Tiles {
    /// Writes one frame: the number of new grids, those removed, and those with changed cells. `newcomer` is called for
    /// each grid seen for the first time, in the order of tracks. Costs the shapes of all grids of named entities, and the
    /// cells of those that have changed.
    pub(super) fn record(
        &mut self,
        world: Option<&World>,
        out: &mut Vec<u8>,
        newcomer: &mut dyn FnMut(GridEntry),
    ) {
        self.gone.clear();
        self.now.clear();
        let known_before = self.known.len();
        if let Some((world, tiles)) = world.and_then(|world| Some((world, world.manager(TILES)?))) {
            self.look_up_all(world, tiles, newcomer);
        }
        self.track_table.end_frame(&mut self.gone);
        number(out, (self.known.len() - known_before) as u32);
        ascending(out, &self.gone);
        for &track in &self.gone {
            self.known[track as usize] = KnownGrid::default();
        }
        self.now.sort_unstable_by_key(|(track, _)| *track);
        let changed: Vec<u32> = self.now.iter().map(|(track, _)| *track).collect();
        ascending(out, &changed);
        for (track, now) in self.now.drain(..) {
            let known = &mut self.known[track as usize];
            ascending(out, &in_one(&known.bounds, &now.bounds));
            *known = now;
        }
    }

    fn look_up_all(
        &mut self,
        world: &World,
        tiles: &Dense<TilesComponent>,
        newcomer: &mut dyn FnMut(GridEntry),
    ) {
        let mut owners: Vec<Entity> = tiles.owners().map(|(entity, _)| entity).collect();
        owners.sort_unstable();
        owners.dedup();
        for entity in owners {
            let (Some(name), Some(grid)) = (world.name_of(entity), world.tile_grid(entity)) else {
                continue;
            };
            let id = grid.id();
            let identity = [entity.to_bits(), u64::from(grid.width())]
                .into_iter()
                .chain(name.bytes().map(u64::from))
                .fold(id.to_bits(), mix);
            let met = self.track_table.look_up(id.index(), identity, &mut self.gone);
            if met.is_new {
                self.known.push(KnownGrid::default());
                newcomer(GridEntry {
                    name: name.to_string(),
                    width: grid.width(),
                });
            }
            let mark = mark_of(&grid);
            if self.known[met.track as usize].mark != mark {
                let bounds = bounds_of(&grid);
                self.now.push((met.track, KnownGrid { mark, bounds }));
            }
        }
    }
}

/// The blocks of cells of a grid's shapes, each with whether all its cells have tiles: in that of a wedge of slopes, those
/// above the slopes may be empty.
fn blocks<'a>(grid: &TileGridRef<'a>) -> impl Iterator<Item = (TileBlock, bool)> + use<'a> {
    let id = grid.id();
    grid.body().shapes().filter_map(move |shape| {
        let (own, block) = shape.tiles()?;
        (own.id() == id).then(|| (block, shape.geometry().vertices().len() > 3))
    })
}

/// The blocks, mixed: another number than that of a grid without shapes, and than that of one that is not known.
fn mark_of(grid: &TileGridRef<'_>) -> u64 {
    blocks(grid).fold(mix(1, 1), |sum, (block, is_full)| {
        let TileBlock { x, y, width, height } = block;
        let parts = [x, y, width, height, u32::from(is_full)].map(u64::from);
        parts.into_iter().fold(sum, mix)
    })
}

/// Where cells with tiles begin and end, in turns.
fn bounds_of(grid: &TileGridRef<'_>) -> Vec<u32> {
    let first_of = |y: u32| y * grid.width();
    let mut runs: Vec<[u32; 2]> = Vec::new();
    for (block, is_full) in blocks(grid) {
        for y in block.y..block.y + block.height {
            let (from, to) = (block.x, block.x + block.width);
            if is_full {
                runs.push([from, to].map(|x| first_of(y) + x));
                continue;
            }
            let has_tile = |x: &u32| grid.tile(*x, y).is_some_and(|tile| tile != 0);
            runs.extend(
                (from..to)
                    .filter(has_tile)
                    .map(|x| [x, x + 1].map(|x| first_of(y) + x)),
            );
        }
    }
    runs.sort_unstable();
    // Above the slopes of a wedge there may be other shapes, so cells are met twice.
    let mut bounds: Vec<u32> = Vec::new();
    for [from, to] in runs {
        match bounds.last_mut() {
            Some(end) if *end >= from => *end = to.max(*end),
            _ => bounds.extend([from, to]),
        }
    }
    bounds
}

/// The numbers that are in one of two ascending lists and not in the other.
fn in_one(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    let mut found = Vec::new();
    while let Some(next) = [a.peek(), b.peek()].into_iter().flatten().min().copied() {
        let has = [a.next_if_eq(&next), b.next_if_eq(&next)].map(|taken| taken.is_some());
        if has[0] != has[1] {
            found.push(next);
        }
    }
    found
}
