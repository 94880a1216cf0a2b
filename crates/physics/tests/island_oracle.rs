//! Random operations, good and bad, on the islands and on an oracle that floods the graph anew for each comparison.

mod island_support;

use island_support::{Operation, Oracle, Random};
use proptest::prelude::*;
use tombolo_physics::island::{IslandAlgorithm, Islands};

/// Runs `count` operations over so few indices that they keep meeting, and compares every `check_every` of them.
fn run(algorithm: IslandAlgorithm, seed: u64, count: u32, nodes: u32, edges: u32, check_every: u32) {
    let mut random = Random::new(seed);
    let mut islands = Islands::new(algorithm);
    let mut oracle = Oracle::default();
    for step in 0..count {
        oracle.apply(Operation::random(&mut random, nodes, edges), &mut islands);
        if step % check_every == 0 {
            oracle.check(&islands);
        }
        if step % (check_every * 50) == 0 {
            oracle.check_settled(&mut islands);
        }
    }
    oracle.check_settled(&mut islands);
}

#[test]
fn is_12_random_operations_agree_with_the_oracle_small() {
    run(IslandAlgorithm::Persistent, 1, 40_000, 12, 20, 1);
}

#[test]
fn is_12_random_operations_agree_with_the_oracle_medium() {
    run(IslandAlgorithm::Persistent, 2, 60_000, 120, 200, 20);
}

/// A million operations; `TOMBOLO_ISLAND_OPERATIONS` sets another number.
#[test]
fn is_12_a_million_random_operations_agree_with_the_oracle() {
    let count = std::env::var("TOMBOLO_ISLAND_OPERATIONS")
        .ok()
        .and_then(|text| text.parse().ok());
    run(
        IslandAlgorithm::Persistent,
        3,
        count.unwrap_or(1_000_000),
        600,
        1100,
        2_000,
    );
}

fn operations() -> impl Strategy<Value = Vec<(u8, u32, u32, u32)>> {
    prop::collection::vec((0..9_u8, 0..10_u32, 0..10_u32, 0..16_u32), 0..120)
}

proptest! {
    /// Short sequences that shrink to the few calls that matter.
    #[test]
    fn is_1_short_sequences_agree_with_the_oracle(sequence in operations()) {
        let mut islands = Islands::default();
        let mut oracle = Oracle::default();
        for (kind, a, b, edge) in sequence {
            let operation = match kind {
                0 | 1 => Operation::Add(a),
                2 => Operation::RemoveWithEdges(a),
                3 | 4 => Operation::Link(edge, a, b),
                5 => Operation::Unlink(edge),
                6 => Operation::Sleep(a),
                7 => Operation::Wake(a),
                _ => Operation::Settle(edge),
            };
            oracle.apply(operation, &mut islands);
            oracle.check(&islands);
        }
        oracle.check_settled(&mut islands);
    }
}
