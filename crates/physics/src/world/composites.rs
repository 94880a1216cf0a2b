//! Composites: bodies welded into one, which divide where a weld breaks.

use super::PhysicsWorld;
use super::views::{BodyRef, ShapeRef};
use crate::PhysicsError;
use crate::body::{BodyId, position_in_range};
use crate::composite::{
    MemberId, MemberRecord, RigidWeldDef, RigidWeldId, RigidWeldRecord, check_thresholds, flag,
};
use crate::recording::Call;
use crate::shape::ShapeId;
use crate::state::State;
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::{Pose, Position};
use tombolo_threads::FloatEnvironment;

/// A view of a composite's member for reading.
#[derive(Clone, Copy, Debug)]
pub struct MemberRef<'a> {
    state: &'a State,
    id: MemberId,
}

/// A view of a rigid weld for reading.
#[derive(Clone, Copy, Debug)]
pub struct RigidWeldRef<'a> {
    state: &'a State,
    id: RigidWeldId,
}

/// Composites. Rules of all these calls:
///
/// - **Definition.** A composite is a body whose shapes belong to members, which rigid welds hold together. A body
///   first becomes a composite of a single member ([`PhysicsWorld::create_member`]); a weld of members of two bodies
///   makes one body of the two. For the solver it is one body: rigid whatever it weighs, at the cost of any other body
///   with as many shapes.
/// - **Ids.** Members, welds and shapes keep their ids whatever body they are in; [`MemberRef::body`] is the present
///   one.
/// - **Forces.** After each step a weld has the load that it bore ([`RigidWeldRef::force`], [`RigidWeldRef::torque`]),
///   from the balance of all forces on the members. While asleep it keeps its last load.
/// - **Breaking.** A weld whose load exceeded a threshold is reported by
///   [`Events::rigid_weld`](crate::Events::rigid_weld) and, if it [breaks](RigidWeldDef::breaks), removed when the step
///   returns. Parts that are no longer connected become bodies of their own, reported by
///   [`Events::cut`](crate::Events::cut): the part of the greatest area remains the body. Shapes, mass, momentum,
///   one-step forces and joints are divided as by a [cut](PhysicsWorld::slice); touches of shapes that change their
///   body end, and begin anew in the next step.
/// - **New shapes** of a composite belong to the nearest member. A member is removed with its last shape, and its welds
///   with it.
/// - **Cutting** a composite by a line is an error.
impl PhysicsWorld {
    /// Makes a body a composite of one member with all of its shapes. Wakes no body. Costs the number of shapes.
    ///
    /// # Errors
    ///
    /// If the body is gone, has members already, has no shapes or has tiles, or the world is full.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, PhysicsWorld, Position, RigidWeldDef, Shape, ShapeDef, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let mut plank = |x| {
    ///     let body = world.create_body(&BodyDef::dynamic(x, 5.0))?;
    ///     world.create_shape(body, &ShapeDef::default(), &Shape::new_box(1.0, 0.2)?)?;
    ///     world.create_member(body, 0)
    /// };
    /// let (left, right) = (plank(0.0)?, plank(1.0)?);
    /// let weld = world.create_rigid_weld(&RigidWeldDef {
    ///     torque_threshold: 50.0,
    ///     ..RigidWeldDef::new(left, right, Position::new(0.5, 5.0))
    /// })?;
    /// let body = |world: &PhysicsWorld, member| world.member(member).unwrap().body().id();
    /// assert_eq!(body(&world, left), body(&world, right));
    /// world.destroy_rigid_weld(weld)?;
    /// assert_ne!(body(&world, left), body(&world, right));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create_member(&mut self, body: BodyId, key: u64) -> Result<MemberId, PhysicsError> {
        self.log.report(|| Call::CreateMember { body, key });
        let _environment = FloatEnvironment::enter();
        let body = self.state.check_body(body)?;
        self.state.check_no_composite(
            body,
            "the body has members already: weld another body to one of them",
        )?;
        self.check_member_of(body)?;
        let state = &mut self.state;
        state.check_room_for("members", state.members.slot_count())?;
        Ok(state.create_member(body, key))
    }

    /// Removes a member with its shapes and its welds. The body divides if it was connected only through the member; a
    /// body without other members is left without shapes. Wakes bodies like [`PhysicsWorld::destroy_shape`]. Costs the
    /// number of the body's shapes, contacts and joints.
    ///
    /// # Errors
    ///
    /// If the member is gone already, or the world has no room for the bodies that may result.
    pub fn destroy_member(&mut self, id: MemberId) -> Result<(), PhysicsError> {
        self.log.report(|| Call::DestroyMember { member: id });
        let _environment = FloatEnvironment::enter();
        let member = self.state.check_member(id)?;
        let body = self.state.members.live(member).body;
        let shapes: Vec<u32> = self
            .state
            .shapes_of(body)
            .filter(|&shape| self.state.member_of(shape) == Some(member))
            .collect();
        self.destroy_shapes_of(body, &shapes)
    }

    /// Moves a shape to another member of its body: for a shape just created on a composite, which belongs to the
    /// nearest member. All parts of its concave polygon move too. Wakes no body. Costs the number of the body's shapes.
    ///
    /// # Errors
    ///
    /// If one of the two is gone, the member is of another body, or the shape is the only one of its member.
    pub fn set_shape_member(&mut self, shape: ShapeId, member: MemberId) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetShapeMember { shape, member });
        let _environment = FloatEnvironment::enter();
        let state = &mut self.state;
        let (shape, member) = (state.check_shape(shape)?, state.check_member(member)?);
        let body = state.members.live(member).body;
        let refuse = |why| Err(PhysicsError::Composite { why });
        let old = match state.member_of(shape) {
            Some(old) if state.shape_links[shape].body == body => old,
            _ => return refuse("the shape is on another body than the member"),
        };
        if old == member {
            return Ok(());
        }
        if state.with_other_parts(shape).len() == state.members.live(old).shape_count as usize {
            return refuse("the shape is all that its member has");
        }
        state.move_to_member(shape, member);
        state.weigh_members(body);
        Ok(())
    }

    /// Checks whether two bodies could be welded at a point: returns the errors of [`PhysicsWorld::create_member`] and
    /// [`PhysicsWorld::create_rigid_weld`] for the members that they have or would have. Costs the second body's shapes
    /// and joints.
    ///
    /// # Errors
    ///
    /// The errors of those calls except for thresholds; or if a body is gone, or both are the same and not a composite.
    pub fn check_weldable(&self, bodies: [BodyId; 2], point: Position) -> Result<(), PhysicsError> {
        position_in_range(point)?;
        let state = &self.state;
        let [first, second] = [state.check_body(bodies[0])?, state.check_body(bodies[1])?];
        for body in [first, second] {
            if !state.is_composite(body) {
                self.check_member_of(body)?;
            }
        }
        state.check_room_for("members", state.members.slot_count() + 1)?;
        state.check_room_for("rigid welds", state.rigid_welds.slot_count())?;
        if first == second && !state.is_composite(first) {
            return Err(PhysicsError::UnfitBodies {
                why: "a rigid weld needs two different members",
            });
        }
        state.plan_merger([first, second]).map(drop)
    }

    /// Returns an error if a body cannot become a member as it is.
    fn check_member_of(&self, body: u32) -> Result<(), PhysicsError> {
        let state = &self.state;
        let refuse = |why| Err(PhysicsError::Composite { why });
        if state.shapes_of(body).next().is_none() {
            return refuse("a member needs shapes: give the body some first");
        }
        if state.tile_grids.records.values().any(|grid| grid.body == body) {
            return refuse("a body with tiles cannot be a member");
        }
        Ok(())
    }

    /// Welds two members at their present poses. If they are in two bodies, the second one's body becomes a part of the
    /// first one's and its id stale; momentum and angular momentum are kept, joints between the two are removed, and
    /// other settings are the first one's. Masses that were set for a body are dropped: a composite's mass is that of
    /// its shapes. Wakes both bodies and those that touch them. Costs the number of shapes, contacts and joints of the
    /// two.
    ///
    /// # Errors
    ///
    /// If a member is gone, both are the same, a number is out of range, one of two bodies is not dynamic, only one is
    /// disabled, a corner or a joint's anchor would be too far from the first one's origin, or the world is full.
    pub fn create_rigid_weld(&mut self, def: &RigidWeldDef) -> Result<RigidWeldId, PhysicsError> {
        self.log.report(|| Call::CreateRigidWeld { def: def.clone() });
        let _environment = FloatEnvironment::enter();
        def.validate()?;
        let [first, second] = def.members();
        let first = self.state.check_member(first)?;
        if first == self.state.check_member(second)? {
            return Err(PhysicsError::UnfitBodies {
                why: "a rigid weld needs two different members",
            });
        }
        let slots = self.state.rigid_welds.slot_count();
        self.state.check_room_for("rigid welds", slots)?;
        let bodies = def
            .members()
            .map(|member| self.state.members.live(member.index()).body);
        let merger = self.state.plan_merger(bodies)?;
        let body = bodies[0];
        if let Some(merger) = merger {
            self.note_body(body);
            self.note_body(merger.from());
            self.geometry_version += 1;
            self.state.merge(&merger);
        }
        self.state.wake(body);
        let anchor = self.state.body_poses[body]
            .pose
            .inverse_transform_point(def.point.to_vec2());
        Ok(self.state.add_rigid_weld(def, anchor + Vec2::ZERO))
    }

    /// Removes a weld, and wakes its body. The body divides if it was connected only through the weld.
    ///
    /// # Errors
    ///
    /// If the weld is gone already, or the world has no room for another body.
    pub fn destroy_rigid_weld(&mut self, id: RigidWeldId) -> Result<(), PhysicsError> {
        self.log.report(|| Call::DestroyRigidWeld { weld: id });
        let _environment = FloatEnvironment::enter();
        let weld = self.state.check_rigid_weld(id)?;
        self.state.check_room_for_parts(1)?;
        let body = self
            .state
            .members
            .live(self.state.rigid_welds.live(weld).members[0])
            .body;
        self.note_body(body);
        self.state.wake(body);
        self.state.remove_rigid_weld(weld);
        self.state.part_composite(body);
        Ok(())
    }

    /// Sets the force in newtons and the torque in newton meters above which a weld is reported, and whether it then
    /// breaks. Wakes its body.
    ///
    /// # Errors
    ///
    /// If the weld is gone, or a number is negative or NaN.
    pub fn set_rigid_weld_thresholds(
        &mut self,
        weld: RigidWeldId,
        force: f32,
        torque: f32,
        breaks: bool,
    ) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetRigidWeldThresholds {
            weld,
            force,
            torque,
            breaks,
        });
        let weld = self.state.check_rigid_weld(weld)?;
        check_thresholds(force, torque)?;
        let record = self.state.rigid_welds.live_mut(weld);
        (record.force_threshold, record.torque_threshold) = (force, torque);
        record.flags = if breaks { flag::BREAKS } else { 0 };
        let body = self
            .state
            .members
            .live(self.state.rigid_welds.live(weld).members[0])
            .body;
        self.state.wake(body);
        Ok(())
    }

    /// Sets the user's own number of a weld.
    ///
    /// # Errors
    ///
    /// If the weld is gone.
    pub fn set_rigid_weld_user_key(&mut self, weld: RigidWeldId, key: u64) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetRigidWeldUserKey { weld, key });
        let weld = self.state.check_rigid_weld(weld)?;
        self.state.rigid_welds.live_mut(weld).user_key = key;
        Ok(())
    }

    /// Sets the user's own number of a member.
    ///
    /// # Errors
    ///
    /// If the member is gone.
    pub fn set_member_user_key(&mut self, member: MemberId, key: u64) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetMemberUserKey { member, key });
        let member = self.state.check_member(member)?;
        self.state.members.live_mut(member).user_key = key;
        Ok(())
    }

    /// The member with this id, for reading; `None` for a stale id. O(1).
    pub fn member(&self, id: MemberId) -> Option<MemberRef<'_>> {
        let state = &self.state;
        state.members.contains(id).then_some(MemberRef { state, id })
    }

    /// The rigid weld with this id, for reading; `None` for a stale id. O(1).
    pub fn rigid_weld(&self, id: RigidWeldId) -> Option<RigidWeldRef<'_>> {
        let state = &self.state;
        state
            .rigid_welds
            .contains(id)
            .then_some(RigidWeldRef { state, id })
    }

    /// All members, in the order of their creation until the first is destroyed.
    pub fn members(&self) -> impl ExactSizeIterator<Item = MemberRef<'_>> {
        let state = &self.state;
        state.members.handles().map(move |id| MemberRef { state, id })
    }

    /// All rigid welds, in the order of their creation until the first is destroyed.
    pub fn rigid_welds(&self) -> impl ExactSizeIterator<Item = RigidWeldRef<'_>> {
        let state = &self.state;
        state
            .rigid_welds
            .handles()
            .map(move |id| RigidWeldRef { state, id })
    }

    /// Whether this world ever issued an id, whether or not its member still exists: see
    /// [`PhysicsWorld::has_held_body`].
    pub fn has_held_member(&self, id: MemberId) -> bool {
        self.state.members.has_held(id)
    }

    /// Whether this world ever issued an id, whether or not its weld still exists: see [`PhysicsWorld::has_held_body`].
    pub fn has_held_rigid_weld(&self, id: RigidWeldId) -> bool {
        self.state.rigid_welds.has_held(id)
    }
}

