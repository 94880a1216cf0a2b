//! Properties by name: every kind, every error, accessors and batches.

use glam::{Quat, Vec2, Vec3};
use serde::de::DeserializeSeed;
use tombolo_entity::{
    Accessor, Change, Color, Component, DataError, Dense, Entity, EntityIndex, EntitySystem, Kind, NameHash,
    PropertyError, Reader, Schema, ShortNumber, Value, Writer,
};

use crate::system;

/// A property of every kind.
#[derive(Clone, Default)]
struct Everything {
    flag: bool,
    small: i32,
    count: u32,
    large: i64,
    single: f32,
    double: f64,
    plane: Vec2,
    space: Vec3,
    turn: Quat,
    tint: Color,
    text: Box<str>,
    target: Option<Entity>,
    mode: u32,
    bytes: Box<[u8]>,
    path: Vec<Vec2>,
    weights: Vec<f32>,
}

macro_rules! fields {
    ($schema:expr, $($field:ident),*) => {
        $schema$(.property(
            stringify!($field),
            |all: &Everything| all.$field.clone(),
            |all, value| all.$field = value,
        ))*
    };
}

impl Component for Everything {
    fn schema() -> Schema<Self> {
        let schema = Schema::new()
            .choice(
                "mode",
                &["Off", "On", "Auto"],
                |all: &Everything| all.mode,
                |all, mode| all.mode = mode,
            )
            .derived("is_on", |all: &Everything| all.mode == 1);
        fields!(
            schema, flag, small, count, large, single, double, plane, space, turn, tint, text, target, bytes,
            path, weights
        )
    }
}

fn everything() -> (EntitySystem, Entity) {
    let mut system = EntitySystem::new();
    let manager = system.register("Everything", Dense::<Everything>::new()).unwrap();
    let entity = system.create();
    system.add(entity, manager, "all").unwrap();
    (system, entity)
}

fn values(entity: Entity) -> Vec<(&'static str, Kind, Value)> {
    vec![
        ("flag", Kind::Bool, Value::Bool(true)),
        ("small", Kind::I32, Value::I32(-7)),
        ("count", Kind::U32, Value::U32(7)),
        ("large", Kind::I64, Value::I64(-1 << 40)),
        ("single", Kind::F32, Value::F32(0.25)),
        ("double", Kind::F64, Value::F64(1e-200)),
        ("plane", Kind::Vec2, Value::Vec2(Vec2::new(1.0, -2.0))),
        ("space", Kind::Vec3, Value::Vec3(Vec3::new(1.0, -2.0, 3.0))),
        (
            "turn",
            Kind::Quat,
            Value::Quat(Quat::from_xyzw(0.0, 0.6, 0.0, 0.8)),
        ),
        (
            "tint",
            Kind::Color,
            Value::Color(Color {
                r: 1.0,
                g: 0.5,
                b: 0.0,
                a: 1.0,
            }),
        ),
        ("text", Kind::String, Value::String("Nebel".into())),
        ("target", Kind::Entity, Value::Entity(Some(entity))),
        ("mode", Kind::Choice(&["Off", "On", "Auto"]), Value::Choice(2)),
        ("bytes", Kind::Blob, Value::Blob([1, 2, 255].into())),
        (
            "path",
            Kind::List(&Kind::Vec2),
            Value::List(vec![Value::Vec2(Vec2::X), Value::Vec2(Vec2::Y)]),
        ),
        (
            "weights",
            Kind::List(&Kind::F32),
            Value::List(vec![Value::F32(1.0), Value::F32(2.0)]),
        ),
    ]
}

#[test]
fn a_value_with_its_kind_is_read_without_knowing_that() {
    let (_, entity) = everything();
    for (name, _, value) in values(entity) {
        let mut out = Writer::new();
        out.tagged_value(&value);
        let bytes = out.finish();
        let mut from = Reader::new(&bytes);
        assert_eq!(from.tagged_value().unwrap(), value, "{name}");
        from.end().unwrap();
        for end in 0..bytes.len() {
            assert!(
                Reader::new(&bytes[..end]).tagged_value().is_err(),
                "{name}, {end} bytes"
            );
        }
    }
    assert!(matches!(
        Reader::new(&[15; 20]).tagged_value(),
        Err(DataError::Broken { .. })
    ));
}

#[test]
fn ei_12_every_kind_goes_in_and_out() {
    let (mut system, entity) = everything();
    for (name, _, value) in values(entity) {
        let path = format!("all.{name}");
        assert_ne!(
            system.get(entity, &path).unwrap(),
            value,
            "{path} begins with a default"
        );
        system.set(entity, &path, value.clone()).unwrap();
        assert_eq!(system.get(entity, &path), Ok(value), "{path}");
    }
}

