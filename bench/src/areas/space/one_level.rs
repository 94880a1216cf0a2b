//! Layouts of one level, behind the interface that the engine's space needs of a tree: ids that go stale, callers' numbers
//! in hits, a plane without borders. Three designs that were tried, beside the tree and the [`UniformGrid`] that resulted.
//!
//! Objects are in the cell of their center; a query reaches as far beyond its box as the largest object out of its
//! cell. The three differ in how a cell is found and in its content:
//!
//! | design | a cell is found | in it |
//! | --- | --- | --- |
//! | [`Stretches`] | in a hash table | boxes with an index, 20 bytes each; the number must be fetched |
//! | [`Members`] | in a tile of 32 × 32 cells, which is in a hash table | boxes with index and number, 32 bytes each |
//! | [`Fours`] | the same | four boxes side by side, indices and numbers beside them, 28 bytes each |

use std::hint::black_box;
use std::marker::PhantomData;

use anyhow::ensure;
use rustc_hash::FxHashMap;
use tombolo_geometry::orthtree::{Bounds, Bounds4, ObjectId, Region, UniformGrid};

use super::super::Run;
use super::contenders::{Boxes, Ours, grid};
use super::scene::{CELL_SIZE, HALF_SIZE, Question, Random, Scene, Shift, Spread};
use crate::measure::{Contender, interleave};

/// All contenders, the one that is reported first.
fn all(scene: &Scene) -> [Box<dyn Boxes>; 6] {
    [
        Box::new(OurGrid::new(scene)),
        Box::new(Ours::new(scene, true)),
        Box::new(OneLevel::<Stretches, Hashed<Stretches>>::new("stretches", scene)),
        Box::new(OneLevel::<Members, Tiled<Members>>::new("members", scene)),
        Box::new(OneLevel::<Fours, Tiled<Fours>>::new("fours", scene)),
        Box::new(grid(scene)),
    ]
}

/// Bytes, queries and moves of boxes of one size.
pub(super) fn compare(run: &mut Run, count: usize) -> anyhow::Result<()> {
    for spread in Spread::ALL {
        let scene = Scene::new(count, spread);
        let contenders = all(&scene);
        for contender in &contenders {
            let bytes = contender.bytes().unwrap_or_default() as f64 / count as f64;
            let name = format!("one level, bytes per object, {}", contender.name());
            run.report.push(&scene.name, &name, "B", bytes, None);
        }
        for kind in ["box", "ball", "segment", "convex"] {
            ask(run, &scene, kind, &contenders)?;
        }
        for way in [0.1, 100.0] {
            step(run, &scene, way)?;
        }
    }
    Ok(())
}

fn ask(run: &mut Run, scene: &Scene, kind: &str, contenders: &[Box<dyn Boxes>; 6]) -> anyhow::Result<()> {
    let questions = scene.questions(kind, if run.smoke { 100 } else { 2_000 });
    let found = |contender: &dyn Boxes| {
        let answers = questions.iter().map(|question| contender.ask(question));
        answers.fold((0, 0), |sum, answer| (sum.0 + answer.0, sum.1 + answer.1))
    };
    // The last one rounds balls and segments to `f32`, as the peers do.
    for contender in &contenders[..5] {
        let (found, expected) = (found(&**contender), found(&*contenders[0]));
        ensure!(found == expected, "{}: {found:?}, {expected:?}", contender.name());
    }
    let [ours, peers @ ..] = interleave(
        &format!("{}, {kind}, one level", scene.name),
        if run.smoke { 1 } else { 11 },
        contenders.each_ref().map(|contender| {
            Contender::new(contender.name(), || {
                black_box(
                    questions
                        .iter()
                        .map(|question| contender.ask(question).0)
                        .sum::<u64>(),
                );
                0
            })
        }),
    )?;
    let metric = format!("one level, {kind} query");
    let peers: [_; 5] = peers.each_ref();
    run.report
        .compare(&scene.name, &metric, "ns", questions.len() as f64, &ours, &peers);
    Ok(())
}

