//! `tombolo play`: shows a world live in the browser.
//!
//! The world, its past and the messages to pages are in the crate `tombolo-session`. In this folder, from the bottom
//! up: `replayed.rs` replays a session without a page, `gallery.rs` has the scenes to open; `socket.rs` has the threads
//! of a page's socket, `http.rs` and `server.rs` accept connections, `opened.rs` has the recordings that pages open;
//! `watched_files.rs` watches the scene's files, and `host.rs` is the thread that owns the world. The page's sources are
//! in `tombolo_session::pages`, shared with the replay page.

mod gallery;
mod host;
mod http;
mod opened;
mod replayed;
mod server;
mod socket;
mod watched_files;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc;

use tombolo::threads::Pool;
use tombolo_session::Log;

use crate::arguments::{PlayOptions, core_count};
use crate::interrupt;
use crate::output::{Failure, check_apart, check_other, print_error_line, say, try_folder_of, write_file};
use crate::recordings::PlayingTime;
use crate::source::Source;
use gallery::Gallery;
use host::Host;
use server::{Event, Server};

/// The length of the queue of events for the world; threads of connections wait while it is full.
const EVENTS_MAX: usize = 1024;

/// Serves a world to browsers until Ctrl-C; or replays a session.
///
/// # Errors
/// No such world, an address that cannot be listened on, files that cannot be written, a session that ends differently.
pub(crate) fn play(options: &PlayOptions) -> Result<ExitCode, Failure> {
    let threads = options.threads.unwrap_or_else(core_count);
    let pool = Pool::new(threads)?;
    match &options.again {
        Some(session) => play_again(session, options.recording.as_deref(), &pool),
        None => serve(options, &pool),
    }
}

fn serve(options: &PlayOptions, pool: &Pool) -> Result<ExitCode, Failure> {
    let folder = options
        .scene
        .as_deref()
        .map(Path::new)
        .filter(|path| path.is_dir());
    let gallery = folder.map_or_else(|| Ok(Gallery::shipped()), Gallery::of_folder)?;
    let scene = options.scene.as_deref().filter(|_| folder.is_none());
    let source = scene.map(Source::find).transpose()?;
    // Checked before playing, so that a folder that cannot be written is reported now.
    let outputs: Vec<(&str, &Path)> = [
        ("--record", &options.record),
        ("--session", &options.session),
        ("--recording", &options.recording),
    ]
    .into_iter()
    .filter_map(|(name, path)| Some((name, path.as_deref()?)))
    .collect();
    for (_, path) in &outputs {
        try_folder_of(path)?;
        check_other(path, gallery.files())?;
        check_other(path, source.iter().flat_map(|source| &source.files))?;
    }
    check_apart(&outputs)?;
    let (sender, events) = mpsc::sync_channel(EVENTS_MAX);
    let wake = sender.clone();
    let server = Server::start(options.listen, gallery, sender)?;
    interrupt::listen_and(move || drop(wake.try_send(Event::Wake)));
    let mut host = Host::new(server.clone(), events, pool);
    if let Some(source) = source {
        host.open(&source)?;
    }
    let url = server.url();
    say(&format!("{url}\n"))?;
    if options.open {
        open_browser(&url);
    }
    host.run();
    if let Some(log) = host.log() {
        write_results(&log, options, pool)?;
    }
    let bad = server.bad_messages();
    if bad > 0 {
        print_error_line(&format!("tombolo: {bad} messages of pages were refused"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the files that were asked for, each whether or not the others can be written: a session cannot be had again.
fn write_results(log: &Log, options: &PlayOptions, pool: &Pool) -> Result<(), Failure> {
    let time = PlayingTime::without_limit;
    let session = |path: &PathBuf| write_file(path, log.to_text()?.as_bytes());
    let recording = |path: &PathBuf| write_file(path, &replayed::recording_of(log, &time(), pool)?);
    let page = |path: &PathBuf| write_file(path, &replayed::page_of(log, &time(), pool)?);
    let written = [
        options.session.as_ref().map(session),
        options.recording.as_ref().map(recording),
        options.record.as_ref().map(page),
    ];
    let refused = written.into_iter().flatten().filter_map(Result::err);
    let reasons: Vec<_> = refused.map(|Failure(why)| why).collect();
    match reasons.is_empty() {
        true => Ok(()),
        false => Err(Failure(reasons.join("\n"))),
    }
}

fn play_again(path: &Path, recording: Option<&Path>, pool: &Pool) -> Result<ExitCode, Failure> {
    let shown = path.display();
    let named = |Failure(why): Failure| Failure(format!("{shown}: {why}"));
    let text = std::fs::read_to_string(path).map_err(|error| named(error.into()))?;
    let log = Log::parse(&text).map_err(named)?;
    if let Some(recording) = recording {
        try_folder_of(recording)?;
        check_other(recording, [path])?;
    }
    let time = PlayingTime::without_limit();
    let mut world = replayed::world_of(&log, recording.is_some(), &time, pool).map_err(named)?;
    let hash = format!("{:016x}", world.state_hash());
    if hash != log.hash() {
        let wanted = log.hash();
        return Err(Failure(format!("{shown}: ends in {hash} and not in {wanted}")));
    }
    if let Some(recording) = recording {
        write_file(recording, &world.end_recording())?;
    }
    let (scene, steps, actions) = (log.scene(), log.steps(), log.action_count());
    say(&format!(
        "{scene}: {steps} steps, {actions} actions, hash {hash}\n"
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Opens an address in the system's browser. Failures are ignored: the address is printed too.
fn open_browser(url: &str) {
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let started = Command::new(program)
        .args(before)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if started.is_err() {
        print_error_line(&format!(
            "tombolo: {program} cannot be started: open the address yourself"
        ));
    }
}
