//! How much memory a running script holds. The language itself checks the size of what its functions create, but not
//! an assignment into a list or a map (`a[i] = b`); so the variables are measured from time to time.
//!
//! It happens at the marks of `marks.rs`: wherever a variable or something in `this` is read as a whole, and nothing
//! can grow without that. A measurement is due after a quarter as many operations as there were values at the
//! last, so an operation pays for looking at four values at most.

use std::cell::Cell;

use rhai::{Dynamic, EvalAltResult, EvalContext, FnPtr, Position, Scope};

use super::meter::counted;

/// What a hook of the language can see.
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

/// Bytes that a value takes wherever it stands.
const VALUE_BYTES: usize = size_of::<Dynamic>();
/// Bytes that an entry of a map takes beside its value: the name, and its share of the tree.
const ENTRY_BYTES: usize = 64;
/// Operations between two measurements, at least.
const INTERVAL_MIN: u64 = 128;
/// Values that are looked at for each operation, at most.
const VALUES_PER_OPERATION: u64 = 4;

thread_local! {
    /// At so many operations the call on this thread is measured again.
    static DUE: Cell<u64> = const { Cell::new(0) };
}

/// A call begins.
pub(super) fn begin() {
    DUE.set(INTERVAL_MIN);
}

/// Ends a call whose variables, or `this`, take more than so many bytes, if a measurement is due.
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

fn too_large(position: Position) -> Box<EvalAltResult> {
    EvalAltResult::ErrorDataTooLarge("what its variables hold".into(), position).into()
}

/// Bytes and values that the variables of the running function and `this` come to; counting ends beyond `most` bytes.
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

/// Whether it is a value that holds no others, and no text.
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
