//! Checks of a restored state that may have been forged: every single number, against the values that calls and steps
//! can produce. Called by `check.rs` only; reads only.
//!
//! Velocities, forces and impulses may be any numbers: calls and steps can produce infinite ones in a valid world too,
//! and a step freezes the bodies with such values. Data in unused slots is written before it is read.

use super::State;
use super::check_lists::hold;
use crate::body::{Body, BodyId, BodyKind, BodyPose, BodySim, BodyState, flag};
use crate::callback::PlainCallbacks;
use crate::concave_polygon::ConcavePolygonRecord;
use crate::constants::{BOX_MARGIN_MAX_M, EXTRA_SUBSTEPS_MAX, MASS_MAX_KG, POSITION_MAX_M};
use crate::contact::{CachedManifold, Contact, flag as contact_flag, mark};
use crate::control::ExtraSubsteps;
use crate::error::Range;
use crate::name::NamedBody;
use crate::persistent::RestoreError;
use crate::rule::PlainRule;
use crate::shape::{Material, ShapeRecord};
use glam::Vec2;
use tombolo_geometry::Rot;
use tombolo_geometry::shape::{COORDINATE_MAX, MassProperties};

/// The greatest distance of a body's origin and center of mass from the world's origin, in meters: a step freezes
/// bodies beyond [`POSITION_MAX_M`], but adding and removing shapes moves a center by as much as shapes are wide.
const REACH_M: f32 = 10.0 * POSITION_MAX_M;

/// The factor by which rounding may let the pieces of a heavy shape together exceed the greatest mass, and corners of
/// pieces the greatest distance.
const ROUNDING: f32 = 1.0001;

fn is_not_negative(number: f32) -> bool {
    number.is_finite() && number >= 0.0
}

fn is_rotation(rotation: Rot) -> bool {
    rotation.is_valid()
}

/// Whether a point is within `reach` in both directions; false for NaN.
fn is_within(place: Vec2, reach: f32) -> bool {
    place.x.abs() <= reach && place.y.abs() <= reach
}

impl State {
    /// Checks numbers and flags of all existing objects.
    pub(super) fn check_numbers(&self) -> Result<(), RestoreError> {
        hold!(
            self.head[0u32].is_sound(),
            "head",
            "a number that is out of range"
        );
        hold!(
            self.settings().is_sound(),
            "settings",
            "a number that is out of range"
        );
        self.check_rules()?;
        self.check_numbers_of_bodies()?;
        self.check_numbers_of_shapes()?;
        self.check_numbers_of_concave_polygons()?;
        self.check_numbers_of_contacts()?;
        hold!(
            self.joints
                .handles()
                .all(|id| self.joint_sims[id.index()].is_sound()),
            "joint_sims",
            "a number that is out of range"
        );
        self.check_fields()?;
        self.check_events()
    }

    /// Checks that rules are valid and sorted, and so are the ignored pairs and the options that few bodies have.
    fn check_rules(&self) -> Result<(), RestoreError> {
        hold!(
            self.rules.iter().all(PlainRule::is_sound)
                && self.rules.is_sorted_by(|a, b| a.materials < b.materials),
            "rules",
            "a rule that is none, or out of order"
        );
        hold!(
            self.category_rules.iter().all(PlainRule::is_sound_of_categories)
                && self.category_rules.is_sorted_by(|a, b| a.materials < b.materials),
            "category_rules",
            "a rule that is none, or out of order"
        );
        let is_live = |shape: u32| self.shapes.is_live(shape);
        let is_pair = |&[a, b]: &[u32; 2]| a < b && is_live(a) && is_live(b);
        hold!(
            self.ignored_pairs.iter().all(is_pair) && self.ignored_pairs.is_sorted_by(|a, b| a < b),
            "ignored_pairs",
            "a pair that is none, or out of order"
        );
        hold!(
            self.callbacks.len() <= 1 && self.callbacks.iter().all(PlainCallbacks::is_sound),
            "callbacks",
            "callbacks that no call left"
        );
        let may_ask = |asking: &ExtraSubsteps| {
            let is_live = self.bodies.is_live(asking.body);
            is_live && (1..=EXTRA_SUBSTEPS_MAX).contains(&asking.extra)
        };
        hold!(
            self.extra_substeps.iter().all(may_ask)
                && self.extra_substeps.is_sorted_by(|a, b| a.body < b.body),
            "extra_substeps",
            "a body that cannot ask for so many, or out of order"
        );
        let may_have = |named: &NamedBody| {
            let is_live = self.bodies.is_live(named.body);
            is_live && named.is_sound()
        };
        hold!(
            self.body_names.iter().all(may_have) && self.body_names.is_sorted_by(|a, b| a.body < b.body),
            "body_names",
            "a name that is none, of no body, or out of order"
        );
        Ok(())
    }

