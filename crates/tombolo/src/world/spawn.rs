//! Spawning and despawning entities: resources, batches, single components, names. Calls of programs, scenes,
//! spawners and commands all use it.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{
    ComponentDefinition, ComponentEntry, Entity, InstanceId, LoadReport, Override, ResourceDefinition,
    ResourceError, Spawned, SystemError,
};
use tombolo_geometry::Pose;
use tombolo_threads::FloatEnvironment;

use super::World;
use super::command::{Command, EntityRef, SpawnCommand};
use super::names::{body_name, childs_name};
use super::recording::{Resources, WorldCall};
use crate::component::register::Apply;
use crate::component::{self, AGENT, BODY, TRANSFORM};
use crate::error::WorldError;
use crate::scene::advice;

/// The name of the Transform of entities whose resource names none.
const TRANSFORM_NAME: &str = "transform";

/// The number of new children up to which they are added to the hierarchy one by one; for more, all Transforms are
/// read.
const ADDED_ONE_BY_ONE_MAX: usize = 64;

/// The options of spawning one entity.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpawnDef<'a> {
    /// The name of the entity; none if not given.
    pub name: Option<&'a str>,
    /// The pose, in the parent's frame or the world's; that of the resource if not given.
    pub pose: Option<Pose>,
    /// The parent, if the entity has one.
    pub parent: Option<Entity>,
    /// Properties that differ from the resource's.
    pub overrides: &'a [Override],
}

/// The poses of a batch's entities, and their parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places<'a> {
    pub(super) poses: &'a [Option<Pose>],
    pub(super) parent: Option<Entity>,
}

impl World {
    /// Adds resources, or replaces those of the same names; existing entities are updated, see
    /// [`Library::load`](tombolo_entity::Library::load), and physics with them. A resource without a Transform gets
    /// one, called `transform`.
    ///
    /// # Errors
    ///
    /// The first error of a resource, or a new value of an existing entity that physics refuses. The world is then
    /// unchanged: it is copied first.
    pub fn define(&mut self, resources: Vec<ResourceDefinition>) -> Result<LoadReport, WorldError> {
        self.report(|| WorldCall::Define {
            resources: Resources(resources.clone()),
        });
        self.outermost(|world| {
            let _environment = FloatEnvironment::enter();
            let before = world.clone();
            let defined = world.define_here(resources);
            if defined.is_err() {
                world.put_back(before);
            }
            defined
        })
    }

    /// Defines like [`World::define`], for callers that keep a copy in case of a refusal.
    pub(super) fn define_here(
        &mut self,
        resources: Vec<ResourceDefinition>,
    ) -> Result<LoadReport, WorldError> {
        let resources = resources.into_iter().map(with_transform).collect();
        let names_before = self.transform_names()?;
        let walking = self.walking_agents();
        let weldable = self.weldable();
        self.pull_bodies();
        let report = self.library.load(&mut self.entities, resources)?;
        // Joints that waited for their ends to part are made below, where the changes have put those.
        self.physical().destroy_ended();
        self.end_zones();
        self.halt_lost(&walking);
        let names = self.transform_names()?;
        for &entity in &report.entities {
            let resource = self.library.origin(entity).unwrap_or_default();
            if names_before.get(resource) != names.get(resource) {
                return Err(WorldError::Unfit {
                    entity: self.show(entity),
                    component: names
                        .get(resource)
                        .map(|name| self.text_of(*name))
                        .unwrap_or_default(),
                    why: "an entity keeps its Transform".into(),
                });
            }
        }
        let mut families = super::hierarchy::Hierarchy::default();
        if !families.rebuild(&self.entities) {
            let first = report.entities.first().map(|entity| self.show(*entity));
            return Err(WorldError::ParentCycle(first.unwrap_or_default()));
        }
        // All new parents at once: one after the other they may pass through a circle.
        if *self.hierarchy != families {
            *self.hierarchy = families;
        }
        for change in &report.changes {
            let entry = self.components_of(change.entity).iter();
            let manager = entry.copied().find(|entry| entry.name == change.component);
            let Some(manager) = manager.map(|entry| entry.manager) else {
                continue;
            };
            let link = self.register.link_of(manager, change.property);
            match link.map_or(Apply::Stored, |link| link.apply) {
                Apply::Pose(to) => {
                    self.check_follows(change.entity)?;
                    self.place_anew(change.entity, to)?;
                }
                apply => self.physical().push(change.entity, change.component, apply)?,
            }
        }
        let physical = self.physical();
        let bodyless = report.entities.iter().copied();
        let bodyless: Vec<Entity> = bodyless
            .filter(|entity| physical.live_body(*entity).is_none())
            .collect();
        for &entity in &report.entities {
            self.physical().create_objects(entity)?;
        }
        for &entity in &report.entities {
            self.physical().weld(entity)?;
            self.physical().create_joints(entity)?;
            self.note_moved(entity);
        }
        self.tie_others(&report.entities, weldable.as_ref(), &bodyless);
        self.check_body_capacity(0)?;
        Ok(report)
    }

