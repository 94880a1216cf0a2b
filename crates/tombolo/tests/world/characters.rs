//! The component Character: driven by a script through the level that ships, saved, told of in events.

use tombolo::component::{CHARACTER, Character};
use tombolo::entity::{Dense, Value};
use tombolo::physics::{Pose, Vec2};
use tombolo::{Event, Scene, SpawnDef, World};

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
    let (mut steps, mut on_planks, mut through_planks) = (0, 0, 0);
    // There, and back over half of the level.
    while right < 29.0 || at(&world).x > -18.0 {
        world.step();
        steps += 1;
        right = right.max(at(&world).x);
        for event in world.events() {
            met += usize::from(matches!(event, Event::Meet(_)));
            parted += usize::from(matches!(event, Event::Part(_)));
        }
        low += usize::from(hero(&world).is_crouched());
        // The planks are from -8.5 to -0.5, their top is at 1.7.
        let over_planks = right < 0.0 && at(&world).x > -7.2;
        on_planks += usize::from(over_planks && hero(&world).is_grounded() && at(&world).y > 2.4);
        through_planks += usize::from(on_planks > 0 && over_planks && (1.4..2.0).contains(&at(&world).y));
        assert!(!hero(&world).is_crushed(), "at {}", at(&world));
        assert!(at(&world).y > -2.0, "fell into the pit at {}", at(&world));
        assert!(steps < 4000, "stuck at {}", at(&world));
    }
    assert!(world.faults().is_empty(), "{:?}", world.faults());
    let touching = hero(&world).touched().len();
    assert_eq!(met, parted + touching, "each meeting ends once");
    assert!(low > 60, "crouches in the passage");
    assert!(
        on_planks > 10,
        "it lands on the planks, which it passed from below"
    );
    assert!(
        through_planks > 3,
        "and drops through them, with others on both sides"
    );
    let mind = world.get(world.find("hero").unwrap(), "mind.state").unwrap();
    // It meets one of the two crates on its way, on foot and with its body, and leaves it on the way back.
    assert!(kept(&world, "hero", "crates") <= 8, "it touched crates: {mind:?}");
    assert!(kept(&world, "hero", "crates") > 0, "it touched crates: {mind:?}");
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

