//! Pictures of a map's tiles on the page: as the editor draws them, flipped and turned, and along with their bodies.

use tiny_skia::{Color, Paint, Pixmap, Rect, Transform};

use crate::browser::Browser;
use crate::server::Server;
use crate::support::Folder;
use crate::{at, is_skipped, run};

/// The colors of a tile's quarters: above left and right, below left and right.
const QUARTERS: [[u8; 3]; 4] = [[230, 20, 20], [20, 230, 20], [20, 20, 230], [230, 230, 20]];

/// A tile of four colors.
fn tile() -> Vec<u8> {
    let mut pixels = Pixmap::new(16, 16).unwrap();
    for (place, [red, green, blue]) in QUARTERS.into_iter().enumerate() {
        let mut paint = Paint::default();
        paint.set_color(Color::from_rgba8(red, green, blue, 255));
        let [left, top] = [place % 2, place / 2].map(|part| 8.0 * part as f32);
        let quarter = Rect::from_xywh(left, top, 8.0, 8.0).unwrap();
        pixels.fill_rect(quarter, &paint, Transform::identity(), None);
    }
    pixels.encode_png().unwrap()
}

/// The flags of a cell, as bits 31, 30 and 29 of its number.
fn flags(flip: u32) -> u32 {
    flip << 29
}

/// A row of the tile in all eight ways, and a crate of the tile that falls beside it.
fn map_in(folder: &Folder) -> String {
    std::fs::write(folder.0.join("tile.png"), tile()).unwrap();
    let cells: Vec<String> = (0..8).map(|flip| (1 | flags(flip)).to_string()).collect();
    let map = format!(
        r#"<map width="8" height="1" tilewidth="16" tileheight="16">
 <tileset firstgid="1" name="t" tilewidth="16" tileheight="16" tilecount="1" columns="1">
  <image source="tile.png" width="16" height="16"/>
  <tile id="0"><objectgroup><object id="1" x="0" y="0" width="16" height="16"/></objectgroup></tile></tileset>
 <layer name="row" width="8" height="1"><data encoding="csv">{}</data></layer>
 <objectgroup name="things"><object id="1" name="crate" gid="1" x="144" y="0" width="16" height="16"><properties>
  <property name="body.kind" value="Dynamic"/></properties></object></objectgroup>
</map>"#,
        cells.join(",")
    );
    folder.file("level.tmx", map.as_bytes())
}

/// The quarter of the image that a tile with these flags shows in one of its quarters: the inverse of what the editor
/// does, which swaps the axes first, then mirrors along x, then along y.
fn shown(flip: u32, [mut x, mut y]: [usize; 2]) -> usize {
    if flip & 4 != 0 {
        x = 1 - x;
    }
    if flip & 2 != 0 {
        y = 1 - y;
    }
    if flip & 1 != 0 {
        (x, y) = (y, x);
    }
    x + 2 * y
}

/// Checks that the quarters of a tile around a place of the world have their colors.
fn check_tile(browser: &Browser, viewer: &str, picture: &Pixmap, middle: [f64; 2], flip: u32) {
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let [right, up] = [
            middle[0] - 0.25 + 0.5 * x as f64,
            middle[1] + 0.25 - 0.5 * y as f64,
        ];
        let part = |axis: u8, side: &str| {
            browser.number(&format!(
                "{viewer}.camera.toScreen({right}, {up})[{axis}] + document.getElementById('world').getBoundingClientRect().{side}"
            ))
        };
        let color = at(picture, (part(0, "left"), part(1, "top")));
        let wanted = QUARTERS[shown(flip, [x, y])];
        let is_near = color.iter().zip(wanted).all(|(a, b)| a.abs_diff(b) < 12);
        assert!(
            is_near,
            "flip {flip:03b}, quarter {x} {y}: {color:?} and not {wanted:?}"
        );
    }
}

/// Looks at the row from near by.
fn look(browser: &Browser, viewer: &str) {
    browser.wait_until(&format!("globalThis.{viewer}?.pictures"));
    browser.evaluate(&format!(
        "(Object.assign({viewer}.camera, {{ x: 5, y: -1, scale: 60 }}), {viewer}.hasMovedCamera = true, {viewer}.ask(), 0)"
    ));
    browser.settle(viewer);
}

#[test]
fn tiles_look_as_in_their_editor_and_go_with_their_bodies() {
    if is_skipped("tiles_look_as_in_their_editor_and_go_with_their_bodies") {
        return;
    }
    let folder = Folder::new("page-pictures");
    let map = map_in(&folder);
    run(&[&map, "--steps", "40"], &folder.0);
    let page = folder.0.join("level.html");
    for way in ["#canvas", "#webgl"] {
        let browser = Browser::start(
            &folder.0.join("profile"),
            (1280, 800),
            &["--enable-unsafe-swiftshader"],
        );
        browser.open(&page, way);
        look(&browser, "replay");
        browser.evaluate("(replay.seek(36), 0)");
        browser.settle("replay");
        let picture = browser.screenshot();
        for flip in 0..8 {
            check_tile(&browser, "replay", &picture, [f64::from(flip) + 0.5, -0.5], flip);
        }
        let crate_at = [0, 1].map(|axis| {
            browser.number(&format!(
                "replay.timeline.toWorld(replay.timeline.manifest.bodies.findIndex((body) => body.name === 'crate'), [0, 0])[{axis}]"
            ))
        });
        assert!(crate_at[1] < -1.0, "it falls: {crate_at:?}");
        check_tile(&browser, "replay", &picture, crate_at, 0);
        // Switched off there are the shapes alone.
        browser.keys("#world", "i");
        browser.settle("replay");
        let plain = browser.screenshot();
        let place = browser.number("replay.camera.toScreen(0.25, -0.25)[0]");
        let low = browser.number(
            "replay.camera.toScreen(0.25, -0.25)[1] + document.getElementById('world').getBoundingClientRect().top",
        );
        assert_ne!(at(&plain, (place, low)), at(&picture, (place, low)), "{way}");
        assert_eq!(browser.console(), Vec::<serde_json::Value>::new(), "{way}");
    }
}

#[test]
fn the_live_page_shows_the_tiles_of_the_map_that_it_plays() {
    if is_skipped("the_live_page_shows_the_tiles_of_the_map_that_it_plays") {
        return;
    }
    let folder = Folder::new("live-pictures");
    let map = map_in(&folder);
    let server = Server::start(&[&map]);
    let browser = Browser::start(&folder.0.join("profile"), (1280, 800), &[]);
    browser.open_address(&server.url());
    look(&browser, "live");
    let picture = browser.screenshot();
    for flip in 0..8 {
        check_tile(&browser, "live", &picture, [f64::from(flip) + 0.5, -0.5], flip);
    }
    assert_eq!(browser.console(), Vec::<serde_json::Value>::new());
}
