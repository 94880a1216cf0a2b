//! The language: what of `rhai` scripts get, once for the whole program. Nothing here reads a clock, a file, an address or
//! a sine of the platform's.
//!
//! What is taken: operators, texts, ranges, lists, maps. What is left out: `sleep`, `eval`, modules, blobs, time,
//! reflection, and `**`, which calls the platform's power function; `pow` stands in for it. Mathematics is our own.

use std::cell::Cell;
use std::sync::OnceLock;

use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicIteratorPackage, BasicMapPackage, BasicStringPackage,
    LogicPackage, MoreStringPackage, Package,
};
use rhai::{Dynamic, Engine, FnPtr};

use super::desk;
use super::limits::SCRIPT_LIMITS;
use super::{calls, mathematics};

/// Any four numbers that are not all zero: the same in every build, unlike those that `rhai` would take.
const HASHING_SEED: [u64; 4] = [0x746f_6d62, 0x6f6c_6f00, 0x7363_7269, 0x7074_0000];

/// What ends a call that has used up its operations.
pub(super) struct OperationsUsedUp;

thread_local! {
    /// How many operations the call on this thread may make yet, but for those that `rhai` counts.
    static ALLOWED: Cell<u64> = const { Cell::new(0) };
    /// How many `rhai` has counted.
    static COUNTED: Cell<u64> = const { Cell::new(0) };
}

/// The engine. Scripts hold no part of it, so all worlds on all threads share one.
pub(super) fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(build)
}

fn build() -> Engine {
    // Refused if somebody else in this program has chosen already. Results do not depend on it, as nothing that a script
    // sees is in the order of hashes; but if two functions' hashes ever fell together, they should do so in every build.
    let _ = rhai::config::hashing::set_hashing_seed(Some(HASHING_SEED));
    let mut engine = Engine::new_raw();
    ArithmeticPackage::new().register_into_engine(&mut engine);
    BasicStringPackage::new().register_into_engine(&mut engine);
    BasicIteratorPackage::new().register_into_engine(&mut engine);
    LogicPackage::new().register_into_engine(&mut engine);
    BasicArrayPackage::new().register_into_engine(&mut engine);
    BasicMapPackage::new().register_into_engine(&mut engine);
    MoreStringPackage::new().register_into_engine(&mut engine);
    for symbol in ["**", "**=", "eval", "import", "export"] {
        engine.disable_symbol(symbol);
    }
    // A function without a name is called after its hash, which is nobody's business.
    for name in ["to_string", "to_debug", "print", "debug"] {
        engine.register_fn(name, |_: FnPtr| "Fn");
    }
    engine
        .set_strict_variables(true)
        .set_max_call_levels(SCRIPT_LIMITS.call_depth)
        .set_max_expr_depths(SCRIPT_LIMITS.expression_depth, SCRIPT_LIMITS.expression_depth / 2)
        .set_max_variables(SCRIPT_LIMITS.variables)
        .set_max_functions(SCRIPT_LIMITS.functions)
        .set_max_string_size(SCRIPT_LIMITS.string_bytes)
        .set_max_array_size(SCRIPT_LIMITS.list_length)
        .set_max_map_size(SCRIPT_LIMITS.map_length)
        .on_progress(|counted| {
            COUNTED.set(counted);
            (counted > ALLOWED.get()).then_some(Dynamic::UNIT)
        })
        .on_print(desk::print)
        .on_debug(|text, _, _| desk::print(text));
    mathematics::register(&mut engine);
    calls::register(&mut engine);
    engine
}

/// Runs something that calls scripts with the operations that one call may make; how many it made.
pub(super) fn limited<R>(run: impl FnOnce() -> R) -> (R, u64) {
    ALLOWED.set(SCRIPT_LIMITS.operations_per_call);
    COUNTED.set(0);
    let result = run();
    // What was charged has been taken from what is allowed.
    let charged = SCRIPT_LIMITS.operations_per_call - ALLOWED.get();
    (result, COUNTED.get() + charged)
}

/// Takes operations away from the call that is running, for what costs more than one.
pub(super) fn charge(operations: usize) -> Result<(), OperationsUsedUp> {
    let allowed = ALLOWED.get();
    let left = allowed.saturating_sub(operations as u64);
    ALLOWED.set(left);
    if left <= COUNTED.get() {
        return Err(OperationsUsedUp);
    }
    Ok(())
}
