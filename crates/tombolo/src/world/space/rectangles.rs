//! [`FreeRectangles`]: free space as rectangles that are as large as a tile allows.
//!
//! A wall leaves thousands of small leaves along its sides. So each square of 64 by 64 finest cells, a tile, stores
//! its cells as bits and joins those that are free: equal runs of cells in lines above each other are one rectangle.
//! The rectangles of a tile follow from its bits alone. When a wall changes, the tiles that it touches are read from
//! the quadtree again, and no other; neighbors are looked up in lists by side, so that no tile knows of another.
//!
//! Why: `docs/decisions.md#free-rectangles-end-at-tiles`.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

use tombolo_geometry::orthtree::{Block, Cell, Layout};

#[cfg(test)]
mod tests;

/// Levels of the quadtree: free space is 4,096 finest cells wide.
pub(super) const DEPTH: u32 = 12;
/// Levels of the quadtree in a tile: its rows are the bits of a word.
const TILE_HEIGHT: u32 = 6;
const TILE_CELLS: u16 = 1 << TILE_HEIGHT;
/// Tiles of free space along an axis.
const TILE_COUNT: u16 = 1 << (DEPTH - TILE_HEIGHT);
/// Cells of free space along an axis.
pub(super) const CELL_COUNT: i64 = 1 << DEPTH;

/// A side of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RectangleSide {
    West,
    East,
    South,
    North,
}

impl RectangleSide {
    pub(super) const ALL: [Self; 4] = [Self::West, Self::East, Self::South, Self::North];

    pub(super) fn opposite(self) -> Self {
        Self::ALL[self as usize ^ 1]
    }

    /// The axis perpendicular to the side: 0 for west and east.
    pub(super) fn axis(self) -> usize {
        self as usize / 2
    }

    /// Whether it is the side of the greater coordinates.
    pub(super) fn is_high(self) -> bool {
        self as usize % 2 == 1
    }
}

/// A free rectangle, in finest cells from the lower corner of free space; `high` is the first beyond it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FreeRectangle {
    pub(super) low: [u16; 2],
    pub(super) high: [u16; 2],
}

impl FreeRectangle {
    /// The coordinate of a side, along the axis perpendicular to it.
    pub(super) fn edge(&self, side: RectangleSide) -> u16 {
        if side.is_high() {
            self.high[side.axis()]
        } else {
            self.low[side.axis()]
        }
    }

    /// The point of the rectangle that is nearest to another.
    pub(super) fn clamp(&self, point: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|axis| point[axis].clamp(f64::from(self.low[axis]), f64::from(self.high[axis])))
    }
}

/// The id of a rectangle until walls change: the tile, then the index in it. It depends on the positions of walls and
/// not on the order of their changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RectangleId(u32);

impl RectangleId {
    fn new(tile: usize, index: usize) -> Self {
        Self((tile << 16 | index) as u32)
    }

    fn tile(self) -> usize {
        (self.0 >> 16) as usize
    }

    fn index(self) -> usize {
        (self.0 & 0xffff) as usize
    }
}

/// A tile that is not wholly free.
#[derive(Clone, Debug)]
struct Tile {
    /// A bit for each cell that counts as wall; the westernmost is the lowest, the southernmost row the first.
    rows: [u64; TILE_CELLS as usize],
    /// The free rectangles by their southern sides, from west to east.
    rectangles: Vec<FreeRectangle>,
    /// For each side, the rectangles by the position of that side, then along it.
    by_side: [Vec<u16>; 4],
}

/// The rectangles of a free space. Those of a tile are up to date unless it is among the `stale`.
#[derive(Clone, Debug)]
pub(super) struct FreeRectangles {
    /// The tiles row by row; `None` is a tile that is one rectangle.
    tiles: Vec<Option<Box<Tile>>>,
    stale: Vec<u16>,
    /// Equal numbers for rectangles that a path connects; by tile and rectangle. Empty until needed.
    parts: Vec<Box<[u32]>>,
}

