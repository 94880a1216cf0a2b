//! The stage `agents`: plans paths of agents, as many as a step allows, and moves agents along them.

use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{Dense, Entity, InstanceId};
use tombolo_geometry::orthtree::Ball;
use tombolo_geometry::{Pose, Vec2};

use super::super::World;
use super::super::physical::Touches;
use crate::component::{AGENT, Agent, AgentState, SPEED_MAX};
use crate::error::PathError;

/// The number of path searches of agents in one step; the other agents walk on as before, or wait for their turn.
const PLANS_PER_STEP: usize = 8;
/// The distance, in clearances, within which an agent that is too near to a wall walks to the nearest free point
/// first.
const ESCAPE: f32 = 8.0;
/// The least clearance for [`ESCAPE`], in meters.
const ESCAPE_CLEARANCE_MIN: f32 = 0.25;

/// The number of steps after which a blocked agent checks again whether its next corner is visible.
const LOOK_STEPS: u64 = 16;
/// The distance, in clearances, within which another agent counts as beside an agent.
const BESIDE: f32 = 1.5;

impl World {
    /// Searches paths for agents that need one, and moves all that have one.
    pub(in super::super) fn run_agents(&mut self) {
        let Some(agents) = self.entities.manager::<Dense<Agent>>(AGENT) else {
            return;
        };
        let owners: Vec<Entity> = agents.owners().map(|(entity, _)| entity).collect();
        if owners.is_empty() {
            return;
        }
        // An agent asks who is beside it, which has to include the calls since the last step, as a restored world does.
        self.track_entities(&tombolo_threads::Inline);
        // The agent that is first in turn changes with each step, so that of n agents none waits longer than n / 8
        // steps, however often walls change.
        let first = self.physics.step_index().wrapping_mul(PLANS_PER_STEP as u64) % owners.len() as u64;
        let turns = (first as usize..owners.len()).chain(0..first as usize);
        let mut plans_left = PLANS_PER_STEP;
        for place in turns {
            if plans_left == 0 {
                break;
            }
            let is_due = |agent: &Agent| agent.is_stale;
            let is_planned = self.with_agent(owners[place], place, is_due, |world, agent, pose| {
                world.plan(agent, pose.position);
            });
            plans_left -= usize::from(is_planned);
        }
        for (place, &entity) in owners.iter().enumerate() {
            self.halt_disabled(entity, place);
            self.with_agent(
                entity,
                place,
                |_| true,
                |world, agent, pose| {
                    world.drive(entity, pose, agent);
                },
            );
        }
    }

    /// The agent at a place in the order of their manager.
    fn agent_at(&self, place: usize) -> Option<&Agent> {
        let agents = self.entities.manager::<Dense<Agent>>(AGENT)?;
        agents.values().get(place)
    }

    /// The agent at a place, for change: the next frame has a new copy of it.
    fn agent_at_mut(&mut self, place: usize) -> Option<&mut Agent> {
        let agents = self.entities.manager_mut::<Dense<Agent>>(AGENT)?;
        agents.value_at_mut(place)
    }

    /// Runs `work` with a copy of an agent, if its entity exists, it is enabled, has a goal and is due; else returns
    /// `false`. What has not changed is left to frames as it is.
    fn with_agent(
        &mut self,
        entity: Entity,
        place: usize,
        is_due: impl FnOnce(&Agent) -> bool,
        work: impl FnOnce(&mut Self, &mut Agent, Pose),
    ) -> bool {
        let Some(pose) = self.pose(entity) else {
            return false;
        };
        let has_goal = |agent: &&Agent| agent.enabled && agent.state != AgentState::Idle;
        let Some(kept) = self.agent_at(place).filter(has_goal).filter(|kept| is_due(kept)) else {
            return false;
        };
        let mut agent = kept.clone();
        work(self, &mut agent, pose);
        if self.agent_at(place) != Some(&agent)
            && let Some(kept) = self.agent_at_mut(place)
        {
            *kept = agent;
        }
        true
    }

    /// Stops the body of an agent that was disabled on its way.
    fn halt_disabled(&mut self, entity: Entity, place: usize) {
        let is_on_its_way = |agent: &Agent| !agent.enabled && !agent.path().is_empty();
        if !self.agent_at(place).is_some_and(is_on_its_way) {
            return;
        }
        if self.agent_at_mut(place).is_some_and(Agent::halt) {
            self.stop_body(entity);
        }
    }

    /// Stops the body of an agent that is removed, if the agent moves it.
    pub(in super::super) fn halt_removed(&mut self, entity: Entity, instance: InstanceId) {
        let agents = self.entities.manager_mut::<Dense<Agent>>(AGENT);
        let agent = agents.and_then(|agents| agents.value_mut(entity, instance));
        if agent.is_some_and(|agent| agent.halt()) {
            self.stop_body(entity);
        }
    }

