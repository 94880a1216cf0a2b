//! [`Asker`]: a call that asks physics, once or for a list of questions, and pays for what it looks at.

use core::ops::ControlFlow;
use core::sync::atomic::AtomicUsize;

use rhai::Map;
use tombolo_geometry::{Aabb, Pose, Position, Vec2};
use tombolo_physics::{
    Motion, PhysicsError, PhysicsWorld, QueryFilter, RayHit, Shape, ShapeHit, ShapeId, ShapeRef, Touch,
};

use super::in_call::{QUERY_COST, Result, in_call};
use super::meter::charge;
use super::query_options::Options;

/// Operations for each shape whose box a query meets, whether it is a result or not.
pub(super) const LOOK_COST: usize = 4;
/// The same for a query that moves a shape, or compares one with another.
pub(super) const SHAPE_LOOK_COST: usize = 12;
/// The same for a query that turns a shape while moving it.
const TURN_LOOK_COST: usize = 24;
/// Operations of a query of touches for each near shape, for which it computes what a contact of a body would be.
const TOUCH_COST: usize = 80;
/// Operations of a query of touches for each pair of near shapes: one may cover faces of the other.
const NEIGHBOR_COST: usize = 2;
/// The greatest number of others that may cover faces of a shape, as in `crates/physics/src/objects/neighbors.rs`.
const NEIGHBORS_MAX: usize = 32;
/// The greatest number of others that are examined for those, as there.
const EXAMINED_MAX: usize = 128;
/// The number of near shapes for which each of them costs one more operation, whether they cover its faces or not.
const NEIGHBORS_LEFT_OUT: usize = 16;

type Found<T> = core::result::Result<T, PhysicsError>;

/// A call of a query of physics with its options.
pub(super) struct Asker {
    /// The name of the function, for messages.
    call: &'static str,
    options: Options,
    /// Operations for each shape that is examined.
    look_cost: usize,
}

impl Asker {
    /// Charges for a call and reads its options; `own` are those that only this query has.
    pub(super) fn new(
        call: &'static str,
        options: Option<Map>,
        own: &[&str],
        look_cost: usize,
    ) -> Result<Self> {
        charge(QUERY_COST)?;
        let options = Options::read(call, &options.unwrap_or_default(), own)?;
        Ok(Self {
            call,
            options,
            look_cost,
        })
    }

    /// A call that moves boxes, with the options `angle` and `turn`.
    pub(super) fn of_boxes(call: &'static str, options: Option<Map>) -> Result<Self> {
        let mut asker = Self::new(call, options, &["angle", "turn"], SHAPE_LOOK_COST)?;
        if asker.options.turn != 0.0 {
            asker.look_cost = TURN_LOOK_COST;
        }
        Ok(asker)
    }

