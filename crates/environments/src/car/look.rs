//! The picture of the car: field, grass, road and curbs from above, rotated so that the car points up, the car, and a
//! black bar with speed, wheels, steering and turning. The layout and colors are those of the original's picture of
//! 1000 × 800 pixels, of which every observation is a smaller one: here it is drawn at three times the resolution,
//! and averaged.

use super::scene::{CarScene, UNIT_M, WHEEL};
use super::track::SCALE;
use crate::parts::draw_body;
use crate::picture::{Color, Picture};
use core::cell::RefCell;

/// The number of pixels of a row, and of rows, of an observation.
pub(super) const SIDE: usize = 96;
/// The number of drawn pixels for a pixel of an observation, in each direction.
const FINE: usize = 3;
/// The width and height of the original's picture, in pixels.
const WHOLE: [f64; 2] = [1000.0, 800.0];
/// The distance from the center of the field to its borders, in meters.
pub(super) const FIELD_M: f64 = 2000.0 / SCALE;
/// The side of a square of grass, in meters.
const SQUARE_M: f64 = FIELD_M / 20.0;
/// The number of pixels in a meter once the camera has come down.
const ZOOM: f64 = 2.7 * SCALE;
/// An upper bound of the distance from a mark to the farthest corner of its tile or curb, in meters.
const TILE_M: f64 = 12.0;
const BLACK: Color = Color::new(0, 0, 0);
const WHITE: Color = Color::new(255, 255, 255);
const RED: Color = Color::new(255, 0, 0);
const GREEN: Color = Color::new(0, 255, 0);
const FRONT: Color = Color::new(0, 0, 255);
const REAR: Color = Color::new(51, 0, 255);
const HULL: Color = Color::new(204, 0, 0);
const STRIPE: Color = Color::new(77, 77, 77);

/// The state of an episode that is shown, beside its world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    pub(super) colors: Colors,
    /// Seconds since the reset.
    pub(super) time_s: f64,
    /// The sum of all rewards so far.
    pub(super) reward: f64,
}

/// The colors of road, field and grass: red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Colors {
    pub(super) road: [f64; 3],
    pub(super) field: [f64; 3],
    pub(super) grass: [f64; 3],
}

impl Default for Colors {
    fn default() -> Self {
        Self {
            road: [102.0; 3],
            field: [102.0, 204.0, 102.0],
            grass: [102.0, 230.0, 102.0],
        }
    }
}

fn color(parts: [f64; 3]) -> Color {
    let [red, green, blue] = parts.map(|part| part as u8);
    Color::new(red, green, blue)
}

/// The transform from meters to pixels of a picture.
struct Camera {
    /// The point in view, in meters.
    place: [f64; 2],
    /// Sine and cosine of the hull's angle, in pixels of the original per meter.
    turn: [f64; 2],
    /// Pixels for each pixel of the original.
    scale: [f64; 2],
    /// The greatest visible distance from the point in view, in meters.
    sight_m: f64,
}

impl Camera {
    fn pixel(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [x, y] = [x - self.place[0], y - self.place[1]];
        let [sin, cos] = self.turn;
        let (right, up) = (x * cos + y * sin, y * cos - x * sin);
        // The car is at a quarter of the height.
        [
            (WHOLE[0] / 2.0 + right) * self.scale[0],
            (WHOLE[1] * 0.75 - up) * self.scale[1],
        ]
    }

    fn sees(&self, [x, y]: [f64; 2], reach_m: f64) -> bool {
        let (x, y, sight) = (x - self.place[0], y - self.place[1], self.sight_m + reach_m);
        x * x + y * y < sight * sight
    }
}

/// Writes an observation: red, green and blue of each pixel, in rows from the top.
pub(super) fn observe(scene: &CarScene, shown: &Shown, out: &mut [u8]) {
    thread_local! {
        /// The picture on which all worlds of a thread are drawn, one after another: no content outlasts a call.
        static FINE_PICTURE: RefCell<Picture> = RefCell::new(Picture::new(SIDE * FINE, SIDE * FINE, BLACK));
    }
    FINE_PICTURE.with_borrow_mut(|picture| {
        draw(picture, scene, shown);
        picture.shrink(FINE, out);
    });
}

