//! [`OpenedRecordings`]: the recordings that pages have opened, as pages that play them.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::Duration;

use tombolo::threads::Inline;

use super::http::Answer;
use crate::output::{Failure, unwound};
use crate::recordings::page_of;

/// The greatest size of a recording that is opened, in bytes; `pages/socket.js` of `tombolo_session` has it too.
pub(super) const RECORDING_BYTES_MAX: usize = 64 << 20;

/// The time for which a recording that is opened, or a session, may be played: a file of some kilobytes can have millions of steps.
pub(super) const PLAYING_TIME_MAX: Duration = Duration::from_secs(60);

/// The number of pages that are kept: each was opened by one of the server's pages, which then goes to it.
const PAGES_KEPT: usize = 4;

/// The pages of the last recordings that were opened.
#[derive(Default)]
pub(super) struct OpenedRecordings {
    kept: Mutex<KeptPages>,
    /// Held while one, or a session, is played: it takes a core, and memory for its frames.
    playing: Mutex<()>,
}

#[derive(Default)]
struct KeptPages {
    count: u64,
    /// With their numbers, the oldest first.
    pages: VecDeque<(u64, KeptPage)>,
}

/// A page, and the nonce of its style and program.
#[derive(Clone)]
struct KeptPage {
    nonce: String,
    body: Vec<u8>,
}

impl OpenedRecordings {
    /// Plays a recording or a session, one at a time.
    ///
    /// # Errors
    /// Another one is being played, or `play` fails.
    pub(super) fn alone<T>(&self, play: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        let _playing = match self.playing.try_lock() {
            Ok(playing) => playing,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                let why = "another recording or session is being played: wait until it has been made";
                return Err(Failure(why.into()));
            }
        };
        play()
    }

    /// Plays a recording and keeps its page; returns the page's number.
    ///
    /// # Errors
    /// The bytes are not a recording, or cannot be played, or not in a minute; playing it panics, as a recording of a
    /// defect may; another one is being played.
    pub(super) fn open(&self, name: &str, bytes: Vec<u8>, nonce: String) -> Result<u64, Failure> {
        let body = self.alone(|| Self::played(name, bytes, &nonce))?;
        let mut opened = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        opened.count += 1;
        let number = opened.count;
        opened.pages.push_back((number, KeptPage { nonce, body }));
        if opened.pages.len() > PAGES_KEPT {
            opened.pages.pop_front();
        }
        Ok(number)
    }

    /// The page of a recording.
    fn played(name: &str, bytes: Vec<u8>, nonce: &str) -> Result<Vec<u8>, Failure> {
        let played = unwound(|| page_of(name, bytes, nonce, PLAYING_TIME_MAX, &Inline));
        played.unwrap_or_else(|what| {
            Err(Failure(format!(
                "playing it panics: {what}. `tombolo shrink --until panics` makes it shorter"
            )))
        })
    }

    /// The page of a number.
    pub(super) fn page(&self, number: Option<&str>) -> Answer {
        let number = number.and_then(|number| number.parse().ok());
        let opened = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let page = opened.pages.iter().find(|(known, _)| Some(*known) == number);
        let page = page.map(|(_, page)| page.clone());
        drop(opened);
        match page {
            Some(KeptPage { nonce, body }) => Answer {
                nonce,
                ..Answer::show("text/html; charset=utf-8", body)
            },
            None => Answer::refusal(
                "404 Not Found",
                "this page of a recording is no longer kept: open the recording again",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use tombolo::physics::{PhysicsWorld, RecordOptions, Vec2, WorldDef};

    use super::*;

    fn recording() -> Vec<u8> {
        let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
        world.start_recording(RecordOptions::default());
        world.step(0.01).unwrap();
        world.end_recording()
    }

    #[test]
    fn the_last_pages_are_kept_and_what_is_refused_is_none() {
        let opened = OpenedRecordings::default();
        let is_there = |number: u64| opened.page(Some(&number.to_string())).status.starts_with("200");
        for number in 1..=6 {
            assert_eq!(opened.open("a", recording(), "n".to_string()).unwrap(), number);
        }
        let kept: Vec<u64> = (0..9).filter(|number| is_there(*number)).collect();
        assert_eq!(kept, [3, 4, 5, 6]);
        assert!(opened.open("b", vec![1, 2, 3], "n".to_string()).is_err());
        assert!(is_there(3) && !is_there(7));
        for number in [None, Some(""), Some("-1"), Some("x")] {
            assert!(opened.page(number).status.starts_with("404"), "{number:?}");
        }
    }

    #[test]
    fn one_recording_is_opened_at_a_time() {
        let opened = OpenedRecordings::default();
        let playing = opened.playing.lock().unwrap();
        let Failure(why) = opened.open("a", recording(), "n".to_string()).unwrap_err();
        assert!(
            why.starts_with("another recording or session is being played"),
            "{why}"
        );
        drop(playing);
        assert!(opened.open("a", recording(), "n".to_string()).is_ok());
    }

    #[test]
    fn a_recording_is_played_for_so_long_and_no_longer() {
        let Failure(why) = page_of("a", recording(), "n", Duration::ZERO, &Inline).unwrap_err();
        assert!(
            why.contains("more than 0 s: in that time 0 of its 1 steps"),
            "{why}"
        );
        // Also one of calls without a step.
        let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
        world.start_recording(RecordOptions::default());
        world.set_gravity(Vec2::X).unwrap();
        let calls = world.end_recording();
        let Failure(why) = page_of("a", calls.clone(), "n", Duration::ZERO, &Inline).unwrap_err();
        assert!(why.contains("0 of its 0 steps"), "{why}");
        assert!(page_of("a", calls, "n", PLAYING_TIME_MAX, &Inline).is_ok());
    }

    #[test]
    fn the_page_knows_how_much_the_server_takes() {
        let page = String::from_utf8(tombolo_session::pages::served("n")).unwrap();
        assert!(page.contains("const RECORDING_BYTES_MAX = 64 * 2 ** 20;"));
        assert_eq!(RECORDING_BYTES_MAX, 64 << 20);
    }
}
