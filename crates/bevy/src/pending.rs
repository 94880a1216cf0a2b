//! [`Pending`]: changes recorded by component hooks, for the next step to apply. Bevy calls the hooks at once when a
//! component is added or removed, in the order in which entities are spawned, so no change between two steps is missed.

use std::collections::BTreeSet;

use bevy_ecs::entity::Entities;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::{Component, Entity, Resource, With, World};
use bevy_ecs::query::Allow;
use bevy_ecs::world::DeferredWorld;
use tombolo_physics::{BodyId, JointId};

use crate::link::{BodyLink, ColliderLink, FieldLink, JointLink};
use crate::refused::Refused;

/// Objects that were added, removed or changed since the last step. However long a pause is, what is kept is bounded by the
/// entities and the objects that there are.
#[derive(Resource, Debug, Default)]
pub(crate) struct Pending {
    /// Entities that got a body, in the order of spawning, and those whose bodies were refused.
    pub(crate) bodies: Due,
    /// Entities whose body lost a component, or changed in a way that change detection does not report.
    pub(crate) changed_bodies: Due,
    /// Entities that lost their body.
    pub(crate) removed_bodies: Vec<(u64, BodyId, Entity)>,
    /// Entities that got a collider, or whose collider lost a component, and those whose keys are in use.
    pub(crate) colliders: Due,
    /// Colliders with shapes that were removed.
    pub(crate) removed_colliders: Vec<ColliderLink>,
    /// Entities that got a tile grid, and those whose bodies do not exist yet.
    pub(crate) grids: Due,
    /// The keys of bodies whose tile grids were removed, with their entities.
    pub(crate) removed_grids: BTreeSet<(u64, Entity)>,
    /// Entities that got a joint, in the order of spawning, those whose bodies do not exist yet, and those whose keys
    /// are in use.
    pub(crate) joints: Due,
    /// Joints that were removed; `None` for those that broke before.
    pub(crate) removed_joints: Vec<(u64, Option<JointId>)>,
    /// Entities that got a field, in the order of spawning, and those whose keys are in use.
    pub(crate) fields: Due,
    /// Fields that were removed, by key, with their entities.
    pub(crate) removed_fields: Vec<(u64, Entity)>,
    /// Entities whose parent has changed, or was removed.
    pub(crate) moved: Due,
    /// The bodies that were refused.
    pub(crate) refused_bodies: Refused,
    /// The colliders whose keys are in use.
    pub(crate) refused_colliders: Refused,
    /// The joints whose keys are in use.
    pub(crate) refused_joints: Refused,
    /// The fields that were refused, or whose keys are in use.
    pub(crate) refused_fields: Refused,
}

/// Entities that wait for a step, in the order in which they were noted first.
#[derive(Debug, Default)]
pub(crate) struct Due {
    list: Vec<Entity>,
    /// The length beyond which it is pruned; from [`PRUNED_FROM`] on.
    limit: usize,
}

/// Shorter lists are not pruned.
const PRUNED_FROM: usize = 1024;

impl Due {
    /// The entities with a component that are in a world already, by index: hooks have found no record to note them in.
    pub(crate) fn of_present<C: Component>(world: &mut World) -> Self {
        let mut entities = world.query_filtered::<Entity, (With<C>, Allow<Disabled>)>();
        let mut list: Vec<Entity> = entities.iter(world).collect();
        list.sort_unstable_by_key(|entity| entity.index_u32());
        Self { list, limit: 0 }
    }

    /// Adds an entity that a step has found to wait on.
    pub(crate) fn push(&mut self, entity: Entity) {
        self.list.push(entity);
    }

    /// Adds an entity between two steps, of which there may be any number. Costs amortized constant time.
    pub(crate) fn note(&mut self, entity: Entity, entities: &Entities) {
        self.list.push(entity);
        if self.is_full() {
            self.prune(entities);
        }
    }

    fn is_full(&self) -> bool {
        self.list.len() > self.limit.max(PRUNED_FROM)
    }

    /// Leaves out entities that no longer exist, and all but the first mention of each.
    fn prune(&mut self, entities: &Entities) {
        let mut seen = BTreeSet::new();
        self.list
            .retain(|&entity| entities.contains_spawned(entity) && seen.insert(entity));
        self.limit = 2 * self.list.len();
    }

    pub(crate) fn extend(&mut self, entities: impl IntoIterator<Item = Entity>) {
        self.list.extend(entities);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Takes all of them out. The list keeps its memory.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Entity> + '_ {
        self.limit = 0;
        self.list.drain(..)
    }

