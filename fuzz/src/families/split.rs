//! Family `split`: polygons cut by lines through and a few steps beside their vertices. Every piece must be sound, in
//! integers of 128 bits; areas, sides and convex parts too, and in one case in 32 the crossing points are compared with
//! fractions.

use glam::DVec2;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};
use tombolo_geometry::split::{ConcavePolygon, CutLine, EdgeOrigin, Pieces, Slivers, Splitter, decompose};

use crate::family::{Family, hold};
use crate::random::Random;

/// The family.
pub(crate) struct Splits;

/// The polygon is built first, corner by corner; then it is cut, again and again.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// The width of the cells of the corners' lattice; the first such operation counts.
    Grid(f64),
    /// A corner inserted after another one, if the polygon stays sound.
    Corner { cell: [u32; 2], after: usize },
    Cut {
        from: End,
        to: End,
        kind: Kind,
        /// Whether the next operation is applied to the greatest piece.
        goes_on: bool,
    },
}

/// A vertex or a cell, and the number of steps beside it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    vertex: Option<usize>,
    cell: [u32; 2],
    steps: [i64; 2],
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Line,
    SegmentCut,
    Vertical,
    Horizontal,
}

/// The upper limit of coordinates, the lower one being 1: so they are whole numbers of steps of 2^-52, and turns fit
/// 128 bits.
const SIDE: f64 = 6.0;
const CELLS: usize = 12;

impl Family for Splits {
    const NAME: &'static str = "split";
    const ABOUT: &'static str = "cuts some steps beside vertices against whole numbers and fractions";
    const CASES: u64 = 600_000;
    type Operation = Operation;

    fn generate(random: &mut Random) -> Vec<Operation> {
        let cells = random.within(3..CELLS);
        let width = random.pick(&[SIDE / cells as f64, 0.5, 0.1, 1.0 / 3.0, 1.0e-3, 1.0e-9]);
        let mut operations = vec![Operation::Grid(width.min(SIDE / cells as f64))];
        let cell = |random: &mut Random| [0; 2].map(|_| random.below(cells + 1) as u32);
        for _ in 0..random.within(3..14) {
            operations.push(Operation::Corner {
                cell: cell(random),
                after: random.below(16),
            });
        }
        for _ in 0..random.within(1..4) {
            let reach = random.pick(&[0_i64, 1, 2, 4, 40, 400]);
            let mut end = || End {
                vertex: (!random.one_in(4)).then(|| random.below(16)),
                cell: cell(random),
                steps: [0; 2].map(|_| random.below(2 * reach as usize + 1) as i64 - reach),
            };
            let (from, to) = (end(), end());
            operations.push(Operation::Cut {
                from,
                to,
                kind: random.pick(&[
                    Kind::Line,
                    Kind::Line,
                    Kind::Line,
                    Kind::SegmentCut,
                    Kind::Vertical,
                    Kind::Horizontal,
                ]),
                goes_on: random.one_in(2),
            });
        }
        operations
    }

