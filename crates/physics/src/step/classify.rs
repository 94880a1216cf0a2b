//! Classifies awake contacts, in lanes: the first pass of the stage `collide` over a block of contacts.
//!
//! The fields of sixteen contacts are copied into rows first, and the words that depend on a contact's flags are computed
//! there. Boxes and poses are gathered record by record. Each lane does the same operations in the same order as a single
//! contact would: the classes do not depend on the lanes.
#![allow(unsafe_code)]

use crate::body::BodyPose;
use crate::constants::{RECYCLE_APART_M, RECYCLE_COSINE_MIN, RECYCLE_DISTANCE_M, SPECULATIVE_DISTANCE_M};
use crate::contact::{Contact, GAP_UNIT_M, TURN_UNIT, flag};
use crate::prefetch::prefetch_in;
use crate::solver::kernels::{Kernel, dispatch};
use crate::solver::lanes::{BLOCK, LaneWidth, Lanes, RecordSource, SimdIndexRow, SimdRow};
use crate::solver::vectors::dot;
use core::mem::offset_of;
use tombolo_geometry::{Aabb, Pose};

/// The number of contacts in one block of work: a few microseconds.
pub(super) const CONTACTS_PER_BLOCK: usize = 128;

/// The class of each contact of a block, sixteen to a row, and of some more lanes that mean nothing.
pub(super) type Classes = [SimdRow; CONTACTS_PER_BLOCK / BLOCK];

/// No class yet.
pub(super) const UNKNOWN: Classes = [SimdRow::ZERO; CONTACTS_PER_BLOCK / BLOCK];

/// The class of a contact that keeps its manifold.
pub(super) const KEPT: f32 = 0.0;

/// The class of a contact whose manifold is computed anew.
pub(super) const STALE: f32 = 1.0;

/// The class of a contact whose boxes have parted.
pub(super) const PARTED: f32 = 2.0;

/// The limit of the movement of contacts that are computed anew in any case: no movement is below it.
const NEVER_KEPT: f32 = -1.0;

/// Adjacent awake contacts, at most [`CONTACTS_PER_BLOCK`], and what their classes depend on.
#[derive(Clone, Copy)]
pub(super) struct Classify<'a> {
    pub(super) contacts: &'a [Contact],
    pub(super) poses: &'a [BodyPose],
    /// The boxes of the broad phase, by proxy.
    pub(super) boxes: &'a [Aabb],
}

impl Classify<'_> {
    /// Writes the classes, with the lanes of `width`, which the machine has.
    pub(super) fn run(self, width: LaneWidth, classes: &mut Classes) {
        debug_assert!(self.contacts.len() <= CONTACTS_PER_BLOCK, "a block");
        // SAFETY: worlds have no other lanes than the machine's, and the kernel requires no more.
        unsafe {
            dispatch(
                width,
                ClassifyRun {
                    source: self,
                    classes,
                },
            )
        };
    }

    /// Prefetches the boxes and poses of a contact.
    #[inline(always)]
    fn prefetch_records_of(&self, contact: &Contact) {
        prefetch_in(self.poses, contact.body_a as usize);
        prefetch_in(self.poses, contact.body_b as usize);
        prefetch_in(self.boxes, contact.proxy_a as usize);
        prefetch_in(self.boxes, contact.proxy_b as usize);
    }
}

struct ClassifyRun<'a, 'c> {
    source: Classify<'a>,
    classes: &'c mut Classes,
}

impl Kernel for ClassifyRun<'_, '_> {
    #[inline(always)]
    unsafe fn run<V: Lanes>(self) {
        let mut group = ContactGroup::EMPTY;
        let mut rest = self.source.contacts;
        for classes in self.classes {
            if rest.is_empty() {
                return;
            }
            let (of_group, later) = rest.split_at(rest.len().min(BLOCK));
            for contact in &later[..later.len().min(BLOCK)] {
                self.source.prefetch_records_of(contact);
            }
            group.fill(of_group, self.source);
            for at in (0..of_group.len()).step_by(V::WIDTH) {
                // SAFETY: `fill` has checked the group's indices.
                unsafe { group.class::<V>(at, self.source) }.store(classes, at);
            }
            rest = later;
        }
    }
}

