//! What an image is, by its first bytes: its format and its size, before anything unpacks it.

/// A format of images that browsers show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImageKind {
    Png,
    Jpeg,
    Gif,
    Bmp,
}

impl ImageKind {
    /// All names, for people.
    pub(crate) fn names() -> &'static str {
        "PNG, JPEG, GIF and BMP"
    }

    /// The media type (RFC 6838).
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Bmp => "image/bmp",
        }
    }
}

/// The format of an image, and its width and height in pixels; `None` if it is of none of these formats.
pub(crate) fn look_at(bytes: &[u8]) -> Option<(ImageKind, [u32; 2])> {
    let big = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let little = |at: usize| Some(i32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let short = |at: usize| {
        Some(u32::from(u16::from_le_bytes(
            bytes.get(at..at + 2)?.try_into().ok()?,
        )))
    };
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some((ImageKind::Png, [big(16)?, big(20)?]));
    }
    if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        return Some((ImageKind::Gif, [short(6)?, short(8)?]));
    }
    if bytes.starts_with(b"BM") {
        // A negative height stands for rows from the top.
        let size = [little(18)?, little(22)?].map(i32::unsigned_abs);
        return Some((ImageKind::Bmp, size));
    }
    bytes
        .starts_with(b"\xff\xd8\xff")
        .then(|| size_of_jpeg(bytes))
        .flatten()
        .map(|size| (ImageKind::Jpeg, size))
}

/// The size in a JPEG's frame header, which stands behind segments of other kinds (ITU T.81, B.2.2).
fn size_of_jpeg(bytes: &[u8]) -> Option<[u32; 2]> {
    let mut at = 2;
    loop {
        let &[0xff, marker, high, low, ..] = bytes.get(at..)? else {
            return None;
        };
        // A marker may have any number of such bytes before it (ITU T.81, B.1.1.2).
        if marker == 0xff {
            at += 1;
            continue;
        }
        // Frame headers are C0 to CF, without the tables C4, C8 and CC.
        if matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc) {
            let &[h1, h0, w1, w0] = bytes.get(at + 5..at + 9)? else {
                return None;
            };
            return Some([[w1, w0], [h1, h0]].map(|pair| u32::from(u16::from_be_bytes(pair))));
        }
        let length = usize::from(u16::from_be_bytes([high, low]));
        if length < 2 {
            return None;
        }
        at += 2 + length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_say_format_and_size() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        png.extend([0, 0, 1, 2, 0, 0, 0, 7]);
        assert_eq!(look_at(&png), Some((ImageKind::Png, [258, 7])));
        let gif = b"GIF89a\x10\0\x01\x02".to_vec();
        assert_eq!(look_at(&gif), Some((ImageKind::Gif, [16, 513])));
        let mut bmp = b"BM".to_vec();
        bmp.resize(18, 0);
        bmp.extend(3_i32.to_le_bytes());
        bmp.extend((-5_i32).to_le_bytes());
        assert_eq!(look_at(&bmp), Some((ImageKind::Bmp, [3, 5])));
        // A segment of four bytes of JFIF, then a frame header after two bytes that fill.
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xff\xc2\0\x11\x08\0\x09\x01\0rest".to_vec();
        assert_eq!(look_at(&jpeg), Some((ImageKind::Jpeg, [256, 9])));
        for whole in [png, gif, bmp, jpeg] {
            let shorter = (0..whole.len() - 4).map(|length| look_at(&whole[..length]));
            assert!(shorter.flatten().count() <= 1, "cut off, it has no size");
        }
    }

    #[test]
    fn what_is_no_image_is_none() {
        for bytes in [
            &b""[..],
            b"root:x:0:0:root:/root:/bin/sh",
            b"<svg/>",
            b"\xff\xd8\xff\xe0\0\0",
            b"RIFF",
        ] {
            assert_eq!(look_at(bytes), None);
        }
    }
}
