//! A whole system is saved as bytes and restored with the same answers and the same numbers; broken bytes are refused.

use glam::{Quat, Vec2, Vec3};
use proptest::prelude::*;
use tombolo_entity::{
    Accessor, Color, DataError, Dense, Entity, EntitySystem, InstanceId, Library, NameHash, Override,
    PropertyValue, Reader, ResourceDefinition, Value, Writer,
};

use crate::{Fog, system};

fn bytes(system: &EntitySystem, library: &Library) -> Vec<u8> {
    let mut out = Writer::new();
    system.save(&mut out);
    library.save(&mut out);
    out.finish()
}

/// A system with a past: spawned, overridden, added to by hand, died in part, collected in part.
fn lived_in() -> (EntitySystem, Library) {
    let (mut system, fogs, tags) = system();
    let mut library = Library::new();
    library.load(&mut system, resources()).unwrap();
    let spawned = library.spawn(&mut system, "valley", 20, &[]).unwrap();
    let thick = Override {
        path: "Mist.density".into(),
        value: Value::F32(0.75),
    };
    library.spawn(&mut system, "valley", 5, &[thick]).unwrap();
    for (number, &entity) in spawned.roots().iter().enumerate() {
        match number % 4 {
            0 => drop(system.destroy(entity)),
            1 => drop(system.destroy_now(entity)),
            2 => drop(system.add(entity, tags, "lonely").unwrap()),
            _ => system.remove(entity, "Smoke").unwrap(),
        }
    }
    system.collect(3);
    let extra = system.create();
    system.add(extra, fogs, "Haze").unwrap();
    (system, library)
}

fn resources() -> Vec<ResourceDefinition> {
    let valley = ResourceDefinition::new("valley")
        .component("Mist", "Fog", [("density", Value::F32(0.25))])
        .component("Smoke", "Fog", []);
    vec![valley]
}

/// A system and library with the same managers and resources and nothing else.
fn fresh() -> (EntitySystem, Library) {
    let (mut system, ..) = system();
    let mut library = Library::new();
    library.load(&mut system, resources()).unwrap();
    (system, library)
}

fn restore(data: &[u8], (system, library): &mut (EntitySystem, Library)) -> Result<(), DataError> {
    let mut from = Reader::new(data);
    let (mut new_system, mut new_library) = (system.clone(), library.clone());
    new_system.restore(&mut from)?;
    new_library.restore(&new_system, &mut from)?;
    from.end()?;
    (*system, *library) = (new_system, new_library);
    Ok(())
}

#[test]
fn ei_14_a_restored_system_goes_on_with_the_same_answers_and_numbers() {
    let (mut system, mut library) = lived_in();
    let data = bytes(&system, &library);
    let mut other = fresh();
    restore(&data, &mut other).unwrap();
    let (other_system, other_library) = &mut other;
    assert_eq!(bytes(other_system, other_library), data);
    // The same calls afterwards, and still the same bytes.
    for (system, library) in [(&mut system, &mut library), (other_system, other_library)] {
        let more = library.spawn(system, "valley", 30, &[]).unwrap();
        system
            .set(more.roots()[3], "Mist.density", Value::F32(0.5))
            .unwrap();
        system.destroy(more.roots()[0]);
        system.collect_all();
        let thin =
            ResourceDefinition::new("valley").component("Mist", "Fog", [("density", Value::F32(0.125))]);
        library.load(system, vec![thin]).unwrap();
        system.collect_all();
    }
    assert_eq!(bytes(&system, &library), bytes(&other.0, &other.1));
    assert!(system.entities().iter().eq(other.0.entities().iter()));
}

#[test]
fn ei_12_an_accessor_stays_right_after_a_restore_and_in_a_clone() {
    let (mut system, fogs, tags) = system();
    let entity = system.create();
    let mut out = Writer::new();
    system.save(&mut out);
    let data = out.finish();
    system.add(entity, fogs, "Mist").unwrap();
    let mut density = Accessor::new("Mist.density").unwrap();
    assert!(system.get_with(&mut density, entity).is_ok());
    let fork = system.clone();
    system.restore(&mut Reader::new(&data)).unwrap();
    // The same number of a prototype, with another list.
    system.add(entity, tags, "Mist").unwrap();
    assert!(
        system.get_with(&mut density, entity).is_err(),
        "a tag has no density"
    );
    assert!(fork.get_with(&mut density, entity).is_ok());
    assert!(system.get_with(&mut density, entity).is_err());
}

