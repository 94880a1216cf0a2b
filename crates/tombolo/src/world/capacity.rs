//! How many entities and bodies a world may hold, and the error when it is full.

use super::World;
use crate::error::WorldError;
use crate::scene::{ENTITIES_MAX_LIMIT, Settings};

/// The limits of a world. They are the scene's, like its scripts, and no part of the state: a save goes into a world with
/// limits of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct CapacityLimits {
    entities: u32,
    bodies: u32,
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

impl World {
    /// Refuses more entities than the world may hold beside those that it has.
    pub(super) fn check_entity_capacity(&self, more: usize) -> Result<(), WorldError> {
        fits(
            "entities",
            self.entity_count().saturating_add(more),
            self.capacity.entities,
        )
    }

    /// Refuses more bodies than the world may hold beside those that it has.
    pub(super) fn check_body_capacity(&self, more: usize) -> Result<(), WorldError> {
        fits(
            "bodies",
            self.physics.bodies().len().saturating_add(more),
            self.capacity.bodies,
        )
    }
}

fn fits(what: &'static str, count: usize, most: u32) -> Result<(), WorldError> {
    if count <= most as usize {
        return Ok(());
    }
    Err(WorldError::Full { what, count, most })
}