    /// Takes all of them out, where others are added meanwhile.
    pub(crate) fn take(&mut self) -> Vec<Entity> {
        self.limit = 0;
        core::mem::take(&mut self.list)
    }
}

/// Notes the entity of a hook in one of the lists.
fn note(mut world: DeferredWorld, context: HookContext, list: fn(&mut Pending) -> &mut Due) {
    let Some(mut pending) = world.get_resource_mut::<Pending>() else {
        return;
    };
    let due = list(&mut pending);
    due.push(context.entity);
    if due.is_full() {
        let mut due = core::mem::take(due);
        due.prune(world.entities());
        *list(&mut world.resource_mut::<Pending>()) = due;
    }
}

/// Records that an entity got a body.
pub(crate) fn body_added(world: DeferredWorld, context: HookContext) {
    note(world, context, |pending| &mut pending.bodies);
}

/// Records that an entity lost its body, or is despawned.
pub(crate) fn body_removed(mut world: DeferredWorld, context: HookContext) {
    let entity = context.entity;
    let Some(mut link) = world.get_mut::<BodyLink>(entity) else {
        return;
    };
    let (key, id) = (link.key, link.id.take());
    if let (Some(id), Some(mut pending)) = (id, world.get_resource_mut::<Pending>()) {
        pending.removed_bodies.push((key, id, entity));
    }
}

/// Records that a body's settings changed.
pub(crate) fn body_changed(world: DeferredWorld, context: HookContext) {
    note(world, context, |pending| &mut pending.changed_bodies);
}

/// Records that an entity got a collider, or that one of its collider's settings was added or removed.
pub(crate) fn collider_changed(world: DeferredWorld, context: HookContext) {
    note(world, context, |pending| &mut pending.colliders);
}

/// Records that an entity lost its collider, or is despawned.
pub(crate) fn collider_removed(mut world: DeferredWorld, context: HookContext) {
    let Some(mut link) = world.get_mut::<ColliderLink>(context.entity) else {
        return;
    };
    let link = core::mem::take(&mut *link);
    if let (Some(_), Some(mut pending)) = (link.on, world.get_resource_mut::<Pending>()) {
        pending.removed_colliders.push(link);
    }
}

/// Records that an entity got a tile grid.
pub(crate) fn grid_added(world: DeferredWorld, context: HookContext) {
    note(world, context, |pending| &mut pending.grids);
}

/// Records that an entity lost its tile grid, or is despawned.
pub(crate) fn grid_removed(mut world: DeferredWorld, context: HookContext) {
    let entity = context.entity;
    let Some(key) = world.get::<BodyLink>(entity).map(|link| link.key) else {
        return;
    };
    // Without a key it had no body yet.
    if let (1.., Some(mut pending)) = (key, world.get_resource_mut::<Pending>()) {
        pending.removed_grids.insert((key, entity));
    }
}

/// Records that an entity got a joint.
pub(crate) fn joint_added(world: DeferredWorld, context: HookContext) {
    note(world, context, |pending| &mut pending.joints);
}

/// Records that an entity lost its joint, or is despawned.
pub(crate) fn joint_removed(mut world: DeferredWorld, context: HookContext) {
    let Some(mut link) = world.get_mut::<JointLink>(context.entity) else {
        return;
    };
    let JointLink { key, id, has_broken } = core::mem::take(&mut *link);
    if id.is_none() && !has_broken {
        return;
    }
    if let Some(mut pending) = world.get_resource_mut::<Pending>() {
        pending.removed_joints.push((key, id));
    }
}

/// Records that an entity got a field.
pub(crate) fn field_added(world: DeferredWorld, context: HookContext) {
    note(world, context, |pending| &mut pending.fields);
}

/// Records that an entity lost its field, or is despawned.
pub(crate) fn field_removed(mut world: DeferredWorld, context: HookContext) {
    let entity = context.entity;
    let Some(mut link) = world.get_mut::<FieldLink>(entity) else {
        return;
    };
    let key = core::mem::take(&mut *link).key;
    // Without a key it had no field yet.
    if let (1.., Some(mut pending)) = (key, world.get_resource_mut::<Pending>()) {
        pending.removed_fields.push((key, entity));
    }
}

#[cfg(test)]
mod tests {
    use bevy_app::{App, TaskPoolPlugin};
    use bevy_ecs::hierarchy::ChildOf;
    use bevy_ecs::prelude::Name;
    use bevy_math::Vec2;
    use bevy_time::{Time, TimePlugin, TimeUpdateStrategy, Virtual};
    use bevy_transform::components::Transform;
    use tombolo_physics::{FieldKind, Pose, Position, Tile, TileGridDef};

