//! A session played again without a page: to its hash, or as a replay page.

use tombolo::World;
use tombolo::entity::Entity;
use tombolo::threads::Executor;

use super::log::Log;
use super::session::world_of;
use crate::output::Failure;
use crate::replay::Recorder;
use crate::source::components_of;

/// The hash of the state at the session's end, in hexadecimal digits.
///
/// # Errors
/// There is no such scene, or it refuses what was done.
pub(super) fn hash_of(log: &Log, executor: &dyn Executor) -> Result<String, Failure> {
    let mut world = world_of(&log.source()?)?;
    log.play(&mut world, executor, |_| Ok(()))?;
    Ok(format!("{:016x}", world.state_hash()))
}

/// The page that replays a session.
///
/// # Errors
/// As [`hash_of`].
pub(super) fn page_of(log: &Log, executor: &dyn Executor) -> Result<Vec<u8>, Failure> {
    let source = log.source()?;
    let mut world = world_of(&source)?;
    let mut recorder = Recorder::new(&source.name, world.step_seconds(), world.physics(), Some(&world))?;
    if let Some(scene) = source.scene() {
        recorder.record_graphs(scene.graphs());
    }
    let record = |world: &World| recorder.record(world.physics(), Some(world));
    log.play(&mut world, executor, record)?;
    recorder.record_components(&|key| {
        let entity = Entity::from_bits(key);
        let alive = entity.filter(|entity| world.entities().entities().is_alive(*entity));
        alive.map_or_else(Vec::new, |entity| components_of(&world, entity))
    });
    recorder.into_page()
}
