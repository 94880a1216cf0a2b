//! [`State::should_collide`]: why a pair of shapes gets no contact, as Box2D's `b2ShouldCollide` and Rapier's
//! `collision_groups` and `PhysicsHooks::filter_contact_pair` say it. The reasons, in the order in which they are asked:
//!
//! | a pair gets no contact if | decided in |
//! | --- | --- |
//! | one of the two is a sensor, and so has no proxy | `State::create_proxy`, `state/mod.rs` |
//! | one of the bodies is disabled or frozen, and so its shapes have no proxy | `State::add_shape`, `objects/shapes.rs`; `State::disable`, `objects/bodies.rs` |
//! | neither body is dynamic | `BroadPhase::walks`, `broad_phase/pairs.rs` |
//! | both belong to one body, or their filters (categories, masks, groups) differ | `Proxy::passes_filter`, `broad_phase/mod.rs` |
//! | a call about the two ignores them, or a rule of two materials or two categories does | `State::is_ignored`, `objects/rules.rs` |
//! | a joint of their bodies keeps them apart | `State::joint_keeps_apart`, `objects/joints.rs` |
//! | a custom filter refuses them | `State::passes_custom_filter`, `objects/callbacks.rs` |
//!
//! The broad phase decides the first four where it finds pairs, so they are not asked again here, only asserted.
//!
//! A pair with a contact does not push if the contact has no manifold or a rule makes it a sensor:
//!
//! | a contact has no manifold if | decided in |
//! | --- | --- |
//! | the shapes are apart | `collide` of the crate geometry |
//! | the face that is touched is covered by a static neighbor or by the next tile of a grid, which has the contact instead | `State::manifold_of`, `objects/neighbors.rs` |
//! | one is at the open side of a chain | `collide/chain.rs` of the crate geometry |
//! | one passes a one-way platform | `Contact::lets_pass`, `contact/manifold.rs` |
//! | a pre-solve callback says so | `State::ask_pre_solve`, `objects/callbacks.rs` |
//!
//! Continuous collision asks the same functions along paths, with a rule's one-way side in addition
//! (`State::passes_by_rule`, `objects/rules.rs`).

use crate::body::NONE;
use crate::callback::Callbacks;
use crate::state::State;

impl State {
    /// Whether two shapes that the broad phase found get a contact. Cost: O(1), and the rules, joints and filter that
    /// there are.
    #[inline]
    pub(crate) fn should_collide(&self, callbacks: &Callbacks, [a, b]: [u32; 2]) -> bool {
        debug_assert!(self.is_paired([a, b]), "decided by the broad phase");
        let [body_a, body_b] = [a, b].map(|shape| self.shape_links[shape].body);
        !self.is_ignored(a, b)
            && !self.joint_keeps_apart(body_a, body_b)
            && self.passes_custom_filter(callbacks, a, b)
    }

    /// Whether the broad phase pairs two shapes whose boxes overlap: what it decides by its proxies and trees, told by
    /// shapes and bodies.
    fn is_paired(&self, shapes: [u32; 2]) -> bool {
        let links = shapes.map(|shape| &self.shape_links[shape]);
        let filters = shapes.map(|shape| self.shapes.live(shape).filter());
        let is_dynamic = |body: u32| self.body_sims[body].is_dynamic();
        links.iter().all(|link| link.proxy != NONE)
            && links.iter().any(|link| is_dynamic(link.body))
            && links[0].body != links[1].body
            && filters[0].allows(filters[1])
    }
}
