//! The first persistent islands (Erin Catto, "Simulation Islands", 2023), built from the description for comparison: a
//! new edge only notes a parent island, and one pass a step merges all islands that have one; edges that end are
//! counted, and the island that lost edges and has rested longest is searched whole, one a step. No spanning tree, no
//! search from both ends. Only the bench uses it.

use tombolo_bench_designs::islands::TraceEvent;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Node {
    island: u32,
    next: u32,
    previous: u32,
    first_end: u32,
    ready_since: u32,
}

/// `next` and `previous` are ends, an edge's index times two plus the side.
#[derive(Clone, Copy)]
struct Edge {
    nodes: [u32; 2],
    next: [u32; 2],
    previous: [u32; 2],
}

#[derive(Clone, Copy)]
struct Island {
    /// The island into which this one will be merged.
    parent: u32,
    head: u32,
    tail: u32,
    count: u32,
    removed: u32,
    /// Its place among the awake islands, or [`NONE`].
    place: u32,
}

/// Islands that follow a trace, with the parts of a step that `Replay` has.
#[derive(Default)]
pub(super) struct DeferredMerge {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    islands: Vec<Island>,
    free: Vec<u32>,
    awake: Vec<u32>,
    candidate: Option<u32>,
    stack: Vec<u32>,
    /// Nodes of an island being split that were not reached.
    open: Vec<u32>,
    step: u32,
}

impl DeferredMerge {
    /// Applies the events of a step.
    pub(super) fn apply(&mut self, events: &[TraceEvent]) {
        for &event in events {
            match event {
                TraceEvent::Add(node) => {
                    let empty = Node {
                        island: NONE,
                        next: NONE,
                        previous: NONE,
                        first_end: NONE,
                        ready_since: NONE,
                    };
                    self.nodes
                        .resize((node as usize + 1).max(self.nodes.len()), empty);
                    self.nodes[node as usize] = empty;
                    let island = self.create();
                    self.push(island, node);
                }
                TraceEvent::Remove(node) => {
                    self.wake(node);
                    let island = self.nodes[node as usize].island;
                    self.take(node);
                    if self.islands[island as usize].count == 0 {
                        self.destroy(island);
                    }
                }
                TraceEvent::Begin(edge, nodes) => {
                    nodes.iter().for_each(|&node| self.wake(node));
                    self.insert(edge, nodes);
                    let [a, b] = nodes.map(|node| self.root(self.nodes[node as usize].island));
                    if a != b {
                        self.islands[b as usize].parent = a;
                    }
                }
                TraceEvent::End(edge) => {
                    let node = self.edges[edge as usize].nodes[0];
                    self.wake(node);
                    self.remove(edge);
                    let island = self.root(self.nodes[node as usize].island);
                    self.islands[island as usize].removed += 1;
                }
                TraceEvent::Sleep(node) => self.nodes[node as usize].ready_since = self.step,
                TraceEvent::Wake(node) => {
                    self.wake(node);
                    self.nodes[node as usize].ready_since = NONE;
                }
            }
        }
    }

    /// Merges all islands that have a parent.
    pub(super) fn merge(&mut self) {
        for place in (0..self.awake.len()).rev() {
            let island = self.awake[place];
            let root = self.root(island);
            if root == island {
                continue;
            }
            let gone = self.islands[island as usize];
            let mut node = gone.head;
            while node != NONE {
                self.nodes[node as usize].island = root;
                node = self.nodes[node as usize].next;
            }
            let kept = &mut self.islands[root as usize];
            self.nodes[gone.head as usize].previous = kept.tail;
            self.nodes[kept.tail as usize].next = gone.head;
            kept.tail = gone.tail;
            kept.count += gone.count;
            kept.removed += gone.removed;
            // Other islands may still refer to it: its record is removed when all are merged.
            self.islands[island as usize].count = 0;
        }
        for place in (0..self.awake.len()).rev() {
            let island = self.awake[place];
            if self.islands[island as usize].count == 0 {
                self.destroy(island);
            }
        }
    }

    /// Chooses the island to split: the one whose node has been ready to sleep for longest.
    pub(super) fn choose(&mut self) {
        let sleepiness = |island: u32| {
            let ready = self
                .members(island)
                .map(|node| self.nodes[node as usize].ready_since);
            ready.min().filter(|&since| since != NONE)
        };
        let lost = self
            .awake
            .iter()
            .filter(|&&island| self.islands[island as usize].removed > 0);
        let bids = lost.filter_map(|&island| Some((sleepiness(island)?, island)));
        self.candidate = bids.min().map(|(_, island)| island);
    }

    /// Searches the chosen island and splits it into its connected components.
    pub(super) fn split(&mut self) {
        let Some(island) = self.candidate.take() else {
            return;
        };
        let mut open = std::mem::take(&mut self.open);
        open.clear();
        open.extend(self.members(island));
        for &node in &open {
            self.nodes[node as usize].island = NONE;
        }
        self.destroy(island);
        for &seed in &open {
            if self.nodes[seed as usize].island != NONE {
                continue;
            }
            let part = self.create();
            self.push(part, seed);
            self.stack.push(seed);
            while let Some(node) = self.stack.pop() {
                let mut end = self.nodes[node as usize].first_end;
                while end != NONE {
                    let edge = &self.edges[end as usize >> 1];
                    let other = edge.nodes[1 - (end & 1) as usize];
                    end = edge.next[(end & 1) as usize];
                    if self.nodes[other as usize].island == NONE {
                        self.push(part, other);
                        self.stack.push(other);
                    }
                }
            }
        }
        self.open = open;
    }

