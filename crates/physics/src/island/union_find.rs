//! Union-find: islands are rebuilt in each step, from the list of edges alone.
//!
//! Union by size and path halving (Tarjan and van Leeuwen, "Worst-Case Analysis of Set Union Algorithms", 1984):
//! nearly linear, and each find is one short loop without a second pass.

use alloc::vec::Vec;

use super::rebuild::{PackedEdge, Places};

/// Scratch memory of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct UnionFind {
    /// For each place one that is nearer to the root of its set; a root has itself.
    parents: Vec<u32>,
    /// For each root the number of places in its set.
    sizes: Vec<u32>,
}

impl UnionFind {
    /// Labels each place with the root of its set.
    pub(super) fn label(&mut self, edges: &[PackedEdge], places: &mut Places) {
        let count = places.labels.len();
        self.parents.clear();
        self.parents.extend(0..count as u32);
        self.sizes.clear();
        self.sizes.resize(count, 1);
        for edge in edges {
            let [a, b] = edge.nodes.map(|node| self.find(places.of_node[node as usize]));
            if a != b {
                let sizes = [self.sizes[a as usize], self.sizes[b as usize]];
                let (large, small) = if sizes[0] >= sizes[1] { (a, b) } else { (b, a) };
                self.parents[small as usize] = large;
                self.sizes[large as usize] = sizes[0] + sizes[1];
            }
        }
        for place in 0..count as u32 {
            places.labels[place as usize] = self.find(place);
        }
    }

    fn find(&mut self, mut place: u32) -> u32 {
        loop {
            let parent = self.parents[place as usize];
            if parent == place {
                return place;
            }
            let above = self.parents[parent as usize];
            self.parents[place as usize] = above;
            place = above;
        }
    }
}
