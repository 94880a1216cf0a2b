//! Which fragments of a body stay together: those that touch on the same side of the knife, and those that were not cut
//! and are on the same side.
//!
//! A line and a pattern of cells part everything. A segment parts only what it passes: fragments on both sides of its line
//! that touch beyond its ends stay together there. Whether it parts shapes that hang together is up to them alone,
//! whatever else the body has. What it leaves whole stays together if it does not pass between that, and goes with one
//! of the pieces that have a shape which was not cut.

use super::fragment::{Fragment, LEFT, RIGHT};
use super::part_tree::{PartTree, is_bonded};
use crate::Shape;
use crate::constants::CUT_BOND_M;
use alloc::vec::Vec;
use glam::DVec2;
use tombolo_geometry::split::CutLine;

/// The groups of fragments that stay together, each sorted, in the order of their first fragments; a single one if the
/// knife parts nothing, and none without fragments. `parts` are the fragments' own, and `segment` is the knife if that is a
/// segment.
pub(super) fn connected_groups(
    fragments: &[Fragment],
    parts: &PartTree,
    segment: Option<&CutLine>,
) -> Vec<Vec<usize>> {
    let mut groups = Sets::new(fragments.len());
    if fragments.is_empty() {
        return Vec::new();
    }
    if let Some(segment) = segment {
        join_beside_segment(fragments, parts, &Reach::new(segment), &mut groups);
    } else {
        join_in_cells(fragments, parts, &mut groups);
    }
    groups.lists()
}

/// Joins the fragments that were not cut and are in the same cell, whatever is between them, and those in the same cell
/// that touch.
fn join_in_cells(fragments: &[Fragment], parts: &PartTree, groups: &mut Sets) {
    let mut uncut: Vec<usize> = (0..fragments.len())
        .filter(|&index| !fragments[index].is_cut())
        .collect();
    uncut.sort_by_key(|&index| fragments[index].cell);
    for pair in uncut.windows(2) {
        if fragments[pair[0]].cell == fragments[pair[1]].cell {
            groups.join(pair[0], pair[1]);
        }
    }
    parts.for_each_near(|[a, b], parts| {
        let (one, other) = (&fragments[a], &fragments[b]);
        let may_join = one.solid != other.solid && may_stay_together(one, other);
        if may_join && !groups.is_joined(a, b) && is_bonded(parts) {
            groups.join(a, b);
        }
    });
}

/// Joins the fragments that a segment leaves together.
///
/// Solids that hang together are parted if their fragments no longer do. Two of these fragments that touched are on
/// different sides then, so nothing that is only joined to others of its side can undo that; and each set of what is
/// whole is joined to one piece.
fn join_beside_segment(fragments: &[Fragment], parts: &PartTree, reach: &Reach<'_>, groups: &mut Sets) {
    let mut before = join_bonded(fragments, parts, reach, groups);
    let is_parted = parted(fragments, &mut before, groups);
    if !is_parted.contains(&true) {
        (1..fragments.len()).for_each(|index| groups.join(0, index));
        return;
    }
    let mut firsts = [None; 8];
    for (index, extent) in extents(fragments, groups).into_iter().enumerate() {
        let is_one_side = extent.sides == Extent::LEFT || extent.sides == Extent::RIGHT;
        let may_join = !is_parted[index] || (is_one_side && extent.uncut_area > 0.0);
        if may_join && extent.sides != 0 {
            let place = usize::from(extent.sides) + 4 * usize::from(is_parted[index]);
            groups.join(*firsts[place].get_or_insert(index), index);
        }
    }
    // What is on both sides holds what is on either.
    let [_, left, right, both, ..] = firsts;
    let whole = (0..fragments.len()).filter(|&index| !is_parted[index]);
    let hold = !reach.passes_between(fragments, whole);
    for (a, b, hold) in [(left, both, true), (right, both, true), (left, right, hold)] {
        if let (Some(a), Some(b), true) = (a, b, hold) {
            groups.join(a, b);
        }
    }
    attach_whole(fragments, &is_parted, groups);
}

