//! Scene files: one mistake each and the line that a person gets to read; and what rows and jitter give.

use tombolo::{Scene, World};

/// A scene that is right; each case replaces one part of it.
const GOOD: &str = r#"(
    settings: (
        gravity: (0, -10),
        substeps: 4,
    ),
    materials: {
        "wood": (
            density: 0.7,
            friction: 0.6,
        ),
    },
    entities: {
        "ground": {
            "body": Body(kind: Static),
            "top": Collider(shape: Box(width: 40, height: 2)),
        },
        "crate": {
            "body": Body(
                kind: Dynamic,
                linear_damping: 0.1,
            ),
            "hull": Collider(
                shape: Box(width: 1, height: 1),
                material: "wood",
            ),
        },
        "pin": {
            "hinge": Joint(
                from: Entity("a"),
                to: Entity("b"),
                kind: Revolute(limit: (lower: -1, upper: 1)),
            ),
        },
    },
    place: [
        One(name: "ground", entity: "ground", at: (0, -1)),
        One(name: "a", entity: "crate", at: (0, 1),
            overrides: {
                "body": (linear_damping: 0.2),
            },
        ),
        One(name: "b", entity: "crate", at: (2, 1)),
        One(name: "tie", entity: "pin", at: (1, 1)),
        Row(name: "row", entity: "crate", at: (9, 1),
            count: 3, step: (2, 0)),
        Grid(name: "grid", entity: "crate", at: (20, 1),
            columns: 3, rows: 2, column_step: (2, 0), row_step: (0, 2)),
    ],
)
"#;

