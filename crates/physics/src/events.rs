//! Events of a step: [`Events`], slices in a stated order, valid until the next step.
//!
//! Order: begins of touch by contact index; ends of touch first those caused by calls between steps, in the order of
//! the calls, then those of the step by contact index, then those of bodies that it froze; hits and forces by contact
//! index; begins and ends of visits by index of the sensor, then of the visitor; moved and fell asleep in the order of
//! the list of awake bodies; woke in the order of waking; frozen and held by body index; joints by joint index; rigid
//! welds by weld index; cut and vanished in the order of the calls that cut, then of the first weld that broke of each
//! composite, and within one cut in the order of the pieces.

use crate::body::BodyId;
use crate::composite::{MemberId, RigidWeldId};
use crate::contact::ContactId;
use crate::joint::JointId;
use crate::shape::ShapeId;
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::{Aabb, Pose, Position, plain_data};

/// Two shapes began or ended touching. The shapes may have been destroyed since; then the ids are stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TouchEvent {
    /// The first shape.
    pub shape_a: ShapeId,
    /// The second shape.
    pub shape_b: ShapeId,
    /// The contact; in an end event it may be stale.
    pub contact: ContactId,
}

/// Two shapes hit each other faster than the world's threshold, and an impulse stopped or bounced them. Reported for
/// pairs of which one shape has [`ShapeDef::hit_events`](crate::ShapeDef::hit_events), in every step in which it happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HitEvent {
    /// The first shape.
    pub shape_a: ShapeId,
    /// The second shape.
    pub shape_b: ShapeId,
    /// The contact.
    pub contact: ContactId,
    /// The point with the greatest impulse, at the start of the step.
    pub point: Position,
    /// The unit normal from the first shape to the second.
    pub normal: Vec2,
    /// The speed of approach along the normal in meters per second, before the solver stopped it.
    pub approach_speed: f32,
    /// The impulse along the normal over the whole step, in newton seconds, both points of the contact together.
    pub impulse: f32,
}

/// The average force of a touch over the step exceeded the threshold of one of its shapes. Reported in every such step,
/// for shapes with a [`ShapeDef::force_threshold`](crate::ShapeDef::force_threshold).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceEvent {
    /// The first shape.
    pub shape_a: ShapeId,
    /// The second shape.
    pub shape_b: ShapeId,
    /// The contact.
    pub contact: ContactId,
    /// The point with the greatest impulse, at the start of the step.
    pub point: Position,
    /// The unit normal from the first shape to the second.
    pub normal: Vec2,
    /// The average force along the normal over the step, in newtons.
    pub force: f32,
    /// The impulse along the normal over the whole step, in newton seconds, both points of the contact together.
    pub impulse: f32,
}

/// A shape entered a sensor, or left it. The shapes may have been destroyed since; then the ids are stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitEvent {
    /// The sensor, or a shape that [sees such shapes](crate::ShapeDef::sees_fixed).
    pub sensor: ShapeId,
    /// The other shape; a sensor too if the first one [sees sensors](crate::ShapeDef::sees_sensors).
    pub visitor: ShapeId,
}

/// A body moved in this step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveEvent {
    /// The body.
    pub body: BodyId,
    /// The user's own number.
    pub user_key: u64,
    /// The body's pose after the step.
    pub pose: Pose,
    /// Whether the body fell asleep in this step.
    pub fell_asleep: bool,
}

/// A body was frozen: its position was NaN or out of range. It was set back to its last valid pose, has no velocity and
/// takes no part in the simulation until it is enabled again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrozenEvent {
    /// The body.
    pub body: BodyId,
    /// The user's own number.
    pub user_key: u64,
}

/// A fast body was held by continuous collision at the start of its motion, in this step as in the one before: it is
/// wedged between static bodies, and its contacts do not keep it out of them. Its velocity was set to zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldEvent {
    /// The body.
    pub body: BodyId,
    /// The user's own number.
    pub user_key: u64,
}

