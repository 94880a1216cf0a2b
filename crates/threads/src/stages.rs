//! [`run_stages`] and [`StageRunner`]: several workers go through a list of stages together, and no block of a stage
//! starts before all blocks of the one before have ended. The solver's substeps run on it, and so does a plain
//! parallel-for.
//!
//! One atomic word, the *gate*, holds the open stage and the number of its blocks that are not done. The worker that
//! finishes the last block opens the next stage with the same write, so a barrier costs one transfer of one cache line,
//! and no worker is special: any of them can do everything alone, and a late one finds the gate further on or closed.
//!
//! Blocks are claimed without contention. Each stage's blocks are divided between the workers' *claim words*; a worker
//! first takes blocks from its own, then from the others'. A stage with as many blocks as the last gives each worker
//! the same ones, whose data is still in its cache. Box2D v3's solver has the same affinity by other means (a flag for
//! each block, and a main thread that opens the stages).

use crate::relax::SpinYieldSleep;
use crate::shim::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::{Executor, Padded};
use alloc::vec::Vec;

/// The order in which workers claim blocks. It cannot change a result: a test that runs both orders and compares proves
/// it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum ClaimOrder {
    /// Each worker claims the same blocks from stage to stage, then blocks of other workers.
    #[default]
    Affine,
    /// Blocks are permuted and change owners from stage to stage, by this seed: for tests.
    Shuffled(u32),
}

/// Runs stages without allocating: it keeps the memory that [`run_stages`] allocates for more than sixteen workers.
///
/// ```
/// use tombolo_threads::{Inline, StageRunner};
/// use std::sync::Mutex;
///
/// let order = Mutex::new(Vec::new());
/// let mut runner = StageRunner::new();
/// runner.run(&Inline, &[2, 0, 1], &|_worker, stage, block| {
///     order.lock().unwrap().push((stage, block));
/// });
/// assert_eq!(order.into_inner().unwrap(), [(0, 0), (0, 1), (2, 0)]);
/// ```
#[derive(Debug, Default)]
pub struct StageRunner {
    worker_claims: Vec<Padded<WorkerClaims>>,
    order: ClaimOrder,
}

impl StageRunner {
    /// An empty runner; the first [`run`](Self::run) allocates 128 bytes for each worker.
    pub fn new() -> Self {
        Self::default()
    }

    /// A runner whose workers claim blocks in another order.
    pub fn with_order(order: ClaimOrder) -> Self {
        Self {
            worker_claims: Vec::new(),
            order,
        }
    }

    /// Like [`run_stages`]. Allocates only when the executor has more workers than any before.
    ///
    /// # Panics
    ///
    /// In the same cases as [`run_stages`].
    pub fn run(
        &mut self,
        executor: &dyn Executor,
        block_counts: &[u32],
        body: &(dyn Fn(usize, usize, usize) + Sync),
    ) {
        // An executor of none leaves all to the caller's thread, whatever the order.
        let worker_count = executor.worker_count().max(1);
        if self.order == ClaimOrder::Affine && needs_one_worker(worker_count, block_counts) {
            return run_alone(block_counts, body);
        }
        if self.worker_claims.len() < worker_count {
            self.worker_claims
                .resize_with(worker_count, || Padded::new(WorkerClaims::new()));
        }
        let worker_claims = &mut self.worker_claims[..worker_count];
        worker_claims
            .iter_mut()
            .for_each(|claims_of_worker| *claims_of_worker = Padded::new(WorkerClaims::new()));
        run_with(worker_claims, self.order, executor, block_counts, body);
    }
}

/// The number of workers whose claim words fit on the caller's stack.
const STACK_WORKERS: usize = 16;

/// Calls `body(worker, stage, block)` once for each block below `block_counts[stage]`, stage after stage: all blocks of
/// a stage have returned before any of the next starts, and their writes are visible to it.
///
/// The worker that gets a block may change from run to run. Does not allocate for up to sixteen workers;
/// [`StageRunner`] does not for any number. With one worker (or none, which is a defect of the executor), or where no
/// stage has two blocks, everything runs on the caller's thread, as worker 0.
///
/// Cost: a claim (one uncontended atomic operation) for each block and a barrier for each stage.
///
/// # Panics
///
/// If `body` panics, the remaining blocks are abandoned and the panic reaches the caller. Also if there are `u32::MAX - 1`
/// stages or more.
pub fn run_stages(
    executor: &dyn Executor,
    block_counts: &[u32],
    body: &(dyn Fn(usize, usize, usize) + Sync),
) {
    let worker_count = executor.worker_count();
    if needs_one_worker(worker_count, block_counts) {
        run_alone(block_counts, body);
    } else if worker_count <= STACK_WORKERS {
        let worker_claims: [_; STACK_WORKERS] = core::array::from_fn(|_| Padded::new(WorkerClaims::new()));
        run_with(
            &worker_claims[..worker_count],
            ClaimOrder::Affine,
            executor,
            block_counts,
            body,
        );
    } else {
        StageRunner::new().run(executor, block_counts, body);
    }
}

