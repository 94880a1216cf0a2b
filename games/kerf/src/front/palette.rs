//! The colors of all drawings, and functions that mix them.

use macroquad::color::Color;

const fn rgb(hex: u32) -> Color {
    Color::new(
        ((hex >> 16) & 255) as f32 / 255.0,
        ((hex >> 8) & 255) as f32 / 255.0,
        (hex & 255) as f32 / 255.0,
        1.0,
    )
}

pub(crate) const INK: Color = rgb(0x2b2540);
pub(crate) const PAPER: Color = rgb(0xfff6e0);
pub(crate) const SKY_TOP: Color = rgb(0x8fcfe0);
pub(crate) const SKY_LOW: Color = rgb(0xfdeec9);
pub(crate) const SUN: Color = rgb(0xfff9dc);
pub(crate) const HILL_FAR: Color = rgb(0xb5d8c6);
pub(crate) const HILL_MID: Color = rgb(0x8fc3ae);
pub(crate) const HILL_NEAR: Color = rgb(0x6cab98);
pub(crate) const GROUND_TOP: Color = rgb(0x8a5a44);
pub(crate) const GROUND_LOW: Color = rgb(0x543349);
pub(crate) const GRASS: Color = rgb(0x7fbf4d);
pub(crate) const WOOD: Color = rgb(0xe0a35c);
pub(crate) const WOOD_DARK: Color = rgb(0xb9743a);
pub(crate) const ROPE: Color = rgb(0xf1d7a0);
pub(crate) const METAL: Color = rgb(0x7c92a8);
pub(crate) const METAL_LIGHT: Color = rgb(0xb9cbd8);
pub(crate) const THORN: Color = rgb(0x8d3b72);
pub(crate) const PIP: Color = rgb(0xff6f59);
pub(crate) const PIP_LIGHT: Color = rgb(0xffa48c);
pub(crate) const STRAW: Color = rgb(0xf2c14e);
pub(crate) const STRAW_DARK: Color = rgb(0xc98f2b);
pub(crate) const WATER: Color = rgb(0x3fa7d6);
pub(crate) const GLOW: Color = rgb(0xffe66d);
pub(crate) const LEAF: Color = rgb(0x4f9d4a);
pub(crate) const BOMB: Color = rgb(0x3a3550);

/// The same color, transparent.
pub(crate) fn faint(color: Color, alpha: f32) -> Color {
    Color {
        a: color.a * alpha,
        ..color
    }
}

/// A mix of two colors.
pub(crate) fn mix(a: Color, b: Color, share: f32) -> Color {
    let lerp = |a: f32, b: f32| a + (b - a) * share;
    Color::new(lerp(a.r, b.r), lerp(a.g, b.g), lerp(a.b, b.b), lerp(a.a, b.a))
}
