//! How a server ends, and that it goes on after it was stopped.

use crate::client::{end, interrupt, send};
use crate::recordings::said;
use crate::start;
use crate::support::Folder;

/// A session cannot be played again: a full disk for one file leaves the others.
#[cfg(target_os = "linux")]
#[test]
fn each_result_is_written_whether_or_not_the_others_can_be() {
    let folder = Folder::new("play-results");
    let path = |name: &str| folder.0.join(name).display().to_string();
    let [recording, page_file] = ["end.rec", "replay.html"].map(path);
    let wanted = [
        "--session",
        "/dev/full",
        "--recording",
        &recording,
        "--record",
        &page_file,
    ];
    let (server, mut page) = start(&folder, &wanted);
    page.steps(3);
    drop(page);
    assert_eq!(end(server, "-INT").code(), Some(1));
    for path in [recording, page_file] {
        assert!(
            std::fs::metadata(&path).is_ok_and(|file| file.len() > 0),
            "{path}"
        );
    }
}

/// A terminal that is closed, a service that is stopped.
#[cfg(unix)]
#[test]
fn other_ends_than_ctrl_c_write_the_session_too() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    let is_heard = ignored.is_some_and(|bits| bits & 1 == 0);
    if !is_heard {
        println!("SIGHUP is skipped: this test was started so that it is ignored");
    }
    for signal in ["-TERM"].into_iter().chain(is_heard.then_some("-HUP")) {
        let folder = Folder::new(&format!("play-end{signal}"));
        let session = folder.0.join("session.jsonl").display().to_string();
        let (server, mut page) = start(&folder, &["--session", &session]);
        page.steps(3);
        let (step, hash) = page.hash();
        drop(page);
        // Both who closes a terminal and the system say so.
        send(&server, signal);
        assert!(end(server, signal).success());
        let text = said(&["play", "--again", &session]);
        let wanted = format!("{step} steps, 0 actions, hash {hash}");
        assert!(text.contains(&wanted), "{text}");
    }
}

/// By Ctrl-Z and `fg`, or a debugger: the page stays connected.
#[cfg(unix)]
#[test]
fn a_server_that_is_stopped_and_goes_on_keeps_its_pages() {
    let folder = Folder::new("play-stopped");
    let (server, mut page) = start(&folder, &[]);
    page.steps(5);
    for signal in ["-STOP", "-CONT", "-STOP", "-CONT"] {
        let id = server.child.id().to_string();
        let sent = std::process::Command::new("kill").args([signal, &id]).status();
        assert!(sent.unwrap().success());
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    page.steps(5);
    assert_eq!(page.hash().0, 10);
    interrupt(server);
}
