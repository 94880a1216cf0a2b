//! Family `islands`: nodes and edges that are added and removed under each algorithm, beside a set of edges that is
//! flood-filled for each comparison; also as bodies and joints of a world that is saved and restored between the calls.

use std::collections::{BTreeMap, BTreeSet};

use tombolo_physics::island::{IslandError, Islands, WorkBudget};
use tombolo_physics::{
    BodyDef, BodyId, BodyKind, IslandAlgorithm, JointId, PhysicsWorld, RevoluteDef, Vec2, WorldDef,
};
use tombolo_threads::Inline;

use crate::family::{Family, hold, same};
use crate::random::Random;

/// The family.
pub(crate) struct IslandGraphs;

/// One call. Nodes and edges are numbers of the case's own; many calls are about ones that do not exist, or exist
/// already.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// Chooses the algorithm, and whether the islands are a world's: the first such operation counts.
    Use(IslandAlgorithm, bool),
    Add(u32),
    Remove(u32),
    RemoveWithEdges(u32),
    Link(u32, u32, u32),
    Unlink(u32),
    Sleep(u32),
    Wake(u32),
    /// Splits islands under a budget, in the order of their indices or in turn; in a world, makes a number of steps.
    SplitIslands(u32),
    SplitIslandsInTurn(u32),
    SplitNow(u32),
    Update,
    /// Makes a copy that gets all later operations too, and must stay equal.
    Fork,
    /// Like `Fork`; in a world, by a save.
    SaveAndRestore,
}

impl Family for IslandGraphs {
    const NAME: &'static str = "islands";
    const ABOUT: &'static str =
        "islands under every algorithm against a flood fill; worlds saved between calls";
    const CASES: u64 = 12_000;
    type Operation = Operation;

    fn generate(random: &mut Random) -> Vec<Operation> {
        let nodes = random.pick(&[3, 6, 12, 40]);
        let edges = nodes * 2;
        let algorithm = random.pick(&IslandAlgorithm::ALL);
        let mut operations = vec![Operation::Use(algorithm, random.one_in(4))];
        // Enough nodes for the first links to find some.
        operations.extend((0..nodes as u32).map(Operation::Add));
        let count = random.within(1..120);
        operations.extend((0..count).map(|_| operation(random, nodes, edges)));
        operations
    }

    fn run(operations: &[Operation]) -> Result<(), String> {
        let used = operations.iter().find_map(|operation| match operation {
            Operation::Use(algorithm, as_world) => Some((*algorithm, *as_world)),
            _ => None,
        });
        match used.unwrap_or_default() {
            (algorithm, false) => run_graph(algorithm, operations),
            (algorithm, true) => run_world(algorithm, operations),
        }
    }
}

fn operation(random: &mut Random, nodes: usize, edges: usize) -> Operation {
    // A few more than were added.
    let node = random.below(nodes + 2) as u32;
    let edge = random.below(edges) as u32;
    match random.below(100) {
        0..8 => Operation::Add(node),
        8..11 => Operation::Remove(node),
        11..14 => Operation::RemoveWithEdges(node),
        14..46 => {
            let other = if random.one_in(4) {
                random.below(nodes + 2) as u32
            } else {
                node + 1
            };
            Operation::Link(edge, node, other)
        }
        46..76 => Operation::Unlink(edge),
        76..80 => Operation::Sleep(node),
        80..84 => Operation::Wake(node),
        84..88 => Operation::SplitIslands(random.below(60) as u32),
        88..93 => Operation::SplitIslandsInTurn(random.below(60) as u32),
        93..95 => Operation::SplitNow(node),
        95..98 => Operation::Update,
        98 => Operation::Fork,
        _ => Operation::SaveAndRestore,
    }
}

/// The expected state: nodes and edges, and nothing else.
#[derive(Clone, Default)]
struct Oracle {
    nodes: BTreeSet<u32>,
    edges: BTreeMap<u32, [u32; 2]>,
}