/// Times a step in which all boxes move.
fn step(run: &mut Run, start: &Scene, way: f32) -> anyhow::Result<()> {
    let rounds = if run.smoke { 1 } else { 9 };
    let mut scene = start.clone();
    let random = &mut Random(3);
    let steps: Vec<Vec<Shift>> = (0..=rounds).map(|_| scene.step(random, 1.0, way)).collect();
    let mut contenders = all(start);
    let case = format!("{}, all by {way} m", start.name);
    let [ours, peers @ ..] = interleave(
        &format!("{case}, one level"),
        rounds,
        contenders.each_mut().map(|contender| {
            let mut steps = steps.iter();
            Contender::new(contender.name(), move || {
                contender.step(steps.next().expect("a step for each round"));
                0
            })
        }),
    )?;
    let peers: [_; 5] = peers.each_ref();
    run.report.compare(
        &case,
        "one level, move",
        "ns",
        steps[0].len() as f64,
        &ours,
        &peers,
    );
    Ok(())
}

/// The engine's grid.
struct OurGrid {
    grid: UniformGrid,
    ids: Vec<ObjectId>,
}

impl OurGrid {
    fn new(scene: &Scene) -> Self {
        let mut grid = UniformGrid::new(CELL_SIZE).expect("the size is right");
        let boxes = scene.boxes.iter().zip(0..);
        let ids = boxes.map(|(bounds, key)| grid.insert(*bounds, key).expect("smaller than a cell"));
        let ids = ids.collect();
        Self { grid, ids }
    }
}

impl Boxes for OurGrid {
    fn name(&self) -> &'static str {
        "uniform grid"
    }

    fn step(&mut self, shifts: &[Shift]) {
        for shift in shifts {
            let id = self.ids[shift.index as usize];
            self.grid.update(id, shift.to).expect("smaller than a cell");
        }
    }

    fn ask(&self, question: &Question) -> (u64, u64) {
        let mut tally = (0, 0);
        let mut add = |key: u64| tally = (tally.0 + 1, tally.1 + key);
        match question {
            Question::Box(area) => self.grid.query(area, |hit| add(hit.key)),
            Question::Ball(ball) => self.grid.query(ball, |hit| add(hit.key)),
            Question::Segment(segment) => self.grid.query(segment, |hit| add(hit.key)),
            Question::Convex(view) => self.grid.query(&view.region(), |hit| add(hit.key)),
        }
        tally
    }

    fn bytes(&self) -> Option<usize> {
        Some(self.grid.bytes())
    }
}

/// The content of a cell.
trait Stretch: Default {
    /// Whether the callers' numbers are stored here.
    const HAS_KEYS: bool;

    fn len(&self) -> usize;
    fn push(&mut self, bounds: &Bounds<2>, index: u32, key: u64);
    fn write(&mut self, place: usize, bounds: &Bounds<2>);
    /// Removes a member, whose place the last one takes; returns the index of that one, if there is one.
    fn take(&mut self, place: usize) -> Option<u32>;
    /// Visits index and number of each member that overlaps; the number is meaningless if none are stored here.
    fn visit(&self, region: &impl Region<2>, visit: &mut impl FnMut(u32, u64));
    fn bytes(&self) -> usize;
}

#[derive(Default)]
struct Stretches(Vec<(Bounds<2>, u32)>);

impl Stretch for Stretches {
    const HAS_KEYS: bool = false;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn push(&mut self, bounds: &Bounds<2>, index: u32, _: u64) {
        self.0.push((*bounds, index));
    }

    fn write(&mut self, place: usize, bounds: &Bounds<2>) {
        self.0[place].0 = *bounds;
    }

    fn take(&mut self, place: usize) -> Option<u32> {
        self.0.swap_remove(place);
        self.0.get(place).map(|member| member.1)
    }

