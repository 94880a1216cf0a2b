//! The register of properties: each property of each of the engine's own kinds, by every way in. What is tried comes from
//! the register itself, so a property that is added is tried too.

use tombolo::component::{Entry, InScene, KindEntry, SceneForm, Wakes};
use tombolo::entity::{Colour, Entity, Kind, Property, ShortNumber, Value};
use tombolo::physics::Vec2;
use tombolo::{Kinds, Scene, World};

/// What the entities of [`text`] are made of beside what is tried: kind, word and text.
const GIVEN: [(&str, &str, &str); 8] = [
    ("Body", "kind", "Dynamic"),
    ("Collider", "shape", "Box(width: 1, height: 1)"),
    ("Collider", "material", "\"stuff\""),
    ("Joint", "to", "Entity(\"post\")"),
    ("Trigger", "shape", "Box(width: 1, height: 1)"),
    ("Spawner", "resource", "\"crumb\""),
    ("Spawner", "limit", "2"),
    ("Script", "name", "\"idle\""),
];

/// The kinds of `thing`; a joint only where joints are tried, since it holds what others would move.
const THINGS: [&str; 9] = [
    "Joint",
    "Transform",
    "Body",
    "Collider",
    "Trigger",
    "Sprite",
    "RenderData",
    "Tag",
    "Spawner",
];

/// Kinds whose components lie on `walker`, the others on `thing`.
const WALKERS: [&str; 2] = ["Script", "Agent"];

/// One property, tried.
#[derive(Debug, Default)]
struct Trial {
    /// The word in the component's parentheses, and what follows it; `None` for what a scene file cannot say.
    scene: Option<(String, String)>,
    /// What stands in the material.
    material: String,
    /// The same by name, in this order: the property itself is the last one.
    sets: Vec<(String, Value)>,
}

