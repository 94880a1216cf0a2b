//! The named cases, one by one. Lines run along the x axis unless a case says otherwise: left is above.

use crate::corpus::{Random, comb, spiral};
use crate::figures::{FIGURES, Figure};
use crate::oracle;
use glam::DVec2;
use tombolo_geometry::split::{
    ConcavePolygon, ConcavePolygonError, CutLine, EdgeOrigin, LineError, PieceVertex, Pieces, Side, Slivers,
    SplitError, Splitter,
};

fn points(coordinates: &[[f64; 2]]) -> Vec<DVec2> {
    coordinates.iter().map(|&c| DVec2::from_array(c)).collect()
}

fn line(from: [f64; 2], to: [f64; 2]) -> CutLine {
    CutLine::through(DVec2::from_array(from), DVec2::from_array(to)).unwrap()
}

fn x_axis() -> CutLine {
    line([0.0, 0.0], [1.0, 0.0])
}

fn split(polygon: &ConcavePolygon, line: &CutLine) -> Pieces {
    let mut splitter = Splitter::new();
    let pieces = splitter.split(polygon, line, Slivers::default()).unwrap();
    oracle::check(polygon, line, pieces, true).unwrap();
    if !line.is_segment() {
        oracle::check_exactly(polygon, line, pieces).unwrap();
    }
    pieces.clone()
}

fn areas(pieces: &Pieces) -> Vec<f64> {
    let mut areas: Vec<f64> = pieces.iter().map(|piece| piece.area()).collect();
    areas.sort_by(|a, b| b.total_cmp(a));
    areas
}

/// Splits with the vertex list begun at every vertex, in both directions of the line, at several scales.
fn assert_areas(coordinates: &[[f64; 2]], expected: &[f64]) {
    for start in 0..coordinates.len() {
        for scale in [1.0, 1.0 / 1048576.0, 1048576.0] {
            let mut turned = points(coordinates);
            turned.rotate_left(start);
            turned.iter_mut().for_each(|p| *p *= scale);
            let polygon = ConcavePolygon::new(&turned).unwrap();
            let expected: Vec<f64> = expected.iter().map(|area| area * scale * scale).collect();
            for line in [x_axis(), x_axis().reversed()] {
                let pieces = split(&polygon, &line);
                assert_eq!(areas(&pieces), expected, "from vertex {start}, scale {scale}");
                if expected.len() == 1 {
                    assert!(!pieces.is_cut());
                    let given: Vec<DVec2> = pieces.piece(0).border().iter().map(|v| v.position).collect();
                    assert_eq!(given, turned, "a polygon that is not cut comes back as it was");
                }
            }
        }
    }
}

#[test]
fn ps_1_left_on_right() {
    assert_areas(&[[-1.0, 0.0], [1.0, -1.0], [1.0, 1.0]], &[1.0, 1.0]);
}

#[test]
fn ps_1_right_on_left() {
    assert_areas(&[[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]], &[1.0, 1.0]);
}

#[test]
fn ps_1_left_on_left() {
    assert_areas(
        &[[-2.0, -1.0], [2.0, -1.0], [2.0, 1.0], [0.0, 0.0], [-2.0, 1.0]],
        &[4.0, 1.0, 1.0],
    );
    assert_areas(&[[0.0, 0.0], [1.0, 1.0], [-1.0, 1.0]], &[1.0]);
}

#[test]
fn ps_1_right_on_right() {
    assert_areas(
        &[[-2.0, 1.0], [-2.0, -1.0], [0.0, 0.0], [2.0, -1.0], [2.0, 1.0]],
        &[4.0, 1.0, 1.0],
    );
    assert_areas(&[[0.0, 0.0], [-1.0, -1.0], [1.0, -1.0]], &[1.0]);
}

#[test]
fn ps_1_on_on_right() {
    assert_areas(
        &[
            [-2.0, 0.0],
            [0.0, 0.0],
            [0.0, -1.0],
            [2.0, -1.0],
            [2.0, 1.0],
            [-2.0, 1.0],
        ],
        &[4.0, 2.0],
    );
    assert_areas(&[[0.0, -1.0], [2.0, -1.0], [2.0, 0.0], [0.0, 0.0]], &[2.0]);
}