    pub(super) fn call(&self) -> &'static str {
        self.call
    }

    /// Makes a query, and charges for each shape that it examines.
    pub(super) fn ask<T>(&self, query: impl FnOnce(&PhysicsWorld, QueryFilter<'_>) -> Found<T>) -> Result<T> {
        let examined = AtomicUsize::new(0);
        let (found, sensors) = in_call(|world, _| {
            let sees = |shape: ShapeRef<'_>| self.options.sees(shape);
            let found = query(&world.physics, self.options.filter(&sees, &examined));
            let found = found.map_err(|error| format!("{}: {error}", self.call))?;
            let sensors = if self.options.sensors {
                world.physics.sensor_count()
            } else {
                0
            };
            Ok((found, sensors))
        })?;
        charge(sensors + self.look_cost * examined.into_inner())?;
        Ok(found)
    }

    /// The path of a shape from one point to another, at the angle and with the turn of the options.
    fn motion(&self, from: Vec2, to: Vec2) -> Motion {
        Motion {
            start: Pose::new(from, self.options.angle),
            translation: to - from,
            turn: self.options.turn,
        }
    }

    pub(super) fn first_on_ray(&self, from: Vec2, to: Vec2) -> Result<Option<RayHit>> {
        self.ask(|physics, filter| physics.cast_ray(Position::from(from), to - from, filter))
    }

    /// The nearest shape that a moving shape meets; an invalid one is an error of the call.
    pub(super) fn first_on_path(
        &self,
        shape: Found<Shape>,
        from: Vec2,
        to: Vec2,
    ) -> Result<Option<ShapeHit>> {
        self.ask(|physics, filter| physics.cast_shape(&shape?, self.motion(from, to), filter))
    }

    /// All shapes that a moving shape meets, nearest first.
    pub(super) fn all_on_path(&self, shape: Found<Shape>, from: Vec2, to: Vec2) -> Result<Vec<ShapeHit>> {
        self.ask(|physics, filter| physics.cast_shape_all(&shape?, self.motion(from, to), filter))
    }

    pub(super) fn in_box(&self, least: Vec2, most: Vec2) -> Result<Vec<ShapeId>> {
        let area = Aabb {
            min: least,
            max: most,
        };
        self.ask(|physics, filter| physics.overlap_box(area, filter))
    }

    pub(super) fn at_point(&self, point: Vec2) -> Result<Vec<ShapeId>> {
        self.ask(|physics, filter| physics.overlap_point(Position::from(point), filter))
    }

    pub(super) fn in_circle(&self, center: Vec2, radius: f32) -> Result<Vec<ShapeId>> {
        self.ask(|physics, filter| physics.overlap_shape(&circle(radius)?, Pose::new(center, 0.0), filter))
    }

    /// The touches of a shape at a place, at the angle and with the margin of the options.
    pub(super) fn touches(&self, shape: Found<Shape>, center: Vec2) -> Result<Vec<Touch>> {
        let shape = shape.map_err(|error| format!("{}: {error}", self.call))?;
        let (pose, margin) = (Pose::new(center, self.options.angle), self.options.margin);
        self.charge_touches(shape.aabb(pose).grown(margin))?;
        self.ask(|physics, filter| physics.touches(&shape, pose, margin, filter))
    }

    /// Charges for the shapes in an area, each of which is compared with the others, before that is done. Sensors cover
    /// nothing, and are in no tree: each of the world is examined, and those in the area may touch.
    fn charge_touches(&self, area: Aabb) -> Result<()> {
        let near = AtomicUsize::new(0);
        let sensors = in_call(|world, _| {
            let physics = &world.physics;
            let visit = |sensors, examined, count: &mut dyn FnMut(ShapeId)| {
                let filter = QueryFilter {
                    sensors,
                    examined,
                    ..QueryFilter::default()
                };
                let visited = physics.for_each_in_box(area, filter, |shape| {
                    count(shape);
                    ControlFlow::Continue(())
                });
                visited.map_err(|error| format!("{}: {error}", self.call))
            };
            visit(false, Some(&near), &mut |_| {})?;
            let mut sensors = 0;
            if self.options.sensors {
                let is_sensor = |id| physics.shape(id).is_some_and(|shape| shape.is_sensor());
                visit(true, None, &mut |id| sensors += usize::from(is_sensor(id)))?;
            }
            Ok(sensors)
        })?;
        let near = near.into_inner();
        let each = TOUCH_COST
            + NEIGHBOR_COST * near.min(NEIGHBORS_MAX)
            + near.min(EXAMINED_MAX) / NEIGHBORS_LEFT_OUT;
        charge(near.saturating_mul(each) + TOUCH_COST * sensors)?;
        Ok(())
    }
}

/// A circle around the origin.
pub(super) fn circle(radius: f32) -> Found<Shape> {
    Shape::circle(Vec2::ZERO, radius).map_err(PhysicsError::from)
}

/// A box around the origin.
pub(super) fn box_of(size: Vec2) -> Found<Shape> {
    Shape::new_box(size.x, size.y).map_err(PhysicsError::from)
}