#[test]
fn ei_12_every_kind_is_written_and_read_as_json_and_ron() {
    let (_, entity) = everything();
    for (name, kind, value) in values(entity) {
        let json = serde_json::to_string(&value).unwrap();
        let read = kind
            .deserialize(&mut serde_json::Deserializer::from_str(&json))
            .unwrap();
        assert_eq!(read, value, "{name}: {json}");
        if name != "path" && name != "weights" && name != "bytes" {
            let ron = ron::to_string(&value).unwrap();
            let read = kind
                .deserialize(&mut ron::Deserializer::from_str(&ron).unwrap())
                .unwrap();
            assert_eq!(read, value, "{name}: {ron}");
        }
    }
    let word = Kind::Choice(&["Off", "On"]).deserialize(&mut serde_json::Deserializer::from_str("\"On\""));
    assert_eq!(word.unwrap(), Value::Choice(1));
    let wrong = Kind::Choice(&["Off", "On"]).deserialize(&mut serde_json::Deserializer::from_str("\"Of\""));
    assert!(
        wrong
            .unwrap_err()
            .to_string()
            .starts_with("`Of` is not one of Off, On")
    );
}

#[test]
fn ei_12_a_value_of_another_kind_is_refused_for_every_kind() {
    let (mut system, entity) = everything();
    let all = values(entity);
    for (name, kind, value) in &all {
        for (other_name, _, other) in &all {
            if other_name == name {
                continue;
            }
            let path = format!("all.{name}");
            let error = system.set(entity, &path, other.clone()).unwrap_err();
            assert!(
                matches!(&error, PropertyError::WrongKind { wanted, .. } if wanted == kind),
                "{path} took {other:?} with {error}"
            );
        }
        assert_ne!(system.get(entity, &format!("all.{name}")).as_ref(), Ok(value));
    }
}

#[test]
fn ei_12_a_choice_takes_its_words_and_no_others() {
    let (mut system, entity) = everything();
    system
        .set(entity, "all.mode", Value::String("On".into()))
        .unwrap();
    assert_eq!(system.get(entity, "all.mode"), Ok(Value::Choice(1)));
    assert_eq!(system.get(entity, "all.is_on"), Ok(Value::Bool(true)));
    for wrong in [Value::String("Onn".into()), Value::Choice(3)] {
        assert!(matches!(
            system.set(entity, "all.mode", wrong),
            Err(PropertyError::WrongKind { .. })
        ));
    }
}

#[test]
fn ei_12_parts_are_read_and_written() {
    let (mut system, entity) = everything();
    for (name, _, value) in values(entity) {
        system.set(entity, &format!("all.{name}"), value).unwrap();
    }
    for (path, before) in [
        ("all.plane.y", -2.0),
        ("all.space.z", 3.0),
        ("all.turn.w", 0.8),
        ("all.tint.g", 0.5),
        ("all.weights.1", 2.0),
    ] {
        assert_eq!(system.get(entity, path), Ok(Value::F32(before)), "{path}");
        system.set(entity, path, Value::F32(0.75)).unwrap();
        assert_eq!(system.get(entity, path), Ok(Value::F32(0.75)), "{path}");
    }
    assert_eq!(
        system.get(entity, "all.plane"),
        Ok(Value::Vec2(Vec2::new(1.0, 0.75)))
    );
    for path in [
        "all.plane.z",
        "all.plane.xy",
        "all.flag.x",
        "all.weights.2",
        "all.weights.-1",
        "all.weights.+1",
    ] {
        let error = system.set(entity, path, Value::F32(0.0)).unwrap_err();
        assert!(matches!(error, PropertyError::NoPart { .. }), "{path}: {error}");
    }
}

#[test]
fn ei_12_errors_name_what_is_missing() {
    let (mut system, fog, _) = system();
    let valley = system.create();
    system.add(valley, fog, "Mist").unwrap();
    let get = |system: &EntitySystem, path| system.get(valley, path).unwrap_err().to_string();
    assert_eq!(
        get(&system, "Mits.density"),
        format!("{valley:?} has no component `Mits`; it has: Mist")
    );
    assert_eq!(
        get(&system, "Mist.color"),
        "component `Mist` (Fog) has no property `color`; it has: density, height"
    );
    for path in [
        "",
        "Mist",
        "Mist.",
        ".density",
        "Mist.density.",
        "Mist.density.x.y",
    ] {
        assert!(
            matches!(system.get(valley, path), Err(PropertyError::Path { .. })),
            "{path}"
        );
        assert!(Accessor::new(path).is_err(), "{path}");
    }
    system.destroy(valley);
    assert_eq!(
        get(&system, "Mist.density"),
        format!("{valley:?} is not alive (asked for `Mist.density`)")
    );
}

