//! Bodies in the path of a kinematic one that turns so far within a step that it may hit them several times, with one
//! half and with the other.
//!
//! The motions of both are divided into pieces of the step in which the kinematic body turns by 45° at most. A body
//! that is hit in a piece is carried to the end of the piece, and goes around with the kinematic body; from there it
//! continues, by its own motion if it is not a bullet, into the next piece. So it ends in front of the face that hit
//! it, or beyond the end of that.

use super::obstacle::FirstImpact;
use super::search::SweepSearch;
use crate::body::{BodyPose, flag};
use crate::broad_phase::TreeKind;
use crate::step::sweep::{BodySweep, pieces_of, sweep_between};
use glam::Vec2;
use tombolo_geometry::Pose;

impl SweepSearch<'_> {
    /// The number of pieces into which the motion of a body is divided because of kinematic bodies near it that turn
    /// far, if there are any.
    pub(super) fn pieces_near(&self, moving: &BodySweep) -> Option<u32> {
        let reach = self.state.reach(moving.body, &moving.sweep);
        let mut pieces = None;
        self.fast_obstacles?.near(reach, |fast| {
            if fast.turn != 0.0 {
                pieces = pieces.max(Some(pieces_of(fast.turn)));
            }
        });
        Some(pieces?.max(moving.pieces()))
    }

    /// Like [`SweepSearch::first_impact`], in `pieces` pieces.
    pub(super) fn carried(&self, moving: &BodySweep, trees: &[TreeKind], pieces: u32) -> FirstImpact {
        let (end, count) = (moving.fraction, pieces as f32);
        let lets_slide = !self.state.body_sims[moving.body].has(flag::BULLET);
        // The displacement by which it was carried from its own path, or the pose at which it stays.
        let (mut carried, mut stays, mut met) = (Vec2::ZERO, None, None);
        let on_its_way = |fraction: f32, carried: Vec2| {
            let own = moving.pose_at(fraction.min(end));
            Pose {
                position: own.position + carried,
                ..own
            }
        };
        for i in 0..pieces {
            let span = [i, i + 1].map(|i| i as f32 / count);
            let poses = span.map(|fraction| stays.unwrap_or_else(|| on_its_way(fraction, carried)));
            let [start, goal] = poses.map(|pose| BodyPose::new(pose, moving.sweep.local_center));
            let sweep = sweep_between(&start, &goal);
            let search = SweepSearch {
                span,
                is_in_pieces: true,
                ..*self
            };
            let first = search.first_impact(&sweep, moving.body, trees, 1.0);
            match first.moved_to {
                Some(pose) if lets_slide && stays.is_none() => carried += pose.position - poses[1].position,
                Some(pose) => stays = Some(pose),
                None if first.fraction < 1.0 => stays = Some(sweep.pose_at(first.fraction)),
                None => continue,
            }
            met.get_or_insert((span[0] + first.fraction / count).min(end));
        }
        FirstImpact {
            fraction: met.unwrap_or(end),
            moved_to: met.map(|_| stays.unwrap_or_else(|| on_its_way(1.0, carried))),
        }
    }
}
