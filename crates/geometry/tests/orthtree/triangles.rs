//! Triangles cut over cells: the area in every cell is that of clipping, every piece is in its cell to the bit, edges
//! have the right origins, closed meshes stay closed, and queries find the same as a test of all.

use std::collections::BTreeMap;

use crate::model::Random;
use glam::DVec3;
use proptest::prelude::*;
use tombolo_geometry::orthtree::{
    Ball, Block, Bounds, Cell, Convex, Full, HalfSpace, Layout, Linear, OrthtreeError, PIECE_COUNT_MAX,
    Region, Segment, Standard, TriangleError, TriangleId, TrianglePiece, Triangles,
};

/// What the documents promise of corners and areas, in roundings of the greatest coordinate.
const ROUNDINGS: f64 = 16.0;

/// Roots on whole numbers, on fractions that `f64` does not have, and of three proportions far from the origin.
fn root(number: u64) -> Bounds<3> {
    match number % 3 {
        0 => Bounds::new([-8.0; 3], [24.0; 3]),
        1 => Bounds::new([-8.3; 3], [24.1; 3]),
        _ => Bounds::new([1000.1, -8.7, -300.3], [1033.3, 22.9, 200.7]),
    }
}

/// Cells of several sizes.
fn depth(number: u64) -> u32 {
    1 + (number / 3 % 4) as u32
}

fn triangles<L: Layout<3>>(number: u64, growth_max: u32) -> Triangles<L> {
    Triangles::new(root(number), depth(number), growth_max).unwrap()
}

fn random_point(random: &mut Random, root: &Bounds<3>, (low, high): (f32, f32), on_planes: bool) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|axis| {
        let mut share = f64::from(low + (high - low) * random.unit());
        if on_planes {
            share = (share * 16.0).round() / 16.0;
        }
        let min = f64::from(root.min[axis]);
        min + share * (f64::from(root.max[axis]) - min)
    }))
}

/// A triangle in a part of the root: any; with corners on planes of cells; parallel to an axis; or a needle.
fn triangle(random: &mut Random, root: &Bounds<3>, part: (f32, f32)) -> [DVec3; 3] {
    loop {
        let kind = random.below(5);
        let mut corners = [(); 3].map(|()| random_point(random, root, part, kind == 1));
        let axis = random.below(3) as usize;
        match kind {
            2 => corners[1][axis] = corners[0][axis],
            3 => (1..3).for_each(|corner| corners[corner][axis] = corners[0][axis]),
            4 => corners[2] = corners[0].lerp(corners[1], 0.4) + 1.0e-3 * (corners[2] - corners[0]),
            _ => {}
        }
        let within = |corner: &DVec3| (0..3).all(|axis| corner[axis] < f64::from(root.max[axis]));
        let area = (corners[1] - corners[0]).cross(corners[2] - corners[0]).length();
        if area > 1.0e-6 && (part.1 > 1.0 || corners.iter().all(within)) {
            return corners;
        }
    }
}

/// The planes around a cell; by the definition, not by the tree's own code.
fn sides(root: &Bounds<3>, depth: u32, corner: [u32; 3]) -> [[f64; 2]; 3] {
    std::array::from_fn(|axis| {
        let low = f64::from(root.min[axis]);
        let unit = (f64::from(root.max[axis]) - low) / f64::from(1 << depth);
        let place = f64::from(corner[axis] as i32);
        [low + place * unit, low + (place + 1.0) * unit]
    })
}

/// The area of a triangle in a box, by clipping at one side after the other (I. Sutherland, G. Hodgman, 1974).
fn clipped_area(corners: &[DVec3; 3], planes: [[f64; 2]; 3]) -> f64 {
    let mut points = corners.to_vec();
    for (axis, [low, high]) in planes.into_iter().enumerate() {
        for (side, keep) in [(low, 1.0), (high, -1.0)] {
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
        }
    }
    let doubled = (1..points.len().max(2) - 1)
        .map(|index| (points[index] - points[0]).cross(points[index + 1] - points[0]));
    0.5 * doubled.sum::<DVec3>().length()
}

/// What rounding may change a coordinate and an area by.
fn tolerances(corners: &[DVec3; 3]) -> (f64, f64) {
    let reach = corners
        .iter()
        .map(|corner| corner.abs().max_element())
        .fold(0.0, f64::max);
    let [a, b, c] = *corners;
    let length = ROUNDINGS * f64::EPSILON * reach;
    (length, length * (a.distance(b) + b.distance(c) + c.distance(a)))
}

