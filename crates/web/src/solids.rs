//! Exports for concave polygons and explosions.
#![allow(unsafe_code)]

use tombolo_physics::{ConcavePolygon, ConcavePolygonId, DVec2, ExplosionDef, Position, Vec2};

use crate::bodies::body_id;
use crate::exchange::Row;
use crate::shapes::{SHAPE_WORDS, points, shape_def};
use crate::worlds::{AnyWorld, look_at_physics, with_physics, with_world};

/// Creates a concave polygon on a body. Row: that of [`shape_def`], the number of loops, the number of points of each,
/// the points: those of the border, then those of the holes.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn concave_polygon_create(world: u32, body: u64, numbers: usize) -> i32 {
    with_physics(world, |world, input, output| {
        let mut row = input.row(SHAPE_WORDS, numbers)?;
        let def = shape_def(input, 0, &mut row)?;
        let count = row.next() as usize;
        let (counts, rest) = row.0.split_at_checked(count).ok_or("a loop needs its points")?;
        let corners: Vec<DVec2> = points(Row(rest)).into_iter().map(Vec2::as_dvec2).collect();
        let mut rest = corners.as_slice();
        let mut loops = Vec::new();
        for &count in counts {
            let (corners, others) = rest
                .split_at_checked(count as usize)
                .ok_or("a loop needs its points")?;
            loops.push(corners);
            rest = others;
        }
        let (border, holes) = loops.split_first().ok_or("a polygon needs its border")?;
        let polygon = ConcavePolygon::with_holes(border, holes)?;
        let id = world.create_concave_polygon(body_id(body)?, &def, &polygon)?;
        output.ids.push(id.to_bits());
        Ok(1)
    })
}

/// The state of a concave polygon. Ids: its body, the shapes of its convex parts. Numbers: its area, the number of
/// loops, the number of points of each, the points. 0 if there is no such concave polygon.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn concave_polygon_state(world: u32, polygon: u64) -> i32 {
    look_at_physics(world, |world, _, output| {
        let polygon = ConcavePolygonId::from_bits(polygon).and_then(|id| world.concave_polygon(id));
        let Some(polygon) = polygon else {
            return Ok(0);
        };
        output.ids.push(polygon.body().id().to_bits());
        output.ids.extend(polygon.parts().map(|part| part.id().to_bits()));
        let loops = 0..polygon.loop_count();
        output.numbers.extend([polygon.area() as f32, loops.len() as f32]);
        let counts = loops.clone().map(|each| polygon.loop_points(each).len() as f32);
        output.numbers.extend(counts);
        let points = loops.flat_map(|each| polygon.loop_points(each));
        output.numbers.extend(points.flat_map(|point| point.to_array()));
        Ok(1)
    })
}

/// Destroys a concave polygon.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn concave_polygon_destroy(world: u32, polygon: u64) -> i32 {
    with_physics(world, |world, _, _| {
        let id = ConcavePolygonId::from_bits(polygon).ok_or("this is no id of a concave polygon")?;
        world.destroy_concave_polygon(id)?;
        Ok(0)
    })
}

/// Pushes the shapes around a point away from it; returns the number of bodies. Words: the categories that it pushes. Row:
/// position, radius, falloff, impulse per length, radius in which tiles are emptied.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn explode(world: u32) -> i32 {
    with_world(world, |world, input, _| {
        let ([mask], mut row) = (input.words()?, input.row(1, 6)?);
        let mut def = ExplosionDef {
            mask,
            ..ExplosionDef::at(Position::new(row.next(), row.next()))
        };
        row.number(&mut def.radius);
        row.number(&mut def.falloff);
        row.number(&mut def.impulse_per_length);
        row.number(&mut def.tile_radius);
        Ok(match world {
            AnyWorld::Physics(world) => world.explode(&def)?,
            #[cfg(feature = "scenes")]
            AnyWorld::Entities(world) => world.explode(&def)?,
        })
    })
}
