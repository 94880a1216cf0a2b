//! Poses: the stage `poses` writes the poses of moved bodies to Transforms and updates children; calls from outside
//! that move an entity use this file too, and so does the sync of changes through `physics_mut`.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use tombolo_entity::{Dense, Entity, EntitySystem};
use tombolo_geometry::Pose;
use tombolo_physics::{BodyId, PhysicsWorld};
use tombolo_threads::{Executor, FloatEnvironment};

use super::World;
use super::command::{Command, EntityRef};
use super::events::EntityEvents;
use super::followed::{BODIES_PER_BLOCK, Followed, FollowedBlock, follow_moved};
use super::following::{Following, followed, moves_itself, pose_in_physics};
use super::hierarchy::parent_of;
use super::moved::Moved;
use super::physical::Touches;
use super::through_physics::destroyed_shapes;
use crate::component::register::ToPose;
use crate::component::{BODY, Body, TRANSFORM, Transform, is_place};
use crate::error::WorldError;

/// The number of children that are looked up in their order together, while others wait for their parents.
const FOLLOWED_AT_ONCE: usize = 64;

/// Updates the poses of the entities of a composite's members.
fn follow_members(physics: &PhysicsWorld, entities: &mut EntitySystem, moved: &mut Moved, body: BodyId) {
    let members = physics.body(body).into_iter().flat_map(|body| body.members());
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
}

impl World {
    /// Updates the entities of bodies that the step moved, then children from their parents, parents first. A child
    /// with a body of its own takes the pose of its body. A body that the program created under an entity's key is
    /// not the entity's.
    ///
    /// Entities of a composite take the poses of their members; those of parts that broke off a moved body, too.
    pub(super) fn follow_bodies(&mut self, executor: &dyn Executor) {
        let has_members = self.physics.members().len() > 0;
        let has_parted = has_members && !self.physics.events().cut().is_empty();
        if has_parted {
            self.physical().claim_composites();
        }
        let Self {
            physics,
            entities,
            moved,
            scratch,
            space,
            ..
        } = self;
        let first = moved.count();
        let count = physics.events().moved().len();
        let blocks = follow_moved(
            physics,
            entities,
            space,
            (&mut scratch.followers, &mut scratch.followed),
            moved.room(count),
            executor,
        );
        scratch.members.clear();
        if blocks.iter().any(FollowedBlock::has_composites) {
            // Members come in between.
            scratch.written.clear();
            scratch.written.extend_from_slice(moved.room(count));
            let blocks = blocks.iter().zip(scratch.written.chunks(BODIES_PER_BLOCK));
            for part in blocks.flat_map(|(block, written)| block.parts(written)) {
                match part {
                    Followed::Entities(followed) => moved.extend(followed),
                    Followed::Composite(body) => {
                        let before = moved.count();
                        follow_members(physics, entities, moved, body);
                        scratch.members.extend_from_slice(moved.since(before));
                    }
                }
            }
        } else {
            moved.take(BODIES_PER_BLOCK, blocks.iter().map(|block| block.count));
        }
        moved.note_followed(first);
        for event in physics.events().cut().iter().filter(|_| has_members) {
            follow_members(physics, entities, moved, event.piece);
        }
        self.follow_parents();
        if has_parted {
            let mut parts = Vec::new();
            for event in self.physics.events().cut() {
                parts.extend([event.body, event.piece]);
            }
            // The joints that waited for it are made with the events, when those that broke in this step are known.
            parts
                .into_iter()
                .for_each(|part| self.physical().note_parted(part));
        }
    }

    /// Updates all children from their parents, parents first.
    fn follow_parents(&mut self) {
        let mut last = None;
        let mut next = [None; FOLLOWED_AT_ONCE];
        loop {
            next.fill(None);
            for (place, child) in next.iter_mut().zip(self.hierarchy.order_after(last)) {
                *place = Some(child);
            }
            for child in next.iter().flatten() {
                self.follow_parent(*child);
            }
            last = next[FOLLOWED_AT_ONCE - 1];
            if last.is_none() {
                break;
            }
        }
    }

    /// Whether Transforms and space include all changes through [`physics_mut`](Self::physics_mut). If not, the next
    /// step begins by taking them over.
    pub fn is_synchronized(&self) -> bool {
        let mut changed = self.through_physics.all_changed(&self.physics, &self.entities);
        changed.next().is_none()
    }

    /// Ends the watch of physics: takes over its list of changed bodies, and of the shapes that were destroyed.
    pub(super) fn end_watch(&mut self) {
        for (shape, entity) in destroyed_shapes(&self.physics, &self.entities) {
            self.entity_events.gone(shape, entity);
        }
        self.through_physics.end_watch(&mut self.physics);
    }

