//! [`SceneRule`]: a contact rule of a scene for two materials or two categories; and the reader of the section
//! `rules`.

use alloc::format;
use alloc::vec::Vec;

use serde::de::{MapAccess, SeqAccess};
use tombolo_physics::{ANY_CATEGORY, ANY_MATERIAL, ContactRule, PhysicsError};

use super::reader::{FieldReader, Over, Properties, Reader};
use super::rule_fields::{RULE_FIELDS, RuleField, RulePlace};
use super::values::EachElement;
use crate::component::MATERIAL_MAX;

/// A contact rule from the section `rules`, for two materials or for two categories.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneRule {
    /// The number of one material; [`ANY_MATERIAL`] if the file names none.
    pub first: u32,
    /// The number of the other material, likewise.
    pub second: u32,
    /// The bit of one category; [`ANY_CATEGORY`] if the file names none. With either category the rule is for
    /// categories.
    pub first_category: u64,
    /// The bit of the other category, likewise.
    pub second_category: u64,
    /// The values that override those of the shapes.
    pub rule: ContactRule,
}

impl SceneRule {
    /// Whether the rule is for categories and not for materials.
    pub fn is_of_categories(&self) -> bool {
        self.first_category != ANY_CATEGORY || self.second_category != ANY_CATEGORY
    }

    /// Checks that physics accepts the rule.
    fn validate(&self) -> Result<(), PhysicsError> {
        if self.is_of_categories() {
            self.rule
                .validate_for_categories(self.first_category, self.second_category)
        } else {
            self.rule.validate_for(self.first, self.second)
        }
    }

    /// Whether another rule is for the same pair.
    pub(crate) fn is_about_the_same(&self, other: &Self) -> bool {
        fn are_same<T: PartialEq>([first, second]: [T; 2], other: [T; 2]) -> bool {
            let [other_first, other_second] = other;
            first == other_first && second == other_second || first == other_second && second == other_first
        }
        self.is_of_categories() == other.is_of_categories()
            && are_same([self.first, self.second], [other.first, other.second])
            && are_same(
                [self.first_category, self.second_category],
                [other.first_category, other.second_category],
            )
    }
}

impl Default for SceneRule {
    fn default() -> Self {
        Self {
            first: ANY_MATERIAL,
            second: ANY_MATERIAL,
            first_category: ANY_CATEGORY,
            second_category: ANY_CATEGORY,
            rule: ContactRule::default(),
        }
    }
}

/// The names of what a rule is for; those of its values are in [`RULE_FIELDS`].
const PAIR_NAMES: [&str; 4] = ["first", "second", "first_category", "second_category"];

/// All names of an element of the section.
const NAMES: [&str; PAIR_NAMES.len() + RULE_FIELDS.len()] = {
    let mut names = [""; PAIR_NAMES.len() + RULE_FIELDS.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = if place < PAIR_NAMES.len() {
            PAIR_NAMES[place]
        } else {
            RULE_FIELDS[place - PAIR_NAMES.len()].name
        };
        place += 1;
    }
    names
};

impl Properties for SceneRule {
    fn names(&self) -> &'static [&'static str] {
        &NAMES
    }

    fn read<'de, A: MapAccess<'de>>(
        &mut self,
        name: &str,
        field: &mut FieldReader<'_, '_, A>,
    ) -> Result<(), A::Error> {
        match name {
            "first" => self.first = field.count(0, MATERIAL_MAX)?,
            "second" => self.second = field.count(0, MATERIAL_MAX)?,
            "first_category" => self.first_category = field.bits()?,
            "second_category" => self.second_category = field.bits()?,
            _ => match RuleField::of_name(name).map(|field| field.place) {
                Some(RulePlace::Number(place, range)) => *place(&mut self.rule) = Some(field.number(range)?),
                Some(RulePlace::Vector(place)) => *place(&mut self.rule) = Some(field.vector()?),
                Some(RulePlace::Flag(place)) => *place(&mut self.rule) = field.plain()?,
                None => return Err(field.refuse("no such property")),
            },
        }
        Ok(())
    }
}

/// Reads the section `rules`.
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
        if rule.is_of_categories() && [rule.first, rule.second] != [ANY_MATERIAL; 2] {
            return Err(reader.refuse("about materials and categories at once; write two rules"));
        }
        let checked = rule.validate();
        checked.map_err(|error| reader.refuse(format!("{error}")))?;
        if self.rules.iter().any(|other| rule.is_about_the_same(other)) {
            let what = if rule.is_of_categories() {
                "categories"
            } else {
                "materials"
            };
            return Err(reader.refuse(format!("two rules for the same two {what}; keep one")));
        }
        self.rules.push(rule);
        Ok(true)
    }
}
