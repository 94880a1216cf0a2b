//! The box of a cell in three forms: stored in the node as its corners, stored as center and half size, or recomputed
//! from integers in the descent, as the library does.
//!
//! One node store with links to all children, behind the library's own trait, differing only in the position that a
//! node stores. Building and updates are the library's. The traversal of a query is written here, as the library has
//! only its own; `recomputed` is the library's form in this traversal, compared with the library's own query.
//!
//! Positions are in finest cells, so that all three are exact and a cell can be computed from any of them.

use std::fmt::Debug;
use std::hint::black_box;

use tombolo_geometry::orthtree::{
    Ball, Bounds, Cell, Layout, Loose, ObjectId, ObjectList, Orthtree, OrthtreeError, Settings,
};

use super::super::Run;
use super::scene::{CELL_SIZE, HALF_SIZE, Question, Random, Scene, Spread};
use crate::measure::{Contender, interleave};

const NONE: u32 = u32::MAX;
const QUESTION_COUNT: usize = 1_000;

/// The position that a node stores.
trait Frame: Copy + Debug + Send + Sync + 'static {
    /// Whether a query reads the frame from the node, which it must load for that, and not from the descent.
    const KEPT: bool;
    fn of(cell: &Cell<2>) -> Self;
    fn cell(&self) -> Cell<2>;
    fn child(&self, octant: usize) -> Self;
    fn overlaps(&self, area: &Bounds<2>) -> bool;
    fn touches(&self, ball: &Ball<2>) -> bool;
}

/// Minimum and maximum: 16 bytes.
#[derive(Clone, Copy, Debug)]
struct Corners(Bounds<2>);

impl Frame for Corners {
    const KEPT: bool = true;

    fn of(cell: &Cell<2>) -> Self {
        let size = (1_u32 << cell.height) as f32;
        let min = cell.corner.map(|c| c as f32);
        Self(Bounds::new(min, min.map(|c| c + size)))
    }

    fn cell(&self) -> Cell<2> {
        Cell {
            corner: self.0.min.map(|c| c as u32),
            height: ((self.0.max[0] - self.0.min[0]) as u32).trailing_zeros(),
        }
    }

    fn child(&self, octant: usize) -> Self {
        Self::of(&self.cell().child(octant))
    }

    #[inline]
    fn overlaps(&self, area: &Bounds<2>) -> bool {
        self.0.overlaps(area)
    }

    #[inline]
    fn touches(&self, ball: &Ball<2>) -> bool {
        super::contenders::touches(&self.0.min, &self.0.max, ball)
    }
}

/// Center and half size: 12 bytes.
#[derive(Clone, Copy, Debug)]
struct Middle {
    middle: [f32; 2],
    half: f32,
}

impl Frame for Middle {
    const KEPT: bool = true;

    fn of(cell: &Cell<2>) -> Self {
        let half = 0.5 * (1_u32 << cell.height) as f32;
        Self {
            middle: cell.corner.map(|c| c as f32 + half),
            half,
        }
    }

    fn cell(&self) -> Cell<2> {
        Cell {
            corner: self.middle.map(|c| (c - self.half) as u32),
            height: ((2.0 * self.half) as u32).trailing_zeros(),
        }
    }

    fn child(&self, octant: usize) -> Self {
        Self::of(&self.cell().child(octant))
    }

    #[inline]
    fn overlaps(&self, area: &Bounds<2>) -> bool {
        (0..2).all(|axis| {
            let away = (2.0 * self.middle[axis] - (area.min[axis] + area.max[axis])).abs();
            away <= 2.0 * self.half + (area.max[axis] - area.min[axis])
        })
    }

    #[inline]
    fn touches(&self, ball: &Ball<2>) -> bool {
        let [x, y] = [0, 1].map(|axis| ((self.middle[axis] - ball.center[axis]).abs() - self.half).max(0.0));
        x * x + y * y <= ball.radius * ball.radius
    }
}

/// The cell in integers: 12 bytes, not read by a query, which computes them in the descent.
#[derive(Clone, Copy, Debug)]
struct Recomputed(Cell<2>);

impl Frame for Recomputed {
    const KEPT: bool = false;

    fn of(cell: &Cell<2>) -> Self {
        Self(*cell)
    }

    fn cell(&self) -> Cell<2> {
        self.0
    }

    #[inline]
    fn child(&self, octant: usize) -> Self {
        Self(self.0.child(octant))
    }

    #[inline]
    fn overlaps(&self, area: &Bounds<2>) -> bool {
        Corners::of(&self.0).overlaps(area)
    }

    #[inline]
    fn touches(&self, ball: &Ball<2>) -> bool {
        Corners::of(&self.0).touches(ball)
    }
}

#[derive(Clone, Copy, Debug)]
struct Node<F> {
    slot: ObjectList,
    frame: F,
    parent: u32,
    children: [u32; 4],
}

