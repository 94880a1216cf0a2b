//! One level being played: the input of a step goes in, and the world advances. Nothing here reads a clock, draws or
//! prints, so that a bot, a test and a window play the same game.

use tombolo::World;
use tombolo::component::{FIELD, Field, FieldAction};
use tombolo::entity::{Dense, Entity, Value};
use tombolo::geometry::{Position, Vec2};
use tombolo::physics::QueryFilter;
use tombolo::threads::Executor;

use crate::levels::{self, Level, flag_of, is, text_of};

/// The radius of Pip, in meters.
pub const PIP_RADIUS: f32 = 0.45;
/// The greatest length of a stroke, in meters.
pub const STROKE_MAX: f32 = 7.0;
/// The greatest length of a tap, in meters: a longer one is a stroke.
pub const TAP_MAX: f32 = 0.3;
/// The greatest distance of a tap from a switch, in meters.
pub const TAP_REACH: f32 = 1.5;
/// The number of steps that Pip must be in the nest: half a second.
const STEPS_TO_WIN: u32 = 30;
/// The number of steps with no cut left and Pip nearly at rest after which the level is lost: six seconds.
const STEPS_TO_GIVE_UP: u32 = 360;

/// The input of a step: the position of the pointer in the world, and whether it is pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Input {
    /// The position in meters.
    pub at: Vec2,
    /// Whether a button or a finger is down. Released near its start it is a tap, farther away a stroke.
    pub down: bool,
}

/// The reason why a level was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// A stroke went through Pip.
    Snipped,
    /// Pip touched thorns.
    Thorns,
    /// Pip left the world.
    Fell,
    /// No cuts are left, and nothing moves Pip any more.
    Stuck,
}

/// The state of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Neither won nor lost.
    Open,
    /// Pip is in the nest.
    Won,
    /// It cannot be won any more.
    Lost(Loss),
}

/// An event that is heard or seen for a moment; it is not part of the state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Happening {
    /// A stroke, and the number of entities that it cut.
    Stroke {
        /// Its start, in meters.
        from: Vec2,
        /// Its end, in meters.
        to: Vec2,
        /// The number of entities that it cut.
        parted: usize,
    },
    /// A switch was tapped.
    Switched(Vec2),
    /// A hard hit of two bodies: its point, and the speed of approach in meters per second.
    Knock(Vec2, f32),
    /// A bomb went off.
    Bang(Vec2),
    /// Something fell into water.
    Splash(Vec2),
    /// It was won or lost.
    Ended(Outcome),
}

/// The state of the game's rules beside the world; together they are the state of a level.
#[derive(Clone, Debug)]
pub struct Rules {
    pip: Entity,
    nest: Entity,
    cuts: u32,
    /// The limits below and beside which Pip is lost, in meters.
    bounds: [f32; 3],
    /// The point at which the pointer was pressed, while it is.
    pressed: Option<Vec2>,
    cuts_used: u32,
    steps: u64,
    steps_in_nest: u32,
    steps_idle: u32,
    outcome: Outcome,
    happened: Vec<Happening>,
}

/// A level being played.
#[derive(Clone, Debug)]
pub struct Play {
    /// The level.
    pub level: Level,
    /// Its world. Changes by other means than [`Rules::step`] make it another game.
    pub world: World,
    /// The rules' own state.
    pub rules: Rules,
}

impl Play {
    /// The beginning of the level at a place in [`levels::FILES`].
    ///
    /// # Errors
    ///
    /// In the same cases as [`Level::read`].
    pub fn new(index: usize) -> Result<Self, String> {
        let level = Level::read(index)?;
        let world = level.world()?;
        let rules = Rules::new(&level, &world)?;
        Ok(Self { level, world, rules })
    }

    /// Makes one step; see [`Rules::step`].
    pub fn step(&mut self, input: Input, executor: &dyn Executor) {
        self.rules.step(&mut self.world, input, executor);
    }

    /// A hash of all state that the next steps depend on.
    pub fn state_hash(&self) -> u64 {
        let mut hash = self.world.state_hash();
        for byte in self.rules.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        hash
    }

