//! Writes files so that no reader sees a partial one, and prints lines without control characters.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

pub(crate) use tombolo_session::Failure;

/// Writes a whole file: under a temporary name in the same folder, which is then renamed. Makes the folder if it does
/// not exist.
///
/// # Errors
/// The system's reason, with the path; a file that existed before is unchanged.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let refuse = |error| Failure(format!("{}: cannot be written: {error}", path.display()));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(refuse)?;
    }
    // A link stays one, and the file that it leads to keeps its permissions.
    let linked = fs::canonicalize(path);
    let path = linked.as_deref().unwrap_or(path);
    let permissions = fs::metadata(path).map(|known| known.permissions());
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let written = fs::write(&temporary, bytes)
        .and_then(|()| permissions.map_or(Ok(()), |known| fs::set_permissions(&temporary, known)))
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| {
        drop(fs::remove_file(&temporary));
        refuse(error)
    })
}

/// Makes sure that files can be written to a folder, before a long run whose results go there.
///
/// # Errors
/// The system's reason, with the path.
pub(crate) fn try_folder(folder: &Path) -> Result<(), Failure> {
    let refuse = |error| Failure(format!("{}: cannot be written to: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(refuse)?;
    let attempt = folder.join(format!(".{}.tmp", std::process::id()));
    fs::write(&attempt, [])
        .and_then(|()| fs::remove_file(&attempt))
        .map_err(refuse)
}

/// The greatest number of bytes of a line on stderr.
const LINE_BYTES_MAX: usize = 600;
/// The greatest number of bytes of a name in a message.
const NAME_BYTES_MAX: usize = 80;

/// A text without characters that a terminal interprets: control characters, and those that change the direction of
/// writing, are written as their numbers.
pub(crate) fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        let turns =
            matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if letter.is_control() || turns {
            let _ = write!(shown, "{}", letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// A line for people: plain, and at most [`LINE_BYTES_MAX`] long.
pub(crate) fn line(text: &str) -> String {
    plain(&cut(text, LINE_BYTES_MAX))
}

/// A name for quoting in a message, at most [`NAME_BYTES_MAX`] long.
pub(crate) fn short(name: &str) -> Cow<'_, str> {
    cut(name, NAME_BYTES_MAX)
}

fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let end = text.floor_char_boundary(most);
    Cow::Owned(format!("{}… ({} bytes)", &text[..end], text.len()))
}

/// Prints one line on stderr that says what is wrong.
pub(crate) fn complain(message: &str) {
    print_error_line(&format!("tombolo: {message}"));
}

/// Prints one line on stderr, cut at the greatest length and without characters that a terminal interprets. Errors are
/// ignored: if stderr is closed there is nowhere to report them.
pub(crate) fn print_error_line(line: &str) {
    drop(writeln!(std::io::stderr(), "{}", self::line(line)));
}

/// Prints text on stdout. A reader that has closed the pipe is no failure.
pub(crate) fn say(text: &str) -> Result<(), Failure> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// A count with its noun: "1 step", "2 steps".
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_line_moves_a_terminal() {
        assert_eq!(
            plain("a\u{1b}[2Jb\r\n\t\u{9b}\u{202e}ü"),
            "a\\u{1b}[2Jb\\r\\n\\t\\u{9b}\\u{202e}ü"
        );
        let long = line(&"ü".repeat(3_000_000));
        assert!(long.len() < 700 && long.ends_with("… (6000000 bytes)"), "{long}");
        assert_eq!(short("crate"), "crate");
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_found_out_before() {
        let folder = std::env::temp_dir().join(format!("tombolo-try-{}", std::process::id()));
        try_folder(&folder.join("inner")).unwrap();
        assert_eq!(fs::read_dir(folder.join("inner")).unwrap().count(), 0);
        fs::write(folder.join("file"), "x").unwrap();
        let Failure(message) = try_folder(&folder.join("file")).unwrap_err();
        assert!(message.contains("cannot be written to"), "{message}");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_is_replaced_whole_and_leaves_nothing_beside_it() {
        let folder = std::env::temp_dir().join(format!("tombolo-output-{}", std::process::id()));
        let path = folder.join("inner").join("file.txt");
        write_file(&path, b"first").unwrap();
        write_file(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let link = folder.join("link.txt");
            std::os::unix::fs::symlink(&path, &link).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            write_file(&link, b"third").unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::read(&path).unwrap(), b"third");
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        }
        let Failure(message) = write_file(&path.join("below-a-file"), b"x").unwrap_err();
        assert!(message.contains("cannot be written"), "{message}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
