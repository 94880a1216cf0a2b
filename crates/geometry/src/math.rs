//! The math types of all crates: [`Position`], [`Rot`], [`Pose`] and [`Aabb`], over [`glam::Vec2`].
//!
//! All types here are plain data: `#[repr(C)]`, no padding, every bit pattern valid.

use core::ops::{Add, AddAssign, Sub};
use glam::Vec2;

/// A position in the world, in meters.
///
/// Distinct from [`Vec2`], which is a difference of two positions, so that worlds can later be stored in double
/// precision without a change to the code that uses them. Subtracting two positions gives a [`Vec2`].
///
/// ```
/// use tombolo_geometry::{Position, Vec2};
/// let door = Position::new(3.0, 1.0);
/// assert_eq!(door + Vec2::X - door, Vec2::X);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Position {
    /// Meters to the right of the origin.
    pub x: f32,
    /// Meters above the origin.
    pub y: f32,
}

impl Position {
    /// The origin of the world.
    pub const ORIGIN: Self = Self::new(0.0, 0.0);

    /// A position from its coordinates in meters.
    #[inline]
    pub const fn new(x: f32, y: f32) -> Self {
        Self { x, y }
    }

    /// The vector from the origin to this position.
    #[inline]
    pub const fn to_vec2(self) -> Vec2 {
        Vec2::new(self.x, self.y)
    }

    /// Whether both coordinates are numbers and finite.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.to_vec2().is_finite()
    }
}

impl From<Vec2> for Position {
    #[inline]
    fn from(v: Vec2) -> Self {
        Self::new(v.x, v.y)
    }
}

impl From<Position> for Vec2 {
    #[inline]
    fn from(p: Position) -> Self {
        p.to_vec2()
    }
}

impl Add<Vec2> for Position {
    type Output = Self;
    #[inline]
    fn add(self, v: Vec2) -> Self {
        Self::new(self.x + v.x, self.y + v.y)
    }
}

impl AddAssign<Vec2> for Position {
    #[inline]
    fn add_assign(&mut self, v: Vec2) {
        *self = *self + v;
    }
}

impl Sub for Position {
    type Output = Vec2;
    #[inline]
    fn sub(self, other: Self) -> Vec2 {
        Vec2::new(self.x - other.x, self.y - other.y)
    }
}

/// A rotation, kept as the cosine and sine of its angle.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rot {
    /// Cosine of the angle.
    pub cos: f32,
    /// Sine of the angle.
    pub sin: f32,
}

impl Default for Rot {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Rot {
    /// No rotation.
    pub const IDENTITY: Self = Self { cos: 1.0, sin: 0.0 };

    /// The rotation by `angle` radians, counter-clockwise positive. The same bits on every platform (`libm`).
    #[inline]
    pub fn from_angle(angle: f32) -> Self {
        let (sin, cos) = libm::sincosf(angle);
        Self { cos, sin }
    }

    /// The angle in radians, in `[-π, π]`.
    #[inline]
    pub fn angle(self) -> f32 {
        libm::atan2f(self.sin, self.cos)
    }

    /// Rotates a vector by this rotation.
    #[inline]
    #[must_use]
    pub fn rotate(self, v: Vec2) -> Vec2 {
        Vec2::new(self.cos * v.x - self.sin * v.y, self.sin * v.x + self.cos * v.y)
    }

    /// Rotates a vector by the inverse of this rotation.
    #[inline]
    #[must_use]
    pub fn unrotate(self, v: Vec2) -> Vec2 {
        Vec2::new(self.cos * v.x + self.sin * v.y, self.cos * v.y - self.sin * v.x)
    }

    /// This rotation followed by `next`.
    #[inline]
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        Self {
            cos: next.cos * self.cos - next.sin * self.sin,
            sin: next.sin * self.cos + next.cos * self.sin,
        }
    }

    /// The inverse rotation.
    #[inline]
    #[must_use]
    pub fn inverse(self) -> Self {
        Self {
            cos: self.cos,
            sin: -self.sin,
        }
    }

    /// The rotation that leads from this one to `other`.
    #[inline]
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        self.inverse().then(other)
    }

    /// The rotation followed by one of a small angle in radians, without trigonometry; the result has unit length.
    /// Below a quarter turn the error is of third order in the angle.
    #[inline]
    #[must_use]
    pub fn integrate(self, delta_angle: f32) -> Self {
        let cos = self.cos - delta_angle * self.sin;
        let sin = self.sin + delta_angle * self.cos;
        Self { cos, sin }.normalized()
    }

    /// The rotation scaled to unit length; the identity if both parts are zero.
    #[must_use]
    #[inline]
    pub fn normalized(self) -> Self {
        let length = sqrt(self.cos * self.cos + self.sin * self.sin);
        if length > 0.0 {
            let inverse = 1.0 / length;
            Self {
                cos: self.cos * inverse,
                sin: self.sin * inverse,
            }
        } else {
            Self::IDENTITY
        }
    }

    /// Whether both parts are finite and the length is one within 0.06 %.
    #[inline]
    pub fn is_valid(self) -> bool {
        let length_squared = self.cos * self.cos + self.sin * self.sin;
        length_squared > 1.0 - 6.0e-4 && length_squared < 1.0 + 6.0e-4
    }
}

