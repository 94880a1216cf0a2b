//! Entities whose bodies are cut: names, components, joints, triggers, segment cuts, saving.

use std::collections::BTreeMap;

use tombolo::component::{AGENT, Agent, AgentState, BODY, COLLIDER, Collider, JOINT, TRIGGER};
use tombolo::entity::{Dense, Entity, Value};
use tombolo::physics::{Pose, Position, QueryFilter, ShapeId, Shatter, Vec2};
use tombolo::{EntityCut, Scene, SegmentCut, World, WorldError};

use crate::{Health, get, run};

/// A fruit on a stalk under a branch, with an eye on it and a lamp that hangs on the fruit; a ring; a floor.
const GARDEN: &str = r#"(
    materials: {"flesh": (density: 2)},
    entities: {
        "floor": {"body": Body(), "top": Collider(shape: Box(width: 60, height: 2), position: (0, -1))},
        "branch": {"body": Body(), "wood": Collider(shape: Box(width: 6, height: 0.5))},
        "fruit": {
            "place": Transform(scale: (2, 3)),
            "body": Body(kind: Dynamic),
            "flesh": Collider(shape: Circle(radius: 0.5), material: "flesh"),
            "stalk": Collider(shape: Box(width: 0.1, height: 1.5), position: (0, 1.2)),
            "hinge": Joint(to: Entity("branch"), pivot: (0, 1.9)),
            "eye": Trigger(shape: Circle(radius: 0.2), position: (0, 1.8)),
            "look": Sprite(image: "apple.png", layer: 4),
            "fruit": Tag(),
            "chute": Spawner(resource: "floor", interval: 1000),
            "health": Health(points: 60, mood: "Cross"),
        },
        "lamp": {
            "body": Body(kind: Dynamic),
            "glass": Collider(shape: Box(width: 0.2, height: 0.2)),
            "chain": Joint(to: Entity("fruit"), pivot: (0, 0.5)),
        },
        "ring": {
            "body": Body(kind: Dynamic),
            "iron": Collider(shape: Outline(
                points: [(-2, -1), (2, -1), (2, 1), (-2, 1)],
                holes: [[(-1, -0.5), (1, -0.5), (1, 0.5), (-1, 0.5)]],
            )),
        },
    },
    place: [
        One(name: "floor", entity: "floor"),
        One(name: "branch", entity: "branch", at: (0, 8)),
        One(name: "fruit", entity: "fruit", at: (0, 6)),
        One(name: "lamp", entity: "lamp", at: (0, 5.2)),
        One(name: "ring", entity: "ring", at: (10, 1)),
    ],
    strokes: [(step: 5, from: (7, 1), to: (13, 1))],
)"#;

fn garden() -> World {
    let settings = tombolo::scene::Settings::default();
    let mut world = World::new(&settings).unwrap();
    world.register_manager("Health", Dense::<Health>::new()).unwrap();
    let scene = Scene::parse_with("garden.ron", GARDEN, &world.kinds()).unwrap();
    world.add_scene(&scene).unwrap();
    world
}

fn place(x: f32, y: f32) -> Position {
    Position::new(x, y)
}

fn names_of(world: &World, entity: Entity) -> Vec<String> {
    let rows = world.components_of(entity).iter();
    rows.map(|row| world.entities().names().get(row.name).unwrap().to_string())
        .collect()
}

/// What the components say of physics is so: bodies and shapes live, on the right bodies, and know their entities.
fn check(world: &World) {
    world.physics().validate();
    for (_, entity) in world.names() {
        let Some(body) = world.body_of(entity) else {
            continue;
        };
        let body = world.physics().body(body).expect("bodies of components live");
        assert_eq!(body.user_key(), entity.to_bits());
        let colliders: &Dense<Collider> = world.entities().manager(COLLIDER).unwrap();
        let mut ids: Vec<_> = colliders
            .of(entity)
            .flat_map(|(_, collider)| collider.shapes())
            .copied()
            .collect();
        let mut solid: Vec<_> = body.shapes().filter(|shape| !shape.is_sensor()).collect();
        assert!(solid.iter().all(|shape| shape.user_key() == entity.to_bits()));
        ids.sort();
        solid.sort_by_key(|shape| shape.id());
        assert!(ids.into_iter().eq(solid.iter().map(|shape| shape.id())));
        for shape in body.shapes() {
            let part = world.part_of(shape.id());
            assert_eq!(part.map(|(owner, _)| owner), Some(entity), "{:?}", shape.id());
        }
    }
}

