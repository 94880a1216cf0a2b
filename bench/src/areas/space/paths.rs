//! Paths of the engine beside A* over the leaves of its free space: by the `pathfinding` crate, and with everything
//! precomputed that a search over leaves can use.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use anyhow::ensure;
use pathfinding::prelude::astar;
use tombolo::entity::Value;
use tombolo::geometry::orthtree::{Block, Bounds, NeighborMode, Orthtree, Settings, Shared};
use tombolo::physics::Vec2;
use tombolo::{PathError, Scene, World};

use super::super::Run;
use super::scene::Random;
use crate::measure::{Contender, interleave, time};

const CLEARANCE: f32 = 0.5;

/// The resource `border`: four walls around a square.
fn border(half: f32) -> String {
    let whole = 2.0 * half;
    format!(
        r#""border": {{
            "body": Body(),
            "south": Collider(shape: Box(width: {whole}, height: 1), position: (0, -{half})),
            "north": Collider(shape: Box(width: {whole}, height: 1), position: (0, {half})),
            "west": Collider(shape: Box(width: 1, height: {whole}), position: (-{half}, 0)),
            "east": Collider(shape: Box(width: 1, height: {whole}), position: ({half}, 0)),
        }},"#
    )
}

/// A maze of walls with one gate each, at the far end of the one before.
fn maze(half: f32, wall_count: usize) -> anyhow::Result<World> {
    let height = 2.0 * half;
    let step = height / (wall_count as f32 + 1.0);
    let text = format!(
        r#"(
            settings: (gravity: (0, 0)),
            entities: {{
                {border}
                "high": {{"body": Body(), "stone": Collider(shape: Box(width: 0.5, height: {long}), position: (0, 3))}},
                "low": {{"body": Body(), "stone": Collider(shape: Box(width: 0.5, height: {long}), position: (0, -3))}},
            }},
            place: [
                One(name: "border", entity: "border"),
                Row(name: "high", entity: "high", at: ({first}, 0), count: {half_count}, step: ({two_steps}, 0)),
                Row(name: "low", entity: "low", at: ({second}, 0), count: {half_count}, step: ({two_steps}, 0)),
            ],
        )"#,
        border = border(half),
        long = height - 6.0,
        first = step - half,
        second = 2.0 * step - half,
        half_count = wall_count / 2,
        two_steps = 2.0 * step,
    );
    Ok(World::from_scene(&Scene::parse("maze.ron", &text)?)?)
}

/// Blocks of many sizes, scattered at random in a field with a border.
fn field(half: f32, block_count: usize) -> anyhow::Result<World> {
    let random = &mut Random(33);
    let mut entities = String::new();
    let mut placed = String::new();
    for number in 0..block_count {
        let [width, height] = [(); 2].map(|()| 3.0 + 2.5 * random.sign());
        let [x, y] = random.place::<2>(half - 6.0);
        entities += &format!(
            r#""{number}": {{"body": Body(), "stone": Collider(shape: Box(width: {width}, height: {height}))}},"#
        );
        placed += &format!(r#"One(name: "{number}", entity: "{number}", at: ({x}, {y})),"#);
    }
    let border = border(half);
    let text = format!(
        r#"(
            settings: (gravity: (0, 0)),
            entities: {{
                {border}
                {entities}
            }},
            place: [One(name: "border", entity: "border"), {placed}],
        )"#
    );
    Ok(World::from_scene(&Scene::parse("field.ron", &text)?)?)
}

/// Paths from corner to corner of a maze and of a field of blocks, and the cost of walls that change.
pub(super) fn compare(run: &mut Run) -> anyhow::Result<()> {
    let (half, wall_count, block_count) = if run.smoke {
        (30.0, 6, 40)
    } else {
        (250.0, 14, 4_000)
    };
    let mut world = maze(half, wall_count)?;
    let leaf_count = path(run, "a maze", &mut world, half)?;
    ensure!(
        run.smoke || leaf_count >= 100_000,
        "the maze has {leaf_count} leaves only"
    );
    wall_moves(run, &mut world, half)?;
    path(run, "a field of blocks", &mut field(half, block_count)?, half)?;
    Ok(())
}

