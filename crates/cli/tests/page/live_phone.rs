//! The live page on a phone: fingers in place of a mouse, and the files that it shares, as the browser downloads them.

use std::path::Path;
use std::time::Duration;

use tiny_skia::Pixmap;

use super::is_skipped;
use crate::browser::Browser;
use crate::live::{count, place_of, start};
use crate::support::{Folder, tombolo};

/// A phone's window, as narrow as the browser lets a window be.
const PHONE: (u32, u32) = (500, 900);

#[test]
fn fingers_move_the_view_drag_bodies_and_cut_them() {
    if is_skipped("fingers_move_the_view_drag_bodies_and_cut_them") {
        return;
    }
    let folder = Folder::new("live-fingers");
    let (_server, browser) = start(&folder, PHONE);
    zooms(&browser);
    drags(&browser);
    cuts(&browser);
    assert_eq!(browser.console(), Vec::<serde_json::Value>::new());
}

/// Two fingers zoom, even if the first one lies on a body: the world is left alone.
fn zooms(browser: &Browser) {
    let scale = browser.number("live.camera.scale");
    let (x, y) = place_of(browser, "stack[2]");
    let fingers: [&[(f64, f64)]; 2] = [&[(x, y), (x - 60.0, y)], &[(x + 40.0, y), (x + 140.0, y)]];
    browser.press("touch", &fingers);
    browser.settle("live");
    assert!(browser.number("live.camera.scale") > 2.0 * scale);
    assert_eq!(browser.evaluate("live.undoCounts[0]"), 0);
    browser.evaluate("(live.fit(), live.hasMovedCamera = true, 0)");
    browser.settle("live");
}

/// A finger pulls the top of the stack to the side while the world plays, and lets it go there.
fn drags(browser: &Browser) {
    let from = place_of(browser, "stack[4]");
    let to = (from.0 - 60.0, from.1 - 40.0);
    browser.click("#play");
    browser.wait_until("live.playing");
    let held = [to; 20];
    browser.press("touch", &[&[&[from], held.as_slice()].concat()]);
    browser.wait_until("live.undoCounts[0] === 1");
    browser.keys("#world", " ");
    browser.wait_until("!live.playing && live.hash !== ''");
    browser.settle("live");
    let (x, _) = place_of(browser, "stack[4]");
    assert!(x < from.0 - 30.0, "{x} beside {from:?}");
}

fn cuts(browser: &Browser) {
    let before = count(browser);
    browser.click("#tool-cut");
    let (x, y) = place_of(browser, "stack[1]");
    browser.press("touch", &[&[(x - 60.0, y - 2.0), (x, y), (x + 60.0, y + 2.0)]]);
    browser.wait_until("live.undoCounts[0] === 2");
    browser.settle("live");
    assert!(count(browser) > before, "a piece is a body more");
}

#[test]
fn share_hands_out_each_file() {
    if is_skipped("share_hands_out_each_file") {
        return;
    }
    let folder = Folder::new("live-share");
    let (_server, browser) = start(&folder, PHONE);
    let files = folder.0.join("downloads");
    std::fs::create_dir(&files).unwrap();
    browser.download_into(&files);
    browser.evaluate(
        "(live.act({ act: 'set', entity: live.timeline.entities[0], path: 'body.linear_damping', text: '0.5' }), 0)",
    );
    browser.wait_until("live.undoCounts[0] === 1");
    browser.evaluate("(live.stepBy(30), 0)");
    browser.wait_until("live.timeline.frame === 30 && live.hash !== ''");
    let hash = browser.evaluate("live.hash");
    let hash = hash.as_str().unwrap();
    browser.click("#share");
    for link in ["replay", "session", "recording", "scene", "save"] {
        browser.click(&format!("#download-{link}"));
    }
    browser.click("#picture");
    let [replay, session, recording, scene, save, picture] = [
        "drop-30.html",
        "drop-30.jsonl",
        "drop-30.rec",
        "drop.ron",
        "drop-30.tombolo",
        "drop-30.png",
    ]
    .map(|name| arrived(&files.join(name)));
    let played = tombolo(&["play", "--again", &session]);
    let said = String::from_utf8_lossy(&played.stdout);
    assert!(said.contains(hash), "{said}");
    let replayed = tombolo(&["replay", &recording]);
    let said = String::from_utf8_lossy(&replayed.stdout);
    assert!(said.contains(hash) && said.contains("as recorded"), "{said}");
    assert!(
        std::fs::read_to_string(&scene)
            .unwrap()
            .contains("linear_damping: 0.5")
    );
    assert!(std::fs::read(&save).unwrap().len() > 1000);
    let shown = Pixmap::load_png(&picture).unwrap();
    assert_eq!(
        f64::from(shown.width()),
        browser.number("document.getElementById('world').width")
    );
    browser.open(Path::new(&replay), "");
    assert_eq!(browser.number("replay.timeline.frameCount"), 31.0);
}

/// The path of a file that the browser has downloaded whole.
fn arrived(path: &Path) -> String {
    let is_there = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        path.is_file()
    });
    let others: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert!(is_there, "{} is not among {others:?}", path.display());
    path.display().to_string()
}
