//! The functions that only the shared index has: numbers, collection, holding, memory, saving and restoring.

use tombolo_entity::{
    COMPONENTS_MAX, ComponentEntry, ENTRIES_MAX, Entity, EntityIndex, IndexError, IndexRestoreError,
    PrototypeId, PrototypeIndex, SavedIndex, SavedPrototype,
};

use crate::{entities, entry};

/// 75 different lists of 1 to 11 entries; those of one length differ in the first, so much is shared.
fn compositions() -> Vec<Vec<ComponentEntry>> {
    let list = |number: u32| {
        let rest = (0..number % 11).map(entry);
        std::iter::once(entry(100 + number / 11)).chain(rest).collect()
    };
    (0..75).map(list).collect()
}

#[test]
fn ei_1_the_same_calls_give_the_same_numbers_in_every_index() {
    let build = || {
        let (_, list) = entities(75);
        let mut index = PrototypeIndex::new();
        for (&entity, entries) in list.iter().zip(compositions()) {
            index.add_many(&[entity], &entries).unwrap();
        }
        index.save()
    };
    assert_eq!(build(), build());
}

#[test]
fn ei_1_the_same_order_is_one_prototype_and_another_order_is_another() {
    let (_, list) = entities(3);
    let mut index = PrototypeIndex::new();
    index.add_many(&list[..2], &[entry(1), entry(2)]).unwrap();
    index.add_many(&list[2..], &[entry(2), entry(1)]).unwrap();
    assert_eq!(index.prototype(list[0]), index.prototype(list[1]));
    assert_ne!(index.prototype(list[0]), index.prototype(list[2]));
}

#[test]
fn ei_4_adding_removing_and_adding_again_returns_to_the_same_prototype() {
    let (_, list) = entities(2);
    let mut index = PrototypeIndex::new();
    index.add_many(&list, &[entry(1), entry(2), entry(3)]).unwrap();
    let (all, count) = (index.prototype(list[0]), index.memory().prototype_count);
    for _ in 0..3 {
        index.remove(list[0], entry(3).name).unwrap();
        index.add(list[0], entry(3)).unwrap();
        assert_eq!(index.prototype(list[0]), all);
    }
    assert_eq!(index.memory().prototype_count, count);
    // Without the middle one, both ways to [1, 3] meet.
    index.remove(list[0], entry(2).name).unwrap();
    let (_, other) = entities(3);
    index.add_many(&other[2..], &[entry(1), entry(3)]).unwrap();
    assert_eq!(index.prototype(list[0]), index.prototype(other[2]));
}

#[test]
fn ei_5_after_the_last_entity_only_the_empty_prototype_is_left() {
    let (_, list) = entities(75);
    let mut index = PrototypeIndex::new();
    for (&entity, entries) in list.iter().zip(compositions()) {
        index.add_many(&[entity], &entries).unwrap();
    }
    let count = index.memory().prototype_count;
    assert_eq!(count, 75, "every list is also on the way to a longer one");
    assert_eq!(
        index.collect(usize::MAX),
        0,
        "all lists are in use, or on the way to one that is"
    );
    for &entity in &list {
        index.forget(entity);
    }
    assert_eq!(index.collect(usize::MAX), count);
    assert_eq!(index.prototypes().collect::<Vec<_>>(), [index.prototype(list[0])]);
    assert_eq!(index.prototype(list[0]).id, PrototypeId::EMPTY);
}

#[test]
fn ei_5_collection_keeps_to_its_budget_and_ends_in_the_same_place() {
    let (_, list) = entities(1);
    let mut index = PrototypeIndex::new();
    let entries: Vec<ComponentEntry> = (0..10).map(entry).collect();
    index.add_many(&list, &entries).unwrap();
    index.forget(list[0]);
    let freed: Vec<usize> = (0..5).map(|_| index.collect(3)).collect();
    assert_eq!(
        freed,
        [3, 3, 3, 1, 0],
        "the last list first, then what it was made from"
    );
}

