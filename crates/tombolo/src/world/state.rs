//! [`World`]: its fields, its construction, and read access. The other files of this folder have the stages and calls
//! that change it.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tombolo_entity::{
    Change, ComponentEntry, ComponentManager, Dense, Entity, EntitySystem, Kept, Library, ManagerId,
    RecentPaths,
};
use tombolo_geometry::Pose;
use tombolo_physics::{BodyId, BodyRef, PhysicsWorld, PlayerOf, RecordingOf};

use super::action_table::Actions;
use super::asset_table::Assets;
use super::callback_table::NamedCallbacks;
use super::capacity::{CapacityLimits, check_rate};
use super::events::EntityEvents;
use super::followed::FollowedBlock;
use super::followers::Followers;
use super::hierarchy::{self, Hierarchy};
use super::inbox::Inbox;
use super::moved::Moved;
use super::names::NameTable;
use super::physical::{Physical, show};
use super::profile::WorldProfile;
use super::random::Random;
use super::recording::{HandedOut, Origin, WorldLog};
use super::script::Scripts;
use super::segment_cut_list::SegmentCuts;
use super::space::{LeftBlock, Space};
use super::through_physics::ThroughPhysics;
use super::zones::Zones;
use crate::component::Register;
use crate::component::{self, BODY, Body, TRANSFORM, Transform};
use crate::error::{SceneError, WorldError};
use crate::scene::{Scene, Settings};

/// The greatest number of faults that a world keeps.
pub const FAULTS_MAX: usize = 100;

/// A parsed recording of a [`World`].
pub type WorldRecording = RecordingOf<World>;

/// A [`World`] that repeats the calls of a [`WorldRecording`].
pub type WorldPlayer<'a> = PlayerOf<'a, World>;

/// A running world: entities with named components, and the physics that moves their bodies.
///
/// It is one owned value: a clone is a fork with the same future, a save has all of its state, and the same calls
/// give the same bits everywhere.
///
/// ```
/// use tombolo::{Scene, World};
/// let scene = Scene::parse(
///     "drop.ron",
///     r#"(
///         entities: {
///             "ground": {"body": Body(), "top": Collider(shape: Box(width: 20, height: 2), position: (0, -1))},
///             "ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5))},
///         },
///         place: [One(name: "ground", entity: "ground"), One(name: "ball", entity: "ball", at: (0, 3))],
///     )"#,
/// )?;
/// let mut world = World::from_scene(&scene)?;
/// for _ in 0..120 {
///     world.step();
/// }
/// let ball = world.find("ball").and_then(|entity| world.body_of(entity)).expect("the scene placed it");
/// let height = world.physics().body(ball).expect("nobody destroyed it").position().y;
/// assert!((height - 0.5).abs() < 0.01);
/// # Ok::<(), tombolo::SceneError>(())
/// ```
///
/// By name, any property of any component:
///
/// ```
/// # use tombolo::{Scene, World};
/// use tombolo::entity::Value;
/// use tombolo::physics::Vec2;
/// # let scene = Scene::parse("ball.ron", r#"(
/// #     entities: {"ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5))}},
/// #     place: [One(name: "ball", entity: "ball", at: (0, 3))],
/// # )"#)?;
/// # let mut world = World::from_scene(&scene)?;
/// let ball = world.find("ball").expect("the scene placed it");
/// world.set(ball, "body.linear_velocity", Value::Vec2(Vec2::new(0.0, 5.0)))?;
/// world.step();
/// let Value::F32(up) = world.get(ball, "body.linear_velocity.y")? else { unreachable!() };
/// assert!(up > 4.0 && up < 5.0); // gravity has pulled for a sixtieth of a second
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct World {
    /// The register of the properties of the engine's own components; the same for all worlds.
    pub(super) register: Register,
    pub(super) physics: PhysicsWorld,
    pub(super) entities: EntitySystem,
    pub(super) library: Kept<Library>,
    pub(super) names: Kept<NameTable>,
    pub(super) hierarchy: Kept<Hierarchy>,
    pub(super) random: Random,
    pub(super) segment_cuts: SegmentCuts,
    pub(super) entity_events: EntityEvents,
    pub(super) scripts: Kept<Scripts>,
    pub(super) inbox: Inbox,
    pub(super) actions: Actions,
    pub(super) callbacks: NamedCallbacks,
    pub(super) through_physics: ThroughPhysics,
    /// Entities of composites that parted, whose joints have waited for that. Empty between calls.
    pub(super) parted: BTreeSet<Entity>,
    pub(super) step_seconds: f32,
    pub(super) capacity: CapacityLimits,
    /// The assets of scenes; not part of the state.
    pub(super) assets: Kept<Assets>,
    /// The origin of the world, for recordings.
    pub(super) origin: Origin,
    /// The paths of properties that were used lately; not part of the state.
    pub(super) recent_paths: RecentPaths,
    /// The memory of stages; not part of the state.
    pub(super) scratch: StageScratch,
    // Derived from entities and bodies.
    pub(super) space: Space,
    pub(super) zones: Kept<Zones>,
    // Results of the last step and of calls since; not part of the state.
    pub(super) moved: Moved,
    pub(super) faults: Vec<Box<str>>,
    pub(super) profile: WorldProfile,
    pub(super) log: WorldLog,
    pub(super) handed_out: HandedOut,
}

