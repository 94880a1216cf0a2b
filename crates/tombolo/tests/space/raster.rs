//! The oracle of paths: free space as a raster of finest cells, and the shortest path by Dijkstra over all corners that
//! see each other. Slow and plain.

use tombolo::World;
use tombolo::geometry::orthtree::Bounds;
use tombolo::physics::Vec2;

use crate::paths::CLEARANCE;

/// The finest cells have half the clearance.
const CELL: f32 = 0.5 * CLEARANCE;
/// Cells of the room that tests are about, along an axis, and a rim of walls.
const WIDTH: i32 = 108;

pub(crate) struct Raster {
    is_free: Vec<bool>,
    corners: Vec<[f64; 2]>,
    /// Where two walls meet by their corners: nobody fits between.
    gaps: Vec<[f64; 2]>,
}

impl Raster {
    /// Of the leaves of the free space.
    pub(crate) fn of(world: &mut World) -> Self {
        let mut raster = Self {
            is_free: vec![false; (WIDTH * WIDTH) as usize],
            corners: Vec::new(),
            gaps: Vec::new(),
        };
        let half = 0.5 * WIDTH as f32 * CELL;
        let free = world.free_space(CLEARANCE).unwrap();
        free.cells(&Bounds::around([0.0; 2], half - 0.5 * CELL), |leaf| {
            let [low, high] = [leaf.bounds.min, leaf.bounds.max]
                .map(|edge| edge.map(|part| (((part + half) / CELL).round() as i32).clamp(0, WIDTH)));
            for y in low[1]..high[1] {
                for x in low[0]..high[0] {
                    raster.is_free[(y * WIDTH + x) as usize] = leaf.is_free;
                }
            }
        });
        for y in 1..WIDTH {
            for x in 1..WIDTH {
                let walls = [[x - 1, y - 1], [x, y - 1], [x - 1, y], [x, y]].map(|[x, y]| !raster.free(x, y));
                let place = [f64::from(x), f64::from(y)];
                match walls.iter().filter(|wall| **wall).count() {
                    1 => raster.corners.push(place),
                    2 if walls[0] == walls[3] => raster.gaps.push(place),
                    _ => {}
                }
            }
        }
        raster
    }

    fn free(&self, x: i32, y: i32) -> bool {
        (0..WIDTH).contains(&x) && (0..WIDTH).contains(&y) && self.is_free[(y * WIDTH + x) as usize]
    }

    /// Whether a point is one where two walls meet by their corners.
    pub(crate) fn is_gap(&self, point: Vec2) -> bool {
        self.gaps.contains(&place(point))
    }

    /// How long the shortest path between two free points is, in meters; `None` if there is none.
    pub(crate) fn least_length(&self, start: Vec2, goal: Vec2) -> Option<f32> {
        let (start, goal) = (place(start), place(goal));
        if [start, goal]
            .iter()
            .any(|at| !self.free(at[0] as i32, at[1] as i32))
        {
            return None;
        }
        let mut points = vec![start, goal];
        points.extend(&self.corners);
        let mut costs = vec![f64::INFINITY; points.len()];
        let mut is_done = vec![false; points.len()];
        costs[0] = 0.0;
        loop {
            let open = (0..points.len()).filter(|&at| !is_done[at] && costs[at] < f64::INFINITY);
            let here = open.min_by(|a, b| costs[*a].total_cmp(&costs[*b]))?;
            if here == 1 {
                return Some(costs[1] as f32 * CELL);
            }
            is_done[here] = true;
            for other in 0..points.len() {
                let way = [0, 1].map(|axis| points[other][axis] - points[here][axis]);
                let cost = costs[here] + length_of(way);
                if cost < costs[other] && self.is_clear(points[here], points[other]) {
                    costs[other] = cost;
                }
            }
        }
    }

    /// Whether a segment meets no wall from inside, squeezes through no gap, and does not run between two walls.
    fn is_clear(&self, from: [f64; 2], to: [f64; 2]) -> bool {
        const SLACK: f64 = 1.0e-9;
        let way = [0, 1].map(|axis| to[axis] - from[axis]);
        let length = length_of(way);
        let meets = |point: &[f64; 2]| {
            let [x, y] = [0, 1].map(|axis| point[axis] - from[axis]);
            let along = (x * way[0] + y * way[1]) / length;
            (x * way[1] - y * way[0]).abs() < SLACK * length && (0.0..=length).contains(&along)
        };
        if self.gaps.iter().any(meets) {
            return false;
        }
        let ends = |axis: usize| (from[axis].min(to[axis]), from[axis].max(to[axis]));
        let (low, high) = ends(1);
        // A segment on the line between two rows is looked at in either; one of them must be free all along.
        if low == high && low.fract() == 0.0 {
            let (left, right) = ends(0);
            let cells = (left + SLACK) as i32..(right - SLACK).ceil() as i32;
            return cells
                .into_iter()
                .all(|x| self.free(x, low as i32) || self.free(x, low as i32 - 1));
        }
        (low as i32..=high as i32).all(|y| {
            // What of the segment lies within the row, without its edges.
            let [first, last] =
                [f64::from(y) + SLACK, f64::from(y + 1) - SLACK].map(|edge| edge.clamp(low, high));
            if high > low && first >= last {
                return true;
            }
            let at = |height: f64| {
                if high > low {
                    from[0] + way[0] * (height - from[1]) / way[1]
                } else {
                    from[0]
                }
            };
            let (mut left, mut right) = if high > low {
                (at(first).min(at(last)), at(first).max(at(last)))
            } else {
                ends(0)
            };
            if right - left < SLACK && (left - left.round()).abs() < SLACK {
                let x = left.round() as i32;
                return self.free(x, y) || self.free(x - 1, y);
            }
            (left, right) = (left + 1.0e-7, right - 1.0e-7);
            (left as i32..=right.max(left) as i32).all(|x| self.free(x, y))
        })
    }
}

/// A point in cells from the raster's lower corner.
fn place(point: Vec2) -> [f64; 2] {
    [point.x, point.y].map(|part| f64::from(part) / f64::from(CELL) + 0.5 * f64::from(WIDTH))
}

fn length_of(way: [f64; 2]) -> f64 {
    (way[0] * way[0] + way[1] * way[1]).sqrt()
}
