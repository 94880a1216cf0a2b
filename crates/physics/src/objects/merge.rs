//! Merging two bodies into one: the shapes, joints, members and the motion of the second are added to the first.

use crate::PhysicsError;
use crate::body::{NONE, flag};
use crate::control::BodyControl;
use crate::error::Range;
use crate::joint::{Coupling, flag as joint_flag};
use crate::state::State;
use alloc::vec::Vec;
use glam::{DVec2, Vec2};
use tombolo_geometry::math::cross;
use tombolo_geometry::shape::{MassProperties, Shape};
use tombolo_geometry::split::COORDINATE_RANGE;
use tombolo_geometry::{Pose, Rot};

/// A rigid body to be merged: mass in kilograms, inertia in kilogram square meters, and the motion of the center of
/// mass.
#[derive(Clone, Copy)]
struct Moving {
    mass: f64,
    inertia: f64,
    center: DVec2,
    linear: DVec2,
    angular: f64,
    force: Vec2,
    torque: f32,
}

/// The plan of a merger: the second of two bodies, as it is added to the first.
pub(crate) struct Merger {
    into: u32,
    from: u32,
    /// The pose of the second body in the frame of the first.
    pose: Pose,
    /// The shapes of the second body in the first body's frame, oldest first.
    shapes: Vec<(u32, Shape)>,
}

impl Merger {
    /// The body that will be removed.
    pub(crate) fn from(&self) -> u32 {
        self.from
    }
}

/// A frame of the second body in the frame of the first, in which the second body is at `pose`.
fn within(pose: Pose, frame: Pose) -> Pose {
    let Pose { position, rotation } = pose.compose(frame);
    let Rot { cos, sin } = rotation.normalized();
    Pose {
        position: position + Vec2::ZERO,
        rotation: Rot {
            cos: cos + 0.0,
            sin: sin + 0.0,
        },
    }
}

impl State {
    /// Returns an error for two bodies that cannot become one. `None` if they are the same.
    pub(crate) fn plan_merger(&self, [into, from]: [u32; 2]) -> Result<Option<Merger>, PhysicsError> {
        if into == from {
            return Ok(None);
        }
        let refuse = |why| Err(PhysicsError::UnfitBodies { why });
        let [a, b] = [into, from].map(|body| &self.body_sims[body]);
        if !a.is_dynamic() || !b.is_dynamic() {
            return refuse("a rigid weld needs two dynamic bodies; a joint holds one to what is fixed");
        }
        if a.has(flag::ENABLED) != b.has(flag::ENABLED) {
            return refuse("one is disabled, and the other one is not");
        }
        let [pose_a, pose_b] = [into, from].map(|body| self.body_poses[body].pose);
        let pose = Pose {
            position: pose_a.inverse_transform_point(pose_b.position),
            rotation: pose_a.rotation.to(pose_b.rotation).normalized(),
        };
        for joint in self.joints_of(from) {
            let sim = &self.joint_sims[joint];
            let (what, anchor) = if sim.body_a == from {
                ("local_anchor_a", sim.local_anchor_a)
            } else {
                ("local_anchor_b", sim.local_anchor_b)
            };
            Range::POSITION.check_vector(what, pose.transform_point(anchor))?;
        }
        let mut shapes = Vec::new();
        for shape in self.shapes_of(from) {
            let moved = self.shape_geometries[shape]
                .moved(pose)
                .map_err(PhysicsError::Shape)?;
            shapes.push((shape, moved));
        }
        shapes.reverse();
        Ok(Some(Merger {
            into,
            from,
            pose,
            shapes,
        }))
    }

    /// Merges two bodies into one. Momentum and angular momentum are kept, except along fixed axes and for a fixed
    /// rotation.
    pub(crate) fn merge(&mut self, merger: &Merger) {
        let &Merger { into, from, pose, .. } = merger;
        for body in [into, from] {
            self.wake_touching(body);
            self.forget_own_mass(body);
            self.sum_up_mass(body);
        }
        let parts = [into, from].map(|body| self.moving(body));
        self.take_joints(into, from, pose);
        self.take_polygons(from, pose);
        let shapes: Vec<u32> = merger.shapes.iter().map(|&(shape, _)| shape).collect();
        self.destroy_contacts_of_shapes(from, &shapes);
        for &(shape, geometry) in &merger.shapes {
            self.shape_geometries[shape] = geometry;
            self.move_shape(shape, into);
        }
        self.take_members(into, from, pose);
        self.remove_body(from);
        self.update_mass(into);
        self.move_as_both(into, parts);
        self.request_pairs(into);
    }

    fn moving(&self, body: u32) -> Moving {
        let (record, sim) = (self.bodies.live(body), &self.body_sims[body]);
        let state = &self.body_states[body];
        Moving {
            mass: f64::from(record.mass),
            inertia: f64::from(record.inertia),
            center: self.body_poses[body].center.as_dvec2(),
            linear: state.linear_velocity.as_dvec2(),
            angular: f64::from(state.angular_velocity),
            force: sim.force,
            torque: sim.torque,
        }
    }

