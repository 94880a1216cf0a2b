//! The peers of the islands: the two textbook algorithms that find all islands in every step, on the most compact
//! data there is. They get the awake nodes numbered without holes and the edges between them packed, ready made and
//! untimed; they give the nodes sorted by island. No upkeep, no sleep, no joints: a baseline that flatters them.

/// The nodes sorted by island, and where each island begins.
#[derive(Default)]
pub(super) struct Sorted {
    pub(super) starts: Vec<u32>,
    pub(super) nodes: Vec<u32>,
    /// For each root its island.
    islands: Vec<u32>,
}

impl Sorted {
    /// Sorts by counting; `labels` are nodes, equal for two nodes exactly if they are connected.
    fn sort(&mut self, labels: &[u32]) {
        self.islands.clear();
        self.islands.resize(labels.len(), u32::MAX);
        self.starts.clear();
        self.starts.push(0);
        for &label in labels {
            let island = &mut self.islands[label as usize];
            if *island == u32::MAX {
                *island = self.starts.len() as u32 - 1;
                self.starts.push(0);
            }
            // Counted one place late, so that the running sum below leaves the beginnings.
            self.starts[*island as usize + 1] += 1;
        }
        for island in 1..self.starts.len() {
            self.starts[island] += self.starts[island - 1];
        }
        self.nodes.resize(labels.len(), 0);
        for (node, &label) in labels.iter().enumerate().rev() {
            let end = &mut self.starts[self.islands[label as usize] as usize + 1];
            *end -= 1;
            self.nodes[*end as usize] = node as u32;
        }
        // The loop moved each end to its island's beginning: the array is one place late.
        self.starts.remove(0);
        self.starts.push(labels.len() as u32);
    }

    /// How many islands there are.
    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Union by size with path halving over packed edges.
#[derive(Default)]
pub(super) struct CompactUnionFind {
    /// The parent, or minus the size in a root.
    parents: Vec<i32>,
    labels: Vec<u32>,
    pub(super) sorted: Sorted,
}

impl CompactUnionFind {
    pub(super) fn find_islands(&mut self, node_count: usize, edges: &[[u32; 2]]) {
        self.parents.clear();
        self.parents.resize(node_count, -1);
        for &[a, b] in edges {
            let (mut a, mut b) = (self.root(a), self.root(b));
            if a != b {
                if self.parents[a as usize] > self.parents[b as usize] {
                    (a, b) = (b, a);
                }
                self.parents[a as usize] += self.parents[b as usize];
                self.parents[b as usize] = a as i32;
            }
        }
        self.labels.clear();
        for node in 0..node_count as u32 {
            let root = self.root(node);
            self.labels.push(root);
        }
        self.sorted.sort(&self.labels);
    }

    fn root(&mut self, mut node: u32) -> u32 {
        loop {
            let parent = self.parents[node as usize];
            if parent < 0 {
                return node;
            }
            let above = self.parents[parent as usize];
            if above < 0 {
                return parent as u32;
            }
            self.parents[node as usize] = above;
            node = above as u32;
        }
    }
}

/// Depth-first search over neighbors in compressed rows, which it builds from the packed edges first.
#[derive(Default)]
pub(super) struct CompactDepthFirst {
    row_ends: Vec<u32>,
    neighbors: Vec<u32>,
    stack: Vec<u32>,
    seen: Vec<bool>,
    pub(super) starts: Vec<u32>,
    pub(super) nodes: Vec<u32>,
}

impl CompactDepthFirst {
    pub(super) fn find_islands(&mut self, node_count: usize, edges: &[[u32; 2]]) {
        self.build_rows(node_count, edges);
        self.seen.clear();
        self.seen.resize(node_count, false);
        self.starts.clear();
        self.nodes.clear();
        for seed in 0..node_count as u32 {
            if std::mem::replace(&mut self.seen[seed as usize], true) {
                continue;
            }
            self.starts.push(self.nodes.len() as u32);
            self.stack.push(seed);
            while let Some(node) = self.stack.pop() {
                self.nodes.push(node);
                let row = self.row_ends[node as usize] as usize..self.row_ends[node as usize + 1] as usize;
                for &other in &self.neighbors[row] {
                    if !std::mem::replace(&mut self.seen[other as usize], true) {
                        self.stack.push(other);
                    }
                }
            }
        }
    }

    /// Counting sort of both ends of all edges by node.
    fn build_rows(&mut self, node_count: usize, edges: &[[u32; 2]]) {
        self.row_ends.clear();
        self.row_ends.resize(node_count + 1, 0);
        for &node in edges.iter().flatten() {
            self.row_ends[node as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut self.row_ends {
            sum += *end;
            *end = sum;
        }
        self.neighbors.resize(edges.len() * 2, 0);
        for &[a, b] in edges {
            for (node, other) in [(a, b), (b, a)] {
                let place = &mut self.row_ends[node as usize];
                *place -= 1;
                self.neighbors[*place as usize] = other;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_find_the_same_islands() {
        let edges = [[4, 1], [1, 2], [5, 3]];
        let mut union_find = CompactUnionFind::default();
        union_find.find_islands(7, &edges);
        assert_eq!(union_find.sorted.nodes, [0, 1, 2, 4, 3, 5, 6]);
        assert_eq!(union_find.sorted.starts, [0, 1, 4, 6, 7]);
        assert_eq!(union_find.sorted.count(), 4);
        let mut depth_first = CompactDepthFirst::default();
        depth_first.find_islands(7, &edges);
        assert_eq!(depth_first.starts, [0, 1, 4, 6]);
        assert_eq!(depth_first.nodes[1..4].iter().sum::<u32>(), 7);
    }
}