#[test]
fn ps_1_left_on_on() {
    assert_areas(
        &[
            [-2.0, -1.0],
            [2.0, -1.0],
            [2.0, 1.0],
            [0.0, 1.0],
            [0.0, 0.0],
            [-2.0, 0.0],
        ],
        &[4.0, 2.0],
    );
    assert_areas(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]], &[2.0]);
}

#[test]
fn ps_1_right_on_on() {
    assert_areas(
        &[
            [-2.0, -1.0],
            [0.0, -1.0],
            [0.0, 0.0],
            [2.0, 0.0],
            [2.0, 1.0],
            [-2.0, 1.0],
        ],
        &[4.0, 2.0],
    );
}

#[test]
fn ps_1_on_on_left() {
    assert_areas(
        &[
            [-2.0, -1.0],
            [2.0, -1.0],
            [2.0, 0.0],
            [0.0, 0.0],
            [0.0, 1.0],
            [-2.0, 1.0],
        ],
        &[4.0, 2.0],
    );
}

#[test]
fn ps_1_on_on_on_and_ps_6_long_runs_on_the_line() {
    let above = [
        [-3.0, 0.0],
        [-2.0, 0.0],
        [-1.0, 0.0],
        [0.0, 0.0],
        [0.0, -1.0],
        [2.0, -1.0],
        [2.0, 1.0],
        [-3.0, 1.0],
    ];
    assert_areas(&above, &[5.0, 2.0]);
    let below = [
        [-3.0, -1.0],
        [2.0, -1.0],
        [2.0, 1.0],
        [0.0, 1.0],
        [0.0, 0.0],
        [-1.0, 0.0],
        [-2.0, 0.0],
        [-3.0, 0.0],
    ];
    assert_areas(&below, &[5.0, 2.0]);
    // Runs on the line in both directions with a bridge between them.
    let both = [
        [-3.0, 0.0],
        [-2.0, 0.0],
        [-1.0, 0.0],
        [-1.0, -1.0],
        [3.0, -1.0],
        [3.0, 0.0],
        [2.0, 0.0],
        [1.0, 0.0],
        [1.0, 1.0],
        [-3.0, 1.0],
    ];
    assert_areas(&both, &[4.0, 4.0]);
}

#[test]
fn ps_2_the_polygons_and_lines_that_the_algorithm_was_first_tried_on() {
    assert_eq!(FIGURES.iter().map(|figure| figure.lines.len()).sum::<usize>(), 41);
    for Figure { polygon, lines } in &FIGURES {
        let polygon = ConcavePolygon::new(&points(polygon)).unwrap();
        for &([x, y, to_x, to_y], count) in *lines {
            let there = line([x, y], [to_x, to_y]);
            assert_eq!(split(&polygon, &there).len(), count, "{polygon:?} {there:?}");
            assert_eq!(
                split(&polygon, &there.reversed()).len(),
                count,
                "{polygon:?} {there:?} reversed"
            );
        }
    }
}

#[test]
fn ps_4_misses_and_touches_change_nothing() {
    let square = ConcavePolygon::new(&points(&[[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]])).unwrap();
    for (name, line) in [
        ("misses", line([0.0, 0.0], [1.0, 0.0])),
        ("touches a vertex", line([0.0, 2.0], [2.0, 0.0])),
        ("runs along an edge", line([0.0, 1.0], [1.0, 1.0])),
        ("runs along an edge backwards", line([5.0, 2.0], [4.0, 2.0])),
    ] {
        let pieces = split(&square, &line);
        assert!(!pieces.is_cut() && pieces.len() == 1, "{name}");
        assert_eq!(&pieces.piece(0).to_polygon(), &square, "{name}");
        assert_ne!(pieces.piece(0).side(), Side::On, "{name}");
    }
}

#[test]
fn ps_4_along_several_edges_and_through_vertices_only() {
    // Battlements whose gaps end on the line: it runs along three edges and through all inner vertices.
    let battlements = [
        [0.0, -1.0],
        [5.0, -1.0],
        [5.0, 1.0],
        [4.0, 1.0],
        [4.0, 0.0],
        [3.0, 0.0],
        [3.0, 1.0],
        [2.0, 1.0],
        [2.0, 0.0],
        [1.0, 0.0],
        [1.0, 1.0],
        [0.0, 1.0],
    ];
    assert_areas(&battlements, &[5.0, 1.0, 1.0, 1.0]);
    let diamond = [[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]];
    assert_areas(&diamond, &[1.0, 1.0]);
}

