//! [`BodySweep`]: the motion of a fast body, which may pass through others within a step.

use crate::body::{BodyKind, BodyPose, BodySim, flag};
use crate::constants::{FAST_MOTION_FRACTION, FAST_MOTION_MAX_M, KINEMATIC_ROTATION_PER_SUBSTEP_MAX_RAD};
use crate::joint::nearest_turn;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::sync::atomic::{AtomicU64, Ordering};
use tombolo_geometry::distance::Sweep;
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Aabb, Pose, Rot};
use tombolo_handles::BitSet;

/// The fraction of its motion up to which a body counts as held at the start.
pub(super) const HELD_FRACTION_MAX: f32 = 0.01;

/// The motion of a fast body in this step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BodySweep {
    /// The body's index.
    pub(crate) body: u32,
    /// The fraction of the motion up to which the body may go, 0 to 1.
    pub(crate) fraction: f32,
    /// Whether it is a bullet that is not fast itself: only fast bodies can pass it.
    pub(super) is_slow: bool,
    /// Whether a fast kinematic body may pass it, though it is not a bullet.
    pub(super) is_swept_into: bool,
    /// Whether it is not a bullet and a bullet met it.
    pub(super) is_met_by_bullet: bool,
    /// Whether it was moved on from there, by a moving body or along a wall.
    pub(crate) is_moved_on: bool,
    /// The pose that it was moved on to, if so.
    pub(super) moved_to: Pose,
    /// The fraction of the step at which it reaches that pose: 1 unless it was stopped before.
    pub(super) arrival: f32,
    /// The whole motion.
    pub(crate) sweep: Sweep,
    /// The rotation of the body in the motion in radians, if more than [`PIECE_MAX_RAD`]; otherwise 0, and the motion
    /// determines it.
    pub(super) turn: f32,
}

impl BodySweep {
    /// The pose of the body after a fraction of its motion.
    pub(super) fn pose_at(&self, fraction: f32) -> Pose {
        if self.turn == 0.0 {
            return self.sweep.pose_at(fraction);
        }
        let Sweep {
            local_center,
            c0,
            c1,
            q0,
            ..
        } = self.sweep;
        let rotation = q0.then(Rot::from_angle(self.turn * fraction));
        let center = (1.0 - fraction) * c0 + fraction * c1;
        Pose {
            position: center - rotation.rotate(local_center),
            rotation,
        }
    }

    /// The pose of the body after a fraction of the step: on its motion, then on its path to the pose that it is moved
    /// on to, or at rest.
    pub(super) fn place_at(&self, fraction: f32) -> BodyPose {
        let pose = if self.is_moved_on && fraction >= self.arrival {
            self.moved_to
        } else if fraction <= self.fraction || !self.is_moved_on {
            self.pose_at(fraction.min(self.fraction))
        } else {
            let part = (fraction - self.fraction) / (self.arrival - self.fraction);
            let [met, end] = [self.pose_at(self.fraction), self.moved_to]
                .map(|pose| BodyPose::new(pose, self.sweep.local_center));
            sweep_between(&met, &end).pose_at(part)
        };
        BodyPose::new(pose, self.sweep.local_center)
    }

    /// The fraction of the step at which the body reaches its final pose.
    pub(super) fn end(&self) -> f32 {
        if self.is_moved_on {
            self.arrival
        } else {
            self.fraction
        }
    }

    /// Ends the body's motion at a fraction of the step. Returns whether its final pose changes by that.
    pub(super) fn stop_at(&mut self, fraction: f32) -> bool {
        if fraction <= self.fraction {
            let changes = fraction < self.fraction || self.is_moved_on;
            self.fraction = fraction;
            self.is_moved_on = false;
            changes
        } else {
            let changes = self.is_moved_on && fraction < self.arrival;
            if changes {
                self.moved_to = self.place_at(fraction).pose;
                self.arrival = fraction;
            }
            changes
        }
    }

    /// The number of pieces of the motion, in each of which the body turns by a small angle.
    pub(super) fn pieces(&self) -> u32 {
        pieces_of(self.turn)
    }

