//! What can be typed after `tombolo`, and what is said when it cannot be understood.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};
use tombolo::physics::{IslandAlgorithm, LaneWidth};

use crate::output::{complain, say};

/// Runs 2D worlds on every core, with the same bits on every run. Without a command it runs the harbour.
#[derive(Debug, Parser)]
#[command(name = "tombolo", version)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulates a world, prints a summary, draws the last frame and writes a page that replays it all.
    Run(RunOptions),
    /// Serves a world to the browser: watch it live, grab, push, cut and change it.
    Play(PlayOptions),
    /// Runs worlds at several thread counts, compares the hashes with each other and with the blessed ones.
    Verify(VerifyOptions),
    /// Prints the entities of a world, or every property of one of them.
    Inspect(InspectOptions),
    /// Runs a world and records every call that changes its physics, for the commands below.
    Record(RecordArguments),
    /// Plays a recording, compares it with the hashes in it, and writes the page that shows it.
    Replay(ReplayArguments),
    /// Plays two recordings side by side and says where they part: step, array, body and property.
    Diff(DiffArguments),
    /// Leaves calls out of a recording for as long as what is looked for still happens.
    Shrink(ShrinkArguments),
    /// Runs scenes for every seed and combination of values that a file lists, and writes a table with a row for each.
    Sweep(SweepOptions),
    /// Writes the scene file that a map of Tiled or LDtk means.
    Convert(ConvertArguments),
    /// Prints the kinds of components, and of each property what it is, its range, and how it is written in a scene file.
    Kinds(KindsOptions),
}

/// What `tombolo run` takes.
#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    /// A scene file, a map of Tiled or LDtk (game.ldtk#Level_0 for one level), or the name of a world that ships: harbour,
    /// orchard, or a benchmark world such as large_pyramid.
    #[arg(default_value = "harbour")]
    pub(crate) scene: String,
    /// How many steps to make; unless given, 600 for a scene file and as many as its benchmark has for another.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=10_000_000))]
    pub(crate) steps: Option<u32>,
    /// How many threads to use; one for each core unless given.
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub(crate) threads: Option<usize>,
    /// How many substeps each step is solved in; the scene says unless given.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=64))]
    pub(crate) substeps: Option<u32>,
    /// Which algorithm keeps the islands; all give the same motion while nothing sleeps.
    #[arg(long, value_name = "ALGORITHM", value_enum)]
    pub(crate) islands: Option<Islands>,
    /// How many constraints the solver takes at once; the most that the machine can unless given. The bits are the same.
    #[arg(long, value_name = "N", value_parser = lane_width)]
    pub(crate) lanes: Option<LaneWidth>,
    /// Sets a property before the first step, such as crate.body.linear_velocity=(3,0); may be given several times.
    #[arg(long = "set", value_name = "ENTITY.COMPONENT.PROPERTY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// The folder to write picture and page to.
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub(crate) out: PathBuf,
    /// Which page to write.
    #[arg(long, value_name = "PAGE", value_enum, default_value_t = PageKind::Replay)]
    pub(crate) page: PageKind,
    /// The engine's module for a live page; unless given, tombolo-session.wasm beside the command, else in packages/js.
    #[arg(long, value_name = "FILE")]
    pub(crate) module: Option<PathBuf>,
    /// Prints the summary as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A page of `tombolo run`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PageKind {
    /// Replays the run.
    Replay,
    /// Simulates the scene by itself, from its first moment: it is played and changed as in `tombolo play`, without a server.
    Live,
}

