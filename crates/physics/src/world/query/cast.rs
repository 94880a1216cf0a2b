//! Shape casts: the shapes that a moving and turning shape meets on its path.

use super::filter::{
    Found, QueryFilter, Seen, StraightPath, check_placed, keep_first, order, still_of_interest,
};
use crate::body::BodyId;
use crate::error::finite_vector;
use crate::shape::ShapeId;
use crate::world::PhysicsWorld;
use crate::{PhysicsError, Shape};
use alloc::vec::Vec;
use core::f32::consts::{FRAC_PI_8, TAU};
use core::ops::ControlFlow;
use glam::Vec2;
use tombolo_geometry::bvh::BoxCast;
use tombolo_geometry::distance::{ImpactState, Sweep, cast_shape, cast_turning, distance};
use tombolo_geometry::shape::COORDINATE_MAX;
use tombolo_geometry::{Pose, Position, Rot};
use tombolo_threads::FloatEnvironment;

/// The path of a moving shape: along a line, turning at a constant rate about the origin of its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// The pose of the shape's frame at the start.
    pub start: Pose,
    /// The translation from start to end, in meters.
    pub translation: Vec2,
    /// The turn from start to end, in radians: at most a full turn in either direction.
    pub turn: f32,
}

impl Motion {
    /// A motion without a turn.
    #[must_use]
    pub fn line(start: Pose, translation: Vec2) -> Self {
        Self {
            start,
            translation,
            turn: 0.0,
        }
    }

    /// The pose of the shape's frame after a fraction of the motion, 0 to 1.
    #[must_use]
    pub fn pose_at(&self, fraction: f32) -> Pose {
        let rotation = if self.turn == 0.0 {
            self.start.rotation
        } else {
            let turn = Rot::from_angle(fraction * self.turn);
            self.start.rotation.then(turn).normalized()
        };
        Pose {
            position: self.start.position + fraction * self.translation,
            rotation,
        }
    }

    fn check(&self, shape: &Shape) -> Result<(), PhysicsError> {
        check_placed(shape, self.start)?;
        finite_vector("translation", self.translation)?;
        if (-TAU..=TAU).contains(&self.turn) {
            return Ok(());
        }
        let expected = "a turn of at most 6.2831855 radians either way";
        Err(PhysicsError::InvalidNumber {
            what: "turn",
            got: self.turn,
            expected,
        })
    }
}

/// A shape cast of a batch.
#[derive(Clone, Copy, Debug)]
pub struct CastQuery<'a> {
    /// The moving shape.
    pub shape: &'a Shape,
    /// Its path.
    pub motion: Motion,
    /// The filter for the shapes that the cast can meet.
    pub filter: QueryFilter<'a>,
}

/// The hit of a moving shape on another shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeHit {
    /// The shape that was met.
    pub shape: ShapeId,
    /// Its body.
    pub body: BodyId,
    /// The fraction of the path, 0 to 1; 0 for shapes that overlap at the start.
    pub fraction: f32,
    /// The point where the two shapes touch.
    pub point: Position,
    /// The unit normal from the moving shape to the other; zero if they overlap at the start.
    pub normal: Vec2,
}

impl Found for ShapeHit {
    fn key(&self) -> (f32, u32) {
        (self.fraction, self.shape.index())
    }
}

