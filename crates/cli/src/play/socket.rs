//! The two threads of a page's socket: one reads the page's requests, one writes messages to it. Neither ever blocks
//! the world: messages wait in an [`Outbox`], and the world checks whether it has room.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tombolo::threads::Stopwatch;
use tungstenite::error::{CapacityError, Error, ProtocolError};
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, Role, WebSocket, WebSocketConfig};
use tungstenite::{Bytes, Message, Utf8Bytes};

use tombolo_session::Request;

/// The greatest length of a message in bytes that is read at all: the longest script that a scene can allow.
const MESSAGE_BYTES_MAX: usize = message_bytes_for(1 << 24);

/// The bytes that are read from the network at once.
const READ_BYTES: usize = 64 << 10;

/// The length of a message in bytes, at most, that has a text of this length, and the least that is allowed: setting a
/// property with a long text. JSON writes line ends, tabs and quotes with two bytes.
pub(super) const fn message_bytes_for(text_bytes: usize) -> usize {
    let longest = 2 * text_bytes + (4 << 10);
    if longest > 64 << 10 { longest } else { 64 << 10 }
}

/// The rate at which a page's messages are read, and the number by which it may be ahead. Further ones wait in the
/// network.
const MESSAGES_PER_SECOND: f64 = 400.0;
const MESSAGES_AHEAD_MAX: f64 = 800.0;

/// The number of invalid messages after which a socket is closed: the server's own pages send none.
const BAD_MESSAGES_MAX: u32 = 10_000;

/// The greatest number of texts that wait for a slow page; frames are not written before it has drawn the last ones.
const WAITING_MAX: usize = 256;

/// The time after which a page that takes nothing counts as gone.
const WRITE_SECONDS_MAX: u64 = 10;

/// The time after which a page of which nothing was heard counts as gone. It is asked for a sign three times in this time;
/// browsers give it without the page's doing.
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(45);
const ASKED_IN_SILENCE: u32 = 3;

/// The queue of messages to a page.
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

    /// Closes the queue: no further messages are added.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.has_changed.notify_one();
    }

    /// Waits for the next message; `None` once the queue is closed.
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
    fn push(&self, message: tombolo_session::Message) -> bool {
        let mut waiting = self.lock();
        let has_room = waiting.messages.len() < WAITING_MAX;
        if has_room {
            waiting.messages.push_back(match message {
                tombolo_session::Message::Text(text) => Message::text(text),
                tombolo_session::Message::Frame(bytes) => Message::binary(bytes),
            });
            self.has_changed.notify_one();
        }
        has_room
    }
}

/// A connection that two threads write to, each a whole message at a time.
struct Wire {
    stream: TcpStream,
    turn: Arc<Mutex<()>>,
}

impl Read for Wire {
    /// A process that is stopped and goes on (Ctrl-Z, a debugger) reads on.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }
}

impl Write for Wire {
    /// Writes all bytes: a message is never divided.
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
    silence_max: Duration,
}

