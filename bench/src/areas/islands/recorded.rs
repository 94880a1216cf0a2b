//! Traces recorded from worlds that are built and stepped for the purpose, with sleeping off.

use std::path::Path;

use anyhow::Context;
use tombolo::{Scene, World};
use tombolo_bench_designs::islands::{IslandRecorder, Trace};
use tombolo_physics::{BodyDef, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef};
use tombolo_scenes as scenes;
use tombolo_threads::Pool;

use super::traces::Case;

const DT: f32 = 1.0 / 60.0;

/// `count` pyramids of base 10 on one floor, from their first touch.
pub(super) fn pyramids(count: u32, steps: usize) -> anyhow::Result<Trace> {
    let mut recorder = Recorder::new()?;
    let floor = recorder.world.create_body(&BodyDef::fixed(0.0, -1.0))?;
    let half_width = count as f32 * 6.0 + 10.0;
    recorder.world.create_shape(
        floor,
        &ShapeDef::default(),
        &Shape::new_box(2.0 * half_width, 2.0)?,
    )?;
    for pyramid in 0..count {
        let middle = pyramid as f32 * 12.0 - half_width + 10.0;
        for row in 0..10 {
            for place in 0..10 - row {
                let x = middle + (place as f32 - (9 - row) as f32 / 2.0) * 1.05;
                recorder.add_box(x, 0.5 + row as f32, 0.5)?;
            }
        }
    }
    recorder.record(steps)
}

/// `side`² boxes in a hollow square that rotates.
pub(super) fn tumbler(side: u32, steps: usize) -> anyhow::Result<Trace> {
    let mut recorder = Recorder::new()?;
    let reach = side as f32 * 0.32;
    let drum = BodyDef {
        angular_velocity: 0.44,
        ..BodyDef::kinematic(0.0, 0.0)
    };
    let drum = recorder.world.create_body(&drum)?;
    for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let half = if x == 0.0 {
            [reach + 0.5, 0.25]
        } else {
            [0.25, reach + 0.5]
        };
        let wall = Shape::box_at(
            2.0 * half[0],
            2.0 * half[1],
            Vec2::new(x, y) * (reach + 0.25),
            0.0,
        )?;
        recorder.world.create_shape(drum, &ShapeDef::default(), &wall)?;
    }
    for index in 0..side * side {
        let at = |index: u32| (index as f32 - (side - 1) as f32 / 2.0) * 0.4;
        recorder.add_box(at(index % side), at(index / side), 0.125)?;
    }
    recorder.record(steps)
}

/// `side`² boxes that fall into a bin, and end as one pile.
pub(super) fn pile(side: u32, steps: usize) -> anyhow::Result<Trace> {
    let mut recorder = Recorder::new()?;
    let bin = recorder.world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    let half_width = side as f32 * 0.6;
    let height = side as f32 * 1.5;
    let walls = [
        ([half_width + 1.0, 0.5], Vec2::new(0.0, -0.5)),
        ([0.5, height], Vec2::new(-half_width - 0.5, height)),
        ([0.5, height], Vec2::new(half_width + 0.5, height)),
    ];
    for (half, center) in walls {
        let wall = Shape::box_at(2.0 * half[0], 2.0 * half[1], center, 0.0)?;
        recorder.world.create_shape(bin, &ShapeDef::default(), &wall)?;
    }
    for index in 0..side * side {
        let (column, row) = (index % side, index / side);
        // Every other row is shifted, so that boxes fall between two others and tumble.
        let shift = if row % 2 == 0 { -0.25 } else { 0.25 };
        let x = (column as f32 - (side - 1) as f32 / 2.0) * 1.15 + shift;
        recorder.add_box(x, 0.6 + row as f32 * 1.1, 0.5)?;
    }
    recorder.record(steps)
}

/// One of the engine's scenes at its published size, or its smallest with `smoke`.
pub(super) fn scene(name: &str, smoke: bool, steps: usize) -> anyhow::Result<Trace> {
    let scene = scenes::find(name).with_context(|| format!("there is no scene {name}"))?;
    let def = WorldDef {
        sleeping: false,
        ..scene.world_def()
    };
    let mut recorder = Recorder::with(&def)?;
    let size = if smoke { scene.size_small } else { scene.size };
    let mut motion = scene.build(size, 0, &mut recorder.world)?;
    for step in 0..steps as u32 {
        motion.before_step(step, &mut recorder.world)?;
        recorder.step()?;
    }
    Ok(recorder.recorder.finish())
}

/// A scene file, for 600 steps.
pub(super) fn scene_file(path: &Path) -> anyhow::Result<Case> {
    let mut world = World::from_scene(&Scene::load(path)?)?;
    world.physics_mut().set_sleeping_enabled(false);
    let pool = Pool::new(2)?;
    let mut recorder = IslandRecorder::default();
    for _ in 0..600 {
        world.step_with(&pool);
        recorder.record(world.physics(), world.step_seconds());
    }
    let name = path.file_stem().unwrap_or(path.as_os_str());
    Ok(Case {
        name: name.to_string_lossy().into_owned(),
        trace: recorder.finish(),
    })
}

struct Recorder {
    world: PhysicsWorld,
    recorder: IslandRecorder,
    pool: Pool,
}

impl Recorder {
    fn new() -> anyhow::Result<Self> {
        Self::with(&WorldDef {
            sleeping: false,
            ..WorldDef::default()
        })
    }

    fn with(def: &WorldDef) -> anyhow::Result<Self> {
        Ok(Self {
            world: PhysicsWorld::new(def)?,
            recorder: IslandRecorder::default(),
            pool: Pool::new(2)?,
        })
    }

    fn add_box(&mut self, x: f32, y: f32, half: f32) -> anyhow::Result<()> {
        let body = self.world.create_body(&BodyDef::dynamic(x, y))?;
        self.world.create_shape(
            body,
            &ShapeDef::default(),
            &Shape::new_box(2.0 * half, 2.0 * half)?,
        )?;
        Ok(())
    }

    fn record(mut self, steps: usize) -> anyhow::Result<Trace> {
        for _ in 0..steps {
            self.step()?;
        }
        Ok(self.recorder.finish())
    }

    fn step(&mut self) -> anyhow::Result<()> {
        self.world.step_with(DT, &self.pool)?;
        self.recorder.record(&self.world, DT);
        Ok(())
    }
}
