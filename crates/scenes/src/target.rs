//! [`SceneTarget`]: the trait of worlds that scenes are built into and stepped in, implemented here for this engine's
//! own world.

use tombolo_physics::{
    BodyDef, BodyId, ChainDef, JointDef, PhysicsError, PhysicsWorld, Shape, ShapeDef, Vec2,
};

/// The length of a step of every scene, in seconds.
pub const STEP_S: f32 = 1.0 / 60.0;
/// The number of substeps of every scene.
pub const SUBSTEPS: u32 = 4;

/// A world that a scene is built into: our own, another engine's, or a recorder.
pub trait SceneTarget {
    /// Adds a body without shapes.
    fn create_body(&mut self, def: &BodyDef) -> Result<BodyId, PhysicsError>;
    /// Adds a shape to a body that this target has created.
    fn create_shape(&mut self, body: BodyId, def: &ShapeDef, shape: &Shape) -> Result<(), PhysicsError>;
    /// Adds a chain of one-sided segments to a body that this target has created; each segment counts as a shape.
    fn create_chain(&mut self, body: BodyId, def: &ChainDef) -> Result<(), PhysicsError>;
    /// Joins two bodies.
    fn create_joint(&mut self, def: &JointDef) -> Result<(), PhysicsError>;
    /// Removes a body with its shapes and joints.
    fn destroy_body(&mut self, body: BodyId) -> Result<(), PhysicsError>;
    /// Sets the velocity of a body's center of mass, in meters per second.
    fn set_linear_velocity(&mut self, body: BodyId, velocity: Vec2) -> Result<(), PhysicsError>;
}

impl SceneTarget for PhysicsWorld {
    fn create_body(&mut self, def: &BodyDef) -> Result<BodyId, PhysicsError> {
        Self::create_body(self, def)
    }

    fn create_shape(&mut self, body: BodyId, def: &ShapeDef, shape: &Shape) -> Result<(), PhysicsError> {
        Self::create_shape(self, body, def, shape).map(|_| ())
    }

    fn create_chain(&mut self, body: BodyId, def: &ChainDef) -> Result<(), PhysicsError> {
        Self::create_chain(self, body, def).map(|_| ())
    }

    fn create_joint(&mut self, def: &JointDef) -> Result<(), PhysicsError> {
        Self::create_joint(self, def.clone()).map(|_| ())
    }

    fn destroy_body(&mut self, body: BodyId) -> Result<(), PhysicsError> {
        Self::destroy_body(self, body)
    }

    fn set_linear_velocity(&mut self, body: BodyId, velocity: Vec2) -> Result<(), PhysicsError> {
        let mut body = self.body_mut(body)?;
        body.set_linear_velocity(velocity)
    }
}