impl<'a> MemberRef<'a> {
    pub(super) fn of(state: &'a State, member: u32) -> Self {
        let id = state.members.live_id(member);
        Self { state, id }
    }

    fn record(&self) -> &'a MemberRecord {
        self.state.members.live(self.id.index())
    }

    /// The member's id.
    pub fn id(&self) -> MemberId {
        self.id
    }

    /// The user's own number.
    pub fn user_key(&self) -> u64 {
        self.record().user_key
    }

    /// The body that the member is now a part of.
    pub fn body(&self) -> BodyRef<'a> {
        BodyRef::of(self.state, self.record().body)
    }

    /// The present world pose of the frame of the body that the member was made from: the pose of that body if it were
    /// still separate.
    pub fn pose(&self) -> Pose {
        self.body().pose().compose(self.frame())
    }

    /// The same pose in the frame of the body that the member is a part of.
    pub fn frame(&self) -> Pose {
        self.record().frame
    }

    /// The member's shapes, newest first. Costs the number of the body's shapes.
    pub fn shapes(&self) -> impl Iterator<Item = ShapeRef<'a>> + use<'a> {
        let (state, member) = (self.state, self.id.index());
        state
            .shapes_of(self.record().body)
            .filter(move |&shape| state.member_of(shape) == Some(member))
            .map(move |shape| ShapeRef::of(state, shape))
    }

    /// The member's welds, newest first.
    pub fn welds(&self) -> impl Iterator<Item = RigidWeldRef<'a>> + use<'a> {
        let state = self.state;
        state
            .welds_of(self.id.index())
            .map(move |(weld, _)| RigidWeldRef::of(state, weld))
    }

    /// The mass of the member's shapes in kilograms when the body's mass was last computed: in a step, if shapes were
    /// added or removed.
    pub fn mass(&self) -> f32 {
        self.record().mass
    }

    /// The member's center of mass in the world, likewise.
    pub fn center(&self) -> Position {
        let record = self.record();
        self.state.body_poses[record.body]
            .pose
            .transform_point(record.center)
            .into()
    }
}

