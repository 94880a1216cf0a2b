//! Area `ground`: terrain and characters of games. Tile grids are loaded and edited and boxes fall on them here
//! (`tiles.rs`); rays, characters, and the same grids beside Rapier's voxels are run by the runner programs, each in its
//! own process (`asked.rs`).
//!
//! The targets: 10 million cells in a second and two bytes a cell, an edit of a tile in 20 µs, in a large grid in 1.5
//! times the time in a small one, boxes on tiles in 1.1 times the time on a chain, 1,000 characters in 2 ms, rays in a
//! batch in 0.6 times the time of other engines one by one.

mod asked;
mod tiles;

use clap::{ArgMatches, Args, FromArgMatches};

use super::{Area, Run};

pub(super) const AREA: Area = Area {
    name: "ground",
    description: "Tile grids, boxes on them, characters and rays, beside Rapier's and Box2D's",
    options: Options::augment_args,
    run,
};

#[derive(Debug, Args)]
struct Options {
    /// Engines whose rays, characters and grids stand beside ours; none for tiles alone
    #[arg(long, value_delimiter = ',', default_value = "box2d,rapier")]
    engines: Vec<String>,
}

fn run(matches: &ArgMatches, run: &mut Run) -> anyhow::Result<()> {
    let options = Options::from_arg_matches(matches)?;
    tiles::loads_and_edits(run)?;
    tiles::edits_by_size(run)?;
    tiles::boxes(run)?;
    let engines: Vec<&str> = options
        .engines
        .iter()
        .map(String::as_str)
        .filter(|name| !name.is_empty() && *name != "none")
        .collect();
    if !engines.is_empty() {
        asked::compare(run, &engines)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_listed_with_commas() {
        let command = (AREA.options)(clap::Command::new(AREA.name).no_binary_name(true));
        let matches = command.get_matches_from(["--engines", "rapier,box2d"]);
        let options = Options::from_arg_matches(&matches).unwrap();
        assert_eq!(options.engines, ["rapier", "box2d"]);
    }
}
