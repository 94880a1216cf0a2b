//! Pictures of a map's tiles on the page: as the editor draws them, flipped and turned, and along with their bodies.

use std::path::Path;

use tiny_skia::{Color, Paint, Pixmap, Rect, Transform};

use crate::browser::Browser;
use crate::server::Server;
use crate::support::Folder;
use crate::{at, is_skipped, run};

/// The colors of a tile's quarters: above left and right, below left and right.
const QUARTERS: [[u8; 3]; 4] = [[230, 20, 20], [20, 230, 20], [20, 20, 230], [230, 230, 20]];

/// A tile of four colors.
fn tile() -> Vec<u8> {
    image_of(&[QUARTERS])
}

/// An image of tiles side by side, each of the four colors of its quarters.
fn image_of(tiles: &[[[u8; 3]; 4]]) -> Vec<u8> {
    let mut pixels = Pixmap::new(16 * tiles.len() as u32, 16).unwrap();
    let quarters = tiles.iter().flatten().enumerate();
    for (index, &[red, green, blue]) in quarters {
        let (tile, place) = (index / 4, index % 4);
        let mut paint = Paint::default();
        paint.set_color(Color::from_rgba8(red, green, blue, 255));
        let [left, top] = [2 * tile + place % 2, place / 2].map(|part| 8.0 * part as f32);
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

/// Where a place of the world is on the page.
fn on_page(browser: &Browser, viewer: &str, (right, up): (f64, f64)) -> (f64, f64) {
    let part = |axis: u8, side: &str| {
        browser.number(&format!(
            "{viewer}.camera.toScreen({right}, {up})[{axis}] + document.getElementById('world').getBoundingClientRect().{side}"
        ))
    };
    (part(0, "left"), part(1, "top"))
}

/// Checks that the quarters of a tile around a place of the world have their colors.
fn check_tile(browser: &Browser, viewer: &str, picture: &Pixmap, middle: [f64; 2], flip: u32) {
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let [right, up] = [
            middle[0] - 0.25 + 0.5 * x as f64,
            middle[1] + 0.25 - 0.5 * y as f64,
        ];
        let color = at(picture, on_page(browser, viewer, (right, up)));
        let wanted = QUARTERS[shown(flip, [x, y])];
        let is_near = color.iter().zip(wanted).all(|(a, b)| a.abs_diff(b) < 12);
        assert!(
            is_near,
            "flip {flip:03b}, quarter {x} {y}: {color:?} and not {wanted:?}"
        );
    }
}

/// A row of three tiles; a script empties the cell in the middle after six steps, and gives it back after eighteen.
fn dug_map_in(folder: &Folder) -> String {
    std::fs::write(folder.0.join("tile.png"), tile()).unwrap();
    let map = r#"<map width="3" height="1" tilewidth="16" tileheight="16">
 <tileset firstgid="1" name="t" tilewidth="16" tileheight="16" tilecount="1" columns="1">
  <image source="tile.png" width="16" height="16"/>
  <tile id="0"><objectgroup><object id="1" x="0" y="0" width="16" height="16"/></objectgroup></tile></tileset>
 <layer name="row" width="3" height="1"><data encoding="csv">1,1,1</data></layer>
 <objectgroup name="things"><object id="1" name="mole" x="0" y="-32"><point/><properties>
  <property name="mind" type="class" propertytype="Script"><properties><property name="text" value="
   fn on_spawn() { set_timer(`dig`, 0.1); set_timer(`fill`, 0.3); }
   fn on_timer(name) { set_tile(find(`row`), 1, 0, if name == `dig` { `.` } else { `#` }); }"/>
  </properties></property></properties></object></objectgroup>
</map>"#;
    folder.file("dug.tmx", map.as_bytes())
}

/// Checks that the tiles of the dug map are seen, but for the one in the middle if its cell is empty.
fn check_row(browser: &Browser, viewer: &str, is_dug: bool) {
    browser.settle(viewer);
    let picture = browser.screenshot();
    for middle in [0.5, 2.5] {
        check_tile(browser, viewer, &picture, [middle, -0.5], 0);
    }
    if !is_dug {
        return check_tile(browser, viewer, &picture, [1.5, -0.5], 0);
    }
    check_empty(browser, viewer, &picture, 1.5);
}

/// Checks that there is no picture of a tile around a place of a row.
fn check_empty(browser: &Browser, viewer: &str, picture: &Pixmap, middle: f64) {
    for (right, up) in [(-0.25, -0.25), (0.25, -0.25), (-0.25, -0.75), (0.25, -0.75)] {
        let corner = (middle + right, up);
        let color = at(picture, on_page(browser, viewer, corner));
        let is_of_tile = |wanted: &[u8; 3]| color.iter().zip(wanted).all(|(a, b)| a.abs_diff(*b) < 60);
        assert!(!QUARTERS.iter().any(is_of_tile), "{corner:?}: {color:?}");
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

/// A browser that shows a replay page, with the camera over the map.
fn replay(folder: &Folder, page: &Path, way: &str) -> Browser {
    let profile = folder.0.join("profile");
    let browser = Browser::start(&profile, (1280, 800), &["--enable-unsafe-swiftshader"]);
    browser.open(page, way);
    look(&browser, "replay");
    browser
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
        let browser = replay(&folder, &page, way);
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

/// The picture of a tile is there while its cell has a tile, in whatever order the moments are looked at.
#[test]
fn an_emptied_cell_has_no_picture() {
    if is_skipped("an_emptied_cell_has_no_picture") {
        return;
    }
    let folder = Folder::new("page-dug");
    let map = dug_map_in(&folder);
    run(&[&map, "--steps", "70"], &folder.0);
    let page = folder.0.join("dug.html");
    for way in ["#canvas", "#webgl"] {
        let browser = replay(&folder, &page, way);
        for (frame, is_dug) in [
            (12, true),
            (60, false),
            (10, true),
            (1, false),
            (16, true),
            (30, false),
        ] {
            browser.evaluate(&format!("(replay.seek({frame}), 0)"));
            check_row(&browser, "replay", is_dug);
        }
        assert_eq!(browser.console(), Vec::<serde_json::Value>::new(), "{way}");
    }
}

#[test]
fn an_emptied_cell_of_a_live_world_has_no_picture() {
    if is_skipped("an_emptied_cell_of_a_live_world_has_no_picture") {
        return;
    }
    let folder = Folder::new("live-dug");
    let map = dug_map_in(&folder);
    let server = Server::start(&[&map]);
    let browser = Browser::start(&folder.0.join("profile"), (1280, 800), &[]);
    browser.open_address(&server.url());
    look(&browser, "live");
    check_row(&browser, "live", false);
    for (count, is_dug) in [
        (12, true),
        (-10, false),
        (9, true),
        (1, true),
        (13, false),
        (-12, true),
    ] {
        let to = browser.number("live.timeline.frame") + f64::from(count);
        browser.evaluate(&format!("(live.stepBy({count}), 0)"));
        browser.wait_until(&format!("live.timeline.frame === {to}"));
        check_row(&browser, "live", is_dug);
    }
    // A world that begins anew has all its tiles; a page that comes later knows from its first frame which are gone.
    browser.evaluate("(live.send({ do: 'reset' }), 0)");
    browser.wait_until("live.timeline.frame === 0");
    check_row(&browser, "live", false);
    browser.evaluate("(live.stepBy(12), 0)");
    browser.wait_until("live.timeline.frame === 12");
    browser.open_address(&server.url());
    look(&browser, "live");
    check_row(&browser, "live", true);
    assert_eq!(browser.console(), Vec::<serde_json::Value>::new());
}

/// A row of two full tiles, an empty cell, and a tile of half height with another picture; a script puts half a tile into the
/// second cell and a full one into the third after six steps, and takes both back after eighteen.
fn rebuilt_map_in(folder: &Folder) -> String {
    let [a, b, c, d] = QUARTERS;
    let image = image_of(&[QUARTERS, [d, c, b, a]]);
    std::fs::write(folder.0.join("tiles.png"), image).unwrap();
    let map = r#"<map width="4" height="1" tilewidth="16" tileheight="16">
 <tileset firstgid="1" name="t" tilewidth="16" tileheight="16" tilecount="2" columns="2">
  <image source="tiles.png" width="32" height="16"/>
  <tile id="0"><objectgroup><object id="1" x="0" y="0" width="16" height="16"/></objectgroup></tile>
  <tile id="1"><objectgroup><object id="1" x="0" y="8" width="16" height="8"/></objectgroup></tile></tileset>
 <layer name="row" width="4" height="1"><data encoding="csv">1,1,0,2</data></layer>
 <objectgroup name="things"><object id="1" name="mason" x="0" y="-32"><point/><properties>
  <property name="mind" type="class" propertytype="Script"><properties><property name="text" value="
   fn on_spawn() { set_timer(`build`, 0.1); set_timer(`restore`, 0.3); }
   fn on_timer(name) {
    let row = find(`row`);
    let full = tile(row, 0, 0);
    if name == `build` { set_tile(row, 1, 0, tile(row, 3, 0)); set_tile(row, 2, 0, full); }
    else { set_tile(row, 1, 0, full); set_tile(row, 2, 0, `.`); }
   }"/>
  </properties></property></properties></object></objectgroup>
</map>"#;
    folder.file("rebuilt.tmx", map.as_bytes())
}

/// A cell that got another kind of tile has the picture of that kind, also one that was empty at first.
#[test]
fn a_cell_of_another_kind_has_the_picture_of_that_kind() {
    if is_skipped("a_cell_of_another_kind_has_the_picture_of_that_kind") {
        return;
    }
    let folder = Folder::new("page-rebuilt");
    let map = rebuilt_map_in(&folder);
    run(&[&map, "--steps", "70"], &folder.0);
    let page = folder.0.join("rebuilt.html");
    for way in ["#canvas", "#webgl"] {
        let browser = replay(&folder, &page, way);
        for (frame, is_rebuilt) in [(12, true), (60, false), (10, true), (1, false)] {
            browser.evaluate(&format!("(replay.seek({frame}), 0)"));
            browser.settle("replay");
            let picture = browser.screenshot();
            // The other tile's quarters are those of the first one turned by half a turn.
            let half = 6;
            check_tile(&browser, "replay", &picture, [0.5, -0.5], 0);
            check_tile(
                &browser,
                "replay",
                &picture,
                [1.5, -0.5],
                if is_rebuilt { half } else { 0 },
            );
            check_tile(&browser, "replay", &picture, [3.5, -0.5], half);
            if is_rebuilt {
                check_tile(&browser, "replay", &picture, [2.5, -0.5], 0);
            } else {
                check_empty(&browser, "replay", &picture, 2.5);
            }
        }
        assert_eq!(browser.console(), Vec::<serde_json::Value>::new(), "{way}");
    }
}
