//! Checks the invariants that hold between any two calls, by walking all records. Reads only.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::graph::{Edge, GAPS, REAL, TREE};
use super::list::{Links, List, NONE};
use super::record::IslandRecords;
use super::{CorruptIslands, IslandAlgorithm, Islands};

/// Returns an error with the message unless the invariant holds.
macro_rules! hold {
    ($condition:expr, $($what:tt)+) => {
        if !$condition {
            return Err(format!($($what)+));
        }
    };
}

impl Islands {
    /// Checks every invariant of every record: for a state that was read from outside, and in tests.
    ///
    /// Cost: O(nodes, edges and islands).
    ///
    /// # Errors
    ///
    /// [`CorruptIslands`] names the first invariant that does not hold.
    pub fn validate(&self) -> Result<(), CorruptIslands> {
        self.check_edges()
            .and_then(|()| self.check_ends(REAL))
            .and_then(|()| self.check_ends(GAPS))
            .and_then(|()| self.check_islands())
            .and_then(|()| self.check_free())
            .and_then(|()| self.check_debt())
            .and_then(|()| self.check_packed())
            .and_then(|()| match self.algorithm {
                IslandAlgorithm::Persistent => self.check_trees(),
                _ => self.check_no_trees(),
            })
            .map_err(|what| CorruptIslands { what })
    }

    /// Checks that the work above the budget is at most that of one search.
    fn check_debt(&self) -> Result<(), String> {
        let units = (self.graph.nodes.len() + 2 * self.graph.edges[REAL].len()) as u64;
        hold!(
            self.head.stale <= u32::from(self.algorithm != IslandAlgorithm::Persistent),
            "islands are to be found anew under an algorithm that has none of that"
        );
        hold!(
            self.head.debt <= 8 * units,
            "a debt of {} units among {units} nodes and ends",
            self.head.debt
        );
        Ok(())
    }

    fn check_edges(&self) -> Result<(), String> {
        for (kind, edges) in self.graph.edges.iter().enumerate() {
            for (index, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.is_live()) {
                let [a, b] = edge.nodes.map(|node| self.island_of(node));
                hold!(
                    a.is_some() && b.is_some(),
                    "edge {index} leads to a node that does not exist"
                );
                let waiting =
                    self.head.stale != 0 && [a, b].iter().flatten().all(|&island| !self.is_asleep(island));
                hold!(
                    a == b || waiting,
                    "edge {index} leads from island {a:?} to island {b:?}"
                );
                hold!(
                    edge.nodes[0] != edge.nodes[1],
                    "edge {index} leads from a node to itself"
                );
                let known = if kind == REAL { TREE } else { 0 };
                hold!(
                    edge.flags & !known == 0,
                    "edge {index} has flags that there are none of"
                );
            }
        }
        let live = self.graph.edges[REAL]
            .iter()
            .filter(|edge| edge.is_live())
            .count() as u32;
        hold!(
            live == self.head.edge_count,
            "{live} edges, {} counted",
            self.head.edge_count
        );
        Ok(())
    }

    /// Checks that each end is in the list of its node, exactly once.
    fn check_ends(&self, kind: usize) -> Result<(), String> {
        let mut ends = 0;
        for (index, node) in self.graph.nodes.iter().enumerate() {
            let (mut key, mut before, mut count, mut trees) = (node.first_end[kind], NONE, 0, 0);
            hold!(
                node.island != NONE || key == NONE,
                "node {index} is gone and has edges"
            );
            while key != NONE {
                let (edge, side) = (key >> 1, (key & 1) as usize);
                let Some(record) = self.graph.edges[kind]
                    .get(edge as usize)
                    .filter(|record| record.is_live())
                else {
                    return Err(format!("node {index} lists edge {edge}, which does not exist"));
                };
                hold!(
                    record.nodes[side] == index as u32,
                    "node {index} lists an end at another node"
                );
                hold!(
                    record.previous[side] == before,
                    "edge {edge} names a wrong end before it"
                );
                count += 1;
                trees += u32::from(record.is_tree());
                hold!(
                    count <= node.end_count[kind],
                    "node {index} lists more ends than it counts"
                );
                (before, key) = (key, record.next[side]);
            }
            hold!(
                count == node.end_count[kind],
                "node {index} lists {count} ends, not as many as it counts"
            );
            hold!(
                kind == GAPS || trees == node.tree_count,
                "node {index} has {trees} tree edges"
            );
            ends += count;
        }
        let live = self.graph.edges[kind]
            .iter()
            .filter(|edge| edge.is_live())
            .count() as u32;
        hold!(ends == live * 2, "{ends} ends are listed of {live} edges");
        Ok(())
    }

