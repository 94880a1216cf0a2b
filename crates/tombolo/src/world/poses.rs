//! Poses: stage `poses` writes the poses of moved bodies to Transforms and has children follow; calls from outside
//! that move an entity go through here too, and so does syncing what `physics_mut` changed.

use alloc::vec::Vec;

use tombolo_entity::{Dense, Entity, EntitySystem};
use tombolo_geometry::Pose;
use tombolo_physics::{BodyId, PhysicsWorld};
use tombolo_threads::FloatEnvironment;

use super::World;
use super::command::{Command, EntityRef};
use super::hierarchy::parent_of;
use super::state::Moved;
use crate::component::register::ToPose;
use crate::component::{BODY, Body, TRANSFORM, Transform, is_place};
use crate::error::WorldError;

/// Has the entities of a composite's members be where those are; whether the body is one.
fn follow_members(
    physics: &PhysicsWorld,
    entities: &mut EntitySystem,
    moved: &mut Moved,
    body: BodyId,
) -> bool {
    let mut members = physics
        .body(body)
        .into_iter()
        .flat_map(|body| body.members())
        .peekable();
    let is_composite = members.peek().is_some();
    for member in members {
        let bodies: Option<&Dense<Body>> = entities.manager(BODY);
        let entity = Entity::from_bits(member.user_key()).filter(|entity| {
            let body = bodies.and_then(|bodies| bodies.newest(*entity));
            body.is_some_and(|body| body.member == Some(member.id()))
        });
        let transforms: Option<&mut Dense<Transform>> = entities.manager_mut(TRANSFORM);
        let transform = entity.and_then(|entity| transforms?.newest_mut(entity));
        if let (Some(entity), Some(transform)) = (entity, transform) {
            transform.follow_body(member.pose());
            moved.push(entity);
        }
    }
    is_composite
}

impl World {
    /// Bodies that the step moved take their entities along, then children follow their parents, parents first.
    /// A child with a body of its own goes where its body goes. A body that the program made under an entity's key is not
    /// the entity's.
    ///
    /// Those of a composite go where their members go; those of parts that broke off a body that moved, too.
    pub(super) fn follow_bodies(&mut self) {
        let has_members = self.physics.members().len() > 0;
        if has_members && !self.physics.events().cut().is_empty() {
            self.physical().claim_composites();
        }
        let Self {
            physics,
            entities,
            moved,
            ..
        } = self;
        for event in physics.events().moved() {
            if has_members && follow_members(physics, entities, moved, event.body) {
                continue;
            }
            let Some(entity) = Entity::from_bits(event.user_key) else {
                continue;
            };
            let bodies: Option<&Dense<Body>> = entities.manager(BODY);
            let body = bodies.and_then(|bodies| bodies.newest(entity));
            if body.is_none_or(|body| body.current(physics) != Some(event.body)) {
                continue;
            }
            let transforms: Option<&mut Dense<Transform>> = entities.manager_mut(TRANSFORM);
            if let Some(transform) = transforms.and_then(|transforms| transforms.newest_mut(entity)) {
                transform.follow_body(event.pose);
                moved.push(entity);
            }
        }
        for event in physics.events().cut().iter().filter(|_| has_members) {
            follow_members(physics, entities, moved, event.piece);
        }
        self.follow_parents();
    }

    /// All children follow their parents, parents first.
    fn follow_parents(&mut self) {
        let hierarchy = core::mem::take(&mut self.hierarchy);
        for child in hierarchy.order() {
            self.follow_parent(child);
        }
        self.hierarchy = hierarchy;
    }

    /// Whether Transforms and space show all that was done through [`physics_mut`](Self::physics_mut). If not, the next step
    /// begins by following it.
    pub fn is_synchronized(&self) -> bool {
        self.through_physics.with_those_of(&self.physics).next().is_none()
    }