    /// The motion between two fractions, less than half a turn apart.
    pub(super) fn piece(&self, from: f32, to: f32) -> Sweep {
        let [start, end] =
            [from, to].map(|fraction| BodyPose::new(self.pose_at(fraction), self.sweep.local_center));
        sweep_between(&start, &end)
    }
}

/// The members of a set of indices, for several workers that each list a part of them.
#[derive(Debug, Default)]
pub(crate) struct RankedWords {
    /// The number of members before each word of 64, the word's place, and its bits.
    words: Vec<(u32, u32, u64)>,
}

impl RankedWords {
    /// Takes the members of a set, `count_max` at most; returns their number. Cost: O(words with members).
    pub(super) fn rank(&mut self, set: &BitSet, count_max: usize) -> usize {
        let mut count = 0;
        self.words.clear();
        // Never more than this, so that as many members that are further apart need no more memory.
        self.words.reserve(set.words().len().min(count_max));
        self.words.extend(set.occupied_words().map(|(place, bits)| {
            let before = count;
            count += bits.count_ones();
            (before, place as u32, bits)
        }));
        count as usize
    }

    /// The members from the one on that `rank` others are less than, in ascending order. Cost: O(log n) to begin.
    pub(super) fn members_from(&self, rank: usize) -> impl Iterator<Item = u32> + '_ {
        let next = self
            .words
            .partition_point(|&(before, ..)| before as usize <= rank);
        let (words, skipped) = match next.checked_sub(1) {
            Some(first) => (&self.words[first..], rank - self.words[first].0 as usize),
            None => (&[][..], 0),
        };
        let members = words.iter().flat_map(|&(_, place, mut bits)| {
            core::iter::from_fn(move || {
                let bit = bits.trailing_zeros();
                (bits != 0).then(|| {
                    bits &= bits - 1;
                    64 * place + bit
                })
            })
        });
        members.skip(skipped)
    }
}

/// The places of the sweeps that stop before their end. Several workers may note sweeps.
#[derive(Debug, Default)]
pub(crate) struct StoppedSweeps {
    /// A bit for each sweep.
    words: Vec<AtomicU64>,
}

impl StoppedSweeps {
    /// Forgets all, and makes room for so many sweeps.
    pub(super) fn reset(&mut self, len: usize) {
        self.words.clear();
        self.words.resize_with(len.div_ceil(64), AtomicU64::default);
    }

    /// Notes the sweep at a place, if it stops.
    pub(super) fn note(&self, place: usize, moving: &BodySweep) {
        if moving.fraction < 1.0 {
            self.words[place / 64].fetch_or(1 << (place % 64), Ordering::Relaxed);
        }
    }

    /// The places, in ascending order.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self.words.iter().map(|word| word.load(Ordering::Relaxed));
        words
            .enumerate()
            .filter(|&(_, word)| word != 0)
            .flat_map(|(place, word)| {
                let set = (0..64).filter(move |bit| word >> bit & 1 != 0);
                set.map(move |bit| 64 * place + bit)
            })
    }
}

/// A box that contains a shape during a motion, however far it turns.
pub(super) fn area_around(geometry: &Shape, sweep: &Sweep) -> Aabb {
    let Sweep { c0, c1, .. } = *sweep;
    Aabb::new(c0.min(c1), c0.max(c1)).grown(geometry.max_extent_from(sweep.local_center))
}

/// The number of pieces of a rotation. Beyond eight turns in a step, which are not meaningful at any step length,
/// pieces are larger.
pub(super) fn pieces_of(turn: f32) -> u32 {
    libm::ceilf(turn.abs() / PIECE_MAX_RAD).clamp(1.0, PIECES_MAX) as u32
}

/// The greatest number of pieces of a motion.
const PIECES_MAX: f32 = 64.0;

/// The greatest rotation of a body within a piece of its motion, in radians.
pub(super) const PIECE_MAX_RAD: f32 = 0.25 * core::f32::consts::PI;

/// The difference of the greatest and the least extent up to which a body counts as a disc, as a fraction of the
/// greatest.
const ROUND: f32 = 1.0e-4;

