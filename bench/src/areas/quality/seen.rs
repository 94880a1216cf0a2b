//! The poses of all bodies of one world in one engine, from before the first step to after the last.

use std::io::BufReader;
use std::process::Stdio;

use anyhow::{Context, bail, ensure};
use tombolo::physics::BodyKind;
use tombolo_bench_protocol::worlds::World;
use tombolo_bench_protocol::{BodyMotion, Look, Watch};

use super::super::physics::builds::Build;
use super::super::physics::recording::Recording;

/// All looks at a world, and its content.
pub(super) struct Seen {
    /// Its bodies, shapes and joints.
    pub recording: Recording,
    /// One look before the first step, one after each.
    pub looks: Vec<Look>,
}

impl Seen {
    /// Has a built runner play a world.
    ///
    /// # Errors
    /// The runner failed, does not show every body in every step, or shows one at a position that is not finite.
    pub(super) fn by(build: &Build, world: &World, steps: u32) -> anyhow::Result<Self> {
        let watch = Watch {
            world: world.clone(),
            steps,
        };
        let mut runner = build
            .command(1)
            .args(watch.to_arguments()?)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .with_context(|| format!("starting the runner of {}", build.name))?;
        let mut from = BufReader::new(runner.stdout.take().context("the runner's output is piped")?);
        let mut looks = Vec::with_capacity(steps as usize + 1);
        while let Some(look) = Look::read(&mut from).context("reading what the runner shows")? {
            looks.push(look);
        }
        let status = runner.wait()?;
        if !status.success() {
            bail!("the runner ended with {status}");
        }
        Self::new(Recording::of_world(world)?, looks, steps)
    }

    /// # Errors
    /// In the same cases as [`Self::by`].
    pub(super) fn new(recording: Recording, looks: Vec<Look>, steps: u32) -> anyhow::Result<Self> {
        ensure!(
            looks.len() == steps as usize + 1,
            "the runner showed {} looks of {steps} steps",
            looks.len()
        );
        for (step, look) in looks.iter().enumerate() {
            ensure!(
                look.bodies.len() == recording.bodies.len(),
                "{} bodies after step {step}, the world has {}",
                look.bodies.len(),
                recording.bodies.len()
            );
            let finite = |body: &BodyMotion| body.numbers().iter().all(|number| number.is_finite());
            if let Some(body) = look.bodies.iter().position(|body| !finite(body)) {
                bail!("body {body} is not at a finite place after step {step}");
            }
        }
        Ok(Self { recording, looks })
    }

    /// The places of the dynamic bodies, in the order of creation.
    pub(super) fn dynamic(&self) -> Vec<usize> {
        let is_dynamic = |&body: &usize| self.recording.bodies[body].def.kind == BodyKind::Dynamic;
        (0..self.recording.bodies.len()).filter(is_dynamic).collect()
    }

    /// The motion of a body before the first step (0) or after one.
    pub(super) fn at(&self, step: usize, body: usize) -> &BodyMotion {
        &self.looks[step].bodies[body]
    }

    /// The number of steps that were watched.
    pub(super) fn steps(&self) -> usize {
        self.looks.len() - 1
    }
}
