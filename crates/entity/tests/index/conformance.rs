//! The named cases that every design of an entity index must pass.

use tombolo_entity::{COMPONENTS_MAX, ComponentEntry, EntityIndex, IndexError, ManagerId};

use crate::{entities, entry, every_index};

fn managers(index: &dyn EntityIndex, entity: tombolo_entity::Entity, numbers: &[u32]) -> Vec<Option<u16>> {
    let find = |&number: &u32| {
        index
            .find(entity, entry(number).name)
            .map(|located| located.manager.0)
    };
    numbers.iter().map(find).collect()
}

#[test]
fn ei_1_another_order_of_adding_gives_the_same_answers() {
    for (name, mut index) in every_index() {
        let (_, list) = entities(2);
        index
            .add_many(&list[..1], &[entry(1), entry(2), entry(3)])
            .unwrap();
        index
            .add_many(&list[1..], &[entry(3), entry(1), entry(2)])
            .unwrap();
        for entity in list {
            assert_eq!(
                managers(&*index, entity, &[1, 2, 3, 4]),
                [Some(1), Some(2), Some(3), None],
                "{name}"
            );
        }
    }
}

#[test]
fn ei_2_a_name_that_is_taken_is_refused_whoever_holds_it() {
    for (name, mut index) in every_index() {
        let (_, list) = entities(1);
        let entity = list[0];
        index.add_many(&list, &[entry(1), entry(2)]).unwrap();
        for manager in [entry(1).manager, ManagerId(40)] {
            let again = ComponentEntry {
                name: entry(1).name,
                manager,
            };
            let taken = IndexError::NameTaken {
                entity,
                name: again.name,
                manager: entry(1).manager,
            };
            assert_eq!(index.add(entity, again), Err(taken), "{name}");
        }
        assert_eq!(index.entries(entity), [entry(1), entry(2)], "{name}");
    }
}

#[test]
fn ei_3_one_of_a_thousand_sharing_entities_diverges_alone() {
    for (name, mut index) in every_index() {
        let (_, list) = entities(1000);
        index.add_many(&list, &[entry(1), entry(2)]).unwrap();
        index.add(list[500], entry(3)).unwrap();
        index.remove(list[501], entry(1).name).unwrap();
        for (place, &entity) in list.iter().enumerate() {
            let wanted = match place {
                500 => vec![entry(1), entry(2), entry(3)],
                501 => vec![entry(2)],
                _ => vec![entry(1), entry(2)],
            };
            assert_eq!(index.entries(entity), wanted, "{name}, entity {place}");
        }
    }
}

#[test]
fn ei_4_first_middle_and_last_can_be_removed_and_an_unknown_name_cannot() {
    for (name, mut index) in every_index() {
        let (_, list) = entities(4);
        let entries: Vec<ComponentEntry> = (0..5).map(entry).collect();
        index.add_many(&list, &entries).unwrap();
        for (entity, place) in list.iter().zip([0, 2, 4]) {
            index.remove(*entity, entries[place].name).unwrap();
            let mut wanted = entries.clone();
            wanted.remove(place);
            assert_eq!(index.entries(*entity), wanted, "{name}");
            assert_eq!(index.find(*entity, entries[place].name), None, "{name}");
        }
        let unknown = IndexError::NoName {
            entity: list[3],
            name: entry(9).name,
        };
        assert_eq!(index.remove(list[3], entry(9).name), Err(unknown), "{name}");
        assert_eq!(index.entries(list[3]), entries, "{name}");
    }
}

#[test]
fn ei_7_a_new_life_of_a_slot_begins_empty_and_the_old_handle_finds_nothing() {
    for (name, mut index) in every_index() {
        let (mut entities, list) = entities(1);
        let old = list[0];
        index.add(old, entry(1)).unwrap();
        entities.destroy(old);
        assert!(index.forget(old), "{name}");
        assert!(!index.forget(old), "{name}");
        let new = entities.create();
        assert_eq!(
            (new.index(), new.generation()),
            (old.index(), old.generation() + 1)
        );
        assert_eq!(index.find(new, entry(1).name), None, "{name}");
        index.add(new, entry(2)).unwrap();
        assert_eq!(index.find(old, entry(2).name), None, "{name}");
        assert_eq!(index.entries(old), [], "{name}");
    }
}

