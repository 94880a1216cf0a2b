//! [`Sight`]: finds the obstacles around a character, as planes; and the first obstacle along a translation.

use super::plane::MovePlane;
use super::{CHARACTER_GAP_M, CharacterDef};
use crate::body::NONE;
use crate::objects::rules::{Visitor, VisitorMove};
use crate::state::State;
use crate::{BodyKind, PhysicsWorld, Shape};
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::bvh::{BoxCast, Visit};
use tombolo_geometry::distance::{cast_shape, surfaces};
use tombolo_geometry::math::cross_scalar;
use tombolo_geometry::{Pose, Rot};

/// A shape near a character.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearShape {
    /// The unit normal out of the obstacle, toward the character.
    pub(super) normal: Vec2,
    /// The distance between the surfaces, in meters.
    pub(super) separation: f32,
    /// The nearest point on the obstacle's surface.
    pub(super) point: Vec2,
    /// The shape's index.
    pub(super) shape: u32,
    /// The body's index.
    pub(super) body: u32,
    pub(super) kind: BodyKind,
    /// The velocity of the obstacle at the point, in meters per second.
    pub(super) velocity: Vec2,
    /// The index of the shape's vertex that is the point, or `NONE` on a face.
    pub(super) corner: u32,
    /// At a corner the normal of the face that is turned upward more; on a face its normal.
    pub(super) face: Vec2,
}

/// The view of the world from which a character's obstacles are found.
#[derive(Clone, Copy)]
pub(super) struct Sight<'a> {
    pub(super) state: &'a State,
    pub(super) def: &'a CharacterDef,
    /// The index of its own body, or `NONE`.
    pub(super) own: u32,
    /// The index of one more body that is no obstacle, or `NONE`.
    pub(super) skipped: u32,
    /// The position at the start of the move, for one-way platforms.
    pub(super) origin: Vec2,
    pub(super) motion: VisitorMove,
    /// The shape that it stands on when the move begins, or `NONE`.
    pub(super) ground: u32,
    /// The one-way platforms through which it drops.
    pub(super) dropped: &'a [u32],
}

/// The distance of a corner from the surface of a neighbor, in meters, up to which it counts as on the surface, such as
/// a seam of tiles.
pub(super) const SEAM_M: f32 = 0.002;

/// The sine of the angle by which a normal may point over the edge of a neighbor.
const OVER_EDGE_SINE: f32 = 0.01;

impl<'a> Sight<'a> {
    pub(super) fn new(world: &'a PhysicsWorld, def: &'a CharacterDef) -> Self {
        let own = def.body.filter(|body| world.state.bodies.get(*body).is_some());
        Self {
            state: &world.state,
            def,
            own: own.map_or(NONE, |body| body.index()),
            skipped: NONE,
            origin: Vec2::ZERO,
            motion: VisitorMove::Cast { translation: -def.up },
            ground: NONE,
            dropped: &[],
        }
    }

    /// The view for a query at a position, without motion and ground.
    pub(super) fn with_origin(mut self, position: Vec2) -> Self {
        self.origin = position;
        self
    }

    fn sees(&self, shape: u32) -> Option<u32> {
        let passes = || self.state.are_there_rules() && self.passes(shape);
        let body = self.state.shape_links[shape].body;
        (body != self.skipped && self.collides_with(shape) && !passes()).then_some(body)
    }

    /// Whether the filters of a shape and of the character let them collide, and the shape is not of its own body.
    pub(super) fn collides_with(&self, shape: u32) -> bool {
        let record = self.state.shapes.live(shape);
        let CharacterDef { category, mask, .. } = self.def;
        record.category & mask != 0
            && record.mask & category != 0
            && self.state.shape_links[shape].body != self.own
    }

    /// Whether a rule makes a shape no obstacle.
    fn passes(&self, shape: u32) -> bool {
        if self.dropped.contains(&shape) {
            return true;
        }
        let stands_on = shape == self.ground && self.state.is_one_way_for(shape, self.def.rule_side());
        !stands_on && self.passes_from(shape, self.origin)
    }

