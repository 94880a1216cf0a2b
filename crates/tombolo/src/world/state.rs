//! [`World`]: its parts, and read access.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{
    Change, ComponentEntry, ComponentManager, Dense, Entity, EntitySystem, Library, ManagerId,
};
use tombolo_geometry::Pose;
use tombolo_physics::{BodyId, BodyRef, PhysicsWorld, PlayerOf, RecordingOf, WorldDef};

use super::action_table::Actions;
use super::asset_table::Assets;
use super::callback_table::NamedCallbacks;
use super::capacity::CapacityLimits;
use super::events::EntityEvents;
use super::hierarchy::{self, Hierarchy};
use super::inbox::Inbox;
use super::names::NameTable;
use super::physical::{Physical, show};
use super::profile::WorldProfile;
use super::random::Random;
use super::recording::{HandedOut, Origin, WorldLog};
use super::script::Scripts;
use super::segment_cut_list::SegmentCuts;
use super::space::Space;
use super::through_physics::ThroughPhysics;
use super::zones::Zones;
use crate::component::Register;
use crate::component::{self, BODY, Body, TRANSFORM, Transform};
use crate::error::{SceneError, WorldError};
use crate::scene::{Scene, Settings};

/// The most messages that a world keeps of what went wrong while it ran.
pub const FAULTS_MAX: usize = 100;

/// A recording of a [`World`], read.
pub type WorldRecording = RecordingOf<World>;

/// A [`World`] that makes the calls of a [`WorldRecording`] again.
pub type WorldPlayer<'a> = PlayerOf<'a, World>;

/// A running world: entities with named components, and the physics that moves their bodies.
///
/// It is one owned value: a clone is a fork with the same future, a save has all of it, and the same calls give the same
/// bits everywhere.
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
    /// What is known of the properties of the engine's own components; the same for all worlds.
    pub(super) register: Register,
    pub(super) physics: PhysicsWorld,
    pub(super) entities: EntitySystem,
    pub(super) library: Library,
    pub(super) names: NameTable,
    pub(super) hierarchy: Hierarchy,
    pub(super) random: Random,
    pub(super) segment_cuts: SegmentCuts,
    pub(super) entity_events: EntityEvents,
    pub(super) scripts: Scripts,
    pub(super) inbox: Inbox,
    pub(super) actions: Actions,
    pub(super) callbacks: NamedCallbacks,
    pub(super) through_physics: ThroughPhysics,
    pub(super) step_seconds: f32,
    pub(super) capacity: CapacityLimits,
    /// What scenes brought; no part of the state.
    pub(super) assets: Assets,
    /// What the world was made from, for recordings.
    pub(super) origin: Origin,
    // Follows from entities and bodies.
    pub(super) space: Space,
    pub(super) zones: Zones,
    // What came of the last step and of calls since; no part of the state.
    pub(super) moved: Moved,
    pub(super) faults: Vec<Box<str>>,
    pub(super) profile: WorldProfile,
    pub(super) log: WorldLog,
    pub(super) handed_out: HandedOut,
}

/// Entities whose place in the world has changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Moved {
    pub(super) list: Vec<Entity>,
    /// The step that read the list is over: the next entry begins a new one.
    pub(super) is_read: bool,
    /// So many of the list are in their places in space.
    pub(super) tracked: usize,
}

impl Moved {
    pub(super) fn push(&mut self, entity: Entity) {
        if core::mem::take(&mut self.is_read) {
            self.list.clear();
            self.tracked = 0;
        }
        self.list.push(entity);
    }

    /// A step is over; if nobody moved since the one before, nobody has moved.
    pub(super) fn end_step(&mut self) {
        if core::mem::replace(&mut self.is_read, true) {
            self.list.clear();
            self.tracked = 0;
        }
    }
}

