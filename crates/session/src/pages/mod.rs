//! Composes pages: the files of this folder are put into one HTML file. With a recording it is the replay page, with a
//! scene and the engine's module one that simulates by itself: both need neither a network nor any other file. The live
//! page of `tombolo play` makes requests to the server that it came from.
//!
//! A page's `pictures` are what a map's tiles look like, as JSON that `pictures.js` reads; [`NO_PICTURES`] for worlds
//! that are of no map.

mod dense;

use std::io::Write;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;

use serde::Serialize;

use crate::failure::Failure;
use crate::frames::Recording;
use crate::origin::Origin;

/// The pictures of a world that is of no map.
pub const NO_PICTURES: &[u8] = br#"{"images":[],"looks":[],"grids":[],"fixed":[],"attached":[]}"#;

const TEMPLATE: &str = include_str!("index.html");
const STYLE: &str = include_str!("style.css");

/// The parts of the program that all pages share, in the order in which they need each other. With the parts that
/// follow they become one module script: names at their top level are visible to all of them and to nothing else.
const SHARED: [&str; 16] = [
    include_str!("read.js"),
    include_str!("state.js"),
    include_str!("outline.js"),
    include_str!("colors.js"),
    include_str!("camera.js"),
    include_str!("lines.js"),
    include_str!("joints.js"),
    include_str!("pictures.js"),
    include_str!("draw_webgl.js"),
    include_str!("draw_canvas.js"),
    include_str!("pick.js"),
    include_str!("strip.js"),
    include_str!("panel.js"),
    include_str!("graphs.js"),
    include_str!("input.js"),
    include_str!("viewer.js"),
];

/// The further parts of the replay page.
const REPLAY: [&str; 2] = [include_str!("timeline.js"), include_str!("main.js")];

/// The further parts of the live page of a server.
const SERVED: [&str; 1] = [include_str!("socket.js")];

/// The further parts of the live page without a server.
const SOLO: [&str; 1] = [include_str!("solo.js")];

/// What unpacks the engine's module and the programs of the live page without a server, in the page and in its worker.
const UNPACK: &str = include_str!("unpack.js");

/// The parts that both live pages share.
const LIVE: [&str; 6] = [
    include_str!("live.js"),
    include_str!("actions.js"),
    include_str!("tools.js"),
    include_str!("inspector.js"),
    include_str!("scripts.js"),
    include_str!("live_main.js"),
];

/// The page of a recording. If the nonce is not empty, its style and its program have it, by which a browser recognizes
/// those of a server.
///
/// # Errors
/// None is known: everything is written to memory.
pub fn replay(recording: &Recording, pictures: &[u8], nonce: &str) -> Result<Vec<u8>, Failure> {
    let nonce = nonce_attribute(nonce);
    let data = format!(
        "{}\n{}\n{}",
        data_element("manifest", &packed(&recording.manifest)?),
        data_element("frames", &BASE64_STANDARD.encode(&recording.frames)),
        data_element("pictures", &packed(pictures)?),
    );
    let parts = [
        ("title", escaped(&recording.scene)),
        ("nonce", nonce.clone()),
        ("style", STYLE.to_string()),
        ("buttons", String::new()),
        ("tools", String::new()),
        ("panels", String::new()),
        ("keys", String::new()),
        ("dialogs", String::new()),
        ("data", data),
        ("nonce", nonce),
        ("script", script(&[&REPLAY])),
    ];
    Ok(filled(TEMPLATE, &parts).into_bytes())
}

/// The page that watches the live world of a server and changes it. Its style and its program have a nonce, by which a
/// browser recognizes them.
pub fn served(nonce: &str) -> Vec<u8> {
    let script = script(&[&SERVED, &LIVE]);
    live("Play", &nonce_attribute(nonce), String::new(), script)
}

/// The attribute of an element with a nonce, with a space before it; empty for none.
fn nonce_attribute(nonce: &str) -> String {
    if nonce.is_empty() {
        String::new()
    } else {
        format!(" nonce=\"{nonce}\"")
    }
}

/// The page that simulates a scene by itself, with the engine's module in it.
///
/// # Errors
/// None is known: everything is written to memory.
pub fn solo(origin: &Origin, pictures: &[u8], module: &[u8]) -> Result<Vec<u8>, Failure> {
    let wanted = Path::new(origin.wanted()).file_name().unwrap_or_default();
    let scene = SceneData {
        wanted: &wanted.to_string_lossy(),
        name: origin.name(),
        text: origin.scene().text(),
        has_file: origin.scene_text().is_some(),
    };
    let programs = Programs {
        page: &script(&[&SOLO, &LIVE]),
        worker: include_str!("worker.js"),
    };
    let data = format!(
        "{}\n{}\n{}\n{}\n<script id=\"unpack\">\n{UNPACK}</script>",
        data_element("scene-data", &packed(&serde_json::to_vec(&scene)?)?),
        data_element("pictures", &packed(pictures)?),
        data_element("module", &dense::dense(module)?),
        data_element("programs", &dense::dense(&serde_json::to_vec(&programs)?)?),
    );
    let start = include_str!("start.js").to_string();
    Ok(live(&escaped(origin.name()), "", data, start))
}

