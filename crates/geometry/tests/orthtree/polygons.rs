//! Polygons cut over cells: no area is lost, every piece is in its cell to the bit, its edges have the right origins,
//! and queries find the same as a test of all.

use std::collections::BTreeMap;

use crate::model::Random;
use glam::DVec2;
use proptest::prelude::*;
use tombolo_geometry::orthtree::{
    Ball, Block, Bounds, Cell, Convex, HalfSpace, Layout, Linear, OrthtreeError, PIECE_COUNT_MAX,
    PolygonError, PolygonId, Polygons, Region, Segment,
};
use tombolo_geometry::split::ConcavePolygon;

const DEPTH: u32 = 4;

/// Roots on whole numbers, on fractions that `f64` does not have, and of two proportions far from the origin.
fn root(number: u64) -> Bounds<2> {
    match number % 3 {
        0 => Bounds::new([-8.0; 2], [24.0; 2]),
        1 => Bounds::new([-8.3; 2], [24.1; 2]),
        _ => Bounds::new([1000.1, -8.7], [1033.3, 22.9]),
    }
}

fn polygons<L: Layout<2>>(number: u64, growth_max: u32) -> Polygons<L> {
    Polygons::new(root(number), DEPTH, growth_max).unwrap()
}

/// A star in a box, seldom convex; one in two has corners on planes of cells.
fn star(random: &mut Random, root: &Bounds<2>, low: f32, high: f32) -> ConcavePolygon {
    loop {
        let radius = (high - low) * (0.05 + 0.4 * random.unit());
        let room = high - low - 2.0 * radius;
        let mut middle = || f64::from(low + radius + room * random.unit());
        let center = DVec2::new(middle(), middle());
        let count = 3 + random.below(12);
        let on_planes = random.below(2) == 0;
        let points: Vec<DVec2> = (0..count)
            .map(|corner| {
                let angle = core::f64::consts::TAU * corner as f64 / count as f64;
                let reach = f64::from(radius) * (0.1 + 0.9 * f64::from(random.unit()));
                let mut point = center + reach * DVec2::new(libm::cos(angle), libm::sin(angle));
                if on_planes {
                    point = (point * 16.0).round() / 16.0;
                }
                // From parts of the root to places.
                let size = |axis: usize| f64::from(root.max[axis]) - f64::from(root.min[axis]);
                DVec2::new(
                    f64::from(root.min[0]) + point.x * size(0),
                    f64::from(root.min[1]) + point.y * size(1),
                )
            })
            .collect();
        // Rounding may have folded it: another.
        if let Ok(concave_polygon) = ConcavePolygon::new(&points) {
            return concave_polygon;
        }
    }
}

/// The planes around a cell; by the definition, not by the tree's own code.
fn sides(root: &Bounds<2>, cell: &Cell<2>) -> [[f64; 2]; 2] {
    std::array::from_fn(|axis| {
        let low = f64::from(root.min[axis]);
        let unit = (f64::from(root.max[axis]) - low) / f64::from(1 << DEPTH);
        let place = f64::from(cell.corner[axis] as i32);
        [low + place * unit, low + (place + 1.0) * unit]
    })
}

/// The area of a polygon in a box, by clipping at one side after the other (I. Sutherland, G. Hodgman, 1974). For concave
/// ones too: what it leaves of them on the sides has no area.
fn clipped_area(concave_polygon: &ConcavePolygon, [x, y]: [[f64; 2]; 2]) -> f64 {
    let mut points = concave_polygon.points().to_vec();
    for (axis, side, keep) in [(0, x[0], 1.0), (0, x[1], -1.0), (1, y[0], 1.0), (1, y[1], -1.0)] {
        let mut kept = Vec::new();
        for (index, &b) in points.iter().enumerate() {
            let a = points[(index + points.len() - 1) % points.len()];
            let (from, to) = (keep * (a[axis] - side), keep * (b[axis] - side));
            if (from < 0.0) != (to < 0.0) {
                kept.push(a.lerp(b, from / (from - to)));
            }
            if to >= 0.0 {
                kept.push(b);
            }
        }
        points = kept;
        if points.is_empty() {
            return 0.0;
        }
    }
    let cross =
        |index: usize| (points[index] - points[0]).perp_dot(points[(index + 1) % points.len()] - points[0]);
    0.5 * (0..points.len()).map(cross).sum::<f64>()
}

