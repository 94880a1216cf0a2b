//! Saving, restoring and hashing a tree.
//!
//! A save does not depend on the layout: the lattice, the objects by place, and the nodes in pre-order with their
//! lists. A restored tree gives the same results in the same order to the same calls, and its next ids are the same;
//! nodes may have other names, and changes are counted from 0 again. The strategy is not part of a save, as it is the
//! type's.

use super::layout::NONE;
use super::objects::Object;
use super::{Bounds, Cell, Lattice, Layout, ObjectId, Orthtree, OrthtreeError, Settings, Strategy};
use alloc::vec::Vec;
use core::fmt;
use core::num::NonZeroU32;

const MAGIC: &[u8; 8] = b"ORTHTREE";
const VERSION: u32 = 1;

/// The reason why bytes are not a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum TreeRestoreError {
    /// The bytes do not begin as a save does, or are of another version or another number of dimensions.
    NotASave,
    /// The bytes are truncated or were changed: their hash does not fit.
    Damaged,
    /// The bytes contradict themselves or the strategy; with a description.
    Broken(&'static str),
    /// The layout or the strategy refuses the saved settings.
    Refused(OrthtreeError),
}

impl fmt::Display for TreeRestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASave => f.write_str("these bytes are not a saved tree of this version and dimension"),
            Self::Damaged => f.write_str("the saved tree is cut off or was changed"),
            Self::Broken(what) => write!(f, "the saved tree is broken: {what}"),
            Self::Refused(error) => write!(f, "the saved tree does not fit: {error}"),
        }
    }
}

impl core::error::Error for TreeRestoreError {}

/// A member of a node's list in a save.
struct Member<const D: usize> {
    object: u32,
    /// Its position in the object's chain.
    rank: u32,
    key: u64,
    bounds: Bounds<D>,
}

impl<const D: usize, L: Layout<D>, S: Strategy<D>> Orthtree<D, L, S> {
    /// The tree as bytes, the same for every layout.
    pub fn save(&self) -> Vec<u8> {
        let mut out = Out(Vec::from(MAGIC));
        out.u32(VERSION);
        out.u32(D as u32);
        let (origin, unit, corner, root) = self.lattice.parts();
        for axis in 0..D {
            out.u64(origin[axis].to_bits());
            out.u64(unit[axis].to_bits());
            out.u64(corner[axis] as u64);
        }
        out.u32(root.height);
        let Settings {
            depth_max,
            capacity,
            collapse_count,
            growth_max,
        } = self.settings;
        [depth_max, capacity, collapse_count, growth_max]
            .iter()
            .for_each(|&word| out.u32(word));
        self.spills.iter().for_each(|spill| out.u64(spill.to_bits()));
        out.u32(self.objects.objects.len() as u32);
        for object in &self.objects.objects {
            out.u32(object.generation.get());
        }
        out.u32(self.objects.free_objects.len() as u32);
        self.objects.free_objects.iter().for_each(|&place| out.u32(place));
        self.save_nodes(&mut out);
        let hash = hash(&out.0);
        out.u64(hash);
        out.0
    }

    /// Writes the nodes that hold objects or pass them on.
    fn save_nodes(&self, out: &mut Out) {
        let mut nodes = Vec::new();
        self.visit_all(|view| {
            if view.count > 0 || self.layout.object_list(view.node).is_open() {
                nodes.push(view.node);
            }
        });
        out.u32(nodes.len() as u32);
        let root = self.lattice.root();
        for node in nodes {
            let cell = self.layout.cell(node);
            cell.offset_in(&root).iter().for_each(|&offset| out.u32(offset));
            out.u32(cell.height);
            let slot = self.layout.object_list(node);
            out.u32(u32::from(slot.is_open()));
            out.u32(slot.count());
            for reference in self.objects.lists.references(slot) {
                let owner = self.objects.owner(reference).index();
                let rank = self.objects.chain(owner).position(|other| other == reference);
                out.u32(owner);
                out.u32(rank.unwrap_or(0) as u32);
                let place = self.objects.place_at(reference);
                out.u64(self.objects.lists.key(place));
                let bounds = self.objects.lists.bounds(place);
                bounds
                    .min
                    .iter()
                    .chain(&bounds.max)
                    .for_each(|edge| out.u32(edge.to_bits()));
            }
        }
    }

    /// A hash of all state that affects the tree's results, the same for every layout. Costs as much as a save.
    pub fn state_hash(&self) -> u64 {
        hash(&self.save())
    }

