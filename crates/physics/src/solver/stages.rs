//! The stages of the substeps; one task of each is in `tasks.rs`.
//!
//! All workers execute the list together, with one barrier between stages. First come the batches, small islands that
//! one worker takes through all substeps alone; then the shared bodies and constraints. A stage over a color may run
//! its blocks in any order on any worker: no two constraints of a color share a body that either may change. The
//! overflow has no such guarantee; it is one block that one worker runs in order, one lane wide.
#![allow(unsafe_code)]

use super::axes_block::AxesBlock;
use super::batches::{Batches, BlockCounts, Portion};
use super::body_block::BodyBlock;
use super::contact_block::ContactBlock;
use super::coupling_block::CouplingBlock;
use super::joint_block::JointBlock;
use super::kernels::{BodyPass, Pass};
use super::lanes::BLOCK;
use super::revolute_block::RevoluteBlock;
use super::tasks::{Own, Shared, Tasks, fit};
use super::work::{BODY_BLOCKS_PER_TASK, ColorBlocks, SolverSettings, Work, share_count};
use crate::body::{BodyPose, BodySim, BodyState};
use crate::contact::CachedManifold;
use crate::contact::graph::{COLOR_COUNT, ConstraintEntry, ConstraintGraph, OVERFLOW};
use crate::control::BodyControl;
use crate::joint::JOINT_BLOCK_KINDS;
use crate::joint::JointSim;
use crate::profile::Stage;
use alloc::vec::Vec;
use core::array::from_fn;
use tombolo_threads::{ClaimedSlice, PerWorker, StageRunner};

/// Scratch memory of the solver, kept from step to step to avoid allocation.
#[derive(Debug, Default)]
pub(crate) struct SolverScratch {
    body_blocks: Vec<BodyBlock>,
    contact_blocks: Vec<ContactBlock>,
    revolute_blocks: Vec<RevoluteBlock>,
    axes_blocks: Vec<AxesBlock>,
    coupling_blocks: Vec<CouplingBlock>,
    /// The color, and the first constraint within it, of each block.
    contact_sources: Vec<(u32, u32)>,
    joint_sources: [Vec<(u32, u32)>; JOINT_BLOCK_KINDS],
    colors: [ColorBlocks; COLOR_COUNT],
    /// The colors that have shared blocks, each with its number of tasks in a pass, in the order in which they are
    /// solved.
    used_colors: Vec<(u32, u32)>,
    stages: Vec<Work>,
    task_counts: Vec<u32>,
    runner: StageRunner,
    own: Option<PerWorker<Own>>,
}

/// The parts of the world that the solver reads and writes.
pub(crate) struct SolverWorld<'a> {
    pub(crate) graph: &'a ConstraintGraph,
    pub(crate) batches: &'a Batches,
    /// The portion of the world that is solved in this run.
    pub(crate) portion: Portion,
    pub(crate) cached_manifolds: &'a mut [CachedManifold],
    pub(crate) joints: &'a mut [JointSim],
    pub(crate) poses: &'a [BodyPose],
    pub(crate) sims: &'a [BodySim],
    pub(crate) controls: &'a [BodyControl],
    pub(crate) states: &'a mut [BodyState],
    pub(crate) awake_bodies: &'a [u32],
}