    /// The pending events as they are after the end of the watch.
    pub(super) fn events_after_watch(&self) -> Cow<'_, EntityEvents> {
        let mut destroyed = destroyed_shapes(&self.physics, &self.entities).peekable();
        if destroyed.peek().is_none() {
            return Cow::Borrowed(&self.entity_events);
        }
        let mut events = self.entity_events.unpublished();
        destroyed.for_each(|(shape, entity)| events.gone(shape, entity));
        Cow::Owned(events)
    }

    /// Takes over the changes of bodies by calls of [`physics_mut`](Self::physics_mut): updates Transforms, children
    /// after parents, and notes the moved entities for space and agents. Costs those bodies and, if there are any,
    /// the children of all parents.
    pub(super) fn sync_from_physics(&mut self) {
        self.end_watch();
        let changed = self.through_physics.take_changed(&self.entities);
        if changed.is_empty() {
            return;
        }
        self.physical().claim_composites();
        let following = Following::of(self, &changed);
        self.moved.extend(&following.moved);
        if following.reroutes {
            self.reroute_agents();
        }
        if let Some(transforms) = self.entities.manager_mut(TRANSFORM) {
            following.move_transforms(transforms);
        }
        following.move_sensors(self.physical().physics);
    }

    /// Updates one child: its place below its parent if it moves by itself, else its pose from its parent.
    fn follow_parent(&mut self, child: Entity) {
        let parent = parent_of(&self.entities, child).and_then(|parent| self.pose(parent));
        let moves_itself = moves_itself(&self.physics, &self.entities, child);
        let transforms: Option<&Dense<Transform>> = self.entities.manager(TRANSFORM);
        let before = transforms.and_then(|transforms| transforms.newest(child));
        let (Some(parent), Some(before)) = (parent, before) else {
            return;
        };
        let now = followed(before, parent, moves_itself);
        if now.world() != before.world() {
            let world = now.world();
            self.moved.push(child);
            self.change_transform(child, |transform| *transform = now);
            // A sensor with a body of its own moves too; beyond the limits of the world it stays in place.
            drop(self.physical().move_to(child, world, Touches::End));
        } else if !before.has_place_of(&now) {
            self.change_transform(child, |transform| *transform = now);
        }
    }

    /// Moves an entity to a pose, with its children and their bodies.
    ///
    /// # Errors
    ///
    /// If the entity no longer exists or has no Transform, or the pose is not finite or out of range: more than 10⁹ m
    /// away, and for a body beyond the limits of physics. The world is then unchanged.
    pub fn teleport(&mut self, entity: Entity, pose: Pose) -> Result<(), WorldError> {
        self.report_command(|| Command::Teleport {
            entity: EntityRef::Entity(entity),
            pose,
        });
        self.outermost(|world| {
            let first = world.moved.count();
            world.move_here(entity, pose, Touches::End)?;
            world.moved.mark_teleported(first);
            Ok(())
        })
    }

    /// Moves an entity to a pose, with its children and their bodies. In a step, or within a call that is recorded.
    pub(super) fn move_here(
        &mut self,
        entity: Entity,
        pose: Pose,
        touches: Touches,
    ) -> Result<(), WorldError> {
        let _environment = FloatEnvironment::enter();
        let old = self.pose(entity).ok_or(WorldError::NoEntity(entity))?;
        self.move_with_children(entity, pose, old, touches)?;
        // A parent that is welded to it moved with it.
        let parent = parent_of(&self.entities, entity).and_then(|parent| self.pose(parent));
        let now = self.pose(entity).unwrap_or(pose);
        let local = parent.map_or(now, |parent| parent.to(now));
        self.change_transform(entity, |transform| {
            transform.position = local.position;
            transform.set_angle(local.rotation.angle());
        });
        Ok(())
    }

    /// Updates an entity's pose in the world, and those of all entities below it, after its Transform was set by
    /// name.
    pub(super) fn place_anew(&mut self, entity: Entity, to: ToPose) -> Result<(), WorldError> {
        match to {
            // No other entity depends on it, but the box of a picture grows.
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
        self.move_with_children(entity, world, old, Touches::End)
    }

    /// Rebuilds the hierarchy after many parents have changed.
    pub(super) fn rebuild_families(&mut self) {
        let sound = self.hierarchy.rebuild(&self.entities);
        debug_assert!(sound, "circles are refused where parents are set");
    }

    /// Refuses a parent that does not exist, or that the entity is an ancestor of.
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

    /// Sets the pose of an entity in the world, and those of all entities below it.
    fn move_with_children(
        &mut self,
        entity: Entity,
        world: Pose,
        old: Pose,
        touches: Touches,
    ) -> Result<(), WorldError> {
        if !is_place(world) {
            return Err(WorldError::Pose {
                entity: self.show(entity),
                position: world.position,
                angle: world.rotation.angle(),
            });
        }
        if let Err(error) = self.physical().move_to(entity, world, touches) {
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
        self.move_children(entity, body, touches);
        Ok(())
    }

    /// Writes the pose to which an entity was just moved to its Transform. Entities that are welded to it moved too,
    /// and are updated: all have the poses of their members, which may differ by rounding. Returns the body.
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
            None => {
                // A body has the rotation of an angle, which may differ from the one given by rounding.
                let pose = pose_in_physics(&self.physics, &self.entities, entity).unwrap_or(world);
                self.change_transform(entity, |transform| transform.set_world(pose));
            }
        }
        body
    }

    /// Updates the poses of all entities below a moved one, and of those below entities of the same composite.
    fn move_children(&mut self, entity: Entity, body: Option<BodyId>, touches: Touches) {
        for child in self.hierarchy.descendants(entity) {
            if body.is_some() && self.body_of(child) == body {
                continue;
            }
            let parent = parent_of(&self.entities, child).and_then(|parent| self.pose(parent));
            let transforms: Option<&Dense<Transform>> = self.entities.manager(TRANSFORM);
            let local = transforms.and_then(|transforms| transforms.newest(child));
            if let (Some(parent), Some(local)) = (parent, local.map(Transform::local)) {
                let world = parent.compose(local);
                // An entity out of range keeps its pose; the next step shows it.
                if is_place(world) && self.physical().move_to(child, world, touches).is_ok() {
                    self.stand_at(child, world);
                    self.note_moved(child);
                }
            }
        }
        if body.is_some() {
            self.follow_parents();
        }
    }

    /// Changes an entity's Transform without updates of other entities.
    pub(super) fn change_transform(&mut self, entity: Entity, change: impl FnOnce(&mut Transform)) {
        let transforms: Option<&mut Dense<Transform>> = self.entities.manager_mut(TRANSFORM);
        if let Some(transform) = transforms.and_then(|transforms| transforms.newest_mut(entity)) {
            change(transform);
        }
    }
}
