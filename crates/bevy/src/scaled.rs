//! Outlines under the scale of a `Transform`.
//!
//! A scale that is as large in both directions makes of each outline one of its kind. An uneven one makes ellipses of discs
//! and of rounded corners. The engine has no ellipse: it is a rounded polygon here. That is one shape, as the disc is, so that
//! what touches it goes on touching it while a game squashes it and lets it go.

use core::cmp::Ordering;
use core::ops::RangeInclusive;

use bevy_math::Vec2;
use tombolo_physics::{PhysicsError, Shape, ShapeKind};

use crate::events::FaultReason;
use crate::outline::Outline;
use crate::planar::is_mirrored;

/// Where the two semi-axes of an ellipse differ by less, in meters, it is a circle: the corners of a polygon must be farther
/// apart than a quarter of this.
const EVEN_WITHIN: f32 = 0.002;

/// The part of an ellipse's longer semi-axis by which the other may be shorter in a circle: what rounding makes of a scale
/// that parents multiply.
const EVEN_WITHIN_RELATIVE: f32 = 1.0e-5;

/// The semi-axes that an ellipse may have, in meters: what is thinner has no shape, as a scale of 0 has none, and nothing
/// is as large as what is larger.
const AXES: RangeInclusive<f32> = 1.0e-5..=1.0e6;

impl Outline {
    /// The outline of an entity with a scale: the product of its own and those of all entities above it.
    pub(crate) fn scaled(&self, scale: Vec2) -> Result<Self, FaultReason> {
        if scale == Vec2::ONE {
            return Ok(self.clone());
        }
        if !scale.is_finite() || scale.x == 0.0 || scale.y == 0.0 {
            return Err(FaultReason::Scale(scale));
        }
        let all = |points: &[Vec2]| points.iter().map(|&point| scale * point).collect::<Vec<_>>();
        // A mirror image runs the other way around.
        let runs = |points: &[Vec2]| {
            let mut points = all(points);
            if is_mirrored(scale) {
                points.reverse();
            }
            points
        };
        match self {
            Self::Circle { center, radius } => rounded(all(&[*center]), *radius, scale),
            Self::Capsule { a, b, radius } => rounded(all(&[*a, *b]), *radius, scale),
            Self::Segment { a, b } => Ok(Self::Segment {
                a: scale * *a,
                b: scale * *b,
            }),
            // For physics to refuse, as without a scale.
            Self::Rectangle { width, height, .. } if *width <= 0.0 || *height <= 0.0 => Ok(self.clone()),
            Self::Polygon { points, .. } if points.len() < 3 => Ok(self.clone()),
            Self::Rectangle {
                width,
                height,
                radius,
            } => {
                let half = 0.5 * Vec2::new(*width, *height);
                let other = Vec2::new(half.x, -half.y);
                rectangle(half * scale.abs(), *radius, scale)
                    .map_or_else(|| rounded(all(&[-half, other, half, -other]), *radius, scale), Ok)
            }
            Self::Polygon { points, radius } => rounded(all(points), *radius, scale),
            Self::Chain { points, closed } => Ok(Self::Chain {
                points: runs(points),
                closed: *closed,
            }),
            Self::Concave { border, holes } => Ok(Self::Concave {
                border: runs(border),
                holes: holes.iter().map(|hole| runs(hole)).collect(),
            }),
            Self::Shape(shape) => of_shape(shape, scale),
        }
    }
}

/// The rectangle with half of this width and height, if its rounding remains one by circles.
fn rectangle(half: Vec2, radius: f32, scale: Vec2) -> Option<Outline> {
    Some(Outline::Rectangle {
        width: 2.0 * half.x,
        height: 2.0 * half.y,
        radius: even_radius(radius, scale)?,
    })
}

/// The radius of a circle under a scale; `None` if that makes an ellipse of it. Values that are no radius stay so, for
/// physics to refuse.
fn even_radius(radius: f32, scale: Vec2) -> Option<f32> {
    let axes = radius * scale.abs();
    let (long, short) = (axes.max_element(), axes.min_element());
    let is_even = long - short <= EVEN_WITHIN.max(EVEN_WITHIN_RELATIVE * long);
    (is_even || radius <= 0.0 || !radius.is_finite()).then_some(0.5 * (long + short))
}

