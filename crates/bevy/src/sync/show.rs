//! Writes poses, velocities and sleep to the components of bodies, and interpolated poses between two steps.

use std::collections::BTreeMap;

use bevy_ecs::change_detection::{ContiguousMut, DetectChanges, DetectChangesMut};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::{Entity, Mut, ParamSet, Query, Res, ResMut, With, Without};
use bevy_ecs::query::{Allow, Has};
use bevy_ecs::system::SystemChangeTick;
use bevy_tasks::ComputeTaskPool;
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use tombolo_physics::{BodyId, BodyKind, MoveEvent, PhysicsWorld, Pose};

use super::hierarchy::DEPTH_MAX;
use crate::body::{Body, SleepState, Velocity};
use crate::link::BodyLink;
use crate::own_writes::{Column, IN_TABLES, Known, write};
use crate::planar::Frame;
use crate::saved_state::SavedCharacter;
use crate::world::{Physics, Touched};

/// The components that are written for a body.
pub(crate) type Shown<'w, 's> = Query<
    'w,
    's,
    (
        &'static mut Transform,
        &'static mut Velocity,
        &'static mut BodyLink,
        Has<ChildOf>,
        Has<Disabled>,
    ),
    With<Body>,
>;

/// The same of a table.
type ShownTable<'a> = (
    ContiguousMut<'a, Transform>,
    ContiguousMut<'a, Velocity>,
    ContiguousMut<'a, BodyLink>,
    bool,
    bool,
);

/// If at least one in so many bodies is to be written, all are asked, table by table: to find one by its entity costs as
/// much as to ask so many.
const ASKED_FOR_ONE: usize = 4;

/// So many bodies are asked on all of Bevy's compute threads; to divide fewer costs more than it saves.
const DIVIDED_FROM: usize = 2048;

/// A longer record of the bodies that calls have changed is not kept between two steps.
const RECORD_MAX: usize = 1024;

/// Whether all bodies are asked to write so many.
fn asks_all(physics: &Physics, count: usize) -> bool {
    count * ASKED_FOR_ONE >= physics.entities.ids.len()
}

/// Calls a function with parts of the tables of a query, in any order.
macro_rules! each_table {
    ($query:expr, $count:expr, $call:expr) => {
        // An app without threads for computing has no pool of them.
        if $count >= DIVIDED_FROM && ComputeTaskPool::try_get().is_some() {
            $query.contiguous_par_iter_mut().expect(IN_TABLES).for_each($call);
        } else {
            $query.contiguous_iter_mut().expect(IN_TABLES).for_each($call);
        }
    };
}

/// Writes the bodies that the step moved, and those moved by calls since the step before.
pub(crate) fn show_moved(
    run: SystemChangeTick,
    mut physics: ResMut<Physics>,
    mut bodies: Shown,
    mut sleep: Query<&mut SleepState, Allow<Disabled>>,
) {
    let physics = &mut *physics;
    physics.own.shown = Some(run.this_run());
    let own = physics.own.known(run.this_run());
    show_teleported(physics, own, &mut bodies);
    show_stepped(physics, own, &mut bodies);
    // The record of changes by calls begins anew.
    physics.note_changes();
    let changed = core::mem::take(&mut physics.changed);
    let events = physics.world.events();
    let frozen = events.frozen().iter().map(|frozen| frozen.user_key);
    let changed: Vec<u64> = frozen.chain(changed).collect();
    let of_key = changed
        .iter()
        .filter_map(|key| physics.entities.by_key.get(key).copied());
    let stale: Vec<Entity> = physics.stale.drain(..).chain(of_key).collect();
    for entity in stale {
        show_whole(physics, own, entity, &mut bodies, false);
    }
    show_sleep(physics, &mut sleep);
}

