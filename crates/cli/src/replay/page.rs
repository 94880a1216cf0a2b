//! Puts the replay page together: the files of `src/page/`, which are read as they are, and a recording, into one HTML
//! file that needs neither a network nor any other file.

use std::io::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;

use super::manifest::Manifest;
use crate::output::Failure;

const TEMPLATE: &str = include_str!("../page/index.html");
const STYLE: &str = include_str!("../page/style.css");

/// The page's program, in the order in which its parts need each other. They become one module script: names at their top
/// level are known to all of them and to nobody else.
const SCRIPTS: [&str; 15] = [
    include_str!("../page/read.js"),
    include_str!("../page/timeline.js"),
    include_str!("../page/outline.js"),
    include_str!("../page/colors.js"),
    include_str!("../page/camera.js"),
    include_str!("../page/lines.js"),
    include_str!("../page/joints.js"),
    include_str!("../page/draw_webgl.js"),
    include_str!("../page/draw_canvas.js"),
    include_str!("../page/pick.js"),
    include_str!("../page/strip.js"),
    include_str!("../page/panel.js"),
    include_str!("../page/graphs.js"),
    include_str!("../page/input.js"),
    include_str!("../page/main.js"),
];

/// The page of a recording.
///
/// # Errors
/// None that is known: everything is written to memory.
pub(super) fn assemble(manifest: &Manifest, frames: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&serde_json::to_vec(manifest)?)?;
    let parts = [
        ("title", escaped(&manifest.scene)),
        ("style", STYLE.to_string()),
        ("manifest", BASE64_STANDARD.encode(encoder.finish()?)),
        ("frames", BASE64_STANDARD.encode(frames)),
        ("script", SCRIPTS.join("\n")),
    ];
    Ok(filled(TEMPLATE, &parts).into_bytes())
}

/// The template with each `{{name}}` replaced, once, in the order of `parts`; what is put in is not looked at again.
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

/// Text as HTML shows it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_put_in_once_and_not_read_again() {
        let parts = [("a", "{{b}}".to_string()), ("b", "2".to_string())];
        assert_eq!(filled("<{{a}}|{{b}}>", &parts), "<{{b}}|2>");
    }

    #[test]
    fn the_page_is_closed_in_itself() {
        let page = assemble(&Manifest::new("a < b & c", 0.1), b"").unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(page.contains("<title>a &lt; b &amp; c · Tombolo</title>"));
        // The one address that may stand in it names what an SVG is; it is not fetched.
        for outside in ["http://", "https://", "src=\"", "@import", "import(", "fetch("] {
            let others = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!others.contains(outside), "{outside}");
        }
        assert_eq!(page.matches("</script>").count(), 3, "no part ends another");
    }
}
