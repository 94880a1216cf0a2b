//! [`EventsByBody`]: the last step's events, sorted by body.

use super::PhysicsWorld;
use crate::body::BodyId;
use crate::events::{ForceEvent, HitEvent, JointEvent, TouchEvent, VisitEvent};
use crate::shape::ShapeId;
use alloc::vec::Vec;

/// An event in which a body takes part. The list of the pair's other body has it too.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum BodyEvent {
    /// One of its shapes began touching another.
    BeginTouch(TouchEvent),
    /// One of its shapes ended touching another.
    EndTouch(TouchEvent),
    /// One of its shapes was hit faster than the threshold.
    Hit(HitEvent),
    /// The force of a touch of one of its shapes exceeded a threshold.
    Force(ForceEvent),
    /// A shape entered a sensor; one of the two is the body's.
    Enter(VisitEvent),
    /// A shape left a sensor; one of the two is the body's.
    Leave(VisitEvent),
    /// The load of one of its joints exceeded a threshold.
    Joint(JointEvent),
}

/// The events of the last step by body; see [`PhysicsWorld::events_by_body`].
#[derive(Clone, Debug)]
pub struct EventsByBody {
    /// Sorted by body, and for each body in the order of [`BodyEvent`] and then of [`Events`](crate::Events).
    events: Vec<(BodyId, BodyEvent)>,
}

impl EventsByBody {
    /// The events of a body. O(log n) of all events.
    pub fn of(&self, body: BodyId) -> impl Iterator<Item = BodyEvent> + '_ {
        let first = self.events.partition_point(|(of, _)| key(*of) < key(body));
        let events = self.events[first..].iter();
        events
            .take_while(move |(of, _)| *of == body)
            .map(|(_, event)| *event)
    }

    /// The bodies that have events, by index.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + '_ {
        let repeats = |place: usize| place > 0 && self.events[place - 1].0 == self.events[place].0;
        let places = (0..self.events.len()).filter(move |&place| !repeats(place));
        places.map(|place| self.events[place].0)
    }
}

fn key(body: BodyId) -> (u32, u64) {
    (body.index(), body.to_bits())
}

impl PhysicsWorld {
    /// Sorts the last step's events by the bodies that take part in them. Shapes that were destroyed since belong to no
    /// body. Costs the number of events; worlds that do not call it pay nothing.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, BodyEvent, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let ball = Shape::circle(Vec2::ZERO, 0.5)?;
    /// let [left, right] = [-0.5, 0.5].map(|x| world.create_body(&BodyDef::dynamic(x, 0.0)));
    /// let (left, right) = (left?, right?);
    /// world.create_shape(left, &ShapeDef::default(), &ball)?;
    /// world.create_shape(right, &ShapeDef::default(), &ball)?;
    /// world.step(1.0 / 60.0)?;
    /// let events = world.events_by_body();
    /// assert!(events.bodies().eq([left, right]));
    /// assert!(matches!(events.of(left).next(), Some(BodyEvent::BeginTouch(_))));
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    #[must_use]
    pub fn events_by_body(&self) -> EventsByBody {
        let body = |shape: ShapeId| self.shape(shape).map(|shape| shape.body().id());
        let mut events = Vec::new();
        let mut add = |bodies: [Option<BodyId>; 2], event: BodyEvent| {
            let second = bodies[1].filter(|_| bodies[1] != bodies[0]);
            events.extend(bodies[0].into_iter().chain(second).map(|body| (body, event)));
        };
        for &touch in self.events.begin_touch() {
            add(
                [touch.shape_a, touch.shape_b].map(body),
                BodyEvent::BeginTouch(touch),
            );
        }
        for &touch in self.events.end_touch() {
            add(
                [touch.shape_a, touch.shape_b].map(body),
                BodyEvent::EndTouch(touch),
            );
        }
        for &hit in self.events.hit() {
            add([hit.shape_a, hit.shape_b].map(body), BodyEvent::Hit(hit));
        }
        for &force in self.events.force() {
            add([force.shape_a, force.shape_b].map(body), BodyEvent::Force(force));
        }
        for &visit in self.events.enter() {
            add([visit.sensor, visit.visitor].map(body), BodyEvent::Enter(visit));
        }
        for &visit in self.events.leave() {
            add([visit.sensor, visit.visitor].map(body), BodyEvent::Leave(visit));
        }
        for &joint in self.events.joint() {
            add(joint.bodies.map(Some), BodyEvent::Joint(joint));
        }
        // The sort is stable, so that the events of each body stay in order.
        events.sort_by_key(|(body, _)| key(*body));
        EventsByBody { events }
    }
}
