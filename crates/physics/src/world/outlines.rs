//! Creating, reading and destroying concave polygons on bodies.

use super::PhysicsWorld;
use super::views::{BodyRef, ShapeRef};
use crate::PhysicsError;
use crate::body::{BodyId, NONE};
use crate::constants::{MASS_MAX_KG, OBJECTS_MAX};
use crate::error::non_negative;
use crate::outline::{OutlineId, OutlineRecord, convex_parts};
use crate::shape::ShapeDef;
use crate::state::State;
use alloc::vec::Vec;
use glam::{DVec2, Vec2};
use tombolo_geometry::shape::Shape;
use tombolo_geometry::split::{AreaMoments, Outline};
use tombolo_threads::FloatEnvironment;

/// An outline, to be read.
#[derive(Clone, Copy, Debug)]
pub struct OutlineRef<'a> {
    pub(super) state: &'a State,
    pub(super) id: OutlineId,
}

/// What an outline on a body is made from, beside material and filter.
#[derive(Clone, Debug)]
pub(crate) struct OutlineBody {
    pub(crate) outline: Outline,
    pub(crate) radius: f32,
    pub(crate) moments: AreaMoments,
    pub(crate) parts: Vec<Shape>,
}

impl PhysicsWorld {
    /// Gives a body an outline: a polygon that may be concave and have holes; the body's mass follows, and it
    /// wakes as with [`PhysicsWorld::create_shape`].
    ///
    /// The outline stays whole, in the body's frame: cutting cuts it and not its parts. What touches others are its
    /// convex parts, which are shapes like any other: queries and events name them, and [`ShapeRef::part_of`] leads to
    /// the outline. Parts of one outline never touch each other; changing the filter or material of one changes all, and
    /// destroying one destroys the outline. Slivers thinner than half a millimetre touch nothing. Mass, centre and
    /// inertia are those of the outline itself.
    ///
    /// Costs O(n²) for n corners; the body's mass is summed up in the next step, or when it is asked for.
    ///
    /// # Errors
    ///
    /// If the body is gone, a number is out of range, the outline is too thin or too large for shapes or crosses
    /// itself, or the world is full.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, DVec2, Outline, PhysicsWorld, ShapeDef, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let corners = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)].map(DVec2::from);
    /// let body = world.create_body(&BodyDef::dynamic(0.0, 5.0))?;
    /// let id = world.create_outline(body, &ShapeDef::default(), &Outline::new(&corners)?)?;
    /// assert_eq!(world.outline(id).unwrap().parts().count(), 2);
    /// assert_eq!(world.body(body).unwrap().mass(), 4.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create_outline(
        &mut self,
        body: BodyId,
        def: &ShapeDef,
        outline: &Outline,
    ) -> Result<OutlineId, PhysicsError> {
        self.create_rounded_outline(body, def, outline, 0.0)
    }

    /// As [`PhysicsWorld::create_outline`], with `radius` metres added all around; only for convex outlines without holes.
    ///
    /// # Errors
    ///
    /// As [`PhysicsWorld::create_outline`]; or if the radius is negative or not finite, or above zero for an outline that is
    /// concave or has holes.
    pub fn create_rounded_outline(
        &mut self,
        body: BodyId,
        def: &ShapeDef,
        outline: &Outline,
        radius: f32,
    ) -> Result<OutlineId, PhysicsError> {
        let _environment = FloatEnvironment::enter();
        let body = self.state.check_body(body)?;
        let new = OutlineBody::checked(def, outline, radius)?;
        self.state.check_room(0, new.parts.len(), 1)?;
        self.note_body(body);
        self.state.wake_if_in_place(body);
        let id = self.state.add_outline(body, def, &new);
        self.state.note_stale_mass(body);
        Ok(id)
    }

    /// Removes an outline with all its parts; the body's mass follows, and whatever rested on it wakes.
    ///
    /// # Errors
    ///
    /// If the outline is gone already.
    pub fn destroy_outline(&mut self, id: OutlineId) -> Result<(), PhysicsError> {
        let _environment = FloatEnvironment::enter();
        let record = self.state.outline_pool.records.get(id);
        let body = record.ok_or(PhysicsError::StaleHandle { what: "outline" })?.body;
        self.note_body(body);
        self.state.destroy_shapes(body, &self.state.parts_of(id.index()));
        Ok(())
    }

    /// An outline. Costs O(1); `None` for a stale id.
    pub fn outline(&self, id: OutlineId) -> Option<OutlineRef<'_>> {
        self.state
            .outline_pool
            .records
            .contains(id)
            .then_some(OutlineRef {
                state: &self.state,
                id,
            })
    }

    /// All outlines, in the order of their creation until the first is destroyed.
    pub fn outlines(&self) -> impl ExactSizeIterator<Item = OutlineRef<'_>> {
        self.state.outline_pool.records.handles().map(|id| OutlineRef {
            state: &self.state,
            id,
        })
    }
}

