//! [`Outline`]: one part of a collider as the game gives it, and its conversion to shapes at a pose of its body.

use bevy_math::Vec2;
use bevy_reflect::Reflect;
use bevy_shape as primitive;
use tombolo_physics::{
    BodyId, ChainDef, ConcavePolygon, ConcavePolygonId, DVec2, PhysicsError, PhysicsWorld, Pose, Rot, Shape,
    ShapeDef, ShapeId,
};

use crate::reflected::ReflectedShape;

/// One part of a collider, in meters, in the frame of its entity. Invalid numbers are refused when the collider is
/// created in the physics world, with a [`PhysicsFault`](crate::PhysicsFault).
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
pub enum Outline {
    /// A disc. An uneven scale of the `Transform` makes an ellipse of it, by a rounded polygon of eight corners. It is exact
    /// along both axes, and between them off by at most 8 % of the shorter semi-axis, if the other is at most eight times as
    /// long. Where the semi-axes differ by at most 2 mm it is a disc, off by half of that.
    Circle {
        /// Center, in the entity's frame.
        center: Vec2,
        /// Radius, in meters.
        radius: f32,
    },
    /// A capsule: all points within the radius of a segment. An uneven scale makes half ellipses of its ends, in a
    /// polygon of six corners at most, off by 14 % of the shorter semi-axis where the other is four times as long.
    Capsule {
        /// First end of the segment.
        a: Vec2,
        /// Second end.
        b: Vec2,
        /// Radius, in meters.
        radius: f32,
    },
    /// A line of no width, solid from both sides.
    Segment {
        /// First end.
        a: Vec2,
        /// Second end.
        b: Vec2,
    },
    /// A rectangle around the origin, with `radius` meters added all around. An uneven scale rounds by ellipses, as it does a
    /// capsule.
    Rectangle {
        /// Width without the radius, in meters.
        width: f32,
        /// Height without the radius, in meters.
        height: f32,
        /// Radius of the rounding, in meters.
        radius: f32,
    },
    /// The convex hull of three to eight points, with `radius` meters added all around. An uneven scale rounds by ellipses, as
    /// it does a capsule; with five or six corners by the capsules around these ellipses. With a radius and more than six corners it is
    /// refused.
    Polygon {
        /// The points, in any order.
        points: Vec<Vec2>,
        /// Radius of the rounding, in meters.
        radius: f32,
    },
    /// One-sided segments from point to point, over whose joints bodies slide without catching: ground. It is solid on
    /// the right side of the direction from point to point.
    Chain {
        /// The points.
        points: Vec<Vec2>,
        /// Whether the last point is joined to the first.
        closed: bool,
    },
    /// A polygon that may be concave and have holes: a single object. Calls may cut it, like all shapes with an area: the
    /// collider then has the shapes of the part that remains the body, until its outline gets another value.
    Concave {
        /// The corners of its border.
        border: Vec<Vec2>,
        /// The corners of its holes.
        holes: Vec<Vec<Vec2>>,
    },
    /// Any shape of the engine, such as a half-space or a single segment of a chain.
    Shape(#[reflect(remote = ReflectedShape)] Shape),
}

impl Outline {
    /// A disc around the origin.
    pub fn circle(radius: f32) -> Self {
        Self::Circle {
            center: Vec2::ZERO,
            radius,
        }
    }

    /// A rectangle around the origin.
    pub fn rectangle(width: f32, height: f32) -> Self {
        Self::Rectangle {
            width,
            height,
            radius: 0.0,
        }
    }

    /// An upright capsule around the origin: the centers of its two half discs are `length` apart.
    pub fn capsule(radius: f32, length: f32) -> Self {
        let end = Vec2::new(0.0, 0.5 * length);
        Self::Capsule {
            a: -end,
            b: end,
            radius,
        }
    }

    /// The convex hull of three to eight points.
    pub fn polygon(points: impl IntoIterator<Item = Vec2>) -> Self {
        Self::Polygon {
            points: points.into_iter().collect(),
            radius: 0.0,
        }
    }

    /// One-sided segments from point to point, solid on the right side of the direction.
    pub fn chain(points: impl IntoIterator<Item = Vec2>) -> Self {
        Self::Chain {
            points: points.into_iter().collect(),
            closed: false,
        }
    }

    /// A polygon that may be concave.
    pub fn concave(border: impl IntoIterator<Item = Vec2>) -> Self {
        Self::Concave {
            border: border.into_iter().collect(),
            holes: Vec::new(),
        }
    }

    /// Its shapes in the frame of a body, in which the entity's frame is at `place`; `None` for a concave polygon,
    /// whose parts are computed by the physics world.
    pub(crate) fn shapes(&self, place: Pose) -> Result<Option<Vec<Shape>>, PhysicsError> {
        let at = |point: Vec2| place.transform_point(point);
        let shape = match self {
            Self::Circle { center, radius } => Shape::circle(at(*center), *radius)?,
            Self::Capsule { a, b, radius } => Shape::capsule(at(*a), at(*b), *radius)?,
            Self::Segment { a, b } => Shape::segment(at(*a), at(*b))?,
            Self::Rectangle {
                width,
                height,
                radius,
            } => rectangle(*width, *height, *radius, place)?,
            Self::Polygon { points, radius } => {
                let points: Vec<Vec2> = points.iter().map(|point| at(*point)).collect();
                Shape::polygon(&points, *radius)?
            }
            Self::Chain { points, closed } => {
                let chain = ChainDef {
                    points: points.iter().map(|point| at(*point)).collect(),
                    closed: *closed,
                    shape: ShapeDef::default(),
                };
                return Ok(Some(chain.segments()?));
            }
            Self::Concave { .. } => return Ok(None),
            Self::Shape(shape) => shape.moved(place)?,
        };
        Ok(Some(vec![shape]))
    }

