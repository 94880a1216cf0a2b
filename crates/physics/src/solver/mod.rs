//! The solver: solves constraints color by color, in blocks of sixteen, in SIMD lanes.
//!
//! | file | contents |
//! | --- | --- |
//! | `stages.rs` | the stages of the substeps |
//! | `work.rs` | the work of each stage, its division into tasks, and its settings |
//! | `tasks.rs` | one task of each stage |
//! | `batches.rs` | packing small islands, which one worker takes through all substeps alone |
//! | `groups.rs` | sorting bodies and constraints by batch |
//! | `connected.rs` | the bodies that are solved in more substeps |
//! | `contact_block.rs`, `revolute_block.rs`, `axes_block.rs`, `coupling_block.rs` | the layout of constraints |
//! | `contact_prepare.rs`, `joint_block.rs` | filling blocks of contacts, and the common part of blocks of joints |
//! | `contact_kernel.rs`, `revolute_kernel.rs`, `axes_kernel.rs`, `coupling_kernel.rs` | the kernels that solve them |
//! | `velocity_pair.rs`, `axes_rows.rs` | the velocities of a joint's two bodies, and the directions in which it acts |
//! | `body_block.rs`, `integrate.rs` | the layout of bodies, and moving them |
//! | `batch_tasks.rs` | one task of the stage of batches |
//! | `run.rs` | the runs of blocks that a pass over a batch solves |
//! | `kernels.rs`, `lanes/` | the choice of the SIMD back end, and its arithmetic |
//! | `softness.rs` | frequency and damping as factors of an impulse |

mod axes_block;
mod axes_kernel;
mod axes_rows;
mod batch_tasks;
pub(crate) mod batches;
mod body_block;
mod chunks;
pub(crate) mod connected;
mod constraint_groups;
pub(crate) mod contact_block;
mod contact_kernel;
mod contact_prepare;
mod coupling_block;
mod coupling_kernel;
mod groups;
pub(crate) mod integrate;
pub(crate) mod joint_block;
pub(crate) mod kernels;
pub(crate) mod lanes;
mod revolute_block;
mod revolute_kernel;
mod run;
pub(crate) mod softness;
pub(crate) mod stages;
mod tasks;
pub(crate) mod vectors;
mod velocity_pair;
pub(crate) mod work;
