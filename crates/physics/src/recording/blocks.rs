//! The file of a recording: a magic number and a version, then blocks that each have a head, a checksum and compressed bytes.
//! A file that ends in the middle of a block is good up to that block.

use alloc::vec::Vec;

/// Bytes before the first block: those of [`RecordedCall::MAGIC`](super::RecordedCall::MAGIC).
pub(super) const MAGIC_BYTES: usize = 12;

/// How hard bytes are compressed, of 10: little, as a step waits for it.
const EFFORT: u8 = 1;

/// The most bytes of a block when it is not compressed; a world of a million bodies takes less.
const BLOCK_BYTES_MAX: u64 = 1 << 32;

/// Bytes of a block's head.
const HEAD: usize = 33;

/// What is in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// The engine's version and what values are.
    Schema = 1,
    /// What the new world that the recording begins with is made from.
    NewWorld = 2,
    /// A save: the world that the recording begins with, or a key frame.
    Save = 3,
    /// Calls.
    Calls = 4,
    /// Nothing: the recording was ended, and not cut off.
    End = 5,
}

impl BlockKind {
    /// Whether a player can begin with it.
    pub(crate) fn is_start(self) -> bool {
        matches!(self, Self::NewWorld | Self::Save)
    }

    fn from_number(number: u8) -> Option<Self> {
        let all = [Self::Schema, Self::NewWorld, Self::Save, Self::Calls, Self::End];
        all.into_iter().find(|kind| *kind as u8 == number)
    }
}

/// A block as it was found.
#[derive(Clone, Debug)]
pub(crate) struct Scanned {
    pub(crate) kind: BlockKind,
    /// Steps that were made before it.
    pub(crate) steps: u64,
    length: usize,
    packed: core::ops::Range<usize>,
}

impl Scanned {
    /// What is in it; `None` if the bytes were made to fool.
    pub(crate) fn unpack(&self, file: &[u8]) -> Option<Vec<u8>> {
        let packed = &file[self.packed.clone()];
        let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(packed, self.length).ok()?;
        (bytes.len() == self.length).then_some(bytes)
    }
}

/// A checksum as saves have it.
fn checksum(bytes: &[u8]) -> [u8; 8] {
    crate::persistent::hash_of_bytes(bytes).to_le_bytes()
}

/// Appends a block.
pub(super) fn append(kind: BlockKind, steps: u64, bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    let packed = miniz_oxide::deflate::compress_to_vec(bytes, EFFORT);
    out.push(kind as u8);
    out.extend(steps.to_le_bytes());
    out.extend((bytes.len() as u64).to_le_bytes());
    out.extend((packed.len() as u64).to_le_bytes());
    out.extend([0; 8]);
    out.extend(packed);
    let sum = checksum(&out[start..]);
    out[start + HEAD - 8..start + HEAD].copy_from_slice(&sum);
}

/// All whole blocks of a file, and whether nothing came after them.
pub(crate) fn scan(file: &[u8]) -> (Vec<Scanned>, bool) {
    let mut blocks = Vec::new();
    let mut at = MAGIC_BYTES;
    while let Some(block) = scan_one(file, at) {
        at = block.packed.end;
        blocks.push(block);
    }
    (blocks, at == file.len())
}

fn scan_one(file: &[u8], at: usize) -> Option<Scanned> {
    let head = file.get(at..at.checked_add(HEAD)?)?;
    let number = |from: usize| u64::from_le_bytes(head[from..from + 8].try_into().expect("eight bytes"));
    let kind = BlockKind::from_number(head[0])?;
    let (steps, length, packed_length) = (number(1), number(9), number(17));
    let start = at + HEAD;
    let end = start.checked_add(usize::try_from(packed_length).ok()?)?;
    let packed = file.get(start..end)?;
    let mut summed = Vec::from(head);
    summed[HEAD - 8..].fill(0);
    summed.extend(packed);
    let is_sound = length <= BLOCK_BYTES_MAX && checksum(&summed) == head[HEAD - 8..];
    is_sound.then_some(Scanned {
        kind,
        steps,
        length: usize::try_from(length).ok()?,
        packed: start..end,
    })
}

/// A file of these blocks.
#[cfg(test)]
pub(crate) fn pack(magic: [u8; MAGIC_BYTES], blocks: &[(BlockKind, u64, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::from(magic);
    blocks
        .iter()
        .for_each(|(kind, steps, bytes)| append(*kind, *steps, bytes, &mut out));
    out
}
