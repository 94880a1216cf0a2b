//! The error of finding a path. `world/space/` creates it.

use tombolo_geometry::Vec2;

/// The greatest clearance in meters; with more nothing would be free.
pub(crate) const CLEARANCE_MAX: f32 = 1000.0;

/// The reason why there is no path.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The start counts as wall: it is nearer to one than the clearance, or up to half a clearance and two finest
    /// cells further away.
    #[error("the start ({x}, {y}) is in a wall or too near to one; nearest_free gives a place beside it", x = .0.x, y = .0.y)]
    StartInWall(Vec2),
    /// The goal counts as wall, likewise.
    #[error("the goal ({x}, {y}) is in a wall or too near to one; nearest_free gives a place beside it", x = .0.x, y = .0.y)]
    GoalInWall(Vec2),
    /// The point is outside free space, or not finite.
    #[error("({x}, {y}) lies outside of free space, which reaches 2,048 finest cells from the origin", x = .0.x, y = .0.y)]
    Outside(Vec2),
    /// Walls separate the two points.
    #[error("walls stand between the start and the goal")]
    Unreachable,
    /// The clearance is negative, too large or not a number.
    #[error("the clearance is {0}; it must be from 0 to {CLEARANCE_MAX}")]
    Clearance(f32),
}
