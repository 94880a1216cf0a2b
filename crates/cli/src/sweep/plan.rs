//! The plan of a sweep: scenes, jobs in the order of the table's rows, and the columns. A job is one world; its key
//! identifies its row in the journal of an earlier run.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tombolo::Scene;
use tombolo::scene::nearest;
use tombolo_maps::is_map;

use super::cell::{Cell, json_text};
use super::file::SweepFile;
use crate::output::{Failure, short};
use crate::source::{shipped_names, shipped_text};

/// The columns of every table, beside those of set and read properties.
const OWN_COLUMNS: [&str; 5] = ["scene", "seed", "steps", "hash", "error"];

/// The greatest number of rows of a table.
const ROWS_MAX: usize = 10_000_000;

/// A scene of a sweep.
pub(super) struct SweptScene {
    /// The name in the sweep file.
    pub(super) name: String,
    text_hash: String,
    /// The scene, or its error, which the rows of the scene have.
    pub(super) scene: Result<Scene, String>,
}

/// One world of a sweep. Its row follows from the scene's text, the seed, the set values, and the number of steps.
pub(super) struct Job {
    /// The place of its scene in the plan's list.
    pub(super) scene: usize,
    pub(super) seed: Option<u64>,
    /// The value for each of the plan's set properties.
    pub(super) values: Vec<Cell>,
    pub(super) key: String,
}

/// The plan of a sweep.
pub(super) struct Plan {
    pub(super) scenes: Vec<SweptScene>,
    /// The properties that are set.
    pub(super) set: Vec<String>,
    pub(super) read: Vec<String>,
    pub(super) steps: u64,
    pub(super) jobs: Vec<Job>,
    /// The path of the table.
    pub(super) out: PathBuf,
    pub(super) threads: Option<usize>,
}

