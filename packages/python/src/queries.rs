//! Queries of worlds of bodies and of scenes alike: rays, one or thousands, moved shapes, overlaps, the closest shape.

use crate::physics::{World, geometry};
use crate::refuse;
use crate::scene::SceneWorld;
use numpy::{PyReadonlyArrayDyn, PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use serde::Deserialize;
use tombolo_physics::{
    Aabb, BodyId, Closest, Motion, PhysicsWorld, Pose, QueryFilter, RayHit, RayQuery, Shape, ShapeHit,
    ShapeId, Vec2,
};
use tombolo_threads::Executor;

type Point = (f32, f32);

/// A hit: body, shape, fraction, point, normal.
type Hit = (u64, u64, f32, Point, Point);

/// A shape from Python: its kind and numbers, and its position and angle.
type Placed = (String, Vec<f32>, Point, f32);

/// A world of either kind.
#[derive(FromPyObject)]
pub(crate) enum AnyWorld<'py> {
    Physics(Bound<'py, World>),
    Scene(Bound<'py, SceneWorld>),
}

/// The same without Python's objects around it.
pub(crate) enum Inside<'a> {
    Physics(&'a World),
    Scene(&'a SceneWorld),
}

impl Inside<'_> {
    /// Reads the physics without Python's lock.
    pub(crate) fn ask_detached<T>(&self, ask: impl FnOnce(&PhysicsWorld) -> T) -> T {
        match self {
            Self::Physics(world) => ask(&world.world_detached()),
            Self::Scene(world) => ask(world.world_detached().physics()),
        }
    }

    fn executor(&self) -> &dyn Executor {
        match self {
            Self::Physics(world) => world.threads().executor(),
            Self::Scene(world) => world.threads().executor(),
        }
    }
}

impl AnyWorld<'_> {
    pub(crate) fn inside(&self) -> Inside<'_> {
        match self {
            Self::Physics(world) => Inside::Physics(world.get()),
            Self::Scene(world) => Inside::Scene(world.get()),
        }
    }

    fn ask<T>(&self, ask: impl FnOnce(&PhysicsWorld) -> T) -> T {
        match self.inside() {
            Inside::Physics(world) => ask(&world.world()),
            Inside::Scene(world) => ask(world.world().physics()),
        }
    }
}

/// A filter from Python; what is left out excludes nothing but sensors.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Filter {
    category: u64,
    mask: u64,
    exclude_bodies: Vec<u64>,
    exclude_shapes: Vec<u64>,
    sensors: bool,
    one_sided: bool,
    material: Option<u32>,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            category: u64::MAX,
            mask: u64::MAX,
            exclude_bodies: Vec::new(),
            exclude_shapes: Vec::new(),
            sensors: false,
            one_sided: false,
            material: None,
        }
    }
}

/// A filter, and the lists of ids that it has.
pub(crate) struct Lists {
    filter: Filter,
    bodies: Vec<BodyId>,
    shapes: Vec<ShapeId>,
}

impl Lists {
    pub(crate) fn parse(filter: &str) -> PyResult<Self> {
        let filter: Filter = serde_json::from_str(filter).map_err(refuse)?;
        Ok(Self {
            bodies: filter
                .exclude_bodies
                .iter()
                .filter_map(|&bits| BodyId::from_bits(bits))
                .collect(),
            shapes: filter
                .exclude_shapes
                .iter()
                .filter_map(|&bits| ShapeId::from_bits(bits))
                .collect(),
            filter,
        })
    }

    pub(crate) fn query(&self) -> QueryFilter<'_> {
        QueryFilter {
            category: self.filter.category,
            mask: self.filter.mask,
            exclude_bodies: &self.bodies,
            exclude_shapes: &self.shapes,
            sensors: self.filter.sensors,
            one_sided: self.filter.one_sided,
            material: self.filter.material,
            ..QueryFilter::default()
        }
    }
}

fn vector((x, y): Point) -> Vec2 {
    Vec2::new(x, y)
}

fn ray_numbers(hit: RayHit) -> Hit {
    let (point, normal) = (hit.point.to_vec2().into(), hit.normal.into());
    (
        hit.body.to_bits(),
        hit.shape.to_bits(),
        hit.fraction,
        point,
        normal,
    )
}

/// With the normal out of the shape that was hit, as a ray's.
fn shape_numbers(hit: ShapeHit) -> Hit {
    let (point, normal) = (hit.point.to_vec2().into(), (Vec2::ZERO - hit.normal).into());
    (
        hit.body.to_bits(),
        hit.shape.to_bits(),
        hit.fraction,
        point,
        normal,
    )
}

fn placed(shape: &Placed) -> PyResult<(Shape, Pose)> {
    let (kind, numbers, position, angle) = shape;
    Ok((geometry(kind, numbers)?, Pose::new(vector(*position), *angle)))
}

/// The hits of a ray from its start on: all, or the first one.
#[pyfunction]
pub(crate) fn cast_ray(
    world: AnyWorld<'_>,
    start: Point,
    end: Point,
    all: bool,
    filter: &str,
) -> PyResult<Vec<Hit>> {
    let (start, way, lists) = (vector(start), vector(end) - vector(start), Lists::parse(filter)?);
    let hits = world.ask(|physics| match all {
        true => physics.cast_ray_all(start.into(), way, lists.query()),
        false => physics
            .cast_ray(start.into(), way, lists.query())
            .map(|hit| hit.into_iter().collect()),
    });
    Ok(hits.map_err(refuse)?.into_iter().map(ray_numbers).collect())
}

