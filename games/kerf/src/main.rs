//! The window of Kerf: `kerf --help` lists the options of the command line.
// The program prints its errors to the user.
#![allow(clippy::print_stderr, clippy::print_stdout)]

mod front;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use front::effects::Effects;
use front::eye::Eye;
use front::input::{Reader, window_scale};
use front::screens::Labels;
use front::sound::{Cue, Sounds};
use front::{debug, scenery, screens, things};
use kerf::bot::Bot;
use kerf::game::{Game, SCALE, Screen};
use kerf::input::Hands;
use kerf::menu::{Controls, SCREEN};
use kerf::options::{HELP, Options, usual_file};
use kerf::play::{Happening, Loss, Outcome};
use kerf::progress::Progress;
use kerf::replaced::Replaced;
use macroquad::camera::{Camera2D, set_camera};
use macroquad::input::{KeyCode, is_key_pressed, is_quit_requested, prevent_quit};
use macroquad::math::{Vec2, vec2};
use macroquad::texture::get_screen_data;
use macroquad::time::get_frame_time;
use macroquad::window::{Conf, clear_background, next_frame, screen_height, screen_width};

fn main() -> ExitCode {
    if std::env::args_os().any(|word| word == "--help") {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let options = match Options::parse(std::env::args_os().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("kerf: {error}");
            return ExitCode::from(2);
        }
    };
    let conf = Conf {
        window_title: "Kerf".to_owned(),
        window_width: SCREEN.x as i32,
        window_height: SCREEN.y as i32,
        high_dpi: options.screenshot.is_none(),
        sample_count: 4,
        ..Conf::default()
    };
    macroquad::Window::from_config(conf, async move {
        if let Err(error) = run(options).await {
            eprintln!("kerf: {error}");
            std::process::exit(1);
        }
    });
    ExitCode::SUCCESS
}

/// Loads the progress. A file that cannot be read is reported and left as it is: it is not overwritten.
fn load(options: &Options) -> (Progress, Option<PathBuf>) {
    let Some(file) = options
        .progress
        .clone()
        .or_else(|| usual_file(|name| std::env::var_os(name)))
    else {
        return (Progress::default(), None);
    };
    match std::fs::read_to_string(&file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => (Progress::default(), Some(file)),
        Err(error) => {
            eprintln!("kerf: {}: {error}; this game will not be kept", file.display());
            (Progress::default(), None)
        }
        Ok(text) => match Progress::from_text(&text) {
            Ok(progress) => (progress, Some(file)),
            Err(error) => {
                eprintln!("kerf: {}: {error}; this game will not be kept", file.display());
                (Progress::default(), None)
            }
        },
    }
}

fn keep(progress: &Progress, file: &std::path::Path) -> std::io::Result<()> {
    let new = Replaced::create(file)?;
    std::fs::write(new.written(), progress.to_text())?;
    new.finish()
}

async fn run(options: Options) -> Result<(), String> {
    let (progress, mut file) = load(&options);
    let (labels, mut game) = (Labels::read()?, Game::new(progress)?);
    let mut sounds = Sounds::load(options.muted || options.screenshot.is_some()).await;
    let (mut reader, mut hands) = (Reader::new(), Hands::default());
    let mut effects = Effects::default();
    let mut look = Look {
        debug: options.debug,
        ..Look::default()
    };
    let mut bot = None;
    if let Some(level) = options.level {
        game.start(level, &Controls::default())?;
        bot = options.bot.then(|| Bot::winner(level));
    }
    if let Some(picture) = &options.screenshot {
        let refuse = |error| format!("{}: cannot be written: {error}", picture.display());
        // The window's own function for a picture panics where it cannot write.
        let new = Replaced::create(picture).map_err(refuse)?;
        stage(&mut game, &mut effects, &mut look.time, &options, bot)?;
        for _ in 0..3 {
            draw(&game, &labels, &mut effects, look);
            next_frame().await;
        }
        draw(&game, &labels, &mut effects, look);
        let image = get_screen_data();
        image.export_png(&new.written().to_string_lossy());
        return new.finish().map_err(refuse);
    }
    prevent_quit();
    while !game.quits() && !is_quit_requested() {
        let seconds = get_frame_time().min(0.25);
        look.time += seconds;
        let is_playing = game.screen() == Screen::Playing;
        let mut controls = hands.read(&reader.read(), is_playing, seconds);
        if let Some(bot) = bot.as_mut().filter(|_| game.screen() == Screen::Playing) {
            controls = by_bot(bot, &game);
        }
        let (before, kept) = (game.screen(), game.progress().clone());
        game.frame(&controls, Duration::from_secs_f32(seconds))?;
        tell(&game, before, &mut effects, Some(&sounds));
        if matches!(game.screen(), Screen::Won { .. } | Screen::Lost(_)) {
            // What comes next is the player's.
            bot = None;
        }
        if *game.progress() != kept
            && let Some(path) = &file
            && let Err(error) = keep(game.progress(), path)
        {
            eprintln!("kerf: {}: {error}; this game will not be kept", path.display());
            file = None;
        }
        if is_key_pressed(KeyCode::M) {
            sounds.toggle().await;
        }
        if is_key_pressed(KeyCode::F3) {
            look.debug = !look.debug;
        }
        effects.advance(seconds);
        look.cursor = hands.cursor().map(|at| vec2(at.x, at.y));
        draw(&game, &labels, &mut effects, look);
        next_frame().await;
    }
    Ok(())
}

