//! A game that predicts the inputs of other players, and rolls back when a prediction was wrong: eight frames are
//! repeated in every frame, as in a session over a network, and the world ends the same as in a straight run.
#![allow(clippy::print_stdout)]

use bevy_app::{App, TaskPoolPlugin};
use bevy_ecs::prelude::Entity;
use bevy_math::Vec2;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_tombolo::{Body, Collider, Forces, Physics, Rollback, StableKey, TomboloPlugin};
use bevy_transform::components::Transform;

const FRAMES: usize = 120;
const WINDOW: usize = 8;

/// The input of the other player in a frame.
fn input(frame: usize) -> f32 {
    [-1.0, 0.0, 1.0, 0.5][(frame / 9 * 7 + frame / 4) % 4]
}

struct Game {
    app: App,
    player: Entity,
}

impl Game {
    fn new() -> Self {
        let mut app = App::new();
        app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TomboloPlugin::default()))
            .insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
        app.update();
        let world = app.world_mut();
        world.spawn((StableKey(0), Body::Static, Collider::rectangle(100.0, 2.0)));
        let at = Transform::from_xyz(0.0, 1.6, 0.0);
        let player = world
            .spawn((StableKey(1), Body::Dynamic, Collider::circle(0.5), at))
            .id();
        for i in 0..40 {
            let at = Transform::from_xyz(2.0 + (i % 5) as f32, 1.6 + (i / 5) as f32, 0.0);
            world.spawn((StableKey(2 + i), Body::Dynamic, Collider::rectangle(0.9, 0.9), at));
        }
        // A snapshot contains the entities' bodies as of that moment: nothing is saved before the first step has made
        // them.
        app.update();
        Self { app, player }
    }

    fn frame(&mut self, input: f32) {
        let mut player = self.app.world_mut().entity_mut(self.player);
        player.insert(Forces {
            force: Vec2::new(40.0 * input, 0.0),
            ..Forces::default()
        });
        self.app.update();
    }

    fn hash(&self) -> u64 {
        self.app.world().resource::<Physics>().world().state_hash()
    }
}

fn main() {
    let mut straight = Game::new();
    (0..FRAMES).for_each(|frame| straight.frame(input(frame)));

    let mut guessing = Game::new();
    let mut saves = Vec::new();
    for frame in 0..FRAMES {
        // The inputs of the last frames have arrived: restore the state before them, and repeat the frames with the
        // right inputs.
        let first = frame.saturating_sub(WINDOW);
        if let Some(save) = saves.get(first) {
            guessing.app.world_mut().restore_physics(save);
            saves.truncate(first);
        }
        for again in first..frame {
            saves.push(guessing.app.world_mut().save_physics());
            guessing.frame(input(again));
        }
        // The input of this frame has not arrived: the guess is that the other player repeats the last one.
        saves.push(guessing.app.world_mut().save_physics());
        guessing.frame(input(frame.saturating_sub(1)));
    }
    guessing.app.world_mut().restore_physics(&saves[FRAMES - 1]);
    guessing.frame(input(FRAMES - 1));

    println!(
        "straight {:016x}, after {FRAMES} times going back {:016x}",
        straight.hash(),
        guessing.hash()
    );
    assert_eq!(straight.hash(), guessing.hash());
}
