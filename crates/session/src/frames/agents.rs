//! Agents in a recording: those that appear, those that disappear, and the rest of each one's path.
//!
//! An agent passes the corners of its path from the first on, and a new path often ends like the old one. So a change
//! is written as the number of corners at the end that stay, and the corners before them.

use tombolo::World;
use tombolo::component::{AGENT, Agent};
use tombolo::entity::{Dense, Entity};
use tombolo::physics::Vec2;

use super::bodies::Bodies;
use super::bytes::{ascending, number, signed};
use super::contacts::POINT_PARTS;
use super::track_table::TrackTable;

/// A corner in quanta, which are whole parts of a meter.
type Corner = [i32; 2];

/// The tracks of all agents that ever appeared.
#[derive(Debug, Default)]
pub(super) struct Agents {
    track_table: TrackTable,
    gone: Vec<u32>,
    /// The paths that the reader has, by track.
    known: Vec<Vec<Corner>>,
    /// Tracks with the paths of this frame.
    now: Vec<(u32, Vec<Corner>)>,
}

impl Agents {
    /// The numbers of tracks so far, and of those that are there.
    pub(super) fn counts(&self) -> [usize; 2] {
        self.track_table.counts()
    }

    /// Writes one frame. `newcomer` is called for each agent seen for the first time, in the order of tracks, with the
    /// track of its body, if it has one.
    pub(super) fn record(
        &mut self,
        world: Option<&World>,
        bodies: &Bodies,
        out: &mut Vec<u8>,
        newcomer: &mut dyn FnMut(Option<u32>),
    ) {
        self.gone.clear();
        self.now.clear();
        let known_before = self.known.len();
        if let Some((world, agents)) = world.and_then(|world| Some((world, world.manager(AGENT)?))) {
            self.look_up_all(world, agents, bodies, newcomer);
        }
        self.track_table.end_frame(&mut self.gone);
        number(out, (self.known.len() - known_before) as u32);
        ascending(out, &self.gone);
        for &track in &self.gone {
            self.known[track as usize].clear();
        }
        self.now.sort_unstable();
        self.now
            .retain(|(track, path)| self.known[*track as usize] != *path);
        let changed: Vec<u32> = self.now.iter().map(|(track, _)| *track).collect();
        ascending(out, &changed);
        for (track, path) in self.now.drain(..) {
            write_change(&self.known[track as usize], &path, out);
            self.known[track as usize] = path;
        }
    }

    fn look_up_all(
        &mut self,
        world: &World,
        agents: &Dense<Agent>,
        bodies: &Bodies,
        newcomer: &mut dyn FnMut(Option<u32>),
    ) {
        let mut owners: Vec<Entity> = agents.owners().map(|(entity, _)| entity).collect();
        owners.sort_unstable();
        owners.dedup();
        for entity in owners {
            let (Some(pose), Some(agent)) = (world.pose(entity), agents.newest(entity)) else {
                continue;
            };
            let body = world.body_of(entity).and_then(|body| world.physics().body(body));
            let body = body.and_then(|body| bodies.track(&body));
            // An agent that gets another body counts as another agent.
            let identity = entity.to_bits() ^ body.map_or(0, |track| u64::from(track) + 1).rotate_left(40);
            let met = self.track_table.look_up(entity.index(), identity, &mut self.gone);
            if met.is_new {
                self.known.push(Vec::new());
                newcomer(body);
            }
            // No other part of the frame has the position of an agent without a body.
            let here = (body.is_none() && !agent.path().is_empty()).then_some(pose.position);
            let path = here.iter().chain(agent.path()).map(quanta).collect();
            self.now.push((met.track, path));
        }
    }
}

fn quanta(corner: &Vec2) -> Corner {
    let parts = (*corner * POINT_PARTS).round();
    [parts.x as i32, parts.y as i32]
}

/// Writes the number of corners at the end that stay, the number before them, and these corners: the first from the
/// origin, each other one from the one before.
fn write_change(old: &[Corner], new: &[Corner], out: &mut Vec<u8>) {
    let pairs = old.iter().rev().zip(new.iter().rev());
    let stay = pairs.take_while(|(old, new)| old == new).count();
    let fresh = &new[..new.len() - stay];
    number(out, stay as u32);
    number(out, fresh.len() as u32);
    let mut last = [0; 2];
    for corner in fresh {
        for axis in 0..2 {
            signed(out, corner[axis].wrapping_sub(last[axis]));
        }
        last = *corner;
    }
}
