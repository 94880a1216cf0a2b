//! Random operations on every design beside a plain list for each entity.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tombolo_entity::{Entities, Entity, EntityIndex, PrototypeIndex, Row};

use crate::{every_index, row};

#[derive(Clone, Debug)]
enum Operation {
    Create,
    Destroy(usize),
    Add(usize, u32),
    AddMany(usize, Vec<u32>),
    Remove(usize, u32),
    Collect(usize),
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        2 => Just(Operation::Create),
        1 => any::<usize>().prop_map(Operation::Destroy),
        8 => (any::<usize>(), 0..24_u32).prop_map(|(entity, row)| Operation::Add(entity, row)),
        2 => (any::<usize>(), prop::collection::vec(0..24_u32, 0..20))
            .prop_map(|(entity, rows)| Operation::AddMany(entity, rows)),
        4 => (any::<usize>(), 0..24_u32).prop_map(|(entity, row)| Operation::Remove(entity, row)),
        2 => (0..4_usize).prop_map(Operation::Collect),
    ]
}

/// A list of rows for each living entity: slow and plainly right.
#[derive(Default)]
struct Model {
    entities: Entities,
    living: Vec<Entity>,
    dead: Vec<Entity>,
    lists: BTreeMap<Entity, Vec<Row>>,
}

impl Model {
    fn pick(&self, number: usize) -> Option<Entity> {
        (!self.living.is_empty()).then(|| self.living[number % self.living.len()])
    }

    /// Does the same to the model and to the indexes, and checks that all agree whether it can be done.
    fn apply(&mut self, operation: &Operation, indexes: &mut [(&str, &mut dyn EntityIndex)]) {
        match operation {
            Operation::Create => {
                let entity = self.entities.create();
                self.living.push(entity);
                self.lists.insert(entity, Vec::new());
            }
            Operation::Destroy(number) => {
                let Some(entity) = self.pick(*number) else { return };
                self.living.retain(|other| *other != entity);
                self.dead.push(entity);
                self.lists.remove(&entity);
                self.entities.destroy(entity);
                for (_, index) in indexes {
                    index.forget(entity);
                }
            }
            Operation::Add(number, added) => {
                let Some(entity) = self.pick(*number) else { return };
                let list = self.lists.get_mut(&entity).unwrap();
                let free = list.iter().all(|known| known.name != row(*added).name);
                if free {
                    list.push(row(*added));
                }
                for (name, index) in indexes {
                    assert_eq!(index.add(entity, row(*added)).is_ok(), free, "{name}");
                }
            }
            Operation::AddMany(number, added) => {
                let Some(entity) = self.pick(*number) else { return };
                let list = self.lists.get_mut(&entity).unwrap();
                let rows: Vec<Row> = added.iter().map(|number| row(*number)).collect();
                let mut longer = list.clone();
                longer.extend(&rows);
                let mut names: Vec<_> = longer.iter().map(|row| row.name).collect();
                names.sort();
                let free = names.windows(2).all(|pair| pair[0] != pair[1]);
                if free {
                    *list = longer;
                }
                for (name, index) in indexes {
                    assert_eq!(index.add_many(&[entity], &rows).is_ok(), free, "{name}");
                }
            }
            Operation::Remove(number, removed) => {
                let Some(entity) = self.pick(*number) else { return };
                let list = self.lists.get_mut(&entity).unwrap();
                let place = list.iter().position(|known| known.name == row(*removed).name);
                place.map(|place| list.remove(place));
                for (name, index) in indexes {
                    assert_eq!(
                        index.remove(entity, row(*removed).name).is_ok(),
                        place.is_some(),
                        "{name}"
                    );
                }
            }
            Operation::Collect(budget) => {
                for (_, index) in indexes {
                    index.collect(*budget);
                }
            }
        }
    }

    fn compare(&self, name: &str, index: &dyn EntityIndex) {
        for (&entity, list) in &self.lists {
            assert_eq!(index.rows(entity), *list, "{name}");
            for number in 0..24 {
                let wanted = list.iter().find(|known| known.name == row(number).name);
                let found = index
                    .find(entity, row(number).name)
                    .map(|located| located.manager);
                assert_eq!(found, wanted.map(|row| row.manager), "{name}");
            }
        }
        for &entity in &self.dead {
            assert_eq!(index.rows(entity), [], "{name}: a dead entity");
        }
    }
}

fn cases() -> u32 {
    std::env::var("TOMBOLO_ENTITY_CASES")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(48)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

    /// Also the conformance case of forced collisions: most have useless hashes or none.
    #[test]
    fn ei_6_every_design_answers_like_the_model(operations in prop::collection::vec(operation(), 1..160)) {
        let mut model = Model::default();
        let mut indexes = every_index();
        for operation in &operations {
            let mut all: Vec<(&str, &mut dyn EntityIndex)> = Vec::new();
            for (name, index) in &mut indexes {
                all.push((name, &mut **index));
            }
            model.apply(operation, &mut all);
        }
        for (name, index) in &indexes {
            model.compare(name, &**index);
        }
    }

    /// A copy that went through its saved form gives the same numbers for everything that follows.
    #[test]
    fn ei_14_a_restored_index_goes_on_with_the_same_numbers(
        before in prop::collection::vec(operation(), 1..120),
        after in prop::collection::vec(operation(), 1..60),
    ) {
        let mut model = Model::default();
        let mut index: PrototypeIndex = PrototypeIndex::new();
        for operation in &before {
            model.apply(operation, &mut [("shared", &mut index)]);
        }
        let text = serde_json::to_string(&index.save()).unwrap();
        let mut restored: PrototypeIndex = PrototypeIndex::restore(&serde_json::from_str(&text).unwrap()).unwrap();
        prop_assert_eq!(restored.save(), index.save());
        for operation in &after {
            model.apply(operation, &mut [("shared", &mut index), ("restored", &mut restored)]);
            prop_assert_eq!(restored.save(), index.save());
        }
        model.compare("restored", &restored);
    }
}
