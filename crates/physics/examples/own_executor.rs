//! Steps run on threads of one's own: an executor over `std::thread::scope`. The hash is that of one thread.
#![allow(clippy::print_stdout)]

use tombolo_physics::{BodyDef, PhysicsError, PhysicsWorld, Shape, ShapeDef, WorldDef};
use tombolo_threads::{Executor, Inline};

/// Starts its threads anew for each parallel stage: short to write, slow to run. A game hands the tasks to threads that
/// wait for them; `tombolo_threads::Pool` is such an executor.
struct Scoped {
    workers: usize,
}

impl Executor for Scoped {
    fn worker_count(&self) -> usize {
        self.workers
    }

    fn run(&self, task: &(dyn Fn(usize) + Sync)) {
        // A panic of a task reaches the caller when the scope ends.
        std::thread::scope(|scope| {
            for worker in 1..self.workers {
                scope.spawn(move || task(worker));
            }
            task(0);
        });
    }
}

/// A heap of 200 boxes.
fn heap() -> Result<PhysicsWorld, Box<dyn std::error::Error>> {
    let mut world = PhysicsWorld::new(&WorldDef::default())?;
    let ground = world.create_body(&BodyDef::fixed(0.0, -1.0))?;
    world.create_shape(ground, &ShapeDef::default(), &Shape::new_box(100.0, 2.0)?)?;
    let square = Shape::new_box(1.0, 1.0)?;
    for i in 0..200 {
        let (column, row) = (i % 20, i / 20);
        let body = world.create_body(&BodyDef::dynamic(
            1.1 * column as f32 - 11.0,
            1.0 + 1.2 * row as f32,
        ))?;
        world.create_shape(body, &ShapeDef::default(), &square)?;
    }
    Ok(world)
}

fn hash_after(world: &mut PhysicsWorld, executor: &dyn Executor) -> Result<u64, PhysicsError> {
    for _ in 0..60 {
        world.step_with(1.0 / 60.0, executor)?;
    }
    Ok(world.state_hash())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let alone = hash_after(&mut heap()?, &Inline)?;
    println!("workers  hash after 60 steps");
    println!("      1  {alone:016x}");
    for workers in [2, 4] {
        let hash = hash_after(&mut heap()?, &Scoped { workers })?;
        println!("      {workers}  {hash:016x}");
        assert_eq!(hash, alone, "the result does not depend on who does the work");
    }
    Ok(())
}
