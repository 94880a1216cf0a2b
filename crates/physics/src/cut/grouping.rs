//! Which fragments of a body stay together: those that touch on the same side of the knife, and those that were not cut
//! and are on the same side.
//!
//! A line and a pattern of cells part everything; a segment only what it passes. Fragments on both sides of its line that
//! touch beyond its ends stay together there. And so do shapes that it does not concern: those that hang together
//! through neither a shape that was cut nor a seam that it runs along stay as they are with one another, if it does not
//! pass between them.

use super::fragment::{Fragment, LEFT, RIGHT};
use super::part_tree::{PartTree, is_bonded};
use crate::Shape;
use crate::constants::CUT_BOND_M;
use alloc::vec::Vec;
use glam::DVec2;
use tombolo_geometry::split::CutLine;

/// The groups of fragments that stay together, each sorted, in the order of their first fragments; a single one if the
/// knife parts nothing. `segment` is the knife if that is a segment.
pub(super) fn connected_groups(fragments: &[Fragment], segment: Option<&CutLine>) -> Vec<Vec<usize>> {
    let mut groups = Sets::new(fragments.len());
    join_uncut_on_one_side(fragments, &mut groups);
    let tree = PartTree::new(fragments);
    let Some(segment) = segment else {
        tree.for_each_near(|[a, b], parts| {
            let (one, other) = (&fragments[a], &fragments[b]);
            let may_join = one.solid != other.solid && may_stay_together(one, other);
            if may_join && !groups.is_joined(a, b) && is_bonded(parts) {
                groups.join(a, b);
            }
        });
        return groups.lists();
    };
    let reach = Reach::new(segment);
    let solid_count = fragments.last().map_or(0, |last| last.solid + 1);
    let mut before = Sets::new(solid_count);
    let mut is_parted: Vec<bool> = alloc::vec![false; solid_count];
    for fragment in fragments {
        is_parted[fragment.solid] |= fragment.is_cut();
    }
    tree.for_each_near(|[a, b], parts| {
        let (one, other) = (&fragments[a], &fragments[b]);
        let may_join = may_stay_together(one, other);
        let is_known = may_join && groups.is_joined(a, b) && before.is_joined(one.solid, other.solid);
        if one.solid == other.solid || is_known || !is_bonded(parts) {
            return;
        }
        before.join(one.solid, other.solid);
        if may_join || reach.is_passed_by(parts) {
            groups.join(a, b);
        } else {
            (is_parted[one.solid], is_parted[other.solid]) = (true, true);
        }
    });
    if !is_parted.contains(&true) {
        return Vec::from([(0..fragments.len()).collect()]);
    }
    let mut is_concerned = alloc::vec![false; solid_count];
    for solid in 0..solid_count {
        is_concerned[before.first(solid)] |= is_parted[solid];
    }
    let unconcerned =
        (0..fragments.len()).filter(|&index| !is_concerned[before.first(fragments[index].solid)]);
    reach.join_around(fragments, unconcerned, &mut groups);
    groups.lists()
}

/// Joins the fragments that were not cut and are in the same cell, whatever is between them.
fn join_uncut_on_one_side(fragments: &[Fragment], groups: &mut Sets) {
    let mut uncut: Vec<usize> = (0..fragments.len())
        .filter(|&index| !fragments[index].is_cut())
        .collect();
    uncut.sort_by_key(|&index| fragments[index].cell);
    for pair in uncut.windows(2) {
        if fragments[pair[0]].cell == fragments[pair[1]].cell {
            groups.join(pair[0], pair[1]);
        }
    }
}

/// Whether two fragments stay together if they touch: they are not on different sides.
fn may_stay_together(a: &Fragment, b: &Fragment) -> bool {
    a.cell == b.cell || a.cell.is_none() || b.cell.is_none()
}

/// How far a segment reaches along its line.
struct Reach<'a> {
    segment: &'a CutLine,
    /// The length of the segment in meters.
    length: f64,
}

impl<'a> Reach<'a> {
    fn new(segment: &'a CutLine) -> Self {
        let length = segment.from().distance(segment.to());
        Self { segment, length }
    }

