//! Worlds of rigid bodies, of which `python/tombolo/physics.py` makes classes.

use crate::locks;
use crate::settings::joint_of;
use crate::signals::make_steps;
use crate::threads::Threads;
use crate::{refuse, with_options};
use numpy::{PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, MutexGuard};
use tombolo_physics::{
    ANY_CATEGORY, ANY_MATERIAL, BodyDef, BodyId, BodyKind, BodyMut, ChainDef, ContactRule, HeightfieldDef,
    JointId, JointMotor, PhysicsError, PhysicsWorld, Pose, Position, Shape, ShapeDef, ShapeId, Tile,
    TileBlock, TileGridDef, TileGridId, Vec2, WorldDef,
};

type Point = (f32, f32);

/// A world, and the threads that step it.
#[pyclass(frozen, module = "tombolo._tombolo")]
pub(crate) struct World {
    world: Mutex<PhysicsWorld>,
    threads: Threads,
}

impl World {
    /// A world that other code made, and a number of threads for it.
    pub(crate) fn of(world: PhysicsWorld, threads: usize) -> PyResult<Self> {
        Ok(Self {
            world: Mutex::new(world),
            threads: Threads::new(threads)?,
        })
    }

    /// The threads that step it.
    pub(crate) fn threads(&self) -> &Threads {
        &self.threads
    }

    /// The world, for a thread that has Python's lock.
    pub(crate) fn world(&self) -> MutexGuard<'_, PhysicsWorld> {
        locks::attached(&self.world)
    }

    /// The world, for a thread that has given Python's lock away.
    pub(crate) fn world_detached(&self) -> MutexGuard<'_, PhysicsWorld> {
        locks::detached(&self.world)
    }

    fn change(
        &self,
        body: u64,
        change: impl FnOnce(&mut BodyMut<'_>) -> Result<(), PhysicsError>,
    ) -> PyResult<()> {
        let mut world = self.world();
        let mut body = world.body_mut(body_id(body)?).map_err(refuse)?;
        change(&mut body).map_err(refuse)
    }
}

pub(crate) fn body_id(bits: u64) -> PyResult<BodyId> {
    BodyId::from_bits(bits).ok_or_else(|| refuse("no body has this id"))
}

pub(crate) fn shape_id(bits: u64) -> PyResult<ShapeId> {
    ShapeId::from_bits(bits).ok_or_else(|| refuse("no shape has this id"))
}

pub(crate) fn joint_id(bits: u64) -> PyResult<JointId> {
    JointId::from_bits(bits).ok_or_else(|| refuse("no joint has this id"))
}

fn grid_id(bits: u64) -> PyResult<TileGridId> {
    TileGridId::from_bits(bits).ok_or_else(|| refuse("no grid of tiles has this id"))
}

fn vector((x, y): Point) -> Vec2 {
    Vec2::new(x, y)
}

/// The shape of a kind from its numbers, in the order of `python/tombolo/physics.py`.
pub(crate) fn geometry(kind: &str, numbers: &[f32]) -> PyResult<Shape> {
    let shape = match (kind, numbers) {
        ("circle", &[x, y, radius]) => Shape::circle(Vec2::new(x, y), radius),
        ("capsule", &[ax, ay, bx, by, radius]) => {
            Shape::capsule(Vec2::new(ax, ay), Vec2::new(bx, by), radius)
        }
        ("segment", &[ax, ay, bx, by]) => Shape::segment(Vec2::new(ax, ay), Vec2::new(bx, by)),
        ("box", &[width, height, x, y, angle]) => Shape::box_at(width, height, Vec2::new(x, y), angle),
        ("half_space", &[x, y, normal_x, normal_y]) => {
            Shape::half_space(Vec2::new(x, y), Vec2::new(normal_x, normal_y))
        }
        ("polygon", [radius, corners @ ..]) if corners.len() % 2 == 0 => {
            Shape::polygon(&points(corners), *radius)
        }
        _ => return Err(refuse(format!("no shape {kind:?} of {} numbers", numbers.len()))),
    };
    shape.map_err(refuse)
}

fn points(numbers: &[f32]) -> Vec<Vec2> {
    numbers
        .chunks_exact(2)
        .map(|pair| Vec2::new(pair[0], pair[1]))
        .collect()
}

/// The numbers of a body, read at once: position, angle, velocity, angular velocity, mass, inertia.
type BodyNumbers = (Point, f32, Point, f32, f32, f32);

#[pymethods]
impl World {
    #[new]
    fn new(options: &str, threads: usize) -> PyResult<Self> {
        let def = with_options(&WorldDef::default(), options)?;
        Self::of(PhysicsWorld::new(&def).map_err(refuse)?, threads)
    }

