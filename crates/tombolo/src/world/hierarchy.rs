//! Parents and children, with parents before children. All data here is derived from the parents in the Transforms.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tombolo_entity::{Dense, Entity, EntitySystem};

use crate::component::{TRANSFORM, Transform};

/// The children of every parent, and all children in an order in which parents come first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hierarchy {
    children: BTreeMap<Entity, Vec<Entity>>,
    // The children with their depths; by depth, then by entity.
    order: Vec<(usize, Entity)>,
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
        let mut found: Vec<(usize, Entity)> = Vec::new();
        for (entity, _) in owners.filter(|(entity, _)| entities.entities().is_alive(*entity)) {
            match depths.of(entity) {
                Some(0) => {}
                Some(depth) => found.push((depth, entity)),
                None => sound = false,
            }
        }
        found.sort_unstable_by_key(|(depth, entity)| (*depth, entity.index()));
        self.children.clear();
        for &(_, child) in &found {
            if let Some(parent) = parent_of(entities, child) {
                self.children.entry(parent).or_default().push(child);
            }
        }
        self.order = found;
        sound
    }

    /// Adds an entity that has no children yet, if it has a parent: the same result as [`Self::rebuild`]. O(depth +
    /// children).
    pub(crate) fn add(&mut self, entities: &EntitySystem, child: Entity) {
        let (Some(parent), Some(depth)) = (parent_of(entities, child), depth(entities, child)) else {
            return;
        };
        let siblings = self.children.entry(parent).or_default();
        let place = siblings.partition_point(|other| other.index() < child.index());
        siblings.insert(place, child);
        let place = self
            .order
            .partition_point(|(other, entity)| (*other, entity.index()) < (depth, child.index()));
        self.order.insert(place, (depth, child));
    }

    /// Updates one entity's parent: the same result as [`Self::rebuild`]. O(children · log children), of all parents;
    /// the other Transforms are not read.
    pub(crate) fn reparent(&mut self, entities: &EntitySystem, child: Entity) {
        let mut family = self.descendants(child);
        self.children.retain(|_, siblings| {
            siblings.retain(|sibling| *sibling != child);
            !siblings.is_empty()
        });
        if let Some(parent) = parent_of(entities, child) {
            let siblings = self.children.entry(parent).or_default();
            let place = siblings.partition_point(|other| other.index() < child.index());
            siblings.insert(place, child);
        }
        // The depths of all descendants have changed.
        family.push(child);
        family.sort_unstable();
        self.order
            .retain(|(_, entity)| family.binary_search(entity).is_err());
        let ranked = family
            .into_iter()
            .filter_map(|entity| Some((depth(entities, entity).filter(|depth| *depth > 0)?, entity)));
        self.order.extend(ranked);
        self.order
            .sort_unstable_by_key(|(depth, entity)| (*depth, entity.index()));
    }

    /// Removes entities that ended, which have no existing children. O(children).
    pub(crate) fn forget_dead(&mut self, entities: &EntitySystem) {
        let is_alive = |entity: &Entity| entities.entities().is_alive(*entity);
        self.order.retain(|(_, entity)| is_alive(entity));
        self.children.retain(|parent, children| {
            children.retain(is_alive);
            is_alive(parent) && !children.is_empty()
        });
    }

    /// The children of an entity.
    pub(crate) fn children(&self, parent: Entity) -> &[Entity] {
        self.children.get(&parent).map_or(&[], |children| children)
    }

    /// The child at a place in [`Self::order`].
    pub(crate) fn child_at(&self, place: usize) -> Option<Entity> {
        self.order.get(place).map(|(_, entity)| *entity)
    }

    /// All children, parents first.
    pub(crate) fn order(&self) -> impl ExactSizeIterator<Item = Entity> {
        self.order.iter().map(|(_, entity)| *entity)
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
    fn of(&mut self, entity: Entity) -> Option<usize> {
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
        (above != IN_CIRCLE).then(|| above as usize - 1)
    }
}

/// The number of an entity's ancestors; `None` if it is its own ancestor.
fn depth(entities: &EntitySystem, entity: Entity) -> Option<usize> {
    let mut depth = 0;
    let mut at = parent_of(entities, entity);
    while let Some(parent) = at {
        depth += 1;
        if depth > entities.entities().len() {
            return None;
        }
        at = parent_of(entities, parent);
    }
    Some(depth)
}
