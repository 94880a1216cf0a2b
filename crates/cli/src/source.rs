//! The source of a world: a scene file, a map of Tiled or LDtk, a scene file that ships with the command, or a benchmark
//! world that is built in code; and the running world.

use std::fmt::Write as _;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tombolo::physics::{IslandAlgorithm, LaneWidth, PhysicsWorld, RecordOptions};
use tombolo::scene::nearest;
use tombolo::threads::Executor;
use tombolo::{Scene, World, WorldProfile};
use tombolo_maps::{self as maps, MapScene};
use tombolo_scenes::{self as scenes, Motion, SCENES, STEP_S, SceneInfo};

use crate::map_files::read_map;
use crate::map_pictures::MapPictures;
use crate::output::{Failure, print_error_line, short};

/// A scene file that is built into the command.
struct Shipped {
    name: &'static str,
    file: &'static str,
    text: &'static str,
}

/// Lists scene files by their names.
macro_rules! shipped {
    ($($name:literal),+ $(,)?) => {
        &[$( Shipped {
            name: $name,
            file: concat!("scenes/", $name, ".ron"),
            text: include_str!(concat!("../scenes/", $name, ".ron")),
        } ),+]
    };
}

const SHIPPED: &[Shipped] = shipped![
    "harbour",
    "workshop",
    "orchard",
    "maze",
    "fluids",
    "platformer",
    "machines",
    "playground",
];

/// The benchmark world that has a blessed hash: small, with every part of the solver in it, and asleep at the end.
const SHIPPED_BUILDER: &str = "falling_hinges";

/// The number of steps of a scene file unless the command line sets it: ten seconds.
const STEPS_DEFAULT: u32 = 600;

/// The changes of a world by the command line before its first step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Changes {
    pub(crate) substeps: Option<u32>,
    pub(crate) islands: Option<IslandAlgorithm>,
    pub(crate) lanes: Option<LaneWidth>,
    /// The greatest width of the solver's batches.
    pub(crate) batches: Option<u32>,
    /// Options to record the world from the start.
    pub(crate) recording: Option<RecordOptions>,
    /// Whether only the physics of a world of entities is recorded.
    pub(crate) physics_only: bool,
}

/// A world that can be started again and again.
#[derive(Clone)]
pub(crate) struct Source {
    /// The path or name by which it was opened and is found again.
    pub(crate) wanted: String,
    /// The files that it was read from, its own first; none for a world that is built into the command.
    pub(crate) files: Vec<PathBuf>,
    /// A name short enough for a table and a file name.
    pub(crate) name: String,
    /// The number of steps unless the command line sets it.
    pub(crate) steps: u32,
    origin: Origin,
}

#[derive(Clone)]
enum Origin {
    File(Box<Scene>),
    /// A map, and the scene that was made of it.
    Map(Box<(MapScene, Scene)>),
    Builder(&'static SceneInfo),
}

/// The worlds whose hashes are blessed.
pub(crate) fn verified_names() -> impl Iterator<Item = &'static str> {
    SHIPPED
        .iter()
        .map(|shipped| shipped.name)
        .chain([SHIPPED_BUILDER])
}

/// The names of the scenes that ship.
pub(crate) fn shipped_names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|shipped| shipped.name)
}

/// The text of a scene that ships.
pub(crate) fn shipped_text(name: &str) -> Option<&'static str> {
    let shipped = SHIPPED.iter().find(|shipped| shipped.name == name)?;
    Some(shipped.text)
}

/// The names of all worlds that need no file.
fn known_names() -> impl Iterator<Item = &'static str> + Clone {
    let shipped = SHIPPED.iter().map(|shipped| shipped.name);
    shipped.chain(SCENES.iter().map(|scene| scene.name))
}

impl Source {
    /// The scene, if the world has one.
    pub(crate) fn scene(&self) -> Option<&Scene> {
        match &self.origin {
            Origin::File(scene) => Some(scene),
            Origin::Map(map) => Some(&map.1),
            Origin::Builder(_) => None,
        }
    }

