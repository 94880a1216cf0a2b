//! The plain model that trees are compared with: a list of boxes; and the random operations that both are given.

use std::collections::BTreeMap;

use tombolo_geometry::orthtree::{Bounds, Cell, Layout, ObjectId, Orthtree, Settings, Strategy};

/// A small generator (splitmix64), so that a failing case is named by one number.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// In `[0, 1)`.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 24) as f32
    }
}

/// The seeds of a test that has `count` of them, or the share that this program tries.
pub(crate) fn seeds(count: u64) -> core::ops::Range<u64> {
    0..count.div_ceil(crate::SHARE)
}

/// The side of the first root in all suites; its lower corner is at -8 along each axis.
pub(crate) const SIDE: f32 = 32.0;
pub(crate) const LOW: f32 = -8.0;

pub(crate) fn first_root<const D: usize>() -> Bounds<D> {
    Bounds::new([LOW; D], [LOW + SIDE; D])
}

/// A box within `[low, low + side)`: half of them with corners on the planes of cells, some without extent, some large.
pub(crate) fn random_box<const D: usize>(random: &mut Random, low: f32, side: f32) -> Bounds<D> {
    let on_planes = random.below(2) == 0;
    let size = [0.0, 1.0, 1.0, 4.0, 0.5 * side][random.below(5) as usize];
    let mut bounds = Bounds::point([0.0; D]);
    for axis in 0..D {
        let mut extent = size * random.unit();
        let mut min = low + (side - extent) * random.unit();
        if on_planes {
            (min, extent) = (min.floor(), extent.floor());
        }
        bounds.min[axis] = min;
        bounds.max[axis] = (min + extent).min((low + side).next_down());
    }
    bounds
}

/// A tree and its model.
pub(crate) struct Twin<const D: usize, L: Layout<D>, S> {
    pub(crate) tree: Orthtree<D, L, S>,
    pub(crate) model: BTreeMap<ObjectId, (Bounds<D>, u64)>,
    stale: Vec<ObjectId>,
}

impl<const D: usize, L: Layout<D>, S: Strategy<D>> Twin<D, L, S> {
    pub(crate) fn new(strategy: S, settings: Settings) -> Self {
        Self {
            tree: Orthtree::new(first_root(), strategy, settings).unwrap(),
            model: BTreeMap::new(),
            stale: Vec::new(),
        }
    }

    pub(crate) fn insert(&mut self, bounds: Bounds<D>) -> ObjectId {
        let key = self.model.len() as u64;
        let id = self.tree.insert(bounds, key).unwrap();
        assert_eq!(self.model.insert(id, (bounds, key)), None);
        id
    }

    pub(crate) fn update(&mut self, id: ObjectId, bounds: Bounds<D>) {
        self.tree.update(id, bounds).unwrap();
        self.model.get_mut(&id).unwrap().0 = bounds;
    }

    pub(crate) fn remove(&mut self, id: ObjectId) {
        let (_, key) = self.model.remove(&id).unwrap();
        assert_eq!(self.tree.remove(id), Ok(key));
        assert!(self.tree.remove(id).is_err(), "a removed id is stale");
        self.stale.push(id);
    }

    pub(crate) fn any(&self, random: &mut Random) -> Option<ObjectId> {
        let count = self.model.len() as u64;
        (count > 0).then(|| *self.model.keys().nth(random.below(count) as usize).unwrap())
    }

    /// One random operation with boxes in `[low, low + side)`.
    pub(crate) fn step(&mut self, random: &mut Random, low: f32, side: f32) {
        let chosen = self.any(random);
        match (random.below(8), chosen) {
            (0..=2, _) | (_, None) => {
                self.insert(random_box(random, low, side));
            }
            (3 | 4, Some(id)) => self.update(id, random_box(random, low, side)),
            (5 | 6, Some(id)) => self.nudge(random, id, low, side),
            (_, Some(id)) => self.remove(id),
        }
        for id in &self.stale {
            assert!(self.model.contains_key(id) || !self.tree.contains(*id));
        }
    }

    fn nudge(&mut self, random: &mut Random, id: ObjectId, low: f32, side: f32) {
        let mut bounds = self.model[&id].0;
        for axis in 0..D {
            let way = random.unit() - 0.5;
            if bounds.min[axis] + way >= low && bounds.max[axis] + way < low + side {
                bounds.min[axis] += way;
                bounds.max[axis] += way;
            }
        }
        self.update(id, bounds);
    }

    /// All cells with the keys of their objects, in pre-order, cells without objects left out.
    pub(crate) fn content(&self) -> Vec<(Cell<D>, Vec<u64>)> {
        let mut content = Vec::new();
        self.tree.visit_all(|view| {
            let mut keys: Vec<u64> = self.tree.objects_of(view.node).map(|hit| hit.key).collect();
            assert_eq!(keys.len(), view.count as usize);
            keys.sort_unstable();
            if !keys.is_empty() {
                content.push((view.cell, keys));
            }
        });
        content
    }
}

impl<const D: usize, L: Layout<D>, S> Twin<D, L, S> {
    /// A tree whose boxes nobody has noted.
    pub(crate) fn of(tree: Orthtree<D, L, S>) -> Self {
        Self {
            tree,
            model: BTreeMap::new(),
            stale: Vec::new(),
        }
    }
}
