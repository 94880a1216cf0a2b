//! Family `saves`: saves of worlds with the entities' part forged and the checksum corrected.

use tombolo::World;
use tombolo::entity::{Entity, hash_bytes};

use super::{Call, check, make, yard};
use crate::family::{Family, hold, same};
use crate::random::{Forgery, Random};
use crate::watch;

/// The family of saves.
pub(crate) struct Saves;

/// A call before the save, a change of the save, or a call after it.
#[derive(Debug, Clone)]
pub(crate) enum Forged {
    /// A call before the save.
    Before(Call),
    /// Before the save: spawns a number of entities, and despawns all but the last of them.
    Age(usize),
    Change(Forgery),
    /// A call after the save was accepted.
    After(Call),
}

impl Family for Saves {
    const NAME: &'static str = "saves";
    const ABOUT: &'static str =
        "saves of worlds with their entities' part forged and the checksum put right: refused, or of use";
    const CASES: u64 = 1_500;
    type Operation = Forged;

    fn generate(random: &mut Random) -> Vec<Forged> {
        let mut operations: Vec<Forged> = (0..random.below(6))
            .map(|_| Forged::Before(Call::new(random)))
            .collect();
        if random.one_in(20) {
            operations.push(Forged::Age(random.below(380)));
        }
        operations.extend((0..random.within(1..4)).map(|_| Forged::Change(Forgery::new(random))));
        operations.extend((0..random.below(10)).map(|_| Forged::After(Call::new(random))));
        operations
    }

    fn run(operations: &[Forged]) -> Result<(), String> {
        let (scene, mut world) = yard()?;
        (0..20).for_each(|_| world.step());
        for operation in operations {
            match operation {
                Forged::Before(call) => drop(make(call, &mut world, &scene)?),
                Forged::Age(count) => age(&mut world, *count),
                _ => {}
            }
        }
        let mut forged = world.clone();
        forged.step();
        let mut save = world.save();
        // Magic and version, then the physics with its length, then the entities with theirs.
        let start = 12 + 8 + u64::from_le_bytes(save[12..20].try_into().map_err(|_| "short")?) as usize + 8;
        let end = save.len() - 8;
        for operation in operations {
            if let Forged::Change(forgery) = operation {
                forgery.apply(&mut save[start..end]);
            }
        }
        let checksum = hash_bytes(&save[..end]).to_le_bytes();
        save[end..].copy_from_slice(&checksum);
        let before = forged.state_hash();
        let (restored, peak) = watch::peak_bytes(|| forged.restore(&save));
        let allowed = 4 * save.len() + (1 << 16);
        hold!(
            peak <= allowed,
            "{peak} bytes were taken for a save of {}",
            save.len()
        );
        if restored.is_err() {
            same!(forged.state_hash(), before, "a refused save changed the world");
            return Ok(());
        }
        forged.physics().validate();
        check(&forged)?;
        make(&Call::Save, &mut forged, &scene)?;
        (0..20).for_each(|_| forged.step());
        for operation in operations {
            if let Forged::After(call) = operation {
                make(call, &mut forged, &scene).map_err(|error| format!("{call:?}: {error}"))?;
            }
        }
        check(&forged)?;
        (0..20).for_each(|_| forged.step());
        forged.physics().validate();
        make(&Call::Save, &mut forged, &scene)?;
        for entity in forged.entities().entities().iter().collect::<Vec<Entity>>() {
            // Children are despawned with their parents.
            drop(forged.despawn(entity));
        }
        same!(forged.entity_count(), 0, "all were ended");
        forged.step();
        Ok(())
    }
}

/// Spawns and despawns many entities: slots without entities stay.
fn age(world: &mut World, count: usize) {
    let entities: Vec<Entity> = (0..count).map_while(|_| world.create(None).ok()).collect();
    for entity in entities.iter().rev().skip(1) {
        drop(world.despawn(*entity));
    }
}