impl<'a> RigidWeldRef<'a> {
    fn of(state: &'a State, weld: u32) -> Self {
        let id = state.rigid_welds.live_id(weld);
        Self { state, id }
    }

    fn record(&self) -> &'a RigidWeldRecord {
        self.state.rigid_welds.live(self.id.index())
    }

    /// The weld's id.
    pub fn id(&self) -> RigidWeldId {
        self.id
    }

    /// The user's own number.
    pub fn user_key(&self) -> u64 {
        self.record().user_key
    }

    /// The two members.
    pub fn members(&self) -> [MemberRef<'a>; 2] {
        self.record()
            .members
            .map(|member| MemberRef::of(self.state, member))
    }

    /// The body that both members are parts of.
    pub fn body(&self) -> BodyRef<'a> {
        self.members()[0].body()
    }

    /// The weld's position in the world.
    pub fn point(&self) -> Position {
        let pose = self.body().pose();
        pose.transform_point(self.local_point()).into()
    }

    /// The weld's position in the frame of its body, in meters. It stays as it is until the body becomes a part of another
    /// one.
    pub fn local_point(&self) -> Vec2 {
        self.record().anchor
    }

    /// The weld's definition with its present options and position, from which an equal weld could be created.
    pub fn def(&self) -> RigidWeldDef {
        let record = self.record();
        let [member_a, member_b] = self.members().map(|member| member.id());
        RigidWeldDef {
            member_a,
            member_b,
            point: self.point(),
            force_threshold: record.force_threshold,
            torque_threshold: record.torque_threshold,
            breaks: record.breaks(),
            user_key: record.user_key,
        }
    }

    /// The force on the second member in newtons, averaged over the last step in which the body was awake. Forces that
    /// act on all matter alike do not load a weld: gravity, damping, fields, forces and torques of calls without a
    /// point, fixed axes. Welds that form a cycle share the load like springs of equal stiffness.
    pub fn force(&self) -> Vec2 {
        self.record().force
    }

    /// The torque on the second member about the weld in newton meters, averaged likewise.
    pub fn torque(&self) -> f32 {
        self.record().torque
    }
}
