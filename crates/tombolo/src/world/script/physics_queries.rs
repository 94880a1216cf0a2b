//! The functions that query physics: rays, moving shapes, overlaps, nearest shapes and touches, each with a map of options
//! as a last argument or without. They read the state at the beginning of the stage.

use rhai::{Array, Dynamic, Engine, Map};
use tombolo_geometry::{Position, Vec2};

use super::ask::{Asker, LOOK_COST, SHAPE_LOOK_COST, box_of, circle};
use super::both_forms::register_both;
use super::in_call::{Result, in_call};
use super::query_answers::{list, of_cast, of_closest, of_ray, of_touch, one, owners};
use super::values::length;

/// The number of nearest shapes that are asked for, for which each shape that is examined costs one more operation: it is
/// put among those.
const CLOSEST_MOVED: usize = 64;

pub(super) fn register(engine: &mut Engine) {
    register_both!(
        engine,
        cast_ray(from: Vec2, to: Vec2; Map),
        cast_ray_all(from: Vec2, to: Vec2; Map),
        cast_circle(from: Vec2, to: Vec2, radius: Dynamic; Map),
        cast_circle_all(from: Vec2, to: Vec2, radius: Dynamic; Map),
        cast_box(from: Vec2, to: Vec2, size: Vec2; Map),
        cast_box_all(from: Vec2, to: Vec2, size: Vec2; Map),
        query_box(least: Vec2, most: Vec2; Map),
        query_point(point: Vec2; Map),
        query_circle(center: Vec2, radius: Dynamic; Map),
        closest(point: Vec2, distance: Dynamic; Map),
        several_closest(point: Vec2, distance: Dynamic, count: i64; Map),
        touches_of_circle(center: Vec2, radius: Dynamic; Map),
        touches_of_box(center: Vec2, size: Vec2; Map),
    );
}

fn cast_ray(from: Vec2, to: Vec2, options: Option<Map>) -> Result<Dynamic> {
    let asker = Asker::new("cast_ray", options, &[], LOOK_COST)?;
    one(asker.first_on_ray(from, to)?.as_ref(), of_ray)
}

fn cast_ray_all(from: Vec2, to: Vec2, options: Option<Map>) -> Result<Array> {
    let asker = Asker::new("cast_ray_all", options, &[], LOOK_COST)?;
    let hits = asker.ask(|physics, filter| physics.cast_ray_all(Position::from(from), to - from, filter))?;
    list(&hits, of_ray)
}

fn cast_circle(from: Vec2, to: Vec2, radius: Dynamic, options: Option<Map>) -> Result<Dynamic> {
    let radius = length("cast_circle", "radius", &radius)?;
    let asker = Asker::new("cast_circle", options, &[], SHAPE_LOOK_COST)?;
    let hit = asker.first_on_path(circle(radius), from, to)?;
    one(hit.as_ref(), of_cast)
}

fn cast_circle_all(from: Vec2, to: Vec2, radius: Dynamic, options: Option<Map>) -> Result<Array> {
    let radius = length("cast_circle_all", "radius", &radius)?;
    let asker = Asker::new("cast_circle_all", options, &[], SHAPE_LOOK_COST)?;
    let hits = asker.all_on_path(circle(radius), from, to)?;
    list(&hits, of_cast)
}

fn cast_box(from: Vec2, to: Vec2, size: Vec2, options: Option<Map>) -> Result<Dynamic> {
    let asker = Asker::of_boxes("cast_box", options)?;
    let hit = asker.first_on_path(box_of(size), from, to)?;
    one(hit.as_ref(), of_cast)
}

fn cast_box_all(from: Vec2, to: Vec2, size: Vec2, options: Option<Map>) -> Result<Array> {
    let asker = Asker::of_boxes("cast_box_all", options)?;
    let hits = asker.all_on_path(box_of(size), from, to)?;
    list(&hits, of_cast)
}

fn query_box(least: Vec2, most: Vec2, options: Option<Map>) -> Result<Array> {
    let asker = Asker::new("query_box", options, &[], LOOK_COST)?;
    owners(asker.in_box(least, most)?)
}

fn query_point(point: Vec2, options: Option<Map>) -> Result<Array> {
    let asker = Asker::new("query_point", options, &[], LOOK_COST)?;
    owners(asker.at_point(point)?)
}

fn query_circle(center: Vec2, radius: Dynamic, options: Option<Map>) -> Result<Array> {
    let radius = length("query_circle", "radius", &radius)?;
    let asker = Asker::new("query_circle", options, &[], SHAPE_LOOK_COST)?;
    owners(asker.in_circle(center, radius)?)
}

fn closest(point: Vec2, distance: Dynamic, options: Option<Map>) -> Result<Dynamic> {
    let distance = length("closest", "distance", &distance)?;
    let asker = Asker::new("closest", options, &[], LOOK_COST)?;
    let found =
        asker.ask(|physics, filter| physics.closest_to_point(Position::from(point), distance, filter))?;
    one(found.as_ref(), of_closest)
}

fn several_closest(point: Vec2, distance: Dynamic, count: i64, options: Option<Map>) -> Result<Array> {
    let distance = length("several_closest", "distance", &distance)?;
    let most = in_call(|world, _| Ok(world.scripts.limits().list_length))?;
    let count = usize::try_from(count)
        .ok()
        .filter(|count| *count <= most as usize);
    let count = count.ok_or_else(|| format!("several_closest: the count is from 0 to {most}"))?;
    let look_cost = LOOK_COST + count / CLOSEST_MOVED;
    let asker = Asker::new("several_closest", options, &[], look_cost)?;
    let found = asker.ask(|physics, filter| {
        physics.several_closest_to_point(Position::from(point), count, distance, filter)
    })?;
    list(&found, of_closest)
}

fn touches_of_circle(center: Vec2, radius: Dynamic, options: Option<Map>) -> Result<Array> {
    let radius = length("touches_of_circle", "radius", &radius)?;
    let asker = Asker::new("touches_of_circle", options, &["margin"], LOOK_COST)?;
    list(&asker.touches(circle(radius), center)?, of_touch)
}

fn touches_of_box(center: Vec2, size: Vec2, options: Option<Map>) -> Result<Array> {
    let asker = Asker::new("touches_of_box", options, &["angle", "margin"], LOOK_COST)?;
    list(&asker.touches(box_of(size), center)?, of_touch)
}
