//! [`Playback`]: a session that plays at a speed, or is paused, and carries out the requests of the page in control.

use tombolo::threads::Executor;

use crate::action::Action;
use crate::failure::Failure;
use crate::protocol::{Request, RequestKind};
use crate::session::Session;

/// The time between two hashes of the state while a session plays, in seconds: a hash reads all of the world.
const HASH_EVERY_S: f64 = 0.1;

/// A session that plays at a speed, or is paused.
pub struct Playback {
    session: Session,
    is_playing: bool,
    speed: f32,
    /// Changes whenever pages have something else to show.
    version: u64,
    /// The hash of a state, and the version for which it was computed.
    hash: Option<(u64, String)>,
    /// The time at which it was computed, in seconds.
    hashed_at_s: f64,
}

/// The effect of a request on the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// The past is unchanged.
    Same,
    /// Figures of steps after this one may change: [`Page::forget_rows_after`](crate::Page::forget_rows_after).
    GoneBack(u64),
    /// The world is at its first moment: [`Page::begin`](crate::Page::begin).
    Begun,
}

/// The state that pages show.
pub struct Shown<'s> {
    pub(crate) session: &'s Session,
    pub(crate) version: u64,
    pub(crate) is_playing: bool,
    pub(crate) speed: f32,
    pub(crate) watchers: usize,
    pub(crate) now_s: f64,
    /// The hash of the state, if it is paused or was asked for.
    pub(crate) hash: Option<&'s str>,
}

impl Playback {
    /// Starts paused.
    pub fn new(session: Session) -> Self {
        Self {
            session,
            is_playing: false,
            speed: 1.0,
            version: 0,
            hash: None,
            hashed_at_s: f64::NEG_INFINITY,
        }
    }

    /// Replaces the session. Whether it plays, and its speed, stay the same.
    pub fn replace(&mut self, session: Session) {
        self.session = session;
        self.touch();
    }

    /// The session that is played.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The session, to note changes of its file.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Whether it plays.
    pub fn is_playing(&self) -> bool {
        self.is_playing
    }

    /// Pauses the session.
    pub fn pause(&mut self) {
        self.is_playing = false;
        self.touch();
    }

    /// Notes that pages have something else to show.
    pub fn touch(&mut self) {
        self.version += 1;
    }

    /// Releases what is dragged, and sets all inputs to 0 if the session plays, since no page is in control any more.
    /// While it is paused they stay: the next page in control sends its own when the session resumes. In a past state,
    /// which has a future, nothing is released.
    pub fn let_go(&mut self) {
        if !self.session.has_future() {
            self.session.release();
            self.touch();
        }
        if self.is_playing {
            self.session.let_go();
        }
    }

    /// Seconds until the next step is due; `None` while paused.
    pub fn seconds_to_next_step(&self) -> Option<f64> {
        self.is_playing
            .then(|| self.session.seconds_to_next_step(self.speed))
    }

    /// Makes the steps that are due `elapsed_s` seconds after the last call, or after playing began. Does nothing while
    /// paused.
    pub fn go_on(&mut self, elapsed_s: f64, executor: &dyn Executor) {
        if !self.is_playing {
            return;
        }
        if self.session.advance(elapsed_s, self.speed, executor) > 0 {
            self.touch();
        }
    }

    /// Carries out a request of the page in control. A [`HostRequest`](crate::HostRequest) is left to the program
    /// around, except for a reset.
    ///
    /// # Errors
    /// The world refuses it, or there is nothing to undo. Nothing has changed then.
    pub fn change(&mut self, request: Request, executor: &dyn Executor) -> Result<After, Failure> {
        self.touch();
        let session = &mut self.session;
        match request.0 {
            RequestKind::Play {} => self.is_playing = true,
            RequestKind::Pause {} => self.is_playing = false,
            RequestKind::Step {} => {
                self.is_playing = false;
                session.step_once(executor);
            }
            RequestKind::Speed { speed } if (0.01..=16.0).contains(&speed) => self.speed = speed,
            RequestKind::Speed { .. } => return Err(Failure("speeds are from 0.01 to 16".to_string())),
            RequestKind::Reset {} => {
                session.reset()?;
                self.is_playing = false;
                return Ok(After::Begun);
            }
            RequestKind::Seek { step } => {
                self.is_playing = false;
                session.seek(step, executor);
                return Ok(After::GoneBack(session.step()));
            }
            // A page may not have learned yet that the world went back; it sends its inputs again when the world
            // resumes.
            RequestKind::Act {
                action: Action::Input { .. },
            } if !self.is_playing && session.has_future() => {}
            RequestKind::Act { action } => {
                let step = session.step();
                session.act(action)?;
                return Ok(After::GoneBack(step));
            }
            RequestKind::Undo {} => {
                session.undo(executor)?;
                self.is_playing = false;
                return Ok(After::GoneBack(session.step()));
            }
            RequestKind::Redo {} => {
                let step = session.step();
                session.redo(executor)?;
                return Ok(After::GoneBack(step));
            }
            _ => {}
        }
        Ok(After::Same)
    }

    /// The state that pages show, `now_s` seconds after any fixed moment. `watchers` is the number of pages, and
    /// `wants_hash` whether one of them waits for a hash ([`Page::wants_hash`](crate::Page::wants_hash)). While somebody
    /// watches, this costs a hash of the state for each change of a paused world, and at most ten a second of one that
    /// plays.
    pub fn shown(&mut self, watchers: usize, wants_hash: bool, now_s: f64) -> Shown<'_> {
        let version = self.version;
        let is_due = now_s - self.hashed_at_s >= HASH_EVERY_S;
        let is_needed = watchers > 0 && (!self.is_playing || (wants_hash && is_due));
        self.hash.take_if(|(of, _)| *of != version);
        if is_needed && self.hash.is_none() {
            let hash = format!("{:016x}", self.session.world().state_hash());
            self.hash = Some((version, hash));
            self.hashed_at_s = now_s;
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