/// `crouch` and `jump` at once drop through planks, and not through the ground.
#[test]
fn the_hero_drops_when_told() {
    let mut world = world(LEVEL);
    let hero_id = world.find("hero").unwrap();
    world.set_action("move", 0.0).unwrap();
    world
        .teleport(hero_id, Pose::new(Vec2::new(-4.0, 2.52), 0.0))
        .unwrap();
    for through in ["the planks", "no ground"] {
        (0..30).for_each(|_| world.step());
        assert!(hero(&world).is_grounded());
        world.set_action("crouch", 1.0).unwrap();
        world.set_action("jump", 1.0).unwrap();
        world.step();
        world.set_action("jump", 0.0).unwrap();
        world.set_action("crouch", 0.0).unwrap();
        (0..60).for_each(|_| world.step());
        let feet = at(&world).y - 0.802;
        assert!(feet.abs() < 0.01, "through {through}: {feet}");
    }
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
    let roofed = Pose::new(Vec2::new(21.0, 0.81), 0.0);
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
    assert!(hero(&world).is_crouched(), "the roof is 1.5 m high");
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

/// A number that a script keeps, as `name: number` in its state.
fn kept(world: &World, entity: &str, name: &str) -> i64 {
    let state = world.get(world.find(entity).unwrap(), "mind.state").unwrap();
    let Value::String(state) = state else {
        panic!("{state:?} is no text")
    };
    let (_, number) = state.split_once(&format!("{name}: ")).unwrap();
    let digits = number.split(|digit: char| !digit.is_ascii_digit()).next();
    digits.unwrap().parse().unwrap()
}

#[test]
fn a_hero_with_a_body_begins_to_touch_what_it_pushes_once() {
    let mut world = world(
        r#"(
        scripts: {"count": "
            fn on_spawn() { this.begun = 0; this.ended = 0; }
            fn on_begin_touch(other) { this.begun += 1; }
            fn on_end_touch(other) { this.ended += 1; }
        "},
        entities: {
            "ground": {"body": Body(), "top": Collider(shape: Box(width: 60, height: 2))},
            "crate": {
                "body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1)),
                "mind": Script(name: "count"),
            },
            "hero": {
                "body": Body(kind: Kinematic), "legs": Character(move: 2),
                "skin": Collider(shape: Capsule(from: (0, -0.5), to: (0, 0.5), radius: 0.3)),
            },
        },
        place: [
            One(name: "ground", entity: "ground", at: (0, -1)),
            One(name: "crate", entity: "crate", at: (1, 0.5)),
            One(name: "hero", entity: "hero", at: (-0.5, 0.81)),
        ],
    )"#,
    );
    let (mut begun, mut ended) = (0, 0);
    let (hero, was) = (world.find("hero").unwrap(), at(&world).x);
    for _ in 0..120 {
        world.step();
        let is_its = |touch: &tombolo::Touch| touch.a == hero || touch.b == hero;
        for event in world.events() {
            begun += usize::from(matches!(event, Event::BeginTouch(touch) if is_its(touch)));
            ended += usize::from(matches!(event, Event::EndTouch(touch) if is_its(touch)));
        }
        world.physics().validate();
    }
    assert!(at(&world).x > was + 2.0, "it walks: {}", at(&world));
    assert_eq!((begun, ended), (1, 0), "one touch of two bodies");
    // The crate touches the ground, the hero's body and the hero; it may jolt.
    let [begun, ended] = ["begun", "ended"].map(|name| kept(&world, "crate", name));
    assert_eq!(begun - ended, 3, "{begun} begun, {ended} ended");
    assert!(begun < 8, "{begun} begun");
}

#[test]
fn a_hero_on_any_side_crouches_with_its_feet_in_place() {
    for gravity in ["(0, 10)", "(10, 0)", "(-10, 0)", "(0, -10)"] {
        let text = format!(
            r#"(
            settings: (gravity: {gravity}),
            entities: {{
                "block": {{"body": Body(), "all": Collider(shape: Box(width: 60, height: 2))}},
                "wall": {{"body": Body(), "all": Collider(shape: Box(width: 2, height: 60))}},
                "hero": {{"legs": Character()}},
            }},
            place: [
                One(name: "roof", entity: "block", at: (0, 2)), One(name: "floor", entity: "block", at: (0, -2)),
                One(name: "right", entity: "wall", at: (2, 0)), One(name: "left", entity: "wall", at: (-2, 0)),
                One(name: "hero", entity: "hero", at: (0, 0)),
            ],
        )"#
        );
        let mut world = world(&text);
        let hero_id = world.find("hero").unwrap();
        (0..60).for_each(|_| world.step());
        let before = at(&world);
        // The feet are 0.8 m below the middle, and a gap of 2 mm above the ground at 1 m.
        assert!((before.length() - 0.198).abs() < 0.01, "{gravity}: {before}");
        for is_low in [true, false] {
            world.set(hero_id, "legs.crouch", Value::Bool(is_low)).unwrap();
            (0..60).for_each(|_| world.step());
            assert!(at(&world).distance(before) < 0.01, "{gravity}: {}", at(&world));
            assert_eq!(hero(&world).is_crouched(), is_low, "{gravity}");
            assert!(hero(&world).is_grounded(), "{gravity}");
        }
    }
}

const LIFT: &str = r#"(
    entities: {
        "lift": {"body": Body(kind: Kinematic), "deck": Collider(shape: Box(width: 20, height: 1))},
        "hero": {"legs": Character()},
    },
    place: [One(name: "lift", entity: "lift", at: (0, -0.5))],
)"#;

/// The lift, with the hero on it, at rest; as a child of the lift or as nobody's.
fn on_a_lift(is_child: bool) -> World {
    let mut world = world(LIFT);
    let lift = world.find("lift").unwrap();
    let def = SpawnDef {
        name: Some("hero"),
        pose: Some(Pose::new(Vec2::new(0.0, if is_child { 1.31 } else { 0.81 }), 0.0)),
        parent: is_child.then_some(lift),
        ..SpawnDef::default()
    };
    world.spawn("hero", &def).unwrap();
    (0..30).for_each(|_| world.step());
    assert!(hero(&world).is_grounded(), "at {}", at(&world));
    world
}

fn send_lift(world: &mut World, velocity: Vec2) {
    let lift = world.find("lift").unwrap();
    let velocity = Value::Vec2(velocity);
    world.set(lift, "body.linear_velocity", velocity).unwrap();
}

#[test]
fn a_hero_that_was_disabled_is_not_carried_after_its_lift() {
    let mut world = on_a_lift(false);
    let hero_id = world.find("hero").unwrap();
    assert_eq!(hero(&world).touched().len(), 1);
    world.set(hero_id, "legs.enabled", Value::Bool(false)).unwrap();
    world.set(hero_id, "legs.jump", Value::F32(4.0)).unwrap();
    send_lift(&mut world, Vec2::new(2.0, 0.0));
    world.step();
    let parted = |event: &Event| matches!(event, Event::Part(part) if part.character == hero_id);
    assert_eq!(world.events().iter().filter(|event| parted(event)).count(), 1);
    assert!(!hero(&world).is_grounded() && hero(&world).touched().is_empty());
    let before = at(&world);
    (0..60).for_each(|_| world.step());
    assert_eq!(at(&world), before);
    send_lift(&mut world, Vec2::ZERO);
    world.step();
    world.set(hero_id, "legs.enabled", Value::Bool(true)).unwrap();
    world.step();
    assert!(at(&world).distance(before) < 0.01, "{} from {before}", at(&world));
    assert!(hero(&world).is_grounded());
}

