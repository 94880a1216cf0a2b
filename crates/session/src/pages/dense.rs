//! The engine's module, and programs, as text in a page: LZMA, which makes a module a quarter smaller than the DEFLATE that a
//! browser can undo by itself, and seven bits a letter, where base64 has six. `unpack.js` undoes both.
//!
//! Letters of seven bits are one byte of UTF-8 each. Three of them HTML does not keep as they are: NUL, the carriage return,
//! and `<`, which begins a tag. Such a one and the next seven bits are one letter of two bytes, so no bit is lost.

use std::io::Write;

use lzma_rust2::{DICT_SIZE_MIN, LzmaOptions, LzmaWriter};

use crate::failure::Failure;

/// The letters that HTML does not keep as they are.
const UNSAFE: [u8; 3] = [0, b'\r', b'<'];

/// Bytes as a text that may stand in a script element, some seven tenths as long for a module.
///
/// # Errors
/// Above 4 GB; else none is known, for everything is written to memory.
pub(super) fn dense(bytes: &[u8]) -> Result<String, Failure> {
    let length = u32::try_from(bytes.len()).map_err(|_| Failure("the module is above 4 GB".into()))?;
    let mut options = LzmaOptions::with_preset(9);
    options.nice_len = LzmaOptions::NICE_LEN_MAX;
    // The whole module can be referred to, and no code of WebAssembly is aligned.
    options.dict_size = length.max(DICT_SIZE_MIN);
    options.pb = 0;
    let packed = length.to_le_bytes().to_vec();
    let mut writer = LzmaWriter::new_no_header(packed, &options, false)?;
    writer.write_all(bytes)?;
    Ok(letters(&writer.finish()?))
}

/// Bytes as letters of seven bits, the high ones first; the last is filled up with zeros.
fn letters(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 8 / 7 + 2);
    let mut sevens = Sevens::new(bytes);
    while let Some(seven) = sevens.next() {
        match UNSAFE.iter().position(|&letter| letter == seven) {
            Some(which) => {
                let following = sevens.next().unwrap_or(0);
                let code = 0x100 + 0x80 * which as u32 + u32::from(following);
                text.extend(char::from_u32(code));
            }
            None => text.push(char::from(seven)),
        }
    }
    text
}

/// Bytes, seven bits at a time.
struct Sevens<'b> {
    bytes: std::slice::Iter<'b, u8>,
    /// The low `held` bits are not yet given.
    bits: u32,
    held: u32,
}

impl<'b> Sevens<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        Self {
            bytes: bytes.iter(),
            bits: 0,
            held: 0,
        }
    }

    fn next(&mut self) -> Option<u8> {
        if self.held < 7 {
            match self.bytes.next() {
                Some(&byte) => {
                    self.bits = self.bits << 8 | u32::from(byte);
                    self.held += 8;
                }
                None if self.held == 0 => return None,
                None => {
                    self.bits <<= 7 - self.held;
                    self.held = 7;
                }
            }
        }
        self.held -= 7;
        Some((self.bits >> self.held & 0x7f) as u8)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use lzma_rust2::LzmaReader;
    use proptest::prelude::*;

    use super::*;

    /// The bytes of letters, by a number with all their bits.
    fn read(text: &str) -> Vec<u8> {
        let mut bits = String::new();
        for letter in text.chars().map(u32::from) {
            if letter >= 0x100 {
                bits += &format!("{:07b}", UNSAFE[(letter as usize >> 7) - 2]);
            }
            bits += &format!("{:07b}", letter & 0x7f);
        }
        let whole = bits.len() / 8;
        let byte = |at: usize| u8::from_str_radix(&bits[8 * at..8 * at + 8], 2).unwrap();
        (0..whole).map(byte).collect()
    }

    fn is_kept_by_html(text: &str) -> bool {
        !text.contains(['\0', '\r', '<'])
    }

    proptest! {
        #[test]
        fn letters_hold_all_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let text = letters(&bytes);
            prop_assert!(is_kept_by_html(&text));
            prop_assert!(text.len() * 7 <= bytes.len() * 8 + 14, "{} of {}", text.len(), bytes.len());
            let mut read = read(&text);
            // What fills up the last letter may make one more byte.
            prop_assert!(read.len() - bytes.len() <= 1);
            read.truncate(bytes.len());
            prop_assert_eq!(read, bytes);
        }

        #[test]
        fn packed_bytes_come_back(words in proptest::collection::vec(0_u16..50, 0..2_000)) {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let text = dense(&bytes).unwrap();
            prop_assert!(is_kept_by_html(&text));
            let packed = read(&text);
            let (length, stream) = packed.split_first_chunk().unwrap();
            prop_assert_eq!(u32::from_le_bytes(*length) as usize, bytes.len());
            let mut unpacked = Vec::new();
            LzmaReader::new(stream, bytes.len() as u64, 3, 0, 0, 1 << 16, None)
                .unwrap()
                .read_to_end(&mut unpacked)
                .unwrap();
            prop_assert_eq!(unpacked, bytes);
        }
    }
}
