//! A map, the scene file that it becomes, and the worlds of both.

use crate::support::{SCENE, TILESET, files, scene_of};
use tombolo::{Scene, World};

const MAP: &str = r#"<map width="8" height="4" tilewidth="16" tileheight="16">
 <properties><property name="scene" value="scene.ron"/></properties>
 <tileset firstgid="1" source="ground.tsx"/>
 <layer name="ground &quot;1&quot;" width="8" height="4"><data encoding="csv">
0,0,0,0,0,0,0,0,
0,0,0,0,0,0,0,0,
2,0,0,0,0,3,3,0,
1,1,5,5,1,1,1,1</data></layer>
 <objectgroup name="things">
  <object id="1" class="crate" x="20" y="2" width="16" height="10" rotation="20"/>
  <object id="2" class="heavy crate" x="70" y="0" width="12" height="12"/>
  <object id="3" class="crate" x="100" y="0"><polygon points="0,0 20,0 20,16 10,4 0,16"/></object>
  <object id="4" class="lamp" x="64" y="8"><point/></object>
  <object id="5" x="0" y="30"><polyline points="0,0 10,12 30,14"/></object>
 </objectgroup>
</map>"#;

/// The hash of a world after some steps, and of the same world at once.
fn hashes(scene: &Scene) -> [u64; 2] {
    let mut world = World::from_scene(scene).unwrap();
    let first = world.state_hash();
    (0..120).for_each(|_| world.step());
    assert!(world.faults().is_empty(), "{:?}", world.faults());
    [first, world.state_hash()]
}

#[test]
fn the_world_of_a_map_is_the_world_of_its_scene_file() {
    let map = scene_of(&[("a.tmx", MAP), ("ground.tsx", TILESET), ("scene.ron", SCENE)]);
    let folder = std::env::temp_dir().join(format!("tombolo-maps-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("a.ron");
    std::fs::write(&file, map.text()).unwrap();
    let hashes_of_map = hashes(&map.scene().unwrap());
    let hashes_of_file = hashes(&Scene::load(&file).unwrap());
    assert_eq!(hashes_of_map, hashes_of_file);
    assert_ne!(hashes_of_map[0], hashes_of_map[1], "something moves");
    // Read from the disk it is the same again.
    for (name, text) in files(&[("a.tmx", MAP), ("ground.tsx", TILESET), ("scene.ron", SCENE)]) {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let from_disk =
        tombolo_maps::read(&folder.join("a.tmx"), &Default::default(), &tombolo_maps::Disk).unwrap();
    assert_eq!(from_disk.text(), map.text());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_scene_file_is_one_that_people_can_read() {
    let map = r#"<map width="3" height="1" tilewidth="16" tileheight="16">
 <tileset firstgid="1" name="t" tilewidth="16" tileheight="16"/>
 <layer name="floor" width="3" height="1"><properties><property name="solid" type="bool" value="true"/></properties>
  <data encoding="csv">1,1,1</data></layer>
 <objectgroup name="things"><object id="1" name="door" x="0" y="0" width="8" height="16"/>
  <object id="2" name="start" class="spawn" x="8" y="0"><point/></object></objectgroup>
</map>"#;
    let expected = r####"// Made from a.tmx.
(
    entities: {
        "tiles": {"body": Body(), "tiles": Tiles()},
        "solid": {"body": Body(), "drawn": Collider(shape: Box(width: 1, height: 1))},
        "spawn": {"spawn": Tag()},
    },
    place: [
        One(name: "floor", entity: "tiles", at: (0, 0), overrides: {"tiles": (cell_size: 1, origin: (0, -1), legend: ["# Full"], rows: [
            "###",
        ])}),
        One(name: "door", entity: "solid", at: (0.25, -0.5), overrides: {"drawn": (shape: Box(width: 0.5, height: 1))}),
        One(name: "start", entity: "spawn", at: (0.5, 0)),
    ],
)
"####;
    assert_eq!(scene_of(&[("maps/a.tmx", map)]).text(), expected);
}

/// PF-2 and PF-3 on tiles: what slides over a floor of tiles does not notice them.
#[test]
fn a_box_and_a_ball_slide_over_tiles_as_over_one_floor() {
    let scene = r#"(
        materials: {"slick": (friction: 0)},
        entities: {"slider": {"body": Body(kind: Dynamic, linear_velocity: (8, 0)),
            "drawn": Collider(shape: Box(width: 1, height: 1), material: "slick")}},
    )"#;
    // Two rows of tiles that end at different columns, so that the joined pieces meet in T-joints.
    let width = 60;
    let rows: Vec<String> = (0..3)
        .map(|row| {
            let cells = (0..width).map(|column| match row {
                0 => 0,
                1 => 1,
                _ => u32::from(column % 7 < 4),
            });
            cells.map(|cell| format!("{cell},")).collect()
        })
        .collect();
    let map = format!(
        r#"<map width="{width}" height="3" tilewidth="16" tileheight="16">
        <properties><property name="scene" value="scene.ron"/></properties>
        <tileset firstgid="1" source="ground.tsx"/>
        <layer name="floor" width="{width}" height="3"><data encoding="csv">{}</data></layer>
        <objectgroup name="o"><object id="1" name="box" class="slider" x="16" y="3" width="12" height="12"/>
        <object id="2" name="ball" class="slider" x="64" y="3" width="12" height="12"><ellipse/></object></objectgroup></map>"#,
        rows.concat().trim_end_matches(',')
    );
    let mut world =
        crate::support::world_of(&[("a.tmx", &map), ("ground.tsx", TILESET), ("scene.ron", scene)]);
    for _ in 0..60 {
        world.step();
    }
    let before: Vec<_> = ["box", "ball"]
        .map(|name| crate::support::place_of(&world, name))
        .into();
    for _ in 0..240 {
        world.step();
    }
    for (name, (x, y, _)) in ["box", "ball"].into_iter().zip(before) {
        let (x_now, y_now, _) = crate::support::place_of(&world, name);
        assert!((x_now - x - 32.0).abs() < 0.032, "{name} went {}", x_now - x);
        assert!((y_now - y).abs() < 0.001, "{name} rose by {}", y_now - y);
    }
}