/// The memory of the stages `poses` and `space`, which is kept so that a step need not allocate. A clone has none.
#[derive(Debug, Default)]
pub(super) struct StageScratch {
    pub(super) followed: Vec<FollowedBlock>,
    pub(super) followers: Followers,
    /// A copy of what the workers have written to the list of moved entities, in steps in which composites move.
    pub(super) written: Vec<Entity>,
    /// The entities of composites that have followed them, from there to the stage `space`.
    pub(super) members: Vec<Entity>,
    pub(super) left: Vec<LeftBlock>,
}

impl StageScratch {
    /// The memory, for other entities than before.
    pub(super) fn for_others(&mut self) -> Self {
        let mut memory = core::mem::take(self);
        memory.followers.forget();
        memory
    }
}

impl Clone for StageScratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The library of a world without resources. Where an entity was placed is its own, whatever its resource says.
pub(super) fn empty_library() -> Library {
    let mut library = Library::new();
    library.set_placing(TRANSFORM, &["position", "angle"]);
    library
}

impl World {
    /// Creates a world without entities. The engine's own managers are registered.
    ///
    /// # Errors
    ///
    /// If a number of the settings is out of range.
    pub fn new(settings: &Settings) -> Result<Self, WorldError> {
        settings.script_limits.check()?;
        check_rate(settings)?;
        let capacity = CapacityLimits::of(settings)?;
        let mut entities = EntitySystem::new();
        component::register(&mut entities)?;
        let library = empty_library();
        Ok(Self {
            register: Register::new(),
            physics: PhysicsWorld::new(&settings.physics()).map_err(WorldError::Settings)?,
            entities,
            library: library.into(),
            names: Kept::default(),
            hierarchy: Kept::default(),
            random: Random::new(settings.seed),
            segment_cuts: SegmentCuts::default(),
            entity_events: EntityEvents::default(),
            scripts: Scripts::new(settings.script_limits).into(),
            inbox: Inbox::default(),
            actions: Actions::default(),
            callbacks: NamedCallbacks::default(),
            through_physics: ThroughPhysics::default(),
            parted: BTreeSet::new(),
            step_seconds: settings.step_seconds(),
            capacity,
            space: Space::new(),
            zones: Kept::default(),
            moved: Moved::default(),
            faults: Vec::new(),
            profile: WorldProfile::default(),
            assets: Kept::default(),
            origin: Origin::Settings(*settings),
            recent_paths: RecentPaths::default(),
            scratch: StageScratch::default(),
            log: WorldLog::default(),
            handed_out: HandedOut::default(),
        })
    }

    /// Creates the world of a scene, in the order of the file: the same scene gives the same bits everywhere.
    ///
    /// # Errors
    ///
    /// Errors that the scene's checks do not find and physics does, such as more bodies than a world holds.
    pub fn from_scene(scene: &Scene) -> Result<Self, SceneError> {
        Self::of_scene(scene, None)
    }

    /// As [`World::from_scene`], with a seed in place of that of the scene's settings: the world that the scene would give if
    /// its file had this seed. Sweeps and episodes of training make one for each seed.
    ///
    /// # Errors
    /// As [`World::from_scene`].
    pub fn from_scene_with_seed(scene: &Scene, seed: u64) -> Result<Self, SceneError> {
        Self::of_scene(scene, Some(seed))
    }