/// The fields of sixteen contacts. Lanes that no contact has filled yet refer to the first body and the first box, which
/// exist if there is a contact.
struct ContactGroup {
    body_a: SimdIndexRow,
    body_b: SimdIndexRow,
    proxy_a: SimdIndexRow,
    proxy_b: SimdIndexRow,
    cached_pose: [Pose; BLOCK],
    /// Cosine and sine of A's rotation when the manifold was computed.
    turn_a: [SimdRow; 2],
    arm: SimdRow,
    /// The distance in meters below which a movement keeps the manifold.
    limit: SimdRow,
    /// 1 for a contact whose second body is static, 0 for others.
    is_b_static: SimdRow,
}

impl ContactGroup {
    const EMPTY: Self = Self {
        body_a: SimdIndexRow([0; BLOCK]),
        body_b: SimdIndexRow([0; BLOCK]),
        proxy_a: SimdIndexRow([0; BLOCK]),
        proxy_b: SimdIndexRow([0; BLOCK]),
        cached_pose: [Pose::IDENTITY; BLOCK],
        turn_a: [SimdRow::ZERO; 2],
        arm: SimdRow::ZERO,
        limit: SimdRow::ZERO,
        is_b_static: SimdRow::ZERO,
    };

    /// Copies the fields of up to sixteen contacts.
    ///
    /// # Panics
    ///
    /// If a contact refers to a body or a box that there is not.
    #[inline(always)]
    fn fill(&mut self, contacts: &[Contact], source: Classify<'_>) {
        let (mut flags, mut gaps, mut turns) = ([0; BLOCK], [0; BLOCK], [[0; 2]; BLOCK]);
        for (lane, contact) in contacts.iter().enumerate().take(BLOCK) {
            self.body_a.0[lane] = contact.body_a;
            self.body_b.0[lane] = contact.body_b;
            self.proxy_a.0[lane] = contact.proxy_a;
            self.proxy_b.0[lane] = contact.proxy_b;
            self.cached_pose[lane] = contact.cached_pose;
            self.arm.0[lane] = contact.arm;
            flags[lane] = u32::from(contact.flags);
            gaps[lane] = u32::from(contact.gap);
            turns[lane] = contact.cached_turn_a;
        }
        let largest = |[a, b]: [&SimdIndexRow; 2]| {
            let pairs = a.0.iter().zip(&b.0);
            pairs.fold(0, |largest, (&a, &b)| largest.max(a).max(b)) as usize
        };
        assert!(
            largest([&self.body_a, &self.body_b]) < source.poses.len()
                && largest([&self.proxy_a, &self.proxy_b]) < source.boxes.len(),
            "the bodies and boxes of a contact exist"
        );
        for lane in 0..contacts.len().min(BLOCK) {
            self.turn_a[0].0[lane] = f32::from(turns[lane][0]) * TURN_UNIT;
            self.turn_a[1].0[lane] = f32::from(turns[lane][1]) * TURN_UNIT;
            self.limit.0[lane] = limit(flags[lane], gaps[lane]);
            let is_b_static = flags[lane] & u32::from(flag::STATIC_B) != 0;
            self.is_b_static.0[lane] = if is_b_static { 1.0 } else { 0.0 };
        }
    }