    #[inline]
    fn visit(&self, region: &impl Region<2>, visit: &mut impl FnMut(u32, u64)) {
        for (bounds, index) in &self.0 {
            if region.overlaps(bounds) {
                visit(*index, 0);
            }
        }
    }

    fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<(Bounds<2>, u32)>()
    }
}

#[derive(Default)]
struct Members(Vec<(Bounds<2>, u64, u32)>);

impl Stretch for Members {
    const HAS_KEYS: bool = true;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn push(&mut self, bounds: &Bounds<2>, index: u32, key: u64) {
        self.0.push((*bounds, key, index));
    }

    fn write(&mut self, place: usize, bounds: &Bounds<2>) {
        self.0[place].0 = *bounds;
    }

    fn take(&mut self, place: usize) -> Option<u32> {
        self.0.swap_remove(place);
        self.0.get(place).map(|member| member.2)
    }

    #[inline]
    fn visit(&self, region: &impl Region<2>, visit: &mut impl FnMut(u32, u64)) {
        for (bounds, key, index) in &self.0 {
            if region.overlaps(bounds) {
                visit(*index, *key);
            }
        }
    }

    fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<(Bounds<2>, u64, u32)>()
    }
}

const LANES: usize = 4;

#[derive(Clone, Copy)]
struct Four {
    boxes: Bounds4<2>,
    keys: [u64; LANES],
    indices: [u32; LANES],
}

#[derive(Default)]
struct Fours {
    blocks: Vec<Four>,
    count: usize,
}

impl Fours {
    fn set(&mut self, place: usize, bounds: &Bounds<2>, index: u32, key: u64) {
        let (block, lane) = (&mut self.blocks[place / LANES], place % LANES);
        for axis in 0..2 {
            block.boxes.min[axis][lane] = bounds.min[axis];
            block.boxes.max[axis][lane] = bounds.max[axis];
        }
        block.keys[lane] = key;
        block.indices[lane] = index;
    }
}

impl Stretch for Fours {
    const HAS_KEYS: bool = true;

    fn len(&self) -> usize {
        self.count
    }

    fn push(&mut self, bounds: &Bounds<2>, index: u32, key: u64) {
        if self.count.is_multiple_of(LANES) {
            self.blocks.push(Four {
                boxes: Bounds4 {
                    min: [[0.0; LANES]; 2],
                    max: [[0.0; LANES]; 2],
                },
                keys: [0; LANES],
                indices: [0; LANES],
            });
        }
        self.count += 1;
        self.set(self.count - 1, bounds, index, key);
    }

    fn write(&mut self, place: usize, bounds: &Bounds<2>) {
        let block = &self.blocks[place / LANES];
        let (key, index) = (block.keys[place % LANES], block.indices[place % LANES]);
        self.set(place, bounds, index, key);
    }

    fn take(&mut self, place: usize) -> Option<u32> {
        self.count -= 1;
        let (last, lane) = (self.blocks[self.count / LANES], self.count % LANES);
        if lane == 0 {
            self.blocks.pop();
        }
        if place == self.count {
            return None;
        }
        self.set(place, &last.boxes.get(lane), last.indices[lane], last.keys[lane]);
        Some(last.indices[lane])
    }

    #[inline]
    fn visit(&self, region: &impl Region<2>, visit: &mut impl FnMut(u32, u64)) {
        for (number, block) in self.blocks.iter().enumerate() {
            let here = (self.count - number * LANES).min(LANES);
            let mut hits = region.overlaps_four(&block.boxes) & ((1 << here) - 1);
            while hits != 0 {
                let lane = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                visit(block.indices[lane], block.keys[lane]);
            }
        }
    }

    fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Four>()
    }
}

/// The look-up of cells.
trait Directory<C>: Default {
    /// The number of a cell, which is made if it does not exist.
    fn make(&mut self, place: [i32; 2]) -> u32;
    fn cell_mut(&mut self, number: u32) -> &mut C;
    /// Calls `visit` for the existing cells between two corners, both included.
    fn range(&self, low: [i32; 2], high: [i32; 2], visit: impl FnMut([i32; 2], &C));
    fn bytes(&self) -> usize;
}

