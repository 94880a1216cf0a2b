//! Shapes: construction, mass, rays, distances, casts and manifolds, against slow and plain answers.

mod casts;
mod exact;
mod half_space;
mod one_by_one;
#[path = "../../../handles/tests/support/scale.rs"]
mod scale;
mod shape_build;
mod shape_collide;
mod shape_distance;
mod shape_oracle;
mod wide_shapes;