    /// Makes the ties of other entities that lead to a body which updated ones have got, or which can be welded now.
    fn tie_others(&mut self, updated: &[Entity], weldable: Option<&BTreeSet<Entity>>, bodyless: &[Entity]) {
        for &entity in updated {
            if weldable.is_some_and(|before| !before.contains(&entity)) {
                self.tie_welds(entity);
            }
        }
        for &entity in bodyless {
            if self.physical().live_body(entity).is_some() {
                self.tie_joints(entity);
            }
        }
        self.tie_parted();
    }

    /// Refuses a parent that does not exist.
    fn check_follows(&self, entity: Entity) -> Result<(), WorldError> {
        let transforms = super::hierarchy::transforms(&self.entities);
        let parent = transforms.and_then(|transforms| transforms.newest(entity)?.parent);
        match parent {
            Some(dead) if !self.entities.entities().has_lived(dead) => Err(WorldError::NoEntity(dead)),
            _ => Ok(()),
        }
    }

    /// Spawns an entity of a resource with its children; returns the entity itself.
    ///
    /// # Errors
    ///
    /// If there is no such resource, an override is wrong, the name is taken, the parent does not exist, the pose is
    /// not finite or more than 10⁹ m away, the world is full, or physics refuses. The world is then unchanged.
    pub fn spawn(&mut self, resource: &str, def: &SpawnDef<'_>) -> Result<Entity, WorldError> {
        self.report_command(|| {
            Command::Spawn(Box::new(SpawnCommand {
                resource: resource.into(),
                name: def.name.map(Into::into),
                pose: def.pose,
                parent: def.parent.map(EntityRef::Entity),
                overrides: def.overrides.to_vec(),
            }))
        });
        self.outermost(|world| world.spawn_here(resource, def))
    }

    fn spawn_here(&mut self, resource: &str, def: &SpawnDef<'_>) -> Result<Entity, WorldError> {
        let _environment = FloatEnvironment::enter();
        if let Some(name) = def.name
            && self.names.find(name).is_some()
        {
            return Err(WorldError::NameTaken(name.into()));
        }
        if let Some(parent) = def.parent
            && !self.entities.entities().is_alive(parent)
        {
            return Err(WorldError::NoEntity(parent));
        }
        self.check_spawn(resource, def)?;
        let places = Places {
            poses: &[def.pose],
            parent: def.parent,
        };
        let spawned = self.place(resource, places, def.overrides)?;
        let root = spawned.roots()[0];
        if let Some(name) = def.name {
            self.names.give(root, name);
        }
        self.name_children(&spawned);
        self.finish(spawned.entities());
        Ok(root)
    }

    /// Creates entities of a resource at poses, without names and without objects in physics.
    pub(super) fn place(
        &mut self,
        resource: &str,
        places: Places<'_>,
        overrides: &[Override],
    ) -> Result<Spawned, WorldError> {
        let Self {
            library, entities, ..
        } = self;
        let spawned = library.spawn(entities, resource, places.poses.len(), overrides);
        let spawned = spawned.map_err(|error| self.with_advice(error))?;
        for (&root, pose) in spawned.roots().iter().zip(places.poses) {
            self.change_transform(root, |transform| transform.place(*pose, places.parent));
            if pose.is_some() {
                self.library.mark_placed(root);
            }
            self.follow_own_parent(root);
        }
        for (child, parent) in spawned.links() {
            self.change_transform(child, |transform| transform.parent = Some(parent));
            self.follow_own_parent(child);
        }
        self.join_families(spawned.entities());
        Ok(spawned)
    }

    /// An error of the library, with the nearest known name.
    pub(super) fn with_advice(&self, error: ResourceError) -> WorldError {
        match error {
            ResourceError::NoResource { resource } => {
                let known: Vec<&str> = self.library.iter().map(|known| &*known.name).collect();
                let advice = advice(&resource, known.iter().copied()).into();
                WorldError::NoResource { resource, advice }
            }
            error => error.into(),
        }
    }

    /// Adds new entities to the hierarchy, parents before their own children.
    pub(super) fn join_families(&mut self, entities: &[Entity]) {
        let is_child = |entity: &&Entity| super::hierarchy::parent_of(&self.entities, **entity).is_some();
        let count = entities.iter().filter(is_child).count();
        if count > ADDED_ONE_BY_ONE_MAX {
            self.rebuild_families();
        } else if count > 0 {
            for &entity in entities {
                self.hierarchy.add(&self.entities, entity);
            }
        }
    }