/// A path from corner to corner, and one to an unreachable goal; returns the number of leaves.
fn path(run: &mut Run, what: &str, world: &mut World, half: f32) -> anyhow::Result<usize> {
    let start = Vec2::splat(2.0 - half);
    let goal = Vec2::splat(half - 2.0);
    let outside = Vec2::splat(half + 2.0);
    let (build, free) = time(|| world.free_space(CLEARANCE).map(|free| free.clearance()));
    free?;
    let free = world.free_space(CLEARANCE)?;
    let leaf_count = free.leaf_count();
    let mut free_count = 0;
    free.cells(&free.bounds(), |leaf| free_count += usize::from(leaf.is_free));
    let path = world.find_path(start, goal, CLEARANCE)?;
    let ours_length = length(start, &path);
    ensure!(
        world.find_path(start, outside, CLEARANCE) == Err(PathError::Unreachable),
        "a way leads out"
    );

    let leaves = Leaves::of(world)?;
    ensure!(leaves.count_free() == free_count, "the peers search other leaves");
    let graph = Graph::of(&leaves);
    let rounds = if run.smoke { 1 } else { 15 };
    let [mut by_middles, mut by_borders, mut lists] = [0.0; 3];
    let mut states = States::default();
    let [ours, middles, borders, prepared] = interleave(
        "path",
        rounds,
        [
            Contender::new("tombolo", || {
                world.find_path(start, goal, CLEARANCE).map_or(0, |_| 1)
            }),
            Contender::new("pathfinding, by middles", || {
                let found = leaves.path_by_middles(start, goal);
                by_middles = found.as_ref().map_or(0.0, |way| length(start, way));
                u64::from(found.is_some())
            }),
            Contender::new("pathfinding, by borders", || {
                let found = leaves.path_by_borders(start, goal);
                by_borders = found.as_ref().map_or(0.0, |way| length(start, way));
                u64::from(found.is_some())
            }),
            Contender::new("leaves in lists, by borders", || {
                let found = graph.path(&leaves, start, goal, &mut states);
                lists = found.as_ref().map_or(0.0, |way| length(start, way));
                u64::from(found.is_some())
            }),
        ],
    )?;
    let case = format!("{what} of {leaf_count} leaves");
    let report = &mut run.report;
    let peers = [&middles, &borders, &prepared];
    report.compare(&case, "path, corner to corner", "ms", 1e6, &ours, &peers);
    let metric = "length of the path (the peers' are not straightened)";
    for (peer, length) in peers.iter().zip([by_middles, by_borders, lists]) {
        let peer = Some((peer.name.as_str(), f64::from(length)));
        report.push(&case, metric, "m", f64::from(ours_length), peer);
    }
    let (unreachable, _) = time(|| world.find_path(start, outside, CLEARANCE));
    report.push(
        &case,
        "no path, asked again",
        "ms",
        unreachable.as_secs_f64() * 1e3,
        None,
    );
    report.push(&case, "making free space", "ms", build.as_secs_f64() * 1e3, None);
    Ok(leaf_count)
}

fn length(start: Vec2, corners: &[Vec2]) -> f32 {
    let from = std::iter::once(&start).chain(corners);
    from.zip(corners).map(|(a, b)| a.distance(*b)).sum()
}

