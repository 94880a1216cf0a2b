//! Pairs of shapes of all sizes, in the places where contacts are made, and plain answers about them in double precision.
//!
//! Everything of a pair follows from one number. Sizes go from a centimeter to a kilometer, aspects to 1:500; a third of
//! the pairs lie as level designers put them: aligned, with shared corners and edges, at equal heights, exactly touching.
//! No dependency but the crate itself, so that the fuzzer can take this file as it is.

use core::f32::consts::{FRAC_PI_2, PI};
use tombolo_geometry::collide::{Manifold, collide};
use tombolo_geometry::distance::{
    IMPACT_TARGET, IMPACT_TOLERANCE, ImpactState, Sweep, are_overlapping, distance, time_of_impact,
};
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Pose, Rot, Vec2};

/// The speculative distance of the manifolds that are asked for, in meters.
pub(crate) const SPECULATIVE: f32 = 0.02;

/// How much better the other face must be, in meters: what the documentation of `collide` grants the first shape.
const LEAD: f64 = 0.0005;

/// How often a motion is looked at.
const SAMPLE_COUNT: u32 = 96;

/// Random numbers from a seed (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
#[derive(Clone, Debug)]
pub(crate) struct Source(pub u64);

impl Source {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit
    }

    fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1_u32 << 24) as f32
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// As many per octave from `low` to `high`, as sums of halvings: no logarithm is needed.
    fn scale(&mut self, low: f32, high: f32) -> f32 {
        let mut octaves = 0;
        let mut reach = low;
        while reach < high {
            reach *= 2.0;
            octaves += 1;
        }
        let mut value = low;
        for _ in 0..self.below(octaves.max(1)) {
            value *= 2.0;
        }
        (value * self.between(1.0, 2.0)).min(high)
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }
}

/// A pair of shapes and where the second lies in the frame of the first.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    /// The first shape.
    pub(crate) a: Shape,
    /// The second shape.
    pub(crate) b: Shape,
    /// Where the second lies.
    pub(crate) pose: Pose,
}

/// A pair and how both bodies move.
#[derive(Clone, Debug)]
pub(crate) struct MovingPair {
    /// The first shape.
    pub(crate) a: Shape,
    /// Its motion.
    pub(crate) sweep_a: Sweep,
    /// The second shape.
    pub(crate) b: Shape,
    /// Its motion.
    pub(crate) sweep_b: Sweep,
}

/// Half the length and half the width of something.
fn half_sizes(source: &mut Source) -> (f32, f32) {
    let length = source.scale(0.005, 500.0);
    let width = (length / source.scale(1.0, 500.0)).max(0.0025);
    if source.below(4) == 0 {
        (width, length)
    } else {
        (length, width)
    }
}

fn any_shape(source: &mut Source) -> Shape {
    loop {
        let (x, y) = half_sizes(source);
        let angle = source.pick(&[0.0, 0.0, 0.3, -1.1, FRAC_PI_2]);
        let offset = match source.below(4) {
            0 => Vec2::new(source.between(-x, x), source.between(-x, x)),
            _ => Vec2::ZERO,
        };
        let radius = x.min(y) * source.between(0.05, 1.0);
        let along = Rot::from_angle(angle).rotate(Vec2::new(x, 0.0));
        let shape = match source.below(8) {
            0 => Shape::circle(offset, x.min(y)),
            1 => Shape::capsule(offset - along, offset + along, y.min(x)),
            2 => Shape::segment(offset - along, offset + along),
            3 | 4 => Shape::box_at(2.0 * x, 2.0 * y, offset, angle),
            5 => Shape::rounded_box(2.0 * x, 2.0 * y, radius),
            _ => {
                let count = 3 + source.below(6) as usize;
                let points: Vec<Vec2> = (0..count)
                    .map(|_| {
                        let turn = Rot::from_angle(source.between(-3.2, 3.2));
                        offset + Rot::from_angle(angle).rotate(Vec2::new(x * turn.cos, y * turn.sin))
                    })
                    .collect();
                Shape::polygon(&points, if source.below(2) == 0 { 0.0 } else { radius })
            }
        };
        if let Ok(shape) = shape {
            return shape;
        }
    }
}

