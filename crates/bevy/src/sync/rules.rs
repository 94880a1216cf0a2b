//! Makes the contact rules of the physics world those of the resource.

use std::collections::BTreeSet;

use bevy_ecs::change_detection::DetectChanges;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Entity, Res, ResMut};
use tombolo_physics::{ContactRule, PhysicsError, PhysicsWorld};

use crate::events::{FaultReason, PhysicsFault};
use crate::rules::{ContactRules, Table, in_order};
use crate::world::Physics;

/// A number by which rules are looked up: that of a material, or a category.
trait Ruled: Copy + Ord {
    /// The rules of a world.
    fn rules(world: &PhysicsWorld) -> Table<Self>;

    fn set(world: &mut PhysicsWorld, named: [Self; 2], rule: ContactRule) -> Result<(), PhysicsError>;

    fn remove(world: &mut PhysicsWorld, pair: [Self; 2]);
}

impl Ruled for u32 {
    fn rules(world: &PhysicsWorld) -> Table<Self> {
        let rules = world.contact_rules();
        rules
            .map(|(named, rule)| (in_order(named), (named, rule)))
            .collect()
    }

    fn set(world: &mut PhysicsWorld, [a, b]: [Self; 2], rule: ContactRule) -> Result<(), PhysicsError> {
        world.set_contact_rule(a, b, rule)
    }

    fn remove(world: &mut PhysicsWorld, [a, b]: [Self; 2]) {
        world.remove_contact_rule(a, b);
    }
}

impl Ruled for u64 {
    fn rules(world: &PhysicsWorld) -> Table<Self> {
        let rules = world.category_rules();
        rules
            .map(|(named, rule)| (in_order(named), (named, rule)))
            .collect()
    }

    fn set(world: &mut PhysicsWorld, [a, b]: [Self; 2], rule: ContactRule) -> Result<(), PhysicsError> {
        world.set_category_rule(a, b, rule)
    }

    fn remove(world: &mut PhysicsWorld, [a, b]: [Self; 2]) {
        world.remove_category_rule(a, b);
    }
}

/// Applies the table if it has changed, or the world was restored: materials, then categories, each by pair.
pub(crate) fn apply_rules(
    mut physics: ResMut<Physics>,
    rules: Res<ContactRules>,
    mut faults: MessageWriter<PhysicsFault>,
) {
    if !rules.is_changed() && physics.restored.is_none() {
        return;
    }
    let Physics { world, entities, .. } = &mut *physics;
    let saved = &mut entities.saved;
    let mut refused = |error| {
        // A rule belongs to no entity.
        faults.write(PhysicsFault {
            entity: Entity::PLACEHOLDER,
            reason: FaultReason::Refused(error),
        });
    };
    apply(world, &rules.materials, &mut saved.ruled_materials, &mut refused);
    apply(
        world,
        &rules.categories,
        &mut saved.ruled_categories,
        &mut refused,
    );
}

/// Removes rules that the table has no longer, and sets those that differ. A rule that is set already is not set again,
/// since that would wake bodies.
fn apply<N: Ruled>(
    world: &mut PhysicsWorld,
    table: &Table<N>,
    ruled: &mut BTreeSet<[N; 2]>,
    refused: &mut impl FnMut(PhysicsError),
) {
    let is = N::rules(world);
    for &pair in ruled.iter().filter(|pair| !table.contains_key(*pair)) {
        N::remove(world, pair);
    }
    for (pair, &(named, rule)) in table {
        if is.get(pair) != Some(&(named, rule))
            && let Err(error) = N::set(world, named, rule)
        {
            refused(error);
        }
    }
    *ruled = table.keys().copied().collect();
}
