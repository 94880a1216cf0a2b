//! A world of physics as a player has it.

use super::file::{RecordingError, RecordingOf, unknown};
use super::recordable::Recordable;
use crate::callback::CallbackKinds;
use crate::described::Unfit;
use crate::recording::{Call, calls};
use crate::settings::{Capacity, WorldDef};
use crate::world::PhysicsWorld;
use alloc::format;
use alloc::string::{String, ToString};
use tombolo_threads::Executor;

impl Recordable for PhysicsWorld {
    type Call = Call;

    /// Without a definition there is a save, whatever world that is put into.
    fn begin(recording: &RecordingOf<Self>, own: Option<Self>) -> Result<Self, RecordingError> {
        if let Some(mut own) = own {
            own.put_callbacks_aside(CallbackKinds::default());
            return Ok(own);
        }
        let def = if recording.begins_new() {
            // Memory is the player's own matter, and no bytes may ask for much of it.
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
            Call::Step { dt } => played(self.step_with(dt, executor)),
            call @ (Call::SetCustomFilter { .. } | Call::SetPreSolve { .. }) => {
                make(call, self);
                self.check_callbacks().map_err(Unfit::new)?;
            }
            call => make(call, self),
        }
        Ok(())
    }
}

/// Discards a call's result: a call that was refused is refused again.
fn played<T>(_: T) {}

/// Makes a call that needs nothing but the world.
macro_rules! declare {
    ($( $call:ident { $($field:ident: $type:ty),* } => |$world:ident| $play:expr; )*) => {
        fn make(call: Call, world: &mut PhysicsWorld) {
            match call {
                $( Call::$call { $($field),* } => {
                    let $world = &mut *world;
                    played($play);
                } )*
                Call::Step { .. }
                | Call::Restore { .. }
                | Call::Frame { .. }
                | Call::RestoreFrame { .. }
                | Call::StateHash { .. } => {}
            }
        }
    };
}
calls!(declare);
