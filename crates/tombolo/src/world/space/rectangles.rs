//! [`FreeRectangles`]: free space as rectangles that are as large as a tile allows.
//!
//! A wall leaves thousands of small leaves along its sides. So each square of 64 by 64 finest cells, a tile, stores
//! its cells as bits and joins those that are free: equal runs of cells in lines above each other are one rectangle.
//! The rectangles of a tile follow from its bits alone. A tile has a list of the walls in it, cut to it. When a wall
//! changes, the tiles that it touches are made anew from their lists, and no other; neighbors are looked up in lists by
//! side, so that no tile knows of another.
//!
//! Why: `docs/decisions.md#free-rectangles-end-at-tiles`.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

#[cfg(test)]
mod tests;

/// The levels of a quadtree over free space, which is 4,096 finest cells wide.
pub(super) const DEPTH: u32 = 12;
/// The levels of it in a tile, of which the rows are the bits of a word.
pub(super) const TILE_HEIGHT: u32 = 6;
/// Finest cells of a tile along an axis.
pub(super) const TILE_CELLS: u16 = 1 << TILE_HEIGHT;
/// Tiles of free space along an axis.
pub(super) const TILE_COUNT: u16 = 1 << (DEPTH - TILE_HEIGHT);
/// Finest cells of free space along an axis.
pub(super) const CELL_COUNT: u16 = 1 << DEPTH;

/// A box of finest cells that count as wall, from the lower corner of free space; `high` is the first beyond it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WallBox {
    pub(super) low: [u16; 2],
    pub(super) high: [u16; 2],
}

impl WallBox {
    /// The tiles that the box touches.
    pub(super) fn tiles(&self) -> impl Iterator<Item = u16> + use<> {
        let [across, up] =
            [0, 1].map(|axis| self.low[axis] / TILE_CELLS..=(self.high[axis] - 1) / TILE_CELLS);
        up.flat_map(move |y| across.clone().map(move |x| y * TILE_COUNT + x))
    }

    /// Whether a tile is wholly in it.
    #[cfg(feature = "script")]
    pub(super) fn covers(&self, tile: u16) -> bool {
        let TileBox { low, high } = self.in_tile(tile);
        low == [0; 2] && high == [TILE_CELLS as u8; 2]
    }

    /// The part of it in a tile that it touches.
    fn in_tile(&self, place: u16) -> TileBox {
        let corner = corner_of(usize::from(place));
        let [low, high] = [self.low, self.high]
            .map(|edge| [0, 1].map(|axis| edge[axis].saturating_sub(corner[axis]).min(TILE_CELLS) as u8));
        TileBox { low, high }
    }
}

/// The part of a [`WallBox`] in a tile, in cells from the tile's corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TileBox {
    low: [u8; 2],
    high: [u8; 2],
}

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
    /// For each tile the walls in it, in any order: its cells are the union of them.
    walls: Vec<Vec<TileBox>>,
    stale: Vec<u16>,
    /// Equal numbers for rectangles that a path connects; by tile and rectangle. Empty until needed.
    parts: Vec<Box<[u32]>>,
}

impl FreeRectangles {
    /// Wholly free space.
    pub(super) fn new() -> Self {
        Self {
            tiles: (0..TILE_COUNT * TILE_COUNT).map(|_| None).collect(),
            walls: (0..TILE_COUNT * TILE_COUNT).map(|_| Vec::new()).collect(),
            stale: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Adds a wall. Its tiles are stale until they are refreshed.
    pub(super) fn add(&mut self, wall: &WallBox) {
        for place in wall.tiles() {
            self.walls[usize::from(place)].push(wall.in_tile(place));
            self.stale.push(place);
        }
    }

    /// Removes a wall that was added. Its tiles are stale until they are refreshed.
    pub(super) fn remove(&mut self, wall: &WallBox) {
        for place in wall.tiles() {
            let (walls, part) = (&mut self.walls[usize::from(place)], wall.in_tile(place));
            let known = walls.iter().position(|known| *known == part);
            debug_assert!(known.is_some(), "only walls that were added are removed");
            if let Some(at) = known {
                walls.swap_remove(at);
            }
            self.stale.push(place);
        }
    }

    /// Makes the tiles of changed walls anew.
    pub(super) fn refresh(&mut self) {
        if self.stale.is_empty() {
            return;
        }
        self.parts.clear();
        self.stale.sort_unstable();
        self.stale.dedup();
        for &place in &self.stale {
            let place = usize::from(place);
            self.tiles[place] = Tile::of(&self.walls[place], corner_of(place));
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
        if cell
            .iter()
            .any(|place| !(0..i64::from(CELL_COUNT)).contains(place))
        {
            return true;
        }
        let [x, y] = cell.map(|place| place as usize);
        let tile = (y >> TILE_HEIGHT) * usize::from(TILE_COUNT) + (x >> TILE_HEIGHT);
        self.tiles[tile].as_ref().is_some_and(|tile| {
            let within = usize::from(TILE_CELLS - 1);
            tile.rows[y & within] >> (x & within) & 1 == 1
        })
    }

    /// Whether all cells of a square of the quadtree count as wall, or none does; `None` if some do.
    pub(super) fn is_wall_all_over(&self, low: [u16; 2], height: u32) -> Option<bool> {
        let [x, y] = low.map(usize::from);
        let within = usize::from(TILE_CELLS - 1);
        if height < TILE_HEIGHT {
            let place = (y >> TILE_HEIGHT) * usize::from(TILE_COUNT) + (x >> TILE_HEIGHT);
            let Some(tile) = &self.tiles[place] else {
                return Some(false);
            };
            let run = ((1 << (1 << height)) - 1) << (x & within);
            return alike(
                tile.rows[y & within..][..1 << height].iter().map(|row| row & run),
                run,
            );
        }
        let size = 1 << (height - TILE_HEIGHT);
        let rows = (y >> TILE_HEIGHT..).take(size);
        let places = rows.flat_map(|y| (y * usize::from(TILE_COUNT) + (x >> TILE_HEIGHT)..).take(size));
        let rows = places.flat_map(|place| match &self.tiles[place] {
            Some(tile) => &tile.rows[..],
            None => &[0],
        });
        alike(rows.copied(), u64::MAX)
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
        let tile = |coordinate: f64| usize::from((coordinate as u16).min(CELL_COUNT - 1) >> TILE_HEIGHT);
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
            } else if line == CELL_COUNT {
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

    /// The number of all rectangles. Costs the tiles.
    pub(super) fn len(&self) -> usize {
        (0..self.tiles.len()).map(|place| self.count(place)).sum()
    }

    /// The number of rectangles of a tile.
    fn count(&self, place: usize) -> usize {
        self.tiles[place].as_ref().map_or(1, |tile| tile.rectangles.len())
    }
}

impl Tile {
    /// The tile of some walls at a corner; `None` if it is wholly free.
    fn of(walls: &[TileBox], corner: [u16; 2]) -> Option<Box<Self>> {
        if walls.is_empty() {
            return None;
        }
        let mut rows = [0; TILE_CELLS as usize];
        for TileBox { low, high } in walls {
            let run = (u64::MAX >> (64 - (high[0] - low[0]))) << low[0];
            for row in &mut rows[usize::from(low[1])..usize::from(high[1])] {
                *row |= run;
            }
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

/// Whether all rows are `full` or all are 0; `None` if they differ.
fn alike(mut rows: impl Iterator<Item = u64>, full: u64) -> Option<bool> {
    let first = rows.next()?;
    let is_alike = (first == 0 || first == full) && rows.all(|row| row == first);
    is_alike.then_some(first == full)
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