#[test]
fn components_are_divided_as_the_body_was() {
    let mut world = garden();
    let fruit = world.find("fruit").unwrap();
    let cut = world
        .slice(fruit, place(-1.0, 6.8), place(1.0, 6.8))
        .unwrap()
        .unwrap();
    check(&world);
    let stem = world.find("fruit.1").unwrap();
    assert_eq!((cut.entity, &cut.pieces[..]), (fruit, &[stem][..]));
    assert_eq!(
        names_of(&world, fruit),
        [
            "place", "body", "flesh", "look", "fruit", "chute", "health", "stalk"
        ]
    );
    assert_eq!(
        names_of(&world, stem),
        [
            "place", "body", "look", "fruit", "health", "stalk", "eye", "hinge"
        ]
    );
    for path in [
        "look.image",
        "look.layer",
        "health.points",
        "health.mood",
        "place.scale",
    ] {
        assert_eq!(get(&world, "fruit", path), get(&world, "fruit.1", path), "{path}");
    }
    assert_eq!(get(&world, "fruit", "stalk.shape"), Value::Choice(6));
    assert_eq!(get(&world, "fruit", "flesh.shape"), Value::Choice(0));
    assert_eq!(
        get(&world, "fruit.1", "hinge.to"),
        Value::Entity(world.find("branch"))
    );
    // The lamp hangs on the fruit still, and the fruit falls with it; the stalk hangs on.
    assert_eq!(get(&world, "lamp", "chain.to"), Value::Entity(Some(fruit)));
    run(&mut world, 60);
    assert!(world.pose(fruit).unwrap().position.y < 3.0);
    assert!((world.pose(stem).unwrap().position.y - 6.0).abs() < 0.2);
    check(&world);

    // Through the flesh; the greater half keeps the name.
    let center = world
        .find("fruit")
        .and_then(|entity| world.body(entity))
        .unwrap()
        .center_of_mass();
    let halves = world.slice(fruit, center, center + Vec2::X).unwrap().unwrap();
    assert_eq!(world.name_of(halves.pieces[0]), Some("fruit.2"));
    check(&world);
    world.despawn(halves.pieces[0]).unwrap();
    world.despawn(stem).unwrap();
    check(&world);
    run(&mut world, 10);
}

#[test]
fn joints_of_others_hold_the_piece() {
    let mut world = garden();
    let fruit = world.find("fruit").unwrap();
    // Across the flesh: the lamp's joint is on the lower part, which is the smaller one.
    let cut = world
        .slice(fruit, place(-1.0, 5.85), place(1.0, 5.85))
        .unwrap()
        .unwrap();
    let lower = cut.pieces[0];
    assert_eq!(get(&world, "lamp", "chain.to"), Value::Entity(Some(lower)));
    assert_eq!(
        get(&world, "fruit", "hinge.to"),
        Value::Entity(world.find("branch"))
    );
    check(&world);
    world.despawn(lower).unwrap();
    check(&world);
    run(&mut world, 30);
}

#[test]
fn segment_cuts_come_in_their_step_and_are_saved() {
    let mut world = garden();
    let mut other = garden();
    run(&mut world, 5);
    assert!(world.find("ring.1").is_none());
    let save = world.save();
    run(&mut other, 3);
    other.restore(&save).unwrap();
    for world in [&mut world, &mut other] {
        world.add_segment_cut(SegmentCut {
            step: 7,
            from: Vec2::new(-3.0, 6.8),
            to: Vec2::new(3.0, 6.8),
        });
        run(world, 1);
        assert!(world.find("ring.1").is_some() && world.find("fruit.1").is_none());
        run(world, 2);
        assert!(world.find("fruit.1").is_some());
        assert_eq!(world.faults(), []);
        check(world);
    }
    assert_eq!(world.state_hash(), other.state_hash());
    let mut cut = world.save();
    let mut restored = garden();
    restored.restore(&cut).unwrap();
    run(&mut world, 50);
    run(&mut restored, 50);
    assert_eq!(world.state_hash(), restored.state_hash());
    cut.truncate(cut.len() - 9);
    assert!(restored.restore(&cut).is_err());
}

#[test]
fn shattering_makes_an_entity_of_each_cell() {
    let mut world = garden();
    let ring = world.find("ring").unwrap();
    let pattern = Shatter::Seeded { seed: 3, count: 9 };
    let broken = world.shatter(ring, &pattern).unwrap().unwrap();
    assert!(broken.pieces.len() >= 8);
    check(&world);
    let area: f32 = broken
        .pieces
        .iter()
        .chain([&ring])
        .map(|&piece| {
            let body = world.physics().body(world.body_of(piece).unwrap()).unwrap();
            body.mass()
        })
        .sum();
    assert!((area - 6.0).abs() < 1e-4, "{area}");
    run(&mut world, 120);
    check(&world);
}

