//! The time of impact: the first time at which two shapes that move and turn come near, for continuous collision.
//!
//! Conservative advancement (Mirtich, "Impulse-based dynamic simulation", 1996): as long as the shapes stay apart along
//! the axis between their nearest points they cannot meet, so time may advance until a lower bound of that separation
//! runs out. The bound follows the velocity of every vertex and takes from it what the turning can bend its path, so
//! that a body that spins past a wall does not need many small steps. Each advance is safe: a search that ends early
//! has not passed through anything.
//!
//! The reasons are in `docs/decisions.md#casts-grow-the-core-impacts-advance-conservatively`.

use super::nearest::{Distance, EdgeOf, distance, distance_between, nearest_core_points, without_end};
use crate::math::{Pose, Rot, cross_scalar};
use crate::shape::{MovedCore, Shape, VERTEX_COUNT_MAX, best_face};
use glam::Vec2;

/// The distance of the surfaces at which two shapes count as having met, in meters: near enough for the contact solver,
/// far enough to exclude overlap.
pub const IMPACT_TARGET: f32 = 0.005;

/// The distance beyond [`IMPACT_TARGET`] that is accepted, in meters.
pub const IMPACT_TOLERANCE: f32 = 0.001;

/// The distance at which moving shapes count as touching in [`time_of_touch`], in meters, and with it the tolerance: as
/// near as the search can distinguish from rounding.
const TOUCH_REACH: Nearness = Nearness {
    target: 0.0,
    tolerance: 1.0e-4,
};

/// The distances of continuous collision.
const IMPACT_REACH: Nearness = Nearness {
    target: IMPACT_TARGET,
    tolerance: IMPACT_TOLERANCE,
};

/// The distance at which a search ends.
#[derive(Clone, Copy)]
struct Nearness {
    /// Meters between the surfaces.
    target: f32,
    /// Distance beyond the target that is accepted, in meters.
    tolerance: f32,
}

/// The most advances of a search. Linear motion against a face takes two; a body that turns far while it skims past
/// another, just out of reach, was seen to take more than thirty, and past the end of a line of three hundred meters
/// more than 128, because the curvature of the far end's path counts for all.
const ADVANCE_COUNT_MAX: u32 = 512;

/// The fraction of the remaining motion below which an advance is so short that an axis which turns with an edge is
/// tried too.
const SHORT_ADVANCE: f32 = 0.25;

/// The most bracketing steps for the end of one advance.
const BRACKET_COUNT_MAX: u32 = 12;

/// The acceleration of a point at distance one, over the square of the greatest angular velocity. Along the chord the
/// angle is `atan(x)` with `x` linear in time; its second derivative is at most `3√3/8 < 0.65`, and with the
/// centripetal part of 1 that makes less than this.
const ACCELERATION_FACTOR: f32 = 1.2;

crate::plain_data! {
    /// The motion of a body in one step: its center of mass moves on a line while it turns about it, by less than half
    /// a turn.
    #[derive(Debug, Default, PartialEq)]
    pub struct Sweep {
        /// The center of mass in the frame of the body's shapes.
        pub local_center: Vec2,
        /// The center of mass at the start.
        pub c0: Vec2,
        /// The center of mass at the end.
        pub c1: Vec2,
        /// The rotation at the start.
        pub q0: Rot,
        /// The rotation at the end.
        pub q1: Rot,
    }
}

impl Sweep {
    /// The pose of the body's frame at a fraction of the motion, 0 to 1. Rotations are mixed along the chord.
    #[inline]
    pub fn pose_at(&self, fraction: f32) -> Pose {
        let rest = 1.0 - fraction;
        let rotation = Rot {
            cos: rest * self.q0.cos + fraction * self.q1.cos,
            sin: rest * self.q0.sin + fraction * self.q1.sin,
        }
        .normalized();
        let center = rest * self.c0 + fraction * self.c1;
        Pose {
            position: center - rotation.rotate(self.local_center),
            rotation,
        }
    }

    /// The angular velocity at a fraction, in radians per whole motion. The chord passes near the origin in the middle,
    /// where the rotation is fastest.
    fn turn_rate_at(&self, fraction: f32) -> f32 {
        let rest = 1.0 - fraction;
        let cos = rest * self.q0.cos + fraction * self.q1.cos;
        let sin = rest * self.q0.sin + fraction * self.q1.sin;
        (self.q0.cos * self.q1.sin - self.q0.sin * self.q1.cos) / (cos * cos + sin * sin)
    }
}

