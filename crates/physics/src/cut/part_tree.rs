//! The convex parts of fragments in a tree, to find those that are near one another or a point.

use super::fragment::Fragment;
use crate::Shape;
use crate::constants::CUT_BOND_M;
use alloc::vec::Vec;
use glam::DVec2;
use tombolo_geometry::bvh::{BuildScratch, NodeFilter, Tree, Visit};
use tombolo_geometry::distance::distance;
use tombolo_geometry::shape::LENGTH_MIN;
use tombolo_geometry::{Aabb, Pose};

/// The convex parts of fragments, with their boxes in a tree. It has copies of them, since a plan keeps it beside the fragments
/// until joints ask for their pieces.
#[derive(Clone, Debug)]
pub(super) struct PartTree {
    tree: Tree,
    /// The index of the fragment of each part, and the part; in the order of the fragments.
    parts: Vec<(usize, Shape)>,
}

impl PartTree {
    /// Costs O(n log n) for n parts.
    pub(super) fn new(fragments: &[Fragment]) -> Self {
        let parts = fragments
            .iter()
            .enumerate()
            .flat_map(|(index, fragment)| fragment.parts.iter().map(move |&part| (index, part)));
        Self::of_parts(parts.collect())
    }

    /// A tree of shapes, each with a number in place of the index of its fragment. Costs O(n log n) for n shapes.
    pub(super) fn of_parts(parts: Vec<(usize, Shape)>) -> Self {
        let mut tree = Tree::new();
        for (item, (_, part)) in (0..).zip(&parts) {
            tree.insert(item, bond_box(part), NodeFilter::ALL)
                .expect("boxes of shapes are finite");
        }
        tree.rebuild(&mut BuildScratch::default(), |_| NodeFilter::ALL, |_, _| {});
        Self { tree, parts }
    }

    /// Calls `visit` with each two fragments that have parts whose boxes are near each other, and those parts, the
    /// earlier one first; in an order that has no meaning. Costs O(log n) for each part, and the pairs.
    pub(super) fn for_each_near(&self, mut visit: impl FnMut([usize; 2], [&Shape; 2])) {
        for (item, (fragment, part)) in (0_u32..).zip(&self.parts) {
            self.tree.query_box(bond_box(part), u64::MAX, |other| {
                let (of, near) = &self.parts[other as usize];
                if other > item && of != fragment {
                    visit([*fragment, *of], [part, near]);
                }
                Visit::Continue
            });
        }
    }

    /// Calls `visit` with the fragment of each part that touches a shape. Costs O(log n) and the parts near it.
    pub(super) fn for_each_bonded(&self, shape: &Shape, mut visit: impl FnMut(usize)) {
        self.tree.query_box(bond_box(shape), u64::MAX, |item| {
            let (fragment, part) = &self.parts[item as usize];
            if is_bonded([part, shape]) {
                visit(*fragment);
            }
            Visit::Continue
        });
    }

    /// The distance of the part that is nearest to a point, 0 if it contains it, and the group of the part, the least of those
    /// of several; `group_of` gives the group of a fragment, if its parts count. `None` if no part counts. Costs O(log n) and
    /// the parts at that distance.
    pub(super) fn nearest(
        &self,
        place: DVec2,
        group_of: impl Fn(usize) -> Option<usize>,
    ) -> Option<(f32, usize)> {
        let point = Shape::circle(place.as_vec2(), LENGTH_MIN).ok()?;
        let mut nearest = (f32::MAX, usize::MAX);
        let area = point.aabb(Pose::IDENTITY);
        self.tree.query_near(area, f32::MAX, u64::MAX, |item, _| {
            let (fragment, part) = &self.parts[item as usize];
            if let Some(group) = group_of(*fragment) {
                let distance = distance(part, &point, Pose::IDENTITY).distance;
                if distance < nearest.0 || (distance == nearest.0 && group < nearest.1) {
                    nearest = (distance, group);
                }
            }
            // Less than zero would end the search.
            nearest.0.max(0.0)
        });
        Some(nearest).filter(|&(_, group)| group != usize::MAX)
    }
}

/// Whether two parts of a body stay together by themselves: they touch, or nearly so.
pub(super) fn is_bonded([a, b]: [&Shape; 2]) -> bool {
    distance(a, b, Pose::IDENTITY).distance <= CUT_BOND_M
}

/// A part's box, grown so that those of parts that are bonded overlap.
fn bond_box(part: &Shape) -> Aabb {
    part.aabb(Pose::IDENTITY).grown(CUT_BOND_M)
}