impl Oracle {
    /// For each node the smallest node that it is connected to, by depth-first search from each node in turn.
    fn labels(&self) -> BTreeMap<u32, u32> {
        let mut labels = BTreeMap::new();
        for &seed in &self.nodes {
            let mut stack = vec![seed];
            while let Some(node) = stack.pop() {
                if labels.contains_key(&node) {
                    continue;
                }
                labels.insert(node, seed);
                for &[a, b] in self.edges.values() {
                    if a == node {
                        stack.push(b);
                    } else if b == node {
                        stack.push(a);
                    }
                }
            }
        }
        labels
    }

    fn edges_at(&self, node: u32) -> Vec<u32> {
        let at = |(_, ends): &(&u32, &[u32; 2])| ends.contains(&node);
        self.edges.iter().filter(at).map(|(&edge, _)| edge).collect()
    }
}

fn run_graph(algorithm: IslandAlgorithm, operations: &[Operation]) -> Result<(), String> {
    let mut oracle = Oracle::default();
    let mut islands = Islands::new(algorithm);
    let mut fork: Option<Islands> = None;
    for (number, operation) in operations.iter().enumerate() {
        match operation {
            Operation::Use(..) => continue,
            Operation::Fork | Operation::SaveAndRestore => {
                fork = Some(islands.clone());
                continue;
            }
            _ => {}
        }
        let after = apply(operation, &mut oracle.clone(), fork.as_mut())?;
        let answer = apply(operation, &mut oracle, Some(&mut islands))?;
        if let Some(fork) = &fork {
            same!(after, answer, "a copy answers another way to operation {number}");
            same!(
                shape_of(fork),
                shape_of(&islands),
                "a copy parts at operation {number}"
            );
        }
        check(&oracle, &islands).map_err(|what| format!("after operation {number}: {what}"))?;
    }
    update(&mut islands)?;
    let all: Vec<u32> = islands.islands().collect();
    for island in all {
        islands.split_now(island).map_err(|error| error.to_string())?;
    }
    hold!(
        !islands.islands().any(|island| islands.needs_split(island)),
        "an island is not split after all were split"
    );
    check(&oracle, &islands)
}

/// Every island with its nodes in order.
fn shape_of(islands: &Islands) -> Vec<(u32, bool, Vec<u32>)> {
    islands
        .islands()
        .map(|island| (island, islands.is_asleep(island), islands.nodes(island).collect()))
        .collect()
}

fn update(islands: &mut Islands) -> Result<(), String> {
    let awake: BTreeSet<u32> = islands
        .awake_islands()
        .iter()
        .flat_map(|&island| islands.nodes(island))
        .collect();
    let awake: Vec<u32> = awake.into_iter().collect();
    islands.update(&Inline, &awake).map_err(|error| error.to_string())
}

