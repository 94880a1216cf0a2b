//! The description of the arrays in a save of physics: what the family `physics_saves` reads of it, and how it changes
//! it. The grammar is that of `crates/physics/src/persistent/description.rs`.

use std::collections::BTreeMap;

use crate::random::{Forgery, Random};

/// The sizes of the elements of each array of a description.
pub(super) fn element_sizes(description: &str) -> Vec<usize> {
    let mut structs: BTreeMap<&str, usize> = BTreeMap::new();
    let mut sizes = Vec::new();
    let size_of = |structs: &BTreeMap<&str, usize>, ty: &str| -> usize {
        let mut parts = ty.split('*');
        let base = parts.next().expect("a type has a name");
        let size = structs.get(base).copied().unwrap_or_else(|| {
            let bits: usize = base[1..].parse().expect("numbers are called by their bits");
            bits / 8
        });
        parts.fold(size, |size, count| {
            size * count.parse::<usize>().expect("a count")
        })
    };
    for line in description.lines() {
        if let Some((name, fields)) = line.split_once(" =") {
            let types = fields
                .split_whitespace()
                .map(|field| field.split_once(':').expect("a type").1);
            let size = types.map(|ty| size_of(&structs, ty)).sum();
            structs.insert(name, size);
        } else {
            let (_, ty) = line.split_once(": ").expect("an array");
            sizes.push(size_of(&structs, ty));
        }
    }
    sizes
}

/// A change of the description: of one of its words, which stand between spaces, colons, slashes and line ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rewording {
    /// Copies another word over a word.
    Copy(u64, u64),
    /// Swaps two words.
    Swap(u64, u64),
    /// Removes a word.
    Remove(u64),
    /// Puts one of a few words in place of a word.
    Put(u64, &'static str),
    /// Swaps two lines.
    Lines(u64, u64),
    /// Removes a line.
    Line(u64),
    /// Changes any bytes.
    Bytes(Forgery),
}

impl Rewording {
    pub(super) fn new(random: &mut Random) -> Self {
        let (one, other) = (random.bits(), random.bits());
        match random.below(7) {
            0 => Self::Copy(one, other),
            1 => Self::Swap(one, other),
            2 => Self::Remove(one),
            3 => Self::Lines(one, other),
            4 => Self::Line(one),
            5 => Self::Bytes(Forgery::new(random)),
            _ => Self::Put(
                one,
                random.pick(&[
                    "u8",
                    "i16",
                    "u32",
                    "i32",
                    "u64",
                    "f32",
                    "f64",
                    "Vec2",
                    "*",
                    "u8*0",
                    "f32*4294967295",
                ]),
            ),
        }
    }

    pub(super) fn apply(self, description: &mut Vec<u8>) {
        if let Self::Bytes(forgery) = self {
            if !description.is_empty() {
                forgery.apply(description);
            }
            return;
        }
        // Earlier changes may have left something that is no text.
        let text = String::from_utf8_lossy(description).into_owned();
        let is_line = matches!(self, Self::Lines(..) | Self::Line(_));
        let mut pieces: Vec<&str> = if is_line {
            text.split_inclusive('\n').collect()
        } else {
            text.split_inclusive([' ', ':', '/', '\n']).collect()
        };
        if pieces.is_empty() {
            return;
        }
        let count = pieces.len() as u64;
        let place = |number: u64| (number % count) as usize;
        match self {
            Self::Copy(one, other) => pieces[place(one)] = pieces[place(other)],
            Self::Swap(one, other) | Self::Lines(one, other) => pieces.swap(place(one), place(other)),
            Self::Remove(one) | Self::Line(one) => _ = pieces.remove(place(one)),
            Self::Put(one, word) => {
                // The separator behind the word stays.
                let old = pieces[place(one)];
                let end = old.len() - usize::from(old.ends_with([' ', ':', '/', '\n']));
                let separator = &old[end..];
                pieces[place(one)] = word;
                pieces.insert(place(one) + 1, separator);
            }
            Self::Bytes(_) => {}
        }
        *description = pieces.concat().into_bytes();
    }
}
