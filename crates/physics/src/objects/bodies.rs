//! Bodies in the state: creating, enabling and disabling them, and computing their masses. For the calls in `world/`
//! and the stages in `step/`.

use crate::body::{Body, BodyDef, BodyId, BodyKind, BodyPose, BodySim, BodyState, NONE, flag};
use crate::constants::MASS_MAX_KG;
use crate::control::BodyControl;
use crate::name::BodyName;
use crate::state::State;
use crate::{PhysicsError, contact};
use glam::{DVec2, Vec2};
use tombolo_geometry::Pose;
use tombolo_geometry::shape::MassProperties;
use tombolo_threads::FloatEnvironment;

/// The mass in kilograms of a dynamic body whose shapes have none.
const MASS_WITHOUT_SHAPES_KG: f32 = 1.0;

impl State {
    /// Removes a body that was awake before a call from the list of those that the call woke: the entries from
    /// `reported` on.
    pub(crate) fn retract_woken(&mut self, body: u32, reported: usize) {
        let id = self.bodies.handle_of_slot(body).map(|id| id.to_bits());
        let Some(place) = self
            .pending_woken
            .slice(reported..self.pending_woken.len())
            .iter()
            .position(|&woken| Some(woken) == id)
        else {
            return;
        };
        let end = self.pending_woken.len();
        self.pending_woken.slice_mut(reported + place..end).rotate_left(1);
        self.pending_woken.swap_remove(end - 1);
    }

    /// The index of a body, if it exists.
    pub(crate) fn check_body(&self, id: BodyId) -> Result<u32, PhysicsError> {
        if self.bodies.contains(id) {
            Ok(id.index())
        } else {
            Err(PhysicsError::StaleHandle { what: "body" })
        }
    }

    pub(crate) fn create_body(&mut self, def: &BodyDef) -> BodyId {
        let id = self.bodies.insert(Body {
            user_key: def.user_key,
            first_contact: NONE,
            first_joint: NONE,
            contact_count: 0,
            joint_count: 0,
            awake_index: NONE,
            shape_count: 0,
            mass: 0.0,
            inertia: 0.0,
        });
        let body = id.index();
        let pose = Pose::new(def.position.to_vec2(), def.angle);
        self.body_poses.put(body, BodyPose::new(pose, Vec2::ZERO));
        self.body_sims.grow_to(body as usize, BodySim::default());
        let mut sim = BodySim {
            linear_damping: def.linear_damping,
            angular_damping: def.angular_damping,
            gravity_scale: def.gravity_scale,
            sleep_threshold: def.sleep_threshold,
            first_shape: NONE,
            kind: def.kind as u32,
            ..BodySim::default()
        };
        sim.set(flag::ALLOW_SLEEP, def.allow_sleep);
        sim.set(flag::FIXED_ROTATION, def.fixed_rotation);
        sim.set(flag::FAST_ROTATION, def.fast_rotation);
        sim.set(flag::BULLET, def.bullet);
        sim.set(flag::NO_RECYCLING, !def.contact_recycling);
        sim.set(flag::MASS_LISTED, self.body_sims[body].has(flag::MASS_LISTED));
        self.body_sims[body] = sim;
        let control = def.control();
        let is_controlled = control != BodyControl::default();
        if is_controlled {
            self.set_control(body, control);
        }
        self.set_extra_substeps(body, def.extra_substeps);
        if !def.name.as_str().is_empty() {
            self.set_name(body, def.name);
        }
        let mut motion = BodyState::default();
        if def.kind != BodyKind::Static {
            // The sum with zero has no minus zero.
            motion.linear_velocity = def.linear_velocity + Vec2::ZERO;
            motion.angular_velocity = def.angular_velocity;
        }
        self.body_states.put(body, motion);
        if is_controlled || def.fixed_rotation {
            self.stop_what_is_fixed(body);
        }
        if is_controlled {
            self.update_mass(body);
        } else {
            self.begin_mass(body);
        }
        if def.enabled {
            let may_sleep = def.allow_sleep && self.settings().sleeping != 0;
            self.enable(body, def.awake || !may_sleep);
        }
        id
    }

