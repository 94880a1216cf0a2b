//! The stage fields: parallel over awake bodies; adds the forces of wind, fluids and local gravity to each body's
//! force.
//!
//! Forces are computed for the predicted pose of a body after a part of the step, so that the substeps, in which the
//! force is constant, make the step a symplectic one: a force that depends on the position (an orbit, a body that bobs
//! at a surface) neither adds energy to the motion nor removes it. With n substeps that part is (n - 1) / 2n.
//!
//! Drag is solved implicitly, for the velocity that the body has after the step without contacts. So it is stable
//! whatever its magnitude, and a speed at which it balances the other forces is exactly that.
//!
//! The sum for a body runs over its shapes in the order of its list, and for each over the fields by id; each body is
//! summed by one worker. So the result does not depend on workers, lanes or trees.
//!
//! The reasons are in `docs/fields.md`.

pub(crate) mod active;
mod medium;
mod quads;
mod region;

use super::lent::Lent;
use super::stage::Step;
use crate::body::{BodyPose, BodySim, BodyState, NONE, flag};
use crate::field::{FieldPoint, FieldRecord, reach_of, record};
use crate::solver::connected::ConnectedSets;
use crate::solver::lanes::LaneWidth;
use crate::state::State;
use active::ActiveField;
use alloc::vec::Vec;
use core::mem::swap;
use glam::Vec2;
use medium::{Medium, Push};
use quads::{CORNERS, Fluid, QuadBlock};
use region::{Area, HalfPlane, lines_around};
use tombolo_geometry::math::sqrt;
use tombolo_geometry::{Aabb, Pose};
use tombolo_threads::{ClaimedSlice, parallel_for};

/// The number of bodies in one block of work.
const BODIES_PER_BLOCK: usize = 64;

/// The classification of a body before its forces are computed.
enum FluidLook {
    /// No field acts on it.
    Nothing,
    /// It is a polygon with four corners in the fluid of this index only, cut by this line.
    Quad(usize, HalfPlane),
    /// All other bodies.
    Other,
}

/// Whether a body is moved or turned by forces.
fn answers(sim: &BodySim) -> bool {
    sim.is_dynamic() && (sim.inverse_mass > 0.0 || sim.inverse_inertia > 0.0)
}

/// The time after the start of a step of `dt` in this many substeps for which forces are computed, in seconds.
fn lead_of(dt: f32, substeps: u32) -> f32 {
    let substeps = substeps as f32;
    dt * (substeps - 1.0) / (2.0 * substeps)
}

/// The parameters that all bodies share.
struct Fields<'a> {
    state: &'a State,
    gravities: &'a [ActiveField],
    media: &'a [ActiveField],
    /// The world's gravity.
    gravity: Vec2,
    dt: f32,
    /// The time after the step's start for which the forces on a body that is in no connected set are computed, in
    /// seconds.
    lead: f32,
    /// The bodies that are solved in more substeps than the world's.
    sets: &'a ConnectedSets,
    substeps: u32,
}

#[allow(unsafe_code)]
pub(crate) fn fields(step: &mut Step<'_>) {
    list_active(&*step.world.state, &mut step.scratch.active_fields);
    let [gravities, media] = &step.scratch.active_fields;
    if gravities.is_empty() && media.is_empty() {
        return;
    }
    let lanes = step.world.lanes;
    let mut lent = Lent::of(step.world.state, |state, sims| swap(&mut state.body_sims, sims));
    let (state, sims) = lent.split();
    let fields = Fields {
        state,
        gravities,
        media,
        gravity: state.settings().gravity,
        dt: step.dt,
        lead: lead_of(step.dt, state.settings().substeps),
        sets: &step.scratch.connected_sets,
        substeps: state.settings().substeps,
    };
    // The awake bodies are marked when their steps are finished.
    let claimed = ClaimedSlice::new(sims.unmarked_mut());
    parallel_for(
        step.executor,
        state.awake_bodies.len(),
        BODIES_PER_BLOCK,
        &|_, range| {
            // SAFETY: the list of awake bodies contains each body once, and each place of it is visited once.
            unsafe { fields.push_all(state.awake_bodies.slice(range), lanes, &claimed) };
        },
    );
}

