//! What there is to be done in the stages of the substeps, in which pieces, and with which settings.

use super::contact_block::Substep;
use super::integrate::StepMotion;
use super::joint_block::JointSettings;
use super::kernels::{BodyPass, Pass};
use super::lanes::LaneWidth;
use crate::joint::JOINT_BLOCK_KINDS;
use crate::profile::Stage;
use alloc::vec::Vec;
use core::ops::Range;

/// Body blocks in one block of work: 128 bodies.
pub(super) const BODY_BLOCKS_PER_TASK: usize = 8;

/// Contact or joint blocks in one block of work: 64 constraints.
pub(super) const BLOCKS_PER_TASK: usize = 4;

/// Contact or joint blocks of all colors together in one block of work of the stages that go over all colors at
/// once.
const BLOCKS_PER_SHARE: usize = 16;

/// What a stage does.
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
    /// The column of the profile that the stage counts for.
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

/// The blocks of one color among all blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct ColorBlocks {
    pub(super) contacts: Range<usize>,
    /// By kind of block.
    pub(super) joints: [Range<usize>; JOINT_BLOCK_KINDS],
}

impl ColorBlocks {
    pub(super) fn task_count(&self) -> usize {
        let tasks = |blocks: &Range<usize>| blocks.len().div_ceil(BLOCKS_PER_TASK);
        tasks(&self.contacts) + self.joints.iter().map(tasks).sum::<usize>()
    }
}

/// All that the stages need to know of the step.
#[derive(Clone, Copy)]
pub(crate) struct SolverSettings {
    pub(crate) lanes: LaneWidth,
    pub(crate) substeps: u32,
    pub(crate) motion: StepMotion,
    pub(crate) substep: Substep,
    pub(crate) joints: JointSettings,
    /// Meters per second above which a hit is hard.
    pub(crate) hit_speed: f32,
    /// Whether any contact may bounce.
    pub(crate) bounces: bool,
}

/// How many shares all blocks are divided into.
pub(super) fn share_count(contacts: &[(u32, u32)], joints: &[Vec<(u32, u32)>; JOINT_BLOCK_KINDS]) -> usize {
    let blocks = contacts.len() + joints.iter().map(Vec::len).sum::<usize>();
    blocks.div_ceil(BLOCKS_PER_SHARE)
}
