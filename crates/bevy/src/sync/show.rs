//! Writes poses, velocities and sleep to the components of bodies, and interpolated poses between two steps.

use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::{Entity, ParamSet, Query, Res, ResMut, With, Without};
use bevy_ecs::query::{Allow, Has};
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use tombolo_physics::{BodyKind, Pose};

use crate::body::{Body, SleepState, Velocity};
use crate::flat::Frame;
use crate::link::BodyLink;
use crate::world::Physics;

/// The components that are written for a body.
pub(crate) type Shown<'w, 's> = Query<
    'w,
    's,
    (
        &'static mut Transform,
        &'static mut Velocity,
        &'static mut BodyLink,
        Has<ChildOf>,
    ),
    (With<Body>, Allow<Disabled>),
>;

/// Writes the bodies that the step moved, and those moved by calls since the step before.
pub(crate) fn show_moved(
    mut physics: ResMut<Physics>,
    mut bodies: Shown,
    mut sleep: Query<&mut SleepState, Allow<Disabled>>,
) {
    let physics = &mut *physics;
    let step = physics.world.step_index();
    physics.moving.clear();
    physics.moving.append(&mut physics.walked);
    let events = physics.world.events();
    for moved in events.moved() {
        let Some(entity) = physics.entities.bodies.get(moved.body.index(), moved.body) else {
            continue;
        };
        let Ok((mut transform, mut velocity, mut link, is_nested)) = bodies.get_mut(entity) else {
            continue;
        };
        let body = physics.world.body(moved.body).expect("a step destroys no bodies");
        // A character has moved on since the step, and is shown there already.
        if !physics.entities.kept.characters.contains_key(&link.key) {
            physics.moving.push(entity);
            link.step_to(moved.pose, step);
            if !is_nested {
                link.show(&mut transform, moved.pose, Frame::WORLD);
            }
        }
        let moves = (body.linear_velocity(), body.angular_velocity());
        link.written_velocity = moves;
        velocity.set_if_neq(Velocity {
            linear: moves.0,
            angular: moves.1,
        });
    }
    let frozen = events.frozen().iter().map(|frozen| frozen.user_key);
    let changed: Vec<u64> = frozen
        .chain(physics.world.changed_bodies().iter().copied())
        .collect();
    let of_key = changed
        .iter()
        .filter_map(|key| physics.entities.by_key.get(key).copied());
    let stale: Vec<Entity> = physics.stale.drain(..).chain(of_key).collect();
    for entity in stale {
        show_whole(physics, entity, &mut bodies, false);
    }
    let fell_asleep = physics
        .world
        .events()
        .fell_asleep()
        .iter()
        .map(|body| (body, true));
    let woke = physics.world.events().woke().iter().map(|body| (body, false));
    for (&body, _) in woke.chain(fell_asleep) {
        let Some(view) = physics.world.body(body) else {
            continue;
        };
        let entity = physics.entities.bodies.get(body.index(), body);
        if let Some(Ok(mut state)) = entity.map(|entity| sleep.get_mut(entity)) {
            state.set_if_neq(SleepState {
                asleep: !view.is_awake(),
            });
        }
    }
    // The record of changes by calls begins anew.
    physics.world.take_changed_bodies();
    physics.world.watch_bodies();
}

/// Writes all components of a body whose pose has changed, or of any body if `any` is true.
pub(crate) fn show_whole(physics: &Physics, entity: Entity, bodies: &mut Shown, any: bool) {
    let Some(body) = physics.body(entity) else {
        return;
    };
    let Ok((mut transform, mut velocity, mut link, is_nested)) = bodies.get_mut(entity) else {
        return;
    };
    let pose = body.pose();
    if any || link.now != pose {
        link.jump(pose);
        if !is_nested {
            link.show(&mut transform, pose, Frame::WORLD);
        }
    }
    if body.kind() != BodyKind::Static {
        let moves = (body.linear_velocity(), body.angular_velocity());
        link.written_velocity = moves;
        velocity.set_if_neq(Velocity {
            linear: moves.0,
            angular: moves.1,
        });
    }
}

