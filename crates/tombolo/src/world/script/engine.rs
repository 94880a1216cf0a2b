//! The language: the part of `rhai` that scripts get, and its limits. Nothing here reads a clock, a file, an address
//! or the platform's sine.
//!
//! Included: operators, strings, ranges, lists, maps. Left out: `sleep`, `eval`, modules, blobs, time, reflection,
//! functions that share variables (`program.rs` refuses them), and `**`, which calls the platform's power function;
//! `pow` replaces it. Mathematics is our own, and so are some functions of texts (`text.rs`)
//! and of lists (`lists.rs`).

use std::sync::{Arc, OnceLock};

use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicIteratorPackage, BasicMapPackage, BasicStringPackage,
    LogicPackage, MoreStringPackage, Package,
};
use rhai::{Dynamic, Engine, FnPtr, OptimizationLevel, Scope};

use super::language::{Inner, Language};
use super::meter::{OperationsUsedUp, charge};
use super::program::Program;
use super::{calls, context, lists, marks, mathematics, prices, text};
use crate::scene::{ScriptLanguage, ScriptLimits};

/// Any four numbers that are not all zero: the same in every build, unlike those that `rhai` would choose.
const HASHING_SEED: [u64; 4] = [0x746f_6d62, 0x6f6c_6f00, 0x7363_7269, 0x7074_0000];

/// The greatest depth of nested expressions; half of it in functions.
const EXPRESSION_DEPTH: usize = 48;
/// The greatest number of variables at a time.
const VARIABLES_MAX: usize = 128;
/// The greatest number of functions of one script.
const FUNCTIONS_MAX: usize = 128;

impl Default for Language {
    fn default() -> Self {
        static DEFAULT: OnceLock<Language> = OnceLock::new();
        DEFAULT
            .get_or_init(|| Self::build(ScriptLimits::default()))
            .clone()
    }
}

impl Language {
    /// The language with these limits.
    pub(crate) fn of(limits: ScriptLimits) -> Self {
        if limits == ScriptLimits::default() {
            return Self::default();
        }
        Self::build(limits)
    }

    fn build(limits: ScriptLimits) -> Self {
        let engine = build(limits);
        Self {
            inner: Arc::new(Inner { limits, engine }),
        }
    }
}

impl ScriptLanguage for Language {
    fn under(&self, limits: ScriptLimits) -> Arc<dyn ScriptLanguage> {
        Arc::new(Self::of(limits))
    }

    fn check(&self, text: &str) -> Result<(), String> {
        let read = Program::checked(text, self);
        read.map(|_| ()).map_err(|error| error.to_string())
    }
}

fn build(limits: ScriptLimits) -> Engine {
    // Refused if other code in this program has set a seed already. Results do not depend on it, as no value that a
    // script reads is in the order of hashes; but if two functions' hashes ever collided, they should do so in every
    // build.
    let _ = rhai::config::hashing::set_hashing_seed(Some(HASHING_SEED));
    let mut engine = Engine::new_raw();
    find_indexers(&engine);
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
    // The name of an anonymous function has its hash, which scripts must not read.
    for name in ["to_string", "to_debug", "print", "debug"] {
        engine.register_fn(name, |_: FnPtr| "Fn");
    }
    engine
        .set_strict_variables(true)
        .set_max_call_levels(limits.call_depth as usize)
        .set_max_expr_depths(EXPRESSION_DEPTH, EXPRESSION_DEPTH / 2)
        .set_max_variables(VARIABLES_MAX)
        .set_max_functions(FUNCTIONS_MAX)
        .set_max_string_size(limits.string_bytes as usize)
        .set_max_array_size(limits.list_length as usize)
        .set_max_map_size(limits.map_length as usize)
        .set_optimization_level(OptimizationLevel::None)
        .on_progress(|_| charge(1).err().map(|OperationsUsedUp| Dynamic::UNIT))
        .on_print(context::print)
        .on_debug(|text, _, _| context::print(text));
    price(&mut engine, limits.memory_bytes as usize);
    mathematics::register(&mut engine);
    text::register(&mut engine);
    lists::register(&mut engine, limits.memory_bytes as usize);
    calls::register(&mut engine);
    engine
}

/// Makes the interpreter compute, on this thread, what it looks up at the first index of a program and keeps for all engines. Of
/// two threads that come first one would sleep, which the main thread of a page must not.
fn find_indexers(engine: &Engine) {
    let mut scope = Scope::new();
    scope.push("nothing", ());
    let refused = engine.eval_expression_with_scope::<Dynamic>(&mut scope, "nothing[0]");
    debug_assert!(refused.is_err(), "nothing has no elements");
}

/// Registers the hooks that charge prices.
fn price(engine: &mut Engine, memory: usize) {
    #[expect(
        deprecated,
        reason = "it is not; the name stands for an interface that may change"
    )]
    engine.on_var(move |name, index, context| prices::variable(name, index, &context, memory).map(|()| None));
    let handled = engine.register_custom_syntax_handler(marks::KEY, false, move |context, inputs, state| {
        prices::wrapped(context, inputs, state, memory)
    });
    debug_assert!(handled.is_ok(), "any key will do");
    engine.register_custom_syntax_with_state_raw(
        marks::BODY,
        |_, _, state| {
            *state = marks::next_body()?;
            Ok(None)
        },
        false,
        move |context, _, state| prices::entered(context, state, memory),
    );
}
