//! [`Profile`]: how long each stage of the last step took; [`Counters`]: how much work there was.
//!
//! Times are read for people only; nothing in a step depends on them.

/// A stage of the step, by the name that its file, its column in tables and its row in ARCHITECTURE.md have too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(usize)]
pub enum Stage {
    /// Finding new pairs of overlapping boxes, and making contacts of them.
    FindPairs,
    /// Updating manifolds.
    Collide,
    /// Linking and unlinking what began or ended touching.
    LinkIslands,
    /// Pushing bodies by wind, fluids and gravity of places.
    Fields,
    /// Packing small islands into batches, and solving each batch from beginning to end.
    Batches,
    /// Laying constraints out for the solver.
    Prepare,
    /// Integrating velocities and positions, and the warm start of all substeps but the first.
    Integrate,
    /// Applying the impulses of the last step.
    WarmStart,
    /// Solving constraints with position bias.
    Solve,
    /// Solving constraints without bias, and friction.
    Relax,
    /// Bouncing.
    Restitution,
    /// Writing impulses back.
    Store,
    /// Moving bodies and boxes to where the solver left them.
    FinishBodies,
    /// Bringing the trees up to date with the boxes.
    Refit,
    /// Stopping fast bodies where they would pass through something.
    Continuous,
    /// Splitting islands that may have come apart.
    SplitIslands,
    /// Putting islands to sleep.
    Sleep,
    /// Finding who is in which sensor.
    Sensors,
}

impl Stage {
    /// Every stage, in the order in which a step runs them, which is that of tables.
    pub const ALL: [Self; 18] = [
        Self::FindPairs,
        Self::Collide,
        Self::LinkIslands,
        Self::Fields,
        Self::Batches,
        Self::Prepare,
        Self::Integrate,
        Self::WarmStart,
        Self::Solve,
        Self::Relax,
        Self::Restitution,
        Self::Store,
        Self::FinishBodies,
        Self::Refit,
        Self::Continuous,
        Self::SplitIslands,
        Self::Sleep,
        Self::Sensors,
    ];

    /// The stage's name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FindPairs => "find_pairs",
            Self::Collide => "collide",
            Self::LinkIslands => "link_islands",
            Self::Fields => "fields",
            Self::Batches => "batches",
            Self::Prepare => "prepare",
            Self::Integrate => "integrate",
            Self::WarmStart => "warm_start",
            Self::Solve => "solve",
            Self::Relax => "relax",
            Self::Restitution => "restitution",
            Self::Store => "store",
            Self::SplitIslands => "split_islands",
            Self::FinishBodies => "finish_bodies",
            Self::Refit => "refit",
            Self::Continuous => "continuous",
            Self::Sensors => "sensors",
            Self::Sleep => "sleep",
        }
    }
}

/// Seconds that each stage of the last step took on the calling thread, waiting included; zero while nobody asked for
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Profile {
    /// The whole step.
    pub step_s: f64,
    /// Stages of the solver, one barrier between workers each.
    pub solver_stages: u32,
    seconds: [f64; Stage::ALL.len()],
    serial_seconds: [f64; Stage::ALL.len()],
}

impl Profile {
    /// Seconds of one stage.
    pub fn seconds(&self, stage: Stage) -> f64 {
        self.seconds[stage as usize]
    }

    /// Seconds of one stage in which other workers had nothing to do: before, between and behind its parallel runs. All of
    /// it with one worker. What the solver's stages have of it together stands under [`Stage::Prepare`].
    pub fn serial_seconds(&self, stage: Stage) -> f64 {
        self.serial_seconds[stage as usize]
    }

    pub(crate) fn add(&mut self, stage: Stage, seconds: f64) {
        self.seconds[stage as usize] += seconds;
    }

    pub(crate) fn add_serial(&mut self, stage: Stage, seconds: f64) {
        self.serial_seconds[stage as usize] += seconds;
    }
}

/// How much there is in a world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// All bodies.
    pub bodies: usize,
    /// Dynamic and kinematic bodies that are awake.
    pub awake_bodies: usize,
    /// Dynamic bodies that sleep.
    pub sleeping_bodies: usize,
    /// All shapes.
    pub shapes: usize,
    /// All joints.
    pub joints: usize,
    /// Members of composites.
    pub members: usize,
    /// Rigid welds between them.
    pub rigid_welds: usize,
    /// Pairs of shapes whose boxes overlap.
    pub contacts: usize,
    /// Contacts that the narrow phase looks at.
    pub awake_contacts: usize,
    /// Contacts and joints that are solved.
    pub constraints: usize,
    /// Constraints that found no color and are solved one after another.
    pub overflow_constraints: usize,
    /// Colors in use.
    pub colors: usize,
    /// Islands.
    pub islands: usize,
    /// Contacts that kept their manifold in the last step.
    pub recycled_contacts: usize,
    /// The most bodies that there ever were at once.
    pub bodies_max: usize,
    /// The most shapes.
    pub shapes_max: usize,
    /// The most joints.
    pub joints_max: usize,
    /// The most contacts.
    pub contacts_max: usize,
    /// Bytes of all persistent arrays.
    pub state_bytes: usize,
}
