//! [`World::draw`]: debug drawing of physics together with what only a world of entities has: the free space in which
//! agents find their paths, and these paths.

use alloc::vec::Vec;

use tombolo_entity::{Dense, Entity};
use tombolo_geometry::orthtree::Bounds;
use tombolo_geometry::{Aabb, Vec2};
use tombolo_physics::{DebugDraw, DrawOptions};

use super::free::FreeSpace;
use crate::component::{AGENT, Agent};
use crate::world::World;

/// The side below which the border of a leaf is left out, in pixels: from far away, borders would hide all else.
const LEAF_PIXELS_MIN: f32 = 3.0;

/// The sizes of a path's corners and of its goal, in pixels.
const CORNER_PIXELS: f32 = 4.0;
const GOAL_PIXELS: f32 = 8.0;

impl World {
    /// Draws the world between two steps: the leaves of free space if [`DrawOptions::cells`] is set, physics as
    /// [`PhysicsWorld::draw`](tombolo_physics::PhysicsWorld::draw), and the rest of each agent's path if
    /// [`DrawOptions::paths`] is set, in the order of entities.
    ///
    /// Costs all objects of physics, all agents, and the leaves within the bounds.
    ///
    /// ```
    /// use tombolo::physics::{DebugDraw, DrawColor, DrawOptions, Vec2};
    /// use tombolo::{Scene, World};
    ///
    /// struct Lines(usize);
    ///
    /// impl DebugDraw for Lines {
    ///     fn line(&mut self, _: Vec2, _: Vec2, _: DrawColor) {
    ///         self.0 += 1;
    ///     }
    /// }
    ///
    /// let text = r#"(
    ///     entities: {"walker": {"agent": Agent(goal: (4, 3), speed: 1, clearance: 0.5)}},
    ///     place: [One(name: "walker", entity: "walker")],
    /// )"#;
    /// let mut world = World::from_scene(&Scene::parse("walk.ron", text)?)?;
    /// world.step();
    /// let mut lines = Lines(0);
    /// let options = DrawOptions { paths: true, ..DrawOptions::default() };
    /// world.draw(&mut lines, &options);
    /// assert_eq!(lines.0, 3, "a line to the goal, and the goal");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn draw(&self, draw: &mut dyn DebugDraw, options: &DrawOptions) {
        if options.cells {
            self.draw_cells(draw, options);
        }
        self.physics().draw(draw, options);
        if options.paths {
            self.draw_paths(draw, options);
        }
    }

    /// The free space that drawings show: of those in which agents search for paths the one of the least clearance;
    /// `None` if there is none.
    pub fn drawn_free_space(&self) -> Option<&FreeSpace> {
        let agents: &Dense<Agent> = self.manager(AGENT)?;
        let is_used = |clearance: f32| agents.values().iter().any(|agent| agent.clearance == clearance);
        let used = self
            .space()
            .free_spaces()
            .filter(|free| is_used(free.clearance()));
        used.min_by(|a, b| a.clearance().total_cmp(&b.clearance()))
    }

    fn draw_cells(&self, draw: &mut dyn DebugDraw, options: &DrawOptions) {
        let Some(free) = self.drawn_free_space() else {
            return;
        };
        let area = options.bounds.map_or(free.bounds(), |shown| {
            Bounds::new(shown.min.into(), shown.max.into())
        });
        free.cells(&area, |cell| {
            let ([left, bottom], [right, top]) = (cell.bounds.min, cell.bounds.max);
            let corners = [(left, bottom), (right, bottom), (right, top), (left, top)].map(Vec2::from);
            if !cell.is_free {
                draw.polygon(&corners, true, options.palette.wall);
            } else if right - left >= LEAF_PIXELS_MIN * options.pixel_m {
                draw.polygon(&corners, false, options.palette.cell);
            }
        });
    }

    fn draw_paths(&self, draw: &mut dyn DebugDraw, options: &DrawOptions) {
        let Some(agents) = self.manager::<Dense<Agent>>(AGENT) else {
            return;
        };
        let mut owners: Vec<Entity> = agents.owners().map(|(entity, _)| entity).collect();
        owners.sort_unstable();
        owners.dedup();
        let color = options.palette.path;
        for entity in owners {
            let (Some(pose), Some(agent)) = (self.pose(entity), agents.newest(entity)) else {
                continue;
            };
            let body = self.body_of(entity).and_then(|body| self.physics().body(body));
            let here = body.map_or(pose.position, |body| body.center_of_mass().to_vec2());
            let corners: Vec<Vec2> = core::iter::once(here)
                .chain(agent.path().iter().copied())
                .collect();
            let [_, between @ .., goal] = &corners[..] else {
                continue;
            };
            if !options.shows(Aabb::from_points(&corners)) {
                continue;
            }
            draw.polyline(&corners, color);
            for &corner in between {
                draw.dot(corner, CORNER_PIXELS * options.pixel_m, color);
            }
            draw.dot(*goal, GOAL_PIXELS * options.pixel_m, color);
        }
    }
}
