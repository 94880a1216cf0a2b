//! The functions that query physics: rays, moving shapes, overlaps and nearest shapes, each with a map of options as a
//! last argument or without. They read the state at the beginning of the stage.

use core::sync::atomic::AtomicUsize;

use rhai::{Array, Dynamic, Engine, Map};
use tombolo_entity::Entity;
use tombolo_geometry::{Aabb, Pose, Position, Vec2};
use tombolo_physics::{
    Motion, PhysicsError, PhysicsWorld, QueryFilter, RayHit, Shape, ShapeHit, ShapeId, ShapeRef,
};

use super::both_forms::register_both;
use super::in_call::{QUERY_COST, Result, in_call, list_of};
use super::meter::charge;
use super::query_options::Options;
use super::values::length;

/// Operations for each shape whose box a query meets, whether it is a result or not.
const LOOK_COST: usize = 4;
/// The same for a query that moves a shape, or compares one with another.
const SHAPE_LOOK_COST: usize = 12;
/// The same for a query that turns a shape while moving it.
const TURN_LOOK_COST: usize = 24;

pub(super) fn register(engine: &mut Engine) {
    register_both!(
        engine,
        cast_ray(from: Vec2, to: Vec2; Map),
        cast_ray_all(from: Vec2, to: Vec2; Map),
        cast_circle(from: Vec2, to: Vec2, radius: Dynamic; Map),
        cast_box(from: Vec2, to: Vec2, size: Vec2; Map),
        query_box(least: Vec2, most: Vec2; Map),
        query_point(point: Vec2; Map),
        query_circle(center: Vec2, radius: Dynamic; Map),
        closest(point: Vec2, distance: Dynamic; Map),
    );
}

/// Makes a query of physics, and charges `look_cost` for each shape that it examines.
fn ask_physics<T>(
    call: &str,
    options: Option<Map>,
    own: &[&str],
    look_cost: usize,
    query: impl FnOnce(&PhysicsWorld, QueryFilter<'_>, &Options) -> core::result::Result<T, PhysicsError>,
) -> Result<T> {
    charge(QUERY_COST)?;
    let examined = AtomicUsize::new(0);
    let (found, sensors) = in_call(|world, _| {
        let options = Options::read(call, &options.unwrap_or_default(), own)?;
        let sees = |shape: ShapeRef<'_>| options.sees(shape);
        let found = query(&world.physics, options.filter(&sees, &examined), &options);
        let found = found.map_err(|error| format!("{call}: {error}"))?;
        let sensors = if options.sensors {
            world.physics.sensor_count()
        } else {
            0
        };
        Ok((found, sensors))
    })?;
    charge(sensors + look_cost * examined.into_inner())?;
    Ok(found)
}

fn cast_ray(from: Vec2, to: Vec2, options: Option<Map>) -> Result<Dynamic> {
    let query = |physics: &PhysicsWorld, filter: QueryFilter<'_>, _: &Options| {
        physics.cast_ray(Position::from(from), to - from, filter)
    };
    let hit = ask_physics("cast_ray", options, &[], LOOK_COST, query)?;
    hit.map_or(Ok(Dynamic::UNIT), |hit| of_ray(&hit))
}

fn cast_ray_all(from: Vec2, to: Vec2, options: Option<Map>) -> Result<Array> {
    let query = |physics: &PhysicsWorld, filter: QueryFilter<'_>, _: &Options| {
        physics.cast_ray_all(Position::from(from), to - from, filter)
    };
    let hits = ask_physics("cast_ray_all", options, &[], LOOK_COST, query)?;
    // Fails if the list is longer than lists may be.
    list_of(hits)?
        .into_iter()
        .map(|hit| of_ray(&hit.cast::<RayHit>()))
        .collect()
}

fn cast_circle(from: Vec2, to: Vec2, radius: Dynamic, options: Option<Map>) -> Result<Dynamic> {
    let radius = length("cast_circle", "radius", &radius)?;
    let query = |physics: &PhysicsWorld, filter: QueryFilter<'_>, _: &Options| {
        let circle = Shape::circle(Vec2::ZERO, radius)?;
        let motion = Motion::line(Pose::new(from, 0.0), to - from);
        physics.cast_shape(&circle, motion, filter)
    };
    of_cast(ask_physics("cast_circle", options, &[], SHAPE_LOOK_COST, query)?)
}

