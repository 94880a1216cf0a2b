//! The stage continuous: a fast body goes no farther than to the first thing that it would pass through.
//!
//! `finish_bodies` marked the bodies that moved far. Each is swept from where it began the step to where it is now,
//! against the static bodies, and set back to the first impact; it keeps its velocity, so that the contact made
//! there stops or bounces it in the next step. Bullets are then swept against kinematic and dynamic bodies too.
//! Dynamic ones are assumed to be where they end the step; the motion of kinematic ones is followed, and a bullet
//! that meets one is carried along with it from there to the end of the step, unless a static body stops that.
//! Searching is parallel and writes to its own record only; bodies are set back one after another in the order of
//! their indices. No bullet is a target of another, and every obstacle is tested against the same part of the
//! motion, whichever was tested before. So the result depends neither on the order of obstacles nor on the workers.
//!
//! What stops a shape: the contacts see what is within reach at the end of a step, so only what they would miss must
//! stop a body. That is not its outer skin, which touches whatever the body slides over, but the shape without the
//! skin. Where even that overlaps something at the start, a small core around the center is swept in its place, so
//! that a body which is pressed into a wall may still leave it, and turn and slide in it, but not pass to the other
//! side. What moves along a segment of a chain is left to the contacts. The sweep, the setting back, the core and
//! the last rule are those of Box2D (Catto, "Continuous Collision", GDC 2013, and its version 3); the skin is ours.
//!
//! No body is held forever. A body that is held at the start of its motion in two steps in a row is wedged between
//! walls and pressed by something: it loses its velocity, so that it is no longer fast, and that is reported.
//!
//! Why: `docs/decisions.md#continuous-collision-leaves-a-skin-to-the-contacts`.

use super::Step;
use crate::body::{BodyKind, BodyPose, BodySim, NONE, flag};
use crate::broad_phase::TreeKind;
use crate::constants::{BOX_REACH_M, CONTINUOUS_SKIN_M, CORE_FRACTION, FAST_MOTION_FRACTION, LINEAR_SLOP_M};
use crate::contact::pool::body_ref;
use crate::events::HeldEvent;
use crate::state::State;
use core::cell::OnceCell;
use core::sync::atomic::{AtomicBool, Ordering};
use glam::Vec2;
use tombolo_geometry::distance::{
    ImpactState, Sweep, TimeOfImpact, closest_point, stays_apart, time_of_impact,
};
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Aabb, Pose, Rot};
use tombolo_handles::BitSet;
use tombolo_threads::parallel_chunks;

/// Bodies in one block of work: a sweep takes some microseconds.
const BODIES_PER_BLOCK: usize = 8;

/// Bodies in one block of work where the way of each is only written down: some microseconds.
const SWEEPS_PER_BLOCK: usize = 256;

/// Up to which fraction of its motion a body counts as held at the start.
const HELD_FRACTION_MAX: f32 = 0.001;

/// By which share a body is set back farther than it must where its middle would pass an obstacle.
const SLIDE_EXCESS: f32 = 0.01;

/// The motion of a fast body in this step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BodySweep {
    /// The body's index.
    pub(crate) body: u32,
    /// How far along the motion the body may go, 0 to 1.
    pub(crate) fraction: f32,
    /// Whether it is a bullet that is not fast itself: only fast kinematic bodies can pass it.
    is_slow: bool,
    /// Whether it was moved on from there, by a kinematic body or along a wall.
    pub(crate) is_moved_on: bool,
    /// Where to, if so.
    moved_to: Pose,
    /// The whole motion.
    pub(crate) sweep: Sweep,
}

/// A shape of a fast body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastShape {
    pub(crate) shape: u32,
    /// Place in the list of sweeps.
    pub(crate) sweep: u32,
    /// Where the shape was during the step.
    pub(crate) area: Aabb,
}

/// What a pass over the fast bodies looks for.
#[derive(Clone, Copy)]
enum Obstacles {
    /// Static bodies, which stop every fast body.
    Static,
    /// Kinematic and dynamic bodies that are no bullets, which stop bullets.
    Moving,
}