    /// The origin of a session that plays it.
    ///
    /// # Errors
    /// It has no entities.
    pub(crate) fn played(&self) -> Result<tombolo_session::Origin, Failure> {
        let scene = self.scene().ok_or_else(|| self.has_no_entities())?;
        let has_file = matches!(self.origin, Origin::File(_));
        Ok(tombolo_session::Origin::new(
            &self.wanted,
            &self.name,
            scene.clone(),
            has_file,
        ))
    }

    /// The pictures of the world's tiles, if it is that of a map: those in a frame of an entity as before the first step.
    /// Says on stderr which images cannot be shown, and why.
    ///
    /// # Errors
    /// Physics refuses a part of the map.
    pub(crate) fn pictures(&self) -> Result<MapPictures, Failure> {
        let Origin::Map(map) = &self.origin else {
            return Ok(MapPictures::default());
        };
        let (map, scene) = &**map;
        if map.pictures().is_empty() {
            return Ok(MapPictures::default());
        }
        let world = World::from_scene(scene).map_err(|error| map.explain(&error))?;
        let pictures = MapPictures::read(map.pictures(), &world);
        pictures.left_out().iter().for_each(|line| print_error_line(line));
        Ok(pictures)
    }

    fn has_no_entities(&self) -> Failure {
        Failure(format!(
            "{} is a bare physics world: it has no entities to play with; `tombolo run` shows it",
            self.name
        ))
    }

    /// A new world of entities at its first moment.
    ///
    /// # Errors
    /// In the same cases as [`Source::start`] and [`Source::played`].
    pub(crate) fn world(&self) -> Result<Box<World>, Failure> {
        match self.start(Changes::default())? {
            Running::Scene(world) => Ok(world),
            Running::Built { .. } => Err(self.has_no_entities()),
        }
    }

    /// A scene found earlier, from the text that its file had then.
    ///
    /// # Errors
    /// The text is wrong.
    pub(crate) fn of_text(wanted: &str, text: &str) -> Result<Self, Failure> {
        let path = Path::new(wanted);
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
        let scene = Scene::parse(wanted, text)?;
        Ok(Self::from_scene(&name, wanted, Vec::new(), scene))
    }

    /// Finds a world: by its name, else as a file. A level of a map is given after its path, as in `game.ldtk#Level_0`.
    ///
    /// # Errors
    /// There is no such world or file, or the file is wrong.
    pub(crate) fn find(wanted: &str) -> Result<Self, Failure> {
        if let Some(shipped) = SHIPPED.iter().find(|shipped| shipped.name == wanted) {
            let scene = Scene::parse(shipped.file, shipped.text)?;
            return Ok(Self::from_scene(wanted, wanted, Vec::new(), scene));
        }
        if let Some(info) = scenes::find(wanted) {
            let origin = Origin::Builder(info);
            return Ok(Self {
                wanted: wanted.to_string(),
                files: Vec::new(),
                name: wanted.to_string(),
                steps: info.steps,
                origin,
            });
        }
        if let Some((path, level)) = as_map(wanted) {
            let options = maps::Options {
                level: level.map(str::to_string),
                ..maps::Options::default()
            };
            return Self::from_map(wanted, &path, &options);
        }
        let path = Path::new(wanted);
        if path.extension().is_none() && !path.exists() {
            return Err(Failure(unknown(wanted)));
        }
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
        let scene = Scene::load(path)?;
        Ok(Self::from_scene(&name, wanted, vec![path.to_path_buf()], scene))
    }

    fn from_map(wanted: &str, path: &Path, options: &maps::Options) -> Result<Self, Failure> {
        let (map, files) = read_map(path, options)?;
        let scene = map.scene()?;
        Ok(Self {
            wanted: wanted.to_string(),
            files,
            name: name_of_map(path, options.level.as_deref()),
            steps: STEPS_DEFAULT,
            origin: Origin::Map(Box::new((map, scene))),
        })
    }

    fn from_scene(name: &str, wanted: &str, files: Vec<PathBuf>, scene: Scene) -> Self {
        let origin = Origin::File(Box::new(scene));
        Self {
            wanted: wanted.to_string(),
            files,
            name: name.to_string(),
            steps: STEPS_DEFAULT,
            origin,
        }
    }

