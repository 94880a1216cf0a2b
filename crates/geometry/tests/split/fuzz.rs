//! Random polygons and lines, at all scales, through vertices and along edges.

use crate::corpus::{Placement, Random, lattice_polygon};
use crate::oracle;
use crate::scale::scaled;
use glam::DVec2;
use tombolo_geometry::split::{ConcavePolygon, ConcavePolygonError, CutLine, Slivers, Splitter};

pub(crate) fn case_count() -> u64 {
    scaled(10_000) as u64
}

/// A line through two lattice points or two vertices.
fn random_line(random: &mut Random, placement: Placement, size: u64, points: &[DVec2]) -> Option<CutLine> {
    let mut below = |count: usize| random.below(count as u64) as usize;
    let [from, to] = if below(3) == 0 {
        [0; 2].map(|_| points[below(points.len())])
    } else {
        [0; 2].map(|_| placement.place([0; 2].map(|_| below(size as usize) as i64)))
    };
    CutLine::through(from, to).ok()
}

/// Splits and checks; returns whether the line cut.
fn split_and_check(
    seed: u64,
    splitter: &mut Splitter,
    polygon: &ConcavePolygon,
    line: &CutLine,
    is_clear: bool,
) -> bool {
    let pieces = splitter
        .split(polygon, line, Slivers::default())
        .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{polygon:?}\n{line:?}"));
    let result = oracle::check(polygon, line, pieces, is_clear).and_then(|()| match seed % 50 {
        0 if !line.is_segment() => oracle::check_exactly(polygon, line, pieces),
        _ => Ok(()),
    });
    if let Err(reason) = result {
        panic!("seed {seed}: {reason}\n{polygon:?}\n{line:?}\n{pieces:?}");
    }
    pieces.is_cut()
}

#[test]
fn ps_3_lattice_polygons_at_all_scales() {
    let mut splitter = Splitter::new();
    let (mut split_count, mut cut_count, mut refused_count) = (0, 0, 0);
    for seed in 0..case_count() {
        let random = &mut Random(seed);
        let size = [5, 7, 30][random.below(3) as usize];
        let count = 3 + random.below(10) as usize;
        let cells = lattice_polygon(random, size, count);
        let placement = Placement::random(random);
        let points: Vec<_> = cells.iter().map(|&c| placement.place(c)).collect();
        let polygon = match ConcavePolygon::new(&points) {
            Ok(polygon) => polygon,
            Err(ConcavePolygonError::TooSmall { .. } | ConcavePolygonError::RepeatedPoint { .. }) => {
                refused_count += 1;
                continue;
            }
            // Cells below the coordinates' resolution: everything falls together.
            Err(_) if placement.scale < placement.offset.abs().max_element() * 1.0e-10 => {
                refused_count += 1;
                continue;
            }
            Err(error) => panic!("seed {seed}: {error}"),
        };
        for _ in 0..4 {
            let Some(line) = random_line(random, placement, size, &points) else {
                continue;
            };
            // Other scales round the lattice, so that what was on the line may be a step beside it.
            let is_clear = placement.scale >= 1.0 && placement.offset.x == 0.0;
            split_count += 1;
            cut_count += u64::from(split_and_check(seed, &mut splitter, &polygon, &line, is_clear));
        }
    }
    println!("{split_count} splits, {cut_count} cut, {refused_count} polygons refused for their size");
    assert!(cut_count * 2 > split_count, "the lines should mostly cut");
    assert!(
        refused_count * 5 < case_count(),
        "most polygons should be accepted"
    );
}

#[test]
fn ps_11_lattice_polygons_with_holes() {
    let mut splitter = Splitter::new();
    let (mut hole_count, mut segment_cut_count, mut pocket_count) = (0, 0, 0);
    for seed in 0..case_count() / 10 {
        let random = &mut Random(seed);
        let scale = [1.0, 0.1, 1.0e-3][random.below(3) as usize];
        let placement = Placement {
            scale,
            offset: DVec2::ZERO,
        };
        let spread = |cells: Vec<[i64; 2]>, factor: i64, shift: [i64; 2]| -> Vec<DVec2> {
            let moved = |c: &[i64; 2]| placement.place([0, 1].map(|i| c[i] * factor + shift[i]));
            cells.iter().map(moved).collect()
        };
        let border = spread(lattice_polygon(random, 5, 3 + seed as usize % 5), 6, [0; 2]);
        let mut holes: Vec<Vec<DVec2>> = Vec::new();
        for _ in 0..8 {
            let shift = [0; 2].map(|_| random.below(24) as i64);
            let mut hole = spread(lattice_polygon(random, 5, 3 + random.0 as usize % 5), 1, shift);
            hole.reverse();
            holes.push(hole);
            let slices: Vec<&[DVec2]> = holes.iter().map(Vec::as_slice).collect();
            if ConcavePolygon::with_holes(&border, &slices).is_err() {
                holes.pop();
            }
        }
        let slices: Vec<&[DVec2]> = holes.iter().map(Vec::as_slice).collect();
        let Ok(polygon) = ConcavePolygon::with_holes(&border, &slices) else {
            continue;
        };
        hole_count += holes.len();
        for _ in 0..4 {
            let Some(line) = random_line(random, placement, 25, polygon.points()) else {
                continue;
            };
            split_and_check(seed, &mut splitter, &polygon, &line, false);
            let segment_cut = CutLine::segment_cut(line.from(), line.to()).unwrap();
            segment_cut_count += u64::from(split_and_check(
                seed,
                &mut splitter,
                &polygon,
                &segment_cut,
                false,
            ));
            pocket_count += splitter.pieces().iter().filter(|p| p.loop_count() > 1).count();
        }
    }
    println!(
        "{hole_count} holes, {segment_cut_count} segments that cut, {pocket_count} pieces with holes after a segment"
    );
    assert!(hole_count as u64 > case_count() / 20);
    assert!(segment_cut_count > case_count() / 100);
    assert!(pocket_count as u64 > case_count() / 20);
}
