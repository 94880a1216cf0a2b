//! The track of the car, drawn from a seed. A pen runs around twelve checkpoints at random distances from the center
//! until it has made five laps; the last whole lap is the track, if its ends meet, and else all is drawn again.

use crate::Generator;
use core::f64::consts::PI;

/// The number of pixels in a meter of the original's drawing of the track.
pub(super) const SCALE: f64 = 6.0;
/// The distance from the center to the farthest checkpoint except for those at the seam, in meters.
const RADIUS_M: f64 = 900.0 / SCALE;
/// The length of a step of the pen, and of a tile, in meters.
const STEP_M: f64 = 21.0 / SCALE;
/// The greatest turn of the pen in a step, in radians.
const TURN_MAX: f64 = 0.31;
/// The distance from the middle of the road to its side, in meters.
const HALF_WIDTH_M: f64 = 40.0 / SCALE;
/// The width of a curb, in meters.
const CURB_M: f64 = 8.0 / SCALE;
/// The number of consecutive tiles that turn in one direction before a curb.
const CURB_TILES: usize = 4;
const CHECKPOINTS: usize = 12;
/// The greatest number of steps of the pen.
const STEPS_MAX: usize = 2500;
/// The number of laps after which the pen stops.
const LAPS: u32 = 5;

/// A step of the pen: the angle around the center of the field, the angle of the road, and the position.
#[derive(Clone, Copy, Debug)]
struct Mark {
    around: f64,
    road: f64,
    place: [f64; 2],
}

/// The marks, tiles and curbs of a road.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Track {
    /// The angle of the road in radians, and its position x and y in meters, for each tile.
    pub(super) marks: Vec<[f64; 3]>,
    /// The corners of each tile: left and right of its mark, right and left of the mark before.
    pub(super) tiles: Vec<[[f64; 2]; 4]>,
    /// The corners of curbs, each with the index of its tile.
    pub(super) curbs: Vec<(usize, [[f64; 2]; 4])>,
}

/// The sign of a number, and 0 for 0.
pub(super) fn sign(number: f64) -> f64 {
    if number == 0.0 {
        0.0
    } else {
        1.0_f64.copysign(number)
    }
}

impl Track {
    /// Draws until the ends of a track meet.
    pub(super) fn draw(random: &mut Generator) -> Self {
        loop {
            if let Some(marks) = draw_lap(random) {
                return Self::from_marks(marks);
            }
        }
    }

    /// The track with these angles and positions.
    pub(super) fn from_marks(marks: Vec<[f64; 3]>) -> Self {
        let before = |tile: usize| marks[(tile + marks.len() - 1) % marks.len()];
        let tiles = (0..marks.len()).map(|tile| {
            let [left, right] = across(marks[tile], [-HALF_WIDTH_M, HALF_WIDTH_M]);
            let [left_before, right_before] = across(before(tile), [-HALF_WIDTH_M, HALF_WIDTH_M]);
            [left, right, right_before, left_before]
        });
        let tiles = tiles.collect();
        let curbs = find_curbs(&marks)
            .into_iter()
            .enumerate()
            .filter(|&(_, curb)| curb);
        let curbs = curbs.map(|(tile, _)| {
            let side = sign(before(tile)[0] - marks[tile][0]);
            let offsets = [side * HALF_WIDTH_M, side * (HALF_WIDTH_M + CURB_M)];
            let [inner, outer] = across(marks[tile], offsets);
            let [inner_before, outer_before] = across(before(tile), offsets);
            (tile, [inner, outer, outer_before, inner_before])
        });
        let curbs = curbs.collect();
        Self { marks, tiles, curbs }
    }
}

/// Two points across the road from a mark.
fn across([angle, x, y]: [f64; 3], offsets: [f64; 2]) -> [[f64; 2]; 2] {
    offsets.map(|offset| [x + offset * libm::cos(angle), y + offset * libm::sin(angle)])
}

/// The angle, x and y of each checkpoint.
fn draw_checkpoints(random: &mut Generator) -> [[f64; 3]; CHECKPOINTS] {
    core::array::from_fn(|place| {
        let sector = 2.0 * PI * place as f64 / CHECKPOINTS as f64;
        let noise = random.uniform(0.0, 2.0 * PI / CHECKPOINTS as f64);
        let radius = random.uniform(RADIUS_M / 3.0, RADIUS_M);
        let (angle, radius) = match place {
            0 => (0.0, 1.5 * RADIUS_M),
            place if place == CHECKPOINTS - 1 => (sector, 1.5 * RADIUS_M),
            _ => (sector + noise, radius),
        };
        [angle, radius * libm::cos(angle), radius * libm::sin(angle)]
    })
}

