//! What happened, told by entities, in one order, and never lost.

use tombolo::entity::Value;
use tombolo::physics::{BodyId, Frame, Pose, Position, QueryFilter, Shatter, TileBlock, TileCut, Vec2};
use tombolo::{Event, Scene, World};

use crate::{run, yard};

/// Who touches or visits whom, counted by what the events say.
#[derive(Default)]
struct Ledger {
    touches: Vec<(tombolo::Touch, i32)>,
    visits: Vec<(tombolo::Visit, i32)>,
}

impl Ledger {
    fn read(&mut self, world: &World) {
        for event in world.events() {
            match event {
                Event::BeginTouch(touch) => self.touches.push((*touch, 1)),
                Event::EndTouch(touch) => self.touches.push((*touch, -1)),
                Event::Enter(visit) => self.visits.push((*visit, 1)),
                Event::Leave(visit) => self.visits.push((*visit, -1)),
                _ => {}
            }
        }
    }
}

#[test]
fn spawns_and_ends_come_in_the_order_of_the_calls() {
    let mut world = yard();
    world.step();
    let spawned = world
        .events()
        .iter()
        .filter(|event| matches!(event, Event::Spawned(_)))
        .count();
    assert_eq!(spawned, world.entity_count(), "the scene's own");
    let one = world.spawn("crate", &Default::default()).unwrap();
    let cart = world.find("cart").unwrap();
    let children = Vec::from(world.children(cart));
    world.despawn(cart).unwrap();
    let two = world.create(None).unwrap();
    world.step();
    let expected = [
        Event::Spawned(one),
        Event::Despawned(children[0]),
        Event::Despawned(children[1]),
        Event::Despawned(cart),
        Event::Spawned(two),
    ];
    assert_eq!(world.events()[..5], expected);
    world.step();
    assert!(
        !world
            .events()
            .iter()
            .any(|event| matches!(event, Event::Spawned(_)))
    );
}

#[test]
fn a_spawn_that_fails_is_no_event() {
    let mut world = yard();
    world.step();
    let overrides = [tombolo::entity::Override {
        path: "hull.size".into(),
        value: tombolo::entity::Value::Vec2(tombolo::physics::Vec2::ZERO),
    }];
    let def = tombolo::SpawnDef {
        overrides: &overrides,
        ..Default::default()
    };
    assert!(world.spawn("crate", &def).is_err());
    world.step();
    let of_entities = |event: &Event| matches!(event, Event::Spawned(_) | Event::Despawned(_));
    assert!(!world.events().iter().any(of_entities));
}

#[test]
fn every_begin_has_its_end_also_when_an_entity_ends() {
    let mut world = yard();
    let mut ledger = Ledger::default();
    for _ in 0..100 {
        world.step();
        ledger.read(&world);
    }
    let safe = world.find("safe").unwrap();
    let gate = world.find("gate").unwrap();
    let of_safe = |touch: &tombolo::Touch| touch.a == safe || touch.b == safe;
    assert!(
        ledger.touches.iter().any(|(touch, _)| of_safe(touch)),
        "it fell on something"
    );
    assert!(
        ledger
            .visits
            .iter()
            .any(|(visit, _)| visit.trigger == gate && visit.visitor == safe),
        "and through the gate"
    );
    for name in ["safe", "gate", "floor"] {
        let entity = world.find(name).unwrap();
        world.despawn(entity).unwrap();
    }
    for _ in 0..3 {
        world.step();
        ledger.read(&world);
    }
    let mut open: Vec<_> = ledger.touches.clone();
    open.retain(|(touch, _)| of_safe(touch));
    assert_eq!(open.iter().map(|(_, sign)| sign).sum::<i32>(), 0, "{open:?}");
    assert_eq!(ledger.visits.iter().map(|(_, sign)| sign).sum::<i32>(), 0);
}

