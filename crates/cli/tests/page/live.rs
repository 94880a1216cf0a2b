//! The live page as a person meets it: each control does what it says.

use serde_json::Value;

use super::{HOME, at, is_skipped};
use crate::browser::Browser;
use crate::server::Server;
use crate::support::{DROP, Folder};

/// A server with the small scene, and a browser of a size that shows it.
pub(crate) fn start(folder: &Folder, size: (u32, u32)) -> (Server, Browser) {
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let server = Server::start(&[&scene]);
    let profile = folder.0.join("profile");
    let browser = Browser::start(&profile, size, &["--disable-software-rasterizer"]);
    browser.open_address(&server.url());
    browser.wait_until("globalThis.live?.hasBegun && live.drawn > 0");
    (server, browser)
}

/// Where the body of a name is on the screen.
pub(crate) fn place_of(browser: &Browser, name: &str) -> (f64, f64) {
    let part = |axis: u8| {
        browser.number(&format!(
            "(() => {{ const {{ timeline, camera }} = live; \
             const body = timeline.manifest.bodies.findIndex((body, index) => timeline.isThere[index] && body.name === {name:?}); \
             const box = document.getElementById('world').getBoundingClientRect(); \
             return [box.left, box.top][{axis}] + camera.toScreen(timeline.x(body), timeline.y(body))[{axis}]; }})()"
        ))
    };
    (part(0), part(1))
}

pub(crate) fn count(browser: &Browser) -> f64 {
    browser.number("live.timeline.isThere.reduce((sum, one) => sum + one, 0)")
}

#[test]
fn the_live_page_plays_goes_back_and_changes_the_world() {
    if is_skipped("the_live_page_plays_goes_back_and_changes_the_world") {
        return;
    }
    let folder = Folder::new("live");
    let (_server, browser) = start(&folder, (1280, 800));
    assert_eq!(browser.number("live.timeline.frame"), 0.0);
    plays_and_goes_back(&browser);
    shows_layers(&browser);
    drags(&browser);
    uses_tools(&browser);
    inspects(&browser);
    begins_again(&browser);
    assert_eq!(browser.console(), Vec::<Value>::new());
}

fn plays_and_goes_back(browser: &Browser) {
    browser.click("#play");
    browser.wait_until("live.playing && live.timeline.frame > 40");
    browser.keys("#world", " ");
    browser.wait_until("!live.playing && live.hash !== ''");
    let (frame, hash) = (
        browser.number("live.timeline.frame"),
        browser.evaluate("live.hash"),
    );
    browser.click("#step-on");
    browser.wait_until(&format!(
        "live.timeline.frame === {frame} + 1 && live.hash !== ''"
    ));
    assert_ne!(browser.evaluate("live.hash"), hash);
    browser.click("#step-back");
    browser.wait_until(&format!("live.timeline.frame === {frame}"));
    assert_eq!(browser.evaluate("live.hash"), hash, "the past is what it was");
    browser.keys("#world", HOME);
    browser.wait_until("live.timeline.frame === 0");
    // The slider goes on into the future that is still there.
    browser.keys("#scrub", "\u{e010}");
    browser.wait_until(&format!("live.timeline.frame === {frame} + 1"));
    browser.evaluate("(live.setSpeed(4), 0)");
    browser.click("#play");
    browser.wait_until("live.timeline.frame > 200");
    browser.keys("#world", " ");
    browser.wait_until("!live.playing");
    browser.evaluate("(live.setSpeed(1), 0)");
}

/// Contacts and boxes are asked for when they are to be shown, and are those of the state that is shown.
fn shows_layers(browser: &Browser) {
    let count = |each: &str| {
        format!("(() => {{ let count = 0; live.timeline.{each}(() => count++); return count; }})()")
    };
    assert_eq!(
        browser.evaluate(&count("eachContact")),
        0,
        "nobody has asked for them"
    );
    browser.keys("#world", "c");
    browser.wait_until(&format!("{} >= 10", count("eachContact")));
    browser.keys("#world", "b");
    browser.wait_until(&format!("{} === 7", count("eachBox")));
    browser.keys("#world", "cb");
}

