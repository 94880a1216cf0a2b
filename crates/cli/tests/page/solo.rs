//! The page that simulates by itself, as a person meets it: one file, opened from disk.

use std::io::Write;
use std::path::Path;

use serde_json::Value;

use super::live::drag_top_of_stack;
use super::opened::drop_file;
use super::{is_skipped, run};
use crate::browser::Browser;
use crate::support::{DROP, Folder, tombolo};

/// Where `packages/js/build` puts the module.
const MODULE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../packages/js/tombolo-session.wasm"
);

/// One file is to be small enough to be sent about. Where the standard library was not compiled along, for want of its sources, it is
/// some 0.2 MB larger. docs/performance/web.md
const PAGE_BYTES_MAX: u64 = 1_500_000;
const PAGE_BYTES_MAX_READY_STD: u64 = 1_800_000;

const STEPS: u64 = 90;

/// Whether the module was not built; says so where the test harness does not swallow it.
fn is_without_module(test: &str) -> bool {
    let is_missing = !Path::new(MODULE).is_file();
    if is_missing {
        let line = format!("{test} is SKIPPED: packages/js/build has not made tombolo-session.wasm");
        drop(writeln!(std::io::stderr(), "{line}"));
    }
    is_missing
}

/// The most bytes of a page with a module. The standard library that comes with the compiler has the paths under which that was built.
fn page_bytes_max(module: &[u8]) -> u64 {
    let has_ready_std = module.windows(7).any(|bytes| bytes == b"/rustc/");
    if has_ready_std {
        PAGE_BYTES_MAX_READY_STD
    } else {
        PAGE_BYTES_MAX
    }
}

/// The live page of the small scene in a browser.
fn start(folder: &Folder) -> Browser {
    let scene = folder.file("drop.ron", DROP.as_bytes());
    run(
        &[&scene, "--steps", "1", "--page", "live", "--module", MODULE],
        &folder.0,
    );
    let page = folder.0.join("drop.html");
    let (bytes, most) = (
        std::fs::metadata(&page).unwrap().len(),
        page_bytes_max(&std::fs::read(MODULE).unwrap()),
    );
    assert!(bytes <= most, "the page has {bytes} bytes, more than {most}");
    let profile = folder.0.join("profile");
    let browser = Browser::start(&profile, (1280, 800), &["--disable-software-rasterizer"]);
    browser.open_address(&format!("file://{}", page.display()));
    browser.wait_until("globalThis.live?.hasBegun && live.drawn > 0");
    browser
}

/// The hash after so many steps without a browser.
fn native_hash(folder: &Folder, steps: u64) -> Value {
    let (scene, steps) = (folder.file("native.ron", DROP.as_bytes()), steps.to_string());
    let out = folder.0.join("native").display().to_string();
    let output = tombolo(&["run", &scene, "--steps", &steps, "--json", "--out", &out]);
    assert!(output.status.success(), "{output:?}");
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    summary["state_hash"].clone()
}

/// A number that an expression over the body of a name, `body`, comes to.
fn of_body(browser: &Browser, name: &str, expression: &str) -> f64 {
    browser.number(&format!(
        "(() => {{ const {{ timeline, camera }} = live; \
         const box = document.getElementById('world').getBoundingClientRect(); \
         const body = timeline.manifest.bodies.findIndex((body, index) => timeline.isThere[index] && body.name === {name:?}); \
         return {expression}; }})()"
    ))
}

#[test]
fn the_page_without_a_server_plays_and_changes_its_world() {
    let test = "the_page_without_a_server_plays_and_changes_its_world";
    if is_skipped(test) || is_without_module(test) {
        return;
    }
    let folder = Folder::new("solo");
    let browser = start(&folder);
    browser.wait_until("live.timeline.frame === 0 && live.hash !== ''");
    let hash = browser.evaluate("live.hash");
    assert_eq!(browser.evaluate("document.getElementById('scenes').hidden"), true);
    steps_as_the_command_does(&browser, &folder);
    plays_and_pauses(&browser);
    drags(&browser);
    edits(&browser);
    hands_out_files(&browser);
    opens_no_recording(&browser);
    begins_again(&browser, &hash);
    assert_eq!(browser.console(), Vec::<Value>::new());
}