    /// Whether a rule lets the character, which comes from `origin`, pass a shape.
    pub(super) fn passes_from(&self, shape: u32, origin: Vec2) -> bool {
        let visitor = Visitor {
            side: self.def.rule_side(),
            shape: &self.def.shape,
            pose: pose_at(origin),
            moves: self.motion,
        };
        self.state.lets_visitor_pass(shape, &visitor)
    }

    /// The obstacles within `reach` meters of the character at `position`, by shape index.
    pub(super) fn gather(
        &self,
        position: Vec2,
        reach: f32,
        candidates: &mut Vec<u32>,
        obstacles: &mut Vec<NearShape>,
    ) {
        candidates.clear();
        let place = pose_at(position);
        let area = self.def.shape.aabb(place).grown(reach);
        self.state.broad_phase.query_box(area, self.def.mask, |shape| {
            candidates.push(shape);
            Visit::Continue
        });
        candidates.retain(|&shape| self.sees(shape).is_some());
        candidates.sort_unstable();
        self.look_again(position, reach, candidates, obstacles);
    }

    /// Like [`gather`](Self::gather), among candidates that are known to be near.
    pub(super) fn look_again(
        &self,
        position: Vec2,
        reach: f32,
        candidates: &[u32],
        obstacles: &mut Vec<NearShape>,
    ) {
        obstacles.clear();
        obstacles.extend(candidates.iter().filter_map(|&shape| {
            let body = self.state.shape_links[shape].body;
            self.obstacle(shape, body, position, reach)
        }));
        if obstacles.len() > 1 {
            self.remove_seams(position, candidates, obstacles);
        }
    }

    /// A shape of a body as an obstacle, if it is within `reach` meters of the character at `position`.
    pub(super) fn obstacle(&self, shape: u32, body: u32, position: Vec2, reach: f32) -> Option<NearShape> {
        let pose = self.state.body_poses[body].pose;
        let seen_at = pose_from(position, pose);
        let geometry = &self.state.shape_geometries[shape];
        let found = surfaces(&self.def.shape, geometry, seen_at, reach)?;
        if found.separation > reach {
            return None;
        }
        let normal = -found.normal;
        Some(NearShape {
            normal,
            separation: found.separation,
            point: position + found.point_b,
            shape,
            body,
            kind: self.state.body_sims[body].kind(),
            velocity: self.velocity_at(body, position + found.point_b),
            corner: found.corner_b.unwrap_or(NONE),
            face: self.flattest_face(geometry, pose.rotation, found.corner_b, normal),
        })
    }

    /// The velocity of a body at a point; none while it sleeps, though it may have been created with one.
    pub(super) fn velocity_at(&self, body: u32, point: Vec2) -> Vec2 {
        if !self.state.bodies.live(body).is_awake() {
            return Vec2::ZERO;
        }
        let motion = &self.state.body_states[body];
        motion.linear_velocity
            + cross_scalar(
                motion.angular_velocity,
                point - self.state.body_poses[body].center,
            )
    }

    /// The normal of that of the two faces at a corner that is turned upward more.
    fn flattest_face(&self, geometry: &Shape, rotation: Rot, corner: Option<u32>, normal: Vec2) -> Vec2 {
        let (Some(corner), normals) = (corner, geometry.normals()) else {
            return normal;
        };
        if normals.len() < 3 {
            return normal;
        }
        let after = corner as usize;
        let before = if after == 0 { normals.len() - 1 } else { after - 1 };
        let [before, after] = [before, after].map(|edge| rotation.rotate(normals[edge]));
        if before.dot(self.def.up) > after.dot(self.def.up) {
            before
        } else {
            after
        }
    }

