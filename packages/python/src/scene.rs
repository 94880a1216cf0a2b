//! Worlds of entities, of which `python/tombolo/scene.py` makes a class.

use crate::locks;
use crate::refuse;
use crate::signals::make_steps;
use crate::threads::Threads;
use numpy::{PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, MutexGuard};
use tombolo::component::{Data, SCRIPT, Script};
use tombolo::entity::{Dense, Entity, Kind, NameHash, Override, Value};
use tombolo::physics::{Pose, ShapeId, Vec2};
use tombolo::{Event, Kinds, Scene, SpawnDef, World, WorldError};

/// An event: its kind, the entities (0 for none), the name of a component, point or force, normal, and two numbers.
type EventNumbers = (
    &'static str,
    [u64; 2],
    Option<String>,
    (f32, f32),
    (f32, f32),
    f32,
    f32,
);

/// A world made from a scene file.
#[pyclass(frozen, module = "tombolo._tombolo")]
pub(crate) struct SceneWorld {
    world: Mutex<World>,
    threads: Threads,
    /// The seed of the scene's settings; `None` for the world of a recording, which has the scene inside.
    own_seed: Option<u64>,
}

impl SceneWorld {
    /// The world, for a thread that has Python's lock.
    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        locks::attached(&self.world)
    }

    /// The world, for a thread that has given Python's lock away.
    pub(crate) fn world_detached(&self) -> MutexGuard<'_, World> {
        locks::detached(&self.world)
    }

    /// The world of a recording, and a number of threads for it.
    pub(crate) fn of(world: World, threads: usize) -> PyResult<Self> {
        Ok(Self {
            world: Mutex::new(world),
            threads: Threads::new(threads)?,
            own_seed: None,
        })
    }

    /// The threads that step it.
    pub(crate) fn threads(&self) -> &Threads {
        &self.threads
    }
}

/// An entity by the number of its handle.
fn entity_of(bits: u64) -> PyResult<Entity> {
    Entity::from_bits(bits).ok_or_else(|| refuse("no entity has this id"))
}

#[pymethods]
impl SceneWorld {
    /// Creates a world from the text of a scene; the name is for messages. A seed replaces that of the scene's
    /// settings. Without Python's lock.
    #[new]
    #[pyo3(signature = (name, text, seed=None, threads=1))]
    fn new(py: Python<'_>, name: &str, text: &str, seed: Option<u64>, threads: usize) -> PyResult<Self> {
        py.detach(|| {
            let scene = Scene::parse_with(name, text, &Kinds::default()).map_err(refuse)?;
            let world = match seed {
                None => World::from_scene(&scene),
                Some(seed) => World::from_scene_with_seed(&scene, seed),
            };
            Ok(Self {
                own_seed: Some(scene.settings().seed),
                ..Self::of(world.map_err(refuse)?, threads)?
            })
        })
    }