impl<'a> OutlineRef<'a> {
    fn record(&self) -> &'a OutlineRecord {
        self.state
            .outline_pool
            .records
            .get(self.id)
            .expect("a view lives no longer than its outline")
    }

    /// The outline's id.
    pub fn id(&self) -> OutlineId {
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
            .row_of_parts(self.record())
            .map(move |shape| ShapeRef::of(state, shape))
    }

    /// How many loops it has: the border and the holes.
    pub fn loop_count(&self) -> usize {
        self.record().loop_count as usize
    }

    /// The corners of a loop in the body's frame, metres; loop 0 is the border and runs counter-clockwise, holes run
    /// clockwise.
    ///
    /// # Panics
    ///
    /// If there is no such loop.
    pub fn loop_points(&self, loop_index: usize) -> impl ExactSizeIterator<Item = Vec2> + use<'a> {
        let ends = self.state.outline_pool.loop_ends_of(self.record());
        let start = loop_index
            .checked_sub(1)
            .map_or(0, |before| ends[before] as usize);
        let points = &self.state.outline_pool.points_of(self.record())[start..ends[loop_index] as usize];
        points.iter().map(|&p| DVec2::from(p).as_vec2())
    }

    /// Metres by which its surface stands out from its corners and edges: 0 but for pieces of rounded polygons.
    pub fn radius(&self) -> f32 {
        self.record().radius
    }

    /// Square metres.
    pub fn area(&self) -> f64 {
        self.record().area
    }

    /// A copy that can be split, exact to the bit.
    pub fn to_outline(&self) -> Outline {
        self.state.outline_pool.outline(self.record())
    }
}

impl ShapeDef {
    /// Checks the numbers together with an outline, as [`PhysicsWorld::create_rounded_outline`] does before it makes
    /// anything. Costs O(n²) for n corners.
    ///
    /// # Errors
    ///
    /// What `create_rounded_outline` says of the three, whatever the world.
    pub fn validate_with_outline(&self, outline: &Outline, radius: f32) -> Result<(), PhysicsError> {
        OutlineBody::checked(self, outline, radius).map(drop)
    }
}

impl OutlineBody {
    fn checked(def: &ShapeDef, outline: &Outline, radius: f32) -> Result<Self, PhysicsError> {
        def.validate()?;
        non_negative("radius", radius)?;
        if radius > 0.0 && !is_convex(outline) {
            let expected = "0 for an outline that is concave or has holes";
            return Err(PhysicsError::InvalidNumber {
                what: "radius",
                got: radius,
                expected,
            });
        }
        let new = OutlineBody::new(outline.clone(), radius)?;
        if new.parts.is_empty() {
            return Err(PhysicsError::TooThin);
        }
        check_mass(&new.moments, def.density)?;
        Ok(new)
    }

    pub(crate) fn new(outline: Outline, radius: f32) -> Result<Self, PhysicsError> {
        let parts = convex_parts(&outline, radius)?;
        let moments = outline.rounded_moments(f64::from(radius));
        Ok(Self {
            outline,
            radius,
            moments,
            parts,
        })
    }
}

/// Whether a border has no hole and turns right nowhere.
fn is_convex(outline: &Outline) -> bool {
    let points = outline.points();
    let at = |index: usize| points[index % points.len()];
    let turns_right =
        |index: usize| (at(index + 1) - at(index)).perp_dot(at(index + 2) - at(index + 1)) < 0.0;
    outline.loop_count() == 1 && !(0..points.len()).any(turns_right)
}

/// Refuses an outline that is so heavy that sums over a body's shapes could overflow.
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
    pub(crate) fn check_room(
        &self,
        bodies: usize,
        shapes: usize,
        outlines: usize,
    ) -> Result<(), PhysicsError> {
        for (what, count) in [
            ("bodies", self.bodies.slot_count() + bodies),
            ("shapes", self.shapes.slot_count() + shapes),
            ("outlines", self.outline_pool.records.slot_count() + outlines),
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

    /// Adds an outline and its parts to a body, but not yet to the body's mass.
    pub(crate) fn add_outline(&mut self, body: u32, def: &ShapeDef, new: &OutlineBody) -> OutlineId {
        let AreaMoments {
            area,
            centroid,
            inertia,
        } = new.moments;
        let id = self.outline_pool.insert(
            &new.outline,
            OutlineRecord {
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
            self.shapes.get_mut(shape).expect("just made").outline = id.index() + 1;
            self.outline_pool.record_mut(id.index()).first_part = shape.index();
        }
        id
    }

    /// The outline that a shape is a part of.
    pub(crate) fn outline_of(&self, shape: u32) -> Option<u32> {
        self.shape_record(shape).outline.checked_sub(1)
    }

    /// The parts of an outline, newest first.
    pub(crate) fn parts_of(&self, outline: u32) -> Vec<u32> {
        self.row_of_parts(self.outline_pool.record(outline)).collect()
    }

    /// The parts of an outline, newest first. They lie in a row in the body's list.
    fn row_of_parts(&self, record: &OutlineRecord) -> impl Iterator<Item = u32> + '_ {
        let next = |&shape: &u32| Some(self.shape_links[shape].next).filter(|&next| next != NONE);
        core::iter::successors(Some(record.first_part).filter(|&part| part != NONE), next)
            .take(record.part_count as usize)
    }

    /// A shape and the other parts of its outline, newest first; the shape alone if it is a part of none.
    pub(crate) fn shape_and_fellows(&self, shape: u32) -> Vec<u32> {
        match self.outline_of(shape) {
            Some(outline) => self.parts_of(outline),
            None => Vec::from([shape]),
        }
    }
}
