//! The results of an area, and their output: an aligned table for people, one JSON object per line for programs. The
//! only file that prints.

use std::io::{self, IsTerminal, Write};

use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::measure::Timing;

/// One figure of ours, beside a peer's if there is one.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    /// The area's name.
    pub area: &'static str,
    /// The scene, size or operation.
    pub case: String,
    /// The name of the figure.
    pub metric: String,
    /// The unit of `ours` and `theirs`; empty for a plain number.
    pub unit: &'static str,
    /// Our figure.
    pub ours: f64,
    /// The peer of the comparison.
    pub peer: Option<String>,
    /// The peer's figure; None if it has none.
    pub theirs: Option<f64>,
    /// `ours / theirs`: below 1 is better for costs. None if theirs is 0.
    pub ratio: Option<f64>,
    /// The median of the rounds' own ratios, if the rounds were paired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio_median: Option<f64>,
    /// The comparison of ours with all peers, if the area has one.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

/// The comparison of our figure with the better peer's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Verdict {
    /// Our figure over the better peer's.
    pub to_better: f64,
    /// Whether that is more than allowed.
    pub falls_short: bool,
    /// The reason, or a note for the reader; may be empty.
    pub note: &'static str,
}

/// The rows of one run of one area, in the order in which they were pushed.
pub(crate) struct Report {
    area: &'static str,
    rows: Vec<Row>,
}

impl Report {
    /// A report without rows.
    pub(crate) fn new(area: &'static str) -> Self {
        Self {
            area,
            rows: Vec::new(),
        }
    }

    /// The rows so far.
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The area's name.
    pub(crate) fn area(&self) -> &'static str {
        self.area
    }

    /// Adds one figure; `peer` is a name and the peer's figure.
    pub(crate) fn push(
        &mut self,
        case: &str,
        metric: &str,
        unit: &'static str,
        ours: f64,
        peer: Option<(&str, f64)>,
    ) {
        self.rows.push(Row {
            area: self.area,
            case: case.to_owned(),
            metric: metric.to_owned(),
            unit,
            ours,
            peer: peer.map(|(name, _)| name.to_owned()),
            theirs: peer.map(|(_, value)| value),
            ratio: peer
                .map(|(_, value)| ours / value)
                .filter(|ratio| ratio.is_finite()),
            ratio_median: None,
            verdict: None,
        });
    }

    /// Adds one figure of ours and those of all peers, one row each, with one verdict. A peer without the figure lacks
    /// the feature.
    pub(crate) fn push_judged(
        &mut self,
        case: &str,
        metric: &str,
        unit: &'static str,
        ours: f64,
        peers: &[(&str, Option<f64>)],
        verdict: Option<Verdict>,
    ) {
        if peers.is_empty() {
            self.push(case, metric, unit, ours, None);
        }
        for &(name, theirs) in peers {
            self.push(case, metric, unit, ours, theirs.map(|value| (name, value)));
            let row = self.rows.last_mut().expect("just pushed");
            row.peer = Some(name.to_owned());
            row.verdict = verdict;
        }
    }

    /// Adds a row for each peer: minima of the rounds, each divided by `operations` (the number in one round), and the
    /// median of the paired ratios.
    pub(crate) fn compare(
        &mut self,
        case: &str,
        metric: &str,
        unit: &'static str,
        operations: f64,
        ours: &Timing,
        peers: &[&Timing],
    ) {
        for peer in peers {
            let theirs = peer.minimum_ns() / operations;
            self.push(
                case,
                metric,
                unit,
                ours.minimum_ns() / operations,
                Some((&peer.name, theirs)),
            );
            let row = self.rows.last_mut().expect("just pushed");
            row.ratio_median = Some(ours.median_ratio_to(peer));
        }
    }

    /// Prints the table for people: a line for each peer, or with verdicts a line for each figure.
    pub(crate) fn print_table(&self) -> io::Result<()> {
        if self.rows.iter().any(|row| row.verdict.is_some()) {
            return self.print_verdicts();
        }
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header([
            "case", "metric", "unit", "ours", "theirs", "ratio", "median", "peer",
        ]);
        for row in &self.rows {
            table.add_row([
                row.case.clone(),
                row.metric.clone(),
                row.unit.to_owned(),
                figure(Some(row.ours)),
                match (&row.peer, row.theirs) {
                    (Some(_), None) => "lacks it".to_owned(),
                    (_, theirs) => figure(theirs),
                },
                figure(row.ratio),
                figure(row.ratio_median),
                row.peer.clone().unwrap_or_default(),
            ]);
        }
        for column in 3..=6 {
            table
                .column_mut(column)
                .expect("eight columns")
                .set_cell_alignment(CellAlignment::Right);
        }
        writeln!(io::stdout().lock(), "{table}")
    }

    fn print_verdicts(&self) -> io::Result<()> {
        let mut peers: Vec<&str> = Vec::new();
        for peer in self.rows.iter().filter_map(|row| row.peer.as_deref()) {
            if !peers.contains(&peer) {
                peers.push(peer);
            }
        }
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        let mut header = vec!["case", "metric", "unit", "ours"];
        header.extend(&peers);
        header.extend(["to better", "", "note"]);
        table.set_header(header);
        for group in self
            .rows
            .chunk_by(|a, b| (&a.case, &a.metric) == (&b.case, &b.metric))
        {
            let (first, verdict) = (&group[0], group[0].verdict);
            let mut cells = vec![
                first.case.clone(),
                first.metric.clone(),
                first.unit.to_owned(),
                figure(Some(first.ours)),
            ];
            for peer in &peers {
                let row = group.iter().find(|row| row.peer.as_deref() == Some(peer));
                cells.push(match row {
                    Some(Row { theirs: None, .. }) => "lacks it".to_owned(),
                    _ => figure(row.and_then(|row| row.theirs)),
                });
            }
            cells.push(verdict.map_or(String::new(), |verdict| format!("{:.2}", verdict.to_better)));
            let is_short = verdict.is_some_and(|verdict| verdict.falls_short);
            cells.push(if is_short { "SHORT" } else { "" }.to_owned());
            cells.push(verdict.map_or("", |verdict| verdict.note).to_owned());
            table.add_row(cells);
        }
        for column in 3..=4 + peers.len() {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        writeln!(io::stdout().lock(), "{table}")
    }

    /// Prints one JSON object per row.
    pub(crate) fn print_json(&self) -> anyhow::Result<()> {
        let mut out = io::stdout().lock();
        for row in &self.rows {
            writeln!(out, "{}", serde_json::to_string(row)?)?;
        }
        Ok(())
    }
}