/// The figure of `COMPONENTS_MAX` and of `docs/entities.md`.
#[test]
fn a_list_of_the_greatest_length_leaves_a_megabyte_of_prototypes() {
    let (_, list) = entities(1);
    let mut index = PrototypeIndex::new();
    for name in 0..COMPONENTS_MAX as u32 {
        index.add(list[0], entry(name)).unwrap();
    }
    let bytes = index.memory().prototypes_bytes;
    assert!((1_100_000..1_200_000).contains(&bytes), "{bytes} bytes");
}

#[test]
fn ei_5_a_number_used_again_has_another_epoch() {
    let (_, list) = entities(2);
    let mut index = PrototypeIndex::new();
    index.add(list[0], entry(1)).unwrap();
    let old = index.prototype(list[0]);
    index.forget(list[0]);
    index.collect(usize::MAX);
    assert_eq!((index.prototype_entries(old), index.user_count(old)), (None, 0));
    index.add(list[1], entry(2)).unwrap();
    let new = index.prototype(list[1]);
    assert_eq!((new.id, new.epoch), (old.id, old.epoch + 1));
    assert_eq!(index.place(&list, old), Err(IndexError::Collected(old)));
    assert_eq!(index.entries(list[1]), [entry(2)]);
}

#[test]
fn ei_5_a_held_prototype_stays_without_entities() {
    let (_, list) = entities(2);
    let mut index = PrototypeIndex::new();
    let stamp = index.hold(&[entry(1), entry(2)]).unwrap();
    index.collect(usize::MAX);
    index.place(&list, stamp).unwrap();
    assert_eq!(index.user_count(stamp), 3);
    assert_eq!(index.entries(list[1]), [entry(1), entry(2)]);
    assert_eq!(index.slots_of(stamp).collect::<Vec<_>>(), [0, 1]);
    list.iter().for_each(|&entity| assert!(index.forget(entity)));
    assert!(index.unhold(stamp));
    assert!(!index.unhold(stamp));
    assert_eq!(index.collect(usize::MAX), 2);
}

#[test]
fn ei_7_a_stale_entity_is_refused_when_its_slot_has_a_later_life() {
    let (mut entities, list) = entities(1);
    let mut index = PrototypeIndex::new();
    entities.destroy(list[0]);
    let new = entities.create();
    index.add(new, entry(1)).unwrap();
    let stale = IndexError::Stale { entity: list[0] };
    assert_eq!(index.add(list[0], entry(2)), Err(stale));
    assert_eq!(index.add_many(&list, &[entry(2)]), Err(stale));
    assert_eq!(index.entries(new), [entry(1)]);
}

#[test]
fn ei_7_a_slot_taken_over_without_forgetting_gives_its_prototype_back() {
    let (mut entities, list) = entities(1);
    let mut index = PrototypeIndex::new();
    index.add(list[0], entry(1)).unwrap();
    let stamp = index.prototype(list[0]);
    entities.destroy(list[0]);
    let new = entities.create();
    index.add(new, entry(2)).unwrap();
    assert_eq!(index.user_count(stamp), 0);
    assert_eq!(index.entries(new), [entry(2)]);
}

/// A second `unhold` took an entity's use away: its prototype was collected, another list got its number, and the entity
/// was given another's components; a save before that panicked.
#[test]
fn ei_5_letting_go_twice_takes_nothing_from_an_entity() {
    let (_, list) = entities(2);
    let mut index = PrototypeIndex::new();
    let stamp = index.hold(&[entry(1)]).unwrap();
    index.place(&list[..1], stamp).unwrap();
    assert_eq!((index.user_count(stamp), index.holder_count(stamp)), (2, 1));
    assert!(index.unhold(stamp));
    assert!(!index.unhold(stamp));
    assert_eq!((index.user_count(stamp), index.holder_count(stamp)), (1, 0));
    assert_eq!(index.collect(usize::MAX), 0);
    index.add(list[1], entry(2)).unwrap();
    assert_eq!(index.entries(list[0]), [entry(1)]);
    let restored = PrototypeIndex::<tombolo_entity::FoldMix>::restore(&index.save()).unwrap();
    assert_eq!(restored.entries(list[0]), [entry(1)]);
}

