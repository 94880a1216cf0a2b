//! Dispatches to a SIMD back end: runs one pass of the solver over blocks with the lanes of a [`LaneWidth`]. The width is
//! chosen by [`LaneWidth::widest`] when a world is made, or by `PhysicsWorld::set_lanes`.
#![allow(unsafe_code)]

use super::axes_block::AxesBlock;
use super::body_block::BodyBlock;
use super::contact_block::{ContactBlock, Substep, feature};
use super::contact_prepare::BlockSource;
use super::coupling_block::CouplingBlock;
use super::integrate::{self, StepMotion};
use super::lanes::scalar::F1;
use super::lanes::{BLOCK, BodyStateLanes, LaneWidth, Lanes};
use super::revolute_block::RevoluteBlock;
use super::{axes_kernel, contact_kernel, contact_prepare, coupling_kernel, revolute_kernel};
use crate::body::BodySim;
use crate::control::BodyControl;

/// One pass over constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Applies the impulses of the last step, before the first substep.
    WarmStart,
    /// Solves with position bias.
    Solve,
    /// Solves without bias; contacts also get friction and rolling resistance.
    Relax,
    /// Applies restitution; no effect on joints.
    Restitution,
}

/// One pass over bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyPass {
    /// Changes velocities by forces, in the first substep.
    Start,
    /// Changes velocities by forces in any other substep, and applies the impulses of the last one.
    StartWarm,
    /// Moves the bodies.
    Advance,
}

/// Sixteen constraints that the passes run over.
pub(crate) trait Block {
    /// The number of lanes in use.
    fn count(&self) -> usize;

    /// Runs one pass over the lanes `at..at + V::WIDTH`.
    ///
    /// # Safety
    ///
    /// No other worker touches the bodies of this block that it may change, nor writes the others,
    /// meanwhile.
    unsafe fn pass<V: Lanes>(
        &mut self,
        pass: Pass,
        at: usize,
        body_states: BodyStateLanes<'_>,
        substep: &Substep,
    );
}

impl Block for ContactBlock {
    #[inline(always)]
    fn count(&self) -> usize {
        self.count as usize
    }

    #[inline(always)]
    unsafe fn pass<V: Lanes>(
        &mut self,
        pass: Pass,
        at: usize,
        body_states: BodyStateLanes<'_>,
        substep: &Substep,
    ) {
        // SAFETY: the caller's contract.
        unsafe {
            match pass {
                Pass::WarmStart => contact_kernel::warm_start::<V>(self, at, body_states),
                Pass::Solve => contact_kernel::solve::<V, true>(self, at, body_states, substep),
                Pass::Relax => contact_kernel::solve::<V, false>(self, at, body_states, substep),
                Pass::Restitution if self.features & feature::RESTITUTION != 0 => {
                    contact_kernel::restitution::<V>(self, at, body_states, substep);
                }
                Pass::Restitution => {}
            }
        }
    }
}

/// Blocks of joints run all passes alike, each kind of block by its own kernel; joints have no restitution.
macro_rules! joint_block {
    ($($block:ty: $kernel:ident),+ $(,)?) => {$(
        impl Block for $block {
            #[inline(always)]
            fn count(&self) -> usize {
                self.ends.count as usize
            }

            #[inline(always)]
            unsafe fn pass<V: Lanes>(
                &mut self,
                pass: Pass,
                at: usize,
                body_states: BodyStateLanes<'_>,
                substep: &Substep,
            ) {
                // SAFETY: the caller's contract.
                unsafe {
                    match pass {
                        Pass::WarmStart => $kernel::warm_start::<V>(self, at, body_states),
                        Pass::Solve => $kernel::solve::<V, true>(self, at, body_states, substep.inverse_h),
                        Pass::Relax => $kernel::solve::<V, false>(self, at, body_states, substep.inverse_h),
                        Pass::Restitution => {}
                    }
                }
            }
        }
    )+};
}

joint_block!(
    RevoluteBlock: revolute_kernel,
    AxesBlock: axes_kernel,
    CouplingBlock: coupling_kernel,
);

/// A computation that runs with a number of lanes that is chosen at run time.
pub(crate) trait Kernel {
    /// # Safety
    ///
    /// The machine has the instructions of `V`; the implementation may require more.
    unsafe fn run<V: Lanes>(self);
}

