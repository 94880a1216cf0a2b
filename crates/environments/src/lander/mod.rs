//! LunarLander-v3: a craft with two legs and three engines comes down on a pad.
//!
//! `scene.rs` has the bodies and the terrain, `engines.rs` the forces, `options.rs` the options, `look.rs` the
//! picture.

mod engines;
mod look;
mod options;
mod scene;

use crate::bytes::{Reader, Writer};
use crate::environment::{Action, Environment, Outcome, Space, accepted_options};
use crate::parts::unwound;
use crate::picture::Picture;
use crate::rest::sleep_after;
use crate::{EnvironmentError, Generator};
use options::STEP_S;
use scene::{HALF_HEIGHT_M, HALF_WIDTH_M, LEG_DOWN_M, LanderScene, PAD_Y_M};
use tombolo_physics::{PhysicsWorld, Vec2};

pub use options::LanderOptions;

/// The number of steps per second.
const STEPS_PER_S: f64 = 50.0;
/// An angle in radians that no craft reaches in an episode, and up to which one more turn is exact in double
/// precision.
const ANGLE_MAX: f64 = 1.0e6;
/// The first word of a save: the kind of environment and the version.
const SAVE_MARK: u64 = u64::from_le_bytes(*b"lander\x00\x01");

/// The environment of a craft above its terrain.
#[derive(Clone, Debug)]
pub struct LunarLander {
    options: LanderOptions,
    random: Generator,
    /// `None` before the first reset.
    scene: Option<LanderScene>,
    episode: LanderEpisode,
    observation: [f32; 8],
}

/// The state of an episode beside its world.
#[derive(Clone, Debug, Default, PartialEq)]
struct LanderEpisode {
    /// The hull's angle in radians, with whole turns.
    angle: f64,
    /// The state's value that the next reward is relative to; `None` in the null step of a reset.
    shaping: Option<f64>,
    /// The positions of wind and turbulence in their patterns.
    wind: [i64; 2],
    rested_s: f32,
    /// Whether each leg counts as on the ground: after a touch began and until any ends, as in the original.
    legs_down: [bool; 2],
    /// The number of touches of the legs: while it is zero the craft flies.
    touches: u64,
    hull_touched: bool,
}

impl LunarLander {
    /// The world of the craft; `None` before the first reset. Bodies: ground, hull, two legs.
    pub fn world(&self) -> Option<&PhysicsWorld> {
        self.scene.as_ref().map(|scene| &scene.world)
    }

    /// The positions of wind and turbulence in their patterns.
    pub fn wind(&self) -> [i64; 2] {
        self.episode.wind
    }

    /// The generator from which the next random numbers come.
    pub fn random(&self) -> &Generator {
        &self.random
    }

    /// Makes a step whose action was checked.
    fn advance(&mut self, action: Action<'_>) -> Result<Outcome, EnvironmentError> {
        let scene = self.scene.as_mut().ok_or(NOT_RESET)?;
        if self.options.enable_wind && self.episode.legs_down == [false; 2] {
            engines::blow(
                &mut scene.world,
                scene.bodies[0],
                &self.options,
                &mut self.episode.wind,
            )?;
        }
        let dispersion = [0; 2].map(|_| self.random.uniform(-1.0, 1.0) / 30.0);
        let [main, side] = engines::fire(&mut scene.world, scene.bodies[0], action, dispersion)?;
        let flies = self.episode.touches == 0;
        scene.apply_gravity(self.options.gravity as f32, flies)?;
        scene.world.step(STEP_S)?;
        self.episode.note_touches(scene);
        let state = observe(scene, &mut self.episode);
        self.observation = state.map(|number| number as f32);

        let shaping = shaping(&state);
        let change = self.episode.shaping.map_or(0.0, |before| shaping - before);
        self.episode.shaping = Some(shaping);
        let mut outcome = Outcome {
            reward: change - 0.3 * main - 0.03 * side,
            ..Outcome::default()
        };
        if self.episode.hull_touched || state[0].abs() >= 1.0 {
            outcome = Outcome {
                reward: -100.0,
                terminated: true,
                succeeded: false,
            };
        }
        if sleep_after(&mut self.episode.rested_s, &scene.world, &scene.bodies, STEP_S) {
            outcome = Outcome {
                reward: 100.0,
                terminated: true,
                succeeded: true,
            };
        }
        Ok(outcome)
    }

