//! [`SubstepLength`]: what a constraint remembers of the substeps in which its impulses were computed. An impulse is a
//! force times the length of a substep, so the first guess of a substep of another length is as much larger or smaller.
//!
//! Each contact and joint has the length in unused bits of its flags: it stays with the impulses of what sleeps, and of
//! bodies that are solved in more substeps than others.

/// The length of a substep to 10 binary digits; lengths that differ by less are equal. All values are valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SubstepLength(u32);

impl SubstepLength {
    /// The bits of flags that hold a length; zero for the default substep, a 240th of a second.
    pub(crate) const BITS: u32 = 0x3FFF << Self::SHIFT;

    const SHIFT: u32 = 17;

    /// The bits of an `f32` that are left out: 14 of the 23 of its fraction.
    const DROPPED: u32 = 14;

    /// The bits, without those, of the shortest length that is told apart: 2^-28 s; the longest is 16 s.
    const FIRST: u32 = (127 - 28) << (23 - Self::DROPPED);

    const USUAL: u32 = Self::code(1.0 / 60.0 / 4.0);

    /// The length `h`, in seconds, a positive number.
    pub(crate) fn new(h: f32) -> Self {
        Self(Self::code(h))
    }

    const fn code(h: f32) -> u32 {
        let code = (h.to_bits() >> Self::DROPPED).saturating_sub(Self::FIRST);
        let last = Self::BITS >> Self::SHIFT;
        if code < last { code } else { last }
    }

    /// The length in the bits of flags.
    #[inline(always)]
    pub(crate) fn of_flags(flags: u32) -> Self {
        Self(((flags & Self::BITS) >> Self::SHIFT) ^ Self::USUAL)
    }

    /// The flags with this length in them.
    #[inline(always)]
    pub(crate) fn in_flags(self, flags: u32) -> u32 {
        flags & !Self::BITS | (self.0 ^ Self::USUAL) << Self::SHIFT
    }

    /// The factor by which an impulse over substeps of length `before` is one over substeps of this length.
    pub(crate) fn over(self, before: Self) -> f32 {
        self.seconds() / before.seconds()
    }

    fn seconds(self) -> f32 {
        f32::from_bits((self.0 + Self::FIRST) << Self::DROPPED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT_H: f32 = 1.0 / 60.0 / 4.0;

    #[test]
    fn flags_hold_every_length_and_zero_is_the_default() {
        assert_eq!(SubstepLength::new(DEFAULT_H).in_flags(0), 0);
        assert_eq!(
            SubstepLength::of_flags(!SubstepLength::BITS),
            SubstepLength::new(DEFAULT_H)
        );
        for h in [1.0e-6 / 128.0, 1.0 / 480.0, DEFAULT_H, 1.0 / 30.0 / 4.0, 1.0] {
            let length = SubstepLength::new(h);
            for flags in [0, u32::MAX, 0b1_0101] {
                let held = length.in_flags(flags);
                assert_eq!(SubstepLength::of_flags(held), length);
                assert_eq!((held ^ flags) & !SubstepLength::BITS, 0, "other flags stay");
            }
            assert_eq!(length.over(length).to_bits(), 1.0_f32.to_bits());
        }
    }

    #[test]
    fn factors_are_the_ratios_of_lengths() {
        for before in [1.0e-6 / 128.0, 1.0 / 576.0, DEFAULT_H, 0.25] {
            for now in [1.0e-6 / 128.0, 1.0 / 333.0, DEFAULT_H, 1.0] {
                let factor = SubstepLength::new(now).over(SubstepLength::new(before));
                assert!(
                    (factor * before / now - 1.0).abs() < 0.002,
                    "{now} after {before}: {factor}"
                );
            }
        }
    }

    #[test]
    fn factors_of_forged_flags_are_positive_numbers() {
        let all = (0..=SubstepLength::BITS >> SubstepLength::SHIFT).map(|code| code << SubstepLength::SHIFT);
        let usual = SubstepLength::new(DEFAULT_H);
        for length in all.map(SubstepLength::of_flags) {
            for factor in [usual.over(length), length.over(usual)] {
                assert!(factor.is_finite() && factor > 0.0);
            }
        }
    }
}
