//! Conversions to and from the types of [`mint`], which other libraries of vectors convert to and from as well: other
//! versions of `glam`, `nalgebra`, `cgmath`, `euclid`, `vek`. With the feature `mint`, which gives [`Vec2`](crate::Vec2)
//! the same conversions.
//!
//! They copy numbers and cost nothing else; what is not finite stays so, and is refused where it is used.
//!
//! ```
//! use mint::{ColumnMatrix3, Point2, Vector2};
//! use tombolo_geometry::{Pose, Position, Vec2};
//!
//! // As another library hands them over.
//! let (point, velocity) = (Point2 { x: 3.0, y: 1.0 }, Vector2 { x: 0.0, y: -2.0 });
//! assert_eq!(Position::from(point), Position::new(3.0, 1.0));
//! assert_eq!(Vec2::from(velocity), Vec2::new(0.0, -2.0));
//!
//! // What a renderer takes.
//! let matrix = ColumnMatrix3::from(Pose::new(Vec2::new(3.0, 1.0), 0.0));
//! assert_eq!(matrix.z, mint::Vector3 { x: 3.0, y: 1.0, z: 1.0 });
//! ```

use crate::{Pose, Position, Rot};
use mint::{ColumnMatrix2, ColumnMatrix3, IntoMint, Point2, Vector2, Vector3};

impl From<Point2<f32>> for Position {
    #[inline]
    fn from(point: Point2<f32>) -> Self {
        Self::new(point.x, point.y)
    }
}

impl From<Position> for Point2<f32> {
    #[inline]
    fn from(position: Position) -> Self {
        Self {
            x: position.x,
            y: position.y,
        }
    }
}

impl IntoMint for Position {
    type MintType = Point2<f32>;
}

impl From<Vector2<f32>> for Position {
    /// The position that the vector leads to from the origin.
    #[inline]
    fn from(vector: Vector2<f32>) -> Self {
        Self::new(vector.x, vector.y)
    }
}

impl From<Position> for Vector2<f32> {
    /// The vector from the origin to the position.
    #[inline]
    fn from(position: Position) -> Self {
        Self {
            x: position.x,
            y: position.y,
        }
    }
}

impl From<Rot> for ColumnMatrix2<f32> {
    /// The matrix that rotates a column vector.
    #[inline]
    fn from(rotation: Rot) -> Self {
        let Rot { cos, sin } = rotation;
        Self {
            x: Vector2 { x: cos, y: sin },
            y: Vector2 { x: -sin, y: cos },
        }
    }
}

impl IntoMint for Rot {
    type MintType = ColumnMatrix2<f32>;
}

impl From<Pose> for ColumnMatrix3<f32> {
    /// The matrix that takes a point `(x, y, 1)` of the body to one of the world.
    #[inline]
    fn from(pose: Pose) -> Self {
        let Rot { cos, sin } = pose.rotation;
        Self {
            x: Vector3 {
                x: cos,
                y: sin,
                z: 0.0,
            },
            y: Vector3 {
                x: -sin,
                y: cos,
                z: 0.0,
            },
            z: Vector3 {
                x: pose.position.x,
                y: pose.position.y,
                z: 1.0,
            },
        }
    }
}

impl IntoMint for Pose {
    type MintType = ColumnMatrix3<f32>;
}
