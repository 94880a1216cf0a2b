//! The forces on the craft: three engines and wind. `mod.rs` applies them in each step.

use super::options::{LanderOptions, STEP_S};
use crate::EnvironmentError;
use crate::environment::Action;
use core::f64::consts::PI;
use tombolo_physics::{BodyId, PhysicsWorld, Position, Vec2};

/// The power of the main engine: newton seconds per meter of offset.
const MAIN_POWER: f64 = 13.0;
/// The power of a side engine, likewise.
const SIDE_POWER: f64 = 0.6;
/// The number of pixels in a meter.
const SCALE: f64 = 30.0;

/// The strength with which an action fires the main engine and a side engine, and the side: -1 is the left one.
fn powers(action: Action<'_>) -> ([f64; 2], f64) {
    match action {
        Action::Discrete(choice) => {
            let main = f64::from(u8::from(choice == 2));
            let side = f64::from(u8::from(choice == 1 || choice == 3));
            ([main, side], (choice - 2) as f64)
        }
        Action::Continuous(numbers) => {
            let number =
                |place: usize| f64::from(numbers.get(place).copied().unwrap_or(0.0).clamp(-1.0, 1.0));
            let (main, side) = (number(0), number(1));
            let main = if main > 0.0 { 0.5 * (main + 1.0) } else { 0.0 };
            let sideward = if side.abs() > 0.5 { side.abs() } else { 0.0 };
            ([main, sideward], if side < 0.0 { -1.0 } else { 1.0 })
        }
    }
}

/// Fires the engines of an action; returns the strengths of the main one and of a side one.
pub(super) fn fire(
    world: &mut PhysicsWorld,
    hull: BodyId,
    action: Action<'_>,
    dispersion: [f64; 2],
) -> Result<[f64; 2], EnvironmentError> {
    let ([main, side], direction) = powers(action);
    let mut body = world.body_mut(hull)?;
    let (place, rotation) = (body.view().position(), body.view().rotation());
    let (sin, cos) = (f64::from(rotation.sin), f64::from(rotation.cos));
    // Along the craft and across it, like in the original: the second component of each is negated below.
    let (tip, across) = ([sin, cos], [-cos, sin]);
    let offset = |along: f64, sideways: f64| {
        [
            tip[0] * along + across[0] * sideways,
            -tip[1] * along - across[1] * sideways,
        ]
    };
    let mut push = |[x, y]: [f64; 2], at: [f64; 2], power: f64| {
        let point = Position::new(
            (f64::from(place.x) + at[0]) as f32,
            (f64::from(place.y) + at[1]) as f32,
        );
        body.apply_impulse_at(Vec2::new((-x * power) as f32, (-y * power) as f32), point)
    };
    if main > 0.0 {
        let thrust = offset(4.0 / SCALE + 2.0 * dispersion[0], dispersion[1]);
        push(thrust, thrust, MAIN_POWER * main)?;
    }
    if side > 0.0 {
        let thrust = offset(dispersion[0], 3.0 * dispersion[1] + direction * 12.0 / SCALE);
        // 17 and 14 pixels: an error of the original that its policies were trained with.
        let at = [
            thrust[0] - tip[0] * 17.0 / SCALE,
            thrust[1] + tip[1] * 14.0 / SCALE,
        ];
        push(thrust, at, SIDE_POWER * side)?;
    }
    Ok([main, side])
}

/// Applies wind for a step: a force and a torque along two patterns that never repeat.
pub(super) fn blow(
    world: &mut PhysicsWorld,
    hull: BodyId,
    options: &LanderOptions,
    places: &mut [i64; 2],
) -> Result<(), EnvironmentError> {
    let [wind, turbulence] = places.map(|place| {
        let place = place as f64;
        libm::tanh(libm::sin(0.02 * place) + libm::sin(PI * 0.01 * place))
    });
    *places = places.map(|place| place.saturating_add(1));
    let mut body = world.body_mut(hull)?;
    body.apply_impulse(Vec2::new((wind * options.wind_power) as f32 * STEP_S, 0.0))?;
    body.apply_angular_impulse((turbulence * options.turbulence_power) as f32 * STEP_S)?;
    Ok(())
}
