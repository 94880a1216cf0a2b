//! Benchmark worlds, written once for every engine.
//!
//! What lives here: [`SCENES`], the ten worlds of Box2D's benchmark suite, its determinism test, and twelve control worlds
//! of our own, each as a builder that talks to a [`SceneTarget`] in this engine's own definition structs. The bench, the
//! tests, `tombolo run` and `tombolo verify` build the same worlds from here; another engine needs one adapter that
//! implements the trait.
//!
//! A scene is a pure function of its size and seed. Seed 0 is the exact scene; any other moves each body (or each
//! group of bodies that joints tie together) by up to 5 % of its size, so that a result can be shown not to hang on
//! one lucky arrangement. Scalars are computed in `f32` in the order in which the original computes them.
//!
//! Source of the facts: Box2D's `shared/benchmarks.c`, `shared/human.c` and `shared/determinism.c` (Erin Catto, MIT),
//! restated here as numbers.

mod controls;
mod drums;
mod heaps;
mod joints;
mod pyramids;
mod rain;
mod world;

use core::fmt;

use tombolo_physics::{
    BodyDef, BodyId, ChainDef, JointDef, PhysicsError, Shape, ShapeDef, ShapeError, Vec2, WorldDef,
};

/// Seconds of one step, of every scene.
pub const STEP_S: f32 = 1.0 / 60.0;
/// Substeps of one step, of every scene.
pub const SUBSTEPS: u32 = 4;

/// What a scene is built into: our world, another engine's, or a recorder.
pub trait SceneTarget {
    /// Adds a body without shapes.
    fn create_body(&mut self, def: &BodyDef) -> Result<BodyId, PhysicsError>;
    /// Adds a shape to a body that this target has given out.
    fn create_shape(&mut self, body: BodyId, def: &ShapeDef, shape: &Shape) -> Result<(), PhysicsError>;
    /// Adds a chain of one-sided segments to a body that this target has given out; each counts as a shape.
    fn create_chain(&mut self, body: BodyId, def: &ChainDef) -> Result<(), PhysicsError>;
    /// Ties two bodies together.
    fn create_joint(&mut self, def: &JointDef) -> Result<(), PhysicsError>;
    /// Removes a body with its shapes and joints.
    fn destroy_body(&mut self, body: BodyId) -> Result<(), PhysicsError>;
    /// Sets the velocity of a body's centre of mass, in metres per second.
    fn set_linear_velocity(&mut self, body: BodyId, velocity: Vec2) -> Result<(), PhysicsError>;
}

/// What a scene is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// One of the ten of Box2D's benchmark program, whose figures head every comparison.
    Published,
    /// A world of our own that nothing was tuned to, so that a lead can be shown not to hang on the ten.
    Control,
    /// A test of determinism, over too soon to be timed.
    Determinism,
}

/// One benchmark world.
pub struct SceneInfo {
    /// Its name on command lines, in tables and in golden files.
    pub name: &'static str,
    /// One line for people.
    pub description: &'static str,
    /// The size that the published figures are for.
    pub size: u32,
    /// What `size` counts.
    pub size_unit: &'static str,
    /// The largest size; beyond it the world leaves the range of coordinates or takes gigabytes.
    pub size_max: u32,
    /// A size that runs in well under a second, for tests.
    pub size_small: u32,
    /// How many steps the published figures are for.
    pub steps: u32,
    /// Metres per second squared.
    pub gravity: Vec2,
    /// Whether bodies may fall asleep.
    pub sleeping: bool,
    /// Whether every body should stay where it is put, so that any movement is an error of the solver.
    pub at_rest: bool,
    /// What it is for.
    pub suite: Suite,
    build: fn(&mut Builder<'_>, u32) -> Result<Motion, BuildError>,
}

/// Why a scene could not be built.
#[derive(Clone, Debug, PartialEq)]
pub enum BuildError {
    /// The size is 0 or larger than the scene takes.
    Size {
        /// The scene.
        scene: &'static str,
        /// What was asked for.
        got: u32,
        /// The largest that is possible.
        max: u32,
    },
    /// The target refused a definition.
    Target(PhysicsError),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size { scene, got, max } => {
                write!(f, "scene {scene} takes a size from 1 to {max}, not {got}")
            }
            Self::Target(error) => write!(f, "the world refused a part of the scene: {error}"),
        }
    }
}

