//! Worlds of entities, of which `python/tombolo/scene.py` makes a class.

use crate::refuse;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, MutexGuard};
use tombolo::entity::{Kind, Value};
use tombolo::{Kinds, Scene, World};

/// A world made from a scene file.
#[pyclass(frozen, module = "tombolo._tombolo")]
pub(crate) struct SceneWorld {
    world: Mutex<World>,
}

impl SceneWorld {
    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[pymethods]
impl SceneWorld {
    /// Creates a world from the text of a scene; the name is for messages. A seed replaces that of the scene's
    /// settings.
    #[new]
    #[pyo3(signature = (name, text, seed=None))]
    fn new(name: &str, text: &str, seed: Option<u64>) -> PyResult<Self> {
        let scene = Scene::parse_with(name, text, &Kinds::default()).map_err(refuse)?;
        let world = match seed {
            None => World::from_scene(&scene),
            Some(seed) => World::from_scene_with_seed(&scene, seed),
        };
        Ok(Self {
            world: Mutex::new(world.map_err(refuse)?),
        })
    }

    fn step(&self, py: Python<'_>, steps: u64) {
        py.detach(|| {
            let mut world = self.world();
            (0..steps).for_each(|_| world.step());
        });
    }

    fn step_seconds(&self) -> f32 {
        self.world().step_seconds()
    }

    fn names(&self) -> Vec<String> {
        self.world().names().map(|(name, _)| name.to_owned()).collect()
    }

    fn entity_count(&self) -> usize {
        self.world().entity_count()
    }

    /// Position and angle of an entity by name.
    fn pose(&self, name: &str) -> PyResult<(f32, f32, f32)> {
        let world = self.world();
        let entity = world
            .find(name)
            .ok_or_else(|| refuse(format!("no entity is called {name:?}")))?;
        let pose = world
            .pose(entity)
            .ok_or_else(|| refuse(format!("{name:?} has no Transform")))?;
        Ok((pose.position.x, pose.position.y, pose.rotation.angle()))
    }

    /// A property by `entity.component.property`.
    fn get<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Bound<'py, PyAny>> {
        let world = self.world();
        let target = world.target(path).map_err(refuse)?;
        let value = world.get(target.entity, &target.path).map_err(refuse)?;
        let kind = world.kind_at(target.entity, &target.path).map_err(refuse)?;
        to_python(py, &world, kind, &value)
    }

    /// Sets a property by `entity.component.property` to a value in the syntax of scenes, or to a text as it is.
    fn set(&self, path: &str, value: &str, is_text: bool) -> PyResult<()> {
        let mut world = self.world();
        let target = world.target(path).map_err(refuse)?;
        let value = if is_text {
            world.value_of_text(target.entity, &target.path, value)
        } else {
            world.parse_value_at(target.entity, &target.path, value)
        };
        let value = value.map_err(refuse)?;
        world.set(target.entity, &target.path, value).map_err(refuse)
    }

    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.world().save())
    }

    fn restore(&self, save: &[u8]) -> PyResult<()> {
        self.world().restore(save).map_err(refuse)
    }

    fn fork(&self) -> Self {
        Self {
            world: Mutex::new(self.world().clone()),
        }
    }

    fn hash(&self) -> u64 {
        self.world().state_hash()
    }

    fn faults(&self) -> Vec<String> {
        self.world().faults().iter().map(ToString::to_string).collect()
    }
}

/// Converts a value to Python; a choice becomes its word, an entity its name, or its number if it has none.
fn to_python<'py>(py: Python<'py>, world: &World, kind: Kind, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Bool(value) => value.into_bound_py_any(py),
        Value::I32(value) => value.into_bound_py_any(py),
        Value::U32(value) => value.into_bound_py_any(py),
        Value::Choice(_) => world.show_value(kind, value).into_bound_py_any(py),
        Value::I64(value) => value.into_bound_py_any(py),
        Value::F32(value) => value.into_bound_py_any(py),
        Value::F64(value) => value.into_bound_py_any(py),
        Value::Vec2(value) => (value.x, value.y).into_bound_py_any(py),
        Value::Vec3(value) => (value.x, value.y, value.z).into_bound_py_any(py),
        Value::Quat(value) => (value.x, value.y, value.z, value.w).into_bound_py_any(py),
        Value::Color(color) => (color.r, color.g, color.b, color.a).into_bound_py_any(py),
        Value::String(text) => text.to_string().into_bound_py_any(py),
        Value::Entity(None) => Ok(py.None().into_bound(py)),
        Value::Entity(Some(entity)) => match world.name_of(*entity) {
            Some(name) => name.into_bound_py_any(py),
            None => entity.to_bits().into_bound_py_any(py),
        },
        Value::List(values) => {
            let of = if let Kind::List(of) = kind { *of } else { kind };
            let values = values.iter().map(|value| to_python(py, world, of, value));
            values.collect::<PyResult<Vec<_>>>()?.into_bound_py_any(py)
        }
        _ => Err(refuse("a property of this kind cannot be read as a value")),
    }
}
