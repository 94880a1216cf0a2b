//! The number formats of a recording: integers of variable length, and lists of ascending numbers as gaps. Every part
//! of `frames/` writes with them, and `pages/read.js` reads them.

/// Writes a number in groups of seven bits, the low ones first; the high bit says that more follow (LEB128).
pub(super) fn number(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Writes a signed number so that small ones of either sign stay short (zigzag): 0, -1, 1, -2 become 0, 1, 2, 3.
pub(super) fn signed(out: &mut Vec<u8>, value: i32) {
    number(out, ((value << 1) ^ (value >> 31)) as u32);
}

/// Writes the count of the numbers, then the difference of each from the one before. They must ascend.
pub(super) fn ascending(out: &mut Vec<u8>, values: &[u32]) {
    number(out, values.len() as u32);
    let mut least = 0;
    for &value in values {
        debug_assert!(value >= least, "{value} comes after {least}");
        number(out, value - least);
        least = value + 1;
    }
}

/// The nearest whole number of quanta; halves go away from zero. `f32::round` is a call without an instruction of the
/// processor on the oldest ones for which this is built, and a frame has three numbers for each body.
pub(super) fn nearest(value: f32) -> i32 {
    /// Below it the half that is added is exact.
    const EXACT: f32 = (1 << 22) as f32;
    if value.abs() < EXACT {
        (value + 0.5f32.copysign(value)) as i32
    } else {
        value.round() as i32
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A reader of these formats; the tests of the recording decode with it.
    pub(in crate::frames) struct Reader<'a>(pub(in crate::frames) &'a [u8]);

    impl Reader<'_> {
        pub(in crate::frames) fn byte(&mut self) -> u8 {
            let (&first, rest) = self.0.split_first().expect("the recording goes on");
            self.0 = rest;
            first
        }

        pub(in crate::frames) fn number(&mut self) -> u32 {
            let mut value = 0;
            for shift in (0..).step_by(7) {
                let byte = self.byte();
                value |= u32::from(byte & 0x7f) << shift;
                if byte < 0x80 {
                    break;
                }
            }
            value
        }

        pub(in crate::frames) fn signed(&mut self) -> i32 {
            let value = self.number();
            (value >> 1) as i32 ^ -((value & 1) as i32)
        }

        pub(in crate::frames) fn ascending(&mut self) -> Vec<u32> {
            let count = self.number();
            let mut least = 0;
            (0..count)
                .map(|_| {
                    let value = least + self.number();
                    least = value + 1;
                    value
                })
                .collect()
        }
    }

    #[test]
    fn numbers_come_back() {
        let unsigned = [0, 1, 127, 128, 16_383, 16_384, u32::MAX - 1, u32::MAX];
        let with_sign = [0, 1, -1, 63, -64, 64, -65, i32::MAX, i32::MIN];
        let lists: [&[u32]; 4] = [&[], &[0], &[7], &[0, 1, 2, 9, 1_000_000]];
        let mut out = Vec::new();
        unsigned.iter().for_each(|&value| number(&mut out, value));
        with_sign.iter().for_each(|&value| signed(&mut out, value));
        lists.iter().for_each(|list| ascending(&mut out, list));
        let mut reader = Reader(&out);
        assert_eq!(unsigned.map(|_| reader.number()), unsigned);
        assert_eq!(with_sign.map(|_| reader.signed()), with_sign);
        for list in lists {
            assert_eq!(reader.ascending(), list);
        }
        assert!(reader.0.is_empty());
    }

    #[test]
    fn the_nearest_number_is_as_near_as_rounding_finds() {
        let edges = [
            0.0f32,
            0.25,
            0.5,
            0.75,
            1.0,
            1.5,
            2.5,
            4_194_303.5,
            4_194_304.0,
            8_388_609.0,
            3e9,
            f32::MAX,
        ];
        let around = edges
            .iter()
            .flat_map(|&edge| [edge.next_down(), edge, edge.next_up(), -edge, -edge.next_up()]);
        for value in around {
            let (found, exact) = (nearest(value), value.round());
            // Just below a half both neighbors are as good.
            let is_near = (f64::from(found) - f64::from(value)).abs() <= 0.5 + 1e-7;
            assert!(is_near || found == exact as i32, "{found} for {value}");
        }
        assert_eq!([0.5, -0.5, 1.5, -2.5, f32::NAN].map(nearest), [1, -1, 2, -3, 0]);
    }

    #[test]
    fn small_numbers_take_one_byte() {
        let mut out = Vec::new();
        signed(&mut out, 63);
        signed(&mut out, -64);
        number(&mut out, 127);
        assert_eq!(out.len(), 3);
    }
}