    /// What [`State::update_mass`] comes to for a new body, which has no shapes yet, without any of the options that few
    /// bodies have.
    fn begin_mass(&mut self, body: u32) {
        let sim = &mut self.body_sims[body];
        let mass = if sim.is_dynamic() {
            MASS_WITHOUT_SHAPES_KG
        } else {
            0.0
        };
        sim.inverse_mass = mass;
        (sim.extent_min, sim.extent_max) = (f32::MAX, 0.0);
        self.bodies.live_mut(body).mass = mass;
    }

    /// Takes from a body's velocities what it cannot have: a dynamic body has none along fixed axes, and does not turn if
    /// its rotation is fixed.
    pub(crate) fn stop_what_is_fixed(&mut self, body: u32) {
        let sim = &self.body_sims[body];
        if !sim.is_dynamic() {
            return;
        }
        let turns = !sim.has(flag::FIXED_ROTATION);
        let control = self.control_of(body);
        let motion = &mut self.body_states[body];
        motion.linear_velocity = control.on_free_axes(motion.linear_velocity);
        if !turns {
            motion.angular_velocity = 0.0;
        }
    }

    /// Takes an enabled body out of the simulation, and discards its one-step forces.
    pub(crate) fn disable(&mut self, body: u32) {
        if self.body_sims[body].has(flag::ENABLED) {
            self.take_out(body);
            self.forget_forces(body);
        }
    }

    /// Discards the forces that calls applied to a body, and to its members, for the next step.
    pub(crate) fn forget_forces(&mut self, body: u32) {
        self.forget_member_loads(body);
        let sim = &mut self.body_sims[body];
        (sim.force, sim.torque) = (Vec2::ZERO, 0.0);
    }

    /// Takes an enabled body out of the simulation: its contacts end, its proxies and its island node are removed. It
    /// keeps its one-step forces, for a body that is put back by the same call.
    pub(crate) fn take_out(&mut self, body: u32) {
        self.wake_touching(body);
        self.destroy_contacts_of(body);
        self.change_joints_of(body, |state, joint| {
            state.unlink_joint(joint);
            state.uncolor_joint(joint);
        });
        self.change_shapes_of(body, State::remove_proxy);
        self.remove_from_awake(body);
        if self.body_sims[body].is_dynamic() {
            self.islands
                .remove_node(body)
                .expect("no edge is left on the node");
        }
        self.body_sims[body].set(flag::ENABLED, false);
    }

    /// Removes a body without joints, with its shapes.
    pub(crate) fn remove_body(&mut self, body: u32) {
        self.disable(body);
        self.change_shapes_of(body, State::forget_shape);
        self.forget_tile_grids_of(body);
        if self.body_sims[body].has(flag::CONTROLLED) {
            self.set_control(body, BodyControl::default());
        }
        self.set_extra_substeps(body, 0);
        if !self.body_names.is_empty() {
            self.set_name(body, BodyName::default());
        }
        self.body_sims[body].set(flag::MASS_STALE, false);
        let id = self.bodies.live_id(body);
        self.bodies.remove(id);
    }

    /// Takes a disabled body into the simulation.
    pub(crate) fn enable(&mut self, body: u32, awake: bool) {
        self.body_sims[body].set(flag::ENABLED, true);
        self.body_sims[body].set(flag::FROZEN, false);
        if self.body_sims[body].is_dynamic() {
            let island = self.islands.add_node(body).expect("the body had no node");
            if !awake {
                self.islands
                    .sleep(island)
                    .expect("an island of one node is connected");
            }
        }
        self.change_shapes_of(body, State::create_proxy);
        if awake && self.body_sims[body].kind() != BodyKind::Static {
            // Alone in its island, if it is dynamic.
            self.wake_one(body);
        }
        self.change_joints_of(body, |state, joint| {
            state.link_joint(joint);
            state.color_joint(joint);
        });
    }

