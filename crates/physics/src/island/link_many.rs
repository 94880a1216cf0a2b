//! Links many edges at once, for steps in which many contacts begin to touch.
//!
//! Linked one by one, an edge between two islands labels the nodes of the smaller one anew, and each edge is checked,
//! marked and counted individually. Here an island that is merged into another only records its parent, as in a
//! union-find (the deferred merging of Erin Catto, "Simulation Islands", 2023), and its nodes are labeled once, when
//! all edges are linked; an island of one node is labeled at once. The resulting state is the same as if the edges had
//! been linked one by one: indices, the order of awake and of free islands, members, the spanning tree. `rebuild.rs` and
//! `split.rs` are not involved.

use alloc::vec::Vec;

use super::graph::{Edge, INDEX_MAX, IslandNode, REAL, TREE};
use super::list::{Links, List, NONE};
use super::new_edge::{Gone, LinkScratch, NOT_MERGED, NewEdge};
use super::record::Island;
use super::{IslandError, Islands};
use crate::persistent::PlainArray;
use crate::zeros::fit_zeros;

impl Islands {
    /// Links each edge in order, like [`link`](Self::link). O(1) for an edge inside an island, and for each merge; each
    /// node of an island that is merged into another is labeled once, where [`link`](Self::link) may label it log₂ n
    /// times.
    ///
    /// # Errors
    ///
    /// In the same cases as [`link`](Self::link), for the first edge that has an error; those before it are linked.
    pub fn link_many(&mut self, edges: impl Iterator<Item = NewEdge> + Clone) -> Result<(), IslandError> {
        let last = edges.clone().map(|new| new.edge).max();
        let fits = last.is_some_and(|last| last < INDEX_MAX);
        if !fits || !self.keeps_tree() {
            return self.link_each(edges);
        }
        self.graph.edges[REAL].grow_to(last.unwrap_or(0) as usize, Edge::EMPTY);
        let (mut result, mut edges) = (Ok(()), edges);
        while result.is_ok() {
            let mut linker = self.linker();
            let refused = edges.find(|&new| !linker.link(new));
            linker.label_gone();
            let Some(NewEdge { edge, nodes: [a, b] }) = refused else {
                break;
            };
            // The edge has an error, or an island has to be searched first, for which it must be labeled.
            result = self.link(edge, a, b).map(drop);
        }
        self.debug_validate();
        result
    }

    fn link_each(&mut self, mut edges: impl Iterator<Item = NewEdge>) -> Result<(), IslandError> {
        edges.try_for_each(|NewEdge { edge, nodes: [a, b] }| self.link(edge, a, b).map(drop))
    }

    fn linker(&mut self) -> Linker<'_> {
        let LinkScratch { parents, gone } = &mut self.link_scratch;
        fit_zeros(parents, self.records.islands.len());
        Linker {
            nodes: &mut self.graph.nodes,
            edges: &mut self.graph.edges[REAL],
            islands: &mut self.records.islands,
            awake: &mut self.records.awake,
            gap_links: &mut self.records.gap_links,
            first_free: &mut self.records.first_free.island,
            edge_count: &mut self.head.edge_count,
            parents,
            gone,
        }
    }
}

/// The arrays that linking many edges changes.
struct Linker<'a> {
    nodes: &'a mut PlainArray<IslandNode>,
    edges: &'a mut PlainArray<Edge>,
    islands: &'a mut PlainArray<Island>,
    awake: &'a mut PlainArray<u32>,
    gap_links: &'a mut PlainArray<Links>,
    first_free: &'a mut u32,
    edge_count: &'a mut u32,
    parents: &'a mut [u32],
    gone: &'a mut Vec<Gone>,
}

