//! [`Host`]: the one thread that owns the world. It handles the requests of pages, makes the steps that are due, and
//! writes a frame for each page that is ready for one. It sleeps while the world is paused and there are no requests.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Duration;

use tombolo::Scene;
use tombolo::threads::{Executor, Stopwatch};
use tombolo_session::{After, HostRequest, Log, Page, Playback, Request, Session, WrittenBack};

use super::server::{Event, File, Server, Wanted};
use super::socket::Outbox;
use super::watched_files::{LOOK_EVERY_S, WatchedFiles};
use crate::interrupt;
use crate::output::{Failure, print_error_line};
use crate::source::Source;

/// The greatest number of requests that are handled before the next steps.
const REQUESTS_AT_ONCE: usize = 512;

/// The world and its pages, on one thread.
pub(super) struct Host<'h> {
    server: Arc<Server>,
    events: Receiver<Event>,
    executor: &'h dyn Executor,
    playback: Option<Playback>,
    pages: BTreeMap<u64, Page<Arc<Outbox>>>,
    /// The page in control, which alone may change the world.
    control: Option<u64>,
    /// The time since the world was last advanced.
    clock: Stopwatch,
    /// The time since the host was made.
    age: Stopwatch,
    files: Option<WatchedFiles>,
    /// The pictures of the map that is played, as JSON.
    pictures: Vec<u8>,
}

fn nothing_begun() -> Failure {
    Failure("no scene was begun".to_string())
}

/// A session at its first moment, and the pictures of its map as JSON.
struct Begun {
    session: Session,
    pictures: Vec<u8>,
}

impl Begun {
    /// # Errors
    /// The world cannot be built, or has no entities.
    fn of(source: &Source) -> Result<Self, Failure> {
        Ok(Self {
            session: Session::new(source.played()?, source.world()?),
            pictures: source.pictures()?.to_json()?,
        })
    }
}

impl<'h> Host<'h> {
    pub(super) fn new(server: Arc<Server>, events: Receiver<Event>, executor: &'h dyn Executor) -> Self {
        Self {
            server,
            events,
            executor,
            playback: None,
            pages: BTreeMap::new(),
            control: None,
            clock: Stopwatch::start(),
            age: Stopwatch::start(),
            files: None,
            pictures: Vec::new(),
        }
    }

    /// Begins a scene.
    ///
    /// # Errors
    /// In the same cases as [`Begun::of`]; the former world goes on then.
    pub(super) fn open(&mut self, source: &Source) -> Result<(), Failure> {
        let files = WatchedFiles::of(source);
        self.begin(Begun::of(source)?);
        self.files = files;
        if let Some(playback) = &mut self.playback {
            playback.pause();
        }
        Ok(())
    }

    /// Replaces the session: pages begin anew.
    fn begin(&mut self, Begun { session, pictures }: Begun) {
        self.pictures = pictures;
        match &mut self.playback {
            Some(playback) => playback.replace(session),
            None => self.playback = Some(Playback::new(session)),
        }
        self.allow_messages();
        self.clock = Stopwatch::start();
        self.pages.values_mut().for_each(Page::begin);
    }

    /// Lets pages send messages that are as long as the scene's scripts may be.
    fn allow_messages(&self) {
        let settings = self.session().map(|session| session.origin().scene().settings());
        let text_bytes = settings.map_or(0, |settings| settings.script_limits.text_bytes);
        self.server.allow_texts(text_bytes as usize);
    }

    /// The session, if a scene was begun.
    pub(super) fn session(&self) -> Option<&Session> {
        self.playback.as_ref().map(Playback::session)
    }

    /// The log of the session, with the scene's text if its file has another one by now, or none that can be read: the
    /// session is played again from the text with which it began.
    pub(super) fn log(&self) -> Option<Log> {
        let session = self.session()?;
        let mut log = session.log();
        let (wanted, began) = (session.origin().wanted(), session.origin().scene().text());
        let present = Source::find(wanted).ok();
        let present = present.as_ref().and_then(Source::scene).map(Scene::text);
        if present != Some(began) {
            log.keep_text();
        }
        Some(log)
    }

