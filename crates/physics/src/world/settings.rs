//! [`WorldDef`]: the definition of a world; [`Settings`]: how the state stores it.

use super::PhysicsWorld;
use crate::constants::SUBSTEPS_MAX;
use crate::error::{self, Range, non_negative};
use crate::{Debris, DebrisFate, Filter, IslandAlgorithm, PhysicsError};
use glam::Vec2;
use tombolo_geometry::plain_data;

/// What to create a world from.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldDef {
    /// Meters per second squared; (0, -10) by default, up to a million in each direction.
    pub gravity: Vec2,
    /// Substeps of one step; 4 by default, 1 to 64. More are stiffer and dearer.
    pub substeps: u32,
    /// Whether islands at rest fall asleep; true by default.
    pub sleeping: bool,
    /// Meters per second of approach from which contacts bounce; 1 by default.
    pub restitution_threshold: f32,
    /// Meters per second of approach from which a hit is reported, for shapes that ask for it; 1 by default.
    pub hit_threshold: f32,
    /// Stiffness of contacts, oscillations per second, 0 or 0.001 to 10,000; 30 by default. Contacts with static bodies are
    /// twice as stiff.
    pub contact_hertz: f32,
    /// Damping of contacts, 0 to 1,000; 10 by default.
    pub contact_damping_ratio: f32,
    /// Meters per second at which overlapping bodies are pushed apart at most; 3 by default, 0 to a million.
    pub push_speed_max: f32,
    /// Meters per second that a body moves at most; 400 by default, 0 to a million.
    pub speed_max: f32,
    /// Whether fast bodies are stopped where they would pass through static bodies, and bullets where they would pass
    /// through others; true by default.
    pub continuous: bool,
    /// Which pieces of a cut are too small to be bodies like others, and what becomes of them.
    pub debris: Debris,
    /// Which algorithm keeps the islands.
    pub islands: IslandAlgorithm,
}

impl Default for WorldDef {
    fn default() -> Self {
        Self {
            gravity: Vec2::new(0.0, -10.0),
            substeps: 4,
            sleeping: true,
            restitution_threshold: 1.0,
            hit_threshold: 1.0,
            contact_hertz: 30.0,
            contact_damping_ratio: 10.0,
            push_speed_max: 3.0,
            speed_max: 400.0,
            continuous: true,
            debris: Debris::default(),
            islands: IslandAlgorithm::default(),
        }
    }
}

impl WorldDef {
    /// Checks the numbers, as whatever takes this does.
    ///
    /// # Errors
    ///
    /// Names the first number that is out of range, and what was expected.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        Range::GRAVITY.check_vector("gravity", self.gravity)?;
        check_substeps(self.substeps)?;
        non_negative("restitution_threshold", self.restitution_threshold)?;
        non_negative("hit_threshold", self.hit_threshold)?;
        error::hertz("contact_hertz", self.contact_hertz)?;
        Range::DAMPING_RATIO.check("contact_damping_ratio", self.contact_damping_ratio)?;
        Range::SPEED.check("push_speed_max", self.push_speed_max)?;
        Range::SPEED.check("speed_max", self.speed_max)?;
        self.debris.validate()
    }
}

fn check_substeps(substeps: u32) -> Result<(), PhysicsError> {
    if (1..=SUBSTEPS_MAX).contains(&substeps) {
        Ok(())
    } else {
        let expected = "a number between 1 and 64";
        Err(PhysicsError::InvalidNumber {
            what: "substeps",
            got: substeps as f32,
            expected,
        })
    }
}

/// Steps that a save may say were made: none would reach it, and a world that is restored there can go on for as long
/// again.
const STEP_INDEX_MAX: u64 = 1 << 62;

plain_data! {
    /// The settings of a world and how often it stepped, as they are saved.
    #[derive(Debug)]
    pub(crate) struct Settings {
        /// Steps made.
        pub(crate) step_index: u64,
        pub(crate) gravity: Vec2,
        pub(crate) substeps: u32,
        /// 1 if islands at rest fall asleep.
        pub(crate) sleeping: u32,
        pub(crate) restitution_threshold: f32,
        pub(crate) hit_threshold: f32,
        pub(crate) contact_hertz: f32,
        pub(crate) contact_damping_ratio: f32,
        pub(crate) push_speed_max: f32,
        pub(crate) speed_max: f32,
        /// 1 if fast bodies are swept.
        pub(crate) continuous: u32,
        /// 1 if debris stays.
        pub(crate) debris_stays: u32,
        /// Category and mask of debris that stays.
        pub(crate) debris_bits: [u64; 2],
        /// Group of debris that stays.
        pub(crate) debris_group: i32,
        /// Square meters.
        pub(crate) debris_area_max: f32,
        /// How many shapes bounce: without any the solver leaves that stage out.
        pub(crate) bouncing: u32,
        /// 0.
        pub(crate) unused: u32,
    }
}

