//! CarRacing-v3: a car with the drive on its rear wheels on a road through grass, seen from above.
//!
//! `track.rs` draws a road from a seed, `scene.rs` has the car and its tires, `look.rs` draws the observation.

mod look;
mod scene;
mod track;

use crate::bytes::{Reader, Writer};
use crate::environment::{Action, Environment, Outcome, Space, accepted_options};
use crate::picture::{Color, Picture};
use crate::{EnvironmentError, Generator};
use look::{Colors, FIELD_M, SIDE, Shown};
use scene::{CarScene, Tire};
use tombolo_physics::PhysicsWorld;
use track::Track;

/// The length of a step, in seconds.
const STEP_S: f32 = 1.0 / 50.0;
/// The number of values of an observation.
const SEEN: usize = SIDE * SIDE * 3;
/// An upper bound of the number of tiles of a track.
const TILES_MAX: usize = 2500;
/// The first word of a save: the kind of environment and the version.
const SAVE_MARK: u64 = u64::from_le_bytes(*b"racing\x00\x01");

/// The options of a [`CarRacing`], with Gymnasium's names and defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct CarOptions {
    /// Whether actions are three numbers (steering, gas, brake) instead of five choices.
    pub continuous: bool,
    /// The share of the tiles that a lap needs before it ends at the first tile, 0 to 1.
    pub lap_complete_percent: f64,
    /// Whether every reset draws new colors of road and grass.
    pub domain_randomize: bool,
}

impl Default for CarOptions {
    fn default() -> Self {
        Self {
            continuous: true,
            lap_complete_percent: 0.95,
            domain_randomize: false,
        }
    }
}

/// The environment of a car on its track.
#[derive(Clone, Debug)]
pub struct CarRacing {
    options: CarOptions,
    random: Generator,
    /// `None` before the first reset.
    scene: Option<CarScene>,
    episode: CarEpisode,
    observation: Box<[u8]>,
}

/// The state of an episode beside its world.
#[derive(Clone, Debug, Default, PartialEq)]
struct CarEpisode {
    /// The sum of all rewards so far, and of those returned already.
    reward: f64,
    given: f64,
    /// Seconds since the reset, for the camera.
    time_s: f64,
    tiles_visited: usize,
    lap_ended: bool,
    colors: Colors,
}

const NOT_RESET: EnvironmentError = EnvironmentError::Action {
    expected: "a reset before the first step",
};

impl CarRacing {
    /// The world of the car; `None` before the first reset. Bodies: hull, front left, front right, rear left, rear right
    /// wheel.
    pub fn world(&self) -> Option<&PhysicsWorld> {
        self.scene.as_ref().map(|scene| &scene.world)
    }

    /// The number of tiles with a curb.
    pub fn curb_count(&self) -> usize {
        self.scene.as_ref().map_or(0, |scene| scene.track.curbs.len())
    }

    /// The generator from which the next random numbers come.
    pub fn random(&self) -> &Generator {
        &self.random
    }

    /// Begins an episode, with the colors of the one before unless new ones are drawn.
    fn begin(&mut self, seed: Option<u128>, draws_colors: bool) -> Result<(), EnvironmentError> {
        if let Some(seed) = seed {
            self.random = Generator::new(seed);
        }
        let colors = if draws_colors {
            draw_colors(&mut self.random)
        } else {
            self.episode.colors
        };
        self.episode = CarEpisode {
            colors,
            ..CarEpisode::default()
        };
        self.scene = Some(CarScene::new(Track::draw(&mut self.random))?);
        self.advance()
    }

    /// Makes a step without reward: steering, gas and brake stay.
    fn advance(&mut self) -> Result<(), EnvironmentError> {
        let scene = self.scene.as_mut().ok_or(NOT_RESET)?;
        scene.drive()?;
        // Before the world moves, like touches are found in the original's engine.
        let (found, first) = scene.visit_tiles();
        scene.world.step(STEP_S)?;
        let count = scene.track.tiles.len() as f64;
        self.episode.tiles_visited += found;
        self.episode.reward += 1000.0 / count * found as f64;
        let share = self.episode.tiles_visited as f64 / count;
        self.episode.lap_ended |= first && share > self.options.lap_complete_percent;
        self.episode.time_s += f64::from(STEP_S);
        look::observe(scene, &self.episode.shown(), &mut self.observation);
        Ok(())
    }

    /// The outcome of a step, once the world has moved.
    fn outcome(&mut self) -> Result<Outcome, EnvironmentError> {
        let scene = self.scene.as_ref().ok_or(NOT_RESET)?;
        self.episode.reward -= 0.1;
        let reward = self.episode.reward - self.episode.given;
        self.episode.given = self.episode.reward;
        let place = scene.hull().position();
        let is_out = f64::from(place.x.abs().max(place.y.abs())) > FIELD_M;
        let arrived = self.episode.tiles_visited == scene.track.tiles.len() || self.episode.lap_ended;
        Ok(Outcome {
            reward: if is_out { -100.0 } else { reward },
            terminated: is_out || arrived,
            succeeded: arrived && !is_out,
        })
    }