    /// Steps without Python's lock, and hears signals meanwhile.
    fn step(&self, py: Python<'_>, steps: u64) -> PyResult<()> {
        let step = |world: &mut MutexGuard<'_, World>| {
            world.step_with(self.threads.executor());
            Ok(())
        };
        make_steps(py, steps, || self.world_detached(), step)
    }

    fn own_seed(&self) -> Option<u64> {
        self.own_seed
    }

    /// Spawns an entity of a resource, with properties as paths, texts and whether a text is to be taken as it is.
    #[pyo3(signature = (resource, name, pose, parent, set))]
    fn spawn(
        &self,
        resource: &str,
        name: Option<&str>,
        pose: Option<(f32, f32, f32)>,
        parent: Option<u64>,
        set: Vec<(String, String, bool)>,
    ) -> PyResult<u64> {
        let parent = parent.map(entity_of).transpose()?;
        let pose = pose.map(|(x, y, angle)| Pose::new(Vec2::new(x, y), angle));
        let def = SpawnDef {
            name,
            pose,
            parent,
            overrides: &[],
        };
        let mut world = self.world();
        let overrides = if set.is_empty() {
            Vec::new()
        } else {
            overrides(&world, resource, &def, &set)?
        };
        let def = SpawnDef {
            overrides: &overrides,
            ..def
        };
        Ok(world.spawn(resource, &def).map_err(refuse)?.to_bits())
    }

    fn despawn(&self, entity: u64) -> PyResult<()> {
        self.world().despawn(entity_of(entity)?).map_err(refuse)
    }

    fn find(&self, name: &str) -> Option<u64> {
        self.world().find(name).map(Entity::to_bits)
    }

    fn entities(&self) -> Vec<u64> {
        let world = self.world();
        world.entities().entities().iter().map(Entity::to_bits).collect()
    }

    fn exists(&self, entity: u64) -> bool {
        let world = self.world();
        Entity::from_bits(entity).is_some_and(|entity| world.entities().entities().is_alive(entity))
    }

    fn name_of(&self, entity: u64) -> PyResult<Option<String>> {
        Ok(self.world().name_of(entity_of(entity)?).map(str::to_owned))
    }

    /// Position and angle of an entity; `None` without a Transform.
    fn pose_of(&self, entity: u64) -> PyResult<Option<(f32, f32, f32)>> {
        let pose = self.world().pose(entity_of(entity)?);
        Ok(pose.map(|pose| (pose.position.x, pose.position.y, pose.rotation.angle())))
    }

    /// Copies a row for each entity, in the order of `entities`: x, y, angle; not a number without a Transform.
    fn read_poses(&self, mut out: PyReadwriteArrayDyn<'_, f32>) -> PyResult<()> {
        let world = self.world();
        let entities = world.entities().entities().iter();
        let expected = [entities.len(), 3];
        if out.shape() != expected || !out.is_aligned() {
            return Err(refuse(format!(
                "an array of the shape {:?}, expected an aligned one of {expected:?}",
                out.shape()
            )));
        }
        for (entity, mut row) in entities.zip(out.as_array_mut().rows_mut()) {
            let pose = world
                .pose(entity)
                .map(|pose| [pose.position.x, pose.position.y, pose.rotation.angle()]);
            row.iter_mut()
                .zip(pose.unwrap_or([f32::NAN; 3]))
                .for_each(|(to, from)| *to = from);
        }
        Ok(())
    }

    /// A property of an entity by `component.property`.
    fn get_of<'py>(&self, py: Python<'py>, entity: u64, path: &str) -> PyResult<Bound<'py, PyAny>> {
        let read = Read::of(&self.world(), entity_of(entity)?, path)?;
        read.into_python(py)
    }

    /// Sets a property of an entity by `component.property`, as `set` does.
    fn set_of(&self, entity: u64, path: &str, value: &str, is_text: bool) -> PyResult<()> {
        let (mut world, entity) = (self.world(), entity_of(entity)?);
        let value = read_value(&world, entity, path, value, is_text).map_err(refuse)?;
        world.set(entity, path, value).map_err(refuse)
    }

    /// The body of an entity, if it has one.
    fn body_of(&self, entity: u64) -> PyResult<Option<u64>> {
        Ok(self
            .world()
            .body_of(entity_of(entity)?)
            .map(|body| body.to_bits()))
    }

    /// The entity of a shape, and the name of its component.
    fn part_of(&self, shape: u64) -> PyResult<Option<(u64, String)>> {
        let shape = ShapeId::from_bits(shape).ok_or_else(|| refuse("no shape has this id"))?;
        let world = self.world();
        let part = world.part_of(shape);
        Ok(part.map(|(entity, component)| (entity.to_bits(), name_of(&world, component))))
    }

    fn set_action(&self, name: &str, value: f32) -> PyResult<()> {
        self.world().set_action(name, value).map_err(refuse)
    }

    fn action(&self, name: &str) -> f32 {
        self.world().action(name)
    }

    fn actions(&self) -> Vec<(String, f32)> {
        let world = self.world();
        world
            .actions()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }

    /// The events of the last step, in the engine's order.
    fn events(&self) -> Vec<EventNumbers> {
        let world = self.world();
        world
            .events()
            .iter()
            .filter_map(|event| event_numbers(&world, event))
            .collect()
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
        let read = {
            let world = self.world();
            let target = world.target(path).map_err(refuse)?;
            Read::of(&world, target.entity, &target.path)?
        };
        read.into_python(py)
    }

    /// Sets a property by `entity.component.property` to a value in the syntax of scenes, or to a text as it is.
    fn set(&self, path: &str, value: &str, is_text: bool) -> PyResult<()> {
        let mut world = self.world();
        let target = world.target(path).map_err(refuse)?;
        let value = read_value(&world, target.entity, &target.path, value, is_text).map_err(refuse)?;
        world.set(target.entity, &target.path, value).map_err(refuse)
    }

    /// The number that a script, by `entity.component`, keeps as `this.reward`, and whether it keeps a true `this.done`.
    fn kept_outcome(&self, path: &str) -> PyResult<(Option<f64>, bool)> {
        let world = self.world();
        let target = world.target(&format!("{path}.state")).map_err(refuse)?;
        let component = target.path.strip_suffix(".state").map(NameHash::of);
        let scripts: Option<&Dense<Script>> = world.manager(SCRIPT);
        let script = component.and_then(|component| scripts?.value(target.entity, component.into()));
        let state = script.ok_or_else(|| refuse(format!("no script {path}")))?.state();
        let kept = |name: &str| match state {
            Data::Map(kept) => kept.get(name),
            _ => None,
        };
        let reward = match kept("reward") {
            Some(Data::Number(reward)) => Some(*reward),
            Some(Data::Integer(reward)) => Some(*reward as f64),
            _ => None,
        };
        Ok((reward, matches!(kept("done"), Some(Data::Flag(true)))))
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
            own_seed: self.own_seed,
        }
    }

    fn hash(&self, py: Python<'_>) -> u64 {
        py.detach(|| self.world_detached().state_hash())
    }

    fn faults(&self) -> Vec<String> {
        self.world().faults().iter().map(ToString::to_string).collect()
    }
}

