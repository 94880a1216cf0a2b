//! The levels: scene files, and the values that the game reads from the entity `level` in each of them.

use tombolo::entity::{Entity, NameHash, Value};
use tombolo::geometry::{Aabb, Vec2};
use tombolo::{Scene, World};

/// The scene files, in the order of playing: names and texts.
pub const FILES: [(&str, &str); 8] = [
    ("1-first-snip.ron", include_str!("../levels/1-first-snip.ron")),
    (
        "2-out-on-a-limb.ron",
        include_str!("../levels/2-out-on-a-limb.ron"),
    ),
    ("3-timber.ron", include_str!("../levels/3-timber.ron")),
    ("4-going-up.ron", include_str!("../levels/4-going-up.ron")),
    ("5-fair-wind.ron", include_str!("../levels/5-fair-wind.ron")),
    ("6-water-gate.ron", include_str!("../levels/6-water-gate.ron")),
    ("7-short-fuse.ron", include_str!("../levels/7-short-fuse.ron")),
    (
        "8-the-road-home.ron",
        include_str!("../levels/8-the-road-home.ron"),
    ),
];

/// The number of levels.
pub const COUNT: usize = FILES.len();

/// The category of wood in scene files, which strokes cut.
pub const WOOD: u64 = 2;
/// The category of ropes in scene files, which strokes cut.
pub const ROPE: u64 = 8;

/// A level: its scene, and the values that the game reads from it.
#[derive(Clone, Debug)]
pub struct Level {
    /// Its place in [`FILES`].
    pub index: usize,
    /// Its title.
    pub title: String,
    /// A hint of one line for new players.
    pub hint: String,
    /// The number of strokes that may cut something.
    pub cuts: u32,
    /// The number of cuts that a good player needs.
    pub par: u32,
    /// The part of the world that is shown, in meters; wider than a screen if the camera follows Pip.
    pub view: Aabb,
    scene: Scene,
}

impl Level {
    /// Reads the level at a place in [`FILES`].
    ///
    /// # Errors
    ///
    /// One line if there is no such level, or its scene file has a mistake or no complete entity `level`.
    pub fn read(index: usize) -> Result<Self, String> {
        let (file, text) = FILES
            .get(index)
            .ok_or_else(|| format!("there is no level {index}"))?;
        Self::parse(index, file, text)
    }

    fn parse(index: usize, file: &str, text: &str) -> Result<Self, String> {
        let scene = Scene::parse(file, text).map_err(|error| error.to_string())?;
        let world = World::from_scene(&scene).map_err(|error| error.to_string())?;
        let level = world
            .find("level")
            .ok_or_else(|| format!("{file}: no entity is called level"))?;
        let number = |name: &str| {
            numbered(&world, level, name)
                .ok_or_else(|| format!("{file}: the level's title has no value {name:?}"))
        };
        let view = Aabb::new(
            Vec2::new(number("left")?, number("bottom")?),
            Vec2::new(number("right")?, number("top")?),
        );
        for needed in ["pip", "nest"] {
            world
                .find(needed)
                .ok_or_else(|| format!("{file}: no entity is called {needed}"))?;
        }
        Ok(Self {
            index,
            title: text_of(&world, level, "title.effect"),
            hint: text_of(&world, level, "hint.effect"),
            cuts: number("cuts")? as u32,
            par: number("par")? as u32,
            view,
            scene,
        })
    }

    /// A new world at the beginning of the level.
    ///
    /// # Errors
    ///
    /// In the same cases as [`World::from_scene`].
    pub fn world(&self) -> Result<World, String> {
        World::from_scene(&self.scene).map_err(|error| error.to_string())
    }

    /// The world of a save that was made in this level.
    ///
    /// # Errors
    ///
    /// In the same cases as [`World::from_save`].
    pub fn world_from(&self, save: &[u8]) -> Result<World, String> {
        World::from_save(&self.scene, save).map_err(|error| error.to_string())
    }
}

/// Whether an entity has a component of this name, such as a tag.
pub fn is(world: &World, entity: Entity, component: &str) -> bool {
    let name = NameHash::of(component);
    world.components_of(entity).iter().any(|entry| entry.name == name)
}

/// The text at a path, empty if there is none.
pub fn text_of(world: &World, entity: Entity, path: &str) -> String {
    match world.get(entity, path) {
        Ok(Value::String(text)) => text.into(),
        _ => String::new(),
    }
}

/// The flag at a path; false if there is none.
pub fn flag_of(world: &World, entity: Entity, path: &str) -> bool {
    matches!(world.get(entity, path), Ok(Value::Bool(true)))
}

/// A number of the component `title`, by its name.
fn numbered(world: &World, level: Entity, name: &str) -> Option<f32> {
    let (Ok(Value::List(names)), Ok(Value::List(values))) =
        (world.get(level, "title.names"), world.get(level, "title.values"))
    else {
        return None;
    };
    let place = names
        .iter()
        .position(|known| matches!(known, Value::String(text) if **text == *name))?;
    match values.get(place) {
        Some(Value::F32(value)) => Some(*value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_read() {
        for index in 0..COUNT {
            let level = Level::read(index).expect("a level that ships");
            assert!(level.par <= level.cuts, "{}", level.title);
            assert!(!level.title.is_empty() && !level.hint.is_empty());
        }
        assert!(Level::read(COUNT).is_err());
    }

    #[test]
    fn what_is_missing_is_said() {
        let bare = r#"(entities: {"stone": {"body": Body()}}, place: [One(name: "stone", entity: "stone")])"#;
        let refused = Level::parse(0, "bare.ron", bare).expect_err("no level in it");
        assert_eq!(refused, "bare.ron: no entity is called level");
    }
}