    /// A tree from its bytes, in any layout.
    ///
    /// ```
    /// use tombolo_geometry::orthtree::{Block, Bounds, Linear, Loose, Orthtree, Settings};
    /// let root = Bounds::new([0.0; 2], [64.0; 2]);
    /// let mut tree: Orthtree<2, Linear, Loose> =
    ///     Orthtree::new(root, Loose::default(), Settings::default()).unwrap();
    /// let id = tree.insert(Bounds::around([10.0; 2], 1.0), 7).unwrap();
    /// let other: Orthtree<2, Block<2>, Loose> = Orthtree::restore(Loose::default(), &tree.save()).unwrap();
    /// assert_eq!(other.key(id), Ok(7));
    /// assert_eq!(other.state_hash(), tree.state_hash());
    /// ```
    ///
    /// # Errors
    ///
    /// [`TreeRestoreError`], whatever is wrong with the bytes, also where their hash fits. An accepted tree passes
    /// [`validate`](Self::validate) and saves the same bytes. Costs some saves.
    pub fn restore(strategy: S, bytes: &[u8]) -> Result<Self, TreeRestoreError> {
        let Some((body, hashed)) = bytes.split_last_chunk::<8>() else {
            return Err(TreeRestoreError::NotASave);
        };
        let mut from = In(body
            .strip_prefix(MAGIC.as_slice())
            .ok_or(TreeRestoreError::NotASave)?);
        if from.u32()? != VERSION || from.u32()? != D as u32 {
            return Err(TreeRestoreError::NotASave);
        }
        if hash(body) != u64::from_le_bytes(*hashed) {
            return Err(TreeRestoreError::Damaged);
        }
        strategy.check().map_err(TreeRestoreError::Refused)?;
        let (mut origin, mut unit, mut corner) = ([0.0; D], [0.0; D], [0; D]);
        for axis in 0..D {
            origin[axis] = f64::from_bits(from.u64()?);
            unit[axis] = f64::from_bits(from.u64()?);
            corner[axis] = from.u64()? as i64;
        }
        let height = from.u32()?;
        L::check_height(height).map_err(TreeRestoreError::Refused)?;
        let settings = Settings {
            depth_max: from.u32()?,
            capacity: from.u32()?,
            collapse_count: from.u32()?,
            growth_max: from.u32()?,
        };
        if settings.depth_max > height
            || height > settings.depth_max.saturating_add(settings.growth_max)
            || settings.collapse_count > settings.capacity
        {
            return Err(TreeRestoreError::Broken("the settings contradict themselves"));
        }
        let lattice = Lattice::from_parts(origin, unit, corner, height, settings.depth_max)
            .ok_or(TreeRestoreError::Broken("the root is no cell"))?;
        let layout = L::new(lattice.root()).map_err(TreeRestoreError::Refused)?;
        let mut tree = Self::empty(layout, strategy, lattice, settings);
        for spill in &mut tree.spills {
            *spill = f64::from_bits(from.u64()?);
            if !(*spill >= 0.0 && spill.is_finite()) {
                return Err(TreeRestoreError::Broken(
                    "an object reaches out of its cell without end",
                ));
            }
        }
        tree.restore_objects(&mut from)?;
        tree.restore_nodes(&mut from)?;
        if !from.0.is_empty() {
            return Err(TreeRestoreError::Broken("something follows the last node"));
        }
        tree.validate().map_err(TreeRestoreError::Broken)?;
        // Nodes in another order, twice, or with meaningless marks: no tree saves such bytes.
        if tree.save() != bytes {
            return Err(TreeRestoreError::Broken("no tree is saved like this"));
        }
        tree.epoch = 0;
        Ok(tree)
    }

    /// Reads the objects' places, without boxes.
    fn restore_objects(&mut self, from: &mut In<'_>) -> Result<(), TreeRestoreError> {
        let count = from.count(4)?;
        for _ in 0..count {
            let generation = NonZeroU32::new(from.u32()?);
            self.objects.objects.push(Object {
                generation: generation.ok_or(TreeRestoreError::Broken("an object has no generation"))?,
                first: NONE,
            });
        }
        let mut is_free = alloc::vec![false; count];
        for _ in 0..from.count(4)? {
            let place = from.u32()?;
            let known = is_free.get_mut(place as usize);
            if known.is_none_or(|known| core::mem::replace(known, true)) {
                return Err(TreeRestoreError::Broken("a free place is none, or free twice"));
            }
            if self.objects.objects[place as usize].generation == NonZeroU32::MAX {
                return Err(TreeRestoreError::Broken(
                    "a free place has used up its generations",
                ));
            }
            self.objects.free_objects.push(place);
        }
        Ok(())
    }

    fn restore_nodes(&mut self, from: &mut In<'_>) -> Result<(), TreeRestoreError> {
        // For each object its references with their ranks.
        let mut chains: Vec<Vec<(u32, u32)>> = alloc::vec![Vec::new(); self.objects.objects.len()];
        let root = self.lattice.root();
        for _ in 0..from.count(4)? {
            let mut cell = Cell {
                corner: [0; D],
                height: 0,
            };
            for corner in &mut cell.corner {
                *corner = from.u32()?;
            }
            cell.height = from.u32()?;
            let is_cell = cell.height <= root.height
                && cell.corner.iter().all(|&offset| {
                    let offset = u64::from(offset);
                    offset >> root.height == 0 && offset >> cell.height << cell.height == offset
                });
            if !is_cell {
                return Err(TreeRestoreError::Broken("a node is no cell of the root"));
            }
            for (corner, low) in cell.corner.iter_mut().zip(root.corner) {
                *corner = corner.wrapping_add(low);
            }
            let node = self.make_node(&cell);
            let is_open = from.u32()? != 0;
            self.layout.object_list_mut(node).set_open(is_open);
            for _ in 0..from.count(16)? {
                let member = from.member()?;
                self.restore_member(&member, &cell, node, &mut chains)?;
            }
        }
        self.restore_chains(chains)
    }

