//! The part of HTTP/1.1 that a page on loopback needs: the head of a request, its body, and an answer after which the
//! connection ends.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, TcpStream};
use std::time::Duration;

use tombolo::threads::Stopwatch;

/// The greatest length of a request's head.
const HEAD_BYTES_MAX: usize = 8 << 10;

/// The greatest time in which the head must arrive.
const HEAD_SECONDS_MAX: f64 = 5.0;

/// The greatest time in which the body must arrive.
const BODY_SECONDS_MAX: f64 = 60.0;

/// Headers that forbid other sites the use of an answer.
const SAFETY: &str = "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
    Cache-Control: no-store\r\n";

/// Why there is no head of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoHead {
    /// Nothing was sent: a browser opens connections ahead, and sends its request on another one if this one ends without
    /// an answer.
    Nothing,
    /// What was sent is no request, or did not arrive as a whole in time.
    Wrong,
}

/// The head of a request.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) method: String,
    /// The path before the question mark.
    pub(super) path: String,
    /// The query after the question mark.
    query: String,
    /// The headers, with names in lower case.
    headers: Vec<(String, String)>,
    /// Bytes after the head that were received with it.
    pub(super) rest: Vec<u8>,
}

impl Head {
    /// Reads the head of a request, within the limits.
    pub(super) fn read(stream: &mut TcpStream) -> Result<Self, NoHead> {
        let watch = Stopwatch::start();
        let mut bytes = Vec::new();
        loop {
            if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
                let rest = bytes.split_off(end + 4);
                return Self::parse(&bytes, rest).ok_or(NoHead::Wrong);
            }
            let nothing_comes = if bytes.is_empty() {
                NoHead::Nothing
            } else {
                NoHead::Wrong
            };
            let left = HEAD_SECONDS_MAX - watch.elapsed_seconds();
            if bytes.len() >= HEAD_BYTES_MAX || left <= 0.0 {
                return Err(nothing_comes);
            }
            stream
                .set_read_timeout(Some(Duration::from_secs_f64(left)))
                .map_err(|_| nothing_comes)?;
            let mut part = [0; 1024];
            match stream.read(&mut part) {
                Ok(count) if count > 0 => bytes.extend(&part[..count]),
                // The process was stopped, and goes on.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                _ => return Err(nothing_comes),
            }
        }
    }

    fn parse(bytes: &[u8], rest: Vec<u8>) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let mut lines = text.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target) = (words.next()?, words.next()?);
        let is_known = words.next()?.starts_with("HTTP/1.") && words.next().is_none();
        if !is_known || !target.starts_with('/') {
            return None;
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let headers = lines.take_while(|line| !line.is_empty()).map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_string()))
        });
        Some(Self {
            method: method.to_string(),
            path: path.to_string(),
            query: query.to_string(),
            headers: headers.collect::<Option<_>>()?,
            rest,
        })
    }

    /// Reads the body after the head.
    ///
    /// # Errors
    /// Its length is not given or more than `bytes_max`, or it does not arrive in time.
    pub(super) fn read_body(&mut self, stream: &mut TcpStream, bytes_max: usize) -> Result<Vec<u8>, Answer> {
        let length = self
            .header("content-length")
            .and_then(|length| length.parse::<usize>().ok());
        let Some(length) = length else {
            return Err(Answer::refusal("411 Length Required", "how long is it?"));
        };
        if length > bytes_max {
            let why = format!("it has {length} bytes; {bytes_max} are taken");
            return Err(Answer::refusal("413 Content Too Large", &why));
        }
        let late = || {
            Answer::refusal(
                "408 Request Timeout",
                "it did not arrive in time, or not as a whole",
            )
        };
        let watch = Stopwatch::start();
        let mut bytes = std::mem::take(&mut self.rest);
        let mut part = vec![0; 64 << 10];
        while bytes.len() < length {
            let left = BODY_SECONDS_MAX - watch.elapsed_seconds();
            if left <= 0.0 {
                return Err(late());
            }
            drop(stream.set_read_timeout(Some(Duration::from_secs_f64(left))));
            match stream.read(&mut part) {
                Ok(count) if count > 0 => bytes.extend(&part[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                _ => return Err(late()),
            }
        }
        bytes.truncate(length);
        Ok(bytes)
    }

    /// The value of a header that occurs exactly once.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(known, _)| known == name);
        let (first, second) = (values.next()?, values.next());
        second.is_none().then_some(first.1.as_str())
    }

    /// A value of the query, with escapes such as `%20` decoded.
    pub(super) fn asked(&self, name: &str) -> Option<String> {
        let mut parts = self.query.split('&').filter_map(|part| part.split_once('='));
        let (_, value) = parts.find(|(known, _)| *known == name)?;
        decoded(value)
    }

    /// The key of a WebSocket handshake, if the request is one.
    pub(super) fn handshake_key(&self) -> Option<&str> {
        let upgrade = self.header("upgrade")?.eq_ignore_ascii_case("websocket");
        let version = self.header("sec-websocket-version")? == "13";
        let key = self.header("sec-websocket-key")?;
        (upgrade && version && key.len() == 24).then_some(key)
    }

    /// Whether the request names this machine in a way that no other site can have: an IP address, or `localhost`; an IP
    /// address of its own loopback if the server listens only there.
    pub(super) fn is_for(&self, port: u16, only_loopback: bool) -> bool {
        let host = self.header("host");
        host.is_some_and(|host| is_own_host(host, port, only_loopback))
    }

    /// Whether the request comes from a page of this server.
    pub(super) fn is_from_own_page(&self) -> bool {
        let host = self.header("host");
        let origin = self
            .header("origin")
            .and_then(|origin| origin.strip_prefix("http://"));
        host.is_some() && origin == host
    }
}

