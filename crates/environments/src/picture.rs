//! [`Picture`]: polygons of one color each, filled one over another. The same bits everywhere: only sums, products
//! and comparisons of double precision decide which pixels a polygon covers.

/// The greatest number of a polygon's corners.
const CORNERS_MAX: usize = 8;

/// A color as bytes: red, green, blue, and an unused one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Color(u32);

impl Color {
    pub(crate) const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self(u32::from_le_bytes([red, green, blue, 0]))
    }
}

/// Pixels in rows from the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    pixels: Vec<u32>,
}

impl Picture {
    /// A picture of one color.
    pub(crate) fn new(width: usize, height: usize, color: Color) -> Self {
        Self {
            width,
            pixels: vec![color.0; width * height],
        }
    }

    /// The number of pixels of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    pub fn height(&self) -> usize {
        self.pixels.len().checked_div(self.width).unwrap_or(0)
    }

    /// Red, green and blue of each pixel, in rows from the top.
    pub fn to_rgb(&self) -> Vec<u8> {
        let bytes = self.pixels.iter().flat_map(|pixel| {
            let [red, green, blue, _] = pixel.to_le_bytes();
            [red, green, blue]
        });
        bytes.collect()
    }

    /// Fills the whole picture with one color.
    pub(crate) fn clear(&mut self, color: Color) {
        self.pixels.fill(color.0);
    }

    /// Fills a polygon of up to eight corners, given in pixels from the upper left corner of the picture: the pixels
    /// whose center is inside, that is behind an odd number of edges.
    pub(crate) fn fill(&mut self, corners: &[[f64; 2]], color: Color) {
        debug_assert!(corners.len() <= CORNERS_MAX, "more corners than a row may cross");
        let (mut top, mut bottom) = (f64::MAX, f64::MIN);
        for &[_, y] in corners {
            (top, bottom) = (top.min(y), bottom.max(y));
        }
        // Numbers that are too large for a row saturate.
        let first = libm::ceil(top - 0.5).max(0.0) as usize;
        let end = (libm::ceil(bottom - 0.5).max(0.0) as usize).min(self.height());
        for row in first..end {
            let (crossings, count) = crossings(corners, row as f64 + 0.5);
            let pixels = &mut self.pixels[row * self.width..(row + 1) * self.width];
            for span in crossings[..count].chunks_exact(2) {
                let [from, to] =
                    [span[0], span[1]].map(|x| (libm::ceil(x - 0.5).max(0.0) as usize).min(pixels.len()));
                pixels[from..to].fill(color.0);
            }
        }
    }

    /// The picture reduced by an integer factor in each direction.
    pub(crate) fn reduced(&self, factor: usize) -> Self {
        let (width, height) = (self.width / factor, self.height() / factor);
        let mut rgb = vec![0; 3 * width * height];
        self.shrink(factor, &mut rgb);
        let pixels = rgb
            .chunks_exact(3)
            .map(|part| Color::new(part[0], part[1], part[2]).0);
        Self {
            width,
            pixels: pixels.collect(),
        }
    }

    /// Writes the picture, reduced by an integer factor in each direction: means of red, green and blue, in rows from
    /// the top. Remaining columns at the right and rows at the bottom are left out.
    pub(crate) fn shrink(&self, factor: usize, out: &mut [u8]) {
        let wide = self.width / factor;
        let area = (factor * factor) as u32;
        for (place, rgb) in out.chunks_exact_mut(3).enumerate() {
            let (row, column) = (place / wide * factor, place % wide * factor);
            // Red and blue are summed in one number: sums of up to 256 bytes do not overlap.
            let (mut red_blue, mut green) = (0, 0);
            for row in row..row + factor {
                for pixel in &self.pixels[row * self.width + column..][..factor] {
                    red_blue += pixel & 0x00FF_00FF;
                    green += pixel >> 8 & 0xFF;
                }
            }
            let mean = |sum: u32| ((sum + area / 2) / area) as u8;
            rgb.copy_from_slice(&[mean(red_blue & 0xFFFF), mean(green), mean(red_blue >> 16)]);
        }
    }
}

