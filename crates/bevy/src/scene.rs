//! [`PhysicsScene`]: scene files of the engine as Bevy assets, spawned as entities and again when the file changes.
//! Feature `scenes`.

use std::collections::BTreeMap;

use bevy_app::{App, Plugin, PostUpdate};
use bevy_asset::io::Reader;
use bevy_asset::{
    Asset, AssetApp, AssetEvent, AssetEventSystems, AssetId, AssetLoader, Assets, Handle, LoadContext,
};
use bevy_ecs::change_detection::DetectChanges;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::error::BevyError;
use bevy_ecs::event::EntityEvent;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::message::{MessageReader, MessageWriter};
use bevy_ecs::prelude::{
    Commands, Component, Entity, IntoScheduleConfigs, Mut, Query, Ref, ReflectComponent, Res, ResMut,
};
use bevy_ecs::query::{Allow, Has};
use bevy_ecs::world::DeferredWorld;
use bevy_math::Vec2;
use bevy_reflect::TypePath;
use bevy_reflect::prelude::{Reflect, ReflectDefault};
use bevy_transform::TransformSystems;
use bevy_transform::components::Transform;
use tombolo::component::{BODY, CHARACTER, COLLIDER, FIELD, JOINT, NAMES, TAG, TILES, TRANSFORM, TRIGGER};
use tombolo::entity::ManagerId;
use tombolo::{Scene, World};
use tombolo_physics::WorldDef;

use crate::events::{FaultReason, PhysicsFault};
use crate::rules::ContactRules;
use crate::scene_objects::SpawnedScene;
use crate::scene_rules::SceneRules;
use crate::world::Physics;

/// Adds scene files of the engine to Bevy's assets, and spawns those of [`SceneRoot`]s. After Bevy's `AssetPlugin`,
/// which the default plugins have.
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsScenePlugin;

/// A scene file of the engine, read and checked: `asset_server.load("level.scene.ron")`. Files with other endings are
/// loaded too, if a `Handle<PhysicsScene>` is asked for.
///
/// The world of the scene as it begins is what becomes entities: bodies, colliders, tile grids and joints by [`SpawnPhysics`](crate::SpawnPhysics);
/// [`Field`](crate::Field)s, each an entity of its own, below the body that it goes with; and
/// [`Character`](crate::Character)s, on the entities of their kinematic bodies, or with bodies of their own, which have no colliders. A
/// character is upright against the gravity of the world that it is spawned in, and stands: to crouch, a game gives it another shape.
/// The scene's contact rules are set in [`ContactRules`], and with [`SceneSettings`] beside the [`SceneRoot`] the world
/// gets the scene's settings. Scripts, agents, spawners and zones are the engine's own, and have no effect here, nor have
/// characters that are disabled or on bodies that are not kinematic; [`SceneSpawned::left_out`] names those that a scene has. Entities that rigid welds hold together are one body, which
/// has the name of one of them and never breaks.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct PhysicsScene {
    /// The scene.
    pub scene: Scene,
}

/// Has a scene's entities as children: spawned when the file is loaded, and despawned and spawned anew when it changes,
/// if Bevy watches files (feature `file_watcher` of `bevy`); once for each change, in `PostUpdate`. A file that is wrong changes
/// nothing; Bevy logs the error. The root's `Transform` moves the scene. With each spawning comes the event [`SceneSpawned`] of
/// the root. A clone of the root, or a copy by one of Bevy's scenes, that has copies of the contents keeps these as they are
/// until the file changes; one without spawns its own. A root with Bevy's [`Disabled`] waits until it has it no more.
/// Despawning the root despawns the scene, and takes its rules from the table: for pairs that other roots or the game itself
/// had set too, the newest of these is there again.
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Clone, Debug, Default)]
#[require(Transform, Spawned)]
pub struct SceneRoot(pub Handle<PhysicsScene>);

/// Beside a [`SceneRoot`]: with each spawning of the scene the world gets the settings of its file: gravity, substeps,
/// thresholds, the stiffness of contacts, sleeping, continuous collision, debris. They stay when the root goes. The length of
/// a step is that of `Time<Fixed>` nonetheless.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
pub struct SceneSettings;

