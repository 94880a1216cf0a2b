//! [`Medium`]: the sum of the winds and fluids around one body.

use super::region::{Area, Region};
use crate::body::{BodySim, BodyState};
use crate::field::{FieldRecord, record};
use glam::Vec2;
use tombolo_geometry::math::{cross, cross_scalar, sqrt};
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Pose, Rot};

/// The force and torque on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Push {
    pub(super) force: Vec2,
    pub(super) torque: f32,
}

/// The forces and drag on a body, of all its shapes and all fields other than gravity.
pub(super) struct Medium {
    center: Vec2,
    velocity: Vec2,
    spin: f32,
    /// The force in newtons that does not depend on the body's velocity.
    force: Vec2,
    /// The torque of that force, in newton meters.
    torque: f32,
    /// The linear drag, in newtons per meter per second of the body's velocity.
    drag: f32,
    /// The force of drag on the body at rest, in newtons.
    drag_force: Vec2,
    /// The torque of drag on the body without rotation, in newton meters.
    drag_torque: f32,
    /// The angular drag, in newton meters per radian per second of the body's angular velocity.
    spin_drag: f32,
}

impl Medium {
    pub(super) fn new(center: Vec2, motion: &BodyState) -> Self {
        Self {
            center,
            velocity: motion.linear_velocity,
            spin: motion.angular_velocity,
            force: Vec2::ZERO,
            torque: 0.0,
            drag: 0.0,
            drag_force: Vec2::ZERO,
            drag_torque: 0.0,
            spin_drag: 0.0,
        }
    }

    /// Adds the effect of a field on a shape of the body; `rotation` is that of the field's frame, `gravity` the local
    /// one.
    pub(super) fn add(
        &mut self,
        record: &FieldRecord,
        area: &Area<'_>,
        rotation: Rot,
        shape: &Shape,
        pose: Pose,
        gravity: Vec2,
    ) {
        let stream = rotation.rotate(record.vector);
        let relative = self.velocity - stream;
        let speed = sqrt(relative.length_squared());
        let direction = if speed > 0.0 { relative / speed } else { Vec2::X };
        let across = pose.rotation.unrotate(direction).perp();
        let is_line = shape.vertices().len() == 2 && shape.radius() == 0.0;
        let [density, drag, last] = record.numbers;
        if record.kind == record::FLUID {
            // A segment without radius displaces no fluid.
            let Some(region) = (!is_line).then(|| area.inside(shape, pose, across)).flatten() else {
                return;
            };
            let arm = pose.transform_point(region.centroid) - self.center;
            let lift = -density * region.area * gravity;
            self.force += lift;
            self.torque += cross(arm, lift);
            let resistance = density * (0.5 * drag * region.width * speed + last * region.area);
            self.slow(resistance, arm, stream);
            self.spin_drag += density * (0.25 * drag * self.spin.abs() * region.swept + last * region.second);
        } else if area.contains(pose.transform_point(shape.centroid())) {
            let region = if is_line {
                Some(Region::of_line(shape, across))
            } else {
                Area::inside_of_all(shape, across)
            };
            let Some(region) = region else { return };
            let arm = pose.transform_point(region.centroid) - self.center;
            self.slow(0.5 * density * drag * region.width * speed, arm, stream);
            self.spin_drag += 0.25 * density * drag * self.spin.abs() * region.swept;
            if last > 0.0 {
                let lift = across_the_wind(shape, -pose.rotation.unrotate(direction));
                let lift = 0.5 * density * last * speed * speed * pose.rotation.rotate(lift);
                self.force += lift;
                self.torque += cross(arm, lift);
            }
        }
    }

    /// Adds a drag, in newtons per meter per second, of a stream past the end of an arm.
    fn slow(&mut self, resistance: f32, arm: Vec2, stream: Vec2) {
        self.drag += resistance;
        self.drag_force += resistance * (stream - cross_scalar(self.spin, arm));
        self.drag_torque += cross(arm, resistance * (stream - self.velocity));
        self.spin_drag += resistance * arm.length_squared();
    }

    /// The force and torque of the medium over the step. With them and all others, given as the acceleration of the other
    /// forces and as the other torques, the body gets the velocity that drag, evaluated at the end of the step, gives it.
    pub(super) fn push(
        &self,
        sim: &BodySim,
        motion: &BodyState,
        (acceleration, torque): (Vec2, f32),
        dt: f32,
    ) -> Push {
        let mut push = Push {
            force: self.force,
            torque: self.torque,
        };
        if self.drag > 0.0 {
            let free = motion.linear_velocity + dt * (acceleration + sim.inverse_mass * self.force);
            push.force += (self.drag_force / self.drag - free) / (1.0 / self.drag + dt * sim.inverse_mass);
        }
        if self.spin_drag > 0.0 {
            let free = motion.angular_velocity + dt * sim.inverse_inertia * (torque + self.torque);
            let rest = self.drag_torque / self.spin_drag - free;
            push.torque += rest / (1.0 / self.spin_drag + dt * sim.inverse_inertia);
        }
        push
    }
}

/// The lift of a wind on the faces that are turned to it, in meters: each by its width across the wind, and by the
/// inclination of its normal to the wind.
fn across_the_wind(shape: &Shape, wind: Vec2) -> Vec2 {
    let (vertices, normals) = (shape.vertices(), shape.normals());
    let ends = vertices.iter().cycle().skip(1);
    let faces = normals.iter().zip(vertices.iter().zip(ends));
    faces.fold(Vec2::ZERO, |sum, (&normal, (&from, &to))| {
        let facing = -normal.dot(wind);
        if facing <= 0.0 {
            return sum;
        }
        let leaning = -normal - facing * wind;
        sum + facing * sqrt((to - from).length_squared()) * leaning
    })
}
