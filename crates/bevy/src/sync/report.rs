//! Writes the events of the step as messages, and triggers them for observers.

use std::collections::BTreeSet;

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::event::EntityEvent;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Commands, Entity, Query, ResMut, With};
use bevy_ecs::query::Allow;
use bevy_ecs::system::SystemParam;
use tombolo_physics::{BodyId, PhysicsWorld, ShapeId};

use crate::events::{
    BodyCut, CharacterTouch, CharacterTouchBegan, CharacterTouchEnded, ColliderEvent, FaultReason,
    ForceExceeded, Hit, JointExceeded, Observed, PhysicsFault, PieceVanished, RigidWeldExceeded,
    SensorEntered, SensorLeft, SleepChanged, TouchBegan, TouchEnded,
};
use crate::link::JointLink;
use crate::slots::ShapeEntities;
use crate::world::{Entities, Physics};

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
    cuts: MessageWriter<'w, BodyCut>,
    vanished: MessageWriter<'w, PieceVanished>,
    welds: MessageWriter<'w, RigidWeldExceeded>,
    character_began: MessageWriter<'w, CharacterTouchBegan>,
    character_ended: MessageWriter<'w, CharacterTouchEnded>,
    faults: MessageWriter<'w, PhysicsFault>,
}

/// Entities that have observers' events triggered.
type ObservedEntities<'w, 's> = Query<'w, 's, (), (With<Observed>, Allow<Disabled>)>;

/// Writes the messages of a step and triggers events, in the order in which physics lists them.
pub(crate) fn report(
    mut physics: ResMut<Physics>,
    mut writers: Writers,
    observed: ObservedEntities,
    mut joints: Query<&mut JointLink, Allow<Disabled>>,
    mut commands: Commands,
) {
    let physics = &mut *physics;
    note_tiles(physics);
    let (world, entities) = (&physics.world, &physics.entities);
    let mut observed = Triggers {
        none_observed: observed.is_empty(),
        observed: &observed,
        commands: commands.reborrow(),
    };
    touches(world, entities, &mut writers, &mut observed);
    visits(world, entities, &mut writers, &mut observed);
    characters(&physics.character_touches, &mut writers, &mut observed);
    pieces(world, entities, &mut writers, &mut observed);
    for event in world.events().joint() {
        let Some(entity) = entities.joints.get(event.joint.index(), event.joint) else {
            continue;
        };
        if event.broke
            && let Ok(mut link) = joints.get_mut(entity)
        {
            (link.id, link.has_broken) = (None, true);
        }
        // A cut may have given one end to a piece, which belongs to no entity.
        let [Some(a), Some(b)] = event.bodies.map(|body| entities.bodies.get(body.index(), body)) else {
            continue;
        };
        let exceeded = JointExceeded {
            entity,
            bodies: [a, b],
            force: event.force,
            torque: event.torque,
            broke: event.broke,
        };
        observed.trigger_for(entity, exceeded);
        writers.joints.write(exceeded);
    }
    let woke = world.events().woke().iter().map(|body| (body, false));
    let fell_asleep = world.events().fell_asleep().iter().map(|body| (body, true));
    for (body, asleep) in woke.chain(fell_asleep) {
        if let Some(entity) = entities.bodies.get(body.index(), *body) {
            let changed = SleepChanged { entity, asleep };
            observed.trigger_for(entity, changed);
            writers.sleep.write(changed);
        }
    }
    for frozen in world.events().frozen() {
        if let Some(entity) = entities.bodies.get(frozen.body.index(), frozen.body) {
            let reason = FaultReason::Frozen;
            writers.faults.write(PhysicsFault { entity, reason });
        }
    }
    physics.character_touches.clear();
    note_broken_joints(physics);
    let entities = &mut physics.entities;
    entities.bodies.forget_replaced();
    entities.shapes.forget_replaced();
    entities.departed.clear();
    entities.joints.forget_replaced();
}

