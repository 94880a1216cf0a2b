//! Updates one contact: takes a newly computed manifold, where the bodies have moved too far to keep the last one.
//!
//! While a manifold is kept, its normal and the arms of its impulses stay constant in world axes; only separations
//! follow the bodies. An arm that turned with its body would feed the body's own tilt back as a torque in each step: a
//! stack that leans would lean more and more. The idea, and the bounds on motion that make it safe, are those of Box2D
//! 3.2 (Catto, "Contact recycling", 2025).
//!
//! An update is a pure function of the contact, the two bodies and the two shapes, so that any worker can update
//! contacts in any order.
//!
//! The reasons are in `docs/decisions.md#cached-manifolds-keep-world-normal-and-arms`.

use super::{
    CachedManifold, Contact, ContactFrame, ContactPoint, ContactSurface, GAP_UNIT_M, TURN_UNIT, flag, mark,
};
use crate::body::BodyPose;
use crate::constants::{LINEAR_SLOP_M, ONE_WAY_COSINE, RECYCLE_DISTANCE_M, SPECULATIVE_DISTANCE_M};
use crate::rule::{OneWayGate, PlainRule};
use crate::shape::{CombineRule, Material};
use glam::Vec2;
use tombolo_geometry::collide::Manifold;
use tombolo_geometry::math::sqrt;
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Pose, Rot};

/// One side of a contact, as input to the update.
#[derive(Clone, Copy)]
pub(crate) struct ContactSide<'a> {
    pub(crate) pose: &'a BodyPose,
    pub(crate) shape: &'a Shape,
    pub(crate) material: &'a Material,
}

/// The contact rule and the one-way gate that apply to a contact.
#[derive(Clone, Copy, Default)]
pub(crate) struct AppliedRule<'a> {
    pub(crate) rule: Option<&'a PlainRule>,
    pub(crate) gate: Option<OneWayGate>,
}

/// The arm in meters of a half-space that may turn: its surface extends arbitrarily far from the center of rotation, so
/// its manifold survives no rotation. It is finite, because infinity times a rotation of zero would be NaN.
const ARM_WITHOUT_END: f32 = f32::MAX;

impl Contact {
    /// Whether a contact of a one-way rule is ignored now: the visitor does not come from outside, or it is passing and
    /// has not left yet. A visitor that already touches is held until it has left, unless it drops.
    fn lets_pass(&mut self, manifold: &Manifold, normal: Vec2, gate: &OneWayGate) -> bool {
        let points = &manifold.points[..manifold.count as usize];
        let deepest = points.iter().map(|point| point.separation).reduce(f32::min);
        let Some(deepest) = deepest else {
            self.flags &= !flag::PASSING;
            return false;
        };
        if gate.drops {
            self.flags |= flag::PASSING;
            return true;
        }
        if self.flags & flag::PASSING != 0 {
            if deepest < -0.5 * LINEAR_SLOP_M {
                return true;
            }
            self.flags &= !flag::PASSING;
        } else if self.is_touching() {
            return false;
        }
        let outward = if gate.is_first { normal } else { -normal };
        if outward.dot(gate.direction) >= ONE_WAY_COSINE && deepest >= -gate.reach {
            return false;
        }
        // A visitor that only passes beside the surface sets no flag.
        if deepest < -LINEAR_SLOP_M {
            self.flags |= flag::PASSING;
        }
        true
    }

    /// Stores a newly computed manifold and mixes the materials. Points that persist keep their impulses.
    pub(crate) fn update_manifold(
        &mut self,
        cached_manifold: &mut CachedManifold,
        a: ContactSide<'_>,
        b: ContactSide<'_>,
        mut manifold: Manifold,
        applied_rule: AppliedRule<'_>,
    ) {
        if let Some(gate) = applied_rule.gate
            && self.lets_pass(&manifold, a.pose.pose.rotation.rotate(manifold.normal), &gate)
        {
            manifold = Manifold::EMPTY;
        }
        let old = &cached_manifold.points[..self.point_count as usize];
        let points = core::array::from_fn(|i| {
            if i < manifold.count as usize {
                contact_point(&manifold, i, a.pose, old)
            } else {
                ContactPoint::ZERO
            }
        });

        // Until something clears the flag, shapes, centers of mass, materials and rules are unchanged; but a callback
        // may have changed the mixed values.
        let is_known = self.flags & (flag::COMPUTED | flag::PRE_SOLVE) == flag::COMPUTED;
        if !is_known || (self.point_count > 0) != (manifold.count > 0) {
            self.arm = self.arm_of([a, b], manifold.count > 0);
        }
        let marks = cached_manifold.surface.marks;
        let mut discs = marks & (mark::DISCS[0] | mark::DISCS[1]);
        if !is_known {
            cached_manifold.mix_materials(a, b);
            if let Some(rule) = applied_rule.rule {
                cached_manifold.surface.apply_rule(rule);
            }
            discs = disc_marks([a, b]);
        }
        cached_manifold.surface.marks = marks & mark::HITS | discs;
        self.flags |= flag::COMPUTED;
        self.point_count = manifold.count as u8;
        self.gap = (gap_of(&manifold) / GAP_UNIT_M) as u8;
        self.cached_pose = center_in(a.pose, b.pose);
        let rotation_a = a.pose.pose.rotation;
        self.cached_turn_a = [rotation_a.cos, rotation_a.sin].map(|word| (word / TURN_UNIT) as i16);
        cached_manifold.frame = ContactFrame {
            normal: rotation_a.rotate(manifold.normal),
            center_offset: b.pose.center - a.pose.center,
            rotation_a,
            rotation_b: b.pose.pose.rotation,
        };
        cached_manifold.points = points;
    }

