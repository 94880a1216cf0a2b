//! What a scene says becomes entities; and what is wrong with the newer parts of the format.

use tombolo::entity::{Dense, Value};
use tombolo::physics::Vec2;
use tombolo::{Scene, Settings, World, component};

use crate::{Health, YARD, get, vec2, yard};

#[test]
fn the_yard_is_what_it_says() {
    let world = yard();
    assert_eq!(world.entity_count(), 1 + 4 + 1 + 3 + 1 + 1 + 1);
    assert_eq!(vec2(get(&world, "crate[3]", "place.scale")), Vec2::splat(2.0));
    assert_eq!(get(&world, "floor", "edge.shape"), Value::Choice(5));
    assert_eq!(get(&world, "floor", "edge.hit_events"), Value::Bool(true));
    let floor = world.find("floor").and_then(|entity| world.body(entity)).unwrap();
    assert_eq!(floor.shapes().count(), 1 + 3, "a box and three segments");
    let lamp = world.find("cart/lamp").unwrap();
    let data = world
        .manager::<Dense<component::RenderData>>(component::RENDER_DATA)
        .unwrap();
    let name = tombolo::entity::NameHash::of("Fog");
    let fog = data.value(lamp, name.into()).unwrap();
    assert_eq!((fog.value("height"), fog.value("depth")), (Some(3.0), None));
    assert_eq!(get(&world, "cart/spare", "Vignette.values.0"), Value::F32(0.2));
    let tagged = |name: &str, tag: &str| world.entities().find(world.find(name).unwrap(), tag).is_some();
    assert!(tagged("safe", "heavy") && tagged("safe", "crate") && !tagged("crate[0]", "heavy"));
    // The four crates of the row are of one prototype; so are the two lamps.
    let prototype = |name: &str| world.entities().index().prototype(world.find(name).unwrap());
    assert_eq!(prototype("crate[0]"), prototype("crate[3]"));
    assert_eq!(prototype("cart/lamp"), prototype("cart/spare"));
    assert_ne!(prototype("crate[0]"), prototype("safe"));
    let definition = world.library().get("safe").unwrap();
    assert_eq!(definition.inherits.as_deref(), Some("crate"));
}

#[test]
fn every_mistake_gives_its_line() {
    for (right, wrong, message) in [
        (
            r#"Inherits("crate")"#,
            r#"Inherits("crat")"#,
            r#"yard.ron:17: entity "safe", component "base": no entity "crat" stands before this one; did you mean "crate"?"#,
        ),
        (
            r#""hull": Collider(material: "steel")"#,
            r#""hull": Body()"#,
            r#"yard.ron:18: entity "safe", component "hull": is inherited as Collider; give that"#,
        ),
        (
            r#""heavy": Tag(),"#,
            r#""more": Inherits("floor"),"#,
            r#"yard.ron:19: entity "safe", component "more": must stand first in its entity"#,
        ),
        (
            r#""heavy": Tag(),"#,
            r#""heavy": Tag(weight: 3),"#,
            r#"yard.ron:19: entity "safe", component "heavy", property "weight": unknown; none is defined"#,
        ),
        (
            r#"Child(entity: "lamp", at: (1, 1), angle: 0.5)"#,
            r#"Child(entity: "camp")"#,
            r#"yard.ron:29: entity "cart", component "lamp": no entity "camp" stands before this one; did you mean "lamp"?"#,
        ),
        (
            r#"Child(entity: "lamp", at: (1, 1), angle: 0.5)"#,
            "Child(at: (1, 1))",
            r#"yard.ron:29: entity "cart", component "lamp", property "entity": missing; say which entity comes along"#,
        ),
        (
            r#"layer: 3"#,
            r#"layer: 3.5"#,
            r#"yard.ron:22: entity "lamp", component "look": expected a comma"#,
        ),
        (
            "colour: (1, 0.5, 0, 1)",
            "colour: (1, 1.5, 0, 1)",
            r#"yard.ron:22: entity "lamp", component "look", property "colour": 1.5 is out of range; give 0 to 1"#,
        ),
        (
            "interval: 0.5",
            "interval: 0",
            r#"yard.ron:38: entity "chute", component "spout", property "interval": 0 is out of range; give 0.001 to 1000000 s"#,
        ),
        (
            "Trigger(shape: Box(width: 2, height: 4))",
            "Trigger()",
            r#"yard.ron:37: entity "gate", component "eye", property "shape": missing; give one of Circle, Capsule, Segment, Polygon, Box, Chain, Outline, HalfSpace, Heightfield"#,
        ),
        (
            "Chain(points: [(30, 6), (29, 0), (-29, 0), (-30, 6)])",
            "Chain(points: [(30, 6)])",
            r#"yard.ron:8: entity "floor", component "edge", property "shape": 1 points: a chain needs 2 points or more, a closed one 3"#,
        ),
        (
            r#""Fog": RenderData"#,
            r#""Fog.a": RenderData"#,
            r#"yard.ron:23: entity "lamp", component "Fog.a": the name `Fog.a` has a dot; dots part component, property and part in a path"#,
        ),
        (
            r#"Spawner(resource: "crate""#,
            r#"Health(resource: "crate""#,
            r#"yard.ron:38: entity "chute", component "spout": unknown word "Health"; known: Transform, Body, Collider, Joint, Trigger, Sprite, RenderData, Tag, Script, Spawner, Agent, Zone and 6 more"#,
        ),
    ] {
        assert!(
            YARD.contains(right),
            "the case replaces {right:?}, which is not there"
        );
        let text = YARD.replacen(right, wrong, 1);
        let error = Scene::parse("yard.ron", &text).expect_err(wrong).to_string();
        assert_eq!(error, message, "\nafter {right:?} became {wrong:?}");
    }
}

