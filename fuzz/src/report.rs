//! The only file that prints: progress and finds on standard error, the table of results on standard output.

use std::io::{self, Write};
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};

use crate::harness::{Entry, Length, Outcome};

/// Prints a note on standard error, above the progress line.
pub(crate) fn print_note(message: &str) {
    // If standard error is closed the message is lost; the exit code still reports the failure.
    let _ = writeln!(io::stderr().lock(), "{message}");
}

/// The progress of a family.
pub(crate) struct Progress {
    bar: ProgressBar,
    length: Length,
}

impl Progress {
    pub(crate) fn start(family: &'static str, length: Length) -> Self {
        let total = match length {
            Length::Cases(count) => count,
            Length::Seconds(seconds) => seconds as u64,
        };
        let style = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} {msg} {eta}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(total).with_style(style).with_prefix(family);
        bar.enable_steady_tick(Duration::from_millis(500));
        Self { bar, length }
    }

    pub(crate) fn show(&self, case: u64, seconds: f64) {
        // Updating the bar costs more than a short case.
        if !case.is_multiple_of(16) {
            return;
        }
        match self.length {
            Length::Cases(_) => self.bar.set_position(case),
            Length::Seconds(_) => {
                self.bar.set_position(seconds as u64);
                self.bar.set_message(format!("{case} cases"));
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Prints the families with their questions.
pub(crate) fn print_families(families: &[Entry]) -> io::Result<()> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["family", "cases", "asks"]);
    for family in families {
        table.add_row([
            family.name.to_owned(),
            family.cases.to_string(),
            family.about.to_owned(),
        ]);
    }
    align_right(&mut table, &[1]);
    writeln!(io::stdout().lock(), "{table}")
}

/// Prints the results of the runs.
pub(crate) fn print_outcomes(outcomes: &[Outcome]) -> io::Result<()> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["family", "cases", "seconds", "cases/s", "finds"]);
    for outcome in outcomes {
        table.add_row([
            outcome.family.to_owned(),
            outcome.cases.to_string(),
            format!("{:.1}", outcome.seconds),
            format!("{:.0}", outcome.cases as f64 / outcome.seconds.max(1e-9)),
            outcome.finds.to_string(),
        ]);
    }
    align_right(&mut table, &[1, 2, 3, 4]);
    writeln!(io::stdout().lock(), "{table}")
}

fn align_right(table: &mut Table, columns: &[usize]) {
    for &column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}
