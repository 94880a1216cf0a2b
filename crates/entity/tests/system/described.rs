//! Saves of builds that had other managers and other properties: what both have is found by name, what differs is
//! migrated as the schema says, and what cannot be read is named.
//!
//! `tests/saves/` has saves of earlier versions of the format. `TOMBOLO_BLESS=1` writes that of the present one if there
//! is none yet; files of a version are never written again.

use std::fs;
use std::path::Path;

use tombolo_entity::{
    Component, ComponentManager, DataError, Dense, Entity, EntitySystem, Kind, Library, ManagerId, Override,
    Reader, ResourceDefinition, SavedManagers, Schema, SystemError, Value, Writer,
};

use crate::{Fog, Tag};

const OLD_MODES: &[&str] = &["Off", "On", "Dim"];
const NEW_MODES: &[&str] = &["Dim", "Flicker", "Off", "On"];
const OLD_SHADES: &[&str] = &["None", "Cloth"];

/// A lamp as an older build had it.
#[derive(Clone, Debug, Default, PartialEq)]
struct OldLamp {
    power: f32,
    mode: u32,
    shade: u32,
    count: u32,
    turns: i32,
    path: Vec<f32>,
    label: Box<str>,
    dust: u32,
    /// Saved beside the properties.
    age: u32,
}

impl Component for OldLamp {
    fn schema() -> Schema<Self> {
        Schema::new()
            .property("power", |l: &Self| l.power, |l, power| l.power = power)
            .choice("mode", OLD_MODES, |l: &Self| l.mode, |l, mode| l.mode = mode)
            .choice(
                "shade",
                OLD_SHADES,
                |l: &Self| l.shade,
                |l, shade| l.shade = shade,
            )
            .property("count", |l: &Self| l.count, |l, count| l.count = count)
            .derived("is_bright", |l: &Self| l.power > 60.0)
            .property("turns", |l: &Self| l.turns, |l, turns| l.turns = turns)
            .property("path", |l: &Self| l.path.clone(), |l, path| l.path = path)
            .property("label", |l: &Self| l.label.clone(), |l, label| l.label = label)
            .property("dust", |l: &Self| l.dust, |l, dust| l.dust = dust)
    }

    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
        out.u32(self.age);
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore(self, from)?;
        self.age = from.u32("a lamp's age")?;
        Ok(())
    }
}

/// A lamp as this build has it: in another order, with wider numbers, a new property and a new name, words in other
/// places, a shade that was a choice, no dust, and more data beside the properties.
#[derive(Clone, Debug, PartialEq)]
struct Lamp {
    label: Box<str>,
    reach: f32,
    has_shade: bool,
    mode: u32,
    turns: i64,
    path: Vec<f64>,
    count: i64,
    watts: f64,
    age: u32,
    birthday: u32,
}

impl Default for Lamp {
    fn default() -> Self {
        Self {
            label: "".into(),
            reach: 2.5,
            has_shade: false,
            mode: 2,
            turns: 0,
            path: Vec::new(),
            count: 0,
            watts: 0.0,
            age: 0,
            birthday: 1,
        }
    }
}

impl Component for Lamp {
    const VERSION: u32 = 2;

    fn schema() -> Schema<Self> {
        Schema::new()
            .property("label", |l: &Self| l.label.clone(), |l, label| l.label = label)
            .property("reach", |l: &Self| l.reach, |l, reach| l.reach = reach)
            .property("shade", |l: &Self| l.has_shade, |l, shade| l.has_shade = shade)
            .former("shade", Kind::Choice(OLD_SHADES), |l, shade| {
                l.has_shade = shade == Value::Choice(1)
            })
            .choice("mode", NEW_MODES, |l: &Self| l.mode, |l, mode| l.mode = mode)
            .property("turns", |l: &Self| l.turns, |l, turns| l.turns = turns)
            .property("path", |l: &Self| l.path.clone(), |l, path| l.path = path)
            .property("count", |l: &Self| l.count, |l, count| l.count = count)
            .property("watts", |l: &Self| l.watts, |l, watts| l.watts = watts)
            .range(0.0..=1000.0)
            .was("power")
            .former("dust", Kind::U32, |_, _| ())
    }

    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
        out.u32(self.birthday);
        out.u32(self.age);
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore_in_range(self, from)?;
        if !from.is_before(2) {
            self.birthday = from.u32("a lamp's birthday")?;
        }
        self.age = from.u32("a lamp's age")?;
        Ok(())
    }
}

