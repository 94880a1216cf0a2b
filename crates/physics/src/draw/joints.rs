//! Drawing of joints and rigid welds by symbols of their function: a pin, a rod, a slack or taut rope, a spring as a
//! zigzag, a rail with its stops, a weld's cross, a rigid weld's seam, a motor's arrow, a rope over wheels.

use super::marks::JointMarks;
use super::options::DrawOptions;
use super::target::DebugDraw;
use crate::world::PhysicsWorld;
use crate::{Aabb, BodyKind, JointKind, JointRef};
use alloc::vec;
use alloc::vec::Vec;
use tombolo_geometry::math::sqrt;
use tombolo_geometry::{Rot, Vec2};

/// Sizes in pixels: of a pin, of half of a spring's teeth, of a motor's arrow, of a weld's cross, of a stop.
const PIN: f32 = 5.0;
const TOOTH: f32 = 4.0;
const ARROW: f32 = 8.0;
const CROSS: f32 = 4.0;
const STOP: f32 = 5.0;
/// The length to which a rail without stops is drawn in each direction, in meters.
const RAIL_M: f32 = 1.0;
/// The number of teeth of a spring.
const TEETH: usize = 10;
/// The number of pieces of a slack rope or an arrow.
const PIECES: usize = 12;

/// Draws all joints, then all rigid welds.
pub(super) fn draw(world: &PhysicsWorld, draw: &mut dyn DebugDraw, options: &DrawOptions) {
    for joint in world.joints() {
        sketch(&joint, options.pixel_m).draw(joint.strain(), draw, options);
    }
    for weld in world.rigid_welds() {
        seam(weld.point().to_vec2(), options.pixel_m).draw(weld.strain(), draw, options);
    }
}

/// The lines and dots that show a joint, in world coordinates.
#[derive(Debug, Default, PartialEq)]
struct Sketch {
    lines: Vec<Vec<Vec2>>,
    pins: Vec<Vec2>,
}

/// Sketches a joint, with the size of a pixel in meters.
fn sketch(joint: &JointRef<'_>, pixel: f32) -> Sketch {
    let marks = joint.marks();
    let [from, to] = joint.anchors().map(|anchor| anchor.to_vec2());
    let bodies = joint.bodies();
    let mut sketch = Sketch::default();
    let axis = bodies[0].rotation().then(Rot::from_angle(marks.angle));
    match marks.kind {
        JointKind::Distance => {
            sketch.line_between(&marks, [from, to], pixel);
            sketch.pins.extend([from, to]);
        }
        JointKind::Prismatic => {
            sketch.arms(joint, [None, Some(to)]);
            sketch.rail(&marks, from, axis, pixel);
            sketch.motor_along(&marks, to, axis, pixel);
            if marks.spring {
                sketch.lines.push(zigzag([from, to], pixel));
            }
            sketch.pins.push(to);
        }
        JointKind::Wheel => {
            let chassis = bodies[0].center_of_mass().to_vec2();
            sketch.axle(&marks, [chassis, to], axis, pixel);
        }
        JointKind::Weld => {
            sketch.arms(joint, [Some(from), Some(to)]);
            sketch.cross(to, pixel);
            if from.distance(to) > CROSS * pixel {
                sketch.lines.push(vec![from, to]);
            }
        }
        JointKind::Motor => {
            sketch.lines.push(bar_or_spring(marks.spring, [from, to], pixel));
            sketch.lines.push(diamond(from, CROSS * pixel));
            sketch.pins.push(to);
        }
        JointKind::Generic => {
            sketch.arms(joint, [Some(from), Some(to)]);
            sketch.lines.push(vec![from, to]);
            sketch.lines.push(diamond(from, CROSS * pixel));
            sketch.motor_about(&marks, to, pixel);
            sketch.pins.push(to);
        }
        JointKind::Pogo => sketch.leg(&marks, [from, to], axis, pixel),
        JointKind::Mover => sketch.heading(marks, to, pixel),
        // A coupling is a dashed line from one joint to the other.
        JointKind::Gear | JointKind::Rack => sketch.dashes([from, to], pixel),
        JointKind::Pulley => {
            let [over_from, over_to] = marks.wheels.unwrap_or_default();
            sketch.lines.push(vec![from, over_from, over_to, to]);
            for wheel in [over_from, over_to] {
                sketch.lines.push(circle(wheel, STOP * pixel));
            }
            sketch.pins.extend([from, to]);
        }
        JointKind::Filter => {}
        _ => {
            sketch.arms(joint, [Some(from), Some(to)]);
            sketch.motor_about(&marks, from, pixel);
            sketch.pins.push(from);
        }
    }
    sketch
}

