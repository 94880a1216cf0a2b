//! [`TomboloPlugin`], which an app adds, and the order of its systems.

use bevy_app::{App, FixedFirst, FixedPostUpdate, Plugin, RunFixedMainLoop, RunFixedMainLoopSystems};
use bevy_ecs::entity::Entities;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::hierarchy::{ChildOf, Children};
use bevy_ecs::lifecycle::{Add, Remove};
use bevy_ecs::observer::On;
use bevy_ecs::prelude::{
    Entity, IntoScheduleConfigs, IntoSystem, Name, Or, Query, ResMut, SystemSet, With, World,
};
use bevy_ecs::query::{Allow, Has};
use tombolo_physics::{PhysicsWorld, WorldDef};

use crate::body::Body;
use crate::collider::Collider;
use crate::copied::forget_copied;
use crate::events::{
    BodyCut, CharacterTouchBegan, CharacterTouchEnded, ForceExceeded, Hit, JointExceeded, PhysicsFault,
    PieceVanished, RigidWeldExceeded, SensorEntered, SensorLeft, SleepChanged, TouchBegan, TouchEnded,
};
use crate::executor::Workers;
use crate::field::Field;
use crate::joint::Joint;
use crate::link::{BodyLink, ColliderLink, FieldLink, JointLink};
use crate::own_writes::apart;
use crate::pending::{Due, Pending};
use crate::registered::register_components;
use crate::rules::ContactRules;
use crate::sync::{
    bodies, characters, colliders, cuts, fields, follow, joints, motion, removed, report, rules, show, step,
    tiles,
};
use crate::tiles::TileGrid;
use crate::world::Physics;

/// Adds the physics world to an app: [`Physics`], kept in sync with the components of entities and stepped in
/// `FixedPostUpdate`.
///
/// The length of a step is that of `Time<Fixed>`, 64 of them a second by default. So pausing, slow motion and catching
/// up after a long frame are settings of Bevy's `Time<Virtual>`. The app needs Bevy's `TimePlugin`, which Bevy's
/// default and minimal plugins have. What is spawned before the plugin is added counts as spawned in the order of its entities' indices.
///
/// ```
/// use bevy_app::{App, TaskPoolPlugin};
/// use bevy_time::TimePlugin;
/// use bevy_tombolo::TomboloPlugin;
///
/// let mut app = App::new();
/// app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TomboloPlugin::default()));
/// app.update();
/// ```
///
/// # Panics
///
/// If a number of the definition is out of range.
#[derive(Clone, Debug)]
pub struct TomboloPlugin {
    /// The definition of the world: gravity and other settings.
    pub def: WorldDef,
    /// The threads that step it.
    pub workers: Workers,
    /// Whether Transforms between two steps are interpolated between the poses before and after the last one; true by
    /// default.
    pub interpolation: bool,
}

impl Default for TomboloPlugin {
    fn default() -> Self {
        Self {
            def: WorldDef::default(),
            workers: Workers::default(),
            interpolation: true,
        }
    }
}

/// The stages of the plugin in `FixedPostUpdate`, in this order. The game's own systems of the fixed schedules, such as
/// those of `FixedUpdate`, run before all of them.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhysicsSystems {
    /// Changes of components are applied to the world.
    Apply,
    /// The world is stepped, then characters are moved.
    Step,
    /// Transforms and velocities are written.
    Show,
    /// Messages are written and events triggered.
    Report,
}

/// What is in a world before the plugin.
fn of_present(world: &mut World) -> Pending {
    Pending {
        bodies: Due::of_present::<Body>(world),
        colliders: Due::of_present::<Collider>(world),
        grids: Due::of_present::<TileGrid>(world),
        joints: Due::of_present::<Joint>(world),
        fields: Due::of_present::<Field>(world),
        ..Pending::default()
    }
}

