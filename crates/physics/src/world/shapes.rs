//! Calls that create and destroy the shapes of bodies.

use super::PhysicsWorld;
use crate::PhysicsError;
use crate::body::BodyId;
use crate::constants::OBJECTS_MAX;
use crate::heightfield::HeightfieldDef;
use crate::recording::Call;
use crate::shape::{ChainDef, ShapeDef, ShapeId};
use alloc::vec::Vec;
use tombolo_geometry::shape::Shape;
use tombolo_threads::FloatEnvironment;

impl PhysicsWorld {
    /// Attaches a shape to a body; the body's mass is updated, and the body wakes if it touches anything or is joined
    /// to anything (a body that was created asleep can be given its shapes). Costs O(1); the body's mass is computed
    /// once, in the next step or when it is read.
    ///
    /// # Errors
    ///
    /// If the body is gone, a number is out of range, the geometry is degenerate, or the world is full; or if it is a
    /// half-space and the body is dynamic. (A body that becomes dynamic later keeps its half-spaces, with no mass.)
    pub fn create_shape(
        &mut self,
        body: BodyId,
        def: &ShapeDef,
        geometry: &Shape,
    ) -> Result<ShapeId, PhysicsError> {
        self.log.report(|| Call::CreateShape {
            body,
            def: def.clone(),
            geometry: *geometry,
        });
        let _environment = FloatEnvironment::enter_call();
        let body = self.state.check_body(body)?;
        def.validate_with(geometry)?;
        self.state.check_may_have(body, geometry)?;
        if self.state.shapes.slot_count() >= OBJECTS_MAX {
            return Err(PhysicsError::TooMany {
                what: "shapes",
                limit: OBJECTS_MAX,
            });
        }
        self.note_body(body);
        self.state.wake_if_in_place(body);
        let id = self.state.create_shape(body, def, geometry);
        self.state.adopt_shapes(body);
        Ok(id)
    }

    /// Attaches a chain of one-sided segments to a body; bodies slide over its vertices without catching. The segments
    /// are shapes like any other, in the order of the points, each with an id of its own: to remove the chain, destroy
    /// all of them or the body; a segment that is destroyed alone leaves a gap with the corners still rounded off.
    /// Costs the number of points.
    ///
    /// For streamed ground, segments are created one by one: [`PhysicsWorld::create_shape`] takes
    /// [`Shape::chain_segment`](crate::Shape::chain_segment), a segment with the points before and after it, whether
    /// there are segments yet or not; [`ShapeMut::set_geometry`](crate::ShapeMut::set_geometry) replaces the neighbors
    /// of an existing one.
    ///
    /// # Errors
    ///
    /// If the body is gone, a number is out of range, there are too few points, two consecutive points are too near, or
    /// the world is full. No segment is then created.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, ChainDef, PhysicsWorld, Vec2, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let ground = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    /// // From right to left, so that its right side is up.
    /// let points = [(50.0, 2.0), (20.0, 0.0), (0.0, 0.0), (-20.0, 1.0)].map(Vec2::from).to_vec();
    /// let segments = world.create_chain(ground, &ChainDef { points, ..Default::default() })?;
    /// assert_eq!(segments.len(), 3);
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub fn create_chain(&mut self, body: BodyId, def: &ChainDef) -> Result<Vec<ShapeId>, PhysicsError> {
        self.log.report(|| Call::CreateChain {
            body,
            def: def.clone(),
        });
        let _environment = FloatEnvironment::enter_call();
        let body = self.state.check_body(body)?;
        def.shape.validate()?;
        let segments = def.segments()?.into_iter();
        self.add_segments(body, segments.map(|segment| (&def.shape, segment)))
    }

    /// Attaches a heightfield, or a piece of a streamed one, to a body: one-sided segments from sample to sample, from
    /// left to right and without the holes, which are shapes like any other. A piece that is to be removed again needs
    /// a body of its own, and is destroyed with it, at the cost of the piece and of the contacts on it. Costs the
    /// number of samples.
    ///
    /// # Errors
    ///
    /// If the body is gone, a number is out of range, there are too few heights, a segment has a ground that does not
    /// exist, or the world is full. No segment is then created.
    pub fn create_heightfield(
        &mut self,
        body: BodyId,
        def: &HeightfieldDef,
    ) -> Result<Vec<ShapeId>, PhysicsError> {
        self.log.report(|| Call::CreateHeightfield {
            body,
            def: def.clone(),
        });
        let _environment = FloatEnvironment::enter_call();
        let body = self.state.check_body(body)?;
        let segments = def.shapes()?.into_iter();
        self.add_segments(
            body,
            segments.map(|(ground, segment)| (&def.grounds[ground], segment)),
        )
    }

    /// Adds one-sided segments to a body, each with its definition: all, or none if the world is full.
    fn add_segments<'d>(
        &mut self,
        body: u32,
        segments: impl ExactSizeIterator<Item = (&'d ShapeDef, Shape)>,
    ) -> Result<Vec<ShapeId>, PhysicsError> {
        if self.state.shapes.slot_count() + segments.len() > OBJECTS_MAX {
            return Err(PhysicsError::TooMany {
                what: "shapes",
                limit: OBJECTS_MAX,
            });
        }
        self.note_body(body);
        self.state.wake_if_in_place(body);
        let ids = segments
            .map(|(def, segment)| self.state.add_shape(body, def, &segment))
            .collect();
        self.state.note_stale_mass(body);
        self.state.adopt_shapes(body);
        Ok(ids)
    }

    /// Removes a shape; the body's mass is updated, and the bodies that rested on the shape wake; for a dynamic body
    /// all that touch it. A part of a concave polygon is removed with the whole concave polygon. Costs the body's
    /// contacts, and the world's [ignored pairs](Self::set_pair_ignored).
    ///
    /// # Errors
    ///
    /// If the shape is gone already, or made of the tiles of a grid, or the world has no room for the bodies into which
    /// a composite may divide.
    pub fn destroy_shape(&mut self, id: ShapeId) -> Result<(), PhysicsError> {
        self.log.report(|| Call::DestroyShape { shape: id });
        let _environment = FloatEnvironment::enter_call();
        let shape = self.state.check_own_shape(id)?;
        let body = self.state.shape_links[shape].body;
        self.destroy_shapes_of(body, &self.state.parts_of_same_polygon(shape))
    }

    /// Removes shapes of a body; a composite divides if members are removed with them.
    pub(super) fn destroy_shapes_of(&mut self, body: u32, shapes: &[u32]) -> Result<(), PhysicsError> {
        self.state
            .check_room_for_parts(self.state.members_of(body).count())?;
        self.note_body(body);
        let watched = self.watched_shapes(|_| shapes.to_vec());
        self.state.destroy_shapes(body, shapes);
        self.note_destroyed(watched);
        self.state.part_composite(body);
        Ok(())
    }

    /// Whether this world ever issued an id, whether or not its shape still exists: see
    /// [`PhysicsWorld::has_held_body`].
    pub fn has_held_shape(&self, id: ShapeId) -> bool {
        self.state.shapes.has_held(id)
    }
}
