//! Area `split`: polygons split by lines, beside `i_overlay`'s slice, and whole bodies sliced.
//!
//! `bodies.rs` has the cases of bodies, `sheet.rs` draws `split-sheet.svg` and `.png`.
//!
//! The polygons are those with which the splitter is fuzzed, so their generator is the tests' own file. Peers return
//! the number of pieces; the area that each loses is a line of its own.

use std::hint::black_box;

use clap::ArgMatches;
use glam::DVec2;
use i_overlay::core::fill_rule::FillRule;
use i_overlay::float::slice::FloatSlice;
use tombolo_geometry::split::{ConcavePolygon, CutLine, Slivers, Splitter};

mod bodies;
mod sheet;

use super::{Area, Run, no_options};
use crate::measure::{Contender, interleave};

// The tests use all of it, the bench a part.
#[allow(dead_code)]
#[path = "../../../crates/geometry/tests/split/corpus.rs"]
mod corpus;

#[path = "../../../crates/geometry/tests/split/figures.rs"]
mod figures;

use corpus::{Placement, Random, comb, lattice_polygon};

pub(super) const AREA: Area = Area {
    name: "split",
    description: "Polygons split by lines, beside i_overlay's slice",
    options: no_options,
    run,
};

const ROUNDS: usize = 31;
const SMALL: &str = "4 to 10 vertices";

/// One split, in the form of each contender.
struct Case {
    polygon: ConcavePolygon,
    line: CutLine,
    path: Vec<[f64; 2]>,
    segment_cut: Vec<[f64; 2]>,
}

impl Case {
    /// `reach` is greater than the width of any polygon: the peer cuts by segments, and this one ends outside.
    fn new(points: &[DVec2], from: DVec2, to: DVec2, reach: f64) -> anyhow::Result<Self> {
        let beyond = (to - from).normalize() * reach;
        Ok(Self {
            polygon: ConcavePolygon::new(points)?,
            line: CutLine::through(from, to)?,
            path: points.iter().map(|p| p.to_array()).collect(),
            segment_cut: vec![(from - beyond).to_array(), (to + beyond).to_array()],
        })
    }

    fn slice(&self) -> Vec<Vec<Vec<[f64; 2]>>> {
        black_box(&self.path).slice_by(black_box(&self.segment_cut), FillRule::EvenOdd)
    }
}

fn run(_: &ArgMatches, run: &mut Run) -> anyhow::Result<()> {
    let small = small_cases(if run.smoke { 50 } else { 2000 })?;
    compare(run, SMALL, &small)?;
    let (our_error, their_error) = area_errors(&small)?;
    let peer = Some(("i_overlay", their_error));
    run.report
        .push(SMALL, "greatest area error", "of area", our_error, peer);
    let tall = comb(250);
    let across = Case::new(&tall, DVec2::new(0.0, 2.0), DVec2::new(1.0, 2.0), 1000.0)?;
    compare(run, "comb of 1,000 vertices", &[across])?;
    bodies::compare(run)?;
    sheet::draw(&run.out.join("split-sheet"))
}

/// Lattice polygons of 4 to 10 vertices, 3 m wide, by lines through two lattice points.
fn small_cases(count: u64) -> anyhow::Result<Vec<Case>> {
    let placement = Placement {
        scale: 0.1,
        offset: DVec2::ZERO,
    };
    let mut cases = Vec::new();
    for seed in 0..count {
        let random = &mut Random(seed);
        let vertex_count = 4 + random.below(7) as usize;
        let cells = lattice_polygon(random, 30, vertex_count);
        let points: Vec<DVec2> = cells.iter().map(|&cell| placement.place(cell)).collect();
        let [from, to] = [0; 2].map(|_| placement.place([0; 2].map(|_| random.below(30) as i64)));
        if from != to {
            cases.push(Case::new(&points, from, to, 10.0)?);
        }
    }
    Ok(cases)
}

fn compare(run: &mut Run, name: &str, cases: &[Case]) -> anyhow::Result<()> {
    let rounds = if run.smoke { 1 } else { ROUNDS };
    let (mut splitter, mut other) = (Splitter::new(), Splitter::new());
    let split = |splitter: &mut Splitter, polygon: &ConcavePolygon, case: &Case| {
        let pieces = splitter.split(black_box(polygon), black_box(&case.line), Slivers::default());
        pieces.map_or(0, |pieces| pieces.len() as u64)
    };
    let checked = |case: &Case| ConcavePolygon::new(black_box(case.polygon.points())).ok();
    let [ours, with_check, theirs] = interleave(
        name,
        rounds,
        [
            Contender::new("tombolo", || {
                cases
                    .iter()
                    .map(|case| split(&mut splitter, &case.polygon, case))
                    .sum()
            }),
            Contender::new("tombolo, checking each time", || {
                let mut count = 0;
                for case in cases {
                    count += checked(case).map_or(0, |polygon| split(&mut other, &polygon, case));
                }
                count
            }),
            Contender::new("i_overlay", || {
                cases.iter().map(|case| case.slice().len() as u64).sum()
            }),
        ],
    )?;
    let count = cases.len() as f64;
    let report = &mut run.report;
    report.compare(name, "time per split", "ns", count, &ours, &[&theirs]);
    report.compare(
        name,
        "time per check and split",
        "ns",
        count,
        &with_check,
        &[&theirs],
    );
    Ok(())
}

/// The greatest relative error of the pieces' total area, ours and the peer's.
fn area_errors(cases: &[Case]) -> anyhow::Result<(f64, f64)> {
    let mut splitter = Splitter::new();
    let (mut ours, mut theirs) = (0.0f64, 0.0f64);
    for case in cases {
        let area = case.polygon.area();
        let pieces = splitter.split(&case.polygon, &case.line, Slivers::default())?;
        let sum: f64 = pieces.iter().map(|piece| piece.area()).sum();
        ours = ours.max((sum - area).abs() / area);
        let sum: f64 = case.slice().iter().flatten().map(|path| area_of(path)).sum();
        theirs = theirs.max((sum - area).abs() / area);
    }
    Ok((ours, theirs))
}

fn area_of(path: &[[f64; 2]]) -> f64 {
    let next = path.iter().cycle().skip(1);
    path.iter()
        .zip(next)
        .map(|([ax, ay], [bx, by])| 0.5 * (ax * by - ay * bx))
        .sum()
}