/// One wall of the maze moves, and free space is updated; then the first path query after it, to an unreachable goal.
fn wall_moves(run: &mut Run, world: &mut World, half: f32) -> anyhow::Result<()> {
    let [start, outside] = [2.0 - half, half + 2.0].map(Vec2::splat);
    let case = "a maze, one wall moved";
    let wall = world.find("high[1]").expect("the maze has it");
    let at = world.pose(wall).expect("it has a place").position;
    let rounds = if run.smoke { 1 } else { 9 };
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..rounds {
        let way = Vec2::new(if round % 2 == 0 { 0.25 } else { 0.0 }, 0.0);
        world.set(wall, "transform.position", Value::Vec2(at + way))?;
        let (elapsed, free) = time(|| world.free_space(CLEARANCE).map(|free| free.clearance()));
        free?;
        times[0].push(elapsed.as_secs_f64() * 1e3);
        let (elapsed, _) = time(|| world.find_path(start, outside, CLEARANCE));
        times[1].push(elapsed.as_secs_f64() * 1e3);
    }
    for (what, times) in ["free space follows", "the first search after it finds no path"]
        .iter()
        .zip(times)
    {
        let least = times.into_iter().fold(f64::INFINITY, f64::min);
        run.report.push(case, what, "ms", least, None);
    }
    Ok(())
}

/// The engine's free space as a quadtree of boxes, for the peers to search: the same free leaves. Costs in micrometers.
struct Leaves {
    tree: Orthtree<2, Block<2>, Shared>,
}

impl Leaves {
    /// The maze's walls are parallel to the axes: a box each, grown by the clearance less a thousandth of a cell, which
    /// is the distance that free space keeps.
    fn of(world: &World) -> anyhow::Result<Self> {
        let root = Bounds::around([0.0; 2], 0.5 * CLEARANCE * 2048.0);
        let settings = Settings {
            depth_max: 12,
            ..Settings::default()
        };
        let mut tree = Orthtree::new(root, Shared, settings)?;
        for shape in world.physics().shapes() {
            let bounds = shape.geometry().aabb(shape.body().pose());
            let grown_by = CLEARANCE - 0.5 * CLEARANCE / 1024.0;
            let (min, max) = (bounds.min - grown_by, bounds.max + grown_by);
            tree.insert(Bounds::new(min.to_array(), max.to_array()), 0)?;
        }
        Ok(Self { tree })
    }

    fn count_free(&self) -> usize {
        let mut count = 0;
        self.tree
            .visit_all(|view| count += usize::from(view.is_leaf && view.count == 0));
        count
    }

    fn bounds(&self, leaf: u32) -> Bounds<2> {
        self.tree.lattice().bounds(&self.tree.cell_of(leaf))
    }

    fn middle(&self, leaf: u32) -> Vec2 {
        let bounds = self.bounds(leaf);
        0.5 * (Vec2::from(bounds.min) + Vec2::from(bounds.max))
    }

    /// The middle of the border between two leaves.
    fn border(&self, leaf: u32, other: u32) -> Vec2 {
        let (a, b) = (self.bounds(leaf), self.bounds(other));
        Vec2::from([0, 1].map(|axis| 0.5 * (a.min[axis].max(b.min[axis]) + a.max[axis].min(b.max[axis]))))
    }

    fn beside(&self, leaf: u32) -> Vec<u32> {
        let mut beside = Vec::with_capacity(8);
        for direction in [[1, 0], [0, 1], [-1, 0], [0, -1]] {
            self.tree
                .neighbors(leaf, direction, NeighborMode::Contact, |other| {
                    if self.tree.objects_of(other).next().is_none() {
                        beside.push(other);
                    }
                });
        }
        beside
    }

    fn ends(&self, start: Vec2, goal: Vec2) -> Option<(u32, u32)> {
        let leaf = |point: Vec2| self.tree.node_at(point.to_array());
        leaf(start).zip(leaf(goal))
    }

    /// From center to center: a leaf is a state.
    fn path_by_middles(&self, start: Vec2, goal: Vec2) -> Option<Vec<Vec2>> {
        let (first, last) = self.ends(start, goal)?;
        let found = astar(
            &first,
            |&leaf| {
                let here = self.middle(leaf);
                let beside = self.beside(leaf).into_iter();
                beside.map(move |other| (other, micrometers(here, self.middle(other))))
            },
            |&leaf| micrometers(self.middle(leaf), self.middle(last)),
            |&leaf| leaf == last,
        );
        found.map(|(leaves, _)| leaves.into_iter().map(|leaf| self.middle(leaf)).collect())
    }