    fn of_scene(scene: &Scene, seed: Option<u64>) -> Result<Self, SceneError> {
        let settings = Settings {
            seed: seed.unwrap_or(scene.settings().seed),
            ..*scene.settings()
        };
        let mut world = Self::new(&settings).map_err(|error| scene.error_in_settings(format!("{error}")))?;
        world.origin = Origin::of(scene, seed);
        world.add_scene_here(scene)?;
        Ok(world)
    }

    /// Registers a manager of the game's own under a name, before or after entities are created. Its components are
    /// accessed by name, saved, cloned and hashed like all others; a scene that is read with [`Scene::parse_with`]
    /// can use it.
    ///
    /// # Errors
    ///
    /// If the name is taken or refused, or the world is recorded: a player could not repeat the call.
    pub fn register_manager(
        &mut self,
        name: &str,
        manager: impl ComponentManager,
    ) -> Result<ManagerId, WorldError> {
        if self.is_recording() {
            return Err(WorldError::NotRecorded("a manager of a game's own"));
        }
        Ok(self.entities.register(name, manager)?)
    }

    /// Says that a manager of the game's own had another name in earlier builds: saves, recordings, resources and commands
    /// of then find it by that, too. See [`EntitySystem::manager_was`].
    ///
    /// # Errors
    ///
    /// If the manager is unknown, the name is taken or refused, or the world is recorded.
    pub fn manager_was(&mut self, id: ManagerId, name: &str) -> Result<(), WorldError> {
        if self.is_recording() {
            return Err(WorldError::NotRecorded("a former name of a manager"));
        }
        Ok(self.entities.manager_was(id, name)?)
    }

    /// The manager with a number; `None` if the number is unknown or the manager is of another type.
    pub fn manager<M: ComponentManager>(&self, id: ManagerId) -> Option<&M> {
        self.entities.manager(id)
    }

    /// The manager with a number, for changes. Changes of the definitions of bodies, colliders, joints and triggers
    /// made here do not reach physics; those of [`World::set`] do. Nothing is checked here: a world whose own
    /// components have numbers that [`World::set`] refuses, or whose entities lack a Transform, writes a save that is
    /// refused.
    pub fn manager_mut<M: ComponentManager>(&mut self, id: ManagerId) -> Option<&mut M> {
        self.hand_out_manager(id);
        self.entities.manager_mut(id)
    }

    /// The entities, their components and the index, for reading.
    pub fn entities(&self) -> &EntitySystem {
        &self.entities
    }

    /// The resources that entities are spawned from.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The number of entities.
    pub fn entity_count(&self) -> usize {
        self.entities.entities().len()
    }

    /// The entity with a name. O(log names).
    pub fn find(&self, name: &str) -> Option<Entity> {
        self.names.find(name)
    }

