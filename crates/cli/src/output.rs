//! Writes files so that no reader sees a partial one, and prints lines without control characters.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) use tombolo_session::Failure;

/// The greatest number of links that lead from one to the next, as on Linux.
const LINKS_MAX: usize = 40;

/// The number of temporary names of one process that are tried: those before may be left over from another of its number.
const TEMPORARY_MAX: u32 = 1 << 20;

/// Writes a whole file: under a temporary name in the same folder, which is then renamed. Makes the folder if it does
/// not exist. What is no regular file (a device, a pipe) is not replaced, but written to.
///
/// # Errors
/// The system's reason, with the path; a regular file that existed before is unchanged, unless it is a mount of its own
/// and the disk is full.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let refuse = |error| Failure(format!("{}: cannot be written: {error}", path.display()));
    let permissions = match fs::metadata(path) {
        Ok(known) if !known.is_file() => return write_in_place(path, bytes).map_err(refuse),
        Ok(known) => Some(known.permissions()),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(refuse(error)),
    };
    replace(&end_of_links(path), bytes, permissions).map_err(refuse)
}

/// Writes to what is there.
fn write_in_place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().write(true).truncate(true).open(path)?;
    file.write_all(bytes)
}

/// The path that links lead to; what is there need not exist. So a link stays one.
fn end_of_links(path: &Path) -> PathBuf {
    let mut end = path.to_path_buf();
    for _ in 0..LINKS_MAX {
        let Ok(next) = fs::read_link(&end) else { break };
        end = end.parent().unwrap_or(Path::new("")).join(next);
    }
    end
}

/// A new file of another name in a folder. What is there is never opened: somebody else may have put a link there.
fn temporary_in(folder: &Path) -> io::Result<(PathBuf, File)> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        // Short: the name of the file itself may be as long as names are allowed to be.
        let path = folder.join(format!(".{}.{number}.tmp", std::process::id()));
        match File::options().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < TEMPORARY_MAX => {}
            opened => return opened.map(|file| (path, file)),
        }
    }
}

/// Replaces a file, or makes one. The bytes are on the disk before the name is theirs.
fn replace(path: &Path, bytes: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)?;
    let (temporary, mut file) = temporary_in(folder)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| permissions.map_or(Ok(()), |known| file.set_permissions(known)))
        .and_then(|()| file.sync_all());
    drop(file);
    let written = written.and_then(|()| fs::rename(&temporary, path));
    let Err(error) = written else { return Ok(()) };
    drop(fs::remove_file(&temporary));
    match error.kind() {
        // A file that is mounted over another cannot be replaced.
        ErrorKind::ResourceBusy | ErrorKind::CrossesDevices => write_in_place(path, bytes),
        _ => Err(error),
    }
}

/// Refuses to write to a file that is read, by whatever path: a slip of the hand would replace a person's work.
///
/// # Errors
/// `out` is a regular file, and one of `inputs`.
pub(crate) fn check_other<P>(out: &Path, inputs: impl IntoIterator<Item = P>) -> Result<(), Failure>
where
    P: AsRef<Path>,
{
    let Some(identity) = identity(out) else {
        return Ok(());
    };
    match inputs
        .into_iter()
        .any(|input| self::identity(input.as_ref()).as_ref() == Some(&identity))
    {
        false => Ok(()),
        true => Err(Failure(format!(
            "{}: is read by this call, and would be replaced; give another file to write",
            out.display()
        ))),
    }
}

/// Refuses outputs of one call that would be written to one file, by whatever paths: the last would replace the others.
/// Each is given with what it is called in the message, such as its option. The folders must exist: see [`try_folder_of`].
///
/// # Errors
/// Two are the same file, or would be. What is there and no regular file, such as a pipe, takes any number.
pub(crate) fn check_apart(outputs: &[(&str, &Path)]) -> Result<(), Failure> {
    for (number, (name, path)) in outputs.iter().enumerate() {
        let same = outputs[..number]
            .iter()
            .find(|(_, other)| is_same_output(other, path));
        if let Some((other, _)) = same {
            return Err(Failure(format!(
                "{}: {other} and {name} would both be written there; give each a file of its own",
                path.display()
            )));
        }
    }
    Ok(())
}

fn is_same_output(one: &Path, other: &Path) -> bool {
    let [known, known_other] = [one, other].map(identity);
    known.is_some() && known == known_other || new_file(one).is_some_and(|new| new_file(other) == Some(new))
}

/// The whole path of a file that does not exist yet.
fn new_file(path: &Path) -> Option<PathBuf> {
    let end = end_of_links(path);
    let missing = fs::metadata(&end).is_err_and(|error| error.kind() == ErrorKind::NotFound);
    let folder = end.parent().filter(|folder| *folder != Path::new(""));
    let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
    Some(folder.join(end.file_name()?)).filter(|_| missing)
}

/// What tells a regular file from all others, whatever its names are; `None` without one.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let known = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some((known.dev(), known.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    fs::canonicalize(path).ok()
}

