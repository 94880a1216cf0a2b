//! The debug drawing of physics as lines over the game: shapes, contacts and joints. Key F3, or `--debug`.

use kerf::game::SCALE;
use macroquad::color::Color;
use macroquad::math::vec2;
use macroquad::shapes::draw_line;
use tombolo::geometry::Vec2;
use tombolo::physics::{DebugDraw, DrawColor, DrawOptions};

use super::eye::Eye;
use super::shapes::disc;

/// The width of lines, in units of the screen.
const LINE: f32 = 2.0;

/// Draws bodies, joints and contacts in their state after the last step, which the game itself shows a moment later.
pub(crate) fn draw(eye: Eye<'_>) {
    let options = DrawOptions {
        contacts: true,
        contact_forces: true,
        meters_per_newton: 0.002,
        pixel_m: 1.0 / SCALE,
        ..DrawOptions::default()
    };
    eye.game.play().world.physics().draw(&mut Overlay(eye), &options);
}

struct Overlay<'a>(Eye<'a>);

impl Overlay<'_> {
    fn see(&self, place: Vec2) -> macroquad::math::Vec2 {
        self.0.see(vec2(place.x, place.y))
    }
}

impl DebugDraw for Overlay<'_> {
    fn line(&mut self, from: Vec2, to: Vec2, color: DrawColor) {
        let [from, to] = [from, to].map(|place| self.see(place));
        draw_line(from.x, from.y, to.x, to.y, LINE, on_screen(color));
    }

    fn dot(&mut self, at: Vec2, size_m: f32, color: DrawColor) {
        disc(self.see(at), 0.5 * size_m * SCALE, on_screen(color));
    }
}

fn on_screen(color: DrawColor) -> Color {
    let [red, green, blue, alpha] = color.to_bytes();
    Color::from_rgba(red, green, blue, alpha)
}
