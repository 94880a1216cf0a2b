//! Random operations on every design of an entity index against a plain list for each entity.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tombolo_entity::{ComponentEntry, Entities, Entity, EntityIndex, PrototypeIndex};

use crate::{entry, every_index};

#[path = "../../../handles/tests/support/scale.rs"]
mod scale;

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
        8 => (any::<usize>(), 0..24_u32).prop_map(|(entity, entry)| Operation::Add(entity, entry)),
        2 => (any::<usize>(), prop::collection::vec(0..24_u32, 0..20))
            .prop_map(|(entity, entries)| Operation::AddMany(entity, entries)),
        4 => (any::<usize>(), 0..24_u32).prop_map(|(entity, entry)| Operation::Remove(entity, entry)),
        2 => (0..4_usize).prop_map(Operation::Collect),
    ]
}

/// A list of entries for each living entity: slow and plainly right.
#[derive(Default)]
struct Model {
    entities: Entities,
    living: Vec<Entity>,
    dead: Vec<Entity>,
    lists: BTreeMap<Entity, Vec<ComponentEntry>>,
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
                let free = list.iter().all(|known| known.name != entry(*added).name);
                if free {
                    list.push(entry(*added));
                }
                for (name, index) in indexes {
                    assert_eq!(index.add(entity, entry(*added)).is_ok(), free, "{name}");
                }
            }
            Operation::AddMany(number, added) => {
                let Some(entity) = self.pick(*number) else { return };
                let list = self.lists.get_mut(&entity).unwrap();
                let entries: Vec<ComponentEntry> = added.iter().map(|number| entry(*number)).collect();
                let mut longer = list.clone();
                longer.extend(&entries);
                let mut names: Vec<_> = longer.iter().map(|entry| entry.name).collect();
                names.sort();
                let free = names.windows(2).all(|pair| pair[0] != pair[1]);
                if free {
                    *list = longer;
                }
                for (name, index) in indexes {
                    assert_eq!(index.add_many(&[entity], &entries).is_ok(), free, "{name}");
                }
            }
            Operation::Remove(number, removed) => {
                let Some(entity) = self.pick(*number) else { return };
                let list = self.lists.get_mut(&entity).unwrap();
                let place = list.iter().position(|known| known.name == entry(*removed).name);
                place.map(|place| list.remove(place));
                for (name, index) in indexes {
                    assert_eq!(
                        index.remove(entity, entry(*removed).name).is_ok(),
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
            assert_eq!(index.entries(entity), *list, "{name}");
            for number in 0..24 {
                let wanted = list.iter().find(|known| known.name == entry(number).name);
                let found = index
                    .find(entity, entry(number).name)
                    .map(|located| located.manager);
                assert_eq!(found, wanted.map(|entry| entry.manager), "{name}");
            }
        }
        for &entity in &self.dead {
            assert_eq!(index.entries(entity), [], "{name}: a dead entity");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(scale::scaled(48) as u32) })]

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
