//! The replay page as a person meets it: opened from disk in a browser, played, scrubbed, looked at.
//!
//! Without Chromium and its driver the tests say that they are skipped. What the recording holds is tested where it is made.

mod browser;
#[path = "../play/client.rs"]
#[allow(dead_code, reason = "the tests of the page use a part of it")]
mod client;
mod figures;
mod live;
mod live_moves;
mod live_overlays;
mod live_phone;
mod map_pictures;
mod opened;
#[path = "../support/server.rs"]
mod server;
mod solo;
#[path = "../support/mod.rs"]
mod support;

use std::io::Write;
use std::path::{Path, PathBuf};

use browser::{Browser, missing_programs};
use support::{DROP, Folder, tombolo};
use tiny_skia::Pixmap;

const STEPS: f64 = 150.0;

fn run(words: &[&str], out: &Path) {
    let words = [&["run"], words, &["--out", out.to_str().unwrap()]].concat();
    let output = tombolo(&words);
    assert!(output.status.success(), "{output:?}");
}

fn page_in(folder: &Folder) -> PathBuf {
    let scene = folder.file("stack.ron", DROP.as_bytes());
    run(&[&scene, "--steps", "150"], &folder.0);
    folder.0.join("stack.html")
}

/// Whether there is no browser; says so where the test harness does not swallow it.
fn is_skipped(test: &str) -> bool {
    let missing = missing_programs();
    if !missing.is_empty() {
        let missing = missing.join(" and ");
        let line = format!("{test} is SKIPPED: {missing} not found on the path");
        drop(writeln!(std::io::stderr(), "{line}"));
    }
    !missing.is_empty()
}

/// The share of pixels in which two pictures clearly differ.
fn difference(a: &Pixmap, b: &Pixmap) -> f64 {
    assert_eq!((a.width(), a.height()), (b.width(), b.height()));
    let pairs = a.pixels().iter().zip(b.pixels());
    let differ = pairs.filter(|(a, b)| {
        let far = |a: u8, b: u8| a.abs_diff(b) > 24;
        far(a.red(), b.red()) || far(a.green(), b.green()) || far(a.blue(), b.blue())
    });
    differ.count() as f64 / a.pixels().len() as f64
}

/// The color of a pixel.
fn at(picture: &Pixmap, (x, y): (f64, f64)) -> [u8; 3] {
    let pixel = picture.pixel(x as u32, y as u32).unwrap();
    [pixel.red(), pixel.green(), pixel.blue()]
}

/// Where the body of a name is on the screen.
fn place_of(browser: &Browser, name: &str) -> (f64, f64) {
    let find = format!("replay.timeline.manifest.bodies.findIndex((body) => body.name === {name:?})");
    let part = |axis: u8| {
        let place = format!(
            "((body) => replay.camera.toScreen(replay.timeline.x(body), replay.timeline.y(body))[{axis}])({find})"
        );
        browser.number(&place)
    };
    let edge = |side: &str| {
        browser.number(&format!(
            "document.getElementById('world').getBoundingClientRect().{side}"
        ))
    };
    (part(0) + edge("left"), part(1) + edge("top"))
}

const HOME: &str = "\u{e011}";
const END: &str = "\u{e010}";

#[test]
fn the_page_plays_scrubs_and_shows_a_body() {
    if is_skipped("the_page_plays_scrubs_and_shows_a_body") {
        return;
    }
    let folder = Folder::new("plays");
    let page = page_in(&folder);
    let browser = Browser::start(
        &folder.0.join("profile"),
        (1280, 800),
        &["--disable-software-rasterizer"],
    );
    browser.open(&page, "");
    assert_eq!(browser.evaluate("replay.drawer.name"), "Canvas2D");
    assert_eq!(browser.number("replay.timeline.frameCount"), STEPS + 1.0);

    plays_and_pauses(&browser);
    scrubs(&browser);
    picks(&browser);
    switches_layers(&browser);
    pans_and_zooms(&browser);
    changes_theme(&browser);
    assert_eq!(browser.console(), Vec::<serde_json::Value>::new());
}

fn plays_and_pauses(browser: &Browser) {
    browser.click("#play");
    browser.wait_until("replay.timeline.frame > 20");
    browser.keys("#world", " ");
    browser.wait_until("!replay.playing");
    browser.settle("replay");
    let frame = browser.number("replay.timeline.frame");
    browser.keys("#world", "\u{e012}");
    assert_eq!(
        browser.number("replay.timeline.frame"),
        frame - 1.0,
        "one step back"
    );
    browser.click("#step-on");
    assert_eq!(browser.number("replay.timeline.frame"), frame, "and one on");
    assert_eq!(
        browser.evaluate("document.getElementById('play').ariaLabel"),
        "Play"
    );
}

