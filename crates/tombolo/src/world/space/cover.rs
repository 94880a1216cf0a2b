//! The boxes by which a static shape stands in free space: rows of cells, and one box for what many rows share.
//!
//! A box for each row would be enough, but a quadtree divides along the whole border of each box, and the rows of a
//! hill are as long as the hill is wide. So the middle that a group of rows has in common is one box, the sides that
//! half of the group has beyond it are further ones, and so on down to single rows, of which the ends are left.

use alloc::vec::Vec;
use core::ops::Range;

use tombolo_geometry::orthtree::Bounds;
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Pose, Vec2};

use super::free::root_of;

/// The boxes that cover the part of a shape that matters to free space, each grown by a clearance. No box reaches beyond
/// the shape by more than a cell before it is grown.
pub(super) fn boxes_of(shape: &Shape, pose: Pose, clearance: f32, cell: f32, boxes: &mut Vec<Bounds<2>>) {
    let root = root_of(cell);
    // The part of a half-space that free space reaches: from its center to its corners.
    let middle = pose.inverse_transform_point(Vec2::ZERO);
    let outline = Outline::new(&shape.near(middle, 1.5 * root.max[0]), pose);
    let (min, max) = outline.extent();
    let is_box = outline.radius <= cell && outline.is_parallel();
    if is_box || max.y - min.y <= cell {
        boxes.push(grown(min, max, clearance));
        return;
    }
    let [left, low] = root.min.map(|edge| edge - clearance);
    let [right, high] = root.max.map(|edge| edge + clearance);
    let (low, high) = (low.max(min.y), high.min(max.y));
    if low >= high {
        return;
    }
    let row_count = libm::ceilf((high - low) / cell).max(1.0) as u32;
    let mut rows = Rows {
        outline,
        across: [left, right],
        low,
        high,
        row_count,
        clearance,
        boxes,
    };
    rows.cover(0..row_count, None);
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

    /// Whether all edges are parallel to an axis.
    fn is_parallel(&self) -> bool {
        let mut ends = self.corners.iter().zip(self.corners.iter().cycle().skip(1));
        ends.all(|(a, b)| a.x == b.x || a.y == b.y)
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

/// The rows of a shape from one height to another.
struct Rows<'a> {
    outline: Outline,
    /// The least and the greatest x that matter.
    across: [f32; 2],
    low: f32,
    high: f32,
    row_count: u32,
    clearance: f32,
    boxes: &'a mut Vec<Bounds<2>>,
}

impl Rows<'_> {
    /// Covers a group of rows but for a range of x that all of them contain and that is covered.
    fn cover(&mut self, rows: Range<u32>, covered: Option<[f32; 2]>) {
        let band = [self.height_of(rows.start), self.height_of(rows.end)];
        let is_single = rows.len() == 1;
        let range = if is_single {
            self.range_in(band)
        } else {
            self.common(band)
        };
        match (range, covered) {
            (Some([left, right]), Some([from, to])) => {
                if left < from {
                    self.add([left, from], band);
                }
                if right > to {
                    self.add([to, right], band);
                }
            }
            (Some(range), None) => self.add(range, band),
            (None, _) => {}
        }
        if !is_single {
            let middle = rows.start + rows.len() as u32 / 2;
            let known = range.or(covered);
            self.cover(rows.start..middle, known);
            self.cover(middle..rows.end, known);
        }
    }

    /// The height of the lower border of a row.
    fn height_of(&self, row: u32) -> f32 {
        if row == self.row_count {
            return self.high;
        }
        self.low + row as f32 / self.row_count as f32 * (self.high - self.low)
    }

    /// The range of x in a band of heights, as far as it matters.
    fn range_in(&self, band: [f32; 2]) -> Option<[f32; 2]> {
        let [least, greatest] = self.outline.range_in(band)?;
        let (left, right) = (least.max(self.across[0]), greatest.min(self.across[1]));
        (left <= right).then_some([left, right])
    }

    /// The range of x that the shape covers at every height of a band: as it is convex, at the lowest and the highest.
    fn common(&self, band: [f32; 2]) -> Option<[f32; 2]> {
        let [low, high] = band.map(|height| self.range_in([height, height]));
        let ([a, b], [c, d]) = (low?, high?);
        let (left, right) = (a.max(c), b.min(d));
        (left < right).then_some([left, right])
    }

    fn add(&mut self, [left, right]: [f32; 2], [low, high]: [f32; 2]) {
        let (min, max) = (Vec2::new(left, low), Vec2::new(right, high));
        self.boxes.push(grown(min, max, self.clearance));
    }
}

