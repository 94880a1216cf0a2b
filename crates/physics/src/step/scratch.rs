//! [`Scratch`]: the scratch memory of a step. It may be dropped between any two steps without changing a bit of the
//! results; it is kept so that a step need not allocate.

use super::composites::loads::CompositeScratch;
use super::fast_shapes::FastShapes;
use super::fields::active::ActiveField;
use super::sweep::{BodySweep, BulletScratch, RankedWords, StoppedSweeps};
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
use tombolo_geometry::Aabb;
use tombolo_handles::BitSet;
use tombolo_threads::PerWorker;

/// The marks of one worker for the serial parts of the stages.
#[derive(Debug, Default)]
pub(crate) struct WorkerScratch {
    /// Contacts that began or ended touching, or whose boxes parted, by contact index.
    pub(crate) changed_contacts: BitSet,
    /// The change of each of these.
    pub(crate) changes: Vec<TouchChange>,
    /// The number of contacts that kept their manifold.
    pub(crate) recycled: usize,
    /// Proxies of the broad phase whose boxes were renewed.
    pub(crate) moved_proxies: BitSet,
    /// Islands that must stay awake.
    pub(crate) moving_islands: BitSet,
    /// Islands in which some body has been slow for long enough.
    pub(crate) sleep_ready_islands: BitSet,
    /// Kinematic bodies that have been slow for long enough.
    pub(crate) sleep_ready_bodies: BitSet,
    /// Bodies whose state is not a number or out of range.
    pub(crate) broken_bodies: BitSet,
    /// Bodies that moved so far in this step that they may have passed through others.
    pub(crate) fast_bodies: BitSet,
    /// Bodies that continuous collision held in the last step.
    pub(crate) held_bodies: BitSet,
    /// Shapes found in sensors.
    pub(crate) overlaps: Vec<PlainOverlap>,
}

/// The scratch memory of a step.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) workers: Option<PerWorker<WorkerScratch>>,
    /// The union of all workers' marks.
    pub(crate) merged: WorkerScratch,
    pub(crate) pairs: Vec<Pair>,
    /// The number of bodies that had woken when the awake contacts were updated.
    pub(crate) woken_before_collide: usize,
    /// Whether no body woke in the last step after that; false if this world has made no step.
    pub(crate) none_woke_late: bool,
    /// The active fields: gravities, then wind and fluids, each by slot.
    pub(crate) active_fields: [Vec<ActiveField>; 2],
    /// The contacts that began or ended touching, by index.
    pub(crate) changes: Vec<TouchChange>,
    /// The definitions of the contacts of `pairs`.
    pub(crate) new_contacts: Vec<ContactDef>,
    pub(crate) moves: Vec<MoveEvent>,
    /// The boxes of the bodies of `moves`, in the same order; empty unless they are reported.
    pub(crate) move_boxes: Vec<Aabb>,
    /// The poses at the start of the step of the bodies marked as fast and of awake kinematic ones, in the order of the
    /// awake bodies; if there are bullets, of all awake bodies; other entries are not valid.
    pub(crate) fast_starts: Vec<BodyPose>,
    /// The fast bodies, by rank.
    pub(crate) fast_words: RankedWords,
    /// The motions of the fast bodies, by body index.
    pub(crate) sweeps: Vec<BodySweep>,
    /// The places among them of those that stop before their end.
    pub(crate) stopped: StoppedSweeps,
    /// Bullets that may meet each other.
    pub(crate) bullets: BulletScratch,
    /// Shapes of fast bodies: of kinematic ones, then of dynamic ones while bullets are stopped at them, then of all
    /// while there are sensors.
    pub(crate) fast_shapes: FastShapes,
    /// Whether the world may have bullets, once known.
    pub(crate) are_there_bullets: Option<bool>,
    /// Overlaps of shapes with sensors, from all workers, sorted.
    pub(crate) overlaps: Vec<PlainOverlap>,
    /// The places of the contacts with hard hits, unordered.
    pub(crate) hits: Vec<u32>,
    /// The indices of the joints whose thresholds were exceeded, unordered.
    pub(crate) strained: Vec<u32>,
    /// The scratch memory for the forces in the welds of composites.
    pub(crate) composites: CompositeScratch,
    pub(crate) indices: Vec<u32>,
    /// The number of changed contacts before those of a word of 64 marks, by word.
    pub(crate) ranks: Vec<u32>,
    /// Whether the stage sleep put any body to sleep.
    pub(crate) some_fell_asleep: bool,
    /// Bodies that a list of the report has already.
    pub(crate) reported: BitSet,
    pub(crate) connected_sets: ConnectedSets,
    pub(crate) batches: Batches,
    pub(crate) solver: SolverScratch,
    /// Set from the beginning of a step to its end: data that a panic left half done is dropped before the next step.
    pub(crate) is_in_step: bool,
}

impl Scratch {
    /// Reserves memory for steps of a world of this capacity.
    pub(crate) fn reserve(&mut self, capacity: &Capacity) {
        let (bodies, contacts) = (capacity.bodies as usize, capacity.contacts as usize);
        self.pairs.reserve(contacts);
        self.new_contacts.reserve(contacts);
        self.changes.reserve(contacts);
        self.moves.reserve(bodies);
        self.fast_starts.reserve(bodies);
        self.indices.reserve(bodies);
    }

    /// Whether there are bullets. Searches for them unless it is known. Once there was one it stays true: that costs
    /// time but has no other effect.
    pub(crate) fn look_for_bullets(&mut self, state: &State) -> bool {
        *self
            .are_there_bullets
            .get_or_insert_with(|| state.body_sims.iter().any(|sim| sim.has(flag::BULLET)))
    }

    /// Records that a bullet exists.
    pub(crate) fn note_bullet(&mut self) {
        self.are_there_bullets = Some(true);
    }

    /// Makes room for `worker_count` workers and clears the marks of the last step.
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
        // A step without awake bodies solves nothing.
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

    /// Makes room for marks of islands with indices below `islands`, before any is set.
    pub(crate) fn fit_islands(&mut self, islands: usize) {
        for worker in self.workers.iter_mut().flat_map(PerWorker::iter_mut) {
            worker.moving_islands.reset(islands);
            worker.sleep_ready_islands.reset(islands);
        }
    }

    /// The workers' marks, for the workers to write.
    pub(crate) fn workers(&mut self) -> &mut PerWorker<WorkerScratch> {
        self.workers.as_mut().expect("made at the start of the step")
    }

    /// Unites one bit array of all workers in the same one of `merged`.
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
        self.moving_islands.reset(islands);
        self.sleep_ready_islands.reset(islands);
        self.sleep_ready_bodies.reset(bodies);
        self.broken_bodies.reset(bodies);
        self.fast_bodies.reset(bodies);
        self.held_bodies.reset(bodies);
    }
}