/// The result of a search for the time of impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpactState {
    /// The shapes never come nearer than [`IMPACT_TARGET`].
    Separated,
    /// They are [`IMPACT_TARGET`] apart at the fraction given, or nearer than that already at the start.
    Hit,
    /// They touch or overlap at the start.
    Overlapped,
    /// The search gave up. Up to the given fraction the shapes are apart.
    Unresolved,
}

/// The time and place at which two moving shapes come near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeOfImpact {
    /// The result of the search.
    pub state: ImpactState,
    /// The fraction of the motion up to which the shapes are apart: 0 to the `max_fraction` of the search.
    pub fraction: f32,
    /// Halfway between the nearest points at that time, in the world.
    pub point: Vec2,
    /// The unit vector from the first shape to the second at that time, in the world; zero if their cores overlap.
    pub normal: Vec2,
}

/// The first time at which `a`, moved by `sweep_a`, and `b`, moved by `sweep_b`, come as near as [`IMPACT_TARGET`], up
/// to `max_fraction` (0 to 1) of their motions.
///
/// Shapes that are as near at the start hit at fraction 0, whichever way they move; the caller has to check their
/// motion then. Numbers that are not finite end as [`ImpactState::Unresolved`] at fraction 0.
///
/// Cost: one [`distance`] and some dozen passes over the vertices per advance; 512 advances at the most, mostly below 5.
///
/// ```
/// use tombolo_geometry::{Rot, Vec2, shape::Shape};
/// use tombolo_geometry::distance::{ImpactState, Sweep, time_of_impact};
/// let wall = Shape::new_box(0.02, 10.0)?;
/// let bullet = Shape::circle(Vec2::ZERO, 0.1)?;
/// let flight = Sweep { c0: Vec2::new(-5.0, 0.0), c1: Vec2::new(5.0, 0.0), ..Sweep::default() };
/// let impact = time_of_impact(&wall, &Sweep::default(), &bullet, &flight, 1.0);
/// assert_eq!(impact.state, ImpactState::Hit);
/// assert!((impact.fraction - 0.4885).abs() < 2e-4); // 5 m less wall, radius and target
/// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
/// ```
pub fn time_of_impact(
    a: &Shape,
    sweep_a: &Sweep,
    b: &Shape,
    sweep_b: &Sweep,
    max_fraction: f32,
) -> TimeOfImpact {
    first_time(a, sweep_a, b, sweep_b, max_fraction, IMPACT_REACH)
}

/// Two shapes that move, with a half-space replaced by the part of it that the other one may come near to.
#[cold]
fn of_moving(a: &Shape, sweep_a: &Sweep, b: &Shape, sweep_b: &Sweep) -> [Shape; 2] {
    // The paths of the centers, and how much nearer or farther along a line a turn brings a point at the centers'
    // distance.
    let path_length = |sweep: &Sweep| (sweep.c1 - sweep.c0).length();
    let chord = |sweep: &Sweep| Vec2::new(sweep.q1.cos - sweep.q0.cos, sweep.q1.sin - sweep.q0.sin).length();
    let apart = (sweep_b.c0 - sweep_a.c0).length();
    let arm = |shape: &Shape, sweep: &Sweep| {
        if shape.is_half_space() {
            0.0
        } else {
            shape.max_extent_from(sweep.local_center)
        }
    };
    let path_lengths = path_length(sweep_a) + path_length(sweep_b);
    let turns =
        (chord(sweep_a) + chord(sweep_b)) * (apart + path_lengths + arm(a, sweep_a) + arm(b, sweep_b));
    without_end(
        a,
        b,
        sweep_a.pose_at(0.0).to(sweep_b.pose_at(0.0)),
        path_lengths + turns,
    )
}

