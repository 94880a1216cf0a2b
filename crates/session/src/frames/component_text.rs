//! The components of an entity as texts, which the replay page shows beside its body.

use serde::Serialize;
use tombolo::World;
use tombolo::entity::Entity;

/// A component of an entity as text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct ComponentText {
    /// The component's name in its entity.
    name: String,
    /// Its kind, such as `Body`.
    manager: String,
    /// Names and values.
    properties: Vec<(String, String)>,
}

/// The components of the entity of a body's user key, without properties that change with motion; none if no such entity
/// is alive.
pub(super) fn components_of(world: &World, user_key: u64) -> Vec<ComponentText> {
    let alive = Entity::from_bits(user_key).filter(|entity| world.entities().entities().is_alive(*entity));
    let views = alive.into_iter().flat_map(|entity| world.describe(entity));
    views
        .map(|view| ComponentText {
            name: view.name.to_string(),
            manager: view.manager.to_string(),
            properties: view
                .properties
                .iter()
                .filter(|(property, _)| !is_shown_live(view.manager, &property.name))
                .map(|(property, value)| {
                    let value = format!("{} {}", world.show_value(property.kind, value), property.unit);
                    (property.name.to_string(), value.trim_end().to_string())
                })
                .collect(),
        })
        .collect()
}

/// Whether the page shows a property in every frame, or it changes so often that it would differ for each body.
fn is_shown_live(manager: &str, property: &str) -> bool {
    let live: &[&str] = match manager {
        "Transform" => &["position", "angle", "world_position", "world_angle"],
        "Body" => &["linear_velocity", "angular_velocity", "awake", "mass"],
        "Joint" => &["joint_angle"],
        _ => &[],
    };
    live.contains(&property)
}
