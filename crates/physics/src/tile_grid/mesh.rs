//! Merging the cells of a chunk: the fewest rows and columns of equal tiles, in a way in which a changed cell changes few.
//!
//! Tiles that fill their cells from left to right merge along their row, as far as it is unbroken; rows that begin and end
//! alike, of tiles that fill their cells from bottom to top, merge upward. A function of the cells of the chunk alone.

use super::{CHUNK_CELLS, CHUNK_SIDE, TileRecord};
use alloc::vec::Vec;

/// Equal tiles of a chunk that become one shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The column in the chunk.
    pub(crate) x: u8,
    /// The row in the chunk.
    pub(crate) y: u8,
    /// Columns.
    pub(crate) width: u8,
    /// Rows.
    pub(crate) height: u8,
    /// The number of the kind of tile, the least of those that are alike; from 1.
    pub(crate) class: u8,
}

/// The spans of a chunk, row by row from below, each from the left.
pub(crate) fn merge(cells: &[u8; CHUNK_CELLS], tiles: &[TileRecord], spans: &mut Vec<Span>) {
    spans.clear();
    // For each column the span that begins in it and reached the row before.
    let mut open = [usize::MAX; CHUNK_SIDE];
    for y in 0..CHUNK_SIDE {
        let row = &cells[y * CHUNK_SIDE..(y + 1) * CHUNK_SIDE];
        let mut next_open = [usize::MAX; CHUNK_SIDE];
        let mut x = 0;
        while x < CHUNK_SIDE {
            let Some(class) = class_of(row[x], tiles) else {
                x += 1;
                continue;
            };
            let tile = &tiles[class as usize - 1];
            let mut end = x + 1;
            if tile.merges_along_rows() {
                while end < CHUNK_SIDE && (row[end] == row[x] || class_of(row[end], tiles) == Some(class)) {
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

/// The kind that stands for all that are like a cell's; `None` for an empty cell.
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
        ]);
        let mut cells = [0; CHUNK_CELLS];
        for (y, row) in rows.iter().rev().enumerate() {
            for (x, letter) in row.bytes().enumerate() {
                cells[y * CHUNK_SIDE + x] =
                    b".12345".iter().position(|&known| known == letter).unwrap() as u8;
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
}
