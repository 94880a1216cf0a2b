//! The kept seeds: one file a family, one find a line. They run before any new case.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use anyhow::Context;

/// A folder of seeds.
#[derive(Debug)]
pub(crate) struct Corpus {
    folder: PathBuf,
}

impl Corpus {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    fn file(&self, family: &str) -> PathBuf {
        self.folder.join(format!("{family}.txt"))
    }

    /// The seeds of a family, oldest first; none if it has no file. The first word of a line is the seed, the rest is
    /// the message of its find.
    pub(crate) fn seeds(&self, family: &str) -> anyhow::Result<Vec<u64>> {
        let file = self.file(family);
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
        };
        let words = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_whitespace().next());
        words
            .map(|word| parse_seed(word).with_context(|| format!("{}", file.display())))
            .collect()
    }

    /// Adds a seed and the first line of its find's message.
    pub(crate) fn keep(&self, family: &str, seed: u64, message: &str) -> anyhow::Result<()> {
        let file = self.file(family);
        fs::create_dir_all(&self.folder)
            .with_context(|| format!("cannot make the folder {}", self.folder.display()))?;
        let line: String = message
            .lines()
            .next()
            .unwrap_or_default()
            .chars()
            .take(150)
            .collect();
        let mut opened = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&file)
            .with_context(|| format!("cannot open {}", file.display()))?;
        writeln!(opened, "{seed:#018x} {line}").with_context(|| format!("cannot write {}", file.display()))
    }
}

/// A seed in decimal, or in hexadecimal after `0x`.
pub(crate) fn parse_seed(word: &str) -> anyhow::Result<u64> {
    let parsed = match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => word.parse(),
    };
    parsed.with_context(|| format!("{word} is no seed: give a number of 64 bits, decimal or after 0x"))
}
