//! [`Scratch`]: the memory of one step. It may be dropped between any two steps without changing a bit of the
//! results; it is kept so that a step need not allocate.

use super::composites::loads::CompositeScratch;
use super::fields::active::ActiveField;
use super::sweep::{BodySweep, BulletScratch, FastShape};
use crate::body::{BodyPose, flag};
use crate::broad_phase::Pair;
use crate::contact::ContactDef;
use crate::events::{MoveEvent, PlainOverlap};
use crate::link::TouchChange;
use crate::settings::Capacity;
use crate::solver::batches::Batches;
use crate::solver::connected::ConnectedSets;
use crate::solver::stages::SolverScratch;
use crate::state::State;
use alloc::vec::Vec;
use tombolo_handles::BitSet;
use tombolo_threads::PerWorker;

/// What one worker marks for the serial parts.
#[derive(Debug, Default)]
pub(crate) struct WorkerScratch {
    /// Contacts that began or ended touching, or whose boxes parted, by contact index.
    pub(crate) changed_contacts: BitSet,
    /// What changed of each of these.
    pub(crate) changes: Vec<TouchChange>,
    /// Contacts that kept their manifold.
    pub(crate) recycled: usize,
    /// Proxies of the broad phase whose boxes were renewed.
    pub(crate) moved_proxies: BitSet,
    /// Islands that must stay awake.
    pub(crate) restless_islands: BitSet,
    /// Islands in which some body has been slow for long enough.
    pub(crate) tired_islands: BitSet,
    /// Kinematic bodies that have been slow for long enough.
    pub(crate) tired_bodies: BitSet,
    /// Bodies whose state is not a number or too far out.
    pub(crate) broken_bodies: BitSet,
    /// Bodies that moved so far in this step that they may have passed through something.
    pub(crate) fast_bodies: BitSet,
    /// Bodies that continuous collision held in the step before.
    pub(crate) held_bodies: BitSet,
    /// Shapes found in sensors.
    pub(crate) overlaps: Vec<PlainOverlap>,
}

/// The memory of one step.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) workers: Option<PerWorker<WorkerScratch>>,
    /// All workers' marks together.
    pub(crate) merged: WorkerScratch,
    pub(crate) pairs: Vec<Pair>,
    /// How many bodies had woken when the awake contacts were looked at.
    pub(crate) woken_before_collide: usize,
    /// Whether no body woke in the last step after that; false if there was no last step of this world.
    pub(crate) none_woke_late: bool,
    /// The fields that act: gravities, then wind and fluids, each by slot.
    pub(crate) active_fields: [Vec<ActiveField>; 2],
    /// The contacts whose touch changed, by index.
    pub(crate) changes: Vec<TouchChange>,
    /// What the contacts of `pairs` are made of.
    pub(crate) new_contacts: Vec<ContactDef>,
    pub(crate) moves: Vec<MoveEvent>,
    /// Where the bodies marked as fast, and awake kinematic ones, began the step, by body index, and where there are
    /// bullets all that are awake; the others' places mean nothing.
    pub(crate) fast_starts: Vec<BodyPose>,
    /// The motions of the fast bodies, by body index.
    pub(crate) sweeps: Vec<BodySweep>,
    /// Bullets that may meet each other.
    pub(crate) bullets: BulletScratch,
    /// Shapes of fast bodies: of kinematic ones, then of dynamic ones while bullets are stopped at them, then all while there
    /// are sensors.
    pub(crate) fast_shapes: Vec<FastShape>,
    /// Whether the world may have bullets, once that is known.
    pub(crate) are_there_bullets: Option<bool>,
    /// Shapes in sensors, from all workers, sorted.
    pub(crate) overlaps: Vec<PlainOverlap>,
    /// The places of the contacts that hit hard, in no order.
    pub(crate) hits: Vec<u32>,
    /// The indices of the joints that bore more than their thresholds, in no order.
    pub(crate) strained: Vec<u32>,
    /// What the welds of composites bear.
    pub(crate) composites: CompositeScratch,
    pub(crate) indices: Vec<u32>,
    /// How many contacts changed before those of a word of 64 marks, by word.
    pub(crate) ranks: Vec<u32>,
    /// Whether the stage sleep put anybody to sleep.
    pub(crate) some_fell_asleep: bool,
    /// Bodies whose waking is among the events already.
    pub(crate) reported_awake: BitSet,
    pub(crate) connected_sets: ConnectedSets,
    pub(crate) batches: Batches,
    pub(crate) solver: SolverScratch,
    /// Set from the beginning of a step to its end: what a panic left half done is dropped before the next step.
    pub(crate) is_in_step: bool,
}

