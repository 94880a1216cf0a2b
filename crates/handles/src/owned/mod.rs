//! Owning pointers whose deleter travels with them, so that objects from heap, pool and foreign code have one type.
//!
//! [`OwnedBy<T, D>`] names its deleter in its type: 8 bytes, everything inlined. [`Owned<T>`] erases the deleter's
//! type: 16 bytes, a pointer and a table. `T` may then be a trait object, and the owner is still 16 bytes: the table,
//! not the pointer, holds the concrete type. The C++ that the idea comes from (type-erased deleters of `unique_ptr`)
//! came to 16 bytes with a function pointer, to 32 and 64 with a `std::function`.
//!
//! [`OwnedWith<T, D>`] has a deleter with state: 8 bytes and those of the state. [`SharedOwned<T>`] is owned by
//! several, and [`WeakOwned<T>`] refers to it. `docs/owners.md` has the sizes of all.
//!
//! This folder is one of the crate's places for unsafe code.
#![allow(unsafe_code)]

mod deleter;
mod owner;
mod pool;
mod shared;
mod with;

pub use deleter::{Deleter, Foreign, FreeFunction, GlobalHeap};
pub use owner::{Owned, OwnedBy, RawOwned};
pub use pool::{Pool, ReturnToPool};
pub use shared::{SharedOwned, WeakOwned};
pub use with::{AnyDeleter, DeleteWith, In, OwnedWith};