/// Whether all corners lie in one plane between cells: then the area is in the upper cell, and clipping finds it in both.
fn lies_in_a_plane(corners: &[DVec3; 3], root: &Bounds<3>, depth: u32) -> bool {
    (0..3).any(|axis| {
        let is_flat = corners.iter().all(|corner| corner[axis] == corners[0][axis]);
        let on_plane = |place| sides(root, depth, [place; 3])[axis][0] == corners[0][axis];
        is_flat && (0..1 << depth).any(on_plane)
    })
}

fn check_piece(corners: &[DVec3; 3], piece: &TrianglePiece, planes: [[f64; 2]; 3], covered: &mut [f64; 3]) {
    let (length, _) = tolerances(corners);
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    assert!((3..=9).contains(&piece.corners().len()), "{piece:?}");
    for (edge, &from) in piece.corners().iter().enumerate() {
        let to = piece.corners()[(edge + 1) % piece.corners().len()];
        for axis in 0..3 {
            let [low, high] = planes[axis];
            assert!((low..=high).contains(&from[axis]), "{from} is in {planes:?}");
        }
        let height = (from - corners[0]).dot(normal) / normal.length();
        // A coordinate may be off along each axis; and the plane of a needle is not known better.
        let flatness = normal.length() / corners[0].distance_squared(corners[1]);
        if flatness > 0.1 {
            assert!(
                height.abs() <= 2.0 * length,
                "{from} is {height} off the triangle's plane"
            );
        }
        match piece.edge_origin(edge) {
            Some(origin) => {
                let (a, b) = (corners[origin as usize], corners[(origin as usize + 1) % 3]);
                let along = (b - a).normalize();
                for end in [from, to] {
                    let off = (end - a).cross(along).length();
                    assert!(off <= 2.0 * length, "{end} is {off} off the edge from {a} to {b}");
                }
                covered[origin as usize] += (to - from).dot(along);
            }
            None => assert!(
                (0..3).any(|axis| from[axis] == to[axis] && planes[axis].contains(&from[axis])),
                "{from} to {to} is on a plane of {planes:?}"
            ),
        }
    }
}

/// Every cell of the root against clipping; every piece in its cell.
fn check_cover(corners: &[DVec3; 3], number: u64) {
    let (root, depth) = (root(number), depth(number));
    let mut triangles: Triangles = triangles(number, 0);
    let id = triangles.insert(corners, number).unwrap();
    let mut areas: BTreeMap<[u32; 3], f64> = BTreeMap::new();
    let mut covered = [0.0; 3];
    for piece in triangles.get(id).unwrap().pieces() {
        let corner = piece.cell().corner;
        assert_eq!(areas.insert(corner, piece.area()), None, "one piece in a cell");
        check_piece(corners, piece, sides(&root, depth, corner), &mut covered);
    }
    let (length, area) = tolerances(corners);
    for (edge, covered) in covered.into_iter().enumerate() {
        let whole = corners[edge].distance(corners[(edge + 1) % 3]);
        assert!(
            (covered - whole).abs() <= 64.0 * length,
            "edge {edge}: {covered} of {whole}"
        );
    }
    let whole = clipped_area(corners, [[f64::NEG_INFINITY, f64::INFINITY]; 3]);
    let total: f64 = areas.values().sum();
    assert!((total - whole).abs() <= 4.0 * area, "{total} of {whole}");
    if lies_in_a_plane(corners, &root, depth) {
        return;
    }
    let count = 1_u32 << depth;
    for number in 0..count.pow(3) {
        let corner = [number % count, number / count % count, number / count / count];
        let expected = clipped_area(corners, sides(&root, depth, corner));
        let found = areas.get(&corner).copied().unwrap_or(0.0);
        assert!(
            (found - expected).abs() <= area,
            "{corner:?}: {found}, clipped {expected}"
        );
    }
}

type Bits = [u64; 3];

fn bits(point: DVec3) -> Bits {
    point.to_array().map(f64::to_bits)
}

/// All edges of the pieces, by their ends' bits.
fn directed(triangles: &Triangles, ids: &[TriangleId]) -> Vec<(Bits, Bits)> {
    let mut found = Vec::new();
    for piece in ids.iter().flat_map(|id| triangles.get(*id).unwrap().pieces()) {
        let next = piece.corners().iter().cycle().skip(1);
        let edges = piece.corners().iter().zip(next);
        found.extend(edges.map(|(from, to)| (bits(*from), bits(*to))));
    }
    found.sort_unstable();
    found
}

