//! Merges rectangles of tiles to few long ones: first along rows, then rows that span the same columns.

use crate::error::{MapError, Origin};
use crate::limits::PIECES_MAX;

/// Left, top, right and bottom, in pixels; the y axis may point up or down.
pub(crate) type Rectangle = [f64; 4];

/// A list of rectangles; adjacent ones are merged.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rectangles {
    list: Vec<Rectangle>,
}

impl Rectangles {
    /// Adds a rectangle. If it begins where the last one ends, that is extended, so that full rows take no memory.
    ///
    /// # Errors
    /// There are too many.
    pub(crate) fn add(&mut self, rectangle: Rectangle, origin: &Origin) -> Result<(), MapError> {
        if let Some(last) = self.list.last_mut()
            && is_next(last, &rectangle)
        {
            last[2] = rectangle[2];
            return Ok(());
        }
        if self.list.len() == PIECES_MAX {
            let message = format!("its tiles are more than {PIECES_MAX} pieces; divide the map");
            return Err(origin.refuse(message));
        }
        self.list.push(rectangle);
        Ok(())
    }

    /// The merged rectangles, in an order that does not depend on the order in which they were added.
    pub(crate) fn merged(mut self) -> Vec<Rectangle> {
        sort(&mut self.list, [1, 3, 0, 2]);
        let mut rows: Vec<Rectangle> = Vec::with_capacity(self.list.len());
        for rectangle in self.list {
            match rows.last_mut() {
                Some(last) if is_next(last, &rectangle) => last[2] = rectangle[2],
                _ => rows.push(rectangle),
            }
        }
        sort(&mut rows, [0, 2, 1, 3]);
        let mut merged: Vec<Rectangle> = Vec::with_capacity(rows.len());
        for row in rows {
            match merged.last_mut() {
                Some(last) if last[0] == row[0] && last[2] == row[2] && last[3] == row[1] => last[3] = row[3],
                _ => merged.push(row),
            }
        }
        sort(&mut merged, [1, 0, 2, 3]);
        merged
    }
}

/// Whether the second begins where the first ends, at the same height.
fn is_next(first: &Rectangle, second: &Rectangle) -> bool {
    first[2] == second[0] && first[1] == second[1] && first[3] == second[3]
}

fn sort(list: &mut [Rectangle], sides: [usize; 4]) {
    let key = |rectangle: &Rectangle| sides.map(|side| rectangle[side]);
    list.sort_by(|a, b| {
        let mut orders = key(a).into_iter().zip(key(b)).map(|(a, b)| a.total_cmp(&b));
        orders
            .find(|order| order.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(cells: &[(u32, u32)]) -> Vec<Rectangle> {
        let mut rectangles = Rectangles::default();
        for &(column, row) in cells {
            let [left, top] = [column, row].map(|cell| f64::from(cell) * 16.0);
            let rectangle = [left, top, left + 16.0, top + 16.0];
            rectangles.add(rectangle, &Origin::file("test")).unwrap();
        }
        rectangles.merged()
    }

    #[test]
    fn a_full_area_is_one_rectangle_in_any_order() {
        let mut cells: Vec<(u32, u32)> = (0..40).flat_map(|x| (0..30).map(move |y| (x, y))).collect();
        assert_eq!(merged(&cells), [[0.0, 0.0, 640.0, 480.0]]);
        cells.sort_by_key(|&(x, y)| (x * 7 + y * 13) % 31);
        assert_eq!(merged(&cells), [[0.0, 0.0, 640.0, 480.0]]);
    }

    #[test]
    fn a_room_is_its_floor_its_walls_and_its_ceiling() {
        let cells: Vec<(u32, u32)> = (0..10)
            .flat_map(|x| (0..10).map(move |y| (x, y)))
            .filter(|&(x, y)| x == 0 || x == 9 || y == 0 || y == 9)
            .collect();
        let rectangles = merged(&cells);
        assert_eq!(rectangles.len(), 4, "{rectangles:?}");
        let area: f64 = rectangles.iter().map(|[l, t, r, b]| (r - l) * (b - t)).sum();
        assert_eq!(area, cells.len() as f64 * 256.0);
    }

    #[test]
    fn what_only_touches_at_a_corner_stays_apart() {
        assert_eq!(merged(&[(0, 0), (1, 1)]).len(), 2);
        assert_eq!(merged(&[(0, 0), (2, 0)]).len(), 2);
    }
}
