//! Node graphs: scripts that are composed of nodes instead of written.
//!
//! `node.rs` has the nodes in the form of a scene file; `input.rs` reads their inputs, `check.rs` checks each node by
//! itself, `generate.rs` generates the script. A graph has no interpreter of its own: its script runs under the
//! limits of scripts, has the state of scripts, and is saved and hashed like them. `docs/scripts.md` describes the
//! nodes for authors of scenes.
//!
//! Why: `docs/decisions.md#a-node-graph-is-a-script`.

mod check;
mod generate;
mod input;
mod node;

#[cfg(feature = "script")]
pub(crate) use generate::{generated_lines, place_of_line};
pub use input::Input;
pub use node::{GraphError, Node, NodeGraph};
