//! The polygons that the tests of cutting cut, and a cut that validates the world.
#![allow(dead_code, reason = "each test program uses a part of it")]

use tombolo_physics::{BodyDef, BodyId, ConcavePolygon, Cut, DVec2, PhysicsWorld, Position, ShapeDef};

pub(crate) fn points(list: &[(f64, f64)]) -> Vec<DVec2> {
    list.iter().map(|&p| DVec2::from(p)).collect()
}

/// An upright U: 3 m wide, 2 m high, legs 1 m wide.
pub(crate) fn u_polygon() -> ConcavePolygon {
    ConcavePolygon::new(&points(&[
        (0.0, 0.0),
        (3.0, 0.0),
        (3.0, 2.0),
        (2.0, 2.0),
        (2.0, 1.0),
        (1.0, 1.0),
        (1.0, 2.0),
        (0.0, 2.0),
    ]))
    .unwrap()
}

/// A square ring, 4 m outside and 2 m inside.
pub(crate) fn ring_polygon() -> ConcavePolygon {
    ConcavePolygon::with_holes(
        &points(&[(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)]),
        &[&points(&[(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)])],
    )
    .unwrap()
}

pub(crate) fn add_concave_polygon(
    world: &mut PhysicsWorld,
    def: &BodyDef,
    shape: &ShapeDef,
    concave_polygon: &ConcavePolygon,
) -> BodyId {
    let body = world.create_body(def).unwrap();
    world
        .create_concave_polygon(body, shape, concave_polygon)
        .unwrap();
    body
}

pub(crate) fn slice(world: &mut PhysicsWorld, body: BodyId, from: (f32, f32), to: (f32, f32)) -> Option<Cut> {
    let place = |(x, y)| Position::new(x, y);
    let cut = world.slice(body, place(from), place(to)).unwrap();
    world.validate();
    cut
}