impl Linker<'_> {
    /// Links an edge without labeling; or returns false and changes nothing, if the edge needs the general case.
    #[inline]
    fn link(&mut self, NewEdge { edge, nodes }: NewEdge) -> bool {
        let Some([a, b]) = self.nodes.pair_mut(nodes) else {
            return false;
        };
        let record = &mut self.edges[edge as usize];
        if a.island == NONE || b.island == NONE || record.is_live() {
            return false;
        }
        let roots = [a.island, b.island].map(|island| root(self.parents, island));
        let joins = roots[0] != roots[1];
        if joins && !may_merge(roots.map(|root| &self.islands[root as usize])) {
            return false;
        }
        let flags = if joins { TREE } else { 0 };
        let keys = [edge * 2, edge * 2 + 1];
        let next = [(a, keys[0]), (b, keys[1])].map(|(node, key)| {
            node.end_count[REAL] += 1;
            node.tree_count += flags;
            core::mem::replace(&mut node.first_end[REAL], key)
        });
        *record = Edge {
            nodes,
            next,
            previous: [NONE; 2],
            flags,
        };
        for (next, key) in next.into_iter().zip(keys) {
            if next != NONE {
                self.edges[(next >> 1) as usize].previous[(next & 1) as usize] = key;
            }
        }
        let island = if joins { self.merge(roots) } else { roots[0] };
        self.islands[island as usize].edge_count += 1;
        *self.edge_count += 1;
        true
    }

    /// Merges two islands like `IslandRecords::merge`, without labeling; returns the island that remains.
    #[inline]
    fn merge(&mut self, roots: [u32; 2]) -> u32 {
        let [a, b] = roots.map(|root| self.islands[root as usize].members.count);
        let [large, small] = if a >= b { roots } else { [roots[1], roots[0]] };
        let [stays, emptied] = self
            .islands
            .pair_mut([large, small])
            .expect("two islands that there are");
        let gone = *emptied;
        emptied.members = List::EMPTY;
        emptied.edge_count = 0;
        emptied.place = core::mem::replace(self.first_free, small);
        self.nodes[gone.members.head as usize].links.previous = stays.members.tail;
        self.nodes[stays.members.tail as usize].links.next = gone.members.head;
        stays.members.tail = gone.members.tail;
        stays.members.count += gone.members.count;
        stays.edge_count += gone.edge_count;
        if gone.gaps.count > 0 {
            stays.gaps.append(self.gap_links, gone.gaps);
            self.islands[small as usize].gaps = List::EMPTY;
        }
        if gone.place != NONE {
            self.awake.swap_remove(gone.place as usize);
            if let Some(&moved) = self.awake.get(gone.place as usize) {
                self.islands[moved as usize].place = gone.place;
            }
        }
        if gone.members.count == 1 {
            // Nothing else refers to an island of one node, the usual case where bodies were just created.
            self.nodes[gone.members.head as usize].island = large;
        } else {
            self.parents[small as usize] = large + 1;
            self.gone.push(Gone {
                island: small,
                first: gone.members.head,
                last: gone.members.tail,
            });
        }
        large
    }

    /// Labels the nodes of all islands that were merged into others. The last merged come first: their members include
    /// those of the islands merged into them earlier, which can then be recognized by their labels.
    fn label_gone(self) {
        for &Gone { island, first, last } in self.gone.iter().rev() {
            let parent = self.parents[island as usize];
            let label = match self.parents[parent as usize - 1] {
                NOT_MERGED => parent,
                root => root,
            };
            self.parents[island as usize] = label;
            let label = label - 1;
            let mut at = first;
            while self.nodes[at as usize].island != label {
                self.nodes[at as usize].island = label;
                if at == last {
                    break;
                }
                at = self.nodes[at as usize].links.next;
            }
        }
        for gone in self.gone.drain(..) {
            self.parents[gone.island as usize] = NOT_MERGED;
        }
    }
}

/// Whether two islands are both awake or both asleep, and each has a tree.
#[inline]
fn may_merge([a, b]: [&Island; 2]) -> bool {
    a.is_asleep() == b.is_asleep() && a.has_tree() && b.has_tree()
}