impl World {
    /// A world without entities. The engine's own managers are registered.
    ///
    /// # Errors
    ///
    /// If a number of the settings is out of range.
    pub fn new(settings: &Settings) -> Result<Self, WorldError> {
        settings.script_limits.check()?;
        let capacity = CapacityLimits::of(settings)?;
        let def = WorldDef {
            gravity: settings.gravity,
            substeps: settings.substeps,
            sleeping: settings.sleeping,
            continuous: settings.continuous,
            debris: settings.debris(),
            ..WorldDef::default()
        };
        let mut entities = EntitySystem::new();
        component::register(&mut entities)?;
        Ok(Self {
            register: Register::new(),
            physics: PhysicsWorld::new(&def).map_err(WorldError::Settings)?,
            entities,
            library: Library::new(),
            names: NameTable::default(),
            hierarchy: Hierarchy::default(),
            random: Random::new(settings.seed),
            segment_cuts: SegmentCuts::default(),
            entity_events: EntityEvents::default(),
            scripts: Scripts::new(settings.script_limits),
            inbox: Inbox::default(),
            actions: Actions::default(),
            callbacks: NamedCallbacks::default(),
            through_physics: ThroughPhysics::default(),
            step_seconds: settings.step_seconds(),
            capacity,
            space: Space::new(),
            zones: Zones::default(),
            moved: Moved::default(),
            faults: Vec::new(),
            profile: WorldProfile::default(),
            assets: Assets::default(),
            origin: Origin::Settings(*settings),
            log: WorldLog::default(),
            handed_out: HandedOut::default(),
        })
    }

    /// Builds the world of a scene, in the order of the file: the same scene gives the same bits everywhere.
    ///
    /// # Errors
    /// What the scene's checks let through and physics refuses, such as more bodies than a world holds.
    pub fn from_scene(scene: &Scene) -> Result<Self, SceneError> {
        let settings = scene.settings();
        let mut world = Self::new(settings).map_err(|error| scene.error_in_settings(format!("{error}")))?;
        world.origin = Origin::of(scene);
        world.add_scene_here(scene)?;
        Ok(world)
    }

    /// As [`World::from_scene`], with a seed in place of that of the scene's settings: the world that the scene would give if
    /// its file had this seed. Sweeps and episodes of training make one for each seed.
    ///
    /// # Errors
    /// As [`World::from_scene`].
    pub fn from_scene_with_seed(scene: &Scene, seed: u64) -> Result<Self, SceneError> {
        let settings = Settings {
            seed,
            ..*scene.settings()
        };
        let mut world = Self::new(&settings).map_err(|error| scene.error_in_settings(format!("{error}")))?;
        world.add_scene_here(scene)?;
        Ok(world)
    }

    /// Adds a manager of the game's own under a name, before or after entities are made. What it holds is reached by name,
    /// saved, cloned and hashed like everything else; a scene that is read with [`Scene::parse_with`] can use it.
    ///
    /// # Errors
    ///
    /// If the name is taken or refused, or the world is recorded: a player could not make it.
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

    /// A manager of a known type; `None` if the number is unknown or the manager is of another type.
    pub fn manager<M: ComponentManager>(&self, id: ManagerId) -> Option<&M> {
        self.entities.manager(id)
    }

    /// A manager of a known type, for change. What is changed in the definitions of bodies, colliders, joints and triggers
    /// this way does not reach physics; [`World::set`] does. Nothing is checked here: a world whose own components hold
    /// numbers that [`World::set`] refuses, or that an entity's Transform was taken from, writes a save that is refused.
    pub fn manager_mut<M: ComponentManager>(&mut self, id: ManagerId) -> Option<&mut M> {
        self.hand_out_manager(id);
        self.entities.manager_mut(id)
    }

    /// The entities, their components and the index, to be read.
    pub fn entities(&self) -> &EntitySystem {
        &self.entities
    }

    /// The resources that entities are spawned from.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// How many entities there are.
    pub fn entity_count(&self) -> usize {
        self.entities.entities().len()
    }

    /// The entity of a name. O(log names).
    pub fn find(&self, name: &str) -> Option<Entity> {
        self.names.find(name)
    }

    /// The names of entities, in the order of their letters.
    pub fn names(&self) -> impl ExactSizeIterator<Item = (&str, Entity)> + Clone {
        self.names.iter()
    }

    /// An entity's name, if it has one.
    pub fn name_of(&self, entity: Entity) -> Option<&str> {
        self.names.of(entity)
    }

