//! Constructors of shapes. Each checks its numbers and names the first bad one.

use super::error::What;
use super::hull::Hull;
use super::{COORDINATE_MAX, LENGTH_MIN, Shape, ShapeError, ShapeKind, VERTEX_COUNT_MAX};
use crate::math::Pose;
use glam::Vec2;

impl Shape {
    /// A disc around `center` with `radius`, in meters.
    ///
    /// # Errors
    /// If a number is not finite, the radius is below [`LENGTH_MIN`] or a number is above [`COORDINATE_MAX`].
    pub fn circle(center: Vec2, radius: f32) -> Result<Self, ShapeError> {
        check_point(What::Center, center)?;
        check_length(What::Radius, radius, LENGTH_MIN)?;
        Ok(Self::from_core(ShapeKind::Circle, &[center], radius))
    }

    /// A disc swept from `a` to `b`: a segment with a `radius`, in meters.
    ///
    /// # Errors
    /// If a number is not finite, the radius or the distance of the ends is below [`LENGTH_MIN`], or a number is above
    /// [`COORDINATE_MAX`].
    pub fn capsule(a: Vec2, b: Vec2, radius: f32) -> Result<Self, ShapeError> {
        check_ends(a, b)?;
        check_length(What::Radius, radius, LENGTH_MIN)?;
        Ok(Self::from_core(ShapeKind::Capsule, &[a, b], radius))
    }

    /// A line of no width from `a` to `b`, solid from both sides. It has no mass and no inside.
    ///
    /// Segments know no neighbors: what slides or rolls from one to the next bumps at their common end, at any speed. Ground
    /// of several segments is made as a chain, whose segments have one side and know what they are joined to.
    ///
    /// # Errors
    /// If a number is not finite or above [`COORDINATE_MAX`], or the ends are nearer than [`LENGTH_MIN`].
    pub fn segment(a: Vec2, b: Vec2) -> Result<Self, ShapeError> {
        check_ends(a, b)?;
        Ok(Self::from_core(ShapeKind::Segment, &[a, b], 0.0))
    }

    /// A line of no width from `a` to `b`, solid from its right side only: a part of a chain that comes from `before`
    /// and continues to `after`. Bodies that slide along the chain do not catch on the ends of its segments.
    ///
    /// Shapes that come from the right are stopped, shapes that come from the left pass through. A chain that runs
    /// counter-clockwise is thus solid ground seen from outside, one that runs clockwise a container.
    ///
    /// # Errors
    /// If a number is not finite or above [`COORDINATE_MAX`], of `before` and `after` above three times that, which is
    /// where the longest segment leads that is continued straight; or two points that follow each other are nearer than
    /// [`LENGTH_MIN`].
    ///
    /// ```
    /// use tombolo_geometry::{Pose, Vec2, collide::collide, shape::Shape};
    /// let [before, a, b, after] = [(9.0, 0.0), (3.0, 0.0), (-3.0, 0.0), (-9.0, 0.0)].map(Vec2::from);
    /// let floor = Shape::chain_segment(before, a, b, after)?;
    /// let ball = Shape::circle(Vec2::ZERO, 0.5)?;
    /// let touches = |height| collide(&floor, &ball, Pose::new(Vec2::new(0.0, height), 0.0), 0.0).count > 0;
    /// assert!(touches(0.4) && !touches(-0.4));
    /// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
    /// ```
    pub fn chain_segment(before: Vec2, a: Vec2, b: Vec2, after: Vec2) -> Result<Self, ShapeError> {
        check_ends(a, b)?;
        check_neighbor(before, a)?;
        check_neighbor(after, b)?;
        let mut shape = Self::from_core(ShapeKind::ChainSegment, &[a, b], 0.0);
        shape.vertices[2] = before + Vec2::ZERO;
        shape.vertices[3] = after + Vec2::ZERO;
        Ok(shape)
    }

