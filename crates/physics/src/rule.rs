//! Contact rules as data: [`ContactRule`], and the sorted lists in which a world stores and finds them.
//!
//! A rule is looked up by the numbers of two materials in a sorted list; a material that has no rule of its own with
//! the other one is found under [`ANY_MATERIAL`]. A second list has rules for categories of filters, by the numbers of
//! their bits; it is used where the first list has no rule. A flag of each contact tells whether a rule applies to it,
//! so a world without rules pays nothing.
//!
//! A rule is found for a contact by `State::applied_rule` (`objects/rules.rs`); its values are applied in
//! `ContactSurface::apply_rule` (`contact/manifold.rs`), and what it ignores is refused in `objects/should_collide.rs`.

use crate::PhysicsError;
use crate::error::{Range, non_negative};
use crate::shape::ANY_MATERIAL;
use glam::Vec2;
use tombolo_geometry::plain_data;

/// The properties of contacts of two materials or categories. Fields that are `None` or false leave the property as it
/// is without a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default)
)]
pub struct ContactRule {
    /// Coefficient of Coulomb friction, 0 to a million.
    pub friction: Option<f32>,
    /// Coefficient of restitution, 0 to 100.
    pub restitution: Option<f32>,
    /// The relative speed of the surfaces in meters per second, in place of the sum of the two shapes'
    /// ([`ShapeDef::tangent_speed`](crate::ShapeDef::tangent_speed)).
    pub surface_speed: Option<f32>,
    /// The direction out of the first material, in the frame of its body: shapes that move along it pass, and shapes
    /// that move against it collide. A shape that is passing may go on until it has left.
    pub one_way: Option<Vec2>,
    /// Whether the two do not touch each other at all.
    pub ignore: bool,
    /// Whether the two do not push each other: their touch is reported and can be read, and applies no impulse.
    pub sensor: bool,
    /// The speed of approach in meters per second from which a hit is reported, in place of the world's.
    pub hit_threshold: Option<f32>,
}