#[test]
fn ei_7_a_list_is_not_placed_on_an_earlier_life_behind_a_later_one() {
    let (mut entities, list) = entities(1);
    entities.destroy(list[0]);
    let new = entities.create();
    let mut index = PrototypeIndex::new();
    let stamp = index.hold(&[entry(1)]).unwrap();
    let refused = index.place(&[new, list[0]], stamp);
    assert_eq!(refused, Err(IndexError::Stale { entity: list[0] }));
    assert_eq!((index.entries(new), index.user_count(stamp)), (vec![], 1));
    index.place(&[list[0], new, new], stamp).unwrap();
    assert_eq!((index.entries(new), index.user_count(stamp)), (vec![entry(1)], 2));
}

#[test]
fn an_entity_from_a_broken_file_does_not_ask_for_all_memory() {
    let far = Entity::from_bits(1 << 32 | u64::from(u32::MAX - 1)).unwrap();
    let mut index = PrototypeIndex::new();
    assert_eq!(index.add(far, entry(1)), Err(IndexError::Full));
    assert_eq!(index.memory().entities_bytes, 0);
}

#[test]
fn ei_11_less_than_eight_bytes_a_slot_and_120_a_prototype() {
    let (_, list) = entities(50_000);
    let mut index = PrototypeIndex::new();
    let lists = compositions();
    for (place, &entity) in list.iter().enumerate() {
        for &entry in &lists[place % lists.len()] {
            index.add(entity, entry).unwrap();
        }
    }
    let memory = index.memory();
    // Six bytes each, and an eighth of room.
    assert!(memory.entities_bytes < 7 * list.len(), "{memory:?}");
    assert_eq!(memory.prototype_count, 75);
    // Nodes, and a table of names for each; the lists share what is alike.
    assert!(
        memory.prototypes_bytes < 120 * memory.prototype_count,
        "{memory:?}"
    );
}

fn saved() -> SavedIndex {
    let (_, list) = entities(3);
    let mut index = PrototypeIndex::new();
    index.add_many(&list, &[entry(1), entry(2)]).unwrap();
    index.add(list[0], entry(3)).unwrap();
    index.forget(list[0]);
    index.collect(usize::MAX);
    index.save()
}

#[test]
fn ei_14_a_broken_save_is_refused_by_what_is_wrong_with_it() {
    let refuse = |breaks: fn(&mut SavedIndex)| {
        let mut broken = saved();
        breaks(&mut broken);
        PrototypeIndex::<tombolo_entity::FoldMix>::restore(&broken).unwrap_err()
    };
    assert!(PrototypeIndex::<tombolo_entity::FoldMix>::restore(&saved()).is_ok());
    assert_eq!(
        refuse(|saved| saved.prototypes.clear()),
        IndexRestoreError::NoRoot
    );
    assert_eq!(
        refuse(|saved| saved.prototypes[1].parent = 2),
        IndexRestoreError::BrokenList { number: 1 }
    );
    assert!(matches!(
        refuse(|saved| saved.prototypes[1].parent = 77),
        IndexRestoreError::Dangling { .. }
    ));
    assert!(matches!(
        refuse(|saved| saved.prototypes[1].parent = 3),
        IndexRestoreError::Dangling { .. }
    ));
    assert!(matches!(
        refuse(|saved| saved.records[1].1 = 3),
        IndexRestoreError::Dangling { .. }
    ));
    assert!(matches!(
        refuse(|saved| saved.records[1].1 = 99),
        IndexRestoreError::Dangling { .. }
    ));
    assert!(matches!(
        refuse(|saved| saved.free.push(1)),
        IndexRestoreError::Dangling { .. }
    ));
    assert!(matches!(
        refuse(|saved| saved.queue.push(0)),
        IndexRestoreError::Dangling { .. }
    ));
    assert!(matches!(
        refuse(|saved| saved.free.push(3)),
        IndexRestoreError::Twice { .. }
    ));
    let twin = |saved: &mut SavedIndex| saved.prototypes.push(saved.prototypes[1]);
    assert!(matches!(refuse(twin), IndexRestoreError::Twice { .. }));
    let full = |saved: &mut SavedIndex| saved.prototypes[2].holder_count = u32::MAX;
    assert_eq!(refuse(full), IndexRestoreError::TooManyUsers { number: 2 });
    // Holders of a number that no prototype has.
    let dead = |saved: &mut SavedIndex| saved.prototypes[3].holder_count = 1;
    assert_eq!(refuse(dead), IndexRestoreError::TooManyUsers { number: 3 });
    // The epoch that stands for "no prototype".
    let nowhere = |saved: &mut SavedIndex| saved.prototypes[0].epoch = u32::MAX;
    assert_eq!(refuse(nowhere), IndexRestoreError::NoRoot);
}