    /// The place of a point in the frame of the segment: along it from its start, and to its left.
    fn place(&self, point: DVec2) -> DVec2 {
        let along = (self.segment.to() - self.segment.from()) / self.length;
        let offset = point - self.segment.from();
        DVec2::new(along.dot(offset), along.perp_dot(offset))
    }

    /// Whether two parts that touch across the line also do so beyond an end of the segment.
    fn is_passed_by(&self, parts: [&Shape; 2]) -> bool {
        let bond = f64::from(CUT_BOND_M);
        let depth = bond + parts.iter().map(|part| f64::from(part.radius())).sum::<f64>();
        let [(low_a, high_a), (low_b, high_b)] = parts.map(|part| self.span_near_line(part, depth));
        low_a.max(low_b) < -bond || high_a.min(high_b) > self.length + bond
    }

    /// The interval along the line of the points of a part's core within `depth` meters of the line.
    fn span_near_line(&self, part: &Shape, depth: f64) -> (f64, f64) {
        let corners = part.vertices();
        let places = corners.iter().map(|corner| self.place(corner.as_dvec2()));
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut add = |along: f64| (low, high) = (low.min(along), high.max(along));
        let mut last = self.place(corners[corners.len() - 1].as_dvec2());
        for place in places {
            let (before, here) = (last.y.abs() - depth, place.y.abs() - depth);
            if (before > 0.0) != (here > 0.0) {
                add(last.x + (place.x - last.x) * (before / (before - here)));
            }
            if here <= 0.0 {
                add(place.x);
            }
            last = place;
        }
        (low, high)
    }

    /// Joins fragments that were not cut and are on different sides if the segment does not pass between all that are
    /// on the one side and all that are on the other: the straight line between the centers of some two passes an end
    /// of it. With the heights above an end as slopes, seen from there, that is a matter of the steepest on each side.
    fn join_around(&self, fragments: &[Fragment], among: impl Iterator<Item = usize>, groups: &mut Sets) {
        let mut sides = [LEFT, RIGHT].map(|cell| (cell, None, f64::INFINITY, f64::NEG_INFINITY));
        let mut across = None;
        for index in among {
            let fragment = &fragments[index];
            let Some(cell) = fragment.cell else {
                across = Some(index);
                continue;
            };
            let place = self.place(fragment.moments.centroid);
            let aside = place.y.abs();
            let (_, first, lowest, steepest) = &mut sides[cell as usize];
            *first = Some(index);
            *lowest = lowest.min(place.x / aside);
            *steepest = steepest.max((place.x - self.length) / aside);
        }
        let [(_, left, low_left, high_left), (_, right, low_right, high_right)] = sides;
        if let (Some(left), Some(right)) = (left, right)
            && (low_left + low_right < 0.0 || high_left + high_right > 0.0)
        {
            groups.join(left, right);
        }
        if let Some(across) = across {
            // What lies across the line beyond the segment holds both sides.
            for (index, fragment) in fragments.iter().enumerate() {
                if !fragment.is_cut() {
                    groups.join(across, index);
                }
            }
        }
    }
}

/// Disjoint sets of the numbers below a count (B. A. Galler, M. J. Fischer, *An improved equivalence algorithm*, 1964).
/// The first of each set, its least number, stands for it.
struct Sets(Vec<usize>);

impl Sets {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn first(&mut self, mut number: usize) -> usize {
        while self.0[number] != number {
            self.0[number] = self.0[self.0[number]];
            number = self.0[number];
        }
        number
    }

    fn is_joined(&mut self, a: usize, b: usize) -> bool {
        self.first(a) == self.first(b)
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b)] = a.min(b);
    }

    /// The sets, in the order of their first numbers, each sorted.
    fn lists(mut self) -> Vec<Vec<usize>> {
        let mut lists: Vec<Vec<usize>> = Vec::new();
        let mut list_of = alloc::vec![0; self.0.len()];
        for number in 0..self.0.len() {
            let first = self.first(number);
            if first == number {
                list_of[number] = lists.len();
                lists.push(Vec::new());
            }
            lists[list_of[first]].push(number);
        }
        lists
    }
}
