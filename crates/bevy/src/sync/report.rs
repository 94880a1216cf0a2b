//! Writes the events of the step as messages, and triggers them for observers.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::event::EntityEvent;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Commands, Entity, Query, ResMut, With};
use bevy_ecs::query::Allow;
use bevy_ecs::system::SystemParam;
use tombolo_physics::{PhysicsWorld, ShapeId};

use crate::events::{
    FaultReason, ForceExceeded, Hit, JointExceeded, Observed, OfTwo, PhysicsFault, SensorEntered, SensorLeft,
    SleepChanged, TouchBegan, TouchEnded,
};
use crate::link::JointLink;
use crate::world::{Ends, Entities, Physics};

/// The writers of all messages.
#[derive(SystemParam)]
pub(crate) struct Writers<'w> {
    began: MessageWriter<'w, TouchBegan>,
    ended: MessageWriter<'w, TouchEnded>,
    hits: MessageWriter<'w, Hit>,
    forces: MessageWriter<'w, ForceExceeded>,
    entered: MessageWriter<'w, SensorEntered>,
    left: MessageWriter<'w, SensorLeft>,
    joints: MessageWriter<'w, JointExceeded>,
    sleep: MessageWriter<'w, SleepChanged>,
    faults: MessageWriter<'w, PhysicsFault>,
}

/// Entities that have observers' events triggered.
type Watched<'w, 's> = Query<'w, 's, (), (With<Observed>, Allow<Disabled>)>;

/// Writes the messages of a step and triggers events, in the order in which physics lists them.
pub(crate) fn report(
    mut physics: ResMut<Physics>,
    mut writers: Writers,
    watched: Watched,
    mut joints: Query<&mut JointLink, Allow<Disabled>>,
    mut commands: Commands,
) {
    let physics = &mut *physics;
    note_tiles(physics);
    let (world, entities) = (&physics.world, &physics.entities);
    let mut watched = Triggers {
        nobody: watched.is_empty(),
        watched: &watched,
        commands: commands.reborrow(),
    };
    touches(world, entities, &mut writers, &mut watched);
    visits(world, entities, &mut writers, &mut watched);
    for event in world.events().joint() {
        let Some(entity) = entities.joints.get(event.joint.index(), event.joint) else {
            continue;
        };
        let [Some(a), Some(b)] = event.bodies.map(|body| entities.bodies.get(body.index(), body)) else {
            continue;
        };
        if event.broke
            && let Ok(mut link) = joints.get_mut(entity)
        {
            (link.id, link.broke) = (None, true);
        }
        let exceeded = JointExceeded {
            entity,
            bodies: [a, b],
            force: event.force,
            torque: event.torque,
            broke: event.broke,
        };
        watched.tell(entity, exceeded);
        writers.joints.write(exceeded);
    }
    let woke = world.events().woke().iter().map(|body| (body, false));
    let fell_asleep = world.events().fell_asleep().iter().map(|body| (body, true));
    for (body, asleep) in woke.chain(fell_asleep) {
        if let Some(entity) = entities.bodies.get(body.index(), *body) {
            let changed = SleepChanged { entity, asleep };
            watched.tell(entity, changed);
            writers.sleep.write(changed);
        }
    }
    for frozen in world.events().frozen() {
        if let Some(entity) = entities.bodies.get(frozen.body.index(), frozen.body) {
            let reason = FaultReason::Frozen;
            writers.faults.write(PhysicsFault { entity, reason });
        }
    }
    for event in world.events().joint().iter().filter(|event| event.broke) {
        physics.entities.joints_by_key.remove(&event.user_key);
    }
    physics.entities.bodies.forget_replaced();
    physics.entities.shapes.forget_replaced();
    physics.entities.joints.forget_replaced();
}

/// Notes the entities of tiles that began to touch or to overlap: their ends may come after the tiles are gone.
fn note_tiles(physics: &mut Physics) {
    let Physics { world, entities, .. } = physics;
    if entities.kept.grids.is_empty() {
        return;
    }
    let events = world.events();
    let touches = events
        .begin_touch()
        .iter()
        .map(|touch| [touch.shape_a, touch.shape_b]);
    let visits = events.enter().iter().map(|visit| [visit.sensor, visit.visitor]);
    for shape in touches.chain(visits).flatten() {
        entities.note_tiles(world, shape);
    }
}

