//! The stage continuous: a fast body goes no farther than where it meets something that it would pass through.
//!
//! `finish_bodies` marked the bodies that moved far. Each is swept from where it began the step to where it is now,
//! against the static bodies, and set back to the first impact; it keeps its velocity, so that the contact made there
//! stops or bounces it in the next step. Bullets are then swept against kinematic and dynamic bodies too, which are
//! taken to be where they end the step. Searching is parallel and writes to its own record only; bodies are set back one
//! after another in the order of their indices. No bullet is a target of another, so that neither order nor workers can
//! be seen in the result.
//!
//! What stops a shape. The contacts see what is within reach at the end of a step, so only what they would miss must
//! stop a body: not its outer skin, which touches whatever the body slides over, but the shape without the skin. Where
//! even that overlaps something at the start, a small core around the middle is swept in its place, so that a body
//! which is pressed into a wall may still leave it, but not to the other side. What goes along a segment of a chain is
//! left to the contacts. The sweep, the setting back, the core and the last rule are those of Box2D (Catto, "Continuous
//! Collision", GDC 2013, and its version 3); the skin is ours.

use super::Step;
use crate::body::{BodyPose, BodySim, NONE, flag};
use crate::broad_phase::TreeKind;
use crate::constants::{BOX_REACH_M, CONTINUOUS_SKIN_M, CORE_FRACTION};
use crate::contact::pool::body_ref;
use crate::state::State;
use core::cell::OnceCell;
use core::sync::atomic::{AtomicBool, Ordering};
use glam::Vec2;
use tombolo_geometry::distance::{ImpactState, Sweep, closest_point, stays_apart, time_of_impact};
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Aabb, Pose, Rot};
use tombolo_threads::parallel_chunks;

/// Bodies in one block of work: a sweep takes some microseconds.
const BODIES_PER_BLOCK: usize = 8;

/// Bodies in one block of work where the way of each is only written down: some microseconds.
const SWEEPS_PER_BLOCK: usize = 256;

/// The motion of a fast body in this step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BodySweep {
    /// The body's index.
    pub(crate) body: u32,
    /// How far along the motion the body may go, 0 to 1.
    pub(crate) fraction: f32,
    /// The whole motion.
    pub(crate) sweep: Sweep,
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
    fn stop(self, body: &BodySim) -> bool {
        match self {
            Self::Static => true,
            Self::Moving => body.has(flag::BULLET),
        }
    }
}

pub(crate) fn continuous(step: &mut Step<'_>) {
    let are_there_bullets = list_sweeps(step);
    if step.scratch.sweeps.is_empty() || !step.world.is_continuous() {
        return;
    }
    stop_at(step, Obstacles::Static);
    if are_there_bullets {
        stop_at(step, Obstacles::Moving);
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
                let (start, end) = (&starts[body as usize], &state.body_poses[body]);
                *moving = BodySweep {
                    body,
                    fraction: 1.0,
                    sweep: Sweep {
                        local_center: end.local_center,
                        c0: start.center,
                        c1: end.center,
                        q0: start.pose.rotation,
                        q1: end.pose.rotation,
                    },
                };
                if state.body_sims[body].has(flag::BULLET) {
                    are_there_bullets.store(true, Ordering::Relaxed);
                }
            }
        },
    );
    are_there_bullets.into_inner()
}

