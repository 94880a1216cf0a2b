//! The one-way platforms through which a character drops: those that it lets go of, and those connected with them, such
//! as the tiles of a row, each of which may be a shape of its own.

use super::CHARACTER_GAP_M;
use super::def::TOUCH_M;
use super::gather::{SEAM_M, Sight, pose_at};
use crate::shape::ShapeId;
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::bvh::Visit;
use tombolo_geometry::distance::distance;

impl Sight<'_> {
    /// Lists the platforms through which the character drops, `first` in front: all that it stands on while it still stands
    /// outside of that, and what is connected with these. Of a long run those near the character, which moves by about
    /// `travel` meters. Costs the shapes near by, times those that are listed.
    pub(super) fn list_dropped(
        &self,
        first: u32,
        travel: f32,
        candidates: &mut Vec<u32>,
        dropped: &mut Vec<u32>,
    ) {
        let area = self.def.shape.aabb(pose_at(self.origin));
        let area = area.grown(area.half_size().max_element() + travel);
        candidates.clear();
        self.state.broad_phase.query_box(area, self.def.mask, |shape| {
            candidates.push(shape);
            Visit::Continue
        });
        candidates.retain(|&shape| shape != first && self.is_platform(shape));
        candidates.sort_unstable();
        dropped.clear();
        dropped.push(first);
        let mut list = |dropped: &mut Vec<u32>, is_wanted: &dyn Fn(u32) -> bool| {
            candidates.retain(|&shape| {
                let wanted = is_wanted(shape);
                if wanted {
                    dropped.push(shape);
                }
                !wanted
            });
        };
        let is_outside = !self.passes_from(first, self.origin);
        // What is lower than that by no more than a seam is high would hold it next, and lets it in a little later.
        let lower = self.origin - SEAM_M * self.def.up;
        list(dropped, &|shape| {
            self.is_within(CHARACTER_GAP_M + TOUCH_M + SEAM_M, shape, self.origin)
                && !self.passes_from(shape, self.origin)
                && (is_outside || self.passes_from(shape, lower))
        });
        let mut next = 0;
        while let Some(&platform) = dropped.get(next) {
            list(dropped, &|shape| self.are_connected(platform, shape));
            next += 1;
        }
    }

    /// The first of the platforms through which it drops that it touches at a position, or from which it is no farther
    /// than it has come: off a lift that rises it begins with the lift's velocity.
    pub(super) fn dropped_at(&self, position: Vec2) -> Option<ShapeId> {
        let reach = CHARACTER_GAP_M + TOUCH_M + position.distance(self.origin);
        let is_near = |shape: u32| self.is_within(reach, shape, position);
        let touched = self.dropped.iter().find(|&&shape| is_near(shape));
        self.state.shapes.handle_of_slot(*touched?)
    }

    /// Whether a shape is a one-way platform for the character, and collides with it.
    pub(super) fn is_platform(&self, shape: u32) -> bool {
        self.collides_with(shape) && self.state.is_one_way_for(shape, self.def.rule_side())
    }

    fn are_connected(&self, a: u32, b: u32) -> bool {
        let state = self.state;
        let [pose_a, pose_b] = [a, b].map(|shape| state.body_poses[state.shape_links[shape].body].pose);
        let between = distance(
            &state.shape_geometries[a],
            &state.shape_geometries[b],
            pose_a.to(pose_b),
        );
        between.distance <= SEAM_M
    }

    fn is_within(&self, reach: f32, shape: u32, position: Vec2) -> bool {
        let body = self.state.shape_links[shape].body;
        self.obstacle(shape, body, position, reach).is_some()
    }
}