impl PhysicsWorld {
    /// The nearest shape that `shape` meets on its path.
    ///
    /// A motion without a turn is followed exactly. One that turns stops within a tenth of a millimeter of the shape
    /// that it meets, and shapes as near at the start are met at once; the turn is followed in pieces of at most π/8,
    /// in which its rate is constant within a thousandth of a radian.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, Motion, PhysicsWorld, Pose, QueryFilter, Shape, ShapeDef, Vec2, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let wall = world.create_body(&BodyDef::fixed(5.0, 0.0))?;
    /// world.create_shape(wall, &ShapeDef::default(), &Shape::new_box(2.0, 9.0)?)?;
    /// let plank = Shape::new_box(2.0, 0.5)?;
    /// let level = Motion::line(Pose::IDENTITY, Vec2::new(6.0, 0.0));
    /// let hit = world.cast_shape(&plank, level, QueryFilter::default())?.expect("a wall");
    /// assert_eq!(hit.fraction, 0.5);
    /// let upright = Motion { turn: 1.5707963, ..level };
    /// let hit = world.cast_shape(&plank, upright, QueryFilter::default())?.expect("a wall");
    /// assert!(hit.fraction > 0.5);
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the shape is degenerate, a number is not finite, the rotation is invalid, or the turn is more than a full
    /// turn.
    pub fn cast_shape(
        &self,
        shape: &Shape,
        motion: Motion,
        filter: QueryFilter<'_>,
    ) -> Result<Option<ShapeHit>, PhysicsError> {
        let cast = CastQuery {
            shape,
            motion,
            filter,
        };
        cast.check()?;
        let _environment = FloatEnvironment::enter_call();
        Ok(self.first_on_path(&cast))
    }

    /// All shapes that `shape` meets on its path if it does not stop at any of them, nearest first.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::cast_shape`].
    pub fn cast_shape_all(
        &self,
        shape: &Shape,
        motion: Motion,
        filter: QueryFilter<'_>,
    ) -> Result<Vec<ShapeHit>, PhysicsError> {
        let mut hits = Vec::new();
        self.for_each_on_path(shape, motion, filter, |hit| {
            hits.push(hit);
            ControlFlow::Continue(())
        })?;
        hits.sort_unstable_by(order);
        Ok(hits)
    }

    /// Calls `visit` for each shape that `shape` meets on its path, in the order of the trees, until `visit` breaks.
    /// Allocates nothing.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::cast_shape`].
    pub fn for_each_on_path(
        &self,
        shape: &Shape,
        motion: Motion,
        filter: QueryFilter<'_>,
        mut visit: impl FnMut(ShapeHit) -> ControlFlow<()>,
    ) -> Result<(), PhysicsError> {
        let cast = CastQuery {
            shape,
            motion,
            filter,
        };
        cast.check()?;
        let _environment = FloatEnvironment::enter_call();
        self.visit_path(&cast, |hit| match visit(hit) {
            ControlFlow::Continue(()) => 1.0,
            ControlFlow::Break(()) => 0.0,
        });
        Ok(())
    }

    /// The nearest shape that a moving shape with valid numbers meets.
    pub(super) fn first_on_path(&self, cast: &CastQuery<'_>) -> Option<ShapeHit> {
        let mut first: Option<ShapeHit> = None;
        self.visit_path(cast, |hit| {
            keep_first(&mut first, hit);
            still_of_interest(hit.fraction)
        });
        first
    }

    fn visit_path(&self, cast: &CastQuery<'_>, mut visit: impl FnMut(ShapeHit) -> f32) {
        self.visit_cast(&cast.bounds(), &cast.filter, |seen, fraction_max| {
            match self.hit_on_path(seen, cast, fraction_max) {
                Some(hit) => visit(hit),
                None => fraction_max,
            }
        });
    }

    /// The hit of a moving shape on one that the query sees, within a fraction of its path.
    #[inline]
    pub(super) fn hit_on_path(
        &self,
        seen: &Seen<'_>,
        cast: &CastQuery<'_>,
        fraction_max: f32,
    ) -> Option<ShapeHit> {
        let path = StraightPath {
            shape: cast.shape,
            start: cast.motion.start,
            translation: cast.motion.translation,
        };
        if self.is_passed(seen, &cast.filter, &path) {
            return None;
        }
        cast.meets(seen, fraction_max)
    }
}

