//! A ball falls onto the ground: the shortest program with entities and a scene.
#![allow(clippy::print_stdout)]

use tombolo::{Scene, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::from_scene(&Scene::parse("hello.ron", include_str!("hello_world.ron"))?)?;
    for _ in 0..120 {
        world.step();
    }
    let ball = world.find("ball").ok_or("the scene places it")?;
    println!(
        "the ball lies at {:?}",
        world.pose(ball).ok_or("it lives")?.position
    );
    Ok(())
}
