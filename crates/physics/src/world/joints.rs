//! Calls that create and destroy joints.

use super::PhysicsWorld;
use crate::PhysicsError;
use crate::constants::OBJECTS_MAX;
use crate::joint::{JointDef, JointId};
use crate::recording::Call;
use tombolo_threads::FloatEnvironment;

impl PhysicsWorld {
    /// Connects two bodies by a joint and, unless the definition says otherwise, prevents their shapes from touching
    /// each other. Wakes both if either is awake, or if the two touch and it ends that. Between two bodies that are not
    /// dynamic it only keeps the shapes apart. Costs the contacts of the first one.
    ///
    /// # Errors
    ///
    /// If a body is gone, both are the same, a number is out of range, or the world is full.
    pub fn create_joint(&mut self, def: impl Into<JointDef>) -> Result<JointId, PhysicsError> {
        let _environment = FloatEnvironment::enter_call();
        let def = def.into();
        self.log.report(|| Call::CreateJoint { def: def.clone() });
        def.validate()?;
        let [a, b] = def.bodies();
        let bodies = [self.state.check_body(a)?, self.state.check_body(b)?];
        if bodies[0] == bodies[1] {
            return Err(PhysicsError::UnfitBodies {
                why: "a joint needs two different bodies",
            });
        }
        if self.state.joints.slot_count() >= OBJECTS_MAX {
            return Err(PhysicsError::TooMany {
                what: "joints",
                limit: OBJECTS_MAX,
            });
        }
        Ok(self.state.create_joint(&def, bodies))
    }

    /// Whether this world ever issued an id, whether or not its joint still exists: see
    /// [`PhysicsWorld::has_held_body`].
    pub fn has_held_joint(&self, id: JointId) -> bool {
        self.state.joints.has_held(id)
    }

    /// Removes a joint and wakes both bodies. If it kept their shapes apart, they may touch from the next step on.
    ///
    /// # Errors
    ///
    /// If the joint is gone already.
    pub fn destroy_joint(&mut self, id: JointId) -> Result<(), PhysicsError> {
        self.log.report(|| Call::DestroyJoint { joint: id });
        let joint = self.state.check_joint(id)?;
        self.state.wake_ends(joint);
        self.state.destroy_joint(joint);
        Ok(())
    }
}
