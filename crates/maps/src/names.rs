//! The names of a map's entities: those that were given, and free ones with a number.

use std::collections::{BTreeMap, BTreeSet};

use tombolo::entity::NAME_BYTES_MAX;

/// The greatest length of a name's beginning before its number, in bytes.
const STEM_BYTES_MAX: usize = NAME_BYTES_MAX - 16;

/// A label as a name: the beginning of one that is too long.
pub(crate) fn short(label: &str) -> &str {
    if label.len() > NAME_BYTES_MAX {
        stem(label)
    } else {
        label
    }
}

fn stem(name: &str) -> &str {
    &name[..name.floor_char_boundary(STEM_BYTES_MAX)]
}

/// The names that are taken.
#[derive(Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
    /// The last number after each beginning, as it is in the names with numbers: those before it are taken.
    numbers: BTreeMap<String, usize>,
}

impl Names {
    pub(crate) fn new(taken: BTreeSet<String>) -> Self {
        Self {
            taken,
            numbers: BTreeMap::new(),
        }
    }

    /// Takes a name if it is free. Returns whether it was.
    pub(crate) fn take(&mut self, name: &str) -> bool {
        !self.taken.contains(name) && self.taken.insert(name.to_string())
    }

    /// Takes a name that is free: the wish, or the wish with the next number.
    pub(crate) fn take_free(&mut self, wish: &str) -> String {
        let wish = if wish.is_empty() { "thing" } else { wish };
        if self.take(wish) {
            return wish.to_string();
        }
        let stem = stem(wish);
        let number = self.numbers.entry(stem.to_string()).or_insert(1);
        loop {
            *number += 1;
            let name = format!("{stem} {number}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name with a number begins with a part of the wish, so that many wishes may begin like it: no number is tried for
    /// each of them.
    #[test]
    fn names_that_begin_alike_are_numbered_together() {
        let mut names = Names::default();
        let wishes = (0..1000).map(|index| format!("{}{index:016}", "n".repeat(STEM_BYTES_MAX)));
        for wish in wishes {
            assert_eq!(names.take_free(&wish), wish);
            let second = names.take_free(&wish);
            assert!(second.len() <= NAME_BYTES_MAX && !names.take(&second));
        }
        assert_eq!(names.numbers.into_values().collect::<Vec<usize>>(), [1001]);
    }

    #[test]
    fn free_names_have_the_next_number() {
        let mut names = Names::new(["crate", "crate 3"].map(str::to_string).into());
        let taken = [(); 3].map(|()| names.take_free("crate"));
        assert_eq!(taken, ["crate 2", "crate 4", "crate 5"]);
        assert_eq!(names.take_free(""), "thing");
        let long = "é".repeat(200);
        assert_eq!(short(&long), "é".repeat(119));
        assert_eq!(short("crate"), "crate");
    }
}