/// Whether the body of a name is within so many pixels of a point, along both axes.
fn is_near(browser: &Browser, name: &str, (x, y): (f64, f64), limit: f64) -> bool {
    let (bx, by) = place_of(browser, name);
    (bx - x).abs().max((by - y).abs()) < limit
}

/// Takes the top of the stack by the pointer, while the world plays, until it has followed; it is held when this returns the
/// point at which it was.
pub(super) fn drag_top_of_stack(browser: &Browser) -> (f64, f64) {
    // The camera is to stay: nothing is fitted anew.
    browser.evaluate("(live.fit(), live.hasMovedCamera = true, 0)");
    browser.settle("live");
    let from = place_of(browser, "stack[4]");
    let to = (from.0 - 120.0, from.1 - 30.0);
    browser.click("#play");
    browser.press_and_hold(&[from, (from.0 - 50.0, from.1 - 20.0), to]);
    let came = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        is_near(browser, "stack[4]", to, 4.0)
    });
    assert!(came, "{:?} is not {to:?}", place_of(browser, "stack[4]"));
    from
}

fn drags(browser: &Browser) {
    let from = drag_top_of_stack(browser);
    assert_eq!(
        browser.evaluate("live.timeline.jointIsThere.at(live.timeline.appeared.joints - 1)"),
        1,
        "its spring is shown"
    );
    browser.let_go();
    browser.wait_until("live.timeline.jointIsThere.at(live.timeline.appeared.joints - 1) === 0");
    browser.keys("#world", " ");
    browser.wait_until("!live.playing && live.hash !== ''");
    browser.click("#undo");
    browser.wait_until("live.undoCounts[0] === 0 && live.undoCounts[1] === 1");
    browser.settle("live");
    assert!(
        is_near(browser, "stack[4]", from, 1.5),
        "undone, it stands where it stood"
    );
}

fn uses_tools(browser: &Browser) {
    let before = count(browser);
    browser.keys("#world", "5");
    browser.evaluate("(document.getElementById('drop-what').value = 'crate', 0)");
    let ground = place_of(browser, "ground");
    let top = place_of(browser, "stack[4]");
    browser.press("mouse", &[&[(top.0 - 200.0, top.1)]]);
    browser.wait_until(&format!(
        "live.timeline.isThere.reduce((sum, one) => sum + one, 0) === {before} + 1"
    ));
    browser.click("#tool-cut");
    let middle = place_of(browser, "stack[2]");
    browser.press(
        "mouse",
        &[&[
            (middle.0 - 60.0, middle.1 - 3.0),
            (middle.0 + 60.0, middle.1 + 4.0),
        ]],
    );
    browser.wait_until(&format!(
        "live.timeline.isThere.reduce((sum, one) => sum + one, 0) >= {before} + 2"
    ));
    let state = browser.evaluate("live.hash");
    browser.click("#tool-explode");
    browser.press("mouse", &[&[(ground.0 - 30.0, ground.1 - 30.0)]]);
    browser.wait_until(&format!("live.hash !== '' && live.hash !== {state}"));
    browser.click("#tool-push");
    let state = browser.evaluate("live.hash");
    let swing = place_of(browser, "stack[3]");
    browser.press(
        "mouse",
        &[&[swing, (swing.0 + 20.0, swing.1), (swing.0 + 60.0, swing.1)]],
    );
    browser.wait_until(&format!("live.hash !== '' && live.hash !== {state}"));
    assert_eq!(browser.evaluate("live.undoCounts[0]"), 4);
    browser.keys("#world", "1");
}

