//! Calls that create and destroy bodies.

use super::PhysicsWorld;
use crate::PhysicsError;
use crate::body::{BodyDef, BodyId};
use crate::constants::OBJECTS_MAX;
use crate::recording::Call;
use crate::state::State;
use tombolo_threads::FloatEnvironment;

impl PhysicsWorld {
    /// Adds a body without shapes. Costs O(1).
    ///
    /// # Errors
    ///
    /// If a number of the definition is out of range, or the world is full.
    pub fn create_body(&mut self, def: &BodyDef) -> Result<BodyId, PhysicsError> {
        self.log.report(|| Call::CreateBody { def: def.clone() });
        let _environment = FloatEnvironment::enter_call();
        def.validate()?;
        if self.state.bodies.slot_count() >= OBJECTS_MAX {
            return Err(PhysicsError::TooMany {
                what: "bodies",
                limit: OBJECTS_MAX,
            });
        }
        if def.bullet {
            self.scratch.note_bullet();
        }
        let id = self.state.create_body(def);
        self.note_body(id.index());
        Ok(id)
    }

    /// Removes a body with its shapes, contacts and joints, and wakes the bodies that touched it. Costs the number of
    /// those objects.
    ///
    /// # Errors
    ///
    /// If the body is gone already.
    pub fn destroy_body(&mut self, id: BodyId) -> Result<(), PhysicsError> {
        self.log.report(|| Call::DestroyBody { body: id });
        let _environment = FloatEnvironment::enter_call();
        let body = self.state.check_body(id)?;
        self.note_body(body);
        let shapes = self.watched_shapes(|state| state.shapes_of(body).collect());
        self.state.wake_touching(body);
        self.state.change_joints_of(body, State::destroy_joint);
        self.state.remove_body(body);
        self.note_destroyed(shapes);
        Ok(())
    }

    /// Whether this world ever issued an id, whether or not its body still exists. Anything stored for an id that was
    /// not issued would apply to a later body that gets it.
    pub fn has_held_body(&self, id: BodyId) -> bool {
        self.state.bodies.has_held(id)
    }
}