/// Whether a `Host` is this server's. One without a port means port 80: browsers leave that out.
fn is_own_host(host: &str, port: u16, only_loopback: bool) -> bool {
    let with_port = host.rsplit_once(':').filter(|(_, number)| !number.ends_with(']'));
    let (name, number) = with_port.unwrap_or((host, "80"));
    if number.parse() != Ok(port) {
        return false;
    }
    let bare = name
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(name);
    match bare.parse::<IpAddr>() {
        Ok(address) => address.is_loopback() || !only_loopback,
        Err(_) => name == "localhost",
    }
}

/// A text of a query with its escapes decoded.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        if first == b'%' {
            let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &rest[2..];
        } else {
            bytes.push(if first == b'+' { b' ' } else { first });
        }
    }
    String::from_utf8(bytes).ok()
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: &'static str,
    pub(super) kind: &'static str,
    /// The name under which a browser saves it; empty to show it.
    pub(super) file: String,
    /// The nonce of the page's program and style; empty for other answers.
    pub(super) nonce: String,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// An answer that says what went wrong.
    pub(super) fn refusal(status: &'static str, why: &str) -> Self {
        Self {
            status,
            kind: "text/plain; charset=utf-8",
            file: String::new(),
            nonce: String::new(),
            body: format!("{why}\n").into_bytes(),
        }
    }

    /// An answer that is shown.
    pub(super) fn show(kind: &'static str, body: Vec<u8>) -> Self {
        Self {
            status: "200 OK",
            kind,
            file: String::new(),
            nonce: String::new(),
            body,
        }
    }

    /// An answer that is saved as a file.
    pub(super) fn save(kind: &'static str, file: String, body: Vec<u8>) -> Self {
        Self {
            file,
            ..Self::show(kind, body)
        }
    }

    /// Sends it and ends the connection.
    ///
    /// # Errors
    /// The client has closed the connection.
    pub(super) fn send(&self, stream: &mut TcpStream) -> io::Result<()> {
        let Self {
            status,
            kind,
            file,
            nonce,
            body,
        } = self;
        let length = body.len();
        let saved = if file.is_empty() {
            String::new()
        } else {
            format!("Content-Disposition: attachment; {}\r\n", file_name(file))
        };
        // The page may load from and send to this server only, run no injected script, and be in no frame.
        let own = if nonce.is_empty() {
            String::new()
        } else {
            format!("script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; ")
        };
        let policy = format!(
            "Content-Security-Policy: default-src 'none'; {own}img-src 'self' data: blob:; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
        );
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{saved}{policy}{SAFETY}Connection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        stream.flush()
    }
}