/// Runs all substeps of a portion of the world, and returns the number of stages. `clock` receives from the calling
/// worker each stage that it enters.
pub(crate) fn run(
    scratch: &mut SolverScratch,
    world: SolverWorld<'_>,
    settings: &SolverSettings,
    executor: &dyn tombolo_threads::Executor,
    clock: &(dyn Fn(Stage) + Sync),
) -> u32 {
    let shared = Shared::new(&world);
    let shared = shared.as_ref().unwrap_or(&Shared::NONE);
    scratch.lay_out(shared);
    scratch.list_stages(world.portion.batches.len(), settings);
    scratch.fit_workers(
        world
            .batches
            .block_counts_max(world.portion.batches.clone(), executor),
        [world.cached_manifolds.len(), world.joints.len()],
        executor.worker_count(),
    );
    let SolverScratch {
        body_blocks,
        contact_blocks,
        revolute_blocks,
        axes_blocks,
        coupling_blocks,
        contact_sources,
        joint_sources,
        colors,
        stages,
        task_counts,
        runner,
        own,
        used_colors: _,
    } = scratch;
    let states = ClaimedSlice::new(world.states);
    let tasks = Tasks {
        batches: world.batches,
        first_batch: world.portion.batches.start,
        shared,
        cached_manifolds: ClaimedSlice::new(world.cached_manifolds),
        joints: ClaimedSlice::new(world.joints),
        poses: world.poses,
        sims: world.sims,
        controls: world.controls,
        states: &states,
        body_blocks: ClaimedSlice::new(body_blocks),
        contact_blocks: ClaimedSlice::new(contact_blocks),
        revolute_blocks: ClaimedSlice::new(revolute_blocks),
        axes_blocks: ClaimedSlice::new(axes_blocks),
        coupling_blocks: ClaimedSlice::new(coupling_blocks),
        own: own.as_ref().expect("made by `fit_workers`"),
        contact_sources,
        joint_sources,
        colors,
        settings,
    };
    runner.run(executor, task_counts, &|worker, stage, task| {
        let work = stages[stage];
        if worker == 0 {
            clock(work.profile_stage());
        }
        // SAFETY: the runner starts each task of a stage once, with the worker's own number, and has finished all
        // stages before.
        unsafe { tasks.run(work, worker, task) };
    });
    stages.len() as u32
}

impl<'a> Shared<'a> {
    const NONE: Self = Self {
        bodies: &[],
        contacts: [&[]; COLOR_COUNT],
        joints: [[&[]; COLOR_COUNT]; JOINT_BLOCK_KINDS],
    };

    /// The bodies and constraints that are in no batch, or `None` if there are none. Every constraint has a body that it
    /// may change: if all those bodies are in batches, so are the constraints, and no color is read.
    fn new(world: &SolverWorld<'a>) -> Option<Self> {
        let SolverWorld { batches, graph, .. } = world;
        let shared = &world.portion.shared;
        if shared.is_empty() {
            return None;
        }
        let bodies = batches.shared_bodies(shared, world.awake_bodies);
        let contacts = |color| batches.shared_contacts(shared, graph, color);
        let joints = |kind, color| batches.shared_joints(shared, graph, (color, kind));
        if bodies.is_empty() {
            debug_assert!(
                (0..COLOR_COUNT).all(|color| {
                    contacts(color).is_empty()
                        && (0..JOINT_BLOCK_KINDS).all(|kind| joints(kind, color).is_empty())
                }),
                "constraints have bodies"
            );
            return None;
        }
        Some(Self {
            bodies,
            contacts: from_fn(contacts),
            joints: from_fn(|kind| from_fn(|color| joints(kind, color))),
        })
    }
}

impl SolverScratch {
    /// Appends the places of the contacts whose hits in the last run were harder than the settings' speed.
    pub(crate) fn list_hits(&mut self, places: &mut Vec<u32>) {
        for own in self.own.iter_mut().flat_map(PerWorker::iter_mut) {
            places.extend(own.hits.iter().map(|place| place as u32));
        }
    }

    /// Appends the indices of the joints whose thresholds were exceeded in the last run.
    pub(crate) fn list_strained(&mut self, indices: &mut Vec<u32>) {
        for own in self.own.iter_mut().flat_map(PerWorker::iter_mut) {
            indices.extend(own.strained.iter().map(|joint| joint as u32));
        }
    }

    /// The number of tasks of each stage of the last run.
    pub(crate) fn task_counts(&self) -> &[u32] {
        &self.task_counts
    }

