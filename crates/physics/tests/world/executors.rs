//! Executors that panic: a step is finished all the same, to the bit, and the panic comes out of it afterwards.

use crate::world_support::DT;
use crate::world_support::worlds::{WORLDS, add_box, add_floor, empty};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use tombolo_physics::PhysicsWorld;
use tombolo_threads::{Executor, Pool};

/// What goes wrong in a run.
#[derive(Clone, Copy, Debug)]
enum Wrong {
    BeforeAll,
    AfterSome,
    AfterAll,
    /// The number of workers is asked for once a step.
    Count,
}

/// Three workers on a pool, and one run or question that panics.
struct Broken<'a> {
    pool: &'a Pool,
    runs_left: AtomicUsize,
    wrong: Wrong,
}

impl Broken<'_> {
    fn is_due(&self) -> bool {
        let count = |left: usize| left.checked_sub(1);
        self.runs_left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, count)
            == Ok(1)
    }
}

impl Executor for Broken<'_> {
    fn worker_count(&self) -> usize {
        assert!(
            !(matches!(self.wrong, Wrong::Count) && self.is_due()),
            "broken: the count"
        );
        3
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        let due = !matches!(self.wrong, Wrong::Count) && self.is_due();
        match self.wrong {
            Wrong::BeforeAll if due => panic!("broken: nobody was called"),
            Wrong::AfterSome if due => {
                task(1);
                panic!("broken: one was called");
            }
            _ => self.pool.run(task),
        }
        assert!(!due, "broken: all were called");
    }
}

/// Enough boxes in contact that each stage has work for several workers.
fn heap() -> PhysicsWorld {
    let mut world = empty();
    add_floor(&mut world);
    for place in 0..600 {
        let (row, column) = (place / 30, place % 30);
        add_box(&mut world, column as f32 * 1.01 - 15.0, row as f32 * 0.99 + 0.6);
    }
    world
}

#[test]
fn a_step_whose_executor_panics_is_whole() {
    let pool = Pool::with_thread_for_each(3).unwrap();
    let mut total = 0;
    for build in [heap, WORLDS[1].build] {
        let mut panics = 0;
        for wrong in [Wrong::BeforeAll, Wrong::AfterSome, Wrong::AfterAll, Wrong::Count] {
            let mut world = build();
            let mut twin = build();
            for step in 0..40 {
                // Every run of a step has its turn, and some steps have fewer.
                let broken = Broken {
                    pool: &pool,
                    runs_left: AtomicUsize::new(step % 8 + 1),
                    wrong,
                };
                let stepped = catch_unwind(AssertUnwindSafe(|| world.step_with(DT, &broken).unwrap()));
                twin.step(DT).unwrap();
                if matches!(wrong, Wrong::Count) {
                    // Before anything was done, or never.
                    assert_eq!(stepped.is_err(), step % 8 == 0, "{wrong:?}, step {step}");
                    if stepped.is_err() {
                        world.step_with(DT, &pool).unwrap();
                    }
                }
                if let Err(panic) = stepped {
                    panics += 1;
                    let text = panic.downcast_ref::<&str>().map_or("", |text| text);
                    assert!(text.starts_with("broken: "), "{wrong:?}, step {step}: {text}");
                }
                assert_eq!(world.state_hash(), twin.state_hash(), "{wrong:?}, step {step}");
            }
            assert_eq!(world.save(), twin.save());
        }
        // Of a count there are five; the rest are of runs, which a small world has few of.
        total += panics;
        assert!(panics >= 20, "only {panics} panics");
    }
    assert!(total >= 60, "only {total} panics in all");
}