#[test]
fn a_cut_collider_can_still_be_changed() {
    let mut world = garden();
    let ring = world.find("ring").unwrap();
    world
        .slice(ring, place(10.0, 0.0), place(10.0, 1.0))
        .unwrap()
        .unwrap();
    world.set(ring, "iron.density", Value::F32(3.0)).unwrap();
    check(&world);
    let body = world.find("ring").and_then(|entity| world.body(entity)).unwrap();
    assert!((body.mass() - 9.0).abs() < 1e-4, "{}", body.mass());
}

#[test]
fn bad_cuts_change_nothing() {
    let mut world = garden();
    let before = world.state_hash();
    let [floor, fruit] = ["floor", "fruit"].map(|name| world.find(name).unwrap());
    assert_eq!(
        world.slice(floor, place(50.0, 0.0), place(50.0, 1.0)).unwrap(),
        None
    );
    assert!(matches!(
        world.slice(fruit, place(0.0, 0.0), place(0.0, 0.0)),
        Err(WorldError::Physics { .. })
    ));
    assert!(matches!(
        world.cut_through(place(f32::NAN, 0.0), place(0.0, 0.0), QueryFilter::default()),
        Err(WorldError::Cut(_))
    ));
    assert!(
        world
            .shatter(fruit, &Shatter::Seeded { seed: 1, count: 1 })
            .is_err()
    );
    assert_eq!(world.state_hash(), before);
    let ghost = world.create(None).unwrap();
    assert!(matches!(
        world.slice(ghost, place(0.0, 0.0), place(1.0, 0.0)),
        Err(WorldError::Unfit { .. })
    ));
    world.despawn(ghost).unwrap();
    assert!(matches!(
        world.slice(ghost, place(0.0, 0.0), place(1.0, 0.0)),
        Err(WorldError::NoEntity(_))
    ));
    let kinds = [BODY, JOINT, TRIGGER].map(|kind| {
        let rows = world.components_of(fruit).iter();
        rows.filter(|row| row.manager == kind).count()
    });
    assert_eq!(kinds, [1, 1, 1]);
}

#[test]
fn pieces_of_a_body_that_physics_has_put_elsewhere_are_there() {
    let mut world = crate::yard();
    let cart = world.find("cart").unwrap();
    let body = world.body_of(cart).unwrap();
    let there = tombolo::physics::Position::new(3.0, 20.0);
    world
        .physics_mut()
        .body_mut(body)
        .unwrap()
        .teleport(Pose::new(there.to_vec2(), 0.0))
        .unwrap();
    let (from, to) = (
        tombolo::physics::Position::new(3.0, 0.0),
        tombolo::physics::Position::new(3.0, 40.0),
    );
    let cut = world.slice(cart, from, to).unwrap().unwrap();
    for entity in cut.pieces.iter().copied().chain([cart]) {
        let body = world.physics().body(world.body_of(entity).unwrap()).unwrap();
        assert_eq!(world.pose(entity), Some(body.pose()));
    }
}

#[test]
fn a_piece_has_the_agent_with_its_goal_and_state() {
    let text = r#"(
        settings: (gravity: (0, 0)),
        entities: {"bar": {
            "body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 4, height: 1)),
            "legs": Agent(speed: 2, clearance: 0.25),
        }},
        place: [One(name: "bar", entity: "bar", at: (20, 0))],
    )"#;
    let agent = |world: &World, name: &str| {
        let agents: &Dense<Agent> = world.manager(AGENT).unwrap();
        agents.newest(world.find(name).unwrap()).unwrap().clone()
    };
    // What was asked of it, how long it walked, its state then, and how far its piece goes in a second.
    let cases = [
        (None, 60, AgentState::Idle, 0.0),
        (Some(Vec2::new(18.0, 0.0)), 120, AgentState::Arrived, 0.0),
        (Some(Vec2::new(0.0, 0.0)), 30, AgentState::Walking, 2.0),
    ];
    for (goal, steps, state, distance) in cases {
        let mut world = World::from_scene(&Scene::parse("bar.ron", text).unwrap()).unwrap();
        let bar = world.find("bar").unwrap();
        if let Some(goal) = goal {
            world.set(bar, "legs.goal", Value::Vec2(goal)).unwrap();
        }
        run(&mut world, steps);
        let whole = agent(&world, "bar");
        assert_eq!(whole.state(), state);
        let middle = world.pose(bar).unwrap().position + Vec2::new(0.5, 0.0);
        let [from, to] = [-5.0, 5.0].map(|y| Position::from(middle + Vec2::new(0.0, y)));
        world.slice(bar, from, to).unwrap().unwrap();
        let piece = agent(&world, "bar.1");
        assert_eq!((piece.state(), piece.goal, piece.speed), (state, whole.goal, 2.0));
        assert_eq!((piece.clearance, piece.enabled), (0.25, true));
        let of_piece = world.find("bar.1").unwrap();
        let before = world.pose(of_piece).unwrap().position;
        run(&mut world, 60);
        let went = world.pose(of_piece).unwrap().position.distance(before);
        assert!((went - distance).abs() < 0.2, "{state:?}: {went} m");
        assert_eq!(agent(&world, "bar.1").state(), state);
    }
}

