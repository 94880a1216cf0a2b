//! Calls that create, read and destroy concave polygons on bodies.

use super::PhysicsWorld;
use super::views::{BodyRef, ShapeRef};
use crate::PhysicsError;
use crate::body::BodyId;
use crate::concave_polygon::{ConcavePolygonId, ConcavePolygonRecord};
use crate::objects::concave_polygons::ConcavePolygonBody;
use crate::recording::Call;
use crate::shape::ShapeDef;
use crate::state::State;
use glam::{DVec2, Vec2};
use tombolo_geometry::split::ConcavePolygon;
use tombolo_threads::FloatEnvironment;

/// A view of a concave polygon for reading.
#[derive(Clone, Copy, Debug)]
pub struct ConcavePolygonRef<'a> {
    pub(super) state: &'a State,
    pub(super) id: ConcavePolygonId,
}

impl PhysicsWorld {
    /// Attaches a concave polygon to a body: a polygon that may be concave and have holes; the body's mass is updated,
    /// and it wakes as with [`PhysicsWorld::create_shape`].
    ///
    /// The concave polygon stays one object, in the body's frame: cuts apply to it and not to its parts. Its convex
    /// parts collide; they are shapes like any other: queries and events return them, and [`ShapeRef::part_of`] returns
    /// the concave polygon. Parts of one concave polygon never touch each other; a change of the filter or material of
    /// one changes all, and destroying one destroys the concave polygon. Slivers thinner than half a millimeter touch
    /// nothing. Mass, center and inertia are those of the concave polygon itself.
    ///
    /// Costs O(n²) for n corners; the body's mass is computed in the next step, or when it is read.
    ///
    /// # Errors
    ///
    /// If the body is gone, a number is out of range, the concave polygon is too thin or too large for shapes or
    /// crosses itself, or the world is full.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, DVec2, ConcavePolygon, PhysicsWorld, ShapeDef, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let corners = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)].map(DVec2::from);
    /// let body = world.create_body(&BodyDef::dynamic(0.0, 5.0))?;
    /// let id = world.create_concave_polygon(body, &ShapeDef::default(), &ConcavePolygon::new(&corners)?)?;
    /// assert_eq!(world.concave_polygon(id).unwrap().parts().count(), 2);
    /// assert_eq!(world.body(body).unwrap().mass(), 4.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create_concave_polygon(
        &mut self,
        body: BodyId,
        def: &ShapeDef,
        concave_polygon: &ConcavePolygon,
    ) -> Result<ConcavePolygonId, PhysicsError> {
        self.create_rounded_polygon(body, def, concave_polygon, 0.0)
    }

    /// Like [`PhysicsWorld::create_concave_polygon`], with `radius` meters added all around; only for polygons that are
    /// convex and have no holes.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::create_concave_polygon`]; or if the radius is negative or not finite, or
    /// above zero for a polygon that is concave or has holes.
    pub fn create_rounded_polygon(
        &mut self,
        body: BodyId,
        def: &ShapeDef,
        concave_polygon: &ConcavePolygon,
        radius: f32,
    ) -> Result<ConcavePolygonId, PhysicsError> {
        self.log.report(|| Call::CreateConcavePolygon {
            body,
            def: def.clone(),
            polygon: concave_polygon.clone(),
            radius,
        });
        let _environment = FloatEnvironment::enter();
        let body = self.state.check_body(body)?;
        let new = ConcavePolygonBody::checked(def, concave_polygon, radius)?;
        self.state.check_capacity(0, new.parts.len(), 1)?;
        self.note_body(body);
        self.state.wake_if_in_place(body);
        let id = self.state.add_concave_polygon(body, def, &new);
        self.state.note_stale_mass(body);
        self.state.adopt_shapes(body);
        Ok(id)
    }

    /// Removes a concave polygon with all its parts; the body's mass is updated, and the bodies that rested on it wake.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::destroy_shape`].
    pub fn destroy_concave_polygon(&mut self, id: ConcavePolygonId) -> Result<(), PhysicsError> {
        self.log.report(|| Call::DestroyConcavePolygon { polygon: id });
        let _environment = FloatEnvironment::enter();
        let record = self.state.concave_polygon_pool.records.get(id);
        let body = record
            .ok_or(PhysicsError::StaleHandle {
                what: "concave polygon",
            })?
            .body;
        self.destroy_shapes_of(body, &self.state.parts_of(id.index()))
    }

    /// The concave polygon with this id, for reading; `None` for a stale id. O(1).
    pub fn concave_polygon(&self, id: ConcavePolygonId) -> Option<ConcavePolygonRef<'_>> {
        self.state
            .concave_polygon_pool
            .records
            .contains(id)
            .then_some(ConcavePolygonRef {
                state: &self.state,
                id,
            })
    }

    /// All concave polygons, in the order of their creation until the first is destroyed.
    pub fn concave_polygons(&self) -> impl ExactSizeIterator<Item = ConcavePolygonRef<'_>> {
        self.state
            .concave_polygon_pool
            .records
            .handles()
            .map(|id| ConcavePolygonRef {
                state: &self.state,
                id,
            })
    }
}

impl<'a> ConcavePolygonRef<'a> {
    fn record(&self) -> &'a ConcavePolygonRecord {
        self.state.concave_polygon_pool.records.live(self.id.index())
    }

    /// The concave polygon's id.
    pub fn id(&self) -> ConcavePolygonId {
        self.id
    }

    /// The body that the concave polygon is attached to.
    pub fn body(&self) -> BodyRef<'a> {
        BodyRef::of(self.state, self.record().body)
    }

    /// The convex parts, newest first.
    pub fn parts(&self) -> impl Iterator<Item = ShapeRef<'a>> + use<'a> {
        let state = self.state;
        state
            .part_indices(self.record())
            .map(move |shape| ShapeRef::of(state, shape))
    }

    /// The number of loops: the border and the holes.
    pub fn loop_count(&self) -> usize {
        self.record().loop_count as usize
    }

    /// The corners of a loop in the body's frame, in meters; loop 0 is the border and counter-clockwise, holes are
    /// clockwise.
    ///
    /// # Panics
    ///
    /// If there is no such loop.
    pub fn loop_points(&self, loop_index: usize) -> impl ExactSizeIterator<Item = Vec2> + use<'a> {
        let ends = self.state.concave_polygon_pool.loop_ends_of(self.record());
        let start = loop_index
            .checked_sub(1)
            .map_or(0, |before| ends[before] as usize);
        let points =
            &self.state.concave_polygon_pool.points_of(self.record())[start..ends[loop_index] as usize];
        points.iter().map(|&p| DVec2::from(p).as_vec2())
    }

    /// The rounding radius in meters, added around the corners and edges: 0 except for pieces of rounded polygons.
    pub fn radius(&self) -> f32 {
        self.record().radius
    }

    /// The area in square meters.
    pub fn area(&self) -> f64 {
        self.record().area
    }

    /// A copy that can be split, with exactly the same bits.
    pub fn to_polygon(&self) -> ConcavePolygon {
        self.state.concave_polygon_pool.concave_polygon(self.record())
    }
}
