//! A recording that is opened on the live page of a server: by the button and by dropping it, played on a page of its own.

use super::{END, difference, is_skipped};
use crate::browser::Browser;
use crate::live::start;
use crate::support::{DROP, Folder, tombolo};

const STEPS: f64 = 120.0;

/// A recording of the small scene in a file.
fn recorded(folder: &Folder) -> String {
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let out = folder.0.join("run.rec").display().to_string();
    let output = tombolo(&["record", &scene, "--steps", "120", "--out", &out]);
    assert!(output.status.success(), "{output:?}");
    out
}

/// Drops a file on the page.
pub(crate) fn drop_file(browser: &Browser, name: &str, bytes: &[u8]) {
    browser.evaluate(&format!(
        "(() => {{ const files = new DataTransfer(); files.items.add(new File([new Uint8Array({bytes:?})], {name:?})); \
         const dropped = new DragEvent('drop', {{ dataTransfer: files, bubbles: true, cancelable: true }}); \
         document.getElementById('world').dispatchEvent(dropped); return dropped.defaultPrevented; }})()"
    ));
}

#[test]
fn a_recording_is_opened_by_the_button_and_by_dropping_it() {
    if is_skipped("a_recording_is_opened_by_the_button_and_by_dropping_it") {
        return;
    }
    let folder = Folder::new("live-open");
    let file = recorded(&folder);
    let (server, browser) = start(&folder, (1280, 800));
    browser.keys("#open-file", &file);
    plays_and_seeks(&browser);
    if let Ok(path) = std::env::var("TOMBOLO_SCREENSHOT") {
        browser.screenshot().save_png(path).expect("the folder is there");
    }
    browser.open_address(&server.url());
    browser.wait_until("globalThis.live?.hasBegun && live.drawn > 0");
    let bytes = std::fs::read(&file).unwrap();
    drop_file(&browser, "run.rec", &bytes);
    plays_and_seeks(&browser);
    is_told_where_it_was_cut_off(&browser, &server.url(), &bytes);
    is_refused(&browser, &server.url());
}

/// The page of the recording has its name and its steps, plays, and goes to any of them.
fn plays_and_seeks(browser: &Browser) {
    browser.wait_until("globalThis.replay?.drawn > 0");
    assert_eq!(browser.number("replay.timeline.frameCount"), STEPS + 1.0);
    assert_eq!(browser.evaluate("document.title"), "run · Tombolo");
    assert_eq!(
        browser.evaluate("replay.timeline.manifest.figures.stage_us.flat().some((time) => time > 0)"),
        true,
        "times are measured"
    );
    assert_eq!(browser.evaluate("document.getElementById('notice').hidden"), true);
    browser.click("#play");
    browser.wait_until("replay.timeline.frame > 20");
    browser.keys("#world", " ");
    browser.wait_until("!replay.playing");
    browser.evaluate("replay.seek(0)");
    browser.settle("replay");
    let start = browser.screenshot();
    browser.keys("#scrub", END);
    browser.settle("replay");
    assert_eq!(browser.number("replay.timeline.frame"), STEPS);
    assert!(
        difference(&start, &browser.screenshot()) > 0.003,
        "the swing has moved"
    );
    assert_eq!(browser.console(), Vec::<serde_json::Value>::new());
}

fn is_told_where_it_was_cut_off(browser: &Browser, url: &str, bytes: &[u8]) {
    browser.open_address(url);
    browser.wait_until("globalThis.live?.hasBegun");
    drop_file(browser, "part.rec", &bytes[..bytes.len() - 10]);
    browser.wait_until("globalThis.replay?.drawn > 0");
    let notice = browser.evaluate("document.getElementById('notice').textContent");
    assert!(
        notice.as_str().unwrap().contains("cut off after that"),
        "{notice}"
    );
}

/// What is no recording is named with the reason, and the live page stays.
fn is_refused(browser: &Browser, url: &str) {
    browser.open_address(url);
    browser.wait_until("globalThis.live?.hasBegun");
    for (name, bytes, why) in [
        ("picture.png", &b"\x89PNG"[..], "not a recording"),
        ("world.tombolo", b"TOMBOLOW", "this is a save"),
        ("later.rec", b"TOMBOWRC\x63\0\0\0", "a later one may"),
    ] {
        drop_file(browser, name, bytes);
        browser.wait_until(&format!(
            "['{name} cannot be opened', {why:?}].every((part) => document.getElementById('notice').textContent.includes(part))"
        ));
    }
    assert_eq!(browser.evaluate("live.hasBegun"), true);
    assert_eq!(browser.evaluate("location.pathname"), "/");
}
