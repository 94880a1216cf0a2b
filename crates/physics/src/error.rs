//! [`PhysicsError`]: invalid input of a caller, with the name and value that was wrong; [`Range`]: the accepted ranges
//! of numbers.

use crate::constants::{
    CONTACT_SKIN_MAX_M, DAMPING_RATIO_MAX, DENSITY_MIN, FIELD_FACTOR_MAX, FIELD_POWER_MAX, FORCE_MAX_N,
    FRICTION_MAX, GRAVITY_MAX_M_S2, HERTZ_MAX, HERTZ_MIN, LIFT_MAX, MASS_MAX_KG, MASS_MIN_KG, POSITION_MAX_M,
    RESTITUTION_MAX, SPIN_MAX_RAD_S, TURNS_MAX, VELOCITY_MAX_M_S,
};
use core::fmt;
use tombolo_geometry::Rot;
use tombolo_geometry::shape::ShapeError;
use tombolo_geometry::split::{ConcavePolygonError, DecomposeError, LineError, SplitError};

/// The reason why a call was refused. The world is unchanged by the call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PhysicsError {
    /// A number that is not finite or out of range.
    InvalidNumber {
        /// The name of the field or argument.
        what: &'static str,
        /// The given value.
        got: f32,
        /// The accepted values.
        expected: &'static str,
    },
    /// A handle whose object is gone. Handles do not identify their world: one of another world is refused only if this
    /// world has no object in the same slot with the same generation.
    StaleHandle {
        /// The kind of object: `"body"`, `"shape"`, `"concave polygon"`, `"tile grid"`, `"joint"`, `"contact"`,
        /// `"field"`, `"member"` or `"rigid weld"`.
        what: &'static str,
    },
    /// Two bodies that cannot be connected: a joint needs two different bodies, and a rigid weld two that can become
    /// one.
    UnfitBodies {
        /// The reason.
        why: &'static str,
    },
    /// A joint of this kind does not have the part.
    NoSuchPart {
        /// The missing part: `"motor"`, `"limit"`, `"spring"`, `"stiffness"`, `"threshold"` or `"switch"`.
        what: &'static str,
    },
    /// The shape is degenerate.
    Shape(ShapeError),
    /// The shape is a part of a concave polygon, whose geometry cannot change.
    PartOfPolygon,
    /// The concave polygon is invalid.
    ConcavePolygon(ConcavePolygonError),
    /// The concave polygon, or what is left of it after a cut, is thinner than the minimum of shapes.
    TooThin,
    /// The two points do not determine a line to cut along.
    Line(LineError),
    /// The concave polygon cannot be cut: after a great many cuts rounding made it cross itself.
    Split(SplitError),
    /// The concave polygon cannot be divided into convex parts: it crosses itself.
    Decompose(DecomposeError),
    /// The sites do not determine cells to shatter into.
    Pattern {
        /// The reason.
        why: &'static str,
    },
    /// A kind of tile is invalid.
    Tile {
        /// The number of the kind, from 1.
        tile: u32,
        /// The error in its definition.
        why: alloc::boxed::Box<Self>,
    },
    /// A cell refers to a tile that the grid does not have.
    NoSuchTile {
        /// The column of the cell.
        x: u32,
        /// The row of the cell.
        y: u32,
        /// The given number.
        tile: u8,
        /// The number of kinds of tiles of the grid.
        tile_count: u32,
    },
    /// A segment of a heightfield refers to a ground that the heightfield does not have.
    NoSuchGround {
        /// The segment, from 0 on the left.
        segment: u32,
        /// The given number.
        ground: u8,
        /// The number of kinds of ground of the heightfield.
        ground_count: u32,
    },
    /// A half-space for a dynamic body: it has no mass, and no end.
    WithoutEnd,
    /// A block of cells that extends beyond its grid, or has no cells.
    NoSuchCells {
        /// The column and the row of its first cell.
        first: [u32; 2],
        /// The number of columns and rows of the block.
        size: [u32; 2],
        /// The number of columns and rows of the grid.
        grid: [u32; 2],
    },
    /// The shape is made of the tiles of a grid and changes only with them.
    MadeOfTiles,
    /// An operation that is not possible for a body that is a composite, or is to become one.
    Composite {
        /// The operation and the reason.
        why: &'static str,
    },
    /// The world is full.
    TooMany {
        /// The kind of object.
        what: &'static str,
        /// The greatest number.
        limit: usize,
    },
}

