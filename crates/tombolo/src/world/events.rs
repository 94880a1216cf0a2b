//! The stage `events`: publishes the events of a step by entity. Physics reports shapes, which may no longer exist by
//! then; so the shapes that were destroyed since the last step are stored with their entities until then, and saved.
//!
//! Order: spawns and ends of entities in the order of the calls; then, each in physics' order, begins of touch, ends
//! of touch, hits, forces, entries into sensors, exits from them, strained and broken joints, then rigid welds; then
//! entries into zones, exits from them; then shapes that characters began to touch, and those that they no longer
//! touch. Ends and exits of two entities between whom something of the kind begins anew in the same step, as by a
//! teleport, come before these begins ([`publish_pairs`]).

use alloc::vec::Vec;

use tombolo_entity::{DataError, Dense, Entity, EntitySystem, InstanceId, NameHash, Reader, Writer};
use tombolo_geometry::{Position, Vec2};
use tombolo_physics::{
    Events, ForceEvent, HitEvent, JointEvent, PhysicsWorld, RigidWeldEvent, ShapeId, TouchEvent, VisitEvent,
};

use crate::component::{JOINT, Joint, RIGID_WELD, RigidWeld};

/// Two shapes of two entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// One entity. It may have ended in the same step.
    pub a: Entity,
    /// The other.
    pub b: Entity,
    /// The shape of `a`.
    pub shape_a: ShapeId,
    /// The shape of `b`.
    pub shape_b: ShapeId,
}

impl Touch {
    /// The two entities, in an order of their own.
    fn pair(&self) -> [Entity; 2] {
        [self.a.min(self.b), self.a.max(self.b)]
    }
}

/// A shape and a sensor of two entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The entity with the sensor. It may have ended in the same step.
    pub trigger: Entity,
    /// The entity that entered or left.
    pub visitor: Entity,
    /// The sensor.
    pub sensor: ShapeId,
    /// The visitor's shape.
    pub shape: ShapeId,
}

/// The load of a joint or rigid weld of an entity that exceeded a threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strain {
    /// The entity with the joint or weld.
    pub entity: Entity,
    /// The name of the component.
    pub component: NameHash,
    /// The force in newtons on `from`, for a weld on the entity, averaged over the step.
    pub force: Vec2,
    /// The torque in newton meters likewise, about the joint's or weld's point.
    pub torque: f32,
}

/// A zone and an entity that entered or left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneVisit {
    /// The entity with the zone. It may have ended in the same step.
    pub zone: Entity,
    /// The name of the zone component.
    pub component: NameHash,
    /// The entity that entered or left.
    pub visitor: Entity,
}

/// A character and a shape that it touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The entity with the character.
    pub character: Entity,
    /// The entity of the touched shape. It may have ended in the same step.
    pub other: Entity,
    /// The touched shape.
    pub shape: ShapeId,
}

/// An event of entities.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// An entity was spawned, complete with its components.
    Spawned(Entity),
    /// An entity ended.
    Despawned(Entity),
    /// Two shapes began to touch.
    BeginTouch(Touch),
    /// Two shapes no longer touch. Every begin has one end, also if an entity ends.
    EndTouch(Touch),
    /// Two shapes hit each other hard; for colliders with `hit_events`.
    Hit {
        /// The entities and their shapes.
        touch: Touch,
        /// The point of contact.
        point: Position,
        /// The normal, from the first to the second.
        normal: Vec2,
        /// The approach speed along the normal, in meters per second.
        approach_speed: f32,
        /// The impulse along the normal, in newton seconds.
        impulse: f32,
    },
    /// The force of a touch, averaged over the step, exceeded a threshold; for colliders with a `force_threshold`.
    Force {
        /// The entities and their shapes.
        touch: Touch,
        /// The point of contact.
        point: Position,
        /// The normal, from the first to the second.
        normal: Vec2,
        /// The force along the normal, in newtons.
        force: f32,
        /// The impulse along the normal, in newton seconds.
        impulse: f32,
    },
    /// A shape entered a sensor.
    Enter(Visit),
    /// A shape left a sensor. Every entry has one exit, also if an entity ends.
    Leave(Visit),
    /// The load of a joint or rigid weld exceeded a threshold; it still holds.
    Strain(Strain),
    /// The load of a joint or rigid weld exceeded a threshold and broke it: it holds nothing any more, and its
    /// property `broken` is true. Entities that only it connected have bodies of their own.
    Break(Strain),
    /// An entity is in a [zone](crate::component::Zone) and was not after the step before.
    EnterZone(ZoneVisit),
    /// An entity is no longer in a zone. Every entry has one exit, also if one of the two entities ends.
    LeaveZone(ZoneVisit),
    /// A [character](crate::component::Character) touches a shape that it did not touch after the step before.
    Meet(Meeting),
    /// A character no longer touches a shape. A character that ends has no such events.
    Part(Meeting),
}

