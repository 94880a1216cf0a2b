//! The list of stages that the substeps are made of, and what one block of each does.
//!
//! All workers go through the list together, with one barrier between stages. A stage over a colour may run its blocks
//! in any order on any worker: no two constraints of a colour share a body that either may change. The overflow colour
//! has no such promise; it is one block that one worker runs in order, one lane wide.
#![allow(unsafe_code)]

use super::contact_block::{Bodies, ContactBlock};
use super::hinge_block::{HingeBlock, HingeSettings};
use super::integrate::Motion;
use super::kernels::{self, BlockSource, Pass, Substep};
use super::lanes::{BLOCK, LaneWidth, StateRows, prefetch};
use crate::body::{BodyPose, BodySim, BodyState};
use crate::contact::Contact;
use crate::contact::graph::{COLOUR_COUNT, ConstraintGraph, OVERFLOW};
use crate::joint::JointSim;
use crate::profile::Stage;
use alloc::vec::Vec;
use core::ops::Range;
use tombolo_threads::{ClaimedSlice, StageRunner};

/// Bodies in one block of work.
const BODIES_PER_TASK: usize = 128;

/// Contact or hinge blocks in one block of work: 64 constraints.
const BLOCKS_PER_TASK: usize = 4;

/// Contact or hinge blocks of all colours together in one block of work of the stages that go over all colours at once.
const BLOCKS_PER_SHARE: usize = 16;

/// What a stage does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// Lay contacts and hinges out in blocks.
    Prepare,
    /// Change velocities by forces.
    IntegrateVelocity,
    /// Run a pass over a colour.
    Constraints(Pass, u32),
    /// Move bodies.
    IntegratePosition,
    /// Write impulses back.
    Store,
}

impl Work {
    /// The column of the profile that the stage counts for.
    fn profile_stage(self) -> Stage {
        match self {
            Self::Prepare => Stage::Prepare,
            Self::IntegrateVelocity | Self::IntegratePosition => Stage::Integrate,
            Self::Constraints(Pass::WarmStart, _) => Stage::WarmStart,
            Self::Constraints(Pass::Solve, _) => Stage::Solve,
            Self::Constraints(Pass::Relax, _) => Stage::Relax,
            Self::Constraints(Pass::Restitution, _) => Stage::Restitution,
            Self::Store => Stage::Store,
        }
    }
}

/// The blocks of one colour among all blocks.
#[derive(Clone, Debug, Default)]
struct ColourBlocks {
    contacts: Range<usize>,
    hinges: Range<usize>,
}

impl ColourBlocks {
    fn task_count(&self) -> usize {
        self.contacts.len().div_ceil(BLOCKS_PER_TASK) + self.hinges.len().div_ceil(BLOCKS_PER_TASK)
    }
}

/// Memory of the solver, kept from step to step so that it need not be allocated.
#[derive(Debug, Default)]
pub(crate) struct SolverScratch {
    contact_blocks: Vec<ContactBlock>,
    hinge_blocks: Vec<HingeBlock>,
    /// Colour and first constraint within it, for each block.
    contact_sources: Vec<(u32, u32)>,
    hinge_sources: Vec<(u32, u32)>,
    colours: [ColourBlocks; COLOUR_COUNT],
    works: Vec<Work>,
    task_counts: Vec<u32>,
    runner: StageRunner,
}

/// All that the stages need to know of the step.
#[derive(Clone, Copy)]
pub(crate) struct SolverSettings {
    pub(crate) lanes: LaneWidth,
    pub(crate) substeps: u32,
    pub(crate) motion: Motion,
    pub(crate) substep: Substep,
    pub(crate) hinges: HingeSettings,
    /// Whether any contact may bounce.
    pub(crate) bounces: bool,
}

/// The parts of the world that the solver reads and writes.
pub(crate) struct SolverWorld<'a> {
    pub(crate) graph: &'a ConstraintGraph,
    pub(crate) contacts: &'a mut [Contact],
    pub(crate) joints: &'a mut [JointSim],
    pub(crate) poses: &'a [BodyPose],
    pub(crate) sims: &'a [BodySim],
    pub(crate) states: &'a mut [BodyState],
    pub(crate) awake_bodies: &'a [u32],
}

