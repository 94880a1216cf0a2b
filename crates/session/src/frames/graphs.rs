//! The node graphs of a scene as entries of the manifest, which `pages/graphs.js` draws.

use serde::Serialize;
use tombolo::scene::graph::{Input, NodeGraph};

/// A node graph with the script's name.
#[derive(Debug, Serialize)]
pub(crate) struct GraphEntry {
    name: String,
    /// The nodes, in the order of their names.
    nodes: Vec<NodeEntry>,
}

#[derive(Debug, Serialize)]
struct NodeEntry {
    name: String,
    kind: &'static str,
    /// The event, property or function of the node.
    #[serde(skip_serializing_if = "str::is_empty")]
    subject: String,
    inputs: Vec<InputEntry>,
    /// The nodes that may follow, by their places in the graph's list.
    next: Vec<usize>,
    is_value: bool,
}

#[derive(Debug, Serialize)]
struct InputEntry {
    text: String,
    /// The node that gives the value, by its place in the graph's list.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<usize>,
}

impl GraphEntry {
    pub(crate) fn new(name: &str, graph: &NodeGraph) -> Self {
        let names: Vec<&str> = graph.nodes.keys().map(String::as_str).collect();
        let place = |name: &str| names.binary_search(&name).ok();
        let nodes = graph.nodes.iter().map(|(name, node)| NodeEntry {
            name: name.clone(),
            kind: node.kind(),
            subject: node.subject().to_string(),
            inputs: node
                .inputs()
                .into_iter()
                .map(|input| InputEntry {
                    text: input.to_string(),
                    from: match input {
                        Input::Link { node, .. } => place(node),
                        _ => None,
                    },
                })
                .collect(),
            next: node.next().into_iter().filter_map(place).collect(),
            is_value: node.is_value(),
        });
        Self {
            name: name.to_string(),
            nodes: nodes.collect(),
        }
    }
}
