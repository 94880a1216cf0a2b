//! The figures of `tombolo play`, printed as the table of `docs/performance/play.md`. Nothing of them is asserted: they
//! are worth something on a machine that does nothing else.
//!
//! They are of the command that the tests were built with, or of `TOMBOLO_COMMAND`, such as a release build's
//! `target/release/tombolo`.

use std::io::Write;
use std::time::Duration;

use serde_json::{Value, json};
use tombolo::threads::Stopwatch;

use super::is_skipped;
use crate::browser::Browser;
use crate::client::Page;
use crate::server::Server;
use crate::support::{DROP, Folder};

/// 5,000 boxes that are thrown up over a ground, and never sleep.
const MOVING: &str = r#"(
    settings: (sleeping: false),
    entities: {
        "ground": {"body": Body(), "top": Collider(shape: Box(width: 400, height: 2), position: (0, -1))},
        "crate": {
            "body": Body(kind: Dynamic, linear_velocity: (1, 25)),
            "hull": Collider(shape: Box(width: 0.9, height: 0.9)),
        },
    },
    place: [
        One(name: "ground", entity: "ground"),
        Grid(name: "crate", entity: "crate", at: (-60, 1), columns: 100, rows: 50, column_step: (1.2, 0), row_step: (0, 1.2)),
    ],
)"#;

/// The time that is measured, and the time before it.
const MEASURED: Duration = Duration::from_secs(8);
const BEFORE: Duration = Duration::from_secs(1);

/// The number of starts, and of inputs.
const STARTS: usize = 5;
const INPUTS: usize = 40;

/// Ticks of processor time, a hundredth of a second each.
const TICKS_PER_SECOND: f64 = 100.0;

#[test]
#[ignore = "measures, and prints"]
fn figures_of_play() {
    if is_skipped("figures_of_play") {
        return;
    }
    let folder = Folder::new("figures");
    let moving = folder.file("moving.ron", MOVING.as_bytes());
    // After what the test harness writes before it.
    drop(writeln!(std::io::stdout()));
    row("what", "measured", "target");
    let [what, measured, target] = WIDTHS.map(|width| "-".repeat(width));
    row(&what, &measured, &target);
    costs_of_the_server(&moving);
    starts(&folder);
    costs_of_the_page(&folder, &moving);
    inputs(&folder);
}

/// Starts `tombolo play` with these words.
fn start(words: &[&str]) -> Server {
    let chosen = std::env::var("TOMBOLO_COMMAND");
    Server::of_command(chosen.as_deref().unwrap_or(env!("CARGO_BIN_EXE_tombolo")), words)
}

/// The widths of the columns of what was measured, so that they stand below each other.
const WIDTHS: [usize; 3] = [64, 48, 17];

fn row(what: &str, measured: &str, target: &str) {
    let [what, measured, target] =
        std::array::from_fn(|column| format!("{:1$}", [what, measured, target][column], WIDTHS[column]));
    drop(writeln!(std::io::stdout(), "| {what} | {measured} | {target} |"));
}

/// Seconds of processor time that a process has used.
fn processor_s(process: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let (_, rest) = stat.rsplit_once(')').unwrap();
    let fields = rest.split_whitespace().skip(11).take(2);
    fields.map(|ticks| ticks.parse::<f64>().unwrap()).sum::<f64>() / TICKS_PER_SECOND
}

/// What frames of a server tell: their number and bytes, and the number and time of their steps.
#[derive(Default)]
struct Told {
    frames: f64,
    bytes: f64,
    steps: f64,
    steps_s: f64,
}

impl Told {
    /// Takes frames for a time.
    fn of(page: &mut Page, time: Duration) -> Self {
        let (mut told, watch) = (Self::default(), Stopwatch::start());
        while watch.elapsed_seconds() < time.as_secs_f64() {
            let frame = page.until("frame");
            told.frames += 1.0;
            told.bytes += frame["bytes"].as_f64().unwrap();
            for row in frame["rows"].as_array().unwrap() {
                told.steps += 1.0;
                told.steps_s += 1e-6 * row[0].as_f64().unwrap();
            }
        }
        told
    }
}

/// The server's part beside the steps, with a page that takes each frame at once; and what it costs while it is paused.
fn costs_of_the_server(scene: &str) {
    let server = start(&[scene]);
    let mut page = Page::of(&server);
    page.until("start");
    page.send(json!({"do": "play"}));
    Told::of(&mut page, BEFORE);
    let (before, watch) = (processor_s(server.child.id()), Stopwatch::start());
    let told = Told::of(&mut page, MEASURED);
    let (used, seconds) = (processor_s(server.child.id()) - before, watch.elapsed_seconds());
    let share = 100.0 * (used - told.steps_s) / seconds;
    let what = "5,000 moving bodies: the server beside the steps, of one core";
    row(what, &format!("{share:.1} %"), "at most 6 %");
    let rates = format!(
        "{:.0} and {:.0} a second; {:.1} ms a step",
        told.steps / seconds,
        told.frames / seconds,
        1e3 * told.steps_s / told.steps
    );
    row("the steps and the frames of that", &rates, "60 and 60");
    let size = format!("{:.1} kB", 1e-3 * told.bytes / told.frames);
    row("a frame", &size, "at most 40 kB");
    page.send(json!({"do": "pause"}));
    page.until_it("frame", |frame| frame["playing"] == false);
    std::thread::sleep(BEFORE);
    let before = processor_s(server.child.id());
    std::thread::sleep(MEASURED);
    let idle = 100.0 * (processor_s(server.child.id()) - before) / MEASURED.as_secs_f64();
    row(
        "the server while that is paused",
        &format!("{idle:.2} %"),
        "at most 0.5 %",
    );
}

