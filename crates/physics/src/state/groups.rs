//! [`Persistent`](crate::persistent::Persistent) for each group of the state's arrays: the order and names of the
//! arrays in saves.

use crate::broad_phase::BroadPhase;
use crate::concave_polygon::ConcavePolygonPool;
use crate::contact::graph::{Color, ConstraintGraph};
use crate::contact::pool::ContactPool;
use crate::island::{IslandAlgorithm, Islands};
use crate::persistent::{ArrayView, Marks, Overwrite, Persistent, RestoreError, Source, view};
use crate::tile_grid::TileGridPool;
use alloc::vec::Vec;

impl Persistent for ContactPool {
    fn visit(&self, group: &'static str, visitor: &mut dyn FnMut(ArrayView<'_>)) {
        self.links.visit(group, visitor);
        self.contacts.visit_part(group, "contacts", visitor);
        self.cached_manifolds
            .visit_part(group, "cached_manifolds", visitor);
        self.awake_count.visit_part(group, "awake_count", visitor);
    }

    fn restore(group: &'static str, source: &mut Source<'_>) -> Result<Self, RestoreError> {
        Ok(Self {
            links: Persistent::restore(group, source)?,
            contacts: source.array(group, "contacts")?.into(),
            cached_manifolds: source.array(group, "cached_manifolds")?.into(),
            awake_count: Vec::from([source.single::<u32>(group, "awake_count")?]).into(),
        })
    }

    fn overwrite(&mut self, source: &mut Overwrite<'_>) {
        self.links.overwrite(source);
        self.contacts.overwrite_part("contacts", source);
        self.cached_manifolds.overwrite_part("cached_manifolds", source);
        self.awake_count.overwrite_part("awake_count", source);
    }

    fn marks(&mut self, visitor: &mut dyn FnMut(&mut Marks)) {
        self.links.marks(visitor);
        self.contacts.marks(visitor);
        self.cached_manifolds.marks(visitor);
        self.awake_count.marks(visitor);
    }
}

impl Persistent for ConcavePolygonPool {
    fn visit(&self, group: &'static str, visitor: &mut dyn FnMut(ArrayView<'_>)) {
        self.records.visit(group, visitor);
        self.points.visit_part(group, "points", visitor);
        self.loop_ends.visit_part(group, "loop_ends", visitor);
        self.live.visit_part(group, "live", visitor);
    }

    fn restore(group: &'static str, source: &mut Source<'_>) -> Result<Self, RestoreError> {
        Ok(Self {
            records: Persistent::restore(group, source)?,
            points: source.array(group, "points")?.into(),
            loop_ends: source.array(group, "loop_ends")?.into(),
            live: source.array(group, "live")?.into(),
        })
    }

    fn overwrite(&mut self, source: &mut Overwrite<'_>) {
        self.records.overwrite(source);
        self.points.overwrite_part("points", source);
        self.loop_ends.overwrite_part("loop_ends", source);
        self.live.overwrite_part("live", source);
    }

    fn marks(&mut self, visitor: &mut dyn FnMut(&mut Marks)) {
        self.records.marks(visitor);
        self.points.marks(visitor);
        self.loop_ends.marks(visitor);
        self.live.marks(visitor);
    }
}