/// What is replaced, what by, and the error that must come out.
const CASES: &[(&str, &str, &str)] = &[
    (
        "substeps: 4",
        "substeps: 0",
        r#"scene.ron:4: settings, property "substeps": 0 is out of range; give 1 to 64"#,
    ),
    (
        "substeps: 4",
        "substeps: 4.5",
        r#"scene.ron:4: settings, property "substeps": 4.5 is not a whole number"#,
    ),
    (
        "substeps: 4",
        "substep: 4",
        r#"scene.ron:4: settings, property "substep": unknown; did you mean "substeps"?"#,
    ),
    (
        "gravity: (0, -10)",
        "gravity: (0, NaN)",
        r#"scene.ron:3: settings, property "gravity": NaN is not a finite number"#,
    ),
    (
        "gravity: (0, -10)",
        "gravity: (0, -10, 3)",
        r#"scene.ron:3: settings, property "gravity": expected closing `)`"#,
    ),
    (
        "gravity: (0, -10)",
        r#"gravity: "down""#,
        r#"scene.ron:3: settings, property "gravity": expected opening `(`"#,
    ),
    (
        "density: 0.7",
        "density: -0.7",
        r#"scene.ron:8: material "wood", property "density": -0.7 is out of range; give 0, or 0.000001 or more kg/m²"#,
    ),
    (
        "density: 0.7",
        "density: heavy",
        r#"scene.ron:8: material "wood", property "density": expected a number"#,
    ),
    (
        "density: 0.7",
        "dens: 1",
        r#"scene.ron:8: material "wood", property "dens": unknown; did you mean "density"?"#,
    ),
    (
        "friction: 0.6",
        "friction: inf",
        r#"scene.ron:9: material "wood", property "friction": inf is not a finite number"#,
    ),
    (
        "friction: 0.6,",
        "friction: 0.6, friction: 0.7,",
        r#"scene.ron:9: material "wood", property "friction": given twice; keep one"#,
    ),
    (
        "kind: Static",
        "kind: Stone",
        r#"scene.ron:14: entity "ground", component "body", property "kind": unknown word "Stone"; known: Static, Kinematic, Dynamic"#,
    ),
    (
        "Box(width: 40, height: 2)",
        "Box(width: 0, height: 2)",
        r#"scene.ron:15: entity "ground", component "top", property "shape.width": 0 is too small; give more than 0"#,
    ),
    (
        "Box(width: 40, height: 2)",
        "Box(width: 40)",
        r#"scene.ron:15: entity "ground", component "top", property "shape": height is 0 m: it must lie between 0.001 m and 200000 m in absolute value"#,
    ),
    (
        "Box(width: 40, height: 2)",
        "Boxx(width: 40)",
        r#"scene.ron:15: entity "ground", component "top", property "shape": unknown word "Boxx"; did you mean "Box"?"#,
    ),
    (
        "shape: Box(width: 1, height: 1),\n",
        "",
        r#"scene.ron:22: entity "crate", component "hull", property "shape": missing; give one of Circle, Capsule, Segment, Polygon, Box, Chain, Outline, HalfSpace, Heightfield"#,
    ),
    (
        "shape: Box(width: 1, height: 1)",
        "shape: Polygon(points: [(0,0),(1,1),(2,2)])",
        r#"scene.ron:23: entity "crate", component "hull", property "shape": 3 points make only 2 corners: a polygon needs 3 that are more than 0.0005 m apart and not on one line"#,
    ),
    (
        "shape: Box(width: 1, height: 1)",
        "shape: Circle(radius: -2)",
        r#"scene.ron:23: entity "crate", component "hull", property "shape.radius": -2 is too small; give more than 0"#,
    ),
    (
        "shape: Box(width: 1, height: 1)",
        "shape: Segment(from: (1,1), to: (1,1))",
        r#"scene.ron:23: entity "crate", component "hull", property "shape": length is 0 m: it must lie between 0.0005 m and 100000 m in absolute value"#,
    ),
    (
        r#"material: "wood""#,
        r#"material: "wod""#,
        r#"scene.ron:24: entity "crate", component "hull", property "material": unknown material "wod"; did you mean "wood"?"#,
    ),
    (
        r#"material: "wood""#,
        r#"colour: "red""#,
        r#"scene.ron:24: entity "crate", component "hull", property "colour": unknown; known: shape, position, angle, material, category, mask, group, sensor, contact_events, hit_events, force_threshold, sees_sensors and 1 more"#,
    ),
    (
        r#""hull": Collider"#,
        r#""body": Collider"#,
        r#"scene.ron:22: entity "crate", component "body": the entity has a component of that name already"#,
    ),
    (
        r#""hull": Collider"#,
        r#""hull": Colider"#,
        r#"scene.ron:22: entity "crate", component "hull": unknown word "Colider"; did you mean "Collider"?"#,
    ),
    (
        "            \"body\": Body(kind: Static),\n",
        "",
        r#"scene.ron:13: entity "ground": has the Collider "top" but no Body; add a component of kind Body"#,
    ),
    (
        r#""crate": {"#,
        r#""ground": {"#,
        r#"scene.ron:17: entity "ground": defined twice; keep one"#,
    ),
    (
        r#"from: Entity("a")"#,
        r#"from: Entity("aa")"#,
        r#"scene.ron:29: entity "tie", component "hinge", property "from": no entity "aa" is placed; did you mean "a"?"#,
    ),
    (
        r#"to: Entity("b")"#,
        r#"to: Entity("a")"#,
        r#"scene.ron:43: entity "tie", component "hinge", property "to": the joint ties a body to itself"#,
    ),
    (
        r#"to: Entity("b")"#,
        r#"to: Entity("tie")"#,
        r#"scene.ron:30: entity "tie", component "hinge", property "to": the entity "tie" has no Body to join"#,
    ),
    (
        "to: Entity(\"b\"),\n",
        "",
        r#"scene.ron:42: entity "tie", component "hinge", property "to": missing; give Entity("name") or Previous"#,
    ),
    (
        "lower: -1, upper: 1",
        "lower: 1, upper: -1",
        r#"scene.ron:31: entity "pin", component "hinge", property "kind.limit.upper": -1 is below the lower limit 1"#,
    ),
    (
        "lower: -1, upper: 1",
        "lower: -9, upper: 1",
        r#"scene.ron:31: entity "pin", component "hinge", property "kind.limit.upper": 1 is out of range; give an angle at most 1.98 π above the lower one, where turns are not counted"#,
    ),
    (
        r#"entity: "ground", at"#,
        r#"entity: "grond", at"#,
        r#"scene.ron:36: entity "ground", property "entity": unknown entity "grond"; did you mean "ground"?"#,
    ),
    (
        r#"One(name: "ground", "#,
        "One(",
        r#"scene.ron:36: placement 1, property "name": missing; every placement needs a name of its own"#,
    ),
    (
        r#"One(name: "b""#,
        r#"One(name: "a""#,
        r#"scene.ron:42: entity "a": the placement of line 37 has that name; give another"#,
    ),
    (
        r#"One(name: "b""#,
        r#"Two(name: "a""#,
        r#"scene.ron:42: placement 3: unknown word "Two"; known: One, Row, Grid"#,
    ),
    (
        "(linear_damping: 0.2)",
        r#"(linear_damping: "much")"#,
        r#"scene.ron:39: entity "a", component "body", property "linear_damping": expected a number"#,
    ),
    (
        "(linear_damping: 0.2)",
        "(lineardamping: 1)",
        r#"scene.ron:39: entity "a", component "body", property "lineardamping": unknown; did you mean "linear_damping"?"#,
    ),
    (
        r#""body": (linear_damping"#,
        r#""boby": (linear_damping"#,
        r#"scene.ron:39: entity "a", component "boby": the entity has no such component; did you mean "body"?"#,
    ),
    (
        "count: 3",
        "count: 0",
        r#"scene.ron:45: entity "row", property "count": 0 is out of range; give 1 to 100000"#,
    ),
    (
        "count: 3",
        "count: 3000000000",
        r#"scene.ron:45: entity "row", property "count": 3000000000 is out of range; give 1 to 100000"#,
    ),
    (
        "columns: 3, rows: 2",
        "columns: 100000, rows: 100000",
        r#"scene.ron:46: entity "grid": the scene places 10000000007 instances up to here; the limit is 1000000"#,
    ),
    (
        "count: 3",
        "count: -1",
        r#"scene.ron:45: entity "row", property "count": -1 is out of range; give 1 to 100000"#,
    ),
    (
        "count: 3, step",
        "count: 3 step",
        r#"scene.ron:45: entity "row": expected a comma"#,
    ),
    (
        "place: [",
        "place: [[[[",
        r#"scene.ron:35: scene, property "place": expected a word without quotes"#,
    ),
    (
        "    ],\n)",
        "    ],\n",
        "scene.ron:48: scene: the text ends too early; a bracket is not closed",
    ),
    (
        "    ],\n)",
        "    ],\n) hello",
        "scene.ron:49: scene: something follows the closing bracket; remove it",
    ),
    (
        "at: (20, 1)",
        "at: (20, 1e9)",
        r#"scene.ron:46: entity "grid", property "at": 1000000000 is too far out; stay within 100000 meters"#,
    ),
    (
        "at: (20, 1)",
        "at: 20",
        r#"scene.ron:46: entity "grid", property "at": expected opening `(`"#,
    ),
    (
        "materials",
        "materialz",
        r#"scene.ron:6: scene, property "materialz": unknown; did you mean "materials"?"#,
    ),
    (
        r#"name: "row""#,
        r#"name: """#,
        r#"scene.ron:44: placement 5, property "name": a name cannot be empty"#,
    ),
    (
        r#"name: "row""#,
        "name: 7",
        r#"scene.ron:44: placement 5, property "name": expected a text in quotes"#,
    ),
    (
        "at: (0, -1)",
        "at: (0, -1",
        r#"scene.ron:37: entity "ground", property "One": unknown; known: name, entity, at, angle, overrides"#,
    ),
    (
        "kind: Dynamic",
        r#"kind: "Dynamic""#,
        r#"scene.ron:19: entity "crate", component "body", property "kind": expected a word without quotes"#,
    ),
    (
        "kind: Dynamic",
        "allow_sleep: 1",
        r#"scene.ron:19: entity "crate", component "body", property "allow_sleep": expected true or false"#,
    ),
    (
        "(\n    settings",
        "(\n/* never closed \n settings",
        "scene.ron:2: scene: unclosed block comment",
    ),
    (
        "    settings: (\n        gravity: (0, -10),\n        substeps: 4,\n    ),\n    materials: {\n        \"wood\": (\n            density: 0.7,\n            friction: 0.6,\n        ),\n    },",
        "    entities: {}, materials: {}, ",
        r#"scene.ron:2: scene, property "materials": must stand before "entities""#,
    ),
    (
        r#""wood": ("#,
        r#""wood": (density: 3), "wood": ("#,
        r#"scene.ron:7: material "wood": defined twice; keep one"#,
    ),
    (
        r#"from: Entity("a")"#,
        "from: Entity(a)",
        r#"scene.ron:29: entity "pin", component "hinge", property "from": expected a text in quotes"#,
    ),
    (
        r#"from: Entity("a"),"#,
        "",
        r#"scene.ron:43: entity "tie", component "hinge", property "from": missing; the entity has no Body of its own to join"#,
    ),
    (
        r#""top": Collider("#,
        r#""top": Body("#,
        r#"scene.ron:15: entity "ground", component "top", property "shape": unknown; known: kind, linear_velocity, angular_velocity, linear_damping, angular_damping, gravity_scale, lasting_force, lasting_torque, speed_max, spin_max, own_mass, own_inertia and 14 more"#,
    ),
    (
        r#"name: "tie", entity: "pin""#,
        r#"entity: "pin", overrides: {"body": ()}, name: "tie""#,
        r#"scene.ron:43: placement 4, component "body": the entity has no such component; known: hinge"#,
    ),
    (
        "overrides: {\n",
        "overrides: {\"hull\": (material: \"steel\"),\n",
        r#"scene.ron:38: entity "a", component "hull", property "material": unknown material "steel"; known: wood"#,
    ),
];

