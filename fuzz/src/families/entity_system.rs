//! Family `entity_system`: entities with named components, their properties by path, resources and collection beside
//! plain maps; now and then the whole state is saved as bytes and restored.

use std::collections::BTreeMap;

use tombolo_entity::{
    Component, Dense, Entity, EntitySystem, Library, ManagerId, Override, Reader, ResourceDefinition, Schema,
    Value, Writer,
};

use crate::family::{Family, hold, same};
use crate::random::Random;

/// The family.
pub(crate) struct EntitySystems;

/// A component with a range, and a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fog {
    density: f32,
    count: u32,
    label: Box<str>,
}

impl Component for Fog {
    fn schema() -> Schema<Self> {
        Schema::new()
            .property(
                "density",
                |fog: &Fog| fog.density,
                |fog, value| fog.density = value,
            )
            .range(0.0..=1.0)
            .property("count", |fog: &Fog| fog.count, |fog, value| fog.count = value)
            .property(
                "label",
                |fog: &Fog| fog.label.clone(),
                |fog, value: Box<str>| fog.label = value,
            )
    }
}

/// [`Fog`] as a later build may have it: in another order, with a new property, a new name and a wider number.
#[derive(Clone, Debug, Default)]
struct LaterFog {
    density: f32,
    amount: i64,
    label: Box<str>,
    height: f64,
}

impl Component for LaterFog {
    fn schema() -> Schema<Self> {
        Schema::new()
            .property(
                "label",
                |fog: &Self| fog.label.clone(),
                |fog, value| fog.label = value,
            )
            .property("height", |fog: &Self| fog.height, |fog, value| fog.height = value)
            .property("amount", |fog: &Self| fog.amount, |fog, value| fog.amount = value)
            .was("count")
            .property(
                "density",
                |fog: &Self| fog.density,
                |fog, value| fog.density = value,
            )
            .range(0.0..=1.0)
    }
}

/// A component without properties.
#[derive(Clone, Default)]
pub(super) struct Tag;

impl Component for Tag {
    fn schema() -> Schema<Self> {
        Schema::new()
    }
}

/// One call. Numbers that choose something are taken modulo the count.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Create,
    Destroy(usize),
    DestroyNow(usize),
    Add(usize, usize, bool),
    Remove(usize, usize),
    SetDensity(usize, usize, f32),
    SetCount(usize, usize, u32),
    SetLabel(usize, usize, String),
    /// A value of another kind.
    SetWrongly(usize, usize),
    /// Any text as a path.
    Path(usize, String),
    Spawn(usize, Option<f32>),
    Load(f32, bool),
    Collect(usize),
    Restore,
}

/// Names of components: the second and the last are those of the resource.
pub(super) const NAMES: [&str; 5] = ["Haze", "Mist", "a", "ü ", "Smoke"];

impl Family for EntitySystems {
    const NAME: &'static str = "entity_system";
    const ABOUT: &'static str =
        "entities, properties by path and resources against plain maps, through saves";
    const CASES: u64 = 40_000;
    type Operation = Operation;

    fn generate(random: &mut Random) -> Vec<Operation> {
        let count = random.within(1..50);
        (0..count).map(|_| operation(random)).collect()
    }

    fn run(operations: &[Operation]) -> Result<(), String> {
        let mut model = Model::new()?;
        for (at, operation) in operations.iter().enumerate() {
            model
                .apply(operation)
                .map_err(|message| format!("{operation:?} (operation {at}): {message}"))?;
        }
        model.compare()
    }
}

pub(super) fn operation(random: &mut Random) -> Operation {
    let (who, name) = (random.below(20), random.below(NAMES.len()));
    match random.below(32) {
        0..5 => Operation::Create,
        5..7 => Operation::Destroy(who),
        7 => Operation::DestroyNow(who),
        8..14 => Operation::Add(who, name, random.one_in(4)),
        14..17 => Operation::Remove(who, name),
        17..20 => Operation::SetDensity(
            who,
            name,
            if random.one_in(2) {
                random.unit()
            } else {
                random.odd_float()
            },
        ),
        20 => Operation::SetCount(who, name, random.odd_number() as u32),
        21 => Operation::SetLabel(
            who,
            name,
            random
                .pick(&["", "x", "a longer text, of more than 16 bytes"])
                .to_owned(),
        ),
        22 => Operation::SetWrongly(who, name),
        23..25 => Operation::Path(who, path(random)),
        25..27 => Operation::Spawn(random.below(5), random.one_in(2).then(|| random.unit())),
        27..29 => Operation::Load(random.unit(), random.one_in(2)),
        29 => Operation::Collect(random.pick(&[0, 1, 3, usize::MAX])),
        _ => Operation::Restore,
    }
}

