//! [`Layered`]: a static and a moving tree as one, so that static objects do not slow down moving ones.

use super::{Bounds, Hit, Layout, Move, ObjectId, Orthtree, OrthtreeError, Region, Settings, Strategy};

/// The id of an object of a [`Layered`], with the tree that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LayeredId {
    /// An object of the static tree.
    Static(ObjectId),
    /// An object of the moving tree.
    Moving(ObjectId),
}

/// Two trees over one root: one for static objects, one for moving ones. Queries visit the static one first.
///
/// ```
/// use tombolo_geometry::orthtree::{Bounds, Layered, Linear, Loose, Settings};
/// let root = Bounds::new([0.0; 2], [64.0; 2]);
/// let mut space: Layered<2, Linear, Loose> =
///     Layered::new(root, Loose::default(), Settings::default()).unwrap();
/// space.insert_static(Bounds::around([8.0; 2], 1.0), 1).unwrap();
/// let cat = space.insert_moving(Bounds::around([30.0; 2], 0.5), 2).unwrap();
/// space.update(cat, Bounds::around([9.0; 2], 0.5)).unwrap();
/// let mut keys = Vec::new();
/// space.query(&Bounds::around([8.5; 2], 1.0), |_, hit| keys.push(hit.key));
/// assert_eq!(keys, [1, 2]);
/// ```
#[derive(Clone, Debug)]
pub struct Layered<const D: usize, L: Layout<D>, S> {
    fixed: Orthtree<D, L, S>,
    moving: Orthtree<D, L, S>,
}

impl<const D: usize, L: Layout<D>, S: Strategy<D>> Layered<D, L, S> {
    /// Two empty trees.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Orthtree::new`].
    pub fn new(root: Bounds<D>, strategy: S, settings: Settings) -> Result<Self, OrthtreeError> {
        let fixed = Orthtree::new(root, strategy, settings)?;
        let moving = fixed.clone();
        Ok(Self { fixed, moving })
    }

    /// The tree of the static objects.
    pub fn fixed(&self) -> &Orthtree<D, L, S> {
        &self.fixed
    }

    /// The tree of the moving objects.
    pub fn moving(&self) -> &Orthtree<D, L, S> {
        &self.moving
    }

    /// Adds a static object.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Orthtree::insert`].
    pub fn insert_static(&mut self, bounds: Bounds<D>, key: u64) -> Result<LayeredId, OrthtreeError> {
        self.fixed.insert(bounds, key).map(LayeredId::Static)
    }

    /// Adds a moving object.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Orthtree::insert`].
    pub fn insert_moving(&mut self, bounds: Bounds<D>, key: u64) -> Result<LayeredId, OrthtreeError> {
        self.moving.insert(bounds, key).map(LayeredId::Moving)
    }

    /// Sets an object's box; a static object may be moved too, at the same cost.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Orthtree::update`].
    pub fn update(&mut self, id: LayeredId, bounds: Bounds<D>) -> Result<(), OrthtreeError> {
        match id {
            LayeredId::Static(id) => self.fixed.update(id, bounds),
            LayeredId::Moving(id) => self.moving.update(id, bounds),
        }
    }

    /// Sets the boxes of many moving objects, like [`Orthtree::update_many`].
    ///
    /// # Errors
    ///
    /// In the same cases as there.
    pub fn update_many(&mut self, moves: &[Move<D>]) -> Result<(), OrthtreeError> {
        self.moving.update_many(moves)
    }

    /// Like [`update_many`](Self::update_many), with an executor's workers.
    ///
    /// # Errors
    ///
    /// In the same cases as there.
    pub fn update_many_on(
        &mut self,
        executor: &dyn tombolo_threads::Executor,
        moves: &[Move<D>],
    ) -> Result<(), OrthtreeError> {
        self.moving.update_many_on(executor, moves)
    }

    /// Removes an object and returns its key.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Orthtree::remove`].
    pub fn remove(&mut self, id: LayeredId) -> Result<u64, OrthtreeError> {
        match id {
            LayeredId::Static(id) => self.fixed.remove(id),
            LayeredId::Moving(id) => self.moving.remove(id),
        }
    }

    /// Calls `visit` for each object whose box overlaps a region: first the static ones, then the moving ones, each in
    /// the order of [`Orthtree::query`].
    pub fn query(&self, region: &impl Region<D>, mut visit: impl FnMut(LayeredId, Hit<D>)) {
        self.fixed
            .query(region, |hit| visit(LayeredId::Static(hit.id), hit));
        self.moving
            .query(region, |hit| visit(LayeredId::Moving(hit.id), hit));
    }
}
