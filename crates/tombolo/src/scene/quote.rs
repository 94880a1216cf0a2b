//! [`quoted`] and [`unquoted`]: texts as strings of scene files, for programs that write and edit them.

use alloc::string::{String, ToString};

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
            // Beyond ASCII the bytes of a letter would follow one by one.
            'x' => {
                let mut digit = || letters.next()?.to_digit(16);
                char::from_u32(16 * digit()? + digit()?).filter(char::is_ascii)?
            }
            'u' => {
                let digits: String = letters.by_ref().take_while(|letter| *letter != '}').collect();
                char::from_u32(u32::from_str_radix(digits.strip_prefix('{')?, 16).ok()?)?
            }
            letter @ ('"' | '\'' | '\\') => letter,
            _ => return None,
        });
    }
    Some(text)
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
        for escape in [r"\x41", r"\u{e9}", r"\0", r"\'", r"\n", r"\q", r"\x4", r"\u41"] {
            let written = alloc::format!("\"a{escape}z\"");
            let read = ron::from_str::<alloc::string::String>(&written).ok();
            assert_eq!(unquoted(&written), read, "{written}");
        }
    }
}