/// Lists the fields that act: gravities, then wind and fluids, each by slot.
fn list_active(state: &State, lists: &mut [Vec<ActiveField>; 2]) {
    lists.iter_mut().for_each(Vec::clear);
    for (dense, (id, field)) in (0..).zip(state.fields.iter()) {
        if !field.is_enabled() {
            continue;
        }
        lists[usize::from(field.is_medium())].push(ActiveField {
            slot: id.index(),
            dense,
            pose: field.pose(),
            reach: reach_of(field, state.points_of_field(field)).unwrap_or(Aabb::new(
                Vec2::splat(f32::NEG_INFINITY),
                Vec2::splat(f32::INFINITY),
            )),
            lines: (field.kind == record::FLUID)
                .then(|| lines_around(field, field.pose()))
                .flatten(),
        });
    }
    for list in lists {
        list.sort_unstable_by_key(|field| field.slot);
    }
}

impl Fields<'_> {
    fn record(&self, field: &ActiveField) -> &FieldRecord {
        self.state
            .fields
            .value_at(field.dense as usize)
            .expect("fields stay within a step")
    }

    /// The time after the step's start for which the forces on a body are computed, in seconds.
    fn lead_of(&self, body: u32) -> f32 {
        match self.sets.group_of(self.state, body) {
            Some(group) => lead_of(self.dt, self.substeps + self.sets.extras()[group]),
            None => self.lead,
        }
    }

    /// Classifies a body: whether it is computed in lanes with others.
    fn look(&self, body: u32, sim: &BodySim) -> FluidLook {
        if !answers(sim) {
            return FluidLook::Nothing;
        }
        // The lanes know nothing of lasting forces.
        let is_plain = sim.first_shape != NONE && !sim.has(flag::CONTROLLED);
        if !self.gravities.is_empty() || self.sets.group_of(self.state, body).is_some() || !is_plain {
            return FluidLook::Other;
        }
        let (place, motion) = (&self.state.body_poses[body], &self.state.body_states[body]);
        let center = place.center + self.lead * motion.linear_velocity;
        let bounds = Aabb::new(center, center).grown(sim.extent_max);
        let mut near = (0..)
            .zip(self.media)
            .filter(|(_, field)| field.reach.overlaps(bounds));
        let Some((fluid, field)) = near.next() else {
            return FluidLook::Nothing;
        };
        let (Some((lines, count)), None) = (&field.lines, near.next()) else {
            return FluidLook::Other;
        };
        let mut cut = None;
        for line in &lines[..*count] {
            let outside = line.distance(center);
            if outside >= sim.extent_max {
                return FluidLook::Nothing;
            }
            if outside > -sim.extent_max && cut.replace(*line).is_some() {
                return FluidLook::Other;
            }
        }
        let (shape, record) = (sim.first_shape, self.record(field));
        let geometry = &self.state.shape_geometries[shape];
        let is_quad = geometry.vertices().len() == CORNERS && geometry.radius() == 0.0;
        let is_alone = self.state.shape_links[shape].next == NONE && self.state.is_solid(shape);
        if is_quad && is_alone && record.mask == u64::MAX {
            FluidLook::Quad(fluid, cut.unwrap_or(HalfPlane::WHOLE))
        } else {
            FluidLook::Other
        }
    }

    /// Adds the forces of fields to those on bodies.
    ///
    /// # Safety
    ///
    /// The bodies are distinct, and no other worker touches their sims meanwhile.
    #[allow(unsafe_code)]
    unsafe fn push_all(&self, bodies: &[u32], lanes: LaneWidth, sims: &ClaimedSlice<'_, BodySim>) {
        let mut block = QuadBlock::EMPTY;
        for &body in bodies {
            // SAFETY: the caller's contract.
            let sim = unsafe { sims.get_mut(body as usize) };
            match self.look(body, sim) {
                FluidLook::Nothing => {}
                FluidLook::Quad(fluid, cut) => {
                    let shape = sim.first_shape;
                    if !block.has_room_for(fluid) {
                        // SAFETY: the caller's contract.
                        unsafe { self.push_block(lanes, &mut block, sims) };
                    }
                    block.push(fluid, body, shape, cut);
                }
                FluidLook::Other => {
                    if let Some(push) = self.push(body, sim) {
                        sim.force += push.force;
                        sim.torque += push.torque;
                    }
                }
            }
        }
        // SAFETY: the caller's contract.
        unsafe { self.push_block(lanes, &mut block, sims) };
    }

    /// Computes the forces on the bodies of a block and clears it.
    ///
    /// # Safety
    ///
    /// No other worker touches their sims meanwhile.
    #[allow(unsafe_code)]
    unsafe fn push_block(&self, lanes: LaneWidth, block: &mut QuadBlock, sims: &ClaimedSlice<'_, BodySim>) {
        let Some(fluid) = block.fluid() else { return };
        let field = &self.media[fluid];
        let record = self.record(field);
        let [density, drag, viscosity] = record.numbers;
        let fluid = Fluid {
            density,
            drag,
            viscosity,
            stream: field.pose.rotation.rotate(record.vector),
            gravity: self.gravity,
            dt: self.dt,
            lead: self.lead,
        };
        // SAFETY: the machine has the lanes, which was checked when they were set; bodies and shapes were just looked up; the
        // rest is the caller's contract.
        unsafe { quads::push(lanes, block, self.state, sims, fluid) };
        block.clear();
    }

    /// The force and torque of all fields on a body; `None` if none acts.
    fn push(&self, body: u32, sim: &BodySim) -> Option<Push> {
        if !answers(sim) {
            return None;
        }
        let (place, motion) = (&self.state.body_poses[body], &self.state.body_states[body]);
        let lead = self.lead_of(body);
        let center = place.center + lead * motion.linear_velocity;
        let gravity = self.gravity_at(sim, center);
        let medium = self.medium_around(sim, (place, motion), (center, lead), gravity);
        let added = sim.gravity_scale * (gravity - self.gravity);
        if medium.is_none() && added == Vec2::ZERO {
            return None;
        }
        // A body that moves along no axis has no weight either, but what is around it may turn it.
        let mass = if sim.inverse_mass > 0.0 {
            1.0 / sim.inverse_mass
        } else {
            0.0
        };
        let mut push = Push {
            force: mass * added,
            torque: 0.0,
        };
        if let Some(medium) = medium {
            let lasting = self.state.control_of_sim(body, sim);
            let force = sim.force + lasting.lasting_force;
            let others = (
                sim.gravity_scale * gravity + sim.inverse_mass * force,
                sim.torque + lasting.lasting_torque,
            );
            let of_medium = medium.push(sim, motion, others, self.dt);
            push.force += of_medium.force;
            push.torque += of_medium.torque;
        }
        Some(push)
    }

    /// The local gravity, before the body's own factor.
    fn gravity_at(&self, sim: &BodySim, center: Vec2) -> Vec2 {
        let (mut added, mut is_replaced) = (Vec2::ZERO, false);
        for field in self.gravities {
            if !field.reach.contains_point(center) {
                continue;
            }
            let record = self.record(field);
            let local = field.pose.inverse_transform_point(center);
            let is_in = record.area().is_none_or(|area| area.contains_point(local));
            if !is_in || !self.acts_on(record, sim) {
                continue;
            }
            if let Some(acceleration) = self.acceleration(record, local) {
                added += field.pose.rotation.rotate(acceleration);
                is_replaced |= record.replaces_gravity();
            }
        }
        if is_replaced { added } else { self.gravity + added }
    }

    /// Whether a gravity acts on a body: one of its shapes has a category of the mask.
    fn acts_on(&self, record: &FieldRecord, sim: &BodySim) -> bool {
        record.mask == u64::MAX || self.shapes_in(record, sim).next().is_some()
    }

    /// The shapes of a body that a field acts on.
    fn shapes_in(&self, record: &FieldRecord, sim: &BodySim) -> impl Iterator<Item = u32> {
        let (links, mask) = (&self.state.shape_links, record.mask);
        let some = |shape: u32| Some(shape).filter(|&shape| shape != NONE);
        let shapes = core::iter::successors(some(sim.first_shape), move |&shape| some(links[shape].next));
        shapes.filter(move |&shape| {
            self.state.is_solid(shape)
                && (mask == u64::MAX || self.state.shapes.live(shape).category & mask != 0)
        })
    }

    /// The acceleration of a gravity at a point in its own frame; `None` out of its reach.
    fn acceleration(&self, record: &FieldRecord, local: Vec2) -> Option<Vec2> {
        match record.kind {
            record::RADIAL => Some(radial(record.numbers, local)),
            record::CHAIN => along_chain(record, self.state.points_of_field(record), local),
            _ => Some(record.vector),
        }
    }

    /// The winds and fluids around a body; `None` if it is in none.
    fn medium_around(
        &self,
        sim: &BodySim,
        (place, motion): (&BodyPose, &BodyState),
        (center, lead): (Vec2, f32),
        gravity: Vec2,
    ) -> Option<Medium> {
        let bounds = Aabb::new(center, center).grown(sim.extent_max);
        let near = |field: &&ActiveField| field.reach.overlaps(bounds);
        let mut fields = self.media.iter().filter(near).peekable();
        fields.peek()?;
        let rotation = place.pose.rotation.integrate(lead * motion.angular_velocity);
        let pose = Pose {
            position: center - rotation.rotate(place.local_center),
            rotation,
        };
        let mut medium = None;
        for field in fields {
            let record = self.record(field);
            let area = Area::new(record, field.pose, center, sim.extent_max);
            let Some(area) = area else { continue };
            for shape in self.shapes_in(record, sim) {
                let medium = medium.get_or_insert_with(|| Medium::new(center, motion));
                let geometry = &self.state.shape_geometries[shape];
                medium.add(record, &area, field.pose.rotation, geometry, pose, gravity);
            }
        }
        medium
    }
}