/// What `tombolo play` takes.
#[derive(Debug, Args)]
pub(crate) struct PlayOptions {
    /// A scene file, a map of Tiled or LDtk (game.ldtk#Level_0 for one level), the name of a world that ships, or a folder of
    /// scene files and maps; all that ship unless given.
    pub(crate) scene: Option<String>,
    /// Opens the browser.
    #[arg(long)]
    pub(crate) open: bool,
    /// The address and port to listen on; some free port that only this machine can reach unless given.
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:0",
        hide_default_value = true
    )]
    pub(crate) listen: SocketAddr,
    /// How many threads the world uses; one for each core unless given.
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub(crate) threads: Option<usize>,
    /// Writes a page that replays it all, when it ends.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Writes what was done and at which steps, when it ends.
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,
    /// Writes a recording of it, for `tombolo replay` and `diff`, when it ends; with `--again`, of the session that is played.
    #[arg(long, value_name = "FILE")]
    pub(crate) recording: Option<PathBuf>,
    /// Plays such a session again, without a browser, and compares the hash at its end.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scene", "open", "record", "session"])]
    pub(crate) again: Option<PathBuf>,
}

/// What `tombolo record` takes.
#[derive(Debug, Args)]
pub(crate) struct RecordArguments {
    /// A scene file, a map of Tiled or LDtk, or the name of a world that ships.
    pub(crate) scene: String,
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// How many steps to make; unless given, 600 for a scene file and as many as its benchmark has for another.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=10_000_000))]
    pub(crate) steps: Option<u32>,
    /// How many threads to use.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = thread_count)]
    pub(crate) threads: usize,
    /// How many constraints the solver takes at once; the most that the machine can unless given.
    #[arg(long, value_name = "N", value_parser = lane_width)]
    pub(crate) lanes: Option<LaneWidth>,
    /// Sets a property before the first step, such as crate.body.linear_velocity=(3,0); may be given several times.
    #[arg(long = "set", value_name = "ENTITY.COMPONENT.PROPERTY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Writes a save after every so many steps, for a replay to begin at; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) key_frames: u64,
    /// Writes a hash of the state after every so many steps; 0 for whenever it costs next to nothing.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) hashes: u64,
    /// Records the physics alone, which plays without entities and scripts.
    #[arg(long)]
    pub(crate) physics: bool,
}

/// What `tombolo replay` takes.
#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// The recording.
    pub(crate) recording: PathBuf,
    /// The step after which to begin: from there on is shown and compared.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) from: u64,
    /// The last step; the recording's last one unless given.
    #[arg(long, value_name = "N")]
    pub(crate) to: Option<u64>,
    /// How many threads to use.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = thread_count)]
    pub(crate) threads: usize,
    /// How many constraints the solver takes at once; the most that the machine can unless given.
    #[arg(long, value_name = "N", value_parser = lane_width)]
    pub(crate) lanes: Option<LaneWidth>,
    /// Writes a page that shows what was played.
    #[arg(long, value_name = "FILE")]
    pub(crate) page: Option<PathBuf>,
}

/// What `tombolo diff` takes.
#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// A recording.
    pub(crate) first: PathBuf,
    /// Another one.
    pub(crate) second: PathBuf,
    /// How many threads to use.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = thread_count)]
    pub(crate) threads: usize,
}

/// What `tombolo shrink` takes.
#[derive(Debug, Args)]
pub(crate) struct ShrinkArguments {
    /// The recording.
    pub(crate) recording: PathBuf,
    /// The file to write the shorter one to.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// What must still happen.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) until: FailureKind,
    /// How many threads the second run has, of those that are compared.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = thread_count)]
    pub(crate) threads: usize,
    /// How many shorter ones to try at most.
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub(crate) tries: u32,
}

/// What is looked for in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailureKind {
    /// A call or a step panics.
    Panics,
    /// A body is frozen because its position is no number or out of range.
    Freezes,
    /// Runs with one thread and one lane and with several part.
    Parts,
}

impl FailureKind {
    /// For a message.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Panics => "a call panics",
            Self::Freezes => "a body freezes",
            Self::Parts => "runs with one and with several threads part",
        }
    }
}

