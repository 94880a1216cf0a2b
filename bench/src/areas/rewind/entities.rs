//! Frames of a world of entities, beside full saves of the same world.

use std::fmt::Write;
use std::hint::black_box;

use tombolo::{Scene, World};

use super::{Run, Times};

/// Steps in which most columns fall asleep.
const SETTLING_STEPS: usize = 200;

/// Boxes in columns of ten, each an entity, of which one column in a hundred never sleeps: a frame after each step, and the
/// way back to it.
pub(super) fn frames(columns: u32, steps: usize, run: &mut Run) -> anyhow::Result<()> {
    let mut world = World::from_scene(&Scene::parse("columns.ron", &scene(columns))?)?;
    (0..SETTLING_STEPS).for_each(|_| world.step());
    let awake = world.physics().counters().awake_bodies;
    anyhow::ensure!(
        awake == 10 * columns.div_ceil(100) as usize,
        "{awake} bodies are awake"
    );
    let case = format!("{} entities, {awake} awake", 10 * columns);
    let [mut frame, mut save, mut clone, mut back, mut restore] = [const { Times(Vec::new()) }; 5];
    world.frame();
    for index in 0..steps {
        world.step();
        let saved = frame.add(|| world.frame());
        if index % 4 == 0 {
            let hash = world.state_hash();
            world.step();
            back.add(|| world.restore_frame(&saved));
            anyhow::ensure!(world.state_hash() == hash, "a frame is another world");
        }
        if index % 20 == 0 {
            clone.add(|| black_box(world.clone().physics().step_index()));
            let bytes = save.add(|| world.save());
            let mut other = world.clone();
            restore.add(|| other.restore(&bytes))?;
        }
    }
    let (frame_us, back_us) = (frame.median_us(), back.median_us());
    let save = Some(("full save", save.median_us()));
    let clone = Some(("clone", clone.median_us()));
    let restore = Some(("full restore", restore.median_us()));
    for (metric, us, whole) in [
        ("save of a frame", frame_us, save),
        ("save of a frame", frame_us, clone),
        ("restore of the last frame", back_us, restore),
    ] {
        run.report.push(&case, metric, "µs", us, whole);
    }
    Ok(())
}

/// A floor with columns of ten boxes.
fn scene(columns: u32) -> String {
    let width = 2 * columns + 20;
    let mut text = format!(
        r#"(
    entities: {{
        "floor": {{"body": Body(), "top": Collider(shape: Box(width: {width}, height: 2), position: (0, -1))}},
        "box": {{"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1))}},
        "lively": {{"base": Inherits("box"), "body": Body(allow_sleep: false)}},
    }},
    place: [
        One(name: "floor", entity: "floor"),
"#
    );
    for column in 0..columns {
        let entity = if column % 100 == 0 { "lively" } else { "box" };
        let x = 2.0 * column as f32 - columns as f32;
        writeln!(
            text,
            r#"        Row(name: "column {column}", entity: "{entity}", at: ({x:?}, 0.5), count: 10, step: (0, 1)),"#
        )
        .expect("a string takes all");
    }
    text + "    ],\n)"
}