    /// The whole state as bytes, for [`Play::restore`].
    pub fn save(&self) -> Vec<u8> {
        let rules = self.rules.bytes();
        let mut bytes = vec![self.level.index as u8, rules.len() as u8];
        bytes.extend(rules);
        bytes.extend(self.world.save());
        bytes
    }

    /// Restores the level of a save.
    ///
    /// # Errors
    ///
    /// One line if the bytes are not a save of this game.
    pub fn restore(bytes: &[u8]) -> Result<Self, String> {
        let cut_off = || "a save of a level is cut off".to_owned();
        let (&[index, length], rest) = bytes.split_first_chunk().ok_or_else(cut_off)?;
        let (saved, world) = rest.split_at_checked(usize::from(length)).ok_or_else(cut_off)?;
        let level = Level::read(usize::from(index))?;
        let world = level.world_from(world)?;
        let mut rules = Rules::new(&level, &world)?;
        rules.read(saved).ok_or_else(cut_off)?;
        Ok(Self { level, world, rules })
    }
}

impl Rules {
    fn new(level: &Level, world: &World) -> Result<Self, String> {
        let find = |name: &str| {
            world
                .find(name)
                .ok_or_else(|| format!("no entity is called {name}"))
        };
        Ok(Self {
            pip: find("pip")?,
            nest: find("nest")?,
            cuts: level.cuts,
            bounds: [
                level.view.min.x - 2.0,
                level.view.max.x + 2.0,
                level.view.min.y - 2.0,
            ],
            pressed: None,
            cuts_used: 0,
            steps: 0,
            steps_in_nest: 0,
            steps_idle: 0,
            outcome: Outcome::Open,
            happened: Vec::new(),
        })
    }

    /// Makes one step of a sixtieth of a second. After the end of the level the world still advances, and input has no
    /// effect.
    pub fn step(&mut self, world: &mut World, input: Input, executor: &dyn Executor) {
        self.happened.clear();
        self.steps += 1;
        self.point(world, input);
        let (bombs, was_wet) = (bombs(world), self.is_wet(world));
        world.step_with(executor);
        self.listen(world, &bombs);
        if !was_wet && self.is_wet(world) {
            let place = world.pose(self.pip).map(|pose| pose.position);
            self.happened.extend(place.map(Happening::Splash));
        }
        if self.outcome == Outcome::Open {
            self.judge(world);
        }
    }

    /// Whether the level is open, won or lost.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// The number of strokes that cut something.
    pub fn cuts_used(&self) -> u32 {
        self.cuts_used
    }

    /// The number of steps since the beginning.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The entity of Pip.
    pub fn pip(&self) -> Entity {
        self.pip
    }

    /// The events of the last step.
    pub fn happened(&self) -> &[Happening] {
        &self.happened
    }

    /// Whether the pointer was down in the last step.
    pub fn is_pressed(&self) -> bool {
        self.pressed.is_some()
    }

    /// Gives up the stroke or tap that has begun.
    pub fn forget_press(&mut self) {
        self.pressed = None;
    }

    /// The stroke that would be made if the pointer were released there; `None` while it is not pressed.
    pub fn stroke_to(&self, at: Vec2) -> Option<(Vec2, Vec2)> {
        self.pressed
            .map(|from| (from, from + (at - from).clamp_length_max(STROKE_MAX)))
    }

    /// Stars for winning a level with a number of cuts: three for at most `par`, one at least.
    pub fn stars(cuts_used: u32, par: u32) -> u32 {
        3_u32.saturating_sub(cuts_used.saturating_sub(par)).max(1)
    }

    fn point(&mut self, world: &mut World, input: Input) {
        if input.down {
            self.pressed.get_or_insert(input.at);
            return;
        }
        let Some((from, to)) = self.stroke_to(input.at) else {
            return;
        };
        self.pressed = None;
        if self.outcome != Outcome::Open {
            return;
        }
        if from.distance(to) < TAP_MAX {
            self.tap(world, to);
        } else {
            self.cut(world, from, to);
        }
    }