/// Finds what the fast bodies meet, in parallel, and sets them back, in order.
fn stop_at(step: &mut Step<'_>, obstacles: Obstacles) {
    let mut sweeps = core::mem::take(&mut step.scratch.sweeps);
    let state = &step.world.state;
    let stopped = |moving: &BodySweep| obstacles.stop(&state.body_sims[moving.body]);
    parallel_chunks(step.executor, &mut sweeps, BODIES_PER_BLOCK, &|_, _, block| {
        for moving in block.iter_mut().filter(|moving| stopped(moving)) {
            moving.fraction = state.first_impact(moving, obstacles);
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

impl State {
    /// The fraction of its motion that a body may make before one of `obstacles` is in the way of one of its shapes.
    fn first_impact(&self, moving: &BodySweep, obstacles: Obstacles) -> f32 {
        let mut fraction = moving.fraction;
        // One look for the whole body: most fast bodies fall freely.
        let reach = self.reach(moving);
        let near = |&tree: &TreeKind| self.broad_phase.is_any_in(tree, reach);
        if !obstacles.trees().iter().any(near) {
            return fraction;
        }
        for shape in self.shapes_of(moving.body).filter(|&shape| self.is_solid(shape)) {
            let swept = SweptShape::new(&self.outlines[shape], &moving.sweep);
            let (area, proxy) = (swept.area(), self.shape_links[shape].proxy);
            for &tree in obstacles.trees() {
                self.broad_phase.query_partners(tree, proxy, area, |other| {
                    let target = self.shape_links[other].body;
                    let counts =
                        !self.body_sims[target].has(flag::BULLET) || matches!(obstacles, Obstacles::Static);
                    if counts && !self.joint_keeps_apart(moving.body, target) {
                        fraction = swept.impact(&self.outlines[other], &self.body_poses[target], fraction);
                    }
                });
            }
        }
        fraction
    }

    /// A box that no shape of a body leaves during its motion.
    fn reach(&self, moving: &BodySweep) -> Aabb {
        let Sweep { c0, c1, .. } = moving.sweep;
        Aabb::new(c0.min(c1), c0.max(c1)).grown(self.body_sims[moving.body].extent_max)
    }

    /// Puts a body where it is at its fraction of the motion, and its boxes around it.
    fn set_back(&mut self, moving: &BodySweep) {
        let BodySweep {
            body,
            fraction,
            sweep,
        } = *moving;
        let rotation = sweep.pose_at(fraction).rotation;
        // Adding zero makes minus zero and zero one.
        let rotation = Rot {
            cos: rotation.cos + 0.0,
            sin: rotation.sin + 0.0,
        };
        let center = (1.0 - fraction) * sweep.c0 + fraction * sweep.c1 + Vec2::ZERO;
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

    /// The middle of the shape after a fraction of the motion, in the frame of a body that lies still.
    fn middle_in(&self, place: &BodyPose, fraction: f32) -> Vec2 {
        let middle = self
            .sweep
            .pose_at(fraction)
            .transform_point(self.outline.centroid());
        place.pose.inverse_transform_point(middle)
    }

    /// The fraction of the motion, at most `fraction`, that is free of a shape whose body lies still.
    fn impact(&self, obstacle: &Shape, place: &BodyPose, fraction: f32) -> f32 {
        let still = Sweep {
            local_center: place.local_center,
            c0: place.center,
            c1: place.center,
            q0: place.pose.rotation,
            q1: place.pose.rotation,
        };
        if obstacle.is_behind(self.middle_in(place, 0.0)) || self.goes_along(obstacle, place) {
            return fraction;
        }
        let inner = self
            .inner
            .get_or_init(|| self.outline.shrunk(CONTINUOUS_SKIN_M.min(self.core_radius())));
        if stays_apart(obstacle, &still, inner, self.sweep, fraction) {
            return fraction;
        }
        let meets = |shape: &Shape, fraction: f32| {
            let impact = time_of_impact(obstacle, &still, shape, self.sweep, fraction);
            (impact.state != ImpactState::Separated).then_some(impact.fraction)
        };
        match meets(inner, fraction) {
            None => fraction,
            Some(0.0) => match self.core().map(|core| meets(&core, fraction)) {
                Some(None) => fraction,
                Some(Some(free)) if free > 0.0 => free,
                _ if self.middle_would_cross(obstacle, place, fraction) => 0.0,
                _ => fraction,
            },
            // Where the skin was outside at the start, it stays outside.
            Some(inner) => meets(self.outline, inner)
                .filter(|&fraction| fraction > 0.0)
                .unwrap_or(inner),
        }
    }

    /// Whether the shape goes along a segment of a chain: its middle ends more than a core's radius on the solid side,
    /// and comes nearer by less than that. It has not got through, and the contacts with this segment and its neighbours
    /// hold it.
    ///
    /// In a crowd that is pressed along a chain nearly every shape sinks in by more than its skin. Stopping them all takes
    /// their time but not their speed, and makes those behind run into them. Not for other obstacles, which end where
    /// they end: a part of the shape could sweep over a thin one while the middle passes beside it.
    fn goes_along(&self, obstacle: &Shape, place: &BodyPose) -> bool {
        if !obstacle.is_chain_segment() {
            return false;
        }
        let [start, end] = [0.0, 1.0].map(|fraction| {
            let middle = self.middle_in(place, fraction);
            obstacle.normals()[0].dot(middle - obstacle.vertices()[0])
        });
        let core = self.core_radius();
        start - end < core && end > core
    }

    /// Whether the middle of the shape, which begins very near to an obstacle, would come nearer than half of what it
    /// keeps now, or get to the other side. A middle inside of the obstacle is free to go.
    fn middle_would_cross(&self, obstacle: &Shape, place: &BodyPose, fraction: f32) -> bool {
        let start = self.middle_in(place, 0.0);
        let away = start - closest_point(obstacle, start);
        away.dot(self.middle_in(place, fraction) - start) < -0.5 * away.length_squared()
    }
}