/// A cup with a lid: above the cut the lid holds the two halves of the wall together, which are one collider.
const CUP: &str = r#"(
    settings: (gravity: (0, 0)),
    entities: {"cup": {
        "body": Body(kind: Dynamic),
        "wall": Collider(shape: Outline(points: [
            (-2, 0), (2, 0), (2, 3), (1.5, 3), (1.5, 0.5), (-1.5, 0.5), (-1.5, 3), (-2, 3),
        ])),
        "lid": Collider(shape: Box(width: 4, height: 0.5), position: (0, 3.25)),
    }},
    place: [One(name: "cup", entity: "cup")],
)"#;

#[test]
fn a_collider_of_several_pieces_on_one_body_is_there_several_times() {
    // The longest name that a component may have loses its end for the number.
    let long = "w".repeat(255);
    for (name, second) in [("wall", "wall_1"), (&*long, &*format!("{}_1", &long[2..]))] {
        let text = CUP.replace("wall", name);
        let mut world = World::from_scene(&Scene::parse("cup.ron", &text).unwrap()).unwrap();
        let cup = world.find("cup").unwrap();
        let cut = world
            .slice(cup, place(-9.0, 1.5), place(9.0, 1.5))
            .unwrap()
            .unwrap();
        assert!(world.faults().is_empty(), "{:?}", world.faults());
        check(&world);
        let has_lid = |entity: &Entity| names_of(&world, *entity).iter().any(|part| part == "lid");
        let upper = [cup, cut.pieces[0]].into_iter().find(has_lid).unwrap();
        let mut names = names_of(&world, upper);
        names.sort();
        let mut expected = ["body", "lid", "transform", name, second];
        expected.sort_unstable();
        assert_eq!(names, expected);
        world
            .set(upper, &format!("{second}.friction"), Value::F32(0.125))
            .unwrap();
        let shapes = |world: &World| world.body(upper).unwrap().shapes().count();
        let slippery = world
            .body(upper)
            .unwrap()
            .shapes()
            .filter(|shape| shape.friction() == 0.125)
            .count();
        let before = shapes(&world);
        world.remove_component(upper, second).unwrap();
        assert_eq!(shapes(&world), before - slippery, "its shapes end with it");
        assert!(slippery > 0 && slippery < before);
        check(&world);
        assert_eq!(
            World::from_save(&Scene::parse("cup.ron", &text).unwrap(), &world.save())
                .unwrap()
                .state_hash(),
            world.state_hash()
        );
    }
}

#[test]
fn what_moves_to_a_piece_gets_a_name_that_is_free_there() {
    // A joint on the piece above has the name that the second half of the wall gets.
    let text = CUP
        .replace(
            "\"lid\":",
            "\"wall_1\": Joint(to: Entity(\"post\"), pivot: (0, 3)), \"lid\":",
        )
        .replace("\"cup\": {", "\"post\": {\"body\": Body()}, \"cup\": {")
        .replace(
            "place: [",
            "place: [One(name: \"post\", entity: \"post\", at: (0, 3)), ",
        );
    let mut world = World::from_scene(&Scene::parse("cup.ron", &text).unwrap()).unwrap();
    let cup = world.find("cup").unwrap();
    let cut = world
        .slice(cup, place(-9.0, 1.5), place(9.0, 1.5))
        .unwrap()
        .unwrap();
    assert!(world.faults().is_empty(), "{:?}", world.faults());
    check(&world);
    let joint = world.physics().joints().next().expect("it holds on");
    let owner = Entity::from_bits(joint.user_key()).unwrap();
    let joints: &Dense<tombolo::component::Joint> = world.entities().manager(JOINT).unwrap();
    assert_eq!(joints.of(owner).count(), 1, "{cut:?}");
    world.despawn(owner).unwrap();
    assert_eq!(world.physics().joints().count(), 0, "it ends with its entity");
}

