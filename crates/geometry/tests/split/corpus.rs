//! Polygons to split: random simple polygons on a lattice, combs, spirals.

use glam::DVec2;

/// A small generator of our own, so that a case is known by its seed for ever (splitmix64, S. Vigna).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

pub(crate) type Cell = [i64; 2];

fn turn(a: Cell, b: Cell, c: Cell) -> i64 {
    ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).signum()
}

fn is_between(a: Cell, b: Cell, p: Cell) -> bool {
    (0..2).all(|i| a[i].min(b[i]) <= p[i] && p[i] <= a[i].max(b[i]))
}

fn meet(a: Cell, b: Cell, c: Cell, d: Cell) -> bool {
    let (abc, abd, cda, cdb) = (turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b));
    (abc * abd < 0 && cda * cdb < 0)
        || (abc == 0 && is_between(a, b, c))
        || (abd == 0 && is_between(a, b, d))
        || (cda == 0 && is_between(c, d, a))
        || (cdb == 0 && is_between(c, d, b))
}

/// A simple polygon of up to `count` vertices on a lattice of `size` by `size`, counter-clockwise: a triangle that
/// grows by random points put between neighbors wherever the polygon stays simple. Straight vertices occur.
pub(crate) fn lattice_polygon(random: &mut Random, size: u64, count: usize) -> Vec<Cell> {
    let mut cell = || [random.below(size) as i64, random.below(size) as i64];
    let mut polygon = loop {
        let triangle = [cell(), cell(), cell()];
        match turn(triangle[0], triangle[1], triangle[2]) {
            1 => break triangle.to_vec(),
            -1 => break vec![triangle[2], triangle[1], triangle[0]],
            _ => {}
        }
    };
    for _ in 0..count * 8 {
        if polygon.len() == count {
            break;
        }
        let p = [random.below(size) as i64, random.below(size) as i64];
        let edge = random.below(polygon.len() as u64) as usize;
        let length = polygon.len();
        let (a, b) = (polygon[edge], polygon[(edge + 1) % length]);
        let fits = (0..length).all(|other| {
            let (c, d) = (polygon[other], polygon[(other + 1) % length]);
            if other == edge {
                return p != a && p != b;
            }
            // The new edges may meet the neighbors of the old one in the shared vertex only.
            let starts_at_b = other == (edge + 1) % length;
            let ends_at_a = (other + 1) % length == edge;
            let first_fits = if ends_at_a {
                !overlaps(c, a, p)
            } else {
                !meet(a, p, c, d)
            };
            let second_fits = if starts_at_b {
                !overlaps(d, b, p)
            } else {
                !meet(p, b, c, d)
            };
            first_fits && second_fits
        });
        let folds = turn(a, p, b) == 0 && !is_between(a, b, p);
        if fits && !folds {
            polygon.insert(edge + 1, p);
        }
    }
    // A point far away may have turned the polygon inside out.
    let doubled_area: i64 = (0..polygon.len())
        .map(|i| (polygon[i], polygon[(i + 1) % polygon.len()]))
        .map(|(a, b)| a[0] * b[1] - a[1] * b[0])
        .sum();
    if doubled_area < 0 {
        polygon.reverse();
    }
    polygon
}

/// Whether the edges from `corner` to `a` and to `b` share more than the corner.
fn overlaps(a: Cell, corner: Cell, b: Cell) -> bool {
    turn(a, corner, b) == 0
        && (a[0] - corner[0]) * (b[0] - corner[0]) + (a[1] - corner[1]) * (b[1] - corner[1]) > 0
}

/// Where the lattice lies: cells of `scale` meters, the origin at `offset`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub(crate) scale: f64,
    pub(crate) offset: DVec2,
}

impl Placement {
    pub(crate) fn random(random: &mut Random) -> Self {
        let exponent = random.below(13) as i32 - 6;
        let mut scale = (0..exponent.abs()).fold(1.0, |s, _| s * 10.0);
        if exponent < 0 {
            scale = 1.0 / scale;
        }
        let reach = [0.0, 0.0, 1.0, 1000.0, 1.0e7][random.below(5) as usize];
        let offset = DVec2::new(random.unit() - 0.5, random.unit() - 0.5) * reach;
        Self { scale, offset }
    }

    pub(crate) fn place(&self, cell: Cell) -> DVec2 {
        DVec2::new(cell[0] as f64, cell[1] as f64) * self.scale + self.offset
    }
}

/// A comb with teeth upwards from y = 1 to y = 3, a meter wide each, its back from y = 0 to y = 1.
pub(crate) fn comb(teeth: usize) -> Vec<DVec2> {
    let width = (2 * teeth - 1) as f64;
    let mut points = vec![DVec2::ZERO, DVec2::new(width, 0.0)];
    for tooth in (0..teeth).rev() {
        let x = (2 * tooth) as f64;
        points.extend([DVec2::new(x + 1.0, 3.0), DVec2::new(x, 3.0)]);
        if tooth > 0 {
            points.extend([DVec2::new(x, 1.0), DVec2::new(x - 1.0, 1.0)]);
        }
    }
    points
}

/// A square spiral corridor, half a meter wide, of `arms` arms at a meter's distance, beginning in the middle.
pub(crate) fn spiral(arms: usize) -> Vec<DVec2> {
    let directions = [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y];
    let mut middle = vec![DVec2::ZERO];
    for arm in 0..arms {
        let last = middle[middle.len() - 1];
        middle.push(last + directions[arm % 4] * (arm / 2 + 1) as f64);
    }
    let corner = |index: usize| {
        let before = directions[(index + 3) % 4];
        let after = directions[index % 4];
        let (before, after) = match index {
            0 => (after, after),
            i if i == arms => (before, before),
            _ => (before, after),
        };
        let side = |d: DVec2| DVec2::new(-d.y, d.x) * 0.25;
        if before == after {
            side(after)
        } else {
            side(before) + side(after)
        }
    };
    let mut points: Vec<DVec2> = (0..=arms).map(|i| middle[i] - corner(i)).collect();
    points.extend((0..=arms).rev().map(|i| middle[i] + corner(i)));
    points
}