#[test]
fn the_scene_without_a_mistake_is_read() {
    let scene = Scene::parse("scene.ron", GOOD).unwrap();
    assert_eq!(scene.instance_count(), 4 + 3 + 6);
    let names: Vec<&str> = scene.instances().map(|(name, _)| name).collect();
    assert_eq!(names[4..8], ["row[0]", "row[1]", "row[2]", "grid[0,0]"]);
}

#[test]
fn every_mistake_gives_its_line() {
    for &(right, wrong, message) in CASES {
        assert!(
            GOOD.contains(right),
            "the case replaces {right:?}, which is not there"
        );
        let text = GOOD.replacen(right, wrong, 1);
        let error = Scene::parse("scene.ron", &text).expect_err(wrong).to_string();
        assert_eq!(error, message, "\nafter {right:?} became {wrong:?}");
        assert!(!error.contains('\n'), "an error is one line");
    }
}

#[test]
fn a_file_that_cannot_be_read_gives_one_line() {
    let missing = Scene::load("no/such/scene.ron".as_ref()).unwrap_err().to_string();
    assert!(
        missing.starts_with("no/such/scene.ron: scene: cannot be read: "),
        "{missing}"
    );

    let path = std::env::temp_dir().join(format!("tombolo-not-utf8-{}.ron", std::process::id()));
    std::fs::write(&path, b"(\n  settings: \xff").unwrap();
    let error = Scene::load(&path).unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(error, format!("{}:2: scene: is not UTF-8 text", path.display()));
}

