//! Random operations, good and bad, on the islands and on an oracle that floods the graph anew for each comparison.

use crate::island_support::{Operation, Oracle, Random};
use crate::world_support::scale::scaled;
use proptest::prelude::*;
use tombolo_physics::island::{IslandAlgorithm, Islands};
use tombolo_threads::{Inline, Pool};

/// Runs `count` operations over so few indices that they keep meeting, and compares every `check_every` of them.
fn run(algorithm: IslandAlgorithm, seed: u64, count: u32, [nodes, edges]: [u32; 2], check_every: u32) {
    let mut random = Random::new(seed);
    let mut islands = Islands::new(algorithm);
    let mut oracle = Oracle::default();
    let pool = Pool::new(2).unwrap();
    for step in 0..count {
        oracle.step(Operation::random(&mut random, nodes, edges), &mut islands, &pool);
        if step % check_every == 0 {
            oracle.check(&islands);
        }
        if step % (check_every * 50) == 0 {
            oracle.check_split(&mut islands);
        }
    }
    oracle.check_split(&mut islands);
}

#[test]
fn is_12_random_operations_agree_with_the_oracle_on_few_nodes() {
    for algorithm in IslandAlgorithm::ALL {
        run(algorithm, 1, 20_000, [12, 20], 1);
    }
}

#[test]
fn is_12_random_operations_agree_with_the_oracle_on_more_nodes() {
    for algorithm in IslandAlgorithm::ALL {
        run(algorithm, 2, 20_000, [120, 200], 20);
    }
}

#[test]
fn is_12_many_random_operations_agree_with_the_oracle() {
    let count = scaled(100_000);
    let mut random = Random::new(3);
    let mut islands = Islands::default();
    let mut oracle = Oracle::default();
    for step in 0..count {
        oracle.apply(Operation::random(&mut random, 600, 1100), &mut islands);
        if step % 2_000 == 0 {
            oracle.check(&islands);
        }
        if step % 100_000 == 0 {
            oracle.check_split(&mut islands);
        }
    }
    oracle.check_split(&mut islands);
}

/// Operations on few nodes, with every invariant checked after each of them: under the default, and a quarter as many
/// under each of the others.
#[test]
fn is_12_many_random_operations_leave_every_invariant_whole() {
    for algorithm in IslandAlgorithm::ALL {
        let count = match algorithm {
            IslandAlgorithm::Persistent => scaled(100_000),
            _ => scaled(25_000),
        };
        let mut random = Random::new(4);
        let mut islands = Islands::new(algorithm);
        let mut oracle = Oracle::default();
        for step in 0..count {
            oracle.step(Operation::random(&mut random, 30, 55), &mut islands, &Inline);
            islands.validate().unwrap();
            if step % 100 == 0 {
                oracle.check(&islands);
            }
        }
        oracle.check_split(&mut islands);
    }
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
                _ => Operation::SplitIslands(edge),
            };
            oracle.apply(operation, &mut islands);
            oracle.check(&islands);
        }
        oracle.check_split(&mut islands);
    }
}
