//! The register of properties: each property of each of the engine's own kinds, by every way in. What is tried comes from
//! the register itself (`register/trial.rs`), so a property that is added is tried too.

mod trial;

use tombolo::component::{Entry, InScene, Wakes};
use tombolo::entity::{Color, Kind, ShortNumber, Value};
use tombolo::physics::Vec2;
use tombolo::{Scene, World};

use trial::{IDLE, Trial, all, as_joint, assert_alike, bare, each, owner, set, text, trial, world, written};

/// Steps both, and asserts that they go the same way: to the bit, if physics keeps what it has made.
fn run_alike(one: &mut World, other: &mut World, entry: &Entry, of: &str) {
    for _ in 0..40 {
        one.step();
        other.step();
    }
    assert_eq!(one.faults(), other.faults(), "{of}");
    let error = one.get(one.find("idler").expect("placed"), "mind.error").unwrap();
    assert_eq!(error, Value::String("".into()), "{of}");
    // What is tried of the other point begins with the two being apart.
    if entry.recreates() || of.starts_with("Joint.to_") {
        // Constraints are solved in another order, and what each of several bears that hold the same is open.
        let is_shared = |name: &str| name.ends_with("_force") || name.ends_with("_torque");
        let [one, other] = [one, other].map(|world| {
            let all = all(world).into_iter();
            all.filter(|(name, _)| !is_shared(name)).collect::<Vec<_>>()
        });
        assert_eq!(one.len(), other.len(), "{of}");
        for (one, other) in one.iter().zip(&other) {
            assert!(
                one.0 == other.0 && is_near(&one.1, &other.1),
                "{of}: {one:?}, {other:?}"
            );
        }
        return;
    }
    assert_alike(one, other, of);
    if !ENTERS_ANEW.iter().any(|name| of.starts_with(name)) {
        assert_eq!(one.physics().state_hash(), other.physics().state_hash(), "{of}");
    }
}

/// A body or shape that changes these leaves the simulation and enters it anew: what touches it is found in another order. The nodes
/// above the box of a shape that changes its filter in place keep the wider one.
const ENTERS_ANEW: [&str; 6] = [
    "Body.kind",
    "Body.enabled",
    "Collider.category",
    "Collider.mask",
    "Collider.group",
    "Collider.sensor",
];

fn is_near(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::F32(one), Value::F32(other)) => (one - other).abs() < 1e-3,
        (Value::Vec2(one), Value::Vec2(other)) => one.distance(*other) < 1e-3,
        (one, other) => one == other,
    }
}

#[test]
fn a_property_is_the_same_from_a_file_an_override_a_call_and_a_script() {
    let mut tried = 0;
    each(|kind, entry, joint| {
        let name = format!("{}.{} {joint}", kind.name(), entry.property().name);
        let name = name.trim_end().to_string();
        let bare = bare(kind.name(), joint);
        let Some(trial) = trial(&bare, kind, entry, joint) else {
            return;
        };
        if name == "Body.awake" {
            // Has a test of its own: a body can begin asleep and cannot be put to sleep.
            return;
        }
        tried += 1;
        let mut by_set = bare.clone();
        set(&mut by_set, kind, &trial);
        let mut worlds = Vec::new();
        if trial.scene.is_some() || !trial.material.is_empty() {
            worlds.push(("file", world(kind.name(), &trial, false, IDLE)));
        }
        if trial.scene.is_some() {
            worlds.push(("override", world(kind.name(), &trial, true, IDLE)));
        }
        for (way, world) in &worlds {
            assert_alike(world, &by_set, &format!("{name} by {way}"));
        }
        for (way, mut world) in worlds {
            run_alike(
                &mut world,
                &mut by_set.clone(),
                entry,
                &format!("{name} by {way}"),
            );
        }
        #[cfg(feature = "script")]
        {
            let script = trial::doer(&bare, kind, &trial);
            let mut by_script = world(kind.name(), &as_joint(joint), false, &script);
            let mut by_set = bare;
            // Until the step in which the script has its first tick; scripts come before physics there.
            loop {
                by_script.step();
                let state = by_script.get(by_script.find("idler").expect("placed"), "mind.state");
                if state == Ok(Value::String("#{done: true}".into())) {
                    break;
                }
                by_set.step();
            }
            set(&mut by_set, kind, &trial);
            by_set.step();
            run_alike(&mut by_script, &mut by_set, entry, &format!("{name} by script"));
        }
    });
    assert!(tried > 60, "{tried}");
}

