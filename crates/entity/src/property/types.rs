//! [`PropertyValue`]: the types that a property can have; [`Settable`]: the types that an accessor can set.

use alloc::boxed::Box;
use alloc::vec::Vec;

use glam::{Quat, Vec2, Vec3};

use crate::bytes::Writer;
use crate::entities::Entity;
use crate::value::plain::Plain;
use crate::value::{Color, Kind, Value};

/// A type that a property can have.
pub trait PropertyValue: Sized {
    /// The kind of its values.
    const KIND: Kind;
    /// Converts to a value.
    fn into_value(self) -> Value;
    /// Converts from a value; `None` if that is of another kind.
    fn from_value(value: &Value) -> Option<Self>;

    /// Writes what [`Writer::value`] writes for the value; a type that is saved often does so without making one.
    #[inline]
    fn write(self, out: &mut Writer) {
        out.value(&self.into_value());
    }

    /// Converts to a plain value, for types that are set often.
    #[inline]
    fn plain(&self) -> Option<Plain> {
        None
    }

    /// Converts from a plain value; `None` if that is of another kind, or the type has no plain values.
    #[inline]
    fn from_plain(value: Plain) -> Option<Self> {
        let _ = value;
        None
    }
}

macro_rules! property_values {
    ($($type:ty => $kind:ident by $write:expr $(, as $plain:ident)?;)*) => {$(
        impl PropertyValue for $type {
            const KIND: Kind = Kind::$kind;

            #[inline]
            fn write(self, out: &mut Writer) {
                let write: fn(Self, &mut Writer) = $write;
                write(self, out);
            }

            #[inline]
            fn into_value(self) -> Value {
                Value::$kind(self)
            }

            #[inline]
            fn from_value(value: &Value) -> Option<Self> {
                match value {
                    Value::$kind(value) => Some(value.clone()),
                    _ => None,
                }
            }

            $(#[inline]
            fn plain(&self) -> Option<$plain> {
                Some($plain::$kind(*self))
            }

            #[inline]
            fn from_plain(value: $plain) -> Option<Self> {
                match value {
                    $plain::$kind(value) => Some(value),
                    _ => None,
                }
            })?
        }
    )*};
}

property_values! {
    bool => Bool by |flag, out| out.flag(flag), as Plain;
    i32 => I32 by |number, out| out.u32(number as u32), as Plain;
    u32 => U32 by |number, out| out.u32(number), as Plain;
    f32 => F32 by |number, out| out.f32(number), as Plain;
    f64 => F64 by |number, out| out.u64(number.to_bits()), as Plain;
    Vec2 => Vec2 by |vector, out| out.reals(&vector.to_array()), as Plain;
    Option<Entity> => Entity by |entity, out| out.entity(entity), as Plain;
    i64 => I64 by |number, out| out.u64(number as u64);
    Vec3 => Vec3 by |vector, out| out.reals(&vector.to_array());
    Quat => Quat by |rotation, out| out.reals(&rotation.to_array());
    Color => Color by |Color { r, g, b, a }, out| out.reals(&[r, g, b, a]);
    Box<str> => String by |text, out| out.text(&text);
    Box<[u8]> => Blob by |bytes, out| out.blob(&bytes);
}

impl<V: PropertyValue> PropertyValue for Vec<V> {
    const KIND: Kind = Kind::List(&V::KIND);

    fn write(self, out: &mut Writer) {
        out.length(self.len());
        self.into_iter().for_each(|value| value.write(out));
    }

    fn into_value(self) -> Value {
        Value::List(self.into_iter().map(V::into_value).collect())
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::List(values) => values.iter().map(V::from_value).collect(),
            _ => None,
        }
    }
}

/// A type that an accessor can set: a [`Value`], or a number, flag, vector or the like by itself, which takes less
/// time.
pub trait Settable: Sized {
    /// Converts to a plain value, or if it is none to a value of any kind.
    ///
    /// # Errors
    ///
    /// The value, if it is not plain.
    fn into_plain(self) -> Result<Plain, Value>;
}

impl<V: PropertyValue> Settable for V {
    #[inline]
    fn into_plain(self) -> Result<Plain, Value> {
        self.plain().ok_or_else(|| self.into_value())
    }
}

impl Settable for Value {
    #[inline]
    fn into_plain(self) -> Result<Plain, Value> {
        let plain = match &self {
            Self::Bool(flag) => Plain::Bool(*flag),
            Self::I32(number) => Plain::I32(*number),
            Self::U32(number) => Plain::U32(*number),
            Self::F32(number) => Plain::F32(*number),
            Self::F64(number) => Plain::F64(*number),
            Self::Vec2(vector) => Plain::Vec2(*vector),
            Self::Entity(entity) => Plain::Entity(*entity),
            Self::Choice(place) => Plain::Choice(*place),
            _ => return Err(self),
        };
        // It owns nothing: dropping it would cost a call that finds this out.
        core::mem::forget(self);
        Ok(plain)
    }
}