    /// The names of entities, in alphabetic order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = (&str, Entity)> + Clone {
        self.names.iter()
    }

    /// An entity's name, if it has one.
    pub fn name_of(&self, entity: Entity) -> Option<&str> {
        self.names.of(entity)
    }

    /// The entity that a body belongs to, if both exist, or one of the entities of a composite; for a shape see
    /// [`World::part_of`].
    pub fn entity_of(&self, body: BodyId) -> Option<Entity> {
        self.entity_of_key(self.physics.body(body)?.user_key())
    }

    /// The entity whose bodies and shapes have this user key, if it exists.
    pub(crate) fn entity_of_key(&self, user_key: u64) -> Option<Entity> {
        let entity = Entity::from_bits(user_key);
        entity.filter(|entity| self.entities.entities().is_alive(*entity))
    }

    /// The entity's body in physics, for reading, like [`PhysicsWorld::body`]. `None` if it has none.
    pub fn body(&self, entity: Entity) -> Option<BodyRef<'_>> {
        self.physics.body(self.body_of(entity)?)
    }

    /// The id of an entity's body in physics, if it has one; for entities that are
    /// [welded](crate::component::RigidWeld), of the composite that they are members of.
    pub fn body_of(&self, entity: Entity) -> Option<BodyId> {
        let body: &Dense<Body> = self.entities.manager(BODY)?;
        body.newest(entity)?.current(&self.physics)
    }

    /// The entity's named components in the order in which they were added, each with its manager.
    pub fn components_of(&self, entity: Entity) -> &[ComponentEntry] {
        self.entities.components(entity)
    }

    /// The pose of an entity in the world; `None` if it does not exist or has no Transform.
    pub fn pose(&self, entity: Entity) -> Option<Pose> {
        let transforms: &Dense<Transform> = self.entities.manager(TRANSFORM)?;
        transforms.newest(entity).map(Transform::world)
    }

    /// The parent in an entity's Transform, if that exists.
    pub fn parent(&self, entity: Entity) -> Option<Entity> {
        hierarchy::parent_of(&self.entities, entity)
    }

    /// The children of an entity: those with this parent in their Transforms, by entity.
    pub fn children(&self, entity: Entity) -> &[Entity] {
        self.hierarchy.children(entity)
    }

    /// The entities whose pose in the world or extent changed in the last step, or by calls since. An entity may be
    /// listed twice.
    pub fn moved(&self) -> &[Entity] {
        self.moved.list()
    }

    /// Those of the entities of [`moved`](Self::moved) that were teleported, with their children: by
    /// [`teleport`](Self::teleport), by its command, or by a script. Drawn between two poses they would fly through
    /// the world. An entity may be listed twice.
    pub fn teleported(&self) -> &[Entity] {
        &self.moved.teleported
    }

    /// The faults of the running world, the oldest first, at most [`FAULTS_MAX`] messages: a spawner whose resource
    /// does not exist any more, and the like. Not part of the state.
    pub fn faults(&self) -> &[Box<str>] {
        &self.faults
    }

    /// Drops all faults but the first `count`: those of steps that are made again after
    /// [`restore_frame`](Self::restore_frame), and were noted when they were made first.
    pub fn truncate_faults(&mut self, count: usize) {
        self.faults.truncate(count);
    }

    /// The times of the stages of the last step. Not part of the state.
    pub fn profile(&self) -> &WorldProfile {
        &self.profile
    }

    /// The world's random numbers, saved with it.
    pub fn random(&mut self) -> &mut Random {
        self.hand_out_random();
        &mut self.random
    }

    /// Begins or ends the record of changes by name.
    pub fn watch_changes(&mut self, watch: bool) {
        self.entities.watch_changes(watch);
    }

    /// The changes by name since the last call of this function.
    pub fn take_changes(&mut self) -> Vec<Change> {
        self.entities.take_changes()
    }

    /// The length of a step in seconds.
    pub fn step_seconds(&self) -> f32 {
        self.step_seconds
    }

    /// The physics: poses, contacts, events, queries, counters.
    pub fn physics(&self) -> &PhysicsWorld {
        &self.physics
    }

    /// The physics, for changes: forces, velocities, new bodies. Changes of the pose, kind or shapes of an entity's
    /// body reach its Transform and space with the next step, before its first stage, or with the next
    /// [`update_space`](Self::update_space), [`find_path`](Self::find_path) or [`free_space`](Self::free_space);
    /// those by [`World::set`] reach the Transform at once. After a [restore](PhysicsWorld::restore) of physics alone,
    /// from a save or a frame, that costs all bodies. The user keys of entities' bodies belong to the world: a restore
    /// sets them again.
    pub fn physics_mut(&mut self) -> &mut PhysicsWorld {
        self.through_physics.watch(&mut self.physics);
        self.hand_out_physics();
        &mut self.physics
    }

    /// The objects of components in physics, for changes. The world's own changes do not use `physics_mut`.
    pub(super) fn physical(&mut self) -> Physical<'_> {
        self.end_watch();
        Physical {
            physics: &mut self.physics,
            entities: &mut self.entities,
            names: &self.names,
            entity_events: &mut self.entity_events,
            parted: &mut self.parted,
        }
    }

    /// An entity for a message: its name, or its number.
    pub(super) fn show(&self, entity: Entity) -> Box<str> {
        show(&self.names, entity)
    }

    /// Records a fault of the running world that each step would record again.
    pub(super) fn note_fault_once(&mut self, fault: String) {
        if !self.faults.iter().any(|known| **known == *fault) {
            self.note_fault(fault);
        }
    }

    /// Records a fault of the running world.
    pub(super) fn note_fault(&mut self, fault: impl Into<Box<str>>) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(fault.into());
        }
    }
}
