//! Saves, restores and hashes a whole world: physics, entities, the library's state, names, random numbers, pending
//! events, the length of a step, segment cuts, scripts, pending commands of the inbox, actions, the bodies that calls
//! of `physics_mut` have changed since entities followed and which of them no longer are walls, and the names of callbacks.
//!
//! Format: magic, version, then the parts, each preceded by its length, then a checksum of everything before it.
//! Managers, resources and named scripts belong to the program and the scene, so a save is restored into a world
//! that has the same. Managers and their properties are described in the save and found by name, so that later builds
//! read it: how saves are migrated is in `docs/saves.md`.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::fmt;

use tombolo_entity::{
    ComponentManager, DataError, Dense, Kept, Library, ManagerId, Reader, RecentPaths, SavedManagers, Writer,
    hash_bytes,
};
use tombolo_physics::{Bytes, PhysicsWorld};
use tombolo_threads::FloatEnvironment;

use super::action_table::Actions;
use super::callback_table::NamedCallbacks;
use super::events::EntityEvents;
use super::following::Following;
use super::inbox::Inbox;
use super::moved::Moved;
use super::names::NameTable;
use super::random::Random;
use super::recording::{HandedOut, WorldCall, WorldLog};
use super::script::Scripts;
use super::segment_cut_list::SegmentCuts;
use super::space::Space;
use super::state::World;
use super::through_physics::ThroughPhysics;
use crate::component::{AGENT, Agent, TRANSFORM, Transform};
use crate::{Scene, SceneError};

/// The first bytes of every save.
const MAGIC: &[u8; 8] = b"TOMBOLOW";

/// The version of saves. It goes up when the parts change, but not with managers and properties, which are found by
/// name, nor with the data that a component writes beside those, which have a `VERSION` of their own.
const VERSION: u32 = 14;

/// The oldest version that is read: the first that describes managers and properties.
const OLDEST: u32 = 14;

/// The reason why bytes could not be restored to a world. The world to be overwritten is unchanged.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WorldRestoreError {
    /// The bytes do not begin with the header of a save.
    NotASave,
    /// The save was made by a later version, or by one from before saves were described.
    Version {
        /// The version of the save.
        found: u32,
        /// The latest version that this build reads.
        expected: u32,
    },
    /// The bytes were changed or cut off: the checksum does not fit.
    Checksum,
    /// The scene that the save was to be read with cannot be built.
    Scene(SceneError),
    /// The physics in the save is invalid.
    Physics(tombolo_physics::RestoreError),
    /// The entities in the save are invalid.
    Entities(DataError),
}

impl fmt::Display for WorldRestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASave => f.write_str("these bytes are not a saved world"),
            Self::Version { found, expected } => {
                write!(
                    f,
                    "the save has version {found}, this build reads version {expected}"
                )
            }
            Self::Checksum => f.write_str("the save is damaged or cut off: its checksum does not fit"),
            Self::Scene(error) => write!(f, "the save's scene: {error}"),
            Self::Physics(error) => write!(f, "the save's physics: {error}"),
            Self::Entities(error) => write!(f, "the save's entities: {error}"),
        }
    }
}

impl core::error::Error for WorldRestoreError {}

impl From<DataError> for WorldRestoreError {
    fn from(error: DataError) -> Self {
        Self::Entities(error)
    }
}

impl From<tombolo_physics::RestoreError> for WorldRestoreError {
    fn from(error: tombolo_physics::RestoreError) -> Self {
        Self::Physics(error)
    }
}

impl World {
    /// The whole world as bytes, with version and checksum. Events, faults, printed lines and the record of changes
    /// are not part of it. Equal worlds give equal bytes. Every later build reads them.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let mut parts = Writer::new();
        parts.blob(&self.physics.save());
        parts.blob_of(|out| self.save_entities(out));
        parts.blob(&self.inbox.save());
        parts.blob_of(|out| self.actions.save(out));
        parts.blob(
            &self
                .through_physics
                .save(&self.physics, &self.entities, |key| self.was_wall(key)),
        );
        parts.blob(&self.callbacks.save(&self.physics));
        let mut bytes = Vec::from(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(parts.finish());
        bytes.extend(hash_bytes(&bytes).to_le_bytes());
        bytes
    }

