//! Area `handles`: the handle map beside other slot maps and hash maps, its sorting beside the slice's, owners
//! beside boxes (`owners.rs`), and the table of the article it descends from (`article.rs`).

mod article;
pub(super) mod owners;

use std::alloc::Layout;
use std::hint::black_box;

use clap::ArgMatches;
use tombolo_handles::{HandleMap, OrderId, SortBudget, Sorter};

use super::handles_peers::{
    BoxVec, Container, DenseSlots, Fold, Fx, Ours, Plain, SipHash, Slab, Slots, Thunderdome,
};
use super::{Area, Run, no_options};
use crate::measure::{Contender, Timing, interleave, time};
use crate::plot;

pub(super) const AREA: Area = Area {
    name: "handles",
    description: "The handle map beside slotmap, thunderdome, slab and hash maps; sorting; erased owners",
    options: no_options,
    run,
};

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];
const ROUNDS: usize = 9;
/// The least number of operations in a round, so that a round of the smallest size can be timed.
const OPERATIONS_MIN: usize = 200_000;
/// The number of values in the sort cases; the article's own.
const SORTED_COUNT: usize = 100_000;

fn run(_: &ArgMatches, run: &mut Run) -> anyhow::Result<()> {
    let sizes: &[usize] = if run.smoke { &[1000] } else { &SIZES };
    let mut churn = Vec::new();
    for &size in sizes {
        maps::<1>(run, size, &mut churn)?;
        maps::<8>(run, size, &mut churn)?;
    }
    let title = "Remove one value and insert another, at random";
    let axes = plot::Axes {
        title,
        x: "log10 of the number of values",
        y: "ns",
        scale: plot::Scale::Linear,
    };
    plot::lines(&run.out.join("handles-churn"), &axes, &by_name(churn))?;
    article(run)?;
    owners::run(run)
}

/// The operations that the article on `handle_map` has figures of.
pub(super) fn article(run: &mut Run) -> anyhow::Result<()> {
    article::run(run);
    sorting(run)
}

fn rounds(run: &Run) -> usize {
    if run.smoke { 1 } else { ROUNDS }
}

/// One point of a plot: the name of its line, and its coordinates.
type Point = (String, (f64, f64));

/// Groups points into lines by name.
fn by_name(points: Vec<Point>) -> Vec<plot::Line> {
    let mut lines: Vec<plot::Line> = Vec::new();
    for (name, point) in points {
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push(point),
            None => lines.push(plot::Line {
                name,
                points: vec![point],
            }),
        }
    }
    lines
}

/// A generator of random numbers (Steele, Lea, Flood, 2014): the same for every contender.
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// A value of 8 × `N` bytes that differs for each number.
fn value<const N: usize>(number: usize) -> [u64; N] {
    [number as u64; N]
}

fn filled<C: Container<[u64; N]>, const N: usize>(size: usize) -> (C, Vec<C::Key>) {
    let mut container = C::default();
    let keys = (0..size).map(|number| container.insert(value(number))).collect();
    (container, keys)
}

fn create<C: Container<[u64; N]>, const N: usize>(size: usize) -> Contender<'static> {
    Contender::new(C::NAME, move || {
        let mut answer = 0;
        for _ in 0..OPERATIONS_MIN.div_ceil(size) {
            let mut container = C::default();
            for number in 0..size {
                container.insert(value(number));
            }
            answer += black_box(&container).len() as u64;
        }
        answer
    })
}

/// Like `create`, with all values inserted at once.
fn create_at_once<const N: usize>(size: usize) -> Contender<'static> {
    Contender::new("ours", move || {
        let mut answer = 0;
        for _ in 0..OPERATIONS_MIN.div_ceil(size) {
            let map: Ours<[u64; N]> = (0..size).map(value).collect();
            answer += black_box(&map).len() as u64;
        }
        answer
    })
}

fn iterate<C: Container<[u64; N]> + 'static, const N: usize>(size: usize) -> Contender<'static> {
    let (container, _) = filled::<C, N>(size);
    Contender::new(C::NAME, move || {
        (0..OPERATIONS_MIN.div_ceil(size))
            .map(|_| black_box(&container).sum())
            .fold(0, u64::wrapping_add)
    })
}

/// Looks all values up, in the order of insertion or shuffled.
fn look_up<C: Container<[u64; N]> + 'static, const N: usize>(
    size: usize,
    shuffled: bool,
) -> Contender<'static> {
    let (container, mut keys) = filled::<C, N>(size);
    if shuffled {
        SplitMix(1).shuffle(&mut keys);
    }
    Contender::new(C::NAME, move || {
        let mut sum = 0_u64;
        for _ in 0..OPERATIONS_MIN.div_ceil(size) {
            for &key in black_box(&keys) {
                sum = sum.wrapping_add(container.get(key).map_or(0, |value| value[0]));
            }
        }
        sum
    })
}

