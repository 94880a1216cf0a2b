//! Rules for contacts as data: a table from pairs of materials to what the contact of two such shapes is like.
//!
//! A rule is looked up by the numbers of two materials in a sorted list; what has none of its own with the other one is
//! found under [`ANY_MATERIAL`]. Contacts know by a flag whether there is one for them, so a world without rules pays
//! nothing.

use crate::PhysicsError;
use crate::error::{Range, non_negative};
use crate::shape::ANY_MATERIAL;
use glam::Vec2;
use tombolo_geometry::plain_data;

/// What contacts of two materials are like. What is `None` or false is as it would be without a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default)
)]
pub struct ContactRule {
    /// Coulomb friction, 0 to a million.
    pub friction: Option<f32>,
    /// Bounciness, 0 to 100.
    pub restitution: Option<f32>,
    /// Meters per second at which the surfaces run against each other, in place of the sum of the two shapes'
    /// ([`ShapeDef::tangent_speed`](crate::ShapeDef::tangent_speed)).
    pub surface_speed: Option<f32>,
    /// The way out of the first material, a direction in the frame of its body: what comes along it passes, and what
    /// comes against it is held. Who is passing is let pass until it has left.
    pub one_way: Option<Vec2>,
    /// The two do not touch each other at all.
    pub ignore: bool,
    /// The two do not push each other: their touch is told of and can be read, and holds nothing.
    pub sensor: bool,
    /// Meters per second of approach from which a hit is reported, in place of the world's.
    pub hit_threshold: Option<f32>,
}

impl ContactRule {
    /// Checks the numbers, as whatever takes this does.
    ///
    /// # Errors
    ///
    /// Names the first number that is out of range, and what was expected.
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
            Some(way) if !((0.001..=1000.0).contains(&way.length())) => Err(PhysicsError::InvalidNumber {
                what: "one_way",
                got: way.length(),
                expected: "a direction, of a length from 0.001 to 1000",
            }),
            _ => Ok(()),
        }
    }

    /// Checks the numbers, and that the two materials are some that a rule can be about.
    ///
    /// # Errors
    ///
    /// As [`PhysicsWorld::set_contact_rule`](crate::PhysicsWorld::set_contact_rule).
    pub fn validate_for(&self, first: u32, second: u32) -> Result<(), PhysicsError> {
        self.validate()?;
        check_materials(first, second, self)
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
    /// The first material of the two is the higher number.
    pub(super) const SWAPPED: u32 = 1 << 6;
    pub(super) const SENSOR: u32 = 1 << 7;
}

plain_data! {
    /// A rule as it is saved.
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

/// Two numbers in order.
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

    /// Which of two shapes of these materials others may pass, 0 or 1, and along which direction in the frame of its
    /// body.
    pub(crate) fn one_way(&self, of: [u32; 2]) -> Option<(usize, Vec2)> {
        let first = self.materials[usize::from(self.is(given::SWAPPED))];
        // Under the number for all, the other one of the two is the one that was named.
        let side = if first == ANY_MATERIAL {
            usize::from(of[0] == self.materials[0])
        } else {
            usize::from(of[0] != first)
        };
        self.is(given::ONE_WAY).then_some((side, self.one_way))
    }

    /// Whether a call could have left this.
    pub(crate) fn is_sound(&self) -> bool {
        let ([first, second], rule) = self.rule();
        rule.validate_for(first, second).is_ok() && Self::new(first, second, &rule) == *self
    }
}

/// Refuses pairs that no rule can be about.
fn check_materials(first: u32, second: u32, rule: &ContactRule) -> Result<(), PhysicsError> {
    let refuse = |expected| {
        Err(PhysicsError::InvalidNumber {
            what: "material",
            got: first as f32,
            expected,
        })
    };
    if first == second && first == ANY_MATERIAL {
        return refuse("a material, on one side at least");
    }
    if first == second && rule.one_way.is_some() {
        return refuse("two different materials, as one of them is passed");
    }
    Ok(())
}

/// The rule for two materials in a list that is sorted by materials.
pub(crate) fn rule_for(rules: &[PlainRule], a: u32, b: u32) -> Option<&PlainRule> {
    let find = |pair: [u32; 2]| {
        let at = rules.binary_search_by_key(&pair, |rule| rule.materials).ok()?;
        Some(&rules[at])
    };
    let [low, high] = in_order(a, b);
    find([low, high])
        .or_else(|| find([low, ANY_MATERIAL]))
        .or_else(|| find([high, ANY_MATERIAL]))
}

/// How a contact of a one-way rule is to be taken now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gate {
    /// The way out of the platform, of length one, in the world.
    pub(crate) way: Vec2,
    /// Whether the first shape of the contact is the platform.
    pub(crate) is_first: bool,
    /// Meters that a visitor may be in the platform and still have come from outside.
    pub(crate) reach: f32,
    /// Whether the visitor drops through whatever it stands on.
    pub(crate) drops: bool,
}
