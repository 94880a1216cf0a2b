//! BipedalWalker-v3 and BipedalWalkerHardcore-v3: a hull on two legs of two joints each walks over uneven ground, in the
//! hardcore version over pits, stumps and stairs too.
//!
//! `terrain.rs` draws the ground, `scene.rs` has the bodies, `look.rs` draws the picture.

mod look;
mod scene;
mod terrain;

use crate::bytes::{Reader, Writer};
use crate::environment::{Action, Environment, Outcome, Space, accepted_options};
use crate::parts::unwound;
use crate::picture::Picture;
use crate::{EnvironmentError, Generator};
use scene::{RAYS, WalkerScene};
use terrain::{GRASS_POINTS, POINTS, SCALE, STEP_M};
use tombolo_physics::{PhysicsWorld, ShapeId};

/// The length of a step, in seconds.
const STEP_S: f32 = 1.0 / 50.0;
/// The number of steps per second.
const STEPS_PER_S: f64 = 50.0;
/// The greatest torque of a joint's motor, in newton meters.
const TORQUE_NM: f64 = 80.0;
/// The target speeds of a hip and of a knee, in radians per second.
const SPEEDS: [f64; 2] = [4.0, 6.0];
/// The number of joints, and of values of an action.
const JOINTS: usize = 4;
/// The number of values of an observation.
const SEEN: usize = 14 + RAYS;
/// An angle in radians that no hull reaches in an episode, and up to which one more turn is exact in double
/// precision.
const ANGLE_MAX: f64 = 1.0e6;
/// The first word of a save: the kind of environment and the version.
const SAVE_MARK: u64 = u64::from_le_bytes(*b"walker\x00\x01");

/// The options of a [`BipedalWalker`], with Gymnasium's name and default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WalkerOptions {
    /// Whether the ground has pits, stumps and stairs.
    pub hardcore: bool,
}

/// The environment of a walker on its ground.
#[derive(Clone, Debug)]
pub struct BipedalWalker {
    options: WalkerOptions,
    random: Generator,
    /// `None` before the first reset.
    scene: Option<WalkerScene>,
    episode: WalkerEpisode,
    observation: [f32; SEEN],
}

/// The state of an episode beside its world.
#[derive(Clone, Debug, Default, PartialEq)]
struct WalkerEpisode {
    /// The hull's angle in radians, with whole turns.
    angle: f64,
    /// The state's value that the next reward is relative to.
    shaping: f64,
    /// Whether each foot counts as on the ground: after a touch began and until any ends, as in the original.
    feet_down: [bool; 2],
    hull_touched: bool,
}

const NOT_RESET: EnvironmentError = EnvironmentError::Action {
    expected: "a reset before the first step",
};

impl BipedalWalker {
    /// The world of the walker; `None` before the first reset. Bodies: ground, hull, left thigh and shin, right thigh and
    /// shin.
    pub fn world(&self) -> Option<&PhysicsWorld> {
        self.scene.as_ref().map(|scene| &scene.world)
    }

    /// Left, bottom, right and top of each pit's wall, stump and stair, in meters; empty before the first reset.
    pub fn blocks(&self) -> &[[f64; 4]] {
        self.scene.as_ref().map_or(&[], |scene| &scene.terrain.blocks)
    }

    /// The generator from which the next random numbers come.
    pub fn random(&self) -> &Generator {
        &self.random
    }

    /// Makes a step whose action was checked.
    fn advance(&mut self, action: [f64; JOINTS]) -> Result<Outcome, EnvironmentError> {
        let scene = self.scene.as_mut().ok_or(NOT_RESET)?;
        if scene.world.step_index() == 0 {
            // The first step finds out whether the feet still touch.
            self.episode.feet_down = [false; 2];
        }
        scene.drive(core::array::from_fn(|joint| {
            let wanted = action[joint];
            let speed = if wanted == 0.0 {
                0.0
            } else {
                SPEEDS[joint % 2].copysign(wanted)
            };
            [speed as f32, (TORQUE_NM * wanted.abs()) as f32]
        }))?;
        scene.world.step(STEP_S)?;
        self.episode.note_touches(scene);
        let shaping = observe(scene, &mut self.episode, &mut self.observation)?;
        let effort: f64 = action
            .iter()
            .map(|wanted| 0.00035 * TORQUE_NM * wanted.abs())
            .sum();
        let reward = shaping - self.episode.shaping - effort;
        self.episode.shaping = shaping;
        let x = f64::from(scene.hull().position().x);
        let fell = self.episode.hull_touched || x < 0.0;
        let arrived = x > (POINTS as i64 - GRASS_POINTS) as f64 * STEP_M;
        Ok(Outcome {
            reward: if fell { -100.0 } else { reward },
            terminated: fell || arrived,
            succeeded: arrived && !fell,
        })
    }
}

impl WalkerEpisode {
    fn note_touches(&mut self, scene: &WalkerScene) {
        let events = scene.world.events();
        let foot_of = |shapes: [ShapeId; 2]| scene.feet.iter().position(|foot| shapes.contains(foot));
        for touch in events.begin_touch() {
            let shapes = [touch.shape_a, touch.shape_b];
            if let Some(foot) = foot_of(shapes) {
                self.feet_down[foot] = true;
            }
            let body_of = |shape: &ShapeId| scene.world.shape(*shape).map(|shape| shape.body().id());
            self.hull_touched |= shapes.iter().any(|shape| body_of(shape) == Some(scene.hull));
        }
        for touch in events.end_touch() {
            if let Some(foot) = foot_of([touch.shape_a, touch.shape_b]) {
                self.feet_down[foot] = false;
            }
        }
    }
}