/// The data with which the worker of a page begins its session.
#[derive(Serialize)]
struct SceneData<'s> {
    /// The path or name by which the scene was opened, without folders, which are private.
    wanted: &'s str,
    name: &'s str,
    text: &'s str,
    has_file: bool,
}

/// What is packed in a page that simulates by itself: as text it would be a tenth of the page.
#[derive(Serialize)]
struct Programs<'p> {
    page: &'p str,
    /// That of its worker, after `unpack.js`.
    worker: &'p str,
}

/// An element with a text that the page's program reads; the text does not end it.
fn data_element(id: &str, text: &str) -> String {
    format!("<script type=\"text/plain\" id=\"{id}\">{text}</script>")
}

/// Bytes as base64 of a DEFLATE stream.
fn packed(bytes: &[u8]) -> Result<String, Failure> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(BASE64_STANDARD.encode(encoder.finish()?))
}

fn live(title: &str, nonce: &str, data: String, script: String) -> Vec<u8> {
    let parts = [
        ("title", title.to_string()),
        ("nonce", nonce.to_string()),
        ("style", format!("{STYLE}\n{}", include_str!("live.css"))),
        ("buttons", include_str!("live_buttons.html").to_string()),
        ("tools", include_str!("live_tools.html").to_string()),
        ("panels", include_str!("live_panels.html").to_string()),
        ("keys", include_str!("live_keys.html").to_string()),
        ("dialogs", include_str!("live_dialogs.html").to_string()),
        ("data", data),
        ("nonce", nonce.to_string()),
        ("script", script),
    ];
    filled(TEMPLATE, &parts).into_bytes()
}

/// A page's program.
fn script(own: &[&[&str]]) -> String {
    let own = own.iter().copied().flatten();
    SHARED.iter().chain(own).copied().collect::<Vec<_>>().join("\n")
}

/// The template with each `{{name}}` replaced, once, in the order of `parts`; replacements are not searched again.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let mut page =
        String::with_capacity(template.len() + parts.iter().map(|part| part.1.len()).sum::<usize>());
    let mut rest = template;
    for (name, text) in parts {
        let (before, after) = rest
            .split_once(&format!("{{{{{name}}}}}"))
            .expect("the template that is built in has every part");
        page.push_str(before);
        page.push_str(text);
        rest = after;
    }
    page + rest
}

/// Text with HTML's special characters escaped.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use tombolo::Scene;

    use super::*;

    #[test]
    fn parts_are_put_in_once_and_not_read_again() {
        let parts = [("a", "{{b}}".to_string()), ("b", "2".to_string())];
        assert_eq!(filled("<{{a}}|{{b}}>", &parts), "<{{b}}|2>");
    }

    #[test]
    fn the_live_page_asks_only_the_server_that_it_came_from() {
        let page = String::from_utf8(served("abc")).unwrap();
        let others = page.replace("http://www.w3.org/2000/svg", "");
        for outside in ["http://", "https://", "@import", "import("] {
            assert!(!others.contains(outside), "{outside}");
        }
        assert_eq!(others.matches("ws://").count(), 1);
        assert!(
            others.contains("`ws://${location.host}/"),
            "its socket is that server's"
        );
        assert_eq!(page.matches("</script>").count(), 1, "no part ends another");
        assert_eq!(page.matches(" nonce=\"abc\">").count(), 2);
    }

    #[test]
    fn the_page_that_simulates_is_closed_in_itself() {
        let text =
            r#"(entities: {"</script>": {"body": Body()}}, place: [One(name: "a", entity: "</script>")])"#;
        let origin = Origin::new(
            "a < b.ron",
            "a < b",
            Scene::parse("a < b.ron", text).unwrap(),
            true,
        );
        let page = String::from_utf8(solo(&origin, NO_PICTURES, b"\0asm").unwrap()).unwrap();
        assert!(page.contains("<title>a &lt; b · Tombolo</title>"));
        let packed = script(&[&SOLO, &LIVE]) + include_str!("worker.js");
        assert!(!page.contains(LIVE[0]), "programs are packed");
        let others = format!("{page}{packed}").replace("http://www.w3.org/2000/svg", "");
        for outside in [
            "http://", "https://", "ws://", "src=\"", "@import", "import(", "fetch(",
        ] {
            assert!(!others.contains(outside), "{outside}");
        }
        assert_eq!(page.matches("</script>").count(), 6, "no part ends another");
    }

    #[test]
    fn the_page_is_closed_in_itself() {
        let recording = Recording {
            scene: "a < b & c".to_string(),
            manifest: b"{}".to_vec(),
            frames: Vec::new(),
        };
        let page = replay(&recording, NO_PICTURES, "").unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(page.contains("<title>a &lt; b &amp; c · Tombolo</title>"));
        // The one address that it may contain is the namespace of SVG; it is not fetched.
        for outside in ["http://", "https://", "src=\"", "@import", "import(", "fetch("] {
            let others = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!others.contains(outside), "{outside}");
        }
        assert_eq!(page.matches("</script>").count(), 4, "no part ends another");
    }
}