    /// Marks the mass of a body as stale after shapes were added or removed; the next step, or the first use, computes
    /// it anew.
    pub(crate) fn note_stale_mass(&mut self, body: u32) {
        let sim = &mut self.body_sims[body];
        sim.set(flag::MASS_STALE, true);
        if !sim.has(flag::MASS_LISTED) {
            sim.set(flag::MASS_LISTED, true);
            self.stale_masses.push(body);
        }
    }

    /// Computes the mass of a body if it is stale. O(1) if not, else the body's shapes and contacts.
    pub(crate) fn sum_up_mass(&mut self, body: u32) {
        if self.body_sims[body].has(flag::MASS_STALE) {
            self.update_mass(body);
        }
    }

    /// Computes the masses of all bodies whose mass is stale: the beginning of a step.
    pub(crate) fn sum_up_masses(&mut self) {
        for i in 0..self.stale_masses.count() {
            let body = self.stale_masses[i];
            debug_assert!(self.body_sims[body].has(flag::MASS_LISTED), "listed once");
            self.body_sims[body].set(flag::MASS_LISTED, false);
            self.sum_up_mass(body);
        }
        self.stale_masses.clear();
    }

    /// The mass properties of a body, as [`State::sum_up_mass`] would compute them. O(1) if they are not stale, else
    /// the body's shapes.
    pub(crate) fn mass_of_body(&self, body: u32) -> MassProperties {
        if self.body_sims[body].has(flag::MASS_STALE) {
            let _environment = FloatEnvironment::enter_call();
            return self.mass_in_effect(body);
        }
        let record = self.bodies.live(body);
        MassProperties {
            mass: record.mass,
            inertia: record.inertia,
            center: self.body_poses[body].local_center,
        }
    }

    /// The pose of a body and the velocity of its center of mass, as [`State::sum_up_mass`] would leave them. Costs as
    /// much as [`State::mass_of_body`].
    pub(crate) fn motion_of(&self, body: u32) -> (BodyPose, Vec2) {
        let (place, motion) = (self.body_poses[body], &self.body_states[body]);
        if self.body_sims[body].has(flag::MASS_STALE) {
            let _environment = FloatEnvironment::enter_call();
            place.with_center(motion, self.mass_in_effect(body).center)
        } else {
            (place, motion.linear_velocity)
        }
    }

    /// The sum of the mass properties `of` a body's shapes without sensors: mass in kilograms, inertia in kilogram square
    /// meters about the center of mass, and that center in the body's frame.
    ///
    /// The sums are in double precision and about the center of the first shape: about the body's origin, the inertia
    /// would be a small difference of large numbers where shapes are far from it.
    fn sum_of_shapes(&self, body: u32, of: impl Fn(u32) -> MassProperties) -> MassProperties {
        // The sums are about the first shape's center.
        let mut origin = None;
        let mut mass = 0.0_f64;
        let mut weighted_center = DVec2::ZERO;
        let mut inertia_at_origin = 0.0_f64;
        let mut concave_polygon = None;
        for shape in self.solid_shapes_of(body) {
            let whole = self.concave_polygon_of(shape);
            // The parts of a concave polygon are consecutive in the list; the first one stands for all.
            let is_counted = whole.is_some() && whole == concave_polygon;
            concave_polygon = whole;
            if is_counted {
                continue;
            }
            let part = of(shape);
            let (part_mass, center) = (f64::from(part.mass), part.center.as_dvec2());
            let offset = center - *origin.get_or_insert(center);
            mass += part_mass;
            weighted_center += part_mass * offset;
            inertia_at_origin += f64::from(part.inertia) + part_mass * offset.length_squared();
        }
        let (center, inertia) = match origin {
            Some(origin) if mass > 0.0 => {
                let offset = weighted_center / mass;
                (
                    (origin + offset).as_vec2(),
                    inertia_at_origin - mass * offset.length_squared(),
                )
            }
            _ => (Vec2::ZERO, inertia_at_origin),
        };
        // A sum that overflowed is NaN or infinite.
        let bounded = |sum: f64| {
            if sum < f64::from(MASS_MAX_KG) {
                sum.max(0.0) as f32
            } else {
                MASS_MAX_KG
            }
        };
        MassProperties {
            inertia: bounded(inertia),
            mass: bounded(mass),
            center,
        }
    }