/// The average load of a joint over this step exceeded one of its thresholds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointEvent {
    /// The joint; stale if it broke.
    pub joint: JointId,
    /// The user's own number.
    pub user_key: u64,
    /// The two bodies.
    pub bodies: [BodyId; 2],
    /// The force on the second body, in newtons.
    pub force: Vec2,
    /// The torque on the second body about its anchor, in newton meters.
    pub torque: f32,
    /// Whether the joint broke: it was removed when the step ended.
    pub broke: bool,
}

/// The average load of a composite's rigid weld over this step exceeded one of its thresholds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidWeldEvent {
    /// The weld; stale if it broke.
    pub weld: RigidWeldId,
    /// The user's own number.
    pub user_key: u64,
    /// The body that contained the members; parts that separated from it are in [`Events::cut`].
    pub body: BodyId,
    /// The two members; [`MemberRef::body`](crate::MemberRef::body) is the present body of each.
    pub members: [MemberId; 2],
    /// The force on the second member, in newtons.
    pub force: Vec2,
    /// The torque on the second member about the weld, in newton meters.
    pub torque: f32,
    /// Whether the weld broke: it was removed when the step ended.
    pub broke: bool,
}

/// A body was cut by a call since the step before, or a composite divided, and this piece separated from it. Body or
/// piece may have been destroyed since; then the id is stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutEvent {
    /// The body that was cut; its greatest piece keeps the id.
    pub body: BodyId,
    /// The new body.
    pub piece: BodyId,
    /// Whether the piece is debris.
    pub debris: bool,
}

/// A body was cut by a call since the step before, and this piece of it was too small to keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VanishEvent {
    /// The body that was cut.
    pub body: BodyId,
    /// The area of the piece in square meters.
    pub area: f32,
    /// The mass of the piece in kilograms; 0 unless dynamic.
    pub mass: f32,
    /// The position of the piece's center.
    pub center: Position,
    /// The velocity of the piece's center, in meters per second.
    pub velocity: Vec2,
}

plain_data! {
    /// A piece that separated or vanished, in its saved form.
    #[derive(Debug)]
    pub(crate) struct PlainCut {
        /// Bits of the handles: the body; the piece, or 0 if it vanished.
        pub(crate) handles: [u64; 2],
        /// The area of the piece in square meters.
        pub(crate) area: f32,
        /// The mass of the piece in kilograms; 0 unless dynamic.
        pub(crate) mass: f32,
        /// The position of the piece's center.
        pub(crate) center: Vec2,
        /// The velocity of the piece's center, in meters per second.
        pub(crate) velocity: Vec2,
        /// 1 if the piece is debris.
        pub(crate) debris: u32,
        /// Zero; keeps the struct free of padding.
        pub(crate) reserved: u32,
    }
}

impl From<CutEvent> for PlainCut {
    fn from(event: CutEvent) -> Self {
        Self {
            handles: [event.body.to_bits(), event.piece.to_bits()],
            area: 0.0,
            mass: 0.0,
            center: Vec2::ZERO,
            velocity: Vec2::ZERO,
            debris: u32::from(event.debris),
            reserved: 0,
        }
    }
}

impl From<VanishEvent> for PlainCut {
    fn from(event: VanishEvent) -> Self {
        Self {
            handles: [event.body.to_bits(), 0],
            area: event.area,
            mass: event.mass,
            center: event.center.to_vec2(),
            velocity: event.velocity,
            debris: 0,
            reserved: 0,
        }
    }
}

impl PlainCut {
    /// Whether the handles are valid ones, and the flag is 0 or 1.
    pub(crate) fn is_sound(&self) -> bool {
        let [body, piece] = self.handles;
        BodyId::from_bits(body).is_some()
            && (piece == 0 || BodyId::from_bits(piece).is_some())
            && self.debris <= 1
            && self.reserved == 0
    }