#[test]
fn what_wakes_a_body_is_in_the_register() {
    let mut conditions = 0;
    each(|kind, entry, joint| {
        let name = format!("{}.{}", kind.name(), entry.property().name);
        let mut asleep = bare(kind.name(), joint);
        for _ in 0..240 {
            asleep.step();
        }
        let Some(trial) = trial(&asleep, kind, entry, joint) else {
            return;
        };
        let awake = |world: &World| world.get(owner(world, ""), "Body.awake") == Ok(Value::Bool(true));
        let wakes = |sets: &[(&str, Value)]| {
            let mut world = asleep.clone();
            let entity = owner(&world, kind.name());
            assert!(!awake(&world), "{name}: it has come to rest");
            for (path, value) in sets {
                let done = world.set(entity, path, value.clone());
                done.unwrap_or_else(|error| panic!("{error}"));
            }
            awake(&world)
        };
        let tried: Vec<(&str, Value)> = trial
            .sets
            .iter()
            .map(|(path, value)| (&**path, value.clone()))
            .collect();
        match entry.wakes() {
            Wakes::No => assert!(!wakes(&tried), "{name} wakes nobody"),
            Wakes::Yes => assert!(wakes(&tried), "{name} wakes the body"),
            Wakes::If(condition) => {
                conditions += 1;
                // What fulfils the condition, and what does not.
                let (fulfils, does_not) = match name.as_str() {
                    "Body.linear_velocity" => (tried, Value::Vec2(Vec2::ZERO)),
                    "Body.angular_velocity" => (tried, Value::F32(0.0)),
                    "Body.allow_sleep" => (tried, Value::Bool(true)),
                    "Body.awake" => {
                        let refused = asleep.clone().set(owner(&asleep, ""), &name, Value::Bool(false));
                        let refused = refused.unwrap_err().to_string();
                        assert!(
                            refused.ends_with(
                                "a body is put to sleep by the command `sleep`, or falls asleep by itself"
                            ),
                            "{refused}"
                        );
                        assert!(wakes(&[(&name, Value::Bool(true))]), "{name} wakes {condition}");
                        return;
                    }
                    "Body.enabled" => {
                        let (off, on) = (Value::Bool(false), Value::Bool(true));
                        (vec![(&*name, off.clone()), (&*name, on)], off)
                    }
                    name if name.starts_with("Field.") => {
                        // Of a wind: some numbers say nothing of it.
                        let kind = kind_with(&property_of(name));
                        assert_eq!(wakes(&tried), kind.is_none(), "{name} of a wind");
                        if let Some(kind) = kind {
                            assert!(wakes_in_kind(&asleep, kind, &tried), "{name} wakes {condition}");
                        }
                        let entity = owner(&asleep, "Field");
                        let same = asleep.get(entity, name).unwrap();
                        assert!(!wakes(&[(name, same)]), "{name} wakes only {condition}");
                        return;
                    }
                    name if name.starts_with("Joint.to_") => {
                        let apart = [("Joint.apart", Value::Bool(true))];
                        assert!(wakes(&[&apart, &*tried].concat()), "{name} wakes {condition}");
                        // The points of some always are.
                        if !["Distance", "Gear", "Rack", "Pulley", "Pogo"].contains(&joint) {
                            let [.., alone] = &*tried else {
                                panic!("{name} is tried")
                            };
                            assert!(
                                !wakes(core::slice::from_ref(alone)),
                                "{name} wakes only {condition}"
                            );
                        }
                        return;
                    }
                    other => panic!("{other}: what is to be tried {condition}?"),
                };
                assert!(wakes(&fulfils), "{name} wakes {condition}");
                assert!(!wakes(&[(&name, does_not)]), "{name} wakes only {condition}");
            }
        }
    });
    assert_eq!(conditions, 5 + 2 * 12 + 23);
}