proptest! {
    #[test]
    fn the_area_in_every_cell_is_what_clipping_leaves(seed in any::<u64>()) {
        check_cover(&triangle(&mut Random(seed), &root(seed), (0.0, 1.0)), seed);
    }

    /// A tetrahedron: each edge of a piece is one of another piece the other way round.
    #[test]
    fn a_closed_mesh_stays_closed_to_the_bit(seed in any::<u64>()) {
        let random = &mut Random(seed);
        let mut triangles: Triangles = triangles(seed, 0);
        let [a, b, c] = triangle(random, &root(seed), (0.0, 1.0));
        let on_planes = random.below(2) == 0;
        let apex = random_point(random, &root(seed), (0.0, 0.99), on_planes);
        let faces = [[a, b, c], [b, a, apex], [c, b, apex], [a, c, apex]];
        let ids: Result<Vec<_>, _> = faces.iter().map(|face| triangles.insert(face, 0)).collect();
        let Ok(ids) = ids else {
            // The apex lies on a line with an edge, or on the root's last face.
            return Ok(());
        };
        let edges = directed(&triangles, &ids);
        let mut reversed: Vec<_> = edges.iter().map(|&(from, to)| (to, from)).collect();
        reversed.sort_unstable();
        prop_assert_eq!(edges, reversed);
    }

    #[test]
    fn ot_14_triangles_go_the_same_way_on_every_layout(seed in any::<u64>()) {
        goes_its_way::<Linear>(seed);
        goes_its_way::<Block<3>>(seed);
        goes_its_way::<Standard<3>>(seed);
    }
}

struct Twin<L: Layout<3>> {
    triangles: Triangles<L>,
    model: BTreeMap<TriangleId, ([DVec3; 3], u64)>,
}

impl<L: Layout<3>> Twin<L> {
    fn check_region(&self, region: &impl Region<3>) {
        let overlaps = |id: &&TriangleId| {
            let mut pieces = self.triangles.get(**id).unwrap().pieces();
            pieces.any(|piece| region.overlaps(&box_around(piece)))
        };
        let expected: Vec<_> = self.model.keys().filter(overlaps).copied().collect();
        assert_eq!(self.triangles.query(region), expected);
    }

    fn check(&self, random: &mut Random, root: &Bounds<3>) {
        assert_eq!(self.triangles.len(), self.model.len());
        for _ in 0..6 {
            let center = random_point(random, root, (-0.5, 1.5), false)
                .as_vec3()
                .to_array();
            let radius = 8.0 * random.unit();
            let translation = std::array::from_fn(|_| 20.0 * random.unit() - 10.0);
            let normal: [f32; 3] = std::array::from_fn(|_| random.unit() - 0.5);
            let offset = (0..3).map(|axis| normal[axis] * center[axis]).sum();
            self.check_region(&Bounds::around(center, radius));
            self.check_region(&Ball { center, radius });
            self.check_region(&Segment {
                origin: center,
                translation,
            });
            let sides = [HalfSpace { normal, offset }];
            self.check_region(&Convex::within(&sides, Bounds::around(center, radius)));
        }
        let mut by_cell: BTreeMap<[u32; 3], u32> = BTreeMap::new();
        for id in self.model.keys() {
            for piece in self.triangles.get(*id).unwrap().pieces() {
                *by_cell.entry(piece.cell().corner).or_default() += 1;
            }
        }
        let mut found = BTreeMap::new();
        self.triangles.tree().visit_all(|view| {
            if view.count > 0 {
                assert_eq!(view.cell.height, 0, "pieces are in finest cells");
                found.insert(view.cell.corner, view.count);
            }
        });
        assert_eq!(found, by_cell);
    }

    /// One random change: triangles come, move, change and go.
    fn step(&mut self, random: &mut Random, root: &Bounds<3>, part: (f32, f32)) {
        let chosen = self.model.keys().nth(random.below(8) as usize).copied();
        let corners = triangle(random, root, part);
        match (random.below(4), chosen) {
            (0, Some(id)) => {
                let (_, key) = self.model.remove(&id).unwrap();
                assert_eq!(self.triangles.remove(id), Ok(key));
                assert!(matches!(self.triangles.remove(id), Err(TriangleError::Stale(_))));
            }
            (1 | 2, Some(id)) => {
                let old = self.model[&id].0;
                let moved = old.map(|corner| corner + 0.3 * DVec3::splat(random.unit().into()));
                let is_moved = random.below(2) == 0 && self.triangles.update(id, &moved).is_ok();
                let now = if is_moved { moved } else { corners };
                self.triangles.update(id, &now).unwrap();
                self.model.get_mut(&id).unwrap().0 = now;
                // What an update makes is what an insertion makes.
                let mut fresh = self.triangles.clone();
                let other = fresh.insert(&now, 0).unwrap();
                assert!(
                    fresh
                        .get(id)
                        .unwrap()
                        .pieces()
                        .eq(fresh.get(other).unwrap().pieces())
                );
            }
            _ => {
                let key = random.next();
                let id = self.triangles.insert(&corners, key).unwrap();
                assert_eq!(self.triangles.get(id).unwrap().key(), key);
                self.model.insert(id, (corners, key));
            }
        }
    }
}

