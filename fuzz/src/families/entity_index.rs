//! Family `entity_index`: the three designs of the entity index beside a plain list for each slot, with stale and
//! repeated entities, holders, collection, and saves that were forged field by field.

use std::collections::BTreeMap;

use tombolo_bench_designs::entity_index::{ChainIndex, FullEntries, LegacyIndex, Linked};
use tombolo_entity::{
    ComponentEntry, Entity, EntityIndex, FoldMix, IndexError, ManagerId, Mix, NameHash, PrototypeIndex,
    PrototypeStamp, SavedIndex,
};

use crate::family::{Family, hold, same};
use crate::random::Random;

/// The family.
pub(crate) struct EntityIndexes;

/// One call on every index.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Add(Life, u32),
    AddMany(Vec<Life>, Vec<u32>),
    Remove(Life, u32),
    Forget(Life),
    Collect(usize),
    Hold(Vec<u32>),
    LetGo(usize),
    Place(Vec<Life>, usize),
    Restore,
    /// Fields of the save, by number, set to numbers; an accepted save is used from then on.
    Forge(Vec<(usize, u32)>),
}

/// An entity: slot and generation.
type Life = (u32, u32);

const SLOTS: u32 = 5;
const GENERATIONS: u32 = 3;
const NAMES: u32 = 12;

impl Family for EntityIndexes {
    const NAME: &'static str = "entity_index";
    const ABOUT: &'static str =
        "three indexes of entities against lists: stale and repeated entities, holders, forged saves";
    const CASES: u64 = 40_000;
    type Operation = Operation;

    fn generate(random: &mut Random) -> Vec<Operation> {
        let count = random.within(1..40);
        (0..count).map(|_| operation(random)).collect()
    }

    fn run(operations: &[Operation]) -> Result<(), String> {
        let mut model = Model::new();
        for (at, operation) in operations.iter().enumerate() {
            model
                .apply(operation)
                .and_then(|()| model.compare(at))
                .map_err(|message| format!("{operation:?} (operation {at}): {message}"))?;
        }
        model.finish()
    }
}

fn life(random: &mut Random) -> Life {
    if random.one_in(60) {
        return (tombolo_entity::ENTITIES_MAX + random.below(2) as u32, 1);
    }
    (
        random.below(SLOTS as usize) as u32,
        random.within(1..GENERATIONS as usize + 1) as u32,
    )
}

fn names(random: &mut Random) -> Vec<u32> {
    (0..random.below(7))
        .map(|_| random.below(NAMES as usize) as u32)
        .collect()
}

fn lives(random: &mut Random) -> Vec<Life> {
    (0..random.below(5)).map(|_| life(random)).collect()
}

fn operation(random: &mut Random) -> Operation {
    match random.below(30) {
        0..7 => Operation::Add(life(random), random.below(NAMES as usize) as u32),
        7..12 => Operation::AddMany(lives(random), names(random)),
        12..17 => Operation::Remove(life(random), random.below(NAMES as usize) as u32),
        17..20 => Operation::Forget(life(random)),
        20..22 => Operation::Collect(random.pick(&[0, 1, 2, 5, usize::MAX])),
        22 => Operation::Hold(names(random)),
        23 => Operation::LetGo(random.below(8)),
        24..26 => Operation::Place(lives(random), random.below(8)),
        26 => Operation::Restore,
        _ => {
            let number = |random: &mut Random| match random.below(3) {
                0 => random.odd_number() as u32,
                1 => tombolo_entity::HOLDERS_MAX + random.below(3) as u32 - 1,
                _ => random.below(8) as u32,
            };
            Operation::Forge(
                (0..random.within(1..4))
                    .map(|_| (random.below(400), number(random)))
                    .collect(),
            )
        }
    }
}

/// A hash function under which every key collides.
#[derive(Debug)]
enum Constant {}

impl Mix for Constant {
    fn mix(_: u64, _: ComponentEntry) -> u64 {
        7
    }
}

/// Names include the hash 0 and the greatest hash; managers differ.
fn entry(number: u32) -> ComponentEntry {
    let name = match number {
        0 => 0,
        1 => u32::MAX,
        number => number.wrapping_mul(0x9e37_79b9),
    };
    ComponentEntry {
        name: NameHash::from_bits(name),
        manager: ManagerId((number % 3) as u16),
    }
}

