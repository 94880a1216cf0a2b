//! The uniform grid against a list of boxes: every query, the nearest, errors, and that removed objects leave nothing
//! behind.
#![allow(unsafe_code)]

use std::collections::BTreeMap;

use crate::model::Random;
use tombolo_geometry::orthtree::{
    Ball, Bounds, Convex, GridSpot, HalfSpace, ObjectId, OrthtreeError, Region, Segment, UniformGrid,
};

/// Sizes of cells that are powers of two, and one that `f32` does not have.
const CELL_SIZES: [f32; 3] = [4.0, 0.3, 1024.0];

struct Twin {
    grid: UniformGrid,
    cell_size: f32,
    /// Where the middle of the world is.
    origin: [f32; 2],
    model: BTreeMap<ObjectId, (Bounds<2>, u64)>,
    stale: Vec<ObjectId>,
    /// Where objects were when they were last moved.
    spots: BTreeMap<ObjectId, GridSpot>,
}

impl Twin {
    fn new(cell_size: f32, origin: [f32; 2]) -> Self {
        Self {
            grid: UniformGrid::new(cell_size).unwrap(),
            cell_size,
            origin,
            model: BTreeMap::new(),
            stale: Vec::new(),
            spots: BTreeMap::new(),
        }
    }

    /// A box of up to a cell's size within some cells of the origin: half of them with corners on planes, some without extent.
    fn random_box(&self, random: &mut Random, reach: f32) -> Bounds<2> {
        let on_planes = random.below(2) == 0;
        let size = [0.0, 0.1, 0.5, 0.99][random.below(4) as usize];
        let mut bounds = Bounds::point([0.0; 2]);
        for axis in 0..2 {
            let mut low = reach * (2.0 * random.unit() - 1.0);
            let mut extent = size * random.unit();
            if on_planes {
                (low, extent) = (low.floor(), (extent * 4.0).floor() / 4.0);
            }
            bounds.min[axis] = self.origin[axis] + low * self.cell_size;
            bounds.max[axis] = bounds.min[axis] + extent * self.cell_size;
        }
        bounds
    }

    fn step(&mut self, random: &mut Random, reach: f32) {
        let bounds = self.random_box(random, reach);
        let count = self.model.len() as u64;
        let chosen = (count > 0).then(|| *self.model.keys().nth(random.below(count) as usize).unwrap());
        match (random.below(8), chosen) {
            (0..=2, _) | (_, None) => {
                let key = random.next();
                let id = self.grid.insert(bounds, key).unwrap();
                assert_eq!(self.model.insert(id, (bounds, key)), None);
            }
            (3 | 4, Some(id)) => self.update(id, bounds),
            (5, Some(id)) => {
                let mut bounds = self.model[&id].0;
                bounds.max[0] = bounds.max[0].next_up();
                if self.grid.fits(&bounds) {
                    self.update(id, bounds);
                }
            }
            (_, Some(id)) => {
                let (_, key) = self.model.remove(&id).unwrap();
                assert_eq!(self.grid.remove(id), Ok(key));
                self.stale.push(id);
            }
        }
        self.grid.validate().unwrap();
        assert_eq!(self.grid.len(), self.model.len());
        for id in &self.stale {
            let stale = Err(OrthtreeError::StaleId { index: id.index() });
            assert!(self.model.contains_key(id) || self.grid.bounds(*id) == stale);
        }
    }

