//! A server without a window: messages of players come from other threads over a channel, each for a step. The server checks
//! them, puts them into the world's inbox, steps at its own rate, and tells each player what changes near that player. Ends
//! after two seconds of game time.
// The engine does not read the time and does not print; a game's own loop does.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tombolo::entity::{Entity, Value};
use tombolo::geometry::Vec2;
use tombolo::geometry::orthtree::Bounds;
use tombolo::threads::Pool;
use tombolo::{Command, InboxSender, Interest, ObserverId, Scene, World};

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

const NAMES: [&str; 2] = ["ann", "bob"];
/// The greatest speed that a player may ask for, in meters per second.
const SPEED_MAX: f32 = 10.0;
/// How far a player sees, in meters.
const SIGHT_M: f32 = 6.0;

/// What comes from a client: its player wants to move at this velocity from this step on.
struct Message {
    step: u64,
    player: usize,
    /// Counted by the client.
    number: u64,
    velocity: Vec2,
}

/// What the server has for a player.
struct Player {
    name: &'static str,
    entity: Entity,
    inbox: InboxSender,
    observer: ObserverId,
    /// What the client was told of and not yet told that it is gone.
    known: BTreeSet<Entity>,
    /// The poses that were sent so far.
    poses_sent: usize,
}

/// A client that sends three messages, as one on the network would.
fn play(player: usize, toward: f32, server: &mpsc::Sender<Message>) {
    for (number, step) in (0..).zip([10, 40, 70]) {
        let velocity = Vec2::new(8.0 * toward, 3.0);
        let message = Message {
            step,
            player,
            number,
            velocity,
        };
        if server.send(message).is_err() {
            return; // the server has ended
        }
    }
}

/// Makes a command of a message and puts it into the inbox, for the next step.
fn accept(player: &Player, number: u64, velocity: Vec2) {
    let command = Command::Set {
        entity: player.entity.into(),
        path: "body.linear_velocity".into(),
        value: Value::Vec2(velocity.clamp_length_max(SPEED_MAX)),
    };
    // A client that sends too much, or a number twice, loses commands of its own and nobody else's.
    if let Err(refused) = player.inbox.send_numbered(number, command) {
        println!("{}: {refused}", player.name);
    }
}

/// Sends a player what came near, what left, and the poses of what came or moved: here they are only counted.
fn tell(player: &mut Player, world: &World, interest: &Interest) -> Result<(), Box<dyn Error>> {
    for gone in interest.left(player.observer)? {
        player.known.remove(gone);
    }
    let moved = world.moved().iter();
    player.poses_sent += moved.filter(|entity| player.known.contains(*entity)).count();
    let came = interest.entered(player.observer)?;
    player.poses_sent += came.len();
    player.known.extend(came);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut world = World::from_scene(&Scene::parse("server.ron", SCENE)?)?;
    let pool = Pool::new(2)?;
    let mut interest = Interest::new();
    let mut players = Vec::new();
    for (key, name) in (0..).zip(NAMES) {
        players.push(Player {
            name,
            entity: world.find(name).ok_or("the scene places both players")?,
            inbox: world.inbox(key),
            observer: interest.add(Bounds::around([0.0, 0.0], SIGHT_M))?,
            known: BTreeSet::new(),
            poses_sent: 0,
        });
    }
    let (sender, received) = mpsc::channel();
    let bobs = sender.clone();
    let clients = [
        std::thread::spawn(move || play(0, 1.0, &sender)),
        std::thread::spawn(move || play(1, -1.0, &bobs)),
    ];
    let rate = Duration::from_secs_f32(world.step_seconds());
    let mut next = Instant::now();
    // By step: the inbox puts those of one step into an order that does not depend on how they arrived.
    let mut waiting: BTreeMap<u64, Vec<Message>> = BTreeMap::new();
    for step in 0..120 {
        for message in received.try_iter() {
            waiting.entry(message.step).or_default().push(message);
        }
        while let Some(due) = waiting.first_entry()
            && *due.key() <= step
        {
            for message in due.remove() {
                accept(&players[message.player], message.number, message.velocity);
            }
        }
        world.step_with(&pool);
        for player in &players {
            let place = world.pose(player.entity).ok_or("no player ends")?.position;
            interest.set_area(player.observer, Bounds::around(place.to_array(), SIGHT_M))?;
        }
        interest.update(world.space());
        for player in &mut players {
            tell(player, &world, &interest)?;
        }
        if (step + 1) % 30 == 0 {
            println!("step {:3}  hash {:016x}", step + 1, world.state_hash());
        }
        next += rate;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    for client in clients {
        client.join().map_err(|_| "a client panicked")?;
    }
    for player in &players {
        println!(
            "{} knows {} entities and was sent {} poses",
            player.name,
            player.known.len(),
            player.poses_sent
        );
    }
    println!("a save of the last step has {} bytes", world.save().len());
    Ok(())
}
