//! Exports for queries: rays, boxes, points, discs. Words: category and mask of the filter.
#![allow(unsafe_code)]

use tombolo_physics::{Aabb, PhysicsError, PhysicsWorld, Pose, Position, QueryFilter, Shape, ShapeId, Vec2};

use crate::exchange::{Failure, Input};
use crate::worlds::look_at_physics;

fn filter(input: &Input) -> Result<QueryFilter<'static>, Failure> {
    let [category, mask] = input.words()?;
    Ok(QueryFilter {
        category,
        mask,
        ..QueryFilter::default()
    })
}

/// The nearest hit of a ray (0), or all hits (1). Row: origin, translation. Ids: shape and body of each hit; numbers:
/// fraction, point, normal of each.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn cast_ray(world: u32, all: u32) -> i32 {
    look_at_physics(world, |world, input, output| {
        let (filter, mut row) = (filter(input)?, input.row(2, 4)?);
        let origin = Position::new(row.next(), row.next());
        let translation = Vec2::new(row.next(), row.next());
        let hits = if all != 0 {
            world.cast_ray_all(origin, translation, filter)?
        } else {
            world.cast_ray(origin, translation, filter)?.into_iter().collect()
        };
        for hit in &hits {
            output.ids.extend([hit.shape.to_bits(), hit.body.to_bits()]);
            let [point, normal] = [hit.point.to_vec2(), hit.normal];
            output
                .numbers
                .extend([hit.fraction, point.x, point.y, normal.x, normal.y]);
        }
        Ok(hits.len())
    })
}

/// Runs a query whose result is shapes, with a row of four numbers.
fn shapes(
    world: u32,
    query: impl FnOnce(&PhysicsWorld, [f32; 4], QueryFilter<'_>) -> Result<Vec<ShapeId>, PhysicsError>,
) -> i32 {
    look_at_physics(world, |world, input, output| {
        let mut row = input.row(2, 4)?;
        let numbers = [row.next(), row.next(), row.next(), row.next()];
        let shapes = query(world, numbers, filter(input)?)?;
        output.ids.extend(shapes.into_iter().map(ShapeId::to_bits));
        Ok(output.ids.len())
    })
}

/// The shapes whose boxes share a point with a box. Row: its least corner, its greatest.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn overlap_box(world: u32) -> i32 {
    shapes(world, |world, [x0, y0, x1, y1], filter| {
        world.overlap_box(Aabb::new(Vec2::new(x0, y0), Vec2::new(x1, y1)), filter)
    })
}

/// The shapes that contain a point. Row: the point.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn overlap_point(world: u32) -> i32 {
    shapes(world, |world, [x, y, _, _], filter| {
        world.overlap_point(Position::new(x, y), filter)
    })
}

/// The shapes that touch a disc. Row: center, radius.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn overlap_circle(world: u32) -> i32 {
    shapes(world, |world, [x, y, radius, _], filter| {
        let disc = Shape::circle(Vec2::ZERO, radius)?;
        world.overlap_shape(&disc, Pose::new(Vec2::new(x, y), 0.0), filter)
    })
}