impl Obstacles {
    fn trees(self) -> &'static [TreeKind] {
        match self {
            Self::Static => &[TreeKind::Static],
            Self::Moving => &[TreeKind::Kinematic, TreeKind::Dynamic],
        }
    }

    /// Whether they stop a body.
    fn stop(self, body: &BodySim, moving: &BodySweep) -> bool {
        match self {
            Self::Static => body.is_dynamic() && !moving.is_slow,
            Self::Moving => body.is_dynamic() && body.has(flag::BULLET),
        }
    }
}

/// What all searches of a pass share.
struct Search<'a> {
    state: &'a State,
    obstacles: Obstacles,
    /// Where awake kinematic bodies began the step, by body index.
    starts: &'a [BodyPose],
    /// Which bodies are fast.
    fast_bodies: &'a BitSet,
    /// The shapes of fast kinematic bodies. The trees hold them where they end the step; on the way they may have been
    /// elsewhere.
    fast_obstacles: &'a [FastShape],
}

pub(crate) fn continuous(step: &mut Step<'_>) {
    let are_there_bullets = list_sweeps(step);
    if step.scratch.sweeps.is_empty() || !step.world.is_continuous() {
        return;
    }
    step.scratch.fast_shapes.clear();
    stop_at(step, Obstacles::Static);
    if are_there_bullets {
        list_fast_shapes(step, |body| body.kind() == BodyKind::Kinematic);
        stop_at(step, Obstacles::Moving);
    }
    note_held(step);
}

/// Marks the bodies that were held at the start of their motion; takes the velocity of those that were in the step before
/// too, and reports them.
fn note_held(step: &mut Step<'_>) {
    let is_held = |moving: &&BodySweep| moving.fraction <= HELD_FRACTION_MAX && !moving.is_moved_on;
    if !step.scratch.sweeps.iter().any(|moving| is_held(&moving)) {
        return;
    }
    let state = &mut step.world.state;
    step.scratch
        .merge(|worker| &mut worker.held_bodies, state.bodies.slot_count());
    for moving in step.scratch.sweeps.iter().filter(is_held) {
        state.body_sims[moving.body].set(flag::HELD, true);
        if step.scratch.merged.held_bodies.test(moving.body as usize) {
            let velocity = &mut state.body_states[moving.body];
            velocity.linear_velocity = Vec2::ZERO;
            velocity.angular_velocity = 0.0;
            let body = state
                .bodies
                .handle_of_slot(moving.body)
                .expect("fast bodies live");
            let user_key = state.bodies.get(body).expect("fast bodies live").user_key;
            step.world.events.held.push(HeldEvent { body, user_key });
        }
    }
}

/// Lists the bodies that were marked as fast, by index. Whether there are bullets among them.
fn list_sweeps(step: &mut Step<'_>) -> bool {
    let state = &step.world.state;
    let scratch = &mut *step.scratch;
    scratch.merge(|worker| &mut worker.fast_bodies, state.bodies.slot_count());
    scratch.indices.clear();
    scratch
        .indices
        .extend(scratch.merged.fast_bodies.iter().map(|body| body as u32));
    // Every sweep is written below, whatever an earlier step left there.
    scratch.sweeps.resize(scratch.indices.len(), BodySweep::default());
    let (bodies, starts) = (&scratch.indices, &scratch.fast_starts);
    let are_there_bullets = AtomicBool::new(false);
    parallel_chunks(
        step.executor,
        &mut scratch.sweeps,
        SWEEPS_PER_BLOCK,
        &|_, first, block| {
            for (moving, &body) in block.iter_mut().zip(&bodies[first..]) {
                let sim = &state.body_sims[body];
                let sweep = sweep_between(&starts[body as usize], &state.body_poses[body]);
                *moving = BodySweep {
                    body,
                    fraction: 1.0,
                    is_slow: sim.has(flag::BULLET) && !is_fast(&sweep, sim),
                    sweep,
                    ..BodySweep::default()
                };
                if Obstacles::Moving.stop(sim, moving) {
                    are_there_bullets.store(true, Ordering::Relaxed);
                }
            }
        },
    );
    are_there_bullets.into_inner()
}

