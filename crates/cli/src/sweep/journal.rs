//! The file beside a table that keeps finished rows: a line of JSON for each job, its key and its row. A sweep that was
//! killed continues from it, also one of `tombolo.sweep`, whose lines are the same.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::cell::{Cell, json_text};
use super::outcome::Outcome;
use super::plan::{Job, Plan};
use crate::output::Failure;

/// The outcomes of jobs by key, and the file that keeps them.
pub(super) struct Journal {
    pub(super) path: PathBuf,
    pub(super) outcomes: BTreeMap<String, Outcome>,
    file: File,
}

impl Journal {
    /// Reads the journal of a table, and appends to it. Lines that cannot be read are skipped, such as one that was cut
    /// short by a kill: their jobs run again.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub(super) fn open(table: &Path, plan: &Plan) -> Result<Self, Failure> {
        let mut path = table.as_os_str().to_owned();
        path.push(".part");
        let path = PathBuf::from(path);
        let refuse = |error| Failure(format!("{}: cannot be written: {error}", path.display()));
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(refuse)?;
        }
        let known = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            read => read.map_err(refuse)?,
        };
        let lines = known.split(|byte| *byte == b'\n');
        let outcomes = lines.filter_map(|line| outcome_of(line, plan)).collect();
        let mut file = File::options()
            .append(true)
            .create(true)
            .open(&path)
            .map_err(refuse)?;
        // The last line may be incomplete.
        file.write_all(b"\n").map_err(refuse)?;
        Ok(Self { path, outcomes, file })
    }

    /// Appends an outcome.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn add(&mut self, plan: &Plan, job: &Job, outcome: Outcome) -> Result<(), Failure> {
        let cells = [plan.asked(job), outcome.cells(plan)].concat();
        let row = plan.columns().into_iter().zip(&cells);
        let row = row.map(|(name, cell)| format!("{}: {}", json_text(name), cell.json()));
        let row = row.collect::<Vec<_>>().join(", ");
        let line = format!("[{}, {{{row}}}]\n", json_text(&job.key));
        let written = self.file.write_all(line.as_bytes());
        written.map_err(|error| Failure(format!("{}: cannot be written: {error}", self.path.display())))?;
        self.outcomes.insert(job.key.clone(), outcome);
        Ok(())
    }

    /// Removes the file, once the table is written.
    ///
    /// # Errors
    /// The file cannot be removed. That it is gone is none: the same sweep may have run twice at once.
    pub(super) fn remove(self) -> Result<(), Failure> {
        let removed = match fs::remove_file(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed,
        };
        removed.map_err(|error| Failure(format!("{}: cannot be removed: {error}", self.path.display())))
    }
}

/// The job's key and outcome in a line; `None` if the line is invalid, or one of another sweep without this one's
/// columns.
fn outcome_of(line: &[u8], plan: &Plan) -> Option<(String, Outcome)> {
    let (key, row): (String, Value) = serde_json::from_slice(line).ok()?;
    let error = row.get("error")?.as_str().map(str::to_string);
    let Some(hash) = row.get("hash")?.as_str().map(str::to_string) else {
        return Some((key, Outcome::Refused(error?)));
    };
    let read = plan.read.iter().map(|name| Cell::of_json(row.get(name)?));
    let read = read.collect::<Option<_>>()?;
    Some((
        key,
        Outcome::Done {
            read,
            hash,
            fault: error,
        },
    ))
}