    /// Checks that fields are valid, and that each point of their chains belongs to one field, in the order of the
    /// fields' places.
    fn check_fields(&self) -> Result<(), RestoreError> {
        let mut end = 0;
        for record in self.fields.values() {
            let first = record.first_point as usize;
            let points = first..first.saturating_add(record.point_count as usize);
            hold!(
                points.start == end && points.end <= self.field_points.len(),
                "fields",
                "points that are not the field's"
            );
            end = points.end;
            hold!(
                record.is_sound(self.field_points.slice(points)),
                "fields",
                "a number or a flag that is out of range"
            );
        }
        hold!(
            end == self.field_points.len(),
            "field_points",
            "points of no field"
        );
        Ok(())
    }

    fn check_numbers_of_bodies(&self) -> Result<(), RestoreError> {
        let is_live = |body: usize| self.bodies.is_live(body as u32);
        let mut sims = self.body_sims.iter().enumerate();
        hold!(
            sims.all(|(body, sim)| !sim.has(flag::MASS_STALE) || is_live(body)),
            "body_sims",
            "a mass that is to be summed up of a body that does not live"
        );
        for (id, body) in self.bodies.iter() {
            let index = id.index();
            let (sim, state) = (&self.body_sims[index], &self.body_states[index]);
            hold!(
                sim.is_sound(),
                "body_sims",
                "a number or a flag that is out of range"
            );
            let control = self.control_of(index);
            hold!(
                control.check().is_ok() && control.fixed_axes.iter().all(|&fixed| fixed <= 1),
                "body_controls",
                "a number or a flag that is out of range"
            );
            hold!(
                body.weighs_as(sim, control.is_held()),
                "bodies",
                "a mass that is not the body's"
            );
            hold!(
                self.body_poses[index].is_sound(),
                "body_poses",
                "a place that is out of range"
            );
            hold!(
                state.is_at_rest_in_its_step(),
                "body_states",
                "a movement that no step left"
            );
            let stands_still = state.linear_velocity == Vec2::ZERO && state.angular_velocity == 0.0;
            hold!(
                sim.kind() != BodyKind::Static || stands_still,
                "body_states",
                "a static body that moves"
            );
        }
        Ok(())
    }

    fn check_numbers_of_shapes(&self) -> Result<(), RestoreError> {
        for (id, record) in self.shapes.iter() {
            let shape = id.index();
            hold!(
                self.shape_geometries[shape].validate().is_ok(),
                "shape_geometries",
                "a shape that is none"
            );
            hold!(
                record
                    .def(&self.materials[shape], self.watcher_of(shape))
                    .validate()
                    .is_ok()
                    && record.has_plain_flags()
                    && self.materials[shape].has_plain_rules(),
                "shapes",
                "a number or a flag that is out of range"
            );
            hold!(
                is_mass_in_range(self.shape_geometries[shape].mass_properties(record.density)),
                "shapes",
                "a shape that is too heavy"
            );
            hold!(
                (0.0..=BOX_MARGIN_MAX_M).contains(&self.shape_links[shape].margin),
                "shape_links",
                "a margin that is out of range"
            );
        }
        Ok(())
    }