    fn check_islands(&self) -> Result<(), String> {
        let (mut nodes, mut gaps) = (0, 0);
        for index in self.islands() {
            let record = &self.records.islands[index as usize];
            let members = walk_list(record.members, |node| {
                Some(self.graph.nodes.get(node as usize)?.links)
            })?;
            let foreign = members.iter().find(|&&node| self.island_of(node) != Some(index));
            hold!(
                foreign.is_none(),
                "island {index} lists node {foreign:?}, which is elsewhere"
            );
            let first_ends =
                |node: u32| self.graph.ends(REAL, node).filter(|end| end.side == 0).count() as u32;
            let edges: u32 = members.iter().map(|&node| first_ends(node)).sum();
            hold!(
                edges == record.edge_count,
                "island {index} counts {} edges, not {edges}",
                record.edge_count
            );
            for gap in walk_list(record.gaps, |gap| {
                self.records.gap_links.get(gap as usize).copied()
            })? {
                let ends = self.graph.edges[GAPS].get(gap as usize).map(|edge| edge.nodes);
                let island = ends.and_then(|[node, _]| self.island_of(node));
                hold!(
                    island == Some(index),
                    "island {index} lists gap {gap}, which is elsewhere"
                );
            }
            if record.place != NONE {
                let listed = self.records.awake.get(record.place as usize);
                hold!(
                    listed == Some(&index),
                    "island {index} is not where it says it is among those awake"
                );
            }
            nodes += record.members.count;
            gaps += record.gaps.count;
        }
        let live = self.graph.nodes.iter().filter(|node| node.island != NONE).count() as u32;
        hold!(nodes == live, "{live} nodes, {nodes} in islands");
        hold!(
            nodes == self.head.node_count,
            "{nodes} nodes, {} counted",
            self.head.node_count
        );
        let live = self.graph.edges[GAPS].iter().filter(|gap| gap.is_live()).count() as u32;
        hold!(gaps == live, "{live} gaps, {gaps} in islands");
        let awake = self.islands().filter(|&island| !self.is_asleep(island)).count();
        hold!(
            awake == self.records.awake.len(),
            "{awake} islands are awake, {} listed",
            self.records.awake.len()
        );
        Ok(())
    }

    /// Checks that all records that are not in use are in a free list.
    fn check_free(&self) -> Result<(), String> {
        let IslandRecords {
            islands,
            gap_links,
            first_free,
            ..
        } = &self.records;
        let free = islands.iter().filter(|record| !record.is_live()).count();
        let next = |at: u32| Some(islands.get(at as usize).filter(|record| !record.is_live())?.place);
        hold!(
            count_chain(first_free.island, free, next) == Some(free),
            "free islands are not all listed"
        );
        let gaps = &self.graph.edges[GAPS];
        hold!(
            gaps.len() == gap_links.len(),
            "{} gaps, {} links of gaps",
            gaps.len(),
            gap_links.len()
        );
        let free = gaps.iter().filter(|gap| !gap.is_live()).count();
        let next = |at: u32| {
            let gone = gaps.get(at as usize).is_some_and(|gap| !gap.is_live());
            gone.then(|| gap_links[at as usize].next)
        };
        hold!(
            count_chain(first_free.gap, free, next) == Some(free),
            "free gaps are not all listed"
        );
        Ok(())
    }

