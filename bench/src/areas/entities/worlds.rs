//! What the engine adds around physics: the ten benchmark scenes as worlds with an entity for each body, beside the same
//! physics stepped alone.
//!
//! In each round a world of entities is built and stepped, and then, or before it, its physics alone, built by the calls
//! that the world of entities has made; each has worker threads of its own, and the two must end with one hash. Of each
//! step the least time of all rounds counts, and the figure is the mean over all steps but the first. What a scene does
//! between steps is not timed; the engine's share of it that waits for the next step is.

mod entity_target;

use anyhow::{Context, ensure};
use tombolo::physics::PhysicsWorld;
use tombolo::{World, WorldStage};
use tombolo_scenes::{STEP_S, SceneInfo};
use tombolo_threads::Pool;

use self::entity_target::{Call, EntityTarget};
use super::Options;
use crate::areas::{Run, physics};
use crate::measure::time;
use crate::report::Progress;

/// The name of the physics alone in the rows.
const ALONE: &str = "physics alone";

/// The greatest allowed time of a world of entities over that of its physics, with one worker and with more.
const ALLOWED: [f64; 2] = [1.08, 1.10];

pub(super) fn run(options: &Options, run: &mut Run) -> anyhow::Result<()> {
    ensure!(
        options.steps > 1,
        "--steps takes numbers from 2: the first is left out"
    );
    let scenes = physics::scenes(&options.scenes)?;
    let rounds = if run.smoke { 1 } else { options.rounds.max(1) };
    let progress = Progress::start(
        "worlds of entities",
        scenes.len() * options.threads.len() * rounds,
    )
    .with_lines();
    for &workers in &options.threads {
        let mut ratios = Vec::new();
        for &scene in &scenes {
            let (size, steps) = match run.smoke {
                true => (scene.size_small, SMOKE_STEPS),
                false => (scene.size, options.steps.min(scene.steps)),
            };
            let mut pair = Pair::new(scene, size, steps, workers)?;
            for _ in 0..rounds {
                pair.round().with_context(|| scene.name.to_owned())?;
                progress.advance();
            }
            let [with_entities, alone] = [&pair.with_entities, &pair.alone].map(Times::mean_ms);
            let ratio = with_entities / alone;
            ratios.push(ratio);
            let case = format!("{}, {}", scene.name, of_workers(workers));
            let report = &mut run.report;
            report.push(&case, "time per step", "ms", with_entities, Some((ALONE, alone)));
            for (stage, times) in &pair.stages {
                let microseconds = times.mean_ms() * 1e3;
                if microseconds >= 1.0 {
                    report.push(
                        &case,
                        &format!("of that: {}", stage.name()),
                        "µs",
                        microseconds,
                        None,
                    );
                }
            }
            if ratio > ALLOWED[usize::from(workers > 1)] && !run.smoke {
                run.short.push(format!("{case}: {ratio:.3}"));
            }
        }
        let logarithms = ratios.iter().map(|&ratio| libm::log(ratio));
        let mean = libm::exp(logarithms.sum::<f64>() / ratios.len().max(1) as f64);
        let case = format!("geometric mean, {}", of_workers(workers));
        run.report
            .push(&case, "time per step, ratio", "1", mean, Some((ALONE, 1.0)));
    }
    Ok(())
}

/// The steps of a round that only checks: in them the small rain begins to take its oldest column away.
const SMOKE_STEPS: u32 = 60;

fn of_workers(workers: usize) -> String {
    format!("{workers} worker{}", if workers == 1 { "" } else { "s" })
}

/// The least times of steps, in seconds.
#[derive(Default)]
struct Times(Vec<f64>);

impl Times {
    /// Notes the time of a step of the present round.
    fn note(&mut self, step: u32, seconds: f64) {
        match self.0.get_mut(step as usize) {
            Some(least) => *least = least.min(seconds),
            None => self.0.push(seconds),
        }
    }

    /// The mean over all steps but the first.
    fn mean_ms(&self) -> f64 {
        let counted = self.0.get(1..).unwrap_or_default();
        counted.iter().sum::<f64>() / counted.len().max(1) as f64 * 1e3
    }
}

/// A scene as a world of entities and as physics alone.
struct Pair<'a> {
    scene: &'a SceneInfo,
    size: u32,
    steps: u32,
    pools: [Pool; 2],
    /// The calls in physics that build the scene, and those before each step; from the first round on.
    calls: Vec<Vec<Call>>,
    rounds: usize,
    with_entities: Times,
    alone: Times,
    /// The times of the engine's stages but for `physics`.
    stages: Vec<(WorldStage, Times)>,
}

impl<'a> Pair<'a> {
    fn new(scene: &'a SceneInfo, size: u32, steps: u32, workers: usize) -> anyhow::Result<Self> {
        let stages = WorldStage::ALL
            .into_iter()
            .filter(|stage| *stage != WorldStage::Physics);
        Ok(Self {
            scene,
            size,
            steps,
            pools: [Pool::new(workers)?, Pool::new(workers)?],
            calls: Vec::new(),
            rounds: 0,
            with_entities: Times::default(),
            alone: Times::default(),
            stages: stages.map(|stage| (stage, Times::default())).collect(),
        })
    }