impl Pair {
    /// The pair of a seed.
    pub(crate) fn from_seed(seed: u64) -> Self {
        let source = &mut Source(seed);
        match source.below(6) {
            0 | 1 => Self::in_a_grid(source),
            2 => Self::coincident(source),
            _ => Self::nearly_touching(source),
        }
    }

    /// Two level boxes that share a corner, an edge or a part of one, exactly or within a hair.
    fn in_a_grid(source: &mut Source) -> Self {
        let sizes = [
            (1.0, 1.0),
            (0.5, 0.5),
            (3.0, 0.5),
            (0.25, 2.0),
            (0.02, 1.0),
            (50.0, 1.0),
            (500.0, 1.0),
        ];
        let (w, h) = source.pick(&sizes);
        let (v, g) = if source.below(3) == 0 {
            (w, h)
        } else {
            source.pick(&sizes)
        };
        let x = source.pick(&[w + v, w - v, -(w + v), v - w, 0.0, 0.37 * w]);
        let y = source.pick(&[h + g, -(h + g), h + g, h - g, 0.0]);
        let hair = [
            0.0, 0.0, 0.0, 1.0e-6, -1.0e-6, 1.0e-4, -1.0e-4, 0.003, -0.003, 0.019,
        ];
        let place = Vec2::new(x + source.pick(&hair), y + source.pick(&hair));
        let angle = source.pick(&[0.0, 0.0, 0.0, 1.0e-5, -1.0e-4, FRAC_PI_2, PI]);
        let round = |source: &mut Source, w: f32, h: f32| match source.below(4) {
            0 => Shape::rounded_box(2.0 * w, 2.0 * h, 0.1 * w.min(h)).unwrap(),
            1 if w > 2.0 * h => Shape::capsule(Vec2::new(h - w, 0.0), Vec2::new(w - h, 0.0), h).unwrap(),
            _ => Shape::new_box(2.0 * w, 2.0 * h).unwrap(),
        };
        Self {
            a: round(source, w, h),
            b: round(source, v, g),
            pose: Pose::new(place, angle),
        }
    }

    /// One middle, or nearly one.
    fn coincident(source: &mut Source) -> Self {
        let a = any_shape(source);
        let b = if source.below(2) == 0 {
            a
        } else {
            any_shape(source)
        };
        let away = source.pick(&[0.0, 0.0, 1.0e-6, 0.01]);
        let angle = source.pick(&[0.0, 1.0e-5, 0.5, FRAC_PI_2]);
        Self {
            a,
            b,
            pose: Pose::new(Vec2::new(away, -0.3 * away), angle),
        }
    }

    /// Any two shapes, turned at will, moved together until they are a chosen small way apart or overlap by it.
    fn nearly_touching(source: &mut Source) -> Self {
        let (a, b) = (any_shape(source), any_shape(source));
        let mut angle = source.between(-3.2, 3.2);
        if source.below(2) == 0 {
            // Nearly parallel to one of the other's edges, as what lies on it.
            angle = source.pick(&[0.0, FRAC_PI_2, 0.3, 0.001, -0.02]);
        }
        let gap = source.pick(&[
            0.0, 1.0e-5, 0.001, 0.004, 0.005, 0.006, 0.0199, 0.03, 0.5, -0.001, -0.005, -0.05, -0.3,
        ]);
        // Somewhere over the first shape, and then straight toward it along a direction that is drawn too.
        let spread = if source.below(2) == 0 { 1.0 } else { 0.01 };
        let bounds = a.aabb(Pose::IDENTITY);
        let over = bounds.center()
            + spread * Vec2::new(source.between(-1.0, 1.0), source.between(-1.0, 1.0)) * bounds.half_size();
        let toward = if source.below(2) == 0 {
            source.pick(&[Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y])
        } else {
            Rot::from_angle(source.between(-3.2, 3.2)).rotate(Vec2::X)
        };
        let rotation = Rot::from_angle(angle);
        let at = |way: f32| Pose {
            position: over + way * toward - rotation.rotate(b.centroid()),
            rotation,
        };
        let (mut inside, mut outside) = (
            0.0,
            2.0 * (bounds.half_size().length() + b.max_extent_from(b.centroid())) + 1.0,
        );
        for _ in 0..40 {
            let middle = 0.5 * (inside + outside);
            if signed_gap(&Solid::new(&a, Pose::IDENTITY), &Solid::new(&b, at(middle))) > gap {
                outside = middle;
            } else {
                inside = middle;
            }
        }
        Self {
            a,
            b,
            pose: at(outside),
        }
    }
}