fn saved(system: &EntitySystem) -> Vec<u8> {
    let mut out = Writer::new();
    system.save(&mut out);
    out.finish()
}

fn restored(like: &EntitySystem, save: &[u8]) -> Result<EntitySystem, DataError> {
    let mut from = Reader::new(save);
    let system = like.restored(&mut from)?;
    from.end()?;
    Ok(system)
}

/// A system of the older build: fogs first, two lamps of which one is broken, and an entity without components.
fn old_system() -> (EntitySystem, [Entity; 2]) {
    let mut system = EntitySystem::new();
    let fogs = system.register("Fog", Dense::<Fog>::new()).unwrap();
    let lamps = system.register("Lamp", Dense::<OldLamp>::new()).unwrap();
    let entities = [system.create(), system.create()];
    for (entity, mode) in entities.into_iter().zip([1, 2]) {
        system.add(entity, lamps, "light").unwrap();
        system.add(entity, fogs, "mist").unwrap();
        for (property, value) in [
            ("light.power", Value::F32(0.1)),
            ("light.mode", Value::Choice(mode)),
            ("light.shade", Value::Choice(1)),
            ("light.count", Value::U32(u32::MAX)),
            ("light.turns", Value::I32(-7)),
            ("light.path", Value::List(vec![Value::F32(0.5), Value::F32(-2.0)])),
            ("light.label", Value::String("by the door".into())),
            ("light.dust", Value::U32(9)),
            ("mist.density", Value::F32(0.25)),
        ] {
            system.set(entity, property, value).unwrap();
        }
        let manager: &mut Dense<OldLamp> = system.manager_mut(lamps).unwrap();
        manager.newest_mut(entity).unwrap().age = 40;
    }
    assert!(system.destroy(entities[1]));
    let third = system.create();
    (system, [entities[0], third])
}

/// A system of this build: its managers in another order, and one more, with contents that a restore replaces.
fn new_system() -> EntitySystem {
    let mut system = EntitySystem::new();
    let tags = system.register("Tag", Dense::<Tag>::new()).unwrap();
    system.register("Lamp", Dense::<Lamp>::new()).unwrap();
    system.register("Fog", Dense::<Fog>::new()).unwrap();
    let gone = system.create();
    system.add(gone, tags, "mark").unwrap();
    system
}

/// What the lamp of the older system is in this build.
fn expected_lamp() -> Lamp {
    Lamp {
        label: "by the door".into(),
        reach: 2.5,
        has_shade: true,
        mode: 3,
        turns: -7,
        path: vec![0.5, -2.0],
        count: i64::from(u32::MAX),
        watts: f64::from(0.1_f32),
        age: 40,
        birthday: 1,
    }
}

/// Asks for everything that the older system has.
fn check_lamps(system: &EntitySystem, entity: Entity) {
    let lamps = system.manager_id("Lamp").unwrap();
    let lamps: &Dense<Lamp> = system.manager(lamps).unwrap();
    assert_eq!(lamps.newest(entity), Some(&expected_lamp()));
    assert_eq!(system.get(entity, "mist.density"), Ok(Value::F32(0.25)));
    assert_eq!(system.get(entity, "light.mode"), Ok(Value::Choice(3)));
    let tags = system.manager_id("Tag").unwrap();
    assert!(system.any_manager(tags).unwrap().is_empty());
}

#[test]
fn managers_and_properties_of_an_older_build_are_found_by_name() {
    let (old, [entity, third]) = old_system();
    let save = saved(&old);
    let mut new = restored(&new_system(), &save).unwrap();
    check_lamps(&new, entity);
    // Whatever the system held before, the result is the same.
    let mut other = new_system();
    (0..9).for_each(|_| _ = other.create());
    assert_eq!(saved(&restored(&other, &save).unwrap()), saved(&new));
    let [tags, lamps] = ["Tag", "Lamp"].map(|name| new.manager_id(name).unwrap());
    new.add(third, tags, "mark").unwrap();
    new.add(third, lamps, "lamp").unwrap();
    assert_eq!(new.get(third, "lamp.reach"), Ok(Value::F32(2.5)));
    // The same once more, from this build.
    let save = saved(&new);
    let again = restored(&new_system(), &save).unwrap();
    assert_eq!(saved(&again), save);
}

