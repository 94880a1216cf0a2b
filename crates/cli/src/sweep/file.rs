//! Reads a sweep file: its fields with their values, each checked at its position, so that a message names the line.

use std::path::{Path, PathBuf};

use tombolo::scene::{nearest, unquoted};
use tombolo_session::scene_text::{Entry, Node, SceneText};

use super::cell::Cell;
use crate::arguments::thread_count;
use crate::output::{Failure, short};

const FIELDS: [&str; 7] = ["scenes", "seeds", "set", "read", "steps", "out", "threads"];

/// The greatest number of steps of a world, the same as for the other commands.
const STEPS_MAX: u64 = 10_000_000;

/// The greatest number of seeds in a range.
const RANGE_MAX: u64 = 10_000_000;

/// The content of a sweep file.
#[derive(Debug, PartialEq)]
pub(super) struct SweepFile {
    /// The scenes as written: paths relative to the file, or names of scenes that ship.
    pub(super) scenes: Vec<String>,
    /// The seeds; `None` is the scene's own.
    pub(super) seeds: Vec<Option<u64>>,
    /// The properties to set, with the values that each takes.
    pub(super) set: Vec<(String, Vec<Cell>)>,
    pub(super) read: Vec<String>,
    pub(super) steps: u64,
    /// The path of the table, relative to the file.
    pub(super) out: Option<PathBuf>,
    pub(super) threads: Option<usize>,
}

impl SweepFile {
    /// Reads a sweep file.
    ///
    /// # Errors
    /// It cannot be read, or is not valid: the message has the line and what to write instead.
    pub(super) fn load(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure(format!("{}: cannot be read: {error}", short(&name))))?;
        Self::parse(&name, &text)
    }

    fn parse(name: &str, text: &str) -> Result<Self, Failure> {
        let text =
            SceneText::parse(text).map_err(|Failure(why)| Failure(format!("{}: {why}", short(name))))?;
        Reader { name, text: &text }.sweep()
    }
}

struct Reader<'t> {
    name: &'t str,
    text: &'t SceneText,
}

impl<'t> Reader<'t> {
    fn refuse(&self, node: &Node, why: &str) -> Failure {
        let line = self.text.line(node);
        Failure(format!("{}:{line}: {why}", short(self.name)))
    }

    /// The text of a value, for a message.
    fn shown(&self, node: &Node) -> String {
        format!("`{}`", short(self.text.written(node)))
    }

    fn sweep(&self) -> Result<SweepFile, Failure> {
        let root = self.text.root();
        let fields = self.bracket(root, '(', "a sweep is written as (scenes: [...], steps: ...)")?;
        self.check_fields(fields)?;
        let value = |name: &str| fields.iter().find(|entry| entry.key.as_deref() == Some(name));
        let value = |name: &str| value(name).map(|entry| &entry.value);
        let needed = |name: &str, example: &str| {
            let missing = || self.refuse(root, &format!("a sweep needs {name:?}, such as {example}"));
            value(name).ok_or_else(missing)
        };
        let scenes = needed("scenes", "scenes: [\"machines\"]")?;
        let steps = needed("steps", "steps: 600")?;
        Ok(SweepFile {
            scenes: self.texts(scenes, "scenes")?,
            seeds: value("seeds").map_or(Ok(vec![None]), |node| self.seeds(node))?,
            set: value("set").map_or(Ok(Vec::new()), |node| self.set(node))?,
            read: value("read").map_or(Ok(Vec::new()), |node| self.texts(node, "read"))?,
            steps: self.whole(steps, "steps", STEPS_MAX)?,
            out: value("out")
                .map(|node| self.text(node, "out").map(PathBuf::from))
                .transpose()?,
            threads: value("threads").map(|node| self.threads(node)).transpose()?,
        })
    }

    fn check_fields(&self, fields: &[Entry]) -> Result<(), Failure> {
        for (place, field) in fields.iter().enumerate() {
            let Some(name) = field.key.as_deref() else {
                let why = format!("{} has no name; write field: value", self.shown(&field.value));
                return Err(self.refuse(&field.value, &why));
            };
            if !FIELDS.contains(&name) {
                let advice = match nearest(name, FIELDS) {
                    Some(known) => format!("did you mean {known:?}?"),
                    None => format!("there are {}", FIELDS.join(", ")),
                };
                let why = format!("a sweep has no field {:?}; {advice}", short(name));
                return Err(self.refuse(&field.value, &why));
            }
            if fields[..place].iter().any(|other| other.key == field.key) {
                return Err(self.refuse(&field.value, &format!("{name:?} is there twice; leave one out")));
            }
        }
        Ok(())
    }