/// The hull of points that have their scale, with what the scale makes of a radius around it.
fn rounded(points: Vec<Vec2>, radius: f32, scale: Vec2) -> Result<Outline, FaultReason> {
    if let Some(radius) = even_radius(radius, scale) {
        return Ok(match points[..] {
            [center] => Outline::Circle { center, radius },
            [a, b] => Outline::Capsule { a, b, radius },
            _ => Outline::Polygon { points, radius },
        });
    }
    let axes = radius * scale.abs();
    if !axes.to_array().iter().all(|axis| AXES.contains(axis)) {
        return Err(FaultReason::Scale(scale));
    }
    if let Some(&not_finite) = points.iter().find(|point| !point.is_finite()) {
        // For physics to refuse.
        return Ok(Outline::Circle {
            center: not_finite,
            radius,
        });
    }
    let hull = if points.len() < 3 {
        points
    } else {
        Shape::polygon(&points, 0.0)
            .map_err(|error| FaultReason::Refused(PhysicsError::from(error)))?
            .vertices()
            .to_vec()
    };
    // A convex shape has eight corners at most.
    let count = match hull.len() {
        1 => 8,
        2..=4 => 4,
        5 | 6 => 2,
        _ => return Err(FaultReason::Scale(scale)),
    };
    let (corners, radius) = ellipse(axes, count);
    let points = sum(&hull, &corners);
    Ok(Outline::Polygon { points, radius })
}

/// An ellipse around the origin from its semi-axes: a polygon of 2, 4 or 8 corners, counter-clockwise, and the radius of its
/// rounding, which reaches as far along both axes as the ellipse. The radius is between the shorter semi-axis, with which two
/// corners are a capsule, and the radius of curvature at the ends of the longer one: the more corners there are, the nearer to
/// that. With 8 it is off by at most eight hundredths of the shorter semi-axis where the other is at most eight times as long;
/// with 4 by fourteen hundredths up to four times.
fn ellipse(axes: Vec2, count: usize) -> (Vec<Vec2>, f32) {
    const DIAGONAL: f32 = core::f32::consts::FRAC_1_SQRT_2;
    const DIRECTIONS: [Vec2; 8] = [
        Vec2::X,
        Vec2::new(DIAGONAL, DIAGONAL),
        Vec2::Y,
        Vec2::new(-DIAGONAL, DIAGONAL),
        Vec2::NEG_X,
        Vec2::new(-DIAGONAL, -DIAGONAL),
        Vec2::NEG_Y,
        Vec2::new(DIAGONAL, -DIAGONAL),
    ];
    let (long, short) = (axes.max_element(), axes.min_element());
    let curvature = short * short / long;
    let radius = curvature + (short - curvature) * (2.0 / count as f32);
    let first = if axes.x > axes.y { 0 } else { 2 };
    let directions = DIRECTIONS
        .iter()
        .cycle()
        .skip(first)
        .step_by(8 / count)
        .take(count);
    let corners = directions.map(|&direction| {
        let normal = direction / axes;
        axes * direction - normal / normal.dot(normal).sqrt() * radius
    });
    (corners.collect(), radius)
}

/// The Minkowski sum of two convex polygons, counter-clockwise: their edges, sorted by direction. It has at most as many
/// corners as both together. Points and segments count as polygons of one and two corners.
fn sum(p: &[Vec2], q: &[Vec2]) -> Vec<Vec2> {
    let (p, q) = (from_lowest(p), from_lowest(q));
    let edge = |of: &[Vec2], at: usize| of[(at + 1) % of.len()] - of[at % of.len()];
    let (mut i, mut j) = (0, 0);
    let mut corners = Vec::with_capacity(p.len() + q.len());
    while i < p.len() || j < q.len() {
        corners.push(p[i % p.len()] + q[j % q.len()]);
        let turn = edge(&p, i).perp_dot(edge(&q, j));
        // One of the two advances whatever the numbers are.
        let turn = turn.partial_cmp(&0.0);
        let takes_p = i < p.len() && (j == q.len() || turn != Some(Ordering::Less));
        let takes_q = j < q.len() && (i == p.len() || turn != Some(Ordering::Greater));
        i += usize::from(takes_p);
        j += usize::from(takes_q);
    }
    corners
}

/// The corners from the lowest one on, of several the leftmost: its edge is the first by direction.
fn from_lowest(corners: &[Vec2]) -> Vec<Vec2> {
    let by_height = |a: &Vec2, b: &Vec2| a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x));
    let at = (0..corners.len()).min_by(|&a, &b| by_height(&corners[a], &corners[b]));
    let mut from_lowest = corners.to_vec();
    from_lowest.rotate_left(at.unwrap_or_default());
    from_lowest
}

