//! Broad phase: [`BroadPhase`] finds the pairs of shapes that are near enough to each other to need a contact.
//!
//! Each shape has a *proxy*, with a fat box somewhat larger than the shape, in one of three trees. Bodies, shapes and
//! contacts are only indices here; no code in this folder reads their records.
//!
//! | file | contents |
//! | --- | --- |
//! | `mod.rs` | [`BroadPhase`]: proxies, and their serial changes |
//! | `refit.rs` | renewing the boxes of many proxies at once, in parallel |
//! | `pairs.rs` | finding the pairs that are new, in parallel |
//! | `marked_tree.rs` | a tree that marks what of it changes, for frames |
//! | `query.rs` | boxes, rays and moving boxes against all three trees |
//!
//! # The invariant
//!
//! After [`BroadPhase::find_pairs`] and the contact update that follows it, the contacts are exactly the pairs of
//! proxies whose fat boxes overlap and whose filters let them. The caller maintains its half of the invariant by
//! destroying a contact whose boxes no longer overlap before the next `find_pairs`, and all contacts of a proxy with
//! the proxy. The broad phase then recognizes a new pair without a set of pairs: its boxes overlap now and did not at
//! the last `find_pairs`.
//!
//! # Determinism
//!
//! Pairs are returned sorted by shape, so they depend neither on the structure of the trees nor on the workers. The
//! structure of the trees, which the order of query results follows, is a function of the calls made so far.
//!
//! The reasons are in `docs/decisions.md#no-set-of-pairs-in-the-broad-phase`.

mod marked_tree;
mod pairs;
mod query;
mod refit;
#[cfg(test)]
mod tests;

use crate::persistent::PlainArray;
use alloc::vec::Vec;
use marked_tree::MarkedTree;
use tombolo_geometry::Aabb;
use tombolo_geometry::bvh::{BuildScratch, InvalidBox, NodeFilter, PairTask};
use tombolo_threads::PerWorker;

/// The tree that a proxy is in. Two proxies that are not dynamic never pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum TreeKind {
    /// Shapes of static bodies.
    Static = 0,
    /// Shapes of kinematic bodies.
    Kinematic = 1,
    /// Shapes of dynamic bodies.
    Dynamic = 2,
}

/// The collision filter of a shape. Two shapes collide if each one's categories meet the other's mask; if both have the
/// same group and it is not zero, its sign decides instead: positive always, negative never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProxyFilter {
    /// Categories of the shape, one bit each.
    pub categories: u64,
    /// Categories that the shape collides with.
    pub mask: u64,
    /// Zero, or a group whose sign overrides categories and mask.
    pub group: i32,
}

impl Default for ProxyFilter {
    /// Category 1, collides with all categories.
    fn default() -> Self {
        Self {
            categories: 1,
            mask: u64::MAX,
            group: 0,
        }
    }
}

/// The definition of a proxy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProxyDef {
    /// The tree that the proxy is inserted into.
    pub tree: TreeKind,
    /// The index of the body; proxies of one body never pair.
    pub body: u32,
    /// The index of the shape, by which pairs are named and sorted.
    pub shape: u32,
    /// The shape's box with a margin, in meters.
    pub fat_box: Aabb,
    /// The collision filter.
    pub filter: ProxyFilter,
}

/// Two shapes that need a contact; `shape_a < shape_b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The lower shape index.
    pub shape_a: u32,
    /// The higher shape index.
    pub shape_b: u32,
}

/// [`Proxy::slot`] of a proxy that is free.
const FREE: u32 = u32::MAX;

tombolo_geometry::plain_data! {
    /// The cold part of a proxy; its box is in [`BroadPhase::boxes`].
    #[derive(Debug, PartialEq)]
    pub(crate) struct Proxy {
        pub(crate) categories: u64,
        pub(crate) mask: u64,
        pub(crate) group: i32,
        pub(crate) body: u32,
        pub(crate) shape: u32,
        /// A [`TreeKind`].
        pub(crate) tree: u32,
        /// The slot in its tree; [`FREE`] if the proxy was destroyed.
        pub(crate) slot: u32,
        /// Keeps the size a multiple of eight bytes; always zero.
        pub(crate) reserved: u32,
    }
}

const _: () = assert!(size_of::<Proxy>() == 40);

impl Proxy {
    /// Whether the proxy exists.
    pub(crate) fn is_live(&self) -> bool {
        self.slot != FREE
    }

    fn node_filter(&self) -> NodeFilter {
        NodeFilter {
            categories: self.categories,
            mask: self.mask,
            grouped: self.group > 0,
        }
    }