/// A manager is found by each name that it had, in saves and alone; what is written has its present one.
#[test]
fn a_manager_that_was_renamed_is_found_by_its_former_names() {
    let (old, [entity, third]) = old_system();
    let mut renamed = EntitySystem::new();
    let mist = renamed.register("Mist", Dense::<Fog>::new()).unwrap();
    let lights = renamed.register("Light", Dense::<Lamp>::new()).unwrap();
    let error = restored(&renamed, &saved(&old)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the data do not fit: there is no manager `Fog` here"
    );
    for (id, name) in [(mist, "Haze"), (mist, "Fog"), (lights, "Lamp")] {
        renamed.manager_was(id, name).unwrap();
        assert_eq!(renamed.manager_id(name), Some(id));
    }
    let mut new = restored(&renamed, &saved(&old)).unwrap();
    let lamps: &Dense<Lamp> = new.manager(lights).unwrap();
    assert_eq!(lamps.newest(entity), Some(&expected_lamp()));
    assert_eq!(new.get(entity, "mist.density"), Ok(Value::F32(0.25)));
    new.add(third, lights, "lamp").unwrap();
    // The restored system knows the former names too, and writes the present ones.
    let again = restored(&new, &saved(&new)).unwrap();
    assert_eq!(saved(&again), saved(&new));
    assert_eq!(again.manager_id("Haze"), Some(mist));
    let save = saved(&new);
    let managers = SavedManagers::read(&mut Reader::new(&save)).unwrap();
    let names: Vec<&str> = managers.iter().map(|manager| manager.name()).collect();
    assert_eq!(names, ["Mist", "Light"]);
    // A save with both names is none of any build.
    let mut both = EntitySystem::new();
    both.register("Mist", Dense::<Fog>::new()).unwrap();
    both.register("Fog", Dense::<Fog>::new()).unwrap();
    let error = restored(&renamed, &saved(&both)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the data are broken: the manager `Fog` stands twice"
    );

    for (id, name) in [
        (mist, "Fog"),
        (lights, "Fog"),
        (lights, "Mist"),
        (lights, "Light"),
    ] {
        let refused = renamed.manager_was(id, name);
        let taken = SystemError::ManagerTaken { manager: name.into() };
        assert_eq!(refused, Err(taken), "{name}");
    }
    assert!(renamed.manager_was(ManagerId(9), "Lantern").is_err());
    assert!(renamed.manager_was(lights, "a.b").is_err());
    assert!(renamed.register("Fog", Dense::<Fog>::new()).is_err());
}

#[test]
fn a_manager_alone_is_found_by_name_and_checked_like_a_whole_save() {
    let (old, [entity, _]) = old_system();
    let written = |system: &EntitySystem, name: &str| {
        let mut out = Writer::new();
        system.save_manager(system.manager_id(name).unwrap(), &mut out);
        out.finish()
    };
    let lamps = written(&old, "Lamp");
    // The entities are those of the save; the managers have another order and other properties.
    let mut new = restored(&new_system(), &saved(&old)).unwrap();
    let id = new.manager_id("Lamp").unwrap();
    new.manager_mut::<Dense<Lamp>>(id)
        .unwrap()
        .newest_mut(entity)
        .unwrap()
        .age = 41;
    let (found, manager) = new.restored_manager(&mut Reader::new(&lamps)).unwrap();
    assert_eq!(found, id);
    let before = new.replace_manager(found, manager).unwrap();
    check_lamps(&new, entity);
    let tags = new.manager_id("Tag").unwrap();
    assert!(new.replace_manager(tags, before).is_none(), "another type");

    // Of an entity that there has never been, of no manager, and cut off anywhere.
    let error = new_system()
        .restored_manager(&mut Reader::new(&lamps))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the data are broken: an instance of an entity that there has never been"
    );
    let unknown = EntitySystem::new();
    let error = unknown.restored_manager(&mut Reader::new(&lamps)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the data do not fit: there is no manager `Lamp` here"
    );
    for end in 0..lamps.len() {
        assert!(
            new.restored_manager(&mut Reader::new(&lamps[..end])).is_err(),
            "{end}"
        );
    }
    let mut nothing = Writer::new();
    new.save_manager(ManagerId(99), &mut nothing);
    assert!(nothing.finish().is_empty());
}