/// What a script that keeps a flag would have, of touches, sensors and zones: set by a begin, cleared by an end.
#[test]
fn an_end_is_told_of_before_the_next_begin_of_the_same_two() {
    let text = r#"(
        entities: {
            "floor": {"body": Body(), "top": Collider(shape: Box(width: 20, height: 2), position: (0, -1))},
            "crate": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1))},
            "gate": {"eye": Trigger(shape: Outline(points: [(-3, 0), (0, 1), (3, 0), (3, 3), (-3, 3)])),
                "area": Zone(shape: Box(width: 8, height: 8))},
        },
        place: [
            One(name: "floor", entity: "floor"),
            One(name: "crate", entity: "crate", at: (0, 0.5)),
            One(name: "gate", entity: "gate"),
        ],
    )"#;
    let mut world = World::from_scene(&Scene::parse("again.ron", text).unwrap()).unwrap();
    let [floor, body, gate] = ["floor", "crate", "gate"].map(|name| world.find(name).unwrap());
    let mut flags = [false; 3];
    let mut again = [0; 3];
    for step in 0..60 {
        match step {
            10 => world.teleport(body, Pose::new(Vec2::new(0.1, 0.5), 0.0)).unwrap(),
            // Another shape of the same two.
            20 => world
                .set(floor, "top.size", Value::Vec2(Vec2::new(18.0, 2.0)))
                .unwrap(),
            30 => world.set(gate, "eye.angle", Value::F32(0.01)).unwrap(),
            40 => {
                world.remove_component(gate, "area").unwrap();
                world.add_component(gate, "Zone", "area").unwrap();
                world.set(gate, "area.radius", Value::F32(4.0)).unwrap();
            }
            _ => {}
        }
        world.step();
        for event in world.events() {
            let (kind, begins) = match event {
                Event::BeginTouch(_) => (0, true),
                Event::EndTouch(_) => (0, false),
                Event::Enter(visit) if visit.visitor == body => (1, true),
                Event::Leave(visit) if visit.visitor == body => (1, false),
                Event::EnterZone(visit) if visit.visitor == body => (2, true),
                Event::LeaveZone(visit) if visit.visitor == body => (2, false),
                _ => continue,
            };
            again[kind] += i32::from(!begins);
            flags[kind] = begins;
        }
        assert!(step < 2 || flags == [true; 3], "after step {step}: {flags:?}");
    }
    assert_eq!(
        again,
        [2, 2, 1],
        "each was left and begun again, the trigger in its two parts"
    );
}

#[test]
fn events_are_the_same_after_a_restore_in_between() {
    let mut world = yard();
    run(&mut world, 60);
    let safe = world.find("safe").unwrap();
    world.despawn(safe).unwrap();
    let mut other = yard();
    other.restore(&world.save()).unwrap();
    assert!(other.events().is_empty());
    for _ in 0..20 {
        world.step();
        other.step();
        assert_eq!(world.events(), other.events());
    }
}

#[test]
fn hits_and_parts_have_their_entities() {
    let mut world = yard();
    let mut hits = 0;
    for _ in 0..120 {
        world.step();
        for event in world.events() {
            if let Event::Hit {
                touch,
                approach_speed,
                ..
            } = event
            {
                assert!(*approach_speed >= 1.0);
                let floor = world.find("floor").unwrap();
                assert!(
                    touch.a == floor || touch.b == floor,
                    "only its edge asks for hits"
                );
                let shape = if touch.a == floor {
                    touch.shape_a
                } else {
                    touch.shape_b
                };
                let (owner, part) = world.part_of(shape).unwrap();
                let name = world.entities().names().get(part);
                assert_eq!((owner, name), (floor, Some("edge")));
                hits += 1;
            }
        }
    }
    assert!(hits > 0);
}

#[test]
fn who_stays_in_a_trigger_that_is_set_does_not_leave_it() {
    let text = r#"(
        settings: (gravity: (0, 0)),
        entities: {
            "radar": {"ring": Trigger(shape: Box(width: 4, height: 4))},
            "ship": {"body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 0.5), category: 2)},
        },
        place: [One(name: "radar", entity: "radar"), One(name: "ship", entity: "ship", at: (1, 0))],
    )"#;
    let mut world = World::from_scene(&Scene::parse("radar.ron", text).unwrap()).unwrap();
    let radar = world.find("radar").unwrap();
    let visits = |world: &World| {
        let mut count = (0, 0);
        for event in world.events() {
            count.0 += usize::from(matches!(event, Event::Enter(_)));
            count.1 += usize::from(matches!(event, Event::Leave(_)));
        }
        count
    };
    world.step();
    assert_eq!(visits(&world), (1, 0));
    run(&mut world, 9);
    let visitors = |world: &World| world.get(radar, "ring.visitor_count").unwrap();
    let set = |world: &mut World, property: &str, value: Value| {
        world.set(radar, &format!("ring.{property}"), value).unwrap();
        let at_once = visitors(world);
        world.step();
        world.physics().validate();
        (at_once, visits(world))
    };
    for turn in 0..10 {
        let seen = set(&mut world, "angle", Value::F32(0.01 * turn as f32));
        assert_eq!(seen, (Value::U32(1), (0, 0)), "turn {turn}");
    }
    for (property, value, seen) in [
        ("position", Value::Vec2(Vec2::new(0.5, 0.0)), (0, 0)),
        ("size", Value::Vec2(Vec2::new(5.0, 3.0)), (0, 0)),
        ("sees_triggers", Value::Bool(true), (0, 0)),
        ("mask", Value::I64(3), (0, 0)),
        // Those that leave and enter do so for a reason.
        ("mask", Value::I64(1), (0, 1)),
        ("mask", Value::I64(-1), (1, 0)),
        ("position", Value::Vec2(Vec2::new(9.0, 0.0)), (0, 1)),
        ("position", Value::Vec2(Vec2::new(1.0, 0.0)), (1, 0)),
    ] {
        let text = format!("{property} = {value:?}");
        assert_eq!(set(&mut world, property, value).1, seen, "{text}");
    }
}

