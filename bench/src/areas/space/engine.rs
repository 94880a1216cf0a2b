//! The engine's space: interest sets beside full queries, and a path through a maze beside the `pathfinding` crate.

use anyhow::ensure;
use pathfinding::prelude::astar;
use tombolo::entity::{Accessor, Entity, Value};
use tombolo::geometry::orthtree::{Block, Bounds, NeighbourMode, Orthtree, Settings as TreeSettings, Shared};
use tombolo::physics::Vec2;
use tombolo::{Interest, Scene, Settings, World};

use super::super::Run;
use super::scene::Random;
use crate::measure::{Contender, Timing, interleave, time};

/// A server's step: all entities move, observers look around, some of them moving too.
pub(super) fn interest(run: &mut Run) -> anyhow::Result<()> {
    let (entity_count, observer_count, side) = if run.smoke {
        (2_000, 50, 150.0)
    } else {
        (100_000, 1_000, 1024.0)
    };
    for (what, moving) in [("observers rest", false), ("observers move", true)] {
        let random = &mut Random(21);
        let mut world = World::new(&Settings::default())?;
        let mut place = Accessor::new("transform.position")?;
        let mut entities: Vec<(Entity, Vec2)> = Vec::new();
        for _ in 0..entity_count {
            let entity = world.create(None)?;
            let at = Vec2::from(random.place::<2>(side));
            world.set_with(&mut place, entity, Value::Vec2(at))?;
            entities.push((entity, at));
        }
        world.update_space();
        let mut interest = Interest::new();
        let mut observers: Vec<(_, Bounds<2>, Vec<Entity>)> = Vec::new();
        for _ in 0..observer_count {
            let area = Bounds::around(random.place::<2>(side), 0.1 * side);
            observers.push((interest.add(area)?, area, Vec::new()));
        }
        let rounds = if run.smoke { 3 } else { 12 };
        let [mut ours, mut full] = ["tombolo", "full queries"].map(|name| Timing {
            name: name.to_owned(),
            rounds_ns: Vec::new(),
        });
        for round in 0..rounds {
            for (entity, at) in &mut entities {
                *at += 0.1 * Vec2::new(random.sign(), random.sign());
                world.set_with(&mut place, *entity, Value::Vec2(*at))?;
            }
            world.update_space();
            if moving {
                for (id, area, _) in &mut observers {
                    let way = [0.1 * random.sign(), 0.1 * random.sign()];
                    *area = Bounds::new(
                        [area.min[0] + way[0], area.min[1] + way[1]],
                        [area.max[0] + way[0], area.max[1] + way[1]],
                    );
                    interest.set_area(*id, *area)?;
                }
            }
            let (our_time, ()) = time(|| interest.update(world.space()));
            let (full_time, changes) = time(|| {
                let mut changes = Vec::new();
                for (_, area, before) in &mut observers {
                    let now = world.space().find(area);
                    changes.push(differences(before, &now));
                    *before = now;
                }
                changes
            });
            for ((id, ..), expected) in observers.iter().zip(changes) {
                let found = (interest.entered(*id)?.len(), interest.left(*id)?.len());
                ensure!(
                    found == expected,
                    "{what}: {found:?} told, {expected:?} by queries"
                );
            }
            // In the first round everybody enters.
            if round > 0 {
                ours.rounds_ns.push(our_time.as_secs_f64() * 1e9);
                full.rounds_ns.push(full_time.as_secs_f64() * 1e9);
            }
        }
        let case = format!("{observer_count} observers, {entity_count} moving entities, {what}");
        run.report
            .compare(&case, "interest sets", "ms", 1e6, &ours, &[&full]);
    }
    Ok(())
}

/// How many came and how many left, of two sorted lists.
fn differences(before: &[Entity], now: &[Entity]) -> (usize, usize) {
    let (mut old, mut new) = (before.iter().peekable(), now.iter().peekable());
    let (mut came, mut left) = (0, 0);
    loop {
        match (old.peek(), new.peek()) {
            (None, None) => return (came, left),
            (Some(_), None) => {
                left += 1;
                old.next();
            }
            (None, Some(_)) => {
                came += 1;
                new.next();
            }
            (Some(a), Some(b)) => match a.cmp(b) {
                std::cmp::Ordering::Less => {
                    left += 1;
                    old.next();
                }
                std::cmp::Ordering::Greater => {
                    came += 1;
                    new.next();
                }
                std::cmp::Ordering::Equal => {
                    old.next();
                    new.next();
                }
            },
        }
    }
}

/// A maze of walls with one gate each, at the far end of the one before.
fn maze(half: f32, wall_count: usize) -> anyhow::Result<World> {
    let height = 2.0 * half;
    let step = height / (wall_count as f32 + 1.0);
    let text = format!(
        r#"(
            settings: (gravity: (0, 0)),
            entities: {{
                "border": {{
                    "body": Body(),
                    "south": Collider(shape: Box(width: {height}, height: 1), position: (0, -{half})),
                    "north": Collider(shape: Box(width: {height}, height: 1), position: (0, {half})),
                    "west": Collider(shape: Box(width: 1, height: {height}), position: (-{half}, 0)),
                    "east": Collider(shape: Box(width: 1, height: {height}), position: ({half}, 0)),
                }},
                "high": {{"body": Body(), "stone": Collider(shape: Box(width: 0.5, height: {long}), position: (0, 3))}},
                "low": {{"body": Body(), "stone": Collider(shape: Box(width: 0.5, height: {long}), position: (0, -3))}},
            }},
            place: [
                One(name: "border", entity: "border"),
                Row(name: "high", entity: "high", at: ({first}, 0), count: {half_count}, step: ({two_steps}, 0)),
                Row(name: "low", entity: "low", at: ({second}, 0), count: {half_count}, step: ({two_steps}, 0)),
            ],
        )"#,
        long = height - 6.0,
        first = step - half,
        second = 2.0 * step - half,
        half_count = wall_count / 2,
        two_steps = 2.0 * step,
    );
    Ok(World::from_scene(&Scene::parse("maze.ron", &text)?)?)
}

