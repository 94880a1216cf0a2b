//! A server of `tombolo play`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A server that ends with the test.
pub(crate) struct Server {
    pub(crate) child: Child,
    /// Such as `127.0.0.1:4321`.
    pub(crate) host: String,
    pub(crate) token: String,
}

impl Server {
    /// Starts `tombolo play` with these words.
    pub(crate) fn start(words: &[&str]) -> Self {
        Self::of_command(env!("CARGO_BIN_EXE_tombolo"), words)
    }

    /// Starts a command that is `tombolo`, from the root of the repository.
    pub(crate) fn of_command(command: &str, words: &[&str]) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut child = Command::new(command)
            .args([&["play", "--threads", "1"], words].concat())
            .current_dir(root)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let (host, token) = line
            .trim()
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once("/?token="))
            .unwrap_or_else(|| panic!("{line:?} is no address"));
        Self {
            host: host.to_string(),
            token: token.to_string(),
            child,
        }
    }

    /// What it has printed.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/?token={}", self.host, self.token)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