impl Plugin for TomboloPlugin {
    fn build(&self, app: &mut App) {
        let mut world = PhysicsWorld::new(&self.def).expect("the definition of the plugin's world is valid");
        world.watch_bodies();
        register_components(app);
        let pending = of_present(app.world_mut());
        app.insert_resource(pending)
            .init_resource::<ContactRules>()
            .insert_resource(Physics::new(world, self.workers, self.interpolation))
            .add_message::<TouchBegan>()
            .add_message::<TouchEnded>()
            .add_message::<Hit>()
            .add_message::<ForceExceeded>()
            .add_message::<SensorEntered>()
            .add_message::<SensorLeft>()
            .add_message::<JointExceeded>()
            .add_message::<SleepChanged>()
            .add_message::<BodyCut>()
            .add_message::<PieceVanished>()
            .add_message::<RigidWeldExceeded>()
            .add_message::<CharacterTouchBegan>()
            .add_message::<CharacterTouchEnded>()
            .add_message::<PhysicsFault>()
            .add_observer(forget_copied::<BodyLink>)
            .add_observer(forget_copied::<ColliderLink>)
            .add_observer(forget_copied::<JointLink>)
            .add_observer(forget_copied::<FieldLink>)
            .add_observer(note_unparented)
            .add_observer(note_unnamed)
            .add_observer(note_disabled)
            .add_observer(note_enabled);
        app.configure_sets(
            FixedPostUpdate,
            (
                PhysicsSystems::Apply,
                PhysicsSystems::Step.run_if(step::is_running),
                PhysicsSystems::Show.run_if(step::has_stepped),
                PhysicsSystems::Report.run_if(step::has_stepped),
            )
                .chain(),
        );
        // Systems that run one after the other anyway are one: Bevy's executor takes longer to start and end a system
        // than most of them do in a step without changes.
        let apply = rules::apply_rules
            .pipe(cuts::follow_cuts)
            .pipe(removed::remove_objects)
            .pipe(bodies::create_bodies)
            .pipe(follow::follow_transforms)
            .pipe(bodies::apply_bodies)
            .pipe(colliders::apply_colliders)
            .pipe(tiles::apply_grids)
            .pipe(fields::apply_fields)
            .pipe(joints::apply_joints);
        // By itself: in a pause it is not run, or it would take velocities for applied that are not.
        let motion = motion::apply_motion.run_if(step::is_running);
        let apply = (apply, motion).chain().in_set(PhysicsSystems::Apply);
        app.add_systems(FixedPostUpdate, apply);
        let step = (step::step, characters::move_characters.run_if(step::has_stepped));
        app.add_systems(FixedPostUpdate, step.chain().in_set(PhysicsSystems::Step));
        let show = apart.pipe(show::show_moved).pipe(show::show_nested);
        app.add_systems(FixedPostUpdate, show.in_set(PhysicsSystems::Show));
        app.add_systems(FixedPostUpdate, report::report.in_set(PhysicsSystems::Report));
        app.add_systems(FixedFirst, apart.pipe(show::show_true));
        app.add_systems(
            RunFixedMainLoop,
            apart
                .pipe(show::draw)
                .in_set(RunFixedMainLoopSystems::AfterFixedMainLoop),
        );
    }
}

/// An entity that loses its parent keeps its `Transform`, and so moves in the world.
fn note_unparented(
    event: On<Remove<ChildOf>>,
    parents: Query<
        (),
        (
            Or<(With<BodyLink>, With<ColliderLink>, With<Children>)>,
            Allow<Disabled>,
        ),
    >,
    mut pending: ResMut<Pending>,
    entities: &Entities,
) {
    if parents.contains(event.entity) {
        pending.moved.note(event.entity, entities);
    }
}

fn note_unnamed(
    event: On<Remove<Name>>,
    bodies: Query<(), (With<BodyLink>, Allow<Disabled>)>,
    mut pending: ResMut<Pending>,
    entities: &Entities,
) {
    if bodies.contains(event.entity) {
        pending.changed_bodies.note(event.entity, entities);
    }
}

/// Which kinds of objects an entity has.
type Kinds<'w, 's> = Query<'w, 's, (Has<BodyLink>, Has<ColliderLink>), Allow<Disabled>>;

fn note_disabled(event: On<Add<Disabled>>, kinds: Kinds, pending: ResMut<Pending>, entities: &Entities) {
    note_hidden(event.entity, &kinds, pending, entities);
}

fn note_enabled(event: On<Remove<Disabled>>, kinds: Kinds, pending: ResMut<Pending>, entities: &Entities) {
    note_hidden(event.entity, &kinds, pending, entities);
}

fn note_hidden(entity: Entity, kinds: &Kinds, mut pending: ResMut<Pending>, entities: &Entities) {
    let Ok((is_body, is_collider)) = kinds.get(entity) else {
        return;
    };
    if is_body {
        pending.changed_bodies.note(entity, entities);
    }
    if is_collider {
        pending.colliders.note(entity, entities);
    }
}
