//! Members of composites and their welds in the state: their lists, the shapes of each member, its mass, and the forces
//! that calls apply to it.

use crate::PhysicsError;
use crate::body::{NONE, flag};
use crate::broad_phase::TreeKind;
use crate::composite::{MemberId, MemberRecord, RigidWeldDef, RigidWeldId, RigidWeldRecord};
use crate::constants::OBJECTS_MAX;
use crate::state::State;
use alloc::vec::Vec;
use glam::{DVec2, Vec2};
use tombolo_geometry::distance::closest_point;
use tombolo_geometry::math::cross;
use tombolo_geometry::{Aabb, Pose};

impl State {
    /// The index of a member, if it exists.
    pub(crate) fn check_member(&self, id: MemberId) -> Result<u32, PhysicsError> {
        if self.members.contains(id) {
            Ok(id.index())
        } else {
            Err(PhysicsError::StaleHandle { what: "member" })
        }
    }

    /// The index of a weld, if it exists.
    pub(crate) fn check_rigid_weld(&self, id: RigidWeldId) -> Result<u32, PhysicsError> {
        if self.rigid_welds.contains(id) {
            Ok(id.index())
        } else {
            Err(PhysicsError::StaleHandle { what: "rigid weld" })
        }
    }

    /// Whether a body has members.
    pub(crate) fn is_composite(&self, body: u32) -> bool {
        self.body_sims[body].has(flag::COMPOSITE)
    }

    /// Returns an error for a composite.
    pub(crate) fn check_no_composite(&self, body: u32, why: &'static str) -> Result<(), PhysicsError> {
        if self.is_composite(body) {
            return Err(PhysicsError::Composite { why });
        }
        Ok(())
    }

    /// Returns an error if a composite could divide into more bodies than fit into the world.
    pub(crate) fn check_room_for_parts(&self, parts: usize) -> Result<(), PhysicsError> {
        self.check_capacity(parts, 0, 0)
    }

