//! Boxes, their moves and the queries: the same for all contenders.

use tombolo_geometry::orthtree::{Ball, Bounds, Convex, HalfSpace, Segment};

/// Half the side of every box, in meters.
pub(super) const HALF_SIZE: f32 = 0.5;
/// The side of the finest cells, in meters: six boxes in each where they are spread evenly.
pub(super) const CELL_SIZE: f32 = 8.0;
const CLUSTER_SIZE: usize = 200;
const CLUSTER_RADIUS: f32 = 16.0;

/// A small generator with a fixed seed (splitmix64).
pub(super) struct Random(pub u64);

impl Random {
    /// A number in `[0, 1)`.
    pub(super) fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 24) as f32
    }

    /// A number in `[-1, 1)`.
    pub(super) fn sign(&mut self) -> f32 {
        2.0 * self.unit() - 1.0
    }

    /// A point in a cube that ends a little before its sides.
    pub(super) fn place<const D: usize>(&mut self, side: f32) -> [f32; D] {
        std::array::from_fn(|_| 1.0 + (side - 2.0) * self.unit())
    }
}

/// The distribution of objects.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Spread {
    /// Uniform.
    Uniform,
    /// In clusters of 200 within 16 m.
    Clustered,
    /// Uniform, in a hundred times the area: about as many occupied finest cells as boxes, of many more.
    Sparse,
}

impl Spread {
    pub(super) const BOTH: [Self; 2] = [Self::Uniform, Self::Clustered];
    pub(super) const ALL: [Self; 3] = [Self::Uniform, Self::Clustered, Self::Sparse];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Clustered => "clustered",
            Self::Sparse => "sparse",
        }
    }
}

/// A move of one object.
#[derive(Clone, Copy)]
pub(super) struct Shift {
    pub index: u32,
    pub from: Bounds<2>,
    pub to: Bounds<2>,
}

/// A query in the plane.
#[derive(Clone, Copy)]
pub(super) enum Question {
    Box(Bounds<2>),
    Ball(Ball<2>),
    Segment(Segment<2>),
    Convex(View),
}

/// The view of a camera: a rotated rectangle, and the box around it.
#[derive(Clone, Copy)]
pub(super) struct View {
    sides: [HalfSpace<2>; 4],
    pub bounds: Bounds<2>,
}

impl View {
    /// A view of `half` meters to each side, turned by an angle in radians.
    fn new(center: [f32; 2], half: [f32; 2], angle: f32) -> Self {
        let (sin, cos) = (libm::sinf(angle), libm::cosf(angle));
        let side = |normal: [f32; 2], reach: f32| HalfSpace {
            normal,
            offset: normal[0] * center[0] + normal[1] * center[1] + reach,
        };
        let [x, y] = half;
        let (wide, high) = (cos.abs() * x + sin.abs() * y, sin.abs() * x + cos.abs() * y);
        Self {
            sides: [
                side([cos, sin], x),
                side([-cos, -sin], x),
                side([-sin, cos], y),
                side([sin, -cos], y),
            ],
            bounds: Bounds::new(
                [center[0] - wide, center[1] - high],
                [center[0] + wide, center[1] + high],
            ),
        }
    }

    /// The view with the box around it.
    pub(super) fn region(&self) -> Convex<'_, 2> {
        Convex::within(&self.sides, self.bounds)
    }

    /// The view without the box.
    pub(super) fn sides(&self) -> Convex<'_, 2> {
        Convex::new(&self.sides)
    }
}

/// Boxes of one meter in a square, about one to ten square meters; a thousand if they are sparse.
#[derive(Clone)]
pub(super) struct Scene {
    pub name: String,
    pub side: f32,
    /// The number of levels that gives finest cells of 8 m.
    pub depth: u32,
    root_side: f32,
    pub boxes: Vec<Bounds<2>>,
}

impl Scene {
    pub(super) fn new(count: usize, spread: Spread) -> Self {
        // The square's side is a power of two times the cell's; the boxes use as much of it as their number needs.
        let area_each = if spread == Spread::Sparse { 1050.0 } else { 10.5 };
        let side = (count as f32 * area_each).sqrt();
        let depth = libm::log2f(side / CELL_SIZE).ceil().max(1.0) as u32;
        let random = &mut Random(1);
        let mut center = [0.0; 2];
        let boxes = (0..count).map(|index| {
            let place = match spread {
                Spread::Uniform | Spread::Sparse => random.place(side),
                Spread::Clustered => {
                    if index % CLUSTER_SIZE == 0 {
                        center = random.place(side);
                    }
                    near(random, center, CLUSTER_RADIUS, side)
                }
            };
            Bounds::around(place, HALF_SIZE)
        });
        Self {
            name: format!("{count} {}", spread.name()),
            side,
            depth,
            root_side: CELL_SIZE * (1_u32 << depth) as f32,
            boxes: boxes.collect(),
        }
    }

    /// The root square of trees.
    pub(super) fn root(&self) -> Bounds<2> {
        Bounds::new([0.0; 2], [self.root_side; 2])
    }

    /// The same scene with a number of levels more or fewer in the same square: other finest cells.
    pub(super) fn deeper(&self, levels: i32) -> Self {
        Self {
            depth: self.depth.saturating_add_signed(levels),
            ..self.clone()
        }
    }

    /// Moves a share of the boxes by up to `way` meters along each axis, and returns the moves. Every call moves
    /// others.
    pub(super) fn step(&mut self, random: &mut Random, share: f64, way: f32) -> Vec<Shift> {
        let count = ((self.boxes.len() as f64 * share) as usize).max(1);
        let every = self.boxes.len() / count;
        let first = (random.unit() * every as f32) as usize;
        let shifts = (0..count).map(|number| {
            let index = (first + number * every) % self.boxes.len();
            let from = self.boxes[index];
            let center = std::array::from_fn(|axis| 0.5 * (from.min[axis] + from.max[axis]));
            let to = Bounds::around(near(random, center, way, self.side), HALF_SIZE);
            self.boxes[index] = to;
            Shift {
                index: index as u32,
                from,
                to,
            }
        });
        shifts.collect()
    }

    /// Queries of a kind, at positions of boxes.
    pub(super) fn questions(&self, kind: &str, count: usize) -> Vec<Question> {
        let random = &mut Random(7);
        let mut ask = || {
            let at = self.boxes[(random.unit() * self.boxes.len() as f32) as usize].min;
            let center = near(random, at, 10.0, self.side);
            match kind {
                "box" => Question::Box(Bounds::around(center, 10.0)),
                "ball" => Question::Ball(Ball { center, radius: 10.0 }),
                "convex" => Question::Convex(View::new(center, [16.0, 9.0], 3.0 * random.sign())),
                _ => Question::Segment(Segment {
                    origin: center,
                    translation: [60.0 * random.sign(), 60.0 * random.sign()],
                }),
            }
        };
        (0..count).map(|_| ask()).collect()
    }
}

fn near(random: &mut Random, center: [f32; 2], way: f32, side: f32) -> [f32; 2] {
    center.map(|c| (c + way * random.sign()).clamp(1.0, side - 1.0))
}
