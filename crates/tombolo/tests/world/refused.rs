//! A call that refuses leaves the world as it was: by its hash, and by what is told of changes.

use tombolo::component::BODY;
use tombolo::entity::{Accessor, Dense, Entity, Override, ResourceDefinition, Value};
use tombolo::geometry::{Pose, Rot};
use tombolo::physics::{Position, Vec2};
use tombolo::{Scene, SegmentCut, Settings, SpawnDef, World, WorldError};

use crate::{YARD, run, yard};

/// Makes a call that is refused; what it said.
fn refused<T: std::fmt::Debug, E: ToString>(
    world: &mut World,
    call: impl FnOnce(&mut World) -> Result<T, E>,
) -> String {
    world.watch_changes(true);
    let before = world.state_hash();
    let message = match call(world) {
        Ok(taken) => panic!("{taken:?} was not refused"),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        world.state_hash(),
        before,
        "refused, and changed something: {message}"
    );
    assert_eq!(world.take_changes(), [], "refused, and told a change: {message}");
    message
}

/// A world that has run for a while.
fn aged_yard() -> World {
    let mut world = yard();
    run(&mut world, 40);
    world
}

#[test]
fn a_spawn_at_no_place_is_refused() {
    let mut world = aged_yard();
    let lamp = world.find("cart/lamp").unwrap();
    for (x, y, angle) in [
        (f32::NAN, 0.0, 0.0),
        (0.0, f32::INFINITY, 0.0),
        (0.0, 0.0, f32::NAN),
        (1.5e9, 0.0, 0.0),
        (f32::MAX, f32::MAX, 1.0),
    ] {
        for (resource, parent) in [
            ("crate", None),
            ("lamp", None),
            ("lamp", Some(lamp)),
            ("gate", None),
        ] {
            let def = SpawnDef {
                pose: Some(Pose::new(Vec2::new(x, y), angle)),
                parent,
                ..SpawnDef::default()
            };
            let message = refused(&mut world, |world| world.spawn(resource, &def));
            assert!(message.ends_with("are no pose"), "{message}");
        }
    }
    // Physics has narrower limits than entities.
    let far = SpawnDef {
        name: Some("far"),
        pose: Some(Pose::new(Vec2::new(1.0e6, 0.0), 0.0)),
        ..SpawnDef::default()
    };
    for (resource, component) in [("crate", "body"), ("gate", "eye")] {
        let message = refused(&mut world, |world| world.spawn(resource, &far));
        let start = format!("entity \"far\", component `{component}`: position is 1000000");
        assert!(message.starts_with(&start), "{message}");
    }
    assert!(world.spawn("lamp", &far).is_ok(), "a lamp has no body");
}

#[test]
fn a_spawn_that_physics_refuses_uses_up_no_handle() {
    let mut world = aged_yard();
    let value = |path: &str, value| {
        [Override {
            path: path.into(),
            value,
        }]
    };
    for (resource, overrides) in [
        ("crate", value("hull.size", Value::Vec2(Vec2::ZERO))),
        ("gate", value("eye.size", Value::Vec2(Vec2::ZERO))),
        ("sign", value("nail.to_name", Value::String("nobody".into()))),
        ("sign", value("nail.lower", Value::F32(1.0))),
    ] {
        let def = SpawnDef {
            overrides: &overrides,
            ..SpawnDef::default()
        };
        // The yard's sign names its other end by handle, which has to go for the name to count.
        let mut twin = world.clone();
        let message = refused(&mut world, |world| world.spawn(resource, &def));
        assert!(
            ["entity Handle", "resource `"]
                .iter()
                .any(|start| message.starts_with(start))
                || message.contains("nobody"),
            "{message}"
        );
        assert_eq!(
            world.spawn("crate", &SpawnDef::default()),
            twin.spawn("crate", &SpawnDef::default())
        );
        assert_eq!(world.state_hash(), twin.state_hash(), "{resource}");
    }
}

