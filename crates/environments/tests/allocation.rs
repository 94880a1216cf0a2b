//! A step that begins no episode allocates nothing, however many worlds there are. One test in a program of its own, since
//! it counts what all threads allocate.
#![allow(missing_docs, unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tombolo::Scene;
use tombolo_environments::{
    Actions, Autoreset, Batch, LanderOptions, LunarLander, SceneAct, SceneEnvironment, SceneTask,
};
use tombolo_threads::Pool;

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn steps_of_many_worlds_allocate_nothing() {
    landers_in_flight();
    balls_of_a_scene();
}

fn landers_in_flight() {
    const WORLDS: usize = 1024;
    let pool = Pool::new(2).expect("threads can be had");
    let options = LanderOptions::default();
    let mut batch = Batch::<LunarLander>::new(WORLDS, &options, Autoreset::Disabled, None).expect("in range");
    let seeds: Vec<u128> = (0..WORLDS as u128).collect();
    batch.reset(&seeds).expect("as many seeds as worlds");
    let actions: Vec<i64> = (0..WORLDS).map(|world| [0, 1, 3][world % 3]).collect();
    // Until every craft was fast once, for which a list of fast bodies grows.
    for _ in 0..20 {
        batch
            .step(Actions::Discrete(&actions), &pool)
            .expect("the actions exist");
    }
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    // Still in flight: nothing is near the ground yet, so that no other list grows.
    for _ in 0..10 {
        batch
            .step(Actions::Discrete(&actions), &pool)
            .expect("the actions exist");
    }
    let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert_eq!(allocated, 0, "in 10 steps of {WORLDS} worlds in flight");
}

/// A ball in each world, which its action spins in place: a world's own trees may grow where bodies come to other cells.
fn balls_of_a_scene() {
    const WORLDS: usize = 256;
    let text = r#"(
        settings: (sleeping: false, gravity: (0, 0)),
        entities: {"ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5))}},
        place: [One(name: "ball", entity: "ball", at: (0, 0.5))],
    )"#;
    let scene = Scene::parse("balls.ron", text).expect("the scene is valid");
    let task = SceneTask {
        observe: vec![
            "ball.transform.position".into(),
            "ball.body.linear_velocity".into(),
        ],
        act: vec![SceneAct::new("ball.body.angular_velocity", -5.0, 5.0)],
        reward: "ball.body.angular_velocity".into(),
        steps: 2,
        ..SceneTask::new(Arc::new(scene))
    };
    let pool = Pool::new(2).expect("threads can be had");
    let mut batch =
        Batch::<SceneEnvironment>::new(WORLDS, &task, Autoreset::Disabled, None).expect("a valid task");
    let seeds: Vec<u128> = (0..WORLDS as u128).collect();
    batch.reset(&seeds).expect("as many seeds as worlds");
    let actions: Vec<f32> = (0..WORLDS).map(|world| world as f32 / 64.0 - 2.0).collect();
    let mut step = || batch.step(Actions::Continuous(&actions), &pool).expect("numbers");
    (0..40).for_each(|_| step());
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    (0..20).for_each(|_| step());
    let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert_eq!(allocated, 0, "in 20 steps of {WORLDS} scenes");
}
