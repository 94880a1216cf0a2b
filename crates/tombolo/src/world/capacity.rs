//! The limits of a world's entities and bodies, and the error when it is full; `planned.rs` checks them.

use crate::error::WorldError;
use crate::scene::{ENTITIES_MAX_LIMIT, Settings};

/// The limits of a world. They belong to the scene, like its scripts, and are not part of the state: a save is
/// restored into a world with its own limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct CapacityLimits {
    pub(super) entities: u32,
    pub(super) bodies: u32,
}

impl CapacityLimits {
    /// The limits of the settings, which must be in range.
    pub(super) fn of(settings: &Settings) -> Result<Self, WorldError> {
        let limits = [
            ("entities_max", settings.entities_max),
            ("bodies_max", settings.bodies_max),
        ];
        for (name, value) in limits {
            if !(1..=ENTITIES_MAX_LIMIT).contains(&value) {
                return Err(WorldError::Limit {
                    name,
                    value,
                    least: 1,
                    most: ENTITIES_MAX_LIMIT,
                });
            }
        }
        Ok(Self {
            entities: settings.entities_max,
            bodies: settings.bodies_max,
        })
    }
}

/// Refuses a count above the limit.
pub(super) fn fits(what: &'static str, count: usize, most: u32) -> Result<(), WorldError> {
    if count <= most as usize {
        return Ok(());
    }
    Err(WorldError::Full { what, count, most })
}