    /// Sets a body's velocities to the common motion of two.
    fn move_as_both(&mut self, body: u32, parts: [Moving; 2]) {
        let mass = parts[0].mass + parts[1].mass;
        let mean =
            |of: fn(&Moving) -> DVec2| (parts[0].mass * of(&parts[0]) + parts[1].mass * of(&parts[1])) / mass;
        let (center, linear) = (mean(|part| part.center), mean(|part| part.linear));
        let (mut inertia, mut momentum) = (0.0, 0.0);
        for part in &parts {
            let arm = part.center - center;
            inertia += part.inertia + part.mass * arm.length_squared();
            momentum += part.inertia * part.angular + part.mass * arm.perp_dot(part.linear - linear);
        }
        let on_center = |part: &Moving| part.torque + cross((part.center - center).as_vec2(), part.force);
        let sim = &mut self.body_sims[body];
        sim.force = parts[0].force + parts[1].force;
        sim.torque = on_center(&parts[0]) + on_center(&parts[1]);
        let turns = !sim.has(flag::FIXED_ROTATION);
        let linear = self.control_of(body).on_free_axes(linear.as_vec2());
        let state = &mut self.body_states[body];
        state.linear_velocity = linear + Vec2::ZERO;
        if turns && inertia > 0.0 {
            state.angular_velocity = (momentum / inertia) as f32 + 0.0;
        }
    }

    /// Moves the joints of a body to another one, in which it is at `pose`; those between the two are removed.
    fn take_joints(&mut self, into: u32, from: u32, pose: Pose) {
        let joints: Vec<u32> = self.joints_of(from).collect();
        for joint in joints {
            let sim = &self.joint_sims[joint];
            if sim.body_a == into || sim.body_b == into {
                self.destroy_joint(joint);
                continue;
            }
            let end = usize::from(sim.body_a != from);
            self.move_joint_to_body(joint, end, into);
            let sim = &mut self.joint_sims[joint];
            let (anchor, angle) = if end == 0 {
                (&mut sim.local_anchor_a, &mut sim.local_angle_a)
            } else {
                (&mut sim.local_anchor_b, &mut sim.local_angle_b)
            };
            *anchor = pose.transform_point(*anchor) + Vec2::ZERO;
            *angle = Rot::from_angle(*angle).then(pose.rotation).angle() + 0.0;
            let [a, b, flags] = [sim.body_a, sim.body_b, sim.flags];
            if matches!(sim.coupling(), Some(Coupling::Gear | Coupling::Rack)) {
                self.begin_track(joint);
            }
            if flags & joint_flag::COLLIDE_CONNECTED == 0 {
                self.destroy_contacts_between([a, b]);
            }
        }
    }

    /// Transforms the corners of a body's concave polygons into another frame.
    fn take_polygons(&mut self, body: u32, pose: Pose) {
        let mut polygons: Vec<u32> = self
            .shapes_of(body)
            .filter_map(|shape| self.concave_polygon_of(shape))
            .collect();
        polygons.sort_unstable();
        polygons.dedup();
        let (cos, sin) = (f64::from(pose.rotation.cos), f64::from(pose.rotation.sin));
        // What is too small for the corner of a polygon becomes zero, and so does a negative zero.
        let flushed = |x: f64| if x.abs() < COORDINATE_RANGE.0 { 0.0 } else { x };
        let moved = |[x, y]: [f64; 2]| {
            let position = pose.position.as_dvec2();
            let (x, y) = (cos * x - sin * y, sin * x + cos * y);
            [position.x + x, position.y + y].map(flushed)
        };
        for polygon in polygons {
            let record = self.concave_polygon_pool.records.live_mut(polygon);
            record.center = moved(record.center);
            let (first, count) = (record.first_point, record.point_count);
            for point in first..first + count {
                let corner = self.concave_polygon_pool.points[point];
                self.concave_polygon_pool.points[point] = moved(corner);
            }
        }
    }

    /// Moves the members of a body to another one, in which it is at `pose`.
    fn take_members(&mut self, into: u32, from: u32, pose: Pose) {
        let mut members: Vec<u32> = self.members_of(from).collect();
        let shift = self.body_poses[from].pose.position - self.body_poses[into].pose.position;
        members.sort_unstable();
        for &member in &members {
            let welds: Vec<(u32, usize)> = self.welds_of(member).collect();
            for (weld, _) in welds.into_iter().filter(|&(_, end)| end == 0) {
                let anchor = &mut self.rigid_welds.live_mut(weld).anchor;
                *anchor = pose.transform_point(*anchor) + Vec2::ZERO;
            }
            self.delist_member(member);
            self.list_member(member, into);
            let record = self.members.live_mut(member);
            record.frame = within(pose, record.frame);
            record.torque += cross(shift, record.force);
            record.angular_impulse += cross(shift, record.impulse);
        }
    }

    /// Drops the own and added mass of a body, so that its mass is that of its shapes.
    pub(crate) fn forget_own_mass(&mut self, body: u32) {
        let control = BodyControl {
            own_mass: MassProperties::default(),
            added_mass: 0.0,
            ..self.control_of(body)
        };
        if control != self.control_of(body) {
            self.set_control(body, control);
            self.update_mass(body);
        }
    }

    /// Moves one end of a joint to another body, at the same position in its frame.
    pub(crate) fn move_joint_to_body(&mut self, joint: u32, end: usize, body: u32) {
        self.unlink_joint(joint);
        self.uncolor_joint(joint);
        self.delist_joint(joint);
        let record = self.joints.live_mut(joint);
        record.bodies[end] = body;
        record.previous = [NONE; 2];
        let sim = &mut self.joint_sims[joint];
        *[&mut sim.body_a, &mut sim.body_b][end] = body;
        self.list_joint(joint);
        self.link_joint(joint);
        self.color_joint(joint);
    }
}
