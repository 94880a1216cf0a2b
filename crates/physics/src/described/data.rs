//! [`Data`]: the trait of the arguments of recorded calls, and the macros that implement it for structs and enums.

use super::unfit::Unfit;
use super::value::{Kind, Schema, Value, write_number, write_text};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use tombolo_handles::Handle;

/// A value that a recording can contain. Worlds that are built on physics describe theirs with `data_struct!` and
/// `data_choice!`.
pub trait Data: Sized {
    /// The kind of the value; named types are added to the schema.
    fn kind(schema: &mut Schema) -> Kind;

    /// Writes the value in the form of its kind.
    fn write(&self, out: &mut Vec<u8>);

    /// Creates the value from a read one, by the names of fields.
    ///
    /// # Errors
    ///
    /// If the read value does not fit.
    fn read(value: &Value) -> Result<Self, Unfit>;
}

/// The kind of a field, whose type the compiler infers.
pub fn kind_of_field<S, T: Data>(schema: &mut Schema, _: fn(&S) -> &T) -> Kind {
    T::kind(schema)
}

/// The fields of a value, taken by name.
#[derive(Debug)]
pub struct NamedFields<'a> {
    of: &'a str,
    fields: &'a [(Box<str>, Value)],
}

impl<'a> NamedFields<'a> {
    /// The name of the form, and its fields.
    ///
    /// # Errors
    ///
    /// If the value is of another type.
    pub fn of(value: &'a Value, name: &str) -> Result<(&'a str, Self), Unfit> {
        match value {
            Value::Form { of, form, fields } if **of == *name => Ok((form, Self { of, fields })),
            _ => Err(Unfit::expected(name)),
        }
    }

    /// Sets `place` to a field, if it is present: an older build may not have had it.
    ///
    /// # Errors
    ///
    /// If the field is of another kind.
    pub fn take<T: Data>(&self, name: &str, place: &mut T) -> Result<(), Unfit> {
        if let Some((_, value)) = self.fields.iter().find(|(known, _)| **known == *name) {
            *place = T::read(value)?;
        }
        Ok(())
    }

    /// The value of a required field.
    ///
    /// # Errors
    ///
    /// If the field is missing or of another kind.
    pub fn need<T: Data>(&self, name: &str) -> Result<T, Unfit> {
        let found = self.fields.iter().find(|(known, _)| **known == *name);
        let (_, value) = found.ok_or_else(|| Unfit(format!("a {} has no {name}", self.of)))?;
        T::read(value)
    }

    /// Returns an error for unknown fields: a newer build wrote them, and their meaning is not known here.
    ///
    /// # Errors
    ///
    /// If there is an unknown field.
    pub fn finish(&self, known: &[&str]) -> Result<(), Unfit> {
        match self.fields.iter().find(|(name, _)| !known.contains(&&**name)) {
            Some((name, _)) => Err(Unfit(format!(
                "a {} has a {name}, which this version does not know",
                self.of
            ))),
            None => Ok(()),
        }
    }
}

/// Implements [`Data`](crate::described::Data) for a struct: lists all its fields by name, and its value before any is
/// read.
#[doc(hidden)]
#[macro_export]
macro_rules! data_struct {
    ($name:ident = |$fields:ident| $new:expr; $($field:ident),+ $(,)?) => {
        impl $crate::described::Data for $name {
            fn kind(schema: &mut $crate::described::Schema) -> $crate::described::Kind {
                schema.define(stringify!($name), false, |schema| {
                    $crate::described::only_form(alloc::vec![$((
                        stringify!($field),
                        $crate::described::kind_of_field(schema, |all: &Self| &all.$field),
                    )),+])
                })
            }

            fn write(&self, out: &mut alloc::vec::Vec<u8>) {
                let Self { $($field),+ } = self;
                $( $crate::described::Data::write($field, out); )+
            }

            fn read(
                value: &$crate::described::Value,
            ) -> Result<Self, $crate::described::Unfit> {
                let (_, $fields) = $crate::described::NamedFields::of(value, stringify!($name))?;
                let mut read: Self = $new;
                $( $fields.take(stringify!($field), &mut read.$field)?; )+
                $fields.finish(&[$(stringify!($field)),+])?;
                Ok(read)
            }
        }
    };
}
pub use data_struct;

/// Implements [`Data`](crate::described::Data) for an enum: lists its variants and their fields by name. The one field
/// of a tuple variant gets a name here.
#[doc(hidden)]
#[macro_export]
macro_rules! data_choice {
    ($name:ident { $( $form:ident $({ $($field:ident),* $(,)? })? $(( $inner:ident ))? ),+ $(,)? }) => {
        impl $crate::described::Data for $name {
            fn kind(schema: &mut $crate::described::Schema) -> $crate::described::Kind {
                #[allow(unused_variables)] // by choices whose forms have no fields
                schema.define(stringify!($name), true, |schema| alloc::vec![$(
                    $crate::described::form(stringify!($form), {
                        #[allow(unused_mut)]
                        let mut fields: alloc::vec::Vec<(&str, $crate::described::Kind)> =
                            alloc::vec::Vec::new();
                        $($( fields.push((
                            stringify!($field),
                            $crate::described::kind_of_field(schema, |all: &Self| match all {
                                Self::$form { $field, .. } => $field,
                                #[allow(unreachable_patterns)]
                                _ => unreachable!("it is asked for its type only"),
                            }),
                        )); )*)?
                        $( fields.push((
                            stringify!($inner),
                            $crate::described::kind_of_field(schema, |all: &Self| match all {
                                Self::$form($inner) => $inner,
                                #[allow(unreachable_patterns)]
                                _ => unreachable!("it is asked for its type only"),
                            }),
                        )); )?
                        fields
                    })
                ),+])
            }

            fn write(&self, out: &mut alloc::vec::Vec<u8>) {
                // The numbers of the variants, in the order of the list.
                enum Form { $($form),+ }
                let form = match self { $( Self::$form { .. } => Form::$form, )+ };
                $crate::described::write_number(form as u64, out);
                match self {$(
                    Self::$form $({ $($field),* })? $(( $inner ))? => {
                        $($( $crate::described::Data::write($field, out); )*)?
                        $( $crate::described::Data::write($inner, out); )?
                    }
                )+}
            }

            fn read(
                value: &$crate::described::Value,
            ) -> Result<Self, $crate::described::Unfit> {
                let (form, fields) = $crate::described::NamedFields::of(value, stringify!($name))?;
                match form {
                    $( stringify!($form) => {
                        fields.finish(&[$($(stringify!($field)),*)? $(stringify!($inner))?])?;
                        $($( let $field = fields.need(stringify!($field))?; )*)?
                        $( let $inner = fields.need(stringify!($inner))?; )?
                        Ok(Self::$form $({ $($field),* })? $(( $inner ))?)
                    } )+
                    _ => Err($crate::described::Unfit::new(alloc::format!(
                        "a {} is a {form}, which this version does not know", stringify!($name)
                    ))),
                }
            }
        }
    };
}
pub use data_choice;

