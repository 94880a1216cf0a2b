//! [`Tasks`]: what one task of each stage of the solver does; the list of stages is in `stages.rs`.
//!
//! A task of a shared stage works on some blocks or bodies of that stage. A task of the batches takes one batch from
//! preparing to storing, in blocks of its worker's own.
#![allow(unsafe_code)]

use super::batches::{Batches, BlockCounts};
use super::body_block::BodyBlock;
use super::contact_block::{Bodies, ContactBlock};
use super::hinge_block::HingeBlock;
use super::kernels::{self, Block, BlockSource, BodyPass, Pass};
use super::lanes::{BLOCK, LaneWidth, StateRows, prefetch};
use super::stages::{BLOCKS_PER_TASK, BODY_BLOCKS_PER_TASK, ColourBlocks, SolverSettings, Work, share_count};
use crate::body::{BodyPose, BodySim, BodyState};
use crate::contact::Patch;
use crate::contact::graph::{COLOUR_COUNT, Entry, OVERFLOW};
use crate::joint::JointSim;
use alloc::vec::Vec;
use core::array::from_fn;
use core::ops::Range;
use tombolo_handles::BitSet;
use tombolo_threads::{ClaimedSlice, PerWorker};

/// What the tasks of all stages share.
pub(super) struct Tasks<'a> {
    pub(super) batches: &'a Batches,
    pub(super) shared: Shared<'a>,
    pub(super) patches: ClaimedSlice<'a, Patch>,
    pub(super) joints: ClaimedSlice<'a, JointSim>,
    pub(super) poses: &'a [BodyPose],
    pub(super) sims: &'a [BodySim],
    pub(super) states: &'a ClaimedSlice<'a, BodyState>,
    pub(super) body_blocks: ClaimedSlice<'a, BodyBlock>,
    pub(super) contact_blocks: ClaimedSlice<'a, ContactBlock>,
    pub(super) hinge_blocks: ClaimedSlice<'a, HingeBlock>,
    pub(super) own: &'a PerWorker<Own>,
    /// Colour and first constraint within it, for each shared block.
    pub(super) contact_sources: &'a [(u32, u32)],
    pub(super) hinge_sources: &'a [(u32, u32)],
    pub(super) colours: &'a [ColourBlocks; COLOUR_COUNT],
    pub(super) settings: &'a SolverSettings,
}