    /// Moves an object, if it stays in its cell as a worker does: by its place, if that is where it was, else by its id.
    fn update(&mut self, id: ObjectId, bounds: Bounds<2>) {
        let (before, key) = self.model[&id];
        let spot = self.spots.get(&id).copied().unwrap_or(GridSpot::NOWHERE);
        let staying = self.grid.staying();
        let is_there = staying.spot(id) == Some(spot);
        staying.prefetch(spot);
        // SAFETY: one thread writes.
        let stays_there = unsafe { staying.write_at(spot, key, bounds) };
        drop(staying);
        assert_eq!(
            self.grid.bounds(id),
            Ok(if stays_there { bounds } else { before })
        );
        self.grid.validate().unwrap();
        // SAFETY: likewise.
        let stays = unsafe { self.grid.staying().write(id, bounds) };
        assert_eq!(stays_there, stays && is_there);
        let cell = |bounds: Bounds<2>| {
            let middle = |axis: usize| 0.5 * (f64::from(bounds.min[axis]) + f64::from(bounds.max[axis]));
            [0, 1].map(|axis| (middle(axis) * (1.0 / f64::from(self.cell_size))).floor())
        };
        assert_eq!(stays, cell(bounds) == cell(before), "{before:?}, {bounds:?}");
        assert_eq!(self.grid.bounds(id), Ok(if stays { bounds } else { before }));
        self.grid.validate().unwrap();
        self.grid.update(id, bounds).unwrap();
        assert_eq!(self.grid.bounds(id), Ok(bounds));
        self.model.get_mut(&id).unwrap().0 = bounds;
        self.spots
            .extend(self.grid.staying().spot(id).map(|spot| (id, spot)));
    }

    fn check_region(&self, region: &impl Region<2>) {
        let mut found = BTreeMap::new();
        self.grid.query(region, |hit| {
            assert_eq!(
                found.insert(hit.id, (hit.bounds, hit.key)),
                None,
                "reported twice"
            );
        });
        let overlapping = self
            .model
            .iter()
            .filter(|(_, (bounds, _))| region.overlaps(bounds));
        let expected: BTreeMap<_, _> = overlapping.map(|(id, value)| (*id, *value)).collect();
        assert_eq!(found, expected);
    }

    fn check(&self, random: &mut Random, reach: f32) {
        for _ in 0..8 {
            let bounds = self.random_box(random, reach);
            let center = bounds.min;
            let radius = [0.0, 0.4, 3.0, 2.0 * reach][random.below(4) as usize] * self.cell_size;
            let mut way = || reach * self.cell_size * (2.0 * random.unit() - 1.0);
            let translation = [way(), way()];
            let normal = [random.unit() - 0.5, random.unit() - 0.5];
            let offset = normal[0] * center[0] + normal[1] * center[1];
            let sides = [HalfSpace { normal, offset }];
            self.check_region(&bounds);
            self.check_region(&Bounds::point(center));
            self.check_region(&Bounds::around(center, radius));
            self.check_region(&Ball { center, radius });
            self.check_region(&Ball { center, radius: -1.0 });
            self.check_region(&Segment {
                origin: center,
                translation,
            });
            self.check_region(&Segment {
                origin: center,
                translation: [translation[0], 0.0],
            });
            self.check_region(&Convex::new(&sides));
            self.check_region(&Convex::within(&sides, Bounds::around(center, radius)));
            self.check_region(&Bounds::new([f32::NEG_INFINITY; 2], [f32::INFINITY; 2]));
            self.check_region(&Bounds::new([f32::NAN; 2], [1.0; 2]));
            self.check_nearest(center, 1 + random.below(9) as usize);
            self.check_nearest([center[0] + 1.0e6, center[1]], 3);
        }
        self.check_nearest(self.origin, self.model.len());
        self.check_nearest(self.origin, usize::MAX);
        self.check_nearest(self.origin, 0);
    }

    fn check_nearest(&self, point: [f32; 2], count: usize) {
        let found = self.grid.nearest(point, count).unwrap();
        let found: Vec<_> = found.iter().map(|(hit, distance)| (*distance, hit.id)).collect();
        let distances = self
            .model
            .iter()
            .map(|(id, (bounds, _))| (bounds.distance_squared(&point), *id));
        let mut expected: Vec<_> = distances.collect();
        expected.sort_by(|a, b| a.partial_cmp(b).unwrap());
        expected.truncate(count);
        assert_eq!(found, expected);
    }
}