    /// Steering, gas and brake of an action.
    fn wanted(&self, action: Action<'_>) -> Result<[f64; 3], EnvironmentError> {
        match action {
            Action::Discrete(choice @ 0..=4) if !self.options.continuous => {
                let if_chosen = |number: i64, amount: f64| if choice == number { amount } else { 0.0 };
                let steer = if_chosen(2, 0.6) - if_chosen(1, 0.6);
                Ok([steer, if_chosen(3, 0.2), if_chosen(4, 0.8)])
            }
            Action::Continuous(&[steer, gas, brake])
                if self.options.continuous && !(steer.is_nan() || gas.is_nan() || brake.is_nan()) =>
            {
                Ok([
                    -steer.clamp(-1.0, 1.0),
                    gas.clamp(0.0, 1.0),
                    brake.clamp(0.0, 1.0),
                ]
                .map(f64::from))
            }
            _ if self.options.continuous => Err(EnvironmentError::Action {
                expected: "three numbers: steering from -1 to 1, gas and brake from 0 to 1",
            }),
            _ => Err(EnvironmentError::Action {
                expected: "0 (nothing), 1 (right), 2 (left), 3 (gas) or 4 (brake)",
            }),
        }
    }
}

/// Draws random colors for an episode.
fn draw_colors(random: &mut Generator) -> Colors {
    let mut three = || core::array::from_fn(|_| random.uniform(0.0, 210.0));
    let (road, field): ([f64; 3], [f64; 3]) = (three(), three());
    let mut grass = field;
    grass[random.integers(0, 3) as usize] += 20.0;
    Colors { road, field, grass }
}

impl Environment for CarRacing {
    type Options = CarOptions;
    type Number = u8;

    fn new(options: &CarOptions) -> Result<Self, EnvironmentError> {
        let share = options.lap_complete_percent;
        if !(0.0..=1.0).contains(&share) {
            return Err(EnvironmentError::Option {
                what: "lap_complete_percent",
                got: share,
                expected: "a number from 0 to 1",
            });
        }
        Ok(Self {
            options: options.clone(),
            random: Generator::new(0),
            scene: None,
            episode: CarEpisode::default(),
            observation: vec![0; SEEN].into(),
        })
    }

    fn options(&self) -> &CarOptions {
        &self.options
    }

    fn set_options(&mut self, options: &CarOptions) -> Result<(), EnvironmentError> {
        self.options = accepted_options(self, options)?;
        Ok(())
    }

    fn random_mut(&mut self) -> Option<&mut Generator> {
        Some(&mut self.random)
    }

    fn actions(&self) -> Space {
        if self.options.continuous {
            Space::Continuous(3)
        } else {
            Space::Discrete(5)
        }
    }

    fn steps_max(&self) -> u32 {
        1000
    }

    fn reset(&mut self, seed: Option<u128>) -> Result<(), EnvironmentError> {
        self.begin(seed, self.options.domain_randomize)
    }

    fn reset_with_same_look(&mut self, seed: Option<u128>) -> Result<(), EnvironmentError> {
        self.begin(seed, false)
    }

    fn has_begun(&self) -> bool {
        self.scene.is_some()
    }

    fn step(&mut self, action: Action<'_>) -> Result<Outcome, EnvironmentError> {
        let [steer, gas, brake] = self.wanted(action)?;
        let scene = self.scene.as_mut().ok_or(NOT_RESET)?;
        scene.control(steer, gas, brake);
        self.advance()?;
        self.outcome()
    }

    fn observation(&self) -> &[u8] {
        &self.observation
    }

    /// The angle, x and y of each tile.
    fn terrain(&self) -> Vec<f64> {
        self.scene
            .as_ref()
            .map_or_else(Vec::new, |scene| scene.track.marks.as_flattened().to_vec())
    }

    fn episode_numbers(&self) -> Vec<f64> {
        let Colors { road, field, grass } = self.episode.colors;
        [road, field, grass].concat()
    }

    fn picture(&self) -> Picture {
        let mut picture = Picture::new(600, 400, Color::new(0, 0, 0));
        if let Some(scene) = &self.scene {
            look::draw(&mut picture, scene, &self.episode.shown());
        }
        picture
    }

