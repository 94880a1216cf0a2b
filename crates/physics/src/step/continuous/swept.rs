//! [`SweptShape`]: a shape of a fast body in motion, and the impact of it with one obstacle.

use super::obstacle::{FirstImpact, Obstacle};
use crate::constants::{
    CONTINUOUS_CREEP_M, CONTINUOUS_SINK_M, CONTINUOUS_SKIN_M, CORE_FRACTION, SPECULATIVE_DISTANCE_M,
};
use crate::step::sweep::{BodySweep, area_around, sweep_between};
use alloc::borrow::Cow;
use core::cell::OnceCell;
use glam::Vec2;
use tombolo_geometry::collide::collide;
use tombolo_geometry::distance::{
    IMPACT_TARGET, ImpactState, Sweep, TimeOfImpact, closest_point, stays_apart, time_of_impact,
};
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Aabb, Pose};

/// The fraction by which a body is set back farther than necessary if its middle would pass an obstacle.
const SLIDE_EXCESS: f32 = 0.01;

/// The box of a shape during its own motion, extended by the path on which its body is moved on.
fn with_way_on(area: Aabb, geometry: &Shape, moving: &BodySweep) -> Aabb {
    if !moving.is_moved_on {
        return area;
    }
    let sweep = sweep_between(&moving.place_at(moving.fraction), &moving.place_at(moving.end()));
    area.union(swept_area(geometry, &sweep))
}

/// The box of a shape of a fast body during its motion, however far that turns, and on the path on which it is moved on.
pub(super) fn area_of(geometry: &Shape, moving: &BodySweep) -> Aabb {
    let area = if moving.turn == 0.0 {
        swept_area(geometry, &moving.sweep)
    } else {
        area_around(geometry, &moving.sweep)
    };
    with_way_on(area, geometry, moving)
}

/// A box that contains a shape during a motion: around start and end, grown by the bulge of the path of the farthest
/// part between the two.
pub(crate) fn swept_area(geometry: &Shape, sweep: &Sweep) -> Aabb {
    let ends = geometry
        .aabb(sweep.pose_at(0.0))
        .union(geometry.aabb(sweep.pose_at(1.0)));
    let turn = sweep.q0.to(sweep.q1);
    let half_turn_cos = tombolo_geometry::math::sqrt((0.5 * (1.0 + turn.cos)).max(0.0));
    let arm = geometry.max_extent_from(sweep.local_center);
    ends.grown(arm * (1.0 - half_turn_cos))
}

/// The impact at which a part of the second shape, which is near the first one or in it at the start, gets deeper than
/// [`CONTINUOUS_SINK_M`], or than any part is then by [`CONTINUOUS_CREEP_M`]; `None` if no part does up to a fraction of
/// the motions. The first shape starts at `start`.
///
/// The contacts handle the part that is inside. Beside it the other end of a rod may swing in within a step, and the
/// first one in the next, each deeper than the other was.
pub(super) fn sinking(
    shapes: [&Shape; 2],
    sweeps: [&Sweep; 2],
    start: Pose,
    limit: f32,
) -> Option<TimeOfImpact> {
    let [first, second] = shapes;
    let manifold = collide(
        first,
        second,
        start.to(sweeps[1].pose_at(0.0)),
        SPECULATIVE_DISTANCE_M,
    );
    let separations = manifold.active_points().iter().map(|point| point.separation);
    let deepest = separations.reduce(f32::min)?;
    let depth = -deepest.min(0.0);
    let back = CONTINUOUS_SINK_M.max(depth + CONTINUOUS_CREEP_M) + IMPACT_TARGET;
    let mut sweep = *sweeps[0];
    sweep.local_center += back * manifold.normal;
    let impact = time_of_impact(first, &sweep, second, sweeps[1], limit);
    (impact.state != ImpactState::Separated && impact.fraction > 0.0).then_some(impact)
}

/// A shape of a fast body, with its contact skin.
pub(super) struct SweptShape<'a> {
    geometry: Cow<'a, Shape>,
    sweep: &'a Sweep,
    /// The geometry without its skin; computed when the first obstacle is near, which is rare.
    inner: OnceCell<Shape>,
}

impl<'a> SweptShape<'a> {
    pub(super) fn new(geometry: Cow<'a, Shape>, sweep: &'a Sweep) -> Self {
        Self {
            geometry,
            sweep,
            inner: OnceCell::new(),
        }
    }

