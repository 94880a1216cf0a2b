//! What the live page shows of the engine's inside: the steps of node graphs, the colors of the constraint graph; and the
//! latter in the replay.

use serde_json::{Value, json};

use super::{is_skipped, run};
use crate::browser::Browser;
use crate::server::Server;
use crate::support::{DROP, Folder};

const GRAPH: &str = r#"(
    graphs: {
        "count": (nodes: {
            "each step": On(event: "tick", then: "keep"),
            "keep": Remember(name: "ticks", value: "@more", then: "late?"),
            "late?": If(test: "@late", then: "say", otherwise: "never"),
            "late": Calculate(operator: ">", of: ["@ticks", 2]),
            "more": Calculate(operator: "+", of: ["@ticks", 1]),
            "never": Set(property: "transform.angle", value: 1.0),
            "say": Call(function: "missing", with: ["@ticks"]),
            "ticks": Recall(name: "ticks", or: 0),
        }),
        "other": (nodes: {"born": On(event: "despawn", then: "bye"), "bye": Print(value: "bye")}),
    },
    entities: {"lamp": {"body": Body(), "mind": Script(name: "count")}},
    place: [One(name: "lamp", entity: "lamp")],
)"#;

fn start(folder: &Folder, scene: &str) -> (Server, Browser) {
    let server = Server::start(&[scene]);
    let profile = folder.0.join("profile");
    let browser = Browser::start(&profile, (1280, 800), &["--disable-software-rasterizer"]);
    browser.open_address(&server.url());
    browser.wait_until("globalThis.live?.hasBegun && live.drawn > 0");
    (server, browser)
}

/// The names of the nodes that are marked by a class, in their order.
fn marked(browser: &Browser, class: &str) -> Value {
    browser.evaluate(&format!(
        "[...document.querySelectorAll('#graph .node.{class} .name')].map((name) => name.textContent)"
    ))
}

/// What is written below a node.
fn below(browser: &Browser, name: &str) -> Value {
    browser.evaluate(&format!(
        "[...document.querySelectorAll('#graph .node')].find((box) => box.querySelector('.name').textContent === {name:?})\
         .querySelector('.run').textContent"
    ))
}

#[test]
fn the_nodes_of_a_graph_that_ran_are_marked() {
    if is_skipped("the_nodes_of_a_graph_that_ran_are_marked") {
        return;
    }
    let folder = Folder::new("live-graphs");
    let scene = folder.file("count.ron", GRAPH.as_bytes());
    let (_server, browser) = start(&folder, &scene);
    browser.click("#graphs");
    browser.wait_until("document.getElementById('graph-clock').textContent === 'step 0'");
    assert_eq!(marked(&browser, "ran"), json!([]));
    browser.click("#graph-step");
    browser.wait_until("document.getElementById('graph-clock').textContent === 'step 1'");
    let first = ["each step", "keep", "late", "late?", "more", "never", "ticks"];
    assert_eq!(marked(&browser, "ran"), json!(first));
    assert_eq!(below(&browser, "more"), "step 1 = 1");
    assert_eq!(below(&browser, "late"), "step 1 = false");
    assert_eq!(below(&browser, "say"), "");
    browser.click("#graph-step");
    browser.wait_until("document.getElementById('graph-clock').textContent === 'step 2'");
    assert_eq!(below(&browser, "more"), "step 2 = 2");
    // In the third step the other branch runs into an error.
    browser.click("#graph-step");
    browser.wait_until("document.getElementById('graph-clock').textContent === 'step 3'");
    assert_eq!(
        marked(&browser, "ran"),
        json!(["each step", "keep", "late", "late?", "more", "say", "ticks"])
    );
    assert_eq!(marked(&browser, "failed"), json!(["say"]));
    assert_eq!(below(&browser, "never"), "step 2");
    // A marked box looks different.
    let color = |class: &str| {
        browser.evaluate(&format!(
            "getComputedStyle(document.querySelector('#graph .node{class} rect')).stroke"
        ))
    };
    assert_ne!(color(".ran"), color(":not(.ran)"));
    // The other graph has not run; the first one is as it was.
    let choose = |index: u8| {
        browser.evaluate(&format!(
            "(() => {{ const choice = document.getElementById('graph-choice'); choice.selectedIndex = {index}; choice.dispatchEvent(new Event('change')); return 0; }})()"
        ));
    };
    choose(1);
    browser.wait_until("document.querySelectorAll('#graph .node').length === 2");
    choose(0);
    browser.wait_until("document.querySelectorAll('#graph .node.ran').length === 7");
    browser.click("#graphs-dialog form button:not([type])");
    browser.wait_until("live.graph === null");
    // Back in time the picture is that of then.
    browser.click("#step-back");
    browser.wait_until("live.timeline.frame === 2");
    browser.click("#graphs");
    browser.wait_until("document.getElementById('graph-clock').textContent === 'step 2'");
    assert_eq!(marked(&browser, "ran"), json!(first));
    assert_eq!(marked(&browser, "failed"), json!([]));
    if let Ok(path) = std::env::var("TOMBOLO_SCREENSHOT") {
        browser.screenshot().save_png(path).expect("the folder is there");
    }
    assert_eq!(browser.console(), Vec::<Value>::new());
}