impl MovingPair {
    /// The pair of a seed, with motions of one step at up to some hundred meters per second.
    pub(crate) fn from_seed(seed: u64) -> Self {
        let Pair { a, b, pose } = Pair::from_seed(seed);
        let source = &mut Source(!seed);
        let moving = |source: &mut Source, shape: &Shape, pose: Pose| {
            let speed = source.scale(0.001, 7.0);
            let way = speed * Rot::from_angle(source.between(-3.2, 3.2)).rotate(Vec2::X);
            // Nobody turns a kilometer by much within a step.
            let reach = shape.max_extent_from(shape.centroid());
            let turn =
                source.pick(&[0.0, 0.01, 0.1, 1.0]) * source.between(-1.0, 1.0) * (10.0 / reach).min(1.0);
            let center = pose.transform_point(shape.centroid());
            Sweep {
                local_center: shape.centroid(),
                c0: center,
                c1: center + way,
                q0: pose.rotation,
                q1: pose.rotation.then(Rot::from_angle(turn)),
            }
        };
        let still = source.below(3) != 0;
        let mut sweep_a = moving(source, &a, Pose::IDENTITY);
        if still {
            sweep_a.c1 = sweep_a.c0;
            sweep_a.q1 = sweep_a.q0;
        }
        let mut sweep_b = moving(source, &b, pose);
        if source.below(2) == 0 {
            // From farther away, toward each other.
            let away = sweep_b.c1 - sweep_b.c0;
            sweep_b.c1 = sweep_b.c0 + 0.2 * away;
            sweep_b.c0 -= away;
        }
        Self {
            a,
            sweep_a,
            b,
            sweep_b,
        }
    }
}

/// A point or a vector.
type P = [f64; 2];

fn sub(a: P, b: P) -> P {
    [a[0] - b[0], a[1] - b[1]]
}

fn dot(a: P, b: P) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn cross(a: P, b: P) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

fn length(a: P) -> f64 {
    dot(a, a).sqrt()
}

fn wide(v: Vec2) -> P {
    [f64::from(v.x), f64::from(v.y)]
}

fn unit(v: P) -> P {
    let length = length(v);
    [v[0] / length, v[1] / length]
}

/// A moved shape in double precision.
struct Solid {
    core: Vec<P>,
    radius: f64,
}

impl Solid {
    fn new(shape: &Shape, pose: Pose) -> Self {
        Self::moved(
            shape,
            wide(pose.position),
            [pose.rotation.cos.into(), pose.rotation.sin.into()],
        )
    }

    fn moved(shape: &Shape, place: P, turn: P) -> Self {
        let turn = unit(turn);
        let core = shape.vertices().iter().map(|v| {
            let v = wide(*v);
            [
                place[0] + turn[0] * v[0] - turn[1] * v[1],
                place[1] + turn[1] * v[0] + turn[0] * v[1],
            ]
        });
        Self {
            core: core.collect(),
            radius: shape.radius().into(),
        }
    }

    /// A body at a fraction of its motion.
    fn swept(shape: &Shape, sweep: &Sweep, fraction: f64) -> Self {
        let mix = |from: f32, to: f32| (1.0 - fraction) * f64::from(from) + fraction * f64::from(to);
        let turn = unit([mix(sweep.q0.cos, sweep.q1.cos), mix(sweep.q0.sin, sweep.q1.sin)]);
        let local = wide(sweep.local_center);
        let place = [
            mix(sweep.c0.x, sweep.c1.x) - (turn[0] * local[0] - turn[1] * local[1]),
            mix(sweep.c0.y, sweep.c1.y) - (turn[1] * local[0] + turn[0] * local[1]),
        ];
        Self::moved(shape, place, turn)
    }

