//! Family `handles`: a handle map beside a plain tree map, with generations that run out, values whose drops and
//! comparisons panic, and raw parts that were forged.

mod item;
mod model;

use tombolo_handles::{Layout, WhenExhausted};

use crate::family::{Family, same};
use crate::random::{Forgery, Random};
use item::{CLONES_LEFT, ITEMS};
use model::Model;

/// The family.
pub(crate) struct Handles;

/// One call on the map. Numbers that choose something are taken modulo the count.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// Chooses the layout of the case: the first such operation counts.
    Use(Kind),
    Insert(u64),
    InsertMany {
        count: usize,
        panic_at: Option<usize>,
    },
    Extend {
        count: usize,
        panic_at: Option<usize>,
    },
    Remove(usize),
    RemoveMany(Vec<usize>),
    /// A removal whose value panics in its drop.
    RemoveAndPanic(usize),
    /// Any bits as a handle.
    Forged(u64),
    /// A handle that was given and may be stale.
    Old(usize),
    Change(usize, u64),
    Disjoint(usize, usize, usize),
    Swap(usize, usize),
    Sort {
        order: u16,
        panic_after: Option<usize>,
    },
    /// A sort with an inconsistent comparison.
    SortWrongly(u64),
    SortABit {
        comparisons: usize,
        swaps: usize,
        panic_after: Option<usize>,
    },
    Group {
        groups: usize,
        panic_after: Option<usize>,
    },
    Retain {
        keep: u64,
        panic_after: Option<usize>,
    },
    Drain(usize),
    DrainAndLeak(usize),
    Clear,
    ClearAndPanic(usize),
    Reset,
    Shrink,
    CloneFrom {
        panic_at: Option<usize>,
    },
    Restore,
    /// Forges the parts; accepted parts are used from then on.
    Forge(Vec<(u8, Forgery)>),
    NoteAndPrune(usize),
}

/// Layouts, which differ in how soon slots and generations run out, and in the behavior then.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Plain,
    Retiring,
    Wrapping,
    Panicking,
    FewSlots,
}

macro_rules! layout {
    ($name:ident, $index:literal, $generation:literal, $policy:ident) => {
        #[derive(Clone, Copy, Debug)]
        struct $name;
        impl Layout for $name {
            const INDEX_BITS: u32 = $index;
            const GENERATION_BITS: u32 = $generation;
            const TAG_BITS: u32 = 15;
            const WHEN_EXHAUSTED: WhenExhausted = WhenExhausted::$policy;
        }
    };
}

layout!(Plain, 32, 16, Retire);
layout!(Retiring, 32, 2, Retire);
layout!(Wrapping, 32, 2, Wrap);
layout!(Panicking, 32, 3, Panic);
layout!(FewSlots, 3, 1, Retire);

impl Family for Handles {
    const NAME: &'static str = "handles";
    const ABOUT: &'static str =
        "handle maps against a tree map: exhausted generations, panics, forged raw parts";
    const CASES: u64 = 200_000;
    type Operation = Operation;

    fn generate(random: &mut Random) -> Vec<Operation> {
        let kinds = [
            Kind::Plain,
            Kind::Retiring,
            Kind::Wrapping,
            Kind::Panicking,
            Kind::FewSlots,
        ];
        let count = random.within(1..60);
        let mut operations = vec![Operation::Use(random.pick(&kinds))];
        operations.extend((0..count).map(|_| operation(random)));
        operations
    }

    fn run(operations: &[Operation]) -> Result<(), String> {
        let kind = operations.iter().find_map(|operation| match operation {
            Operation::Use(kind) => Some(*kind),
            _ => None,
        });
        match kind.unwrap_or(Kind::Plain) {
            Kind::Plain => run_with::<Plain>(operations),
            Kind::Retiring => run_with::<Retiring>(operations),
            Kind::Wrapping => run_with::<Wrapping>(operations),
            Kind::Panicking => run_with::<Panicking>(operations),
            Kind::FewSlots => run_with::<FewSlots>(operations),
        }
    }
}

fn operation(random: &mut Random) -> Operation {
    let panic_at = random.one_in(3).then(|| random.below(12));
    match random.below(60) {
        0..10 => Operation::Insert(random.bits() % 8),
        10..14 => Operation::InsertMany {
            count: random.below(10),
            panic_at,
        },
        14..16 => Operation::Extend {
            count: random.below(10),
            panic_at,
        },
        16..24 => Operation::Remove(random.below(64)),
        24..26 => Operation::RemoveMany((0..random.below(6)).map(|_| random.below(16)).collect()),
        26 => Operation::RemoveAndPanic(random.below(64)),
        27..29 => Operation::Forged(forged_bits(random)),
        29..32 => Operation::Old(random.below(256)),
        32..34 => Operation::Change(random.below(64), random.bits() % 8),
        34 => Operation::Disjoint(random.below(16), random.below(16), random.below(16)),
        35..37 => Operation::Swap(random.below(20), random.below(20)),
        37..39 => Operation::Sort {
            order: random.below(2) as u16,
            panic_after: panic_at,
        },
        39 => Operation::SortWrongly(random.bits()),
        40..43 => Operation::SortABit {
            comparisons: random.below(20),
            swaps: random.below(6),
            panic_after: panic_at,
        },
        43 => Operation::Group {
            groups: random.below(10),
            panic_after: panic_at,
        },
        44..46 => Operation::Retain {
            keep: random.bits() | random.bits(),
            panic_after: panic_at,
        },
        46 => Operation::Drain(random.below(8)),
        47 => Operation::DrainAndLeak(random.below(8)),
        48 => Operation::Clear,
        49 => Operation::ClearAndPanic(random.below(16)),
        50 => Operation::Reset,
        51 => Operation::Shrink,
        52 => Operation::CloneFrom { panic_at },
        53 => Operation::Restore,
        54..58 => Operation::Forge(
            (0..random.within(1..4))
                .map(|_| (random.below(5) as u8, Forgery::new(random)))
                .collect(),
        ),
        _ => Operation::NoteAndPrune(random.below(64)),
    }
}

/// Bits of tag, generation and index that are often near those in use.
fn forged_bits(random: &mut Random) -> u64 {
    match random.below(3) {
        0 => random.bits(),
        1 => random.odd_number(),
        _ => (random.below(10) as u64) | (random.below(6) as u64) << random.pick(&[3, 32]),
    }
}

fn run_with<L: Layout>(operations: &[Operation]) -> Result<(), String> {
    let before = ITEMS.get();
    CLONES_LEFT.set(None);
    let mut model = Model::<L>::new();
    for (at, operation) in operations.iter().enumerate() {
        model
            .apply(operation)
            .and_then(|()| model.compare())
            .map_err(|message| format!("{operation:?} (operation {at}): {message}"))?;
    }
    drop(model);
    same!(ITEMS.get(), before, "values left, or dropped twice");
    Ok(())
}