/// Applies one operation to the oracle and the islands, and returns the result as text.
fn apply(
    operation: &Operation,
    oracle: &mut Oracle,
    islands: Option<&mut Islands>,
) -> Result<String, String> {
    let Some(islands) = islands else {
        return Ok(String::new());
    };
    match *operation {
        Operation::Use(..) | Operation::Fork | Operation::SaveAndRestore => {}
        Operation::Add(node) => {
            let is_new = oracle.nodes.insert(node);
            same!(islands.add_node(node).is_ok(), is_new, "adding node {node}");
        }
        Operation::Remove(node) => remove(node, oracle, islands)?,
        Operation::RemoveWithEdges(node) => {
            for edge in oracle.edges_at(node) {
                oracle.edges.remove(&edge);
                islands.unlink(edge).map_err(|error| error.to_string())?;
            }
            remove(node, oracle, islands)?;
        }
        Operation::Link(edge, a, b) => link([edge, a, b], oracle, islands)?,
        Operation::Unlink(edge) => {
            let was_there = oracle.edges.remove(&edge).is_some();
            same!(islands.unlink(edge).is_ok(), was_there, "unlinking {edge}");
        }
        Operation::Sleep(node) => sleep(node, islands)?,
        Operation::Wake(node) => {
            if let Some(island) = islands.island_of(node) {
                islands.wake(island).map_err(|error| error.to_string())?;
                hold!(!islands.is_asleep(island), "island {island} was woken and sleeps");
            }
        }
        Operation::SplitIslands(units) | Operation::SplitIslandsInTurn(units) => {
            let mut candidates = islands.awake_islands().to_vec();
            let done = if matches!(operation, Operation::SplitIslands(_)) {
                islands.split_islands(WorkBudget { units }, &candidates)
            } else {
                candidates.sort_unstable();
                islands.split_islands_in_turn(WorkBudget { units }, &candidates)
            };
            let waiting = candidates
                .iter()
                .filter(|&&island| islands.needs_split(island))
                .count();
            same!(done.unsplit as usize, waiting, "islands that still wait");
            return Ok(format!("{done:?}"));
        }
        Operation::SplitNow(node) => {
            if let Some(island) = islands.island_of(node) {
                islands.split_now(island).map_err(|error| error.to_string())?;
                hold!(
                    !islands.needs_split(island),
                    "island {island} was split and waits"
                );
            }
        }
        Operation::Update => update(islands)?,
    }
    Ok(String::new())
}

fn remove(node: u32, oracle: &mut Oracle, islands: &mut Islands) -> Result<(), String> {
    let edge_count = oracle.edges_at(node).len() as u32;
    let expected = match (oracle.nodes.contains(&node), edge_count) {
        (false, _) => Err(IslandError::NoNode(node)),
        (true, 0) => Ok(()),
        (true, edge_count) => Err(IslandError::NodeHasEdges { node, edge_count }),
    };
    same!(islands.remove_node(node), expected, "removing node {node}");
    if expected.is_ok() {
        oracle.nodes.remove(&node);
    }
    Ok(())
}

fn link([edge, a, b]: [u32; 3], oracle: &mut Oracle, islands: &mut Islands) -> Result<(), String> {
    let known = oracle.nodes.contains(&a) && oracle.nodes.contains(&b);
    let fits = known && a != b && !oracle.edges.contains_key(&edge);
    let asleep = |islands: &Islands, node| islands.island_of(node).map(|island| islands.is_asleep(island));
    if fits && asleep(islands, a) != asleep(islands, b) {
        // The caller must wake the sleeping island first.
        let Err(IslandError::Asleep { island }) = islands.link(edge, a, b) else {
            return Err(format!("nodes {a} and {b} were linked though one sleeps"));
        };
        islands.wake(island).map_err(|error| error.to_string())?;
    }
    let linked = islands.link(edge, a, b);
    same!(linked.is_ok(), fits, "linking {a} and {b} by {edge}, {linked:?}");
    if let Ok(linked) = linked {
        oracle.edges.insert(edge, [a, b]);
        hold!(
            islands.island_of(b) == islands.island_of(a) || islands.needs_split(linked.island),
            "nodes {a} and {b} were linked and are neither in one island nor waiting"
        );
    }
    Ok(())
}

fn sleep(node: u32, islands: &mut Islands) -> Result<(), String> {
    let Some(island) = islands.island_of(node) else {
        return Ok(());
    };
    if islands.needs_split(island) {
        same!(
            islands.sleep(island),
            Err(IslandError::NeedsSplit(island)),
            "putting to sleep what may be several islands"
        );
        islands.split_now(island).map_err(|error| error.to_string())?;
    }
    let island = islands.island_of(node).ok_or("a node without an island")?;
    islands.sleep(island).map_err(|error| error.to_string())?;
    hold!(
        islands.is_asleep(island),
        "island {island} was put to sleep and is awake"
    );
    Ok(())
}