/// The box around a piece, rounded outwards.
fn box_around(piece: &TrianglePiece) -> Bounds<3> {
    let mut bounds = Bounds::new([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for corner in piece.corners() {
        for axis in 0..3 {
            let (mut low, mut high) = (corner[axis] as f32, corner[axis] as f32);
            while f64::from(low) > corner[axis] {
                low = low.next_down();
            }
            while f64::from(high) < corner[axis] {
                high = high.next_up();
            }
            bounds.min[axis] = bounds.min[axis].min(low);
            bounds.max[axis] = bounds.max[axis].max(high);
        }
    }
    bounds
}

fn goes_its_way<L: Layout<3>>(seed: u64) {
    let root = root(seed);
    let random = &mut Random(seed);
    let mut twin = Twin {
        triangles: triangles::<L>(seed, 6),
        model: BTreeMap::new(),
    };
    for round in 0..3 {
        // In the last round beyond the root, on all sides.
        let part = if round == 2 { (-0.9, 1.9) } else { (0.0, 1.0) };
        for _ in 0..5 {
            twin.step(random, &root, part);
        }
        twin.check(random, &root);
    }
    for (id, (_, key)) in std::mem::take(&mut twin.model) {
        assert_eq!(twin.triangles.remove(id), Ok(key));
    }
    assert!(twin.triangles.is_empty() && twin.triangles.tree().is_empty());
}

fn points(corners: [[f64; 3]; 3]) -> [DVec3; 3] {
    corners.map(DVec3::from_array)
}

fn cells(triangles: &Triangles, id: TriangleId) -> Vec<[u32; 3]> {
    let cells = triangles.get(id).unwrap().pieces().map(|piece| piece.cell());
    cells
        .map(|Cell { corner, height }| {
            assert_eq!(height, 0);
            corner
        })
        .collect()
}

#[test]
fn what_lies_in_a_plane_is_in_the_upper_cell_and_outside_on_the_roots_last_face() {
    let mut triangles: Triangles = Triangles::new(Bounds::new([0.0; 3], [16.0; 3]), 2, 0).unwrap();
    for axis in 0..3 {
        let flat = |height: f64| {
            points([[1.0; 3], [3.0, 1.5, 2.0], [1.5, 2.0, 2.5]]).map(|mut corner| {
                corner[axis] = height;
                corner
            })
        };
        let id = triangles.insert(&flat(4.0), 0).unwrap();
        let mut expected = [0; 3];
        expected[axis] = 1;
        assert_eq!(cells(&triangles, id), [expected]);
        // One rounding below it is in the lower one, whatever becomes of its points.
        let mut below = flat(4.0);
        below[2][axis] = 4.0_f64.next_down();
        let id = triangles.insert(&below, 0).unwrap();
        assert_eq!(cells(&triangles, id), [[0; 3]]);
        let refused = triangles.insert(&flat(16.0), 0);
        assert!(
            matches!(refused, Err(TriangleError::Tree(OrthtreeError::OutOfReach { axis: out, .. })) if out == axis)
        );
    }
}

#[test]
fn ot_2_triangles_without_area_are_refused_and_nothing_changes() {
    let mut triangles: Triangles = Triangles::new(Bounds::new([0.0; 3], [16.0; 3]), 3, 1).unwrap();
    let good = points([[1.0, 1.0, 1.0], [5.0, 1.0, 2.0], [1.0, 5.0, 3.0]]);
    let id = triangles.insert(&good, 3).unwrap();
    let before = (triangles.tree().epoch(), triangles.tree().root_bounds());
    let third = 1.0 / 3.0;
    let flat = [
        [[1.0; 3], [1.0; 3], [1.0; 3]],
        [[1.0; 3], [2.0; 3], [2.0; 3]],
        [[1.0; 3], [2.0; 3], [3.0; 3]],
        // On a line but for rounding.
        [
            [0.1; 3],
            [0.1 + third, 0.1 + 2.0 * third, 0.1 + third],
            [0.1 + 3.0 * third, 0.1 + 6.0 * third, 0.1 + 3.0 * third],
        ],
        [[1.0; 3], [1.0 + 1.0e-17, 1.0, 1.0], [1.0, 1.0, 1.0f64.next_up()]],
        [[0.0; 3], [1.0e-200, 0.0, 0.0], [0.0, 1.0e-200, 0.0]],
    ];
    for corners in flat.map(points) {
        assert_eq!(
            triangles.insert(&corners, 0),
            Err(TriangleError::NoArea),
            "{corners:?}"
        );
        assert_eq!(triangles.update(id, &corners), Err(TriangleError::NoArea));
    }
    for (corner, value) in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY]
        .into_iter()
        .enumerate()
    {
        let mut corners = good;
        corners[corner].y = value;
        assert_eq!(
            triangles.insert(&corners, 0),
            Err(TriangleError::NotFinite { corner })
        );
        assert_eq!(
            triangles.update(id, &corners),
            Err(TriangleError::NotFinite { corner })
        );
    }
    for far in [33.0, 1.0e9, 1.0e30, 1.0e60, 1.0e140] {
        for sign in [1.0, -1.0] {
            let corners = good.map(|corner| sign * far * corner);
            for refused in [
                triangles.insert(&corners, 0).map(|_| ()),
                triangles.update(id, &corners),
            ] {
                assert!(
                    matches!(refused, Err(TriangleError::Tree(_))),
                    "{far}: {refused:?}"
                );
            }
        }
    }
    // Too large to compute its area.
    assert!(triangles.insert(&good.map(|corner| 1.0e307 * corner), 0).is_err());
    assert_eq!((triangles.tree().epoch(), triangles.tree().root_bounds()), before);
    assert_eq!(triangles.len(), 1);
}

#[test]
fn pieces_are_limited_and_a_failed_update_keeps_the_old_ones() {
    const { assert!(2048 * 2048 / 2 > PIECE_COUNT_MAX) };
    let mut fine: Triangles = Triangles::new(Bounds::new([0.0; 3], [16.0; 3]), 11, 0).unwrap();
    let large = points([[0.0; 3], [15.9, 0.0, 0.0], [0.0, 15.9, 0.0]]);
    assert_eq!(fine.insert(&large, 0), Err(TriangleError::TooManyPieces));
    assert!(fine.is_empty() && fine.tree().is_empty());
    let small = points([[0.0; 3], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]]);
    let id = fine.insert(&small, 0).unwrap();
    let count = fine.get(id).unwrap().pieces().len();
    assert_eq!(count, 64 * 65 / 2);
    assert_eq!(fine.update(id, &large), Err(TriangleError::TooManyPieces));
    assert_eq!(fine.get(id).unwrap().pieces().len(), count);
}

