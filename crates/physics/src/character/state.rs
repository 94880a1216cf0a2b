//! [`Character`], [`Support`] and [`CharacterTouch`]: the state of a character, its support, and the shapes that it
//! touches.

use crate::PhysicsError;
use crate::body::BodyId;
use crate::error::{Range, finite, non_negative};
use crate::shape::ShapeId;
use glam::Vec2;
use tombolo_geometry::Position;

/// The support of a character: the shape that it stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    /// The body.
    pub body: BodyId,
    /// The shape.
    pub shape: ShapeId,
    /// The point of the character's core that is nearest to the ground, in the body's frame: it moves with the body.
    pub anchor: Vec2,
    /// The position of that point in the world at the end of the move.
    pub place: Vec2,
    /// The normal out of the ground; a unit vector.
    pub normal: Vec2,
    /// The velocity of the body at that point, in meters per second.
    pub velocity: Vec2,
    /// The force in newtons with which the character pressed on it in the last move; above zero for dynamic bodies only.
    pub pressed: f32,
}

/// The state of a character: position, velocity and all else that moves depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Character {
    /// The position.
    pub position: Position,
    /// The velocity in meters per second; on the ground relative to the support.
    pub velocity: Vec2,
    /// The support, if it stands on a shape.
    pub support: Option<Support>,
    /// The normal of a slope too steep to stand on that it touched in the last move; zero for none.
    pub steep_normal: Vec2,
    /// The one-way platform through which it is dropping, or one that is connected with that; until it touches none of
    /// these, stands on something else, or rises by itself.
    pub dropping: Option<ShapeId>,
    /// Whether it wanted to drop in the last move; wanting it again in the next has no effect.
    pub wants_drop: bool,
    /// The greatest overlap in meters with obstacles that do not yield, at the end of the move: above a few millimeters
    /// it is being crushed.
    pub crush_m: f32,
}

/// The overlap from which a character counts as crushed, in meters.
pub const CHARACTER_CRUSH_M: f32 = 0.004;

impl Character {
    /// A character at rest, in the air until its first move.
    pub fn new(position: Position) -> Self {
        Self {
            position,
            velocity: Vec2::ZERO,
            support: None,
            steep_normal: Vec2::ZERO,
            dropping: None,
            wants_drop: false,
            crush_m: 0.0,
        }
    }

    /// Whether it stands on a shape.
    pub fn is_grounded(&self) -> bool {
        self.support.is_some()
    }

    /// Whether it is dropping through a one-way platform.
    pub fn is_dropping(&self) -> bool {
        self.dropping.is_some()
    }

    /// Whether obstacles that do not yield press it against each other.
    pub fn is_crushed(&self) -> bool {
        self.crush_m > CHARACTER_CRUSH_M
    }

    /// The velocity in the world, including that of its support, in meters per second.
    pub fn world_velocity(&self) -> Vec2 {
        self.velocity + self.support.map_or(Vec2::ZERO, |support| support.velocity)
    }

    /// Checks the numbers, as [`PhysicsWorld::move_character`](crate::PhysicsWorld::move_character) does.
    ///
    /// # Errors
    ///
    /// Names the first number that is out of range.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        crate::body::position_in_range(self.position)?;
        Range::VELOCITY.check_vector("velocity", self.velocity)?;
        Range::VELOCITY.check_vector("steep_normal", self.steep_normal)?;
        finite("crush_m", self.crush_m)?;
        if let Some(support) = &self.support {
            Range::POSITION.check_vector("place", support.place)?;
            Range::POSITION.check_vector("anchor", support.anchor)?;
            Range::VELOCITY.check_vector("velocity", support.velocity)?;
            Range::VELOCITY.check_vector("normal", support.normal)?;
            non_negative("pressed", support.pressed)?;
        }
        Ok(())
    }
}

/// A shape that a character touches at the end of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CharacterTouch {
    /// The shape.
    pub shape: ShapeId,
    /// Its body.
    pub body: BodyId,
    /// The contact point.
    pub point: Position,
    /// The normal out of the shape; a unit vector.
    pub normal: Vec2,
    /// The impulse in newton seconds with which the character pushes it in the step; above zero for dynamic bodies
    /// only.
    pub impulse: f32,
}