    fn check(&self, action: Action<'_>) -> Result<(), EnvironmentError> {
        match action {
            Action::Discrete(0..=3) if !self.options.continuous => Ok(()),
            Action::Continuous([main, side])
                if self.options.continuous && !main.is_nan() && !side.is_nan() =>
            {
                Ok(())
            }
            _ if self.options.continuous => Err(EnvironmentError::Action {
                expected: "two numbers from -1 to 1: main engine, side engines",
            }),
            _ => Err(EnvironmentError::Action {
                expected: "0 (nothing), 1 (left engine), 2 (main engine) or 3 (right engine)",
            }),
        }
    }
}

const NOT_RESET: EnvironmentError = EnvironmentError::Action {
    expected: "a reset before the first step",
};

impl LanderEpisode {
    fn note_touches(&mut self, scene: &LanderScene) {
        let events = scene.world.events();
        let leg_of = |touch: &tombolo_physics::TouchEvent| {
            let shapes = [touch.shape_a, touch.shape_b];
            scene.legs.iter().position(|leg| shapes.contains(leg))
        };
        for touch in events.begin_touch() {
            if let Some(leg) = leg_of(touch) {
                self.legs_down[leg] = true;
                self.touches += 1;
            } else {
                self.hull_touched = true;
            }
        }
        for touch in events.end_touch() {
            if let Some(leg) = leg_of(touch) {
                self.legs_down[leg] = false;
                self.touches = self.touches.saturating_sub(1);
            }
        }
    }
}

/// The eight numbers of an observation, in double precision as the reward needs them.
fn observe(scene: &LanderScene, episode: &mut LanderEpisode) -> [f64; 8] {
    let hull = scene.hull();
    episode.angle = unwound(episode.angle, hull);
    let (place, velocity) = (hull.position(), hull.linear_velocity());
    let flag = |down: bool| f64::from(u8::from(down));
    [
        (f64::from(place.x) - HALF_WIDTH_M) / HALF_WIDTH_M,
        (f64::from(place.y) - (PAD_Y_M + LEG_DOWN_M)) / HALF_HEIGHT_M,
        f64::from(velocity.x) * HALF_WIDTH_M / STEPS_PER_S,
        f64::from(velocity.y) * HALF_HEIGHT_M / STEPS_PER_S,
        episode.angle,
        20.0 * f64::from(hull.angular_velocity()) / STEPS_PER_S,
        flag(episode.legs_down[0]),
        flag(episode.legs_down[1]),
    ]
}

/// The value of a state: near, slow, upright and on its legs is best.
fn shaping(state: &[f64; 8]) -> f64 {
    let length = |x: f64, y: f64| libm::sqrt(x * x + y * y);
    -100.0 * length(state[0], state[1]) - 100.0 * length(state[2], state[3]) - 100.0 * state[4].abs()
        + 10.0 * state[6]
        + 10.0 * state[7]
}

impl Environment for LunarLander {
    type Options = LanderOptions;
    type Number = f32;

    fn new(options: &LanderOptions) -> Result<Self, EnvironmentError> {
        let LanderOptions {
            gravity,
            wind_power,
            turbulence_power,
            ..
        } = *options;
        let refuse = |what, got, expected| Err(EnvironmentError::Option { what, got, expected });
        if !(gravity > -12.0 && gravity < 0.0) {
            return refuse("gravity", gravity, "a number between -12 and 0");
        }
        for (what, got) in [("wind_power", wind_power), ("turbulence_power", turbulence_power)] {
            if got.is_nan() || got.abs() > 1.0e6 {
                return refuse(what, got, "a number up to a million");
            }
        }
        Ok(Self {
            options: options.clone(),
            random: Generator::new(0),
            scene: None,
            episode: LanderEpisode::default(),
            observation: [0.0; 8],
        })
    }

    fn options(&self) -> &LanderOptions {
        &self.options
    }

    fn set_options(&mut self, options: &LanderOptions) -> Result<(), EnvironmentError> {
        self.options = accepted_options(self, options)?;
        Ok(())
    }

    fn random_mut(&mut self) -> Option<&mut Generator> {
        Some(&mut self.random)
    }

    fn actions(&self) -> Space {
        if self.options.continuous {
            Space::Continuous(2)
        } else {
            Space::Discrete(4)
        }
    }

    fn steps_max(&self) -> u32 {
        1000
    }

