//! Joints in a recording: who appears and goes. Where a joint is follows from its two bodies.

use tombolo::physics::{JointRef, PhysicsWorld};

use super::bytes::{ascending, number};
use super::roll::Roll;

/// All joints that ever appeared.
#[derive(Debug, Default)]
pub(super) struct Joints {
    roll: Roll,
    gone: Vec<u32>,
}

impl Joints {
    /// Writes one frame. `newcomer` is told of each joint seen for the first time, in the order of tracks.
    pub(super) fn record(
        &mut self,
        world: &PhysicsWorld,
        out: &mut Vec<u8>,
        newcomer: &mut dyn FnMut(&JointRef<'_>),
    ) {
        self.gone.clear();
        let mut count_new = 0;
        for joint in world.joints() {
            let met = self
                .roll
                .meet(joint.id().index(), joint.id().to_bits(), &mut self.gone);
            if met.is_new {
                count_new += 1;
                newcomer(&joint);
            }
        }
        self.roll.end_call(&mut self.gone);
        number(out, count_new);
        ascending(out, &self.gone);
    }
}