    /// The mass properties in effect: those of the shapes, or the ones set in their place, plus the added mass. Zero
    /// unless the body is dynamic; a dynamic body without mass gets one kilogram, as it would otherwise stay at rest in
    /// the air.
    fn mass_in_effect(&self, body: u32) -> MassProperties {
        let sim = &self.body_sims[body];
        if !sim.is_dynamic() {
            return MassProperties::default();
        }
        let mut shapes = self.sum_of_shapes(body, |shape| self.mass_of(shape));
        let control = self.control_of_sim(body, sim);
        if shapes.mass == 0.0 {
            if control.own_mass.mass == 0.0 && control.added_mass > 0.0 {
                return self.spread_over_shapes(body, control.added_mass);
            }
            shapes.mass = MASS_WITHOUT_SHAPES_KG;
        }
        if !sim.has(flag::CONTROLLED) {
            return shapes;
        }
        let MassProperties {
            mass,
            inertia,
            center,
        } = control.mass_of(shapes);
        MassProperties {
            mass: mass.min(MASS_MAX_KG),
            inertia: inertia.min(MASS_MAX_KG),
            center,
        }
    }

    /// The mass properties of a body whose mass in kilograms is distributed evenly over its shapes; where these have no
    /// area, it is at the body's origin and does not turn.
    fn spread_over_shapes(&self, body: u32, mass: f32) -> MassProperties {
        let even = self.sum_of_shapes(body, |shape| self.mass_with(shape, 1.0));
        let density = if even.mass > 0.0 { mass / even.mass } else { 0.0 };
        MassProperties {
            mass,
            inertia: (density * even.inertia).min(MASS_MAX_KG),
            center: even.center,
        }
    }

    /// The options of a body that few bodies have.
    pub(crate) fn control_of(&self, body: u32) -> BodyControl {
        self.control_of_sim(body, &self.body_sims[body])
    }

    /// Like [`State::control_of`], for a stage that has the sims.
    pub(crate) fn control_of_sim(&self, body: u32, sim: &BodySim) -> BodyControl {
        if sim.has(flag::CONTROLLED) {
            self.body_controls[body]
        } else {
            BodyControl::default()
        }
    }

    /// Sets the options of a body that few bodies have. Neither mass nor contacts are updated.
    pub(crate) fn set_control(&mut self, body: u32, control: BodyControl) {
        let was_dominant = self.control_of(body).dominance != 0;
        let is_controlled = control != BodyControl::default();
        if is_controlled || self.body_sims[body].has(flag::CONTROLLED) {
            self.body_controls.grow_to(body as usize, BodyControl::default());
            self.body_controls[body] = control;
        }
        self.body_sims[body].set(flag::CONTROLLED, is_controlled);
        let dominant = &mut self.settings_mut().dominant_bodies;
        *dominant = *dominant + u32::from(control.dominance != 0) - u32::from(was_dominant);
    }

    /// Computes mass, center of mass and extents of a body from its shapes. The velocity of the origin stays, and the
    /// contacts are computed anew.
    pub(crate) fn update_mass(&mut self, body: u32) {
        let MassProperties {
            mass,
            inertia,
            center,
        } = self.mass_in_effect(body);
        let is_held = self.control_of(body).is_held();
        let sim = &mut self.body_sims[body];
        let turns = inertia > 0.0 && !sim.has(flag::FIXED_ROTATION);
        sim.inverse_mass = if mass > 0.0 && !is_held { 1.0 / mass } else { 0.0 };
        sim.inverse_inertia = if turns { 1.0 / inertia } else { 0.0 };
        sim.set(flag::MASS_STALE, false);
        let record = self.bodies.live_mut(body);
        (record.mass, record.inertia) = (mass, inertia);

        if self.is_composite(body) {
            self.weigh_members(body);
        }
        self.move_center(body, center);
        self.update_extents(body, center);
        self.compute_contacts_anew(body);
    }

