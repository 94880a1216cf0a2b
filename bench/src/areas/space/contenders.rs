//! Boxes in the plane: each contender behind one trait, used as its documentation advises.

use std::ops::ControlFlow;

use parry2d::bounding_volume::Aabb;
use parry2d::math::Vector;
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhNode, BvhWorkspace};
use parry2d::query::Ray;
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree, SelectionFunction};
use tombolo_geometry::orthtree::{
    Ball, Bounds, Linear, Loose, Move, ObjectId, Orthtree, Region, Segment, Settings,
};

use super::grid::Grid;
use super::scene::{Question, Scene, Shift, View};

/// The operations that all contenders have.
pub(super) trait Boxes {
    fn name(&self) -> &'static str;
    /// Moves boxes; queries afterwards find their new positions.
    fn step(&mut self, shifts: &[Shift]);
    /// The number of boxes that a query finds, and the sum of their indices.
    fn ask(&self, question: &Question) -> (u64, u64);
    /// Bytes of memory, if it reports them.
    fn bytes(&self) -> Option<usize>;
    /// Reorganizes its memory, if it can.
    fn tidy(&mut self) {}
}

/// Counts and sums the visited indices.
#[derive(Default)]
struct Tally(u64, u64);

impl Tally {
    fn add(&mut self, index: u32) {
        self.0 += 1;
        self.1 += u64::from(index);
    }
}

/// Whether a box and a ball share a point, in `f32`: the test of the peers.
#[inline]
pub(super) fn touches(min: &[f32; 2], max: &[f32; 2], ball: &Ball<2>) -> bool {
    let [x, y] = [0, 1].map(|axis| {
        let c = ball.center[axis];
        (min[axis] - c).max(c - max[axis]).max(0.0)
    });
    x * x + y * y <= ball.radius * ball.radius
}

/// Whether a segment crosses a box, by slabs in `f32`: the test of the peers.
#[inline]
pub(super) fn crosses(min: &[f32; 2], max: &[f32; 2], segment: &Segment<2>) -> bool {
    let (mut first, mut last) = (0.0_f32, 1.0_f32);
    for axis in 0..2 {
        let (origin, way) = (segment.origin[axis], segment.translation[axis]);
        let (a, b) = ((min[axis] - origin) / way, (max[axis] - origin) / way);
        first = first.max(a.min(b));
        last = last.min(a.max(b));
    }
    first <= last
}

/// Whether a camera sees a box: the same test for the peers as for ours.
#[inline]
pub(super) fn sees(min: &[f32; 2], max: &[f32; 2], view: &View) -> bool {
    view.region().overlaps(&Bounds::new(*min, *max))
}

/// Our loose linear quadtree, filled at once as the peers are; moves one by one, or as a batch.
pub(super) struct Ours {
    tree: Orthtree<2, Linear, Loose>,
    ids: Vec<ObjectId>,
    in_batches: bool,
}

impl Ours {
    pub(super) fn new(scene: &Scene, in_batches: bool) -> Self {
        let mut tree = Self::empty(scene);
        let items: Vec<(Bounds<2>, u64)> = scene.boxes.iter().copied().zip(0..).collect();
        let ids = tree.insert_many(&items).expect("inside");
        Self {
            tree,
            ids,
            in_batches,
        }
    }

    /// The same tree, filled by one insertion after the other.
    pub(super) fn one_by_one(scene: &Scene) -> Self {
        let mut tree = Self::empty(scene);
        let items = scene.boxes.iter().zip(0..);
        let ids = items.map(|(bounds, key)| tree.insert(*bounds, key).expect("inside"));
        Self {
            ids: ids.collect(),
            tree,
            in_batches: false,
        }
    }

    /// The number of boxes that a camera sees by its sides alone, from the root down.
    pub(super) fn count_without_box(&self, view: &View) -> u64 {
        let mut found = 0;
        self.tree.query(&view.sides(), |_| found += 1);
        found
    }