/// The rotation in radians of a body that nothing slows in a step; `spin` is its angular velocity times the step. A
/// substep turns by the arc tangent of its part of that, but by exactly that part where a large turn is allowed, up to
/// [`KINEMATIC_ROTATION_PER_SUBSTEP_MAX_RAD`].
pub(super) fn free_turn(sim: &BodySim, spin: f32, substeps: u32) -> f32 {
    let count = substeps as f32;
    let share = spin / count;
    if sim.has(flag::FAST_ROTATION) {
        return count
            * share.clamp(
                -KINEMATIC_ROTATION_PER_SUBSTEP_MAX_RAD,
                KINEMATIC_ROTATION_PER_SUBSTEP_MAX_RAD,
            );
    }
    count * libm::atanf(share)
}

/// Whether a body may turn by more than half a turn in a step by its own velocity: a kinematic body, or one that may
/// turn fast.
fn may_turn_far(sim: &BodySim) -> bool {
    sim.has(flag::FAST_ROTATION) || sim.kind() == BodyKind::Kinematic
}

/// Whether a body turns as far as it likes, and its rotation has no effect.
pub(super) fn is_far_turning_disc(sim: &BodySim) -> bool {
    may_turn_far(sim) && is_disc(sim)
}

/// The rotation of a body in a step, in radians, from `turn`, the rotation up to whole turns, and `spin`, its angular
/// velocity times the step, if that is more than [`PIECE_MAX_RAD`]: for a body that [may turn far](may_turn_far), and
/// for one that a motor or a contact drives beyond the limit of its own velocity. 0 for other bodies, for a
/// [disc that turns far](is_far_turning_disc), and where a blow at the end of the step changed the velocity, so that it
/// says nothing about the motion.
pub(super) fn far_turn(sim: &BodySim, turn: Rot, spin: f32, substeps: u32) -> f32 {
    let is_driven = || spin.abs() > PIECE_MAX_RAD;
    if is_far_turning_disc(sim) || !may_turn_far(sim) && !is_driven() {
        return 0.0;
    }
    let free = free_turn(sim, spin, substeps);
    let turn = nearest_turn(turn.angle(), free);
    let is_told_by_spin = || may_turn_far(sim) || (turn - free).abs() <= PIECE_MAX_RAD;
    if turn.abs() > PIECE_MAX_RAD && is_told_by_spin() {
        turn
    } else {
        0.0
    }
}

/// Whether a body consists of equal discs about its center of mass.
fn is_disc(sim: &BodySim) -> bool {
    sim.extent_max - sim.extent_min <= ROUND * sim.extent_max
}

/// The approximate distance in meters by which a rotation moves the farthest part of a body; see [`far_turn`].
#[inline]
pub(super) fn turn_distance(sim: &BodySim, turn: Rot, spin: f32, substeps: u32) -> f32 {
    if may_turn_far(sim) || spin.abs() > PIECE_MAX_RAD {
        far_turn_distance(sim, turn, spin, substeps)
    } else {
        sim.extent_max * turn.sin.abs()
    }
}

/// The same for a body that may have turned by more than [`PIECE_MAX_RAD`].
fn far_turn_distance(sim: &BodySim, turn: Rot, spin: f32, substeps: u32) -> f32 {
    if is_far_turning_disc(sim) {
        return 0.0;
    }
    let far = far_turn(sim, turn, spin, substeps).abs();
    if far > 0.0 {
        // At most to the opposite side.
        return sim.extent_max * far.min(2.0);
    }
    sim.extent_max * turn.sin.abs()
}

/// A fraction beyond the step.
pub(super) const NEVER: f32 = 2.0;

/// A meeting in the queue: the time as bits, which have the same order, the two sweeps, and the pair.
pub(super) type DueMeeting = Reverse<(u32, u32, u32, u32)>;

/// Two bullets whose paths are near each other, by their places in the list of sweeps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BulletPair {
    pub(super) sweeps: [u32; 2],
    /// The fraction of the step at which they meet; [`NEVER`] if they do not.
    pub(super) meeting: f32,
    /// Whether they have met already: both stay there.
    pub(super) have_met: bool,
}

