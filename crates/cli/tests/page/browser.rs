//! A Chromium without a window, driven through chromedriver as the WebDriver standard says (W3C, WebDriver, 2018).

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use tiny_skia::Pixmap;

/// A browser that is gone when the test ends.
pub(crate) struct Browser {
    driver: Child,
    agent: ureq::Agent,
    /// The address of the session, once there is one.
    session: String,
}

/// Whether a program can be started from here.
fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// What the browser needs that is not there.
pub(crate) fn missing_programs() -> Vec<&'static str> {
    let needed = ["chromium", "chromedriver"];
    needed.into_iter().filter(|program| !is_there(program)).collect()
}

impl Browser {
    /// Starts a browser with a profile of its own in `folder`, a window of a size in pixels, and more arguments.
    pub(crate) fn start(folder: &Path, size: (u32, u32), more: &[&str]) -> Self {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines
            .map_while(Result::ok)
            .find_map(|line| {
                let (_, port) = line.split_once("successfully on port ")?;
                Some(port.trim_end_matches('.').to_string())
            })
            .expect("chromedriver says its port");
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(60)))
            .proxy(None);
        let mut browser = Self {
            driver,
            agent: config.build().into(),
            session: format!("http://127.0.0.1:{port}/session"),
        };
        let mut arguments: Vec<String> = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ]
        .iter()
        .chain(more)
        .map(ToString::to_string)
        .collect();
        arguments.push(format!("--user-data-dir={}", folder.display()));
        arguments.push(format!("--window-size={},{}", size.0, size.1));
        let started = browser.post(
            "",
            &json!({"capabilities": {"alwaysMatch": {
                "browserName": "chrome",
                "goog:chromeOptions": {"args": arguments},
                "goog:loggingPrefs": {"browser": "ALL"},
            }}}),
        );
        browser.session = format!("{}/{}", browser.session, started["sessionId"].as_str().unwrap());
        browser
    }

    fn post(&self, call: &str, body: &Value) -> Value {
        let answer = self.agent.post(format!("{}{call}", self.session)).send_json(body);
        Self::value(call, answer)
    }

    fn value(call: &str, answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Value {
        let mut answer = answer.unwrap_or_else(|error| panic!("{call}: {error}"));
        let mut value: Value = answer
            .body_mut()
            .with_config()
            .limit(64 << 20)
            .read_json()
            .unwrap();
        assert!(answer.status().is_success(), "{call}: {value}");
        value["value"].take()
    }

    /// Opens a file, with something behind its address such as "#canvas".
    pub(crate) fn open(&self, file: &Path, more: &str) {
        self.post(
            "/url",
            &json!({"url": format!("file://{}{more}", file.display())}),
        );
        self.wait_until("globalThis.replay?.drawn > 0");
    }

    /// Opens an address.
    pub(crate) fn open_address(&self, address: &str) {
        self.post("/url", &json!({"url": address}));
    }

    /// Downloads files into a folder from now on.
    pub(crate) fn download_into(&self, folder: &Path) {
        let to = json!({"behavior": "allow", "downloadPath": folder.display().to_string()});
        self.post(
            "/goog/cdp/execute",
            &json!({"cmd": "Browser.setDownloadBehavior", "params": to}),
        );
    }

    /// What a JavaScript expression comes to.
    pub(crate) fn evaluate(&self, expression: &str) -> Value {
        let script = format!("return {expression}");
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// A number that a JavaScript expression comes to.
    pub(crate) fn number(&self, expression: &str) -> f64 {
        let value = self.evaluate(expression);
        value
            .as_f64()
            .unwrap_or_else(|| panic!("{expression} is {value}"))
    }

    /// Waits until a JavaScript expression holds.
    pub(crate) fn wait_until(&self, expression: &str) {
        for _ in 0..600 {
            if self.evaluate(&format!("Boolean({expression})")) == true {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!(
            "{expression} did not come to hold; the console says {:?}",
            self.console()
        );
    }

    /// Waits until everything that was asked for has been drawn by the viewer of a name.
    pub(crate) fn settle(&self, viewer: &str) {
        self.wait_until(&format!("!{viewer}.isAsked"));
    }

    /// Clicks the middle of the element that a CSS selector finds.
    pub(crate) fn click(&self, selector: &str) {
        let id = self.element(selector);
        self.post(&format!("/element/{id}/click"), &json!({}));
    }

    /// Types keys into the element that a CSS selector finds.
    pub(crate) fn keys(&self, selector: &str, text: &str) {
        let id = self.element(selector);
        self.post(&format!("/element/{id}/value"), &json!({"text": text}));
    }

    fn element(&self, selector: &str) -> String {
        let found = self.post("/element", &json!({"using": "css selector", "value": selector}));
        let id = found.as_object().unwrap().values().next().unwrap();
        id.as_str().unwrap().to_string()
    }

    /// Moves fingers or a mouse: for each, the places on the screen that it is pressed over.
    pub(crate) fn press(&self, kind: &str, paths: &[&[(f64, f64)]]) {
        let step = |kind: &str, (x, y): (f64, f64), ms: u32| json!({"type": kind, "x": x.round(), "y": y.round(), "duration": ms});
        let sources = paths.iter().enumerate().map(|(number, path)| {
            let mut actions = vec![
                step("pointerMove", path[0], 0),
                json!({"type": "pointerDown", "button": 0}),
            ];
            actions.extend(path[1..].iter().map(|&place| step("pointerMove", place, 60)));
            actions.push(json!({"type": "pointerUp", "button": 0}));
            json!({
                "type": "pointer",
                "id": format!("{kind} {number}"),
                "parameters": {"pointerType": kind},
                "actions": actions,
            })
        });
        self.post("/actions", &json!({"actions": sources.collect::<Vec<_>>()}));
    }

    /// Presses a mouse over a place, moves it over others and holds it.
    pub(crate) fn press_and_hold(&self, path: &[(f64, f64)]) {
        let step = |(x, y): (f64, f64), ms: u32| json!({"type": "pointerMove", "x": x.round(), "y": y.round(), "duration": ms});
        let mut actions = vec![step(path[0], 0), json!({"type": "pointerDown", "button": 0})];
        actions.extend(path[1..].iter().map(|&place| step(place, 60)));
        self.pointer("mouse 0", &actions);
    }

    /// Lets the mouse go that is held.
    pub(crate) fn let_go(&self) {
        self.pointer("mouse 0", &[json!({"type": "pointerUp", "button": 0})]);
    }

    fn pointer(&self, id: &str, actions: &[Value]) {
        let source =
            json!({"type": "pointer", "id": id, "parameters": {"pointerType": "mouse"}, "actions": actions});
        self.post("/actions", &json!({"actions": [source]}));
    }

    /// What the window shows.
    pub(crate) fn screenshot(&self) -> Pixmap {
        let call = "/screenshot";
        let answer = self.agent.get(format!("{}{call}", self.session)).call();
        let text = Self::value(call, answer);
        let png = BASE64_STANDARD.decode(text.as_str().unwrap()).unwrap();
        Pixmap::decode_png(&png).unwrap()
    }

    /// The console's lines since the last call, without what the graphics driver says of its speed.
    pub(crate) fn console(&self) -> Vec<Value> {
        let log = self.post("/se/log", &json!({"type": "browser"}));
        let mut lines = log.as_array().unwrap().clone();
        lines.retain(|line| line["source"] != "rendering");
        lines
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // If the session never began there is none to end; the driver ends in any case.
        drop(self.agent.delete(&self.session).call());
        drop(self.driver.kill());
        drop(self.driver.wait());
    }
}