/// The island that now has the members of `island`. Halves the path.
#[inline]
fn root(parents: &mut [u32], mut island: u32) -> u32 {
    loop {
        let parent = parents[island as usize];
        if parent == NOT_MERGED {
            return island;
        }
        let above = parents[parent as usize - 1];
        if above == NOT_MERGED {
            return parent - 1;
        }
        parents[island as usize] = above;
        island = above - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::island::{IslandAlgorithm, WorkBudget};
    use crate::persistent::{Image, Persistent};

    /// The persistent state. The array of edges may be longer by records that are not in use.
    fn kept(islands: &Islands) -> impl PartialEq + core::fmt::Debug + '_ {
        let (graph, records) = (&islands.graph, &islands.records);
        let live = graph.edges[REAL].iter().rposition(Edge::is_live);
        let edges = graph.edges[REAL].slice(0..live.map_or(0, |last| last + 1));
        let gaps = (&graph.edges[1], &records.gap_links);
        let lists = (&records.islands, &records.awake, &records.first_free);
        (&graph.nodes, edges, gaps, lists, &islands.head)
    }

    /// Uses islands after many links, unlinks, sleeps and splits, and new edges that fit, that exist already, and that
    /// are never valid.
    #[test]
    fn many_edges_at_once_leave_what_one_by_one_leaves() {
        let mut state = 5_u64;
        let mut below = |end: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 33) % u64::from(end)) as u32
        };
        let (mut linked, mut refused, mut without_tree) = (0, 0, 0);
        for round in 0..600 {
            let algorithm = IslandAlgorithm::ALL[if round % 8 == 0 { round / 8 % 4 } else { 0 }];
            let mut islands = Islands::new(algorithm);
            let (node_count, spread) = (2 + below(120), 1 + below(40));
            for node in 0..node_count {
                islands.add_node(node).unwrap();
            }
            for call in 0..below(400) {
                let (node, edge) = (below(node_count), below(200));
                match below(8) {
                    0..4 => drop(islands.link(edge, node, (node + 1 + below(spread)) % node_count)),
                    4..7 => drop(islands.unlink(edge)),
                    _ if round % 3 == 0 && call % 3 > 0 => {
                        let island = islands.island_of(node).unwrap();
                        islands.split_islands(WorkBudget::UNLIMITED, &[island]);
                        let _ = islands.sleep(island);
                    }
                    _ => {}
                }
            }
            let edges: Vec<NewEdge> = (0..1 + below(150))
                .map(|edge| {
                    let node = below(node_count);
                    let is_bad = below(800) == 0;
                    NewEdge {
                        edge: if is_bad { below(200) } else { 200 + edge },
                        nodes: [node, (node + below(spread) + u32::from(!is_bad)) % node_count],
                    }
                })
                .collect();
            let mut one_by_one = islands.clone();
            without_tree += u32::from(islands.records.islands.iter().any(|record| !record.has_tree()));
            let expected = one_by_one.link_each(edges.iter().copied());
            let mut frame = Image::default();
            if round % 2 == 0 {
                frame.take_over(|visitor| islands.visit("islands", visitor));
                islands.marks(&mut |marks| marks.begin());
            }
            let result = islands.link_many(edges.iter().copied());
            // With debug assertions it stops at a page that has changed and is not marked.
            frame.take_over(|visitor| islands.visit("islands", visitor));
            assert_eq!(result, expected, "round {round}");
            assert!(kept(&islands) == kept(&one_by_one), "round {round}");
            islands.validate().unwrap();
            linked += u32::from(result.is_ok());
            refused += u32::from(result.is_err());
            // Leftovers in its scratch memory do not affect later calls.
            let more = edges.iter().map(|new| NewEdge {
                edge: new.edge + 500,
                ..*new
            });
            assert_eq!(islands.link_many(more.clone()), one_by_one.link_each(more));
            assert!(kept(&islands) == kept(&one_by_one), "round {round}, again");
        }
        assert!(
            linked > 100 && refused > 100 && without_tree > 100,
            "{linked} {refused} {without_tree}"
        );
    }

    #[test]
    fn no_edge_and_one_that_is_out_of_range() {
        let mut islands = Islands::default();
        assert_eq!(islands.link_many(core::iter::empty()), Ok(()));
        let new = NewEdge {
            edge: u32::MAX,
            nodes: [0, 1],
        };
        let refused = islands.link_many(core::iter::once(new));
        assert_eq!(refused, Err(IslandError::IndexTooLarge(u32::MAX)));
    }
}
