//! The corner cases of islands, one by one: merging, removal, sleep, budgets, orders, traces.

use tombolo_physics::island::{IslandAlgorithm, IslandError, Islands, WorkBudget};
use tombolo_threads::{Executor, Inline, Pool};

/// Nodes `0..count`, each linked to the next by the edge with the index of the second.
fn chain(count: u32) -> Islands {
    let mut islands = Islands::default();
    for node in 0..count {
        islands.add_node(node).unwrap();
        if node > 0 {
            islands.link(node, node - 1, node).unwrap();
        }
    }
    islands
}

fn nodes(islands: &Islands, island: u32) -> Vec<u32> {
    islands.nodes(island).collect()
}

#[test]
fn is_3_the_larger_island_keeps_its_index_and_a_tie_keeps_the_first() {
    let mut islands = Islands::default();
    let of: Vec<u32> = (0..5).map(|node| islands.add_node(node).unwrap()).collect();
    let linked = islands.link(0, 1, 0).unwrap();
    assert_eq!((linked.island, linked.absorbed), (of[1], Some(of[0])));
    let linked = islands.link(1, 2, 0).unwrap();
    assert_eq!((linked.island, linked.absorbed), (of[1], Some(of[2])));
    assert_eq!(nodes(&islands, of[1]), [1, 0, 2]);
    let linked = islands.link(2, 2, 1).unwrap();
    assert_eq!((linked.island, linked.absorbed), (of[1], None));
    assert_eq!((islands.node_count(of[1]), islands.edge_count(of[1])), (3, 3));
    assert_eq!(islands.edges(of[1]).collect::<Vec<_>>(), [0, 2, 1]);
}

#[test]
fn is_3_two_sleeping_islands_merge_asleep_and_an_awake_one_wakes_the_whole_first() {
    for algorithm in IslandAlgorithm::ALL {
        let mut islands = Islands::new(algorithm);
        for node in 0..5 {
            islands.add_node(node).unwrap();
        }
        islands.link(0, 0, 1).unwrap();
        islands.update(&Inline, &[0, 1, 2, 3, 4]).unwrap();
        for node in 0..4 {
            islands.sleep(islands.island_of(node).unwrap()).unwrap();
        }
        let merged = islands.link(1, 1, 2).unwrap().island;
        assert!(islands.is_asleep(merged));
        assert_eq!(nodes(&islands, merged).len(), 3);

        assert_eq!(islands.link(2, 4, 2), Err(IslandError::Asleep { island: merged }));
        assert_eq!(islands.edge_count(merged), 2, "a refused link changes nothing");
        islands.wake(merged).unwrap();
        islands.link(2, 4, 2).unwrap();
        islands.update(&Inline, &[0, 1, 2, 4]).unwrap();
        assert_eq!(
            islands.node_count(islands.island_of(4).unwrap()),
            4,
            "{algorithm:?}"
        );
        assert!(
            islands.is_asleep(islands.island_of(3).unwrap()),
            "untouched sleepers sleep on"
        );
        islands.validate().unwrap();
    }
}

#[test]
fn is_4_a_removed_cut_node_splits_its_island_and_an_empty_island_ends() {
    let mut islands = chain(5);
    let island = islands.island_of(0).unwrap();
    let generation = islands.generation(island);
    assert_eq!(
        islands.remove_node(2),
        Err(IslandError::NodeHasEdges {
            node: 2,
            edge_count: 2
        })
    );
    islands.unlink(2).unwrap();
    islands.unlink(3).unwrap();
    islands.remove_node(2).unwrap();
    assert!(islands.needs_split(island));
    islands.split_now(island).unwrap();
    assert_ne!(islands.island_of(1), islands.island_of(3));
    assert_eq!(islands.islands().count(), 2);

    let mut alone = Islands::default();
    let first = alone.add_node(0).unwrap();
    alone.remove_node(0).unwrap();
    assert_eq!(alone.islands().count(), 0);
    assert_eq!(alone.generation(first), None);
    let second = alone.add_node(9).unwrap();
    assert_eq!(first, second, "the record is used again");
    assert_ne!(
        alone.generation(second),
        generation,
        "and can be told from the one before"
    );
}

