//! Fields in the state: creating, changing and destroying them, waking the bodies in their reach, and explosions.

use crate::PhysicsError;
use crate::body::flag;
use crate::broad_phase::TreeKind;
use crate::constants::{FORCE_MAX_N, VELOCITY_MAX_M_S};
use crate::field::{ExplosionDef, FieldDef, FieldId, FieldPoint, FieldRecord, reach_of};
use crate::state::State;
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec2;
use tombolo_geometry::math::{cross, sqrt};
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Aabb, distance::closest_point};

impl State {
    pub(crate) fn check_field(&self, id: FieldId) -> Result<FieldId, PhysicsError> {
        if self.fields.contains(id) {
            Ok(id)
        } else {
            Err(PhysicsError::StaleHandle { what: "field" })
        }
    }

    /// The points of a field's chain.
    pub(crate) fn points_of_field(&self, record: &FieldRecord) -> &[FieldPoint] {
        self.field_points.slice(points_range(record))
    }

    pub(crate) fn create_field(&mut self, def: &FieldDef) -> FieldId {
        let (record, points) = FieldRecord::new(def, self.field_points.count());
        for point in points {
            self.field_points.push(point);
        }
        let id = self.fields.insert(record);
        self.wake_in_field(id);
        id
    }

    pub(crate) fn destroy_field(&mut self, id: FieldId) {
        self.wake_in_field(id);
        let chains = self.chains_without(id);
        self.fields.remove(id);
        self.keep_chains(chains);
    }

    /// Replaces a field's definition. Wakes the bodies in it before and after, unless nothing changes.
    pub(crate) fn change_field(&mut self, id: FieldId, def: &FieldDef) {
        let old = *self.field_record(id);
        let (new, points) = FieldRecord::new(def, old.first_point);
        let mut silent = new;
        silent.user_key = old.user_key;
        if silent == old && points[..] == *self.points_of_field(&old) {
            self.field_record_mut(id).user_key = new.user_key;
            return;
        }
        self.wake_in_field(id);
        *self.field_record_mut(id) = new;
        if new.point_count == old.point_count {
            self.field_points
                .slice_mut(points_range(&new))
                .copy_from_slice(&points);
        } else {
            let mut chains = self.chains_without(id);
            chains.push((id, points));
            self.keep_chains(chains);
        }
        self.wake_in_field(id);
    }

    pub(crate) fn field_record(&self, id: FieldId) -> &FieldRecord {
        self.fields.get(id).expect("a field that was checked")
    }

    fn field_record_mut(&mut self, id: FieldId) -> &mut FieldRecord {
        self.fields.get_mut(id).expect("a field that was checked")
    }

    /// The points of all chains but one.
    fn chains_without(&self, one: FieldId) -> Vec<(FieldId, Vec<FieldPoint>)> {
        let fields = self.fields.iter();
        let chains = fields.filter(|(id, record)| *id != one && record.point_count > 0);
        chains
            .map(|(id, record)| (id, Vec::from(self.points_of_field(record))))
            .collect()
    }

    /// Keeps the points of the chains whose fields exist, in the order of the fields' places.
    fn keep_chains(&mut self, mut chains: Vec<(FieldId, Vec<FieldPoint>)>) {
        chains.sort_unstable_by_key(|(id, _)| id.index());
        self.field_points.clear();
        let ids: Vec<FieldId> = self.fields.handles().collect();
        for id in ids {
            let place = chains.binary_search_by_key(&id.index(), |(of, _)| of.index());
            let chain = place.map_or(&[][..], |place| &chains[place].1[..]);
            let first = self.field_points.count();
            let record = self.field_record_mut(id);
            (record.first_point, record.point_count) = (first, chain.len() as u32);
            for &point in chain {
                self.field_points.push(point);
            }
        }
    }

    /// Wakes the dynamic bodies whose boxes are in a field's reach, if it is enabled; for a gravity those whose centers are,
    /// wherever their shapes. Costs those bodies; for a gravity, or a field that acts everywhere, a look at every body.
    fn wake_in_field(&mut self, id: FieldId) {
        let record = self.field_record(id);
        if !record.is_enabled() {
            return;
        }
        let sleepers = || {
            let all = self.bodies.handles().map(|id| id.index());
            all.filter(|&body| self.body_sims[body].is_dynamic() && !self.bodies.live(body).is_awake())
        };
        let mut bodies: Vec<u32> = match reach_of(record, self.points_of_field(record)) {
            None => sleepers().collect(),
            Some(reach) => {
                let mut bodies = Vec::new();
                self.broad_phase.query_tree(TreeKind::Dynamic, reach, |shape| {
                    bodies.push(self.shape_links[shape].body);
                });
                if !record.is_medium() {
                    // No tree has centers: they may lie outside of every box of the body.
                    let center_of = |body: u32| self.motion_of(body).0.center;
                    bodies.extend(sleepers().filter(|&body| reach.contains_point(center_of(body))));
                }
                bodies
            }
        };
        bodies.sort_unstable();
        bodies.dedup();
        for body in bodies {
            if self.body_sims[body].is_dynamic() {
                self.wake(body);
            }
        }
    }

