//! Runs the benchmark scenes in Tombolo, with rays, characters and tiles in `walk.rs`, single calls in `calls.rs`.

mod calls;
mod walk;

use std::process::ExitCode;

use glam::Vec2;
use tombolo::physics::{
    BodyDef, BodyId, BodyKind, ChainDef, Character, JointDef, LaneWidth, PhysicsError, PhysicsWorld, RayHit,
    Shape, ShapeDef, Stage, TileGridId, WorldDef,
};
use tombolo_bench_protocol::{BodyMotion, Counts, Engine, Setting};
use tombolo_scenes::{STEP_S, SUBSTEPS, SceneTarget};
use tombolo_threads::{Executor, Inline, Pool};

fn main() -> ExitCode {
    tombolo_bench_protocol::calls::run::<Tombolo>()
}

/// One world and its executor.
struct Tombolo {
    world: PhysicsWorld,
    /// The few kinematic bodies, which are among the awake ones that the world counts.
    kinematic: Vec<BodyId>,
    executor: Box<dyn Executor>,
    /// The hits of rays, kept to reuse the memory.
    hits: Vec<Option<RayHit>>,
    /// The characters of the walkers, by place.
    characters: Vec<Character>,
    /// The grid of tiles.
    tiles: Option<TileGridId>,
    shapes: calls::Shapes,
}

impl Engine for Tombolo {
    fn name() -> String {
        if cfg!(feature = "four-lanes") {
            "Tombolo (four lanes)"
        } else {
            "Tombolo"
        }
        .to_owned()
    }

    fn new(setting: &Setting, threads: usize) -> Result<Self, String> {
        let executor: Box<dyn Executor> = match threads {
            1 => Box::new(Inline),
            _ => Box::new(Pool::new(threads).map_err(|error| error.to_string())?),
        };
        let def = WorldDef {
            gravity: setting.gravity,
            sleeping: setting.sleeping,
            substeps: SUBSTEPS,
            ..WorldDef::default()
        };
        let mut world = PhysicsWorld::new(&def).map_err(|error| error.to_string())?;
        if cfg!(feature = "four-lanes") {
            world
                .set_lanes(LaneWidth::Four)
                .map_err(|error| error.to_string())?;
        }
        Ok(Self {
            world,
            kinematic: Vec::new(),
            executor,
            hits: Vec::new(),
            characters: Vec::new(),
            tiles: None,
            shapes: calls::Shapes::new(),
        })
    }

    fn step(&mut self) {
        self.world
            .step_with(STEP_S, &*self.executor)
            .expect("the step's length is a constant in range");
    }

    fn measure_stages(&mut self) {
        self.world.set_profiling(true);
    }

    fn stages(&self) -> Vec<(&'static str, f64)> {
        let profile = self.world.profile();
        Stage::ALL
            .map(|stage| (stage.name(), profile.seconds(stage) * 1e3))
            .to_vec()
    }

    fn motion(&self, body: BodyId) -> BodyMotion {
        let body = self.world.body(body).expect("the roster holds living bodies");
        let rotation = body.rotation();
        BodyMotion::new(
            body.position().to_vec2(),
            [rotation.cos, rotation.sin],
            body.linear_velocity(),
            body.angular_velocity(),
        )
    }

    fn counts(&self) -> Counts {
        let counters = self.world.counters();
        let is_awake = |&body: &BodyId| self.world.body(body).is_some_and(|body| body.is_awake());
        let kinematic = self.kinematic.iter().filter(|body| is_awake(body));
        Counts {
            bodies: counters.bodies,
            shapes: counters.shapes,
            joints: counters.joints,
            contacts: Some(counters.contacts),
            awake: counters.awake_bodies - kinematic.count(),
        }
    }
}

impl SceneTarget for Tombolo {
    fn create_body(&mut self, def: &BodyDef) -> Result<BodyId, PhysicsError> {
        let body = self.world.create_body(def)?;
        if def.kind == BodyKind::Kinematic {
            self.kinematic.push(body);
        }
        Ok(body)
    }

    fn create_shape(&mut self, body: BodyId, def: &ShapeDef, shape: &Shape) -> Result<(), PhysicsError> {
        self.world.create_shape(body, def, shape).map(|_| ())
    }

    fn create_chain(&mut self, body: BodyId, def: &ChainDef) -> Result<(), PhysicsError> {
        self.world.create_chain(body, def).map(|_| ())
    }

    fn create_joint(&mut self, def: &JointDef) -> Result<(), PhysicsError> {
        self.world.create_joint(def.clone()).map(|_| ())
    }

    fn destroy_body(&mut self, body: BodyId) -> Result<(), PhysicsError> {
        self.world.destroy_body(body)
    }

    fn set_linear_velocity(&mut self, body: BodyId, velocity: Vec2) -> Result<(), PhysicsError> {
        SceneTarget::set_linear_velocity(&mut self.world, body, velocity)
    }
}
