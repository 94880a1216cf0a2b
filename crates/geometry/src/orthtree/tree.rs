//! [`Orthtree`]: the struct, its creation, and reading it and its objects. Written once over layouts and strategies.
//!
//! The files beside it share its fields: `placing.rs` puts objects into lists, `dividing.rs` opens and closes nodes,
//! `grow.rs` moves the root, `save.rs` restores; queries only read.

use super::layout::HEIGHT_COUNT;
use super::objects::Objects;
use super::scratch::Scratch;
use super::{Bounds, Lattice, Layout, ObjectId, OrthtreeError, Strategy};

/// The settings of a tree's depth, division and growth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Number of levels below the first root. The finest cells have its size divided by 2^`depth_max`.
    pub depth_max: u32,
    /// A node passes objects on to its children when it has more than this. 0: at once.
    pub capacity: u32,
    /// Children are merged into their parent when all together have this many objects or fewer. At most `capacity`
    /// (greater values are clamped); less means fewer alternating changes when objects come and go.
    pub collapse_count: u32,
    /// The number of levels by which the root may grow beyond the first one.
    pub growth_max: u32,
}

impl Default for Settings {
    /// 10 levels, no capacity, no growth.
    fn default() -> Self {
        Self {
            depth_max: 10,
            capacity: 0,
            collapse_count: 0,
            growth_max: 0,
        }
    }
}

/// A quadtree (`D` = 2) or octree (`D` = 3) over boxes and points, with nodes kept by layout `L` and objects assigned by
/// strategy `S`.
///
/// ```
/// use tombolo_geometry::orthtree::{Bounds, Linear, Loose, Orthtree, Settings};
///
/// let root = Bounds::new([0.0, 0.0], [64.0, 64.0]);
/// let settings = Settings { growth_max: 4, ..Settings::default() };
/// let mut tree: Orthtree<2, Linear, Loose> = Orthtree::new(root, Loose::default(), settings).unwrap();
/// let ship = tree.insert(Bounds::around([10.0, 10.0], 1.0), 7).unwrap();
/// tree.update(ship, Bounds::around([200.0, 10.0], 1.0)).unwrap(); // The root grows.
///
/// let mut found = Vec::new();
/// tree.query(&Bounds::new([190.0, 0.0], [210.0, 20.0]), |hit| found.push(hit.key));
/// assert_eq!(found, [7]);
/// ```
///
/// Other dimensions do not compile:
///
/// ```compile_fail
/// use tombolo_geometry::orthtree::{Linear, Loose, Orthtree};
/// fn none(_: Orthtree<4, Linear, Loose>) {}
/// ```
#[derive(Clone, Debug)]
pub struct Orthtree<const D: usize, L: Layout<D>, S> {
    pub(super) layout: L,
    pub(super) strategy: S,
    pub(super) lattice: Lattice<D>,
    pub(super) settings: Settings,
    pub(super) objects: Objects<D, L::Node>,
    pub(super) epoch: u64,
    /// For each height the most by which objects reach out of cells of it and below: the maximum since the tree was
    /// last empty. Decides which cells a query visits, never its results.
    pub(super) spills: [f64; HEIGHT_COUNT],
    /// The number of nodes of each height that hold objects.
    pub(super) holding: [u32; HEIGHT_COUNT],
    /// A bit for each height with such nodes.
    pub(super) populated: u32,
    pub(super) scratch: Scratch,
}

impl<const D: usize, L: Layout<D>, S: Strategy<D>> Orthtree<D, L, S> {
    /// An empty tree over `root`, a box of any proportions; cells have the same.
    ///
    /// # Errors
    ///
    /// A root without finite, positive extent, more levels than the layout or `f32` allow, a strategy out of range.
    pub fn new(root: Bounds<D>, strategy: S, settings: Settings) -> Result<Self, OrthtreeError> {
        strategy.check()?;
        L::check_height(settings.depth_max)?;
        let lattice = Lattice::new(&root, settings.depth_max)?;
        let settings = Settings {
            collapse_count: settings.collapse_count.min(settings.capacity),
            ..settings
        };
        Ok(Self::empty(L::new(lattice.root())?, strategy, lattice, settings))
    }

    /// A tree without objects; all arguments were checked.
    pub(super) fn empty(layout: L, strategy: S, lattice: Lattice<D>, settings: Settings) -> Self {
        Self {
            layout,
            strategy,
            lattice,
            settings,
            objects: Objects::new(S::SHARED),
            epoch: 0,
            spills: [0.0; HEIGHT_COUNT],
            holding: [0; HEIGHT_COUNT],
            populated: 0,
            scratch: Scratch::default(),
        }
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.objects.count
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The box of the present root.
    pub fn root_bounds(&self) -> Bounds<D> {
        self.lattice.bounds(&self.lattice.root())
    }

    /// The mapping from cells to space.
    pub fn lattice(&self) -> &Lattice<D> {
        &self.lattice
    }

    /// The nodes.
    pub fn layout(&self) -> &L {
        &self.layout
    }

    /// Counts the changes of nodes and of lists: equal before and after a call that only wrote boxes.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Bytes of memory held for nodes and objects.
    pub fn bytes(&self) -> usize {
        self.layout.bytes() + self.objects.bytes()
    }

    /// Whether the id names an object of this tree.
    pub fn contains(&self, id: ObjectId) -> bool {
        self.objects.get(id).is_ok()
    }

    /// The box of an object.
    ///
    /// # Errors
    ///
    /// [`OrthtreeError::StaleId`].
    pub fn bounds(&self, id: ObjectId) -> Result<Bounds<D>, OrthtreeError> {
        self.objects.get(id)?;
        Ok(self.objects.lists.bounds(self.objects.place_of(id.index())))
    }

    /// The key that was given with an object.
    ///
    /// # Errors
    ///
    /// [`OrthtreeError::StaleId`].
    pub fn key(&self, id: ObjectId) -> Result<u64, OrthtreeError> {
        self.objects.get(id)?;
        Ok(self.objects.lists.key(self.objects.place_of(id.index())))
    }

    /// All objects, in the order of their places.
    pub fn ids(&self) -> impl Iterator<Item = ObjectId> + '_ {
        (0..self.objects.objects.len() as u32).filter_map(|index| self.objects.id_at(index))
    }
}
