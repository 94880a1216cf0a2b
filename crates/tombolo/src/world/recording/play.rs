//! Plays recordings of a world of entities: repeats each recorded call. Used by [`tombolo_physics::PlayerOf`].

use alloc::format;
use alloc::string::{String, ToString};

use tombolo_entity::{Accessor, DataError, Entity, Reader, Value};
use tombolo_physics::described::Unfit;
use tombolo_physics::recording::{CallRole, RecordedCall, played_calls};
use tombolo_physics::{Call, Recordable, RecordingError, RecordingOf};
use tombolo_threads::Executor;

use super::origin::RecordedOrigin;
use super::{RecordedValue, WorldCall, calls};
use crate::error::WorldError;
use crate::scene::Scene;
use crate::world::World;
use crate::world::random::Random;

impl Recordable for World {
    type Call = WorldCall;

    fn begin(recording: &RecordingOf<Self>, own: Option<Self>) -> Result<Self, RecordingError> {
        if let Some(mut own) = own {
            own.physics.put_callbacks_aside(own.callbacks.kinds());
            own.have_callbacks().map_err(at_the_start)?;
            return Ok(own);
        }
        let origin: RecordedOrigin = recording.new_world(RecordedOrigin::NAME)?;
        let made = Self::of_origin(&origin).and_then(|made| made.have_callbacks().map(|()| made));
        made.map_err(at_the_start)
    }

    fn recorded_hash(&self) -> u64 {
        self.hash_without_inbox()
    }

    fn restore_recorded(&mut self, save: &[u8]) -> Result<(), String> {
        self.restore(save).map_err(|error| error.to_string())?;
        self.have_callbacks()
    }

    fn make(&mut self, call: WorldCall, executor: &dyn Executor) -> Result<(), Unfit> {
        match call {
            WorldCall::Step { commands } => {
                let put = self.inbox.put_sent(commands);
                put.map_err(|error| Unfit::new(format!("{error}")))?;
                self.step_with(executor);
                Ok(())
            }
            WorldCall::AddScene { file, text } => {
                let scene = Scene::parse_with(&file, &text, &self.kinds());
                let scene = scene.map_err(|error| Unfit::new(format!("{error}")))?;
                // A refused call is refused again.
                drop(self.add_scene(&scene));
                self.have_callbacks().map_err(Unfit::new)
            }
            WorldCall::RestoreDefined { definitions, save } => {
                let restored = self.restore_defined(definitions, save);
                restored.and_then(|()| self.have_callbacks()).map_err(Unfit::new)
            }
            WorldCall::Physics { call } => self.make_of_physics(call, executor),
            WorldCall::ReplaceManager { saved } => {
                let replaced = self.replace_manager(&saved.0);
                replaced.map_err(|error| Unfit::new(format!("{error}")))
            }
            call => {
                make(call, self);
                self.have_callbacks().map_err(Unfit::new)
            }
        }
    }
}

/// The error for a recording that cannot begin.
fn at_the_start(what: String) -> RecordingError {
    RecordingError::Unknown { step: 0, what }
}

impl World {
    /// Fails if this world misses a callback that the recorded one had.
    fn have_callbacks(&self) -> Result<(), String> {
        self.check_callbacks().map_err(|missing| {
            format!(
                "the world that was recorded uses {missing}, and recordings do not hold callbacks; it can be played in a world that \
                 has the same"
            )
        })
    }

    /// Repeats a call that was made through [`World::physics_mut`].
    fn make_of_physics(&mut self, call: Call, executor: &dyn Executor) -> Result<(), Unfit> {
        let physics = self.physics_mut();
        match call.role() {
            CallRole::Call | CallRole::Step => physics.make(call, executor),
            CallRole::Restore(save) => physics.restore_recorded(&save.0).map_err(Unfit::new),
            CallRole::StateHash(_) | CallRole::Frame(_) | CallRole::RestoreFrame(_) => Err(Unfit::new(
                format!("{} of the physics in a world of entities", call.name()),
            )),
        }
    }

    /// Replaces a manager by a recorded one. If that does not fit the world, nothing is changed.
    fn replace_manager(&mut self, saved: &[u8]) -> Result<(), DataError> {
        let mut from = Reader::new(saved);
        let (id, manager) = self.entities.restored_manager(&mut from)?;
        from.end()?;
        self.hand_out_manager(id);
        let before = self.entities.replace_manager(id, manager);
        let checked = crate::world::restored::check(&self.physics, &self.entities);
        if let (Err(_), Some(before)) = (&checked, before) {
            self.entities.replace_manager(id, before);
        }
        checked
    }

    /// Sets a property of entities that had the same components when the call was recorded.
    fn set_recorded(&mut self, entities: &[Entity], path: &str, value: &Value) -> Result<usize, WorldError> {
        let mut accessor = Accessor::new(path)?;
        self.report(|| WorldCall::SetAll {
            entities: entities.to_vec(),
            path: path.into(),
            value: RecordedValue(value.clone()),
        });
        self.outermost(|world| world.set_each(entities, &mut accessor, value))
    }

    /// Sets the state of the random numbers.
    fn set_random(&mut self, state: u64) {
        *self.random() = Random::new(state);
    }
}

calls!(played_calls! {
    fn make(call: WorldCall, world: &mut World);
    no_effect: AddScene, Physics, ReplaceManager, Step, RestoreDefined;
});