/// A position and a rotation: the frame of a body in the world, or one frame in another.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// The position of the frame's origin, in meters.
    pub position: Vec2,
    /// The rotation of the frame.
    pub rotation: Rot,
}

impl Pose {
    /// The identity transform.
    pub const IDENTITY: Self = Self {
        position: Vec2::ZERO,
        rotation: Rot::IDENTITY,
    };

    /// A pose from a position in meters and an angle in radians.
    #[inline]
    pub fn new(position: Vec2, angle: f32) -> Self {
        Self {
            position,
            rotation: Rot::from_angle(angle),
        }
    }

    /// Transforms a point of the frame to the outer frame.
    #[inline]
    #[must_use]
    pub fn transform_point(self, point: Vec2) -> Vec2 {
        self.rotation.rotate(point) + self.position
    }

    /// Transforms a point of the outer frame to this one.
    #[inline]
    #[must_use]
    pub fn inverse_transform_point(self, point: Vec2) -> Vec2 {
        self.rotation.unrotate(point - self.position)
    }

    /// Composes two poses: the pose of a frame that lies at `inner` within this one.
    #[inline]
    #[must_use]
    pub fn compose(self, inner: Self) -> Self {
        Self {
            position: self.transform_point(inner.position),
            rotation: inner.rotation.then(self.rotation),
        }
    }

    /// The pose of `other` relative to this frame.
    #[inline]
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self {
            position: self.rotation.unrotate(other.position - self.position),
            rotation: self.rotation.to(other.rotation),
        }
    }

    /// Whether the position is finite and the rotation valid.
    #[inline]
    pub fn is_valid(self) -> bool {
        self.position.is_finite() && self.rotation.is_valid()
    }
}

/// An axis-aligned box from `min` to `max`, in meters.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Aabb {
    /// Left and lower edge.
    pub min: Vec2,
    /// Right and upper edge.
    pub max: Vec2,
}

impl Aabb {
    /// The empty box: the neutral element of [`Aabb::union`].
    pub const EMPTY: Self = Self {
        min: Vec2::INFINITY,
        max: Vec2::NEG_INFINITY,
    };

    /// A box from its corners.
    #[inline]
    pub const fn new(min: Vec2, max: Vec2) -> Self {
        Self { min, max }
    }

    /// The smallest box around some points; [`Aabb::EMPTY`] for none.
    pub fn from_points(points: &[Vec2]) -> Self {
        points.iter().fold(Self::EMPTY, |b, &p| Self {
            min: b.min.min(p),
            max: b.max.max(p),
        })
    }

    /// The smallest box around both.
    #[must_use]
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// The box grown by `margin` meters on every side.
    #[must_use]
    #[inline]
    pub fn grown(self, margin: f32) -> Self {
        Self {
            min: self.min - Vec2::splat(margin),
            max: self.max + Vec2::splat(margin),
        }
    }

    /// Whether the two share a point; touching edges count.
    #[inline]
    pub fn overlaps(self, other: Self) -> bool {
        (self.min.x <= other.max.x)
            & (self.min.y <= other.max.y)
            & (other.min.x <= self.max.x)
            & (other.min.y <= self.max.y)
    }

    /// Whether `other` is wholly inside; touching edges count.
    #[inline]
    pub fn contains(self, other: Self) -> bool {
        (self.min.x <= other.min.x)
            & (self.min.y <= other.min.y)
            & (other.max.x <= self.max.x)
            & (other.max.y <= self.max.y)
    }

    /// Whether the point is inside; the edge counts.
    #[inline]
    pub fn contains_point(self, point: Vec2) -> bool {
        self.contains(Self::new(point, point))
    }

    /// The center of the box.
    #[inline]
    pub fn center(self) -> Vec2 {
        0.5 * (self.min + self.max)
    }

    /// Half the size along each axis.
    #[inline]
    pub fn half_size(self) -> Vec2 {
        0.5 * (self.max - self.min)
    }

    /// The perimeter: the cost measure of bounding volume trees.
    #[inline]
    pub fn perimeter(self) -> f32 {
        let size = self.max - self.min;
        2.0 * (size.x + size.y)
    }

    /// Whether all edges are finite and none is inverted.
    #[inline]
    pub fn is_valid(self) -> bool {
        self.min.is_finite() && self.max.is_finite() && self.min.x <= self.max.x && self.min.y <= self.max.y
    }
}

/// The z component of the cross product of two vectors in the plane.
#[inline]
pub fn cross(a: Vec2, b: Vec2) -> f32 {
    a.x * b.y - a.y * b.x
}

/// The cross product of an angular velocity in radians per second and a lever arm: the velocity at its end.
#[inline]
pub fn cross_scalar(s: f32, v: Vec2) -> Vec2 {
    Vec2::new(-s * v.y, s * v.x)
}

/// The square root, rounded to nearest as IEEE 754 demands: the machine's instruction with the standard library, `libm`
/// without. Both are exact, so the bits are the same. NaN for negative numbers.
#[inline]
pub fn sqrt(x: f32) -> f32 {
    #[cfg(feature = "std")]
    return x.sqrt();
    #[cfg(not(feature = "std"))]
    return libm::sqrtf(x);
}

const _: () = {
    assert!(size_of::<Position>() == 8);
    assert!(size_of::<Rot>() == 8);
    assert!(size_of::<Pose>() == 16);
    assert!(size_of::<Aabb>() == 16);
};
