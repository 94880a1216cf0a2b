//! A character runs through a level of tiles: over slopes, up onto a platform that lets it through from below, to the
//! flag. No window: a bot plays, and the way is printed.
#![allow(clippy::print_stdout)]

use std::time::Duration;

use bevy_app::prelude::*;
use bevy_app::{ScheduleRunnerPlugin, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use bevy_time::{Fixed, Time, TimePlugin};
use bevy_tombolo::physics::{ANY_MATERIAL, ContactRule, ShapeDef, Tile, TileGridDef, TileShape};
use bevy_tombolo::{
    Body, Character, CharacterControl, CharacterState, Collider, ContactRules, Sensor, SensorEntered,
    TileGrid, TomboloPlugin,
};
use bevy_transform::components::Transform;

/// The level, the uppermost row first: ground, slopes, planks.
const ROWS: [&str; 5] = [
    "#                              #",
    "#                   ====       #",
    "#                              #",
    "#      /##\\        #           #",
    "################################",
];

/// The material of planks.
const PLANK: u32 = 1;

fn main() {
    App::new()
        .add_plugins((
            TaskPoolPlugin::default(),
            TimePlugin,
            ScheduleRunnerPlugin::run_loop(Duration::from_millis(1)),
            TomboloPlugin::default(),
        ))
        .add_systems(Startup, build)
        .add_systems(FixedUpdate, (play, end).chain())
        .run();
}

/// The kinds of tiles, in the order of their numbers from 1.
fn tiles() -> Vec<Tile> {
    let plank = ShapeDef {
        material: PLANK,
        ..ShapeDef::default()
    };
    let plank = Tile {
        shape: TileShape::TopHalf,
        def: plank,
    };
    vec![
        Tile::new(TileShape::Full),
        Tile::new(TileShape::SlopeUp),
        Tile::new(TileShape::SlopeDown),
        plank,
    ]
}

fn build(mut commands: Commands, mut rules: ResMut<ContactRules>) -> Result {
    let cell = |letter: char| " #/\\=".find(letter).unwrap_or(0) as u8;
    let level = TileGridDef {
        width: ROWS[0].len() as u32,
        height: ROWS.len() as u32,
        tiles: tiles(),
        cells: ROWS.iter().rev().flat_map(|row| row.chars().map(cell)).collect(),
        ..TileGridDef::default()
    };
    commands.spawn(TileGrid::new(level));
    let one_way = ContactRule {
        one_way: Some(Vec2::Y),
        ..ContactRule::default()
    };
    rules.set_contact_rule(PLANK, ANY_MATERIAL, one_way);
    let skin = Collider::rectangle(0.6, 1.4);
    let start = Transform::from_xyz(3.0, 2.0, 0.0);
    commands.spawn((Character::upright(1.5, 0.3)?, skin, start));
    let flag = Transform::from_xyz(29.0, 2.0, 0.0);
    commands.spawn((Body::Static, Collider::rectangle(0.5, 2.0), Sensor, flag));
    Ok(())
}

/// Runs to the right, and jumps where a wall is in the way, or a plank above.
fn play(time: Res<Time<Fixed>>, hero: Single<(&mut CharacterControl, &CharacterState)>) {
    let (mut control, state) = hero.into_inner();
    let place = state.state().position.to_vec2();
    let at_wall = state.touches().iter().any(|touch| touch.normal.x < -0.9);
    control.0.walk = 5.0;
    if state.is_grounded() && at_wall {
        control.0.jump = 8.0;
        println!("{:5.2} s: jumps at {place}", time.elapsed_secs());
    }
}

fn end(
    mut flags: MessageReader<SensorEntered>,
    mut exit: MessageWriter<AppExit>,
    time: Res<Time<Fixed>>,
    hero: Single<(Entity, &CharacterState)>,
) {
    let (hero, state) = *hero;
    let place = state.state().position.to_vec2();
    if flags.read().any(|entered| entered.other_body == hero) {
        println!("{:5.2} s: at the flag, {place}", time.elapsed_secs());
        exit.write(AppExit::Success);
    } else if time.elapsed_secs() > 20.0 {
        println!("it did not get there: {place}");
        exit.write(AppExit::error());
    }
}
