//! Repairs: errors of a polygon that can be repaired before it is checked, and a record of the repairs. [`repair_polygon`] is for
//! users' drawings; [`repair`] is for [`super::splitter`], when a polygon has too small features after many cuts.

use super::concave_polygon::{ConcavePolygon, ConcavePolygonError, least_feature};
use super::line::turn;
use super::simple::orientation;
use alloc::vec::Vec;
use glam::DVec2;

/// A repaired polygon, and the record of the repairs.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairedPolygon {
    /// The polygon.
    pub polygon: ConcavePolygon,
    /// For each vertex of the polygon the number of its point, counted through all loops as given.
    pub sources: Vec<u32>,
    /// The number of points removed because they repeat the point before them, or nearly.
    pub repeated_count: u32,
    /// The number of points removed because the border folded back at them.
    pub folded_count: u32,
    /// The number of loops reversed.
    pub reversed_count: u32,
    /// The number of holes removed because too little was left of them.
    pub vanished_count: u32,
}

/// Makes a polygon of points with small errors: removes repeated points and spikes, both also where they are only too
/// small for a polygon ([`FEATURE_SIZE_RELATIVE`](super::FEATURE_SIZE_RELATIVE)), reverses loops that run in the wrong
/// direction, leaves out holes of which nothing remains.
///
/// Points in meters; the point of each vertex is returned, so that attributes can follow. Costs O(n) beside the checks
/// of [`ConcavePolygon::with_holes`].
///
/// # Errors
///
/// In the same cases as [`ConcavePolygon::with_holes`], with the numbers of the remaining vertices, for errors that
/// cannot be repaired without a guess: crossings, touching edges, points that are not numbers, holes outside the
/// border.
///
/// ```
/// use glam::DVec2;
/// use tombolo_geometry::split::repair_polygon;
/// // Clockwise, with a repeated point and a spike.
/// let drawn = [[0.0, 0.0], [0.0, 2.0], [0.0, 2.0], [2.0, 2.0], [2.0, 5.0], [2.0, 0.0]].map(DVec2::from_array);
/// let repaired = repair_polygon(&drawn, &[]).unwrap();
/// assert_eq!(repaired.polygon.area(), 4.0);
/// assert_eq!((repaired.repeated_count, repaired.folded_count, repaired.reversed_count), (1, 1, 1));
/// assert_eq!(repaired.sources, [5, 3, 1, 0]);
/// ```
pub fn repair_polygon(border: &[DVec2], holes: &[&[DVec2]]) -> Result<RepairedPolygon, ConcavePolygonError> {
    let mut sources = Vec::new();
    let mut loops: Vec<Vec<DVec2>> = Vec::with_capacity(1 + holes.len());
    let (mut repeated_count, mut folded_count, mut reversed_count, mut vanished_count) = (0, 0, 0, 0);
    let all: Vec<DVec2> = core::iter::once(&border)
        .chain(holes)
        .flat_map(|points| points.iter().copied())
        .collect();
    let least = least_feature(&all);
    let mut given_count = 0;
    for (index, points) in core::iter::once(&border).chain(holes).enumerate() {
        let mut kept: Vec<(DVec2, u32)> = points.iter().copied().zip(given_count..).collect();
        given_count += points.len() as u32;
        if points.iter().all(|p| p.is_finite()) {
            clean(&mut kept, least, &mut repeated_count, &mut folded_count);
        }
        if index > 0 && kept.len() < 3 {
            vanished_count += 1;
            continue;
        }
        let positions: Vec<DVec2> = kept.iter().map(|&(point, _)| point).collect();
        if kept.len() >= 3 && (orientation(&positions) > 0.0) != (index == 0) {
            kept.reverse();
            reversed_count += 1;
        }
        sources.extend(kept.iter().map(|&(_, source)| source));
        loops.push(kept.into_iter().map(|(point, _)| point).collect());
    }
    let slices: Vec<&[DVec2]> = loops.iter().map(Vec::as_slice).collect();
    Ok(RepairedPolygon {
        polygon: ConcavePolygon::with_holes(slices[0], &slices[1..])?,
        sources,
        repeated_count,
        folded_count,
        reversed_count,
        vanished_count,
    })
}

/// A polygon that came from many cuts and can be split no more, without the repeated points, spikes and holes that are
/// too small for a new polygon; with the number of the former vertex of each vertex, rising through each loop. `None`
/// if nothing was removed, or too much. Not checked: the caller checks the pieces.
pub(super) fn repair(polygon: &ConcavePolygon) -> Option<(ConcavePolygon, Vec<u32>)> {
    let least = least_feature(polygon.points());
    let (mut points, mut sources, mut loop_ends) = (Vec::new(), Vec::new(), Vec::new());
    for loop_index in 0..polygon.loop_count() {
        let range = polygon.loop_range(loop_index);
        let mut kept: Vec<(DVec2, u32)> = range.map(|v| (polygon.points()[v], v as u32)).collect();
        clean(&mut kept, least, &mut 0, &mut 0);
        let positions = kept.iter().map(|&(point, _)| point);
        let is_left = kept.len() >= 3 && {
            let positions: Vec<DVec2> = positions.clone().collect();
            (orientation(&positions) > 0.0) == (loop_index == 0)
        };
        if is_left {
            points.extend(positions);
            sources.extend(kept.iter().map(|&(_, source)| source));
            loop_ends.push(points.len() as u32);
        } else if loop_index == 0 {
            return None;
        }
    }
    let is_changed = points.len() < polygon.points().len();
    is_changed.then(|| (ConcavePolygon::from_sound_parts(points, loop_ends), sources))
}

