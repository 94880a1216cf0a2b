//! The shape geometry of a collider or trigger, in its own frame, and its conversion to shapes of physics.

use alloc::vec::Vec;

use tombolo_geometry::shape::{LENGTH_MIN, Shape};
use tombolo_geometry::split::{ConcavePolygon as Polygon, ConcavePolygonError};
use tombolo_geometry::{Pose, Rot, Vec2};
use tombolo_physics::constants::POSITION_MAX_M;
use tombolo_physics::{DVec2, PhysicsError};

use super::register::{Entries, InScene, Registered, SceneForm, Wakes, either_way, up_to};

/// The smallest size of a box, in meters.
const SIZE_MIN: f64 = 2.0 * LENGTH_MIN as f64;
/// The largest size of a box whose center is the frame's origin, in meters.
const SIZE_MAX: f64 = 2.0 * POSITION_MAX_M as f64;

/// The kind of a shape geometry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum GeometryKind {
    /// A circle about the origin, with a radius.
    #[default]
    Circle = 0,
    /// Two points and a radius.
    Capsule = 1,
    /// Two points; for static bodies.
    Segment = 2,
    /// The convex hull of some points, with its radius added all around.
    Polygon = 3,
    /// A box about the origin, with a size.
    Box = 4,
    /// One-sided segments from point to point, solid on their right; for static bodies.
    Chain = 5,
    /// A polygon, perhaps concave and with holes; rounded if it is convex and has a radius.
    Concave = 6,
    /// Everything below the frame's x axis, without end; for static and kinematic bodies.
    HalfSpace = 7,
    /// Points from left to right as one-sided segments that are solid from above; the first and the last point belong
    /// to the adjacent pieces of ground and only give its direction there. For static bodies.
    Heightfield = 8,
}

impl GeometryKind {
    /// The words of the kinds, in the order of their numbers.
    pub const WORDS: &'static [&'static str] = &[
        "Circle",
        "Capsule",
        "Segment",
        "Polygon",
        "Box",
        "Chain",
        "Outline",
        "HalfSpace",
        "Heightfield",
    ];

    fn of(number: u32) -> Self {
        match number {
            0 => Self::Circle,
            1 => Self::Capsule,
            2 => Self::Segment,
            3 => Self::Polygon,
            4 => Self::Box,
            5 => Self::Chain,
            7 => Self::HalfSpace,
            8 => Self::Heightfield,
            _ => Self::Concave,
        }
    }
}

/// A shape geometry in its own frame. Its [`GeometryKind`] decides which of the numbers apply.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeGeometry {
    /// The kind of shape.
    pub kind: GeometryKind,
    /// The points in meters.
    pub points: Vec<Vec2>,
    /// The width and height in meters.
    pub size: Vec2,
    /// The radius in meters.
    pub radius: f32,
    /// Whether the last point of a chain is joined to the first.
    pub closed: bool,
    /// The number of points up to the end of each loop of a polygon: its border, then its holes. Empty if there is
    /// only the border.
    pub loop_ends: Vec<u32>,
    /// The position of the geometry's frame on the body, in meters.
    pub position: Vec2,
    /// The angle of the geometry's frame, in radians.
    pub angle: f32,
}

impl Default for ShapeGeometry {
    fn default() -> Self {
        Self {
            kind: GeometryKind::Circle,
            points: Vec::new(),
            size: Vec2::ONE,
            radius: 0.5,
            closed: false,
            loop_ends: Vec::new(),
            position: Vec2::ZERO,
            angle: 0.0,
        }
    }
}

/// Constructors. Their values are checked where the geometry becomes shapes of physics: by
/// [`World::spawn_body`](crate::World::spawn_body), or when its component is set.
impl ShapeGeometry {
    /// A circle; meters.
    pub fn circle(center: Vec2, radius: f32) -> Self {
        Self {
            radius,
            position: center,
            ..Self::default()
        }
    }

