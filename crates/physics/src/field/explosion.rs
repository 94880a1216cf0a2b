//! [`ExplosionDef`]: the definition of an explosion.

use crate::PhysicsError;
use crate::error::Range;
use tombolo_geometry::Position;

/// A push away from a point, like Box2D's `b2World_Explode`: each shape of a dynamic body within reach gets an impulse
/// in proportion to its width across the direction from the point, at its nearest point. With a
/// [`tile_radius`](Self::tile_radius) it also removes tiles.
///
/// ```
/// use tombolo_physics::{BodyDef, ExplosionDef, PhysicsWorld, Position, Shape, ShapeDef, Vec2, WorldDef};
/// let mut world = PhysicsWorld::new(&WorldDef::default())?;
/// let ball = world.create_body(&BodyDef::dynamic(3.0, 0.0))?;
/// world.create_shape(ball, &ShapeDef::default(), &Shape::circle(Vec2::ZERO, 0.5)?)?;
/// let pushed = world.explode(&ExplosionDef {
///     radius: 5.0,
///     impulse_per_length: 2.0,
///     ..ExplosionDef::at(Position::ORIGIN)
/// })?;
/// assert_eq!(pushed, 1);
/// let ball = world.body(ball).expect("it was not destroyed");
/// assert!((ball.linear_velocity().x * ball.mass() - 2.0).abs() < 1e-5); // 1 m across
/// # Ok::<(), tombolo_physics::PhysicsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExplosionDef {
    /// The center of the explosion.
    pub position: Position,
    /// Only shapes with one of these categories are pushed; all by default.
    pub mask: u64,
    /// Radius in meters within which the whole impulse acts; 0 by default.
    pub radius: f32,
    /// Distance in meters beyond the radius over which the impulse decreases to zero; 0 by default.
    pub falloff: f32,
    /// Impulse in newton seconds per meter of a shape's width across the direction from the center; toward the center
    /// if negative; 0 by default.
    pub impulse_per_length: f32,
    /// Radius in meters within which cells of tile grids are emptied, whose tiles have one of the categories of `mask`;
    /// 0 by default, which leaves all tiles. A cell is emptied if the disc touches its square.
    #[cfg_attr(feature = "serde", serde(default))]
    pub tile_radius: f32,
}

impl ExplosionDef {
    /// An explosion at a point, with no reach and no impulse yet.
    pub fn at(position: Position) -> Self {
        Self {
            position,
            mask: u64::MAX,
            radius: 0.0,
            falloff: 0.0,
            impulse_per_length: 0.0,
            tile_radius: 0.0,
        }
    }

    /// Checks the numbers, like [`PhysicsWorld::explode`](crate::PhysicsWorld::explode).
    ///
    /// # Errors
    ///
    /// Returns the first number that is out of range, and the accepted range.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        Range::POSITION.check_vector("position", self.position.to_vec2())?;
        Range::LENGTH.check("radius", self.radius)?;
        Range::LENGTH.check("falloff", self.falloff)?;
        Range::FORCE.check("impulse_per_length", self.impulse_per_length)?;
        Range::LENGTH.check("tile_radius", self.tile_radius)
    }
}