fn path(random: &mut Random) -> String {
    const WORDS: [&str; 9] = ["Mist", "density", ".", "x", "", "Haze", "label", "ü ", "count"];
    (0..random.below(6)).map(|_| random.pick(&WORDS)).collect()
}

fn valley(density: f32, with_smoke: bool) -> ResourceDefinition {
    let valley =
        ResourceDefinition::new("valley").component("Mist", "Fog", [("density", Value::F32(density))]);
    match with_smoke {
        true => valley.component("Smoke", "Tag", []),
        false => valley,
    }
}

/// A system with its managers and the initial resource.
pub(super) fn fresh() -> Result<(EntitySystem, Library, [ManagerId; 2]), String> {
    let mut system = EntitySystem::new();
    let fog = system
        .register("Fog", Dense::<Fog>::new())
        .map_err(|error| error.to_string())?;
    let tag = system
        .register("Tag", Dense::<Tag>::new())
        .map_err(|error| error.to_string())?;
    let mut library = Library::new();
    library
        .load(&mut system, vec![valley(0.25, true)])
        .map_err(|error| error.to_string())?;
    Ok((system, library, [fog, tag]))
}

/// A system of a later build, with the same resource: the managers in another order, and one more.
pub(super) fn later() -> Result<(EntitySystem, Library), String> {
    let mut system = EntitySystem::new();
    let registered = system
        .register("Tag", Dense::<Tag>::new())
        .and_then(|_| system.register("More", Dense::<Fog>::new()))
        .and_then(|_| system.register("Fog", Dense::<LaterFog>::new()));
    registered.map_err(|error| error.to_string())?;
    let mut library = Library::new();
    library
        .load(&mut system, vec![valley(0.25, true)])
        .map_err(|error| error.to_string())?;
    Ok((system, library))
}

/// The whole state as bytes.
pub(super) fn save(system: &EntitySystem, library: &Library) -> Vec<u8> {
    let mut out = Writer::new();
    system.save(&mut out);
    library.save(&mut out);
    out.finish()
}

/// Reads the bytes of `save` into clones, which then replace the originals.
pub(super) fn restore(bytes: &[u8], system: &mut EntitySystem, library: &mut Library) -> Result<(), String> {
    let mut from = Reader::new(bytes);
    let (mut new_system, mut new_library) = (system.clone(), library.clone());
    new_system.restore(&mut from).map_err(|error| error.to_string())?;
    new_library
        .restore(&new_system, &mut from)
        .map_err(|error| error.to_string())?;
    from.end().map_err(|error| error.to_string())?;
    (*system, *library) = (new_system, new_library);
    Ok(())
}

/// The value of a component: a fog, or none for a tag.
type Held = Option<Fog>;

pub(super) struct Model {
    pub(super) system: EntitySystem,
    pub(super) library: Library,
    managers: [ManagerId; 2],
    /// The components of each entity, in the order of adding.
    living: BTreeMap<Entity, Vec<(&'static str, Held)>>,
    /// All entities that were ever made.
    given: Vec<Entity>,
    /// The resource's density at a spawn.
    density: f32,
    with_smoke: bool,
    /// The entities that come from the resource, and whether their density was overridden.
    spawned: BTreeMap<Entity, bool>,
}

type Outcome = Result<(), String>;

impl Model {
    pub(super) fn new() -> Result<Self, String> {
        let (system, library, managers) = fresh()?;
        Ok(Self {
            system,
            library,
            managers,
            living: BTreeMap::new(),
            given: Vec::new(),
            density: 0.25,
            with_smoke: true,
            spawned: BTreeMap::new(),
        })
    }

    fn pick(&self, who: usize) -> Option<Entity> {
        (!self.given.is_empty()).then(|| self.given[who % self.given.len()])
    }

