//! [`Interest`]: which entities entered and left the areas of observers. For servers that send each player the
//! entities nearby.
//!
//! No set of members is kept. The effect of an entity's move follows from its old and its new box and the observers
//! whose *borders* are near, which a grid of borders finds; the effect of an observer's move follows from the strips
//! between its old and its new area. So the cost depends on what moves, not on what the observers see.
//!
//! Why: `docs/decisions.md#interest-sets-belong-to-the-server`.

use alloc::vec::Vec;
use core::ops::Range;

use tombolo_entity::Entity;
use tombolo_geometry::orthtree::Bounds;
use tombolo_handles::{Handle, HandleMap};

use super::Space;

/// The id of an observer of one [`Interest`]; stale after its removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObserverId(Handle<Observer>);

/// The reason why a call about an observer was refused. Nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InterestError {
    /// The observer was removed.
    #[error("the observer was removed")]
    StaleObserver,
    /// The area's least corner is not below its greatest, or not a number. An area may be infinite.
    #[error("{0:?} is no area: each minimum must be a number that is not above its maximum")]
    Area(Bounds<2>),
}

/// The area of an observer at the last update, and from the next one on.
#[derive(Clone, Debug)]
struct Observer {
    seen: Option<Bounds<2>>,
    area: Bounds<2>,
}

/// A change: the observer's slot, the entity, and whether it entered.
type InterestChange = (u32, Entity, bool);

/// The areas of observers, with the entities that entered and left each at the last [`update`](Self::update).
///
/// It belongs to the caller and not to the world, and is not part of a save: after a restore a new one reports all
/// visible entities as entered.
///
/// ```
/// use tombolo::geometry::orthtree::Bounds;
/// use tombolo::physics::Vec2;
/// use tombolo::entity::Value;
/// use tombolo::{Interest, Settings, World};
/// let mut world = World::new(&Settings::default())?;
/// let ship = world.create(Some("ship"))?;
/// let mut interest = Interest::new();
/// let player = interest.add(Bounds::around([0.0, 0.0], 10.0))?;
/// world.step();
/// interest.update(world.space());
/// assert_eq!(interest.entered(player)?, [ship]);
///
/// world.set(ship, "transform.position", Value::Vec2(Vec2::new(50.0, 0.0)))?;
/// world.step();
/// interest.update(world.space());
/// assert_eq!(interest.left(player)?, [ship]);
/// assert!(interest.stayed(world.space(), player)?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Interest {
    observers: HandleMap<Observer>,
    /// The boxes of entities at the last update, by entity index.
    known: Vec<Option<(Entity, Bounds<2>)>>,
    changes: Vec<InterestChange>,
    /// The entities that entered and those that left, of all observers by slot.
    entered: Vec<Entity>,
    left: Vec<Entity>,
    /// The ends of each slot's part in both lists.
    ends: Vec<(usize, usize)>,
}

impl Interest {
    /// No observers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an observer; all entities in its area enter at the next update.
    ///
    /// # Errors
    ///
    /// If the area is invalid.
    pub fn add(&mut self, area: Bounds<2>) -> Result<ObserverId, InterestError> {
        let area = check(area)?;
        Ok(ObserverId(self.observers.insert(Observer { seen: None, area })))
    }

    /// Removes an observer, without reporting exits from its area.
    ///
    /// # Errors
    ///
    /// If it was removed before.
    pub fn remove(&mut self, id: ObserverId) -> Result<(), InterestError> {
        let removed = self.observers.remove(id.0);
        removed.map(|_| ()).ok_or(InterestError::StaleObserver)
    }

    /// Sets the area of an observer from the next update on.
    ///
    /// # Errors
    ///
    /// If the observer was removed, or the area is invalid.
    pub fn set_area(&mut self, id: ObserverId, area: Bounds<2>) -> Result<(), InterestError> {
        let observer = self.observers.get_mut(id.0);
        observer.ok_or(InterestError::StaleObserver)?.area = check(area)?;
        Ok(())
    }

    /// Compares with the last update: finds the entities that entered and left each area, by moving or because the
    /// area moved, by being spawned or by ending.
    pub fn update(&mut self, space: &Space) {
        self.changes.clear();
        self.follow_entities(space);
        self.follow_areas(space);
        // One entity may leave by its own move and enter by the area's: then nothing has changed.
        self.changes.sort_unstable();
        self.changes.dedup();
        let mut kept: Vec<InterestChange> = Vec::with_capacity(self.changes.len());
        for change in self.changes.drain(..) {
            match kept.last() {
                Some(last) if (last.0, last.1) == (change.0, change.1) => {
                    kept.pop();
                }
                _ => kept.push(change),
            }
        }
        self.entered.clear();
        self.left.clear();
        self.ends.clear();
        let mut changes = kept.into_iter().peekable();
        for index in 0..self.observers.slot_count() as u32 {
            while let Some((_, entity, came)) = changes.next_if(|change| change.0 == index) {
                if came {
                    self.entered.push(entity);
                } else {
                    self.left.push(entity);
                }
            }
            self.ends.push((self.entered.len(), self.left.len()));
        }
    }