    /// A new world at its first moment.
    ///
    /// # Errors
    /// Physics refuses a part of it.
    pub(crate) fn start(&self, changes: Changes) -> Result<Running, Failure> {
        let mut running = match &self.origin {
            Origin::File(scene) => Running::Scene(Box::new(World::from_scene(scene)?)),
            Origin::Map(map) => {
                let (map, scene) = &**map;
                let world = World::from_scene(scene).map_err(|error| map.explain(&error))?;
                Running::Scene(Box::new(world))
            }
            Origin::Builder(info) => {
                let mut physics = Box::new(PhysicsWorld::new(&info.world_def())?);
                if let Some(recording) = changes.recording {
                    physics.start_recording(recording);
                }
                let motion = info.build(info.size, 0, physics.as_mut())?;
                Running::Built {
                    physics,
                    motion,
                    steps_made: 0,
                }
            }
        };
        if let (Some(recording), Running::Scene(world)) = (changes.recording, &mut running) {
            if changes.physics_only {
                world.physics_mut().start_recording(recording);
            } else {
                world.start_recording(recording);
            }
        }
        let physics = running.physics_mut();
        physics.set_profiling(true);
        if let Some(substeps) = changes.substeps {
            physics.set_substeps(substeps)?;
        }
        if let Some(islands) = changes.islands {
            physics.set_island_algorithm(islands);
        }
        if let Some(lanes) = changes.lanes {
            physics.set_lanes(lanes)?;
        }
        if let Some(bodies) = changes.batches {
            physics.set_batch_bodies_max(bodies);
        }
        Ok(running)
    }
}

/// The path of a map, and the level after a `#`; `None` if it is not a map.
fn as_map(wanted: &str) -> Option<(PathBuf, Option<&str>)> {
    let path = Path::new(wanted);
    if maps::is_map(path) {
        return Some((path.into(), None));
    }
    let (path, level) = wanted.rsplit_once('#')?;
    maps::is_map(Path::new(path)).then(|| (path.into(), Some(level)))
}

/// The name of a map's world: each level of a file has its own. What a file's name cannot have on every system is written as
/// its number, so that levels of two names stay two.
fn name_of_map(path: &Path, level: Option<&str>) -> String {
    let mut name = path
        .file_stem()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned();
    for letter in level
        .iter()
        .flat_map(|level| iter::once('-').chain(level.chars()))
    {
        match letter {
            '-' | '_' => name.push(letter),
            _ if letter.is_alphanumeric() => name.push(letter),
            _ => {
                let _ = write!(name, "~{:x}~", u32::from(letter));
            }
        }
    }
    name
}

fn unknown(wanted: &str) -> String {
    let wanted = &*short(wanted);
    match nearest(wanted, known_names()) {
        Some(name) => format!("no world is called {wanted:?}; did you mean {name:?}?"),
        None => {
            let names = known_names().collect::<Vec<_>>().join(", ");
            format!("no world is called {wanted:?}; give a scene file or one of: {names}")
        }
    }
}

/// A running world.
pub(crate) enum Running {
    /// A world from a scene file.
    Scene(Box<World>),
    /// A world from a builder, which may move things between steps.
    Built {
        physics: Box<PhysicsWorld>,
        motion: Motion,
        steps_made: u32,
    },
}

impl Running {
    /// Makes one step.
    ///
    /// # Errors
    /// A call between the steps of a benchmark world was refused.
    pub(crate) fn step(&mut self, executor: &dyn Executor) -> Result<(), Failure> {
        match self {
            Self::Scene(world) => world.step_with(executor),
            Self::Built {
                physics,
                motion,
                steps_made,
            } => {
                motion.before_step(*steps_made, physics.as_mut())?;
                physics.step_with(STEP_S, executor)?;
                *steps_made += 1;
            }
        }
        Ok(())
    }

    /// The times of the stages of the last step, if the world has entities.
    pub(crate) fn profile(&self) -> Option<&WorldProfile> {
        match self {
            Self::Scene(world) => Some(world.profile()),
            Self::Built { .. } => None,
        }
    }

