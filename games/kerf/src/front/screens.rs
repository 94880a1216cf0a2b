//! Draws the title, the selection, the texts over a level, and buttons.

use kerf::game::{Game, Screen};
use kerf::levels::{COUNT, Level};
use kerf::menu::{Action, Button};
use kerf::play::{Loss, Outcome, Rules};
use macroquad::color::Color;
use macroquad::math::{Vec2, vec2};

use super::font;
use super::palette::{GLOW, GRASS, INK, PAPER, PIP, ROPE, STRAW, STRAW_DARK, faint, mix};
use super::shapes::{border, convex, disc, ellipse, polyline, round_box, round_box_border, star};

const MIDDLE: f32 = 640.0;

/// The titles and pars of all levels, for the screens.
pub(crate) struct Labels {
    titles: Vec<String>,
    pars: Vec<u32>,
}

impl Labels {
    /// Reads all levels.
    pub(crate) fn read() -> Result<Self, String> {
        let levels: Result<Vec<Level>, String> = (0..COUNT).map(Level::read).collect();
        let levels = levels?;
        Ok(Self {
            titles: levels.iter().map(|level| level.title.clone()).collect(),
            pars: levels.iter().map(|level| level.par).collect(),
        })
    }
}

/// Draws the parts of the screen over the world; `area` is the whole window, as corner and size.
pub(crate) fn draw(game: &Game, labels: &Labels, cursor: Option<Vec2>, time: f32, area: (Vec2, Vec2)) {
    match game.screen() {
        Screen::Title => title(time),
        Screen::Select => heading("Choose a level"),
        Screen::Playing => hud(game, cursor),
        Screen::Paused => {
            veil(area);
            panel(vec2(420.0, 440.0));
            font::draw_outlined("Paused", vec2(MIDDLE, 220.0), 44.0, PAPER, INK);
        }
        Screen::Won { stars, better } => won(game, stars, better, area),
        Screen::Lost(loss) => lost(loss, area),
    }
    for (place, button) in game.menu().buttons().iter().enumerate() {
        let focused = place == game.menu().focus() && game.screen() != Screen::Playing;
        draw_button(game, labels, button, focused, time);
    }
}

fn heading(text: &str) {
    font::draw_outlined(text, vec2(MIDDLE, 100.0), 48.0, PAPER, INK);
}

fn veil((corner, size): (Vec2, Vec2)) {
    let low = corner + size;
    convex(
        &[corner, vec2(low.x, corner.y), low, vec2(corner.x, low.y)],
        faint(INK, 0.45),
    );
}

fn panel(size: Vec2) {
    let center = vec2(MIDDLE, 360.0);
    border(&round_box_border(center, size, 28.0), 8.0, INK);
    round_box(center, size, 28.0, mix(GRASS, INK, 0.45));
}

/// The name of the game, with a cut through it.
fn title(time: f32) {
    let sway = 4.0 * libm::sinf(1.3 * time);
    for x in [-170.0, 170.0] {
        let rope = [
            vec2(MIDDLE + x, -40.0),
            vec2(MIDDLE + x + 0.4 * sway, 60.0),
            vec2(MIDDLE + x + sway, 120.0),
        ];
        polyline(&rope, 14.0, INK);
        polyline(&rope, 8.0, ROPE);
    }
    let center = vec2(MIDDLE + sway, 210.0);
    border(&round_box_border(center, vec2(620.0, 190.0), 30.0), 10.0, INK);
    round_box(center, vec2(620.0, 190.0), 30.0, super::palette::WOOD);
    for y in [-62.0, 58.0] {
        let grain = [
            center + vec2(-270.0, y),
            center + vec2(-40.0, y + 6.0),
            center + vec2(250.0, y - 2.0),
        ];
        polyline(&grain, 4.0, super::palette::WOOD_DARK);
    }
    font::draw_outlined("Kerf", center, 104.0, PAPER, INK);
    // The slit that a saw leaves.
    let slit = [center + vec2(-330.0, 44.0), center + vec2(330.0, -40.0)];
    polyline(&slit, 9.0, INK);
    polyline(&slit, 3.0, PAPER);
    font::draw(
        "Cut the rope. Mind the ball.",
        vec2(MIDDLE, 352.0),
        22.0,
        4.5,
        INK,
    );
}

