//! Callbacks about pairs of shapes by name: a game registers their code, and scenes, commands and saves say which are used.
//!
//! Which are used is a part of the state, and physics knows of it whether their code is there or not; the code is not.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::{fmt, mem};

use tombolo_entity::{DataError, Reader, Writer};
use tombolo_physics::{CustomFilter, PairView, PhysicsWorld, PreSolve, Response};
use tombolo_threads::FloatEnvironment;

use super::World;
use super::command::Command;
use crate::error::{SceneError, WorldError};
use crate::scene::{CallbackNames, Scene, check_callback_name};

/// What a world has of callbacks.
#[derive(Clone, Default)]
pub(super) struct NamedCallbacks {
    used: UsedNames,
    filters: BTreeMap<Box<str>, Arc<CustomFilter>>,
    pre_solves: BTreeMap<Box<str>, Arc<PreSolve>>,
    /// Whether it was looked whether all that is used is there, since that last changed.
    is_looked_at: bool,
}

/// The names of those that are used. If calls of `physics_mut` have taken a callback away, its name still stands here.
#[derive(Clone, Debug, Default, PartialEq)]
struct UsedNames {
    custom_filter: Option<Box<str>>,
    pre_solve: Option<Box<str>>,
}

impl fmt::Debug for NamedCallbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedCallbacks")
            .field("used", &self.used)
            .field("filters", &self.filters.keys())
            .field("pre_solves", &self.pre_solves.keys())
            .finish_non_exhaustive()
    }
}

impl NamedCallbacks {
    /// The names of those that a world with this physics uses.
    fn in_use(&self, physics: &PhysicsWorld) -> CallbackNames {
        let of_filter = self.used.custom_filter.clone();
        let of_pre_solve = self.used.pre_solve.clone().zip(physics.pre_solve_categories());
        let (pre_solve, categories) = of_pre_solve.unzip();
        CallbackNames {
            custom_filter: of_filter.filter(|_| physics.callbacks().custom_filter),
            pre_solve,
            categories: categories.unwrap_or(u64::MAX),
        }
    }

    /// Forgets the names of those that physics uses no more.
    pub(super) fn settle(&mut self, physics: &PhysicsWorld) {
        let CallbackNames {
            custom_filter,
            pre_solve,
            ..
        } = self.in_use(physics);
        self.used = UsedNames {
            custom_filter,
            pre_solve,
        };
    }

    fn custom_filter(&self) -> Option<Arc<CustomFilter>> {
        self.filters.get(self.used.custom_filter.as_deref()?).cloned()
    }

    fn pre_solve(&self) -> Option<Arc<PreSolve>> {
        self.pre_solves.get(self.used.pre_solve.as_deref()?).cloned()
    }

    /// The names for hashes; nothing if there are none.
    pub(super) fn hash(&self, all: &mut Writer) {
        if self.used != UsedNames::default() {
            self.used.save(all);
        }
    }

    pub(super) fn save(&self, physics: &PhysicsWorld) -> Vec<u8> {
        let mut settled = Self {
            used: self.used.clone(),
            ..Self::default()
        };
        settled.settle(physics);
        let mut out = Writer::new();
        settled.used.save(&mut out);
        out.finish()
    }

    /// These with the names that were saved, which are of callbacks that the physics uses.
    pub(super) fn restored(&self, bytes: &[u8], physics: &PhysicsWorld) -> Result<Self, DataError> {
        let mut from = Reader::new(bytes);
        let used = UsedNames {
            custom_filter: restore_name(&mut from)?,
            pre_solve: restore_name(&mut from)?,
        };
        from.end()?;
        let kinds = physics.callbacks();
        if used.custom_filter.is_some() && !kinds.custom_filter
            || used.pre_solve.is_some() && !kinds.pre_solve
        {
            return Err(DataError::broken("the name of a callback that is not used"));
        }
        Ok(Self {
            used,
            is_looked_at: false,
            ..self.clone()
        })
    }

    /// Has the code be that of another world, and the names stay.
    pub(super) fn take_code_of(&mut self, other: &Self) {
        self.filters.clone_from(&other.filters);
        self.pre_solves.clone_from(&other.pre_solves);
    }

    /// Gives physics, which has the code of a world with the names of `before`, that of these.
    pub(super) fn supply(&self, physics: &mut PhysicsWorld, before: &Self) {
        if self.used.custom_filter.is_some() || before.used.custom_filter.is_some() {
            physics.supply_custom_filter(self.custom_filter());
        }
        if self.used.pre_solve.is_some() || before.used.pre_solve.is_some() {
            physics.supply_pre_solve(self.pre_solve());
        }
    }

