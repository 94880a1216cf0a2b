//! The orchard that ships: its segment cuts cut what they are meant to, and what is cut falls and comes to rest.

use tombolo::{Scene, World};

fn orchard() -> World {
    let text = include_str!("../../../cli/scenes/orchard.ron");
    World::from_scene(&Scene::parse("scenes/orchard.ron", text).unwrap()).unwrap()
}

fn height(world: &World, name: &str) -> f32 {
    let body = world.find(name).and_then(|entity| world.body(entity));
    body.unwrap_or_else(|| panic!("no {name}")).center_of_mass().y
}

#[test]
fn cuts_divide_stalks_fruit_wall_crates_and_plank() {
    let mut world = orchard();
    let placed = world.entity_count();
    for _ in 0..59 {
        world.step();
    }
    assert_eq!(
        world.entity_count(),
        placed,
        "nothing is cut before the first segment cut"
    );
    assert!(height(&world, "west left apple[0]") > 4.0, "it hangs");
    let mut saved = Vec::new();
    for step in 59..600 {
        if step == 200 {
            saved = world.save();
        }
        world.step();
    }
    world.physics().validate();
    assert_eq!(world.faults(), []);
    for name in [
        "west left apple[0]",
        "wall",
        "plank",
        "wreath",
        "crate[0,0]",
        "left pear[0]",
    ] {
        let piece = format!("{name}.1");
        assert!(world.find(&piece).is_some(), "no {piece}");
    }
    assert!(world.entity_count() > placed + 30, "{}", world.entity_count());
    assert!(
        height(&world, "west left apple[0]") < 1.0,
        "its stalk was cut: it fell"
    );
    assert!(height(&world, "west left apple[0].1") > 4.0, "the stalk hangs on");

    let mut restored = orchard();
    restored.restore(&saved).unwrap();
    for _ in 200..600 {
        restored.step();
    }
    assert_eq!(restored.state_hash(), world.state_hash());
}
