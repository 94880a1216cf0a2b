//! The file of blessed hashes: for each scene the hash of its state after a number of steps.
//!
//! One line for each scene, `scene hash steps # reason`, where the reason says why the hash last changed. Other lines
//! that begin with `#` are comments and stay.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::Path;

use crate::output::{Failure, write_file};

/// The path of the file in the repository.
pub(crate) const FILE: &str = "scenes/golden.txt";

/// The content of the file when the command was built.
const BUILT_IN: &str = include_str!("../scenes/golden.txt");

/// One blessed hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blessed {
    pub(crate) scene: String,
    pub(crate) hash: u64,
    pub(crate) steps: u32,
    pub(crate) reason: String,
}

/// The file, line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Golden {
    comments: Vec<String>,
    rows: Vec<Blessed>,
}

impl Golden {
    /// The blessed hashes to compare with: of a given file, which must exist; else of the file in the repository; else
    /// those that this command was built with.
    ///
    /// # Errors
    /// The file cannot be read, or a line has another form.
    pub(crate) fn find_file(given: Option<&Path>) -> Result<Self, Failure> {
        let path = given.unwrap_or(Path::new(FILE));
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&path.display().to_string(), &text),
            Err(error) if given.is_none() && error.kind() == ErrorKind::NotFound => {
                Self::parse(FILE, BUILT_IN)
            }
            Err(error) => Err(Failure(format!("{}: cannot be read: {error}", path.display()))),
        }
    }

    /// The file to add to; a file that does not exist is empty.
    ///
    /// # Errors
    /// In the same cases as [`Golden::find_file`].
    pub(crate) fn to_change(path: &Path) -> Result<Self, Failure> {
        match std::fs::read_to_string(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            _ => Self::find_file(Some(path)),
        }
    }

    fn parse(file: &str, text: &str) -> Result<Self, Failure> {
        let mut golden = Self::default();
        for (index, line) in text.lines().enumerate() {
            if line.starts_with('#') {
                golden.comments.push(line.to_string());
            } else if !line.trim().is_empty() {
                let row = parse_row(line).ok_or_else(|| {
                    let number = index + 1;
                    Failure(format!(
                        "{file}:{number}: not of the form `scene hash steps # reason`"
                    ))
                })?;
                golden.rows.push(row);
            }
        }
        Ok(golden)
    }

    /// The blessed hash of a scene.
    pub(crate) fn find(&self, scene: &str) -> Option<&Blessed> {
        self.rows.iter().find(|row| row.scene == scene)
    }

    /// Sets the blessed hash of a scene. A row with the same hash keeps its reason.
    ///
    /// # Errors
    /// A name that a row of the file cannot hold.
    pub(crate) fn bless(&mut self, blessed: Blessed) -> Result<(), Failure> {
        if blessed
            .scene
            .contains(|letter: char| letter.is_whitespace() || letter == '#')
        {
            return Err(Failure(format!(
                "a scene called {:?} cannot be blessed: give the file a name without blanks and #",
                blessed.scene
            )));
        }
        match self.rows.iter_mut().find(|row| row.scene == blessed.scene) {
            Some(row) if (row.hash, row.steps) == (blessed.hash, blessed.steps) => {}
            Some(row) => *row = blessed,
            None => self.rows.push(blessed),
        }
        Ok(())
    }

    /// Writes the file.
    ///
    /// # Errors
    /// In the same cases as [`write_file`].
    pub(crate) fn save(&self, path: &Path) -> Result<(), Failure> {
        write_file(path, self.text().as_bytes())
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for comment in &self.comments {
            let _ = writeln!(text, "{comment}");
        }
        let width = self.rows.iter().map(|row| row.scene.len()).max().unwrap_or(0);
        for Blessed {
            scene,
            hash,
            steps,
            reason,
        } in &self.rows
        {
            let _ = writeln!(text, "{scene:width$} {hash:016x} {steps} # {reason}");
        }
        text
    }
}

fn parse_row(line: &str) -> Option<Blessed> {
    let (row, reason) = line.split_once('#')?;
    let mut words = row.split_whitespace();
    let (scene, hash, steps) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || hash.len() != 16 || reason.trim().is_empty() {
        return None;
    }
    Some(Blessed {
        scene: scene.to_string(),
        hash: u64::from_str_radix(hash, 16).ok()?,
        steps: steps.parse().ok()?,
        reason: reason.trim().to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# What the hashes are.\n\
                        harbour 0123456789abcdef 600 # first\n\
                        drop    00000000000000ff 90 # a # in the reason\n";

    #[test]
    fn the_file_comes_back_as_it_was() {
        let golden = Golden::parse("golden.txt", TEXT).unwrap();
        assert_eq!(golden.text(), TEXT);
        assert_eq!(golden.find("drop").unwrap().reason, "a # in the reason");
        assert_eq!(golden.find("nothing"), None);
    }

    #[test]
    fn blessing_replaces_adds_and_keeps_a_reason_that_still_holds() {
        let mut golden = Golden::parse("golden.txt", TEXT).unwrap();
        let row = |scene: &str, hash, reason: &str| Blessed {
            scene: scene.to_string(),
            hash,
            steps: 90,
            reason: reason.to_string(),
        };
        golden.bless(row("drop", 0xff, "not needed")).unwrap();
        assert_eq!(golden.find("drop").unwrap().reason, "a # in the reason");
        golden.bless(row("drop", 0xfe, "friction")).unwrap();
        golden.bless(row("new", 1, "added")).unwrap();
        assert_eq!(golden.find("drop"), Some(&row("drop", 0xfe, "friction")));
        assert_eq!(golden.find("new"), Some(&row("new", 1, "added")));
    }

    #[test]
    fn a_bad_line_is_named() {
        let bad = [
            "harbour 12 600 # short",
            "harbour 0123456789abcdef # no steps",
            "harbour 0123456789abcdef 600",
        ];
        for line in bad {
            let Failure(message) = Golden::parse("golden.txt", &format!("# ok\n{line}\n")).unwrap_err();
            assert_eq!(
                message,
                "golden.txt:2: not of the form `scene hash steps # reason`"
            );
        }
    }
}
