//! Setting by path remembers accessors: whatever happened between two calls, it must answer like a system that remembers
//! nothing.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tombolo_entity::{Accessor, Entity, PropertyError, RecentPaths, Value};

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
