//! [`SceneRule`]: what a scene says contacts of two materials are like; and the section `rules` read.

use alloc::format;
use alloc::vec::Vec;

use serde::de::SeqAccess;
use tombolo_physics::{ANY_MATERIAL, ContactRule};

use super::reader::{Over, Reader, properties};
use super::values::{EachElement, NumberRange};
use crate::component::MATERIAL_MAX;

/// A rule for contacts, from the section `rules`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneRule {
    /// The number of one material; [`ANY_MATERIAL`] if the file names none.
    pub first: u32,
    /// The number of the other one, likewise.
    pub second: u32,
    /// What their contacts are like.
    pub rule: ContactRule,
}

impl Default for SceneRule {
    fn default() -> Self {
        Self {
            first: ANY_MATERIAL,
            second: ANY_MATERIAL,
            rule: ContactRule::default(),
        }
    }
}

properties!(SceneRule {
    "first" => first = count(0, MATERIAL_MAX),
    "second" => second = count(0, MATERIAL_MAX),
    "friction" => rule.friction = Some(number(NumberRange::NotNegative)),
    "restitution" => rule.restitution = Some(number(NumberRange::NotNegative)),
    "surface_speed" => rule.surface_speed = Some(number(NumberRange::Any)),
    "one_way" => rule.one_way = Some(vector()),
    "ignore" => rule.ignore = plain(),
    "sensor" => rule.sensor = plain(),
    "hit_threshold" => rule.hit_threshold = Some(number(NumberRange::NotNegative)),
});

/// Reads the section.
pub(super) struct RuleElements<'a> {
    pub(super) reader: &'a Reader<'a>,
    pub(super) rules: &'a mut Vec<SceneRule>,
}

impl EachElement for RuleElements<'_> {
    fn element<'de, A: SeqAccess<'de>>(&mut self, list: &mut A) -> Result<bool, A::Error> {
        let reader = self.reader;
        let mut rule = SceneRule::default();
        let into = &mut rule;
        if list.next_element_seed(Over { reader, into })?.is_none() {
            return Ok(false);
        }
        let checked = rule.rule.validate_for(rule.first, rule.second);
        checked.map_err(|error| reader.refuse(format!("{error}")))?;
        let is_same = |other: &SceneRule| {
            [[other.first, other.second], [other.second, other.first]].contains(&[rule.first, rule.second])
        };
        if self.rules.iter().any(is_same) {
            return Err(reader.refuse("two rules for the same two materials; keep one"));
        }
        self.rules.push(rule);
        Ok(true)
    }
}
