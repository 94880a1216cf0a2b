//! Exports for queries: rays, moving shapes, boxes, points, shapes, and what is nearest.
#![allow(unsafe_code)]

use tombolo_physics::{
    Aabb, BodyId, Closest, Motion, PhysicsWorld, Pose, Position, QueryFilter, Shape, ShapeId, Vec2,
};

use crate::bodies::body_id;
use crate::exchange::{Failure, Input, Output, Row};
use crate::shapes::{geometry, shape_id};
use crate::worlds::look_at_physics;

/// The kind of shape that stands for a point, after the kinds of [`geometry`].
const POINT: u32 = 6;

/// Bits of the options of a filter.
const SENSORS: u64 = 1;
const ONE_SIDED: u64 = 2;
const OF_MATERIAL: u64 = 4;

/// A filter for a query. Words: category, mask, options, material, the numbers of bodies and shapes that are left out,
/// and these.
pub(crate) struct Sought {
    category: u64,
    mask: u64,
    options: u64,
    material: u32,
    bodies: Vec<BodyId>,
    shapes: Vec<ShapeId>,
    /// The number of words, after which the row begins.
    pub(crate) words: usize,
}

impl Sought {
    /// Reads a filter from the beginning of the input.
    ///
    /// # Errors
    ///
    /// If words are missing, or an id is none.
    pub(crate) fn read(input: &Input) -> Result<Self, Failure> {
        let [category, mask, options, material, bodies, shapes] = input.words()?;
        let mut words = 6;
        let mut ids = |count: u64| -> Result<Vec<u64>, Failure> {
            let mut ids = Vec::new();
            for _ in 0..count {
                let [id] = input.words_from(words)?;
                ids.push(id);
                words += 1;
            }
            Ok(ids)
        };
        let (bodies, shapes) = (ids(bodies)?, ids(shapes)?);
        Ok(Self {
            category,
            mask,
            options,
            material: material as u32,
            bodies: bodies.into_iter().map(body_id).collect::<Result<_, _>>()?,
            shapes: shapes.into_iter().map(shape_id).collect::<Result<_, _>>()?,
            words,
        })
    }

    pub(crate) fn filter(&self) -> QueryFilter<'_> {
        QueryFilter {
            category: self.category,
            mask: self.mask,
            exclude_bodies: &self.bodies,
            exclude_shapes: &self.shapes,
            sensors: self.options & SENSORS != 0,
            one_sided: self.options & ONE_SIDED != 0,
            material: (self.options & OF_MATERIAL != 0).then_some(self.material),
            ..QueryFilter::default()
        }
    }
}

/// Runs a query with a row of numbers after its filter.
fn query(
    world: u32,
    numbers: usize,
    query: impl FnOnce(&PhysicsWorld, &mut Row<'_>, QueryFilter<'_>, &mut Output) -> Result<usize, Failure>,
) -> i32 {
    look_at_physics(world, |world, input, output| {
        let sought = Sought::read(input)?;
        let mut row = input.row(sought.words, numbers)?;
        query(world, &mut row, sought.filter(), output)
    })
}

fn vector(row: &mut Row<'_>) -> Vec2 {
    Vec2::new(row.next(), row.next())
}

fn pose(row: &mut Row<'_>) -> Pose {
    Pose::new(vector(row), row.next())
}

/// A hit. Ids: shape, body; numbers: fraction, point, normal.
fn push_hit(output: &mut Output, ids: [u64; 2], fraction: f32, point: Position, normal: Vec2) {
    output.ids.extend(ids);
    let point = point.to_vec2();
    output
        .numbers
        .extend([fraction, point.x, point.y, normal.x, normal.y]);
}

/// The nearest hit of a ray (0), or all hits (1). Row: origin, translation. Output: that of [`push_hit`] for each.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn cast_ray(world: u32, all: u32) -> i32 {
    query(world, 4, |world, row, filter, output| {
        let (origin, translation) = (Position::from(vector(row)), vector(row));
        let hits = if all != 0 {
            world.cast_ray_all(origin, translation, filter)?
        } else {
            world.cast_ray(origin, translation, filter)?.into_iter().collect()
        };
        for hit in &hits {
            let ids = [hit.shape.to_bits(), hit.body.to_bits()];
            push_hit(output, ids, hit.fraction, hit.point, hit.normal);
        }
        Ok(hits.len())
    })
}

/// The nearest hit of a moving shape (0), or all hits (1). Row: position and angle at the start, translation, turn, the
/// kind's [`geometry`]. Output: that of [`push_hit`] for each.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn cast_shape(world: u32, all: u32, kind: u32, numbers: usize) -> i32 {
    query(world, numbers, |world, row, filter, output| {
        let motion = Motion {
            start: pose(row),
            translation: vector(row),
            turn: row.next(),
        };
        let shape = geometry(kind, Row(row.0))?;
        let hits = if all != 0 {
            world.cast_shape_all(&shape, motion, filter)?
        } else {
            world.cast_shape(&shape, motion, filter)?.into_iter().collect()
        };
        for hit in &hits {
            let ids = [hit.shape.to_bits(), hit.body.to_bits()];
            push_hit(output, ids, hit.fraction, hit.point, hit.normal);
        }
        Ok(hits.len())
    })
}

/// The shapes nearest to a shape or, with the kind [`POINT`], to a point, at most `count`. Row: the greatest distance,
/// position, angle, the kind's [`geometry`]. Ids: shape and body of each; numbers: distance, nearest point of the shape
/// and of the query, normal of each.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn closest(world: u32, count: usize, kind: u32, numbers: usize) -> i32 {
    query(world, numbers, |world, row, filter, output| {
        let (distance_max, pose) = (row.next(), pose(row));
        let found = if kind == POINT {
            world.several_closest_to_point(pose.position.into(), count, distance_max, filter)?
        } else {
            let shape = geometry(kind, Row(row.0))?;
            world.several_closest_to_shape(&shape, pose, count, distance_max, filter)?
        };
        for each in &found {
            let Closest {
                shape, body, normal, ..
            } = each;
            output.ids.extend([shape.to_bits(), body.to_bits()]);
            let [point, from] = [each.point, each.from].map(Position::to_vec2);
            output.numbers.extend([
                each.distance,
                point.x,
                point.y,
                from.x,
                from.y,
                normal.x,
                normal.y,
            ]);
        }
        Ok(found.len())
    })
}

fn push_shapes(output: &mut Output, shapes: Vec<ShapeId>) -> usize {
    output.ids.extend(shapes.into_iter().map(ShapeId::to_bits));
    output.ids.len()
}

/// The shapes whose boxes share a point with a box. Row: its least corner, its greatest.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn overlap_box(world: u32) -> i32 {
    query(world, 4, |world, row, filter, output| {
        let area = Aabb::new(vector(row), vector(row));
        Ok(push_shapes(output, world.overlap_box(area, filter)?))
    })
}

/// The shapes that contain a point. Row: the point.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn overlap_point(world: u32) -> i32 {
    query(world, 2, |world, row, filter, output| {
        let point = Position::from(vector(row));
        Ok(push_shapes(output, world.overlap_point(point, filter)?))
    })
}

/// The shapes that touch a shape. Row: position, angle, the kind's [`geometry`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn overlap_shape(world: u32, kind: u32, numbers: usize) -> i32 {
    query(world, numbers, |world, row, filter, output| {
        let (pose, shape): (Pose, Shape) = (pose(row), geometry(kind, Row(row.0))?);
        Ok(push_shapes(output, world.overlap_shape(&shape, pose, filter)?))
    })
}