    /// Marks the manifolds of a body's contacts to be computed anew in the next step.
    pub(crate) fn compute_contacts_anew(&mut self, body: u32) {
        self.change_contacts_of(body, |state, index| {
            let place = state.contacts.place_of(index);
            state.contacts.contacts[place].flags &= !contact::flag::COMPUTED;
        });
    }

    /// The flag of a contact of two bodies that decides whether its manifold is computed anew in each step.
    pub(crate) fn recycling_flag(&self, bodies: [u32; 2]) -> u16 {
        let anew = bodies
            .into_iter()
            .any(|body| self.body_sims[body].has(flag::NO_RECYCLING));
        if anew { contact::flag::NO_RECYCLING } else { 0 }
    }

    /// The mass properties of a shape, or of the concave polygon that it is a part of.
    pub(crate) fn mass_of(&self, shape: u32) -> MassProperties {
        let density = match self.concave_polygon_of(shape) {
            Some(concave_polygon) => self.concave_polygon_pool.records.live(concave_polygon).density,
            None => self.shapes.live(shape).density,
        };
        self.mass_with(shape, density)
    }

    /// The same with a density in kilograms per square meter in place of its own.
    fn mass_with(&self, shape: u32, density: f32) -> MassProperties {
        let Some(concave_polygon) = self.concave_polygon_of(shape) else {
            return self.shape_geometries[shape].mass_properties(density);
        };
        let record = self.concave_polygon_pool.records.live(concave_polygon);
        let density = f64::from(density);
        MassProperties {
            mass: (record.area * density) as f32,
            inertia: (record.inertia * density) as f32,
            center: record.moments().centroid.as_vec2(),
        }
    }

    fn move_center(&mut self, body: u32, local_center: Vec2) {
        let motion = &mut self.body_states[body];
        (self.body_poses[body], motion.linear_velocity) =
            self.body_poses[body].with_center(motion, local_center);
    }

    fn update_extents(&mut self, body: u32, local_center: Vec2) {
        let (mut nearest, mut farthest) = (f32::MAX, 0.0_f32);
        // Of the parts of a concave polygon the thickest decides: the polygon cannot pass a wall without being swept,
        // whatever its thin parts do.
        let (mut concave_polygon, mut thickest) = (None, f32::MAX);
        for shape in self.solid_shapes_of(body) {
            let (of, skin) = (self.concave_polygon_of(shape), self.contact_skin(shape));
            let extent = self.shape_geometries[shape].min_extent() + skin;
            if of.is_some() && of == concave_polygon {
                thickest = thickest.max(extent);
            } else {
                nearest = nearest.min(thickest);
                (concave_polygon, thickest) = (of, extent);
            }
            farthest = farthest.max(self.shape_geometries[shape].max_extent_from(local_center) + skin);
        }
        nearest = nearest.min(thickest);
        if farthest == 0.0 {
            // A body with only sensors has the thickness of its sensors.
            for sensor in self.shapes_of(body) {
                nearest = 0.0;
                farthest = self.shape_geometries[sensor]
                    .max_extent_from(local_center)
                    .max(farthest);
            }
        }
        let has_skins = self.body_sims[body].has(flag::SKINS)
            && self.shapes_of(body).any(|shape| self.materials[shape].skin != 0);
        let sim = &mut self.body_sims[body];
        sim.extent_min = nearest;
        sim.extent_max = farthest;
        sim.set(flag::SKINS, has_skins);
    }
}