/// Runs all substeps of a step. `clock` is told by the calling worker which stage it enters.
pub(crate) fn run(
    scratch: &mut SolverScratch,
    world: SolverWorld<'_>,
    settings: &SolverSettings,
    executor: &dyn tombolo_threads::Executor,
    clock: &(dyn Fn(Stage) + Sync),
) {
    scratch.lay_out(world.graph);
    scratch.list_stages(world.awake_bodies.len(), settings);
    let SolverScratch {
        contact_blocks,
        hinge_blocks,
        contact_sources,
        hinge_sources,
        colours,
        works,
        task_counts,
        runner,
    } = scratch;
    let states = ClaimedSlice::new(world.states);
    let tasks = Tasks {
        graph: world.graph,
        contacts: ClaimedSlice::new(world.contacts),
        joints: ClaimedSlice::new(world.joints),
        poses: world.poses,
        sims: world.sims,
        awake_bodies: world.awake_bodies,
        states: &states,
        contact_blocks: ClaimedSlice::new(contact_blocks),
        hinge_blocks: ClaimedSlice::new(hinge_blocks),
        contact_sources,
        hinge_sources,
        colours,
        settings,
    };
    runner.run(executor, task_counts, &|worker, stage, task| {
        let work = works[stage];
        if worker == 0 {
            clock(work.profile_stage());
        }
        // SAFETY: the runner hands out each task of a stage once and has finished all stages before.
        unsafe { tasks.run(work, task) };
    });
}

impl SolverScratch {
    /// Counts the blocks of each colour and says which constraints go where.
    fn lay_out(&mut self, graph: &ConstraintGraph) {
        self.contact_sources.clear();
        self.hinge_sources.clear();
        for (index, colour) in graph.colours.iter().enumerate() {
            let blocks = &mut self.colours[index];
            let index = index as u32;
            let first = self.contact_sources.len();
            let sources = (0..colour.contacts.len())
                .step_by(BLOCK)
                .map(|source| (index, source as u32));
            self.contact_sources.extend(sources);
            blocks.contacts = first..self.contact_sources.len();
            let first = self.hinge_sources.len();
            let sources = (0..colour.joints.len())
                .step_by(BLOCK)
                .map(|source| (index, source as u32));
            self.hinge_sources.extend(sources);
            blocks.hinges = first..self.hinge_sources.len();
        }
        // Blocks beyond the old length are written before they are read; shrinking keeps the memory.
        self.contact_blocks
            .resize(self.contact_sources.len(), ContactBlock::EMPTY);
        self.hinge_blocks
            .resize(self.hinge_sources.len(), HingeBlock::EMPTY);
    }

    fn list_stages(&mut self, awake_bodies: usize, settings: &SolverSettings) {
        self.works.clear();
        self.task_counts.clear();
        let bodies = awake_bodies.div_ceil(BODIES_PER_TASK);
        let shares = share_count(self.contact_sources.len() + self.hinge_sources.len());
        self.add_stage(Work::Prepare, shares);
        for _ in 0..settings.substeps {
            self.add_stage(Work::IntegrateVelocity, bodies);
            self.add_pass(Pass::WarmStart);
            self.add_pass(Pass::Solve);
            self.add_stage(Work::IntegratePosition, bodies);
            self.add_pass(Pass::Relax);
        }
        if settings.bounces {
            self.add_pass(Pass::Restitution);
        }
        self.add_stage(Work::Store, shares);
    }

    fn add_stage(&mut self, work: Work, tasks: usize) {
        if tasks > 0 {
            self.works.push(work);
            self.task_counts.push(tasks as u32);
        }
    }

    /// One stage for each colour in use; the overflow goes first, so that the colours mend what it could not see.
    fn add_pass(&mut self, pass: Pass) {
        if self.colours[OVERFLOW as usize].task_count() > 0 {
            self.add_stage(Work::Constraints(pass, OVERFLOW), 1);
        }
        for colour in 0..OVERFLOW {
            self.add_stage(
                Work::Constraints(pass, colour),
                self.colours[colour as usize].task_count(),
            );
        }
    }
}