    /// Sets a new entity's pose in the world, by its parent's.
    fn follow_own_parent(&mut self, entity: Entity) {
        let parent = super::hierarchy::parent_of(&self.entities, entity);
        if let Some(parent) = parent.and_then(|parent| self.pose(parent)) {
            self.change_transform(entity, |transform| {
                transform.set_world(parent.compose(transform.local()));
            });
        }
    }

    /// Names the children of a spawn after their parents: `parent/child`, with the last word of the child's resource.
    /// A child whose name is taken, or whose parent has none, gets none.
    pub(super) fn name_children(&mut self, spawned: &Spawned) {
        for (child, parent) in spawned.links() {
            let resource = self.library.origin(child).unwrap_or_default();
            let name = self.names.of(parent).map(|parent| childs_name(parent, resource));
            if let Some(name) = name {
                self.names.give(child, &name);
            }
        }
    }

    /// Creates the objects of new entities in physics, which were checked.
    fn finish(&mut self, entities: &[Entity]) {
        for &entity in entities {
            let made = self.physical().create_objects(entity);
            debug_assert_eq!(made, Ok(()), "a spawn is checked before anything is made");
        }
        for &entity in entities {
            // The distance between two bodies that are welded is not checked before.
            if let Err(error) = self.physical().weld(entity) {
                self.note_fault(format!("{error}"));
            }
        }
        for &entity in entities {
            let tied = self.physical().create_joints(entity);
            debug_assert_eq!(tied, Ok(()), "a spawn is checked before anything is made");
        }
        for &entity in entities {
            self.note_moved(entity);
            self.entity_events.spawned(entity);
        }
    }

    /// Creates an entity with a Transform and nothing else.
    ///
    /// # Errors
    ///
    /// If the name is taken, or the world is full.
    pub fn create(&mut self, name: Option<&str>) -> Result<Entity, WorldError> {
        self.report(|| WorldCall::Create {
            name: name.map(Into::into),
        });
        let _environment = FloatEnvironment::enter();
        if let Some(name) = name
            && self.names.find(name).is_some()
        {
            return Err(WorldError::NameTaken(name.into()));
        }
        self.check_entity_capacity(1)?;
        // The name of its Transform may have the hash of another name.
        self.entities
            .names()
            .check(TRANSFORM_NAME)
            .map_err(SystemError::from)?;
        let entity = self.entities.create();
        if let Err(error) = self.entities.add(entity, TRANSFORM, TRANSFORM_NAME) {
            self.entities.destroy_now(entity);
            return Err(error.into());
        }
        if let Some(name) = name {
            self.names.give(entity, name);
        }
        self.note_moved(entity);
        self.entity_events.spawned(entity);
        Ok(entity)
    }

    /// Adds a component with default values under a name that is free in this entity. A collider has no effect until
    /// there is a body, a joint until it has both of its ends, and a rigid weld until both are dynamic bodies with
    /// shapes. They are made when that is there, those of other entities too; a joint or weld that physics refuses then
    /// is a [fault](Self::faults), and is made when one of its properties is set. So a Body costs all joints of the
    /// world, and the first shape of a body all rigid welds.
    ///
    /// # Errors
    ///
    /// If the entity does not exist, no manager has this name, the component's name is refused or taken, the entity
    /// has a Transform or Body already, or physics refuses. The world is then unchanged.
    pub fn add_component(
        &mut self,
        entity: Entity,
        manager: &str,
        name: &str,
    ) -> Result<InstanceId, WorldError> {
        self.report(|| WorldCall::AddComponent {
            entity,
            manager: manager.into(),
            name: name.into(),
        });
        let _environment = FloatEnvironment::enter();
        let unknown = || WorldError::NoManager(manager.into());
        let id = self.entities.manager_id(manager).ok_or_else(unknown)?;
        let has_one = self.components_of(entity).iter().any(|entry| entry.manager == id);
        if id == TRANSFORM && has_one {
            return Err(WorldError::Unfit {
                entity: self.show(entity),
                component: name.into(),
                why: "an entity has one Transform".into(),
            });
        }
        let hash = self.entities.check_add(entity, id, name)?;
        let new = ComponentEntry {
            name: hash,
            manager: id,
        };
        self.check_new_component(entity, new, name)?;
        let could_be_welded = self.can_be_welded(entity);
        let instance = self.entities.add(entity, id, name)?;
        // A new joint has no other end yet.
        let made = self.physical().create_objects(entity);
        debug_assert_eq!(made, Ok(()), "it is checked before anything is made");
        if id == BODY {
            self.tie_joints(entity);
        }
        if !could_be_welded {
            self.tie_welds(entity);
        }
        self.note_moved(entity);
        Ok(instance)
    }

