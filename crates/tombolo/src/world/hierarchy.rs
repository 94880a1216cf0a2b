//! Parents and children, with parents before children. All data here is derived from the parents in the Transforms.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::ops::Bound;

use tombolo_entity::{Dense, Entity, EntitySystem};

use crate::component::{TRANSFORM, Transform};

/// The children of every parent, and all children in an order in which parents come first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hierarchy {
    // By slot.
    children: BTreeMap<Entity, Vec<Entity>>,
    // By child. What was true when the child came here: an entity that has ended has no Transform to read any more.
    places: BTreeMap<Entity, Place>,
    order: BTreeSet<Rank>,
}

/// Where a child is in the hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    parent: Entity,
    depth: u32,
}

/// A child in the order: by depth, then by slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    depth: u32,
    slot: u32,
    child: Entity,
}

impl Rank {
    fn new(depth: u32, child: Entity) -> Self {
        let slot = child.index();
        Self { depth, slot, child }
    }
}

/// The Transforms of a system.
pub(crate) fn transforms(entities: &EntitySystem) -> Option<&Dense<Transform>> {
    entities.manager(TRANSFORM)
}

/// The parent in an entity's Transform, if that exists.
pub(crate) fn parent_of(entities: &EntitySystem, entity: Entity) -> Option<Entity> {
    let parent = transforms(entities)?.newest(entity)?.parent;
    parent.filter(|parent| entities.entities().is_alive(*parent))
}

impl Hierarchy {
    /// Collects all children again, by depth, then by entity. Costs a sort of the children and a pass over all
    /// Transforms. Returns whether every child has a root: only a forged save has cycles, and their children are left
    /// out.
    pub(crate) fn rebuild(&mut self, entities: &EntitySystem) -> bool {
        let owners = transforms(entities).into_iter().flat_map(Dense::owners);
        let mut depths = Depths::new(entities);
        let mut sound = true;
        *self = Self::default();
        for (entity, _) in owners.filter(|(entity, _)| entities.entities().is_alive(*entity)) {
            match (depths.of(entity), parent_of(entities, entity)) {
                (Some(depth), Some(parent)) => {
                    self.places.insert(entity, Place { parent, depth });
                    self.children.entry(parent).or_default().push(entity);
                }
                (Some(_), None) => {}
                (None, _) => sound = false,
            }
        }
        for siblings in self.children.values_mut() {
            siblings.sort_unstable_by_key(|sibling| sibling.index());
        }
        let ranks = self.places.iter();
        self.order = ranks
            .map(|(child, place)| Rank::new(place.depth, *child))
            .collect();
        sound
    }

    /// Adds an entity that has no children yet, if it has a parent: the same result as [`Self::rebuild`]. O(log children),
    /// and its siblings move in memory.
    pub(crate) fn add(&mut self, entities: &EntitySystem, child: Entity) {
        let Some(parent) = parent_of(entities, child) else {
            return;
        };
        let depth = self.depth(parent) + 1;
        let siblings = self.children.entry(parent).or_default();
        let place = siblings.partition_point(|other| other.index() < child.index());
        siblings.insert(place, child);
        self.places.insert(child, Place { parent, depth });
        self.order.insert(Rank::new(depth, child));
    }

    /// Updates one entity's parent: the same result as [`Self::rebuild`]. O(log children) for it and each of its
    /// descendants, and its siblings, the old and the new, move in memory; the other Transforms are not read.
    pub(crate) fn reparent(&mut self, entities: &EntitySystem, child: Entity) {
        let descendants = self.descendants(child);
        self.remove(child);
        self.add(entities, child);
        // Parents come first among them.
        for child in descendants {
            let Place { parent, depth: old } = self.places[&child];
            let depth = self.depth(parent) + 1;
            self.places.insert(child, Place { parent, depth });
            self.order.remove(&Rank::new(old, child));
            self.order.insert(Rank::new(depth, child));
        }
    }

    /// Whether an entity has a parent.
    pub(crate) fn is_child(&self, entity: Entity) -> bool {
        self.places.contains_key(&entity)
    }

    /// Removes an entity that ended, as its descendants do. O(log children), and its siblings move in memory.
    pub(crate) fn remove(&mut self, entity: Entity) {
        let Some(place) = self.places.remove(&entity) else {
            return;
        };
        self.order.remove(&Rank::new(place.depth, entity));
        let Some(siblings) = self.children.get_mut(&place.parent) else {
            return;
        };
        if let Ok(at) = siblings.binary_search_by_key(&entity.index(), |sibling| sibling.index()) {
            siblings.remove(at);
        }
        if siblings.is_empty() {
            self.children.remove(&place.parent);
        }
    }

    /// The number of an entity's ancestors.
    fn depth(&self, entity: Entity) -> u32 {
        self.places.get(&entity).map_or(0, |place| place.depth)
    }

    /// The children of an entity.
    pub(crate) fn children(&self, parent: Entity) -> &[Entity] {
        self.children.get(&parent).map_or(&[], |children| children)
    }

    /// All children, parents first.
    pub(crate) fn order(&self) -> impl Iterator<Item = Entity> {
        self.order.iter().map(|rank| rank.child)
    }

    /// The children that come after one in [`Self::order`]; all of them after `None`.
    pub(crate) fn order_after(&self, last: Option<Entity>) -> impl Iterator<Item = Entity> {
        let last = last.map(|child| Rank::new(self.depth(child), child));
        let after = last.map_or(Bound::Unbounded, Bound::Excluded);
        let ranks = self.order.range((after, Bound::Unbounded));
        ranks.map(|rank| rank.child)
    }

    /// All descendants of an entity, parents first.
    pub(crate) fn descendants(&self, entity: Entity) -> Vec<Entity> {
        let mut found = Vec::from(self.children(entity));
        let mut at = 0;
        while at < found.len() {
            found.extend_from_slice(self.children(found[at]));
            at += 1;
        }
        found
    }
}

/// The numbers of entities' ancestors, each computed once.
struct Depths<'a> {
    entities: &'a EntitySystem,
    /// The depth plus one, by slot; 0 if it was not computed.
    known: Vec<u32>,
}

/// The value for entities whose ancestors form a cycle.
const IN_CIRCLE: u32 = u32::MAX;

impl<'a> Depths<'a> {
    fn new(entities: &'a EntitySystem) -> Self {
        let known = alloc::vec![0; entities.entities().as_map().slot_count()];
        Self { entities, known }
    }

    /// The number of an entity's ancestors; `None` if they form a cycle.
    fn of(&mut self, entity: Entity) -> Option<u32> {
        let mut line = Vec::new();
        let mut at = Some(entity);
        // The depth of the last one's parent, plus one.
        let mut above = 0;
        while let Some(next) = at {
            above = self.known[next.index() as usize];
            if above == 0 && line.len() > self.entities.entities().len() {
                above = IN_CIRCLE;
            }
            if above > 0 {
                break;
            }
            line.push(next);
            at = parent_of(self.entities, next);
        }
        for entity in line.into_iter().rev() {
            above = above.saturating_add(1);
            self.known[entity.index() as usize] = above;
        }
        (above != IN_CIRCLE).then(|| above - 1)
    }
}