    /// The entities that entered an observer's area at the last update, by entity.
    ///
    /// # Errors
    ///
    /// If the observer was removed.
    pub fn entered(&self, id: ObserverId) -> Result<&[Entity], InterestError> {
        let [entered, _] = self.part(id)?;
        Ok(&self.entered[entered])
    }

    /// The entities that left an observer's area at the last update, by entity, with those that ended.
    ///
    /// # Errors
    ///
    /// If the observer was removed.
    pub fn left(&self, id: ObserverId) -> Result<&[Entity], InterestError> {
        let [_, left] = self.part(id)?;
        Ok(&self.left[left])
    }

    /// The entities that were in an observer's area at the last update and at the one before, by entity. Costs a
    /// query. `space` must be unchanged since that update.
    ///
    /// # Errors
    ///
    /// If the observer was removed.
    pub fn stayed(&self, space: &Space, id: ObserverId) -> Result<Vec<Entity>, InterestError> {
        let entered = self.entered(id)?;
        let Some(area) = self.observer(id)?.seen else {
            return Ok(Vec::new());
        };
        let mut found = space.find(&area);
        found.retain(|entity| entered.binary_search(entity).is_err());
        Ok(found)
    }

    fn observer(&self, id: ObserverId) -> Result<&Observer, InterestError> {
        self.observers.get(id.0).ok_or(InterestError::StaleObserver)
    }

    /// The ranges of an observer's part in both lists. An observer that was added since the last update has empty
    /// ones, whatever is left of another in the same slot.
    fn part(&self, id: ObserverId) -> Result<[Range<usize>; 2], InterestError> {
        if self.observer(id)?.seen.is_none() {
            return Ok([0..0, 0..0]);
        }
        let slot = id.0.index() as usize;
        let start = slot.checked_sub(1).map_or((0, 0), |before| self.ends[before]);
        let end = self.ends[slot];
        Ok([start.0..end.0, start.1..end.1])
    }

    /// Finds the changes by moves, spawns and ends of entities, with the areas of the last update.
    fn follow_entities(&mut self, space: &Space) {
        let borders = Borders::of(&self.observers);
        let count = self.known.len().max(space.places.len());
        self.known.resize(count, None);
        for (index, known) in self.known.iter_mut().enumerate() {
            let place = space.places.get(index).and_then(Option::as_ref);
            let now = place.map(|place| (place.entity, place.bounds));
            if *known == now {
                continue;
            }
            let before = core::mem::replace(known, now);
            match (before, now) {
                (Some((old, from)), Some((new, to))) if old == new => {
                    borders.each_near(&union(&from, &to), |observer, area| {
                        let (was, is) = (area.overlaps(&from), area.overlaps(&to));
                        if was != is {
                            self.changes.push((observer, new, is));
                        }
                    });
                }
                (before, now) => {
                    for (state, came) in [(before, false), (now, true)] {
                        let Some((entity, bounds)) = state else { continue };
                        for (observer, area) in &borders.areas {
                            if area.overlaps(&bounds) {
                                self.changes.push((*observer, entity, came));
                            }
                        }
                    }
                }
            }
        }
    }

    /// Finds the changes by moves of areas, with the present entities.
    fn follow_areas(&mut self, space: &Space) {
        for (id, observer) in &mut self.observers {
            let area = observer.area;
            let before = observer.seen.replace(area);
            if before == Some(area) {
                continue;
            }
            let index = id.index();
            let Some(old) = before else {
                space.visit(&area, |entity, _| self.changes.push((index, entity, true)));
                continue;
            };
            for (outer, inner, came) in [(&area, &old, true), (&old, &area, false)] {
                for strip in strips(outer, inner).into_iter().flatten() {
                    space.visit(&strip, |entity, bounds| {
                        if outer.overlaps(&bounds) && !inner.overlaps(&bounds) {
                            self.changes.push((index, entity, came));
                        }
                    });
                }
            }
        }
    }
}

/// Refuses an invalid area.
fn check(area: Bounds<2>) -> Result<Bounds<2>, InterestError> {
    let is_area = (0..2).all(|axis| area.min[axis] <= area.max[axis]);
    is_area.then_some(area).ok_or(InterestError::Area(area))
}