    /// Checks that the packed edges are those between awake nodes, if they are maintained.
    fn check_packed(&self) -> Result<(), String> {
        let awake =
            |edge: &Edge| edge.is_live() && self.island_of(edge.nodes[0]).is_some_and(|i| !self.is_asleep(i));
        let keeps = self.algorithm.packs_edges();
        let expected = self.graph.edges[REAL]
            .iter()
            .filter(|edge| keeps && awake(edge))
            .count();
        hold!(
            self.packed.edges.len() == expected,
            "{} packed edges, not {expected}",
            self.packed.edges.len()
        );
        let placed = self.packed.places.iter().filter(|&&place| place != NONE).count();
        hold!(
            placed == expected,
            "{placed} edges have a place among {expected} packed ones"
        );
        for (place, packed) in self.packed.edges.iter().enumerate() {
            let edge = packed.edge;
            hold!(
                self.edge_nodes(edge) == Some(packed.nodes),
                "edge {edge} is packed with wrong nodes"
            );
            hold!(
                self.packed.places.get(edge as usize) == Some(&(place as u32)),
                "edge {edge} is packed elsewhere"
            );
        }
        Ok(())
    }

    /// Checks that no island has gaps if no trees are maintained.
    fn check_no_trees(&self) -> Result<(), String> {
        hold!(
            self.records.islands.iter().all(|island| island.gaps.count == 0),
            "there are gaps without a tree"
        );
        Ok(())
    }

    /// Checks that tree edges and gaps span each island that did not give its tree up, and have no cycle.
    fn check_trees(&self) -> Result<(), String> {
        let mut seen = vec![false; self.graph.nodes.len()];
        let mut stack = vec![];
        for index in self.islands() {
            let record = &self.records.islands[index as usize];
            hold!(
                record.lost_count == 0 || record.members.count > 1,
                "island {index} gave up the tree of one node"
            );
            if !record.has_tree() {
                continue;
            }
            let (mut nodes, mut ends) = (0, 0);
            seen[record.members.head as usize] = true;
            stack.push(record.members.head);
            while let Some(node) = stack.pop() {
                nodes += 1;
                let tree = self.graph.ends(REAL, node).filter(|end| end.is_tree);
                for end in tree.chain(self.graph.ends(GAPS, node)) {
                    ends += 1;
                    if !core::mem::replace(&mut seen[end.other as usize], true) {
                        stack.push(end.other);
                    }
                }
            }
            hold!(
                nodes == record.members.count,
                "the tree of island {index} reaches {nodes} of its nodes"
            );
            hold!(ends == 2 * (nodes - 1), "the tree of island {index} has a cycle");
        }
        Ok(())
    }
}

/// The records of a list, walked forward; the links back are checked.
fn walk_list(list: List, links: impl Fn(u32) -> Option<Links>) -> Result<Vec<u32>, String> {
    let (mut at, mut before, mut found) = (list.head, NONE, vec![]);
    while at != NONE {
        let Some(Links { next, previous }) = links(at) else {
            return Err(format!("a list leads to record {at}, which does not exist"));
        };
        hold!(
            previous == before,
            "record {at} names a wrong one before it in its list"
        );
        found.push(at);
        hold!(
            found.len() <= list.count as usize,
            "a list is longer than its count of {}",
            list.count
        );
        (before, at) = (at, next);
    }
    hold!(
        list.tail == before,
        "a list that begins at {} names a wrong last record",
        list.head
    );
    hold!(
        found.len() == list.count as usize,
        "a list counts {} records, not {}",
        list.count,
        found.len()
    );
    Ok(found)
}

/// The number of records of a free list; `None` if it leads to a record in use or is longer than `count_max`.
fn count_chain(first: u32, count_max: usize, next: impl Fn(u32) -> Option<u32>) -> Option<usize> {
    let (mut at, mut count) = (first, 0);
    while at != NONE {
        count += 1;
        at = next(at).filter(|_| count <= count_max)?;
    }
    Some(count)
}
