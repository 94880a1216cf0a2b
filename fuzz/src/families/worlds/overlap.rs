//! The depth of overlap of two shapes, in double precision, by a test of every axis that can matter: the oracle for the
//! engine's own contacts.

use tombolo_physics::{Pose, Shape};

/// A point or direction.
pub(super) type Point = [f64; 2];

/// A shape in the world: the corners of its core, and the radius around it.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub(super) corners: Vec<Point>,
    pub(super) radius: f64,
}

impl Placed {
    pub(super) fn new(shape: &Shape, pose: Pose) -> Self {
        let (sin, cos) = (f64::from(pose.rotation.sin), f64::from(pose.rotation.cos));
        let at = pose.position;
        let place = |x: f32, y: f32| {
            let (x, y) = (f64::from(x), f64::from(y));
            [
                f64::from(at.x) + cos * x - sin * y,
                f64::from(at.y) + sin * x + cos * y,
            ]
        };
        Self {
            corners: shape
                .vertices()
                .iter()
                .map(|corner| place(corner.x, corner.y))
                .collect(),
            radius: shape.radius().into(),
        }
    }

    /// The mean of the corners, which lies inside.
    pub(super) fn middle(&self) -> Point {
        let count = self.corners.len() as f64;
        let sum = self
            .corners
            .iter()
            .fold([0.0; 2], |sum, corner| [sum[0] + corner[0], sum[1] + corner[1]]);
        [sum[0] / count, sum[1] / count]
    }

    /// The height of the lowest point, in meters.
    pub(super) fn lowest(&self) -> f64 {
        let lowest = self
            .corners
            .iter()
            .fold(f64::INFINITY, |lowest, corner| lowest.min(corner[1]));
        lowest - self.radius
    }

    /// Unit normals of the core's edges, both ways for a core of two corners.
    fn normals(&self) -> Vec<Point> {
        let count = self.corners.len();
        if count < 2 {
            return Vec::new();
        }
        (0..count)
            .filter_map(|i| {
                let (a, b) = (self.corners[i], self.corners[(i + 1) % count]);
                unit([b[1] - a[1], a[0] - b[0]])
            })
            .collect()
    }

    /// The lowest corner along an axis.
    fn least(&self, axis: Point) -> f64 {
        self.corners
            .iter()
            .map(|corner| dot(*corner, axis))
            .fold(f64::INFINITY, f64::min)
    }
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn unit(v: Point) -> Option<Point> {
    let length = libm::hypot(v[0], v[1]);
    (length > 1e-12).then(|| [v[0] / length, v[1] / length])
}

/// The distance between the surfaces of two shapes in meters; if they overlap, minus the least depth of penetration.
///
/// Apart, the distance of two convex cores is along an edge normal of one of them or from corner to corner;
/// overlapping, the least penetration is along an edge normal. The greatest gap over all these axes is the result,
/// since no axis gives more than the true distance.
pub(super) fn separation(a: &Placed, b: &Placed) -> f64 {
    let mut axes: Vec<(Point, bool)> = a.normals().into_iter().map(|normal| (normal, true)).collect();
    axes.extend(b.normals().into_iter().map(|normal| (normal, false)));
    for corner_a in &a.corners {
        let to = |corner_b: &Point| unit([corner_b[0] - corner_a[0], corner_b[1] - corner_a[1]]);
        axes.extend(b.corners.iter().filter_map(to).map(|axis| (axis, true)));
    }
    let gaps = axes.into_iter().map(|(axis, from_a)| {
        let axis = if from_a { axis } else { [-axis[0], -axis[1]] };
        b.least(axis) + a.least([-axis[0], -axis[1]])
    });
    gaps.fold(f64::NEG_INFINITY, f64::max) - a.radius - b.radius
}

#[cfg(test)]
mod tests {
    use super::{Placed, separation};
    use tombolo_physics::{Pose, Shape, Vec2};

    fn apart(a: &Shape, b: &Shape, x: f32, y: f32) -> f64 {
        let place = Pose::new(Vec2::new(x, y), 0.0);
        separation(&Placed::new(a, Pose::IDENTITY), &Placed::new(b, place))
    }

    #[test]
    fn known_distances_and_overlaps() {
        let square = Shape::new_box(2.0, 2.0).unwrap();
        let disk = Shape::circle(Vec2::ZERO, 0.5).unwrap();
        let capsule = Shape::capsule(Vec2::new(-1.0, 0.0), Vec2::new(1.0, 0.0), 0.25).unwrap();
        assert!((apart(&square, &square, 2.5, 0.0) - 0.5).abs() < 1e-12);
        assert!((apart(&square, &square, 1.5, 0.25) + 0.5).abs() < 1e-12);
        assert!(
            (apart(&square, &square, 5.0, 6.0) - 5.0).abs() < 1e-12,
            "corner to corner, 3 and 4 m"
        );
        assert!((apart(&square, &disk, 4.0, 5.0) - 4.5).abs() < 1e-12);
        assert!((apart(&disk, &disk, 0.6, 0.0) + 0.4).abs() < 1e-7);
        assert!((apart(&capsule, &disk, 0.3, 1.0) - 0.25).abs() < 1e-12);
        assert!((apart(&disk, &capsule, 0.3, 0.7) + 0.05).abs() < 1e-7);
        assert!((apart(&square, &capsule, 0.0, 1.1) + 0.15).abs() < 1e-7);
    }
}
