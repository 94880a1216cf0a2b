//! The file format of recordings: a magic number and a version, then blocks with a head, a checksum and compressed
//! bytes. A file that ends in the middle of a block is valid up to that block.

use alloc::vec::Vec;

/// The number of bytes before the first block: those of [`RecordedCall::MAGIC`](super::RecordedCall::MAGIC).
pub(super) const MAGIC_BYTES: usize = 12;

/// The effort of compression, of 10: low, as the step waits for it.
const EFFORT: u8 = 1;

/// The greatest number of uncompressed bytes of a block; a save of a world of a million bodies takes less.
const BLOCK_BYTES_MAX: u64 = 1 << 32;

/// The size of a block's head in bytes.
const HEAD: usize = 33;

/// The kind of a block's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// The engine's version and the schema of values.
    Schema = 1,
    /// The definition of the new world with which the recording begins.
    NewWorld = 2,
    /// A save: the world with which the recording begins, or a key frame.
    Save = 3,
    /// Calls.
    Calls = 4,
    /// No contents: the recording was ended, and not cut off.
    End = 5,
}

impl BlockKind {
    /// Whether a player can begin with such a block.
    pub(crate) fn is_start(self) -> bool {
        matches!(self, Self::NewWorld | Self::Save)
    }

    fn from_number(number: u8) -> Option<Self> {
        let all = [Self::Schema, Self::NewWorld, Self::Save, Self::Calls, Self::End];
        all.into_iter().find(|kind| *kind as u8 == number)
    }
}

/// A block found by [`scan`].
#[derive(Clone, Debug)]
pub(crate) struct Scanned {
    pub(crate) kind: BlockKind,
    /// The number of steps before it.
    pub(crate) steps: u64,
    length: usize,
    packed: core::ops::Range<usize>,
}

impl Scanned {
    /// The contents of the block; `None` if the bytes are forged.
    pub(crate) fn unpack(&self, file: &[u8]) -> Option<Vec<u8>> {
        let packed = &file[self.packed.clone()];
        let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(packed, self.length).ok()?;
        (bytes.len() == self.length).then_some(bytes)
    }
}

/// A checksum with the hash of saves.
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

/// All complete blocks of a file, and whether no bytes follow them.
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

/// A file with these blocks.
#[cfg(test)]
pub(crate) fn pack(magic: [u8; MAGIC_BYTES], blocks: &[(BlockKind, u64, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::from(magic);
    blocks
        .iter()
        .for_each(|(kind, steps, bytes)| append(*kind, *steps, bytes, &mut out));
    out
}
