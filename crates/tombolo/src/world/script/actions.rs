//! What scripts hear of players: the functions that read actions.

use rhai::Engine;

use super::calls::in_call;
use super::engine::charge;

/// Operations that reading an action costs.
const ACTION_COST: usize = 4;

/// Makes them known.
pub(super) fn register(engine: &mut Engine) {
    engine.register_fn("axis", |name: &str| {
        charge(ACTION_COST + name.len() / 32)?;
        in_call(|world, _| Ok(f64::from(world.action(name))))
    });
    engine.register_fn("action", |name: &str| {
        charge(ACTION_COST + name.len() / 32)?;
        in_call(|world, _| Ok(world.is_action_held(name)))
    });
    engine.register_fn("pressed", |name: &str| {
        charge(ACTION_COST + name.len() / 32)?;
        in_call(|world, _| Ok(world.was_action_pressed(name)))
    });
    engine.register_fn("released", |name: &str| {
        charge(ACTION_COST + name.len() / 32)?;
        in_call(|world, _| Ok(world.was_action_released(name)))
    });
    engine.register_fn("has_input", || in_call(|world, _| Ok(world.actions().len() > 0)));
}