/// Steps without input give the same bits as the command.
fn steps_as_the_command_does(browser: &Browser, folder: &Folder) {
    browser.evaluate(&format!("(live.stepBy({STEPS}), 0)"));
    browser.wait_until(&format!("live.timeline.frame === {STEPS} && live.hash !== ''"));
    assert_eq!(browser.evaluate("live.hash"), native_hash(folder, STEPS));
}

fn plays_and_pauses(browser: &Browser) {
    let swing = || of_body(browser, "swing", "timeline.angle(body)");
    let (frame, angle) = (browser.number("live.timeline.frame"), swing());
    browser.click("#play");
    browser.wait_until(&format!("live.playing && live.timeline.frame > {frame} + 30"));
    assert_ne!(swing(), angle, "it moves");
    browser.keys("#world", " ");
    browser.wait_until("!live.playing && live.hash !== ''");
    let (frame, hash) = (
        browser.number("live.timeline.frame"),
        browser.evaluate("live.hash"),
    );
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(browser.number("live.timeline.frame"), frame, "it stands");
    browser.click("#step-back");
    browser.wait_until(&format!("live.timeline.frame === {frame} - 1"));
    browser.click("#step-on");
    browser.wait_until(&format!("live.timeline.frame === {frame} && live.hash !== ''"));
    assert_eq!(browser.evaluate("live.hash"), hash, "the past is what it was");
}

fn drags(browser: &Browser) {
    drag_top_of_stack(browser);
    browser.let_go();
    browser.keys("#world", " ");
    browser.wait_until("!live.playing && live.hash !== ''");
    browser.click("#undo");
    browser.wait_until("live.undoCounts[0] === 0 && live.undoCounts[1] === 1");
}

/// A property that is set takes effect: the body flies.
fn edits(browser: &Browser) {
    let y = || of_body(browser, "stack[4]", "timeline.y(body)");
    let before = y();
    browser.evaluate(
        "(live.pick(live.timeline.manifest.bodies.findIndex((body) => body.name === 'stack[4]')), 0)",
    );
    browser.wait_until("document.querySelector('[data-path=\"body.linear_velocity\"]')");
    let frame = browser.number("live.timeline.frame");
    let field = "[data-path=\"body.linear_velocity\"]";
    browser.evaluate(&format!("(document.querySelector({field:?}).select(), 0)"));
    browser.keys(field, "(0, 8)\u{e007}");
    browser.wait_until("live.undoCounts[0] === 1");
    browser.evaluate("(live.stepBy(20), 0)");
    browser.wait_until(&format!("live.timeline.frame === {frame} + 20"));
    browser.settle("live");
    assert!(y() > before + 1.0, "{} from {before}", y());
}

/// The scene with the edit, the actions and the save are there to be downloaded.
fn hands_out_files(browser: &Browser) {
    browser.evaluate(
        "(globalThis.files = {}, URL.createObjectURL = (blob) => { blob.text().then((text) => files[blob.size] = text); return '#'; }, 0)",
    );
    for file in ["scene", "session", "save"] {
        browser.evaluate(&format!(
            "(document.getElementById('download-{file}').click(), 0)"
        ));
    }
    browser.wait_until("Object.keys(files).length === 3");
    let has = |text: &str| {
        browser.evaluate(&format!(
            "Object.values(files).some((file) => file.includes({text:?}))"
        ))
    };
    assert_eq!(has("tombolo_session"), true);
    assert_eq!(has("linear_velocity"), true);
}

/// There is no button for it, and a file that is dropped does not replace the page.
fn opens_no_recording(browser: &Browser) {
    assert_eq!(browser.evaluate("document.getElementById('open').hidden"), true);
    drop_file(browser, "run.rec", b"TOMBOWRC");
    browser
        .wait_until("document.getElementById('notice').textContent.includes('tombolo replay FILE --page')");
}

/// The edit of one crate of a stack has no place in the scene's text: that is said before a restart drops it.
fn begins_again(browser: &Browser, start: &Value) {
    let frame = browser.number("live.timeline.frame");
    browser.click("#reset");
    browser.wait_until("document.getElementById('notice').textContent.includes('Restart again drops them')");
    assert_eq!(
        browser.number("live.timeline.frame"),
        frame,
        "it does not begin yet"
    );
    browser.click("#reset");
    browser.wait_until("live.timeline.frame === 0 && live.hash !== ''");
    assert_eq!(browser.evaluate("live.hash"), *start);
}