/// What all workers solve together.
pub(super) struct Shared<'a> {
    pub(super) bodies: &'a [u32],
    pub(super) contacts: [&'a [Entry]; COLOUR_COUNT],
    pub(super) joints: [&'a [Entry]; COLOUR_COUNT],
}

/// What a worker has for itself: the blocks of the batch that it is at, and the hard hits that it saw.
#[derive(Debug, Default)]
pub(super) struct Own {
    bodies: Vec<BodyBlock>,
    contacts: Vec<ContactBlock>,
    hinges: Vec<HingeBlock>,
    /// By place in the array of contacts.
    pub(super) hits: BitSet,
}

impl Own {
    /// Makes room for so many blocks, whose new ones hold nothing that means anything, and for hits of so many contacts.
    pub(super) fn fit(&mut self, counts: BlockCounts, contacts: usize) {
        fit(&mut self.bodies, counts.bodies, BodyBlock::EMPTY);
        fit(&mut self.contacts, counts.contacts, ContactBlock::EMPTY);
        fit(&mut self.hinges, counts.hinges, HingeBlock::EMPTY);
        self.hits.reset(contacts);
    }
}

/// Makes room for `count` blocks at least: what is never shortened need not be filled again when it grows.
pub(super) fn fit<T: Copy>(blocks: &mut Vec<T>, count: usize, empty: T) {
    if blocks.len() < count {
        blocks.resize(count, empty);
    }
}

/// The `task`-th piece of `range`, `size` long but for the last.
fn piece(range: Range<usize>, task: usize, size: usize) -> Range<usize> {
    let start = range.start + task * size;
    start..(start + size).min(range.end)
}

/// The `index`-th of `count` shares of `range`: adjacent, and alike in length to one.
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
        // SAFETY: the caller's contract; each arm touches what belongs to this task alone.
        unsafe {
            match work {
                Work::Batches => self.solve_batch(worker, task),
                Work::Prepare => self.prepare(task),
                Work::Store => self.store(worker, task),
                Work::Bodies(pass) => self.move_shared(pass, task),
                Work::Constraints(pass, OVERFLOW) => self.solve_overflow(pass),
                Work::Constraints(pass, colour) => self.solve(pass, colour as usize, task),
            }
        }
    }

    /// # Safety
    ///
    /// As [`Tasks::run`].
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
    /// The bodies are different ones, and nobody else touches them.
    unsafe fn move_bodies(&self, pass: BodyPass, blocks: &mut [BodyBlock], bodies: &[u32]) {
        let SolverSettings { lanes, motion, .. } = self.settings;
        // Sixteen roots and quotients at once took longer than twice eight: 1.2 times in five of six scenes.
        let lanes = (*lanes).min(LaneWidth::Eight);
        let rows = StateRows::new(self.states);
        // SAFETY: the machine has the lanes, which was checked when they were set; the rest is the caller's contract.
        unsafe {
            if pass == BodyPass::Start {
                kernels::prepare_bodies(lanes, blocks, bodies, self.sims, motion);
            }
            kernels::run_bodies(lanes, pass, blocks, rows, motion);
        }
    }

    fn contact_entries(&self, block: usize) -> &[Entry] {
        let (colour, first) = self.contact_sources[block];
        let entries = self.shared.contacts[colour as usize];
        &entries[piece(0..entries.len(), first as usize / BLOCK, BLOCK)]
    }

    fn joint_entries(&self, block: usize) -> &[Entry] {
        let (colour, first) = self.hinge_sources[block];
        let entries = self.shared.joints[colour as usize];
        &entries[piece(0..entries.len(), first as usize / BLOCK, BLOCK)]
    }

    /// The blocks of a share of all colours. A colour's constraints are in the order in which they came, mostly that of
    /// their places, so that the shares of all colours touch the same contacts and bodies while those are in the cache.
    fn contact_share(&self, task: usize) -> impl Iterator<Item = usize> {
        let count = share_count(self.contact_sources.len() + self.hinge_sources.len());
        let colours = self.colours.iter();
        colours.flat_map(move |colour| share(&colour.contacts, task, count))
    }

    /// As [`Tasks::contact_share`].
    fn hinge_share(&self, task: usize) -> impl Iterator<Item = usize> {
        let count = share_count(self.contact_sources.len() + self.hinge_sources.len());
        let colours = self.colours.iter();
        colours.flat_map(move |colour| share(&colour.hinges, task, count))
    }

    /// # Safety
    ///
    /// As [`Tasks::run`].
    unsafe fn prepare(&self, task: usize) {
        let mut blocks = self.contact_share(task).peekable();
        while let Some(index) = blocks.next() {
            // SAFETY: each block is in one share, and nobody writes patches or states in this stage.
            unsafe {
                if let Some(&next) = blocks.peek() {
                    self.fetch_patches(self.contact_entries(next));
                }
                self.prepare_contacts(self.contact_blocks.get_mut(index), self.contact_entries(index));
            }
        }
        for index in self.hinge_share(task) {
            // SAFETY: each block is in one share, and nobody writes joints in this stage.
            unsafe { self.prepare_hinges(self.hinge_blocks.get_mut(index), self.joint_entries(index)) };
        }
    }

    /// # Safety
    ///
    /// As [`Tasks::run`].
    unsafe fn store(&self, worker: usize, task: usize) {
        // SAFETY: the caller's contract: the place is the worker's own.
        let hits = unsafe { &mut self.own.get_mut(worker).hits };
        let mut blocks = self.contact_share(task).peekable();
        while let Some(index) = blocks.next() {
            // SAFETY: each constraint is in one block, each block in one share, and nobody writes blocks in this stage.
            unsafe {
                if let Some(&next) = blocks.peek() {
                    self.fetch_patches(self.contact_entries(next));
                }
                self.store_contacts(self.contact_blocks.get(index), self.contact_entries(index), hits);
            }
        }
        for index in self.hinge_share(task) {
            // SAFETY: as above.
            unsafe { self.store_hinges(self.hinge_blocks.get(index), self.joint_entries(index)) };
        }
    }

    /// Fetches the patches of the next block while another is worked on: a colour's contacts lie apart.
    ///
    /// # Safety
    ///
    /// Nobody writes these patches meanwhile.
    unsafe fn fetch_patches(&self, entries: &[Entry]) {
        for entry in entries {
            // SAFETY: the caller's contract.
            prefetch(unsafe { self.patches.get(entry.place as usize) });
        }
    }

    /// # Safety
    ///
    /// Nobody writes these contacts' patches or their bodies' states meanwhile.
    unsafe fn prepare_contacts(&self, block: &mut ContactBlock, entries: &[Entry]) {
        let source = BlockSource {
            patches: &self.patches,
            entries,
            bodies: self.bodies(),
        };
        // SAFETY: the machine has the lanes, which was checked when they were set; the rest is the caller's contract.
        unsafe { kernels::prepare_contacts(self.settings.lanes, block, source) };
    }

    /// # Safety
    ///
    /// Nobody writes these joints meanwhile.
    unsafe fn prepare_hinges(&self, block: &mut HingeBlock, entries: &[Entry]) {
        // SAFETY: the caller's contract.
        let joints = entries
            .iter()
            .map(|entry| unsafe { self.joints.get(entry.place as usize) });
        block.prepare(joints, self.bodies(), &self.settings.hinges);
    }

    fn bodies(&self) -> Bodies<'_> {
        Bodies {
            poses: self.poses,
            sims: self.sims,
            states: self.states,
        }
    }

    /// # Safety
    ///
    /// Nobody else touches these contacts' patches meanwhile.
    unsafe fn store_contacts(&self, block: &ContactBlock, entries: &[Entry], hits: &mut BitSet) {
        for (lane, entry) in entries.iter().enumerate() {
            let place = entry.place as usize;
            // SAFETY: the caller's contract.
            let patch = unsafe { self.patches.get_mut(place) };
            if block.store_lane(lane, patch, self.settings.hit_speed) {
                hits.set(place);
            }
        }
    }

    /// # Safety
    ///
    /// Nobody else touches these joints meanwhile.
    unsafe fn store_hinges(&self, block: &HingeBlock, entries: &[Entry]) {
        for (lane, entry) in entries.iter().enumerate() {
            // SAFETY: the caller's contract.
            block.store_lane(lane, unsafe { self.joints.get_mut(entry.place as usize) });
        }
    }

    /// Runs a pass over blocks of one colour.
    ///
    /// # Safety
    ///
    /// No other worker touches the bodies of these blocks that they may change, nor writes the others.
    unsafe fn pass<B: Block>(&self, lanes: LaneWidth, pass: Pass, blocks: &mut [B]) {
        let rows = StateRows::new(self.states);
        // SAFETY: the machine has the lanes, which was checked when they were set; the rest is the caller's contract.
        unsafe { kernels::run(lanes, pass, blocks, rows, &self.settings.substep) };
    }

    /// # Safety
    ///
    /// As [`Tasks::run`]: the blocks are of one colour, so no two tasks touch the same body.
    unsafe fn solve(&self, pass: Pass, colour: usize, task: usize) {
        let ColourBlocks { contacts, hinges } = &self.colours[colour];
        let hinge_tasks = hinges.len().div_ceil(BLOCKS_PER_TASK);
        // SAFETY: the caller's contract.
        unsafe {
            if task < hinge_tasks {
                let range = piece(hinges.clone(), task, BLOCKS_PER_TASK);
                self.pass(self.settings.lanes, pass, self.hinge_blocks.slice_mut(range));
            } else {
                let range = piece(contacts.clone(), task - hinge_tasks, BLOCKS_PER_TASK);
                self.pass(self.settings.lanes, pass, self.contact_blocks.slice_mut(range));
            }
        }
    }

    /// # Safety
    ///
    /// As [`Tasks::run`]: this is the only task of its stage.
    unsafe fn solve_overflow(&self, pass: Pass) {
        let ColourBlocks { contacts, hinges } = &self.colours[OVERFLOW as usize];
        // SAFETY: nobody else runs.
        unsafe {
            self.pass(LaneWidth::One, pass, self.hinge_blocks.slice_mut(hinges.clone()));
            self.pass(
                LaneWidth::One,
                pass,
                self.contact_blocks.slice_mut(contacts.clone()),
            );
        }
    }

    /// Takes a batch through the whole solver.
    ///
    /// # Safety
    ///
    /// As [`Tasks::run`]. The bodies and constraints of a batch are in no other.
    unsafe fn solve_batch(&self, worker: usize, batch: usize) {
        // SAFETY: the caller's contract: the place is the worker's own, and what the batch holds is touched by this task
        // alone; static bodies are written by nobody.
        unsafe {
            let blocks = self.own.get_mut(worker);
            let colours = self.prepare_batch(batch, blocks);
            let bodies = self.batches.bodies(batch);
            let body_blocks = 0..bodies.len().div_ceil(BLOCK);
            for substep in 0..self.settings.substeps {
                let start = if substep == 0 {
                    BodyPass::Start
                } else {
                    BodyPass::StartWarm
                };
                self.move_bodies(start, &mut blocks.bodies[body_blocks.clone()], bodies);
                if substep == 0 {
                    self.pass_batch(Pass::WarmStart, &colours, blocks);
                }
                self.pass_batch(Pass::Solve, &colours, blocks);
                self.move_bodies(BodyPass::Advance, &mut blocks.bodies[body_blocks.clone()], bodies);
                self.pass_batch(Pass::Relax, &colours, blocks);
            }
            if self.settings.bounces {
                self.pass_batch(Pass::Restitution, &colours, blocks);
            }
            for (colour, ranges) in colours.iter().enumerate() {
                let entries = self.batches.contacts(batch, colour).chunks(BLOCK);
                for (block, entries) in blocks.contacts[ranges.contacts.clone()].iter().zip(entries) {
                    self.store_contacts(block, entries, &mut blocks.hits);
                }
                let entries = self.batches.joints(batch, colour).chunks(BLOCK);
                for (block, entries) in blocks.hinges[ranges.hinges.clone()].iter().zip(entries) {
                    self.store_hinges(block, entries);
                }
            }
        }
    }

    /// Fills a worker's blocks with a batch, and says which are of which colour.
    ///
    /// # Safety
    ///
    /// As [`Tasks::solve_batch`].
    unsafe fn prepare_batch(&self, batch: usize, blocks: &mut Own) -> [ColourBlocks; COLOUR_COUNT] {
        let (mut contacts_end, mut hinges_end) = (0, 0);
        from_fn(|colour| {
            let (contacts, hinges) = (contacts_end, hinges_end);
            let mut chunks = self.batches.contacts(batch, colour).chunks(BLOCK).peekable();
            while let Some(entries) = chunks.next() {
                // SAFETY: the caller's contract.
                unsafe {
                    self.fetch_patches(chunks.peek().copied().unwrap_or_default());
                    self.prepare_contacts(&mut blocks.contacts[contacts_end], entries);
                }
                contacts_end += 1;
            }
            for entries in self.batches.joints(batch, colour).chunks(BLOCK) {
                // SAFETY: the caller's contract.
                unsafe { self.prepare_hinges(&mut blocks.hinges[hinges_end], entries) };
                hinges_end += 1;
            }
            ColourBlocks {
                contacts: contacts..contacts_end,
                hinges: hinges..hinges_end,
            }
        })
    }

    /// Runs a pass over all colours of a batch, in the order of the shared stages.
    ///
    /// # Safety
    ///
    /// As [`Tasks::solve_batch`].
    unsafe fn pass_batch(&self, pass: Pass, colours: &[ColourBlocks; COLOUR_COUNT], blocks: &mut Own) {
        let overflow = core::iter::once((LaneWidth::One, &colours[OVERFLOW as usize]));
        let others = colours[..OVERFLOW as usize].iter();
        for (lanes, ColourBlocks { contacts, hinges }) in
            overflow.chain(others.map(|colour| (self.settings.lanes, colour)))
        {
            // SAFETY: the caller's contract.
            unsafe {
                self.pass(lanes, pass, &mut blocks.hinges[hinges.clone()]);
                self.pass(lanes, pass, &mut blocks.contacts[contacts.clone()]);
            }
        }
    }
}