    fn check_numbers_of_concave_polygons(&self) -> Result<(), RestoreError> {
        hold!(
            self.concave_polygon_pool.is_sound(),
            "concave_polygon_pool",
            "a concave polygon that is none"
        );
        hold!(
            self.concave_polygon_pool.is_disjoint(),
            "concave_polygon_pool",
            "two concave polygons with the same corners"
        );
        let reach = f64::from(COORDINATE_MAX * ROUNDING);
        for record in self.concave_polygon_pool.records.values() {
            let points = self.concave_polygon_pool.points_of(record);
            hold!(
                record.is_sound(reach)
                    && points
                        .iter()
                        .flatten()
                        .all(|coordinate| coordinate.abs() <= reach),
                "concave_polygon_pool",
                "a number that is out of range"
            );
        }
        Ok(())
    }

    fn check_numbers_of_contacts(&self) -> Result<(), RestoreError> {
        let contacts = self.contacts.contacts.iter();
        for (contact, cached_manifold) in contacts.zip(self.contacts.cached_manifolds.iter()) {
            hold!(
                contact.is_sound(),
                "contacts",
                "a number or a flag that is out of range"
            );
            hold!(
                cached_manifold.is_sound(contact),
                "contacts",
                "points that are not the contact's"
            );
        }
        Ok(())
    }

    /// Checks that pending events contain valid handles, and that overlaps are in order.
    fn check_events(&self) -> Result<(), RestoreError> {
        hold!(
            self.pending_ends.iter().all(|touch| touch.event().is_some()),
            "pending_ends",
            "a handle that no map gives out"
        );
        hold!(
            self.pending_cuts.iter().all(|cut| cut.is_sound()),
            "pending_cuts",
            "a handle that no map gives out, or a flag that is none"
        );
        hold!(
            self.overlaps.iter().all(|overlap| overlap.event().is_some())
                && self.overlaps.is_sorted_by(|a, b| a.key() < b.key()),
            "overlaps",
            "shapes out of order"
        );
        hold!(
            self.pending_woken
                .iter()
                .chain(self.pending_asleep.iter())
                .all(|&bits| BodyId::from_bits(bits).is_some()),
            "pending_woken",
            "a handle that no map gives out"
        );
        Ok(())
    }
}

/// Whether a shape's mass is within the limits of shapes.
fn is_mass_in_range(part: MassProperties) -> bool {
    part.mass <= ROUNDING * MASS_MAX_KG && part.inertia <= ROUNDING * MASS_MAX_KG
}

impl BodySim {
    fn is_sound(&self) -> bool {
        let not_negative = [
            self.linear_damping,
            self.angular_damping,
            self.sleep_threshold,
            self.sleep_time_s,
            self.extent_min,
            self.extent_max,
        ];
        self.kind <= BodyKind::Dynamic as u32
            && self.flags & !flag::ALL == 0
            && !(self.has(flag::FROZEN) && self.has(flag::ENABLED))
            && not_negative.into_iter().all(is_not_negative)
            && Range::GRAVITY.check("", self.gravity_scale).is_ok()
    }
}

impl Body {
    /// Whether the mass fits a body with this motion, and `sim` has the inverse of it. Both may be so small or so great
    /// that an inverse is infinite or zero.
    fn weighs_as(&self, sim: &BodySim, is_held: bool) -> bool {
        let inverse = |number: f32| if number > 0.0 { 1.0 / number } else { 0.0 };
        let turns = !sim.has(flag::FIXED_ROTATION);
        self.mass.is_finite()
            && (self.mass > 0.0) == sim.is_dynamic()
            && self.inertia >= 0.0
            && sim.inverse_mass == if is_held { 0.0 } else { inverse(self.mass) }
            && sim.inverse_inertia == if turns { inverse(self.inertia) } else { 0.0 }
    }
}

