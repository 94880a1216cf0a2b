//! The stages `scripts` and `handlers`: entities' scripts act, and handle events. `docs/scripts.md` is for authors
//! of scripts.
//!
//! A stage calls scripts one after the other, in the order of entities or of events. They all read the world as it
//! was when the stage began; their commands are recorded and applied at the stage's end, in the order of the calls.
//! A call that fails has no effect but its message.
//!
//! If a stage runs out of operations or spawns, the first script that was left out is the first one in the next stage
//! (`turns.rs`), so that none waits for ever.
//!
//! | file | contents |
//! | --- | --- |
//! | `stages.rs` | the two stages |
//! | `scripts.rs` | the scripts of a world |
//! | `language.rs`, `engine.rs`, `mathematics.rs` | the language and its limits; mathematics over `libm` |
//! | `meter.rs` | how many operations a call may make and has made |
//! | `marks.rs`, `price_list.rs`, `prices.rs` | what the language's own functions and copies are charged |
//! | `memory.rs` | how much memory a script holds |
//! | `calls.rs`, `places.rs` | the functions of the world; those that query space and physics |
//! | `clearances.rs` | for which clearances paths were asked |
//! | `walls.rs` | what free space and moved walls cost |
//! | `shape_prices.rs` | what shapes cost that are made anew |
//! | `context.rs` | where they find the world |
//! | `in_call.rs` | what functions of the world work with |
//! | `commands.rs`, `queued.rs` | what is changed |
//! | `program.rs` | a compiled script, and errors |
//! | `turns.rs`, `progress.rs` | which script comes first in a stage; which operations a call gets and keeps |
//! | `rules.rs` | contact rules as scripts write them |
//! | `values.rs`, `save.rs` | values of scripts and of the world; what is saved |
//!
//! A script's state is in its component (`component/script.rs`).

mod calls;
mod clearances;
mod commands;
mod context;
mod engine;
mod in_call;
mod language;
mod marks;
mod mathematics;
mod memory;
mod meter;
mod places;
mod price_list;
mod prices;
mod program;
mod progress;
mod queued;
mod rules;
mod save;
mod scripts;
mod shape_prices;
mod stages;
mod turns;
mod values;
mod walls;

pub(crate) use language::Language;
pub use program::ScriptError;
pub(crate) use scripts::Scripts;