/// Objects that stay in their cells, written by several threads beside each other: the grid is that of one update after the
/// other, and the others are as they were.
#[test]
fn workers_write_what_stays() {
    for seed in 0..6 {
        let random = &mut Random(seed);
        let mut twin = Twin::new(CELL_SIZES[seed as usize % 3], [0.0; 2]);
        let mut ids = Vec::new();
        for key in 0..3_000 {
            let bounds = twin.random_box(random, 20.0);
            ids.push((twin.grid.insert(bounds, key).unwrap(), bounds));
        }
        // Of the last round in which they were noted: some objects have moved since, and others are where they were.
        let mut spots = vec![GridSpot::NOWHERE; ids.len()];
        for round in 0..8 {
            let nudge = [0.0, 0.01, 0.3, 2.0][round % 4] * twin.cell_size;
            for (_, bounds) in &mut ids {
                let by = [nudge * (random.unit() - 0.5), nudge * (random.unit() - 0.5)];
                for (axis, by) in by.into_iter().enumerate() {
                    bounds.min[axis] += by;
                    bounds.max[axis] = bounds.min[axis].max(bounds.max[axis] + by);
                }
            }
            let mut plain = twin.grid.clone();
            let moves: Vec<bool> = ids
                .iter()
                .map(|(id, bounds)| plain.update(*id, *bounds).is_ok())
                .collect();
            let staying = twin.grid.staying();
            let stayed: Vec<Vec<bool>> = std::thread::scope(|scope| {
                let write = |first: usize, part: &[(ObjectId, Bounds<2>)]| {
                    let stays = part.iter().zip(first..).map(|((id, bounds), place)| {
                        // SAFETY: each object is in one part; keys are places in the list.
                        unsafe {
                            staying.write_at(spots[place], place as u64, *bounds)
                                || staying.write(*id, *bounds)
                        }
                    });
                    stays.collect::<Vec<bool>>()
                };
                let parts = ids.chunks(701).zip(0..);
                let parts = parts.map(|(part, number)| scope.spawn(move || write(701 * number, part)));
                let parts: Vec<_> = parts.collect();
                parts.into_iter().map(|part| part.join().unwrap()).collect()
            });
            if round % 3 == 0 {
                let ids = ids.iter().map(|(id, _)| staying.spot(*id).unwrap());
                spots = ids.collect();
            }
            drop(staying);
            let stayed = stayed.concat();
            let count = stayed.iter().filter(|stays| **stays).count();
            assert!(round % 4 == 3 || count > 1_000, "{count} of 3,000 stayed");
            for (place, (id, bounds)) in ids.iter_mut().enumerate() {
                assert!(moves[place] || !stayed[place], "what was refused has stayed");
                if !stayed[place] {
                    let moved = twin.grid.update(*id, *bounds);
                    assert_eq!(moved.is_ok(), moves[place]);
                    *bounds = twin.grid.bounds(*id).unwrap();
                }
            }
            twin.grid.validate().unwrap();
            let told = |grid: &UniformGrid| {
                let mut told = Vec::new();
                grid.query(&Bounds::new([-1.0e6; 2], [1.0e6; 2]), |hit| {
                    told.push((hit.id, hit.bounds))
                });
                told
            };
            assert_eq!(told(&twin.grid), told(&plain));
        }
    }
}

/// The width of a box from 0 to -0 is minus zero, which is no more than what others reach out of their cells.
#[test]
fn a_box_as_wide_as_minus_zero_leaves_the_reach_of_others() {
    let mut grid = UniformGrid::new(4.0).unwrap();
    grid.insert(Bounds::new([1.0, 1.0], [4.9, 2.0]), 1).unwrap();
    let id = grid.insert(Bounds::point([0.0; 2]), 2).unwrap();
    let thin = Bounds::new([0.0; 2], [-0.0; 2]);
    // SAFETY: one thread writes.
    assert!(unsafe { grid.staying().write(id, thin) });
    grid.validate().unwrap();
    let mut found = Vec::new();
    grid.query(&Bounds::new([4.5, 1.0], [4.6, 1.5]), |hit| found.push(hit.key));
    assert_eq!(found, [1]);
    grid.update(id, Bounds::point([0.0; 2])).unwrap();
    grid.update(id, thin).unwrap();
    grid.validate().unwrap();
}

#[test]
fn a_stale_object_does_not_stay() {
    let mut grid = UniformGrid::new(4.0).unwrap();
    let bounds = Bounds::point([1.0; 2]);
    let id = grid.insert(bounds, 1).unwrap();
    grid.remove(id).unwrap();
    let later = grid.insert(bounds, 2).unwrap();
    let moved = Bounds::point([2.0; 2]);
    // SAFETY: one thread writes.
    assert!(!unsafe { grid.staying().write(id, moved) });
    assert_eq!(grid.bounds(later), Ok(bounds));
}