/// Islands are never finer than the expected ones, and equal if they claim to be exact.
fn check(oracle: &Oracle, islands: &Islands) -> Result<(), String> {
    islands.validate().map_err(|error| error.to_string())?;
    same!(islands.total_nodes() as usize, oracle.nodes.len(), "nodes");
    same!(islands.total_edges() as usize, oracle.edges.len(), "edges");
    for (&edge, &ends) in &oracle.edges {
        same!(islands.edge_nodes(edge), Some(ends), "ends of edge {edge}");
    }
    let labels = oracle.labels();
    let mut seen = BTreeSet::new();
    for island in islands.islands() {
        let members: BTreeSet<u32> = islands.nodes(island).collect();
        same!(
            members.len(),
            islands.node_count(island) as usize,
            "nodes of island {island}"
        );
        let parts: BTreeSet<u32> = members
            .iter()
            .filter_map(|node| labels.get(node).copied())
            .collect();
        let waits = islands.needs_split(island);
        hold!(waits || parts.len() == 1, "island {island} says it is connected");
        // Under algorithms that find islands anew, candidates may be finer too.
        if !waits || islands.algorithm() == IslandAlgorithm::Persistent {
            let whole = labels.iter().filter(|(_, label)| parts.contains(label));
            for (node, _) in whole {
                hold!(members.contains(node), "island {island} lacks node {node}");
            }
        }
        let edges = islands.edges(island).count();
        same!(
            edges,
            islands.edge_count(island) as usize,
            "edges of island {island}"
        );
        seen.extend(members);
    }
    same!(seen, oracle.nodes, "nodes of all islands");
    Ok(())
}

/// Bodies without shapes are nodes, revolute joints are edges.
struct Bodies {
    world: PhysicsWorld,
    nodes: BTreeMap<u32, BodyId>,
    edges: BTreeMap<u32, (JointId, [u32; 2])>,
}

fn run_world(algorithm: IslandAlgorithm, operations: &[Operation]) -> Result<(), String> {
    let def = WorldDef {
        gravity: Vec2::ZERO,
        islands: algorithm,
        ..WorldDef::default()
    };
    let world = PhysicsWorld::new(&def).map_err(|error| error.to_string())?;
    let mut bodies = Bodies {
        world,
        nodes: BTreeMap::new(),
        edges: BTreeMap::new(),
    };
    for (number, operation) in operations.iter().enumerate() {
        let at = |what: String| format!("operation {number}: {what}");
        bodies.apply(operation).map_err(at)?;
        bodies.check().map_err(at)?;
    }
    bodies.step(3)?;
    bodies.check()
}

