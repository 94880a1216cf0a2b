//! What is tried of each property: a value that is not its default, as a scene file, a call and a script say it.

use tombolo::component::{Entry, InScene, KindEntry, SceneForm};
use tombolo::entity::{Color, Entity, Property, Value};
use tombolo::physics::{JointKind, Vec2};
use tombolo::{Kinds, Scene, World};

/// What the entities of [`text`] are made of beside what is tried: kind, word and text.
pub(super) const GIVEN: [(&str, &str, &str); 13] = [
    ("Body", "kind", "Dynamic"),
    ("Collider", "shape", "Box(width: 1, height: 1)"),
    ("Collider", "material", "\"stuff\""),
    ("Joint", "to", "Entity(\"post\")"),
    ("RigidWeld", "to", "Entity(\"mate\")"),
    ("Trigger", "shape", "Box(width: 1, height: 1)"),
    ("Zone", "shape", "Box(width: 1, height: 1)"),
    ("Field", "shape", "Box(width: 1, height: 1)"),
    ("Tiles", "legend", "[\"# Full\"]"),
    ("Tiles", "rows", "[\"#\"]"),
    ("Spawner", "resource", "\"crumb\""),
    ("Spawner", "limit", "2"),
    ("Script", "name", "\"idle\""),
];

/// The kinds of `thing`; a weld, a joint, a field or tiles only where such are tried, since they hold what others would move.
pub(super) const THINGS: [&str; 13] = [
    "RigidWeld",
    "Joint",
    "Transform",
    "Body",
    "Collider",
    "Trigger",
    "Zone",
    "Field",
    "Tiles",
    "Sprite",
    "RenderData",
    "Tag",
    "Spawner",
];

/// Kinds whose components lie on `walker`, the others on `thing`.
pub(super) const WALKERS: [&str; 3] = ["Script", "Agent", "Character"];

/// One property, tried.
#[derive(Debug, Default)]
pub(super) struct Trial {
    /// The word of the joint that `thing` has; empty for `Revolute`.
    pub(super) joint: &'static str,
    /// The word in the component's parentheses, and what follows it; `None` for what a scene file cannot say.
    pub(super) scene: Option<(String, String)>,
    /// What stands in the material.
    pub(super) material: String,
    /// The same by name, in this order: the property itself is the last one.
    pub(super) sets: Vec<(String, Value)>,
}