/// Sketches a rigid weld: a cross within a square.
fn seam(at: Vec2, pixel: f32) -> Sketch {
    let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (1.0, 1.0)];
    let square = corners.map(|corner| at + Vec2::from(corner) * CROSS * pixel);
    let mut sketch = Sketch::default();
    sketch.cross(at, pixel);
    sketch.lines.push(square.to_vec());
    sketch
}

impl Sketch {
    /// Draws the whole sketch, in the color of a strain from 0 to 1, if any of it is within the bounds.
    fn draw(&self, strain: f32, draw: &mut dyn DebugDraw, options: &DrawOptions) {
        if !self.area().is_some_and(|area| options.shows(area)) {
            return;
        }
        let color = options.palette.strained(strain);
        for line in &self.lines {
            draw.polyline(line, color);
        }
        for &pin in &self.pins {
            draw.dot(pin, PIN * options.pixel_m, color);
        }
    }

    /// Adds two lines that cross.
    fn cross(&mut self, at: Vec2, pixel: f32) {
        let arms = [Vec2::new(1.0, 1.0), Vec2::new(1.0, -1.0)];
        for arm in arms.map(|arm| arm * CROSS * pixel) {
            self.lines.push(vec![at - arm, at + arm]);
        }
    }

    /// The box around the whole sketch; `None` if it is empty.
    fn area(&self) -> Option<Aabb> {
        let points = self.lines.iter().flatten().chain(&self.pins);
        let boxes = points.map(|&point| Aabb::new(point, point));
        boxes.reduce(Aabb::union)
    }

    /// Adds lines from the center of each body that moves to its anchor.
    fn arms(&mut self, joint: &JointRef<'_>, held: [Option<Vec2>; 2]) {
        for (body, at) in joint.bodies().into_iter().zip(held) {
            if let Some(at) = at.filter(|_| body.kind() == BodyKind::Dynamic) {
                self.lines.push(vec![body.center_of_mass().to_vec2(), at]);
            }
        }
    }

    /// Adds a rod, a spring, or a rope that sags by its slack.
    fn line_between(&mut self, marks: &JointMarks, [from, to]: [Vec2; 2], pixel: f32) {
        if marks.spring {
            return self.lines.push(zigzag([from, to], pixel));
        }
        let apart = from.distance(to);
        let slack = marks.limit.map_or(0.0, |[_, most]| most * most - apart * apart);
        if slack <= 0.02 * apart * apart || marks.motor != 0 || slack > 1.0e8 {
            return self.lines.push(vec![from, to]);
        }
        // The sag of a parabola of nearly the rope's length.
        let sag = 0.43 * sqrt(slack);
        let place = |piece: usize| {
            let share = piece as f32 / PIECES as f32;
            from.lerp(to, share) - Vec2::new(0.0, 4.0 * sag * share * (1.0 - share))
        };
        self.lines.push((0..=PIECES).map(place).collect());
    }

    /// Adds an arrow in the direction in which a mover drives.
    fn heading(&mut self, marks: JointMarks, to: Vec2, pixel: f32) {
        if let Some(heading) = marks.heading {
            let moving = JointMarks { motor: 1, ..marks };
            let axis = Rot {
                cos: heading.x,
                sin: heading.y,
            };
            self.motor_along(&moving, to, axis, pixel);
        }
        self.pins.push(to);
    }

    /// Adds a leg along an axis, and its foot, a plate across.
    fn leg(&mut self, marks: &JointMarks, [from, to]: [Vec2; 2], axis: Rot, pixel: f32) {
        let along = axis.rotate(Vec2::X);
        let foot = to - along * (to - from).dot(along);
        self.lines.push(if marks.spring {
            zigzag([foot, to], pixel)
        } else {
            vec![foot, to]
        });
        let half = along.perp() * STOP * pixel;
        self.lines.push(vec![foot - half, foot + half]);
        self.pins.push(to);
    }

    /// Adds a wheel on its spring, whose upper end is at the point of the axis nearest to the chassis.
    fn axle(&mut self, marks: &JointMarks, [chassis, hub]: [Vec2; 2], axis: Rot, pixel: f32) {
        let along = axis.rotate(Vec2::X);
        let top = hub + along * (chassis - hub).dot(along);
        self.lines.push(vec![chassis, top]);
        self.lines.push(if marks.spring {
            zigzag([top, hub], pixel)
        } else {
            vec![top, hub]
        });
        self.motor_about(marks, hub, pixel);
        self.pins.push(hub);
    }

