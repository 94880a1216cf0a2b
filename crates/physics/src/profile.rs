//! [`Profile`]: the duration of each stage of the last step; [`Counters`]: the number of objects and the amount of
//! work.
//!
//! Times are for people only; nothing in a step depends on them.

/// A stage of the step, with the same name as its file, its column in tables and its row in ARCHITECTURE.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(usize)]
pub enum Stage {
    /// Finding new pairs of overlapping fat boxes, and creating their contacts.
    FindPairs,
    /// Updating manifolds.
    Collide,
    /// Linking and unlinking constraints that began or ended.
    LinkIslands,
    /// Applying fields: wind, fluids and local gravity.
    Fields,
    /// Packing small islands into batches, and solving each batch from beginning to end.
    Batches,
    /// Laying out constraints for the solver.
    Prepare,
    /// Integrating velocities and positions, and the warm start of all substeps but the first.
    Integrate,
    /// Applying the impulses of the last step.
    WarmStart,
    /// Solving constraints with position bias.
    Solve,
    /// Solving constraints without bias, and friction.
    Relax,
    /// Applying restitution.
    Restitution,
    /// Storing impulses.
    Store,
    /// Updating the poses of bodies and the boxes of shapes after the solver.
    FinishBodies,
    /// Refitting the trees to the boxes.
    Refit,
    /// Continuous collision of fast bodies.
    Continuous,
    /// Splitting islands that may have come apart.
    SplitIslands,
    /// Putting islands to sleep.
    Sleep,
    /// Finding the shapes that overlap sensors.
    Sensors,
}

impl Stage {
    /// Every stage, in the order of a step and of tables.
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

/// The duration of each stage of the last step on the calling thread in seconds, waiting included; zero while profiling
/// is off.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Profile {
    /// The duration of the whole step in seconds.
    pub step_s: f64,
    /// The number of solver stages, each of which ends in a barrier of the workers.
    pub solver_stages: u32,
    seconds: [f64; Stage::ALL.len()],
    serial_seconds: [f64; Stage::ALL.len()],
}

impl Profile {
    /// The duration of one stage in seconds.
    pub fn seconds(&self, stage: Stage) -> f64 {
        self.seconds[stage as usize]
    }

    /// The part of a stage's duration in seconds in which other workers had nothing to do: before, between and after
    /// its parallel parts. With one worker it is the whole duration. The serial time of all solver stages together is
    /// listed under [`Stage::Prepare`].
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

/// The numbers of objects in a world, and the work of its last step.
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
    /// Contacts: pairs of shapes whose fat boxes overlap.
    pub contacts: usize,
    /// Contacts that the narrow phase processes.
    pub awake_contacts: usize,
    /// Contacts and joints that are solved.
    pub constraints: usize,
    /// Constraints that found no color and are solved one after another.
    pub overflow_constraints: usize,
    /// Colors in use.
    pub colors: usize,
    /// Islands of dynamic bodies.
    pub islands: usize,
    /// Contacts whose manifold was recycled in the last step.
    pub recycled_contacts: usize,
    /// The greatest number of bodies that existed at once.
    pub bodies_max: usize,
    /// The greatest number of shapes that existed at once.
    pub shapes_max: usize,
    /// The greatest number of joints that existed at once.
    pub joints_max: usize,
    /// The greatest number of contacts that existed at once.
    pub contacts_max: usize,
    /// Size of all persistent arrays in bytes.
    pub state_bytes: usize,
}