#[test]
fn saves_of_earlier_versions_are_read() {
    let (old, [entity, _]) = old_system();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/saves");
    let save = saved(&old);
    let version = u32::from_le_bytes(save[..4].try_into().unwrap());
    let path = folder.join(format!("{version}-lamps.save"));
    if std::env::var_os("TOMBOLO_BLESS").is_some() && !path.exists() {
        fs::create_dir_all(&folder).unwrap();
        fs::write(&path, &save).unwrap();
    }
    assert!(
        fs::read(&path).unwrap() == save,
        "what version {version} writes has changed: see docs/saves.md"
    );
    for file in fs::read_dir(&folder).unwrap() {
        let file = file.unwrap().path();
        let save = fs::read(&file).unwrap();
        let new =
            restored(&new_system(), &save).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        check_lamps(&new, entity);
    }
}

/// A lamp of any schema.
#[derive(Clone, Debug, Default)]
struct Other<const N: u8> {
    number: f32,
    mode: u32,
}

impl<const N: u8> Component for Other<N> {
    const VERSION: u32 = if N == 3 { 2 } else { 1 };

    fn schema() -> Schema<Self> {
        let modes: &[&str] = if N == 1 { &["Off", "Dim"] } else { OLD_MODES };
        let schema = Schema::new().choice("mode", modes, |l: &Self| l.mode, |l, mode| l.mode = mode);
        let get = |l: &Self| l.number;
        match N {
            2 => schema.property("power", |l: &Self| l.number as i32, |l, n| l.number = n as f32),
            4 => schema.derived("power", get),
            _ => schema.property("power", get, |l, number| l.number = number),
        }
    }
}

fn system_with<T: Component>() -> EntitySystem {
    let mut system = EntitySystem::new();
    let lamps = system.register("Lamp", Dense::<T>::new()).unwrap();
    let entity = system.create();
    system.add(entity, lamps, "light").unwrap();
    system
}

/// What a system of this schema says of a save.
fn refusal<T: Component>(save: &[u8]) -> String {
    let like = system_with::<T>();
    let error = restored(&like, save).unwrap_err();
    assert!(matches!(error, DataError::Unfit { .. }), "{error}");
    error.to_string()
}

#[test]
fn what_cannot_be_read_is_named() {
    let save = saved(&system_with::<Other<0>>());
    let begins = "the data do not fit: manager `Lamp`: ";
    for (found, error) in [
        (
            refusal::<Other<1>>(&save),
            "the property `mode` was one of Off, On, Dim when it was saved, and is one of Off, Dim here",
        ),
        (
            refusal::<Other<2>>(&save),
            "the property `power` was f32 when it was saved, and is i32 here",
        ),
        (refusal::<Other<4>>(&save), "there is no property `power` here"),
        (refusal::<Tag>(&save), "there is no property `mode` here"),
        (
            refusal::<Other<0>>(&saved(&system_with::<Other<3>>())),
            "a later build saved it, with version 2 of its data; this one reads 1",
        ),
    ] {
        assert_eq!(found, format!("{begins}{error}"));
    }
    let mut other = EntitySystem::new();
    other.register("Torch", Dense::<Other<0>>::new()).unwrap();
    assert_eq!(
        restored(&other, &save).unwrap_err().to_string(),
        "the data do not fit: there is no manager `Lamp` here"
    );
    let mut later = save.clone();
    later[..4].copy_from_slice(&2_u32.to_le_bytes());
    assert_eq!(
        refusal::<Other<0>>(&later),
        "the data do not fit: a later build saved the entities, with version 2; this one reads 1"
    );
}

/// A former property may set what is out of range: the component is checked as a whole.
#[test]
fn what_comes_of_former_properties_is_in_range() {
    #[derive(Clone, Default)]
    struct InRange(f32);
    impl Component for InRange {
        fn schema() -> Schema<Self> {
            Schema::new()
                .property("part", |l: &Self| l.0, |l, part| l.0 = part)
                .range(0.0..=1.0)
                .former("power", Kind::F32, |l, power| {
                    if let Value::F32(power) = power {
                        l.0 = power / 100.0;
                    }
                })
                .former("mode", Kind::Choice(OLD_MODES), |_, _| ())
        }

        fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
            schema.restore_in_range(self, from)
        }
    }
    let mut old = system_with::<Other<0>>();
    let entity = old.entities().iter().next().unwrap();
    old.set(entity, "light.power", Value::F32(50.0)).unwrap();
    let new = restored(&system_with::<InRange>(), &saved(&old)).unwrap();
    assert_eq!(new.get(entity, "light.part"), Ok(Value::F32(0.5)));
    old.set(entity, "light.power", Value::F32(101.0)).unwrap();
    let error = restored(&system_with::<InRange>(), &saved(&old)).unwrap_err();
    assert!(error.to_string().contains("part"), "{error}");
}