/// A wall of many colliders: troughs, boxes and angles, and a fence of segments on top.
fn wall_of_many() -> World {
    let mut colliders = String::new();
    for place in 0..12 {
        let shape = match place % 3 {
            0 => {
                "Outline(points: [(0, 0), (1, 0), (1, 1), (0.8, 1), (0.8, 0.2), (0.2, 0.2), (0.2, 1), (0, 1)])"
            }
            1 => "Outline(points: [(0, 0), (1, 0), (1, 1), (0, 1)])",
            _ => "Outline(points: [(0, 0), (1, 0), (1, 0.5), (0.5, 0.5), (0.5, 1), (0, 1)])",
        };
        let (x, y) = (place % 4, place / 4);
        colliders += &format!("\"part{place}\": Collider(shape: {shape}, position: ({x}, {y})),\n");
    }
    let points: Vec<String> = (0..9)
        .map(|x| format!("({}, 3)", 4.0 - 0.5 * f64::from(x)))
        .collect();
    colliders += &format!(
        "\"fence\": Collider(shape: Chain(points: [{}])),\n",
        points.join(", ")
    );
    let text = format!(
        "(settings: (gravity: (0, 0)), \
        entities: {{\"wall\": {{\"body\": Body(kind: Dynamic),\n{colliders}}}}}, \
        place: [One(name: \"wall\", entity: \"wall\")])"
    );
    World::from_scene(&Scene::parse("wall.ron", &text).unwrap()).unwrap()
}

/// The colliders of an entity by name, with their shapes.
fn colliders_of(world: &World, entity: Entity) -> BTreeMap<String, Vec<ShapeId>> {
    let colliders: &Dense<Collider> = world.entities().manager(COLLIDER).unwrap();
    let rows = world.components_of(entity).iter();
    rows.filter(|row| row.manager == COLLIDER)
        .map(|row| {
            let name = world.entities().names().get(row.name).unwrap();
            let collider = colliders.value(entity, row.name.into()).unwrap();
            (name.to_string(), collider.shapes().to_vec())
        })
        .collect()
}

/// Each piece has of each collider its shapes that were not cut, and the polygons that were cut from it: compared with a
/// search among all of them.
#[test]
fn many_colliders_are_shared_out_to_many_pieces() {
    let pattern = Shatter::Seeded { seed: 11, count: 30 };
    let mut counts = [0; 2];
    for is_slice in [true, false] {
        let mut world = wall_of_many();
        let wall = world.find("wall").unwrap();
        let before = colliders_of(&world, wall);
        assert_eq!(before.len(), 13);
        let cut = if is_slice {
            // Above it, what is on top of a trough holds its two sides together.
            world.slice(wall, place(-1.0, 1.6), place(5.0, 1.6))
        } else {
            world.shatter(wall, &pattern)
        };
        let EntityCut { pieces, cut, .. } = cut.unwrap().unwrap();
        let physics = world.physics();
        for owner in pieces.into_iter().chain([wall]) {
            let body = world.body_of(owner).unwrap();
            let mut expected = BTreeMap::new();
            for (name, shapes) in &before {
                let is_here =
                    |id: &ShapeId| physics.shape(*id).is_some_and(|shape| shape.body().id() == body);
                let whole: Vec<ShapeId> = shapes.iter().copied().filter(is_here).collect();
                counts[0] += usize::from(!whole.is_empty());
                let made = cut.concave_polygons.iter();
                let made = made
                    .filter(|made| shapes.contains(&made.from))
                    .map(|made| physics.concave_polygon(made.concave_polygon).unwrap())
                    .filter(|polygon| polygon.body().id() == body)
                    .map(|polygon| polygon.parts().map(|part| part.id()).collect());
                let whole = Some(whole).filter(|whole| !whole.is_empty());
                for (number, share) in whole.into_iter().chain(made).enumerate() {
                    counts[1] += usize::from(number > 0);
                    let name = match number {
                        0 => name.clone(),
                        number => format!("{name}_{number}"),
                    };
                    expected.insert(name, share);
                }
            }
            assert_eq!(colliders_of(&world, owner), expected);
        }
        check(&world);
        assert!(world.faults().is_empty(), "{:?}", world.faults());
    }
    let is_varied = counts[0] > 3 && counts[1] > 0;
    assert!(is_varied, "some are whole, some in several parts: {counts:?}");
}
