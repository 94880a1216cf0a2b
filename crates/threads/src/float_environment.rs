//! [`FloatEnvironment`]: the rounding mode of a thread, and whether it flushes subnormal numbers to zero. Some audio
//! and graphics libraries change these settings and leave them changed; then the same step would give other bits. Each
//! worker enters a [`FloatEnvironment`] at the start of a step.
//!
//! No other file touches the control registers.
#![allow(unsafe_code)]

use core::marker::PhantomData;

/// A guard that sets this thread to round-to-nearest with subnormal numbers kept, and restores the caller's setting
/// when dropped.
///
/// On x86-64 it covers MXCSR (SSE and AVX), on aarch64 FPCR; elsewhere it does nothing. Bound to its thread. Cost: one
/// register read if the setting is right already, otherwise also a write at each end.
///
/// ```
/// use tombolo_threads::FloatEnvironment;
/// let environment = FloatEnvironment::enter();
/// assert_eq!(f32::MIN_POSITIVE / 2.0 * 2.0, f32::MIN_POSITIVE);
/// # assert!(!environment.was_changed());
/// drop(environment);
/// ```
#[must_use = "the environment is given back when the guard is dropped"]
#[derive(Debug)]
pub struct FloatEnvironment {
    /// The caller's register, where it differed from the setting of a step.
    found: Option<control::Register>,
    /// Not `Send`: the register belongs to the thread.
    _thread: PhantomData<*const ()>,
}

impl FloatEnvironment {
    /// Checks this thread's environment and sets the default one until the guard is dropped.
    pub fn enter() -> Self {
        let current = control::read();
        let wanted = control::with_defaults(current);
        let differs = wanted != current;
        if differs {
            control::write(wanted);
        }
        Self {
            found: differs.then_some(current),
            _thread: PhantomData,
        }
    }

    /// Like [`enter`](Self::enter), for calls of some nanoseconds: reading the register takes as long on x86-64. Three
    /// additions tell whether the thread rounds and keeps subnormal numbers as it should; if not, the setting is read and
    /// set as by `enter`. What they cannot tell is whether exceptions trap, which changes no result, so a program that has
    /// set that has its traps in such calls too.
    ///
    /// ```
    /// use tombolo_threads::FloatEnvironment;
    /// let environment = FloatEnvironment::enter_call();
    /// assert!(!environment.was_changed());
    /// ```
    #[inline]
    pub fn enter_call() -> Self {
        if control::computes_as_usual() {
            Self {
                found: None,
                _thread: PhantomData,
            }
        } else {
            Self::enter()
        }
    }

    /// Whether the thread had another rounding mode, or flushed subnormal numbers, when the guard was made.
    pub fn was_changed(&self) -> bool {
        self.found.is_some()
    }
}