    /// From border to border, as in the engine's search: since the crate's successors get neither costs nor the path so
    /// far, a state is a leaf and the leaf from which it was entered.
    fn path_by_borders(&self, start: Vec2, goal: Vec2) -> Option<Vec<Vec2>> {
        let (first, last) = self.ends(start, goal)?;
        let place = |(leaf, from): (u32, u32)| {
            if leaf == from {
                start
            } else {
                self.border(from, leaf)
            }
        };
        let found = astar(
            &(first, first),
            |&state| {
                let here = place(state);
                let beside = self.beside(state.0).into_iter();
                beside.map(move |other| ((other, state.0), micrometers(here, self.border(state.0, other))))
            },
            |&state| micrometers(place(state), goal),
            |&(leaf, _)| leaf == last,
        );
        found.map(|(states, _)| states.into_iter().map(place).collect())
    }
}

fn micrometers(from: Vec2, to: Vec2) -> u64 {
    (from.distance(to) * 1.0e6) as u64
}

/// The free leaves by number, and the neighbors of each: everything that can be precomputed.
struct Graph {
    number: BTreeMap<u32, u32>,
    /// The first place of each leaf's part of the borders; one more than there are leaves.
    starts: Vec<u32>,
    borders: Vec<(u32, Vec2)>,
}

/// The state of a search for each leaf: round, cost, leaf before, position.
#[derive(Default)]
struct States {
    round: u32,
    known: Vec<(u32, f32, u32, Vec2)>,
    open: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Graph {
    fn of(leaves: &Leaves) -> Self {
        let mut nodes = Vec::new();
        leaves.tree.visit_all(|view| {
            if view.is_leaf && view.count == 0 {
                nodes.push(view.node);
            }
        });
        let number: BTreeMap<u32, u32> = nodes
            .iter()
            .zip(0..)
            .map(|(node, number)| (*node, number))
            .collect();
        let (mut starts, mut borders) = (vec![0], Vec::new());
        for node in nodes {
            let beside = leaves.beside(node).into_iter();
            borders.extend(beside.map(|other| (number[&other], leaves.border(node, other))));
            starts.push(borders.len() as u32);
        }
        Self {
            number,
            starts,
            borders,
        }
    }

    /// From border to border: a leaf is a state, at the position of its entry.
    fn path(&self, leaves: &Leaves, start: Vec2, goal: Vec2, states: &mut States) -> Option<Vec<Vec2>> {
        let (first, last) = leaves.ends(start, goal)?;
        let (first, last) = (self.number[&first], self.number[&last]);
        states.round += 1;
        states.open.clear();
        states.known.resize(self.starts.len() - 1, (0, 0.0, 0, start));
        states.known[first as usize] = (states.round, 0.0, first, start);
        states.open.push(Reverse((0, first)));
        while let Some(Reverse((estimate, leaf))) = states.open.pop() {
            let (_, cost, _, place) = states.known[leaf as usize];
            if leaf == last {
                let mut way = vec![goal];
                let mut leaf = leaf;
                while leaf != first {
                    let (_, _, from, place) = states.known[leaf as usize];
                    way.push(place);
                    leaf = from;
                }
                way.reverse();
                return Some(way);
            }
            if f32::from_bits(estimate) > cost + place.distance(goal) {
                continue;
            }
            let part = self.starts[leaf as usize] as usize..self.starts[leaf as usize + 1] as usize;
            for &(other, border) in &self.borders[part] {
                let cost = cost + place.distance(border);
                let known = &mut states.known[other as usize];
                if known.0 != states.round || cost < known.1 {
                    *known = (states.round, cost, leaf, border);
                    let whole = cost + border.distance(goal);
                    states.open.push(Reverse((whole.to_bits(), other)));
                }
            }
        }
        None
    }
}
