//! The watch on bodies that calls move or change in extent, for users that keep data about the positions of bodies.
//! Motion in steps is reported by events.

use super::PhysicsWorld;
use alloc::vec::Vec;

impl PhysicsWorld {
    /// Starts to record the user keys of bodies, and of the members of composites, that calls create, destroy,
    /// teleport, enable, disable or cut, or whose kind or shapes they change. The record is not part of the state and
    /// is not saved.
    pub fn watch_bodies(&mut self) {
        self.changed_bodies.get_or_insert_default();
    }

    /// Whether bodies are watched. A restore ends the watch, after which any body may be another one.
    #[must_use]
    pub fn is_watching_bodies(&self) -> bool {
        self.changed_bodies.is_some()
    }

    /// Ends the watch and returns the user keys of the bodies and members that calls changed since it began, in the
    /// order of the calls; a key may occur more than once.
    pub fn take_changed_bodies(&mut self) -> Vec<u64> {
        self.changed_bodies.take().unwrap_or_default()
    }

    /// The result that [`PhysicsWorld::take_changed_bodies`] would return; the watch continues.
    #[must_use]
    pub fn changed_bodies(&self) -> &[u64] {
        self.changed_bodies.as_deref().unwrap_or_default()
    }

    /// Records a body.
    pub(super) fn note_body(&mut self, body: u32) {
        if let Some(changed) = &mut self.changed_bodies {
            changed.push(self.state.bodies.live(body).user_key);
            let members = self.state.members_of(body);
            changed.extend(members.map(|member| self.state.members.live(member).user_key));
        }
    }
}
