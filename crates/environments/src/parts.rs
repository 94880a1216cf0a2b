//! What the scenes share: bodies that touch the ground alone, angles that count whole turns, and how a body is drawn.

use crate::picture::{Color, Picture};
use core::f64::consts::TAU;
use tombolo_physics::{BodyDef, BodyRef, Filter, JointId, Position, ShapeDef};

/// Bits of the ground.
pub(crate) const GROUND: u64 = 1;

/// A body that moves.
pub(crate) fn dynamic(position: Position, angle: f32) -> BodyDef {
    BodyDef {
        position,
        angle,
        ..BodyDef::dynamic(0.0, 0.0)
    }
}

/// What touches the ground and nothing else; friction and density are those of the original's engine and a leg's.
pub(crate) fn grounded(category: u64) -> ShapeDef {
    ShapeDef {
        filter: Filter {
            category,
            mask: GROUND,
            group: 0,
        },
        friction: 0.2,
        ..ShapeDef::default()
    }
}

/// The angle that a body has now, given that of a step before: of those that are whole turns apart the nearest, since a
/// body turns by less than half a turn in a step.
pub(crate) fn unwound(before: f64, body: BodyRef<'_>) -> f64 {
    let turned = f64::from(body.rotation().angle());
    turned + TAU * libm::round((before - turned) / TAU)
}

/// The joint that joins two bodies, the first of which is its first.
pub(crate) fn joint_between(first: BodyRef<'_>, second: BodyRef<'_>) -> Option<JointId> {
    let pair = [first.id(), second.id()];
    let mut joints = second.joints();
    joints
        .find(|joint| joint.bodies().map(|body| body.id()) == pair)
        .map(|joint| joint.id())
}

/// Fills the polygons of a body; `pixel` says where a point of the world is in the picture.
pub(crate) fn draw_body(
    picture: &mut Picture,
    body: BodyRef<'_>,
    color: Color,
    pixel: impl Fn([f64; 2]) -> [f64; 2],
) {
    let pose = body.pose();
    for shape in body.shapes() {
        let mut corners = [[0.0; 2]; 8];
        let vertices = shape.geometry().vertices();
        for (corner, &vertex) in corners.iter_mut().zip(vertices) {
            let place = pose.transform_point(vertex);
            *corner = pixel([f64::from(place.x), f64::from(place.y)]);
        }
        picture.fill(&corners[..vertices.len()], color);
    }
}