/// A component whose property has a name of the hash of another word.
#[derive(Clone, Default)]
struct Lake {
    liquid: f32,
}

impl Component for Lake {
    fn schema() -> Schema<Self> {
        Schema::new().property(
            "liquid",
            |lake: &Lake| lake.liquid,
            |lake, value| lake.liquid = value,
        )
    }
}

/// A word that nobody has registered led to the component, and to the property, that has its hash.
#[test]
fn ei_12_a_word_that_nobody_has_is_missing_also_if_it_has_the_hash_of_another() {
    let (mut system, fog, _) = system();
    let lakes = system.register("Lake", Dense::<Lake>::new()).unwrap();
    let valley = system.create();
    system.add(valley, lakes, "Pond").unwrap();
    system.add(valley, fog, "liquid").unwrap();
    for (right, wrong) in [
        ("liquid.density", "costarring.density"),
        ("Pond.liquid", "Pond.costarring"),
    ] {
        system.set(valley, right, Value::F32(0.5)).unwrap();
        let mut accessor = Accessor::new(wrong).unwrap();
        for error in [
            system.get(valley, wrong).unwrap_err(),
            system.get_with(&mut accessor, valley).unwrap_err(),
            system.set(valley, wrong, Value::F32(1.0)).unwrap_err(),
            system.set_with(&mut accessor, valley, 1.0_f32).unwrap_err(),
            system.place(valley, wrong).unwrap_err(),
        ] {
            assert!(
                matches!(
                    error,
                    PropertyError::NoComponent { .. } | PropertyError::NoProperty { .. }
                ),
                "{error}"
            );
        }
        assert_eq!(system.get(valley, right).unwrap(), Value::F32(0.5));
    }
}

#[test]
fn ei_12_ranges_numbers_and_read_only_properties_are_kept() {
    let (mut fogs, fog, _) = system();
    let valley = fogs.create();
    fogs.add(valley, fog, "Mist").unwrap();
    for (value, fine) in [(0.0, true), (1.0, true), (-0.001, false), (1.001, false)] {
        assert_eq!(
            fogs.set(valley, "Mist.density", Value::F32(value)).is_ok(),
            fine,
            "{value}"
        );
    }
    assert_eq!(fogs.get(valley, "Mist.density"), Ok(Value::F32(1.0)));
    let error = fogs
        .set(valley, "Mist.density", Value::F32(2.5))
        .unwrap_err()
        .to_string();
    assert_eq!(error, "`Mist.density` must lie between 0 and 1 1/m; 2.5 does not");
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for path in ["Mist.density", "Mist.height"] {
            let error = fogs.set(valley, path, Value::F32(bad)).unwrap_err();
            assert!(
                matches!(error, PropertyError::NotFinite { .. }),
                "{path}: {error}"
            );
        }
    }
    let (mut system, entity) = everything();
    let error = system
        .set(entity, "all.is_on", Value::Bool(true))
        .unwrap_err()
        .to_string();
    assert_eq!(error, "`all.is_on` can be read only");
    let bright = Value::Color(Color {
        r: 2.0,
        ..Color::default()
    });
    assert!(matches!(
        system.set(entity, "all.tint", bright),
        Err(PropertyError::OutOfRange { .. })
    ));
    let list = Value::List(vec![Value::F32(f32::NAN)]);
    assert!(matches!(
        system.set(entity, "all.weights", list),
        Err(PropertyError::NotFinite { .. })
    ));
}

#[test]
fn ei_12_an_accessor_stays_right_after_divergence_removal_and_collection() {
    let (mut system, fog, tag) = system();
    let list: Vec<Entity> = (0..3).map(|_| system.create()).collect();
    for &entity in &list {
        system.add(entity, fog, "Mist").unwrap();
    }
    let mut density = Accessor::new("Mist.density").unwrap();
    for (place, &entity) in list.iter().enumerate() {
        system
            .set_with(&mut density, entity, Value::F32(place as f32 / 4.0))
            .unwrap();
    }
    // One diverges, one loses the component, one dies.
    system.add(list[0], tag, "Haunted").unwrap();
    assert_eq!(system.get_with(&mut density, list[0]), Ok(Value::F32(0.0)));
    assert_eq!(system.get_with(&mut density, list[1]), Ok(Value::F32(0.25)));
    system.remove(list[1], "Mist").unwrap();
    let gone = system.get_with(&mut density, list[1]);
    assert!(matches!(gone, Err(PropertyError::NoComponent { .. })), "{gone:?}");
    assert_eq!(system.get_with(&mut density, list[2]), Ok(Value::F32(0.5)));
    system.destroy(list[2]);
    let dead = system.get_with(&mut density, list[2]);
    assert!(matches!(dead, Err(PropertyError::NoEntity { .. })), "{dead:?}");
    // The number of the prototype that the accessor saw last is used again by another list, in which the name leads to
    // another manager.
    system.destroy(list[0]);
    system.destroy(list[1]);
    system.collect_all();
    let other = system.create();
    system.add(other, tag, "Mist").unwrap();
    let wrong = system.get_with(&mut density, other);
    assert!(
        matches!(wrong, Err(PropertyError::NoProperty { .. })),
        "{wrong:?}"
    );
}