/// Takes the joints that broke from the record, and notes their keys.
fn note_broken_joints(physics: &mut Physics) {
    let Physics { world, entities, .. } = physics;
    for event in world.events().joint().iter().filter(|event| event.broke) {
        // A joint of a call may have the same user key.
        if entities.saved.joint_ids.get(event.user_key) == Some(event.joint) {
            entities.remove_joint(event.user_key);
            entities.saved.broken_joints.set(event.user_key, ());
        }
    }
}

/// Notes the entities of tiles that began to touch or to overlap: their ends may come after the tiles are gone.
fn note_tiles(physics: &mut Physics) {
    let Physics { world, entities, .. } = physics;
    if entities.saved.grids.is_empty() {
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
    none_observed: bool,
    observed: &'a ObservedEntities<'a, 'a>,
    commands: Commands<'a, 'a>,
}

impl Triggers<'_> {
    fn trigger_for<'t, E: EntityEvent<Trigger<'t>: Default>>(&mut self, entity: Entity, event: E) {
        if !self.none_observed && self.observed.contains(entity) {
            self.commands.trigger(event);
        }
    }

    /// Triggers an event of two on colliders and bodies; with the sides swapped for the second if `swaps` is true.
    fn trigger_for_all<'t, E: ColliderEvent + EntityEvent<Trigger<'t>: Default>>(
        &mut self,
        event: E,
        swaps: bool,
    ) {
        if self.none_observed {
            return;
        }
        let [collider, body, other_collider, other_body] = event.entities();
        let other = if swaps { event.swapped() } else { event };
        for (event, collider, body) in [(event, collider, body), (other, other_collider, other_body)] {
            self.trigger_for(collider, event.with_target(collider));
            if body != collider {
                self.trigger_for(body, event.with_target(body));
            }
        }
    }
}

/// The entities of two shapes; `None` if one of them belongs to no entity.
fn entities_of(entities: &Entities, shapes: [ShapeId; 2]) -> Option<[ShapeEntities; 2]> {
    let [Some(a), Some(b)] = shapes.map(|shape| entities.shapes.get(shape.index(), shape)) else {
        return None;
    };
    Some([a, b])
}

/// Likewise of two shapes whose touch or overlap has ended: cuts may have taken them from their entities since it began.
fn entities_until_now(entities: &Entities, shapes: [ShapeId; 2]) -> Option<[ShapeEntities; 2]> {
    let ends = shapes.map(|shape| {
        let now = entities.shapes.get(shape.index(), shape);
        now.or_else(|| entities.departed.get(shape))
    });
    let [Some(a), Some(b)] = ends else {
        return None;
    };
    Some([a, b])
}

/// The sensors and visitors whose overlaps go on, but one of which a cut has taken from its entity since they began.
fn overlaps_of_departed(world: &PhysicsWorld, entities: &Entities) -> Vec<[ShapeId; 2]> {
    let departed = &entities.departed;
    if departed.is_empty() {
        return Vec::new();
    }
    let began = world.events().enter().iter();
    let began: BTreeSet<[ShapeId; 2]> = began.map(|visit| [visit.sensor, visit.visitor]).collect();
    let all = world.shapes().flat_map(|sensor| {
        let visitors = sensor.visitors();
        visitors.map(move |visitor| [sensor.id(), visitor.id()])
    });
    let is_of_departed = |pair: &[ShapeId; 2]| pair.iter().any(|shape| departed.get(*shape).is_some());
    all.filter(|pair| is_of_departed(pair) && !began.contains(pair))
        .collect()
}