impl core::error::Error for BuildError {}

impl From<PhysicsError> for BuildError {
    fn from(error: PhysicsError) -> Self {
        Self::Target(error)
    }
}

/// Every scene, in the order in which tables show them.
pub const SCENES: &[SceneInfo] = &[
    pyramids::LARGE_PYRAMID,
    pyramids::MANY_PYRAMIDS,
    drums::TUMBLER,
    joints::JOINT_GRID,
    heaps::COMPOUNDS,
    heaps::SMASH,
    heaps::JUNKYARD,
    drums::SPINNER,
    drums::WASHER,
    rain::RAIN,
    joints::FALLING_HINGES,
    controls::BALL_PIT,
    controls::MIXED_SIZES,
    controls::MIXER,
    controls::TERRAIN,
    controls::PLATE,
    controls::TOWERS,
    controls::DOMINOES,
    controls::BRIDGES,
    controls::GAS,
    controls::FREE_FALL,
    controls::PEGS,
    controls::ASLEEP,
];

/// The scenes of a suite.
///
/// ```
/// use tombolo::scenes::{self, Suite};
///
/// assert_eq!(scenes::of_suite(Suite::Published).count(), 10);
/// ```
pub fn of_suite(suite: Suite) -> impl Iterator<Item = &'static SceneInfo> {
    SCENES.iter().filter(move |scene| scene.suite == suite)
}

/// The scene of a name.
///
/// ```
/// let scene = tombolo::scenes::find("large_pyramid").unwrap();
/// assert_eq!((scene.size, scene.steps), (100, 500));
/// assert!(tombolo::scenes::find("no such scene").is_none());
/// ```
pub fn find(name: &str) -> Option<&'static SceneInfo> {
    SCENES.iter().find(|scene| scene.name == name)
}

impl SceneInfo {
    /// What to create a world of this engine from, for this scene.
    pub fn world_def(&self) -> WorldDef {
        WorldDef {
            gravity: self.gravity,
            sleeping: self.sleeping,
            substeps: SUBSTEPS,
            ..WorldDef::default()
        }
    }

    /// Builds the scene of a size into an empty target; gravity and sleeping are the target's to set beforehand.
    ///
    /// The result says what must happen before each step; see [`Motion::before_step`].
    ///
    /// ```
    /// use tombolo::physics::PhysicsWorld;
    /// use tombolo::scenes::{self, STEP_S};
    ///
    /// let scene = scenes::find("tumbler").unwrap();
    /// let mut world = PhysicsWorld::new(&scene.world_def())?;
    /// let mut motion = scene.build(scene.size_small, 0, &mut world)?;
    /// for step in 0..10 {
    ///     motion.before_step(step, &mut world)?;
    ///     world.step(STEP_S)?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The size is out of range, or the target refused a part.
    pub fn build(&self, size: u32, seed: u64, target: &mut dyn SceneTarget) -> Result<Motion, BuildError> {
        if size == 0 || size > self.size_max {
            return Err(BuildError::Size {
                scene: self.name,
                got: size,
                max: self.size_max,
            });
        }
        let random = (seed != 0).then(|| oorandom::Rand64::new(u128::from(seed)));
        (self.build)(
            &mut Builder {
                target,
                jitter: Jitter { random },
            },
            size,
        )
    }
}

/// What a scene does to its world between steps.
#[derive(Clone, Debug)]
pub enum Motion {
    /// Nothing.
    None,
    /// Junkyard: pushes a kinematic body to and fro.
    Pusher(heaps::Pusher),
    /// Rain: creates ragdolls, and later removes the oldest as it creates new ones.
    Rain(rain::Rain),
}

