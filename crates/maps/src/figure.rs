//! The figures that are drawn in a map: outlines, lines, circles and capsules, first in pixels and then in meters.

use libm::{cos, fabs, sin};

/// The number of corners of the outline for an ellipse: the error is nowhere more than half a percent.
const ELLIPSE_CORNERS: usize = 32;

/// The same where only a convex shape with few corners is accepted.
const ELLIPSE_CORNERS_FEW: usize = 8;

/// The greatest number of corners of a convex shape.
const CONVEX_CORNERS_MAX: usize = 8;

/// A point or vector.
pub(crate) type Point = [f64; 2];

/// A figure; its owner decides the directions of the axes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Figure {
    /// A closed outline.
    Outline(Vec<Point>),
    /// An open line.
    Line(Vec<Point>),
    Circle {
        center: Point,
        radius: f64,
    },
    Ellipse {
        center: Point,
        radii: Point,
    },
    Capsule {
        from: Point,
        to: Point,
        radius: f64,
    },
}

impl Figure {
    /// The outline of a rectangle.
    pub(crate) fn rectangle([left, top]: Point, [right, bottom]: Point) -> Self {
        Self::Outline(vec![[left, top], [right, top], [right, bottom], [left, bottom]])
    }

    /// An ellipse in a rectangle.
    pub(crate) fn ellipse(corner: Point, [width, height]: Point) -> Self {
        let center = [corner[0] + width / 2.0, corner[1] + height / 2.0];
        if width == height {
            let radius = width / 2.0;
            return Self::Circle { center, radius };
        }
        let radii = [width / 2.0, height / 2.0];
        Self::Ellipse { center, radii }
    }

    /// A capsule along the longer side of a rectangle.
    pub(crate) fn capsule(corner: Point, [width, height]: Point) -> Self {
        if width == height {
            return Self::ellipse(corner, [width, height]);
        }
        let radius = width.min(height) / 2.0;
        Self::Capsule {
            from: [corner[0] + radius, corner[1] + radius],
            to: [corner[0] + width - radius, corner[1] + height - radius],
            radius,
        }
    }

    /// The figure under a similarity of the plane, which multiplies lengths by `scale`.
    pub(crate) fn moved(&self, map: impl Fn(Point) -> Point, scale: f64) -> Self {
        let all = |points: &[Point]| points.iter().map(|&point| map(point)).collect();
        match self {
            Self::Outline(points) => Self::Outline(all(points)),
            Self::Line(points) => Self::Line(all(points)),
            Self::Circle { center, radius } => Self::Circle {
                center: map(*center),
                radius: radius * scale,
            },
            Self::Ellipse { .. } => Self::Outline(all(&self.corners(ELLIPSE_CORNERS))),
            Self::Capsule { from, to, radius } => Self::Capsule {
                from: map(*from),
                to: map(*to),
                radius: radius * scale,
            },
        }
    }

    /// The figure under any linear map of the plane: round figures become outlines.
    pub(crate) fn bent(&self, map: impl Fn(Point) -> Point) -> Self {
        match self {
            Self::Circle { .. } | Self::Ellipse { .. } | Self::Capsule { .. } => {
                Self::Outline(self.corners(ELLIPSE_CORNERS)).moved(map, 1.0)
            }
            _ => self.moved(map, 1.0),
        }
    }