impl Settings {
    pub(crate) fn new(def: &WorldDef) -> Self {
        let mut settings = Self {
            step_index: 0,
            gravity: def.gravity,
            substeps: def.substeps,
            sleeping: u32::from(def.sleeping),
            restitution_threshold: def.restitution_threshold,
            hit_threshold: def.hit_threshold,
            contact_hertz: def.contact_hertz,
            contact_damping_ratio: def.contact_damping_ratio,
            push_speed_max: def.push_speed_max,
            speed_max: def.speed_max,
            continuous: u32::from(def.continuous),
            debris_stays: 0,
            debris_bits: [0; 2],
            debris_group: 0,
            debris_area_max: 0.0,
            bouncing: 0,
            unused: 0,
        };
        settings.set_debris(def.debris);
        settings
    }

    fn set_debris(&mut self, debris: Debris) {
        let filter = match debris.fate {
            DebrisFate::Vanish => None,
            DebrisFate::Stay(filter) => Some(filter),
        };
        self.debris_stays = u32::from(filter.is_some());
        let Filter {
            category,
            mask,
            group,
        } = filter.unwrap_or_default();
        self.debris_bits = [category, mask];
        self.debris_group = group;
        self.debris_area_max = debris.area_max;
    }

    /// Whether the numbers are some that a definition or a call may have given.
    pub(crate) fn is_sound(&self) -> bool {
        let def = WorldDef {
            gravity: self.gravity,
            substeps: self.substeps,
            sleeping: self.sleeping != 0,
            restitution_threshold: self.restitution_threshold,
            hit_threshold: self.hit_threshold,
            contact_hertz: self.contact_hertz,
            contact_damping_ratio: self.contact_damping_ratio,
            push_speed_max: self.push_speed_max,
            speed_max: self.speed_max,
            continuous: self.continuous != 0,
            debris: self.debris(),
            islands: IslandAlgorithm::default(),
        };
        let flags = [self.sleeping, self.continuous, self.debris_stays];
        def.validate().is_ok()
            && flags.iter().all(|&flag| flag <= 1)
            && self.step_index <= STEP_INDEX_MAX
            && self.unused == 0
    }

    pub(crate) fn debris(&self) -> Debris {
        let [category, mask] = self.debris_bits;
        let filter = Filter {
            category,
            mask,
            group: self.debris_group,
        };
        Debris {
            area_max: self.debris_area_max,
            fate: if self.debris_stays != 0 {
                DebrisFate::Stay(filter)
            } else {
                DebrisFate::Vanish
            },
        }
    }
}

impl PhysicsWorld {
    pub(crate) fn settings(&self) -> &Settings {
        &self.state.settings[0u32]
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
        Range::GRAVITY.check_vector("gravity", gravity)?;
        self.state.settings[0u32].gravity = gravity;
        self.wake_all();
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
        check_substeps(substeps)?;
        self.state.settings[0u32].substeps = substeps;
        Ok(())
    }

    /// Whether islands at rest fall asleep.
    pub fn is_sleeping_enabled(&self) -> bool {
        self.settings().sleeping != 0
    }

    /// Lets islands at rest fall asleep, or wakes everything and keeps it awake.
    pub fn set_sleeping_enabled(&mut self, enabled: bool) {
        self.state.settings[0u32].sleeping = u32::from(enabled);
        if !enabled {
            self.wake_all();
        }
    }

    /// Whether fast bodies are swept.
    pub fn is_continuous(&self) -> bool {
        self.settings().continuous != 0
    }

    /// Has fast bodies swept from the next step on, or not.
    pub fn set_continuous(&mut self, enabled: bool) {
        self.state.settings[0u32].continuous = u32::from(enabled);
    }

    /// Changes the speeds of approach, in meters per second, from which contacts bounce and hits are reported.
    ///
    /// # Errors
    ///
    /// If one is negative or not finite.
    pub fn set_thresholds(&mut self, restitution: f32, hit: f32) -> Result<(), PhysicsError> {
        non_negative("restitution_threshold", restitution)?;
        non_negative("hit_threshold", hit)?;
        let settings = &mut self.state.settings[0u32];
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
        error::hertz("contact_hertz", hertz)?;
        Range::DAMPING_RATIO.check("contact_damping_ratio", damping_ratio)?;
        Range::SPEED.check("push_speed_max", push_speed_max)?;
        let settings = &mut self.state.settings[0u32];
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
        Range::SPEED.check("speed_max", speed_max)?;
        self.state.settings[0u32].speed_max = speed_max;
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
        debris.validate()?;
        self.state.settings[0u32].set_debris(debris);
        Ok(())
    }

    /// Changes the algorithm that keeps islands, and wakes everything. The islands are found anew from what touches and
    /// what is joined, so that bodies move as they would have. Costs the whole world.
    pub fn set_island_algorithm(&mut self, algorithm: IslandAlgorithm) {
        self.wake_all();
        self.state.find_islands_with(algorithm);
    }

    fn wake_all(&mut self) {
        let bodies: alloc::vec::Vec<u32> = self.state.bodies.handles().map(|id| id.index()).collect();
        for body in bodies {
            self.state.wake(body);
        }
    }
}
