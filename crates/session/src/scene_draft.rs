//! [`SceneDraft`]: the text of a scene that many edits are made in, with what they look up in it: the placements by name, and
//! how often a name is used. An edit reads no more of the text than what it changes, and can be taken back.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tombolo::scene::unquoted;

use crate::failure::Failure;
use crate::scene_text::{Entry, Node, Parts, SceneText};

/// The section of placements.
const PLACE: &str = "place";

/// The quotation marks of scripts.
const QUOTES: [char; 2] = ['"', '`'];

/// A scene's text with its indices.
pub(crate) struct SceneDraft {
    scene: SceneText,
    /// The places of placements in their section, by name. Only a text that is no scene has several of one name.
    names: BTreeMap<String, Vec<usize>>,
    uses: Uses,
    /// For each change what takes it back, the oldest first.
    undo: Vec<Parts>,
}

impl SceneDraft {
    /// Reads a text.
    ///
    /// # Errors
    /// In the same cases as [`SceneText::parse`].
    pub(crate) fn new(text: &str) -> Result<Self, Failure> {
        let mut draft = Self {
            scene: SceneText::parse(text)?,
            names: BTreeMap::new(),
            uses: Uses::default(),
            undo: Vec::new(),
        };
        draft.index();
        Ok(draft)
    }

    /// The text as it is now.
    pub(crate) fn scene(&self) -> &SceneText {
        &self.scene
    }

    /// The names of all placements.
    pub(crate) fn into_names(self) -> BTreeSet<String> {
        self.names.into_keys().collect()
    }

    /// The placement of a name.
    pub(crate) fn named(&self, name: &str) -> Option<&Entry> {
        let place = *self.names.get(name)?.first()?;
        self.placements().get(place)
    }

    /// The number of uses of a resource: its name as any value but the name of a placement or component, and quoted in a
    /// script. Any of these may spawn an entity resource: a placement, a child, a resource that inherits from it, a
    /// spawner, a node of a graph.
    pub(crate) fn count_uses(&self, name: &str) -> usize {
        self.uses.count(name)
    }

    /// Makes a change.
    ///
    /// # Errors
    /// The text cannot be read after it; nothing has changed then.
    pub(crate) fn put(&mut self, parts: &Parts) -> Result<(), String> {
        let undo = inverse(self.scene.text(), parts);
        let Some(splice) = self.scene.splice(parts) else {
            self.scene = SceneText::parse(&self.scene.spliced(parts)).map_err(|Failure(why)| why)?;
            self.index();
            self.undo.push(undo);
            return Ok(());
        };
        let (path, old) = (splice.path.clone(), splice.old.clone());
        let new = old.start..old.start + splice.new.len();
        self.note_uses(&path, &old, false);
        let [placed_old, placed_new] = [&old, &new].map(|entries| self.placements_of(&path, entries));
        if let Some(placed) = placed_old.clone() {
            self.forget_names(placed);
        }
        self.scene.commit(splice);
        self.note_uses(&path, &new, true);
        match (placed_old, placed_new) {
            (Some(old), Some(new)) => {
                self.move_names(old.end, new.end);
                self.note_names(new);
            }
            _ if path.is_empty() => self.index_names(),
            _ => {}
        }
        self.undo.push(undo);
        Ok(())
    }

    /// The present moment, to which changes can be taken back.
    pub(crate) fn mark(&self) -> usize {
        self.undo.len()
    }

    /// Takes back what was changed since a moment.
    pub(crate) fn roll_back(&mut self, mark: usize) {
        while self.undo.len() > mark {
            let Some(parts) = self.undo.pop() else {
                return;
            };
            // The text was read before, so it can be read again.
            if self.put(&parts).is_ok() {
                self.undo.pop();
            }
        }
    }

    fn placements(&self) -> &[Entry] {
        let place = self.scene.root().get(PLACE);
        place
            .and_then(|place| place.entries.as_deref())
            .unwrap_or_default()
    }

    /// The placements whose names may change with some entries of a bracket.
    fn placements_of(&self, path: &[usize], entries: &Range<usize>) -> Option<Range<usize>> {
        let (section, way) = path.split_first()?;
        let root = self.scene.root();
        let section = root.entries.as_deref()?.get(*section)?;
        match way {
            _ if !std::ptr::eq(section, root.entry(PLACE)?) => None,
            [] => Some(entries.clone()),
            [placement] => Some(*placement..*placement + 1),
            _ => None,
        }
    }