    fn edges(&self) -> impl Iterator<Item = (P, P)> + '_ {
        let count = self.core.len();
        (0..count).map(move |i| (self.core[i], self.core[(i + 1) % count]))
    }

    fn has_inside(&self, p: P) -> bool {
        self.core.len() >= 3 && self.edges().all(|(a, b)| cross(sub(b, a), sub(p, a)) >= 0.0)
    }

    /// The outermost value along an axis, radius included.
    fn reach(&self, axis: P) -> f64 {
        self.core.iter().map(|p| dot(axis, *p)).fold(f64::MIN, f64::max) + self.radius
    }

    /// How far a point is outside, below zero inside the radius.
    fn outside(&self, p: P) -> f64 {
        if self.has_inside(p) {
            return -self.radius;
        }
        let core = self
            .edges()
            .map(|(a, b)| to_segment(p, a, b))
            .fold(f64::MAX, f64::min);
        core - self.radius
    }

    /// The largest coordinate: what rounding goes with.
    fn size(&self) -> f64 {
        self.core
            .iter()
            .flatten()
            .map(|c| c.abs())
            .fold(self.radius, f64::max)
    }

    /// How far the surface reaches along `up` within `window` of the line at `x` along `along`; `None` beside the shape.
    fn surface(&self, along: P, up: P, x: f64, window: f64) -> Option<f64> {
        let mut highest: Option<f64> = None;
        let mut keep = |height: f64| highest = Some(highest.map_or(height, |most| most.max(height)));
        for (p, q) in self.edges() {
            let (px, py, qx, qy) = (dot(along, p), dot(up, p), dot(along, q), dot(up, q));
            let off = ((x - px).abs() - window).max(0.0);
            if off <= self.radius {
                keep(py + (self.radius * self.radius - off * off).sqrt());
            }
            // The edge moved out by the radius to either side: what lies inside is never the highest.
            let run = length([qx - px, qy - py]);
            for side in [-self.radius, self.radius] {
                let (nx, ny) = (side * (qy - py) / run, -side * (qx - px) / run);
                let part = (x - px - nx) / (qx - px);
                if (0.0..=1.0).contains(&part) {
                    keep(py + ny + part * (qy - py));
                }
            }
        }
        highest
    }
}

fn to_segment(p: P, a: P, b: P) -> f64 {
    let along = sub(b, a);
    let squared = dot(along, along);
    if squared == 0.0 {
        return length(sub(p, a));
    }
    let part = (dot(sub(p, a), along) / squared).clamp(0.0, 1.0);
    length(sub(p, [a[0] + part * along[0], a[1] + part * along[1]]))
}

/// The distance of two cores by all pairs of features, 0 if they overlap.
fn core_gap(a: &Solid, b: &Solid) -> f64 {
    let cross_each_other = |(p, q): (P, P), (r, s): (P, P)| {
        let side = |p: P, q: P, r: P| cross(sub(q, p), sub(r, p));
        side(p, q, r) * side(p, q, s) < 0.0 && side(r, s, p) * side(r, s, q) < 0.0
    };
    if a.edges().any(|e| b.edges().any(|f| cross_each_other(e, f)))
        || a.core.iter().any(|p| b.has_inside(*p))
        || b.core.iter().any(|p| a.has_inside(*p))
    {
        return 0.0;
    }
    let least = |points: &Solid, of: &Solid| {
        let each = |p: &P| {
            of.edges()
                .map(|(r, s)| to_segment(*p, r, s))
                .fold(f64::MAX, f64::min)
        };
        points.core.iter().map(each).fold(f64::MAX, f64::min)
    };
    least(a, b).min(least(b, a))
}

/// How far the shapes are apart along an axis; below zero where their shadows overlap.
fn apart_along(a: &Solid, b: &Solid, axis: P) -> f64 {
    -b.reach([-axis[0], -axis[1]]) - a.reach(axis)
}

/// The distance of the surfaces if the cores are apart, else minus the shortest way to part them.
fn signed_gap(a: &Solid, b: &Solid) -> f64 {
    let gap = core_gap(a, b);
    if gap > 0.0 || (a.core.len() == 1 && b.core.len() == 1) {
        return gap - a.radius - b.radius;
    }
    let best = |of: &Solid, sign: f64| {
        of.edges()
            .filter(|(p, q)| p != q)
            .map(|(p, q)| {
                let along = unit(sub(q, p));
                apart_along(a, b, [sign * along[1], -sign * along[0]])
            })
            .fold(f64::MIN, f64::max)
    };
    best(a, 1.0).max(best(b, -1.0))
}

