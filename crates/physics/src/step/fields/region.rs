//! The part of a shape in a field's area: the area as half planes ([`Area`]), and the part of a shape behind them
//! ([`Region`]).

use crate::field::FieldRecord;
use crate::objects::width_across;
use glam::Vec2;
use tombolo_geometry::Pose;
use tombolo_geometry::math::{cross, sqrt};
use tombolo_geometry::shape::{Shape, VERTEX_COUNT_MAX};

/// The greatest number of corners of a sharp polygon after all cuts: a cut of a convex polygon adds one.
const SHARP_POINTS_MAX: usize = 2 * VERTEX_COUNT_MAX;

/// The number of directions in which the round parts of a shape get corners.
const ROUND_POINTS: usize = 16;

/// The greatest number of corners of a rounded polygon: one in each direction, two at each vertex, and one for each
/// cut.
const ROUNDED_POINTS_MAX: usize = ROUND_POINTS + 3 * VERTEX_COUNT_MAX;

/// The factor of the distance of the corners of round parts, chosen so that a disc of them has a disc's area.
const ROUND_EXCESS: f32 = 1.013_084_6;

/// The unit vectors at every sixteenth of a turn.
const DIRECTIONS: [Vec2; ROUND_POINTS] = {
    const A: f32 = 0.923_879_5;
    const B: f32 = 0.382_683_43;
    const C: f32 = core::f32::consts::FRAC_1_SQRT_2;
    let quarter = [[1.0, 0.0], [A, B], [C, C], [B, A]];
    let mut all = [Vec2::ZERO; ROUND_POINTS];
    let mut i = 0;
    while i < 4 {
        let [x, y] = quarter[i];
        all[i] = Vec2::new(x, y);
        all[i + 4] = Vec2::new(-y, x);
        all[i + 8] = Vec2::new(-x, -y);
        all[i + 12] = Vec2::new(y, -x);
        i += 1;
    }
    all
};

/// The half plane behind a line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HalfPlane {
    /// The unit normal, outward.
    pub(super) normal: Vec2,
    /// The distance of the line from the origin along the normal, in meters.
    pub(super) offset: f32,
}

impl HalfPlane {
    /// The whole plane.
    pub(super) const WHOLE: Self = Self {
        normal: Vec2::X,
        offset: f32::MAX,
    };

    /// The distance of a point outside the line, in meters.
    #[inline]
    pub(super) fn distance(self, point: Vec2) -> f32 {
        self.normal.dot(point) - self.offset
    }

    /// The half plane in the frame at `pose`.
    #[inline]
    fn seen_from(self, pose: Pose) -> Self {
        Self {
            normal: pose.rotation.unrotate(self.normal),
            offset: self.offset - self.normal.dot(pose.position),
        }
    }
}

/// The lines around an area with straight borders, in the world, and their number; `None` if it has no border or a
/// round one.
pub(super) fn lines_around(
    record: &FieldRecord,
    pose: Pose,
) -> Option<([HalfPlane; VERTEX_COUNT_MAX], usize)> {
    let mut lines = [HalfPlane::default(); VERTEX_COUNT_MAX];
    let Some(shape) = record.area() else {
        return Some((lines, 0));
    };
    if shape.radius() > 0.0 || shape.vertices().len() < 3 {
        return None;
    }
    for (line, (&normal, &vertex)) in lines.iter_mut().zip(shape.normals().iter().zip(shape.vertices())) {
        let normal = pose.rotation.rotate(normal);
        *line = HalfPlane {
            normal,
            offset: normal.dot(pose.transform_point(vertex)),
        };
    }
    Some((lines, shape.normals().len()))
}

/// A field's area near a body: the lines of its border that may cut the body.
pub(super) struct Area<'a> {
    record: &'a FieldRecord,
    pose: Pose,
    cuts: [HalfPlane; VERTEX_COUNT_MAX],
    cut_count: usize,
}

