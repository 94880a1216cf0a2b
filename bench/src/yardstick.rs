//! The distance or overlap of two shapes, computed plainly in `f64` from corners and poses alone.
//!
//! All engines are measured by this, ours among them, so it uses no engine's own geometry: no tolerance, no slop, no
//! manifold. An overlap is measured along the direction of least penetration (over all normals of both polygons, which
//! is exact for convex shapes in the plane), a gap by the distance of the nearest points.

use glam::DVec2;
use tombolo::physics::Shape;
use tombolo_bench_protocol::BodyMotion;

/// A shape in the world: a point, a segment or a convex polygon with its corners counter-clockwise, rounded by a radius.
#[derive(Clone, Debug)]
pub(crate) struct Solid {
    corners: Vec<DVec2>,
    radius: f64,
    /// Whether it is a part of a chain, which is solid only on the right side of its direction.
    one_sided: bool,
    /// The lowest coordinates of all its points.
    pub low: DVec2,
    /// The highest coordinates of all its points.
    pub high: DVec2,
}

impl Solid {
    /// A body's shape at the body's pose.
    pub(crate) fn new(shape: &Shape, motion: &BodyMotion) -> Self {
        let [x, y, cos, sin] = [motion.x, motion.y, motion.cos, motion.sin].map(f64::from);
        // An engine's rotation may be off unit length by rounding; the body must not grow by that.
        let unit = (cos * cos + sin * sin).sqrt();
        let (cos, sin) = (cos / unit, sin / unit);
        let place = |corner: &glam::Vec2| {
            let corner = corner.as_dvec2();
            DVec2::new(
                x + cos * corner.x - sin * corner.y,
                y + sin * corner.x + cos * corner.y,
            )
        };
        let corners = shape.vertices().iter().map(place).collect();
        Self::of(corners, f64::from(shape.radius()), shape.is_chain_segment())
    }

    fn of(corners: Vec<DVec2>, radius: f64, one_sided: bool) -> Self {
        let low = corners.iter().copied().fold(DVec2::INFINITY, DVec2::min) - radius;
        let high = corners.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max) + radius;
        Self {
            corners,
            radius,
            one_sided,
            low,
            high,
        }
    }

    /// Whether the axis-aligned boxes of both overlap.
    pub(crate) fn is_near(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    /// The distance of the two in meters; below 0 their overlap. Infinite for a shape behind a chain.
    pub(crate) fn gap(&self, other: &Self) -> f64 {
        if self.is_behind(other) || other.is_behind(self) {
            return f64::INFINITY;
        }
        let radii = self.radius + other.radius;
        let normals = self.normals().chain(other.normals().map(|normal| -normal));
        // The other's nearest point along each normal of ours; for its normals, reversed, the same.
        let apart = normals
            .map(|normal| self.apart_along(other, normal))
            .fold(f64::NEG_INFINITY, f64::max);
        if apart < 0.0 && apart > f64::NEG_INFINITY {
            return apart - radii;
        }
        self.distance(other) - radii
    }

    /// Whether this is a part of a chain and the other's center is on its far side.
    fn is_behind(&self, other: &Self) -> bool {
        self.one_sided
            && self
                .normals()
                .any(|normal| (other.middle() - self.corners[0]).dot(normal) < 0.0)
    }

    fn middle(&self) -> DVec2 {
        self.corners.iter().sum::<DVec2>() / self.corners.len() as f64
    }

    /// Outward normals of the edges. A segment has two sides, a part of a chain one, a point none.
    fn normals(&self) -> impl Iterator<Item = DVec2> {
        let count = match self.corners.len() {
            1 => 0,
            2 if self.one_sided => 1,
            count => count,
        };
        (0..count).map(|edge| {
            let along = self.corners[(edge + 1) % self.corners.len()] - self.corners[edge];
            DVec2::new(along.y, -along.x).normalize()
        })
    }

    /// The distance along a direction from our farthest point to the other's nearest.
    fn apart_along(&self, other: &Self, direction: DVec2) -> f64 {
        let reach = |of: &Self, direction: DVec2| {
            let along = of.corners.iter().map(|corner| corner.dot(direction));
            along.fold(f64::NEG_INFINITY, f64::max)
        };
        -reach(other, -direction) - reach(self, direction)
    }

    /// The distance of the nearest points of two polygons that do not overlap: one of the two is a corner.
    fn distance(&self, other: &Self) -> f64 {
        let to_edges = |corners: &Self, of: &Self| {
            let mut least = f64::INFINITY;
            for &corner in &corners.corners {
                for (edge, &a) in of.corners.iter().enumerate() {
                    let b = of.corners[(edge + 1) % of.corners.len()];
                    least = least.min(to_segment(corner, a, b));
                }
            }
            least
        };
        to_edges(self, other).min(to_edges(other, self))
    }
}