    fn core_radius(&self) -> f32 {
        CORE_FRACTION * self.geometry.min_extent()
    }

    /// A disc around the middle; `None` for a shape without extent.
    fn core(&self) -> Option<Shape> {
        Shape::circle(self.geometry.centroid(), self.core_radius()).ok()
    }

    /// The shape with a layer of so many meters more: the contact skin of an obstacle.
    pub(super) fn with_skin(&self, skin: f32) -> Self {
        Self::new(Cow::Owned(self.geometry.grown(skin)), self.sweep)
    }

    /// A box that contains the shape during the motion.
    pub(super) fn area(&self) -> Aabb {
        swept_area(&self.geometry, self.sweep)
    }

    /// The position of the shape's middle after a fraction of the motion, in the frame of an obstacle.
    fn center_in(&self, obstacle: &Obstacle<'_>, fraction: f32) -> Vec2 {
        let middle = self
            .sweep
            .pose_at(fraction)
            .transform_point(self.geometry.centroid());
        obstacle.pose_at(fraction).inverse_transform_point(middle)
    }

    /// The impact with an obstacle: the fraction up to which the motion is free, and the pose of the shape from there;
    /// `None` if that is beyond `limit`, or beyond `earliest`, the fraction of another impact.
    pub(super) fn impact(&self, obstacle: &Obstacle<'_>, limit: f32, earliest: f32) -> Option<FirstImpact> {
        // Segments of chains and half-spaces do not touch each other.
        let is_ground = |shape: &Shape| shape.is_chain_segment() || shape.is_half_space();
        if is_ground(obstacle.geometry) && is_ground(&self.geometry)
            || obstacle.geometry.is_behind(self.center_in(obstacle, 0.0))
            || self.goes_along(obstacle)
        {
            return None;
        }
        let inner = self.inner.get_or_init(|| self.inner_core());
        if stays_apart(obstacle.geometry, &obstacle.sweep, inner, self.sweep, earliest) {
            return None;
        }
        let meets = |shape: &Shape, fraction: f32| self.meets(obstacle, shape, fraction);
        let first = meets(inner, limit)?;
        let is_stop =
            |impact: &TimeOfImpact| impact.fraction > 0.0 && self.is_held(obstacle, impact.fraction);
        // A shape that touches an open end while it passes through the segment is stopped where its core meets the
        // segment, and not at the end, where nothing would hold it; nor before its middle is over the segment, for the
        // same reason.
        let passes = self.passes(obstacle, limit);
        let stops_core =
            |impact: &TimeOfImpact| impact.fraction > 0.0 && (passes.is_some() || is_stop(impact));
        let core = self.core();
        let core_impact = |limit: f32| self.core_meets(obstacle, core.as_ref()?, passes, limit);
        let stopped = |impact: TimeOfImpact| FirstImpact {
            fraction: impact.fraction,
            moved_to: obstacle
                .carry(self.sweep, &impact)
                .map(|(pose, push)| self.against(obstacle, pose, push)),
        };
        if first.fraction > 0.0 {
            // If the skin was outside at the start, it stays outside.
            let outer = meets(&self.geometry, first.fraction).filter(is_stop);
            let inside = || match core {
                Some(_) => Some(first)
                    .filter(is_stop)
                    .or_else(|| core_impact(limit).filter(stops_core)),
                None => Some(first).filter(stops_core),
            };
            return outer.or_else(inside).map(stopped);
        }
        // A shape that goes around with the obstacle continues to the end of the motion, and not to where it would sink
        // in.
        let deeper = if obstacle.turns_far {
            None
        } else {
            self.sinks(obstacle, limit)
        };
        let until = deeper.map_or(limit, |impact| impact.fraction);
        let met = core_impact(until);
        match met {
            Some(impact) if stops_core(&impact) => return Some(stopped(impact)),
            None if core.is_some() => return deeper.map(stopped),
            _ => {}
        }
        if self.is_beside(obstacle) {
            // An open end has no corner to slide around, and a joint of a chain has a segment on its other side.
            let over = passes.zip(met).map(|(over, impact)| TimeOfImpact {
                fraction: over.min(until),
                ..impact
            });
            return over.or(deeper).map(stopped);
        }
        let slid = self.slide(obstacle, until).map(|slid| FirstImpact {
            fraction: 0.0,
            moved_to: Some(slid),
        });
        slid.or(deeper.map(stopped))
    }

