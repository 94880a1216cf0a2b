//! The command line, and where progress is kept.
#![allow(missing_docs)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use kerf::options::{HELP, Options, usual_file};

fn parse(line: &str) -> Result<Options, String> {
    Options::parse(line.split_whitespace().map(str::to_owned))
}

#[test]
fn each_option_is_taken_and_named_by_the_help() {
    assert_eq!(parse(""), Ok(Options::default()));
    let all = "--progress a.txt --mute --level 8 --bot --debug --screen paused --at 0.5 --screenshot b.png";
    let expected = Options {
        progress: Some(PathBuf::from("a.txt")),
        muted: true,
        level: Some(7),
        bot: true,
        debug: true,
        screen: Some("paused".to_owned()),
        at: 0.5,
        screenshot: Some(PathBuf::from("b.png")),
    };
    assert_eq!(parse(all), Ok(expected));
    for option in all.split_whitespace().filter(|word| word.starts_with("--")) {
        assert!(HELP.contains(&format!("  {option} ")), "{option}");
    }
}

#[test]
fn a_picture_that_would_never_come_is_refused() {
    for seconds in ["0", "2.5", "3600"] {
        assert_eq!(
            parse(&format!("--at {seconds}")).unwrap().at,
            seconds.parse().unwrap()
        );
    }
    for wrong in ["1e9", "3600.1", "inf", "NaN", "-1", "soon"] {
        let error = parse(&format!("--at {wrong}")).unwrap_err();
        assert!(error.contains("from 0 to 3600"), "{wrong}: {error}");
    }
}

#[test]
fn words_that_are_wrong_are_named() {
    for (line, expected) in [
        ("--level 0", "from 1 to 8"),
        ("--level 9", "from 1 to 8"),
        ("--level", "--level needs a value"),
        ("--mute --loud", "--loud is unknown"),
    ] {
        let error = parse(line).unwrap_err();
        assert!(error.contains(expected), "{line}: {error}");
    }
}

#[test]
fn progress_is_kept_in_the_users_data_folder_and_never_in_the_current_one() {
    let root = if cfg!(windows) { "C:\\" } else { "/" };
    let folder = |name: &str| Path::new(root).join(name);
    let usual = |set: &[(&str, OsString)]| {
        usual_file(|name| {
            let of_name = set.iter().find(|(of, _)| *of == name);
            of_name.map(|(_, value)| value.clone())
        })
    };
    let absolute = |name: &str| folder(name).into_os_string();
    let home = ("HOME", absolute("ann"));
    let in_home = Some(folder("ann").join(".local/share").join("kerf.txt"));
    let data = ("XDG_DATA_HOME", absolute("data"));
    assert_eq!(
        usual(&[home.clone(), data]),
        Some(folder("data").join("kerf.txt"))
    );
    let data = ("APPDATA", absolute("data"));
    assert_eq!(
        usual(&[home.clone(), data]),
        Some(folder("data").join("kerf.txt"))
    );
    assert_eq!(usual(std::slice::from_ref(&home)), in_home);
    for wrong in ["", "here", "./here"] {
        for name in ["XDG_DATA_HOME", "APPDATA"] {
            assert_eq!(
                usual(&[home.clone(), (name, wrong.into())]),
                in_home,
                "{name}={wrong}"
            );
        }
        assert_eq!(usual(&[("HOME", wrong.into())]), None, "HOME={wrong}");
    }
    assert_eq!(usual(&[]), None);
}
