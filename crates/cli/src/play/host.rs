//! [`Host`]: the one thread that has the world. It hears what pages ask for, makes the steps that are due, and writes a frame
//! for each page that has room for one. While nothing plays and nobody asks it sleeps.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{Duration, SystemTime};

use tombolo::threads::{Executor, Stopwatch};

use super::action::Action;
use super::page::Page;
use super::protocol::{Request, Told};
use super::server::{Event, File, Server, Wanted, tell};
use super::session::Session;
use crate::interrupt;
use crate::output::{Failure, print_error_line};
use crate::source::Source;

/// The file of a scene is looked at so often, while somebody watches.
const LOOK_EVERY_S: f64 = 0.5;

/// Requests that are taken before the world goes on.
const REQUESTS_AT_ONCE: usize = 512;

/// The world and its pages.
pub(super) struct Host<'h> {
    server: Arc<Server>,
    events: Receiver<Event>,
    executor: &'h dyn Executor,
    session: Option<Session>,
    pages: BTreeMap<u64, Page>,
    /// The page that may change things.
    control: Option<u64>,
    playing: bool,
    speed: f32,
    /// Since the world last went on.
    clock: Stopwatch,
    /// Changes with whatever a page is shown.
    version: u64,
    /// The hash of a state that stands, and for which version it was found.
    hash: Option<(u64, String)>,
    file: Option<WatchedFile>,
}

/// A scene's file on disk.
struct WatchedFile {
    path: PathBuf,
    changed: Option<SystemTime>,
    looked: Stopwatch,
}

impl WatchedFile {
    fn of(source: &Source) -> Option<Self> {
        let path = source.path.clone()?;
        let changed = modified(&path);
        Some(Self {
            path,
            changed,
            looked: Stopwatch::start(),
        })
    }

    /// Whether it was changed since the last look; not more often than it is worth.
    fn has_changed(&mut self) -> bool {
        if self.looked.elapsed_seconds() < LOOK_EVERY_S {
            return false;
        }
        self.looked = Stopwatch::start();
        let changed = modified(&self.path);
        // While it is written anew it may be gone for a moment.
        changed.is_some() && std::mem::replace(&mut self.changed, changed) != changed
    }
}

fn modified(path: &std::path::Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|data| data.modified()).ok()
}

impl<'h> Host<'h> {
    pub(super) fn new(server: Arc<Server>, events: Receiver<Event>, executor: &'h dyn Executor) -> Self {
        Self {
            server,
            events,
            executor,
            session: None,
            pages: BTreeMap::new(),
            control: None,
            playing: false,
            speed: 1.0,
            clock: Stopwatch::start(),
            version: 0,
            hash: None,
            file: None,
        }
    }

    /// Begins a scene.
    ///
    /// # Errors
    /// As [`Session::new`]; what there was goes on then.
    pub(super) fn open(&mut self, source: Source) -> Result<(), Failure> {
        let file = WatchedFile::of(&source);
        self.session = Some(Session::new(source)?);
        self.file = file;
        self.playing = false;
        self.begin_pages();
        Ok(())
    }