impl ContactRule {
    /// Checks the numbers, like every call that takes a rule.
    ///
    /// # Errors
    ///
    /// Returns the first number that is out of range, and the accepted range.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        self.friction
            .map_or(Ok(()), |x| Range::FRICTION.check("friction", x))?;
        let restitution = |x| Range::RESTITUTION.check("restitution", x);
        self.restitution.map_or(Ok(()), restitution)?;
        let speed = |x| Range::VELOCITY.check("surface_speed", x);
        self.surface_speed.map_or(Ok(()), speed)?;
        self.hit_threshold
            .map_or(Ok(()), |x| non_negative("hit_threshold", x))?;
        match self.one_way {
            Some(direction) if !((0.001..=1000.0).contains(&direction.length())) => {
                Err(PhysicsError::InvalidNumber {
                    what: "one_way",
                    got: direction.length(),
                    expected: "a direction, of a length from 0.001 to 1000",
                })
            }
            _ => Ok(()),
        }
    }

    /// Checks the numbers, and whether the two materials form a valid pair for the rule.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::set_contact_rule`](crate::PhysicsWorld::set_contact_rule).
    pub fn validate_for(&self, first: u32, second: u32) -> Result<(), PhysicsError> {
        self.validate()?;
        check_pair(
            [
                "material",
                "a material, on one side at least",
                "two different materials, as one of them is passed",
            ],
            [first, second],
            self,
        )
    }

    /// Like [`ContactRule::validate_for`], for two categories, each one bit or [`ANY_CATEGORY`].
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::set_category_rule`](crate::PhysicsWorld::set_category_rule).
    pub fn validate_for_categories(&self, first: u64, second: u64) -> Result<(), PhysicsError> {
        self.validate()?;
        let numbers = [category_number(first)?, category_number(second)?];
        check_pair(
            [
                "category",
                "a category, on one side at least",
                "two different categories, as one of them is passed",
            ],
            numbers,
            self,
        )
    }
}

/// Bits of [`PlainRule::given`].
mod given {
    pub(super) const FRICTION: u32 = 1 << 0;
    pub(super) const RESTITUTION: u32 = 1 << 1;
    pub(super) const SURFACE_SPEED: u32 = 1 << 2;
    pub(super) const ONE_WAY: u32 = 1 << 3;
    pub(super) const IGNORE: u32 = 1 << 4;
    pub(super) const HIT_THRESHOLD: u32 = 1 << 5;
    /// The material with the higher number was named first.
    pub(super) const SWAPPED: u32 = 1 << 6;
    pub(super) const SENSOR: u32 = 1 << 7;
}

plain_data! {
    /// A rule in its saved form.
    #[derive(Debug, PartialEq)]
    pub(crate) struct PlainRule {
        /// The two materials, the lower number first.
        pub(crate) materials: [u32; 2],
        /// Bits of [`given`].
        given: u32,
        friction: f32,
        restitution: f32,
        surface_speed: f32,
        one_way: Vec2,
        hit_threshold: f32,
    }
}

/// Two numbers in ascending order.
pub(crate) fn in_order(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

impl PlainRule {
    pub(crate) fn new(first: u32, second: u32, rule: &ContactRule) -> Self {
        let bits = [
            (given::FRICTION, rule.friction.is_some()),
            (given::RESTITUTION, rule.restitution.is_some()),
            (given::SURFACE_SPEED, rule.surface_speed.is_some()),
            (given::ONE_WAY, rule.one_way.is_some()),
            (given::IGNORE, rule.ignore),
            (given::HIT_THRESHOLD, rule.hit_threshold.is_some()),
            (given::SWAPPED, first > second),
            (given::SENSOR, rule.sensor),
        ];
        Self {
            materials: in_order(first, second),
            given: bits
                .iter()
                .fold(0, |all, &(bit, is)| all | if is { bit } else { 0 }),
            friction: rule.friction.unwrap_or(0.0),
            restitution: rule.restitution.unwrap_or(0.0),
            surface_speed: rule.surface_speed.unwrap_or(0.0),
            one_way: rule.one_way.unwrap_or(Vec2::ZERO),
            hit_threshold: rule.hit_threshold.unwrap_or(0.0),
        }
    }

    fn is(&self, bit: u32) -> bool {
        self.given & bit != 0
    }

    /// The rule as it was set, and the two materials in the order in which they were named.
    pub(crate) fn rule(&self) -> ([u32; 2], ContactRule) {
        let [low, high] = self.materials;
        let materials = if self.is(given::SWAPPED) {
            [high, low]
        } else {
            [low, high]
        };
        let rule = ContactRule {
            friction: self.friction(),
            restitution: self.restitution(),
            surface_speed: self.surface_speed(),
            one_way: self.is(given::ONE_WAY).then_some(self.one_way),
            ignore: self.ignores(),
            sensor: self.is_sensor(),
            hit_threshold: self.hit_threshold(),
        };
        (materials, rule)
    }

    pub(crate) fn friction(&self) -> Option<f32> {
        self.is(given::FRICTION).then_some(self.friction)
    }

    pub(crate) fn restitution(&self) -> Option<f32> {
        self.is(given::RESTITUTION).then_some(self.restitution)
    }

    pub(crate) fn surface_speed(&self) -> Option<f32> {
        self.is(given::SURFACE_SPEED).then_some(self.surface_speed)
    }

    pub(crate) fn hit_threshold(&self) -> Option<f32> {
        self.is(given::HIT_THRESHOLD).then_some(self.hit_threshold)
    }

    pub(crate) fn ignores(&self) -> bool {
        self.is(given::IGNORE)
    }

    pub(crate) fn is_sensor(&self) -> bool {
        self.is(given::SENSOR)
    }

    /// Whether a call about two materials could have produced this.
    pub(crate) fn is_sound(&self) -> bool {
        let ([first, second], rule) = self.rule();
        rule.validate_for(first, second).is_ok() && Self::new(first, second, &rule) == *self
    }

    /// Whether a call about two categories could have produced this.
    pub(crate) fn is_sound_of_categories(&self) -> bool {
        let is_bit = |number: u32| number < u64::BITS || number == ANY_MATERIAL;
        self.materials.into_iter().all(is_bit) && self.is_sound()
    }
}

/// Used in place of a category's bit in a rule: shapes of any category.
pub const ANY_CATEGORY: u64 = 0;

/// The number of a category's bit, by which rules are sorted; [`ANY_MATERIAL`] for [`ANY_CATEGORY`].
pub(crate) fn category_number(category: u64) -> Result<u32, PhysicsError> {
    match category.count_ones() {
        0 => Ok(ANY_MATERIAL),
        1 => Ok(category.trailing_zeros()),
        _ => Err(PhysicsError::InvalidNumber {
            what: "category",
            got: category as f32,
            expected: "one bit, or ANY_CATEGORY on one side",
        }),
    }
}

/// The category with a number of [`category_number`].
pub(crate) fn category_of(number: u32) -> u64 {
    if number == ANY_MATERIAL {
        ANY_CATEGORY
    } else {
        1 << number
    }
}

/// The keys of one of two shapes for the look-up of a rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleSide {
    pub(crate) material: u32,
    /// Category bits of the shape.
    pub(crate) categories: u64,
}

impl RuleSide {
    /// The keys of a shape that is not in the world. If it has all category bits, no rule for a named category matches
    /// it.
    pub(crate) fn of_visitor(material: u32, category: u64) -> Self {
        Self {
            material,
            categories: if category == u64::MAX { 0 } else { category },
        }
    }

    fn has_category(self, number: u32) -> bool {
        number == ANY_MATERIAL || self.categories >> number & 1 != 0
    }
}

/// The rule for two shapes, and which of them matches the one that it names first.
#[derive(Clone, Copy)]
pub(crate) struct FoundRule<'a> {
    pub(crate) rule: &'a PlainRule,
    first: usize,
}

impl FoundRule<'_> {
    /// The one-way platform among the two shapes, 0 or 1, and the direction in which others may pass it, in the frame
    /// of its body.
    pub(crate) fn one_way(&self) -> Option<(usize, Vec2)> {
        let direction = self.rule.one_way;
        self.rule.is(given::ONE_WAY).then_some((self.first, direction))
    }
}

impl core::ops::Deref for FoundRule<'_> {
    type Target = PlainRule;
    fn deref(&self) -> &PlainRule {
        self.rule
    }
}

/// Returns an error for pairs that a rule cannot have.
fn check_pair(
    [what, one, two]: [&'static str; 3],
    [first, second]: [u32; 2],
    rule: &ContactRule,
) -> Result<(), PhysicsError> {
    let refuse = |expected| {
        Err(PhysicsError::InvalidNumber {
            what,
            got: first as f32,
            expected,
        })
    };
    if first == second && first == ANY_MATERIAL {
        return refuse(one);
    }
    if first == second && rule.one_way.is_some() {
        return refuse(two);
    }
    Ok(())
}

/// The rule for two shapes in the list of rules for materials, or else in that for categories.
pub(crate) fn rule_for<'a>(
    of_materials: &'a [PlainRule],
    of_categories: &'a [PlainRule],
    sides: [RuleSide; 2],
) -> Option<FoundRule<'a>> {
    if let Some(rule) = rule_for_materials(of_materials, sides.map(|side| side.material)) {
        let is_material = |side: usize, number: u32| number == ANY_MATERIAL || sides[side].material == number;
        return Some(found(rule, is_material));
    }
    let has = |side: usize, number: u32| sides[side].has_category(number);
    let fits = |rule: &&PlainRule| {
        let [low, high] = rule.materials;
        has(0, low) && has(1, high) || has(1, low) && has(0, high)
    };
    let is_general = |rule: &&PlainRule| rule.materials[1] == ANY_MATERIAL;
    let of_two = of_categories.iter().filter(|rule| !is_general(rule)).find(fits);
    let rule = of_two.or_else(|| of_categories.iter().filter(is_general).find(fits))?;
    Some(found(rule, has))
}

/// A rule that matches two shapes. If both could be the one that it names first, the first of the two is; but if it names
/// [`ANY_MATERIAL`] first, a shape that matches the second number counts as the second.
fn found(rule: &PlainRule, is: impl Fn(usize, u32) -> bool) -> FoundRule<'_> {
    let ([first, second], _) = rule.rule();
    let is_general = first == ANY_MATERIAL && is(0, second);
    let is_first = is(0, first) && is(1, second) && !is_general;
    FoundRule {
        rule,
        first: usize::from(!is_first),
    }
}

/// The rule for two materials in a list that is sorted by materials.
fn rule_for_materials(rules: &[PlainRule], [a, b]: [u32; 2]) -> Option<&PlainRule> {
    let find = |pair: [u32; 2]| {
        let at = rules.binary_search_by_key(&pair, |rule| rule.materials).ok()?;
        Some(&rules[at])
    };
    let [low, high] = in_order(a, b);
    find([low, high])
        .or_else(|| find([low, ANY_MATERIAL]))
        .or_else(|| find([high, ANY_MATERIAL]))
}

/// The parameters of a one-way rule for a contact in this step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OneWayGate {
    /// The unit direction out of the platform, in the world.
    pub(crate) direction: Vec2,
    /// Whether the first shape of the contact is the platform.
    pub(crate) is_first: bool,
    /// The depth in meters that a visitor may have in the platform and still count as coming from outside.
    pub(crate) reach: f32,
    /// Whether the visitor drops through the one-way platforms that it stands on.
    pub(crate) drops: bool,
}
