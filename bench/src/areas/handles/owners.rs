//! Owners beside `Box`, `Rc` and `Arc`: their sizes, and the cost of making, cloning and dropping them.

use std::fmt::Debug;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;

use tombolo_handles::{AnyDeleter, GlobalHeap, Owned, OwnedBy, OwnedWith, Pool, SharedOwned, erase};

use super::{ROUNDS, Run, SORTED_COUNT};
use crate::measure::{Contender, Timing, interleave};

/// The owned value: seven words, and a drop with an effect.
#[derive(Debug)]
struct Object([u64; 7]);

impl Drop for Object {
    fn drop(&mut self) {
        black_box(self.0[0]);
    }
}

/// Makes `count` owners in a row, then drops them in that order.
fn make_and_drop<'a, O: 'a>(
    name: &str,
    count: usize,
    mut make: impl FnMut(Object) -> O + 'a,
) -> Contender<'a> {
    let mut owners = Vec::with_capacity(count);
    Contender::new(name, move || {
        owners.extend((0..count as u64).map(|number| make(Object([number; 7]))));
        let made = black_box(&owners).len() as u64;
        owners.clear();
        made
    })
}

/// Clones an owner `count` times, and drops the clones.
fn clone_and_drop<'a, O: Clone + 'a>(name: &str, count: usize, owner: O) -> Contender<'a> {
    let mut owners = Vec::with_capacity(count);
    Contender::new(name, move || {
        owners.extend((0..count).map(|_| black_box(&owner).clone()));
        let made = black_box(&owners).len() as u64;
        owners.clear();
        made
    })
}

pub(super) fn run(run: &mut Run) -> anyhow::Result<()> {
    let count = if run.smoke { 1000 } else { SORTED_COUNT };
    let rounds = if run.smoke { 1 } else { 5 * ROUNDS };
    single(run, count, rounds)?;
    shared(run, count, rounds)?;
    sizes(run)
}

fn push(run: &mut Run, case: &str, count: usize, pairs: &[(&Timing, &Timing)]) {
    for (ours, theirs) in pairs {
        run.report
            .compare(case, &ours.name, "ns", count as f64, ours, &[theirs]);
    }
}

fn single(run: &mut Run, count: usize, rounds: usize) -> anyhow::Result<()> {
    let pool = Pool::new(1024);
    let erased_pool = Pool::new(1024);
    let counter = std::cell::Cell::new(0_u64);
    let count_up = |object: Box<Object>| counter.set(counter.get() + object.0[0]);
    let case = "create and drop an object of 56 bytes";
    let timings = interleave(
        case,
        rounds,
        [
            make_and_drop("Owned<dyn>, heap", count, |object| -> Owned<dyn Debug> {
                erase!(OwnedBy::new(object) => dyn Debug)
            }),
            make_and_drop("OwnedBy, heap", count, OwnedBy::new),
            make_and_drop("OwnedBy, pool", count, |object| pool.place(object)),
            make_and_drop("Owned<dyn>, pool", count, |object| -> Owned<dyn Debug> {
                erase!(erased_pool.place(object) => dyn Debug)
            }),
            make_and_drop("OwnedWith, D empty", count, |object| OwnedWith::new(object, drop)),
            make_and_drop("OwnedWith, D a reference", count, |object| {
                OwnedWith::new(object, count_up)
            }),
            make_and_drop(
                "OwnedWith<dyn, AnyDeleter>",
                count,
                |object| -> OwnedWith<dyn Debug, AnyDeleter> {
                    erase!(OwnedWith::new(object, drop) => dyn Debug)
                },
            ),
            make_and_drop("Box<dyn>", count, |object| -> Box<dyn Debug> { Box::new(object) }),
            make_and_drop("Box", count, Box::new),
        ],
    )?;
    let [
        erased,
        typed,
        pooled,
        pooled_erased,
        empty,
        state,
        any,
        box_dyn,
        boxed,
    ] = &timings;
    let pairs = [
        (erased, box_dyn),
        (typed, boxed),
        (erased, typed),
        (pooled, boxed),
        (pooled_erased, box_dyn),
        (empty, boxed),
        (state, boxed),
        (any, box_dyn),
    ];
    push(run, case, count, &pairs);
    Ok(())
}

fn shared(run: &mut Run, count: usize, rounds: usize) -> anyhow::Result<()> {
    let case = "create and drop a shared object of 56 bytes";
    let timings = interleave(
        case,
        rounds,
        [
            make_and_drop("SharedOwned", count, SharedOwned::new),
            make_and_drop("SharedOwned of an OwnedBy", count, |object| {
                SharedOwned::from(OwnedBy::new(object))
            }),
            make_and_drop("Rc", count, Rc::new),
            make_and_drop("Arc", count, Arc::new),
        ],
    )?;
    let [one_piece, two_pieces, rc, arc] = &timings;
    let pairs = [(one_piece, rc), (one_piece, arc), (two_pieces, arc)];
    push(run, case, count, &pairs);
    let case = "clone and drop a shared owner";
    let object = || Object([1; 7]);
    let timings = interleave(
        case,
        rounds,
        [
            clone_and_drop("SharedOwned", count, SharedOwned::new(object())),
            clone_and_drop("Rc", count, Rc::new(object())),
            clone_and_drop("Arc", count, Arc::new(object())),
        ],
    )?;
    let [ours, rc, arc] = &timings;
    push(run, case, count, &[(ours, rc), (ours, arc)]);
    Ok(())
}

/// An owner, its bytes, and the article's figures for the same.
type Row = (&'static str, usize, &'static [(&'static str, f64)]);

/// The article's sizes: of an owner whose deleter is erased, and of a shared one.
pub(in super::super) fn sizes(run: &mut Run) -> anyhow::Result<()> {
    const FUNCTION: (&str, f64) = ("the article: function pointer", 16.0);
    const STD_FUNCTION: [(&str, f64); 2] = [
        ("the article: std::function, GCC 5.3", 32.0),
        ("the article: std::function, Visual C++ 2015", 64.0),
    ];
    let rows: [Row; 4] = [
        (
            "OwnedBy",
            size_of::<OwnedBy<Object, GlobalHeap>>(),
            &[("the article: empty deleter", 8.0)],
        ),
        ("Owned<dyn>", size_of::<Owned<dyn Debug>>(), &[FUNCTION]),
        (
            "OwnedWith<T, AnyDeleter>",
            size_of::<OwnedWith<Object, AnyDeleter>>(),
            &STD_FUNCTION,
        ),
        (
            "OwnedWith<dyn, AnyDeleter>",
            size_of::<OwnedWith<dyn Debug, AnyDeleter>>(),
            &STD_FUNCTION,
        ),
    ];
    for (name, bytes, peers) in rows {
        for &peer in peers {
            run.report
                .push("size of an owner", name, "B", bytes as f64, Some(peer));
        }
    }
    let shared = size_of::<SharedOwned<Object>>() as f64;
    for (name, bytes) in [("Rc", size_of::<Rc<Object>>()), ("Arc", size_of::<Arc<Object>>())] {
        run.report.push(
            "size of an owner",
            "SharedOwned",
            "B",
            shared,
            Some((name, bytes as f64)),
        );
    }
    Ok(())
}