    fn dashes(&mut self, [from, to]: [Vec2; 2], pixel: f32) {
        let count = (from.distance(to) / (8.0 * pixel)).clamp(1.0, 100.0) as usize;
        for dash in 0..count {
            let ends = [0.25, 0.75].map(|share| from.lerp(to, (dash as f32 + share) / count as f32));
            self.lines.push(ends.to_vec());
        }
    }

    /// Adds a line along an axis, with a stop at each limit.
    fn rail(&mut self, marks: &JointMarks, from: Vec2, axis: Rot, pixel: f32) {
        let [lower, upper] = marks.limit.unwrap_or([-RAIL_M, RAIL_M]);
        let [along, across] = [Vec2::X, Vec2::Y].map(|unit| axis.rotate(unit));
        let ends = [lower, upper].map(|limit| from + along * limit.clamp(-1.0e4, 1.0e4));
        self.lines.push(ends.to_vec());
        if marks.limit.is_some() {
            for end in ends {
                let stop = across * STOP * pixel;
                self.lines.push(vec![end - stop, end + stop]);
            }
        }
    }

    /// Adds an arrow about a point, in the direction in which a motor turns.
    fn motor_about(&mut self, marks: &JointMarks, center: Vec2, pixel: f32) {
        if marks.motor == 0 {
            return;
        }
        let (sign, radius) = (f32::from(marks.motor), ARROW * pixel);
        let at = |share: f32| center + Rot::from_angle(sign * 4.2 * share).rotate(Vec2::new(radius, 0.0));
        let arc: Vec<Vec2> = (0..=PIECES)
            .map(|piece| at(piece as f32 / PIECES as f32))
            .collect();
        let (tip, outwards) = (at(1.0), at(1.0) - center);
        let back = outwards.perp() * -sign * 0.45;
        self.lines.push(vec![
            tip + back + outwards * 0.4,
            tip,
            tip + back - outwards * 0.4,
        ]);
        self.lines.push(arc);
    }

    /// Adds an arrow along an axis, in the direction in which a motor pushes.
    fn motor_along(&mut self, marks: &JointMarks, from: Vec2, axis: Rot, pixel: f32) {
        if marks.motor == 0 {
            return;
        }
        let [along, across] = [Vec2::X, Vec2::Y].map(|unit| axis.rotate(unit) * ARROW * pixel);
        let along = along * f32::from(marks.motor);
        let tip = from + 2.0 * along;
        let wings = [0.4, -0.4].map(|side| tip - 0.6 * along + across * side);
        self.lines.push(vec![from, tip]);
        self.lines.push(vec![wings[0], tip, wings[1]]);
    }
}

fn bar_or_spring(is_spring: bool, ends: [Vec2; 2], pixel: f32) -> Vec<Vec2> {
    if is_spring {
        zigzag(ends, pixel)
    } else {
        ends.to_vec()
    }
}

fn zigzag([from, to]: [Vec2; 2], pixel: f32) -> Vec<Vec2> {
    let across = (to - from).perp().normalize_or_zero() * TOOTH * pixel;
    let place = |tooth: usize| {
        let share = (tooth as f32 + 0.5) / TEETH as f32;
        let side = if tooth.is_multiple_of(2) { 1.0 } else { -1.0 };
        from.lerp(to, 0.1 + 0.8 * share) + across * side
    };
    let ends = [from, from.lerp(to, 0.1)];
    let teeth = (0..TEETH).map(place);
    ends.into_iter()
        .chain(teeth)
        .chain([from.lerp(to, 0.9), to])
        .collect()
}

fn circle(center: Vec2, radius: f32) -> Vec<Vec2> {
    let at = |piece: usize| {
        let turn = Rot::from_angle(core::f32::consts::TAU * piece as f32 / PIECES as f32);
        center + turn.rotate(Vec2::new(radius, 0.0))
    };
    (0..=PIECES).map(at).collect()
}

fn diamond(center: Vec2, reach: f32) -> Vec<Vec2> {
    let corners = [Vec2::X, Vec2::Y, -Vec2::X, -Vec2::Y, Vec2::X];
    corners.map(|corner| center + corner * reach).to_vec()
}
