//! [`IslandRecorder`]: records the events of a world's islands while it runs, so that island algorithms can be compared
//! on the same events.
//!
//! It reads the world from outside, after each step: bodies, joints and touching contacts are compared with those of
//! the step before. The world has no code for it.

use super::trace::{Trace, TraceEvent};
use std::collections::BTreeMap;
use tombolo_physics::{BodyKind, BodyRef, PhysicsWorld, constants};

/// A body that can move, as a node of the trace.
#[derive(Clone, Copy, Debug)]
struct Node {
    index: u32,
    /// The time for which the body has been slow, in seconds.
    slow_s: f32,
    /// Whether it exists in the step that is being recorded.
    seen: bool,
}

/// An edge between two nodes: a touching contact or a joint.
#[derive(Clone, Copy, Debug)]
struct Edge {
    index: u32,
    seen: bool,
}

/// Small indices that are reused, lowest first.
#[derive(Clone, Debug, Default)]
struct Indices {
    free: Vec<u32>,
    end: u32,
}

impl Indices {
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.end += 1;
            self.end - 1
        })
    }

    fn give_back(&mut self, index: u32) {
        self.free.push(index);
    }
}

/// Records a [`Trace`] from a world.
///
/// ```
/// use tombolo_bench_designs::islands::IslandRecorder;
/// use tombolo_physics::PhysicsWorld;
/// use tombolo_scenes as scenes;
///
/// let scene = scenes::find("falling_hinges").unwrap();
/// let mut world = PhysicsWorld::new(&scene.world_def())?;
/// scene.build(scene.size_small, 0, &mut world)?;
/// let mut recorder = IslandRecorder::default();
/// for _ in 0..30 {
///     world.step(scenes::STEP_S)?;
///     recorder.record(&world, scenes::STEP_S);
/// }
/// assert_eq!(recorder.finish().step_count(), 30);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct IslandRecorder {
    trace: Trace,
    /// The nodes, by the bits of the body's id.
    nodes: BTreeMap<u64, Node>,
    node_indices: Indices,
    /// The edges of contacts, by the bits of the contact's id.
    contacts: BTreeMap<u64, Edge>,
    /// The edges of joints, by the bits of the joint's id.
    joints: BTreeMap<u64, Edge>,
    edge_indices: Indices,
}

impl IslandRecorder {
    /// Records the changes since the last call; to be called after each step of `dt` seconds. Costs all bodies, joints
    /// and contacts of the world.
    pub fn record(&mut self, world: &PhysicsWorld, dt: f32) {
        let ties = self.look(world);
        self.end_edges();
        self.remove_nodes();
        for (table, id, ends) in ties {
            self.begin_edge(table, id, ends);
        }
        self.update_sleep_timer(world, dt);
        self.trace.end_step();
    }

    /// The trace, up to the last step that was recorded.
    pub fn finish(self) -> Trace {
        self.trace
    }

    /// Marks everything that exists, adds new nodes, and returns new edges.
    fn look(&mut self, world: &PhysicsWorld) -> Vec<(Table, u64, [u64; 2])> {
        for node in self.nodes.values_mut() {
            node.seen = false;
        }
        for edge in self.contacts.values_mut().chain(self.joints.values_mut()) {
            edge.seen = false;
        }
        for body in world.bodies().filter(is_node) {
            let (indices, trace) = (&mut self.node_indices, &mut self.trace);
            let node = self.nodes.entry(body.id().to_bits()).or_insert_with(|| {
                let index = indices.take();
                trace.push(TraceEvent::Add(index));
                Node {
                    index,
                    slow_s: 0.0,
                    seen: true,
                }
            });
            node.seen = true;
        }
        let touching = world
            .contacts()
            .filter(|contact| contact.is_touching())
            .map(|contact| {
                let [a, b] = contact.shapes();
                (Table::Contacts, contact.id().to_bits(), [a.body(), b.body()])
            });
        let joined = world
            .joints()
            .map(|joint| (Table::Joints, joint.id().to_bits(), joint.bodies()));
        let mut new = Vec::new();
        for (table, id, ends) in touching.chain(joined) {
            if !ends.iter().all(is_node) {
                continue;
            }
            let edges = if table == Table::Contacts {
                &mut self.contacts
            } else {
                &mut self.joints
            };
            match edges.get_mut(&id) {
                Some(edge) => edge.seen = true,
                None => new.push((table, id, ends.map(|body| body.id().to_bits()))),
            }
        }
        new
    }