    /// The classes of the contacts from `at` on.
    ///
    /// A manifold is kept while B moved relative to A by less than the limit and neither body turned far since the normal
    /// and the arms were computed.
    ///
    /// # Safety
    ///
    /// All indices are those of bodies and boxes that there are.
    #[inline(always)]
    unsafe fn class<V: Lanes>(&self, at: usize, source: Classify<'_>) -> V {
        let (zero, one) = (V::splat(0.0), V::splat(1.0));
        let box_of = |indices| {
            // SAFETY: a box has four words and is borrowed; the indices are in range by the caller's contract.
            unsafe { V::gather4(&GroupRecords::<Aabb, 0>::new(source.boxes, indices, at)) }
        };
        let [a, b]: [[V; 4]; 2] = [box_of(&self.proxy_a), box_of(&self.proxy_b)];
        let parted = V::splat(PARTED);
        let mut is_parted = zero;
        for (low, high) in [(b[2], a[0]), (b[3], a[1]), (a[2], b[0]), (a[3], b[1])] {
            is_parted = V::select(low.less(high), parted, is_parted);
        }

        let place_of = |indices| {
            // SAFETY: behind the position of a pose there are more than four words, and it is borrowed; the indices are in
            // range by the caller's contract.
            unsafe {
                V::gather4(&GroupRecords::<BodyPose, ROTATION_WORD>::new(
                    source.poses,
                    indices,
                    at,
                ))
            }
        };
        let [a, b]: [[V; 4]; 2] = [place_of(&self.body_a), place_of(&self.body_b)];
        // SAFETY: a pose has four words and is borrowed.
        let [then_x, then_y, then_cos, then_sin]: [V; 4] =
            unsafe { V::gather4(&CachedPoses(&self.cached_pose, at)) };
        let now = unrotate([a[0], a[1]], [b[2] - a[2], b[3] - a[3]]);
        let rotation = turn([a[0], a[1]], [b[0], b[1]]);
        let (then, then_rotation) = ([then_x, then_y], [then_cos, then_sin]);
        let turned = turn(then_rotation, rotation);
        let turned_a = turn(
            [V::load(&self.turn_a[0], at), V::load(&self.turn_a[1], at)],
            [a[0], a[1]],
        );
        let turned_b_cos = turned_a[0] * turned[0] - turned_a[1] * turned[1];
        // A body that swings about the center of a static body, however far off, does not move in its own frame.
        let is_b_static = zero.less(V::load(&self.is_b_static, at));
        let (now_in_b, then_in_b) = (unrotate(rotation, now), unrotate(then_rotation, then));
        let moved = [0, 1].map(|axis| {
            let now = V::select(is_b_static, now_in_b[axis], now[axis]);
            now - V::select(is_b_static, then_in_b[axis], then[axis])
        });
        let sin = turned[1].max(zero - turned[1]);
        let moved = dot(moved, moved).sqrt() + V::load(&self.arm, at) * sin;

        let least_cos = V::splat(RECYCLE_COSINE_MIN);
        let mut class = V::select(moved.less(V::load(&self.limit, at)), zero, one);
        class = V::select(least_cos.less(turned_a[0]), class, one);
        class = V::select(least_cos.less(turned_b_cos), class, one);
        V::select(zero.less(is_parted), parted, class)
    }
}

/// The distance in meters below which a movement keeps a manifold.
///
/// The separations of a manifold with points follow the bodies, along its normal. While all of them are positive they
/// predict a touch that a corner may still miss, and a manifold that is kept too long turns a body that only passes by.
/// So it is kept for half of the least of them: as much may follow within the step, and the shapes have still not met. Of
/// shapes without points a lower bound of their distance is stored: until less than the speculative distance may be left
/// of it, they need no new manifold.
#[inline(always)]
fn limit(flags: u32, gap: u32) -> f32 {
    let anew = flag::NO_RECYCLING | flag::ONE_WAY | flag::PRE_SOLVE;
    let gap = gap as f32 * GAP_UNIT_M;
    let left = gap - SPECULATIVE_DISTANCE_M;
    let apart = if left > RECYCLE_APART_M {
        left
    } else {
        RECYCLE_APART_M
    };
    let with_points = if gap > 0.0 { 0.5 * gap } else { RECYCLE_DISTANCE_M };
    let is_touching = flags & u32::from(flag::TOUCHING) != 0;
    let limit = if is_touching { with_points } else { apart };
    let is_kept = flags & u32::from(flag::COMPUTED | anew) == u32::from(flag::COMPUTED);
    if is_kept { limit } else { NEVER_KEPT }
}

/// The records of `indices[at..]` in a slice, from their word `WORD` on.
struct GroupRecords<'a, T, const WORD: usize> {
    records: &'a [T],
    indices: &'a SimdIndexRow,
    at: usize,
}