#[test]
fn a_batch_reads_and_writes_all_entities_of_one_prototype() {
    let (mut system, fog, tag) = system();
    let list: Vec<Entity> = (0..10).map(|_| system.create()).collect();
    for (place, &entity) in list.iter().enumerate() {
        system.add(entity, fog, "Mist").unwrap();
        if place % 2 == 0 {
            system.add(entity, tag, "Haunted").unwrap();
        }
    }
    let haunted = system.index().prototype(list[0]);
    let mut density = Accessor::new("Mist.density").unwrap();
    assert_eq!(system.set_all(haunted, &mut density, &Value::F32(0.5)), Ok(5));
    let mut seen = Vec::new();
    system
        .get_all(haunted, &mut density, |entity, value| seen.push((entity, value)))
        .unwrap();
    let even = list.iter().step_by(2).map(|&entity| (entity, Value::F32(0.5)));
    assert_eq!(seen, even.collect::<Vec<_>>());
    assert_eq!(system.get(list[1], "Mist.density"), Ok(Value::F32(0.0)));
    let refused = system.set_all(haunted, &mut density, &Value::F32(7.0));
    assert!(
        matches!(refused, Err(PropertyError::OutOfRange { .. })),
        "{refused:?}"
    );
    list.iter().for_each(|&entity| assert!(system.destroy(entity)));
    system.collect_all();
    let gone = system.set_all(haunted, &mut density, &Value::F32(0.5));
    assert!(matches!(gone, Err(PropertyError::NoPrototype { .. })), "{gone:?}");
}

#[test]
fn what_is_set_by_name_is_reported_in_order_to_those_who_watch() {
    let (mut system, fog, _) = system();
    let valley = system.create();
    system.add(valley, fog, "Mist").unwrap();
    system.set(valley, "Mist.density", Value::F32(0.1)).unwrap();
    assert_eq!(system.take_changes(), []);
    system.watch_changes(true);
    system.set(valley, "Mist.height", Value::F32(4.0)).unwrap();
    system.set(valley, "Mist.density", Value::F32(9.0)).unwrap_err();
    system.set(valley, "Mist.density", Value::F32(0.2)).unwrap();
    let change = |property| Change {
        entity: valley,
        component: NameHash::of("Mist"),
        property: NameHash::of(property),
    };
    assert_eq!(system.take_changes(), [change("height"), change("density")]);
    assert_eq!(system.take_changes(), []);
}

#[test]
fn a_schema_tells_kind_range_unit_default_and_documentation() {
    let (system, fog, _) = system();
    let manager = system.managers().find(|(id, ..)| *id == fog).unwrap().2;
    let density = &manager.properties()[0];
    assert_eq!(
        (&*density.name, density.kind, density.range),
        ("density", Kind::F32, Some((0.0, 1.0)))
    );
    assert_eq!(
        (density.unit, &density.default, density.read_only),
        ("1/m", &Value::F32(0.0), false)
    );
    assert_eq!(density.documentation, "How much light is lost on a meter.");
    assert_eq!(system.index().memory().prototype_count, 0);
}

#[test]
fn ei_12_plain_values_go_in_through_an_accessor_as_they_do_by_path() {
    let (mut system, entity) = everything();
    let other = system.create();
    let mut set =
        |path: &str, set: &dyn Fn(&mut EntitySystem, &mut Accessor) -> Result<(), PropertyError>| {
            let mut accessor = Accessor::new(path).unwrap();
            set(&mut system, &mut accessor).unwrap();
            system.get(entity, path).unwrap()
        };
    macro_rules! check {
        ($($path:literal: $value:expr => $kind:ident),+ $(,)?) => {$(
            let got = set($path, &|system, accessor| system.set_with(accessor, entity, $value));
            assert_eq!(got, Value::$kind($value));
            let got = set($path, &|system, accessor| system.set_with(accessor, entity, Value::$kind($value)));
            assert_eq!(got, Value::$kind($value));
        )+};
    }
    check!(
        "all.flag": true => Bool, "all.small": -3_i32 => I32, "all.count": 3_u32 => U32, "all.large": 1_i64 << 40 => I64,
        "all.single": 0.5_f32 => F32, "all.double": 0.1_f64 => F64, "all.plane": Vec2::new(1.0, 2.0) => Vec2,
        "all.space": Vec3::X => Vec3, "all.target": Some(other) => Entity,
    );
}