#[test]
fn a_hero_below_a_moving_parent_is_carried_once() {
    for is_child in [true, false] {
        let mut world = on_a_lift(is_child);
        let (lift, hero_id) = (world.find("lift").unwrap(), world.find("hero").unwrap());
        let on_lift = |world: &World| at(world) - world.pose(lift).unwrap().position;
        let before = on_lift(&world);
        send_lift(&mut world, Vec2::new(2.0, 0.5));
        (0..60).for_each(|_| world.step());
        let moved = on_lift(&world) - before;
        assert!(moved.length() < 0.01, "{moved} on the lift, is_child: {is_child}");
        if is_child {
            let place = world.get(hero_id, "transform.position").unwrap();
            let Value::Vec2(place) = place else {
                panic!("{place:?} is no position")
            };
            assert!(
                place.distance(on_lift(&world)) < 1e-4,
                "below its parent: {place}"
            );
            // Disabled it is a child like any other.
            world.set(hero_id, "legs.enabled", Value::Bool(false)).unwrap();
            (0..60).for_each(|_| world.step());
            assert!((on_lift(&world) - before).length() < 0.01, "{}", on_lift(&world));
        }
    }
}

/// A figure that falls out of the world stops at its border, and the world is saved as before.
#[test]
fn a_character_at_the_border_of_the_world_can_be_saved() {
    for body in [
        "",
        "\"body\": Body(kind: Kinematic), \"hull\": Collider(shape: Circle(radius: 0.3)),",
    ] {
        let text = r#"(
            entities: {"hero": {BODY "legs": Character()}},
            place: [One(name: "hero", entity: "hero", at: (0, -99999.5))],
        )"#;
        let scene = Scene::parse("abyss.ron", &text.replace("BODY", body)).unwrap();
        let mut world = World::from_scene(&scene).unwrap();
        let entity = world.find("hero").unwrap();
        for step in 0..200 {
            world.step();
            if step == 150 && body.is_empty() {
                // Without a body it may be anywhere.
                world
                    .teleport(entity, Pose::new(Vec2::new(2.0e5, 0.0), 0.0))
                    .unwrap();
            }
            if step % 40 == 30 || step > 190 {
                let mut again = World::from_save(&scene, &world.save()).unwrap();
                assert_eq!(again.state_hash(), world.state_hash());
                again.step();
                let mut on = world.clone();
                on.step();
                assert_eq!(again.state_hash(), on.state_hash());
            }
        }
        assert!(!world.faults().is_empty(), "it says so");
        world.teleport(entity, Pose::new(Vec2::ZERO, 0.0)).unwrap();
        world.truncate_faults(0);
        (0..30).for_each(|_| world.step());
        assert!(world.faults().is_empty(), "{:?}", world.faults());
        let (fallen, velocity) = (at(&world).y, hero(&world).velocity().y);
        assert!((-1.5..-1.0).contains(&fallen), "{fallen}");
        assert!((-5.1..-4.9).contains(&velocity), "from rest: {velocity}");
    }
}

#[test]
fn a_hero_that_is_put_elsewhere_does_not_take_its_lift_along() {
    let mut world = on_a_lift(false);
    let hero_id = world.find("hero").unwrap();
    send_lift(&mut world, Vec2::new(6.0, 0.0));
    (0..10).for_each(|_| world.step());
    assert!(hero(&world).is_grounded() && hero(&world).velocity().x > 5.9);
    let start = Vec2::new(-40.0, 3.0);
    world
        .set(hero_id, "transform.position", Value::Vec2(start))
        .unwrap();
    world.set(hero_id, "legs.jump", Value::F32(5.0)).unwrap();
    world.step();
    let velocity = hero(&world).velocity();
    assert!(!hero(&world).is_grounded() && velocity.y < 0.0, "{velocity}");
    (0..30).for_each(|_| world.step());
    assert_eq!(at(&world).x, start.x);
    assert!(at(&world).y < start.y - 1.0, "{}", at(&world));
}

