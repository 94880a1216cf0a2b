//! Replays of small traces, by every island algorithm.

use tombolo_bench_designs::islands::TraceEvent::{Add, Begin, End, Sleep, Wake};
use tombolo_bench_designs::islands::{Replay, SplitChoice};
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
        let mut replay = Replay::new(algorithm, WorkBudget::default(), SplitChoice::Sleepiest);
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
