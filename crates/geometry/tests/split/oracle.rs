//! The properties of every split, checked without any of the splitter's own decisions: coverage and cracks by
//! provenance, areas and sides in exact rationals.

use glam::DVec2;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use tombolo_geometry::split::{ConcavePolygon, ConcavePolygonError, CutLine, EdgeOrigin, Pieces, Side};

/// How far the pieces' areas may be from the polygon's: four steps of `f64` at the farthest coordinate, across the
/// polygon, for each vertex.
fn area_tolerance(polygon: &ConcavePolygon) -> f64 {
    let points = polygon.points();
    let farthest = points.iter().fold(0.0f64, |m, p| m.max(p.abs().max_element()));
    let (mut min, mut max) = (points[0], points[0]);
    for &p in points {
        (min, max) = (min.min(p), max.max(p));
    }
    4.0 * f64::EPSILON * points.len() as f64 * farthest * (max - min).max_element()
}

/// Checks all that can be checked in `f64`. `is_clear` says that no piece may have been dropped.
pub(crate) fn check(
    polygon: &ConcavePolygon,
    line: &CutLine,
    pieces: &Pieces,
    is_clear: bool,
) -> Result<(), String> {
    if is_clear && !pieces.dropped().is_empty() {
        return Err(format!("dropped {:?}", pieces.dropped()));
    }
    check_vertices(polygon, line, pieces)?;
    if pieces.dropped().is_empty() {
        check_coverage(polygon, pieces)?;
        check_cuts(pieces)?;
    }
    let lost: f64 = pieces.dropped().iter().map(|d| d.area).sum();
    let sum: f64 = pieces.iter().map(|piece| piece.area()).sum();
    if (sum + lost - polygon.area()).abs() > 2.0 * area_tolerance(polygon) {
        return Err(format!("area {} became {sum}", polygon.area()));
    }
    for piece in pieces.iter() {
        if piece.area() <= 0.0 {
            return Err(format!("area {}", piece.area()));
        }
        if is_clear {
            check_simple(&piece.to_polygon())?;
        }
    }
    Ok(())
}

/// Whether a piece would be accepted as input, apart from features that the cut made small and holes that touch.
fn check_simple(piece: &ConcavePolygon) -> Result<(), String> {
    let holes: Vec<&[DVec2]> = (1..piece.loop_count()).map(|i| piece.loop_points(i)).collect();
    match ConcavePolygon::with_holes(piece.loop_points(0), &holes) {
        Ok(_) | Err(ConcavePolygonError::TooSmall { .. }) => Ok(()),
        Err(error) => Err(format!("{error}: {:?}", piece.points())),
    }
}

/// How far from the line a vertex may be taken to lie on it, in steps at the farthest coordinate, and a little.
const SNAP_STEPS: f64 = 257.0;

/// About how far a point lies from the line.
fn distance(line: &CutLine, point: DVec2) -> f64 {
    let along = line.to() - line.from();
    let [from, to, point] = [line.from(), line.to(), point].map(exact);
    let doubled_area = cross(&from, &to, &point).to_f64().expect("in range");
    doubled_area.abs() / along.length()
}

fn check_vertices(polygon: &ConcavePolygon, line: &CutLine, pieces: &Pieces) -> Result<(), String> {
    let farthest = polygon
        .points()
        .iter()
        .fold(0.0f64, |m, p| m.max(p.abs().max_element()));
    for piece in pieces.iter() {
        for vertex in piece.vertices() {
            let source = vertex.source as usize;
            let start = polygon.points()[source];
            let side = line.side(start);
            if vertex.t == 0.0 {
                if vertex.position != start {
                    return Err(format!("vertex {source} moved to {}", vertex.position));
                }
                // A crossing may round to a vertex beside the line.
                let is_cut_end = pieces.cuts().iter().any(|c| c.from == start || c.to == start);
                let may_lie = is_cut_end
                    || side == Side::On
                    || piece.side() == Side::On
                    || side == piece.side()
                    || distance(line, start) <= SNAP_STEPS * f64::EPSILON * farthest;
                if pieces.is_cut() && !may_lie {
                    return Err(format!(
                        "vertex {source} on {side:?} in a piece on {:?}",
                        piece.side()
                    ));
                }
            } else if !(0.0..=1.0).contains(&vertex.t)
                || side == Side::On
                || side == line.side(polygon.points()[polygon.next(source)])
            {
                return Err(format!("edge {source} is not crossed, but {vertex:?}"));
            }
        }
    }
    Ok(())
}

/// Every edge of the polygon is covered from end to end by edges of the pieces, once. Where a corner pokes through the
/// line by less than rounding can show, its tip is taken off: that may leave a gap of a few steps of `f64`.
fn check_coverage(polygon: &ConcavePolygon, pieces: &Pieces) -> Result<(), String> {
    let mut parts: Vec<Vec<(f64, f64)>> = vec![Vec::new(); polygon.points().len()];
    for piece in pieces.iter() {
        for loop_index in 0..piece.loop_count() {
            let vertices = piece.loop_vertices(loop_index);
            for (index, vertex) in vertices.iter().enumerate() {
                let EdgeOrigin::Input(edge) = vertex.edge() else {
                    continue;
                };
                let next = vertices[(index + 1) % vertices.len()];
                let from = if vertex.source == edge { vertex.t } else { f64::NAN };
                let is_whole = next.t == 0.0 && next.source as usize == polygon.next(edge as usize);
                let to = if is_whole {
                    1.0
                } else if next.source == edge {
                    next.t
                } else {
                    f64::NAN
                };
                parts[edge as usize].push((from, to));
            }
        }
    }
    for (edge, mut part) in parts.into_iter().enumerate() {
        part.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (start, end) = (polygon.points()[edge], polygon.points()[polygon.next(edge)]);
        let step = 16.0 * f64::EPSILON * start.abs().max(end.abs()).max_element();
        let gap = step / start.distance(end);
        let tiles = part.first().is_some_and(|p| p.0 <= gap)
            && part.last().is_some_and(|p| p.1 >= 1.0 - gap)
            && part.windows(2).all(|w| w[0].1 == w[1].0);
        if !tiles {
            return Err(format!("edge {edge} is covered by {part:?}"));
        }
    }
    Ok(())
}

