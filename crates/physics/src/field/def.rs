//! The definition of a field: [`FieldDef`] and [`FieldKind`].

use crate::PhysicsError;
use crate::constants::{FIELD_POINTS_MAX, FIELD_POWER_MAX};
use crate::error::{Range, finite};
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::Position;
use tombolo_geometry::shape::{Shape, ShapeKind};

/// The kind of a field and its parameters. Vectors and points are in the field's own frame.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum FieldKind {
    /// Wind: each shape whose center is in the area is pushed along the air's motion relative to its own, with half the
    /// density times the square of that speed, times the width of the shape across it.
    Wind {
        /// Velocity of the air in meters per second.
        velocity: Vec2,
        /// Density of the air in kilograms per square meter, 0 to a million.
        density: f32,
        /// Drag coefficient, 0 to a million; a flat face has about 1.
        drag: f32,
        /// Lift coefficient: the factor on the force across the wind on slanted faces, 0 to a million.
        lift: f32,
    },
    /// A fluid that fills the area, whose border is its surface: the part of a shape in the fluid gets buoyancy against
    /// the local gravity, and is slowed down relative to the fluid.
    Fluid {
        /// Density in kilograms per square meter, 0 to a million. A shape of half that density floats half submerged.
        density: f32,
        /// Velocity of the flow in meters per second.
        velocity: Vec2,
        /// Drag coefficient, of a resistance that grows with the square of the speed as for wind, 0 to a million.
        drag: f32,
        /// The rate per second, 0 to a million, at which a fully submerged shape of the fluid's density approaches its
        /// velocity.
        viscosity: f32,
    },
    /// A uniform gravity in the area.
    Gravity {
        /// Acceleration in meters per second squared, up to a million in each direction.
        acceleration: Vec2,
    },
    /// A gravity toward the field's origin, as of a planet.
    RadialGravity {
        /// Acceleration at the radius in meters per second squared; away from the origin if negative.
        acceleration: f32,
        /// Distance from the origin in meters at which the acceleration applies; nearer, it decreases to zero in
        /// proportion, as inside of a planet.
        radius: f32,
        /// The power of the distance with which it decreases beyond the radius, 0 (not at all) to 4.
        power: u32,
    },
    /// A gravity toward the nearest point of a row of segments, and along them.
    ChainGravity {
        /// The points in meters, 2 to 1,024.
        points: Vec<Vec2>,
        /// Whether the last point is joined to the first.
        closed: bool,
        /// Acceleration toward the nearest point in meters per second squared; away from it if negative.
        pull: f32,
        /// Acceleration from point to point in meters per second squared.
        along: f32,
        /// Distance from the chain in meters beyond which there is no acceleration.
        reach: f32,
    },
}

impl FieldKind {
    /// Whether it is a gravity: an acceleration of bodies that does not depend on their shapes.
    pub fn is_gravity(&self) -> bool {
        !matches!(self, Self::Wind { .. } | Self::Fluid { .. })
    }
}

