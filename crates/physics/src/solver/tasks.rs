//! [`Tasks`]: one task of each stage of the solver; the list of stages is in `stages.rs`.
//!
//! A task of a shared stage works on some blocks or bodies of that stage. A task of the stage of batches is in
//! `batch_tasks.rs`.
#![allow(unsafe_code)]

use super::axes_block::AxesBlock;
use super::batches::{Batches, BlockCounts};
use super::body_block::BodyBlock;
use super::contact_block::{BodyArrays, ContactBlock};
use super::contact_prepare::BlockSource;
use super::coupling_block::CouplingBlock;
use super::joint_block::JointBlock;
use super::kernels::{self, Block, BodyPass, Pass};
use super::lanes::{BLOCK, BodyStateLanes, LaneWidth};
use super::revolute_block::RevoluteBlock;
use super::run::Run;
use super::work::{BLOCKS_PER_TASK, BODY_BLOCKS_PER_TASK, ColorBlocks, SolverSettings, Work, share_count};
use crate::body::{BodyPose, BodySim, BodyState};
use crate::contact::CachedManifold;
use crate::contact::graph::{COLOR_COUNT, ConstraintEntry, OVERFLOW};
use crate::control::BodyControl;
use crate::joint::JOINT_BLOCK_KINDS;
use crate::joint::JointSim;
use crate::prefetch::prefetch;
use alloc::vec::Vec;
use core::ops::Range;
use tombolo_handles::BitSet;
use tombolo_threads::{ClaimedSlice, PerWorker};

/// The number of joints ahead for which memory is prefetched.
const JOINTS_AHEAD: usize = 8;

/// The data that the tasks of all stages share.
pub(super) struct Tasks<'a> {
    pub(super) batches: &'a Batches,
    /// The number of the first batch that is solved.
    pub(super) first_batch: usize,
    pub(super) shared: &'a Shared<'a>,
    pub(super) cached_manifolds: ClaimedSlice<'a, CachedManifold>,
    pub(super) joints: ClaimedSlice<'a, JointSim>,
    pub(super) poses: &'a [BodyPose],
    pub(super) sims: &'a [BodySim],
    pub(super) controls: &'a [BodyControl],
    pub(super) states: &'a ClaimedSlice<'a, BodyState>,
    pub(super) body_blocks: ClaimedSlice<'a, BodyBlock>,
    pub(super) contact_blocks: ClaimedSlice<'a, ContactBlock>,
    pub(super) revolute_blocks: ClaimedSlice<'a, RevoluteBlock>,
    pub(super) axes_blocks: ClaimedSlice<'a, AxesBlock>,
    pub(super) coupling_blocks: ClaimedSlice<'a, CouplingBlock>,
    pub(super) own: &'a PerWorker<Own>,
    /// The color, and the first constraint within it, of each shared block.
    pub(super) contact_sources: &'a [(u32, u32)],
    pub(super) joint_sources: &'a [Vec<(u32, u32)>; JOINT_BLOCK_KINDS],
    pub(super) colors: &'a [ColorBlocks; COLOR_COUNT],
    pub(super) settings: &'a SolverSettings,
}