    /// Toggles the nearest switch within reach.
    fn tap(&mut self, world: &mut World, at: Vec2) {
        let near = switches(world)
            .into_iter()
            .filter(|(_, place)| place.distance(at) < TAP_REACH);
        let nearest = near.min_by(|a, b| a.1.distance(at).total_cmp(&b.1.distance(at)));
        if let Some((entity, place)) = nearest {
            let path = text_of(world, entity, "switch.effect");
            let turned = !flag_of(world, entity, &path);
            if world.set(entity, &path, Value::Bool(turned)).is_ok() {
                self.steps_idle = 0;
                self.happened.push(Happening::Switched(place));
            }
        }
    }

    /// Cuts wood and ropes that the stroke crosses, and Pip if the stroke crosses it.
    fn cut(&mut self, world: &mut World, from: Vec2, to: Vec2) {
        let pip = world.pose(self.pip).map(|pose| pose.position);
        if pip.is_some_and(|pip| distance_to(pip, from, to) < 0.7 * PIP_RADIUS) {
            self.end(Outcome::Lost(Loss::Snipped));
            self.happened.push(Happening::Stroke { from, to, parted: 0 });
            return;
        }
        let mut parted = 0;
        if self.cuts_used < self.cuts {
            let filter = QueryFilter {
                mask: levels::WOOD | levels::ROPE,
                ..QueryFilter::default()
            };
            // A cut that is refused, such as one into more bodies than a world may have, changes nothing.
            let cuts = world.cut_through(Position::from(from), Position::from(to), filter);
            parted = cuts.map_or(0, |cuts| cuts.len());
        }
        if parted > 0 {
            self.cuts_used += 1;
            self.steps_idle = 0;
        }
        self.happened.push(Happening::Stroke { from, to, parted });
    }