#[test]
fn ps_5_a_comb_of_k_teeth_gives_k_and_one_pieces() {
    for teeth in [1, 2, 3, 10, 64, 250] {
        let polygon = ConcavePolygon::new(&comb(teeth)).unwrap();
        for line in [line([0.0, 2.0], [1.0, 2.0]), line([9.5, 2.0], [2.0, 2.0])] {
            let pieces = split(&polygon, &line);
            assert_eq!(pieces.len(), teeth + 1);
            assert_eq!(pieces.cuts().len(), teeth);
            assert!(pieces.cuts().iter().all(|cut| cut.touching().is_some()));
        }
    }
}

#[test]
fn ps_5_a_spiral_falls_into_its_arms() {
    for arms in [4, 9, 40] {
        let polygon = ConcavePolygon::new(&spiral(arms)).unwrap();
        let along = line([0.1, 0.0], [0.1, 1.0]);
        // Every second arm runs across the line; each such crossing of the corridor adds a piece.
        assert_eq!(split(&polygon, &along).len(), 1 + arms.div_ceil(2));
    }
}

#[test]
fn ps_5_the_lines_origin_may_lie_anywhere_on_it() {
    let polygon = ConcavePolygon::new(&comb(5)).unwrap();
    let expected = split(&polygon, &line([-100.0, 2.0], [-99.0, 2.0]));
    for origin in [-1.0, 0.0, 0.5, 1.0, 1.5, 4.25, 9.0, 50.0] {
        let pieces = split(&polygon, &line([origin, 2.0], [origin + 3.0, 2.0]));
        assert_eq!(areas(&pieces), areas(&expected), "origin at {origin}");
        assert_eq!(pieces.cuts().len(), expected.cuts().len());
    }
}