fn check_cover(
    concave_polygon: &ConcavePolygon,
    root: &Bounds<2>,
    polygons: &Polygons<Linear>,
    id: PolygonId,
) {
    let polygon = polygons.get(id).unwrap();
    let mut areas: BTreeMap<[u32; 2], f64> = BTreeMap::new();
    let mut covered = vec![0.0; concave_polygon.points().len()];
    for piece in polygon.pieces() {
        let cell = piece.cell();
        let planes = sides(root, &cell);
        *areas.entry(cell.corner).or_default() += piece.concave_polygon().area();
        for (edge, &from) in piece.concave_polygon().points().iter().enumerate() {
            let to = piece.concave_polygon().points()[piece.concave_polygon().next(edge)];
            for axis in 0..2 {
                assert!(
                    (planes[axis][0]..=planes[axis][1]).contains(&from[axis]),
                    "{from} is in {planes:?}"
                );
            }
            match piece.edge_origin(edge) {
                Some(origin) => {
                    let origin = origin as usize;
                    let (a, b) = (
                        concave_polygon.points()[origin],
                        concave_polygon.points()[concave_polygon.next(origin)],
                    );
                    for end in [from, to] {
                        let off = (b - a).perp_dot(end - a) / (b - a).length();
                        assert!(off.abs() < 1e-9, "{end} is on the edge from {a} to {b}");
                    }
                    covered[origin] += (to - from).dot((b - a).normalize());
                }
                None => assert!(
                    (0..2).any(|axis| from[axis] == to[axis] && planes[axis].contains(&from[axis])),
                    "{from} to {to} is on a plane of {planes:?}"
                ),
            }
        }
    }
    for (edge, length) in covered.iter().enumerate() {
        let whole =
            concave_polygon.points()[edge].distance(concave_polygon.points()[concave_polygon.next(edge)]);
        assert!((length - whole).abs() < 1e-9, "edge {edge}: {length} of {whole}");
    }
    let total: f64 = areas.values().sum();
    assert!((total - concave_polygon.area()).abs() <= 1e-10 * concave_polygon.area());
    for x in 0..1 << DEPTH {
        for y in 0..1 << DEPTH {
            let cell = Cell {
                corner: [x, y],
                height: 0,
            };
            let expected = clipped_area(concave_polygon, sides(root, &cell));
            let found = areas.get(&cell.corner).copied().unwrap_or(0.0);
            assert!(
                (found - expected).abs() < 1e-9,
                "{cell:?}: {found}, clipped {expected}"
            );
        }
    }
}