/// Every cut is one edge of its left piece and, reversed, one of its right piece, bit for bit; there are no other cuts.
fn check_cuts(pieces: &Pieces) -> Result<(), String> {
    let mut seen = vec![[0; 2]; pieces.cuts().len()];
    for (index, piece) in pieces.iter().enumerate() {
        for loop_index in 0..piece.loop_count() {
            let vertices = piece.loop_vertices(loop_index);
            for (at, vertex) in vertices.iter().enumerate() {
                let EdgeOrigin::Cut(number) = vertex.edge() else {
                    continue;
                };
                let cut = pieces.cuts()[number as usize];
                let ends = [vertex.position, vertices[(at + 1) % vertices.len()].position];
                let bits = ends.map(|p| p.to_array().map(f64::to_bits));
                let cut_bits = [cut.from, cut.to].map(|p| p.to_array().map(f64::to_bits));
                if cut.left() == Some(index) && bits == cut_bits {
                    seen[number as usize][0] += 1;
                } else if cut.right() == Some(index) && bits == [cut_bits[1], cut_bits[0]] {
                    seen[number as usize][1] += 1;
                } else {
                    return Err(format!("cut {cut:?} is not edge {at} of piece {index}"));
                }
            }
        }
    }
    if seen.iter().any(|&s| s != [1, 1]) {
        return Err(format!("cuts were seen {seen:?} times"));
    }
    Ok(())
}

pub(crate) type Exact = [BigRational; 2];

pub(crate) fn exact(p: DVec2) -> Exact {
    [p.x, p.y].map(|c| BigRational::from_float(c).expect("finite"))
}

fn cross(a: &Exact, b: &Exact, c: &Exact) -> BigRational {
    (&b[0] - &a[0]) * (&c[1] - &a[1]) - (&b[1] - &a[1]) * (&c[0] - &a[0])
}

pub(crate) fn exact_area(points: &[Exact]) -> BigRational {
    let mut sum = BigRational::zero();
    for index in 1..points.len().saturating_sub(1) {
        sum += cross(&points[0], &points[index], &points[index + 1]);
    }
    sum / BigInt::from(2)
}

/// The exact area of the part of a loop on the left of the line: the textbook clipping of Sutherland and Hodgman. Its
/// result may run along the line back and forth, which has no area.
fn exact_area_on_left(points: &[Exact], line: &[Exact; 2]) -> BigRational {
    let mut clipped = Vec::new();
    for (index, a) in points.iter().enumerate() {
        let b = &points[(index + 1) % points.len()];
        let (here, there) = (cross(&line[0], &line[1], a), cross(&line[0], &line[1], b));
        if !here.is_negative() {
            clipped.push(a.clone());
        }
        if (here.is_positive() && there.is_negative()) || (here.is_negative() && there.is_positive()) {
            let t = &here / (&here - &there);
            clipped.push([0, 1].map(|i| &a[i] + (&b[i] - &a[i]) * &t));
        }
    }
    exact_area(&clipped)
}

/// Checks sides and areas against exact rationals: of each side, the pieces there have the area of the polygon there.
pub(crate) fn check_exactly(polygon: &ConcavePolygon, line: &CutLine, pieces: &Pieces) -> Result<(), String> {
    let ends = [exact(line.from()), exact(line.to())];
    for (point, index) in polygon.points().iter().zip(0..) {
        let exact_side = cross(&ends[0], &ends[1], &exact(*point));
        let side = match (exact_side.is_positive(), exact_side.is_negative()) {
            (true, _) => Side::Left,
            (_, true) => Side::Right,
            _ => Side::On,
        };
        if side != line.side(*point) {
            return Err(format!("vertex {index} is on {side:?}"));
        }
    }
    let (mut all, mut left) = (BigRational::zero(), BigRational::zero());
    for loop_index in 0..polygon.loop_count() {
        let points: Vec<Exact> = polygon
            .loop_points(loop_index)
            .iter()
            .map(|&p| exact(p))
            .collect();
        all += exact_area(&points);
        left += exact_area_on_left(&points, &ends);
    }
    let mut found = [BigRational::zero(), BigRational::zero()];
    for piece in pieces.iter() {
        let mut area = BigRational::zero();
        for loop_index in 0..piece.loop_count() {
            let vertices = piece.loop_vertices(loop_index);
            area += exact_area(&vertices.iter().map(|v| exact(v.position)).collect::<Vec<_>>());
        }
        if !area.is_positive() {
            return Err(format!("a piece has the area {area}"));
        }
        found[usize::from(piece.side() == Side::Left)] += area;
    }
    let lost: f64 = pieces.dropped().iter().map(|d| d.area.abs()).sum();
    let tolerance = BigRational::from_float(area_tolerance(polygon) + lost).expect("finite");
    if (&found[1] - &left).abs() > tolerance || (&found[0] - (all - left)).abs() > tolerance {
        return Err("the pieces of a side have not the area of the polygon there".to_string());
    }
    Ok(())
}