fn inspects(browser: &Browser) {
    browser.keys("#search", "stack[1]");
    browser.wait_until("document.querySelectorAll('#entity-list button').length === 1");
    browser.click("#entity-list button");
    browser.wait_until("document.querySelector('[data-path=\"body.linear_damping\"]')");
    assert_eq!(
        browser.evaluate("live.timeline.manifest.bodies[live.picked].name"),
        "stack[1]"
    );
    let title = browser
        .evaluate("document.querySelector('[data-path=\"body.linear_damping\"]').closest('label').title");
    assert!(title.as_str().unwrap().contains("f32, 0 to"), "{title}");
    let value = "document.querySelector('[data-path=\"body.linear_damping\"]').value";
    assert_eq!(browser.evaluate(value), "0");
    browser.evaluate("(document.querySelector('[data-path=\"body.linear_damping\"]').select(), 0)");
    browser.keys("[data-path=\"body.linear_damping\"]", "0.5\u{e007}");
    browser.wait_until(&format!("{value} === '0.5' && live.undoCounts[0] === 5"));
    browser.evaluate("(document.querySelector('[data-path=\"body.linear_damping\"]').select(), 0)");
    browser.keys("[data-path=\"body.linear_damping\"]", "-3\u{e007}");
    browser.wait_until("!document.getElementById('notice').hidden");
    let notice = browser.evaluate("document.getElementById('notice').textContent");
    assert!(notice.as_str().unwrap().contains("linear_damping"), "{notice}");
    browser.click("#despawn");
    browser.wait_until("live.selected === null && live.undoCounts[0] === 6");
    browser.click("#undo");
    browser.wait_until("live.undoCounts[0] === 5 && live.undoCounts[1] === 1");
    browser.wait_until("live.timeline.bodyOf(live.timeline.entities[live.timeline.manifest.bodies.findLastIndex((body) => body.name === 'stack[1]')]) >= 0");
    browser.click("#redo");
    browser.wait_until("live.undoCounts[0] === 6 && live.undoCounts[1] === 0");
}

fn begins_again(browser: &Browser) {
    // Two edits are of an entity of a row, which the file has no place for: the page says so and asks again.
    browser.evaluate("(document.getElementById('notice').hidden = true, 0)");
    browser.click("#reset");
    browser.wait_until("!document.getElementById('notice').hidden");
    let notice = browser.evaluate("document.getElementById('notice').textContent");
    let notice = notice.as_str().unwrap();
    assert!(
        notice.contains("Restart again drops them") && notice.contains("stack[1]"),
        "{notice}"
    );
    assert_eq!(browser.evaluate("live.undoCounts[0]"), 6, "nothing has changed");
    browser.click("#reset");
    browser.wait_until("live.hasBegun && live.timeline.frame === 0 && live.undoCounts[0] === 0");
    // The body that was dropped has a place in the file.
    assert_eq!(browser.number("live.timeline.bodyCount"), 8.0);
}

