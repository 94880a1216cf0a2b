//! Contacts in a recording: the points at which shapes touch, with the direction and size of the impulse.
//!
//! A point is kept in the frame of one of the two bodies and written again only when it has moved there by a visible
//! distance. In a heap at rest nothing is written.

use std::f32::consts::TAU;

use tombolo::physics::{BodyKind, BodyRef, ContactRef, PhysicsWorld, Pose, Rot, Vec2};

use super::bodies::Bodies;
use super::bytes::{ascending, number, signed};

/// A point is a whole number of these parts of a meter.
pub(super) const POINT_PARTS: f32 = 256.0;

/// A point is written again when it is this many parts (8 mm) from its last written position: less than the dot that
/// marks it.
const POINT_SLACK: i32 = 2;

/// A normal is a whole number of these parts of a turn.
pub(super) const NORMAL_PARTS: f32 = 256.0;

/// A normal is written again when it has turned by this many parts.
const NORMAL_SLACK: i8 = 2;

/// A contact's strength is written again when the power of two of its impulse has changed by this.
const STRENGTH_SLACK: u8 = 2;

/// The reader's state of the contact at one index of the world's arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RecordedContact {
    handle: u64,
    /// The body in whose frame the points are.
    track: u32,
    /// 0 if the shapes do not touch.
    point_count: u8,
    /// 0 for none, else the power of two of the impulse in newton seconds, plus 11.
    strength: u8,
    /// The normal from the first shape to the second, in the body's frame, in parts of a turn.
    normal: u8,
    points: [[i32; 2]; 2],
}

/// The contacts at all indices that were ever used.
#[derive(Debug, Default)]
pub(super) struct Contacts {
    known: Vec<RecordedContact>,
    now: Vec<RecordedContact>,
    changed: Vec<u32>,
    touching_count: u32,
}

impl Contacts {
    /// Writes one frame. The bodies must have updated their tracks.
    pub(super) fn record(&mut self, world: &PhysicsWorld, bodies: &Bodies, out: &mut Vec<u8>) {
        self.look(world, bodies);
        self.known.resize(self.now.len(), RecordedContact::default());
        self.changed.clear();
        let pairs = (0..).zip(self.known.iter().zip(&self.now));
        let changed = pairs.filter(|(_, (known, now))| known.is_outdated(now));
        self.changed.extend(changed.map(|(index, _)| index));
        ascending(out, &self.changed);
        for &index in &self.changed {
            let (known, now) = (&mut self.known[index as usize], &self.now[index as usize]);
            known.write_change(now, out);
            *known = *now;
        }
    }

    /// Writes a frame in which nothing has changed.
    pub(super) fn record_nothing(out: &mut Vec<u8>) {
        ascending(out, &[]);
    }

    /// The number of pairs of shapes that touched in the last frame.
    pub(super) fn touching_count(&self) -> u32 {
        self.touching_count
    }

    fn look(&mut self, world: &PhysicsWorld, bodies: &Bodies) {
        self.now.fill(RecordedContact::default());
        self.touching_count = 0;
        for contact in world.contacts().filter(ContactRef::is_touching) {
            let Some(seen) = RecordedContact::of(&contact, bodies) else {
                continue;
            };
            self.touching_count += 1;
            let index = contact.id().index() as usize;
            if self.now.len() <= index {
                self.now.resize(index + 1, RecordedContact::default());
            }
            self.now[index] = seen;
        }
    }
}

/// The body in whose frame the points of a contact move least: a moving one, since boxes slide over the ground.
fn carrier<'a>(contact: &ContactRef<'a>) -> BodyRef<'a> {
    let [first, second] = contact.shapes().map(|shape| shape.body());
    if first.kind() == BodyKind::Dynamic {
        first
    } else {
        second
    }
}

fn point_quanta(pose: Pose, point: Vec2) -> [i32; 2] {
    let local = pose.inverse_transform_point(point) * POINT_PARTS;
    [local.x.round() as i32, local.y.round() as i32]
}

fn normal_quanta(rotation: Rot, normal: Vec2) -> u8 {
    let local = rotation.unrotate(normal);
    let turn = Rot {
        cos: local.x,
        sin: local.y,
    };
    (turn.angle() * (NORMAL_PARTS / TAU)).round() as i32 as u8
}

/// The power of two of an impulse from a thousandth to a million newton seconds, as 1 to 31; 0 for no impulse at all.
fn strength(impulse: f32) -> u8 {
    if impulse <= 0.0 {
        return 0;
    }
    let exponent = (impulse.to_bits() >> 23) as i32 - 127;
    (exponent + 11).clamp(1, 31) as u8
}

impl RecordedContact {
    /// `None` if the body has no track, which is so for bodies made since tracks were last updated.
    fn of(contact: &ContactRef<'_>, bodies: &Bodies) -> Option<Self> {
        let body = carrier(contact);
        let pose = body.pose();
        let mut points = [[0; 2]; 2];
        let mut impulse = 0.0f32;
        let mut point_count = 0;
        for (place, (position, _, push)) in points.iter_mut().zip(contact.points()) {
            *place = point_quanta(pose, position.to_vec2());
            impulse = impulse.max(push);
            point_count += 1;
        }
        Some(Self {
            handle: contact.id().to_bits(),
            track: bodies.track(&body)?,
            point_count,
            strength: strength(impulse),
            normal: normal_quanta(pose.rotation, contact.normal()),
            points,
        })
    }

    fn is_same_contact(&self, now: &Self) -> bool {
        self.handle == now.handle && self.point_count != 0
    }

    /// Whether the difference between what the reader has and the present state is visible.
    fn is_outdated(&self, now: &Self) -> bool {
        if self.point_count != now.point_count {
            return true;
        }
        if now.point_count == 0 {
            return false;
        }
        let moved = self.points.iter().zip(&now.points).any(|(old, new)| {
            let far = |axis: usize| old[axis].abs_diff(new[axis]) >= POINT_SLACK as u32;
            far(0) || far(1)
        });
        let turn = now.normal.wrapping_sub(self.normal) as i8;
        !self.is_same_contact(now)
            || self.track != now.track
            || moved
            || turn.unsigned_abs() >= NORMAL_SLACK as u8
            || self.strength.abs_diff(now.strength) >= STRENGTH_SLACK
            || (self.strength == 0) != (now.strength == 0)
    }

    /// Writes one byte: two bits of point count, one that says whether a track follows, five of strength. Then the
    /// track, the normal and the points, as differences from what the reader has.
    fn write_change(&self, now: &Self, out: &mut Vec<u8>) {
        let is_new = !self.is_same_contact(now) || self.track != now.track;
        out.push(now.point_count | u8::from(is_new) << 2 | now.strength << 3);
        if now.point_count == 0 {
            return;
        }
        if is_new {
            number(out, now.track);
        }
        out.push(now.normal);
        let points = self.points.iter().zip(&now.points);
        for (old, new) in points.take(now.point_count.into()) {
            signed(out, new[0].wrapping_sub(old[0]));
            signed(out, new[1].wrapping_sub(old[1]));
        }
    }
}
