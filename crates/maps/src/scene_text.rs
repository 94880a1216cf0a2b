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
    /// The number of lines.
    count: usize,
    /// The line, from 0, where each part begins, and the origin of that line. The lines of a part are of the same origin; if
    /// that has a line, theirs follow it.
    parts: Vec<(usize, Origin)>,
}

impl Lines {
    /// Adds lines that come from one part of the map.
    pub(crate) fn push(&mut self, text: &str, origin: &Origin) {
        if self.parts.last().is_none_or(|(_, last)| last != origin) {
            self.parts.push((self.count, origin.clone()));
        }
        self.add(text);
    }

    /// Adds lines of another file.
    pub(crate) fn push_piece(&mut self, before: &str, piece: &Piece, file: &Origin) {
        self.parts.push((self.count, file.line(piece.line)));
        self.add(&format!("{before}{},", piece.text));
    }

    /// The length of the text in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Adds all lines of another text.
    pub(crate) fn append(&mut self, other: &Self) {
        let moved = other.parts.iter();
        let moved = moved.map(|(first, origin)| (first + self.count, origin.clone()));
        self.parts.extend(moved);
        self.count += other.count;
        self.text.push_str(&other.text);
    }

    fn add(&mut self, text: &str) {
        self.count += text.matches('\n').count() + 1;
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// The origin of a line, from 1.
    fn origin(&self, line: usize) -> Option<Origin> {
        let line = line.checked_sub(1).filter(|line| *line < self.count)?;
        let after = self.parts.partition_point(|(first, _)| *first <= line);
        let (first, origin) = self.parts.get(after.checked_sub(1)?)?;
        Some(origin.below(line - first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept grows with the parts, not with the lines of a part.
    #[test]
    fn lines_of_another_file_have_its_lines() {
        let (map, file) = (Origin::file("a.tmx"), Origin::file("s.ron"));
        let mut place = Lines::default();
        place.push("one\ntwo", &map);
        place.push("three", &map);
        let mut lines = Lines::default();
        lines.push("(", &map);
        let text = format!("{{{}}}", "\n".repeat(1000));
        lines.push_piece("entities: ", &Piece { text, line: 7 }, &file);
        lines.append(&place);
        assert_eq!(lines.parts.len(), 3);
        let origin = |line| lines.origin(line);
        assert_eq!((origin(0), origin(1)), (None, Some(map.clone())));
        assert_eq!(
            [origin(2), origin(3), origin(1002)],
            [7, 8, 1007].map(|line| Some(file.line(line)))
        );
        assert_eq!([origin(1003), origin(1005)], [(); 2].map(|()| Some(map.clone())));
        assert_eq!(origin(1006), None);
        assert_eq!(lines.text.lines().count(), 1005);
    }
}
