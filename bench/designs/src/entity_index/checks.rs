//! What every index refuses, as the rules of [`EntityIndex`](tombolo_entity::EntityIndex) say.

use tombolo_entity::{COMPONENTS_MAX, ENTITIES_MAX, Entity, IndexError, NameHash, Row};

/// Refuses an entity that is stale beside the known one of its slot, or out of range.
pub(super) fn check_life(entity: Entity, known_generation: Option<u32>) -> Result<(), IndexError> {
    match known_generation {
        Some(known) if known > entity.generation() => Err(IndexError::Stale { entity }),
        Some(_) => Ok(()),
        None if entity.index() >= ENTITIES_MAX => Err(IndexError::Full),
        None => Ok(()),
    }
}

/// Refuses a list of rows in which a name stands twice. O(n log n).
pub(super) fn check_distinct(rows: &[Row]) -> Result<(), IndexError> {
    if rows.len() > COMPONENTS_MAX {
        return Err(IndexError::TooMany);
    }
    let mut names: Vec<NameHash> = rows.iter().map(|row| row.name).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(IndexError::NameTwice { name: pair[0] }),
        None => Ok(()),
    }
}