/// Like [`time_of_impact`] for a shape `b` that is moved and turned past an `a` at rest, until they touch within a
/// tenth of a millimeter: for queries, which have no contact solver that needs a gap. A shape that starts as near meets
/// `a` at once, whichever way it moves.
///
/// ```
/// use tombolo_geometry::{Pose, Rot, Vec2, shape::Shape};
/// use tombolo_geometry::distance::{ImpactState, Sweep, cast_turning};
/// let post = Shape::circle(Vec2::new(0.0, 2.0), 0.5)?;
/// let hand = Shape::capsule(Vec2::ZERO, Vec2::new(2.0, 0.0), 0.1)?;
/// let turn = Sweep { q1: Rot::from_angle(1.5), ..Sweep::default() };
/// let hit = cast_turning(&post, Pose::IDENTITY, &hand, &turn, 1.0);
/// assert_eq!(hit.state, ImpactState::Hit);
/// let angle = turn.pose_at(hit.fraction).rotation.angle();
/// assert!((angle - (1.5708 - 0.3047)).abs() < 1.0e-3); // the hand beside the post
/// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
/// ```
pub fn cast_turning(a: &Shape, pose_a: Pose, b: &Shape, sweep_b: &Sweep, max_fraction: f32) -> TimeOfImpact {
    let still = Sweep {
        local_center: Vec2::ZERO,
        c0: pose_a.position,
        c1: pose_a.position,
        q0: pose_a.rotation,
        q1: pose_a.rotation,
    };
    time_of_touch(a, &still, b, sweep_b, max_fraction)
}

/// Like [`time_of_impact`], until the two touch within a tenth of a millimeter: for queries and sensors, which have no
/// contact solver that needs a gap. Shapes that start as near meet at once, whichever way they move.
///
/// ```
/// use tombolo_geometry::{Vec2, shape::Shape};
/// use tombolo_geometry::distance::{ImpactState, Sweep, time_of_impact, time_of_touch};
/// let wire = Shape::segment(Vec2::new(-1.0, 0.0), Vec2::new(1.0, 0.0))?;
/// let ball = Shape::circle(Vec2::new(0.0, 0.504), 0.5)?;
/// // The ball rolls along the wire, 4 mm above it.
/// let roll = Sweep { c1: Vec2::new(0.5, 0.0), ..Sweep::default() };
/// let still = Sweep::default();
/// assert_eq!(time_of_touch(&wire, &still, &ball, &roll, 1.0).state, ImpactState::Separated);
/// assert_eq!(time_of_impact(&wire, &still, &ball, &roll, 1.0).state, ImpactState::Hit);
/// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
/// ```
pub fn time_of_touch(
    a: &Shape,
    sweep_a: &Sweep,
    b: &Shape,
    sweep_b: &Sweep,
    max_fraction: f32,
) -> TimeOfImpact {
    first_time(a, sweep_a, b, sweep_b, max_fraction, TOUCH_REACH)
}

/// The first time at which two moving shapes, of which one may be a half-space, come as near as `reach` says. Inlined, so
/// that the numbers of `reach` are constants in the search.
#[inline(always)]
fn first_time(
    a: &Shape,
    sweep_a: &Sweep,
    b: &Shape,
    sweep_b: &Sweep,
    max_fraction: f32,
    reach: Nearness,
) -> TimeOfImpact {
    if a.is_half_space() || b.is_half_space() {
        let [a, b] = of_moving(a, sweep_a, b, sweep_b);
        return search(&a, sweep_a, &b, sweep_b, max_fraction, reach);
    }
    search(a, sweep_a, b, sweep_b, max_fraction, reach)
}

/// The same of two shapes with an end.
#[inline(always)]
fn search(
    a: &Shape,
    sweep_a: &Sweep,
    b: &Shape,
    sweep_b: &Sweep,
    max_fraction: f32,
    reach: Nearness,
) -> TimeOfImpact {
    let mut fraction = 0.0;
    let mut last = TimeOfImpact {
        state: ImpactState::Unresolved,
        fraction: 0.0,
        point: Vec2::ZERO,
        normal: Vec2::ZERO,
    };
    for _ in 0..ADVANCE_COUNT_MAX {
        let pose_a = sweep_a.pose_at(fraction);
        let nearest = nearest_core_points(a, b, pose_a.to(sweep_b.pose_at(fraction)));
        let gap = distance_between(a, b, &nearest);
        let impact = |state| in_world(&gap, pose_a, state, fraction);
        if gap.distance <= 0.0 && fraction == 0.0 {
            return impact(ImpactState::Overlapped);
        }
        if gap.distance <= reach.target + reach.tolerance {
            return impact(ImpactState::Hit);
        }
        last = impact(ImpactState::Unresolved);
        if !gap.distance.is_finite() {
            return last;
        }
        let pair = MovingPair {
            a,
            sweep_a,
            b,
            sweep_b,
            reach,
        };
        match pair.safe_advance(last.normal, nearest.edge, fraction, max_fraction) {
            // The advance is lost in rounding: no later try would make progress.
            Some(advance) if fraction + advance <= fraction => return last,
            Some(advance) => fraction += advance,
            None => {
                let pose_a = sweep_a.pose_at(max_fraction);
                let gap = distance(a, b, pose_a.to(sweep_b.pose_at(max_fraction)));
                return in_world(&gap, pose_a, ImpactState::Separated, max_fraction);
            }
        }
    }
    last
}

