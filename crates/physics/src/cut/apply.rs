//! Applies a planned cut: changes bodies, shapes and joints in an order that depends only on the plan.
//!
//! All pieces keep the frame of the body, so that corners, anchors and joints' positions are unchanged, bit for bit.
//! Each piece gets the velocity of the body at the piece's center of mass: with `c` the common center of all pieces,
//! the velocities are `v + ω × (cᵢ - c)` and `ω`, which keeps linear and angular momentum whatever the pieces are.

use super::plan::{Fate, Group, Plan};
use super::{Cut, CutPolygon};
use crate::body::{BodyDef, BodyId, BodyPose, flag};
use crate::objects::concave_polygons::ConcavePolygonBody;
use crate::state::State;
use crate::{CutEvent, VanishEvent};
use alloc::vec::Vec;
use glam::{DVec2, Vec2};
use tombolo_geometry::Pose;
use tombolo_geometry::math::cross_scalar;

/// The motion of a body that its pieces inherit.
struct InheritedMotion {
    pose: Pose,
    /// Whether the pieces move by what they weigh.
    dynamic: bool,
    /// The point of the body's frame that has the linear velocity: the common center of all pieces, or the origin of a body
    /// that no mass moves.
    center: DVec2,
    linear: Vec2,
    angular: f32,
    /// The force since the last step per kilogram, in newtons.
    acceleration: Vec2,
    /// The torque since the last step per kilogram square meter, in newton meters.
    angular_acceleration: f32,
    /// The mass of all pieces, in kilograms.
    mass: f64,
    /// Their moment of inertia about the common center, in kilogram square meters.
    inertia: f64,
    /// The force in newtons and the torque in newton meters that act in every step.
    lasting: (Vec2, f32),
}

impl InheritedMotion {
    /// A velocity or acceleration at a point of the body's frame, from the linear and the angular one of the body.
    fn at(&self, point: DVec2, linear: Vec2, angular: f32) -> Vec2 {
        let arm = self.pose.rotation.rotate((point - self.center).as_vec2());
        linear + cross_scalar(angular, arm)
    }

    /// The lasting force and torque of a group: they give it the same acceleration that they gave the body.
    fn lasting_of(&self, group: &Group) -> (Vec2, f32) {
        let share = |part: f64, whole: f64| if whole > 0.0 { (part / whole) as f32 } else { 1.0 };
        let (force, torque) = self.lasting;
        (
            share(group.mass, self.mass) * force,
            share(group.inertia, self.inertia) * torque,
        )
    }
}

impl State {
    /// Applies a plan. The plan was made from this state and there is room for it.
    pub(crate) fn apply_cut(&mut self, plan: &Plan) -> Cut {
        let body = plan.body;
        let id = self.bodies.live_id(body);
        self.wake_touching(body);
        self.forget_own_mass(body);
        self.sum_up_mass(body);
        let motion = self.motion_before(plan);
        let bodies: Vec<Option<u32>> = plan
            .groups
            .iter()
            .map(|group| match group.fate {
                Fate::Stay => Some(body),
                Fate::Part => Some(self.create_piece(body, false)),
                Fate::Debris(_) => Some(self.create_piece(body, true)),
                Fate::Vanish => None,
            })
            .collect();
        self.move_joints(plan, &bodies);
        let concave_polygons = self.move_shapes(plan, &bodies);
        for (group, &piece) in plan.groups.iter().zip(&bodies) {
            if let Some(piece) = piece {
                self.update_mass(piece);
                self.set_motion(piece, group, &motion);
            }
        }
        self.request_pairs(body);
        self.report_cut(plan, id, &bodies, &motion, concave_polygons)
    }

    fn motion_before(&self, plan: &Plan) -> InheritedMotion {
        let sim = &self.body_sims[plan.body];
        let state = &self.body_states[plan.body];
        let mass: f64 = plan.groups.iter().map(|group| group.mass).sum();
        let weighted: DVec2 = plan.groups.iter().map(|group| group.mass * group.center).sum();
        let dynamic = sim.is_dynamic() && mass > 0.0;
        let center = if dynamic { weighted / mass } else { DVec2::ZERO };
        let inertia_of = |group: &Group| group.inertia + group.mass * group.center.distance_squared(center);
        let control = self.control_of(plan.body);
        InheritedMotion {
            pose: self.body_poses[plan.body].pose,
            dynamic,
            center,
            linear: state.linear_velocity,
            angular: state.angular_velocity,
            acceleration: sim.force * sim.inverse_mass,
            angular_acceleration: sim.torque * sim.inverse_inertia,
            mass,
            inertia: plan.groups.iter().map(inertia_of).sum(),
            lasting: (control.lasting_force, control.lasting_torque),
        }
    }

