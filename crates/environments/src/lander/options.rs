//! What a lander can be made with, and the length of its steps.

/// Seconds of a step.
pub(super) const STEP_S: f32 = 1.0 / 50.0;

/// What a [`LunarLander`](super::LunarLander) is made with; Gymnasium's names and defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct LanderOptions {
    /// Two numbers for the engines in place of four choices.
    pub continuous: bool,
    /// Meters per second squared, between -12 and 0, both excluded.
    pub gravity: f64,
    /// Whether wind blows while no leg stands on the ground.
    pub enable_wind: bool,
    /// Newtons of the strongest wind; 0 to 20 are recommended.
    pub wind_power: f64,
    /// Newton meters of the strongest turbulence; 0 to 2 are recommended.
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
