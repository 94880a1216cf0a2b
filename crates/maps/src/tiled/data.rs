//! Decodes the tiles of a layer: numbers in a list or text, perhaps compressed. The size of the decoded data is
//! bounded by that of the layer.

use std::io::Read;

use base64::Engine as _;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use flate2::bufread::{GzDecoder, ZlibDecoder};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use super::model::Data;

/// The largest window that a Zstandard text may request; the format's own recommendation for every decoder.
const ZSTD_WINDOW_BYTES_MAX: u64 = 8 << 20;

/// The numbers of `count` cells.
///
/// # Errors
/// They are not in a form that Tiled writes, or not as many.
pub(super) fn cells(
    data: &Data,
    encoding: &str,
    compression: &str,
    count: usize,
) -> Result<Vec<u32>, String> {
    let cells = match (data, encoding) {
        (Data::List(list), _) => list.clone(),
        (Data::Text(text), "csv") => from_csv(text, count)?,
        (Data::Text(text), "base64") => from_base64(text, compression, count)?,
        (_, other) => {
            return Err(format!(
                "encoding {other:?} is unknown; save the map with CSV or Base64"
            ));
        }
    };
    if cells.len() != count {
        return Err(format!(
            "{} tiles are given where its size asks for {count}",
            cells.len()
        ));
    }
    Ok(cells)
}

fn from_csv(text: &str, count: usize) -> Result<Vec<u32>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let number = |word: &str| {
        let word = word.trim();
        word.parse::<u32>().map_err(|_| {
            let shown: String = word.chars().take(20).collect();
            format!("{shown:?} is no number of a tile")
        })
    };
    // One more than expected shows that there are too many.
    text.split(',').take(count + 1).map(number).collect()
}

fn from_base64(text: &str, compression: &str, count: usize) -> Result<Vec<u32>, String> {
    let engine = GeneralPurpose::new(&base64::alphabet::STANDARD, GeneralPurposeConfig::new());
    let letters: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let packed = engine
        .decode(letters)
        .map_err(|error| format!("its tiles are no Base64: {error}"))?;
    let size = 4 * count;
    let bytes = match compression {
        "" => packed,
        "zlib" => unpack(ZlibDecoder::new(&packed[..]), size)?,
        "gzip" => unpack(GzDecoder::new(&packed[..]), size)?,
        "zstd" => {
            let mut decoder = FrameDecoder::new();
            decoder.set_max_window_size(ZSTD_WINDOW_BYTES_MAX.max(size as u64));
            let decoder = StreamingDecoder::new_with_decoder(&packed[..], decoder)
                .map_err(|error| format!("its tiles cannot be unpacked: {error}"))?;
            unpack(decoder, size)?
        }
        other => {
            return Err(format!(
                "compression {other:?} is unknown; save the map with zlib, gzip or zstd"
            ));
        }
    };
    if bytes.len() != size {
        let given = bytes.len();
        return Err(format!(
            "{given} or more bytes of tiles are given where its size asks for {size}"
        ));
    }
    let (numbers, _) = bytes.as_chunks::<4>();
    Ok(numbers.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
}

/// All bytes of a stream, up to one beyond a size.
fn unpack(stream: impl Read, size: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    stream
        .take(size as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("its tiles cannot be unpacked: {error}"))?;
    Ok(bytes)
}
