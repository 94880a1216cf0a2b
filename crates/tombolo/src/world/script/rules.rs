//! Reads the arguments of script functions about contact rules and callbacks, and makes commands of them.

use rhai::{Dynamic, Map};
use tombolo_physics::{ANY_MATERIAL, ContactRule};

use super::values::{number, vector};
use crate::scene::{CallbackNames, advice};
use crate::world::command::Command;

type Result<T> = core::result::Result<T, String>;

/// The command for a rule of two materials, or for its removal.
pub(super) fn rule_command(first: i64, second: i64, said: Option<&Map>) -> Result<Command> {
    Ok(Command::ContactRule {
        materials: [material(first)?, material(second)?],
        rule: said.map(|said| rule_of("set_contact_rule", said)).transpose()?,
    })
}

/// The command for a rule of two categories, each a bit or 0 for all, or for its removal.
pub(super) fn category_rule_command(first: i64, second: i64, said: Option<&Map>) -> Result<Command> {
    Ok(Command::CategoryRule {
        categories: [category(first)?, category(second)?],
        rule: said.map(|said| rule_of("set_category_rule", said)).transpose()?,
    })
}

/// The command that sets the callbacks in use.
pub(super) fn naming_callbacks(said: &Map) -> Result<Command> {
    const KNOWN: [&str; 3] = ["custom_filter", "pre_solve", "categories"];
    let mut names = CallbackNames::default();
    for (name, value) in said {
        let refused = |kind: &str| format!("use_callbacks: {name} is no {kind}");
        let text = || {
            let text = value.clone().into_immutable_string();
            text.map(|text| text.as_str().into()).map_err(|_| refused("text"))
        };
        match name.as_str() {
            "custom_filter" => names.custom_filter = Some(text()?),
            "pre_solve" => names.pre_solve = Some(text()?),
            "categories" => {
                let bits = value.as_int().map_err(|_| refused("whole number"))?;
                names.categories = bits.cast_unsigned();
            }
            _ => {
                let advice = advice(name, KNOWN);
                return Err(format!("use_callbacks: unknown {name:?}; {advice}"));
            }
        }
    }
    Ok(Command::UseCallbacks(names))
}

/// A category's bit, or 0 for all.
fn category(bits: i64) -> Result<u64> {
    if bits.count_ones() <= 1 {
        return Ok(bits.cast_unsigned());
    }
    Err(format!(
        "{bits} is no category; give one bit (1, 2, 4, ...), or 0 for all"
    ))
}

/// A material's number, or -1 for all.
fn material(number: i64) -> Result<u32> {
    if number == -1 {
        return Ok(ANY_MATERIAL);
    }
    u32::try_from(number)
        .map_err(|_| format!("{number} is no material; give a number from 0 on, or -1 for all"))
}

/// The rule in a map that the function `of` was called with.
fn rule_of(of: &str, said: &Map) -> Result<ContactRule> {
    const KNOWN: [&str; 7] = [
        "friction",
        "restitution",
        "surface_speed",
        "one_way",
        "ignore",
        "sensor",
        "hit_threshold",
    ];
    let mut rule = ContactRule::default();
    for (name, value) in said {
        let refused = |kind: &str| format!("{of}: {name} is no {kind}");
        let size = || {
            number(value)
                .map(|number| number as f32)
                .ok_or_else(|| refused("number"))
        };
        let flag = || Dynamic::as_bool(value).map_err(|_| refused("bool"));
        match name.as_str() {
            "friction" => rule.friction = Some(size()?),
            "restitution" => rule.restitution = Some(size()?),
            "surface_speed" => rule.surface_speed = Some(size()?),
            "hit_threshold" => rule.hit_threshold = Some(size()?),
            "one_way" => rule.one_way = Some(vector(value).ok_or_else(|| refused("vector"))?),
            "ignore" => rule.ignore = flag()?,
            "sensor" => rule.sensor = flag()?,
            _ => {
                let advice = advice(name, KNOWN);
                return Err(format!("{of}: unknown {name:?}; {advice}"));
            }
        }
    }
    Ok(rule)
}
