//! [`Playback`]: a session that plays at a speed, or stands, and does what the page in control asks for.

use tombolo::threads::Executor;

use crate::action::Action;
use crate::failure::Failure;
use crate::protocol::{Asked, Request};
use crate::session::Session;

/// A session that plays at a speed, or stands.
pub struct Playback {
    session: Session,
    is_playing: bool,
    speed: f32,
    /// Changes with whatever a page is shown.
    version: u64,
    /// The hash of a state that stands, and for which version it was found.
    hash: Option<(u64, String)>,
}

/// What became of the past when a request was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// It is what it was.
    Same,
    /// Figures of steps after this one may come anew: [`Page::forget_rows_after`](crate::Page::forget_rows_after).
    GoneBack(u64),
    /// The world is at its first moment: [`Page::begin`](crate::Page::begin).
    Begun,
}

/// What pages are shown.
pub struct Shown<'s> {
    pub(crate) session: &'s Session,
    pub(crate) version: u64,
    pub(crate) is_playing: bool,
    pub(crate) speed: f32,
    pub(crate) watchers: usize,
    pub(crate) now_s: f64,
    /// Of the state, while it stands.
    pub(crate) hash: Option<&'s str>,
}

impl Playback {
    /// A session that stands.
    pub fn new(session: Session) -> Self {
        Self {
            session,
            is_playing: false,
            speed: 1.0,
            version: 0,
            hash: None,
        }
    }

    /// Another session in place of this one. Whether it plays, and how fast, stays as it was.
    pub fn replace(&mut self, session: Session) {
        self.session = session;
        self.touch();
    }

    /// What is played.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The same, to say what became of its file.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Whether it plays.
    pub fn is_playing(&self) -> bool {
        self.is_playing
    }

    /// Lets it stand.
    pub fn pause(&mut self) {
        self.is_playing = false;
        self.touch();
    }

    /// Pages are to be shown something else.
    pub fn touch(&mut self) {
        self.version += 1;
    }

    /// Whoever had control has it no more. While the world stands the next page says what it wants when it goes on.
    pub fn let_go(&mut self) {
        if self.is_playing {
            self.session.let_go();
        }
    }

    /// Seconds until the next step is due; `None` while it stands.
    pub fn seconds_to_next_step(&self) -> Option<f64> {
        self.is_playing
            .then(|| self.session.seconds_to_next_step(self.speed))
    }

    /// Makes the steps that are due `elapsed_s` seconds after the last call, or after it began to play. Nothing while it stands.
    pub fn go_on(&mut self, elapsed_s: f64, executor: &dyn Executor) {
        if !self.is_playing {
            return;
        }
        if self.session.advance(elapsed_s, self.speed, executor) > 0 {
            self.touch();
        }
    }

    /// Does what the page in control asks for. What is an [`Errand`](crate::Errand) is left to the program around, except for
    /// a reset.
    ///
    /// # Errors
    /// The world refuses it, or there is nothing to undo. Nothing has happened then.
    pub fn change(&mut self, request: Request, executor: &dyn Executor) -> Result<After, Failure> {
        self.touch();
        let session = &mut self.session;
        match request.0 {
            Asked::Play {} => self.is_playing = true,
            Asked::Pause {} => self.is_playing = false,
            Asked::Step {} => {
                self.is_playing = false;
                session.step_once(executor);
            }
            Asked::Speed { speed } if (0.01..=16.0).contains(&speed) => self.speed = speed,
            Asked::Speed { .. } => return Err(Failure("speeds are from 0.01 to 16".to_string())),
            Asked::Reset {} => {
                session.reset()?;
                self.is_playing = false;
                return Ok(After::Begun);
            }
            Asked::Seek { step } => {
                self.is_playing = false;
                session.seek(step, executor);
                return Ok(After::GoneBack(step));
            }
            // A page may not know yet that the world went back; it says what it wants when the world goes on.
            Asked::Act {
                action: Action::Input { .. },
            } if !self.is_playing && session.has_future() => {}
            Asked::Act { action } => {
                let step = session.step();
                session.act(action)?;
                return Ok(After::GoneBack(step));
            }
            Asked::Undo {} => {
                self.is_playing = false;
                session.undo(executor)?;
                return Ok(After::GoneBack(session.step()));
            }
            Asked::Redo {} => session.redo(executor)?,
            _ => {}
        }
        Ok(After::Same)
    }

    /// What pages are shown now, `now_s` seconds after any moment that stays the same. `watchers` is the number of pages. While
    /// the world stands and somebody watches this costs a hash of the state for each change.
    pub fn shown(&mut self, watchers: usize, now_s: f64) -> Shown<'_> {
        let is_known = (self.hash.as_ref()).is_some_and(|(version, _)| *version == self.version);
        if self.is_playing || watchers == 0 {
            self.hash = None;
        } else if !is_known {
            let hash = format!("{:016x}", self.session.world().state_hash());
            self.hash = Some((self.version, hash));
        }
        Shown {
            session: &self.session,
            version: self.version,
            is_playing: self.is_playing,
            speed: self.speed,
            watchers,
            now_s,
            hash: self.hash.as_ref().map(|(_, hash)| hash.as_str()),
        }
    }
}