impl Plugin for PhysicsScenePlugin {
    fn build(&self, app: &mut App) {
        // By then each change of an asset has its event. Between the two a root would be spawned for both.
        let spawn = spawn_scenes
            .after(AssetEventSystems)
            .before(TransformSystems::Propagate);
        app.init_asset::<PhysicsScene>()
            .register_type::<SceneRoot>()
            .register_type::<SceneSettings>()
            .register_type::<ContentOf>()
            .init_resource::<SceneRules>()
            .register_asset_loader(SceneLoader)
            .add_systems(PostUpdate, spawn);
    }
}

/// The entities of a scene were spawned, below the entity of its [`SceneRoot`]; they have their components from now on.
#[derive(EntityEvent, Clone, Debug)]
pub struct SceneSpawned {
    /// The entity of the [`SceneRoot`].
    #[event_target]
    pub entity: Entity,
    /// What the scene has and Bevy's entities do not: the kinds of such components, each once, by name; and `Settings`, if
    /// they are not those of the world. Also the reason [`FaultReason::LeftOut`] of a [`PhysicsFault`], unless it is nothing.
    pub left_out: Vec<&'static str>,
}

/// What a root has spawned.
#[derive(Component, Default)]
#[component(on_remove = root_went)]
struct Spawned {
    entities: Vec<Entity>,
    /// Whether they are copies, and the scene has not been there since they came.
    are_copies: bool,
    /// Whether the scene is to be spawned: at once, unless the root is disabled.
    is_due: bool,
}

