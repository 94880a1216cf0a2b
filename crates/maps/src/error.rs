//! The place of an item in a map, and the error with that place. All readers of this crate use both.

use std::fmt;
use std::sync::Arc;

use tombolo::entity::NAME_BYTES_MAX;

/// The reason why a map cannot be used: one line that says where and what.
///
/// It prints as `level.tmx: layer "things", object "crate" (12): what is wrong, and what to do`; the parts that do
/// not apply are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MapError {
    /// The file at fault: the map, or one that it names.
    pub file: Box<str>,
    /// The line, from 1, where it is known.
    pub line: Option<usize>,
    /// The layer, with the names of the level and the groups around it.
    pub layer: Option<Box<str>>,
    /// The object or entity: its name, if it has one, and its number.
    pub object: Option<Box<str>>,
    /// The error and the remedy.
    pub message: Box<str>,
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(layer) = &self.layer {
            write!(f, ": layer {layer:?}")?;
        }
        if let Some(object) = &self.object {
            let between = if self.layer.is_some() { "," } else { ":" };
            write!(f, "{between} object {object}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for MapError {}

/// A place in a map or in a file that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    file: Arc<str>,
    line: Option<usize>,
    layer: Option<Arc<str>>,
    object: Option<Arc<str>>,
}

impl Origin {
    /// The place of a file as a whole.
    pub(crate) fn file(file: &str) -> Self {
        Self {
            file: file.into(),
            line: None,
            layer: None,
            object: None,
        }
    }

    /// The same place, with a line.
    pub(crate) fn line(&self, line: usize) -> Self {
        Self {
            line: Some(line),
            ..self.clone()
        }
    }

    /// The place so many lines below; the same where no line is known.
    pub(crate) fn below(&self, lines: usize) -> Self {
        Self {
            line: self.line.map(|line| line + lines),
            ..self.clone()
        }
    }

    /// A layer in the file, or in the layer of this place; the beginning of its name if that is long, for it is in the
    /// places of all layers in it.
    pub(crate) fn layer(&self, name: &str) -> Self {
        let name = &name[..name.floor_char_boundary(NAME_BYTES_MAX)];
        let layer = match &self.layer {
            Some(outer) => format!("{outer}/{name}").into(),
            None => name.into(),
        };
        Self {
            layer: Some(layer),
            ..self.clone()
        }
    }

    /// The name of the layer.
    pub(crate) fn layer_name(&self) -> &str {
        self.layer.as_deref().unwrap_or_default()
    }

    /// An object of the layer.
    pub(crate) fn object(&self, name: &str, number: impl fmt::Display) -> Self {
        let object = if name.is_empty() {
            format!("{number}")
        } else {
            format!("{name:?} ({number})")
        };
        Self {
            object: Some(object.into()),
            ..self.clone()
        }
    }

    /// An error at this place.
    pub(crate) fn refuse(&self, message: impl Into<Box<str>>) -> MapError {
        let mut message: Box<str> = message.into();
        // Readers of XML and the like quote the text that they find, and a message is one line.
        if message.contains(char::is_control) {
            let shown = message.chars().map(|letter| {
                let escaped = letter.is_control().then(|| letter.escape_default().to_string());
                escaped.unwrap_or_else(|| letter.to_string())
            });
            message = shown.collect::<String>().into();
        }
        MapError {
            file: (&*self.file).into(),
            line: self.line,
            layer: self.layer.as_deref().map(Into::into),
            object: self.object.as_deref().map(Into::into),
            message,
        }
    }
}