macro_rules! hold {
    ($condition:expr, $($message:tt)+) => {{
        // So that a number that is none does not hold either.
        let holds = $condition;
        if !holds {
            return Err(format!($($message)+));
        }
    }};
}

/// What rounding to 32 bits may do to a pair, in meters: it goes with the largest coordinate in either frame and on the way
/// from one to the other.
fn rounding(a: &Shape, b: &Shape, places: &[P]) -> f64 {
    let still = |shape: &Shape| Solid::new(shape, Pose::IDENTITY).size();
    let far = places.iter().map(|place| length(*place)).fold(0.0, f64::max);
    2.0e-6 + 3.0e-7 * (still(a) + still(b) + far)
}

/// Distance, normal and nearest points of a pair, from both sides.
pub(crate) fn check_distance(pair: &Pair) -> Result<(), String> {
    let Pair { a, b, pose } = pair;
    let back = pose.to(Pose::IDENTITY);
    check_distance_of(a, b, *pose)?;
    check_distance_of(b, a, back).map_err(|what| format!("exchanged: {what}"))?;
    let (there, back) = (distance(a, b, *pose), distance(b, a, back));
    hold!(
        f64::from((there.distance - back.distance).abs()) <= 2.0 * rounding(a, b, &[wide(pose.position)]),
        "{} is not {} from the other side",
        there.distance,
        back.distance
    );
    Ok(())
}

fn check_distance_of(a: &Shape, b: &Shape, pose: Pose) -> Result<(), String> {
    let found = distance(a, b, pose);
    hold!(
        are_overlapping(a, b, pose) == (found.distance <= 0.0),
        "a distance of {} and whether they overlap contradict each other",
        found.distance
    );
    let (solid_a, solid_b) = (Solid::new(a, Pose::IDENTITY), Solid::new(b, pose));
    let tolerance = rounding(a, b, &[wide(pose.position)]);
    let exact = (core_gap(&solid_a, &solid_b) - solid_a.radius - solid_b.radius).max(0.0);
    let distance = f64::from(found.distance);
    hold!(
        (distance - exact).abs() <= tolerance,
        "{distance} instead of {exact}"
    );
    for (point, solid) in [(found.point_a, &solid_a), (found.point_b, &solid_b)] {
        let off = solid.outside(wide(point));
        // Where long edges cross at a small angle the place is not known better.
        let bearable = if found.distance > 0.0 {
            tolerance
        } else {
            20.0 * tolerance
        };
        hold!(off <= bearable, "a nearest point is {off} outside");
    }
    if found.distance <= 0.0 {
        hold!(found.point_a == found.point_b, "two points where they overlap");
        return Ok(());
    }
    hold!(
        (f64::from(found.normal.length()) - 1.0).abs() < 1.0e-6,
        "the normal {} is no unit vector",
        found.normal
    );
    let between = sub(wide(found.point_b), wide(found.point_a));
    let normal = wide(found.normal);
    let miss = length([
        between[0] - distance * normal[0],
        between[1] - distance * normal[1],
    ]);
    hold!(
        miss <= 2.0 * tolerance,
        "the points are {between:?} apart, not {distance} along {normal:?}"
    );
    if distance <= 4.0 * tolerance {
        // Touching but for rounding, which may take either side of a line.
        return Ok(());
    }
    // Along the normal the shapes are as far apart as that. Between two corners the direction is as good as rounding
    // leaves their offset, and turned by so much the far end of an edge looks nearer.
    // The distance of an edge from a corner far away, as under a wide radius, changes by less than rounding over this length,
    // so that its end may as well be the nearest.
    let radii = f64::from(a.radius() + b.radius());
    let level = (2.0 * radii * tolerance).sqrt();
    let turned = (tolerance + level) / (distance + radii);
    let size = solid_a.size().max(solid_b.size());
    let along = apart_along(&solid_a, &solid_b, unit(normal));
    let bearable = if is_inside_an_edge(&solid_a, &solid_b, 8.0 * tolerance + level) {
        tolerance
    } else {
        tolerance + turned * size
    };
    hold!(
        along >= distance - 2.0 * bearable,
        "{along} apart along the normal, not {distance}"
    );
    Ok(())
}

