//! Joints and rigid welds in a recording: those that appear and disappear, the strain of each when it changes, anchors
//! that are moved on their bodies, and the numbers of symbols that change, such as the length of a rope on a winch. The
//! position of a joint follows from its two bodies; a joint that gets other bodies, or is drawn by other symbols, counts
//! as another one.

use tombolo::physics::{PhysicsWorld, Vec2};

use super::bodies::{Bodies, POSITION_PARTS};
use super::bytes::{ascending, number, signed};
use super::track_table::{TrackTable, mix};
use crate::joint_marks::{JointMarks, Symbol, Tie};

/// Both anchors in the frames of their bodies, in quanta.
type Anchors = [[i32; 2]; 2];

/// The reader's state of one joint.
#[derive(Clone, Copy, Debug, Default)]
struct JointTrack {
    strain: u8,
    anchors: Anchors,
}

/// How the joint at one place of the world's arrays is drawn.
#[derive(Debug, Default)]
struct Look {
    /// All that the drawing depends on, mixed: while it is the same, no symbol is made.
    marks: u64,
    /// The symbols without their numbers.
    symbols: Vec<Symbol>,
    /// The numbers that the reader has, in quanta.
    numbers: Vec<i32>,
    /// Counts the changes of symbols.
    version: u64,
}

/// The tracks of all joints and rigid welds that ever appeared.
#[derive(Debug, Default)]
pub(super) struct Joints {
    track_table: TrackTable,
    gone: Vec<u32>,
    tracks: Vec<JointTrack>,
    strained: Vec<u32>,
    moved: Vec<u32>,
    /// By the place of a joint.
    looks: Vec<Look>,
    /// The tracks of joints whose numbers have changed, and the places of their joints.
    renumbered: Vec<(u32, u32)>,
}

fn quanta(anchor: Vec2) -> [i32; 2] {
    let parts = (anchor * POSITION_PARTS).round();
    [parts.x as i32, parts.y as i32]
}

impl Look {
    /// Takes how a joint is drawn now. Returns whether its numbers are others; its version is another one if it has other
    /// symbols.
    fn update(&mut self, joint: &Tie<'_>) -> bool {
        let marks = joint.look().fold(0, mix);
        if marks == self.marks {
            return false;
        }
        self.marks = marks;
        let (symbols, numbers) = JointMarks::of(joint).parted();
        let numbers = numbers
            .iter()
            .map(|number| (number * POSITION_PARTS).round() as i32);
        let numbers: Vec<i32> = numbers.collect();
        if symbols != self.symbols {
            self.symbols = symbols;
            self.version += 1;
        }
        let has_changed = numbers != self.numbers;
        self.numbers = numbers;
        has_changed
    }
}

impl Joints {
    /// The numbers of tracks so far, and of those that are there.
    pub(super) fn counts(&self) -> [usize; 2] {
        self.track_table.counts()
    }

    /// The track of a joint that was in the last frame.
    pub(super) fn track(&self, joint: &Tie<'_>) -> Option<u32> {
        self.track_table.track(joint.place().0)
    }

    /// Writes one frame. `newcomer` is called for each joint seen for the first time, in the order of tracks.
    pub(super) fn record(
        &mut self,
        world: &PhysicsWorld,
        bodies: &Bodies,
        out: &mut Vec<u8>,
        newcomer: &mut dyn FnMut(&Tie<'_>),
    ) {
        for list in [&mut self.gone, &mut self.strained, &mut self.moved] {
            list.clear();
        }
        self.renumbered.clear();
        let known = self.tracks.len();
        for joint in Tie::all(world) {
            let (place, handle) = joint.place();
            let tracks = joint.bodies().map(|body| bodies.track(&body));
            let tracks = tracks.map(|track| u64::from(track.unwrap_or(u32::MAX)));
            if self.looks.len() <= place as usize {
                self.looks.resize_with(place as usize + 1, Look::default);
            }
            let look = &mut self.looks[place as usize];
            let is_renumbered = look.update(&joint);
            let identity = tracks.into_iter().chain([look.version]).fold(handle, mix);
            let now = JointTrack {
                strain: joint.strain(),
                anchors: joint.anchors().map(quanta),
            };
            let met = self.track_table.look_up(place, identity, &mut self.gone);
            if met.is_new {
                newcomer(&joint);
                // A newcomer has no strain yet; its anchors are told with it.
                self.tracks.push(JointTrack { strain: 0, ..now });
            } else if is_renumbered {
                self.renumbered.push((met.track, place));
            }
            let before = std::mem::replace(&mut self.tracks[met.track as usize], now);
            if before.strain != now.strain {
                self.strained.push(met.track);
            }
            if before.anchors != now.anchors {
                self.moved.push(met.track);
            }
        }
        self.track_table.end_frame(&mut self.gone);
        number(out, (self.tracks.len() - known) as u32);
        ascending(out, &self.gone);
        for list in [&mut self.strained, &mut self.moved] {
            list.sort_unstable();
        }
        ascending(out, &self.strained);
        for &track in &self.strained {
            number(out, u32::from(self.tracks[track as usize].strain));
        }
        ascending(out, &self.moved);
        for &track in &self.moved {
            let anchors = self.tracks[track as usize].anchors;
            anchors.as_flattened().iter().for_each(|&part| signed(out, part));
        }
        self.renumbered.sort_unstable();
        let tracks: Vec<u32> = self.renumbered.iter().map(|(track, _)| *track).collect();
        ascending(out, &tracks);
        for &(_, place) in &self.renumbered {
            let numbers = &self.looks[place as usize].numbers;
            number(out, numbers.len() as u32);
            numbers.iter().for_each(|&number| signed(out, number));
        }
    }
}