/// Nested bodies, each with its depth, from the top down.
pub(crate) type Nested<'w, 's> = Query<'w, 's, Entity, (With<Body>, With<ChildOf>, Allow<Disabled>)>;

/// The Transforms from which the frames of nested bodies are computed, and which are written.
pub(crate) type Nodes<'w, 's> = Query<
    'w,
    's,
    (
        Option<&'static mut Transform>,
        Option<&'static ChildOf>,
        Option<&'static mut BodyLink>,
    ),
    Allow<Disabled>,
>;

/// Writes the Transforms of bodies that have parents, relative to these: those of all, since a parent may have moved.
pub(crate) fn show_nested(nested: Nested, mut nodes: Nodes) {
    write_nested(&nested, &mut nodes, true, |link| link.now);
}

/// Writes poses of the world to the Transforms of nested bodies. Transforms that the game wrote since are skipped
/// unless `all` is true.
fn write_nested(nested: &Nested, nodes: &mut Nodes, all: bool, pose: impl Fn(&BodyLink) -> Pose) {
    if nested.is_empty() {
        return;
    }
    let mut list: Vec<(usize, Entity)> = nested
        .iter()
        .map(|entity| (chain(nodes, entity).len(), entity))
        .collect();
    list.sort_unstable();
    for (_, entity) in list {
        let mut parent = Frame::WORLD;
        for above in chain(nodes, entity).into_iter().rev() {
            if let Ok((Some(transform), _, _)) = nodes.get(above) {
                parent = Frame::of(transform).within(parent);
            }
        }
        let Ok((Some(mut transform), _, Some(mut link))) = nodes.get_mut(entity) else {
            continue;
        };
        if link.id.is_none() || !all && !link.wrote(&transform) {
            continue;
        }
        if let Some(local) = parent.to_local(pose(&link)) {
            let was = (link.written, link.parent);
            link.show(transform.bypass_change_detection(), local, parent);
            if was != (link.written, link.parent) {
                transform.set_changed();
            }
        }
    }
}

/// The ancestors of an entity, nearest first.
fn chain(nodes: &Nodes, entity: Entity) -> Vec<Entity> {
    let mut above = Vec::new();
    let mut at = entity;
    while let Ok((_, Some(parent), _)) = nodes.get(at) {
        at = parent.parent();
        above.push(at);
        if above.len() > 1000 {
            break;
        }
    }
    above
}

/// Bodies without a parent.
type Unnested<'w, 's> = Query<
    'w,
    's,
    (&'static mut Transform, &'static mut BodyLink),
    (With<Body>, Without<ChildOf>, Allow<Disabled>),
>;

/// Writes poses of moving bodies interpolated between the step before and the last one.
pub(crate) fn draw(
    mut physics: ResMut<Physics>,
    time: Res<Time<Fixed>>,
    nested: Nested,
    mut drawn: ParamSet<(Unnested, Nodes)>,
) {
    if !physics.interpolates || physics.is_paused {
        return;
    }
    let (step, fraction) = (physics.world.step_index(), time.overstep_fraction());
    write_moving(&physics, &mut drawn.p0(), |link| link.drawn(step, fraction));
    write_nested(&nested, &mut drawn.p1(), false, |link| link.drawn(step, fraction));
    physics.is_drawn = true;
}

/// Writes the true poses of moving bodies before systems of the fixed schedules read them: what these see does not
/// depend on frames.
pub(crate) fn show_true(
    mut physics: ResMut<Physics>,
    nested: Nested,
    mut drawn: ParamSet<(Unnested, Nodes)>,
) {
    if core::mem::take(&mut physics.is_drawn) {
        write_moving(&physics, &mut drawn.p0(), |link| link.now);
        write_nested(&nested, &mut drawn.p1(), false, |link| link.now);
    }
}

/// Writes poses of moving bodies, except where the game has written another value since.
fn write_moving(physics: &Physics, bodies: &mut Unnested, pose: impl Fn(&BodyLink) -> Pose) {
    for &entity in &physics.moving {
        if let Ok((mut transform, mut link)) = bodies.get_mut(entity)
            && link.wrote(&transform)
        {
            let pose = pose(&link);
            link.show(&mut transform, pose, Frame::WORLD);
        }
    }
}
