//! [`Batches`]: whole small islands packed together, so that one worker can take each batch through all substeps
//! alone.
//!
//! Islands share no body that any constraint may change, so a batch has no dependencies: no barriers, and its data
//! stays in the cache of one core. Large islands, islands that a kinematic body touches (it moves within the substeps,
//! for all of them alike) and kinematic bodies themselves are *shared*: all workers solve them together, color by
//! color. A batch processes colors in the same order, so the result does not depend on which islands are batched
//! together.
//!
//! Bodies that are solved in more substeps (`connected.rs`) are not in the batches of their islands. Each group of them
//! is a [`Portion`] of its own, all others are one: the solver runs once for each. Kinematic bodies are in all of them.
//!
//! With several workers, what is shared is sorted too, by chunk (`chunks.rs`), unless its lists are nearly in that order. No
//! result depends on the order within a color; the overflow, whose constraints may share bodies, keeps its own.
//!
//! This file packs islands and numbers bodies and constraints by batch; `groups.rs` and `constraint_groups.rs` sort them,
//! `tasks.rs` solves them. The data is rebuilt in each step.
#![allow(unsafe_code)]

use super::chunks::Chunks;
use super::constraint_groups::{ConstraintGroups, PARALLEL_SORT_MIN};
use super::groups::Groups;
use crate::body::READ_ONLY;
use crate::contact::graph::{ConstraintEntry, ConstraintGraph};
use crate::joint::JOINT_BLOCK_KINDS;
use crate::solver::connected::ConnectedSets;
use crate::solver::lanes::BLOCK;
use crate::state::State;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};
use tombolo_threads::{ClaimedSlice, Executor, parallel_chunks, parallel_for};

/// The batch index of islands that are in no batch, and of bodies that a constraint may not change: greater than any
/// other.
const SHARED: u32 = u32::MAX;

/// The number of bodies whose islands are looked up in one block of work: a few microseconds.
const BODIES_PER_BLOCK: usize = 1024;

/// The number of awake islands that are packed in one block of work: the last batch of a block is not filled further.
const ISLANDS_PER_BLOCK: usize = 1024;

/// The number of batches whose blocks are counted in one block of work.
const BATCHES_PER_BLOCK: usize = 16;

/// The batch of each island, and bodies and constraints sorted by batch.
///
/// Batches are numbered from 0; then come the chunks of the shared part, then the groups that are solved in more substeps.
#[derive(Debug, Default)]
pub(crate) struct Batches {
    count: u32,
    /// The number of chunks of the shared part, and of indices of bodies in each.
    chunks: Chunks,
    sorted: Sorted,
    /// The batch of each awake island, in the order of their list: [`ISLANDS_PER_BLOCK`] times its block, plus the number
    /// within the block.
    of_island: Vec<u32>,
    /// The batches of each block of awake islands.
    island_blocks: Vec<IslandBlock>,
    /// The number that each awake body is sorted by, by body index; entries of others are not valid.
    of_body: Box<[MaybeUninit<u32>]>,
    /// The bodies of each group that is solved in more substeps, and the kinematic ones.
    extra_bodies: Vec<Vec<u32>>,
    /// The place of the island of each awake body in the list of awake islands, in the order of the list of bodies,
    /// [`SHARED`] for one that is in none; then the number that its body is sorted by.
    islands: Vec<u32>,
    /// Whether any of the bodies of each [`BODIES_PER_BLOCK`] is in no island.
    are_some_in_none: Vec<bool>,
    bodies: Groups<u32>,
    /// Scratch memory of sorting the bodies.
    body_counts: Vec<u32>,
    constraints: ConstraintGroups,
}

/// What was sorted in this step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sorted {
    /// Nothing: all is shared, in the order of its lists.
    #[default]
    Nothing,
    /// Constraints, by chunk: all is shared.
    Constraints,
    /// Bodies and constraints, by batch.
    All,
}

/// The batches that were packed from a block of awake islands.
#[derive(Clone, Copy, Debug, Default)]
struct IslandBlock {
    /// The number of batches; then the number of those of the blocks before.
    batches: u32,
    /// The number of bodies in islands that fit into a batch.
    small: u32,
}

/// The part of the world that one run of the solver solves.
#[derive(Clone, Debug)]
pub(crate) struct Portion {
    /// The batches, each of which one worker takes through all substeps alone.
    pub(crate) batches: Range<usize>,
    /// The groups of the shared part, the bodies and constraints that all workers solve together; empty without one.
    pub(crate) shared: Range<usize>,
}

/// The number of blocks of each kind: of bodies, of contacts, and of joints by kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockCounts([usize; 2 + JOINT_BLOCK_KINDS]);

impl BlockCounts {
    pub(crate) fn bodies(&self) -> usize {
        self.0[0]
    }

