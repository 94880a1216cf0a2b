//! What a field is made from: [`FieldDef`] and [`FieldKind`].

use crate::PhysicsError;
use crate::constants::{FIELD_POINTS_MAX, FIELD_POWER_MAX};
use crate::error::{Range, finite};
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::Position;
use tombolo_geometry::shape::{Shape, ShapeKind};

/// What a field does. Vectors and points are in the field's own frame.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum FieldKind {
    /// Air that blows past shapes: each whose middle is in the area is pushed along the air's motion relative to its own,
    /// with half the density times the square of that speed, times the width that the shape has across it.
    Wind {
        /// Meters per second.
        velocity: Vec2,
        /// Kilograms per square meter, 0 to a million.
        density: f32,
        /// Factor of the push along the wind, 0 to a million; 1 is about what a flat face has.
        drag: f32,
        /// Factor of the push across the wind that slanted faces get, 0 to a million.
        lift: f32,
    },
    /// A fluid that fills the area, whose border is its surface: what of a shape is in it displaces it, is lifted against
    /// the gravity of the place, and is slowed down relative to the fluid.
    Fluid {
        /// Kilograms per square meter, 0 to a million. A shape of half of it floats half in it.
        density: f32,
        /// How fast the fluid flows, meters per second.
        velocity: Vec2,
        /// Factor of the resistance that grows with the square of the speed, as of a wind, 0 to a million.
        drag: f32,
        /// How fast what is as heavy as the fluid and all in it comes to move with it, per second, 0 to a million.
        viscosity: f32,
    },
    /// The same acceleration everywhere in the area, in meters per second squared.
    Gravity {
        /// Meters per second squared, up to a million in each direction.
        acceleration: Vec2,
    },
    /// Toward the field's origin, as toward a planet.
    RadialGravity {
        /// Meters per second squared at the radius; away from the origin if negative.
        acceleration: f32,
        /// Meters from the origin at which that holds; nearer, it falls to nothing in proportion, as inside of a planet.
        radius: f32,
        /// How it fades beyond the radius: with this power of the distance, 0 (not at all) to 4.
        power: u32,
    },
    /// Toward the nearest point of a row of segments, and along them.
    ChainGravity {
        /// The points in meters, 2 to 1,024.
        points: Vec<Vec2>,
        /// Whether the last point is joined to the first.
        closed: bool,
        /// Meters per second squared toward the nearest point; away from it if negative.
        pull: f32,
        /// Meters per second squared from point to point.
        along: f32,
        /// Meters from the chain beyond which nothing is felt.
        reach: f32,
    },
}

impl FieldKind {
    /// Whether it accelerates bodies as gravity does, whatever shape they have.
    pub fn is_gravity(&self) -> bool {
        !matches!(self, Self::Wind { .. } | Self::Fluid { .. })
    }
}

/// What to create a field from.
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
    /// What it does.
    pub kind: FieldKind,
    /// Where it does so, in its own frame: within a circle, capsule or polygon; everywhere if `None` (a chain's gravity: as
    /// far as it reaches).
    pub area: Option<Shape>,
    /// Where its own frame's origin is, in meters.
    pub position: Position,
    /// How its frame is turned, in radians.
    pub angle: f32,
    /// Only shapes with one of these categories count; all by default. A gravity acts on bodies with one such shape, and
    /// where the mask is all, on those without shapes too.
    pub mask: u64,
    /// Whether a gravity acts in place of the world's own on what it acts on, and not beside it; false by default. Of wind
    /// and fluids it means nothing.
    pub replaces_gravity: bool,
    /// Whether it acts; true by default.
    pub enabled: bool,
    /// The user's own number, kept with the field and in saves.
    pub user_key: u64,
}

impl FieldDef {
    /// A field of a kind that acts on all and everywhere.
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

    /// Checks the numbers, as whatever takes this does.
    ///
    /// # Errors
    ///
    /// Names the first number that is out of range, and what was expected.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        Range::PLACE.check_vector("position", self.position.to_vec2())?;
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
                    .try_for_each(|&point| Range::PLACE.check_vector("point", point))
            }
        }
    }
}

const _: () = assert!(
    FIELD_POINTS_MAX == 1024 && FIELD_POWER_MAX == 4,
    "messages say so"
);
