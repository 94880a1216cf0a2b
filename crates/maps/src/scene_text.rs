//! The scene of a map: its text, and for each line of it the part of the map that it comes from.

use tombolo::{Kinds, Scene, SceneError};

use crate::error::{MapError, Origin};
use crate::picture::Picture;
use crate::prototypes::Piece;

/// A map as a scene: the text of a scene file, which [`MapScene::scene`] reads.
///
/// If the text is written to a file and loaded from there, its world is the same as that of the map.
#[derive(Clone, Debug)]
pub struct MapScene {
    file: String,
    lines: Lines,
    pictures: Vec<Picture>,
}

impl MapScene {
    pub(crate) fn new(file: &str, lines: Lines, pictures: Vec<Picture>) -> Self {
        Self {
            file: file.to_string(),
            lines,
            pictures,
        }
    }

    /// What the map's tiles look like, in the order in which they are drawn: the tiles of its visible layers, and tiles
    /// that are objects. The first [`PICTURES_MAX`](crate::limits::PICTURES_MAX) of them.
    pub fn pictures(&self) -> &[Picture] {
        &self.pictures
    }

    /// The text of the scene file.
    pub fn text(&self) -> &str {
        &self.lines.text
    }

    /// Reads the scene.
    ///
    /// # Errors
    /// A part of the map, or of the scene file that it names, is invalid in a scene.
    pub fn scene(&self) -> Result<Scene, MapError> {
        self.scene_with(&Kinds::default())
    }

    /// Reads the scene, which may use kinds of components of a game's own.
    ///
    /// # Errors
    /// Those of [`MapScene::scene`].
    pub fn scene_with(&self, kinds: &Kinds) -> Result<Scene, MapError> {
        Scene::parse_with(&self.file, self.text(), kinds).map_err(|error| self.explain(&error))
    }

    /// An error of the scene, or of building a world from it, as an error at its place in the map.
    pub fn explain(&self, error: &SceneError) -> MapError {
        let mut message = error.subject.to_string();
        if let Some(component) = &error.component {
            message += &format!(", component {component:?}");
        }
        if let Some(property) = &error.property {
            message += &format!(", property {property:?}");
        }
        message += &format!(": {}", error.message);
        match error.line.and_then(|line| self.lines.origin(line)) {
            Some(origin) => origin.refuse(message),
            None => Origin::file(&self.file).refuse(message),
        }
    }
}

/// Text with the origin of every line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    text: String,
    origins: Vec<Origin>,
    /// For each line, the place of its origin.
    places: Vec<u32>,
}

impl Lines {
    /// Adds lines that come from one part of the map.
    pub(crate) fn push(&mut self, text: &str, origin: &Origin) {
        if self.origins.last() != Some(origin) {
            self.origins.push(origin.clone());
        }
        self.add(text);
    }

    /// Adds lines of another file.
    pub(crate) fn push_piece(&mut self, before: &str, piece: &Piece, file: &Origin) {
        for (index, line) in piece.text.split('\n').enumerate() {
            self.origins.push(file.line(piece.line + index));
            let before = if index == 0 { before } else { "" };
            let last = index == piece.text.matches('\n').count();
            self.add(&format!("{before}{line}{}", if last { "," } else { "" }));
        }
    }

    /// The length of the text in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Adds all lines of another text.
    pub(crate) fn append(&mut self, other: &Self) {
        let first = self.origins.len() as u32;
        self.origins.extend_from_slice(&other.origins);
        self.places.extend(other.places.iter().map(|place| place + first));
        self.text.push_str(&other.text);
    }

    fn add(&mut self, text: &str) {
        let place = (self.origins.len() - 1) as u32;
        self.places.extend(text.split('\n').map(|_| place));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn origin(&self, line: usize) -> Option<&Origin> {
        let place = self.places.get(line.checked_sub(1)?)?;
        self.origins.get(*place as usize)
    }
}