/// Physics has a concave trigger as several convex sensors.
#[test]
fn a_concave_trigger_is_one_trigger_however_it_ends() {
    let text = r#"(
        settings: (gravity: (0, 0)),
        entities: {
            "bay": {BODY "eye": Trigger(shape: Outline(points: [(0, 0), (4, 0), (4, 1), (1, 1), (1, 4), (0, 4)]))},
            "ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.2))},
        },
        place: [
            One(name: "bay", entity: "bay"),
            One(name: "right", entity: "ball", at: (3.5, 0.5)),
            One(name: "above", entity: "ball", at: (0.5, 3.5)),
            One(name: "corner", entity: "ball", at: (0.8, 0.8)),
        ],
    )"#;
    type End = fn(&mut World, tombolo::entity::Entity);
    let ends: [(&str, End); 5] = [
        ("despawn", |world, bay| world.despawn(bay).unwrap()),
        ("remove", |world, bay| world.remove_component(bay, "eye").unwrap()),
        ("move", |world, bay| {
            world
                .set(bay, "eye.position", Value::Vec2(Vec2::new(50.0, 0.0)))
                .unwrap();
        }),
        ("add a body", |world, bay| {
            if world.body_of(bay).is_none() {
                world.add_component(bay, "Body", "body").unwrap();
            }
            world
                .set(bay, "eye.position", Value::Vec2(Vec2::new(50.0, 0.0)))
                .unwrap();
        }),
        ("remove the body", |world, bay| {
            if world.body_of(bay).is_some() {
                world.remove_component(bay, "body").unwrap();
            }
            world
                .set(bay, "eye.position", Value::Vec2(Vec2::new(50.0, 0.0)))
                .unwrap();
        }),
    ];
    for body in ["", "\"body\": Body(),"] {
        for (how, end) in ends {
            for is_restored in [false, true] {
                let scene = Scene::parse("bay.ron", &text.replace("BODY", body)).unwrap();
                let mut world = World::from_scene(&scene).unwrap();
                let bay = world.find("bay").unwrap();
                let solids = 3 + usize::from(!body.is_empty());
                let mut ledger = Ledger::default();
                world.step();
                ledger.read(&world);
                let entered = ledger.visits.len();
                assert!(entered >= 3, "{how} {body}: {entered}");
                for (visit, _) in &ledger.visits {
                    let (owner, part) = world.part_of(visit.sensor).expect("a part of the trigger");
                    assert_eq!((owner, world.entities().names().get(part)), (bay, Some("eye")));
                }
                assert_eq!(
                    world.get(bay, "eye.visitor_count"),
                    Ok(Value::U32(3)),
                    "{how} {body}"
                );
                if is_restored {
                    world = World::from_save(&scene, &world.save()).unwrap();
                }
                end(&mut world, bay);
                run(&mut world, 1);
                ledger.read(&world);
                let left = ledger.visits.iter().filter(|(_, change)| *change < 0).count();
                assert_eq!(
                    (ledger.visits.len(), left),
                    (2 * entered, entered),
                    "{how} {body}"
                );
                world.physics().validate();
                if how == "despawn" || how == "remove" {
                    assert!(world.physics().bodies().len() <= solids, "{how} {body}");
                }
            }
        }
    }
}

/// A crate on tiles, in the ring of a gate.
const PORT: &str = r##"(
    entities: {
        "ground": {
            "body": Body(),
            "tiles": Tiles(origin: (-4, -1), legend: ["# Full"], rows: ["8#"]),
        },
        "crate": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1))},
        "gate": {"ring": Trigger(shape: Box(width: 3, height: 3))},
    },
    place: [
        One(name: "ground", entity: "ground"),
        One(name: "crate", entity: "crate", at: (0, 0.5)),
        One(name: "gate", entity: "gate", at: (0, 1)),
    ],
)"##;

type End = fn(&mut World, BodyId);