/// What `tombolo sweep` takes.
#[derive(Debug, Args)]
pub(crate) struct SweepOptions {
    /// The sweep file, as docs/sweeps.md describes it.
    pub(crate) file: PathBuf,
    /// The table to write; as the file says unless given, else out/NAME.csv.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// How many worlds run at a time; as the file says unless given, else one for each core.
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub(crate) threads: Option<usize>,
    /// Replaces a file that is no table of this sweep.
    #[arg(long)]
    pub(crate) overwrite: bool,
}

/// What `tombolo convert` takes. What is not given is as the map's own properties say.
#[derive(Debug, Args)]
pub(crate) struct ConvertArguments {
    /// The map: a .tmx, .tmj or .ldtk file.
    pub(crate) map: PathBuf,
    /// The scene file to write.
    pub(crate) out: PathBuf,
    /// How many pixels are a meter; as wide as a tile unless given.
    #[arg(long, value_name = "N")]
    pub(crate) pixels_per_meter: Option<f64>,
    /// Whether the y axis points down in the world as it does in the map.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    pub(crate) y_down: Option<bool>,
    /// The level or world of an LDtk file; all levels unless given.
    #[arg(long, value_name = "NAME")]
    pub(crate) level: Option<String>,
    /// The scene file with the prototypes of the map's objects.
    #[arg(long, value_name = "FILE")]
    pub(crate) scene: Option<PathBuf>,
    /// Whether what that scene file places is in the scene, too.
    #[arg(long, value_name = "BOOL")]
    pub(crate) scene_places: Option<bool>,
}

/// What `tombolo inspect` takes.
#[derive(Debug, Args)]
pub(crate) struct InspectOptions {
    /// A scene file, a map of Tiled or LDtk, or the name of a world that ships.
    pub(crate) scene: String,
    /// The name of an entity, or its handle: its number, or as messages write it (75v1); all of them in short unless given.
    pub(crate) entity: Option<String>,
    /// How many steps to make first.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = value_parser!(u32).range(0..=10_000_000))]
    pub(crate) step: u32,
    /// Prints JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `tombolo kinds` takes.
#[derive(Debug, Args)]
pub(crate) struct KindsOptions {
    /// One kind, such as Body; all of them unless given.
    pub(crate) kind: Option<String>,
    /// Prints JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Prints Markdown, as it stands in docs/scene.md.
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
}

/// What `tombolo verify` takes.
#[derive(Debug, Args)]
pub(crate) struct VerifyOptions {
    /// Scene files, maps, or names of worlds; those whose hashes are blessed unless given.
    pub(crate) scenes: Vec<String>,
    /// The thread counts to compare.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,2,4,8", value_parser = thread_count)]
    pub(crate) threads: Vec<usize>,
    /// The lane widths to compare, each at every thread count; the widest that the machine has unless given.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = lane_width)]
    pub(crate) lanes: Vec<LaneWidth>,
    /// How many bodies a batch of the solver has at most, each compared at every thread count and lane width; 0 is
    /// without batches, `all` one batch. The engine's own choice unless given.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = batch_bodies)]
    pub(crate) batches: Vec<u32>,
    /// How many steps to make; as many as the blessed hash is for unless given.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=10_000_000))]
    pub(crate) steps: Option<u32>,
    /// The file of blessed hashes; unless given, scenes/golden.txt, or where that is not there those that this command was
    /// built with.
    #[arg(long, value_name = "FILE")]
    pub(crate) golden: Option<PathBuf>,
    /// Writes the hashes found to the file of blessed hashes.
    #[arg(long, requires = "reason")]
    pub(crate) bless: bool,
    /// Why the hashes changed, for the file.
    #[arg(long, value_name = "TEXT", requires = "bless", value_parser = one_line)]
    pub(crate) reason: Option<String>,
}

/// The island algorithms by the names that they have on command lines.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Islands {
    /// Depth-first search, afresh in each step.
    Dfs,
    /// Union-find, afresh in each step.
    UnionFind,
    /// Union-find by all workers, afresh in each step.
    ParallelUnionFind,
    /// Islands that live from step to step.
    Persistent,
}

