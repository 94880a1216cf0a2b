//! The outlines a collider can have in a scene, and how each becomes a geometric shape on its body.

use alloc::vec::Vec;

use serde::de::VariantAccess;
use tombolo_geometry::shape::{Shape, ShapeError};
use tombolo_geometry::{Pose, Vec2};

use super::components::Transform;
use super::reader::properties;
use super::values::{Choice, Limit, Rest};

/// An outline in its own frame. Sizes are metres.
#[derive(Clone, Debug)]
pub(crate) enum Outline {
    Circle(Circle),
    Capsule(Capsule),
    Segment(Segment),
    Polygon(Polygon),
    Box(Rectangle),
}

impl Choice for Outline {
    const WORDS: &'static [&'static str] = &["Circle", "Capsule", "Segment", "Polygon", "Box"];

    fn read<'de, A: VariantAccess<'de>>(word: &str, rest: Rest<'_, '_, A>) -> Result<Self, A::Error> {
        match word {
            "Circle" => rest.fresh().map(Self::Circle),
            "Capsule" => rest.fresh().map(Self::Capsule),
            "Segment" => rest.fresh().map(Self::Segment),
            "Polygon" => rest.fresh().map(Self::Polygon),
            _ => rest.fresh().map(Self::Box),
        }
    }
}

impl Outline {
    /// The shape, seen from the body on which the outline's frame lies as `frame` says.
    ///
    /// # Errors
    /// The outline is degenerate: no size, too few corners, corners on a line.
    pub(crate) fn shape(&self, frame: Transform) -> Result<Shape, ShapeError> {
        let pose = Pose::new(frame.position, frame.angle);
        match self {
            Self::Circle(circle) => Shape::circle(frame.position, circle.radius),
            Self::Capsule(capsule) => {
                let [from, to] = [capsule.from, capsule.to].map(|point| pose.transform_point(point));
                Shape::capsule(from, to, capsule.radius)
            }
            Self::Segment(segment) => {
                let [from, to] = [segment.from, segment.to].map(|point| pose.transform_point(point));
                Shape::segment(from, to)
            }
            Self::Polygon(polygon) => {
                let points: Vec<Vec2> = polygon
                    .points
                    .iter()
                    .map(|&point| pose.transform_point(point))
                    .collect();
                Shape::polygon(&points, polygon.radius)
            }
            Self::Box(rectangle) => {
                let half = 0.5 * Vec2::new(rectangle.width, rectangle.height);
                Shape::rectangle_at(half.x, half.y, frame.position, frame.angle)
            }
        }
    }
}

/// A circle about the frame's origin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Circle {
    radius: f32,
}

properties!(Circle {
    "radius" => radius = number(Limit::Positive),
});

/// All points within a radius of a segment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Capsule {
    from: Vec2,
    to: Vec2,
    radius: f32,
}

properties!(Capsule {
    "from" => from = vector(),
    "to" => to = vector(),
    "radius" => radius = number(Limit::Positive),
});

/// A line without thickness; for static bodies.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Segment {
    from: Vec2,
    to: Vec2,
}

properties!(Segment {
    "from" => from = vector(),
    "to" => to = vector(),
});

/// The convex hull of some points, with rounded corners if it has a radius.
#[derive(Clone, Debug, Default)]
pub(crate) struct Polygon {
    points: Vec<Vec2>,
    radius: f32,
}

properties!(Polygon {
    "points" => points = vectors(),
    "radius" => radius = number(Limit::NotNegative),
});

/// A box about the frame's origin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rectangle {
    width: f32,
    height: f32,
}

properties!(Rectangle {
    "width" => width = number(Limit::Positive),
    "height" => height = number(Limit::Positive),
});
