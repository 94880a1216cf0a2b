//! Zones: concave outlines cut over cells, beside whole outlines referenced in every cell that their box reaches, and
//! beside outlines under one box each. Measured are point queries, bytes, and moving one.

use std::cell::RefCell;

use glam::DVec2;
use tombolo_geometry::orthtree::{
    Bounds, Linear, Loose, ObjectId, Orthtree, PolygonId, Polygons, Settings, Shared, Strategy,
};
use tombolo_geometry::split::ConcavePolygon;

use super::super::Run;
use super::scene::Random;
use crate::measure::{Contender, Timing, interleave};

/// The side of the square of the zones, in meters; they reach out of it by their radius at most.
const SIDE: f32 = 1024.0;
/// The distance from the center of a zone to its farthest corners, in meters.
const RADII: [f32; 2] = [10.0, 40.0];
const QUESTION_COUNT: usize = 2_000;

/// Zones of few and of many corners, in cells that are smaller and larger than the zones.
pub(super) fn compare(run: &mut Run) -> anyhow::Result<()> {
    let count = if run.smoke { 60 } else { 1_000 };
    for corners in [12, 96] {
        for depth in [4, 6, 8] {
            case(run, count, corners, depth)?;
        }
    }
    Ok(())
}

/// A star with a number of corners, every other one drawn inwards.
fn star(random: &mut Random, corners: usize) -> anyhow::Result<ConcavePolygon> {
    let [x, y] = random.place::<2>(SIDE).map(f64::from);
    let outer = f64::from(RADII[0] + (RADII[1] - RADII[0]) * random.unit());
    let points = (0..corners).map(|corner| {
        let angle = std::f64::consts::TAU * corner as f64 / corners as f64;
        let inward = if corner % 2 == 1 { 0.5 } else { 1.0 };
        DVec2::new(x, y) + outer * inward * DVec2::new(libm::cos(angle), libm::sin(angle))
    });
    Ok(ConcavePolygon::new(&points.collect::<Vec<_>>())?)
}

