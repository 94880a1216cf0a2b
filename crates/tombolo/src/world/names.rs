//! The names of entities: unique, looked up in both directions. Only this file adds and removes names.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;

use tombolo_entity::{DataError, Entity, Reader, Writer};
use tombolo_physics::BodyName;

/// The names of existing entities. Most entities of a scene have one; those that are spawned later need none.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameTable {
    by_name: BTreeMap<Box<str>, Entity>,
    // A map and not an array by slot: of many entities few may have names.
    names: BTreeMap<Entity, Box<str>>,
    /// For numbered names (`plank` of `plank.1`): the numbers that may be free. Computed again where it is missing,
    /// so it is neither saved nor hashed.
    numbers: BTreeMap<Box<str>, Numbers>,
    /// The number of names that were tried for numbers.
    #[cfg(test)]
    tried: usize,
}

/// The numbers after a name. All below `next` are taken or in `free`, and `next - 1` is not in `free`.
#[derive(Clone, Debug, Default)]
struct Numbers {
    /// Numbers from here on were not tried.
    next: u32,
    free: BTreeSet<u32>,
}

/// A name and the number after it, if it ends in one as [`NameTable::give_numbered`] writes it.
fn numbered(name: &str) -> Option<(&str, u32)> {
    let (name, number) = name.rsplit_once('.')?;
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
    number
        .parse()
        .ok()
        .filter(|_| is_plain)
        .map(|number| (name, number))
}

impl NameTable {
    pub(crate) fn find(&self, name: &str) -> Option<Entity> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn of(&self, entity: Entity) -> Option<&str> {
        self.names.get(&entity).map(|name| &**name)
    }

    /// All names, in alphabetic order.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (&str, Entity)> + Clone {
        self.by_name.iter().map(|(name, entity)| (&**name, *entity))
    }

    /// Names an entity, which loses its earlier name; returns whether the name was free.
    pub(crate) fn give(&mut self, entity: Entity, name: &str) -> bool {
        match self.by_name.get(name) {
            Some(owner) => *owner == entity,
            None => {
                self.take(entity);
                if let Some((name, number)) = numbered(name)
                    && let Some(numbers) = self.numbers.get_mut(name)
                {
                    numbers.free.remove(&number);
                }
                self.by_name.insert(name.into(), entity);
                self.names.insert(entity, name.into());
                true
            }
        }
    }

    /// Names an entity `name.1`, or by the least number whose name is free. Each number is tried once, and again when
    /// its name was free in between: n pieces of one name take n tries, and time n log n.
    pub(crate) fn give_numbered(&mut self, entity: Entity, name: &str) {
        self.take(entity);
        let mut numbers = self.numbers.remove(name).unwrap_or(Numbers {
            next: 1,
            free: BTreeSet::new(),
        });
        loop {
            let number = numbers.free.pop_first().unwrap_or_else(|| {
                numbers.next += 1;
                numbers.next - 1
            });
            #[cfg(test)]
            {
                self.tried += 1;
            }
            if self.give(entity, &format!("{name}.{number}")) {
                break;
            }
        }
        self.numbers.insert(name.into(), numbers);
    }

    /// Removes an entity's name.
    pub(crate) fn take(&mut self, entity: Entity) {
        if let Some(name) = self.names.remove(&entity) {
            self.by_name.remove(&name);
            if let Some((name, number)) = numbered(&name) {
                self.free_number(name, number);
            }
        }
    }

    fn free_number(&mut self, name: &str, number: u32) {
        let Some(numbers) = self.numbers.get_mut(name) else {
            return;
        };
        if number < numbers.next {
            numbers.free.insert(number);
            while numbers.free.last() == Some(&(numbers.next - 1)) {
                numbers.free.pop_last();
                numbers.next -= 1;
            }
        }
        if numbers.next <= 1 {
            self.numbers.remove(name);
        }
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        out.length(self.by_name.len());
        for (name, entity) in &self.by_name {
            out.text(name);
            out.entity(Some(*entity));
        }
    }

    /// Restores a saved table; `is_alive` says which entities may have a name.
    pub(crate) fn restore(
        from: &mut Reader<'_>,
        is_alive: impl Fn(Entity) -> bool,
    ) -> Result<Self, DataError> {
        let mut table = Self::default();
        for _ in 0..from.length(16, "names of entities")? {
            let name = from.text("an entity's name")?;
            let entity = from.entity("a named entity")?.filter(|entity| is_alive(*entity));
            let entity = entity.ok_or_else(|| DataError::broken("a name of no living entity"))?;
            if table.names.contains_key(&entity) || !table.give(entity, &name) {
                return Err(DataError::broken("an entity or a name stands twice"));
            }
        }
        Ok(table)
    }
}

/// The name of an entity's body in physics: as much of the entity's name as fits.
pub(crate) fn body_name(names: &NameTable, entity: Entity) -> BodyName {
    names.of(entity).map(BodyName::cut_off).unwrap_or_default()
}

/// The name of a spawned child: its parent's name, with the last word of its resource.
pub(super) fn childs_name(parent: &str, resource: &str) -> Box<str> {
    let word = resource.rsplit('/').next().unwrap_or_default();
    format!("{parent}/{word}").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec::Vec;
    use tombolo_entity::EntityMark;
    use tombolo_handles::HandleMap;

    fn entities(count: usize) -> Vec<Entity> {
        let mut map = HandleMap::new();
        (0..count).map(|_| map.insert(EntityMark)).collect()
    }

    fn name(table: &NameTable, entity: Entity) -> String {
        table.of(entity).unwrap_or_default().into()
    }

    #[test]
    fn numbering_many_of_one_name_tries_one_number_each() {
        const COUNT: usize = 5000;
        let all = entities(COUNT);
        let mut table = NameTable::default();
        for (place, entity) in all.iter().enumerate() {
            table.give_numbered(*entity, "plank");
            assert_eq!(name(&table, *entity), format!("plank.{}", place + 1));
        }
        assert_eq!(table.tried, COUNT);
        // The first name is removed and given again, beside an entity that finds no gap: the others are not tried
        // again.
        for round in 0..COUNT / 10 {
            table.take(all[0]);
            table.take(all[round + 1]);
            table.give_numbered(all[0], "plank");
            table.give_numbered(all[round + 1], "plank");
            assert_eq!(name(&table, all[0]), "plank.1");
        }
        assert!(table.tried <= 2 * COUNT, "{} tries", table.tried);
        all.iter().for_each(|entity| table.take(*entity));
        assert!(table.numbers.is_empty() && table.by_name.is_empty());
    }

    /// The number is the least whose name is free, with names among them that were given explicitly.
    #[test]
    fn numbers_are_the_least_free_ones() {
        let all = entities(60);
        let mut table = NameTable::default();
        let mut random = 1_u64;
        for _ in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let entity = all[(random >> 33) as usize % all.len()];
            match random >> 60 {
                0..=6 => table.take(entity),
                7 => drop(table.give(entity, &format!("plank.{}", (random >> 40) % 40))),
                8 => drop(table.give(entity, &format!("plank.0{}", (random >> 40) % 9))),
                9 => drop(table.give(entity, &format!("plank.1.{}", (random >> 40) % 9))),
                _ => {
                    let base = if random >> 59 & 1 == 0 { "plank" } else { "plank.1" };
                    table.take(entity);
                    let least = (1..).find(|number| table.find(&format!("{base}.{number}")).is_none());
                    let wanted = format!("{base}.{}", least.unwrap_or_default());
                    table.give_numbered(entity, base);
                    assert_eq!(name(&table, entity), wanted);
                }
            }
        }
    }
}
