//! `tombolo sweep`: a world for each combination of scenes, seeds and properties, on all cores, as a table with a row
//! for each. The result is that of `tombolo.sweep` of the package for Python on one machine, byte for byte.
//!
//! `file.rs` reads the sweep file, `plan.rs` makes jobs of it, `outcome.rs` runs one, `journal.rs` keeps finished rows,
//! `table.rs` is the table; `cell.rs` is a value with Python's spellings.

mod cell;
mod file;
mod journal;
mod outcome;
mod plan;
mod table;

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use tombolo::threads::Stopwatch;

use self::journal::Journal;
use self::outcome::Outcome;
use self::plan::{Job, Plan};
use crate::arguments::{SweepOptions, core_count};
use crate::interrupt;
use crate::output::{Failure, check_other, counted, plain, print_error_line, say, try_folder_of, write_file};
use crate::progress::bar;

/// Runs a sweep and writes its table.
///
/// # Errors
/// The sweep file or a scene cannot be read or would be replaced by the table, another file is at the path of the table, or a
/// file cannot be written; or, when the table is written, that rows have errors.
pub(crate) fn sweep(options: &SweepOptions) -> Result<ExitCode, Failure> {
    let plan = Plan::load(&options.file)?;
    let out = options.out.as_deref().unwrap_or(&plan.out);
    let folder = options.file.parent().unwrap_or(Path::new(""));
    let scenes = plan.scenes.iter().map(|scene| folder.join(&scene.name));
    check_other(out, scenes.chain([options.file.clone()]))?;
    try_folder_of(out)?;
    if !options.overwrite {
        check_place(out, &plan)?;
    }
    interrupt::listen();
    let mut journal = Journal::open(out, &plan)?;
    let threads = options.threads.or(plan.threads).unwrap_or_else(core_count);
    let open = open_jobs(&plan, &journal);
    let watch = Stopwatch::start();
    let run = run_jobs(&plan, &open, threads, &mut journal)?;
    let seconds = watch.elapsed_seconds();
    if run < open.len() {
        print_error_line(&format!(
            "tombolo: stopped by Ctrl-C after {run} of {} worlds; the same call goes on from {}",
            open.len(),
            journal.path.display()
        ));
        return Ok(ExitCode::from(interrupt::EXIT_CODE));
    }
    write_file(out, table::table(&plan, &journal.outcomes).as_bytes())?;
    let failures = Failures::of(&plan, &journal);
    let count = |name: &str, count: usize| format!("{name:<14} {count:>9}\n");
    say(&[
        format!("{}\n\n", heading(&options.file, threads)),
        count("jobs", plan.jobs.len()),
        count("failed", failures.count),
        count("run now", run),
        format!("{:<14} {seconds:>9.3}\n", "seconds"),
        format!("{:<14} {:>9.1}\n\n", "worlds/s", run as f64 / seconds.max(1e-9)),
        format!("{:<14} {}\n", "table", plain(&out.display().to_string())),
    ]
    .concat())?;
    journal.remove()?;
    match failures.first {
        None => Ok(ExitCode::SUCCESS),
        Some(first) => Err(Failure(format!(
            "{} of {} failed; the first: {first}",
            failures.count,
            counted(plan.jobs.len(), "job", "jobs")
        ))),
    }
}

/// Refuses to overwrite a file that is not a table of this sweep.
fn check_place(out: &Path, plan: &Plan) -> Result<(), Failure> {
    let there = match fs::read(out) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        read => read.map_err(|error| Failure(format!("{}: cannot be read: {error}", out.display())))?,
    };
    if table::is_of(&String::from_utf8_lossy(&there), plan) {
        return Ok(());
    }
    Err(Failure(format!(
        "{}: is there already and no table of this sweep; give another file with --out, or --overwrite",
        out.display()
    )))
}

/// The jobs that have no row yet, each once.
fn open_jobs<'p>(plan: &'p Plan, journal: &Journal) -> Vec<&'p Job> {
    let mut seen: BTreeSet<&str> = journal.outcomes.keys().map(String::as_str).collect();
    let jobs = plan.jobs.iter();
    jobs.filter(|job| seen.insert(&job.key)).collect()
}

/// Runs jobs, each on one thread, until Ctrl-C, with a bar on stderr if that is a terminal; returns the number of
/// finished ones.
///
/// # Errors
/// The journal cannot be written.
fn run_jobs<'p>(
    plan: &'p Plan,
    jobs: &[&'p Job],
    threads: usize,
    journal: &mut Journal,
) -> Result<usize, Failure> {
    let bar = bar(jobs.len() as u64, "worlds");
    let next = AtomicUsize::new(0);
    let work = &|done: mpsc::Sender<(&'p Job, Outcome)>| {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            // The receiver is gone once the journal cannot be written.
            let sent = Outcome::of(plan, job).map(|outcome| done.send((job, outcome)));
            if !matches!(sent, Some(Ok(()))) {
                return;
            }
        }
    };
    let mut count = 0;
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..threads.min(jobs.len()) {
            let sender = sender.clone();
            scope.spawn(move || work(sender));
        }
        drop(sender);
        for (job, outcome) in receiver {
            journal.add(plan, job, outcome)?;
            count += 1;
            bar.inc(1);
        }
        Ok::<(), Failure>(())
    })?;
    bar.finish_and_clear();
    Ok(count)
}

fn heading(file: &Path, threads: usize) -> String {
    let name = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy();
    format!("{}: on {}", plain(&name), counted(threads, "thread", "threads"))
}

/// The jobs whose rows have an error.
struct Failures {
    count: usize,
    /// The first such job and its error.
    first: Option<String>,
}

impl Failures {
    fn of(plan: &Plan, journal: &Journal) -> Self {
        let why = |job: &Job| journal.outcomes.get(&job.key)?.error();
        let mut failures = plan.jobs.iter().filter_map(|job| Some((job, why(job)?)));
        let first = failures.next();
        Self {
            count: usize::from(first.is_some()) + failures.count(),
            first: first.map(|(job, why)| format!("{}: {why}", in_words(plan, job))),
        }
    }
}

/// A job in the words of a message: `machines, seed 3, car.body.mass=2.0`.
fn in_words(plan: &Plan, job: &Job) -> String {
    let mut words = vec![plan.scenes[job.scene].name.clone()];
    words.extend(job.seed.map(|seed| format!("seed {seed}")));
    let values = plan.set.iter().zip(&job.values);
    words.extend(values.map(|(name, value)| format!("{name}={}", value.scene_text())));
    words.join(", ")
}