impl Plan {
    /// The plan of a sweep file.
    ///
    /// # Errors
    /// The file or a scene cannot be read, a column would have two values, or there are too many rows.
    pub(super) fn load(path: &Path) -> Result<Self, Failure> {
        let file = SweepFile::load(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let scenes = file.scenes.iter().map(|name| SweptScene::find(folder, name));
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
        let out = match &file.out {
            Some(out) => folder.join(out),
            None => Path::new("out").join(format!("{name}.csv")),
        };
        let (set, choices) = file.set.into_iter().unzip();
        let mut plan = Self {
            scenes: scenes.collect::<Result<_, _>>()?,
            set,
            read: file.read,
            steps: file.steps,
            jobs: Vec::new(),
            out,
            threads: file.threads,
        };
        let wrong = |Failure(why)| Failure(format!("{}: {why}", path.display()));
        plan.check_columns().map_err(wrong)?;
        plan.add_jobs(&file.seeds, choices).map_err(wrong)?;
        Ok(plan)
    }

    /// The columns of the table, in their order.
    pub(super) fn columns(&self) -> Vec<&str> {
        let (set, read) = (self.set.iter(), self.read.iter());
        let mut columns = vec!["scene", "seed"];
        columns.extend(set.map(String::as_str));
        columns.push("steps");
        columns.extend(read.map(String::as_str));
        columns.extend(["hash", "error"]);
        columns
    }

    /// The first cells of a job's row, up to the steps: those that do not depend on its outcome.
    pub(super) fn asked(&self, job: &Job) -> Vec<Cell> {
        let seed = job
            .seed
            .map_or(Cell::Nothing, |seed| Cell::Whole(i128::from(seed)));
        let mut cells = vec![Cell::Text(self.scenes[job.scene].name.as_str().into()), seed];
        cells.extend(job.values.iter().cloned());
        cells.push(Cell::Whole(i128::from(self.steps)));
        cells
    }

    fn check_columns(&self) -> Result<(), Failure> {
        let given: Vec<&String> = self.set.iter().chain(&self.read).collect();
        let is_twice = |place: usize, name: &String| {
            OWN_COLUMNS.contains(&name.as_str()) || given[..place].contains(&name)
        };
        match given
            .iter()
            .enumerate()
            .find(|(place, name)| is_twice(*place, name))
        {
            None => Ok(()),
            Some((_, name)) => Err(Failure(format!(
                "the column {:?} would have two values: leave it out of what is read, or of what is set",
                short(name)
            ))),
        }
    }

    /// Adds a job for each scene, seed and combination of values, of which the last property's values change fastest.
    fn add_jobs(&mut self, seeds: &[Option<u64>], choices: Vec<Vec<Cell>>) -> Result<(), Failure> {
        let lengths = [self.scenes.len(), seeds.len()].into_iter();
        let mut lengths = lengths.chain(choices.iter().map(Vec::len));
        let count = lengths.try_fold(1_usize, |count, length| count.checked_mul(length));
        let count = count.filter(|count| *count <= ROWS_MAX);
        let count = count.ok_or_else(|| Failure(format!("a table has {ROWS_MAX} rows at most")))?;
        self.jobs.reserve(count);
        let mut combinations = vec![Vec::new()];
        for values in choices {
            let longer = |start: &Vec<Cell>| {
                let start = start.clone();
                values
                    .iter()
                    .map(move |value| [start.as_slice(), std::slice::from_ref(value)].concat())
            };
            combinations = combinations.iter().flat_map(longer).collect();
        }
        for scene in 0..self.scenes.len() {
            for &seed in seeds {
                for values in &combinations {
                    let key = self.key(scene, seed, values);
                    let values = values.clone();
                    self.jobs.push(Job {
                        scene,
                        seed,
                        values,
                        key,
                    });
                }
            }
        }
        Ok(())
    }

    /// A key that is the same for the same work of the same release, whatever else is in the sweep, and equal to that
    /// of the package for Python.
    fn key(&self, scene: usize, seed: Option<u64>, values: &[Cell]) -> String {
        let SweptScene { name, text_hash, .. } = &self.scenes[scene];
        let values = self.set.iter().zip(values);
        let values = values.map(|(name, value)| format!("[{}, {}]", json_text(name), value.json()));
        let read = self.read.iter().map(|name| json_text(name));
        let what = format!(
            "[{}, {}, {}, {}, [{}], {}, [{}]]",
            json_text(env!("CARGO_PKG_VERSION")),
            json_text(name),
            json_text(text_hash),
            seed.map_or("null".to_string(), |seed| seed.to_string()),
            values.collect::<Vec<_>>().join(", "),
            self.steps,
            read.collect::<Vec<_>>().join(", "),
        );
        sha256(&what)
    }
}

impl SweptScene {
    /// Finds a scene by its name, or as a file relative to a folder.
    fn find(folder: &Path, name: &str) -> Result<Self, Failure> {
        let text = match shipped_text(name) {
            Some(text) => text.to_string(),
            None => read_scene(folder, name)?,
        };
        Ok(Self {
            name: name.to_string(),
            text_hash: sha256(&text),
            scene: Scene::parse("scene", &text).map_err(|error| error.to_string()),
        })
    }
}

fn read_scene(folder: &Path, name: &str) -> Result<String, Failure> {
    let shown = short(name);
    if is_map(Path::new(name)) {
        return Err(Failure(format!(
            "{shown}: a sweep takes scenes; tombolo convert makes one of a map"
        )));
    }
    let path = folder.join(name);
    if Path::new(name).extension().is_none() && !path.exists() {
        let advice = match nearest(name, shipped_names()) {
            Some(known) => format!("did you mean {known:?}?"),
            None => {
                let names = shipped_names().collect::<Vec<_>>().join(", ");
                format!("give a scene file or one of: {names}")
            }
        };
        return Err(Failure(format!("no scene is called {shown:?}; {advice}")));
    }
    let text = fs::read_to_string(&path)
        .map_err(|error| Failure(format!("{}: cannot be read: {error}", path.display())))?;
    // Line ends become `\n`, as Python reads texts.
    Ok(text.replace("\r\n", "\n").replace('\r', "\n"))
}

fn sha256(text: &str) -> String {
    let bytes = Sha256::digest(text.as_bytes());
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