    /// The convex hull of three to eight points in any order, rounded: `radius` meters are added all around.
    ///
    /// Points nearer to each other than [`LENGTH_MIN`] become one (the first of them), and corners that are flat to a
    /// quarter of it are dropped. (On shapes farther out than 500 m the tolerance is a millionth of the largest
    /// coordinate.) The corners run counter-clockwise from the leftmost.
    ///
    /// # Errors
    /// More than eight points; a number that is not finite or above [`COORDINATE_MAX`]; a negative radius; fewer than
    /// three corners left, or corners that all lie on one line.
    ///
    /// ```
    /// use tombolo_geometry::{Vec2, shape::{Shape, ShapeError}};
    /// let corners = [(0.0, 0.0), (2.0, 0.0), (1.0, 0.0), (0.0, 2.0)].map(Vec2::from);
    /// let wedge = Shape::polygon(&corners, 0.0)?;
    /// assert_eq!(wedge.vertices().len(), 3); // (1, 0) lies on an edge
    ///
    /// let error = Shape::polygon(&corners[..3], 0.0).unwrap_err();
    /// assert!(matches!(error, ShapeError::Degenerate { count: 3, corners: 2 }));
    /// # Ok::<(), ShapeError>(())
    /// ```
    pub fn polygon(points: &[Vec2], radius: f32) -> Result<Self, ShapeError> {
        if points.len() > VERTEX_COUNT_MAX {
            return Err(ShapeError::TooManyPoints { count: points.len() });
        }
        check_length(What::Radius, radius, 0.0)?;
        for (index, &point) in points.iter().enumerate() {
            check_point(What::Vertex(index), point)?;
        }
        let hull = Hull::of(points);
        if hull.count < 3 {
            return Err(ShapeError::Degenerate {
                count: points.len(),
                corners: hull.count,
            });
        }
        Ok(Self::from_core(
            ShapeKind::Polygon,
            &hull.points[..hull.count],
            radius,
        ))
    }

    /// A rectangle around the origin, from its width and height in meters. Its corners run counter-clockwise from the
    /// lower left one.
    ///
    /// # Errors
    /// If a number is not finite, below twice [`LENGTH_MIN`] or above twice [`COORDINATE_MAX`].
    pub fn new_box(width: f32, height: f32) -> Result<Self, ShapeError> {
        Self::rounded_box(width, height, 0.0)
    }

    /// A rectangle of this width and height around `center`, turned by `angle` radians. One so thin that its corners are
    /// no rectangle any more after rounding, far from the origin, is rebuilt from them.
    ///
    /// # Errors
    /// In the same cases as [`Shape::new_box`]; or if the angle or the center is not finite, a corner lies beyond
    /// [`COORDINATE_MAX`], or corners coincide.
    pub fn box_at(width: f32, height: f32, center: Vec2, angle: f32) -> Result<Self, ShapeError> {
        check_point(What::Center, center)?;
        if !angle.is_finite() {
            return Err(ShapeError::NotFinite {
                what: What::Angle,
                value: angle,
            });
        }
        let mut shape = Self::new_box(width, height)?;
        let pose = Pose::new(center, angle);
        for vertex in &mut shape.vertices[..4] {
            *vertex = pose.transform_point(*vertex);
        }
        for (index, vertex) in shape.vertices().iter().enumerate() {
            check_point(What::Vertex(index), *vertex)?;
        }
        for normal in &mut shape.normals[..4] {
            *normal = pose.rotation.rotate(*normal) + Vec2::ZERO;
        }
        shape.centroid = center + Vec2::ZERO;
        match shape.validate() {
            Err(_) => Self::polygon(shape.vertices(), 0.0),
            Ok(()) => Ok(shape),
        }
    }

