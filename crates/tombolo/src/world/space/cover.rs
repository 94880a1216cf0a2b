//! The finest cells of free space that count as wall because of one shape, as boxes of cells.
//!
//! A cell counts if the shape, grown by the clearance along both axes, reaches into it. If the shape's sides are
//! parallel to the axes that is one box. Any other shape is followed row by row: what all rows of a row of tiles have in
//! common is one box, and the ends beyond it are a box for each row, or for several rows with equal ends.

use alloc::vec::Vec;

use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Pose, Vec2};

use super::rectangles::{CELL_COUNT, TILE_CELLS, WallBox};

/// The share of a cell up to which a shape that reaches into it counts as beside it: more than the rounding of points
/// in free space, and too little to affect an agent.
pub(super) const TOUCH: f32 = 1.0 / 1024.0;
/// The cells from the lower corner of free space to the origin.
const HALF_COUNT: f32 = (CELL_COUNT / 2) as f32;

/// Adds the cells that a shape covers in free space of a clearance. Returns the number of rows that it was followed
/// through.
pub(super) fn boxes_of(
    shape: &Shape,
    pose: Pose,
    clearance: f32,
    cell: f32,
    boxes: &mut Vec<WallBox>,
) -> usize {
    // The part of a half-space that free space reaches: from its center to its corners.
    let middle = pose.inverse_transform_point(Vec2::ZERO);
    let outline = Outline::new(&shape.near(middle, 1.5 * HALF_COUNT * cell), pose);
    let (min, max) = outline.extent();
    let sides = [[min.x, max.x], [min.y, max.y]];
    let [Some(across), Some(rows)] =
        sides.map(|[low, high]| cells_of(low - clearance, high + clearance, cell))
    else {
        return 0;
    };
    if outline.is_box(cell) {
        boxes.push(WallBox {
            low: [across[0], rows[0]],
            high: [across[1], rows[1]],
        });
        return 0;
    }
    let ends_of = |row: u16| {
        let from_origin = f32::from(row) - HALF_COUNT;
        let band = [
            (from_origin + TOUCH) * cell - clearance,
            (from_origin + 1.0 - TOUCH) * cell + clearance,
        ];
        let range = outline.range_in(band);
        let cells = range.and_then(|[low, high]| cells_of(low - clearance, high + clearance, cell));
        cells.unwrap_or_default()
    };
    let mut first = rows[0];
    while first < rows[1] {
        let end = (first + 1).next_multiple_of(TILE_CELLS).min(rows[1]);
        let ends: Vec<[u16; 2]> = (first..end).map(ends_of).collect();
        cover_rows(first, &ends, boxes);
        first = end;
    }
    usize::from(rows[1] - rows[0])
}

/// The cells that an interval in meters reaches into by more than [`TOUCH`]: the first, and the first beyond, counted
/// from the lower corner of free space; `None` if it is outside.
///
/// Shapes that an agent's center may touch often end on a plane between two cells, or a rounding step beside one. An
/// interval without extent that is on a plane covers the cells on both sides, so that free space does not depend on the
/// direction of the axes.
fn cells_of(min: f32, max: f32, cell: f32) -> Option<[u16; 2]> {
    // From the origin, which is in the middle: the cells of a mirrored interval are the mirrored cells.
    let [low, high] = [min, max].map(|edge| f64::from(edge) / f64::from(cell));
    let touch = f64::from(TOUCH);
    let (first, last) = (libm::floor(low + touch), libm::ceil(high - touch) - 1.0);
    let half = f64::from(HALF_COUNT);
    let (first, last) = (half + first.min(last), half + last.max(first));
    if !(last >= 0.0 && first < f64::from(CELL_COUNT)) {
        return None;
    }
    let end = last.min(f64::from(CELL_COUNT - 1)) + 1.0;
    Some([first.max(0.0) as u16, end as u16])
}

/// Adds the cells of some rows of one row of tiles, from `first` on, of each from one end to the other.
fn cover_rows(first: u16, ends: &[[u16; 2]], boxes: &mut Vec<WallBox>) {
    let common = ends.iter().fold([0, CELL_COUNT], |[low, high], end| {
        [low.max(end[0]), high.min(end[1])]
    });
    let low = common[0].next_multiple_of(TILE_CELLS);
    let high = common[1] / TILE_CELLS * TILE_CELLS;
    if low >= high {
        add_runs(first, ends.iter().copied(), boxes);
        return;
    }
    boxes.push(WallBox {
        low: [low, first],
        high: [high, first + ends.len() as u16],
    });
    add_runs(first, ends.iter().map(|end| [end[0], low]), boxes);
    add_runs(first, ends.iter().map(|end| [high, end[1]]), boxes);
}

