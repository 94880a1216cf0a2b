//! Splitting polygons: the named cases, and random ones against exact rationals.
#![allow(clippy::print_stdout)]

mod cases;
mod convex_parts;
mod corpus;
mod figures;
mod fuzz;
mod oracle;
mod rounding;
#[path = "../../../handles/tests/support/scale.rs"]
mod scale;