/// The definition of a field.
///
/// ```
/// use tombolo_physics::{BodyDef, FieldDef, FieldKind, PhysicsWorld, Position, Shape, ShapeDef, Vec2, WorldDef};
/// let mut world = PhysicsWorld::new(&WorldDef::default())?;
/// let water = FieldKind::Fluid { density: 1.0, velocity: Vec2::ZERO, drag: 1.0, viscosity: 0.5 };
/// world.create_field(&FieldDef {
///     area: Some(Shape::new_box(20.0, 10.0)?),
///     position: Position::new(0.0, -5.0), // so that the surface is at 0
///     ..FieldDef::new(water)
/// })?;
/// let raft = world.create_body(&BodyDef::dynamic(0.0, 0.0))?;
/// let wood = ShapeDef { density: 0.75, ..ShapeDef::default() };
/// world.create_shape(raft, &wood, &Shape::new_box(4.0, 1.0)?)?;
/// for _ in 0..600 {
///     world.step(1.0 / 60.0)?;
/// }
/// // Three quarters of it are below the surface; it falls asleep as it bobs by a centimeter.
/// let place = world.body(raft).expect("it was not destroyed").position();
/// assert!((place.y + 0.25).abs() < 0.02);
/// # Ok::<(), tombolo_physics::PhysicsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDef {
    /// The kind and its parameters.
    pub kind: FieldKind,
    /// The area in which it acts, in its own frame: a circle, capsule or polygon; everywhere if `None` (for a chain's
    /// gravity: within its reach).
    pub area: Option<Shape>,
    /// The position of its frame's origin, in meters.
    pub position: Position,
    /// The angle of its frame, in radians.
    pub angle: f32,
    /// Only shapes with one of these categories are affected; all by default. A gravity acts on bodies with one such
    /// shape, and if the mask has all bits, also on those without shapes.
    pub mask: u64,
    /// Whether a gravity replaces the world's own for the bodies on which it acts, instead of adding to it; false by
    /// default. It has no meaning for wind and fluids.
    pub replaces_gravity: bool,
    /// Whether the field is enabled; true by default.
    pub enabled: bool,
    /// The user's own number, kept with the field and in saves.
    pub user_key: u64,
}

impl FieldDef {
    /// A field of this kind that acts on all shapes and everywhere.
    pub fn new(kind: FieldKind) -> Self {
        Self {
            kind,
            area: None,
            position: Position::ORIGIN,
            angle: 0.0,
            mask: u64::MAX,
            replaces_gravity: false,
            enabled: true,
            user_key: 0,
        }
    }

    /// Checks the numbers, like every call that takes a definition.
    ///
    /// # Errors
    ///
    /// Returns the first number that is out of range, and the accepted range.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        Range::POSITION.check_vector("position", self.position.to_vec2())?;
        finite("angle", self.angle)?;
        if let Some(area) = &self.area {
            area.validate()?;
            if matches!(
                area.kind(),
                ShapeKind::Segment | ShapeKind::ChainSegment | ShapeKind::HalfSpace
            ) {
                return Err(PhysicsError::TooThin);
            }
        }
        self.kind.validate()
    }
}

impl FieldKind {
    fn validate(&self) -> Result<(), PhysicsError> {
        match self {
            Self::Wind {
                velocity,
                density,
                drag,
                lift,
            } => {
                Range::VELOCITY.check_vector("velocity", *velocity)?;
                Range::FIELD.check("density", *density)?;
                Range::FIELD.check("drag", *drag)?;
                Range::FIELD.check("lift", *lift)
            }
            Self::Fluid {
                density,
                velocity,
                drag,
                viscosity,
            } => {
                Range::VELOCITY.check_vector("velocity", *velocity)?;
                Range::FIELD.check("density", *density)?;
                Range::FIELD.check("drag", *drag)?;
                Range::FIELD.check("viscosity", *viscosity)
            }
            Self::Gravity { acceleration } => Range::GRAVITY.check_vector("acceleration", *acceleration),
            Self::RadialGravity {
                acceleration,
                radius,
                power,
            } => {
                Range::GRAVITY.check("acceleration", *acceleration)?;
                Range::LENGTH.check("radius", *radius)?;
                Range::POWER.check("power", *power as f32)
            }
            Self::ChainGravity {
                points,
                pull,
                along,
                reach,
                ..
            } => {
                Range::GRAVITY.check("pull", *pull)?;
                Range::GRAVITY.check("along", *along)?;
                Range::LENGTH.check("reach", *reach)?;
                if !(2..=FIELD_POINTS_MAX).contains(&points.len()) {
                    return Err(PhysicsError::InvalidNumber {
                        what: "number of points",
                        got: points.len() as f32,
                        expected: "from 2 to 1024",
                    });
                }
                points
                    .iter()
                    .try_for_each(|&point| Range::POSITION.check_vector("point", point))
            }
        }
    }
}

const _: () = assert!(
    FIELD_POINTS_MAX == 1024 && FIELD_POWER_MAX == 4,
    "messages say so"
);