impl Scratch {
    /// Makes room for steps of a world with so many of everything.
    pub(crate) fn reserve(&mut self, capacity: &Capacity) {
        let (bodies, contacts) = (capacity.bodies as usize, capacity.contacts as usize);
        self.pairs.reserve(contacts);
        self.new_contacts.reserve(contacts);
        self.changes.reserve(contacts);
        self.moves.reserve(bodies);
        self.indices.reserve(bodies);
    }

    /// Whether there are bullets. Looks for them unless it is known. Once there was one it stays so: only time is lost by that.
    pub(crate) fn look_for_bullets(&mut self, state: &State) -> bool {
        *self
            .are_there_bullets
            .get_or_insert_with(|| state.body_sims.iter().any(|sim| sim.has(flag::BULLET)))
    }

    /// Notes that there is a bullet now.
    pub(crate) fn note_bullet(&mut self) {
        self.are_there_bullets = Some(true);
    }

    /// Makes room for `worker_count` workers and clears what the last step left.
    pub(crate) fn prepare(&mut self, worker_count: usize, state: &State) {
        if self.is_in_step {
            *self = Self::default();
        }
        self.is_in_step = true;
        if self
            .workers
            .as_ref()
            .is_none_or(|workers| workers.worker_count() != worker_count)
        {
            self.workers = Some(PerWorker::new(worker_count, WorkerScratch::default));
        }
        // A step in which nobody is awake solves nothing.
        self.hits.clear();
        self.strained.clear();
        self.composites.strained.clear();
        self.some_fell_asleep = false;
        let (bodies, islands) = (
            state.bodies.slot_count(),
            state.islands.island_index_end() as usize,
        );
        for worker in self.workers.iter_mut().flat_map(PerWorker::iter_mut) {
            worker.reset_bodies(bodies, islands, state.broad_phase.proxies.len());
        }
    }

    /// Makes room for marks on islands with indices below `islands`, before any was set.
    pub(crate) fn fit_islands(&mut self, islands: usize) {
        for worker in self.workers.iter_mut().flat_map(PerWorker::iter_mut) {
            worker.restless_islands.reset(islands);
            worker.tired_islands.reset(islands);
        }
    }

    /// The workers' marks, to be written by themselves.
    pub(crate) fn workers(&mut self) -> &mut PerWorker<WorkerScratch> {
        self.workers.as_mut().expect("made at the start of the step")
    }

    /// ORs one bit array of all workers together into the same one of `merged`.
    pub(crate) fn merge(&mut self, field: impl Fn(&mut WorkerScratch) -> &mut BitSet, len: usize) {
        let merged = field(&mut self.merged);
        merged.reset(len);
        for worker in self
            .workers
            .as_mut()
            .expect("made at the start of the step")
            .iter_mut()
        {
            merged.union_with(field(worker));
        }
    }
}

impl WorkerScratch {
    fn reset_bodies(&mut self, bodies: usize, islands: usize, proxies: usize) {
        self.recycled = 0;
        self.moved_proxies.reset(proxies);
        self.restless_islands.reset(islands);
        self.tired_islands.reset(islands);
        self.tired_bodies.reset(bodies);
        self.broken_bodies.reset(bodies);
        self.fast_bodies.reset(bodies);
        self.held_bodies.reset(bodies);
    }
}
