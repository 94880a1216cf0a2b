//! The list of bodies that have names. Only the calls about names change it.

use crate::name::{BodyName, NamedBody};
use crate::state::State;

impl State {
    fn place_of_name(&self, body: u32) -> Result<usize, usize> {
        self.body_names.binary_search_by_key(&body, |named| named.body)
    }

    /// The name of a body, if it has one.
    pub(crate) fn name_of(&self, body: u32) -> Option<&BodyName> {
        let place = self.place_of_name(body).ok()?;
        Some(&self.body_names[place].name)
    }

    /// Sets a body's name, or removes it with an empty one. Moves the rest of the list by one place: 36 bytes a name.
    pub(crate) fn set_name(&mut self, body: u32, name: BodyName) {
        let (end, none) = (self.body_names.len(), name.as_str().is_empty());
        match self.place_of_name(body) {
            Err(_) if none => {}
            Ok(place) if none => {
                self.body_names.slice_mut(place..end).rotate_left(1);
                self.body_names.pop();
            }
            Ok(place) => self.body_names[place].name = name,
            Err(place) => {
                self.body_names.push(NamedBody { body, name });
                self.body_names.slice_mut(place..end + 1).rotate_right(1);
            }
        }
    }
}
