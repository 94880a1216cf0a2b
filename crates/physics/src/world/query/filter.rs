//! [`QueryFilter`]: the shapes that a query can find; the searches of trees and sensors with it, and the order of
//! results.

use crate::PhysicsError;
use crate::Shape;
use crate::body::{BodyId, flag};
use crate::broad_phase::Proxy;
use crate::error::{check_rotation, finite_vector};
use crate::objects::rules::{Visitor, VisitorMove};
use crate::rule::RuleSide;
use crate::shape::ShapeId;
use crate::state::State;
use crate::world::PhysicsWorld;
use crate::world::views::ShapeRef;
use core::cmp::Ordering;
use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering as AtomicOrdering};
use glam::Vec2;
use tombolo_geometry::bvh::{BoxCast, Visit};
use tombolo_geometry::{Aabb, Pose};

/// The shapes that a query can find: those whose category is in `mask` and whose mask has a bit of `category`, subject
/// to the other fields.
///
/// ```
/// use tombolo_physics::{BodyDef, PhysicsWorld, Position, QueryFilter, Shape, ShapeDef, Vec2, WorldDef};
/// let mut world = PhysicsWorld::new(&WorldDef::default())?;
/// let me = world.create_body(&BodyDef::dynamic(0.0, 1.0))?;
/// world.create_shape(me, &ShapeDef::default(), &Shape::circle(Vec2::ZERO, 0.5)?)?;
/// let down = Vec2::new(0.0, -9.0);
/// let filter = QueryFilter { exclude_bodies: &[me], ..QueryFilter::default() };
/// assert_eq!(world.cast_ray(Position::new(0.0, 1.0), down, filter)?, None);
/// # Ok::<(), tombolo_physics::PhysicsError>(())
/// ```
#[derive(Clone, Copy)]
pub struct QueryFilter<'a> {
    /// The category bits of the query; all by default.
    pub category: u64,
    /// The category bits that the query accepts; all by default.
    pub mask: u64,
    /// Bodies whose shapes are excluded; none by default. The list is searched linearly.
    pub exclude_bodies: &'a [BodyId],
    /// Shapes that are excluded; none by default. The list is searched linearly.
    pub exclude_shapes: &'a [ShapeId],
    /// Whether sensors are included; false by default. It costs a test of each sensor of the world.
    pub sensors: bool,
    /// Whether rays and moving shapes meet one-sided shapes, the segments of chains, only from their solid side, as
    /// bodies do; false by default. The side of a moving shape is that of its center, and a shape that leaves such a
    /// segment does not meet it.
    pub one_sided: bool,
    /// The material number of rays and moving shapes under [contact rules](crate::ContactRule): shapes that ignore it
    /// or only sense it let them pass, and so do one-way platforms unless they come from outside. `None`, the default:
    /// contact rules do not apply.
    pub material: Option<u32>,
    /// A predicate on the shapes that the other fields accept: false excludes the shape; none by default. Batches call
    /// it from all workers. It is called in the order of the trees, also for shapes near by that may turn out not to be
    /// met; touch queries call it for a shape again when they look at a neighbor of it.
    pub predicate: Option<&'a (dyn Fn(ShapeRef<'_>) -> bool + Sync)>,
    /// A counter of the shapes that the query examines: those whose boxes it comes upon, and sensors if they are
    /// included, whether the other fields accept them or not; none by default. Shapes that the trees leave out by `mask`
    /// are not examined. The sum is the same for every number of workers. (Box2D's queries return a like count of leaf
    /// visits.)
    pub examined: Option<&'a AtomicUsize>,
}

impl Default for QueryFilter<'_> {
    fn default() -> Self {
        Self {
            category: u64::MAX,
            mask: u64::MAX,
            exclude_bodies: &[],
            exclude_shapes: &[],
            sensors: false,
            one_sided: false,
            material: None,
            predicate: None,
            examined: None,
        }
    }
}