/// The first bytes of a save: the description of its managers.
fn description_length(save: &[u8]) -> usize {
    let mut from = Reader::new(save);
    let managers = SavedManagers::read(&mut from).unwrap();
    let names: Vec<&str> = managers.iter().map(|manager| manager.name()).collect();
    assert_eq!(names, ["Fog", "Lamp"]);
    assert!(managers.find("Tag").is_none() && managers.find("Lamp").is_some());
    save.len() - from.remaining()
}

#[test]
fn forged_descriptions_are_refused_or_read() {
    let (old, _) = old_system();
    let save = saved(&old);
    let (mut old, new) = (old, new_system());
    old.collect_all();
    let length = description_length(&save);
    let mut refused = 0;
    for place in 0..length {
        for flip in [1, 2, 0x80, 0xFF] {
            let mut forged = save.clone();
            forged[place] ^= flip;
            for like in [&old, &new] {
                match restored(like, &forged) {
                    Ok(system) => {
                        let again = saved(&system);
                        assert_eq!(saved(&restored(like, &again).unwrap()), again);
                    }
                    Err(_) => refused += 1,
                }
            }
        }
        let cut = save[..place].to_vec();
        assert!(restored(&new, &cut).is_err(), "cut at {place}");
    }
    assert!(refused > 6 * length, "{refused} of {}", 8 * length);
}

/// The resource of lamps, in a library of a system.
fn library(system: &mut EntitySystem, power: (&str, Value)) -> Library {
    let mut library = Library::new();
    let lamp = ResourceDefinition::new("lamp").component("light", "Lamp", [power]);
    library.load(system, vec![lamp]).unwrap();
    library
}

fn saved_both(system: &EntitySystem, library: &Library) -> Vec<u8> {
    let mut out = Writer::new();
    system.save(&mut out);
    library.save(&mut out);
    out.finish()
}

/// The places of properties differ between the builds; their names say what was overridden.
#[test]
fn overridden_properties_are_found_by_name() {
    let (mut old, _) = old_system();
    let mut old_library = library(&mut old, ("power", Value::F32(10.0)));
    let over = |path: &str, value| Override {
        path: path.into(),
        value,
    };
    let overrides = [
        over("light.dust", Value::U32(3)),
        over("light.power", Value::F32(10.0)),
    ];
    let special = old_library
        .spawn(&mut old, "lamp", 1, &overrides)
        .unwrap()
        .roots()[0];
    let dead = old_library
        .spawn(&mut old, "lamp", 1, &overrides)
        .unwrap()
        .roots()[0];
    let plain = old_library.spawn(&mut old, "lamp", 1, &[]).unwrap().roots()[0];
    old.destroy(dead);
    let save = saved_both(&old, &old_library);

    // The same build finds everything as it was.
    let mut from = Reader::new(&save);
    let same = old.restored(&mut from).unwrap();
    let same_library = old_library.restored(&same, &mut from).unwrap();
    assert_eq!(saved_both(&same, &same_library), save);

    let mut like = new_system();
    let like_library = library(&mut like, ("watts", Value::F64(10.0)));
    let mut from = Reader::new(&save);
    let mut new = like.restored(&mut from).unwrap();
    let mut new_library = like_library.restored(&new, &mut from).unwrap();
    from.end().unwrap();
    let again = saved_both(&new, &new_library);
    let lamp = ResourceDefinition::new("lamp").component("light", "Lamp", [("watts", Value::F64(20.0))]);
    new_library.load(&mut new, vec![lamp]).unwrap();
    let watts = |entity| new.get(entity, "light.watts").unwrap();
    assert_eq!(watts(plain), Value::F64(20.0));
    assert_eq!(watts(special), Value::F64(10.0), "overridden");

    let mut from = Reader::new(&again);
    let new = like.restored(&mut from).unwrap();
    let new_library = like_library.restored(&new, &mut from).unwrap();
    assert_eq!(saved_both(&new, &new_library), again);
}