    /// Records the events of the step that can be heard, and whether Pip touched thorns.
    fn listen(&mut self, world: &World, bombs: &[(Entity, Vec2)]) {
        for event in world.events() {
            match event {
                tombolo::Event::Hit {
                    point,
                    approach_speed,
                    ..
                } => {
                    self.happened
                        .push(Happening::Knock(point.to_vec2(), *approach_speed));
                }
                tombolo::Event::Despawned(entity) => {
                    let bomb = bombs.iter().find(|(bomb, _)| bomb == entity);
                    self.happened
                        .extend(bomb.map(|(_, place)| Happening::Bang(*place)));
                }
                tombolo::Event::BeginTouch(touch) => {
                    let other = if touch.a == self.pip { touch.b } else { touch.a };
                    let pip_is_in_it = touch.a == self.pip || touch.b == self.pip;
                    if pip_is_in_it && is(world, other, "thorns") && self.outcome == Outcome::Open {
                        self.end(Outcome::Lost(Loss::Thorns));
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether the center of Pip is in a fluid. The fluids of the levels are boxes.
    fn is_wet(&self, world: &World) -> bool {
        let fields: Option<&Dense<Field>> = world.entities().manager(FIELD);
        let (Some(fields), Some(pip)) = (fields, world.pose(self.pip)) else {
            return false;
        };
        fields.owners().zip(fields.values()).any(|((entity, _), field)| {
            let inside = world
                .pose(entity)
                .map(|pose| pose.inverse_transform_point(pip.position));
            let away = inside.map(|inside| (inside - field.geometry.position).abs());
            let half = 0.5 * field.geometry.size;
            field.action == FieldAction::Fluid && away.is_some_and(|away| away.x < half.x && away.y < half.y)
        })
    }

    /// Decides whether the level is won, or lost because Pip is gone or nothing moves any more.
    fn judge(&mut self, world: &World) {
        let Some(pose) = world.pose(self.pip) else {
            return self.end(Outcome::Lost(Loss::Fell));
        };
        let [left, right, bottom] = self.bounds;
        if pose.position.x < left || pose.position.x > right || pose.position.y < bottom {
            return self.end(Outcome::Lost(Loss::Fell));
        }
        let home = world.visitors_of(self.nest).contains(&self.pip);
        self.steps_in_nest = if home { self.steps_in_nest + 1 } else { 0 };
        if self.steps_in_nest >= STEPS_TO_WIN {
            return self.end(Outcome::Won);
        }
        let speed = world
            .body(self.pip)
            .map_or(0.0, |body| body.linear_velocity().length());
        let waits = self.cuts_used >= self.cuts && !home && speed < 0.5;
        self.steps_idle = if waits { self.steps_idle + 1 } else { 0 };
        if self.steps_idle >= STEPS_TO_GIVE_UP {
            self.end(Outcome::Lost(Loss::Stuck));
        }
    }

    fn end(&mut self, outcome: Outcome) {
        self.outcome = outcome;
        self.happened.push(Happening::Ended(outcome));
    }

    /// The state as bytes, in the order in which [`Rules::read`] reads it.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let outcome = match self.outcome {
            Outcome::Open => 0_u8,
            Outcome::Won => 1,
            Outcome::Lost(Loss::Snipped) => 2,
            Outcome::Lost(Loss::Thorns) => 3,
            Outcome::Lost(Loss::Fell) => 4,
            Outcome::Lost(Loss::Stuck) => 5,
        };
        bytes.push(outcome);
        bytes.extend(self.steps.to_le_bytes());
        for number in [self.cuts_used, self.steps_in_nest, self.steps_idle] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.push(u8::from(self.pressed.is_some()));
        let pressed = self.pressed.unwrap_or_default();
        bytes.extend(pressed.x.to_le_bytes());
        bytes.extend(pressed.y.to_le_bytes());
        bytes
    }

    fn read(&mut self, bytes: &[u8]) -> Option<()> {
        let (outcome, rest) = bytes.split_first_chunk::<1>()?;
        self.outcome = *[
            Outcome::Open,
            Outcome::Won,
            Outcome::Lost(Loss::Snipped),
            Outcome::Lost(Loss::Thorns),
            Outcome::Lost(Loss::Fell),
            Outcome::Lost(Loss::Stuck),
        ]
        .get(usize::from(outcome[0]))?;
        let (steps, mut rest) = rest.split_first_chunk()?;
        self.steps = u64::from_le_bytes(*steps);
        for number in [&mut self.cuts_used, &mut self.steps_in_nest, &mut self.steps_idle] {
            let (bytes, others) = rest.split_first_chunk()?;
            *number = u32::from_le_bytes(*bytes);
            rest = others;
        }
        let (pressed, rest) = rest.split_first_chunk::<1>()?;
        let (x, y) = rest.split_first_chunk()?;
        let at = Vec2::new(f32::from_le_bytes(*x), f32::from_le_bytes(*y.first_chunk()?));
        self.pressed = (pressed[0] == 1 && at.is_finite()).then_some(at);
        Some(())
    }
}

/// The switches and their positions, sorted by entity.
pub fn switches(world: &World) -> Vec<(Entity, Vec2)> {
    tagged(world, "switch")
}

fn bombs(world: &World) -> Vec<(Entity, Vec2)> {
    tagged(world, "bomb")
}

/// The entities that have a component of this name, with their positions, sorted by entity.
fn tagged(world: &World, component: &str) -> Vec<(Entity, Vec2)> {
    let with = world.names().filter(|(_, entity)| is(world, *entity, component));
    let mut places: Vec<(Entity, Vec2)> = with
        .filter_map(|(_, entity)| Some((entity, world.pose(entity)?.position)))
        .collect();
    places.sort_by_key(|(entity, _)| *entity);
    places
}

/// The distance of a point from a segment, in meters.
fn distance_to(point: Vec2, from: Vec2, to: Vec2) -> f32 {
    let way = to - from;
    let share = ((point - from).dot(way) / way.length_squared().max(1e-12)).clamp(0.0, 1.0);
    point.distance(from + way * share)
}