    /// Creates a world from a save, with the resources and scripts of the scene that the saved one was created from.
    /// A world with managers of a game's own is created like the saved one, and then [restored](World::restore).
    ///
    /// # Errors
    ///
    /// Those of [`World::restore`]; or if the scene cannot be built.
    pub fn from_save(scene: &Scene, bytes: &[u8]) -> Result<Self, WorldRestoreError> {
        let mut world = Self::from_scene(scene).map_err(WorldRestoreError::Scene)?;
        world.restore(bytes)?;
        Ok(world)
    }

    /// Replaces this world by a saved one. This world must have the managers of the save, and the same resources and
    /// named scripts; one that was created from the same scene has. Handles from before the save are valid again. Of an
    /// earlier build's save, managers that it lacks are empty and properties that it lacks have their defaults.
    ///
    /// # Errors
    ///
    /// If the bytes are not a save of this or an earlier version since 14, damaged, or of a world with managers or
    /// properties that this one lacks, or with other resources or scripts. This world is then unchanged.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), WorldRestoreError> {
        self.report_handed_out();
        self.outermost(|world| world.restore_here(bytes))?;
        self.log.report(|| WorldCall::Restore {
            save: Bytes(bytes.to_vec()),
        });
        Ok(())
    }

    fn restore_here(&mut self, bytes: &[u8]) -> Result<(), WorldRestoreError> {
        let _environment = FloatEnvironment::enter();
        let mut parts = Reader::new(open(bytes)?);
        let mut physics = PhysicsWorld::from_save(parts.blob("physics")?)?;
        let mut data = Reader::new(parts.blob("entities")?);
        let inbox = Inbox::restore(parts.blob("the inbox")?)?;
        let mut given = Reader::new(parts.blob("actions")?);
        let actions = Actions::restore(&mut given)?;
        given.end()?;
        let (through, walls) = ThroughPhysics::restore(parts.blob("what was changed through physics")?)?;
        let callbacks = self.callbacks.restored(parts.blob("callbacks")?, &physics)?;
        parts.end()?;
        let managers = SavedManagers::read(&mut data)?;
        let mut entities = self.entities.restored_as(&managers, &mut data)?;
        let library = self.library.restored(&entities, &mut data)?;
        let names = NameTable::restore(&mut data, |entity| entities.entities().is_alive(entity))?;
        let random = Random::new(data.u64("the random numbers")?);
        let has_lived = |entity| entities.entities().has_lived(entity);
        let entity_events = EntityEvents::restore(&mut data, has_lived)?;
        let step_seconds = step_length(&mut data)?;
        let segment_cuts = SegmentCuts::restore(&mut data)?;
        let scripts = self.scripts.restore(&managers, &mut data, has_lived)?;
        data.end()?;
        super::restored::check(&physics, &entities)?;
        super::restored::complete_triggers(&physics, &mut entities);
        let mut hierarchy = super::hierarchy::Hierarchy::default();
        if !hierarchy.rebuild(&entities) {
            return Err(DataError::broken("an entity is its own ancestor").into());
        }
        super::restored::align(&mut physics, &mut entities, &through.restored_entities());
        physics.take_over_recording(&mut self.physics);
        physics.take_over_callbacks(&mut self.physics);
        callbacks.supply(&mut physics, &self.callbacks);
        hand_on(&mut physics, &self.physics);
        *self = Self {
            register: self.register.clone(),
            physics,
            entities,
            library: library.into(),
            names: names.into(),
            hierarchy: hierarchy.into(),
            random,
            segment_cuts,
            entity_events,
            scripts: scripts.into(),
            inbox: self.inbox.with_commands_of(&inbox),
            actions,
            callbacks,
            through_physics: through,
            parted: BTreeSet::new(),
            step_seconds,
            capacity: self.capacity,
            space: Space::new(),
            zones: Kept::default(),
            moved: Moved::default(),
            faults: Vec::new(),
            profile: super::WorldProfile::default(),
            assets: self.assets.clone(),
            origin: self.origin.clone(),
            scratch: self.scratch.for_others(),
            recent_paths: RecentPaths::default(),
            log: WorldLog::default(),
            handed_out: HandedOut::default(),
        };
        self.rebuild_space(&walls);
        self.rebuild_zones();
        Ok(())
    }

    /// A hash of all state that the next steps depend on, the same on every machine. As in
    /// [`PhysicsWorld::state_hash`], the bookkeeping of islands is left out. It is that of the world [as it is
    /// synchronized](World::is_synchronized), so that calls that synchronize a world, such as the search for a path,
    /// do not change it. Of the physics it costs as much as the hash of that, of all else about as much as a save. If it is
    /// not synchronized it also costs a copy of the Transforms, and one of the physics if synchronizing changes bodies:
    /// sensors below entities that calls of [`World::physics_mut`] moved, or composites that those parted.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        self.hash_with(&self.inbox.save())
    }

    /// The hash of [`World::state_hash`] without the pending commands of the inbox: recordings have those with the
    /// step that took them.
    pub(super) fn hash_without_inbox(&self) -> u64 {
        self.hash_with(&[])
    }

    fn hash_with(&self, pending: &[u8]) -> u64 {
        let mut callbacks = self.callbacks.clone();
        callbacks.drop_unused(&self.physics);
        let events = self.events_after_watch();
        let beside = Beside {
            callbacks: &callbacks,
            entity_events: &events,
            ..beside!(self)
        };
        let changed = self.through_physics.all_changed(&self.physics, &self.entities);
        let changed: Vec<u64> = changed.collect();
        if changed.is_empty() {
            let physics = self.physics.state_hash();
            return beside.hash(physics, |out| self.entities.save_state(out), pending);
        }
        let _environment = FloatEnvironment::enter();
        let following = Following::of(self, &changed);
        let physics = following.hash_of_physics(self);
        let save = |out: &mut Writer| self.save_followed(&following, out);
        beside.hash(physics, save, pending)
    }

    /// Writes the state of the entities as it is after they have followed physics. Copies the Transforms, and the agents
    /// if they have to search their paths again, and nothing else.
    fn save_followed(&self, following: &Following, out: &mut Writer) {
        let mut others: Vec<(ManagerId, &dyn ComponentManager)> = Vec::new();
        let transforms: Option<&Dense<Transform>> = self.entities.manager(TRANSFORM);
        let transforms = transforms.cloned().map(|mut transforms| {
            following.move_transforms(&mut transforms);
            transforms
        });
        if let Some(transforms) = &transforms {
            others.push((TRANSFORM, transforms));
        }
        let agents: Option<&Dense<Agent>> = self.entities.manager(AGENT);
        let agents = agents.filter(|_| following.reroutes).cloned().map(|mut agents| {
            agents.values_mut().iter_mut().for_each(Agent::reroute);
            agents
        });
        if let Some(agents) = &agents {
            others.push((AGENT, agents));
        }
        self.entities.save_state_with(&others, out);
    }

    /// Everything but the physics and the pending commands.
    fn save_entities(&self, out: &mut Writer) {
        self.entities.save(out);
        self.library.save(out);
        let beside = Beside {
            entity_events: &self.events_after_watch(),
            ..beside!(self)
        };
        beside.save_rest(out);
    }
}

