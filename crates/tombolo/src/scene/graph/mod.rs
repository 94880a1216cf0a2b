//! Node graphs: scripts that are put together from nodes rather than written.
//!
//! `node.rs` has the nodes, as a scene file has them; `input.rs` reads what goes into them, `check.rs` checks
//! each by itself, `generate.rs` makes the script that a graph stands for. A graph has no interpreter of its own: its script runs under the limits of scripts, remembers what
//! scripts remember, and is saved and hashed as they are. `docs/scripts.md` describes the nodes for those who make scenes.
//!
//! Why: `docs/decisions.md#a-node-graph-is-a-script`.

mod check;
mod generate;
mod input;
mod node;

#[cfg(feature = "script")]
pub(crate) use generate::place_of_line;
pub use input::Input;
pub use node::{GraphError, Node, NodeGraph};
