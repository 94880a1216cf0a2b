//! The shapes: circle, capsule, segment, chain segment, convex polygon and half-space, all in one plain struct, [`Shape`].
//!
//! `data.rs` has the struct and its accessors. `build.rs` makes shapes from numbers, `half_space.rs` the infinite one,
//! `hull.rs` finds convex hulls, `validate.rs` checks shapes read from bytes, `mass.rs` computes masses, `query.rs` has
//! points and boxes, `ray.rs` casts rays, `border.rs` gives borders for drawing, `convex_core.rs` is the convex core
//! for manifolds and distances, `faces.rs` has four of its faces side by side. Only this folder may write the fields of a shape.
//!
//! Every shape is a *core* (a point, a segment or a polygon) and a radius around it. A core of two points is treated
//! as a polygon of two edges, there and back, so that capsules and segments need no code of their own in most places.
//!
//! The reasons are in `docs/decisions.md#one-struct-for-every-shape`.

mod border;
mod build;
mod convex_core;
mod data;
mod error;
mod faces;
mod half_space;
mod hull;
mod mass;
mod query;
mod ray;
mod validate;

pub(crate) use convex_core::{ConvexCore, Face, MovedCore, best_face, facing_edge};
pub use data::{COORDINATE_MAX, LENGTH_MIN, Shape, ShapeKind, VERTEX_COUNT_MAX, WELD_RELATIVE};
pub use error::{ShapeError, What};
pub(crate) use faces::LANES;
pub use mass::MassProperties;
pub(crate) use mass::Moments;
pub(crate) use query::closest_on_segment;
pub(crate) use ray::Course;
pub use ray::RayHit;
