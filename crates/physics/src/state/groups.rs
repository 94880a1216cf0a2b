//! How each group of persistent arrays lists its arrays.

use crate::broad_phase::BroadPhase;
use crate::concave_polygon::ConcavePolygonPool;
use crate::contact::graph::{Color, ConstraintGraph};
use crate::contact::pool::ContactPool;
use crate::island::{IslandAlgorithm, Islands};
use crate::persistent::{ArrayView, Marks, Overwrite, Persistent, RestoreError, Source, view};
use alloc::vec::Vec;
use tombolo_geometry::bvh::Tree;

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
        for Tree {
            nodes,
            previous,
            items,
            counts,
        } in &self.trees
        {
            visitor(view(group, "nodes", nodes));
            visitor(view(group, "previous", previous));
            visitor(view(group, "items", items));
            visitor(view(group, "counts", counts));
        }
        visitor(view(group, "proxies", &self.proxies));
        visitor(view(group, "boxes", &self.boxes));
        visitor(view(group, "free", &self.free));
    }

    fn restore(group: &'static str, source: &mut Source<'_>) -> Result<Self, RestoreError> {
        let mut broad_phase = Self::default();
        for tree in &mut broad_phase.trees {
            tree.nodes = source.array(group, "nodes")?;
            tree.previous = source.array(group, "previous")?;
            tree.items = source.array(group, "items")?;
            tree.counts = [source.single(group, "counts")?];
        }
        broad_phase.proxies = source.array(group, "proxies")?;
        broad_phase.boxes = source.array(group, "boxes")?;
        broad_phase.free = source.array(group, "free")?;
        Ok(broad_phase)
    }

    fn overwrite(&mut self, source: &mut Overwrite<'_>) {
        for tree in &mut self.trees {
            source.array("nodes", &mut tree.nodes, None);
            source.array("previous", &mut tree.previous, None);
            source.array("items", &mut tree.items, None);
            source.single("counts", &mut tree.counts[0]);
        }
        source.array("proxies", &mut self.proxies, None);
        source.array("boxes", &mut self.boxes, None);
        source.array("free", &mut self.free, None);
    }

    fn marks(&mut self, _: &mut dyn FnMut(&mut Marks)) {}
}

/// The name under which the state lists the islands; the state hash leaves it out.
pub(crate) const ISLANDS: &str = "islands";

impl Persistent for Islands {
    fn visit(&self, group: &'static str, visitor: &mut dyn FnMut(ArrayView<'_>)) {
        debug_assert_eq!(group, ISLANDS);
        visitor(view(group, "algorithm", &[self.algorithm() as u32]));
        visitor(view(group, "head", &[self.head]));
        visitor(view(group, "nodes", &self.graph.nodes));
        visitor(view(group, "edges", &self.graph.edges[0]));
        visitor(view(group, "gaps", &self.graph.edges[1]));
        visitor(view(group, "records", &self.records.islands));
        visitor(view(group, "awake", &self.records.awake));
        visitor(view(group, "gap_links", &self.records.gap_links));
        visitor(view(group, "free", &[self.records.first_free]));
        visitor(view(group, "packed", &self.packed.edges));
        visitor(view(group, "packed_places", &self.packed.places));
    }

    fn restore(group: &'static str, source: &mut Source<'_>) -> Result<Self, RestoreError> {
        let number = source.single::<u32>(group, "algorithm")?;
        let algorithm = IslandAlgorithm::ALL
            .into_iter()
            .find(|&algorithm| algorithm as u32 == number);
        let mut islands =
            Self::new(algorithm.ok_or(RestoreError::mismatch(group, "algorithm", "an unknown algorithm"))?);
        islands.head = source.single(group, "head")?;
        islands.graph.nodes = source.array(group, "nodes")?;
        islands.graph.edges = [source.array(group, "edges")?, source.array(group, "gaps")?];
        islands.records.islands = source.array(group, "records")?;
        islands.records.awake = source.array(group, "awake")?;
        islands.records.gap_links = source.array(group, "gap_links")?;
        islands.records.first_free = source.single(group, "free")?;
        islands.packed.edges = source.array(group, "packed")?;
        islands.packed.places = source.array(group, "packed_places")?;
        Ok(islands)
    }

    fn overwrite(&mut self, source: &mut Overwrite<'_>) {
        let number = source.number("algorithm");
        let algorithm = IslandAlgorithm::ALL
            .into_iter()
            .find(|&algorithm| algorithm as u32 == number);
        self.set_algorithm(algorithm.expect("an image of a world"));
        source.single("head", &mut self.head);
        source.array("nodes", &mut self.graph.nodes, None);
        source.array("edges", &mut self.graph.edges[0], None);
        source.array("gaps", &mut self.graph.edges[1], None);
        source.array("records", &mut self.records.islands, None);
        source.array("awake", &mut self.records.awake, None);
        source.array("gap_links", &mut self.records.gap_links, None);
        source.single("free", &mut self.records.first_free);
        source.array("packed", &mut self.packed.edges, None);
        source.array("packed_places", &mut self.packed.places, None);
    }

    fn marks(&mut self, _: &mut dyn FnMut(&mut Marks)) {}
}
