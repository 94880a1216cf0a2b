//! Callbacks about pairs of shapes by name: a game registers their code, and scenes, commands and saves name those in
//! use.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;

use tombolo_physics::{CustomFilter, PairView, PreSolve, Response};
use tombolo_threads::FloatEnvironment;

use super::World;
use super::command::Command;
use crate::error::{SceneError, WorldError};
use crate::scene::{CallbackNames, Scene, check_callback_name};

fn refused(why: String) -> WorldError {
    WorldError::Callback { why: why.into() }
}

impl World {
    /// Registers the code of custom filters of this name, in place of earlier code:
    /// [`PhysicsWorld::set_custom_filter`](tombolo_physics::PhysicsWorld::set_custom_filter) says when one is called
    /// and what it may do. Worlds that [name it](World::use_callbacks) use it, this one and its clones; it is not
    /// part of the state. Registering it before the first step of a world that was created from a scene or restored
    /// has the same result as if it had always been there; if it is replaced while it is in use, it is called for all
    /// contacts and all bodies wake.
    ///
    /// # Errors
    ///
    /// If the name is empty or has more than [`CALLBACK_NAME_BYTES_MAX`](crate::CALLBACK_NAME_BYTES_MAX) bytes, or
    /// the world is recorded: a player could not repeat the call.
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
        self.callbacks.put_custom_filter(name, Arc::clone(&code));
        if self.callbacks().custom_filter.as_deref() == Some(name) {
            if self.physics.missing_callbacks().custom_filter {
                self.physics.supply_custom_filter(Some(code));
            } else {
                self.physics.use_custom_filter(Some(code));
            }
        }
        Ok(())
    }

    /// Registers the code of pre-solve callbacks of this name, in place of earlier code:
    /// [`PhysicsWorld::set_pre_solve`](tombolo_physics::PhysicsWorld::set_pre_solve) says when one is called and what
    /// it may do. Otherwise the rules of [`World::register_custom_filter`] hold.
    ///
    /// # Errors
    ///
    /// Those of [`World::register_custom_filter`].
    pub fn register_pre_solve(
        &mut self,
        name: &str,
        callback: impl Fn(&PairView) -> Response + Send + Sync + 'static,
    ) -> Result<(), WorldError> {
        self.check_registration(name)?;
        let code: Arc<PreSolve> = Arc::new(callback);
        self.callbacks.put_pre_solve(name, Arc::clone(&code));
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

    fn check_registration(&self, name: &str) -> Result<(), WorldError> {
        if self.is_recording() {
            return Err(WorldError::NotRecorded("a callback"));
        }
        check_callback_name(name).map_err(refused)
    }

    /// Sets the callbacks that this world uses, in place of those before, registered already or not. Their names are
    /// saved, hashed and recorded. When the callback of a kind changes, it is called for all contacts, and all bodies
    /// wake; a name that stays changes nothing. A world that uses a callback by name refuses one of that kind through
    /// [`World::physics_mut`].
    ///
    /// # Errors
    ///
    /// If a name is empty or has more than [`CALLBACK_NAME_BYTES_MAX`](crate::CALLBACK_NAME_BYTES_MAX) bytes, or
    /// there are categories and no pre-solve callback.
    pub fn use_callbacks(&mut self, names: CallbackNames) -> Result<(), WorldError> {
        self.report_command(|| Command::UseCallbacks(names.clone()));
        self.name_callbacks(names)
    }

    /// The callbacks that this world uses by name, whether they are registered or not.
    pub fn callbacks(&self) -> CallbackNames {
        self.callbacks.in_use(&self.physics)
    }

    /// The callbacks that this world uses by name without registered code: it steps as if a custom filter let every
    /// pair touch and a pre-solve callback left every contact as it is, and records that once among its
    /// [`faults`](World::faults). Registering the code before the next step changes nothing else. For callbacks that
    /// were set through [`World::physics_mut`] see
    /// [`PhysicsWorld::missing_callbacks`](tombolo_physics::PhysicsWorld::missing_callbacks).
    pub fn missing_callbacks(&self) -> CallbackNames {
        self.callbacks.missing(&self.physics)
    }

    /// Sets the callbacks in use like [`World::use_callbacks`], without recording the call.
    pub(super) fn name_callbacks(&mut self, names: CallbackNames) -> Result<(), WorldError> {
        let _environment = FloatEnvironment::enter();
        names.check().map_err(|(_, why)| refused(why))?;
        let before = self.callbacks();
        let of_pre_solve = |names: &CallbackNames| (names.pre_solve.clone(), names.categories);
        let changes = [
            before.custom_filter != names.custom_filter,
            of_pre_solve(&before) != of_pre_solve(&names),
        ];
        let categories = names.categories;
        self.callbacks.use_names(names);
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

    /// Uses the callbacks that a scene names, and keeps the others that the world used.
    pub(super) fn use_callbacks_of(&mut self, scene: &Scene) -> Result<(), SceneError> {
        if !scene.callbacks().any() {
            return Ok(());
        }
        let names = scene.callbacks().clone().over(self.callbacks());
        self.name_callbacks(names)
            .map_err(|error| scene.error(format!("{error}")))
    }

    /// Records a fault, once and before a step, that names the used callbacks without code.
    pub(super) fn note_missing_callbacks(&mut self) {
        if self.callbacks.is_to_be_looked_at()
            && let Err(missing) = self.check_callbacks()
        {
            self.note_fault(format!("the world uses {missing}, and steps without"));
        }
    }

    /// Fails if this world uses callbacks without code; the error names them.
    pub(super) fn check_callbacks(&self) -> Result<(), String> {
        let (by_name, missing) = (self.missing_callbacks(), self.physics.missing_callbacks());
        match (by_name.any(), missing.any()) {
            (true, _) => Err(format!("{by_name}, which nobody has registered")),
            (false, true) => Err(format!("{missing} without a name, which nobody has set")),
            (false, false) => Ok(()),
        }
    }
}