    /// Steps without Python's lock, and hears signals meanwhile.
    fn step(&self, py: Python<'_>, dt: f32, steps: u64) -> PyResult<()> {
        let step = |world: &mut MutexGuard<'_, PhysicsWorld>| {
            world.step_with(dt, self.threads.executor()).map_err(refuse)
        };
        make_steps(py, steps, || self.world_detached(), step)
    }

    fn step_index(&self) -> u64 {
        self.world().step_index()
    }

    fn create_body(&self, options: &str) -> PyResult<u64> {
        let def = with_options(&BodyDef::default(), options)?;
        Ok(self.world().create_body(&def).map_err(refuse)?.to_bits())
    }

    fn destroy_body(&self, body: u64) -> PyResult<()> {
        self.world().destroy_body(body_id(body)?).map_err(refuse)
    }

    fn create_shape(&self, body: u64, kind: &str, numbers: Vec<f32>, options: &str) -> PyResult<u64> {
        let def = with_options(&ShapeDef::default(), options)?;
        let shape = geometry(kind, &numbers)?;
        let id = self
            .world()
            .create_shape(body_id(body)?, &def, &shape)
            .map_err(refuse)?;
        Ok(id.to_bits())
    }

    fn create_chain(&self, body: u64, corners: Vec<f32>, closed: bool, options: &str) -> PyResult<Vec<u64>> {
        let shape = with_options(&ShapeDef::default(), options)?;
        let def = ChainDef {
            points: points(&corners),
            closed,
            shape,
        };
        let ids = self.world().create_chain(body_id(body)?, &def).map_err(refuse)?;
        Ok(ids.into_iter().map(|id| id.to_bits()).collect())
    }

    fn create_heightfield(
        &self,
        body: u64,
        heights: Vec<f32>,
        field: &str,
        options: &str,
    ) -> PyResult<Vec<u64>> {
        let def = HeightfieldDef {
            heights,
            grounds: vec![with_options(&ShapeDef::default(), options)?],
            // Not over the default's JSON, in which absent ends would become the largest number.
            ..serde_json::from_str(field).map_err(refuse)?
        };
        let ids = self
            .world()
            .create_heightfield(body_id(body)?, &def)
            .map_err(refuse)?;
        Ok(ids.into_iter().map(|id| id.to_bits()).collect())
    }

    /// Adds a grid of cells, row by row from below, with kinds of tiles, each a shape and options.
    fn create_tile_grid(
        &self,
        body: u64,
        cells: (u32, u32, Vec<u8>),
        tiles: Vec<(String, String)>,
        frame: (f32, Point),
    ) -> PyResult<u64> {
        let tile = |(shape, options): &(String, String)| {
            Ok(Tile {
                shape: serde_json::from_str(shape).map_err(refuse)?,
                def: with_options(&ShapeDef::default(), options)?,
            })
        };
        let ((width, height, cells), (cell_size, origin)) = (cells, frame);
        let def = TileGridDef {
            cell_size,
            origin: vector(origin),
            width,
            height,
            tiles: tiles.iter().map(tile).collect::<PyResult<_>>()?,
            cells,
        };
        let id = self
            .world()
            .create_tile_grid(body_id(body)?, &def)
            .map_err(refuse)?;
        Ok(id.to_bits())
    }

    fn destroy_tile_grid(&self, grid: u64) -> PyResult<()> {
        self.world().destroy_tile_grid(grid_id(grid)?).map_err(refuse)
    }

    fn tile_grid_size(&self, grid: u64) -> PyResult<(u32, u32)> {
        let world = self.world();
        let grid = world
            .tile_grid(grid_id(grid)?)
            .ok_or_else(|| refuse("the grid was destroyed"))?;
        Ok((grid.width(), grid.height()))
    }

    /// The kind of tile in a cell; `None` beyond the grid.
    fn tile(&self, grid: u64, x: u32, y: u32) -> PyResult<Option<u8>> {
        let world = self.world();
        let grid = world
            .tile_grid(grid_id(grid)?)
            .ok_or_else(|| refuse("the grid was destroyed"))?;
        Ok(grid.tile(x, y))
    }

    /// Fills columns and rows from a cell on.
    fn fill_tiles(&self, grid: u64, block: [u32; 4], tile: u8) -> PyResult<()> {
        let [x, y, width, height] = block;
        let block = TileBlock { x, y, width, height };
        self.world()
            .fill_tiles(grid_id(grid)?, block, tile)
            .map_err(refuse)
    }

    fn cell_at(&self, grid: u64, place: Point) -> PyResult<Option<(u32, u32)>> {
        let world = self.world();
        let grid = world
            .tile_grid(grid_id(grid)?)
            .ok_or_else(|| refuse("the grid was destroyed"))?;
        let cell = grid.cell_at(Position::new(place.0, place.1));
        Ok(cell.map(|[x, y]| (x, y)))
    }

    fn cell_center(&self, grid: u64, x: u32, y: u32) -> PyResult<Point> {
        let world = self.world();
        let grid = world
            .tile_grid(grid_id(grid)?)
            .ok_or_else(|| refuse("the grid was destroyed"))?;
        Ok(grid.cell_center(x, y).to_vec2().into())
    }

    /// Sets the contact rule of two materials, `None` for all; without a rule removes theirs.
    fn rule_materials(&self, of: [Option<u32>; 2], rule: Option<&str>) -> PyResult<()> {
        let [first, second] = of.map(|material| material.unwrap_or(ANY_MATERIAL));
        match rule {
            Some(rule) => self
                .world()
                .set_contact_rule(first, second, contact_rule(rule)?)
                .map_err(refuse),
            None => {
                self.world().remove_contact_rule(first, second);
                Ok(())
            }
        }
    }

    /// Sets or removes the contact rule of two categories, each one bit.
    fn rule_categories(&self, of: [Option<u64>; 2], rule: Option<&str>) -> PyResult<()> {
        let [first, second] = of.map(|category| category.unwrap_or(ANY_CATEGORY));
        match rule {
            Some(rule) => self
                .world()
                .set_category_rule(first, second, contact_rule(rule)?)
                .map_err(refuse),
            None => {
                self.world().remove_category_rule(first, second);
                Ok(())
            }
        }
    }

    fn destroy_shape(&self, shape: u64) -> PyResult<()> {
        self.world().destroy_shape(shape_id(shape)?).map_err(refuse)
    }

    fn create_joint(
        &self,
        kind: &str,
        bodies: [u64; 2],
        anchors: [Point; 2],
        options: &str,
    ) -> PyResult<u64> {
        let bodies = [body_id(bodies[0])?, body_id(bodies[1])?];
        let def = joint_of(kind, bodies, anchors.map(vector), options)?;
        Ok(self.world().create_joint(def).map_err(refuse)?.to_bits())
    }

    fn destroy_joint(&self, joint: u64) -> PyResult<()> {
        self.world().destroy_joint(joint_id(joint)?).map_err(refuse)
    }

    fn set_motor(&self, joint: u64, enabled: bool, speed: f32, max: f32) -> PyResult<()> {
        let mut world = self.world();
        let mut joint = world.joint_mut(joint_id(joint)?).map_err(refuse)?;
        joint
            .set_motor(enabled.then_some(JointMotor { speed, max }))
            .map_err(refuse)
    }

    /// Angle, length, force and torque of a joint.
    fn joint(&self, joint: u64) -> PyResult<(f32, f32, Point, f32)> {
        let world = self.world();
        let joint = world
            .joint(joint_id(joint)?)
            .ok_or_else(|| refuse("the joint was destroyed"))?;
        Ok((
            joint.angle(),
            joint.length(),
            joint.force().into(),
            joint.torque(),
        ))
    }

    fn bodies(&self) -> Vec<u64> {
        self.world().bodies().map(|body| body.id().to_bits()).collect()
    }

    fn has_body(&self, body: u64) -> bool {
        BodyId::from_bits(body).is_some_and(|id| self.world().body(id).is_some())
    }

    fn body(&self, body: u64) -> PyResult<BodyNumbers> {
        let world = self.world();
        let body = world
            .body(body_id(body)?)
            .ok_or_else(|| refuse("the body was destroyed"))?;
        Ok((
            body.position().to_vec2().into(),
            body.rotation().angle(),
            body.linear_velocity().into(),
            body.angular_velocity(),
            body.mass(),
            body.inertia(),
        ))
    }

    fn is_awake(&self, body: u64) -> PyResult<bool> {
        let world = self.world();
        let body = world
            .body(body_id(body)?)
            .ok_or_else(|| refuse("the body was destroyed"))?;
        Ok(body.is_awake())
    }

    fn kind(&self, body: u64) -> PyResult<&'static str> {
        let world = self.world();
        let body = world
            .body(body_id(body)?)
            .ok_or_else(|| refuse("the body was destroyed"))?;
        Ok(match body.kind() {
            BodyKind::Static => "static",
            BodyKind::Kinematic => "kinematic",
            BodyKind::Dynamic => "dynamic",
        })
    }

    fn name(&self, body: u64) -> PyResult<String> {
        let world = self.world();
        let body = world
            .body(body_id(body)?)
            .ok_or_else(|| refuse("the body was destroyed"))?;
        Ok(body.name().to_owned())
    }

    fn set_name(&self, body: u64, name: &str) -> PyResult<()> {
        self.change(body, |body| body.set_name(name))
    }

    fn teleport(&self, body: u64, position: Point, angle: f32) -> PyResult<()> {
        self.change(body, |body| body.teleport(Pose::new(vector(position), angle)))
    }

    fn set_velocity(&self, body: u64, velocity: Point) -> PyResult<()> {
        self.change(body, |body| body.set_linear_velocity(vector(velocity)))
    }

    fn set_angular_velocity(&self, body: u64, velocity: f32) -> PyResult<()> {
        self.change(body, |body| body.set_angular_velocity(velocity))
    }

    fn apply_force(&self, body: u64, force: Point, point: Option<Point>) -> PyResult<()> {
        self.change(body, |body| match point {
            Some((x, y)) => body.apply_force_at(vector(force), Position::new(x, y)),
            None => body.apply_force(vector(force)),
        })
    }

    fn apply_impulse(&self, body: u64, impulse: Point, point: Option<Point>) -> PyResult<()> {
        self.change(body, |body| match point {
            Some((x, y)) => body.apply_impulse_at(vector(impulse), Position::new(x, y)),
            None => body.apply_impulse(vector(impulse)),
        })
    }

    fn apply_torque(&self, body: u64, torque: f32) -> PyResult<()> {
        self.change(body, |body| body.apply_torque(torque))
    }

    /// Copies a row for each body, in the order of `bodies`: x, y, angle.
    fn read_poses(&self, out: PyReadwriteArrayDyn<'_, f32>) -> PyResult<()> {
        let world = self.world();
        let rows = world.bodies().map(|body| {
            let place = body.position();
            [place.x, place.y, body.rotation().angle()]
        });
        fill(rows, out)
    }

    /// Copies a row for each body: vx, vy, angular velocity.
    fn read_velocities(&self, out: PyReadwriteArrayDyn<'_, f32>) -> PyResult<()> {
        let world = self.world();
        let rows = world.bodies().map(|body| {
            let velocity = body.linear_velocity();
            [velocity.x, velocity.y, body.angular_velocity()]
        });
        fill(rows, out)
    }

    /// The events of the last step: pairs of shapes by kind of event.
    fn events(&self) -> [Vec<(u64, u64)>; 4] {
        let world = self.world();
        let events = world.events();
        let touches = |list: &[tombolo_physics::TouchEvent]| {
            list.iter()
                .map(|touch| (touch.shape_a.to_bits(), touch.shape_b.to_bits()))
                .collect()
        };
        let visits = |list: &[tombolo_physics::VisitEvent]| {
            list.iter()
                .map(|visit| (visit.sensor.to_bits(), visit.visitor.to_bits()))
                .collect()
        };
        [
            touches(events.begin_touch()),
            touches(events.end_touch()),
            visits(events.enter()),
            visits(events.leave()),
        ]
    }

    /// The body of a shape.
    fn body_of(&self, shape: u64) -> PyResult<u64> {
        let world = self.world();
        let shape = world
            .shape(shape_id(shape)?)
            .ok_or_else(|| refuse("the shape was destroyed"))?;
        Ok(shape.body().id().to_bits())
    }

    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.world_detached().save()))
    }

    fn restore(&self, py: Python<'_>, save: &[u8]) -> PyResult<()> {
        py.detach(|| self.world_detached().restore(save)).map_err(refuse)
    }

    /// An independent copy, stepped on the calling thread.
    fn fork(&self, py: Python<'_>) -> Self {
        Self {
            world: Mutex::new(py.detach(|| self.world_detached().clone())),
            threads: Threads::calling(),
        }
    }

    fn hash(&self, py: Python<'_>) -> u64 {
        py.detach(|| self.world_detached().state_hash())
    }
}

/// A contact rule from Python's keywords; options that are not given are null there.
fn contact_rule(rule: &str) -> PyResult<ContactRule> {
    serde_json::from_str(rule).map_err(refuse)
}

/// Writes rows into an array of three columns, whatever the order of its memory.
fn fill(
    rows: impl ExactSizeIterator<Item = [f32; 3]>,
    mut out: PyReadwriteArrayDyn<'_, f32>,
) -> PyResult<()> {
    let expected = [rows.len(), 3];
    if out.shape() != expected {
        return Err(refuse(format!(
            "an array of the shape {:?}, expected {expected:?}",
            out.shape()
        )));
    }
    if !out.is_aligned() {
        return Err(refuse(
            "an array whose numbers are not at multiples of their size",
        ));
    }
    for (row, mut out) in rows.zip(out.as_array_mut().rows_mut()) {
        out.iter_mut().zip(row).for_each(|(to, from)| *to = from);
    }
    Ok(())
}
