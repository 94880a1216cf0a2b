//! Merging the cells of a chunk into few spans of equal tiles, so that a changed cell changes few of them.
//!
//! Ground slopes that continue each other diagonally become one wedge with the full cells below them in their square.
//! Tiles that fill their cells from left to right merge along their row, as far as it is unbroken; rows with the same
//! begin and end, of tiles that fill their cells from bottom to top, merge upward. The result is a function of the
//! cells of the chunk alone.

use super::records::{CHUNK_CELLS, CHUNK_SIDE, Span, TileRecord};
use alloc::vec::Vec;
use glam::Vec2;

/// The spans of a chunk, row by row from below, each from the left.
pub(crate) fn merge(cells: &[u8; CHUNK_CELLS], tiles: &[TileRecord], spans: &mut Vec<Span>) {
    spans.clear();
    let wedges = Wedges::of(cells, tiles);
    let has = |bits: &[u32; CHUNK_SIDE], x: usize, y: usize| bits[y] >> x & 1 != 0;
    let is_taken = |x: usize, y: usize| has(&wedges.taken, x, y);
    // For each column the span that begins in it and reached the previous row.
    let mut open = [usize::MAX; CHUNK_SIDE];
    for y in 0..CHUNK_SIDE {
        let row = &cells[y * CHUNK_SIDE..(y + 1) * CHUNK_SIDE];
        let mut next_open = [usize::MAX; CHUNK_SIDE];
        let mut x = 0;
        while x < CHUNK_SIDE {
            if has(&wedges.begins, x, y) {
                let is_here = |wedge: &&Span| (wedge.x, wedge.y) == (x as u8, y as u8);
                spans.extend(wedges.list.iter().find(is_here));
            }
            let Some(class) = class_of(row[x], tiles).filter(|_| !is_taken(x, y)) else {
                x += 1;
                continue;
            };
            let tile = &tiles[class as usize - 1];
            let mut end = x + 1;
            if tile.merges_along_rows() {
                let is_like = |end: usize| row[end] == row[x] || class_of(row[end], tiles) == Some(class);
                while end < CHUNK_SIDE && is_like(end) && !is_taken(end, y) {
                    end += 1;
                }
            }
            let below = open[x];
            let goes_on = tile.merges_along_columns()
                && spans
                    .get(below)
                    .is_some_and(|span| span.class == class && usize::from(span.width) == end - x);
            if goes_on {
                spans[below].height += 1;
                next_open[x] = below;
            } else {
                next_open[x] = spans.len();
                spans.push(Span {
                    x: x as u8,
                    y: y as u8,
                    width: (end - x) as u8,
                    height: 1,
                    class,
                });
            }
            x = end;
        }
        open = next_open;
    }
}

/// Ground slopes with the full cells below them.
#[derive(Default)]
struct Wedges {
    /// A square for each wedge: the slopes along its diagonal, full cells below them.
    list: Vec<Span>,
    /// For each row a bit for each cell that is in a wedge.
    taken: [u32; CHUNK_SIDE],
    /// For each row a bit for each cell that is at the lower left of a wedge.
    begins: [u32; CHUNK_SIDE],
}

const _: () = assert!(CHUNK_SIDE == u32::BITS as usize);

impl Wedges {
    /// Finds the wedges: each begins with the lowest slope that is in none yet, the leftmost within a row, and extends
    /// up as far as it can.
    fn of(cells: &[u8; CHUNK_CELLS], tiles: &[TileRecord]) -> Self {
        let mut wedges = Self::default();
        if tiles.iter().all(|tile| Slope::of(tile).is_none()) {
            return wedges;
        }
        let slopes: Vec<Option<Slope>> = tiles.iter().map(Slope::of).collect();
        let at = |x: usize, y: usize| class_of(cells[y * CHUNK_SIDE + x], tiles);
        for y in 0..CHUNK_SIDE {
            for x in 0..CHUNK_SIDE {
                let Some(class) = at(x, y) else {
                    continue;
                };
                let Some(slope) = slopes[usize::from(class) - 1] else {
                    continue;
                };
                let is_free = |x: usize, y: usize| wedges.taken[y] >> x & 1 == 0;
                if !is_free(x, y) {
                    continue;
                }
                // The columns of the slopes, from the lowest one up.
                let column = |step: usize| match slope {
                    Slope::Up => Some(x + step).filter(|&x| x < CHUNK_SIDE),
                    Slope::Down => x.checked_sub(step),
                };
                let is_full = |x: usize, y: usize| {
                    let fills = |below: u8| {
                        is_filling_of(&tiles[usize::from(below) - 1], &tiles[usize::from(class) - 1])
                    };
                    is_free(x, y) && at(x, y).is_some_and(fills)
                };
                let goes_on = |step: usize| {
                    column(step).is_some_and(|x| {
                        y + step < CHUNK_SIDE
                            && at(x, y + step) == Some(class)
                            && is_free(x, y + step)
                            && (y..y + step).all(|y| is_full(x, y))
                    })
                };
                let count = (1..CHUNK_SIDE).take_while(|&step| goes_on(step)).count() + 1;
                if count > 1 {
                    let last = column(count - 1).unwrap_or(x);
                    wedges.take([x, last], y, count, slope, class);
                }
            }
        }
        wedges
    }

