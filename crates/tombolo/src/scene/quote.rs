//! [`quoted`] and [`unquoted`]: texts as strings of scene files, for programs that write and edit them; and the line ends
//! of texts.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::str::Chars;

/// A text as a string of a scene file: in quotes, with quotes, backslashes and control characters escaped.
///
/// ```
/// use tombolo::scene::{quoted, unquoted};
///
/// let written = quoted("a \"wide\"\tone");
/// assert_eq!(written, r#""a \"wide\"\tone""#);
/// assert_eq!(unquoted(&written).as_deref(), Some("a \"wide\"\tone"));
/// ```
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => written.extend(['\\', letter]),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            letter if letter.is_control() => written.extend(letter.escape_unicode()),
            letter => written.push(letter),
        }
    }
    written.push('"');
    written
}

/// A text whose lines end with `\n`, whatever ended them in its file: how a file was checked out must not decide what a
/// world is.
pub(crate) fn with_plain_line_ends(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") {
        text.replace("\r\n", "\n").into()
    } else {
        text.into()
    }
}

/// The content of a string of a scene file, raw strings included; `None` if it is not one, or has an escape that RON
/// does not know.
#[must_use]
pub fn unquoted(written: &str) -> Option<String> {
    if let Some(raw) = written.strip_prefix('r') {
        let bare = raw.trim_matches('#');
        return Some(bare.strip_prefix('"')?.strip_suffix('"')?.to_string());
    }
    let inner = written.strip_prefix('"')?.strip_suffix('"')?;
    let (mut text, mut letters) = (String::new(), inner.chars());
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            text.push(letter);
            continue;
        }
        text.push(match letters.next()? {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '0' => '\0',
            'x' => bytes_escaped(&mut letters)?,
            'u' => {
                let (number, rest) = letters.as_str().strip_prefix('{')?.split_once('}')?;
                letters = rest.chars();
                char::from_u32(u32::from_str_radix(number, 16).ok()?)?
            }
            letter @ ('"' | '\'' | '\\') => letter,
            _ => return None,
        });
    }
    Some(text)
}

/// The letter whose bytes in UTF-8 are written as `\xNN`, each of its own; the first `\x` was read.
fn bytes_escaped(letters: &mut Chars<'_>) -> Option<char> {
    let mut bytes = Vec::new();
    loop {
        let digits = letters.as_str().get(..2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        *letters = letters.as_str()[2..].chars();
        if let Ok(letter) = core::str::from_utf8(&bytes) {
            return letter.chars().next();
        }
        *letters = letters
            .as_str()
            .strip_prefix("\\x")
            .filter(|_| bytes.len() < 4)?
            .chars();
    }
}

#[cfg(test)]
mod tests {
    use super::{quoted, unquoted};

    #[test]
    fn a_text_that_is_quoted_and_unquoted_is_the_same() {
        for text in ["", "plain", "a \"b\" \\ c", "line\nline\t\r", "\u{7} é 漢"] {
            let written = quoted(text);
            assert_eq!(unquoted(&written).as_deref(), Some(text));
            assert_eq!(
                ron::from_str::<alloc::string::String>(&written).as_deref(),
                Ok(text)
            );
        }
        assert_eq!(unquoted(r##"r#"a "b""#"##).as_deref(), Some("a \"b\""));
        assert_eq!(unquoted("plain"), None);
    }

    #[test]
    fn escapes_are_those_of_ron() {
        for escape in [
            r"\x41",
            r"\xc3\xa9",
            r"\xff",
            r"\u{e9}",
            r"\0",
            r"\'",
            r"\n",
            r"\q",
            r"\x4",
            r"\u41",
            r"\u{41",
        ] {
            let written = alloc::format!("\"a{escape}z\"");
            let read = ron::from_str::<alloc::string::String>(&written).ok();
            assert_eq!(unquoted(&written), read, "{written}");
        }
    }
}