/// Draws the whole of a picture of any size.
pub(super) fn draw(picture: &mut Picture, scene: &CarScene, shown: &Shown) {
    picture.clear(BLACK);
    let hull = scene.hull();
    let rotation = hull.rotation();
    // The camera comes down within the first second.
    let zoom = 0.1 * SCALE * (1.0 - shown.time_s).max(0.0) + ZOOM * shown.time_s.min(1.0);
    let place = hull.position();
    let camera = Camera {
        place: [f64::from(place.x), f64::from(place.y)],
        turn: [f64::from(rotation.sin) * zoom, f64::from(rotation.cos) * zoom],
        scale: [
            picture.width() as f64 / WHOLE[0],
            picture.height() as f64 / WHOLE[1],
        ],
        // The distance to the upper corners.
        sight_m: libm::sqrt(500.0 * 500.0 + 600.0 * 600.0) / zoom,
    };
    draw_field(picture, &camera, &shown.colors);
    draw_road(picture, &camera, scene, shown.colors.road);
    draw_car(picture, &camera, scene);
    draw_bar(picture, camera.scale, scene);
    draw_points(picture, camera.scale, shown.reward);
}

/// The corners of a square, from its lower left one.
fn square([x, y]: [f64; 2], side: f64) -> [[f64; 2]; 4] {
    [[x, y], [x + side, y], [x + side, y + side], [x, y + side]]
}

fn draw_field(picture: &mut Picture, camera: &Camera, colors: &Colors) {
    let field = square([-FIELD_M; 2], 2.0 * FIELD_M);
    picture.fill(&field.map(|corner| camera.pixel(corner)), color(colors.field));
    let grass = color(colors.grass);
    for column in -10..10 {
        for row in -10..10 {
            let corner = [column, row].map(|place| 2.0 * f64::from(place) * SQUARE_M);
            if camera.sees(corner, 2.0 * SQUARE_M) {
                picture.fill(
                    &square(corner, SQUARE_M).map(|corner| camera.pixel(corner)),
                    grass,
                );
            }
        }
    }
}

fn draw_road(picture: &mut Picture, camera: &Camera, scene: &CarScene, road: [f64; 3]) {
    let mut curbs = scene.track.curbs.iter().peekable();
    for (tile, corners) in scene.track.tiles.iter().enumerate() {
        let curb = curbs.next_if(|&&(of, _)| of == tile);
        let [_, x, y] = scene.track.marks[tile];
        if !camera.sees([x, y], TILE_M) {
            continue;
        }
        // Tiles have slightly different colors until they are touched.
        let lighter = if scene.visited[tile] {
            0.0
        } else {
            0.01 * (tile % 3) as f64 * 255.0
        };
        picture.fill(
            &corners.map(|corner| camera.pixel(corner)),
            color(road.map(|part| part + lighter)),
        );
        if let Some((_, corners)) = curb {
            let color = if tile % 2 == 0 { WHITE } else { RED };
            picture.fill(&corners.map(|corner| camera.pixel(corner)), color);
        }
    }
}

fn draw_car(picture: &mut Picture, camera: &Camera, scene: &CarScene) {
    for (wheel, tire) in scene.tires.iter().enumerate() {
        let body = scene.wheel(wheel);
        draw_body(picture, body, BLACK, |corner| camera.pixel(corner));
        let Some([from, to]) = stripe(tire.phase) else {
            continue;
        };
        let [x, y] = WHEEL.map(|half| half * UNIT_M);
        let corners = [[-x, y * from], [x, y * from], [x, y * to], [-x, y * to]].map(|corner| {
            let corner = body
                .pose()
                .transform_point(corner.map(|meters| meters as f32).into());
            camera.pixel([f64::from(corner.x), f64::from(corner.y)])
        });
        picture.fill(&corners, STRIPE);
    }
    draw_body(picture, scene.hull(), HULL, |corner| camera.pixel(corner));
}

