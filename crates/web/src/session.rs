//! Exports for a live session in the page that contains the module: requests and messages are those of `tombolo play`,
//! without a server between them. The page's worker, `crates/session/src/pages/worker.js`, calls these functions.
#![allow(unsafe_code)]

use std::cell::RefCell;

use tombolo::Scene;
use tombolo::threads::Inline;
use tombolo_session::{Message, Origin, Solo};

use crate::exchange::{Failure, Input, Output, exchange};

thread_local! {
    static SOLO: RefCell<Option<Solo>> = const { RefCell::new(None) };
}

fn refused(tombolo_session::Failure(why): tombolo_session::Failure) -> Failure {
    why.into()
}

fn with_session(call: impl FnOnce(&mut Solo, &Input, &mut Output) -> Result<usize, Failure>) -> i32 {
    exchange(|input, output| {
        SOLO.with_borrow_mut(|solo| call(solo.as_mut().ok_or("no session was opened")?, input, output))
    })
}

/// Opens the session of a scene in place of any other. Texts: the path or name by which it was opened, its name, the
/// scene. `has_file` is 0 if the scene was generated and not written by a person.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn session_open(
    wanted_bytes: usize,
    name_bytes: usize,
    text_bytes: usize,
    has_file: u32,
) -> i32 {
    exchange(|input, _| {
        let wanted = input.text(0, wanted_bytes)?;
        let name = input.text(wanted_bytes, name_bytes)?;
        let text = input.text(wanted_bytes + name_bytes, text_bytes)?;
        let scene = Scene::parse(wanted, text)?;
        let origin = Origin::new(wanted, name, scene, has_file != 0);
        SOLO.set(Some(Solo::new(origin).map_err(refused)?));
        Ok(0)
    })
}

/// Handles a request as JSON, at a time in seconds. An error becomes a message.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn session_hear(bytes: usize, now_s: f64) -> i32 {
    with_session(|solo, input, _| {
        solo.hear(input.text(0, bytes)?, now_s, &Inline);
        Ok(0)
    })
}

/// Makes the steps that are due at a time in seconds. Numbers: the seconds until the next one is due; -1 while paused.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn session_go_on(now_s: f64) -> i32 {
    with_session(|solo, _, output| {
        let due = solo.go_on(now_s, &Inline);
        output.numbers.push(due.map_or(-1.0, |due| due as f32));
        Ok(1)
    })
}

/// The next message to the page: 0 none, 1 a text, 2 a frame. Bytes: the message.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn session_next() -> i32 {
    with_session(|solo, _, output| {
        Ok(match solo.next_message() {
            None => 0,
            Some(Message::Text(text)) => {
                output.bytes = text.into_bytes();
                1
            }
            Some(Message::Frame(bytes)) => {
                output.bytes = bytes;
                2
            }
        })
    })
}

/// A file of the session: 0 its log, 1 the scene with its edits, 2 the world's save. Bytes: the file. For the scene there
/// is a message too, with the edits that it lacks.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn session_file(which: u32) -> i32 {
    with_session(|solo, _, output| {
        output.bytes = match which {
            0 => solo.session().log().to_text().map_err(refused)?.into_bytes(),
            1 => solo.write().map_err(refused)?.into_bytes(),
            _ => solo.session().world().save(),
        };
        Ok(output.bytes.len())
    })
}
