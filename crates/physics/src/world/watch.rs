//! Which bodies were moved or changed in extent by calls, for users that keep data about where bodies are. What
//! steps move is reported by events.

use super::PhysicsWorld;
use crate::contact::pool::body_ref;
use alloc::vec::Vec;

impl PhysicsWorld {
    /// From now on notes the user keys of bodies, and of the members of composites, that calls make, destroy, put elsewhere, enable or disable, of which they
    /// change the kind or the shapes, or which they cut. The record is no part of the state and is not saved.
    pub fn watch_bodies(&mut self) {
        self.changed_bodies.get_or_insert_default();
    }

    /// Ends the watch: the user keys of the bodies and members that calls changed since it began, in the order of the calls;
    /// one may stand there more than once.
    pub fn take_changed_bodies(&mut self) -> Vec<u64> {
        self.changed_bodies.take().unwrap_or_default()
    }

    /// What [`PhysicsWorld::take_changed_bodies`] would take; the watch goes on.
    #[must_use]
    pub fn changed_bodies(&self) -> &[u64] {
        self.changed_bodies.as_deref().unwrap_or_default()
    }

    /// Notes a living body.
    pub(super) fn note_body(&mut self, body: u32) {
        if let Some(changed) = &mut self.changed_bodies {
            changed.push(body_ref(&self.state.bodies, body).user_key);
            let members = self.state.members_of(body);
            changed.extend(members.map(|member| self.state.member_record(member).user_key));
        }
    }
}