/// The bodies and constraints that all workers solve together.
pub(super) struct Shared<'a> {
    pub(super) bodies: &'a [u32],
    pub(super) contacts: [&'a [ConstraintEntry]; COLOR_COUNT],
    /// The joints, by kind of block and color.
    pub(super) joints: [[&'a [ConstraintEntry]; COLOR_COUNT]; JOINT_BLOCK_KINDS],
}

/// The memory of one worker: the blocks of the batch that it solves, and the hard hits that it found.
#[derive(Debug, Default)]
pub(super) struct Own {
    pub(super) bodies: Vec<BodyBlock>,
    pub(super) contacts: Vec<ContactBlock>,
    pub(super) revolutes: Vec<RevoluteBlock>,
    pub(super) axes: Vec<AxesBlock>,
    pub(super) couplings: Vec<CouplingBlock>,
    /// The blocks of constraints in the order in which passes take them.
    pub(super) runs: Vec<Run>,
    /// The contacts with hard hits, by place in the array of contacts.
    pub(super) hits: BitSet,
    /// The joints whose thresholds were exceeded, by index.
    pub(super) strained: BitSet,
}

impl Own {
    /// Makes room for `counts` blocks, of which new ones have no valid contents, and for marks of that many contacts
    /// and joints.
    pub(super) fn fit(&mut self, counts: BlockCounts, [contacts, joints]: [usize; 2]) {
        fit(&mut self.bodies, counts.bodies(), BodyBlock::EMPTY);
        fit(&mut self.contacts, counts.contacts(), ContactBlock::EMPTY);
        fit(
            &mut self.revolutes,
            counts.joints(RevoluteBlock::KIND),
            RevoluteBlock::EMPTY,
        );
        fit(&mut self.axes, counts.joints(AxesBlock::KIND), AxesBlock::EMPTY);
        fit(
            &mut self.couplings,
            counts.joints(CouplingBlock::KIND),
            CouplingBlock::EMPTY,
        );
        self.hits.reset(contacts);
        self.strained.reset(joints);
    }
}

/// Makes room for at least `count` blocks: a list that is never shortened need not be initialized again when it grows. What is
/// in them is of an earlier step, so it is not copied.
pub(super) fn fit<T: Copy>(blocks: &mut Vec<T>, count: usize, empty: T) {
    if blocks.len() < count {
        let room = blocks.capacity();
        if room < count {
            *blocks = Vec::new();
            blocks.reserve_exact(count.max(2 * room));
        }
        blocks.resize(count, empty);
    }
}

/// The joint to prefetch while the one at `place` in a block is processed: of the same block, or of the `next`.
fn joint_ahead<'e>(
    entries: &'e [ConstraintEntry],
    next: &'e [ConstraintEntry],
    place: usize,
) -> Option<&'e ConstraintEntry> {
    let ahead = place + JOINTS_AHEAD;
    match ahead.checked_sub(entries.len()) {
        None => entries.get(ahead),
        Some(beyond) => next.get(beyond),
    }
}

/// The `task`-th piece of `range`, with `size` elements except for the last.
fn piece(range: Range<usize>, task: usize, size: usize) -> Range<usize> {
    let start = range.start + task * size;
    start..(start + size).min(range.end)
}

/// The piece of `blocks` that the `task`-th task works on; if there is none, `None`, and `task` is reduced by their
/// number of tasks.
fn next_piece(task: &mut usize, blocks: &Range<usize>) -> Option<Range<usize>> {
    let tasks = blocks.len().div_ceil(BLOCKS_PER_TASK);
    if *task < tasks {
        return Some(piece(blocks.clone(), *task, BLOCKS_PER_TASK));
    }
    *task -= tasks;
    None
}

/// The `index`-th of `count` shares of `range`: adjacent, and of equal length up to one.
fn share(range: &Range<usize>, index: usize, count: usize) -> Range<usize> {
    let split = |index: usize| range.start + range.len() * index / count;
    split(index)..split(index + 1)
}

