//! [`Zones`]: the areas of a world's zones, cut over cells ([`Polygons`]), and the entities in each. `update.rs`
//! keeps it up to date in the stage `zones`.
//!
//! All of it is derived from the components: zones store their visitors, and a restored world cuts the zones again,
//! before anybody asks. Scripts ask before the stage of their step, so zones that moved since the last one are cut for
//! them first: in a world that ran on as in one that was restored in between.
//!
//! A zone is cut over cells of about an eighth of its own extent, so each has a few dozen pieces whatever its size, and a
//! point is tested against the corners of one piece.

mod update;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use tombolo_entity::{Entity, InstanceId};
use tombolo_geometry::orthtree::{Bounds, PolygonError, PolygonId, Polygons};
use tombolo_geometry::split::ConcavePolygon;
use tombolo_physics::DVec2;

/// A zone: its entity and which of the entity's components it is.
pub(super) type ZoneKey = (Entity, InstanceId);

/// The number of sizes of cells.
const LEVELS: usize = 6;
/// The size of the smallest cells, in meters.
const CELL_MIN: f64 = 4.0;
/// The ratio of a size of cells to the next smaller one.
const CELL_FACTOR: f64 = 8.0;
/// The greatest number of cells of a zone along either axis, if there are cells so large.
const CELLS_ACROSS: f64 = 8.0;
/// The number of levels from the first root down to a cell.
const DEPTH: u32 = 8;
/// The number of levels that a root may grow by.
const GROWTH: u32 = 23;

/// The distance from its box, in meters, from which on an entity is a candidate for every zone, so that zones need not
/// look farther for the others.
const STRAY_MAX_M: f32 = 4.0;

/// The place of a zone in the trees.
#[derive(Clone, Copy, Debug)]
struct PlacedZone {
    level: usize,
    id: PolygonId,
    bounds: Bounds<2>,
}

/// The zones of a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Zones {
    /// The trees by the size of cells; created when one is needed.
    levels: [Option<Polygons>; LEVELS],
    placed: BTreeMap<ZoneKey, PlacedZone>,
    /// The zone of a polygon's key.
    keys: BTreeMap<u64, ZoneKey>,
    next_key: u64,
    /// The zones that entities are in; ascending. The inverse of the visitors in the components.
    of_visitors: BTreeMap<Entity, Vec<ZoneKey>>,
    /// Entities that moved after the last step's stage.
    waiting: Vec<Entity>,
    /// The number of the step's moved entities that were examined.
    seen: usize,
    /// The greatest distance by which an entity's position is outside of its box in space, in meters, but for those in
    /// `unplaced`.
    stray: f32,
    /// Entities that have no box in space, or are farther than [`STRAY_MAX_M`] outside of it: a body that has its shapes
    /// in world coordinates, say. They are candidates everywhere.
    unplaced: BTreeSet<Entity>,
    /// Whether the next stage has to examine all entities: the world was restored, or has its first zones.
    is_stale: bool,
}

impl Zones {
    /// Whether nothing was ever kept here.
    fn is_new(&self) -> bool {
        let is_empty = self.placed.is_empty() && self.keys.is_empty() && self.of_visitors.is_empty();
        let has_none = self.waiting.is_empty() && self.unplaced.is_empty() && !self.is_stale;
        is_empty
            && has_none
            && self.next_key == 0
            && self.seen == 0
            && self.levels.iter().all(Option::is_none)
    }

    /// The zones that contain a point, ascending.
    pub(super) fn at(&self, point: DVec2) -> Vec<ZoneKey> {
        let mut found = Vec::new();
        for polygons in self.levels.iter().flatten().filter(|level| !level.is_empty()) {
            let ids = polygons.at(point).into_iter();
            let keys = ids.filter_map(|id| polygons.get(id).map(|polygon| polygon.key()));
            found.extend(keys.filter_map(|key| self.keys.get(&key)));
        }
        found.sort_unstable();
        found
    }

    /// The zones that an entity was in at the end of the last step, ascending.
    pub(super) fn of(&self, visitor: Entity) -> &[ZoneKey] {
        self.of_visitors.get(&visitor).map_or(&[], Vec::as_slice)
    }

    fn contains(&self, zone: ZoneKey, point: DVec2) -> bool {
        let Some(placed) = self.placed.get(&zone) else {
            return false;
        };
        let polygons = self.levels[placed.level].as_ref();
        polygons.is_some_and(|polygons| polygons.contains(placed.id, point))
    }

    /// Adds a zone, or moves it. A zone that is refused has no place.
    fn place(&mut self, zone: ZoneKey, polygon: &ConcavePolygon) -> Result<(), PolygonError> {
        let bounds = bounds_of(polygon);
        let level = level_of(&bounds);
        let polygons = self.levels[level].get_or_insert_with(|| cells(level));
        if let Some(placed) = self.placed.get_mut(&zone).filter(|placed| placed.level == level) {
            match polygons.update(placed.id, polygon) {
                Ok(()) => placed.bounds = bounds,
                Err(error) => {
                    self.take_away(zone);
                    return Err(error);
                }
            }
            return Ok(());
        }
        let key = self.next_key;
        let inserted = polygons.insert(polygon, key);
        self.take_away(zone);
        let id = inserted?;
        self.next_key += 1;
        self.keys.insert(key, zone);
        self.placed.insert(zone, PlacedZone { level, id, bounds });
        Ok(())
    }

    /// Removes a zone.
    fn take_away(&mut self, zone: ZoneKey) {
        let Some(placed) = self.placed.remove(&zone) else {
            return;
        };
        let polygons = self.levels[placed.level].as_mut();
        let key = polygons.map(|polygons| polygons.remove(placed.id));
        if let Some(Ok(key)) = key {
            self.keys.remove(&key);
        }
    }
}

/// An empty tree with cells of a size.
fn cells(level: usize) -> Polygons {
    let side = CELL_MIN * libm::pow(CELL_FACTOR, level as f64);
    let half = (side * f64::from(1_u32 << (DEPTH - 1))) as f32;
    // The largest cells are larger than the world.
    let growth = GROWTH.saturating_sub(3 * level as u32);
    let polygons = Polygons::new(Bounds::around([0.0; 2], half), DEPTH, growth);
    polygons.expect("the root and the levels are constants that fit")
}

/// The level of the smallest cells of which a zone needs few.
fn level_of(bounds: &Bounds<2>) -> usize {
    let extent = |axis: usize| f64::from(bounds.max[axis]) - f64::from(bounds.min[axis]);
    let extent = extent(0).max(extent(1));
    let mut side = CELL_MIN;
    let mut level = 0;
    while level + 1 < LEVELS && extent > CELLS_ACROSS * side {
        side *= CELL_FACTOR;
        level += 1;
    }
    level
}

/// The box around a polygon, slightly enlarged.
fn bounds_of(polygon: &ConcavePolygon) -> Bounds<2> {
    let mut bounds = Bounds::new([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
    for point in polygon.points() {
        for axis in 0..2 {
            let coordinate = point[axis] as f32;
            bounds.min[axis] = bounds.min[axis].min(coordinate.next_down());
            bounds.max[axis] = bounds.max[axis].max(coordinate.next_up());
        }
    }
    bounds
}