impl fmt::Debug for QueryFilter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryFilter")
            .field("category", &self.category)
            .field("mask", &self.mask)
            .field("exclude_bodies", &self.exclude_bodies)
            .field("exclude_shapes", &self.exclude_shapes)
            .field("sensors", &self.sensors)
            .field("one_sided", &self.one_sided)
            .field("material", &self.material)
            .field("predicate", &self.predicate.is_some())
            .field("examined", &self.examined)
            .finish()
    }
}

/// A shape that a filter accepts.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    state: &'a State,
    /// The index of the shape.
    pub(super) index: u32,
    /// The index of its body.
    body: u32,
    pub(crate) pose: Pose,
    pub(crate) geometry: &'a Shape,
}

impl Seen<'_> {
    pub(crate) fn shape(&self) -> ShapeId {
        self.state.shapes.live_id(self.index)
    }

    pub(crate) fn body(&self) -> BodyId {
        self.state.bodies.live_id(self.body)
    }
}

/// A shape cast along a straight path.
pub(super) struct StraightPath<'a> {
    pub(super) shape: &'a Shape,
    pub(super) start: Pose,
    pub(super) translation: Vec2,
}

impl PhysicsWorld {
    /// The number of sensors, each of which is tested by every query that includes sensors.
    pub fn sensor_count(&self) -> usize {
        self.state.sensors.len()
    }