/// Whether the nearest points are a corner and, by so much, the inside of an edge.
fn is_inside_an_edge(a: &Solid, b: &Solid, margin: f64) -> bool {
    let gap = core_gap(a, b);
    let any = |points: &Solid, of: &Solid| {
        points.core.iter().any(|p| {
            of.edges().any(|(r, s)| {
                let along = sub(s, r);
                let length = length(along);
                let place = dot(sub(*p, r), along) / length;
                place > margin && place < length - margin && to_segment(*p, r, s) <= gap * (1.0 + 1.0e-9)
            })
        })
    };
    any(a, b) || any(b, a)
}

fn deepest(manifold: &Manifold) -> f64 {
    let separations = manifold
        .active_points()
        .iter()
        .map(|point| f64::from(point.separation));
    separations.fold(f64::MAX, f64::min)
}

/// The manifold of a pair: separation, normal, both points, the same from both sides, and nearly the same nearby.
pub(crate) fn check_manifold(pair: &Pair) -> Result<(), String> {
    let Pair { a, b, pose } = pair;
    let back_pose = pose.to(Pose::IDENTITY);
    let there = check_manifold_of(a, b, *pose)?;
    let back = check_manifold_of(b, a, back_pose).map_err(|what| format!("exchanged: {what}"))?;
    check_symmetry(pair, &there, &back)?;
    check_continuity(pair, &there)
}

fn check_manifold_of(a: &Shape, b: &Shape, pose: Pose) -> Result<Manifold, String> {
    let manifold = collide(a, b, pose, SPECULATIVE);
    let (solid_a, solid_b) = (Solid::new(a, Pose::IDENTITY), Solid::new(b, pose));
    let tolerance = rounding(a, b, &[wide(pose.position)]);
    let exact = signed_gap(&solid_a, &solid_b);
    let reach = f64::from(SPECULATIVE);
    if manifold.count == 0 {
        hold!(exact > reach - LEAD - tolerance, "no contact at {exact}");
        return Ok(manifold);
    }
    let found = deepest(&manifold);
    hold!(found <= reach, "{found} is out of reach");
    // The lead of a face is in its height: seen along a slope it is a little more.
    hold!(
        (found - exact).abs() <= 1.5 * LEAD + 2.0 * tolerance,
        "separation {found} instead of {exact}"
    );
    let up = unit(wide(manifold.normal));
    hold!(
        (length(wide(manifold.normal)) - 1.0).abs() < 1.0e-6,
        "the normal is no unit vector"
    );
    if manifold.count == 2 {
        hold!(
            manifold.points[0].id != manifold.points[1].id,
            "both points have one id"
        );
    }
    check_points(&manifold, up, &solid_a, &solid_b, tolerance)?;
    check_both_ends(&manifold, up, &solid_a, &solid_b, tolerance)?;
    Ok(manifold)
}

/// Every point is halfway between the surfaces that the line along the normal meets, and as far from them as it says.
fn check_points(manifold: &Manifold, up: P, a: &Solid, b: &Solid, tolerance: f64) -> Result<(), String> {
    let along = [-up[1], up[0]];
    let down = [-up[0], -up[1]];
    let slope = match manifold.active_points() {
        [one, two] => {
            let run = dot(along, sub(wide(two.point), wide(one.point)));
            hold!(run != 0.0, "two points at one place");
            (f64::from(two.separation - one.separation) / run).abs()
        }
        _ => 1.0,
    };
    // Rounding moves a point along a steep edge.
    let bearable = 2.0 * LEAD + 2.0 * tolerance * (1.0 + slope);
    for point in manifold.active_points() {
        let p = wide(point.point);
        let (x, height) = (dot(along, p), dot(up, p));
        // At the very end of an edge rounding may lie beside it: the outermost near by counts.
        let top = a.surface(along, up, x, tolerance);
        let bottom = b.surface(along, down, x, tolerance).map(|height| -height);
        // A round end is upright at its side: there the surface is where rounding of the place leaves it.
        let steep = [(a, up), (b, down)].map(|(solid, up)| {
            let near = solid.surface(along, up, x, 2.0 * tolerance);
            let here = solid.surface(along, up, x, 0.0);
            near.zip(here).map_or(0.0, |(near, here)| near - here)
        });
        let bearable = bearable + steep[0] + steep[1];
        let (Some(top), Some(bottom)) = (top, bottom) else {
            // Beside one of them: corners that touch within the lead.
            let off = a.outside(p).max(b.outside(p));
            hold!(
                off <= bearable + f64::from(SPECULATIVE),
                "{point:?} is {off} outside"
            );
            continue;
        };
        hold!(
            (height - 0.5 * (top + bottom)).abs() <= bearable,
            "{point:?} is at {height}, not halfway from {top} to {bottom}"
        );
        hold!(
            (f64::from(point.separation) - (bottom - top)).abs() <= 2.0 * bearable,
            "{point:?} is not {} apart",
            bottom - top
        );
    }
    Ok(())
}