fn entries(numbers: &[u32]) -> Vec<ComponentEntry> {
    numbers.iter().map(|&number| entry(number)).collect()
}

fn entity((slot, generation): Life) -> Option<Entity> {
    Entity::from_bits(u64::from(generation) << 32 | u64::from(slot))
}

struct Model {
    /// The generation and entries of each slot.
    lists: BTreeMap<u32, (u32, Vec<ComponentEntry>)>,
    shared: PrototypeIndex,
    crowded: PrototypeIndex<Constant>,
    /// The other designs; none once a forged save was accepted.
    others: Vec<(&'static str, Box<dyn EntityIndex>)>,
    /// Every hold that was given, by stamp and the number that have not ended.
    held: Vec<(PrototypeStamp, u32)>,
    is_forged: bool,
}

type Outcome = Result<(), String>;

impl Model {
    fn new() -> Self {
        Self {
            lists: BTreeMap::new(),
            shared: PrototypeIndex::new(),
            crowded: PrototypeIndex::default(),
            others: vec![
                ("legacy", Box::new(LegacyIndex::new())),
                ("linked", Box::new(ChainIndex::<Linked, FoldMix>::default())),
                (
                    "full entries, crowded",
                    Box::new(ChainIndex::<FullEntries, Constant>::default()),
                ),
            ],
            held: Vec::new(),
            is_forged: false,
        }
    }

    /// Makes the same call on every index and compares the results with the expected one.
    fn on_all<T: PartialEq + std::fmt::Debug>(
        &mut self,
        expected: &T,
        call: impl Fn(&mut dyn EntityIndex) -> T,
    ) -> Outcome {
        same!(call(&mut self.shared), *expected, "shared");
        if !self.is_forged {
            same!(call(&mut self.crowded), *expected, "shared, crowded");
        }
        for (name, index) in &mut self.others {
            same!(call(&mut **index), *expected, "{name}");
        }
        Ok(())
    }

    /// The expected result of adding to an entity in these lists.
    fn add_to(
        lists: &mut BTreeMap<u32, (u32, Vec<ComponentEntry>)>,
        entity: Entity,
        entries: &[ComponentEntry],
    ) -> Result<(), IndexError> {
        let known = lists.get(&entity.index());
        if known.is_some_and(|(generation, _)| *generation > entity.generation()) {
            return Err(IndexError::Stale { entity });
        }
        if entity.index() >= tombolo_entity::ENTITIES_MAX {
            return Err(IndexError::Full);
        }
        let mut list = match known {
            Some((generation, list)) if *generation == entity.generation() => list.clone(),
            _ => Vec::new(),
        };
        for entry in entries {
            if let Some(taken) = list.iter().find(|other| other.name == entry.name) {
                let (name, manager) = (entry.name, taken.manager);
                return Err(IndexError::NameTaken {
                    entity,
                    name,
                    manager,
                });
            }
            list.push(*entry);
        }
        if !entries.is_empty() {
            lists.insert(entity.index(), (entity.generation(), list));
        }
        Ok(())
    }

    fn apply(&mut self, operation: &Operation) -> Outcome {
        match operation {
            Operation::Add(life, number) => {
                let Some(entity) = entity(*life) else {
                    return Ok(());
                };
                let entry = entry(*number);
                let expected = Self::add_to(&mut self.lists, entity, &[entry]);
                self.on_all(&expected, |index| index.add(entity, entry))
            }
            Operation::AddMany(lives, numbers) => self.add_many(lives, numbers),
            Operation::Remove(life, number) => {
                let Some(entity) = entity(*life) else {
                    return Ok(());
                };
                let name = entry(*number).name;
                let mut expected = Err(IndexError::NoName { entity, name });
                if let Some((generation, list)) = self.lists.get_mut(&entity.index())
                    && *generation == entity.generation()
                    && let Some(place) = list.iter().position(|entry| entry.name == name)
                {
                    list.remove(place);
                    expected = Ok(());
                }
                self.on_all(&expected, |index| index.remove(entity, name))
            }
            Operation::Forget(life) => {
                let Some(entity) = entity(*life) else {
                    return Ok(());
                };
                let known = self.lists.get(&entity.index());
                let expected = known.is_some_and(|(generation, _)| *generation == entity.generation());
                if expected {
                    self.lists.remove(&entity.index());
                }
                self.on_all(&expected, |index| index.forget(entity))
            }
            Operation::Collect(budget) => {
                self.shared.collect(*budget);
                self.crowded.collect(*budget);
                Ok(())
            }
            Operation::Hold(numbers) => self.hold(numbers),
            Operation::LetGo(at) => {
                let Some((stamp, count)) = self.held.get_mut(*at) else {
                    return Ok(());
                };
                same!(self.shared.unhold(*stamp), *count > 0, "let go of {stamp:?}");
                *count = count.saturating_sub(1);
                Ok(())
            }
            Operation::Place(lives, at) => self.place(lives, *at),
            Operation::Restore => {
                let saved = self.shared.save();
                self.shared = PrototypeIndex::restore(&saved).map_err(|error| error.to_string())?;
                same!(self.shared.save(), saved, "the save of what was restored");
                Ok(())
            }
            Operation::Forge(changes) => self.forge(changes),
        }
    }

