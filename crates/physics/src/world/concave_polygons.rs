//! Creating, reading and destroying concave polygons on bodies.

use super::PhysicsWorld;
use super::views::{BodyRef, ShapeRef};
use crate::PhysicsError;
use crate::body::{BodyId, NONE};
use crate::concave_polygon::{ConcavePolygonId, ConcavePolygonRecord, convex_parts};
use crate::constants::{MASS_MAX_KG, OBJECTS_MAX};
use crate::error::non_negative;
use crate::shape::ShapeDef;
use crate::state::State;
use alloc::vec::Vec;
use glam::{DVec2, Vec2};
use tombolo_geometry::shape::Shape;
use tombolo_geometry::split::{AreaMoments, ConcavePolygon};
use tombolo_threads::FloatEnvironment;

/// A concave polygon, to be read.
#[derive(Clone, Copy, Debug)]
pub struct ConcavePolygonRef<'a> {
    pub(super) state: &'a State,
    pub(super) id: ConcavePolygonId,
}

/// What a concave polygon on a body is made from, beside material and filter.
#[derive(Clone, Debug)]
pub(crate) struct ConcavePolygonBody {
    pub(crate) concave_polygon: ConcavePolygon,
    pub(crate) radius: f32,
    pub(crate) moments: AreaMoments,
    pub(crate) parts: Vec<Shape>,
}

impl PhysicsWorld {
    /// Gives a body a concave polygon: a polygon that may be concave and have holes; the body's mass follows, and it
    /// wakes as with [`PhysicsWorld::create_shape`].
    ///
    /// The concave polygon stays whole, in the body's frame: cutting cuts it and not its parts. What touches others are
    /// its convex parts, which are shapes like any other: queries and events name them, and [`ShapeRef::part_of`] leads
    /// to the concave polygon. Parts of one concave polygon never touch each other; changing the filter or material of
    /// one changes all, and destroying one destroys the concave polygon. Slivers thinner than half a millimeter touch
    /// nothing. Mass, center and inertia are those of the concave polygon itself.
    ///
    /// Costs O(n²) for n corners; the body's mass is summed up in the next step, or when it is asked for.
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

    /// As [`PhysicsWorld::create_concave_polygon`], with `radius` meters added all around; only for convex concave
    /// polygons without holes.
    ///
    /// # Errors
    ///
    /// As [`PhysicsWorld::create_concave_polygon`]; or if the radius is negative or not finite, or above zero for a
    /// concave polygon that is concave or has holes.
    pub fn create_rounded_polygon(
        &mut self,
        body: BodyId,
        def: &ShapeDef,
        concave_polygon: &ConcavePolygon,
        radius: f32,
    ) -> Result<ConcavePolygonId, PhysicsError> {
        let _environment = FloatEnvironment::enter();
        let body = self.state.check_body(body)?;
        let new = ConcavePolygonBody::checked(def, concave_polygon, radius)?;
        self.state.check_capacity(0, new.parts.len(), 1)?;
        self.note_body(body);
        self.state.wake_if_in_place(body);
        let id = self.state.add_concave_polygon(body, def, &new);
        self.state.note_stale_mass(body);
        Ok(id)
    }

    /// Removes a concave polygon with all its parts; the body's mass follows, and whatever rested on it wakes.
    ///
    /// # Errors
    ///
    /// If the concave polygon is gone already.
    pub fn destroy_concave_polygon(&mut self, id: ConcavePolygonId) -> Result<(), PhysicsError> {
        let _environment = FloatEnvironment::enter();
        let record = self.state.concave_polygon_pool.records.get(id);
        let body = record
            .ok_or(PhysicsError::StaleHandle {
                what: "concave polygon",
            })?
            .body;
        self.note_body(body);
        self.state.destroy_shapes(body, &self.state.parts_of(id.index()));
        Ok(())
    }

    /// A concave polygon. Costs O(1); `None` for a stale id.
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
        self.state
            .concave_polygon_pool
            .records
            .get(self.id)
            .expect("a view lives no longer than its concave polygon")
    }

    /// The concave polygon's id.
    pub fn id(&self) -> ConcavePolygonId {
        self.id
    }

    /// The body.
    pub fn body(&self) -> BodyRef<'a> {
        BodyRef::of(self.state, self.record().body)
    }

    /// Its convex parts, newest first.
    pub fn parts(&self) -> impl Iterator<Item = ShapeRef<'a>> + use<'a> {
        let state = self.state;
        state
            .part_indices(self.record())
            .map(move |shape| ShapeRef::of(state, shape))
    }

    /// How many loops it has: the border and the holes.
    pub fn loop_count(&self) -> usize {
        self.record().loop_count as usize
    }

    /// The corners of a loop in the body's frame, meters; loop 0 is the border and runs counter-clockwise, holes run
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

    /// Meters by which its surface stands out from its corners and edges: 0 but for pieces of rounded polygons.
    pub fn radius(&self) -> f32 {
        self.record().radius
    }

    /// Square meters.
    pub fn area(&self) -> f64 {
        self.record().area
    }

    /// A copy that can be split, exact to the bit.
    pub fn to_polygon(&self) -> ConcavePolygon {
        self.state.concave_polygon_pool.concave_polygon(self.record())
    }
}