impl Motion {
    /// To be called before step number `step`, counted from 0.
    ///
    /// # Errors
    /// The target refused a part, or a body that the scene needs is gone.
    pub fn before_step(&mut self, step: u32, target: &mut dyn SceneTarget) -> Result<(), PhysicsError> {
        match self {
            Self::None => Ok(()),
            Self::Pusher(pusher) => pusher.before_step(step, target),
            Self::Rain(rain) => rain.before_step(step, target),
        }
    }
}

/// Moves bodies a little when the seed is not 0.
#[derive(Clone, Debug)]
struct Jitter {
    random: Option<oorandom::Rand64>,
}

impl Jitter {
    /// At most this share of a body's size.
    const SHARE: f32 = 0.05;

    /// A vector of up to 5 % of `size_m` along each axis; zero for seed 0.
    fn offset(&mut self, size_m: f32) -> Vec2 {
        let Some(random) = &mut self.random else {
            return Vec2::ZERO;
        };
        let mut component = || (random.rand_float() as f32 * 2.0 - 1.0) * Self::SHARE * size_m;
        Vec2::new(component(), component())
    }
}

/// The target, with what builders say again and again.
struct Builder<'a> {
    target: &'a mut dyn SceneTarget,
    jitter: Jitter,
}

impl Builder<'_> {
    /// A static body.
    fn ground(&mut self, x: f32, y: f32) -> Result<BodyId, PhysicsError> {
        self.target.create_body(&BodyDef::fixed(x, y))
    }

    /// A body of `def` displaced by jitter that fits a body of `size_m` metres.
    fn body(&mut self, def: BodyDef, size_m: f32) -> Result<BodyId, PhysicsError> {
        let position = def.position + self.jitter.offset(size_m);
        self.target.create_body(&BodyDef { position, ..def })
    }

    /// A dynamic body with one shape.
    fn piece(
        &mut self,
        x: f32,
        y: f32,
        size_m: f32,
        def: &ShapeDef,
        shape: &Shape,
    ) -> Result<BodyId, PhysicsError> {
        let body = self.body(BodyDef::dynamic(x, y), size_m)?;
        self.shape(body, def, shape)?;
        Ok(body)
    }

    /// A shape that reports no touches: the originals ask for none, and every report costs.
    fn shape(&mut self, body: BodyId, def: &ShapeDef, shape: &Shape) -> Result<(), PhysicsError> {
        self.target.create_shape(body, &quiet(def), shape)
    }

    /// As [`Self::shape`], for a chain.
    fn chain(&mut self, body: BodyId, def: &ChainDef) -> Result<(), PhysicsError> {
        let def = ChainDef {
            shape: quiet(&def.shape),
            ..def.clone()
        };
        self.target.create_chain(body, &def)
    }
}

/// The same without reports of touches.
fn quiet(def: &ShapeDef) -> ShapeDef {
    ShapeDef {
        contact_events: false,
        ..def.clone()
    }
}

/// A shape whose numbers are constants of a scene, so that a refusal is a mistake in this folder.
fn constant(shape: Result<Shape, ShapeError>) -> Shape {
    shape.expect("the scenes' own shapes are in range")
}

/// A rectangle of constant half extents about a constant centre.
fn rectangle_at(half_width: f32, half_height: f32, x: f32, y: f32) -> Shape {
    constant(Shape::rectangle_at(half_width, half_height, Vec2::new(x, y), 0.0))
}

/// A rectangle of constant half extents about the body's origin, turned by an angle in radians.
fn rectangle_turned(half_width: f32, half_height: f32, angle: f32) -> Shape {
    constant(Shape::rectangle_at(half_width, half_height, Vec2::ZERO, angle))
}

/// A rectangle of constant half extents about the body's origin.
fn rectangle(half_width: f32, half_height: f32) -> Shape {
    constant(Shape::rectangle(half_width, half_height))
}

/// The gravity of every scene but one.
const GRAVITY: Vec2 = Vec2::new(0.0, -10.0);