/// Adds a run of cells for each row from `first` on; equal ones above each other as one box.
fn add_runs(first: u16, runs: impl Iterator<Item = [u16; 2]>, boxes: &mut Vec<WallBox>) {
    let start = boxes.len();
    for (row, [from, to]) in (first..).zip(runs) {
        match boxes[start..].last_mut() {
            Some(below) if [below.low[0], below.high[0], below.high[1]] == [from, to, row] => {
                below.high[1] = row + 1;
            }
            _ if from < to => boxes.push(WallBox {
                low: [from, row],
                high: [to, row + 1],
            }),
            _ => {}
        }
    }
}

/// The border of a convex shape in the world: its corners, each with a disc around it, and its edges moved outward by
/// the radius.
struct Outline {
    corners: Vec<Vec2>,
    edges: Vec<[Vec2; 2]>,
    radius: f32,
}

impl Outline {
    fn new(shape: &Shape, pose: Pose) -> Self {
        let corners: Vec<Vec2> = shape
            .vertices()
            .iter()
            .map(|vertex| pose.position + pose.rotation.rotate(*vertex))
            .collect();
        let ends = corners.iter().zip(corners.iter().cycle().skip(1));
        let edges = ends.zip(shape.normals()).map(|((from, to), normal)| {
            let outward = shape.radius() * pose.rotation.rotate(*normal);
            [*from + outward, *to + outward]
        });
        Self {
            edges: edges.collect(),
            corners,
            radius: shape.radius(),
        }
    }

    /// The lower left and the upper right corner of its box.
    fn extent(&self) -> (Vec2, Vec2) {
        let first = self.corners[0];
        let (min, max) = self.corners.iter().fold((first, first), |(min, max), corner| {
            (min.min(*corner), max.max(*corner))
        });
        (min - self.radius, max + self.radius)
    }

    /// Whether the box around it reaches beyond it by no more than half a cell.
    fn is_box(&self, cell: f32) -> bool {
        let (min, max) = self.extent();
        let mut edges = self.corners.iter().zip(self.corners.iter().cycle().skip(1));
        let mut is_parallel = || edges.all(|(a, b)| a.x == b.x || a.y == b.y);
        // The corner of a square is 0.41 of its half side away from the disc in it.
        (max - min).min_element() <= 0.5 * cell || self.radius <= cell && is_parallel()
    }

    /// The least and the greatest x in a band of heights; `None` if nothing is in it.
    fn range_in(&self, band: [f32; 2]) -> Option<[f32; 2]> {
        let (mut least, mut greatest) = (f32::INFINITY, f32::NEG_INFINITY);
        let mut include = |x: f32| (least, greatest) = (least.min(x), greatest.max(x));
        for [a, b] in &self.edges {
            within(*a, *b, band).into_iter().flatten().for_each(&mut include);
        }
        if self.radius > 0.0 {
            for corner in &self.corners {
                let off = (band[0] - corner.y).max(corner.y - band[1]).max(0.0);
                let half_squared = self.radius * self.radius - off * off;
                if half_squared >= 0.0 {
                    let half = libm::sqrtf(half_squared);
                    include(corner.x - half);
                    include(corner.x + half);
                }
            }
        }
        (least <= greatest).then_some([least, greatest])
    }
}

