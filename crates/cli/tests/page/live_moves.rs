//! The live page of a world in which things move, come and go: velocities, the tool that moves, and a page that begins
//! anew.

use serde_json::Value;

use super::is_skipped;
use crate::browser::Browser;
use crate::live::place_of;
use crate::server::Server;
use crate::support::Folder;

/// A ball that flies, a ramp that is turned, and balls that come and go.
const COMING: &str = r#"(
    settings: (gravity: (0, 0)),
    entities: {
        "ball": {"body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 1))},
        "ramp": {"body": Body(), "hull": Collider(shape: Box(width: 6, height: 2))},
    },
    place: [
        One(name: "ball", entity: "ball", at: (0, 6), overrides: {"body": (linear_velocity: (6, 0))}),
        One(name: "ramp", entity: "ramp", at: (0.1, 0.2), angle: -0.3),
    ],
)
"#;

#[test]
fn velocities_are_those_of_the_moment_and_a_stroke_changes_what_it_moves() {
    if is_skipped("velocities_are_those_of_the_moment_and_a_stroke_changes_what_it_moves") {
        return;
    }
    let folder = Folder::new("live-moves");
    let path = folder.file("coming.ron", COMING.as_bytes());
    let server = Server::start(&[&path]);
    let profile = folder.0.join("profile");
    let browser = Browser::start(&profile, (1280, 800), &["--disable-software-rasterizer"]);
    browser.open_address(&server.url());
    browser.wait_until("globalThis.live?.hasBegun && live.drawn > 0");
    let speed = "live.timeline.velocity(0).x";
    assert_eq!(browser.number(speed), 6.0, "before any step");
    browser.evaluate("(live.stepBy(5), 0)");
    browser.wait_until("live.timeline.frame === 5");
    browser.evaluate("(live.act({ act: 'set', entity: live.timeline.entities[0], path: 'body.linear_velocity', text: '(9, 0)' }), 0)");
    browser.wait_until(&format!("{speed} === 9"));
    browser.evaluate("(live.seek(3), 0)");
    browser.wait_until("live.timeline.frame === 3");
    assert_eq!(browser.number(speed), 6.0, "of the moment that is shown");
    // The ramp, which is out of sight at first, is moved, then turned; above the buttons, which hide what is below them.
    browser.evaluate("(live.zoom(0.1, 550, 300), live.pan(0, -150), live.hasMovedCamera = true, 0)");
    browser.click("#tool-move");
    browser.settle("live");
    let ramp = place_of(&browser, "ramp");
    browser.press(
        "mouse",
        &[&[ramp, (ramp.0 + 30.0, ramp.1), (ramp.0 + 60.0, ramp.1)]],
    );
    browser.wait_until("live.undoCounts[0] === 1 && live.picked === live.timeline.bodyOf(live.selected)");
    browser.evaluate("(live.send({ do: 'write' }), 0)");
    browser.wait_until("!live.isUnwritten");
    let moved = std::fs::read_to_string(&path).unwrap();
    assert!(
        moved.contains("angle: -0.3)") && !moved.contains("at: (0.1, 0.2)"),
        "{moved}"
    );
    let place = moved.split("\"ramp\", entity: \"ramp\", ").nth(1).unwrap();
    let place = place.split(", angle").next().unwrap().to_string();
    // By its handle it is turned, and stays where it is.
    let part = |of: &str| browser.number(&format!("({of})"));
    let handle =
        "live.camera.toScreen(...live.tools.handleOf(live.picked, live.timeline.angle(live.picked)))";
    let edge = "document.getElementById('world').getBoundingClientRect()";
    let handle = (
        part(&format!("{handle}[0] + {edge}.left")),
        part(&format!("{handle}[1] + {edge}.top")),
    );
    let ramp = place_of(&browser, "ramp");
    browser.press(
        "mouse",
        &[&[
            handle,
            (ramp.0 + 40.0, ramp.1 - 40.0),
            (ramp.0 + 10.0, ramp.1 - 70.0),
        ]],
    );
    browser.wait_until("live.undoCounts[0] === 2");
    browser.evaluate("(live.send({ do: 'write' }), 0)");
    browser.wait_until("!live.isUnwritten");
    let turned = std::fs::read_to_string(&path).unwrap();
    assert!(
        turned.contains(&place) && !turned.contains("angle: -0.3"),
        "{turned}"
    );
    assert_eq!(browser.console(), Vec::<Value>::new());
}

/// A page that has held thousands of bodies that are gone begins anew without them, which nobody sees.
#[test]
fn a_page_that_begins_anew_keeps_what_one_looks_at() {
    if is_skipped("a_page_that_begins_anew_keeps_what_one_looks_at") {
        return;
    }
    let folder = Folder::new("live-anew");
    // Another density makes another body of each of them in each step.
    let flips = COMING
        .replace(
            "        \"ramp\": {",
            "        \"flip\": {\"from\": Inherits(\"ball\"), \"flip\": Script(text: \"fn on_tick(seconds) { \
             me().set(\\\"hull.density\\\", 3 - me().get(\\\"hull.density\\\")); }\")},\n        \"ramp\": {",
        )
        .replace(
            "    ],\n)",
            "        Row(name: \"flips\", entity: \"flip\", at: (0, 20), count: 100, step: (3, 0)),\n    ],\n)",
        );
    let path = folder.file("coming.ron", flips.as_bytes());
    let server = Server::start(&[&path]);
    let profile = folder.0.join("profile");
    let browser = Browser::start(&profile, (900, 700), &["--enable-unsafe-swiftshader"]);
    browser.open_address(&format!("{}#webgl", server.url()));
    browser.wait_until("globalThis.live?.hasBegun && live.drawn > 0");
    browser.evaluate(
        "(live.pick(0), live.setFollow(true), live.zoom(2, 300, 300), globalThis.first = live.timeline, 0)",
    );
    let scale = browser.number("live.camera.scale");
    browser.click("#play");
    browser.wait_until("live.timeline !== first && live.timeline.bodyCount > 0");
    browser.keys("#world", " ");
    browser.wait_until("!live.playing");
    assert!(browser.number("first.bodyCount") > 2_000.0);
    assert!(
        browser.number("live.drawer.geometry.count") < 1_000.0,
        "what is gone is not drawn"
    );
    browser.settle("live");
    assert_eq!(browser.number("live.camera.scale"), scale);
    assert_eq!(
        browser.evaluate("live.following && live.timeline.entities[live.picked] === live.selected"),
        true
    );
    assert_eq!(browser.console(), Vec::<Value>::new());
}
