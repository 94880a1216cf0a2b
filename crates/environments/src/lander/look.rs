//! The lander's picture: ground, craft and flags before a black sky, in Gymnasium's size and colors.

use super::scene::{HALF_WIDTH_M, LanderScene, PAD_Y_M, SCALE};
use crate::parts::draw_body;
use crate::picture::{Color, Picture};

const WIDTH: usize = 600;
const HEIGHT: usize = 400;
const SKY: Color = Color::new(0, 0, 0);
const GROUND: Color = Color::new(255, 255, 255);
const CRAFT: Color = Color::new(128, 102, 230);
const POLE: Color = Color::new(255, 255, 255);
const FLAG: Color = Color::new(204, 204, 0);
/// The distances from the left border to the two flags, in meters.
const POLES_M: [f64; 2] = [8.0, 12.0];

/// Draws the whole scene; an empty sky without one.
pub(super) fn draw(scene: Option<&LanderScene>) -> Picture {
    let mut picture = Picture::new(WIDTH, HEIGHT, SKY);
    let Some(scene) = scene else {
        return picture;
    };
    let apart = 2.0 * HALF_WIDTH_M / (scene.heights.len() as f64 - 1.0);
    for (place, pair) in scene.heights.windows(2).enumerate() {
        let [left, right] = [place, place + 1].map(|place| place as f64 * apart);
        let corners = [[left, 0.0], [right, 0.0], [right, pair[1]], [left, pair[0]]];
        picture.fill(&corners.map(pixel), GROUND);
    }
    for body in scene.bodies.iter().filter_map(|&id| scene.world.body(id)) {
        draw_body(&mut picture, body, CRAFT, pixel);
    }
    for x in POLES_M {
        let (top, thin) = (PAD_Y_M + 50.0 / SCALE, 0.5 / SCALE);
        let corners = [
            [x - thin, PAD_Y_M],
            [x + thin, PAD_Y_M],
            [x + thin, top],
            [x - thin, top],
        ];
        picture.fill(&corners.map(pixel), POLE);
        let tip = [x + 25.0 / SCALE, top - 5.0 / SCALE];
        picture.fill(&[[x, top - 10.0 / SCALE], tip, [x, top]].map(pixel), FLAG);
    }
    picture
}

/// Meters to pixels from the upper left corner.
fn pixel([x, y]: [f64; 2]) -> [f64; 2] {
    [x * SCALE, HEIGHT as f64 - y * SCALE]
}