    fn empty(scene: &Scene) -> Orthtree<2, Linear, Loose> {
        let settings = Settings {
            depth_max: scene.depth,
            ..Settings::default()
        };
        Orthtree::new(scene.root(), Loose::default(), settings).expect("the root is right")
    }
}

impl Boxes for Ours {
    fn name(&self) -> &'static str {
        "tombolo"
    }

    fn step(&mut self, shifts: &[Shift]) {
        if self.in_batches {
            let moves: Vec<Move<2>> = shifts
                .iter()
                .map(|shift| Move {
                    id: self.ids[shift.index as usize],
                    bounds: shift.to,
                })
                .collect();
            self.tree.update_many(&moves).expect("inside");
            return;
        }
        for shift in shifts {
            let id = self.ids[shift.index as usize];
            self.tree.update(id, shift.to).expect("inside");
        }
    }

    fn ask(&self, question: &Question) -> (u64, u64) {
        let mut tally = Tally::default();
        match question {
            Question::Box(area) => self.tree.query(area, |hit| tally.add(hit.key as u32)),
            Question::Ball(ball) => self.tree.query(ball, |hit| tally.add(hit.key as u32)),
            Question::Segment(segment) => self.tree.query(segment, |hit| tally.add(hit.key as u32)),
            Question::Convex(view) => self.tree.query(&view.region(), |hit| tally.add(hit.key as u32)),
        }
        (tally.0, tally.1)
    }

    fn bytes(&self) -> Option<usize> {
        Some(self.tree.bytes())
    }

    fn tidy(&mut self) {
        self.tree.tidy();
    }
}

impl Boxes for Grid {
    fn name(&self) -> &'static str {
        "grid"
    }

    fn step(&mut self, shifts: &[Shift]) {
        for shift in shifts {
            self.update(shift.index, &shift.to);
        }
    }

    fn ask(&self, question: &Question) -> (u64, u64) {
        let mut tally = Tally::default();
        match question {
            Question::Box(area) => self.query_box(area, |index| tally.add(index)),
            Question::Ball(ball) => self.query_ball(ball, |index| tally.add(index)),
            Question::Segment(segment) => self.query_segment(segment, |index| tally.add(index)),
            Question::Convex(view) => self.query_view(view, |index| tally.add(index)),
        }
        (tally.0, tally.1)
    }

    fn bytes(&self) -> Option<usize> {
        Some(self.bytes())
    }
}

/// A grid with cells as large as ours.
pub(super) fn grid(scene: &Scene) -> Grid {
    Grid::new(scene.side, 8.0, 0.5, &scene.boxes)
}

type Item = GeomWithData<Rectangle<[f32; 2]>, u32>;

fn item(bounds: &Bounds<2>, index: u32) -> Item {
    GeomWithData::new(Rectangle::from_corners(bounds.min, bounds.max), index)
}

/// The R*-tree of `rstar`, loaded in bulk; a move is a removal and an insertion.
pub(super) struct RStar(RTree<Item>);

impl RStar {
    pub(super) fn new(scene: &Scene) -> Self {
        let items = scene.boxes.iter().enumerate();
        Self(RTree::bulk_load(
            items.map(|(index, bounds)| item(bounds, index as u32)).collect(),
        ))
    }
}

struct Crossed<'a>(&'a Segment<2>);

impl SelectionFunction<Item> for Crossed<'_> {
    fn should_unpack_parent(&self, envelope: &AABB<[f32; 2]>) -> bool {
        crosses(&envelope.lower(), &envelope.upper(), self.0)
    }

    fn should_unpack_leaf(&self, leaf: &Item) -> bool {
        crosses(&leaf.geom().lower(), &leaf.geom().upper(), self.0)
    }
}

struct Seen<'a>(&'a View);

