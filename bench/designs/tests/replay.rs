//! Tests of replays of small traces, with every island algorithm.

use tombolo_bench_designs::islands::TraceEvent::{Add, Begin, End, Sleep, Wake};
use tombolo_bench_designs::islands::{Replay, SplitChoice, TraceEvent};
use tombolo_physics::island::{IslandAlgorithm, IslandError, WorkBudget};
use tombolo_threads::Inline;

/// Two pairs of bodies; one pair falls asleep, is touched by a third body, and wakes as a whole in that step.
#[test]
fn replays_sleep_and_wake_whole_islands_in_the_step_in_which_they_are_touched() {
    let steps = [
        vec![Add(0), Add(1), Add(2), Begin(0, [0, 1])],
        vec![Sleep(0)],
        vec![Sleep(1)],
        vec![Begin(1, [2, 1]), Wake(1)],
        vec![End(1), Sleep(1)],
        vec![],
        vec![],
    ];
    for algorithm in IslandAlgorithm::ALL {
        let mut replay = Replay::new(algorithm, WorkBudget::default(), SplitChoice::InTurn);
        let awake: Vec<usize> = steps
            .iter()
            .map(|step| {
                replay.step(step, &Inline).unwrap();
                replay.islands().validate().unwrap();
                replay.awake().len()
            })
            .collect();
        assert_eq!(awake[..4], [3, 3, 1, 3], "{algorithm:?}");
        assert_eq!(
            awake[6], 1,
            "{algorithm:?}: the pair sleeps again, the third body does not"
        );
    }
    let mut replay = Replay::new(
        IslandAlgorithm::Persistent,
        WorkBudget::default(),
        SplitChoice::All,
    );
    assert_eq!(
        replay.step(&[Add(0), End(3)], &Inline),
        Err(IslandError::NoEdge(3))
    );
}

/// A chain of 20 nodes from `first`, each but the first connected to the one before it by the edge of its own number.
fn chain(first: u32) -> Vec<TraceEvent> {
    let nodes = (first..first + 20).map(Add);
    let edges = (first + 1..first + 20).map(|node| Begin(node, [node - 1, node]));
    nodes.chain(edges).collect()
}

/// One island comes apart again in every step, and a node of it has been ready to sleep for longest; another one came
/// apart once. If islands take turns the other sleeps at last; if the sleepiest is always first it never does.
#[test]
fn whoever_comes_apart_in_every_step_delays_others_for_ever_unless_islands_take_turns() {
    let restless = [Begin(10, [9, 10]), End(10)];
    let choices = [
        (SplitChoice::InTurn, true),
        (SplitChoice::SleepiestInTurn, true),
        (SplitChoice::Sleepiest, false),
    ];
    for (choice, sleeps) in choices {
        let mut replay = Replay::new(IslandAlgorithm::Persistent, WorkBudget { units: 1 }, choice);
        let mut step = |events: &[TraceEvent]| {
            replay.step(events, &Inline).unwrap();
            replay.islands().validate().unwrap();
            replay.is_awake(20)
        };
        step(&[chain(0), chain(20)].concat());
        // The ends of the first chain are never ready.
        let ready: Vec<TraceEvent> = (1..19).map(Sleep).collect();
        step(&[vec![End(10)], ready].concat());
        let ready: Vec<TraceEvent> = (20..40).map(Sleep).collect();
        step(&[vec![End(30)], ready].concat());
        let is_awake = (0..600).all(|_| step(&restless));
        assert_eq!(!is_awake, sleeps, "{choice:?}");
    }
}