/// Lists the shapes of those fast bodies that are `wanted`, with the boxes that they were in.
pub(crate) fn list_fast_shapes(step: &mut Step<'_>, wanted: impl Fn(&BodySim) -> bool) {
    let state = &step.world.state;
    let scratch = &mut *step.scratch;
    scratch.fast_shapes.clear();
    for (i, moving) in scratch.sweeps.iter().enumerate() {
        if !wanted(&state.body_sims[moving.body]) {
            continue;
        }
        for shape in state
            .shapes_of(moving.body)
            .filter(|&shape| state.is_solid(shape))
        {
            scratch.fast_shapes.push(FastShape {
                shape,
                sweep: i as u32,
                area: SweptShape::new(&state.outlines[shape], &moving.sweep).area(),
            });
        }
    }
}

/// Whether a motion is as fast as the stage `finish_bodies` marks one.
fn is_fast(sweep: &Sweep, sim: &BodySim) -> bool {
    let turn = sweep.q0.to(sweep.q1).sin.abs();
    (sweep.c1 - sweep.c0).length() + sim.extent_max * turn > FAST_MOTION_FRACTION * sim.extent_min
}

/// The motion of a body that is at `start` and then at `end`.
fn sweep_between(start: &BodyPose, end: &BodyPose) -> Sweep {
    Sweep {
        local_center: end.local_center,
        c0: start.center,
        c1: end.center,
        q0: start.pose.rotation,
        q1: end.pose.rotation,
    }
}

/// Finds what the fast bodies meet, in parallel, and sets them back, in order.
fn stop_at(step: &mut Step<'_>, obstacles: Obstacles) {
    let mut sweeps = core::mem::take(&mut step.scratch.sweeps);
    let search = Search {
        state: &step.world.state,
        obstacles,
        starts: &step.scratch.fast_starts,
        fast_bodies: &step.scratch.merged.fast_bodies,
        fast_obstacles: &step.scratch.fast_shapes,
    };
    parallel_chunks(step.executor, &mut sweeps, BODIES_PER_BLOCK, &|_, _, block| {
        for moving in block.iter_mut() {
            if obstacles.stop(&search.state.body_sims[moving.body], moving) {
                search.stop(moving);
            }
        }
    });
    // What an earlier pass set back is set to the same place again.
    for moving in sweeps.iter().filter(|moving| moving.fraction < 1.0) {
        step.world.state.set_back(moving);
        let place = body_ref(&step.world.state.bodies, moving.body).awake_index;
        step.scratch.moves[place as usize].pose = step.world.state.body_poses[moving.body].pose;
    }
    step.scratch.sweeps = sweeps;
}

/// An impact: the first of several.
#[derive(Clone, Copy)]
struct First {
    fraction: f32,
    /// Where the body is moved at once from there, if it is not stopped: along with a kinematic body, or along an
    /// obstacle that its middle must not pass. Of equal impacts the one that moves it to the least place counts, so that
    /// nobody's place in a list decides.
    moved_to: Option<Pose>,
}

impl First {
    fn keep(&mut self, other: Self) {
        let place = |first: &Self| first.moved_to.map(|pose| [pose.position.x, pose.position.y]);
        let is_first = other.fraction < self.fraction
            || other.fraction == self.fraction
                && match (place(&other), place(self)) {
                    (Some(new), Some(known)) => new < known,
                    (new, known) => new.is_some() && known.is_none(),
                };
        if is_first {
            *self = other;
        }
    }
}

