//! The answers of queries of physics as scripts see them: hits, distances, touches, and the entities of shapes.

use rhai::{Array, Dynamic, Map};
use tombolo_entity::Entity;
use tombolo_geometry::{Position, Vec2};
use tombolo_physics::{Closest, RayHit, ShapeHit, ShapeId, Touch};

use super::in_call::{Result, charge_list, in_call, list_of};

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

pub(super) fn of_ray(hit: &RayHit) -> Result<Dynamic> {
    of_hit(hit.shape, hit.point, hit.normal, hit.fraction)
}

/// The hit of a moving shape. The normal is that of the shape that was hit, pointing out of it, as for rays.
pub(super) fn of_cast(hit: &ShapeHit) -> Result<Dynamic> {
    of_hit(hit.shape, hit.point, -hit.normal, hit.fraction)
}

fn of_hit(shape: ShapeId, point: Position, normal: Vec2, fraction: f32) -> Result<Dynamic> {
    let mut map = of_shape(shape)?;
    map.insert("point".into(), Dynamic::from(Vec2::from(point)));
    map.insert("normal".into(), Dynamic::from(normal + Vec2::ZERO));
    map.insert("fraction".into(), f64::from(fraction).into());
    Ok(Dynamic::from_map(map))
}

pub(super) fn of_closest(found: &Closest) -> Result<Dynamic> {
    let mut map = of_shape(found.shape)?;
    map.insert("point".into(), Dynamic::from(Vec2::from(found.point)));
    map.insert("distance".into(), f64::from(found.distance).into());
    Ok(Dynamic::from_map(map))
}

/// A touch. The normal is that of the shape that is touched, pointing out of it, as for hits.
pub(super) fn of_touch(touch: &Touch) -> Result<Dynamic> {
    let mut map = of_shape(touch.shape)?;
    let points = touch.points().iter().map(|touched| {
        let mut point = Map::new();
        point.insert("point".into(), Dynamic::from(Vec2::from(touched.point)));
        point.insert("separation".into(), f64::from(touched.separation).into());
        Dynamic::from_map(point)
    });
    map.insert("points".into(), Dynamic::from_array(points.collect()));
    map.insert("normal".into(), Dynamic::from(-touch.normal + Vec2::ZERO));
    map.insert("separation".into(), f64::from(touch.separation()).into());
    Ok(Dynamic::from_map(map))
}

/// The answers of a query that may find several shapes, each of which costs an operation. Fails if there are more than a
/// list may hold.
pub(super) fn list<T>(found: &[T], answer: impl Fn(&T) -> Result<Dynamic>) -> Result<Array> {
    charge_list(found.len())?;
    found.iter().map(answer).collect()
}

/// An answer, or `()`.
pub(super) fn one<T>(found: Option<&T>, answer: impl Fn(&T) -> Result<Dynamic>) -> Result<Dynamic> {
    found.map_or(Ok(Dynamic::UNIT), answer)
}

/// The entities of shapes, by entity, without duplicates.
pub(super) fn owners(shapes: Vec<ShapeId>) -> Result<Array> {
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
