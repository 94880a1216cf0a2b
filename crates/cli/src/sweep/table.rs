//! The table of a sweep in CSV, with the quotes and line ends of Python's module `csv`; and the check whether an
//! existing table is one of the same sweep.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::cell::Cell;
use super::outcome::Outcome;
use super::plan::Plan;

/// The text of the table. Every job must have its outcome.
pub(super) fn table(plan: &Plan, outcomes: &BTreeMap<String, Outcome>) -> String {
    let mut text = heading(plan);
    for job in &plan.jobs {
        let Some(outcome) = outcomes.get(&job.key) else {
            continue;
        };
        let cells = [plan.asked(job), outcome.cells(plan)].concat();
        text += &record(cells.iter().map(cell_text));
    }
    text
}

/// Whether a text is a table of this sweep: it has the same columns, and rows for the same scenes, seeds, values and steps.
pub(super) fn is_of(text: &str, plan: &Plan) -> bool {
    let Some(rows) = text.strip_prefix(&heading(plan)) else {
        return false;
    };
    let mut rows = Records(rows);
    let all_there = plan.jobs.iter().all(|job| {
        let mut asked = record(plan.asked(job).iter().map(cell_text));
        // The row may continue after the cells of the plan.
        asked.pop();
        asked.push(',');
        rows.next().is_some_and(|row| row.starts_with(&asked))
    });
    all_there && rows.next().is_none()
}

fn heading(plan: &Plan) -> String {
    record(plan.columns().into_iter().map(Cow::Borrowed))
}

fn cell_text(cell: &Cell) -> Cow<'_, str> {
    match cell {
        Cell::Nothing => Cow::Borrowed(""),
        other => Cow::Owned(other.python_text()),
    }
}

/// A row: cells, in quotes if they need them, with commas between them.
fn record<'c>(cells: impl Iterator<Item = Cow<'c, str>>) -> String {
    let cells: Vec<String> = cells
        .map(|cell| {
            if cell.contains([',', '"', '\n', '\r']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell.into_owned()
            }
        })
        .collect();
    cells.join(",") + "\n"
}

/// The rows of a text; a line end within quotes does not end a row.
struct Records<'t>(&'t str);

impl<'t> Iterator for Records<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let mut is_quoted = false;
        let end = self.0.bytes().position(|byte| {
            is_quoted ^= byte == b'"';
            byte == b'\n' && !is_quoted
        });
        let (row, rest) = self.0.split_at(end? + 1);
        self.0 = rest;
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_quotes_where_they_need_some() {
        let cells = ["a b", "[1.0, 2.0]", "", "\"q\"", "two\nlines", " a", "c\rd"];
        let row = record(cells.into_iter().map(Cow::Borrowed));
        let wanted = "a b,\"[1.0, 2.0]\",,\"\"\"q\"\"\",\"two\nlines\", a,\"c\rd\"\n";
        assert_eq!(row, wanted);
        let both = format!("{row}{row}");
        assert_eq!(Records(&both).collect::<Vec<_>>(), [wanted, wanted]);
        assert_eq!(Records("cut \"off\n").next(), None);
    }
}
