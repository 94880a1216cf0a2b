//! Checks of a restored state that may have been forged: the mutual references of members, welds and shapes of
//! composites. Called by `check.rs` only; reads only.

use super::State;
use super::check_lists::hold;
use crate::body::{NONE, flag};
use crate::composite::{MemberRecord, RigidWeldRecord};
use crate::persistent::RestoreError;
use alloc::vec::Vec;

impl State {
    /// Checks that the arrays have as many elements as the bodies and shapes of composites need.
    fn check_counts_of_members(&self) -> Result<(), RestoreError> {
        let last = self.body_sims.iter().rposition(|sim| sim.has(flag::COMPOSITE));
        hold!(
            self.body_members.len() <= self.bodies.slot_count()
                && last.is_none_or(|last| last < self.body_members.len()),
            "body_members",
            "not as many elements as bodies need"
        );
        hold!(
            self.shape_members.len() <= self.shapes.slot_count(),
            "shape_members",
            "more elements than shapes"
        );
        Ok(())
    }

    /// Checks that members and welds are in their lists, that members have the shapes that refer to them, and that all
    /// shapes of a composite have a member. Costs members, welds and shapes.
    pub(super) fn check_composites(&self) -> Result<(), RestoreError> {
        self.check_counts_of_members()?;
        hold!(
            self.members.values().all(MemberRecord::is_sound),
            "members",
            "a number that is out of range"
        );
        hold!(
            self.rigid_welds.values().all(RigidWeldRecord::is_sound),
            "rigid_welds",
            "a number or a flag that is out of range"
        );
        self.check_lists_of_members()?;
        self.check_shapes_of_members()?;
        self.check_lists_of_welds()?;
        let grids = self.tile_grids.records.values();
        hold!(
            grids
                .into_iter()
                .all(|grid| !self.body_sims[grid.body].has(flag::COMPOSITE)),
            "tile_grids",
            "a grid on a composite"
        );
        Ok(())
    }

    fn check_lists_of_members(&self) -> Result<(), RestoreError> {
        let mut listed = 0;
        let composites = self
            .body_sims
            .iter()
            .enumerate()
            .filter(|(_, sim)| sim.has(flag::COMPOSITE));
        for (body, _) in composites {
            let body = body as u32;
            hold!(
                self.bodies.is_live(body),
                "body_sims",
                "a composite that does not live"
            );
            let (mut previous, mut member) = (NONE, self.body_members[body]);
            hold!(member != NONE, "body_members", "a composite without members");
            while member != NONE {
                hold!(
                    self.members.is_live(member) && listed < self.members.len(),
                    "members",
                    "a member that does not live, or a list without an end"
                );
                let record = self.members.live(member);
                hold!(
                    (record.body, record.previous) == (body, previous),
                    "members",
                    "a member of another body, or elsewhere in its list"
                );
                listed += 1;
                (previous, member) = (member, record.next);
            }
        }
        hold!(listed == self.members.len(), "members", "a member in no list");
        Ok(())
    }

    fn check_shapes_of_members(&self) -> Result<(), RestoreError> {
        let mut counts = alloc::vec![0_u32; self.members.slot_count()];
        let mut polygons: Vec<(u32, u32)> = Vec::new();
        for (shape, &number) in (0_u32..).zip(self.shape_members.iter()) {
            let Some(member) = number.checked_sub(1) else {
                continue;
            };
            hold!(
                self.shapes.is_live(shape)
                    && self.members.is_live(member)
                    && self.members.live(member).body == self.shape_links[shape].body,
                "shape_members",
                "a shape or a member that does not live, or is on another body"
            );
            counts[member as usize] += 1;
            polygons.extend(self.concave_polygon_of(shape).map(|polygon| (polygon, member)));
        }
        let whole = |id: u32| self.members.live(id).shape_count == counts[id as usize];
        hold!(
            self.members.handles().all(|id| whole(id.index())),
            "members",
            "another number of shapes than was expected"
        );
        let on_composite = |shape: u32| {
            let sim = self.body_sims.get(self.shape_links[shape].body as usize);
            sim.is_some_and(|sim| sim.has(flag::COMPOSITE))
        };
        hold!(
            self.shapes
                .handles()
                .all(|id| self.member_of(id.index()).is_some() == on_composite(id.index())),
            "shape_members",
            "a shape of a composite that is no member's"
        );
        polygons.sort_unstable();
        hold!(
            polygons.is_sorted_by(|a, b| a.0 != b.0 || a.1 == b.1),
            "shape_members",
            "a concave polygon of two members"
        );
        Ok(())
    }

    fn check_lists_of_welds(&self) -> Result<(), RestoreError> {
        let mut listed = 0;
        for id in self.members.handles() {
            let (mut previous, mut key) = (NONE, self.members.live(id.index()).first_weld);
            while key != NONE {
                hold!(
                    self.rigid_welds.is_live(key >> 1) && listed < 2 * self.rigid_welds.len(),
                    "rigid_welds",
                    "a weld that does not live, or a list without an end"
                );
                let (weld, end) = (self.rigid_welds.live(key >> 1), (key & 1) as usize);
                hold!(
                    (weld.members[end], weld.previous[end]) == (id.index(), previous),
                    "rigid_welds",
                    "a weld of another member, or elsewhere in its list"
                );
                listed += 1;
                (previous, key) = (key, weld.next[end]);
            }
        }
        let one_body = |weld: &RigidWeldRecord| {
            let [a, b] = weld.members;
            self.members.is_live(a)
                && self.members.is_live(b)
                && self.members.live(a).body == self.members.live(b).body
        };
        hold!(
            listed == 2 * self.rigid_welds.len() && self.rigid_welds.values().all(one_body),
            "rigid_welds",
            "a weld in no list, or of two bodies"
        );
        let mut composites: Vec<u32> = self.members.values().map(|member| member.body).collect();
        composites.sort_unstable();
        composites.dedup();
        hold!(
            composites.into_iter().all(|body| self.count_parts(body) == 1),
            "members",
            "a composite that does not hang together"
        );
        Ok(())
    }
}