/// Like `look_up`, shuffled, with all handles given to the map at once.
fn look_up_many<const N: usize>(size: usize) -> Contender<'static> {
    let (map, mut keys) = filled::<Ours<[u64; N]>, N>(size);
    SplitMix(1).shuffle(&mut keys);
    Contender::new("ours", move || {
        let mut sum = 0_u64;
        for _ in 0..OPERATIONS_MIN.div_ceil(size) {
            map.visit_many(black_box(&keys), |_, value| {
                sum = sum.wrapping_add(value.map_or(0, |value| value[0]));
            });
        }
        sum
    })
}

/// Removes a random value and inserts another, as often as there are values.
fn churn<C: Container<[u64; N]> + 'static, const N: usize>(size: usize) -> Contender<'static> {
    let (mut container, mut keys) = filled::<C, N>(size);
    let mut random = SplitMix(2);
    let places: Vec<usize> = (0..size.max(OPERATIONS_MIN))
        .map(|_| random.below(size))
        .collect();
    Contender::new(C::NAME, move || {
        let mut sum = 0_u64;
        for (number, &at) in places.iter().enumerate() {
            sum = sum.wrapping_add(container.remove(keys[at]).map_or(0, |value| value[0]));
            keys[at] = container.insert(value(number));
        }
        sum
    })
}

/// The timings of one operation for all contenders: ours first.
macro_rules! all {
    ($rounds:expr, $case:expr, $operation:ident, $n:ident, ($($argument:expr),*)) => {
        interleave($case, $rounds, [
            $operation::<Ours<[u64; $n]>, $n>($($argument),*),
            $operation::<DenseSlots<[u64; $n]>, $n>($($argument),*),
            $operation::<Slots<[u64; $n]>, $n>($($argument),*),
            $operation::<Thunderdome<[u64; $n]>, $n>($($argument),*),
            $operation::<Slab<[u64; $n]>, $n>($($argument),*),
            $operation::<BoxVec<[u64; $n]>, $n>($($argument),*),
            $operation::<SipHash<[u64; $n]>, $n>($($argument),*),
            $operation::<Fold<[u64; $n]>, $n>($($argument),*),
            $operation::<Fx<[u64; $n]>, $n>($($argument),*),
        ])?
    };
}

fn push(run: &mut Run, case: &str, metric: &str, operations: usize, timings: &[Timing]) {
    let (ours, peers) = timings.split_first().expect("ours is first");
    let peers: Vec<&Timing> = peers.iter().collect();
    run.report
        .compare(case, metric, "ns", operations as f64, ours, &peers);
}

fn maps<const N: usize>(run: &mut Run, size: usize, points: &mut Vec<Point>) -> anyhow::Result<()> {
    let rounds = rounds(run);
    let case = format!("{size} values of {} bytes", 8 * N);
    let whole = size * OPERATIONS_MIN.div_ceil(size);
    push(
        run,
        &case,
        "create",
        whole,
        &all!(rounds, &case, create, N, (size)),
    );
    let at_once = [
        create_at_once::<N>(size),
        create::<DenseSlots<[u64; N]>, N>(size),
        create::<Slots<[u64; N]>, N>(size),
    ];
    push(
        run,
        &case,
        "create at once",
        whole,
        &interleave(&case, rounds, at_once)?,
    );
    push(
        run,
        &case,
        "iterate",
        whole,
        &all!(rounds, &case, iterate, N, (size)),
    );
    let plain = [
        iterate::<Ours<[u64; N]>, N>(size),
        iterate::<Plain<[u64; N]>, N>(size),
    ];
    push(run, &case, "iterate", whole, &interleave(&case, rounds, plain)?);
    push(
        run,
        &case,
        "look up in order",
        whole,
        &all!(rounds, &case, look_up, N, (size, false)),
    );
    push(
        run,
        &case,
        "look up shuffled",
        whole,
        &all!(rounds, &case, look_up, N, (size, true)),
    );
    let many = [
        look_up_many::<N>(size),
        look_up::<DenseSlots<[u64; N]>, N>(size, true),
        look_up::<Slots<[u64; N]>, N>(size, true),
        look_up::<Ours<[u64; N]>, N>(size, true),
    ];
    push(
        run,
        &case,
        "look up many shuffled",
        whole,
        &interleave(&case, rounds, many)?,
    );
    let churned = all!(rounds, &case, churn, N, (size));
    let operations = size.max(OPERATIONS_MIN);
    push(run, &case, "churn", operations, &churned);
    if N == 1 {
        let ns = |timing: &Timing| timing.minimum_ns() / operations as f64;
        let x = (size as f64).log10();
        points.extend(
            churned
                .iter()
                .take(5)
                .map(|timing| (timing.name.clone(), (x, ns(timing)))),
        );
    }
    bytes::<N>(run, &case, size);
    Ok(())
}