    /// Adds the event to those of the step, unless a handle is invalid, which only a damaged save can contain.
    pub(crate) fn report(self, events: &mut Events) {
        let Some(body) = BodyId::from_bits(self.handles[0]) else {
            return;
        };
        if let Some(piece) = BodyId::from_bits(self.handles[1]) {
            let debris = self.debris != 0;
            events.cut.push(CutEvent { body, piece, debris });
        } else {
            events.vanished.push(VanishEvent {
                body,
                area: self.area,
                mass: self.mass,
                center: self.center.into(),
                velocity: self.velocity,
            });
        }
    }
}

plain_data! {
    /// A touch event in its saved form.
    #[derive(Debug)]
    pub(crate) struct PlainTouch {
        /// Bits of the handles: one shape, the other, the contact.
        pub(crate) handles: [u64; 3],
    }
}

plain_data! {
    /// A sensor overlap in its saved form.
    #[derive(Debug, PartialEq)]
    pub(crate) struct PlainOverlap {
        /// Bits of the handles: the sensor, the visitor.
        handles: [u64; 2],
    }
}

impl From<VisitEvent> for PlainOverlap {
    fn from(event: VisitEvent) -> Self {
        Self {
            handles: [event.sensor.to_bits(), event.visitor.to_bits()],
        }
    }
}

impl PlainOverlap {
    /// The event; `None` if a handle is invalid, which only a damaged save can contain.
    pub(crate) fn event(self) -> Option<VisitEvent> {
        Some(VisitEvent {
            sensor: ShapeId::from_bits(self.handles[0])?,
            visitor: ShapeId::from_bits(self.handles[1])?,
        })
    }

    /// The sort key of overlaps: index of the sensor, then of the visitor, then the generations of both.
    pub(crate) fn key(&self) -> [u64; 4] {
        let index = |bits| ShapeId::from_bits(bits).map_or(u64::MAX, |shape| u64::from(shape.index()));
        let [sensor, visitor] = self.handles;
        [index(sensor), index(visitor), sensor, visitor]
    }
}

impl From<TouchEvent> for PlainTouch {
    fn from(event: TouchEvent) -> Self {
        Self {
            handles: [
                event.shape_a.to_bits(),
                event.shape_b.to_bits(),
                event.contact.to_bits(),
            ],
        }
    }
}

impl PlainTouch {
    /// The event; `None` if a handle is invalid, which only a damaged save can contain.
    pub(crate) fn event(self) -> Option<TouchEvent> {
        let [shape_a, shape_b, contact] = self.handles;
        Some(TouchEvent {
            shape_a: ShapeId::from_bits(shape_a)?,
            shape_b: ShapeId::from_bits(shape_b)?,
            contact: ContactId::from_bits(contact)?,
        })
    }
}

/// The events of the last step. Cleared by the next one; empty after a restore.
#[derive(Clone, Debug, Default)]
pub struct Events {
    pub(crate) begin_touch: Vec<TouchEvent>,
    pub(crate) end_touch: Vec<TouchEvent>,
    pub(crate) hit: Vec<HitEvent>,
    pub(crate) force: Vec<ForceEvent>,
    pub(crate) enter: Vec<VisitEvent>,
    pub(crate) leave: Vec<VisitEvent>,
    pub(crate) moved: Vec<MoveEvent>,
    pub(crate) moved_boxes: Vec<Aabb>,
    pub(crate) fell_asleep: Vec<BodyId>,
    pub(crate) woke: Vec<BodyId>,
    pub(crate) frozen: Vec<FrozenEvent>,
    pub(crate) held: Vec<HeldEvent>,
    pub(crate) joint: Vec<JointEvent>,
    pub(crate) rigid_weld: Vec<RigidWeldEvent>,
    pub(crate) cut: Vec<CutEvent>,
    pub(crate) vanished: Vec<VanishEvent>,
}

