//! Queries: what a ray, a box, a point or a moving shape hits.
//!
//! Queries read the world as the last step or call left it, from any number of threads. Results come nearest first,
//! or by shape where there is no distance; ties by shape index, so that the order is the same on every machine.
//! Every query costs O(log shapes + shapes near by).

use super::PhysicsWorld;
use crate::body::BodyId;
use crate::error::{check_rotation, finite_vector};
use crate::shape::ShapeId;
use crate::{PhysicsError, Shape};
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::bvh::{BoxCast, Visit};
use tombolo_geometry::distance::{cast_shape, distance};
use tombolo_geometry::{Aabb, Pose, Position};
use tombolo_threads::FloatEnvironment;

/// Which shapes a query sees: those whose category is in `mask` and whose mask has a bit of `category`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryFilter {
    /// The bits that the query is; all by default.
    pub category: u64,
    /// The bits that the query sees; all by default.
    pub mask: u64,
}

impl Default for QueryFilter {
    fn default() -> Self {
        Self {
            category: u64::MAX,
            mask: u64::MAX,
        }
    }
}

/// Where a ray meets a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The shape.
    pub shape: ShapeId,
    /// Its body.
    pub body: BodyId,
    /// The share of the ray's way, 0 to 1; 0 for a ray that starts inside.
    pub fraction: f32,
    /// The place.
    pub point: Position,
    /// Out of the shape; zero for a ray that starts inside.
    pub normal: Vec2,
}

/// Where a moving shape meets another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeHit {
    /// The shape that was met.
    pub shape: ShapeId,
    /// Its body.
    pub body: BodyId,
    /// The share of the way, 0 to 1; 0 for shapes that overlap at the start.
    pub fraction: f32,
    /// Where the two touch.
    pub point: Position,
    /// From the moving shape to the other; zero if they overlap at the start.
    pub normal: Vec2,
}

impl PhysicsWorld {
    /// The nearest shape that a ray from `origin` along `translation` meets.
    ///
    /// # Errors
    ///
    /// If a number is not finite.
    pub fn cast_ray(
        &self,
        origin: Position,
        translation: Vec2,
        filter: QueryFilter,
    ) -> Result<Option<RayHit>, PhysicsError> {
        let mut nearest: Option<RayHit> = None;
        self.visit_ray(origin, translation, filter, |hit| {
            if nearest.is_none_or(|best| nearer((hit.fraction, hit.shape), (best.fraction, best.shape))) {
                nearest = Some(hit);
            }
            still_of_interest(hit.fraction)
        })?;
        Ok(nearest)
    }

    /// All shapes that a ray from `origin` along `translation` meets, nearest first.
    ///
    /// # Errors
    ///
    /// If a number is not finite.
    pub fn cast_ray_all(
        &self,
        origin: Position,
        translation: Vec2,
        filter: QueryFilter,
    ) -> Result<Vec<RayHit>, PhysicsError> {
        let mut hits = Vec::new();
        self.visit_ray(origin, translation, filter, |hit| {
            hits.push(hit);
            1.0
        })?;
        hits.sort_unstable_by(|a, b| {
            a.fraction
                .total_cmp(&b.fraction)
                .then(a.shape.index().cmp(&b.shape.index()))
        });
        Ok(hits)
    }

    /// The shapes whose own boxes share a point with `area`, by index.
    ///
    /// # Errors
    ///
    /// If a number is not finite or the box is inverted.
    pub fn overlap_box(&self, area: Aabb, filter: QueryFilter) -> Result<Vec<ShapeId>, PhysicsError> {
        check_box(area)?;
        Ok(self.overlapping(area, filter, |pose, geometry| geometry.aabb(pose).overlaps(area)))
    }

    /// The shapes that overlap or touch `shape` placed at `pose`, by index.
    ///
    /// # Errors
    ///
    /// If the shape is degenerate, or the pose not finite or its rotation none.
    pub fn overlap_shape(
        &self,
        shape: &Shape,
        pose: Pose,
        filter: QueryFilter,
    ) -> Result<Vec<ShapeId>, PhysicsError> {
        check_placed(shape, pose)?;
        let touches =
            |other: Pose, geometry: &Shape| distance(shape, geometry, pose.to(other)).distance <= 0.0;
        Ok(self.overlapping(shape.aabb(pose), filter, touches))
    }

    /// The shapes that hold a point, by index.
    ///
    /// # Errors
    ///
    /// If a coordinate is not finite.
    pub fn overlap_point(&self, point: Position, filter: QueryFilter) -> Result<Vec<ShapeId>, PhysicsError> {
        finite_vector("point", point.to_vec2())?;
        let area = Aabb::new(point.to_vec2(), point.to_vec2());
        let holds = |pose: Pose, geometry: &Shape| {
            geometry.contains_point(pose.inverse_transform_point(point.to_vec2()))
        };
        Ok(self.overlapping(area, filter, holds))
    }

    /// The nearest shape that `shape`, starting at `pose`, meets while it moves along `translation` without turning.
    ///
    /// # Errors
    ///
    /// If the shape is degenerate, a number not finite, or the rotation none.
    pub fn cast_shape(
        &self,
        shape: &Shape,
        pose: Pose,
        translation: Vec2,
        filter: QueryFilter,
    ) -> Result<Option<ShapeHit>, PhysicsError> {
        let _environment = FloatEnvironment::enter();
        check_placed(shape, pose)?;
        finite_vector("translation", translation)?;
        let area = shape.aabb(pose);
        let cast = BoxCast {
            start: area.center(),
            translation,
            half_size: area.half_size(),
            fraction_max: 1.0,
        };
        let mut nearest: Option<ShapeHit> = None;
        self.state
            .broad_phase
            .cast(&cast, filter.mask, |index, fraction_max| {
                let hit = self.cast_shape_at(index, shape, pose, translation, fraction_max, filter);
                if let Some(hit) = hit
                    && nearest
                        .is_none_or(|best| nearer((hit.fraction, hit.shape), (best.fraction, best.shape)))
                {
                    nearest = Some(hit);
                }
                nearest.map_or(fraction_max, |best| still_of_interest(best.fraction))
            });
        Ok(nearest)
    }

