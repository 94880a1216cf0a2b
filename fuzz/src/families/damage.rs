//! Damage to texts, for the families that read text: pieces cut, doubled, swapped, words inserted, numbers replaced.

use crate::random::Random;

/// One change of a text; its position follows from a number, whatever the text's length.
#[derive(Debug, Clone)]
pub(super) enum Damage {
    Cut(u64, usize),
    Double(u64, usize),
    Swap(u64, u64, usize),
    Put(u64, String),
    /// Replaces a number in the text.
    Number(u64, String),
}

fn place(at: u64, text: &str) -> usize {
    text.floor_char_boundary((at % (text.len() as u64 + 1)) as usize)
}

fn end(start: usize, length: usize, text: &str) -> usize {
    text.floor_char_boundary((start + length).min(text.len()))
}

impl Damage {
    /// Random damage, with words and numbers of the kind of text.
    pub(super) fn random(random: &mut Random, words: &[&str], number: fn(&mut Random) -> String) -> Self {
        let at = random.bits();
        match random.below(6) {
            0 => Self::Cut(at, random.below(60)),
            1 => Self::Double(at, random.below(60)),
            2 => Self::Swap(at, random.bits(), random.below(30)),
            3 => Self::Put(at, random.pick(words).into()),
            _ => Self::Number(at, number(random)),
        }
    }

    pub(super) fn apply(&self, text: &mut String) {
        match self {
            Self::Cut(at, length) => {
                let start = place(*at, text);
                text.replace_range(start..end(start, *length, text), "");
            }
            Self::Double(at, length) => {
                let start = place(*at, text);
                let piece = text[start..end(start, *length, text)].to_string();
                text.insert_str(start, &piece);
            }
            Self::Swap(a, b, length) => {
                let (a, b) = (place(*a, text), place(*b, text));
                let (first, second) = (a.min(b), a.max(b));
                let one = first..end(first, *length, text).min(second);
                let other = second..end(second, *length, text);
                let (x, y) = (text[one.clone()].to_string(), text[other.clone()].to_string());
                text.replace_range(other, &x);
                text.replace_range(one, &y);
            }
            Self::Put(at, word) => text.insert_str(place(*at, text), word),
            Self::Number(at, number) => {
                let from = place(*at, text);
                let is_part = |letter: char| letter.is_ascii_digit() || letter == '.';
                let Some(found) = text[from..].find(|letter: char| letter.is_ascii_digit()) else {
                    return;
                };
                let start = from + found;
                let length = text[start..]
                    .find(|letter| !is_part(letter))
                    .unwrap_or(text.len() - start);
                text.replace_range(start..start + length, number);
            }
        }
    }
}