/// A file's name in a header (RFC 6266): as a plain one for old programs, and in full.
fn file_name(name: &str) -> String {
    let plain = |letter: char| {
        let is_plain = letter.is_ascii() && !letter.is_ascii_control() && !"\"\\".contains(letter);
        if is_plain { letter } else { '_' }
    };
    let full = name.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    });
    let (plain, full) = (
        name.chars().map(plain).collect::<String>(),
        full.collect::<String>(),
    );
    format!("filename=\"{plain}\"; filename*=UTF-8''{full}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_ends_no_header_and_is_whole() {
        assert_eq!(
            file_name("yard.ron"),
            "filename=\"yard.ron\"; filename*=UTF-8''yard.ron"
        );
        assert_eq!(
            file_name("a \"b\"\r\n\\ü.ron"),
            "filename=\"a _b_____.ron\"; filename*=UTF-8''a%20%22b%22%0D%0A%5C%C3%BC.ron"
        );
    }

    fn head(text: &str) -> Option<Head> {
        Head::parse(text.as_bytes(), Vec::new())
    }

    #[test]
    fn a_head_is_read() {
        let head =
            head("GET /a/b?token=x&name=a%20b+c HTTP/1.1\r\nHost: localhost:80\r\nX: 1\r\nx: 2\r\n\r\n")
                .unwrap();
        assert_eq!((head.method.as_str(), head.path.as_str()), ("GET", "/a/b"));
        assert_eq!(head.asked("token").as_deref(), Some("x"));
        assert_eq!(head.asked("name").as_deref(), Some("a b c"));
        assert_eq!(head.asked("other"), None);
        assert_eq!(head.header("host"), Some("localhost:80"));
        assert_eq!(head.header("x"), None, "twice is not at all");
    }

    #[test]
    fn a_malformed_request_head_is_refused() {
        for text in [
            "",
            "GET",
            "GET / HTTP/2\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1 x\r\n\r\n",
        ] {
            assert!(head(text).is_none(), "{text:?}");
        }
        assert!(head("GET / HTTP/1.1\r\nno colon\r\n\r\n").is_none());
        assert_eq!(decoded("%"), None);
        assert_eq!(decoded("%zz"), None);
        assert_eq!(decoded("%ff"), None, "no UTF-8");
    }

    #[test]
    fn only_names_that_no_other_site_can_have_are_ours() {
        for host in ["127.0.0.1:80", "localhost:80", "[::1]:80", "127.1.2.3:80"] {
            assert!(is_own_host(host, 80, true), "{host}");
        }
        // Browsers leave out the port 80, and no other.
        for host in ["127.0.0.1", "localhost", "[::1]"] {
            assert!(is_own_host(host, 80, true), "{host}");
            assert!(!is_own_host(host, 8080, true), "{host}");
        }
        for host in [
            "evil.example:80",
            "evil.example",
            "127.0.0.1:81",
            "192.168.1.5:80",
            "localhost.evil.example:80",
            ":80",
            "",
        ] {
            assert!(!is_own_host(host, 80, true), "{host}");
        }
        assert!(is_own_host("192.168.1.5:80", 80, false));
        assert!(!is_own_host("evil.example:80", 80, false));
    }

    #[test]
    fn a_page_of_elsewhere_is_told_apart() {
        let from = |origin: &str| {
            let text = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:80\r\n{origin}\r\n");
            head(&text).unwrap().is_from_own_page()
        };
        assert!(from("Origin: http://127.0.0.1:80\r\n"));
        assert!(!from("Origin: http://127.0.0.1:81\r\n"));
        assert!(!from("Origin: https://127.0.0.1:80\r\n"));
        assert!(!from("Origin: http://evil.example\r\n"));
        assert!(!from("Origin: null\r\n"));
        assert!(!from(""));
    }
}
