//! Concave polygons of bodies.

use crate::physics::{World, body_id, shape_id};
use crate::{refuse, with_options};
use pyo3::prelude::*;
use tombolo_physics::{ConcavePolygon, ConcavePolygonId, DVec2, ShapeDef};

type Point = (f32, f32);

/// The corners of a loop that is given.
type Loop = Vec<(f64, f64)>;

/// The body, the convex parts, the loops of corners in the body's frame, radius and area.
type PolygonNumbers = (u64, Vec<u64>, Vec<Vec<Point>>, f32, f64);

pub(crate) fn polygon_id(bits: u64) -> PyResult<ConcavePolygonId> {
    ConcavePolygonId::from_bits(bits).ok_or_else(|| refuse("no concave polygon has this id"))
}

/// Adds a concave polygon to a body: its border, and its holes.
#[pyfunction]
pub(crate) fn create_concave_polygon(
    world: &World,
    body: u64,
    loops: (Loop, Vec<Loop>),
    radius: f32,
    options: &str,
) -> PyResult<u64> {
    let def = with_options(&ShapeDef::default(), options)?;
    let corners = |points: &Loop| points.iter().map(|&(x, y)| DVec2::new(x, y)).collect();
    let border: Vec<DVec2> = corners(&loops.0);
    let holes: Vec<Vec<DVec2>> = loops.1.iter().map(corners).collect();
    let holes: Vec<&[DVec2]> = holes.iter().map(Vec::as_slice).collect();
    let polygon = ConcavePolygon::with_holes(&border, &holes).map_err(refuse)?;
    let mut world = world.world();
    let id = world.create_rounded_polygon(body_id(body)?, &def, &polygon, radius);
    Ok(id.map_err(refuse)?.to_bits())
}

#[pyfunction]
pub(crate) fn destroy_concave_polygon(world: &World, polygon: u64) -> PyResult<()> {
    let polygon = polygon_id(polygon)?;
    world.world().destroy_concave_polygon(polygon).map_err(refuse)
}

/// The concave polygons of a body.
#[pyfunction]
pub(crate) fn concave_polygons(world: &World, body: u64) -> PyResult<Vec<u64>> {
    let (world, body) = (world.world(), body_id(body)?);
    let body = world.body(body).ok_or_else(|| refuse("the body was destroyed"))?;
    let mut polygons: Vec<u64> = body
        .shapes()
        .filter_map(|shape| Some(shape.part_of()?.to_bits()))
        .collect();
    polygons.sort_unstable();
    polygons.dedup();
    Ok(polygons)
}

/// What a concave polygon is made of.
#[pyfunction]
pub(crate) fn concave_polygon(world: &World, polygon: u64) -> PyResult<PolygonNumbers> {
    let world = world.world();
    let polygon = world
        .concave_polygon(polygon_id(polygon)?)
        .ok_or_else(|| refuse("the concave polygon was destroyed, or cut"))?;
    let loops = 0..polygon.loop_count();
    Ok((
        polygon.body().id().to_bits(),
        polygon.parts().map(|part| part.id().to_bits()).collect(),
        loops
            .map(|number| polygon.loop_points(number).map(Point::from).collect())
            .collect(),
        polygon.radius(),
        polygon.area(),
    ))
}

/// The concave polygon that a shape is a part of.
#[pyfunction]
pub(crate) fn part_of(world: &World, shape: u64) -> PyResult<Option<u64>> {
    let world = world.world();
    let shape = world
        .shape(shape_id(shape)?)
        .ok_or_else(|| refuse("the shape was destroyed"))?;
    Ok(shape.part_of().map(|polygon| polygon.to_bits()))
}
