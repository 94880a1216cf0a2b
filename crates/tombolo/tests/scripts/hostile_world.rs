//! Scripts whose calls of the world are dear: what they look at and what they change is charged.

use tombolo::{Scene, World};

use super::scene_text;

/// A world with a chain and an outline of nine hundred points, a grid of six thousand cells and a long text.
fn world_of_many(script: &str) -> World {
    let points: Vec<String> = (0..900).map(|i| format!("({i}, {})", i % 2)).collect();
    let points = points.join(", ");
    let (rows, lore) = (vec!["\"100#\""; 60].join(", "), " ".repeat(15_000));
    let entities = format!(
        r##"    entities: {{
        "rail": {{"body": Body(), "wire": Collider(shape: Chain(points: [{points}]))}},
        "comb": {{"body": Body(), "teeth": Collider(shape: Outline(points: [(0, 9), {points}, (900, 9)]))}},
        "ground": {{"body": Body(), "tiles": Tiles(legend: ["# Full", "/ SlopeUp"], rows: [{rows}])}},
        "sage": {{"lore": Script(text: "fn f() {{ }}{lore}")}},"##
    );
    let place = r#"    place: [
        One(name: "LONG", entity: "sage"),
        One(name: "rail", entity: "rail", at: (0, -300)),
        One(name: "comb", entity: "comb", at: (0, -330)),
        One(name: "ground", entity: "ground", at: (0, -400)),
        One(name: "sage", entity: "sage"),"#;
    let text = scene_text(script).replacen("    entities: {", &entities, 1);
    let place = place.replacen("LONG", &"x".repeat(16_000), 1);
    let text = text.replacen("    place: [", &place, 1);
    World::from_scene(&Scene::parse("test.ron", &text).expect("the script is one"))
        .expect("the scene is sound")
}

/// Queries that find nothing, properties that are long, names of timers: all were charged as if they were short.
#[test]
fn a_call_of_the_world_costs_what_it_looks_at() {
    let used_up = "made more than 100000 operations in one call";
    let mut cheap = Vec::new();
    for body in [
        "for i in 0..200 { find(`rail`).get(`wire.points`); }",
        "for i in 0..400 { find(`sage`).get(`lore.text`); }",
        "for i in 0..200 { query_box(vec2(-1, -301), vec2(999, -299), #{category: 0}); }",
        "for i in 0..200 { query_box(vec2(-1, -301), vec2(999, -299), #{exclude: find(`rail`)}); }",
        "for i in 0..200 { cast_ray(vec2(-1, -299.5), vec2(999, -299.4), #{category: 0}); }",
        "for i in 0..100 { cast_circle(vec2(-99, -200), vec2(1999, -200), 99.5, #{category: 0}); }",
        "for i in 0..200 { closest(vec2(450, -300), 900, #{category: 0}); }",
        "let s = ``; s.pad(16000, 'x'); for i in 0..400 { has_timer(s); }",
        "let s = ``; s.pad(16000, 'x'); let e = find(s); for i in 0..400 { e.to_string(); }",
        "let s = ``; s.pad(16000, 'x'); let e = find(s); for i in 0..400 { try { e.get(`a.b`); } catch { } }",
        "let s = ``; s.pad(15999, 'x'); for i in 0..400 { try { spawn_entity(s); } catch { } }",
        "let s = ``; s.pad(16000, 'x'); for i in 0..400 { stop_timer(s); }",
    ] {
        let mut world = world_of_many(&format!("fn on_tick(s) {{ {body} }}"));
        world.step();
        if !world
            .faults()
            .first()
            .is_some_and(|fault| fault.ends_with(used_up))
        {
            cheap.push(format!("{body}: {:?}", world.faults()));
        }
    }
    assert!(cheap.is_empty(), "{}", cheap.join("\n"));
}

/// Shapes that are made anew or moved, cells that are filled, outlines that are spawned.
#[test]
fn a_change_costs_what_becomes_of_shapes() {
    let mut cheap = Vec::new();
    for body in [
        "for i in 0..10 { find(`comb`).set(`teeth.angle`, 0.001 * i); }",
        "for i in 0..20 { find(`rail`).set(`wire.angle`, 0.001 * i); }",
        "for i in 0..60 { find(`rail`).set(`transform.position`, vec2(i, -300)); }",
        "for i in 0..60 { find(`rail`).set(`body.enabled`, i % 2 == 0); }",
        "for i in 0..10 { fill_tiles(find(`ground`), 0, 0, 100, 60, `/`); }",
        "for i in 0..10 { spawn_entity(`comb`, #{position: vec2(i, 900)}); }",
        "for i in 0..10 { spawn_entity(`rail`, #{position: vec2(i, 900)}); }",
    ] {
        let mut world = world_of_many(&format!("fn on_tick(s) {{ {body} }}"));
        world.step();
        let dear = "asked for changes that cost more than 100000 operations";
        if !world.faults().first().is_some_and(|fault| fault.contains(dear)) {
            cheap.push(format!("{body}: {:?}", world.faults()));
        }
    }
    assert!(cheap.is_empty(), "{}", cheap.join("\n"));
}

/// A spawn is charged for each entity before it begins: its entities were planned, made and kept, and charged afterwards.
#[test]
fn a_spawn_of_too_many_entities_is_not_begun() {
    let children = |count: usize, of: &str| {
        let children = (0..count).map(|number| format!("\"c{number}\": Child(entity: \"{of}\"), "));
        children.collect::<String>()
    };
    let families = format!(
        "    entities: {{
        \"leaf\": {{\"mark\": Tag()}},
        \"branch\": {{{}}},
        \"tree\": {{{}}},",
        children(40, "leaf"),
        children(40, "branch"),
    );
    let world_of = |script: &str| {
        let text = scene_text(script).replacen("    entities: {", &families, 1);
        let scene = Scene::parse("test.ron", &text).expect("the script is one");
        World::from_scene(&scene).expect("the scene is sound")
    };
    let mut world = world_of("fn on_tick(s) { spawn_entity(`tree`, #{name: `t`}); }");
    let before = world.entity_count();
    world.step();
    assert_eq!(world.entity_count(), before);
    assert!(
        world.faults()[0].contains("asked for changes that cost more than 100000 operations"),
        "{:?}",
        world.faults()
    );
    // A smaller family is, once for each entity with the script.
    let mut world = world_of("fn on_spawn() { spawn_entity(`branch`); }");
    let before = world.entity_count();
    world.step();
    assert_eq!(world.faults().len(), 0, "{:?}", world.faults());
    let more = world.entity_count() - before;
    assert!(more > 0 && more.is_multiple_of(41), "{more}");
}