#[test]
fn an_entity_is_not_spawned_as_its_own_child() {
    let mut world = aged_yard();
    let next = world.clone().create(None).unwrap();
    let overrides = [Override {
        path: "transform.parent".into(),
        value: Value::Entity(Some(next)),
    }];
    let def = SpawnDef {
        overrides: &overrides,
        ..SpawnDef::default()
    };
    let message = refused(&mut world, |world| world.spawn("gate", &def));
    assert_eq!(message, format!("{next:?} is not alive"));
    // The same by way of a resource, for a scene, and for those who live.
    let orphan = |parent: Entity| {
        let parent = [("parent", Value::Entity(Some(parent)))];
        ResourceDefinition::new("gate").component("transform", "Transform", parent)
    };
    world.define(vec![orphan(next)]).unwrap_err();
    let mut empty = World::new(&tombolo::Settings::default()).unwrap();
    let first = empty.clone().create(None).unwrap();
    empty.define(vec![orphan(first)]).unwrap();
    let scene = r#"(entities: {"gate": {"mark": Tag()}, "post": {"base": Inherits("gate")}},
        place: [One(name: "post", entity: "post")])"#;
    let message = refused(&mut empty, |world| world.spawn("gate", &SpawnDef::default()));
    assert_eq!(message, format!("{first:?} is not alive"));
    empty
        .add_scene(&Scene::parse("post.ron", scene).unwrap())
        .unwrap();
    let gate = empty.find("post").unwrap();
    refused(&mut empty, |world| world.define(vec![orphan(gate)]));
}

#[test]
fn a_property_that_is_refused_leaves_no_trace() {
    let mut world = aged_yard();
    // What physics knows better is written into the component before a part of it is set.
    for (name, path, value) in [
        ("cart", "body.linear_velocity.y", Value::F32(2.0e6)),
        ("cart", "body.awake", Value::Bool(false)),
        ("cart", "body.mass", Value::F32(1.0)),
        ("cart", "body.gravity_scale", Value::F32(1.0e7)),
        ("cart", "bed.shape", Value::String("Polygon".into())),
        ("cart", "bed.friction", Value::F32(1.0e7)),
        ("floor", "edge.closed", Value::String("yes".into())),
        ("sign", "nail.lower", Value::F32(1.0)),
        ("sign", "nail.to_name", Value::String("nobody".into())),
        ("gate", "eye.shape", Value::String("Capsule".into())),
        ("cart/lamp", "transform.world_angle", Value::F32(1.0)),
        ("cart", "transform.position", Value::Vec2(Vec2::new(2.0e5, 0.0))),
    ] {
        let entity = world.find(name).unwrap();
        let message = refused(&mut world, |world| world.set(entity, path, value.clone()));
        assert!(!message.is_empty());
    }
    // Agents look for their ways anew where a wall changes, and nowhere else.
    let floor = world.find("floor").unwrap();
    world.add_component(floor, "Agent", "legs").unwrap();
    world.set(floor, "legs.goal", Value::Vec2(Vec2::ONE)).unwrap();
    run(&mut world, 3);
    refused(&mut world, |world| {
        world.set(floor, "top.size", Value::Vec2(Vec2::ZERO))
    });
}

#[test]
fn a_property_that_is_refused_for_one_of_many_is_set_for_none() {
    let mut world = aged_yard();
    let lamps = ["cart/lamp", "cart/spare"].map(|name| world.find(name).unwrap());
    let stamp = world.entities().index().prototype(lamps[0]);
    assert_eq!(stamp, world.entities().index().prototype(lamps[1]));
    // The second cannot be its own child.
    let mut parent = Accessor::new("transform.parent").unwrap();
    let value = Value::Entity(Some(lamps[1]));
    let message = refused(&mut world, |world| world.set_all(stamp, &mut parent, &value));
    assert!(message.contains("its own ancestor"), "{message}");
    // Of two bodies the second is gone.
    let crates = ["crate[0]", "crate[1]"].map(|name| world.find(name).unwrap());
    let stamp = world.entities().index().prototype(crates[0]);
    let body = world.body_of(crates[1]).unwrap();
    world.physics_mut().destroy_body(body).unwrap();
    let mut spin = Accessor::new("body.angular_velocity").unwrap();
    refused(&mut world, |world| {
        world.set_all(stamp, &mut spin, &Value::F32(1.0))
    });
}

