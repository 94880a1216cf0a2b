//! [`Shape::border`]: the border of a shape as a polygon of straight lines, for drawing.

use super::Shape;
use crate::math::Rot;
use alloc::vec::Vec;
use core::f32::consts::{PI, TAU};
use glam::Vec2;

impl Shape {
    /// The border as corners in the shape's own frame, counter-clockwise, with each arc of a radius replaced by chords:
    /// `pieces` of them for half a turn, at least one. A segment gives its two ends, a half-space none; call
    /// [`Shape::near`] first to draw the visible part of a half-space.
    ///
    /// Costs one evaluation of sine and cosine for each chord.
    ///
    /// ```
    /// use tombolo_geometry::shape::Shape;
    /// use tombolo_geometry::Vec2;
    ///
    /// let circle = Shape::circle(Vec2::ZERO, 2.0)?;
    /// assert!(circle.border(12).iter().all(|corner| (corner.length() - 2.0).abs() < 1e-5));
    /// assert_eq!(Shape::new_box(1.0, 1.0)?.border(12).len(), 4);
    /// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
    /// ```
    pub fn border(&self, pieces: u32) -> Vec<Vec2> {
        if self.is_half_space() {
            return Vec::new();
        }
        let (vertices, normals, radius) = (self.vertices(), self.normals(), self.radius());
        if radius == 0.0 {
            return vertices.to_vec();
        }
        let mut border = Vec::new();
        for (index, &vertex) in vertices.iter().enumerate() {
            let directions = match normals {
                [] => [Vec2::X, Vec2::X],
                _ => [
                    normals[(index + normals.len() - 1) % normals.len()],
                    normals[index],
                ],
            };
            push_arc(&mut border, vertex, radius, directions, pieces);
        }
        border
    }
}

/// Appends the arc about `center` that turns counter-clockwise from one direction to another; a full turn if both are the
/// same.
fn push_arc(border: &mut Vec<Vec2>, center: Vec2, radius: f32, [from, to]: [Vec2; 2], pieces: u32) {
    let start = Rot {
        cos: from.x,
        sin: from.y,
    };
    let turn = start.to(Rot { cos: to.x, sin: to.y }).angle();
    let turn = if turn <= 0.0 { turn + TAU } else { turn };
    let count = libm::ceilf(pieces as f32 * turn / PI).max(1.0);
    for piece in 0..=count as u32 {
        let direction = start.then(Rot::from_angle(turn * piece as f32 / count));
        border.push(center + radius * Vec2::new(direction.cos, direction.sin));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Aabb;

    #[test]
    fn borders_lie_on_the_shape() {
        let circle = Shape::circle(Vec2::ZERO, 2.0).unwrap().border(12);
        assert!(circle.len() >= 24);
        assert!(circle.iter().all(|point| (point.length() - 2.0).abs() < 1e-5));

        let capsule = Shape::capsule(Vec2::new(-3.0, 0.0), Vec2::new(3.0, 0.0), 1.0).unwrap();
        let bounds = Aabb::from_points(&capsule.border(12));
        assert!((bounds.min - Vec2::new(-4.0, -1.0)).length() < 1e-5, "{bounds:?}");
        assert!((bounds.max - Vec2::new(4.0, 1.0)).length() < 1e-5, "{bounds:?}");

        let sharp = Shape::new_box(2.0, 2.0).unwrap();
        assert_eq!(sharp.border(12), sharp.vertices());
    }

    #[test]
    fn every_kind_has_a_border_that_turns_counter_clockwise() {
        let area = |border: &[Vec2]| -> f32 {
            let next = border.iter().cycle().skip(1);
            border.iter().zip(next).map(|(a, b)| 0.5 * a.perp_dot(*b)).sum()
        };
        let disc = Shape::circle(Vec2::new(5.0, 1.0), 1.0).unwrap();
        for pieces in [0, 1, 3, 100] {
            let chords = (2 * pieces).max(1) as f32;
            let exact = 0.5 * chords * libm::sinf(TAU / chords);
            assert!((area(&disc.border(pieces)) - exact).abs() < 1e-3, "{pieces}");
        }
        let rounded = Shape::rounded_box(2.0, 1.0, 0.25).unwrap().border(64);
        let exact = 2.0 + 2.0 * 3.0 * 0.25 + PI * 0.0625;
        assert!((area(&rounded) - exact).abs() < 1e-3, "{}", area(&rounded));
        let half = Shape::half_space(Vec2::ZERO, Vec2::Y).unwrap();
        assert!(half.border(12).is_empty());
        assert!(half.near(Vec2::ZERO, 10.0).border(12).len() > 2);
        assert_eq!(Shape::segment(Vec2::ZERO, Vec2::X).unwrap().border(12).len(), 2);
    }
}