    /// What was played, if anything was.
    pub(super) fn session(&self) -> Option<&Session> {
        self.session.as_ref()
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
            self.follow_file();
            self.go_on();
            self.write_frames();
        }
        self.pages.values().for_each(|page| page.outbox.close());
    }

    /// The next thing that happens; nothing if the world has to go on before.
    fn wait(&self) -> Option<Event> {
        let to_file = self.file.as_ref().filter(|_| !self.pages.is_empty());
        let to_file = to_file.map(|_| LOOK_EVERY_S);
        let session = self.session.as_ref().filter(|_| self.playing);
        let to_step = session.map(|session| {
            let due = session.seconds_to_next_step(self.speed) - self.clock.elapsed_seconds();
            due.max(0.0)
        });
        let seconds = match (to_file, to_step) {
            (None, None) => return self.events.recv().ok(),
            (Some(file), Some(step)) => file.min(step),
            (Some(one), None) | (None, Some(one)) => one,
        };
        self.events.recv_timeout(Duration::from_secs_f64(seconds)).ok()
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Joined { page, outbox } => {
                let scenes = self.server.gallery.names();
                tell(&outbox, &Told::Gallery { scenes });
                self.pages.insert(page, Page::new(outbox));
                self.control.get_or_insert(page);
                self.version += 1;
            }
            Event::Left { page } => {
                self.pages.remove(&page);
                if self.control == Some(page) {
                    self.let_go();
                    self.control = self.pages.keys().next().copied();
                }
                // Nobody watches: the world waits.
                self.playing &= !self.pages.is_empty();
                self.version += 1;
            }
            Event::Request { page, request } => {
                if let Err(Failure(why)) = self.answer(page, request)
                    && let Some(page) = self.pages.get(&page)
                {
                    tell(&page.outbox, &Told::Error { text: &why });
                }
            }
            Event::Wanted { file, reply } => self.hand_out(file, &reply),
            Event::Wake => {}
        }
    }

    fn answer(&mut self, page: u64, request: Request) -> Result<(), Failure> {
        if request.needs_control() {
            if self.control != Some(page) {
                return Err(Failure("another page has control: take it first".to_string()));
            }
            self.version += 1;
            return match request {
                Request::Write {} => self.write(page),
                request => self.change(request),
            };
        }
        let world = self.session.as_ref().map(Session::world);
        let step = self.session.as_ref().map_or(0, Session::step);
        let Some(page_state) = self.pages.get_mut(&page) else {
            return Ok(());
        };
        match request {
            Request::Ready {} => page_state.drew(),
            Request::Layers {
                contacts,
                boxes,
                cells,
            } => page_state.set_layers(contacts, boxes, cells),
            Request::Select { entity } => page_state.select(entity.map(|key| key.0)),
            Request::List { search } => page_state.list(world, &search),
            Request::Scripts {} => {
                let scripts = self.session.as_ref().map_or_else(Vec::new, Session::scripts);
                tell(&page_state.outbox, &Told::Scripts { scripts });
            }
            Request::Hash {} => page_state.tell_hash(world, step),
            _ => {
                self.let_go();
                self.control = Some(page);
                self.version += 1;
            }
        }
        Ok(())
    }

    /// Writes what was edited into the scene's file, which is not read again for that.
    fn write(&mut self, page: u64) -> Result<(), Failure> {
        let session = self.session.as_mut();
        let session = session.ok_or_else(|| Failure("no scene was begun".to_string()))?;
        let left_out = session.write()?;
        if let Some(file) = &mut self.file {
            file.changed = modified(&file.path);
        }
        if let Some(page) = self.pages.get(&page) {
            tell(&page.outbox, &Told::Written { left_out });
        }
        Ok(())
    }

    /// Does what the page in control asks for.
    fn change(&mut self, request: Request) -> Result<(), Failure> {
        if let Request::Open { scene } = request {
            let source = self.server.gallery.find(&scene)?;
            return self.open(source);
        }
        let executor = self.executor;
        let session = self.session.as_mut();
        let session = session.ok_or_else(|| Failure("no scene was begun".to_string()))?;
        match request {
            Request::Play {} => {
                self.clock = Stopwatch::start();
                self.playing = true;
            }
            Request::Pause {} => self.playing = false,
            Request::Step {} => {
                self.playing = false;
                session.step_once(executor);
            }
            Request::Speed { speed } if (0.01..=16.0).contains(&speed) => self.speed = speed,
            Request::Speed { .. } => return Err(Failure("speeds are from 0.01 to 16".to_string())),
            Request::Reset {} => {
                session.reset()?;
                self.playing = false;
                self.begin_pages();
            }
            Request::Seek { step } => {
                self.playing = false;
                session.seek(step, executor);
                self.has_gone_back(step);
            }
            // A page may not know yet that the world went back; it says what it wants when the world goes on.
            Request::Act {
                action: Action::Input { .. },
            } if !self.playing && session.has_future() => {}
            Request::Act { action } => {
                let step = session.step();
                session.act(action)?;
                self.has_gone_back(step);
            }
            Request::Undo {} => {
                self.playing = false;
                session.undo(executor)?;
                let step = session.step();
                self.has_gone_back(step);
            }
            Request::Redo {} => session.redo(executor)?,
            _ => {}
        }
        Ok(())
    }

    /// Whoever had control has it no more. While the world stands the next page says what it wants when it goes on.
    fn let_go(&mut self) {
        if let Some(session) = self.session.as_mut().filter(|_| self.playing) {
            session.let_go();
        }
    }

    /// Figures of steps after this one may come anew.
    fn has_gone_back(&mut self, step: u64) {
        self.pages
            .values_mut()
            .for_each(|page| page.forget_rows_after(step));
    }

    /// Another world: pages begin anew.
    fn begin_pages(&mut self) {
        self.version += 1;
        self.pages.values_mut().for_each(Page::begin);
    }

    /// Begins the scene again when its file was changed; if that is wrong, says where, and the old world goes on, as it does
    /// while it has edits that no file has.
    fn follow_file(&mut self) {
        if self.pages.is_empty() {
            return;
        }
        let (Some(file), Some(session)) = (&mut self.file, &mut self.session) else {
            return;
        };
        if !file.has_changed() {
            return;
        }
        if session.has_unwritten() {
            session.outdate();
            let path = file.path.display();
            let why = format!(
                "{path} was changed by another program and not read again: edits here are not written yet. Share has the \
                 scene with them; Restart reads the file and drops them"
            );
            for page in self.pages.values() {
                tell(&page.outbox, &Told::Error { text: &why });
            }
            return;
        }
        let playing = self.playing;
        let begun = Source::find(&session.source.wanted).and_then(Session::new);
        match begun {
            Ok(session) => {
                self.session = Some(session);
                self.playing = playing;
                self.clock = Stopwatch::start();
                self.begin_pages();
            }
            Err(Failure(why)) => {
                print_error_line(&why);
                for page in self.pages.values() {
                    tell(&page.outbox, &Told::Error { text: &why });
                }
            }
        }
    }

    /// Makes the steps that are due.
    fn go_on(&mut self) {
        let Some(session) = self.session.as_mut().filter(|_| self.playing) else {
            return;
        };
        let elapsed = self.clock.elapsed_seconds();
        if elapsed < session.seconds_to_next_step(self.speed) {
            return;
        }
        self.clock = Stopwatch::start();
        if session.advance(elapsed, self.speed, self.executor) > 0 {
            self.version += 1;
        }
    }

    fn write_frames(&mut self) {
        let Some(session) = &self.session else {
            return;
        };
        let watchers = self.pages.len();
        let is_known = self
            .hash
            .as_ref()
            .is_some_and(|(version, _)| *version == self.version);
        if self.playing || watchers == 0 {
            self.hash = None;
        } else if !is_known {
            self.hash = Some((self.version, format!("{:016x}", session.world().state_hash())));
        }
        let shown = super::page::Shown {
            session,
            version: self.version,
            playing: self.playing,
            speed: self.speed,
            watchers,
            hash: self.hash.as_ref().map(|(_, hash)| hash.as_str()),
        };
        for (number, page) in &mut self.pages {
            if let Err(Failure(why)) = page.show(&shown, self.control == Some(*number)) {
                tell(&page.outbox, &Told::Error { text: &why });
            }
        }
    }

    fn hand_out(&self, file: Wanted, reply: &SyncSender<Result<File, Failure>>) {
        let session = self.session.as_ref();
        let made = session
            .map(|session| {
                let name = format!("{}-{}", session.source.name, session.step());
                Ok(match file {
                    Wanted::Save => File::Save {
                        name,
                        bytes: session.world().save(),
                    },
                    Wanted::Session | Wanted::Replay => File::Log {
                        name,
                        log: session.log(),
                    },
                    Wanted::Scene => File::Scene {
                        name: session.source.name.clone(),
                        text: session.edited_text()?.text,
                    },
                })
            })
            .unwrap_or_else(|| Err(Failure("no scene was begun".to_string())));
        drop(reply.send(made));
    }
}