/// Where a face of one and the edge of the other that looks at it lie over each other, both ends of what they share are
/// points of the contact.
fn check_both_ends(manifold: &Manifold, up: P, a: &Solid, b: &Solid, tolerance: f64) -> Result<(), String> {
    let along = [-up[1], up[0]];
    let down = [-up[0], -up[1]];
    // The edge that looks most along an axis, as an interval, and how nearly it does; none if two do as nearly.
    let edge = |solid: &Solid, axis: P| {
        let looks = |(p, q): (P, P)| {
            let out = unit(sub(q, p));
            dot([out[1], -out[0]], axis)
        };
        let best = solid
            .edges()
            .filter(|(p, q)| p != q)
            .map(looks)
            .fold(f64::MIN, f64::max);
        let rivals = solid
            .edges()
            .filter(|(p, q)| p != q && looks((*p, *q)) > best - 1.0e-4);
        if rivals.count() > 1 {
            return None;
        }
        solid
            .edges()
            .filter(|(p, q)| p != q)
            .map(|(p, q)| {
                let out = unit(sub(q, p));
                let (s, t) = (dot(along, p), dot(along, q));
                (dot([out[1], -out[0]], axis), s.min(t), s.max(t))
            })
            .reduce(|best, other| if other.0 > best.0 { other } else { best })
    };
    let (Some(face_a), Some(face_b)) = (edge(a, up), edge(b, down)) else {
        return Ok(());
    };
    // Only where one of them is the reference: its normal is the manifold's.
    if face_a.0.max(face_b.0) < 1.0 - 1.0e-12 {
        return Ok(());
    }
    let (from, to) = (face_a.1.max(face_b.1), face_a.2.min(face_b.2));
    if to - from < 1.0e-4 + 4.0 * tolerance || face_a.0.min(face_b.0) < 0.01 {
        return Ok(());
    }
    // Where corner looks at corner, or does so but for rounding, one point is right.
    if core_gap(a, b) > 0.0 && !is_inside_an_edge(a, b, tolerance) {
        return Ok(());
    }
    hold!(
        manifold.count == 2,
        "one point where {} m of edges face each other",
        to - from
    );
    let mut places = manifold.points.map(|point| dot(along, wide(point.point)));
    places.sort_by(f64::total_cmp);
    let off = (places[0] - from).abs().max((places[1] - to).abs());
    hold!(
        off <= 1.0e-4 + 8.0 * tolerance,
        "points at {places:?}, ends at {from} and {to}"
    );
    Ok(())
}

fn check_symmetry(pair: &Pair, there: &Manifold, back: &Manifold) -> Result<(), String> {
    let Pair { a, b, pose } = pair;
    let tolerance = rounding(a, b, &[wide(pose.position)]);
    let reach = f64::from(SPECULATIVE);
    if there.count == 0 || back.count == 0 {
        let one = deepest(if there.count == 0 { back } else { there });
        hold!(
            there.count == back.count || one >= reach - 1.5 * LEAD - 2.0 * tolerance,
            "contact from one side only, at {one}"
        );
        return Ok(());
    }
    let (one, other) = (deepest(there), deepest(back));
    hold!(
        (one - other).abs() <= 1.5 * LEAD + 2.0 * tolerance,
        "{one} deep, from the other side {other}"
    );
    let mirrored = pose.rotation.rotate(-back.normal);
    // Another face within the lead may be the reference, or another of two edges nearly in line look at it; where they
    // are the same ones, so are the points.
    if there.normal.distance(mirrored) < 1.0e-6 && there.count == back.count {
        for point in there.active_points() {
            let id = (point.id & 0xff) << 8 | point.id >> 8;
            let Some(twin) = back.active_points().iter().find(|p| p.id == id) else {
                continue;
            };
            let off = f64::from(pose.transform_point(twin.point).distance(point.point));
            let slope = if there.count == 2 {
                let way = sub(wide(there.points[1].point), wide(there.points[0].point));
                let along = cross(wide(there.normal), way);
                (f64::from(there.points[1].separation - there.points[0].separation) / along).abs()
            } else {
                0.0
            };
            hold!(
                off <= (8.0 * tolerance + 2.0 * LEAD) * (1.0 + slope),
                "{point:?} is {twin:?} from the other side"
            );
        }
    }
    Ok(())
}

