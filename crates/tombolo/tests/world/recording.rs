//! The physics of a world is recorded whatever the world does: scripts, commands, calls that are refused, going back in time.

use tombolo::entity::Value;
use tombolo::geometry::Pose;
use tombolo::physics::{RecordOptions, Recording, Rewind, RewindLimits, Vec2};
use tombolo::threads::Pool;
use tombolo::{Command, EntityRef, Scene, World};

use crate::yard;

/// Plays what was recorded of the world's physics, and compares.
fn check(world: &mut World, file: Vec<u8>) {
    let mut file = file;
    file.extend(world.physics_mut().end_recording());
    let recording = Recording::open(file).unwrap();
    let pool = Pool::with_thread_for_each(3).unwrap();
    let mut player = recording.player().unwrap();
    while player.play_step(&pool).unwrap() {}
    assert_eq!(player.first_difference(), None);
    assert!(player.world().save() == world.physics().save());
}

#[test]
fn going_back_and_refused_calls_are_recorded_with_the_physics_of_a_world() {
    let mut world = yard();
    let options = RecordOptions {
        hash_steps: 1,
        ..RecordOptions::default()
    };
    world.physics_mut().start_recording(options);
    let mut rewind = Rewind::new(RewindLimits::default());
    let safe = world.find("safe").unwrap();
    let mut file = Vec::new();
    let mut saved = Vec::new();
    for step in 0..120 {
        match step % 20 {
            1 => world
                .set(safe, "body.linear_velocity", Value::Vec2(Vec2::new(3.0, 2.0)))
                .unwrap(),
            3 => saved = world.save(),
            5 => drop(rewind.save(&mut world)),
            7 => world
                .teleport(safe, Pose::new(Vec2::new(step as f32 * 0.1, 9.0), 1.0))
                .unwrap(),
            // Changes some, then is refused and changes nothing.
            9 => assert!(
                world
                    .set(safe, "transform.position", Value::Vec2(Vec2::splat(1.0e30)))
                    .is_err()
            ),
            11 => drop(world.inbox(1).send(Command::Despawn(EntityRef::from("no such")))),
            13 if step > 60 => world.restore(&saved).unwrap(),
            15 if step < 60 => {
                let frame = rewind.ids().next_back().unwrap();
                rewind.restore(&mut world, frame).unwrap();
            }
            17 => file.extend(world.physics_mut().take_recording()),
            _ => {}
        }
        world.step();
    }
    check(&mut world, file);
}

#[test]
fn scenes_with_scripts_and_joints_play_as_they_ran() {
    for text in [
        include_str!("../../../cli/scenes/orchard.ron"),
        include_str!("../../../cli/scenes/machines.ron"),
        include_str!("../../../cli/scenes/fluids.ron"),
    ] {
        let mut world = World::from_scene(&Scene::parse("scene.ron", text).unwrap()).unwrap();
        world.physics_mut().start_recording(RecordOptions::default());
        (0..150).for_each(|_| world.step());
        check(&mut world, Vec::new());
    }
}
