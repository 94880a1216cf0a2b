//! Where a character is, what it stands on and what it touches.

use crate::PhysicsError;
use crate::body::BodyId;
use crate::error::{Range, finite};
use crate::shape::ShapeId;
use glam::Vec2;
use tombolo_geometry::Position;

/// What carries a character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    /// The body.
    pub body: BodyId,
    /// Its shape.
    pub shape: ShapeId,
    /// What goes along with the body, in the body's frame: of the character's core the place nearest to the ground.
    pub anchor: Vec2,
    /// Where that was at the end of the move.
    pub place: Vec2,
    /// Out of the ground; a unit vector.
    pub normal: Vec2,
    /// How fast it moves there, in meters per second.
    pub velocity: Vec2,
}

/// Where a character is and how it moves; all of its state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Character {
    /// Where it is.
    pub position: Position,
    /// Meters per second; on the ground in relation to what carries it.
    pub velocity: Vec2,
    /// What it stands on.
    pub support: Option<Support>,
    /// Out of a slope too steep to stand on that it touched in the last move; zero for none.
    pub steep_normal: Vec2,
    /// Whether it is letting go of a one-way platform, until it has sunk into that.
    pub is_dropping: bool,
    /// Whether it wanted to drop in the last move; to go on wanting does nothing.
    pub wants_drop: bool,
    /// By how many meters obstacles that do not give way overlap it at the end of the move: above a few millimeters it is
    /// being crushed.
    pub crush_m: f32,
}

/// An overlap from which a character counts as crushed, in meters.
pub const CHARACTER_CRUSH_M: f32 = 0.004;

impl Character {
    /// A character at rest, in the air until its first move.
    pub fn new(position: Position) -> Self {
        Self {
            position,
            velocity: Vec2::ZERO,
            support: None,
            steep_normal: Vec2::ZERO,
            is_dropping: false,
            wants_drop: false,
            crush_m: 0.0,
        }
    }

    /// Whether it stands on something.
    pub fn is_grounded(&self) -> bool {
        self.support.is_some()
    }

    /// Whether something that does not give way presses it against something else.
    pub fn is_crushed(&self) -> bool {
        self.crush_m > CHARACTER_CRUSH_M
    }

    /// Meters per second in the world, with what carries it.
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
            Range::PLACE.check_vector("place", support.place)?;
            Range::PLACE.check_vector("anchor", support.anchor)?;
            Range::VELOCITY.check_vector("velocity", support.velocity)?;
            Range::VELOCITY.check_vector("normal", support.normal)?;
        }
        Ok(())
    }
}

/// What a character touches at the end of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CharacterTouch {
    /// The shape.
    pub shape: ShapeId,
    /// Its body.
    pub body: BodyId,
    /// Where.
    pub point: Position,
    /// Out of the shape; a unit vector.
    pub normal: Vec2,
    /// Newton seconds with which the character pushes it in the step, above zero for dynamic bodies only.
    pub impulse: f32,
}