/// The pen, with its direction.
struct TrackPen {
    checkpoints: [[f64; 3]; CHECKPOINTS],
    /// The index of the next checkpoint, counted over all laps.
    next: usize,
    place: [f64; 2],
    /// The angle of the road, in radians.
    road: f64,
}

impl TrackPen {
    /// The angle of the pen around the middle, as many turns back as its next checkpoint is; chooses that checkpoint.
    fn aim(&mut self, mut around: f64) -> f64 {
        loop {
            loop {
                if around <= self.checkpoints[self.next % CHECKPOINTS][0] {
                    return around;
                }
                self.next += 1;
                if self.next.is_multiple_of(CHECKPOINTS) {
                    break;
                }
            }
            around -= 2.0 * PI;
        }
    }

    /// Turns toward the next checkpoint and goes a step.
    fn advance(&mut self, around: f64) -> Mark {
        let [_, x, y] = self.checkpoints[self.next % CHECKPOINTS];
        let across = [libm::cos(self.road), libm::sin(self.road)];
        let off = SCALE * (across[0] * (x - self.place[0]) + across[1] * (y - self.place[1]));
        while self.road - around > 1.5 * PI {
            self.road -= 2.0 * PI;
        }
        while self.road - around < -1.5 * PI {
            self.road += 2.0 * PI;
        }
        let before = self.road;
        let turn = TURN_MAX.min((0.001 * off).abs());
        if off > 0.3 {
            self.road -= turn;
        }
        if off < -0.3 {
            self.road += turn;
        }
        self.place = [
            self.place[0] - across[1] * STEP_M,
            self.place[1] + across[0] * STEP_M,
        ];
        Mark {
            around,
            road: before * 0.5 + self.road * 0.5,
            place: self.place,
        }
    }
}

/// All steps of the pen.
fn draw_marks(random: &mut Generator) -> Vec<Mark> {
    let mut pen = TrackPen {
        checkpoints: draw_checkpoints(random),
        next: 0,
        place: [1.5 * RADIUS_M, 0.0],
        road: 0.0,
    };
    let (mut laps, mut was_beyond) = (0, false);
    let mut marks = Vec::new();
    while marks.len() < STEPS_MAX && laps < LAPS {
        let mut around = libm::atan2(pen.place[1], pen.place[0]);
        if was_beyond && around > 0.0 {
            laps += 1;
            was_beyond = false;
        }
        if around < 0.0 {
            was_beyond = true;
            around += 2.0 * PI;
        }
        let around = pen.aim(around);
        marks.push(pen.advance(around));
    }
    marks
}

/// The last whole lap, if there is one whose ends meet.
fn draw_lap(random: &mut Generator) -> Option<Vec<[f64; 3]>> {
    let marks = draw_marks(random);
    let start = 2.0 * PI * -0.5 / CHECKPOINTS as f64;
    let mut passes = (1..marks.len())
        .rev()
        .filter(|&place| marks[place].around > start && marks[place - 1].around <= start);
    let (end, first) = (passes.next()?, passes.next()?);
    let lap = &marks[first..end - 1];
    let (head, tail) = (lap.first()?, lap.last()?);
    let apart = [
        libm::cos(head.road) * (head.place[0] - tail.place[0]),
        libm::sin(head.road) * (head.place[1] - tail.place[1]),
    ];
    if libm::sqrt(apart[0] * apart[0] + apart[1] * apart[1]) > STEP_M {
        return None;
    }
    Some(
        lap.iter()
            .map(|mark| [mark.road, mark.place[0], mark.place[1]])
            .collect(),
    )
}

/// For each tile whether it has a curb: the last of several that turn hard in one direction, and those before it.
fn find_curbs(marks: &[[f64; 3]]) -> Vec<bool> {
    let count = marks.len();
    let back = |tile: usize, tiles: usize| (tile + count * CURB_TILES - tiles) % count;
    let mut curbs: Vec<bool> = (0..count)
        .map(|tile| {
            let turns = (0..CURB_TILES).map(|i| marks[back(tile, i)][0] - marks[back(tile, i + 1)][0]);
            let (mut hard, mut turn_sum) = (true, 0.0);
            for turn in turns {
                hard &= turn.abs() > TURN_MAX * 0.2;
                turn_sum += sign(turn);
            }
            hard && turn_sum.abs() == CURB_TILES as f64
        })
        .collect();
    for tile in 0..count {
        for tiles in 0..CURB_TILES {
            curbs[back(tile, tiles)] |= curbs[tile];
        }
    }
    curbs
}
