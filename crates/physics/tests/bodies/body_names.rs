//! Names of bodies: they stay with the body through saves, clones and frames, go with it, and change nothing that happens.

use tombolo_physics::{
    BODY_NAME_BYTES_MAX, BodyDef, BodyId, BodyName, DebugDraw, DrawColor, DrawOptions, PhysicsError,
    PhysicsWorld, Position, Rewind, RewindLimits, Shape, ShapeDef, Vec2, WorldDef,
};

fn empty() -> PhysicsWorld {
    PhysicsWorld::new(&WorldDef::default()).unwrap()
}

fn body(world: &mut PhysicsWorld, x: f32, name: &str) -> BodyId {
    let def = BodyDef {
        name: BodyName::new(name).unwrap(),
        user_key: 7,
        ..BodyDef::dynamic(x, 0.0)
    };
    let body = world.create_body(&def).unwrap();
    let shape = Shape::new_box(1.0, 1.0).unwrap();
    world.create_shape(body, &ShapeDef::default(), &shape).unwrap();
    body
}

fn names(world: &PhysicsWorld) -> Vec<&str> {
    world.bodies().map(|body| body.name()).collect()
}

#[test]
fn names_survive_saves_clones_and_frames() {
    let mut world = empty();
    let named = ["left", "", "right", ""].map(|name| body(&mut world, 2.0, name));
    world.body_mut(named[3]).unwrap().set_name("späte Blüte").unwrap();
    let all = ["left", "", "right", "späte Blüte"];
    assert_eq!(names(&world), all);
    assert_eq!(names(&world.clone()), all);
    assert_eq!(names(&PhysicsWorld::from_save(&world.save()).unwrap()), all);

    let mut rewind = Rewind::new(RewindLimits::default());
    let frame = rewind.save(&mut world);
    world.step(1.0 / 60.0).unwrap();
    world.body_mut(named[0]).unwrap().set_name("").unwrap();
    world.body_mut(named[1]).unwrap().set_name("middle").unwrap();
    world.destroy_body(named[2]).unwrap();
    assert_eq!(names(&world).iter().filter(|name| name.is_empty()).count(), 1);
    rewind.restore(&mut world, frame).unwrap();
    assert_eq!(names(&world), all);
}

#[test]
fn a_body_in_the_place_of_one_that_is_gone_has_not_its_name() {
    let mut world = empty();
    let gone = body(&mut world, 0.0, "gone");
    let stays = body(&mut world, 2.0, "stays");
    world.destroy_body(gone).unwrap();
    let new = body(&mut world, 0.0, "");
    assert_eq!(new.index(), gone.index(), "the place is used again");
    let name = |world: &PhysicsWorld, body| world.body(body).unwrap().name().to_owned();
    assert_eq!([name(&world, new), name(&world, stays)], ["", "stays"]);
    assert!(world.body(gone).is_none());
}

#[test]
fn names_change_neither_hash_nor_future_and_none_take_no_room() {
    let [mut plain, mut named] = ["", "x"].map(|name| {
        let mut world = empty();
        for x in [0.0, 0.75, 1.5] {
            body(&mut world, x, name);
        }
        world
    });
    let bytes = |world: &PhysicsWorld| {
        let report = world.memory();
        let array = report.iter().find(|array| array.group == "body_names").unwrap();
        array.element_size * array.count
    };
    assert_eq!([bytes(&plain), bytes(&named)], [0, 3 * 36]);
    for _ in 0..30 {
        assert_eq!(plain.state_hash(), named.state_hash());
        plain.step(1.0 / 60.0).unwrap();
        named.step(1.0 / 60.0).unwrap();
    }
}

#[test]
fn pieces_of_a_cut_have_the_name_of_the_whole() {
    let mut world = empty();
    let whole = body(&mut world, 0.0, "plank");
    world
        .slice(whole, Position::new(0.1, 5.0), Position::new(0.1, -5.0))
        .unwrap();
    assert_eq!(names(&world), ["plank", "plank"]);
}

#[test]
fn a_name_has_at_most_31_bytes() {
    let most = "é".repeat(15) + "!";
    assert_eq!(most.len(), BODY_NAME_BYTES_MAX);
    assert_eq!(BodyName::new(&most).unwrap().as_str(), most);
    let refused = PhysicsError::TooMany {
        what: "bytes of a body's name",
        limit: BODY_NAME_BYTES_MAX,
    };
    assert_eq!(BodyName::new(&format!("{most}x")), Err(refused.clone()));
    let mut world = empty();
    let body = body(&mut world, 0.0, "as before");
    let mut view = world.body_mut(body).unwrap();
    assert_eq!(view.set_name(&"x".repeat(32)), Err(refused));
    assert_eq!(view.view().name(), "as before");
    assert_eq!(format!("{:?}", BodyName::new("a\"b").unwrap()), r#""a\"b""#);
}

#[derive(Default)]
struct Texts(Vec<String>);

impl DebugDraw for Texts {
    fn polygon(&mut self, _: &[Vec2], _: bool, _: DrawColor) {}
    fn line(&mut self, _: Vec2, _: Vec2, _: DrawColor) {}
    fn dot(&mut self, _: Vec2, _: f32, _: DrawColor) {}
    fn text(&mut self, _: Vec2, text: &str, _: DrawColor) {
        self.0.push(text.to_owned());
    }
}

#[test]
fn names_are_drawn_with_keys_or_without() {
    let mut world = empty();
    body(&mut world, 0.0, "hull");
    body(&mut world, 2.0, "");
    let drawn = |names, user_keys| {
        let options = DrawOptions {
            shapes: false,
            joints: false,
            names,
            user_keys,
            ..DrawOptions::default()
        };
        let mut texts = Texts::default();
        world.draw(&mut texts, &options);
        texts.0
    };
    assert_eq!(drawn(true, false), ["hull"]);
    assert_eq!(drawn(true, true), ["hull 7", "7"]);
    assert_eq!(drawn(false, true), ["7", "7"]);
    assert!(drawn(false, false).is_empty());
}

#[test]
fn names_are_in_no_hash_and_no_difference() {
    let [mut one, mut two] = ["box", "Kiste"].map(|name| {
        let mut world = empty();
        body(&mut world, 0.0, name);
        world
    });
    assert_eq!(one.state_hash(), two.state_hash());
    assert_eq!(one.first_difference(&two), None);
    assert_eq!(one.frame().checksum(), two.frame().checksum());
    let renamed = one.bodies().next().unwrap().id();
    one.body_mut(renamed).unwrap().set_name("").unwrap();
    assert_eq!(one.first_difference(&two), None);
    assert_eq!(one.frame().checksum(), two.frame().checksum());
    two.step(1.0 / 60.0).unwrap();
    assert!(one.first_difference(&two).is_some());
    assert_ne!(one.frame().checksum(), two.frame().checksum());
}