fn box_of(outline: &ConcavePolygon) -> Bounds<2> {
    let mut bounds = Bounds::new([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
    for point in outline.points() {
        for (axis, coordinate) in point.to_array().into_iter().enumerate() {
            bounds.min[axis] = bounds.min[axis].min((coordinate as f32).next_down());
            bounds.max[axis] = bounds.max[axis].max((coordinate as f32).next_up());
        }
    }
    bounds
}

fn root() -> Bounds<2> {
    Bounds::new([-0.5 * SIDE; 2], [1.5 * SIDE; 2])
}

fn outline_bytes(outline: &ConcavePolygon) -> usize {
    size_of::<ConcavePolygon>() + size_of_val(outline.points()) + size_of_val(outline.loop_ends())
}

/// The engine's zones.
struct Cut {
    polygons: Polygons,
    ids: Vec<PolygonId>,
}

impl Cut {
    fn new(outlines: &[ConcavePolygon], depth: u32) -> anyhow::Result<Self> {
        let mut polygons = Polygons::new(root(), depth, 0)?;
        let ids = outlines
            .iter()
            .zip(0..)
            .map(|(outline, key)| polygons.insert(outline, key));
        let ids = ids.collect::<Result<_, _>>()?;
        Ok(Self { polygons, ids })
    }

    fn ask(&self, point: [f32; 2]) -> u64 {
        let point = DVec2::from_array(point.map(f64::from));
        let keys = self.polygons.at(point).into_iter();
        keys.filter_map(|id| self.polygons.get(id))
            .map(|polygon| polygon.key() + 1)
            .sum()
    }

    fn update(&mut self, outlines: &[ConcavePolygon]) {
        for (&id, outline) in self.ids.iter().zip(outlines) {
            self.polygons.update(id, outline).expect("inside");
        }
    }

    fn bytes(&self) -> usize {
        let polygons = self.ids.iter().filter_map(|&id| self.polygons.get(id));
        let pieces = polygons.flat_map(|polygon| polygon.pieces());
        let outlines: usize = pieces.map(|piece| outline_bytes(piece.concave_polygon())).sum();
        self.polygons.tree().bytes() + outlines
    }
}

/// Whole outlines under boxes, by a strategy: in all cells that a box reaches, or in one.
struct Whole<S: Strategy<2>> {
    tree: Orthtree<2, Linear, S>,
    ids: Vec<ObjectId>,
    outlines: Vec<ConcavePolygon>,
}

impl<S: Strategy<2>> Whole<S> {
    fn new(outlines: &[ConcavePolygon], depth: u32, strategy: S) -> anyhow::Result<Self> {
        let settings = Settings {
            depth_max: depth,
            ..Settings::default()
        };
        let mut tree = Orthtree::new(root(), strategy, settings)?;
        let ids = outlines
            .iter()
            .zip(0..)
            .map(|(outline, key)| tree.insert(box_of(outline), key));
        let ids = ids.collect::<Result<_, _>>()?;
        Ok(Self {
            tree,
            ids,
            outlines: outlines.to_vec(),
        })
    }

    fn ask(&self, point: [f32; 2]) -> u64 {
        let at = DVec2::from_array(point.map(f64::from));
        let mut found = 0;
        self.tree.query(&Bounds::point(point), |hit| {
            if self.outlines[hit.key as usize].contains(at) {
                found += hit.key + 1;
            }
        });
        found
    }

    fn update(&mut self, outlines: &[ConcavePolygon]) {
        for (&id, outline) in self.ids.iter().zip(outlines) {
            self.tree.update(id, box_of(outline)).expect("inside");
        }
        self.outlines.clone_from_slice(outlines);
    }

    fn bytes(&self) -> usize {
        self.tree.bytes() + self.outlines.iter().map(outline_bytes).sum::<usize>()
    }
}

fn case(run: &mut Run, count: usize, corners: usize, depth: u32) -> anyhow::Result<()> {
    let random = &mut Random(11);
    let here: Vec<_> = (0..count)
        .map(|_| star(random, corners))
        .collect::<anyhow::Result<_>>()?;
    let shift = DVec2::new(0.5, 0.25);
    let moved = |outline: &ConcavePolygon| {
        let points: Vec<DVec2> = outline.points().iter().map(|&point| point + shift).collect();
        ConcavePolygon::new(&points)
    };
    let there: Vec<_> = here.iter().map(moved).collect::<Result<_, _>>()?;
    let questions: Vec<[f32; 2]> = (0..QUESTION_COUNT).map(|_| random.place(SIDE)).collect();
    let cut = RefCell::new(Cut::new(&here, depth)?);
    let shared = RefCell::new(Whole::new(&here, depth, Shared)?);
    let boxed = RefCell::new(Whole::new(&here, depth, Loose::default())?);
    let cell = 2.0 * SIDE / (1_u32 << depth) as f32;
    let case = format!("{count} zones of {corners} corners, cells of {cell} m");
    let rounds = if run.smoke { 1 } else { 15 };
    let names = ["tombolo", "references in all cells", "one box each"];
    let asked = interleave(
        &format!("{case}, ask"),
        rounds,
        [
            Contender::new(names[0], || questions.iter().map(|&q| cut.borrow().ask(q)).sum()),
            Contender::new(names[1], || {
                questions.iter().map(|&q| shared.borrow().ask(q)).sum()
            }),
            Contender::new(names[2], || {
                questions.iter().map(|&q| boxed.borrow().ask(q)).sum()
            }),
        ],
    )?;
    let mut is_there = [false; 3];
    let mut turn = |contender: usize| {
        is_there[contender] = !is_there[contender];
        if is_there[contender] { &there } else { &here }
    };
    let turn = RefCell::new(&mut turn);
    let updated = interleave(
        &format!("{case}, move"),
        rounds,
        [
            Contender::new(names[0], || {
                cut.borrow_mut().update(turn.borrow_mut()(0));
                0
            }),
            Contender::new(names[1], || {
                shared.borrow_mut().update(turn.borrow_mut()(1));
                0
            }),
            Contender::new(names[2], || {
                boxed.borrow_mut().update(turn.borrow_mut()(2));
                0
            }),
        ],
    )?;
    let mut compare = |metric, operations, timings: &[Timing; 3]| {
        let [ours, peers @ ..] = timings;
        let peers: Vec<&Timing> = peers.iter().collect();
        run.report.compare(&case, metric, "ns", operations, ours, &peers);
    };
    compare("which zones a point is in", QUESTION_COUNT as f64, &asked);
    compare("move", count as f64, &updated);
    let bytes = [
        cut.borrow().bytes(),
        shared.borrow().bytes(),
        boxed.borrow().bytes(),
    ];
    let bytes = bytes.map(|bytes| bytes as f64 / count as f64);
    for (name, theirs) in names.into_iter().zip(bytes).skip(1) {
        run.report
            .push(&case, "bytes per zone", "B", bytes[0], Some((name, theirs)));
    }
    Ok(())
}