    /// Forgets the impulse of a rolling resistance that is gone, because the manifold has no points or its surfaces do
    /// not resist any more. The solver takes and stores these impulses in every block in which some contact resists, and
    /// in no other: it must be zero for the others of the block not to matter.
    pub(crate) fn forget_lost_resistance(&self, surface: &mut ContactSurface) {
        if self.point_count == 0 || surface.rolling_resistance == 0.0 {
            surface.rolling_impulse = 0.0;
        }
    }

    /// Has a manifold computed anew with which a touch has begun or ended, but in a step that did not come to its end and
    /// so has neither linked nor reported that. A touch that has ended keeps one point until then, without an impulse.
    pub(crate) fn forget_change_of_touch(&mut self, cached_manifold: &mut CachedManifold) {
        if self.is_touching() == (self.point_count > 0) {
            return;
        }
        self.flags &= !flag::COMPUTED;
        self.point_count = u8::from(self.is_touching());
        self.gap = 0;
        cached_manifold.points = [ContactPoint::ZERO; 2];
        cached_manifold.points[0].present = f32::from(self.point_count);
    }

    /// The factor of the relative rotation of the bodies in what they moved by, in meters per radian.
    fn arm_of(&self, [a, b]: [ContactSide<'_>; 2], has_points: bool) -> f32 {
        let extent_of = |side: ContactSide<'_>, is_static: u16| {
            if self.flags & is_static != 0 {
                return 0.0;
            }
            if side.shape.is_half_space() {
                return ARM_WITHOUT_END;
            }
            side.shape.max_extent_from(side.pose.local_center)
        };
        let farthest = extent_of(a, flag::STATIC_A).max(extent_of(b, flag::STATIC_B));
        if farthest >= ARM_WITHOUT_END {
            return ARM_WITHOUT_END;
        }
        // A manifold without points has no corners to lose.
        let weight = if has_points {
            turn_weight(a.shape, b.shape)
        } else {
            1.0
        };
        farthest * weight
    }
}

impl CachedManifold {
    /// The current position of a manifold point on each body, in the world, and the separation there in meters.
    pub(crate) fn point_now(&self, point: &ContactPoint, a: &BodyPose, b: &BodyPose) -> ([Vec2; 2], f32) {
        let frame = &self.frame;
        let anchor_b = point.anchor_a - frame.center_offset;
        let turn = |disc: u32, old: Rot, now: Rot| {
            if self.surface.marks & disc != 0 {
                Rot::IDENTITY
            } else {
                old.to(now)
            }
        };
        let turn_a = turn(mark::DISCS[0], frame.rotation_a, a.pose.rotation);
        let turn_b = turn(mark::DISCS[1], frame.rotation_b, b.pose.rotation);
        let on_a = a.center + turn_a.rotate(point.anchor_a);
        let on_b = b.center + turn_b.rotate(anchor_b);
        ([on_a, on_b], point.separation + (on_b - on_a).dot(frame.normal))
    }

    fn mix_materials(&mut self, a: ContactSide<'_>, b: ContactSide<'_>) {
        let surface = &mut self.surface;
        let radius = a.shape.radius().max(b.shape.radius());
        let (a, b) = (a.material, b.material);
        if a.rules | b.rules == 0 {
            surface.friction = sqrt(a.friction * b.friction);
            surface.restitution = a.restitution.max(b.restitution);
        } else {
            let rule = a.friction_rule().max(b.friction_rule());
            surface.friction = rule.combine(CombineRule::GeometricMean, a.friction, b.friction);
            let rule = a.restitution_rule().max(b.restitution_rule());
            surface.restitution = rule.combine(CombineRule::Max, a.restitution, b.restitution);
        }
        surface.rolling_resistance = a.rolling_resistance.max(b.rolling_resistance) * radius;
        surface.tangent_speed = a.tangent_speed + b.tangent_speed;
    }
}