impl<'a> Area<'a> {
    /// The area around a body, which is in a circle; `None` if the circle is outside.
    pub(super) fn new(record: &'a FieldRecord, pose: Pose, center: Vec2, extent: f32) -> Option<Self> {
        let mut area = Self {
            record,
            pose,
            cuts: [HalfPlane::default(); VERTEX_COUNT_MAX],
            cut_count: 0,
        };
        let Some(shape) = record.area() else {
            return Some(area);
        };
        let (local, radius) = (pose.inverse_transform_point(center), shape.radius());
        let vertices = shape.vertices();
        let middle = match *vertices {
            [middle] => Some(middle),
            [from, to] => {
                let edge = to - from;
                let share = (local - from).dot(edge);
                if share < 0.0 {
                    Some(from)
                } else if share > edge.length_squared() {
                    Some(to)
                } else {
                    None
                }
            }
            _ => None,
        };
        if let Some(middle) = middle {
            // A round border is replaced by its nearest tangent.
            let arm = local - middle;
            let length = sqrt(arm.length_squared());
            let normal = if length > 0.0 { arm / length } else { Vec2::X };
            area.cut(normal, middle + radius * normal, length - radius, extent)?;
        } else {
            for (&normal, &vertex) in shape.normals().iter().zip(vertices) {
                let outside = normal.dot(local - vertex) - radius;
                area.cut(normal, vertex + radius * normal, outside, extent)?;
            }
        }
        Some(area)
    }

    /// Adds a line of the border, with the middle of the body `outside` meters outside of it, unless the whole body is
    /// inside.
    fn cut(&mut self, normal: Vec2, point: Vec2, outside: f32, extent: f32) -> Option<()> {
        if outside >= extent {
            return None;
        }
        if outside > -extent {
            let normal = self.pose.rotation.rotate(normal);
            let offset = normal.dot(self.pose.transform_point(point));
            self.cuts[self.cut_count] = HalfPlane { normal, offset };
            self.cut_count += 1;
        }
        Some(())
    }

    /// Whether a point in the world is inside.
    pub(super) fn contains(&self, point: Vec2) -> bool {
        let local = self.pose.inverse_transform_point(point);
        self.record.area().is_none_or(|area| area.contains_point(local))
    }

    /// The whole of a shape, in the form of [`Area::inside`].
    pub(super) fn inside_of_all(shape: &Shape, across: Vec2) -> Option<Region> {
        Self::behind(&[], shape, across)
    }

    /// The part inside of a shape of a body at `pose`; `across` is the direction, a unit vector in the shape's frame,
    /// in which the width is measured. `None` if no part is.
    pub(super) fn inside(&self, shape: &Shape, pose: Pose, across: Vec2) -> Option<Region> {
        let mut cuts = [HalfPlane::default(); VERTEX_COUNT_MAX];
        let cuts = &mut cuts[..self.cut_count];
        for (cut, of_area) in cuts.iter_mut().zip(&self.cuts) {
            *cut = of_area.seen_from(pose);
        }
        Self::behind(cuts, shape, across)
    }

    /// The part of a shape behind some lines in its frame.
    fn behind(cuts: &[HalfPlane], shape: &Shape, across: Vec2) -> Option<Region> {
        let (vertices, radius) = (shape.vertices(), shape.radius());
        match (vertices, cuts) {
            ([_], []) => Some(Region::of_disc(shape, -1.0)),
            ([center], [cut]) => {
                let outside = cut.distance(*center) / radius;
                (outside < 1.0).then(|| Region::of_disc_behind(shape, *cut, outside))
            }
            (_, []) if radius > 0.0 => Some(Region::of_rounded(shape, across)),
            _ if radius > 0.0 => {
                let clipped = ClippedPolygon::<ROUNDED_POINTS_MAX>::around(shape);
                clipped.behind(cuts)?.region(across)
            }
            _ => {
                let clipped = ClippedPolygon::<SHARP_POINTS_MAX>::of(vertices);
                clipped.behind(cuts)?.region(across)
            }
        }
    }
}

/// A part of a shape, in the shape's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    /// The area, in square meters.
    pub(super) area: f32,
    /// The centroid of the area.
    pub(super) centroid: Vec2,
    /// The area's second moment about the centroid.
    pub(super) second: f32,
    /// The width across the given direction, in meters.
    pub(super) width: f32,
    /// The resistance of its border to rotation: the fourth power of the distance of the farthest point from the
    /// middle, less that of a disc of the same area, which has no resistance.
    pub(super) swept: f32,
}

impl Region {
    fn of_disc(shape: &Shape, outside: f32) -> Self {
        Self::of_disc_behind(shape, HalfPlane::default(), outside)
    }

    /// The region of a disc whose middle is `outside` radii outside of a line, from -1 to 1.
    fn of_disc_behind(shape: &Shape, cut: HalfPlane, outside: f32) -> Self {
        let (center, radius) = (shape.vertices()[0], shape.radius());
        let cos = outside.max(-1.0);
        let sin_squared = (1.0 - cos * cos).max(0.0);
        let sin = sqrt(sin_squared);
        let share = libm::acosf(cos) - sin * cos;
        let area = radius * radius * share;
        let back = if share > 0.0 {
            2.0 / 3.0 * radius * sin_squared * sin / share
        } else {
            radius
        };
        Self {
            area,
            centroid: center - back * cut.normal,
            second: area * area / core::f32::consts::TAU,
            width: 2.0 * radius * share / core::f32::consts::PI,
            swept: 0.0,
        }
    }