/// Whether other workers could not help: there is one worker, or no stage has two blocks.
fn needs_one_worker(worker_count: usize, block_counts: &[u32]) -> bool {
    worker_count <= 1 || block_counts.iter().all(|&count| count <= 1)
}

/// Runs the stages on the caller's thread.
fn run_alone(block_counts: &[u32], body: &(dyn Fn(usize, usize, usize) + Sync)) {
    for (stage, &count) in block_counts.iter().enumerate() {
        (0..count as usize).for_each(|block| body(0, stage, block));
    }
}

/// A worker's claims in a run.
///
/// The first call with a worker's index takes the worker's claims, and later calls do not get them in this run. An
/// [`Executor`] may be any safe code and may call twice with one index, at the same time too; each worker's own data
/// stays exclusive all the same.
#[derive(Debug)]
struct WorkerClaims {
    claim: AtomicU64,
    is_taken: AtomicBool,
}

impl WorkerClaims {
    fn new() -> Self {
        Self {
            claim: AtomicU64::new(0),
            is_taken: AtomicBool::new(false),
        }
    }
}

/// The state of one run, shared by its workers.
///
/// Invariants: the gate's stage only grows. A claim word of stage `s` and count `c` says that the first `c` blocks of
/// its owner's range were claimed in stage `s`; one of an earlier stage says that none was. When a stage is behind the
/// gate, every range of it that is not empty has been claimed whole, so a worker with an outdated stage claims nothing.
struct Run<'a> {
    gate: Padded<AtomicU64>,
    worker_claims: &'a [Padded<WorkerClaims>],
    order: ClaimOrder,
    block_counts: &'a [u32],
    body: &'a (dyn Fn(usize, usize, usize) + Sync),
}

/// The gate's stage after the last. The others are the stage's index + 1, so that a new claim word is older than all.
const CLOSED: u32 = u32::MAX;

/// Packs a stage into the high half and a count of blocks into the low half.
fn pack(stage: u32, blocks: u32) -> u64 {
    (u64::from(stage) << 32) | u64::from(blocks)
}

fn unpack(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}

fn run_with(
    worker_claims: &[Padded<WorkerClaims>],
    order: ClaimOrder,
    executor: &dyn Executor,
    block_counts: &[u32],
    body: &(dyn Fn(usize, usize, usize) + Sync),
) {
    assert!(
        block_counts.len() < CLOSED as usize - 1,
        "{} stages are too many",
        block_counts.len()
    );
    if block_counts.iter().all(|&count| count == 0) {
        return;
    }
    let mut run = Run {
        gate: Padded::new(AtomicU64::new(0)),
        worker_claims,
        order,
        block_counts,
        body,
    };
    run.gate = Padded::new(AtomicU64::new(run.gate_after(0)));
    let kept = Padded::new(AtomicBool::new(true));
    executor.run(&|worker| {
        let is_new = run
            .worker_claims
            .get(worker)
            .is_some_and(|claims_of_worker| !claims_of_worker.is_taken.swap(true, Ordering::Relaxed));
        if is_new {
            let noting = ClearOnUnwind(&kept);
            run.take_part(worker);
            core::mem::forget(noting);
        }
    });
    assert!(
        kept.load(Ordering::Acquire),
        "a block panicked, and the executor kept that to itself"
    );
    // No worker returns before all is done, so this finds work only if the executor called none.
    run.take_part(0);
}

