//! Convex parts: they are convex, small, cover the polygon without overlap, and are not too many.

use crate::corpus::{Placement, Random, comb, lattice_polygon, spiral};
use crate::fuzz::case_count;
use crate::oracle::{Exact, exact, exact_area};
use glam::DVec2;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use tombolo_geometry::split::{ConcavePolygon, CutLine, PART_VERTEX_COUNT_MAX, Slivers, Splitter, decompose};

fn exact_turn(a: &Exact, b: &Exact, c: &Exact) -> BigRational {
    exact_area(&[a.clone(), b.clone(), c.clone()]) * BigInt::from(2)
}

fn exact_points(polygon: &ConcavePolygon) -> Vec<Exact> {
    polygon.points().iter().map(|&p| exact(p)).collect()
}

/// How many parts there may be.
///
/// Without holes four times as many as any decomposition has: each reflex corner needs a cut, a cut serves two of them,
/// and a part of eight corners holds six of the triangles, of which every triangulation has the same number. With holes
/// that bound says little; what the joining promises is at most two inner edges for each reflex corner, which makes one
/// part fewer for each hole, and the limit on corners adds a part for every six triangles.
fn most_part_count(polygon: &ConcavePolygon) -> usize {
    let points = exact_points(polygon);
    let mut reflex_count = 0;
    let mut corner_count = 0;
    for loop_index in 0..polygon.loop_count() {
        let range = polygon.loop_range(loop_index);
        for vertex in range.clone() {
            let before = if vertex == range.start {
                range.end - 1
            } else {
                vertex - 1
            };
            let turn = exact_turn(&points[before], &points[vertex], &points[polygon.next(vertex)]);
            reflex_count += usize::from(turn.is_negative());
            corner_count += usize::from(!turn.is_zero());
        }
    }
    let hole_count = polygon.loop_count() - 1;
    let by_corners = (corner_count + 2 * hole_count - 2).div_ceil(PART_VERTEX_COUNT_MAX - 2);
    if hole_count == 0 {
        4 * by_corners
            .max(reflex_count.div_ceil(2) + usize::from(reflex_count > 0))
            .max(1)
    } else {
        2 * reflex_count + 1 - hole_count + by_corners
    }
}

/// Checks the parts in exact rationals. Parts that are convex, together as large as the polygon, and each made of the
/// polygon's vertices with every edge either the polygon's or shared in reverse, cover it once.
fn check(polygon: &ConcavePolygon) -> usize {
    let parts = decompose(polygon).unwrap_or_else(|error| panic!("{error}: {polygon:?}"));
    let points = exact_points(polygon);
    let mut sum = BigRational::zero();
    for part in parts.iter() {
        assert!((3..=PART_VERTEX_COUNT_MAX).contains(&part.len()), "{polygon:?}");
        let corners: Vec<Exact> = part.iter().map(|&v| points[v as usize].clone()).collect();
        for index in 0..corners.len() {
            let [a, b, c] = [0, 1, 2].map(|step| &corners[(index + step) % corners.len()]);
            assert!(exact_turn(a, b, c).is_positive(), "{part:?} of {polygon:?}");
        }
        sum += exact_area(&corners);
    }
    let mut area = BigRational::zero();
    for loop_index in 0..polygon.loop_count() {
        area += exact_area(&points[polygon.loop_range(loop_index)]);
    }
    assert_eq!(sum, area, "{polygon:?}");
    let most = most_part_count(polygon);
    assert!(
        parts.len() <= most,
        "{} parts where {most} are allowed: {polygon:?}",
        parts.len()
    );
    parts.len()
}

#[test]
fn parts_of_plain_shapes() {
    let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(DVec2::from_array);
    assert_eq!(check(&ConcavePolygon::new(&square).unwrap()), 1);
    assert_eq!(check(&ConcavePolygon::new(&comb(1)).unwrap()), 1);
    for teeth in [2, 3, 10, 40] {
        let count = check(&ConcavePolygon::new(&comb(teeth)).unwrap());
        assert!(count <= 2 * teeth, "{count} parts for {teeth} teeth");
    }
    for arms in [3, 10, 40] {
        assert!(check(&ConcavePolygon::new(&spiral(arms)).unwrap()) <= 2 * arms);
    }
    let circle: Vec<DVec2> = (0..32)
        .map(|i| f64::from(i) * std::f64::consts::TAU / 32.0)
        .map(|angle| DVec2::new(libm::cos(angle), libm::sin(angle)))
        .collect();
    assert!(check(&ConcavePolygon::new(&circle).unwrap()) <= 10);
}

#[test]
fn parts_of_random_polygons_with_and_without_holes() {
    let mut with_holes = 0;
    for seed in 0..case_count() / 100 {
        let random = &mut Random(seed);
        let scale = [1.0, 0.1, 1.0e-3][seed as usize % 3];
        let placement = Placement {
            scale,
            offset: DVec2::ZERO,
        };
        let count = 3 + random.below(20) as usize;
        let border = lattice_polygon(random, 9, count);
        let border: Vec<DVec2> = border
            .iter()
            .map(|c| placement.place([c[0] * 4, c[1] * 4]))
            .collect();
        let mut holes: Vec<Vec<DVec2>> = Vec::new();
        for _ in 0..6 {
            let shift = [0; 2].map(|_| random.below(32) as i64);
            let cells = lattice_polygon(random, 4, 4);
            let hole = cells
                .iter()
                .rev()
                .map(|c| placement.place([c[0] + shift[0], c[1] + shift[1]]));
            holes.push(hole.collect());
            let slices: Vec<&[DVec2]> = holes.iter().map(Vec::as_slice).collect();
            if ConcavePolygon::with_holes(&border, &slices).is_err() {
                holes.pop();
            }
        }
        let slices: Vec<&[DVec2]> = holes.iter().map(Vec::as_slice).collect();
        let Ok(polygon) = ConcavePolygon::with_holes(&border, &slices) else {
            continue;
        };
        with_holes += usize::from(polygon.loop_count() > 1);
        check(&polygon);
    }
    assert!(with_holes as u64 > case_count() / 1000, "{with_holes}");
}

#[test]
fn parts_do_not_pile_up_over_a_hundred_cuts() {
    // What is left of a body that is cut again and again is decomposed anew from its polygon, not from its parts.
    for (seed, border) in [(3, comb(8)), (4, spiral(10))] {
        let random = &mut Random(seed);
        let mut splitter = Splitter::new();
        let slivers = Slivers {
            area_min: 1.0e-9,
            weld_distance: 0.0,
        };
        let mut polygons = vec![ConcavePolygon::new(&border).unwrap()];
        for _ in 0..100 {
            let [from, to] = [0; 2].map(|_| DVec2::new(random.unit() * 15.0, random.unit() * 4.0 - 0.5));
            let line = CutLine::through(from, to).unwrap();
            let cut = |polygon: &ConcavePolygon| -> Vec<ConcavePolygon> {
                let pieces = splitter.split(polygon, &line, slivers).unwrap();
                pieces.iter().map(|piece| piece.to_polygon()).collect()
            };
            polygons = polygons.iter().flat_map(cut).collect();
        }
        assert!(polygons.len() > 300, "{} pieces", polygons.len());
        for polygon in &polygons {
            check(polygon);
        }
    }
}