    /// The region of a whole shape with a radius.
    fn of_rounded(shape: &Shape, across: Vec2) -> Self {
        let whole = shape.mass_properties(1.0);
        let farthest = shape.max_extent_from(shape.centroid());
        Self {
            area: whole.mass,
            centroid: shape.centroid(),
            second: whole.inertia,
            width: width_across(shape, -across.perp()),
            swept: swept(farthest * farthest, whole.mass),
        }
    }

    /// The region of a whole shape without area, whose border has drag nevertheless.
    pub(super) fn of_line(shape: &Shape, across: Vec2) -> Self {
        let farthest = shape.max_extent_from(shape.centroid());
        Self {
            area: 0.0,
            centroid: shape.centroid(),
            second: 0.0,
            width: width_across(shape, -across.perp()),
            swept: swept(farthest * farthest, 0.0),
        }
    }
}

fn swept(farthest_squared: f32, area: f32) -> f32 {
    let of_disc = area * core::f32::consts::FRAC_1_PI;
    (farthest_squared * farthest_squared - of_disc * of_disc).max(0.0)
}

/// A convex polygon while it is cut.
struct ClippedPolygon<const N: usize> {
    points: [Vec2; N],
    count: usize,
}

impl<const N: usize> ClippedPolygon<N> {
    const EMPTY: Self = Self {
        points: [Vec2::ZERO; N],
        count: 0,
    };

    fn of(vertices: &[Vec2]) -> Self {
        let mut clipped = Self::EMPTY;
        clipped.points[..vertices.len()].copy_from_slice(vertices);
        clipped.count = vertices.len();
        clipped
    }

    /// A polygon around a shape with a radius, whose round parts become corners.
    fn around(shape: &Shape) -> Self {
        let mut clipped = Self::EMPTY;
        let radius = ROUND_EXCESS * shape.radius();
        let (vertices, normals) = (shape.vertices(), shape.normals());
        if normals.is_empty() {
            for direction in DIRECTIONS {
                clipped.push(vertices[0] + radius * direction);
            }
            return clipped;
        }
        let mut before = normals[normals.len() - 1];
        for (&vertex, &normal) in vertices.iter().zip(normals) {
            clipped.push(vertex + shape.radius() * before);
            let is_between =
                |direction: Vec2| cross(before, direction) > 0.0 && cross(direction, normal) > 0.0;
            // The directions between two normals are consecutive, perhaps across the end of the list.
            let last = DIRECTIONS[ROUND_POINTS - 1];
            let first = if is_between(last) && is_between(DIRECTIONS[0]) {
                ROUND_POINTS / 2
            } else {
                0
            };
            for i in 0..ROUND_POINTS {
                let direction = DIRECTIONS[(first + i) % ROUND_POINTS];
                if is_between(direction) || (cross(before, normal) <= 0.0 && cross(before, direction) > 0.0) {
                    clipped.push(vertex + radius * direction);
                }
            }
            clipped.push(vertex + shape.radius() * normal);
            before = normal;
        }
        clipped
    }

    fn push(&mut self, point: Vec2) {
        // Rounding may produce one more corner than is possible; it is next to another one.
        if self.count < N {
            self.points[self.count] = point;
            self.count += 1;
        }
    }

    /// The part behind all of some lines; `None` if there is none.
    fn behind(mut self, cuts: &[HalfPlane]) -> Option<Self> {
        for &cut in cuts {
            self = self.behind_line(cut);
            if self.count < 3 {
                return None;
            }
        }
        Some(self)
    }

    fn behind_line(&self, cut: HalfPlane) -> Self {
        let mut kept = Self::EMPTY;
        let mut from = self.points[self.count - 1];
        let mut outside = cut.distance(from);
        for &to in &self.points[..self.count] {
            let (before, now) = (outside, cut.distance(to));
            if (before <= 0.0) != (now <= 0.0) {
                kept.push(from + before / (before - now) * (to - from));
            }
            if now <= 0.0 {
                kept.push(to);
            }
            (from, outside) = (to, now);
        }
        kept
    }