impl Events {
    /// Pairs that began touching. Every begin is followed by exactly one end, also when a shape is destroyed.
    pub fn begin_touch(&self) -> &[TouchEvent] {
        &self.begin_touch
    }

    /// Pairs that ended touching, in this step or by a call since the step before. A pair that a call parted
    /// ([`BodyMut::teleport`](crate::BodyMut::teleport) and others) may be among those that began too: then the end is that of
    /// the touch before, and whoever keeps a list of touches takes it first. Of a body that froze both may be of one touch;
    /// the ids of the contacts tell.
    pub fn end_touch(&self) -> &[TouchEvent] {
        &self.end_touch
    }

    /// Pairs that hit each other hard.
    pub fn hit(&self) -> &[HitEvent] {
        &self.hit
    }

    /// Touches whose force exceeded a threshold, by contact index.
    pub fn force(&self) -> &[ForceEvent] {
        &self.force
    }

    /// Shapes that entered a sensor, by index of the sensor and then of the visitor. Every begin is followed by exactly
    /// one end, in a later step, also if one of the two shapes is destroyed.
    pub fn enter(&self) -> &[VisitEvent] {
        &self.enter
    }

    /// Shapes that left a sensor, were destroyed or disabled in it, or whose sensor was, in the same order.
    pub fn leave(&self) -> &[VisitEvent] {
        &self.leave
    }

    /// Bodies that the step moved: awake dynamic and kinematic ones.
    pub fn moved(&self) -> &[MoveEvent] {
        &self.moved
    }

    /// The boxes around all shapes of the bodies of [`Events::moved`], in the same order, as [`BodyRef::aabb`](crate::BodyRef::aabb)
    /// has them after the step; [`Aabb::EMPTY`] for a body without shapes. Composites of which a weld broke in this step have
    /// those of before. Empty unless asked for by [`PhysicsWorld::set_reports_boxes`](crate::PhysicsWorld::set_reports_boxes).
    pub fn moved_boxes(&self) -> &[Aabb] {
        &self.moved_boxes
    }

    /// Bodies that fell asleep in this step, or by a call before it, each once: those that calls put to sleep first, in
    /// the order of the calls, then the others in the order of [`Events::moved`].
    pub fn fell_asleep(&self) -> &[BodyId] {
        &self.fell_asleep
    }

    /// Bodies that woke in this step, or by a call since the step before, each once; also those that were created
    /// awake.
    pub fn woke(&self) -> &[BodyId] {
        &self.woke
    }

    /// Bodies that were frozen: taken out of the simulation.
    pub fn frozen(&self) -> &[FrozenEvent] {
        &self.frozen
    }

    /// Fast bodies that continuous collision held in two consecutive steps.
    pub fn held(&self) -> &[HeldEvent] {
        &self.held
    }

    /// Joints whose load exceeded their thresholds, and those that broke, by joint index.
    pub fn joint(&self) -> &[JointEvent] {
        &self.joint
    }

    /// Rigid welds whose load exceeded their thresholds, and those that broke, by weld index.
    pub fn rigid_weld(&self) -> &[RigidWeldEvent] {
        &self.rigid_weld
    }

    /// Pieces that calls since the step before cut off bodies, and those of composites that divided.
    pub fn cut(&self) -> &[CutEvent] {
        &self.cut
    }

    /// Pieces that calls since the step before cut off and that were too small to keep.
    pub fn vanished(&self) -> &[VanishEvent] {
        &self.vanished
    }

    pub(crate) fn clear(&mut self) {
        self.begin_touch.clear();
        self.end_touch.clear();
        self.hit.clear();
        self.force.clear();
        self.enter.clear();
        self.leave.clear();
        self.moved.clear();
        self.moved_boxes.clear();
        self.fell_asleep.clear();
        self.woke.clear();
        self.frozen.clear();
        self.held.clear();
        self.joint.clear();
        self.rigid_weld.clear();
        self.cut.clear();
        self.vanished.clear();
    }
}
