//! [`BodyControl`]: the values that only some bodies have: fixed axes, a mass of their own, lasting forces, speed
//! limits; and, in a list of their own, extra substeps.
//!
//! [`BodyControl`] records are in an array by body index that reaches only to the last body that has any of these
//! values; the flag [`flag::CONTROLLED`](crate::body::flag::CONTROLLED) of a body says whether its element is in use.
//! Worlds that use none of these values pay nothing.

use crate::PhysicsError;
use crate::constants::{EXTRA_SUBSTEPS_MAX, SPIN_MAX_RAD_S, VELOCITY_MAX_M_S};
use crate::error::{Range, mass};
use glam::Vec2;
use tombolo_geometry::math::sqrt;
use tombolo_geometry::plain_data;
use tombolo_geometry::shape::MassProperties;

plain_data! {
    /// The values that only some bodies have.
    #[derive(Debug, PartialEq)]
    pub(crate) struct BodyControl {
        /// Force in newtons in every step.
        pub(crate) lasting_force: Vec2,
        /// Torque in newton meters in every step.
        pub(crate) lasting_torque: f32,
        /// Greatest speed, in meters per second.
        pub(crate) speed_max: f32,
        /// Greatest angular speed, in radians per second.
        pub(crate) spin_max: f32,
        /// Additional mass in kilograms, beside that of the shapes.
        pub(crate) added_mass: f32,
        /// Replaces the mass properties of the shapes, if its mass is not 0.
        pub(crate) own_mass: MassProperties,
        /// The dominance: in a contact the body of greater dominance is not moved by the other.
        pub(crate) dominance: i32,
        /// For x and for y: 1 if the center of mass does not move along the axis.
        pub(crate) fixed_axes: [u32; 2],
    }
}

plain_data! {
    /// An entry of a body with extra substeps.
    #[derive(Debug, PartialEq, Eq)]
    pub(crate) struct ExtraSubsteps {
        /// The index of the body.
        pub(crate) body: u32,
        /// The number of extra substeps, at least 1.
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
    /// Checks that the numbers are in the ranges that definitions and calls may give.
    pub(crate) fn check(&self) -> Result<(), PhysicsError> {
        Range::FORCE.check_vector("lasting_force", self.lasting_force)?;
        Range::FORCE.check("lasting_torque", self.lasting_torque)?;
        Range::SPEED.check("speed_max", self.speed_max)?;
        Range::SPIN_LIMIT.check("spin_max", self.spin_max)?;
        mass("added_mass", self.added_mass)?;
        check_own_mass(&self.own_mass)?;
        check_dominance(self.dominance)
    }

    /// Whether both axes are fixed.
    pub(crate) fn is_held(&self) -> bool {
        self.fixed_axes == [1; 2]
    }

    /// A velocity without its components along fixed axes.
    pub(crate) fn on_free_axes(&self, velocity: Vec2) -> Vec2 {
        let [x, y] = self.fixed_axes.map(|fixed| fixed != 0);
        Vec2::new(if x { 0.0 } else { velocity.x }, if y { 0.0 } else { velocity.y })
    }

    /// Velocities without what is along fixed axes, clamped to the body's own limits: the linear one in its direction.
    pub(crate) fn limit(&self, linear: Vec2, angular: f32) -> (Vec2, f32) {
        let linear = self.on_free_axes(linear);
        let speed_squared = linear.length_squared();
        let linear = if speed_squared > self.speed_max * self.speed_max {
            linear * (self.speed_max / sqrt(speed_squared))
        } else {
            linear
        };
        (linear, angular.clamp(-self.spin_max, self.spin_max))
    }

    /// The mass properties of a body whose shapes have those of `shapes`. The additional mass is distributed like the
    /// other mass.
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

/// Returns an error if the mass properties of a body's own are out of range.
pub(crate) fn check_own_mass(own: &MassProperties) -> Result<(), PhysicsError> {
    mass("own_mass mass", own.mass)?;
    mass("own_mass inertia", own.inertia)?;
    Range::POSITION.check_vector("own_mass center", own.center)
}

/// Returns an error if a body has more extra substeps than allowed.
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

/// Returns an error if a dominance is out of range.
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
