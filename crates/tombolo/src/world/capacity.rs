//! The limits of a world's entities and bodies and of its steps per second, and the error when it is full; `planned.rs`
//! checks them.

use crate::error::WorldError;
use crate::scene::{ENTITIES_MAX_LIMIT, STEPS_PER_SECOND_MAX, Settings};

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
        in_limits("entities_max", settings.entities_max, ENTITIES_MAX_LIMIT)?;
        in_limits("bodies_max", settings.bodies_max, ENTITIES_MAX_LIMIT)?;
        Ok(Self {
            entities: settings.entities_max,
            bodies: settings.bodies_max,
        })
    }
}

/// Refuses a number of steps per second with which the world could not step, or its save not be restored.
pub(super) fn check_rate(settings: &Settings) -> Result<(), WorldError> {
    in_limits(
        "steps_per_second",
        settings.steps_per_second,
        STEPS_PER_SECOND_MAX,
    )
}

/// Refuses a setting that is 0 or above `most`.
fn in_limits(name: &'static str, value: u32, most: u32) -> Result<(), WorldError> {
    if (1..=most).contains(&value) {
        return Ok(());
    }
    Err(WorldError::Limit {
        name,
        value,
        least: 1,
        most,
    })
}

/// Refuses a count above the limit.
pub(super) fn fits(what: &'static str, count: usize, most: u32) -> Result<(), WorldError> {
    if count <= most as usize {
        return Ok(());
    }
    Err(WorldError::Full { what, count, most })
}