#[test]
fn the_first_of_a_row_has_no_previous_one() {
    let text = r#"(
        entities: {
            "link": {
                "body": Body(kind: Dynamic),
                "hull": Collider(shape: Circle(radius: 0.2)),
                "hinge": Joint(to: Previous, pivot: (-0.5, 0)),
            },
        },
        place: [Row(name: "chain", entity: "link", count: 5, step: (1, 0))],
    )"#;
    let scene = Scene::parse("chain.ron", text).unwrap();
    let world = World::from_scene(&scene).unwrap();
    assert_eq!(world.physics().counters().joints, 4);
}

#[test]
fn jitter_depends_on_the_name_and_the_place_alone() {
    let text = |other: &str, name: &str| {
        format!(
            r#"(
                entities: {{"stone": {{"body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 0.2))}}}},
                place: [
                    {other}
                    Row(name: "{name}", entity: "stone", count: 9, step: (1, 0), jitter: (0.2, 0.1), angle_jitter: 1),
                ],
            )"#
        )
    };
    let poses = |text: &str| -> Vec<_> {
        let scene = Scene::parse("stones.ron", text).unwrap();
        scene
            .instances()
            .filter(|(name, _)| name.contains('['))
            .map(|(_, pose)| pose)
            .collect()
    };
    let alone = poses(&text("", "pile"));
    let another = r#"One(name: "first", entity: "stone", at: (0, 9)),"#;
    assert_eq!(alone, poses(&text(another, "pile")));
    assert_ne!(alone, poses(&text("", "heap")));
    for (index, pose) in alone.iter().enumerate() {
        assert!((pose.position.x - index as f32).abs() <= 0.2, "{pose:?}");
        assert!(pose.position.y.abs() <= 0.1, "{pose:?}");
        assert!(pose.rotation.angle().abs() <= 1.0, "{pose:?}");
    }
}

#[test]
fn the_mistake_that_the_readme_shows_is_answered_as_it_says() {
    let readme = include_str!("../../../../README.md");
    let between = |head: &str, tail: &str| {
        let (_, rest) = readme.split_once(head).expect("the readme has an example");
        rest.split_once(tail).expect("the example ends").0
    };
    let wrong = between("r#\"", "\"#").replace("radius: 0.5)", "radius: 0.5), density: 2");
    let error = Scene::parse("hello.ron", &wrong).expect_err("a density is that of a material");
    assert_eq!(error.to_string(), between("```text\n", "\n```"));
}