/// The ends of the part of a segment in a band of heights.
fn within(a: Vec2, b: Vec2, band: [f32; 2]) -> [Option<f32>; 2] {
    let (low, high) = if a.y <= b.y { (a, b) } else { (b, a) };
    if high.y < band[0] || low.y > band[1] {
        return [None; 2];
    }
    let at = |height: f32| low.x + (height - low.y) / (high.y - low.y) * (high.x - low.x);
    [
        Some(if low.y >= band[0] { low.x } else { at(band[0]) }),
        Some(if high.y <= band[1] { high.x } else { at(band[1]) }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use tombolo_geometry::distance::closest_point;

    fn shapes() -> [Shape; 6] {
        let corners = |scale: f32| [(0.0, 0.0), (3.0, 0.3), (1.0, 2.0)].map(|(x, y)| scale * Vec2::new(x, y));
        [
            Shape::capsule(Vec2::new(-2.0, 0.0), Vec2::new(2.0, 0.0), 0.2).unwrap(),
            Shape::polygon(&corners(1.0), 0.0).unwrap(),
            Shape::polygon(&corners(70.0), 3.0).unwrap(),
            Shape::circle(Vec2::new(0.3, 0.1), 40.0).unwrap(),
            Shape::segment(Vec2::NEG_X, Vec2::new(30.0, 2.0)).unwrap(),
            Shape::half_space(Vec2::new(1.0, 2.0), Vec2::new(0.1, 1.0)).unwrap(),
        ]
    }

    /// The cells of a shape, each once or more.
    fn cells(shape: &Shape, pose: Pose, clearance: f32, cell: f32) -> Vec<WallBox> {
        let mut boxes = Vec::new();
        boxes_of(shape, pose, clearance, cell, &mut boxes);
        for WallBox { low, high } in &boxes {
            let is_box = (0..2).all(|axis| low[axis] < high[axis] && high[axis] <= CELL_COUNT);
            assert!(is_box, "{shape:?} at {pose:?}: {low:?} to {high:?}");
        }
        boxes
    }

    fn check(shape: &Shape, pose: Pose, clearance: f32, cell: f32) {
        let boxes = cells(shape, pose, clearance, cell);
        let half = HALF_COUNT * cell;
        let reach = half.min(60.0 * cell);
        let grid = (-10..=10).flat_map(|x| (-10..=10).map(move |y| 0.1 * Vec2::new(x as f32, y as f32)));
        let around = grid.flat_map(|place| [pose.position, Vec2::ZERO].map(|middle| middle + reach * place));
        let corners = shape
            .vertices()
            .iter()
            .map(|vertex| pose.transform_point(*vertex));
        for point in around
            .chain(corners)
            .filter(|point| point.abs().max_element() < half)
        {
            let nearest = closest_point(shape, pose.inverse_transform_point(point));
            let off = pose.transform_point(nearest).distance(point);
            let place = [point.x, point.y].map(|part| ((part + half) / cell) as u16);
            let is_covered = boxes.iter().any(|WallBox { low, high }| {
                (0..2).all(|axis| (low[axis]..high[axis]).contains(&place[axis]))
            });
            let rounding = 1.0e-2 * cell + 2.0e-6 * pose.position.abs().max_element();
            let what = || format!("{shape:?} at {pose:?}: {point}, {off} m away");
            assert!(is_covered || off > clearance - rounding, "{}", what());
            assert!(
                !is_covered || off <= 1.5 * clearance + 2.0 * cell + rounding,
                "{}",
                what()
            );
        }
    }

    #[test]
    fn boxes_cover_a_shape_and_little_more_wherever_it_is() {
        for shape in shapes() {
            for turn in 0..6 {
                for (clearance, cell) in [(0.0, 0.125), (0.25, 0.125), (0.5, 0.25), (16.0, 8.0)] {
                    for place in [0.0, 100.0, -1.6e4, 1.0e5] {
                        let pose = Pose::new(Vec2::new(0.3, 1.0) * place, 1.1 * turn as f32);
                        check(&shape, pose, clearance, cell);
                    }
                }
            }
        }
    }

    #[test]
    fn shapes_far_outside_have_no_cells_unless_they_have_no_end() {
        for shape in shapes() {
            for place in [1.0e6, -3.0e7, 1.0e30] {
                let pose = Pose::new(Vec2::new(0.3, 1.0) * place, 0.4);
                let boxes = cells(&shape, pose, 0.25, 0.125);
                assert!(shape.is_half_space() || boxes.is_empty(), "{shape:?} at {pose:?}");
            }
        }
    }

    /// What two shapes that overlap or touch cover, and a shape that ends on planes between cells.
    #[test]
    fn an_interval_covers_the_cells_that_it_reaches_into() {
        let middle = CELL_COUNT / 2;
        for (min, max, low, high) in [
            (0.0, 1.0, 0, 1),
            (0.0_f32.next_down(), 1.0_f32.next_up(), 0, 1),
            (-0.01, 1.01, -1, 2),
            (0.3, 0.4, 0, 1),
            (1.0, 1.0, 0, 2),
        ] {
            let cells = |low: i16, high: i16| [low, high].map(|cell| middle.wrapping_add_signed(cell));
            assert_eq!(cells_of(min, max, 1.0), Some(cells(low, high)), "{min} to {max}");
            assert_eq!(
                cells_of(-max, -min, 1.0),
                Some(cells(-high, -low)),
                "-{max} to -{min}"
            );
        }
        let edge = HALF_COUNT;
        assert_eq!(cells_of(-9e9, f32::INFINITY, 1.0), Some([0, CELL_COUNT]));
        assert_eq!(cells_of(edge, edge + 1.0, 1.0), None);
        assert_eq!(
            cells_of(edge - 0.5, edge + 1.0, 1.0),
            Some([CELL_COUNT - 1, CELL_COUNT])
        );
        assert_eq!(cells_of(f32::NAN, f32::NAN, 1.0), None);
    }

    /// A tilted plain is some thousand boxes along its border, and not one for each row in each tile.
    #[test]
    fn a_plain_is_boxes_along_its_border_and_one_for_each_row_of_tiles() {
        for angle in [0.001_f32, 0.1, 0.7, 1.5] {
            let plain = Shape::half_space(Vec2::ZERO, Vec2::from_angle(angle).perp()).unwrap();
            let boxes = cells(&plain, Pose::IDENTITY, 0.5, 0.25);
            let tiles: usize = boxes.iter().map(|wall| wall.tiles().count()).sum();
            assert!(
                tiles < 5 * usize::from(CELL_COUNT),
                "{angle}: {tiles} boxes in tiles"
            );
        }
    }
}