    /// Removes a named component, and its objects in physics. The triggers of an entity whose Body is removed notice on:
    /// each gets a body of its own. Joints and rigid welds of that body wait for the entity's next one.
    ///
    /// # Errors
    ///
    /// If the entity does not exist or has no component of this name, or it is its Transform.
    pub fn remove_component(&mut self, entity: Entity, name: &str) -> Result<(), WorldError> {
        self.report(|| WorldCall::RemoveComponent {
            entity,
            name: name.into(),
        });
        let _environment = FloatEnvironment::enter();
        let located = self.entities.find(entity, name);
        if located.is_some_and(|located| located.manager == TRANSFORM) {
            return Err(WorldError::Unfit {
                entity: self.show(entity),
                component: name.into(),
                why: "an entity keeps its Transform".into(),
            });
        }
        if let Some(agent) = located.filter(|located| located.manager == AGENT) {
            self.halt_removed(entity, agent.instance);
        }
        self.entities.remove(entity, name)?;
        self.destroy_ended();
        if located.is_some_and(|located| located.manager == BODY)
            && let Err(error) = self.physical().create_objects(entity)
        {
            // The sensors of triggers were on the body, and get bodies of their own.
            self.note_fault(format!("a trigger without its body: {error}"));
        }
        self.note_moved(entity);
        Ok(())
    }

    /// Names an entity, or removes its name. Its body gets as much of the name as fits
    /// ([`BodyName`](tombolo_physics::BodyName)), unless a call gave the body another one.
    ///
    /// # Errors
    ///
    /// If the entity does not exist or another one has the name.
    pub fn set_name(&mut self, entity: Entity, name: Option<&str>) -> Result<(), WorldError> {
        self.report(|| WorldCall::SetName {
            entity,
            name: name.map(Into::into),
        });
        if !self.entities.entities().is_alive(entity) {
            return Err(WorldError::NoEntity(entity));
        }
        let before = body_name(&self.names, entity);
        match name {
            None => self.names.take(entity),
            Some(name) if self.names.give(entity, name) => {}
            Some(name) => return Err(WorldError::NameTaken(name.into())),
        }
        self.physical().name_body(entity, before);
        Ok(())
    }

    /// Despawns an entity and all its descendants, with their objects in physics.
    ///
    /// # Errors
    ///
    /// [`WorldError::NoEntity`] if the entity does not exist. The world is then unchanged.
    pub fn despawn(&mut self, entity: Entity) -> Result<(), WorldError> {
        self.report_command(|| Command::Despawn(EntityRef::Entity(entity)));
        let _environment = FloatEnvironment::enter();
        if !self.entities.entities().is_alive(entity) {
            return Err(WorldError::NoEntity(entity));
        }
        let mut all = self.hierarchy.descendants(entity);
        all.push(entity);
        for &entity in &all {
            self.entity_events.ended(entity);
        }
        self.end(&all);
        Ok(())
    }

    /// Destroys the physics objects and zones of components that have ended.
    pub(super) fn destroy_ended(&mut self) {
        self.physical().destroy_ended();
        self.tie_parted();
        self.end_zones();
    }

    /// Ends entities at once, with their objects in physics.
    pub(super) fn end(&mut self, entities: &[Entity]) {
        self.remember_ended(entities);
        self.leave_zones(entities);
        for &entity in entities {
            // Most entities that come and go have no name, and the table stays as it is.
            if self.names.of(entity).is_some() {
                self.names.take(entity);
            }
            if self.space.remove(entity) {
                self.reroute_agents();
            }
            self.entities.destroy_now(entity);
            self.library.forget_overrides(entity);
        }
        self.destroy_ended();
        // The last of many siblings first, which moves none of the others in memory.
        for &entity in entities.iter().rev() {
            // What was not changed stays shared with frames.
            if self.hierarchy.is_child(entity) {
                self.hierarchy.remove(entity);
            }
        }
    }
}

/// A resource with the Transform that each has, in the form of the library.
pub(super) fn with_transform(mut resource: ResourceDefinition) -> ResourceDefinition {
    let has_one = resource
        .components
        .iter()
        .any(|part| *part.manager == *component::NAMES[0]);
    if resource.inherits.is_none() && !has_one {
        let transform = ComponentDefinition {
            name: TRANSFORM_NAME.into(),
            manager: component::NAMES[0].into(),
            values: Vec::new(),
        };
        resource.components.insert(0, transform);
    }
    resource
}