#[test]
fn an_object_is_written_where_it_was_only_by_its_key() {
    let mut grid = UniformGrid::new(4.0).unwrap();
    let bounds = Bounds::point([1.0; 2]);
    let id = grid.insert(bounds, 1).unwrap();
    let spot = grid.staying().spot(id).unwrap();
    grid.remove(id).unwrap();
    assert_eq!(grid.staying().spot(id), None);
    let moved = Bounds::point([2.0; 2]);
    // SAFETY: one thread writes, here and below.
    let is_written = unsafe { grid.staying().write_at(spot, 1, moved) };
    assert!(!is_written, "the cell is empty");
    let later = grid.insert(bounds, 2).unwrap();
    assert_eq!(grid.staying().spot(later), Some(spot));
    // SAFETY: see above.
    let written = [1, 2].map(|key| unsafe { grid.staying().write_at(spot, key, moved) });
    assert_eq!(written, [false, true]);
    assert_eq!(grid.bounds(later), Ok(moved));
    // SAFETY: see above.
    assert!(!unsafe { grid.staying().write_at(GridSpot::NOWHERE, 2, bounds) });
    grid.staying().prefetch(GridSpot::NOWHERE);
    assert_eq!(grid.bounds(later), Ok(moved));
}

/// Objects of which each is a little larger than all before it.
#[test]
fn what_grows_in_its_cell_is_found_as_far_as_it_reaches() {
    let mut grid = UniformGrid::new(4.0).unwrap();
    let id = grid.insert(Bounds::point([3.9, 1.0]), 1).unwrap();
    let mut size = 0.1_f32;
    while size < 4.0 {
        let bounds = Bounds::around([3.9, 1.0], 0.5 * size);
        // SAFETY: one thread writes.
        assert!(unsafe { grid.staying().write(id, bounds) });
        grid.validate().unwrap();
        let mut found = 0;
        grid.query(&Bounds::point(bounds.max), |_| found += 1);
        grid.query(&Bounds::point([bounds.max[0].next_up(), 1.0]), |_| found += 10);
        assert_eq!(found, 1, "{bounds:?}");
        size *= 1.1;
    }
}

#[test]
fn queries_equal_brute_force() {
    for seed in 0..24 {
        let random = &mut Random(seed);
        let cell_size = CELL_SIZES[seed as usize % 3];
        // Around planes of tiles, and far out, where an edge of `f32` has a spacing that shows.
        let origin = [[0.0; 2], [-8.0 * cell_size, 8.0 * cell_size], [1.0e5, -3.0e5]][seed as usize / 3 % 3];
        let reach = [2.0, 12.0, 100.0][seed as usize % 5 % 3];
        let mut twin = Twin::new(cell_size, origin);
        for _ in 0..5 {
            for _ in 0..40 {
                twin.step(random, reach);
            }
            twin.check(random, reach);
        }
    }
}

/// The same calls give the same answers in the same order; and a grid that all has left is as good as new.
#[test]
fn the_order_is_stated_and_nothing_is_left_of_what_went() {
    let build = || {
        let mut twin = Twin::new(4.0, [0.0; 2]);
        let random = &mut Random(9);
        (0..600).for_each(|_| twin.step(random, 8.0));
        twin
    };
    let hits = |grid: &UniformGrid, region: &Bounds<2>| {
        let mut hits = Vec::new();
        grid.query(region, |hit| hits.push(hit));
        hits
    };
    let everywhere = Bounds::around([0.0; 2], 1.0e4);
    let here = Bounds::around([0.0; 2], 30.0);
    let (mut twin, again) = (build(), build());
    for region in [&everywhere, &here] {
        assert_eq!(hits(&twin.grid, region), hits(&again.grid, region));
    }
    // By tile, then by cell.
    let place = |bounds: &Bounds<2>| {
        let cell = [0, 1].map(|axis| ((bounds.min[axis] + bounds.max[axis]) / 8.0).floor() as i32);
        (cell[1] >> 3, cell[0] >> 3, cell[1], cell[0])
    };
    let places: Vec<_> = hits(&twin.grid, &here)
        .iter()
        .map(|hit| place(&hit.bounds))
        .collect();
    assert!(places.len() > 20 && places.is_sorted(), "{places:?}");

    for id in twin.model.keys() {
        twin.grid.remove(*id).unwrap();
    }
    twin.grid.validate().unwrap();
    assert!(twin.grid.is_empty());
    assert_eq!(hits(&twin.grid, &everywhere), []);
    // What goes far and comes and goes leaves no memory behind.
    let bytes = twin.grid.bytes();
    for step in 0..20_000 {
        let at = [37.0 * step as f32, -11.0 * step as f32];
        let id = twin.grid.insert(Bounds::around(at, 1.0), 0).unwrap();
        twin.grid.update(id, Bounds::around([at[1], at[0]], 0.5)).unwrap();
        twin.grid.remove(id).unwrap();
    }
    twin.grid.validate().unwrap();
    assert!(
        twin.grid.bytes() <= bytes,
        "{} bytes, {bytes} before",
        twin.grid.bytes()
    );
}

