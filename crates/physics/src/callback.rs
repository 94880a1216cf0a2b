//! Callbacks of a game about pairs of shapes: what they are told, what they may answer, and what is saved of them.
//!
//! A callback is code and is not saved; that a world uses one is, in [`PlainCallbacks`], so a world that is restored without
//! it says so. How the two are asked is in `objects/callbacks.rs`.

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
    /// Its body.
    pub body: BodyId,
    /// The user's own number of the shape.
    pub shape_key: u64,
    /// The user's own number of the body.
    pub body_key: u64,
    /// Whether the body is dynamic, kinematic or static.
    pub kind: BodyKind,
    /// The filter of the shape.
    pub filter: Filter,
    /// What the shape is made of ([`ShapeDef::material`](crate::ShapeDef::material)).
    pub material: u32,
    /// Where the body is.
    pub pose: Pose,
    /// The body's center of mass, in the world.
    pub center: Position,
    /// Meters per second of the center of mass.
    pub linear_velocity: Vec2,
    /// Radians per second.
    pub angular_velocity: f32,
}

/// What a callback is told of a pair of shapes: plain data, as it is when it is asked, the same for any number of workers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairView {
    /// Steps that the world has made before this one.
    pub step_index: u64,
    /// The two shapes, always in the same order.
    pub sides: [PairSide; 2],
    /// The rule that counts for the two, if there is one.
    pub rule: Option<ContactRule>,
    /// How the two touch; `None` for a custom filter, which is asked before that is known.
    pub touch: Option<PairTouch>,
}

/// How two shapes touch, as a pre-solve callback is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairTouch {
    /// Whether they touched in the step before.
    pub was_touching: bool,
    /// From the first shape to the second, of length one.
    pub normal: Vec2,
    /// Where they touch; the second is there if [`PairTouch::point_count`] is 2.
    pub points: [PairPoint; 2],
    /// 1 or 2.
    pub point_count: u32,
    /// What the contact is like if the callback answers nothing else: the two materials combined, and the rule.
    pub usual: Response,
}

/// A point where two shapes touch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairPoint {
    /// On the surface of the first shape, from its body's center of mass, in the directions of the world.
    pub arm: Vec2,
    /// Meters between the surfaces; negative where they overlap.
    pub separation: f32,
    /// Newton seconds with which the two pushed each other here in the last substep before.
    pub impulse: f32,
}

/// What a pre-solve callback has a contact be like in this step. A number that is none stands for the usual one; one beyond
/// its range for the nearest within.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// Whether the two touch. Those that do not pass each other in this step; their touch ends, and begins when they do.
    pub touches: bool,
    /// Coulomb friction, 0 to a million.
    pub friction: f32,
    /// Bounciness, 0 to 100.
    pub restitution: f32,
    /// Resistance to rolling times the greater radius, in meters, 0 to a million.
    pub rolling_resistance: f32,
    /// Meters per second at which the surfaces run against each other, up to a million either way.
    pub surface_speed: f32,
}

impl Response {
    /// This answer with numbers that a contact may have.
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

/// Which callbacks a world uses, or misses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallbackKinds {
    /// A custom filter ([`PhysicsWorld::set_custom_filter`](crate::PhysicsWorld::set_custom_filter)).
    pub custom_filter: bool,
    /// A pre-solve callback ([`PhysicsWorld::set_pre_solve`](crate::PhysicsWorld::set_pre_solve)).
    pub pre_solve: bool,
}

impl CallbackKinds {
    /// Whether there is any.
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
    /// What is saved of callbacks: that there were some.
    #[derive(Debug, PartialEq)]
    pub(crate) struct PlainCallbacks {
        /// Contacts with a shape of any of these categories are those that the pre-solve callback is asked about.
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

    /// Whether calls could have left this.
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
