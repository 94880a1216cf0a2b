//! [`ContactRules`]: the table of contact rules, as a resource.

use std::collections::BTreeMap;

use bevy_ecs::prelude::Resource;
use tombolo_physics::ContactRule;

/// Rules by the two numbers of a pair in ascending order, each with the two in the order in which they were named.
pub(crate) type Table<N> = BTreeMap<[N; 2], ([N; 2], ContactRule)>;

/// What happens when two materials, or two categories of colliders, touch: friction, restitution, the speed of a
/// conveyor, one-way platforms, pairs that ignore or only sense each other. Data in place of callbacks: saved with the
/// physics, the same on every machine, and free for pairs without a rule.
///
/// The rules of the physics world follow this resource before each step, and what touches the concerned colliders
/// wakes. A rule that is refused for a number gives a [`PhysicsFault`](crate::PhysicsFault). Rules that calls set on
/// [`Physics::world_mut`](crate::Physics::world_mut) are left alone, unless the table has the pair too.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_math::Vec2;
/// use bevy_tombolo::physics::{ANY_MATERIAL, ContactRule};
/// use bevy_tombolo::{Body, Collider, ContactRules, Material};
///
/// const PLANK: u32 = 1;
///
/// fn platforms(mut rules: ResMut<ContactRules>, mut commands: Commands) {
///     // Bodies pass planks upward, and stand on them.
///     let one_way = ContactRule { one_way: Some(Vec2::Y), ..ContactRule::default() };
///     rules.set_contact_rule(PLANK, ANY_MATERIAL, one_way);
///     let plank = Material { material: PLANK, ..Material::default() };
///     commands.spawn((Body::Static, Collider::rectangle(4.0, 0.2), plank));
/// }
/// ```
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct ContactRules {
    pub(crate) materials: Table<u32>,
    pub(crate) categories: Table<u64>,
}

/// Two numbers in ascending order.
pub(crate) fn in_order<N: Ord>([a, b]: [N; 2]) -> [N; 2] {
    if a <= b { [a, b] } else { [b, a] }
}

impl ContactRules {
    /// Sets the rule for two materials, the numbers of [`Material::material`](crate::Material::material), in place of
    /// an earlier one; [`ANY_MATERIAL`](tombolo_physics::ANY_MATERIAL) on one side stands for all that have no rule of
    /// their own with the other. A one-way rule lets colliders leave the first material. Details:
    /// [`PhysicsWorld::set_contact_rule`](tombolo_physics::PhysicsWorld::set_contact_rule).
    pub fn set_contact_rule(&mut self, first: u32, second: u32, rule: ContactRule) {
        let named = [first, second];
        self.materials.insert(in_order(named), (named, rule));
    }

    /// Removes the rule for two materials, named in either order, and returns it.
    pub fn remove_contact_rule(&mut self, first: u32, second: u32) -> Option<ContactRule> {
        let removed = self.materials.remove(&in_order([first, second]));
        removed.map(|(_, rule)| rule)
    }

    /// Sets the rule for two categories, each a bit of a [`CollisionFilter`](crate::CollisionFilter), in place of an
    /// earlier one; [`ANY_CATEGORY`](tombolo_physics::ANY_CATEGORY) on one side stands for all colliders. It applies
    /// where their materials have no rule. Details:
    /// [`PhysicsWorld::set_category_rule`](tombolo_physics::PhysicsWorld::set_category_rule).
    pub fn set_category_rule(&mut self, first: u64, second: u64, rule: ContactRule) {
        let named = [first, second];
        self.categories.insert(in_order(named), (named, rule));
    }

    /// Removes the rule for two categories, named in either order, and returns it.
    pub fn remove_category_rule(&mut self, first: u64, second: u64) -> Option<ContactRule> {
        let removed = self.categories.remove(&in_order([first, second]));
        removed.map(|(_, rule)| rule)
    }

    /// All rules for materials with the two materials, by the lower and then the higher number.
    pub fn contact_rules(&self) -> impl ExactSizeIterator<Item = ([u32; 2], ContactRule)> {
        self.materials.values().copied()
    }

    /// All rules for categories with the two categories, by the lower and then the higher bit.
    pub fn category_rules(&self) -> impl ExactSizeIterator<Item = ([u64; 2], ContactRule)> {
        self.categories.values().copied()
    }
}