/// Joins the fragments of different solids that touch and that the segment does not part. Returns the sets of solids
/// that hang together without the cut.
fn join_bonded(fragments: &[Fragment], parts: &PartTree, reach: &Reach<'_>, groups: &mut Sets) -> Sets {
    let solid_count = fragments.last().map_or(0, |last| last.solid + 1);
    let mut before = Sets::new(solid_count);
    parts.for_each_near(|[a, b], parts| {
        let (one, other) = (&fragments[a], &fragments[b]);
        let is_known = groups.is_joined(a, b) && before.is_joined(one.solid, other.solid);
        if one.solid == other.solid || is_known || !is_bonded(parts) {
            return;
        }
        before.join(one.solid, other.solid);
        if may_stay_together(one, other) || reach.is_passed_by(parts) {
            groups.join(a, b);
        }
    });
    before
}

/// For each fragment whether the solids that hung together with its own are in several groups now.
fn parted(fragments: &[Fragment], before: &mut Sets, groups: &mut Sets) -> Vec<bool> {
    let mut group_of: Vec<Option<usize>> = alloc::vec![None; before.0.len()];
    let mut is_parted = alloc::vec![false; before.0.len()];
    for (index, fragment) in fragments.iter().enumerate() {
        let (set, group) = (before.first(fragment.solid), groups.first(index));
        is_parted[set] |= *group_of[set].get_or_insert(group) != group;
    }
    let of_fragment = |fragment: &Fragment| is_parted[before.first(fragment.solid)];
    fragments.iter().map(of_fragment).collect()
}

/// Joins each set of fragments that are whole to the piece on a side of it that has most of what was not cut, the first
/// of several; to none if each shape there was cut.
fn attach_whole(fragments: &[Fragment], is_parted: &[bool], groups: &mut Sets) {
    let extents = extents(fragments, groups);
    let mut joins = Vec::new();
    for (index, whole) in extents.iter().enumerate() {
        if is_parted[index] || whole.sides == 0 {
            continue;
        }
        let mut most: Option<usize> = None;
        for (piece, extent) in extents.iter().enumerate() {
            let may_join = is_parted[piece] && extent.sides & whole.sides != 0 && extent.uncut_area > 0.0;
            if may_join && most.is_none_or(|most| extent.uncut_area > extents[most].uncut_area) {
                most = Some(piece);
            }
        }
        joins.extend(most.map(|piece| (index, piece)));
    }
    joins.iter().for_each(|&(index, piece)| groups.join(index, piece));
}

/// What a group has on the sides of a segment's line.
#[derive(Clone, Copy, Default)]
struct Extent {
    /// The sides on which it has fragments, as bits; both for a fragment that is on both.
    sides: u8,
    /// The area in square meters of its fragments that were not cut.
    uncut_area: f64,
}

impl Extent {
    const LEFT: u8 = 1 << LEFT;
    const RIGHT: u8 = 1 << RIGHT;
}

/// The extent of each group, at the place of its first fragment; nothing at other places.
fn extents(fragments: &[Fragment], groups: &mut Sets) -> Vec<Extent> {
    let mut extents = alloc::vec![Extent::default(); fragments.len()];
    for (index, fragment) in fragments.iter().enumerate() {
        let extent = &mut extents[groups.first(index)];
        extent.sides |= fragment
            .cell
            .map_or(Extent::LEFT | Extent::RIGHT, |cell| 1 << cell);
        if !fragment.is_cut() {
            extent.uncut_area += fragment.moments.area;
        }
    }
    extents
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

    /// Whether the segment passes between all fragments on the one side and all on the other: no straight line between
    /// the centers of two passes an end of it. With the heights above an end as slopes, seen from there, that is a
    /// matter of the steepest on each side.
    fn passes_between(&self, fragments: &[Fragment], among: impl Iterator<Item = usize>) -> bool {
        let mut sides = [(f64::INFINITY, f64::NEG_INFINITY); 2];
        for index in among {
            let Some(cell) = fragments[index].cell else {
                return false;
            };
            let place = self.place(fragments[index].moments.centroid);
            let aside = place.y.abs();
            let (lowest, steepest) = &mut sides[cell as usize];
            *lowest = lowest.min(place.x / aside);
            *steepest = steepest.max((place.x - self.length) / aside);
        }
        let [(low_left, high_left), (low_right, high_right)] = sides;
        low_left + low_right >= 0.0 && high_left + high_right <= 0.0
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