    pub(crate) fn contacts(&self) -> usize {
        self.0[1]
    }

    /// The blocks of joints of one kind.
    pub(crate) fn joints(&self, kind: usize) -> usize {
        self.0[2 + kind]
    }
}

impl Batches {
    /// Packs islands of at most `bodies_max` bodies into batches of at most as many, in the order of the awake islands,
    /// and sorts bodies and constraints by batch; or packs nothing, if less than half of the bodies are in such
    /// islands. Zero packs nothing. An island that a kinematic body touches is in no batch, and leaves a gap in that of its
    /// neighbors. Groups that are solved in more substeps are sorted out in any case, and what is shared by several workers
    /// if it is scattered.
    pub(crate) fn pack(
        &mut self,
        state: &State,
        sets: &ConnectedSets,
        bodies_max: u32,
        executor: &dyn Executor,
    ) {
        let are_some_packed = bodies_max > 0 && self.pack_islands(state, bodies_max, executor);
        if !are_some_packed {
            self.count = 0;
        }
        self.chunks = Chunks::ONE;
        let mut is_scattered = false;
        if executor.worker_count() > 1 && state.graph.len() >= PARALLEL_SORT_MIN {
            let chunks = Chunks::of(state.body_states.len());
            is_scattered = chunks.are_scattered(&state.graph);
            if is_scattered {
                self.chunks = chunks;
            }
        }
        self.sorted = match (are_some_packed || !sets.is_empty(), is_scattered) {
            (true, _) => Sorted::All,
            (false, true) => Sorted::Constraints,
            (false, false) => Sorted::Nothing,
        };
        match self.sorted {
            Sorted::Nothing => {}
            Sorted::Constraints => {
                let chunks = self.chunks;
                let chunk_of = |entry: &ConstraintEntry| chunks.of_entry(entry) as usize;
                self.constraints
                    .sort(&state.graph, chunks.count, &chunk_of, &|_| 0, executor);
            }
            Sorted::All => {
                if are_some_packed {
                    self.look_up_islands(state, executor);
                    self.share_islands_of_kinematic(state);
                } else {
                    self.islands.clear();
                    self.islands.resize(state.awake_bodies.len(), SHARED);
                }
                let groups = self.first_extra() + sets.extras().len();
                self.sort_bodies(state, sets, groups, executor);
                self.sort_constraints(state, groups, executor);
            }
        }
    }

    /// The portion that is solved in the world's substeps.
    pub(crate) fn main_portion(&self) -> Portion {
        Portion {
            batches: 0..self.count(),
            shared: self.count()..self.first_extra(),
        }
    }

    /// The portion of a group that is solved in more substeps: by one worker alone, if it is no larger than a batch.
    pub(crate) fn extra_portion(&self, group: usize, bodies_max: u32) -> Portion {
        let number = self.first_extra() + group;
        if self.bodies(number).len() <= bodies_max as usize {
            Portion {
                batches: number..number + 1,
                shared: 0..0,
            }
        } else {
            Portion {
                batches: 0..0,
                shared: number..number + 1,
            }
        }
    }

    /// The number of batches.
    fn count(&self) -> usize {
        self.count as usize
    }

    /// The number of the first group that is solved in more substeps.
    fn first_extra(&self) -> usize {
        self.count() + self.chunks.count
    }

    /// The bodies of a batch, or of a group that is solved in more substeps.
    pub(crate) fn bodies(&self, batch: usize) -> &[u32] {
        match batch.checked_sub(self.first_extra()) {
            Some(group) => &self.extra_bodies[group],
            None => self.bodies.group(batch),
        }
    }

    /// The colors in which any batch has constraints, in the order in which they are solved: the overflow goes first,
    /// so that the others correct its errors.
    pub(crate) fn used_colors(&self) -> impl Iterator<Item = usize> {
        self.constraints.used_colors()
    }

    /// The contacts of a batch in one color.
    pub(crate) fn contacts(&self, batch: usize, color: usize) -> &[ConstraintEntry] {
        self.constraints.contacts(&(batch..batch + 1), color)
    }

    /// The joints of a batch in one color, of one kind of block.
    pub(crate) fn joints(&self, batch: usize, color: usize, kind: usize) -> &[ConstraintEntry] {
        self.constraints.joints(&(batch..batch + 1), color, kind)
    }

    /// The awake bodies that all workers move together, in the portion whose shared part is `shared`.
    pub(crate) fn shared_bodies<'a>(&'a self, shared: &Range<usize>, awake_bodies: &'a [u32]) -> &'a [u32] {
        if self.sorted != Sorted::All {
            awake_bodies
        } else if shared.start < self.first_extra() {
            self.bodies.groups(shared)
        } else {
            self.bodies(shared.start)
        }
    }

