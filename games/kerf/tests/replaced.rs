//! A file that is written anew is there whole, the old or the new one.

use std::fs;
use std::path::PathBuf;

use kerf::replaced::Replaced;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("kerf-{name}-{}", std::process::id()));
    drop(fs::remove_dir_all(&folder));
    folder
}

#[test]
fn an_old_file_stays_until_the_new_one_is_whole() {
    let folder = folder("replaced");
    let path = folder.join("inner/picture.png");
    let first = Replaced::create(&path).unwrap();
    assert_eq!(first.written().extension(), path.extension(), "writers go by it");
    fs::write(first.written(), "old").unwrap();
    assert!(!path.exists());
    first.finish().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    let second = Replaced::create(&path).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "old", "when it was begun");
    fs::write(second.written(), "ne").unwrap();
    drop(second);
    assert_eq!(fs::read_to_string(&path).unwrap(), "old", "when it was given up");
    let third = Replaced::create(&path).unwrap();
    fs::write(third.written(), "new").unwrap();
    third.finish().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(
        fs::read_dir(path.parent().unwrap()).unwrap().count(),
        1,
        "nothing is left over"
    );
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_cannot_be_written_is_known_at_the_beginning() {
    let folder = folder("unwritable");
    fs::create_dir_all(&folder).unwrap();
    assert!(Replaced::create(&folder).is_err(), "a folder");
    fs::write(folder.join("file"), "").unwrap();
    assert!(Replaced::create(&folder.join("file/below")).is_err());
    fs::remove_dir_all(&folder).unwrap();
}

#[cfg(unix)]
#[test]
fn links_and_devices_stay_what_they_are() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let folder = folder("links");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("file"), "old").unwrap();
    symlink("file", folder.join("link")).unwrap();
    symlink("/dev/null", folder.join("null")).unwrap();
    for name in ["link", "null"] {
        let new = Replaced::create(&folder.join(name)).unwrap();
        fs::write(new.written(), "new").unwrap();
        new.finish().unwrap();
        assert!(
            fs::symlink_metadata(folder.join(name)).unwrap().is_symlink(),
            "{name}"
        );
    }
    assert_eq!(fs::read_to_string(folder.join("file")).unwrap(), "new");
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    fs::remove_dir_all(&folder).unwrap();
}