impl CastQuery<'_> {
    pub(super) fn check(&self) -> Result<(), PhysicsError> {
        self.motion.check(self.shape)
    }

    /// A moving box that contains the moving shape.
    pub(super) fn bounds(&self) -> BoxCast {
        let Motion {
            start,
            translation,
            turn,
        } = self.motion;
        let (middle, half_size) = if self.shape.is_half_space() && turn != 0.0 {
            // It sweeps over any place.
            (Vec2::ZERO, Vec2::splat(4.0 * COORDINATE_MAX))
        } else if turn == 0.0 {
            let area = self.shape.aabb(start);
            (area.center(), area.half_size())
        } else {
            // Shapes within the tolerance of the search count as met.
            let extent = 1.001 * self.shape.max_extent_from(Vec2::ZERO) + 1.0e-3;
            (start.position, Vec2::splat(extent))
        };
        BoxCast {
            start: middle,
            translation,
            half_size,
            fraction_max: 1.0,
        }
    }

    fn meets(&self, seen: &Seen<'_>, fraction_max: f32) -> Option<ShapeHit> {
        let start = self.motion.start;
        if self.filter.one_sided {
            let middle = seen
                .pose
                .inverse_transform_point(start.transform_point(self.shape.centroid()));
            let direction = seen.pose.rotation.unrotate(self.motion.translation);
            // With a turn the shape may reach the segment from any direction, although its center is in front of it.
            let direction = if self.motion.turn == 0.0 {
                direction
            } else {
                Vec2::ZERO
            };
            if seen.geometry.lets_through(middle, direction) {
                return None;
            }
        }
        if self.motion.turn != 0.0 {
            return self.meets_turning(seen, fraction_max);
        }
        // In the frame of the moving shape, the other shape moves towards it.
        let towards = start.rotation.unrotate(-self.motion.translation);
        let hit = cast_shape(
            self.shape,
            seen.geometry,
            start.to(seen.pose),
            towards,
            fraction_max,
        )?;
        let moved = self.motion.pose_at(hit.fraction);
        Some(ShapeHit {
            shape: seen.shape(),
            body: seen.body(),
            fraction: hit.fraction,
            point: moved.transform_point(hit.point).into(),
            normal: start.rotation.rotate(hit.normal),
        })
    }

    fn meets_turning(&self, seen: &Seen<'_>, fraction_max: f32) -> Option<ShapeHit> {
        let motion = &self.motion;
        // Coordinates relative to the start keep their precision, however far the start is from the origin of the
        // world.
        let origin = motion.start.position;
        let other = Pose {
            position: seen.pose.position - origin,
            rotation: seen.pose.rotation,
        };
        let found = |fraction: f32, point: Vec2, normal: Vec2| ShapeHit {
            shape: seen.shape(),
            body: seen.body(),
            fraction,
            point: (origin + point).into(),
            normal,
        };
        let start = distance(self.shape, seen.geometry, motion.start.to(seen.pose));
        if start.distance <= 0.0 {
            let point = motion.start.rotation.rotate(start.point_a);
            return Some(found(0.0, point, Vec2::ZERO));
        }
        let count = libm::ceilf(motion.turn.abs() / FRAC_PI_8).max(1.0);
        for piece in 0..count as u32 {
            let [from, to] = [piece, piece + 1].map(|piece| piece as f32 / count);
            if from > fraction_max {
                return None;
            }
            let [pose_0, pose_1] = [from, to].map(|fraction| motion.pose_at(fraction));
            let sweep = Sweep {
                local_center: Vec2::ZERO,
                c0: from * motion.translation,
                c1: to * motion.translation,
                q0: pose_0.rotation,
                q1: pose_1.rotation,
            };
            let hit = cast_turning(seen.geometry, other, self.shape, &sweep, 1.0);
            if hit.state == ImpactState::Separated {
                continue;
            }
            // A search that gave up is as near as the precision of its numbers allows.
            let fraction = from + hit.fraction * (to - from);
            return (fraction <= fraction_max).then(|| found(fraction, hit.point, -hit.normal));
        }
        None
    }
}
