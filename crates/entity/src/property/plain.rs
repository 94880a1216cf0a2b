//! `Plain`: a value that fits two registers, for the fast path from an accessor to a component's field.

use glam::Vec2;

use super::schema::PropertyValue;
use super::value::Value;
use crate::entities::Entity;

/// A value of one of the kinds that are set most: small, and nothing to give back when it is dropped.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Plain {
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    I32(i32),
    /// A whole number, not negative.
    U32(u32),
    /// A number.
    F32(f32),
    /// A precise number.
    F64(f64),
    /// A point or direction in the plane.
    Vec2(Vec2),
    /// An entity or none.
    Entity(Option<Entity>),
    /// One of a few words, by its place.
    Choice(u32),
}

const _: () = assert!(size_of::<Plain>() == 16);

impl From<Plain> for Value {
    fn from(plain: Plain) -> Self {
        match plain {
            Plain::Bool(flag) => Self::Bool(flag),
            Plain::I32(number) => Self::I32(number),
            Plain::U32(number) => Self::U32(number),
            Plain::F32(number) => Self::F32(number),
            Plain::F64(number) => Self::F64(number),
            Plain::Vec2(vector) => Self::Vec2(vector),
            Plain::Entity(entity) => Self::Entity(entity),
            Plain::Choice(place) => Self::Choice(place),
        }
    }
}

/// What an accessor can set: a [`Value`], or a number, flag, vector or the like by itself, which takes less time.
pub trait Settable: Sized {
    /// The value, if it is plain.
    fn plain(&self) -> Option<Plain>;

    /// As a value of any kind.
    fn into_value(self) -> Value;
}

impl<V: PropertyValue> Settable for V {
    #[inline]
    fn plain(&self) -> Option<Plain> {
        PropertyValue::plain(self)
    }

    fn into_value(self) -> Value {
        PropertyValue::into_value(self)
    }
}

impl Settable for Value {
    #[inline]
    fn plain(&self) -> Option<Plain> {
        Some(match self {
            Self::Bool(flag) => Plain::Bool(*flag),
            Self::I32(number) => Plain::I32(*number),
            Self::U32(number) => Plain::U32(*number),
            Self::F32(number) => Plain::F32(*number),
            Self::F64(number) => Plain::F64(*number),
            Self::Vec2(vector) => Plain::Vec2(*vector),
            Self::Entity(entity) => Plain::Entity(*entity),
            Self::Choice(place) => Plain::Choice(*place),
            _ => return None,
        })
    }

    fn into_value(self) -> Value {
        self
    }
}