/// Two shapes and their motions.
#[derive(Clone, Copy)]
struct MovingPair<'a> {
    a: &'a Shape,
    sweep_a: &'a Sweep,
    b: &'a Shape,
    sweep_b: &'a Sweep,
    reach: Nearness,
}

impl MovingPair<'_> {
    /// The time that may pass from `fraction` while the shapes stay apart along one axis; `None` if that is up to
    /// `max_fraction`.
    ///
    /// `axis` is that of the nearest points, and does not turn. Where one of these is inside of an edge and that edge
    /// turns, its far end soon reaches over the axis: then one that turns with the edge is tried too. Between two
    /// corners the axis is as inexact as rounding has made a narrow gap, and over a wide floor the floor's far end may
    /// cross such an axis: then the best faces are tried.
    fn safe_advance(self, axis: Vec2, edge: Option<EdgeOf>, fraction: f32, max_fraction: f32) -> Option<f32> {
        let rest = max_fraction - fraction;
        let mut best = self.bound(axis, fraction).safe_advance(rest)?;
        let turns = |sweep: &Sweep| sweep.q0 != sweep.q1;
        let is_edge_turning = match edge {
            Some(EdgeOf::A(_)) => turns(self.sweep_a),
            Some(EdgeOf::B(_)) => turns(self.sweep_b),
            None => false,
        };
        if let Some(edge) = edge
            && (is_edge_turning && best < SHORT_ADVANCE * rest || best <= 0.0)
        {
            best = best.max(self.edge_bound(edge, fraction, rest).safe_advance(rest)?);
        }
        if best <= 0.0 {
            let (pose_a, pose_b) = (self.sweep_a.pose_at(fraction), self.sweep_b.pose_at(fraction));
            let of_a = face_toward(self.a, self.b, pose_a.to(pose_b)).map(EdgeOf::A);
            let of_b = face_toward(self.b, self.a, pose_b.to(pose_a)).map(EdgeOf::B);
            for face in of_a.into_iter().chain(of_b) {
                best = best.max(self.edge_bound(face, fraction, rest).safe_advance(rest)?);
            }
        }
        Some(best)
    }

    /// The bound along the normal of an edge, which turns with it: the edge's own shape is all on one side of its line.
    fn edge_bound(self, edge: EdgeOf, fraction: f32, rest: f32) -> SeparationBound {
        let (owner, sweep, edge, other, other_sweep) = match edge {
            EdgeOf::A(edge) => (self.a, self.sweep_a, edge, self.b, self.sweep_b),
            EdgeOf::B(edge) => (self.b, self.sweep_b, edge, self.a, self.sweep_a),
        };
        SeparationBound {
            reach: self.reach,
            along_a: Along::line(owner.radius),
            along_b: Along::over_edge(owner, sweep, edge, other, other_sweep, fraction, rest),
        }
    }

    fn bound(self, axis: Vec2, fraction: f32) -> SeparationBound {
        let origin = self.sweep_a.c0;
        SeparationBound {
            reach: self.reach,
            along_a: Along::new(self.a, self.sweep_a, fraction, origin, -axis),
            along_b: Along::new(self.b, self.sweep_b, fraction, origin, axis),
        }
    }
}

/// The face of a shape that most separates it from another one; `None` for a circle.
#[cold]
fn face_toward(shape: &Shape, other: &Shape, other_in_shape: Pose) -> Option<usize> {
    if shape.normals().is_empty() {
        return None;
    }
    let moved = MovedCore::new(other, other_in_shape);
    Some(best_face(&shape.convex_core(), moved.convex_core().vertices).index)
}