/// Removes repeated points and folds from a loop, until there are none. A removal may make another, only at the place
/// itself, so a stack of the points kept so far finds all in one pass; the seam is checked last.
///
/// A fold is a corner at which the border turns back and the nearer of its two ends is less than `least` off the line
/// through the other and the tip.
fn clean(points: &mut Vec<(DVec2, u32)>, least: f64, repeated_count: &mut u32, folded_count: &mut u32) {
    let is_repeat = |a: DVec2, b: DVec2| a == b || (a - b).abs().max_element() < least;
    let is_fold = |a: DVec2, tip: DVec2, b: DVec2| {
        let longer = (tip - a).length().max((b - tip).length());
        turn(a, tip, b).abs() <= least * longer && (tip - a).dot(b - tip) < 0.0
    };
    let mut kept: Vec<(DVec2, u32)> = Vec::with_capacity(points.len());
    for &(point, source) in points.iter() {
        loop {
            match kept[..] {
                [.., (last, _)] if is_repeat(last, point) => *repeated_count += 1,
                [.., (before, _), (last, _)] if is_fold(before, last, point) => {
                    kept.pop();
                    *folded_count += 1;
                    continue;
                }
                _ => kept.push((point, source)),
            }
            break;
        }
    }
    while let [first, second, .., before, last] = kept[..] {
        if is_repeat(last.0, first.0) {
            kept.pop();
            *repeated_count += 1;
        } else if is_fold(before.0, last.0, first.0) {
            kept.pop();
            *folded_count += 1;
        } else if is_fold(last.0, first.0, second.0) {
            kept.remove(0);
            *folded_count += 1;
        } else {
            break;
        }
    }
    *points = kept;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_cannot_be_repaired_is_refused() {
        let refusal = |border: &[[f64; 2]]| {
            let points: Vec<DVec2> = border.iter().map(|&p| DVec2::from_array(p)).collect();
            repair_polygon(&points, &[]).unwrap_err()
        };
        assert!(matches!(
            refusal(&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 1.0]]),
            ConcavePolygonError::EdgesCross { .. }
        ));
        assert!(matches!(
            refusal(&[[0.0, 0.0], [f64::NAN, 2.0], [2.0, 0.0]]),
            ConcavePolygonError::OutOfRange { vertex: 1 }
        ));
        assert!(matches!(
            refusal(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]),
            ConcavePolygonError::TooFewVertices { .. } | ConcavePolygonError::ZeroArea { .. }
        ));
        assert!(repair_polygon(&[], &[]).is_err());
    }

    #[test]
    fn a_hole_of_which_nothing_is_left_is_taken_out() {
        let border = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]].map(DVec2::from_array);
        let flat = [[1.0, 1.0], [2.0, 1.0], [1.0, 1.0]].map(DVec2::from_array);
        let hole = [[1.0, 2.0], [2.0, 2.0], [2.0, 3.0]].map(DVec2::from_array);
        let repaired = repair_polygon(&border, &[&flat, &hole]).unwrap();
        assert_eq!((repaired.vanished_count, repaired.reversed_count), (1, 1));
        assert_eq!(repaired.polygon.area(), 15.5);
        assert_eq!(repaired.sources, [0, 1, 2, 3, 9, 8, 7]);
    }

    proptest! {
        /// Repeats and spikes put into a square come out again, wherever they are, in either direction.
        #[test]
        fn damage_is_undone(
            damage in prop::collection::vec((0usize..4, 0u8..3), 0..6),
            turn in 0usize..12,
            is_reversed in any::<bool>(),
        ) {
            let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]].map(DVec2::from_array);
            let mut points = Vec::new();
            for (index, &corner) in square.iter().enumerate() {
                points.push(corner);
                for &(_, kind) in damage.iter().filter(|d| d.0 == index) {
                    match kind {
                        0 => points.push(corner),
                        1 => points.extend([corner + DVec2::new(1.0, 3.0), corner]),
                        _ => {
                            let bend = corner + DVec2::new(3.0, -1.0);
                            points.extend([bend, corner + DVec2::new(5.0, 1.0), bend, corner]);
                        }
                    }
                }
            }
            let turn = turn % points.len();
            points.rotate_left(turn);
            if is_reversed {
                points.reverse();
            }
            let repaired = repair_polygon(&points, &[]).unwrap();
            prop_assert_eq!(repaired.polygon.area(), 4.0);
            prop_assert_eq!(repaired.polygon.points().len(), 4);
            let taken_out = repaired.repeated_count + repaired.folded_count;
            prop_assert_eq!(taken_out as usize, points.len() - 4);
            for (point, &source) in repaired.polygon.points().iter().zip(&repaired.sources) {
                prop_assert_eq!(*point, points[source as usize]);
            }
        }
    }
}