impl<'a, T, const WORD: usize> GroupRecords<'a, T, WORD> {
    /// # Safety
    ///
    /// All indices are below the number of records.
    #[inline(always)]
    unsafe fn new(records: &'a [T], indices: &'a SimdIndexRow, at: usize) -> Self {
        Self { records, indices, at }
    }
}

impl<T, const WORD: usize> RecordSource for GroupRecords<'_, T, WORD> {
    #[inline(always)]
    fn record_of_lane(&self, lane: usize) -> *const f32 {
        let index = self.indices.0[self.at + lane] as usize;
        // SAFETY: in range by the contract of `new`, which alone makes values of this type.
        let record: *const T = unsafe { self.records.get_unchecked(index) };
        record.cast::<f32>().wrapping_add(WORD)
    }
}

/// The word of a pose from which on rotation and center of mass follow each other.
const ROTATION_WORD: usize = offset_of!(Pose, rotation) / size_of::<f32>();
const _: () = {
    assert!(offset_of!(BodyPose, pose) == 0);
    assert!(offset_of!(BodyPose, center) == offset_of!(Pose, rotation) + 2 * size_of::<f32>());
};

/// The poses of B in A's frame when the manifolds were computed, from `at` on.
struct CachedPoses<'a>(&'a [Pose; BLOCK], usize);

impl RecordSource for CachedPoses<'_> {
    #[inline(always)]
    fn record_of_lane(&self, lane: usize) -> *const f32 {
        core::ptr::from_ref(&self.0[self.1 + lane]).cast()
    }
}

/// A vector turned back by a rotation, its cosine and sine.
#[inline(always)]
fn unrotate<V: Lanes>([cos, sin]: [V; 2], v: [V; 2]) -> [V; 2] {
    [cos * v[0] + sin * v[1], cos * v[1] - sin * v[0]]
}

