//! [`Recordable`] for a [`PhysicsWorld`]: how a player begins and makes each recorded call.

use super::file::{RecordingError, RecordingOf, unknown};
use super::recordable::Recordable;
use crate::callback::CallbackKinds;
use crate::described::Unfit;
use crate::recording::{Call, calls, played_calls};
use crate::settings::{Capacity, WorldDef};
use crate::world::PhysicsWorld;
use alloc::format;
use alloc::string::{String, ToString};
use tombolo_threads::Executor;

impl Recordable for PhysicsWorld {
    type Call = Call;

    /// A recording without a definition begins with a save, which replaces any world.
    fn begin(recording: &RecordingOf<Self>, own: Option<Self>) -> Result<Self, RecordingError> {
        if let Some(mut own) = own {
            own.put_callbacks_aside(CallbackKinds::default());
            return Ok(own);
        }
        let def = if recording.begins_new() {
            // The capacity is not taken from the recording, so that its bytes cannot request much memory.
            WorldDef {
                capacity: Capacity::default(),
                ..recording.new_world("WorldDef")?
            }
        } else {
            WorldDef::default()
        };
        Self::new(&def).map_err(|error| unknown(0)(Unfit::new(format!("{error}"))))
    }

    fn recorded_hash(&self) -> u64 {
        self.state_hash()
    }

    fn restore_recorded(&mut self, save: &[u8]) -> Result<(), String> {
        self.restore(save).map_err(|error| error.to_string())?;
        self.check_callbacks()
    }

    fn make(&mut self, call: Call, executor: &dyn Executor) -> Result<(), Unfit> {
        match call {
            Call::Step { dt } => drop(self.step_with(dt, executor)),
            call @ (Call::SetCustomFilter { .. } | Call::SetPreSolve { .. }) => {
                make(call, self);
                self.check_callbacks().map_err(Unfit::new)?;
            }
            call => make(call, self),
        }
        Ok(())
    }
}

calls!(played_calls! {
    fn make(call: Call, world: &mut PhysicsWorld);
    no_effect: Step;
});