#[test]
fn a_hero_that_is_put_aside_on_its_lift_stays_on_it() {
    for snap_distance in [0.3, 0.0] {
        let mut world = on_a_lift(false);
        let (lift, hero_id) = (world.find("lift").unwrap(), world.find("hero").unwrap());
        world
            .set(hero_id, "legs.snap_distance", Value::F32(snap_distance))
            .unwrap();
        send_lift(&mut world, Vec2::new(6.0, 0.5));
        let on_lift = |world: &World| at(world) - world.pose(lift).unwrap().position;
        let before = on_lift(&world);
        let put_aside = |world: &mut World| {
            let beside = at(world) + Vec2::new(0.05, 0.0);
            world
                .set(hero_id, "transform.position", Value::Vec2(beside))
                .unwrap();
        };
        for _ in 0..20 {
            put_aside(&mut world);
            world.step();
            assert!(hero(&world).is_grounded());
        }
        let moved = on_lift(&world) - before;
        assert!(moved.distance(Vec2::X) < 0.01, "{moved} on the lift");
        put_aside(&mut world);
        world.set(hero_id, "legs.jump", Value::F32(5.0)).unwrap();
        world.step();
        let velocity = hero(&world).velocity();
        assert!(velocity.x > 5.9 && velocity.y > 5.0, "{velocity}");
    }
}

#[test]
fn a_hero_that_was_disabled_begins_at_rest() {
    let mut world = on_a_lift(false);
    let hero_id = world.find("hero").unwrap();
    let high = Pose::new(Vec2::new(-40.0, 60.0), 0.0);
    world.teleport(hero_id, high).unwrap();
    (0..60).for_each(|_| world.step());
    assert!(hero(&world).velocity().y < -9.0, "{}", hero(&world).velocity());
    world.set(hero_id, "legs.enabled", Value::Bool(false)).unwrap();
    world.step();
    assert_eq!(hero(&world).velocity(), Vec2::ZERO);
    let before = at(&world);
    (0..60).for_each(|_| world.step());
    assert_eq!(at(&world), before);
    world.set(hero_id, "legs.enabled", Value::Bool(true)).unwrap();
    world.step();
    // One step of gravity.
    let velocity = hero(&world).velocity();
    assert!((velocity.y + 10.0 / 60.0).abs() < 1e-3, "{velocity}");
}

/// Two rows of one-way tiles; the foot of the hero is over a seam of the upper one.
const ROWS: &str = r##"(
    settings: (gravity: (0, -10)),
    materials: {"plank": (number: 1)},
    rules: [(first: 1, one_way: (0, 1))],
    entities: {
        "plank": {"body": Body(), "box": Collider(shape: Box(width: 1, height: 0.2), material: "plank")},
        "hero": {"legs": Character(height: 1.6)},
    },
    place: [
        Grid(name: "plank", entity: "plank", at: (-2, -0.1), columns: 5, rows: 2, column_step: (1, 0), row_step: (0, -1)),
        One(name: "hero", entity: "hero", at: (0.3, 0.81)),
    ],
)"##;

#[test]
fn a_drop_goes_on_in_a_restored_world() {
    let mut one = world(ROWS);
    let hero_id = one.find("hero").unwrap();
    (0..20).for_each(|_| one.step());
    assert!(hero(&one).is_grounded());
    one.set(hero_id, "legs.drop", Value::Bool(true)).unwrap();
    for step in 0..60 {
        let mut other = world(ROWS);
        other.restore(&one.save()).unwrap();
        one.step();
        other.step();
        assert_eq!(hero(&one), hero(&other), "step {step}");
        assert_eq!(one.state_hash(), other.state_hash(), "step {step}");
    }
    let lower = 0.802 - 1.0;
    assert!(
        hero(&one).is_grounded() && (at(&one).y - lower).abs() < 2.0e-3,
        "{}",
        at(&one)
    );
}

/// A drop ends where it was put: it lands on the row that it was dropping through, from above.
#[test]
fn who_is_put_above_a_platform_that_it_drops_through_lands_on_it() {
    for steps in [1, 3, 6, 20] {
        let mut world = world(ROWS);
        let hero_id = world.find("hero").unwrap();
        (0..20).for_each(|_| world.step());
        world.set(hero_id, "legs.drop", Value::Bool(true)).unwrap();
        (0..steps).for_each(|_| world.step());
        assert!(!hero(&world).is_grounded());
        let above = Pose::new(Vec2::new(0.3, 0.82), 0.0);
        world.teleport(hero_id, above).unwrap();
        (0..60).for_each(|_| world.step());
        let off = (at(&world).y - 0.802).abs();
        assert!(
            hero(&world).is_grounded() && off < 2.0e-3,
            "after {steps} steps: {}",
            at(&world)
        );
    }
}