/// Scratch memory of the search.
#[derive(Debug, Default)]
pub(crate) struct BulletScratch {
    /// The box of each bullet during the step, and its place in the list of sweeps.
    pub(super) areas: Vec<(Aabb, u32)>,
    pub(super) pairs: Vec<BulletPair>,
    /// For each bullet of a pair its place and the index of the pair, sorted.
    pub(super) pairs_of: Vec<(u32, u32)>,
    pub(super) queue: BinaryHeap<DueMeeting>,
}

/// The distance of motion in a step above which a body of this smallest extent is fast, in meters.
pub(crate) fn fast_motion(extent_min: f32) -> f32 {
    (FAST_MOTION_FRACTION * extent_min).min(FAST_MOTION_MAX_M)
}

/// The motion of a body from `start` to `end`.
pub(super) fn sweep_between(start: &BodyPose, end: &BodyPose) -> Sweep {
    Sweep {
        local_center: end.local_center,
        c0: start.center,
        c1: end.center,
        q0: start.pose.rotation,
        q1: end.pose.rotation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn members_are_listed_from_any_rank_on(indices in prop::collection::vec(0..2_000_usize, 0..300)) {
            let mut set = BitSet::with_len(2_000);
            for &index in &indices {
                set.set(index);
            }
            // A member that left may leave an empty word behind.
            indices.iter().take(5).for_each(|&index| { set.unset(index); });
            let members: Vec<u32> = set.iter().map(|index| index as u32).collect();
            let mut words = RankedWords::default();
            prop_assert_eq!(words.rank(&set, indices.len()), members.len());
            for rank in 0..=members.len() {
                prop_assert!(words.members_from(rank).eq(members[rank..].iter().copied()), "{}", rank);
            }
        }

        #[test]
        fn sweeps_that_stop_are_listed_once_and_forgotten(fractions in prop::collection::vec(0.0_f32..2.0, 0..200)) {
            let mut stopped = StoppedSweeps::default();
            stopped.reset(300);
            stopped.note(299, &BodySweep { fraction: 0.5, ..BodySweep::default() });
            stopped.reset(fractions.len());
            let fractions: Vec<f32> = fractions.iter().map(|fraction| fraction.min(1.0)).collect();
            for (place, &fraction) in fractions.iter().enumerate().rev().chain(fractions.iter().enumerate()) {
                stopped.note(place, &BodySweep { fraction, ..BodySweep::default() });
            }
            let expected = (0..fractions.len()).filter(|&place| fractions[place] < 1.0);
            prop_assert!(stopped.places().eq(expected));
        }
    }

    #[test]
    fn a_body_that_is_stopped_twice_on_its_way_on_keeps_to_that_way() {
        let mut moving = BodySweep {
            fraction: 0.2,
            is_moved_on: true,
            moved_to: Pose::new(Vec2::new(9.0, 0.0), 0.0),
            arrival: 1.0,
            sweep: Sweep {
                c1: Vec2::new(5.0, 0.0),
                ..Sweep::default()
            },
            ..BodySweep::default()
        };
        let path = |moving: &BodySweep, fractions: &[f32]| -> Vec<f32> {
            let x = |&fraction: &f32| moving.place_at(fraction).center.x;
            fractions.iter().map(x).collect()
        };
        let near =
            |found: &[f32], expected: &[f32]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1.0e-5);
        let whole = path(&moving, &[0.1, 0.2, 0.4, 0.6, 1.0]);
        assert!(near(&whole, &[0.5, 1.0, 3.0, 5.0, 9.0]), "{whole:?}");
        assert!(moving.stop_at(0.6));
        assert!(!moving.stop_at(0.8), "it stands already");
        let first = path(&moving, &[0.2, 0.4, 0.6, 1.0]);
        assert!(near(&first, &[1.0, 3.0, 5.0, 5.0]), "{first:?}");
        assert!(moving.stop_at(0.4) && moving.end() == 0.4);
        let second = path(&moving, &[0.2, 0.3, 0.4, 0.5, 1.0]);
        assert!(near(&second, &[1.0, 2.0, 3.0, 3.0, 3.0]), "{second:?}");
        assert!(moving.stop_at(0.1) && moving.end() == 0.1);
        assert!(near(&path(&moving, &[0.1, 1.0]), &[0.5, 0.5]));
    }
}
