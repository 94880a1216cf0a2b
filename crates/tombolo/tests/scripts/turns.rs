//! A stage that cannot do everything serves scripts in turn: none waits for ever, however much those before it ask for.

use tombolo::{Scene, SpawnDef, World};

use super::{scene_text, script};

/// A world whose scene has these limits, with so many entities `b0`, `b1` and so on that have the script.
fn crowd(limits: &str, body: &str, count: usize) -> World {
    let limits = format!("seed: 3, script_limits: ({limits})");
    let text = scene_text(&format!("fn on_tick(seconds) {{ {body} }}")).replacen("seed: 3", &limits, 1);
    let scene = Scene::parse("test.ron", &text).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::from_scene(&scene).expect("the scene is sound");
    let ball = world.find("ball").expect("it is placed");
    world.despawn(ball).unwrap();
    for number in 0..count {
        let name = format!("b{number}");
        let def = SpawnDef {
            name: Some(&name),
            pose: Some(tombolo_geometry::Pose::new(
                tombolo_geometry::Vec2::new(3.0 * number as f32, 50.0),
                0.0,
            )),
            ..SpawnDef::default()
        };
        world.spawn("ball", &def).expect("it can be spawned");
    }
    world
}

/// How many names of the world begin so.
fn named(world: &World, start: &str) -> usize {
    let entities = world.entities().entities().iter();
    entities
        .filter(|entity| world.name_of(*entity).is_some_and(|name| name.starts_with(start)))
        .count()
}

#[test]
fn calls_that_do_not_fit_are_made_in_turn() {
    let mut world = crowd(
        "operations_per_step: 4000, operations_per_call: 4000",
        "if this.n == () { this.n = 0; } this.n += 1; let x = 0; for i in 0..300 { x += i; }",
        20,
    );
    for _ in 0..100 {
        world.step();
    }
    let calls = |number: usize| script(&world, &format!("b{number}")).state().to_string();
    let counts: Vec<u32> = (0..20)
        .map(|number| {
            let state = calls(number);
            let digits: String = state.chars().filter(char::is_ascii_digit).collect();
            digits.parse().unwrap_or_default()
        })
        .collect();
    let (least, most) = (counts.iter().min(), counts.iter().max());
    assert!(
        least.copied() >= Some(5) && most.copied() <= least.map(|least| 2 * least),
        "{counts:?}"
    );
    let left_out = world
        .faults()
        .iter()
        .filter(|fault| fault.contains("calls were left out"));
    assert!(left_out.count() > 50, "{:?}", world.faults());
}

#[test]
fn spawns_that_do_not_fit_are_made_in_turn() {
    let mut world = crowd(
        "spawns_per_step: 3",
        "spawn_entity(\"crate\", #{name: `${name_of(me())}/${time()}`, position: vec2(0, 90)});",
        10,
    );
    for _ in 0..60 {
        world.step();
    }
    for number in 0..10 {
        let made = named(&world, &format!("b{number}/"));
        assert!(
            (15..=21).contains(&made),
            "b{number} made {made}: {:?}",
            world.faults()
        );
    }
}

#[test]
fn changes_that_do_not_fit_are_done_in_turn() {
    // The calls alone use up the stage.
    let mut world = crowd(
        "operations_per_step: 2000, operations_per_call: 2000",
        "let x = 0; for i in 0..200 { x += i; } me().set(\"body.bullet\", true);",
        10,
    );
    for _ in 0..30 {
        world.step();
    }
    for number in 0..10 {
        let entity = world.find(&format!("b{number}")).expect("it lives");
        assert_eq!(
            world.get(entity, "body.bullet"),
            Ok(tombolo::entity::Value::Bool(true)),
            "b{number}: {:?}",
            world.faults()
        );
    }
}

#[test]
fn the_turns_of_scripts_are_saved() {
    let make = || {
        crowd(
            "spawns_per_step: 3, operations_per_step: 4000, operations_per_call: 4000",
            "if this.n == () { this.n = 0; } this.n += 1; for i in 0..100 { } spawn_entity(\"crate\", #{position: vec2(this.n, 90)});",
            12,
        )
    };
    let (mut world, mut other) = (make(), make());
    for round in 0..12 {
        world.step();
        other.restore(&world.save()).expect("it is a save");
        assert_eq!(other.state_hash(), world.state_hash(), "round {round}");
        for _ in 0..4 {
            world.step();
            other.step();
            assert_eq!(other.state_hash(), world.state_hash(), "round {round}");
        }
    }
}

/// An entity that ends and one that is spawned into its slot ask for changes in one stage, and the world refuses those of
/// one of them: the other's are made.
#[test]
fn what_the_world_refuses_an_entity_is_not_refused_the_next_one_of_its_slot() {
    let refused = "find(\"floor\").set(\"transform.position\", vec2(0.0 / 0.0, 0));";
    let asked = "spawn_entity(\"crate\", #{name: \"loot\", position: vec2(20, 5)});";
    for (at_the_end, at_the_beginning) in [(refused, asked), (asked, refused)] {
        let text = format!(
            r##"(
    entities: {{
        "floor": {{"body": Body()}},
        "crate": {{"body": Body()}},
        "old": {{"mind": Script(text: r#"fn on_despawn(position, angle) {{ {at_the_end} }}"#)}},
        "new": {{"mind": Script(text: r#"fn on_spawn() {{ {at_the_beginning} }}"#)}},
        "judge": {{"mind": Script(text: r#"fn on_tick(seconds) {{
            if find("new") == () {{ despawn(find("old")); spawn_entity("new", #{{name: "new"}}); }}
        }}"#)}},
    }},
    place: [
        One(name: "floor", entity: "floor"),
        One(name: "judge", entity: "judge"),
        One(name: "old", entity: "old"),
    ],
)"##
        );
        let scene = Scene::parse("test.ron", &text).unwrap_or_else(|error| panic!("{error}"));
        let mut world = World::from_scene(&scene).expect("the scene is sound");
        let old = world.find("old").expect("it is placed");
        (0..3).for_each(|_| world.step());
        let new = world.find("new").expect("it was spawned");
        assert_eq!((old.index(), old == new), (new.index(), false), "one slot");
        let faults: Vec<&str> = world.faults().iter().map(|fault| &**fault).collect();
        assert!(
            faults.len() == 1 && faults[0].contains("finite"),
            "{faults:?}, the end asks: {at_the_end}"
        );
        assert!(world.find("loot").is_some(), "the end asks: {at_the_end}");
    }
}
