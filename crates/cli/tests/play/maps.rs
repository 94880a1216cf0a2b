//! Maps that are played: each file that they are made of is followed, and a folder lists them.

use crate::client::Page;
use crate::server::Server;
use crate::support::{DROP, Folder};
use serde_json::json;

/// A map is made of several files: a change of each begins it again, also of one that it named only later.
#[test]
fn a_change_of_any_file_of_a_map_begins_it_again() {
    let folder = Folder::new("play-map-files");
    let tileset = |name: &str| {
        format!(
            r#"<tileset name="{name}" tilewidth="16" tileheight="16" tilecount="1" columns="1">
            <image source="tile.png" width="16" height="16"/><tile id="0"/></tileset>"#
        )
    };
    let map = |tileset: &str| {
        format!(
            r#"<map width="1" height="1" tilewidth="16" tileheight="16"><tileset firstgid="1" source="{tileset}"/>
            <layer name="floor" width="1" height="1"><properties><property name="solid" type="bool" value="true"/>
            </properties><data encoding="csv">1</data></layer></map>"#
        )
    };
    let image = |side: u32| tiny_skia::Pixmap::new(side, side).unwrap().encode_png().unwrap();
    folder.file("one.tsx", tileset("t").as_bytes());
    folder.file("tile.png", &image(16));
    let path = folder.file("level.tmx", map("one.tsx").as_bytes());
    let server = Server::start(&[&path]);
    let mut page = Page::of(&server);
    page.until("start");
    let mut change = |name: &str, bytes: &[u8]| {
        page.steps(3);
        folder.file(name, bytes);
        page.until("start");
        assert_eq!(page.hash().0, 0, "{name}: it begins again");
    };
    change("one.tsx", tileset("u").as_bytes());
    change("tile.png", &image(32));
    folder.file("two.tsx", tileset("t").as_bytes());
    change("level.tmx", map("two.tsx").as_bytes());
    change("two.tsx", tileset("u").as_bytes());
    // The former tileset is none of its files any more.
    page.steps(3);
    folder.file("one.tsx", b"no tileset");
    std::thread::sleep(std::time::Duration::from_millis(1200));
    assert_eq!(page.hash().0, 3);
    folder.file("two.tsx", b"no tileset");
    let error = page.until("error")["text"].as_str().unwrap().to_string();
    assert!(error.contains("two.tsx"), "{error}");
    assert_eq!(page.hash().0, 3, "the old world goes on");
    folder.file("two.tsx", tileset("t").as_bytes());
    page.until("start");
}

/// So it is with a level of LDtk in a file of its own, in a folder of scenes and maps.
#[test]
fn a_folder_of_maps_is_a_gallery_whose_maps_follow_their_files() {
    let folder = Folder::new("play-maps");
    folder.file("drop.ron", DROP.as_bytes());
    let level = |width: u32| {
        format!(
            r#"{{"identifier": "One", "worldX": 0, "worldY": 0, "pxWid": {width}, "pxHei": 16, "layerInstances": [
            {{"__identifier": "Ground", "__type": "IntGrid", "__cWid": 1, "__cHei": 1, "__gridSize": 16,
            "__pxTotalOffsetX": 0, "__pxTotalOffsetY": 0, "layerDefUid": 1, "intGridCsv": [1], "entityInstances": []}}]}}"#
        )
    };
    let game = r#"{"defaultGridSize": 16, "worldLayout": "Free", "defs": {"layers": [
        {"uid": 1, "identifier": "Ground", "intGridValues": [{"value": 1, "identifier": "walls"}]}]}, "worlds": [], "levels": [
        {"identifier": "One", "worldX": 0, "worldY": 0, "pxWid": 16, "pxHei": 16, "layerInstances": null,
        "externalRelPath": "One.ldtkl"}]}"#;
    folder.file("game.ldtk", game.as_bytes());
    folder.file("One.ldtkl", level(16).as_bytes());
    folder.file("no.tsx", b"");
    let server = Server::start(&[&folder.0.display().to_string()]);
    let mut page = Page::of(&server);
    assert_eq!(page.until("gallery")["scenes"], json!(["drop.ron", "game.ldtk"]));
    page.send(json!({"do": "open", "scene": "game.ldtk"}));
    page.until("start");
    page.steps(2);
    folder.file("One.ldtkl", level(32).as_bytes());
    page.until("start");
    assert_eq!(page.hash().0, 0);
}