/// A scene in which component `kind` of `thing` or `walker` says what is tried, directly or by an override; `script` is
/// run by `idler`.
pub(super) fn text(kind: &str, trial: &Trial, as_override: bool, script: &str) -> String {
    let joint = format!("{}()", trial.joint);
    let component = |of: &str| {
        let tried = trial.scene.iter().filter(|_| of == kind && !as_override);
        let tried: Vec<(&str, &str)> = tried.map(|(word, text)| (&**word, &**text)).collect();
        let given = GIVEN.iter().filter(|(known, ..)| *known == of);
        let given = given.map(|&(_, word, text)| (word, text));
        let is_joint = of == "Joint" && !trial.joint.is_empty();
        let given = given.chain(is_joint.then_some(("kind", joint.as_str())));
        let given = given.filter(|(word, _)| {
            // A script has a name or a text.
            let replaces = |tried: &(&str, &str)| tried.0 == *word || (tried.0, *word) == ("text", "name");
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
            let unnamed = if word == "text" { "name: \"\", " } else { "" };
            format!(", overrides: {{\"{kind}\": ({unnamed}{word}: {text})}}")
        }
        _ => String::new(),
    };
    let is_there = |of: &&str| !["RigidWeld", "Joint", "Field", "Tiles"].contains(of) || **of == *kind;
    let things: Vec<&str> = THINGS.into_iter().filter(is_there).collect();
    // Whom a weld can be to.
    let mates = match kind {
        "RigidWeld" => {
            "One(name: \"mate\", entity: \"mate\", at: (1.25, 0)), One(name: \"peer\", entity: \"mate\", at: (-1.25, 0)),"
        }
        _ => "",
    };
    format!(
        "(
    materials: {{\"stuff\": ({material})}},
    scripts: {{\"idle\": \"fn on_tick(seconds) {{}}\", \"other\": \"fn on_tick(seconds) {{ }}\", \"doer\": {script:?}}},
    entities: {{
        \"floor\": {{\"body\": Body(), \"top\": Collider(shape: Box(width: 20, height: 2))}},
        \"post\": {{\"body\": Body()}},
        \"mate\": {{\"body\": Body(kind: Dynamic), \"hull\": Collider(shape: Box(width: 1, height: 1))}},
        \"crumb\": {{\"look\": Sprite()}},
        \"thing\": {{{thing}}},
        \"walker\": {{{walker}}},
        \"idler\": {{\"mind\": Script(name: \"doer\")}},
    }},
    place: [
        One(name: \"floor\", entity: \"floor\", at: (0, -1.5)),
        One(name: \"post\", entity: \"post\"),
        {mates}
        One(name: \"thing\", entity: \"thing\"{of_thing}),
        One(name: \"walker\", entity: \"walker\", at: (5, 5){of_walker}),
        One(name: \"idler\", entity: \"idler\"),
    ],
)",
        material = trial.material,
        thing = components(&things),
        walker = components(&WALKERS),
        of_thing = overrides("thing"),
        of_walker = overrides("walker"),
    )
}

pub(super) fn world(kind: &str, trial: &Trial, as_override: bool, script: &str) -> World {
    let text = text(kind, trial, as_override, script);
    let scene = Scene::parse("tried.ron", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    World::from_scene(&scene).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

pub(super) const IDLE: &str = "fn on_tick(seconds) {}";

pub(super) fn bare(kind: &str, joint: &'static str) -> World {
    world(kind, &as_joint(joint), false, IDLE)
}

/// Nothing but the kind of joint.
pub(super) fn as_joint(joint: &'static str) -> Trial {
    Trial {
        joint,
        ..Trial::default()
    }
}

pub(super) fn owner(world: &World, kind: &str) -> Entity {
    let name = if WALKERS.contains(&kind) {
        "walker"
    } else {
        "thing"
    };
    world.find(name).expect("the scene places it")
}

/// The words of joints.
pub(super) const JOINTS: [(JointKind, &str); 13] = [
    (JointKind::Revolute, "Revolute"),
    (JointKind::Distance, "Distance"),
    (JointKind::Prismatic, "Prismatic"),
    (JointKind::Weld, "Weld"),
    (JointKind::Wheel, "Wheel"),
    (JointKind::Motor, "Motor"),
    (JointKind::Filter, "Filter"),
    (JointKind::Generic, "Generic"),
    (JointKind::Gear, "Gear"),
    (JointKind::Rack, "Rack"),
    (JointKind::Pulley, "Pulley"),
    (JointKind::Mover, "Mover"),
    (JointKind::Pogo, "Pogo"),
];

/// Every property of the engine's own kinds, those of joints for each kind of joint that has them, by its word.
pub(super) fn each(mut visit: impl FnMut(&KindEntry, &Entry, &'static str)) {
    let kinds = Kinds::default();
    let mut count = 0;
    for kind in kinds.iter() {
        for entry in kind.entries() {
            let Some(joints) = entry.joint_kinds() else {
                visit(kind, entry, "");
                count += 1;
                continue;
            };
            for (_, joint) in JOINTS.iter().filter(|(joint, _)| joints.contains(*joint)) {
                visit(kind, entry, joint);
                count += 1;
            }
        }
    }
    assert!(count > 80, "{count} properties are not all");
}

/// A value of the property's kind and range that is not its default.
pub(super) fn other(property: &Property, joint: &str) -> Value {
    match &property.default {
        Value::Bool(flag) => Value::Bool(!flag),
        Value::I32(number) => Value::I32(number + 1),
        Value::U32(number) => Value::U32(number + 1),
        Value::I64(_) => Value::I64(5),
        // Not beyond the upper limit of a joint, which is 0; a distance is not below it.
        Value::F32(_) if property.name.starts_with("lower_") && joint == "Generic" => Value::F32(-0.5),
        Value::F32(_) if *property.name == *"lower" && joint != "Distance" => Value::F32(-0.5),
        Value::F32(_) if *property.name == *"lower" => Value::F32(0.0),
        Value::F32(number) => Value::F32(if *number == 0.5 { 0.25 } else { 0.5 }),
        // As far from the other point as a distance joint is long, so that it pushes nobody about.
        Value::Vec2(_) if property.name.ends_with("pivot") && joint == "Distance" => {
            Value::Vec2(Vec2::new(0.6, 0.8))
        }
        Value::Vec2(_) => Value::Vec2(Vec2::new(0.25, 0.75)),
        Value::Color(_) => Value::Color(Color {
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
pub(super) fn written(world: &World, property: &Property, value: &Value) -> String {
    world.show_value(property.kind, value)
}

pub(super) fn vectors(points: &[(f32, f32)]) -> Value {
    Value::List(points.iter().map(|&point| Value::Vec2(point.into())).collect())
}

/// The forms of shapes: what the file says, and the same by name.
pub(super) fn shape(property: &str) -> (&'static str, Vec<(&'static str, Value)>) {
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

/// What a joint's kind in a file says of one property, and the flag of the group that it is in.
fn of_joint_kind<'k>(
    world: &World,
    kind: &'k KindEntry,
    entry: &Entry,
    (within, joint): (&'static str, &str),
) -> (String, Option<&'k str>) {
    let form = SceneForm::JointKind;
    let property = entry.property();
    let is_inside = |inner: &Entry| {
        let InScene::Within(of, path) = inner.in_scene() else {
            return false;
        };
        of == form && path.starts_with(&format!("{within}."))
    };
    let mut text = written(world, property, &other(property, joint));
    if kind.entries().iter().any(is_inside) {
        text = "()".to_string();
    }
    let flag = within.split_once('.').map(|(group, _)| {
        let mut entries = kind.entries().iter();
        let flag = entries.find(|flag| flag.in_scene() == InScene::Within(form, group));
        &*flag.expect("a group has a flag").property().name
    });
    for word in within.rsplit('.') {
        text = format!("({word}: {text})");
    }
    (format!("{joint}{text}"), flag)
}

/// To whom a tried joint or weld leads.
fn other_end(kind: &KindEntry) -> &'static str {
    if kind.name() == "RigidWeld" {
        "peer"
    } else {
        "floor"
    }
}

/// What is tried of a property; `None` for one that can be read only.
pub(super) fn trial(world: &World, kind: &KindEntry, entry: &Entry, joint: &'static str) -> Option<Trial> {
    let property = entry.property();
    if property.read_only {
        return None;
    }
    let other = |property: &Property| other(property, joint);
    let mut trial = as_joint(joint);
    let say = |word: &str, text: String| Some((word.to_string(), text));
    let path = |name: &str| format!("{}.{name}", kind.name());
    let set = |name: &str, value: Value| (path(name), value);
    match entry.in_scene() {
        InScene::Plain | InScene::Bits => {
            let value = match path(&property.name).as_str() {
                "Body.kind" => Value::Choice(1),
                "Spawner.resource" => Value::String("post".into()),
                "Tiles.legend" => Value::List(vec![Value::String("# BottomHalf".into())]),
                "Tiles.rows" => Value::List(vec![Value::String("##".into())]),
                "Spawner.limit" => Value::U32(1),
                "Script.text" => Value::String("fn on_tick(seconds) { this.a = 1; }".into()),
                _ => other(property),
            };
            if path(&property.name) == "Script.text" {
                trial.sets.push(set("name", Value::String("".into())));
            }
            trial.scene = say(&property.name, written(world, property, &value));
            trial.sets.push(set(&property.name, value));
        }
        // The area of a field has no holes.
        InScene::Within(SceneForm::Shape, _) if path(&property.name) == "Field.loop_ends" => {
            let ends = Value::List(vec![Value::U32(4)]);
            trial.sets.push(set(&property.name, ends));
        }
        // A chain has no inside, so that no trigger, zone or area of a field is one.
        InScene::Within(SceneForm::Shape, _)
            if ["Trigger.closed", "Zone.closed", "Field.closed"].contains(&path(&property.name).as_str()) =>
        {
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
            let (text, flag) = of_joint_kind(world, kind, entry, (within, joint));
            trial.scene = say(form.word(), text);
            trial.sets.extend(flag.map(|flag| set(flag, Value::Bool(true))));
            // What counts no turns has made none.
            if within == "turns" {
                trial.scene = say(form.word(), format!("{joint}(count_turns: true, turns: 1)"));
                trial.sets.push(set("count_turns", Value::Bool(true)));
            }
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
            let to = other_end(kind);
            trial.scene = say(form.word(), format!("Entity({to:?})"));
            trial.sets.push(set(&property.name, Value::String(to.into())));
        }
        // `to: Parent` is for children; here it is set only.
        InScene::Within(SceneForm::To, _) => trial.sets.push(set(&property.name, other(property))),
        InScene::WordOf(form) => {
            trial.scene = say(form.word(), "Weld()".to_string());
            trial.sets.push(set(&property.name, Value::Choice(3)));
        }
        InScene::Within(form @ SceneForm::ToPivot, _) => {
            let point = match other(property) {
                Value::Vec2(point) => point,
                _ => Vec2::ZERO,
            };
            trial.scene = say(form.word(), format!("({}, {})", point.x, point.y));
            trial.sets.push(set("apart", Value::Bool(true)));
            if point != Vec2::ZERO {
                trial.sets.push(set(&property.name, Value::Vec2(point)));
            }
        }
        InScene::Never if *property.name == *"broken" => {
            trial.sets.push(set(&property.name, Value::Bool(true)));
        }
        InScene::Never => {
            let other = if *property.name == *"from" {
                "thing"
            } else {
                other_end(kind)
            };
            trial
                .sets
                .push(set(&property.name, Value::Entity(world.find(other))));
        }
        other => panic!("{}: {other:?} is not tried", property.name),
    }
    Some(trial)
}

pub(super) fn set(world: &mut World, kind: &KindEntry, trial: &Trial) {
    let entity = owner(world, kind.name());
    for (path, value) in &trial.sets {
        let done = world.set(entity, path, value.clone());
        done.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(&world.get(entity, path).unwrap(), value, "{path}");
    }
}

/// All that can be read of the two entities.
pub(super) fn all(world: &World) -> Vec<(String, Value)> {
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
pub(super) fn assert_alike(one: &World, other: &World, of: &str) {
    let (one, other) = (all(one), all(other));
    assert_eq!(one.len(), other.len(), "{of}");
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(one, other, "{of}");
    }
}

/// A value as a script has it.
#[cfg(feature = "script")]
pub(super) fn scripted(world: &World, property: &Property, value: &Value) -> String {
    use tombolo::entity::Kind;

    match (property.kind, value) {
        (_, Value::Vec2(v)) => format!("vec2({:?}, {:?})", v.x, v.y),
        (_, Value::Color(c)) => format!("[{:?}, {:?}, {:?}, {:?}]", c.r, c.g, c.b, c.a),
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
pub(super) fn doer(world: &World, kind: &KindEntry, trial: &Trial) -> String {
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