fn property_of(path: &str) -> String {
    path.rsplit('.').next().unwrap_or_default().to_string()
}

/// The kind of field that a property says something of, where a wind is none of them.
fn kind_with(property: &str) -> Option<&'static [(&'static str, u32)]> {
    match property {
        "viscosity" => Some(&[("Field.kind", 1)]),
        "acceleration" => Some(&[("Field.kind", 2)]),
        "pull" | "reach" | "power" => Some(&[("Field.kind", 3)]),
        "along" | "closed" => Some(&[("Field.kind", 4)]),
        "loop_ends" => Some(&[]),
        _ => None,
    }
}

/// Whether setting a property of a field of another kind wakes the body, once that has come to rest in it.
fn wakes_in_kind(asleep: &World, kind: &[(&str, u32)], tried: &[(&str, Value)]) -> bool {
    let mut world = asleep.clone();
    let thing = owner(&world, "Field");
    let awake = |world: &World| world.get(thing, "Body.awake") == Ok(Value::Bool(true));
    let Some(&(path, kind)) = kind.first() else {
        // Nothing has holes.
        return true;
    };
    if kind == 4 {
        let points = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5)].map(|point| Value::Vec2(point.into()));
        world.set(thing, "Field.everywhere", Value::Bool(true)).unwrap();
        world
            .set(thing, "Field.points", Value::List(points.to_vec()))
            .unwrap();
        world.set(thing, "Field.pull", Value::F32(0.0)).unwrap();
        world.set(thing, "Field.shape", Value::Choice(5)).unwrap();
    }
    world.set(thing, path, Value::Choice(kind)).unwrap();
    for _ in 0..240 {
        world.step();
    }
    assert!(!awake(&world), "it has come to rest in a field of kind {kind}");
    for (path, value) in tried {
        world.set(thing, path, value.clone()).unwrap();
    }
    awake(&world)
}

#[test]
fn a_body_begins_asleep_if_its_file_says_so() {
    let trial = Trial {
        scene: Some(("awake".to_string(), "false".to_string())),
        ..Trial::default()
    };
    for as_override in [false, true] {
        let world = world("Body", &trial, as_override, IDLE);
        assert_eq!(
            world.get(owner(&world, "Body"), "Body.awake"),
            Ok(Value::Bool(false))
        );
    }
}