/// The crossings of a polygon's edges with a row, from left to right, and their number: always an even one.
fn crossings(corners: &[[f64; 2]], y: f64) -> ([f64; CORNERS_MAX], usize) {
    let (mut found, mut count) = ([0.0; CORNERS_MAX], 0);
    let mut before = corners[corners.len() - 1];
    for &corner in corners {
        if (before[1] <= y) != (corner[1] <= y) {
            let x = before[0] + (y - before[1]) / (corner[1] - before[1]) * (corner[0] - before[0]);
            let mut place = count;
            while place > 0 && found[place - 1] > x {
                found[place] = found[place - 1];
                place -= 1;
            }
            found[place] = x;
            count += 1;
        }
        before = corner;
    }
    (found, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHITE: Color = Color::new(255, 255, 255);

    /// For each pixel of a picture of 16 × 12 whether a polygon covers it.
    fn filled(corners: &[[f64; 2]]) -> Vec<bool> {
        let mut picture = Picture::new(16, 12, Color::new(0, 0, 0));
        picture.fill(corners, WHITE);
        picture.pixels.iter().map(|&pixel| pixel == WHITE.0).collect()
    }

    /// Whether a point is inside, by the angle that the corners make around it.
    fn winds(corners: &[[f64; 2]], x: f64, y: f64) -> bool {
        let turned: f64 = (0..corners.len())
            .map(|place| {
                let [a, b] = [corners[place], corners[(place + 1) % corners.len()]];
                let [ax, ay, bx, by] = [a[0] - x, a[1] - y, b[0] - x, b[1] - y];
                libm::atan2(ax * by - ay * bx, ax * bx + ay * by)
            })
            .sum();
        libm::round(turned / core::f64::consts::TAU) as i64 % 2 != 0
    }

    #[test]
    fn the_pixels_of_a_polygon_are_those_whose_middle_is_inside() {
        let mut random = crate::Generator::new(5);
        for corners in (0..3000).map(|_| {
            let count = random.integers(3, 9);
            let corner =
                |random: &mut crate::Generator| [random.uniform(-6.0, 22.0), random.uniform(-6.0, 18.0)];
            (0..count).map(|_| corner(&mut random)).collect::<Vec<_>>()
        }) {
            let ours = filled(&corners);
            for (place, &inside) in ours.iter().enumerate() {
                let (x, y) = ((place % 16) as f64 + 0.5, (place / 16) as f64 + 0.5);
                assert_eq!(inside, winds(&corners, x, y), "{corners:?} at {x}, {y}");
            }
        }
    }

    #[test]
    fn polygons_that_share_an_edge_share_no_pixel_and_leave_none_out() {
        let left = filled(&[[2.0, 1.0], [7.5, 1.0], [9.5, 10.0], [2.0, 10.0]]);
        let right = filled(&[[7.5, 1.0], [14.0, 1.0], [14.0, 10.0], [9.5, 10.0]]);
        let whole = filled(&[[2.0, 1.0], [14.0, 1.0], [14.0, 10.0], [2.0, 10.0]]);
        for place in 0..whole.len() {
            assert_eq!(
                u8::from(left[place]) + u8::from(right[place]),
                u8::from(whole[place])
            );
        }
        assert_eq!(whole.iter().filter(|&&inside| inside).count(), 12 * 9);
        let far = [[-1.0e300, -1.0e300], [1.0e300, -1.0e300], [1.0e300, 1.0e300]];
        filled(&far);
    }

    #[test]
    fn a_smaller_picture_has_the_means() {
        let mut picture = Picture::new(7, 4, Color::new(10, 0, 200));
        picture.fill(
            &[[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [0.0, 2.0]],
            Color::new(20, 255, 0),
        );
        let mut small = [0; 18];
        picture.shrink(2, &mut small);
        assert_eq!(small[..6], [15, 128, 100, 10, 0, 200]);
    }
}
