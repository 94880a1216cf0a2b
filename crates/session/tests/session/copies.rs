//! A duplicate on the page is what the written file makes of it.

use tombolo::entity::Value;
use tombolo::geometry::Vec2;

use super::write_back::{act, key, set, solo, written};

const CART: &str = r#"(
    entities: {
        "wheel": {"look": Sprite(image: "wheel"), "mark": Tag()},
        "cart": {
            "transform": Transform(scale: (1, 2)),
            "look": Sprite(image: "cart"),
            "wheel": Child(entity: "wheel", at: (1, 0)),
        },
    },
    place: [One(name: "cart", entity: "cart", at: (3, 4), angle: 0.5)],
)"#;

#[test]
fn a_duplicate_has_the_scale_of_its_original() {
    let mut solo = solo(CART);
    set(&mut solo, "cart", "transform.scale", "(3, 0.5)");
    let cart = key(&solo, "cart");
    act(
        &mut solo,
        &format!(r#"{{"act":"duplicate","entity":"{cart}","at":[-7,2]}}"#),
    );
    let (world, _) = written(&solo);
    let shown = solo.session().world();
    for world in [shown, &world] {
        let scale = world
            .get(world.find("cart 1").unwrap(), "transform.scale")
            .unwrap();
        assert_eq!(scale, Value::Vec2(Vec2::new(3.0, 0.5)));
    }
    let copy = shown.find("cart 1").unwrap();
    let pose = shown.pose(copy).unwrap();
    let original = shown.pose(shown.find("cart").unwrap()).unwrap();
    assert_eq!(
        (pose.position.to_array(), pose.rotation.angle()),
        ([-7.0, 2.0], original.rotation.angle())
    );
}

#[test]
fn a_duplicate_has_what_was_changed_of_the_children() {
    let mut solo = solo(CART);
    set(&mut solo, "cart/wheel", "look.image", "\"flat wheel\"");
    set(&mut solo, "cart/wheel", "transform.position", "(1, -0.5)");
    let (cart, wheel) = (key(&solo, "cart"), key(&solo, "cart/wheel"));
    act(
        &mut solo,
        &format!(r#"{{"act":"remove_component","entity":"{wheel}","name":"mark"}}"#),
    );
    act(
        &mut solo,
        &format!(r#"{{"act":"add_component","entity":"{wheel}","kind":"Tag","name":"spare"}}"#),
    );
    act(
        &mut solo,
        &format!(r#"{{"act":"duplicate","entity":"{cart}","at":[-7,2]}}"#),
    );
    let world = solo.session().world();
    let copy = world.find("cart 1").unwrap();
    let child = world.children(copy)[0];
    let shown = |entity| {
        let parts = world.describe(entity);
        let parts = parts.iter().filter(|part| part.name != "transform");
        parts
            .map(|part| format!("{} {} {:?}", part.name, part.manager, part.properties))
            .collect::<Vec<_>>()
    };
    let original = world.find("cart/wheel").unwrap();
    let by_name = |mut parts: Vec<String>| {
        parts.sort();
        parts
    };
    assert_eq!(by_name(shown(child)), by_name(shown(original)));
    let place = |entity| world.get(entity, "transform.position").unwrap();
    assert_eq!(place(child), place(original));
}

/// A joint of a child leads to the copy of what the original's leads to, and what a child has lost its copy lacks.
#[test]
fn a_duplicate_is_joined_to_itself_and_lacks_the_children_that_are_gone() {
    let text = r#"(
    entities: {
        "wheel": {
            "body": Body(kind: Dynamic),
            "tyre": Collider(shape: Circle(radius: 0.3)),
            "axle": Joint(to: Parent),
        },
        "cart": {
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Box(width: 2, height: 0.5)),
            "left": Child(entity: "wheel", at: (-1, 0)),
            "right": Child(entity: "wheel", at: (1, 0)),
        },
    },
    place: [One(name: "cart", entity: "cart", at: (3, 4))],
)"#;
    let mut solo = solo(text);
    let (cart, right) = (key(&solo, "cart"), key(&solo, "cart/right"));
    act(&mut solo, &format!(r#"{{"act":"despawn","entity":"{right}"}}"#));
    (0..10).for_each(|_| solo.hear(r#"{"do":"step"}"#, 0.0, &tombolo::threads::Inline));
    act(
        &mut solo,
        &format!(r#"{{"act":"duplicate","entity":"{cart}","at":[-7,2]}}"#),
    );
    let world = solo.session().world();
    let copy = world.find("cart 1").unwrap();
    let [wheel] = world.children(copy) else {
        panic!("{:?}", world.children(copy));
    };
    assert_eq!(world.get(*wheel, "axle.to").unwrap(), Value::Entity(Some(copy)));
    assert_eq!(world.parent(*wheel), Some(copy));
    let apart = world.pose(*wheel).unwrap().position - world.pose(copy).unwrap().position;
    let [one, other] =
        ["cart", "cart/left"].map(|name| world.pose(world.find(name).unwrap()).unwrap().position);
    assert!(
        apart.distance(other - one) < 1e-4,
        "{apart} is not {}",
        other - one
    );
}
