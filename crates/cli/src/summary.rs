//! The summary of a run: counts, times by stage, the hash; as a table for people and as JSON for programs.

use std::fmt::Write as _;

use serde::Serialize;
use tombolo::WorldStage;
use tombolo::physics::Stage;

use crate::output::{counted, plain};
use crate::source::Running;
use crate::statistics::Times;

/// The times of every step of a run, by stage.
#[derive(Debug)]
pub(crate) struct StepTimes {
    pub(crate) whole: Vec<f64>,
    /// The stages of the world's step; empty for a world of physics alone.
    world: [Vec<f64>; WorldStage::ALL.len()],
    stages: [Vec<f64>; Stage::ALL.len()],
}

impl StepTimes {
    /// No steps yet, with capacity for a number of them.
    pub(crate) fn with_capacity(steps: u32) -> Self {
        let room = || Vec::with_capacity(steps as usize);
        Self {
            whole: room(),
            world: std::array::from_fn(|_| Vec::new()),
            stages: std::array::from_fn(|_| room()),
        }
    }

    /// Adds the times of the last step.
    pub(crate) fn push(&mut self, running: &Running) {
        let physics = running.physics().profile();
        self.whole
            .push(running.profile().map_or(physics.step_s, |world| world.step_s));
        if let Some(world) = running.profile() {
            for (times, stage) in self.world.iter_mut().zip(WorldStage::ALL) {
                times.push(world.seconds(stage));
            }
        }
        for (times, stage) in self.stages.iter_mut().zip(Stage::ALL) {
            times.push(physics.seconds(stage));
        }
    }
}

/// The times of one stage.
#[derive(Debug, Serialize)]
struct StageTimes {
    stage: &'static str,
    #[serde(flatten)]
    times: Times,
}

/// The summary of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) scene: String,
    pub(crate) steps: u32,
    pub(crate) threads: usize,
    bodies: usize,
    shapes: usize,
    joints: usize,
    contacts: usize,
    islands: usize,
    awake: usize,
    sleeping: usize,
    step: Times,
    /// The stages of the world's step, if it has entities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    world_stages: Vec<StageTimes>,
    /// Stages of the physics.
    stages: Vec<StageTimes>,
    /// The hash of the state in sixteen hexadecimal digits: JSON's numbers do not hold 64 bits.
    state_hash: String,
    /// The faults of the world.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<Box<str>>,
    /// The path of the picture of the last frame.
    pub(crate) picture: String,
    /// The path of the replay page, if one was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replay: Option<String>,
    /// The path of the live page, if one was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) live: Option<String>,
}

impl Summary {
    /// Counts the objects of the world and computes the statistics of the times.
    pub(crate) fn new(scene: &str, threads: usize, running: &Running, times: &StepTimes) -> Self {
        let counters = running.physics().counters();
        let rows = |times: &[Vec<f64>], names: &mut dyn Iterator<Item = &'static str>| {
            let rows = times.iter().zip(names).filter(|(seconds, _)| !seconds.is_empty());
            rows.map(|(seconds, stage)| StageTimes {
                stage,
                times: Times::of_seconds(seconds),
            })
            .collect()
        };
        Self {
            scene: scene.to_string(),
            steps: times.whole.len() as u32,
            threads,
            bodies: counters.bodies,
            shapes: counters.shapes,
            joints: counters.joints,
            contacts: counters.contacts,
            islands: counters.islands,
            awake: counters.awake_bodies,
            sleeping: counters.sleeping_bodies,
            step: Times::of_seconds(&times.whole),
            world_stages: rows(
                &times.world,
                &mut WorldStage::ALL.iter().map(|stage| stage.name()),
            ),
            stages: rows(&times.stages, &mut Stage::ALL.iter().map(|stage| stage.name())),
            state_hash: format!("{:016x}", running.state_hash()),
            faults: running.faults().to_vec(),
            picture: String::new(),
            replay: None,
            live: None,
        }
    }

    /// The summary as one JSON object on one line.
    ///
    /// # Errors
    /// None can happen: all keys are texts and all numbers finite.
    pub(crate) fn json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(|json| json + "\n")
    }

    /// The summary as an aligned table.
    pub(crate) fn table(&self) -> String {
        let mut text = format!(
            "{}: {} on {}\n\n",
            plain(&self.scene),
            counted(self.steps as usize, "step", "steps"),
            counted(self.threads, "thread", "threads"),
        );
        let counts = [
            ("bodies", self.bodies),
            ("shapes", self.shapes),
            ("joints", self.joints),
            ("contacts", self.contacts),
            ("islands", self.islands),
            ("awake", self.awake),
            ("sleeping", self.sleeping),
        ];
        for (name, count) in counts {
            let _ = writeln!(text, "{name:<14} {count:>9}");
        }
        let _ = writeln!(
            text,
            "\n{:<14} {:>9} {:>9} {:>9} {:>9}",
            "ms per step", "mean", "p50", "p99", "max"
        );
        push_times(&mut text, "step", self.step);
        for StageTimes { stage, times } in &self.world_stages {
            push_times(&mut text, stage, *times);
        }
        if !self.world_stages.is_empty() {
            text.push_str("\nof physics\n");
        }
        for StageTimes { stage, times } in &self.stages {
            push_times(&mut text, stage, *times);
        }
        let _ = writeln!(text, "\n{:<14} {}", "state hash", self.state_hash);
        for fault in &self.faults {
            let _ = writeln!(text, "{:<14} {fault}", "fault");
        }
        let _ = writeln!(text, "{:<14} {}", "picture", self.picture);
        for (page, path) in [("replay", &self.replay), ("live page", &self.live)] {
            if let Some(path) = path {
                let _ = writeln!(text, "{page:<14} {path}");
            }
        }
        text
    }
}

fn push_times(text: &mut String, name: &str, times: Times) {
    let Times {
        mean_ms,
        p50_ms,
        p99_ms,
        max_ms,
    } = times;
    let _ = writeln!(
        text,
        "{name:<14} {mean_ms:>9.3} {p50_ms:>9.3} {p99_ms:>9.3} {max_ms:>9.3}"
    );
}
