//! [`WorldProfile`]: the time that each stage of the world's last step took. Times are for display only; no result of
//! a step depends on them.

/// A stage of the world's step, by its name in ARCHITECTURE.md. The stages within physics are
/// [`tombolo_physics::Stage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(usize)]
pub enum WorldStage {
    /// Applying the commands of other threads.
    Inbox,
    /// Applying the segment cuts of a scene that are due.
    SegmentCuts,
    /// Spawning entities from spawners.
    Spawners,
    /// Timers and ticks of scripts, and their commands.
    Scripts,
    /// Planning paths of agents and moving agents.
    Agents,
    /// Updating the fields of physics from components.
    Fields,
    /// The step of the physics.
    Physics,
    /// Updating Transforms from bodies and parents.
    Poses,
    /// Moving characters among the bodies at their new poses.
    Characters,
    /// Updating the grid and the trees from Transforms.
    Space,
    /// Updating which entities are in which zones.
    Zones,
    /// Publishing the events of physics by entity.
    Events,
    /// Scripts that handle events, and their commands.
    Handlers,
    /// Collecting ended components and unused prototypes.
    Collect,
}

impl WorldStage {
    /// All stages, in the order in which a step runs them.
    pub const ALL: [Self; 14] = [
        Self::Inbox,
        Self::SegmentCuts,
        Self::Spawners,
        Self::Scripts,
        Self::Agents,
        Self::Fields,
        Self::Physics,
        Self::Poses,
        Self::Characters,
        Self::Space,
        Self::Zones,
        Self::Events,
        Self::Handlers,
        Self::Collect,
    ];

    /// The stage's name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::SegmentCuts => "segment_cuts",
            Self::Spawners => "spawners",
            Self::Scripts => "scripts",
            Self::Agents => "agents",
            Self::Fields => "fields",
            Self::Physics => "physics",
            Self::Poses => "poses",
            Self::Characters => "characters",
            Self::Space => "space",
            Self::Zones => "zones",
            Self::Events => "events",
            Self::Handlers => "handlers",
            Self::Collect => "collect",
        }
    }
}

/// The seconds that each stage of the world's last step took on the calling thread, waiting included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorldProfile {
    /// The seconds of the whole step.
    pub step_s: f64,
    seconds: [f64; WorldStage::ALL.len()],
}

impl WorldProfile {
    /// The seconds of one stage.
    pub fn seconds(&self, stage: WorldStage) -> f64 {
        self.seconds[stage as usize]
    }

    pub(super) fn set(&mut self, stage: WorldStage, seconds: f64) {
        self.seconds[stage as usize] = seconds;
    }
}
