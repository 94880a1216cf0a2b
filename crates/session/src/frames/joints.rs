//! Joints and rigid welds in a recording: those that appear and disappear, and the strain of each when it changes. The
//! position of a joint follows from its two bodies; a joint that gets other bodies, or is drawn differently, counts as
//! another one.

use tombolo::physics::PhysicsWorld;

use super::bodies::Bodies;
use super::bytes::{ascending, number};
use super::track_table::TrackTable;
use crate::joint_marks::{JointMarks, Tie};

/// The tracks of all joints and rigid welds that ever appeared.
#[derive(Debug, Default)]
pub(super) struct Joints {
    track_table: TrackTable,
    gone: Vec<u32>,
    /// The strain last written, by track.
    strains: Vec<u8>,
    changed: Vec<(u32, u8)>,
}

impl Joints {
    /// The number of tracks so far, those of removed joints included.
    pub(super) fn track_count(&self) -> usize {
        self.strains.len()
    }

    /// Writes one frame. `newcomer` is called for each joint seen for the first time, in the order of tracks.
    pub(super) fn record(
        &mut self,
        world: &PhysicsWorld,
        bodies: &Bodies,
        out: &mut Vec<u8>,
        newcomer: &mut dyn FnMut(&Tie<'_>),
    ) {
        self.gone.clear();
        self.changed.clear();
        let mut count_new = 0;
        for joint in Tie::all(world) {
            let tracks = joint
                .bodies()
                .map(|body| u64::from(bodies.track(&body).unwrap_or(u32::MAX)));
            let marks = JointMarks::of(&joint);
            let [lower, upper] = marks.limit.unwrap_or_default().map(f32::to_bits);
            let [x, y] = marks.heading.unwrap_or_default().map(f32::to_bits);
            let drawn = [lower, upper, x, y].map(u64::from);
            let drawn = drawn.into_iter().chain([marks.motor as u64]);
            let tracks = tracks.into_iter().chain(drawn);
            let (place, handle) = joint.place();
            let identity = tracks.fold(handle, |sum, track| {
                (sum.rotate_left(5) ^ track).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            });
            let met = self.track_table.look_up(place, identity, &mut self.gone);
            if met.is_new {
                count_new += 1;
                newcomer(&joint);
                self.strains.push(0);
            }
            let now = joint.strain();
            if self.strains[met.track as usize] != now {
                self.strains[met.track as usize] = now;
                self.changed.push((met.track, now));
            }
        }
        self.track_table.end_frame(&mut self.gone);
        number(out, count_new);
        ascending(out, &self.gone);
        self.changed.sort_unstable();
        let tracks: Vec<u32> = self.changed.iter().map(|(track, _)| *track).collect();
        ascending(out, &tracks);
        for (_, strain) in &self.changed {
            number(out, u32::from(*strain));
        }
    }
}