#[test]
fn ei_8_none_one_sixty_four_and_a_thousand_components() {
    for (name, mut index) in every_index() {
        for count in [0, 1, 64, 1000] {
            let (_, list) = entities(1);
            let entries: Vec<ComponentEntry> = (0..count).map(entry).collect();
            index.add_many(&list, &entries).unwrap();
            assert_eq!(index.entries(list[0]), entries, "{name}");
            for wanted in &entries {
                let found = index.find(list[0], wanted.name).unwrap();
                assert_eq!(found.manager, wanted.manager, "{name}");
            }
            assert_eq!(index.find(list[0], entry(5000).name), None, "{name}");
            index.forget(list[0]);
        }
    }
}

#[test]
fn ei_8_the_most_components_are_taken_and_one_more_is_refused() {
    for (name, mut index) in every_index() {
        let (_, list) = entities(1);
        let entries: Vec<ComponentEntry> = (0..COMPONENTS_MAX as u32).map(entry).collect();
        index.add_many(&list, &entries).unwrap();
        assert_eq!(
            index.add(list[0], entry(COMPONENTS_MAX as u32)),
            Err(IndexError::TooMany),
            "{name}"
        );
        assert_eq!(index.entries(list[0]), entries, "{name}");
    }
}

#[test]
fn ei_10_a_batch_of_mixed_prototypes_equals_one_by_one() {
    let (_, list) = entities(30);
    let begin = |index: &mut dyn EntityIndex| {
        for (place, &entity) in list.iter().enumerate() {
            for number in 0..(place as u32 % 3) {
                index.add(entity, entry(number)).unwrap();
            }
        }
    };
    for ((name, mut batch), (_, mut single)) in every_index().into_iter().zip(every_index()) {
        begin(&mut *batch);
        begin(&mut *single);
        let entries = [entry(10), entry(11), entry(12)];
        batch.add_many(&list, &entries).unwrap();
        for &entity in &list {
            for entry in entries {
                single.add(entity, entry).unwrap();
            }
            assert_eq!(batch.entries(entity), single.entries(entity), "{name}");
        }
    }
}

#[test]
fn ei_10_a_batch_that_is_refused_changes_nothing() {
    for (name, mut index) in every_index() {
        let (_, list) = entities(3);
        index.add(list[2], entry(11)).unwrap();
        let refused = index.add_many(&list, &[entry(10), entry(11)]);
        assert!(matches!(refused, Err(IndexError::NameTaken { .. })), "{name}");
        let twice = index.add_many(&list, &[entry(10), entry(10)]);
        assert_eq!(
            twice,
            Err(IndexError::NameTwice { name: entry(10).name }),
            "{name}"
        );
        let entries: Vec<Vec<ComponentEntry>> = list.iter().map(|&entity| index.entries(entity)).collect();
        assert_eq!(entries, [vec![], vec![], vec![entry(11)]], "{name}");
    }
}

#[test]
fn ei_13_components_are_listed_in_the_order_of_adding() {
    for (name, mut index) in every_index() {
        let (_, list) = entities(1);
        let order = [7, 3, 9, 1, 8].map(entry);
        for entry in order {
            index.add(list[0], entry).unwrap();
        }
        assert_eq!(index.entries(list[0]), order, "{name}");
    }
}

/// Two lives of slot 0, the old one first.
fn lives() -> [tombolo_entity::Entity; 2] {
    let (mut entities, list) = entities(1);
    entities.destroy(list[0]);
    let new = entities.create();
    assert_eq!((new.index(), list[0].index()), (0, 0));
    [list[0], new]
}

