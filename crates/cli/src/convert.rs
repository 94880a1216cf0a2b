//! `tombolo convert`: writes a map as a scene file of the same world.

use tombolo::World;
use tombolo_maps::Options;

use crate::arguments::ConvertArguments;
use crate::map_files::read_map;
use crate::output::{Failure, check_other, counted, plain, say, write_file};

/// Writes the scene file of a map; both give the same world.
///
/// # Errors
/// The scene file would replace what it is made of, the map is wrong, physics refuses a part of it, or the file cannot be
/// written; then nothing is written.
pub(crate) fn convert(arguments: &ConvertArguments) -> Result<(), Failure> {
    let options = Options {
        pixels_per_meter: arguments.pixels_per_meter,
        y_down: arguments.y_down,
        level: arguments.level.clone(),
        scene: arguments.scene.clone(),
        scene_places: arguments.scene_places,
    };
    let (map, files) = read_map(&arguments.map, &options)?;
    check_other(&arguments.out, &files)?;
    let scene = map.scene()?;
    let world = World::from_scene(&scene).map_err(|error| map.explain(&error))?;
    write_file(&arguments.out, map.text().as_bytes())?;
    let counters = world.physics().counters();
    say(&format!(
        "{}: {}, {}\n",
        plain(&arguments.out.display().to_string()),
        counted(scene.instance_count(), "entity", "entities"),
        counted(counters.shapes, "shape", "shapes"),
    ))
}