    fn end_edges(&mut self) {
        let Self {
            trace,
            edge_indices,
            contacts,
            joints,
            ..
        } = self;
        for edges in [contacts, joints] {
            edges.retain(|_, edge| {
                if !edge.seen {
                    trace.push(TraceEvent::End(edge.index));
                    edge_indices.give_back(edge.index);
                }
                edge.seen
            });
        }
    }

    fn remove_nodes(&mut self) {
        let Self {
            trace,
            node_indices,
            nodes,
            ..
        } = self;
        nodes.retain(|_, node| {
            if !node.seen {
                trace.push(TraceEvent::Remove(node.index));
                node_indices.give_back(node.index);
            }
            node.seen
        });
    }

    fn begin_edge(&mut self, table: Table, id: u64, ends: [u64; 2]) {
        let index = self.edge_indices.take();
        self.trace
            .push(TraceEvent::Begin(index, ends.map(|end| self.nodes[&end].index)));
        let edges = if table == Table::Contacts {
            &mut self.contacts
        } else {
            &mut self.joints
        };
        edges.insert(id, Edge { index, seen: true });
    }

    fn update_sleep_timer(&mut self, world: &PhysicsWorld, dt: f32) {
        for body in world.bodies() {
            let Some(node) = self.nodes.get_mut(&body.id().to_bits()) else {
                continue;
            };
            let was_ready = node.slow_s >= constants::TIME_TO_SLEEP_S;
            let pace = body.linear_velocity().length().max(body.angular_velocity().abs());
            node.slow_s = if pace < SLOW { node.slow_s + dt } else { 0.0 };
            match (was_ready, node.slow_s >= constants::TIME_TO_SLEEP_S) {
                (false, true) => self.trace.push(TraceEvent::Sleep(node.index)),
                (true, false) => self.trace.push(TraceEvent::Wake(node.index)),
                _ => {}
            }
        }
    }
}

/// The speed below which a body counts as slow, in meters or radians per second.
const SLOW: f32 = 0.05;

/// The two tables of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    Contacts,
    Joints,
}

fn is_node(body: &BodyRef<'_>) -> bool {
    body.kind() == BodyKind::Dynamic && body.is_enabled()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::islands::{Replay, SplitChoice};
    use std::collections::BTreeSet;
    use tombolo_physics::island::{IslandAlgorithm, WorkBudget};
    use tombolo_scenes as scenes;
    use tombolo_threads::Inline;

    /// The islands of a replay, split after each step, are those of the world's graph, also while ragdolls are added,
    /// removed and broken.
    #[test]
    fn a_recorded_trace_replays_to_the_islands_of_the_world() {
        let scene = scenes::find("rain").unwrap();
        let def = tombolo_physics::WorldDef {
            sleeping: false,
            ..scene.world_def()
        };
        let mut world = PhysicsWorld::new(&def).unwrap();
        let mut motion = scene.build(scene.size_small, 0, &mut world).unwrap();
        let mut recorder = IslandRecorder::default();
        let mut expected = Vec::new();
        for step in 0..120 {
            motion.before_step(step, &mut world).unwrap();
            world.step(scenes::STEP_S).unwrap();
            recorder.record(&world, scenes::STEP_S);
            expected.push(component_count(&world));
        }
        let trace = recorder.finish();
        let mut replay = Replay::new(
            IslandAlgorithm::Persistent,
            WorkBudget::UNLIMITED,
            SplitChoice::All,
        );
        for (step, (events, count)) in trace.steps().zip(expected).enumerate() {
            replay.step(events, &Inline).expect("a recorded trace is sound");
            let exact = replay.islands().clone();
            assert_eq!(exact.islands().count(), count, "step {step}");
        }
        assert!(
            trace
                .steps()
                .flatten()
                .any(|event| matches!(event, TraceEvent::Remove(_))),
            "ragdolls go"
        );
    }

    /// The number of connected components, computed from scratch: every body starts alone, every edge between two
    /// groups joins them.
    fn component_count(world: &PhysicsWorld) -> usize {
        let mut group: BTreeMap<u64, u64> = world
            .bodies()
            .filter(is_node)
            .map(|body| (body.id().to_bits(), body.id().to_bits()))
            .collect();
        let touching = world.contacts().filter(|contact| contact.is_touching());
        let ties = touching.map(|contact| contact.shapes().map(|shape| shape.body()));
        for [a, b] in ties.chain(world.joints().map(|joint| joint.bodies())) {
            if let (Some(&a), Some(&b)) = (group.get(&a.id().to_bits()), group.get(&b.id().to_bits())) {
                group
                    .values_mut()
                    .filter(|member| **member == b)
                    .for_each(|member| *member = a);
            }
        }
        group.values().collect::<BTreeSet<_>>().len()
    }
}