    /// The entity that a body belongs to, if both live, or one of the several that are one body; of a shape:
    /// [`World::part_of`].
    pub fn entity_of(&self, body: BodyId) -> Option<Entity> {
        self.entity_of_key(self.physics.body(body)?.user_key())
    }

    /// The entity whose bodies and shapes have this user key, if it lives.
    pub(crate) fn entity_of_key(&self, user_key: u64) -> Option<Entity> {
        let entity = Entity::from_bits(user_key);
        entity.filter(|entity| self.entities.entities().is_alive(*entity))
    }

    /// An entity's body as it is in physics, to be read: as [`PhysicsWorld::body`]. `None` if it has none.
    pub fn body(&self, entity: Entity) -> Option<BodyRef<'_>> {
        self.physics.body(self.body_of(entity)?)
    }

    /// The id of an entity's body in physics, if it has one; of entities that are [welded](crate::component::RigidWeld) that of
    /// the one body which they are.
    pub fn body_of(&self, entity: Entity) -> Option<BodyId> {
        let body: &Dense<Body> = self.entities.manager(BODY)?;
        body.newest(entity)?.current(&self.physics)
    }

    /// The entity's named components in the order in which they were added, each with its manager.
    pub fn components_of(&self, entity: Entity) -> &[ComponentEntry] {
        self.entities.components(entity)
    }

    /// Where an entity is in the world; `None` if it is dead or has no Transform.
    pub fn pose(&self, entity: Entity) -> Option<Pose> {
        let transforms: &Dense<Transform> = self.entities.manager(TRANSFORM)?;
        transforms.newest(entity).map(Transform::world)
    }

    /// The living entity that an entity's Transform names as parent.
    pub fn parent(&self, entity: Entity) -> Option<Entity> {
        hierarchy::parent_of(&self.entities, entity)
    }

    /// The entities whose Transform names this one as parent, by entity.
    pub fn children(&self, entity: Entity) -> &[Entity] {
        self.hierarchy.children(entity)
    }

    /// The entities whose place in the world or extent changed in the last step, or by calls since. One may stand there twice.
    pub fn moved(&self) -> &[Entity] {
        &self.moved.list
    }

    /// What went wrong while the world ran, the oldest first, at most [`FAULTS_MAX`] messages: a spawner whose resource is
    /// gone, and the like. Not part of the state.
    pub fn faults(&self) -> &[Box<str>] {
        &self.faults
    }

    /// How long the stages of the last step took. Not part of the state.
    pub fn profile(&self) -> &WorldProfile {
        &self.profile
    }

    /// The world's random numbers, saved with it.
    pub fn random(&mut self) -> &mut Random {
        self.hand_out_random();
        &mut self.random
    }

    /// Begins or ends the record of what is set by name.
    pub fn watch_changes(&mut self, watch: bool) {
        self.entities.watch_changes(watch);
    }

    /// What was set by name since the last call.
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

    /// The physics, to change it: forces, velocities, new bodies. What is done here to the place, kind or shapes of an
    /// entity's body shows in its Transform and in space with the next step, before its first stage, or with the next
    /// [`update_space`](Self::update_space), [`find_path`](Self::find_path) or [`free_space`](Self::free_space);
    /// [`World::set`] shows in the Transform at once. The user keys of entities' bodies are the world's: a restore sets them
    /// anew.
    pub fn physics_mut(&mut self) -> &mut PhysicsWorld {
        self.physics.watch_bodies();
        self.hand_out_physics();
        &mut self.physics
    }

    /// What the components ask of physics, for change. What the world does itself is not done through `physics_mut`.
    pub(super) fn physical(&mut self) -> Physical<'_> {
        self.through_physics.take_from(&mut self.physics);
        Physical {
            physics: &mut self.physics,
            entities: &mut self.entities,
            names: &self.names,
            entity_events: &mut self.entity_events,
        }
    }

    /// An entity for a message: its name, or its number.
    pub(super) fn show(&self, entity: Entity) -> Box<str> {
        show(&self.names, entity)
    }

    /// Notes something that went wrong while the world ran.
    pub(super) fn note_fault(&mut self, fault: impl Into<Box<str>>) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(fault.into());
        }
    }
}