    /// Pushes the shapes of dynamic bodies around a point away from it, in the order of their indices. Returns the
    /// number of bodies.
    pub(crate) fn explode(&mut self, def: &ExplosionDef) -> usize {
        let place = def.position.to_vec2();
        let area = Aabb::new(place, place).grown(def.radius + def.falloff);
        let mut shapes = Vec::new();
        self.broad_phase
            .query_tree(TreeKind::Dynamic, area, |shape| shapes.push(shape));
        shapes.sort_unstable();
        let mut pushed = Vec::new();
        for shape in shapes {
            let body = self.shape_links[shape].body;
            let counts = self.shapes.live(shape).category & def.mask != 0;
            if counts && self.body_sims[body].has(flag::ENABLED) && self.push_off(shape, def) {
                pushed.push(body);
            }
        }
        pushed.sort_unstable();
        pushed.dedup();
        pushed.len()
    }

    /// Applies an explosion to a shape's body. Returns whether the shape is within reach.
    fn push_off(&mut self, shape: u32, def: &ExplosionDef) -> bool {
        let body = self.shape_links[shape].body;
        let geometry = &self.shape_geometries[shape];
        let pose = self.body_poses[body].pose;
        let from = pose.inverse_transform_point(def.position.to_vec2());
        let mut nearest = closest_point(geometry, from);
        let distance = (from - nearest).length();
        if distance > def.radius + def.falloff {
            return false;
        }
        if distance == 0.0 {
            nearest = geometry.centroid();
        }
        let offset = nearest - from;
        let length_squared = offset.length_squared();
        // Like Box2D: a shape whose nearest point is the center of the explosion is pushed to the right.
        let direction = if length_squared > 0.0 {
            offset / sqrt(length_squared)
        } else {
            pose.rotation.unrotate(Vec2::X)
        };
        let fade = if distance > def.radius && def.falloff > 0.0 {
            ((def.radius + def.falloff - distance) / def.falloff).clamp(0.0, 1.0)
        } else {
            1.0
        };
        let size = def.impulse_per_length * width_across(geometry, direction) * fade;
        let bound = Vec2::splat(FORCE_MAX_N);
        let impulse = pose.rotation.rotate(size * direction).clamp(-bound, bound);
        let point = pose.transform_point(nearest);

        self.rouse(body);
        self.sum_up_mass(body);
        let arm = point - self.body_poses[body].center;
        let sim = &self.body_sims[body];
        let state = &mut self.body_states[body];
        let bound = Vec2::splat(VELOCITY_MAX_M_S);
        let linear = state.linear_velocity + sim.inverse_mass * impulse;
        state.linear_velocity = linear.clamp(-bound, bound) + Vec2::ZERO;
        let angular = state.angular_velocity + sim.inverse_inertia * cross(arm, impulse);
        state.angular_velocity = angular.clamp(
            -crate::constants::SPIN_MAX_RAD_S,
            crate::constants::SPIN_MAX_RAD_S,
        ) + 0.0;
        self.stop_what_is_fixed(body);
        if let Some(member) = self.member_of(shape) {
            self.load_live_member(member, body, point, Vec2::ZERO, impulse);
        }
        true
    }
}

/// The width of a shape across a direction, which is a unit vector in its frame, in meters.
pub(crate) fn width_across(shape: &Shape, direction: Vec2) -> f32 {
    let across = direction.perp();
    let mut ends = [f32::INFINITY, f32::NEG_INFINITY];
    for vertex in shape.vertices() {
        let place = across.dot(*vertex);
        ends = [ends[0].min(place), ends[1].max(place)];
    }
    ends[1] - ends[0] + 2.0 * shape.radius()
}

/// The places of a field's points among those of all fields.
fn points_range(record: &FieldRecord) -> Range<usize> {
    let first = record.first_point as usize;
    first..first + record.point_count as usize
}