/// Whether two moving shapes certainly stay farther apart than [`IMPACT_TARGET`] and its tolerance, up to
/// `max_fraction` of their motions: then [`time_of_impact`] would find them separated. Tries one axis only, the normal
/// of the face of `a` that the center of `b` is farthest outside of at the start; `false` is not conclusive.
///
/// Cost: two passes over the vertices, a fraction of a [`distance`].
///
/// ```
/// use tombolo_geometry::{Vec2, shape::Shape};
/// use tombolo_geometry::distance::{Sweep, stays_apart};
/// let floor = Shape::new_box(100.0, 2.0)?;
/// let ball = Shape::circle(Vec2::ZERO, 0.5)?;
/// let roll = Sweep { c0: Vec2::new(0.0, 1.6), c1: Vec2::new(9.0, 1.6), ..Sweep::default() };
/// assert!(stays_apart(&floor, &Sweep::default(), &ball, &roll, 1.0));
/// let fall = Sweep { c1: Vec2::new(9.0, 1.4), ..roll };
/// assert!(!stays_apart(&floor, &Sweep::default(), &ball, &fall, 1.0));
/// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
/// ```
pub fn stays_apart(a: &Shape, sweep_a: &Sweep, b: &Shape, sweep_b: &Sweep, max_fraction: f32) -> bool {
    if a.normals().is_empty() || b.is_half_space() {
        return false;
    }
    let pose_a = sweep_a.pose_at(0.0);
    let middle = pose_a.inverse_transform_point(sweep_b.pose_at(0.0).transform_point(b.centroid()));
    let (face, _) = a.face_separation(middle);
    let axis = pose_a.rotation.rotate(a.normals()[face]);
    let pair = MovingPair {
        a,
        sweep_a,
        b,
        sweep_b,
        reach: IMPACT_REACH,
    };
    let bound = pair.bound(axis, 0.0);
    // Concave in time: a value that is exceeded at both ends is exceeded everywhere between.
    bound.after(0.0).min(bound.after(max_fraction)) >= IMPACT_TOLERANCE
}

/// The vertices of a moving shape along one axis of the world: their heights at a time, and the rates of these.
struct Along {
    heights: [f32; VERTEX_COUNT_MAX],
    rates: [f32; VERTEX_COUNT_MAX],
    count: usize,
    radius: f32,
    acceleration: f32,
}

impl Along {
    /// Heights over `origin`, in meters along `axis`, and rates per whole motion.
    fn new(shape: &Shape, sweep: &Sweep, fraction: f32, origin: Vec2, axis: Vec2) -> Self {
        let pose = sweep.pose_at(fraction);
        let center = (1.0 - fraction) * sweep.c0 + fraction * sweep.c1;
        let turn_rate = sweep.turn_rate_at(fraction);
        let fastest = sweep.turn_rate_at(0.5);
        let mut along = Self {
            heights: [0.0; VERTEX_COUNT_MAX],
            rates: [0.0; VERTEX_COUNT_MAX],
            count: shape.vertices().len(),
            radius: shape.radius,
            acceleration: 0.0,
        };
        let mut farthest: f32 = 0.0;
        for (index, &vertex) in shape.vertices().iter().enumerate() {
            let arm = pose.rotation.rotate(vertex - sweep.local_center);
            along.heights[index] = axis.dot((center - origin) + arm);
            along.rates[index] = axis.dot((sweep.c1 - sweep.c0) + cross_scalar(turn_rate, arm));
            farthest = farthest.max(arm.length());
        }
        along.acceleration = ACCELERATION_FACTOR * fastest * fastest * farthest;
        along
    }

    /// A line at height zero that does not move.
    fn line(radius: f32) -> Self {
        Self {
            heights: [0.0; VERTEX_COUNT_MAX],
            rates: [0.0; VERTEX_COUNT_MAX],
            count: 1,
            radius,
            acceleration: 0.0,
        }
    }