    /// The length of a step, in seconds.
    pub(crate) fn step_seconds(&self) -> f32 {
        match self {
            Self::Scene(world) => world.step_seconds(),
            Self::Built { .. } => STEP_S,
        }
    }

    /// The world of entities, if it is one.
    pub(crate) fn world(&self) -> Option<&World> {
        match self {
            Self::Scene(world) => Some(world),
            Self::Built { .. } => None,
        }
    }

    /// The faults of the world so far.
    pub(crate) fn faults(&self) -> &[Box<str>] {
        match self {
            Self::Scene(world) => world.faults(),
            Self::Built { .. } => &[],
        }
    }

    /// The end of a command that has written what there is to write.
    ///
    /// # Errors
    /// The world has faults: the first, and how many more.
    pub(crate) fn report_faults(&self) -> Result<ExitCode, Failure> {
        match self.faults() {
            [] => Ok(ExitCode::SUCCESS),
            [first] => Err(Failure(first.to_string())),
            [first, rest @ ..] => Err(Failure(format!("{first}; and {} more", rest.len()))),
        }
    }

    /// The lines that its scripts have printed.
    pub(crate) fn printed(&self) -> &[Box<str>] {
        match self {
            Self::Scene(world) => world.printed(),
            Self::Built { .. } => &[],
        }
    }

    /// A hash of all state that the next steps depend on.
    pub(crate) fn state_hash(&self) -> u64 {
        match self {
            Self::Scene(world) => world.state_hash(),
            Self::Built { physics, .. } => physics.state_hash(),
        }
    }

    /// The physics of the world.
    pub(crate) fn physics(&self) -> &PhysicsWorld {
        match self {
            Self::Scene(world) => world.physics(),
            Self::Built { physics, .. } => physics,
        }
    }

    /// Sets a property by a text such as `crate.body.linear_velocity=(3,0)`.
    ///
    /// # Errors
    /// The text names no property, its value is wrong, or the world has no entities.
    pub(crate) fn set(&mut self, text: &str) -> Result<(), Failure> {
        match self {
            Self::Scene(world) => Ok(world.set_text(text)?),
            Self::Built { .. } => Err(Failure(format!(
                "cannot set {text:?}: a bare physics world has no entities"
            ))),
        }
    }

    /// Removes and returns the bytes recorded since the last call.
    pub(crate) fn take_recording(&mut self) -> Vec<u8> {
        match self {
            Self::Scene(world) if world.is_recording() => world.take_recording(),
            _ => self.physics_mut().take_recording(),
        }
    }

    /// Ends the recording and returns its remaining bytes.
    pub(crate) fn end_recording(&mut self) -> Vec<u8> {
        match self {
            Self::Scene(world) if world.is_recording() => world.end_recording(),
            _ => self.physics_mut().end_recording(),
        }
    }

    /// The physics, to set lanes and batches.
    pub(crate) fn physics_mut(&mut self) -> &mut PhysicsWorld {
        match self {
            Self::Scene(world) => world.physics_mut(),
            Self::Built { physics, .. } => physics,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_stands_after_the_path_of_its_map() {
        let level = |wanted| as_map(wanted).map(|(path, level)| (path.display().to_string(), level));
        assert_eq!(level("a/b.tmx"), Some(("a/b.tmx".to_string(), None)));
        assert_eq!(level("b.ldtk#One"), Some(("b.ldtk".to_string(), Some("One"))));
        assert_eq!(level("a#b.ldtk"), Some(("a#b.ldtk".to_string(), None)));
        assert_eq!(level("b.ron#One"), None);
    }

    #[test]
    fn each_level_of_a_map_has_its_own_name() {
        let name = |level| name_of_map(Path::new("maps/game.ldtk"), level);
        assert_eq!(name(None), "game");
        assert_eq!(name(Some("Level_0")), "game-Level_0");
        assert_eq!(name(Some("../a b")), "game-~2e~~2e~~2f~a~20~b");
        assert_ne!(name(Some("a~20~b")), name(Some("a b")));
    }
}