/// The handle, duplicates, components, a script with an error, and the file that is written.
#[test]
fn the_live_page_edits_the_scene_and_its_scripts() {
    if is_skipped("the_live_page_edits_the_scene_and_its_scripts") {
        return;
    }
    let folder = Folder::new("live-edit");
    let text = DROP.replacen(
        "entities: {",
        "scripts: {\"word\": \"fn on_tick(seconds) { print(1); }\\r\\n\"},\n    entities: {\n        \"lamp\": {\"mind\": Script(name: \"word\")},",
        1,
    );
    let text = text.replacen(
        "place: [",
        "place: [\n        One(name: \"lamp\", entity: \"lamp\"),",
        1,
    );
    let scene = folder.file("edit.ron", text.as_bytes());
    let server = Server::start(&[&scene]);
    let profile = folder.0.join("profile");
    let browser = Browser::start(&profile, (1280, 800), &["--disable-software-rasterizer"]);
    browser.open_address(&server.url());
    browser.wait_until("globalThis.live?.hasBegun && live.drawn > 0");
    browser.evaluate("(live.fit(), live.hasMovedCamera = true, 0)");
    browser.settle("live");
    let undone =
        |count: u32| browser.wait_until(&format!("live.undoCounts[0] === {count} && live.hash !== ''"));
    // A body is put elsewhere, and turned by its handle a quarter.
    browser.keys("#world", "6");
    let ground = place_of(&browser, "ground");
    let from = place_of(&browser, "swing");
    let to = (from.0 + 30.0, from.1 - 40.0);
    browser.press("mouse", &[&[from, (from.0 + 10.0, from.1 - 20.0), to]]);
    undone(1);
    browser.settle("live");
    let now = place_of(&browser, "swing");
    assert!(
        (now.0 - to.0).abs() < 2.0 && (now.1 - to.1).abs() < 2.0,
        "{now:?} is not {to:?}"
    );
    browser.wait_until("live.picked >= 0");
    browser.press(
        "mouse",
        &[&[
            (now.0 + 56.0, now.1),
            (now.0 + 50.0, now.1 - 30.0),
            (now.0, now.1 - 56.0),
        ]],
    );
    undone(2);
    let angle = browser.number("live.timeline.angle(live.picked)");
    assert!((angle - std::f64::consts::FRAC_PI_2).abs() < 0.05, "{angle}");
    assert_eq!(place_of(&browser, "ground"), ground);
    // A component more, another one of it, and both taken back.
    browser.wait_until("document.querySelector('[data-remove=\"hinge\"]')");
    browser.evaluate("(document.getElementById('component-kind').value = 'Tag', 0)");
    // What is typed in the list chooses there, and nothing else.
    browser.evaluate(
        "(document.getElementById('component-kind').dispatchEvent(new KeyboardEvent('keydown', { key: 'Delete', bubbles: true })), 0)",
    );
    browser.keys("#component-name", "mark\u{e007}");
    undone(3);
    browser.wait_until("document.querySelector('[data-remove=\"mark\"]')");
    let bodies = count(&browser);
    browser.click("#duplicate");
    undone(4);
    assert_eq!(count(&browser), bodies + 1.0);
    browser.click("#undo");
    undone(3);
    assert_eq!(count(&browser), bodies);
    browser.click("[data-remove=\"mark\"]");
    undone(4);
    browser.wait_until("!document.querySelector('[data-remove=\"mark\"]')");
    // A script with an error says so at its line, and nothing has changed.
    browser.click("#scripts");
    browser.wait_until("document.getElementById('script-text').value.includes('print(1)')");
    assert_eq!(
        browser.evaluate("live.scripts.texts.get('word') === document.getElementById('script-text').value"),
        true,
        "whatever the file's lines end with"
    );
    let write = |text: &str| {
        browser.evaluate(&format!(
            "(document.getElementById('script-text').value = {text:?}, document.getElementById('script-apply').click(), 0)"
        ));
    };
    write("fn on_tick(seconds) {\n  let = 3;\n}");
    browser.wait_until("document.querySelector('#script-lines .wrong')?.textContent === '2'");
    let said = browser.evaluate("document.getElementById('script-said').textContent");
    assert!(said.as_str().unwrap().contains("line 2"), "{said}");
    write("fn on_tick(seconds) { print(\"new words\"); }");
    undone(5);
    browser.wait_until("document.getElementById('script-said').textContent.startsWith('It runs')");
    assert_eq!(
        browser
            .evaluate("live.scripts.sent === null && live.scripts.texts.get('word').includes('new words')"),
        true
    );
    browser.evaluate("(live.send({ do: 'step' }), 0)");
    browser.wait_until("document.getElementById('script-log').textContent.includes('new words')");
    browser.evaluate("(document.getElementById('scripts-dialog').close(), 0)");
    browser.click("#write");
    browser.wait_until("document.getElementById('write').disabled");
    let written = std::fs::read_to_string(&scene).unwrap();
    assert!(
        written.contains("new words") && written.contains("angle: 1.5"),
        "{written}"
    );
    assert_eq!(browser.console(), Vec::<Value>::new());
}

