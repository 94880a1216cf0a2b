//! [`Work`]: the stages of the substeps, their division into tasks, and the settings of a run.

use super::contact_block::Substep;
use super::integrate::StepMotion;
use super::joint_block::JointSettings;
use super::kernels::{BodyPass, Pass};
use super::lanes::LaneWidth;
use crate::joint::JOINT_BLOCK_KINDS;
use crate::profile::Stage;
use alloc::vec::Vec;
use core::ops::Range;

/// The number of body blocks of a task: 128 bodies.
pub(super) const BODY_BLOCKS_PER_TASK: usize = 8;

/// The number of contact or joint blocks of a task: 64 constraints.
pub(super) const BLOCKS_PER_TASK: usize = 4;

/// The number of contact or joint blocks of all colors together in a task of the stages that process all colors at
/// once.
const BLOCKS_PER_SHARE: usize = 16;

/// The work of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Take a batch through all substeps.
    Batches,
    /// Lay contacts and joints out in blocks.
    Prepare,
    /// Run a pass over the bodies.
    Bodies(BodyPass),
    /// Run a pass over a color.
    Constraints(Pass, u32),
    /// Write impulses back.
    Store,
}

impl Work {
    /// The profile stage to which the time of the work is added.
    pub(super) fn profile_stage(self) -> Stage {
        match self {
            Self::Batches => Stage::Batches,
            Self::Prepare => Stage::Prepare,
            Self::Bodies(_) => Stage::Integrate,
            Self::Constraints(Pass::WarmStart, _) => Stage::WarmStart,
            Self::Constraints(Pass::Solve, _) => Stage::Solve,
            Self::Constraints(Pass::Relax, _) => Stage::Relax,
            Self::Constraints(Pass::Restitution, _) => Stage::Restitution,
            Self::Store => Stage::Store,
        }
    }
}

/// The ranges of a color's blocks in the lists of all blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct ColorBlocks {
    pub(super) contacts: Range<usize>,
    /// The joint blocks, by kind.
    pub(super) joints: [Range<usize>; JOINT_BLOCK_KINDS],
}

impl ColorBlocks {
    pub(super) fn task_count(&self) -> usize {
        let tasks = |blocks: &Range<usize>| blocks.len().div_ceil(BLOCKS_PER_TASK);
        tasks(&self.contacts) + self.joints.iter().map(tasks).sum::<usize>()
    }
}

/// The settings of a run of the solver.
#[derive(Clone, Copy)]
pub(crate) struct SolverSettings {
    pub(crate) lanes: LaneWidth,
    pub(crate) substeps: u32,
    pub(crate) motion: StepMotion,
    pub(crate) substep: Substep,
    pub(crate) joints: JointSettings,
    /// The speed of approach in meters per second above which a hit is hard.
    pub(crate) hit_speed: f32,
    /// Whether any contact has restitution.
    pub(crate) bounces: bool,
}

/// The number of shares that all blocks are divided into.
pub(super) fn share_count(contacts: &[(u32, u32)], joints: &[Vec<(u32, u32)>; JOINT_BLOCK_KINDS]) -> usize {
    let blocks = contacts.len() + joints.iter().map(Vec::len).sum::<usize>();
    blocks.div_ceil(BLOCKS_PER_SHARE)
}
