//! What only some bodies have: axes on which they do not move, a mass of their own, forces that last, greatest speeds;
//! and, in a list of its own, substeps on top of the world's.
//!
//! [`BodyControl`] is an array by body index that reaches only as far as the last body that has any of it; a body says
//! by [`flag::CONTROLLED`](crate::body::flag::CONTROLLED) whether its place there means anything. Who uses none of it
//! pays nothing.

use crate::PhysicsError;
use crate::constants::{EXTRA_SUBSTEPS_MAX, SPIN_MAX_RAD_S, VELOCITY_MAX_M_S};
use crate::error::{Range, mass};
use glam::Vec2;
use tombolo_geometry::plain_data;
use tombolo_geometry::shape::MassProperties;

plain_data! {
    /// What only some bodies have.
    #[derive(Debug, PartialEq)]
    pub(crate) struct BodyControl {
        /// Newtons in every step.
        pub(crate) lasting_force: Vec2,
        /// Newton meters in every step.
        pub(crate) lasting_torque: f32,
        /// Meters per second.
        pub(crate) speed_max: f32,
        /// Radians per second.
        pub(crate) spin_max: f32,
        /// Kilograms on top of what the shapes weigh.
        pub(crate) added_mass: f32,
        /// In place of what the shapes weigh, if its mass is not 0.
        pub(crate) own_mass: MassProperties,
        /// Greater ones are not moved by contacts with smaller ones.
        pub(crate) dominance: i32,
        /// For x and for y: 1 if the center of mass does not move that way.
        pub(crate) fixed_axes: [u32; 2],
    }
}

plain_data! {
    /// A body that asks for extra substeps.
    #[derive(Debug, PartialEq, Eq)]
    pub(crate) struct ExtraSubsteps {
        /// Its index.
        pub(crate) body: u32,
        /// How many, from 1 on.
        pub(crate) extra: u32,
    }
}

impl Default for BodyControl {
    fn default() -> Self {
        Self {
            lasting_force: Vec2::ZERO,
            lasting_torque: 0.0,
            speed_max: VELOCITY_MAX_M_S,
            spin_max: SPIN_MAX_RAD_S,
            added_mass: 0.0,
            own_mass: MassProperties::default(),
            dominance: 0,
            fixed_axes: [0; 2],
        }
    }
}

impl BodyControl {
    /// Whether the numbers are some that a definition or a call may have given.
    pub(crate) fn check(&self) -> Result<(), PhysicsError> {
        Range::FORCE.check_vector("lasting_force", self.lasting_force)?;
        Range::FORCE.check("lasting_torque", self.lasting_torque)?;
        Range::SPEED.check("speed_max", self.speed_max)?;
        Range::SPIN_LIMIT.check("spin_max", self.spin_max)?;
        mass("added_mass", self.added_mass)?;
        check_own_mass(&self.own_mass)?;
        check_dominance(self.dominance)
    }

    /// Whether neither axis is free.
    pub(crate) fn is_held(&self) -> bool {
        self.fixed_axes == [1; 2]
    }

    /// A velocity without what goes along a fixed axis.
    pub(crate) fn on_free_axes(&self, velocity: Vec2) -> Vec2 {
        let [x, y] = self.fixed_axes.map(|fixed| fixed != 0);
        Vec2::new(if x { 0.0 } else { velocity.x }, if y { 0.0 } else { velocity.y })
    }

    /// What a body weighs whose shapes weigh `shapes`. The mass on top lies as what the body has besides.
    pub(crate) fn mass_of(&self, shapes: MassProperties) -> MassProperties {
        let whole = if self.own_mass.mass > 0.0 {
            self.own_mass
        } else {
            shapes
        };
        let mass = whole.mass + self.added_mass;
        MassProperties {
            mass,
            inertia: if self.added_mass > 0.0 {
                whole.inertia * (mass / whole.mass)
            } else {
                whole.inertia
            },
            center: whole.center,
        }
    }
}

/// Refuses a mass of a body's own that is none.
pub(crate) fn check_own_mass(own: &MassProperties) -> Result<(), PhysicsError> {
    mass("own_mass mass", own.mass)?;
    mass("own_mass inertia", own.inertia)?;
    Range::PLACE.check_vector("own_mass center", own.center)
}

/// Refuses more extra substeps than a body may ask for.
pub(crate) fn check_extra_substeps(extra: u32) -> Result<(), PhysicsError> {
    if extra <= EXTRA_SUBSTEPS_MAX {
        return Ok(());
    }
    Err(PhysicsError::InvalidNumber {
        what: "extra_substeps",
        got: extra as f32,
        expected: "a number from 0 to 64",
    })
}

/// Refuses a dominance that is not a small number.
pub(crate) fn check_dominance(dominance: i32) -> Result<(), PhysicsError> {
    if (-127..=127).contains(&dominance) {
        return Ok(());
    }
    Err(PhysicsError::InvalidNumber {
        what: "dominance",
        got: dominance as f32,
        expected: "a number from -127 to 127",
    })
}
