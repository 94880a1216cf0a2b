//! [`World`]: a scene that runs. Here are its entities by name and its stepping; `build.rs` makes it from a scene.

mod build;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use tombolo_physics::{BodyId, PhysicsWorld};
use tombolo_threads::Executor;

use crate::error::SceneError;
use crate::scene::Scene;

/// One entity: its name and its body, if it has one.
#[derive(Clone, Debug)]
struct Entity {
    name: String,
    body: Option<BodyId>,
}

/// A running world: entities with names, and the physics that moves their bodies.
///
/// It is one owned value: a clone is a fork with the same future.
///
/// ```
/// use tombolo::{Scene, World};
/// let scene = Scene::parse(
///     "drop.ron",
///     r#"(
///         entities: {
///             "ground": {"body": Body(), "top": Collider(shape: Box(width: 20, height: 2), position: (0, -1))},
///             "ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5))},
///         },
///         place: [One(name: "ground", entity: "ground"), One(name: "ball", entity: "ball", at: (0, 3))],
///     )"#,
/// )?;
/// let mut world = World::from_scene(&scene)?;
/// for _ in 0..120 {
///     world.step();
/// }
/// let ball = world.body("ball").expect("the scene placed it");
/// let height = world.physics().body(ball).expect("nobody destroyed it").position().y;
/// assert!((height - 0.5).abs() < 0.01);
/// # Ok::<(), tombolo::SceneError>(())
/// ```
#[derive(Clone, Debug)]
pub struct World {
    physics: PhysicsWorld,
    /// In the order of the scene; a body's user key is its entity's place here.
    entities: Vec<Entity>,
    by_name: BTreeMap<String, usize>,
    step_seconds: f32,
}

impl World {
    /// Builds the world of a scene, in the order of the file: the same scene gives the same bits everywhere.
    ///
    /// # Errors
    /// What the scene's checks let through and physics refuses, such as more bodies than a world holds.
    pub fn from_scene(scene: &Scene) -> Result<Self, SceneError> {
        build::build(scene)
    }

    /// Advances the world by one step on the calling thread.
    pub fn step(&mut self) {
        self.step_with(&tombolo_threads::Inline);
    }

    /// Advances the world by one step with the workers of `executor`. The result does not depend on them.
    pub fn step_with(&mut self, executor: &dyn Executor) {
        let stepped = self.physics.step_with(self.step_seconds, executor);
        debug_assert!(
            stepped.is_ok(),
            "a scene's step is between 0.1 milliseconds and 1 second long"
        );
    }

    /// The length of a step in seconds.
    pub fn step_seconds(&self) -> f32 {
        self.step_seconds
    }

    /// The body of the entity with this name, if there is one.
    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.entities[*self.by_name.get(name)?].body
    }

    /// The name of the entity that a body belongs to, by the body's user key.
    pub fn name(&self, user_key: u64) -> Option<&str> {
        let index = usize::try_from(user_key).ok()?;
        self.entities.get(index).map(|entity| entity.name.as_str())
    }

    /// How many entities there are.
    pub fn entity_count(&self) -> usize {
        self.entities.len()
    }

    /// The physics: poses, contacts, events, queries, counters.
    pub fn physics(&self) -> &PhysicsWorld {
        &self.physics
    }

    /// The physics, to change it: forces, velocities, new bodies.
    pub fn physics_mut(&mut self) -> &mut PhysicsWorld {
        &mut self.physics
    }
}