    /// Whether two shapes are of two bodies, and the filters of both let them collide.
    fn passes_filter(&self, other: &Self) -> bool {
        if self.body == other.body {
            return false;
        }
        if self.group == other.group && self.group != 0 {
            return self.group > 0;
        }
        self.categories & other.mask != 0 && other.categories & self.mask != 0
    }
}

/// Three trees of fat boxes. See the [module](self) for the idea and for the caller's obligations.
///
/// All its state is in four kinds of arrays: those of the trees, the proxies, their boxes and the free list. After a
/// save and a restore it finds the same pairs in the same order.
///
/// ```
/// use tombolo_geometry::{Aabb, Vec2};
/// use tombolo_physics::broad_phase::{BroadPhase, ProxyDef, ProxyFilter, TreeKind};
/// use tombolo_threads::Inline;
///
/// let mut broad_phase = BroadPhase::default();
/// for shape in 0..3 {
///     let min = Vec2::new(shape as f32, 0.0);
///     broad_phase.create_proxy(ProxyDef {
///         tree: TreeKind::Dynamic,
///         body: shape,
///         shape,
///         fat_box: Aabb::new(min, min + Vec2::ONE),
///         filter: ProxyFilter::default(),
///     })?;
/// }
/// let mut pairs = Vec::new();
/// broad_phase.find_pairs(&Inline, &|_, _, _| true, &mut pairs);
/// assert_eq!(pairs.len(), 2);
/// pairs.clear();
/// broad_phase.find_pairs(&Inline, &|_, _, _| false, &mut pairs);
/// assert_eq!(pairs, []);
/// # Ok::<(), tombolo_geometry::bvh::InvalidBox>(())
/// ```
#[derive(Debug, Default)]
pub struct BroadPhase {
    /// The trees, by [`TreeKind`].
    pub(crate) trees: [MarkedTree; 3],
    /// The proxies: items of the trees.
    pub(crate) proxies: PlainArray<Proxy>,
    /// The fat box of each proxy, authoritative; the trees hold copies.
    pub(crate) boxes: PlainArray<Aabb>,
    /// Indices of destroyed proxies that are reused, last in first out.
    pub(crate) free: PlainArray<u32>,
    scratch: SearchScratch,
}

/// Scratch memory; holds no data from one call to the next.
#[derive(Debug, Default)]
struct SearchScratch {
    build: BuildScratch,
    tasks: Vec<PairTask>,
    found: Option<PerWorker<WorkerPairs>>,
    keys: Vec<u64>,
    /// The nonzero words of the set of moved proxies, with their places.
    words: Vec<(usize, u64)>,
    /// The leaves of a tree that have changed.
    leaves: Vec<u32>,
}

/// The scratch memory of one worker that searches for pairs.
#[derive(Debug)]
struct WorkerPairs {
    stack: Vec<PairTask>,
    /// Pairs as `shape_a << 32 | shape_b`.
    keys: Vec<u64>,
}

impl Clone for BroadPhase {
    fn clone(&self) -> Self {
        Self {
            trees: self.trees.clone(),
            proxies: self.proxies.clone(),
            boxes: self.boxes.clone(),
            free: self.free.clone(),
            scratch: SearchScratch::default(),
        }
    }
}

impl BroadPhase {
    /// Creates a proxy and returns its index, which is a function of the calls made so far, but not always the lowest
    /// free one.
    ///
    /// # Errors
    ///
    /// [`InvalidBox`]; nothing changes.
    pub fn create_proxy(&mut self, def: ProxyDef) -> Result<u32, InvalidBox> {
        let index = self.free.last().copied().unwrap_or(self.proxies.len() as u32);
        let mut proxy = Proxy {
            categories: def.filter.categories,
            mask: def.filter.mask,
            group: def.filter.group,
            body: def.body,
            shape: def.shape,
            tree: def.tree as u32,
            slot: FREE,
            reserved: 0,
        };
        proxy.slot = self.trees[def.tree as usize].insert(index, def.fat_box, proxy.node_filter())?;
        if self.free.pop().is_some() {
            self.proxies[index as usize] = proxy;
            self.boxes[index as usize] = def.fat_box;
        } else {
            self.proxies.push(proxy);
            self.boxes.push(def.fat_box);
        }
        debug_assert_eq!(self.proxies.len(), self.boxes.len(), "a box for each proxy");
        debug_assert!(self.boxes[index as usize] == def.fat_box && proxy.slot != FREE);
        Ok(index)
    }

