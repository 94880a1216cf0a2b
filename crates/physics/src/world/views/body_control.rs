//! Methods of [`BodyRef`] and [`BodyMut`] for the options that few bodies have, for forces and points in the body's own
//! frame, and for waking and sleeping by a call.

use super::{BodyMut, BodyRef};
use crate::PhysicsError;
use crate::body::flag;
use crate::contact;
use crate::control::{BodyControl, check_extra_substeps, check_own_mass};
use crate::error::{Range, mass};
use crate::recording::Call;
use glam::Vec2;
use tombolo_geometry::Position;
use tombolo_geometry::shape::MassProperties;
use tombolo_threads::FloatEnvironment;

impl BodyRef<'_> {
    fn control(&self) -> BodyControl {
        self.state.control_of(self.id.index())
    }

    /// Whether the center of mass never moves along the world's x axis, and along its y axis.
    pub fn fixed_axes(&self) -> [bool; 2] {
        self.control().fixed_axes.map(|fixed| fixed != 0)
    }

    /// The mass properties that replace those of the shapes, if their mass is not 0; see
    /// [`BodyDef::own_mass`](crate::BodyDef::own_mass).
    pub fn own_mass(&self) -> MassProperties {
        self.control().own_mass
    }

    /// The mass in kilograms that is added to that of the shapes.
    pub fn added_mass(&self) -> f32 {
        self.control().added_mass
    }

    /// The body's dominance: contacts with bodies of lower dominance do not move it; see
    /// [`BodyDef::dominance`](crate::BodyDef::dominance).
    pub fn dominance(&self) -> i8 {
        self.control().dominance as i8
    }

    /// The substeps added to the world's for the body and those connected with it; see
    /// [`BodyDef::extra_substeps`](crate::BodyDef::extra_substeps).
    pub fn extra_substeps(&self) -> u32 {
        self.state.extra_substeps_of(self.id.index())
    }

    /// The body's own speed limit in meters per second; a million if only the world's limit applies.
    pub fn speed_max(&self) -> f32 {
        self.control().speed_max
    }

    /// The body's own limit of angular velocity in radians per second; a million if only the limit of all bodies
    /// applies.
    pub fn spin_max(&self) -> f32 {
        self.control().spin_max
    }

    /// Whether the body drops through one-way platforms.
    pub fn is_dropping(&self) -> bool {
        self.state.body_sims[self.id.index()].has(flag::DROPPING)
    }

    /// Whether the body's contacts may keep their manifolds while it hardly moves.
    pub fn has_contact_recycling(&self) -> bool {
        !self.state.body_sims[self.id.index()].has(flag::NO_RECYCLING)
    }

    /// The force at the center of mass in every step, in newtons, set by [`BodyMut::set_lasting_force`].
    pub fn lasting_force(&self) -> Vec2 {
        self.control().lasting_force
    }

    /// The torque in every step, in newton meters, set by [`BodyMut::set_lasting_torque`].
    pub fn lasting_torque(&self) -> f32 {
        self.control().lasting_torque
    }

    /// The world position of a point in the body's frame.
    pub fn world_point(&self, local: Vec2) -> Position {
        self.pose().transform_point(local).into()
    }
}