impl fmt::Display for PhysicsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidNumber { what, got, expected } => write!(f, "{what} is {got}, expected {expected}"),
            Self::StaleHandle { what } => {
                write!(
                    f,
                    "the {what} does not exist: it was destroyed, or never was in this world"
                )
            }
            Self::Composite { why } => write!(f, "{why}"),
            Self::UnfitBodies { why } => write!(f, "the two bodies cannot be joined: {why}"),
            Self::NoSuchPart { what } => write!(f, "a joint of this kind has no {what}"),
            Self::Shape(error) => write!(f, "{error}"),
            Self::PartOfPolygon => write!(
                f,
                "the shape is a part of a concave polygon: cut that, or create another one"
            ),
            Self::ConcavePolygon(error) => write!(f, "{error}"),
            Self::TooThin => write!(
                f,
                "the concave polygon is thinner than half a millimeter everywhere; make it thicker"
            ),
            Self::Line(error) => write!(f, "{error}"),
            Self::Split(error) => write!(f, "{error}"),
            Self::Decompose(error) => write!(f, "{error}"),
            Self::Pattern { why } => write!(f, "the pattern to shatter by is unfit: {why}"),
            Self::Tile { tile, why } => write!(f, "tile {tile}: {why}"),
            Self::NoSuchTile {
                x,
                y,
                tile,
                tile_count,
            } => write!(
                f,
                "the cell in column {x}, row {y} is {tile}, expected 0 for an empty cell or a tile from 1 to {tile_count}"
            ),
            Self::NoSuchGround {
                segment,
                ground,
                ground_count,
            } => write!(
                f,
                "segment {segment} of the heightfield is {ground}, expected 0 for a hole or a ground from 1 to \
                 {ground_count}"
            ),
            Self::WithoutEnd => write!(
                f,
                "a half-space has no mass and no end: give it to a static or kinematic body, or give this one a box"
            ),
            Self::NoSuchCells { first, size, grid } => write!(
                f,
                "there are no {} by {} cells from column {}, row {} on in a grid of {} columns and {} rows",
                size[0], size[1], first[0], first[1], grid[0], grid[1]
            ),
            Self::MadeOfTiles => write!(
                f,
                "the shape is made of the tiles of a grid: change the tiles, or destroy the grid"
            ),
            Self::TooMany { what, limit } => write!(f, "too many {what}: the limit is {limit}"),
        }
    }
}

impl core::error::Error for PhysicsError {}

impl From<ShapeError> for PhysicsError {
    fn from(error: ShapeError) -> Self {
        Self::Shape(error)
    }
}

impl From<ConcavePolygonError> for PhysicsError {
    fn from(error: ConcavePolygonError) -> Self {
        Self::ConcavePolygon(error)
    }
}

/// The greatest deviation of a squared length from one up to which a rotation counts as one of unit length: a few
/// roundings.
const UNIT_DEVIATION_MAX: f32 = 1.0e-6;

/// A valid rotation, at unit length: a body at another would be longer seen from the world, and not shorter seen from
/// itself. One that is of unit length, but for rounding, keeps its bits.
///
/// # Errors
///
/// If its cosine and sine are invalid.
pub(crate) fn unit_rotation(rotation: Rot) -> Result<Rot, PhysicsError> {
    check_rotation(rotation)?;
    let Rot { cos, sin } = rotation;
    if (cos * cos + sin * sin - 1.0).abs() > UNIT_DEVIATION_MAX {
        return Ok(rotation.normalized());
    }
    Ok(rotation)
}

/// Returns an error for rotations whose cosine and sine are invalid.
pub(crate) fn check_rotation(rotation: Rot) -> Result<(), PhysicsError> {
    if rotation.is_valid() {
        return Ok(());
    }
    let Rot { cos, sin } = rotation;
    Err(PhysicsError::InvalidNumber {
        what: "rotation",
        got: cos * cos + sin * sin,
        expected: "a cosine and a sine whose squares add up to 1",
    })
}