#[test]
fn a_games_own_kind_is_read_by_its_properties() {
    let mut world = World::new(&Settings::default()).unwrap();
    world.register_manager("Health", Dense::<Health>::new()).unwrap();
    let kinds = world.kinds();
    let text = YARD.replace(r#""heavy": Tag(),"#, r#""life": Health(points: 60),"#);
    assert!(Scene::parse_with("yard.ron", &text, &kinds).is_ok());
    for (wrong, message) in [
        (
            "Health(points: 101)",
            r#"yard.ron:19: entity "safe", component "life", property "points": 101 is out of range; give 0 to 100"#,
        ),
        (
            "Health(pionts: 1)",
            r#"yard.ron:19: entity "safe", component "life", property "pionts": unknown; did you mean "points"?"#,
        ),
        (
            "Health(is_hurt: true)",
            r#"yard.ron:19: entity "safe", component "life", property "is_hurt": can be read only"#,
        ),
        (
            r#"Health(mood: "Sad")"#,
            r#"yard.ron:19: entity "safe", component "life", property "mood": `Sad` is not one of Calm, Cross"#,
        ),
    ] {
        let wrong = text.replace("Health(points: 60)", wrong);
        let error = Scene::parse_with("yard.ron", &wrong, &kinds)
            .unwrap_err()
            .to_string();
        assert_eq!(error, message);
    }
}

#[test]
fn a_scene_is_added_to_a_world_whole_or_not_at_all() {
    let scene = Scene::parse("yard.ron", YARD).unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    let counters = (world.entity_count(), world.physics().counters().bodies);
    let error = world.add_scene(&scene).unwrap_err().to_string();
    assert_eq!(
        error,
        r#"yard.ron:41: entity "floor": another entity of the world has that name"#
    );
    assert_eq!(
        (world.entity_count(), world.physics().counters().bodies),
        counters
    );
    let more = YARD.replace("name: \"", "name: \"east ");
    let more = more.replace(r#"Entity("floor")"#, r#"Entity("east floor")"#);
    let more = more.replace(r#""sign": {"#, r#""east sign": {"#);
    let more = more.replace(r#"entity: "sign""#, r#"entity: "east sign""#);
    world
        .add_scene(&Scene::parse("east.ron", &more).unwrap())
        .unwrap();
    assert_eq!(world.entity_count(), 2 * counters.0);
    world.physics().validate();
}

#[test]
fn previous_stays_in_its_row() {
    let scene = Scene::parse(
        "chains.ron",
        r#"(
            entities: {"link": {
                "body": Body(kind: Dynamic),
                "bar": Collider(shape: Box(width: 1, height: 0.2)),
                "hinge": Joint(to: Previous, pivot: (-0.5, 0)),
            }},
            place: [Grid(name: "chain", entity: "link", at: (0, 5), columns: 3, rows: 2, column_step: (1, 0), row_step: (0, 2))],
        )"#,
    );
    let world = World::from_scene(&scene.unwrap()).unwrap();
    assert_eq!(world.physics().joints().len(), 4);
    assert!(world.physics().joints().all(|joint| {
        let [a, b] = joint.bodies().map(|body| body.position().y);
        a == b
    }));
}