/// What the blocks of all stages share.
struct Tasks<'a> {
    graph: &'a ConstraintGraph,
    contacts: ClaimedSlice<'a, Contact>,
    joints: ClaimedSlice<'a, JointSim>,
    poses: &'a [BodyPose],
    sims: &'a [BodySim],
    awake_bodies: &'a [u32],
    states: &'a ClaimedSlice<'a, BodyState>,
    contact_blocks: ClaimedSlice<'a, ContactBlock>,
    hinge_blocks: ClaimedSlice<'a, HingeBlock>,
    contact_sources: &'a [(u32, u32)],
    hinge_sources: &'a [(u32, u32)],
    colours: &'a [ColourBlocks; COLOUR_COUNT],
    settings: &'a SolverSettings,
}

/// The `task`-th piece of `range`, `size` long but for the last.
fn piece(range: Range<usize>, task: usize, size: usize) -> Range<usize> {
    let start = range.start + task * size;
    start..(start + size).min(range.end)
}

/// How many shares `blocks` blocks are divided into.
fn share_count(blocks: usize) -> usize {
    blocks.div_ceil(BLOCKS_PER_SHARE)
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
    /// Each task of a stage runs once, and all stages before are done.
    unsafe fn run(&self, work: Work, task: usize) {
        // SAFETY: the caller's contract; each arm touches what belongs to this task alone.
        unsafe {
            match work {
                Work::Prepare => self.prepare(task),
                Work::Store => self.store(task),
                Work::IntegrateVelocity => self.each_body(task, |motion, sim, state| {
                    motion.integrate_velocity(sim, state);
                }),
                Work::IntegratePosition => {
                    self.each_body(task, |motion, _, state| motion.integrate_position(state))
                }
                Work::Constraints(pass, OVERFLOW) => self.solve_overflow(pass),
                Work::Constraints(pass, colour) => self.solve(pass, colour as usize, task),
            }
        }
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

    fn prepare(&self, task: usize) {
        let mut blocks = self.contact_share(task).peekable();
        while let Some(index) = blocks.next() {
            self.prepare_contacts(index, blocks.peek().copied());
        }
        self.hinge_share(task)
            .for_each(|index| self.prepare_hinges(index));
    }

    fn store(&self, task: usize) {
        let mut blocks = self.contact_share(task).peekable();
        while let Some(index) = blocks.next() {
            self.store_contacts(index, blocks.peek().copied());
        }
        self.hinge_share(task).for_each(|index| self.store_hinges(index));
    }

    /// # Safety
    ///
    /// As [`Tasks::run`]: no two tasks name the same body.
    unsafe fn each_body(&self, task: usize, move_body: impl Fn(&Motion, &BodySim, &mut BodyState)) {
        for &body in &self.awake_bodies[piece(0..self.awake_bodies.len(), task, BODIES_PER_TASK)] {
            // SAFETY: the list of awake bodies names each body once.
            let state = unsafe { self.states.get_mut(body as usize) };
            move_body(&self.settings.motion, &self.sims[body as usize], state);
        }
    }

    /// # Safety
    ///
    /// Nobody writes states while the result lives.
    unsafe fn bodies(&self) -> Bodies<'_> {
        // SAFETY: the caller's contract.
        let states = unsafe { self.states.slice(0..self.states.len()) };
        Bodies {
            poses: self.poses,
            sims: self.sims,
            states,
        }
    }

    fn contact_places(&self, block: usize) -> &[u32] {
        let (colour, first) = self.contact_sources[block];
        let places = &self.graph.colours[colour as usize].contacts;
        places.slice(piece(0..places.len(), first as usize / BLOCK, BLOCK))
    }

    fn joint_indices(&self, block: usize) -> &[u32] {
        let (colour, first) = self.hinge_sources[block];
        let indices = &self.graph.colours[colour as usize].joints;
        indices.slice(piece(0..indices.len(), first as usize / BLOCK, BLOCK))
    }

    /// Fetches the contacts of the next block while this one is worked on: a colour's contacts lie apart.
    fn fetch_contacts(&self, next: Option<usize>) {
        for &place in next.into_iter().flat_map(|index| self.contact_places(index)) {
            // SAFETY: the next block is of this task too, which alone may write its contacts and does not now.
            prefetch(unsafe { self.contacts.get(place as usize) });
        }
    }

    fn prepare_contacts(&self, index: usize, next: Option<usize>) {
        self.fetch_contacts(next);
        // SAFETY: each block is prepared by one task; nobody writes contacts or states in this stage; the machine has
        // the lanes.
        unsafe {
            let contacts = self.contacts.slice(0..self.contacts.len());
            let source = BlockSource {
                contacts,
                places: self.contact_places(index),
                bodies: self.bodies(),
            };
            kernels::prepare_contacts(self.settings.lanes, self.contact_blocks.get_mut(index), source);
        }
    }

    fn prepare_hinges(&self, index: usize) {
        // SAFETY: each block is prepared by one task; nobody writes joints or states in this stage.
        let (block, joints, bodies) = unsafe {
            (
                self.hinge_blocks.get_mut(index),
                self.joints.slice(0..self.joints.len()),
                self.bodies(),
            )
        };
        block.prepare(joints, self.joint_indices(index), bodies, &self.settings.hinges);
    }

    fn store_contacts(&self, index: usize, next: Option<usize>) {
        self.fetch_contacts(next);
        // SAFETY: nobody writes blocks in this stage.
        let block = unsafe { self.contact_blocks.get(index) };
        for (lane, &place) in self.contact_places(index).iter().enumerate() {
            // SAFETY: a contact is in one place of one colour.
            block.store_lane(lane, unsafe { self.contacts.get_mut(place as usize) });
        }
    }

    fn store_hinges(&self, index: usize) {
        // SAFETY: nobody writes blocks in this stage.
        let block = unsafe { self.hinge_blocks.get(index) };
        for (lane, &joint) in self.joint_indices(index).iter().enumerate() {
            // SAFETY: a joint is in one place of one colour.
            block.store_lane(lane, unsafe { self.joints.get_mut(joint as usize) });
        }
    }

    /// # Safety
    ///
    /// As [`Tasks::run`]: the blocks are of one colour, so no two tasks touch the same body.
    unsafe fn solve(&self, pass: Pass, colour: usize, task: usize) {
        let ColourBlocks { contacts, hinges } = &self.colours[colour];
        let hinge_tasks = hinges.len().div_ceil(BLOCKS_PER_TASK);
        let (lanes, rows) = (self.settings.lanes, StateRows::new(self.states));
        // SAFETY: the machine has the lanes, which was checked when they were set; the rest is the caller's contract.
        unsafe {
            if task < hinge_tasks {
                let blocks = self
                    .hinge_blocks
                    .slice_mut(piece(hinges.clone(), task, BLOCKS_PER_TASK));
                kernels::run(lanes, pass, blocks, rows, &self.settings.substep);
            } else {
                let range = piece(contacts.clone(), task - hinge_tasks, BLOCKS_PER_TASK);
                kernels::run(
                    lanes,
                    pass,
                    self.contact_blocks.slice_mut(range),
                    rows,
                    &self.settings.substep,
                );
            }
        }
    }

    /// # Safety
    ///
    /// As [`Tasks::run`]: this is the only task of its stage.
    unsafe fn solve_overflow(&self, pass: Pass) {
        let ColourBlocks { contacts, hinges } = &self.colours[OVERFLOW as usize];
        let rows = StateRows::new(self.states);
        // SAFETY: one lane is always there, and nobody else runs.
        unsafe {
            let hinges = self.hinge_blocks.slice_mut(hinges.clone());
            kernels::run(LaneWidth::One, pass, hinges, rows, &self.settings.substep);
            let contacts = self.contact_blocks.slice_mut(contacts.clone());
            kernels::run(LaneWidth::One, pass, contacts, rows, &self.settings.substep);
        }
    }
}
