//! Rigid welds: makes bodies one, and finds the member that an entity is. A composite of several entities has the
//! user key of one of them; each member has that of its own entity.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use tombolo_entity::{ComponentEntry, Dense, Entity, EntitySystem, NameHash};
use tombolo_geometry::{Pose, Position};
use tombolo_physics::{BodyId, BodyName, MemberId, PhysicsError, PhysicsWorld, RigidWeldDef, RigidWeldId};

use super::Physical;
use super::complete::live_body;
use super::member_motion::MemberMotion;
use crate::component::register::ToWeld;
use crate::component::{BODY, Body, RIGID_WELD, RigidWeld, ShapeGeometry};
use crate::error::WorldError;
use crate::world::hierarchy::parent_of;
use crate::world::names::body_name;

/// The body on which shapes of an entity are created, and the pose of the entity's own frame in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attachment {
    pub(super) body: BodyId,
    member: Option<MemberId>,
    pub(super) frame: Pose,
}

impl Attachment {
    /// A body whose frame is the entity's own.
    pub(super) fn to_own_body(body: BodyId) -> Self {
        Self {
            body,
            member: None,
            frame: Pose::IDENTITY,
        }
    }

    /// A geometry in the entity's frame, in that of the body.
    pub(super) fn place<'g>(&self, geometry: &'g ShapeGeometry) -> Cow<'g, ShapeGeometry> {
        if self.frame == Pose::IDENTITY {
            Cow::Borrowed(geometry)
        } else {
            Cow::Owned(geometry.within(self.frame))
        }
    }
}

