//! The server: which connections are accepted, and what each gets. Only a client with the token gets anything, over an
//! address that no other site can have, and only a page of this server gets a socket.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::Duration;

use tombolo::threads::Inline;
use tombolo_session::{Log, Message, Outbox as _, Request, pages};
use tungstenite::handshake::derive_accept_key;

use super::gallery::Gallery;
use super::http::{Answer, Head, NoHead};
use super::opened::{OpenedRecordings, PLAYING_TIME_MAX, RECORDING_BYTES_MAX};
use super::replayed::{page_of, recording_of};
use super::socket::{Outbox, SILENCE_MAX, Socket, message_bytes_for};
use crate::output::Failure;
use crate::recordings::PlayingTime;

/// The greatest number of connections at once.
const CONNECTIONS_MAX: usize = 64;

/// The greatest number of pages at once.
const PAGES_MAX: usize = 8;

/// The messages from the threads of connections to the host.
pub(super) enum Event {
    /// A page has connected.
    Joined { page: u64, outbox: Arc<Outbox> },
    /// A page makes a request.
    Request { page: u64, request: Request },
    /// A page has disconnected.
    Left { page: u64 },
    /// A client asks for a file.
    Wanted {
        file: Wanted,
        reply: SyncSender<Result<File, Failure>>,
    },
    /// Makes the host check whether it is time to end.
    Wake,
}

/// A file to download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The world in the engine's format of saves.
    Save,
    /// The log of the session.
    Session,
    /// A page that replays the session.
    Replay,
    /// A recording of the session.
    Recording,
    /// The scene's text with the edits.
    Scene,
    /// The pictures of the map that is played, for the page.
    Pictures,
}

/// The file as an answer.
#[derive(Debug)]
pub(super) enum File {
    Save { name: String, bytes: Vec<u8> },
    Log { name: String, log: Log },
    Scene { name: String, text: String },
    Pictures(Vec<u8>),
}

/// The state that all connections share.
pub(super) struct Server {
    pub(super) address: SocketAddr,
    token: String,
    pub(super) gallery: Gallery,
    opened: OpenedRecordings,
    events: SyncSender<Event>,
    connections: AtomicUsize,
    pages: AtomicUsize,
    next_page: AtomicU64,
    /// The number of messages that were refused since the start.
    bad_messages: AtomicU64,
    /// The greatest length of a page's message in bytes.
    message_bytes_max: AtomicUsize,
}

/// A place in a count of connections or pages, held until it is dropped.
struct Place<'c>(&'c AtomicUsize);

