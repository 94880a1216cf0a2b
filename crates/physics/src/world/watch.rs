//! The watch on bodies that calls move or change in extent, and on shapes that they destroy, for users that keep data about
//! the positions of bodies or the owners of shapes. Motion in steps is reported by events.

use super::PhysicsWorld;
use crate::shape::ShapeId;
use crate::state::State;
use alloc::vec::Vec;

impl PhysicsWorld {
    /// Starts to record the user keys of bodies, and of the members of composites, that calls create, destroy,
    /// teleport, enable, disable or cut, or whose kind or shapes they change; and the shapes that calls destroy. The
    /// record is not part of the state and is not saved.
    pub fn watch_bodies(&mut self) {
        self.watched.get_or_insert_default();
    }

    /// Whether bodies are watched. A restore ends the watch, after which any body may be another one.
    #[must_use]
    pub fn is_watching_bodies(&self) -> bool {
        self.watched.is_some()
    }

    /// Ends the watch and returns the user keys of the bodies and members that calls changed since it began, in the
    /// order of the calls; a key may occur more than once. The list of [destroyed shapes](Self::destroyed_shapes) ends too.
    pub fn take_changed_bodies(&mut self) -> Vec<u64> {
        self.destroyed_shapes.take();
        self.watched.take().unwrap_or_default().bodies
    }

    /// The result that [`PhysicsWorld::take_changed_bodies`] would return; the watch continues.
    #[must_use]
    pub fn changed_bodies(&self) -> &[u64] {
        self.watched.as_ref().map_or(&[], |watched| &watched.bodies)
    }

    /// The shapes that calls destroyed since the watch began, each with its user key, in the order of the calls: by then
    /// nobody else knows the key, and events of the next step may name the shape. Those of a tile grid count when an edit
    /// replaces them. None if bodies were not watched.
    ///
    /// After [`PhysicsWorld::restore_frame`] these are the shapes that watched calls had destroyed since the last step before
    /// the frame, or since the watch began: the next step reports once more what they had touched. A save has no such list.
    #[must_use]
    pub fn destroyed_shapes(&self) -> &[(ShapeId, u64)] {
        self.destroyed_shapes.not_taken()
    }

    /// Records a body, if bodies are watched.
    #[inline]
    pub(super) fn note_body(&mut self, body: u32) {
        if self.watched.is_some() {
            self.note_watched_body(body);
        }
    }

    #[cold]
    fn note_watched_body(&mut self, body: u32) {
        if let Some(watched) = &mut self.watched {
            watched.bodies.push(self.state.bodies.live(body).user_key);
            let members = self.state.members_of(body);
            watched
                .bodies
                .extend(members.map(|member| self.state.members.live(member).user_key));
        }
    }

    /// Shapes that a call may destroy, with their user keys, for [`PhysicsWorld::note_destroyed`] after it; none if bodies
    /// are not watched.
    pub(super) fn watched_shapes(&self, shapes: impl FnOnce(&State) -> Vec<u32>) -> Vec<(ShapeId, u64)> {
        if self.watched.is_none() {
            return Vec::new();
        }
        let live = &self.state.shapes;
        let keyed = |shape: u32| (live.live_id(shape), live.live(shape).user_key);
        shapes(&self.state).into_iter().map(keyed).collect()
    }

    /// Records those of the shapes that are gone.
    pub(super) fn note_destroyed(&mut self, before: Vec<(ShapeId, u64)>) {
        let gone = |(id, _): &(ShapeId, u64)| !self.state.shapes.contains(*id);
        self.destroyed_shapes.add(before.into_iter().filter(gone));
    }
}