/// The range of an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    min: f32,
    max: f32,
    expected: &'static str,
}

impl Range {
    /// Meters per second, for one component.
    pub(crate) const VELOCITY: Self =
        Self::around_zero(VELOCITY_MAX_M_S, "a number from -1000000 to 1000000");
    /// Meters per second, for a speed.
    pub(crate) const SPEED: Self = Self::up_to(VELOCITY_MAX_M_S, "a number from 0 to 1000000");
    /// Radians per second, with sign.
    pub(crate) const SPIN: Self = Self::around_zero(SPIN_MAX_RAD_S, "a number from -1000000 to 1000000");
    /// Radians per second, without sign.
    pub(crate) const SPIN_LIMIT: Self = Self::up_to(SPIN_MAX_RAD_S, "a number from 0 to 1000000");
    /// Meters per second squared, and factors of them.
    pub(crate) const GRAVITY: Self = Self::around_zero(GRAVITY_MAX_M_S2, "a number from -1000000 to 1000000");
    /// Reductions of gravity, as factors of it.
    pub(crate) const LIFT: Self = Self::around_zero(LIFT_MAX, "a number from -1000000 to 1000000");
    /// Newtons, newton seconds, newton meters.
    pub(crate) const FORCE: Self = Self::around_zero(FORCE_MAX_N, "a number from -1e30 to 1e30");
    /// Meters, for one coordinate.
    pub(crate) const POSITION: Self = Self::around_zero(POSITION_MAX_M, "a number from -100000 to 100000");
    /// Meters between two points.
    pub(crate) const LENGTH: Self = Self::up_to(POSITION_MAX_M, "a number from 0 to 100000");
    /// Newtons above which something is reported.
    pub(crate) const THRESHOLD: Self = Self::up_to(FORCE_MAX_N, "a number from 0 to 1e30");
    /// Densities, drags and viscosities of fields.
    pub(crate) const FIELD: Self = Self::up_to(FIELD_FACTOR_MAX, "a number from 0 to 1000000");
    /// Powers of a distance.
    pub(crate) const POWER: Self = Self::up_to(FIELD_POWER_MAX as f32, "a number from 0 to 4");
    /// Friction, rolling resistance.
    pub(crate) const FRICTION: Self = Self::up_to(FRICTION_MAX, "a number from 0 to 1000000");
    /// Restitution.
    pub(crate) const RESTITUTION: Self = Self::up_to(RESTITUTION_MAX, "a number from 0 to 100");
    /// Contact skins.
    pub(crate) const CONTACT_SKIN: Self = Self::up_to(CONTACT_SKIN_MAX_M, "a number from 0 to 0.5");
    /// Whole turns of a joint.
    pub(crate) const TURNS: Self = Self::around_zero(TURNS_MAX, "a number from -1000 to 1000");
    /// Damping ratios.
    pub(crate) const DAMPING_RATIO: Self = Self::up_to(DAMPING_RATIO_MAX, "a number from 0 to 1000");

    const fn around_zero(max: f32, expected: &'static str) -> Self {
        Self {
            min: -max,
            max,
            expected,
        }
    }

    const fn up_to(max: f32, expected: &'static str) -> Self {
        Self {
            min: 0.0,
            max,
            expected,
        }
    }

    /// Returns an error for a number out of range.
    pub(crate) fn check(self, what: &'static str, got: f32) -> Result<(), PhysicsError> {
        if (self.min..=self.max).contains(&got) {
            return Ok(());
        }
        let expected = self.expected;
        Err(PhysicsError::InvalidNumber { what, got, expected })
    }

    /// The nearest number in the range.
    pub(crate) fn clamp(self, got: f32) -> f32 {
        got.clamp(self.min, self.max)
    }

    /// Returns an error for a vector with a component out of range.
    pub(crate) fn check_vector(self, what: &'static str, got: glam::Vec2) -> Result<(), PhysicsError> {
        self.check(what, got.x)?;
        self.check(what, got.y)
    }
}

