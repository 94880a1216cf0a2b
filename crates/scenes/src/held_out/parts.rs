//! Common parts of the held-out scenes: numbers, floors and rows.

use crate::builder::{Builder, rectangle_at};
use crate::motion::Motion;
use crate::scene::{BuildError, GRAVITY, SceneInfo, Suite};
use tombolo_physics::{BodyId, ShapeDef, Vec2};

/// The common fields of the held-out scenes; each scene states the others.
pub(super) const USUAL: SceneInfo = SceneInfo {
    name: "",
    description: "",
    size: 1,
    size_unit: "",
    size_max: 1,
    size_small: 1,
    steps: 300,
    gravity: GRAVITY,
    sleeping: true,
    at_rest: false,
    suite: Suite::HeldOut,
    build: |_, _| Ok(Motion::None),
};

/// The scenes' own random numbers, the same for every seed: a seed displaces the bodies that these place.
pub(super) struct Draw(oorandom::Rand64);

impl Draw {
    pub(super) fn new() -> Self {
        Self(oorandom::Rand64::new(1))
    }

    /// A number from `low` up to but not including `high`.
    pub(super) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.0.rand_float() as f32
    }

    /// A vector with components of up to `largest` in both directions.
    pub(super) fn vector(&mut self, largest: f32) -> Vec2 {
        let x = self.between(-largest, largest);
        Vec2::new(x, self.between(-largest, largest))
    }
}

/// A floor at height 0 and two walls; the sizes are in meters.
pub(super) fn container(builder: &mut Builder<'_>, half_width: f32, height: f32) -> Result<(), BuildError> {
    let ground = floor(builder, half_width + 2.0)?;
    for side in [-1.0, 1.0] {
        let wall = rectangle_at(1.0, 0.5 * height, side * (half_width + 1.0), 0.5 * height);
        builder.shape(ground, &ShapeDef::default(), &wall)?;
    }
    Ok(())
}

/// A floor at height 0.
pub(super) fn floor(builder: &mut Builder<'_>, half_width: f32) -> Result<BodyId, BuildError> {
    let ground = builder.ground(0.0, 0.0)?;
    builder.shape(
        ground,
        &ShapeDef::default(),
        &rectangle_at(half_width, 1.0, 0.0, -1.0),
    )?;
    Ok(ground)
}

/// The centers of `columns` places side by side, symmetric about 0.
pub(super) fn column_x(column: u32, columns: u32, spacing_m: f32) -> f32 {
    (column as f32 + 0.5 - 0.5 * columns as f32) * spacing_m
}

/// Every column of every row, row by row from below.
pub(super) fn places(columns: u32, rows: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..rows).flat_map(move |row| (0..columns).map(move |column| (column, row)))
}