    fn take(&mut self, [foot, top]: [usize; 2], y: usize, count: usize, slope: Slope, class: u8) {
        for step in 0..count {
            // The cells of a row that are below the slope, and the slope's own.
            let (from, to) = match slope {
                Slope::Up => (foot + step, top),
                Slope::Down => (top, foot - step),
            };
            (from..=to).for_each(|x| self.taken[y + step] |= 1 << x);
        }
        self.begins[y] |= 1 << foot.min(top);
        self.list.push(Span {
            x: foot.min(top) as u8,
            y: y as u8,
            width: count as u8,
            height: count as u8,
            class,
        });
    }
}

/// Ground that rises or falls to the right by 45 degrees.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slope {
    Up,
    Down,
}

impl Slope {
    fn of(tile: &TileRecord) -> Option<Self> {
        let has = |x: f32, y: f32| tile.corners().contains(&Vec2::new(x, y));
        let is_triangle = tile.corners().len() == 3 && has(0.0, 0.0) && has(1.0, 0.0);
        match (is_triangle, has(1.0, 1.0), has(0.0, 1.0)) {
            (true, true, _) => Some(Self::Up),
            (true, _, true) => Some(Self::Down),
            _ => None,
        }
    }
}

/// Whether a tile fills its cell and has the same material as a slope.
fn is_filling_of(tile: &TileRecord, slope: &TileRecord) -> bool {
    tile.merges_along_rows() && tile.merges_along_columns() && tile.has_same_properties(slope)
}

/// The kind that stands for all kinds equal to a cell's; `None` for an empty cell.
fn class_of(cell: u8, tiles: &[TileRecord]) -> Option<u8> {
    let tile = tiles.get(usize::from(cell.checked_sub(1)?))?;
    Some(tile.class as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile_grid::{Tile, TileShape, records_of};
    use alloc::vec;

    fn spans(rows: &[&str]) -> Vec<Span> {
        let tiles = records_of(&[
            Tile::default(),
            Tile::default(),
            Tile::new(TileShape::SlopeUp),
            Tile::new(TileShape::BottomHalf),
            Tile::new(TileShape::LeftHalf),
            Tile::new(TileShape::SlopeDown),
        ]);
        let mut cells = [0; CHUNK_CELLS];
        for (y, row) in rows.iter().rev().enumerate() {
            for (x, letter) in row.bytes().enumerate() {
                cells[y * CHUNK_SIDE + x] =
                    b".123456".iter().position(|&known| known == letter).unwrap() as u8;
            }
        }
        let mut found = vec![];
        merge(&cells, &tiles, &mut found);
        found
    }

    fn span(x: u8, y: u8, width: u8, height: u8, class: u8) -> Span {
        Span {
            x,
            y,
            width,
            height,
            class,
        }
    }

    #[test]
    fn equal_rows_merge_and_kinds_that_are_alike_are_one() {
        assert_eq!(spans(&["1121", "2211"]), [span(0, 0, 4, 2, 1)]);
        assert_eq!(
            spans(&["11.1", "1111"]),
            [span(0, 0, 4, 1, 1), span(0, 1, 2, 1, 1), span(3, 1, 1, 1, 1)]
        );
        assert_eq!(
            spans(&["33", "44"]),
            [span(0, 0, 2, 1, 4), span(0, 1, 1, 1, 3), span(1, 1, 1, 1, 3)]
        );
        assert_eq!(spans(&["55", "55"]), [span(0, 0, 1, 2, 5), span(1, 0, 1, 2, 5)]);
        assert_eq!(spans(&["44", "44"]), [span(0, 0, 2, 1, 4), span(0, 1, 2, 1, 4)]);
        assert!(spans(&["..", ".."]).is_empty());
    }

    #[test]
    fn slopes_and_what_is_full_below_them_are_one_wedge() {
        assert_eq!(
            spans(&["..3", ".31", "311"]),
            [span(0, 0, 3, 3, 3)],
            "ground that rises"
        );
        assert_eq!(spans(&["6..", "16.", "116"]), [span(0, 0, 3, 3, 6)], "and falls");
        // No full cell is below the second slope.
        assert_eq!(spans(&[".3", "3."]), [span(0, 0, 1, 1, 3), span(1, 1, 1, 1, 3)]);
        // The cells right of the wedge merge separately, and so do those below it.
        assert_eq!(
            spans(&["..311", ".3111", "11111"]),
            [span(0, 0, 5, 1, 1), span(1, 1, 2, 2, 3), span(3, 1, 2, 2, 1)]
        );
    }
}