/// Keys, buttons on the picture and a gamepad give the scene's actions.
#[test]
fn the_platformer_is_played_with_keys() {
    if is_skipped("the_platformer_is_played_with_keys") {
        return;
    }
    let folder = Folder::new("live-keys");
    let server = Server::start(&["platformer"]);
    let browser = Browser::start(
        &folder.0.join("profile"),
        (1280, 800),
        &["--disable-software-rasterizer"],
    );
    browser.open_address(&server.url());
    browser.wait_until("globalThis.live?.hasBegun && live.drawn > 0");
    assert_eq!(
        browser.evaluate(
            "[...document.querySelectorAll('#actions button')].map((button) => button.dataset.action).join()"
        ),
        "move -1,move 1,jump 1,crouch 1"
    );
    let key = |kind: &str, code: &str| {
        browser.evaluate(&format!(
            "(document.getElementById('world').dispatchEvent(new KeyboardEvent('{kind}', {{ code: '{code}', key: ' ', bubbles: true, cancelable: true }})), 0)"
        ));
    };
    let x = || {
        browser.number(
            "live.timeline.x(live.timeline.manifest.bodies.findIndex((body) => body.name === 'hero'))",
        )
    };
    // While the world stands keys are the page's.
    key("keydown", "Space");
    browser.wait_until("live.playing");
    let start = x();
    key("keydown", "KeyA");
    browser.wait_until("live.actions.sent.get('move') === -1");
    browser.wait_until("live.timeline.frame > 90");
    assert!(x() < start, "{} from {start}", x());
    key("keydown", "Space");
    key("keyup", "Space");
    assert_eq!(
        browser.evaluate("live.playing"),
        true,
        "it jumps, the page goes on"
    );
    key("keyup", "KeyA");
    browser.wait_until("live.actions.sent.get('move') === 0");
    let button = |axis: &str, size: &str| {
        browser.number(&format!(
            "(() => {{ const box = document.querySelector('[data-action=\"move 1\"]').getBoundingClientRect(); return box.{axis} + box.{size} / 2; }})()"
        ))
    };
    browser.press_and_hold(&[(button("left", "width"), button("top", "height"))]);
    browser.wait_until("live.actions.sent.get('move') === 1");
    browser.let_go();
    browser.wait_until("live.actions.sent.get('move') === 0");
    // A gamepad, as the browser would tell of it.
    browser.evaluate(
        "(navigator.getGamepads = () => [{ connected: true, axes: [-0.7, 0], buttons: [] }], live.actions.update(), 0)",
    );
    browser.wait_until("live.actions.sent.get('move') === -0.7");
    browser.keys("#world", "k");
    browser.wait_until("!live.playing && live.hash !== ''");
    // While it stands nothing is sent: the world is told when it goes on.
    browser.evaluate("(navigator.getGamepads = () => [], live.actions.update(), 0)");
    assert!((browser.number("live.actions.sent.get('move')") + 0.7).abs() < 1e-6);
    browser.keys("#world", "k");
    browser.wait_until("live.playing && live.actions.sent.get('move') === 0");
    assert_eq!(browser.console(), Vec::<Value>::new());
}

/// Where the pointer moves is told with the world's frames, however often the browser tells of it.
#[test]
fn the_pointer_is_told_once_for_each_frame() {
    if is_skipped("the_pointer_is_told_once_for_each_frame") {
        return;
    }
    let folder = Folder::new("live-pointer");
    let text = DROP.replacen(
        "entities: {",
        "actions: {\"aim\": (pointer: X)},\n    entities: {",
        1,
    );
    let scene = folder.file("aim.ron", text.as_bytes());
    let server = Server::start(&[&scene]);
    let profile = folder.0.join("profile");
    let browser = Browser::start(&profile, (1280, 800), &["--disable-software-rasterizer"]);
    browser.open_address(&server.url());
    browser.wait_until("globalThis.live?.hasBegun && live.drawn > 0");
    browser.click("#play");
    browser.wait_until("live.playing");
    let moves = "(() => { let count = 0; const act = live.act; live.act = (action) => { count++; act.call(live, action); }; \
                 for (let part = 0; part < 50; part++) document.getElementById('world').dispatchEvent(\
                 new PointerEvent('pointermove', { clientX: 300 + part, clientY: 300 })); delete live.act; return count; })()";
    assert_eq!(browser.number(moves), 0.0);
    browser.wait_until("live.actions.sent.get('aim') !== undefined");
    assert_eq!(browser.console(), Vec::<Value>::new());
}

