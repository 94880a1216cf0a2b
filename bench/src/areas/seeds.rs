//! Area `seeds`: each figure of the articles from which the engine's systems descend, ours beside it, with the misses
//! marked. The figures of ours are rows of the other areas, which are run for it.
//!
//! The articles' machines were others, up to ten years older, so a time of theirs is easy to beat; a ratio between two
//! contenders of one machine is not, and is used if an article has one.

use clap::{ArgMatches, Command};

use super::{Area, Run, entities, handles, islands, locks, no_options, space};
use crate::report::{Report, Row, Verdict, print_note};

pub(super) const AREA: Area = Area {
    name: "seeds",
    description: "The figures of the articles that the systems come from, ours, the ratio, and the misses",
    options: no_options,
    run,
};

fn run(_: &ArgMatches, run: &mut Run) -> anyhow::Result<()> {
    figures(run, handles::article, &HANDLES)?;
    figures(run, handles::owners::sizes, &OWNERS)?;
    figures(run, space::node_sizes, &OCTREES)?;
    figures(run, locks::sizes, &LOCKS)?;
    figures(
        run,
        |run| part(run, &islands::AREA, &["--only", "recorded"]),
        &ISLANDS,
    )?;
    let all: Vec<&Figure> = ENTITIES.iter().chain(&PROTOTYPES).collect();
    figures(run, |run| part(run, &entities::AREA, &["--only", "index"]), all)?;
    let short = |row: &&Row| row.verdict.is_some_and(|verdict| verdict.falls_short);
    let misses = run.report.rows().iter().filter(short).count();
    print_note(&format!(
        "{misses} of {} figures are missed",
        run.report.rows().len()
    ));
    Ok(())
}

/// Runs an area as its command does.
fn part(run: &mut Run, area: &Area, arguments: &[&str]) -> anyhow::Result<()> {
    let command = (area.options)(Command::new(area.name).no_binary_name(true));
    (area.run)(&command.get_matches_from(arguments), run)
}

/// A figure of an article, and the row that has ours.
struct Figure {
    /// Its name, with that of the article.
    name: &'static str,
    unit: &'static str,
    theirs: f64,
    /// The beginning of the row's case, its metric, and the beginning of its peer's name, if that matters.
    row: [&'static str; 3],
    take: Take,
}

/// The value of the row that is our figure.
#[derive(Clone, Copy)]
enum Take {
    /// Ours, times a factor for another unit.
    Ours(f64),
    /// Ours over the peer's.
    Ratio,
}

/// Measures, and pushes a row for each figure. A smoke run measures smaller cases and lacks some of them.
fn figures<'a>(
    run: &mut Run,
    measure: impl FnOnce(&mut Run) -> anyhow::Result<()>,
    figures: impl IntoIterator<Item = &'a Figure>,
) -> anyhow::Result<()> {
    let mut part = Run {
        smoke: run.smoke,
        out: run.out.clone(),
        report: Report::new(AREA.name),
        short: Vec::new(),
    };
    measure(&mut part)?;
    for figure in figures {
        let [case, metric, peer] = figure.row;
        let is_it = |row: &&Row| {
            let name = row.peer.as_deref().unwrap_or_default();
            row.case.starts_with(case) && row.metric == metric && name.starts_with(peer)
        };
        let Some(row) = part.report.rows().iter().find(is_it) else {
            anyhow::ensure!(run.smoke, "no row for `{}`: {:?}", figure.name, figure.row);
            continue;
        };
        let ours = match figure.take {
            Take::Ours(factor) => row.ours * factor,
            Take::Ratio => row.ratio.unwrap_or(f64::NAN),
        };
        let to_better = ours / figure.theirs;
        let verdict = Verdict {
            to_better,
            // Not a number counts as a failure.
            falls_short: to_better.is_nan() || to_better > 1.0,
            note: "",
        };
        let peer = ("the article", Some(figure.theirs));
        run.report
            .push_judged(figure.name, "figure", figure.unit, ours, &[peer], Some(verdict));
    }
    Ok(())
}