    fn save(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u64(SAVE_MARK);
        writer.u64(u64::from(self.options.continuous));
        writer.u64(u64::from(self.options.domain_randomize));
        writer.f64(self.options.lap_complete_percent);
        self.random.save(&mut writer);
        self.episode.save(&mut writer);
        writer.u64(u64::from(self.scene.is_some()));
        if let Some(scene) = &self.scene {
            writer.u64(scene.track.marks.len() as u64);
            writer.numbers(scene.track.marks.as_flattened());
            scene
                .visited
                .iter()
                .for_each(|&visited| writer.u64(u64::from(visited)));
            scene.tires.iter().for_each(|tire| tire.save(&mut writer));
            writer.block(&scene.world.save());
        }
        writer.block(&self.observation);
        writer.bytes
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), EnvironmentError> {
        let mut reader = Reader::new(bytes);
        if reader.u64()? != SAVE_MARK {
            return Err(EnvironmentError::Damaged);
        }
        let mut restored = Self::new(&CarOptions {
            continuous: reader.flag()?,
            domain_randomize: reader.flag()?,
            lap_complete_percent: reader.f64()?,
        })?;
        restored.random = Generator::restore(&mut reader)?;
        restored.episode = CarEpisode::restore(&mut reader)?;
        if reader.flag()? {
            let scene = restore_scene(&mut reader)?;
            let visited = scene.visited.iter().filter(|&&visited| visited).count();
            if visited != restored.episode.tiles_visited {
                return Err(EnvironmentError::Damaged);
            }
            restored.scene = Some(scene);
        }
        let seen = reader.block()?;
        if seen.len() != SEEN {
            return Err(EnvironmentError::Damaged);
        }
        restored.observation.copy_from_slice(seen);
        reader.finish()?;
        *self = restored;
        Ok(())
    }
}

fn restore_scene(reader: &mut Reader<'_>) -> Result<CarScene, EnvironmentError> {
    let count = usize::try_from(reader.u64()?).map_err(|_| EnvironmentError::Damaged)?;
    if count == 0 || count > TILES_MAX {
        return Err(EnvironmentError::Damaged);
    }
    let mut marks = vec![[0.0; 3]; count];
    reader.fill(marks.as_flattened_mut())?;
    // The pen of a track never leaves the field by more than its own way.
    if marks.as_flattened().iter().any(|number| number.abs() > 1.0e4) {
        return Err(EnvironmentError::Damaged);
    }
    let mut visited = vec![false; count];
    for tile in &mut visited {
        *tile = reader.flag()?;
    }
    let mut tires = [Tire::default(); 4];
    for tire in &mut tires {
        *tire = Tire::restore(reader)?;
    }
    let world = PhysicsWorld::from_save(reader.block()?)?;
    CarScene::from_saved(Track::from_marks(marks), visited, tires, world)
}

impl Tire {
    fn save(&self, writer: &mut Writer) {
        writer.numbers(&[self.gas, self.brake, self.steer, self.phase, self.omega]);
        writer.u64(u64::from(self.on_road));
    }

    fn restore(reader: &mut Reader<'_>) -> Result<Self, EnvironmentError> {
        let mut numbers = [0.0; 5];
        reader.fill(&mut numbers)?;
        let [gas, brake, steer, phase, omega] = numbers;
        let in_range = [gas, brake, steer].iter().all(|number| number.abs() <= 1.0);
        if !in_range || phase.abs() > 1.0e6 || omega.abs() > 1.0e6 {
            return Err(EnvironmentError::Damaged);
        }
        Ok(Self {
            gas,
            brake,
            steer,
            phase,
            omega,
            on_road: reader.flag()?,
        })
    }
}

impl CarEpisode {
    fn shown(&self) -> Shown {
        Shown {
            colors: self.colors,
            time_s: self.time_s,
            reward: self.reward,
        }
    }

    fn save(&self, writer: &mut Writer) {
        writer.numbers(&[self.reward, self.given, self.time_s]);
        writer.u64(self.tiles_visited as u64);
        writer.u64(u64::from(self.lap_ended));
        let Colors { road, field, grass } = self.colors;
        writer.numbers([road, field, grass].as_flattened());
    }

    fn restore(reader: &mut Reader<'_>) -> Result<Self, EnvironmentError> {
        let (mut numbers, mut colors) = ([0.0; 3], [0.0; 3]);
        reader.fill(&mut numbers)?;
        let tiles_visited = usize::try_from(reader.u64()?).map_err(|_| EnvironmentError::Damaged)?;
        let lap_ended = reader.flag()?;
        let mut three = || reader.fill(&mut colors).map(|()| colors);
        Ok(Self {
            reward: numbers[0],
            given: numbers[1],
            time_s: numbers[2].clamp(0.0, 1.0e6),
            tiles_visited,
            lap_ended,
            colors: Colors {
                road: three()?,
                field: three()?,
                grass: three()?,
            },
        })
    }
}