fn packed([x, y]: [i32; 2]) -> u64 {
    u64::from(x as u32) << 32 | u64::from(y as u32)
}

/// A hash table of cells.
#[derive(Default)]
struct Hashed<C> {
    table: FxHashMap<u64, u32>,
    cells: Vec<C>,
}

impl<C: Stretch> Directory<C> for Hashed<C> {
    fn make(&mut self, place: [i32; 2]) -> u32 {
        *self.table.entry(packed(place)).or_insert_with(|| {
            self.cells.push(C::default());
            self.cells.len() as u32 - 1
        })
    }

    fn cell_mut(&mut self, number: u32) -> &mut C {
        &mut self.cells[number as usize]
    }

    fn range(&self, low: [i32; 2], high: [i32; 2], mut visit: impl FnMut([i32; 2], &C)) {
        for y in low[1]..=high[1] {
            for x in low[0]..=high[0] {
                if let Some(&number) = self.table.get(&packed([x, y])) {
                    visit([x, y], &self.cells[number as usize]);
                }
            }
        }
    }

    fn bytes(&self) -> usize {
        let stretches: usize = self.cells.iter().map(Stretch::bytes).sum();
        self.table.capacity() * 8 / 7 * 17 + self.cells.capacity() * size_of::<C>() + stretches
    }
}

const TILE_BITS: u32 = 5;
const TILE: usize = 1 << TILE_BITS;

/// A hash table of tiles of cells, all cells of a tile side by side.
#[derive(Default)]
struct Tiled<C> {
    table: FxHashMap<u64, u32>,
    cells: Vec<C>,
}

impl<C: Stretch> Tiled<C> {
    fn in_tile([x, y]: [i32; 2]) -> usize {
        (y as usize % TILE) * TILE + x as usize % TILE
    }
}

impl<C: Stretch> Directory<C> for Tiled<C> {
    fn make(&mut self, place: [i32; 2]) -> u32 {
        let tile = *self
            .table
            .entry(packed(place.map(|c| c >> TILE_BITS)))
            .or_insert_with(|| {
                self.cells.resize_with(self.cells.len() + TILE * TILE, C::default);
                (self.cells.len() - TILE * TILE) as u32
            });
        tile + Self::in_tile(place) as u32
    }

    fn cell_mut(&mut self, number: u32) -> &mut C {
        &mut self.cells[number as usize]
    }

    fn range(&self, low: [i32; 2], high: [i32; 2], mut visit: impl FnMut([i32; 2], &C)) {
        for ty in low[1] >> TILE_BITS..=high[1] >> TILE_BITS {
            for tx in low[0] >> TILE_BITS..=high[0] >> TILE_BITS {
                let Some(&tile) = self.table.get(&packed([tx, ty])) else {
                    continue;
                };
                let first = [tx << TILE_BITS, ty << TILE_BITS];
                let last = first.map(|c| c + TILE as i32 - 1);
                for y in low[1].max(first[1])..=high[1].min(last[1]) {
                    for x in low[0].max(first[0])..=high[0].min(last[0]) {
                        visit([x, y], &self.cells[tile as usize + Self::in_tile([x, y])]);
                    }
                }
            }
        }
    }

    fn bytes(&self) -> usize {
        let stretches: usize = self.cells.iter().map(Stretch::bytes).sum();
        self.table.capacity() * 8 / 7 * 17 + self.cells.capacity() * size_of::<C>() + stretches
    }
}

/// The cell and place of an object.
struct Home {
    generation: u32,
    cell: u32,
    place: u32,
}

struct OneLevel<C, D> {
    name: &'static str,
    directory: D,
    homes: Vec<Home>,
    keys: Vec<u64>,
    /// The reach of objects out of their cells.
    margin: f32,
    cell: PhantomData<C>,
}

