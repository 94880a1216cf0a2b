//! Owning pointers: the cases that they have to get right, and their sizes.

mod owned;
mod sizes;
