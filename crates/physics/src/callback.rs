//! Callbacks of a game about pairs of shapes: their arguments, their results, and their saved form.
//!
//! A callback is code and is not saved; the fact that a world uses one is, in [`PlainCallbacks`], so a world that is
//! restored without its code can report it. The calls are made in `objects/callbacks.rs`.

use crate::body::{BodyId, BodyKind};
use crate::error::Range;
use crate::rule::ContactRule;
use crate::shape::{Filter, ShapeId};
use alloc::sync::Arc;
use core::fmt;
use glam::Vec2;
use tombolo_geometry::{Pose, Position, plain_data};

/// One of the two shapes of a [`PairView`], and its body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairSide {
    /// The shape.
    pub shape: ShapeId,
    /// The shape's body.
    pub body: BodyId,
    /// The user's own number of the shape.
    pub shape_key: u64,
    /// The user's own number of the body.
    pub body_key: u64,
    /// Whether the body is dynamic, kinematic or static.
    pub kind: BodyKind,
    /// The filter of the shape.
    pub filter: Filter,
    /// The number of the shape's material ([`ShapeDef::material`](crate::ShapeDef::material)).
    pub material: u32,
    /// The pose of the body.
    pub pose: Pose,
    /// The body's center of mass, in the world.
    pub center: Position,
    /// The velocity of the center of mass in meters per second.
    pub linear_velocity: Vec2,
    /// The angular velocity in radians per second.
    pub angular_velocity: f32,
}

/// The argument of a callback about a pair of shapes: plain data of the moment of the call, the same for any number of
/// workers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairView {
    /// The number of steps that the world made before this one.
    pub step_index: u64,
    /// The two shapes, always in the same order.
    pub sides: [PairSide; 2],
    /// The contact rule that applies to the two, if there is one.
    pub rule: Option<ContactRule>,
    /// The touch of the two; `None` for a custom filter, which is called before it is known.
    pub touch: Option<PairTouch>,
}

/// The touch of two shapes, as passed to a pre-solve callback.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairTouch {
    /// Whether they touched in the previous step.
    pub was_touching: bool,
    /// The unit normal from the first shape to the second.
    pub normal: Vec2,
    /// The contact points; the second is valid if [`PairTouch::point_count`] is 2.
    pub points: [PairPoint; 2],
    /// The number of points, 1 or 2.
    pub point_count: u32,
    /// The response without a callback: the two materials combined, and the rule.
    pub usual: Response,
}

/// A contact point of two shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairPoint {
    /// The point on the surface of the first shape, relative to its body's center of mass, in world directions.
    pub arm: Vec2,
    /// The distance of the surfaces in meters; negative where they overlap.
    pub separation: f32,
    /// The normal impulse at this point in the last substep of the previous step, in newton seconds.
    pub impulse: f32,
}

/// The result of a pre-solve callback: the properties of the contact in this step. NaN stands for the usual value; a
/// value out of range for the nearest one within.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// Whether the two touch. If not, they pass through each other in this step; their touch ends, and begins again
    /// when they do touch.
    pub touches: bool,
    /// Coefficient of Coulomb friction, 0 to a million.
    pub friction: f32,
    /// Coefficient of restitution, 0 to 100.
    pub restitution: f32,
    /// Rolling resistance times the greater radius, in meters, 0 to a million.
    pub rolling_resistance: f32,
    /// The relative speed of the surfaces in meters per second, up to a million in either direction.
    pub surface_speed: f32,
}

impl Response {
    /// This response with numbers clamped to their ranges.
    pub(crate) fn within_ranges(self, usual: &Self) -> Self {
        let fit = |range: Range, got: f32, usual: f32| if got.is_nan() { usual } else { range.clamp(got) };
        Self {
            touches: self.touches,
            friction: fit(Range::FRICTION, self.friction, usual.friction),
            restitution: fit(Range::RESTITUTION, self.restitution, usual.restitution),
            rolling_resistance: fit(Range::FRICTION, self.rolling_resistance, usual.rolling_resistance),
            surface_speed: fit(Range::VELOCITY, self.surface_speed, usual.surface_speed),
        }
    }
}

/// The kinds of callbacks that a world uses, or misses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallbackKinds {
    /// Whether a custom filter ([`PhysicsWorld::set_custom_filter`](crate::PhysicsWorld::set_custom_filter)).
    pub custom_filter: bool,
    /// Whether a pre-solve callback ([`PhysicsWorld::set_pre_solve`](crate::PhysicsWorld::set_pre_solve)).
    pub pre_solve: bool,
}

impl CallbackKinds {
    /// Whether any kind is set.
    pub fn any(self) -> bool {
        self.custom_filter || self.pre_solve
    }
}

impl fmt::Display for CallbackKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.custom_filter, self.pre_solve) {
            (true, true) => "a custom filter and a pre-solve callback",
            (true, false) => "a custom filter",
            (false, true) => "a pre-solve callback",
            (false, false) => "no callbacks",
        })
    }
}

plain_data! {
    /// The saved form of callbacks: which kinds were in use.
    #[derive(Debug, PartialEq)]
    pub(crate) struct PlainCallbacks {
        /// The categories of the pre-solve callback: it is called for contacts with a shape of any of these.
        pub(crate) categories: u64,
        /// 1 if there was a custom filter.
        pub(crate) custom_filter: u32,
        /// 1 if there was a pre-solve callback.
        pub(crate) pre_solve: u32,
    }
}

impl PlainCallbacks {
    pub(crate) fn kinds(&self) -> CallbackKinds {
        CallbackKinds {
            custom_filter: self.custom_filter != 0,
            pre_solve: self.pre_solve != 0,
        }
    }

    /// Whether calls could have produced these values.
    pub(crate) fn is_sound(&self) -> bool {
        self.custom_filter.max(self.pre_solve) == 1 && (self.pre_solve == 1 || self.categories == 0)
    }
}

/// The code of a custom filter: [`PhysicsWorld::set_custom_filter`](crate::PhysicsWorld::set_custom_filter).
pub type CustomFilter = dyn Fn(&PairView) -> bool + Send + Sync;

/// The code of a pre-solve callback: [`PhysicsWorld::set_pre_solve`](crate::PhysicsWorld::set_pre_solve).
pub type PreSolve = dyn Fn(&PairView) -> Response + Send + Sync;

/// The code of a world's callbacks, shared with its clones.
#[derive(Clone, Default)]
pub(crate) struct Callbacks {
    pub(crate) custom_filter: Option<Arc<CustomFilter>>,
    pub(crate) pre_solve: Option<Arc<PreSolve>>,
}

impl fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callbacks").finish_non_exhaustive()
    }
}