#[test]
fn is_5_a_lost_edge_that_another_path_replaces_does_not_keep_an_island_awake() {
    let mut islands = chain(4);
    let island = islands.island_of(0).unwrap();
    islands.link(9, 3, 0).unwrap();
    islands.unlink(9).unwrap();
    assert!(
        !islands.needs_split(island),
        "an edge outside the spanning tree goes without a trace"
    );
    islands.link(9, 3, 0).unwrap();
    islands.unlink(2).unwrap();
    assert_eq!(islands.sleep(island), Err(IslandError::NeedsSplit(island)));
    let done = islands.split_islands(WorkBudget::default(), &[island]);
    assert_eq!(
        (done.new_islands, done.unsplit),
        (0, 0),
        "the edge 9 takes the place of the edge 2"
    );
    islands.sleep(island).unwrap();
}

#[test]
fn is_5_a_contact_that_ends_and_begins_again_is_found_at_the_first_look() {
    let mut islands = chain(1000);
    let island = islands.island_of(0).unwrap();
    islands.unlink(5).unwrap();
    assert!(islands.needs_split(island));
    islands.link(7777, 5, 4).unwrap();
    let done = islands.split_islands(WorkBudget::default(), &[island]);
    assert_eq!((done.new_islands, done.unsplit), (0, 0));
    assert!(done.units <= 4, "{} units", done.units);
    islands.sleep(island).unwrap();
}

#[test]
fn is_5_an_island_that_gave_its_tree_up_has_one_again_in_a_larger_island() {
    let mut islands = chain(1000);
    let small = islands.island_of(0).unwrap();
    // Twice as many cuts as it takes: the second half is only counted.
    (4..1000)
        .step_by(4)
        .for_each(|edge| islands.unlink(edge).unwrap());
    assert_eq!(islands.lost_count(small), 249);
    islands.validate().unwrap();
    for node in 1000..3000 {
        islands.add_node(node).unwrap();
        if node > 1000 {
            islands.link(node, node - 1, node).unwrap();
        }
    }
    let island = islands.link(1000, 999, 1000).unwrap().island;
    assert_ne!(island, small);
    assert_eq!(
        islands.lost_count(island),
        249,
        "a gap for each part of the small one, none in the larger"
    );
    islands.validate().unwrap();
    let done = islands.split_islands(WorkBudget::UNLIMITED, &[island]);
    assert_eq!((done.new_islands, done.unsplit), (249, 0));
    assert!(
        done.units < 10_000,
        "{} units: more than the small part",
        done.units
    );
    assert_eq!(islands.node_count(islands.island_of(2999).unwrap()), 2004);
    islands.validate().unwrap();
}

#[test]
fn is_5_an_island_that_gave_its_tree_up_and_shrinks_to_one_node_is_connected() {
    // A star that loses its edges one by one: the nodes leave at once, and the hub is left.
    let mut islands = chain(1);
    for node in 1..40 {
        islands.add_node(node).unwrap();
        islands.link(node, 0, node).unwrap();
        if node % 3 == 0 {
            islands.link(100 + node, node - 1, node).unwrap();
        }
    }
    (1..40).for_each(|edge| islands.unlink(edge).unwrap());
    islands.validate().unwrap();
    (1..14).for_each(|pair| islands.unlink(100 + 3 * pair).unwrap());
    let hub = islands.island_of(0).unwrap();
    assert!(!islands.needs_split(hub));
    assert_eq!(islands.islands().count(), 40);
    islands.validate().unwrap();
}

#[test]
fn is_6_a_small_budget_is_kept_on_average_and_no_island_starves() {
    let mut islands = Islands::default();
    // Forty chains of 40, each cut in nine places.
    for node in 0..1600 {
        islands.add_node(node).unwrap();
        if node % 40 > 0 {
            islands.link(node, node - 1, node).unwrap();
        }
    }
    let mut candidates: Vec<u32> = islands.islands().collect();
    for node in (0..1600).filter(|node| node % 4 == 0 && node % 40 > 0) {
        islands.unlink(node).unwrap();
    }
    let budget = WorkBudget { units: 100 };
    let (mut calls, mut units) = (0, 0);
    while candidates.iter().any(|&island| islands.needs_split(island)) {
        let done = islands.split_islands(budget, &candidates);
        units += done.units;
        calls += 1;
        // At most one search of one island of 40 nodes and 78 ends goes over the budget.
        assert!(done.units <= 100 + 400, "{} units in a call", done.units);
        assert!(units <= 100 * calls + 400, "{units} units in {calls} calls");
        candidates.retain(|&island| islands.needs_split(island));
        assert!(calls < 1000, "an island starves");
    }
    assert!(calls > 10, "the work was spread: {calls} calls");
    islands.validate().unwrap();
    assert_eq!(islands.islands().count(), 400);
}