/// Four significant digits, without an exponent if the number is readable without one; empty for none.
fn figure(value: Option<f64>) -> String {
    let Some(value) = value else { return String::new() };
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e7).contains(&size) {
        return format!("{value:.3e}");
    }
    let decimals = match size {
        s if s >= 1000.0 => 0,
        s if s >= 100.0 => 1,
        s if s >= 10.0 => 2,
        s if s >= 0.1 || s == 0.0 => 3,
        _ => 6,
    };
    format!("{value:.decimals$}")
}

/// Prints a note on standard error about an error or something left out.
pub(crate) fn print_note(message: &str) {
    // If standard error is closed the message is lost; the exit code still reports the failure.
    let _ = writeln!(io::stderr().lock(), "tombolo-bench: {message}");
}

/// A bar on standard error that goes away when dropped; silent when standard error is not a terminal, unless asked for
/// lines.
pub(crate) struct Progress {
    bar: ProgressBar,
    label: String,
    has_lines: bool,
}

impl Progress {
    /// Starts a bar of `count` equal parts.
    pub(crate) fn start(label: &str, count: usize) -> Self {
        let style =
            ProgressStyle::with_template("{msg:40} [{bar:30}] {pos}/{len} {eta}").expect("a fixed template");
        Self {
            bar: ProgressBar::new(count as u64)
                .with_style(style)
                .with_message(label.to_owned()),
            label: label.to_owned(),
            has_lines: false,
        }
    }

    /// Without a terminal, prints some twenty lines in place of the bar: for runs of minutes.
    pub(crate) fn with_lines(mut self) -> Self {
        self.has_lines = !io::stderr().is_terminal();
        self
    }

    /// Counts one finished part.
    pub(crate) fn advance(&self) {
        self.bar.inc(1);
        let (done, count) = (self.bar.position(), self.bar.length().unwrap_or(0));
        if self.has_lines && is_told(done, count) {
            print_note(&format!("{}: {done} of {count}", self.label));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Whether the progress at this part is printed as a line.
fn is_told(done: u64, count: u64) -> bool {
    done * LINES / count != (done - 1) * LINES / count
}

/// The number of lines of progress in a long run.
const LINES: u64 = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_about_four_digits() {
        assert_eq!(figure(None), "");
        assert_eq!(figure(Some(0.0)), "0.000");
        assert_eq!(figure(Some(0.5)), "0.500");
        assert_eq!(figure(Some(12.345)), "12.35");
        assert_eq!(figure(Some(12345.6)), "12346");
        assert_eq!(figure(Some(3.2e9)), "3.200e9");
    }

    #[test]
    fn a_run_tells_of_all_parts_or_of_twenty() {
        let told = |count: u64| (1..=count).filter(|&done| is_told(done, count)).count();
        assert_eq!([told(1), told(19), told(20), told(207)], [1, 19, 20, 20]);
    }

    #[test]
    fn a_row_serializes_to_the_agreed_fields() {
        let mut report = Report::new("noise");
        report.push("sum", "time", "ns", 1.0, Some(("other", 2.0)));
        let json = serde_json::to_string(&report.rows()[0]).unwrap();
        assert_eq!(
            json,
            r#"{"area":"noise","case":"sum","metric":"time","unit":"ns","ours":1.0,"peer":"other","theirs":2.0,"ratio":0.5}"#
        );
    }

    #[test]
    fn comparing_takes_minima_and_the_median_of_paired_ratios() {
        let mut report = Report::new("noise");
        let ours = Timing {
            name: "ours".into(),
            rounds_ns: vec![10.0, 40.0, 20.0],
        };
        let theirs = Timing {
            name: "theirs".into(),
            rounds_ns: vec![20.0, 40.0, 80.0],
        };
        report.compare("sum", "time", "ns", 10.0, &ours, &[&theirs]);
        let row = &report.rows()[0];
        assert_eq!(
            (row.ours, row.theirs, row.ratio, row.ratio_median),
            (1.0, Some(2.0), Some(0.5), Some(0.5))
        );
    }
}