    /// Steps both worlds, each from its beginning, in turn first.
    ///
    /// # Errors
    /// Their physics end with different hashes, or an engine refuses a part of the scene.
    fn round(&mut self) -> anyhow::Result<()> {
        let is_alone_first = self.rounds % 2 == 1;
        self.rounds += 1;
        let hashes = if is_alone_first {
            let alone = self.step_alone()?;
            [self.step_with_entities()?, alone]
        } else {
            [self.step_with_entities()?, self.step_alone()?]
        };
        ensure!(
            hashes[0] == hashes[1],
            "the physics of a world of entities ends with the hash {:016x}, alone with {:016x}",
            hashes[0],
            hashes[1]
        );
        Ok(())
    }

    fn step_with_entities(&mut self) -> anyhow::Result<u64> {
        let mut target = EntityTarget::new(self.scene)?;
        let mut motion = self.scene.build(self.size, 0, &mut target)?;
        let mut calls = vec![target.take_calls()?];
        for step in 0..self.steps {
            motion.before_step(step, &mut target)?;
            calls.push(target.take_calls()?);
            let (elapsed, ()) = time(|| target.world.step_with(&self.pools[0]));
            self.with_entities.note(step, elapsed.as_secs_f64());
            for (stage, times) in &mut self.stages {
                times.note(step, target.world.profile().seconds(*stage));
            }
        }
        check(&target.world)?;
        if self.calls.is_empty() {
            self.calls = calls;
        }
        Ok(target.world.physics().state_hash())
    }

    fn step_alone(&mut self) -> anyhow::Result<u64> {
        let mut physics = PhysicsWorld::new(&self.scene.world_def())?;
        let (built, before_steps) = self
            .calls
            .split_first()
            .context("a world of entities came first")?;
        built.iter().try_for_each(|call| call.make(&mut physics))?;
        for (step, calls) in (0..).zip(before_steps) {
            calls.iter().try_for_each(|call| call.make(&mut physics))?;
            let (elapsed, stepped) = time(|| physics.step_with(STEP_S, &self.pools[1]));
            stepped?;
            self.alone.note(step, elapsed.as_secs_f64());
        }
        Ok(physics.state_hash())
    }
}

/// Checks that each body is that of an entity, which is where the body is.
fn check(world: &World) -> anyhow::Result<()> {
    ensure!(world.faults().is_empty(), "{:?}", world.faults());
    for body in world.physics().bodies() {
        let entity = world
            .entity_of(body.id())
            .context("a body is that of an entity")?;
        ensure!(
            world.pose(entity) == Some(body.pose()),
            "{entity:?} is not where its body is"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tombolo_scenes::{self as scenes, Suite};

    use super::*;

    #[test]
    fn every_scene_has_one_hash_with_entities_and_alone() {
        for scene in scenes::of_suite(Suite::Published) {
            for workers in [1, 2] {
                let mut pair = Pair::new(scene, scene.size_small, SMOKE_STEPS, workers).unwrap();
                for _ in 0..2 {
                    pair.round().expect(scene.name);
                }
                let counts = [&pair.with_entities, &pair.alone].map(|times| times.0.len());
                assert_eq!(counts, [SMOKE_STEPS as usize; 2], "{}", scene.name);
            }
        }
    }

    /// The bodies of the world of entities are where those are that the scene makes in physics. In the rain the component rounds
    /// the anchors of joints in the world's frame; its bodies are near those after a step, and fall apart from them later.
    #[test]
    fn every_scene_is_that_of_the_other_comparisons() {
        for scene in scenes::of_suite(Suite::Published) {
            let mut plain = PhysicsWorld::new(&scene.world_def()).unwrap();
            let mut target = EntityTarget::new(scene).unwrap();
            let mut motions = [
                scene.build(scene.size_small, 0, &mut plain).unwrap(),
                scene.build(scene.size_small, 0, &mut target).unwrap(),
            ];
            let (steps, reach) = if scene.name == "rain" {
                (1, 1.0e-4)
            } else {
                (SMOKE_STEPS, 0.0)
            };
            for step in 0..steps {
                motions[0].before_step(step, &mut plain).unwrap();
                motions[1].before_step(step, &mut target).unwrap();
                target.take_calls().unwrap();
                plain.step(STEP_S).unwrap();
                target.world.step();
                assert_eq!(
                    plain.bodies().len(),
                    target.world.physics().bodies().len(),
                    "{}",
                    scene.name
                );
                for (alone, body) in plain.bodies().zip(target.world.physics().bodies()) {
                    let apart = alone.position().to_vec2().distance(body.position().to_vec2());
                    assert!(apart <= reach, "{}, step {step}: {apart} m", scene.name);
                }
            }
        }
    }

    #[test]
    fn the_least_times_of_steps_count_but_for_the_first() {
        let mut times = Times::default();
        for (step, seconds) in [(0, 9.0), (1, 3.0), (2, 5.0), (0, 8.0), (1, 4.0), (2, 2.0)] {
            times.note(step, seconds);
        }
        assert_eq!(times.0, [8.0, 3.0, 2.0]);
        assert_eq!(times.mean_ms(), 2500.0);
    }
}
