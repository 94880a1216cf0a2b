//! Reads the arguments of script functions about contact rules and callbacks, and makes commands of them.

use rhai::Map;
use tombolo_physics::{ANY_MATERIAL, ContactRule};

use super::values::{number, vector};
use crate::scene::{CallbackNames, RULE_FIELDS, RuleField, RulePlace, advice};
use crate::world::command::Command;

/// The command for a rule of two materials, or for its removal.
pub(super) fn rule_command(first: i64, second: i64, given: Option<&Map>) -> Result<Command, String> {
    let rule = given.map(|given| rule_of("set_contact_rule", given));
    Ok(Command::ContactRule {
        materials: [material(first)?, material(second)?],
        rule: rule.transpose()?,
    })
}

/// The command for a rule of two categories, each a bit or 0 for all, or for its removal.
pub(super) fn category_rule_command(first: i64, second: i64, given: Option<&Map>) -> Result<Command, String> {
    let rule = given.map(|given| rule_of("set_category_rule", given));
    Ok(Command::CategoryRule {
        categories: [category(first)?, category(second)?],
        rule: rule.transpose()?,
    })
}

/// The command that sets the callbacks in use.
pub(super) fn naming_callbacks(given: &Map) -> Result<Command, String> {
    const KNOWN: [&str; 3] = ["custom_filter", "pre_solve", "categories"];
    let mut names = CallbackNames::default();
    for (name, value) in given {
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
                let hint = advice(name, KNOWN);
                return Err(format!("use_callbacks: unknown {name:?}; {hint}"));
            }
        }
    }
    Ok(Command::UseCallbacks(names))
}

/// A category's bit, or 0 for all.
fn category(bits: i64) -> Result<u64, String> {
    if bits.count_ones() <= 1 {
        return Ok(bits.cast_unsigned());
    }
    Err(format!(
        "{bits} is no category; give one bit (1, 2, 4, ...), or 0 for all"
    ))
}

/// A material's number, or -1 for all.
fn material(number: i64) -> Result<u32, String> {
    if number == -1 {
        return Ok(ANY_MATERIAL);
    }
    u32::try_from(number)
        .map_err(|_| format!("{number} is no material; give a number from 0 on, or -1 for all"))
}

/// The rule in the map that was given to a function.
fn rule_of(function: &str, given: &Map) -> Result<ContactRule, String> {
    let mut rule = ContactRule::default();
    for (name, value) in given {
        let refused = |kind: &str| format!("{function}: {name} is no {kind}");
        let Some(field) = RuleField::of_name(name) else {
            let hint = advice(name, RULE_FIELDS.iter().map(|field| field.name));
            return Err(format!("{function}: unknown {name:?}; {hint}"));
        };
        match field.place {
            RulePlace::Number(place, _) => {
                let number = number(value).ok_or_else(|| refused("number"))?;
                *place(&mut rule) = Some(number as f32);
            }
            RulePlace::Vector(place) => {
                *place(&mut rule) = Some(vector(value).ok_or_else(|| refused("vector"))?);
            }
            RulePlace::Flag(place) => {
                *place(&mut rule) = value.as_bool().map_err(|_| refused("bool"))?;
            }
        }
    }
    Ok(rule)
}