fn scrubs(browser: &Browser) {
    browser.keys("#world", HOME);
    browser.settle("replay");
    let start = browser.screenshot();
    // The slider answers to the key itself, as a browser's own.
    browser.keys("#scrub", END);
    browser.settle("replay");
    assert_eq!(browser.number("replay.timeline.frame"), STEPS);
    let clock = browser.evaluate("document.getElementById('clock').textContent");
    assert_eq!(clock, "150 / 150 · 2.50 s");
    assert!(
        difference(&start, &browser.screenshot()) > 0.003,
        "the swing has moved"
    );
    // Forward in one go and forward by single steps from a place kept on the way lead to the same state.
    let state = "JSON.stringify([[...replay.timeline.place], [...replay.timeline.status], [...replay.timeline.boxes]])";
    let at_end = browser.evaluate(state);
    browser.evaluate("replay.seek(60)");
    browser.evaluate("replay.seek(150)");
    assert_eq!(browser.evaluate(state), at_end);
    // A crate is a meter wide; its box in the broad phase has a margin on every side, and the crate is within.
    let [left, bottom, right, top] = [0, 1, 2, 3].map(|side| {
        let place = "replay.timeline.boxOwners.findIndex(([body]) => body === replay.timeline.manifest.bodies.findIndex((body) => body.name === 'stack[2]'))";
        browser.number(&format!("replay.timeline.boxes[4 * {place} + {side}]"))
    });
    assert!(right - left > 1.02 && right - left < 1.3, "{left} to {right}");
    assert!(bottom < 1.99 && top > 3.01, "{bottom} to {top}");
}

fn picks(browser: &Browser) {
    browser.settle("replay");
    let place = place_of(browser, "stack[2]");
    let picture = browser.screenshot();
    let (sleeping, sky) = (at(&picture, place), at(&picture, (30.0, 80.0)));
    assert!(
        sleeping[0].abs_diff(sky[0]) > 30,
        "a body of color {sleeping:?} before {sky:?}"
    );
    assert!(
        sleeping[0].abs_diff(sleeping[2]) < 20,
        "a sleeper is gray, not {sleeping:?}"
    );
    browser.press("mouse", &[&[place]]);
    browser.settle("replay");
    let numbers = browser.evaluate("document.getElementById('picked-numbers').innerText");
    let numbers = numbers.as_str().unwrap();
    assert!(
        numbers.contains("stack[2]") && numbers.contains("asleep"),
        "{numbers}"
    );
    browser
        .evaluate("document.querySelectorAll('#picked-parts details').forEach((part) => (part.open = true))");
    let parts = browser.evaluate("document.getElementById('picked-parts').innerText");
    let parts = parts.as_str().unwrap();
    for told in ["body · Body", "Dynamic", "hull · Collider", "0.6"] {
        assert!(parts.contains(told), "{told} is not in {parts}");
    }
    let height = browser.number("replay.timeline.y(replay.picked)");
    assert!((height - 2.5).abs() < 0.02, "{height}");
    browser.keys("#world", "n");
    assert_eq!(
        browser.evaluate("replay.timeline.manifest.bodies[replay.picked].name"),
        "stack[3]"
    );
    let said = browser.evaluate("document.getElementById('said').textContent");
    assert_eq!(said, "stack[3], asleep", "who listens hears it too");
    browser.keys("#world", "\u{e00c}");
    assert_eq!(browser.number("replay.picked"), -1.0);
}

fn switches_layers(browser: &Browser) {
    browser.evaluate("replay.seek(30)");
    for (key, layer) in [
        ("c", "contacts"),
        ("b", "boxes"),
        ("v", "velocities"),
        ("j", "joints"),
    ] {
        browser.settle("replay");
        let before = browser.screenshot();
        let was_on = browser.evaluate(&format!("replay.layers.{layer}"));
        browser.keys("#world", key);
        browser.settle("replay");
        let is_on = browser.evaluate(&format!("document.getElementById('show-{layer}').checked"));
        assert_ne!(was_on, is_on, "{layer}");
        // The switch itself changes a few hundred pixels of a million.
        assert!(difference(&before, &browser.screenshot()) > 0.0005, "{layer}");
    }
}

