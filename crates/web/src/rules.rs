//! Rules for contacts, of materials and of categories.
#![allow(unsafe_code)]

use tombolo_physics::{ContactRule, Vec2};

use crate::exchange::{Failure, Input, Row};
use crate::shapes::material;
use crate::worlds::with_physics;

/// Row: friction, restitution, speed of the surface, the way out of the first, whether it ignores, whether it only senses, the
/// threshold of hits.
fn contact_rule(mut row: Row<'_>) -> ContactRule {
    let mut rule = ContactRule::default();
    row.option(&mut rule.friction);
    row.option(&mut rule.restitution);
    row.option(&mut rule.surface_speed);
    let way = Vec2::new(row.next(), row.next());
    rule.one_way = (!way.is_nan()).then_some(way);
    row.flag(&mut rule.ignore);
    row.flag(&mut rule.sensor);
    row.option(&mut rule.hit_threshold);
    rule
}

fn materials(input: &Input) -> Result<[u32; 2], Failure> {
    let [first, second] = input.words()?;
    Ok([material(first)?, material(second)?])
}

/// Says what contacts of two materials (0) or of two categories (1) are like. Words: the two. Row: what [`contact_rule`] reads.
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

/// Takes the rule of two materials (0) or of two categories (1) away; whether there was one. Words: the two.
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