    /// Destroys a proxy. The caller destroys the contacts of its shape.
    ///
    /// # Panics
    ///
    /// If there is no such proxy.
    pub fn destroy_proxy(&mut self, index: u32) {
        let Proxy { tree, slot, .. } = *self.live(index);
        debug_assert_eq!(
            self.trees[tree as usize].items[slot as usize], index,
            "proxy and slot"
        );
        self.trees[tree as usize].remove(slot);
        self.proxies[index as usize].slot = FREE;
        self.boxes[index as usize] = Aabb::EMPTY;
        self.free.push(index);
    }

    /// Replaces a proxy's fat box immediately; queries use it from now on. For many proxies at once see
    /// [`refit`](Self::refit).
    ///
    /// # Errors
    ///
    /// [`InvalidBox`]; nothing changes.
    ///
    /// # Panics
    ///
    /// If there is no such proxy.
    pub fn set_box(&mut self, index: u32, fat_box: Aabb) -> Result<(), InvalidBox> {
        let Proxy { tree, slot, .. } = *self.live(index);
        self.trees[tree as usize].set_box(slot, fat_box)?;
        self.boxes[index as usize] = fat_box;
        Ok(())
    }

    /// Replaces a proxy's filter and [touches](Self::touch) it. The caller destroys contacts that are no longer
    /// allowed.
    ///
    /// # Panics
    ///
    /// If there is no such proxy.
    pub fn set_filter(&mut self, index: u32, filter: ProxyFilter) {
        self.live(index);
        let proxy = &mut self.proxies[index as usize];
        proxy.categories = filter.categories;
        proxy.mask = filter.mask;
        proxy.group = filter.group;
        self.touch(index);
    }

    /// Makes the next [`find_pairs`](Self::find_pairs) check all overlaps of a proxy again, because a condition other
    /// than boxes has changed: a filter, or a joint that was destroyed.
    ///
    /// # Panics
    ///
    /// If there is no such proxy.
    pub fn touch(&mut self, index: u32) {
        let proxy = *self.live(index);
        self.trees[proxy.tree as usize].recheck(proxy.slot, proxy.node_filter());
    }

    /// The fat box of a proxy; [`Aabb::EMPTY`] if it was destroyed.
    ///
    /// # Panics
    ///
    /// If there never was such a proxy.
    #[inline]
    pub fn fat_box(&self, index: u32) -> Aabb {
        self.boxes[index as usize]
    }

    /// Checks the arrays, whatever is in them: the trees, and that they, the proxies, their boxes and the free list are
    /// consistent. A broad phase that passes keeps its contract. O(n).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold, as text.
    pub fn check(&self) -> Result<(), &'static str> {
        for tree in &self.trees {
            tree.check()?;
        }
        if self.boxes.len() != self.proxies.len() || self.proxies.len() >= FREE as usize {
            return Err("as many boxes as proxies were expected");
        }
        let mut is_free = alloc::vec![false; self.proxies.len()];
        for &index in &self.free {
            match is_free.get_mut(index as usize) {
                Some(known) if !*known => *known = true,
                _ => return Err("a free proxy is none, or free twice"),
            }
        }
        // Each live proxy has a slot of its own, since the slot stores the proxy's index; so if the counts are equal,
        // every item is a proxy.
        let mut live = [0; 3];
        for ((index, proxy), (value, is_free)) in (0..).zip(&self.proxies).zip(self.boxes.iter().zip(is_free))
        {
            if is_free != (proxy.slot == FREE) {
                return Err("a proxy is neither live nor free, or both");
            }
            let Some(tree) = self.trees.get(proxy.tree as usize) else {
                return Err("a proxy is in a tree that is none");
            };
            if is_free {
                if *value != Aabb::EMPTY {
                    return Err("a free proxy has a box");
                }
            } else {
                live[proxy.tree as usize] += 1;
                if !tree.holds(proxy.slot, index, *value, proxy.node_filter()) {
                    return Err("a proxy is not where it should be in its tree, or is another there");
                }
            }
        }
        if live == [0, 1, 2].map(|tree: usize| self.trees[tree].len()) {
            Ok(())
        } else {
            Err("a tree holds more than proxies")
        }
    }

    /// Panics if [`check`](Self::check) fails. For tests.
    ///
    /// # Panics
    ///
    /// If an invariant does not hold.
    pub fn validate(&self) {
        let checked = self.check();
        assert!(checked.is_ok(), "{checked:?}");
    }

    fn live(&self, index: u32) -> &Proxy {
        let proxy = &self.proxies[index as usize];
        assert!(proxy.slot != FREE, "proxy {index} was destroyed");
        proxy
    }
}
