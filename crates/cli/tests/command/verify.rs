//! `tombolo verify`: worlds compared between thread counts, and with the hashes that were blessed.

use crate::support::{DROP, Folder, tombolo};
use std::process::Output;

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Asserts that a call ended with code 1, and gives what it printed on stderr.
fn error(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn verify_blesses_compares_and_notices() {
    let folder = Folder::new("verify");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let golden = folder.0.join("golden.txt").display().to_string();
    let verify = |more: &[&str]| {
        let mut words = vec!["verify", &scene, "--threads", "1,2,3", "--golden", &golden];
        words.extend(more);
        tombolo(&words)
    };

    let missing = verify(&["--steps", "50"]);
    assert_eq!(missing.status.code(), Some(1), "{missing:?}");
    std::fs::write(&golden, "").unwrap();
    let unblessed = verify(&["--steps", "50"]);
    assert!(
        unblessed.status.success() && stdout(&unblessed).contains("none"),
        "{unblessed:?}"
    );
    assert_eq!(std::fs::read(&golden).unwrap(), b"", "only --bless writes");

    assert!(
        verify(&["--steps", "50", "--bless", "--reason", "the first"])
            .status
            .success()
    );
    let text = std::fs::read_to_string(&golden).unwrap();
    assert!(
        text.starts_with(&format!("{scene} ")) && text.ends_with(" 50 # the first\n"),
        "{text}"
    );
    let same = verify(&[]);
    assert!(
        same.status.success() && stdout(&same).contains("the same"),
        "{same:?}"
    );

    let hash = text.split_whitespace().nth(1).unwrap();
    std::fs::write(&golden, text.replace(hash, "0123456789abcdef")).unwrap();
    let other = verify(&[]);
    let expected =
        format!("tombolo: {scene}: the hash is {hash}, not 0123456789abcdef as blessed for \"the first\"\n");
    assert_eq!(error(&other), expected);

    assert!(verify(&["--bless", "--reason", "put right"]).status.success());
    assert!(
        std::fs::read_to_string(&golden)
            .unwrap()
            .contains(&format!("{hash} 50 # put right"))
    );
}

#[test]
fn the_shipped_worlds_have_their_blessed_hashes() {
    let output = tombolo(&["verify", "--threads", "1,3"]);
    assert!(output.status.success(), "{output:?}");
    let text = stdout(&output);
    for world in ["harbour", "falling_hinges"] {
        let row = text
            .lines()
            .find(|line| line.starts_with(world))
            .unwrap_or_else(|| panic!("{world} in {text}"));
        assert!(row.ends_with("the same"), "{row}");
    }
}

/// The command in a folder of its own, where nothing of the repository is.
fn away(folder: &Folder, words: &[&str]) -> Output {
    std::process::Command::new(env!("CARGO_BIN_EXE_tombolo"))
        .args(words)
        .current_dir(&folder.0)
        .output()
        .unwrap()
}

#[test]
fn verify_never_compares_with_nothing() {
    let words = [
        "verify",
        "falling_hinges",
        "--steps",
        "1",
        "--golden",
        "nofile.txt",
    ];
    let line = error(&tombolo(&words));
    assert!(
        line.starts_with("tombolo: nofile.txt: cannot be read: "),
        "{line}"
    );

    let folder = Folder::new("verify-away");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let output = tombolo(&["verify", &scene, "--steps", "2", "--threads", "1"]);
    let wanted = "nothing to compare with: it ran in one way only, and no hash is blessed for 2 steps";
    assert_eq!(error(&output), format!("tombolo: {scene}: {wanted}\n"));

    let output = away(&folder, &["verify", "falling_hinges", "--threads", "1"]);
    assert!(output.status.success(), "{output:?}");
    assert!(
        stdout(&output).ends_with("  the same\n"),
        "away from the repository the hashes are built in: {output:?}"
    );
}

/// A file is not the shipped world whose name it has, and is blessed by its path.
#[test]
fn a_file_is_not_compared_with_a_shipped_world_of_its_name() {
    let folder = Folder::new("verify-name");
    let scene = folder.file("harbour.ron", DROP.as_bytes());
    let verify =
        |more: &[&str]| tombolo(&[&["verify", &scene, "--steps", "3", "--threads", "1,2"], more].concat());
    let output = verify(&[]);
    assert!(
        output.status.success() && stdout(&output).ends_with("  none\n"),
        "{output:?}"
    );
    let blessed = "harbour 0123456789abcdef 3 # of the shipped one\n";
    let golden = folder.file("golden.txt", blessed.as_bytes());
    let output = verify(&["--golden", &golden, "--bless", "--reason", "mine"]);
    assert!(output.status.success(), "{output:?}");
    let text = std::fs::read_to_string(&golden).unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0][..2], ["harbour", "0123456789abcdef"], "{text}");
    assert_eq!((rows.len(), rows[1][0]), (2, &*scene), "{text}");
    let same = verify(&["--golden", &golden]);
    assert!(stdout(&same).ends_with("  the same\n"), "{same:?}");
}
