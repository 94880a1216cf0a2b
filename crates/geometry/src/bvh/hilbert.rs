//! The position of a point along a Hilbert curve that fills a square of 65,536 by 65,536 cells. Points that are near
//! along the curve are near in the plane, and unlike a Z-order curve it never jumps.
//!
//! The curve is followed by a table: four bits of each coordinate at a time, in one of four orientations. The table is
//! made at compile time from the rule for one bit, which is the textbook one (H. Sagan, *Space-Filling Curves*, 1994).

/// The next orientation, and the place within, for one bit of each coordinate, at `4 * orientation + 2 * x + y`.
///
/// Orientation 0 visits (0,0) (0,1) (1,1) (1,0); 1 is its reflection in the diagonal, 2 its rotation by half a turn, 3
/// both.
const ONE_BIT: [(u8, u8); 16] = [
    (1, 0),
    (0, 1),
    (3, 3),
    (0, 2),
    (0, 0),
    (2, 3),
    (1, 1),
    (1, 2),
    (2, 2),
    (1, 3),
    (2, 1),
    (3, 0),
    (3, 2),
    (3, 1),
    (0, 3),
    (2, 0),
];

/// For an orientation and four bits of x and of y, at `256 * orientation + 16 * x + y`: the next orientation, times
/// 256, and the eight bits of the place.
static FOUR_BITS: [u16; 1024] = four_bits();

const fn four_bits() -> [u16; 1024] {
    let mut table = [0; 1024];
    let mut entry = 0;
    while entry < 1024 {
        let mut orientation = entry >> 8;
        let (x, y) = ((entry >> 4) & 15, entry & 15);
        let mut place = 0;
        let mut bit = 4;
        while bit > 0 {
            bit -= 1;
            let quadrant = 2 * ((x >> bit) & 1) + ((y >> bit) & 1);
            let (next, step) = ONE_BIT[4 * orientation + quadrant];
            orientation = next as usize;
            place = 4 * place + step as u16;
        }
        table[entry] = ((orientation as u16) << 8) | place;
        entry += 1;
    }
    table
}

/// The position of a cell along the curve. Both coordinates are below 65,536.
#[inline]
pub(super) fn place_along_curve(x: u32, y: u32) -> u32 {
    let mut orientation = 0;
    let mut place = 0;
    for shift in [12, 8, 4, 0] {
        let entry = FOUR_BITS[(orientation | ((x >> shift) & 15) << 4 | (y >> shift) & 15) as usize & 1023];
        orientation = u32::from(entry) & 0x300;
        place = place << 8 | u32::from(entry) & 255;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::place_along_curve;

    #[test]
    fn the_first_cells_are_a_curve_without_jumps() {
        const SIDE: u32 = 256;
        let mut cells = vec![None; (SIDE * SIDE) as usize];
        for x in 0..SIDE {
            for y in 0..SIDE {
                let place = place_along_curve(x, y) as usize;
                assert!(cells[place].replace((x, y)).is_none(), "two cells at {place}");
            }
        }
        for two in cells.windows(2) {
            let (a, b) = (two[0].unwrap(), two[1].unwrap());
            assert_eq!(a.0.abs_diff(b.0) + a.1.abs_diff(b.1), 1, "{a:?} then {b:?}");
        }
    }

    #[test]
    fn corners_of_the_square_are_within_the_range() {
        assert_eq!(place_along_curve(0, 0), 0);
        let ends = [(65_535, 0), (0, 65_535), (65_535, 65_535)].map(|(x, y)| place_along_curve(x, y));
        assert!(ends.contains(&u32::MAX), "{ends:?}");
    }
}
