//! `tombolo-fuzz FAMILY`: Tombolo against oracles, on hostile inputs.
//!
//! This file has the command line. The others: `families/` (the tests; a new family is one file and one line),
//! `family.rs` (the interface of a family), `harness.rs` (cases, panics, shrinking), `corpus.rs` (kept seeds),
//! `random.rs` (numbers, and forged bytes), `watch.rs` (time and memory of a case), `report.rs` (progress, table).
//!
//! Priorities, in this order: a find is never lost (its seed is printed and kept, even if the program crashes);
//! everything follows from the seed; a case is quick.

mod corpus;
mod families;
mod family;
mod harness;
mod random;
mod report;
mod watch;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use clap::Parser;

use corpus::{Corpus, parse_seed};
use families::FAMILIES;
use harness::{Entry, Length, Settings};

/// Runs families of random cases against oracles; fails if one finds something.
#[derive(Debug, Parser)]
#[command(name = "tombolo-fuzz")]
struct Options {
    /// Families to run, or `all`
    #[arg(required_unless_present = "list")]
    families: Vec<String>,
    /// Run so many cases of each family [default: the family's own number]
    #[arg(long, conflicts_with_all = ["hours", "seconds"])]
    cases: Option<u64>,
    /// Run each family for so many hours
    #[arg(long, conflicts_with = "seconds")]
    hours: Option<f64>,
    /// Run each family for so many seconds
    #[arg(long)]
    seconds: Option<f64>,
    /// The seed of the seeds, decimal or after 0x; another one gives other cases
    #[arg(long, default_value = "1", value_parser = parse_seed)]
    seed: u64,
    /// Divide the families' own numbers of cases by this
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    share: u64,
    /// Leave a family after so many finds
    #[arg(long, default_value_t = 1, value_name = "COUNT")]
    finds: u64,
    /// Run the one case of this seed, and show its operations
    #[arg(long, value_name = "SEED", value_parser = parse_seed)]
    replay: Option<u64>,
    /// Print each seed before its case runs: for cases that kill the program
    #[arg(long)]
    trace: bool,
    /// Where seeds of finds are kept
    #[arg(long, value_name = "FOLDER")]
    corpus: Option<PathBuf>,
    /// List the families
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    match run(Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            report::print_note(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs the families; returns whether nothing was found.
fn run(options: Options) -> anyhow::Result<bool> {
    if options.list {
        report::print_families(FAMILIES)?;
        return Ok(true);
    }
    let families = chosen(&options.families)?;
    watch::start();
    harness::note_panics();
    if let Some(seed) = options.replay {
        return Ok(families.iter().all(|family| family.replay(seed, true)));
    }
    let seconds = options.hours.map(|hours| hours * 3600.0).or(options.seconds);
    let length = options.cases.map(Length::Cases).or(seconds.map(Length::Seconds));
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let settings = Settings {
        length,
        share: options.share,
        seed: options.seed,
        finds_max: options.finds,
        trace: options.trace,
        corpus: Corpus::new(options.corpus.unwrap_or(kept)),
    };
    let outcomes = families
        .iter()
        .map(|family| family.run(&settings))
        .collect::<anyhow::Result<Vec<_>>>()?;
    report::print_outcomes(&outcomes)?;
    Ok(outcomes.iter().all(|outcome| outcome.finds == 0))
}

/// The families of these names, in the registry's order.
fn chosen(words: &[String]) -> anyhow::Result<Vec<&'static Entry>> {
    let is_known = |word: &str| word == "all" || FAMILIES.iter().any(|family| family.name == word);
    if let Some(unknown) = words.iter().find(|word| !is_known(word)) {
        let names: Vec<_> = FAMILIES.iter().map(|family| family.name).collect();
        bail!(
            "there is no family {unknown:?}; there are {}, and all",
            names.join(", ")
        );
    }
    let is_meant = |word: &String, family: &Entry| word == family.name || (word == "all" && family.cases > 0);
    let is_chosen = |family: &&Entry| words.iter().any(|word| is_meant(word, family));
    Ok(FAMILIES.iter().filter(is_chosen).collect())
}
