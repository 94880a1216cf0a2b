//! The component Agent: walks to a goal around static bodies. `world/space/agents.rs` runs it.

use alloc::vec::Vec;
use core::convert::Infallible;

use tombolo_entity::{Component, DataError, Reader, Schema, Writer};
use tombolo_geometry::Vec2;

use super::register::{Entries, Kept, Registered, Wakes, either_way, up_to};
use crate::error::{CLEARANCE_MAX, PathError};

/// The fastest that an agent walks, in meters per second.
pub(crate) const SPEED_MAX: f32 = 1.0e3;
/// A goal lies no further from the origin than this along either axis, in meters; nor does the path to it.
const GOAL_MAX: f32 = 1.0e6;

/// How an agent fares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AgentState {
    /// It was given no goal yet.
    #[default]
    Idle,
    /// On its way, or about to look for one.
    Walking,
    /// At the goal; or kept from walking beside one who has arrived at the same.
    Arrived,
    /// No path leads to the goal; it looks again when a wall changes.
    Stuck,
}

/// Walks to a goal: by the velocity of the entity's body, or without a body by its Transform.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    /// Where to, in meters. Setting it makes the agent walk.
    pub goal: Vec2,
    /// Meters per second, from 0 to 1,000.
    pub speed: f32,
    /// How far its middle stays from walls, in meters.
    pub clearance: f32,
    /// Whether it runs.
    pub enabled: bool,
    pub(crate) state: AgentState,
    /// Whether it has to look for a path.
    pub(crate) is_stale: bool,
    /// What of the path lies before it.
    pub(crate) path: Vec<Vec2>,
    /// For how many steps more it was kept from walking than not, within limits.
    pub(crate) held_steps: u32,
}

/// An agent that was kept from walking for so many steps more than not makes way.
const HELD_STEPS: u32 = 15;
/// It gets on if it goes this part of its speed the way it wants.
const GETS_ON: f32 = 0.25;

impl Default for Agent {
    fn default() -> Self {
        Self {
            goal: Vec2::ZERO,
            speed: 1.0,
            clearance: 0.5,
            enabled: true,
            state: AgentState::Idle,
            is_stale: false,
            path: Vec::new(),
            held_steps: 0,
        }
    }
}

impl Agent {
    /// How it fares.
    pub fn state(&self) -> AgentState {
        self.state
    }

    /// The corners before it, the goal last.
    pub fn path(&self) -> &[Vec2] {
        &self.path
    }

    /// Whether something keeps it from walking, such as another agent.
    pub fn is_blocked(&self) -> bool {
        self.held_steps > HELD_STEPS
    }

    pub(crate) fn has_arrived_at(&self, goal: Vec2) -> bool {
        self.state == AgentState::Arrived && self.goal == goal
    }

    /// Whether it was kept from walking for so long that it may have been shoved to where a wall hides the next corner.
    pub(crate) fn is_held(&self) -> bool {
        self.held_steps == 2 * HELD_STEPS
    }

    /// It is at the goal, or as near as others let it be.
    pub(crate) fn arrive(&mut self) {
        self.path.clear();
        self.held_steps = 0;
        self.is_stale = false;
        self.state = AgentState::Arrived;
    }

    fn set_goal(&mut self, goal: Vec2) {
        self.goal = goal;
        self.state = AgentState::Walking;
        self.is_stale = true;
    }

    /// Takes the outcome of a search.
    pub(crate) fn take(&mut self, found: Result<Vec<Vec2>, PathError>) {
        self.is_stale = false;
        self.state = if found.is_ok() {
            AgentState::Walking
        } else {
            AgentState::Stuck
        };
        self.path = found.unwrap_or_default();
    }