/// Of the contents of a scene: the root that has spawned them. Clones, and Bevy's scenes, have their own root here if it was copied
/// with them; by that the root finds them.
#[derive(Component, Reflect, Clone, Copy, Debug)]
#[reflect(Component, Clone, Debug)]
struct ContentOf(#[entities] Entity);

/// The roots of scenes, with what decides about their spawning.
type Roots<'w, 's> = Query<
    'w,
    's,
    (
        Entity,
        Ref<'static, SceneRoot>,
        Has<SceneSettings>,
        Mut<'static, Spawned>,
        Has<Disabled>,
    ),
>;

/// The contents of scenes.
type Contents<'w, 's> = Query<'w, 's, (Entity, &'static ContentOf), Allow<Disabled>>;

/// The contents of each root, by index: those of a new one came with it as copies.
fn by_root(contents: &Contents<'_, '_>) -> BTreeMap<Entity, Vec<Entity>> {
    let mut by_root: BTreeMap<Entity, Vec<Entity>> = BTreeMap::new();
    for (entity, of) in contents {
        by_root.entry(of.0).or_default().push(entity);
    }
    for contents in by_root.values_mut() {
        contents.sort_unstable_by_key(|entity| entity.index_u32());
    }
    by_root
}

/// Takes the rules of a root that is despawned from the table; its entities are despawned as its children.
fn root_went(mut world: DeferredWorld, context: HookContext) {
    let Some(mut of_scenes) = world.get_resource_mut::<SceneRules>() else {
        return;
    };
    let mut of_scenes = core::mem::take(&mut *of_scenes);
    if let Some(mut rules) = world.get_resource_mut::<ContactRules>() {
        of_scenes.withdraw(context.entity, &mut rules);
    }
    *world.resource_mut::<SceneRules>() = of_scenes;
}

/// The roots whose scenes are to be spawned: those with files that were loaded or have changed, and those with another file.
fn due_roots(
    events: &mut MessageReader<AssetEvent<PhysicsScene>>,
    roots: &mut Roots<'_, '_>,
    contents: &Contents<'_, '_>,
) -> Vec<Entity> {
    let (mut added, mut modified): (Vec<AssetId<PhysicsScene>>, Vec<_>) = (Vec::new(), Vec::new());
    for event in events.read() {
        match event {
            AssetEvent::Added { id } => added.push(*id),
            AssetEvent::Modified { id } => modified.push(*id),
            _ => {}
        }
    }
    let mut copies = None;
    let mut due: Vec<Entity> = Vec::new();
    for (entity, root, _, mut spawned, is_disabled) in roots {
        let (id, is_new) = (root.0.id(), spawned.is_added());
        let is_modified = modified.contains(&id);
        if root.is_changed() || is_modified || added.contains(&id) {
            spawned.is_due = true;
        }
        if is_new {
            let copies = copies.get_or_insert_with(|| by_root(contents));
            spawned.entities = copies.remove(&entity).unwrap_or_default();
            spawned.are_copies = !spawned.entities.is_empty();
        }
        if is_modified || root.is_changed() && !is_new {
            spawned.are_copies = false;
        }
        if spawned.is_due && !is_disabled {
            spawned.is_due = false;
            due.push(entity);
        }
    }
    // By index, since the order of a query is none to rely on, and the keys of the contents would have it: in that of
    // spawning, where no entity has the index of one that was despawned.
    due.sort_unstable_by_key(|entity| entity.index_u32());
    due
}

/// Spawns the scenes of the roots that are due.
fn spawn_scenes(
    mut events: MessageReader<AssetEvent<PhysicsScene>>,
    scenes: Res<Assets<PhysicsScene>>,
    mut roots: Roots<'_, '_>,
    contents: Contents<'_, '_>,
    mut physics: ResMut<Physics>,
    mut rules: ResMut<ContactRules>,
    mut of_scenes: ResMut<SceneRules>,
    mut faults: MessageWriter<PhysicsFault>,
    mut commands: Commands,
) {
    for entity in due_roots(&mut events, &mut roots, &contents) {
        let (_, root, with_settings, mut spawned, _) = roots.get_mut(entity).expect("it was just there");
        of_scenes.withdraw(entity, &mut rules);
        if !spawned.are_copies {
            for child in spawned.entities.drain(..) {
                commands.entity(child).try_despawn();
            }
        }
        let world = scenes.get(&root.0).map(|scene| World::from_scene(&scene.scene));
        // A file that is not loaded yet; the loader has found that a world can be built from it.
        let Some(Ok(world)) = world else {
            continue;
        };
        of_scenes.set(entity, world.physics(), &mut rules);
        let def = world.physics().def();
        let set = if with_settings {
            physics.apply_settings(&def)
        } else {
            Ok(())
        };
        let mut fault = |reason| {
            faults.write(PhysicsFault { entity, reason });
        };
        if let Err(error) = set {
            fault(FaultReason::Refused(error));
        }
        if core::mem::take(&mut spawned.are_copies) {
            continue;
        }
        let up = (-physics.world().gravity()).try_normalize().unwrap_or(Vec2::Y);
        let mut scene = SpawnedScene::new(&world, entity, &mut commands);
        scene.spawn_fields(&mut commands);
        let all_characters = scene.spawn_characters(up, &mut commands);
        for &content in &scene.entities {
            commands.entity(content).insert(ContentOf(entity));
        }
        spawned.entities = scene.entities;
        let mut left_out = left_out(&world, settings(&physics.world().def()) != settings(&def));
        if !all_characters {
            left_out.push(NAMES[usize::from(CHARACTER.0)]);
        }
        if !left_out.is_empty() {
            fault(FaultReason::LeftOut(left_out.clone()));
        }
        commands.trigger(SceneSpawned { entity, left_out });
    }
}

/// The part of a definition that the settings of a scene are.
fn settings(def: &WorldDef) -> WorldDef {
    let WorldDef {
        islands, capacity, ..
    } = WorldDef::default();
    WorldDef {
        islands,
        capacity,
        ..def.clone()
    }
}

/// The names of what a scene has that is never spawned.
fn left_out(world: &World, has_other_settings: bool) -> Vec<&'static str> {
    const SPAWNED: [ManagerId; 9] = [
        TRANSFORM, BODY, COLLIDER, JOINT, TRIGGER, TILES, TAG, FIELD, CHARACTER,
    ];
    let is_spawned = |manager: ManagerId| SPAWNED.contains(&manager);
    let managers = world.entities().managers();
    let left_out = managers.filter(|(id, _, manager)| !manager.is_empty() && !is_spawned(*id));
    let names = left_out.filter_map(|(id, ..)| NAMES.get(usize::from(id.0)).copied());
    let mut names: Vec<&'static str> = names.collect();
    if has_other_settings {
        names.push("Settings");
    }
    names
}

/// Reads scene files.
#[derive(TypePath)]
struct SceneLoader;

impl AssetLoader for SceneLoader {
    type Asset = PhysicsScene;
    type Settings = ();
    type Error = BevyError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _settings: &(),
        context: &mut LoadContext<'_>,
    ) -> Result<PhysicsScene, BevyError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        let name = context.path().to_string();
        let scene = Scene::parse(&name, core::str::from_utf8(&bytes)?)?;
        // What only building a world finds is an error of the file too.
        World::from_scene(&scene)?;
        Ok(PhysicsScene { scene })
    }

    fn extensions(&self) -> &[&str] {
        &["scene.ron"]
    }
}