    fn component(&mut self, entity: Entity, name: usize) -> Option<&mut Held> {
        let list = self.living.get_mut(&entity)?;
        list.iter_mut()
            .find(|(known, _)| *known == NAMES[name])
            .map(|(_, held)| held)
    }

    fn end(&mut self, entity: Entity) -> bool {
        self.spawned.remove(&entity);
        self.living.remove(&entity).is_some()
    }

    pub(super) fn apply(&mut self, operation: &Operation) -> Outcome {
        match operation {
            Operation::Create => {
                let entity = self.system.create();
                hold!(!self.given.contains(&entity), "{entity:?} was given before");
                self.given.push(entity);
                self.living.insert(entity, Vec::new());
                Ok(())
            }
            Operation::Destroy(who) | Operation::DestroyNow(who) => {
                let Some(entity) = self.pick(*who) else {
                    return Ok(());
                };
                let was_alive = self.end(entity);
                let now = matches!(operation, Operation::DestroyNow(_));
                let answer = match now {
                    true => self.system.destroy_now(entity),
                    false => self.system.destroy(entity),
                };
                same!(answer, was_alive, "whether it was alive");
                Ok(())
            }
            Operation::Add(who, name, is_tag) => self.add(*who, *name, *is_tag),
            Operation::Remove(who, name) => {
                let Some(entity) = self.pick(*who) else {
                    return Ok(());
                };
                let list = self.living.get_mut(&entity);
                let place = list
                    .as_ref()
                    .and_then(|list| list.iter().position(|(known, _)| *known == NAMES[*name]));
                same!(
                    self.system.remove(entity, NAMES[*name]).is_ok(),
                    place.is_some(),
                    "whether it is removed"
                );
                if let (Some(list), Some(place)) = (list, place) {
                    list.remove(place);
                }
                self.compare_entity(entity)
            }
            Operation::SetDensity(who, name, density) => {
                let fits = (0.0..=1.0).contains(density);
                self.set(*who, *name, "density", Value::F32(*density), fits, |fog| {
                    fog.density = *density
                })
            }
            Operation::SetCount(who, name, count) => {
                self.set(*who, *name, "count", Value::U32(*count), true, |fog| {
                    fog.count = *count
                })
            }
            Operation::SetLabel(who, name, label) => {
                let value = Value::String(label.as_str().into());
                self.set(*who, *name, "label", value, true, |fog| {
                    fog.label = label.as_str().into()
                })
            }
            Operation::SetWrongly(who, name) => {
                self.set(*who, *name, "density", Value::Bool(true), false, |_| {})
            }
            Operation::Path(who, path) => {
                let Some(entity) = self.pick(*who) else {
                    return Ok(());
                };
                if let Ok(value) = self.system.get(entity, path) {
                    hold!(self.living.contains_key(&entity), "{value:?} of the dead");
                    let set = self.system.set(entity, path, value);
                    hold!(set.is_ok(), "{path} cannot be set to what it is: {set:?}");
                }
                self.compare_entity(entity)
            }
            Operation::Spawn(count, density) => self.spawn(*count, *density),
            Operation::Load(density, with_smoke) => self.load(*density, *with_smoke),
            Operation::Collect(budget) => {
                self.system.collect(*budget);
                Ok(())
            }
            Operation::Restore => {
                let bytes = save(&self.system, &self.library);
                restore(&bytes, &mut self.system, &mut self.library)?;
                hold!(
                    save(&self.system, &self.library) == bytes,
                    "the save of what was restored differs"
                );
                self.compare()
            }
        }
    }

    fn add(&mut self, who: usize, name: usize, is_tag: bool) -> Outcome {
        let Some(entity) = self.pick(who) else {
            return Ok(());
        };
        let manager = self.managers[usize::from(is_tag)];
        let is_free = self.living.contains_key(&entity) && self.component(entity, name).is_none();
        let added = self.system.add(entity, manager, NAMES[name]);
        hold!(
            added.is_ok() == is_free,
            "{added:?}, and the name is free: {is_free}"
        );
        if let Some(list) = self.living.get_mut(&entity).filter(|_| is_free) {
            list.push((NAMES[name], (!is_tag).then(Fog::default)));
        }
        self.compare_entity(entity)
    }