impl FreeRectangles {
    /// Wholly free space.
    pub(super) fn new() -> Self {
        Self {
            tiles: (0..TILE_COUNT * TILE_COUNT).map(|_| None).collect(),
            stale: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Marks the cells from `low` to `high`, inclusive, as changed.
    pub(super) fn mark(&mut self, low: [i64; 2], high: [i64; 2]) {
        let tile = |cell: i64| (cell.clamp(0, CELL_COUNT - 1) >> TILE_HEIGHT) as u16;
        for y in tile(low[1])..=tile(high[1]) {
            for x in tile(low[0])..=tile(high[0]) {
                self.stale.push(y * TILE_COUNT + x);
            }
        }
    }

    /// Reads the changed tiles from the quadtree.
    pub(super) fn refresh(&mut self, nodes: &Block<2>) {
        if self.stale.is_empty() {
            return;
        }
        self.parts.clear();
        self.stale.sort_unstable();
        self.stale.dedup();
        for &place in &self.stale {
            self.tiles[usize::from(place)] = Tile::read(nodes, corner_of(usize::from(place)));
        }
        self.stale.clear();
    }

    pub(super) fn rectangle(&self, id: RectangleId) -> FreeRectangle {
        match &self.tiles[id.tile()] {
            Some(tile) => tile.rectangles[id.index()],
            None => whole(id.tile()),
        }
    }

    /// Whether a cell counts as wall, or is outside.
    pub(super) fn is_wall(&self, cell: [i64; 2]) -> bool {
        if cell.iter().any(|place| !(0..CELL_COUNT).contains(place)) {
            return true;
        }
        let [x, y] = cell.map(|place| place as usize);
        let tile = (y >> TILE_HEIGHT) * usize::from(TILE_COUNT) + (x >> TILE_HEIGHT);
        self.tiles[tile].as_ref().is_some_and(|tile| {
            let within = usize::from(TILE_CELLS - 1);
            tile.rows[y & within] >> (x & within) & 1 == 1
        })
    }

    /// Whether a path can turn at the point where four cells meet: one of them is wall.
    pub(super) fn is_corner(&self, corner: [i64; 2]) -> bool {
        let [x, y] = corner;
        let around = [[x - 1, y - 1], [x, y - 1], [x - 1, y], [x, y]];
        around.into_iter().filter(|cell| self.is_wall(*cell)).count() == 1
    }

    /// The rectangle nearest to a point, not further than `reach`; of equally near ones the first. With the nearest
    /// point in it.
    pub(super) fn nearest(&self, point: [f64; 2], reach: f64) -> Option<(RectangleId, [f64; 2])> {
        let tile = |coordinate: f64| (coordinate as i64).clamp(0, CELL_COUNT - 1) as usize >> TILE_HEIGHT;
        let mut best = None;
        let mut least = reach;
        for y in tile(point[1] - reach)..=tile(point[1] + reach) {
            for x in tile(point[0] - reach)..=tile(point[0] + reach) {
                let place = y * usize::from(TILE_COUNT) + x;
                for index in 0..self.count(place) {
                    let id = RectangleId::new(place, index);
                    let there = self.rectangle(id).clamp(point);
                    let distance = libm::hypot(there[0] - point[0], there[1] - point[1]);
                    if distance < least || (best.is_none() && distance == least) {
                        least = distance;
                        best = Some((id, there));
                    }
                }
            }
        }
        best
    }

    /// Calls `visit` for the rectangles beyond a side, with the stretch of the side between them, from low to high.
    pub(super) fn openings(
        &self,
        rectangle: &FreeRectangle,
        id: RectangleId,
        side: RectangleSide,
        mut visit: impl FnMut(RectangleId, u16, u16),
    ) {
        let line = rectangle.edge(side);
        let along = 1 - side.axis();
        let (low, high) = (rectangle.low[along], rectangle.high[along]);
        let mut place = id.tile();
        if line.is_multiple_of(TILE_CELLS) {
            let stride = [1, usize::from(TILE_COUNT)][side.axis()];
            if !side.is_high() {
                if line == 0 {
                    return;
                }
                place -= stride;
            } else if i64::from(line) == CELL_COUNT {
                return;
            } else {
                place += stride;
            }
        }
        let Some(tile) = &self.tiles[place] else {
            visit(RectangleId::new(place, 0), low, high);
            return;
        };
        let back = side.opposite();
        let list = &tile.by_side[back as usize];
        let at = |index: &u16| &tile.rectangles[usize::from(*index)];
        let first = list.partition_point(|index| {
            let other = at(index);
            (other.edge(back), other.high[along]) <= (line, low)
        });
        for index in &list[first..] {
            let other = at(index);
            if other.edge(back) != line || other.low[along] >= high {
                return;
            }
            let stretch = (low.max(other.low[along]), high.min(other.high[along]));
            visit(RectangleId::new(place, usize::from(*index)), stretch.0, stretch.1);
        }
    }

    /// Whether a path connects two rectangles. The first call after a change costs a pass over all rectangles.
    pub(super) fn are_joined(&mut self, a: RectangleId, b: RectangleId) -> bool {
        if self.parts.is_empty() {
            self.find_parts();
        }
        self.parts[a.tile()][a.index()] == self.parts[b.tile()][b.index()]
    }

    fn find_parts(&mut self) {
        let mut parts: Vec<Box<[u32]>> = (0..self.tiles.len())
            .map(|place| alloc::vec![u32::MAX; self.count(place)].into_boxed_slice())
            .collect();
        let mut part_count = 0;
        let mut queue = VecDeque::new();
        for place in 0..self.tiles.len() {
            for index in 0..self.count(place) {
                if parts[place][index] != u32::MAX {
                    continue;
                }
                parts[place][index] = part_count;
                queue.push_back(RectangleId::new(place, index));
                while let Some(id) = queue.pop_front() {
                    let rectangle = self.rectangle(id);
                    for side in RectangleSide::ALL {
                        self.openings(&rectangle, id, side, |other, _, _| {
                            let part = &mut parts[other.tile()][other.index()];
                            if *part == u32::MAX {
                                *part = part_count;
                                queue.push_back(other);
                            }
                        });
                    }
                }
                part_count += 1;
            }
        }
        self.parts = parts;
    }

    /// The number of rectangles of a tile.
    fn count(&self, place: usize) -> usize {
        self.tiles[place].as_ref().map_or(1, |tile| tile.rectangles.len())
    }
}

impl Tile {
    /// The tile at a corner; `None` if it is wholly free.
    fn read(nodes: &Block<2>, corner: [u16; 2]) -> Option<Box<Self>> {
        let root = nodes.cell(nodes.root());
        let cell = Cell {
            corner: [0, 1].map(|axis| root.corner[axis].wrapping_add(u32::from(corner[axis]))),
            height: TILE_HEIGHT,
        };
        let node = nodes.find(nodes.root(), &cell);
        let mut rows = [0; TILE_CELLS as usize];
        if nodes.height(node) <= TILE_HEIGHT {
            fill(nodes, node, &cell, &mut rows);
        } else if nodes.object_list(node).count() > 0 {
            rows = [u64::MAX; TILE_CELLS as usize];
        }
        if rows == [0; TILE_CELLS as usize] {
            return None;
        }
        let rectangles = rectangles_of(&rows, corner);
        let by_side = RectangleSide::ALL.map(|side| {
            let mut list: Vec<u16> = (0..rectangles.len() as u16).collect();
            let along = 1 - side.axis();
            list.sort_by_key(|index| {
                let rectangle = &rectangles[usize::from(*index)];
                (rectangle.edge(side), rectangle.low[along])
            });
            list
        });
        Some(Box::new(Self {
            rows,
            rectangles,
            by_side,
        }))
    }
}

/// Adds the leaves of a tile that count as wall, from a node on.
fn fill(nodes: &Block<2>, node: u32, tile: &Cell<2>, rows: &mut [u64; TILE_CELLS as usize]) {
    let mask = nodes.child_mask(node);
    if mask != 0 {
        for octant in (0..4).filter(|octant| mask >> octant & 1 == 1) {
            fill(nodes, nodes.known_child(node, octant), tile, rows);
        }
    } else if nodes.object_list(node).count() > 0 {
        let cell = nodes.cell(node);
        let [x, y] = cell.offset_in(tile);
        let size = 1 << cell.height;
        let run = (u64::MAX >> (64 - size)) << x;
        for row in &mut rows[y as usize..(y + size) as usize] {
            *row |= run;
        }
    }
}

/// The rectangles of a tile: runs of free cells in a row, as high as the rows above have the same runs.
fn rectangles_of(rows: &[u64; TILE_CELLS as usize], corner: [u16; 2]) -> Vec<FreeRectangle> {
    let mut rectangles: Vec<FreeRectangle> = Vec::new();
    // The rectangles that the row below belongs to.
    let mut open: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = Vec::new();
    for (row, &walls) in rows.iter().enumerate() {
        let bottom = corner[1] + row as u16;
        let mut free = !walls;
        above.clear();
        while free != 0 {
            let start = free.trailing_zeros();
            let end = start + (free >> start).trailing_ones();
            free = free.checked_shr(end).map_or(0, |rest| rest << end);
            let (low, high) = (corner[0] + start as u16, corner[0] + end as u16);
            let known = open.iter().find(|&&rectangle| {
                rectangles[rectangle].low[0] == low && rectangles[rectangle].high[0] == high
            });
            if let Some(&rectangle) = known {
                rectangles[rectangle].high[1] = bottom + 1;
                above.push(rectangle);
            } else {
                above.push(rectangles.len());
                rectangles.push(FreeRectangle {
                    low: [low, bottom],
                    high: [high, bottom + 1],
                });
            }
        }
        core::mem::swap(&mut open, &mut above);
    }
    rectangles
}

/// The lower corner of a tile, in cells.
fn corner_of(place: usize) -> [u16; 2] {
    let width = usize::from(TILE_COUNT);
    [place % width, place / width].map(|tile| tile as u16 * TILE_CELLS)
}

/// A tile that is one rectangle.
fn whole(place: usize) -> FreeRectangle {
    let low = corner_of(place);
    FreeRectangle {
        low,
        high: low.map(|edge| edge + TILE_CELLS),
    }
}