    /// A segment with a radius; meters.
    pub fn capsule(from: Vec2, to: Vec2, radius: f32) -> Self {
        Self {
            radius,
            ..Self::of_points(GeometryKind::Capsule, [from, to].into())
        }
    }

    /// A line of no width that is solid from both sides, for static bodies; meters.
    pub fn segment(from: Vec2, to: Vec2) -> Self {
        Self::of_points(GeometryKind::Segment, [from, to].into())
    }

    /// The convex hull of 3 to 8 points, with a radius added all around; meters.
    pub fn polygon(points: &[Vec2], radius: f32) -> Self {
        Self {
            radius,
            ..Self::of_points(GeometryKind::Polygon, points.into())
        }
    }

    /// A box about the origin, of full width and height in meters.
    pub fn new_box(width: f32, height: f32) -> Self {
        Self {
            size: Vec2::new(width, height),
            ..Self::of_points(GeometryKind::Box, Vec::new())
        }
    }

    /// One-sided segments from point to point, solid on their right, for static bodies; meters.
    pub fn chain(points: &[Vec2], closed: bool) -> Self {
        Self {
            closed,
            ..Self::of_points(GeometryKind::Chain, points.into())
        }
    }

    /// Everything below the x axis of its frame, without end, for static and kinematic bodies.
    pub fn half_space() -> Self {
        Self::of_points(GeometryKind::HalfSpace, Vec::new())
    }

    /// Ground with heights that are sampled every `spacing` meters, from x = 0 on, like
    /// [`HeightfieldDef`](tombolo_physics::HeightfieldDef): one-sided segments that are solid from above, for static
    /// bodies; `before` and `after` are the heights of the samples next to the ends, in the pieces to the left and to
    /// the right.
    pub fn heightfield(spacing: f32, heights: &[f32], before: Option<f32>, after: Option<f32>) -> Self {
        let end = |place: usize, inner: usize| {
            let height = |place: usize| heights.get(place).copied().unwrap_or_default();
            2.0 * height(place) - height(inner)
        };
        let last = heights.len().wrapping_sub(1);
        let before = before.unwrap_or_else(|| end(0, 1));
        let after = after.unwrap_or_else(|| end(last, last.wrapping_sub(1)));
        let all = [before].into_iter().chain(heights.iter().copied()).chain([after]);
        let points = all
            .enumerate()
            .map(|(place, height)| Vec2::new(spacing * (place as f32 - 1.0), height));
        Self::of_points(GeometryKind::Heightfield, points.collect())
    }

    /// A polygon that may be concave; meters. Holes are further [`points`](Self::points) after those of the border;
    /// [`loop_ends`](Self::loop_ends) has the end of each loop.
    pub fn outline(points: &[Vec2]) -> Self {
        Self::of_points(GeometryKind::Concave, points.into())
    }

    /// The same geometry elsewhere on its body: turned by `angle` (radians) about its frame's origin, which is then
    /// at `position` (meters).
    pub fn at(self, position: Vec2, angle: f32) -> Self {
        Self {
            position,
            angle,
            ..self
        }
    }

    fn of_points(kind: GeometryKind, points: Vec<Vec2>) -> Self {
        Self {
            kind,
            points,
            radius: 0.0,
            ..Self::default()
        }
    }
}

/// The form of a geometry that physics creates shapes from.
#[derive(Clone, Debug)]
pub enum BuiltGeometry {
    /// One shape.
    Solid(Shape),
    /// The points of a chain.
    Chain(Vec<Vec2>),
    /// The segments of a heightfield, from left to right.
    Heightfield(Vec<Shape>),
    /// A polygon, and the radius in meters that is added all around.
    Concave(Polygon, f32),
}