impl<'c> Place<'c> {
    /// `None` if the count is at its limit.
    fn take(count: &'c AtomicUsize, most: usize) -> Option<Self> {
        let place = Self(count);
        (count.fetch_add(1, Ordering::Relaxed) < most).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Server {
    /// Listens on an address; port 0 is any that is free.
    ///
    /// # Errors
    /// The address is taken or not this machine's, or there are no random numbers for a token.
    pub(super) fn start(
        address: SocketAddr,
        gallery: Gallery,
        events: SyncSender<Event>,
    ) -> Result<Arc<Self>, Failure> {
        let refuse = |error: std::io::Error| Failure(format!("{address}: cannot be listened on: {error}"));
        let listener = TcpListener::bind(address).map_err(refuse)?;
        let server = Arc::new(Self {
            address: listener.local_addr().map_err(refuse)?,
            token: random_digits()?,
            gallery,
            opened: OpenedRecordings::default(),
            events,
            connections: AtomicUsize::new(0),
            pages: AtomicUsize::new(0),
            next_page: AtomicU64::new(0),
            bad_messages: AtomicU64::new(0),
            message_bytes_max: AtomicUsize::new(message_bytes_for(0)),
        });
        let accepting = Arc::clone(&server);
        thread::Builder::new()
            .name("play: listening".to_string())
            .spawn(move || accepting.accept_all(&listener))
            .map_err(refuse)?;
        Ok(server)
    }

    /// The address to open in a browser.
    pub(super) fn url(&self) -> String {
        let Self { address, token, .. } = self;
        let mut shown = *address;
        match address.ip() {
            IpAddr::V4(Ipv4Addr::UNSPECIFIED) => shown.set_ip(Ipv4Addr::LOCALHOST.into()),
            // Not every system lets IPv4 reach a socket of IPv6.
            IpAddr::V6(Ipv6Addr::UNSPECIFIED) => shown.set_ip(Ipv6Addr::LOCALHOST.into()),
            _ => {}
        }
        format!("http://{shown}/?token={token}")
    }

    /// Sets the longest text, of a script or of a node graph, that a page may send in a message.
    pub(super) fn allow_texts(&self, bytes: usize) {
        self.message_bytes_max
            .store(message_bytes_for(bytes), Ordering::Relaxed);
    }

    /// The number of messages that were refused since the start.
    pub(super) fn bad_messages(&self) -> u64 {
        self.bad_messages.load(Ordering::Relaxed)
    }

    fn accept_all(self: Arc<Self>, listener: &TcpListener) {
        loop {
            let Ok((stream, _)) = listener.accept() else {
                // For example too many open files: connections that end free some.
                thread::sleep(Duration::from_millis(50));
                continue;
            };
            let server = Arc::clone(&self);
            let answering = thread::Builder::new().name("play: a connection".to_string());
            // A connection for which no thread can be started is closed.
            drop(answering.spawn(move || server.answer(stream)));
        }
    }

    fn answer(&self, mut stream: TcpStream) {
        let place = Place::take(&self.connections, CONNECTIONS_MAX);
        let answer = match place {
            Some(_) => match Head::read(&mut stream) {
                Ok(head) if head.method == "POST" => self.take(head, &mut stream),
                Ok(head) => match self.route(&head) {
                    Ok(answer) => answer,
                    Err(upgrade) => return self.serve_page(stream, head, &upgrade),
                },
                Err(NoHead::Nothing) => return,
                Err(NoHead::Wrong) => Answer::refusal("400 Bad Request", "this is no request"),
            },
            None => Answer::refusal("503 Service Unavailable", "too many connections"),
        };
        drop(stream.set_write_timeout(Some(Duration::from_secs(10))));
        drop(answer.send(&mut stream));
        drop(stream.shutdown(std::net::Shutdown::Write));
    }

    /// The refusal of a request that is not for this server, or has not its token.
    fn forbidden(&self, head: &Head) -> Option<Answer> {
        let token = head.asked("token");
        let why = if !head.is_for(self.address.port(), self.address.ip().is_loopback()) {
            "this address is not this server's"
        } else if !token.is_some_and(|token| is_same(&token, &self.token)) {
            "the token is missing or wrong: open the address that `tombolo play` has printed"
        } else {
            return None;
        };
        Some(Answer::refusal("403 Forbidden", why))
    }

    /// The answer to a request with a file: a recording, whose page gets a number.
    fn take(&self, mut head: Head, stream: &mut TcpStream) -> Answer {
        if let Some(refusal) = self.forbidden(&head) {
            return refusal;
        }
        if head.path != "/open" {
            return Answer::refusal("405 Method Not Allowed", "only GET is answered");
        }
        if !head.is_from_own_page() {
            return Answer::refusal("403 Forbidden", "the page that asks is not this server's");
        }
        let bytes = match head.read_body(stream, RECORDING_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(refusal) => return refusal,
        };
        let name = head.asked("name").unwrap_or_default();
        let opened = random_digits().and_then(|nonce| self.opened.open(&name, bytes, nonce));
        match opened {
            Ok(number) => Answer::show("text/plain; charset=utf-8", number.to_string().into_bytes()),
            Err(Failure(why)) => Answer::refusal("422 Unprocessable Content", &why),
        }
    }

    /// The answer to a request, or the key of a socket's handshake.
    fn route(&self, head: &Head) -> Result<Answer, String> {
        if let Some(refusal) = self.forbidden(head) {
            return Ok(refusal);
        }
        if head.method != "GET" {
            return Ok(Answer::refusal("405 Method Not Allowed", "only GET is answered"));
        }
        Ok(match head.path.as_str() {
            "/" => page(),
            "/socket" => match (head.is_from_own_page(), head.handshake_key()) {
                (true, Some(key)) => return Err(key.to_string()),
                (true, None) => Answer::refusal("400 Bad Request", "this is no handshake of a WebSocket"),
                (false, _) => Answer::refusal("403 Forbidden", "the page that asks is not this server's"),
            },
            "/opened" => self.opened.page(head.asked("number").as_deref()),
            "/picture" => self.picture(head),
            "/pictures" => self.file(Wanted::Pictures),
            "/save" => self.file(Wanted::Save),
            "/scene" => self.file(Wanted::Scene),
            "/session" => self.file(Wanted::Session),
            "/replay" => self.file(Wanted::Replay),
            "/recording" => self.file(Wanted::Recording),
            _ => Answer::refusal("404 Not Found", "there is nothing here"),
        })
    }

    fn picture(&self, head: &Head) -> Answer {
        let picture = head.asked("scene").map(|scene| self.gallery.picture(&scene));
        match picture {
            Some(Ok(bytes)) => Answer::show("image/png", bytes),
            Some(Err(Failure(why))) => Answer::refusal("404 Not Found", &why),
            None => Answer::refusal("400 Bad Request", "which scene?"),
        }
    }

    fn file(&self, file: Wanted) -> Answer {
        let (reply, answer) = mpsc::sync_channel(1);
        if self.events.send(Event::Wanted { file, reply }).is_err() {
            return Answer::refusal("503 Service Unavailable", "the server ends");
        }
        let made = answer
            .recv()
            .map_err(|_| Failure("the server ends".to_string()))
            .flatten();
        let made = made.and_then(|found| match (found, file) {
            (File::Save { name, bytes }, _) => Ok(Answer::save(
                "application/octet-stream",
                format!("{name}.tombolo"),
                bytes,
            )),
            (File::Pictures(bytes), _) => Ok(Answer::show("application/json", bytes)),
            (File::Scene { name, text }, _) => Ok(Answer::save(
                "text/plain; charset=utf-8",
                format!("{name}.ron"),
                text.into_bytes(),
            )),
            (File::Log { name, log }, Wanted::Replay) => Ok(Answer::save(
                "text/html; charset=utf-8",
                format!("{name}.html"),
                self.opened.alone(|| page_of(&log, &session_time(), &Inline))?,
            )),
            (File::Log { name, log }, Wanted::Recording) => Ok(Answer::save(
                "application/octet-stream",
                format!("{name}.rec"),
                self.opened
                    .alone(|| recording_of(&log, &session_time(), &Inline))?,
            )),
            (File::Log { name, log }, _) => Ok(Answer::save(
                "application/jsonl",
                format!("{name}.jsonl"),
                log.to_text()?.into_bytes(),
            )),
        });
        made.unwrap_or_else(|Failure(why)| Answer::refusal("409 Conflict", &why))
    }

    /// Answers a handshake and reads the page's messages until it disconnects.
    fn serve_page(&self, mut stream: TcpStream, head: Head, key: &str) {
        let Some(_place) = Place::take(&self.pages, PAGES_MAX) else {
            drop(Answer::refusal("503 Service Unavailable", "too many pages").send(&mut stream));
            return;
        };
        let accept = derive_accept_key(key.as_bytes());
        let hello = format!(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
        );
        let page = self.next_page.fetch_add(1, Ordering::Relaxed);
        let outbox = Arc::new(Outbox::default());
        if stream.write_all(hello.as_bytes()).is_err() {
            return;
        }
        let Ok(socket) = Socket::start(stream, head.rest, Arc::clone(&outbox), SILENCE_MAX) else {
            return;
        };
        let joined = Event::Joined {
            page,
            outbox: Arc::clone(&outbox),
        };
        if self.events.send(joined).is_ok() {
            let take = |request| self.events.send(Event::Request { page, request }).is_ok();
            let refuse = |why: &str| {
                self.bad_messages.fetch_add(1, Ordering::Relaxed);
                outbox.push(Message::error(why));
            };
            let longest = || self.message_bytes_max.load(Ordering::Relaxed);
            socket.read_all(take, refuse, longest);
            drop(self.events.send(Event::Left { page }));
        }
        outbox.close();
    }
}

/// 128 random bits in hexadecimal digits.
fn random_digits() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The time for which a session is played for a page.
fn session_time() -> PlayingTime {
    let instead = "Share has the list of its actions, of which `tombolo play --again FILE --recording FILE` makes a recording";
    PlayingTime::of(PLAYING_TIME_MAX, instead)
}

/// The live page, with a nonce of its own.
fn page() -> Answer {
    match random_digits() {
        Ok(nonce) => Answer {
            body: pages::served(&nonce),
            nonce,
            ..Answer::show("text/html; charset=utf-8", Vec::new())
        },
        Err(Failure(why)) => Answer::refusal("503 Service Unavailable", &why),
    }
}

/// Whether two texts are equal, in a time that does not depend on the length of their common part.
fn is_same(given: &str, known: &str) -> bool {
    let pairs = given.bytes().zip(known.bytes());
    let difference = pairs.fold(0, |difference, (a, b)| difference | (a ^ b));
    given.len() == known.len() && difference == 0
}