    fn set(
        &mut self,
        who: usize,
        name: usize,
        property: &str,
        value: Value,
        fits: bool,
        change: impl FnOnce(&mut Fog),
    ) -> Outcome {
        let Some(entity) = self.pick(who) else {
            return Ok(());
        };
        let fog = self.component(entity, name).and_then(Option::as_mut);
        let expected = fits && fog.is_some();
        if let Some(fog) = fog.filter(|_| fits) {
            change(fog);
        }
        let set = self
            .system
            .set(entity, &format!("{}.{property}", NAMES[name]), value);
        hold!(set.is_ok() == expected, "{set:?}, expected: {expected}");
        self.compare_entity(entity)
    }

    fn spawn(&mut self, count: usize, density: Option<f32>) -> Outcome {
        let overrides: Vec<Override> = density
            .map(|density| Override {
                path: "Mist.density".into(),
                value: Value::F32(density),
            })
            .into_iter()
            .collect();
        let spawned = self
            .library
            .spawn(&mut self.system, "valley", count, &overrides)
            .map_err(|error| error.to_string())?;
        same!(spawned.roots().len(), count, "spawned");
        for &entity in spawned.entities() {
            let fog = Fog {
                density: density.unwrap_or(self.density),
                ..Fog::default()
            };
            let mut list = vec![("Mist", Some(fog))];
            list.extend(self.with_smoke.then_some(("Smoke", None)));
            hold!(!self.given.contains(&entity), "{entity:?} was given before");
            self.given.push(entity);
            self.living.insert(entity, list);
            self.spawned.insert(entity, density.is_some());
            self.compare_entity(entity)?;
        }
        Ok(())
    }

    fn load(&mut self, density: f32, with_smoke: bool) -> Outcome {
        self.library
            .load(&mut self.system, vec![valley(density, with_smoke)])
            .map_err(|error| error.to_string())?;
        let (before, had_smoke) = (self.density, self.with_smoke);
        for (entity, overridden) in &self.spawned {
            let Some(list) = self.living.get_mut(entity) else {
                continue;
            };
            if had_smoke && !with_smoke {
                // Only a tag belongs to the resource.
                list.retain(|(name, held)| *name != "Smoke" || held.is_some());
            }
            if let Some((_, Some(fog))) = list.iter_mut().find(|(name, _)| *name == "Mist")
                && fog.density.to_bits() == before.to_bits()
                && !overridden
            {
                fog.density = density;
            }
            if with_smoke && !had_smoke && list.iter().all(|(name, _)| *name != "Smoke") {
                list.push(("Smoke", None));
            }
        }
        (self.density, self.with_smoke) = (density, with_smoke);
        self.compare()
    }

    fn compare_entity(&self, entity: Entity) -> Outcome {
        let list = self.living.get(&entity);
        same!(
            self.system.entities().is_alive(entity),
            list.is_some(),
            "whether {entity:?} is alive"
        );
        let names: Vec<&str> = list.into_iter().flatten().map(|(name, _)| *name).collect();
        let found: Vec<&str> = self
            .system
            .components(entity)
            .iter()
            .filter_map(|row| self.system.names().get(row.name))
            .collect();
        same!(found, names, "components of {entity:?}");
        for (name, held) in list.into_iter().flatten() {
            let density = self.system.get(entity, &format!("{name}.density"));
            let Some(fog) = held else {
                hold!(density.is_err(), "a tag has a density");
                continue;
            };
            let (density, Ok(Value::U32(count)), Ok(Value::String(label))) = (
                density,
                self.system.get(entity, &format!("{name}.count")),
                self.system.get(entity, &format!("{name}.label")),
            ) else {
                return Err(format!("{name} of {entity:?} cannot be read"));
            };
            hold!(
                matches!(density, Ok(Value::F32(density)) if density.to_bits() == fog.density.to_bits())
                    && count == fog.count
                    && label == fog.label,
                "{name} of {entity:?} is {density:?}, {count}, {label}, not {fog:?}"
            );
        }
        Ok(())
    }

    pub(super) fn compare(&self) -> Outcome {
        same!(self.system.entities().len(), self.living.len(), "living");
        for &entity in &self.given {
            self.compare_entity(entity)?;
            let origin = self.library.origin(entity);
            hold!(
                !self.living.contains_key(&entity) || origin.is_some() == self.spawned.contains_key(&entity),
                "{entity:?} comes from {origin:?}"
            );
        }
        Ok(())
    }
}
