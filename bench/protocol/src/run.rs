//! The loop that every runner shares: it builds the scene, times the steps, and reports the answer.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use glam::Vec2;
use tombolo::physics::{BodyDef, BodyId, BodyKind, ChainDef, JointDef, PhysicsError, Shape, ShapeDef};
use tombolo_scenes::{self as scenes, SceneTarget};

use serde::Serialize;

use crate::{Answer, Awake, BodyMotion, Engine, Frame, Look, Order, Setting, WATCH, Watch};

/// The whole `main` of a runner: carries out the order on the command line and prints frames and answer, or the frames
/// of a [`Watch`].
pub fn run<E: Engine>() -> ExitCode {
    let outcome = if std::env::args_os().nth(1).is_some_and(|word| word == WATCH) {
        let watch = Watch::parse_from(std::env::args_os().skip(1));
        look_on::<E>(&watch, &mut BufWriter::new(io::stdout().lock()))
    } else {
        obey::<E>(&Order::parse(), &mut |frame| print(&frame)).and_then(|answer| print(&answer))
    };
    exit_code::<E>(outcome)
}

/// The code that a runner exits with; says on standard error what went wrong.
pub(crate) fn exit_code<E: Engine>(outcome: Result<(), String>) -> ExitCode {
    exit_code_of(&E::name(), outcome)
}