/// Heap bytes a value, in containers that have grown by pushing and then shrunk if they can.
fn bytes<const N: usize>(run: &mut Run, case: &str, size: usize) {
    let (mut ours, _) = filled::<Ours<[u64; N]>, N>(size);
    ours.shrink_to_fit();
    let ours = ours.memory_bytes() as f64 / size as f64;
    let layout = Layout::new::<([u64; N], slotmap::DefaultKey)>();
    // DenseSlotMap keeps the value and its key, and 8 bytes a slot of which one is a sentinel; it reports its values'
    // capacity only and cannot shrink, so this is its least.
    let dense = (layout.size() * size + 8 * (size + 1)) as f64 / size as f64;
    run.report.push(
        case,
        "memory a value",
        "B",
        ours,
        Some(("slotmap DenseSlotMap, least", dense)),
    );
}

type Keyed = (u64, u64);

/// Values in shuffled order, or sorted except for `displaced` of them.
fn keyed(count: usize, displaced: Option<usize>) -> Vec<Keyed> {
    let mut random = SplitMix(3);
    let mut values: Vec<Keyed> = (0..count as u64).map(|key| (key, !key)).collect();
    match displaced {
        None => random.shuffle(&mut values),
        Some(displaced) => {
            for _ in 0..displaced {
                values[random.below(count)].0 = random.below(count) as u64;
            }
        }
    }
    values
}

fn answer(values: &[Keyed]) -> u64 {
    assert!(values.is_sorted_by_key(|value| value.0));
    values.len() as u64
}

fn sorting(run: &mut Run) -> anyhow::Result<()> {
    let count = if run.smoke { 1000 } else { SORTED_COUNT };
    let order = OrderId(1);
    for (metric, values) in [
        ("sort shuffled", keyed(count, None)),
        ("sort, 1 % displaced", keyed(count, Some(count / 100))),
    ] {
        let map: HandleMap<Keyed> = values.iter().copied().collect();
        let case = format!("{count} values of 16 bytes");
        // The cost of copying the unsorted values is part of both, as sorting changes them.
        let mut ours = map.clone();
        let mut theirs = values.clone();
        let ours = Contender::new("ours", || {
            ours.clone_from(&map);
            ours.sort_by_key(order, |value| value.0);
            answer(ours.values_slice())
        });
        let slice = Contender::new("sort_by_key on a slice", || {
            theirs.clone_from(&values);
            theirs.sort_by_key(|value| value.0);
            answer(&theirs)
        });
        let [ours, slice] = interleave(&case, rounds(run), [ours, slice])?;
        run.report.compare(&case, metric, "ms", 1e6, &ours, &[&slice]);
        if metric == "sort shuffled" {
            let seed = Some(("the article's handle_map, its machine", 32_538.735));
            run.report
                .push(&case, metric, "ms", ours.minimum_ns() / 1e6, seed);
        }
        budgeted(run, &case, metric, map, order);
    }
    Ok(())
}

/// The longest time of one call of a sorter, and the number of calls that it needs.
fn budgeted(run: &mut Run, case: &str, metric: &str, mut map: HandleMap<Keyed>, order: OrderId) {
    let budget = SortBudget {
        comparisons: 10_000,
        swaps: 1000,
    };
    let mut sorter = Sorter::new(order);
    let (mut calls, mut total_ms, mut longest_ms) = (0, 0.0, 0.0_f64);
    loop {
        let mut called = 0;
        let (elapsed, progress) = time(|| {
            sorter.advance(&mut map, budget, |a, b| {
                called += 1;
                a.0.cmp(&b.0)
            })
        });
        assert!(
            called <= budget.comparisons && progress.swaps <= budget.swaps,
            "over budget"
        );
        calls += 1;
        total_ms += elapsed.as_secs_f64() * 1e3;
        longest_ms = longest_ms.max(elapsed.as_secs_f64() * 1e3);
        if progress.is_ordered {
            break;
        }
    }
    answer(map.values_slice());
    for (what, unit, figure) in [
        ("calls", "", f64::from(calls)),
        ("in all", "ms", total_ms),
        ("longest call", "ms", longest_ms),
    ] {
        let metric = format!("{metric} within 10,000 comparisons and 1,000 swaps a call: {what}");
        run.report.push(case, &metric, unit, figure, None);
    }
}
