//! [`Limits`]: the values that a property accepts, and the check of a value against them.

use super::error::PropertyError;
use crate::value::plain::Plain;
use crate::value::{Kind, Value};

/// The values that a property, or a part of it, accepts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The kind of the whole property.
    pub(crate) kind: Kind,
    pub(crate) part: Option<u32>,
    pub(crate) range: Option<(f64, f64)>,
    pub(crate) zero_or_from: Option<f64>,
    pub(crate) read_only: bool,
    /// The range of [`Limits::admits`]: all numbers from `least` to `most` are accepted. Nothing is in between if the property
    /// cannot be written, is a part, or has a gap in its range.
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Limits {
    /// The limits of no property, which accept nothing.
    pub(crate) const NOTHING: Self = Self {
        kind: Kind::Bool,
        part: None,
        range: None,
        zero_or_from: None,
        read_only: true,
        least: f64::INFINITY,
        most: f64::NEG_INFINITY,
    };

    /// Lets [`Limits::admits`] answer that the full check is needed, whatever the value.
    pub(crate) const fn admit_nothing(&mut self) {
        (self.least, self.most) = (Self::NOTHING.least, Self::NOTHING.most);
    }

    /// Whether a whole value is of the right kind, finite and in range. A `false` may also mean that the full check is
    /// needed.
    #[inline]
    pub(crate) fn admits(&self, value: Plain) -> bool {
        // NaN is outside every range.
        let is_in = |number: f64| self.least <= number && number <= self.most;
        let is_any = self.least <= self.most;
        match (self.kind, value) {
            (Kind::F32, Plain::F32(number)) => is_in(f64::from(number)),
            (Kind::F64, Plain::F64(number)) => is_in(number),
            (Kind::I32, Plain::I32(number)) => is_in(f64::from(number)),
            (Kind::U32, Plain::U32(number)) => is_in(f64::from(number)),
            (Kind::Vec2, Plain::Vec2(v)) => is_in(f64::from(v.x)) && is_in(f64::from(v.y)),
            (Kind::Choice(words), Plain::Choice(place)) => is_any && (place as usize) < words.len(),
            (Kind::Bool, Plain::Bool(_)) | (Kind::Entity, Plain::Entity(_)) => is_any,
            _ => false,
        }
    }

    /// The value in the property's own form, if it is of the right kind, finite and in range. An error lacks the unit,
    /// which the caller adds.
    #[inline]
    pub(crate) fn check(&self, path: &str, value: Value) -> Result<Value, PropertyError> {
        if self.read_only {
            return Err(PropertyError::ReadOnly { path: path.into() });
        }
        let wanted = match self.part {
            Some(_) => self.kind.part_kind(),
            None => self.kind,
        };
        let value = match wanted.holds(&value) {
            true => value,
            false => wanted.accept(&value).ok_or_else(|| PropertyError::WrongKind {
                path: path.into(),
                wanted,
                got: value.kind(),
            })?,
        };
        self.check_numbers(path, &value)?;
        Ok(value)
    }

    #[inline]
    fn check_numbers(&self, path: &str, value: &Value) -> Result<(), PropertyError> {
        let (min, max) = self.range.unwrap_or((f64::MIN, f64::MAX));
        let is_in = |number: f64| {
            let in_gap = |from: f64| 0.0 < number && number < from;
            (min..=max).contains(&number) && !self.zero_or_from.is_some_and(in_gap)
        };
        if let Value::F32(number) = value
            && is_in(f64::from(*number))
        {
            // The values that scripts set most.
            return Ok(());
        }
        let mut outside = None;
        value.numbers(&mut |number| {
            // NaN is outside every range.
            if !is_in(number) {
                outside.get_or_insert(number);
            }
        });
        match outside {
            None => Ok(()),
            Some(value) if !value.is_finite() => Err(PropertyError::NotFinite {
                path: path.into(),
                value,
            }),
            Some(value) => Err(PropertyError::OutOfRange {
                path: path.into(),
                unit: "",
                value,
                or_zero: self.zero_or_from.is_some(),
                min: self.zero_or_from.unwrap_or(min),
                max,
            }),
        }
    }
}
