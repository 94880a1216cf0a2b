//! [`WorldDef`]: the definition of a world; [`Debris`]: its part about cuts; [`Settings`]: the form in which the state
//! stores it.

use crate::constants::{OBJECTS_MAX, SUBSTEPS_MAX};
use crate::error::{self, PhysicsError, Range, non_negative};
use crate::island::IslandAlgorithm;
use crate::shape::Filter;
use glam::Vec2;
use tombolo_geometry::plain_data;

/// The definition of a world.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default)
)]
pub struct WorldDef {
    /// Gravity in meters per second squared; (0, -10) by default, up to a million in each direction.
    pub gravity: Vec2,
    /// Substeps of one step; 4 by default, 1 to 64. More make constraints stiffer and steps more expensive.
    pub substeps: u32,
    /// Whether islands at rest fall asleep; true by default.
    pub sleeping: bool,
    /// The speed of approach in meters per second from which contacts bounce; 1 by default.
    pub restitution_threshold: f32,
    /// The speed of approach in meters per second from which a hit is reported, for shapes with hit events; 1 by
    /// default.
    pub hit_threshold: f32,
    /// Stiffness of contacts as a frequency in hertz, 0 or 0.001 to 10,000; 30 by default. Values above an eighth of
    /// the substep rate have no further effect. The frequency is doubled for contacts with bodies that are not dynamic.
    ///
    /// At rest a contact sinks in by F / (m × ω²): its force, the effective mass at the contact point, and the angular
    /// frequency in radians per second. The effective mass is 1 / (1 / m₁ + 1 / m₂ + r₁² / I₁ + r₂² / I₂) with the
    /// lever arms r of the two bodies, and so less than the mass of the lighter one. With the default and 10 m/s² a
    /// body on one of an eighth of its mass sinks in by 2.5 mm, and four times as deep with half of the substeps.
    ///
    /// With 0 contacts stop what approaches, and part nothing that overlaps.
    pub contact_hertz: f32,
    /// Damping ratio of contacts, 0 to 1,000; 10 by default.
    pub contact_damping_ratio: f32,
    /// The greatest speed at which overlapping bodies are pushed apart, in meters per second; 3 by default, 0 to a
    /// million. It limits no force: whatever presses, a contact bears it at the depth of
    /// [`WorldDef::contact_hertz`].
    pub push_speed_max: f32,
    /// The greatest speed of a dynamic body at the end of a step, in meters per second; 400 by default, 0 to a million.
    /// Within a step contacts and joints may move it faster: a bat that is faster takes it along while they touch.
    /// [`BodyDef::speed_max`](crate::BodyDef::speed_max) limits that too.
    pub speed_max: f32,
    /// Whether continuous collision stops fast bodies where they would pass through static bodies, and bullets where
    /// they would pass through others; true by default.
    pub continuous: bool,
    /// The settings of debris: which pieces of a cut are debris, and how they are treated.
    pub debris: Debris,
    /// The algorithm that maintains the islands.
    pub islands: IslandAlgorithm,
    /// The expected number of objects in the world; zero by default. It affects memory only: results are the same, and
    /// a world may exceed it.
    pub capacity: Capacity,
}

/// The greatest numbers of objects that a world will contain at once, or has contained at once
/// ([`PhysicsWorld::greatest_counts`](crate::PhysicsWorld::greatest_counts)).
///
/// A world that is created with it ([`WorldDef::capacity`]) allocates memory at its creation and not while it runs; the
/// data of a body, its shape and two contacts takes about a kilobyte. The trees over the shapes' boxes grow with their
/// contents in any case. It is not part of the state, of saves or of recordings. Requesting more memory than the
/// machine has ends the program: limit values from untrusted sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default)
)]
pub struct Capacity {
    /// Bodies of all kinds, up to 2²⁹; this limit applies to each of these fields.
    pub bodies: u32,
    /// Shapes, up to 2²⁹.
    pub shapes: u32,
    /// Joints, up to 2²⁹.
    pub joints: u32,
    /// Contacts: pairs of shapes whose fat boxes overlap, touching or not.
    pub contacts: u32,
}