impl From<Islands> for IslandAlgorithm {
    fn from(islands: Islands) -> Self {
        match islands {
            Islands::Dfs => Self::DepthFirst,
            Islands::UnionFind => Self::UnionFind,
            Islands::ParallelUnionFind => Self::ParallelUnionFind,
            Islands::Persistent => Self::Persistent,
        }
    }
}

fn batch_bodies(text: &str) -> Result<u32, String> {
    match text.trim() {
        "all" => Ok(u32::MAX),
        number => number
            .parse()
            .map_err(|_| "give a number of bodies, or `all`".to_string()),
    }
}

fn lane_width(text: &str) -> Result<LaneWidth, String> {
    let lanes = text.trim().parse::<usize>().ok();
    let width = LaneWidth::ALL
        .into_iter()
        .find(|width| Some(width.lanes()) == lanes);
    match width {
        Some(width) if width.is_available() => Ok(width),
        Some(_) => Err(format!(
            "this machine takes at most {} at once",
            LaneWidth::widest().lanes()
        )),
        None => Err("give 1, 4, 8 or 16".to_string()),
    }
}

/// How many threads a command uses unless it is told.
pub(crate) fn core_count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// As many workers as a pool is tested with.
const THREADS_MAX: usize = 64;

/// A number of threads.
///
/// # Errors
/// What to give instead.
pub(crate) fn thread_count(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(count) if (1..=THREADS_MAX).contains(&count) => Ok(count),
        _ => Err(format!("give a number from 1 to {THREADS_MAX}")),
    }
}

fn one_line(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() || text.contains('\n') {
        return Err("give one line of text".to_string());
    }
    Ok(text.to_string())
}

/// A command line that was understood.
pub(crate) struct Arguments {
    pub(crate) command: Command,
}

impl Arguments {
    /// Reads the command line. Without a command it is `tombolo run`.
    ///
    /// # Errors
    /// The exit code, when all there is to do has been done: help was printed, or a line that says what is wrong.
    pub(crate) fn read() -> Result<Self, ExitCode> {
        match Line::try_parse_from(with_default_command(std::env::args_os().collect())) {
            Ok(Line { command }) => Ok(Self { command }),
            Err(error) if !error.use_stderr() => {
                let printed = say(&error.render().to_string());
                Err(if printed.is_ok() {
                    ExitCode::SUCCESS
                } else {
                    ExitCode::FAILURE
                })
            }
            Err(error) => {
                complain(&first_paragraph(&error.render().to_string()));
                Err(ExitCode::from(2))
            }
        }
    }
}

fn with_default_command(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.len() <= 1 {
        words.resize(1, "tombolo".into());
        words.push("run".into());
    }
    words
}

/// What clap says, on one line: its first paragraph, without the hints that follow.
fn first_paragraph(message: &str) -> String {
    let lines = message
        .lines()
        .take_while(|line| !line.trim().is_empty())
        .map(str::trim);
    let text = lines.collect::<Vec<_>>().join(" ");
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    format!("{text} (try --help)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Line::command().debug_assert();
    }

    #[test]
    fn without_a_command_the_harbour_runs() {
        match Line::try_parse_from(with_default_command(vec!["tombolo".into()]))
            .unwrap()
            .command
        {
            Command::Run(options) => assert_eq!((options.scene.as_str(), options.steps), ("harbour", None)),
            other => panic!("{other:?} is not the default"),
        }
    }

    #[test]
    fn usage_errors_become_one_line() {
        let error = Line::try_parse_from(["tombolo", "run", "--threads", "0"]).unwrap_err();
        assert_eq!(
            first_paragraph(&error.render().to_string()),
            "invalid value '0' for '--threads <N>': give a number from 1 to 64 (try --help)"
        );
        let error = Line::try_parse_from(["tombolo", "verify", "--bless"]).unwrap_err();
        assert_eq!(
            first_paragraph(&error.render().to_string()),
            "the following required arguments were not provided: --reason <TEXT> (try --help)"
        );
    }
}
