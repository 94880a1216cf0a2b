//! Composites that fall apart: a cut between members, through no shape. It is applied like any other cut, so that
//! shapes, mass, momentum and joints are assigned by the same rules; then the members follow their shapes.

use super::fragment::Fragment;
use super::part_tree::PartTree;
use super::plan::{Fate, Group, Plan, weigh};
use crate::body::{NONE, flag};
use crate::state::State;
use alloc::vec::Vec;
use glam::DVec2;

/// The connected parts of a body's members: for each member, sorted by index, the number of its part. Parts are
/// numbered by their members of least index.
struct HeldParts {
    members: Vec<u32>,
    part_of: Vec<usize>,
    count: usize,
}

impl HeldParts {
    fn of(state: &State, body: u32) -> Self {
        let mut members: Vec<u32> = state.members_of(body).collect();
        members.sort_unstable();
        let mut part_of = alloc::vec![usize::MAX; members.len()];
        let mut count = 0;
        let mut open = Vec::new();
        for first in 0..members.len() {
            if part_of[first] != usize::MAX {
                continue;
            }
            part_of[first] = count;
            open.push(members[first]);
            while let Some(member) = open.pop() {
                for (weld, end) in state.welds_of(member) {
                    let other = state.rigid_welds.live(weld).members[1 - end];
                    let place = members
                        .binary_search(&other)
                        .expect("welded members are in one body");
                    if part_of[place] == usize::MAX {
                        part_of[place] = count;
                        open.push(other);
                    }
                }
            }
            count += 1;
        }
        Self {
            members,
            part_of,
            count,
        }
    }

    fn of_shape(&self, state: &State, shape: u32) -> usize {
        let member = state
            .member_of(shape)
            .and_then(|member| self.members.binary_search(&member).ok());
        self.part_of[member.expect("every shape of a composite is a member's")]
    }
}

impl State {
    /// The number of parts of a composite: one, unless welds or members were removed since it was last divided.
    pub(crate) fn count_parts(&self, body: u32) -> usize {
        HeldParts::of(self, body).count
    }

    /// Divides a composite into one body for each part that is connected. The part of the greatest area keeps the body.
    /// The caller has checked that there is room for the others. Cost: O(n log n) for the body's shapes, members, welds
    /// and contacts, and for each of its joints its shapes.
    pub(crate) fn part_composite(&mut self, body: u32) {
        if !self.is_composite(body) {
            return;
        }
        let parts = HeldParts::of(self, body);
        if parts.count < 2 {
            return;
        }
        let plan = self.plan_along_welds(body, &parts);
        let cut = self.apply_cut(&plan);
        let mut pieces = cut.pieces.iter().map(|piece| piece.index());
        let bodies: Vec<u32> = plan
            .groups
            .iter()
            .map(|group| {
                if group.fate == Fate::Stay {
                    body
                } else {
                    pieces.next().expect("a body for each part")
                }
            })
            .collect();
        self.body_members[body] = NONE;
        self.body_sims[body].set(flag::COMPOSITE, false);
        for (&member, &part) in parts.members.iter().zip(&parts.part_of) {
            self.list_member(member, bodies[part]);
        }
        bodies.into_iter().for_each(|body| self.weigh_members(body));
    }

    fn plan_along_welds(&self, body: u32, parts: &HeldParts) -> Plan {
        let (solids, passengers) = self.solids_of(body);
        let mut fragments = Vec::new();
        let mut fragments_of: Vec<Vec<usize>> = alloc::vec![Vec::new(); parts.count];
        for (index, solid) in solids.iter().enumerate() {
            fragments_of[parts.of_shape(self, solid.shapes[0])].push(index);
            fragments.push(Fragment {
                solid: index,
                cell: None,
                concave_polygon: None,
                parts: self.copies_of(&solid.shapes),
                density: solid.density,
                moments: solid.moments,
            });
        }
        let passengers: Vec<(Vec<u32>, usize)> = passengers
            .into_iter()
            .map(|shapes| {
                let part = parts.of_shape(self, shapes[0]);
                (shapes, part)
            })
            .collect();
        let mut first_passengers: Vec<Option<&[u32]>> = alloc::vec![None; parts.count];
        for (shapes, part) in &passengers {
            first_passengers[*part].get_or_insert(shapes);
        }
        let mut groups: Vec<Group> = Vec::new();
        for (members, along) in fragments_of.into_iter().zip(first_passengers) {
            let only_passengers = members.is_empty();
            let mut group = weigh(members, &fragments);
            if only_passengers {
                group.center = along.map_or(DVec2::ZERO, |shapes| self.center_of(shapes));
            }
            groups.push(group);
        }
        let greatest = (0..groups.len()).reduce(|best, part| {
            if groups[part].area > groups[best].area {
                part
            } else {
                best
            }
        });
        groups[greatest.expect("two parts at least")].fate = Fate::Stay;
        Plan {
            body,
            solids,
            fragments,
            parts: PartTree::of_parts(Vec::new()),
            groups,
            passengers,
            members: parts
                .members
                .iter()
                .copied()
                .zip(parts.part_of.iter().copied())
                .collect(),
            segments: Vec::new(),
        }
    }
}