#[test]
fn what_does_not_belong_here_is_refused_and_nothing_changes() {
    for value in [0.0, -0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(
            matches!(UniformGrid::new(value), Err(OrthtreeError::CellSize { .. })),
            "{value}"
        );
    }
    let mut grid = UniformGrid::new(4.0).unwrap();
    let bounds = Bounds::new([-2.0, 1.0], [2.0, 5.0]);
    let id = grid.insert(bounds, 3).unwrap();
    let larger = |axis: usize| {
        let mut larger = bounds;
        larger.max[axis] = larger.max[axis].next_up();
        larger
    };
    let far = Bounds::point([0.0, 4.0 * 1.1e9]);
    let refused = [
        (larger(0), OrthtreeError::LargerThanCell { axis: 0 }),
        (larger(1), OrthtreeError::LargerThanCell { axis: 1 }),
        (
            Bounds::new([1.0, 0.0], [0.0, 1.0]),
            OrthtreeError::InvalidBox { axis: 0 },
        ),
        (
            Bounds::point([0.0, f32::NAN]),
            OrthtreeError::InvalidBox { axis: 1 },
        ),
        (
            Bounds::point([f32::INFINITY, 0.0]),
            OrthtreeError::InvalidBox { axis: 0 },
        ),
        (
            Bounds::new([f32::MIN; 2], [f32::MAX; 2]),
            OrthtreeError::LargerThanCell { axis: 0 },
        ),
        (
            far,
            OrthtreeError::OutOfReach {
                axis: 1,
                growth_left: 0,
            },
        ),
    ];
    for (bounds, error) in refused {
        assert!(!grid.fits(&bounds));
        assert_eq!(grid.insert(bounds, 0), Err(error));
        assert_eq!(grid.update(id, bounds), Err(error));
    }
    assert_eq!((grid.len(), grid.bounds(id)), (1, Ok(bounds)));
    assert!(matches!(
        grid.nearest([f32::NAN, 0.0], 1),
        Err(OrthtreeError::InvalidBox { .. })
    ));
    assert_eq!(grid.remove(id), Ok(3));
    let stale = OrthtreeError::StaleId { index: id.index() };
    assert_eq!(grid.remove(id), Err(stale));
    assert_eq!(grid.update(id, bounds), Err(stale));
    // Its place is used again, under another id.
    let other = grid.insert(bounds, 4).unwrap();
    assert!(other != id && other.index() == id.index());
    assert_eq!(grid.bounds(id), Err(stale));
}

/// An eighth of such a cell was nothing, and twice of it too.
#[test]
fn the_nearest_is_found_from_far_however_small_the_cells_are() {
    for bits in [1, 2, 3, 4, 5, 100, f32::MIN_POSITIVE.to_bits()] {
        let cell_size = f32::from_bits(bits);
        let mut grid = UniformGrid::new(cell_size).unwrap();
        let id = grid.insert(Bounds::point([0.0; 2]), 1).unwrap();
        for from in [0.0, cell_size, 1.0e-37, 1.0, 1.0e30] {
            let nearest = grid.nearest([from, 0.0], 1).unwrap();
            assert_eq!(nearest[0].0.id, id, "{cell_size} from {from}");
        }
    }
}
