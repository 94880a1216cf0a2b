//! The progress of a player: the least number of cuts of each level, and its text in a file.

use std::fmt::Write;

use crate::levels::{COUNT, FILES};

/// The first line of a file.
const HEADER: &str = "kerf 1";

/// The least number of cuts with which each level was won.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    best: [Option<u32>; COUNT],
}

impl Progress {
    /// The least number of cuts for a level; `None` if it was not won yet.
    pub fn best(&self, level: usize) -> Option<u32> {
        self.best.get(level).copied().flatten()
    }

    /// Whether a level may be played: the first, and each that follows one that was won.
    pub fn is_open(&self, level: usize) -> bool {
        level == 0 || level < COUNT && self.best(level - 1).is_some()
    }

    /// The first level that was not won, or the last.
    pub fn next(&self) -> usize {
        self.best.iter().position(Option::is_none).unwrap_or(COUNT - 1)
    }

    /// Records that a level was won with a number of cuts; returns whether that is better than before.
    pub fn win(&mut self, level: usize, cuts: u32) -> bool {
        let Some(best) = self.best.get_mut(level) else {
            return false;
        };
        let better = best.is_none_or(|best| cuts < best);
        if better {
            *best = Some(cuts);
        }
        better
    }

    /// The text of a file: a line for each level that was won, its scene file and the cuts.
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for ((file, _), best) in FILES.iter().zip(self.best) {
            if let Some(cuts) = best {
                writeln!(text, "{file} {cuts}").expect("strings grow");
            }
        }
        text
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// One line that says which line of the text is wrong. Levels that this game does not have are skipped.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let mut lines = text.lines();
        if lines.next() != Some(HEADER) {
            return Err(format!("line 1: the progress of a game begins with {HEADER:?}"));
        }
        let mut progress = Self::default();
        for (number, line) in lines.enumerate() {
            let parts = line
                .split_once(' ')
                .and_then(|(file, cuts)| Some((file, cuts.parse().ok()?)));
            let Some((file, cuts)) = parts else {
                return Err(format!(
                    "line {}: {line:?} is not a level and a number of cuts",
                    number + 2
                ));
            };
            if let Some(level) = FILES.iter().position(|(known, _)| *known == file) {
                progress.win(level, cuts);
            }
        }
        Ok(progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_open_one_after_the_other_and_stay_won() {
        let mut progress = Progress::default();
        assert!(progress.is_open(0) && !progress.is_open(1) && progress.next() == 0);
        assert!(progress.win(0, 2) && !progress.win(0, 2) && progress.win(0, 1));
        assert!(progress.is_open(1) && !progress.is_open(2) && progress.next() == 1);
        assert!(!progress.is_open(COUNT) && !progress.win(COUNT, 1));
        let text = progress.to_text();
        assert_eq!(text, "kerf 1\n1-first-snip.ron 1\n");
        assert_eq!(Progress::from_text(&text), Ok(progress));
    }

    #[test]
    fn other_files_are_refused() {
        assert!(Progress::from_text("").is_err());
        let wrong = Progress::from_text("kerf 1\n1-first-snip.ron few\n").expect_err("not a number");
        assert_eq!(
            wrong,
            "line 2: \"1-first-snip.ron few\" is not a level and a number of cuts"
        );
        assert_eq!(
            Progress::from_text("kerf 1\n99-later.ron 3\n"),
            Ok(Progress::default())
        );
    }
}