    fn run(operations: &[Operation]) -> Result<(), String> {
        let width = operations.iter().find_map(|operation| match operation {
            Operation::Grid(width) => Some(*width),
            _ => None,
        });
        let place =
            |cell: [u32; 2]| DVec2::new(f64::from(cell[0]), f64::from(cell[1])) * width.unwrap_or(0.5) + 1.0;
        let mut points: Vec<DVec2> = Vec::new();
        let mut polygon = None;
        let mut splitter = Splitter::new();
        let mut is_first = true;
        for (number, operation) in operations.iter().enumerate() {
            match operation {
                Operation::Grid(_) => {}
                Operation::Corner { cell, after } if is_first => {
                    let before = points.clone();
                    let at = if points.is_empty() {
                        0
                    } else {
                        after % points.len() + 1
                    };
                    points.insert(at, place(*cell));
                    if points.len() == 3 && ConcavePolygon::new(&points).is_err() {
                        points.reverse();
                    }
                    match ConcavePolygon::new(&points) {
                        Ok(made) => polygon = Some(made),
                        Err(_) if points.len() < 3 => {}
                        Err(_) => points = before,
                    }
                }
                Operation::Corner { .. } => {}
                Operation::Cut {
                    from,
                    to,
                    kind,
                    goes_on,
                } => {
                    let Some(whole) = &polygon else { continue };
                    let end = |end: &End| {
                        let base = match end.vertex {
                            Some(vertex) => whole.points()[vertex % whole.points().len()],
                            None => place(end.cell),
                        };
                        DVec2::new(beside(base.x, end.steps[0]), beside(base.y, end.steps[1]))
                    };
                    let (from, to) = (end(from), end(to));
                    let line = match kind {
                        Kind::Line => CutLine::through(from, to),
                        Kind::SegmentCut => CutLine::segment_cut(from, to),
                        Kind::Vertical => CutLine::vertical(from.x),
                        Kind::Horizontal => CutLine::horizontal(from.y),
                    };
                    let Ok(line) = line else { continue };
                    // A piece may have features too small for another cut with the same soundness.
                    let is_accepted = is_first || ConcavePolygon::new(whole.points()).is_ok();
                    let pieces = match splitter.split(whole, &line, Slivers::default()) {
                        Ok(pieces) => pieces,
                        Err(_) if !is_accepted => continue,
                        Err(error) => return Err(format!("{error}: {whole:?} {line:?}")),
                    };
                    if is_accepted {
                        check(whole, pieces)
                            .map_err(|why| format!("{why}: {whole:?} {line:?} {pieces:?}"))?;
                    } else {
                        // Pieces with features smaller than is promised may cross themselves; convex parts never do.
                        pieces
                            .iter()
                            .for_each(|piece| drop(decompose(&piece.to_polygon())));
                    }
                    if points
                        .iter()
                        .fold(number as u64, |sum, p| sum ^ p.x.to_bits() ^ p.y.to_bits())
                        % 32
                        == 0
                    {
                        check_crossings(whole, &line, pieces)?;
                    }
                    is_first = false;
                    if *goes_on {
                        let greatest = pieces.iter().max_by(|a, b| a.area().total_cmp(&b.area()));
                        polygon = greatest.map(|piece| piece.to_polygon());
                    }
                }
            }
        }
        Ok(())
    }
}

fn beside(value: f64, steps: i64) -> f64 {
    f64::from_bits((value.to_bits() as i64 + steps) as u64).clamp(1.0, 1.0 + SIDE)
}

type Whole = [i128; 2];

/// A point in steps of 2^-52.
fn whole(point: DVec2) -> Whole {
    [point.x, point.y].map(|value| (value * (1_u64 << 52) as f64) as i128)
}

fn turn(a: Whole, b: Whole, c: Whole) -> i128 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn doubled_area(points: &[Whole]) -> i128 {
    (1..points.len() - 1)
        .map(|index| turn(points[0], points[index], points[index + 1]))
        .sum()
}

/// Checks that a ring runs counter-clockwise and that its edges meet in their shared corners only.
fn check_ring(points: &[Whole]) -> Result<(), String> {
    let count = points.len();
    hold!(count >= 3 && doubled_area(points) > 0, "a ring without area");
    let edge = |index: usize| (points[index % count], points[(index + 1) % count]);
    let lies_on = |(a, b): (Whole, Whole), p: Whole| {
        turn(a, b, p) == 0
            && (0..2).all(|axis| a[axis].min(b[axis]) <= p[axis] && p[axis] <= a[axis].max(b[axis]))
    };
    for first in 0..count {
        let (a, b) = edge(first);
        hold!(a != b, "a point twice in a row");
        let (_, c) = edge(first + 1);
        let ahead = |axis: usize| (b[axis] - a[axis]) * (c[axis] - b[axis]);
        hold!(
            turn(a, b, c) != 0 || ahead(0) + ahead(1) > 0,
            "a border that folds back"
        );
        for second in first + 2..count {
            if second + 1 == first + count {
                continue;
            }
            let (c, d) = edge(second);
            let meets = turn(a, b, c).signum() * turn(a, b, d).signum() < 0
                && turn(c, d, a).signum() * turn(c, d, b).signum() < 0;
            let touches =
                lies_on((a, b), c) || lies_on((a, b), d) || lies_on((c, d), a) || lies_on((c, d), b);
            hold!(!meets && !touches, "edges {first} and {second} meet");
        }
    }
    Ok(())
}