fn union(a: &Bounds<2>, b: &Bounds<2>) -> Bounds<2> {
    Bounds {
        min: core::array::from_fn(|axis| a.min[axis].min(b.min[axis])),
        max: core::array::from_fn(|axis| a.max[axis].max(b.max[axis])),
    }
}

/// The parts of one box outside another, as up to four boxes. They may touch; they cover all of the outside part.
fn strips(outer: &Bounds<2>, inner: &Bounds<2>) -> [Option<Bounds<2>>; 4] {
    if !outer.overlaps(inner) {
        return [Some(*outer), None, None, None];
    }
    let [left, right, below, above] = core::array::from_fn(|side| {
        let axis = side / 2;
        let mut strip = *outer;
        if side % 2 == 0 {
            strip.max[axis] = inner.min[axis];
        } else {
            strip.min[axis] = inner.max[axis];
        }
        (strip.min[axis] < strip.max[axis]).then_some(strip)
    });
    [left, right, below, above]
}

/// The greatest number of cells of a grid of borders along an axis.
const WIDTH_MAX: f32 = 512.0;
/// The least size of its cells, in meters.
const CELL_MIN: f32 = 4.0;

/// A grid of the areas' borders: the areas with a border in each cell.
struct Borders {
    areas: Vec<(u32, Bounds<2>)>,
    /// Indices into `areas`, by cell.
    members: Vec<u32>,
    /// The beginning of each cell's members; one more entry than there are cells.
    starts: Vec<u32>,
    low: [f32; 2],
    inverse_size: f32,
    width: [usize; 2],
}

impl Borders {
    /// The borders of the areas at the last update, sorted by cell by counting.
    fn of(observers: &HandleMap<Observer>) -> Self {
        let areas: Vec<(u32, Bounds<2>)> = observers
            .iter()
            .filter_map(|(id, observer)| Some((id.index(), observer.seen?)))
            .collect();
        let around = areas
            .iter()
            .map(|(_, area)| *area)
            .reduce(|a, b| union(&a, &b))
            .unwrap_or(Bounds::point([0.0; 2]));
        let extents = [0, 1].map(|axis| around.max[axis] - around.min[axis]);
        let size = (extents[0].max(extents[1]) / WIDTH_MAX).max(CELL_MIN);
        let mut grid = Self {
            areas,
            members: Vec::new(),
            starts: Vec::new(),
            low: around.min,
            inverse_size: 1.0 / size,
            width: extents.map(|extent| (extent / size) as usize + 1),
        };
        let mut pairs = Vec::new();
        for (place, (_, area)) in grid.areas.iter().enumerate() {
            grid.each_border_cell(area, |cell| pairs.push((cell, place as u32)));
        }
        grid.starts = alloc::vec![0; grid.width[0] * grid.width[1] + 1];
        for (cell, _) in &pairs {
            grid.starts[cell + 1] += 1;
        }
        for cell in 1..grid.starts.len() {
            grid.starts[cell] += grid.starts[cell - 1];
        }
        let mut next = grid.starts.clone();
        grid.members = alloc::vec![0; pairs.len()];
        for (cell, place) in pairs {
            grid.members[next[cell] as usize] = place;
            next[cell] += 1;
        }
        grid
    }

    fn column(&self, axis: usize, edge: f32) -> usize {
        let place = ((edge - self.low[axis]) * self.inverse_size) as usize;
        place.min(self.width[axis] - 1)
    }

    fn each_border_cell(&self, area: &Bounds<2>, mut visit: impl FnMut(usize)) {
        let [left, below] = [0, 1].map(|axis| self.column(axis, area.min[axis]));
        let [right, above] = [0, 1].map(|axis| self.column(axis, area.max[axis]));
        for y in below..=above {
            let step = if y == below || y == above || right == left {
                1
            } else {
                right - left
            };
            for x in (left..=right).step_by(step) {
                visit(y * self.width[0] + x);
            }
        }
    }

    /// Visits the observers whose borders may be in or near a box, some more than once.
    fn each_near(&self, bounds: &Bounds<2>, mut visit: impl FnMut(u32, &Bounds<2>)) {
        if self.areas.is_empty() {
            return;
        }
        let [left, below] = [0, 1].map(|axis| self.column(axis, bounds.min[axis]));
        let [right, above] = [0, 1].map(|axis| self.column(axis, bounds.max[axis]));
        if (right - left + 1) * (above - below + 1) > self.areas.len() {
            self.areas
                .iter()
                .for_each(|(observer, area)| visit(*observer, area));
            return;
        }
        for y in below..=above {
            for x in left..=right {
                let cell = y * self.width[0] + x;
                let members = self.starts[cell] as usize..self.starts[cell + 1] as usize;
                for &place in &self.members[members] {
                    let (observer, area) = &self.areas[place as usize];
                    visit(*observer, area);
                }
            }
        }
    }
}