/// Of the later life and then the earlier one in one call: the earlier one was let in and emptied the later one's
/// entries.
#[test]
fn ei_7_an_earlier_life_behind_a_later_one_in_a_batch_is_refused_and_nothing_changes() {
    for (name, mut index) in every_index() {
        let [old, new] = lives();
        let stale = IndexError::Stale { entity: old };
        let (_, list) = entities(3);
        let others = &list[1..];
        index.add(others[1], entry(5)).unwrap();
        assert_eq!(
            index.add_many(&[others[0], others[1], new, old], &[entry(1)]),
            Err(stale),
            "{name}"
        );
        for (entity, wanted) in [
            (others[0], vec![]),
            (others[1], vec![entry(5)]),
            (new, vec![]),
            (old, vec![]),
        ] {
            assert_eq!(index.entries(entity), wanted, "{name}: {entity:?}");
        }
        assert!(!index.forget(new), "{name}");
        // The other way round the later life takes the slot over, as in two calls.
        index.add_many(&[old, new], &[entry(1)]).unwrap();
        assert_eq!(
            (index.entries(old), index.entries(new)),
            (vec![], vec![entry(1)]),
            "{name}"
        );
    }
}

/// A batch that is refused after a later life took a slot over gives the earlier one its entries back.
#[test]
fn ei_10_a_refused_batch_gives_back_what_was_taken_over() {
    for (name, mut index) in every_index() {
        let [old, new] = lives();
        index.add_many(&[old], &[entry(1), entry(2)]).unwrap();
        let refused = index.add_many(&[new, new], &[entry(3)]);
        let taken = IndexError::NameTaken {
            entity: new,
            name: entry(3).name,
            manager: entry(3).manager,
        };
        assert_eq!(refused, Err(taken), "{name}");
        assert_eq!(
            (index.entries(old), index.entries(new)),
            (vec![entry(1), entry(2)], vec![]),
            "{name}"
        );
        assert!(!index.forget(new) && index.forget(old), "{name}");
    }
}

#[test]
fn ei_10_an_entity_that_stands_twice_in_a_batch_is_refused_by_its_names() {
    for (name, mut index) in every_index() {
        let (_, list) = entities(2);
        let refused = index.add_many(&[list[0], list[1], list[0]], &[entry(1), entry(2)]);
        let taken = IndexError::NameTaken {
            entity: list[0],
            name: entry(1).name,
            manager: entry(1).manager,
        };
        assert_eq!(refused, Err(taken), "{name}");
        assert!(
            list.iter().all(|&entity| index.entries(entity).is_empty()),
            "{name}"
        );
        assert!(list.iter().all(|&entity| !index.forget(entity)), "{name}");
        // Without an entry there is nothing to refuse, and nothing to remember.
        assert_eq!(index.add_many(&[list[0], list[0]], &[]), Ok(()), "{name}");
        assert!(!index.forget(list[0]), "{name}");
    }
}

#[test]
fn ei_7_a_stale_entity_is_answered_alike_by_every_call() {
    for (name, mut index) in every_index() {
        let [old, new] = lives();
        index.add(old, entry(1)).unwrap();
        // A later life takes the slot over, also where nobody forgot the earlier one.
        index.add(new, entry(2)).unwrap();
        let stale = IndexError::Stale { entity: old };
        assert_eq!(index.check(old), Err(stale), "{name}");
        assert_eq!(index.add(old, entry(3)), Err(stale), "{name}");
        assert_eq!(index.add_many(&[old], &[entry(3)]), Err(stale), "{name}");
        assert_eq!(index.add_many(&[old], &[]), Err(stale), "{name}");
        let missing = IndexError::NoName {
            entity: old,
            name: entry(1).name,
        };
        assert_eq!(index.remove(old, entry(1).name), Err(missing), "{name}");
        assert_eq!(
            (index.find(old, entry(1).name), index.entries(old)),
            (None, vec![]),
            "{name}"
        );
        assert!(!index.forget(old), "{name}");
        assert_eq!(index.entries(new), [entry(2)], "{name}");
        // Once the slot is forgotten nothing tells its lives apart.
        assert!(index.forget(new), "{name}");
        assert_eq!(index.check(old), Ok(()), "{name}");
    }
}

#[test]
fn ei_7_an_entity_out_of_range_is_refused_by_every_design() {
    for (name, mut index) in every_index() {
        let far =
            tombolo_entity::Entity::from_bits(1 << 32 | u64::from(tombolo_entity::ENTITIES_MAX)).unwrap();
        assert_eq!(index.add(far, entry(1)), Err(IndexError::Full), "{name}");
        assert_eq!(
            index.add_many(&[far], &[entry(1)]),
            Err(IndexError::Full),
            "{name}"
        );
        assert_eq!(index.entries(far), [], "{name}");
    }
}
