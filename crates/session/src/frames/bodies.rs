//! Bodies in a recording: those that appear and disappear, those that wake, sleep or change their island, and the poses
//! of those that move.
//!
//! A body that gets other shapes, as when it is cut, or whose shapes change in place, or that becomes one of another
//! kind, counts as another body from then on: kind and shapes are written once for each track.
//!
//! Poses are whole numbers of quanta. A body that moves is written as its difference from repeating the motion of the
//! step before, which for most is one byte a number; a sleeping body is not written at all.

use std::f32::consts::TAU;

use tombolo::physics::{BodyRef, PhysicsWorld, Pose, Vec2};

use super::bytes::{ascending, nearest, number, signed};
use super::track_table::{TrackTable, mix};

/// A position is a whole number of these parts of a meter: finer than a pixel until a meter fills the screen.
pub(super) const POSITION_PARTS: f32 = 1024.0;

/// An angle is a whole number of these parts of a turn: 2 mm at the end of an arm of 20 m.
pub(super) const TURN_PARTS: f32 = 65536.0;

/// A velocity is a whole number of these parts of a meter, or radian, per second.
const VELOCITY_PARTS: f32 = 1024.0;

/// x, y, angle, in quanta; the angle from 0 to 65,535.
type Quanta = [i32; 3];

/// The reader's state of one body.
#[derive(Clone, Copy, Debug, Default)]
struct Track {
    is_there: bool,
    /// Bit 0: awake. Bits above it: the island's number plus one, or 0 without an island.
    status: u32,
    place: Quanta,
    /// The motion in its last step; zero unless awake.
    motion: Quanta,
    /// Status and pose after the frame being written.
    next_status: u32,
    next_place: Quanta,
}

/// The tracks of all bodies that ever appeared.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    track_table: TrackTable,
    /// By the index of a body, its identity and its outlines in the last frame.
    outlines: Vec<(u64, u64)>,
    /// The version of the world's geometry in the last frame: while it is the same, no vertex is read again.
    geometry_version: Option<u64>,
    tracks: Vec<Track>,
    gone: Vec<u32>,
    changed: Vec<u32>,
    /// Of each body that moves, the difference from repeating its last motion.
    steps: Vec<Quanta>,
    jumped: Vec<u32>,
}

fn quanta(pose: Pose) -> Quanta {
    let turn = nearest(pose.rotation.angle() * (TURN_PARTS / TAU));
    let [x, y] = [pose.position.x, pose.position.y].map(|part| nearest(part * POSITION_PARTS));
    [x, y, turn & 0xffff]
}

fn status(body: &BodyRef<'_>) -> u32 {
    let island = body.island().map_or(0, |island| island + 1);
    island << 1 | u32::from(body.is_awake())
}

/// The body's handle, mixed with its kind, its mass and inertia, and its shapes: with the handle of each, and whether it
/// is a sensor.
fn identity(body: &BodyRef<'_>) -> u64 {
    let first = mix(body.id().to_bits(), body.kind() as u64);
    let first = mix(first, bits(Vec2::new(body.mass(), body.inertia())));
    body.shapes().fold(first, |sum, shape| {
        mix(mix(sum, shape.id().to_bits()), u64::from(shape.is_sensor()))
    })
}

/// The outlines of a body's shapes but for sensors, so that a shape that changes in place is noticed, too.
fn outlines(body: &BodyRef<'_>) -> u64 {
    let solid = body.shapes().filter(|shape| !shape.is_sensor());
    solid.fold(0, |sum, shape| {
        let outline = shape.geometry();
        let sum = mix(sum, u64::from(outline.radius().to_bits()));
        // A half-space has one vertex, and turns by its normal.
        let normal = outline.line_and_normal().map(|[_, normal]| normal);
        let vectors = outline.vertices().iter().copied().chain(normal);
        vectors.fold(sum, |sum, at| mix(sum, bits(at)))
    })
}

fn bits(at: Vec2) -> u64 {
    u64::from(at.x.to_bits()) << 32 | u64::from(at.y.to_bits())
}

/// The difference from one pose to another; the angle by the shorter direction.
fn difference(from: Quanta, to: Quanta) -> Quanta {
    let [x, y, turn] = [0, 1, 2].map(|part| to[part].wrapping_sub(from[part]));
    [x, y, i32::from(turn as i16)]
}

impl Track {
    fn is_awake(&self) -> bool {
        self.status & 1 == 1
    }

    /// Whether the frame being written has its motion: if it was awake before or is now. A body that fell asleep in
    /// this step still moved in it.
    fn moves(&self) -> bool {
        self.is_there && (self.is_awake() || self.next_status & 1 == 1)
    }

    /// The pose after repeating the motion of its last step.
    fn expected(&self) -> Quanta {
        let [x, y, turn] = [0, 1, 2].map(|part| self.place[part].wrapping_add(self.motion[part]));
        [x, y, turn & 0xffff]
    }

