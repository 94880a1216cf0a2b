//! The background of a level: sky, sun, clouds and hills, which move with the camera, the farther the less.

use macroquad::math::{Vec2, vec2};

use super::palette::{HILL_FAR, HILL_MID, HILL_NEAR, PAPER, SKY_LOW, SKY_TOP, SUN, faint, mix};
use super::shapes::{disc, shaded};

/// Draws the background on an area of the screen, from its upper left corner; `shift` is the distance of the camera to
/// the right, in units of the screen, and `time` moves the clouds.
pub(crate) fn draw(corner: Vec2, size: Vec2, shift: f32, time: f32) {
    let low = corner + size;
    let sky = [corner, vec2(low.x, corner.y), low, vec2(corner.x, low.y)];
    shaded(&sky, |point| {
        mix(SKY_TOP, SKY_LOW, ((point.y - corner.y) / size.y).clamp(0.0, 1.0))
    });
    let sun = vec2(1010.0 - 0.02 * shift, 170.0);
    for (radius, alpha) in [(150.0, 0.18), (115.0, 0.25), (80.0, 0.95)] {
        disc(sun, radius, faint(SUN, alpha));
    }
    for (place, height, scale) in [
        (120.0, 120.0, 1.0),
        (560.0, 70.0, 0.7),
        (860.0, 210.0, 0.8),
        (1350.0, 110.0, 1.1),
    ] {
        let way = place + 9.0 * time - 0.06 * shift;
        let x = corner.x - 200.0 + (way - corner.x + 200.0).rem_euclid(size.x + 400.0);
        cloud(vec2(x, height), scale);
    }
    hills(corner, size, 0.10 * shift, 395.0, 60.0, 310.0, HILL_FAR);
    hills(corner, size, 0.20 * shift + 130.0, 470.0, 52.0, 240.0, HILL_MID);
    hills(corner, size, 0.34 * shift + 350.0, 560.0, 44.0, 200.0, HILL_NEAR);
}

fn cloud(at: Vec2, scale: f32) {
    for (x, y, radius) in [
        (-46.0, 8.0, 26.0),
        (-14.0, -10.0, 36.0),
        (26.0, -2.0, 30.0),
        (54.0, 10.0, 20.0),
    ] {
        disc(at + scale * vec2(x, y), scale * radius, faint(PAPER, 0.75));
    }
}

/// A row of hills: two waves, filled down to the lower edge.
fn hills(
    corner: Vec2,
    size: Vec2,
    shift: f32,
    top: f32,
    height: f32,
    length: f32,
    color: macroquad::color::Color,
) {
    const STEP: f32 = 16.0;
    let y = |x: f32| {
        let turn = (x + shift) / length;
        top - height * (libm::sinf(turn) + 0.5 * libm::sinf(2.3 * turn + 1.0))
    };
    let bottom = corner.y + size.y;
    let columns = (size.x / STEP) as u32 + 1;
    for column in 0..columns {
        let x = corner.x + column as f32 * STEP;
        let right = x + STEP;
        let points = [
            vec2(x, y(x)),
            vec2(right, y(right)),
            vec2(right, bottom),
            vec2(x, bottom),
        ];
        shaded(&points, |point| {
            mix(
                color,
                SKY_LOW,
                0.45 * ((point.y - top + height) / (bottom - top)).clamp(0.0, 1.0),
            )
        });
    }
}
