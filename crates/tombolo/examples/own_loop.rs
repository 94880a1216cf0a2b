//! Drawing in a loop of one's own: steps of fixed length from real time, poses between two steps, and a picture of
//! characters where a game would have its renderer.
// The engine does not read the time and does not print; a game's own loop does.
#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use std::time::{Duration, Instant};
use tombolo::entity::Entity;
use tombolo::geometry::Vec2;
use tombolo::{Scene, Stepper, World};

const WIDTH: usize = 48;
const HEIGHT: usize = 12;

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
    let mut stepper = Stepper::new();
    let (mut last_frame, mut frames, mut steps) = (Instant::now(), 0, 0);
    while steps < 90 {
        let now = Instant::now();
        steps += stepper.advance(&mut world, now - last_frame, World::step);
        last_frame = now;
        // What is drawn lies between the last two steps, so motion is even at any frame rate.
        let position = |ball: &Entity| stepper.pose(&world, *ball).map(|pose| pose.position);
        let drawn: Vec<Vec2> = balls.iter().filter_map(position).collect();
        if frames % 48 == 0 {
            println!("step {steps}\n{}", draw(&drawn));
        }
        frames += 1;
        std::thread::sleep(Duration::from_millis(7)); // a display of 144 Hz
    }
    Ok(())
}
