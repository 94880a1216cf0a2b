//! Counts the operations of the call on this thread, against its limit. Everything that charges scripts uses it.

use std::cell::Cell;

use rhai::{Dynamic, EvalAltResult};

/// The error that ends a call without operations left.
pub(super) struct OperationsUsedUp;

thread_local! {
    /// The number of operations that the call on this thread may make.
    static ALLOWED: Cell<u64> = const { Cell::new(0) };
    /// The number that it has made. `rhai` counts them too, but restarts in every function that one of its own
    /// functions calls.
    static MADE: Cell<u64> = const { Cell::new(0) };
}

impl From<OperationsUsedUp> for Box<EvalAltResult> {
    fn from(_: OperationsUsedUp) -> Self {
        EvalAltResult::ErrorTerminated(Dynamic::UNIT, rhai::Position::NONE).into()
    }
}

/// Begins a call with a limit of operations.
pub(super) fn begin(allowed: u64) {
    ALLOWED.set(allowed);
    MADE.set(0);
}

/// The number of operations that the call on this thread may still make.
pub(super) fn left() -> u64 {
    ALLOWED.get().saturating_sub(MADE.get())
}

/// The number of operations that the call on this thread has made.
pub(super) fn counted() -> u64 {
    MADE.get()
}

/// Counts further operations of the running call, for work that costs more than one.
pub(super) fn charge(operations: usize) -> Result<(), OperationsUsedUp> {
    let made = MADE.get().saturating_add(operations as u64);
    MADE.set(made);
    if made > ALLOWED.get() {
        return Err(OperationsUsedUp);
    }
    Ok(())
}