    /// Corners along its border; for a round figure those of a polygon of the same area.
    fn corners(&self, count: usize) -> Vec<Point> {
        let around = |[x, y]: Point, [width, height]: Point, first: f64, turn: f64, count: usize| {
            let step = turn / count as f64;
            (0..count).map(move |index| {
                let angle = first + step * (index as f64 + 0.5);
                [x + width * cos(angle), y + height * sin(angle)]
            })
        };
        let turn = 2.0 * core::f64::consts::PI;
        // A polygon with this many corners on a circle has a smaller area by this share; the circle is enlarged for
        // it.
        let share = turn / count as f64;
        let growth = libm::sqrt(share / sin(share));
        match self {
            Self::Outline(points) | Self::Line(points) => points.clone(),
            Self::Circle { center, radius } => {
                around(*center, [radius * growth; 2], 0.0, turn, count).collect()
            }
            Self::Ellipse { center, radii } => {
                around(*center, radii.map(|radius| radius * growth), 0.0, turn, count).collect()
            }
            Self::Capsule { from, to, radius } => {
                let across = libm::atan2(to[1] - from[1], to[0] - from[0]) - turn / 4.0;
                let radii = [radius * growth; 2];
                around(*to, radii, across, turn / 2.0, count / 2)
                    .chain(around(*from, radii, across + turn / 2.0, turn / 2.0, count / 2))
                    .collect()
            }
        }
    }

    /// The number of corners in its written form.
    pub(crate) fn corner_count(&self) -> usize {
        match self {
            Self::Outline(points) | Self::Line(points) => points.len(),
            Self::Ellipse { .. } => ELLIPSE_CORNERS,
            Self::Circle { .. } | Self::Capsule { .. } => 1,
        }
    }

    /// Left, top, right and bottom, if it is a rectangle parallel to the axes.
    pub(crate) fn as_rectangle(&self) -> Option<[f64; 4]> {
        let Self::Outline(points) = self else {
            return None;
        };
        let [a, b, c, d] = points[..] else {
            return None;
        };
        let first_along_x = a[1] == b[1] && b[0] == c[0] && c[1] == d[1] && d[0] == a[0];
        let first_along_y = a[0] == b[0] && b[1] == c[1] && c[0] == d[0] && d[1] == a[1];
        (first_along_x || first_along_y)
            .then(|| [a[0].min(c[0]), a[1].min(c[1]), a[0].max(c[0]), a[1].max(c[1])])
    }

    /// The center of its box.
    pub(crate) fn middle(&self) -> Point {
        match self {
            Self::Circle { center, .. } | Self::Ellipse { center, .. } => *center,
            Self::Capsule { from, to, .. } => [(from[0] + to[0]) / 2.0, (from[1] + to[1]) / 2.0],
            Self::Outline(points) | Self::Line(points) => {
                let least = |axis: usize| points.iter().map(|point| point[axis]).fold(f64::MAX, f64::min);
                let most = |axis: usize| points.iter().map(|point| point[axis]).fold(f64::MIN, f64::max);
                [0, 1].map(|axis| (least(axis) + most(axis)) / 2.0)
            }
        }
    }

    /// Its form in a scene file, about a point that is then its component's position.
    pub(crate) fn text(&self, about: Point, use_: Use) -> String {
        let near = |point: &Point| [point[0] - about[0], point[1] - about[1]];
        let list = |points: &[Point]| {
            let points: Vec<String> = points.iter().map(|point| vector(near(point))).collect();
            points.join(", ")
        };
        match self {
            Self::Outline(points) => match self.as_rectangle() {
                Some([left, top, right, bottom]) => format!(
                    "Box(width: {}, height: {})",
                    number(right - left),
                    number(bottom - top)
                ),
                None if is_convex(points) => format!("Polygon(points: [{}])", list(points)),
                None => format!("Outline(points: [{}])", list(points)),
            },
            Self::Line(points) => format!("Chain(points: [{}])", list(points)),
            Self::Circle { radius, .. } => format!("Circle(radius: {})", number(*radius)),
            Self::Ellipse { .. } if use_ == Use::Convex => {
                format!("Polygon(points: [{}])", list(&self.corners(ELLIPSE_CORNERS_FEW)))
            }
            Self::Ellipse { .. } => format!("Outline(points: [{}])", list(&self.corners(ELLIPSE_CORNERS))),
            Self::Capsule { from, to, radius } => format!(
                "Capsule(from: {}, to: {}, radius: {})",
                vector(near(from)),
                vector(near(to)),
                number(*radius)
            ),
        }
    }

