//! [`DebugDraw`]: the trait of the target that a world is drawn to. Users implement it.

use super::palette::DrawColor;
use alloc::vec::Vec;
use core::f32::consts::TAU;
use tombolo_geometry::{Rot, Vec2};

/// The number of corners of a circle that is drawn as a polygon.
const CIRCLE_CORNERS: u16 = 24;

/// A target of debug drawing. Only [`DebugDraw::line`] must be implemented; the other methods fall back on it, or do
/// nothing for text. All points are in meters of the world, y up.
///
/// ```
/// use tombolo_physics::{BodyDef, DebugDraw, DrawColor, DrawOptions, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef};
///
/// #[derive(Default)]
/// struct Svg(String);
///
/// impl DebugDraw for Svg {
///     fn line(&mut self, from: Vec2, to: Vec2, color: DrawColor) {
///         let [red, green, blue, _] = color.to_bytes();
///         self.0 += &format!(
///             "<line x1='{}' y1='{}' x2='{}' y2='{}' stroke='rgb({red},{green},{blue})'/>\n",
///             from.x, -from.y, to.x, -to.y
///         );
///     }
/// }
///
/// let mut world = PhysicsWorld::new(&WorldDef::default())?;
/// let body = world.create_body(&BodyDef::dynamic(0.0, 5.0))?;
/// world.create_shape(body, &ShapeDef::default(), &Shape::new_box(1.0, 1.0)?)?;
/// let mut svg = Svg::default();
/// world.draw(&mut svg, &DrawOptions::default());
/// assert_eq!(svg.0.lines().count(), 4);
/// # Ok::<(), tombolo_physics::PhysicsError>(())
/// ```
pub trait DebugDraw {
    /// Draws a straight line.
    fn line(&mut self, from: Vec2, to: Vec2, color: DrawColor);

    /// Draws a line through points.
    fn polyline(&mut self, points: &[Vec2], color: DrawColor) {
        for ends in points.windows(2) {
            self.line(ends[0], ends[1], color);
        }
    }

    /// Draws a closed convex polygon with counter-clockwise corners. `filled` is false for shapes that are not solid,
    /// such as sensors.
    fn polygon(&mut self, corners: &[Vec2], filled: bool, color: DrawColor) {
        let _ = filled;
        self.polyline(corners, color);
        if let [first, .., last] = *corners {
            self.line(last, first, color);
        }
    }

    /// Draws a circle. `filled` as for [`DebugDraw::polygon`], on which it falls back.
    fn circle(&mut self, center: Vec2, radius_m: f32, filled: bool, color: DrawColor) {
        let rim = |corner: u16| {
            let turn = Rot::from_angle(TAU * f32::from(corner) / f32::from(CIRCLE_CORNERS));
            center + turn.rotate(Vec2::new(radius_m, 0.0))
        };
        let corners: Vec<Vec2> = (0..CIRCLE_CORNERS).map(rim).collect();
        self.polygon(&corners, filled, color);
    }

    /// Draws a dot of the size of a pin, whatever the scale: a joint's anchor, a contact point, a center of mass.
    fn dot(&mut self, at: Vec2, size_m: f32, color: DrawColor) {
        let reach = 0.5 * size_m;
        self.line(at - Vec2::new(reach, 0.0), at + Vec2::new(reach, 0.0), color);
        self.line(at - Vec2::new(0.0, reach), at + Vec2::new(0.0, reach), color);
    }

    /// Draws a text that begins at a point.
    fn text(&mut self, at: Vec2, text: &str, color: DrawColor) {
        let _ = (at, text, color);
    }
}
