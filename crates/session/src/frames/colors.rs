//! Colors of the constraint graph in a recording: the color with which each contact and each joint is solved, when it
//! changes. What is not solved has none.

use tombolo::physics::{ContactRef, PhysicsWorld};

use super::bytes::{ascending, number};
use super::joints::Joints;
use crate::joint_marks::Tie;

/// A color for each place: 0 for none, else the color's number plus one.
#[derive(Debug, Default)]
struct Column {
    known: Vec<u8>,
    now: Vec<u8>,
    changed: Vec<u32>,
}

/// The colors that the reader has: of contacts by their indices in the world's arrays, of joints by their tracks.
#[derive(Debug, Default)]
pub(super) struct Colors {
    contacts: Column,
    joints: Column,
}

impl Column {
    fn set(&mut self, place: u32, color: Option<u32>) {
        let place = place as usize;
        if self.now.len() <= place {
            self.now.resize(place + 1, 0);
        }
        self.now[place] = color.map_or(0, |color| color as u8 + 1);
    }

    /// Writes the places whose color has changed, then their colors.
    fn write(&mut self, out: &mut Vec<u8>) {
        self.known.resize(self.now.len(), 0);
        self.changed.clear();
        let pairs = (0..).zip(self.known.iter().zip(&self.now));
        let changed = pairs.filter(|(_, (known, now))| known != now);
        self.changed.extend(changed.map(|(place, _)| place));
        ascending(out, &self.changed);
        for &place in &self.changed {
            number(out, self.now[place as usize].into());
        }
        self.known.copy_from_slice(&self.now);
        self.now.fill(0);
    }
}

impl Colors {
    /// Writes one frame. The joints must have updated their tracks.
    pub(super) fn record(&mut self, world: &PhysicsWorld, joints: &Joints, out: &mut Vec<u8>) {
        for contact in world.contacts().filter(ContactRef::is_touching) {
            self.contacts.set(contact.id().index(), contact.color());
        }
        self.contacts.write(out);
        for tie in Tie::all(world) {
            if let Some(track) = joints.track(&tie) {
                self.joints.set(track, tie.color());
            }
        }
        self.joints.write(out);
    }

    /// Writes a frame in which nothing has changed.
    pub(super) fn record_nothing(out: &mut Vec<u8>) {
        ascending(out, &[]);
        ascending(out, &[]);
    }
}