/// The calls of physics that destroy the shape of the crate, or of the tiles below it.
fn ends_through_physics() -> [(&'static str, End); 8] {
    [
        ("body", |world, body| {
            world.physics_mut().destroy_body(body).unwrap()
        }),
        ("shape", |world, body| {
            let shape = world.physics().body(body).unwrap().shapes().next().unwrap().id();
            world.physics_mut().destroy_shape(shape).unwrap();
        }),
        ("slice", |world, body| {
            let cut = world
                .physics_mut()
                .slice(body, Position::new(-0.2, -5.0), Position::new(0.2, 5.0));
            assert!(cut.unwrap().is_some());
        }),
        ("shatter", |world, body| {
            let pattern = Shatter::Seeded { seed: 1, count: 4 };
            assert!(world.physics_mut().shatter(body, &pattern).unwrap().is_some());
        }),
        ("segment", |world, _| {
            let (from, to) = (Position::new(0.1, 3.0), Position::new(0.1, -0.5));
            let cuts = world.physics_mut().cut_through(from, to, QueryFilter::default());
            assert_eq!(cuts.unwrap().len(), 1);
        }),
        ("cells", |world, _| {
            let grid = world.physics().tile_grids().next().unwrap().id();
            let block = TileBlock {
                width: 2,
                ..TileBlock::cell(3, 0)
            };
            world.physics_mut().fill_tiles(grid, block, 0).unwrap();
        }),
        ("cut tiles", |world, _| {
            let at = Position::new(0.0, 0.0);
            let cut = TileCut {
                radius: 1.2,
                ..TileCut::between(at, at)
            };
            assert!(world.physics_mut().cut_tiles(&cut).unwrap() > 0);
        }),
        ("grid", |world, _| {
            let grid = world.physics().tile_grids().next().unwrap().id();
            world.physics_mut().destroy_tile_grid(grid).unwrap();
        }),
    ]
}

/// The world in which the crate touches the ground and visits the gate, the crate's body, and what began.
fn port() -> (World, BodyId, Ledger) {
    let scene = Scene::parse("port.ron", PORT).unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    let mut ledger = Ledger::default();
    for _ in 0..10 {
        world.step();
        ledger.read(&world);
    }
    let crate_there = world.find("crate").unwrap();
    ledger.visits.retain(|(visit, _)| visit.visitor == crate_there);
    assert_eq!((ledger.touches.len(), ledger.visits.len()), (1, 1));
    let body = world.body_of(crate_there).unwrap();
    (world, body, ledger)
}

impl Ledger {
    /// The numbers of ends of a touch and of a visit.
    fn ends(&self, touch: tombolo::Touch, visit: tombolo::Visit) -> [usize; 2] {
        let touches = self.touches.iter().filter(|&&known| known == (touch, -1));
        let visits = self.visits.iter().filter(|&&known| known == (visit, -1));
        [touches.count(), visits.count()]
    }
}

/// The components know the shapes of their own; whose a shape was that a call of physics destroys only physics knows.
#[test]
fn what_is_destroyed_through_physics_ends_its_touches_and_visits_once() {
    let scene = Scene::parse("port.ron", PORT).unwrap();
    for (what, end) in ends_through_physics() {
        let (mut world, body, mut ledger) = port();
        let (touched, visited) = (ledger.touches[0].0, ledger.visits[0].0);
        end(&mut world, body);
        let hash = world.state_hash();
        let mut restored = World::from_save(&scene, &world.save()).unwrap();
        assert_eq!(restored.state_hash(), hash, "{what}");
        let frame = world.frame();
        assert_eq!([world.state_hash(), frame.checksum()], [hash; 2], "{what}");
        for _ in 0..3 {
            world.step();
            restored.step();
            assert_eq!(world.events(), restored.events(), "{what}");
            ledger.read(&world);
        }
        let is_gone = world.physics().shape(visited.shape).is_none();
        assert_eq!(
            ledger.ends(touched, visited),
            [1, usize::from(is_gone)],
            "{what}: {:?} {:?}",
            ledger.touches,
            ledger.visits
        );
    }
}

/// The ends of touches are in the state of physics, and with a frame of that alone they come back.
#[test]
fn what_was_destroyed_before_a_frame_of_physics_ends_its_touches_after_each_restore() {
    type Keep = fn(&mut World) -> Frame;
    let keeps: [(&str, Keep); 3] = [
        ("before the world knows", |world| world.physics_mut().frame()),
        ("when the world knows", |world| {
            world.update_space();
            world.physics_mut().frame()
        }),
        ("with the world", |world| world.frame().physics().clone()),
    ];
    for (what, end) in ends_through_physics() {
        for (when, keep) in keeps {
            let (mut world, body, ledger) = port();
            let (touched, visited) = (ledger.touches[0].0, ledger.visits[0].0);
            end(&mut world, body);
            let frame = keep(&mut world);
            for steps in [0, 3, 1] {
                (0..steps).for_each(|_| world.step());
                world.physics_mut().restore_frame(&frame);
                let mut after = Ledger::default();
                for _ in 0..3 {
                    world.step();
                    after.read(&world);
                }
                let is_gone = world.physics().shape(visited.shape).is_none();
                assert_eq!(
                    after.ends(touched, visited),
                    [1, usize::from(is_gone)],
                    "{what}, a frame {when}, {steps} steps"
                );
            }
            world.physics().validate();
        }
    }
}