/// Writes the values of an observation; returns the value of the state: far and upright is best.
fn observe(
    scene: &WalkerScene,
    episode: &mut WalkerEpisode,
    seen: &mut [f32; SEEN],
) -> Result<f64, EnvironmentError> {
    let hull = scene.hull();
    episode.angle = unwound(episode.angle, hull);
    let velocity = hull.linear_velocity();
    let bends = scene.bends();
    let flag = |down: bool| f64::from(u8::from(down));
    let leg = |leg: usize| {
        let [hip, knee] = [bends[2 * leg], bends[2 * leg + 1]];
        let (hip_speed, knee_speed) = (hip[1] / SPEEDS[0], knee[1] / SPEEDS[1]);
        [
            hip[0],
            hip_speed,
            knee[0] + 1.0,
            knee_speed,
            flag(episode.feet_down[leg]),
        ]
    };
    let body = [
        episode.angle,
        2.0 * f64::from(hull.angular_velocity()) / STEPS_PER_S,
        0.3 * f64::from(velocity.x) * (600.0 / SCALE) / STEPS_PER_S,
        0.3 * f64::from(velocity.y) * (400.0 / SCALE) / STEPS_PER_S,
    ];
    let rays = scene.look()?;
    let numbers = body.into_iter().chain(leg(0)).chain(leg(1)).chain(rays);
    for (place, number) in seen.iter_mut().zip(numbers) {
        *place = number as f32;
    }
    Ok(130.0 * f64::from(hull.position().x) / SCALE - 5.0 * episode.angle.abs())
}

impl Environment for BipedalWalker {
    type Options = WalkerOptions;
    type Number = f32;

    fn new(options: &WalkerOptions) -> Result<Self, EnvironmentError> {
        Ok(Self {
            options: options.clone(),
            random: Generator::new(0),
            scene: None,
            episode: WalkerEpisode::default(),
            observation: [0.0; SEEN],
        })
    }

    fn options(&self) -> &WalkerOptions {
        &self.options
    }

    fn set_options(&mut self, options: &WalkerOptions) -> Result<(), EnvironmentError> {
        self.options = accepted_options(self, options)?;
        Ok(())
    }

    fn random_mut(&mut self) -> Option<&mut Generator> {
        Some(&mut self.random)
    }

    fn actions(&self) -> Space {
        Space::Continuous(JOINTS)
    }

    fn steps_max(&self) -> u32 {
        if self.options.hardcore { 2000 } else { 1600 }
    }

    fn reset(&mut self, seed: Option<u128>) -> Result<(), EnvironmentError> {
        if let Some(seed) = seed {
            self.random = Generator::new(seed);
        }
        let scene = WalkerScene::new(&mut self.random, self.options.hardcore)?;
        self.episode = WalkerEpisode {
            // Both feet touch the ground within the null step.
            feet_down: [true; 2],
            ..WalkerEpisode::default()
        };
        self.episode.shaping = observe(&scene, &mut self.episode, &mut self.observation)?;
        self.scene = Some(scene);
        Ok(())
    }

    fn has_begun(&self) -> bool {
        self.scene.is_some()
    }

    fn step(&mut self, action: Action<'_>) -> Result<Outcome, EnvironmentError> {
        match action {
            Action::Continuous(numbers)
                if numbers.len() == JOINTS && !numbers.iter().any(|number| number.is_nan()) =>
            {
                self.advance(core::array::from_fn(|joint| {
                    f64::from(numbers[joint].clamp(-1.0, 1.0))
                }))
            }
            _ => Err(EnvironmentError::Action {
                expected: "four numbers from -1 to 1: hip and knee of the left leg, hip and knee of the right one",
            }),
        }
    }

    fn observation(&self) -> &[f32] {
        &self.observation
    }

    fn terrain(&self) -> Vec<f64> {
        self.scene
            .as_ref()
            .map_or_else(Vec::new, |scene| scene.terrain.heights.clone())
    }

    fn picture(&self) -> Picture {
        look::draw(self.scene.as_ref())
    }

    fn save(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u64(SAVE_MARK);
        writer.u64(u64::from(self.options.hardcore));
        self.random.save(&mut writer);
        writer.numbers(&self.observation.map(f64::from));
        writer.numbers(&[self.episode.angle, self.episode.shaping]);
        let [left, right] = self.episode.feet_down;
        for flag in [left, right, self.episode.hull_touched, self.scene.is_some()] {
            writer.u64(u64::from(flag));
        }
        if let Some(scene) = &self.scene {
            scene.terrain.save(&mut writer);
            writer.block(&scene.world.save());
        }
        writer.bytes
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), EnvironmentError> {
        let mut reader = Reader::new(bytes);
        if reader.u64()? != SAVE_MARK {
            return Err(EnvironmentError::Damaged);
        }
        let mut restored = Self::new(&WalkerOptions {
            hardcore: reader.flag()?,
        })?;
        restored.random = Generator::restore(&mut reader)?;
        for number in &mut restored.observation {
            *number = reader.f64()? as f32;
        }
        restored.episode = WalkerEpisode {
            angle: reader.f64()?,
            shaping: reader.f64()?,
            feet_down: [reader.flag()?, reader.flag()?],
            hull_touched: reader.flag()?,
        };
        if restored.episode.angle.abs() > ANGLE_MAX {
            return Err(EnvironmentError::Damaged);
        }
        if reader.flag()? {
            let terrain = terrain::Terrain::restore(&mut reader)?;
            let world = PhysicsWorld::from_save(reader.block()?)?;
            restored.scene = Some(WalkerScene::from_saved(terrain, world)?);
        }
        reader.finish()?;
        *self = restored;
        Ok(())
    }
}
