//! How many operations the call on this thread may make, and has made.

use std::cell::Cell;

use rhai::{Dynamic, EvalAltResult};

/// What ends a call that has used up its operations.
pub(super) struct OperationsUsedUp;

thread_local! {
    /// How many operations the call on this thread may make.
    static ALLOWED: Cell<u64> = const { Cell::new(0) };
    /// How many it has made. `rhai` counts them too, but begins again in every function that one of its own functions calls.
    static MADE: Cell<u64> = const { Cell::new(0) };
}

impl From<OperationsUsedUp> for Box<EvalAltResult> {
    fn from(_: OperationsUsedUp) -> Self {
        EvalAltResult::ErrorTerminated(Dynamic::UNIT, rhai::Position::NONE).into()
    }
}

/// A call begins, which may make so many.
pub(super) fn begin(allowed: u64) {
    ALLOWED.set(allowed);
    MADE.set(0);
}

/// How many operations the call on this thread may still make.
pub(super) fn left() -> u64 {
    ALLOWED.get().saturating_sub(MADE.get())
}

/// How many operations the call on this thread has made.
pub(super) fn counted() -> u64 {
    MADE.get()
}

/// Counts operations of the call that is running, for what costs more than one.
pub(super) fn charge(operations: usize) -> Result<(), OperationsUsedUp> {
    let made = MADE.get().saturating_add(operations as u64);
    MADE.set(made);
    if made > ALLOWED.get() {
        return Err(OperationsUsedUp);
    }
    Ok(())
}