fn draw_button(game: &Game, labels: &Labels, button: &Button, focused: bool, time: f32) {
    let center = vec2(button.center.x, button.center.y);
    let swell = if focused {
        4.0 + 2.0 * libm::sinf(6.0 * time)
    } else {
        0.0
    };
    let size = vec2(button.size.x + swell, button.size.y + swell);
    let fill = match (button.enabled, focused) {
        (false, _) => mix(INK, PAPER, 0.35),
        (true, true) => GLOW,
        (true, false) => PAPER,
    };
    round_box(center + vec2(0.0, 6.0), size, 16.0, faint(INK, 0.4));
    border(&round_box_border(center, size, 16.0), 6.0, INK);
    round_box(center, size, 16.0, fill);
    match (game.screen(), button.action) {
        (Screen::Playing, Action::Pause) => {
            for x in [-8.0, 8.0] {
                polyline(&[center + vec2(x, -11.0), center + vec2(x, 11.0)], 7.0, INK);
            }
        }
        (Screen::Playing, _) => restart_sign(center),
        (Screen::Select, Action::Level(level)) => level_card(game, labels, level, center, button.enabled),
        _ => font::draw(&button.label, center, 24.0, 5.0, INK),
    }
}

fn restart_sign(center: Vec2) {
    let ring = ellipse(center, vec2(13.0, 13.0));
    polyline(&ring[2..40], 5.5, INK);
    convex(
        &[
            center + vec2(5.0, -2.0),
            center + vec2(21.0, -2.0),
            center + vec2(13.0, 9.0),
        ],
        INK,
    );
}

fn level_card(game: &Game, labels: &Labels, level: usize, center: Vec2, open: bool) {
    let number = format!("{}", level + 1);
    font::draw(&number, center - vec2(0.0, 38.0), 36.0, 7.0, INK);
    if !open {
        padlock(center + vec2(0.0, 22.0));
        return;
    }
    let title = labels.titles.get(level).map_or("", String::as_str);
    font::draw(title, center + vec2(0.0, 12.0), 13.0, 2.6, INK);
    let best = game.progress().best(level);
    let stars = best.map_or(0, |best| Rules::stars(best, labels.pars[level]));
    draw_stars(center + vec2(0.0, 46.0), 15.0, stars);
}

fn padlock(center: Vec2) {
    let bow = ellipse(center - vec2(0.0, 10.0), vec2(11.0, 14.0));
    polyline(&bow[24..], 5.0, INK);
    round_box(center + vec2(0.0, 6.0), vec2(34.0, 26.0), 6.0, INK);
}

fn draw_stars(center: Vec2, radius: f32, count: u32) {
    for place in 0..3 {
        let at = center + vec2((place as f32 - 1.0) * 2.5 * radius, 0.0);
        star(at, 1.32 * radius, INK);
        let full = place < count;
        star(at, radius, if full { STRAW } else { mix(INK, PAPER, 0.3) });
    }
}

/// The remaining cuts, the title, the hint; and the stroke that is being drawn.
fn hud(game: &Game, cursor: Option<Vec2>) {
    let play = game.play();
    let (level, rules) = (&play.level, &play.rules);
    let name = format!("{}. {}", level.index + 1, level.title);
    let width = font::width(&name, 20.0) + 56.0;
    plate(vec2(24.0 + 0.5 * width, 44.0), vec2(width, 52.0));
    font::draw(&name, vec2(24.0 + 0.5 * width, 44.0), 20.0, 4.0, INK);
    let left = level.cuts.saturating_sub(rules.cuts_used());
    let cuts = vec2(24.0 + width + 20.0, 44.0);
    let blades = 44.0 * level.cuts as f32 + 20.0;
    plate(cuts + vec2(0.5 * blades, 0.0), vec2(blades, 52.0));
    for cut in 0..level.cuts {
        let at = cuts + vec2(32.0 + 44.0 * cut as f32, 0.0);
        scissors(at, if cut < left { INK } else { faint(INK, 0.2) });
    }
    if rules.steps() < 900 && rules.cuts_used() == 0 && rules.outcome() == Outcome::Open {
        let hint = font::width(&level.hint, 19.0) + 70.0;
        plate(vec2(MIDDLE, 684.0), vec2(hint, 52.0));
        font::draw(&level.hint, vec2(MIDDLE, 684.0), 19.0, 3.8, INK);
    }
    stroke(game);
    if let Some(cursor) = cursor {
        border(&ellipse(cursor, Vec2::splat(15.0)), 8.0, INK);
        border(&ellipse(cursor, Vec2::splat(15.0)), 3.5, PAPER);
        disc(cursor, 4.5, PIP);
    }
}

