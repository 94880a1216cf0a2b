//! Errors of naming, reading and writing properties. Each error names the relevant words of the path.

use alloc::boxed::Box;
use core::fmt;

use crate::entities::Entity;
use crate::value::Kind;

/// The reason why a property cannot be read or written. Nothing is changed then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PropertyError {
    /// The path is not of the form `component.property` or `component.property.part`.
    #[error("`{path}` is not a path; write component.property or component.property.part")]
    Path {
        /// The text that was given.
        path: Box<str>,
    },
    /// The entity is dead.
    #[error("{entity:?} is not alive (asked for `{path}`)")]
    NoEntity {
        /// The entity.
        entity: Entity,
        /// The path that was requested.
        path: Box<str>,
    },
    /// The entity has no component of this name.
    #[error("{entity:?} has no component `{component}`; it has: {known}")]
    NoComponent {
        /// The entity.
        entity: Entity,
        /// The component's name.
        component: Box<str>,
        /// The names of its components.
        known: Box<str>,
    },
    /// The component is in the index, but its manager destroyed it.
    #[error("component `{component}` of {entity:?} is no longer held by its manager `{manager}`")]
    NoInstance {
        /// The entity.
        entity: Entity,
        /// The component's name.
        component: Box<str>,
        /// The manager's name.
        manager: Box<str>,
    },
    /// The component's manager has no property of this name.
    #[error("component `{component}` ({manager}) has no property `{property}`; it has: {known}")]
    NoProperty {
        /// The component's name.
        component: Box<str>,
        /// The manager's name.
        manager: Box<str>,
        /// The property's name.
        property: Box<str>,
        /// The names of its properties.
        known: Box<str>,
    },
    /// The property's kind has no such part, or the list has no such element.
    #[error("`{path}`: a {kind} has no part `{part}`")]
    NoPart {
        /// The whole path.
        path: Box<str>,
        /// The property's kind.
        kind: Kind,
        /// The part.
        part: Box<str>,
    },
    /// The value is of another kind.
    #[error("`{path}` is {wanted}, not {got}")]
    WrongKind {
        /// The whole path.
        path: Box<str>,
        /// The kind of the property or part.
        wanted: Kind,
        /// The kind of the given value.
        got: Kind,
    },
    /// A number lies outside the property's range.
    #[error(
        "`{path}` must {}lie between {} and {}{}{unit}; {} does not",
        if *or_zero { "be 0 or " } else { "" },
        ShortNumber(*min),
        ShortNumber(*max),
        if unit.is_empty() { "" } else { " " },
        ShortNumber(*value)
    )]
    OutOfRange {
        /// The whole path.
        path: Box<str>,
        /// The unit of the numbers; empty for none.
        unit: &'static str,
        /// The number.
        value: f64,
        /// Whether 0 is allowed too.
        or_zero: bool,
        /// The smallest number allowed.
        min: f64,
        /// The largest number allowed.
        max: f64,
    },
    /// A number is NaN or infinite.
    #[error("`{path}` must be a finite number, not {value}")]
    NotFinite {
        /// The whole path.
        path: Box<str>,
        /// The given number.
        value: f64,
    },
    /// The property is read-only.
    #[error("`{path}` can be read only")]
    ReadOnly {
        /// The whole path.
        path: Box<str>,
    },
    /// The prototype of a batch has been collected.
    #[error("the prototype has been collected (asked for `{path}`)")]
    NoPrototype {
        /// The path that was requested.
        path: Box<str>,
    },
    /// The manager refuses for a reason of its own.
    #[error("`{path}`: {refusal}")]
    Refused {
        /// The whole path.
        path: Box<str>,
        /// The reason.
        refusal: Refusal,
    },
}

impl PropertyError {
    /// The same error with the unit of the property.
    #[cold]
    pub(crate) fn in_unit(mut self, of: &'static str) -> Self {
        if let Self::OutOfRange { unit, .. } = &mut self {
            *unit = of;
        }
        self
    }
}

/// Displays a number for people: with the digits of single precision if it has no more, with an exponent if it is long.
///
/// ```
/// use tombolo_entity::ShortNumber;
/// let shown = [0.1_f32, -25.0, f32::MAX].map(|number| ShortNumber(f64::from(number)).to_string());
/// assert_eq!(shown, ["0.1", "-25", "3.4028235e38"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShortNumber(pub f64);

impl fmt::Display for ShortNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The magnitude from which a number is written with an exponent.
        const LONG: f64 = 1.0e9;
        let single = self.0 as f32;
        match (
            f64::from(single) == self.0,
            self.0.is_finite() && self.0.abs() >= LONG,
        ) {
            (true, true) => write!(f, "{single:e}"),
            (true, false) => write!(f, "{single}"),
            (false, true) => write!(f, "{:e}", self.0),
            (false, false) => write!(f, "{}", self.0),
        }
    }
}

/// The reason why a manager does not accept a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The manager has no such instance: it was destroyed without the index.
    #[error("the manager has no such instance")]
    NoInstance,
    /// The manager has no property at this place of its list.
    #[error("the manager has no such property")]
    NoProperty,
    /// The value is of another kind.
    #[error("is {wanted}, not {got}")]
    WrongKind {
        /// The kind of the property.
        wanted: Kind,
        /// The kind of the value.
        got: Kind,
    },
    /// The property is read-only.
    #[error("can be read only")]
    ReadOnly,
    /// The manager's own reason.
    #[error("{0}")]
    Other(Box<str>),
}
