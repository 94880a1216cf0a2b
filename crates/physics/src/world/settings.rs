//! Reading and changing the settings of a world.

use super::PhysicsWorld;
use crate::error::{self, PhysicsError, Range, non_negative};
use crate::island::IslandAlgorithm;
use crate::recording::Call;
use crate::settings::{Debris, Settings, check_substeps};
use glam::Vec2;

impl PhysicsWorld {
    fn settings(&self) -> &Settings {
        self.state.settings()
    }

    /// Meters per second squared.
    pub fn gravity(&self) -> Vec2 {
        self.settings().gravity
    }

    /// Changes gravity and wakes everything that sleeps.
    ///
    /// # Errors
    ///
    /// If a part is not from -1,000,000 to 1,000,000.
    pub fn set_gravity(&mut self, gravity: Vec2) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetGravity { gravity });
        Range::GRAVITY.check_vector("gravity", gravity)?;
        self.state.settings_mut().gravity = gravity;
        self.state.wake_all();
        Ok(())
    }

    /// Substeps of one step.
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

    /// Lets islands at rest fall asleep, or wakes everything and keeps it awake.
    pub fn set_sleeping_enabled(&mut self, enabled: bool) {
        self.log.report(|| Call::SetSleepingEnabled { enabled });
        self.state.settings_mut().sleeping = u32::from(enabled);
        if !enabled {
            self.state.wake_all();
        }
    }

    /// Whether fast bodies are swept.
    pub fn is_continuous(&self) -> bool {
        self.settings().continuous != 0
    }

    /// Has fast bodies swept from the next step on, or not.
    pub fn set_continuous(&mut self, enabled: bool) {
        self.log.report(|| Call::SetContinuous { enabled });
        self.state.settings_mut().continuous = u32::from(enabled);
    }

    /// Changes the speeds of approach, in meters per second, from which contacts bounce and hits are reported.
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

    /// Changes how stiff contacts are, as oscillations per second, their damping, and how fast overlapping bodies are
    /// pushed apart at most, in meters per second.
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

    /// Changes how fast a body may move at most, in meters per second.
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

    /// Which pieces of a cut are debris, and what becomes of them.
    pub fn debris(&self) -> Debris {
        self.settings().debris()
    }

    /// Changes which pieces of later cuts are debris, and what becomes of them.
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

    /// Changes the algorithm that keeps islands, and wakes everything. The islands are found anew from what touches and
    /// what is joined, so that bodies move as they would have. Costs the whole world.
    pub fn set_island_algorithm(&mut self, algorithm: IslandAlgorithm) {
        self.log.report(|| Call::SetIslandAlgorithm { algorithm });
        self.state.wake_all();
        self.state.find_islands_with(algorithm);
    }
}
