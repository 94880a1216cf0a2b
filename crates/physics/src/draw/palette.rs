//! [`DrawColor`] and [`DrawPalette`]: the colors of debug drawing.

use crate::{BodyKind, BodyRef, GRAPH_COLORS};

/// Red, green, blue and opacity, each from 0 to 1, in sRGB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawColor {
    /// Red, from 0 to 1.
    pub red: f32,
    /// Green, from 0 to 1.
    pub green: f32,
    /// Blue, from 0 to 1.
    pub blue: f32,
    /// Opacity: 1 is opaque, 0 is invisible.
    pub alpha: f32,
}

impl DrawColor {
    /// An opaque color.
    pub const fn new(red: f32, green: f32, blue: f32) -> Self {
        Self {
            red,
            green,
            blue,
            alpha: 1.0,
        }
    }

    /// The same color with an opacity from 0 to 1.
    #[must_use]
    pub const fn with_alpha(self, alpha: f32) -> Self {
        Self { alpha, ..self }
    }

    /// The four components as bytes; components below 0 and above 1 are clamped.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 4] {
        [self.red, self.green, self.blue, self.alpha].map(|part| (part.clamp(0.0, 1.0) * 255.0 + 0.5) as u8)
    }

    /// A darker color, for the border of an area filled with this one.
    #[must_use]
    pub fn darker(self) -> Self {
        Self {
            red: 0.6 * self.red,
            green: 0.6 * self.green,
            blue: 0.6 * self.blue,
            alpha: self.alpha,
        }
    }

    /// The opaque color with a hue from 0 to 1, saturation and lightness as in CSS Color Module Level 3.
    #[must_use]
    pub fn from_hue(hue: f32, saturation: f32, lightness: f32) -> Self {
        let chroma = saturation * lightness.min(1.0 - lightness);
        let [red, green, blue] = [0.0, 8.0, 4.0].map(|offset| {
            let k = (offset + 12.0 * hue) % 12.0;
            lightness - chroma * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)
        });
        Self::new(red, green, blue)
    }

    /// The color for one of the constraint graph's colors: those of neighboring numbers differ much in hue. The last one,
    /// the overflow, is black, and so is any number beyond.
    #[must_use]
    pub fn of_graph_color(color: u32) -> Self {
        if color >= GRAPH_COLORS - 1 {
            return Self::new(0.0, 0.0, 0.0);
        }
        let lightness = if color.is_multiple_of(2) { 0.50 } else { 0.38 };
        Self::from_hue(golden_turn(color), 0.9, lightness)
    }

    /// The color of an island. Those of neighboring numbers differ much in hue: each is a golden section further.
    #[must_use]
    pub fn of_island(island: u32) -> Self {
        let lightness = if island.is_multiple_of(2) { 0.58 } else { 0.46 };
        Self::from_hue(golden_turn(island), 0.62, lightness)
    }

    /// The color at a fraction of the way to another one.
    fn toward(self, other: Self, share: f32) -> Self {
        let mix = |from: f32, to: f32| from + share * (to - from);
        Self {
            red: mix(self.red, other.red),
            green: mix(self.green, other.green),
            blue: mix(self.blue, other.blue),
            alpha: mix(self.alpha, other.alpha),
        }
    }
}

/// A hue for a number: each is a golden section further.
fn golden_turn(number: u32) -> f32 {
    const GOLDEN_SECTION: f64 = 0.618_033_988_749_895;
    let turns = f64::from(number) * GOLDEN_SECTION;
    (turns - libm::floor(turns)) as f32
}