    fn add_many(&mut self, lives: &[Life], numbers: &[u32]) -> Outcome {
        let entities: Vec<Entity> = lives.iter().filter_map(|&life| entity(life)).collect();
        let entries = entries(numbers);
        let mut names: Vec<NameHash> = entries.iter().map(|entry| entry.name).collect();
        names.sort_unstable();
        let twice = names.windows(2).find(|two| two[0] == two[1]);
        let mut lists = self.lists.clone();
        let expected = match twice {
            Some(two) => Err(IndexError::NameTwice { name: two[0] }),
            None => entities
                .iter()
                .try_for_each(|&entity| Self::add_to(&mut lists, entity, &entries)),
        };
        if expected.is_ok() {
            self.lists = lists;
        }
        self.on_all(&expected, |index| index.add_many(&entities, &entries))
    }

    fn hold(&mut self, numbers: &[u32]) -> Outcome {
        let entries = entries(numbers);
        let Ok(stamp) = self.shared.hold(&entries) else {
            // Only for repeated names, or for a count that a forged save set to its limit.
            return Ok(());
        };
        same!(
            self.shared.prototype_entries(stamp),
            Some(&*entries),
            "the entries of what is held"
        );
        match self.held.iter_mut().find(|(known, _)| *known == stamp) {
            Some((_, count)) => *count += 1,
            None => self.held.push((stamp, 1)),
        }
        Ok(())
    }

    fn place(&mut self, lives: &[Life], at: usize) -> Outcome {
        let Some(&(stamp, _)) = self.held.get(at) else {
            return Ok(());
        };
        let entities: Vec<Entity> = lives.iter().filter_map(|&life| entity(life)).collect();
        let Some(list) = self
            .shared
            .prototype_entries(stamp)
            .map(<[ComponentEntry]>::to_vec)
        else {
            same!(
                self.shared.place(&entities, stamp),
                Err(IndexError::Collected(stamp)),
                "place"
            );
            return Ok(());
        };
        let mut lists = self.lists.clone();
        let mut expected = Ok(());
        for &entity in &entities {
            if expected.is_ok() {
                expected = Self::add_to(&mut lists, entity, &[]);
                lists.insert(entity.index(), (entity.generation(), list.clone()));
            }
        }
        same!(self.shared.place(&entities, stamp), expected, "place");
        if expected.is_err() {
            return Ok(());
        }
        self.lists = lists;
        // The other indexes get the same entries by other calls.
        for &entity in &entities {
            let of_others = self.others.iter_mut().map(|(_, index)| &mut **index);
            let crowded: Option<&mut dyn EntityIndex> = match self.is_forged {
                true => None,
                false => Some(&mut self.crowded),
            };
            for index in of_others.chain(crowded) {
                // Removes whatever is registered in the slot, in any generation.
                for generation in 1..=u32::from(u16::MAX).min(GENERATIONS + 1) {
                    if let Some(life) =
                        Entity::from_bits(u64::from(generation) << 32 | u64::from(entity.index()))
                    {
                        index.forget(life);
                    }
                }
                same!(
                    index.add_many(&[entity], &list),
                    Ok(()),
                    "the same by another way"
                );
                if list.is_empty() {
                    let filler = entry(0);
                    same!(index.add(entity, filler), Ok(()), "the same by another way");
                    same!(
                        index.remove(entity, filler.name),
                        Ok(()),
                        "the same by another way"
                    );
                }
            }
        }
        Ok(())
    }

