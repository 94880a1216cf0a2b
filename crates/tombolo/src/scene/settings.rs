//! [`Settings`]: the settings of a scene's steps and the limits of its world. The reader of a document fills them.

use tombolo_geometry::Vec2;
use tombolo_physics::{Debris, DebrisFate, WorldDef};

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
    /// The speed of approach in meters per second from which contacts bounce; 1 by default.
    pub restitution_threshold: f32,
    /// The speed of approach in meters per second from which hits are reported; 1 by default.
    pub hit_threshold: f32,
    /// The stiffness of contacts as a frequency in hertz, 0 or 0.001 to 10,000; 30 by default. What a body sinks in by:
    /// [`WorldDef::contact_hertz`].
    pub contact_hertz: f32,
    /// The damping ratio of contacts, 0 to 1,000; 10 by default.
    pub contact_damping_ratio: f32,
    /// The greatest speed at which overlapping bodies are pushed apart, in meters per second, 0 to a million; 3 by
    /// default.
    pub push_speed_max: f32,
    /// The greatest speed of a body in meters per second, 0 to a million; 400 by default.
    pub speed_max: f32,
    /// The area in square meters up to which the pieces of a cut are debris; 0.0001 by default.
    pub debris_area: f32,
    /// Whether debris becomes bodies, which touch everything but other debris; false by default: debris is removed.
    pub debris_stays: bool,
    /// The seed of the world's random numbers; 0 by default.
    pub seed: u64,
    /// The greatest number of entities in the world, 1 to 16,777,216; 262,144 by default. A call that would exceed it
    /// is refused; a spawner, a script or a cut, which has no caller, records a fault. A cut needs room for one more
    /// entity and body, and exceeds the limits by the rest of its pieces.
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
/// The greatest number of steps per second.
pub(crate) const STEPS_PER_SECOND_MAX: u32 = 10_000;

impl Default for Settings {
    fn default() -> Self {
        let physics = WorldDef::default();
        Self {
            gravity: physics.gravity,
            substeps: physics.substeps,
            steps_per_second: 60,
            sleeping: physics.sleeping,
            continuous: physics.continuous,
            restitution_threshold: physics.restitution_threshold,
            hit_threshold: physics.hit_threshold,
            contact_hertz: physics.contact_hertz,
            contact_damping_ratio: physics.contact_damping_ratio,
            push_speed_max: physics.push_speed_max,
            speed_max: physics.speed_max,
            debris_area: physics.debris.area_max,
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

    /// The definition of the physics world.
    pub(crate) fn physics(&self) -> WorldDef {
        WorldDef {
            gravity: self.gravity,
            substeps: self.substeps,
            sleeping: self.sleeping,
            restitution_threshold: self.restitution_threshold,
            hit_threshold: self.hit_threshold,
            contact_hertz: self.contact_hertz,
            contact_damping_ratio: self.contact_damping_ratio,
            push_speed_max: self.push_speed_max,
            speed_max: self.speed_max,
            continuous: self.continuous,
            debris: self.debris(),
            ..WorldDef::default()
        }
    }

    /// The length of a step in seconds.
    pub fn step_seconds(&self) -> f32 {
        1.0 / self.steps_per_second as f32
    }
}