impl Drop for FloatEnvironment {
    #[inline]
    fn drop(&mut self) {
        if let Some(found) = self.found {
            control::write(found);
        }
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod control {
    //! MXCSR. Bits 13 and 14 pick the rounding, 15 flushes results to zero, 6 reads subnormals as zero; 7 to 12 mask the
    //! exceptions. Intel SDM volume 1, 10.2.3. The compiler's intrinsics for it are deprecated in favor of assembly.
    use core::arch::asm;

    pub(super) type Register = u32;

    const ROUNDING: u32 = 0b11 << 13;
    const FLUSH_TO_ZERO: u32 = 1 << 15;
    const DENORMALS_ARE_ZERO: u32 = 1 << 6;
    const EXCEPTIONS_MASKED: u32 = 0b11_1111 << 7;

    pub(super) fn with_defaults(register: Register) -> Register {
        (register & !(ROUNDING | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO)) | EXCEPTIONS_MASKED
    }

    pub(super) fn read() -> Register {
        let mut register = 0_u32;
        // SAFETY: stores the 32-bit register to a live u32; every x86-64 has it.
        unsafe { asm!("stmxcsr [{}]", in(reg) &mut register, options(nostack, preserves_flags)) };
        register
    }

    /// Whether additions round to nearest, and have and take subnormal numbers.
    #[inline]
    pub(super) fn computes_as_usual() -> bool {
        // A quarter of the distance from one to the number below it: only rounding to nearest leaves one as it is on both
        // sides.
        let little = f32::EPSILON / 8.0;
        let (mut above, mut below, mut twice) = (1.0_f32, 1.0_f32, f32::from_bits(1));
        // SAFETY: adds and subtracts numbers in registers. In assembly, since the compiler computes such sums by itself; not
        // `pure`, so that it is not moved over code that writes the register; it sets flags of exceptions.
        unsafe {
            asm!(
                "addss {above}, {little}",
                "subss {below}, {little}",
                "addss {twice}, {twice}",
                above = inout(xmm_reg) above,
                below = inout(xmm_reg) below,
                twice = inout(xmm_reg) twice,
                little = in(xmm_reg) little,
                options(nomem, nostack)
            );
        }
        let one = 1.0_f32.to_bits();
        (above.to_bits() ^ one) | (below.to_bits() ^ one) | (twice.to_bits() ^ 2) == 0
    }

    pub(super) fn write(register: Register) {
        // SAFETY: the value came from `read`, with only rounding, flush and mask bits changed, so no reserved bit is
        // set. While it is held the environment is the one Rust assumes; only restoring a caller's own odd setting
        // departs from it, which puts the thread back where its caller had it.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &register, options(nostack, readonly)) };
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
mod control {
    //! FPCR. Bits 22 and 23 pick the rounding, 24 flushes to zero, 19 does so for half floats; 0 to 2 are the newer
    //! forms of it. Arm ARM, C5.2.8.
    use core::arch::asm;

    pub(super) type Register = u64;

    const ROUNDING: u64 = 0b11 << 22;
    const FLUSH: u64 = (1 << 24) | (1 << 19) | 0b111;

    pub(super) fn with_defaults(register: Register) -> Register {
        register & !(ROUNDING | FLUSH)
    }

    pub(super) fn read() -> Register {
        let register: u64;
        // SAFETY: reads a register that user code may read.
        unsafe { asm!("mrs {}, fpcr", out(reg) register, options(nomem, nostack, preserves_flags)) };
        register
    }

    pub(super) fn computes_as_usual() -> bool {
        let register = read();
        with_defaults(register) == register
    }

    pub(super) fn write(register: Register) {
        // SAFETY: the value came from `read` with only rounding and flush bits changed.
        unsafe { asm!("msr fpcr, {}", in(reg) register, options(nomem, nostack, preserves_flags)) };
    }
}

#[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod control {
    //! No register to set, as on wasm, whose float environment is fixed.

    pub(super) type Register = u32;

    pub(super) fn with_defaults(register: Register) -> Register {
        register
    }

    pub(super) fn read() -> Register {
        0
    }

    pub(super) fn computes_as_usual() -> bool {
        true
    }

    pub(super) fn write(_register: Register) {}
}

#[cfg(all(test, target_arch = "x86_64", not(miri), not(loom)))]
mod tests {
    use super::{FloatEnvironment, control};

    #[test]
    fn a_changed_environment_is_set_right_and_given_back() {
        let clean = control::with_defaults(control::read());
        let toward_zero_and_flush = clean | (0b11 << 13) | (1 << 15) | (1 << 6);
        control::write(toward_zero_and_flush);
        let inside = {
            let environment = FloatEnvironment::enter();
            assert!(environment.was_changed());
            control::read()
        };
        let after = control::read();
        control::write(clean);
        assert_eq!(inside & !0x3f, clean & !0x3f, "exception flags aside");
        assert_eq!(after & !0x3f, toward_zero_and_flush & !0x3f);
    }

    /// Every setting of rounding and of the two kinds of flushing that is not the default one is found by additions.
    #[test]
    fn a_call_sets_right_what_changes_results_and_gives_it_back() {
        let clean = control::with_defaults(control::read());
        for setting in 0..16_u32 {
            let register = clean | (setting & 0b11) << 13 | (setting >> 2 & 1) << 15 | (setting >> 3) << 6;
            control::write(register);
            let (changed, inside) = {
                let environment = FloatEnvironment::enter_call();
                (environment.was_changed(), control::read())
            };
            let after = control::read();
            control::write(clean);
            assert_eq!(changed, setting != 0, "setting {setting}");
            assert_eq!(
                inside & !0x3f,
                clean & !0x3f,
                "setting {setting}, exception flags aside"
            );
            assert_eq!(after & !0x3f, register & !0x3f, "setting {setting}");
        }
    }

    #[test]
    fn a_clean_environment_is_left_alone() {
        let environment = FloatEnvironment::enter();
        assert!(!environment.was_changed());
        assert!(!FloatEnvironment::enter_call().was_changed());
    }
}
