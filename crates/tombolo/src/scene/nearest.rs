//! The nearest known name to a mistyped one. Pure functions over strings, for every message about an unknown name.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The greatest number of edits, at most a third of the name's length, for which a name counts as mistyped.
const EDITS_MAX: usize = 3;

/// The greatest number of names that a message lists.
const NAMES_LISTED_MAX: usize = 12;

/// The greatest length of a name that is compared, in characters.
const LETTERS_MAX: usize = 256;

/// The known name with the fewest edits to `name`, if it is near enough; the first of equals.
///
/// Cost: the product of the two lengths for each known name of about the same length.
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let mut best: Option<(usize, &'n str)> = None;
    let length = name.chars().count();
    for candidate in known {
        let known_length = candidate.chars().count();
        let allowed = EDITS_MAX.min(known_length.div_ceil(3));
        // Each difference in length is an edit, and names of kilobytes are no typing errors.
        if length.abs_diff(known_length) > allowed || length.max(known_length) > LETTERS_MAX {
            continue;
        }
        let distance = edit_distance(name, candidate);
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The sentence that follows an unknown name: the nearest known one, else a list of the known ones.
pub(crate) fn advice<'n>(name: &str, known: impl IntoIterator<Item = &'n str> + Clone) -> String {
    if let Some(candidate) = nearest(name, known.clone()) {
        return format!("did you mean {candidate:?}?");
    }
    let names: Vec<&str> = known.into_iter().collect();
    if names.is_empty() {
        return String::from("none is defined");
    }
    let shown = names.iter().take(NAMES_LISTED_MAX).map(|name| short(name));
    let listed = shown.collect::<Vec<_>>().join(", ");
    let rest = names.len().saturating_sub(NAMES_LISTED_MAX);
    if rest == 0 {
        format!("known: {listed}")
    } else {
        format!("known: {listed} and {rest} more")
    }
}

/// The greatest length of a name in a message, in bytes.
const NAME_BYTES_MAX: usize = 80;

/// A name for a message: shortened to a readable length, in one line, whatever is in it.
pub(crate) fn short(name: &str) -> Cow<'_, str> {
    let end = name.floor_char_boundary(NAME_BYTES_MAX);
    let (shown, rest) = name.split_at(end);
    let is_plain = !shown.contains(char::is_control);
    if is_plain && rest.is_empty() {
        return Cow::Borrowed(name);
    }
    let mut text = String::with_capacity(2 * shown.len());
    for letter in shown.chars() {
        if letter.is_control() {
            text.extend(letter.escape_default());
        } else {
            text.push(letter);
        }
    }
    if !rest.is_empty() {
        text += &format!("… ({} bytes)", name.len());
    }
    Cow::Owned(text)
}

/// Levenshtein's distance: insertions, deletions and replacements of one character, by the usual table of which only
/// one row is kept (Wagner and Fischer, "The string-to-string correction problem", 1974).
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time grows with the square of the length.
    #[test]
    fn names_of_kilobytes_are_not_compared() {
        let (long, other) = ("x".repeat(20_000), "x".repeat(19_999) + "y");
        assert_eq!(nearest(&long, [&*other]), None);
        assert_eq!(nearest(&long[..200], [&other[19_800..]]), Some(&other[19_800..]));
    }

    #[test]
    fn a_slip_of_the_hand_is_understood() {
        assert_eq!(nearest("densty", ["friction", "density"]), Some("density"));
        assert_eq!(nearest("Bdoy", ["Body", "Joint"]), Some("Body"));
    }

    #[test]
    fn something_else_is_not_guessed() {
        assert_eq!(nearest("colour", ["friction", "density"]), None);
        assert_eq!(nearest("x", []), None);
    }

    #[test]
    fn edit_distance_of_known_pairs() {
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("same", "same"), 0);
    }

    #[test]
    fn a_long_list_is_cut() {
        let names: Vec<String> = (0..15).map(|i| format!("warehouse-{i}")).collect();
        let advice = advice("x", names.iter().map(String::as_str));
        assert!(advice.ends_with("warehouse-11 and 3 more"), "{advice}");
    }
}