fn plate(center: Vec2, size: Vec2) {
    round_box(center + vec2(0.0, 5.0), size, 16.0, faint(INK, 0.3));
    border(&round_box_border(center, size, 16.0), 5.0, INK);
    round_box(center, size, 16.0, faint(PAPER, 0.96));
}

fn scissors(at: Vec2, color: Color) {
    polyline(&[at + vec2(-7.0, 8.0), at + vec2(7.0, -13.0)], 4.0, color);
    polyline(&[at + vec2(7.0, 8.0), at + vec2(-7.0, -13.0)], 4.0, color);
    for x in [-9.0, 9.0] {
        border(&ellipse(at + vec2(x, 12.0), vec2(5.0, 5.0)), 3.5, color);
    }
}

/// The path of a stroke as dashes, from its start to the pointer.
fn stroke(game: &Game) {
    let (play, pointer) = (game.play(), game.aim());
    let Some((from, to)) = play.rules.stroke_to(pointer) else {
        return;
    };
    let [from, to] = [from, to].map(|place| {
        let seen = game.to_screen(place);
        vec2(seen.x, seen.y)
    });
    let dashes = ((to - from).length() / 22.0) as u32;
    for dash in 0..dashes {
        let at = |share: f32| from.lerp(to, share / dashes as f32);
        let ends = [at(dash as f32), at(dash as f32 + 0.55)];
        polyline(&ends, 8.0, INK);
        polyline(&ends, 4.0, PAPER);
    }
    disc(from, 8.0, INK);
    disc(from, 5.0, PIP);
    disc(to, 8.0, INK);
    disc(to, 5.0, PAPER);
}

fn won(game: &Game, stars: u32, better: bool, area: (Vec2, Vec2)) {
    veil(area);
    panel(vec2(640.0, 600.0));
    let last = game.play().level.index + 1 == COUNT;
    let text = if last { "Home at last!" } else { "Home!" };
    font::draw_outlined(text, vec2(MIDDLE, 140.0), 46.0, PAPER, INK);
    draw_stars(vec2(MIDDLE, 240.0), 40.0, stars);
    let cuts = game.play().rules.cuts_used();
    let cuts = if cuts == 1 {
        "1 cut".to_owned()
    } else {
        format!("{cuts} cuts")
    };
    let text = if better {
        format!("{cuts} - your best")
    } else {
        cuts
    };
    font::draw(&text, vec2(MIDDLE, 330.0), 22.0, 4.5, PAPER);
}

fn lost(loss: Loss, area: (Vec2, Vec2)) {
    veil(area);
    panel(vec2(520.0, 480.0));
    let (text, why) = match loss {
        Loss::Snipped => ("Ouch!", "That was Pip"),
        Loss::Thorns => ("Thorns!", "Pip is no pincushion"),
        Loss::Fell => ("Gone!", "Pip fell out of the world"),
        Loss::Stuck => ("Stuck!", "Nothing left to cut"),
    };
    font::draw_outlined(text, vec2(MIDDLE, 210.0), 48.0, PIP, INK);
    font::draw(why, vec2(MIDDLE, 300.0), 22.0, 4.5, mix(PAPER, STRAW_DARK, 0.1));
}