    /// The impact of a shape with this one's motion and an obstacle, up to a fraction of the motion.
    fn meets(&self, obstacle: &Obstacle<'_>, shape: &Shape, limit: f32) -> Option<TimeOfImpact> {
        let impact = time_of_impact(obstacle.geometry, &obstacle.sweep, shape, self.sweep, limit);
        (impact.state != ImpactState::Separated).then_some(impact)
    }

    /// The impact of the core with an obstacle; not before the middle is `over` a segment that it goes through, unless
    /// contacts would hold the shape.
    fn core_meets(
        &self,
        obstacle: &Obstacle<'_>,
        core: &Shape,
        over: Option<f32>,
        limit: f32,
    ) -> Option<TimeOfImpact> {
        let mut impact = self.meets(obstacle, core, limit)?;
        if let Some(over) = over
            && impact.fraction > 0.0
            && !self.is_held(obstacle, impact.fraction)
        {
            impact.fraction = impact.fraction.max(over.min(limit));
        }
        Some(impact)
    }

    /// The pose at which a body that was pushed out in front of an obstacle touches it: moved back along the push as
    /// far as the obstacle allows at the end of the step. A rotating obstacle hits with one part and ends beside
    /// another, or nearer with a corner than with the face; pushed by the motion of the part that hit, the shape would
    /// be left farther off than contacts reach, in each step anew, and never get a velocity. If no part of the obstacle
    /// is behind it, it stays where it was pushed.
    fn against(&self, obstacle: &Obstacle<'_>, pushed: Pose, push: Vec2) -> Pose {
        let still = |pose: Pose, by: Vec2| Sweep {
            local_center: self.sweep.local_center,
            c0: pose.transform_point(self.sweep.local_center),
            c1: pose.transform_point(self.sweep.local_center) + by,
            q0: pose.rotation,
            q1: pose.rotation,
        };
        let (end, back) = (still(obstacle.poses[1], Vec2::ZERO), still(pushed, -push));
        let impact = time_of_impact(obstacle.geometry, &end, &self.geometry, &back, 1.0);
        if impact.state == ImpactState::Separated {
            return pushed;
        }
        Pose {
            position: pushed.position - impact.fraction * push,
            ..pushed
        }
    }

    /// A fraction of the motion at which the middle of the shape is over a segment of a chain that it goes through:
    /// halfway from the time it gets over the segment to the time it passes. `None` if it does not go through.
    fn passes(&self, obstacle: &Obstacle<'_>, limit: f32) -> Option<f32> {
        if !obstacle.geometry.is_chain_segment() {
            return None;
        }
        let (corners, normal) = (obstacle.geometry.vertices(), obstacle.geometry.normals()[0]);
        let [start, end] = [0.0, limit].map(|fraction| self.center_in(obstacle, fraction) - corners[0]);
        let (above, below) = (normal.dot(start), -normal.dot(end));
        if below <= 0.0 {
            return None;
        }
        let along = corners[1] - corners[0];
        let on_segment = 0.0..=along.length_squared();
        let passing = above / (above + below);
        let [from, to] = [start, end].map(|middle| along.dot(middle));
        let place = from + passing * (to - from);
        if !on_segment.contains(&place) {
            return None;
        }
        let nearest_end = from.clamp(*on_segment.start(), *on_segment.end());
        let is_beyond = from != nearest_end;
        let entering = if is_beyond {
            (nearest_end - from) / (to - from)
        } else {
            0.0
        };
        Some(0.5 * (entering + passing) * limit)
    }

    /// Whether the middle of the shape begins beside a segment of a chain, beyond one of its ends.
    fn is_beside(&self, obstacle: &Obstacle<'_>) -> bool {
        if !obstacle.geometry.is_chain_segment() {
            return false;
        }
        let corners = obstacle.geometry.vertices();
        let along = corners[1] - corners[0];
        let place = along.dot(self.center_in(obstacle, 0.0) - corners[0]);
        !(0.0..=along.length_squared()).contains(&place)
    }

    /// Whether the contacts would hold the shape at a fraction of its motion. A shape that passes the open end of a
    /// chain, or overhangs the joint of two segments, is not stopped by this one: it would be left in the air there.
    fn is_held(&self, obstacle: &Obstacle<'_>, fraction: f32) -> bool {
        let place = || obstacle.pose_at(fraction).to(self.sweep.pose_at(fraction));
        !obstacle.geometry.is_chain_segment()
            || collide(obstacle.geometry, &self.geometry, place(), SPECULATIVE_DISTANCE_M).count > 0
    }