    /// Takes over what calls of [`physics_mut`](Self::physics_mut) have done to bodies: Transforms follow, children after
    /// parents, and space and agents are told. Costs those bodies and, if there are any, the children of all parents.
    pub(super) fn sync_from_physics(&mut self) {
        self.through_physics.take_from(&mut self.physics);
        let changed = self.through_physics.take();
        if changed.is_empty() {
            return;
        }
        self.physical().claim_composites();
        for entity in changed
            .into_iter()
            .filter_map(|key| self.entity_of_key(key))
            .collect::<Vec<_>>()
        {
            if let Some(pose) = self.pose_in_physics(entity) {
                self.change_transform(entity, |transform| {
                    if transform.world != pose {
                        transform.follow_body(pose);
                    }
                });
            }
            self.note_moved(entity);
        }
        self.follow_parents();
    }

    /// Brings one child up to date: by its body if it has one, else by its parent.
    fn follow_parent(&mut self, child: Entity) {
        let parent = parent_of(&self.entities, child).and_then(|parent| self.pose(parent));
        let own_body = self.physical().live_body(child);
        let Some(transforms) = self.entities.manager_mut::<Dense<Transform>>(TRANSFORM) else {
            return;
        };
        let (Some(parent), Some(transform)) = (parent, transforms.newest_mut(child)) else {
            return;
        };
        if own_body.is_some() {
            let local = parent.to(transform.world);
            (transform.position, transform.angle) = (local.position, local.rotation.angle());
            return;
        }
        let world = parent.compose(transform.local());
        if world != transform.world && is_place(world) {
            transform.world = world;
            self.moved.push(child);
            // A sensor with a body of its own comes along; beyond the world's end it stays where it was.
            drop(self.physical().teleport(child, world));
        }
    }

    /// Puts an entity elsewhere, children and their bodies with it.
    ///
    /// # Errors
    ///
    /// If the entity is dead or has no Transform, or the pose is none or out of range: more than 10⁹ m away, and for a body
    /// as physics says. Nothing is changed then.
    pub fn teleport(&mut self, entity: Entity, pose: Pose) -> Result<(), WorldError> {
        self.report_command(|| Command::Teleport {
            entity: EntityRef::Entity(entity),
            pose,
        });
        self.outermost(|world| world.teleport_here(entity, pose))
    }

    fn teleport_here(&mut self, entity: Entity, pose: Pose) -> Result<(), WorldError> {
        let _environment = FloatEnvironment::enter();
        let old = self.pose(entity).ok_or(WorldError::NoEntity(entity))?;
        self.move_with_children(entity, pose, old)?;
        // A parent that it is welded to came along.
        let parent = parent_of(&self.entities, entity).and_then(|parent| self.pose(parent));
        let now = self.pose(entity).unwrap_or(pose);
        let local = parent.map_or(now, |parent| parent.to(now));
        self.change_transform(entity, |transform| {
            (transform.position, transform.angle) = (local.position, local.rotation.angle());
        });
        Ok(())
    }

    /// An entity's Transform was set by name: its pose in the world follows, and all that hangs on it.
    pub(super) fn place_anew(&mut self, entity: Entity, to: ToPose) -> Result<(), WorldError> {
        match to {
            // Nobody follows it, but the box of a picture grows.
            ToPose::Extent => {
                self.moved.push(entity);
                return Ok(());
            }
            ToPose::Parent => self.hierarchy.reparent(&self.entities, entity),
            ToPose::Teleport => {}
        }
        let old = self.pose(entity).ok_or(WorldError::NoEntity(entity))?;
        let parent = parent_of(&self.entities, entity).and_then(|parent| self.pose(parent));
        let transforms: Option<&Dense<Transform>> = self.entities.manager(TRANSFORM);
        let local = transforms.and_then(|transforms| transforms.newest(entity));
        let local = local.map_or(Pose::IDENTITY, Transform::local);
        let world = parent.map_or(local, |parent| parent.compose(local));
        self.move_with_children(entity, world, old)
    }