#[test]
fn a_save_of_other_managers_or_resources_is_refused() {
    let (system, library) = lived_in();
    let data = bytes(&system, &library);
    let mut fewer = (EntitySystem::new(), Library::new());
    let error = restore(&data, &mut fewer).unwrap_err();
    assert!(matches!(error, DataError::Unfit { .. }), "{error}");
    let mut renamed = EntitySystem::new();
    renamed.register("Mist", Dense::<Fog>::new()).unwrap();
    renamed.register("Tag", Dense::<Fog>::new()).unwrap();
    let error = renamed.restore(&mut Reader::new(&data)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the data do not fit: there is no manager `Fog` here"
    );
    let mut other = fresh();
    let another = ResourceDefinition::new("hill");
    other.1.load(&mut other.0, vec![another]).unwrap();
    let before = bytes(&other.0, &other.1);
    let error = restore(&data, &mut other).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the data do not fit: other resources were loaded when it was saved"
    );
    assert_eq!(bytes(&other.0, &other.1), before);
}

#[test]
fn ended_components_are_kept_for_managers_that_ask() {
    let mut system = EntitySystem::new();
    let fogs = system.register("Fog", Dense::<Fog>::keeping_ended()).unwrap();
    let [one, two] = [system.create(), system.create()];
    for (entity, name) in [(one, "Mist"), (one, "Smoke"), (two, "Mist")] {
        system.add(entity, fogs, name).unwrap();
    }
    system.set(one, "Smoke.density", Value::F32(0.5)).unwrap();
    let smoke: InstanceId = NameHash::of("Smoke").into();
    let dense: &mut Dense<Fog> = system.manager_mut(fogs).unwrap();
    let of_one: Vec<InstanceId> = dense.of(one).map(|(instance, _)| instance).collect();
    assert_eq!(of_one, [smoke, NameHash::of("Mist").into()], "the newest first");
    assert_eq!(dense.newest(one).unwrap().density, 0.5);
    assert!(dense.take_ended().is_empty());
    system.remove(one, "Smoke").unwrap();
    system.destroy_now(two);
    let dense: &mut Dense<Fog> = system.manager_mut(fogs).unwrap();
    let ended = dense.take_ended();
    let who: Vec<_> = ended.iter().map(|end| (end.entity, end.value.density)).collect();
    assert_eq!(who, [(one, 0.5), (two, 0.0)]);
    assert!(dense.take_ended().is_empty());
    assert!(dense.newest(two).is_none() && dense.of(two).next().is_none());
}

/// The saved bytes with another entity in one of the places of an entity, counted from the end.
fn forged(data: &[u8], from: Entity, to: Entity, place: usize) -> Vec<u8> {
    let (from, to) = (from.to_bits().to_le_bytes(), to.to_bits().to_le_bytes());
    let mut places = (0..data.len() - 7).rev().filter(|&at| data[at..at + 8] == from);
    let at = places.nth(place).expect("the entity is there so often");
    [&data[..at], &to, &data[at + 8..]].concat()
}

/// A library that was told of a far entity made room for all slots up to it before anyone asked whether there is such an
/// entity: 4 GB for 12 bytes.
#[test]
fn ei_14_an_origin_of_an_entity_that_never_was_is_refused() {
    let (mut system, mut library) = fresh();
    let spawned = library.spawn(&mut system, "valley", 4, &[]).unwrap();
    let entity = spawned.roots()[3];
    let tags = system.manager_id("Tag").unwrap();
    let bits = |generation: u64, slot: u64| Entity::from_bits(generation << 32 | slot).unwrap();
    system.add(entity, tags, "lonely").unwrap();
    let data = bytes(&system, &library);
    // The origin, and before it the tag: of a life to come, it would be that life's own.
    for (never, place) in [
        (bits(1, 4_000_000), 0),
        (bits(2, 3), 0),
        (bits(1, 4), 0),
        (bits(2, 3), 1),
    ] {
        let error = restore(&forged(&data, entity, never, place), &mut fresh()).unwrap_err();
        assert!(error.to_string().contains("never been"), "{error}");
    }
    // What is remembered of the dead stays.
    system.destroy(entity);
    assert!(restore(&bytes(&system, &library), &mut fresh()).is_ok());
}