    /// The same line in the opposite direction.
    pub(crate) fn reversed(&self) -> Self {
        match self {
            Self::Line(points) => Self::Line(points.iter().rev().copied().collect()),
            other => other.clone(),
        }
    }
}

/// The use of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Any shape is accepted.
    Any,
    /// The shape must be convex, with few corners.
    Convex,
}

/// Whether an outline is one convex shape, with so few corners that physics accepts it as it is.
fn is_convex(points: &[Point]) -> bool {
    let count = points.len();
    if count > CONVEX_CORNERS_MAX {
        return false;
    }
    let (mut turned, mut left, mut right) = (0.0, false, false);
    for index in 0..count {
        let [a, b, c] = [0, 1, 2].map(|step| points[(index + step) % count]);
        let (along, onward) = ([b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]);
        let cross = along[0] * onward[1] - along[1] * onward[0];
        left |= cross > 0.0;
        right |= cross < 0.0;
        turned += libm::atan2(cross, along[0] * onward[0] + along[1] * onward[1]);
    }
    // A star turns in one direction, too, but more than once around.
    left != right && fabs(turned) < 7.0
}

/// A vector in the form of scene files.
pub(crate) fn vector([x, y]: Point) -> String {
    format!("({}, {})", number(x), number(y))
}

/// A number in the form of scene files: the shortest that is read as the same number of single precision.
pub(crate) fn number(value: f64) -> String {
    // Adding 0 makes -0 to 0.
    format!("{}", value as f32 + 0.0)
}

/// A point turned about the origin by an angle in degrees, from the x axis to the y axis.
pub(crate) fn turned([x, y]: Point, degrees: f64) -> Point {
    let [cosine, sine] = match degrees.rem_euclid(360.0) {
        0.0 => [1.0, 0.0],
        90.0 => [0.0, 1.0],
        180.0 => [-1.0, 0.0],
        270.0 => [0.0, -1.0],
        other => [cos(other.to_radians()), sin(other.to_radians())],
    };
    [x * cosine - y * sine, x * sine + y * cosine]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(points: &[Point]) -> f64 {
        let next = points.iter().cycle().skip(1);
        points
            .iter()
            .zip(next)
            .map(|(a, b)| a[0] * b[1] - a[1] * b[0])
            .sum::<f64>()
            / 2.0
    }

    #[test]
    fn round_figures_keep_their_area_and_lie_within_a_percent() {
        let ellipse = Figure::ellipse([0.0, 0.0], [40.0, 20.0]);
        let corners = ellipse.corners(ELLIPSE_CORNERS);
        assert!(fabs(area(&corners) / (core::f64::consts::PI * 200.0) - 1.0) < 1e-6);
        for [x, y] in corners {
            let off = libm::hypot((x - 20.0) / 20.0, (y - 10.0) / 10.0);
            assert!((0.99..=1.01).contains(&off), "{off}");
        }
        let capsule = Figure::capsule([0.0, 0.0], [40.0, 20.0]);
        let whole = core::f64::consts::PI * 100.0 + 400.0;
        let off = area(&capsule.corners(ELLIPSE_CORNERS)) / whole - 1.0;
        assert!(fabs(off) < 0.01, "{off}");
    }

    #[test]
    fn convex_outlines_are_told_from_others() {
        assert!(is_convex(&[[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]]));
        assert!(
            is_convex(&[[0.0, 0.0], [0.0, 4.0], [4.0, 0.0]]),
            "either way round"
        );
        assert!(!is_convex(&[[0.0, 0.0], [4.0, 0.0], [1.0, 1.0], [0.0, 4.0]]));
        let star: Vec<Point> = (0..5)
            .map(|tip| turned([1.0, 0.0], f64::from(tip) * 144.0))
            .collect();
        assert!(!is_convex(&star));
        let bow = [[0.0, 0.0], [4.0, 4.0], [4.0, 0.0], [0.0, 4.0]];
        assert!(!is_convex(&bow));
    }
}