/// The sum in meters of the contact skins of two shapes.
#[inline]
pub(crate) fn skins([a, b]: [&Material; 2]) -> f32 {
    if a.skin | b.skin == 0 {
        return 0.0;
    }
    a.contact_skin() + b.contact_skin()
}

/// The manifold of two shapes whose contact skins have this sum in meters, from that of the bare shapes: as much is
/// missing from each separation.
#[inline]
pub(crate) fn without_skins(mut manifold: Manifold, skins: f32) -> Manifold {
    if skins > 0.0 {
        for point in &mut manifold.points[..manifold.count as usize] {
            point.separation -= skins;
        }
        manifold.gap = (manifold.gap - skins).max(0.0);
    }
    manifold
}

impl ContactSurface {
    /// Replaces mixed values by those that a rule gives.
    fn apply_rule(&mut self, rule: &PlainRule) {
        self.friction = rule.friction().unwrap_or(self.friction);
        self.restitution = rule.restitution().unwrap_or(self.restitution);
        self.tangent_speed = rule.surface_speed().unwrap_or(self.tangent_speed);
    }
}

/// The bits of [`mark`] for those of two shapes that are discs about the centers of mass of their bodies.
fn disc_marks(sides: [ContactSide<'_>; 2]) -> u32 {
    /// The distance of a disc's center from the center of mass up to which it counts as there, as a fraction of its
    /// radius.
    const BESIDE: f32 = 1.0e-4;
    let marks = sides.into_iter().zip(mark::DISCS).map(|(side, mark)| {
        let is_disc = match *side.shape.vertices() {
            [middle] if !side.shape.is_half_space() => {
                let beside = middle - side.pose.local_center;
                beside.length() <= BESIDE * side.shape.radius()
            }
            _ => false,
        };
        if is_disc { mark } else { 0 }
    });
    marks.sum()
}

/// The gap of a contact, in meters: the shapes' distance, or with points the least separation. 0 if they overlap or it is
/// not known, and for two faces that lie along each other for so long a way that they still do when the manifold is
/// computed anew: there is no corner to pass.
fn gap_of(manifold: &Manifold) -> f32 {
    let [first, second] = &manifold.points;
    let (least, most) = match manifold.count {
        0 => return manifold.gap,
        1 => return first.separation.max(0.0),
        _ => (
            first.separation.min(second.separation),
            first.separation.max(second.separation),
        ),
    };
    let along = (second.point - first.point).length_squared();
    if most < SPECULATIVE_DISTANCE_M && along > RECYCLE_DISTANCE_M * RECYCLE_DISTANCE_M {
        return 0.0;
    }
    least.max(0.0)
}

/// The factor by which the rotation of two shapes counts more than its arc. A manifold has two corners of an edge; a
/// rotation that is greater than the next corner's distance from that edge's line lands on a corner that the manifold
/// does not have. So it is computed anew when that corner may be as deep as the others rest. 1 for all but thin shapes
/// and nearly collinear edges.
fn turn_weight(a: &Shape, b: &Shape) -> f32 {
    let clearance = a.edge_clearance().min(b.edge_clearance());
    RECYCLE_DISTANCE_M / RECYCLE_DISTANCE_M.min(clearance + LINEAR_SLOP_M)
}

/// The position of B's center of mass in A's frame, and B's rotation in it.
fn center_in(a: &BodyPose, b: &BodyPose) -> Pose {
    Pose {
        position: a.pose.rotation.unrotate(b.center - a.center),
        rotation: a.pose.rotation.to(b.pose.rotation),
    }
}

fn contact_point(manifold: &Manifold, i: usize, a: &BodyPose, old: &[ContactPoint]) -> ContactPoint {
    let new = &manifold.points[i];
    let kept = old.iter().find(|point| point.feature == new.id);
    ContactPoint {
        anchor_a: a.pose.rotation.rotate(new.point - a.local_center),
        separation: new.separation,
        present: 1.0,
        normal_impulse: kept.map_or(0.0, |point| point.normal_impulse),
        tangent_impulse: kept.map_or(0.0, |point| point.tangent_impulse),
        total_normal_impulse: 0.0,
        feature: new.id,
    }
}