fn check(polygon: &ConcavePolygon, pieces: &Pieces) -> Result<(), String> {
    let mut sum = 0.0;
    for piece in pieces.iter() {
        let points: Vec<Whole> = piece
            .border()
            .iter()
            .map(|corner| whole(corner.position))
            .collect();
        check_ring(&points)?;
        sum += piece.area();
        let piece = piece.to_polygon();
        let parts = decompose(&piece).map_err(|error| error.to_string())?;
        let mut area = 0;
        for part in parts.iter() {
            let corners: Vec<Whole> = part.iter().map(|&vertex| points[vertex as usize]).collect();
            let count = corners.len();
            hold!((3..=8).contains(&count), "a part of {count} corners");
            for index in 0..count {
                let [a, b, c] = [0, 1, 2].map(|step| corners[(index + step) % count]);
                hold!(turn(a, b, c) > 0, "a part that is not strictly convex");
            }
            area += doubled_area(&corners);
        }
        hold!(
            area == doubled_area(&points),
            "parts of another area than their piece"
        );
    }
    sum += pieces.dropped().iter().map(|piece| piece.area).sum::<f64>();
    let wanted = polygon.area();
    let (min, max) = polygon
        .points()
        .iter()
        .fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(min, max), &p| {
            (min.min(p), max.max(p))
        });
    let slack = (1.0e-9 * wanted).max(2048.0 * f64::EPSILON * (1.0 + SIDE) * (max - min).max_element());
    hold!((sum - wanted).abs() <= slack, "the area {wanted} became {sum}");
    for cut in pieces.cuts() {
        let number = |point: DVec2| {
            let corners = pieces.iter().flat_map(|piece| piece.border().iter());
            corners
                .filter(|corner| corner.position == point && matches!(corner.edge(), EdgeOrigin::Cut(_)))
                .count()
        };
        hold!(
            cut.from == cut.to || cut.touching().is_none() || number(cut.from) > 0,
            "a cut that no piece has"
        );
    }
    Ok(())
}

/// Crossing points lie within four steps of the greater end coordinate. A snapped split may have moved some, along the
/// line and within 16 steps of their edge; those are the ones of spikes that end in one point.
fn check_crossings(polygon: &ConcavePolygon, line: &CutLine, pieces: &Pieces) -> Result<(), String> {
    let of = |p: DVec2| [p.x, p.y].map(|value| BigRational::from_float(value).expect("finite"));
    let (from, to) = (of(line.from()), of(line.to()));
    let offset = |p: &[BigRational; 2]| {
        (&to[0] - &from[0]) * (&p[1] - &from[1]) - (&to[1] - &from[1]) * (&p[0] - &from[0])
    };
    let step = BigRational::new(BigInt::from(4), BigInt::from(1_u64 << 50));
    for corner in pieces.iter().flat_map(|piece| piece.border().iter()) {
        if corner.t == 0.0 {
            continue;
        }
        let source = corner.source as usize;
        let (start, end) = (
            of(polygon.points()[source]),
            of(polygon.points()[polygon.next(source)]),
        );
        let (near, far) = (offset(&start), offset(&end));
        let t = &near / (&near - &far);
        let found = of(corner.position);
        let off = (0..2).map(|axis| (&start[axis] + (&end[axis] - &start[axis]) * &t - &found[axis]).abs());
        let most = off.max().expect("two axes");
        // One of a spike's two crossings may have been moved to the other, which lies within 16 steps of its edge.
        let is_merged = pieces
            .cuts()
            .iter()
            .any(|cut| cut.from == cut.to && cut.from == corner.position);
        hold!(
            most <= step || is_merged,
            "a crossing {:e} off: {polygon:?} {line:?} {corner:?}",
            most.to_f64().unwrap_or(f64::NAN)
        );
    }
    Ok(())
}