    /// Puts islands to sleep that lost no edge and whose nodes are all ready.
    pub(super) fn fall_asleep(&mut self) {
        for place in (0..self.awake.len()).rev() {
            let island = self.awake[place];
            let is_ready = |node: u32| self.nodes[node as usize].ready_since != NONE;
            if self.islands[island as usize].removed == 0 && self.members(island).all(is_ready) {
                self.leave_awake(island);
            }
        }
        self.step += 1;
    }

    fn members(&self, island: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.islands[island as usize].head;
        std::iter::from_fn(move || {
            let node = at;
            at = self.nodes.get(node as usize)?.next;
            Some(node)
        })
    }

    fn root(&mut self, mut island: u32) -> u32 {
        loop {
            let parent = self.islands[island as usize].parent;
            if parent == NONE {
                return island;
            }
            let above = self.islands[parent as usize].parent;
            if above != NONE {
                self.islands[island as usize].parent = above;
            }
            island = parent;
        }
    }

    fn wake(&mut self, node: u32) {
        let island = self.nodes[node as usize].island;
        if self.islands[island as usize].place == NONE {
            self.islands[island as usize].place = self.awake.len() as u32;
            self.awake.push(island);
        }
    }

    fn create(&mut self) -> u32 {
        let record = Island {
            parent: NONE,
            head: NONE,
            tail: NONE,
            count: 0,
            removed: 0,
            place: self.awake.len() as u32,
        };
        let island = self.free.pop().unwrap_or(self.islands.len() as u32);
        if island as usize == self.islands.len() {
            self.islands.push(record);
        } else {
            self.islands[island as usize] = record;
        }
        self.awake.push(island);
        island
    }

    fn destroy(&mut self, island: u32) {
        self.leave_awake(island);
        self.free.push(island);
    }

    fn leave_awake(&mut self, island: u32) {
        let place = std::mem::replace(&mut self.islands[island as usize].place, NONE);
        self.awake.swap_remove(place as usize);
        if let Some(&moved) = self.awake.get(place as usize) {
            self.islands[moved as usize].place = place;
        }
    }

    fn push(&mut self, island: u32, node: u32) {
        let record = &mut self.islands[island as usize];
        let tail = std::mem::replace(&mut record.tail, node);
        record.count += 1;
        if tail == NONE {
            record.head = node;
        } else {
            self.nodes[tail as usize].next = node;
        }
        let node = &mut self.nodes[node as usize];
        (node.island, node.next, node.previous) = (island, NONE, tail);
    }

    fn take(&mut self, node: u32) {
        let Node {
            island,
            next,
            previous,
            ..
        } = self.nodes[node as usize];
        let record = &mut self.islands[island as usize];
        record.count -= 1;
        match previous {
            NONE => record.head = next,
            previous => self.nodes[previous as usize].next = next,
        }
        match next {
            NONE => record.tail = previous,
            next => self.nodes[next as usize].previous = previous,
        }
    }

    fn insert(&mut self, edge: u32, nodes: [u32; 2]) {
        let mut record = Edge {
            nodes,
            next: [NONE; 2],
            previous: [NONE; 2],
        };
        self.edges
            .resize((edge as usize + 1).max(self.edges.len()), record);
        for (side, node) in nodes.into_iter().enumerate() {
            let end = edge * 2 + side as u32;
            let first = std::mem::replace(&mut self.nodes[node as usize].first_end, end);
            record.next[side] = first;
            if first != NONE {
                self.edges[first as usize >> 1].previous[(first & 1) as usize] = end;
            }
        }
        self.edges[edge as usize] = record;
    }

    fn remove(&mut self, edge: u32) {
        let record = self.edges[edge as usize];
        for side in 0..2 {
            let (next, previous) = (record.next[side], record.previous[side]);
            if next != NONE {
                self.edges[next as usize >> 1].previous[(next & 1) as usize] = previous;
            }
            match previous {
                NONE => self.nodes[record.nodes[side] as usize].first_end = next,
                previous => self.edges[previous as usize >> 1].next[(previous & 1) as usize] = next,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_splits_and_sleeps() {
        let mut islands = DeferredMerge::default();
        let mut events: Vec<TraceEvent> = (0..6).map(TraceEvent::Add).collect();
        let edges = [[4, 1], [1, 2], [5, 3], [2, 4]];
        events.extend((0..4).map(|edge| TraceEvent::Begin(edge, edges[edge as usize])));
        islands.apply(&events);
        islands.merge();
        let mut counts: Vec<u32> = islands
            .awake
            .iter()
            .map(|&island| islands.islands[island as usize].count)
            .collect();
        counts.sort_unstable();
        assert_eq!(counts, [1, 2, 3]);

        events = [1, 2, 4].map(TraceEvent::Sleep).to_vec();
        events.extend([0, 1].map(TraceEvent::End));
        islands.apply(&events);
        islands.merge();
        islands.choose();
        islands.split();
        islands.fall_asleep();
        assert_eq!(
            islands.awake.len(),
            2,
            "1 sleeps, and 2 with 4; 0, and 3 with 5, do not"
        );
        let [a, b] = [2, 4].map(|node| islands.nodes[node as usize].island);
        assert!(a == b && islands.islands[a as usize].count == 2);
    }
}
