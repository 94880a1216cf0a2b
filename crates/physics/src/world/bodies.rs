//! Creating, destroying, enabling and moving bodies.

use super::PhysicsWorld;
use crate::PhysicsError;
use crate::body::{BodyDef, BodyId, BodyKind, BodyPose, flag, position_in_range};
use crate::constants::OBJECTS_MAX;
use crate::contact::pool::body_ref;
use crate::error::finite;
use crate::state::State;
use glam::Vec2;
use tombolo_geometry::{Pose, Position};
use tombolo_threads::FloatEnvironment;

impl PhysicsWorld {
    /// Adds a body without shapes. Costs O(1).
    ///
    /// # Errors
    ///
    /// If a number of the definition is out of range, or the world is full.
    pub fn create_body(&mut self, def: &BodyDef) -> Result<BodyId, PhysicsError> {
        let _environment = FloatEnvironment::enter();
        def.validate()?;
        if self.state.bodies.slot_count() >= OBJECTS_MAX {
            return Err(PhysicsError::TooMany {
                what: "bodies",
                limit: OBJECTS_MAX,
            });
        }
        let id = self.state.create_body(def);
        self.note_body(id.index());
        Ok(id)
    }

    /// Removes a body with its shapes, contacts and joints, and wakes what touched it. Costs what hangs on it.
    ///
    /// # Errors
    ///
    /// If the body is gone already.
    pub fn destroy_body(&mut self, id: BodyId) -> Result<(), PhysicsError> {
        let _environment = FloatEnvironment::enter();
        let body = self.state.check_body(id)?;
        self.note_body(body);
        self.state.wake_touching(body);
        self.state.change_joints_of(body, State::destroy_joint);
        self.state.disable(body);
        self.state.change_shapes_of(body, State::forget_shape);
        let sim = &mut self.state.body_sims[body];
        sim.set(flag::MASS_STALE, false);
        self.state.settings[0u32].fast_bodies -= u32::from(sim.has(flag::FAST_ROTATION));
        self.state.bodies.remove(id);
        Ok(())
    }

    /// Whether an id was given out by this world, be its body here still or not. What is said of one that was not would be
    /// said of a body that comes later.
    pub fn has_held_body(&self, id: BodyId) -> bool {
        self.state.bodies.has_held(id)
    }

    /// Takes a body out of the simulation, or back in. A disabled body keeps its place, shapes and joints, but touches
    /// nothing and does not move. Costs about as much as creating it.
    ///
    /// # Errors
    ///
    /// If the body is gone.
    pub fn set_enabled(&mut self, id: BodyId, enabled: bool) -> Result<(), PhysicsError> {
        let _environment = FloatEnvironment::enter();
        let body = self.state.check_body(id)?;
        self.note_body(body);
        match (self.state.body_sims[body].has(flag::ENABLED), enabled) {
            (true, false) => self.state.disable(body),
            (false, true) => self.state.enable(body, true),
            _ => {}
        }
        Ok(())
    }

    /// Changes how a body moves. Its touches end, and begin again in the next step where two may still touch; mass and
    /// islands follow; one that becomes static stands still. Costs about as much as creating it.
    ///
    /// # Errors
    ///
    /// If the body is gone.
    pub fn set_kind(&mut self, id: BodyId, kind: BodyKind) -> Result<(), PhysicsError> {
        let _environment = FloatEnvironment::enter();
        let body = self.state.check_body(id)?;
        if self.state.body_sims[body].kind() == kind {
            return Ok(());
        }
        self.note_body(body);
        let enabled = self.state.body_sims[body].has(flag::ENABLED);
        let was_awake = body_ref(&self.state.bodies, body).is_awake();
        let reported = self.state.pending_woken.len();
        self.state.sum_up_mass(body);
        self.state.disable(body);
        self.state.body_sims[body].kind = kind as u32;
        if kind == BodyKind::Static {
            let motion = &mut self.state.body_states[body];
            (motion.linear_velocity, motion.angular_velocity) = (Vec2::ZERO, 0.0);
        }
        self.state.update_mass(body);
        if enabled {
            self.state.enable(body, true);
        }
        if was_awake {
            self.state.retract_woken(body, reported);
        }
        Ok(())
    }

    /// Puts a body elsewhere at once. Its touches end, and begin again in the next step if it still touches; whatever
    /// rested on it wakes, and so does the body.
    ///
    /// # Errors
    ///
    /// If the body is gone, or a number is out of range.
    pub fn teleport(&mut self, id: BodyId, position: Position, angle: f32) -> Result<(), PhysicsError> {
        let _environment = FloatEnvironment::enter();
        let body = self.state.check_body(id)?;
        position_in_range(position)?;
        finite("angle", angle)?;
        self.note_body(body);
        self.state.sum_up_mass(body);
        let enabled = self.state.body_sims[body].has(flag::ENABLED);
        let was_awake = body_ref(&self.state.bodies, body).is_awake();
        let reported = self.state.pending_woken.len();
        if enabled {
            self.state.disable(body);
        }
        let local_center = self.state.body_poses[body].local_center;
        self.state.body_poses[body] = BodyPose::new(Pose::new(position.to_vec2(), angle), local_center);
        if enabled {
            self.state.enable(body, true);
        }
        if was_awake {
            self.state.retract_woken(body, reported);
        }
        Ok(())
    }
}