/// The gallery, a scene of it, two pages and which of them has control.
#[test]
fn the_gallery_begins_scenes_and_control_is_taken() {
    if is_skipped("the_gallery_begins_scenes_and_control_is_taken") {
        return;
    }
    let folder = Folder::new("gallery");
    let server = Server::start(&[]);
    let browser = |name: &str, size: (u32, u32)| {
        Browser::start(&folder.0.join(name), size, &["--disable-software-rasterizer"])
    };
    let first = browser("first", (1280, 800));
    first.open_address(&server.url());
    first.wait_until("document.querySelectorAll('#gallery .card').length >= 7");
    first.wait_until(
        "[...document.querySelectorAll('#gallery img')].some((image) => image.naturalWidth === 480)",
    );
    first.evaluate("([...document.querySelectorAll('#gallery .card')].find((card) => card.textContent === 'machines').click(), 0)");
    first.wait_until("globalThis.live?.hasBegun && live.timeline.manifest.scene === 'machines'");
    assert_eq!(first.evaluate("document.getElementById('gallery').open"), false);
    let second = browser("second", (400, 800));
    second.open_address(&server.url());
    second.wait_until("globalThis.live?.hasBegun && !document.getElementById('control').hidden");
    first.click("#step-on");
    first.wait_until("live.timeline.frame === 1 && live.hash !== ''");
    second.wait_until("live.timeline.frame === 1 && live.hash !== ''");
    assert_eq!(first.evaluate("live.hash"), second.evaluate("live.hash"));
    second.click("#take-control");
    second.wait_until("document.getElementById('control').hidden");
    first.wait_until("!document.getElementById('control').hidden");
    first.click("#step-on");
    first.wait_until("!document.getElementById('notice').hidden");
    second.click("#step-on");
    first.wait_until("live.timeline.frame === 2");
    // Nothing of the page is wider than a phone.
    assert_eq!(
        second.evaluate("document.documentElement.scrollWidth <= innerWidth"),
        true
    );
}

/// Bodies that come while the page is open are drawn by the graphics card too.
#[test]
fn newcomers_are_drawn_with_webgl() {
    if is_skipped("newcomers_are_drawn_with_webgl") {
        return;
    }
    let folder = Folder::new("live-webgl");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let server = Server::start(&[&scene]);
    let profile = folder.0.join("profile");
    let browser = Browser::start(&profile, (900, 700), &["--enable-unsafe-swiftshader"]);
    browser.open_address(&format!("{}#webgl", server.url()));
    browser.wait_until("globalThis.live?.hasBegun && live.drawn > 0");
    assert_eq!(browser.evaluate("live.drawer.name"), "WebGL2");
    let (x, y) = place_of(&browser, "stack[2]");
    let place = (x - 100.0, y);
    let before = at(&browser.screenshot(), place);
    browser.keys("#world", "5");
    browser.evaluate("(document.getElementById('drop-what').value = 'crate', 0)");
    browser.press("mouse", &[&[place]]);
    browser.wait_until("live.timeline.bodyCount === 8");
    browser.settle("live");
    let after = at(&browser.screenshot(), place);
    assert_ne!(before, after);
    assert_eq!(
        at(&browser.screenshot(), (x, y)),
        at(&browser.screenshot(), (x + 2.0, y)),
        "and the others stay"
    );
}