    fn reset(&mut self, seed: Option<u128>) -> Result<(), EnvironmentError> {
        if let Some(seed) = seed {
            self.random = Generator::new(seed);
        }
        let heights = scene::draw_heights(&mut self.random);
        let force = Vec2::from_array([0; 2].map(|_| self.random.uniform(-1000.0, 1000.0) as f32));
        self.episode = LanderEpisode::default();
        if self.options.enable_wind {
            self.episode.wind = [0; 2].map(|_| self.random.integers(-9999, 9999));
        }
        self.scene = Some(LanderScene::new(heights, force * STEP_S)?);
        self.advance(if self.options.continuous {
            Action::Continuous(&[0.0; 2])
        } else {
            Action::Discrete(0)
        })?;
        let scene = self.scene.as_mut().ok_or(NOT_RESET)?;
        scene.fold_legs()?;
        let state = observe(scene, &mut self.episode);
        self.episode.shaping = Some(shaping(&state));
        self.observation = state.map(|number| number as f32);
        Ok(())
    }

    fn has_begun(&self) -> bool {
        self.scene.is_some()
    }

    fn step(&mut self, action: Action<'_>) -> Result<Outcome, EnvironmentError> {
        self.check(action)?;
        self.advance(action)
    }

    fn observation(&self) -> &[f32] {
        &self.observation
    }

    /// The heights of the terrain, two meters apart from the left border to the right one.
    fn terrain(&self) -> Vec<f64> {
        self.scene
            .as_ref()
            .map_or_else(Vec::new, |scene| scene.heights.to_vec())
    }

    fn episode_numbers(&self) -> Vec<f64> {
        self.episode.wind.map(|place| place as f64).to_vec()
    }

    fn picture(&self) -> Picture {
        look::draw(self.scene.as_ref())
    }

    fn save(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u64(SAVE_MARK);
        let LanderOptions {
            continuous,
            gravity,
            enable_wind,
            wind_power,
            turbulence_power,
        } = self.options;
        writer.u64(u64::from(continuous));
        writer.u64(u64::from(enable_wind));
        writer.numbers(&[gravity, wind_power, turbulence_power]);
        self.random.save(&mut writer);
        writer.numbers(&self.observation.map(f64::from));
        self.episode.save(&mut writer);
        writer.u64(u64::from(self.scene.is_some()));
        if let Some(scene) = &self.scene {
            writer.numbers(&scene.heights);
            writer.block(&scene.world.save());
        }
        writer.bytes
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), EnvironmentError> {
        let mut reader = Reader::new(bytes);
        if reader.u64()? != SAVE_MARK {
            return Err(EnvironmentError::Damaged);
        }
        let mut restored = Self::new(&LanderOptions {
            continuous: reader.flag()?,
            enable_wind: reader.flag()?,
            gravity: reader.f64()?,
            wind_power: reader.f64()?,
            turbulence_power: reader.f64()?,
        })?;
        restored.random = Generator::restore(&mut reader)?;
        for number in &mut restored.observation {
            *number = reader.f64()? as f32;
        }
        restored.episode = LanderEpisode::restore(&mut reader)?;
        if reader.flag()? {
            let mut heights = [0.0; scene::POINTS];
            reader.fill(&mut heights)?;
            let world = PhysicsWorld::from_save(reader.block()?)?;
            // A leg touches a shape once at a time.
            let pairs = restored.episode.legs_down.len() * world.counters().shapes;
            if restored.episode.touches > pairs as u64 {
                return Err(EnvironmentError::Damaged);
            }
            restored.scene = Some(LanderScene::from_saved(heights, world)?);
        }
        reader.finish()?;
        *self = restored;
        Ok(())
    }
}

impl LanderEpisode {
    fn save(&self, writer: &mut Writer) {
        writer.f64(self.angle);
        writer.u64(u64::from(self.shaping.is_some()));
        writer.f64(self.shaping.unwrap_or_default());
        for place in self.wind {
            writer.u64(place as u64);
        }
        writer.f64(f64::from(self.rested_s));
        for down in self.legs_down {
            writer.u64(u64::from(down));
        }
        writer.u64(self.touches);
        writer.u64(u64::from(self.hull_touched));
    }

    fn restore(reader: &mut Reader<'_>) -> Result<Self, EnvironmentError> {
        let angle = reader.f64()?;
        if angle.abs() > ANGLE_MAX {
            return Err(EnvironmentError::Damaged);
        }
        let (has_shaping, shaping) = (reader.flag()?, reader.f64()?);
        Ok(Self {
            angle,
            shaping: has_shaping.then_some(shaping),
            wind: [reader.u64()? as i64, reader.u64()? as i64],
            rested_s: reader.f64()? as f32,
            legs_down: [reader.flag()?, reader.flag()?],
            touches: reader.u64()?,
            hull_touched: reader.flag()?,
        })
    }
}