impl BodyPose {
    /// Whether the position is in range, and the center of mass is where the pose places it.
    fn is_sound(&self) -> bool {
        let Self {
            pose,
            center,
            local_center,
        } = *self;
        let size = pose.position.abs() + center.abs() + local_center.length();
        let off = (pose.transform_point(local_center) - center).abs();
        is_rotation(pose.rotation)
            && is_within(pose.position, REACH_M)
            && is_within(center, REACH_M)
            && is_within(local_center, REACH_M)
            && off.cmple(16.0 * f32::EPSILON * size).all()
    }
}

impl BodyState {
    /// Whether no displacement of a step is left.
    fn is_at_rest_in_its_step(&self) -> bool {
        (self.delta_position, self.delta_sin, self.delta_cos) == (Vec2::ZERO, 0.0, 1.0)
    }
}

impl Material {
    fn has_plain_rules(&self) -> bool {
        self.rules == Self::rules(self.friction_rule(), self.restitution_rule())
    }
}

impl ShapeRecord {
    fn has_plain_flags(&self) -> bool {
        self.contact_events <= 1 && self.hit_events <= 1
    }
}

impl ConcavePolygonRecord {
    /// Whether area, center and mass are possible for a concave polygon within `reach` meters.
    fn is_sound(&self, reach: f64) -> bool {
        let mass_max = f64::from(ROUNDING * MASS_MAX_KG);
        let density = f64::from(self.density);
        self.area > 0.0
            && self.center.iter().all(|coordinate| coordinate.abs() <= reach)
            && self.inertia >= 0.0
            && is_not_negative(self.radius)
            && f64::from(self.radius) <= reach
            && crate::error::density("density", self.density).is_ok()
            && self.area * density <= mass_max
            && self.inertia * density <= mass_max
            && self.area <= 64.0 * reach * reach
            && self.unused == 0
    }
}

impl Contact {
    fn is_sound(&self) -> bool {
        let Self {
            flags, point_count, ..
        } = *self;
        flags & !contact_flag::ALL == 0
            && usize::from(point_count) <= crate::constants::MANIFOLD_POINTS_MAX
            // The points exist from the step in which the touch begins until it ends. Any gap is sound: a wrong one only
            // keeps the manifold longer.
            && (point_count > 0) == self.is_touching()
            && (flags & contact_flag::REPORTED == 0 || self.is_touching())
            && (flags & contact_flag::PASSING == 0 || flags & contact_flag::ONE_WAY != 0)
            && (flags & contact_flag::LET_PASS == 0 || flags & contact_flag::PRE_SOLVE != 0)
            && self.cached_pose.position.is_finite()
            && is_rotation(self.cached_pose.rotation)
            && is_not_negative(self.arm)
    }
}

impl CachedManifold {
    /// Whether the number of points is that of the contact, and all values that do not come from impulses are numbers.
    fn is_sound(&self, contact: &Contact) -> bool {
        let (frame, surface) = (&self.frame, &self.surface);
        let normal_length_max = 1.001;
        let points = self.points.iter().enumerate().all(|(i, point)| {
            let is_there = i < usize::from(contact.point_count);
            point.anchor_a.is_finite()
                && point.separation.is_finite()
                && point.present == f32::from(u8::from(is_there))
        });
        // Products of user input may be infinite, but are not negative.
        let mixed = [surface.friction, surface.restitution, surface.rolling_resistance];
        points
            && frame.normal.length() <= normal_length_max
            && frame.center_offset.is_finite()
            && is_rotation(frame.rotation_a)
            && is_rotation(frame.rotation_b)
            && mixed.into_iter().all(|number| number >= 0.0)
            && !surface.tangent_speed.is_nan()
            && (surface.marks & mark::HITS != 0) == (contact.flags & contact_flag::HITS != 0)
            && surface.marks & !mark::ALL == 0
    }
}
