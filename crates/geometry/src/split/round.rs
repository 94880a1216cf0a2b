//! Conversion of shapes to polygons, so that they can be cut: polygons exactly, circles and capsules with a stated
//! error.

use super::concave_polygon::ConcavePolygon;
use crate::shape::{Shape, ShapeKind};
use alloc::vec::Vec;
use glam::DVec2;

/// The number of corners of the polygon of a circle, and of both ends of a capsule together.
pub const ROUND_VERTEX_COUNT: usize = 24;

/// The largest distance of the polygon of a circle or a capsule from the round border, as a fraction of the radius. The
/// area is exact to rounding, the rotational inertia of a circle to 3 and that of a capsule to 50 in 100,000.
pub const ROUND_ERROR_RELATIVE: f64 = 0.0065;

impl ConcavePolygon {
    /// A shape's core as a polygon, and the radius that its skin adds; `None` for segments, which have no inside.
    ///
    /// The corners of a polygon are kept exactly, and a rounded one keeps its radius. A circle and a capsule become
    /// polygons of the same area whose corners lie a little outside and whose edges a little inside
    /// ([`ROUND_ERROR_RELATIVE`]), without a radius.
    ///
    /// ```
    /// use tombolo_geometry::{Vec2, shape::Shape, split::ConcavePolygon};
    /// let (disc, radius) = ConcavePolygon::of_shape(&Shape::circle(Vec2::X, 2.0)?).unwrap();
    /// assert!((disc.area() - 4.0 * core::f64::consts::PI).abs() < 1e-12);
    /// assert_eq!(radius, 0.0);
    /// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
    /// ```
    pub fn of_shape(shape: &Shape) -> Option<(Self, f64)> {
        let at = |index: usize| shape.vertices()[index].as_dvec2();
        let radius = f64::from(shape.radius());
        let (points, skin) = match shape.kind() {
            ShapeKind::Circle => (circle(at(0), radius), 0.0),
            ShapeKind::Capsule => (capsule(at(0), at(1), radius), 0.0),
            ShapeKind::Polygon => (shape.vertices().iter().map(|v| v.as_dvec2()).collect(), radius),
            ShapeKind::Segment | ShapeKind::ChainSegment | ShapeKind::HalfSpace => return None,
        };
        let ends = Vec::from([points.len() as u32]);
        Some((Self::from_sound_parts(points, ends), skin))
    }
}

fn direction(index: usize) -> DVec2 {
    let angle = index as f64 * core::f64::consts::TAU / ROUND_VERTEX_COUNT as f64;
    DVec2::new(libm::cos(angle), libm::sin(angle))
}

/// The regular polygon with a circle's area.
fn circle(center: DVec2, radius: f64) -> Vec<DVec2> {
    let count = ROUND_VERTEX_COUNT as f64;
    let triangle = 0.5 * libm::sin(core::f64::consts::TAU / count);
    let out = radius * libm::sqrt(core::f64::consts::PI / (count * triangle));
    (0..ROUND_VERTEX_COUNT)
        .map(|i| center + out * direction(i))
        .collect()
}

/// Both straight sides exactly, and at each end a fan of triangles of the half disc's area: with the outer corners at
/// `q` radii, the first and the last of the fan's `n` triangles have the area `q s / 2` and the others `q² s / 2`.
fn capsule(a: DVec2, b: DVec2, radius: f64) -> Vec<DVec2> {
    let steps = ROUND_VERTEX_COUNT / 2;
    let s = libm::sin(core::f64::consts::PI / steps as f64);
    let square = 0.5 * (steps - 2) as f64 * s;
    let q = (libm::sqrt(s * s + 2.0 * core::f64::consts::PI * square) - s) / (2.0 * square);
    let along = (b - a).normalize();
    let side = DVec2::new(along.y, -along.x);
    let cap = |center: DVec2, turn: f64| {
        (0..=steps).map(move |i| {
            // From the right of the axis to its left, around the front.
            let towards = direction(i);
            let out = if i == 0 || i == steps { radius } else { q * radius };
            center + turn * out * (towards.x * side + towards.y * along)
        })
    };
    cap(b, 1.0).chain(cap(a, -1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;

    /// The least and the greatest distance of the border from the core.
    fn reach(polygon: &ConcavePolygon, core: &[DVec2]) -> (f64, f64) {
        let points = polygon.points();
        let (mut least, mut most) = (f64::MAX, 0.0_f64);
        for (index, &p) in points.iter().enumerate() {
            let q = points[(index + 1) % points.len()];
            for step in 0..=64 {
                let at = p.lerp(q, f64::from(step) / 64.0);
                let nearest = match *core {
                    [center] => center,
                    [a, b] => {
                        let t = (at - a).dot(b - a) / (b - a).length_squared();
                        a.lerp(b, t.clamp(0.0, 1.0))
                    }
                    _ => unreachable!("a point or a segment"),
                };
                least = least.min(at.distance(nearest));
                most = most.max(at.distance(nearest));
            }
        }
        (least, most)
    }

    #[test]
    fn circles_and_capsules_keep_their_area_and_stay_within_the_stated_error() {
        let (a, b) = (Vec2::new(1.0, -2.0), Vec2::new(4.0, 2.0));
        let shapes = [
            Shape::circle(a, 0.75).unwrap(),
            Shape::capsule(a, b, 0.75).unwrap(),
        ];
        for shape in shapes {
            let (polygon, skin) = ConcavePolygon::of_shape(&shape).unwrap();
            assert_eq!(skin, 0.0);
            // The full check accepts it, too.
            let checked = ConcavePolygon::new(polygon.points()).unwrap();
            let mass = shape.mass_properties(1.0);
            assert!((checked.area() - f64::from(mass.mass)).abs() < 1e-6 * checked.area());
            let inertia = checked.moments().inertia;
            let bound = if shape.kind() == ShapeKind::Circle {
                3.0e-5
            } else {
                5.0e-4
            };
            assert!((inertia - f64::from(mass.inertia)).abs() < bound * inertia);
            let core: Vec<DVec2> = shape.vertices().iter().map(|v| v.as_dvec2()).collect();
            let (least, most) = reach(&polygon, &core);
            assert!(most <= 0.75 * (1.0 + ROUND_ERROR_RELATIVE), "{most}");
            assert!(least >= 0.75 * (1.0 - ROUND_ERROR_RELATIVE), "{least}");
        }
    }
}
