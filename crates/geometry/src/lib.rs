//! 2D geometry for games and physics: shapes, distance, contact manifolds, bounding volume trees, quadtrees and
//! octrees, and cutting polygons.
//!
//! Priorities, in this order: the same bits on every machine; robustness on degenerate input (a typed error, never a
//! panic); speed; small code.
//!
//! Units are meters, kilograms and radians. This crate has no bodies and no world; its only use of threads is an
//! `Executor` that a caller may give.
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(unsafe_code)]

extern crate alloc;

pub mod bvh;
pub mod collide;
pub mod distance;
pub mod math;
#[cfg(feature = "mint")]
pub mod mint;
pub mod neighbors;
pub mod orthtree;
pub mod plain;
pub mod plain_type;
pub mod shape;
pub mod split;

pub use glam::Vec2;
pub use math::{Aabb, Pose, Position, Rot};

/// The README's example is compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
