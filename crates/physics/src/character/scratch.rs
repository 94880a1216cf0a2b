//! [`CharacterScratch`]: the scratch memory of moves, and the shapes that were touched.

use super::gather::NearShape;
use super::plane::MovePlane;
use super::state::CharacterTouch;
use crate::body::BodyId;
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::Position;

/// The effect on a dynamic body: a force in newtons for the next step, which friction may bear, and an immediate
/// impulse in newton seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyPush {
    pub(super) body: BodyId,
    pub(super) point: Position,
    pub(super) force: Vec2,
    pub(super) impulse: Vec2,
}

/// The scratch memory of a move, and its report. One serves any number of characters in turn; it grows to the size that
/// the most crowded of them needs, and then no move allocates.
#[derive(Clone, Debug, Default)]
pub struct CharacterScratch {
    pub(super) candidates: Vec<u32>,
    pub(super) dropped: Vec<u32>,
    pub(super) obstacles: Vec<NearShape>,
    pub(super) planes: Vec<MovePlane>,
    pub(super) touches: Vec<CharacterTouch>,
    pub(super) pushes: Vec<BodyPush>,
}

impl CharacterScratch {
    /// The shapes that the character touched at the end of the last move, by shape index.
    pub fn touches(&self) -> &[CharacterTouch] {
        &self.touches
    }
}