/// A path from corner to corner of a maze.
pub(super) fn path(run: &mut Run) -> anyhow::Result<()> {
    let (half, wall_count) = if run.smoke { (30.0, 6) } else { (250.0, 14) };
    let clearance = 0.5;
    let mut world = maze(half, wall_count)?;
    let start = Vec2::splat(2.0 - half);
    let goal = Vec2::splat(half - 2.0);
    let (build, leaf_count) = time(|| world.free_space(clearance).map(|free| free.leaf_count()));
    let leaf_count = leaf_count?;
    let path = world.find_path(start, goal, clearance)?;
    let ours_length = length(start, &path);

    let leaves = Leaves::of(&world, clearance)?;
    ensure!(leaves.count() == leaf_count, "the peer searches other leaves");
    let rounds = if run.smoke { 1 } else { 15 };
    let (mut by_middles, mut by_borders) = (0.0, 0.0);
    let [ours, middles, borders] = interleave(
        "path",
        rounds,
        [
            Contender::new("tombolo", || {
                world.find_path(start, goal, clearance).map_or(0, |_| 1)
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
        ],
    )?;
    let case = format!("a maze of {leaf_count} leaves");
    let report = &mut run.report;
    report.compare(
        &case,
        "path, corner to corner",
        "ms",
        1e6,
        &ours,
        &[&middles, &borders],
    );
    let metric = "length of the path (the peers' are not straightened)";
    for (peer, length) in [(&middles, by_middles), (&borders, by_borders)] {
        let peer = Some((peer.name.as_str(), f64::from(length)));
        report.push(&case, metric, "m", f64::from(ours_length), peer);
    }
    report.push(&case, "making free space", "ms", build.as_secs_f64() * 1e3, None);
    ensure!(
        run.smoke || leaf_count >= 100_000,
        "the maze has {leaf_count} leaves only"
    );
    wall_moves(run, &case, &mut world, clearance)
}

fn length(start: Vec2, corners: &[Vec2]) -> f32 {
    let from = std::iter::once(&start).chain(corners);
    from.zip(corners).map(|(a, b)| a.distance(*b)).sum()
}

/// One wall moves, and free space follows.
fn wall_moves(run: &mut Run, case: &str, world: &mut World, clearance: f32) -> anyhow::Result<()> {
    let wall = world.find("high[1]").expect("the maze has it");
    let at = world.pose(wall).expect("it has a place").position;
    let rounds = if run.smoke { 1 } else { 9 };
    let mut times = Vec::new();
    for round in 0..rounds {
        let way = Vec2::new(if round % 2 == 0 { 0.25 } else { 0.0 }, 0.0);
        world.set(wall, "transform.position", Value::Vec2(at + way))?;
        let (elapsed, free) = time(|| world.free_space(clearance).map(|free| free.clearance()));
        free?;
        times.push(elapsed.as_secs_f64() * 1e3);
    }
    let least = times.into_iter().fold(f64::INFINITY, f64::min);
    run.report.push(
        case,
        "free space after one wall of 500 m moved",
        "ms",
        least,
        None,
    );
    Ok(())
}

/// The engine's free space made again, for the peer to search: the same tree of the same boxes. Costs in micrometres.
struct Leaves {
    tree: Orthtree<2, Block<2>, Shared>,
}

impl Leaves {
    /// The maze's walls are parallel to the axes: a box each, grown by the clearance.
    fn of(world: &World, clearance: f32) -> anyhow::Result<Self> {
        let root = Bounds::around([0.0; 2], 0.5 * clearance * 2048.0);
        let settings = TreeSettings {
            depth_max: 12,
            ..TreeSettings::default()
        };
        let mut tree = Orthtree::new(root, Shared, settings)?;
        for shape in world.physics().shapes() {
            let bounds = shape.outline().aabb(shape.body().pose());
            let (min, max) = (bounds.min - clearance, bounds.max + clearance);
            tree.insert(Bounds::new(min.to_array(), max.to_array()), 0)?;
        }
        Ok(Self { tree })
    }

    fn count(&self) -> usize {
        let mut count = 0;
        self.tree.visit_all(|view| count += usize::from(view.is_leaf));
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
                .neighbours(leaf, direction, NeighbourMode::Contact, |other| {
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

    /// From middle to middle: a leaf is a state.
    fn path_by_middles(&self, start: Vec2, goal: Vec2) -> Option<Vec<Vec2>> {
        let (first, last) = self.ends(start, goal)?;
        let found = astar(
            &first,
            |&leaf| {
                let here = self.middle(leaf);
                let beside = self.beside(leaf).into_iter();
                beside.map(move |other| (other, micrometres(here, self.middle(other))))
            },
            |&leaf| micrometres(self.middle(leaf), self.middle(last)),
            |&leaf| leaf == last,
        );
        found.map(|(leaves, _)| leaves.into_iter().map(|leaf| self.middle(leaf)).collect())
    }

    /// From border to border, as the engine searches: since the crate's successors know no costs and no way, a state is a
    /// leaf and where it was entered from.
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
                beside.map(move |other| ((other, state.0), micrometres(here, self.border(state.0, other))))
            },
            |&state| micrometres(place(state), goal),
            |&(leaf, _)| leaf == last,
        );
        found.map(|(states, _)| states.into_iter().map(place).collect())
    }
}

fn micrometres(from: Vec2, to: Vec2) -> u64 {
    (from.distance(to) * 1.0e6) as u64
}
