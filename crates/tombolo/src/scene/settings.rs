//! [`Settings`]: how a scene wants to be stepped.

use tombolo_geometry::Vec2;
use tombolo_physics::{Debris, DebrisFate};

use super::script_limits::ScriptLimits;

/// How a scene wants to be stepped: its section `settings`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Meters per second squared; (0, -10) by default.
    pub gravity: Vec2,
    /// Parts of a step that are solved one after the other, 1 to 64; 4 by default.
    pub substeps: u32,
    /// 1 to 10,000; 60 by default.
    pub steps_per_second: u32,
    /// Whether resting islands fall asleep; true by default.
    pub sleeping: bool,
    /// Whether fast bodies are stopped where they would pass through others; true by default.
    pub continuous: bool,
    /// Pieces of a cut of this area or less, in square meters, are debris; 0.0001 by default.
    pub debris_area: f32,
    /// Whether debris becomes bodies that touch everything but other debris; false by default: it vanishes.
    pub debris_stays: bool,
    /// Where the world's random numbers begin; 0 by default.
    pub seed: u64,
    /// The most entities that the world holds, 1 to 16,777,216; 262,144 by default. What would make more is refused, and
    /// noted as a fault where nobody can be told: of a spawner, a script, a cut.
    pub entities_max: u32,
    /// The most bodies, 1 to 16,777,216; 262,144 by default. As for entities.
    pub bodies_max: u32,
    /// How much scripts may do.
    pub script_limits: ScriptLimits,
}

/// Entities and bodies that a world holds unless its settings say otherwise.
const ENTITIES_MAX_DEFAULT: u32 = 1 << 18;
/// The most that settings may say.
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
    /// Which pieces of a cut are debris, and what becomes of them.
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