    /// The shape in another frame, in which its own is at `pose`. A polygon whose corners would not be strictly convex
    /// any more because of rounding is rebuilt from them.
    ///
    /// # Errors
    /// If a corner lies beyond [`COORDINATE_MAX`], a neighbor of a chain segment beyond three times that, or two coincide.
    ///
    /// ```
    /// use tombolo_geometry::{Pose, Vec2, shape::Shape};
    /// let shelf = Shape::new_box(2.0, 1.0)?.moved(Pose::new(Vec2::new(3.0, 0.0), 0.0))?;
    /// assert_eq!(shelf.vertices()[0], Vec2::new(2.0, -0.5));
    /// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
    /// ```
    pub fn moved(&self, pose: Pose) -> Result<Self, ShapeError> {
        let mut shape = *self;
        // A chain segment stores its neighboring points behind its own two; `validate` checks these by their own bound.
        let hidden = if self.is_chain_segment() { 2 } else { 0 };
        let count = usize::from(self.count);
        for vertex in &mut shape.vertices[..count + hidden] {
            *vertex = pose.transform_point(*vertex) + Vec2::ZERO;
        }
        for (index, &vertex) in shape.vertices().iter().enumerate() {
            check_point(What::Vertex(index), vertex)?;
        }
        let normals = if self.kind() == ShapeKind::Circle {
            0
        } else {
            usize::from(self.count)
        };
        for normal in &mut shape.normals[..normals] {
            *normal = pose.rotation.rotate(*normal) + Vec2::ZERO;
        }
        shape.centroid = pose.transform_point(self.centroid) + Vec2::ZERO;
        match shape.validate() {
            Err(_) if self.kind() == ShapeKind::Polygon => Self::polygon(shape.vertices(), self.radius),
            checked => checked.map(|()| shape),
        }
    }

    /// A rectangle of this width and height around the origin with `radius` meters added all around: it reaches
    /// `width / 2 + radius` to the right.
    ///
    /// # Errors
    /// In the same cases as [`Shape::new_box`]; or if the radius is negative or above [`COORDINATE_MAX`].
    pub fn rounded_box(width: f32, height: f32, radius: f32) -> Result<Self, ShapeError> {
        check_side(What::Width, width)?;
        check_side(What::Height, height)?;
        check_length(What::Radius, radius, 0.0)?;
        let (x, y) = (0.5 * width, 0.5 * height);
        // Normals and center are exact by symmetry, where sums would leave a rounding error.
        let mut shape = Self {
            vertices: [Vec2::ZERO; VERTEX_COUNT_MAX],
            normals: [Vec2::ZERO; VERTEX_COUNT_MAX],
            centroid: Vec2::ZERO,
            radius: radius + 0.0,
            count: 4,
            kind: ShapeKind::Polygon as u16,
        };
        shape.vertices[..4].copy_from_slice(&[
            Vec2::new(-x, -y),
            Vec2::new(x, -y),
            Vec2::new(x, y),
            Vec2::new(-x, y),
        ]);
        shape.normals[..4].copy_from_slice(&[
            Vec2::new(0.0, -1.0),
            Vec2::new(1.0, 0.0),
            Vec2::new(0.0, 1.0),
            Vec2::new(-1.0, 0.0),
        ]);
        Ok(shape)
    }

    /// Whether a constructor makes exactly these bytes, for circles and for boxes around the origin: they need no other
    /// check. False for all other shapes.
    pub(super) fn is_as_made(&self) -> bool {
        let made = match (self.kind(), self.count) {
            (ShapeKind::Circle, 1) => Self::circle(self.vertices[0], self.radius),
            (ShapeKind::Polygon, 4) => {
                let corner = self.vertices[2];
                Self::rounded_box(2.0 * corner.x, 2.0 * corner.y, self.radius)
            }
            _ => return false,
        };
        made.is_ok_and(|made| {
            let [mine, made] = [self, &made].map(|shape| bytemuck::cast::<Self, [u64; 18]>(*shape));
            // All words at once: a comparison that ends at the first difference takes them one by one.
            mine.iter().zip(&made).fold(0, |all, (a, b)| all | (a ^ b)) == 0
        })
    }

