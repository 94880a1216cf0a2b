//! Family `entity_saves`: the saved bytes of entities, index, managers and resources, forged; an accepted save must
//! take every call, use memory in proportion to the bytes, and give a save that is accepted again; in the build that
//! wrote it, and in a later one with other managers and properties.

use tombolo_entity::{Entity, EntitySystem, Library, Value};

use super::entity_system::{self, Model, NAMES, fresh, later, restore, save};
use crate::family::{Family, hold};
use crate::random::{Forgery, Random};
use crate::watch;

/// The family.
pub(crate) struct EntitySaves;

/// First calls that give a system a past, then changes of its bytes.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Live(entity_system::Operation),
    Forge(Forgery),
    Cut(usize),
    /// A use of the forged system, by number.
    Use(usize),
}

impl Family for EntitySaves {
    const NAME: &'static str = "entity_saves";
    const ABOUT: &'static str = "forged saves of entities: refused, or sound and as small as their bytes";
    const CASES: u64 = 40_000;
    type Operation = Operation;

    fn generate(random: &mut Random) -> Vec<Operation> {
        let mut operations: Vec<Operation> = (0..random.within(3..40))
            .map(|_| Operation::Live(entity_system::operation(random)))
            .filter(|operation| !matches!(operation, Operation::Live(entity_system::Operation::Restore)))
            .collect();
        operations.extend((0..random.within(1..4)).map(|_| Operation::Forge(Forgery::new(random))));
        if random.one_in(20) {
            operations.push(Operation::Cut(random.below(4000)));
        }
        operations.extend((0..random.within(3..12)).map(|_| Operation::Use(random.below(1000))));
        operations
    }

    fn run(operations: &[Operation]) -> Result<(), String> {
        let mut model = Model::new()?;
        for operation in operations {
            if let Operation::Live(operation) = operation {
                model.apply(operation)?;
            }
        }
        let mut bytes = save(&model.system, &model.library);
        for operation in operations {
            match operation {
                Operation::Forge(forgery) => forgery.apply(&mut bytes),
                Operation::Cut(length) => bytes.truncate(*length),
                _ => {}
            }
        }
        try_in(&bytes, model.system, model.library, operations)?;
        let (system, library) = later()?;
        try_in(&bytes, system, library, operations)
    }
}

/// Restores forged bytes into a system; what is let in is put to use.
fn try_in(
    bytes: &[u8],
    mut system: EntitySystem,
    mut library: Library,
    operations: &[Operation],
) -> Result<(), String> {
    let (restored, peak) = watch::peak_bytes(|| restore(bytes, &mut system, &mut library));
    // Both are cloned first, and small.
    let allowed = 16 * bytes.len() + (1 << 17);
    hold!(
        peak <= allowed,
        "{peak} bytes were taken for a save of {}",
        bytes.len()
    );
    if restored.is_err() {
        return Ok(());
    }
    for operation in operations {
        if let Operation::Use(number) = operation {
            put_to_use(&mut system, &mut library, *number);
            check_again(&system, &library)?;
        }
    }
    check_again(&system, &library)
}

/// The save of an accepted system is accepted again, and equal.
fn check_again(system: &EntitySystem, library: &Library) -> Result<(), String> {
    let bytes = save(system, library);
    let (mut other_system, mut other_library) = (system.clone(), library.clone());
    restore(&bytes, &mut other_system, &mut other_library)
        .map_err(|error| format!("what was let in writes a save that is refused: {error}"))?;
    hold!(
        save(&other_system, &other_library) == bytes,
        "what was let in saves to other bytes"
    );
    // A new system accepts it too, or says why not: its resources may differ.
    let (mut fresh_system, mut fresh_library, _) = fresh()?;
    let _ = restore(&bytes, &mut fresh_system, &mut fresh_library);
    Ok(())
}

/// Makes any call. Errors are allowed, panics and endless loops are not.
fn put_to_use(system: &mut EntitySystem, library: &mut Library, number: usize) {
    let entities: Vec<Entity> = system.entities().iter().collect();
    let who = (!entities.is_empty()).then(|| entities[number / 16 % entities.len()]);
    let name = NAMES[number % NAMES.len()];
    let manager = system.managers().map(|(id, ..)| id).nth(number / 7 % 2);
    match (number % 12, who) {
        (0, _) => drop(system.create()),
        (1, Some(entity)) => _ = system.destroy(entity),
        (2, Some(entity)) => _ = system.destroy_now(entity),
        (3 | 4, Some(entity)) => {
            if let Some(manager) = manager {
                let _ = system.add(entity, manager, name);
            }
        }
        (5, Some(entity)) => _ = system.remove(entity, name),
        (6, Some(entity)) => _ = system.set(entity, &format!("{name}.density"), Value::F32(0.5)),
        (7, _) => _ = library.spawn(system, "valley", number % 5, &[]),
        (8, _) => _ = system.collect(number % 9),
        (9, _) => _ = system.collect_all(),
        (10, Some(entity)) => {
            for row in system.components(entity).to_vec() {
                let name = system.names().get(row.name).unwrap_or_default().to_owned();
                let _ = system.get(entity, &format!("{name}.label"));
                let _ = system.remove(entity, &name);
            }
        }
        _ => {
            for stamp in system.index().prototypes().collect::<Vec<_>>() {
                let _ = system.entities_of(stamp).count();
            }
            let definitions = library.iter().cloned().collect();
            let _ = library.load(system, definitions);
        }
    }
}