/// A value in the syntax of scenes, or a text as it is.
pub(crate) fn read_value(
    world: &World,
    entity: Entity,
    path: &str,
    value: &str,
    is_text: bool,
) -> Result<Value, WorldError> {
    if is_text {
        world.value_of_text(entity, path, value)
    } else {
        world.parse_value_at(entity, path, value)
    }
}

/// The properties of an entity that is to be spawned. Their kinds are those of one that is spawned in a copy of the world.
fn overrides(
    world: &World,
    resource: &str,
    def: &SpawnDef<'_>,
    set: &[(String, String, bool)],
) -> PyResult<Vec<Override>> {
    let mut trial = world.clone();
    let entity = trial.spawn(resource, def).map_err(refuse)?;
    let read = |(path, value, is_text): &(String, String, bool)| {
        let value = read_value(&trial, entity, path, value, *is_text).map_err(refuse)?;
        Ok(Override {
            path: path.as_str().into(),
            value,
        })
    };
    set.iter().map(read).collect()
}

/// The name of a component.
fn name_of(world: &World, component: NameHash) -> String {
    world
        .entities()
        .names()
        .get(component)
        .unwrap_or_default()
        .to_owned()
}

/// An event as numbers.
fn event_numbers(world: &World, event: &Event) -> Option<EventNumbers> {
    const NONE: (f32, f32) = (0.0, 0.0);
    let pair = |kind, a: Entity, b: Entity, component| {
        Some((kind, [a.to_bits(), b.to_bits()], component, NONE, NONE, 0.0, 0.0))
    };
    let alone = |kind, entity: Entity| Some((kind, [entity.to_bits(), 0], None, NONE, NONE, 0.0, 0.0));
    match *event {
        Event::Spawned(entity) => alone("spawned", entity),
        Event::Despawned(entity) => alone("despawned", entity),
        Event::BeginTouch(touch) => pair("begin_touch", touch.a, touch.b, None),
        Event::EndTouch(touch) => pair("end_touch", touch.a, touch.b, None),
        Event::Enter(visit) => pair("enter", visit.trigger, visit.visitor, None),
        Event::Leave(visit) => pair("leave", visit.trigger, visit.visitor, None),
        Event::EnterZone(visit) => pair(
            "enter_zone",
            visit.zone,
            visit.visitor,
            Some(name_of(world, visit.component)),
        ),
        Event::LeaveZone(visit) => pair(
            "leave_zone",
            visit.zone,
            visit.visitor,
            Some(name_of(world, visit.component)),
        ),
        Event::Meet(meeting) => pair("meet", meeting.character, meeting.other, None),
        Event::Part(meeting) => pair("part", meeting.character, meeting.other, None),
        Event::Hit {
            touch,
            point,
            normal,
            approach_speed,
            impulse,
        } => {
            let entities = [touch.a.to_bits(), touch.b.to_bits()];
            Some((
                "hit",
                entities,
                None,
                point.to_vec2().into(),
                normal.into(),
                approach_speed,
                impulse,
            ))
        }
        Event::Force {
            touch,
            point,
            normal,
            force,
            impulse,
        } => {
            let entities = [touch.a.to_bits(), touch.b.to_bits()];
            Some((
                "force",
                entities,
                None,
                point.to_vec2().into(),
                normal.into(),
                force,
                impulse,
            ))
        }
        Event::Strain(strain) | Event::Break(strain) => {
            let kind = if matches!(event, Event::Break(_)) {
                "break"
            } else {
                "strain"
            };
            let component = Some(name_of(world, strain.component));
            let entities = [strain.entity.to_bits(), 0];
            Some((
                kind,
                entities,
                component,
                strain.force.into(),
                NONE,
                strain.torque,
                0.0,
            ))
        }
        _ => None,
    }
}