    /// The members of a body, newest first.
    pub(crate) fn members_of(&self, body: u32) -> impl Iterator<Item = u32> + '_ {
        let some = |member: u32| Some(member).filter(|&member| member != NONE);
        let first = if self.is_composite(body) {
            some(self.body_members[body])
        } else {
            None
        };
        core::iter::successors(first, move |&member| some(self.members.live(member).next))
    }

    /// The welds of a member, newest first, each with the end, 0 or 1, at which the member is.
    pub(crate) fn welds_of(&self, member: u32) -> impl Iterator<Item = (u32, usize)> + '_ {
        let some = |key: u32| Some(key).filter(|&key| key != NONE);
        let first = some(self.members.live(member).first_weld);
        let next = move |&key: &u32| some(self.rigid_welds.live(key >> 1).next[(key & 1) as usize]);
        core::iter::successors(first, next).map(|key| (key >> 1, (key & 1) as usize))
    }

    /// The member that a shape belongs to.
    pub(crate) fn member_of(&self, shape: u32) -> Option<u32> {
        self.shape_members.get(shape as usize)?.checked_sub(1)
    }

    /// Makes all shapes of a body, at least one, its first member.
    pub(crate) fn create_member(&mut self, body: u32, user_key: u64) -> MemberId {
        let id = self.members.insert(MemberRecord {
            user_key,
            body,
            previous: NONE,
            next: NONE,
            first_weld: NONE,
            shape_count: 0,
            unused: 0,
            mass: 0.0,
            inertia: 0.0,
            center: Vec2::ZERO,
            frame: Pose::IDENTITY,
            force: Vec2::ZERO,
            impulse: Vec2::ZERO,
            torque: 0.0,
            angular_impulse: 0.0,
        });
        self.list_member(id.index(), body);
        let shapes: Vec<u32> = self.shapes_of(body).collect();
        shapes
            .into_iter()
            .for_each(|shape| self.join_member(shape, id.index()));
        self.weigh_members(body);
        id
    }

    /// Inserts a member, which is in no list, at the head of the list of a body.
    pub(crate) fn list_member(&mut self, member: u32, body: u32) {
        self.body_members.grow_to(body as usize, NONE);
        if !self.is_composite(body) {
            self.body_sims[body].set(flag::COMPOSITE, true);
            self.body_members[body] = NONE;
        }
        let next = core::mem::replace(&mut self.body_members[body], member);
        let record = self.members.live_mut(member);
        (record.body, record.previous, record.next) = (body, NONE, next);
        if next != NONE {
            self.members.live_mut(next).previous = member;
        }
    }

    /// Removes a member from its body's list; a body without members is not a composite.
    pub(crate) fn delist_member(&mut self, member: u32) {
        let MemberRecord {
            body, previous, next, ..
        } = *self.members.live(member);
        if previous == NONE {
            self.body_members[body] = next;
            self.body_sims[body].set(flag::COMPOSITE, next != NONE);
        } else {
            self.members.live_mut(previous).next = next;
        }
        if next != NONE {
            self.members.live_mut(next).previous = previous;
        }
    }

    /// Assigns a shape without a member to a member of its body.
    fn join_member(&mut self, shape: u32, member: u32) {
        debug_assert!(self.member_of(shape).is_none(), "a shape is one member's");
        self.shape_members.grow_to(shape as usize, 0);
        self.shape_members[shape] = member + 1;
        self.members.live_mut(member).shape_count += 1;
    }

    /// Removes a shape from its member, if it has one. A member is removed with its last shape, and its welds with it;
    /// a composite that is then no longer connected does not divide yet.
    pub(crate) fn leave_member(&mut self, shape: u32) {
        let Some(member) = self.member_of(shape) else {
            return;
        };
        self.shape_members[shape] = 0;
        let record = self.members.live_mut(member);
        record.shape_count -= 1;
        if record.shape_count > 0 {
            return;
        }
        let welds: Vec<u32> = self.welds_of(member).map(|(weld, _)| weld).collect();
        welds.into_iter().for_each(|weld| self.remove_rigid_weld(weld));
        self.delist_member(member);
        let id = self.members.live_id(member);
        self.members.remove(id);
    }

    /// Moves a shape, with all parts of its concave polygon, to another member of its body; its own member must have
    /// more shapes than those.
    pub(crate) fn move_to_member(&mut self, shape: u32, member: u32) {
        for shape in self.with_other_parts(shape) {
            self.leave_member(shape);
            self.join_member(shape, member);
        }
    }

    /// A shape, or all parts of its concave polygon.
    pub(crate) fn with_other_parts(&self, shape: u32) -> Vec<u32> {
        match self.concave_polygon_of(shape) {
            None => Vec::from([shape]),
            Some(polygon) => {
                let parts = self.shapes_of(self.shape_links[shape].body);
                parts
                    .filter(|&part| self.concave_polygon_of(part) == Some(polygon))
                    .collect()
            }
        }
    }

    /// Assigns the newest shapes of a composite, which have no member yet, to the members nearest to their centers; the
    /// parts of a concave polygon together.
    pub(crate) fn adopt_shapes(&mut self, body: u32) {
        if !self.is_composite(body) {
            return;
        }
        let new: Vec<u32> = self
            .shapes_of(body)
            .take_while(|&shape| self.member_of(shape).is_none())
            .collect();
        let mut last = (None, NONE);
        for &shape in &new {
            let polygon = self.concave_polygon_of(shape);
            if polygon.is_none() || polygon != last.0 {
                let middle = self.shape_geometries[shape].centroid();
                last = (polygon, self.member_at(body, middle));
            }
            self.join_member(shape, last.1);
        }
    }

    /// The member of a composite that contains a point of the body's frame, or the one nearest to it; of several the
    /// one with the oldest shape. Costs the body's shapes.
    pub(crate) fn member_at(&self, body: u32, place: Vec2) -> u32 {
        let mut nearest = (f32::INFINITY, self.body_members[body]);
        for shape in self.solid_shapes_of(body) {
            let Some(member) = self.member_of(shape) else {
                continue;
            };
            let distance = (closest_point(&self.shape_geometries[shape], place) - place).length_squared();
            if distance <= nearest.0 {
                nearest = (distance, member);
            }
        }
        nearest.1
    }

    /// Like [`State::member_at`], for an enabled dynamic body. Costs the shapes that the trees have at that point; all
    /// of the body's shapes only if none of them contains it, or those of several members do.
    pub(crate) fn member_in_step(&self, body: u32, place: Vec2) -> u32 {
        let at = self.body_poses[body].pose.transform_point(place);
        let (mut holding, mut are_several) = (None, false);
        self.broad_phase
            .query_tree(TreeKind::Dynamic, Aabb::new(at, at), |shape| {
                if self.shape_links[shape].body != body {
                    return;
                }
                let holds = || closest_point(&self.shape_geometries[shape], place) == place;
                if let Some(member) = self.member_of(shape).filter(|_| holds()) {
                    are_several |= holding.is_some_and(|other| other != member);
                    holding = Some(member);
                }
            });
        let found = holding.filter(|_| !are_several);
        debug_assert!(
            found.is_none_or(|member| member == self.member_at(body, place)),
            "another member holds the place"
        );
        found.unwrap_or_else(|| self.member_at(body, place))
    }

    /// Adds a weld of two members of one body.
    pub(crate) fn add_rigid_weld(&mut self, def: &RigidWeldDef, anchor: Vec2) -> RigidWeldId {
        let id = self.rigid_welds.insert(def.record(anchor));
        for (end, member) in def.members().iter().enumerate() {
            let key = 2 * id.index() + end as u32;
            let record = self.members.live_mut(member.index());
            let next = core::mem::replace(&mut record.first_weld, key);
            self.rigid_welds.live_mut(id.index()).next[end] = next;
            if next != NONE {
                self.rigid_welds.live_mut(next >> 1).previous[(next & 1) as usize] = key;
            }
        }
        id
    }

    /// Removes a weld. A composite that is then no longer connected does not divide yet.
    pub(crate) fn remove_rigid_weld(&mut self, weld: u32) {
        let RigidWeldRecord {
            members,
            previous,
            next,
            ..
        } = *self.rigid_welds.live(weld);
        for (end, member) in members.into_iter().enumerate() {
            let (previous, next) = (previous[end], next[end]);
            if previous == NONE {
                self.members.live_mut(member).first_weld = next;
            } else {
                self.rigid_welds.live_mut(previous >> 1).next[(previous & 1) as usize] = next;
            }
            if next != NONE {
                self.rigid_welds.live_mut(next >> 1).previous[(next & 1) as usize] = previous;
            }
        }
        let id = self.rigid_welds.live_id(weld);
        self.rigid_welds.remove(id);
    }

    /// Computes the masses of the members of a composite. Costs the body's shapes.
    pub(crate) fn weigh_members(&mut self, body: u32) {
        let mut members: Vec<u32> = self.members_of(body).collect();
        members.sort_unstable();
        // For each member the mass in kilograms, the mass times the center, and the inertia about the body's origin in
        // kilogram square meters.
        let mut sums = alloc::vec![(0.0_f64, DVec2::ZERO, 0.0_f64); members.len()];
        let mut concave_polygon = None;
        for shape in self.solid_shapes_of(body) {
            let of = self.concave_polygon_of(shape);
            let is_counted = of.is_some() && of == concave_polygon;
            concave_polygon = of;
            let place = self.member_of(shape).map(|member| members.binary_search(&member));
            let Some(Ok(place)) = place.filter(|_| !is_counted) else {
                continue;
            };
            let part = self.mass_of(shape);
            let (mass, center) = (f64::from(part.mass), part.center.as_dvec2());
            sums[place].0 += mass;
            sums[place].1 += mass * center;
            sums[place].2 += f64::from(part.inertia) + mass * center.length_squared();
        }
        for (&member, &(mass, weighted, inertia)) in members.iter().zip(&sums) {
            let center = if mass > 0.0 { weighted / mass } else { DVec2::ZERO };
            let bounded = |number: f64| number.clamp(0.0, f64::from(f32::MAX)) as f32;
            let record = self.members.live_mut(member);
            record.mass = bounded(mass);
            record.center = center.as_vec2();
            record.inertia = bounded(inertia - mass * center.length_squared());
        }
    }

    /// Adds a force of the next step, in newtons at a point of the world, to the load of the member that contains it.
    pub(crate) fn load_member(&mut self, body: u32, point: Vec2, force: Vec2, impulse: Vec2) {
        if !self.is_composite(body) {
            return;
        }
        let local = self.body_poses[body].pose.inverse_transform_point(point);
        self.load_live_member(self.member_at(body, local), body, point, force, impulse);
    }

    /// The same to a member of the body that is known.
    pub(crate) fn load_live_member(
        &mut self,
        member: u32,
        body: u32,
        point: Vec2,
        force: Vec2,
        impulse: Vec2,
    ) {
        let arm = point - self.body_poses[body].pose.position;
        let record = self.members.live_mut(member);
        record.force += force;
        record.torque += cross(arm, force);
        record.impulse += impulse;
        record.angular_impulse += cross(arm, impulse);
    }

    /// Clears the forces that calls applied to a body's members.
    pub(crate) fn forget_member_loads(&mut self, body: u32) {
        if !self.is_composite(body) {
            return;
        }
        let mut next = self.body_members[body];
        while next != NONE {
            let member = next;
            let record = self.members.live(member);
            next = record.next;
            if record.is_loaded() {
                self.members.live_mut(member).forget_loads();
            }
        }
    }

    /// Returns an error if a member or a weld would exceed the limits of the world.
    pub(crate) fn check_room_for(&self, what: &'static str, slots: usize) -> Result<(), PhysicsError> {
        if slots >= OBJECTS_MAX {
            return Err(PhysicsError::TooMany {
                what,
                limit: OBJECTS_MAX,
            });
        }
        Ok(())
    }
}