impl Capacity {
    /// Checks the numbers, like [`PhysicsWorld::new`](crate::PhysicsWorld::new).
    ///
    /// # Errors
    ///
    /// Returns the first number that is more than a world can contain.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        for (what, count) in [
            ("capacity bodies", self.bodies),
            ("capacity shapes", self.shapes),
            ("capacity joints", self.joints),
            ("capacity contacts", self.contacts),
        ] {
            if count as usize > OBJECTS_MAX {
                return Err(PhysicsError::InvalidNumber {
                    what,
                    got: count as f32,
                    expected: "a number from 0 to 536870912",
                });
            }
        }
        Ok(())
    }
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
            capacity: Capacity::default(),
        }
    }
}

impl WorldDef {
    /// Checks the numbers, like every call that takes a definition.
    ///
    /// # Errors
    ///
    /// Returns the first number that is out of range, and the accepted range.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        Range::GRAVITY.check_vector("gravity", self.gravity)?;
        check_substeps(self.substeps)?;
        non_negative("restitution_threshold", self.restitution_threshold)?;
        non_negative("hit_threshold", self.hit_threshold)?;
        error::hertz("contact_hertz", self.contact_hertz)?;
        Range::DAMPING_RATIO.check("contact_damping_ratio", self.contact_damping_ratio)?;
        Range::SPEED.check("push_speed_max", self.push_speed_max)?;
        Range::SPEED.check("speed_max", self.speed_max)?;
        self.debris.validate()?;
        self.capacity.validate()
    }
}

pub(crate) fn check_substeps(substeps: u32) -> Result<(), PhysicsError> {
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

/// The settings of debris: which pieces of a cut are too small to be regular bodies, and how they are treated.
///
/// A piece that is nowhere half a millimeter thick vanishes in any case. The greatest piece of a body is never debris.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default)
)]
pub struct Debris {
    /// Pieces of this area or less, in square meters, are debris; 0.0001 by default, a square centimeter.
    pub area_max: f32,
    /// The treatment of debris.
    pub fate: DebrisFate,
}

/// The treatment of debris.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum DebrisFate {
    /// It is removed, with its mass and momentum; an event reports how much.
    #[default]
    Vanish,
    /// It becomes bodies for which [`BodyRef::is_debris`](crate::BodyRef::is_debris) is true, with this filter in place
    /// of their shapes' own.
    Stay(Filter),
}

impl Default for Debris {
    fn default() -> Self {
        Self {
            area_max: 1.0e-4,
            fate: DebrisFate::default(),
        }
    }
}

impl Debris {
    /// The default filter of debris that stays: it collides with everything except other debris.
    pub const FILTER: Filter = Filter {
        category: 1 << 63,
        mask: !(1 << 63),
        group: 0,
    };

    /// Checks the numbers, like every call that takes a definition.
    ///
    /// # Errors
    ///
    /// If the area is negative or not finite.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        non_negative("debris area_max", self.area_max)
    }
}

plain_data! {
    /// The settings of a world in their saved form.
    #[derive(Debug)]
    pub(crate) struct Settings {
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
        /// 1 if continuous collision is on.
        pub(crate) continuous: u32,
        /// 1 if debris stays.
        pub(crate) debris_stays: u32,
        /// Category and mask of the filter of debris that stays.
        pub(crate) debris_bits: [u64; 2],
        /// Group of the filter of debris that stays.
        pub(crate) debris_group: i32,
        /// Greatest area of debris in square meters.
        pub(crate) debris_area_max: f32,
        /// The number of shapes with restitution: without any the solver skips that stage.
        pub(crate) bouncing: u32,
        /// The number of bodies whose dominance is not 0: without any, contacts skip the comparison of dominance.
        pub(crate) dominant_bodies: u32,
    }
}

impl Settings {
    pub(crate) fn new(def: &WorldDef) -> Self {
        let mut settings = Self {
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
            dominant_bodies: 0,
        };
        settings.set_debris(def.debris);
        settings
    }

    pub(crate) fn set_debris(&mut self, debris: Debris) {
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

    /// The definition that these settings come from; they do not contain the island algorithm.
    pub(crate) fn def(&self) -> WorldDef {
        WorldDef {
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
            capacity: Capacity::default(),
        }
    }

    /// Whether the numbers are within the ranges of definitions and calls.
    pub(crate) fn is_sound(&self) -> bool {
        let flags = [self.sleeping, self.continuous, self.debris_stays];
        let is_valid = self.def().validate().is_ok();
        is_valid && flags.iter().all(|&flag| flag <= 1)
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