    /// Removes seams: a corner of an obstacle that is on the surface of another one is exposed only where the other one
    /// ends. A normal that points over the neighbor is replaced by that of a face of the obstacle which the neighbor
    /// does not cover; if there is none, the neighbor is the obstacle, and this one is removed.
    ///
    /// A kinematic body that the character is inside of holds nothing back there, so it covers nothing of a static shape.
    fn remove_seams(&self, position: Vec2, candidates: &[u32], obstacles: &mut Vec<NearShape>) {
        obstacles.retain_mut(|obstacle| {
            if obstacle.kind == BodyKind::Dynamic {
                return true;
            }
            let geometry = &self.state.shape_geometries[obstacle.shape];
            let pose = self.state.body_poses[obstacle.body].pose;
            if geometry.vertices().len() < 3 || geometry.radius() > 0.0 {
                return true;
            }
            let Some(&corner_in_shape) = geometry.vertices().get(obstacle.corner as usize) else {
                return true;
            };
            let (corner, vertex) = (obstacle.corner as usize, pose.transform_point(corner_in_shape));
            let is_static = obstacle.kind == BodyKind::Static;
            let covers = |other: u32| {
                other != obstacle.shape && !(is_static && self.is_inside_moving(other, position))
            };
            let points_over = |normal: Vec2| {
                let mut others = candidates.iter();
                others.any(|&other| self.points_over_edge(other, vertex, normal) && covers(other))
            };
            if !points_over(obstacle.normal) {
                return true;
            }
            let normals = geometry.normals();
            let before = if corner == 0 {
                normals.len() - 1
            } else {
                corner - 1
            };
            let mut best: Option<(f32, Vec2)> = None;
            for (edge, along) in [(before, -1.0), (corner, 1.0)] {
                let normal = pose.rotation.rotate(normals[edge]);
                let onto_face = along * Vec2::new(-normal.y, normal.x);
                // A point just outside the face, and much farther along it: a slope that ends at the corner covers the
                // face too.
                let outside = vertex + SEAM_M * (1.25 * normal + 8.0 * onto_face);
                let height = self.height_over(position, vertex, normal);
                let is_covered = || {
                    let mut others = candidates.iter();
                    others.any(|&other| self.contains(other, outside) && covers(other))
                };
                if best.is_none_or(|known| height > known.0) && !is_covered() {
                    best = Some((height, normal));
                }
            }
            // Behind the face, this shape is not the obstacle.
            let Some((height, normal)) = best.filter(|best| best.0 > -2.0 * SEAM_M) else {
                return false;
            };
            (obstacle.normal, obstacle.face, obstacle.corner) = (normal, normal, NONE);
            obstacle.separation = height;
            true
        });
    }

    fn contains(&self, shape: u32, point: Vec2) -> bool {
        let pose = self.state.body_poses[self.state.shape_links[shape].body].pose;
        self.state.shape_geometries[shape].contains_point(pose.inverse_transform_point(point))
    }

    /// Whether the character at a position is deeper in a shape of a kinematic body than a seam is high.
    fn is_inside_moving(&self, shape: u32, position: Vec2) -> bool {
        let body = self.state.shape_links[shape].body;
        if self.state.body_sims[body].kind() != BodyKind::Kinematic {
            return false;
        }
        let pose = self.state.body_poses[body].pose;
        let (seen_at, geometry) = (pose_from(position, pose), &self.state.shape_geometries[shape]);
        surfaces(&self.def.shape, geometry, seen_at, 0.0).is_some_and(|found| found.separation < -SEAM_M)
    }

    /// The signed distance of the character in front of the line through `point` with this normal.
    fn height_over(&self, position: Vec2, point: Vec2, normal: Vec2) -> f32 {
        let shape = &self.def.shape;
        let lowest = shape.vertices().iter().fold(f32::INFINITY, |least, &vertex| {
            least.min(normal.dot(position + vertex - point))
        });
        lowest - shape.radius()
    }

    /// Whether a static or kinematic shape continues at `vertex` in the direction of `normal`, even by less than a
    /// right angle.
    fn points_over_edge(&self, shape: u32, vertex: Vec2, normal: Vec2) -> bool {
        let body = self.state.shape_links[shape].body;
        if self.state.body_sims[body].is_dynamic() {
            return false;
        }
        let geometry = &self.state.shape_geometries[shape];
        let pose = self.state.body_poses[body].pose;
        let local = pose.inverse_transform_point(vertex);
        let direction = pose.rotation.unrotate(normal);
        let vertices = geometry.vertices();
        (0..vertices.len()).any(|edge| {
            let (from, to) = (vertices[edge], vertices[(edge + 1) % vertices.len()]);
            let along = (to - from).normalize_or_zero();
            let length = (to - from).dot(along);
            let at = (local - from).dot(along);
            let off = (local - from).perp_dot(along).abs() - geometry.radius();
            if off > SEAM_M || at < -SEAM_M || at > length + SEAM_M {
                return false;
            }
            let ahead = at < length - 2.0 * SEAM_M && direction.dot(along) > OVER_EDGE_SINE;
            let back = at > 2.0 * SEAM_M && direction.dot(along) < -OVER_EDGE_SINE;
            ahead || back
        })
    }