    /// Those that are used by name.
    pub(super) fn kinds(&self) -> tombolo_physics::CallbackKinds {
        tombolo_physics::CallbackKinds {
            custom_filter: self.used.custom_filter.is_some(),
            pre_solve: self.used.pre_solve.is_some(),
        }
    }
}

impl UsedNames {
    fn save(&self, out: &mut Writer) {
        for name in [&self.custom_filter, &self.pre_solve] {
            out.flag(name.is_some());
            if let Some(name) = name {
                out.text(name);
            }
        }
    }
}

fn restore_name(from: &mut Reader<'_>) -> Result<Option<Box<str>>, DataError> {
    const WHAT: &str = "the name of a callback";
    if !from.flag(WHAT)? {
        return Ok(None);
    }
    let name = from.text(WHAT)?;
    check_callback_name(&name).map_err(|why| DataError::broken(why))?;
    Ok(Some(name))
}

fn refused(why: String) -> WorldError {
    WorldError::Callback { why: why.into() }
}

impl World {
    /// Gives the code of custom filters of this name, in place of what was given before:
    /// [`PhysicsWorld::set_custom_filter`] says when one is asked and what it may do. It is used by worlds that
    /// [name it](World::use_callbacks), this one and its clones; it is no part of the state. Registered before the first step
    /// of a world that was made from a scene or restored, it is as if it had always been there; replaced while it is used, all
    /// contacts are asked about and all bodies wake.
    ///
    /// # Errors
    ///
    /// If the name is empty or has more than [`CALLBACK_NAME_BYTES_MAX`](crate::CALLBACK_NAME_BYTES_MAX) bytes, or the world
    /// is recorded: a player could not make it.
    ///
    /// ```
    /// use tombolo::{Scene, World};
    /// let scene = Scene::parse("teams.ron", r#"(
    ///     callbacks: (custom_filter: "teams"),
    ///     entities: {"ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5))}},
    ///     place: [One(name: "ball", entity: "ball", at: (0, 3))],
    /// )"#)?;
    /// let mut world = World::from_scene(&scene)?;
    /// assert_eq!(world.missing_callbacks().to_string(), r#"the custom filter "teams""#);
    /// world.register_custom_filter("teams", |pair| {
    ///     let [a, b] = pair.sides.map(|side| side.filter.category);
    ///     a != b
    /// })?;
    /// assert!(!world.missing_callbacks().any());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn register_custom_filter(
        &mut self,
        name: &str,
        filter: impl Fn(&PairView) -> bool + Send + Sync + 'static,
    ) -> Result<(), WorldError> {
        self.check_registration(name)?;
        let code: Arc<CustomFilter> = Arc::new(filter);
        self.callbacks.filters.insert(name.into(), Arc::clone(&code));
        if self.callbacks().custom_filter.as_deref() == Some(name) {
            if self.physics.missing_callbacks().custom_filter {
                self.physics.supply_custom_filter(Some(code));
            } else {
                self.physics.use_custom_filter(Some(code));
            }
        }
        Ok(())
    }

    /// Gives the code of pre-solve callbacks of this name, in place of what was given before:
    /// [`PhysicsWorld::set_pre_solve`] says when one is asked and what it may do. As for the rest, what is said of
    /// [`World::register_custom_filter`] holds.
    ///
    /// # Errors
    ///
    /// As [`World::register_custom_filter`].
    pub fn register_pre_solve(
        &mut self,
        name: &str,
        callback: impl Fn(&PairView) -> Response + Send + Sync + 'static,
    ) -> Result<(), WorldError> {
        self.check_registration(name)?;
        let code: Arc<PreSolve> = Arc::new(callback);
        self.callbacks.pre_solves.insert(name.into(), Arc::clone(&code));
        let used = self.callbacks();
        if used.pre_solve.as_deref() == Some(name) {
            if self.physics.missing_callbacks().pre_solve {
                self.physics.supply_pre_solve(Some(code));
            } else {
                self.physics.use_pre_solve(used.categories, Some(code));
            }
        }
        Ok(())
    }

    fn check_registration(&mut self, name: &str) -> Result<(), WorldError> {
        if self.is_recording() {
            return Err(WorldError::NotRecorded("a callback"));
        }
        check_callback_name(name).map_err(refused)?;
        self.callbacks.is_looked_at = false;
        Ok(())
    }

    /// Says which callbacks this world uses, in place of those before, registered already or not. Which they are is saved, hashed
    /// and recorded. Of a kind that changes all contacts are asked about, and all bodies wake; a name that stays changes
    /// nothing. A world that uses callbacks by name is given none of that kind through [`World::physics_mut`].
    ///
    /// # Errors
    ///
    /// If a name is empty or has more than [`CALLBACK_NAME_BYTES_MAX`](crate::CALLBACK_NAME_BYTES_MAX) bytes, or there are
    /// categories and no pre-solve callback.
    pub fn use_callbacks(&mut self, names: CallbackNames) -> Result<(), WorldError> {
        self.report_command(|| Command::UseCallbacks(names.clone()));
        self.name_callbacks(names)
    }

    /// Which callbacks this world uses by name, whether they are registered or not.
    pub fn callbacks(&self) -> CallbackNames {
        self.callbacks.in_use(&self.physics)
    }

    /// Which callbacks this world uses by name, and nobody has registered: it steps as if a custom filter let everything touch and
    /// a pre-solve callback left everything as it is, and says so once among its [`faults`](World::faults). Registering what is
    /// missing before the next step changes nothing else. For those that were set through [`World::physics_mut`] see
    /// [`PhysicsWorld::missing_callbacks`].
    pub fn missing_callbacks(&self) -> CallbackNames {
        let used = self.callbacks();
        let custom_filter = used
            .custom_filter
            .filter(|name| !self.callbacks.filters.contains_key(name));
        let pre_solve = used
            .pre_solve
            .filter(|name| !self.callbacks.pre_solves.contains_key(name));
        let is_missing = pre_solve.is_some();
        CallbackNames {
            custom_filter,
            pre_solve,
            categories: if is_missing { used.categories } else { u64::MAX },
        }
    }

    /// As [`World::use_callbacks`], whoever asks for it.
    pub(super) fn name_callbacks(&mut self, names: CallbackNames) -> Result<(), WorldError> {
        let _environment = FloatEnvironment::enter();
        names.check().map_err(|(_, why)| refused(why))?;
        let before = self.callbacks();
        let of_pre_solve = |names: &CallbackNames| (names.pre_solve.clone(), names.categories);
        let changes = [
            before.custom_filter != names.custom_filter,
            of_pre_solve(&before) != of_pre_solve(&names),
        ];
        let CallbackNames {
            custom_filter,
            pre_solve,
            categories,
        } = names;
        self.callbacks.used = UsedNames {
            custom_filter,
            pre_solve,
        };
        self.callbacks.is_looked_at = false;
        let kinds = self.callbacks.kinds();
        match (changes[0], kinds.custom_filter) {
            (true, true) => self.physics.use_custom_filter(self.callbacks.custom_filter()),
            (true, false) => self.physics.remove_custom_filter(),
            (false, _) => {}
        }
        match (changes[1], kinds.pre_solve) {
            (true, true) => self.physics.use_pre_solve(categories, self.callbacks.pre_solve()),
            (true, false) => self.physics.remove_pre_solve(),
            (false, _) => {}
        }
        Ok(())
    }

    /// Uses the callbacks that a scene names, and beside them those that the world used.
    pub(super) fn use_callbacks_of(&mut self, scene: &Scene) -> Result<(), SceneError> {
        if !scene.callbacks().any() {
            return Ok(());
        }
        let names = scene.callbacks().clone().over(self.callbacks());
        self.name_callbacks(names)
            .map_err(|error| scene.error(format!("{error}")))
    }

    /// Says once, before a step, which callbacks this world uses and has not.
    pub(super) fn note_missing_callbacks(&mut self) {
        if mem::replace(&mut self.callbacks.is_looked_at, true) {
            return;
        }
        if let Err(missing) = self.check_callbacks() {
            self.note_fault(format!("the world uses {missing}, and steps without"));
        }
    }

    /// Fails with what callbacks this world uses and has not.
    pub(super) fn check_callbacks(&self) -> Result<(), String> {
        let (by_name, missing) = (self.missing_callbacks(), self.physics.missing_callbacks());
        match (by_name.any(), missing.any()) {
            (true, _) => Err(format!("{by_name}, which nobody has registered")),
            (false, true) => Err(format!("{missing} without a name, which nobody has set")),
            (false, false) => Ok(()),
        }
    }
}