#[test]
fn what_is_out_of_range_is_refused_with_name_range_and_unit() {
    let mut tried = 0;
    each(|kind, entry, joint| {
        let property = entry.property();
        let path = format!("{}.{}", kind.name(), property.name);
        let Some((least, most)) = property.range.filter(|_| !property.read_only) else {
            return;
        };
        let in_gap = property.zero_or_from.map(|from| 0.5 * from);
        let outside = [least - 1.0, most * 1.01 + 1.0].into_iter().chain(in_gap);
        let outside = outside.map(|number| number as f32);
        let is_outside = |number: &f32| {
            let number = f64::from(*number);
            number.is_finite() && (in_gap.is_some() || !(least..=most).contains(&number))
        };
        let is_whole = matches!(property.kind, Kind::I32 | Kind::U32);
        for number in outside.filter(is_outside) {
            let number = if is_whole { number.trunc() } else { number };
            let value = match property.kind {
                Kind::F32 => Value::F32(number),
                Kind::I32 => Value::I32(number as i32),
                Kind::Vec2 => Value::Vec2(Vec2::new(0.0_f32.max(least as f32), number)),
                Kind::Color => Value::Color(Color {
                    g: number,
                    ..Color::default()
                }),
                Kind::List(_) => Value::List(vec![Value::Vec2(Vec2::new(number, 0.0))]),
                Kind::U32 if number >= 0.0 => Value::U32(number as u32),
                Kind::U32 => continue,
                other => panic!("{path} is {other}"),
            };
            let mut world = bare(kind.name(), joint);
            let before = world.state_hash();
            let error = world.set(owner(&world, kind.name()), &path, value.clone());
            let error = error.expect_err(&path).to_string();
            let range = format!(
                "must {}lie between {} and {}",
                if in_gap.is_some() { "be 0 or " } else { "" },
                ShortNumber(property.zero_or_from.unwrap_or(least)),
                ShortNumber(most)
            );
            assert!(error.contains(&format!("`{path}` {range}")), "{error}");
            assert!(
                error.contains(&format!(
                    "{}; {} does not",
                    property.unit,
                    ShortNumber(number.into())
                )),
                "{error}"
            );
            assert_eq!(world.state_hash(), before, "{path}: nothing has changed");
            let wrong = match entry.in_scene() {
                InScene::Plain => format!("{}: {}", property.name, written(&world, property, &value)),
                _ => continue,
            };
            let text = text(kind.name(), &as_joint(joint), false, IDLE);
            let head = format!("\"{0}\": {0}(", kind.name());
            let text = text.replacen(&head, &format!("{head}{wrong}, "), 1);
            let error = Scene::parse("wrong.ron", &text).expect_err(&path).to_string();
            let property_named = format!("component {:?}, property {:?}: ", kind.name(), &*property.name);
            assert!(error.contains(&property_named), "{error}");
            assert!(
                error.ends_with(&format!(" is out of range; give {}", property.range_text())),
                "{error}"
            );
            tried += 1;
        }
    });
    assert!(tried > 20, "{tried}");
}

#[test]
fn a_refused_change_of_a_moving_body_leaves_the_world_as_it_was() {
    let mut world = bare("Body", "");
    let thing = owner(&world, "Body");
    world
        .set(thing, "Body.linear_velocity", Value::Vec2(Vec2::new(0.0, 5.0)))
        .unwrap();
    for _ in 0..5 {
        world.step();
    }
    let before = world.state_hash();
    for (path, value) in [
        ("Body.linear_damping", Value::F32(-1.0)),
        ("Body.linear_damping", Value::Bool(true)),
        ("Body.mass", Value::F32(1.0)),
        ("Body.awake", Value::Bool(false)),
    ] {
        world.set(thing, path, value).unwrap_err();
        assert_eq!(world.state_hash(), before, "{path}");
    }
}

#[test]
fn one_damping_is_set_and_the_other_stays_as_physics_has_it() {
    let mut world = bare("Body", "");
    let thing = owner(&world, "Body");
    let id = world.body_of(thing).unwrap();
    world
        .physics_mut()
        .body_mut(id)
        .unwrap()
        .set_damping(0.25, 0.5)
        .unwrap();
    world.set(thing, "Body.linear_damping", Value::F32(1.0)).unwrap();
    assert_eq!(world.get(thing, "Body.angular_damping"), Ok(Value::F32(0.5)));
    world
        .physics_mut()
        .body_mut(id)
        .unwrap()
        .set_damping(2.0, 0.5)
        .unwrap();
    world.set(thing, "Body.angular_damping", Value::F32(1.0)).unwrap();
    assert_eq!(world.get(thing, "Body.linear_damping"), Ok(Value::F32(2.0)));
}