impl Run<'_> {
    /// One worker's loop over the stages, from the currently open one.
    fn take_part(&self, worker: usize) {
        let abandon = CloseOnUnwind(&self.gate);
        let mut relax = SpinYieldSleep::default();
        let mut last_worked = 0;
        loop {
            let (stage, _) = unpack(self.gate.load(Ordering::Acquire));
            if stage == CLOSED {
                break;
            }
            if stage == last_worked {
                relax.relax();
                continue;
            }
            last_worked = stage;
            relax = SpinYieldSleep::default();
            let done = self.work(stage, worker);
            if done > 0 {
                self.complete(stage, done);
            }
        }
        core::mem::forget(abandon);
    }

    /// Runs blocks of the open stage until none is left unclaimed; returns their number.
    fn work(&self, stage: u32, worker: usize) -> u32 {
        let index = stage as usize - 1;
        let count = self.block_counts[index];
        let owners = u32::try_from(self.worker_claims.len())
            .unwrap_or(u32::MAX)
            .min(count);
        let shuffle = Shuffle::new(self.order, stage, count);
        let first = worker as u32 % owners;
        let mut done = 0;
        for step in 0..owners {
            let owner = shuffle.owner((first + step) % owners, owners);
            let range_start = split_point(owner, owners, count);
            let length = split_point(owner + 1, owners, count) - range_start;
            while let Some(offset) = self.claim(owner, stage, length) {
                (self.body)(worker, index, shuffle.block(range_start + offset) as usize);
                done += 1;
            }
        }
        done
    }

    /// Claims the next block of an owner's range, if there is one.
    ///
    /// Relaxed is enough: the word only decides which worker gets the block. The data that the block reads was
    /// published by the gate.
    fn claim(&self, owner: u32, stage: u32, length: u32) -> Option<u32> {
        let word = &self.worker_claims[owner as usize].claim;
        let mut seen = word.load(Ordering::Relaxed);
        loop {
            let (claimed_stage, claimed) = unpack(seen);
            let next = if claimed_stage < stage { 0 } else { claimed };
            if claimed_stage > stage || next >= length {
                return None;
            }
            match word.compare_exchange_weak(
                seen,
                pack(stage, next + 1),
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Some(next),
                Err(now) => seen = now,
            }
        }
    }

    /// Counts blocks as done; the last of a stage opens the next.
    ///
    /// Release publishes this worker's writes; acquire lets the worker that opens the next stage publish those of all.
    fn complete(&self, stage: u32, done: u32) {
        let mut seen = self.gate.load(Ordering::Relaxed);
        loop {
            let (open, remaining) = unpack(seen);
            if open != stage {
                // Only a panic in another worker closes the gate before its stage is done.
                return;
            }
            let next = if remaining == done {
                self.gate_after(stage as usize)
            } else {
                pack(stage, remaining - done)
            };
            match self
                .gate
                .compare_exchange_weak(seen, next, Ordering::AcqRel, Ordering::Relaxed)
            {
                Ok(_) => return,
                Err(now) => seen = now,
            }
        }
    }

    /// The gate's word for the first stage at or after an index that has blocks.
    fn gate_after(&self, first_index: usize) -> u64 {
        let open = (first_index..self.block_counts.len()).find(|&index| self.block_counts[index] > 0);
        match open {
            Some(index) => pack(index as u32 + 1, self.block_counts[index]),
            None => pack(CLOSED, 0),
        }
    }
}

/// The start of an owner's range when `count` blocks are split between `owners`.
fn split_point(owner: u32, owners: u32, count: u32) -> u32 {
    (u64::from(owner) * u64::from(count) / u64::from(owners)) as u32
}

/// A guard that closes the gate if a block panics; the other workers would wait for the block for ever.
struct CloseOnUnwind<'a>(&'a AtomicU64);

impl Drop for CloseOnUnwind<'_> {
    fn drop(&mut self) {
        self.0.store(pack(CLOSED, 0), Ordering::Release);
    }
}

/// A guard that records that a worker panicked, for executors that catch it.
struct ClearOnUnwind<'a>(&'a AtomicBool);

impl Drop for ClearOnUnwind<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// A stage's permutation of blocks: `block * stride + shift`, modulo their number, with a stride that shares no factor
/// with it.
struct Shuffle {
    stride: u32,
    shift: u32,
    count: u32,
}

impl Shuffle {
    fn new(order: ClaimOrder, stage: u32, count: u32) -> Self {
        let ClaimOrder::Shuffled(seed) = order else {
            return Self {
                stride: 1,
                shift: 0,
                count,
            };
        };
        let random = mix(seed ^ mix(stage));
        let mut stride = random % count + 1;
        while greatest_common_divisor(stride, count) != 1 {
            stride -= 1;
        }
        Self {
            stride,
            shift: mix(random) % count,
            count,
        }
    }

    fn block(&self, block: u32) -> u32 {
        let place = u64::from(block) * u64::from(self.stride) + u64::from(self.shift);
        (place % u64::from(self.count)) as u32
    }

    /// The owner whose range a worker looks at, rotated by the same amount for all.
    fn owner(&self, owner: u32, owners: u32) -> u32 {
        ((u64::from(owner) + u64::from(self.shift)) % u64::from(owners)) as u32
    }
}

/// A finalizer of 32 bits that spreads every input bit over the output (Wellons' low-bias hash, "Prospecting for hash
/// functions", 2018).
fn mix(value: u32) -> u32 {
    let value = (value ^ (value >> 16)).wrapping_mul(0x7feb_352d);
    let value = (value ^ (value >> 15)).wrapping_mul(0x846c_a68b);
    value ^ (value >> 16)
}

fn greatest_common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