/// Chains of `length` nodes, one island each, all of which lost their middle edge but one node at either end.
fn cut_chains(count: u32, length: u32) -> Islands {
    let mut islands = Islands::default();
    for node in 0..count * length {
        islands.add_node(node).unwrap();
        if node % length > 0 {
            islands.link(node, node - 1, node).unwrap();
        }
    }
    for chain in 0..count {
        islands.unlink(chain * length + length / 2).unwrap();
    }
    islands
}

#[test]
fn is_6_whoever_comes_apart_in_each_step_keeps_no_other_waiting() {
    // Chains that are joined and cut again in each step, so that a search would never leave them done; the adversary does
    // so to all but one, whichever that is, of lower and of higher index.
    const COUNT: u32 = 40;
    const LENGTH: u32 = 40;
    for victim in [0, 1, COUNT / 2, COUNT - 1] {
        let mut islands = cut_chains(COUNT, LENGTH);
        let waiting = islands.island_of(victim * LENGTH).unwrap();
        let mut steps = 0;
        while islands.needs_split(waiting) {
            steps += 1;
            assert!(steps <= 10 * COUNT, "chain {victim} waits for ever");
            let candidates: Vec<u32> = islands
                .islands()
                .filter(|&island| islands.needs_split(island))
                .collect();
            islands.split_islands_in_turn(WorkBudget { units: 20 }, &candidates);
            islands.validate().unwrap();
            for chain in (0..COUNT).filter(|&chain| chain != victim) {
                let node = chain * LENGTH + LENGTH / 2;
                // An edge in the tree and then none: whether it was split or not, there is a gap again.
                let _ = islands.link(node, node - 1, node);
                islands.unlink(node).unwrap();
            }
        }
    }
}

#[test]
fn is_6_a_turn_is_kept_by_a_clone() {
    let mut islands = cut_chains(12, 40);
    let split_islands = |islands: &mut Islands| {
        let candidates: Vec<u32> = islands
            .islands()
            .filter(|&island| islands.needs_split(island))
            .collect();
        islands.split_islands_in_turn(WorkBudget { units: 10 }, &candidates);
        islands.islands().collect::<Vec<_>>()
    };
    split_islands(&mut islands);
    let mut fork = islands.clone();
    for _ in 0..200 {
        assert_eq!(split_islands(&mut islands), split_islands(&mut fork));
    }
    assert!(!islands.islands().any(|island| islands.needs_split(island)));
}

#[test]
fn is_7_parts_leave_in_the_order_of_their_first_nodes_and_the_largest_stays() {
    let mut islands = chain(9);
    let island = islands.island_of(0).unwrap();
    for edge in [2, 4, 7] {
        islands.unlink(edge).unwrap();
    }
    islands.split_now(island).unwrap();
    assert_eq!(nodes(&islands, island), [4, 5, 6]);
    let parts: Vec<Vec<u32>> = islands
        .awake_islands()
        .iter()
        .map(|&part| nodes(&islands, part))
        .collect();
    assert_eq!(parts, [vec![4, 5, 6], vec![0, 1], vec![2, 3], vec![7, 8]]);
    assert_eq!(
        islands
            .islands()
            .map(|part| islands.edge_count(part))
            .sum::<u32>(),
        5
    );
}

#[test]
fn is_8_rebuilt_islands_do_not_depend_on_algorithm_workers_or_order_of_edges() {
    let rebuilt = |algorithm, executor: &dyn Executor, reversed: bool| {
        let mut islands = Islands::new(algorithm);
        for node in 0..3000 {
            islands.add_node(node).unwrap();
        }
        let mut edges: Vec<[u32; 3]> = (0..4000)
            .map(|e| [e, e * 37 % 3000, (e * 61 + e / 7 + 1) % 3000])
            .collect();
        if reversed {
            edges.reverse();
        }
        for [edge, a, b] in edges.into_iter().filter(|[_, a, b]| a != b && (a / 100) % 3 != 0) {
            islands.link(edge, a, b).unwrap();
        }
        let awake: Vec<u32> = (0..3000).rev().collect();
        islands.update(executor, &awake).unwrap();
        islands.validate().unwrap();
        let order: Vec<u32> = islands.awake_islands().to_vec();
        let members: Vec<Vec<u32>> = order.iter().map(|&island| nodes(&islands, island)).collect();
        (order, members)
    };
    let expected = rebuilt(IslandAlgorithm::DepthFirst, &Inline, false);
    assert!(expected.0.len() > 100 && expected.1.iter().any(|members| members.len() > 500));
    for workers in [1, 2, 3, 8] {
        let pool = Pool::new(workers).unwrap();
        for reversed in [false, true] {
            for algorithm in [IslandAlgorithm::UnionFind, IslandAlgorithm::ParallelUnionFind] {
                assert!(
                    rebuilt(algorithm, &pool, reversed) == expected,
                    "{algorithm:?} with {workers} workers"
                );
            }
        }
    }
}

