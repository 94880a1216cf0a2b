//! Polygons split over cells: nothing is lost, every piece is in its cell, and queries find what a test of all finds.

use crate::model::Random;
use glam::DVec2;
use tombolo_geometry::orthtree::{
    Block, Bounds, Linear, Orthtree, OrthtreeError, PiecesError, Settings, Smallest, split_over_cells,
};
use tombolo_geometry::split::Outline;

type Tree = Orthtree<2, Linear, Smallest>;

fn tree() -> Tree {
    let settings = Settings {
        depth_max: 6,
        ..Settings::default()
    };
    Orthtree::new(Bounds::new([-8.0; 2], [24.0; 2]), Smallest, settings).unwrap()
}

/// A star around a point, not convex, some corners on planes of cells.
fn star(random: &mut Random) -> Outline {
    let center = DVec2::new(
        8.0 + f64::from(random.unit()) * 4.0,
        8.0 - f64::from(random.unit()) * 4.0,
    );
    let count = 5 + random.below(12);
    let on_planes = random.below(2) == 0;
    let points: Vec<DVec2> = (0..count)
        .map(|corner| {
            let angle = core::f64::consts::TAU * corner as f64 / count as f64;
            let radius = 1.0 + 9.0 * f64::from(random.unit());
            let point = center + radius * DVec2::new(libm::cos(angle), libm::sin(angle));
            if on_planes { point.round() } else { point }
        })
        .collect();
    match Outline::new(&points) {
        Ok(outline) => outline,
        // Rounding has folded it: another.
        Err(_) => star(random),
    }
}

#[test]
fn pieces_cover_the_polygon_each_in_its_cell() {
    for seed in 0..60 {
        let outline = star(&mut Random(seed));
        for height in [0, 2, 3] {
            let tree = tree();
            let pieces = split_over_cells(&outline, tree.lattice(), height).unwrap();
            let area: f64 = pieces.iter().map(|piece| piece.outline.area()).sum();
            assert!(
                (area - outline.area()).abs() <= 1e-9 * outline.area(),
                "seed {seed}: {area}"
            );
            for piece in &pieces {
                assert_eq!(piece.cell.height, height);
                let cell = tree.lattice().bounds(&piece.cell);
                for point in piece.outline.points() {
                    for axis in 0..2 {
                        let (low, high) = (f64::from(cell.min[axis]), f64::from(cell.max[axis]));
                        assert!(
                            (low..=high).contains(&point[axis]),
                            "seed {seed}: {point} in {cell:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn inserted_pieces_are_in_their_cells_and_are_found() {
    for seed in 0..20 {
        let mut tree = tree();
        let random = &mut Random(seed);
        let pieces = tree.insert_pieces(&star(random), 2, seed).unwrap();
        tree.visit_all(|view| assert!(view.count == 0 || view.cell.height <= 2));
        for _ in 0..30 {
            let area = Bounds::around(
                [8.0 + 8.0 * random.unit(), 8.0 * random.unit()],
                3.0 * random.unit(),
            );
            let mut found = Vec::new();
            tree.query(&area, |hit| found.push(hit.id));
            found.sort_unstable();
            let mut expected: Vec<_> = pieces
                .iter()
                .map(|(id, _)| *id)
                .filter(|id| area.overlaps(&tree.bounds(*id).unwrap()))
                .collect();
            expected.sort_unstable();
            assert_eq!(found, expected);
        }
        for (id, _) in pieces {
            assert_eq!(tree.remove(id), Ok(seed));
        }
        assert!(tree.is_empty());
    }
}

#[test]
fn a_polygon_that_ends_on_a_plane_stays_on_its_side() {
    let corners = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)];
    let square = Outline::new(&corners.map(|(x, y)| DVec2::new(x, y))).unwrap();
    let pieces = split_over_cells(&square, tree().lattice(), 3).unwrap();
    assert_eq!(pieces.len(), 1);
    assert_eq!(pieces[0].cell.corner, [16, 16]);
}

#[test]
fn a_polygon_outside_the_root_is_refused() {
    let mut tree = tree();
    let corners = [(20.0, 0.0), (30.0, 0.0), (20.0, 4.0)];
    let outline = Outline::new(&corners.map(|(x, y)| DVec2::new(x, y))).unwrap();
    let expected = PiecesError::Tree(OrthtreeError::OutOfReach {
        axis: 0,
        growth_left: 0,
    });
    assert_eq!(tree.insert_pieces(&outline, 2, 0).unwrap_err(), expected);
    assert!(tree.is_empty());
    let other: Orthtree<2, Block<2>, Smallest> =
        Orthtree::new(Bounds::new([0.0; 2], [64.0; 2]), Smallest, Settings::default()).unwrap();
    assert!(split_over_cells(&outline, other.lattice(), 5).is_ok());
}