impl Physical<'_> {
    /// The existing member of a composite that the entity is.
    pub(crate) fn member_of(&self, entity: Entity) -> Option<MemberId> {
        let member = self
            .entities
            .manager::<Dense<Body>>(BODY)?
            .newest(entity)?
            .member?;
        self.physics.member(member).map(|member| member.id())
    }

    /// The attachment of new shapes of an entity to its body.
    pub(super) fn attachment(&self, entity: Entity, body: BodyId) -> Attachment {
        let member = self.member_of(entity).and_then(|id| self.physics.member(id));
        let member = member.filter(|member| member.body().id() == body);
        Attachment {
            body,
            member: member.map(|member| member.id()),
            frame: member.map_or(Pose::IDENTITY, |member| member.frame()),
        }
    }

    /// Assigns new shapes of an entity, which became the nearest member's, to the entity's own member.
    pub(super) fn assign_to_member(&mut self, attachment: Attachment, shapes: &[tombolo_physics::ShapeId]) {
        for &shape in shapes {
            let assigned = attachment
                .member
                .map(|member| self.physics.set_shape_member(shape, member));
            debug_assert!(
                assigned.is_none_or(|assigned| assigned.is_ok()),
                "a new shape is never all that a member has"
            );
        }
    }

    /// Creates the missing welds of the entity's components.
    pub(crate) fn weld(&mut self, entity: Entity) -> Result<(), WorldError> {
        for entry in Vec::from(self.entities.components(entity)) {
            if entry.manager == RIGID_WELD {
                self.create_weld_of(entity, entry)?;
            }
        }
        Ok(())
    }

    fn weld_value(&self, entity: Entity, name: NameHash) -> Option<&RigidWeld> {
        let welds: Option<&Dense<RigidWeld>> = self.entities.manager(RIGID_WELD);
        welds.and_then(|welds| welds.value(entity, name.into()))
    }

    /// The entity that a weld holds its owner to; `None` if it has none yet.
    pub(super) fn other_end_of_weld(
        &self,
        entity: Entity,
        weld: &RigidWeld,
    ) -> Result<Option<Entity>, WorldError> {
        let parent = parent_of(self.entities, entity).filter(|_| weld.to_parent);
        Ok(self.end(weld.to, &weld.to_name)?.or(parent))
    }

    /// Creates a weld if both ends have bodies with shapes and it is not broken.
    pub(super) fn create_weld_of(&mut self, entity: Entity, entry: ComponentEntry) -> Result<(), WorldError> {
        let lacks = |weld: &&RigidWeld| {
            !weld.broken && weld.id.is_none_or(|id| self.physics.rigid_weld(id).is_none())
        };
        let Some(weld) = self.weld_value(entity, entry.name).filter(lacks).cloned() else {
            return Ok(());
        };
        let Some(to) = self.other_end_of_weld(entity, &weld)? else {
            return Ok(());
        };
        if to == entity {
            return Err(self.unfit(entity, entry.name, "the weld holds a body to itself"));
        }
        let has_shapes = |entity| {
            let body = self.live_body(entity).and_then(|id| self.physics.body(id));
            body.is_some_and(|body| body.shapes().next().is_some())
        };
        if !has_shapes(to) || !has_shapes(entity) {
            return Ok(());
        }
        let point = self.pose(entity).transform_point(weld.pivot);
        let made = self.weld_bodies([to, entity], point.into(), &weld);
        let id = made.map_err(|error| self.refused(entity, entry.name, error))?;
        self.change(entity, entry.name, RIGID_WELD, |weld: &mut RigidWeld| {
            (weld.id, weld.to) = (Some(id), Some(to));
        });
        Ok(())
    }

    /// Welds the bodies of two entities at a point of the world: the second one's becomes a part of the first one's.
    /// If physics refuses, nothing has changed.
    fn weld_bodies(
        &mut self,
        ends: [Entity; 2],
        point: Position,
        weld: &RigidWeld,
    ) -> Result<RigidWeldId, PhysicsError> {
        let body = |entity| {
            let body = self.live_body(entity);
            body.ok_or(PhysicsError::StaleHandle { what: "body" })
        };
        let bodies = [body(ends[0])?, body(ends[1])?];
        self.physics.check_weldable(bodies, point)?;
        let [force_threshold, torque_threshold] = weld.thresholds();
        let [first, second] = [self.become_member(ends[0])?, self.become_member(ends[1])?];
        self.physics.create_rigid_weld(&RigidWeldDef {
            force_threshold,
            torque_threshold,
            breaks: weld.breaks,
            user_key: ends[1].to_bits(),
            ..RigidWeldDef::new(first, second, point)
        })
    }

    /// The member that an entity is of a composite, or becomes of a body that was no composite until now.
    fn become_member(&mut self, entity: Entity) -> Result<MemberId, PhysicsError> {
        if let Some(known) = self.member_of(entity) {
            return Ok(known);
        }
        let gone = PhysicsError::StaleHandle { what: "body" };
        let body = self.live_body(entity).ok_or(gone)?;
        let member = self.physics.create_member(body, entity.to_bits())?;
        let bodies: Option<&mut Dense<Body>> = self.entities.manager_mut(BODY);
        if let Some(body) = bodies.and_then(|bodies| bodies.newest_mut(entity)) {
            body.member = Some(member);
        }
        Ok(member)
    }

    pub(super) fn push_weld(&mut self, entity: Entity, name: NameHash, to: ToWeld) -> Result<(), WorldError> {
        let Some(weld) = self.weld_value(entity, name).cloned() else {
            return Ok(());
        };
        let entry = ComponentEntry {
            name,
            manager: RIGID_WELD,
        };
        let Some(id) = weld.id.filter(|id| self.physics.rigid_weld(*id).is_some()) else {
            return self.create_weld_of(entity, entry);
        };
        let forget = match to {
            ToWeld::Thresholds => {
                let [force, torque] = weld.thresholds();
                let set = self
                    .physics
                    .set_rigid_weld_thresholds(id, force, torque, weld.breaks);
                return set.map_err(|error| self.refused(entity, name, error));
            }
            ToWeld::Anew(forget) => forget,
        };
        self.change(entity, name, RIGID_WELD, |weld: &mut RigidWeld| {
            weld.id = None;
            forget(weld);
        });
        // The old weld is destroyed after the new one is created.
        let made = self.create_weld_of(entity, entry);
        if made.is_ok() {
            self.end_weld(id);
        }
        made
    }

    /// Notes the entities of a composite that is about to part, or of one of the parts.
    pub(crate) fn note_parted(&mut self, body: BodyId) {
        let members = self
            .physics
            .body(body)
            .into_iter()
            .flat_map(|body| body.members());
        self.parted
            .extend(members.filter_map(|member| Entity::from_bits(member.user_key())));
    }

    /// Destroys a weld; parts that only it connected separate.
    pub(super) fn end_weld(&mut self, id: RigidWeldId) {
        if let Some(body) = self.physics.rigid_weld(id).map(|weld| weld.body().id()) {
            self.note_parted(body);
        }
        if self.physics.destroy_rigid_weld(id).is_ok() {
            self.claim_composites();
        }
    }

    /// Removes the member of an entity whose Body has ended: its shapes and its welds; and the body, if it was its
    /// only member.
    pub(super) fn end_member(&mut self, entity: Entity, member: MemberId) {
        let Some(view) = self.physics.member(member) else {
            return;
        };
        // Colliders may stay, and get shapes with the next body.
        for shape in view.shapes() {
            self.entity_events.gone(shape.id(), entity);
        }
        let (body, has_others) = (view.body().id(), view.body().members().nth(1).is_some());
        self.note_parted(body);
        let ended = match has_others {
            true => self.physics.destroy_member(member),
            false => self.physics.destroy_body(body),
        };
        if ended.is_ok() {
            self.claim_composites();
        }
    }

    /// The motion of an entity as a member, before shapes of it are destroyed; `None` if it is none.
    pub(super) fn member_motion(&self, entity: Entity) -> Option<MemberMotion> {
        let member = self.physics.member(self.member_of(entity)?)?;
        let body = member.body();
        Some(MemberMotion {
            entity,
            body: body.id(),
            velocities: (body.velocity_at(member.center()), body.angular_velocity()),
        })
    }

    /// Gives an entity that has lost its last shape, and is no longer a member, a body of its own again, with its
    /// pose and velocities.
    pub(super) fn restore_own_body(&mut self, motion: &MemberMotion) {
        let MemberMotion {
            entity,
            body: former,
            velocities,
        } = *motion;
        let is_member = self.member_of(entity).is_some();
        let entries = self.entities.components(entity).iter();
        let entry = entries.copied().find(|entry| entry.manager == BODY);
        let Some(entry) = entry.filter(|_| !is_member) else {
            return;
        };
        self.note_parted(former);
        self.parted.insert(entity);
        let former_body = self.physics.body(former);
        if former_body.is_some_and(|body| body.shapes().next().is_none()) {
            drop(self.physics.destroy_body(former));
        }
        self.claim_composites();
        let made = self.create_body_of(entity, entry);
        if let Some(mut body) = made.ok().and_then(|id| self.physics.body_mut(id).ok()) {
            drop(body.set_linear_velocity(velocities.0));
            drop(body.set_angular_velocity(velocities.1));
        }
    }

    /// Sets the user key of each composite to that of one of its members: bodies that separated from others still
    /// have that of the body that they were a part of. Costs all members.
    pub(crate) fn claim_composites(&mut self) {
        for Claim { body, before, key } in claims(self.physics, self.entities) {
            let Ok(mut body) = self.physics.body_mut(body) else {
                continue;
            };
            body.set_user_key(key);
            let [before, now] = [before, key].map(Entity::from_bits);
            let name = before.map_or_else(BodyName::default, |before| body_name(self.names, before));
            if let Some(now) = now {
                self.name_body(now, name);
            }
        }
    }
}

/// A composite whose user key is not that of one of its members, and gets the key of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    pub(crate) body: BodyId,
    before: u64,
    pub(crate) key: u64,
}

/// What [`Physical::claim_composites`] does: for each composite the first of its members whose entity it is. Costs all
/// members.
pub(crate) fn claims(physics: &PhysicsWorld, entities: &EntitySystem) -> Vec<Claim> {
    let body_of = |key| live_body(physics, entities, Entity::from_bits(key)?);
    let mut claimed = BTreeSet::new();
    let claims = physics.members().filter_map(|member| {
        let body = member.body();
        let (id, before, key) = (body.id(), body.user_key(), member.user_key());
        let is_due = body_of(before) != Some(id) && body_of(key) == Some(id) && claimed.insert(id);
        is_due.then_some(Claim {
            body: id,
            before,
            key,
        })
    });
    claims.collect()
}
