//! The checks of every index: refusals by the rules of [`EntityIndex`](tombolo_entity::EntityIndex).

use tombolo_entity::{COMPONENTS_MAX, ComponentEntry, ENTITIES_MAX, Entity, IndexError, NameHash};

/// Refuses an entity that is out of range, or stale compared with the registered one of its slot.
pub(super) fn check_life(entity: Entity, known_generation: Option<u32>) -> Result<(), IndexError> {
    match known_generation {
        Some(known) if known > entity.generation() => Err(IndexError::Stale { entity }),
        Some(_) => Ok(()),
        None if entity.index() >= ENTITIES_MAX => Err(IndexError::Full),
        None => Ok(()),
    }
}

/// Refuses a list of entries in which a name occurs twice. O(n log n).
pub(super) fn check_distinct(entries: &[ComponentEntry]) -> Result<(), IndexError> {
    if entries.len() > COMPONENTS_MAX {
        return Err(IndexError::TooMany);
    }
    let mut names: Vec<NameHash> = entries.iter().map(|entry| entry.name).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(IndexError::NameTwice { name: pair[0] }),
        None => Ok(()),
    }
}
