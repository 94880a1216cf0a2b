//! The component Agent: an entity that walks to a goal around static bodies. `world/space/agents.rs` runs it; games
//! set its properties.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::ops::Deref;

use tombolo_entity::{Component, DataError, Reader, Schema, Writer};
use tombolo_geometry::Vec2;

use super::register::{Entries, Registered, Stored, Wakes, either_way, up_to};
use crate::error::{CLEARANCE_MAX, PathError};

/// The greatest speed of an agent, in meters per second.
pub(crate) const SPEED_MAX: f32 = 1.0e3;
/// A goal lies no further from the origin than this along either axis, in meters; nor does the path to it.
const GOAL_MAX: f32 = 1.0e6;

/// The state of an agent on the way to its goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AgentState {
    /// No goal has been set yet.
    #[default]
    Idle,
    /// Following a path, or about to search for one.
    Walking,
    /// At the goal; or blocked beside an agent that has arrived at the same goal.
    Arrived,
    /// No path leads to the goal; the next search follows when a wall changes.
    Stuck,
}

/// Walks to a goal: by the velocity of the entity's body, or without a body by its Transform. From its first goal on it
/// sets that velocity in every step, to zero where it has arrived or is stuck; while it is disabled, it leaves the body
/// to what acts on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    /// The goal, in meters. Setting it makes the agent walk.
    pub goal: Vec2,
    /// The walking speed in meters per second, from 0 to 1,000.
    pub speed: f32,
    /// The distance between the agent's center and walls, in meters.
    pub clearance: f32,
    /// Whether the agent runs. One that is disabled on its way stops in the next step, and searches its path anew when
    /// it is enabled again.
    pub enabled: bool,
    pub(crate) state: AgentState,
    /// Whether a path has to be searched for.
    pub(crate) is_stale: bool,
    /// The rest of the path.
    pub(crate) path: PathLeft,
    /// The number of steps in which the agent was blocked, less those in which it was not, within limits.
    pub(crate) held_steps: u32,
}

/// The corners of a path that are not passed yet. Copies share the memory of the path: a step works with a copy of each
/// agent, so that frames need a new one of those alone that have changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathLeft {
    corners: Arc<[Vec2]>,
    passed: usize,
}

impl PathLeft {
    /// Passes the first corner that is left.
    fn pass(&mut self) {
        debug_assert!(self.passed < self.corners.len(), "a corner is left");
        self.passed += 1;
    }

    /// Leaves no corner.
    fn clear(&mut self) {
        *self = Self::default();
    }
}

impl Deref for PathLeft {
    type Target = [Vec2];
    fn deref(&self) -> &[Vec2] {
        &self.corners[self.passed..]
    }
}

impl PartialEq for PathLeft {
    fn eq(&self, other: &Self) -> bool {
        let is_same = self.passed == other.passed && Arc::ptr_eq(&self.corners, &other.corners);
        is_same || **self == **other
    }
}

impl From<Vec<Vec2>> for PathLeft {
    fn from(corners: Vec<Vec2>) -> Self {
        Self {
            corners: corners.into(),
            passed: 0,
        }
    }
}

/// The number of `held_steps` from which an agent makes way for others.
const HELD_STEPS: u32 = 15;
/// The share of its speed in the wanted direction from which an agent counts as not blocked.
const PROGRESS_SHARE: f32 = 0.25;

impl Default for Agent {
    fn default() -> Self {
        Self {
            goal: Vec2::ZERO,
            speed: 1.0,
            clearance: 0.5,
            enabled: true,
            state: AgentState::Idle,
            is_stale: false,
            path: PathLeft::default(),
            held_steps: 0,
        }
    }
}

impl Agent {
    /// The state on the way to the goal.
    pub fn state(&self) -> AgentState {
        self.state
    }

    /// The corners of the path that are not passed yet, the goal last.
    pub fn path(&self) -> &[Vec2] {
        &self.path
    }

    /// Whether something blocks the agent, such as another agent.
    pub fn is_blocked(&self) -> bool {
        self.held_steps > HELD_STEPS
    }

    pub(crate) fn has_arrived_at(&self, goal: Vec2) -> bool {
        self.state == AgentState::Arrived && self.goal == goal
    }