/// The rotation that leads from one to another.
#[inline(always)]
fn turn<V: Lanes>(from: [V; 2], to: [V; 2]) -> [V; 2] {
    [
        to[0] * from[0] + to[1] * from[1],
        to[1] * from[0] - to[0] * from[1],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::ContactDef;
    use alloc::vec::Vec;
    use glam::Vec2;
    use proptest::prelude::*;
    use tombolo_geometry::Rot;

    const RECORDS: u32 = 9;

    /// The class of one contact, with the functions of poses and boxes.
    fn class_alone(contact: &Contact, source: Classify<'_>) -> f32 {
        let [a, b] = [contact.proxy_a, contact.proxy_b].map(|proxy| source.boxes[proxy as usize]);
        if !a.overlaps(b) {
            return PARTED;
        }
        let anew = flag::NO_RECYCLING | flag::ONE_WAY | flag::PRE_SOLVE;
        if contact.flags & (flag::COMPUTED | anew) != flag::COMPUTED {
            return STALE;
        }
        let [a, b] = [contact.body_a, contact.body_b].map(|body| source.poses[body as usize]);
        let now = Pose {
            position: a.pose.rotation.unrotate(b.center - a.center),
            rotation: a.pose.rotation.to(b.pose.rotation),
        };
        let turn = contact.cached_pose.rotation.to(now.rotation);
        let [cos, sin] = contact.cached_turn_a.map(|word| f32::from(word) * TURN_UNIT);
        let turn_a = Rot { cos, sin }.to(a.pose.rotation);
        let turn_b_cos = turn_a.cos * turn.cos - turn_a.sin * turn.sin;
        let [now, then] = [now, contact.cached_pose].map(|pose| {
            if contact.flags & flag::STATIC_B == 0 {
                pose.position
            } else {
                pose.rotation.unrotate(pose.position)
            }
        });
        let gap = f32::from(contact.gap) * GAP_UNIT_M;
        let limit = match (contact.is_touching(), contact.gap) {
            (true, 0) => RECYCLE_DISTANCE_M,
            (true, _) => 0.5 * gap,
            (false, _) => RECYCLE_APART_M.max(gap - SPECULATIVE_DISTANCE_M),
        };
        let moved = (now - then).length() + contact.arm * turn.sin.abs();
        if turn_a.cos.min(turn_b_cos) > RECYCLE_COSINE_MIN && moved < limit {
            KEPT
        } else {
            STALE
        }
    }

    /// Bodies around the origin that hardly turned, or did, and boxes of which some are apart.
    fn arb_record() -> impl Strategy<Value = (BodyPose, Aabb)> {
        let small = -0.05_f32..0.05;
        let angle = prop_oneof![3 => -0.15_f32..0.15, 1 => -3.2_f32..3.2];
        (small.clone(), small, angle, 0.0_f32..1.2).prop_map(|(x, y, angle, shift)| {
            let pose = BodyPose::new(Pose::new(Vec2::new(x, y), angle), Vec2::new(0.01, -0.02));
            let low = Vec2::new(shift, -shift);
            (pose, Aabb::new(low, low + Vec2::ONE))
        })
    }

    fn arb_contact() -> impl Strategy<Value = Contact> {
        let records = [0..RECORDS, 0..RECORDS, 0..RECORDS, 0..RECORDS];
        let flags = prop_oneof![
            3 => (0..4_u16).prop_map(|bits| {
                let touching = if bits & 1 == 0 { 0 } else { flag::TOUCHING };
                flag::COMPUTED | touching | if bits & 2 == 0 { 0 } else { flag::STATIC_B }
            }),
            1 => 0..=flag::ALL,
        ];
        let small = -0.05_f32..0.05;
        let arm = prop_oneof![3 => 0.0_f32..0.5, 1 => Just(f32::MAX)];
        (
            records,
            flags,
            any::<u8>(),
            [small.clone(), small.clone(), small],
            arm,
            -0.15_f32..0.15,
        )
            .prop_map(
                |([body_a, body_b, proxy_a, proxy_b], flags, gap, [x, y, turn], arm, angle)| {
                    let def = ContactDef {
                        bodies: [body_a, body_b],
                        proxies: [proxy_a, proxy_b],
                        flags,
                        ..ContactDef::default()
                    };
                    let rotation = Rot::from_angle(angle);
                    Contact {
                        gap,
                        arm,
                        cached_pose: Pose::new(Vec2::new(x, y), turn),
                        cached_turn_a: [rotation.cos, rotation.sin].map(|word| (word / TURN_UNIT) as i16),
                        ..Contact::new(&def)
                    }
                },
            )
    }

    proptest! {
        /// Any number of contacts, full groups and others, by every back end of the machine.
        #[test]
        fn classes_are_those_of_each_contact_alone(
            records in prop::collection::vec(arb_record(), RECORDS as usize),
            contacts in prop::collection::vec(arb_contact(), 1..=CONTACTS_PER_BLOCK),
        ) {
            let (poses, boxes): (Vec<_>, Vec<_>) = records.into_iter().unzip();
            let source = Classify { contacts: &contacts, poses: &poses, boxes: &boxes };
            let expected: Vec<f32> = contacts.iter().map(|contact| class_alone(contact, source)).collect();
            for width in LaneWidth::ALL.into_iter().filter(|width| width.is_available()) {
                let mut classes = UNKNOWN;
                source.run(width, &mut classes);
                let found: Vec<f32> = classes.iter().flat_map(|row| row.0).take(contacts.len()).collect();
                prop_assert_eq!(&found, &expected, "{:?}", width);
            }
        }
    }

    #[test]
    #[should_panic = "the bodies and boxes of a contact exist"]
    fn a_contact_of_a_body_that_is_not_there_is_refused() {
        let def = ContactDef {
            bodies: [0, 2],
            ..ContactDef::default()
        };
        let contacts = [Contact::new(&def)];
        let source = Classify {
            contacts: &contacts,
            poses: &[BodyPose::default(); 2],
            boxes: &[Aabb::EMPTY],
        };
        source.run(LaneWidth::One, &mut { UNKNOWN });
    }
}
