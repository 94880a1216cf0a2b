//! Short-lived views of the world by id, for reading and changing one body, shape, joint or contact. This file has the
//! views and the look-ups; each view has a file for its methods. Code that draws a world reads `bodies`, their poses
//! and their shapes.

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

/// A view of a body for reading.
#[derive(Clone, Copy, Debug)]
pub struct BodyRef<'a> {
    state: &'a State,
    id: BodyId,
}

/// A view of a body for changing it. [`BodyMut::view`] reads.
#[derive(Debug)]
pub struct BodyMut<'a> {
    world: &'a mut PhysicsWorld,
    id: BodyId,
}

/// A view of a shape for reading.
#[derive(Clone, Copy, Debug)]
pub struct ShapeRef<'a> {
    state: &'a State,
    id: ShapeId,
}

/// A view of a shape for changing it. [`ShapeMut::view`] reads.
#[derive(Debug)]
pub struct ShapeMut<'a> {
    world: &'a mut PhysicsWorld,
    id: ShapeId,
}

/// A view of a joint for reading.
#[derive(Clone, Copy, Debug)]
pub struct JointRef<'a> {
    state: &'a State,
    id: JointId,
}

/// A view of a joint for changing it. [`JointMut::view`] reads.
#[derive(Debug)]
pub struct JointMut<'a> {
    state: &'a mut State,
    log: &'a mut Log,
    id: JointId,
}

/// A view of a contact for reading: two shapes whose fat boxes overlap.
#[derive(Clone, Copy, Debug)]
pub struct ContactRef<'a> {
    state: &'a State,
    id: ContactId,
}

/// Look-ups cost O(1). For a stale id, look-ups for reading return `None`, and those for changing
/// [`PhysicsError::StaleHandle`].
impl PhysicsWorld {
    /// The body with this id, for reading.
    pub fn body(&self, id: BodyId) -> Option<BodyRef<'_>> {
        self.state.bodies.contains(id).then_some(BodyRef {
            state: &self.state,
            id,
        })
    }

    /// The body with this id, for changing.
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

    /// The shape with this id, for reading.
    pub fn shape(&self, id: ShapeId) -> Option<ShapeRef<'_>> {
        self.state.shapes.contains(id).then_some(ShapeRef {
            state: &self.state,
            id,
        })
    }

    /// The shape with this id, for changing.
    ///
    /// # Errors
    ///
    /// If the shape is gone, or made of the tiles of a grid.
    pub fn shape_mut(&mut self, id: ShapeId) -> Result<ShapeMut<'_>, PhysicsError> {
        self.state.check_own_shape(id)?;
        Ok(ShapeMut { world: self, id })
    }

    /// The joint with this id, for reading.
    pub fn joint(&self, id: JointId) -> Option<JointRef<'_>> {
        self.state.joints.contains(id).then_some(JointRef {
            state: &self.state,
            id,
        })
    }

    /// The joint with this id, for changing.
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

    /// The contact with this id, for reading.
    pub fn contact(&self, id: ContactId) -> Option<ContactRef<'_>> {
        self.state.contacts.links.contains(id).then_some(ContactRef {
            state: &self.state,
            id,
        })
    }

    /// All bodies, in the order of their creation until the first is destroyed, then in an order that depends on the
    /// calls alone.
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
