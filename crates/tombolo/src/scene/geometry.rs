//! The forms of shape geometries in a scene, for colliders, triggers, zones and fields, and their conversion to
//! components.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::de::VariantAccess;
use tombolo_geometry::Vec2;

use super::reader::{Name, properties};
use super::values::{Choice, NumberRange, Rest};
use crate::component::{self, GeometryKind};

/// A geometry in its own frame. Sizes are meters.
#[derive(Clone, Debug)]
pub(crate) enum GeometryEntry {
    Circle(Circle),
    Capsule(Capsule),
    Segment(Segment),
    Polygon(Polygon),
    Box(Rectangle),
    Chain(Chain),
    Concave(Concave),
    HalfSpace,
    Heightfield(Heightfield),
    /// An outline of the scene, by name.
    Named(Name),
}

/// The word for an outline of the section `outlines`.
const NAMED: &str = "Named";

/// The kinds of geometries, and the word for outlines by name.
const GEOMETRY_WORDS: [&str; GeometryKind::WORDS.len() + 1] = {
    let mut words = [NAMED; GeometryKind::WORDS.len() + 1];
    let mut place = 0;
    while place < GeometryKind::WORDS.len() {
        words[place] = GeometryKind::WORDS[place];
        place += 1;
    }
    words
};

impl Choice for GeometryEntry {
    const WORDS: &'static [&'static str] = &GEOMETRY_WORDS;

    fn read<'de, A: VariantAccess<'de>>(word: &str, rest: Rest<'_, '_, A>) -> Result<Self, A::Error> {
        match word {
            "Circle" => rest.fresh().map(Self::Circle),
            "Capsule" => rest.fresh().map(Self::Capsule),
            "Segment" => rest.fresh().map(Self::Segment),
            "Polygon" => rest.fresh().map(Self::Polygon),
            "Box" => rest.fresh().map(Self::Box),
            "Chain" => rest.fresh().map(Self::Chain),
            NAMED => rest.name().map(Self::Named),
            "HalfSpace" => rest.nothing().map(|()| Self::HalfSpace),
            "Heightfield" => rest.fresh().map(Self::Heightfield),
            _ => rest.fresh().map(Self::Concave),
        }
    }
}

impl GeometryEntry {
    /// The geometry as a component stores it.
    ///
    /// # Errors
    ///
    /// The name of an outline, if the geometry is one by name.
    pub(crate) fn component(&self) -> Result<component::ShapeGeometry, &Name> {
        let of_kind = |kind, points: &[Vec2]| component::ShapeGeometry {
            kind,
            points: Vec::from(points),
            ..component::ShapeGeometry::default()
        };
        Ok(match self {
            Self::Named(name) => return Err(name),
            Self::Circle(circle) => component::ShapeGeometry {
                radius: circle.radius,
                ..of_kind(GeometryKind::Circle, &[])
            },
            Self::Capsule(capsule) => component::ShapeGeometry {
                radius: capsule.radius,
                ..of_kind(GeometryKind::Capsule, &[capsule.from, capsule.to])
            },
            Self::Segment(segment) => of_kind(GeometryKind::Segment, &[segment.from, segment.to]),
            Self::Polygon(polygon) => component::ShapeGeometry {
                radius: polygon.radius,
                ..of_kind(GeometryKind::Polygon, &polygon.points)
            },
            Self::Box(rectangle) => component::ShapeGeometry {
                size: Vec2::new(rectangle.width, rectangle.height),
                ..of_kind(GeometryKind::Box, &[])
            },
            Self::Chain(chain) => component::ShapeGeometry {
                closed: chain.closed,
                ..of_kind(GeometryKind::Chain, &chain.points)
            },
            Self::HalfSpace => component::ShapeGeometry::half_space(),
            Self::Heightfield(field) => component::ShapeGeometry::heightfield(
                field.spacing,
                &field.heights,
                field.before,
                field.after,
            ),
            Self::Concave(geometry) => {
                let loops = || core::iter::once(&geometry.points).chain(&geometry.holes);
                let ends = loops().scan(0, |end, points| {
                    *end += points.len() as u32;
                    Some(*end)
                });
                let loop_ends = if geometry.holes.is_empty() {
                    Vec::new()
                } else {
                    ends.collect()
                };
                component::ShapeGeometry {
                    loop_ends,
                    radius: geometry.radius,
                    ..of_kind(
                        GeometryKind::Concave,
                        &loops().flatten().copied().collect::<Vec<Vec2>>(),
                    )
                }
            }
        })
    }
}

/// Checks that physics can create a shape or a chain from an outline.
///
/// # Errors
///
/// The geometry is degenerate: no size, too few corners, collinear corners.
pub(crate) fn check(geometry: &component::ShapeGeometry) -> Result<(), String> {
    let count = geometry.points.len();
    if geometry.kind == GeometryKind::Chain && count < if geometry.closed { 3 } else { 2 } {
        let least = "a chain needs 2 points or more, a closed one 3";
        return Err(format!("{count} points: {least}"));
    }
    geometry.build().map(|_| ()).map_err(|error| error.to_string())
}

/// A circle about the frame's origin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Circle {
    radius: f32,
}

properties!(Circle {
    "radius" => radius = number(NumberRange::Positive),
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
    "radius" => radius = number(NumberRange::Positive),
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

/// The convex hull of some points, with its radius added all around.
#[derive(Clone, Debug, Default)]
pub(crate) struct Polygon {
    points: Vec<Vec2>,
    radius: f32,
}

properties!(Polygon {
    "points" => points = vectors(),
    "radius" => radius = number(NumberRange::NotNegative),
});

/// A box about the frame's origin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rectangle {
    width: f32,
    height: f32,
}

properties!(Rectangle {
    "width" => width = number(NumberRange::Positive),
    "height" => height = number(NumberRange::Positive),
});

/// A polygon that may be concave and have holes; its loops may have either orientation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Concave {
    points: Vec<Vec2>,
    holes: Vec<Vec<Vec2>>,
    /// The radius that is added all around, for convex polygons without holes.
    radius: f32,
}

properties!(Concave {
    "points" => points = vectors(),
    "holes" => holes = lists_of_vectors(),
    "radius" => radius = number(NumberRange::NotNegative),
});

/// One-sided segments from point to point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    points: Vec<Vec2>,
    closed: bool,
}

properties!(Chain {
    "points" => points = vectors(),
    "closed" => closed = plain(),
});

/// Heights at equal distances.
#[derive(Clone, Debug)]
pub(crate) struct Heightfield {
    spacing: f32,
    heights: Vec<f32>,
    before: Option<f32>,
    after: Option<f32>,
}

impl Default for Heightfield {
    fn default() -> Self {
        Self {
            spacing: 1.0,
            heights: Vec::new(),
            before: None,
            after: None,
        }
    }
}

properties!(Heightfield {
    "spacing" => spacing = number(NumberRange::Positive),
    "heights" => heights = coordinates(),
    "before" => before = some_coordinate(),
    "after" => after = some_coordinate(),
});
