//! Concave polygons in the state: their definition, and adding one with its parts to a body.

use super::shapes::too_heavy;
use crate::PhysicsError;
use crate::body::NONE;
use crate::concave_polygon::{ConcavePolygonId, ConcavePolygonRecord, convex_parts};
use crate::constants::{MASS_MAX_KG, OBJECTS_MAX};
use crate::error::non_negative;
use crate::shape::ShapeDef;
use crate::state::State;
use alloc::vec::Vec;
use tombolo_geometry::shape::Shape;
use tombolo_geometry::split::{AreaMoments, ConcavePolygon};

/// The definition of a concave polygon on a body, apart from material and filter.
#[derive(Clone, Debug)]
pub(crate) struct ConcavePolygonBody {
    pub(crate) concave_polygon: ConcavePolygon,
    pub(crate) radius: f32,
    pub(crate) moments: AreaMoments,
    pub(crate) parts: Vec<Shape>,
}

impl ShapeDef {
    /// Checks the numbers together with a concave polygon, like
    /// [`PhysicsWorld::create_rounded_polygon`](crate::PhysicsWorld::create_rounded_polygon) before it creates
    /// anything. Costs O(n²) for n corners.
    ///
    /// # Errors
    ///
    /// The errors of `create_rounded_polygon` that do not depend on the world.
    pub fn validate_with_polygon(
        &self,
        concave_polygon: &ConcavePolygon,
        radius: f32,
    ) -> Result<(), PhysicsError> {
        ConcavePolygonBody::checked(self, concave_polygon, radius).map(drop)
    }
}

impl ConcavePolygonBody {
    pub(crate) fn checked(
        def: &ShapeDef,
        concave_polygon: &ConcavePolygon,
        radius: f32,
    ) -> Result<Self, PhysicsError> {
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

/// Whether a border has no holes and no right turns.
fn is_convex(concave_polygon: &ConcavePolygon) -> bool {
    let points = concave_polygon.points();
    let at = |index: usize| points[index % points.len()];
    let turns_right =
        |index: usize| (at(index + 1) - at(index)).perp_dot(at(index + 2) - at(index + 1)) < 0.0;
    concave_polygon.loop_count() == 1 && !(0..points.len()).any(turns_right)
}

/// Returns an error for a concave polygon so heavy that sums over a body's shapes could overflow.
fn check_mass(moments: &AreaMoments, density: f32) -> Result<(), PhysicsError> {
    let limit = f64::from(MASS_MAX_KG);
    if moments.area * f64::from(density) <= limit && moments.inertia * f64::from(density) <= limit {
        return Ok(());
    }
    Err(too_heavy(density))
}

impl State {
    /// Returns an error if the parts would exceed the limits of the world.
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
            self.concave_polygon_pool.records.live_mut(id.index()).first_part = shape.index();
        }
        id
    }

    /// The concave polygon that a shape is a part of.
    pub(crate) fn concave_polygon_of(&self, shape: u32) -> Option<u32> {
        self.shapes.live(shape).concave_polygon.checked_sub(1)
    }

    /// The parts of a concave polygon, newest first.
    pub(crate) fn parts_of(&self, concave_polygon: u32) -> Vec<u32> {
        self.part_indices(self.concave_polygon_pool.records.live(concave_polygon))
            .collect()
    }

    /// The parts of a concave polygon, newest first. They are consecutive in the body's list.
    pub(crate) fn part_indices(&self, record: &ConcavePolygonRecord) -> impl Iterator<Item = u32> + '_ {
        let next = |&shape: &u32| Some(self.shape_links[shape].next).filter(|&next| next != NONE);
        core::iter::successors(Some(record.first_part).filter(|&part| part != NONE), next)
            .take(record.part_count as usize)
    }

    /// A shape and the other parts of its concave polygon, newest first; the shape alone if it is not a part of one.
    pub(crate) fn parts_of_same_polygon(&self, shape: u32) -> Vec<u32> {
        match self.concave_polygon_of(shape) {
            Some(concave_polygon) => self.parts_of(concave_polygon),
            None => Vec::from([shape]),
        }
    }
}