    fn index(&mut self) {
        self.index_names();
        self.uses = Uses::default();
        let all = self.scene.root().entries.as_ref().map_or(0, Vec::len);
        self.note_uses(&[], &(0..all), true);
    }

    fn index_names(&mut self) {
        self.names.clear();
        self.note_names(0..self.placements().len());
    }

    fn name_of(&self, place: usize) -> Option<String> {
        unquoted(
            self.scene
                .written(self.placements().get(place)?.value.get("name")?),
        )
    }

    fn forget_names(&mut self, placements: Range<usize>) {
        for place in placements {
            let Some(name) = self.name_of(place) else {
                continue;
            };
            if let Some(places) = self.names.get_mut(&name) {
                places.retain(|known| *known != place);
                if places.is_empty() {
                    self.names.remove(&name);
                }
            }
        }
    }

    /// Notes that the placements from one place on have another one.
    fn move_names(&mut self, from: usize, to: usize) {
        // Most often nothing follows what was added.
        if from == to || to == self.placements().len() {
            return;
        }
        for place in self.names.values_mut().flatten().filter(|place| **place >= from) {
            *place = *place + to - from;
        }
    }

    fn note_names(&mut self, placements: Range<usize>) {
        for place in placements {
            if let Some(name) = self.name_of(place) {
                let places = self.names.entry(name).or_default();
                let behind = places.partition_point(|known| *known < place);
                places.insert(behind, place);
            }
        }
    }

    /// Counts the uses in some entries of a bracket, or no longer.
    fn note_uses(&mut self, path: &[usize], entries: &Range<usize>, are_there: bool) {
        if let Some(node) = self.scene.at_path(path) {
            let all = node.entries.as_deref().unwrap_or_default();
            self.uses
                .note(&self.scene, node, &all[entries.clone()], are_there);
        }
    }
}

/// What takes a change of a text back.
fn inverse(text: &str, parts: &Parts) -> Parts {
    let (mut grown, mut shrunk) = (0, 0);
    let parts = parts.iter().map(|(span, by)| {
        let start = span.start + grown - shrunk;
        (grown, shrunk) = (grown + by.len(), shrunk + span.len());
        (start..start + by.len(), text[span.clone()].to_string())
    });
    parts.collect()
}

/// How often names are used in a scene.
#[derive(Debug, Default, PartialEq)]
struct Uses {
    /// The number of values that are a text.
    texts: BTreeMap<String, usize>,
    /// The number of values in which a text is quoted, others than that text itself.
    quoted: BTreeMap<String, usize>,
}

impl Uses {
    fn note(&mut self, scene: &SceneText, bracket: &Node, entries: &[Entry], are_there: bool) {
        // In braces it is the key of an entry of that name.
        let has_names = !scene.written(bracket).starts_with('{');
        for entry in entries {
            if has_names && entry.key.as_deref() == Some("name") {
                continue;
            }
            if let Some(text) = unquoted(scene.written(&entry.value)) {
                for part in quoted_in(&text) {
                    count(&mut self.quoted, part, are_there);
                }
                count(&mut self.texts, &text, are_there);
            }
            let inner = entry.value.entries.as_deref().unwrap_or_default();
            self.note(scene, &entry.value, inner, are_there);
        }
    }

    fn count(&self, name: &str) -> usize {
        let quoted = if name.contains(QUOTES) {
            let has_it = |text: &str| {
                QUOTES
                    .iter()
                    .any(|quote| text.contains(&format!("{quote}{name}{quote}")))
            };
            let having = self
                .texts
                .iter()
                .filter(|(text, _)| *text != name && has_it(text));
            having.map(|(_, count)| count).sum()
        } else {
            self.quoted.get(name).copied().unwrap_or_default()
        };
        self.texts.get(name).copied().unwrap_or_default() + quoted
    }
}

/// What stands between two quotation marks of a text and has none itself.
fn quoted_in(text: &str) -> BTreeSet<&str> {
    let between = |quote: char| {
        let mut parts: Vec<&str> = text.split(quote).skip(1).collect();
        parts.pop();
        parts
    };
    let parts = QUOTES.into_iter().flat_map(between);
    parts.filter(|part| *part != text).collect()
}

/// Counts one more of a text, or one less.
fn count(counts: &mut BTreeMap<String, usize>, text: &str, is_there: bool) {
    match counts.get_mut(text) {
        Some(count) if is_there => *count += 1,
        Some(1) => drop(counts.remove(text)),
        Some(count) => *count -= 1,
        None if is_there => drop(counts.insert(text.to_string(), 1)),
        None => {}
    }
}

#[cfg(test)]
mod tests;
