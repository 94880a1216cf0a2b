//! Cuts of bodies and tiles, and what they made.

use crate::physics::{World, body_id};
use crate::queries::Lists;
use crate::{refuse, with_options};
use pyo3::prelude::*;
use tombolo_physics::{Cut, ExplosionDef, Position, Shatter, TileCut, VanishEvent};

type Point = (f32, f32);

/// A piece that was too small to keep: its body, area, mass, and the position and velocity of its center.
type Vanished = (u64, f32, f32, Point, Point);

/// The body, the new bodies, the pieces that vanished, the new concave polygons with the shapes that they were cut from, and
/// the segments along which material was cut.
type CutNumbers = (u64, Vec<u64>, Vec<Vanished>, Vec<(u64, u64)>, Vec<[Point; 2]>);

fn place((x, y): Point) -> Position {
    Position::new(x, y)
}

fn vanished(event: &VanishEvent) -> Vanished {
    let (center, velocity) = (event.center.to_vec2().into(), event.velocity.into());
    (event.body.to_bits(), event.area, event.mass, center, velocity)
}

fn cut_numbers(cut: &Cut) -> CutNumbers {
    let polygons = cut.concave_polygons.iter();
    let segments = cut.segments.iter();
    (
        cut.body.to_bits(),
        cut.pieces.iter().map(|piece| piece.to_bits()).collect(),
        cut.vanished.iter().map(vanished).collect(),
        polygons
            .map(|polygon| (polygon.concave_polygon.to_bits(), polygon.from.to_bits()))
            .collect(),
        segments
            .map(|ends| ends.map(|end| end.to_vec2().into()))
            .collect(),
    )
}

/// Cuts a body along the line through two points.
#[pyfunction]
pub(crate) fn slice(
    py: Python<'_>,
    world: &World,
    body: u64,
    ends: [Point; 2],
) -> PyResult<Option<CutNumbers>> {
    let (body, [from, to]) = (body_id(body)?, ends.map(place));
    let cut = py
        .detach(|| world.world_detached().slice(body, from, to))
        .map_err(refuse)?;
    Ok(cut.as_ref().map(cut_numbers))
}

/// Breaks a body into the cells of some sites, or, if there are none, of a number of sites from a seed.
#[pyfunction]
pub(crate) fn shatter(
    py: Python<'_>,
    world: &World,
    body: u64,
    sites: Option<Vec<Point>>,
    seeded: (u64, usize),
) -> PyResult<Option<CutNumbers>> {
    let body = body_id(body)?;
    let pattern = match (sites, seeded) {
        (Some(sites), _) => Shatter::Sites(sites.into_iter().map(place).collect()),
        (None, (seed, count)) => Shatter::Seeded { seed, count },
    };
    let cut = py
        .detach(|| world.world_detached().shatter(body, &pattern))
        .map_err(refuse)?;
    Ok(cut.as_ref().map(cut_numbers))
}

/// Cuts the bodies that a segment crosses.
#[pyfunction]
pub(crate) fn cut_through(
    py: Python<'_>,
    world: &World,
    ends: [Point; 2],
    filter: &str,
) -> PyResult<Vec<CutNumbers>> {
    let (lists, [from, to]) = (Lists::parse(filter)?, ends.map(place));
    let cuts = py
        .detach(|| world.world_detached().cut_through(from, to, lists.query()))
        .map_err(refuse)?;
    Ok(cuts.iter().map(cut_numbers).collect())
}

/// Empties cells of grids of tiles, and returns their number.
#[pyfunction]
pub(crate) fn cut_tiles(py: Python<'_>, world: &World, options: &str) -> PyResult<usize> {
    let cut = TileCut::between(Position::ORIGIN, Position::ORIGIN);
    let cut = with_options(&cut, options)?;
    py.detach(|| world.world_detached().cut_tiles(&cut))
        .map_err(refuse)
}

/// The pieces that calls before the last step cut off, each with the body and whether it is debris, and those that vanished.
#[pyfunction]
pub(crate) fn cut_events(world: &World) -> (Vec<(u64, u64, bool)>, Vec<Vanished>) {
    let world = world.world();
    let events = world.events();
    let pieces = events.cut().iter();
    (
        pieces
            .map(|event| (event.body.to_bits(), event.piece.to_bits(), event.debris))
            .collect(),
        events.vanished().iter().map(vanished).collect(),
    )
}

/// Pushes what is around a point away from it; returns the number of bodies.
#[pyfunction]
pub(crate) fn explode(py: Python<'_>, world: &World, options: &str) -> PyResult<usize> {
    let def = with_options(&ExplosionDef::at(Position::ORIGIN), options)?;
    py.detach(|| world.world_detached().explode(&def)).map_err(refuse)
}
