//! `tombolo run`: steps a world, shows the progress, then prints a summary and draws the result.

use std::process::ExitCode;

use tombolo::threads::{Executor, Pool};
use tombolo_session::{Recorder, pages};

use crate::arguments::{PageKind, RunOptions, core_count};
use crate::output::{
    Failure, check_apart, check_other, print, print_error_line, say, try_folder, write_file,
};
use crate::progress::bar;
use crate::source::{Changes, Running, Source};
use crate::summary::{StepTimes, Summary};
use crate::{engine_module, interrupt, picture};

/// Runs a world and writes the results.
///
/// # Errors
/// No such world, a file that is wrong, threads that cannot be started, an output that cannot be written; or, when all
/// is written, faults of the world.
pub(crate) fn run(options: &RunOptions) -> Result<ExitCode, Failure> {
    let source = Source::find(&options.scene)?;
    interrupt::listen();
    // Checked before the run, so that a folder that cannot be written is reported now.
    try_folder(&options.out)?;
    let [picture, page] = ["png", "html"].map(|ending| options.out.join(format!("{}.{ending}", source.name)));
    for path in [&picture, &page] {
        check_other(path, &source.files)?;
    }
    // By their names they are apart, but one may be a link to the other.
    check_apart(&[("the picture", &picture), ("the page", &page)])?;
    let changes = Changes {
        substeps: options.substeps,
        islands: options.islands.map(Into::into),
        lanes: options.lanes,
        batches: None,
        recording: None,
        physics_only: false,
    };
    let live = live_page(options, &source)?;
    let mut running = source.start(changes)?;
    options.sets.iter().try_for_each(|text| running.set(text))?;
    let threads = options.threads.unwrap_or_else(core_count);
    let pool = Pool::new(threads)?;
    let mut recorder = match live {
        None => Some(start_recording(&source, &running)?),
        Some(_) => None,
    };
    let steps = options.steps.unwrap_or(source.steps);
    let times = run_steps(&mut running, steps, &pool, |running| {
        let recorded = recorder
            .as_mut()
            .map(|recorder| recorder.record(running.physics(), running.world()));
        recorded.unwrap_or(Ok(()))
    })?;
    let mut summary = Summary::new(&source.name, threads, &running, &times);
    write_picture(options, &mut summary, &running)?;
    let path = options.out.join(format!("{}.html", source.name));
    if let Some(mut recorder) = recorder {
        if let Some(world) = running.world() {
            recorder.record_components(world);
        }
        write_file(
            &path,
            &pages::replay(&recorder.into_recording()?, &source.pictures()?.to_json()?, "")?,
        )?;
        summary.replay = Some(path.display().to_string());
    } else if let Some(page) = live {
        write_file(&path, &page)?;
        summary.live = Some(path.display().to_string());
    }
    running.printed().iter().for_each(|line| print_error_line(line));
    match options.json {
        true => print(&summary.json()?)?,
        false => say(&summary.table())?,
    }
    let made = times.whole.len();
    if made < steps as usize {
        print_error_line(&format!(
            "tombolo: stopped by Ctrl-C after {made} of {steps} steps; what there is was written"
        ));
        return Ok(ExitCode::from(interrupt::EXIT_CODE));
    }
    running.report_faults()
}

/// The page that simulates the scene by itself, if it was asked for.
///
/// # Errors
/// There is no module to put into it, the world has no entities, or the command line changes it before its first step:
/// the page begins with the scene as written. A module was given and no such page is asked for.
fn live_page(options: &RunOptions, source: &Source) -> Result<Option<Vec<u8>>, Failure> {
    if options.page == PageKind::Replay {
        return match options.module {
            Some(_) => Err(Failure("--module is for the live page: --page live".to_string())),
            None => Ok(None),
        };
    }
    let is_changed = !options.sets.is_empty() || options.substeps.is_some() || options.islands.is_some();
    if is_changed {
        return Err(Failure(
            "a live page begins as the scene says: --set, --substeps and --islands are for the replay page"
                .to_string(),
        ));
    }
    let module = engine_module::read(options.module.as_deref())?;
    pages::solo(&source.played()?, &source.pictures()?.to_json()?, &module).map(Some)
}

/// Draws the last frame.
fn write_picture(options: &RunOptions, summary: &mut Summary, running: &Running) -> Result<(), Failure> {
    let path = options.out.join(format!("{}.png", summary.scene));
    let png = picture::draw(running.physics(), running.world())
        .and_then(|pixels| pixels.encode_png().map_err(Failure::from))?;
    write_file(&path, &png)?;
    summary.picture = path.display().to_string();
    Ok(())
}

fn start_recording(source: &Source, running: &Running) -> Result<Recorder, Failure> {
    let (step_s, physics) = (running.step_seconds(), running.physics());
    let mut recorder = Recorder::new(&source.name, step_s, physics, running.world())?;
    if let Some(scene) = source.scene() {
        recorder.record_graphs(scene.graphs());
    }
    Ok(recorder)
}

/// Makes and records the steps until Ctrl-C, with a bar on stderr if that is a terminal.
///
/// # Errors
/// In the same cases as [`Running::step`].
fn run_steps(
    running: &mut Running,
    steps: u32,
    executor: &dyn Executor,
    mut after_step: impl FnMut(&Running) -> Result<(), Failure>,
) -> Result<StepTimes, Failure> {
    let bar = bar(u64::from(steps), "steps");
    let mut times = StepTimes::with_capacity(steps);
    for _ in 0..steps {
        running.step(executor)?;
        times.push(running);
        after_step(running)?;
        bar.inc(1);
        if interrupt::is_pressed() {
            break;
        }
    }
    bar.finish_and_clear();
    Ok(times)
}