/// Likewise, for a runner of this name.
pub(crate) fn exit_code_of(name: &str, outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If standard error is closed the message is lost; the exit code still reports the failure.
            let _ = writeln!(io::stderr().lock(), "{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a line of JSON, written as it is made: a text of all bodies would count as the engine's memory.
pub(crate) fn print(value: &impl Serialize) -> Result<(), String> {
    let mut out = BufWriter::new(io::stdout().lock());
    serde_json::to_writer(&mut out, value).map_err(|error| error.to_string())?;
    writeln!(out)
        .and_then(|()| out.flush())
        .map_err(|error| error.to_string())
}

fn obey<E: Engine>(
    order: &Order,
    show: &mut impl FnMut(Frame) -> Result<(), String>,
) -> Result<Answer, String> {
    let scene = scenes::find(&order.scene).ok_or_else(|| format!("there is no scene `{}`", order.scene))?;
    let mut roster = Roster::new(E::new(&Setting::from(scene), order.threads)?);
    let mut motion = scene
        .build(order.size, order.seed, &mut roster)
        .map_err(|error| error.to_string())?;

    let looks = order.frames > 0;
    if looks {
        roster.target.measure_stages();
    }
    let mut step_ns = Vec::with_capacity(order.steps as usize);
    let mut stages: Vec<(&'static str, f64)> = Vec::new();
    let mut awake = AwakeSteps::default();
    for step in 0..order.steps {
        motion
            .before_step(step, &mut roster)
            .map_err(|error| error.to_string())?;
        let elapsed_ns = time_step(&mut roster.target);
        if step > 0 {
            step_ns.push(elapsed_ns);
        }
        if looks && step > 0 {
            add_stages(&mut stages, &roster.target.stages());
        }
        if looks {
            awake.add(roster.target.awake(), roster.dynamic_count)?;
        }
        if order.shows(step) {
            let bodies = bodies_of(&roster);
            show(Frame { step, bodies })?;
        }
    }
    let timed = step_ns.len().max(1) as f64;
    let bodies = bodies_of(&roster);
    Ok(Answer {
        engine: E::name(),
        step_ns,
        counts: roster.target.counts(),
        awake: awake.shares(),
        hash: hash(&bodies),
        bodies,
        stages: stages
            .into_iter()
            .map(|(name, total)| (name.to_owned(), total / timed))
            .collect(),
        memory_peak_kb: memory_peak_kb(),
    })
}

/// Writes the poses of all bodies before the first step and after every one.
fn look_on<E: Engine>(watch: &Watch, out: &mut impl Write) -> Result<(), String> {
    let mut roster = Roster::new(E::new(&watch.world.setting()?, 1)?);
    watch
        .world
        .build(&mut roster)
        .map_err(|error| error.to_string())?;
    for step in 0..=watch.steps {
        if step > 0 {
            roster.target.step();
        }
        let look = Look {
            awake: u32::try_from(roster.target.awake()).map_err(|error| error.to_string())?,
            bodies: bodies_of(&roster),
        };
        look.write(out).map_err(|error| error.to_string())?;
    }
    out.flush().map_err(|error| error.to_string())
}

/// The awake bodies after the steps so far.
#[derive(Default)]
struct AwakeSteps {
    steps: u32,
    /// The sum of the steps' shares of awake bodies.
    shares: f64,
    all_asleep: u32,
}

impl AwakeSteps {
    /// Adds a step. A world without dynamic bodies sleeps.
    ///
    /// # Errors
    /// More are awake than there are: the adapter counts other bodies too.
    fn add(&mut self, awake: usize, dynamic: usize) -> Result<(), String> {
        if awake > dynamic {
            return Err(format!("{awake} of {dynamic} dynamic bodies are awake"));
        }
        self.steps += 1;
        self.shares += awake as f64 / dynamic.max(1) as f64;
        self.all_asleep += u32::from(awake == 0);
        Ok(())
    }

    fn shares(&self) -> Option<Awake> {
        let steps = f64::from(self.steps);
        (self.steps > 0).then(|| Awake {
            mean_share: self.shares / steps,
            all_asleep_share: f64::from(self.all_asleep) / steps,
        })
    }
}

fn bodies_of<E: Engine>(roster: &Roster<E>) -> Vec<BodyMotion> {
    roster.bodies().map(|body| roster.target.motion(body)).collect()
}

// Clocks are banned so that results of the engine do not depend on time; here time is the result.
#[allow(clippy::disallowed_methods)]
fn time_step(engine: &mut impl Engine) -> u64 {
    let start = Instant::now();
    engine.step();
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

fn add_stages(sums: &mut Vec<(&'static str, f64)>, step: &[(&'static str, f64)]) {
    if sums.is_empty() {
        sums.extend_from_slice(step);
        return;
    }
    for (sum, stage) in sums.iter_mut().zip(step) {
        sum.1 += stage.1;
    }
}

/// FNV-1a over the bits of every number, bodies in order; a negative zero counts as zero.
fn hash(bodies: &[BodyMotion]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for number in bodies.iter().flat_map(BodyMotion::numbers) {
        for byte in (number + 0.0).to_bits().to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    hash
}

/// `VmHWM` of this process; only Linux reports it.
fn memory_peak_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// A wrapper of a target that keeps its existing bodies in the order of creation.
pub struct Roster<T> {
    /// The target of all calls.
    pub target: T,
    /// The existing bodies, by number of creation, and whether they are dynamic.
    living: BTreeMap<u64, (BodyId, bool)>,
    number_of: BTreeMap<u64, u64>,
    created: u64,
    dynamic_count: usize,
}

impl<T: SceneTarget> Roster<T> {
    /// A wrapper of an empty target.
    pub fn new(target: T) -> Self {
        Self {
            target,
            living: BTreeMap::new(),
            number_of: BTreeMap::new(),
            created: 0,
            dynamic_count: 0,
        }
    }

    /// The existing bodies, in the order of creation.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + '_ {
        self.living.values().map(|&(body, _)| body)
    }
}

impl<T: SceneTarget> SceneTarget for Roster<T> {
    fn create_body(&mut self, def: &BodyDef) -> Result<BodyId, PhysicsError> {
        let body = self.target.create_body(def)?;
        let is_dynamic = def.kind == BodyKind::Dynamic;
        self.dynamic_count += usize::from(is_dynamic);
        self.living.insert(self.created, (body, is_dynamic));
        self.number_of.insert(body.to_bits(), self.created);
        self.created += 1;
        Ok(body)
    }

    fn create_shape(&mut self, body: BodyId, def: &ShapeDef, shape: &Shape) -> Result<(), PhysicsError> {
        self.target.create_shape(body, def, shape)
    }

    fn create_chain(&mut self, body: BodyId, def: &ChainDef) -> Result<(), PhysicsError> {
        self.target.create_chain(body, def)
    }

    fn create_joint(&mut self, def: &JointDef) -> Result<(), PhysicsError> {
        self.target.create_joint(def)
    }

    fn destroy_body(&mut self, body: BodyId) -> Result<(), PhysicsError> {
        self.target.destroy_body(body)?;
        if let Some(number) = self.number_of.remove(&body.to_bits()) {
            let was = self.living.remove(&number);
            self.dynamic_count -= usize::from(was.is_some_and(|(_, is_dynamic)| is_dynamic));
        }
        Ok(())
    }

    fn set_linear_velocity(&mut self, body: BodyId, velocity: Vec2) -> Result<(), PhysicsError> {
        self.target.set_linear_velocity(body, velocity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tombolo::physics::{PhysicsWorld, WorldDef};

    #[test]
    fn the_hash_sees_order_and_every_bit_but_the_sign_of_zero() {
        let [a, b] = [0.0, 1.0].map(|x| BodyMotion {
            x,
            ..Default::default()
        });
        let minus = BodyMotion {
            x: -0.0,
            ..Default::default()
        };
        let next = BodyMotion {
            x: f32::from_bits(1.0_f32.to_bits() + 1),
            ..Default::default()
        };
        assert_ne!(hash(&[a, b]), hash(&[b, a]));
        assert_ne!(hash(&[b]), hash(&[next]));
        assert_eq!(hash(&[a]), hash(&[minus]));
    }

    #[test]
    fn awake_bodies_are_a_part_of_the_dynamic_ones_of_their_step() {
        let mut steps = AwakeSteps::default();
        assert_eq!(steps.shares(), None);
        for (awake, dynamic) in [(10, 10), (1, 4), (0, 4), (0, 0)] {
            steps.add(awake, dynamic).unwrap();
        }
        let expected = Awake {
            mean_share: 1.25 / 4.0,
            all_asleep_share: 0.5,
        };
        assert_eq!(steps.shares(), Some(expected));
        assert!(steps.add(5, 4).is_err());
    }

    #[test]
    fn a_roster_knows_how_many_of_its_bodies_are_dynamic() {
        let mut roster = Roster::new(PhysicsWorld::new(&WorldDef::default()).unwrap());
        let bodies = [
            BodyDef::dynamic(0.0, 0.0),
            BodyDef::fixed(1.0, 0.0),
            BodyDef::kinematic(2.0, 0.0),
            BodyDef::dynamic(3.0, 0.0),
        ]
        .map(|def| roster.create_body(&def).unwrap());
        assert_eq!((roster.dynamic_count, roster.bodies().count()), (2, 4));
        roster.destroy_body(bodies[2]).unwrap();
        assert_eq!(roster.dynamic_count, 2);
        roster.destroy_body(bodies[3]).unwrap();
        assert_eq!(roster.dynamic_count, 1);
        assert!(roster.bodies().eq([bodies[0], bodies[1]]));
    }

    #[test]
    fn stages_are_summed_by_place() {
        let mut sums = Vec::new();
        add_stages(&mut sums, &[("collide", 1.0), ("solve", 2.0)]);
        add_stages(&mut sums, &[("collide", 0.5), ("solve", 4.0)]);
        assert_eq!(sums, [("collide", 1.5), ("solve", 6.0)]);
    }
}
