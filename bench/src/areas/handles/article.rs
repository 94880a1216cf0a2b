//! The rows of the article that `handle_map` comes from: 100,000 items of 8 bytes, with its peers: `Box` in a vector for
//! `unique_ptr`, the standard hash map for `unordered_map`. Its machine was another, of about 2014, so the article's
//! ratios say more than its times. Its row "clear" timed `reset`; its clears of the peers, 10 and 7 seconds, were a debug
//! heap's.

use super::super::handles_peers::{BoxVec, Container, DenseSlots, Ours, SipHash};
use super::{Run, SORTED_COUNT, filled, rounds, value};
use crate::measure::time;

/// Milliseconds: create, iterate, look up in order, clear.
type Times = [f64; 4];
const METRICS: [&str; 4] = ["create", "iterate", "iterate by handle", "clear"];

/// The times of one round of a container.
fn times<C: Container<[u64; 1]>>(count: usize) -> Times {
    let (created, (mut container, keys)) = time(|| filled::<C, 1>(count));
    let (iterated, sum) = time(|| container.sum());
    let (looked_up, same) = time(|| {
        let of = |&key| container.get(key).map_or(0, |value| value[0]);
        keys.iter().map(of).fold(0_u64, u64::wrapping_add)
    });
    assert_eq!(sum, same);
    let (cleared, ()) = time(|| container.clear());
    assert_eq!(container.len(), 0);
    [created, iterated, looked_up, cleared].map(|elapsed| elapsed.as_secs_f64() * 1e3)
}

pub(super) fn run(run: &mut Run) {
    let count = if run.smoke { 1000 } else { SORTED_COUNT };
    let mut best = [[f64::INFINITY; 4]; 4];
    let mut reset_ms = f64::INFINITY;
    for _ in 0..rounds(run) {
        let found = [
            times::<Ours<[u64; 1]>>(count),
            times::<BoxVec<[u64; 1]>>(count),
            times::<SipHash<[u64; 1]>>(count),
            times::<DenseSlots<[u64; 1]>>(count),
        ];
        for (best, found) in best.iter_mut().flatten().zip(found.into_iter().flatten()) {
            *best = best.min(found);
        }
        let mut map: Ours<[u64; 1]> = (0..count).map(value::<1>).collect();
        let (reset, ()) = time(|| map.reset());
        reset_ms = reset_ms.min(reset.as_secs_f64() * 1e3);
    }
    let [ours, peers @ ..] = &best;
    let names = [
        "Vec<Box>, for unique_ptr",
        "std HashMap, for unordered_map",
        "slotmap DenseSlotMap",
    ];
    for (at, metric) in METRICS.into_iter().enumerate() {
        for (peer, name) in peers.iter().zip(names) {
            let peer = Some((name, peer[at]));
            run.report
                .push("the article's rows", metric, "ms", ours[at], peer);
        }
    }
    let theirs = [
        ("create", ours[0], 4.749_955),
        ("iterate", ours[1], 0.263_713),
        ("iterate by handle", ours[2], 0.653_704),
        ("reset", reset_ms, 0.377_051),
    ];
    for (metric, ours, theirs) in theirs {
        let peer = Some(("the article's handle_map, its machine", theirs));
        run.report.push("the article's rows", metric, "ms", ours, peer);
    }
}
