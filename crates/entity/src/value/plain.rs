//! `Plain`: a value that fits two registers, for the fast path from an accessor to a component's field.

use glam::Vec2;

use super::Value;
use crate::entities::Entity;

/// A value of one of the kinds that are set most: small, and without a destructor.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Plain {
    /// Yes or no.
    Bool(bool),
    /// A whole number of 32 bits.
    I32(i32),
    /// A whole number of 32 bits, not negative.
    U32(u32),
    /// A number in single precision.
    F32(f32),
    /// A number in double precision.
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