/// The pending events, and those that were published last.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntityEvents {
    /// The events of the last step. Not part of the state.
    pub(super) published: Vec<Event>,
    /// Spawns (true) and ends (false) of entities since the last step, in the order of the calls.
    pending: Vec<(bool, Entity)>,
    /// Shapes that were destroyed since the last step, with their entities; sorted when they are looked up.
    gone: Vec<(ShapeId, Entity)>,
    /// Entries into zones; only within a step.
    zone_enters: Vec<ZoneVisit>,
    /// Exits from zones since the last step.
    zone_leaves: Vec<ZoneVisit>,
    /// Shapes that characters began or ceased to touch; only within a step.
    met: Vec<Meeting>,
    parted: Vec<Meeting>,
}

impl EntityEvents {
    /// A copy without the published events, which are no part of the state.
    pub(crate) fn unpublished(&self) -> Self {
        Self {
            published: Vec::new(),
            pending: self.pending.clone(),
            gone: self.gone.clone(),
            zone_enters: self.zone_enters.clone(),
            zone_leaves: self.zone_leaves.clone(),
            met: self.met.clone(),
            parted: self.parted.clone(),
        }
    }

    pub(crate) fn spawned(&mut self, entity: Entity) {
        self.pending.push((true, entity));
    }

    pub(crate) fn ended(&mut self, entity: Entity) {
        self.pending.push((false, entity));
    }

    pub(crate) fn gone(&mut self, shape: ShapeId, entity: Entity) {
        self.gone.push((shape, entity));
    }

    pub(crate) fn entered_zone(&mut self, visit: ZoneVisit) {
        self.zone_enters.push(visit);
    }

    pub(crate) fn left_zone(&mut self, visit: ZoneVisit) {
        self.zone_leaves.push(visit);
    }

    pub(crate) fn met(&mut self, meeting: Meeting) {
        self.met.push(meeting);
    }

    pub(crate) fn parted(&mut self, meeting: Meeting) {
        self.parted.push(meeting);
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        out.length(self.pending.len());
        for (came, entity) in &self.pending {
            out.flag(*came);
            out.entity(Some(*entity));
        }
        out.length(self.gone.len());
        for (shape, entity) in &self.gone {
            out.u64(shape.to_bits());
            out.entity(Some(*entity));
        }
        out.length(self.zone_leaves.len());
        for visit in &self.zone_leaves {
            out.entity(Some(visit.zone));
            out.u32(visit.component.to_bits());
            out.entity(Some(visit.visitor));
        }
    }

    /// Restores saved events; `has_lived` says which entities can have events.
    pub(crate) fn restore(
        from: &mut Reader<'_>,
        has_lived: impl Fn(Entity) -> bool,
    ) -> Result<Self, DataError> {
        let nobody = || DataError::broken("something happened to no entity");
        let known = |entity: Option<Entity>| entity.filter(|entity| has_lived(*entity)).ok_or_else(nobody);
        let mut read = Self::default();
        for _ in 0..from.length(9, "what happened")? {
            let came = from.flag("what happened")?;
            let entity = from.entity("whom it happened to")?;
            read.pending.push((came, known(entity)?));
        }
        for _ in 0..from.length(16, "shapes that are gone")? {
            let shape = ShapeId::from_bits(from.u64("a shape that is gone")?);
            let entity = from.entity("whose shape is gone")?;
            read.gone.push((shape.ok_or_else(nobody)?, known(entity)?));
        }
        for _ in 0..from.length(20, "who left zones")? {
            let zone = from.entity("whose zone was left")?;
            let component = NameHash::from_bits(from.u32("which zone was left")?);
            let visitor = from.entity("who left a zone")?;
            read.zone_leaves.push(ZoneVisit {
                zone: known(zone)?,
                component,
                visitor: known(visitor)?,
            });
        }
        Ok(read)
    }