impl Search<'_> {
    /// Notes how far a body may go, and where it is moved from there.
    fn stop(&self, moving: &mut BodySweep) {
        let trees = if moving.is_slow {
            &[]
        } else {
            self.obstacles.trees()
        };
        let first = self.first_impact(&moving.sweep, moving.body, trees, moving.fraction);
        moving.fraction = first.fraction;
        let Some(moved_to) = first.moved_to else {
            return;
        };
        // Not through what stands still.
        let met = moving.sweep.pose_at(first.fraction);
        let local_center = moving.sweep.local_center;
        let [start, end] = [met, moved_to].map(|pose| BodyPose::new(pose, local_center));
        let way = sweep_between(&start, &end);
        let walls = Search {
            obstacles: Obstacles::Static,
            ..*self
        };
        let free = walls
            .first_impact(&way, moving.body, walls.obstacles.trees(), 1.0)
            .fraction;
        moving.is_moved_on = free > HELD_FRACTION_MAX;
        moving.moved_to = if free < 1.0 { way.pose_at(free) } else { moved_to };
    }

    /// What is first in the way of one of the shapes of a body, up to a fraction of its motion.
    fn first_impact(&self, sweep: &Sweep, body: u32, trees: &[TreeKind], limit: f32) -> First {
        let state = self.state;
        let mut first = First {
            fraction: limit,
            moved_to: None,
        };
        // One look for the whole body: most fast bodies fall freely.
        let reach = state.reach(body, sweep);
        let near = |&tree: &TreeKind| state.broad_phase.is_any_in(tree, reach);
        let mut are_any_near = trees.iter().any(near);
        are_any_near |= self.fast_obstacles().iter().any(|fast| fast.area.overlaps(reach));
        if !are_any_near {
            return first;
        }
        for shape in state.shapes_of(body).filter(|&shape| state.is_solid(shape)) {
            let swept = SweptShape::new(&state.outlines[shape], sweep);
            let (area, proxy) = (swept.area(), state.shape_links[shape].proxy);
            let mut ask = |other: u32| {
                let target = state.shape_links[other].body;
                if !state.joint_keeps_apart(body, target) {
                    let obstacle = self.obstacle(other);
                    if let Some(other) = swept.impact(&obstacle, limit, first.fraction) {
                        first.keep(other);
                    }
                }
            };
            for &tree in trees {
                state.broad_phase.query_partners(tree, proxy, area, |other| {
                    if self.counts(other) {
                        ask(other);
                    }
                });
            }
            for fast in self
                .fast_obstacles()
                .iter()
                .filter(|fast| fast.area.overlaps(area))
            {
                if state
                    .broad_phase
                    .may_collide(proxy, state.shape_links[fast.shape].proxy)
                {
                    ask(fast.shape);
                }
            }
        }
        first
    }

    /// Fast bodies that stop others, wherever they are at the end.
    fn fast_obstacles(&self) -> &[FastShape] {
        match self.obstacles {
            Obstacles::Static => &[],
            Obstacles::Moving => self.fast_obstacles,
        }
    }

    /// Whether a shape that a tree has near the way of a body is to be asked.
    fn counts(&self, shape: u32) -> bool {
        let body = self.state.shape_links[shape].body;
        match self.obstacles {
            Obstacles::Static => true,
            Obstacles::Moving => {
                let sim = &self.state.body_sims[body];
                // Fast kinematic ones are in a list of their own.
                let is_listed = !sim.is_dynamic() && self.fast_bodies.test(body as usize);
                !sim.has(flag::BULLET) && !is_listed
            }
        }
    }

    fn obstacle(&self, shape: u32) -> Obstacle<'_> {
        let body = self.state.shape_links[shape].body;
        let end = &self.state.body_poses[body];
        let is_kinematic = self.state.body_sims[body].kind() == BodyKind::Kinematic;
        let moves = is_kinematic && body_ref(&self.state.bodies, body).is_awake();
        let start = if moves { &self.starts[body as usize] } else { end };
        Obstacle {
            outline: &self.state.outlines[shape],
            poses: [start.pose, end.pose],
            sweep: sweep_between(start, end),
            carries: is_kinematic && start != end,
        }
    }
}

/// A shape that may be in the way, and how it moves meanwhile.
struct Obstacle<'a> {
    outline: &'a Shape,
    /// Where its body is at the start and at the end of the step.
    poses: [Pose; 2],
    sweep: Sweep,
    /// Whether it moves on, whoever it meets.
    carries: bool,
}

impl Obstacle<'_> {
    fn pose_at(&self, fraction: f32) -> Pose {
        if self.carries && fraction > 0.0 {
            self.sweep.pose_at(fraction)
        } else {
            self.poses[0]
        }
    }

    /// Where it brings a body that it meets: as far as the place where they touch is pushed along their normal until the
    /// end of the step. `None` if it does not come after the body.
    fn carry(&self, sweep: &Sweep, impact: &TimeOfImpact) -> Option<Pose> {
        if !self.carries {
            return None;
        }
        let touching = self
            .pose_at(impact.fraction)
            .inverse_transform_point(impact.point);
        let way = self.poses[1].transform_point(touching) - impact.point;
        let push = impact.normal.dot(way);
        (push > 0.0).then(|| {
            let mut pose = sweep.pose_at(impact.fraction);
            pose.position += push * impact.normal;
            pose
        })
    }
}