    /// Passes the corners that it is at, and says how fast to go where. The last step before a corner ends at it: who cuts a
    /// corner gets too near to the wall behind it.
    pub(crate) fn advance(&mut self, here: Vec2, step_seconds: f32) -> Vec2 {
        let reach = self.speed * step_seconds;
        while self.path.len() > 1 && self.path[0].distance(here) <= 0.25 * reach {
            self.path.remove(0);
        }
        let Some(&corner) = self.path.first() else {
            return Vec2::ZERO;
        };
        let way = corner - here;
        let distance = way.length();
        if self.path.len() == 1 && distance <= 0.01 + 0.5 * reach {
            self.arrive();
            return Vec2::ZERO;
        }
        way * (self.speed / distance.max(reach))
    }

    /// The velocity to go with instead of the one wanted: if another kept it from walking, half to the right until it gets
    /// on, so that two who meet pass each other. `velocity` is what became of what was wanted the step before.
    pub(crate) fn make_way(&mut self, wanted: Vec2, velocity: Vec2) -> Vec2 {
        let gets_on = velocity.dot(wanted) >= GETS_ON * wanted.length_squared();
        self.held_steps = if gets_on {
            self.held_steps.saturating_sub(1)
        } else {
            (self.held_steps + 1).min(2 * HELD_STEPS)
        };
        if self.is_blocked() {
            (wanted - wanted.perp()) * core::f32::consts::FRAC_1_SQRT_2
        } else {
            wanted
        }
    }
}

impl Registered for Agent {
    type Apply = Kept;
    type Live = Infallible;

    fn entries() -> Entries<Self> {
        let entries = Entries::new()
            .property("goal", |a: &Self| a.goal, Self::set_goal, Kept, Wakes::No)
            .acts()
            .range(either_way(GOAL_MAX))
            .unit("m")
            .doc("Where it walks to; setting it makes it walk.");
        let entries = fields!(entries, Kept, Wakes::No;
            speed ["m/s"] in up_to(SPEED_MAX) => "How fast it walks.",
        );
        let entries = entries
            .property(
                "clearance",
                |a: &Self| a.clearance,
                |a, clearance| {
                    a.clearance = clearance;
                    a.is_stale |= a.state != AgentState::Idle;
                },
                Kept,
                Wakes::No,
            )
            .range(up_to(CLEARANCE_MAX))
            .unit("m")
            .doc("How far its middle stays from walls.");
        fields!(entries, Kept, Wakes::No; enabled => "Whether it runs.")
            .derived("walking", |a: &Self| a.state == AgentState::Walking)
            .doc("Whether it is on its way.")
            .derived("arrived", |a: &Self| a.state == AgentState::Arrived)
            .doc("Whether it is at the goal.")
            .derived("stuck", |a: &Self| a.state == AgentState::Stuck)
            .doc("Whether no path leads to the goal.")
            .derived("blocked", |a: &Self| a.is_blocked())
            .doc("Whether something keeps it from walking, such as another agent.")
    }
}

impl Component for Agent {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
    }

    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
        out.u32(self.state as u32);
        out.u32(u32::from(self.is_stale));
        out.u32(self.held_steps);
        out.u32(self.path.len() as u32);
        for corner in &self.path {
            out.f32(corner.x);
            out.f32(corner.y);
        }
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore_in_range(self, from)?;
        self.state = match from.u32("how an agent fares")? {
            0 => AgentState::Idle,
            1 => AgentState::Walking,
            2 => AgentState::Arrived,
            3 => AgentState::Stuck,
            _ => return Err(DataError::broken("an agent fares as none does")),
        };
        self.is_stale = from.u32("whether an agent looks for a path")? != 0;
        self.held_steps = from.u32("how long an agent was held")?.min(2 * HELD_STEPS);
        let count = from.u32("an agent's path")?;
        self.path.clear();
        for _ in 0..count {
            let mut part = || from.f32("a corner of an agent's path");
            let corner = Vec2::new(part()?, part()?);
            if !corner.is_finite() || corner.abs().max_element() > GOAL_MAX {
                return Err(DataError::broken("an agent's path leads nowhere"));
            }
            self.path.push(corner);
        }
        Ok(())
    }
}
