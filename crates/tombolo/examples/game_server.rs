//! A server without a window: players' commands come from other threads over a channel, each for a step; the world steps
//! at its own rate, and what a client needs to follow goes out as a hash. Ends after two seconds of game time.
// The engine does not read the time and does not print; a game's own loop does.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tombolo::entity::Value;
use tombolo::geometry::Vec2;
use tombolo::threads::Pool;
use tombolo::{Scene, World};

const SCENE: &str = r#"(
    entities: {
        "ground": {"body": Body(), "top": Collider(shape: Box(width: 60, height: 2))},
        "player": {"body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 0.5))},
        "crate": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1))},
    },
    place: [
        One(name: "ground", entity: "ground", at: (0, -1)),
        One(name: "ann", entity: "player", at: (-8, 0.5)),
        One(name: "bob", entity: "player", at: (8, 0.5)),
        Row(name: "wall", entity: "crate", at: (0, 0.5), count: 5, step: (0, 1)),
    ],
)"#;

/// What a player wants: to move at this speed from this step on.
struct Command {
    step: u64,
    player: &'static str,
    velocity: Vec2,
}

/// A player who sends three commands, as a client on the network would.
fn play(player: &'static str, toward: f32, sender: &mpsc::Sender<Command>) {
    for step in [10, 40, 70] {
        let velocity = Vec2::new(8.0 * toward, 3.0);
        let command = Command {
            step,
            player,
            velocity,
        };
        if sender.send(command).is_err() {
            return; // the server has ended
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::from_scene(&Scene::parse("server.ron", SCENE)?)?;
    let pool = Pool::new(2)?;
    let (sender, received) = mpsc::channel();
    let bobs = sender.clone();
    let clients = [
        std::thread::spawn(move || play("ann", 1.0, &sender)),
        std::thread::spawn(move || play("bob", -1.0, &bobs)),
    ];
    let rate = Duration::from_secs_f32(world.step_seconds());
    let mut next = Instant::now();
    // By step and player: in which order they arrived must not show in the world.
    let mut waiting = BTreeMap::new();
    for step in 0..120 {
        waiting.extend(
            received
                .try_iter()
                .map(|command| ((command.step, command.player), command.velocity)),
        );
        while let Some(entry) = waiting.first_entry()
            && entry.key().0 <= step
        {
            let ((_, player), velocity) = entry.remove_entry();
            let entity = world.find(player).ok_or("the scene places both players")?;
            world.set(entity, "body.linear_velocity", Value::Vec2(velocity))?;
        }
        world.step_with(&pool);
        if (step + 1) % 30 == 0 {
            println!("step {:3}  hash {:016x}", step + 1, world.state_hash());
        }
        next += rate;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    for client in clients {
        client.join().map_err(|_| "a client panicked")?;
    }
    println!("a save of the last step has {} bytes", world.save().len());
    Ok(())
}
