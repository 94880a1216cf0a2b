//! The definition of a heightfield, [`HeightfieldDef`], and the conversion of its samples to segments of a chain.
//!
//! A heightfield exists only as its segments, each of which contains the samples before and after it. So the pieces of
//! a streamed one need no list of pieces: the definition of each contains the heights next to its ends.
//!
//! Why: `docs/decisions.md#a-heightfield-is-a-chain-that-is-told-its-ends`.

use crate::PhysicsError;
use crate::constants::{TILE_SIZE_MAX_M, TILE_SIZE_MIN_M};
use crate::error::finite;
use crate::shape::ShapeDef;
use alloc::vec;
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::shape::Shape;

/// The definition of a heightfield, or of a piece of one: ground whose heights are sampled at even distances, with a
/// one-sided segment from sample to sample that is solid from above.
///
/// Bodies slide over its samples, and from piece to piece, as over the segments of a chain. A body that gets below it
/// falls on: ground that can be dug into is made of tiles.
///
/// ```
/// use tombolo_physics::{BodyDef, HeightfieldDef, PhysicsWorld, ShapeDef, Vec2, WorldDef};
/// let height = |sample: u32| (0.1 * f64::from(sample)).sin() as f32;
/// // Piece 3 of many, on a body of its own, so that it can go as it came.
/// let piece = |number: u32| HeightfieldDef {
///     spacing: 0.5,
///     origin: Vec2::new(0.5 * 64.0 * number as f32, 0.0),
///     heights: (64 * number..=64 * number + 64).map(height).collect(),
///     before: Some(height(64 * number - 1)),
///     after: Some(height(64 * number + 65)),
///     ..HeightfieldDef::default()
/// };
/// let mut world = PhysicsWorld::new(&WorldDef::default())?;
/// let ground = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
/// assert_eq!(world.create_heightfield(ground, &piece(3))?.len(), 64);
/// world.destroy_body(ground)?;
/// # Ok::<(), tombolo_physics::PhysicsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default)
)]
pub struct HeightfieldDef {
    /// The distance of the samples along the body's x axis in meters; 1 by default, 0.02 to 10,000.
    pub spacing: f32,
    /// The position of the first sample at height zero, in the body's frame.
    pub origin: Vec2,
    /// The heights in meters from left to right: two or more.
    pub heights: Vec<f32>,
    /// The height of the sample before the first, in the piece to the left; without it the ground continues straight
    /// there.
    pub before: Option<f32>,
    /// The height of the sample after the last, in the piece to the right; without it the ground continues straight
    /// there.
    pub after: Option<f32>,
    /// The kinds of ground: material, filter and events, up to 255 kinds; one by default.
    pub grounds: Vec<ShapeDef>,
    /// The kind of each segment from left to right: 1 for the first of `grounds`, 2 for the second, or 0 for a hole;
    /// empty if all are of the first. The ends of a hole are corners.
    pub segments: Vec<u8>,
}

impl Default for HeightfieldDef {
    fn default() -> Self {
        Self {
            spacing: 1.0,
            origin: Vec2::ZERO,
            heights: Vec::new(),
            before: None,
            after: None,
            grounds: vec![ShapeDef::default()],
            segments: Vec::new(),
        }
    }
}

impl HeightfieldDef {
    /// The segments from left to right without holes, each with the place of its ground in `grounds`, from which
    /// [`PhysicsWorld::create_heightfield`](crate::PhysicsWorld::create_heightfield) makes shapes.
    ///
    /// # Errors
    ///
    /// A number out of range, too few heights, or a segment with a ground that does not exist.
    pub fn shapes(&self) -> Result<Vec<(usize, Shape)>, PhysicsError> {
        self.check()?;
        let mut shapes = Vec::with_capacity(self.heights.len() - 1);
        for left in 0..self.heights.len() - 1 {
            if let Some(ground) = self.ground(left) {
                // The points are in order from right to left, so that the segment is solid from above.
                let shape = Shape::chain_segment(
                    self.beyond(left, 1),
                    self.sample(left + 1),
                    self.sample(left),
                    self.beyond(left, -1),
                )?;
                shapes.push((ground, shape));
            }
        }
        Ok(shapes)
    }

    fn check(&self) -> Result<(), PhysicsError> {
        let invalid = |what, got, expected| Err(PhysicsError::InvalidNumber { what, got, expected });
        if !(TILE_SIZE_MIN_M..=TILE_SIZE_MAX_M).contains(&self.spacing) {
            let expected = "a number of meters from 0.02 to 10000";
            return invalid("spacing", self.spacing, expected);
        }
        finite("origin.x", self.origin.x)?;
        finite("origin.y", self.origin.y)?;
        let count = self.heights.len();
        if count < 2 {
            return invalid("number of heights", count as f32, "2 or more");
        }
        for &height in self.heights.iter().chain(&self.before).chain(&self.after) {
            finite("height", height)?;
        }
        if self.grounds.len() > 255 {
            return Err(PhysicsError::TooMany {
                what: "kinds of ground",
                limit: 255,
            });
        }
        for ground in &self.grounds {
            ground.validate()?;
        }
        if !self.segments.is_empty() && self.segments.len() != count - 1 {
            let expected = "none, or one less than heights";
            return invalid("number of segments", self.segments.len() as f32, expected);
        }
        let of_first = u8::from(self.segments.is_empty());
        for (segment, &ground) in (0..).zip(self.segments.iter().chain([&of_first])) {
            if usize::from(ground) > self.grounds.len() {
                return Err(PhysicsError::NoSuchGround {
                    segment,
                    ground,
                    ground_count: self.grounds.len() as u32,
                });
            }
        }
        Ok(())
    }

    /// The place of a segment's ground in `grounds`; `None` for a hole.
    fn ground(&self, segment: usize) -> Option<usize> {
        match self.segments.get(segment) {
            Some(&ground) => usize::from(ground).checked_sub(1),
            None => Some(0),
        }
    }

    fn sample(&self, place: usize) -> Vec2 {
        self.origin + Vec2::new(self.spacing * place as f32, self.heights[place])
    }

    /// The point beyond the right end of a segment (`side` 1) or its left end (-1).
    fn beyond(&self, segment: usize, side: isize) -> Vec2 {
        let last = self.heights.len() - 1;
        let (end, other) = if side > 0 {
            (segment + 1, segment)
        } else {
            (segment, segment + 1)
        };
        let (at, step) = (self.sample(end), self.spacing * side as f32);
        let given = match (side > 0, end) {
            (true, end) if end == last => self.after,
            (false, 0) => self.before,
            // Next to a hole the ground ends at a corner, as if it went down from there.
            _ if self.ground(segment.wrapping_add_signed(side)).is_none() => {
                return at - Vec2::new(0.0, self.spacing);
            }
            _ => return self.sample(end.wrapping_add_signed(side)),
        };
        match given {
            Some(height) => Vec2::new(at.x + step, self.origin.y + height),
            None => 2.0 * at - self.sample(other),
        }
    }
}