#[test]
fn bits_are_written_as_numbers_without_sign_or_with() {
    for (written, bits) in [
        ("18446744073709551615", -1),
        ("-1", -1),
        ("9223372036854775808", i64::MIN),
        ("0xFFFFFFFFFFFFFFFE", -2),
        ("6", 6),
    ] {
        let trial = Trial {
            scene: Some(("mask".to_string(), written.to_string())),
            ..Trial::default()
        };
        let world = world("Collider", &trial, false, IDLE);
        assert_eq!(
            world.get(owner(&world, "Collider"), "Collider.mask"),
            Ok(Value::I64(bits))
        );
    }
    for wrong in ["18446744073709551616", "1.5", "true"] {
        let trial = Trial {
            scene: Some(("mask".to_string(), wrong.to_string())),
            ..Trial::default()
        };
        let text = text("Collider", &trial, false, IDLE);
        let error = Scene::parse("wrong.ron", &text).expect_err(wrong).to_string();
        assert!(error.contains("property \"mask\": "), "{error}");
    }
}

#[test]
fn a_reset_material_forgets_the_inherited_one() {
    let text = r#"(
        materials: {"ice": (friction: 0.01, density: 3), "wool": (friction: 0.9)},
        entities: {
            "one": {"body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 1), material: "ice", group: 3)},
            "two": {"base": Inherits("one"), "hull": Collider(material: "wool")},
        },
        place: [One(name: "one", entity: "one"), One(name: "two", entity: "two", at: (9, 0))],
    )"#;
    let world = World::from_scene(&Scene::parse("reset.ron", text).unwrap()).unwrap();
    let get = |name: &str, path: &str| world.get(world.find(name).unwrap(), path).unwrap();
    assert_eq!(get("one", "hull.density"), Value::F32(3.0));
    assert_eq!(get("two", "hull.density"), Value::F32(1.0));
    assert_eq!(get("two", "hull.friction"), Value::F32(0.9));
    assert_eq!(get("two", "hull.group"), Value::I32(3));
    assert_eq!(get("two", "hull.radius"), Value::F32(1.0));
}

#[test]
fn an_agent_whose_goal_is_the_origin_walks() {
    let trial = Trial {
        scene: Some(("goal".to_string(), "(0, 0)".to_string())),
        ..Trial::default()
    };
    for as_override in [false, true] {
        let world = world("Agent", &trial, as_override, IDLE);
        assert_eq!(
            world.get(owner(&world, "Agent"), "Agent.walking"),
            Ok(Value::Bool(true)),
            "the default goal was given, which is more than none"
        );
    }
}

#[test]
fn the_document_names_what_replaces_the_shapes_of_a_collider() {
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/entities.md");
    let document = std::fs::read_to_string(document).unwrap();
    let line = document.lines().find_map(|line| {
        line.strip_suffix(" of a Collider | replaces its shapes: touches end, and begin again |")
    });
    let line = line.expect("the line of the table");
    let mut named: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
    let (mut replacing, mut tried) = (Vec::new(), 0);
    each(|kind, entry, joint| {
        let mut world = bare(kind.name(), joint);
        if kind.name() != "Collider" {
            return;
        }
        let Some(trial) = trial(&world, kind, entry, joint) else {
            return;
        };
        // The property itself is the last; what is set before it makes it matter.
        let (own, before) = trial.sets.split_last().expect("it is set");
        let entity = owner(&world, kind.name());
        let shapes = |world: &World| {
            let body = world.body(entity).expect("the collider's");
            body.shapes().map(|shape| shape.id()).collect::<Vec<_>>()
        };
        for (path, value) in before {
            world.set(entity, path, value.clone()).unwrap();
        }
        let old = shapes(&world);
        world.set(entity, &own.0, own.1.clone()).unwrap();
        tried += 1;
        if shapes(&world) != old {
            replacing.push(entry.property().name.to_string());
        }
    });
    named.sort_unstable();
    replacing.sort_unstable();
    assert_eq!(
        replacing, named,
        "those that replace shapes, and those that the document names"
    );
    assert!(tried > 15, "{tried}");
}