/// Nodes with links to all children and to the parent, and a frame.
#[derive(Clone, Debug)]
struct Framed<F> {
    nodes: Vec<Node<F>>,
    free: Vec<u32>,
}

impl<F: Frame> Layout<2> for Framed<F> {
    type Node = u32;

    fn new(root: Cell<2>) -> Result<Self, OrthtreeError> {
        let node = Node {
            slot: ObjectList::EMPTY,
            frame: F::of(&root),
            parent: NONE,
            children: [NONE; 4],
        };
        Ok(Self {
            nodes: vec![node],
            free: Vec::new(),
        })
    }

    fn check_height(height: u32) -> Result<(), OrthtreeError> {
        // The greatest depth that `f32` counts exactly.
        let depth_max = 23;
        if height > depth_max {
            let depth = height;
            return Err(OrthtreeError::TooDeep { depth, depth_max });
        }
        Ok(())
    }

    fn root(&self) -> u32 {
        0
    }

    #[inline]
    fn cell(&self, node: u32) -> Cell<2> {
        self.nodes[node as usize].frame.cell()
    }

    #[inline]
    fn object_list(&self, node: u32) -> &ObjectList {
        &self.nodes[node as usize].slot
    }

    #[inline]
    fn object_list_mut(&mut self, node: u32) -> &mut ObjectList {
        &mut self.nodes[node as usize].slot
    }

    #[inline]
    fn child(&self, node: u32, octant: usize) -> Option<u32> {
        let child = self.nodes[node as usize].children[octant];
        (child != NONE).then_some(child)
    }

    fn parent(&self, node: u32) -> Option<u32> {
        (node != 0).then(|| self.nodes[node as usize].parent)
    }

    fn make(&mut self, node: u32, octant: usize) -> u32 {
        if let Some(child) = self.child(node, octant) {
            return child;
        }
        let made = Node {
            slot: ObjectList::EMPTY,
            frame: self.nodes[node as usize].frame.child(octant),
            parent: node,
            children: [NONE; 4],
        };
        let child = match self.free.pop() {
            Some(place) => {
                self.nodes[place as usize] = made;
                place
            }
            None => {
                self.nodes.push(made);
                self.nodes.len() as u32 - 1
            }
        };
        self.nodes[node as usize].children[octant] = child;
        child
    }

    fn release(&mut self, node: u32) -> bool {
        let gone = &self.nodes[node as usize];
        let is_bare = node != 0 && gone.slot.count() == 0 && gone.children == [NONE; 4];
        if is_bare {
            let parent = gone.parent as usize;
            let links = self.nodes[parent].children.iter_mut();
            links.filter(|link| **link == node).for_each(|link| *link = NONE);
            self.free.push(node);
        }
        is_bare
    }

    fn grow(&mut self, _: Cell<2>, _: usize) -> u32 {
        unreachable!("the root of this comparison may not grow")
    }

    fn shrink(&mut self, _: usize) {
        unreachable!("the root of this comparison is not shrunk")
    }

    fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<F>>() + self.free.capacity() * size_of::<u32>()
    }
}

struct Tree<F: Frame> {
    tree: Orthtree<2, Framed<F>, Loose>,
    ids: Vec<ObjectId>,
}

impl<F: Frame> Tree<F> {
    fn new(scene: &Scene) -> Self {
        let settings = Settings {
            depth_max: scene.depth,
            ..Settings::default()
        };
        let mut tree = Orthtree::new(scene.root(), Loose::default(), settings).expect("the root is right");
        let insert =
            |(index, bounds): (usize, &Bounds<2>)| tree.insert(*bounds, index as u64).expect("inside");
        let ids = scene.boxes.iter().enumerate().map(insert).collect();
        Self { tree, ids }
    }

    /// The number of objects that a query finds.
    fn ask(&self, question: &Question) -> u64 {
        // The reach of an object out of its cell, and more than the rounding of that.
        let margin = HALF_SIZE / CELL_SIZE * 1.001;
        let root = F::of(&self.tree.lattice().root());
        let scaled = |c: f32| c / CELL_SIZE;
        match question {
            Question::Box(area) => {
                let reach = Bounds::new(
                    area.min.map(|c| scaled(c) - margin),
                    area.max.map(|c| scaled(c) + margin),
                );
                self.walk(0, root, &|frame: &F| frame.overlaps(&reach), &|bounds| {
                    bounds.overlaps(area)
                })
            }
            Question::Ball(ball) => {
                let reach = Ball {
                    center: ball.center.map(scaled),
                    // To the corner of the margin.
                    radius: scaled(ball.radius) + 1.5 * margin,
                };
                self.walk(0, root, &|frame: &F| frame.touches(&reach), &|bounds| {
                    super::contenders::touches(&bounds.min, &bounds.max, ball)
                })
            }
            Question::Segment(_) | Question::Convex(_) => 0,
        }
    }