/// Gravity toward the origin.
fn radial([acceleration, radius, power]: [f32; 3], local: Vec2) -> Vec2 {
    let distance = sqrt(local.length_squared());
    if distance <= radius {
        // At radius 0 the origin itself is the only such point.
        return if radius > 0.0 {
            -acceleration / radius * local
        } else {
            Vec2::ZERO
        };
    }
    let fade = (0..power as u32).fold(1.0, |fade, _| fade * (radius / distance));
    -acceleration * fade / distance * local
}

/// Gravity toward the nearest point of a chain, and along the segment that has it; of equally near ones the first.
fn along_chain(record: &FieldRecord, points: &[FieldPoint], local: Vec2) -> Option<Vec2> {
    let [pull, along, reach] = record.numbers;
    let closing = record
        .is_closed()
        .then(|| [points[points.len() - 1].place, points[0].place]);
    let segments = points
        .windows(2)
        .map(|pair| [pair[0].place, pair[1].place])
        .chain(closing);
    let mut best = (reach * reach, None);
    for [from, to] in segments {
        let edge = to - from;
        let length_squared = edge.length_squared();
        let share = if length_squared > 0.0 {
            ((local - from).dot(edge) / length_squared).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let toward = from + share * edge - local;
        let distance_squared = toward.length_squared();
        if distance_squared < best.0 || (best.1.is_none() && distance_squared <= best.0) {
            best = (distance_squared, Some((toward, edge)));
        }
    }
    let (toward, edge) = best.1?;
    let unit = |v: Vec2| {
        let length = sqrt(v.length_squared());
        if length > 0.0 { v / length } else { Vec2::ZERO }
    };
    Some(pull * unit(toward) + along * unit(edge))
}
