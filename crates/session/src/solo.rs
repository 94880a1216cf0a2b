//! [`Solo`]: a session for a single page, with the messages to it in a queue. It has no files: their content is
//! available as bytes.

use std::cell::RefCell;
use std::collections::VecDeque;

use tombolo::threads::Executor;

use crate::failure::Failure;
use crate::origin::Origin;
use crate::page::Page;
use crate::playback::{After, Playback};
use crate::protocol::{HostRequest, Message, Outbox, Request};
use crate::session::Session;
use crate::write_back::WrittenBack;

/// Messages in their order.
#[derive(Default)]
struct Waiting(RefCell<VecDeque<Message>>);

impl Outbox for Waiting {
    fn push(&self, message: Message) -> bool {
        self.0.borrow_mut().push_back(message);
        true
    }
}

/// A session for a single page.
///
/// ```
/// use tombolo::Scene;
/// use tombolo::threads::Inline;
/// use tombolo_session::{Message, Origin, Solo};
/// let text = r#"(entities: {"a": {"body": Body()}}, place: [One(name: "a", entity: "a")])"#;
/// let scene = Scene::parse("a.ron", text).unwrap();
/// let mut solo = Solo::new(Origin::new("a.ron", "a", scene, true)).unwrap();
/// solo.hear(r#"{"do":"step"}"#, 0.0, &Inline);
/// solo.go_on(0.0, &Inline);
/// let mut messages = std::iter::from_fn(|| solo.next_message());
/// assert!(matches!(messages.next(), Some(Message::Text(text)) if text.starts_with(r#"{"is":"start""#)));
/// assert!(matches!(messages.next(), Some(Message::Frame(_))));
/// ```
pub struct Solo {
    playback: Playback,
    page: Page<Waiting>,
    /// The time of the last call of `go_on`, in seconds.
    went_on_s: f64,
}

impl Solo {
    /// Starts a session of a scene, at its first moment.
    ///
    /// # Errors
    /// Physics refuses a part of it.
    pub fn new(origin: Origin) -> Result<Self, Failure> {
        let world = origin.world()?;
        Ok(Self {
            playback: Playback::new(Session::new(origin, world)),
            page: Page::new(Waiting::default()),
            went_on_s: 0.0,
        })
    }

    /// Handles a request as JSON, at a time in seconds; a refusal becomes a message.
    pub fn hear(&mut self, request: &str, now_s: f64, executor: &dyn Executor) {
        let read = serde_json::from_str(request).map_err(Failure::from);
        if let Err(Failure(why)) = read.and_then(|request| self.answer(request, now_s, executor)) {
            self.page.refuse(&why);
        }
    }

    fn answer(&mut self, request: Request, now_s: f64, executor: &dyn Executor) -> Result<(), Failure> {
        if !request.needs_control() {
            self.page.hear(&request, Some(self.playback.session()));
            return Ok(());
        }
        if let Some(HostRequest::Open(_) | HostRequest::Write) = request.host_request() {
            return Err(Failure(
                "this page has no files: Share has the scene to download".to_string(),
            ));
        }
        let was_playing = self.playback.is_playing();
        match self.playback.change(request, executor)? {
            After::Same => {}
            After::GoneBack(step) => self.page.forget_rows_after(step),
            After::Begun => self.page.begin(),
        }
        if !was_playing {
            self.went_on_s = now_s;
        }
        Ok(())
    }

    /// Makes the steps that are due at a time in seconds, and writes a frame if there is something new and it can be
    /// sent. Returns the seconds until the next step is due; `None` while the world is paused.
    pub fn go_on(&mut self, now_s: f64, executor: &dyn Executor) -> Option<f64> {
        let elapsed_s = now_s - self.went_on_s;
        if (self.playback.seconds_to_next_step()).is_some_and(|due| elapsed_s >= due) {
            self.went_on_s = now_s;
            self.playback.go_on(elapsed_s, executor);
        }
        let shown = self.playback.shown(1, self.page.wants_hash(), now_s);
        if let Err(Failure(why)) = self.page.show(&shown, true) {
            self.page.refuse(&why);
        }
        self.playback.seconds_to_next_step()
    }

    /// The scene's text with the edits in it, for a file of the page's own. The page is told which edits are left out,
    /// and the edits count as written from now on.
    ///
    /// # Errors
    /// The world comes from no scene file.
    pub fn write(&mut self) -> Result<String, Failure> {
        let written = self.session().edited_text()?;
        self.playback.session_mut().note_written(&written);
        self.playback.touch();
        let WrittenBack { text, left_out } = written;
        self.page.send_written(left_out);
        Ok(text)
    }

    /// Removes and returns the next message to the page.
    pub fn next_message(&mut self) -> Option<Message> {
        self.page.outbox().0.borrow_mut().pop_front()
    }

    /// The session: its log, its text and its world can be saved.
    pub fn session(&self) -> &Session {
        self.playback.session()
    }
}