/// Writes the bodies that the step moved.
fn show_stepped(physics: &mut Physics, own: Known, bodies: &mut Shown) {
    let moved = physics.world.events().moved();
    let has_others = asks_all(physics, moved.len());
    physics.moving.clear();
    physics.moving.has_others = has_others;
    physics.moving.listed.append(&mut physics.moved_characters);
    let Physics {
        world,
        entities,
        moving,
        places,
        ..
    } = physics;
    let (world, moved) = (&*world, world.events().moved());
    let characters = &entities.saved.characters;
    let stepped = Stepped {
        world,
        step: world.step_index(),
        characters: (!characters.is_empty()).then_some(characters),
        own,
    };
    if !has_others {
        for moved in moved {
            if let Some(entity) = entities.bodies.get(moved.body.index(), moved.body)
                && let Ok(body) = bodies.get_mut(entity)
                && stepped.show(moved, body.0, body.1, body.2, body.3)
            {
                moving.listed.push(entity);
            }
        }
        return;
    }
    let highest = moved.iter().map(|moved| moved.body.index()).max();
    let count = highest.map_or(0, |highest| highest as usize + 1);
    places.resize(count.max(places.len()), 0);
    for (place, moved) in (1..).zip(moved) {
        places[moved.body.index() as usize] = place;
    }
    each_table!(bodies, entities.ids.len(), |table: ShownTable<'_>| {
        stepped.show_table(table, moved, places);
    });
    for moved in moved {
        places[moved.body.index() as usize] = 0;
    }
}

/// Writes the pose of a body without a parent.
fn show(own: Known, transform: &mut Mut<'_, Transform>, link: &mut BodyLink, pose: Pose) {
    let is_own = own.has(transform.last_changed());
    write(transform, is_own, |transform| link.show_in_world(transform, pose));
}

/// The world after a step.
struct Stepped<'a> {
    world: &'a PhysicsWorld,
    step: u64,
    /// `None` if there are none.
    characters: Option<&'a BTreeMap<u64, SavedCharacter>>,
    own: Known,
}

impl Stepped<'_> {
    /// Writes a body that the step moved. Returns whether its pose is written: a character has moved on since the step, and
    /// is shown there already.
    fn show(
        &self,
        moved: &MoveEvent,
        mut transform: Mut<'_, Transform>,
        mut velocity: Mut<'_, Velocity>,
        mut link: Mut<'_, BodyLink>,
        is_nested: bool,
    ) -> bool {
        let body = self.world.body(moved.body).expect("a step destroys no bodies");
        let is_character = |characters: &BTreeMap<u64, SavedCharacter>| characters.contains_key(&link.key);
        let is_shown = !self.characters.is_some_and(is_character);
        if is_shown {
            link.step_to(moved.pose, self.step);
            if !is_nested {
                show(self.own, &mut transform, &mut link, moved.pose);
            }
        }
        link.written_velocity = (body.linear_velocity(), body.angular_velocity());
        velocity.set_if_neq(Velocity {
            linear: link.written_velocity.0,
            angular: link.written_velocity.1,
        });
        is_shown
    }

    /// Writes the bodies of a table that the step moved; `places` has those in the list of moved bodies, plus one, by index.
    fn show_table(&self, table: ShownTable<'_>, moved: &[MoveEvent], places: &[u32]) {
        let (transforms, velocities, links, is_nested, _) = table;
        let mut transforms = Column::new(transforms);
        let mut velocities = Column::new(velocities);
        let mut links = Column::new(links);
        for row in 0..transforms.len() {
            let link = links.get(row);
            let place = |id: BodyId| places.get(id.index() as usize).copied();
            let place = link.id.and_then(place).unwrap_or(0);
            if let Some(moved) = (place as usize).checked_sub(1).map(|at| &moved[at])
                && link.id == Some(moved.body)
            {
                self.show(moved, transforms.get(row), velocities.get(row), link, is_nested);
            }
        }
    }
}

