//! How many entities and bodies a world may hold, and the error when it is full; `planned.rs` asks.

use crate::error::WorldError;
use crate::scene::{ENTITIES_MAX_LIMIT, Settings};

/// The limits of a world. They are the scene's, like its scripts, and no part of the state: a save goes into a world with
/// limits of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct CapacityLimits {
    pub(super) entities: u32,
    pub(super) bodies: u32,
}

impl CapacityLimits {
    /// Those of the settings, which must be in range.
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

/// Refuses a count above the most.
pub(super) fn fits(what: &'static str, count: usize, most: u32) -> Result<(), WorldError> {
    if count <= most as usize {
        return Ok(());
    }
    Err(WorldError::Full { what, count, most })
}