impl Bodies {
    fn apply(&mut self, operation: &Operation) -> Result<(), String> {
        let failed = |error: tombolo_physics::PhysicsError| error.to_string();
        let world = &mut self.world;
        match *operation {
            Operation::Use(..) => {}
            Operation::Add(node) => {
                if let std::collections::btree_map::Entry::Vacant(place) = self.nodes.entry(node) {
                    place.insert(
                        world
                            .create_body(&BodyDef::dynamic(node as f32, 0.0))
                            .map_err(failed)?,
                    );
                }
            }
            Operation::Remove(node) | Operation::RemoveWithEdges(node) => {
                if let Some(body) = self.nodes.remove(&node) {
                    world.destroy_body(body).map_err(failed)?;
                    self.edges.retain(|_, (_, ends)| !ends.contains(&node));
                }
            }
            Operation::Link(edge, a, b) => {
                let (Some(&body_a), Some(&body_b)) = (self.nodes.get(&a), self.nodes.get(&b)) else {
                    return Ok(());
                };
                let offset = Vec2::new(b as f32 - a as f32, 0.0);
                let made = world.create_joint(RevoluteDef::new(body_a, offset, body_b, Vec2::ZERO));
                same!(made.is_ok(), a != b, "a revolute joint between {a} and {b}");
                if let Ok(joint) = made
                    && let Some((old, _)) = self.edges.insert(edge, (joint, [a, b]))
                {
                    world.destroy_joint(old).map_err(failed)?;
                }
            }
            Operation::Unlink(edge) => {
                if let Some((joint, _)) = self.edges.remove(&edge) {
                    world.destroy_joint(joint).map_err(failed)?;
                }
            }
            Operation::Sleep(node) => {
                // Disabling a body for a while must not matter to islands.
                if let Some(&body) = self.nodes.get(&node) {
                    let enabled = world.body(body).is_some_and(|body| body.is_enabled());
                    world.body_mut(body).map_err(failed)?.set_enabled(!enabled);
                }
            }
            Operation::Wake(node) => {
                if let Some(&body) = self.nodes.get(&node) {
                    let kind = if world
                        .body(body)
                        .is_some_and(|body| body.kind() == BodyKind::Dynamic)
                    {
                        BodyKind::Static
                    } else {
                        BodyKind::Dynamic
                    };
                    world
                        .body_mut(body)
                        .map_err(failed)?
                        .set_kind(kind)
                        .map_err(failed)?;
                }
            }
            Operation::SplitIslands(count) | Operation::SplitIslandsInTurn(count) => self.step(count)?,
            Operation::SplitNow(node) => {
                if let Some(mut body) = self.nodes.get(&node).and_then(|&body| world.body_mut(body).ok()) {
                    body.wake();
                }
            }
            Operation::Update => self.step(1)?,
            Operation::Fork => self.world = self.world.clone(),
            Operation::SaveAndRestore => {
                let bytes = self.world.save();
                let restored = PhysicsWorld::from_save(&bytes).map_err(|error| error.to_string())?;
                hold!(restored.save() == bytes, "another save after a restore");
                self.world = restored;
            }
        }
        Ok(())
    }

    /// Steps the world, and a restored one beside it.
    fn step(&mut self, count: u32) -> Result<(), String> {
        let mut beside = PhysicsWorld::from_save(&self.world.save()).map_err(|error| error.to_string())?;
        for _ in 0..count {
            for world in [&mut self.world, &mut beside] {
                world.step(1.0 / 60.0).map_err(|error| error.to_string())?;
            }
        }
        hold!(
            beside.save() == self.world.save(),
            "a restored world parts from its original"
        );
        Ok(())
    }

    /// Bodies that are connected are in one island; a sleeping island is connected.
    fn check(&self) -> Result<(), String> {
        self.world.validate();
        let mut oracle = Oracle::default();
        let mut islands = BTreeMap::new();
        for (&node, &body) in &self.nodes {
            let body = self.world.body(body).ok_or("a body is gone")?;
            let takes_part = body.kind() == BodyKind::Dynamic && body.is_enabled();
            same!(
                body.island().is_some(),
                takes_part,
                "whether body {node} has an island"
            );
            if let Some(island) = body.island() {
                oracle.nodes.insert(node);
                islands.insert(node, (island, body.is_awake()));
            }
        }
        for (&edge, &(joint, ends)) in &self.edges {
            hold!(self.world.joint(joint).is_some(), "revolute joint {edge} is gone");
            if ends.iter().all(|end| oracle.nodes.contains(end)) {
                oracle.edges.insert(edge, ends);
            }
        }
        let mut of_part = BTreeMap::new();
        let mut part_of_sleeping = BTreeMap::new();
        let exact = self.world.island_algorithm() == IslandAlgorithm::Persistent;
        for (node, label) in oracle.labels() {
            let (island, awake) = islands[&node];
            if exact {
                same!(
                    *of_part.entry(label).or_insert(island),
                    island,
                    "the island of body {node}"
                );
            }
            if !awake {
                same!(
                    *part_of_sleeping.entry(island).or_insert(label),
                    label,
                    "who sleeps with body {node}"
                );
            }
        }
        Ok(())
    }
}
