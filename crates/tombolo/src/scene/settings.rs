//! [`Settings`]: the settings of a scene's steps and the limits of its world. The reader of a document fills them.

use tombolo_geometry::Vec2;
use tombolo_physics::{Debris, DebrisFate};

use super::script_limits::ScriptLimits;

/// The section `settings` of a scene: the parameters of its steps and the limits of its world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Gravity in meters per second squared; (0, -10) by default.
    pub gravity: Vec2,
    /// The substeps of a step, solved one after the other, 1 to 64; 4 by default.
    pub substeps: u32,
    /// The steps per second, 1 to 10,000; 60 by default.
    pub steps_per_second: u32,
    /// Whether resting islands fall asleep; true by default.
    pub sleeping: bool,
    /// Whether continuous collision stops fast bodies before they pass through others; true by default.
    pub continuous: bool,
    /// The area in square meters up to which the pieces of a cut are debris; 0.0001 by default.
    pub debris_area: f32,
    /// Whether debris becomes bodies, which touch everything but other debris; false by default: debris is removed.
    pub debris_stays: bool,
    /// The seed of the world's random numbers; 0 by default.
    pub seed: u64,
    /// The greatest number of entities in the world, 1 to 16,777,216; 262,144 by default. A call that would exceed it
    /// is refused; a spawner, a script or a cut, which has no caller, records a fault.
    pub entities_max: u32,
    /// The greatest number of bodies, 1 to 16,777,216; 262,144 by default. Exceeding it has the same effects as for
    /// entities.
    pub bodies_max: u32,
    /// The limits of scripts.
    pub script_limits: ScriptLimits,
}

/// The default limit of the entities and bodies of a world.
const ENTITIES_MAX_DEFAULT: u32 = 1 << 18;
/// The greatest limit that settings may have.
pub(crate) const ENTITIES_MAX_LIMIT: u32 = 1 << 24;

impl Default for Settings {
    fn default() -> Self {
        Self {
            gravity: Vec2::new(0.0, -10.0),
            substeps: 4,
            steps_per_second: 60,
            sleeping: true,
            continuous: true,
            debris_area: Debris::default().area_max,
            debris_stays: false,
            seed: 0,
            entities_max: ENTITIES_MAX_DEFAULT,
            bodies_max: ENTITIES_MAX_DEFAULT,
            script_limits: ScriptLimits::default(),
        }
    }
}

impl Settings {
    /// The rule for pieces of a cut: which are debris, and what becomes of debris.
    pub fn debris(&self) -> Debris {
        Debris {
            area_max: self.debris_area,
            fate: if self.debris_stays {
                DebrisFate::Stay(Debris::FILTER)
            } else {
                DebrisFate::Vanish
            },
        }
    }

    /// The length of a step in seconds.
    pub fn step_seconds(&self) -> f32 {
        1.0 / self.steps_per_second as f32
    }
}
