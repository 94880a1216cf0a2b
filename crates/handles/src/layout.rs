//! `Layout`: the division of a handle's 64 bits, and the policy for a slot whose generations run out.
//!
//! From the lowest bit: index, generation, tag, unused bits (always zero), and the free bit on top. So the order of the
//! numbers is the order of free bit, tag, generation, index. Handles, slots and maps take a [`Layout`] as a type
//! parameter; no other file of the crate uses bit positions.
//!
//! The reasons are in `docs/decisions.md#slots-retire-when-generations-run-out`.

/// The policy for a slot whose last generation has been used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenExhausted {
    /// The slot is never used again. It keeps its 8 bytes; no stale handle ever becomes valid again. With 16 bits a
    /// slot serves 65,535 values, so the memory lost is 8 bytes per 65,535 removals.
    Retire,
    /// The slot starts again at generation 1. No memory is lost, but a handle that is kept while its slot goes through
    /// all generations resolves to another value.
    Wrap,
    /// Removing the value panics and leaves the map unchanged. For programs in which such a removal is a bug.
    Panic,
}

/// The division of a handle's bits.
///
/// The three widths add up to at most 63; the 64th bit marks free slots. A layout that does not fit is a compile error
/// where a map or handle uses it.
///
/// ```
/// use tombolo_handles::{HandleMap, Layout, WhenExhausted};
///
/// /// Few things, created and removed all the time.
/// #[derive(Clone, Copy, Debug)]
/// struct Sparks;
/// impl Layout for Sparks {
///     const INDEX_BITS: u32 = 20;
///     const GENERATION_BITS: u32 = 31;
///     const TAG_BITS: u32 = 4;
///     const WHEN_EXHAUSTED: WhenExhausted = WhenExhausted::Wrap;
/// }
/// let mut sparks = HandleMap::<f32, Sparks>::default();
/// let spark = sparks.insert(0.5);
/// assert_eq!(sparks.get(spark), Some(&0.5));
/// ```
pub trait Layout: Copy + 'static {
    /// Bits of the slot index, 1 to 32. A map of this layout has at most 2^`INDEX_BITS` − 1 slots.
    const INDEX_BITS: u32;
    /// Bits of the generation, 1 to 31. Generations run from 1 to 2^`GENERATION_BITS` − 1; 0 is never valid.
    const GENERATION_BITS: u32;
    /// Bits of the type tag, 0 to 16.
    const TAG_BITS: u32;
    /// The policy for a slot whose last generation has been used.
    const WHEN_EXHAUSTED: WhenExhausted = WhenExhausted::Retire;
}

/// 32 bits of index, 16 of generation, 15 of tag: four thousand million values, 65,535 generations a slot, 32,768 tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefaultLayout;

impl Layout for DefaultLayout {
    const INDEX_BITS: u32 = 32;
    const GENERATION_BITS: u32 = 16;
    const TAG_BITS: u32 = 15;
}

/// 32 bits of index, 24 of generation, 7 of tag: for maps with heavy churn and few types. A slot has 16 million
/// generations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongLivedLayout;

impl Layout for LongLivedLayout {
    const INDEX_BITS: u32 = 32;
    const GENERATION_BITS: u32 = 24;
    const TAG_BITS: u32 = 7;
}

/// Bit positions that follow from a layout. Using any of them checks the layout at compile time.
pub(crate) struct Bits<L>(core::marker::PhantomData<L>);

impl<L: Layout> Bits<L> {
    const CHECKED: () = {
        assert!(
            L::INDEX_BITS >= 1 && L::INDEX_BITS <= 32,
            "a layout has 1 to 32 bits of index"
        );
        assert!(
            L::GENERATION_BITS >= 1 && L::GENERATION_BITS <= 31,
            "a layout has 1 to 31 bits of generation"
        );
        assert!(L::TAG_BITS <= 16, "a layout has at most 16 bits of tag");
        assert!(
            L::INDEX_BITS + L::GENERATION_BITS + L::TAG_BITS <= 63,
            "index, generation and tag have 63 bits together"
        );
    };

    /// All ones in the index: "no slot". Slot numbers stay below it.
    pub(crate) const NO_INDEX: u32 = {
        let () = Self::CHECKED;
        ((1_u64 << L::INDEX_BITS) - 1) as u32
    };
    /// The last generation; the first is 1.
    pub(crate) const GENERATION_MAX: u32 = ((1_u64 << L::GENERATION_BITS) - 1) as u32;
    /// The greatest tag.
    pub(crate) const TAG_MAX: u32 = ((1_u64 << L::TAG_BITS) - 1) as u32;
    /// The lowest bit of the tag; the lowest bit of the generation is `INDEX_BITS`.
    pub(crate) const TAG_SHIFT: u32 = L::INDEX_BITS + L::GENERATION_BITS;
    /// The bit that marks a free slot. No handle has it.
    pub(crate) const FREE: u64 = 1 << 63;

    pub(crate) const fn index(bits: u64) -> u32 {
        bits as u32 & Self::NO_INDEX
    }

    pub(crate) const fn generation(bits: u64) -> u32 {
        (bits >> L::INDEX_BITS) as u32 & Self::GENERATION_MAX
    }

    pub(crate) const fn tag(bits: u64) -> u32 {
        (bits >> Self::TAG_SHIFT) as u32 & Self::TAG_MAX
    }

    /// The word of a live slot or a handle. The caller keeps the parts within their widths.
    pub(crate) const fn pack(tag: u32, generation: u32, index: u32) -> u64 {
        (tag as u64) << Self::TAG_SHIFT | (generation as u64) << L::INDEX_BITS | index as u64
    }

    /// Whether the bits could be a handle: free bit and unused bits clear, generation and index in range.
    pub(crate) const fn is_handle(bits: u64) -> bool {
        bits >> (Self::TAG_SHIFT + L::TAG_BITS) == 0
            && Self::generation(bits) != 0
            && Self::index(bits) != Self::NO_INDEX
    }
}
