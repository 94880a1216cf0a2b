//! The invariants of a world that are checked after each call.

use tombolo::World;
use tombolo::entity::Entity;

use crate::family::{hold, same};

/// Checks whether a world's tables agree.
pub(super) fn check(world: &World) -> Result<(), String> {
    for (name, entity) in world.names() {
        same!(world.name_of(entity), Some(name), "a name both ways");
    }
    for entity in world.entities().entities().iter() {
        check_family(world, entity)?;
        let Some(pose) = world.pose(entity) else {
            return Err(format!("{entity:?} is nowhere"));
        };
        hold!(
            pose.position.is_finite() && pose.rotation.angle().is_finite(),
            "{entity:?} is at {pose:?}"
        );
        let body = world.body_of(entity).and_then(|body| world.physics().body(body));
        if let Some(body) = body.filter(|_| world.is_synchronized()) {
            // A body computes its rotation from an angle, so the two may differ by rounding until it moves.
            let turn = (body.pose().rotation.sin - pose.rotation.sin).abs();
            let apart = body.pose().position.distance(pose.position).max(turn);
            hold!(
                apart <= 1e-4,
                "{entity:?} is at {pose:?} and its body at {:?}",
                body.pose()
            );
            same!(
                body.user_key(),
                entity.to_bits(),
                "the body of {entity:?} knows it"
            );
        }
        for row in world.components_of(entity) {
            let manager = world.entities().any_manager(row.manager);
            let holds = manager.is_some_and(|manager| manager.contains(entity, row.name.into()));
            hold!(holds, "{entity:?} has a component that nobody holds");
        }
    }
    Ok(())
}

fn check_family(world: &World, entity: Entity) -> Result<(), String> {
    for child in world.children(entity) {
        same!(world.parent(*child), Some(entity), "the parent of a child");
    }
    if let Some(parent) = world.parent(entity) {
        hold!(
            world.children(parent).contains(&entity),
            "{entity:?} is not among its parent's children"
        );
    }
    Ok(())
}