impl ShapeGeometry {
    /// The shape, chain or polygon in the body's frame.
    ///
    /// # Errors
    ///
    /// The geometry is degenerate: no size, too few points, collinear corners; or it crosses itself.
    pub fn build(&self) -> Result<BuiltGeometry, PhysicsError> {
        let pose = Pose::new(self.position, self.angle);
        let points = || -> Vec<Vec2> {
            let points = self.points.iter();
            points.map(|&point| pose.transform_point(point)).collect()
        };
        let two = || {
            let point = |place: usize| self.points.get(place).copied().unwrap_or_default();
            [point(0), point(1)].map(|point| pose.transform_point(point))
        };
        Ok(BuiltGeometry::Solid(match self.kind {
            GeometryKind::Circle => Shape::circle(self.position, self.radius)?,
            GeometryKind::Capsule => {
                let [from, to] = two();
                Shape::capsule(from, to, self.radius)?
            }
            GeometryKind::Segment => {
                let [from, to] = two();
                Shape::segment(from, to)?
            }
            GeometryKind::Polygon => Shape::polygon(&points(), self.radius)?,
            GeometryKind::Box => Shape::box_at(self.size.x, self.size.y, self.position, self.angle)?,
            GeometryKind::Chain => {
                let points = points();
                let last = points.last().copied().filter(|_| self.closed);
                let ends = last
                    .iter()
                    .chain(&points)
                    .zip(points.iter().skip(usize::from(!self.closed)));
                for (from, to) in ends {
                    Shape::segment(*from, *to)?;
                }
                return Ok(BuiltGeometry::Chain(points));
            }
            GeometryKind::Concave => {
                return Ok(BuiltGeometry::Concave(self.build_polygon(pose)?, self.radius));
            }
            GeometryKind::HalfSpace => Shape::half_space(self.position, pose.rotation.rotate(Vec2::Y))?,
            GeometryKind::Heightfield => return self.build_heightfield(&points()),
        }))
    }

    /// The reason why a trigger cannot have the geometry; `None` if it can.
    pub(crate) fn why_no_sensor(&self) -> Option<&'static str> {
        matches!(self.kind, GeometryKind::Chain | GeometryKind::Heightfield)
            .then_some("a chain or heightfield has no inside; give another shape")
    }

    /// The same geometry in an outer frame, in which its present frame has the pose `frame`.
    pub(crate) fn within(&self, frame: Pose) -> Self {
        Self {
            position: frame.transform_point(self.position),
            angle: Rot::from_angle(self.angle).then(frame.rotation).angle(),
            ..self.clone()
        }
    }

    /// The segments between all points but the first and the last.
    fn build_heightfield(&self, points: &[Vec2]) -> Result<BuiltGeometry, PhysicsError> {
        if points.len() < 4 {
            return Err(PhysicsError::InvalidNumber {
                what: "number of heights",
                got: points.len() as f32 - 2.0,
                expected: "2 or more",
            });
        }
        // From right to left, so that the segments are solid from above.
        let segments = points
            .windows(4)
            .map(|four| Shape::chain_segment(four[3], four[2], four[1], four[0]));
        Ok(BuiltGeometry::Heightfield(segments.collect::<Result<_, _>>()?))
    }

    /// The loops of a polygon's border and holes as a polygon of physics, each in its required orientation.
    fn build_polygon(&self, pose: Pose) -> Result<Polygon, ConcavePolygonError> {
        let mut ends: Vec<usize> = self.loop_ends.iter().map(|&end| end as usize).collect();
        if ends.is_empty() {
            ends.push(self.points.len());
        }
        let mut loops: Vec<Vec<DVec2>> = Vec::with_capacity(ends.len());
        let mut start = 0;
        for end in ends {
            let points = self.points.get(start..end).unwrap_or_default().iter();
            let mut points: Vec<DVec2> = points
                .map(|&point| pose.transform_point(point).as_dvec2())
                .collect();
            let next = points.iter().cycle().skip(1);
            let area: f64 = points.iter().zip(next).map(|(a, b)| a.perp_dot(*b)).sum();
            if (area > 0.0) != loops.is_empty() {
                points.reverse();
            }
            loops.push(points);
            start = end;
        }
        let holes: Vec<&[DVec2]> = loops[1..].iter().map(|hole| &hole[..]).collect();
        Polygon::with_holes(&loops[0], &holes)
    }

    /// A polygon of physics as a geometry whose frame is the body's. Coordinates are rounded to single precision.
    pub(crate) fn of_polygon(polygon: &Polygon, radius: f32) -> Self {
        let ends = polygon.loop_ends();
        Self {
            kind: GeometryKind::Concave,
            points: polygon.points().iter().map(|point| point.as_vec2()).collect(),
            loop_ends: if ends.len() > 1 {
                Vec::from(ends)
            } else {
                Vec::new()
            },
            radius,
            ..Self::default()
        }
    }
}

