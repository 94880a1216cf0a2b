//! One task of the stage of batches: takes one batch from preparing to storing, in the blocks of its worker.
#![allow(unsafe_code)]

use super::axes_block::AxesBlock;
use super::coupling_block::CouplingBlock;
use super::joint_block::JointBlock;
use super::kernels::{BodyPass, Pass};
use super::lanes::{BLOCK, LaneWidth};
use super::revolute_block::RevoluteBlock;
use super::run::{Run, RunKind};
use super::tasks::{Own, Tasks};
use crate::contact::graph::OVERFLOW;
use crate::joint::JOINT_BLOCK_KINDS;
use tombolo_handles::BitSet;

impl Tasks<'_> {
    /// Takes a batch through the whole solver.
    ///
    /// # Safety
    ///
    /// The contract of [`Tasks::run`]. The bodies and constraints of a batch are in no other.
    pub(super) unsafe fn solve_batch(&self, worker: usize, batch: usize) {
        // SAFETY: the caller's contract: the slot is the worker's own, and the bodies and constraints of the batch are
        // touched by this task alone; static bodies are never written.
        unsafe {
            let blocks = self.own.get_mut(worker);
            self.prepare_batch(batch, blocks);
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
                    self.pass_batch(Pass::WarmStart, blocks);
                }
                self.pass_batch(Pass::Solve, blocks);
                self.move_bodies(BodyPass::Advance, &mut blocks.bodies[body_blocks.clone()], bodies);
                self.pass_batch(Pass::Relax, blocks);
            }
            if self.settings.bounces {
                self.pass_batch(Pass::Restitution, blocks);
            }
            self.store_batch(batch, blocks);
        }
    }

    /// Fills a worker's blocks with a batch, and lists their runs.
    ///
    /// # Safety
    ///
    /// The contract of [`Tasks::solve_batch`].
    unsafe fn prepare_batch(&self, batch: usize, own: &mut Own) {
        let mut contacts_end = 0;
        let mut joints_end = [0; JOINT_BLOCK_KINDS];
        own.runs.clear();
        for color in self.batches.used_colors() {
            let widest = if color == OVERFLOW as usize {
                LaneWidth::One
            } else {
                self.settings.lanes
            };
            // SAFETY: the caller's contract.
            unsafe {
                self.prepare_joints_of_batch(&mut own.revolutes, &mut joints_end, (batch, color));
                self.prepare_joints_of_batch(&mut own.axes, &mut joints_end, (batch, color));
                self.prepare_joints_of_batch(&mut own.couplings, &mut joints_end, (batch, color));
            }
            for (kind, run_kind) in [
                (RevoluteBlock::KIND, RunKind::Revolutes),
                (AxesBlock::KIND, RunKind::Axes),
                (CouplingBlock::KIND, RunKind::Couplings),
            ] {
                let (count, end) = (self.batches.joints(batch, color, kind).len(), joints_end[kind]);
                let blocks = end - count.div_ceil(BLOCK)..end;
                Run::list(&mut own.runs, run_kind, blocks, count, widest);
            }
            let (contacts, start) = (self.batches.contacts(batch, color), contacts_end);
            let mut chunks = contacts.chunks(BLOCK).peekable();
            while let Some(entries) = chunks.next() {
                let lanes = self.settings.lanes.least_for(entries.len());
                // SAFETY: the caller's contract.
                unsafe {
                    self.prefetch_manifolds(chunks.peek().copied().unwrap_or_default());
                    self.prepare_contacts(lanes, &mut own.contacts[contacts_end], entries);
                }
                contacts_end += 1;
            }
            let blocks = start..contacts_end;
            Run::list(&mut own.runs, RunKind::Contacts, blocks, contacts.len(), widest);
        }
    }

    /// Fills a worker's blocks with the joints of one color of a batch, from `ends` on.
    ///
    /// # Safety
    ///
    /// The contract of [`Tasks::solve_batch`].
    unsafe fn prepare_joints_of_batch<B: JointBlock>(
        &self,
        blocks: &mut [B],
        ends: &mut [usize; JOINT_BLOCK_KINDS],
        (batch, color): (usize, usize),
    ) {
        let mut chunks = self
            .batches
            .joints(batch, color, B::KIND)
            .chunks(BLOCK)
            .peekable();
        while let Some(entries) = chunks.next() {
            let next = chunks.peek().copied().unwrap_or_default();
            // SAFETY: the caller's contract.
            unsafe { self.prepare_joints(&mut blocks[ends[B::KIND]], entries, next) };
            ends[B::KIND] += 1;
        }
    }

    /// Stores the results of a worker's blocks in the batch that they were filled with.
    ///
    /// # Safety
    ///
    /// The contract of [`Tasks::solve_batch`].
    unsafe fn store_batch(&self, batch: usize, own: &mut Own) {
        let mut contacts = own.contacts.iter();
        let mut revolutes = own.revolutes.iter();
        let mut axes = own.axes.iter();
        let mut couplings = own.couplings.iter();
        for color in self.batches.used_colors() {
            let entries = self.batches.contacts(batch, color).chunks(BLOCK);
            for (entries, block) in entries.zip(&mut contacts) {
                // SAFETY: the caller's contract.
                unsafe { self.store_contacts(block, entries, &mut own.hits) };
            }
            // SAFETY: the caller's contract.
            unsafe {
                self.store_joints_of_batch(&mut revolutes, (batch, color), &mut own.strained);
                self.store_joints_of_batch(&mut axes, (batch, color), &mut own.strained);
                self.store_joints_of_batch(&mut couplings, (batch, color), &mut own.strained);
            }
        }
    }

    /// Stores the results of the joints of one color of a batch, from the next blocks.
    ///
    /// # Safety
    ///
    /// The contract of [`Tasks::solve_batch`].
    unsafe fn store_joints_of_batch<B: JointBlock>(
        &self,
        blocks: &mut core::slice::Iter<'_, B>,
        (batch, color): (usize, usize),
        strained: &mut BitSet,
    ) {
        let mut chunks = self
            .batches
            .joints(batch, color, B::KIND)
            .chunks(BLOCK)
            .peekable();
        while let Some(entries) = chunks.next() {
            let block = blocks.next().expect("the batch was prepared with as many");
            let next = chunks.peek().copied().unwrap_or_default();
            // SAFETY: the caller's contract.
            unsafe { self.store_joints(block, entries, next, strained) };
        }
    }

    /// Runs a pass over all colors of a batch, in the order of the shared stages.
    ///
    /// # Safety
    ///
    /// The contract of [`Tasks::solve_batch`].
    unsafe fn pass_batch(&self, pass: Pass, own: &mut Own) {
        for Run { blocks, kind, lanes } in &own.runs {
            // SAFETY: the caller's contract.
            unsafe {
                match kind {
                    RunKind::Contacts => self.pass(*lanes, pass, &mut own.contacts[blocks.clone()]),
                    RunKind::Revolutes => self.pass(*lanes, pass, &mut own.revolutes[blocks.clone()]),
                    RunKind::Axes => self.pass(*lanes, pass, &mut own.axes[blocks.clone()]),
                    RunKind::Couplings => self.pass(*lanes, pass, &mut own.couplings[blocks.clone()]),
                }
            }
        }
    }
}