    fn commit(&mut self) {
        let awake = self.next_status & 1 == 1;
        self.motion = if awake {
            difference(self.place, self.next_place)
        } else {
            [0; 3]
        };
        self.place = self.next_place;
        self.status = self.next_status;
    }
}

impl Bodies {
    /// Writes one frame. `newcomer` is called for each body seen for the first time, in the order of tracks.
    pub(super) fn record(
        &mut self,
        world: &PhysicsWorld,
        out: &mut Vec<u8>,
        newcomer: &mut dyn FnMut(&BodyRef<'_>),
    ) {
        let first_new = self.tracks.len();
        self.update_tracks(world, newcomer);
        let count_new = self.tracks.len() - first_new;
        number(out, count_new as u32);
        for track in &mut self.tracks[first_new..] {
            track.place = track.next_place;
            track.place.iter().for_each(|&part| signed(out, part));
        }
        ascending(out, &self.gone);
        self.write_statuses(out);
        self.write_motion(out);
        self.tracks.iter_mut().for_each(Track::commit);
        for track in &mut self.tracks[first_new..] {
            track.is_there = true;
        }
    }

    /// The numbers of tracks so far, and of those that are there.
    pub(super) fn counts(&self) -> [usize; 2] {
        self.track_table.counts()
    }

    /// The track of a body that existed in the last frame.
    pub(super) fn track(&self, body: &BodyRef<'_>) -> Option<u32> {
        self.track_table.track(body.id().index())
    }

    /// Writes the velocities of awake bodies: their number, then of each its track, the velocity of its center of mass
    /// and its angular velocity.
    pub(super) fn write_velocities(&self, world: &PhysicsWorld, out: &mut Vec<u8>) {
        let awake = world.bodies().filter(BodyRef::is_awake);
        let awake: Vec<_> = awake
            .filter_map(|body| Some((self.track(&body)?, body)))
            .collect();
        number(out, awake.len() as u32);
        for (track, body) in awake {
            let velocity = body.linear_velocity();
            number(out, track);
            for part in [velocity.x, velocity.y, body.angular_velocity()] {
                signed(out, nearest(part * VELOCITY_PARTS));
            }
        }
    }

    fn update_tracks(&mut self, world: &PhysicsWorld, newcomer: &mut dyn FnMut(&BodyRef<'_>)) {
        self.gone.clear();
        let version = Some(world.geometry_version());
        let is_known = std::mem::replace(&mut self.geometry_version, version) == version;
        for body in world.bodies() {
            let (index, identity) = (body.id().index(), identity(&body));
            let outlines = self.outlines_of(&body, identity, is_known);
            let met = self
                .track_table
                .look_up(index, mix(identity, outlines), &mut self.gone);
            if met.is_new {
                self.tracks.push(Track::default());
                newcomer(&body);
            }
            let track = &mut self.tracks[met.track as usize];
            track.next_status = status(&body);
            track.next_place = quanta(body.pose());
        }
        self.track_table.end_frame(&mut self.gone);
        for &track in &self.gone {
            self.tracks[track as usize] = Track::default();
        }
    }

    /// The outlines of a body of this identity; `is_known` if those of no known shape have changed.
    fn outlines_of(&mut self, body: &BodyRef<'_>, identity: u64, is_known: bool) -> u64 {
        let index = body.id().index() as usize;
        if self.outlines.len() <= index {
            self.outlines.resize(index + 1, (0, 0));
        }
        let known = &mut self.outlines[index];
        if !is_known || known.0 != identity {
            *known = (identity, outlines(body));
        }
        known.1
    }

    /// Writes the changes of status. New bodies start without an island, asleep.
    fn write_statuses(&mut self, out: &mut Vec<u8>) {
        self.changed.clear();
        let tracks = (0..).zip(&self.tracks);
        let changed = tracks.filter(|(_, track)| track.status != track.next_status);
        self.changed.extend(changed.map(|(number, _)| number));
        ascending(out, &self.changed);
        for &track in &self.changed {
            number(out, self.tracks[track as usize].next_status);
        }
    }

    /// Writes one column for each number: neighbors in a column are alike, so it compresses well. Bodies that were
    /// moved without being awake follow one by one.
    fn write_motion(&mut self, out: &mut Vec<u8>) {
        self.steps.clear();
        let moving = self.tracks.iter().filter(|track| track.moves());
        self.steps
            .extend(moving.map(|track| difference(track.expected(), track.next_place)));
        for part in 0..3 {
            self.steps.iter().for_each(|step| signed(out, step[part]));
        }
        self.jumped.clear();
        let tracks = (0..).zip(&self.tracks);
        let jumped =
            tracks.filter(|(_, track)| track.is_there && !track.moves() && track.place != track.next_place);
        self.jumped.extend(jumped.map(|(number, _)| number));
        ascending(out, &self.jumped);
        for &track in &self.jumped {
            let place = self.tracks[track as usize].next_place;
            place.iter().for_each(|&part| signed(out, part));
        }
    }
}