    /// The shape at an index, if the filter accepts it.
    pub(crate) fn seen(&self, index: u32, filter: &QueryFilter<'_>) -> Option<Seen<'_>> {
        if let Some(examined) = filter.examined {
            examined.fetch_add(1, AtomicOrdering::Relaxed);
        }
        self.accepted(index, filter)
    }

    /// Like `seen`, for a shape that the query does not examine itself: it is not counted.
    pub(super) fn accepted(&self, index: u32, filter: &QueryFilter<'_>) -> Option<Seen<'_>> {
        let record = self.state.shapes.live(index);
        if record.category & filter.mask == 0 || record.mask & filter.category == 0 {
            return None;
        }
        self.unless_excluded(index, self.state.shape_links[index].body, filter)
    }

    /// Like `seen`, for a shape with a proxy and a category of the filter's mask. The proxy has what is asked of the shape, so
    /// that neither its record nor its link is read.
    #[inline]
    fn seen_by_proxy(&self, proxy: &Proxy, filter: &QueryFilter<'_>) -> Option<Seen<'_>> {
        if let Some(examined) = filter.examined {
            examined.fetch_add(1, AtomicOrdering::Relaxed);
        }
        if proxy.mask & filter.category == 0 {
            return None;
        }
        self.unless_excluded(proxy.shape, proxy.body, filter)
    }

    /// The shape at an index, of a body, if neither lists nor the predicate of a filter exclude it.
    #[inline]
    fn unless_excluded(&self, index: u32, body: u32, filter: &QueryFilter<'_>) -> Option<Seen<'_>> {
        let seen = Seen {
            state: &self.state,
            index,
            body,
            pose: self.state.body_poses[body].pose,
            geometry: &self.state.shape_geometries[index],
        };
        // Reads the ids, which few shapes are asked for, only if something is excluded.
        let is_excluded = (!filter.exclude_bodies.is_empty() && filter.exclude_bodies.contains(&seen.body()))
            || (!filter.exclude_shapes.is_empty() && filter.exclude_shapes.contains(&seen.shape()));
        if is_excluded {
            return None;
        }
        if let Some(predicate) = filter.predicate
            && !predicate(ShapeRef::of(&self.state, index))
        {
            return None;
        }
        Some(seen)
    }

    /// Whether a contact rule for the filter's material lets a shape on a straight path pass.
    pub(super) fn is_passed(
        &self,
        seen: &Seen<'_>,
        filter: &QueryFilter<'_>,
        path: &StraightPath<'_>,
    ) -> bool {
        filter.material.is_some_and(|material| {
            let visitor = Visitor {
                side: RuleSide::of_visitor(material, filter.category),
                shape: path.shape,
                pose: path.start,
                moves: VisitorMove::Cast {
                    translation: path.translation,
                },
            };
            self.state.lets_visitor_pass(seen.index, &visitor)
        })
    }

    /// The sensors of enabled bodies, if the filter includes sensors.
    pub(super) fn seen_sensors<'a>(
        &'a self,
        filter: &QueryFilter<'_>,
    ) -> impl Iterator<Item = u32> + use<'a> {
        let state = &self.state;
        let asked = if filter.sensors { state.sensors.len() } else { 0 };
        state.sensors.iter().take(asked).copied().filter(|&sensor| {
            let body = state.shape_links[sensor].body;
            state.body_sims[body].has(flag::ENABLED)
        })
    }

    /// Calls `visit` for the accepted shapes whose boxes share a point with `area`.
    pub(in crate::world) fn visit_box(
        &self,
        area: Aabb,
        filter: &QueryFilter<'_>,
        mut visit: impl FnMut(&Seen<'_>) -> Visit,
    ) {
        let mut answer = Visit::Continue;
        self.state.broad_phase.proxies_in_box(area, filter.mask, |proxy| {
            if let Some(seen) = self.seen_by_proxy(proxy, filter) {
                answer = visit(&seen);
            }
            answer
        });
        for sensor in self.seen_sensors(filter) {
            if answer == Visit::Stop {
                return;
            }
            if let Some(seen) = self.seen(sensor, filter)
                && seen.geometry.aabb(seen.pose).overlaps(area)
            {
                answer = visit(&seen);
            }
        }
    }

    /// Calls `visit` for the accepted shapes whose boxes a moving box may meet, with the part of the path that is still
    /// of interest; `visit` returns that part, 0 to stop.
    pub(super) fn visit_cast<'a>(
        &'a self,
        cast: &BoxCast,
        filter: &QueryFilter<'_>,
        mut visit: impl FnMut(&Seen<'a>, f32) -> f32,
    ) {
        let mut rest = cast.fraction_max;
        self.state
            .broad_phase
            .proxies_on_path(cast, filter.mask, |proxy, fraction_max| {
                rest = fraction_max;
                if let Some(seen) = self.seen_by_proxy(proxy, filter) {
                    rest = visit(&seen, fraction_max);
                }
                rest
            });
        for sensor in self.seen_sensors(filter) {
            if rest <= 0.0 {
                return;
            }
            if let Some(seen) = self.seen(sensor, filter) {
                rest = visit(&seen, rest);
            }
        }
    }
}

/// A result with a distance, or with a number that sorts like one.
pub(super) trait Found {
    /// The distance and the shape's index.
    fn key(&self) -> (f32, u32);
}

/// The order of results: nearest first, ties by shape.
pub(super) fn order<F: Found>(a: &F, b: &F) -> Ordering {
    let (a, b) = (a.key(), b.key());
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

/// Keeps the first of two results by `order`.
pub(super) fn keep_first<F: Found>(best: &mut Option<F>, found: F) {
    if best.as_ref().is_none_or(|best| order(&found, best).is_lt()) {
        *best = Some(found);
    }
}

/// The part of a path that remains to be searched after a hit. The trees end a search at zero; but of several shapes
/// that are met at the very start the first by index is the result, so all of them must be visited.
pub(super) fn still_of_interest(fraction: f32) -> f32 {
    fraction.max(f32::MIN_POSITIVE)
}

pub(super) fn check_box(area: Aabb) -> Result<(), PhysicsError> {
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

pub(super) fn check_placed(shape: &Shape, pose: Pose) -> Result<(), PhysicsError> {
    shape.validate()?;
    finite_vector("position", pose.position)?;
    check_rotation(pose.rotation)
}
