//! A ball falls onto the ground: the shortest program with physics alone.
#![allow(clippy::print_stdout)]

use tombolo_physics::{BodyDef, PhysicsWorld, Shape, ShapeDef, Vec2, WorldDef};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = PhysicsWorld::new(&WorldDef::default())?;
    let ground = world.create_body(&BodyDef::fixed(0.0, -1.0))?;
    world.create_shape(ground, &ShapeDef::default(), &Shape::new_box(40.0, 2.0)?)?;
    let ball = world.create_body(&BodyDef::dynamic(0.0, 5.0))?;
    world.create_shape(ball, &ShapeDef::default(), &Shape::circle(Vec2::ZERO, 0.5)?)?;
    for _ in 0..120 {
        world.step(1.0 / 60.0)?;
    }
    println!(
        "the ball lies at {:?}",
        world.body(ball).ok_or("nobody destroyed it")?.position()
    );
    Ok(())
}