fn browser(folder: &Folder, profile: &str, more: &[&str]) -> Browser {
    Browser::start(&folder.0.join(profile), (1280, 800), more)
}

/// Of any page: the time in milliseconds, which goes on from page to page.
const NOW: &str = "performance.timeOrigin + performance.now()";

/// Of the page: that time when it had drawn something.
const FIRST_PICTURE: &str = "new Promise((resolve) => { \
    const look = () => globalThis.live?.hasBegun && live.drawn > 0 ? resolve(performance.timeOrigin + performance.now()) \
    : requestAnimationFrame(look); look(); })";

/// From the start of the command to the first picture, in a browser that runs.
fn starts(folder: &Folder) {
    let browser = browser(folder, "starts", &["--disable-software-rasterizer"]);
    let mut times: Vec<f64> = (0..STARTS)
        .map(|_| {
            let began_ms = browser.number(NOW);
            let server = start(&["workshop"]);
            browser.open_address(&server.url());
            let drawn_ms = browser.number(FIRST_PICTURE);
            browser.open_address("about:blank");
            drawn_ms - began_ms
        })
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    let text = format!(
        "{:.0} ms ({:.0} to {:.0})",
        times[STARTS / 2],
        times[0],
        times[STARTS - 1]
    );
    row(
        "from `tombolo play workshop` to the first picture",
        &text,
        "at most 1 s",
    );
}

/// Counts the time of the page's own program: reading a frame, its text included, and drawing.
const CLOCKS: &str = "(() => { const spent = globalThis.spent = { frames: 0, read: 0, pictures: 0, draw: 0 }; \
    const timed = (of, name, count, time) => { const call = of[name].bind(of); of[name] = (...given) => { \
    const began = performance.now(); const result = call(...given); spent[time] += performance.now() - began; \
    if (count) spent[count]++; return result; }; }; \
    timed(live, 'takeFrame', 'frames', 'read'); timed(JSON, 'parse', null, 'read'); timed(live, 'tick', 'pictures', 'draw'); \
    return 0; })()";

/// What the page's program costs in each way of drawing.
fn costs_of_the_page(folder: &Folder, scene: &str) {
    let ways = [
        ("canvas", "Canvas2D", "--disable-software-rasterizer"),
        (
            "webgl",
            "WebGL2 without a graphics card",
            "--enable-unsafe-swiftshader",
        ),
    ];
    for (hash, name, argument) in ways {
        let server = start(&[scene]);
        let browser = browser(folder, hash, &[argument]);
        browser.open_address(&format!("{}#{hash}", server.url()));
        browser.wait_until("globalThis.live?.hasBegun && live.drawn > 0");
        browser.evaluate(CLOCKS);
        browser.evaluate("(live.send({ do: 'play' }), 0)");
        std::thread::sleep(BEFORE);
        browser.evaluate("(Object.keys(spent).forEach((key) => { spent[key] = 0; }), 0)");
        std::thread::sleep(MEASURED);
        let spent = browser.evaluate("spent");
        let part = |key: &str| spent[key].as_f64().unwrap();
        let (read, draw) = (part("read") / part("frames"), part("draw") / part("pictures"));
        let what = format!("the page's program a frame of them, with {name}");
        let text = format!("{:.1} ms: {read:.1} to read, {draw:.1} to draw", read + draw);
        row(&what, &text, "at most 4 ms");
        let seconds = MEASURED.as_secs_f64();
        let rates = format!(
            "{:.0} and {:.0} a second",
            part("frames") / seconds,
            part("pictures") / seconds
        );
        row("frames and pictures of that", &rates, "60 and 60");
    }
}

/// Of the page: of each of so many drops, how many of the screen's frames it took until it was drawn.
fn frames_to_change() -> String {
    format!(
        "(async () => {{ let [number, last, waiting, drawn] = [0, 0, null, []]; \
         const count = (now) => {{ if (now !== last) [number, last] = [number + 1, now]; return number; }}; \
         const tick = live.tick.bind(live); \
         live.tick = (now) => {{ tick(now); count(now); \
         if (waiting !== null && live.timeline.bodyCount > waiting.bodies) {{ drawn.push(number - waiting.number); waiting = null; }} }}; \
         const next = () => new Promise((resolve) => requestAnimationFrame((now) => resolve(count(now)))); \
         while (drawn.length < {INPUTS}) {{ await next(); \
         if (waiting === null) {{ waiting = {{ bodies: live.timeline.bodyCount, number }}; \
         live.act({{ act: 'drop', resource: 'crate', at: [drawn.length % 8 - 4, 12] }}); }} }} \
         delete live.tick; return drawn; }})()"
    )
}

/// From an input to the picture that shows it.
fn inputs(folder: &Folder) {
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let server = start(&[&scene]);
    let browser = browser(folder, "inputs", &["--disable-software-rasterizer"]);
    browser.open_address(&server.url());
    browser.wait_until("globalThis.live?.hasBegun && live.drawn > 0");
    for (state, request) in [("paused", "pause"), ("playing", "play")] {
        browser.evaluate(&format!("(live.send({{ do: '{request}' }}), 0)"));
        browser.wait_until(&format!("live.playing === {}", request == "play"));
        let told = browser.evaluate(&frames_to_change());
        let mut frames: Vec<u64> = told
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_u64)
            .collect();
        frames.sort_unstable();
        let mean = frames.iter().sum::<u64>() as f64 / frames.len() as f64;
        let (nearly_all, most) = (frames[frames.len() * 9 / 10], frames[frames.len() - 1]);
        let text = format!("{mean:.1} frames, 9 of 10 within {nearly_all}, at most {most}");
        row(
            &format!("from an input to the picture, {state}"),
            &text,
            "at most 2 frames",
        );
    }
}
