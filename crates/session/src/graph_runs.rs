//! [`GraphRuns`]: when each node of the scene's node graphs last ran, and its value then, as pages show it.

use std::collections::BTreeMap;

use serde::Serialize;
use tombolo::GraphTrace;
use tombolo::scene::graph::NodeGraph;

use crate::action::Action;

/// The greatest number of different events of a graph that are kept: scripts can make up names of timers.
const EVENTS_MAX: usize = 256;

/// The last step in which a node ran.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct NodeRun {
    /// The place of the node in the order of names.
    node: usize,
    step: u64,
    /// The number of times that it ran in the step, in all entities with the graph.
    runs: u32,
    /// The last value that it had, in this step or before.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Box<str>>,
    /// Whether its script was disabled by an error of this node.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    failed: bool,
}

#[derive(Clone, Debug, Default)]
struct Graph {
    /// Events with the timer's name, each with the last step in which it was handled, and the number of times.
    events: BTreeMap<(&'static str, Box<str>), (u64, u32)>,
    nodes: BTreeMap<usize, NodeRun>,
}

/// The last runs of all nodes, by the names of graphs.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphRuns {
    graphs: BTreeMap<Box<str>, Graph>,
}

impl GraphRuns {
    /// Adds what graphs did in a step.
    pub(crate) fn note(&mut self, step: u64, traces: Vec<GraphTrace>) {
        for trace in traces {
            let graph = self.graphs.entry(trace.graph).or_default();
            for (event, runs) in trace.events {
                if graph.events.len() < EVENTS_MAX || graph.events.contains_key(&event) {
                    graph.events.insert(event, (step, runs));
                }
            }
            for (node, traced) in trace.nodes {
                let before = graph.nodes.remove(&node).and_then(|run| run.value);
                let run = NodeRun {
                    node,
                    step,
                    runs: traced.runs,
                    value: traced.value.or(before),
                    failed: traced.failed,
                };
                graph.nodes.insert(node, run);
            }
        }
    }

    /// Notes that an action was applied: a graph that takes another one's place has not run yet.
    pub(crate) fn note_action(&mut self, action: &Action) {
        if let Action::Graph { name, .. } = action {
            self.graphs.remove(name.as_str());
        }
    }

    /// The nodes of a graph that ever ran, in the order of names.
    pub(crate) fn of(&self, name: &str, graph: &NodeGraph) -> Vec<NodeRun> {
        let Some(noted) = self.graphs.get(name) else {
            return Vec::new();
        };
        let mut runs = noted.nodes.clone();
        for ((event, timer), (step, count)) in &noted.events {
            for node in graph.begun_by(event, timer) {
                let run = runs.entry(node).or_insert(NodeRun {
                    node,
                    step: *step,
                    runs: 0,
                    value: None,
                    failed: false,
                });
                // A `Wait` runs when it begins, and again when it ends.
                run.runs = if run.step < *step { 0 } else { run.runs };
                run.runs += if run.step <= *step { *count } else { 0 };
                run.step = run.step.max(*step);
            }
        }
        runs.into_values().collect()
    }
}