    use super::*;
    use crate::body::{Body, Damping};
    use crate::collider::{Collider, Sensor};
    use crate::field::Field;
    use crate::joint::Joint;
    use crate::plugin::TomboloPlugin;
    use crate::tiles::TileGrid;
    use crate::world::Physics;

    fn app() -> App {
        let mut app = App::new();
        app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TomboloPlugin::default()));
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
        app.update();
        app
    }

    fn grid() -> TileGrid {
        TileGrid::new(TileGridDef {
            width: 1,
            height: 1,
            tiles: vec![Tile::default()],
            cells: vec![1],
            ..TileGridDef::default()
        })
    }

    fn field() -> Field {
        Field::everywhere(FieldKind::Gravity {
            acceleration: Vec2::X,
        })
    }

    /// The lengths of all lists.
    fn lengths(app: &App) -> [usize; 11] {
        let pending = app.world().resource::<Pending>();
        [
            pending.bodies.len(),
            pending.changed_bodies.len(),
            pending.removed_bodies.len(),
            pending.colliders.len(),
            pending.removed_colliders.len(),
            pending.grids.len(),
            pending.removed_grids.len(),
            pending.joints.len(),
            pending.removed_joints.len(),
            pending.fields.len(),
            pending.removed_fields.len() + pending.moved.len(),
        ]
    }

    /// Three bodies, of which the last is below the first, and an entity with everything else.
    fn spawn(app: &mut App) -> [Entity; 4] {
        let world = app.world_mut();
        let [a, b, c] = [0.0, 3.0, 6.0].map(|x| {
            let parts = (
                Body::Dynamic,
                Collider::circle(1.0),
                Transform::from_xyz(x, 0.0, 0.0),
            );
            world.spawn(parts).id()
        });
        world.entity_mut(c).insert(ChildOf(a));
        let other = (Joint::filter(a, b), field(), grid());
        let other = world.spawn(other).id();
        app.update();
        [a, b, c, other]
    }

    /// All that an editor may do in a frame of a pause.
    fn edit(app: &mut App, [a, b, c, other]: [Entity; 4], frame: usize) {
        let world = app.world_mut();
        world
            .entity_mut(c)
            .remove::<ChildOf>()
            .insert(ChildOf(if frame.is_multiple_of(2) { b } else { a }));
        world
            .entity_mut(a)
            .insert((Damping::default(), Name::new("a"), Sensor));
        world.entity_mut(a).remove::<(Damping, Name, Sensor)>();
        world.entity_mut(b).remove::<(Body, Collider)>();
        world.entity_mut(b).insert((Body::Dynamic, Collider::circle(0.5)));
        world.entity_mut(other).remove::<(Joint, Field, TileGrid)>();
        world
            .entity_mut(other)
            .insert((Joint::filter(a, b), field(), grid()));
        let passing = (
            Body::Dynamic,
            Collider::circle(1.0),
            Joint::filter(a, b),
            field(),
            grid(),
        );
        let passing = world.spawn((passing, ChildOf(a))).id();
        world.despawn(passing);
        app.update();
    }

    /// In a pause of Bevy's clock no list outgrows what there is, and the step after it applies what is left.
    #[test]
    fn lists_do_not_grow_in_a_pause_of_the_clock() {
        let mut app = app();
        let entities = spawn(&mut app);
        app.world_mut().resource_mut::<Time<Virtual>>().pause();
        for frame in 0..2000 {
            edit(&mut app, entities, frame);
        }
        let lengths_then = lengths(&app);
        let bound = PRUNED_FROM + 1;
        assert!(
            lengths_then.iter().all(|&length| length <= bound),
            "{lengths_then:?}"
        );
        let removed = [2, 4, 6, 8].map(|list| lengths_then[list]);
        assert!(removed.iter().all(|&length| length <= 4), "{lengths_then:?}");
        assert!(lengths_then[0] > 0, "something waits");
        app.world_mut().resource_mut::<Time<Virtual>>().unpause();
        app.update();
        let physics = app.world().resource::<Physics>();
        let counters = physics.world().counters();
        assert_eq!([counters.bodies, counters.joints], [4, 1]);
        assert_eq!(physics.world().fields().count(), 1);
        assert!(physics.tile_grid(entities[3]).is_some());
        assert!(entities[..3].iter().all(|&entity| physics.body(entity).is_some()));
        assert_eq!(lengths(&app), [0; 11]);
    }

    /// Likewise in a pause of the physics alone, in which components are applied in each frame.
    #[test]
    fn what_calls_change_is_noted_once_in_a_pause_of_the_physics() {
        let mut app = app();
        let entities = spawn(&mut app);
        app.world_mut().resource_mut::<Physics>().set_paused(true);
        for frame in 0..2000 {
            edit(&mut app, entities, frame);
            let mut place = app.world_mut().get_mut::<Transform>(entities[0]).unwrap();
            place.translation.x = 0.001 * frame as f32;
        }
        let mut physics = app.world_mut().resource_mut::<Physics>();
        assert!(physics.world.changed_bodies().len() <= 16, "of one frame");
        physics.note_changes();
        assert!(
            physics
                .changed
                .contains(&physics.entities.saved.body_ids.iter().next().unwrap().0)
        );
        assert!(physics.changed.len() <= 4, "{:?}", physics.changed);
        assert_eq!(lengths(&app), [0; 11]);
    }

    /// Each frame of a pause cuts a body, throws the piece away, and makes the body whole.
    #[test]
    fn what_cuts_take_away_in_a_pause_is_known_once_for_each_slot() {
        let mut app = app();
        let [plank, ..] = spawn(&mut app);
        app.world_mut().resource_mut::<Physics>().set_paused(true);
        for frame in 0..400 {
            let length = 2.0 + 0.001 * frame as f32;
            let whole = Collider::rectangle(length, 0.5);
            app.world_mut().entity_mut(plank).insert(whole);
            app.update();
            let mut physics = app.world_mut().resource_mut::<Physics>();
            let body = physics.body(plank).unwrap().id();
            let at = physics.body(plank).unwrap().position().to_vec2();
            let line = [-2.0, 2.0].map(|y| Position::new(at.x + 0.9, at.y + y));
            let cut = physics.world.slice(body, line[0], line[1]).unwrap();
            for piece in cut.expect("the line crosses it").pieces {
                physics.world.destroy_body(piece).unwrap();
            }
            app.update();
        }
        let physics = app.world().resource::<Physics>();
        assert!(
            physics.entities.departed.shapes.len() <= 8,
            "{}",
            physics.entities.departed.shapes.len()
        );
        assert!(physics.changed.len() <= 4, "{:?}", physics.changed);
    }

    /// Likewise of calls in a pause of the clock, in which none of the fixed schedules runs.
    #[test]
    fn the_record_of_calls_does_not_grow_in_a_pause_of_the_clock() {
        for interpolates in [false, true] {
            let mut app = app();
            let [body, ..] = spawn(&mut app);
            app.world_mut()
                .resource_mut::<Physics>()
                .set_interpolation(interpolates);
            app.world_mut().resource_mut::<Time<Virtual>>().pause();
            for frame in 0..3000 {
                let mut physics = app.world_mut().resource_mut::<Physics>();
                let pose = Pose::new(Vec2::new(0.01 * frame as f32, 9.0), 0.0);
                physics.body_mut(body).unwrap().teleport(pose).unwrap();
                app.update();
            }
            let physics = app.world().resource::<Physics>();
            let length = physics.world.changed_bodies().len();
            assert!(length <= PRUNED_FROM + 1, "{length}");
            app.world_mut().resource_mut::<Time<Virtual>>().unpause();
            app.update();
            let place = app.world().get::<Transform>(body).unwrap().translation;
            assert!((place.x - 29.99).abs() < 0.01, "it is shown: {place}");
        }
    }

    /// Entities wait in the order in which they were first noted, however often the list was pruned.
    #[test]
    fn pruning_keeps_the_order_of_those_that_exist() {
        let mut world = bevy_ecs::world::World::new();
        let kept: Vec<Entity> = (0..700).map(|_| world.spawn_empty().id()).collect();
        let mut due = Due::default();
        for round in 0..20 {
            for &entity in kept.iter().take(50 * (round + 1)) {
                let passing = world.spawn_empty().id();
                due.note(passing, world.entities());
                world.despawn(passing);
                due.note(entity, world.entities());
            }
        }
        assert!(due.len() <= 2 * kept.len() + 1, "{}", due.len());
        let mut seen = BTreeSet::new();
        let order: Vec<Entity> = due
            .drain()
            .filter(|&entity| world.get_entity(entity).is_ok() && seen.insert(entity))
            .collect();
        assert_eq!(order, kept);
    }
}