/// The same, around the pieces: rounded outwards.
fn boxes(concave_polygon: &ConcavePolygon) -> Bounds<2> {
    let mut bounds = Bounds::new([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
    for point in concave_polygon.points() {
        for axis in 0..2 {
            let (mut low, mut high) = (point[axis] as f32, point[axis] as f32);
            while f64::from(low) > point[axis] {
                low = low.next_down();
            }
            while f64::from(high) < point[axis] {
                high = high.next_up();
            }
            bounds.min[axis] = bounds.min[axis].min(low);
            bounds.max[axis] = bounds.max[axis].max(high);
        }
    }
    bounds
}

/// Whether a point is inside, by counting crossings to its right.
fn contains(concave_polygon: &ConcavePolygon, point: DVec2) -> bool {
    let mut inside = false;
    for (index, &a) in concave_polygon.points().iter().enumerate() {
        let b = concave_polygon.points()[concave_polygon.next(index)];
        if (a.y > point.y) != (b.y > point.y) && point.x < a.x + (b.x - a.x) * (point.y - a.y) / (b.y - a.y) {
            inside = !inside;
        }
    }
    inside
}

struct Twin<L: Layout<2>> {
    polygons: Polygons<L>,
    model: BTreeMap<PolygonId, (ConcavePolygon, u64)>,
}

impl<L: Layout<2>> Twin<L> {
    fn check_region(&self, region: &impl Region<2>) {
        let found = self.polygons.query(region);
        let expected: Vec<_> = self
            .model
            .keys()
            .filter(|id| {
                let mut pieces = self.polygons.get(**id).unwrap().pieces();
                pieces.any(|piece| region.overlaps(&boxes(piece.concave_polygon())))
            })
            .copied()
            .collect();
        assert_eq!(found, expected);
    }

    fn check(&self, random: &mut Random, root: &Bounds<2>) {
        assert_eq!(self.polygons.len(), self.model.len());
        let place = |random: &mut Random| -> [f32; 2] {
            std::array::from_fn(|axis| {
                let size = root.max[axis] - root.min[axis];
                root.min[axis] - 0.5 * size + 2.0 * size * random.unit()
            })
        };
        for _ in 0..8 {
            let (center, radius) = (place(random), 8.0 * random.unit());
            let translation = std::array::from_fn(|_| 20.0 * random.unit() - 10.0);
            let normal = std::array::from_fn(|_| random.unit() - 0.5);
            let offset = normal[0] * center[0] + normal[1] * center[1];
            self.check_region(&Bounds::around(center, radius));
            self.check_region(&Bounds::point(center));
            self.check_region(&Ball { center, radius });
            self.check_region(&Segment {
                origin: center,
                translation,
            });
            let sides = [HalfSpace { normal, offset }];
            self.check_region(&Convex::new(&sides));
            self.check_region(&Convex::within(&sides, Bounds::around(center, radius)));
            // A point in a polygon is in one of its pieces, whatever these are.
            for (id, (concave_polygon, _)) in &self.model {
                if contains(concave_polygon, DVec2::new(center[0].into(), center[1].into())) {
                    assert!(self.polygons.query(&Bounds::point(center)).contains(id));
                }
            }
        }
        // Corners and planes are where boxes end and cells meet.
        for (concave_polygon, _) in self.model.values() {
            let corner =
                concave_polygon.points()[random.below(concave_polygon.points().len() as u64) as usize];
            self.check_region(&Bounds::point([corner.x as f32, corner.y as f32]));
        }
        let mut by_cell: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        for id in self.model.keys() {
            for piece in self.polygons.get(*id).unwrap().pieces() {
                *by_cell.entry(piece.cell().corner).or_default() += 1;
            }
        }
        let mut found = BTreeMap::new();
        self.polygons.tree().visit_all(|view| {
            if view.count > 0 {
                assert_eq!(view.cell.height, 0, "pieces are in finest cells");
                found.insert(view.cell.corner, view.count);
            }
        });
        assert_eq!(found, by_cell);
    }

    /// One random change: polygons come, move, change and go.
    fn step(&mut self, random: &mut Random, root: &Bounds<2>, (low, high): (f32, f32)) {
        let chosen = self.model.keys().nth(random.below(8) as usize).copied();
        match (random.below(4), chosen) {
            (0, Some(id)) => {
                let (_, key) = self.model.remove(&id).unwrap();
                assert_eq!(self.polygons.remove(id), Ok(key));
                assert!(matches!(self.polygons.remove(id), Err(PolygonError::Stale(_))));
            }
            (1 | 2, Some(id)) => {
                let old = &self.model[&id].0;
                let shift = DVec2::new(random.unit().into(), random.unit().into()) * 0.5;
                let moved: Vec<DVec2> = old.points().iter().map(|&point| point + shift).collect();
                let concave_polygon = match (random.below(2), ConcavePolygon::new(&moved)) {
                    (0, Ok(moved)) if self.polygons.update(id, &moved).is_ok() => moved,
                    _ => star(random, root, low, high),
                };
                self.polygons.update(id, &concave_polygon).unwrap();
                self.model.get_mut(&id).unwrap().0 = concave_polygon;
            }
            _ => {
                let (concave_polygon, key) = (star(random, root, low, high), random.next());
                let id = self.polygons.insert(&concave_polygon, key).unwrap();
                assert_eq!(self.polygons.get(id).unwrap().key(), key);
                self.model.insert(id, (concave_polygon, key));
            }
        }
    }
}

fn goes_its_way<L: Layout<2>>(seed: u64) {
    let root = root(seed);
    let random = &mut Random(seed);
    let mut twin = Twin {
        polygons: polygons::<L>(seed, 3),
        model: BTreeMap::new(),
    };
    for round in 0..4 {
        // In the last round beyond the root, on all sides.
        let area = if round == 3 { (-0.9, 1.9) } else { (0.0, 1.0) };
        for _ in 0..6 {
            twin.step(random, &root, area);
        }
        twin.check(random, &root);
    }
    for (id, (_, key)) in std::mem::take(&mut twin.model) {
        assert_eq!(twin.polygons.remove(id), Ok(key));
    }
    assert!(twin.polygons.is_empty() && twin.polygons.tree().is_empty());
}

/// The edges of a polygon without holes.
fn edges(polygon: &ConcavePolygon) -> impl Iterator<Item = (DVec2, DVec2)> + '_ {
    let points = polygon.points();
    (0..points.len()).map(|edge| (points[edge], points[polygon.next(edge)]))
}

/// Whether the polygon goes around a point, by the angles under which it sees the edges.
fn is_inside(polygon: &ConcavePolygon, point: DVec2) -> bool {
    let angle = |(a, b): (DVec2, DVec2)| {
        let (a, b) = (a - point, b - point);
        libm::atan2(a.perp_dot(b), a.dot(b))
    };
    edges(polygon).map(angle).sum::<f64>() > core::f64::consts::PI
}

fn distance_to_border(polygon: &ConcavePolygon, point: DVec2) -> f64 {
    let distance = |(a, b): (DVec2, DVec2)| {
        let along = (point - a).dot(b - a) / (b - a).length_squared();
        point.distance(a + along.clamp(0.0, 1.0) * (b - a))
    };
    edges(polygon).map(distance).fold(f64::INFINITY, f64::min)
}

proptest! {
    #[test]
    fn pieces_cover_the_polygon_each_in_its_cell(seed in any::<u64>()) {
        let root = root(seed);
        let concave_polygon = star(&mut Random(seed), &root, 0.0, 1.0);
        let mut polygons: Polygons = polygons(seed, 0);
        let id = polygons.insert(&concave_polygon, seed).unwrap();
        check_cover(&concave_polygon, &root, &polygons, id);
    }

    #[test]
    fn a_point_is_in_the_polygons_that_contain_it(seed in any::<u64>()) {
        let root = root(seed);
        let mut random = Random(seed);
        let mut polygons: Polygons = polygons(seed, 3);
        let stars: Vec<ConcavePolygon> = (0..5).map(|_| star(&mut random, &root, 0.0, 1.0)).collect();
        let ids: Vec<PolygonId> = stars.iter().map(|star| polygons.insert(star, 0).unwrap()).collect();
        let size = f64::from(root.max[0]) - f64::from(root.min[0]);
        for _ in 0..200 {
            let mut point = DVec2::from_array(root.min.map(f64::from));
            point += size * DVec2::new(f64::from(random.unit()), f64::from(random.unit())) * 1.2 - 0.1 * size;
            // Some on the planes between cells, some at corners.
            let cell = size / f64::from(1 << DEPTH);
            match random.below(4) {
                0 => point.x = f64::from(root.min[0]) + cell * (random.below(1 << DEPTH) as f64),
                1 => {
                    let corners = stars[random.below(5) as usize].points();
                    point = corners[random.below(corners.len() as u64) as usize];
                }
                _ => {}
            }
            let found = polygons.at(point);
            for (star, &id) in stars.iter().zip(&ids) {
                let off = distance_to_border(star, point);
                let is_there = found.contains(&id);
                prop_assert_eq!(is_there, polygons.contains(id, point));
                // Where a plane crosses an edge the pieces' edges are off by a rounding.
                if off == 0.0 || off > 1e-9 * size {
                    prop_assert_eq!(is_there, is_inside(star, point) || off == 0.0, "{} at {}", point, off);
                }
            }
        }
        prop_assert!(polygons.at(DVec2::NAN).is_empty());
    }

    #[test]
    fn ot_12_ot_13_polygons_that_come_move_and_go_are_found_once(seed in any::<u64>()) {
        goes_its_way::<Linear>(seed);
        goes_its_way::<Block<2>>(seed);
    }
}

fn rectangle(min: [f64; 2], max: [f64; 2]) -> ConcavePolygon {
    let corners = [min, [max[0], min[1]], max, [min[0], max[1]]];
    ConcavePolygon::new(&corners.map(DVec2::from_array)).unwrap()
}

#[test]
fn ot_1_a_polygon_that_ends_on_a_plane_stays_on_its_side() {
    let mut polygons: Polygons = polygons(0, 0);
    let id = polygons.insert(&rectangle([0.0; 2], [4.0, 2.0]), 0).unwrap();
    let corners: Vec<_> = polygons
        .get(id)
        .unwrap()
        .pieces()
        .map(|piece| piece.cell().corner)
        .collect();
    assert_eq!(corners, [[4, 4], [5, 4]]);
}

#[test]
fn pieces_of_a_comb_come_by_column_and_from_below() {
    let mut polygons: Polygons = polygons(0, 0);
    // Three arms of 4 m on a back of half a meter, across columns of 2 m.
    let comb = [
        [0.0, 0.0],
        [4.0, 0.0],
        [4.0, 0.5],
        [0.5, 0.5],
        [0.5, 1.0],
        [4.0, 1.0],
        [4.0, 1.5],
        [0.5, 1.5],
        [0.5, 2.5],
        [4.0, 2.5],
        [4.0, 3.0],
        [0.0, 3.0],
    ];
    let id = polygons
        .insert(&ConcavePolygon::new(&comb.map(DVec2::from_array)).unwrap(), 0)
        .unwrap();
    let corners = polygons
        .get(id)
        .unwrap()
        .pieces()
        .map(|piece| piece.cell().corner);
    let corners: Vec<_> = corners.collect();
    assert!(corners.is_sorted(), "{corners:?}");
    assert!(
        corners.windows(2).any(|pair| pair[0] == pair[1]),
        "two arms end in one cell"
    );
}

#[test]
fn a_hole_is_cut_too_and_a_concave_polygon_may_have_two_pieces_in_a_cell() {
    let mut polygons: Polygons = polygons(0, 0);
    // Around a hole of 2 m in the middle of 4 cells of 2 m.
    let border = rectangle([0.0; 2], [4.0; 2]);
    let hole = [[1.0, 1.0], [1.0, 3.0], [3.0, 3.0], [3.0, 1.0]].map(DVec2::from_array);
    let ring = ConcavePolygon::with_holes(border.points(), &[&hole]).unwrap();
    let id = polygons.insert(&ring, 0).unwrap();
    let areas: Vec<f64> = polygons
        .get(id)
        .unwrap()
        .pieces()
        .map(|piece| piece.concave_polygon().area())
        .collect();
    assert_eq!(areas, [3.0; 4]);
    // Two teeth of a comb in one cell, their back in the cell below.
    let comb = [
        [0.0, 5.0],
        [2.0, 5.0],
        [2.0, 7.0],
        [1.5, 7.0],
        [1.5, 5.5],
        [0.5, 5.5],
        [0.5, 7.0],
        [0.0, 7.0],
    ];
    let id = polygons
        .insert(&ConcavePolygon::new(&comb.map(DVec2::from_array)).unwrap(), 0)
        .unwrap();
    let corners: Vec<_> = polygons
        .get(id)
        .unwrap()
        .pieces()
        .map(|piece| piece.cell().corner)
        .collect();
    assert_eq!(corners, [[4, 6], [4, 7], [4, 7]]);
}

#[test]
fn ot_7_a_move_that_stays_in_its_cells_writes_boxes_only() {
    let mut polygons: Polygons = polygons(0, 0);
    let id = polygons.insert(&rectangle([0.5; 2], [4.5, 3.5]), 0).unwrap();
    let epoch = polygons.tree().epoch();
    polygons.update(id, &rectangle([0.7, 0.2], [4.7, 3.2])).unwrap();
    assert_eq!(polygons.tree().epoch(), epoch);
    assert_eq!(polygons.query(&Bounds::new([4.6, 3.1], [5.0, 5.0])), [id]);
    assert_eq!(polygons.query(&Bounds::new([4.6, 3.3], [5.0, 5.0])), []);
    polygons.update(id, &rectangle([4.7, 0.2], [8.7, 3.2])).unwrap();
    assert_ne!(polygons.tree().epoch(), epoch);
}

#[test]
fn ot_2_ot_8_what_cannot_be_cut_or_reached_is_refused_and_nothing_changes() {
    let mut polygons: Polygons = Polygons::new(Bounds::new([0.0; 2], [16.0; 2]), 4, 1).unwrap();
    let id = polygons.insert(&rectangle([1.0; 2], [5.0; 2]), 3).unwrap();
    let before = (polygons.tree().epoch(), polygons.tree().root_bounds());
    for far in [
        rectangle([1.0; 2], [33.0, 2.0]),
        rectangle([1.0e30; 2], [1.1e30; 2]),
        rectangle([0.0; 2], [1.0e60; 2]),
    ] {
        let refused = |result| matches!(result, Err(PolygonError::Tree(_)));
        assert!(refused(polygons.insert(&far, 0).map(|_| ())));
        assert!(refused(polygons.update(id, &far)));
    }
    assert!(matches!(
        polygons.insert(&rectangle([-1.0; 2], [17.0, 2.0]), 0),
        Err(PolygonError::Tree(OrthtreeError::OutOfReach { axis: 0, .. }))
    ));
    assert_eq!((polygons.tree().epoch(), polygons.tree().root_bounds()), before);
    assert_eq!(
        (polygons.len(), polygons.get(id).unwrap().pieces().len()),
        (1, 16)
    );

    let mut fine: Polygons = Polygons::new(Bounds::new([0.0; 2], [16.0; 2]), 12, 0).unwrap();
    let whole = rectangle([0.0; 2], [16.0; 2]);
    const { assert!(4096 * 4096 > PIECE_COUNT_MAX) };
    assert_eq!(fine.insert(&whole, 0), Err(PolygonError::TooManyPieces));
    assert!(fine.is_empty() && fine.tree().is_empty());
    let id = fine.insert(&rectangle([0.0; 2], [1.0, 0.5]), 0).unwrap();
    assert_eq!(fine.update(id, &whole), Err(PolygonError::TooManyPieces));
    assert_eq!(fine.get(id).unwrap().pieces().len(), 256 * 128);
}