    /// Publishes the events of the step. Joints that broke are marked `broken`.
    pub(super) fn publish(&mut self, physics: &PhysicsWorld, entities: &mut EntitySystem) {
        let Self {
            published,
            pending,
            gone,
            zone_enters,
            zone_leaves,
            met,
            parted,
        } = self;
        published.clear();
        published.extend(pending.drain(..).map(|(came, entity)| match came {
            true => Event::Spawned(entity),
            false => Event::Despawned(entity),
        }));
        gone.sort_unstable();
        let owners = Owners { physics, gone };
        let events = physics.events();
        owners.publish_touches(published, events);
        let hits = events.hit().iter();
        published
            .extend(hits.filter_map(|event| Some(hit(event, owners.touch(event.shape_a, event.shape_b)?))));
        let forces = events.force().iter();
        published.extend(
            forces.filter_map(|event| Some(force(event, owners.touch(event.shape_a, event.shape_b)?))),
        );
        owners.publish_visits(published, events);
        gone.clear();
        let strained = physics.events().joint().iter();
        published.extend(strained.filter_map(|event| strain_of_joint(event, entities)));
        let strained = physics.events().rigid_weld().iter();
        published.extend(strained.filter_map(|event| strain_of_weld(event, entities)));
        let key = |visit: &ZoneVisit| (visit.zone, visit.component.to_bits(), visit.visitor);
        publish_pairs(
            published,
            zone_enters
                .drain(..)
                .map(|visit| (key(&visit), Event::EnterZone(visit))),
            zone_leaves
                .drain(..)
                .map(|visit| (Some(key(&visit)), Event::LeaveZone(visit))),
        );
        published.extend(met.drain(..).map(Event::Meet));
        published.extend(parted.drain(..).map(Event::Part));
    }
}

/// Whose shapes are those of physics' events, for the stage.
#[derive(Clone, Copy)]
struct Owners<'a> {
    physics: &'a PhysicsWorld,
    /// Shapes that were destroyed since the last step, sorted.
    gone: &'a [(ShapeId, Entity)],
}

impl Owners<'_> {
    /// The entity of a shape. Shapes that the program created in physics directly have none, and no event here.
    fn of(self, shape: ShapeId) -> Option<Entity> {
        match self.physics.shape(shape) {
            Some(shape) => Entity::from_bits(shape.user_key()),
            None => {
                let place = self.gone.binary_search_by_key(&shape, |(gone, _)| *gone);
                place.ok().map(|place| self.gone[place].1)
            }
        }
    }

    fn touch(self, shape_a: ShapeId, shape_b: ShapeId) -> Option<Touch> {
        Some(Touch {
            a: self.of(shape_a)?,
            b: self.of(shape_b)?,
            shape_a,
            shape_b,
        })
    }

    fn visit(self, event: &VisitEvent) -> Option<Visit> {
        Some(Visit {
            trigger: self.of(event.sensor)?,
            visitor: self.of(event.visitor)?,
            sensor: event.sensor,
            shape: event.visitor,
        })
    }

    fn publish_touches(self, published: &mut Vec<Event>, events: &Events) {
        let begins = events.begin_touch();
        // They are by contact index. A body that freezes in a step ends what began in it.
        let began_now = |end: &TouchEvent| {
            let place = begins.binary_search_by_key(&end.contact.index(), |begin| begin.contact.index());
            place.is_ok_and(|place| begins[place].contact == end.contact)
        };
        publish_pairs(
            published,
            begins.iter().filter_map(|event| {
                let touch = self.touch(event.shape_a, event.shape_b)?;
                Some((touch.pair(), Event::BeginTouch(touch)))
            }),
            events.end_touch().iter().filter_map(|event| {
                let touch = self.touch(event.shape_a, event.shape_b)?;
                let key = (!began_now(event)).then(|| touch.pair());
                Some((key, Event::EndTouch(touch)))
            }),
        );
    }

    fn publish_visits(self, published: &mut Vec<Event>, events: &Events) {
        let pair = |visit: &Visit| [visit.trigger, visit.visitor];
        publish_pairs(
            published,
            events.enter().iter().filter_map(|event| {
                let visit = self.visit(event)?;
                Some((pair(&visit), Event::Enter(visit)))
            }),
            events.leave().iter().filter_map(|event| {
                let visit = self.visit(event)?;
                Some((Some(pair(&visit)), Event::Leave(visit)))
            }),
        );
    }
}

