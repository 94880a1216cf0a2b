//! [`Space`]: the grid and the trees of entities' boxes, with their queries.
//!
//! Objects of up to [`CELL_SIZE`] are in the grid, which is faster than a tree in every query and in moving where
//! objects are of one size; larger ones are in the trees. Results have an order of their own, which does not depend
//! on that division.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;

use tombolo_entity::{Entity, Kept, Rows, RowsImage};
use tombolo_geometry::Vec2;
use tombolo_geometry::orthtree::{
    Bounds, Convex, Hit, Layered, LayeredId, Linear, Loose, Move, ObjectId, OrthtreeError, Region, Settings,
    UniformGrid,
};
use tombolo_threads::{Executor, Inline};

use super::camera::Camera;
use super::free::FreeSpace;

/// The half size of the first root along both axes, in meters; the root grows.
const ROOT_HALF_SIZE: f32 = 2048.0;
/// The size of the grid's cells, in meters.
const CELL_SIZE: f32 = 4.0;
/// The number of levels below the first root: its cells are as large as the grid's.
const DEPTH: u32 = 10;
/// The number of levels that the root may grow by: beyond every coordinate that physics accepts.
const GROWTH: u32 = 21;

/// The greatest distance of boxes from the origin along either axis, in meters: whatever the earlier boxes, the root
/// grows so far.
const REACH: f32 = 1.0e9;

/// The reason why an entity has no place.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub(super) enum TrackError {
    #[error(
        "its box reaches further than {REACH} m from the origin, or is none; make it smaller or bring it nearer"
    )]
    OutOfReach,
    #[error(transparent)]
    Refused(#[from] OrthtreeError),
}

/// The structure that holds an entity's box.
#[derive(Clone, Copy, Debug)]
pub(super) enum Holder {
    Grid(ObjectId),
    Trees(LayeredId),
}

/// The data of one entity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TrackedEntity {
    pub(super) entity: Entity,
    pub(super) bounds: Bounds<2>,
    /// Whether it has a static body.
    pub(super) is_static: bool,
}

/// The boxes of all entities, as of the last step: small ones are in a grid; of the others, entities with static
/// bodies are in one tree, all others in another.
///
/// The box of an entity is that around its body's shapes; without them that of its sprite; without that, the point of
/// its position.
///
/// ```
/// use tombolo::geometry::orthtree::{Ball, Bounds};
/// use tombolo::{Scene, World};
/// let scene = Scene::parse("crates.ron", r#"(
///     entities: {"crate": {
///         "body": Body(kind: Dynamic), "skin": Collider(shape: Box(width: 1, height: 1)), "loot": Tag(),
///     }},
///     place: [Row(name: "crate", entity: "crate", count: 5, at: (0, 10), step: (4, 0))],
/// )"#)?;
/// let mut world = World::from_scene(&scene)?;
/// world.step();
/// let near = world.entities_in(&Ball { center: [0.0, 10.0], radius: 4.0 }, Some("loot"));
/// assert_eq!(near.len(), 2);
/// let all = world.space().find(&Bounds::new([-1.0, 0.0], [20.0, 20.0]));
/// assert_eq!(all.len(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Space {
    pub(super) grid: UniformGrid,
    trees: Layered<2, Linear, Loose>,
    /// The entities by index.
    pub(super) places: Rows<Option<TrackedEntity>>,
    /// What holds the box of each of them, by index.
    pub(super) holders: Vec<Option<Holder>>,
    /// Pending moves within the tree of moving entities. An entity that was added twice moves once: from its first
    /// box.
    moves: Vec<Move<2>>,
    /// Entities with static bodies that were added, changed or removed since free space was updated.
    pub(super) walls: Vec<Entity>,
    pub(super) free: Vec<Kept<FreeSpace>>,
}

impl Space {
    pub(in crate::world) fn new() -> Self {
        let root = Bounds::around([0.0; 2], ROOT_HALF_SIZE);
        let settings = Settings {
            depth_max: DEPTH,
            growth_max: GROWTH,
            ..Settings::default()
        };
        let grid = UniformGrid::new(CELL_SIZE);
        let trees = Layered::new(root, Loose::default(), settings);
        Self {
            grid: grid.expect("the size of cells is a constant that fits"),
            trees: trees.expect("the root and the levels are constants that fit"),
            places: Rows::new(),
            holders: Vec::new(),
            moves: Vec::new(),
            walls: Vec::new(),
            free: Vec::new(),
        }
    }

    /// The entities whose boxes overlap a region, by entity.
    pub fn find(&self, region: &impl Region<2>) -> Vec<Entity> {
        let mut found = Vec::new();
        self.visit(region, |entity, _| found.push(entity));
        found.sort_unstable();
        found
    }