fn grown(min: Vec2, max: Vec2, clearance: f32) -> Bounds<2> {
    Bounds::new((min - clearance).to_array(), (max + clearance).to_array())
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

    fn check_boxes(shape: &Shape, pose: Pose, clearance: f32, cell: f32) {
        let what = format!("{shape:?} at {pose:?}");
        let mut boxes = Vec::new();
        boxes_of(shape, pose, clearance, cell, &mut boxes);
        for bounds in &boxes {
            assert!(
                (0..2).all(|axis| bounds.min[axis].is_finite()
                    && bounds.max[axis].is_finite()
                    && bounds.min[axis] <= bounds.max[axis]),
                "{what}: {bounds:?}"
            );
        }
        let root = root_of(cell);
        let reach = root.max[0].min(60.0 * cell);
        let grid = (-10..=10).flat_map(|x| (-10..=10).map(move |y| Vec2::new(x as f32, y as f32)));
        let around =
            grid.flat_map(|place| [pose.position, Vec2::ZERO].map(|middle| middle + place / 10.0 * reach));
        let corners = shape
            .vertices()
            .iter()
            .map(|vertex| pose.transform_point(*vertex));
        for point in around.chain(corners) {
            if !(0..2).all(|axis| (root.min[axis]..=root.max[axis]).contains(&point[axis])) {
                continue;
            }
            let nearest =
                tombolo_geometry::distance::closest_point(shape, pose.inverse_transform_point(point));
            let off = pose.transform_point(nearest).distance(point);
            let is_covered = boxes.iter().any(|bounds| {
                (0..2).all(|axis| (bounds.min[axis]..=bounds.max[axis]).contains(&point[axis]))
            });
            let rounding = 1.0e-2 * cell + 2.0e-6 * pose.position.abs().max_element();
            if off <= clearance - rounding {
                assert!(is_covered, "{what}: {point}, {off} m away");
            }
            // The square around a clearance, on a box that reaches a cell beyond the shape.
            let most = (Vec2::splat(clearance) + Vec2::new(0.0, cell)).length() + rounding;
            assert!(!is_covered || off <= most, "{what}: {point}, {off} m away");
        }
    }

    #[test]
    fn boxes_cover_a_shape_and_little_more_wherever_it_is() {
        for shape in shapes() {
            for turn in 0..6 {
                for (clearance, cell) in [(0.25, 0.125), (0.5, 0.25), (16.0, 8.0)] {
                    for place in [0.0, 100.0, -1.6e4, 1.0e5] {
                        let pose = Pose::new(Vec2::new(0.3, 1.0) * place, 1.1 * turn as f32);
                        check_boxes(&shape, pose, clearance, cell);
                    }
                }
            }
        }
    }

    #[test]
    fn boxes_stay_finite_far_outside() {
        for shape in shapes() {
            for place in [1.0e6, -3.0e7] {
                check_boxes(&shape, Pose::new(Vec2::new(0.3, 1.0) * place, 0.4), 0.25, 0.125);
            }
        }
    }

    /// A tilted plain is some thousand small boxes, not a thousand long ones.
    #[test]
    fn the_borders_of_all_boxes_are_a_few_times_as_long_as_that_of_the_shape() {
        for angle in [0.001_f32, 0.1, 0.7, 1.5] {
            let plain = Shape::half_space(Vec2::ZERO, Vec2::from_angle(angle).perp()).unwrap();
            let mut boxes = Vec::new();
            boxes_of(&plain, Pose::IDENTITY, 0.5, 0.25, &mut boxes);
            let root = root_of(0.25);
            let borders = boxes.iter().map(|bounds| {
                let side =
                    |axis: usize| bounds.max[axis].min(root.max[axis]) - bounds.min[axis].max(root.min[axis]);
                2.0 * (side(0).max(0.0) + side(1).max(0.0))
            });
            let (count, border) = (boxes.len(), borders.sum::<f32>());
            assert!(
                count < 3 * 4096 && border < 150.0 * root.max[0],
                "{angle}: {count}, {border} m"
            );
        }
    }
}
