//! `tombolo-bench AREA`: Tombolo beside other libraries, in one run on one machine.
//!
//! This file has the command line and the order in which an area is run and reported. The files: `areas/` (the
//! comparisons; a new area is one file and one line), `measure.rs` (the timing), `yardstick.rs` (the measure of
//! overlaps), `report.rs` (results, table, JSON), `plot.rs` (SVG and PNG).
//!
//! Standard output has the result alone, so that `--json` can be piped; progress goes to standard error.

mod areas;
mod measure;
mod plot;
mod report;
mod yardstick;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use areas::{AREAS, Area, Run};
use clap::{Arg, ArgAction, ArgMatches, Command};

fn main() -> ExitCode {
    let matches = command().get_matches();
    let Some((name, area_matches)) = matches.subcommand() else {
        unreachable!("clap refuses a command line without an area");
    };
    let area = AREAS
        .iter()
        .find(|area| area.name == name)
        .expect("clap knows the areas of the registry only");
    match run(area, &matches, area_matches) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report::print_note(&format!("{name}: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn command() -> Command {
    let base = Command::new("tombolo-bench")
        .about("Times Tombolo beside other libraries, in one run on one machine")
        .subcommand_required(true)
        .subcommand_value_name("AREA")
        .subcommand_help_heading("Areas")
        .arg(flag(
            "json",
            "Print one JSON object per row and nothing else on standard output",
        ))
        .arg(flag(
            "smoke",
            "Run one round of each case and check the answers; times mean nothing",
        ))
        .arg(
            Arg::new("out")
                .long("out")
                .global(true)
                .value_name("FOLDER")
                .value_parser(clap::value_parser!(PathBuf))
                .default_value("out")
                .help("Where plots and pictures are written"),
        );
    AREAS.iter().fold(base, |command, area| {
        command.subcommand((area.options)(Command::new(area.name)).about(area.description))
    })
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .global(true)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn run(area: &Area, matches: &ArgMatches, area_matches: &ArgMatches) -> anyhow::Result<()> {
    let mut run = Run {
        smoke: matches.get_flag("smoke"),
        out: matches.get_one::<PathBuf>("out").expect("has a default").clone(),
        report: report::Report::new(area.name),
        short: Vec::new(),
    };
    std::fs::create_dir_all(&run.out)?;
    (area.run)(area_matches, &mut run)?;
    if matches.get_flag("json") {
        run.report.print_json()?;
    } else {
        run.report.print_table()?;
    }
    plot::ratios(&run.out.join(area.name), &run.report)?;
    ensure!(
        run.short.is_empty(),
        "{} rows fall short: {}",
        run.short.len(),
        run.short.join("; ")
    );
    Ok(())
}