#[test]
fn is_9_a_wrong_list_of_awake_nodes_is_named_alike_by_all_that_read_it() {
    for algorithm in IslandAlgorithm::ALL.into_iter().skip(1) {
        let pool = Pool::new(2).unwrap();
        let mut islands = Islands::new(algorithm);
        for node in 0..4000 {
            islands.add_node(node).unwrap();
        }
        islands.sleep(islands.island_of(7).unwrap()).unwrap();
        let before = format!("{:?}", (islands.awake_islands(), islands.island_of(3)));
        let awake: Vec<u32> = (0..4000).filter(|&node| node != 7).collect();
        let with = |place: usize, node: u32| {
            let mut list = awake.clone();
            list[place] = node;
            list
        };
        let bad = [
            (with(3000, 12), IslandError::NotAwakeOnce(12)),
            (with(3000, 7), IslandError::NotAwakeOnce(7)),
            (with(3000, 4000), IslandError::NoNode(4000)),
            (
                awake[1..].to_vec(),
                IslandError::AwakeMissing {
                    given: 3998,
                    expected: 3999,
                },
            ),
        ];
        for (list, error) in bad {
            assert_eq!(islands.update(&pool, &list), Err(error), "{algorithm:?}");
        }
        assert_eq!(
            format!("{:?}", (islands.awake_islands(), islands.island_of(3))),
            before
        );
        islands.update(&pool, &awake).unwrap();
        islands.validate().unwrap();
    }
}

#[test]
fn a_node_that_lost_its_last_edge_leaves_at_once() {
    let mut islands = chain(5);
    let island = islands.island_of(0).unwrap();
    islands.unlink(1).unwrap();
    assert_eq!(
        (islands.node_count(island), islands.needs_split(island)),
        (4, false)
    );
    // The middle loses one side, which is looked into later, and then the other.
    islands.unlink(3).unwrap();
    assert!(islands.needs_split(island));
    islands.unlink(2).unwrap();
    assert!(
        !islands.needs_split(island),
        "3 and 4 are tied; 1 and 2 are alone"
    );
    assert_eq!(islands.islands().count(), 4);
    islands.validate().unwrap();
}

#[test]
fn is_9_bad_calls_are_named_and_change_nothing() {
    let mut islands = chain(3);
    let before = format!("{islands:?}");
    assert_eq!(islands.add_node(1), Err(IslandError::NodeExists(1)));
    assert_eq!(
        islands.add_node(1 << 30),
        Err(IslandError::IndexTooLarge(1 << 30))
    );
    assert_eq!(islands.remove_node(7), Err(IslandError::NoNode(7)));
    assert_eq!(islands.link(1, 0, 2), Err(IslandError::EdgeExists(1)));
    assert_eq!(islands.link(5, 0, 0), Err(IslandError::SelfLink(0)));
    assert_eq!(islands.link(5, 0, 8), Err(IslandError::NoNode(8)));
    assert_eq!(
        islands.link(u32::MAX, 0, 2),
        Err(IslandError::IndexTooLarge(u32::MAX))
    );
    assert_eq!(islands.unlink(5), Err(IslandError::NoEdge(5)));
    assert_eq!(islands.sleep(55), Err(IslandError::NoIsland(55)));
    assert_eq!(islands.wake(55), Err(IslandError::NoIsland(55)));
    assert_eq!(islands.split_now(55), Err(IslandError::NoIsland(55)));
    assert_eq!(format!("{islands:?}"), before);

    let mut rebuilt = Islands::new(IslandAlgorithm::UnionFind);
    rebuilt.add_node(0).unwrap();
    rebuilt.add_node(1).unwrap();
    assert_eq!(
        rebuilt.update(&Inline, &[0, 0]),
        Err(IslandError::NotAwakeOnce(0))
    );
    assert_eq!(
        rebuilt.update(&Inline, &[0]),
        Err(IslandError::AwakeMissing {
            given: 1,
            expected: 2
        })
    );
    assert_eq!(rebuilt.update(&Inline, &[0, 6]), Err(IslandError::NoNode(6)));
    assert!(IslandError::NeedsSplit(3).to_string().contains("island 3"));
}

