//! Compares two worlds and finds the first differences, for programs and tests that play recordings.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;

use tombolo_entity::Entity;

use super::{ActionDifference, EntityDifference, WorldDifference};
use crate::world::World;

impl World {
    /// The differences between this world and another, if their hashes without the pending commands of their inboxes
    /// differ: the first entity, by slot, and its first property; the first action; and the first difference of
    /// physics. A player has no commands before the step that took them. Both worlds must have the same managers.
    pub fn first_difference(&self, other: &Self) -> Option<WorldDifference> {
        if self.hash_without_inbox() == other.hash_without_inbox() {
            return None;
        }
        let worlds = [self, other];
        let all: BTreeSet<(u32, u64)> = worlds
            .iter()
            .flat_map(|world| world.entities.entities().iter())
            .map(|entity| (entity.index(), entity.to_bits()))
            .collect();
        let mut entities = all.into_iter().filter_map(|(_, bits)| Entity::from_bits(bits));
        Some(WorldDifference {
            entity: entities.find_map(|entity| entity_difference(worlds, entity)),
            action: action_difference(worlds),
            physics: self.physics.first_difference(&other.physics),
        })
    }
}

/// The first action that differs.
fn action_difference(worlds: [&World; 2]) -> Option<ActionDifference> {
    let names: BTreeSet<&str> = worlds
        .iter()
        .flat_map(|world| world.actions.values())
        .map(|(name, _)| name)
        .collect();
    let mut names = names.into_iter();
    names.find_map(|name| {
        let values = worlds.map(|world| world.actions.show(name));
        (values[0] != values[1]).then(|| ActionDifference {
            name: name.into(),
            values,
        })
    })
}

/// The first difference of an entity.
fn entity_difference(worlds: [&World; 2], entity: Entity) -> Option<EntityDifference> {
    let names = worlds.map(|world| world.name_of(entity));
    let differs = |property: String, values: [String; 2]| EntityDifference {
        entity,
        name: names[0].or(names[1]).map(Into::into),
        property: property.into(),
        values,
    };
    let lives = worlds.map(|world| world.entities.entities().is_alive(entity));
    if lives[0] != lives[1] {
        let values = lives.map(|lives| String::from(if lives { "alive" } else { "dead" }));
        return Some(differs(String::from("existence"), values));
    }
    if names[0] != names[1] {
        return Some(differs(
            String::from("name"),
            names.map(|name| format!("{name:?}")),
        ));
    }
    let entries = worlds.map(|world| world.components_of(entity));
    if entries[0] != entries[1] {
        return Some(differs(
            String::from("components"),
            entries.map(|entries| format!("{entries:?}")),
        ));
    }
    for entry in entries[0] {
        let managers = worlds.map(|world| world.entities.any_manager(entry.manager));
        let [Some(first), Some(second)] = managers else {
            continue;
        };
        for (place, property) in first.properties().iter().enumerate() {
            let values = [first, second].map(|manager| manager.get(entity, entry.name.into(), place));
            if values[0] != values[1] {
                let component = worlds[0].entities.names().get(entry.name).unwrap_or_default();
                return Some(differs(
                    format!("{component}.{}", property.name),
                    values.map(|value| value.map_or(String::from("nothing"), |value| format!("{value:?}"))),
                ));
            }
        }
    }
    None
}