impl ShapeDef {
    /// Checks the numbers together with a concave polygon, as [`PhysicsWorld::create_rounded_polygon`] does before it
    /// makes anything. Costs O(n²) for n corners.
    ///
    /// # Errors
    ///
    /// What `create_rounded_polygon` says of the three, whatever the world.
    pub fn validate_with_polygon(
        &self,
        concave_polygon: &ConcavePolygon,
        radius: f32,
    ) -> Result<(), PhysicsError> {
        ConcavePolygonBody::checked(self, concave_polygon, radius).map(drop)
    }
}

impl ConcavePolygonBody {
    fn checked(def: &ShapeDef, concave_polygon: &ConcavePolygon, radius: f32) -> Result<Self, PhysicsError> {
        def.validate()?;
        non_negative("radius", radius)?;
        if radius > 0.0 && !is_convex(concave_polygon) {
            let expected = "0 for a polygon that is concave or has holes";
            return Err(PhysicsError::InvalidNumber {
                what: "radius",
                got: radius,
                expected,
            });
        }
        let new = ConcavePolygonBody::new(concave_polygon.clone(), radius)?;
        if new.parts.is_empty() {
            return Err(PhysicsError::TooThin);
        }
        check_mass(&new.moments, def.density)?;
        Ok(new)
    }

    pub(crate) fn new(concave_polygon: ConcavePolygon, radius: f32) -> Result<Self, PhysicsError> {
        let parts = convex_parts(&concave_polygon, radius)?;
        let moments = concave_polygon.rounded_moments(f64::from(radius));
        Ok(Self {
            concave_polygon,
            radius,
            moments,
            parts,
        })
    }
}

/// Whether a border has no hole and turns right nowhere.
fn is_convex(concave_polygon: &ConcavePolygon) -> bool {
    let points = concave_polygon.points();
    let at = |index: usize| points[index % points.len()];
    let turns_right =
        |index: usize| (at(index + 1) - at(index)).perp_dot(at(index + 2) - at(index + 1)) < 0.0;
    concave_polygon.loop_count() == 1 && !(0..points.len()).any(turns_right)
}

/// Refuses a concave polygon that is so heavy that sums over a body's shapes could overflow.
fn check_mass(moments: &AreaMoments, density: f32) -> Result<(), PhysicsError> {
    let limit = f64::from(MASS_MAX_KG);
    if moments.area * f64::from(density) <= limit && moments.inertia * f64::from(density) <= limit {
        return Ok(());
    }
    let expected = "a density with which mass and inertia stay below 1e24";
    Err(PhysicsError::InvalidNumber {
        what: "density",
        got: density,
        expected,
    })
}

impl State {
    /// Refuses what would not fit into the world any more.
    pub(crate) fn check_capacity(
        &self,
        bodies: usize,
        shapes: usize,
        concave_polygons: usize,
    ) -> Result<(), PhysicsError> {
        for (what, count) in [
            ("bodies", self.bodies.slot_count() + bodies),
            ("shapes", self.shapes.slot_count() + shapes),
            (
                "concave polygons",
                self.concave_polygon_pool.records.slot_count() + concave_polygons,
            ),
        ] {
            if count > OBJECTS_MAX {
                return Err(PhysicsError::TooMany {
                    what,
                    limit: OBJECTS_MAX,
                });
            }
        }
        Ok(())
    }

    /// Adds a concave polygon and its parts to a body, but not yet to the body's mass.
    pub(crate) fn add_concave_polygon(
        &mut self,
        body: u32,
        def: &ShapeDef,
        new: &ConcavePolygonBody,
    ) -> ConcavePolygonId {
        let AreaMoments {
            area,
            centroid,
            inertia,
        } = new.moments;
        let id = self.concave_polygon_pool.insert(
            &new.concave_polygon,
            ConcavePolygonRecord {
                area,
                center: centroid.to_array(),
                inertia,
                first_point: 0,
                point_count: 0,
                first_loop: 0,
                loop_count: 0,
                body,
                part_count: new.parts.len() as u32,
                radius: new.radius,
                density: def.density,
                first_part: NONE,
                unused: 0,
            },
        );
        for part in &new.parts {
            let shape = self.add_shape(body, def, part);
            self.shapes.get_mut(shape).expect("just made").concave_polygon = id.index() + 1;
            self.concave_polygon_pool.record_mut(id.index()).first_part = shape.index();
        }
        id
    }

    /// The concave polygon that a shape is a part of.
    pub(crate) fn concave_polygon_of(&self, shape: u32) -> Option<u32> {
        self.shape_record(shape).concave_polygon.checked_sub(1)
    }

    /// The parts of a concave polygon, newest first.
    pub(crate) fn parts_of(&self, concave_polygon: u32) -> Vec<u32> {
        self.part_indices(self.concave_polygon_pool.record(concave_polygon))
            .collect()
    }

    /// The parts of a concave polygon, newest first. They lie in a row in the body's list.
    fn part_indices(&self, record: &ConcavePolygonRecord) -> impl Iterator<Item = u32> + '_ {
        let next = |&shape: &u32| Some(self.shape_links[shape].next).filter(|&next| next != NONE);
        core::iter::successors(Some(record.first_part).filter(|&part| part != NONE), next)
            .take(record.part_count as usize)
    }

    /// A shape and the other parts of its concave polygon, newest first; the shape alone if it is a part of none.
    pub(crate) fn parts_of_same_polygon(&self, shape: u32) -> Vec<u32> {
        match self.concave_polygon_of(shape) {
            Some(concave_polygon) => self.parts_of(concave_polygon),
            None => Vec::from([shape]),
        }
    }
}