    /// The shape scaled down towards its centroid, so that the nearest part of its border comes nearer by `margin`
    /// meters and the rest in proportion. `margin` is at least 0 and below [`Shape::min_extent`]; a segment, which has
    /// no extent, stays as it is. The result may be smaller than the constructors accept.
    ///
    /// ```
    /// use tombolo_geometry::{Vec2, shape::Shape};
    /// let small = Shape::new_box(4.0, 2.0)?.shrunk(0.25);
    /// assert_eq!(small.vertices()[2], Vec2::new(1.5, 0.75));
    /// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
    /// ```
    pub fn shrunk(&self, margin: f32) -> Self {
        let extent = self.min_extent();
        if extent <= 0.0 {
            return *self;
        }
        let scale = 1.0 - margin / extent;
        let mut small = *self;
        for vertex in &mut small.vertices[..self.count as usize] {
            *vertex = self.centroid + scale * (*vertex - self.centroid);
        }
        small.radius *= scale;
        small
    }

    /// The shape with a layer of `margin` meters along its border, which rounds its corners; `margin` is at least 0. The
    /// line of a half-space moves out. A segment becomes a capsule, and that of a chain gets the layer on both sides,
    /// for distances and times of impact: it is no longer one that [`Shape::validate`] accepts.
    ///
    /// ```
    /// use tombolo_geometry::{Vec2, shape::Shape};
    /// let grown = Shape::new_box(4.0, 2.0)?.grown(0.25);
    /// assert_eq!((grown.vertices()[2], grown.radius()), (Vec2::new(2.0, 1.0), 0.25));
    /// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
    /// ```
    #[must_use]
    pub fn grown(&self, margin: f32) -> Self {
        let mut large = *self;
        if self.is_half_space() {
            large.vertices[0] += margin * self.normals[0];
            large.centroid = large.vertices[0];
            return large;
        }
        large.radius += margin;
        if self.kind() == ShapeKind::Segment && margin > 0.0 {
            large.kind = ShapeKind::Capsule as u16;
        }
        large
    }

    /// The shape without a layer of `margin` meters along its border: a rod becomes as much shorter as it becomes
    /// thinner, where [`Shape::shrunk`] takes the same fraction of both. `margin` is at least 0 and below
    /// [`Shape::min_extent`]; a segment, which has no extent, stays as it is. The result may be smaller than the
    /// constructors accept. A shape with an edge that is too short for the layer is shrunk instead.
    ///
    /// ```
    /// use tombolo_geometry::{Vec2, shape::Shape};
    /// let small = Shape::new_box(4.0, 2.0)?.inset(0.25);
    /// assert_eq!(small.vertices()[2], Vec2::new(1.75, 0.75));
    /// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
    /// ```
    pub fn inset(&self, margin: f32) -> Self {
        let count = self.count as usize;
        let inward = margin - self.radius;
        let mut small = *self;
        small.radius = (self.radius - margin).max(0.0);
        if self.is_chain_segment() || count < 3 {
            return small;
        }
        if inward <= 0.0 {
            small.centroid = small.exact_centroid();
            return small;
        }
        for index in 0..count {
            let [before, after] = [self.normals[(index + count - 1) % count], self.normals[index]];
            let miter = (before + after) / (1.0 + before.dot(after));
            small.vertices[index] = self.vertices[index] - inward * miter;
        }
        let keeps_its_edges = (0..count).all(|index| {
            let [was, is] = [self, &small].map(|shape| {
                let (from, to) = shape.edge(index);
                to - from
            });
            is.dot(was) > 0.0
        });
        if !keeps_its_edges {
            return self.shrunk(margin);
        }
        small.centroid = small.exact_centroid();
        small
    }

