//! [`SceneInfo`]: a scene's name, sizes and builder.

use crate::builder::{Builder, Jitter};
use crate::motion::Motion;
use crate::target::{SUBSTEPS, SceneTarget};
use core::fmt;
use tombolo_physics::{PhysicsError, Vec2, WorldDef};

/// The gravity of every scene but one.
pub(crate) const GRAVITY: Vec2 = Vec2::new(0.0, -10.0);

/// The purpose of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// One of the ten of Box2D's benchmark program, whose figures are the first of every comparison.
    Published,
    /// A world of our own that the engine was not tuned to, so that a lead can be shown not to depend on the ten.
    HeldOut,
    /// Machines of joints of many kinds, not all of which every engine has.
    Joints,
    /// A test of determinism, too short to be timed.
    Determinism,
}

/// One benchmark world.
pub struct SceneInfo {
    /// Its name on command lines, in tables and in golden files.
    pub name: &'static str,
    /// A line of text for display.
    pub description: &'static str,
    /// The size that the published figures are for.
    pub size: u32,
    /// The unit of `size`: the objects that it counts.
    pub size_unit: &'static str,
    /// The largest size; beyond it the world leaves the range of coordinates or takes gigabytes.
    pub size_max: u32,
    /// A size that runs in well under a second, for tests.
    pub size_small: u32,
    /// The number of steps that the published figures are for.
    pub steps: u32,
    /// The gravity in meters per second squared.
    pub gravity: Vec2,
    /// Whether bodies may fall asleep.
    pub sleeping: bool,
    /// Whether every body should stay where it is put, so that any movement is an error of the solver.
    pub at_rest: bool,
    /// The suite of the scene.
    pub suite: Suite,
    pub(crate) build: fn(&mut Builder<'_>, u32) -> Result<Motion, BuildError>,
}

/// The reason why a scene could not be built.
#[derive(Clone, Debug, PartialEq)]
pub enum BuildError {
    /// The size is 0 or larger than the scene's limit.
    Size {
        /// The scene.
        scene: &'static str,
        /// The size that was requested.
        got: u32,
        /// The largest size of the scene.
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

impl SceneInfo {
    /// The definition of a world of this engine for this scene.
    pub fn world_def(&self) -> WorldDef {
        WorldDef {
            gravity: self.gravity,
            sleeping: self.sleeping,
            substeps: SUBSTEPS,
            ..WorldDef::default()
        }
    }

    /// Builds the scene of a size into an empty target; the caller sets the target's gravity and sleeping beforehand.
    ///
    /// The result makes the changes before each step; see [`Motion::before_step`].
    ///
    /// ```
    /// use tombolo_physics::PhysicsWorld;
    /// use tombolo_scenes::{self as scenes, STEP_S};
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
