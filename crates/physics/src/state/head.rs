//! [`WorldHead`]: the number of steps and the settings of a world. Steps and the calls about settings change it.

use crate::settings::{Settings, WorldDef};
use tombolo_geometry::plain_data;

/// The greatest number of steps in a save: no world reaches it, and a world restored at it can make as many steps
/// again.
const STEP_INDEX_MAX: u64 = 1 << 62;

plain_data! {
    /// The number of steps and the settings of a world.
    #[derive(Debug)]
    pub(crate) struct WorldHead {
        /// The number of steps made.
        pub(crate) step_index: u64,
        pub(crate) settings: Settings,
    }
}

impl WorldHead {
    pub(super) fn new(def: &WorldDef) -> Self {
        Self {
            step_index: 0,
            settings: Settings::new(def),
        }
    }

    /// Whether this number of steps is possible.
    pub(super) fn is_sound(&self) -> bool {
        self.step_index <= STEP_INDEX_MAX
    }
}