    /// Creates a body without shapes at the pose of another, with all its settings.
    fn create_piece(&mut self, of: u32, debris: bool) -> u32 {
        let id = self.bodies.live_id(of);
        let sim = self.body_sims[of];
        let control = self.control_of(of);
        let piece = self
            .create_body(&BodyDef {
                kind: sim.kind(),
                linear_damping: sim.linear_damping,
                angular_damping: sim.angular_damping,
                gravity_scale: sim.gravity_scale,
                sleep_threshold: sim.sleep_threshold,
                allow_sleep: sim.has(flag::ALLOW_SLEEP),
                fixed_rotation: sim.has(flag::FIXED_ROTATION),
                fast_rotation: sim.has(flag::FAST_ROTATION),
                bullet: sim.has(flag::BULLET),
                contact_recycling: !sim.has(flag::NO_RECYCLING),
                fixed_x: control.fixed_axes[0] != 0,
                fixed_y: control.fixed_axes[1] != 0,
                dominance: control.dominance as i8,
                extra_substeps: self.extra_substeps_of(of),
                speed_max: control.speed_max,
                spin_max: control.spin_max,
                enabled: sim.has(flag::ENABLED),
                user_key: self.bodies.get(id).expect("just looked up").user_key,
                name: self.name_of(of).copied().unwrap_or_default(),
                ..BodyDef::default()
            })
            .index();
        let is_debris = debris || sim.has(flag::DEBRIS);
        self.body_sims[piece].set(flag::FROZEN, sim.has(flag::FROZEN));
        self.body_sims[piece].set(flag::DEBRIS, is_debris);
        self.body_sims[piece].set(flag::DROPPING, sim.has(flag::DROPPING));
        self.body_poses[piece] = BodyPose::new(self.body_poses[of].pose, Vec2::ZERO);
        piece
    }

    /// Moves each joint to the piece that has its anchor; the joints of a piece that vanishes are destroyed.
    fn move_joints(&mut self, plan: &Plan, bodies: &[Option<u32>]) {
        let end_of = |state: &Self, joint: u32| usize::from(state.joint_sims[joint].body_a != plan.body);
        let joints: Vec<u32> = self.joints_of(plan.body).collect();
        let anchor_of = |&joint: &u32| {
            let sim = &self.joint_sims[joint];
            [sim.local_anchor_a, sim.local_anchor_b][end_of(self, joint)]
        };
        let anchors: Vec<Vec2> = joints.iter().map(anchor_of).collect();
        for (joint, group) in joints.into_iter().zip(self.groups_at(plan, &anchors)) {
            match bodies[group] {
                None => self.destroy_joint(joint),
                Some(piece) if piece != plan.body => {
                    self.move_joint_to_body(joint, end_of(self, joint), piece);
                }
                Some(_) => {}
            }
        }
    }

    /// Destroys the shapes that were cut, gives the pieces their concave polygons, and moves shapes that were not cut.
    fn move_shapes(&mut self, plan: &Plan, bodies: &[Option<u32>]) -> Vec<CutPolygon> {
        let cut_shapes = plan.cut_shapes();
        self.end_contacts(plan, bodies, &cut_shapes);
        let mut concave_polygons = Vec::new();
        let replaced = plan.solids.iter().map(|solid| solid.shapes.as_slice());
        let mut replaced: Vec<(&[u32], Vec<u32>)> = replaced.map(|shapes| (shapes, Vec::new())).collect();
        for (group, &piece) in plan.groups.iter().zip(bodies) {
            for fragment in group.fragments.iter().map(|&member| &plan.fragments[member]) {
                let shapes = &plan.solids[fragment.solid].shapes;
                let Some(concave_polygon) = &fragment.concave_polygon else {
                    self.hand_over_shapes(shapes, plan.body, piece, group.fate);
                    continue;
                };
                let Some(piece) = piece.filter(|_| !fragment.parts.is_empty()) else {
                    continue;
                };
                let mut def = self.def_of_shape(shapes[0]);
                def.density = fragment.density as f32;
                if let Fate::Debris(filter) = group.fate {
                    def.filter = filter;
                }
                let new = ConcavePolygonBody {
                    concave_polygon: concave_polygon.clone(),
                    radius: plan.solids[fragment.solid].radius as f32,
                    moments: fragment.moments,
                    parts: fragment.parts.clone(),
                };
                let from = self.shapes.live_id(shapes[0]);
                let concave_polygon = self.add_concave_polygon(piece, &def, &new);
                let parts = self.parts_of(concave_polygon.index());
                replaced[fragment.solid].1.extend(parts);
                concave_polygons.push(CutPolygon {
                    concave_polygon,
                    from,
                });
            }
        }
        for (shapes, group) in &plan.passengers {
            self.hand_over_shapes(shapes, plan.body, bodies[*group], plan.groups[*group].fate);
        }
        replaced.retain(|(_, new)| !new.is_empty());
        self.inherit_ignored_pairs(&replaced);
        cut_shapes.into_iter().for_each(|shape| self.remove_shape(shape));
        concave_polygons
    }