fn cast_box(from: Vec2, to: Vec2, size: Vec2, options: Option<Map>) -> Result<Dynamic> {
    let query = |physics: &PhysicsWorld, filter: QueryFilter<'_>, options: &Options| {
        let shape = Shape::new_box(size.x, size.y)?;
        let motion = Motion {
            start: Pose::new(from, options.angle),
            translation: to - from,
            turn: options.turn,
        };
        physics.cast_shape(&shape, motion, filter)
    };
    // The value of the turn is checked when the options are read.
    let turns = options
        .as_ref()
        .is_some_and(|options| options.contains_key("turn"));
    let look_cost = if turns { TURN_LOOK_COST } else { SHAPE_LOOK_COST };
    of_cast(ask_physics(
        "cast_box",
        options,
        &["angle", "turn"],
        look_cost,
        query,
    )?)
}

fn query_box(least: Vec2, most: Vec2, options: Option<Map>) -> Result<Array> {
    let area = Aabb {
        min: least,
        max: most,
    };
    let query =
        |physics: &PhysicsWorld, filter: QueryFilter<'_>, _: &Options| physics.overlap_box(area, filter);
    owners(ask_physics("query_box", options, &[], LOOK_COST, query)?)
}

fn query_point(point: Vec2, options: Option<Map>) -> Result<Array> {
    let query = |physics: &PhysicsWorld, filter: QueryFilter<'_>, _: &Options| {
        physics.overlap_point(Position::from(point), filter)
    };
    owners(ask_physics("query_point", options, &[], LOOK_COST, query)?)
}

fn query_circle(center: Vec2, radius: Dynamic, options: Option<Map>) -> Result<Array> {
    let radius = length("query_circle", "radius", &radius)?;
    let query = |physics: &PhysicsWorld, filter: QueryFilter<'_>, _: &Options| {
        let circle = Shape::circle(Vec2::ZERO, radius)?;
        physics.overlap_shape(&circle, Pose::new(center, 0.0), filter)
    };
    owners(ask_physics("query_circle", options, &[], SHAPE_LOOK_COST, query)?)
}

fn closest(point: Vec2, distance: Dynamic, options: Option<Map>) -> Result<Dynamic> {
    let distance = length("closest", "distance", &distance)?;
    let query = |physics: &PhysicsWorld, filter: QueryFilter<'_>, _: &Options| {
        physics.closest_to_point(Position::from(point), distance, filter)
    };
    let Some(found) = ask_physics("closest", options, &[], LOOK_COST, query)? else {
        return Ok(Dynamic::UNIT);
    };
    let mut map = of_shape(found.shape)?;
    map.insert("point".into(), Dynamic::from(Vec2::from(found.point)));
    map.insert("distance".into(), f64::from(found.distance).into());
    Ok(Dynamic::from_map(map))
}

/// The entity of a shape for a script, or `()`.
fn of_shape(shape: ShapeId) -> Result<Map> {
    let owner = in_call(|world, _| {
        let shape = world.physics.shape(shape);
        Ok(shape.and_then(|shape| world.entity_of_key(shape.user_key())))
    })?;
    let mut map = Map::new();
    map.insert("entity".into(), owner.map_or(Dynamic::UNIT, Dynamic::from));
    Ok(map)
}

fn of_ray(hit: &RayHit) -> Result<Dynamic> {
    of_hit(hit.shape, hit.point, hit.normal, hit.fraction)
}

/// The result of a cast. The normal is that of the shape that was hit, pointing out of it, as for rays.
fn of_cast(hit: Option<ShapeHit>) -> Result<Dynamic> {
    hit.map_or(Ok(Dynamic::UNIT), |hit| {
        of_hit(hit.shape, hit.point, -hit.normal, hit.fraction)
    })
}

fn of_hit(shape: ShapeId, point: Position, normal: Vec2, fraction: f32) -> Result<Dynamic> {
    let mut map = of_shape(shape)?;
    map.insert("point".into(), Dynamic::from(Vec2::from(point)));
    map.insert("normal".into(), Dynamic::from(normal + Vec2::ZERO));
    map.insert("fraction".into(), f64::from(fraction).into());
    Ok(Dynamic::from_map(map))
}

/// The entities of shapes, by entity, without duplicates.
fn owners(shapes: Vec<ShapeId>) -> Result<Array> {
    let found = in_call(|world, _| {
        let mut found: Vec<Entity> = shapes
            .into_iter()
            .filter_map(|shape| world.entity_of_key(world.physics.shape(shape)?.user_key()))
            .collect();
        found.sort_unstable_by_key(|entity| entity.index());
        found.dedup();
        Ok(found)
    })?;
    list_of(found)
}