    /// Counts the objects found in and below a node that is reached, if the descent has computed its frame.
    fn walk(
        &self,
        node: u32,
        frame: F,
        reaches: &impl Fn(&F) -> bool,
        overlaps: &impl Fn(&Bounds<2>) -> bool,
    ) -> u64 {
        let layout = self.tree.layout();
        let frame = if F::KEPT {
            layout.nodes[node as usize].frame
        } else {
            frame
        };
        if F::KEPT && !reaches(&frame) {
            return 0;
        }
        let hits = self.tree.objects_of(node);
        let mut found = hits.filter(|hit| overlaps(&hit.bounds)).count() as u64;
        for octant in 0..4 {
            let Some(child) = layout.child(node, octant) else {
                continue;
            };
            if F::KEPT {
                found += self.walk(child, frame, reaches, overlaps);
                continue;
            }
            let inner = frame.child(octant);
            if reaches(&inner) {
                found += self.walk(child, inner, reaches, overlaps);
            }
        }
        found
    }
}

/// Bytes, building, queries and updates of all three, in turn.
pub(super) fn side_by_side(run: &mut Run, count: usize) -> anyhow::Result<()> {
    let scene = Scene::new(count, Spread::Uniform);
    let rounds = if run.smoke { 1 } else { 9 };
    let names = ["recomputed", "corners", "middle and half"];
    let [a, b, c] = names;
    let case = format!("{}, the box of a cell", scene.name);
    let objects = count as f64;
    let built = interleave(
        &format!("{case}, build"),
        rounds,
        [
            Contender::new(a, || done(Tree::<Recomputed>::new(&scene))),
            Contender::new(b, || done(Tree::<Corners>::new(&scene))),
            Contender::new(c, || done(Tree::<Middle>::new(&scene))),
        ],
    )?;
    run.report
        .compare(&case, "insert", "ns", objects, &built[0], &[&built[1], &built[2]]);
    let mut trees = (
        Tree::<Recomputed>::new(&scene),
        Tree::<Corners>::new(&scene),
        Tree::<Middle>::new(&scene),
    );
    let bytes = [
        trees.0.tree.layout().bytes(),
        trees.1.tree.layout().bytes(),
        trees.2.tree.layout().bytes(),
    ];
    for (name, theirs) in names.iter().zip(bytes).skip(1) {
        let theirs = (*name, theirs as f64 / objects);
        let metric = "bytes of nodes per object";
        run.report
            .push(&case, metric, "B", bytes[0] as f64 / objects, Some(theirs));
    }
    for kind in ["box", "ball"] {
        let questions = scene.questions(kind, if run.smoke { 100 } else { QUESTION_COUNT });
        let library = |question: &Question| {
            let mut found = 0;
            match question {
                Question::Box(area) => trees.0.tree.query(area, |_| found += 1),
                Question::Ball(ball) => trees.0.tree.query(ball, |_| found += 1),
                Question::Segment(_) | Question::Convex(_) => {}
            }
            found
        };
        let asked = interleave(
            &format!("{case}, {kind}"),
            rounds,
            [
                Contender::new(a, || questions.iter().map(|q| trees.0.ask(q)).sum()),
                Contender::new(b, || questions.iter().map(|q| trees.1.ask(q)).sum()),
                Contender::new(c, || questions.iter().map(|q| trees.2.ask(q)).sum()),
                Contender::new("the library's query", || questions.iter().map(library).sum()),
            ],
        )?;
        run.report.compare(
            &case,
            &format!("{kind} query"),
            "ns",
            questions.len() as f64,
            &asked[0],
            &[&asked[1], &asked[2], &asked[3]],
        );
    }
    let mut moved = scene.clone();
    let random = &mut Random(5);
    let steps: Vec<_> = (0..=rounds).map(|_| moved.step(random, 1.0, 1.0)).collect();
    let updated = interleave(
        &format!("{case}, update"),
        rounds,
        [
            Contender::new(a, stepper(&mut trees.0, &steps)),
            Contender::new(b, stepper(&mut trees.1, &steps)),
            Contender::new(c, stepper(&mut trees.2, &steps)),
        ],
    )?;
    run.report.compare(
        &case,
        "update",
        "ns",
        objects,
        &updated[0],
        &[&updated[1], &updated[2]],
    );
    Ok(())
}

fn stepper<'a, F: Frame>(
    tree: &'a mut Tree<F>,
    steps: &'a [Vec<super::scene::Shift>],
) -> impl FnMut() -> u64 + 'a {
    let mut steps = steps.iter();
    move || {
        for shift in steps.next().expect("a step for each round") {
            let id = tree.ids[shift.index as usize];
            tree.tree.update(id, shift.to).expect("inside");
        }
        0
    }
}

fn done<T>(made: T) -> u64 {
    black_box(made);
    0
}
