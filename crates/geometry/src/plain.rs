//! [`plain_data!`](crate::plain_data) declares structs that may be read and written as bytes, from which worlds are
//! saved, hashed and cloned. The compiler checks what a derive would: every field is plain, and there is no padding.
//!
//! Other modules use only the macro.
#![allow(unsafe_code)]

use crate::math::{Aabb, Pose, Position, Rot};
use glam::Vec2;

/// A type without padding whose every bit pattern is a value, so that it can be a field of a plain struct.
///
/// # Safety
///
/// The type has no padding, no pointer, and every bit pattern of its size is a value of it.
pub unsafe trait PlainField: Copy + 'static {}

macro_rules! plain_fields {
    ($($ty:ty),* $(,)?) => {
        $(
            // SAFETY: a number, or a `repr(C)` struct of `f32` only.
            unsafe impl PlainField for $ty {}
        )*
    };
}

plain_fields!(
    u8, u16, u32, u64, i8, i16, i32, i64, f32, f64, Vec2, Position, Rot, Pose, Aabb
);

// SAFETY: an array adds no padding to its elements.
unsafe impl<T: PlainField, const N: usize> PlainField for [T; N] {}

/// Declares `#[repr(C)]` structs of plain fields and makes them [`bytemuck::Pod`].
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
        unsafe impl $crate::plain::PlainField for $name {}
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
