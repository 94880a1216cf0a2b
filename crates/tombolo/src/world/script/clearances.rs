//! The clearances for which scripts have searched paths lately: creating the free space of another one is charged.
//! Saved and hashed, since the limits of a call depend on it.

use tombolo_entity::{DataError, Reader, Writer};

use crate::error::CLEARANCE_MAX;
use crate::world::space::FREE_SPACES_MAX;

/// The clearances, the last used first: as many as a world keeps free spaces.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Clearances(Vec<f32>);

impl Clearances {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The clearances, the last used first.
    pub(super) fn iter(&self) -> impl Iterator<Item = f32> {
        self.0.iter().copied()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Moves a clearance to the front if it is in the list; returns whether it is.
    pub(super) fn use_again(&mut self, clearance: f32) -> bool {
        let place = self.0.iter().position(|known| *known == clearance);
        if let Some(place) = place {
            self.0[..=place].rotate_right(1);
        }
        place.is_some()
    }

    /// Adds a clearance at the front; an invalid one is ignored.
    pub(super) fn add(&mut self, clearance: f32) {
        if (0.0..=CLEARANCE_MAX).contains(&clearance) && !self.use_again(clearance) {
            self.0.truncate(FREE_SPACES_MAX - 1);
            self.0.insert(0, clearance);
        }
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.length(self.0.len());
        self.0.iter().for_each(|clearance| out.f32(*clearance));
    }

    pub(super) fn restore(from: &mut Reader<'_>) -> Result<Self, DataError> {
        let broken = || DataError::broken("clearances of paths that there cannot be");
        let count = from.length(4, "clearances")?;
        if !(1..=FREE_SPACES_MAX).contains(&count) {
            return Err(broken());
        }
        let mut read = Vec::with_capacity(count);
        for _ in 0..count {
            let clearance = from.f32("a clearance")?;
            if !(0.0..=CLEARANCE_MAX).contains(&clearance) || read.contains(&clearance) {
                return Err(broken());
            }
            read.push(clearance);
        }
        Ok(Self(read))
    }
}
