//! The two threads of a page's socket: one reads what the page asks for, one writes what it is told. Neither ever holds the
//! world up: what is told waits in an [`Outbox`], of which the world looks whether there is room.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tombolo::threads::Stopwatch;
use tungstenite::error::{CapacityError, Error};
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, Role, WebSocket, WebSocketConfig};
use tungstenite::{Message, Utf8Bytes};

use tombolo_session::Request;

/// A message of a page has at most so many bytes; a property with a long text is the longest.
const MESSAGE_BYTES_MAX: usize = 64 << 10;

/// A page is heard so often a second, and may be ahead of that by so many messages. What comes faster waits in the network.
const MESSAGES_PER_SECOND: f64 = 400.0;
const MESSAGES_AHEAD_MAX: f64 = 800.0;

/// So many messages that are none end a socket: no page of ours sends any.
const BAD_MESSAGES_MAX: u32 = 10_000;

/// Texts wait for a page that reads slowly up to so many; frames are not written before it has drawn the last ones.
const WAITING_MAX: usize = 256;

/// A page that takes nothing for so long is gone.
const WRITE_SECONDS_MAX: u64 = 10;

/// What a page is to be told, on its way.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    waiting: Mutex<Waiting>,
    has_changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    messages: VecDeque<Message>,
    is_closed: bool,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing more will be told.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.has_changed.notify_one();
    }

    /// What is next; `None` at the end.
    fn pop(&self) -> Option<Message> {
        let mut waiting = self.lock();
        loop {
            if let Some(message) = waiting.messages.pop_front() {
                return Some(message);
            }
            if waiting.is_closed {
                return None;
            }
            waiting = self
                .has_changed
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl tombolo_session::Outbox for Outbox {
    fn push(&self, message: tombolo_session::Message) {
        let mut waiting = self.lock();
        if waiting.messages.len() < WAITING_MAX {
            waiting.messages.push_back(match message {
                tombolo_session::Message::Text(text) => Message::text(text),
                tombolo_session::Message::Frame(bytes) => Message::binary(bytes),
            });
            self.has_changed.notify_one();
        }
    }
}

/// A connection that two threads write to, each a whole message at a time.
struct Wire {
    stream: TcpStream,
    turn: Arc<Mutex<()>>,
}

impl Read for Wire {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.read(bytes)
    }
}

impl Write for Wire {
    /// Writes all of it: a message is never divided.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.stream.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// A socket after its handshake.
pub(super) struct Socket {
    reader: WebSocket<Wire>,
    outbox: Arc<Outbox>,
}

impl Socket {
    /// Begins to write what the outbox gets; `rest` came behind the handshake.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn start(stream: TcpStream, rest: Vec<u8>, outbox: Arc<Outbox>) -> io::Result<Self> {
        stream.set_read_timeout(None)?;
        stream.set_write_timeout(Some(Duration::from_secs(WRITE_SECONDS_MAX)))?;
        stream.set_nodelay(true)?;
        let turn = Arc::new(Mutex::new(()));
        let config = WebSocketConfig::default()
            .read_buffer_size(MESSAGE_BYTES_MAX)
            .write_buffer_size(0)
            .max_message_size(Some(MESSAGE_BYTES_MAX))
            .max_frame_size(Some(MESSAGE_BYTES_MAX));
        let writing = Wire {
            stream: stream.try_clone()?,
            turn: Arc::clone(&turn),
        };
        let writer = WebSocket::from_raw_socket(writing, Role::Server, Some(config));
        let told = Arc::clone(&outbox);
        std::thread::Builder::new()
            .name("play: to a page".to_string())
            .spawn(move || write_all(writer, &told))?;
        let wire = Wire { stream, turn };
        Ok(Self {
            reader: WebSocket::from_partially_read(wire, rest, Role::Server, Some(config)),
            outbox,
        })
    }

    /// Reads until the page is gone. `take` gets each request, and says whether to go on; `refuse` gets what is wrong with
    /// a message.
    pub(super) fn read_all(mut self, mut take: impl FnMut(Request) -> bool, refuse: impl Fn(&str)) {
        let watch = Stopwatch::start();
        let (mut count, mut bad) = (0.0, 0);
        loop {
            let message = match self.reader.read() {
                Ok(Message::Text(text)) => serde_json::from_str(&text).map_err(|error| error.to_string()),
                Ok(Message::Binary(_)) => Err("requests are texts".to_string()),
                Ok(Message::Close(_)) => break,
                Ok(_) => continue,
                Err(error) => {
                    self.end(&error, &refuse);
                    break;
                }
            };
            match message {
                Ok(request) => {
                    if !take(request) {
                        break;
                    }
                }
                Err(why) => {
                    bad += 1;
                    refuse(&why);
                    if bad >= BAD_MESSAGES_MAX {
                        break;
                    }
                }
            }
            count += 1.0;
            // Whoever was silent for long has saved up no more than the lead.
            let due = watch.elapsed_seconds() * MESSAGES_PER_SECOND;
            count = f64::max(count, due - MESSAGES_AHEAD_MAX);
            let ahead = count - due - MESSAGES_AHEAD_MAX;
            if ahead > 0.0 {
                std::thread::sleep(Duration::from_secs_f64(ahead / MESSAGES_PER_SECOND));
            }
        }
        self.outbox.close();
        drop(self.reader.get_ref().stream.shutdown(Shutdown::Read));
    }

    /// Tells why the socket ends, if it was the page's fault.
    fn end(&mut self, error: &Error, refuse: &impl Fn(&str)) {
        let Error::Capacity(CapacityError::MessageTooLong { .. }) = error else {
            return;
        };
        refuse(&format!("a message has more than {MESSAGE_BYTES_MAX} bytes"));
        let frame = CloseFrame {
            code: CloseCode::Size,
            reason: Utf8Bytes::from_static("the message is too long"),
        };
        drop(self.reader.close(Some(frame)));
        drop(self.reader.flush());
    }
}

/// Writes until the outbox is closed or the page is gone.
fn write_all(mut writer: WebSocket<Wire>, outbox: &Outbox) {
    while let Some(message) = outbox.pop() {
        if writer.send(message).is_err() {
            break;
        }
    }
    drop(writer.close(None));
    drop(writer.flush());
    // Ends the reading thread too.
    drop(writer.get_ref().stream.shutdown(Shutdown::Both));
}