/// Triggers events for entities with [`Observed`].
struct Triggers<'a> {
    nobody: bool,
    watched: &'a Watched<'a, 'a>,
    commands: Commands<'a, 'a>,
}

impl Triggers<'_> {
    fn tell<'t, E: EntityEvent<Trigger<'t>: Default>>(&mut self, entity: Entity, event: E) {
        if !self.nobody && self.watched.contains(entity) {
            self.commands.trigger(event);
        }
    }

    /// Triggers an event of two on colliders and bodies; with the sides swapped for the second if `swaps` is true.
    fn tell_four<'t, E: OfTwo + EntityEvent<Trigger<'t>: Default>>(&mut self, event: E, swaps: bool) {
        if self.nobody {
            return;
        }
        let [collider, body, other_collider, other_body] = event.entities();
        let other = if swaps { event.swapped() } else { event };
        for (event, collider, body) in [(event, collider, body), (other, other_collider, other_body)] {
            self.tell(collider, event.told(collider));
            if body != collider {
                self.tell(body, event.told(body));
            }
        }
    }
}

/// The entities of two shapes; `None` if one of them never belonged to an entity.
fn ends(entities: &Entities, shapes: [ShapeId; 2]) -> Option<[Ends; 2]> {
    let [Some(a), Some(b)] = shapes.map(|shape| entities.shapes.get(shape.index(), shape)) else {
        return None;
    };
    Some([a, b])
}

/// Makes an event of two colliders.
macro_rules! event {
    ($name:ident, $ends:expr $(, $field:ident: $value:expr)*) => {{
        let [a, b]: [Ends; 2] = $ends;
        $name {
            entity: a.collider,
            collider: a.collider,
            body: a.body,
            other_collider: b.collider,
            other_body: b.body,
            $( $field: $value, )*
        }
    }};
}

/// Reports touches, hits and forces.
fn touches(world: &PhysicsWorld, entities: &Entities, writers: &mut Writers, triggers: &mut Triggers) {
    let events = world.events();
    for touch in events.begin_touch() {
        if let Some(ends) = ends(entities, [touch.shape_a, touch.shape_b]) {
            let began = event!(TouchBegan, ends, contact: touch.contact);
            triggers.tell_four(began, true);
            writers.began.write(began);
        }
    }
    for touch in events.end_touch() {
        if let Some(ends) = ends(entities, [touch.shape_a, touch.shape_b]) {
            let ended = event!(TouchEnded, ends, contact: touch.contact);
            triggers.tell_four(ended, true);
            writers.ended.write(ended);
        }
    }
    for hit in events.hit() {
        if let Some(ends) = ends(entities, [hit.shape_a, hit.shape_b]) {
            let hit = event!(Hit, ends, point: hit.point.to_vec2(), normal: hit.normal,
                approach_speed: hit.approach_speed, impulse: hit.impulse);
            triggers.tell_four(hit, true);
            writers.hits.write(hit);
        }
    }
    for force in events.force() {
        if let Some(ends) = ends(entities, [force.shape_a, force.shape_b]) {
            let exceeded = event!(ForceExceeded, ends, point: force.point.to_vec2(), normal: force.normal,
                force: force.force);
            triggers.tell_four(exceeded, true);
            writers.forces.write(exceeded);
        }
    }
}

/// Reports overlaps with sensors that began and ended.
fn visits(world: &PhysicsWorld, entities: &Entities, writers: &mut Writers, triggers: &mut Triggers) {
    for visit in world.events().enter() {
        if let Some(ends) = ends(entities, [visit.sensor, visit.visitor]) {
            let entered = event!(SensorEntered, ends);
            triggers.tell_four(entered, false);
            writers.entered.write(entered);
        }
    }
    for visit in world.events().leave() {
        if let Some(ends) = ends(entities, [visit.sensor, visit.visitor]) {
            let left = event!(SensorLeft, ends);
            triggers.tell_four(left, false);
            writers.left.write(left);
        }
    }
}