const fn figure(
    name: &'static str,
    unit: &'static str,
    theirs: f64,
    row: [&'static str; 3],
    take: Take,
) -> Figure {
    Figure {
        name,
        unit,
        theirs,
        row,
        take,
    }
}

const ROWS: &str = "the article's rows";
const HASHED: &str = "std HashMap";
const BOXED: &str = "Vec<Box>";

/// "Game Engine Containers": 100,000 items of 8 bytes.
#[rustfmt::skip]
const HANDLES: [Figure; 12] = [
    figure("handle_map: create", "ms", 4.749_955, [ROWS, "create", ""], Take::Ours(1.0)),
    figure("handle_map: create, over unique_ptr", "", 4.749_955 / 111.625_944, [ROWS, "create", BOXED], Take::Ratio),
    figure("handle_map: create, over unordered_map", "", 4.749_955 / 89.358_049, [ROWS, "create", HASHED], Take::Ratio),
    figure("handle_map: iterate", "ms", 0.263_713, [ROWS, "iterate", ""], Take::Ours(1.0)),
    figure("handle_map: iterate, over unique_ptr", "", 0.263_713 / 0.524_748, [ROWS, "iterate", BOXED], Take::Ratio),
    figure("handle_map: iterate, over unordered_map", "", 0.263_713 / 3.466_641, [ROWS, "iterate", HASHED], Take::Ratio),
    figure("handle_map: iterate by handle", "ms", 0.653_704, [ROWS, "iterate by handle", ""], Take::Ours(1.0)),
    figure("handle_map: iterate by handle, over unordered_map", "", 0.653_704 / 15.921_830, [ROWS, "iterate by handle", HASHED], Take::Ratio),
    figure("handle_map: reset, called clear", "ms", 0.377_051, [ROWS, "reset", ""], Take::Ours(1.0)),
    figure("handle_map: clear, over unique_ptr, whose clear was a debug heap's", "", 0.377_051 / 10_161.480_165, [ROWS, "clear", BOXED], Take::Ratio),
    figure("handle_map: clear, over unordered_map, likewise", "", 0.377_051 / 7_615.724_425, [ROWS, "clear", HASHED], Take::Ratio),
    figure("handle_map: defragment", "ms", 32_538.735_446, ["", "sort shuffled", "the article"], Take::Ours(1.0)),
];

/// "Type-erased deleters": bytes of an owner.
#[rustfmt::skip]
const OWNERS: [Figure; 5] = [
    figure("unique_ptr, empty deleter", "B", 8.0, ["", "OwnedBy", ""], Take::Ours(1.0)),
    figure("unique_ptr, function pointer", "B", 16.0, ["", "Owned<dyn>", ""], Take::Ours(1.0)),
    figure("unique_ptr, std::function, GCC 5.3", "B", 32.0, ["", "OwnedWith<T, AnyDeleter>", ""], Take::Ours(1.0)),
    figure("unique_ptr, std::function, Visual C++ 2015", "B", 64.0, ["", "OwnedWith<T, AnyDeleter>", ""], Take::Ours(1.0)),
    figure("shared_ptr, two pointers", "B", 16.0, ["", "SharedOwned", ""], Take::Ours(1.0)),
];

const NODE: &str = "a node of an octree";

/// "Octrees": bytes of a node, with its link to the parent and 64-bit pointers, as the article adds them up.
#[rustfmt::skip]
const OCTREES: [Figure; 7] = [
    figure("octree node: standard", "B", 104.0, [NODE, "standard", ""], Take::Ours(1.0)),
    figure("octree node: standard, an inner node apart", "B", 105.0, [NODE, "standard, apart, inner", ""], Take::Ours(1.0)),
    figure("octree node: standard, a leaf apart", "B", 41.0, [NODE, "standard, apart, leaf", ""], Take::Ours(1.0)),
    figure("octree node: block", "B", 49.0, [NODE, "block", ""], Take::Ours(1.0)),
    figure("octree node: sibling and child", "B", 56.0, [NODE, "sibling", ""], Take::Ours(1.0)),
    figure("octree node: linear", "B", 13.0, [NODE, "linear", ""], Take::Ours(1.0)),
    figure("octree node: full", "B", 8.0, [NODE, "full", ""], Take::Ours(1.0)),
];

/// "Spin locks": bytes, with lines of 64 where ours pad to 128, the pair that x86-64 fetches. Their other figures are
/// plots without numbers.
#[rustfmt::skip]
const LOCKS: [Figure; 3] = [
    figure("spin locks: test-and-set, alone on its line", "B", 64.0, ["size of a lock", "test-and-set, padded", ""], Take::Ours(1.0)),
    figure("spin locks: ticket, two lines", "B", 128.0, ["size of a lock", "wide ticket", ""], Take::Ours(1.0)),
    figure("spin locks: ticket, the least that does the same", "B", 128.0, ["size of a lock", "ticket", ""], Take::Ours(1.0)),
];

const PYRAMIDS: &str = "182 pyramids, recorded";
const TUMBLER: &str = "tumbler on its joint, recorded";
const LONGEST: &str = "max of all steps";
const SEARCH: &str = "dfs";

/// "Simulation islands": milliseconds of a step, mean (and longest), persistent islands and depth-first search.
#[rustfmt::skip]
const ISLANDS: [Figure; 8] = [
    figure("islands: pyramids, mean", "ms", 0.01, [PYRAMIDS, "average", ""], Take::Ours(1e-3)),
    figure("islands: pyramids, longest, creation included", "ms", 0.45, [PYRAMIDS, LONGEST, ""], Take::Ours(1e-3)),
    figure("islands: pyramids, mean over depth-first search", "", 0.01 / 0.69, [PYRAMIDS, "average", SEARCH], Take::Ratio),
    figure("islands: pyramids, longest over depth-first search", "", 0.45 / 0.98, [PYRAMIDS, LONGEST, SEARCH], Take::Ratio),
    figure("islands: tumbler, mean", "ms", 0.08, [TUMBLER, "average", ""], Take::Ours(1e-3)),
    figure("islands: tumbler, longest, creation included", "ms", 0.43, [TUMBLER, LONGEST, ""], Take::Ours(1e-3)),
    figure("islands: tumbler, mean over depth-first search", "", 0.08 / 0.43, [TUMBLER, "average", SEARCH], Take::Ratio),
    figure("islands: tumbler, longest over depth-first search", "", 0.43 / 0.87, [TUMBLER, LONGEST, SEARCH], Take::Ratio),
];

const LEGACY: &str = "legacy";
const SOURCE: &str = "the source";

/// Makes four figures for each size: microseconds an entity and megabytes, of the article's new index and over its legacy one.
macro_rules! entity_figures {
    ($($thousands:literal $name:literal: $time:literal $legacy_time:literal, $memory:literal $legacy_memory:literal;)*) => {
        &[$(
            figure(
                concat!("entity index: ", $name, ", time per entity"),
                "µs",
                $time,
                [concat!($thousands, "k in all, 40k live"), "time per entity", SOURCE],
                Take::Ours(1.0),
            ),
            figure(
                concat!("entity index: ", $name, ", time over the legacy one's"),
                "",
                $time / $legacy_time,
                [concat!($thousands, "k in all, 40k live"), "time per entity", LEGACY],
                Take::Ratio,
            ),
            figure(
                concat!("entity index: ", $name, ", memory"),
                "MB",
                $memory,
                [concat!($thousands, "k in all, 40k live"), "memory", SOURCE],
                Take::Ours(1.0),
            ),
            figure(
                concat!("entity index: ", $name, ", memory over the legacy one's"),
                "",
                $memory / $legacy_memory,
                [concat!($thousands, "k in all, 40k live"), "memory", LEGACY],
                Take::Ratio,
            ),
        )*]
    };
}

/// "Entity index": all its sizes.
const ENTITIES: &[Figure] = entity_figures! {
    10 "10k": 0.977 0.977, 0.26 5.79;
    20 "20k": 0.488 0.488, 0.51 5.79;
    40 "40k": 0.832 0.732, 0.99 11.88;
    80 "80k": 0.610 0.732, 0.99 11.88;
    160 "160k": 0.671 0.793, 0.99 25.69;
    320 "320k": 0.702 0.977, 0.99 31.04;
    640 "640k": 0.702 1.648, 0.99 55.90;
    1280 "1.28M": 0.700 1.922, 0.99 65.82;
    2560 "2.56M": 0.700 2.366, 0.99 65.55;
    5120 "5.12M": 0.704 2.500, 0.99 120.55;
    10240 "10.24M": 0.705 2.393, 0.99 130.55;
};

/// "Entity index": the size of its prototypes.
const PROTOTYPES: [Figure; 1] = [figure(
    "entity index: prototypes",
    "KB",
    30.0,
    ["10240k in all, 40k live", "prototypes alone", ""],
    Take::Ours(1.0),
)];

#[cfg(test)]
mod tests {
    use super::*;

    fn pushed(run: &mut Run) -> anyhow::Result<()> {
        let peer = Some(("peer of a kind", 3.0));
        run.report.push("a case of a kind", "time", "ns", 6.0, peer);
        Ok(())
    }

    fn judged(take: Take, theirs: f64) -> Row {
        let mut run = Run {
            smoke: false,
            out: std::env::temp_dir(),
            report: Report::new("test"),
            short: Vec::new(),
        };
        let row = ["a case", "time", "peer"];
        let wanted = [figure("it", "ns", theirs, row, take)];
        figures(&mut run, pushed, &wanted).unwrap();
        run.report.rows()[0].clone()
    }

    #[test]
    fn a_figure_is_ours_or_our_ratio_and_missed_if_it_is_more() {
        let falls_short = |row: &Row| row.verdict.unwrap().falls_short;
        let time = judged(Take::Ours(0.5), 3.0);
        assert_eq!(
            (time.ours, time.theirs, time.ratio, falls_short(&time)),
            (3.0, Some(3.0), Some(1.0), false)
        );
        assert!(falls_short(&judged(Take::Ours(0.5), 2.9)));
        let ratio = judged(Take::Ratio, 4.0);
        assert_eq!((ratio.ours, falls_short(&ratio)), (2.0, false));
        assert!(falls_short(&judged(Take::Ours(f64::NAN), 1.0)));
    }

    #[test]
    fn a_figure_without_its_row_is_an_error_except_in_a_smoke_run() {
        let missing = [figure("it", "ns", 1.0, ["another case", "time", ""], Take::Ratio)];
        for smoke in [false, true] {
            let mut run = Run {
                smoke,
                out: std::env::temp_dir(),
                report: Report::new("test"),
                short: Vec::new(),
            };
            let found = figures(&mut run, pushed, &missing);
            assert_eq!((found.is_ok(), run.report.rows().len()), (smoke, 0));
        }
    }
}
