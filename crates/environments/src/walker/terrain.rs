//! The ground of the walker, drawn from a seed in the order in which the original draws it.

use crate::bytes::{Reader, Writer};
use crate::{EnvironmentError, Generator};

/// The number of pixels in a meter.
pub(super) const SCALE: f64 = 30.0;
/// The number of points of the ground.
pub(super) const POINTS: usize = 200;
/// The distance between two points, in meters.
pub(super) const STEP_M: f64 = 14.0 / SCALE;
/// The height of level ground above the bottom, in meters.
pub(super) const LEVEL_M: f64 = 400.0 / SCALE / 4.0;
/// The number of points of level ground at the start.
pub(super) const START_POINTS: i64 = 20;
/// The greatest number of points of grass between two obstacles, and the number at the end.
pub(super) const GRASS_POINTS: i64 = 10;
/// The width of a stair in points.
const STAIR_POINTS: i64 = 4;
/// The number of clouds.
const CLOUDS: usize = 10;
/// The number of corners of a cloud.
pub(super) const CLOUD_CORNERS: usize = 5;
/// The value of π in the original.
#[expect(clippy::approx_constant, reason = "the original's has three digits")]
const SHORT_PI: f64 = 3.14;
/// An upper bound of the number of boxes of a ground: a stretch of stairs has the most of them in the fewest points.
const BOXES_MAX: usize = POINTS;

/// Left, bottom, right and top of an obstacle, in meters.
pub(super) type Block = [f64; 4];
/// The corners of a cloud, in meters.
pub(super) type Cloud = [[f64; 2]; CLOUD_CORNERS];

/// Ground, obstacles and clouds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Terrain {
    pub(super) heights: Vec<f64>,
    pub(super) blocks: Vec<Block>,
    pub(super) clouds: Vec<Cloud>,
}

/// The kind of a stretch of ground.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stretch {
    Grass,
    Stump,
    Stairs,
    Pit,
}

/// The state of the drawing of the ground.
struct GroundPen<'a> {
    random: &'a mut Generator,
    blocks: Vec<Block>,
    stretch: Stretch,
    /// Whether the point is the first of its stretch.
    begins: bool,
    /// The number of points left in the stretch; below zero where it has no end.
    left: i64,
    y: f64,
    slope: f64,
    /// The height at which a pit or stairs began.
    level: f64,
    /// The number of stairs, and 1 for up or -1 for down.
    stairs: [i64; 2],
}

impl Terrain {
    /// Draws the ground, and then the clouds.
    pub(super) fn draw(random: &mut Generator, hardcore: bool) -> Self {
        let mut pen = GroundPen {
            random,
            blocks: Vec::new(),
            stretch: Stretch::Grass,
            begins: false,
            left: START_POINTS,
            y: LEVEL_M,
            slope: 0.0,
            level: 0.0,
            stairs: [0, 1],
        };
        let heights = (0..POINTS).map(|point| pen.draw_point(point as i64, hardcore));
        let heights = heights.collect();
        let blocks = pen.blocks;
        let clouds = (0..CLOUDS).map(|_| draw_cloud(random)).collect();
        Self {
            heights,
            blocks,
            clouds,
        }
    }

    /// Writes all of the terrain.
    pub(super) fn save(&self, writer: &mut Writer) {
        writer.numbers(&self.heights);
        writer.u64(self.blocks.len() as u64);
        writer.numbers(self.blocks.as_flattened());
        writer.numbers(self.clouds.as_flattened().as_flattened());
    }

    /// Reads the output of [`Terrain::save`].
    pub(super) fn restore(reader: &mut Reader<'_>) -> Result<Self, EnvironmentError> {
        let mut terrain = Self {
            heights: vec![0.0; POINTS],
            blocks: Vec::new(),
            clouds: vec![[[0.0; 2]; CLOUD_CORNERS]; CLOUDS],
        };
        reader.fill(&mut terrain.heights)?;
        let count = usize::try_from(reader.u64()?).map_err(|_| EnvironmentError::Damaged)?;
        if count > BOXES_MAX {
            return Err(EnvironmentError::Damaged);
        }
        terrain.blocks = vec![[0.0; 4]; count];
        reader.fill(terrain.blocks.as_flattened_mut())?;
        reader.fill(terrain.clouds.as_flattened_mut().as_flattened_mut())?;
        Ok(terrain)
    }
}