#[test]
fn is_11_forced_sleep_splits_first_and_leaves_the_rest_awake() {
    for algorithm in IslandAlgorithm::ALL {
        let mut islands = Islands::new(algorithm);
        for node in 0..6 {
            islands.add_node(node).unwrap();
        }
        (1..6).for_each(|node| {
            islands.link(node, node - 1, node).unwrap();
        });
        islands.update(&Inline, &[0, 1, 2, 3, 4, 5]).unwrap();
        islands.unlink(3).unwrap();
        islands.split_now(islands.island_of(5).unwrap()).unwrap();
        islands.sleep(islands.island_of(5).unwrap()).unwrap();
        assert!(!islands.is_asleep(islands.island_of(0).unwrap()), "{algorithm:?}");
        assert_eq!(islands.node_count(islands.island_of(5).unwrap()), 3);
        // An edge lost in its sleep: it is two islands, still asleep, once it is split.
        let asleep = islands.island_of(5).unwrap();
        islands.unlink(5).unwrap();
        islands.split_now(asleep).unwrap();
        assert_ne!(islands.island_of(5), islands.island_of(4));
        assert!(
            [4, 5]
                .into_iter()
                .all(|node| islands.is_asleep(islands.island_of(node).unwrap()))
        );
        islands.validate().unwrap();
    }
}

/// A chain cut in the middle, a star that loses its hub, a ring cut twice, a complete bipartite graph that churns: each
/// costs no more than a few passes over what was touched.
#[test]
fn is_13_adversaries_stay_within_a_few_passes_over_their_island() {
    let mut islands = chain(4000);
    for _ in 0..20 {
        let island = islands.island_of(0).unwrap();
        islands.unlink(2000).unwrap();
        let done = islands.split_islands(WorkBudget::UNLIMITED, &[island]);
        assert_eq!(done.new_islands, 1);
        assert!(done.units <= 6 * 4000, "{} units for a chain", done.units);
        islands.link(2000, 1999, 2000).unwrap();
    }

    let mut islands = Islands::default();
    (0..2000).for_each(|node| {
        islands.add_node(node).unwrap();
    });
    (1..2000).for_each(|node| {
        islands.link(node, 0, node).unwrap();
    });
    let island = islands.island_of(0).unwrap();
    (1..2000).for_each(|node| islands.unlink(node).unwrap());
    islands.remove_node(0).unwrap();
    let done = islands.split_islands(WorkBudget::UNLIMITED, &[island]);
    assert_eq!(islands.islands().count(), 1999);
    assert!(done.units <= 4 * 2000, "{} units for a star", done.units);

    let mut islands = chain(1000);
    islands.link(0, 999, 0).unwrap();
    let island = islands.island_of(0).unwrap();
    islands.unlink(100).unwrap();
    islands.unlink(600).unwrap();
    let done = islands.split_islands(WorkBudget::UNLIMITED, &[island]);
    assert_eq!((done.new_islands, islands.islands().count()), (1, 2));
    assert!(done.units <= 12 * 1000, "{} units for a ring", done.units);

    let mut islands = Islands::default();
    (0..80).for_each(|node| {
        islands.add_node(node).unwrap();
    });
    let pair = |edge: u32| [edge / 40, 40 + edge % 40];
    (0..1600).for_each(|edge| {
        islands.link(edge, pair(edge)[0], pair(edge)[1]).unwrap();
    });
    let island = islands.island_of(0).unwrap();
    for edge in (0..1600).chain(0..1600) {
        islands.unlink(edge).unwrap();
        let done = islands.split_islands(WorkBudget::UNLIMITED, &[island]);
        assert!(
            done.new_islands == 0 && done.units <= 200,
            "{} units for a dense graph",
            done.units
        );
        islands.link(edge, pair(edge)[0], pair(edge)[1]).unwrap();
    }
}

#[test]
fn is_14_records_are_used_again_after_an_explosion() {
    let mut islands = chain(10_000);
    for round in 0..3 {
        let island = islands.island_of(0).unwrap();
        (1..10_000).for_each(|edge| islands.unlink(edge).unwrap());
        islands.split_islands(WorkBudget::UNLIMITED, &[island]);
        assert_eq!(islands.islands().count(), 10_000);
        (1..10_000).for_each(|edge| {
            islands.link(edge, edge - 1, edge).unwrap();
        });
        assert_eq!(islands.islands().count(), 1);
        assert_eq!(
            islands.island_index_end(),
            10_000,
            "no records beyond the nodes in round {round}"
        );
    }
    islands.validate().unwrap();
}