#[test]
fn ps_7_bad_polygons_are_refused_by_name() {
    let refusal = |coordinates: &[[f64; 2]]| ConcavePolygon::new(&points(coordinates)).unwrap_err();
    assert_eq!(
        refusal(&[[0.0, 0.0], [1.0, 0.0]]),
        ConcavePolygonError::TooFewVertices {
            loop_index: 0,
            count: 2
        }
    );
    assert_eq!(
        refusal(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]),
        ConcavePolygonError::ZeroArea { loop_index: 0 }
    );
    assert_eq!(
        refusal(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]),
        ConcavePolygonError::RepeatedPoint { vertex: 2 }
    );
    assert_eq!(
        refusal(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]),
        ConcavePolygonError::WrongOrientation { loop_index: 0 }
    );
    assert_eq!(
        refusal(&[[0.0, 0.0], [1.0, f64::NAN], [0.0, 1.0]]),
        ConcavePolygonError::OutOfRange { vertex: 1 }
    );
    assert!(matches!(
        refusal(&[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 0.0], [0.0, 4.0]]),
        ConcavePolygonError::EdgesTouch { edge: 0, .. }
    ));
    assert!(matches!(
        refusal(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, -1.0], [0.0, 2.0]]),
        ConcavePolygonError::EdgesCross { edge: 0, .. }
    ));
    assert_eq!(
        refusal(&[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0]]),
        ConcavePolygonError::FoldsBack { vertex: 1 }
    );
    assert!(matches!(
        refusal(&[[1.0e7, 0.0], [1.0e7 + 1.0e-5, 0.0], [1.0e7, 1.0]]),
        ConcavePolygonError::TooSmall { edge: 0, .. }
    ));
    let same = DVec2::new(3.0, 4.0);
    assert_eq!(CutLine::through(same, same), Err(LineError::ZeroLength));
    for error in [
        ConcavePolygonError::TooManyVertices,
        ConcavePolygonError::HoleInHole { loop_index: 2 },
        ConcavePolygonError::EdgesTouch { edge: 1, other: 4 },
    ] {
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn ps_7_bad_limits_are_refused_and_the_splitter_stays_usable() {
    let polygon = ConcavePolygon::new(&comb(2)).unwrap();
    let line = line([0.0, 2.0], [1.0, 2.0]);
    let mut splitter = Splitter::new();
    for bad in [-1.0, f64::NAN] {
        let area = Slivers {
            area_min: bad,
            weld_distance: 0.0,
        };
        let weld = Slivers {
            area_min: 0.0,
            weld_distance: bad,
        };
        assert_eq!(
            splitter.split(&polygon, &line, area).unwrap_err(),
            SplitError::Slivers
        );
        assert_eq!(
            splitter.split(&polygon, &line, weld).unwrap_err(),
            SplitError::Slivers
        );
    }
    assert_eq!(
        splitter.split(&polygon, &line, Slivers::default()).unwrap().len(),
        3
    );
}

#[test]
fn ps_8_vertices_a_step_beside_the_line() {
    // A band whose upper border zigzags around y = 1 by single steps of f64, and lines that run along it.
    let mut splitter = Splitter::new();
    for seed in 0..2000 {
        let random = &mut Random(seed);
        let mut border = points(&[[0.0, 0.0], [9.0, 0.0]]);
        for x in (0..10).rev() {
            let steps = random.below(5) as i64 - 2;
            border.push(DVec2::new(f64::from(x), 1.0 + steps as f64 * f64::EPSILON));
        }
        let polygon = ConcavePolygon::new(&border).unwrap();
        let [a, b] = [0; 2].map(|_| border[2 + random.below(10) as usize]);
        let Ok(line) = CutLine::through(a, b) else {
            continue;
        };
        let pieces = splitter.split(&polygon, &line, Slivers::default()).unwrap();
        if let Err(reason) = oracle::check_exactly(&polygon, &line, pieces) {
            panic!("seed {seed}: {reason}\n{border:?}\n{line:?}\n{pieces:?}");
        }
    }
}

#[test]
fn ps_9_a_hundred_cuts_keep_the_area() {
    for (seed, border) in [(1, comb(6)), (2, spiral(12))] {
        let polygon = ConcavePolygon::new(&border).unwrap();
        let random = &mut Random(seed);
        let mut splitter = Splitter::new();
        let slivers = Slivers {
            area_min: 1.0e-9,
            weld_distance: 0.0,
        };
        let (mut polygons, mut lost) = (vec![polygon.clone()], 0.0);
        for _ in 0..100 {
            let [from, to] = [0; 2].map(|_| DVec2::new(random.unit() * 11.0 - 1.0, random.unit() * 3.0));
            let line = CutLine::through(from, to).unwrap();
            let mut next = Vec::new();
            for part in &polygons {
                let pieces = splitter.split(part, &line, slivers).unwrap();
                oracle::check(part, &line, pieces, false).unwrap();
                lost += pieces.dropped().iter().map(|d| d.area).sum::<f64>();
                assert!(!pieces.is_cut() || pieces.iter().all(|piece| piece.area() > slivers.area_min));
                next.extend(pieces.iter().map(|piece| piece.to_polygon()));
            }
            polygons = next;
        }
        let sum: f64 = polygons.iter().map(ConcavePolygon::area).sum();
        assert!(polygons.len() > 500, "{} pieces", polygons.len());
        assert!(
            (sum + lost - polygon.area()).abs() < 1.0e-10,
            "{sum} of {}",
            polygon.area()
        );
    }
}

#[test]
fn ps_10_the_reverse_line_gives_the_same_pieces() {
    let polygon = ConcavePolygon::new(&comb(4)).unwrap();
    for (from, to) in [
        ([0.0, 1.7], [7.0, 2.9]),
        ([0.5, 0.3], [3.1, 3.0]),
        ([2.0, 3.0], [4.0, 1.0]),
    ] {
        let there = split(&polygon, &line(from, to));
        let back = split(&polygon, &line(to, from));
        assert_eq!(there.len(), back.len());
        for (a, b) in there.iter().zip(back.iter()) {
            let places = |vertices: &[PieceVertex]| -> Vec<(DVec2, u32, f64)> {
                vertices.iter().map(|v| (v.position, v.source, v.t)).collect()
            };
            assert_eq!(places(a.vertices()), places(b.vertices()));
            assert!(a.side() != b.side());
        }
    }
}

#[test]
fn ps_10_a_quarter_turn_turns_the_pieces_exactly() {
    let quarter = |p: DVec2| DVec2::new(-p.y, p.x);
    let border: Vec<DVec2> = comb(4).iter().map(|&p| p * 0.1 + 0.3).collect();
    let turned: Vec<DVec2> = border.iter().map(|&p| quarter(p)).collect();
    let cut = line([0.2, 0.41], [0.9, 0.53]);
    let turned_cut = CutLine::through(quarter(cut.from()), quarter(cut.to())).unwrap();
    let pieces = split(&ConcavePolygon::new(&border).unwrap(), &cut);
    let turned_pieces = split(&ConcavePolygon::new(&turned).unwrap(), &turned_cut);
    assert_eq!(pieces.len(), turned_pieces.len());
    for (a, b) in pieces.iter().zip(turned_pieces.iter()) {
        let expected: Vec<DVec2> = a.vertices().iter().map(|v| quarter(v.position)).collect();
        let found: Vec<DVec2> = b.vertices().iter().map(|v| v.position).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn ps_10_a_shift_shifts_the_pieces() {
    let cut = line([0.0, 1.5], [8.0, 2.5]);
    let shift = DVec2::new(1024.0, -512.0);
    let moved: Vec<DVec2> = comb(4).iter().map(|&p| p + shift).collect();
    let moved_cut = CutLine::through(cut.from() + shift, cut.to() + shift).unwrap();
    let pieces = split(&ConcavePolygon::new(&comb(4)).unwrap(), &cut);
    let moved_pieces = split(&ConcavePolygon::new(&moved).unwrap(), &moved_cut);
    assert_eq!(pieces.len(), moved_pieces.len());
    for (a, b) in pieces.iter().zip(moved_pieces.iter()) {
        for (v, w) in a.vertices().iter().zip(b.vertices()) {
            assert_eq!((v.source, v.t, v.edge()), (w.source, w.t, w.edge()));
            assert!((v.position + shift).distance(w.position) < 1.0e-12);
        }
    }
}

const BORDER: [[f64; 2]; 4] = [[-4.0, -4.0], [4.0, -4.0], [4.0, 4.0], [-4.0, 4.0]];

fn holed(holes: &[&[[f64; 2]]]) -> ConcavePolygon {
    let holes: Vec<Vec<DVec2>> = holes.iter().map(|hole| points(hole)).collect();
    let holes: Vec<&[DVec2]> = holes.iter().map(Vec::as_slice).collect();
    ConcavePolygon::with_holes(&points(&BORDER), &holes).unwrap()
}

#[test]
fn ps_11_a_line_through_a_hole_gives_two_pieces_that_touch_twice() {
    let polygon = holed(&[&[[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]]]);
    let pieces = split(&polygon, &x_axis());
    assert_eq!(areas(&pieces), [30.0, 30.0]);
    assert_eq!(
        pieces
            .cuts()
            .iter()
            .filter(|c| c.touching() == Some((1, 0)))
            .count(),
        2
    );
}

#[test]
fn ps_11_a_hole_beside_the_line_stays_with_its_piece() {
    let polygon = holed(&[
        &[[-1.0, 1.0], [-1.0, 2.0], [1.0, 2.0], [1.0, 1.0]],
        &[[-1.0, -2.0], [-1.0, -1.0], [1.0, -1.0], [1.0, -2.0]],
        &[[2.0, -1.0], [2.0, 1.0], [3.0, 1.0], [3.0, -1.0]],
    ]);
    let pieces = split(&polygon, &x_axis());
    assert_eq!(areas(&pieces), [29.0, 29.0]);
    for piece in pieces.iter() {
        assert_eq!(piece.loop_count(), 2);
        let is_left = piece.side() == Side::Left;
        assert!(
            piece
                .loop_vertices(1)
                .iter()
                .all(|v| (v.position.y > 0.0) == is_left)
        );
    }
}

#[test]
fn ps_11_a_hole_that_touches_the_line_can_be_cut_on() {
    // The hole's lowest vertex lies on the line; one that stands on the line with an edge; one with two feet.
    let holes: [&[[f64; 2]]; 3] = [
        &[[0.0, 0.0], [-1.0, 1.0], [1.0, 1.0]],
        &[[-1.0, 0.0], [-1.0, 1.0], [1.0, 1.0], [1.0, 0.0]],
        &[[-1.0, 0.0], [-1.0, 2.0], [1.0, 2.0], [1.0, 0.0], [0.0, 1.0]],
    ];
    let mut splitter = Splitter::new();
    for (hole, expected) in holes
        .iter()
        .zip([vec![32.0, 31.0], vec![32.0, 30.0], vec![32.0, 28.0, 1.0]])
    {
        for cut in [x_axis(), x_axis().reversed()] {
            let polygon = holed(&[hole]);
            let pieces = splitter
                .split(&polygon, &cut, Slivers::default())
                .unwrap()
                .clone();
            oracle::check(&polygon, &cut, &pieces, false).unwrap();
            oracle::check_exactly(&polygon, &cut, &pieces).unwrap();
            assert_eq!(areas(&pieces), expected);
            // What touches itself now can be cut again, also through the vertex that it touches in.
            for second in [
                line([0.0, 0.0], [0.0, 1.0]),
                line([0.0, 0.5], [1.0, 0.5]),
                line([0.0, 0.0], [1.0, 2.0]),
            ] {
                for piece in pieces.iter().map(|piece| piece.to_polygon()) {
                    let again = splitter.split(&piece, &second, Slivers::default()).unwrap();
                    oracle::check(&piece, &second, again, false).unwrap();
                    oracle::check_exactly(&piece, &second, again).unwrap();
                }
            }
        }
    }
}

#[test]
fn ps_11_holes_that_are_not_in_the_border_are_refused() {
    let refusal = |holes: &[&[[f64; 2]]]| {
        let holes: Vec<Vec<DVec2>> = holes.iter().map(|hole| points(hole)).collect();
        let holes: Vec<&[DVec2]> = holes.iter().map(Vec::as_slice).collect();
        ConcavePolygon::with_holes(&points(&BORDER), &holes).unwrap_err()
    };
    let outside: &[[f64; 2]] = &[[5.0, 0.0], [5.0, 1.0], [6.0, 1.0]];
    let large: &[[f64; 2]] = &[[-3.0, -3.0], [-3.0, 3.0], [3.0, 3.0], [3.0, -3.0]];
    let small: &[[f64; 2]] = &[[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
    let wrong: &[[f64; 2]] = &[[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let across: &[[f64; 2]] = &[[0.0, 0.0], [0.0, 1.0], [9.0, 1.0]];
    assert_eq!(
        refusal(&[outside]),
        ConcavePolygonError::HoleOutside { loop_index: 1 }
    );
    assert_eq!(
        refusal(&[large, small]),
        ConcavePolygonError::HoleInHole { loop_index: 2 }
    );
    assert_eq!(
        refusal(&[wrong]),
        ConcavePolygonError::WrongOrientation { loop_index: 1 }
    );
    assert!(matches!(
        refusal(&[across]),
        ConcavePolygonError::EdgesCross { .. }
    ));
}

#[test]
fn a_segment_cut_cuts_only_where_it_leads_across() {
    let polygon = ConcavePolygon::new(&comb(4)).unwrap();
    let segment_cut =
        |from: f64, to: f64| CutLine::segment_cut(DVec2::new(from, 2.0), DVec2::new(to, 2.0)).unwrap();
    for (from, to, expected) in [
        (-1.0, 8.0, 5),
        (-1.0, 3.5, 3),
        (3.5, -1.0, 3),
        (0.5, 4.5, 2),
        (2.2, 2.8, 1),
        (1.2, 1.8, 1),
        (0.0, 1.0, 2),
    ] {
        let pieces = split(&polygon, &segment_cut(from, to));
        assert_eq!(pieces.len(), expected, "from {from} to {to}");
        assert_eq!(pieces.is_cut(), expected > 1);
    }
    // The back of the comb keeps the teeth that were not reached: it lies on both sides.
    let pieces = split(&polygon, &segment_cut(-1.0, 1.5));
    assert_eq!(
        pieces.iter().map(|p| p.side()).collect::<Vec<_>>(),
        [Side::On, Side::Left]
    );
}

#[test]
fn a_segment_cut_from_border_to_hole_cuts_nothing_off() {
    let polygon = holed(&[
        &[[-3.0, -1.0], [-3.0, 1.0], [-2.0, 1.0], [-2.0, -1.0]],
        // Open to the right: a segment across its mouth cuts the island in it off from nothing but the mouth.
        &[
            [0.0, -2.0],
            [0.0, 2.0],
            [3.0, 2.0],
            [3.0, 1.0],
            [1.0, 1.0],
            [1.0, -1.0],
            [3.0, -1.0],
            [3.0, -2.0],
        ],
    ]);
    let segment_cut = |from: [f64; 2], to: [f64; 2]| {
        CutLine::segment_cut(DVec2::from_array(from), DVec2::from_array(to)).unwrap()
    };
    assert_eq!(split(&polygon, &segment_cut([-5.0, 0.0], [-2.5, 0.0])).len(), 1);
    assert_eq!(split(&polygon, &segment_cut([-5.0, 0.0], [0.5, 0.0])).len(), 1);
    let pocket = split(&polygon, &segment_cut([2.0, -1.5], [2.0, 1.5]));
    assert_eq!(areas(&pocket), [64.0 - 2.0 - 8.0 - 2.0, 2.0]);
    assert_eq!(pocket.piece(0).loop_count(), 3);
    // Both holes on the way from border to border: the polygon falls into two.
    assert_eq!(split(&polygon, &segment_cut([-5.0, 0.0], [5.0, 0.0])).len(), 2);
}

#[test]
fn welding_moves_crossings_to_vertices_and_says_so() {
    let square = ConcavePolygon::new(&points(&BORDER)).unwrap();
    let near = line([-4.0, -3.999], [4.0, 0.0]);
    let mut splitter = Splitter::new();
    let slivers = Slivers {
        area_min: 0.0,
        weld_distance: 0.01,
    };
    let pieces = splitter.split(&square, &near, slivers).unwrap();
    assert_eq!(pieces.welded_count(), 1);
    assert_eq!(pieces.len(), 2);
    assert!(pieces.piece(0).border().len() + pieces.piece(1).border().len() == 7);
    let sum: f64 = pieces.iter().map(|piece| piece.area()).sum();
    assert!((sum - 64.0).abs() < 1.0e-12);
    // A corner that is cut off altogether within the welding distance goes.
    let corner = line([-4.0, -3.999], [-3.999, -4.0]);
    let pieces = splitter.split(&square, &corner, slivers).unwrap();
    assert_eq!(
        (pieces.len(), pieces.dropped().len(), pieces.welded_count()),
        (1, 1, 2)
    );
    assert_eq!(pieces.piece(0).area(), 64.0);
}

#[test]
fn small_pieces_are_dropped_and_reported() {
    let square = ConcavePolygon::new(&points(&BORDER)).unwrap();
    let corner = line([-4.0, -3.9], [-3.9, -4.0]);
    let mut splitter = Splitter::new();
    let slivers = Slivers {
        area_min: 0.01,
        weld_distance: 0.0,
    };
    let pieces = splitter.split(&square, &corner, slivers).unwrap();
    assert_eq!(pieces.len(), 1);
    let [dropped] = pieces.dropped() else {
        panic!("{:?}", pieces.dropped())
    };
    assert!((dropped.area - 0.005).abs() < 1.0e-12);
    assert_eq!(dropped.side, Side::Right);
    assert!(dropped.centroid.distance(DVec2::splat(-4.0 + 0.1 / 3.0)) < 1.0e-12);
    let [cut] = pieces.cuts() else {
        panic!("{:?}", pieces.cuts())
    };
    assert_eq!((cut.left(), cut.right(), cut.touching()), (Some(0), None, None));
}

#[test]
fn attributes_are_interpolated_by_provenance() {
    // A texture coordinate that is a linear function of the place comes out as that function of the new places.
    let border = comb(3);
    let texture: Vec<f64> = border.iter().map(|p| 0.25 * p.x - 0.5 * p.y).collect();
    let polygon = ConcavePolygon::new(&border).unwrap();
    let pieces = split(&polygon, &line([0.0, 1.3], [5.0, 2.7]));
    let mut cut_edges = 0;
    for piece in pieces.iter() {
        for vertex in piece.vertices() {
            let (a, b) = (
                texture[vertex.source as usize],
                texture[polygon.next(vertex.source as usize)],
            );
            let value = a + (b - a) * vertex.t;
            assert!((value - (0.25 * vertex.position.x - 0.5 * vertex.position.y)).abs() < 1.0e-12);
            cut_edges += usize::from(matches!(vertex.edge(), EdgeOrigin::Cut(_)));
        }
    }
    assert_eq!(cut_edges, 2 * pieces.cuts().len());
}