/// The parts of the state beside physics, entities and pending commands, of a world or of a frame.
#[derive(Clone, Copy)]
pub(super) struct Beside<'a> {
    pub(super) library: &'a Library,
    pub(super) names: &'a NameTable,
    pub(super) random: Random,
    pub(super) entity_events: &'a EntityEvents,
    pub(super) step_seconds: f32,
    pub(super) segment_cuts: &'a SegmentCuts,
    pub(super) scripts: &'a Scripts,
    pub(super) actions: &'a Actions,
    /// The callbacks that physics uses.
    pub(super) callbacks: &'a NamedCallbacks,
}

/// The [`Beside`] of a world or of a frame, whose fields have the same names.
macro_rules! beside {
    ($of:expr) => {
        Beside {
            library: &$of.library,
            names: &$of.names,
            random: $of.random,
            entity_events: &$of.entity_events,
            step_seconds: $of.step_seconds,
            segment_cuts: &$of.segment_cuts,
            scripts: &$of.scripts,
            actions: &$of.actions,
            callbacks: &$of.callbacks,
        }
    };
}
pub(super) use beside;

impl Beside<'_> {
    /// The hash of a world that is synchronized, from that of its physics, the state of its entities, and its pending
    /// commands.
    pub(super) fn hash(&self, physics: u64, entities: impl FnOnce(&mut Writer), pending: &[u8]) -> u64 {
        let mut rest = Writer::new();
        entities(&mut rest);
        self.library.save_state(&mut rest);
        self.save_rest(&mut rest);
        let mut all = Writer::new();
        all.u64(physics);
        all.u64(hash_bytes(&rest.finish()));
        if !pending.is_empty() {
            all.u64(hash_bytes(pending));
        }
        // Nothing is written if no action was ever set.
        if !self.actions.is_empty() {
            all.blob_of(|out| self.actions.save(out));
        }
        self.callbacks.hash(&mut all);
        hash_bytes(&all.finish())
    }

    /// Writes what is saved after entities and library.
    fn save_rest(&self, out: &mut Writer) {
        self.names.save(out);
        out.u64(self.random.state());
        self.entity_events.save(out);
        out.f32(self.step_seconds);
        self.segment_cuts.save(out);
        self.scripts.save(out);
    }
}

