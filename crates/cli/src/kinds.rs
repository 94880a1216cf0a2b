//! `tombolo kinds`: prints the kinds of components, and each of their properties with its entry in the register: for
//! people as a table, for programs as JSON, and for the documents as Markdown.

use std::fmt::Write as _;

use serde::Serialize;
use tombolo::component::{Entry, KindEntry, Wakes};
use tombolo::scene::nearest;
use tombolo::{Settings, World};

/// A kind of components.
#[derive(Debug, Serialize)]
struct KindRow {
    name: String,
    documentation: &'static str,
    properties: Vec<PropertyRow>,
}

/// A property of a kind.
#[derive(Debug, Serialize)]
struct PropertyRow {
    name: String,
    kind: String,
    /// The range with its unit; empty if every value of the type is valid.
    range: String,
    unit: &'static str,
    default: String,
    read_only: bool,
    /// Whether setting it wakes a body.
    wakes: &'static str,
    /// The form in scene files; empty if it has none.
    scene: String,
    documentation: &'static str,
}

/// The titles of the columns, for people and in documents.
const COLUMNS: [&str; 7] = [
    "property",
    "kind",
    "range",
    "default",
    "wakes",
    "in a scene file",
    "",
];

/// The form of the output.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// Tables with aligned columns.
    Table,
    /// JSON.
    Json,
    /// Markdown, as in `docs/scene.md`.
    Markdown,
}

/// The text for all kinds of components, or for the one of a name.
///
/// # Errors
/// No such kind.
pub(crate) fn text(kind: Option<&str>, form: Form) -> Result<String, String> {
    let world = World::new(&Settings::default()).map_err(|error| error.to_string())?;
    let kinds = world.kinds();
    let wanted: Vec<&KindEntry> = match kind {
        None => kinds.iter().collect(),
        Some(name) => {
            let found = kinds.iter().find(|kind| kind.name() == name);
            let advice = || {
                let known = nearest(name, kinds.iter().map(KindEntry::name));
                known.map_or_else(String::new, |known| format!("; did you mean {known:?}?"))
            };
            vec![found.ok_or_else(|| format!("there is no kind {name:?}{}", advice()))?]
        }
    };
    let rows: Vec<KindRow> = wanted.iter().map(|kind| KindRow::new(kind, &world)).collect();
    Ok(match form {
        Form::Json => serde_json::to_string(&rows).map_err(|error| error.to_string())? + "\n",
        Form::Markdown => rows.iter().map(KindRow::markdown).collect(),
        Form::Table => rows.iter().map(KindRow::table).collect::<Vec<_>>().join("\n"),
    })
}

impl KindRow {
    fn new(kind: &KindEntry, world: &World) -> Self {
        Self {
            name: kind.name().to_string(),
            documentation: kind.documentation(),
            properties: kind
                .entries()
                .iter()
                .map(|entry| PropertyRow::new(entry, world))
                .collect(),
        }
    }

    fn table(&self) -> String {
        let mut rows = vec![COLUMNS.map(String::from)];
        rows.extend(self.properties.iter().map(PropertyRow::cells));
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..COLUMNS.len()).map(width).collect();
        let mut text = format!("{}: {}\n", self.name, self.documentation);
        for row in rows.iter().filter(|_| !self.properties.is_empty()) {
            let cells = row.iter().zip(&widths);
            let line: String = cells.map(|(cell, width)| format!("  {cell:<width$}")).collect();
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }

    fn markdown(&self) -> String {
        let mut text = format!("### {}\n\n{}\n\n", self.name, self.documentation);
        if self.properties.is_empty() {
            return text + "It has no properties.\n\n";
        }
        let _ = writeln!(text, "| {}|", COLUMNS.join(" | "));
        let _ = writeln!(text, "|{}", " --- |".repeat(COLUMNS.len()));
        for property in &self.properties {
            let [name, kind, range, default, wakes, scene, documentation] = property.cells();
            let code = |text: String| {
                if text.is_empty() {
                    text
                } else {
                    format!("`{text}`")
                }
            };
            let (name, kind, default, scene) = (code(name), code(kind), code(default), code(scene));
            let _ = writeln!(
                text,
                "| {name} | {kind} | {range} | {default} | {wakes} | {scene} | {documentation} |"
            );
        }
        text + "\n"
    }
}

impl PropertyRow {
    fn new(entry: &Entry, world: &World) -> Self {
        let property = entry.property();
        Self {
            name: property.name.to_string(),
            kind: property.kind.to_string(),
            range: property.range_text(),
            unit: property.unit,
            default: world.show_value(property.kind, &property.default),
            read_only: property.read_only,
            wakes: match entry.wakes() {
                Wakes::If(condition) => condition,
                Wakes::Yes => "yes",
                _ => "no",
            },
            scene: entry.scene_text(),
            documentation: property.documentation,
        }
    }

    fn cells(&self) -> [String; COLUMNS.len()] {
        let has_range = !self.range.is_empty() || self.unit.is_empty();
        let (range, wakes) = match (self.read_only, has_range) {
            (true, _) => (self.unit, "read only"),
            (false, true) => (&*self.range, self.wakes),
            (false, false) => (self.unit, self.wakes),
        };
        let default = if self.read_only { "" } else { &*self.default };
        [
            &*self.name,
            &*self.kind,
            range,
            default,
            wakes,
            &*self.scene,
            self.documentation,
        ]
        .map(String::from)
    }
}