impl Socket {
    /// Begins to write the messages of the outbox; `rest` are bytes that came with the handshake. A page of which nothing is
    /// heard for `silence_max` counts as gone.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn start(
        stream: TcpStream,
        rest: Vec<u8>,
        outbox: Arc<Outbox>,
        silence_max: Duration,
    ) -> io::Result<Self> {
        stream.set_read_timeout(Some(silence_max / ASKED_IN_SILENCE))?;
        stream.set_write_timeout(Some(Duration::from_secs(WRITE_SECONDS_MAX)))?;
        stream.set_nodelay(true)?;
        let turn = Arc::new(Mutex::new(()));
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BYTES)
            .write_buffer_size(0)
            .max_message_size(Some(MESSAGE_BYTES_MAX))
            .max_frame_size(Some(MESSAGE_BYTES_MAX));
        let writing = Wire {
            stream: stream.try_clone()?,
            turn: Arc::clone(&turn),
        };
        let writer = WebSocket::from_raw_socket(writing, Role::Server, Some(config));
        let outgoing = Arc::clone(&outbox);
        std::thread::Builder::new()
            .name("play: to a page".to_string())
            .spawn(move || write_all(writer, &outgoing))?;
        let wire = Wire { stream, turn };
        Ok(Self {
            reader: WebSocket::from_partially_read(wire, rest, Role::Server, Some(config)),
            outbox,
            silence_max,
        })
    }

    /// Reads until the page disconnects, or nothing is heard of it. `take` gets each request, and returns whether to go
    /// on; `refuse` gets the error of an invalid message, such as one of more than `longest` bytes.
    pub(super) fn read_all(
        mut self,
        mut take: impl FnMut(Request) -> bool,
        refuse: impl Fn(&str),
        longest: impl Fn() -> usize,
    ) {
        let watch = Stopwatch::start();
        let (mut count, mut bad) = (0.0, 0);
        loop {
            let message = match self.next_message() {
                Ok(Message::Text(text)) if text.len() > longest() => {
                    let (length, longest) = (text.len(), longest());
                    Err(format!("a message has {length} bytes; {longest} are allowed"))
                }
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
            // After a long silence a page is ahead by the allowed number and no more.
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

    /// The next message of the page, which is asked for a sign when nothing is heard of it.
    ///
    /// # Errors
    /// The socket has ended, or nothing was heard for too long.
    fn next_message(&mut self) -> Result<Message, Error> {
        let silence = Stopwatch::start();
        loop {
            match self.reader.read() {
                Err(Error::Io(error))
                    if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
                        && silence.elapsed_seconds() < self.silence_max.as_secs_f64() =>
                {
                    self.reader.send(Message::Ping(Bytes::new()))?;
                }
                read => return read,
            }
        }
    }

    /// Reports why the socket ends, if the page is the cause: bytes that are no message of a WebSocket, or one too long.
    fn end(&mut self, error: &Error, refuse: &impl Fn(&str)) {
        let (why, code) = match error {
            Error::Capacity(CapacityError::MessageTooLong { .. }) => (
                format!("a message has more than {MESSAGE_BYTES_MAX} bytes"),
                CloseCode::Size,
            ),
            Error::Utf8(_) => ("a text is not UTF-8".to_string(), CloseCode::Invalid),
            // A page that is gone without a word is no bad one.
            Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => return,
            Error::Protocol(why) => (why.to_string(), CloseCode::Protocol),
            _ => return,
        };
        refuse(&why);
        let reason = Utf8Bytes::from_static("this is no message of a page");
        drop(self.reader.close(Some(CloseFrame { code, reason })));
        drop(self.reader.flush());
    }
}

/// Writes until the outbox is closed or the page has disconnected.
fn write_all(mut writer: WebSocket<Wire>, outbox: &Outbox) {
    while let Some(message) = outbox.pop() {
        if writer.send(message).is_err() {
            break;
        }
    }
    drop(writer.close(None));
    drop(writer.flush());
    // The reading thread ends too.
    drop(writer.get_ref().stream.shutdown(Shutdown::Both));
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// A server's socket that takes this long a silence, and the other end of its connection.
    fn connected(silence_max: Duration) -> (Socket, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let other = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        let socket = Socket::start(stream, Vec::new(), Arc::default(), silence_max).unwrap();
        (socket, other)
    }

    /// A machine that sleeps, or a network that is gone, does not say so.
    #[test]
    fn a_page_that_says_nothing_any_more_is_gone_and_one_that_answers_is_not() {
        let (socket, silent) = connected(Duration::from_millis(300));
        socket.read_all(|_| true, |_| {}, || 0);
        drop(silent);
        let (socket, other) = connected(Duration::from_millis(600));
        let mut page = WebSocket::from_raw_socket(other, Role::Client, None);
        let reading = std::thread::spawn(move || {
            let mut requests = 0;
            socket.read_all(
                |_| {
                    requests += 1;
                    true
                },
                |why| panic!("{why}"),
                || 100,
            );
            requests
        });
        // Each is an answer to one of the server's; together they take longer than the silence that it takes.
        let mut asked = 0;
        while asked < 6 {
            if let Message::Ping(_) = page.read().unwrap() {
                asked += 1;
                page.flush().unwrap();
            }
        }
        page.send(Message::text("{\"do\":\"ready\"}")).unwrap();
        page.close(None).unwrap();
        page.flush().unwrap();
        assert_eq!(reading.join().unwrap(), 1);
    }

    #[test]
    fn a_message_that_is_too_long_is_refused_and_the_next_one_is_read() {
        let (socket, other) = connected(Duration::from_secs(20));
        let mut page = WebSocket::from_raw_socket(other, Role::Client, None);
        let long = format!("{{\"do\":\"list\",\"search\":\"{}\"}}", "x".repeat(100));
        page.send(Message::text(long)).unwrap();
        page.send(Message::text("{\"do\":\"ready\"}")).unwrap();
        page.close(None).unwrap();
        let refused = std::cell::RefCell::new(Vec::new());
        let mut requests = 0;
        socket.read_all(
            |_| {
                requests += 1;
                true
            },
            |why| refused.borrow_mut().push(why.to_string()),
            || 100,
        );
        assert_eq!(requests, 1);
        assert_eq!(refused.into_inner(), ["a message has 125 bytes; 100 are allowed"]);
    }
}