#[test]
fn ei_12_what_an_accessor_refuses_has_the_error_of_the_path() {
    let (mut system, entity) = everything();
    let (mut mode, mut single, mut is_on) = (
        Accessor::new("all.mode").unwrap(),
        Accessor::new("all.single").unwrap(),
        Accessor::new("all.is_on").unwrap(),
    );
    let wrong = system.set_with(&mut single, entity, 1_u32).unwrap_err();
    assert_eq!(
        wrong,
        system.set(entity, "all.single", Value::U32(1)).unwrap_err()
    );
    let beyond = system.set_with(&mut mode, entity, Value::Choice(3)).unwrap_err();
    assert_eq!(
        beyond,
        system.set(entity, "all.mode", Value::Choice(3)).unwrap_err()
    );
    let nan = system.set_with(&mut single, entity, f32::NAN);
    assert!(matches!(nan, Err(PropertyError::NotFinite { .. })));
    let fixed = system.set_with(&mut is_on, entity, true);
    assert!(matches!(fixed, Err(PropertyError::ReadOnly { .. })));
    // And what is set is still told of.
    system.watch_changes(true);
    system.set_with(&mut single, entity, 0.25_f32).unwrap();
    assert_eq!(system.take_changes().len(), 1);
}

/// Springs that are off, or no softer than a number.
#[derive(Clone, Default)]
struct Springs {
    first: f32,
    others: Vec<f32>,
}

impl Component for Springs {
    fn schema() -> Schema<Self> {
        Schema::new()
            .property("first", |s: &Springs| s.first, |s, first| s.first = first)
            .zero_or(0.5..=10.0)
            .unit("1/s")
            .property(
                "others",
                |s: &Springs| s.others.clone(),
                |s, others| s.others = others,
            )
            .zero_or(0.5..=f64::from(f32::MAX))
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore_in_range(self, from)
    }
}

#[test]
fn between_zero_and_a_least_number_none_is_taken() {
    let mut system = EntitySystem::new();
    let manager = system.register("Springs", Dense::<Springs>::new()).unwrap();
    let entity = system.create();
    system.add(entity, manager, "springs").unwrap();
    let texts: Vec<String> = Springs::schema()
        .properties()
        .iter()
        .map(|property| property.range_text())
        .collect();
    assert_eq!(texts, ["0, or 0.5 to 10 1/s", "0, or 0.5 or more"]);
    let mut accessor = Accessor::new("springs.first").unwrap();
    for taken in [10.0, 0.5, 0.0, -0.0_f32] {
        system.set(entity, "springs.first", Value::F32(taken)).unwrap();
        system.set_with(&mut accessor, entity, taken).unwrap();
        system
            .set(entity, "springs.others", Value::List(vec![Value::F32(taken)]))
            .unwrap();
    }
    for refused in [0.499, f32::from_bits(1), -0.499, 10.001] {
        let by_path = system.set(entity, "springs.first", Value::F32(refused));
        let number = ShortNumber(refused.into());
        let text = format!("`springs.first` must be 0 or lie between 0.5 and 10 1/s; {number} does not");
        assert_eq!(by_path.unwrap_err().to_string(), text);
        let by_accessor = system.set_with(&mut accessor, entity, refused);
        assert_eq!(by_accessor.unwrap_err().to_string(), text);
    }
    for path in ["springs.others", "springs.others.0"] {
        let value = match path {
            "springs.others" => Value::List(vec![Value::F32(1.0), Value::F32(0.1)]),
            _ => Value::F32(0.1),
        };
        let refused = system.set(entity, path, value);
        assert!(
            matches!(refused, Err(PropertyError::OutOfRange { or_zero: true, .. })),
            "{path}: {refused:?}"
        );
    }
    let soft = Springs {
        first: 0.1,
        ..Springs::default()
    };
    let mut out = Writer::new();
    soft.save(&Springs::schema(), &mut out);
    let bytes = out.finish();
    let restored = Springs::default().restore(&Springs::schema(), &mut Reader::new(&bytes));
    assert!(restored.is_err(), "a save with a number of the gap is refused");
}
