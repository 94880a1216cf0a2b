//! Files in JSON: maps of Tiled and LDtk.

use serde::de::DeserializeOwned;

use crate::error::{MapError, Origin};
use crate::limits::ELEMENTS_MAX;

/// Reads a file of an editor.
///
/// # Errors
/// It is no JSON, has another form, or has more objects than a file may have.
pub(crate) fn read<T: DeserializeOwned>(text: &str, editor: &str, origin: &Origin) -> Result<T, MapError> {
    // An object of two bytes may become a struct of hundreds.
    if objects(text) > ELEMENTS_MAX {
        return Err(origin.refuse(format!("has more than {ELEMENTS_MAX} objects of JSON; divide it")));
    }
    serde_json::from_str(text).map_err(|error| {
        let message = format!("is no JSON of {editor}: {error}");
        origin.line(error.line().max(1)).refuse(message)
    })
}

/// The number of objects in a text, and of lists that stand where one may: a struct is also read from the list of its fields.
fn objects(text: &str) -> usize {
    let (mut count, mut in_string, mut escaped) = (0, false, false);
    // The last byte that is no space: a list that is an item of another comes after its bracket or a comma.
    let mut last = b' ';
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' => count += 1,
            b'[' if matches!(last, b'[' | b',') => count += 1,
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            last = byte;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_counted_outside_of_strings() {
        assert_eq!(objects(r#"{"a": [{}, {"b{": "{\"{,["}], "c\\": {}}"#), 4);
        assert_eq!(objects(r#"{"a": [[], [1, 2], {}], "b": [3]}"#), 4);
    }
}
