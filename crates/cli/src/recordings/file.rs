//! A recording's file, and what the commands say of one.

use std::fs;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use tombolo::physics::{Player, Recording};

use crate::output::{Failure, counted, short};

/// Reads a recording from a file.
///
/// # Errors
/// It cannot be read, or is none.
pub(super) fn open(path: &Path) -> Result<Recording, Failure> {
    let shown = path.display().to_string();
    let refuse = |why: &dyn std::fmt::Display| Failure(format!("{}: {why}", short(&shown)));
    let bytes = fs::read(path).map_err(|error| refuse(&error))?;
    Recording::open(bytes).map_err(|error| refuse(&error))
}

/// A bar on stderr, if that is a terminal.
pub(super) fn bar(length: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    let template = format!("{{bar:40}} {{pos}}/{{len}} {what}, {{eta}} left");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar
}

/// "1,200 steps", and whether that is all.
pub(super) fn length(recording: &Recording) -> String {
    let steps = counted(recording.steps() as usize, "step", "steps");
    let end = if recording.is_whole() {
        ""
    } else {
        ", cut off after that"
    };
    format!("{steps}{end}")
}

/// What a player found of the hashes in its recording.
pub(super) fn agreement(player: &Player<'_>) -> String {
    match player.first_difference() {
        None => "as recorded".to_string(),
        Some([agreed, differs]) => {
            format!("differs from the recording: as recorded after step {agreed}, not after step {differs}")
        }
    }
}