#[test]
fn a_component_that_is_refused_leaves_no_name_and_no_prototype() {
    let mut world = aged_yard();
    let far = SpawnDef {
        pose: Some(Pose::new(Vec2::new(1.0e6, 0.0), 0.0)),
        ..SpawnDef::default()
    };
    let lamp = world.spawn("lamp", &far).unwrap();
    for manager in ["Body", "Trigger"] {
        let message = refused(&mut world, |world| {
            world.add_component(lamp, manager, "unheard of")
        });
        assert!(
            message.contains("component `unheard of`: position is 1000000"),
            "{message}"
        );
    }
    let cart = world.find("cart").unwrap();
    for (manager, name) in [
        ("Body", "second"),
        ("Transform", "second"),
        ("Tag", "bed"),
        ("Tag", "a.b"),
    ] {
        refused(&mut world, |world| world.add_component(cart, manager, name));
    }
    refused(&mut world, |world| world.remove_component(cart, "transform"));
    refused(&mut world, |world| world.remove_component(cart, "nothing"));
}

#[test]
fn a_teleport_to_no_place_is_refused_with_a_body_and_without() {
    let mut world = aged_yard();
    let names = ["cart", "cart/lamp", "gate", "chute"];
    for name in names {
        let entity = world.find(name).unwrap();
        for pose in [
            Pose::new(Vec2::new(f32::NAN, 0.0), 0.0),
            Pose::new(Vec2::ZERO, f32::INFINITY),
            Pose::new(Vec2::new(0.0, -2.0e9), 0.0),
            Pose {
                position: Vec2::ZERO,
                rotation: Rot { cos: 3.0, sin: 4.0 },
            },
        ] {
            let message = refused(&mut world, |world| world.teleport(entity, pose));
            assert!(message.starts_with(&format!("entity {name:?}: ")), "{message}");
        }
    }
    // A sensor's own body may be gone; the entity goes all the same.
    let gate = world.find("gate").unwrap();
    let sensor = world
        .physics()
        .bodies()
        .find(|body| body.user_key() == gate.to_bits())
        .unwrap()
        .id();
    world.physics_mut().destroy_body(sensor).unwrap();
    world.teleport(gate, Pose::new(Vec2::new(1.0, 1.0), 0.0)).unwrap();
}

#[test]
fn resources_that_are_refused_change_nobody() {
    let mut world = aged_yard();
    let crate_ = world.library().get("crate").unwrap().clone();
    let with = |property: &'static str, value| {
        let mut changed = crate_.clone();
        let hull = changed
            .components
            .iter_mut()
            .find(|part| &*part.name == "hull")
            .unwrap();
        hull.values.retain(|(known, _)| &**known != property);
        hull.values.push((property.into(), value));
        changed
    };
    // The living crates follow: physics refuses the second property, and the first is not kept either.
    let mut both = with("size", Value::Vec2(Vec2::ZERO));
    both.components.push(tombolo::entity::ComponentDefinition {
        name: "mark".into(),
        manager: "Tag".into(),
        values: Vec::new(),
    });
    refused(&mut world, |world| world.define(vec![both.clone()]));
    let two = crate_.clone().component("again", "Transform", []);
    let message = refused(&mut world, |world| world.define(vec![two.clone()]));
    assert!(message.ends_with("an entity has one Transform"), "{message}");
    // A Transform of another name would take the place, and the parent, of those who live.
    let other = ResourceDefinition::new("crate").component("place too", "Transform", []);
    let message = refused(&mut world, |world| world.define(vec![other.clone()]));
    assert!(message.ends_with("an entity keeps its Transform"), "{message}");
    refused(&mut world, |world| {
        world.define(vec![ResourceDefinition::new("new").component("x", "Nothing", [])])
    });
    // A scene whose last name is taken leaves neither resources nor scripts.
    let scene = Scene::parse("yard.ron", YARD).unwrap();
    refused(&mut world, |world| {
        world.add_scene(&scene).map_err(|error| error.to_string())
    });
    let more = r#"(entities: {"post": {"foot": Body()}}, place: [
        One(name: "post", entity: "post"), One(name: "gate", entity: "post")])"#;
    let more = Scene::parse("more.ron", more).unwrap();
    refused(&mut world, |world| {
        world.add_scene(&more).map_err(|error| error.to_string())
    });
    assert!(world.library().get("post").is_none());
}

