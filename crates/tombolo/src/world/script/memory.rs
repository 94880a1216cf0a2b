//! The memory limit of a running script. The language itself checks the size of values that its functions create, but
//! not an assignment into a list or a map (`a[i] = b`); so the variables are measured from time to time.
//!
//! That happens at the marks of `marks.rs`: wherever a variable or a part of `this` is read as a whole, and no value
//! can grow without that. A measurement is due after a quarter as many operations as there were values at the last
//! one, so an operation pays for at most four values.
//!
//! The depth of values is limited too: whoever copies, drops or measures a list of lists calls itself for each level, and
//! a thread has a few megabytes of stack. A value can be put into another one only where it is read as a whole, and there
//! its depth is looked at, with its size (`prices.rs`). Between two such looks a value grows by no more levels than an
//! expression and the functions within functions have: some hundreds.

use std::cell::Cell;

use rhai::{Dynamic, EvalAltResult, EvalContext, FnPtr, Position, Scope};

use super::meter::counted;

/// The variables that a hook of the language has access to.
#[derive(Clone, Copy)]
pub(super) struct View<'v> {
    pub(super) scope: &'v Scope<'v>,
    pub(super) this: Option<&'v Dynamic>,
}

impl<'v> View<'v> {
    pub(super) fn of(context: &'v EvalContext<'_, '_, '_, '_, '_, '_>) -> Self {
        let (scope, this) = (context.scope(), context.this_ptr());
        Self { scope, this }
    }
}

/// The bytes of any value.
const VALUE_BYTES: usize = size_of::<Dynamic>();
/// The bytes of a map's entry beside its value: the name, and its share of the tree.
const ENTRY_BYTES: usize = 64;
/// The greatest depth of lists, maps and functions in each other.
pub(super) const DEPTH_MAX: usize = 64;
/// The least number of operations between two measurements.
const INTERVAL_MIN: u64 = 128;
/// The greatest number of values that are measured for each operation.
const VALUES_PER_OPERATION: u64 = 4;

thread_local! {
    /// The number of operations at which the call on this thread is measured again.
    static DUE: Cell<u64> = const { Cell::new(0) };
}

/// Begins a call.
pub(super) fn begin() {
    DUE.set(INTERVAL_MIN);
}

/// Ends a call whose variables, or `this`, take more than `most` bytes, if a measurement is due.
pub(super) fn look(view: View<'_>, most: usize) -> Result<(), Box<EvalAltResult>> {
    let now = counted();
    if now >= DUE.get() {
        let (bytes, values) = measure(view, most);
        if bytes > most {
            return Err(too_large(Position::NONE));
        }
        DUE.set(now + INTERVAL_MIN.max(values / VALUES_PER_OPERATION));
    }
    Ok(())
}

/// The error of a value that is deeper than [`DEPTH_MAX`].
pub(super) fn too_deep() -> Box<EvalAltResult> {
    EvalAltResult::ErrorDataTooLarge("depth of lists and maps".into(), Position::NONE).into()
}

fn too_large(position: Position) -> Box<EvalAltResult> {
    EvalAltResult::ErrorDataTooLarge("what its variables hold".into(), position).into()
}

/// The bytes and values of the running function's variables and of `this`; counting ends beyond `most` bytes.
fn measure(view: View<'_>, most: usize) -> (usize, u64) {
    let mut sum = Sum {
        bytes: 0,
        values: 0,
        most,
    };
    for (_, _, value) in view.scope.iter_raw() {
        sum.add(value);
    }
    if let Some(this) = view.this {
        sum.add(this);
    }
    (sum.bytes, sum.values)
}

/// Whether a value is neither a container nor a string.
pub(super) fn is_plain(value: &Dynamic) -> bool {
    !(value.is_array() || value.is_map() || value.is_string() || value.is_fnptr())
}

struct Sum {
    bytes: usize,
    values: u64,
    most: usize,
}

impl Sum {
    fn add(&mut self, value: &Dynamic) {
        self.bytes += VALUE_BYTES;
        self.values += 1;
        if self.bytes > self.most || is_plain(value) {
            return;
        }
        if let Ok(text) = value.as_immutable_string_ref() {
            self.bytes += text.len();
        } else if let Ok(list) = value.as_array_ref() {
            list.iter().for_each(|value| self.add(value));
        } else if let Ok(map) = value.as_map_ref() {
            for (name, value) in map.iter() {
                self.bytes += ENTRY_BYTES + name.len();
                self.add(value);
            }
        } else if let Some(function) = value.read_lock::<FnPtr>() {
            function.curry().iter().for_each(|value| self.add(value));
        }
    }
}