/// Appends the begins of a step, each with a key, and the ends, each with the key of what it ended. An end whose key is
/// among those of the begins comes before them: who listens in this order, as scripts do, hears the end of a touch
/// before the next touch of the two begins, and knows in the end that they touch.
fn publish_pairs<K: Ord>(
    published: &mut Vec<Event>,
    begins: impl Iterator<Item = (K, Event)>,
    ends: impl Iterator<Item = (Option<K>, Event)>,
) {
    let mut ends = ends.peekable();
    if ends.peek().is_none() {
        published.extend(begins.map(|(_, event)| event));
        return;
    }
    let start = published.len();
    let mut begun = Vec::new();
    published.extend(begins.map(|(key, event)| {
        begun.push(key);
        event
    }));
    begun.sort_unstable();
    let mut first = Vec::new();
    for (key, event) in ends {
        if key.is_some_and(|key| begun.binary_search(&key).is_ok()) {
            first.push(event);
        } else {
            published.push(event);
        }
    }
    published.splice(start..start, first);
}

fn hit(event: &HitEvent, touch: Touch) -> Event {
    Event::Hit {
        touch,
        point: event.point,
        normal: event.normal,
        approach_speed: event.approach_speed,
        impulse: event.impulse,
    }
}

fn force(event: &ForceEvent, touch: Touch) -> Event {
    Event::Force {
        touch,
        point: event.point,
        normal: event.normal,
        force: event.force,
        impulse: event.impulse,
    }
}

/// The strain of an entity's joint, which is marked `broken` if it broke.
fn strain_of_joint(event: &JointEvent, entities: &mut EntitySystem) -> Option<Event> {
    let entity = Entity::from_bits(event.user_key)?;
    let joints: &mut Dense<Joint> = entities.manager_mut(JOINT)?;
    let is_it = |joint: &Joint| joint.id == Some(event.joint);
    let instance = joints.of(entity).find(|(_, joint)| is_it(joint))?.0;
    if event.broke
        && let Some(joint) = joints.value_mut(entity, instance)
    {
        (joint.broken, joint.id) = (true, None);
    }
    let strain = Strain::of(entity, instance, event.force, event.torque);
    Some(strain.event(event.broke))
}

/// The strain of an entity's rigid weld, likewise.
fn strain_of_weld(event: &RigidWeldEvent, entities: &mut EntitySystem) -> Option<Event> {
    let entity = Entity::from_bits(event.user_key)?;
    let welds: &mut Dense<RigidWeld> = entities.manager_mut(RIGID_WELD)?;
    let is_it = |weld: &RigidWeld| weld.id == Some(event.weld);
    let instance = welds.of(entity).find(|(_, weld)| is_it(weld))?.0;
    if event.broke
        && let Some(weld) = welds.value_mut(entity, instance)
    {
        (weld.broken, weld.id) = (true, None);
    }
    let strain = Strain::of(entity, instance, event.force, event.torque);
    Some(strain.event(event.broke))
}

impl Strain {
    fn of(entity: Entity, instance: InstanceId, force: Vec2, torque: f32) -> Self {
        Self {
            entity,
            component: NameHash::from_bits(instance.0),
            force,
            torque,
        }
    }

    fn event(self, broke: bool) -> Event {
        if broke {
            Event::Break(self)
        } else {
            Event::Strain(self)
        }
    }
}
