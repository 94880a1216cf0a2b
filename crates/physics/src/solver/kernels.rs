//! Picks the back end: runs one pass of the solver over blocks with the lanes that were chosen.
#![allow(unsafe_code)]

use super::contact_block::{ContactBlock, feature};
use super::hinge_block::HingeBlock;
use super::lanes::scalar::F1;
use super::lanes::{LaneWidth, Lanes, StateRows};
use super::{contact_kernel, hinge_kernel};

/// One pass over constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Apply the impulses of the last substep.
    WarmStart,
    /// Solve with position bias.
    Solve,
    /// Solve without bias; contacts also get friction and rolling.
    Relax,
    /// Bounce; nothing for hinges.
    Restitution,
}

/// What a kernel needs to know of the substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Substep {
    /// One over its length in seconds.
    pub(crate) inverse_h: f32,
    /// Metres per second at which overlapping bodies are pushed apart at most.
    pub(crate) push_speed_max: f32,
    /// Metres per second of approach from which contacts bounce.
    pub(crate) restitution_threshold: f32,
}

/// Sixteen constraints that the passes run over.
pub(crate) trait Block {
    /// How many lanes are used.
    fn count(&self) -> usize;

    /// Runs one pass over the lanes `at..at + V::WIDTH`.
    ///
    /// # Safety
    ///
    /// No other worker touches the bodies of this block that are not marked read-only, nor writes the others,
    /// meanwhile.
    unsafe fn pass<V: Lanes>(&mut self, pass: Pass, at: usize, rows: StateRows<'_>, substep: &Substep);
}

impl Block for ContactBlock {
    #[inline(always)]
    fn count(&self) -> usize {
        self.count as usize
    }

    #[inline(always)]
    unsafe fn pass<V: Lanes>(&mut self, pass: Pass, at: usize, rows: StateRows<'_>, substep: &Substep) {
        // SAFETY: the caller's contract.
        unsafe {
            match pass {
                Pass::WarmStart => contact_kernel::warm_start::<V>(self, at, rows),
                Pass::Solve => contact_kernel::solve::<V, true>(self, at, rows, substep),
                Pass::Relax => contact_kernel::solve::<V, false>(self, at, rows, substep),
                Pass::Restitution if self.features & feature::RESTITUTION != 0 => {
                    contact_kernel::restitution::<V>(self, at, rows, substep);
                }
                Pass::Restitution => {}
            }
        }
    }
}

impl Block for HingeBlock {
    #[inline(always)]
    fn count(&self) -> usize {
        self.count as usize
    }

    #[inline(always)]
    unsafe fn pass<V: Lanes>(&mut self, pass: Pass, at: usize, rows: StateRows<'_>, substep: &Substep) {
        // SAFETY: the caller's contract.
        unsafe {
            match pass {
                Pass::WarmStart => hinge_kernel::warm_start::<V>(self, at, rows),
                Pass::Solve => hinge_kernel::solve::<V, true>(self, at, rows, substep.inverse_h),
                Pass::Relax => hinge_kernel::solve::<V, false>(self, at, rows, substep.inverse_h),
                Pass::Restitution => {}
            }
        }
    }
}

/// Runs `pass` over `blocks`, one after another.
///
/// # Safety
///
/// The machine has the instructions of `width` ([`LaneWidth::is_available`]). No other worker touches the bodies of
/// these blocks that are not marked read-only, nor writes the others, meanwhile.
pub(crate) unsafe fn run<B: Block>(
    width: LaneWidth,
    pass: Pass,
    blocks: &mut [B],
    rows: StateRows<'_>,
    substep: &Substep,
) {
    // SAFETY: the caller's contract.
    unsafe {
        match width {
            #[cfg(target_arch = "x86_64")]
            LaneWidth::Four => run_four(pass, blocks, rows, substep),
            #[cfg(target_arch = "x86_64")]
            LaneWidth::Eight => run_eight(pass, blocks, rows, substep),
            #[cfg(target_arch = "x86_64")]
            LaneWidth::Sixteen => run_sixteen(pass, blocks, rows, substep),
            _ => run_lanes::<F1, B>(pass, blocks, rows, substep),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
unsafe fn run_four<B: Block>(pass: Pass, blocks: &mut [B], rows: StateRows<'_>, substep: &Substep) {
    // SAFETY: the caller's contract.
    unsafe { run_lanes::<super::lanes::sse2::F4, B>(pass, blocks, rows, substep) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn run_eight<B: Block>(pass: Pass, blocks: &mut [B], rows: StateRows<'_>, substep: &Substep) {
    // SAFETY: the caller's contract.
    unsafe { run_lanes::<super::lanes::avx2::F8, B>(pass, blocks, rows, substep) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
unsafe fn run_sixteen<B: Block>(pass: Pass, blocks: &mut [B], rows: StateRows<'_>, substep: &Substep) {
    // SAFETY: the caller's contract.
    unsafe { run_lanes::<super::lanes::avx512::F16, B>(pass, blocks, rows, substep) }
}

/// # Safety
///
/// As [`run`].
#[inline(always)]
unsafe fn run_lanes<V: Lanes, B: Block>(
    pass: Pass,
    blocks: &mut [B],
    rows: StateRows<'_>,
    substep: &Substep,
) {
    for block in blocks {
        for at in (0..block.count()).step_by(V::WIDTH) {
            // SAFETY: the caller's contract.
            unsafe { block.pass::<V>(pass, at, rows, substep) };
        }
    }
}