impl<C: Stretch, D: Directory<C>> OneLevel<C, D> {
    fn new(name: &'static str, scene: &Scene) -> Self {
        let mut level = Self {
            name,
            directory: D::default(),
            homes: Vec::new(),
            keys: Vec::new(),
            margin: HALF_SIZE,
            cell: PhantomData,
        };
        for (bounds, key) in scene.boxes.iter().zip(0..) {
            level.insert(bounds, key);
        }
        level
    }

    #[inline]
    fn place_of(bounds: &Bounds<2>) -> [i32; 2] {
        [0, 1].map(|axis| Self::along(0.5 * (bounds.min[axis] + bounds.max[axis])))
    }

    #[inline]
    fn along(coordinate: f32) -> i32 {
        let place = coordinate * (1.0 / CELL_SIZE);
        let cut = place as i32;
        cut - i32::from((cut as f32) > place)
    }

    fn insert(&mut self, bounds: &Bounds<2>, key: u64) {
        let index = self.homes.len() as u32;
        self.keys.push(key);
        self.homes.push(Home {
            generation: 1,
            cell: 0,
            place: 0,
        });
        self.put(index, bounds, key);
    }

    #[inline]
    fn put(&mut self, index: u32, bounds: &Bounds<2>, key: u64) {
        let number = self.directory.make(Self::place_of(bounds));
        let cell = self.directory.cell_mut(number);
        let home = &mut self.homes[index as usize];
        home.cell = number;
        home.place = cell.len() as u32;
        cell.push(bounds, index, key);
    }

    fn update(&mut self, index: u32, generation: u32, bounds: &Bounds<2>) {
        let home = &self.homes[index as usize];
        assert_eq!(home.generation, generation, "a live id");
        let (number, place) = (home.cell, home.place as usize);
        if self.directory.make(Self::place_of(bounds)) == number {
            self.directory.cell_mut(number).write(place, bounds);
            return;
        }
        if let Some(moved) = self.directory.cell_mut(number).take(place) {
            self.homes[moved as usize].place = place as u32;
        }
        self.put(index, bounds, self.keys[index as usize]);
    }

    #[inline]
    fn query<R: Region<2>>(&self, region: &R, mut visit: impl FnMut(u64)) {
        let Some(bounds) = region.bounds() else { return };
        let low = bounds.min.map(|c| Self::along(c - self.margin));
        let high = bounds.max.map(|c| Self::along(c + self.margin));
        self.directory.range(low, high, |place, cell| {
            let outer = || {
                let corner = place.map(|c| c as f32 * CELL_SIZE);
                Bounds::new(
                    corner.map(|c| c - self.margin),
                    corner.map(|c| c + CELL_SIZE + self.margin),
                )
            };
            if cell.len() > 0 && (R::IS_BOX || region.overlaps(&outer())) {
                cell.visit(region, &mut |index, key| {
                    visit(if C::HAS_KEYS {
                        key
                    } else {
                        self.keys[index as usize]
                    });
                });
            }
        });
    }
}

impl<C: Stretch, D: Directory<C>> Boxes for OneLevel<C, D> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn step(&mut self, shifts: &[Shift]) {
        for shift in shifts {
            self.update(shift.index, 1, &shift.to);
        }
    }

    fn ask(&self, question: &Question) -> (u64, u64) {
        let mut tally = (0, 0);
        let mut add = |key: u64| tally = (tally.0 + 1, tally.1 + key);
        match question {
            Question::Box(area) => self.query(area, &mut add),
            Question::Ball(ball) => self.query(ball, &mut add),
            Question::Segment(segment) => self.query(segment, &mut add),
            Question::Convex(view) => self.query(&view.region(), &mut add),
        }
        tally
    }

    fn bytes(&self) -> Option<usize> {
        let homes = self.homes.capacity() * size_of::<Home>() + self.keys.capacity() * size_of::<u64>();
        Some(self.directory.bytes() + homes)
    }
}