    /// Counts the blocks of each color and assigns constraints to them.
    fn lay_out(&mut self, shared: &Shared<'_>) {
        self.contact_sources.clear();
        self.joint_sources.iter_mut().for_each(Vec::clear);
        self.used_colors.clear();
        self.body_blocks
            .resize(shared.bodies.len().div_ceil(BLOCK), BodyBlock::EMPTY);
        if shared.bodies.is_empty() {
            self.colors.fill(ColorBlocks::default());
            return;
        }
        for (index, blocks) in self.colors.iter_mut().enumerate() {
            let sources = |entries: &[ConstraintEntry]| {
                let firsts = (0..entries.len()).step_by(BLOCK);
                firsts.map(move |first| (index as u32, first as u32))
            };
            let first = self.contact_sources.len();
            self.contact_sources.extend(sources(shared.contacts[index]));
            blocks.contacts = first..self.contact_sources.len();
            for (kind, list) in self.joint_sources.iter_mut().enumerate() {
                let first = list.len();
                list.extend(sources(shared.joints[kind][index]));
                blocks.joints[kind] = first..list.len();
            }
        }
        self.list_used_colors();
        // All blocks in use are written before they are read, whatever an earlier step left in them.
        fit(
            &mut self.contact_blocks,
            self.contact_sources.len(),
            ContactBlock::EMPTY,
        );
        fit(
            &mut self.revolute_blocks,
            self.joint_sources[RevoluteBlock::KIND].len(),
            RevoluteBlock::EMPTY,
        );
        fit(
            &mut self.axes_blocks,
            self.joint_sources[AxesBlock::KIND].len(),
            AxesBlock::EMPTY,
        );
        fit(
            &mut self.coupling_blocks,
            self.joint_sources[CouplingBlock::KIND].len(),
            CouplingBlock::EMPTY,
        );
    }

    /// Makes room for the blocks of the largest batch and for marks of that many contacts and joints at every worker.
    fn fit_workers(&mut self, counts: BlockCounts, constraints: [usize; 2], worker_count: usize) {
        let kept = self.own.take();
        let mut own = match kept {
            Some(own) if own.worker_count() == worker_count => own,
            _ => PerWorker::new(worker_count, Own::default),
        };
        own.iter_mut().for_each(|own| own.fit(counts, constraints));
        self.own = Some(own);
    }

    fn list_stages(&mut self, batches: usize, settings: &SolverSettings) {
        self.stages.clear();
        self.task_counts.clear();
        self.add_stage(Work::Batches, batches);
        let bodies = self.body_blocks.len().div_ceil(BODY_BLOCKS_PER_TASK);
        let shares = share_count(&self.contact_sources, &self.joint_sources);
        self.add_stage(Work::Prepare, shares);
        for substep in 0..settings.substeps {
            if substep == 0 {
                self.add_stage(Work::Bodies(BodyPass::Start), bodies);
                self.add_pass(Pass::WarmStart);
            } else {
                self.add_stage(Work::Bodies(BodyPass::StartWarm), bodies);
            }
            self.add_pass(Pass::Solve);
            self.add_stage(Work::Bodies(BodyPass::Advance), bodies);
            self.add_pass(Pass::Relax);
        }
        if settings.bounces {
            self.add_pass(Pass::Restitution);
        }
        self.add_stage(Work::Store, shares);
    }

    fn add_stage(&mut self, work: Work, tasks: usize) {
        if tasks > 0 {
            self.stages.push(work);
            self.task_counts.push(tasks as u32);
        }
    }

    /// The overflow goes first, so that the colors correct its errors.
    fn list_used_colors(&mut self) {
        let tasks = |color: u32| self.colors[color as usize].task_count() as u32;
        self.used_colors.push((OVERFLOW, tasks(OVERFLOW).min(1)));
        self.used_colors
            .extend((0..OVERFLOW).map(|color| (color, tasks(color))));
        self.used_colors.retain(|&(_, tasks)| tasks > 0);
    }

    /// Adds one stage for each color in use.
    fn add_pass(&mut self, pass: Pass) {
        for &(color, tasks) in &self.used_colors {
            self.stages.push(Work::Constraints(pass, color));
            self.task_counts.push(tasks);
        }
    }
}
