//! Counts the operations of the call on this thread, against its limit. Everything that charges scripts uses it.

use std::cell::Cell;

use rhai::{Dynamic, EvalAltResult};

/// The error that ends a call without operations left.
pub(super) struct OperationsUsedUp;

/// The operations of a call.
struct Meter {
    /// The number that it may make.
    allowed: Cell<u64>,
    /// The number that it has made. `rhai` counts them too, but restarts in every function that one of its own functions
    /// calls.
    made: Cell<u64>,
}

thread_local! {
    /// The meter of the call on this thread. One, since each operation looks it up.
    static METER: Meter = const {
        Meter {
            allowed: Cell::new(0),
            made: Cell::new(0),
        }
    };
}

impl From<OperationsUsedUp> for Box<EvalAltResult> {
    fn from(_: OperationsUsedUp) -> Self {
        EvalAltResult::ErrorTerminated(Dynamic::UNIT, rhai::Position::NONE).into()
    }
}

/// Begins a call with a limit of operations.
pub(super) fn begin(allowed: u64) {
    METER.with(|meter| {
        meter.allowed.set(allowed);
        meter.made.set(0);
    });
}

/// The number of operations that the call on this thread may still make.
pub(super) fn left() -> u64 {
    METER.with(|meter| meter.allowed.get().saturating_sub(meter.made.get()))
}

/// The number of operations that the call on this thread has made.
pub(super) fn counted() -> u64 {
    METER.with(|meter| meter.made.get())
}

/// Counts further operations of the running call, for work that costs more than one.
#[inline]
pub(super) fn charge(operations: usize) -> Result<(), OperationsUsedUp> {
    METER.with(|meter| {
        let made = meter.made.get().saturating_add(operations as u64);
        meter.made.set(made);
        if made > meter.allowed.get() {
            return Err(OperationsUsedUp);
        }
        Ok(())
    })
}