/// Adds the properties of a geometry to those of its owner, whose shapes are created anew when one of them changes.
pub(super) fn entries<T: Registered>(
    geometry: fn(&T) -> &ShapeGeometry,
    geometry_mut: fn(&mut T) -> &mut ShapeGeometry,
    anew: T::Apply,
    wakes: Wakes,
) -> Entries<T>
where
    T::Apply: Copy,
{
    let entries = Entries::new()
        .choice(
            ("shape", GeometryKind::WORDS),
            move |part| geometry(part).kind as u32,
            move |part, kind| geometry_mut(part).kind = GeometryKind::of(kind),
            anew,
            wakes,
        )
        .in_scene(InScene::Within(SceneForm::Shape, "the word"))
        .doc("What shape it is.")
        .property(
            "points",
            move |part| geometry(part).points.clone(),
            move |part, value| geometry_mut(part).points = value,
            anew,
            wakes,
        )
        .range(either_way(POSITION_MAX_M))
        .unit("m")
        .in_scene(InScene::Within(SceneForm::Shape, "from, to, points, holes"))
        .doc("The points of a capsule, segment, polygon, chain or outline, or a heightfield's with those next to its ends.")
        .property(
            "size",
            move |part| geometry(part).size,
            move |part, value| geometry_mut(part).size = value,
            anew,
            wakes,
        )
        .range(SIZE_MIN..=SIZE_MAX)
        .unit("m")
        .in_scene(InScene::Within(SceneForm::Shape, "width, height"))
        .doc("Width and height of a box.")
        .property(
            "radius",
            move |part| geometry(part).radius,
            move |part, value| geometry_mut(part).radius = value,
            anew,
            wakes,
        )
        .range(up_to(POSITION_MAX_M))
        .unit("m")
        .in_scene(InScene::Within(SceneForm::Shape, "radius"))
        .doc("Of a circle, a capsule, or the corners of a polygon or convex outline.")
        .property(
            "closed",
            move |part| geometry(part).closed,
            move |part, value| geometry_mut(part).closed = value,
            anew,
            wakes,
        )
        .in_scene(InScene::Within(SceneForm::Shape, "closed"))
        .doc("Whether the last point of a chain is joined to the first.")
        .property(
            "loop_ends",
            move |part| geometry(part).loop_ends.clone(),
            move |part, value| geometry_mut(part).loop_ends = value,
            anew,
            wakes,
        )
        .in_scene(InScene::Within(SceneForm::Shape, "holes"))
        .doc("How many points there are to the end of each loop of an outline; none if it has no holes.");
    frame(entries, geometry, geometry_mut, anew, wakes)
}

/// The properties of the frame on the body.
fn frame<T: Registered>(
    entries: Entries<T>,
    geometry: fn(&T) -> &ShapeGeometry,
    geometry_mut: fn(&mut T) -> &mut ShapeGeometry,
    anew: T::Apply,
    wakes: Wakes,
) -> Entries<T>
where
    T::Apply: Copy,
{
    entries
        .property(
            "position",
            move |part| geometry(part).position,
            move |part, value| geometry_mut(part).position = value,
            anew,
            wakes,
        )
        .range(either_way(POSITION_MAX_M))
        .unit("m")
        .doc("Where its frame lies on the body.")
        .property(
            "angle",
            move |part| geometry(part).angle,
            move |part, value| geometry_mut(part).angle = value,
            anew,
            wakes,
        )
        .unit("rad")
        .doc("How its frame is turned on the body.")
}
