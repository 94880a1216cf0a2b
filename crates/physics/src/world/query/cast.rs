//! Shapes that move, and turn, until they meet something.

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
use tombolo_geometry::{Pose, Position, Rot};
use tombolo_threads::FloatEnvironment;

/// The path of a moving shape: along a line, turning evenly about the origin of its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Where the shape's frame is at the start.
    pub start: Pose,
    /// How far it moves, in meters.
    pub translation: Vec2,
    /// How far it turns, in radians: at most once around either way.
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

    /// Where the shape's frame is after a share of the motion, 0 to 1.
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

/// A moving shape, as batches take it.
#[derive(Clone, Copy, Debug)]
pub struct CastQuery<'a> {
    /// What moves.
    pub shape: &'a Shape,
    /// Its path.
    pub motion: Motion,
    /// What it sees.
    pub filter: QueryFilter<'a>,
}

/// Where a moving shape meets another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeHit {
    /// The shape that was met.
    pub shape: ShapeId,
    /// Its body.
    pub body: BodyId,
    /// The share of the path, 0 to 1; 0 for shapes that overlap at the start.
    pub fraction: f32,
    /// Where the two touch.
    pub point: Position,
    /// From the moving shape to the other; zero if they overlap at the start.
    pub normal: Vec2,
}

impl Found for ShapeHit {
    fn key(&self) -> (f32, ShapeId) {
        (self.fraction, self.shape)
    }
}

impl PhysicsWorld {
    /// The nearest shape that `shape` meets on its path.
    ///
    /// A motion without a turn is followed exactly. One that turns stops within a tenth of a millimeter of what it meets,
    /// and what is as near at the start is met at once; the turn is followed in pieces of at most π/8, in which it is even
    /// within a thousandth of a radian.
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
    /// If the shape is degenerate, a number not finite, the rotation none, or the turn more than once around.
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
        let _environment = FloatEnvironment::enter();
        Ok(self.first_on_path(&cast))
    }

    /// All shapes that `shape` meets on its path if none stops it, nearest first.
    ///
    /// # Errors
    ///
    /// As [`PhysicsWorld::cast_shape`].
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

    /// Calls `visit` for each shape that `shape` meets on its path, in the order of the trees, until it breaks. Allocates
    /// nothing.
    ///
    /// # Errors
    ///
    /// As [`PhysicsWorld::cast_shape`].
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
        let _environment = FloatEnvironment::enter();
        self.visit_path(&cast, |hit| match visit(hit) {
            ControlFlow::Continue(()) => 1.0,
            ControlFlow::Break(()) => 0.0,
        });
        Ok(())
    }

    /// The nearest shape that a good moving shape meets.
    pub(super) fn first_on_path(&self, cast: &CastQuery<'_>) -> Option<ShapeHit> {
        let mut first: Option<ShapeHit> = None;
        self.visit_path(cast, |hit| {
            keep_first(&mut first, hit);
            still_of_interest(hit.fraction)
        });
        first
    }

    fn visit_path(&self, cast: &CastQuery<'_>, mut visit: impl FnMut(ShapeHit) -> f32) {
        let path = StraightPath {
            shape: cast.shape,
            start: cast.motion.start,
            translation: cast.motion.translation,
        };
        self.visit_cast(&cast.bounds(), &cast.filter, |seen, fraction_max| {
            if self.is_passed(seen, &cast.filter, &path) {
                return fraction_max;
            }
            match cast.meets(seen, fraction_max) {
                Some(hit) => visit(hit),
                None => fraction_max,
            }
        });
    }
}

impl CastQuery<'_> {
    pub(super) fn check(&self) -> Result<(), PhysicsError> {
        self.motion.check(self.shape)
    }

    /// The moving box that the shape stays in.
    fn bounds(&self) -> BoxCast {
        let Motion {
            start,
            translation,
            turn,
        } = self.motion;
        let (middle, half_size) = if turn == 0.0 {
            let area = self.shape.aabb(start);
            (area.center(), area.half_size())
        } else {
            // What comes within reach counts as met.
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
            // A turn may bring on from any side what its middle is in front of.
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
        // Seen from the moving shape, the other one comes towards it.
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
            shape: seen.shape,
            body: seen.body,
            fraction: hit.fraction,
            point: moved.transform_point(hit.point).into(),
            normal: start.rotation.rotate(hit.normal),
        })
    }

    fn meets_turning(&self, seen: &Seen<'_>, fraction_max: f32) -> Option<ShapeHit> {
        let motion = &self.motion;
        // Near the start places keep their digits, however far that is from the origin of the world.
        let origin = motion.start.position;
        let other = Pose {
            position: seen.pose.position - origin,
            rotation: seen.pose.rotation,
        };
        let found = |fraction: f32, point: Vec2, normal: Vec2| ShapeHit {
            shape: seen.shape,
            body: seen.body,
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
            // A search that gave up has come as near as its numbers can tell.
            let fraction = from + hit.fraction * (to - from);
            return (fraction <= fraction_max).then(|| found(fraction, hit.point, -hit.normal));
        }
        None
    }
}
