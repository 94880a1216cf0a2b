//! Joints and rigid welds that have waited for one of their ends, and joints that have waited for their ends to part: they
//! are made when there is what they waited for. Single components, setters, resources and broken welds use it; spawns and
//! scenes make the ties of all their entities at once.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use tombolo_entity::{Component, ComponentEntry, Dense, Entity, InstanceId, ManagerId};
use tombolo_physics::{BodyKind, BodyRef};

use super::Physical;
use crate::component::{BODY, Body, JOINT, Joint, RIGID_WELD, RigidWeld};
use crate::error::WorldError;
use crate::world::World;

/// Whether a body is what a rigid weld needs: dynamic, with shapes.
fn is_weldable(body: BodyRef<'_>) -> bool {
    body.kind() == BodyKind::Dynamic && body.shapes().next().is_some()
}

impl World {
    /// Whether an entity has what a rigid weld needs: a dynamic body with shapes.
    pub(in crate::world) fn can_be_welded(&self, entity: Entity) -> bool {
        self.body(entity).is_some_and(is_weldable)
    }

    /// The entities that can be welded; `None` in a world without rigid welds.
    pub(in crate::world) fn weldable(&self) -> Option<BTreeSet<Entity>> {
        let welds: &Dense<RigidWeld> = self.entities.manager(RIGID_WELD)?;
        let bodies: &Dense<Body> = self
            .entities
            .manager(BODY)
            .filter(|_| !welds.values().is_empty())?;
        let owners = bodies.owners().map(|(entity, _)| entity);
        Some(owners.filter(|entity| self.can_be_welded(*entity)).collect())
    }

    /// Makes the joints that have waited for the body of an entity. One that physics refuses is a fault, and waits on.
    /// Costs all joints.
    pub(in crate::world) fn tie_joints(&mut self, end: Entity) {
        let refused = self.physical().create_waiting_joints(end);
        self.note_refused(&refused);
    }

    /// Makes the rigid welds that have waited for an entity to have a dynamic body with shapes, like
    /// [`World::tie_joints`]. Costs all rigid welds, if it has one now.
    pub(in crate::world) fn tie_welds(&mut self, end: Entity) {
        if !self.can_be_welded(end) {
            return;
        }
        let refused = self.physical().create_waiting_welds(end);
        self.note_refused(&refused);
    }

    /// Makes the joints between entities that were one body and have parted, like [`World::tie_joints`]. Costs all joints,
    /// if something parted.
    pub(in crate::world) fn tie_parted(&mut self) {
        if self.parted.is_empty() {
            return;
        }
        let parted = core::mem::take(&mut self.parted);
        let refused = self.physical().create_joints_between(&parted);
        self.note_refused(&refused);
    }

    fn note_refused(&mut self, refused: &[WorldError]) {
        for error in refused {
            self.note_fault(alloc::format!("{error}"));
        }
    }
}

impl Physical<'_> {
    /// Creates the missing joints that have an end at an entity; returns the refusals.
    fn create_waiting_joints(&mut self, end: Entity) -> Vec<WorldError> {
        self.create_missing_joints(|ends| ends.contains(&end))
    }

    /// Creates the missing joints that have both ends in a set; returns the refusals.
    fn create_joints_between(&mut self, entities: &BTreeSet<Entity>) -> Vec<WorldError> {
        self.create_missing_joints(|ends| ends.iter().all(|end| entities.contains(end)))
    }

    /// Creates the missing joints with such ends; returns the refusals.
    fn create_missing_joints(&mut self, is_wanted: impl Fn([Entity; 2]) -> bool) -> Vec<WorldError> {
        let owners = self.owners(JOINT, |owner, joint: &Joint| {
            let is_missing = !joint.broken && joint.id.is_none_or(|id| self.physics.joint(id).is_none());
            let ends = is_missing.then(|| self.ends_of_joint(owner, joint));
            matches!(ends, Some(Ok(Some(ends))) if is_wanted(ends))
        });
        let made = owners
            .into_iter()
            .map(|(owner, entry)| self.create_joint_of(owner, entry));
        made.filter_map(Result::err).collect()
    }

    /// Creates the missing rigid welds that have an end at an entity, and whose other end is ready too; returns the
    /// refusals.
    fn create_waiting_welds(&mut self, end: Entity) -> Vec<WorldError> {
        let is_ready = |entity| {
            let body = self.live_body(entity).and_then(|id| self.physics.body(id));
            body.is_some_and(is_weldable)
        };
        let owners = self.owners(RIGID_WELD, |owner, weld: &RigidWeld| {
            let is_missing = !weld.broken && weld.id.is_none_or(|id| self.physics.rigid_weld(id).is_none());
            let other = is_missing.then(|| self.other_end_of_weld(owner, weld));
            let Some(Ok(Some(to))) = other else {
                return false;
            };
            let other = if to == end { owner } else { to };
            (owner == end || to == end) && is_ready(other)
        });
        let made = owners
            .into_iter()
            .map(|(owner, entry)| self.create_weld_of(owner, entry));
        made.filter_map(Result::err).collect()
    }

    /// The selected components of a manager: by entity, those of one entity in the order of its components.
    fn owners<T: Component>(
        &self,
        manager: ManagerId,
        is_wanted: impl Fn(Entity, &T) -> bool,
    ) -> Vec<(Entity, ComponentEntry)> {
        let Some(parts) = self.entities.manager::<Dense<T>>(manager) else {
            return Vec::new();
        };
        let wanted = parts.owners().zip(parts.values());
        let wanted = wanted.filter(|((owner, _), part)| {
            self.entities.entities().is_alive(*owner) && is_wanted(*owner, part)
        });
        let mut owners: Vec<_> = wanted
            .filter_map(|((owner, instance), _)| {
                let mut entries = self.entities.components(owner).iter();
                let place = entries.position(|entry| InstanceId::from(entry.name) == instance)?;
                Some((owner, place))
            })
            .collect();
        owners.sort_unstable_by_key(|(owner, place)| (owner.index(), *place));
        let entry = |owner, place: usize| self.entities.components(owner)[place];
        let entries = owners.into_iter();
        entries
            .map(|(owner, place)| (owner, entry(owner, place)))
            .collect()
    }
}
