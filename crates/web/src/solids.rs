//! Exports for concave polygons, cuts and explosions.
#![allow(unsafe_code)]

use tombolo_physics::{
    BodyId, ConcavePolygon, ConcavePolygonId, Cut, DVec2, ExplosionDef, Position, Shatter, Vec2,
};

use crate::bodies::body_id;
use crate::exchange::{Output, Row};
use crate::queries::Sought;
use crate::shapes::{SHAPE_WORDS, points, shape_def};
use crate::worlds::{look_at_physics, with_physics};

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

/// A cut. Ids: the body, the numbers of pieces, of concave polygons and of pieces that vanished, the pieces, and each
/// polygon with the shape that it was cut from.
fn push_cut(output: &mut Output, cut: &Cut) {
    let counts = [cut.pieces.len(), cut.concave_polygons.len(), cut.vanished.len()];
    output.ids.push(cut.body.to_bits());
    output.ids.extend(counts.map(|count| count as u64));
    output.ids.extend(cut.pieces.iter().copied().map(BodyId::to_bits));
    for polygon in &cut.concave_polygons {
        output
            .ids
            .extend([polygon.concave_polygon.to_bits(), polygon.from.to_bits()]);
    }
}

fn ends(row: &mut Row<'_>) -> [Position; 2] {
    [
        Position::new(row.next(), row.next()),
        Position::new(row.next(), row.next()),
    ]
}

/// Cuts a body along the line through two points. Row: the points. Ids: those of [`push_cut`]. 0 if it misses the body.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn slice(world: u32, body: u64) -> i32 {
    with_physics(world, |world, input, output| {
        let [from, to] = ends(&mut input.row(0, 4)?);
        let cut = world.slice(body_id(body)?, from, to)?;
        cut.iter().for_each(|cut| push_cut(output, cut));
        Ok(usize::from(cut.is_some()))
    })
}

/// Cuts all bodies that a segment crosses. Words: a filter. Row: the ends. Ids: those of [`push_cut`] for each.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn cut_through(world: u32) -> i32 {
    with_physics(world, |world, input, output| {
        let sought = Sought::read(input)?;
        let [from, to] = ends(&mut input.row(sought.words, 4)?);
        let cuts = world.cut_through(from, to, sought.filter())?;
        cuts.iter().for_each(|cut| push_cut(output, cut));
        Ok(cuts.len())
    })
}

/// Breaks a body into pieces around sites. Words: the seed, the number of sites of the seed or 0. Row: sites in the
/// world, if that is 0. Ids: those of [`push_cut`]. 0 if the body stays whole.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn shatter(world: u32, body: u64, numbers: usize) -> i32 {
    with_physics(world, |world, input, output| {
        let [seed, count] = input.words()?;
        let pattern = if count == 0 {
            let sites = points(input.row(2, numbers)?);
            Shatter::Sites(sites.into_iter().map(Position::from).collect())
        } else {
            let count = count as usize;
            Shatter::Seeded { seed, count }
        };
        let cut = world.shatter(body_id(body)?, &pattern)?;
        cut.iter().for_each(|cut| push_cut(output, cut));
        Ok(usize::from(cut.is_some()))
    })
}

/// Pushes the shapes around a point away from it; returns their number. Words: the categories that it pushes. Row:
/// position, radius, falloff, impulse per length, radius in which tiles are emptied.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn explode(world: u32) -> i32 {
    with_physics(world, |world, input, _| {
        let ([mask], mut row) = (input.words()?, input.row(1, 6)?);
        let mut def = ExplosionDef {
            mask,
            ..ExplosionDef::at(Position::new(row.next(), row.next()))
        };
        row.number(&mut def.radius);
        row.number(&mut def.falloff);
        row.number(&mut def.impulse_per_length);
        row.number(&mut def.tile_radius);
        Ok(world.explode(&def)?)
    })
}