fn pans_and_zooms(browser: &Browser) {
    let scale = browser.number("replay.camera.scale");
    let (x, y) = place_of(browser, "stack[2]");
    let fingers: [&[(f64, f64)]; 2] = [&[(x - 40.0, y), (x - 120.0, y)], &[(x + 40.0, y), (x + 120.0, y)]];
    browser.press("touch", &fingers);
    assert!(
        browser.number("replay.camera.scale") > 2.0 * scale,
        "two fingers zoom"
    );
    assert_eq!(browser.number("replay.picked"), -1.0, "and pick nothing");
    let before = place_of(browser, "stack[2]");
    browser.press("mouse", &[&[(x, y), (x + 50.0, y + 20.0), (x + 100.0, y + 40.0)]]);
    let after = place_of(browser, "stack[2]");
    assert!((after.0 - before.0 - 100.0).abs() < 2.0 && (after.1 - before.1 - 40.0).abs() < 2.0);
    browser.keys("#world", "f");
    assert!(
        (browser.number("replay.camera.scale") - scale).abs() < 0.2 * scale,
        "all is in sight again"
    );
}

fn changes_theme(browser: &Browser) {
    browser.settle("replay");
    let light = browser.screenshot();
    browser.click("#theme");
    browser.settle("replay");
    let dark = browser.screenshot();
    let corner = (30.0, 80.0);
    assert!(at(&light, corner)[0] > 200 && at(&dark, corner)[0] < 60);
    assert!(difference(&light, &dark) > 0.5);
}

/// The workshop's node graphs: a box for each node, and a link for whatever leads from one to the other.
#[test]
fn node_graphs_are_drawn() {
    if is_skipped("node_graphs_are_drawn") {
        return;
    }
    let folder = Folder::new("graphs");
    run(&["workshop", "--steps", "2"], &folder.0);
    run(&["fluids", "--steps", "2"], &folder.0);
    let browser = Browser::start(
        &folder.0.join("profile"),
        (1280, 800),
        &["--enable-unsafe-swiftshader"],
    );
    browser.open(&folder.0.join("workshop.html"), "#canvas");
    browser.click("#graphs");
    let counts = "JSON.stringify(['rect', '.next-link', '.value-link'].map((what) => document.querySelectorAll(`#graph ${what}`).length))";
    assert_eq!(browser.evaluate(counts), "[19,5,17]");
    browser.evaluate(
        "(() => { const choice = document.getElementById('graph-choice'); choice.selectedIndex = 1; choice.dispatchEvent(new Event('change')); return 0; })()",
    );
    assert_eq!(browser.evaluate(counts), "[6,3,3]");
    // No two boxes of a graph lie on each other.
    let overlaps = "(() => { const boxes = [...document.querySelectorAll('#graph rect')].map((box) => box.getBoundingClientRect()); \
        return boxes.some((a, i) => boxes.some((b, j) => i < j && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)); })()";
    assert_eq!(browser.evaluate(overlaps), false);
    if let Ok(path) = std::env::var("TOMBOLO_SCREENSHOT") {
        browser.screenshot().save_png(path).expect("the folder is there");
    }
    browser.evaluate("(location.href = 'about:blank', 0)");
    browser.open(&folder.0.join("fluids.html"), "#canvas");
    assert_eq!(browser.evaluate("document.getElementById('graphs').hidden"), true);
}

/// The maze: the switches that only a scene with agents has, and what they draw, at places that the page's own numbers name.
#[test]
fn cells_and_paths_are_drawn() {
    if is_skipped("cells_and_paths_are_drawn") {
        return;
    }
    let folder = Folder::new("maze");
    run(&["maze", "--steps", "300"], &folder.0);
    let profile = folder.0.join("profile");
    let browser = Browser::start(&profile, (1280, 800), &["--enable-unsafe-swiftshader"]);
    for way in ["#canvas", "#webgl"] {
        browser.evaluate("(location.href = 'about:blank', 0)");
        browser.open(&folder.0.join("maze.html"), way);
        for theme in ["light", "dark"] {
            browser.evaluate(&format!("replay.setTheme('{theme}')"));
            draws_cells_and_paths(&browser, theme);
        }
    }
    // What changes with the blocks is right whichever way the frame is reached.
    let state = "JSON.stringify([replay.timeline.cells, replay.timeline.paths])";
    let states = [0, 150, 280].map(|frame| {
        browser.evaluate(&format!("replay.seek({frame})"));
        browser.evaluate(state)
    });
    assert!(states[0] != states[1] && states[1] != states[2]);
    browser.evaluate("replay.seek(150)");
    assert_eq!(browser.evaluate(state), states[1]);
    let page = page_in(&folder);
    browser.evaluate("(location.href = 'about:blank', 0)");
    browser.open(&page, "#canvas");
    let hidden =
        "['cells', 'paths'].every((name) => document.getElementById(`show-${name}`).closest('label').hidden)";
    assert_eq!(
        browser.evaluate(hidden),
        true,
        "without agents there are no such switches"
    );
    browser.keys("#world", "q");
    assert_eq!(browser.evaluate("replay.layers.cells"), false);
}

