//! Drawing in a loop of one's own: steps of fixed length from real time, poses between two steps, and a picture of
//! characters where a game would have its renderer.
// The engine does not read the time and does not print; a game's own loop does.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use std::time::{Duration, Instant};
use tombolo::entity::Entity;
use tombolo::geometry::Vec2;
use tombolo::{Scene, World};

const WIDTH: usize = 48;
const HEIGHT: usize = 12;

/// Longer gaps are not caught up with: a game that was stopped for a minute does not run for a minute without a frame.
const CATCH_UP_MAX: Duration = Duration::from_millis(250);

const SCENE: &str = r#"(
    materials: {"rubber": (restitution: 0.8)},
    entities: {
        "ground": {"body": Body(), "top": Collider(shape: Box(width: 60, height: 2), material: "rubber")},
        "ball": {"body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 0.5), material: "rubber")},
    },
    place: [
        One(name: "ground", entity: "ground", at: (0, -1)),
        Row(name: "ball", entity: "ball", at: (-20, 5), count: 6, step: (8, 1)),
    ],
)"#;

/// The positions of the balls.
fn positions(world: &World, balls: &[Entity]) -> Vec<Vec2> {
    let position = |ball: &Entity| world.pose(*ball).map(|pose| pose.position);
    balls.iter().filter_map(position).collect()
}

/// The picture of balls at these positions: a meter is a column, and a row.
fn draw(balls: &[Vec2]) -> String {
    let mut rows = vec![vec![' '; WIDTH]; HEIGHT];
    rows[HEIGHT - 1].fill('=');
    for ball in balls {
        let (column, row) = (ball.x + WIDTH as f32 / 2.0, HEIGHT as f32 - 1.0 - ball.y);
        if (0.0..WIDTH as f32).contains(&column) && (0.0..HEIGHT as f32).contains(&row) {
            rows[row as usize][column as usize] = 'o';
        }
    }
    let lines: Vec<String> = rows.into_iter().map(String::from_iter).collect();
    lines.join("\n")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::from_scene(&Scene::parse("balls.ron", SCENE)?)?;
    let named = world.names().filter(|(name, _)| name.starts_with("ball"));
    let balls: Vec<Entity> = named.map(|(_, entity)| entity).collect();
    let step = Duration::from_secs_f32(world.step_seconds());
    let (mut last_frame, mut unspent, mut steps) = (Instant::now(), Duration::ZERO, 0);
    let (mut before, mut now) = (positions(&world, &balls), positions(&world, &balls));
    let mut frames = 0;
    while steps < 90 {
        unspent += last_frame.elapsed().min(CATCH_UP_MAX);
        last_frame = Instant::now();
        while unspent >= step {
            unspent -= step;
            world.step();
            steps += 1;
            before = core::mem::replace(&mut now, positions(&world, &balls));
        }
        // What is drawn lies between the last two steps, so motion is even at any frame rate.
        let share = unspent.as_secs_f32() / step.as_secs_f32();
        let drawn: Vec<Vec2> = before.iter().zip(&now).map(|(a, b)| a.lerp(*b, share)).collect();
        if frames % 48 == 0 {
            println!("step {steps}\n{}", draw(&drawn));
        }
        frames += 1;
        std::thread::sleep(Duration::from_millis(7)); // a display of 144 Hz
    }
    Ok(())
}