    /// Computes the fields that follow from the vertices: normals and centroid. The vertices are checked by the caller.
    fn from_core(kind: ShapeKind, vertices: &[Vec2], radius: f32) -> Self {
        let mut shape = Self {
            vertices: [Vec2::ZERO; VERTEX_COUNT_MAX],
            normals: [Vec2::ZERO; VERTEX_COUNT_MAX],
            centroid: Vec2::ZERO,
            radius: radius + 0.0,
            count: vertices.len() as u16,
            kind: kind as u16,
        };
        for (slot, &vertex) in shape.vertices.iter_mut().zip(vertices) {
            // Adding zero makes a negative zero a positive one, so that equal shapes have equal bytes.
            *slot = vertex + Vec2::ZERO;
        }
        for index in 0..shape.normals().len() {
            let (from, to) = shape.edge(index);
            shape.normals[index] = edge_normal(from, to);
        }
        shape.centroid = shape.exact_centroid();
        shape
    }
}

/// The unit vector to the right of the direction from `from` to `to`: outward on a counter-clockwise polygon. Computed
/// in double precision, so that short edges far from the origin get an accurate one.
pub(super) fn edge_normal(from: Vec2, to: Vec2) -> Vec2 {
    let along = (to.as_dvec2() - from.as_dvec2()).normalize();
    Vec2::new(along.y as f32, -along.x as f32) + Vec2::ZERO
}

/// Refuses coordinates that are not finite or too large.
pub(super) fn check_point(what: What, point: Vec2) -> Result<(), ShapeError> {
    check_coordinates(what, point, COORDINATE_MAX)
}

/// Refuses coordinates that are not finite or above `max`.
fn check_coordinates(what: What, point: Vec2, max: f32) -> Result<(), ShapeError> {
    for value in [point.x, point.y] {
        if !value.is_finite() {
            return Err(ShapeError::NotFinite { what, value });
        }
        if value.abs() > max {
            return Err(ShapeError::OutOfRange {
                what,
                value,
                min: 0.0,
                max,
            });
        }
    }
    Ok(())
}

/// Refuses lengths that are not finite or outside `min ..= COORDINATE_MAX`.
pub(super) fn check_length(what: What, value: f32, min: f32) -> Result<(), ShapeError> {
    check_between(what, value, min, COORDINATE_MAX)
}

/// Refuses the side of a box around the origin whose corners would be too near to it or too far off.
fn check_side(what: What, value: f32) -> Result<(), ShapeError> {
    check_between(what, value, 2.0 * LENGTH_MIN, 2.0 * COORDINATE_MAX)
}

fn check_between(what: What, value: f32, min: f32, max: f32) -> Result<(), ShapeError> {
    if !value.is_finite() {
        return Err(ShapeError::NotFinite { what, value });
    }
    if value < min || value > max {
        return Err(ShapeError::OutOfRange {
            what,
            value,
            min,
            max,
        });
    }
    Ok(())
}

/// Refuses ends of a segment that are bad points or too near to each other.
pub(super) fn check_ends(a: Vec2, b: Vec2) -> Result<(), ShapeError> {
    check_point(What::Vertex(0), a)?;
    check_point(What::Vertex(1), b)?;
    check_distance(a, b)
}

/// Refuses a neighbor of an end of a chain segment that is a bad point or too near to it.
pub(super) fn check_neighbor(neighbor: Vec2, end: Vec2) -> Result<(), ShapeError> {
    check_coordinates(What::Vertex(0), neighbor, 3.0 * COORDINATE_MAX)?;
    check_distance(neighbor, end)
}

fn check_distance(a: Vec2, b: Vec2) -> Result<(), ShapeError> {
    let length = a.distance(b);
    if length < LENGTH_MIN {
        return Err(ShapeError::OutOfRange {
            what: What::Length,
            value: length,
            min: LENGTH_MIN,
            max: COORDINATE_MAX,
        });
    }
    Ok(())
}