    /// The region of the polygon; `None` if it has no area.
    fn region(&self, across: Vec2) -> Option<Region> {
        let (origin, points) = (self.points[0], &self.points[..self.count]);
        let (mut twice_area, mut first, mut second) = (0.0, Vec2::ZERO, 0.0);
        let place = across.dot(origin);
        let (mut least, mut most) = (place, place);
        let mut before = Vec2::ZERO;
        for &point in &points[1..] {
            let arm = point - origin;
            let part = cross(before, arm);
            twice_area += part;
            first += part * (before + arm);
            second += part * (before.dot(before) + before.dot(arm) + arm.dot(arm));
            let place = across.dot(point);
            (least, most) = (least.min(place), most.max(place));
            before = arm;
        }
        if twice_area <= 0.0 {
            return None;
        }
        let area = 0.5 * twice_area;
        let middle = first / (3.0 * twice_area);
        let farthest = points.iter().fold(0.0, |farthest: f32, &point| {
            farthest.max((point - origin - middle).length_squared())
        });
        Some(Region {
            area,
            centroid: origin + middle,
            second: (second / 12.0 - area * middle.length_squared()).max(0.0),
            width: most - least,
            swept: swept(farthest, area),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{FieldDef, FieldKind};

    const WATER: FieldKind = FieldKind::Fluid {
        density: 1.0,
        velocity: Vec2::ZERO,
        drag: 1.0,
        viscosity: 0.0,
    };

    /// The part of a shape below zero, as a sum over a fine grid.
    fn by_counting(shape: &Shape, pose: Pose) -> (f32, Vec2, f32) {
        let bounds = shape.aabb(pose);
        const STEPS: usize = 1000;
        let size = (bounds.max - bounds.min) / STEPS as f32;
        let cell = f64::from(size.x * size.y);
        let (mut area, mut first, mut second) = (0.0_f64, glam::DVec2::ZERO, 0.0_f64);
        for i in 0..STEPS {
            for j in 0..STEPS {
                let point = bounds.min + size * Vec2::new(i as f32 + 0.5, j as f32 + 0.5);
                if point.y <= 0.0 && shape.contains_point(pose.inverse_transform_point(point)) {
                    area += cell;
                    first += cell * point.as_dvec2();
                    second += cell * point.as_dvec2().length_squared();
                }
            }
        }
        let middle = first / area;
        let second = second - area * middle.length_squared();
        (area as f32, middle.as_vec2(), second as f32)
    }

    #[test]
    fn what_is_under_water_is_what_counting_finds() {
        let def = FieldDef {
            area: Some(Shape::new_box(40.0, 40.0).unwrap()),
            ..FieldDef::new(WATER)
        };
        let (record, _) = FieldRecord::new(&def, 0);
        let shapes = [
            Shape::new_box(1.0, 0.6).unwrap(),
            Shape::polygon(
                &[(-1.0, -0.3), (0.8, -0.5), (1.0, 0.2), (0.0, 0.9)].map(Vec2::from),
                0.0,
            )
            .unwrap(),
            Shape::circle(Vec2::new(0.1, -0.2), 0.7).unwrap(),
            Shape::capsule(Vec2::new(-0.5, 0.0), Vec2::new(0.6, 0.3), 0.3).unwrap(),
            Shape::rounded_box(1.0, 0.7, 0.2).unwrap(),
        ];
        for (i, shape) in shapes.iter().enumerate() {
            for height in [-0.9, -0.4, -0.1, 0.0, 0.2, 0.45] {
                for angle in [0.0, 0.5, 2.0] {
                    let pose = Pose::new(Vec2::new(3.0, height), angle);
                    let surface = Pose::new(Vec2::new(0.0, -20.0), 0.0);
                    let extent = shape.max_extent_from(Vec2::ZERO);
                    let area = Area::new(&record, surface, pose.position, extent).unwrap();
                    let (wanted, middle, second) = by_counting(shape, pose);
                    let Some(got) = area.inside(shape, pose, Vec2::X) else {
                        assert!(wanted < 0.003, "shape {i} at {height}: nothing, wanted {wanted}");
                        continue;
                    };
                    let whole = shape.mass_properties(1.0).mass;
                    let case = alloc::format!("shape {i} at {height} by {angle}: {got:?}, wanted {wanted}");
                    assert!((got.area - wanted).abs() < 0.006 * whole, "{case}");
                    if wanted > 0.2 * whole {
                        let apart = pose.transform_point(got.centroid) - middle;
                        assert!(apart.length() < 0.01, "{case}: middle {middle}");
                    }
                    // That of a part of a disc is approximated by a whole disc's.
                    if shape.vertices().len() > 1 {
                        assert!(
                            (got.second - second).abs() < 0.02 * second + 0.001,
                            "{case}: second {second}"
                        );
                    }
                }
            }
        }
    }
}
