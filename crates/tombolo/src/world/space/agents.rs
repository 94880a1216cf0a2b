//! Stage 1, in part: agents walk to their goals, in the order in which their manager keeps them.

use alloc::vec::Vec;

use tombolo_entity::{Dense, Entity};
use tombolo_geometry::{Pose, Vec2};

use super::super::World;
use super::path::PathError;
use crate::component::{AGENT, Agent, AgentState};

/// Paths that are looked for in one step; other agents wait for the next ones.
const PATHS_PER_STEP: usize = 8;
/// An agent that was pushed too near to a wall looks for a place this many clearances away that is free.
const DETOUR: f32 = 1.5;

impl World {
    /// Each agent that has a goal looks for a way if it has none, and goes on along it.
    pub(in super::super) fn run_agents(&mut self) {
        let Some(agents) = self.entities.manager::<Dense<Agent>>(AGENT) else {
            return;
        };
        let owners: Vec<Entity> = agents.owners().map(|(entity, _)| entity).collect();
        if owners.is_empty() {
            return;
        }
        let mut searches_left = PATHS_PER_STEP;
        for (place, &entity) in owners.iter().enumerate() {
            let (Some(pose), Some(agents)) =
                (self.pose(entity), self.entities.manager::<Dense<Agent>>(AGENT))
            else {
                continue;
            };
            let mut agent = agents.values()[place].clone();
            if !agent.enabled || agent.state == AgentState::Idle {
                continue;
            }
            let here = pose.position;
            if agent.is_stale && searches_left > 0 {
                searches_left -= 1;
                self.plan(&mut agent, here);
            }
            let velocity = agent.advance(here, self.step_seconds);
            self.drive(entity, pose, velocity);
            if let Some(agents) = self.entities.manager_mut::<Dense<Agent>>(AGENT) {
                agents.values_mut()[place] = agent;
            }
        }
    }

    /// Looks for an agent's way; from beside where it is, if it was pushed too near to a wall.
    fn plan(&mut self, agent: &mut Agent, here: Vec2) {
        let goal = agent.goal;
        let mut found = self.find_path(here, goal, agent.clearance);
        if let Err(PathError::StartInWall(_)) = found {
            let reach = DETOUR * agent.clearance.max(0.25);
            let sides = [
                (1, 0),
                (0, 1),
                (-1, 0),
                (0, -1),
                (1, 1),
                (-1, 1),
                (-1, -1),
                (1, -1),
            ];
            for (x, y) in sides {
                let beside = here + reach * Vec2::new(x as f32, y as f32);
                if let Ok(mut path) = self.find_path(beside, goal, agent.clearance) {
                    path.insert(0, beside);
                    found = Ok(path);
                    break;
                }
            }
        }
        agent.take(found);
    }

    /// Moves an agent: its body by velocity if it has one that moves, else its place.
    fn drive(&mut self, entity: Entity, pose: Pose, velocity: Vec2) {
        let body = self.body_of(entity);
        if let Some(mut body) = body.and_then(|body| self.physics.body_mut(body)) {
            let set = body.set_linear_velocity(velocity);
            debug_assert!(set.is_ok(), "an agent's speed is in range");
            return;
        }
        if velocity != Vec2::ZERO {
            let position = pose.position + velocity * self.step_seconds;
            let moved = self.teleport(
                entity,
                Pose {
                    position,
                    rotation: pose.rotation,
                },
            );
            if let Err(error) = moved {
                self.note_fault(alloc::format!("agent {}: {error}", self.show(entity)));
            }
        }
    }

    /// Walls have changed: every agent on its way, or without one, looks again.
    pub(in super::super) fn reroute_agents(&mut self) {
        if let Some(agents) = self.entities.manager_mut::<Dense<Agent>>(AGENT) {
            for agent in agents.values_mut() {
                agent.is_stale |= matches!(agent.state, AgentState::Walking | AgentState::Stuck);
            }
        }
    }
}