    /// The entries of a bracket that begins with the letter `open` and has no word before it.
    fn bracket(&self, node: &'t Node, open: char, form: &str) -> Result<&'t [Entry], Failure> {
        match &node.entries {
            Some(entries) if self.text.written(node).starts_with(open) => Ok(entries),
            _ => Err(self.refuse(node, &format!("{} is no value here; {form}", self.shown(node)))),
        }
    }

    /// The values of a list, at least one.
    fn list(&self, node: &'t Node, field: &str, example: &str) -> Result<Vec<&'t Node>, Failure> {
        let form = format!("give {field} as a list, such as {example}");
        let entries = self.bracket(node, '[', &form)?;
        if entries.is_empty() {
            return Err(self.refuse(
                node,
                &format!("{field} is an empty list, which gives no rows; {form}"),
            ));
        }
        if let Some(entry) = entries.iter().find(|entry| entry.key.is_some()) {
            return Err(self.refuse(&entry.value, &form));
        }
        Ok(entries.iter().map(|entry| &entry.value).collect())
    }

    fn text(&self, node: &Node, field: &str) -> Result<String, Failure> {
        unquoted(self.text.written(node)).ok_or_else(|| {
            let why = format!("{}: {} is no text; put it in quotes", field, self.shown(node));
            self.refuse(node, &why)
        })
    }

    fn texts(&self, node: &'t Node, field: &str) -> Result<Vec<String>, Failure> {
        // The list of properties to read may be empty.
        if field == "read" && self.text.written(node) == "[]" {
            return Ok(Vec::new());
        }
        self.list(node, field, "[\"one\", \"two\"]")?
            .into_iter()
            .map(|node| self.text(node, field))
            .collect()
    }

    fn whole(&self, node: &Node, field: &str, most: u64) -> Result<u64, Failure> {
        let number = self.text.written(node).replace('_', "").parse().ok();
        number.filter(|number| *number <= most).ok_or_else(|| {
            let why = format!(
                "{field}: {} is out of range; give a whole number from 0 to {most}",
                self.shown(node)
            );
            self.refuse(node, &why)
        })
    }

    fn threads(&self, node: &Node) -> Result<usize, Failure> {
        let count = thread_count(self.text.written(node));
        count.map_err(|why| {
            self.refuse(
                node,
                &format!("threads: {} is out of range; {why}", self.shown(node)),
            )
        })
    }

    /// A list of seeds, or a range of them.
    fn seeds(&self, node: &'t Node) -> Result<Vec<Option<u64>>, Failure> {
        if self.text.word(node) == "Range" {
            return self.range(node);
        }
        self.list(node, "seeds", "[None, 1, 2] or Range(first: 0, count: 100)")?
            .into_iter()
            .map(|node| match self.text.written(node) {
                "None" | "none" => Ok(None),
                _ => self.whole(node, "seeds", u64::MAX).map(Some),
            })
            .collect()
    }

    fn range(&self, node: &Node) -> Result<Vec<Option<u64>>, Failure> {
        let wrong = || self.refuse(node, "seeds: write a range as Range(first: 0, count: 100)");
        let entries = node.entries.as_deref().unwrap_or_default();
        let (Some(first), Some(count), 2) = (node.get("first"), node.get("count"), entries.len()) else {
            return Err(wrong());
        };
        let first = self.whole(first, "first", u64::MAX)?;
        let count = self.whole(count, "count", RANGE_MAX)?;
        let others = count.checked_sub(1).ok_or_else(wrong)?;
        let last = first.checked_add(others).ok_or_else(wrong)?;
        Ok((first..=last).map(Some).collect())
    }

    fn set(&self, node: &'t Node) -> Result<Vec<(String, Vec<Cell>)>, Failure> {
        let form = "give set as {\"entity.component.property\": [values]}";
        let mut set: Vec<(String, Vec<Cell>)> = Vec::new();
        for entry in self.bracket(node, '{', form)? {
            let name = entry.key.clone().ok_or_else(|| self.refuse(&entry.value, form))?;
            if set.iter().any(|(other, _)| *other == name) {
                let why = format!("{:?} is set twice; put all values in one list", short(&name));
                return Err(self.refuse(&entry.value, &why));
            }
            let values = self.list(&entry.value, &format!("the values of {name:?}"), "[1.0, 2.0]")?;
            let values = values.into_iter().map(|node| self.value(node));
            let values = values.collect::<Result<_, _>>()?;
            set.push((name, values));
        }
        Ok(set)
    }

    /// A value to set: a number, a text, a word, `true`, `false`, `None`, a vector.
    fn value(&self, node: &Node) -> Result<Cell, Failure> {
        let written = self.text.written(node);
        let no_value = |why: &str| self.refuse(node, &format!("{} is no value; {why}", self.shown(node)));
        if let Some(entries) = &node.entries {
            if !written.starts_with('(') || entries.iter().any(|entry| entry.key.is_some()) {
                return Err(no_value("write vectors as (1, 2)"));
            }
            let values = entries.iter().map(|entry| self.value(&entry.value));
            return Ok(Cell::List(values.collect::<Result<_, _>>()?));
        }
        match written {
            "true" => return Ok(Cell::Bool(true)),
            "false" => return Ok(Cell::Bool(false)),
            "None" | "none" => return Ok(Cell::Nothing),
            "inf" => return Ok(Cell::Number(f64::INFINITY)),
            "NaN" => return Ok(Cell::Number(f64::NAN)),
            _ => {}
        }
        if let Some(text) = unquoted(written) {
            return Ok(Cell::Text(text.into()));
        }
        if written.starts_with(|letter: char| letter.is_alphabetic() || letter == '_') {
            return Ok(Cell::Text(written.into()));
        }
        let digits = written.replace('_', "");
        if let Ok(whole) = digits.parse() {
            return Ok(Cell::Whole(whole));
        }
        let number = digits.parse().map(Cell::Number);
        number.map_err(|_| no_value("write numbers as 3, -0.5 or 1e-3, and put texts in quotes"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_read() {
        let text = r#"(
            scenes: ["a.ron", "machines"], // two
            seeds: [None, 7, 18_446_744_073_709_551_615],
            set: {
                "a.body.kind": [Dynamic, "Static"],
                "a.body.v": [(1, -0.5), (1e3, inf), none, true, +4],
            },
            read: [],
            steps: 1_000,
            out: "t.csv",
            threads: 64,
        )"#;
        let file = SweepFile::parse("s.ron", text).unwrap();
        let word = |word: &str| Cell::Text(word.into());
        let vector = Cell::List(vec![Cell::Whole(1), Cell::Number(-0.5)]);
        let other = Cell::List(vec![Cell::Number(1000.0), Cell::Number(f64::INFINITY)]);
        let values = vec![vector, other, Cell::Nothing, Cell::Bool(true), Cell::Whole(4)];
        let wanted = SweepFile {
            scenes: vec!["a.ron".to_string(), "machines".to_string()],
            seeds: vec![None, Some(7), Some(u64::MAX)],
            set: vec![
                ("a.body.kind".to_string(), vec![word("Dynamic"), word("Static")]),
                ("a.body.v".to_string(), values),
            ],
            read: Vec::new(),
            steps: 1000,
            out: Some("t.csv".into()),
            threads: Some(64),
        };
        assert_eq!(file, wanted);
        let file = SweepFile::parse(
            "s.ron",
            "(scenes: [\"a\"], steps: 0, seeds: Range(first: 3, count: 2))",
        );
        assert_eq!(file.unwrap().seeds, [Some(3), Some(4)]);
        // Up to the last seed that there is; some editors write a byte order mark first.
        let last = SweepFile::parse(
            "s.ron",
            "\u{feff}(scenes: [\"a\"], steps: 0, seeds: Range(first: 18446744073709551614, count: 2))",
        );
        assert_eq!(last.unwrap().seeds, [Some(u64::MAX - 1), Some(u64::MAX)]);
    }

    /// Sweep files, and the message for each after the file's name.
    const WRONG: &[(&str, &str)] = &[
        (
            "(\n scenes: [\"a\"],\n stepz: 3)",
            "3: a sweep has no field \"stepz\"; did you mean \"steps\"?",
        ),
        (
            "(colors: 1)",
            "1: a sweep has no field \"colors\"; there are scenes, seeds, set, read, steps, out, threads",
        ),
        (
            "(steps: 1,\n steps: 2)",
            "2: \"steps\" is there twice; leave one out",
        ),
        ("(3)", "1: `3` has no name; write field: value"),
        (
            "[]",
            "1: `[]` is no value here; a sweep is written as (scenes: [...], steps: ...)",
        ),
        (
            "(steps: 3)",
            "1: a sweep needs \"scenes\", such as scenes: [\"machines\"]",
        ),
        (
            "(scenes: [\"a\"])",
            "1: a sweep needs \"steps\", such as steps: 600",
        ),
        (
            "(steps: 3, scenes: \"a\")",
            "1: `\"a\"` is no value here; give scenes as a list, such as [\"one\", \"two\"]",
        ),
        (
            "(steps: 3, scenes: [])",
            "1: scenes is an empty list, which gives no rows; give scenes as a list, such as [\"one\", \"two\"]",
        ),
        (
            "(steps: 3, scenes: [\n a])",
            "2: scenes: `a` is no text; put it in quotes",
        ),
        (
            "(scenes: [\"a\"], steps: -1)",
            "1: steps: `-1` is out of range; give a whole number from 0 to 10000000",
        ),
        (
            "(scenes: [\"a\"], steps: \"9\")",
            "1: steps: `\"9\"` is out of range; give a whole number from 0 to 10000000",
        ),
        (
            "(scenes: [\"a\"], steps: 1, threads: 65)",
            "1: threads: `65` is out of range; give a number from 1 to 64",
        ),
        (
            "(scenes: [\"a\"], steps: 1, seeds: [1.5])",
            "1: seeds: `1.5` is out of range; give a whole number from 0 to 18446744073709551615",
        ),
        (
            "(scenes: [\"a\"], steps: 1, seeds: 3)",
            "1: `3` is no value here; give seeds as a list, such as [None, 1, 2] or Range(first: 0, count: 100)",
        ),
        (
            "(scenes: [\"a\"], steps: 1, seeds: Range(0, 3))",
            "1: seeds: write a range as Range(first: 0, count: 100)",
        ),
        (
            "(scenes: [\"a\"], steps: 1, seeds: Range(first: 0, count: 0))",
            "1: seeds: write a range as Range(first: 0, count: 100)",
        ),
        (
            "(scenes: [\"a\"], steps: 1, seeds: Range(first: 18446744073709551615, count: 2))",
            "1: seeds: write a range as Range(first: 0, count: 100)",
        ),
        (
            "(scenes: [\"a\"], steps: 1, set: [1])",
            "1: `[1]` is no value here; give set as {\"entity.component.property\": [values]}",
        ),
        (
            "(scenes: [\"a\"], steps: 1, set: {\"p\": 1})",
            "1: `1` is no value here; give the values of \"p\" as a list, such as [1.0, 2.0]",
        ),
        (
            "(scenes: [\"a\"], steps: 1, set: {\"p\": [1],\n\"p\": [2]})",
            "2: \"p\" is set twice; put all values in one list",
        ),
        (
            "(scenes: [\"a\"], steps: 1, set: {\"p\": [0x10]})",
            "1: `0x10` is no value; write numbers as 3, -0.5 or 1e-3, and put texts in quotes",
        ),
        (
            "(scenes: [\"a\"], steps: 1, set: {\"p\": [Some(1)]})",
            "1: `Some(1)` is no value; write vectors as (1, 2)",
        ),
        (
            "(scenes: [\"a\"], steps: 1, set: {\"p\": [[1]]})",
            "1: `[1]` is no value; write vectors as (1, 2)",
        ),
        (
            "(scenes: [\"a\"], steps: 1, set: {\"p\": [{}]})",
            "1: `{}` is no value; write vectors as (1, 2)",
        ),
        (
            "(scenes: [\"a\"], steps: 1, read: [3])",
            "1: read: `3` is no text; put it in quotes",
        ),
        (
            "(scenes: [\"a\"], steps: 1, out: 3)",
            "1: out: `3` is no text; put it in quotes",
        ),
    ];

    #[test]
    fn what_is_wrong_is_named_with_its_line_and_what_to_write() {
        for (text, message) in WRONG {
            let Failure(why) = SweepFile::parse("s.ron", text).unwrap_err();
            assert_eq!(why, format!("s.ron:{message}"), "{text}");
        }
        for text in ["", "(steps: 3", "(steps: 3) 4", "(scenes: [\"a\"] steps: 1)"] {
            let Failure(why) = SweepFile::parse("s.ron", text).unwrap_err();
            assert_eq!(why, "s.ron: line 1: this cannot be read", "{text}");
        }
    }
}
