//! The options of a lander, and the length of its steps.

/// The length of a step, in seconds.
pub(super) const STEP_S: f32 = 1.0 / 50.0;

/// The options of a [`LunarLander`](super::LunarLander), with Gymnasium's names and defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct LanderOptions {
    /// Whether actions are two numbers for the engines instead of four choices.
    pub continuous: bool,
    /// Gravity in meters per second squared, between -12 and 0, both excluded.
    pub gravity: f64,
    /// Whether wind blows while no leg stands on the ground.
    pub enable_wind: bool,
    /// The greatest force of the wind, in newtons; 0 to 20 are recommended.
    pub wind_power: f64,
    /// The greatest torque of the turbulence, in newton meters; 0 to 2 are recommended.
    pub turbulence_power: f64,
}

impl Default for LanderOptions {
    fn default() -> Self {
        Self {
            continuous: false,
            gravity: -10.0,
            enable_wind: false,
            wind_power: 15.0,
            turbulence_power: 1.5,
        }
    }
}