    /// The concave polygon in the frame of a body; `None` for other parts.
    pub(crate) fn concave_polygon(&self, place: Pose) -> Result<Option<ConcavePolygon>, PhysicsError> {
        let Self::Concave { border, holes } = self else {
            return Ok(None);
        };
        let at = |points: &Vec<Vec2>| -> Vec<DVec2> {
            let points = points.iter().map(|point| place.transform_point(*point));
            points.map(|point| point.as_dvec2()).collect()
        };
        let border = at(border);
        let holes: Vec<Vec<DVec2>> = holes.iter().map(at).collect();
        let holes: Vec<&[DVec2]> = holes.iter().map(Vec::as_slice).collect();
        let polygon = ConcavePolygon::with_holes(&border, &holes).map_err(PhysicsError::ConcavePolygon)?;
        Ok(Some(polygon))
    }

    /// Adds the part to a body. Returns its shapes, and its concave polygon if it is one.
    pub(crate) fn create(
        &self,
        world: &mut PhysicsWorld,
        body: BodyId,
        def: &ShapeDef,
        place: Pose,
        ids: &mut Vec<ShapeId>,
    ) -> Result<Option<ConcavePolygonId>, PhysicsError> {
        if let Some(polygon) = self.concave_polygon(place)? {
            let id = world.create_concave_polygon(body, def, &polygon)?;
            let parts = world.concave_polygon(id).expect("it was made").parts();
            ids.extend(parts.map(|part| part.id()));
            return Ok(Some(id));
        }
        for shape in self.shapes(place)?.unwrap_or_default() {
            ids.push(world.create_shape(body, def, &shape)?);
        }
        Ok(None)
    }
}

fn rectangle(width: f32, height: f32, radius: f32, place: Pose) -> Result<Shape, PhysicsError> {
    if place == Pose::IDENTITY {
        return Ok(Shape::rounded_box(width, height, radius)?);
    }
    if radius == 0.0 {
        return Ok(Shape::box_at(
            width,
            height,
            place.position,
            place.rotation.angle(),
        )?);
    }
    // Its numbers are checked: negative sides have the corners of positive ones.
    Shape::rounded_box(width, height, radius)?;
    let half = 0.5 * Vec2::new(width, height);
    let corners = [
        -half,
        Vec2::new(half.x, -half.y),
        half,
        Vec2::new(-half.x, half.y),
    ];
    let corners = corners.map(|corner| place.transform_point(corner));
    Ok(Shape::polygon(&corners, radius)?)
}

impl From<Shape> for Outline {
    fn from(shape: Shape) -> Self {
        Self::Shape(shape)
    }
}

impl From<primitive::Circle> for Outline {
    fn from(circle: primitive::Circle) -> Self {
        Self::circle(circle.radius)
    }
}

impl From<primitive::Capsule2d> for Outline {
    fn from(capsule: primitive::Capsule2d) -> Self {
        Self::capsule(capsule.radius, 2.0 * capsule.half_length)
    }
}

impl From<primitive::Segment2d> for Outline {
    fn from(segment: primitive::Segment2d) -> Self {
        let [a, b] = segment.vertices;
        Self::Segment { a, b }
    }
}

impl From<primitive::Rectangle> for Outline {
    fn from(rectangle: primitive::Rectangle) -> Self {
        let size = 2.0 * rectangle.half_size;
        Self::rectangle(size.x, size.y)
    }
}

impl From<primitive::Rhombus> for Outline {
    fn from(rhombus: primitive::Rhombus) -> Self {
        let half = rhombus.half_diagonals;
        Self::polygon([
            Vec2::new(half.x, 0.0),
            Vec2::new(0.0, half.y),
            Vec2::new(-half.x, 0.0),
            Vec2::new(0.0, -half.y),
        ])
    }
}

impl From<primitive::Triangle2d> for Outline {
    fn from(triangle: primitive::Triangle2d) -> Self {
        Self::polygon(triangle.vertices)
    }
}

impl From<primitive::Polygon> for Outline {
    fn from(polygon: primitive::Polygon) -> Self {
        Self::concave(polygon.vertices)
    }
}

impl From<primitive::ConvexPolygon> for Outline {
    fn from(polygon: primitive::ConvexPolygon) -> Self {
        let points = polygon.vertices();
        if points.len() > 8 {
            return Self::concave(points.iter().copied());
        }
        Self::polygon(points.iter().copied())
    }
}

impl From<primitive::RegularPolygon> for Outline {
    fn from(polygon: primitive::RegularPolygon) -> Self {
        let sides = polygon.sides;
        let step = core::f32::consts::TAU / sides as f32;
        // The first corner is at the top, as in Bevy; the engine's own sine gives the same bits on every machine.
        let corner = |side: u32| {
            let turn = Rot::from_angle(side as f32 * step);
            turn.rotate(Vec2::new(0.0, polygon.circumcircle.radius))
        };
        if sides > 8 {
            return Self::concave((0..sides).map(corner));
        }
        Self::polygon((0..sides).map(corner))
    }
}
