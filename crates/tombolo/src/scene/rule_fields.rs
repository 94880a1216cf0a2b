//! The table of a contact rule's fields by their names, which scene files, scripts and inspectors go by.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tombolo_geometry::Vec2;
use tombolo_physics::ContactRule;

use super::values::NumberRange;

/// A field of a contact rule.
#[derive(Clone, Copy)]
pub(crate) struct RuleField {
    pub(crate) name: &'static str,
    pub(crate) place: RulePlace,
}

/// Where a rule has a field, by the kind of its value.
#[derive(Clone, Copy)]
pub(crate) enum RulePlace {
    Number(fn(&mut ContactRule) -> &mut Option<f32>, NumberRange),
    Vector(fn(&mut ContactRule) -> &mut Option<Vec2>),
    Flag(fn(&mut ContactRule) -> &mut bool),
}

impl RuleField {
    /// The field of a name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        RULE_FIELDS.into_iter().find(|field| field.name == name)
    }
}

/// Declares [`RULE_FIELDS`]. A rule's field that is not in the list does not compile.
macro_rules! rule_fields {
    ($($field:ident: $kind:ident $(($range:expr))?),+ $(,)?) => {
        /// The fields, in the order in which messages list them.
        pub(crate) const RULE_FIELDS: [RuleField; [$(stringify!($field)),+].len()] = [$(
            RuleField {
                name: stringify!($field),
                place: RulePlace::$kind(|rule| &mut rule.$field $(, $range)?),
            }
        ),+];

        const _: fn(ContactRule) = |ContactRule { $($field: _),+ }| {};
    };
}

rule_fields! {
    friction: Number(NumberRange::NotNegative),
    restitution: Number(NumberRange::NotNegative),
    surface_speed: Number(NumberRange::Any),
    one_way: Vector,
    ignore: Flag,
    sensor: Flag,
    hit_threshold: Number(NumberRange::NotNegative),
}

/// The fields that a rule sets, in the form of a scene file: `friction: 0.2, one_way: (0, 1), sensor: true`.
#[must_use]
pub fn rule_text(mut rule: ContactRule) -> String {
    let text = |RuleField { name, place }: RuleField| match place {
        RulePlace::Number(number, _) => number(&mut rule).map(|number| format!("{name}: {number}")),
        RulePlace::Vector(vector) => {
            vector(&mut rule).map(|vector| format!("{name}: ({}, {})", vector.x, vector.y))
        }
        RulePlace::Flag(flag) => flag(&mut rule).then(|| format!("{name}: true")),
    };
    RULE_FIELDS
        .into_iter()
        .filter_map(text)
        .collect::<Vec<_>>()
        .join(", ")
}