    /// Runs until Ctrl-C.
    pub(super) fn run(&mut self) {
        while !interrupt::is_pressed() {
            let mut event = self.wait();
            for _ in 0..REQUESTS_AT_ONCE {
                let Some(happened) = event else { break };
                self.hear(happened);
                event = self.events.try_recv().ok();
            }
            if let Some(happened) = event {
                self.hear(happened);
            }
            self.follow_files();
            self.go_on();
            self.write_frames();
        }
        self.pages.values().for_each(|page| page.outbox().close());
    }

    /// The next event; `None` if a step or a check of the files is due before.
    fn wait(&self) -> Option<Event> {
        let to_look = self.files.as_ref().filter(|_| !self.pages.is_empty());
        let to_look = to_look.map(|_| LOOK_EVERY_S);
        let due = self.playback.as_ref().and_then(Playback::seconds_to_next_step);
        let to_step = due.map(|due| (due - self.clock.elapsed_seconds()).max(0.0));
        let seconds = match (to_look, to_step) {
            (None, None) => return self.events.recv().ok(),
            (Some(look), Some(step)) => look.min(step),
            (Some(one), None) | (None, Some(one)) => one,
        };
        self.events.recv_timeout(Duration::from_secs_f64(seconds)).ok()
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Joined { page, outbox } => {
                let joined = Page::new(outbox);
                joined.send_gallery(self.server.gallery.names());
                self.pages.insert(page, joined);
                self.control.get_or_insert(page);
                self.touch();
            }
            Event::Left { page } => {
                self.pages.remove(&page);
                if self.control == Some(page) {
                    self.let_go();
                    self.control = self.pages.keys().next().copied();
                }
                // Nobody watches: the world is paused.
                if let Some(playback) = self.playback.as_mut().filter(|_| self.pages.is_empty()) {
                    playback.pause();
                }
                self.touch();
            }
            Event::Request { page, request } => {
                if let Err(Failure(why)) = self.answer(page, request)
                    && let Some(page) = self.pages.get(&page)
                {
                    page.refuse(&why);
                }
            }
            Event::Wanted { file, reply } => self.hand_out(file, &reply),
            Event::Wake => {}
        }
    }

    /// Notes that pages have something else to show.
    fn touch(&mut self) {
        if let Some(playback) = &mut self.playback {
            playback.touch();
        }
    }

    /// Takes control from the page that has it.
    fn let_go(&mut self) {
        if let Some(playback) = &mut self.playback {
            playback.let_go();
        }
    }

    fn answer(&mut self, page: u64, request: Request) -> Result<(), Failure> {
        if request.needs_control() && self.control != Some(page) {
            return Err(Failure("another page has control: take it first".to_string()));
        }
        match request.host_request() {
            Some(HostRequest::Control) => {
                self.let_go();
                self.control = Some(page);
                self.touch();
                Ok(())
            }
            Some(HostRequest::Open(scene)) => {
                let source = self.server.gallery.find(scene)?;
                if let Some(playback) = &mut self.playback {
                    playback.session_mut().warn_of_loss()?;
                }
                self.open(&source)
            }
            Some(HostRequest::Write) => self.write(page),
            Some(HostRequest::Reset) if self.session().is_some_and(Session::is_stale) => {
                let wanted = self.session().map_or("", |session| session.origin().wanted());
                let source = Source::find(wanted)?;
                self.begin_again(&source)?;
                self.playback.iter_mut().for_each(Playback::pause);
                Ok(())
            }
            _ if request.needs_control() => self.change(request),
            _ => {
                let session = self.playback.as_ref().map(Playback::session);
                if let Some(page) = self.pages.get_mut(&page) {
                    page.hear(&request, session);
                }
                Ok(())
            }
        }
    }

    /// Writes the edits into the scene's file; this is not a change that makes the host read it again.
    fn write(&mut self, page: u64) -> Result<(), Failure> {
        let playback = self.playback.as_mut().ok_or_else(nothing_begun)?;
        let written = playback.session().edited_text()?;
        let files = self.files.as_mut().ok_or_else(|| {
            Failure("this scene ships with the command: Share has it as a file to download".to_string())
        })?;
        files.replace(playback.session().file_text(), &written.text)?;
        playback.session_mut().note_written(&written);
        playback.touch();
        if let Some(page) = self.pages.get(&page) {
            page.send_written(written.left_out);
        }
        Ok(())
    }

    /// Carries out a request of the page in control.
    fn change(&mut self, request: Request) -> Result<(), Failure> {
        let playback = self.playback.as_mut().ok_or_else(nothing_begun)?;
        let was_playing = playback.is_playing();
        let after = playback.change(request, self.executor)?;
        if playback.is_playing() && !was_playing {
            self.clock = Stopwatch::start();
        }
        let pages = self.pages.values_mut();
        match after {
            After::Same => {}
            After::GoneBack(step) => pages.for_each(|page| page.forget_rows_after(step)),
            After::Begun => pages.for_each(Page::begin),
        }
        Ok(())
    }

    /// Begins the scene again from its files as they are.
    ///
    /// # Errors
    /// In the same cases as [`Begun::of`]; the former world goes on then.
    fn begin_again(&mut self, source: &Source) -> Result<(), Failure> {
        self.begin(Begun::of(source)?);
        self.files.iter_mut().for_each(|files| files.follow(source));
        Ok(())
    }

    /// Begins the scene again when one of its files was changed. If a file is wrong, pages get the error and the old world
    /// goes on; it also goes on while it has edits that are not in the file.
    fn follow_files(&mut self) {
        if self.pages.is_empty() {
            return;
        }
        let (Some(files), Some(playback)) = (&mut self.files, &mut self.playback) else {
            return;
        };
        let Some(path) = files.changed().map(Path::to_path_buf) else {
            return;
        };
        let session = playback.session_mut();
        // Also one that was changed, and has its former text again.
        let is_known = session.origin().scene_text().is_some() && files.has(session.file_text());
        session.mark_outdated(!is_known);
        if is_known {
            return;
        }
        if session.would_lose() {
            let path = path.display();
            let why = format!(
                "{path} was changed by another program and not read again: edits here are not in it. Share has the \
                 scene with them; Restart reads the file and drops them"
            );
            self.pages.values().for_each(|page| page.refuse(&why));
            return;
        }
        let again = Source::find(session.origin().wanted()).and_then(|source| self.begin_again(&source));
        if let Err(Failure(why)) = again {
            print_error_line(&why);
            self.pages.values().for_each(|page| page.refuse(&why));
        }
    }

    /// Makes the steps that are due.
    fn go_on(&mut self) {
        let Some(playback) = &mut self.playback else {
            return;
        };
        let elapsed = self.clock.elapsed_seconds();
        if playback.seconds_to_next_step().is_some_and(|due| elapsed >= due) {
            self.clock = Stopwatch::start();
            playback.go_on(elapsed, self.executor);
        }
    }

    fn write_frames(&mut self) {
        let Some(playback) = &mut self.playback else {
            return;
        };
        let wants_hash = self.pages.values().any(Page::wants_hash);
        let shown = playback.shown(self.pages.len(), wants_hash, self.age.elapsed_seconds());
        for (number, page) in &mut self.pages {
            if let Err(Failure(why)) = page.show(&shown, self.control == Some(*number)) {
                page.refuse(&why);
            }
        }
    }

    fn hand_out(&self, file: Wanted, reply: &SyncSender<Result<File, Failure>>) {
        let made = self.session().ok_or_else(nothing_begun).and_then(|session| {
            let scene = session.origin().name();
            let name = format!("{scene}-{}", session.step());
            Ok(match file {
                Wanted::Pictures => File::Pictures(self.pictures.clone()),
                Wanted::Save => File::Save {
                    name,
                    bytes: session.world().save(),
                },
                Wanted::Session | Wanted::Replay | Wanted::Recording => File::Log {
                    name,
                    log: self.log().ok_or_else(nothing_begun)?,
                },
                Wanted::Scene => {
                    let WrittenBack { text, left_out } = session.edited_text()?;
                    if !left_out.is_empty() {
                        let why = format!(
                            "The scene for download lacks these edits:\n{}",
                            left_out.join("\n")
                        );
                        self.pages.values().for_each(|page| page.refuse(&why));
                    }
                    let name = scene.to_string();
                    File::Scene { name, text }
                }
            })
        });
        drop(reply.send(made));
    }
}