    /// The contacts of a color that all workers solve together.
    pub(crate) fn shared_contacts<'a>(
        &'a self,
        shared: &Range<usize>,
        graph: &'a ConstraintGraph,
        color: usize,
    ) -> &'a [ConstraintEntry] {
        if self.sorted != Sorted::Nothing {
            self.constraints.contacts(shared, color)
        } else {
            &graph.colors[color].contacts
        }
    }

    /// The joints of a color, of one kind of block, that all workers solve together.
    pub(crate) fn shared_joints<'a>(
        &'a self,
        shared: &Range<usize>,
        graph: &'a ConstraintGraph,
        (color, kind): (usize, usize),
    ) -> &'a [ConstraintEntry] {
        if self.sorted != Sorted::Nothing {
            self.constraints.joints(shared, color, kind)
        } else {
            &graph.colors[color].joints[kind]
        }
    }

    /// The number of blocks of each kind that the largest of some batches needs.
    pub(crate) fn block_counts_max(&self, batches: Range<usize>, executor: &dyn Executor) -> BlockCounts {
        let most = BlockCounts::default().0.map(AtomicUsize::new);
        parallel_for(executor, batches.len(), BATCHES_PER_BLOCK, &|_, range| {
            let mut of_range = BlockCounts::default().0;
            for batch in range {
                let counts = self.block_counts(batches.start + batch).0;
                for (most, count) in of_range.iter_mut().zip(counts) {
                    *most = count.max(*most);
                }
            }
            for (most, count) in most.iter().zip(of_range) {
                most.fetch_max(count, Ordering::Relaxed);
            }
        });
        BlockCounts(most.map(AtomicUsize::into_inner))
    }

    /// The number of blocks of each kind that a batch needs.
    fn block_counts(&self, batch: usize) -> BlockCounts {
        let mut counts = BlockCounts::default();
        let [bodies, contacts, joints @ ..] = &mut counts.0;
        *bodies = self.bodies(batch).len().div_ceil(BLOCK);
        for color in self.used_colors() {
            *contacts += self.contacts(batch, color).len().div_ceil(BLOCK);
            for (kind, count) in joints.iter_mut().enumerate() {
                *count += self.joints(batch, color, kind).len().div_ceil(BLOCK);
            }
        }
        counts
    }

    /// Packs the awake islands; returns whether at least half of the awake bodies are in islands that fit into a batch.
    fn pack_islands(&mut self, state: &State, bodies_max: u32, executor: &dyn Executor) -> bool {
        let (islands, awake) = (&state.islands, state.islands.awake_islands());
        // All entries are written below, whatever an earlier step left there.
        self.of_island.resize(awake.len(), 0);
        let blocks = awake.len().div_ceil(ISLANDS_PER_BLOCK);
        self.island_blocks.clear();
        self.island_blocks.resize(blocks, IslandBlock::default());
        let of_island = ClaimedSlice::new(&mut self.of_island);
        parallel_chunks(executor, &mut self.island_blocks, 1, &|_, index, block| {
            let first = index * ISLANDS_PER_BLOCK;
            let places = first..awake.len().min(first + ISLANDS_PER_BLOCK);
            // SAFETY: there is an entry for each awake island, and each block of places is handed out once.
            let of_island = unsafe { of_island.slice_mut(places.clone()) };
            let (mut packed, mut filled) = (IslandBlock::default(), bodies_max);
            for (batch, &island) in of_island.iter_mut().zip(&awake[places]) {
                let bodies = islands.node_count(island);
                if bodies > bodies_max {
                    *batch = SHARED;
                    continue;
                }
                packed.small += bodies;
                if bodies > bodies_max - filled {
                    packed.batches += 1;
                    filled = 0;
                }
                filled += bodies;
                *batch = first as u32 + packed.batches - 1;
            }
            block[0] = packed;
        });
        let (mut count, mut small) = (0, 0);
        for block in &mut self.island_blocks {
            small += block.small;
            count += core::mem::replace(&mut block.batches, count);
        }
        self.count = count;
        small as usize >= state.awake_bodies.len().div_ceil(2)
    }

    fn look_up_islands(&mut self, state: &State, executor: &dyn Executor) {
        let count = state.awake_bodies.len();
        self.islands.resize(count, SHARED);
        self.are_some_in_none.clear();
        self.are_some_in_none
            .resize(count.div_ceil(BODIES_PER_BLOCK), false);
        let are_some_in_none = ClaimedSlice::new(&mut self.are_some_in_none);
        parallel_chunks(
            executor,
            &mut self.islands,
            BODIES_PER_BLOCK,
            &|_, first, block| {
                let bodies = state.awake_bodies.slice(first..first + block.len());
                let mut is_any = false;
                for (island, &body) in block.iter_mut().zip(bodies) {
                    *island = state.islands.awake_place_of(body).unwrap_or(SHARED);
                    is_any |= *island == SHARED;
                }
                // SAFETY: each block has a place of its own, and is handed out once.
                unsafe { *are_some_in_none.get_mut(first / BODIES_PER_BLOCK) = is_any };
            },
        );
    }

    /// Takes the islands that a kinematic body touches out of their batches.
    fn share_islands_of_kinematic(&mut self, state: &State) {
        let islands = &state.islands;
        let blocks = (0..).step_by(BODIES_PER_BLOCK).zip(&self.are_some_in_none);
        for (first, _) in blocks.filter(|&(_, &is_any)| is_any) {
            let places = first..state.awake_bodies.len().min(first + BODIES_PER_BLOCK);
            let bodies = state.awake_bodies.slice(places.clone());
            let in_none = |&(_, &island): &(_, &u32)| island == SHARED;
            for (&body, _) in bodies.iter().zip(&self.islands[places]).filter(in_none) {
                // An island that sleeps is in no batch anyway.
                let partner = |a: u32, b: u32| islands.awake_place_of(a ^ b ^ body);
                for index in state.contacts_of(body) {
                    let [a, b] = state.contacts.links.live(index).bodies;
                    if let Some(island) = partner(a, b) {
                        self.of_island[island as usize] = SHARED;
                    }
                }
                for index in state.joints_of(body) {
                    let joint = &state.joint_sims[index];
                    if let Some(island) = partner(joint.body_a, joint.body_b) {
                        self.of_island[island as usize] = SHARED;
                    }
                }
            }
        }
    }

    fn sort_bodies(&mut self, state: &State, sets: &ConnectedSets, groups: usize, executor: &dyn Executor) {
        let first_extra = self.first_extra();
        let Self {
            count,
            chunks,
            of_island,
            island_blocks,
            of_body,
            islands,
            bodies,
            body_counts,
            extra_bodies,
            ..
        } = self;
        let bodies_max = state.body_states.len();
        if of_body.len() < bodies_max {
            // Memory of bodies that sleep is not touched, nor copied: nothing of an earlier step is read.
            let room = bodies_max.max(2 * of_body.len());
            *of_body = Box::default();
            *of_body = Box::new_uninit_slice(room);
        }
        let (count, chunks) = (*count, *chunks);
        let (of_island, island_blocks) = (&*of_island, &*island_blocks);
        let of_body = ClaimedSlice::new(of_body);
        let items = (&*state.awake_bodies, &mut islands[..]);
        bodies.sort_parallel(executor, items, groups, body_counts, &|body, island| {
            let packed = of_island.get(island as usize).copied().unwrap_or(SHARED);
            let number = match (sets.group_of(state, body), packed) {
                (Some(group), _) => (first_extra + group) as u32,
                (None, SHARED) => count + chunks.of_body(body),
                (None, packed) => {
                    let block = packed as usize / ISLANDS_PER_BLOCK;
                    island_blocks[block].batches + packed % ISLANDS_PER_BLOCK as u32
                }
            };
            // SAFETY: the list of awake bodies contains each body once, and bodies have a state.
            unsafe { of_body.get_mut(body as usize) }.write(number);
            number
        });
        let extra = sets.extras().len();
        if extra_bodies.len() < extra {
            extra_bodies.resize_with(extra, Vec::new);
        }
        for (list, number) in extra_bodies.iter_mut().zip(first_extra..groups) {
            list.clear();
            list.extend_from_slice(bodies.group(number));
            list.extend_from_slice(sets.kinematic());
        }
    }

    fn sort_constraints(&mut self, state: &State, groups: usize, executor: &dyn Executor) {
        let (of_body, shared) = (&self.of_body, self.main_portion().shared);
        // A body that the constraint may not change does not determine its batch.
        let batch_of_body = |body: u32| {
            if body & READ_ONLY == 0 {
                debug_assert!(
                    state.bodies.live(body).is_awake(),
                    "constraints that are solved move awake bodies"
                );
                // SAFETY: each awake body was numbered just now.
                unsafe { of_body[body as usize].assume_init() }
            } else {
                SHARED
            }
        };
        let batch_of = |entry: &ConstraintEntry| {
            let (a, b) = (batch_of_body(entry.body_a), batch_of_body(entry.body_b));
            debug_assert!(
                (entry.body_a | entry.body_b) & READ_ONLY != 0
                    || a == b
                    || [a, b].iter().all(|&number| shared.contains(&(number as usize))),
                "two movable bodies of a constraint are in one island"
            );
            a.min(b) as usize
        };
        // The overflow keeps its order within the shared part.
        let in_overflow = |entry: &ConstraintEntry| match batch_of(entry) {
            batch if shared.contains(&batch) => shared.start,
            batch => batch,
        };
        self.constraints
            .sort(&state.graph, groups, &batch_of, &in_overflow, executor);
    }
}