impl State {
    /// A box that no shape of a body leaves during its motion.
    fn reach(&self, body: u32, sweep: &Sweep) -> Aabb {
        let Sweep { c0, c1, .. } = *sweep;
        Aabb::new(c0.min(c1), c0.max(c1)).grown(self.body_sims[body].extent_max)
    }

    /// Puts a body where it is at its fraction of the motion, or is carried from there, and its boxes around it.
    fn set_back(&mut self, moving: &BodySweep) {
        let BodySweep {
            body,
            fraction,
            is_moved_on,
            moved_to,
            sweep,
            ..
        } = *moving;
        let rotation = if is_moved_on {
            moved_to.rotation
        } else {
            sweep.pose_at(fraction).rotation
        };
        // Adding zero makes minus zero and zero one.
        let rotation = Rot {
            cos: rotation.cos + 0.0,
            sin: rotation.sin + 0.0,
        };
        let center = if is_moved_on {
            moved_to.transform_point(sweep.local_center)
        } else {
            (1.0 - fraction) * sweep.c0 + fraction * sweep.c1
        } + Vec2::ZERO;
        let pose = Pose {
            position: center - rotation.rotate(sweep.local_center),
            rotation,
        };
        self.body_poses[body] = BodyPose {
            pose,
            center,
            local_center: sweep.local_center,
        };
        let mut shape = self.body_sims[body].first_shape;
        while shape != NONE {
            let link = self.shape_links[shape];
            let tight = self.outlines[shape].aabb(pose);
            if link.proxy != NONE
                && !self
                    .broad_phase
                    .fat_box(link.proxy)
                    .contains(tight.grown(BOX_REACH_M))
            {
                self.broad_phase
                    .set_box(link.proxy, tight.grown(BOX_REACH_M + link.margin))
                    .expect("a place between two that are in range is in range");
            }
            shape = link.next;
        }
    }
}

/// A shape of a fast body.
pub(crate) struct SweptShape<'a> {
    outline: &'a Shape,
    sweep: &'a Sweep,
    /// The outline without its skin; made when the first obstacle is near, which is rarely.
    inner: OnceCell<Shape>,
}

impl<'a> SweptShape<'a> {
    pub(crate) fn new(outline: &'a Shape, sweep: &'a Sweep) -> Self {
        Self {
            outline,
            sweep,
            inner: OnceCell::new(),
        }
    }

    fn core_radius(&self) -> f32 {
        CORE_FRACTION * self.outline.min_extent()
    }

    /// A disc around the middle; `None` for what has no extent.
    fn core(&self) -> Option<Shape> {
        Shape::circle(self.outline.centroid(), self.core_radius()).ok()
    }

    /// A box that the shape does not leave during the motion: around start and end, and as much more as the way of
    /// the farthest part bulges out between the two.
    pub(crate) fn area(&self) -> Aabb {
        let ends = self
            .outline
            .aabb(self.sweep.pose_at(0.0))
            .union(self.outline.aabb(self.sweep.pose_at(1.0)));
        let turn = self.sweep.q0.to(self.sweep.q1);
        let half_turn_cos = tombolo_geometry::math::sqrt((0.5 * (1.0 + turn.cos)).max(0.0));
        let arm = self.outline.max_extent_from(self.sweep.local_center);
        ends.grown(arm * (1.0 - half_turn_cos))
    }

    /// The middle of the shape after a fraction of the motion, in the frame of an obstacle.
    fn middle_in(&self, obstacle: &Obstacle<'_>, fraction: f32) -> Vec2 {
        let middle = self
            .sweep
            .pose_at(fraction)
            .transform_point(self.outline.centroid());
        obstacle.pose_at(fraction).inverse_transform_point(middle)
    }