impl Persistent for TileGridPool {
    fn visit(&self, group: &'static str, visitor: &mut dyn FnMut(ArrayView<'_>)) {
        self.records.visit(group, visitor);
        self.tiles.visit_part(group, "tiles", visitor);
        self.chunks.visit_part(group, "chunks", visitor);
        self.cells.visit_part(group, "cells", visitor);
        self.free_blocks.visit_part(group, "free_blocks", visitor);
        self.spans.visit_part(group, "spans", visitor);
    }

    fn restore(group: &'static str, source: &mut Source<'_>) -> Result<Self, RestoreError> {
        Ok(Self {
            records: Persistent::restore(group, source)?,
            tiles: source.array(group, "tiles")?.into(),
            chunks: source.array(group, "chunks")?.into(),
            cells: source.array(group, "cells")?.into(),
            free_blocks: source.array(group, "free_blocks")?.into(),
            spans: source.array(group, "spans")?.into(),
        })
    }

    fn overwrite(&mut self, source: &mut Overwrite<'_>) {
        self.records.overwrite(source);
        self.tiles.overwrite_part("tiles", source);
        self.chunks.overwrite_part("chunks", source);
        self.cells.overwrite_part("cells", source);
        self.free_blocks.overwrite_part("free_blocks", source);
        self.spans.overwrite_part("spans", source);
    }

    fn marks(&mut self, visitor: &mut dyn FnMut(&mut Marks)) {
        self.records.marks(visitor);
        self.tiles.marks(visitor);
        self.chunks.marks(visitor);
        self.cells.marks(visitor);
        self.free_blocks.marks(visitor);
        self.spans.marks(visitor);
    }
}

impl Persistent for ConstraintGraph {
    fn visit(&self, group: &'static str, visitor: &mut dyn FnMut(ArrayView<'_>)) {
        for color in &self.colors {
            color.contacts.visit_part(group, "contacts", visitor);
            for joints in &color.joints {
                joints.visit_part(group, "joints", visitor);
            }
        }
    }

    fn restore(group: &'static str, source: &mut Source<'_>) -> Result<Self, RestoreError> {
        let mut graph = Self::default();
        for Color { contacts, joints } in &mut graph.colors {
            *contacts = source.array(group, "contacts")?.into();
            for joints in joints {
                *joints = source.array(group, "joints")?.into();
            }
        }
        Ok(graph)
    }

    fn overwrite(&mut self, source: &mut Overwrite<'_>) {
        for Color { contacts, joints } in &mut self.colors {
            contacts.overwrite_part("contacts", source);
            for joints in joints {
                joints.overwrite_part("joints", source);
            }
        }
    }

    fn marks(&mut self, visitor: &mut dyn FnMut(&mut Marks)) {
        for Color { contacts, joints } in &mut self.colors {
            contacts.marks(visitor);
            joints.iter_mut().for_each(|joints| joints.marks(visitor));
        }
    }
}

impl Persistent for BroadPhase {
    fn visit(&self, group: &'static str, visitor: &mut dyn FnMut(ArrayView<'_>)) {
        for tree in &self.trees {
            let marks = tree.marks();
            visitor(view(group, "nodes", &tree.nodes).with_marks(&marks.nodes));
            visitor(view(group, "previous", &tree.previous).with_marks(&marks.previous));
            visitor(view(group, "items", &tree.items).with_marks(&marks.items));
            visitor(view(group, "counts", &tree.counts));
        }
        self.proxies.visit_part(group, "proxies", visitor);
        self.boxes.visit_part(group, "boxes", visitor);
        self.free.visit_part(group, "free", visitor);
    }

    fn restore(group: &'static str, source: &mut Source<'_>) -> Result<Self, RestoreError> {
        let mut broad_phase = Self::default();
        for tree in &mut broad_phase.trees {
            tree.nodes = source.array(group, "nodes")?;
            tree.previous = source.array(group, "previous")?;
            tree.items = source.array(group, "items")?;
            tree.counts = [source.single(group, "counts")?];
        }
        broad_phase.proxies = source.array(group, "proxies")?.into();
        broad_phase.boxes = source.array(group, "boxes")?.into();
        broad_phase.free = source.array(group, "free")?.into();
        Ok(broad_phase)
    }

    fn overwrite(&mut self, source: &mut Overwrite<'_>) {
        for tree in &mut self.trees {
            let (tree, marks) = tree.overwritten_mut();
            source.array("nodes", &mut tree.nodes, Some(&marks.nodes));
            source.array("previous", &mut tree.previous, Some(&marks.previous));
            source.array("items", &mut tree.items, Some(&marks.items));
            source.single("counts", &mut tree.counts[0]);
        }
        self.proxies.overwrite_part("proxies", source);
        self.boxes.overwrite_part("boxes", source);
        self.free.overwrite_part("free", source);
    }

    fn marks(&mut self, visitor: &mut dyn FnMut(&mut Marks)) {
        for tree in &mut self.trees {
            let (_, marks) = tree.unmarked_mut();
            [&mut marks.nodes, &mut marks.previous, &mut marks.items]
                .into_iter()
                .for_each(&mut *visitor);
        }
        self.proxies.marks(visitor);
        self.boxes.marks(visitor);
        self.free.marks(visitor);
    }
}