fn to_segment(point: DVec2, a: DVec2, b: DVec2) -> f64 {
    let along = b - a;
    let length_squared = along.length_squared();
    let share = if length_squared > 0.0 {
        ((point - a).dot(along) / length_squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    point.distance(a + share * along)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;

    fn at(shape: &Shape, x: f32, y: f32, angle: f32) -> Solid {
        let place = BodyMotion {
            x,
            y,
            cos: libm::cosf(angle),
            sin: libm::sinf(angle),
            ..Default::default()
        };
        Solid::new(shape, &place)
    }

    fn assert_gap(a: &Solid, b: &Solid, expected: f64) {
        for gap in [a.gap(b), b.gap(a)] {
            assert!((gap - expected).abs() < 1e-6, "{gap} instead of {expected}");
        }
    }

    #[test]
    fn boxes_apart_touching_and_overlapping() {
        let square = Shape::new_box(1.0, 1.0).unwrap();
        let first = at(&square, 0.0, 0.0, 0.0);
        assert_gap(&first, &at(&square, 1.25, 0.0, 0.0), 0.25);
        assert_gap(&first, &at(&square, 4.0, 5.0, 0.0), 5.0);
        assert_eq!(first.gap(&at(&square, 0.0, 1.0, 0.0)), 0.0);
        // The exit is in the shorter direction, not the one of the entry.
        assert_gap(&first, &at(&square, 0.75, 0.5, 0.0), -0.25);
        assert_gap(&first, &first.clone(), -1.0);
        // A corner of a box standing on it, half a diagonal from its center, in the flat one's side.
        let tip = 0.5 * std::f32::consts::SQRT_2;
        assert_gap(
            &first,
            &at(&square, 0.0, 0.4 + tip, std::f32::consts::FRAC_PI_4),
            -0.1,
        );
    }

    #[test]
    fn circles_are_measured_between_their_middles() {
        let circle = Shape::circle(Vec2::new(0.5, 0.0), 0.5).unwrap();
        let first = at(&circle, 0.0, 0.0, 0.0);
        assert_gap(&first, &at(&circle, 3.0, 4.0, 0.0), 4.0);
        assert_gap(&first, &at(&circle, 0.75, 0.0, 0.0), -0.25);
        // Its center is off the body's origin, and rotates with the body.
        assert_gap(&first, &at(&circle, 1.0, 1.0, std::f32::consts::PI), 0.0);
    }

    #[test]
    fn circle_in_a_box_counts_from_the_nearest_side() {
        let circle = Shape::circle(Vec2::ZERO, 0.25).unwrap();
        let square = Shape::new_box(2.0, 2.0).unwrap();
        let square = at(&square, 0.0, 0.0, 0.0);
        assert_gap(&square, &at(&circle, 0.9, 0.0, 0.0), -0.35);
        assert_gap(&square, &at(&circle, 1.2, 0.0, 0.0), -0.05);
        assert_gap(&square, &at(&circle, 4.0, 5.0, 0.0), 4.75);
    }

    #[test]
    fn rounding_is_added_to_both_sides() {
        let rounded = Shape::rounded_box(1.0, 1.0, 0.1).unwrap();
        let first = at(&rounded, 0.0, 0.0, 0.0);
        assert_gap(&first, &at(&rounded, 1.5, 0.0, 0.0), 0.3);
        assert_gap(&first, &at(&rounded, 1.1, 0.0, 0.0), -0.1);
        assert_gap(&first, &at(&rounded, 0.9, 0.0, 0.0), -0.3);
    }

    #[test]
    fn segments_are_solid_from_both_sides_and_chains_from_one() {
        let circle = Shape::circle(Vec2::ZERO, 0.5).unwrap();
        let segment = Shape::segment(Vec2::new(-3.0, 0.0), Vec2::new(3.0, 0.0)).unwrap();
        let segment = at(&segment, 0.0, 0.0, 0.0);
        for side in [-1.0, 1.0] {
            assert_gap(&segment, &at(&circle, 0.0, 0.4 * side, 0.0), -0.1);
        }
        // From right to left: solid from above.
        let [before, a, b, after] = [9.0, 3.0, -3.0, -9.0].map(|x| Vec2::new(x, 0.0));
        let chain = Shape::chain_segment(before, a, b, after).unwrap();
        let chain = at(&chain, 0.0, 0.0, 0.0);
        assert_gap(&chain, &at(&circle, 0.0, 0.4, 0.0), -0.1);
        assert_eq!(chain.gap(&at(&circle, 0.0, -0.4, 0.0)), f64::INFINITY);
        // A box is pushed back to the side that it came from, however deep it is.
        let square = Shape::new_box(1.0, 1.0).unwrap();
        assert_gap(&chain, &at(&square, 0.0, 0.1, 0.0), -0.4);
        assert_gap(&segment, &at(&square, 0.0, 0.1, 0.0), -0.4);
    }

    #[test]
    fn crossing_rods_are_measured_the_short_way() {
        let rod = Shape::new_box(2.0, 0.04).unwrap();
        let first = at(&rod, 0.0, 0.0, 0.0);
        let upright = at(&rod, 0.5, 0.9, std::f32::consts::FRAC_PI_2);
        assert_gap(&first, &upright, -0.12);
    }

    #[test]
    fn a_rotation_that_is_not_of_unit_length_does_not_grow_a_body() {
        let square = Shape::new_box(1.0, 1.0).unwrap();
        let longer = BodyMotion {
            y: 1.0,
            cos: 1.1,
            ..Default::default()
        };
        assert!(
            at(&square, 0.0, 0.0, 0.0)
                .gap(&Solid::new(&square, &longer))
                .abs()
                < 1e-12
        );
    }
}
