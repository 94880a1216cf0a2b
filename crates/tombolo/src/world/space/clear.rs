//! Whether a segment stays in free cells. Their borders count as free, as the corners of paths are on them; so does the
//! point in which the corners of two walls meet.

use core::ops::RangeInclusive;

use super::cover::TOUCH;
use super::rectangles::FreeRectangles;
use super::search::Point;

/// The share of a cell by which a segment may reach over a border: corners of paths are rounded to meters.
const ROUNDING: f64 = TOUCH as f64;

/// Whether all cells that a segment goes through are free. Both ends must be in free space.
pub(super) fn is_clear(cells: &FreeRectangles, from: Point, to: Point) -> bool {
    let is_free_in = |across: &Cells, up: &Cells| across.hold(|x| up.hold(|y| !cells.is_wall([x, y])));
    let up = Cells::between(from[1], to[1]);
    if up.are_beside {
        return is_free_in(&Cells::between(from[0], to[0]), &up);
    }
    let (low, high) = if from[1] <= to[1] { (from, to) } else { (to, from) };
    let at = |height: f64| low[0] + (height - low[1]) / (high[1] - low[1]) * (high[0] - low[0]);
    let mut rows = up.range;
    rows.all(|y| {
        // What of the segment is within the row.
        let ends = [y, y + 1].map(|edge| at((edge as f64).clamp(low[1], high[1])));
        let row = Cells {
            range: y..=y,
            are_beside: true,
        };
        is_free_in(&Cells::between(ends[0], ends[1]), &row)
    })
}

/// The cells along one axis that an interval goes through.
struct Cells {
    range: RangeInclusive<i64>,
    /// Whether the interval is a point: if it is between two cells, either will do.
    are_beside: bool,
}

impl Cells {
    fn between(from: f64, to: f64) -> Self {
        let (low, high) = (from.min(to), from.max(to));
        let are_beside = high - low <= ROUNDING;
        let inward = if are_beside { -ROUNDING } else { ROUNDING };
        let first = libm::floor(low + inward) as i64;
        let last = libm::ceil(high - inward) as i64 - 1;
        Self {
            range: first..=last.max(first),
            are_beside,
        }
    }

    fn hold(&self, mut is_free: impl FnMut(i64) -> bool) -> bool {
        let mut cells = self.range.clone();
        if self.are_beside {
            cells.any(&mut is_free)
        } else {
            cells.all(&mut is_free)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::space::rectangles::WallBox;

    #[test]
    fn a_segment_is_clear_along_walls_and_around_their_corners_but_not_between_or_through_them() {
        let mut cells = FreeRectangles::new();
        for (low, high) in [
            ([10, 10], [20, 12]),
            ([20, 12], [22, 20]),
            ([30, 10], [40, 20]),
            ([40, 10], [50, 20]),
        ] {
            cells.add(&WallBox { low, high });
        }
        cells.refresh();
        for (from, to, expected) in [
            ([10.0, 12.0], [20.0, 12.0], true),
            ([20.0, 12.0], [10.0, 12.0], true),
            ([10.0, 10.0], [10.0, 12.0], true),
            ([5.0, 12.0], [25.0, 12.0], true),
            ([5.0, 11.999], [25.0, 11.999], false),
            ([9.0, 11.0], [10.0, 12.0], true),
            ([9.0, 11.0], [11.0, 13.0], true),
            ([9.0, 11.0], [11.0, 12.9], false),
            ([15.0, 12.0], [15.0, 12.0], true),
            ([15.0, 11.9], [15.0, 11.9], false),
            ([20.0, 10.0], [20.0, 12.0], true),
            // Between two walls that meet.
            ([40.0, 9.0], [40.0, 12.0], false),
            ([40.0, 10.0], [40.0, 9.0], true),
            ([40.0, 15.0], [40.0, 15.0], false),
            ([25.0, 20.0], [60.0, 20.0], true),
            // Over a row, steep and flat.
            ([25.0, 0.0], [28.0, 40.0], true),
            ([21.0, 0.0], [22.5, 40.0], false),
            ([0.5, 8.7], [60.0, 9.9], true),
            ([0.5, 8.7], [60.0, 10.1], true),
            ([0.5, 9.7], [60.0, 10.1], false),
        ] {
            assert_eq!(is_clear(&cells, from, to), expected, "{from:?} to {to:?}");
            assert_eq!(is_clear(&cells, to, from), expected, "{to:?} to {from:?}");
            // And with the axes swapped.
            let mut turned = FreeRectangles::new();
            for (low, high) in [
                ([10, 10], [12, 20]),
                ([12, 20], [20, 22]),
                ([10, 30], [20, 40]),
                ([10, 40], [20, 50]),
            ] {
                turned.add(&WallBox { low, high });
            }
            turned.refresh();
            let [from, to] = [from, to].map(|[x, y]| [y, x]);
            assert_eq!(
                is_clear(&turned, from, to),
                expected,
                "{from:?} to {to:?}, turned"
            );
        }
    }
}