/// The name of the group of islands.
const ISLANDS: &str = "islands";

/// Whether a group is in no hash: the bookkeeping of islands, which differs between their algorithms, and the names of
/// bodies, which have no effect on the simulation.
pub(crate) fn is_bookkeeping(group: &str) -> bool {
    [ISLANDS, "body_names"].contains(&group)
}

impl Persistent for Islands {
    fn visit(&self, group: &'static str, visitor: &mut dyn FnMut(ArrayView<'_>)) {
        debug_assert_eq!(group, ISLANDS);
        visitor(view(group, "algorithm", &[self.algorithm() as u32]));
        visitor(view(group, "head", &[self.head]));
        self.graph.nodes.visit_part(group, "nodes", visitor);
        self.graph.edges[0].visit_part(group, "edges", visitor);
        self.graph.edges[1].visit_part(group, "gaps", visitor);
        self.records.islands.visit_part(group, "records", visitor);
        self.records.awake.visit_part(group, "awake", visitor);
        self.records.gap_links.visit_part(group, "gap_links", visitor);
        visitor(view(group, "free", &[self.records.first_free]));
        self.packed.edges.visit_part(group, "packed", visitor);
        self.packed.places.visit_part(group, "packed_places", visitor);
    }

    fn restore(group: &'static str, source: &mut Source<'_>) -> Result<Self, RestoreError> {
        let number = source.single::<u32>(group, "algorithm")?;
        let algorithm = IslandAlgorithm::ALL
            .into_iter()
            .find(|&algorithm| algorithm as u32 == number);
        let mut islands =
            Self::new(algorithm.ok_or(RestoreError::mismatch(group, "algorithm", "an unknown algorithm"))?);
        islands.head = source.single(group, "head")?;
        islands.graph.nodes = source.array(group, "nodes")?.into();
        islands.graph.edges = [
            source.array(group, "edges")?.into(),
            source.array(group, "gaps")?.into(),
        ];
        islands.records.islands = source.array(group, "records")?.into();
        islands.records.awake = source.array(group, "awake")?.into();
        islands.records.gap_links = source.array(group, "gap_links")?.into();
        islands.records.first_free = source.single(group, "free")?;
        islands.packed.edges = source.array(group, "packed")?.into();
        islands.packed.places = source.array(group, "packed_places")?.into();
        Ok(islands)
    }

    fn overwrite(&mut self, source: &mut Overwrite<'_>) {
        let number = source.number("algorithm");
        let algorithm = IslandAlgorithm::ALL
            .into_iter()
            .find(|&algorithm| algorithm as u32 == number);
        self.set_algorithm(algorithm.expect("an image of a world"));
        source.single("head", &mut self.head);
        self.graph.nodes.overwrite_part("nodes", source);
        self.graph.edges[0].overwrite_part("edges", source);
        self.graph.edges[1].overwrite_part("gaps", source);
        self.records.islands.overwrite_part("records", source);
        self.records.awake.overwrite_part("awake", source);
        self.records.gap_links.overwrite_part("gap_links", source);
        source.single("free", &mut self.records.first_free);
        self.packed.edges.overwrite_part("packed", source);
        self.packed.places.overwrite_part("packed_places", source);
    }

    fn marks(&mut self, visitor: &mut dyn FnMut(&mut Marks)) {
        self.graph.nodes.marks(visitor);
        self.graph.edges.iter_mut().for_each(|edges| edges.marks(visitor));
        self.records.islands.marks(visitor);
        self.records.awake.marks(visitor);
        self.records.gap_links.marks(visitor);
        self.packed.edges.marks(visitor);
        self.packed.places.marks(visitor);
    }
}