#[test]
fn ot_7_a_move_that_stays_in_its_cells_writes_boxes_only() {
    let mut triangles: Triangles<Linear> = Triangles::new(Bounds::new([0.0; 3], [16.0; 3]), 2, 0).unwrap();
    let corners = points([[1.0, 1.0, 1.0], [7.0, 1.0, 2.0], [1.0, 3.0, 3.0]]);
    let id = triangles.insert(&corners, 0).unwrap();
    let epoch = triangles.tree().epoch();
    triangles
        .update(id, &corners.map(|corner| corner + 0.25))
        .unwrap();
    assert_eq!(triangles.tree().epoch(), epoch);
    assert_eq!(triangles.query(&Bounds::around([7.2, 1.2, 2.2], 0.1)), [id]);
    triangles.update(id, &corners.map(|corner| corner + 4.0)).unwrap();
    assert_ne!(triangles.tree().epoch(), epoch);
    assert_eq!(triangles.query(&Bounds::around([7.2, 1.2, 2.2], 0.1)), []);
}

#[test]
fn a_layout_that_is_always_complete_holds_them_too() {
    let mut triangles: Triangles<Full<3>> = Triangles::new(Bounds::new([0.0; 3], [16.0; 3]), 3, 0).unwrap();
    let id = triangles
        .insert(&points([[1.0, 1.0, 1.0], [9.0, 1.0, 2.0], [1.0, 13.0, 3.0]]), 0)
        .unwrap();
    assert_eq!(triangles.query(&Bounds::new([0.0; 3], [16.0; 3])), [id]);
    assert_eq!(triangles.query(&Bounds::new([9.5, 13.0, 0.0], [16.0; 3])), []);
    triangles.remove(id).unwrap();
    assert!(triangles.tree().is_empty());
}