    /// Makes the node of a cell, with all nodes above it.
    fn make_node(&mut self, cell: &Cell<D>) -> L::Node {
        let mut node = self.layout.root();
        let mut here = self.lattice.root();
        while here.height > cell.height {
            let octant = here.octant_of(cell);
            node = self.layout.make(node, octant);
            here = here.child(octant);
        }
        node
    }

    fn restore_member(
        &mut self,
        member: &Member<D>,
        cell: &Cell<D>,
        node: L::Node,
        chains: &mut [Vec<(u32, u32)>],
    ) -> Result<(), TreeRestoreError> {
        member.bounds.check().map_err(TreeRestoreError::Refused)?;
        let reach = self.strategy.reach(&self.lattice, &member.bounds);
        let root = self.lattice.root();
        let chain = chains
            .get_mut(member.object as usize)
            .ok_or(TreeRestoreError::Broken("a list has an object that is none"))?;
        let fits = reach.outside(root.height).is_none()
            && if S::SHARED {
                reach.touches(cell, &root)
            } else {
                chain.is_empty() && cell.covers(&reach.target(&root))
            };
        if !fits {
            return Err(TreeRestoreError::Broken(
                "an object is in a cell that is not its own",
            ));
        }
        let generation = self.objects.objects[member.object as usize].generation;
        let id = ObjectId::from_parts(member.object, generation);
        self.append(id, member.key, &member.bounds, node);
        let reference = self.objects.objects[member.object as usize].first;
        chain.push((member.rank, reference));
        Ok(())
    }

    /// Links the references of each object in their old order.
    fn restore_chains(&mut self, chains: Vec<Vec<(u32, u32)>>) -> Result<(), TreeRestoreError> {
        let mut is_free = alloc::vec![false; chains.len()];
        for &place in &self.objects.free_objects {
            is_free[place as usize] = true;
        }
        for (place, mut chain) in chains.into_iter().enumerate() {
            let is_retired = self.objects.objects[place].generation == NonZeroU32::MAX;
            if chain.is_empty() != (is_free[place] || is_retired) {
                return Err(TreeRestoreError::Broken(
                    "an object is in no cell, or a free place is in one",
                ));
            }
            if chain.is_empty() {
                continue;
            }
            self.objects.count += 1;
            if !S::SHARED {
                continue;
            }
            chain.sort_unstable();
            let next = chain[1..].iter().map(|(_, reference)| *reference).chain([NONE]);
            for ((_, reference), sibling) in chain.iter().zip(next) {
                self.objects.references[*reference as usize].sibling = sibling;
            }
            self.objects.objects[place].first = chain[0].1;
        }
        Ok(())
    }
}

/// A writer of bytes, little-endian.
struct Out(Vec<u8>);

impl Out {
    fn u32(&mut self, word: u32) {
        self.0.extend(word.to_le_bytes());
    }

    fn u64(&mut self, word: u64) {
        self.0.extend(word.to_le_bytes());
    }
}

/// A reader of bytes.
struct In<'a>(&'a [u8]);

impl In<'_> {
    fn u32(&mut self) -> Result<u32, TreeRestoreError> {
        let (word, rest) = self.0.split_first_chunk().ok_or(TreeRestoreError::Damaged)?;
        self.0 = rest;
        Ok(u32::from_le_bytes(*word))
    }

    fn u64(&mut self) -> Result<u64, TreeRestoreError> {
        let (word, rest) = self.0.split_first_chunk().ok_or(TreeRestoreError::Damaged)?;
        self.0 = rest;
        Ok(u64::from_le_bytes(*word))
    }

    /// Reads a count of items of at least `bytes` bytes each, checked against the number of bytes left.
    fn count(&mut self, bytes: usize) -> Result<usize, TreeRestoreError> {
        let count = self.u32()? as usize;
        if count > self.0.len() / bytes {
            return Err(TreeRestoreError::Damaged);
        }
        Ok(count)
    }

    fn member<const D: usize>(&mut self) -> Result<Member<D>, TreeRestoreError> {
        let (object, rank, key) = (self.u32()?, self.u32()?, self.u64()?);
        let mut bounds = Bounds::point([0.0; D]);
        for edge in bounds.min.iter_mut().chain(&mut bounds.max) {
            *edge = f32::from_bits(self.u32()?);
        }
        Ok(Member {
            object,
            rank,
            key,
            bounds,
        })
    }
}

/// A hash of eight bytes at a time, each mixed in by a multiplication and a shift (the constant is the golden ratio's).
fn hash(bytes: &[u8]) -> u64 {
    let mut state = bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        state = (state ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        state ^= state >> 32;
    }
    state
}
