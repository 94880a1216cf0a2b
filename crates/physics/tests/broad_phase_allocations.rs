//! Once it has seen a scene, the broad phase allocates nothing while the scene moves on.
//!
//! The count is of the whole process, so this test has a process of its own without a test harness, whose threads allocate
//! when they like.
#![allow(missing_docs, clippy::print_stdout)]

mod counting;

use counting::{TakingTurns, allocation_count};
use tombolo_geometry::{Aabb, Vec2};
use tombolo_physics::BitSet;
use tombolo_physics::broad_phase::{BroadPhase, ProxyDef, ProxyFilter, TreeKind};

/// A scene that moves in circles allocates only in its first round.
fn main() {
    const BODY_COUNT: u32 = 1000;
    let fat_box = |body: u32, step: u32| {
        let angle = 0.3 * (step % 20) as f32 + body as f32;
        let center = Vec2::new((body % 30) as f32, (body / 30) as f32)
            + 0.8 * Vec2::new(libm::cosf(angle), libm::sinf(angle));
        Aabb::new(center, center).grown(0.6)
    };
    let mut broad_phase = BroadPhase::default();
    for body in 0..BODY_COUNT {
        let (tree, filter) = (TreeKind::Dynamic, ProxyFilter::default());
        let def = ProxyDef {
            tree,
            body,
            shape: body,
            fat_box: fat_box(body, 0),
            filter,
        };
        broad_phase.create_proxy(def).unwrap();
    }
    let executor = TakingTurns::new(3);
    let mut moved = BitSet::with_len(BODY_COUNT as usize);
    for body in 0..BODY_COUNT as usize {
        moved.set(body);
    }
    let mut pairs = Vec::with_capacity(100_000);
    let mut warm = 0;
    let mut pair_count = 0;
    for step in 0..200 {
        pairs.clear();
        broad_phase.find_pairs(&executor, &|_, _, _| true, &mut pairs);
        for (body, value) in broad_phase.boxes_mut().iter_mut().enumerate() {
            *value = fat_box(body as u32, step);
        }
        broad_phase.refit(&executor, &moved);
        broad_phase.set_box(step, fat_box(step, step + 1)).unwrap();
        broad_phase.touch(step);
        if step < 40 {
            warm = allocation_count();
        } else {
            pair_count += pairs.len();
        }
    }
    assert_eq!(allocation_count(), warm, "allocations after the second round");
    assert!(
        pair_count > 1000,
        "the scene does not move enough to show anything: {pair_count} pairs"
    );
    println!("a scene that moves in circles: {warm} allocations, all of them in its first round");
}