/// The bot's input, as a player would give it on the screen.
fn by_bot(bot: &mut Bot, game: &Game) -> Controls {
    let input = bot.input(game.play());
    Controls {
        pointer: game.to_screen(input.at),
        down: input.down,
        ..Controls::default()
    }
}

/// Plays without a window up to the state that a picture shall show.
fn stage(
    game: &mut Game,
    effects: &mut Effects,
    time: &mut f32,
    options: &Options,
    mut bot: Option<Bot>,
) -> Result<(), String> {
    const STEP: Duration = Duration::from_nanos(16_666_667);
    let mut controls = Controls::default();
    match options.screen.as_deref() {
        Some("select") => game.press(kerf::menu::Action::Select)?,
        Some("paused") => game.press(kerf::menu::Action::Pause)?,
        _ => {}
    }
    for _ in 0..(options.at * 60.0) as u32 {
        if let Some(bot) = &mut bot {
            controls = by_bot(bot, game);
        }
        game.frame(&controls, STEP)?;
        tell(game, game.screen(), effects, None);
        effects.advance(STEP.as_secs_f32());
        *time += STEP.as_secs_f32();
        if matches!(game.screen(), Screen::Won { .. } | Screen::Lost(_)) {
            break;
        }
    }
    Ok(())
}

/// Converts the events of the game to effects and sounds.
fn tell(game: &Game, before: Screen, effects: &mut Effects, sounds: Option<&Sounds>) {
    let play = |cue, volume| {
        if let Some(sounds) = sounds {
            sounds.play(cue, volume);
        }
    };
    let seen = |place: tombolo::geometry::Vec2| vec2(place.x, place.y);
    for happening in game.heard() {
        match *happening {
            Happening::Stroke { from, to, parted } => {
                effects.stroke(seen(from), seen(to), parted > 0);
                play(if parted > 0 { Cue::Snip } else { Cue::Miss }, 0.8);
            }
            Happening::Switched(at) => {
                effects.tap(seen(at));
                play(Cue::Switch, 0.8);
            }
            Happening::Knock(at, speed) => {
                effects.knock(seen(at), speed);
                play(Cue::Knock, (0.12 * speed).min(0.9));
            }
            Happening::Bang(at) => {
                effects.bang(seen(at));
                play(Cue::Bang, 1.0);
            }
            Happening::Splash(at) => {
                effects.splash(seen(at));
                play(Cue::Miss, 0.9);
            }
            Happening::Ended(Outcome::Won) => {
                let pip = game.play().world.pose(game.play().rules.pip());
                effects.confetti(pip.map_or(Vec2::ZERO, |pose| seen(pose.position)));
                play(Cue::Win, 0.9);
            }
            Happening::Ended(Outcome::Lost(loss)) => {
                play(
                    if loss == Loss::Snipped {
                        Cue::Knock
                    } else {
                        Cue::Lose
                    },
                    0.9,
                );
            }
            Happening::Ended(Outcome::Open) => {}
        }
    }
    if game.screen() != before {
        play(Cue::Click, 0.5);
    }
}

/// The parts of the picture beside the game itself.
#[derive(Clone, Copy, Debug, Default)]
struct Look {
    /// The position of the cursor, if keys or a stick move it.
    cursor: Option<Vec2>,
    /// Seconds since the window opened.
    time: f32,
    /// Whether the physics is drawn over the game.
    debug: bool,
}

fn draw(game: &Game, labels: &Labels, effects: &mut Effects, look: Look) {
    let (scale, corner) = window_scale();
    let window = vec2(screen_width(), screen_height());
    clear_background(front::palette::INK);
    set_camera(&Camera2D {
        target: vec2(0.5 * SCREEN.x, 0.5 * SCREEN.y),
        zoom: vec2(2.0 * scale / window.x, 2.0 * scale / window.y),
        ..Camera2D::default()
    });
    // The window beside the game's screen shows more of the same.
    let area = (-corner / scale, window / scale);
    let eye = Eye {
        game,
        shake: effects.offset(),
        time: look.time,
    };
    scenery::draw(area.0, area.1, SCALE * game.center().x, look.time);
    if !matches!(game.screen(), Screen::Title | Screen::Select) {
        things::draw(eye);
        effects.draw(|place| eye.see(place), SCALE);
        if look.debug {
            debug::draw(eye);
        }
    }
    screens::draw(game, labels, look.cursor, look.time, area);
}
