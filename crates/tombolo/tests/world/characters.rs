//! The component Character: driven by a script through the level that ships, saved, told of in events.

use tombolo::component::{CHARACTER, Character};
use tombolo::entity::{Dense, Value};
use tombolo::physics::Vec2;
use tombolo::{Event, Scene, World};

const LEVEL: &str = include_str!("../../../cli/scenes/platformer.ron");

fn world(text: &str) -> World {
    World::from_scene(&Scene::parse("level.ron", text).unwrap()).unwrap()
}

fn hero(world: &World) -> &Character {
    let characters: &Dense<Character> = world.manager(CHARACTER).unwrap();
    characters.newest(world.find("hero").unwrap()).unwrap()
}

fn at(world: &World) -> Vec2 {
    world.pose(world.find("hero").unwrap()).unwrap().position
}

#[test]
fn a_script_drives_the_hero_through_the_level_and_back() {
    let mut world = world(LEVEL);
    let (mut right, mut met, mut parted, mut low) = (f32::NEG_INFINITY, 0, 0, 0);
    let mut steps = 0;
    // There, and back over half of the level.
    while right < 29.0 || at(&world).x > -10.0 {
        world.step();
        steps += 1;
        right = right.max(at(&world).x);
        for event in world.events() {
            met += usize::from(matches!(event, Event::Meet(_)));
            parted += usize::from(matches!(event, Event::Part(_)));
        }
        low += usize::from(hero(&world).is_crouched());
        assert!(!hero(&world).is_crushed(), "at {}", at(&world));
        assert!(at(&world).y > -2.0, "fell into the pit at {}", at(&world));
        assert!(steps < 4000, "stuck at {}", at(&world));
    }
    assert!(world.faults().is_empty(), "{:?}", world.faults());
    let touching = hero(&world).touched().len();
    assert_eq!(met, parted + touching, "each meeting ends once");
    assert!(low > 60, "crouches in the passage");
    let mind = world.get(world.find("hero").unwrap(), "mind.state").unwrap();
    assert!(
        !format!("{mind:?}").contains("crates: 0"),
        "it touched crates: {mind:?}"
    );
}

#[test]
fn the_hero_obeys_actions_once_somebody_gives_one() {
    let mut world = world(LEVEL);
    // Left to itself it goes to the right.
    (0..60).for_each(|_| world.step());
    let alone = at(&world).x;
    assert!(alone > -17.0, "{alone}");
    world.set_action("move", -1.0).unwrap();
    (0..60).for_each(|_| world.step());
    assert!(at(&world).x < alone - 3.0, "{} from {alone}", at(&world));
    world.set_action("move", 0.0).unwrap();
    (0..30).for_each(|_| world.step());
    let (rest, speed) = (at(&world), hero(&world).velocity());
    assert!(speed.length() < 0.01, "{speed}");
    // A tap is a jump, and one jump.
    world.set_action("jump", 1.0).unwrap();
    world.set_action("jump", 0.0).unwrap();
    let heights: Vec<f32> = (0..120)
        .map(|_| {
            world.step();
            at(&world).y
        })
        .collect();
    let top = heights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    // v²/2g of 6 m/s is 1.8 m.
    assert!((1.5..2.0).contains(&(top - rest.y)), "{top} from {rest}");
    assert!((heights[119] - rest.y).abs() < 0.02);
    world.set_action("crouch", 1.0).unwrap();
    world.step();
    world.step();
    assert!(hero(&world).is_crouched());
    assert!(world.faults().is_empty(), "{:?}", world.faults());
}

#[test]
fn a_restored_world_goes_on_to_the_bit() {
    let mut one = world(LEVEL);
    for _ in 0..250 {
        one.step();
    }
    let mut other = world(LEVEL);
    other.restore(&one.save()).unwrap();
    assert_eq!(hero(&one), hero(&other));
    for _ in 0..250 {
        one.step();
        other.step();
        assert_eq!(one.state_hash(), other.state_hash());
    }
}

#[test]
fn a_character_stands_up_only_where_there_is_room() {
    let mut world = world(LEVEL);
    let hero_id = world.find("hero").unwrap();
    world.set(hero_id, "mind.enabled", Value::Bool(false)).unwrap();
    let roofed = tombolo::physics::Pose::new(Vec2::new(21.0, 0.81), 0.0);
    world.set(hero_id, "legs.crouch", Value::Bool(true)).unwrap();
    world.teleport(hero_id, roofed).unwrap();
    for _ in 0..5 {
        world.step();
    }
    assert!(hero(&world).is_crouched() && hero(&world).is_grounded());
    world.set(hero_id, "legs.crouch", Value::Bool(false)).unwrap();
    for _ in 0..5 {
        world.step();
    }
    assert!(hero(&world).is_crouched(), "the roof is 1.1 m high");
    world.set(hero_id, "legs.move", Value::F32(5.0)).unwrap();
    for _ in 0..60 {
        world.step();
    }
    assert!(
        !hero(&world).is_crouched() && at(&world).x > 23.5,
        "{}",
        at(&world)
    );
    // A jump is asked for once.
    world.set(hero_id, "legs.jump", Value::F32(4.0)).unwrap();
    world.step();
    assert!(!hero(&world).is_grounded());
    assert_eq!(world.get(hero_id, "legs.jump").unwrap(), Value::F32(0.0));
}

#[test]
fn the_smallest_character_falls_and_no_mass_is_refused() {
    let text = r#"(entities: {"hero": {"legs": Character(width: 0.01, rounding: 0, height: 0.01)}},
        place: [One(name: "hero", entity: "hero", at: (3, 4))])"#;
    let mut world = world(text);
    let hero_id = world.find("hero").unwrap();
    world.set(hero_id, "legs.mass", Value::F32(f32::NAN)).unwrap_err();
    world.step();
    assert!(world.faults().is_empty(), "{:?}", world.faults());
    assert!(at(&world).y < 4.0, "it falls");
}
