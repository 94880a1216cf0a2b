//! Setting by path remembers accessors: whatever happened between two calls, it must answer like a system that remembers
//! nothing. So must an accessor that a program keeps, also when prototypes were freed and while changes are recorded.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tombolo_entity::{Accessor, Change, Entity, EntitySystem, NameHash, PropertyError, RecentPaths, Value};

use crate::system;

/// More paths than are remembered, and neighbors of one length with the same beginning and end, which take one place.
fn component(number: usize) -> String {
    format!("component_{:02}_of_many", number % 50)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) })]

    #[test]
    fn a_path_that_was_used_before_is_set_like_one_that_was_not(
        operations in prop::collection::vec((0..10_u8, 0..6_usize, 0..100_usize, -0.5..1.5_f32), 1..300),
    ) {
        let (mut system, fogs, tags) = system();
        let mut living: Vec<Entity> = (0..6).map(|_| system.create()).collect();
        let mut model: BTreeMap<(Entity, String), f32> = BTreeMap::new();
        for (what, place, number, value) in operations {
            let (entity, name) = (living[place], component(number));
            match what {
                0..=1 => {
                    if system.add(entity, fogs, &name).is_ok() {
                        model.insert((entity, name), 0.0);
                    }
                }
                2 => drop(system.add(entity, tags, &name)),
                3 => {
                    if system.remove(entity, &name).is_ok() {
                        model.remove(&(entity, name));
                    }
                }
                4 => {
                    system.destroy(entity);
                    living[place] = system.create();
                    model.retain(|(owner, _), _| *owner != entity);
                    let path = format!("{name}.density");
                    prop_assert!(system.set(entity, &path, Value::F32(0.5)).is_err(), "it is dead");
                }
                // Another identity, with the same numbers.
                5 => system = system.clone(),
                _ => {
                    let path = format!("{name}.{}", ["density", "height", "width"][number / 50 + usize::from(what == 9)]);
                    let expected = system.clone().set(entity, &path, Value::F32(value));
                    let set = system.set(entity, &path, Value::F32(value));
                    prop_assert_eq!(&set, &expected);
                    if set.is_ok() && path.ends_with("density") {
                        model.insert((entity, name), value);
                    }
                }
            }
        }
        for ((entity, name), value) in model {
            prop_assert_eq!(system.get(entity, &format!("{name}.density")), Ok(Value::F32(value)));
        }
    }
}

/// What a test of kept accessors does between two uses of one.
#[derive(Clone, Copy, Debug)]
enum Between {
    AddFog,
    AddTag,
    Remove,
    Destroy,
    Collect(usize),
    Clone,
    Image,
    GoBack,
    Watch(bool),
    Nothing,
}

fn between() -> impl Strategy<Value = Between> {
    prop_oneof![
        3 => Just(Between::AddFog),
        2 => Just(Between::AddTag),
        2 => Just(Between::Remove),
        1 => Just(Between::Destroy),
        2 => (0..8_usize).prop_map(Between::Collect),
        1 => Just(Between::Clone),
        1 => Just(Between::Image),
        1 => Just(Between::GoBack),
        1 => any::<bool>().prop_map(Between::Watch),
        3 => Just(Between::Nothing),
    ]
}

/// The changes that a system recorded, or `None` if it records none.
fn recorded(system: &mut EntitySystem) -> Option<Vec<Change>> {
    system.is_watching_changes().then(|| system.take_changes())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// Three names, so that prototypes are freed and their numbers come again; one accessor for each.
    #[test]
    fn a_kept_accessor_answers_like_a_new_one(
        operations in prop::collection::vec((between(), 0..4_usize, 0..3_usize, -0.5..1.5_f32), 1..200),
    ) {
        let (mut system, fogs, tags) = system();
        let mut living: Vec<Entity> = (0..4).map(|_| system.create()).collect();
        let mut accessors = [0, 1, 2].map(|name| Accessor::new(&format!("{}.density", component(name))).unwrap());
        let mut dead = living[0];
        let mut image = system.image();
        for (between, place, name, value) in operations {
            let entity = living[place];
            match between {
                Between::AddFog => drop(system.add(entity, fogs, &component(name))),
                Between::AddTag => drop(system.add(entity, tags, &component(name))),
                Between::Remove => drop(system.remove(entity, &component(name))),
                Between::Destroy => {
                    system.destroy(entity);
                    (dead, living[place]) = (entity, system.create());
                }
                Between::Collect(budget) => drop(system.collect(budget)),
                Between::Clone => system = system.clone(),
                Between::Image => image = system.image(),
                Between::GoBack => {
                    let prepared = system.prepare(&image);
                    system.apply(prepared);
                }
                Between::Watch(watch) => system.watch_changes(watch),
                Between::Nothing => {}
            }
            for entity in [living[place], dead] {
                let accessor = &mut accessors[name];
                let path = accessor.path().to_owned();
                let mut other = system.clone();
                other.watch_changes(system.is_watching_changes());
                let expected = other.set_with(&mut Accessor::new(&path).unwrap(), entity, value);
                prop_assert_eq!(&system.set_with(accessor, entity, value), &expected);
                let changes = recorded(&mut system);
                if let (Some(changes), Ok(())) = (&changes, &expected) {
                    let [change] = changes[..] else { panic!("{changes:?}") };
                    prop_assert_eq!((change.entity, change.property), (entity, NameHash::of("density")));
                }
                prop_assert_eq!(changes, recorded(&mut other));
                prop_assert_eq!(system.get_with(accessor, entity), other.get(entity, &path));
            }
        }
    }
}

#[test]
fn each_path_has_its_own_accessor_in_whatever_order_they_come() {
    let mut paths = RecentPaths::default();
    for round in 0..3 {
        for number in 0..200 {
            // Short ones too, and parts.
            let path =
                ["a", "ab", "abcdefgh", "abcdefghi"].map(|name| format!("{name}.p{}", number * (round + 1)));
            for path in path {
                assert_eq!(paths.accessor(&path).unwrap().path(), path);
                assert_eq!(paths.accessor(&path).unwrap().path(), path);
            }
        }
    }
    for path in ["", ".", "a", "a.", ".b", "a.b.c.d", "a..c"] {
        let refused = paths.accessor(path).map(|accessor| accessor.path().to_owned());
        assert_eq!(refused, Err(PropertyError::Path { path: path.into() }));
        assert_eq!(Accessor::new(path).err(), refused.err());
    }
}

/// Scripts make up paths that lead nowhere, of any length.
#[test]
fn long_paths_are_not_remembered() {
    let mut paths = RecentPaths::default();
    let long = |number: usize| format!("{}.p{number}", "x".repeat(10_000));
    for number in 0..200 {
        assert_eq!(paths.accessor(&long(number)).unwrap().path(), long(number));
    }
    assert_eq!(paths.accessor("a.b").unwrap().path(), "a.b");
    let bytes = format!("{paths:?}").len();
    assert!(bytes < 20_000, "{bytes} bytes");
}
