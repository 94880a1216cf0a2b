//! Reading and changing one body, shape, joint or contact: short-lived views of the world by id. Here are the views
//! and the look-ups; each has a file for its methods. Code that draws a world reads `bodies`, their poses and their shapes.

mod body;
mod body_control;
mod body_mut;
mod contact;
mod joint;
mod shape;
mod shape_mut;

use super::PhysicsWorld;
use crate::PhysicsError;
use crate::body::BodyId;
use crate::contact::ContactId;
use crate::joint::JointId;
use crate::recording::Log;
use crate::shape::ShapeId;
use crate::state::State;

/// A body, to be read.
#[derive(Clone, Copy, Debug)]
pub struct BodyRef<'a> {
    state: &'a State,
    id: BodyId,
}

/// A body, to be changed. Reading goes through [`BodyMut::view`].
#[derive(Debug)]
pub struct BodyMut<'a> {
    world: &'a mut PhysicsWorld,
    id: BodyId,
}

/// A shape, to be read.
#[derive(Clone, Copy, Debug)]
pub struct ShapeRef<'a> {
    state: &'a State,
    id: ShapeId,
}

/// A shape, to be changed. Reading goes through [`ShapeMut::view`].
#[derive(Debug)]
pub struct ShapeMut<'a> {
    world: &'a mut PhysicsWorld,
    id: ShapeId,
}

/// A joint, to be read.
#[derive(Clone, Copy, Debug)]
pub struct JointRef<'a> {
    state: &'a State,
    id: JointId,
}

/// A joint, to be changed. Reading goes through [`JointMut::view`].
#[derive(Debug)]
pub struct JointMut<'a> {
    state: &'a mut State,
    log: &'a mut Log,
    id: JointId,
}

/// Two shapes whose boxes overlap, to be read.
#[derive(Clone, Copy, Debug)]
pub struct ContactRef<'a> {
    state: &'a State,
    id: ContactId,
}

/// Looking things up costs O(1). What is to be read is `None` for a stale id, what is to be changed a
/// [`PhysicsError::StaleHandle`].
impl PhysicsWorld {
    /// A body.
    pub fn body(&self, id: BodyId) -> Option<BodyRef<'_>> {
        self.state.bodies.contains(id).then_some(BodyRef {
            state: &self.state,
            id,
        })
    }

    /// A body, to be changed.
    ///
    /// # Errors
    ///
    /// If the body is gone.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, PhysicsWorld, Vec2, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let ball = world.create_body(&BodyDef::dynamic(0.0, 5.0))?;
    /// world.body_mut(ball)?.set_linear_velocity(Vec2::X)?;
    /// world.destroy_body(ball)?;
    /// assert!(world.body(ball).is_none() && world.body_mut(ball).is_err());
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub fn body_mut(&mut self, id: BodyId) -> Result<BodyMut<'_>, PhysicsError> {
        self.state.check_body(id)?;
        Ok(BodyMut { world: self, id })
    }

    /// A shape.
    pub fn shape(&self, id: ShapeId) -> Option<ShapeRef<'_>> {
        self.state.shapes.contains(id).then_some(ShapeRef {
            state: &self.state,
            id,
        })
    }

    /// A shape, to be changed.
    ///
    /// # Errors
    ///
    /// If the shape is gone, or made of the tiles of a grid.
    pub fn shape_mut(&mut self, id: ShapeId) -> Result<ShapeMut<'_>, PhysicsError> {
        self.state.check_own_shape(id)?;
        Ok(ShapeMut { world: self, id })
    }

    /// A joint.
    pub fn joint(&self, id: JointId) -> Option<JointRef<'_>> {
        self.state.joints.contains(id).then_some(JointRef {
            state: &self.state,
            id,
        })
    }

    /// A joint, to be changed.
    ///
    /// # Errors
    ///
    /// If the joint is gone.
    pub fn joint_mut(&mut self, id: JointId) -> Result<JointMut<'_>, PhysicsError> {
        self.state.check_joint(id)?;
        Ok(JointMut {
            state: &mut self.state,
            log: &mut self.log,
            id,
        })
    }

    /// A contact.
    pub fn contact(&self, id: ContactId) -> Option<ContactRef<'_>> {
        self.state.contacts.links.contains(id).then_some(ContactRef {
            state: &self.state,
            id,
        })
    }

    /// All bodies, in a stated order: that of their creation until the first is destroyed.
    pub fn bodies(&self) -> impl ExactSizeIterator<Item = BodyRef<'_>> {
        self.state.bodies.handles().map(|id| BodyRef {
            state: &self.state,
            id,
        })
    }

    /// All shapes, in the order of their creation until the first is destroyed.
    pub fn shapes(&self) -> impl ExactSizeIterator<Item = ShapeRef<'_>> {
        self.state.shapes.handles().map(|id| ShapeRef {
            state: &self.state,
            id,
        })
    }

    /// All joints, in the order of their creation until the first is destroyed.
    pub fn joints(&self) -> impl ExactSizeIterator<Item = JointRef<'_>> {
        self.state.joints.handles().map(|id| JointRef {
            state: &self.state,
            id,
        })
    }

    /// All contacts, touching or not, in the order of their creation until the first is destroyed.
    pub fn contacts(&self) -> impl ExactSizeIterator<Item = ContactRef<'_>> {
        self.state.contacts.links.handles().map(|id| ContactRef {
            state: &self.state,
            id,
        })
    }
}
