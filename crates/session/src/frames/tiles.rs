//! Tiles in a recording: which cells of the grids of named entities have a tile of which kind, so that pictures of emptied
//! cells are not drawn, and cells of another kind than at first have another picture.
//!
//! The cells of a grid are numbered row by row from below, each row from the left. What a reader has of each kind of tile
//! is the ascending list of numbers where cells of the kind begin and where they end; a change is written as the numbers
//! that are in only one of the old list and the new one, for each kind of which there are any. Ground takes a few numbers
//! for each row, an edit two or four.

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
    bounds: Bounds,
}

/// For each kind of tile, by its number, where its cells begin and end, in turns; kinds beyond the end have no cells.
type Bounds = Vec<Vec<u32>>;

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
            write_changes(&known.bounds, &now.bounds, out);
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

/// The blocks of cells of a grid's shapes, each with whether all its cells have tiles of one kind: in that of a wedge of
/// slopes, those above the slopes may be empty, and those below are of another kind.
fn blocks<'a>(grid: &TileGridRef<'a>) -> impl Iterator<Item = (TileBlock, bool)> + use<'a> {
    let id = grid.id();
    grid.body().shapes().filter_map(move |shape| {
        let (own, block) = shape.tiles()?;
        (own.id() == id).then(|| (block, shape.geometry().vertices().len() > 3))
    })
}

fn kind_of(grid: &TileGridRef<'_>, x: u32, y: u32) -> u8 {
    grid.kind(x, y).unwrap_or(0)
}

/// The blocks with their kinds, mixed: another number than that of a grid without shapes, and than that of one that is not
/// known. What is below a wedge has the material of its slopes, which says its kind.
fn mark_of(grid: &TileGridRef<'_>) -> u64 {
    blocks(grid).fold(mix(1, 1), |sum, (block, is_full)| {
        let TileBlock { x, y, width, height } = block;
        // The lower corners of a slope have tiles, and the upper ones of a ceiling.
        let kinds = [(x, y), (x + width - 1, y), (x, y + height - 1)].map(|(x, y)| kind_of(grid, x, y));
        let parts = [x, y, width, height, u32::from(is_full)].map(u64::from);
        parts.into_iter().chain(kinds.map(u64::from)).fold(sum, mix)
    })
}

/// Where cells of each kind begin and end, in turns.
fn bounds_of(grid: &TileGridRef<'_>) -> Bounds {
    let first_of = |y: u32| y * grid.width();
    let mut runs: Vec<(u8, [u32; 2])> = Vec::new();
    for (block, is_full) in blocks(grid) {
        for y in block.y..block.y + block.height {
            let (from, to) = (block.x, block.x + block.width);
            if is_full {
                runs.push((kind_of(grid, from, y), [from, to].map(|x| first_of(y) + x)));
                continue;
            }
            let cells = (from..to).map(|x| (kind_of(grid, x, y), [x, x + 1].map(|x| first_of(y) + x)));
            runs.extend(cells.filter(|(kind, _)| *kind != 0));
        }
    }
    runs.sort_unstable();
    let mut bounds = Bounds::new();
    for (kind, [from, to]) in runs {
        let kind = usize::from(kind);
        if bounds.len() <= kind {
            bounds.resize(kind + 1, Vec::new());
        }
        // Above the slopes of a wedge there may be other shapes, so cells are met twice.
        match bounds[kind].last_mut() {
            Some(end) if *end >= from => *end = to.max(*end),
            _ => bounds[kind].extend([from, to]),
        }
    }
    bounds
}

fn of_kind(bounds: &Bounds, kind: u32) -> &[u32] {
    bounds.get(kind as usize).map_or(&[], Vec::as_slice)
}

/// Writes the kinds of which cells have changed, and for each of them the numbers that are in one list only.
fn write_changes(old: &Bounds, new: &Bounds, out: &mut Vec<u8>) {
    let count = old.len().max(new.len()) as u32;
    let changed: Vec<u32> = (0..count)
        .filter(|&kind| of_kind(old, kind) != of_kind(new, kind))
        .collect();
    ascending(out, &changed);
    for kind in changed {
        ascending(out, &in_one(of_kind(old, kind), of_kind(new, kind)));
    }
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