    /// Calls `visit` with each entity whose box overlaps a region, and the box. The order is arbitrary: it may differ
    /// in a world that was restored. Cheaper than [`find`](Self::find).
    pub fn visit(&self, region: &impl Region<2>, mut visit: impl FnMut(Entity, Bounds<2>)) {
        let mut tell = |hit: Hit<2>| {
            if let Some(entity) = Entity::from_bits(hit.key) {
                visit(entity, hit.bounds);
            }
        };
        self.grid.query(region, &mut tell);
        self.trees.query(region, |_, hit| tell(hit));
    }

    /// The entities whose boxes are nearest to a point, nearest first, equally near ones by entity; with the distance
    /// in meters, 0 inside. Empty if the point is not finite.
    pub fn nearest(&self, point: Vec2, count: usize) -> Vec<(Entity, f64)> {
        // Of equally near ones grid and trees return any, so all that are as near as the last are requested.
        let mut found = Vec::new();
        let at = point.to_array();
        let near = [
            self.grid.nearest(at, count),
            self.trees.fixed().nearest(at, count),
            self.trees.moving().nearest(at, count),
        ];
        for near in near.into_iter().map(Result::unwrap_or_default) {
            found.extend(near.into_iter().map(|(_, distance_squared)| distance_squared));
        }
        found.sort_by(f64::total_cmp);
        let Some(&farthest) = found.get(count.min(found.len()).wrapping_sub(1)) else {
            return Vec::new();
        };
        let radius = (libm::sqrt(farthest) as f32).next_up();
        let mut all = Vec::new();
        self.visit(&Bounds::around(point.to_array(), radius), |entity, bounds| {
            all.push((bounds.distance_squared(&point.to_array()), entity))
        });
        all.retain(|(distance_squared, _)| *distance_squared <= farthest);
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        all.truncate(count);
        all.into_iter()
            .map(|(distance_squared, entity)| (entity, libm::sqrt(distance_squared)))
            .collect()
    }

    /// The entities whose boxes a camera shows, by entity.
    pub fn visible(&self, camera: &Camera) -> Vec<Entity> {
        let sides = camera.sides();
        self.find(&Convex {
            sides: &sides,
            bounds: camera.bounds(),
        })
    }

    /// The box of an entity, if it has a place.
    pub fn bounds(&self, entity: Entity) -> Option<Bounds<2>> {
        self.place(entity).map(|place| place.bounds)
    }

    /// The grid of small entities. Keys are entities as bits.
    pub fn grid(&self) -> &UniformGrid {
        &self.grid
    }

    /// The trees of entities larger than a cell of the grid: static ones and moving ones. Keys are entities as bits.
    pub fn trees(&self) -> &Layered<2, Linear, Loose> {
        &self.trees
    }

    /// The areas where agents may be, for each clearance that was used lately; in an arbitrary order.
    pub fn free_spaces(&self) -> impl Iterator<Item = &FreeSpace> {
        self.free.iter().map(|free| &**free)
    }

    /// The number of entities with a place.
    pub fn len(&self) -> usize {
        self.grid.len() + self.trees.fixed().len() + self.trees.moving().len()
    }