/// A manager with a format of its own.
#[derive(Clone, Debug)]
struct Counter {
    version: u32,
    count: u32,
    properties: Vec<tombolo_entity::Property>,
}

impl Counter {
    fn new(version: u32, properties: &[&str]) -> Self {
        let property = |name: &&str| tombolo_entity::Property::new(name, Kind::U32, Value::U32(0));
        Self {
            version,
            count: 0,
            properties: properties.iter().map(property).collect(),
        }
    }
}

impl ComponentManager for Counter {
    fn create(
        &mut self,
        _: Entity,
        _: tombolo_entity::InstanceId,
    ) -> Result<(), tombolo_entity::ManagerError> {
        self.count += 1;
        Ok(())
    }
    fn contains(&self, _: Entity, _: tombolo_entity::InstanceId) -> bool {
        true
    }
    fn destroy(&mut self, _: Entity, _: tombolo_entity::InstanceId) -> bool {
        false
    }
    fn collect(&mut self, _: &tombolo_entity::Entities, _: usize) -> usize {
        0
    }
    fn len(&self) -> usize {
        self.count as usize
    }
    fn clone_boxed(&self) -> Box<dyn ComponentManager> {
        Box::new(self.clone())
    }
    fn save(&self, out: &mut Writer) {
        out.u32(self.count);
    }
    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), DataError> {
        let unit = if from.is_before(2) { 1 } else { 10 };
        self.count = unit * from.u32("a count")?;
        Ok(())
    }
    fn version(&self) -> u32 {
        self.version
    }
    fn properties(&self) -> &[tombolo_entity::Property] {
        &self.properties
    }
}

#[test]
fn a_manager_with_a_format_of_its_own_is_asked_for_versions() {
    let with = |counter: Counter| {
        let mut system = EntitySystem::new();
        system.register("Counter", counter).unwrap();
        system
    };
    let mut old = with(Counter::new(1, &["a"]));
    let counters = old.manager_id("Counter").unwrap();
    let entity = old.create();
    old.add(entity, counters, "count").unwrap();
    let save = saved(&old);
    let count = |system: &EntitySystem| system.any_manager(counters).unwrap().len();
    assert_eq!(
        count(&restored(&with(Counter::new(2, &["a"])), &save).unwrap()),
        1
    );
    old = restored(&with(Counter::new(2, &["a"])), &save).unwrap();
    let later = saved(&old);
    assert_eq!(
        count(&restored(&with(Counter::new(2, &["a"])), &later).unwrap()),
        10
    );
    let error = restored(&with(Counter::new(1, &["a"])), &later).unwrap_err();
    assert!(error.to_string().contains("a later build saved it"), "{error}");
    let error = restored(&with(Counter::new(2, &["a", "b"])), &save).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the data do not fit: manager `Counter`: it had other properties when it was saved"
    );
    // A save without the manager, which cannot be emptied.
    let empty = saved(&EntitySystem::new());
    assert!(restored(&with(Counter::new(1, &[])), &empty).is_ok());
    let error = restored(&old, &empty).unwrap_err();
    assert!(error.to_string().contains("not to be emptied"), "{error}");
}

/// A component of two numbers.
#[derive(Clone, Default)]
struct Pair {
    first: f32,
    second: f32,
}

impl Pair {
    fn with_second(schema: Schema<Self>) -> Schema<Self> {
        schema.property("second", |pair| pair.second, |pair, second| pair.second = second)
    }
}

#[test]
#[should_panic(expected = "property `second` has a former name of `first`")]
fn a_name_that_was_given_up_does_not_become_that_of_another_property() {
    let schema = Schema::new().property(
        "first",
        |pair: &Pair| pair.first,
        |pair, first| pair.first = first,
    );
    let _ = Pair::with_second(schema.was("second"));
}

#[test]
#[should_panic(expected = "`second` is the name of a property")]
fn the_name_of_a_property_is_no_former_one_of_another() {
    let schema = Pair::with_second(Schema::new());
    let _ = schema
        .property("first", |pair| pair.first, |pair, first| pair.first = first)
        .was("second");
}
