//! [`Layered`]: a static and a moving tree as one, so that objects that never move do not slow down those that do.

use super::{Bounds, Hit, Layout, Move, ObjectId, Orthtree, OrthtreeError, Region, Settings, Strategy};

/// Names an object of a [`Layered`], and says in which of its trees it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LayeredId {
    /// It does not move.
    Static(ObjectId),
    /// It moves.
    Moving(ObjectId),
}

/// Two trees over one root: one for objects that stay, one for those that move. Queries ask the static one first.
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

    /// The tree of what stays.
    pub fn fixed(&self) -> &Orthtree<D, L, S> {
        &self.fixed
    }

    /// The tree of what moves.
    pub fn moving(&self) -> &Orthtree<D, L, S> {
        &self.moving
    }

    /// Adds an object that stays.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Orthtree::insert`].
    pub fn insert_static(&mut self, bounds: Bounds<D>, key: u64) -> Result<LayeredId, OrthtreeError> {
        self.fixed.insert(bounds, key).map(LayeredId::Static)
    }

    /// Adds an object that moves.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Orthtree::insert`].
    pub fn insert_moving(&mut self, bounds: Bounds<D>, key: u64) -> Result<LayeredId, OrthtreeError> {
        self.moving.insert(bounds, key).map(LayeredId::Moving)
    }

    /// Gives an object a new box; one that stays may be set elsewhere too, at the same cost.
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

    /// Gives many moving objects new boxes, as [`Orthtree::update_many`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn update_many(&mut self, moves: &[Move<D>]) -> Result<(), OrthtreeError> {
        self.moving.update_many(moves)
    }

    /// As [`update_many`](Self::update_many), with an executor's workers.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn update_many_on(
        &mut self,
        executor: &dyn tombolo_threads::Executor,
        moves: &[Move<D>],
    ) -> Result<(), OrthtreeError> {
        self.moving.update_many_on(executor, moves)
    }

    /// Removes an object and gives back its number.
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

    /// Calls `visit` for each object whose box overlaps a region: first those that stay, then those that move, each in
    /// the order of [`Orthtree::query`].
    pub fn query(&self, region: &impl Region<D>, mut visit: impl FnMut(LayeredId, Hit<D>)) {
        self.fixed
            .query(region, |hit| visit(LayeredId::Static(hit.id), hit));
        self.moving
            .query(region, |hit| visit(LayeredId::Moving(hit.id), hit));
    }
}