#[test]
fn a_games_manager_that_refuses_leaves_no_entity() {
    /// Takes nobody.
    #[derive(Clone, Debug)]
    struct Never;
    impl tombolo::entity::ComponentManager for Never {
        fn create(
            &mut self,
            _: Entity,
            _: tombolo::entity::InstanceId,
        ) -> Result<(), tombolo::entity::ManagerError> {
            Err(tombolo::entity::ManagerError::Other("not today".into()))
        }
        fn contains(&self, _: Entity, _: tombolo::entity::InstanceId) -> bool {
            false
        }
        fn destroy(&mut self, _: Entity, _: tombolo::entity::InstanceId) -> bool {
            false
        }
        fn collect(&mut self, _: &tombolo::entity::Entities, _: usize) -> usize {
            0
        }
        fn len(&self) -> usize {
            0
        }
        fn clone_boxed(&self) -> Box<dyn tombolo::entity::ComponentManager> {
            Box::new(self.clone())
        }
        fn save(&self, _: &mut tombolo::entity::Writer) {}
        fn restore(&mut self, _: &mut tombolo::entity::Reader<'_>) -> Result<(), tombolo::entity::DataError> {
            Ok(())
        }
    }
    let mut world = aged_yard();
    world.register_manager("Never", Never).unwrap();
    let closed = ResourceDefinition::new("closed")
        .component("body", "Body", [])
        .component("door", "Never", []);
    world.define(vec![closed]).unwrap();
    // Also in the slot of one that ended.
    let crate_ = world.find("crate[0]").unwrap();
    assert_eq!(world.despawn(crate_), Ok(()));
    let message = refused(&mut world, |world| world.spawn("closed", &SpawnDef::default()));
    assert!(message.contains("not today"), "{message}");
    let gate = world.find("gate").unwrap();
    refused(&mut world, |world| world.add_component(gate, "Never", "door"));
}

#[test]
fn a_stroke_to_nowhere_is_a_fault_and_no_part_of_the_save() {
    let mut world = aged_yard();
    let before = world.state_hash();
    world.add_segment_cut(SegmentCut {
        step: 3,
        from: Vec2::new(f32::NAN, 0.0),
        to: Vec2::ONE,
    });
    assert_eq!(world.state_hash(), before);
    assert_eq!(
        &*world.faults()[0],
        "the segment cut of step 3: from [NaN, 0] to [1, 1] is no line"
    );
    let save = world.save();
    world.restore(&save).unwrap();
}

#[test]
fn a_cut_that_is_refused_changes_nothing() {
    let mut world = aged_yard();
    let cart = world.find("cart").unwrap();
    let lamp = world.find("cart/lamp").unwrap();
    let nowhere = Position::new(f32::NAN, 0.0);
    refused(&mut world, |world| world.slice(cart, nowhere, Position::ORIGIN));
    refused(&mut world, |world| {
        world.slice(lamp, Position::ORIGIN, Position::new(1.0, 0.0))
    });
    refused(&mut world, |world| {
        world.cut_through(
            nowhere,
            Position::ORIGIN,
            tombolo::physics::QueryFilter::default(),
        )
    });
    let one = tombolo::physics::Shatter::Seeded { seed: 1, count: 1 };
    refused(&mut world, |world| world.shatter(cart, &one));
    let bodies: &Dense<tombolo::component::Body> = world.manager(BODY).unwrap();
    assert!(bodies.newest(cart).is_some());
}

#[test]
fn a_trigger_has_an_inside_and_on_what_falls_an_end() {
    let text = r#"(
        entities: {
            "sub": {
                "body": Body(kind: Dynamic),
                "hull": Collider(shape: Circle(radius: 1)),
                "below": Trigger(shape: HalfSpace),
            },
            "lake": {"below": Trigger(shape: HalfSpace)},
            "buoy": {"body": Body(kind: Dynamic), "eye": Trigger(shape: Circle(radius: 1))},
            "mark": {"mark": Tag()},
        },
        place: [
            One(name: "mark", entity: "mark"),
            One(name: "lake", entity: "lake"),
            One(name: "buoy", entity: "buoy", at: (0, 5)),
        ],
    )"#;
    let mut world = World::from_scene(&Scene::parse("sub.ron", text).unwrap()).unwrap();
    let message = refused(&mut world, |world| world.spawn("sub", &SpawnDef::default()));
    assert!(message.contains("`below`"), "{message}");
    let [lake, buoy] = ["lake", "buoy"].map(|name| world.find(name).unwrap());
    let shape = |word: &str| Value::String(word.into());
    refused(&mut world, |world| {
        world.set(buoy, "eye.shape", shape("HalfSpace"))
    });
    for line in ["Chain", "Heightfield"] {
        let points = (0..5).map(|x| Value::Vec2(Vec2::new(x as f32, 0.0))).collect();
        world.set(lake, "below.points", Value::List(points)).unwrap();
        let message = refused(&mut world, |world| world.set(lake, "below.shape", shape(line)));
        assert!(message.contains("has no inside"), "{message}");
        let resource = ResourceDefinition::new("line").component(
            "eye",
            "Trigger",
            [
                ("shape", shape(line)),
                ("points", world.get(lake, "below.points").unwrap()),
            ],
        );
        world.define(vec![resource]).unwrap();
        let message = refused(&mut world, |world| world.spawn("line", &SpawnDef::default()));
        assert!(message.contains("has no inside"), "{message}");
    }
    world.physics().validate();
}

