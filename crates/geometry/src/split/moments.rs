//! Area, center and second moment of a polygon, with a rounded skin on request.
//!
//! Sums run over triangles about the first vertex, where few digits cancel. The skin of a rounded polygon is added as
//! for shapes: a strip along each edge and a sector at each corner.

use super::concave_polygon::ConcavePolygon;
use crate::shape::Moments;
use glam::DVec2;

/// Area, center and second moment of an area.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AreaMoments {
    /// Area in square meters.
    pub area: f64,
    /// The center of the area, in meters.
    pub centroid: DVec2,
    /// The integral of the squared distance from the center, in m⁴: rotational inertia for one kilogram a square meter.
    pub inertia: f64,
}

impl ConcavePolygon {
    /// Area, center and second moment of the inside. O(n).
    ///
    /// ```
    /// use glam::DVec2;
    /// use tombolo_geometry::split::ConcavePolygon;
    /// let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]].map(DVec2::from_array);
    /// let moments = ConcavePolygon::new(&square).unwrap().moments();
    /// assert_eq!((moments.area, moments.centroid), (4.0, DVec2::ONE));
    /// assert!((moments.inertia - 4.0 * (2.0 * 2.0 + 2.0 * 2.0) / 12.0).abs() < 1e-14); // m (w² + h²) / 12
    /// ```
    pub fn moments(&self) -> AreaMoments {
        self.rounded_moments(0.0)
    }

    /// The same with `radius` meters added all around. Only for convex polygons without holes: others would count the
    /// skin twice in their reflex corners. O(n), with an arc tangent for each corner.
    pub fn rounded_moments(&self, radius: f64) -> AreaMoments {
        let origin = self.points()[0];
        let mut moments = Moments::default();
        for loop_index in 0..self.loop_count() {
            let points = self.loop_points(loop_index);
            let at = |index: usize| points[index % points.len()] - origin;
            for index in 0..points.len() {
                let (p, q) = (at(index), at(index + 1));
                moments.add_triangle(p, q);
                if radius > 0.0 {
                    let before = outward(at(index + points.len() - 1), p);
                    let normal = outward(p, q);
                    let angle = libm::atan2(before.perp_dot(normal).abs(), before.dot(normal));
                    moments.add_strip(p, q, normal, radius);
                    moments.add_sector(p, before, normal, angle, radius);
                }
            }
        }
        let offset = if moments.area > 0.0 {
            moments.first / moments.area
        } else {
            DVec2::ZERO
        };
        AreaMoments {
            area: moments.area,
            centroid: origin + offset,
            inertia: (moments.second - moments.area * offset.length_squared()).max(0.0),
        }
    }
}

/// The unit vector to the right of the direction from `p` to `q`.
fn outward(p: DVec2, q: DVec2) -> DVec2 {
    let along = (q - p).normalize_or_zero();
    DVec2::new(along.y, -along.x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;
    use glam::Vec2;

    #[test]
    fn a_rounded_polygon_weighs_what_the_rounded_shape_does() {
        let corners = [(0.5, 0.25), (3.0, 0.5), (2.5, 2.0), (1.0, 2.25)].map(Vec2::from);
        for radius in [0.0, 0.125] {
            let shape = Shape::polygon(&corners, radius).unwrap();
            let mass = shape.mass_properties(1.0);
            let polygon = ConcavePolygon::from_vec2(shape.vertices()).unwrap();
            let moments = polygon.rounded_moments(f64::from(radius));
            assert!((moments.area - f64::from(mass.mass)).abs() < 1e-6 * moments.area);
            assert!((moments.inertia - f64::from(mass.inertia)).abs() < 1e-6 * moments.inertia);
            assert!(moments.centroid.distance(mass.center.as_dvec2()) < 1e-6);
        }
    }

    #[test]
    fn a_hole_takes_its_own_moments_away() {
        let ring = |half: f64, middle: DVec2| {
            [[-half, -half], [half, -half], [half, half], [-half, half]].map(|p| DVec2::from(p) + middle)
        };
        let (middle, inner) = (DVec2::new(7.0, -3.0), DVec2::new(7.5, -3.0));
        let border = ConcavePolygon::new(&ring(2.0, middle)).unwrap();
        let mut hole = ring(0.5, inner);
        let filled = ConcavePolygon::new(&hole).unwrap().moments();
        hole.reverse();
        let whole = border.moments();
        let holed = ConcavePolygon::with_holes(&ring(2.0, middle), &[&hole])
            .unwrap()
            .moments();
        assert!((holed.area + filled.area - whole.area).abs() < 1e-12);
        let about = |m: AreaMoments| m.inertia + m.area * (m.centroid - whole.centroid).length_squared();
        assert!((about(holed) + about(filled) - about(whole)).abs() < 1e-11);
    }
}
