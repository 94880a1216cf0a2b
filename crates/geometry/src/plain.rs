//! [`plain_data!`](crate::plain_data) declares structs that may be read and written as bytes, from which worlds are
//! saved, hashed and cloned. The compiler checks what a derive would: every field is plain, and there is no padding.
//! The declaration also gives the [`PlainType`] by which saves name the fields.
//!
//! Other modules use only the macro.
#![allow(unsafe_code)]

use crate::math::{Aabb, Pose, Position, Rot};
use crate::plain_type::{Number, PlainMember, PlainType};
use glam::Vec2;
use tombolo_handles::{Header, Slot};

/// A type without padding whose every bit pattern is a value, so that it can be a field of a plain struct.
///
/// # Safety
///
/// The type has no padding, no pointer, and every bit pattern of its size is a value of it.
pub unsafe trait PlainField: Copy + 'static {
    /// The type's fields by name.
    const TYPE: PlainType;
}

macro_rules! plain_numbers {
    ($($ty:ty: $number:ident),* $(,)?) => {
        $(
            // SAFETY: a number.
            unsafe impl PlainField for $ty {
                const TYPE: PlainType = PlainType::Number(Number::$number);
            }
        )*
    };
}

plain_numbers!(
    u8: U8, u16: U16, u32: U32, u64: U64, i8: I8, i16: I16, i32: I32, i64: I64, f32: F32, f64: F64
);

/// Structs that are declared elsewhere, each with all of its fields in the order of memory. Does not compile if a field
/// is missing, has another type or is at another place.
macro_rules! plain_structs {
    ($($name:ident { $($field:ident: $ty:ty),* })*) => {
        $(
            // SAFETY: a `repr(C)` struct of `f32` only.
            unsafe impl PlainField for $name {
                const TYPE: PlainType = PlainType::Struct(
                    stringify!($name),
                    &[$(PlainMember { name: stringify!($field), ty: &<$ty as PlainField>::TYPE }),*],
                );
            }

            const _: fn($name) -> ($($ty,)*) = |$name { $($field),* }| ($($field,)*);
            const _: () = {
                let mut end = 0;
                $(
                    assert!(core::mem::offset_of!($name, $field) == end);
                    end += size_of::<$ty>();
                )*
                assert!(size_of::<$name>() == end);
            };
        )*
    };
}

plain_structs! {
    Vec2 { x: f32, y: f32 }
    Position { x: f32, y: f32 }
    Rot { cos: f32, sin: f32 }
    Pose { position: Vec2, rotation: Rot }
    Aabb { min: Vec2, max: Vec2 }
}

// SAFETY: an array adds no padding to its elements.
unsafe impl<T: PlainField, const N: usize> PlainField for [T; N] {
    const TYPE: PlainType = PlainType::Array(&T::TYPE, N);
}

// SAFETY: a number of 64 bits.
unsafe impl PlainField for Slot {
    const TYPE: PlainType = PlainType::Number(Number::U64);
}

/// The fields of a map's header, which are private to it.
const HEADER_FIELDS: [PlainMember; Header::FIELDS.len()] = {
    let mut members = [PlainMember {
        name: "",
        ty: &u32::TYPE,
    }; Header::FIELDS.len()];
    let mut index = 0;
    while index < members.len() {
        let (name, size) = Header::FIELDS[index];
        let ty = match size {
            2 => &u16::TYPE,
            4 => &u32::TYPE,
            8 => &u64::TYPE,
            _ => panic!("a map's header consists of numbers"),
        };
        members[index] = PlainMember { name, ty };
        index += 1;
    }
    members
};

// SAFETY: a `repr(C)` struct of integers only, without padding.
unsafe impl PlainField for Header {
    const TYPE: PlainType = PlainType::Struct("Header", &HEADER_FIELDS);
}
const _: () = assert!(Header::TYPE.size() == size_of::<Header>());

/// Declares `#[repr(C)]` structs of plain fields and makes them [`bytemuck::Pod`]. [`PlainField::TYPE`] has their
/// fields by name.
///
/// Does not compile if a field is not plain (a reference, a `bool`, an enum) or if the struct would have padding.
///
/// ```
/// tombolo_geometry::plain_data! {
///     /// A crate on a shelf.
///     #[derive(Debug, PartialEq)]
///     pub struct Parcel {
///         /// Kilograms.
///         pub mass: f32,
///         /// Which shelf.
///         pub shelf: u32,
///     }
/// }
/// let parcel = Parcel { mass: 2.0, shelf: 7 };
/// assert_eq!(bytemuck::bytes_of(&parcel).len(), 8);
/// ```
///
/// ```compile_fail
/// tombolo_geometry::plain_data! {
///     /// Three bytes of padding.
///     pub struct Hole {
///         /// One byte.
///         pub small: u8,
///         /// Four bytes.
///         pub large: u32,
///     }
/// }
/// ```
///
/// A field that is left out by `#[cfg]` is refused, since it would be counted all the same:
///
/// ```compile_fail
/// tombolo_geometry::plain_data! {
///     /// Three bytes of padding, unless the field that is left out were there.
///     pub struct Hole {
///         /// One byte.
///         pub small: u8,
///         /// Not there.
///         #[cfg(any())]
///         pub hidden: [u8; 3],
///         /// Four bytes.
///         pub large: u32,
///     }
/// }
/// ```
#[macro_export]
macro_rules! plain_data {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $( $(#[$field_attribute:meta])* $field_visibility:vis $field:ident : $ty:ty ),* $(,)?
        }
    )*) => {$(
        $(#[$attribute])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        $visibility struct $name {
            $( $(#[$field_attribute])* $field_visibility $field: $ty, )*
        }

        // Does not compile if an attribute left a field out, which the sum below and `TYPE` would still have.
        const _: fn($name) = |$name { $( $field: _, )* }| ();
        const _: () = {
            const fn plain<T: $crate::plain::PlainField>() -> usize {
                ::core::mem::size_of::<T>()
            }
            assert!(
                ::core::mem::size_of::<$name>() == 0 $( + plain::<$ty>() )*,
                "a plain struct must not have padding",
            );
        };

        // SAFETY: `repr(C)`, every field is `PlainField`, and the assertion above shows that there is no padding.
        #[allow(unsafe_code)]
        unsafe impl $crate::plain::PlainField for $name {
            const TYPE: $crate::plain_type::PlainType = $crate::plain_type::PlainType::Struct(
                stringify!($name),
                &[$( $crate::plain_type::PlainMember {
                    name: stringify!($field),
                    ty: &<$ty as $crate::plain::PlainField>::TYPE,
                } ),*],
            );
        }
        // SAFETY: as above; all zero bits are a value like any other.
        #[allow(unsafe_code)]
        unsafe impl $crate::plain::bytemuck::Zeroable for $name {}
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe impl $crate::plain::bytemuck::Pod for $name {}
    )*};
}

#[doc(hidden)]
pub use bytemuck;

macro_rules! plain_math {
    ($($ty:ty),*) => {$(
        // SAFETY: a `repr(C)` struct of `f32` only: no padding, every bit pattern a value.
        unsafe impl bytemuck::Zeroable for $ty {}
        // SAFETY: as above.
        unsafe impl bytemuck::Pod for $ty {}
    )*};
}

plain_math!(Position, Rot, Pose, Aabb);
