//! [`SavedKind`]: the kind of a property's values in a save.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use crate::bytes::{CHOICE_TAG, DataError, LIST_TAG, Reader, TAGGED, Writer};
use crate::value::Kind;
use crate::value::saved::Encoding;

/// The kind of the values of a property in a save.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SavedKind<'a> {
    /// Any kind but those below.
    Plain(Kind),
    /// One of these words.
    Choice(Vec<&'a str>),
    /// A list of values of this kind.
    List(Box<SavedKind<'a>>),
}

/// Writes a kind, as [`SavedKind::read`] reads it.
pub(crate) fn write_kind(kind: Kind, out: &mut Writer) {
    match kind {
        Kind::Choice(words) => {
            out.u8(CHOICE_TAG);
            out.length(words.len());
            words.iter().for_each(|word| out.text(word));
        }
        Kind::List(of) => {
            out.u8(LIST_TAG);
            write_kind(*of, out);
        }
        plain => {
            let tag = TAGGED.iter().position(|known| *known == plain);
            out.u8(tag.expect("every plain kind has a tag") as u8);
        }
    }
}

impl<'a> SavedKind<'a> {
    /// Reads a kind whose lists nest `depth` deep at most.
    pub(crate) fn read(from: &mut Reader<'a>, depth: usize) -> Result<Self, DataError> {
        match from.u8("a property's kind")? {
            CHOICE_TAG => {
                let count = from.length(8, "the words of a choice")?;
                let words = (0..count).map(|_| from.borrowed_text("a word of a choice"));
                words.collect::<Result<_, _>>().map(Self::Choice)
            }
            LIST_TAG => {
                let depth = depth.checked_sub(1);
                let depth = depth.ok_or_else(|| DataError::broken("lists nest too deep"))?;
                Ok(Self::List(Box::new(Self::read(from, depth)?)))
            }
            tag => match TAGGED.get(usize::from(tag)) {
                Some(kind) => Ok(Self::Plain(*kind)),
                None => Err(DataError::broken(alloc::format!("{tag} is no kind of property"))),
            },
        }
    }

    /// How values of this kind are read as values of another, if that takes all of them without loss: a wider number,
    /// or a choice with all the words.
    pub(crate) fn encoding(&self, kind: Kind) -> Option<Encoding> {
        match (self, kind) {
            (Self::Choice(words), Kind::Choice(present)) => {
                let place = |word: &&str| present.iter().position(|known| known == word);
                let places = words.iter().map(|word| place(word).map(|place| place as u32));
                places.collect::<Option<_>>().map(Encoding::Choice)
            }
            (Self::List(saved), Kind::List(of)) => {
                let of = saved.encoding(*of)?;
                Some(Encoding::List(Box::new(of)))
            }
            (Self::Plain(saved), kind) if *saved == kind => Some(Encoding::Same(kind)),
            (Self::Plain(saved @ (Kind::I32 | Kind::U32)), Kind::I64)
            | (Self::Plain(saved @ Kind::F32), Kind::F64) => Some(Encoding::Narrower(*saved)),
            _ => None,
        }
    }
}

impl fmt::Display for SavedKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(kind) => kind.fmt(f),
            Self::Choice(words) => write!(f, "one of {}", words.join(", ")),
            Self::List(of) => write!(f, "list of {of}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: Kind = Kind::Choice(&["Off", "On"]);

    /// A kind takes all values of another, or none of them.
    #[test]
    fn kinds_that_lose_nothing_are_taken() {
        let plain = |kind| SavedKind::Plain(kind);
        for (saved, kind) in [
            (plain(Kind::I32), Kind::I64),
            (plain(Kind::U32), Kind::I64),
            (plain(Kind::F32), Kind::F64),
            (SavedKind::Choice(alloc::vec!["On"]), WORDS),
            (
                SavedKind::List(Box::new(plain(Kind::F32))),
                Kind::List(&Kind::F64),
            ),
        ] {
            assert!(saved.encoding(kind).is_some(), "{saved} as {kind}");
        }
        for (saved, kind) in [
            (plain(Kind::I64), Kind::I32),
            (plain(Kind::I32), Kind::U32),
            (plain(Kind::I32), Kind::F64),
            (plain(Kind::F64), Kind::F32),
            (plain(Kind::U32), WORDS),
            (SavedKind::Choice(alloc::vec!["On", "Dim"]), WORDS),
            (SavedKind::Choice(alloc::vec![]), Kind::U32),
            (SavedKind::List(Box::new(plain(Kind::F32))), Kind::F32),
        ] {
            assert!(saved.encoding(kind).is_none(), "{saved} as {kind}");
        }
    }
}