    fn forge(&mut self, changes: &[(usize, u32)]) -> Outcome {
        let mut saved = self.shared.save();
        for &(field, number) in changes {
            set_field(&mut saved, field, number);
        }
        let Ok(index) = PrototypeIndex::<FoldMix>::restore(&saved) else {
            return Ok(());
        };
        self.shared = index;
        self.others.clear();
        self.is_forged = true;
        self.lists.clear();
        let records = self.shared.save().records;
        for (slot, (generation, _)) in (0..).zip(records) {
            if let Some(entity) = entity((slot, generation)) {
                self.lists.insert(slot, (generation, self.shared.entries(entity)));
            }
        }
        let index = &self.shared;
        self.held = index
            .prototypes()
            .map(|stamp| (stamp, index.holder_count(stamp)))
            .collect();
        self.held.retain(|(_, count)| *count > 0);
        Ok(())
    }

    /// The invariants after every call. Of the other indexes one at a time.
    fn compare(&self, at: usize) -> Outcome {
        self.compare_one("shared", &self.shared)?;
        if let Some((name, index)) = self.others.get(at % 4) {
            self.compare_one(name, &**index)?;
        } else if !self.is_forged {
            self.compare_one("shared, crowded", &self.crowded)?;
        }
        for (stamp, count) in &self.held {
            same!(self.shared.holder_count(*stamp), *count, "holders of {stamp:?}");
        }
        for stamp in self.shared.prototypes() {
            let entities = self.shared.slots_of(stamp).count() as u32;
            let users = entities + self.shared.holder_count(stamp);
            same!(self.shared.user_count(stamp), users, "users of {stamp:?}");
        }
        Ok(())
    }

    fn compare_one(&self, name: &str, index: &dyn EntityIndex) -> Outcome {
        for slot in 0..SLOTS {
            for generation in 1..=GENERATIONS {
                let Some(entity) = entity((slot, generation)) else {
                    continue;
                };
                let known = self.lists.get(&slot).filter(|(known, _)| *known == generation);
                let list = known.map_or(&[][..], |(_, list)| list);
                same!(index.entries(entity), list, "{name}: the entries of {entity:?}");
                for number in 0..NAMES {
                    let wanted = list.iter().find(|known| known.name == entry(number).name);
                    let found = index.find(entity, entry(number).name).map(|found| found.manager);
                    same!(
                        found,
                        wanted.map(|entry| entry.manager),
                        "{name}: what {entity:?} finds"
                    );
                }
            }
        }
        Ok(())
    }

    /// Checks that nothing remains without entities and holders.
    fn finish(mut self) -> Outcome {
        for (slot, (generation, _)) in std::mem::take(&mut self.lists) {
            if let Some(entity) = entity((slot, generation)) {
                self.on_all(&true, |index| index.forget(entity))?;
            }
        }
        if self.held.iter().any(|(_, count)| *count > 1000) {
            return Ok(());
        }
        for (stamp, count) in std::mem::take(&mut self.held) {
            for _ in 0..count {
                hold!(self.shared.unhold(stamp), "a hold of {stamp:?} is missing");
            }
            hold!(!self.shared.unhold(stamp), "a hold of {stamp:?} too many");
        }
        self.shared.collect(usize::MAX);
        same!(
            self.shared.memory().prototype_count,
            0,
            "prototypes without a user"
        );
        Ok(())
    }
}

/// Sets one of the numbers of a save.
fn set_field(saved: &mut SavedIndex, field: usize, number: u32) {
    let mut fields: Vec<&mut u32> = Vec::new();
    for (generation, prototype) in &mut saved.records {
        fields.extend([generation, prototype]);
    }
    for prototype in &mut saved.prototypes {
        fields.extend([
            &mut prototype.parent,
            &mut prototype.epoch,
            &mut prototype.holder_count,
        ]);
    }
    fields.extend(&mut saved.free);
    fields.extend(&mut saved.queue);
    let count = fields.len();
    match field % (count + 4) {
        place if place < count => *fields[place] = number,
        place if place == count => drop(saved.prototypes.pop()),
        place if place == count + 1 => saved.queue.clear(),
        place if place == count + 2 => saved.free.clear(),
        _ => {
            let count = saved.prototypes.len().max(1);
            if let Some(prototype) = saved.prototypes.get_mut(number as usize % count) {
                prototype.entry = (!number.is_multiple_of(5)).then_some(entry(number % NAMES));
            }
        }
    }
}
