//! [`WorldHead`]: what there is of a world before all lists.

use crate::settings::{Settings, WorldDef};
use tombolo_geometry::plain_data;

/// Steps that a save may say were made: none would reach it, and a world that is restored there can go on for as long
/// again.
const STEP_INDEX_MAX: u64 = 1 << 62;

plain_data! {
    /// How often a world stepped, and its settings.
    #[derive(Debug)]
    pub(crate) struct WorldHead {
        /// Steps made.
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

    /// Whether so many steps can have been made.
    pub(super) fn is_sound(&self) -> bool {
        self.step_index <= STEP_INDEX_MAX
    }
}
