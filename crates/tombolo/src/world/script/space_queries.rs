//! The functions that query space: entities in an area, nearest entities, and zones. They read the state at the beginning
//! of the stage. `paths.rs` has paths, `physics_queries.rs` queries of shapes.

use rhai::{Array, Dynamic, Engine, ImmutableString};
use tombolo_entity::Entity;
use tombolo_geometry::Vec2;
use tombolo_geometry::orthtree::{Ball, Bounds, Region};

use super::both_forms::register_both;
use super::in_call::{QUERY_COST, Result, in_call, list_of};
use super::meter::charge;
use super::values::length;

/// Operations for each zone that contains a point.
const ZONE_COST: usize = 8;
/// Operations for each entity that a search for the nearest ones examines.
const NEAREST_COST: usize = 5;

/// Registers the queries; those for entities also with the name of a component that these must have.
pub(super) fn register(engine: &mut Engine) {
    register_both!(
        engine,
        entities_in_box(least: Vec2, most: Vec2; ImmutableString),
        entities_in_circle(center: Vec2, radius: Dynamic; ImmutableString),
        nearest(point: Vec2, count: i64; ImmutableString),
    );
    engine.register_fn("zones_at", zones_at);
    engine.register_fn("zones_of", zones_of);
    engine.register_fn("visitors_of", visitors_of);
}

fn entities_in_box(least: Vec2, most: Vec2, component: Option<ImmutableString>) -> Result<Array> {
    if least.is_finite() && most.is_finite() && least.cmple(most).all() {
        let area = Bounds::new(least.to_array(), most.to_array());
        return entities_in(&area, component);
    }
    Err(format!("entities_in_box: {least} to {most} is no box").into())
}

fn entities_in_circle(center: Vec2, radius: Dynamic, component: Option<ImmutableString>) -> Result<Array> {
    let radius = length("entities_in_circle", "radius", &radius)?;
    if center.is_finite() && radius.is_finite() && radius >= 0.0 {
        let center = center.to_array();
        return entities_in(&Ball { center, radius }, component);
    }
    Err(format!("entities_in_circle: there is no circle around {center} with a radius of {radius}").into())
}

/// The entities whose boxes overlap a region, by entity.
fn entities_in(region: &impl Region<2>, component: Option<ImmutableString>) -> Result<Array> {
    charge(QUERY_COST)?;
    let (looked_at, found) = in_call(|world, _| {
        let mut found = world.space.find(region);
        let looked_at = found.len();
        if let Some(component) = &component {
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
fn nearest(point: Vec2, count: i64, component: Option<ImmutableString>) -> Result<Array> {
    charge(QUERY_COST)?;
    let most = in_call(|world, _| Ok(world.scripts.limits().list_length))?;
    let count = usize::try_from(count)
        .ok()
        .filter(|count| *count <= most as usize);
    let count = count.ok_or_else(|| format!("nearest: the count is from 0 to {most}"))?;
    if !point.is_finite() {
        return Err(format!("nearest: {point} is no place").into());
    }
    let (looked_at, found) =
        in_call(|world, _| Ok(world.nearest_counted(point, count, component.as_deref())))?;
    charge(looked_at * NEAREST_COST)?;
    list_of(
        found
            .into_iter()
            .map(|(entity, _)| entity)
            .collect::<Vec<Entity>>(),
    )
}

/// The entities whose zones contain a point.
fn zones_at(point: Vec2) -> Result<Array> {
    charge(QUERY_COST)?;
    if !point.is_finite() {
        return Err(format!("zones_at: {point} is no place").into());
    }
    let found = in_call(|world, _| Ok(world.zones_at(point)))?;
    charge(found.len() * ZONE_COST)?;
    list_of(found)
}

/// The entities whose zones contain an entity.
fn zones_of(visitor: Entity) -> Result<Array> {
    charge(QUERY_COST)?;
    list_of(in_call(|world, _| Ok(world.zones_of(visitor)))?)
}

/// The entities in the zones of an entity.
fn visitors_of(zone: Entity) -> Result<Array> {
    charge(QUERY_COST)?;
    let found = in_call(|world, _| Ok(world.visitors_of(zone)))?;
    charge(found.len())?;
    list_of(found)
}