    /// The planes of obstacles for a move that starts now. Slopes too steep to stand on count as walls if
    /// `are_steep_walls`.
    pub(super) fn planes(
        &self,
        obstacles: &[NearShape],
        dt: f32,
        are_steep_walls: bool,
        planes: &mut Vec<MovePlane>,
    ) {
        planes.clear();
        let slope_cosine = self.def.slope_cosine();
        planes.extend(obstacles.iter().map(|obstacle| {
            let rise = obstacle.normal.dot(self.def.up);
            let is_steep = rise > 0.0 && rise < slope_cosine;
            let wall = obstacle.normal - rise * self.def.up;
            let normal = if are_steep_walls && is_steep {
                wall.normalize_or_zero()
            } else {
                obstacle.normal
            };
            let speed = match obstacle.kind {
                BodyKind::Static => 5.0 * self.def.push_out_speed,
                _ => self.def.push_out_speed + obstacle.velocity.dot(normal).max(0.0),
            };
            // While a support carries the character, obstacles only stop it: the support is skipped, and a push-out
            // might move the character into it.
            let out_max = if self.skipped == NONE {
                speed * dt + CHARACTER_GAP_M
            } else {
                0.0
            };
            MovePlane {
                normal,
                lower: (CHARACTER_GAP_M - obstacle.separation).min(out_max),
                rank: obstacle.kind as u8,
            }
        }));
        if !are_steep_walls {
            return;
        }
        // A steep slope is a wall for a character that walks toward it, and stays a slope for one that comes from
        // above, as on a lift that descends.
        let walls = planes.len();
        for place in 0..walls {
            let (wall, obstacle) = (planes[place], &obstacles[place]);
            if wall.normal != obstacle.normal {
                planes.push(MovePlane {
                    normal: obstacle.normal,
                    ..wall
                });
            }
        }
    }

    /// The first shape that a cast from `position` along `translation` hits, except for those that it overlaps already:
    /// the fraction of the translation and the shape's index.
    pub(super) fn cast(&self, shape: &Shape, position: Vec2, translation: Vec2) -> Option<(f32, u32)> {
        let area = shape.aabb(pose_at(position));
        let cast = BoxCast {
            start: area.center(),
            translation,
            half_size: area.half_size(),
            fraction_max: 1.0,
        };
        let mut nearest: Option<(f32, u32)> = None;
        self.state
            .broad_phase
            .cast(&cast, self.def.mask, |index, fraction_max| {
                let Some(body) = self.sees(index) else {
                    return fraction_max;
                };
                let pose = self.state.body_poses[body].pose;
                let seen_at = Pose {
                    position: pose.position - position,
                    rotation: pose.rotation,
                };
                let geometry = &self.state.shape_geometries[index];
                // A chain can be passed from behind.
                if geometry.is_behind(seen_at.inverse_transform_point(shape.centroid())) {
                    return fraction_max;
                }
                if let Some(hit) = cast_shape(shape, geometry, seen_at, -translation, fraction_max)
                    && hit.normal != Vec2::ZERO
                    && hit.fraction > 0.0
                    && nearest.is_none_or(|best| (hit.fraction, index) < best)
                {
                    nearest = Some((hit.fraction, index));
                }
                nearest.map_or(fraction_max, |best| best.0)
            });
        nearest
    }
}

/// A body's pose as a character at a position sees it, which does not turn.
fn pose_from(position: Vec2, pose: Pose) -> Pose {
    Pose {
        position: pose.position - position,
        rotation: pose.rotation,
    }
}

pub(super) fn pose_at(position: Vec2) -> Pose {
    Pose {
        position,
        rotation: Rot::IDENTITY,
    }
}