#[test]
fn a_rate_of_steps_is_what_a_save_can_have() {
    for rate in [0, 10_001, 2_000_000, u32::MAX] {
        let settings = Settings {
            steps_per_second: rate,
            ..Settings::default()
        };
        let error = World::new(&settings).map(|_| ()).unwrap_err();
        assert_eq!(
            error,
            WorldError::Limit {
                name: "steps_per_second",
                value: rate,
                least: 1,
                most: 10_000
            }
        );
    }
    for rate in [1, 10_000] {
        let settings = Settings {
            steps_per_second: rate,
            ..Settings::default()
        };
        let mut world = World::new(&settings).unwrap();
        world.step();
        let save = world.save();
        world.restore(&save).unwrap();
    }
}

#[test]
fn an_element_that_one_of_many_lacks_is_set_for_none() {
    let text = r#"(
        entities: {"lamp": {"fx": RenderData(effect: "fog", values: {"a": 1, "b": 2, "c": 3, "d": 4})}},
        place: [Row(name: "lamp", entity: "lamp", count: 2, step: (1, 0))],
    )"#;
    let mut world = World::from_scene(&Scene::parse("lamps.ron", text).unwrap()).unwrap();
    let lamps = ["lamp[0]", "lamp[1]"].map(|name| world.find(name).unwrap());
    let Value::List(mut values) = world.get(lamps[1], "fx.values").unwrap() else {
        panic!()
    };
    values.truncate(2);
    world.set(lamps[1], "fx.values", Value::List(values)).unwrap();
    let stamp = world.entities().index().prototype(lamps[0]);
    let mut last = Accessor::new("fx.values.3").unwrap();
    refused(&mut world, |world| {
        world.set_all(stamp, &mut last, &Value::F32(9.0))
    });
}

#[test]
fn a_placement_is_within_the_reach_of_a_world() {
    let text = r#"(
    entities: {"mark": {"m": Tag()}, "cart": {"m": Tag(), "mark": Child(entity: "mark", at: (90000, 0))}},
    place: [
        Row(name: "mark", entity: "ENTITY", count: 10050, step: (STEP, 0), angle: ANGLE),
    ],
)"#;
    let text = |entity: &str, step: &str, angle: &str| {
        text.replace("ENTITY", entity)
            .replace("STEP", step)
            .replace("ANGLE", angle)
    };
    for text in [
        text("mark", "100000", "0"),
        text("mark", "1", "3e38, angle_jitter: 3e38"),
    ] {
        let made = Scene::parse("far.ron", &text).and_then(|scene| World::from_scene(&scene));
        let error = made.map(|_| ()).unwrap_err().to_string();
        assert!(error.starts_with("far.ron:4: "), "{error}");
    }
    // The last one is 99,990 m short of the border, and its child beyond it.
    let scene = Scene::parse("far.ron", &text("cart", "99507", "0")).unwrap();
    let error = World::from_scene(&scene).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("far.ron"), "{error}");
    let scene = Scene::parse("far.ron", &text("mark", "99510", "0")).unwrap();
    let world = World::from_scene(&scene).unwrap();
    assert_eq!(world.faults(), [] as [Box<str>; 0]);
    assert_eq!(
        World::from_save(&scene, &world.save()).unwrap().state_hash(),
        world.state_hash()
    );
}