/// Returns an error for a density that makes shapes too light to divide by their mass. The upper limit depends on the
/// shape.
pub(crate) fn density(what: &'static str, got: f32) -> Result<(), PhysicsError> {
    if got == 0.0 || (got >= DENSITY_MIN && got.is_finite()) {
        return Ok(());
    }
    let expected = "0, or a finite number from 0.000001 up";
    Err(PhysicsError::InvalidNumber { what, got, expected })
}

/// Returns an error for a mass or an inertia that cannot be divided by; 0 stands for none.
pub(crate) fn mass(what: &'static str, got: f32) -> Result<(), PhysicsError> {
    if got == 0.0 || (MASS_MIN_KG..=MASS_MAX_KG).contains(&got) {
        return Ok(());
    }
    let expected = "0, or a number from 0.000001 to 1e24";
    Err(PhysicsError::InvalidNumber { what, got, expected })
}

/// Returns an error for a number that is not finite.
pub(crate) fn finite(what: &'static str, got: f32) -> Result<(), PhysicsError> {
    if got.is_finite() {
        Ok(())
    } else {
        Err(PhysicsError::InvalidNumber {
            what,
            got,
            expected: "a finite number",
        })
    }
}

/// Returns an error for a number that is not finite or below zero.
pub(crate) fn non_negative(what: &'static str, got: f32) -> Result<(), PhysicsError> {
    if got.is_finite() && got >= 0.0 {
        Ok(())
    } else {
        Err(PhysicsError::InvalidNumber {
            what,
            got,
            expected: "a finite number that is not negative",
        })
    }
}

/// Returns an error for a frequency that the solver cannot use.
pub(crate) fn hertz(what: &'static str, got: f32) -> Result<(), PhysicsError> {
    if got == 0.0 || (HERTZ_MIN..=HERTZ_MAX).contains(&got) {
        Ok(())
    } else {
        let expected = "0, or a number from 0.001 to 10000";
        Err(PhysicsError::InvalidNumber { what, got, expected })
    }
}

/// Returns an error for a vector with a component that is not finite.
pub(crate) fn finite_vector(what: &'static str, got: glam::Vec2) -> Result<(), PhysicsError> {
    finite(what, got.x)?;
    finite(what, got.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    /// The numbers in a message.
    fn numbers(message: &str) -> alloc::vec::Vec<f32> {
        let is_part = |c: char| c.is_ascii_digit() || "-.e".contains(c);
        message
            .split(|c| !is_part(c))
            .filter_map(|word| word.parse().ok())
            .collect()
    }

    #[test]
    fn messages_name_the_limits_that_are_checked() {
        for range in [
            Range::VELOCITY,
            Range::SPEED,
            Range::SPIN,
            Range::SPIN_LIMIT,
            Range::GRAVITY,
            Range::FORCE,
            Range::POSITION,
            Range::LENGTH,
            Range::THRESHOLD,
            Range::FIELD,
            Range::POWER,
            Range::FRICTION,
            Range::RESTITUTION,
            Range::CONTACT_SKIN,
            Range::DAMPING_RATIO,
        ] {
            assert_eq!(numbers(range.expected), [range.min, range.max]);
            for got in [
                range.min.next_down(),
                range.max.next_up(),
                f32::NAN,
                f32::INFINITY,
            ] {
                range.check("a number", got).unwrap_err();
            }
            for got in [range.min, 0.0, -0.0, f32::from_bits(1), range.max] {
                range.check("a number", got).unwrap();
            }
        }
        let expected = |result: Result<(), PhysicsError>| match result {
            Err(PhysicsError::InvalidNumber { expected, .. }) => String::from(expected),
            other => panic!("{other:?} is no bad number"),
        };
        assert_eq!(numbers(&expected(density("density", -1.0))), [0.0, DENSITY_MIN]);
        assert_eq!(
            numbers(&expected(mass("mass", -1.0))),
            [0.0, MASS_MIN_KG, MASS_MAX_KG]
        );
        assert_eq!(
            numbers(&expected(hertz("hertz", -1.0))),
            [0.0, HERTZ_MIN, HERTZ_MAX]
        );
    }
}
