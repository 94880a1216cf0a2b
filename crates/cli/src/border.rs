//! The border of a shape as straight lines, for who draws it.

use tombolo::geometry::Rot;
use tombolo::physics::{Shape, Vec2};

/// Straight pieces of an arc per half turn: a circle has twice as many corners.
const PIECES_PER_HALF_TURN: f32 = 12.0;

/// The border of a shape in its own frame: its corners, each with the arc that its radius makes there.
pub(crate) fn rounded_border(shape: &Shape) -> Vec<Vec2> {
    let (vertices, normals, radius) = (shape.vertices(), shape.normals(), shape.radius());
    if radius == 0.0 {
        return vertices.to_vec();
    }
    let mut border = Vec::new();
    for (index, &vertex) in vertices.iter().enumerate() {
        let (from, to) = match normals {
            [] => (Vec2::X, Vec2::X),
            _ => (
                normals[(index + normals.len() - 1) % normals.len()],
                normals[index],
            ),
        };
        push_arc(&mut border, vertex, radius, [from, to]);
    }
    border
}

/// The arc about `center` that turns counter-clockwise from one direction to another; a full turn if they are the same.
fn push_arc(border: &mut Vec<Vec2>, center: Vec2, radius: f32, [from, to]: [Vec2; 2]) {
    use std::f32::consts::{PI, TAU};
    let start = Rot {
        cos: from.x,
        sin: from.y,
    };
    let turn = start.to(Rot { cos: to.x, sin: to.y }).angle();
    let turn = if turn <= 0.0 { turn + TAU } else { turn };
    let pieces = (PIECES_PER_HALF_TURN * turn / PI).ceil().max(1.0);
    for piece in 0..=pieces as u32 {
        let direction = start.then(Rot::from_angle(turn * piece as f32 / pieces));
        border.push(center + radius * Vec2::new(direction.cos, direction.sin));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tombolo::physics::Aabb;

    #[test]
    fn rounded_borders_lie_on_the_shape() {
        let circle = rounded_border(&Shape::circle(Vec2::ZERO, 2.0).unwrap());
        assert!(circle.len() >= 24);
        assert!(circle.iter().all(|point| (point.length() - 2.0).abs() < 1e-5));

        let capsule = Shape::capsule(Vec2::new(-3.0, 0.0), Vec2::new(3.0, 0.0), 1.0).unwrap();
        let bounds = Aabb::from_points(&rounded_border(&capsule));
        assert!((bounds.min - Vec2::new(-4.0, -1.0)).length() < 1e-5, "{bounds:?}");
        assert!((bounds.max - Vec2::new(4.0, 1.0)).length() < 1e-5, "{bounds:?}");

        let sharp = Shape::new_box(2.0, 2.0).unwrap();
        assert_eq!(rounded_border(&sharp), sharp.vertices());
    }
}
