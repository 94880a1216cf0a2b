//! [`WorldProfile`]: how long each stage of the world's last step took. Times are read for people only; nothing in a step
//! depends on them.

/// A stage of the world's step, by the name that its row in ARCHITECTURE.md has too. Those of the physics within are
/// [`tombolo_physics::Stage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(usize)]
pub enum WorldStage {
    /// Applying the commands of other threads.
    Inbox,
    /// Cutting what the scene says is cut now.
    SegmentCuts,
    /// Spawning from spawners.
    Spawners,
    /// Timers and ticks of scripts, and what they asked for.
    Scripts,
    /// Walking agents.
    Agents,
    /// Giving physics the fields that components ask for.
    Fields,
    /// The step of the physics.
    Physics,
    /// Transforms that follow bodies and parents.
    Poses,
    /// Those who walk, among the bodies where they are now.
    Characters,
    /// Trees of places that follow Transforms.
    Space,
    /// Who is in which zone.
    Zones,
    /// Events of physics told by entities.
    Events,
    /// Scripts that handle events, and what they asked for.
    Handlers,
    /// Collecting the dead.
    Collect,
}

impl WorldStage {
    /// Every stage, in the order in which a step runs them.
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

/// Seconds that each stage of the world's last step took on the calling thread, waiting included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorldProfile {
    /// The whole step.
    pub step_s: f64,
    seconds: [f64; WorldStage::ALL.len()],
}

impl WorldProfile {
    /// Seconds of one stage.
    pub fn seconds(&self, stage: WorldStage) -> f64 {
        self.seconds[stage as usize]
    }

    pub(super) fn set(&mut self, stage: WorldStage, seconds: f64) {
        self.seconds[stage as usize] = seconds;
    }
}