impl GroundPen<'_> {
    /// The height of the next point.
    fn draw_point(&mut self, point: i64, hardcore: bool) -> f64 {
        let x = point as f64 * STEP_M;
        match (self.stretch, self.begins) {
            (Stretch::Grass, true) => {}
            (Stretch::Grass, false) => self.draw_grass(point),
            (Stretch::Pit, true) => self.begin_pit(x),
            (Stretch::Pit, false) => {
                let depth = if self.left > 1 { 4.0 * STEP_M } else { 0.0 };
                self.y = self.level - depth;
            }
            (Stretch::Stump, true) => self.begin_stump(x),
            (Stretch::Stump, false) => {}
            (Stretch::Stairs, true) => self.begin_stairs(x),
            (Stretch::Stairs, false) => {
                let [count, direction] = self.stairs;
                let gone = (count * STAIR_POINTS - self.left - direction) as f64 / STAIR_POINTS as f64;
                self.y = self.level + (gone * direction as f64) * STEP_M;
            }
        }
        self.begins = false;
        self.left -= 1;
        if self.left == 0 {
            self.begin_stretch(hardcore);
        }
        self.y
    }

    fn draw_grass(&mut self, point: i64) {
        let back = match LEVEL_M - self.y {
            off if off > 0.0 => 1.0,
            off if off < 0.0 => -1.0,
            _ => 0.0,
        };
        self.slope = 0.8 * self.slope + 0.01 * back;
        if point > START_POINTS {
            self.slope += self.random.uniform(-1.0, 1.0) / SCALE;
        }
        self.y += self.slope;
    }

    fn begin_stretch(&mut self, hardcore: bool) {
        self.left = self.random.integers(GRASS_POINTS / 2, GRASS_POINTS);
        self.begins = true;
        self.stretch = if self.stretch == Stretch::Grass && hardcore {
            match self.random.integers(1, 4) {
                1 => Stretch::Stump,
                2 => Stretch::Stairs,
                _ => Stretch::Pit,
            }
        } else {
            Stretch::Grass
        };
    }

    /// Adds the two walls of a pit.
    fn begin_pit(&mut self, x: f64) {
        let width = self.random.integers(3, 5);
        let (bottom, away) = (self.y - 4.0 * STEP_M, STEP_M * width as f64);
        self.blocks.push([x, bottom, x + STEP_M, self.y]);
        self.blocks.push([x + away, bottom, x + STEP_M + away, self.y]);
        self.left = width + 2;
        self.level = self.y;
    }

    /// Adds a block of one or two points.
    fn begin_stump(&mut self, x: f64) {
        self.left = self.random.integers(1, 3);
        let size = self.left as f64 * STEP_M;
        self.blocks.push([x, self.y, x + size, self.y + size]);
    }

    /// Adds slabs, each a step higher or lower than the one before.
    fn begin_stairs(&mut self, x: f64) {
        let direction = if self.random.uniform(0.0, 1.0) > 0.5 {
            1
        } else {
            -1
        };
        let count = self.random.integers(3, 5);
        self.level = self.y;
        for stair in 0..count {
            let at = |points: i64| points as f64 * STEP_M;
            self.blocks.push([
                x + at(stair * STAIR_POINTS),
                self.y + at(stair * direction - 1),
                x + at((1 + stair) * STAIR_POINTS),
                self.y + at(stair * direction),
            ]);
        }
        self.stairs = [count, direction];
        self.left = count * STAIR_POINTS;
    }
}

/// Draws a cloud; its position has no effect on the game, but its random numbers do.
fn draw_cloud(random: &mut Generator) -> Cloud {
    let x = random.uniform(0.0, POINTS as f64) * STEP_M;
    let y = 400.0 / SCALE * 3.0 / 4.0;
    core::array::from_fn(|corner| {
        let angle = SHORT_PI * 2.0 * corner as f64 / CLOUD_CORNERS as f64;
        [
            x + 15.0 * STEP_M * libm::sin(angle) + random.uniform(0.0, 5.0 * STEP_M),
            y + 5.0 * STEP_M * libm::cos(angle) + random.uniform(0.0, 5.0 * STEP_M),
        ]
    })
}