    /// How far the motion is free of an obstacle, and what becomes of the shape there; `None` if that is as far as `limit`,
    /// or farther than `earliest`, at which something else is met.
    fn impact(&self, obstacle: &Obstacle<'_>, limit: f32, earliest: f32) -> Option<First> {
        if obstacle.outline.is_behind(self.middle_in(obstacle, 0.0)) || self.goes_along(obstacle) {
            return None;
        }
        let inner = self.inner.get_or_init(|| self.inner_outline());
        if stays_apart(obstacle.outline, &obstacle.sweep, inner, self.sweep, earliest) {
            return None;
        }
        let meets = |shape: &Shape, fraction: f32| {
            let impact = time_of_impact(obstacle.outline, &obstacle.sweep, shape, self.sweep, fraction);
            (impact.state != ImpactState::Separated).then_some(impact)
        };
        let stopped = |impact: TimeOfImpact| First {
            fraction: impact.fraction,
            moved_to: obstacle.carry(self.sweep, &impact),
        };
        let first = meets(inner, limit)?;
        if first.fraction > 0.0 {
            // Where the skin was outside at the start, it stays outside.
            let outer = meets(self.outline, first.fraction).filter(|impact| impact.fraction > 0.0);
            return Some(stopped(outer.unwrap_or(first)));
        }
        if let Some(core) = self.core() {
            let impact = meets(&core, limit)?;
            if impact.fraction > 0.0 {
                return Some(stopped(impact));
            }
        }
        self.slide(obstacle, limit).map(|slid| First {
            fraction: 0.0,
            moved_to: Some(slid),
        })
    }

    /// The outline without its skin. What is thinner than the slop lies in the floor with all of its ends anyway, and
    /// is drawn together, so that they are left to the contacts.
    fn inner_outline(&self) -> Shape {
        let skin = CONTINUOUS_SKIN_M.min(self.core_radius());
        if self.outline.min_extent() > LINEAR_SLOP_M {
            self.outline.inset(skin)
        } else {
            self.outline.shrunk(skin)
        }
    }

    /// Whether the shape goes along a segment of a chain: its middle ends more than a core's radius on the solid side,
    /// and comes nearer by less than that. It has not got through, and the contacts with this segment and its neighbours
    /// hold it.
    ///
    /// In a crowd that is pressed along a chain nearly every shape sinks in by more than its skin. Stopping them all takes
    /// their time but not their speed, and makes those behind run into them. Not for other obstacles, which end where
    /// they end: a part of the shape could sweep over a thin one while the middle passes beside it.
    fn goes_along(&self, obstacle: &Obstacle<'_>) -> bool {
        if !obstacle.outline.is_chain_segment() {
            return false;
        }
        let [start, end] = [0.0, 1.0].map(|fraction| {
            let middle = self.middle_in(obstacle, fraction);
            obstacle.outline.normals()[0].dot(middle - obstacle.outline.vertices()[0])
        });
        let core = self.core_radius();
        start - end < core && end > core
    }

    /// Where the body goes instead if the middle of the shape, which begins very near to an obstacle, would come nearer
    /// than a core's radius, or than half of what it keeps now if that is less, or get to the other side: as far and as
    /// much turned as it would, but back from the obstacle. `None` if it would not. A middle inside of the obstacle is
    /// free to go.
    ///
    /// To stop such a body altogether would hold it for ever where it is wedged in with one end: nothing but its own
    /// motion can free it. And what is thinner than the distance at which an impact counts begins near to the floor that
    /// it falls on: as long as its middle stays clear of it, the contact has time to stop it.
    fn slide(&self, obstacle: &Obstacle<'_>, fraction: f32) -> Option<Pose> {
        let start = self.middle_in(obstacle, 0.0);
        let away = start - closest_point(obstacle.outline, start);
        let distance = away.length();
        let kept = self.core_radius().min(0.5 * distance);
        let rest = distance + away.dot(self.middle_in(obstacle, fraction) - start) / distance;
        // Not true either where the distance is 0 and the rest no number.
        (rest < kept).then(|| {
            let mut pose = self.sweep.pose_at(fraction);
            // A little more, that rounding does not bring it back below.
            let back = (1.0 + SLIDE_EXCESS) * kept - rest;
            pose.position += obstacle.pose_at(fraction).rotation.rotate(back / distance * away);
            pose
        })
    }
}