/// Runs a kernel with the lanes of `width`.
///
/// # Safety
///
/// The machine has them ([`LaneWidth::is_available`]); the kernel may require more.
#[inline]
pub(crate) unsafe fn dispatch(width: LaneWidth, kernel: impl Kernel) {
    // SAFETY: the caller's contract.
    unsafe {
        match width {
            #[cfg(target_arch = "x86_64")]
            LaneWidth::Four => kernel.run::<super::lanes::sse2::F4>(),
            #[cfg(target_arch = "aarch64")]
            LaneWidth::Four => kernel.run::<super::lanes::neon::N4>(),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            LaneWidth::Four => kernel.run::<super::lanes::wasm::W4>(),
            #[cfg(target_arch = "x86_64")]
            LaneWidth::Eight => run_eight(kernel),
            #[cfg(target_arch = "x86_64")]
            LaneWidth::Sixteen => run_sixteen(kernel),
            _ => kernel.run::<F1>(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn run_eight(kernel: impl Kernel) {
    // SAFETY: the caller's contract.
    unsafe { kernel.run::<super::lanes::avx2::F8>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
unsafe fn run_sixteen(kernel: impl Kernel) {
    // SAFETY: the caller's contract.
    unsafe { kernel.run::<super::lanes::avx512::F16>() }
}

/// Runs `pass` over `blocks`, one after another.
///
/// # Safety
///
/// The machine has the instructions of `width` ([`LaneWidth::is_available`]). No other worker touches the bodies of
/// these blocks that it may change, nor writes the others, meanwhile.
pub(crate) unsafe fn run<B: Block>(
    width: LaneWidth,
    pass: Pass,
    blocks: &mut [B],
    body_states: BodyStateLanes<'_>,
    substep: &Substep,
) {
    // SAFETY: the caller's contract.
    unsafe {
        dispatch(
            width,
            RunPass {
                pass,
                blocks,
                body_states,
                substep,
            },
        )
    }
}

struct RunPass<'a, B> {
    pass: Pass,
    blocks: &'a mut [B],
    body_states: BodyStateLanes<'a>,
    substep: &'a Substep,
}

impl<B: Block> Kernel for RunPass<'_, B> {
    #[inline(always)]
    unsafe fn run<V: Lanes>(self) {
        for block in self.blocks {
            for at in (0..block.count()).step_by(V::WIDTH) {
                // SAFETY: the contract of `run` above.
                unsafe { block.pass::<V>(self.pass, at, self.body_states, self.substep) };
            }
        }
    }
}

/// Fills a block of contacts.
///
/// # Safety
///
/// The machine has the instructions of `width`. The entries refer to contacts and bodies that exist, and no other
/// worker writes these contacts' cached manifolds or the bodies' states meanwhile.
pub(crate) unsafe fn prepare_contacts(width: LaneWidth, block: &mut ContactBlock, source: BlockSource<'_>) {
    let cached_manifolds = source
        .entries
        .iter()
        // SAFETY: the caller's contract.
        .map(|entry| unsafe { source.cached_manifolds.get(entry.place as usize) });
    block.set_bodies(source.entries, cached_manifolds);
    // SAFETY: the caller's contract.
    unsafe { dispatch(width, PrepareContacts { block, source }) };
}

struct PrepareContacts<'a> {
    block: &'a mut ContactBlock,
    source: BlockSource<'a>,
}

impl Kernel for PrepareContacts<'_> {
    #[inline(always)]
    unsafe fn run<V: Lanes>(self) {
        for at in (0..self.source.entries.len()).step_by(V::WIDTH) {
            // SAFETY: the contract of `prepare_contacts`.
            unsafe { contact_prepare::prepare::<V>(self.block, at, self.source) };
        }
    }
}

/// Fills blocks with bodies, sixteen to each.
///
/// # Panics
///
/// If there are not as many blocks as that makes: what an unfilled one names may be gone.
///
/// # Safety
///
/// The machine has the instructions of `width`.
pub(crate) unsafe fn prepare_bodies(
    width: LaneWidth,
    blocks: &mut [BodyBlock],
    bodies: &[u32],
    sims: &[BodySim],
    controls: &[BodyControl],
    motion: &StepMotion,
) {
    assert_eq!(
        bodies.len().div_ceil(BLOCK),
        blocks.len(),
        "a block for sixteen bodies"
    );
    for (block, bodies) in blocks.iter_mut().zip(bodies.chunks(BLOCK)) {
        block.set_bodies(bodies, sims, controls);
    }
    // SAFETY: the caller's contract.
    unsafe { dispatch(width, PrepareBodies { blocks, sims, motion }) };
}

struct PrepareBodies<'a> {
    blocks: &'a mut [BodyBlock],
    sims: &'a [BodySim],
    motion: &'a StepMotion,
}

impl Kernel for PrepareBodies<'_> {
    #[inline(always)]
    unsafe fn run<V: Lanes>(self) {
        for block in self.blocks {
            for at in (0..block.count as usize).step_by(V::WIDTH) {
                // SAFETY: setting the block's bodies has looked their records up.
                unsafe { integrate::prepare::<V>(block, at, self.sims, self.motion) };
            }
        }
    }
}

/// Runs `pass` over blocks of bodies.
///
/// # Safety
///
/// The machine has the instructions of `width`. No other worker touches the states of these bodies meanwhile.
pub(crate) unsafe fn run_bodies(
    width: LaneWidth,
    pass: BodyPass,
    blocks: &mut [BodyBlock],
    body_states: BodyStateLanes<'_>,
    motion: &StepMotion,
) {
    // SAFETY: the caller's contract.
    unsafe {
        dispatch(
            width,
            RunBodies {
                pass,
                blocks,
                body_states,
                motion,
            },
        )
    }
}

struct RunBodies<'a> {
    pass: BodyPass,
    blocks: &'a mut [BodyBlock],
    body_states: BodyStateLanes<'a>,
    motion: &'a StepMotion,
}

impl Kernel for RunBodies<'_> {
    #[inline(always)]
    unsafe fn run<V: Lanes>(self) {
        for block in self.blocks {
            for at in (0..block.count as usize).step_by(V::WIDTH) {
                // SAFETY: the contract of `run_bodies`.
                unsafe {
                    match self.pass {
                        BodyPass::Start => {
                            integrate::start::<V, false>(block, at, self.body_states, self.motion)
                        }
                        BodyPass::StartWarm => {
                            integrate::start::<V, true>(block, at, self.body_states, self.motion)
                        }
                        BodyPass::Advance => {
                            integrate::advance::<V>(block, at, self.body_states, self.motion)
                        }
                    }
                }
            }
        }
    }
}
