//! The list of bodies that request extra substeps. It is short or empty, so that a step need not search all bodies.

use crate::control::ExtraSubsteps;
use crate::state::State;

impl State {
    fn place_of_extra_substeps(&self, body: u32) -> Result<usize, usize> {
        self.extra_substeps
            .binary_search_by_key(&body, |asking| asking.body)
    }

    /// The number of substeps that a body requests in addition to the world's.
    pub(crate) fn extra_substeps_of(&self, body: u32) -> u32 {
        let place = self.place_of_extra_substeps(body);
        place.map_or(0, |place| self.extra_substeps[place].extra)
    }

    /// Sets the number of substeps that a body requests. Moves the rest of the list by one place: 8 bytes a body.
    pub(crate) fn set_extra_substeps(&mut self, body: u32, extra: u32) {
        match self.place_of_extra_substeps(body) {
            Err(_) if extra == 0 => {}
            Ok(place) if extra > 0 => self.extra_substeps[place].extra = extra,
            Ok(place) => {
                let end = self.extra_substeps.len();
                self.extra_substeps.slice_mut(place..end).rotate_left(1);
                self.extra_substeps.pop();
            }
            Err(place) => {
                self.extra_substeps.push(ExtraSubsteps { body, extra });
                let end = self.extra_substeps.len();
                self.extra_substeps.slice_mut(place..end).rotate_right(1);
            }
        }
    }
}
