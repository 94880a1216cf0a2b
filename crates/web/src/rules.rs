//! Exports for contact rules of materials and of categories.
#![allow(unsafe_code)]

use tombolo_physics::{ContactRule, Vec2};

use crate::exchange::{Failure, Input, Row};
use crate::shapes::material;
use crate::worlds::with_physics;

/// A contact rule. Row: friction, restitution, surface speed, the direction out of the first, whether contacts are
/// ignored, whether they are only reported, the hit threshold.
fn contact_rule(mut row: Row<'_>) -> ContactRule {
    let mut rule = ContactRule::default();
    row.option(&mut rule.friction);
    row.option(&mut rule.restitution);
    row.option(&mut rule.surface_speed);
    let direction = Vec2::new(row.next(), row.next());
    rule.one_way = (!direction.is_nan()).then_some(direction);
    row.flag(&mut rule.ignore);
    row.flag(&mut rule.sensor);
    row.option(&mut rule.hit_threshold);
    rule
}

fn materials(input: &Input) -> Result<[u32; 2], Failure> {
    let [first, second] = input.words()?;
    Ok([material(first)?, material(second)?])
}

/// Sets the rule of two materials (0) or of two categories (1). Words: the two. Row: that of [`contact_rule`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn rule_set(world: u32, categories: u32) -> i32 {
    with_physics(world, |world, input, _| {
        let rule = contact_rule(input.row(2, 8)?);
        if categories != 0 {
            let [first, second] = input.words()?;
            world.set_category_rule(first, second, rule)?;
        } else {
            let [first, second] = materials(input)?;
            world.set_contact_rule(first, second, rule)?;
        }
        Ok(0)
    })
}

/// Removes the rule of two materials (0) or of two categories (1); returns whether there was one. Words: the two.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn rule_remove(world: u32, categories: u32) -> i32 {
    with_physics(world, |world, input, _| {
        let removed = if categories != 0 {
            let [first, second] = input.words()?;
            world.remove_category_rule(first, second)
        } else {
            let [first, second] = materials(input)?;
            world.remove_contact_rule(first, second)
        };
        Ok(usize::from(removed.is_some()))
    })
}