    /// The agents that are on their way.
    pub(in super::super) fn walking_agents(&self) -> Vec<(Entity, InstanceId)> {
        let Some(agents) = self.entities.manager::<Dense<Agent>>(AGENT) else {
            return Vec::new();
        };
        let all = agents.owners().zip(agents.values());
        all.filter(|(_, agent)| !agent.path().is_empty())
            .map(|(owner, _)| owner)
            .collect()
    }

    /// Stops the bodies of those of these agents, which were on their way, that have been removed since.
    pub(in super::super) fn halt_lost(&mut self, walking: &[(Entity, InstanceId)]) {
        for &(entity, instance) in walking {
            let agents = self.entities.manager::<Dense<Agent>>(AGENT);
            if agents.is_none_or(|agents| agents.value(entity, instance).is_none()) {
                self.stop_body(entity);
            }
        }
    }

    fn stop_body(&mut self, entity: Entity) {
        let body = self.body_of(entity);
        if let Some(mut body) = body.and_then(|body| self.physics.body_mut(body).ok()) {
            body.set_linear_velocity(Vec2::ZERO).expect("zero is in range");
        }
    }

    /// Searches an agent's path; from the nearest free point, if it was pushed too near to a wall or a wall was
    /// placed on it.
    fn plan(&mut self, agent: &mut Agent, here: Vec2) {
        let mut found = self.find_path(here, agent.goal, agent.clearance);
        if let Err(PathError::StartInWall(_)) = found {
            let reach = ESCAPE * agent.clearance.max(ESCAPE_CLEARANCE_MIN);
            let free = self.free_space(agent.clearance);
            if let Some(beside) = free.ok().and_then(|free| free.nearest_free(here, reach)) {
                found = self.find_path(beside, agent.goal, agent.clearance);
                if let Ok(path) = &mut found {
                    path.insert(0, beside);
                }
            }
        }
        agent.take(found);
    }

    /// Moves an agent: its body by velocity if it has one, else its Transform.
    fn drive(&mut self, entity: Entity, pose: Pose, agent: &mut Agent) {
        if !(0.0..=SPEED_MAX).contains(&agent.speed) {
            self.note_fault(format!(
                "agent {}: its speed is {}; it must be from 0 to {SPEED_MAX}",
                self.show(entity),
                agent.speed
            ));
            return;
        }
        if agent.is_blocked() && self.is_goal_taken(agent, pose.position) {
            agent.arrive();
        }
        if agent.is_held() && self.physics.step_index().is_multiple_of(LOOK_STEPS) {
            agent.is_stale |= !self.sees_its_way(agent, pose.position);
        }
        let velocity = agent.advance(pose.position, self.step_seconds);
        let body = self.body_of(entity);
        if let Some(mut body) = body.and_then(|body| self.physics.body_mut(body).ok()) {
            let set = body.set_linear_velocity(agent.make_way(velocity, body.view().linear_velocity()));
            if let Err(error) = set {
                self.note_fault(format!("agent {}: {error}", self.show(entity)));
            }
            return;
        }
        if velocity != Vec2::ZERO {
            let position = pose.position + velocity * self.step_seconds;
            let there = Pose { position, ..pose };
            let moved = self.move_here(entity, there, Touches::End);
            if let Err(error) = moved {
                self.note_fault(format!("agent {}: {error}", self.show(entity)));
            }
        }
    }

    /// Whether an agent could walk to its next corner, apart from moving obstacles.
    fn sees_its_way(&mut self, agent: &Agent, here: Vec2) -> bool {
        let (corner, free) = (agent.path.first().copied(), self.free_space(agent.clearance));
        corner.is_none_or(|corner| free.is_ok_and(|free| free.is_clear(here, corner)))
    }

    /// Whether a blocked agent is as near to its goal as it gets: near it apart from a push, or beside one that has
    /// arrived there.
    fn is_goal_taken(&self, agent: &Agent, here: Vec2) -> bool {
        if here.distance(agent.goal) <= agent.clearance {
            return true;
        }
        let Some(agents) = self.entities.manager::<Dense<Agent>>(AGENT) else {
            return false;
        };
        let beside = Ball {
            center: here.to_array(),
            radius: BESIDE * agent.clearance,
        };
        let mut is_taken = false;
        self.space.visit(&beside, |entity, _| {
            let other = agents.newest(entity);
            is_taken |= other.is_some_and(|other| other.has_arrived_at(agent.goal));
        });
        is_taken
    }

    /// Makes every agent that is walking, or has found no path, search again after walls have changed.
    pub(in super::super) fn reroute_agents(&mut self) {
        if let Some(agents) = self.entities.manager_mut::<Dense<Agent>>(AGENT) {
            agents.values_mut().iter_mut().for_each(Agent::reroute);
        }
    }
}