/// A scene in which component `kind` of `thing` or `walker` says what is tried, directly or by an override; `script` is
/// run by `idler`.
fn text(kind: &str, trial: &Trial, as_override: bool, script: &str) -> String {
    let component = |of: &str| {
        let tried = trial.scene.iter().filter(|_| of == kind && !as_override);
        let tried: Vec<(&str, &str)> = tried.map(|(word, text)| (&**word, &**text)).collect();
        let given = GIVEN.iter().filter(|(known, ..)| *known == of);
        let given = given.map(|&(_, word, text)| (word, text));
        let given = given.filter(|(word, _)| {
            let replaces = |tried: &(&str, &str)| tried.0 == *word || of == "Script";
            !tried.iter().any(replaces)
        });
        let all: Vec<String> = given
            .chain(tried.iter().copied())
            .map(|(word, text)| format!("{word}: {text}"))
            .collect();
        format!("\"{of}\": {of}({})", all.join(", "))
    };
    let components = |of: &[&str]| {
        of.iter()
            .map(|kind| component(kind))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let overrides = |of: &str| match &trial.scene {
        Some((word, text)) if as_override && WALKERS.contains(&kind) == (of == "walker") => {
            format!(", overrides: {{\"{kind}\": ({word}: {text})}}")
        }
        _ => String::new(),
    };
    format!(
        "(
    materials: {{\"stuff\": ({material})}},
    scripts: {{\"idle\": \"fn on_tick(seconds) {{}}\", \"other\": \"fn on_tick(seconds) {{ }}\", \"doer\": {script:?}}},
    entities: {{
        \"floor\": {{\"body\": Body(), \"top\": Collider(shape: Box(width: 20, height: 2))}},
        \"post\": {{\"body\": Body()}},
        \"crumb\": {{\"look\": Sprite()}},
        \"thing\": {{{thing}}},
        \"walker\": {{{walker}}},
        \"idler\": {{\"mind\": Script(name: \"doer\")}},
    }},
    place: [
        One(name: \"floor\", entity: \"floor\", at: (0, -1.5)),
        One(name: \"post\", entity: \"post\"),
        One(name: \"thing\", entity: \"thing\"{of_thing}),
        One(name: \"walker\", entity: \"walker\", at: (5, 5){of_walker}),
        One(name: \"idler\", entity: \"idler\"),
    ],
)",
        material = trial.material,
        thing = components(if kind == "Joint" { &THINGS } else { &THINGS[1..] }),
        walker = components(&WALKERS),
        of_thing = overrides("thing"),
        of_walker = overrides("walker"),
    )
}

fn world(kind: &str, trial: &Trial, as_override: bool, script: &str) -> World {
    let text = text(kind, trial, as_override, script);
    let scene = Scene::parse("tried.ron", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    World::from_scene(&scene).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

const IDLE: &str = "fn on_tick(seconds) {}";

fn bare(kind: &str) -> World {
    world(kind, &Trial::default(), false, IDLE)
}

fn owner(world: &World, kind: &str) -> Entity {
    let name = if WALKERS.contains(&kind) {
        "walker"
    } else {
        "thing"
    };
    world.find(name).expect("the scene places it")
}

/// Every property of the engine's own kinds.
fn each(mut visit: impl FnMut(&KindEntry, &Entry)) {
    let kinds = Kinds::default();
    let mut count = 0;
    for kind in kinds.iter() {
        for entry in kind.entries() {
            visit(kind, entry);
            count += 1;
        }
    }
    assert!(count > 80, "{count} properties are not all");
}

/// A value of the property's kind and range that is not its default.
fn other(property: &Property) -> Value {
    match &property.default {
        Value::Bool(flag) => Value::Bool(!flag),
        Value::I32(number) => Value::I32(number + 1),
        Value::U32(number) => Value::U32(number + 1),
        Value::I64(_) => Value::I64(5),
        // Not beyond the upper limit of a joint, which is 0.
        Value::F32(_) if *property.name == *"lower" => Value::F32(-0.5),
        Value::F32(number) => Value::F32(if *number == 0.5 { 0.25 } else { 0.5 }),
        Value::Vec2(_) => Value::Vec2(Vec2::new(0.25, 0.75)),
        Value::Colour(_) => Value::Colour(Colour {
            r: 0.25,
            g: 0.5,
            b: 0.75,
            a: 1.0,
        }),
        Value::String(_) => Value::String("other".into()),
        Value::Choice(place) => Value::Choice(place + 1),
        value => panic!("{}: no other than {value:?} is known", property.name),
    }
}

/// A value as a scene file has it.
fn written(world: &World, property: &Property, value: &Value) -> String {
    world.show_value(property.kind, value)
}

fn vectors(points: &[(f32, f32)]) -> Value {
    Value::List(points.iter().map(|&point| Value::Vec2(point.into())).collect())
}

/// The forms of shapes: what the file says, and the same by name.
fn shape(property: &str) -> (&'static str, Vec<(&'static str, Value)>) {
    const TRIANGLE: [(f32, f32); 3] = [(-0.5, -0.5), (0.5, -0.5), (0.0, 0.5)];
    const BORDER: [(f32, f32); 8] = [
        (-1.0, -0.5),
        (1.0, -0.5),
        (1.0, 1.0),
        (-1.0, 1.0),
        (-0.5, 0.0),
        (-0.5, 0.5),
        (0.5, 0.5),
        (0.5, 0.0),
    ];
    match property {
        "shape" => ("Circle(radius: 0.5)", vec![("shape", Value::Choice(0))]),
        "points" => (
            "Polygon(points: [(-0.5, -0.5), (0.5, -0.5), (0, 0.5)])",
            vec![
                ("radius", Value::F32(0.0)),
                ("points", vectors(&TRIANGLE)),
                ("shape", Value::Choice(3)),
            ],
        ),
        "size" => (
            "Box(width: 2, height: 1)",
            vec![("size", Value::Vec2(Vec2::new(2.0, 1.0)))],
        ),
        "radius" => (
            "Circle(radius: 0.25)",
            vec![("radius", Value::F32(0.25)), ("shape", Value::Choice(0))],
        ),
        "closed" => (
            "Chain(points: [(-0.5, -0.5), (0.5, -0.5), (0, 0.5)], closed: true)",
            vec![
                ("points", vectors(&TRIANGLE)),
                ("closed", Value::Bool(true)),
                ("shape", Value::Choice(5)),
            ],
        ),
        "loop_ends" => (
            "Outline(points: [(-1, -0.5), (1, -0.5), (1, 1), (-1, 1)], holes: [[(-0.5, 0), (-0.5, 0.5), (0.5, 0.5), (0.5, 0)]])",
            vec![
                ("radius", Value::F32(0.0)),
                ("points", vectors(&BORDER)),
                ("loop_ends", Value::List(vec![Value::U32(4), Value::U32(8)])),
                ("shape", Value::Choice(6)),
            ],
        ),
        other => panic!("no form of a shape has {other}"),
    }
}

/// What is tried of a property; `None` for one that can be read only.
fn trial(world: &World, kind: &KindEntry, entry: &Entry) -> Option<Trial> {
    let property = entry.property();
    if property.read_only {
        return None;
    }
    let mut trial = Trial::default();
    let say = |word: &str, text: String| Some((word.to_string(), text));
    let path = |name: &str| format!("{}.{name}", kind.name());
    let set = |name: &str, value: Value| (path(name), value);
    match entry.in_scene() {
        InScene::Plain | InScene::Bits => {
            let value = match path(&property.name).as_str() {
                "Body.kind" => Value::Choice(1),
                "Spawner.resource" => Value::String("post".into()),
                "Spawner.limit" => Value::U32(1),
                "Script.text" => Value::String("fn on_tick(seconds) { this.a = 1; }".into()),
                _ => other(property),
            };
            trial.scene = say(&property.name, written(world, property, &value));
            trial.sets.push(set(&property.name, value));
        }
        // A chain has no inside, so that no trigger is one.
        InScene::Within(SceneForm::Shape, _) if path(&property.name) == "Trigger.closed" => {
            trial.sets.push(set(&property.name, other(property)));
        }
        InScene::Within(form @ SceneForm::Shape, _) => {
            let (text, sets) = shape(&property.name);
            trial.scene = say(form.word(), text.to_string());
            trial
                .sets
                .extend(sets.into_iter().map(|(name, value)| set(name, value)));
        }
        InScene::Within(SceneForm::Material, within) => {
            trial.material = format!("{within}: {}", written(world, property, &other(property)));
            trial.sets.push(set(&property.name, other(property)));
        }
        InScene::Within(form @ SceneForm::JointKind, within) => {
            let is_group = |path: &str, other: &Entry| {
                let InScene::Within(of, other) = other.in_scene() else {
                    return false;
                };
                of == form && other.starts_with(&format!("{path}."))
            };
            let of_kind = || kind.entries().iter();
            let mut inner = written(world, property, &other(property));
            if of_kind().any(|other| is_group(within, other)) {
                inner = "()".to_string();
            }
            if let Some((group, _)) = within.split_once('.') {
                let flag = of_kind().find(|flag| flag.in_scene() == InScene::Within(form, group));
                let flag = flag.expect("a group has a flag").property();
                trial.sets.push(set(&flag.name, Value::Bool(true)));
            }
            for word in within.rsplit('.') {
                inner = format!("{word}: {inner}");
                if !within.starts_with(word) {
                    inner = format!("({inner})");
                }
            }
            trial.scene = say(form.word(), format!("Revolute({inner})"));
            trial.sets.push(set(&property.name, other(property)));
        }
        InScene::Within(SceneForm::Numbers, _) => {
            trial.scene = say("values", "{\"depth\": 0.5}".to_string());
            let names = Value::List(vec![Value::String("depth".into())]);
            let numbers = Value::List(vec![Value::F32(0.5)]);
            trial.sets = vec![set("names", names), set("values", numbers)];
        }
        InScene::Within(form @ SceneForm::From, _) => {
            trial.scene = say(form.word(), "Entity(\"thing\")".to_string());
            trial
                .sets
                .push(set(&property.name, Value::String("thing".into())));
        }
        InScene::Within(form @ SceneForm::To, _) if *property.name == *"to_name" => {
            trial.scene = say(form.word(), "Entity(\"floor\")".to_string());
            trial
                .sets
                .push(set(&property.name, Value::String("floor".into())));
        }
        // `to: Parent` is for children; here it is set only.
        InScene::Within(SceneForm::To, _) => trial.sets.push(set(&property.name, other(property))),
        InScene::Never => {
            let other = if *property.name == *"from" {
                "thing"
            } else {
                "floor"
            };
            trial
                .sets
                .push(set(&property.name, Value::Entity(world.find(other))));
        }
        other => panic!("{}: {other:?} is not tried", property.name),
    }
    Some(trial)
}

fn set(world: &mut World, kind: &KindEntry, trial: &Trial) {
    let entity = owner(world, kind.name());
    for (path, value) in &trial.sets {
        let done = world.set(entity, path, value.clone());
        done.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(&world.get(entity, path).unwrap(), value, "{path}");
    }
}

/// All that can be read of the two entities.
fn all(world: &World) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for name in ["thing", "walker"] {
        for view in world.describe(world.find(name).expect("placed")) {
            let values = view.properties.iter();
            all.extend(
                values.map(|(property, value)| (format!("{}.{}", view.name, property.name), value.clone())),
            );
        }
    }
    all
}

/// Asserts that all can be read alike.
fn assert_alike(one: &World, other: &World, of: &str) {
    let (one, other) = (all(one), all(other));
    assert_eq!(one.len(), other.len(), "{of}");
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(one, other, "{of}");
    }
}

/// A value as a script has it.
#[cfg(feature = "script")]
fn scripted(world: &World, property: &Property, value: &Value) -> String {
    match (property.kind, value) {
        (_, Value::Vec2(v)) => format!("vec2({:?}, {:?})", v.x, v.y),
        (_, Value::Colour(c)) => format!("[{:?}, {:?}, {:?}, {:?}]", c.r, c.g, c.b, c.a),
        (Kind::Choice(words), Value::Choice(place)) => format!("{:?}", words[*place as usize]),
        (_, Value::F32(number)) => format!("{number:?}"),
        (_, Value::Entity(entity)) => {
            let name = entity.and_then(|entity| world.name_of(entity));
            format!("find({:?})", name.expect("it has a name"))
        }
        (kind, Value::List(values)) => {
            let Kind::List(of) = kind else {
                panic!("a list is of a kind")
            };
            let of = Property::new("of", *of, Value::Bool(false));
            let values: Vec<String> = values.iter().map(|value| scripted(world, &of, value)).collect();
            format!("[{}]", values.join(", "))
        }
        (kind, value) => world.show_value(kind, value),
    }
}

/// A script that sets what is tried in its first tick.
#[cfg(feature = "script")]
fn doer(world: &World, kind: &KindEntry, trial: &Trial) -> String {
    let owner = world.name_of(owner(world, kind.name())).expect("it has a name");
    let sets = trial.sets.iter().map(|(path, value)| {
        let (_, name) = path.split_once('.').expect("a path");
        let entry = kind
            .entries()
            .iter()
            .find(|entry| *entry.property().name == *name);
        let property = entry.expect("it is tried").property();
        format!(
            "find({owner:?}).set({path:?}, {}); ",
            scripted(world, property, value)
        )
    });
    let sets: String = sets.collect();
    format!("fn on_tick(seconds) {{ if this.done == () {{ this.done = true; {sets} }} }}")
}

/// Steps both, and asserts that they go the same way: to the bit, if physics keeps what it has made.
fn run_alike(one: &mut World, other: &mut World, entry: &Entry, of: &str) {
    for _ in 0..40 {
        one.step();
        other.step();
    }
    assert_eq!(one.faults(), other.faults(), "{of}");
    let error = one.get(one.find("idler").expect("placed"), "mind.error").unwrap();
    assert_eq!(error, Value::String("".into()), "{of}");
    if entry.remakes() {
        // Constraints are solved in another order.
        let [one, other] = [one, other].map(|world| all(world));
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

/// A body that changes these leaves the simulation and enters it anew: what touches it is found in another order.
const ENTERS_ANEW: [&str; 2] = ["Body.kind", "Body.enabled"];

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
    each(|kind, entry| {
        let name = format!("{}.{}", kind.name(), entry.property().name);
        let bare = bare(kind.name());
        let Some(trial) = trial(&bare, kind, entry) else {
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
            let script = doer(&bare, kind, &trial);
            let mut by_script = world(kind.name(), &Trial::default(), false, &script);
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
    each(|kind, entry| {
        let name = format!("{}.{}", kind.name(), entry.property().name);
        let mut asleep = bare(kind.name());
        for _ in 0..240 {
            asleep.step();
        }
        let Some(trial) = trial(&asleep, kind, entry) else {
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
                            refused.ends_with("a body falls asleep by itself only"),
                            "{refused}"
                        );
                        assert!(wakes(&[(&name, Value::Bool(true))]), "{name} wakes {condition}");
                        return;
                    }
                    "Body.enabled" => {
                        let (off, on) = (Value::Bool(false), Value::Bool(true));
                        (vec![(&*name, off.clone()), (&*name, on)], off)
                    }
                    other => panic!("{other}: what is to be tried {condition}?"),
                };
                assert!(wakes(&fulfils), "{name} wakes {condition}");
                assert!(!wakes(&[(&name, does_not)]), "{name} wakes only {condition}");
            }
        }
    });
    assert_eq!(conditions, 5);
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
    each(|kind, entry| {
        let property = entry.property();
        let path = format!("{}.{}", kind.name(), property.name);
        let Some((least, most)) = property.range.filter(|_| !property.read_only) else {
            return;
        };
        let outside = [least - 1.0, most * 1.01 + 1.0].map(|number| number as f32);
        for number in outside.into_iter().filter(|number| number.is_finite()) {
            let value = match property.kind {
                Kind::F32 => Value::F32(number),
                Kind::Vec2 => Value::Vec2(Vec2::new(0.0_f32.max(least as f32), number)),
                Kind::Colour => Value::Colour(Colour {
                    g: number,
                    ..Colour::default()
                }),
                Kind::List(_) => Value::List(vec![Value::Vec2(Vec2::new(number, 0.0))]),
                other => panic!("{path} is {other}"),
            };
            let mut world = bare(kind.name());
            let before = world.state_hash();
            let error = world.set(owner(&world, kind.name()), &path, value.clone());
            let error = error.expect_err(&path).to_string();
            let range = format!(
                "must lie between {} and {}",
                ShortNumber(least),
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
            let text = text(kind.name(), &Trial::default(), false, IDLE);
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
    let mut world = bare("Body");
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
    let mut world = bare("Body");
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
