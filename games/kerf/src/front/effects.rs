//! Short effects: dust, sparks, chips, confetti, flashes of strokes, and the shaking of the picture.

use macroquad::color::Color;
use macroquad::math::{Vec2, vec2};

use super::palette::{GLOW, GRASS, INK, METAL_LIGHT, PAPER, PIP, PIP_LIGHT, STRAW, WATER, WOOD, faint};
use super::shapes::{disc, polyline};

/// A flying particle; in meters and seconds.
struct Bit {
    at: Vec2,
    velocity: Vec2,
    gravity: f32,
    age: f32,
    life: f32,
    size: f32,
    color: Color,
}

/// A line or ring that fades.
enum Mark {
    Stroke { from: Vec2, to: Vec2, cut: bool },
    Ring { at: Vec2, reach: f32 },
}

/// All particles and marks.
#[derive(Default)]
pub(crate) struct Effects {
    bits: Vec<Bit>,
    marks: Vec<(Mark, f32)>,
    shake: f32,
    seed: u32,
}

impl Effects {
    /// A number from 0 to 1; the drawing is part of no state.
    fn chance(&mut self) -> f32 {
        self.seed = self.seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.seed >> 8) as f32 / 16_777_216.0
    }

    fn burst(&mut self, at: Vec2, count: u32, speed: f32, gravity: f32, size: f32, colors: &[Color]) {
        for number in 0..count {
            let angle = self.chance() * core::f32::consts::TAU;
            let speed = speed * (0.3 + 0.7 * self.chance());
            let life = 0.35 + 0.6 * self.chance();
            let size = size * (0.5 + self.chance());
            let velocity = speed * vec2(libm::cosf(angle), libm::sinf(angle));
            let color = colors[number as usize % colors.len()];
            self.bits.push(Bit {
                at,
                velocity,
                gravity,
                age: 0.0,
                life,
                size,
                color,
            });
        }
    }

    /// Dust at a hit.
    pub(crate) fn knock(&mut self, at: Vec2, speed: f32) {
        let count = (speed * 1.2).clamp(2.0, 10.0) as u32;
        self.burst(at, count, 0.25 * speed.min(8.0), 1.0, 0.09, &[faint(PAPER, 0.85)]);
    }

    /// The flash of a stroke, and chips of what it cut.
    pub(crate) fn stroke(&mut self, from: Vec2, to: Vec2, cut: bool) {
        self.marks.push((Mark::Stroke { from, to, cut }, 0.0));
        if cut {
            self.burst(from.lerp(to, 0.5), 14, 3.5, 8.0, 0.07, &[WOOD, STRAW, PAPER]);
        }
    }

    /// A ring around something that was tapped.
    pub(crate) fn tap(&mut self, at: Vec2) {
        self.marks.push((Mark::Ring { at, reach: 1.3 }, 0.0));
    }

    /// An explosion.
    pub(crate) fn bang(&mut self, at: Vec2) {
        self.burst(at, 60, 11.0, 6.0, 0.2, &[GLOW, PIP, STRAW, faint(INK, 0.8)]);
        self.burst(
            at,
            24,
            3.0,
            -1.0,
            0.4,
            &[faint(INK, 0.35), faint(METAL_LIGHT, 0.5)],
        );
        self.marks.push((Mark::Ring { at, reach: 4.5 }, 0.0));
        self.shake = 1.0;
    }

    /// Drops of water.
    pub(crate) fn splash(&mut self, at: Vec2) {
        self.burst(at, 22, 4.5, 10.0, 0.1, &[WATER, PAPER]);
    }

    /// Confetti for a level that was won.
    pub(crate) fn confetti(&mut self, at: Vec2) {
        let colors = [PIP, GLOW, GRASS, WATER, PAPER, PIP_LIGHT];
        self.burst(at + vec2(0.0, 0.5), 70, 8.0, 7.0, 0.12, &colors);
    }

    /// Advances the effects by a time in seconds, and removes those that have ended.
    pub(crate) fn advance(&mut self, seconds: f32) {
        for bit in &mut self.bits {
            bit.age += seconds;
            bit.velocity.y -= bit.gravity * seconds;
            bit.velocity *= 1.0 - (1.5 * seconds).min(1.0);
            bit.at += bit.velocity * seconds;
        }
        self.bits.retain(|bit| bit.age < bit.life);
        for (_, age) in &mut self.marks {
            *age += seconds;
        }
        self.marks.retain(|(_, age)| *age < 0.4);
        self.shake = (self.shake - 2.2 * seconds).max(0.0);
    }

    /// The displacement of the shaken picture, in units of the screen.
    pub(crate) fn offset(&mut self) -> Vec2 {
        let strength = 14.0 * self.shake * self.shake;
        vec2(self.chance() - 0.5, self.chance() - 0.5) * strength
    }

    /// Draws the effects; `to_screen` converts a position of the world to the screen, and `scale` is the units of a
    /// meter there.
    pub(crate) fn draw(&self, to_screen: impl Fn(Vec2) -> Vec2, scale: f32) {
        for bit in &self.bits {
            let left = 1.0 - bit.age / bit.life;
            disc(
                to_screen(bit.at),
                scale * bit.size * (0.3 + 0.7 * left),
                faint(bit.color, left.min(0.5) * 2.0),
            );
        }
        for (mark, age) in &self.marks {
            let left = 1.0 - age / 0.4;
            match mark {
                Mark::Stroke { from, to, cut } => {
                    let color = if *cut { PAPER } else { faint(INK, 0.4) };
                    let ends = [to_screen(*from), to_screen(*to)];
                    polyline(&ends, 3.0 + 9.0 * left * left, faint(color, left));
                }
                Mark::Ring { at, reach } => {
                    let radius = reach * scale * (1.0 - left * left);
                    let ring = super::shapes::ellipse(to_screen(*at), Vec2::splat(radius.max(1.0)));
                    super::shapes::border(&ring, 1.0 + 9.0 * left, faint(GLOW, left));
                }
            }
        }
    }
}