    fn cast_shape_at(
        &self,
        index: u32,
        shape: &Shape,
        pose: Pose,
        translation: Vec2,
        fraction_max: f32,
        filter: QueryFilter,
    ) -> Option<ShapeHit> {
        let (other, body) = self.seen(index, filter)?;
        let geometry = &self.state.shape_geometries[index];
        // Seen from the moving shape, the other one comes towards it.
        let towards = pose.rotation.unrotate(-translation);
        let hit = cast_shape(shape, geometry, pose.to(other), towards, fraction_max)?;
        let moved = Pose {
            position: pose.position + hit.fraction * translation,
            rotation: pose.rotation,
        };
        Some(ShapeHit {
            shape: self
                .state
                .shapes
                .handle_of_slot(index)
                .expect("the broad phase knows live shapes"),
            body,
            fraction: hit.fraction,
            point: moved.transform_point(hit.point).into(),
            normal: pose.rotation.rotate(hit.normal),
        })
    }

    /// Calls `visit` for each shape that a ray meets, in any order; it answers how far the ray is still of interest.
    fn visit_ray(
        &self,
        origin: Position,
        translation: Vec2,
        filter: QueryFilter,
        mut visit: impl FnMut(RayHit) -> f32,
    ) -> Result<(), PhysicsError> {
        let _environment = FloatEnvironment::enter();
        finite_vector("origin", origin.to_vec2())?;
        finite_vector("translation", translation)?;
        let cast = BoxCast {
            start: origin.to_vec2(),
            translation,
            half_size: Vec2::ZERO,
            fraction_max: 1.0,
        };
        self.state
            .broad_phase
            .cast(&cast, filter.mask, |index, fraction_max| {
                match self.ray_at(index, origin, translation, fraction_max, filter) {
                    Some(hit) => visit(hit),
                    None => fraction_max,
                }
            });
        Ok(())
    }

    fn ray_at(
        &self,
        index: u32,
        origin: Position,
        translation: Vec2,
        fraction_max: f32,
        filter: QueryFilter,
    ) -> Option<RayHit> {
        let (pose, body) = self.seen(index, filter)?;
        let local_origin = pose.inverse_transform_point(origin.to_vec2());
        let local_translation = pose.rotation.unrotate(translation);
        let hit =
            self.state.shape_geometries[index].cast_ray(local_origin, local_translation, fraction_max)?;
        Some(RayHit {
            shape: self
                .state
                .shapes
                .handle_of_slot(index)
                .expect("the broad phase knows live shapes"),
            body,
            fraction: hit.fraction,
            point: origin + hit.fraction * translation,
            normal: pose.rotation.rotate(hit.normal),
        })
    }

    /// The pose and the body of a shape, if the filter lets the query see it.
    pub(crate) fn seen(&self, index: u32, filter: QueryFilter) -> Option<(Pose, BodyId)> {
        let record = self.state.shape_record(index);
        if record.category & filter.mask == 0 || record.mask & filter.category == 0 {
            return None;
        }
        let body = self.state.shape_links[index].body;
        let id = self
            .state
            .bodies
            .handle_of_slot(body)
            .expect("shapes have live bodies");
        Some((self.state.body_poses[body].pose, id))
    }

    fn overlapping(
        &self,
        area: Aabb,
        filter: QueryFilter,
        overlaps: impl Fn(Pose, &Shape) -> bool,
    ) -> Vec<ShapeId> {
        let _environment = FloatEnvironment::enter();
        let mut found = Vec::new();
        self.state.broad_phase.query_box(area, filter.mask, |index| {
            if let Some((pose, _)) = self.seen(index, filter)
                && overlaps(pose, &self.state.shape_geometries[index])
            {
                found.push(
                    self.state
                        .shapes
                        .handle_of_slot(index)
                        .expect("the broad phase knows live shapes"),
                );
            }
            Visit::Continue
        });
        found.sort_unstable_by_key(|shape: &ShapeId| shape.index());
        found
    }
}

/// How much of a way is left to look at after a hit. The trees end a search at zero; but of several shapes that are met
/// at the very start the first by index is asked for, so all of them have to be seen.
fn still_of_interest(fraction: f32) -> f32 {
    fraction.max(f32::MIN_POSITIVE)
}

fn nearer(a: (f32, ShapeId), b: (f32, ShapeId)) -> bool {
    a.0.total_cmp(&b.0).then(a.1.index().cmp(&b.1.index())).is_lt()
}

fn check_box(area: Aabb) -> Result<(), PhysicsError> {
    finite_vector("box", area.min)?;
    finite_vector("box", area.max)?;
    for (low, high) in [(area.min.x, area.max.x), (area.min.y, area.max.y)] {
        if low > high {
            let expected = "a box whose lower edges are not above its upper ones";
            return Err(PhysicsError::InvalidNumber {
                what: "box",
                got: low,
                expected,
            });
        }
    }
    Ok(())
}

fn check_placed(shape: &Shape, pose: Pose) -> Result<(), PhysicsError> {
    shape.validate()?;
    finite_vector("position", pose.position)?;
    check_rotation(pose.rotation)
}