/// A property's value that needs its world no more: a choice as its word, an entity as its name, or its number if it has none.
///
/// No object of Python is made while a world is locked: that may collect garbage, whose finalizers may call the same world.
enum Read {
    Plain(Value),
    Text(String),
    Id(u64),
    List(Vec<Self>),
}

impl Read {
    fn of(world: &World, entity: Entity, path: &str) -> PyResult<Self> {
        let value = world.get(entity, path).map_err(refuse)?;
        let kind = world.kind_at(entity, path).map_err(refuse)?;
        Ok(Self::value(world, kind, value))
    }

    fn value(world: &World, kind: Kind, value: Value) -> Self {
        match value {
            Value::Choice(_) => Self::Text(world.show_value(kind, &value)),
            Value::Entity(Some(entity)) => match world.name_of(entity) {
                Some(name) => Self::Text(name.to_owned()),
                None => Self::Id(entity.to_bits()),
            },
            Value::List(values) => {
                let of = if let Kind::List(of) = kind { *of } else { kind };
                let values = values.into_iter().map(|value| Self::value(world, of, value));
                Self::List(values.collect())
            }
            value => Self::Plain(value),
        }
    }

    /// The value in Python; to be called without a lock of a world.
    fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Self::Plain(Value::Bool(value)) => value.into_bound_py_any(py),
            Self::Plain(Value::I32(value)) => value.into_bound_py_any(py),
            Self::Plain(Value::U32(value)) => value.into_bound_py_any(py),
            Self::Plain(Value::I64(value)) => value.into_bound_py_any(py),
            Self::Plain(Value::F32(value)) => value.into_bound_py_any(py),
            Self::Plain(Value::F64(value)) => value.into_bound_py_any(py),
            Self::Plain(Value::Vec2(value)) => (value.x, value.y).into_bound_py_any(py),
            Self::Plain(Value::Vec3(value)) => (value.x, value.y, value.z).into_bound_py_any(py),
            Self::Plain(Value::Quat(value)) => (value.x, value.y, value.z, value.w).into_bound_py_any(py),
            Self::Plain(Value::Color(color)) => (color.r, color.g, color.b, color.a).into_bound_py_any(py),
            Self::Plain(Value::String(text)) => text.into_string().into_bound_py_any(py),
            Self::Plain(Value::Entity(None)) => Ok(py.None().into_bound(py)),
            Self::Plain(_) => Err(refuse("a property of this kind cannot be read as a value")),
            Self::Text(text) => text.into_bound_py_any(py),
            Self::Id(id) => id.into_bound_py_any(py),
            Self::List(values) => {
                let values = values.into_iter().map(|value| value.into_python(py));
                values.collect::<PyResult<Vec<_>>>()?.into_bound_py_any(py)
            }
        }
    }
}
