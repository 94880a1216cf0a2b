//! The types of differences between two worlds: the first entity and property, the first action, and the first of
//! physics. `compare.rs` finds them.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use tombolo_entity::Entity;
use tombolo_physics::Difference;

/// The first entity in which two worlds differ, from [`World::first_difference`](crate::World::first_difference).
#[derive(Clone, Debug, PartialEq)]
pub struct EntityDifference {
    /// The entity, by handle.
    pub entity: Entity,
    /// Its name in the first world that has one for it.
    pub name: Option<Box<str>>,
    /// `component.property`, or `existence`, `name` or `components`.
    pub property: Box<str>,
    /// The property's value in each of the two worlds.
    pub values: [String; 2],
}

/// The first action in which two worlds differ, from [`World::first_difference`](crate::World::first_difference).
#[derive(Clone, Debug, PartialEq)]
pub struct ActionDifference {
    /// The name of the action.
    pub name: Box<str>,
    /// The action in each of the two worlds: its value, and whether it was pressed or released since the last step.
    pub values: [String; 2],
}

/// The first differences between two worlds, from [`World::first_difference`](crate::World::first_difference).
#[derive(Clone, Debug, PartialEq)]
pub struct WorldDifference {
    /// The first entity and property.
    pub entity: Option<EntityDifference>,
    /// The first action, in alphabetic order.
    pub action: Option<ActionDifference>,
    /// The first array and element of physics, and the first property of it.
    pub physics: Option<Difference>,
}

impl fmt::Display for EntityDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (index, generation) = (self.entity.index(), self.entity.generation());
        match &self.name {
            Some(name) => write!(f, "entity {name} ({index}v{generation}): ")?,
            None => write!(f, "entity {index}v{generation}: ")?,
        }
        let [first, second] = &self.values;
        write!(f, "{} is {first}, and {second}", self.property)
    }
}

impl fmt::Display for ActionDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.values;
        write!(f, "action {} is {first}, and {second}", self.name)
    }
}

impl fmt::Display for WorldDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entity = self.entity.as_ref().map(|entity| format!("{entity}"));
        let action = self.action.as_ref().map(|action| format!("{action}"));
        let physics = self
            .physics
            .as_ref()
            .map(|physics| format!("in physics {physics}"));
        let parts: Vec<String> = [entity, action, physics].into_iter().flatten().collect();
        if parts.is_empty() {
            return f.write_str("random numbers, scripts, pending events or the order in memory");
        }
        f.write_str(&parts.join("; "))
    }
}
