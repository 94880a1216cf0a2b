//! The form of a collider or trigger, in its own frame, and how it becomes shapes of physics.

use alloc::vec::Vec;

use tombolo_entity::{Schema, Value};
use tombolo_geometry::shape::{Shape, ShapeError};
use tombolo_geometry::{Pose, Vec2};

/// The largest coordinate in metres: beyond it single precision is coarser than a contact's slop.
pub(crate) const COORDINATE_MAX: f64 = 1.0e5;

/// What a form is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Form {
    /// About the origin, with a radius.
    #[default]
    Circle = 0,
    /// Two points and a radius.
    Capsule = 1,
    /// Two points; for static bodies.
    Segment = 2,
    /// The convex hull of some points, with rounded corners if it has a radius.
    Polygon = 3,
    /// About the origin, of a size.
    Box = 4,
    /// One-sided segments from point to point, solid on their right; for static bodies.
    Chain = 5,
}

impl Form {
    /// The words, in the order of the numbers.
    pub const WORDS: &'static [&'static str] = &["Circle", "Capsule", "Segment", "Polygon", "Box", "Chain"];

    fn of(number: u32) -> Self {
        match number {
            0 => Self::Circle,
            1 => Self::Capsule,
            2 => Self::Segment,
            3 => Self::Polygon,
            4 => Self::Box,
            _ => Self::Chain,
        }
    }
}

/// A form in its own frame. Which of the numbers matter depends on [`Form`].
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// What it is.
    pub form: Form,
    /// Metres.
    pub points: Vec<Vec2>,
    /// Width and height in metres.
    pub size: Vec2,
    /// Metres.
    pub radius: f32,
    /// Whether the last point of a chain is joined to the first.
    pub closed: bool,
    /// Where its frame lies on the body, metres.
    pub position: Vec2,
    /// How its frame is turned, radians.
    pub angle: f32,
}

impl Default for Outline {
    fn default() -> Self {
        Self {
            form: Form::Circle,
            points: Vec::new(),
            size: Vec2::ONE,
            radius: 0.5,
            closed: false,
            position: Vec2::ZERO,
            angle: 0.0,
        }
    }
}

/// What an outline becomes.
#[derive(Clone, Debug)]
pub enum Built {
    /// One shape.
    Solid(Shape),
    /// The points of a chain.
    Chain(Vec<Vec2>),
}

impl Outline {
    /// The shape or chain, seen from the body.
    ///
    /// # Errors
    ///
    /// The outline is degenerate: no size, too few points, corners on a line.
    pub fn build(&self) -> Result<Built, ShapeError> {
        let pose = Pose::new(self.position, self.angle);
        let points = || -> Vec<Vec2> {
            let points = self.points.iter();
            points.map(|&point| pose.transform_point(point)).collect()
        };
        let two = || {
            let point = |place: usize| self.points.get(place).copied().unwrap_or_default();
            [point(0), point(1)].map(|point| pose.transform_point(point))
        };
        Ok(Built::Solid(match self.form {
            Form::Circle => Shape::circle(self.position, self.radius)?,
            Form::Capsule => {
                let [from, to] = two();
                Shape::capsule(from, to, self.radius)?
            }
            Form::Segment => {
                let [from, to] = two();
                Shape::segment(from, to)?
            }
            Form::Polygon => Shape::polygon(&points(), self.radius)?,
            Form::Box => {
                let half = 0.5 * self.size;
                Shape::rectangle_at(half.x, half.y, self.position, self.angle)?
            }
            Form::Chain => {
                let points = points();
                let last = points.last().copied().filter(|_| self.closed);
                let ends = last
                    .iter()
                    .chain(&points)
                    .zip(points.iter().skip(usize::from(!self.closed)));
                for (from, to) in ends {
                    Shape::segment(*from, *to)?;
                }
                return Ok(Built::Chain(points));
            }
        }))
    }

    /// What the outline says as values of the properties that [`properties`] makes.
    pub(crate) fn values(&self) -> Vec<(&'static str, Value)> {
        let points = self.points.iter().map(|point| Value::Vec2(*point));
        Vec::from([
            ("shape", Value::Choice(self.form as u32)),
            ("points", Value::List(points.collect())),
            ("size", Value::Vec2(self.size)),
            ("radius", Value::F32(self.radius)),
            ("closed", Value::Bool(self.closed)),
            ("position", Value::Vec2(self.position)),
            ("angle", Value::F32(self.angle)),
        ])
    }
}

/// Adds an outline's properties to a schema.
pub(super) fn properties<T: Default + 'static>(
    schema: Schema<T>,
    outline: fn(&T) -> &Outline,
    outline_mut: fn(&mut T) -> &mut Outline,
) -> Schema<T> {
    schema
        .choice(
            "shape",
            Form::WORDS,
            move |part| outline(part).form as u32,
            move |part, form| outline_mut(part).form = Form::of(form),
        )
        .doc("What its form is.")
        .property(
            "points",
            move |part| outline(part).points.clone(),
            move |part, points| outline_mut(part).points = points,
        )
        .range(-COORDINATE_MAX..=COORDINATE_MAX)
        .unit("m")
        .doc("The points of a capsule, segment, polygon or chain.")
        .property(
            "size",
            move |part| outline(part).size,
            move |part, size| outline_mut(part).size = size,
        )
        .range(0.0..=COORDINATE_MAX)
        .unit("m")
        .doc("Width and height of a box.")
        .property(
            "radius",
            move |part| outline(part).radius,
            move |part, radius| outline_mut(part).radius = radius,
        )
        .range(0.0..=COORDINATE_MAX)
        .unit("m")
        .doc("Of a circle, a capsule, or a polygon's corners.")
        .property(
            "closed",
            move |part| outline(part).closed,
            move |part, closed| outline_mut(part).closed = closed,
        )
        .doc("Whether the last point of a chain is joined to the first.")
        .property(
            "position",
            move |part| outline(part).position,
            move |part, position| outline_mut(part).position = position,
        )
        .range(-COORDINATE_MAX..=COORDINATE_MAX)
        .unit("m")
        .doc("Where its frame lies on the body.")
        .property(
            "angle",
            move |part| outline(part).angle,
            move |part, angle| outline_mut(part).angle = angle,
        )
        .unit("rad")
        .doc("How its frame is turned on the body.")
}
