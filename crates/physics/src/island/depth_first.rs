//! Depth-first search: islands are rebuilt in each step, by following edges from each awake node.
//!
//! This is the form that physics engines have used longest (Erin Catto, "Simulation Islands", 2023, takes it as the
//! baseline). Only awake nodes are seeds, and the search visits no others, because no edge leads from them to a
//! sleeping node. Visited nodes are marked with the number of the step, so that no marks are cleared.

use alloc::vec::Vec;

use super::graph::{Graph, REAL};
use super::rebuild::Places;

/// Scratch memory of the search, and the number of the step, which its marks are made of.
#[derive(Clone, Debug, Default)]
pub(super) struct DepthFirst {
    /// For each node the step in which it was last visited.
    seen_in: Vec<u32>,
    step: u32,
    stack: Vec<u32>,
}

impl DepthFirst {
    /// Labels each place with the place of the first node of its island.
    pub(super) fn label(&mut self, graph: &Graph, awake: &[u32], places: &mut Places) {
        self.seen_in.resize(graph.nodes.len(), 0);
        self.step = self.step.wrapping_add(1);
        if self.step == 0 {
            self.seen_in.fill(0);
            self.step = 1;
        }
        for (label, &seed) in awake.iter().enumerate() {
            if self.seen_in[seed as usize] == self.step {
                continue;
            }
            self.seen_in[seed as usize] = self.step;
            self.stack.push(seed);
            while let Some(node) = self.stack.pop() {
                places.labels[places.of_node[node as usize] as usize] = label as u32;
                for end in graph.ends(REAL, node) {
                    let seen_in = &mut self.seen_in[end.other as usize];
                    if *seen_in != self.step {
                        *seen_in = self.step;
                        self.stack.push(end.other);
                    }
                }
            }
        }
    }
}
