//! [`Shape`]: the one struct of all kinds of shapes, and its accessors.

use glam::Vec2;

/// The most vertices of a polygon.
pub const VERTEX_COUNT_MAX: usize = 8;

/// The shortest length of a shape, in meters: the radius of a circle, the length of a segment, half the width of a
/// rectangle. Below it, contact points of a meter-sized world are closer together than rounding can distinguish.
pub const LENGTH_MIN: f32 = 0.0005;

/// The distance, as a fraction of a polygon's greatest coordinate, within which its corners are welded where that is more
/// than [`LENGTH_MIN`]. A corner that is flat to a quarter of it is dropped.
pub const WELD_RELATIVE: f32 = 1.0e-6;

/// The largest coordinate or length of a shape in its own frame, in meters. Beyond it a 32-bit float no longer resolves
/// a centimeter, and contacts jitter.
pub const COORDINATE_MAX: f32 = 100_000.0;

/// The kind of a [`Shape`].
///
/// Shapes are saved with these numbers: they never change meaning.
#[repr(u16)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ShapeKind {
    /// A disc: one vertex and a radius.
    Circle = 0,
    /// A segment with a radius: two vertices.
    Capsule = 1,
    /// A line of no width, solid from both sides: two vertices, radius zero.
    Segment = 2,
    /// A convex polygon of three to eight vertices, rounded if its radius is above zero.
    Polygon = 3,
    /// A line of no width, solid from its right side only, with the neighboring points of the chain at both ends.
    ChainSegment = 4,
    /// An infinite line, solid on one side.
    HalfSpace = 5,
}

impl ShapeKind {
    /// The kind saved as `number`; `None` if there is no such kind.
    #[inline]
    pub const fn from_number(number: u16) -> Option<Self> {
        match number {
            0 => Some(Self::Circle),
            1 => Some(Self::Capsule),
            2 => Some(Self::Segment),
            3 => Some(Self::Polygon),
            4 => Some(Self::ChainSegment),
            5 => Some(Self::HalfSpace),
            _ => None,
        }
    }
}

crate::plain_data! {
    /// A circle, capsule, segment, convex polygon or half-space, in the frame of its body.
    ///
    /// Made by its constructors, which refuse invalid numbers; a shape read from bytes must pass [`Shape::validate`]
    /// before any other call (functions called on one that does not pass give wrong numbers or panic, but stay
    /// memory-safe).
    ///
    /// Invariants of a valid shape:
    /// - the first `count` vertices are finite, run counter-clockwise, and are strictly convex if there are three or more;
    /// - `normals[i]` has length one and points out of the edge from vertex `i` to the next one; a circle has none;
    /// - a chain segment keeps the vertex before its first and the one after its second behind the two;
    /// - a half-space has one vertex, a point of its line, and the first normal, which points out of it;
    /// - unused vertices and normals are zero, so that equal shapes have equal bytes;
    /// - `centroid` is the center of mass, rounding included.
    ///
    /// ```
    /// use tombolo_geometry::{Vec2, shape::{Shape, ShapeKind}};
    /// let plank = Shape::new_box(4.0, 0.2)?;
    /// assert_eq!(plank.kind(), ShapeKind::Polygon);
    /// assert_eq!(plank.vertices()[2], Vec2::new(2.0, 0.1));
    /// let mass = plank.mass_properties(10.0);
    /// assert!((mass.mass - 8.0).abs() < 1e-5); // 4 m by 0.2 m, 10 kg/m²
    /// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
    /// ```
    #[derive(Debug, PartialEq)]
    pub struct Shape {
        pub(crate) vertices: [Vec2; VERTEX_COUNT_MAX],
        pub(crate) normals: [Vec2; VERTEX_COUNT_MAX],
        pub(crate) centroid: Vec2,
        pub(crate) radius: f32,
        pub(crate) count: u16,
        pub(crate) kind: u16,
    }
}

const _: () = assert!(size_of::<Shape>() == 144);

impl Shape {
    /// The kind of the shape. An unknown kind number (only in bytes that [`Shape::validate`] refuses) reads as a
    /// polygon.
    #[inline]
    pub fn kind(&self) -> ShapeKind {
        ShapeKind::from_number(self.kind).unwrap_or(ShapeKind::Polygon)
    }

    /// The vertices of the core, counter-clockwise: 1 for a circle, 2 for a capsule or any segment, 3 to 8 for a
    /// polygon. For a half-space a point of its line.
    #[inline]
    pub fn vertices(&self) -> &[Vec2] {
        &self.vertices[..self.count as usize]
    }

    /// The four points of a one-sided segment of a chain, as [`Shape::chain_segment`] takes them: the neighbor before it, its
    /// two ends, the neighbor after it. `None` for other shapes.
    ///
    /// ```
    /// use tombolo_geometry::{Vec2, shape::Shape};
    /// let points = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.5), (3.0, 0.0)].map(Vec2::from);
    /// let [before, a, b, after] = points;
    /// let segment = Shape::chain_segment(before, a, b, after)?;
    /// assert_eq!(segment.chain_points(), Some(points));
    /// assert_eq!(Shape::segment(a, b)?.chain_points(), None);
    /// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
    /// ```
    #[inline]
    pub fn chain_points(&self) -> Option<[Vec2; 4]> {
        let [a, b, before, after, ..] = self.vertices;
        self.is_chain_segment().then_some([before, a, b, after])
    }

    /// Whether the shape is a one-sided segment of a chain.
    #[inline]
    pub fn is_chain_segment(&self) -> bool {
        self.kind == ShapeKind::ChainSegment as u16
    }

    /// Whether a point in the shape's own frame is on the open side of a chain segment; false for other shapes.
    #[inline]
    pub fn is_behind(&self, point: Vec2) -> bool {
        self.is_chain_segment() && self.normals[0].dot(point - self.vertices[0]) < 0.0
    }

    /// Whether a motion from a point in the shape's own frame passes through a chain segment, as for bodies that come
    /// from its open side or leave its solid one; false for other shapes.
    #[inline]
    pub fn lets_through(&self, from: Vec2, translation: Vec2) -> bool {
        self.is_behind(from) || self.is_chain_segment() && self.normals[0].dot(translation) > 0.0
    }

    /// The outward unit normals of the edges that start at each vertex; empty for a circle, and for a half-space, which
    /// has [`Shape::line_and_normal`].
    ///
    /// A capsule or segment has two edges, there and back, and so two opposite normals.
    #[inline]
    pub fn normals(&self) -> &[Vec2] {
        let count = if self.count < 2 { 0 } else { self.count as usize };
        &self.normals[..count]
    }

    /// The center of mass in meters.
    #[inline]
    pub fn centroid(&self) -> Vec2 {
        self.centroid
    }

    /// The distance of the surface outside the core, in meters; 0 for segments and sharp polygons.
    #[inline]
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// The two ends of edge `index`.
    #[inline]
    pub(crate) fn edge(&self, index: usize) -> (Vec2, Vec2) {
        let vertices = self.vertices();
        let next = if index + 1 < vertices.len() { index + 1 } else { 0 };
        (vertices[index], vertices[next])
    }
}