impl BodyMut<'_> {
    fn control(&self) -> BodyControl {
        self.world.state.control_of(self.body())
    }

    /// Changes options that few bodies have, and wakes the body.
    fn change_control_and_wake(&mut self, change: impl FnOnce(&mut BodyControl)) {
        let mut control = self.control();
        change(&mut control);
        self.world.state.set_control(self.body(), control);
        self.wake_island();
    }

    /// Like `change_control_and_wake`, for options that the mass depends on: computes it anew.
    fn change_control_and_mass(&mut self, change: impl FnOnce(&mut BodyControl)) {
        let _environment = FloatEnvironment::enter_call();
        self.change_control_and_wake(change);
        self.world.state.update_mass(self.body());
    }

    /// Locks or unlocks the motion of the center of mass along the world's x axis and along its y axis; wakes the body.
    /// The velocity of a dynamic body along a locked axis becomes 0. See [`BodyDef::fixed_x`](crate::BodyDef::fixed_x).
    pub fn set_fixed_axes(&mut self, x: bool, y: bool) {
        self.world
            .log
            .report(|| Call::BodySetFixedAxes { body: self.id, x, y });
        self.change_control_and_mass(|control| control.fixed_axes = [x, y].map(u32::from));
        self.world.state.stop_what_is_fixed(self.body());
    }

    /// Replaces the mass properties of the shapes by given ones, or restores them with a mass of 0; wakes the body. The
    /// velocity of the body's origin stays. See [`BodyDef::own_mass`](crate::BodyDef::own_mass).
    ///
    /// # Errors
    ///
    /// If mass or inertia are neither 0 nor from 0.000001 to 1e24, or the center is outside the world's range.
    pub fn set_own_mass(&mut self, own: MassProperties) -> Result<(), PhysicsError> {
        self.world
            .log
            .report(|| Call::BodySetOwnMass { body: self.id, own });
        check_own_mass(&own)?;
        self.change_control_and_mass(|control| control.own_mass = own);
        Ok(())
    }

    /// Sets the mass in kilograms that is added to that of the shapes, in place of an earlier one; wakes the body. See
    /// [`BodyDef::added_mass`](crate::BodyDef::added_mass).
    ///
    /// # Errors
    ///
    /// If it is neither 0 nor from 0.000001 to 1e24.
    pub fn set_added_mass(&mut self, kilograms: f32) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::BodySetAddedMass {
            body: self.id,
            kilograms,
        });
        mass("added_mass", kilograms)?;
        self.change_control_and_mass(|control| control.added_mass = kilograms);
        Ok(())
    }

    /// Sets the dominance, which decides the contacts that move the body; wakes it and the bodies that touch it. See
    /// [`BodyDef::dominance`](crate::BodyDef::dominance).
    ///
    /// # Errors
    ///
    /// If it is -128.
    pub fn set_dominance(&mut self, dominance: i8) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::BodySetDominance {
            body: self.id,
            dominance,
        });
        crate::control::check_dominance(i32::from(dominance))?;
        self.change_control_and_wake(|control| control.dominance = i32::from(dominance));
        let body = self.body();
        self.world.state.wake_touching(body);
        self.world.state.compute_contacts_anew(body);
        Ok(())
    }

    /// Sets the number of substeps that the body requests in addition to the world's, for itself and the bodies
    /// connected with it; wakes the body. The next step starts from the impulses of the last substep, as after
    /// [`PhysicsWorld::set_substeps`](crate::PhysicsWorld::set_substeps). See
    /// [`BodyDef::extra_substeps`](crate::BodyDef::extra_substeps).
    ///
    /// # Errors
    ///
    /// If it is more than 64.
    pub fn set_extra_substeps(&mut self, extra: u32) -> Result<(), PhysicsError> {
        self.world
            .log
            .report(|| Call::BodySetExtraSubsteps { body: self.id, extra });
        check_extra_substeps(extra)?;
        let body = self.body();
        self.world.state.set_extra_substeps(body, extra);
        self.wake_island();
        Ok(())
    }

    /// Sets the limits of the body's speed in meters per second and of its angular velocity in radians per second;
    /// wakes the body. It may be faster until the next step. See [`BodyDef::speed_max`](crate::BodyDef::speed_max).
    ///
    /// # Errors
    ///
    /// If one is not from 0 to 1,000,000.
    pub fn set_speed_limits(&mut self, speed_max: f32, spin_max: f32) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::BodySetSpeedLimits {
            body: self.id,
            speed_max,
            spin_max,
        });
        Range::SPEED.check("speed_max", speed_max)?;
        Range::SPIN_LIMIT.check("spin_max", spin_max)?;
        self.change_control_and_wake(|control| (control.speed_max, control.spin_max) = (speed_max, spin_max));
        Ok(())
    }

    /// Sets whether the body's contacts may keep their manifolds while it hardly moves; wakes no body. See
    /// [`BodyDef::contact_recycling`](crate::BodyDef::contact_recycling).
    pub fn set_contact_recycling(&mut self, recycling: bool) {
        self.world.log.report(|| Call::BodySetContactRecycling {
            body: self.id,
            recycling,
        });
        let body = self.body();
        let state = &mut self.world.state;
        state.body_sims[body].set(flag::NO_RECYCLING, !recycling);
        state.change_contacts_of(body, |state, index| {
            let place = state.contacts.place_of(index);
            let contact = &state.contacts.contacts[place];
            let anew = state.recycling_flag([contact.body_a, contact.body_b]);
            let flags = &mut state.contacts.contacts[place].flags;
            *flags = *flags & !contact::flag::NO_RECYCLING | anew;
        });
    }

    /// Sets the force in newtons that acts at the center of mass in every step from now on, in the world's directions,
    /// in place of an earlier one; wakes the body. [`BodyMut::apply_force`] adds a force for a single step. Like
    /// gravity, a lasting force keeps a body awake only if no contact pushes it and no joint holds it. It acts on
    /// dynamic bodies only, but other bodies store it.
    ///
    /// # Errors
    ///
    /// If a component is not from -1e30 to 1e30.
    pub fn set_lasting_force(&mut self, force: Vec2) -> Result<(), PhysicsError> {
        self.world
            .log
            .report(|| Call::BodySetLastingForce { body: self.id, force });
        Range::FORCE.check_vector("lasting_force", force)?;
        self.change_control_and_wake(|control| control.lasting_force = force);
        Ok(())
    }

    /// Sets the torque in newton meters that acts in every step from now on, with the rules of
    /// [`BodyMut::set_lasting_force`].
    ///
    /// # Errors
    ///
    /// If it is not from -1e30 to 1e30.
    pub fn set_lasting_torque(&mut self, torque: f32) -> Result<(), PhysicsError> {
        self.world.log.report(|| Call::BodySetLastingTorque {
            body: self.id,
            torque,
        });
        Range::FORCE.check("lasting_torque", torque)?;
        self.change_control_and_wake(|control| control.lasting_torque = torque);
        Ok(())
    }

    /// Like [`BodyMut::apply_force`], with the force in the body's own frame at its present rotation.
    ///
    /// # Errors
    ///
    /// In the same cases as [`BodyMut::apply_force`].
    pub fn apply_local_force(&mut self, force: Vec2) -> Result<(), PhysicsError> {
        let _environment = FloatEnvironment::enter_call();
        Range::FORCE.check_vector("force", force)?;
        self.apply_force(self.turned(force))
    }

    /// Like [`BodyMut::apply_force_at`], with force and point in the body's own frame.
    ///
    /// # Errors
    ///
    /// In the same cases as [`BodyMut::apply_force_at`].
    pub fn apply_local_force_at(&mut self, force: Vec2, point: Vec2) -> Result<(), PhysicsError> {
        let _environment = FloatEnvironment::enter_call();
        Range::FORCE.check_vector("force", force)?;
        Range::POSITION.check_vector("point", point)?;
        self.apply_force_at(self.turned(force), self.view().world_point(point))
    }

    /// Like [`BodyMut::apply_impulse`], with the impulse in the body's own frame.
    ///
    /// # Errors
    ///
    /// In the same cases as [`BodyMut::apply_impulse`].
    pub fn apply_local_impulse(&mut self, impulse: Vec2) -> Result<(), PhysicsError> {
        let _environment = FloatEnvironment::enter_call();
        Range::FORCE.check_vector("impulse", impulse)?;
        self.apply_impulse(self.turned(impulse))
    }

    /// Like [`BodyMut::apply_impulse_at`], with impulse and point in the body's own frame.
    ///
    /// # Errors
    ///
    /// In the same cases as [`BodyMut::apply_impulse_at`].
    pub fn apply_local_impulse_at(&mut self, impulse: Vec2, point: Vec2) -> Result<(), PhysicsError> {
        let _environment = FloatEnvironment::enter_call();
        Range::FORCE.check_vector("impulse", impulse)?;
        Range::POSITION.check_vector("point", point)?;
        self.apply_impulse_at(self.turned(impulse), self.view().world_point(point))
    }

    /// A vector of the body's frame in world directions, clamped to what the setters accept.
    fn turned(&self, local: Vec2) -> Vec2 {
        let most = Vec2::splat(crate::constants::FORCE_MAX_N);
        self.view().rotation().rotate(local).clamp(-most, most)
    }

    /// Lets the body fall through the one-way platforms that it rests on or overlaps, until it overlaps none; wakes it.
    /// Ends by itself, at once if there are none. No effect unless dynamic and enabled.
    pub fn drop_through(&mut self) {
        self.world.log.report(|| Call::BodyDropThrough { body: self.id });
        if self.answers_to_forces() {
            self.wake_island();
            self.world.state.body_sims[self.id.index()].set(flag::DROPPING, true);
        }
    }

    /// Wakes the body and every body that touches it or is joined to it, also those on a static or kinematic body.
    pub fn wake_touching(&mut self) {
        self.world.log.report(|| Call::BodyWakeTouching { body: self.id });
        let body = self.body();
        self.world.state.wake_touching(body);
    }

    /// Puts the body to sleep at once, with its whole island if it is dynamic: velocities become 0, and so do forces
    /// for the next step. It wakes under the same conditions as a body that fell asleep by itself, and the next step's
    /// events report it. Returns whether that was possible: false if a body of the island may not sleep, touches or is
    /// joined to a kinematic body that moves, or while the world keeps everything awake
    /// ([`WorldDef::sleeping`](crate::WorldDef::sleeping)); true for a static or disabled body, which is never awake.
    /// Costs the island with its contacts and joints.
    pub fn sleep(&mut self) -> bool {
        self.world.log.report(|| Call::BodySleep { body: self.id });
        let body = self.body();
        self.world.state.try_sleep(body)
    }
}