/// The first hits of many rays, a row each: where they begin and end; writes the fraction (1 without a hit), the point
/// (the end without a hit), the normal, and the ids of body and shape (0 without a hit). Without Python's lock.
#[pyfunction]
pub(crate) fn cast_rays(
    py: Python<'_>,
    world: AnyWorld<'_>,
    rays: PyReadonlyArrayDyn<'_, f32>,
    filter: &str,
    mut numbers: PyReadwriteArrayDyn<'_, f32>,
    mut ids: PyReadwriteArrayDyn<'_, u64>,
) -> PyResult<()> {
    let lists = Lists::parse(filter)?;
    let count = rays.shape().first().copied().unwrap_or(0);
    let expected = rays.shape() == [count, 4] && numbers.shape() == [count, 5] && ids.shape() == [count, 2];
    if !expected {
        return Err(refuse(format!(
            "rays of the shape {:?}, expected rows of 4 numbers",
            rays.shape()
        )));
    }
    let rays = rays.as_slice().map_err(refuse)?;
    let (numbers, ids) = (
        numbers.as_slice_mut().map_err(refuse)?,
        ids.as_slice_mut().map_err(refuse)?,
    );
    let queries: Vec<RayQuery<'_>> = rays
        .chunks_exact(4)
        .map(|ray| {
            let start = Vec2::new(ray[0], ray[1]);
            RayQuery::new(start.into(), Vec2::new(ray[2], ray[3]) - start, lists.query())
        })
        .collect();
    let mut hits = Vec::new();
    let inside = world.inside();
    py.detach(|| inside.ask_detached(|physics| physics.cast_rays(inside.executor(), &queries, &mut hits)))
        .map_err(refuse)?;
    let rows = numbers.chunks_exact_mut(5).zip(ids.chunks_exact_mut(2));
    for ((numbers, ids), (ray, hit)) in rows.zip(rays.chunks_exact(4).zip(hits)) {
        let (row, pair) = match hit {
            Some(hit) => (
                [hit.fraction, hit.point.x, hit.point.y, hit.normal.x, hit.normal.y],
                [hit.body.to_bits(), hit.shape.to_bits()],
            ),
            None => ([1.0, ray[2], ray[3], 0.0, 0.0], [0, 0]),
        };
        numbers.copy_from_slice(&row);
        ids.copy_from_slice(&pair);
    }
    Ok(())
}

/// The hits of a shape that moves along a line and turns: all, or the first one.
#[pyfunction]
pub(crate) fn cast_shape(
    world: AnyWorld<'_>,
    shape: Placed,
    motion: (Point, f32),
    all: bool,
    filter: &str,
) -> PyResult<Vec<Hit>> {
    let ((geometry, start), lists) = (placed(&shape)?, Lists::parse(filter)?);
    let motion = Motion {
        start,
        translation: vector(motion.0),
        turn: motion.1,
    };
    let hits = world.ask(|physics| match all {
        true => physics.cast_shape_all(&geometry, motion, lists.query()),
        false => physics
            .cast_shape(&geometry, motion, lists.query())
            .map(|hit| hit.into_iter().collect()),
    });
    Ok(hits.map_err(refuse)?.into_iter().map(shape_numbers).collect())
}

fn bits(shapes: Vec<ShapeId>) -> Vec<u64> {
    shapes.into_iter().map(|id| id.to_bits()).collect()
}

/// The shapes whose boxes overlap a box.
#[pyfunction]
pub(crate) fn overlap_box(
    world: AnyWorld<'_>,
    lower: Point,
    upper: Point,
    filter: &str,
) -> PyResult<Vec<u64>> {
    let (area, lists) = (Aabb::new(vector(lower), vector(upper)), Lists::parse(filter)?);
    let shapes = world.ask(|physics| physics.overlap_box(area, lists.query()));
    Ok(bits(shapes.map_err(refuse)?))
}

/// The shapes that a shape overlaps.
#[pyfunction]
pub(crate) fn overlap_shape(world: AnyWorld<'_>, shape: Placed, filter: &str) -> PyResult<Vec<u64>> {
    let ((geometry, pose), lists) = (placed(&shape)?, Lists::parse(filter)?);
    let shapes = world.ask(|physics| physics.overlap_shape(&geometry, pose, lists.query()));
    Ok(bits(shapes.map_err(refuse)?))
}

/// The shapes that contain a point.
#[pyfunction]
pub(crate) fn overlap_point(world: AnyWorld<'_>, point: Point, filter: &str) -> PyResult<Vec<u64>> {
    let lists = Lists::parse(filter)?;
    let shapes = world.ask(|physics| physics.overlap_point(vector(point).into(), lists.query()));
    Ok(bits(shapes.map_err(refuse)?))
}

/// The closest shape to a point: body, shape, distance, its closest point, normal out of it.
#[pyfunction]
pub(crate) fn closest(
    world: AnyWorld<'_>,
    point: Point,
    distance_max: f32,
    filter: &str,
) -> PyResult<Option<Hit>> {
    let lists = Lists::parse(filter)?;
    let found =
        world.ask(|physics| physics.closest_to_point(vector(point).into(), distance_max, lists.query()));
    let numbers = |found: Closest| {
        let (point, normal) = (found.point.to_vec2().into(), (Vec2::ZERO - found.normal).into());
        (
            found.body.to_bits(),
            found.shape.to_bits(),
            found.distance,
            point,
            normal,
        )
    };
    Ok(found.map_err(refuse)?.map(numbers))
}