    /// The impact at which a part of a shape that is near an obstacle or in it at the start gets too deep ([`sinking`]).
    fn sinks(&self, obstacle: &Obstacle<'_>, limit: f32) -> Option<TimeOfImpact> {
        let shapes = [obstacle.geometry, &self.geometry];
        sinking(shapes, [&obstacle.sweep, self.sweep], obstacle.poses[0], limit)
    }

    /// The geometry without its skin. The tip of a needle would lose far more than the skin: it has a thinner one.
    fn inner_core(&self) -> Shape {
        let skin = CONTINUOUS_SKIN_M.min(self.core_radius());
        let normals = self.geometry.normals();
        if normals.len() < 3 {
            return self.geometry.inset(skin);
        }
        let turns = normals.iter().zip(normals.iter().cycle().skip(1));
        let sharpest = turns.map(|(normal, next)| normal.dot(*next)).fold(1.0, f32::min);
        // A corner moves by the square root of 2 / (1 + cosine), times the skin beyond the radius.
        let share = 2.0 * tombolo_geometry::math::sqrt(0.5 * (1.0 + sharpest).max(0.0));
        self.geometry
            .inset(skin.min(self.geometry.radius() + share * CONTINUOUS_SKIN_M))
    }

    /// Whether the shape goes along a segment of a chain: its middle ends more than a core's radius on the solid side,
    /// and no part of it comes nearer by more than that. It has not passed through, and the contacts with this segment
    /// and its neighbors hold it.
    ///
    /// In a crowd that is pressed along a chain nearly every shape sinks in by more than its skin. Stopping them all
    /// costs them time but not speed, and makes those behind run into them. Not for other obstacles, which have ends: a
    /// part of the shape could sweep over a thin one while the middle passes beside it.
    fn goes_along(&self, obstacle: &Obstacle<'_>) -> bool {
        if !obstacle.geometry.is_chain_segment() {
            return false;
        }
        let [start, end] = [0.0, 1.0].map(|fraction| {
            let middle = self.center_in(obstacle, fraction);
            obstacle.geometry.normals()[0].dot(middle - obstacle.geometry.vertices()[0])
        });
        let core = self.core_radius();
        start - end + self.swing() < core && end > core
    }

    /// The distance by which the rotation brings an end of the shape nearer to the segment that it goes along: none for
    /// a disc.
    fn swing(&self) -> f32 {
        let (most, least) = (
            self.geometry.max_extent_from(self.geometry.centroid()),
            self.geometry.min_extent(),
        );
        let half_length = tombolo_geometry::math::sqrt((most * most - least * least).max(0.0));
        self.sweep.q0.to(self.sweep.q1).sin.abs() * half_length
    }

    /// The pose to which the body goes instead if the middle of the shape, which begins very near to an obstacle, would
    /// come nearer than a core's radius, or than it is now if that is less, or get to the other side: the same
    /// displacement and rotation, but moved back from the obstacle. `None` if it would not. A middle inside the
    /// obstacle is free to move.
    ///
    /// Stopping such a body altogether would hold it forever where it is wedged in with one end: only its own motion
    /// can free it. And a shape that is thinner than the distance at which an impact counts begins near the floor that
    /// it falls on: as long as its middle stays clear of the floor, the contact has time to stop it.
    fn slide(&self, obstacle: &Obstacle<'_>, fraction: f32) -> Option<Pose> {
        let start = self.center_in(obstacle, 0.0);
        let away = start - closest_point(obstacle.geometry, start);
        let distance = away.length();
        let kept = self.core_radius().min(distance);
        let rest = distance + away.dot(self.center_in(obstacle, fraction) - start) / distance;
        // Also false if the distance is 0 and the rest NaN.
        (rest < kept).then(|| {
            let mut pose = self.sweep.pose_at(fraction);
            let mut rest = rest;
            if obstacle.turns_far {
                let middle = self.sweep.pose_at(0.0).transform_point(self.geometry.centroid());
                let around = obstacle.around(middle, [0.0, fraction]);
                pose.position += around;
                rest += away.dot(obstacle.pose_at(fraction).rotation.unrotate(around)) / distance;
            }
            // Slightly more, so that rounding does not bring it back below.
            let back = ((1.0 + SLIDE_EXCESS) * kept - rest).max(0.0);
            pose.position += obstacle.pose_at(fraction).rotation.rotate(back / distance * away);
            pose
        })
    }
}