/// Implements [`Data`] for numbers of one kind, each stored in a variant of [`Value`].
macro_rules! data_number {
    ($($type:ty: $kind:ident, |$number:ident, $out:ident| $write:expr;)+) => { $(
        impl Data for $type {
            fn kind(_: &mut Schema) -> Kind {
                Kind::$kind
            }

            fn write(&self, $out: &mut Vec<u8>) {
                let $number = *self;
                $write;
            }

            fn read(value: &Value) -> Result<Self, Unfit> {
                match value {
                    Value::$kind(number) => {
                        Self::try_from(*number).map_err(|_| Unfit::expected(stringify!($type)))
                    }
                    _ => Err(Unfit::expected(stringify!($type))),
                }
            }
        }
    )+ };
}

data_number! {
    bool: Bool, |number, out| out.push(u8::from(number));
    u32: Unsigned, |number, out| write_number(u64::from(number), out);
    u64: Unsigned, |number, out| write_number(number, out);
    usize: Unsigned, |number, out| write_number(number as u64, out);
    i8: Signed, |number, out| write_signed(i64::from(number), out);
    i32: Signed, |number, out| write_signed(i64::from(number), out);
    f32: F32, |number, out| out.extend(number.to_bits().to_le_bytes());
    f64: F64, |number, out| out.extend(number.to_bits().to_le_bytes());
}

/// Writes a signed number so that small absolute values take few bytes.
fn write_signed(number: i64, out: &mut Vec<u8>) {
    write_number((number << 1 ^ number >> 63) as u64, out);
}

impl<T: Data> Data for Vec<T> {
    fn kind(schema: &mut Schema) -> Kind {
        Kind::List(Box::new(T::kind(schema)))
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_number(self.len() as u64, out);
        self.iter().for_each(|item| item.write(out));
    }

    fn read(value: &Value) -> Result<Self, Unfit> {
        match value {
            Value::List(items) => items.iter().map(T::read).collect(),
            _ => Err(Unfit::expected("a list")),
        }
    }
}

/// A text is written as its bytes.
impl Data for Box<str> {
    fn kind(_: &mut Schema) -> Kind {
        Kind::Bytes
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_text(self, out);
    }

    fn read(value: &Value) -> Result<Self, Unfit> {
        let text = match value {
            Value::Bytes(bytes) => core::str::from_utf8(bytes).ok(),
            _ => None,
        };
        text.map(Self::from).ok_or_else(|| Unfit::expected("a text"))
    }
}

/// A byte string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

/// A byte string like [`Bytes`]: a single byte is not a [`Data`] by itself.
impl Data for Vec<u8> {
    fn kind(_: &mut Schema) -> Kind {
        Kind::Bytes
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_number(self.len() as u64, out);
        out.extend(self);
    }

    fn read(value: &Value) -> Result<Self, Unfit> {
        match value {
            Value::Bytes(bytes) => Ok(bytes.clone()),
            _ => Err(Unfit::expected("bytes")),
        }
    }
}

impl Data for Bytes {
    fn kind(_: &mut Schema) -> Kind {
        Kind::Bytes
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_number(self.0.len() as u64, out);
        out.extend(&self.0);
    }

    fn read(value: &Value) -> Result<Self, Unfit> {
        match value {
            Value::Bytes(bytes) => Ok(Self(bytes.clone())),
            _ => Err(Unfit::expected("bytes")),
        }
    }
}

impl<T: Data> Data for Option<T> {
    fn kind(schema: &mut Schema) -> Kind {
        Kind::Option(Box::new(T::kind(schema)))
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.is_some()));
        if let Some(item) = self {
            item.write(out);
        }
    }

    fn read(value: &Value) -> Result<Self, Unfit> {
        match value {
            Value::Option(item) => item.as_deref().map(T::read).transpose(),
            _ => Err(Unfit::expected("something or nothing")),
        }
    }
}

/// A handle is written as its bits: a world that makes the same calls issues the same handles.
impl<T> Data for Handle<T> {
    fn kind(_: &mut Schema) -> Kind {
        Kind::Unsigned
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_number(self.to_bits(), out);
    }

    fn read(value: &Value) -> Result<Self, Unfit> {
        let bits = u64::read(value)?;
        Self::from_bits(bits).ok_or_else(|| Unfit::expected("an id"))
    }
}
