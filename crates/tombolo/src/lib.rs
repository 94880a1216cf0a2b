//! Placeholder.
pub mod scenes;
