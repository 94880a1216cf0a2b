//! [`Zones`]: where the zones of a world lie, cut over cells ([`Polygons`]), and who is in which. `update.rs` keeps it up to
//! date in the stage `zones`.
//!
//! All of it follows from the components: zones know their visitors, and a restored world cuts them again.
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

/// How many sizes of cells there are.
const LEVELS: usize = 6;
/// The side of the smallest cells, in meters.
const CELL_MIN: f64 = 4.0;
/// Cells of the next size are so many times as large.
const CELL_FACTOR: f64 = 8.0;
/// A zone has at most so many cells along either axis, if there are cells so large.
const CELLS_ACROSS: f64 = 8.0;
/// Levels from the first root down to a cell.
const DEPTH: u32 = 8;
/// Levels that a root may grow by.
const GROWTH: u32 = 23;

/// Where a zone lies.
#[derive(Clone, Copy, Debug)]
struct PlacedZone {
    level: usize,
    id: PolygonId,
    bounds: Bounds<2>,
}

/// The zones of a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Zones {
    /// By the size of cells; made when one is needed.
    levels: [Option<Polygons>; LEVELS],
    placed: BTreeMap<ZoneKey, PlacedZone>,
    /// The zone that a polygon's key names.
    keys: BTreeMap<u64, ZoneKey>,
    next_key: u64,
    /// In which zones entities are; ascending. The other half of what the components hold.
    of_visitors: BTreeMap<Entity, Vec<ZoneKey>>,
    /// Entities that moved after the last step's stage.
    waiting: Vec<Entity>,
    /// So many of the step's moved entities were looked at.
    seen: usize,
    /// The farthest that an entity's place lies outside of its box in space, in meters.
    stray: f32,
    /// Entities that have no box in space.
    unplaced: BTreeSet<Entity>,
    /// Everybody is to be looked at: the world was restored.
    is_stale: bool,
}

impl Zones {
    /// Of a restored world, in which nothing is known.
    pub(super) fn stale() -> Self {
        Self {
            is_stale: true,
            ..Self::default()
        }
    }

    /// The zones that a point lies in, ascending.
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

    /// Puts a zone somewhere, or elsewhere. One that is refused is nowhere.
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

    /// Takes a zone out.
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

/// An empty tree of cells of a size.
fn cells(level: usize) -> Polygons {
    let side = CELL_MIN * libm::pow(CELL_FACTOR, level as f64);
    let half = (side * f64::from(1_u32 << (DEPTH - 1))) as f32;
    // The largest cells are larger than the world.
    let growth = GROWTH.saturating_sub(3 * level as u32);
    let polygons = Polygons::new(Bounds::around([0.0; 2], half), DEPTH, growth);
    polygons.expect("the root and the levels are constants that fit")
}

/// The level of the smallest cells of which a zone has few.
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

/// The box around a polygon, a little larger.
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