/// So many holders that the count ran over at the next one, or the next entity or child.
#[test]
fn ei_14_the_most_holders_are_let_in_and_counted_on_from() {
    use tombolo_entity::HOLDERS_MAX;
    let refuse = |count| {
        let mut many = saved();
        many.prototypes[2].holder_count = count;
        PrototypeIndex::<tombolo_entity::FoldMix>::restore(&many)
    };
    for count in [HOLDERS_MAX + 1, u32::MAX - 3, u32::MAX - 2] {
        assert_eq!(
            refuse(count).unwrap_err(),
            IndexRestoreError::TooManyUsers { number: 2 }
        );
    }
    let mut index = refuse(HOLDERS_MAX).unwrap();
    let (_, list) = entities(9);
    let stamp = index.prototype(list[1]);
    assert_eq!(index.holder_count(stamp), HOLDERS_MAX);
    assert_eq!(index.hold(&[entry(1), entry(2)]), Err(IndexError::Full));
    index.add_many(&list[3..], &[entry(1), entry(2)]).unwrap();
    index.add(list[8], entry(7)).unwrap();
    assert!(index.unhold(stamp));
    assert_eq!(index.hold(&[entry(1), entry(2)]), Ok(stamp));
    let again = index.save();
    assert_eq!(again.prototypes[2].holder_count, HOLDERS_MAX);
    assert_eq!(
        PrototypeIndex::<tombolo_entity::FoldMix>::restore(&again)
            .unwrap()
            .save(),
        again
    );
}

/// A chain of a thousand entries with many children: each names a list of a thousand entries in 21 bytes of a save.
#[test]
fn ei_14_a_save_of_many_long_lists_is_refused_before_it_takes_all_memory() {
    let prototype = |parent, number| SavedPrototype {
        parent,
        entry: Some(entry(number)),
        epoch: 0,
        holder_count: 0,
    };
    let root = SavedPrototype {
        entry: None,
        ..prototype(0, 0)
    };
    let mut bomb = SavedIndex {
        prototypes: vec![root],
        ..SavedIndex::default()
    };
    bomb.prototypes
        .extend((0..1000).map(|number| prototype(number, number)));
    assert!(PrototypeIndex::<tombolo_entity::FoldMix>::restore(&bomb).is_ok());
    bomb.prototypes
        .extend((1000..20_000).map(|number| prototype(1000, number)));
    let refused = PrototypeIndex::<tombolo_entity::FoldMix>::restore(&bomb).unwrap_err();
    assert_eq!(refused, IndexRestoreError::TooLarge { what: "entries" });
}

/// The limit is one of the index too, so that what it saves is let in.
#[test]
fn an_index_keeps_to_the_entries_that_a_save_may_have() {
    let entries: Vec<ComponentEntry> = (0..COMPONENTS_MAX as u32).map(entry).collect();
    let (_, list) = entities(1);
    let mut index = PrototypeIndex::new();
    let mut full = None;
    for first in 0..ENTRIES_MAX / (COMPONENTS_MAX * COMPONENTS_MAX / 2) + 1 {
        // Another first entry, so that nothing is shared.
        let mut entries = entries.clone();
        entries[0] = entry(5000 + first as u32);
        index.forget(list[0]);
        full = index.add_many(&list, &entries).err();
    }
    assert_eq!(full, Some(IndexError::Full));
    assert_eq!(index.entries(list[0]), []);
    let saved = index.save();
    assert!(PrototypeIndex::<tombolo_entity::FoldMix>::restore(&saved).is_ok());
    // What nobody uses is given back, and then there is room.
    index.collect(usize::MAX);
    index.add_many(&list, &entries).unwrap();
    assert_eq!(index.entries(list[0]), entries);
}