/// An entity had two instances of one number: the second stayed when the first was ended, and its name was never free.
#[test]
fn ei_14_two_instances_of_one_number_are_refused() {
    let (mut system, fogs, _) = system();
    let entity = system.create();
    system.add(entity, fogs, "Mist").unwrap();
    system.add(entity, fogs, "Smoke").unwrap();
    let mut out = Writer::new();
    system.any_manager(fogs).unwrap().save(&mut out);
    let data = out.finish();
    let (mist, smoke) = (
        NameHash::of("Mist").to_bits().to_le_bytes(),
        NameHash::of("Smoke").to_bits().to_le_bytes(),
    );
    let at = data
        .windows(4)
        .position(|bytes| bytes == smoke)
        .expect("it is there");
    let twice = [&data[..at], &mist, &data[at + 4..]].concat();
    let manager = system.any_manager_mut(fogs).unwrap();
    assert!(manager.restore(&mut Reader::new(&twice)).is_err());
    assert!(manager.restore(&mut Reader::new(&data)).is_ok());
}

proptest! {
    #[test]
    fn damaged_bytes_give_an_error_or_a_sound_system(
        damages in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (system, library) = lived_in();
        let mut data = bytes(&system, &library);
        for (at, byte) in damages {
            let at = at.index(data.len());
            data[at] ^= byte;
        }
        if let Some(cut) = cut {
            data.truncate(cut.index(data.len()));
        }
        let mut other = fresh();
        let before = bytes(&other.0, &other.1);
        if restore(&data, &mut other).is_err() {
            prop_assert_eq!(bytes(&other.0, &other.1), before);
        } else {
            // Whatever it is, it works.
            let (system, library) = &mut other;
            let all: Vec<_> = system.entities().iter().collect();
            for entity in all {
                for entry in Vec::from(system.components(entity)) {
                    let name = system.names().get(entry.name).unwrap().to_owned();
                    drop(system.get(entity, &format!("{name}.density")));
                    drop(system.remove(entity, &name));
                }
                system.destroy(entity);
            }
            drop(library.spawn(system, "valley", 3, &[]));
            system.collect_all();
            prop_assert!(restore(&bytes(system, library), &mut fresh()).is_ok());
        }
    }
}

/// A property writes its value as the value itself is written, of each type; and bytes in place are those of a copy.
#[test]
fn a_property_writes_what_its_value_writes() {
    fn check<V: PropertyValue + Clone>(value: V) {
        let (mut direct, mut by_value) = (Writer::new(), Writer::new());
        value.clone().write(&mut direct);
        by_value.value(&value.into_value());
        let (direct, by_value) = (direct.finish(), by_value.finish());
        assert_eq!(direct, by_value, "{:?}", V::KIND);
        let (mut in_place, mut copied) = (Writer::new(), Writer::new());
        in_place.blob_of(|out| out.blob_of(|out| direct.iter().for_each(|byte| out.u8(*byte))));
        let mut inner = Writer::new();
        inner.blob(&direct);
        copied.blob(&inner.finish());
        assert_eq!(in_place.finish(), copied.finish());
    }
    check(true);
    check(-7_i32);
    check(u32::MAX - 1);
    check(i64::MIN + 3);
    check(-0.5_f32);
    check(1.0e300_f64);
    check(Vec2::new(1.0, -2.0));
    check(Vec3::new(1.0, -2.0, 3.0));
    check(Quat::from_xyzw(0.1, 0.2, 0.3, 0.4));
    check(Color {
        r: 0.1,
        g: 0.2,
        b: 0.3,
        a: 0.4,
    });
    check(Box::<str>::from("mist"));
    check(Box::<[u8]>::from([3, 0, 255]));
    check(None::<Entity>);
    check(vec![vec![1.5_f32, 2.5], vec![]]);
}