    /// Destroys the contacts of all shapes that leave the body or are cut, in one walk over the body's contacts.
    fn end_contacts(&mut self, plan: &Plan, bodies: &[Option<u32>], cut_shapes: &[u32]) {
        let of_group = |(group, &piece): (&Group, &Option<u32>)| {
            let uncut = group.fragments.iter().map(|&member| &plan.fragments[member]);
            uncut
                .filter(|fragment| !fragment.is_cut())
                .map(|fragment| (&plan.solids[fragment.solid].shapes, piece))
                .collect::<Vec<_>>()
        };
        let solids = plan.groups.iter().zip(bodies).flat_map(of_group);
        let passengers = plan
            .passengers
            .iter()
            .map(|(shapes, group)| (shapes, bodies[*group]));
        let leaving = solids
            .chain(passengers)
            .filter(|(_, piece)| *piece != Some(plan.body));
        let mut shapes: Vec<u32> = leaving
            .flat_map(|(shapes, _)| shapes.iter().rev().copied())
            .collect();
        shapes.extend(cut_shapes);
        self.destroy_contacts_of_shapes(plan.body, &shapes);
    }

    /// Moves shapes of a body, which have no contacts if they leave it, to another one, or removes them if there is
    /// none. Those of debris get its filter.
    fn hand_over_shapes(&mut self, shapes: &[u32], from: u32, to: Option<u32>, fate: Fate) {
        // Oldest first, so that the list keeps its order.
        for &shape in shapes.iter().rev() {
            match to {
                None => self.remove_shape(shape),
                Some(to) if to != from => {
                    if let Fate::Debris(filter) = fate {
                        // Before the move, which makes the shape's proxy anew.
                        self.shapes.live_mut(shape).set_filter(filter);
                    }
                    self.move_shape(shape, to);
                }
                Some(_) => {}
            }
        }
    }

    fn set_motion(&mut self, piece: u32, group: &Group, motion: &InheritedMotion) {
        let (mut linear, mut force) = (motion.linear, motion.acceleration);
        if motion.dynamic {
            // A piece without mass weighs a kilogram, at the origin of its frame.
            let center = if group.mass > 0.0 {
                group.center
            } else {
                DVec2::ZERO
            };
            linear = motion.at(center, linear, motion.angular);
            force = motion.at(center, force, motion.angular_acceleration);
        }
        let mut control = self.control_of(piece);
        (control.lasting_force, control.lasting_torque) = motion.lasting_of(group);
        self.set_control(piece, control);
        let state = &mut self.body_states[piece];
        (state.linear_velocity, state.angular_velocity) = (linear, motion.angular);
        self.stop_what_is_fixed(piece);
        let sim = &mut self.body_sims[piece];
        (sim.force, sim.torque) = (Vec2::ZERO, 0.0);
        if motion.dynamic {
            sim.force = group.mass as f32 * force;
            sim.torque = group.inertia as f32 * motion.angular_acceleration;
        } else {
            // The body weighed a kilogram, and so does each piece.
            sim.force = force;
        }
    }

    /// Sorts the events and returns the result of the cut.
    fn report_cut(
        &mut self,
        plan: &Plan,
        body: BodyId,
        bodies: &[Option<u32>],
        motion: &InheritedMotion,
        concave_polygons: Vec<CutPolygon>,
    ) -> Cut {
        let mut cut = Cut {
            body,
            concave_polygons,
            pieces: Vec::new(),
            vanished: Vec::new(),
            segments: plan
                .segments
                .iter()
                .map(|ends| ends.map(|end| motion.pose.transform_point(end.as_vec2()).into()))
                .collect(),
        };
        for (group, &piece) in plan.groups.iter().zip(bodies) {
            match piece {
                Some(piece) if piece != plan.body => {
                    let piece = self.bodies.live_id(piece);
                    cut.pieces.push(piece);
                    let debris = matches!(group.fate, Fate::Debris(_));
                    self.pending_cuts.push(CutEvent { body, piece, debris }.into());
                }
                Some(_) => {}
                None => {
                    let event = VanishEvent {
                        body,
                        area: group.area as f32,
                        mass: if motion.dynamic { group.mass as f32 } else { 0.0 },
                        center: motion.pose.transform_point(group.center.as_vec2()).into(),
                        velocity: motion.at(group.center, motion.linear, motion.angular),
                    };
                    cut.vanished.push(event);
                    self.pending_cuts.push(event.into());
                }
            }
        }
        cut
    }
}