/// The number of contact points with a color, and whether every such color is among the lines that are drawn.
fn colored(browser: &Browser, page: &str) -> (f64, Value) {
    let colors = format!(
        "(() => {{ const colors = new Set(); let count = 0; \
         {page}.timeline.eachContact((strength, normal, place, color) => {{ if (color > 0) {{ count++; colors.add(color); }} }}); "
    );
    let drawn = format!("const drawn = new Set({page}.lines.colors); ");
    let all = format!(
        "colors.size > 0 && [...colors].every((color) => drawn.has({page}.palette.graphColors[color]))"
    );
    let count = browser.number(&format!("{colors} return count; }})()"));
    (
        count,
        browser.evaluate(&format!("{colors}{drawn} return {all}; }})()")),
    )
}

#[test]
fn colors_of_the_constraint_graph_are_shown_live_and_in_the_replay() {
    if is_skipped("colors_of_the_constraint_graph_are_shown_live_and_in_the_replay") {
        return;
    }
    let folder = Folder::new("live-colors");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let (_server, browser) = start(&folder, &scene);
    for _ in 0..5 {
        browser.click("#step-on");
    }
    browser.wait_until("live.timeline.frame === 5");
    assert_eq!(colored(&browser, "live").0, 0.0, "nobody has asked for them");
    browser.keys("#world", "o");
    browser.wait_until("live.timeline.contactColors.some((color) => color > 0)");
    browser.settle("live");
    // Five boxes on each other and on the ground touch in two points each; the revolute joint of the bar has a color too.
    assert_eq!(colored(&browser, "live"), (10.0, Value::Bool(true)));
    let pin = "live.palette.graphColors[live.timeline.jointColors[0]]";
    assert_eq!(
        browser.evaluate(&format!(
            "live.timeline.jointColors[0] > 0 && live.lines.colors.includes({pin})"
        )),
        true
    );
    browser.keys("#world", "o");
    browser.settle("live");
    assert_eq!(
        browser.evaluate(&format!("live.lines.colors.includes({pin})")),
        false
    );
    assert_eq!(
        browser.number("live.palette.graphColors.length - 1"),
        f64::from(tombolo::physics::GRAPH_COLORS)
    );
    run(&[&scene, "--steps", "5"], &folder.0);
    browser.evaluate("(location.href = 'about:blank', 0)");
    browser.open(&folder.0.join("drop.html"), "#canvas");
    browser.keys("#world", "\u{e010}");
    browser.wait_until("replay.timeline.frame === 5");
    browser.keys("#world", "o");
    browser.settle("replay");
    assert_eq!(colored(&browser, "replay"), (10.0, Value::Bool(true)));
    // At the beginning nothing touches yet that is solved; and it comes back.
    browser.keys("#world", "\u{e011}");
    browser.wait_until("replay.timeline.frame === 0");
    assert_eq!(colored(&browser, "replay").0, 0.0);
    browser.keys("#world", "\u{e010}");
    browser.wait_until("replay.timeline.frame === 5");
    assert_eq!(colored(&browser, "replay").0, 10.0);
    assert_eq!(browser.console(), Vec::<Value>::new());
}