fn draws_cells_and_paths(browser: &Browser, theme: &str) {
    browser.evaluate("replay.seek(120)");
    for layer in ["cells", "paths"] {
        browser.evaluate(&format!("replay.show('{layer}', false)"));
    }
    browser.settle("replay");
    let plain = browser.screenshot();
    browser.keys("#world", "q");
    browser.settle("replay");
    let cells = browser.screenshot();
    browser.click("#show-paths");
    browser.settle("replay");
    let paths = browser.screenshot();
    let on_screen = |place: &str| {
        let part = |axis: u8| {
            browser.number(&format!(
                "(() => {{ const [x, y] = {place}; const box = document.getElementById('world').getBoundingClientRect(); \
                 return [box.left, box.top][{axis}] + replay.camera.toScreen(x, y)[{axis}]; }})()"
            ))
        };
        (part(0), part(1))
    };
    // The middle of a wall's leaf and of a free one that is large enough to have nothing else in its middle.
    let middle = |is_wall: bool| {
        on_screen(&format!(
            "(() => {{ let found; replay.timeline.eachCell((x, y, width, isWall) => {{ \
             if (isWall === {is_wall} && width >= 0.5 && Math.abs(x + 12.6) < 0.5 + 3 * {is_free} && Math.abs(y) < 8) \
             found = [x + width / 2, y + width / 2]; }}); return found; }})()",
            is_free = u8::from(!is_wall),
        ))
    };
    let (wall, free) = (middle(true), middle(false));
    assert_ne!(at(&plain, wall), at(&cells, wall), "{theme}: a wall is filled");
    assert_eq!(at(&plain, free), at(&cells, free), "{theme}: what is free is not");
    assert!(difference(&plain, &cells) > 0.01, "{theme}");
    // The middle of a path's first stretch that is longer than two meters.
    let stretch = "(() => { let found; replay.timeline.eachWay(([from, to]) => { \
                   if (Math.hypot(to[0] - from[0], to[1] - from[1]) > 2) \
                   found = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]; }); return found; })()";
    let (x, y) = on_screen(stretch);
    let is_drawn = |picture: &Pixmap| {
        let mut near = (-2..=2).flat_map(|dx| (-2..=2).map(move |dy| (x + f64::from(dx), y + f64::from(dy))));
        near.any(|place| {
            let [red, green, blue] = at(picture, place);
            red > 150 && red > green.saturating_add(40) && green > blue.saturating_add(40)
        })
    };
    assert!(
        is_drawn(&paths) && !is_drawn(&cells),
        "{theme}: a path at {x}, {y}"
    );
}

#[test]
fn webgl_and_canvas_show_the_same() {
    if is_skipped("webgl_and_canvas_show_the_same") {
        return;
    }
    let folder = Folder::new("drawing");
    let page = page_in(&folder);
    let profile = folder.0.join("profile");
    let browser = Browser::start(&profile, (900, 700), &["--enable-unsafe-swiftshader"]);
    let picture = |way: &str, name: &str| {
        browser.evaluate("(location.href = 'about:blank', 0)");
        browser.open(&page, way);
        assert_eq!(browser.evaluate("replay.drawer.name"), name);
        browser.evaluate("replay.seek(40)");
        browser
            .evaluate("(document.getElementById('about').textContent = '', replay.show('contacts', true))");
        browser.settle("replay");
        browser.screenshot()
    };
    let webgl = picture("#webgl", "WebGL2");
    let canvas = picture("#canvas", "Canvas2D");
    assert!(
        difference(&webgl, &canvas) < 0.01,
        "{}",
        difference(&webgl, &canvas)
    );
    let crate_ = at(&webgl, place_of(&browser, "stack[2]"));
    let ground = at(&webgl, (30.0, 80.0));
    assert_ne!(crate_, ground, "something is drawn");
    assert_eq!(browser.console(), Vec::<serde_json::Value>::new());
}

#[test]
fn the_harbour_is_small() {
    let folder = Folder::new("harbour");
    run(&["harbour"], &folder.0);
    let bytes = std::fs::metadata(folder.0.join("harbour.html")).unwrap().len();
    assert!(bytes < 5_000_000, "{bytes} bytes for 600 steps");
}
