//! Common parts of the scenes: bodies that touch only the ground, angles with whole turns, and the drawing of bodies.

use crate::picture::{Color, Picture};
use core::f64::consts::TAU;
use tombolo_physics::{BodyDef, BodyRef, Filter, JointId, Position, ShapeDef};

/// The category bit of the ground.
pub(crate) const GROUND: u64 = 1;

/// The definition of a dynamic body.
pub(crate) fn dynamic(position: Position, angle: f32) -> BodyDef {
    BodyDef {
        position,
        angle,
        ..BodyDef::dynamic(0.0, 0.0)
    }
}

/// The definition of a shape that touches only the ground; friction and density are those of the original's engine
/// and a leg's.
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

/// The present angle of a body, given that of the step before: of the angles that are whole turns apart the nearest,
/// since a body turns by less than half a turn in a step.
pub(crate) fn unwound(before: f64, body: BodyRef<'_>) -> f64 {
    let turned = f64::from(body.rotation().angle());
    turned + TAU * libm::round((before - turned) / TAU)
}

/// The joint between two bodies, of which `first` is its first body.
pub(crate) fn joint_between(first: BodyRef<'_>, second: BodyRef<'_>) -> Option<JointId> {
    let pair = [first.id(), second.id()];
    let mut joints = second.joints();
    joints
        .find(|joint| joint.bodies().map(|body| body.id()) == pair)
        .map(|joint| joint.id())
}

/// Fills the polygons of a body; `pixel` maps a point of the world to the picture.
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