    /// Whether it was blocked for so long that it may have been pushed to where a wall hides the next corner.
    pub(crate) fn is_held(&self) -> bool {
        self.held_steps == 2 * HELD_STEPS
    }

    /// Makes an agent that is walking, or has found no path, search again: walls have changed.
    pub(crate) fn reroute(&mut self) {
        self.is_stale |= matches!(self.state, AgentState::Walking | AgentState::Stuck);
    }

    /// Ends the walk: the agent is at the goal, or as near as others let it be.
    pub(crate) fn arrive(&mut self) {
        self.path.clear();
        self.held_steps = 0;
        self.is_stale = false;
        self.state = AgentState::Arrived;
    }

    /// Ends the motion of an agent that is disabled or removed: when it is enabled again, it searches its path anew.
    /// Returns whether it was moving along a path.
    pub(crate) fn halt(&mut self) -> bool {
        let was_on_its_way = !self.path.is_empty();
        if was_on_its_way {
            self.path.clear();
            self.held_steps = 0;
            self.is_stale = true;
        }
        was_on_its_way
    }

    /// Makes a copy of another agent one of its own: what is left of the path, and what blocked it, is the other's.
    pub(crate) fn begin_anew(&mut self) {
        self.path.clear();
        self.held_steps = 0;
        self.is_stale = matches!(self.state, AgentState::Walking | AgentState::Stuck);
    }

    fn set_goal(&mut self, goal: Vec2) {
        self.goal = goal;
        self.state = AgentState::Walking;
        self.is_stale = true;
    }

    /// Takes the result of a path search.
    pub(crate) fn take(&mut self, found: Result<Vec<Vec2>, PathError>) {
        self.is_stale = false;
        self.state = if found.is_ok() {
            AgentState::Walking
        } else {
            AgentState::Stuck
        };
        self.path = found.unwrap_or_default().into();
    }

    /// Drops the corners that are reached and returns the velocity to the next one. The last step before a corner
    /// ends at it: an agent that cuts a corner gets too near to the wall behind it.
    pub(crate) fn advance(&mut self, here: Vec2, step_seconds: f32) -> Vec2 {
        let reach = self.speed * step_seconds;
        while self.path.len() > 1 && self.path[0].distance(here) <= 0.25 * reach {
            self.path.pass();
        }
        let Some(&corner) = self.path.first() else {
            return Vec2::ZERO;
        };
        let offset = corner - here;
        let distance = offset.length();
        if self.path.len() == 1 && distance <= 0.01 + 0.5 * reach {
            self.arrive();
            return Vec2::ZERO;
        }
        offset * (self.speed / distance.max(reach))
    }

    /// The velocity to set instead of `wanted`: for a blocked agent, half to the right until it is free again, so
    /// that two agents that meet pass each other. `velocity` is the one that the body reached in the step before.
    pub(crate) fn make_way(&mut self, wanted: Vec2, velocity: Vec2) -> Vec2 {
        let makes_progress = velocity.dot(wanted) >= PROGRESS_SHARE * wanted.length_squared();
        self.held_steps = if makes_progress {
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
    type Apply = Stored;
    type Live = Infallible;

    fn entries() -> Entries<Self> {
        let entries = Entries::new()
            .property("goal", |a: &Self| a.goal, Self::set_goal, Stored, Wakes::No)
            .acts()
            .range(either_way(GOAL_MAX))
            .unit("m")
            .doc("Where it walks to; setting it makes it walk.");
        let entries = fields!(entries, Stored, Wakes::No;
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
                Stored,
                Wakes::No,
            )
            .range(up_to(CLEARANCE_MAX))
            .unit("m")
            .doc("How far its middle stays from walls.");
        fields!(entries, Stored, Wakes::No; enabled => "Whether it runs.")
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
        for corner in self.path.iter() {
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
        let mut corners = Vec::new();
        for _ in 0..count {
            let mut part = || from.f32("a corner of an agent's path");
            let corner = Vec2::new(part()?, part()?);
            if !corner.is_finite() || corner.abs().max_element() > GOAL_MAX {
                return Err(DataError::broken("an agent's path leads nowhere"));
            }
            corners.push(corner);
        }
        self.path = corners.into();
        Ok(())
    }
}
