//! The areas of the bench, one file each. A new area is a file here and a line in [`AREAS`].
//!
//! An area runs its cases, checks that all contenders give the same result, and pushes rows, from which table, JSON and
//! the plot of ratios are made.

mod bevy;
mod busy;
mod calls;
mod entities;
mod ground;
mod handles;
mod handles_peers;
mod islands;
mod locks;
mod noise;
mod physics;
mod quality;
mod rewind;
mod scaling;
mod seeds;
mod space;
mod split;
mod tasks;
mod tiny;

use std::path::PathBuf;

use clap::{ArgMatches, Command};

use crate::report::Report;

/// One comparison that can be run by its name.
pub(crate) struct Area {
    /// The word on the command line, in every row and in the names of the plots.
    pub name: &'static str,
    /// One line for `--help`.
    pub description: &'static str,
    /// Adds the area's own options to its subcommand: `MyOptions::augment_args` of a `clap::Args`
    /// structure, or [`no_options`].
    pub options: fn(Command) -> Command,
    /// Runs the cases. Reads its options with `MyOptions::from_arg_matches(matches)`.
    pub run: fn(&ArgMatches, &mut Run) -> anyhow::Result<()>,
}

/// The input of an area, and the collector of its results.
pub(crate) struct Run {
    /// One round of each case, smallest sizes, results checked, times meaningless.
    pub smoke: bool,
    /// The folder for plots and pictures; it exists.
    pub out: PathBuf,
    /// Collects the rows.
    pub report: Report,
    /// Rows in which ours is worse than allowed: the run fails once they are shown.
    pub short: Vec<String>,
}

/// Every area, in the order in which `--help` shows them.
pub(crate) const AREAS: &[Area] = &[
    physics::AREA,
    physics::JOINTS,
    physics::WEB,
    quality::AREA,
    handles::AREA,
    locks::AREA,
    tasks::AREA,
    tiny::AREA,
    calls::AREA,
    rewind::AREA,
    scaling::AREA,
    islands::AREA,
    space::AREA,
    split::AREA,
    ground::AREA,
    entities::AREA,
    bevy::AREA,
    // The figures of the articles from which the engine's systems descend.
    seeds::AREA,
    // The machine's own spread: the ratio of two equal things.
    noise::AREA,
];

/// The subcommand of an area without options of its own.
pub(crate) fn no_options(command: Command) -> Command {
    command
}
