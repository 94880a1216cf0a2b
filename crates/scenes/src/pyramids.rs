//! Stacks of boxes at rest: the solver's own benchmark, because pairs and manifolds hardly change.

use crate::builder::{Builder, constant, rectangle};
use crate::motion::Motion;
use crate::scene::{BuildError, GRAVITY, SceneInfo, Suite};
use tombolo_physics::{BodyId, Shape, ShapeDef, Vec2};

/// Half the side of every box, in meters.
const HALF: f32 = 0.5;

pub(crate) const LARGE_PYRAMID: SceneInfo = SceneInfo {
    name: "large_pyramid",
    description: "one pyramid of boxes that touch exactly",
    size: 100,
    size_unit: "boxes in the lowest row",
    size_max: 400,
    size_small: 10,
    steps: 500,
    gravity: GRAVITY,
    sleeping: false,
    at_rest: true,
    suite: Suite::Published,
    build: large_pyramid,
};

pub(crate) const MANY_PYRAMIDS: SceneInfo = SceneInfo {
    name: "many_pyramids",
    description: "floors above each other with pyramids of 55 boxes side by side",
    size: 20,
    size_unit: "floors, and pyramids on each",
    size_max: 60,
    size_small: 2,
    steps: 200,
    gravity: GRAVITY,
    sleeping: false,
    at_rest: true,
    suite: Suite::Published,
    build: many_pyramids,
};

fn large_pyramid(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    let ground = builder.ground(0.0, -1.0)?;
    // Wide enough for the full size; a larger pyramid gets as much margin.
    let half_width = 100.0_f32.max(size as f32);
    builder.shape(ground, &ShapeDef::default(), &rectangle(half_width, 1.0))?;
    let square = rectangle(HALF, HALF);
    for i in 0..size {
        let y = (2 * i + 1) as f32 * HALF;
        for j in i..size {
            let x = (i + 1) as f32 * HALF + 2.0 * (j - i) as f32 * HALF - HALF * size as f32;
            builder.piece(x, y, 2.0 * HALF, &ShapeDef::default(), &square)?;
        }
    }
    Ok(Motion::None)
}

fn many_pyramids(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    /// The number of boxes in the lowest row of each pyramid.
    const BASE: u32 = 10;
    /// The distance from floor to floor and from pyramid to pyramid, in meters.
    const SPACING: f32 = 11.0;
    let half_width = SPACING * size as f32 / 2.0;
    let ground = builder.ground(0.0, 0.0)?;
    for floor in 0..size {
        floor_segment(builder, ground, half_width, SPACING * floor as f32)?;
    }
    let square = rectangle(HALF, HALF);
    for floor in 0..size {
        let base_y = SPACING * floor as f32;
        for column in 0..size {
            let center_x = -half_width + SPACING * column as f32 + 2.0 * HALF;
            for i in 0..BASE {
                let y = (2 * i + 1) as f32 * HALF + base_y;
                for j in i..BASE {
                    let x = (i + 1) as f32 * HALF + 2.0 * (j - i) as f32 * HALF + center_x - HALF;
                    builder.piece(x, y, 2.0 * HALF, &ShapeDef::default(), &square)?;
                }
            }
        }
    }
    Ok(Motion::None)
}

fn floor_segment(
    builder: &mut Builder<'_>,
    ground: BodyId,
    half_width: f32,
    y: f32,
) -> Result<(), BuildError> {
    let segment = constant(Shape::segment(
        Vec2::new(-half_width, y),
        Vec2::new(half_width, y),
    ));
    Ok(builder.shape(ground, &ShapeDef::default(), &segment)?)
}
