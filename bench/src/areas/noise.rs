//! Area `noise`: one function against itself. The ratio should be 1; its distance from 1 shows how far the ratios of
//! all other areas can be trusted on this machine right now.

use std::hint::black_box;

use clap::ArgMatches;

use super::{Area, Run, no_options};
use crate::measure::{Contender, interleave};
use crate::plot;

pub(super) const AREA: Area = Area {
    name: "noise",
    description: "One function against itself: how far ratios can be trusted on this machine now",
    options: no_options,
    run,
};

/// The number of words summed by one call: 64 KB stays in L2, 16 MB does not.
const SIZES: [(&str, usize); 2] = [("sum 64 KB", 1 << 13), ("sum 16 MB", 1 << 21)];
const ROUNDS: usize = 31;

fn run(_: &ArgMatches, run: &mut Run) -> anyhow::Result<()> {
    let rounds = if run.smoke { 1 } else { ROUNDS };
    let mut lines = Vec::new();
    for (case, count) in SIZES {
        let words: Vec<u64> = (0..count as u64).collect();
        let sum = || black_box(&words).iter().sum::<u64>();
        let [ours, theirs] = interleave(
            case,
            rounds,
            [Contender::new("first", sum), Contender::new("second", sum)],
        )?;
        let ratios = ours.ratios_to(&theirs);
        let points = ratios
            .iter()
            .enumerate()
            .map(|(round, &ratio)| (round as f64, ratio))
            .collect();
        lines.push(plot::Line {
            name: case.to_owned(),
            points,
        });
        run.report
            .compare(case, "time per word", "ns", count as f64, &ours, &[&theirs]);
    }
    let stem = run.out.join("noise-rounds");
    plot::lines(
        &stem,
        &plot::Axes {
            title: "One function against itself",
            x: "round",
            y: "ratio",
            scale: plot::Scale::Linear,
        },
        &lines,
    )
}