/// The parts of a save, after its header and checksum are verified.
fn open(bytes: &[u8]) -> Result<&[u8], WorldRestoreError> {
    let head = MAGIC.len() + size_of::<u32>();
    if !bytes.starts_with(MAGIC) {
        return Err(WorldRestoreError::NotASave);
    }
    let Some((body, checksum)) = bytes.split_last_chunk::<8>() else {
        return Err(WorldRestoreError::Checksum);
    };
    let Some((version, parts)) = body.get(MAGIC.len()..).and_then(<[u8]>::split_first_chunk::<4>) else {
        return Err(WorldRestoreError::Checksum);
    };
    debug_assert_eq!(body.len(), head + parts.len());
    let found = u32::from_le_bytes(*version);
    if !(OLDEST..=VERSION).contains(&found) {
        let expected = VERSION;
        return Err(WorldRestoreError::Version { found, expected });
    }
    if *checksum != hash_bytes(body).to_le_bytes() {
        return Err(WorldRestoreError::Checksum);
    }
    Ok(parts)
}

/// Gives a restored physics what is the world's and no part of the saved state: lanes, batches and profiling, and the number
/// that tells when kept geometry is old.
fn hand_on(physics: &mut PhysicsWorld, of_world: &PhysicsWorld) {
    if physics.set_lanes(of_world.lanes()).is_err() {
        debug_assert!(false, "the world has these lanes already");
    }
    physics.set_batch_bodies_max(of_world.batch_bodies_max());
    physics.set_profiling(of_world.is_profiling());
    physics.take_over_geometry_version(of_world);
}

/// The length of a step in seconds.
fn step_length(data: &mut Reader<'_>) -> Result<f32, DataError> {
    let seconds = data.f32("the length of a step")?;
    if !(1.0e-4..=1.0).contains(&seconds) {
        return Err(DataError::broken("the length of a step is out of range"));
    }
    Ok(seconds)
}