/// The ends of the visible part of a wheel's bright stripe, as shares of half its length; `None` while it is below.
fn stripe(phase: f64) -> Option<[f64; 2]> {
    let ends = [phase, phase + 1.2].map(|angle| (libm::sin(angle), libm::cos(angle)));
    if ends.iter().all(|&(sin, _)| sin > 0.0) {
        return None;
    }
    Some(ends.map(|(sin, cos)| if sin > 0.0 { 1.0_f64.copysign(cos) } else { cos }))
}

/// Fills a rectangle, given by the original's pixels: left and right, top and bottom.
fn fill_box(
    picture: &mut Picture,
    scale: [f64; 2],
    [from, to]: [f64; 2],
    [top, bottom]: [f64; 2],
    color: Color,
) {
    let corners = [[from, top], [to, top], [to, bottom], [from, bottom]];
    picture.fill(&corners.map(|[x, y]| [x * scale[0], y * scale[1]]), color);
}

/// Draws the bar at the bottom with its indicators.
fn draw_bar(picture: &mut Picture, scale: [f64; 2], scene: &CarScene) {
    let ([width, height], wide, high) = (WHOLE, WHOLE[0] / 40.0, WHOLE[1] / 40.0);
    fill_box(picture, scale, [0.0, width], [height - 5.0 * high, height], BLACK);
    let hull = scene.hull();
    let speed = f64::from(hull.linear_velocity().length());
    let wheel = |wheel: usize| 0.01 * scene.tires[wheel].omega;
    let columns = [
        (5.0, 0.02 * speed, WHITE),
        (7.0, wheel(0), FRONT),
        (8.0, wheel(1), FRONT),
        (9.0, wheel(2), REAR),
        (10.0, wheel(3), REAR),
    ];
    for (place, share, color) in columns {
        if share.abs() > 1.0e-6 {
            let across = [place * wide, (place + 1.0) * wide];
            fill_box(
                picture,
                scale,
                across,
                [height - high * (1.0 + share), height - high],
                color,
            );
        }
    }
    let rows = [
        (20.0, -10.0 * scene.steering(0), GREEN),
        (30.0, -0.8 * f64::from(hull.angular_velocity()), RED),
    ];
    for (place, share, color) in rows {
        if share.abs() > 1.0e-4 {
            let across = [place * wide, (place + share) * wide];
            fill_box(
                picture,
                scale,
                across,
                [height - 4.0 * high, height - 2.0 * high],
                color,
            );
        }
    }
}

/// The reward so far in four digits, each of up to seven strokes.
fn draw_points(picture: &mut Picture, scale: [f64; 2], reward: f64) {
    /// The strokes of each digit, from the lowest bit: top, upper left, upper right, middle, lower left, lower right,
    /// bottom.
    const STROKES: [u8; 10] = [
        0b111_0111, 0b010_0100, 0b101_1101, 0b110_1101, 0b010_1110, 0b110_1011, 0b111_1011, 0b010_0101,
        0b111_1111, 0b110_1111,
    ];
    /// Left, top, right and bottom of each stroke, in pixels.
    const PLACES: [[f64; 4]; 7] = [
        [0.0, 0.0, 16.0, 4.0],
        [0.0, 0.0, 4.0, 16.0],
        [12.0, 0.0, 16.0, 16.0],
        [0.0, 13.0, 16.0, 17.0],
        [0.0, 14.0, 4.0, 30.0],
        [12.0, 14.0, 16.0, 30.0],
        [0.0, 26.0, 16.0, 30.0],
    ];
    let (left, top) = (19.0, WHOLE[1] * 37.5 / 40.0 - 15.0);
    let points = libm::round(reward).abs() as u64 % 10_000;
    for digit in 0..4 {
        let figure = points / [1000, 100, 10, 1][digit] % 10;
        let minus = digit == 0 && reward <= -0.5;
        let strokes = if minus {
            0b000_1000
        } else {
            STROKES[figure as usize]
        };
        let x = left + 21.0 * digit as f64;
        for (stroke, [from, high, to, low]) in PLACES.into_iter().enumerate() {
            if strokes >> stroke & 1 != 0 {
                fill_box(picture, scale, [x + from, x + to], [top + high, top + low], WHITE);
            }
        }
    }
}