/// The colors of the parts of a drawing. The default suits a light background.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawPalette {
    /// Color of static bodies.
    pub fixed: DrawColor,
    /// Color of kinematic bodies, which belong to no island.
    pub kinematic: DrawColor,
    /// Color of awake dynamic bodies, unless they have the colors of their islands.
    pub dynamic: DrawColor,
    /// Color of sleeping bodies.
    pub sleeping: DrawColor,
    /// Colors of a joint without load, one with some load, and one at its greatest load.
    pub strain: [DrawColor; 3],
    /// Color of contact points and normals.
    pub contact: DrawColor,
    /// Color of contact forces.
    pub force: DrawColor,
    /// Color of the fat boxes of the broad phase.
    pub fat_box: DrawColor,
    /// Color of centers of mass and velocities.
    pub motion: DrawColor,
    /// Color of the leaves of free space.
    pub cell: DrawColor,
    /// Color of the leaves that count as wall.
    pub wall: DrawColor,
    /// Color of agents' paths.
    pub path: DrawColor,
    /// Color of text.
    pub text: DrawColor,
}

impl Default for DrawPalette {
    fn default() -> Self {
        Self {
            fixed: DrawColor::new(0.30, 0.34, 0.40),
            kinematic: DrawColor::new(0.15, 0.15, 0.17),
            dynamic: DrawColor::new(0.25, 0.47, 0.74),
            sleeping: DrawColor::new(0.72, 0.74, 0.76),
            strain: [
                DrawColor::new(0.20, 0.16, 0.42),
                DrawColor::new(0.93, 0.55, 0.05),
                DrawColor::new(0.85, 0.05, 0.10),
            ],
            contact: DrawColor::new(0.10, 0.45, 0.25),
            force: DrawColor::new(0.80, 0.10, 0.45),
            fat_box: DrawColor::new(0.55, 0.40, 0.65),
            motion: DrawColor::new(0.05, 0.30, 0.55),
            cell: DrawColor::new(0.16, 0.47, 0.35).with_alpha(0.3),
            wall: DrawColor::new(0.75, 0.24, 0.16).with_alpha(0.2),
            path: DrawColor::new(0.77, 0.36, 0.00),
            text: DrawColor::new(0.10, 0.10, 0.12),
        }
    }
}

impl DrawPalette {
    /// The color of a body's shapes.
    pub(super) fn body(&self, body: &BodyRef<'_>, islands: bool) -> DrawColor {
        match body.kind() {
            BodyKind::Static => self.fixed,
            BodyKind::Kinematic => self.kinematic,
            BodyKind::Dynamic if !body.is_awake() => self.sleeping,
            BodyKind::Dynamic if !islands => self.dynamic,
            BodyKind::Dynamic => body.island().map_or(self.sleeping, DrawColor::of_island),
        }
    }

    /// The color of a constraint by its color in the constraint graph.
    pub(super) fn graph_color(&self, color: Option<u32>) -> DrawColor {
        color.map_or(self.sleeping, DrawColor::of_graph_color)
    }

    /// The color of a joint with a strain from 0 to 1.
    pub(super) fn strained(&self, strain: f32) -> DrawColor {
        let [none, some, all] = self.strain;
        let place = 2.0 * strain;
        if place < 1.0 {
            none.toward(some, place)
        } else {
            some.toward(all, place - 1.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighboring_islands_differ() {
        let parts = |color: DrawColor| [color.red, color.green, color.blue];
        let distance = |a, b| -> f32 {
            let (a, b) = (parts(a), parts(b));
            (0..3).map(|i| (a[i] - b[i]).abs()).sum()
        };
        let of = DrawColor::of_island;
        assert!((0..100).all(|island| distance(of(island), of(island + 1)) > 0.2));
        assert!(parts(of(u32::MAX)).iter().all(|part| (0.0..=1.0).contains(part)));
        assert_eq!(parts(DrawColor::from_hue(0.0, 1.0, 0.5)), [1.0, 0.0, 0.0]);
        assert_eq!(parts(DrawColor::from_hue(1.0 / 3.0, 1.0, 0.5)), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn strain_goes_through_the_three_colors() {
        let palette = DrawPalette::default();
        for (strain, color) in [0.0, 0.5, 1.0].into_iter().zip(palette.strain) {
            assert_eq!(palette.strained(strain).to_bytes(), color.to_bytes());
        }
        assert_eq!(DrawColor::new(2.0, -1.0, 0.5).to_bytes(), [255, 0, 128, 255]);
    }
}