/// Makes sure that files can be written to a folder, before a long run whose results go there.
///
/// # Errors
/// The system's reason, with the path.
pub(crate) fn try_folder(folder: &Path) -> Result<(), Failure> {
    let refuse = |error| Failure(format!("{}: cannot be written to: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(refuse)?;
    temporary_in(folder)
        .and_then(|(attempt, _)| fs::remove_file(attempt))
        .map_err(refuse)
}

/// As [`try_folder`] for the folder of a file. What is neither a regular file nor a folder, such as a pipe, has none.
///
/// # Errors
/// In the same cases, and if the path is that of a folder.
pub(crate) fn try_folder_of(path: &Path) -> Result<(), Failure> {
    if let Ok(known) = fs::metadata(path)
        && !known.is_file()
    {
        return match known.is_dir() {
            true => Err(Failure(format!(
                "{}: is a folder; give the name of a file in it",
                path.display()
            ))),
            // Written to in place.
            false => Ok(()),
        };
    }
    let path = end_of_links(path);
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    try_folder(folder.unwrap_or(Path::new(".")))
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

/// Prints lines for people on stdout, each made [`plain`]: they have names in them that somebody else may have chosen.
pub(crate) fn say(lines: &str) -> Result<(), Failure> {
    let lines: Vec<_> = lines.split('\n').map(plain).collect();
    print(&lines.join("\n"))
}

/// Prints text for programs on stdout as it is. A reader that has closed the pipe is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// What a function returns, or the message of its panic. What it changed must not be used after a panic.
pub(crate) fn unwound<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let what = panic.downcast_ref::<String>().map(String::as_str);
        let what = what.or(panic.downcast_ref::<&str>().copied());
        what.unwrap_or("without a message").to_owned()
    })
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

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_temporary_file_is_not_followed() {
        let folder = std::env::temp_dir().join(format!("tombolo-planted-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mine = folder.join("mine");
        fs::write(&mine, "kept").unwrap();
        for number in 0..200 {
            let planted = folder.join(format!(".{}.{number}.tmp", std::process::id()));
            std::os::unix::fs::symlink(&mine, planted).unwrap();
        }
        try_folder(&folder).unwrap();
        write_file(&folder.join("made"), b"new").unwrap();
        assert_eq!(fs::read(&mine).unwrap(), b"kept");
        assert_eq!(fs::read(folder.join("made")).unwrap(), b"new");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_written_to_and_stays() {
        use std::os::unix::fs::FileTypeExt;
        let folder = std::env::temp_dir().join(format!("tombolo-pipe-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let pipe = folder.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        try_folder_of(&pipe).unwrap();
        write_file(&pipe, b"through").unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
        // Also by a link, which as root would replace the device.
        let link = folder.join("null");
        std::os::unix::fs::symlink("/dev/null", &link).unwrap();
        write_file(&link, b"nothing").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_is_no_file_to_write_to() {
        let Failure(message) = try_folder_of(&std::env::temp_dir()).unwrap_err();
        assert!(message.contains("is a folder"), "{message}");
    }

    #[test]
    fn a_file_that_is_read_is_not_written() {
        let folder = std::env::temp_dir().join(format!("tombolo-other-{}", std::process::id()));
        fs::create_dir_all(folder.join("inner")).unwrap();
        let path = folder.join("file");
        assert!(check_other(&path, [&*path]).is_ok(), "there is none");
        fs::write(&path, "x").unwrap();
        let around = folder.join("inner/../file");
        let Failure(message) = check_other(&around, [folder.as_path(), &path]).unwrap_err();
        assert!(message.contains("is read by this call"), "{message}");
        fs::hard_link(&path, folder.join("other")).unwrap();
        assert_eq!(check_other(&folder.join("other"), [&*path]).is_err(), cfg!(unix));
        fs::write(folder.join("equal"), "x").unwrap();
        assert!(check_other(&folder.join("equal"), [&*path]).is_ok());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn two_outputs_are_not_written_to_one_file() {
        let folder = std::env::temp_dir().join(format!("tombolo-apart-{}", std::process::id()));
        fs::create_dir_all(folder.join("inner")).unwrap();
        let check = |one: &str, other: &str| {
            let [one, other] = [one, other].map(|name| folder.join(name));
            check_apart(&[
                ("--one", &one),
                ("--more", Path::new("elsewhere")),
                ("--other", &other),
            ])
        };
        // Neither is there yet.
        for around in ["new", "inner/../new", "./new"] {
            let Failure(message) = check("new", around).unwrap_err();
            let wanted = format!("{}: --one and --other would both", folder.join(around).display());
            assert!(message.starts_with(&wanted), "{message}");
        }
        assert!(check("new", "inner/new").is_ok());
        fs::write(folder.join("old"), "x").unwrap();
        assert!(check("old", "inner/../old").is_err());
        assert!(check("old", "new").is_ok());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("new", folder.join("link")).unwrap();
            assert!(
                check("new", "link").is_err(),
                "a link to a file that is not there yet"
            );
            fs::hard_link(folder.join("old"), folder.join("inner/same")).unwrap();
            assert!(check("inner/same", "old").is_err());
            assert!(check("/dev/null", "/dev/null").is_ok(), "it takes both");
        }
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
            // So does one whose file does not exist yet.
            let dangling = folder.join("dangling.txt");
            std::os::unix::fs::symlink("inner/new.txt", &dangling).unwrap();
            write_file(&dangling, b"fourth").unwrap();
            assert!(fs::symlink_metadata(&dangling).unwrap().is_symlink());
            assert_eq!(fs::read(folder.join("inner/new.txt")).unwrap(), b"fourth");
            let circle = folder.join("circle.txt");
            std::os::unix::fs::symlink("circle.txt", &circle).unwrap();
            assert!(write_file(&circle, b"x").is_err());
            assert!(fs::symlink_metadata(&circle).unwrap().is_symlink());
        }
        // A name as long as names may be.
        write_file(&folder.join("n".repeat(255)), b"long").unwrap();
        let Failure(message) = write_file(&path.join("below-a-file"), b"x").unwrap_err();
        assert!(message.contains("cannot be written"), "{message}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