fn check_continuity(pair: &Pair, there: &Manifold) -> Result<(), String> {
    let Pair { a, b, pose } = pair;
    let tolerance = rounding(a, b, &[wide(pose.position)]);
    for (way, turn) in [
        (Vec2::new(1.0e-4, 0.0), 0.0),
        (Vec2::new(0.0, -1.0e-4), 0.0),
        (Vec2::ZERO, 1.0e-5),
    ] {
        let near = Pose {
            position: pose.position + way,
            rotation: pose.rotation.then(Rot::from_angle(turn)),
        };
        let other = collide(a, b, near, SPECULATIVE);
        let arm = Solid::new(b, Pose::IDENTITY).size();
        let moved = f64::from(way.length()) + f64::from(turn) * arm;
        let bearable = moved + 3.0 * LEAD + 4.0 * tolerance;
        let [before, after] = [there, &other].map(|m| deepest(m).min(f64::from(SPECULATIVE)));
        hold!(
            (before - after).abs() <= bearable,
            "{before} deep, and {after} after a way of {way} and a turn of {turn}"
        );
    }
    Ok(())
}

/// The time of impact of a moving pair, from both sides: nothing earlier, and something there.
pub(crate) fn check_impact(pair: &MovingPair) -> Result<(), String> {
    let MovingPair {
        a,
        sweep_a,
        b,
        sweep_b,
    } = pair;
    check_impact_of(a, sweep_a, b, sweep_b)?;
    check_impact_of(b, sweep_b, a, sweep_a).map_err(|what| format!("exchanged: {what}"))
}

fn check_impact_of(a: &Shape, sweep_a: &Sweep, b: &Shape, sweep_b: &Sweep) -> Result<(), String> {
    let found = time_of_impact(a, sweep_a, b, sweep_b, 1.0);
    let places = [sweep_a.c0, sweep_a.c1, sweep_b.c0, sweep_b.c1].map(wide);
    let tolerance = rounding(a, b, &places);
    let gap = |fraction: f64| {
        let (a, b) = (
            Solid::swept(a, sweep_a, fraction),
            Solid::swept(b, sweep_b, fraction),
        );
        core_gap(&a, &b) - a.radius - b.radius
    };
    let (target, near) = (
        f64::from(IMPACT_TARGET),
        f64::from(IMPACT_TARGET + IMPACT_TOLERANCE),
    );
    let end = f64::from(found.fraction);
    let start = gap(0.0);
    match found.state {
        ImpactState::Overlapped => {
            hold!(start <= tolerance, "overlapped at {start}");
            return Ok(());
        }
        ImpactState::Hit => {
            let there = gap(end);
            hold!(there <= near + 2.0 * tolerance, "a hit at {there} after {end}");
            if found.fraction == 0.0 {
                return Ok(());
            }
            // It did not stop early: the gap is about the target, not far inside.
            hold!(
                there >= target - 2.0 * tolerance,
                "{there} apart only, after {end}"
            );
        }
        ImpactState::Separated => hold!(found.fraction == 1.0, "separated until {end}"),
        ImpactState::Unresolved => {
            hold!(end > 0.0, "unresolved at the start, {start} apart");
            return Err(format!("unresolved after {end}, {} apart", gap(end)));
        }
    }
    if start > near {
        for step in 0..SAMPLE_COUNT {
            let before = end * f64::from(step) / f64::from(SAMPLE_COUNT);
            let there = gap(before);
            hold!(
                there >= target - 2.0 * tolerance,
                "{there} apart at {before}, before {:?} at {end}",
                found.state
            );
        }
    }
    Ok(())
}