impl SelectionFunction<Item> for Seen<'_> {
    fn should_unpack_parent(&self, envelope: &AABB<[f32; 2]>) -> bool {
        sees(&envelope.lower(), &envelope.upper(), self.0)
    }

    fn should_unpack_leaf(&self, leaf: &Item) -> bool {
        sees(&leaf.geom().lower(), &leaf.geom().upper(), self.0)
    }
}

impl Boxes for RStar {
    fn name(&self) -> &'static str {
        "rstar"
    }

    fn step(&mut self, shifts: &[Shift]) {
        for shift in shifts {
            self.0
                .remove(&item(&shift.from, shift.index))
                .expect("it is there");
            self.0.insert(item(&shift.to, shift.index));
        }
    }

    fn ask(&self, question: &Question) -> (u64, u64) {
        let mut tally = Tally::default();
        match question {
            Question::Box(area) => {
                let envelope = AABB::from_corners(area.min, area.max);
                let _: ControlFlow<()> =
                    self.0
                        .locate_in_envelope_intersecting_int(envelope, |found: &Item| {
                            tally.add(found.data);
                            ControlFlow::Continue(())
                        });
            }
            Question::Ball(ball) => {
                let found = self
                    .0
                    .locate_within_distance(ball.center, ball.radius * ball.radius);
                found.for_each(|found| tally.add(found.data));
            }
            Question::Segment(segment) => {
                let found = self.0.locate_with_selection_function(Crossed(segment));
                found.for_each(|found| tally.add(found.data));
            }
            Question::Convex(view) => {
                let found = self.0.locate_with_selection_function(Seen(view));
                found.for_each(|found| tally.add(found.data));
            }
        }
        (tally.0, tally.1)
    }

    fn bytes(&self) -> Option<usize> {
        None
    }
}

/// parry's bounding volume tree, maintained as in its own physics: boxes written, refitted, improved a little each
/// step.
pub(super) struct Parry {
    tree: Bvh,
    workspace: BvhWorkspace,
}

fn aabb(bounds: &Bounds<2>) -> Aabb {
    Aabb::new(Vector::from(bounds.min), Vector::from(bounds.max))
}

impl Parry {
    pub(super) fn new(scene: &Scene) -> Self {
        let leaves: Vec<Aabb> = scene.boxes.iter().map(aabb).collect();
        Self {
            tree: Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves),
            workspace: BvhWorkspace::default(),
        }
    }
}

impl Boxes for Parry {
    fn name(&self) -> &'static str {
        "parry"
    }

    fn step(&mut self, shifts: &[Shift]) {
        for shift in shifts {
            self.tree
                .insert_or_update_partially(aabb(&shift.to), shift.index, 0.0);
        }
        self.tree.refit(&mut self.workspace);
        self.tree.optimize_incremental(&mut self.workspace);
    }

    fn ask(&self, question: &Question) -> (u64, u64) {
        let mut tally = Tally::default();
        match question {
            Question::Box(area) => {
                let area = aabb(area);
                self.tree.intersect_aabb(&area).for_each(|index| tally.add(index));
            }
            Question::Ball(ball) => {
                let reached =
                    |node: &BvhNode| touches(&node.mins().to_array(), &node.maxs().to_array(), ball);
                self.tree.leaves(reached).for_each(|index| tally.add(index));
            }
            Question::Segment(segment) => {
                let ray = Ray::new(Vector::from(segment.origin), Vector::from(segment.translation));
                let reached = |node: &BvhNode| node.cast_ray(&ray, 1.0) <= 1.0;
                self.tree.leaves(reached).for_each(|index| tally.add(index));
            }
            Question::Convex(view) => {
                let reached = |node: &BvhNode| sees(&node.mins().to_array(), &node.maxs().to_array(), view);
                self.tree.leaves(reached).for_each(|index| tally.add(index));
            }
        }
        (tally.0, tally.1)
    }

    fn bytes(&self) -> Option<usize> {
        Some(self.tree.total_memory_size())
    }
}
