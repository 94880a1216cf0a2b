//! The convex hull of at most eight points: welds points that nearly coincide, drops corners that are nearly flat.
//!
//! Andrew's monotone chain ("Another efficient algorithm for convex hulls in two dimensions", 1979), with orientation
//! computed in double precision, where differences of 32-bit coordinates are exact enough that the chain cannot
//! contradict itself. The tolerances are applied before and after, not inside, so that they cannot either.

use super::{LENGTH_MIN, VERTEX_COUNT_MAX, WELD_RELATIVE};
use glam::{DVec2, Vec2};

/// A hull under construction: `points[..count]` are its corners.
pub(super) struct Hull {
    pub(super) points: [Vec2; VERTEX_COUNT_MAX],
    pub(super) count: usize,
}

impl Hull {
    /// The hull of up to eight finite points, counter-clockwise from the leftmost (then lowest) corner. Fewer than
    /// three corners means that the points have no area. Nearby points weld within [`LENGTH_MIN`], or within a
    /// millionth of the largest coordinate where that is more; flat corners are dropped at a quarter of that distance.
    pub(super) fn of(input: &[Vec2]) -> Self {
        let largest = input.iter().fold(0.0, |m: f32, p| m.max(p.abs().max_element()));
        let weld = LENGTH_MIN.max(WELD_RELATIVE * largest);
        let mut hull = Self::chain(&mut Self::welded(input, weld));
        hull.drop_flat_corners(0.25 * weld);
        hull
    }

    /// Keeps each point that is farther than `distance` from all kept before it.
    fn welded(input: &[Vec2], distance: f32) -> Self {
        let mut kept = Self {
            points: [Vec2::ZERO; VERTEX_COUNT_MAX],
            count: 0,
        };
        for &point in input {
            let near = |other: &Vec2| point.distance_squared(*other) < distance * distance;
            if !kept.points[..kept.count].iter().any(near) {
                // Adding zero makes a negative zero a positive one.
                kept.points[kept.count] = point + Vec2::ZERO;
                kept.count += 1;
            }
        }
        kept
    }

    /// Sorts the points by x, then y, and builds the chain there (lower side) and back (upper side).
    fn chain(sorted: &mut Self) -> Self {
        let points = &mut sorted.points[..sorted.count];
        points.sort_unstable_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
        let mut stack = [Vec2::ZERO; 2 * VERTEX_COUNT_MAX];
        let mut count = 0;
        for &point in points.iter() {
            count = push_corner(&mut stack, count, 0, point);
        }
        let upper_start = count.saturating_sub(1);
        for &point in points.iter().rev().skip(1) {
            count = push_corner(&mut stack, count, upper_start, point);
        }
        // The chain ends at its start.
        let count = if points.len() > 1 { count - 1 } else { count };
        let mut hull = Self {
            points: [Vec2::ZERO; VERTEX_COUNT_MAX],
            count,
        };
        hull.points[..count].copy_from_slice(&stack[..count]);
        hull
    }

    /// Removes, flattest first, each corner that is less than `distance` off the line through its neighbors.
    fn drop_flat_corners(&mut self, distance: f32) {
        while self.count >= 3 {
            let mut flattest = (f64::from(distance), self.count);
            for index in 0..self.count {
                let before = self.points[(index + self.count - 1) % self.count].as_dvec2();
                let after = self.points[(index + 1) % self.count].as_dvec2();
                let height = (after - before)
                    .normalize_or_zero()
                    .perp_dot(before - self.points[index].as_dvec2());
                if height < flattest.0 {
                    flattest = (height, index);
                }
            }
            if flattest.1 == self.count {
                return;
            }
            self.points[flattest.1..self.count].rotate_left(1);
            self.count -= 1;
            self.points[self.count] = Vec2::ZERO;
        }
    }
}

/// Pushes a point on a chain that begins at `start`, after popping those that would not be a left turn.
fn push_corner(
    stack: &mut [Vec2; 2 * VERTEX_COUNT_MAX],
    mut count: usize,
    start: usize,
    point: Vec2,
) -> usize {
    while count >= start + 2 && turn(stack[count - 2], stack[count - 1], point) <= 0.0 {
        count -= 1;
    }
    stack[count] = point;
    count + 1
}

/// Above zero if the path from `a` over `b` to `c` turns left.
pub(super) fn turn(a: Vec2, b: Vec2, c: Vec2) -> f64 {
    let from = |p: Vec2| -> DVec2 { p.as_dvec2() };
    (from(b) - from(a)).perp_dot(from(c) - from(b))
}
