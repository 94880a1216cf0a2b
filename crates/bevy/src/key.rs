//! [`StableKey`]: the key that decides the order in which bodies, colliders and joints are created in the physics
//! world.

use bevy_ecs::prelude::{Component, ReflectComponent};
use bevy_reflect::Reflect;

/// Identifies an entity in all runs and on all peers, and so decides the order in which physics creates it.
///
/// A step's result depends on the order in which bodies are created. The order in which queries iterate over entities
/// is an internal matter of Bevy: it changes when an entity gets one more component. So the plugin never uses it.
/// Everything added since the last step is created in this order: bodies by key; then colliders by the key of their
/// body, then by their own; then fields by key; then joints by key. Changes of components are applied, and despawned objects are removed,
/// in the same order.
///
/// An entity without this component gets a key automatically: a body, a field or a joint the next number above all that were
/// given so far, in the order of spawning; a collider on a child one computed from its body's key and the number of
/// colliders before it on that body, where those that come in one step are in the order of the hierarchy below the body.
/// So a game that spawns in the same order in each run needs no keys. One that does
/// not, as when entities arrive over a network or systems that spawn run side by side, gives each body a key of its
/// own: an id of the server, a number of the level.
///
/// Keys of two bodies are different, as are those of two joints, of two fields, and those of two colliders of one body; the second of
/// two equal keys is refused with a [`PhysicsFault`](crate::PhysicsFault), and comes when the key is free. A key is read
/// when its entity is created in the physics world; changing it later has no effect. A clone of an entity has the key of the
/// original, and waits until it gets another one; colliders below a cloned body keep theirs.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[reflect(Component, Clone, Debug, PartialEq, Hash)]
pub struct StableKey(
    /// The key's number, below [`StableKey::GIVEN_FROM`].
    pub u64,
);

impl StableKey {
    /// The first of the keys that entities without this component get.
    pub const GIVEN_FROM: u64 = 1 << 63;

    /// The user key of its object in the physics world: one more, since 0 is that of objects for which no key was given.
    pub fn user_key(self) -> u64 {
        self.0.wrapping_add(1)
    }
}

/// The key of a collider without this component, from its body's key and its number among the body's colliders.
pub(crate) fn collider_key(body: u64, number: u32) -> u64 {
    // The finalizer of SplitMix64: a bijection, so that the colliders of one body never share a key.
    let mut bits = body
        .rotate_left(20)
        .wrapping_add((u64::from(number) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31) | StableKey::GIVEN_FROM
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colliders_of_one_body_have_keys_of_their_own() {
        for body in [0, 1, u64::MAX, StableKey::GIVEN_FROM] {
            let mut keys: Vec<u64> = (0..1000).map(|number| collider_key(body, number)).collect();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), 1000);
            assert!(keys[0] >= StableKey::GIVEN_FROM);
        }
    }
}
