//! The walker's picture: sky and clouds, ground, obstacles and flag, limbs and hull. Gymnasium's size and colors, without
//! the outlines and the ray that it draws.

use super::scene::WalkerScene;
use super::terrain::{LEVEL_M, SCALE, STEP_M};
use crate::parts::draw_body;
use crate::picture::{Color, Picture};

const WIDTH: usize = 600;
const HEIGHT: usize = 400;
const SKY: Color = Color::new(215, 215, 255);
const CLOUD: Color = Color::new(255, 255, 255);
const GROUND: Color = Color::new(102, 153, 76);
const BLOCK: Color = Color::new(255, 255, 255);
const POLE: Color = Color::new(0, 0, 0);
const FLAG: Color = Color::new(230, 51, 0);
/// The colors of hull, left thigh and shin, right thigh and shin.
const PARTS: [Color; 5] = [
    Color::new(127, 51, 229),
    Color::new(178, 101, 152),
    Color::new(178, 101, 152),
    Color::new(128, 51, 102),
    Color::new(128, 51, 102),
];

/// Draws the surroundings of the walker, which is a fifth of the way from the left; an empty sky without a scene.
pub(super) fn draw(scene: Option<&WalkerScene>) -> Picture {
    let mut picture = Picture::new(WIDTH, HEIGHT, SKY);
    let Some(scene) = scene else {
        return picture;
    };
    let left = f64::from(scene.hull().position().x) - WIDTH as f64 / SCALE / 5.0;
    // Clouds are drawn as if they were twice as far.
    for cloud in &scene.terrain.clouds {
        picture.fill(&cloud.map(|corner| pixel(corner, left / 2.0)), CLOUD);
    }
    for (point, pair) in scene.terrain.heights.windows(2).enumerate() {
        let [from, to] = [point, point + 1].map(|point| point as f64 * STEP_M);
        let corners = [[from, pair[0]], [to, pair[1]], [to, 0.0], [from, 0.0]];
        picture.fill(&corners.map(|corner| pixel(corner, left)), GROUND);
    }
    for &[west, bottom, east, top] in &scene.terrain.blocks {
        let corners = [[west, bottom], [east, bottom], [east, top], [west, top]];
        picture.fill(&corners.map(|corner| pixel(corner, left)), BLOCK);
    }
    // The hull is the first body after the ground, and is drawn over its limbs.
    let bodies: Vec<_> = scene.world.bodies().skip(1).zip(PARTS).collect();
    for (body, color) in bodies.into_iter().rev() {
        draw_body(&mut picture, body, color, |corner| pixel(corner, left));
    }
    let (pole, top) = (3.0 * STEP_M, LEVEL_M + 50.0 / SCALE);
    let thin = 0.5 / SCALE;
    let corners = [
        [pole - thin, LEVEL_M],
        [pole + thin, LEVEL_M],
        [pole + thin, top],
        [pole - thin, top],
    ];
    picture.fill(&corners.map(|corner| pixel(corner, left)), POLE);
    let tip = [pole + 25.0 / SCALE, top - 5.0 / SCALE];
    let flag = [[pole, top], [pole, top - 10.0 / SCALE], tip];
    picture.fill(&flag.map(|corner| pixel(corner, left)), FLAG);
    picture
}

/// Meters to pixels from the upper left corner.
fn pixel([x, y]: [f64; 2], left: f64) -> [f64; 2] {
    [(x - left) * SCALE, HEIGHT as f64 - y * SCALE]
}
