//! The named cases that every design must pass.

use tombolo_entity::{COMPONENTS_MAX, EntityIndex, IndexError, ManagerId, Row};

use crate::{entities, every_index, row};

fn managers(index: &dyn EntityIndex, entity: tombolo_entity::Entity, numbers: &[u32]) -> Vec<Option<u16>> {
    let find = |&number: &u32| {
        index
            .find(entity, row(number).name)
            .map(|located| located.manager.0)
    };
    numbers.iter().map(find).collect()
}

#[test]
fn ei_1_another_order_of_adding_gives_the_same_answers() {
    for (name, mut index) in every_index() {
        let (_, list) = entities(2);
        index.add_many(&list[..1], &[row(1), row(2), row(3)]).unwrap();
        index.add_many(&list[1..], &[row(3), row(1), row(2)]).unwrap();
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
        index.add_many(&list, &[row(1), row(2)]).unwrap();
        for manager in [row(1).manager, ManagerId(40)] {
            let again = Row {
                name: row(1).name,
                manager,
            };
            let taken = IndexError::NameTaken {
                entity,
                name: again.name,
                manager: row(1).manager,
            };
            assert_eq!(index.add(entity, again), Err(taken), "{name}");
        }
        assert_eq!(index.rows(entity), [row(1), row(2)], "{name}");
    }
}

#[test]
fn ei_3_one_of_a_thousand_sharing_entities_diverges_alone() {
    for (name, mut index) in every_index() {
        let (_, list) = entities(1000);
        index.add_many(&list, &[row(1), row(2)]).unwrap();
        index.add(list[500], row(3)).unwrap();
        index.remove(list[501], row(1).name).unwrap();
        for (place, &entity) in list.iter().enumerate() {
            let wanted = match place {
                500 => vec![row(1), row(2), row(3)],
                501 => vec![row(2)],
                _ => vec![row(1), row(2)],
            };
            assert_eq!(index.rows(entity), wanted, "{name}, entity {place}");
        }
    }
}

#[test]
fn ei_4_first_middle_and_last_can_be_removed_and_an_unknown_name_cannot() {
    for (name, mut index) in every_index() {
        let (_, list) = entities(4);
        let rows: Vec<Row> = (0..5).map(row).collect();
        index.add_many(&list, &rows).unwrap();
        for (entity, place) in list.iter().zip([0, 2, 4]) {
            index.remove(*entity, rows[place].name).unwrap();
            let mut wanted = rows.clone();
            wanted.remove(place);
            assert_eq!(index.rows(*entity), wanted, "{name}");
            assert_eq!(index.find(*entity, rows[place].name), None, "{name}");
        }
        let unknown = IndexError::NoName {
            entity: list[3],
            name: row(9).name,
        };
        assert_eq!(index.remove(list[3], row(9).name), Err(unknown), "{name}");
        assert_eq!(index.rows(list[3]), rows, "{name}");
    }
}

#[test]
fn ei_7_a_new_life_of_a_slot_begins_empty_and_the_old_handle_finds_nothing() {
    for (name, mut index) in every_index() {
        let (mut entities, list) = entities(1);
        let old = list[0];
        index.add(old, row(1)).unwrap();
        entities.destroy(old);
        assert!(index.forget(old), "{name}");
        assert!(!index.forget(old), "{name}");
        let new = entities.create();
        assert_eq!(
            (new.index(), new.generation()),
            (old.index(), old.generation() + 1)
        );
        assert_eq!(index.find(new, row(1).name), None, "{name}");
        index.add(new, row(2)).unwrap();
        assert_eq!(index.find(old, row(2).name), None, "{name}");
        assert_eq!(index.rows(old), [], "{name}");
    }
}

#[test]
fn ei_8_none_one_sixty_four_and_a_thousand_components() {
    for (name, mut index) in every_index() {
        for count in [0, 1, 64, 1000] {
            let (_, list) = entities(1);
            let rows: Vec<Row> = (0..count).map(row).collect();
            index.add_many(&list, &rows).unwrap();
            assert_eq!(index.rows(list[0]), rows, "{name}");
            for wanted in &rows {
                let found = index.find(list[0], wanted.name).unwrap();
                assert_eq!(found.manager, wanted.manager, "{name}");
            }
            assert_eq!(index.find(list[0], row(5000).name), None, "{name}");
            index.forget(list[0]);
        }
    }
}

#[test]
fn ei_8_the_most_components_are_taken_and_one_more_is_refused() {
    for (name, mut index) in every_index() {
        let (_, list) = entities(1);
        let rows: Vec<Row> = (0..COMPONENTS_MAX as u32).map(row).collect();
        index.add_many(&list, &rows).unwrap();
        assert_eq!(
            index.add(list[0], row(COMPONENTS_MAX as u32)),
            Err(IndexError::TooMany),
            "{name}"
        );
        assert_eq!(index.rows(list[0]), rows, "{name}");
    }
}

#[test]
fn ei_10_a_batch_of_mixed_prototypes_equals_one_by_one() {
    let (_, list) = entities(30);
    let begin = |index: &mut dyn EntityIndex| {
        for (place, &entity) in list.iter().enumerate() {
            for number in 0..(place as u32 % 3) {
                index.add(entity, row(number)).unwrap();
            }
        }
    };
    for ((name, mut batch), (_, mut single)) in every_index().into_iter().zip(every_index()) {
        begin(&mut *batch);
        begin(&mut *single);
        let rows = [row(10), row(11), row(12)];
        batch.add_many(&list, &rows).unwrap();
        for &entity in &list {
            for row in rows {
                single.add(entity, row).unwrap();
            }
            assert_eq!(batch.rows(entity), single.rows(entity), "{name}");
        }
    }
}

#[test]
fn ei_10_a_batch_that_is_refused_changes_nothing() {
    for (name, mut index) in every_index() {
        let (_, list) = entities(3);
        index.add(list[2], row(11)).unwrap();
        let refused = index.add_many(&list, &[row(10), row(11)]);
        assert!(matches!(refused, Err(IndexError::NameTaken { .. })), "{name}");
        let twice = index.add_many(&list, &[row(10), row(10)]);
        assert_eq!(twice, Err(IndexError::NameTwice { name: row(10).name }), "{name}");
        let rows: Vec<Vec<Row>> = list.iter().map(|&entity| index.rows(entity)).collect();
        assert_eq!(rows, [vec![], vec![], vec![row(11)]], "{name}");
    }
}

#[test]
fn ei_13_components_are_listed_in_the_order_of_adding() {
    for (name, mut index) in every_index() {
        let (_, list) = entities(1);
        let order = [7, 3, 9, 1, 8].map(row);
        for row in order {
            index.add(list[0], row).unwrap();
        }
        assert_eq!(index.rows(list[0]), order, "{name}");
    }
}