/// Writes whether bodies sleep, of those that fell asleep or woke.
fn show_sleep(physics: &Physics, sleep: &mut Query<&mut SleepState, Allow<Disabled>>) {
    let events = physics.world.events();
    for &body in events.woke().iter().chain(events.fell_asleep()) {
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
}

/// Writes the poses that calls gave to bodies before the step, from which interpolation begins.
fn show_teleported(physics: &mut Physics, own: Known, bodies: &mut Shown) {
    for (entity, pose) in physics.teleported.drain(..) {
        if let Ok((mut transform, _, mut link, is_nested, _)) = bodies.get_mut(entity)
            && link.now != pose
        {
            link.jump(pose);
            if !is_nested {
                show(own, &mut transform, &mut link, pose);
            }
        }
    }
}

/// Writes all components of a body whose pose has changed, or of any body if `any` is true.
pub(crate) fn show_whole(physics: &Physics, own: Known, entity: Entity, bodies: &mut Shown, any: bool) {
    let Some(body) = physics.body(entity) else {
        return;
    };
    let Ok((mut transform, mut velocity, mut link, is_nested, _)) = bodies.get_mut(entity) else {
        return;
    };
    let pose = body.pose();
    if any || link.now != pose {
        link.jump(pose);
        if !is_nested {
            show(own, &mut transform, &mut link, pose);
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

/// Bodies with a parent.
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
    for (above, entity) in parents_first(&nested, &nodes) {
        let parent = composed(&nodes, &above, |transform, _| Frame::of(transform));
        let Ok((Some(mut transform), _, Some(mut link))) = nodes.get_mut(entity) else {
            continue;
        };
        if link.id.is_none() {
            continue;
        }
        if let Some(local) = parent.to_local(link.now) {
            let was = (link.written, link.parent);
            link.show(transform.bypass_change_detection(), local, parent);
            if was != (link.written, link.parent) {
                transform.set_changed();
            }
        }
    }
}

/// Nested bodies with their ancestors, nearest first; those with fewer ancestors before those with more.
fn parents_first(nested: &Nested, nodes: &Nodes) -> Vec<(Vec<Entity>, Entity)> {
    let mut list: Vec<(Vec<Entity>, Entity)> = nested
        .iter()
        .map(|entity| (ancestors(nodes, entity), entity))
        .collect();
    list.sort_unstable_by_key(|(above, entity)| (above.len(), *entity));
    list
}

/// The ancestors of an entity, nearest first.
fn ancestors(nodes: &Nodes, entity: Entity) -> Vec<Entity> {
    let parent = |entity: Entity| nodes.get(entity).ok()?.1.map(ChildOf::parent);
    core::iter::successors(parent(entity), |&above| parent(above))
        .take(DEPTH_MAX)
        .collect()
}

/// The frame that ancestors, nearest first, make together.
fn composed(
    nodes: &Nodes,
    above: &[Entity],
    frame: impl Fn(&Transform, Option<&BodyLink>) -> Frame,
) -> Frame {
    Frame::composed(above.iter().map(|&above| match nodes.get(above) {
        Ok((Some(transform), _, link)) => frame(transform, link),
        _ => Frame::WORLD,
    }))
}

/// Bodies without a parent.
type Unnested<'w, 's> = Query<
    'w,
    's,
    (&'static mut Transform, &'static mut BodyLink, Has<Disabled>),
    (With<Body>, Without<ChildOf>),
>;

/// The Transforms and links of a table.
type LinkedTable<'a> = (ContiguousMut<'a, Transform>, ContiguousMut<'a, BodyLink>, bool);

/// Writes poses of moving bodies interpolated between the step before and the last one.
///
/// A body is left as it is if the game wrote its Transform since the last step, or moved an entity above it, or gave it
/// another parent: the next step teleports it.
pub(crate) fn draw(
    run: SystemChangeTick,
    mut physics: ResMut<Physics>,
    time: Res<Time<Fixed>>,
    nested: Nested,
    mut bodies: ParamSet<(Unnested, Nodes)>,
) {
    // In a pause of the clock no step takes it over.
    if physics.world.changed_bodies().len() > RECORD_MAX {
        physics.note_changes();
    }
    if !physics.interpolates || physics.is_paused {
        return;
    }
    physics.own.draws(run.this_run());
    let own = physics.own.known(run.this_run());
    let (step, fraction) = (physics.world.step_index(), time.overstep_fraction());
    let Physics {
        moving,
        drawn,
        entities,
        ..
    } = &mut *physics;
    let draw_one = |transform: &mut Mut<'_, Transform>, link: &mut BodyLink| {
        let is_own = own.has(transform.last_changed());
        if !link.is_within && (is_own || link.wrote(transform)) {
            let pose = link.drawn(step, fraction);
            write(transform, is_own, |transform| link.draw(transform, pose));
        }
    };
    let mut unnested = bodies.p0();
    if moving.has_others {
        drawn.has_others = true;
        each_table!(unnested, entities.ids.len(), |table: LinkedTable<'_>| {
            let (mut transforms, mut links) = (Column::new(table.0), Column::new(table.1));
            for row in 0..transforms.len() {
                let mut link = links.get(row);
                if link.moved_at == step {
                    draw_one(&mut transforms.get(row), &mut link);
                }
            }
        });
    } else {
        for &entity in &moving.listed {
            let Ok((mut transform, mut link, _)) = unnested.get_mut(entity) else {
                continue;
            };
            let was_drawn = link.is_drawn();
            draw_one(&mut transform, &mut link);
            if link.is_drawn() && !was_drawn {
                drawn.listed.push(entity);
            }
        }
    }
    draw_nested(&nested, &mut bodies.p1(), drawn, |link| {
        link.drawn(step, fraction)
    });
}

/// Writes interpolated poses to the Transforms of nested bodies, relative to their parents as these are drawn.
fn draw_nested(nested: &Nested, nodes: &mut Nodes, drawn: &mut Touched, pose: impl Fn(&BodyLink) -> Pose) {
    for (above, entity) in parents_first(nested, nodes) {
        let parent = composed(nodes, &above, |transform, _| Frame::of(transform));
        let true_parent = composed(nodes, &above, |transform, link| {
            link.map_or_else(|| Frame::of(transform), |link| link.true_frame(transform))
        });
        let Ok((Some(mut transform), _, Some(mut link))) = nodes.get_mut(entity) else {
            continue;
        };
        if link.id.is_none() || !link.wrote(&transform) || link.parent != true_parent {
            continue;
        }
        if let Some(local) = parent.to_local(pose(&link)) {
            let (was, was_drawn) = (link.written, link.is_drawn());
            link.draw(transform.bypass_change_detection(), local);
            if link.is_drawn() && !was_drawn {
                drawn.listed.push(entity);
            }
            if was != link.written {
                transform.set_changed();
            }
        }
    }
}

/// Takes interpolation back before systems of the fixed schedules read Transforms: what these see does not depend on
/// frames. Positions and rotations that the game has written since stay as they are.
pub(crate) fn show_true(
    run: SystemChangeTick,
    mut physics: ResMut<Physics>,
    mut bodies: Query<(&mut Transform, &mut BodyLink, Has<Disabled>)>,
) {
    physics.own.restored = Some(run.this_run());
    let (own, last_drawn) = (physics.own.known(run.this_run()), physics.own.drawn[0]);
    let Physics { drawn, entities, .. } = &mut *physics;
    let restore = |transform: &mut Mut<'_, Transform>, link: &mut BodyLink| {
        let is_own = own.has(transform.last_changed());
        write(transform, is_own, |transform| link.restore(transform, is_own));
    };
    if drawn.has_others {
        each_table!(bodies, entities.ids.len(), |table: LinkedTable<'_>| {
            let (mut transforms, mut links) = (Column::new(table.0), Column::new(table.1));
            for row in 0..transforms.len() {
                let (mut transform, mut link) = (transforms.get(row), links.get(row));
                // One that was just drawn may be where it would be without.
                if last_drawn == Some(transform.last_changed()) || link.is_drawn() {
                    restore(&mut transform, &mut link);
                }
            }
        });
    } else {
        for &entity in &drawn.listed {
            if let Ok((mut transform, mut link, _)) = bodies.get_mut(entity) {
                restore(&mut transform, &mut link);
            }
        }
    }
    drawn.clear();
}