    /// Many parents have changed: who is whose child is found anew.
    pub(super) fn rebuild_families(&mut self) {
        let sound = self.hierarchy.rebuild(&self.entities);
        debug_assert!(sound, "circles are refused where parents are set");
    }

    /// Refuses a parent that is dead, or that the entity is an ancestor of.
    pub(super) fn check_parent(&self, entity: Entity, parent: Entity) -> Result<(), WorldError> {
        if !self.entities.entities().is_alive(parent) {
            return Err(WorldError::NoEntity(parent));
        }
        let mut at = Some(parent);
        while let Some(ancestor) = at {
            if ancestor == entity {
                return Err(WorldError::ParentCycle(self.show(entity)));
            }
            at = parent_of(&self.entities, ancestor);
        }
        Ok(())
    }

    /// Gives an entity a pose in the world, and all below it the poses that follow.
    fn move_with_children(&mut self, entity: Entity, world: Pose, old: Pose) -> Result<(), WorldError> {
        if !is_place(world) {
            return Err(WorldError::Pose {
                entity: self.show(entity),
                position: world.position,
                angle: world.rotation.angle(),
            });
        }
        if let Err(error) = self.physical().teleport(entity, world) {
            return Err(WorldError::Physics {
                entity: self.show(entity),
                component: "transform".into(),
                error,
            });
        }
        let body = self.stand_at(entity, world);
        self.note_moved(entity);
        if world == old {
            return Ok(());
        }
        self.move_children(entity, body);
        Ok(())
    }

    /// Has an entity's Transform say where the entity was just put. What it is welded to came along, and does likewise: all are
    /// where their members are, which may be off by rounding. Gives the body that they are.
    fn stand_at(&mut self, entity: Entity, world: Pose) -> Option<BodyId> {
        let body = self.physical().member_of(entity).and(self.body_of(entity));
        match body {
            Some(body) => {
                let Self {
                    physics,
                    entities,
                    moved,
                    ..
                } = self;
                follow_members(physics, entities, moved, body);
            }
            None => self.change_transform(entity, |transform| transform.world = world),
        }
        body
    }

    /// Gives all below an entity that was put elsewhere the poses that follow; and what hangs on those that are one body with it.
    fn move_children(&mut self, entity: Entity, body: Option<BodyId>) {
        for child in self.hierarchy.descendants(entity) {
            if body.is_some() && self.body_of(child) == body {
                continue;
            }
            let parent = parent_of(&self.entities, child).and_then(|parent| self.pose(parent));
            let transforms: Option<&Dense<Transform>> = self.entities.manager(TRANSFORM);
            let local = transforms.and_then(|transforms| transforms.newest(child));
            if let (Some(parent), Some(local)) = (parent, local.map(Transform::local)) {
                let world = parent.compose(local);
                // What lies out of range stays where it is; the next step shows where.
                if is_place(world) && self.physical().teleport(child, world).is_ok() {
                    self.stand_at(child, world);
                    self.note_moved(child);
                }
            }
        }
        if body.is_some() {
            self.follow_parents();
        }
    }

    /// Where an entity's body is, or its member of a composite.
    fn pose_in_physics(&self, entity: Entity) -> Option<Pose> {
        let body: &Body = self.entities.manager::<Dense<Body>>(BODY)?.newest(entity)?;
        match body.member {
            Some(member) => self.physics.member(member).map(|member| member.pose()),
            None => self.physics.body(body.id?).map(|body| body.pose()),
        }
    }

    /// Changes an entity's Transform without anyone following.
    pub(super) fn change_transform(&mut self, entity: Entity, change: impl FnOnce(&mut Transform)) {
        let transforms: Option<&mut Dense<Transform>> = self.entities.manager_mut(TRANSFORM);
        if let Some(transform) = transforms.and_then(|transforms| transforms.newest_mut(entity)) {
            change(transform);
        }
    }
}
