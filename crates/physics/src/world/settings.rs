//! Calls that read and change the settings of a world.

use super::PhysicsWorld;
use crate::error::{self, PhysicsError, Range, non_negative};
use crate::island::IslandAlgorithm;
use crate::recording::Call;
use crate::settings::{Debris, Settings, WorldDef, check_substeps};
use glam::Vec2;

impl PhysicsWorld {
    fn settings(&self) -> &Settings {
        self.state.settings()
    }

    /// The definition from which a new world with the present settings of this one is made, for reading them and for
    /// changing one of several that are set together. [`WorldDef::capacity`] is zero: it is no setting.
    ///
    /// ```
    /// use tombolo_physics::{PhysicsWorld, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let now = world.def();
    /// world.set_contact_softness(now.contact_hertz, now.contact_damping_ratio, 10.0)?;
    /// assert_eq!(world.def(), WorldDef { push_speed_max: 10.0, ..now });
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub fn def(&self) -> WorldDef {
        WorldDef {
            islands: self.island_algorithm(),
            ..self.settings().def()
        }
    }

    /// Gravity in meters per second squared.
    pub fn gravity(&self) -> Vec2 {
        self.settings().gravity
    }

    /// Changes gravity and wakes everything that sleeps, unless it is as it was.
    ///
    /// # Errors
    ///
    /// If a component is not from -1,000,000 to 1,000,000.
    pub fn set_gravity(&mut self, gravity: Vec2) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetGravity { gravity });
        Range::GRAVITY.check_vector("gravity", gravity)?;
        if self.settings().gravity != gravity {
            self.state.settings_mut().gravity = gravity;
            self.state.wake_all();
        }
        Ok(())
    }

    /// The number of substeps of one step.
    pub fn substeps(&self) -> u32 {
        self.settings().substeps
    }

    /// Changes the number of substeps.
    ///
    /// # Errors
    ///
    /// If it is not between 1 and 64.
    pub fn set_substeps(&mut self, substeps: u32) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetSubsteps { substeps });
        check_substeps(substeps)?;
        self.state.settings_mut().substeps = substeps;
        Ok(())
    }

    /// Whether islands at rest fall asleep.
    pub fn is_sleeping_enabled(&self) -> bool {
        self.settings().sleeping != 0
    }

    /// Sets whether islands at rest fall asleep; if not, wakes everything and keeps it awake.
    pub fn set_sleeping_enabled(&mut self, enabled: bool) {
        self.log.report(|| Call::SetSleepingEnabled { enabled });
        self.state.settings_mut().sleeping = u32::from(enabled);
        if !enabled {
            self.state.wake_all();
        }
    }

    /// Whether continuous collision sweeps fast bodies.
    pub fn is_continuous(&self) -> bool {
        self.settings().continuous != 0
    }

    /// Enables or disables continuous collision from the next step on.
    pub fn set_continuous(&mut self, enabled: bool) {
        self.log.report(|| Call::SetContinuous { enabled });
        self.state.settings_mut().continuous = u32::from(enabled);
    }

    /// Sets the speeds of approach, in meters per second, from which contacts bounce and hits are reported.
    ///
    /// # Errors
    ///
    /// If one is negative or not finite.
    pub fn set_thresholds(&mut self, restitution: f32, hit: f32) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetThresholds { restitution, hit });
        non_negative("restitution_threshold", restitution)?;
        non_negative("hit_threshold", hit)?;
        let settings = self.state.settings_mut();
        (settings.restitution_threshold, settings.hit_threshold) = (restitution, hit);
        Ok(())
    }

    /// Sets the stiffness of contacts as a frequency in hertz, their damping ratio, and the greatest speed at which
    /// overlapping bodies are pushed apart, in meters per second.
    ///
    /// # Errors
    ///
    /// If the frequency is neither 0 nor from 0.001 to 10,000, the damping not from 0 to 1,000, or the speed not from 0 to
    /// 1,000,000.
    pub fn set_contact_softness(
        &mut self,
        hertz: f32,
        damping_ratio: f32,
        push_speed_max: f32,
    ) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetContactSoftness {
            hertz,
            damping_ratio,
            push_speed_max,
        });
        error::hertz("contact_hertz", hertz)?;
        Range::DAMPING_RATIO.check("contact_damping_ratio", damping_ratio)?;
        Range::SPEED.check("push_speed_max", push_speed_max)?;
        let settings = self.state.settings_mut();
        (settings.contact_hertz, settings.contact_damping_ratio) = (hertz, damping_ratio);
        settings.push_speed_max = push_speed_max;
        Ok(())
    }

    /// Sets the greatest speed of a dynamic body, in meters per second; see
    /// [`WorldDef::speed_max`](crate::WorldDef::speed_max).
    ///
    /// # Errors
    ///
    /// If it is not from 0 to 1,000,000.
    pub fn set_speed_max(&mut self, speed_max: f32) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetSpeedMax { speed_max });
        Range::SPEED.check("speed_max", speed_max)?;
        self.state.settings_mut().speed_max = speed_max;
        Ok(())
    }

    /// The settings of debris: which pieces of a cut count as debris, and how they are treated.
    pub fn debris(&self) -> Debris {
        self.settings().debris()
    }

    /// Changes the settings of debris, for later cuts.
    ///
    /// # Errors
    ///
    /// If the area is negative or not finite.
    pub fn set_debris(&mut self, debris: Debris) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetDebris { debris });
        debris.validate()?;
        self.state.settings_mut().set_debris(debris);
        Ok(())
    }

    /// Changes the algorithm that maintains the islands, and wakes everything. The islands are found anew from touches
    /// and joints, so that bodies move as with the other algorithm. Costs the whole world.
    pub fn set_island_algorithm(&mut self, algorithm: IslandAlgorithm) {
        self.log.report(|| Call::SetIslandAlgorithm { algorithm });
        self.state.wake_all();
        self.state.replace_island_algorithm(algorithm);
    }
}
