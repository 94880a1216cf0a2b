//! [`Node`]: eight boxes side by side, one array for each edge, so that one box is tested against all eight at once.

use super::bounds::{Edges, union_of_lanes};
use crate::{Aabb, Vec2};

/// The longest edge, in meters, of a box around a bounded shape.
pub(super) const EXTENT_OF_BOUNDED: f32 = 300_000.0;

/// The number of boxes in a node. A mask of lanes is a `u32` with one bit for each.
pub const LANES: usize = 8;

/// The part of an item's collision filter that the tree needs in order to skip whole branches.
///
/// A pair of branches is entered if each one's categories meet the other's masks, or if both hold an item that is
/// `grouped`, because a shared group may let items collide against their masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeFilter {
    /// The categories of the item, one bit each.
    pub categories: u64,
    /// The categories it collides with.
    pub mask: u64,
    /// Whether the item may collide with another in spite of categories and masks.
    pub grouped: bool,
}

impl NodeFilter {
    /// Collides with everything.
    pub const ALL: Self = Self {
        categories: u64::MAX,
        mask: u64::MAX,
        grouped: false,
    };
}

crate::plain_data! {
    /// Eight boxes and a summary of all items below them. In a leaf a lane is an item; above, a lane is a node.
    ///
    /// Invariants: a lane of an upper node is the union of its child's lanes, or [`Aabb::EMPTY`]; its bit in `changed`
    /// says whether the child's `changed` or `recheck` is not zero; `categories`, `masks` and `grouped` cover those of
    /// the children (and may be too wide until the next build).
    #[derive(Debug, PartialEq)]
    pub struct Node {
        /// Left edges.
        pub min_x: [f32; 8],
        /// Lower edges.
        pub min_y: [f32; 8],
        /// Right edges.
        pub max_x: [f32; 8],
        /// Upper edges.
        pub max_y: [f32; 8],
        /// Union of the categories of all items below.
        pub categories: u64,
        /// Union of the masks of all items below.
        pub masks: u64,
        /// Lanes whose box changed since the last commit.
        pub changed: u32,
        /// Leaves only: lanes whose pairs are to be reported again although no box may have changed.
        pub recheck: u32,
        /// One if an item below is grouped.
        pub grouped: u32,
        /// Keeps the size a multiple of eight bytes; always zero.
        pub reserved: u32,
    }
}

const _: () = assert!(size_of::<Node>() == 160);

impl Node {
    /// No boxes.
    pub const EMPTY: Self = Self {
        min_x: [f32::INFINITY; LANES],
        min_y: [f32::INFINITY; LANES],
        max_x: [f32::NEG_INFINITY; LANES],
        max_y: [f32::NEG_INFINITY; LANES],
        categories: 0,
        masks: 0,
        changed: 0,
        recheck: 0,
        grouped: 0,
        reserved: 0,
    };

    /// The box in a lane.
    ///
    /// # Panics
    ///
    /// If `lane` is not below [`LANES`].
    #[inline]
    pub fn lane(&self, lane: usize) -> Aabb {
        Aabb::new(
            Vec2::new(self.min_x[lane], self.min_y[lane]),
            Vec2::new(self.max_x[lane], self.max_y[lane]),
        )
    }

    /// Sets the box of a lane and nothing else.
    ///
    /// # Panics
    ///
    /// If `lane` is not below [`LANES`].
    #[inline]
    pub fn set_lane(&mut self, lane: usize, value: Aabb) {
        self.min_x[lane] = value.min.x;
        self.min_y[lane] = value.min.y;
        self.max_x[lane] = value.max.x;
        self.max_y[lane] = value.max.y;
    }

    /// Sets the box of a leaf's lane and marks it as changed. A parallel refit calls this for each item that moved.
    ///
    /// # Panics
    ///
    /// If `lane` is not below [`LANES`].
    #[inline]
    pub fn change_lane(&mut self, lane: usize, value: Aabb) {
        self.set_lane(lane, value);
        self.changed |= 1 << lane;
    }

    /// The smallest box around all lanes.
    #[inline]
    pub fn bounds(&self) -> Aabb {
        union_of_lanes(&Edges {
            min_x: &self.min_x,
            min_y: &self.min_y,
            max_x: &self.max_x,
            max_y: &self.max_y,
        })
    }

    /// Whether an item below this node may collide with one below the other, by category alone.
    #[inline]
    pub fn may_meet(&self, other: &Self) -> bool {
        let by_category = (self.categories & other.masks != 0) & (other.categories & self.masks != 0);
        by_category | (self.grouped & other.grouped != 0)
    }

    /// Whether an item below changed or is to be rechecked.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.changed | self.recheck != 0
    }

    /// Declares the present boxes of a leaf known: copies them to `previous` and clears the marks. Returns whether a box
    /// had changed. A parallel commit calls this for each leaf that
    /// [`Tree::list_leaves_to_commit`](super::Tree::list_leaves_to_commit) names.
    #[inline]
    pub fn commit(&mut self, previous: &mut Self) -> bool {
        *previous = *self;
        self.recheck = 0;
        core::mem::take(&mut self.changed) != 0
    }

    /// Adds an item's filter to the unions.
    #[inline]
    pub(super) fn widen(&mut self, filter: NodeFilter) {
        self.categories |= filter.categories;
        self.masks |= filter.mask;
        self.grouped |= u32::from(filter.grouped);
    }

    /// Computes this node from its children: boxes, unions and marks. `children` are the up to eight nodes below.
    pub fn gather(&mut self, children: &[Self]) {
        *self = Self::EMPTY;
        for (lane, child) in children.iter().enumerate() {
            self.gather_lane(lane, child);
        }
    }

    /// Updates one lane from its child; the unions only widen. Returns whether that changed a bit of this node: if not,
    /// what was gathered from it is still right.
    #[inline]
    pub(super) fn gather_lane(&mut self, lane: usize, child: &Self) -> bool {
        let (old, new) = (self.lane(lane), child.bounds());
        self.set_lane(lane, new);
        let unions = (self.categories, self.masks, self.grouped, self.changed);
        self.categories |= child.categories;
        self.masks |= child.masks;
        self.grouped |= child.grouped;
        self.changed = self.changed & !(1 << lane) | (u32::from(child.is_active()) << lane);
        bytemuck::cast::<Aabb, [u64; 2]>(old) != bytemuck::cast::<Aabb, [u64; 2]>(new)
            || unions != (self.categories, self.masks, self.grouped, self.changed)
    }
}

/// The positions of the set bits of a mask, lowest first.
#[inline]
pub(super) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        (mask != 0).then(|| {
            mask &= mask - 1;
            lane
        })
    })
}
