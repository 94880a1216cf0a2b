//! Ragdolls that rain on rough floors: creation and removal in a running world.

use crate::builder::{Builder, rectangle_at};
use crate::motion::Motion;
use crate::ragdolls::{FLOOR_HEIGHT, FLOORS, GROUP_SPACING, Rain};
use crate::scene::{BuildError, GRAVITY, SceneInfo, Suite};
use tombolo_physics::ShapeDef;

pub(crate) const RAIN: SceneInfo = SceneInfo {
    name: "rain",
    description: "ragdolls rain on five rough floors; each eighth step 25 come, and later as many go",
    size: 40,
    size_unit: "groups of ragdolls along a floor",
    size_max: 200,
    size_small: 2,
    steps: 1000,
    gravity: GRAVITY,
    sleeping: true,
    at_rest: false,
    suite: Suite::Published,
    build: rain,
};

fn rain(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    let left = -0.5 * GROUP_SPACING * size as f32;
    let ground = builder.ground(0.0, 0.0)?;
    // Half a meter from block to block; 501 on each floor of the full size.
    let blocks = (GROUP_SPACING * size as f32 / 0.5) as u32;
    for floor in 0..FLOORS {
        for block in 0..=blocks {
            let cube = rectangle_at(0.25, 0.25, left + 0.5 * block as f32, FLOOR_HEIGHT * floor as f32);
            builder.shape(ground, &ShapeDef::default(), &cube)?;
        }
    }
    Ok(Motion::Rain(Rain::new(left, size, builder.jitter.clone())))
}
