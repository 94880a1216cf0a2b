//! Queries of space for scripts: which entities are in an area, which are near, and the path to a goal. Space is as
//! it was when the stage began.

use rhai::{Array, Dynamic, Engine, Map};
use tombolo_entity::Entity;
use tombolo_geometry::Vec2;
use tombolo_geometry::orthtree::{Ball, Bounds, Region};

use super::calls::{QUERY_COST, Result, in_call, list_of};
use super::engine::charge;
use super::values::{number, word};
use super::walls::charge_free_space;
use crate::error::PathError;

/// Operations that a path costs, besides one for each leaf of free space that the search looks at, and what `walls.rs`
/// charges.
const PATH_COST: usize = 2000;
/// Operations for each zone that a point lies in.
const ZONE_COST: usize = 8;
/// Operations for each entity that a search for the nearest ones looks at.
const NEAREST_COST: usize = 4;

/// Makes them known, each with and without the name of a component.
pub(super) fn register(engine: &mut Engine) {
    engine.register_fn("entities_in_box", |least: Vec2, most: Vec2| {
        entities_in(&bounds(least, most)?, None)
    });
    engine.register_fn("entities_in_box", |least: Vec2, most: Vec2, component: &str| {
        entities_in(&bounds(least, most)?, Some(component))
    });
    engine.register_fn("entities_in_circle", |center: Vec2, radius: Dynamic| {
        entities_in(&ball(center, &radius)?, None)
    });
    engine.register_fn(
        "entities_in_circle",
        |center: Vec2, radius: Dynamic, component: &str| {
            entities_in(&ball(center, &radius)?, Some(component))
        },
    );
    engine.register_fn("nearest", |point: Vec2, count: i64| nearest(point, count, None));
    engine.register_fn("nearest", |point: Vec2, count: i64, component: &str| {
        nearest(point, count, Some(component))
    });
    engine.register_fn("zones_at", zones_at);
    engine.register_fn("zones_of", zones_of);
    engine.register_fn("visitors_of", visitors_of);
    engine.register_fn("find_path", find_path);
}

fn bounds(least: Vec2, most: Vec2) -> Result<Bounds<2>> {
    if least.is_finite() && most.is_finite() && least.cmple(most).all() {
        return Ok(Bounds::new(least.to_array(), most.to_array()));
    }
    Err(format!("entities_in_box: {least} to {most} is no box").into())
}

fn ball(center: Vec2, radius: &Dynamic) -> Result<Ball<2>> {
    let length = length("entities_in_circle", "radius", radius)?;
    if center.is_finite() && length.is_finite() && length >= 0.0 {
        return Ok(Ball {
            center: center.to_array(),
            radius: length,
        });
    }
    Err(format!("entities_in_circle: there is no circle around {center} with a radius of {length}").into())
}

/// A number of meters.
fn length(function: &str, what: &str, value: &Dynamic) -> Result<f32> {
    let length = number(value).map(|length| length as f32);
    length.ok_or_else(|| format!("{function}: the {what} is a number, not {}", word(value)).into())
}

/// The entities whose boxes overlap a region, by entity.
fn entities_in(region: &impl Region<2>, component: Option<&str>) -> Result<Array> {
    charge(QUERY_COST)?;
    let (looked_at, found) = in_call(|world, _| {
        let mut found = world.space.find(region);
        let looked_at = found.len();
        if let Some(component) = component {
            found.retain(|entity| world.entities.find(*entity, component).is_some());
        }
        Ok((looked_at, found))
    })?;
    charge(match component {
        Some(_) => looked_at,
        None => looked_at / 8,
    })?;
    list_of(found)
}

/// The entities nearest to a point, nearest first.
fn nearest(point: Vec2, count: i64, component: Option<&str>) -> Result<Array> {
    charge(QUERY_COST)?;
    let most = in_call(|world, _| Ok(world.scripts.limits().list_length))?;
    let count = usize::try_from(count)
        .ok()
        .filter(|count| *count <= most as usize);
    let count = count.ok_or_else(|| format!("nearest: the count is from 0 to {most}"))?;
    if !point.is_finite() {
        return Err(format!("nearest: {point} is no place").into());
    }
    let (looked_at, found) = in_call(|world, _| Ok(world.nearest_counted(point, count, component)))?;
    charge(looked_at * NEAREST_COST)?;
    list_of(
        found
            .into_iter()
            .map(|(entity, _)| entity)
            .collect::<Vec<Entity>>(),
    )
}

/// The entities whose zones a point lies in.
fn zones_at(point: Vec2) -> Result<Array> {
    charge(QUERY_COST)?;
    if !point.is_finite() {
        return Err(format!("zones_at: {point} is no place").into());
    }
    let found = in_call(|world, _| Ok(world.zones_at(point)))?;
    charge(found.len() * ZONE_COST)?;
    list_of(found)
}

/// The entities whose zones an entity is in.
fn zones_of(visitor: Entity) -> Result<Array> {
    charge(QUERY_COST)?;
    list_of(in_call(|world, _| Ok(world.zones_of(visitor)))?)
}

/// Who is in the zones of an entity.
fn visitors_of(zone: Entity) -> Result<Array> {
    charge(QUERY_COST)?;
    let found = in_call(|world, _| Ok(world.visitors_of(zone)))?;
    charge(found.len())?;
    list_of(found)
}

/// The path to a goal: its corners, and why there is none.
fn find_path(start: Vec2, goal: Vec2, clearance: Dynamic) -> Result<Map> {
    charge(PATH_COST)?;
    let clearance = length("find_path", "clearance", &clearance)?;
    charge_free_space(clearance)?;
    let (found, looked_at) = in_call(|world, _| Ok(world.find_path_counted(start, goal, clearance)))?;
    charge(looked_at)?;
    let (corners, failure) = match found {
        Ok(corners) => (corners, Dynamic::UNIT),
        Err(PathError::Clearance(_)) => {
            return Err(format!("find_path: {}", PathError::Clearance(clearance)).into());
        }
        Err(PathError::StartInWall(_)) => (Vec::new(), "StartInWall".into()),
        Err(PathError::GoalInWall(_)) => (Vec::new(), "GoalInWall".into()),
        Err(PathError::Outside(_)) => (Vec::new(), "Outside".into()),
        Err(PathError::Unreachable) => (Vec::new(), "Unreachable".into()),
    };
    let mut map = Map::new();
    map.insert("corners".into(), Dynamic::from_array(list_of(corners)?));
    map.insert("failure".into(), failure);
    Ok(map)
}
