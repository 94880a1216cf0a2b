//! The stages `scripts` and `handlers`: run entities' scripts, and pass them events. `docs/scripts.md` is for authors
//! of scripts.
//!
//! A stage calls scripts in the order of entities or of events, those of ticks ahead on all workers. They all read the
//! world as it was when the stage began; their commands are recorded and applied at the stage's end, in the order of the
//! calls. A call that fails has no effect but its message.
//!
//! If a stage runs out of operations or spawns, the first script that was left out is the first one in the next stage
//! (`turns.rs`), so that none waits forever.
//!
//! | file | contents |
//! | --- | --- |
//! | `stages.rs` | the two stages |
//! | `scripts.rs` | the scripts of a world |
//! | `language.rs`, `engine.rs`, `mathematics.rs` | the language and its limits; mathematics over `libm` |
//! | `trace.rs`, `traces.rs` | which nodes of node graphs ran, for those who watch: noted in a call, and of a world |
//! | `meter.rs` | the number of operations that a call may make and has made |
//! | `marks.rs`, `price_list.rs`, `prices.rs` | the charges for the language's own functions and copies |
//! | `memory.rs` | the memory limit of a script |
//! | `calls.rs` | the functions of the world |
//! | `space_queries.rs`, `paths.rs`, `tiles.rs` | those that query space, find paths, read and fill cells |
//! | `physics_queries.rs`, `query_batches.rs` | those that query physics, once and for a list of questions |
//! | `ask.rs`, `query_options.rs`, `query_answers.rs` | a call of such a query and its charges; its options; its answers |
//! | `both_forms.rs` | functions whose last argument may be left out |
//! | `clearances.rs` | the clearances of recent path searches |
//! | `walls.rs` | the charges for free space and moved walls |
//! | `shape_prices.rs`, `tile_prices.rs` | the charges for shapes and for grids of tiles that are created anew |
//! | `context.rs` | the thread-local with the world |
//! | `invoke.rs` | calling the function that handles an event |
//! | `in_call.rs` | the access of functions to the world and the call |
//! | `commands.rs`, `queued.rs` | applying the commands of scripts |
//! | `program.rs`, `handler.rs` | a compiled script, and errors; the events that scripts handle |
//! | `call.rs` | one call: the script's state is converted for it and back |
//! | `ticks.rs` | the calls of the stage `scripts`, on all workers |
//! | `progress.rs` | the results of a stage's calls; calls one after the other |
//! | `turns.rs` | the script that is first in a stage |
//! | `rules.rs` | contact rules as scripts write them |
//! | `values.rs`, `save.rs` | values of scripts and of the world; the saved state of scripts |
//!
//! A script's state is in its component (`component/script.rs`).

mod ask;
mod both_forms;
mod call;
mod calls;
mod clearances;
mod commands;
mod context;
mod engine;
mod handler;
mod in_call;
mod invoke;
mod language;
mod lists;
mod marks;
mod mathematics;
mod memory;
mod meter;
mod paths;
mod physics_queries;
mod price_list;
mod prices;
mod program;
mod progress;
mod query_answers;
mod query_batches;
mod query_options;
mod queued;
mod rules;
mod save;
mod scripts;
mod shape_prices;
mod space_queries;
mod stages;
mod text;
mod ticks;
mod tile_prices;
mod tiles;
mod trace;
mod traces;
mod turns;
mod values;
mod walls;

pub(crate) use language::Language;
pub use program::ScriptError;
pub(crate) use scripts::Scripts;
pub use traces::{GraphTrace, NodeTrace};