    /// Heights of a shape's vertices over the line of an edge of another shape, in the frame of that one, which turns.
    ///
    /// In that frame a vertex at `r` from the center that moves by `v` has, beside its own acceleration, the
    /// acceleration `-2 w x v + w x (w x r) - a x r`, with the angular velocity `w` and the angular acceleration `a`.
    fn over_edge(
        owner: &Shape,
        owner_sweep: &Sweep,
        edge: usize,
        shape: &Shape,
        sweep: &Sweep,
        fraction: f32,
        rest: f32,
    ) -> Self {
        let owner_pose = owner_sweep.pose_at(fraction);
        let normal = owner_pose.rotation.rotate(owner.normals()[edge]);
        let on_edge = owner_pose.transform_point(owner.vertices()[edge]);
        let owner_center = (1.0 - fraction) * owner_sweep.c0 + fraction * owner_sweep.c1;
        let owner_turn_rate = owner_sweep.turn_rate_at(fraction);
        let (owner_fastest, fastest) = (owner_sweep.turn_rate_at(0.5).abs(), sweep.turn_rate_at(0.5).abs());
        let pose = sweep.pose_at(fraction);
        let center = (1.0 - fraction) * sweep.c0 + fraction * sweep.c1;
        let turn_rate = sweep.turn_rate_at(fraction);
        let straight = (sweep.c1 - sweep.c0) - (owner_sweep.c1 - owner_sweep.c0);
        let mut along = Self {
            count: shape.vertices().len(),
            ..Self::line(shape.radius)
        };
        for (index, &vertex) in shape.vertices().iter().enumerate() {
            let arm = pose.rotation.rotate(vertex - sweep.local_center);
            let from_owner = (center - owner_center) + arm;
            let velocity =
                straight + cross_scalar(turn_rate, arm) - cross_scalar(owner_turn_rate, from_owner);
            along.heights[index] = normal.dot((center - on_edge) + arm);
            along.rates[index] = normal.dot(velocity);
            let speed = straight.length() + fastest * arm.length();
            let reach = from_owner.length() + speed * rest;
            let bent = ACCELERATION_FACTOR * fastest * fastest * arm.length()
                + 2.0 * owner_fastest * speed
                + ACCELERATION_FACTOR * owner_fastest * owner_fastest * reach;
            along.acceleration = along.acceleration.max(bent);
        }
        along
    }

    /// A lower bound of the lowest height after a part of the motion.
    fn lowest_after(&self, advance: f32) -> f32 {
        let mut lowest = f32::INFINITY;
        for (height, rate) in self.heights[..self.count].iter().zip(&self.rates) {
            lowest = lowest.min(height + rate * advance);
        }
        lowest - self.radius - 0.5 * self.acceleration * advance * advance
    }
}

/// A lower bound of the separation of two moving shapes along one axis. `a` is measured against the axis and `b` along
/// it, so that the sum of their lowest heights is the separation. As the least of lines less a parabola it is concave:
/// once below a value it never comes back.
struct SeparationBound {
    reach: Nearness,
    along_a: Along,
    along_b: Along,
}

impl SeparationBound {
    fn after(&self, advance: f32) -> f32 {
        self.along_a.lowest_after(advance) + self.along_b.lowest_after(advance) - self.reach.target
    }

    /// The time that may pass before the bound falls below the target; `None` if it does not within `rest`.
    fn safe_advance(&self, rest: f32) -> Option<f32> {
        let (mut safe, mut over) = ((0.0, self.after(0.0)), (rest, self.after(rest)));
        if over.1 >= 0.0 {
            return None;
        }
        for _ in 0..BRACKET_COUNT_MAX {
            if safe.1 <= 0.5 * self.reach.tolerance {
                break;
            }
            // A chord lies below a concave function, so where it reaches zero is still safe. The aim is a little above:
            // where the function is a line, rounding would put the end of the advance below the target, again and
            // again.
            let aim = 0.25 * self.reach.tolerance;
            let chord = safe.0 + (over.0 - safe.0) * (safe.1 - aim) / (safe.1 - over.1);
            let middle = 0.5 * (chord + over.0);
            for time in [chord, middle] {
                let height = self.after(time);
                if height >= 0.0 {
                    safe = (time, height);
                } else if time < over.0 {
                    over = (time, height);
                }
            }
        }
        Some(safe.0)
    }
}

/// The state of the search at a fraction, in the world's frame.
fn in_world(gap: &Distance, pose_a: Pose, state: ImpactState, fraction: f32) -> TimeOfImpact {
    TimeOfImpact {
        state,
        fraction,
        point: pose_a.transform_point(0.5 * (gap.point_a + gap.point_b)),
        normal: pose_a.rotation.rotate(gap.normal),
    }
}
