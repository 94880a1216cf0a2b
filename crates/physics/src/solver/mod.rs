//! The solver: constraints of one colour at a time, sixteen to a block, in lanes.
//!
//! Where to look: `stages.rs` is the list of stages of the substeps, `tasks.rs` what one task of each does; `batches.rs`
//! packs small islands, which one worker takes through all substeps alone; `contact_block.rs` and `hinge_block.rs` lay
//! constraints out, `contact_prepare.rs` fills them, `contact_kernel.rs` and `hinge_kernel.rs` solve them; `body_block.rs`
//! lays bodies out and `integrate.rs` moves them; `kernels.rs` picks the back end; `lanes/` is the arithmetic;
//! `softness.rs` turns hertz into factors.

pub(crate) mod batches;
mod body_block;
pub(crate) mod contact_block;
mod contact_kernel;
mod contact_prepare;
pub(crate) mod hinge_block;
mod hinge_kernel;
pub(crate) mod integrate;
pub(crate) mod kernels;
pub(crate) mod lanes;
pub(crate) mod softness;
pub(crate) mod stages;
mod tasks;
mod vectors;
