//! What a test does to a server: plain requests, Ctrl-C, and a page that is a program.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

use super::server::Server;

/// Presses Ctrl-C, and waits for the end, which has to be a success.
pub(crate) fn interrupt(server: Server) {
    assert!(end(server, "-INT").success());
}

pub(crate) fn send(server: &Server, signal: &str) {
    let sent = Command::new("kill")
        .args([signal, &server.child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

/// Sends a signal, and waits for the end.
pub(crate) fn end(mut server: Server, signal: &str) -> ExitStatus {
    send(&server, signal);
    server.child.wait().unwrap()
}

/// The first line of the answer to a request with this head, and the rest.
pub(crate) fn answer(server: &Server, head: &str) -> (String, String) {
    answer_to(server, head.as_bytes())
}

/// The first line of the answer to a request of these bytes, and the rest.
pub(crate) fn answer_to(server: &Server, request: &[u8]) -> (String, String) {
    let mut stream = TcpStream::connect(&server.host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // One that is refused early may be gone before all is sent.
    drop(stream.write_all(request));
    let mut bytes = Vec::new();
    drop(stream.read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (first, rest) = text.split_once("\r\n").unwrap_or((&text, ""));
    (first.to_string(), rest.to_string())
}

/// A file that the server hands out: its head and its bytes.
pub(crate) fn download(server: &Server, path: &str) -> (String, Vec<u8>) {
    let Server { host, token, .. } = server;
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = format!("GET {path}?token={token} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let body = bytes.split_off(end + 4);
    (String::from_utf8(bytes).unwrap(), body)
}

/// All that a server sends, to the end, over a socket whose client sends these bytes after the handshake.
pub(crate) fn answer_to_bytes(server: &Server, bytes: &[u8]) -> String {
    let Server { host, token, .. } = server;
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = format!(
        "GET /socket?token={token} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\n\
         Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(bytes).unwrap();
    let mut got = Vec::new();
    drop(stream.read_to_end(&mut got));
    String::from_utf8_lossy(&got).into_owned()
}

/// The other end of a page's socket.
pub(crate) struct Page {
    socket: WebSocket<TcpStream>,
}

impl Page {
    /// A page that comes from the server.
    pub(crate) fn of(server: &Server) -> Self {
        Self::from_origin(server, &format!("http://{}", server.host)).expect("the server lets it in")
    }

    /// A page that says where it comes from.
    pub(crate) fn from_origin(server: &Server, origin: &str) -> Result<Self, String> {
        let Server { host, token, .. } = server;
        let stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut request = format!("ws://{host}/socket?token={token}")
            .into_client_request()
            .unwrap();
        request.headers_mut().insert("Origin", origin.parse().unwrap());
        let (socket, _) = tungstenite::client(request, stream).map_err(|error| error.to_string())?;
        Ok(Self { socket })
    }

    pub(crate) fn send_text(&mut self, text: &str) -> Result<(), tungstenite::Error> {
        self.socket.send(Message::text(text))
    }

    pub(crate) fn send(&mut self, request: Value) {
        self.send_text(&request.to_string()).unwrap();
    }

    pub(crate) fn act(&mut self, action: Value) {
        self.send(json!({"do": "act", "action": action}));
    }

    /// What comes next: a text, or what stands before a frame, which then counts as drawn.
    pub(crate) fn next(&mut self) -> Value {
        self.try_next().expect("the server goes on")
    }

    pub(crate) fn try_next(&mut self) -> Result<Value, tungstenite::Error> {
        loop {
            match self.socket.read()? {
                Message::Text(text) => return Ok(serde_json::from_str(&text).unwrap()),
                Message::Binary(bytes) => {
                    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
                    let mut head: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
                    head["is"] = json!("frame");
                    head["bytes"] = json!(bytes.len());
                    self.send_text(r#"{"do":"ready"}"#)?;
                    return Ok(head);
                }
                _ => {}
            }
        }
    }

    /// The next message of a kind.
    pub(crate) fn until(&mut self, kind: &str) -> Value {
        self.until_it(kind, |_| true)
    }

    /// The next message of a kind that fits.
    pub(crate) fn until_it(&mut self, kind: &str, fits: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..100_000 {
            let next = self.next();
            if next["is"] == kind && fits(&next) {
                return next;
            }
        }
        panic!("no {kind} came that fits");
    }

    /// The step where the world stands, and the state's hash.
    pub(crate) fn hash(&mut self) -> (u64, String) {
        self.send(json!({"do": "hash"}));
        let told = self.until("hash");
        let hash = told["hash"].as_str().unwrap().to_string();
        (told["step"].as_u64().unwrap(), hash)
    }

    /// Makes so many steps one by one.
    pub(crate) fn steps(&mut self, count: u32) {
        (0..count).for_each(|_| self.send(json!({"do": "step"})));
    }

    /// The entity of a name, by its handle's number.
    pub(crate) fn entity(&mut self, name: &str) -> String {
        self.send(json!({"do": "list", "search": name}));
        let told = self.until("entities");
        let mut rows = told["rows"].as_array().unwrap().iter();
        let row = rows.find(|row| row["name"] == name);
        row.unwrap_or_else(|| panic!("{name} is not in {told}"))["entity"]
            .as_str()
            .unwrap()
            .to_string()
    }

    /// The value of a property, as text.
    pub(crate) fn property(&mut self, entity: &str, path: &str) -> String {
        // What was told of one that was selected before is not meant.
        self.send(json!({"do": "select", "entity": null}));
        self.hash();
        self.send(json!({"do": "select", "entity": entity}));
        let told = self.until("entity");
        let (part, name) = path.split_once('.').unwrap();
        let parts = told["parts"].as_array().unwrap();
        let part = parts.iter().find(|found| found["name"] == part).unwrap();
        let mut properties = part["properties"].as_array().unwrap().iter();
        let property = properties.find(|property| property["name"] == name).unwrap();
        property["value"].as_str().unwrap().to_string()
    }

    /// Where an entity is.
    pub(crate) fn position(&mut self, entity: &str) -> [f64; 2] {
        let text = self.property(entity, "transform.world_position");
        let bare = text.trim_matches(['(', ')']);
        let (x, y) = bare.split_once(", ").unwrap();
        [x.parse().unwrap(), y.parse().unwrap()]
    }
}