/// Makes an event of two colliders.
macro_rules! event {
    ($name:ident, $pair:expr $(, $field:ident: $value:expr)*) => {{
        let [a, b]: [ShapeEntities; 2] = $pair;
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
        if let Some(pair) = entities_of(entities, [touch.shape_a, touch.shape_b]) {
            let began = event!(TouchBegan, pair, contact: touch.contact);
            triggers.trigger_for_all(began, true);
            writers.began.write(began);
        }
    }
    for touch in events.end_touch() {
        if let Some(pair) = entities_until_now(entities, [touch.shape_a, touch.shape_b]) {
            let ended = event!(TouchEnded, pair, contact: touch.contact);
            triggers.trigger_for_all(ended, true);
            writers.ended.write(ended);
        }
    }
    for hit in events.hit() {
        if let Some(pair) = entities_of(entities, [hit.shape_a, hit.shape_b]) {
            let hit = event!(Hit, pair, point: hit.point.to_vec2(), normal: hit.normal,
                approach_speed: hit.approach_speed, impulse: hit.impulse);
            triggers.trigger_for_all(hit, true);
            writers.hits.write(hit);
        }
    }
    for force in events.force() {
        if let Some(pair) = entities_of(entities, [force.shape_a, force.shape_b]) {
            let exceeded = event!(ForceExceeded, pair, point: force.point.to_vec2(), normal: force.normal,
                force: force.force);
            triggers.trigger_for_all(exceeded, true);
            writers.forces.write(exceeded);
        }
    }
}

/// Reports what characters began and ceased to touch.
fn characters(touches: &[CharacterTouch], writers: &mut Writers, triggers: &mut Triggers) {
    for touch in touches {
        match *touch {
            CharacterTouch::Began(began) => {
                triggers.trigger_for(began.entity, began);
                writers.character_began.write(began);
            }
            CharacterTouch::Ended(ended) => {
                triggers.trigger_for(ended.entity, ended);
                writers.character_ended.write(ended);
            }
        }
    }
}

/// Reports loads of rigid welds, and the pieces that have separated and vanished from bodies of entities.
fn pieces(world: &PhysicsWorld, entities: &Entities, writers: &mut Writers, triggers: &mut Triggers) {
    let entity = |body: BodyId| entities.bodies.get(body.index(), body);
    for event in world.events().rigid_weld() {
        if let Some(entity) = entity(event.body) {
            let exceeded = RigidWeldExceeded {
                entity,
                weld: event.weld,
                user_key: event.user_key,
                force: event.force,
                torque: event.torque,
                broke: event.broke,
            };
            triggers.trigger_for(entity, exceeded);
            writers.welds.write(exceeded);
        }
    }
    for event in world.events().cut() {
        if let Some(entity) = entity(event.body) {
            let cut = BodyCut {
                entity,
                piece: event.piece,
                debris: event.debris,
            };
            triggers.trigger_for(entity, cut);
            writers.cuts.write(cut);
        }
    }
    for event in world.events().vanished() {
        if let Some(entity) = entity(event.body) {
            let vanished = PieceVanished {
                entity,
                area: event.area,
                mass: event.mass,
                center: event.center.to_vec2(),
                velocity: event.velocity,
            };
            triggers.trigger_for(entity, vanished);
            writers.vanished.write(vanished);
        }
    }
}

/// Reports overlaps with sensors that began and ended.
fn visits(world: &PhysicsWorld, entities: &Entities, writers: &mut Writers, triggers: &mut Triggers) {
    for visit in world.events().enter() {
        if let Some(pair) = entities_of(entities, [visit.sensor, visit.visitor]) {
            let entered = event!(SensorEntered, pair);
            triggers.trigger_for_all(entered, false);
            writers.entered.write(entered);
        }
    }
    let ended = world.events().leave().iter();
    let ended = ended.map(|visit| [visit.sensor, visit.visitor]);
    for shapes in ended.chain(overlaps_of_departed(world, entities)) {
        if let Some(pair) = entities_until_now(entities, shapes) {
            let left = event!(SensorLeft, pair);
            triggers.trigger_for_all(left, false);
            writers.left.write(left);
        }
    }
}