/// A shape of the engine under a scale.
fn of_shape(shape: &Shape, scale: Vec2) -> Result<Outline, FaultReason> {
    let refused = |error| FaultReason::Refused(PhysicsError::from(error));
    if let Some([point, normal]) = shape.line_and_normal() {
        let half_space = Shape::half_space(scale * point, normal / scale);
        return half_space.map(Outline::Shape).map_err(refused);
    }
    if let Some(points) = shape.chain_points() {
        let mut points = points.map(|point| scale * point);
        if is_mirrored(scale) {
            points.reverse();
        }
        let [before, a, b, after] = points;
        let segment = Shape::chain_segment(before, a, b, after);
        return segment.map(Outline::Shape).map_err(refused);
    }
    let (points, radius) = (shape.vertices(), shape.radius());
    match (shape.kind(), points) {
        (ShapeKind::Segment, &[a, b]) => Outline::Segment { a, b }.scaled(scale),
        _ => rounded(points.iter().map(|&point| scale * point).collect(), radius, scale),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn support(corners: &[Vec2], direction: Vec2) -> f32 {
        corners
            .iter()
            .map(|corner| corner.dot(direction))
            .fold(f32::MIN, f32::max)
    }

    /// Unit vectors all around.
    fn directions() -> impl Iterator<Item = Vec2> {
        (0..360).map(|degrees| Vec2::from_angle((degrees as f32).to_radians()))
    }

    #[test]
    fn a_polygon_for_an_ellipse_is_off_by_no_more_than_its_documents_say() {
        for (count, ratio_max, off_max) in [(8, 8.0, 0.081), (4, 4.0, 0.136), (2, 2.0, 0.185)] {
            for ratio in [1.01_f32, 1.1, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0] {
                for axes in [Vec2::new(ratio, 1.0), Vec2::new(1.0, ratio)] {
                    let (corners, radius) = ellipse(axes, count);
                    let off = directions().map(|direction| {
                        let exact = (axes * direction).length();
                        (support(&corners, direction) + radius - exact).abs()
                    });
                    let worst = off.fold(0.0, f32::max);
                    assert!(worst < off_max || ratio > ratio_max, "{count}, {axes}: {worst}");
                }
            }
        }
    }

    #[test]
    fn each_ellipse_reaches_as_far_along_its_axes_as_it_should() {
        let axes = Vec2::new(3.0, 0.5);
        for count in [2, 4, 8] {
            let (corners, radius) = ellipse(axes, count);
            assert_eq!(corners.len(), count);
            for direction in [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y] {
                let reach = support(&corners, direction) + radius;
                assert!((reach - (axes * direction).length()).abs() < 1.0e-6, "{count}");
            }
        }
    }

    #[test]
    fn a_sum_reaches_as_far_as_both_in_every_direction() {
        let triangle = [Vec2::new(0.0, -1.0), Vec2::new(2.0, 0.5), Vec2::new(-1.0, 1.0)];
        let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(Vec2::from);
        let stick = [Vec2::new(-1.0, -0.5), Vec2::new(1.0, 0.5)];
        let shapes: [&[Vec2]; 4] = [&triangle, &square, &stick, &[Vec2::new(3.0, 4.0)]];
        for p in shapes {
            for q in shapes {
                let sum = sum(p, q);
                assert!(sum.len() <= p.len() + q.len());
                for direction in directions() {
                    let apart = support(&sum, direction) - support(p, direction) - support(q, direction);
                    assert!(apart.abs() < 1.0e-5, "{p:?}, {q:?}: {apart}");
                }
            }
        }
    }

    /// A game that squashes a disc step by step comes to scales of which the inverse is infinite.
    #[test]
    fn scales_that_are_too_small_or_too_large_are_refused_and_end() {
        let center = Vec2::ZERO;
        let outlines = [
            Outline::Circle { center, radius: 1.0 },
            Outline::Capsule {
                a: Vec2::NEG_X,
                b: Vec2::X,
                radius: 0.5,
            },
            Outline::Rectangle {
                width: 2.0,
                height: 1.0,
                radius: 0.25,
            },
        ];
        for outline in &outlines {
            for scale in [
                (1.0, 1.0e-38),
                (1.0, 1.0e-40),
                (1.0, 2.7e-39),
                (1.0e38, 1.0e30),
                (3.0e38, 1.0),
            ] {
                let refused = outline.scaled(scale.into());
                assert!(
                    matches!(refused, Err(FaultReason::Scale(_))),
                    "{outline:?}: {scale:?}"
                );
            }
        }
        for bad in [f32::NAN, f32::INFINITY] {
            let center = Vec2::new(bad, 0.0);
            let circle = Outline::Circle { center, radius: 1.0 };
            let scaled = circle.scaled(Vec2::new(2.0, 1.0)).unwrap();
            assert!(matches!(scaled, Outline::Circle { center, .. } if !center.is_finite()));
        }
    }
}