impl Tasks<'_> {
    /// Runs one task of a stage.
    ///
    /// # Safety
    ///
    /// Each task of a stage runs once, all stages before are done, and `worker` is the number of the worker that calls.
    pub(super) unsafe fn run(&self, work: Work, worker: usize, task: usize) {
        // SAFETY: the caller's contract; each arm touches only data of this task.
        unsafe {
            match work {
                Work::Batches => self.solve_batch(worker, self.first_batch + task),
                Work::Prepare => self.prepare(task),
                Work::Store => self.store(worker, task),
                Work::Bodies(pass) => self.move_shared(pass, task),
                Work::Constraints(pass, OVERFLOW) => self.solve_overflow(pass),
                Work::Constraints(pass, color) => self.solve(pass, color as usize, task),
            }
        }
    }

    /// # Safety
    ///
    /// The contract of [`Tasks::run`].
    unsafe fn move_shared(&self, pass: BodyPass, task: usize) {
        let bodies = self.shared.bodies;
        let bodies = &bodies[piece(0..bodies.len(), task, BODY_BLOCKS_PER_TASK * BLOCK)];
        let blocks = piece(0..self.body_blocks.len(), task, BODY_BLOCKS_PER_TASK);
        // SAFETY: each body is in one block, and each block in one task.
        unsafe { self.move_bodies(pass, self.body_blocks.slice_mut(blocks), bodies) };
    }

    /// Runs a pass over blocks of bodies, which the first pass of a step fills.
    ///
    /// # Safety
    ///
    /// The bodies are different ones, and no other worker touches them.
    pub(super) unsafe fn move_bodies(&self, pass: BodyPass, blocks: &mut [BodyBlock], bodies: &[u32]) {
        let SolverSettings { lanes, motion, .. } = self.settings;
        // Sixteen roots and quotients at once took 1.2 times as long as two times eight in five of six scenes.
        let widest = (*lanes).min(LaneWidth::Eight);
        let last = blocks.len().saturating_sub(1);
        let narrow = widest.least_for(bodies.len() - last * BLOCK);
        let full = if narrow == widest { blocks.len() } else { last };
        let (full_blocks, last_block) = blocks.split_at_mut(full);
        let (full_bodies, last_bodies) = bodies.split_at(bodies.len().min(full * BLOCK));
        let body_states = BodyStateLanes::new(self.states);
        for (lanes, blocks, bodies) in [
            (widest, full_blocks, full_bodies),
            (narrow, last_block, last_bodies),
        ] {
            if blocks.is_empty() {
                continue;
            }
            // SAFETY: the machine has the lanes, which was checked when they were set, and so it has narrower ones; the
            // rest is the caller's contract.
            unsafe {
                if pass == BodyPass::Start {
                    kernels::prepare_bodies(lanes, blocks, bodies, self.sims, self.controls, motion);
                }
                kernels::run_bodies(lanes, pass, blocks, body_states, motion);
            }
        }
    }

    fn contact_entries(&self, block: usize) -> &[ConstraintEntry] {
        let (color, first) = self.contact_sources[block];
        let entries = self.shared.contacts[color as usize];
        &entries[piece(0..entries.len(), first as usize / BLOCK, BLOCK)]
    }

    fn joint_entries<B: JointBlock>(&self, block: usize) -> &[ConstraintEntry] {
        let (color, first) = self.joint_sources[B::KIND][block];
        let entries = self.shared.joints[B::KIND][color as usize];
        &entries[piece(0..entries.len(), first as usize / BLOCK, BLOCK)]
    }

    /// The blocks of a share of all colors. A color's constraints are in the order in which they were added, mostly
    /// that of their places, so that the shares of all colors touch the same contacts and bodies while those are in the
    /// cache.
    fn contact_share(&self, task: usize) -> impl Iterator<Item = usize> {
        let count = share_count(self.contact_sources, self.joint_sources);
        let colors = self.colors.iter();
        colors.flat_map(move |color| share(&color.contacts, task, count))
    }

    /// The blocks of joints of a share of all colors, like [`Tasks::contact_share`].
    fn joint_share<B: JointBlock>(&self, task: usize) -> impl Iterator<Item = usize> {
        let count = share_count(self.contact_sources, self.joint_sources);
        let colors = self.colors.iter();
        colors.flat_map(move |color| share(&color.joints[B::KIND], task, count))
    }

    /// # Safety
    ///
    /// The contract of [`Tasks::run`].
    unsafe fn prepare(&self, task: usize) {
        let mut blocks = self.contact_share(task).peekable();
        while let Some(index) = blocks.next() {
            // SAFETY: each block is in one share, and no worker writes cached manifolds or states in this stage.
            unsafe {
                if let Some(&next) = blocks.peek() {
                    self.prefetch_manifolds(self.contact_entries(next));
                }
                let lanes = self.settings.lanes;
                self.prepare_contacts(
                    lanes,
                    self.contact_blocks.get_mut(index),
                    self.contact_entries(index),
                );
            }
        }
        // SAFETY: the caller's contract.
        unsafe {
            self.prepare_share(&self.revolute_blocks, task);
            self.prepare_share(&self.axes_blocks, task);
            self.prepare_share(&self.coupling_blocks, task);
        }
    }

    /// Fills the blocks of a share.
    ///
    /// # Safety
    ///
    /// The contract of [`Tasks::run`].
    unsafe fn prepare_share<B: JointBlock>(&self, blocks: &ClaimedSlice<'_, B>, task: usize) {
        let mut share = self.joint_share::<B>(task).peekable();
        while let Some(index) = share.next() {
            let entries = self.joint_entries::<B>(index);
            let next = share
                .peek()
                .map_or(&[][..], |&next| self.joint_entries::<B>(next));
            // SAFETY: each block is in one share, and no worker writes joints in this stage.
            unsafe { self.prepare_joints(blocks.get_mut(index), entries, next) };
        }
    }

    /// # Safety
    ///
    /// The contract of [`Tasks::run`].
    unsafe fn store(&self, worker: usize, task: usize) {
        // SAFETY: the caller's contract: the slot is the worker's own.
        let Own { hits, strained, .. } = unsafe { self.own.get_mut(worker) };
        let mut blocks = self.contact_share(task).peekable();
        while let Some(index) = blocks.next() {
            // SAFETY: each constraint is in one block, each block in one share, and no worker writes blocks in this
            // stage.
            unsafe {
                if let Some(&next) = blocks.peek() {
                    self.prefetch_manifolds(self.contact_entries(next));
                }
                self.store_contacts(self.contact_blocks.get(index), self.contact_entries(index), hits);
            }
        }
        // SAFETY: the caller's contract.
        unsafe {
            self.store_share(&self.revolute_blocks, task, strained);
            self.store_share(&self.axes_blocks, task, strained);
            self.store_share(&self.coupling_blocks, task, strained);
        }
    }

    /// Stores the results of the blocks of a share.
    ///
    /// # Safety
    ///
    /// The contract of [`Tasks::run`].
    unsafe fn store_share<B: JointBlock>(
        &self,
        blocks: &ClaimedSlice<'_, B>,
        task: usize,
        strained: &mut BitSet,
    ) {
        let mut share = self.joint_share::<B>(task).peekable();
        while let Some(index) = share.next() {
            let entries = self.joint_entries::<B>(index);
            let next = share
                .peek()
                .map_or(&[][..], |&next| self.joint_entries::<B>(next));
            // SAFETY: each joint is in one block, each block in one share, and no worker writes blocks in this stage.
            unsafe { self.store_joints(blocks.get(index), entries, next, strained) };
        }
    }

    /// Prefetches the cached manifolds of the next block while another is processed: a color's contacts are scattered
    /// in memory.
    ///
    /// # Safety
    ///
    /// No worker writes these cached manifolds meanwhile.
    pub(super) unsafe fn prefetch_manifolds(&self, entries: &[ConstraintEntry]) {
        for entry in entries {
            // SAFETY: the caller's contract.
            prefetch(unsafe { self.cached_manifolds.get(entry.place as usize) });
        }
    }

    /// # Safety
    ///
    /// No worker writes these contacts' cached manifolds or their bodies' states meanwhile.
    pub(super) unsafe fn prepare_contacts(
        &self,
        lanes: LaneWidth,
        block: &mut ContactBlock,
        entries: &[ConstraintEntry],
    ) {
        let source = BlockSource {
            cached_manifolds: &self.cached_manifolds,
            entries,
            bodies: self.bodies(),
        };
        // SAFETY: the machine has the lanes, which was checked when they were set; the rest is the caller's contract.
        unsafe { kernels::prepare_contacts(lanes, block, source) };
    }

    /// Fills a block; `next` are the joints of the one after it.
    ///
    /// # Safety
    ///
    /// No worker writes any of these joints meanwhile.
    pub(super) unsafe fn prepare_joints<B: JointBlock>(
        &self,
        block: &mut B,
        entries: &[ConstraintEntry],
        next: &[ConstraintEntry],
    ) {
        let joints = entries.iter().enumerate().map(|(i, entry)| {
            // SAFETY: the caller's contract.
            unsafe {
                self.prefetch_joint(joint_ahead(entries, next, i));
                self.joints.get(entry.place as usize)
            }
        });
        block.prepare(joints, self.bodies(), &self.settings.joints);
    }

    /// Prefetches a joint that is read soon: a color's joints are scattered in memory.
    ///
    /// # Safety
    ///
    /// No worker writes that joint meanwhile.
    unsafe fn prefetch_joint(&self, entry: Option<&ConstraintEntry>) {
        if let Some(entry) = entry {
            // SAFETY: the caller's contract.
            prefetch(unsafe { self.joints.get(entry.place as usize) });
        }
    }

    fn bodies(&self) -> BodyArrays<'_> {
        BodyArrays {
            poses: self.poses,
            sims: self.sims,
            states: self.states,
        }
    }

    /// # Safety
    ///
    /// No other worker touches these contacts' cached manifolds meanwhile.
    pub(super) unsafe fn store_contacts(
        &self,
        block: &ContactBlock,
        entries: &[ConstraintEntry],
        hits: &mut BitSet,
    ) {
        for (lane, entry) in entries.iter().enumerate() {
            let place = entry.place as usize;
            // SAFETY: the caller's contract.
            let cached_manifold = unsafe { self.cached_manifolds.get_mut(place) };
            if block.store_lane(lane, cached_manifold, self.settings.hit_speed) {
                hits.set(place);
            }
        }
    }

    /// Stores the results of a block; `next` are the joints of the one after it.
    ///
    /// # Safety
    ///
    /// No other worker touches any of these joints meanwhile.
    pub(super) unsafe fn store_joints<B: JointBlock>(
        &self,
        block: &B,
        entries: &[ConstraintEntry],
        next: &[ConstraintEntry],
        strained: &mut BitSet,
    ) {
        for (lane, entry) in entries.iter().enumerate() {
            // SAFETY: the caller's contract.
            let joint = unsafe {
                self.prefetch_joint(joint_ahead(entries, next, lane));
                self.joints.get_mut(entry.place as usize)
            };
            block.store_lane(lane, joint, &self.settings.joints);
            if joint.is_strained() {
                strained.set(entry.place as usize);
            }
        }
    }

    /// Runs a pass over blocks of one color.
    ///
    /// # Safety
    ///
    /// No other worker touches the bodies of these blocks that they may change, nor writes the others.
    pub(super) unsafe fn pass<B: Block>(&self, lanes: LaneWidth, pass: Pass, blocks: &mut [B]) {
        let body_states = BodyStateLanes::new(self.states);
        // SAFETY: the machine has the lanes, which was checked when they were set; the rest is the caller's contract.
        unsafe { kernels::run(lanes, pass, blocks, body_states, &self.settings.substep) };
    }

    /// # Safety
    ///
    /// The contract of [`Tasks::run`]: the blocks are of one color, so no two tasks touch the same body.
    unsafe fn solve(&self, pass: Pass, color: usize, task: usize) {
        let ColorBlocks { contacts, joints } = &self.colors[color];
        let [revolutes, axes, couplings] = joints;
        let mut task = task;
        // SAFETY: the caller's contract.
        unsafe {
            if let Some(range) = next_piece(&mut task, revolutes) {
                self.pass(self.settings.lanes, pass, self.revolute_blocks.slice_mut(range));
            } else if let Some(range) = next_piece(&mut task, axes) {
                self.pass(self.settings.lanes, pass, self.axes_blocks.slice_mut(range));
            } else if let Some(range) = next_piece(&mut task, couplings) {
                self.pass(self.settings.lanes, pass, self.coupling_blocks.slice_mut(range));
            } else {
                let range = piece(contacts.clone(), task, BLOCKS_PER_TASK);
                self.pass(self.settings.lanes, pass, self.contact_blocks.slice_mut(range));
            }
        }
    }

    /// # Safety
    ///
    /// The contract of [`Tasks::run`]: this is the only task of its stage.
    unsafe fn solve_overflow(&self, pass: Pass) {
        let ColorBlocks { contacts, joints } = &self.colors[OVERFLOW as usize];
        let [revolutes, axes, couplings] = joints;
        // SAFETY: no other task runs.
        unsafe {
            self.pass(
                LaneWidth::One,
                pass,
                self.revolute_blocks.slice_mut(revolutes.clone()),
            );
            self.pass(LaneWidth::One, pass, self.axes_blocks.slice_mut(axes.clone()));
            self.pass(
                LaneWidth::One,
                pass,
                self.coupling_blocks.slice_mut(couplings.clone()),
            );
            self.pass(
                LaneWidth::One,
                pass,
                self.contact_blocks.slice_mut(contacts.clone()),
            );
        }
    }
}
