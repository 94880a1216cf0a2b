//! `Handle<T, L>`: the 64-bit id of a value in a map, and `TypeTag`, which distinguishes the handles of two maps.
//!
//! A handle is a number. A map makes it (or it is read from saved bits), and it is valid only in the map that made it.

use crate::layout::{Bits, DefaultLayout, Layout};
use core::fmt;
use core::marker::PhantomData;
use core::num::NonZeroU64;

/// Makes a type `Copy`, ordered and hashed by one of its fields, without bounds on its type parameters. (A derive would
/// require the same traits of the parameters.)
macro_rules! compare_by_number {
    ($name:ident<$($parameter:ident),+>, $number:ident) => {
        impl<$($parameter),+> Clone for $name<$($parameter),+> {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<$($parameter),+> Copy for $name<$($parameter),+> {}
        impl<$($parameter),+> PartialEq for $name<$($parameter),+> {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                self.$number == other.$number
            }
        }
        impl<$($parameter),+> Eq for $name<$($parameter),+> {}
        impl<$($parameter),+> PartialOrd for $name<$($parameter),+> {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }
        impl<$($parameter),+> Ord for $name<$($parameter),+> {
            #[inline]
            fn cmp(&self, other: &Self) -> core::cmp::Ordering {
                self.$number.cmp(&other.$number)
            }
        }
        impl<$($parameter),+> core::hash::Hash for $name<$($parameter),+> {
            fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
                self.$number.hash(state);
            }
        }
    };
}
pub(crate) use compare_by_number;

/// A number that a map puts into all its handles, so that a handle of another map is refused.
///
/// Two maps with the same tag are indistinguishable: a handle of one may resolve in the other. Tag 0 is the default,
/// for maps whose handles are never mixed with others.
pub struct TypeTag<L = DefaultLayout> {
    value: u16,
    layout: PhantomData<fn() -> L>,
}

impl<L: Layout> TypeTag<L> {
    /// The tag of maps that were created without one.
    pub const ZERO: Self = Self {
        value: 0,
        layout: PhantomData,
    };

    /// A tag, or `None` if the number does not fit the layout's tag bits (15 by default: 0 to 32,767).
    ///
    /// ```
    /// use tombolo_handles::TypeTag;
    /// const BODIES: TypeTag = TypeTag::new(7).unwrap();
    /// assert_eq!(BODIES.get(), 7);
    /// assert!(TypeTag::<tombolo_handles::DefaultLayout>::new(32_768).is_none());
    /// ```
    pub const fn new(value: u16) -> Option<Self> {
        if value as u32 > Bits::<L>::TAG_MAX {
            return None;
        }
        Some(Self {
            value,
            layout: PhantomData,
        })
    }

    /// The tag as a number.
    pub const fn get(self) -> u16 {
        self.value
    }
}

compare_by_number!(TypeTag<L>, value);

impl<L> fmt::Debug for TypeTag<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TypeTag({})", self.value)
    }
}

/// The 64-bit id of a value in a [`HandleMap`](crate::HandleMap).
///
/// It consists of an index (the slot), a generation (how often the slot has been used) and a tag (the map), see
/// [`Layout`]. A handle stays valid until its value is removed, wherever the value moves in the map. Handles are
/// ordered by tag, generation, index.
///
/// Invariant: the free bit and the unused bits are clear and the generation is not 0. So `Option<Handle<T>>` is 8
/// bytes, the all-zero word is no handle, and a look-up compares one word.
///
/// ```
/// use tombolo_handles::{Handle, HandleMap};
/// let mut names = HandleMap::<&str>::new();
/// let ada = names.insert("Ada");
/// let saved: u64 = ada.to_bits();
/// assert_eq!(Handle::from_bits(saved), Some(ada));
/// assert_eq!(size_of::<Option<Handle<&str>>>(), 8);
/// ```
#[repr(transparent)]
pub struct Handle<T, L = DefaultLayout> {
    bits: NonZeroU64,
    // `fn() -> T`: a handle owns no `T`, so it is `Send`, `Sync` and `Copy` whatever `T` is.
    names: PhantomData<fn() -> (T, L)>,
}

const _: () = assert!(size_of::<Handle<[u8; 100]>>() == 8);
const _: () = assert!(size_of::<Option<Handle<[u8; 100]>>>() == 8);

impl<T, L: Layout> Handle<T, L> {
    /// The caller keeps the parts within their widths and `generation` at 1 or more.
    #[inline]
    pub(crate) const fn from_parts(tag: u32, generation: u32, index: u32) -> Self {
        let bits = Bits::<L>::pack(tag, generation, index);
        debug_assert!(Bits::<L>::is_handle(bits));
        match NonZeroU64::new(bits) {
            Some(bits) => Self {
                bits,
                names: PhantomData,
            },
            None => unreachable!(),
        }
    }

    /// The handle with these bits, or `None` if no handle has them: zero, free bit or unused bits set, generation 0, or the
    /// index that stands for none (all ones).
    ///
    /// Any other number makes a handle; the map decides at look-up whether it names a value.
    #[inline]
    pub const fn from_bits(bits: u64) -> Option<Self> {
        if !Bits::<L>::is_handle(bits) {
            return None;
        }
        match NonZeroU64::new(bits) {
            Some(bits) => Some(Self {
                bits,
                names: PhantomData,
            }),
            None => None,
        }
    }

    /// The same bits as a handle of another type of value.
    #[inline]
    pub(crate) const fn cast<U>(self) -> Handle<U, L> {
        Handle {
            bits: self.bits,
            names: PhantomData,
        }
    }

    /// The number to save or send; [`Handle::from_bits`] reads it back. Never 0.
    #[inline]
    pub const fn to_bits(self) -> u64 {
        self.bits.get()
    }

    /// The slot: stable until the value is removed, reused later by others. Suited as an index into arrays beside the
    /// map.
    #[inline]
    pub const fn index(self) -> u32 {
        Bits::<L>::index(self.bits.get())
    }

    /// The generation of the slot that this handle names; 1 is the first.
    #[inline]
    pub const fn generation(self) -> u32 {
        Bits::<L>::generation(self.bits.get())
    }

    /// The tag of the map that made the handle.
    #[inline]
    pub const fn tag(self) -> TypeTag<L> {
        TypeTag {
            value: Bits::<L>::tag(self.bits.get()) as u16,
            layout: PhantomData,
        }
    }
}

compare_by_number!(Handle<T, L>, bits);

impl<T, L: Layout> fmt::Debug for Handle<T, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({}v{}", self.index(), self.generation())?;
        if self.tag() != TypeTag::ZERO {
            write!(f, " of {}", self.tag().get())?;
        }
        f.write_str(")")
    }
}