    /// Whether no entity has a place.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All entities with their boxes, in the order of their indices.
    pub fn entities(&self) -> impl Iterator<Item = (Entity, Bounds<2>)> + '_ {
        let known = self.places.iter().flatten();
        known.map(|place| (place.entity, place.bounds))
    }

    pub(super) fn place(&self, entity: Entity) -> Option<&TrackedEntity> {
        let place = self.places.get(entity.index() as usize)?.as_ref();
        place.filter(|place| place.entity == entity)
    }

    /// Removes an entity; returns whether it was a wall.
    pub(in crate::world) fn remove(&mut self, entity: Entity) -> bool {
        let Some(place) = self.place(entity).copied() else {
            return false;
        };
        let index = entity.index() as usize;
        *self.places.row_mut(index) = None;
        let removed = match self.holders[index].take() {
            Some(Holder::Grid(id)) => self.grid.remove(id).is_ok(),
            Some(Holder::Trees(id)) => self.trees.remove(id).is_ok(),
            None => false,
        };
        debug_assert!(removed, "what has a place is held by a live id");
        if place.is_static {
            self.walls.push(entity);
        }
        place.is_static
    }

    /// Adds an entity, or moves it. A move within the tree of large moving entities is pending until
    /// [`apply_moves`](Self::apply_moves); whether it is refused is decided here. An entity that is refused has no
    /// place.
    pub(super) fn put(
        &mut self,
        entity: Entity,
        bounds: Bounds<2>,
        is_static: bool,
    ) -> Result<(), TrackError> {
        if !is_in_reach(&bounds) {
            self.remove(entity);
            return Err(TrackError::OutOfReach);
        }
        let index = entity.index() as usize;
        let known = self.place(entity).copied();
        if let Some((place, holder)) = known.zip(self.holders.get(index).copied().flatten()) {
            let stays_held = match holder {
                _ if place.is_static != is_static => false,
                _ if place.bounds == bounds => {
                    if is_static {
                        // A shape may have changed though the box has not.
                        self.walls.push(entity);
                    }
                    return Ok(());
                }
                // Refused, with nothing changed, if it has grown larger than a cell.
                Holder::Grid(id) => !is_static && self.grid.update(id, bounds).is_ok(),
                Holder::Trees(LayeredId::Moving(id)) if !self.grid.fits(&bounds) => {
                    self.moves.push(Move { id, bounds });
                    true
                }
                Holder::Trees(_) => false,
            };
            if stays_held {
                *self.places.row_mut(index) = Some(TrackedEntity { bounds, ..place });
                return Ok(());
            }
            self.remove(entity);
        }
        if is_static {
            self.walls.push(entity);
        }
        let holder = if self.grid.fits(&bounds) {
            Holder::Grid(self.grid.insert(bounds, entity.to_bits())?)
        } else if is_static {
            Holder::Trees(self.trees.insert_static(bounds, entity.to_bits())?)
        } else {
            Holder::Trees(self.trees.insert_moving(bounds, entity.to_bits())?)
        };
        if self.places.len() <= index {
            self.places.resize(index + 1, None);
            self.holders.resize(index + 1, None);
        }
        *self.places.row_mut(index) = Some(TrackedEntity {
            entity,
            bounds,
            is_static,
        });
        self.holders[index] = Some(holder);
        Ok(())
    }

    /// Applies the pending moves to the tree.
    pub(super) fn apply_moves(&mut self, executor: &dyn Executor) -> Result<(), OrthtreeError> {
        let applied = self.trees.update_many_on(executor, &self.moves);
        self.moves.clear();
        applied
    }
}

/// The boxes at one moment, from [`Space::image`], and the free spaces.
#[derive(Clone, Debug)]
pub(in crate::world) struct SpaceImage {
    places: RowsImage<Option<TrackedEntity>>,
    walls: Vec<Entity>,
    free: Vec<Arc<FreeSpace>>,
}

impl SpaceImage {
    /// The bytes of the boxes that this image does not share with one before it.
    pub(in crate::world) fn bytes(&self, before: Option<&Self>) -> usize {
        self.places.bytes(before.map(|before| &before.places))
    }
}

impl Space {
    /// What frames keep: the boxes of all entities, at the cost of those that changed since the last image, and the free
    /// spaces that changed.
    pub(in crate::world) fn image(&mut self) -> SpaceImage {
        debug_assert!(self.moves.is_empty(), "no move is pending between calls");
        SpaceImage {
            places: self.places.image(),
            walls: self.walls.clone(),
            free: self.free.iter_mut().map(Kept::image).collect(),
        }
    }

    /// Moves the boxes that differ to where they are in an image. The grid and the trees may then have another inner
    /// order than at its moment, on which no result depends.
    pub(in crate::world) fn restore(&mut self, image: &SpaceImage) {
        let differing: Vec<_> = self.places.differing(&image.places).collect();
        for index in differing.into_iter().flatten() {
            let now = self.places.get(index).copied().flatten();
            let then = image.places.get(index).copied().flatten();
            if now == then {
                continue;
            }
            if let Some(now) = now.filter(|now| then.is_none_or(|then| then.entity != now.entity)) {
                self.remove(now.entity);
            }
            if let Some(then) = then {
                let put = self.put(then.entity, then.bounds, then.is_static);
                debug_assert!(put.is_ok(), "the box had a place before");
            }
        }
        let moved = self.apply_moves(&Inline);
        debug_assert!(moved.is_ok(), "the boxes had places before");
        self.places.resize(image.places.len(), None);
        self.holders.resize(image.places.len(), None);
        debug_assert!(self.places.iter().eq(image.places.iter()), "the boxes are back");
        self.places.set_image(&image.places);
        self.walls.clone_from(&image.walls);
        let mut known = mem::take(&mut self.free);
        let free = image.free.iter().map(|then| {
            let place = known.iter().position(|free| free.clearance == then.clearance);
            match place.map(|place| known.swap_remove(place)) {
                None => Kept::of(then),
                Some(mut free) => {
                    Kept::restore(&mut free, then);
                    free
                }
            }
        });
        self.free = free.collect();
    }
}

pub(super) fn is_in_reach(bounds: &Bounds<2>) -> bool {
    let edges = bounds.min.iter().zip(&bounds.max);
    edges
        .into_iter()
        .all(|(min, max)| -REACH <= *min && min <= max && *max <= REACH)
}
